/* test_joinable.c -- rows of neighbours that are proven whatever loops ptxas unrolls whole, held to
 * the proof for each choice of loops, or many drawn ones where they are too many. */
#include "kit.h"

#include "analysis/flow/loop.h"
#include "analysis/sass/joinable.h"
#include "analysis/sass/unroll.h"
#include "api/module.h"
#include "arenas.h"
#include "ir/func.h"
#include "ir/module.h"
#include "session/session.h"

#include <string.h>

enum { FEW_LOOPS = 6, DRAWS = 64 };

typedef struct Seen {
    unsigned rows;              /* instructions in rows */
    unsigned proven, left;      /* functions with some */
} Seen;

/* Bit l, of the last 32 at most: loop l is unrolled whole. */
static const Unrolling *unroll(Arena *arena, const Loops *loops, uint32_t whole)
{
    Unrolling *out = ptx_arena_array(arena, Unrolling, loops->loop_count + 1);
    for (LoopId l = 0; l < loops->loop_count; l++)
        out[l].is_whole = whole >> l % 32 & 1;
    return out;
}

static void check_choice(World *w, const char *path, const FuncFlow *flow,
                         const JoinableRow *proven, uint32_t whole)
{
    const uint32_t count = flow->func->insn_count;
    JoinableRow *rows = ptx_joinable_rows_find(&w->arena, flow);
    ptx_joinable_rows_prove(&w->scratch, flow, unroll(&w->arena, flow->loops, whole), rows);
    for (InsnId i = 0; i < count; i++)
        if (memcmp(&rows[i], &proven[i], sizeof *rows) != 0)
            fail_msg("%s, instruction %u, loops %#x: %u bytes, not %u", path, i, whole,
                     rows[i].widest, proven[i].widest);
}

static void check_func(World *w, const char *path, const FuncFlow *flow, Seen *seen)
{
    const ArenaMark mark = ptx_arena_mark(&w->arena);
    const uint32_t loops = flow->loops->loop_count;
    JoinableRow *proven = ptx_joinable_rows_find(&w->arena, flow);
    unsigned rows = 0;
    for (InsnId i = 0; i < flow->func->insn_count; i++)
        rows += proven[i].before || proven[i].behind;
    const bool is_proven = ptx_joinable_rows_prove_any(&w->scratch, flow, proven);
    seen->rows += rows;
    seen->proven += rows && is_proven;
    seen->left += rows && !is_proven;
    const uint32_t choices = loops <= FEW_LOOPS ? 1u << loops : DRAWS;
    for (uint32_t c = 0; rows && is_proven && c < choices; c++)
        check_choice(w, path, flow, proven, loops <= FEW_LOOPS ? c : c * 0x9E3779B9u);
    ptx_arena_release(&w->arena, mark);
}

static void check_file(World *w, const char *path, Seen *seen)
{
    ptxlint_module *module = kit_open(path);
    for (FuncId f = 0; f < module->ir->func_count; f++) {
        Session *session = ptx_session_at(module, f);
        if (!ptx_session_cfg(session))
            continue;
        const FuncFlow flow = ptx_session_flow(session);
        check_func(w, path, &flow, seen);
    }
    ptxlint_module_free(module);
}

static void check_folder(World *w, const char *folder, Seen *seen)
{
    Paths files = kit_walk(folder, ".ptx");
    for (size_t i = 0; i < files.count; i++)
        check_file(w, files.paths[i], seen);
    kit_free_paths(files);
}

static void test_any_loops(void **state)
{
    World *w = *state;
    Seen seen = { 0 };
    if (setjmp(w->failure))
        fail_msg("arena");
    check_folder(w, "testdata/ptx", &seen);
    check_folder(w, "testdata/measured", &seen);
    print_message("%u instructions in rows; of functions %u proven, %u not\n", seen.rows,
                  seen.proven, seen.left);
    assert_true(seen.rows > 100 && seen.proven > 10);
}

/* Of 20, 36, 52 ... ptxas knows that 4 divides them; of a loop unrolled whole, that 16 leaves 4. */
static void test_one_loop(void **state)
{
    static const struct { unsigned begin, step; bool is_proven; } cases[] = {
        { 0, 4, true }, { 0, 16, true }, { 20, 16, false }, { 4, 8, false }, { 8, 8, true },
        { 8, 16, false }, { 4, 4, true }
    };
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t c = 0; c < COUNT(cases); c++) {
        Text text = { 0 };
        kit_print(&text,
                  ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                  ".reg .b32 %%r<9>; .reg .pred %%p<2>;\n.shared .align 16 .b8 s[4096];\n"
                  "mov.u32 %%r3, s;\nadd.u32 %%r1, %%r3, %u;\nmov.u32 %%r2, 0;\nL:\n"
                  "st.shared.u32 [%%r1], %%r2;\nst.shared.u32 [%%r1+4], %%r2;\n"
                  "add.u32 %%r1, %%r1, %u;\nadd.u32 %%r2, %%r2, 1;\n"
                  "setp.lt.u32 %%p1, %%r2, 8;\n@%%p1 bra L;\nret;\n}\n",
                  cases[c].begin, cases[c].step);
        ptxlint_module *module = kit_module(text.bytes);
        const FuncFlow flow = ptx_session_flow(ptx_session_at(module, 0));
        Seen seen = { 0 };
        check_func(w, "loop", &flow, &seen);
        if (seen.rows != 2 || seen.proven != cases[c].is_proven)
            fail_msg("from %u by %u: %u in rows, proven %u", cases[c].begin, cases[c].step,
                     seen.rows, seen.proven);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

UNIT(joinable)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_any_loops, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
