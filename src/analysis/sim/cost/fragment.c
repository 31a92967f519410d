#include "analysis/sim/cost/fragment.h"

enum { WARP = 32, LINES = 8, MATRIX_BYTES = 16, WORD = 4 };

/* Its elements, and how they lie. */
typedef struct Shape {
    uint32_t lines, line_bytes, element;
    bool is_sum;                /* of products: C and D */
    bool is_along;              /* a line goes along K; of sums, along N */
} Shape;

static Shape shape_of(const Op *op)
{
    const uint32_t m = op->shape[0], n = op->shape[1], k = op->shape[2],
                   bits = ptx_type_info[op->type].bits;
    const bool is_a = ptx_op_has(op, MOD_A), is_b = ptx_op_has(op, MOD_B),
               is_by_columns = ptx_op_has(op, MOD_COL);
    const uint32_t rows = is_b ? k : m;
    const uint32_t columns = is_a ? k : n;
    const uint32_t lines = is_by_columns ? columns : rows;
    return (Shape){ .lines = lines,
                    .line_bytes = lines ? rows * columns / lines * bits / 8 : 0,
                    .element = bits / 8,
                    .is_sum = !is_a && !is_b,
                    .is_along = is_b == is_by_columns };
}

/* Eight lines, four lanes to each: one element, or two side by side. */
static FragmentAccess in_rows(const Shape *s, uint32_t bytes)
{
    return (FragmentAccess){ .count = s->lines * s->line_bytes / (WARP * bytes),
                             .lines = LINES,
                             .lines_apart = 1,
                             .bytes = bytes };
}

/* Four lines, eight lanes to each. */
static FragmentAccess across(const Shape *s, uint32_t lines_apart)
{
    return (FragmentAccess){ .count = s->lines * s->line_bytes / (WARP * s->element),
                             .lines = LINES / 2,
                             .lines_apart = lines_apart,
                             .bytes = s->element };
}

FragmentAccess ptx_fragment_access(const Op *op)
{
    const Shape s = shape_of(op);
    const uint32_t side_by_side = s.is_sum ? 2 : 1;
    if (!s.element)
        return (FragmentAccess){ .count = 0 };
    if (s.is_sum || s.element >= WORD)
        return s.is_along ? in_rows(&s, side_by_side * s.element) : across(&s, side_by_side);
    if (s.element == 2 || (s.element == 1 && s.is_along))
        return (FragmentAccess){ .count = s.lines * s.line_bytes / (LINES * MATRIX_BYTES),
                                 .lines = LINES,
                                 .lines_apart = 1,
                                 .bytes = MATRIX_BYTES,
                                 .is_matrix = true };
    return (FragmentAccess){ .count = 0 };
}
