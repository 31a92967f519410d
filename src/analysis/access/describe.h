/* describe.h -- how the lanes of an access lie to each other, in words. */
#ifndef PTX_ANALYSIS_ACCESS_DESCRIBE_H
#define PTX_ANALYSIS_ACCESS_DESCRIBE_H

#include "support/arena.h"

typedef struct Evaluation Evaluation;
typedef struct Count Count;
typedef struct Evaluated Evaluated;

/* A clause, as "lanes are 28 bytes apart"; owned by arena, or fixed. "": there is no pattern. */
const char *ptx_count_describe(Arena *arena, const Count *count, uint32_t bytes);

/* What a request costs in shapes of the block in which that differs, as "by shape of the block:
 * 256x1: 4 sectors, 32x8: 4, 16x16: 8"; "": there are none. */
const char *ptx_shapes_describe(Arena *arena, const Evaluation *evaluation, const Evaluated *insn);

/* What a programmer may do about an access to global memory, in general words. */
const char *ptx_count_advise(const Count *count);

/* Of one whose lanes take rows that data choose (Count.row_requests). are_bounds: what is said of
 * them is sure. */
const char *ptx_rows_describe(Arena *arena, const Count *count, bool are_bounds);

#endif
