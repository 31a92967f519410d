/* growth.h -- one run for many blocks: numbers as affine functions of %ctaid.
 *
 * A run is that of one block, and stands for others as long as nothing it does would be different for them. Registers hold the numbers of that block,
 * and by how much they grow from block to block (Value.grows); what cannot be followed, a comparison that would come out otherwise, a sector that
 * would be another, narrows the blocks that the run stands for. Those left out are run on their own: what is counted for every block has been proved
 * for every block. */
#ifndef PTX_WARP_GROWTH_H
#define PTX_WARP_GROWTH_H

#include "warp/value.h"

enum { MOST_EPOCHS = 48 };

/* In each dimension of the grid, from the first block on every step-th, so many. The first of all is the one that runs. */
typedef struct Blocks {
    uint32_t first[3], step[3], count[3];
    uint32_t steps[MOST_EPOCHS][3];     /* step, as it was when Value.by was written */
    uint8_t epoch;
} Blocks;

Blocks ptx_blocks_new(const uint32_t first[3], const uint32_t step[3], const uint32_t count[3]);
double ptx_blocks_size(const Blocks *blocks);

/* Narrowed to those in which a value stays as it is; or only grows by multiples. */
void ptx_blocks_pin(Blocks *blocks, const Value *value);
void ptx_blocks_align(Blocks *blocks, const Value *value, uint64_t multiple);

/* out, which is %ctaid of a dimension, grows. */
void ptx_blocks_index(const Blocks *blocks, Value *out, unsigned dimension);

bool ptx_value_grows(const Blocks *blocks, const Value *value);
bool ptx_value_is_aligned(const Blocks *blocks, const Value *value, uint64_t multiple);

/* How op's result grows. lanes: those in which it counts. */
void ptx_growth_follow(Blocks *blocks, const Lanewise *op, Value *out, const Value *const *args, unsigned count, uint32_t lanes);

/* What is a in some lanes and b in others. */
void ptx_growth_choose(Blocks *blocks, Value *out, const Value *a, const Value *b, uint32_t of_a, uint32_t of_b);

/* out, from shifted right; out, with a part of so many bits more in it from bit `shift` on. */
void ptx_growth_part(Blocks *blocks, Value *out, const Value *from, unsigned shift, uint32_t lanes);
void ptx_growth_join(Blocks *blocks, Value *out, const Value *part, unsigned shift, unsigned bits, uint32_t lanes);

#endif
