#include "analysis/sass/select_rows.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/minmax.h"

enum {
    /* signed 24 bits of an address's offset in machine code since sm_75 */
    MAX_OFFSET = 1 << 23,
    MAX_NEIGHBOURS = 64, /* instructions of the block that are looked back at */
};

/* An address without its constant offset. */
static NodeId address_base_of(const Selection *s, NodeId id, int64_t *offset)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        const GraphNode *node = ptx_node_of(s, id), *by = ptx_node_of(s, node->in[1]);
        if (!ptx_node_is_result(s, id, ACT_ADD) || by->kind != NODE_CONSTANT
            || by->value <= -MAX_OFFSET || by->value >= MAX_OFFSET)
            break;
        *offset += by->value;
        id = node->in[0];
    }
    return id;
}

/* Up to sm_89 accesses to shared memory multiply the index by 4, 8 or 16. */
static NodeId unscaled(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id), *by = ptx_node_of(s, node->in[1]);
    bool is_scaled = ptx_node_is_result(s, id, ACT_SHL) && !node->is_wide
                     && by->kind == NODE_CONSTANT && by->value >= 2 && by->value <= 4;
    return is_scaled ? node->in[0] : id;
}

static bool is_address_of(const Selection *s, NodeId id)
{
    const GraphNode *node = ptx_node_of(s, id);
    return node->kind == NODE_VARIABLE
           || (ptx_node_is_result(s, id, ACT_COPY)
               && ptx_node_of(s, node->in[0])->kind == NODE_VARIABLE);
}

/* The offset is a part of the instruction; shared memory also adds what is uniform. */
void ptx_select_address(Selection *s, NodeId id, Space space, BlockId block)
{
    bool is_shared = ptx_space_is_own_shared((uint8_t)space),
         is_scaling = is_shared && s->target.sm >= 75 && s->target.sm < 90;
    int64_t offset = 0;
    id = address_base_of(s, id, &offset);
    const GraphNode *node = ptx_node_of(s, id);
    if (space == SPACE_CONST && ptx_node_is_result(s, id, ACT_ADD))
        for (unsigned i = 0; i < 2; i++)
            /* LDC takes an index of 32 bits, and where the variable begins */
            if (is_address_of(s, node->in[i])) {
                ptx_select_demand(s, node->in[1 - i], block);
                return;
            }
    bool is_sum = ptx_node_is_result(s, id, ACT_ADD) && is_shared && s->target.sm >= 75;
    unsigned uniform = is_sum && ptx_node_of(s, node->in[0])->is_uniform ? 0 : 1;
    if (!is_sum || !ptx_node_of(s, node->in[uniform])->is_uniform) {
        if (!is_scaling || node->kind != NODE_VARIABLE) /* an offset */
            ptx_select_demand(s, is_scaling ? unscaled(s, id) : id, block);
        return;
    }
    if (!is_scaling || ptx_node_of(s, node->in[uniform])->kind != NODE_VARIABLE)
        ptx_select_demand(s, node->in[uniform], block);
    NodeId varying = address_base_of(s, node->in[1 - uniform], &offset);
    ptx_select_demand(s, is_scaling ? unscaled(s, varying) : varying, block);
}

/* ---- neighbouring loads ---------------------------------------------------------------------- */

/* Instructions for the bytes of a chunk: 16, 8 and 4 at a time. */
static unsigned loads_for(unsigned bytes)
{
    unsigned count = 0;
    if (bytes == 0xffff)
        return 1;
    for (unsigned half = bytes; half; half >>= 8) {
        bool is_whole = (half & 0xff) == 0xff;
        count += is_whole || half & 0x0f;
        count += !is_whole && half & 0xf0;
    }
    return count;
}

void ptx_select_end_joins(Selection *s, const Insn *insn)
{
    uint8_t written = ptx_effect_writes(insn->op);
    for (uint32_t j = 0; written && j < s->join_count; j++)
        if (written & ptx_effect_memory((Space)s->joins[j].space))
            s->joins[j--] = s->joins[--s->join_count];
}

/* A wider access through the same base shows how it is aligned: one that is not aligned is
 * undefined (PTX ISA, "Addresses as Operands"). */
void ptx_select_note_alignment(Selection *s, InsnId id)
{
    const Insn *insn = &s->graph->func->insns[id];
    const Operand *address =
        ptx_insn_is_access(insn) ? ptx_effect_address(s->graph->func, insn) : NULL;
    if (!address || insn->access_bytes < 8 || insn->access_bytes > JOIN_BYTES
        || address->kind != OPERAND_REG)
        return;
    int64_t offset = ptx_operand_value(address);
    NodeId base =
        address_base_of(s, s->graph->of_operand[address - s->graph->func->operands], &offset);
    uint8_t zeros = insn->access_bytes == 16 ? 4 : 3;
    if (base && offset % insn->access_bytes == 0 && s->nodes[base].zeros < zeros)
        s->nodes[base].zeros = zeros;
}

/* Whether a load goes with one behind it; else it begins a chunk of its own. */
/* The widest load that may begin at an address with as many low bits of zero. */
static int64_t vector_bytes(unsigned zeros)
{
    if (zeros >= 4)
        return 16;
    return zeros == 3 ? 8 : 4;
}

bool ptx_select_join_load(Selection *s, const Insn *insn, NodeId address, const Operand *operand)
{
    int64_t offset = operand->kind == OPERAND_VAR || operand->kind == OPERAND_REG
                         ? ptx_operand_value(operand)
                         : 0;
    NodeId base = address_base_of(s, address, &offset);
    int64_t size = vector_bytes(ptx_node_of(s, base)->zeros);
    int64_t at = offset % size + (offset % size < 0 ? size : 0), chunk = (offset - at) / size;
    if (insn->access_bytes < 4 || insn->access_bytes >= size)
        return false;
    unsigned bytes = ((1u << insn->access_bytes) - 1) << at;
    for (uint32_t j = 0; j < s->join_count; j++) {
        Join *join = &s->joins[j];
        if (join->base != base || join->chunk != chunk || join->space != insn->op->space)
            continue;
        join->bytes = (uint16_t)(join->bytes | bytes);
        if (join->row < s->row_count)   /* it has one */
            s->rows[join->row].count = (float)loads_for(join->bytes);
        return true;
    }
    if (s->join_count < MAX_JOINS)
        s->joins[s->join_count++] =
            (Join){ base, chunk, s->row_count, (uint16_t)bytes, insn->op->space };
    return false;
}

/* ---- local memory ---------------------------------------------------------------------------- */

/* Read off the machine code of ptxas 13.0 for sm_90, of arrays of 4 to 256 words with 1 to 16
 * indexed accesses. */
enum {
    MAX_ELEMENTS = 64,
    MAX_INDEXED = 6,
    ELEMENTS_FEW = 8,
    INDEXED_MOST_OF_FEW = 12
};

static NodeId address_of(const Selection *s, const Insn *insn)
{
    const Operand *address = ptx_effect_address(s->graph->func, insn);
    return address ? s->graph->of_operand[address - s->graph->func->operands] : 0;
}

/* Of the array that an address lies in; 0: not known. */
static uint64_t bytes_around(const Selection *s, NodeId id)
{
    int64_t offset = 0;
    const GraphNode *base = ptx_node_of(s, address_base_of(s, id, &offset));
    if (base->kind == NODE_RESULT && base->action == ACT_COPY) /* into a register of 64 bits */
        base = ptx_node_of(s, base->in[0]);
    return base->kind == NODE_VARIABLE ? s->graph->module->vars[base->var].bytes : 0;
}

/* ptxas keeps an array in registers where few accesses are indexed, none in a loop. */
void ptx_select_find_local(Selection *s, const Loops *loops)
{
    const Graph *g = s->graph;
    uint32_t indexed = 0, width = UINT32_MAX;
    uint64_t bytes = 0;
    bool is_in_loop = false;
    for (InsnId i = 0; i < g->func->insn_count; i++) {
        const Insn *insn = &g->func->insns[i];
        if (!s->is_live[i] || insn->op->space != SPACE_LOCAL || !insn->access_bytes)
            continue;
        uint32_t each = insn->access_bytes / (insn->op->vector > 1 ? insn->op->vector : 1u);
        width = each && each < width ? each : width;
        uint64_t around = bytes_around(s, address_of(s, insn));
        bytes = around > bytes ? around : bytes;
        if (around)
            continue;
        indexed += insn->op->kind == OPK_ST ? 2 : 1;
        is_in_loop |= loops->loop_of[g->cfg->block_of[i]] != NO_LOOP;
    }
    if (width == UINT32_MAX)
        return;
    s->local_elements = (uint32_t)(bytes / width < UINT16_MAX ? bytes / width : UINT16_MAX);
    s->has_local =
        is_in_loop || g->func->has_calls || s->local_elements > MAX_ELEMENTS
        || indexed > (s->local_elements <= ELEMENTS_FEW ? INDEXED_MOST_OF_FEW : MAX_INDEXED);
}

bool ptx_select_local(Selection *s, Selected *row, const Insn *insn)
{
    bool is_fixed = bytes_around(s, address_of(s, insn)) > 0; /* else an index decides */
    if (!s->local_elements || insn->op->space != SPACE_LOCAL || !insn->access_bytes)
        return false;
    if (s->has_local) {
        ptx_select_add_row(s, row, MACHINE_GLOBAL, 1);
    } else if (is_fixed) {
        ptx_select_add_row(s, row, MACHINE_MOVE, 0);
    } else {
        ptx_select_add_row(s, row, MACHINE_ALU, s->local_elements); /* compare with each index, */
        /* and take the register under that predicate */
        ptx_selection_beside(s, row, MACHINE_MOVE, s->local_elements);
    }
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Moves into the registers that a store takes: of zeros, and in a vector of what stands there
 * twice. */
double ptx_select_store_moves(const Selection *s, const Insn *insn)
{
    const Graph *g = s->graph;
    const Operand *operands = ptx_insn_operands(g->func, insn);
    double moves = 0, zeros = 0;
    unsigned values = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        NodeId in = operands[o].role & ROLE_ADDRESS ? 0 : g->of_operand[insn->operand_first + o];
        if (!in)
            continue;
        values++;
        bool is_zero = ptx_node_is_constant(s, in) && !ptx_node_of(s, in)->value, is_again = false;
        for (uint32_t before = 0; before < o && !is_zero; before++)
            is_again |= !(operands[before].role & ROLE_ADDRESS)
                        && g->of_operand[insn->operand_first + before] == in;
        zeros += is_zero ? 0.5 : 0; /* CS2R makes two */
        moves += is_again ? 1 : 0;
    }
    return 2 * zeros >= values ? moves : moves + zeros;
}

bool ptx_select_is_global(const Op *op)
{
    return op->space == SPACE_GLOBAL || op->space == SPACE_GENERIC;
}

/* A lane's bytes of a matrix that lies the other way than the product takes it: each is a load, and
 * four are put together in a register. */
static void place_bytes(Selection *s, const Selected *row, const Op *op)
{
    enum { LANES = 32 };
    const double bytes = (double)op->shape[ptx_op_has(op, MOD_A) ? 0 : 1] * op->shape[2] / LANES;
    ptx_selection_beside(s, row, ptx_select_is_global(op) ? MACHINE_GLOBAL : MACHINE_SHARED,
                         bytes - 1);
    ptx_selection_beside(s, row, MACHINE_IMAD, bytes / 2);
    ptx_selection_beside(s, row, MACHINE_ALU, bytes / 4);
}

/* Lanes find their places in a matrix in memory, of words one by one. Where it lies the other way
 * than the product takes it, each quarter of halves is turned (MOVM). */
void ptx_select_place_fragment(Selection *s, const Selected *row, const Op *op)
{
    enum { WORDS_OF_LANE = 4, QUARTERS = 4 };
    bool is_load = op->operation == OP_WMMA_LOAD, is_store = op->operation == OP_WMMA_STORE;
    if (!is_load && !is_store)
        return;
    bool is_turned = is_load
                     && ((ptx_op_has(op, MOD_A) && ptx_op_has(op, MOD_COL))
                         || (ptx_op_has(op, MOD_B) && ptx_op_has(op, MOD_ROW)));
    const unsigned bits = ptx_type_info[op->type].bits;
    if (is_turned && bits == 8)
        place_bytes(s, row, op);
    if (!ptx_select_is_global(op))
        return;
    ptx_selection_beside(s, row, MACHINE_IMAD_WIDE, op->type == TYPE_TF32 ? WORDS_OF_LANE : 1);
    ptx_selection_beside(s, row, MACHINE_IADD, 2);
    ptx_selection_beside(s, row, MACHINE_OTHER, is_turned && bits == 16 ? QUARTERS : 0);
}

bool ptx_select_is_copy(const Op *op)
{
    return op->kind == OPK_CP_ASYNC && op->space;
}

/* Whether the block's copies to shared memory begin here anew: after a barrier, or an access to
 * shared memory. */
bool ptx_select_begins_copies(const Selection *s, InsnId id, BlockId block)
{
    const Func *func = s->graph->func;
    InsnId first = s->graph->cfg->blocks[block].first;
    for (InsnId i = id; i-- > first && id - i < MAX_NEIGHBOURS;) {
        const Op *op = func->insns[i].op;
        if (ptx_select_is_copy(op))
            return false;
        if (op->insn_class == CLASS_BARRIER || op->insn_class == CLASS_SHARED)
            return true;
    }
    return s->target.sm >= 90 || block > 0;
}

/* A return behind an access under a guard: lanes that the guard turns off leave before it. */
bool ptx_select_leaves_before(const Selection *s, InsnId id, BlockId block)
{
    const Graph *g = s->graph;
    if (g->func->insns[id].op->kind != OPK_RET || g->of_guard[id])
        return false;
    for (InsnId i = id; i-- > g->cfg->blocks[block].first;)
        if (s->is_live[i] && !g->is_gone[i] && g->func->insns[i].op->flags & OPF_SIDE_EFFECT)
            return g->of_guard[i] && g->func->insns[i].op->flags & OPF_STORE;
    return false;
}

/* What the load does that another joins. */
MachineOp ptx_select_joined_load(uint8_t space)
{
    if (ptx_space_is_own_shared(space))
        return MACHINE_SHARED;
    return space ? MACHINE_GLOBAL : MACHINE_IMAD_WIDE;
}
