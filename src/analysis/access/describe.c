#include "analysis/access/describe.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/count.h"
#include "support/minmax.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *ptx_count_describe(Arena *arena, const Count *count, uint32_t bytes)
{
    char text[128];
    const uint64_t apart = ptx_i64_magnitude(count->stride);
    if (count->is_free && count->pattern != PATTERN_BROADCAST && count->pattern != PATTERN_NONE)
        return "the distance between lanes depends on an unknown parameter or grid size";
    switch ((AccessPattern)count->pattern) {
    case PATTERN_BROADCAST:
        return "all lanes access one address";
    case PATTERN_CONTIGUOUS:
        return "lanes are contiguous";
    case PATTERN_OFFSET:
        return count->sectors > 0 ? "lanes are contiguous, but start inside a sector or line"
                                  : "lanes are contiguous";
    case PATTERN_STRIDED:
        snprintf(text, sizeof text, "lanes are %" PRIu64 " bytes apart", apart);
        break;
    case PATTERN_PER_THREAD:
        snprintf(text, sizeof text,
                 "each lane accesses its own range, %" PRIu64 " bytes from the next", apart);
        break;
    case PATTERN_ROWS:
        snprintf(text, sizeof text, "lanes are contiguous in pieces that lie apart");
        break;
    case PATTERN_IRREGULAR:
        if (apart <= bytes)
            return "lane addresses are irregular";
        snprintf(text, sizeof text,
                 "lane addresses are irregular, most of them %" PRIu64 " bytes apart", apart);
        break;
    default:
        return "";
    }
    return ptx_arena_strndup(arena, text, strlen(text));
}

const char *ptx_rows_describe(Arena *arena, const Count *count, bool are_bounds)
{
    if (!(count->row_requests > 0))
        return "data choose each address among a few: estimated as if by chance";
    char text[192], bounds[96] = "";
    if (are_bounds)
        snprintf(bounds, sizeof bounds, "at least %.3g and at most %.3g sectors; ",
                 count->row_least / count->requests, count->row_most / count->requests);
    const int length = snprintf(text, sizeof text,
                                "data-dependent rows, %.3g per request: %sestimated for rows that "
                                "do not overlap",
                                count->rows / count->row_requests, bounds);
    return ptx_arena_strndup(arena, text, (size_t)length);
}

/* Sectors of global memory, passes through shared memory, or addresses of constants; of a
 * request. */
typedef struct ShapeCost {
    double each;                /* per request */
    const char *unit;
} ShapeCost;

static ShapeCost shape_cost(const Count *count)
{
    if (count->sectors > 0)
        return (ShapeCost){ count->sectors / count->requests, " sectors" };
    if (count->wavefronts > 0)
        return (ShapeCost){ count->wavefronts / count->requests, " wavefronts" };
    return (ShapeCost){ count->addresses / count->requests, " addresses" };
}

static bool is_same_in_all(const Evaluation *evaluation, const Count *shaped)
{
    double least = (double)INFINITY, most = 0;
    for (unsigned i = 0; i < evaluation->shape_count; i++) {
        least = fmin(least, shape_cost(&shaped[i]).each);       /* of those that are numbers */
        most = fmax(most, shape_cost(&shaped[i]).each);
    }
    return most <= least;
}

enum { SHAPES_BYTES = 192, WHOLE_COSTS = 1000 /* has three digits at most */ };

/* A text that is put together; what is beyond its end is left out. Each access has one: printf
 * takes a fortieth of a report. */
typedef struct ShapesText {
    char text[SHAPES_BYTES];
    size_t length;
} ShapesText;

static void put_shape_text(ShapesText *to, const char *text, size_t length)
{
    const size_t room = sizeof to->text - 1 - to->length, part = length < room ? length : room;
    memcpy(to->text + to->length, text, part);
    to->length += part;
}

static void put_shape_number(ShapesText *to, uint32_t number)
{
    char digits[10], *const end = digits + sizeof digits, *first = end;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    put_shape_text(to, first, (size_t)(end - first));
}

/* Three digits of it. */
static void put_shape_cost(ShapesText *to, double cost)
{
    char text[32];
    if (cost >= 0 && cost < WHOLE_COSTS && cost == (uint32_t)cost)
        put_shape_number(to, (uint32_t)cost);
    else
        put_shape_text(to, text, (size_t)snprintf(text, sizeof text, "%.3g", cost));
}

static void put_block_shape(ShapesText *to, const uint32_t shape[3])
{
    put_shape_number(to, shape[0]);
    put_shape_text(to, "x", 1);
    put_shape_number(to, shape[1]);
    if (shape[2] < 2)
        return;
    put_shape_text(to, "x", 1);
    put_shape_number(to, shape[2]);
}

const char *ptx_shapes_describe(Arena *arena, const Evaluation *evaluation, const Evaluated *insn)
{
    static const char *const head = "by shape of the block: ";
    ShapesText text = { .length = 0 };
    if (!insn->shaped || is_same_in_all(evaluation, insn->shaped))
        return "";
    for (unsigned i = 0; i < evaluation->shape_count; i++) {
        const Count *count = &insn->shaped[i];
        const ShapeCost cost = shape_cost(count);
        const bool is_first = !text.length;
        if (!(count->requests > 0))
            continue;
        const char *before = is_first ? head : ", ";
        put_shape_text(&text, before, strlen(before));
        put_block_shape(&text, evaluation->shapes[i]);
        put_shape_text(&text, ": ", 2);
        put_shape_cost(&text, cost.each);
        if (is_first)
            put_shape_text(&text, cost.unit, strlen(cost.unit));
    }
    return ptx_arena_strndup(arena, text.text, text.length);
}

const char *ptx_count_advise(const Count *count)
{
    switch ((AccessPattern)count->pattern) {
    case PATTERN_OFFSET:
        return "let rows begin at multiples of 128 bytes: pad them, as cudaMallocPitch does, and "
               "put what stands before the first element in front";
    case PATTERN_PER_THREAD:
        return "let neighbouring threads take neighbouring elements, and step by the number of "
               "threads";
    case PATTERN_STRIDED:
        return "let consecutive threads access consecutive elements: exchange the thread indices, "
               "or use an array for each member of a structure";
    default:
        return "let the lanes of a warp take neighbouring elements";
    }
}
