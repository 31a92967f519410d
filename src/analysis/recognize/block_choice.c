/* Predicates and selections of a block's threads: what order they say. */
#include "analysis/recognize/block_choice.h"

#include "ir/func.h"
#include "ir/insn.h"

enum { LOGIC_DEPTH = 6 };       /* of predicates, one made of the other */

unsigned ptx_block_order(const Insn *insn)
{
    static const uint8_t cases[][3] = {
        { MOD_LT, MOD_LTU, ORDER_LESS }, { MOD_LO, MOD_LO, ORDER_LESS },
        { MOD_LE, MOD_LEU, ORDER_LESS | ORDER_EQUAL },
        { MOD_LS, MOD_LS, ORDER_LESS | ORDER_EQUAL },
        { MOD_GT, MOD_GTU, ORDER_GREATER }, { MOD_HI, MOD_HI, ORDER_GREATER },
        { MOD_GE, MOD_GEU, ORDER_GREATER | ORDER_EQUAL },
        { MOD_HS, MOD_HS, ORDER_GREATER | ORDER_EQUAL },
        { MOD_EQ, MOD_EQU, ORDER_EQUAL }, { MOD_NE, MOD_NEU, ORDER_LESS | ORDER_GREATER },
    };
    if (insn->op->kind != OPK_SETP || insn->operand_count != 3)
        return 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (ptx_op_has(insn->op, (Modifier)cases[i][0])
            || ptx_op_has(insn->op, (Modifier)cases[i][1]))
            return cases[i][2];
    return 0;
}

/* ---- predicates ------------------------------------------------------------------------------ */

static bool is_neutral_extreme_of(uint8_t type, BlockValue value)
{
    const BlockOperation most = { .step = STEP_MAX, .type = type },
                         least = { .step = STEP_MIN, .type = type };
    return value.kind == BLOCK_NUMBER && (ptx_block_is_neutral(&most, value.number)
                                          || ptx_block_is_neutral(&least, value.number));
}

static bool is_extreme_of_threads(const BlockRun *run, BlockValue value)
{
    if (value.kind != BLOCK_COMBINED)
        return false;
    const uint8_t step = run->nodes.items[value.number].step;
    return (step == STEP_MIN || step == STEP_MAX)
           && ptx_block_thread_of(&run->nodes, value) == NO_THREAD;
}

/* A thread's own value, or the least or greatest of several. */
static bool may_be_extreme(const BlockRun *run, BlockValue value)
{
    bool is_own = (value.kind == BLOCK_ELEMENT || value.kind == BLOCK_COMBINED)
                  && ptx_block_thread_of(&run->nodes, value) != NO_THREAD;
    return is_own || is_extreme_of_threads(run, value);
}

static bool are_of_several_threads(const BlockRun *run, uint8_t type, BlockValue a, BlockValue b)
{
    if (a.kind == BLOCK_NUMBER || b.kind == BLOCK_NUMBER)
        return (is_neutral_extreme_of(type, a) && is_extreme_of_threads(run, b))
               || (is_neutral_extreme_of(type, b) && is_extreme_of_threads(run, a));
    return may_be_extreme(run, a) && may_be_extreme(run, b)
           && (is_extreme_of_threads(run, a) || is_extreme_of_threads(run, b)
               || ptx_block_thread_of(&run->nodes, a) != ptx_block_thread_of(&run->nodes, b));
}

BlockValue ptx_block_compare(BlockRun *run, const BlockOperation *of, BlockValue a, BlockValue b)
{
    const BlockNode node = { .a = a, .b = b, .key = of->key, .step = of->step, .type = of->type,
                             .insn = of->insn };
    if (!of->step || !are_of_several_threads(run, of->type, a, b))
        return ptx_block_element(of->key);
    return ptx_block_add_node(run->arena, &run->nodes, &node, BLOCK_COMPARED);
}

BlockValue ptx_block_logic(BlockRun *run, BlockLogic logic, uint64_t key, BlockValue a,
                           BlockValue b)
{
    const BlockNode node = { .a = a, .b = b, .key = key, .logic = (uint8_t)logic };
    if (a.kind == BLOCK_NUMBER && logic == LOGIC_NOT)
        return ptx_block_number(!a.number);
    if (a.kind == BLOCK_NUMBER)
        return !a.number == (logic == LOGIC_AND) ? a : b;
    if (b.kind == BLOCK_NUMBER && logic != LOGIC_NOT)
        return !b.number == (logic == LOGIC_AND) ? b : a;
    if (a.kind != BLOCK_COMPARED && b.kind != BLOCK_COMPARED)
        return ptx_block_element(key);
    return ptx_block_add_node(run->arena, &run->nodes, &node, BLOCK_COMPARED);
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct OrderWalk {
    const BlockRun *run;
    const BlockOperation *as;   /* what the values are parts of; NULL: they are as they are */
    BlockValue a, b;
} OrderWalk;

/* Or made of the same elements by one operation. */
static bool is_same_combination(const BlockRun *run, BlockValue x, BlockValue y)
{
    if (x.kind != BLOCK_COMBINED || y.kind != BLOCK_COMBINED)
        return ptx_block_value_is_same(x, y);
    const BlockNode *a = &run->nodes.items[x.number], *b = &run->nodes.items[y.number];
    return a->step == b->step && a->type == b->type && a->count == b->count
           && a->signature == b->signature;
}

static bool is_part_same(const OrderWalk *w, BlockValue value, BlockValue part)
{
    return is_same_combination(w->run, value, part)
           || (w->as && is_same_combination(w->run,
                                            ptx_block_part(&w->run->nodes, w->as, value), part));
}

static uint8_t turned(uint8_t cases)
{
    const unsigned less = cases & ORDER_LESS, greater = cases & ORDER_GREATER;
    return (uint8_t)((cases & ORDER_EQUAL) | less << 2 | greater >> 2);
}

static BlockOrder order_by_comparison(const OrderWalk *w, const BlockNode *node)
{
    bool is_strict = node->step & ORDER_LESS ? !(node->step & ORDER_GREATER)
                                             : node->step & ORDER_GREATER;
    const uint8_t type = is_strict ? node->type : TYPE_NONE;
    if (is_part_same(w, node->a, w->a) && is_part_same(w, node->b, w->b))
        return (BlockOrder){ node->step, node->step, type };
    if (is_part_same(w, node->a, w->b) && is_part_same(w, node->b, w->a))
        return (BlockOrder){ turned(node->step), turned(node->step), type };
    return (BlockOrder){ 0, ORDER_ANY, TYPE_NONE };
}

static BlockOrder join_orders(BlockLogic logic, BlockOrder x, BlockOrder y)
{
    const uint8_t type = x.type == TYPE_NONE ? y.type : x.type;
    if (x.type != y.type && x.type != TYPE_NONE && y.type != TYPE_NONE)
        return (BlockOrder){ 0, ORDER_ANY, TYPE_NONE };
    if (logic == LOGIC_AND)
        return (BlockOrder){ x.certain & y.certain, x.possible & y.possible, type };
    return (BlockOrder){ x.certain | y.certain, x.possible | y.possible, type };
}

static BlockOrder order_in_walk(const OrderWalk *w, BlockValue p, unsigned depth)
{
    const BlockOrder always = { ORDER_ANY, ORDER_ANY, TYPE_NONE };
    if (p.kind == BLOCK_NUMBER)
        return p.number ? always : (BlockOrder){ .type = TYPE_NONE };
    if (p.kind != BLOCK_COMPARED || !depth)
        return (BlockOrder){ 0, ORDER_ANY, TYPE_NONE };
    const BlockNode *node = &w->run->nodes.items[p.number];
    if (node->logic == LOGIC_COMPARE)
        return order_by_comparison(w, node);
    const BlockOrder x = order_in_walk(w, node->a, depth - 1);
    if (node->logic == LOGIC_NOT)
        return (BlockOrder){ x.possible ^ ORDER_ANY, x.certain ^ ORDER_ANY, x.type };
    return join_orders((BlockLogic)node->logic, x, order_in_walk(w, node->b, depth - 1));
}

BlockOrder ptx_block_order_of(const BlockRun *run, const BlockOperation *as, BlockValue p,
                              BlockValue a, BlockValue b)
{
    const OrderWalk walk = { run, as, a, b };
    return order_in_walk(&walk, p, LOGIC_DEPTH);
}

Step ptx_block_step_of_order(BlockOrder order)
{
    if (order.type == TYPE_NONE)
        return STEP_OTHER;
    if (order.certain & ORDER_GREATER && !(order.possible & ORDER_LESS))
        return STEP_MAX;
    return order.certain & ORDER_LESS && !(order.possible & ORDER_GREATER) ? STEP_MIN
                                                                           : STEP_OTHER;
}

static void find_comparisons(const BlockRun *run, BlockValue p, unsigned depth,
                             const BlockNode *out[MAX_COMPARISONS], unsigned *count)
{
    if (p.kind != BLOCK_COMPARED || !depth || *count == MAX_COMPARISONS)
        return;
    const BlockNode *node = &run->nodes.items[p.number];
    if (node->logic == LOGIC_COMPARE) {
        if (node->step != ORDER_EQUAL && node->step != (ORDER_LESS | ORDER_GREATER))
            out[(*count)++] = node;
        return;
    }
    find_comparisons(run, node->a, depth - 1, out, count);
    if (node->logic != LOGIC_NOT)
        find_comparisons(run, node->b, depth - 1, out, count);
}

unsigned ptx_block_comparisons(const BlockRun *run, BlockValue p,
                               const BlockNode *out[MAX_COMPARISONS])
{
    unsigned count = 0;
    find_comparisons(run, p, LOGIC_DEPTH, out, &count);
    return count;
}

bool ptx_block_says_order(const BlockRun *run, BlockValue p)
{
    const BlockNode *found[MAX_COMPARISONS];
    return ptx_block_comparisons(run, p, found) > 0;
}

/* ---- selections ------------------------------------------------------------------------------ */

/* What a value is where the predicate holds, or does not: it may be chosen by the same one. */
static BlockValue where_predicate(const BlockRun *run, BlockValue p, BlockValue value, bool holds)
{
    if (value.kind != BLOCK_CHOSEN)
        return value;
    const BlockNode *node = &run->nodes.items[value.number];
    if (node->signature != p.number)
        return value;
    return holds ? node->a : node->b;
}

uint64_t ptx_block_merged_key(const BlockRun *run, const Operand *operand, uint32_t visit,
                              uint32_t thread)
{
    const uint64_t sites = (uint64_t)run->func->operand_count + run->func->reg_count;
    return ptx_block_key(sites + (uint64_t)(operand - run->func->operands), visit, thread);
}

BlockValue ptx_block_choose(BlockRun *run, const BlockOperation *of, BlockValue p, BlockValue x,
                            BlockValue y)
{
    if (p.kind == BLOCK_NUMBER || ptx_block_value_is_same(x, y))
        return p.kind != BLOCK_NUMBER || p.number ? x : y;
    if (p.kind != BLOCK_COMPARED || x.kind == BLOCK_UNSET || y.kind == BLOCK_UNSET)
        return ptx_block_element(of->key);
    x = where_predicate(run, p, x, true);
    y = where_predicate(run, p, y, false);
    if (ptx_block_value_is_same(x, y))
        return x;
    const BlockOrder order = ptx_block_order_of(run, NULL, p, x, y);
    const BlockOperation extreme = { .step = (uint8_t)ptx_block_step_of_order(order),
                                     .type = order.type, .insn = of->insn, .key = of->key };
    const BlockNode node = { .a = x, .b = y, .key = of->key, .signature = p.number,
                             .insn = of->insn };
    const BlockValue value = extreme.step != STEP_OTHER
        ? ptx_block_combine(run->arena, &run->nodes, &extreme, x, y)
        : ptx_block_add_node(run->arena, &run->nodes, &node, BLOCK_CHOSEN);
    if (!ptx_block_value_is_same(value, x) && !ptx_block_value_is_same(value, y))
        ptx_block_note(run, of->insn, value);
    return value;
}
