#include "warp/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

const char *ptx_count_advise(const Count *count)
{
    switch ((AccessPattern)count->pattern) {
    case PATTERN_OFFSET:
        return "let rows begin at multiples of 128 bytes: pad them, as cudaMallocPitch does, and put what stands before the first element in front";
    case PATTERN_PER_THREAD:
        return "let neighbouring threads take neighbouring elements, and step by the number of threads";
    case PATTERN_STRIDED:
        return "let threadIdx.x run along the rows as they lie in memory";
    default:
        return "let the lanes of a warp take neighbouring elements";
    }
}
