#include "warp/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHORTEST_ROW = 64 };     /* bytes; what is shorter is no row of an array */

const char *ptx_count_describe(Arena *arena, const Count *count, uint32_t bytes)
{
    char text[128];
    int64_t apart = count->stride < 0 ? -count->stride : count->stride;
    if (count->is_free && count->pattern != PATTERN_BROADCAST && count->pattern != PATTERN_NONE)
        return "how far lanes lie apart hangs on a parameter";
    switch ((AccessPattern)count->pattern) {
    case PATTERN_BROADCAST:
        return "all lanes are at one address";
    case PATTERN_CONTIGUOUS:
        return "lanes are side by side";
    case PATTERN_OFFSET:
        return "lanes are side by side, but begin in the middle of a sector or line";
    case PATTERN_STRIDED:
        snprintf(text, sizeof text, "lanes are %" PRId64 " bytes apart", apart);
        break;
    case PATTERN_PER_THREAD:
        snprintf(text, sizeof text, "each lane walks through a stretch of its own, %" PRId64 " bytes from the next", apart);
        break;
    case PATTERN_ROWS:
        snprintf(text, sizeof text, "lanes are side by side in pieces that lie apart");
        break;
    case PATTERN_IRREGULAR:
        if (apart <= (int64_t)bytes)
            return "lanes lie in no order";
        snprintf(text, sizeof text, "lanes lie in no order, most of them %" PRId64 " bytes apart", apart);
        break;
    default:
        return "";
    }
    return ptx_arena_strndup(arena, text, strlen(text));
}

static const char *advise_global(const Count *count, uint32_t bytes)
{
    int64_t apart = count->stride < 0 ? -count->stride : count->stride;
    switch ((AccessPattern)count->pattern) {
    case PATTERN_OFFSET:
        return "let rows begin at multiples of 128 bytes: pad them, as cudaMallocPitch does";
    case PATTERN_PER_THREAD:
        return "let neighbouring threads take neighbouring elements, and step by the number of threads; or go through shared memory";
    case PATTERN_STRIDED:
        if (!count->is_free && apart <= 64 * (int64_t)bytes && apart <= 256)
            return "an array for each member (SoA) in place of an array of structures, or through shared memory";
        return "let threadIdx.x run along the rows as they lie in memory; where that cannot be, transpose through shared memory";
    default:
        return "let the lanes of a warp take neighbouring elements, or go through shared memory";
    }
}

/* Rows of some power of two of elements meet in the same banks: those of an odd number do not. */
static bool pad_helps(int64_t row, uint32_t bytes)
{
    return bytes >= 4 && bytes <= 16 && row >= SHORTEST_ROW && row % bytes == 0 && (row / bytes + 1) % 2;
}

const char *ptx_count_advise(Arena *arena, const Count *count, uint32_t bytes)
{
    int64_t apart = count->stride < 0 ? -count->stride : count->stride;
    if (!(count->wavefronts > 0) || count->sectors > 0)
        return advise_global(count, bytes);
    if (count->is_free || !pad_helps(apart, bytes))
        return "let the lanes of a warp take neighbouring words; or pad the rows, or swizzle them: column ^ row";
    char text[160];
    snprintf(text, sizeof text, "pad the rows: %" PRId64 " bytes in place of %" PRId64 "; or swizzle them: column ^ row", apart + bytes, apart);
    return ptx_arena_strndup(arena, text, strlen(text));
}
