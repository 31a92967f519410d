#include "analysis/sass/value_graph.h"

#include "analysis/sass/unroll.h"

#include "support/hash.h"
#include "support/wrap.h"
#include "analysis/redundancy/effect.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"
#include "support/minmax.h"

enum {
    /* operands of an instruction that are looked at, result by result: matrices have some hundred
     * */
    MAX_READ = 1024,
    MAX_PLACES = 15,
    /* ptxas lays shared variables out itself, and knows where each begins */
    SHARED_ZEROS = 4,
    UNIFORM_PASSES = 8,         /* beyond, the facts stand as they are */
    NODES_BESIDE = 20,          /* of an instruction at most, beside two for each operand */
};

/* ---- what instructions are ------------------------------------------------------------------- */

static const uint8_t actions[OP__COUNT] = {
    [OP_ABS] = ACT_SIGN, [OP_ADD] = ACT_ADD, [OP_AND] = ACT_LOGIC, [OP_COS] = ACT_ANGLE, [OP_CVT] = ACT_EXTEND, [OP_CVTA] = ACT_COPY,
    [OP_DIV] = ACT_QUOTIENT, [OP_MAD] = ACT_MAD, [OP_MAX] = ACT_EXTREME, [OP_MIN] = ACT_EXTREME, [OP_MOV] = ACT_COPY, [OP_MUL] = ACT_MUL,
    [OP_NEG] = ACT_SIGN, [OP_NOT] = ACT_NOT, [OP_OR] = ACT_LOGIC, [OP_SELP] = ACT_SELECT, [OP_SETP] = ACT_SETP, [OP_SHL] = ACT_SHL,
    [OP_SHR] = ACT_SHR, [OP_SIN] = ACT_ANGLE, [OP_SUB] = ACT_SUB, [OP_XOR] = ACT_LOGIC,
};

static bool is_float(Type type)
{
    return ptx_type_info[type].kind == KIND_FLOAT;
}

static uint8_t action_of_float(const Op *op, uint8_t action)
{
    bool is_scalar = op->type == TYPE_F32 || op->type == TYPE_F64;
    if (action == ACT_SETP || action == ACT_SELECT || action == ACT_ANGLE
        || (action == ACT_EXTREME && op->type == TYPE_F32))
        return action;
    if ((action == ACT_ADD || action == ACT_SUB) && is_scalar)
        return ACT_FADD;
    if (action == ACT_QUOTIENT)
        return op->type == TYPE_F32 && (ptx_op_has(op, MOD_APPROX) || ptx_op_has(op, MOD_FULL))
                   ? ACT_QUOTIENT
                   : ACT_OTHER;
    if (action == ACT_MUL && is_scalar)
        return ACT_FMUL;
    return action == ACT_SIGN ? ACT_SIGN : ACT_OTHER;
}

/* A conversion between integers: to more bits, to fewer, to as many. */
static uint8_t action_of_cvt(const Op *op)
{
    unsigned to = ptx_type_info[op->dst_type].bits, from = ptx_type_info[op->type].bits;
    if (op->type_count > 2 || is_float(op->type) || is_float(op->dst_type)
        || ptx_op_has(op, MOD_SAT))
        return ACT_OTHER;
    if (to > from)
        return ACT_EXTEND;
    return to == from ? ACT_COPY : ACT_TRUNCATE;
}

static uint8_t node_action_of(const Op *op)
{
    uint8_t action = actions[op->operation];
    if (!action || op->type == TYPE_NONE || op->vector > 1)
        return op->type == TYPE_PRED && action == ACT_COPY ? ACT_COPY : ACT_OTHER;
    if (action == ACT_COPY)
        return ACT_COPY;
    if (action == ACT_EXTEND)
        return action_of_cvt(op);
    if (op->type == TYPE_PRED)
        return ACT_PREDICATE;
    if (is_float(op->type))
        return action_of_float(op, action);
    if (ptx_type_info[op->type].bits < 16 || ptx_op_has(op, MOD_CC) || ptx_op_has(op, MOD_SAT))
        return ACT_OTHER;
    if ((action == ACT_MUL || action == ACT_MAD) && ptx_op_has(op, MOD_HI))
        return ACT_OTHER;
    bool is_other = action == ACT_SIGN || action == ACT_QUOTIENT || action == ACT_ANGLE
                    || (action == ACT_EXTREME && ptx_type_info[op->type].bits != 32);
    return is_other ? ACT_OTHER : action;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static NodeId new_node(Graph *g, GraphNodeKind kind, unsigned units, BlockId block)
{
    GraphNode *node = &g->nodes[++g->node_count];
    *node = (GraphNode){ .kind = (uint8_t)kind,
                         .units = (uint8_t)units,
                         .bits = (uint8_t)(units > 1 ? 64 : 32),
                         .insn = NO_ID,
                         .reg = NO_ID,
                         .carrier = NO_ID,
                         .var = NO_ID,
                         .block = block };
    node->is_uniform = kind == NODE_CONSTANT || kind == NODE_BANK || kind == NODE_VARIABLE;
    return g->node_count;
}

static unsigned length_of(uint64_t value)
{
    unsigned bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

/* The slot of a value in the table; one that is free, or the one behind those that were tried. */
static NodeId *find_slot(const Graph *g, uint64_t key, HashMatch is_same, const void *wanted)
{
    uint32_t hash = (uint32_t)(ptx_hash_mix(key) >> 20);
    return ptx_hash_find_near(&g->shared, hash, MAX_PLACES, is_same, g, wanted).slot;
}

static bool is_same_leaf(const void *graph, NodeId id, const void *wanted)
{
    const GraphNode *node = &((const Graph *)graph)->nodes[id], *other = wanted;
    return node->kind == other->kind && node->var == other->var && node->value == other->value
           && node->units == other->units;
}

static uint64_t leaf_key(const GraphNode *leaf)
{
    return ((uint64_t)leaf->value ^ (uint64_t)(leaf->var + 1) << 32) * 16 + leaf->kind;
}

/* A constant, a place in a bank, a special register, the address of a variable: one node of it for
 * the function. */
static NodeId shared_leaf(Graph *g, GraphNode wanted)
{
    NodeId *slot = find_slot(g, leaf_key(&wanted), is_same_leaf, &wanted);
    if (*slot && is_same_leaf(g, *slot, &wanted))
        return *slot;
    NodeId id = new_node(g, (GraphNodeKind)wanted.kind, wanted.units, 0);
    g->nodes[id].value = wanted.value;
    g->nodes[id].var = wanted.var;
    if (wanted.kind == NODE_CONSTANT) {
        uint64_t value = (uint64_t)wanted.value;
        g->nodes[id].bits = (uint8_t)length_of(value);
        g->nodes[id].zeros = (uint8_t)(value ? length_of(value & (0 - value)) - 1 : 64);
    }
    return *slot = id;
}

static NodeId shared_node(Graph *g, GraphNodeKind kind, int64_t value, unsigned units)
{
    return shared_leaf(
        g, (GraphNode){
               .kind = (uint8_t)kind, .var = NO_ID, .value = value, .units = (uint8_t)units });
}

NodeId ptx_graph_bank(const Graph *g, VarId var, int64_t place, unsigned units)
{
    GraphNode wanted = { .kind = NODE_BANK, .var = var, .value = place, .units = (uint8_t)units };
    NodeId found = *find_slot(g, leaf_key(&wanted), is_same_leaf, &wanted);
    return found && is_same_leaf(g, found, &wanted) ? found : 0;
}

static bool is_bank_sreg(SregId id)
{
    return id == SREG_NTID || id == SREG_NCTAID;
}

/* Of a component of %tid: what the directives allow; PTX ISA, "%tid": at most 1024, 1024 and 64
 * threads. */
static unsigned tid_bits(const Func *func, unsigned component)
{
    static const uint32_t most[4] = { 1024, 1024, 64, 1 };
    const uint32_t *given = func->bounds.reqntid[0] ? func->bounds.reqntid : func->bounds.maxntid;
    uint32_t threads = component < 3 && given[0] ? given[component] : most[component & 3];
    return length_of((threads ? threads : 1) - 1);
}

static NodeId sreg_node(Graph *g, const Operand *operand)
{
    SregId sreg = (SregId)operand->id;
    if (is_bank_sreg(sreg))
        return shared_node(g, NODE_BANK, -1 - ((int64_t)sreg * 4 + ptx_operand_value(operand)), 1);
    NodeId id = ptx_effect_is_fixed(sreg)
                    ? shared_node(g, NODE_SREG, (int64_t)sreg * 4 + ptx_operand_value(operand), 1)
                    : new_node(g, NODE_SREG, 1, 0);
    g->nodes[id].value = (int64_t)sreg * 4 + ptx_operand_value(operand);
    if (sreg == SREG_TID)
        g->nodes[id].bits = (uint8_t)tid_bits(g->func, (unsigned)ptx_operand_value(operand));
    g->nodes[id].is_uniform = sreg == SREG_CTAID || sreg == SREG_CLUSTERID;
    return id;
}

static void set_register(Graph *g, RegId reg, NodeId id, BlockId block)
{
    g->of_reg[reg] = id;
    g->reg_block[reg] = block;
}

static NodeId register_node(Graph *g, RegId reg, BlockId block)
{
    NodeId id = g->of_reg[reg];
    if (id && (g->def_count[reg] == 1 || g->reg_block[reg] == block))
        return id;
    id = new_node(g, NODE_LEAF, ptx_reg_units(&g->func->regs[reg]), block);
    g->nodes[id].reg = reg;
    set_register(g, reg, id, block);
    return id;
}

/* The offset of an access in shared memory is a part of the instruction. */
static NodeId variable_node(Graph *g, const Operand *operand)
{
    bool is_access = operand->role & ROLE_ADDRESS
                     && ptx_space_is_own_shared(g->module->vars[operand->id].space);
    NodeId id = shared_leaf(g, (GraphNode){ .kind = NODE_VARIABLE,
                                            .var = operand->id,
                                            .value = is_access ? 0 : ptx_operand_value(operand),
                                            .units = 1 });
    if (ptx_space_is_own_shared(g->module->vars[operand->id].space)
        && (is_access || !ptx_operand_value(operand)))
        g->nodes[id].zeros = SHARED_ZEROS;
    return id;
}

static NodeId operand_node(Graph *g, const Operand *operand, BlockId block)
{
    switch ((OperandKind)operand->kind) {
    case OPERAND_REG:   return register_node(g, operand->id, block);
    case OPERAND_INT:   case OPERAND_F32: case OPERAND_F64:
        return shared_node(g, NODE_CONSTANT, ptx_operand_value(operand), 1);
    case OPERAND_VAR:   return variable_node(g, operand);
    case OPERAND_SREG:  return sreg_node(g, operand);
    default:            return 0;
    }
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Index of the only operand that is written; -1. */
static int only_result(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    int found = -1;
    for (int o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_DEF) || operands[o].kind == OPERAND_SINK)
            continue;
        if (found >= 0 || operands[o].kind != OPERAND_REG || operands[o].flags & OPERAND_COMPONENT)
            return -1;
        found = o;
    }
    return found;
}

typedef struct WantedNode {
    const Insn *insn;
    BlockId block;
} WantedNode;

static bool is_same_result(const void *graph, NodeId id, const void *wanted)
{
    const Graph *g = graph;
    const GraphNode *node = &g->nodes[id];
    const Insn *insn = ((const WantedNode *)wanted)->insn,
               *other = node->kind == NODE_RESULT ? &g->func->insns[node->insn] : NULL;
    if (!other || other->op != insn->op || other->operand_count != insn->operand_count
        || !ptx_dom_dominates(g->dom, node->block, ((const WantedNode *)wanted)->block))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        uint32_t a = insn->operand_first + o, b = other->operand_first + o;
        if (g->of_operand[a] != g->of_operand[b]
            || g->func->operands[a].flags != g->func->operands[b].flags)
            return false;
        if (!g->of_operand[a] && g->func->operands[a].kind != OPERAND_REG)
            return false;
        if (g->func->operands[a].role & ROLE_ADDRESS
            && ptx_operand_value(&g->func->operands[a]) != ptx_operand_value(&g->func->operands[b]))
            return false;
    }
    return true;
}

/* A load from where another one was, with nothing between that may have changed what is there. */
static bool is_same_loaded(const void *graph, NodeId id, const void *wanted)
{
    const Graph *g = graph;
    const GraphNode *node = &g->nodes[id];
    const Insn *insn = ((const WantedNode *)wanted)->insn;
    return is_same_result(g, id, wanted)
           && (!ptx_effect_reads(insn->op)
               || (node->block == ((const WantedNode *)wanted)->block
                   && g->writes_before[node->insn] == g->writes_before[insn - g->func->insns]));
}

static uint64_t key_of(const Graph *g, const Insn *insn)
{
    uint64_t key = insn->op->id;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        key = ptx_hash_mix(key * 31 + g->of_operand[insn->operand_first + o] * UINT64_C(8)
                           + g->func->operands[insn->operand_first + o].flags);
    return key;
}

/* FIXED_TRUE: as without a guard; FIXED_FALSE: it never does anything. */
static Fixed fixed_guard_of(const Graph *g, const Insn *insn)
{
    Fixed fixed = insn->guard == NO_ID ? FIXED_TRUE : (Fixed)g->fixed[insn->guard];
    if (insn->guard == NO_ID || fixed == FIXED_NOT || !insn->guard_negated)
        return fixed;
    return fixed == FIXED_TRUE ? FIXED_FALSE : FIXED_TRUE;
}

static bool is_guarded(const Graph *g, const Insn *insn)
{
    return fixed_guard_of(g, insn) != FIXED_TRUE;
}

static void read_operands(Graph *g, InsnId id, BlockId block)
{
    const Insn *insn = &g->func->insns[id];
    const Operand *operands = ptx_insn_operands(g->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_read(&operands[o]))
            g->of_operand[insn->operand_first + o] = operand_node(g, &operands[o], block);
    if (is_guarded(g, insn))
        g->of_guard[id] = register_node(g, insn->guard, block);
}

static bool is_constant_value(const Graph *g, NodeId id, int64_t value)
{
    return ptx_node_is(g, id, NODE_CONSTANT) && g->nodes[id].value == value;
}

/* ---- what ptxas can keep in uniform registers ------------------------------------------------ */

/* What instructions that do nothing else compute from parameters, sizes, constants and the block's
 * index. */
static bool is_node_uniform(const Graph *g, const GraphNode *node, const bool *varies)
{
    if (node->kind == NODE_LEAF)
        return !varies[node->reg] && !g->func->regs[node->reg].is_param;
    if (node->kind != NODE_RESULT)
        return node->is_uniform;
    const Insn *insn = &g->func->insns[node->insn];
    if (insn->operand_count > MAX_READ)        /* each of its results asks */
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (g->of_operand[insn->operand_first + o]
            && !g->nodes[g->of_operand[insn->operand_first + o]].is_uniform)
            return false;
    return !g->of_guard[node->insn] && ptx_effect_is_pure(g->module, g->func, insn);
}

/* Instructions that write a register with several definitions. */
typedef struct SeveralDefs {
    InsnId *insns;
    uint32_t count;
} SeveralDefs;

static SeveralDefs find_several_defs(const Graph *g)
{
    SeveralDefs several = { ptx_arena_array(g->arena, InsnId, g->func->insn_count + 1), 0 };
    for (InsnId i = 0; i < g->func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(g->func, &g->func->insns[i]);
        bool is_one = false;
        for (uint32_t o = 0; o < g->func->insns[i].operand_count && !is_one; o++)
            is_one = operands[o].role & ROLE_DEF && operands[o].kind == OPERAND_REG
                     && g->def_count[operands[o].id] > 1;
        if (is_one)
            several.insns[several.count++] = i;
    }
    return several;
}

/* Whether a register with several definitions turned out to vary. */
static bool spread_varying_registers(const Graph *g, const SeveralDefs *several,
                                     const Uniforms *uniforms, bool *varies)
{
    bool changed = false;
    for (uint32_t d = 0; d < several->count; d++) {
        const InsnId i = several->insns[d];
        const Insn *insn = &g->func->insns[i];
        const Operand *operands = ptx_insn_operands(g->func, insn);
        bool is_same = g->of_insn[i] && g->nodes[g->of_insn[i]].is_uniform && !g->of_guard[i]
                       && !uniforms->is_partial[g->cfg->block_of[i]]
                       && uniforms->insns[i].uniformity == UNIFORMITY_BLOCK;
        for (uint32_t o = 0; o < insn->operand_count && !is_same; o++)
            if (operands[o].role & ROLE_DEF && operands[o].kind == OPERAND_REG
                && g->def_count[operands[o].id] > 1 && !varies[operands[o].id])
                changed = varies[operands[o].id] = true;
    }
    return changed;
}

/* A register with several definitions is uniform by the facts, and may be kept as such where each
 * of them may. */
static void find_uniform(Graph *g, const Uniforms *uniforms)
{
    bool *varies = ptx_arena_array(g->arena, bool, g->func->reg_count + 1), changed = true;
    const SeveralDefs several = find_several_defs(g);
    for (unsigned pass = 0; changed && pass < UNIFORM_PASSES; pass++) {
        /* more registers vary from pass to pass: a node that is not uniform stays so */
        for (NodeId n = 1; n <= g->node_count; n++)
            if (!pass || g->nodes[n].is_uniform)
                g->nodes[n].is_uniform = is_node_uniform(g, &g->nodes[n], varies);
        changed = spread_varying_registers(g, &several, uniforms, varies);
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* x + c1 + c2: one sum. */
static void reassociate(Graph *g, GraphNode *node)
{
    if (node->action == ACT_SUB && ptx_node_is(g, node->in[1], NODE_CONSTANT)) {
        node->in[1] = shared_node(g, NODE_CONSTANT,
                                  (int64_t)(0 - (uint64_t)g->nodes[node->in[1]].value), 1);
        node->action = ACT_ADD;
    }
    const GraphNode *inner = &g->nodes[node->in[0]];
    bool fits = node->action == ACT_ADD && inner->kind == NODE_RESULT && inner->action == ACT_ADD
                && inner->is_wide == node->is_wide;
    if (!fits || !ptx_node_is(g, node->in[1], NODE_CONSTANT)
        || !ptx_node_is(g, inner->in[1], NODE_CONSTANT))
        return;
    int64_t sum = ptx_wrap_add(g->nodes[node->in[1]].value, g->nodes[inner->in[1]].value);
    node->in[0] = inner->in[0];
    node->in[1] = shared_node(g, NODE_CONSTANT, sum, 1);
}

/* Of a product of 16 bits, which a shift moves down. */
static bool is_high_half(const Op *op)
{
    return op->type == TYPE_U16 && ptx_op_has(op, MOD_HI) && op->operation == OP_MUL;
}

/* A bit field at a constant place. */
static bool is_field(const Graph *g, const GraphNode *node)
{
    return g->func->insns[node->insn].op->operation == OP_BFE
           && ptx_node_is(g, node->in[1], NODE_CONSTANT)
           && ptx_node_is(g, node->in[2], NODE_CONSTANT) && g->nodes[node->in[2]].value >= 0
           && g->nodes[node->in[2]].value <= 32;
}

/* How many bits an integer has, and how many at its low end are zero. */
/* Bits that a number of as many has behind a shift to the right; 64 and more: by an unknown one. */
static unsigned bits_behind_shr(const GraphNode *node, unsigned bits, unsigned width,
                                uint64_t shift)
{
    if (node->is_signed && bits >= width)
        return width;
    if (shift >= 64)
        return bits;
    return bits > shift ? bits - (unsigned)shift : 0;
}

static unsigned bits_of_other(const Graph *g, const GraphNode *node, unsigned width)
{
    if (is_high_half(g->func->insns[node->insn].op))
        return 16;
    if (is_field(g, node) && !node->is_signed)
        return (unsigned)g->nodes[node->in[2]].value;
    return width;
}

static void find_bits(const Graph *g, GraphNode *node)
{
    unsigned width = node->units > 1 ? 64 : 32, a = g->nodes[node->in[0]].bits,
             b = g->nodes[node->in[1]].bits, bits = width, zeros = 0;
    const GraphNode *by = &g->nodes[node->in[1]];
    uint64_t shift = by->kind == NODE_CONSTANT && by->value >= 0 && by->value < 64
                         ? (uint64_t)by->value
                         : 64;
    switch ((GraphAction)node->action) {
    case ACT_LOGIC:
        bits = g->func->insns[node->insn].op->operation == OP_AND ? ptx_u32_min(a, b)
                                                                  : ptx_u32_max(a, b);
        break;
    case ACT_SHL:
        bits = shift < 64 && a + shift < width ? a + (unsigned)shift : width;
        zeros = shift < 64 ? (unsigned)shift : 0;
        break;
    case ACT_SHR:
        bits = bits_behind_shr(node, a, width, shift);
        break;
    case ACT_EXTEND:
        bits = node->is_signed && a >= ptx_type_info[g->func->insns[node->insn].op->type].bits
                   ? width
                   : a;
        break;
    case ACT_SELECT:
        bits = ptx_u32_max(a, b);
        break;
    case ACT_TRUNCATE:
        bits = a <= ptx_type_info[g->func->insns[node->insn].op->dst_type].bits ? a : width;
        break;
    case ACT_OTHER:
        bits = bits_of_other(g, node, width);
        break;
    case ACT_ADD: case ACT_SUB:
        zeros = g->nodes[node->in[0]].zeros < by->zeros ? g->nodes[node->in[0]].zeros : by->zeros;
        break;
    case ACT_MAD: {
        unsigned product = g->nodes[node->in[0]].zeros + by->zeros,
                 added = g->nodes[node->in[2]].zeros;
        zeros = product < added ? product : added;
        break;
    }
    case ACT_MUL:
        zeros = g->nodes[node->in[0]].zeros + by->zeros;
        bits = a + b < width ? a + b : width;
        break;
    default:
        break;
    }
    node->bits = (uint8_t)(bits < width ? bits : width);
    node->zeros = (uint8_t)(zeros < width ? zeros : width);
}

/* A bitwise or, or exclusive or, of what has no bit in common is a sum. */
static void make_sum(const Graph *g, GraphNode *node)
{
    const GraphNode *a = &g->nodes[node->in[0]], *b = &g->nodes[node->in[1]];
    bool is_or = node->action == ACT_LOGIC && g->func->insns[node->insn].op->operation != OP_AND;
    if (is_or && node->in[2] == 0 && (a->bits <= b->zeros || b->bits <= a->zeros))
        node->action = ACT_ADD;
}

/* A comparison with zero of what a predicate made zero or not: the predicate, or its complement. */
static void see_predicate(const Graph *g, GraphNode *node, const Op *op)
{
    const GraphNode *made = &g->nodes[node->in[0]];
    bool is_test = node->action == ACT_SETP && !node->in[2]
                   && ptx_node_is(g, node->in[1], NODE_CONSTANT) && !g->nodes[node->in[1]].value
                   && (ptx_op_has(op, MOD_NE) || ptx_op_has(op, MOD_EQ));
    if (!is_test || made->kind != NODE_RESULT || made->action != ACT_SELECT
        || !ptx_node_is(g, made->in[0], NODE_CONSTANT)
        || !ptx_node_is(g, made->in[1], NODE_CONSTANT)
        || !g->nodes[made->in[0]].value == !g->nodes[made->in[1]].value)
        return;
    node->action = ACT_PREDICATE;
    node->in[0] = made->in[2];
    node->in[1] = 0;
}

/* Inputs for the patterns, a constant last where the order does not matter. */
static void fill_node(Graph *g, NodeId id, const Insn *insn, uint8_t action)
{
    GraphNode *node = &g->nodes[id];
    unsigned count = 0;
    for (uint32_t o = 0; o < insn->operand_count && count < 3; o++)
        if (g->of_operand[insn->operand_first + o])
            node->in[count++] = g->of_operand[insn->operand_first + o];
    node->action = action;
    node->is_wide = ptx_type_info[insn->op->type].bits == 64
                    || (ptx_op_has(insn->op, MOD_WIDE) && ptx_type_info[insn->op->type].bits == 32);
    node->is_signed = ptx_type_info[insn->op->type].kind == KIND_SIGNED;
    bool commutes = action == ACT_ADD || action == ACT_EXTREME || action == ACT_MUL
                    || action == ACT_MAD || action == ACT_LOGIC;
    if (commutes && ptx_node_is(g, node->in[0], NODE_CONSTANT)) {
        NodeId swap = node->in[0];
        node->in[0] = node->in[1];
        node->in[1] = swap;
    }
    see_predicate(g, node, insn->op);
    find_bits(g, node);
    make_sum(g, node);
    if (node->action == ACT_ADD || node->action == ACT_SUB)
        reassociate(g, node);
}

/* What it hands on unchanged; 0: nothing. */
static NodeId copied(const Graph *g, const Insn *insn, uint8_t action)
{
    NodeId first = 0, second = 0;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        NodeId in = g->of_operand[insn->operand_first + o];
        bool is_signed = g->func->operands[insn->operand_first + o].flags
                         & (OPERAND_NEGATED | OPERAND_COMPONENT);
        if (!in)
            continue;
        if (is_signed || second)
            return 0;
        *(first ? &second : &first) = in;
    }
    if (action == ACT_COPY)
        return second ? 0 : first;
    if (action == ACT_LOGIC && insn->op->operation == OP_AND
        && ptx_node_is(g, second, NODE_CONSTANT) && g->nodes[first].bits < 32)
        /* all that it has */
        return (g->nodes[second].value & ((INT64_C(1) << g->nodes[first].bits) - 1))
                       == (INT64_C(1) << g->nodes[first].bits) - 1
                   ? first
                   : 0;
    bool is_neutral = (action == ACT_ADD || action == ACT_SUB || action == ACT_SHL
                       || action == ACT_SHR)
                      && is_constant_value(g, second, 0);
    return is_neutral ? first : 0;
}

/* The variable that an address names, itself or in a register, and the offset in it; NO_ID. */
static VarId variable_of(const Graph *g, const Operand *address, NodeId id, int64_t *offset)
{
    *offset = ptx_operand_value(address);
    if (address->kind == OPERAND_VAR)
        return address->id;
    const GraphNode *node = &g->nodes[id];
    if (node->kind == NODE_RESULT && node->action == ACT_ADD
        && ptx_node_is(g, node->in[1], NODE_CONSTANT)) {
        *offset = ptx_wrap_add(*offset, g->nodes[node->in[1]].value);
        node = &g->nodes[node->in[0]];
    }
    if (node->kind == NODE_RESULT && node->action == ACT_COPY)     /* into a register of 64 bits */
        node = &g->nodes[node->in[0]];
    return address->kind == OPERAND_REG && node->kind == NODE_VARIABLE ? node->var : NO_ID;
}

/* A load out of a kernel's parameters or constant memory, at an address in the text, and its place
 * in the bank. */
static bool is_bank_load(const Graph *g, const Insn *insn, VarId *var, int64_t *place)
{
    const Operand *address = insn->op->kind == OPK_LD && !is_guarded(g, insn)
                                 ? ptx_effect_address(g->func, insn)
                                 : NULL;
    bool is_constant_space = insn->op->space == SPACE_CONST;
    if (!address
        || (!is_constant_space
            && (!g->func->is_entry
                || (insn->op->space != SPACE_PARAM
                    && (int)insn->op->space != (int)SPACE_PARAM_ENTRY))))
        return false;
    if (is_constant_space)
        *var = variable_of(g, address, g->of_operand[address - g->func->operands], place);
    else
        *var = address->kind == OPERAND_VAR ? address->id : NO_ID;
    if (*var == NO_ID
        || (is_constant_space ? g->module->vars[*var].space != SPACE_CONST
                              : !g->module->vars[*var].is_parameter))
        return false;
    for (uint32_t p = 0; p < g->func->param_count && !is_constant_space; p++)
        if (g->func->params[p] == *var)
            *place = ptx_wrap_add(ptx_operand_value(address), g->param_place[p]);
    return true;
}

/* Each result is a place in the bank, unless several instructions write its register. */
static void load_bank(Graph *g, InsnId id, VarId var, int64_t place)
{
    const Insn *insn = &g->func->insns[id];
    const Operand *operands = ptx_insn_operands(g->func, insn),
                  *address = ptx_effect_address(g->func, insn);
    unsigned bits = ptx_type_info[insn->op->type].bits, at = 0;
    const VarId bank = insn->op->space == SPACE_CONST ? var : NO_ID;
    const uint8_t units = bits > 32 ? (uint8_t)(bits / 32) : 1;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_DEF))
            continue;
        int64_t own = ptx_wrap_add(place, at++ * bits / 8);
        if (operands[o].kind != OPERAND_REG)
            continue;
        NodeId node = shared_leaf(
            g, (GraphNode){ .kind = NODE_BANK, .var = bank, .value = own, .units = units });
        uint32_t align = g->module->vars[var].pointer_align;
        if (align && !ptx_operand_value(address))
            g->nodes[node].zeros = (uint8_t)(length_of(align) - 1);
        set_register(g, operands[o].id, node, g->cfg->block_of[id]);
        g->of_insn[id] = node;
    }
    g->is_gone[id] = true;
}

/* As launches pass them: one after the other, each aligned as it asks. */
static uint32_t *place_params(const Graph *g)
{
    uint32_t *places = ptx_arena_array(g->arena, uint32_t, g->func->param_count + 1), at = 0;
    for (uint32_t p = 0; p < g->func->param_count; p++) {
        if (g->func->params[p] == NO_ID)            /* in a register */
            continue;
        const Var *var = &g->module->vars[g->func->params[p]];
        uint32_t align = var->align ? var->align : 1;
        at = (at + align - 1) / align * align;
        places[p] = at;
        at += (uint32_t)var->bytes;
    }
    return places;
}

static NodeId new_result(Graph *g, InsnId id, const Operand *operand, BlockId block)
{
    NodeId node = new_node(g, NODE_RESULT, ptx_reg_units(&g->func->regs[operand->id]), block);
    g->nodes[node].insn = id;
    g->nodes[node].reg = operand->id;
    g->result_of[operand - g->func->operands] = node;
    return node;
}

/* Quotients of integers by one divisor share what is made of it alone. */
static void find_reciprocal(Graph *g, NodeId id, const Insn *insn)
{
    const GraphNode *node = &g->nodes[id];
    bool is_division = insn->op->operation == OP_DIV || insn->op->operation == OP_REM;
    if (is_division && !is_float(insn->op->type) && ptx_type_info[insn->op->type].bits == 32
        && node->in[1] && !ptx_node_is(g, node->in[1], NODE_CONSTANT)) {
        NodeId made = shared_node(g, NODE_RECIPROCAL, (int64_t)node->in[1] * 2 + node->is_signed,
                                  1);
        g->nodes[id].in[2] = made;
    }
}

static bool is_half_product(const Op *op)
{
    return (op->operation == OP_MUL || (op->operation == OP_MAD && ptx_op_has(op, MOD_HI)))
           && ptx_type_info[op->type].bits == 32 && ptx_type_info[op->type].kind != KIND_FLOAT
           && (ptx_op_has(op, MOD_HI) || ptx_op_has(op, MOD_LO));
}

static bool is_by_power(const Graph *g, const GraphNode *node)
{
    const GraphNode *by = &g->nodes[node->in[1]];
    return by->kind == NODE_CONSTANT && by->value > 0 && !(by->value & (by->value - 1));
}

static bool is_partner(const Graph *g, const GraphNode *last, const GraphNode *node)
{
    const Op *op = g->func->insns[last->insn].op, *own = g->func->insns[node->insn].op;
    bool is_same = last->in[0] == node->in[0] && last->in[1] == node->in[1],
         is_crossed = last->in[0] == node->in[1] && last->in[1] == node->in[0];
    return (is_same || is_crossed) && last->block == node->block && op->operation == OP_MUL
           && own->operation == OP_MUL && ptx_op_has(op, MOD_HI) != ptx_op_has(own, MOD_HI);
}

/* Both halves of a product come out of one IMAD.WIDE where no other half of one stands between them
 * in their basic block: of eight hi and then eight lo ptxas 13.0 joins one. A shift is no
 * product. */
static void find_partner(Graph *g, NodeId id, const Insn *insn)
{
    GraphNode *node = &g->nodes[id];
    if (!is_half_product(insn->op) || (ptx_op_has(insn->op, MOD_LO) && is_by_power(g, node)))
        return;
    if (g->last_half && is_partner(g, &g->nodes[g->last_half], node))
        node->partner = g->last_half;
    g->last_half = id;
}

/* A branch around a call stands for it before ptxas looks for what is computed twice. */
static bool has_slow_path(const Op *op)
{
    Expansion expansion = ptx_op_expansion(op);
    return expansion && expansion != EXPANSION_INTEGER;
}

/* An instruction with one result, without a guard, that does nothing but compute it. */
static void add_pure(Graph *g, InsnId id, const Operand *result, BlockId block)
{
    const Insn *insn = &g->func->insns[id];
    uint8_t action = node_action_of(insn->op);
    NodeId same = copied(g, insn, action);
    bool is_single = g->def_count[result->id] == 1;
    NodeId *slot = NULL;
    if (!same && !has_slow_path(insn->op)) {
        WantedNode wanted = { insn, block };
        slot = find_slot(g, key_of(g, insn), is_same_result, &wanted);
        same = *slot && is_same_result(g, *slot, &wanted) ? *slot : 0;
    }
    if (same
        && (g->nodes[same].kind == NODE_CONSTANT
            || g->nodes[same].units == ptx_reg_units(&g->func->regs[result->id]) + 0u)) {
        g->is_gone[id] = is_single;
        g->of_insn[id] = same;
        set_register(g, result->id,
                     is_single || g->nodes[same].kind == NODE_CONSTANT
                             || g->nodes[same].block == block
                         ? same
                         : 0,
                     block);
        return;
    }
    NodeId node = new_result(g, id, result, block);
    fill_node(g, node, insn, action);
    g->of_insn[id] = node;
    set_register(g, result->id, node, block);
    if (slot && is_single)
        *slot = node;
    find_reciprocal(g, node, insn);
    if (is_single)
        find_partner(g, node, insn);
}

/* A load of global memory with one result, without a guard: maybe that of one before. False: it is
 * none. */
static bool add_load(Graph *g, InsnId id, const Operand *result, BlockId block)
{
    const Insn *insn = &g->func->insns[id];
    WantedNode wanted = { insn, block };
    if (insn->op->kind != OPK_LD || insn->op->space != SPACE_GLOBAL
        || !ptx_effect_is_plain(insn->op) || g->def_count[result->id] != 1)
        return false;
    NodeId *slot = find_slot(g, key_of(g, insn), is_same_loaded, &wanted);
    bool is_again = *slot && is_same_loaded(g, *slot, &wanted)
                    && g->nodes[*slot].units == ptx_reg_units(&g->func->regs[result->id]) + 0u;
    NodeId node = is_again ? *slot : new_result(g, id, result, block);
    g->is_gone[id] = is_again;
    g->of_insn[id] = g->of_reg[result->id] = *slot = node;
    return true;
}

/* For all nodes that an instruction may add: pointers to others stay while it is looked at. As a
 * rule it adds one. */
static void reserve_nodes(Graph *g, const Insn *insn)
{
    const uint32_t count = g->node_count + 1;
    while (g->node_capacity - count < 2u * insn->operand_count + NODES_BESIDE)
        g->nodes = ptx_arena_grow(g->arena, g->nodes, count, &g->node_capacity, sizeof *g->nodes);
}

static void add_graph_insn(Graph *g, InsnId id, BlockId block)
{
    const Insn *insn = &g->func->insns[id];
    const Operand *operands = ptx_insn_operands(g->func, insn);
    VarId var = NO_ID;
    int64_t place = 0;
    if (g->is_gone[id])
        return;
    reserve_nodes(g, insn);
    read_operands(g, id, block);
    if (is_bank_load(g, insn, &var, &place)) {
        load_bank(g, id, var, place);
        return;
    }
    int result = only_result(g->func, insn);
    if (result >= 0 && !g->of_guard[id] && ptx_effect_is_pure(g->module, g->func, insn)) {
        add_pure(g, id, &operands[result], block);
        return;
    }
    if (result >= 0 && !g->of_guard[id] && add_load(g, id, &operands[result], block))
        return;
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (!(operands[o].role & ROLE_DEF) || operands[o].kind != OPERAND_REG)
            continue;
        NodeId node = new_result(g, id, &operands[o], block);
        if (!g->of_insn[id])
            g->of_insn[id] = node;
        set_register(g, operands[o].id,
                     g->def_count[operands[o].id] == 1 || !g->of_guard[id] ? node : 0, block);
    }
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool moves_predicate(const Op *op)
{
    return op->kind == OPK_MOV && op->type == TYPE_PRED;
}

static bool any_moves_predicate(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++)
        if (moves_predicate(func->insns[i].op))
            return true;
    return false;
}

/* Predicates that one instruction sets, to a constant. */
static const uint8_t *find_fixed(Arena *arena, const Func *func)
{
    uint8_t *fixed = ptx_arena_array(arena, uint8_t, func->reg_count + 1);
    if (!any_moves_predicate(func))
        return fixed;
    bool *is_written = ptx_arena_array(arena, bool, func->reg_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                continue;
            bool is_constant = moves_predicate(insn->op) && insn->operand_count == 2
                               && insn->guard == NO_ID
                               && operands[1].kind == OPERAND_INT && !is_written[operands[o].id];
            fixed[operands[o].id] = FIXED_NOT;
            if (is_constant)
                fixed[operands[o].id] = ptx_operand_value(&operands[1]) ? FIXED_TRUE : FIXED_FALSE;
            is_written[operands[o].id] = true;
        }
    }
    return fixed;
}

/* What never does anything, and what its block writes again before it is read: code
 * generators clear registers that a load overwrites. */
static void find_gone(Graph *g)
{
    /* per register: what wrote it, plus 1, until it is read */
    InsnId *last = ptx_arena_array(g->arena, InsnId, g->func->reg_count + 1);
    for (InsnId i = 0; i < g->func->insn_count; i++) {
        const Insn *insn = &g->func->insns[i];
        const Operand *operands = ptx_insn_operands(g->func, insn);
        g->is_gone[i] = fixed_guard_of(g, insn) == FIXED_FALSE;
        if (insn->guard != NO_ID)
            last[insn->guard] = 0;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG
                && (ptx_operand_is_read(&operands[o]) || operands[o].flags & OPERAND_COMPONENT))
                last[operands[o].id] = 0;
        for (uint32_t o = 0; o < insn->operand_count && !is_guarded(g, insn); o++) {
            if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF)
                || operands[o].flags & OPERAND_COMPONENT)
                continue;
            InsnId before = last[operands[o].id];
            if (before && g->cfg->block_of[before - 1] == g->cfg->block_of[i]
                && !(g->func->insns[before - 1].op->flags & OPF_SIDE_EFFECT)
                && only_result(g->func, &g->func->insns[before - 1]) >= 0)
                g->is_gone[before - 1] = true;
            last[operands[o].id] = i + 1;
        }
    }
}

/* One definition without a guard makes a value; a register's part, the caller, or a guard make it
 * several. */
static const uint8_t *count_defs(const Graph *g, Arena *arena, const Func *func)
{
    uint8_t *counts = ptx_arena_array(arena, uint8_t, func->reg_count + 1);
    for (RegId r = 0; r < func->reg_count; r++)
        counts[r] = func->regs[r].is_param ? 1 : 0;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (uint32_t o = 0; o < insn->operand_count && !g->is_gone[i]; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF) {
                unsigned more = is_guarded(g, insn) || operands[o].flags & OPERAND_COMPONENT ? 2
                                                                                             : 1;
                counts[operands[o].id] = (uint8_t)(counts[operands[o].id] + more > 2
                                                       ? 2
                                                       : counts[operands[o].id] + more);
            }
    }
    return counts;
}

static uint32_t *count_writes(const Graph *g, Arena *arena)
{
    uint32_t *writes = ptx_arena_array(arena, uint32_t, g->func->insn_count + 1), count = 0;
    for (InsnId i = 0; i < g->func->insn_count; i++) {
        writes[i] = count;
        count += (ptx_effect_writes(g->func->insns[i].op) & MEMORY_GLOBAL) != 0;
    }
    return writes;
}

Graph *ptx_graph_build(Arena *arena, const Module *module, const Func *func, const Cfg *cfg,
                       const Dom *dom, const Uniforms *uniforms)
{
    Graph *g = ptx_arena_new(arena, Graph);
    *g = (Graph){ .arena = arena,
                  .module = module,
                  .func = func,
                  .cfg = cfg,
                  .dom = dom,
                  .uniforms = uniforms };
    g->of_operand = ptx_arena_array(arena, NodeId, func->operand_count + 1);
    g->result_of = ptx_arena_array(arena, NodeId, func->operand_count + 1);
    g->of_insn = ptx_arena_array(arena, NodeId, func->insn_count + 1);
    g->of_guard = ptx_arena_array(arena, NodeId, func->insn_count + 1);
    g->of_reg = ptx_arena_array(arena, NodeId, func->reg_count + 1);
    g->reg_block = ptx_arena_array(arena, BlockId, func->reg_count + 1);
    g->is_gone = ptx_arena_array(arena, bool, func->insn_count + 1);
    ptx_hash_init(&g->shared, arena,
                  ptx_u32_max(32, func->insn_count + (func->operand_count + 1) / 2));
    g->param_place = place_params(g);
    g->fixed = find_fixed(arena, func);
    find_gone(g);
    g->def_count = count_defs(g, arena, func);
    g->writes_before = count_writes(g, arena);
    g->node_capacity = func->insn_count + func->insn_count / 4 + 2 * NODES_BESIDE;
    g->nodes = ptx_arena_array(arena, GraphNode, g->node_capacity);
    for (uint32_t b = 0; b < cfg->rpo_count; b++)
        for (InsnId i = cfg->blocks[cfg->rpo[b]].first; i < cfg->blocks[cfg->rpo[b]].end; i++)
            add_graph_insn(g, i, cfg->rpo[b]);
    ptx_arena_trim(arena, g->nodes, g->node_count + 1, g->node_capacity, sizeof *g->nodes);
    find_uniform(g, uniforms);
    return g;
}
