/* The instruction descriptor of tcgen05.mma, which has its shape. */
#include "isa/isa.h"

/* PTX ISA, "Instruction descriptor": N, three low bits left out, from bit 17; M, four left out,
 * from bit 24 (seven from bit 27 with .block_scale: those between are 0); bit 31: K is 96. */
enum { N_BIT = 17, N_MASK = 63, N_UNIT = 8, M_BIT = 24, M_MASK = 31, M_UNIT = 16, K_BIT = 31 };

enum { ROW_BYTES = 32, LONG_K = 96 };   /* of A, and of a column of B; K where the row is longer */

/* Bits of an element as the unit takes it: as many make a row. PTX ISA, "Data Movement Shape". */
static unsigned factor_bits(const Op *op)
{
    static const struct {
        Modifier kind;
        unsigned bits;
    } kinds[] = {
        { MOD_KIND_F16, 16 },    { MOD_KIND_TF32, 32 },    { MOD_KIND_F8F6F4, 8 },
        { MOD_KIND_I8, 8 },      { MOD_KIND_MXF8F6F4, 8 }, { MOD_KIND_MXF4, 4 },
        { MOD_KIND_MXF4NVF4, 4 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ptx_op_has(op, kinds[i].kind))
            return kinds[i].bits;
    return 0;
}

void ptx_op_set_descriptor(Op *op, uint32_t descriptor)
{
    const unsigned bits = factor_bits(op), rows = (descriptor >> M_BIT & M_MASK) * M_UNIT,
                   columns = (descriptor >> N_BIT & N_MASK) * N_UNIT;
    op->descriptor = descriptor;
    if (!bits || !rows || !columns)
        return;
    const bool is_long = bits == 4 && descriptor >> K_BIT;
    const unsigned depth = is_long ? LONG_K : 8 * ROW_BYTES / bits;
    op->shape[0] = (uint16_t)rows;
    op->shape[1] = (uint16_t)columns;
    op->shape[2] = (uint16_t)(ptx_op_has(op, MOD_SP) ? 2 * depth : depth);
}
