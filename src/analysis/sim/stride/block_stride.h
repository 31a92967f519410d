/* block_stride.h -- one run for many blocks, and many warps of each: numbers as affine functions of
 * %ctaid and of the warp.
 *
 * A run is that of one block, and stands for others as long as nothing it does would be different
 * for them. Registers hold the numbers of that block, and by how much they grow from block to block
 * (Value.grows); what cannot be followed, a comparison that would come out otherwise, a sector that
 * would be another, narrows the blocks that the run stands for. Those left out are run on their
 * own: what is counted for every block has been proved for every block. */
#ifndef PTX_ANALYSIS_SIM_STRIDE_BLOCK_STRIDE_H
#define PTX_ANALYSIS_SIM_STRIDE_BLOCK_STRIDE_H

#include "analysis/sim/value.h"

enum { MAX_EPOCHS = 48, GROWTH_WARP = 3, GROWTH_TRIPS = 4 };

/* In each dimension of the grid, from the first block on every step-th, so many; and so of the
 * warps of a block. The first of all is the one that runs. */
typedef struct Blocks {
    uint32_t first[GROWTH_DIMS], step[GROWTH_DIMS], count[GROWTH_DIMS];
    uint32_t steps[MAX_EPOCHS][GROWTH_DIMS];   /* step, as it was when Value.by was written */
    uint8_t epoch;
} Blocks;

/* Of the grid, and one warp of each. */
Blocks ptx_blocks_new(const uint32_t first[3], const uint32_t step[3], const uint32_t count[3]);

/* Warps of all these blocks. */
double ptx_blocks_size(const Blocks *blocks);

/* A dimension for the trips through a loop (forward.h), from this one on; 0: none is free. Those
 * that the run stands for, and how far apart. */
unsigned ptx_blocks_open_trips(Blocks *blocks, uint32_t most);
uint32_t ptx_blocks_trips(const Blocks *blocks, unsigned dimension, uint32_t *step);
/* as they were */
void ptx_blocks_widen_trips(Blocks *blocks, unsigned dimension, uint32_t trips, uint32_t step);
void ptx_blocks_close_trips(Blocks *blocks, unsigned dimension);

/* A value grows along a dimension by so much, and along the others as before. */
void ptx_block_stride_set(const Blocks *blocks, Value *value, unsigned dimension, int64_t by);
int64_t ptx_block_stride_along(const Blocks *blocks, const Value *value, unsigned dimension);

/* Narrowed to the dimensions along which both values grow alike, this one left out. */
void ptx_blocks_keep_common(Blocks *blocks, const Value *a, const Value *b, unsigned but);

/* Narrowed to those in which a value stays as it is; or only grows by multiples. */
void ptx_blocks_pin(Blocks *blocks, const Value *value);
void ptx_blocks_align(Blocks *blocks, const Value *value, uint64_t multiple);
void ptx_blocks_align_trips(Blocks *blocks, const Value *value, uint64_t multiple);

/* out grows along a dimension, by so much from one of the blocks or warps to the next. */
void ptx_blocks_index(const Blocks *blocks, Value *out, unsigned dimension, int64_t by);

/* Each growth of a value, or-ed. */
uint64_t ptx_blocks_steps(const Blocks *blocks, const Value *value);

/* By how much a value grows from one of the warps to the next, as far as they are narrowed now. */
uint64_t ptx_blocks_between_warps(const Blocks *blocks, const Value *value);

bool ptx_value_has_block_stride(const Blocks *blocks, const Value *value);
bool ptx_value_is_aligned(const Blocks *blocks, const Value *value, uint64_t multiple);

/* How op's result grows. lanes: those in which it counts. */
void ptx_block_stride_follow(Blocks *blocks, const Lanewise *op, Value *out,
                             const Value *const *args, unsigned count, uint32_t lanes);

/* What is a in some lanes and b in others. */
void ptx_block_stride_choose(Blocks *blocks, Value *out, const Value *a, const Value *b,
                             uint32_t of_a, uint32_t of_b);

/* out, from shifted right; out, with a part of so many bits more in it from bit `shift` on. */
void ptx_block_stride_part(Blocks *blocks, Value *out, const Value *from, unsigned shift,
                           uint32_t lanes);
void ptx_block_stride_join(Blocks *blocks, Value *out, const Value *part, unsigned shift,
                           unsigned bits, uint32_t lanes);

#endif
