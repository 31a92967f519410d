/* describe.h -- how the lanes of an access lie to each other, in words. */
#ifndef PTX_WARP_DESCRIBE_H
#define PTX_WARP_DESCRIBE_H

#include "support/arena.h"
#include "warp/count.h"

/* A clause, as "lanes are 28 bytes apart"; owned by arena, or fixed. "": there is no pattern. */
const char *ptx_count_describe(Arena *arena, const Count *count, uint32_t bytes);

/* What a programmer may do about an access to global memory, in general words. */
const char *ptx_count_advise(const Count *count);

#endif
