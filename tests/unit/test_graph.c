/* test_graph.c -- control-flow graph, dominators, loops and call graph on functions built by
 * hand. */
#include "arenas.h"
#include "kit.h"

#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/types.h"
#include "isa/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a text to render into ------------------------------------------------------------------- */

typedef struct Rendered {
    char bytes[1024];
    size_t length;
} Rendered;

static void put(Rendered *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Rendered *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, args);
    va_end(args);
    assert_true(length >= 0 && (size_t)length < sizeof t->bytes - t->length);
    t->length += (size_t)length;
}

static const char *space(const Rendered *t)
{
    return t->length ? " " : "";
}

/* A block, `x` for the exit or none. */
static void put_block(Rendered *t, BlockId block)
{
    if (block == EXIT_BLOCK)
        put(t, "x");
    else
        put(t, "%u", (unsigned)block);
}

static void expect_text(const char *what, const char *facet, const char *got, const char *want)
{
    if (strcmp(got, want))
        fail_msg("%s: %s\n  got  %s\n  want %s", what, facet, got, want);
}

static char *render_blocks(const Cfg *cfg, Rendered *t)
{
    *t = (Rendered){ .length = 0 };
    for (BlockId b = 0; b < cfg->block_count; b++) {
        put(t, "%s[%u,%u)", space(t), (unsigned)cfg->blocks[b].first, (unsigned)cfg->blocks[b].end);
        for (uint32_t e = 0; e < cfg->blocks[b].succ_count; e++) {
            put(t, e ? "," : "->");
            put_block(t, cfg->succs[cfg->blocks[b].succ_first + e]);
        }
    }
    return t->bytes;
}

static char *render_ids(const BlockId *ids, uint32_t count, Rendered *t)
{
    *t = (Rendered){ .length = 0 };
    for (uint32_t i = 0; i < count; i++) {
        put(t, "%s", space(t));
        put_block(t, ids[i]);
    }
    return t->bytes;
}

/* header:blocks, `!` after an irreducible loop; `>` before it for every loop around it. */
static char *render_loops(const Loops *loops, Rendered *t)
{
    *t = (Rendered){ .length = 0 };
    for (LoopId id = 0; id < loops->loop_count; id++) {
        const Loop *loop = &loops->loops[id];
        put(t, "%s", space(t));
        for (uint32_t d = 1; d < loop->depth; d++)
            put(t, ">");
        put(t, "%u:%u%s", (unsigned)loop->header, (unsigned)loop->block_count,
            loop->is_irreducible ? "!" : "");
    }
    return t->bytes;
}

/* ---- fake functions -------------------------------------------------------------------------- */

static const Op ops[] = {
    [OPK_OTHER] = { .kind = OPK_OTHER }, [OPK_BRA] = { .kind = OPK_BRA },   [OPK_BRX] = { .kind = OPK_BRX },
    [OPK_CALL] = { .kind = OPK_CALL },   [OPK_RET] = { .kind = OPK_RET },   [OPK_EXIT] = { .kind = OPK_EXIT },
    [OPK_TRAP] = { .kind = OPK_TRAP },   [OPK_MOV] = { .kind = OPK_MOV },
};

enum { MAX_INSNS = 64 };

static Func *new_func(Arena *arena, uint32_t insns, uint32_t operands, uint32_t labels,
                      uint32_t tables, uint32_t table_ids)
{
    Func *func = ptx_arena_new(arena, Func);
    func->has_body = true;
    func->insns = ptx_arena_array(arena, Insn, insns);
    func->operands = ptx_arena_array(arena, Operand, operands);
    func->labels = ptx_arena_array(arena, Label, labels);
    func->tables = ptx_arena_array(arena, Table, tables);
    func->table_ids = ptx_arena_array(arena, uint32_t, table_ids);
    return func;
}

static Insn *add_insn(Func *func, OpKind kind)
{
    Insn *insn = &func->insns[func->insn_count++];
    *insn = (Insn){ .op = &ops[kind], .operand_first = func->operand_count, .guard = NO_ID };
    func->has_calls |= kind == OPK_CALL;
    return insn;
}

static void add_operand(Func *func, OperandKind kind, uint8_t position, uint32_t id)
{
    func->operands[func->operand_count++] =
        (Operand){ .kind = (uint8_t)kind, .position = position, .id = id };
    func->has_calls |= kind == OPERAND_FUNCTION;
    func->insns[func->insn_count - 1].operand_count++;
}

static LabelId add_label(Func *func, InsnId insn)
{
    func->labels[func->label_count] = (Label){ .insn = insn, .table = NO_ID };
    return func->label_count++;
}

/* An empty table, and a label for it. */
static LabelId add_table(Func *func)
{
    LabelId label = add_label(func, func->insn_count);
    func->labels[label].table = func->table_count;
    func->tables[func->table_count++] = (Table){ func->table_id_count, 0 };
    return label;
}

static void add_table_id(Func *func, uint32_t id)
{
    func->table_ids[func->table_id_count++] = id;
    func->tables[func->table_count - 1].count++;
}

typedef struct GraphEdge {
    uint32_t from, to;          /* EXIT_BLOCK: leaves */
} GraphEdge;

/* One block a node: a brx.idx over its targets, or exit where it has none. The order of a node's
 * edges is kept. */
static Func *func_of_edges(Arena *arena, uint32_t node_count, const GraphEdge *edges,
                           uint32_t edge_count)
{
    Func *func = new_func(arena, node_count, node_count, 2 * node_count + 1, node_count,
                          edge_count);
    uint32_t *last = ptx_arena_array(arena, uint32_t, edge_count + node_count);
    uint32_t *first = last + edge_count;        /* chains of a node's edges: 1 + edge */
    for (uint32_t e = edge_count; e-- > 0;) {
        last[e] = first[edges[e].from];
        first[edges[e].from] = e + 1;
    }
    for (InsnId i = 0; i <= node_count; i++)
        add_label(func, i);
    for (uint32_t node = 0; node < node_count; node++) {
        if (!first[node]) {
            add_insn(func, OPK_EXIT);
            continue;
        }
        LabelId table = add_table(func);
        for (uint32_t e = first[node]; e; e = last[e - 1])
            add_table_id(func, edges[e - 1].to == EXIT_BLOCK ? node_count : edges[e - 1].to);
        add_insn(func, OPK_BRX);
        add_operand(func, OPERAND_TARGET, 1, table);
    }
    return func;
}

/* From "0->1 1->2 1->x". Nodes run to the highest number named. */
static Func *func_of_graph(Arena *arena, const char *text)
{
    GraphEdge edges[64];
    uint32_t count = 0, node_count = 1;
    while (*text) {
        char *end;
        assert_true(count < 64);
        edges[count].from = (uint32_t)strtoul(text, &end, 10);
        assert_true(end[0] == '-' && end[1] == '>');
        text = end + 2;
        edges[count].to = *text == 'x' ? EXIT_BLOCK : (uint32_t)strtoul(text, &end, 10);
        text = *text == 'x' ? text + 1 : end;
        if (edges[count].from >= node_count)
            node_count = edges[count].from + 1;
        if (edges[count].to != EXIT_BLOCK && edges[count].to >= node_count)
            node_count = edges[count].to + 1;
        count++;
        text += *text == ' ';
    }
    return func_of_edges(arena, node_count, edges, count);
}

enum { FUNC_RETURNS, FUNC_NORETURN };

static Module *new_module(Arena *arena)
{
    Module *module = ptx_arena_new(arena, Module);
    module->func_count = 2;
    module->funcs = ptx_arena_array(arena, Func, 2);
    module->funcs[FUNC_NORETURN].bounds.noreturn = true;
    return module;
}

static bool take_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length))
        return false;
    *text += length;
    return true;
}

/* After `bra:` or `brx:`: label numbers; `?` is no label, `$` one of a .callprototype. */
static void read_targets(Func *func, const char **text, LabelId prototype, bool is_table)
{
    LabelId table = is_table ? add_table(func) : NO_ID;
    if (is_table)
        add_operand(func, OPERAND_TARGET, 1, table);
    while (**text && **text != ' ') {
        uint32_t id = **text == '$' ? prototype : NO_ID;
        char *end = (char *)(uintptr_t)*text + 1;
        if (**text >= '0' && **text <= '9')
            id = (uint32_t)strtoul(*text, &end, 10);
        *text = end + (*end == ',');
        if (is_table)
            add_table_id(func, id);
        else
            add_operand(func, id == NO_ID ? OPERAND_UNKNOWN : OPERAND_TARGET, 0, id);
    }
}

static void read_insn(Func *func, const char **text, LabelId prototype)
{
    bool guarded = take_word(text, "@");
    if (take_word(text, "bra:")) {
        add_insn(func, OPK_BRA);
        read_targets(func, text, prototype, false);
    } else if (take_word(text, "brx:?")) {      /* names no table */
        add_insn(func, OPK_BRX);
    } else if (take_word(text, "brx:")) {
        add_insn(func, OPK_BRX);
        read_targets(func, text, prototype, true);
    } else if (take_word(text, "call:noreturn")) {
        add_insn(func, OPK_CALL);
        add_operand(func, OPERAND_FUNCTION, 1, FUNC_NORETURN);
    } else if (take_word(text, "call:returns")) {
        add_insn(func, OPK_CALL);
        add_operand(func, OPERAND_REG, 0, 0);
        add_operand(func, OPERAND_FUNCTION, 1, FUNC_RETURNS);
        add_operand(func, OPERAND_FUNCTION, 2, FUNC_NORETURN);      /* an argument */
    } else {
        OpKind kind = take_word(text, "ret") ? OPK_RET : take_word(text, "exit") ? OPK_EXIT
                    : take_word(text, "trap") ? OPK_TRAP : OPK_OTHER;
        if (kind == OPK_OTHER)
            assert_true(take_word(text, "add"));
        add_insn(func, kind);
    }
    func->insns[func->insn_count - 1].guard = guarded ? 0 : NO_ID;
    assert_true(**text == 0 || **text == ' ');
}

/* From instructions separated by blanks: add  ret  exit  trap  bra:LABEL  brx:LABEL,...
 * call:returns; `@` guards them. */
static Func *func_of_insns(Arena *arena, const char *text)
{
    Func *func = new_func(arena, MAX_INSNS, 4 * MAX_INSNS, 3 * MAX_INSNS, MAX_INSNS, 4 * MAX_INSNS);
    InsnId count = *text != 0;
    for (const char *c = text; *c; c++)
        count += *c == ' ';
    assert_true(count < MAX_INSNS);
    for (InsnId i = 0; i <= count; i++)
        add_label(func, i);
    LabelId prototype = add_label(func, count ? 1 : 0);
    func->labels[prototype].is_prototype = true;
    while (*text) {
        read_insn(func, &text, prototype);
        text += *text == ' ';
    }
    return func;
}

/* ---- what holds of every graph --------------------------------------------------------------- */

static bool has_edge(const Cfg *cfg, BlockId from, BlockId to)
{
    for (uint32_t e = 0; e < cfg->blocks[from].succ_count; e++) {
        if (cfg->succs[cfg->blocks[from].succ_first + e] == to)
            return true;
    }
    return false;
}

/* Blocks tile the function, preds turn succs round, rpo holds each reachable block once. */
static void check_cfg(const Cfg *cfg, const Func *func)
{
    uint32_t to_blocks = 0, preds = 0;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Block *block = &cfg->blocks[b];
        assert_int_equal(block->first, b ? cfg->blocks[b - 1].end : 0);
        assert_true(block->first < block->end && block->succ_count);
        for (InsnId i = block->first; i < block->end; i++)
            assert_int_equal(cfg->block_of[i], b);
        for (uint32_t e = 0; e < block->succ_count; e++)
            to_blocks += cfg->succs[block->succ_first + e] != EXIT_BLOCK;
        for (uint32_t e = 0; e < block->pred_count; e++) {
            BlockId pred = cfg->preds[block->pred_first + e];
            assert_true(has_edge(cfg, pred, b));
            assert_true(!e || cfg->preds[block->pred_first + e - 1] < pred);
        }
        preds += block->pred_count;
    }
    assert_int_equal(cfg->blocks[cfg->block_count - 1].end, func->insn_count);
    assert_int_equal(to_blocks, preds);
    assert_int_equal(cfg->rpo[0], 0);
    for (uint32_t i = 0; i < cfg->rpo_count; i++)
        assert_int_equal(cfg->rpo_index[cfg->rpo[i]], i);
}

typedef struct Facts {
    const Cfg *cfg;
    const Dom *dom;
    const Loops *loops;
} Facts;

static Facts analyse(World *w, const Func *func)
{
    Module *module = new_module(&w->arena);
    char *before = w->scratch.next;
    Facts f = { .cfg = ptx_cfg_build(&w->arena, &w->scratch, module, func) };
    f.dom = ptx_dom_compute(&w->arena, &w->scratch, f.cfg);
    f.loops = ptx_loops_compute(&w->arena, &w->scratch, f.cfg, f.dom);
    assert_ptr_equal(w->scratch.next, before);
    return f;
}

/* ---- blocks and edges ------------------------------------------------------------------------ */

static const struct { const char *what, *insns, *blocks; bool unknown; } programs[] = {
    { "straight line",                    "add add ret",              "[0,3)->x", false },
    { "runs off the end",                 "add add",                  "[0,2)->x", false },
    { "an unused label begins no block",  "add add add exit",         "[0,4)->x", false },
    { "branch forward",                   "add @bra:3 add ret",       "[0,2)->2,1 [2,3)->2 [3,4)->x", false },
    { "branch back",                      "add add @bra:1 ret",       "[0,1)->1 [1,3)->1,2 [3,4)->x", false },
    { "branch to itself",                 "bra:0",                    "[0,1)->0", false },
    { "unguarded branch does not fall through", "bra:2 add ret",      "[0,1)->2 [1,2)->2 [2,3)->x", false },
    { "guarded branch to the next",       "@bra:1 ret",               "[0,1)->1 [1,2)->x", false },
    { "guarded ret",                      "@ret add exit",            "[0,1)->x,1 [1,3)->x", false },
    { "guarded exit at the end",          "add @exit",                "[0,2)->x", false },
    { "guarded trap",                     "@trap ret",                "[0,1)->x,1 [1,2)->x", false },
    { "code after trap",                  "trap add ret",             "[0,1)->x [1,3)->x", false },
    { "label at the end",                 "@bra:2 add",               "[0,1)->x,1 [1,2)->x", false },
    { "guarded branch to the end from the end", "add @bra:2",         "[0,2)->x", false },
    { "undeclared label",                 "@bra:? ret",               "[0,1)->x,1 [1,2)->x", true },
    { "a prototype is no place",          "bra:$ add ret",            "[0,1)->x [1,3)->x", true },
    { "brx",                              "brx:1,2 add ret",          "[0,1)->1,2 [1,2)->2 [2,3)->x", false },
    { "brx, repeated targets",            "brx:2,1,2,1 add ret",      "[0,1)->2,1 [1,2)->2 [2,3)->x", false },
    { "brx, guarded: fall-through last",  "@brx:1,2 add ret",         "[0,1)->2,1 [1,2)->2 [2,3)->x", false },
    { "brx to the end",                   "brx:3,1 add ret",          "[0,1)->x,1 [1,3)->x", false },
    { "brx, one target undeclared",       "brx:1,? ret",              "[0,1)->1,x [1,2)->x", true },
    { "brx, empty table",                 "brx: ret",                 "[0,1)->x [1,2)->x", true },
    { "brx without a table",              "brx:? add ret",            "[0,1)->0,1,2,x [1,2)->2 [2,3)->x", true },
    { "call",                             "call:returns add ret",     "[0,3)->x", false },
    { "call that does not return",        "add call:noreturn add ret", "[0,2)->x [2,4)->x", false },
    { "guarded, does not return",         "@call:noreturn ret",       "[0,1)->x,1 [1,2)->x", false },
};

static void test_blocks(void **state)
{
    World *w = *state;
    Rendered t;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const Func *func = func_of_insns(&w->arena, programs[i].insns);
        Facts f = analyse(w, func);
        check_cfg(f.cfg, func);
        expect_text(programs[i].what, "blocks", render_blocks(f.cfg, &t), programs[i].blocks);
        if (f.cfg->has_unknown_target != programs[i].unknown)
            fail_msg("%s: has_unknown_target is %d", programs[i].what, f.cfg->has_unknown_target);
    }
    assert_null(
        ptx_cfg_build(&w->arena, &w->scratch, new_module(&w->arena), func_of_insns(&w->arena, "")));
}

/* ---- order, dominators, loops ---------------------------------------------------------------- */

static const struct { const char *what, *graph, *rpo, *idom, *ipdom, *loops; } graphs[] = {
    { "straight line", "0->1 1->2",
      "0 1 2", "x 0 1", "1 2 x", "" },
    { "diamond", "0->2 0->1 1->3 2->3",
      "0 1 2 3", "x 0 0 0", "3 3 3 x", "" },
    { "loop", "0->1 1->1 1->2",
      "0 1 2", "x 0 1", "1 2 x", "1:1" },
    { "loop of two", "0->1 1->2 2->1 2->3",
      "0 1 2 3", "x 0 1 2", "1 2 3 x", "1:2" },
    { "nested loops", "0->1 1->5 1->2 2->2 2->3 3->4 4->1",
      "0 1 2 3 4 5", "x 0 1 2 3 1", "1 5 3 4 1 x", "1:4 >2:1" },
    { "two loops, one after the other", "0->1 1->1 1->2 2->2 2->3",
      "0 1 2 3", "x 0 1 2", "1 2 3 x", "1:1 2:1" },
    { "two back edges to one header", "0->1 1->2 2->1 2->3 3->1 3->4",
      "0 1 2 3 4", "x 0 1 2 3", "1 2 3 4 x", "1:3" },
    { "the entry is a header", "0->1 1->0 1->2",
      "0 1 2", "x 0 1", "1 2 x", "0:2" },
    { "outer header after the inner one in the text", "0->3 3->4 3->1 1->1 1->2 2->3",
      "0 3 1 2 4", "x 3 1 0 3", "3 2 3 4 x", "3:3 >1:1" },
    { "irreducible", "0->1 0->2 1->2 2->1 2->3",
      "0 1 2 3", "x 0 0 2", "2 2 3 x", "1:2!" },
    { "irreducible inside a loop", "0->1 1->2 1->3 2->3 3->2 3->4 4->1 4->5",
      "0 1 2 3 4 5", "x 0 1 1 3 4", "1 3 3 4 5 x", "1:4 >2:2!" },
    { "a loop inside an irreducible one", "0->1 0->2 1->2 2->2 2->1 2->3",
      "0 1 2 3", "x 0 0 2", "2 2 3 x", "1:2! >2:1" },
    { "irreducible, two edges back to the header", "0->1 0->3 1->2 2->1 2->3 3->1 3->4",
      "0 1 2 3 4", "x 0 1 0 3", "3 2 3 4 x", "1:3!" },
    { "irreducible, and leaves the loop around it", "0->1 1->2 1->3 2->3 3->2 3->1 2->4",
      "0 1 2 4 3", "x 0 1 1 2", "1 2 4 2 x", "1:3 >2:2!" },
    { "endless loop", "0->1 1->1",
      "0 1", "x 0", "1 x", "1:1" },
    { "endless loop on one side", "0->3 0->1 1->2 2->1",
      "0 1 2 3", "x 0 1 0", "x 2 x x", "1:2" },
    { "two endless loops", "0->1 0->2 1->1 2->2",
      "0 2 1", "x 0 0", "x x x", "1:1 2:1" },
    { "unreachable block that enters a loop", "0->1 1->1 1->2 3->1 3->3",
      "0 1 2", "x 0 1 x", "1 2 x x", "1:1" },
    { "unreachable block beside the exit", "0->2 1->2",
      "0 2", "x x 0", "2 x x", "" },
    { "leaves in the middle", "0->1 1->x 1->2 2->x",
      "0 1 2", "x 0 1", "1 x x", "" },
};

static void test_graphs(void **state)
{
    World *w = *state;
    Rendered t;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const Func *func = func_of_graph(&w->arena, graphs[i].graph);
        Facts f = analyse(w, func);
        check_cfg(f.cfg, func);
        expect_text(graphs[i].what, "rpo", render_ids(f.cfg->rpo, f.cfg->rpo_count, &t),
                    graphs[i].rpo);
        expect_text(graphs[i].what, "idom", render_ids(f.dom->idom, f.cfg->block_count, &t),
                    graphs[i].idom);
        expect_text(graphs[i].what, "ipdom", render_ids(f.dom->ipdom, f.cfg->block_count, &t),
                    graphs[i].ipdom);
        expect_text(graphs[i].what, "loops", render_loops(f.loops, &t), graphs[i].loops);
    }
}

/* ---- against the definitions ----------------------------------------------------------------- */

enum { MAX_NODES = 32 };

/* A block is a bit, the exit the bit after the last one. */
typedef uint64_t Set;

typedef struct Naive {
    uint32_t count;             /* blocks */
    Set succs[MAX_NODES + 1], reachable;
    /* of the depth-first tree: subtree of b is [pre, last] */
    uint32_t pre[MAX_NODES], last[MAX_NODES];
} Naive;

static bool in(Set set, uint32_t x)
{
    return set >> x & 1;
}

/* What `from` reaches through nodes of `through`; itself included. */
static Set reach(const Naive *n, uint32_t from, Set through)
{
    Set seen = (Set)1 << from & through, old = 0;
    while (seen != old) {
        old = seen;
        for (uint32_t x = 0; x <= n->count; x++)
            seen |= in(old, x) ? n->succs[x] & through : 0;
    }
    return seen;
}

static void number_naively(Naive *n, const Cfg *cfg, BlockId b, uint32_t *count, Set *seen)
{
    *seen |= (Set)1 << b;
    n->pre[b] = (*count)++;
    for (uint32_t e = 0; e < cfg->blocks[b].succ_count; e++) {
        BlockId to = cfg->succs[cfg->blocks[b].succ_first + e];
        if (to != EXIT_BLOCK && !in(*seen, to))
            number_naively(n, cfg, to, count, seen);
    }
    n->last[b] = *count - 1;
}

static Naive naive_of(const Cfg *cfg)
{
    Naive n = { .count = cfg->block_count };
    for (BlockId b = 0; b < n.count; b++) {
        for (uint32_t e = 0; e < cfg->blocks[b].succ_count; e++) {
            BlockId to = cfg->succs[cfg->blocks[b].succ_first + e];
            n.succs[b] |= (Set)1 << (to == EXIT_BLOCK ? n.count : to);
        }
    }
    uint32_t count = 0;
    Set seen = 0;
    number_naively(&n, cfg, 0, &count, &seen);
    n.reachable = seen;
    /* the rule of dom.h for blocks that never leave */
    for (uint32_t i = cfg->rpo_count; i-- > 0;) {
        if (!in(reach(&n, cfg->rpo[i], UINT64_MAX), n.count))
            n.succs[cfg->rpo[i]] |= (Set)1 << n.count;
    }
    return n;
}

static uint32_t set_size(Set set)
{
    return (uint32_t)__builtin_popcountll(set);
}

/* Among strict dominators the immediate one is that which has the most itself; `exit` where there
 * is none. */
static BlockId closest(const Set *dominators, uint32_t x, uint32_t count)
{
    BlockId best = EXIT_BLOCK;
    for (BlockId y = 0; y < count; y++) {
        if (y != x && in(dominators[x], y)
            && (best == EXIT_BLOCK || set_size(dominators[y]) > set_size(dominators[best])))
            best = y;
    }
    return best;
}

static void check_dom(const Naive *n, const Dom *dom)
{
    Set dominators[MAX_NODES] = { 0 }, post_dominators[MAX_NODES] = { 0 };
    for (BlockId a = 0; a < n->count; a++) {
        Set without = reach(n, 0, ~((Set)1 << a));
        for (BlockId b = 0; b < n->count; b++) {
            if (!in(n->reachable, a) || !in(n->reachable, b))
                continue;
            if (!in(without, b))
                dominators[b] |= (Set)1 << a;
            if (!in(reach(n, b, ~((Set)1 << a)), n->count))
                post_dominators[b] |= (Set)1 << a;
        }
    }
    for (BlockId b = 0; b < n->count; b++) {
        assert_int_equal(dom->idom[b], closest(dominators, b, n->count));
        assert_int_equal(dom->ipdom[b], closest(post_dominators, b, n->count));
        for (BlockId a = 0; a < n->count; a++)
            assert_int_equal(ptx_dom_dominates(dom, a, b), in(dominators[b], a));
    }
}

/* The loop headed by h: what reaches h among its descendants in the depth-first tree. Empty: it
 * heads none. */
static Set naive_body(const Naive *n, BlockId h)
{
    Set inside = 0, body = 0;
    for (BlockId b = 0; b < n->count; b++) {
        if (in(n->reachable, b) && n->pre[b] >= n->pre[h] && n->pre[b] <= n->last[h])
            inside |= (Set)1 << b;
    }
    for (BlockId b = 0; b < n->count; b++) {
        if (in(inside, b) && in(reach(n, b, inside), h))
            body |= (Set)1 << b;
    }
    return set_size(body) > 1 || in(n->succs[h], h) ? body : 0;
}

static bool naive_irreducible(const Naive *n, BlockId h, Set body)
{
    for (BlockId b = 0; b < n->count; b++) {
        if (in(n->reachable, b) && !in(body, b) && (n->succs[b] & body & ~((Set)1 << h)))
            return true;
    }
    return false;
}

static void check_loops(const Naive *n, const Loops *loops)
{
    Set found[MAX_NODES] = { 0 }, inner = 0;
    for (BlockId b = 0; b < n->count; b++) {
        uint32_t depth = ptx_loop_depth(loops, b);
        for (LoopId id = loops->loop_of[b]; id != NO_LOOP; id = loops->loops[id].parent) {
            assert_int_equal(loops->loops[id].depth, depth--);
            found[loops->loops[id].header] |= (Set)1 << b;
        }
        assert_int_equal(depth, 0);
    }
    for (BlockId h = 0; h < n->count; h++)
        assert_int_equal(found[h], in(n->reachable, h) ? naive_body(n, h) : 0);
    for (LoopId id = 0; id < loops->loop_count; id++) {
        const Loop *loop = &loops->loops[id];
        assert_int_equal(loop->block_count, set_size(found[loop->header]));
        assert_int_equal(loop->is_irreducible,
                         naive_irreducible(n, loop->header, found[loop->header]));
        assert_true(loop->parent == NO_LOOP || loop->parent < id);
        inner |= loop->parent == NO_LOOP ? 0 : (Set)1 << loop->parent;
        if (id && loop->parent == loops->loops[id - 1].parent)
            assert_true(loops->loops[id - 1].header < loop->header);
    }
    for (LoopId id = 0; id < loops->loop_count; id++)
        assert_int_equal(loops->loops[id].is_innermost, !in(inner, id));
}

/* An edge that rpo does not point forward lies on a cycle. */
static void check_rpo(const Naive *n, const Cfg *cfg)
{
    assert_int_equal(cfg->rpo_count, set_size(n->reachable));
    for (BlockId b = 0; b < n->count; b++) {
        assert_int_equal(ptx_block_is_reachable(cfg, b), in(n->reachable, b));
        for (BlockId to = 0; to < n->count && in(n->reachable, b); to++) {
            if (in(n->succs[b], to) && cfg->rpo_index[to] <= cfg->rpo_index[b])
                assert_true(in(reach(n, to, UINT64_MAX), b));
        }
    }
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)     /* Marsaglia, "Xorshift RNGs" */
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 33) % limit;
}

static const Func *random_func(Arena *arena, uint64_t *seed, unsigned round)
{
    GraphEdge edges[3 * MAX_NODES];
    uint32_t node_count = 1 + random_below(seed, round % 16 ? 10 : MAX_NODES), edge_count = 0;
    /* without a line through them, few of many are reachable */
    uint32_t line = round % 2 ? node_count - 1 : 0;
    uint32_t most = line + random_below(seed, 2 * node_count);
    for (; edge_count < line; edge_count++)
        edges[edge_count] = (GraphEdge){ edge_count, edge_count + 1 };
    for (; edge_count < most; edge_count++) {
        uint32_t to = random_below(seed, node_count + (round % 3 == 0));
        edges[edge_count] = (GraphEdge){ random_below(seed, node_count),
                                         to < node_count ? to : EXIT_BLOCK };
    }
    return func_of_edges(arena, node_count, edges, edge_count);
}

static void check_random(World *w)
{
    uint64_t seed = UINT64_C(0x5EED0F9A9115);
    for (unsigned round = 0; round < 6000; round++) {
        ArenaMark mark = ptx_arena_mark(&w->arena);
        const Func *func = random_func(&w->arena, &seed, round);
        Facts f = analyse(w, func);
        check_cfg(f.cfg, func);
        Naive n = naive_of(f.cfg);
        check_rpo(&n, f.cfg);
        check_dom(&n, f.dom);
        check_loops(&n, f.loops);
        ptx_arena_release(&w->arena, mark);
    }
}

static void test_random(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    check_random(w);
}

/* ---- size ------------------------------------------------------------------------------------ */

enum { LADDER = 200000, NEST = 50000 };

/* Every block leads on by one and by two; in a second round, back by one as well: one loop in the
 * next. */
static void test_ladder(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    GraphEdge *edges = ptx_arena_array(&w->arena, GraphEdge, 3 * LADDER);
    for (int back = 0; back < 2; back++) {
        uint32_t count = 0;
        for (uint32_t b = 0; b < LADDER; b++) {
            for (uint32_t step = 1; step <= 2; step++)
                edges[count++] = (GraphEdge){ b, b + step < LADDER ? b + step : EXIT_BLOCK };
            if (back && b)
                edges[count++] = (GraphEdge){ b, b - 1 };
        }
        Facts f = analyse(w, func_of_edges(&w->arena, LADDER, edges, count));
        assert_int_equal(f.cfg->rpo_count, LADDER);
        for (BlockId b = 1; b < LADDER; b++)
            assert_int_equal(f.dom->idom[b], 0);
        assert_int_equal(f.loops->loop_count, back ? LADDER - 1 : 0);
    }
}

/* A straight line of single blocks; the last leads back to the first. */
static void test_line(void **state)
{
    World *w = *state;
    enum { LINE = 1000000 };
    if (setjmp(w->failure))
        fail_msg("arena");
    Func *func = new_func(&w->arena, LINE, LINE, LINE, 0, 0);
    for (InsnId i = 0; i < LINE; i++) {
        add_label(func, (i + 1) % LINE);
        add_insn(func, OPK_BRA);
        add_operand(func, OPERAND_TARGET, 0, i);
    }
    Facts f = analyse(w, func);
    assert_int_equal(f.cfg->block_count, LINE);
    assert_int_equal(f.dom->idom[LINE - 1], LINE - 2);
    assert_int_equal(f.dom->ipdom[0], 1);
    assert_int_equal(f.loops->loop_count, 1);
    assert_int_equal(f.loops->loops[0].block_count, LINE);
}

/* Headers 0 .. NEST - 1, then their latches, the innermost first. */
static void test_nest(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    GraphEdge *edges = ptx_arena_array(&w->arena, GraphEdge, 4 * NEST);
    uint32_t count = 0;
    for (uint32_t b = 0; b < 2 * NEST; b++) {
        if (b >= NEST)
            edges[count++] = (GraphEdge){ b, 2 * NEST - 1 - b };
        edges[count++] = (GraphEdge){ b, b + 1 < 2 * NEST ? b + 1 : EXIT_BLOCK };
    }
    Facts f = analyse(w, func_of_edges(&w->arena, 2 * NEST, edges, count));
    assert_int_equal(f.loops->loop_count, NEST);
    for (BlockId b = 0; b < 2 * NEST; b++)
        assert_int_equal(ptx_loop_depth(f.loops, b), b < NEST ? b + 1 : 2 * NEST - b);
    for (LoopId id = 0; id < NEST; id++) {
        assert_int_equal(f.loops->loops[id].block_count, 2 * (NEST - id));
        assert_false(f.loops->loops[id].is_irreducible);
        assert_int_equal(f.loops->loops[id].is_innermost, id == NEST - 1);
    }
}

/* The same nest, and the entry leads into the middle of every loop: Havlak's own procedure is
 * quadratic here. */
static void test_irreducible_nest(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    GraphEdge *edges = ptx_arena_array(&w->arena, GraphEdge, 6 * NEST + 3);
    uint32_t count = 0;
    edges[count++] = (GraphEdge){ 0, 1 };
    for (uint32_t b = 1; b <= 2 * NEST; b++) {
        if (b > NEST) {
            edges[count++] = (GraphEdge){ b, 2 * NEST + 1 - b };
            edges[count++] = (GraphEdge){ 0, b };
        }
        edges[count++] = (GraphEdge){ b, b < 2 * NEST ? b + 1 : EXIT_BLOCK };
    }
    Facts f = analyse(w, func_of_edges(&w->arena, 2 * NEST + 1, edges, count));
    assert_int_equal(f.loops->loop_count, NEST);
    for (LoopId id = 0; id < NEST; id++) {
        assert_int_equal(f.loops->loops[id].depth, id + 1);
        assert_true(f.loops->loops[id].is_irreducible);
    }
}

/* Many brx.idx share a long table: n^2 edges are asked for, and not given. */
static void test_shared_table(void **state)
{
    World *w = *state;
    enum { MANY = 20000 };
    if (setjmp(w->failure))
        fail_msg("arena");
    for (int known = 0; known < 2; known++) {
        Func *func = new_func(&w->arena, MANY, MANY, MANY + 1, 1, MANY);
        for (InsnId i = 0; i < MANY; i++)
            add_label(func, i);
        LabelId table = add_table(func);
        for (InsnId i = 0; i < MANY; i++) {
            add_table_id(func, i);
            add_insn(func, OPK_BRX);
            if (known)
                add_operand(func, OPERAND_TARGET, 1, table);
        }
        Facts f = analyse(w, func);
        assert_int_equal(f.cfg->block_count, MANY);
        assert_true(f.cfg->has_unknown_target);
        assert_true(f.cfg->blocks[0].succ_count >= MANY);
        assert_int_equal(f.cfg->blocks[MANY - 1].succ_count, 1);
        assert_true(f.cfg->succ_count <= BRX_TARGETS_FLOOR + BRX_TARGETS_PER_INSN * MANY + MANY);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A module in one line, a letter a function. `f:` begins the body of f, `f;` declares it. In a
 * body: g calls it, &g takes its address, (g passes it to a call of unknown target, * is such a
 * call, {gh} one through .calltargets, {} the same table once more. `=g,0;` initialises a
 * variable. */
static const struct {
    const char *what, *module, *callees, *recursive, *called, *taken;
} calls[] = {
    { "a chain", "f:g g:h h:", "f:g g:h h:", "", "gh", "" },
    { "sorted, and once each", "f: g: h: k:hgfgh", "f: g: h: k:fgh", "", "fgh", "" },
    { "self-recursion", "f:f g:f", "f:f g:f", "f", "f", "" },
    { "mutual recursion", "f:g g:h h:fk k:", "f:g g:h h:fk k:", "fgh", "fghk", "" },
    { "two components", "f:g g:fh h:k k:h", "f:g g:fh h:k k:h", "fghk", "fghk", "" },
    { "a call into a cycle is none", "e:f f:g g:f", "e:f f:g g:f", "fg", "fg", "" },
    { "recursion through a declaration", "g; f:g g:f", "g: f:g g:f", "fg", "fg", "" },
    { "declared only", "g; f:g g;", "g: f:g g:", "", "g", "" },
    { "address taken, none calls", "f:&g g:", "f: g:", "", "", "g" },
    { "indirect call", "f:*&g g:h h:", "f:* g:h h:", "", "gh", "g" },
    { "indirect recursion", "f:g g:* h:&f", "f:g g:* h:", "fg", "fg", "f" },
    { "indirect self-recursion", "f:*&f g:*", "f:* g:*", "f", "f", "f" },
    { "an argument of the call", "f:(g g:*", "f:* g:*", "g", "g", "g" },
    { ".calltargets", "f:{gh}{} g: h:f", "f:gh g: h:f", "fh", "fgh", "" },
    { "table of virtual functions", "=0x1f,generic(g),gg; f:* g:f h:", "f:* g:f h:", "fg", "fg",
      "g" },
};

static FuncId func_named(const char *functions, char name)
{
    const char *at = strchr(functions, name);
    assert_non_null(at);
    return (FuncId)(at - functions);
}

/* Reads the items of one body; functions holds the name of each function by id. */
static const char *read_body(Func *func, const char *text, const char *functions)
{
    for (; *text && *text != ' '; text++) {
        if (*text == '{') {
            add_insn(func, OPK_CALL);
            add_operand(func, OPERAND_REG, 1, 0);
            LabelId table = text[1] == '}' ? 0 : add_table(func);
            add_operand(func, OPERAND_TARGET, 3, table);
            while (*++text != '}')
                add_table_id(func, func_named(functions, *text));
            continue;
        }
        bool takes = *text == '&', passes = *text == '(';
        text += takes || passes;
        add_insn(func, takes ? OPK_MOV : OPK_CALL);
        if (*text == '*' || passes)
            add_operand(func, OPERAND_REG, 1, 0);
        if (*text != '*')
            add_operand(func, OPERAND_FUNCTION, passes ? 2 : 1, func_named(functions, *text));
    }
    return text;
}

static Module *read_module(Arena *arena, const char *text, char functions[MAX_NODES])
{
    Module *module = ptx_arena_new(arena, Module);
    memset(functions, 0, MAX_NODES);
    module->text = text;
    module->funcs = ptx_arena_array(arena, Func, MAX_NODES);
    module->vars = ptx_arena_array(arena, Var, 1);
    /* names first: a body may call what follows */
    for (const char *at = text; *at; at++) {
        if ((at[1] == ':' || at[1] == ';') && strchr(" ", at == text ? ' ' : at[-1]))
            functions[module->func_count++] = *at;
    }
    FuncId id = 0;
    for (const char *at = text; *at; at += *at == ' ') {
        uint32_t begin = (uint32_t)(at - text);
        if (*at == '=') {
            at = strchr(at, ';') + 1;
            module->vars[module->var_count++].init = (Span){ begin + 1, (uint32_t)(at - text) };
            continue;
        }
        Func *func = &module->funcs[id++];
        *func = *new_func(arena, MAX_INSNS, 4 * MAX_INSNS, MAX_INSNS, MAX_INSNS, 4 * MAX_INSNS);
        func->name = (Span){ begin, begin + 1 };
        func->has_body = at[1] == ':';
        at = func->has_body ? read_body(func, at + 2, functions) : at + 2;
    }
    assert_int_equal(id, module->func_count);
    return module;
}

static void test_calls(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char functions[MAX_NODES];
        const Module *module = read_module(&w->arena, calls[i].module, functions);
        const CallGraph *graph = ptx_callgraph_build(&w->arena, &w->scratch, module);
        Rendered callees = { .length = 0 }, recursive = { .length = 0 }, called = { .length = 0 },
                 taken = { .length = 0 };
        for (FuncId id = 0; id < module->func_count; id++) {
            const CallNode *node = &graph->nodes[id];
            put(&callees, "%s%c:", space(&callees), functions[id]);
            for (uint32_t e = 0; e < node->callee_count; e++)
                put(&callees, "%c", functions[graph->callees[node->callee_first + e]]);
            put(&callees, node->has_indirect_call ? "*" : "");
            put(&recursive, "%.*s", node->is_recursive, &functions[id]);
            put(&called, "%.*s", node->is_called, &functions[id]);
            put(&taken, "%.*s", node->is_address_taken, &functions[id]);
            assert_int_equal(functions[graph->definition_of[id]], functions[id]);
        }
        expect_text(calls[i].what, "callees", callees.bytes, calls[i].callees);
        expect_text(calls[i].what, "recursive", recursive.bytes, calls[i].recursive);
        expect_text(calls[i].what, "called", called.bytes, calls[i].called);
        expect_text(calls[i].what, "address taken", taken.bytes, calls[i].taken);
    }
}

/* A chain of calls, and from its end one back to the middle. */
static void test_long_chain(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    Module *module = ptx_arena_new(&w->arena, Module);
    module->func_count = LADDER;
    module->funcs = ptx_arena_array(&w->arena, Func, LADDER);
    for (FuncId id = 0; id < LADDER; id++) {
        Func *func = &module->funcs[id];
        *func = *new_func(&w->arena, 1, 1, 0, 0, 0);
        add_insn(func, OPK_CALL);
        add_operand(func, OPERAND_FUNCTION, 1, id + 1 < LADDER ? id + 1 : LADDER / 2);
    }
    const CallGraph *graph = ptx_callgraph_build(&w->arena, &w->scratch, module);
    for (FuncId id = 0; id < LADDER; id++)
        assert_int_equal(graph->nodes[id].is_recursive, id >= LADDER / 2);
}

UNIT(graph)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_graphs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ladder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_irreducible_nest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shared_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_chain, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
