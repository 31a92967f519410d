#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

/* The word of a shape, m16n8k32; false where it is none. */
static bool read_matrix_shape(const char *text, uint16_t shape[3])
{
    char *end;
    if (*text != 'm' || text[1] < '0' || text[1] > '9')
        return false;
    shape[0] = (uint16_t)strtoul(text + 1, &end, 10);
    if (*end != 'n')
        return false;
    shape[1] = (uint16_t)strtoul(end + 1, &end, 10);
    shape[2] = *end == 'k' ? (uint16_t)strtoul(end + 1, &end, 10) : 0;
    return !*end;
}

/* .e2m1 has a byte to itself but for the kinds that pack two. PTX ISA, "Matrix Data-types". */
static uint32_t stored_bits(Type type, bool is_packed)
{
    return type == TYPE_E2M1 && is_packed ? 4 : ptx_type_info[type].bits;
}

static uint8_t share(uint64_t elements, uint32_t bits, uint32_t threads)
{
    uint32_t register_bits = bits == 64 ? 64 : 32;
    uint64_t count = elements * bits / ((uint64_t)register_bits * threads);
    return count > UINT8_MAX ? 0 : (uint8_t)count;
}

/* mma, wmma, wgmma: the matrix is spread evenly over the warp or the warpgroup. The types are those
 * of D, A, B, C, in this order, or of D and C where only these are written; a load or store has
 * one. */
static void count_fragments(Op *op, bool is_group)
{
    Type types[4] = { TYPE_NONE, TYPE_NONE, TYPE_NONE, TYPE_NONE };
    uint32_t type_count = 0, threads = is_group ? 128 : 32;
    bool is_sparse = ptx_op_has(op, MOD_SP) || ptx_op_has(op, MOD_SP_ORDERED_METADATA),
         is_packed = false;
    for (unsigned m = 0; m < op->modifier_count; m++) {
        const char *text = op->modifiers[m] < 0 ? "" : ptx_modifier_texts[op->modifiers[m]];
        if (read_matrix_shape(text, op->shape))
            continue;
        is_packed |= !strncmp(text, "kind::mxf4", 10);
        Type type = ptx_type_find(text, strlen(text));
        if (type && type_count < 4)
            types[type_count++] = type;
    }
    Type a = TYPE_F16;
    if (type_count > 2)
        a = types[1];
    else if (type_count == 1)
        a = types[0];
    Type b = type_count > 2 ? types[2] : a;
    op->elements[ELEMENTS_A] = share((uint64_t)op->shape[0] * op->shape[2] >> is_sparse,
                                     stored_bits(a, is_packed), threads);
    op->elements[ELEMENTS_B] = share((uint64_t)op->shape[2] * op->shape[1],
                                     stored_bits(b, is_packed), threads);
    op->elements[ELEMENTS_C] = share((uint64_t)op->shape[0] * op->shape[1],
                                     stored_bits(types[0], is_packed), threads);
}

/* The N of .xN, else 1. */
static uint32_t read_repeat(const Op *op)
{
    for (unsigned m = 0; m < op->modifier_count; m++) {
        const char *text = op->modifiers[m] < 0 ? "" : ptx_modifier_texts[op->modifiers[m]];
        if (*text == 'x' && text[1] >= '1' && text[1] <= '9')
            return (uint32_t)strtoul(text + 1, NULL, 10);
    }
    return 1;
}

static void count_columns(Op *op)
{
    uint32_t each = 1;
    if (ptx_op_has(op, MOD_16X128B))
        each = 2;
    else if (ptx_op_has(op, MOD_16X256B))
        each = 4;
    op->elements[ELEMENTS_REPEAT] = (uint8_t)(each * read_repeat(op));
    op->elements[ELEMENTS_LANES] = ptx_op_has(op, MOD_CTA_GROUP_2) ? 8 : 4;
}

/* .m16n16 has twice the bytes of the other shapes. */
static void count_matrices(Op *op)
{
    op->elements[ELEMENTS_MATRICES] = (uint8_t)(read_repeat(op) << ptx_op_has(op, MOD_M16N16));
}

/* Dimensions of .1d to .5d; an array's layer and a cube's third are coordinates too. */
static void count_dimensions(Op *op)
{
    static const struct { uint8_t modifier, dims, coords, grads; bool has_layers; } geometries[] = {
        { MOD_1D, 1, 1, 1, false },   { MOD_2D, 2, 2, 2, false },   { MOD_3D, 3, 4, 4, false },     { MOD_4D, 4, 0, 0, false },
        { MOD_5D, 5, 0, 0, false },   { MOD_A1D, 0, 2, 1, true },   { MOD_A2D, 0, 4, 2, true },     { MOD_CUBE, 0, 4, 4, false },
        { MOD_ACUBE, 0, 4, 4, true }, { MOD_2DMS, 0, 4, 2, false }, { MOD_A2DMS, 0, 4, 2, true },
    };
    for (size_t g = 0; g < sizeof geometries / sizeof *geometries; g++) {
        if (!ptx_op_has(op, (Modifier)geometries[g].modifier))
            continue;
        op->elements[ELEMENTS_DIMS] = geometries[g].dims;
        op->elements[ELEMENTS_COORDS] = geometries[g].coords;
        op->elements[ELEMENTS_SHIFT] = op->elements[ELEMENTS_GRADS] = geometries[g].grads;
        op->has_layers = geometries[g].has_layers;
    }
    if (ptx_op_has(op, MOD_TILE_GATHER4) || ptx_op_has(op, MOD_TILE_SCATTER4))
        op->elements[ELEMENTS_DIMS] = 5;
    bool is_width = ptx_op_has(op, MOD_IM2COL_W) || ptx_op_has(op, MOD_IM2COL_W_128);
    if (op->elements[ELEMENTS_DIMS] > 2)
        op->elements[ELEMENTS_OFFSETS] = is_width ? 2 : op->elements[ELEMENTS_DIMS] - 2;
}

/* "b8" of .b8.b4: the bits of the n-th word that is such a size, from 0. */
static uint32_t read_size(const Op *op, unsigned n)
{
    for (unsigned m = 0; m < op->modifier_count; m++) {
        const char *text = op->modifiers[m] < 0 ? "" : ptx_modifier_texts[op->modifiers[m]];
        if (*text == 'b' && text[1] >= '0' && text[1] <= '9' && !n--)
            return (uint32_t)strtoul(text + 1, NULL, 10);
    }
    return 0;
}

/* "sp::2:4": so many are kept of so many. */
static bool read_sparsity(const Op *op, uint32_t *kept, uint32_t *of)
{
    for (unsigned m = 0; m < op->modifier_count; m++) {
        const char *text = op->modifiers[m] < 0 ? "" : ptx_modifier_texts[op->modifiers[m]];
        char *end;
        if (strncmp(text, "sp::", 4) || text[4] < '0' || text[4] > '9')
            continue;
        *kept = (uint32_t)strtoul(text + 4, &end, 10);
        *of = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
        return *of != 0;
    }
    return false;
}

static uint8_t registers_of(uint64_t bits)
{
    return (uint8_t)((bits + 31) / 32);
}

/* Registers of spcompress and spdecompress. PTX ISA 9.4, "spcompress": .xN counts registers that
 * are kept; "spdecompress": it counts groups. */
static void count_sparse(Op *op)
{
    uint32_t kept, of, size = read_size(op, 0), index = read_size(op, 1), number = read_repeat(op);
    if (!read_sparsity(op, &kept, &of) || !size || !index)
        return;
    if (op->family == OP_SPCOMPRESS) {
        op->elements[ELEMENTS_META] = (uint8_t)((number * index + size - 1) / size);
        op->elements[ELEMENTS_KEPT] = (uint8_t)number;
        op->elements[ELEMENTS_DENSE] = (uint8_t)(2 * number);
        return;
    }
    uint64_t dense = (uint64_t)of * size * number;
    if (dense < 32 || dense > 4096 || (index == 2 && of > 4) || kept * size > 32)
        return;
    op->elements[ELEMENTS_META] = registers_of((uint64_t)kept * index * number);
    op->elements[ELEMENTS_KEPT] = registers_of((uint64_t)kept * size * number);
    op->elements[ELEMENTS_DENSE] = registers_of(dense);
}

/* tcgen05.ld.spcompress: two of four, an index of two bits each. */
static void count_sparse_columns(Op *op)
{
    uint32_t number = read_repeat(op);
    op->elements[ELEMENTS_META] = registers_of(number);
    op->elements[ELEMENTS_KEPT] = (uint8_t)(number / 2);
}

void ptx_op_count_elements(Op *op)
{
    switch ((Operation)op->family) {
    case OP_MMA: case OP_WMMA: case OP_WGMMA:
        count_fragments(op, op->family == OP_WGMMA);
        return;
    case OP_TCGEN05:
        count_columns(op);
        count_sparse_columns(op);
        return;
    case OP_SPCOMPRESS: case OP_SPDECOMPRESS:
        count_sparse(op);
        return;
    case OP_LDMATRIX: case OP_STMATRIX:
        count_matrices(op);
        return;
    case OP_APPLYPRIORITY: case OP_CP: case OP_SULD: case OP_SURED: case OP_SUST:
    case OP_TEX: case OP_TLD4:
        count_dimensions(op);
        return;
    default:
        return;
    }
}
