/* Bulk copies, and the tensor maps that a kernel makes for them. */
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/request.h"

#include <string.h>

enum {
    MAX_MAPS = 16,
    PARAMS_MAX = 8192,
    MAX_BOX_DIM = 256,          /* CUDA Driver API, "Tensor Map Object Management" */
    MAX_BOX_BYTES = 256 << 10,  /* the shared memory of an SM is smaller, of any GPU */
    /* that are followed: so many, and with each step of the machine some more. They take time */
    BOX_PIECES = 1 << 20,
    STEP_PIECES = 16
};

typedef struct TensorMap {
    uint64_t place;             /* of the map, in the block that runs */
    uint64_t base;              /* of the tensor, as its pointer's number; 0: not known */
    uint64_t stride[TENSOR_DIMS];       /* bytes; [0]: of an element */
    uint32_t box[TENSOR_DIMS];
    uint32_t rank;
    bool is_made;               /* here */
    bool is_of_block;           /* BulkBox's word */
} TensorMap;

struct TensorMaps {
    TensorMap items[MAX_MAPS];
    uint32_t count;
};

/* In the order in which a block comes to them: so one map of each block is the same tensor's. NULL:
 * there are too many. */
static TensorMap *find_map(Machine *m, uint64_t place)
{
    if (!m->maps)
        m->maps = ptx_arena_new(m->arena, TensorMaps);
    TensorMaps *maps = m->maps;
    for (uint32_t i = 0; i < maps->count; i++)
        if (maps->items[i].place == place)
            return &maps->items[i];
    if (maps->count == MAX_MAPS)
        return NULL;
    TensorMap *out = &maps->items[maps->count++];
    *out = (TensorMap){ .place = place };
    return out;
}

void ptx_bulk_forget(Machine *m)
{
    if (m->maps)
        m->maps->count = 0;
}

/* The number that the first of the lanes has. False: it is not known. */
static bool read_lane(Machine *m, Warp *w, const Operand *operand, unsigned lane, uint64_t *out)
{
    Scratch room;
    const Value *value = operand ? ptx_address_look(m, w, operand, &room) : NULL;
    *out = value ? ptx_request_place(ptx_value_lane(value, lane)) : 0;
    return value && !(value->unknown >> lane & 1);
}

/* It is another number in other blocks that the run stands for. */
static bool differs_by_block(Machine *m, Warp *w, const Operand *operand)
{
    Scratch room;
    const Value *value = operand ? ptx_address_look(m, w, operand, &room) : NULL;
    return value && ptx_value_has_block_stride(&m->blocks, value);
}

/* ---- maps that the kernel makes -------------------------------------------------------------- */

/* Bytes of an element, by tensormap.replace's code: u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz f64 bf16
 * tf32 tf32.ftz; packed ones of 4 and 6 bits are not known. */
static uint64_t element_bytes(uint64_t code)
{
    static const uint8_t bytes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4 };
    return code < sizeof bytes ? bytes[code] : 0;
}

static void replace_field(TensorMap *map, const Op *op, uint64_t which, uint64_t value)
{
    const uint64_t dim = which < TENSOR_DIMS ? which : TENSOR_DIMS - 1;
    map->is_made = true;
    if (ptx_op_has(op, MOD_GLOBAL_ADDRESS))
        map->base = value;
    else if (ptx_op_has(op, MOD_RANK))
        map->rank = (uint32_t)value + 1;
    else if (ptx_op_has(op, MOD_BOX_DIM))
        map->box[dim] = (uint32_t)value;
    else if (ptx_op_has(op, MOD_GLOBAL_STRIDE) && dim + 1 < TENSOR_DIMS)
        map->stride[dim + 1] = value;
    else if (ptx_op_has(op, MOD_ELEMTYPE))
        map->stride[0] = element_bytes(value);
}

static void copy_map(Machine *m, Warp *w, const SimInsn *insn, unsigned lane)
{
    uint64_t to, from;
    if (!read_lane(m, w, insn->addresses[0], lane, &to)
        || !read_lane(m, w, insn->addresses[1], lane, &from))
        return;
    const TensorMap *made = find_map(m, from);
    TensorMap *out = find_map(m, to);
    if (!made || !out)
        return;
    *out = *made;
    out->place = to;
}

void ptx_bulk_make_map(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const bool has_which = insn->operand_count > 2;
    uint64_t place, which = 0, value;
    if (!ptx_op_has(insn->op, MOD_REPLACE)) {
        copy_map(m, w, insn, lane);
    } else if (read_lane(m, w, insn->addresses[0], lane, &place)) {
        TensorMap *map = find_map(m, place);
        const Operand *field = &insn->operands[has_which ? 2 : 1];
        bool is_known = read_lane(m, w, field, lane, &value);
        if (has_which)
            is_known &= read_lane(m, w, &insn->operands[1], lane, &which);
        if (map) {
            replace_field(map, insn->op, which, is_known ? value : 0);
            map->is_of_block |= differs_by_block(m, w, field);
        }
    }
    ptx_machine_forget(m, w, insn, lanes, doubt);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void add_shift(const Machine *m, const Value *value, uint64_t times, BulkBox *box)
{
    for (unsigned d = 0; d < 3; d++) {
        const uint64_t stride = (uint64_t)ptx_block_stride_along(&m->blocks, value, d);
        box->shift[d] = (int64_t)((uint64_t)box->shift[d] + times * stride);
    }
}

/* Where the map is not known, coordinates lie that many bytes apart. */
static uint64_t bytes_of_step(const TensorMap *map, unsigned dim, bool is_placeless)
{
    enum { BYTES_SHIFT = 6, DIM_SHIFT = 18 };
    if (!is_placeless)
        return map->stride[dim];
    return UINT64_C(1) << (dim < 2 ? BYTES_SHIFT + DIM_SHIFT * dim : ARRAY_SHIFT - 6 + dim);
}

static bool is_map_whole(const TensorMap *map)
{
    bool is_known = map->is_made && map->base && map->stride[0] && map->rank
                    && map->rank <= TENSOR_DIMS;
    for (unsigned d = 0; is_known && d < map->rank; d++)
        is_known = map->box[d] && map->box[d] <= MAX_BOX_DIM && map->stride[d];
    return is_known;
}

/* False: some coordinate is not known. */
static bool add_coordinates(Machine *m, Warp *w, const SimInsn *insn, const TensorMap *map,
                            unsigned lane, BulkBox *box)
{
    unsigned dim = 0;
    bool are_known = true;
    for (unsigned o = 0; o < insn->operand_count && dim < TENSOR_DIMS; o++) {
        const Operand *operand = &insn->operands[o];
        Scratch room;
        if (!(operand->flags & OPERAND_ELEMENT) || operand->position != !box->is_store)
            continue;
        const Value *value = ptx_machine_read(m, w, operand, &room);
        const uint64_t step = bytes_of_step(map, dim, box->is_placeless);
        are_known &= !(value->unknown >> lane & 1);
        box->first += step * (uint64_t)(int32_t)ptx_value_lane(value, lane);
        add_shift(m, value, step, box);
        dim++;
    }
    return are_known && dim;
}

/* By tensor map. False: nothing is known of where. */
static bool find_box(Machine *m, Warp *w, const SimInsn *insn, unsigned lane, BulkBox *box)
{
    uint64_t place;
    const Operand *at = insn->addresses[box->is_store ? 0 : 1];
    const TensorMap *map = read_lane(m, w, at, lane, &place) ? find_map(m, place) : NULL;
    if (!map)
        return false;
    box->is_placeless = !is_map_whole(map);
    box->first = map->base;
    if (box->is_placeless)
        box->first = (uint64_t)(PARAMS_MAX + 1 + (map - m->maps->items)) << ARRAY_SHIFT;
    for (unsigned d = 0; d < map->rank && !box->is_placeless; d++) {
        box->stride[d] = map->stride[d];
        box->count[d] = map->box[d];
    }
    box->count[0] *= (uint32_t)map->stride[0];
    box->is_of_block = map->is_of_block;
    return add_coordinates(m, w, insn, map, lane, box);
}

/* By address and size. */
static bool find_bulk_row(Machine *m, Warp *w, const SimInsn *insn, unsigned lane, BulkBox *box)
{
    Scratch room;
    uint64_t bytes;
    const Operand *at = insn->addresses[box->is_store ? 0 : 1];
    const Operand *size = insn->operand_count > 2 ? &insn->operands[2] : NULL;
    const Value *address = at ? ptx_address_look(m, w, at, &room) : NULL;
    if (!address || address->unknown >> lane & 1)
        return false;
    box->first = ptx_request_place(ptx_value_lane(address, lane));
    add_shift(m, address, 1, box);
    const bool is_known = read_lane(m, w, size, lane, &bytes);
    box->count[0] = (uint32_t)bytes;
    box->is_of_block = differs_by_block(m, w, size);
    return is_known;
}

static bool is_of_global(const Op *op)
{
    return op->spaces[0] == SPACE_GLOBAL || op->spaces[1] == SPACE_GLOBAL;
}

/* False: more than a block can copy at once, or than there is time for. */
static bool can_follow_box(Machine *m, const BulkBox *box)
{
    enum { ROW_PIECE_BYTES = 64 };
    uint64_t rows = 1;
    for (unsigned d = 1; d < TENSOR_DIMS && rows <= MAX_BOX_BYTES; d++)
        rows *= box->count[d] ? box->count[d] : 1;
    if (rows > MAX_BOX_BYTES || rows * box->count[0] > MAX_BOX_BYTES)
        return false;
    m->box_pieces += rows * (box->count[0] / ROW_PIECE_BYTES + 1);
    return m->box_pieces <= BOX_PIECES + STEP_PIECES * m->steps;
}

static void emit_box(Machine *m, Warp *w, const BulkBox *box)
{
    m->blocks.count[GROWTH_WARP] = 1;
    ptx_request_log_close(m, w);
    for (uint32_t o = 0; o < m->requester_count; o++)
        if (m->requesters[o]->bulk)
            m->requesters[o]->bulk(m->requesters[o]->self, box);
}

void ptx_bulk_copy(Machine *m, Warp *w, const SimInsn *insn, uint32_t lanes, uint8_t doubt)
{
    for (uint32_t left = is_of_global(insn->op) ? lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        BulkBox box = { .is_store = insn->op->spaces[0] == SPACE_GLOBAL };
        const bool is_known = ptx_op_has(insn->op, MOD_TENSOR)
                                  ? find_box(m, w, insn, lane, &box)
                                  : find_bulk_row(m, w, insn, lane, &box);
        box.is_placeless |= !is_known || !can_follow_box(m, &box);
        if (!is_known)
            box.first = 0;
        emit_box(m, w, &box);
    }
    ptx_machine_forget(m, w, insn, lanes, doubt);
}
