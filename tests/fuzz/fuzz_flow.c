/* fuzz_flow.c -- control flow of whatever PTX: dominators, post-dominators and loops against what
 * their definitions say, computed anew for each block. */
#include "fuzz.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ptxlint/ptxlint.h"
#include "support/arena.h"

#include <stdbool.h>

enum { MAX_BLOCKS = 96, NODES = MAX_BLOCKS + 1, MAX_FUNCS = 64, MEMORY_BYTES = 256 << 20 };

/* Node `count` is the exit. */
typedef struct Graph {
    uint32_t count;
    bool has_edge[NODES][NODES];
    bool is_reachable[NODES];
    bool dominates[NODES][NODES], post_dominates[NODES][NODES];
} Graph;

/* What is reached from a node, forward or backward, where `without` is taken out. */
static void reach(const Graph *g, uint32_t from, uint32_t without, bool is_backward, bool *seen)
{
    uint32_t stack[NODES], depth = 0;
    memset(seen, 0, NODES * sizeof *seen);
    if (from == without)
        return;
    seen[from] = true;
    for (stack[depth++] = from; depth > 0;) {
        const uint32_t at = stack[--depth];
        for (uint32_t to = 0; to <= g->count; to++) {
            const bool is_edge = is_backward ? g->has_edge[to][at] : g->has_edge[at][to];
            if (!is_edge || seen[to] || to == without)
                continue;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
}

/* Unreachable blocks are no source of edges. */
static void take_edges(Graph *g, const Cfg *cfg)
{
    g->count = cfg->block_count;
    for (uint32_t b = 0; b < g->count; b++) {
        const Block *block = &cfg->blocks[b];
        for (uint32_t e = 0; e < block->succ_count; e++) {
            const BlockId to = cfg->succs[block->succ_first + e];
            g->has_edge[b][to == EXIT_BLOCK ? g->count : to] = true;
        }
    }
    reach(g, 0, NODES, false, g->is_reachable);
    for (uint32_t b = 0; b < g->count; b++)
        if (!g->is_reachable[b])
            memset(g->has_edge[b], 0, sizeof g->has_edge[b]);
}

/* The rule of dom.h: the last in reverse postorder that never leaves hangs from the exit, and so
 * on. */
static void leave_endless_loops(Graph *g, const Cfg *cfg)
{
    bool seen[NODES];
    for (uint32_t i = cfg->rpo_count; i-- > 0;) {
        reach(g, cfg->rpo[i], NODES, false, seen);
        if (!seen[g->count])
            g->has_edge[cfg->rpo[i]][g->count] = true;
    }
}

static void find_dominators(Graph *g)
{
    bool ahead[NODES], behind[NODES];
    for (uint32_t a = 0; a < g->count; a++) {
        reach(g, 0, a, false, ahead);
        reach(g, g->count, a, true, behind);
        for (uint32_t b = 0; b < g->count; b++) {
            const bool are_reachable = g->is_reachable[a] && g->is_reachable[b];
            g->dominates[a][b] = are_reachable && !ahead[b];
            g->post_dominates[a][b] = are_reachable && !behind[b];
        }
    }
}

/* Whether `best` is the one of the strict dominators of b that all others dominate. */
static bool is_closest(const Graph *g, bool const dominates[NODES][NODES], BlockId best, uint32_t b)
{
    if (best != EXIT_BLOCK && (best == b || !dominates[best][b]))
        return false;
    for (uint32_t a = 0; a < g->count; a++) {
        if (a != b && dominates[a][b] && (best == EXIT_BLOCK || !dominates[a][best]))
            return false;
    }
    return true;
}

static void check_dominators(const Graph *g, const Cfg *cfg, const Dom *dom)
{
    for (uint32_t b = 0; b < g->count; b++) {
        require(ptx_block_is_reachable(cfg, b) == g->is_reachable[b], "what is reachable");
        require(is_closest(g, g->dominates, dom->idom[b], b), "immediate dominators");
        require(is_closest(g, g->post_dominates, dom->ipdom[b], b), "immediate post-dominators");
        for (uint32_t a = 0; a < g->count; a++)
            require(ptx_dom_dominates(dom, a, b) == g->dominates[a][b], "dominators");
    }
}

static bool is_inside(const Loops *loops, uint32_t b, BlockId header)
{
    for (LoopId l = loops->loop_of[b]; l != NO_LOOP; l = loops->loops[l].parent)
        if (loops->loops[l].header == header)
            return true;
    return false;
}

static void check_loops(const Graph *g, const Loops *loops)
{
    for (uint32_t b = 0; b < g->count; b++) {
        for (LoopId l = loops->loop_of[b]; l != NO_LOOP; l = loops->loops[l].parent) {
            const Loop *loop = &loops->loops[l];
            require(loop->is_irreducible || g->dominates[loop->header][b],
                    "a header dominates its loop");
            require(loop->parent == NO_LOOP || loop->parent < l, "an outer loop comes first");
        }
        for (uint32_t h = 0; h < g->count; h++)
            require(!g->has_edge[b][h] || !g->dominates[h][b] || is_inside(loops, b, h),
                    "an edge back to a dominator makes a loop");
    }
}

static void check_function(Arena *arena, Arena *scratch, const Module *module, const Func *func)
{
    const Cfg *cfg = ptx_cfg_build(arena, scratch, module, func);
    if (!cfg || cfg->block_count > MAX_BLOCKS)
        return;
    const Dom *dom = ptx_dom_compute(arena, scratch, cfg);
    const Loops *loops = ptx_loops_compute(arena, scratch, cfg, dom);
    Graph *g = ptx_arena_new(arena, Graph);
    take_edges(g, cfg);
    leave_endless_loops(g, cfg);
    find_dominators(g);
    check_dominators(g, cfg, dom);
    check_loops(g, loops);
}

static void check_functions(const Module *module)
{
    Arena arena, scratch;
    jmp_buf failed;
    ptx_arena_init(&arena, MEMORY_BYTES, &failed);
    ptx_arena_init(&scratch, MEMORY_BYTES, &failed);
    if (!setjmp(failed)) {
        for (FuncId f = 0; f < module->func_count && f < MAX_FUNCS; f++)
            check_function(&arena, &scratch, module, &module->funcs[f]);
    }
    ptx_arena_free(&arena);
    ptx_arena_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ptxlint_options options;
    ptxlint_module *m = NULL;
    ptxlint_options_init(&options);
    options.syntax_only = 1;
    options.max_memory_bytes = MEMORY_BYTES;
    (void)ptxlint_module_new((const char *)data, size, &options, &m);
    if (m && m->ir)
        check_functions(m->ir);
    ptxlint_module_free(m);
    return 0;
}
