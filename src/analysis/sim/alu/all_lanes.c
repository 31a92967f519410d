/* all_lanes.c -- an operation in the lanes of a warp at once: the usual ones in loops that a
 * compiler makes vectors of, all others lane by lane as lanewise.c has them. */
#include "analysis/sim/lane.h"
#include "isa/isa.h"

#include <limits.h>
#include <string.h>

typedef struct Width {          /* of a type: numbers are (a & mask ^ sign) - sign */
    uint64_t mask, sign;
} Width;

static Width width_of(const Lanewise *op)
{
    return (Width){ ptx_lane_mask(op->bits),
                    op->is_signed && op->bits < 64 ? UINT64_C(1) << (op->bits - 1) : 0 };
}

static uint64_t within(Width width, uint64_t a)
{
    return ((a & width.mask) ^ width.sign) - width.sign;
}

/* What a and b give in each lane; either may be the same in all of them. */
#define EACH_LANE(expression)                                                 \
    do {                                                                      \
        if (lists[0] && lists[1])                                             \
            for (unsigned i = 0; i < WARP_LANES; i++) {                       \
                const uint64_t a = lists[0][i], b = lists[1][i];              \
                out[i] = (expression);                                        \
            }                                                                 \
        else if (lists[0])                                                    \
            for (unsigned i = 0; i < WARP_LANES; i++) {                       \
                const uint64_t a = lists[0][i], b = same[1];                  \
                out[i] = (expression);                                        \
            }                                                                 \
        else                                                                  \
            for (unsigned i = 0; i < WARP_LANES; i++) {                       \
                const uint64_t a = same[0], b = lists[1] ? lists[1][i] : same[1]; \
                out[i] = (expression);                                        \
            }                                                                 \
    } while (0)

static void run_compare(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                        const uint64_t same[4])
{
    const Width width = width_of(op);
    /* so that signed comparison orders unsigned numbers */
    const uint64_t flip = op->is_signed ? 0 : UINT64_C(1) << 63;
    switch ((Compare)op->compare) {
    case COMPARE_EQ:                    EACH_LANE(!((a ^ b) & width.mask)); return;
    case COMPARE_NE:                    EACH_LANE(((a ^ b) & width.mask) != 0); return;
    case COMPARE_LT:
    case COMPARE_LO:
        EACH_LANE((int64_t)(within(width, a) ^ flip) < (int64_t)(within(width, b) ^ flip));
        return;
    case COMPARE_LE:
    case COMPARE_LS:
        EACH_LANE((int64_t)(within(width, a) ^ flip) <= (int64_t)(within(width, b) ^ flip));
        return;
    case COMPARE_GT:
    case COMPARE_HI:
        EACH_LANE((int64_t)(within(width, a) ^ flip) > (int64_t)(within(width, b) ^ flip));
        return;
    case COMPARE_GE:
    case COMPARE_HS:
        EACH_LANE((int64_t)(within(width, a) ^ flip) >= (int64_t)(within(width, b) ^ flip));
        return;
    default:                            memset(out, 0, WARP_LANES * sizeof *out); return;
    }
}

static void run_shl(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                    const uint64_t same[4])
{
    unsigned by = (unsigned)same[1];
    if (lists[1])
        EACH_LANE((uint32_t)b >= op->bits ? 0 : a << (uint32_t)b);
    else if (by >= op->bits)
        memset(out, 0, WARP_LANES * sizeof *out);
    else
        for (unsigned i = 0; i < WARP_LANES; i++)
            out[i] = lists[0][i] << by;
}

static void run_extend(const Lanewise *op, uint64_t *restrict out, const uint64_t *restrict from)
{
    const TypeInfo *to = &ptx_type_info[op->dst_type];
    const Width own_width = width_of(op);
    Width width = { UINT64_MAX, 0 };
    if (to->bits && to->bits < 64)
        width = (Width){ ptx_lane_mask(to->bits),
                         to->kind == KIND_SIGNED ? UINT64_C(1) << (to->bits - 1) : 0 };
    for (unsigned i = 0; i < WARP_LANES; i++)
        out[i] = within(width, within(own_width, from[i]));
}

/* Some operand is a list: there is no other call. */
static void run_usual(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                      const uint64_t same[4])
{
    const Width width = width_of(op);
    switch ((Usual)op->usual) {
    case USUAL_ADD:     EACH_LANE(within(width, a) + within(width, b)); return;
    case USUAL_SUB:     EACH_LANE(within(width, a) - within(width, b)); return;
    case USUAL_AND:     EACH_LANE(a & b); return;
    case USUAL_OR:      EACH_LANE(a | b); return;
    case USUAL_XOR:     EACH_LANE(a ^ b); return;
    case USUAL_MUL:     EACH_LANE(within(width, a) * within(width, b)); return;
    case USUAL_MAD:
        EACH_LANE(within(width, a) * within(width, b));
        for (unsigned i = 0; i < WARP_LANES; i++)
            out[i] += lists[2] ? lists[2][i] : same[2];
        return;
    case USUAL_SHL:     run_shl(op, out, lists, same); return;
    case USUAL_EXTEND:  run_extend(op, out, lists[0]); return;
    case USUAL_MOVE:    memcpy(out, lists[0], WARP_LANES * sizeof *out); return;
    default:            run_compare(op, out, lists, same); return;
    }
}

static void run_each(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                     const uint64_t same[4])
{
    const Lanewise own_op = *op;        /* stores to out do not change it */
    const uint64_t *x[4];
    unsigned lane[4];                   /* all bits where each lane has its own; else none */
    for (unsigned a = 0; a < 4; a++) {
        x[a] = lists[a] ? lists[a] : &same[a];
        lane[a] = lists[a] ? UINT_MAX : 0;
    }
    for (unsigned i = 0; i < WARP_LANES; i++)
        out[i] = own_op.fn(&own_op, x[0][i & lane[0]], x[1][i & lane[1]], x[2][i & lane[2]],
                           x[3][i & lane[3]]);
}

void ptx_lanewise_run(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                      const uint64_t same[4])
{
    bool has_first = lists[0] != NULL;
    if (!op->usual
        || (!has_first
            && (op->usual == USUAL_SHL || op->usual == USUAL_EXTEND || op->usual == USUAL_MOVE)))
        run_each(op, out, lists, same);
    else
        run_usual(op, out, lists, same);
}
