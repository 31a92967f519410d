/* test_shortcuts.c -- what is asked first, because it is cheap, never rules out what the whole
 * analysis would find: on every real kernel, and on those that were written for the rules. */
#include "kit.h"

#include "api/module.h"
#include "arenas.h"
#include "analysis/flow/cfg.h"
#include "analysis/registers/register_count.h"
#include "analysis/value/lane_branches.h"
#include "analysis/value/must_diverge.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/dom.h"
#include "session/session.h"

typedef struct Tally {
    unsigned blocks, divergent, left_out, spills, kept;
} Tally;

static bool may_diverge(LaneSplits *splits, const bool *by_lane, const Dom *dom, BlockId block)
{
    for (BlockId above = dom->idom[block]; above != EXIT_BLOCK; above = dom->idom[above])
        if (by_lane[above] && ptx_lane_splits_may(splits, above))
            return true;
    return false;
}

static void check_splits(World *w, const ptxlint_module *m, FuncId f, const char *path,
                         Tally *tally)
{
    Session *s = ptx_session_at(m, f);
    const Func *func = &m->ir->funcs[f];
    const Cfg *cfg = ptx_session_cfg(s);
    const Dom *dom = ptx_session_dom(s);
    const FuncFlow flow = ptx_session_flow(s);
    const Uniforms *uniforms = ptx_uniform_compute(&w->arena, &w->scratch, &flow, NULL, NULL);
    const MustDiverge *whole = ptx_must_diverge_compute(&w->arena, &w->scratch, &flow, uniforms,
                                                        NULL);
    const bool *by_lane = ptx_lane_branches_compute(&w->arena, &w->scratch, func, cfg);
    LaneSplits *splits = ptx_lane_splits_new(&w->arena, &flow, NULL);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        bool may = may_diverge(splits, by_lane, dom, b);
        if ((whole->by[b] != NO_ID && !may)
            || (whole->splits[b] && !(by_lane[b] && ptx_lane_splits_may(splits, b))))
            fail_msg("%s: function %u, block %u: left out", path, (unsigned)f, (unsigned)b);
        tally->blocks++;
        tally->divergent += whole->by[b] != NO_ID;
        tally->left_out += !may;
    }
}

/* What few orders say of spills, against what all of them do. */
static void check_few_orders(World *w, const ptxlint_module *m, Session *s, const Pressure *whole)
{
    const FuncFlow flow = ptx_session_flow(s);
    const Spills few = ptx_pressure_find_spills(&w->arena, &flow, ptx_session_kept_live(s),
                                                ptx_session_lowered(s, 0), m->gpus[0]);
    const bool is_likely = whole->is_known && whole->spills == SPILLS_LIKELY;
    assert_true(few == SPILLS_POSSIBLE || (few == SPILLS_LIKELY) == is_likely);
}

static void check_spills(World *w, const ptxlint_module *m, FuncId f, const char *path,
                         Tally *tally)
{
    Session *s = ptx_session_at(m, f);
    if (!ptx_session_has_model(s) || !ptx_session_kept_live(s))
        return;
    const Func *func = &m->ir->funcs[f];
    const Pressure *pressure = ptx_session_pressure(s, 0);
    bool may = ptx_pressure_may_spill(m->gpus[0], func, ptx_session_kept_live(s));
    assert_int_equal(pressure->cap, ptx_pressure_cap(m->gpus[0], &func->bounds));
    assert_true(!pressure->is_known
                || pressure->is_calibrated == ptx_pressure_is_calibrated(m->gpus[0], m->ir));
    if (pressure->is_known && pressure->spills == SPILLS_LIKELY && !may)
        fail_msg("%s: function %u: spills are likely, and were left out", path, (unsigned)f);
    check_few_orders(w, m, s, pressure);
    tally->spills += pressure->spills == SPILLS_LIKELY;
    tally->kept += may;
}

static void check_folder(World *w, const char *folder, Tally *tally)
{
    Paths files = kit_walk(folder, ".ptx");
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *m = kit_open_live(files.paths[i]);
        for (FuncId f = 0; f < m->ir->func_count; f++) {
            const Func *func = &m->ir->funcs[f];
            ArenaMark mark = ptx_arena_mark(&w->arena);
            if (!func->is_entry || func->has_syntax_error || !ptx_session_cfg(ptx_session_at(m, f)))
                continue;
            check_splits(w, m, f, files.paths[i], tally);
            check_spills(w, m, f, files.paths[i], tally);
            ptx_arena_release(&w->arena, mark);
        }
        ptxlint_module_free(m);
    }
    kit_free_paths(files);
}

static void test_real(void **state)
{
    Tally tally = { 0 };
    check_folder(*state, "testdata/ptx", &tally);
    check_folder(*state, "tests/golden", &tally);
    print_message("%u blocks, %u divergent, %u left out; spills likely in %u kernels of %u\n",
                  tally.blocks, tally.divergent, tally.left_out, tally.spills, tally.kept);
    assert_true(tally.divergent > 20 && tally.spills > 0);
    assert_true(tally.left_out > tally.blocks / 2);
}

/* ---- operands that were checked before ------------------------------------------------------- */

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .b16 %h<3>; " \
    ".reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<3>; .reg .f64 %d<3>; "                        \
    ".reg .pred %q<2>; .reg .v2 .b32 v;\n"

/* What is right first, and what is wrong in the same opcode behind it. */
static const struct { const char *right, *wrong, *rule; } pairs[] = {
    { "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %f1;", "SYN" },
    { "add.s32 %r1, %r2, 4;", "add.s32 %r1, %r2, 4.0;", "SYN" },
    { "add.f32 %f1, %f2, 0f3F800000;", "add.f32 %f1, %f2, 1;", "SYN" },
    { "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, [%r3];", "SYN" },
    { "add.s32 %r1, %r2, %r3;", "add.s32 %r1, -%r2, %r3;", "SYN" },
    { "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, v;", "SYN" },
    { "add.s32 %r1, %r2, %r3;", "add.s32 4, %r2, %r3;", "SYN" },
    { "add.s32 %r1, %r2, %r3;", "add.s32 %r1+4, %r2, %r3;", "SYN" },
    { "ld.global.u32 %r1, [%rd1];", "ld.global.u32 %r1, %rd1;", "SYN" },
    { "ld.global.u32 %r1, [%rd1+4];", "ld.global.u32 %r1, [%d1+4];", "SYN" },
    { "st.global.u16 [%rd1], %h1;", "st.global.f32 [%rd1], %h1;", "SYN" },
    { "setp.eq.s32 %q1, %r1, %r2;", "setp.eq.s32 %r1, %r1, %r2;", "SYN" },
};

static void test_operands(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        Text text = { 0 };
        kit_print(&text, "%s%s\n%s\n%s\n%s\nret;\n}\n", HEAD, pairs[i].right, pairs[i].wrong,
                  pairs[i].right, pairs[i].wrong);
        ptxlint_module *module = kit_module(text.bytes);
        char *found = kit_list(module, true);
        unsigned errors = 0;
        for (const char *at = found; (at = strstr(at, pairs[i].rule)); at++)
            errors++;
        if (errors != 2 || !strstr(found, ":8") || !strstr(found, ":10"))
            fail_msg("%s after %s: %s", pairs[i].wrong, pairs[i].right, found);
        free(found);
        free(text.bytes);
        ptxlint_module_free(module);
    }
}

UNIT(shortcuts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_real, set_up, tear_down),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
