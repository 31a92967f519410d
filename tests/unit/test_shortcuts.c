/* test_shortcuts.c -- what is asked first, because it is cheap, never rules out what the whole
 * analysis would find: on every real kernel, and on those that were written for the rules. */
#include "kit.h"

#include "api/module.h"
#include "arenas.h"
#include "analysis/access/evaluate.h"
#include "analysis/access/kernel_run.h"
#include "analysis/flow/cfg.h"
#include "analysis/registers/register_count.h"
#include "analysis/sim/program.h"
#include "analysis/value/lane_branches.h"
#include "analysis/value/launch.h"
#include "analysis/value/must_diverge.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/dom.h"
#include "session/session.h"

typedef struct Tally {
    unsigned blocks, divergent, left_out, spills, kept, shaped;
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

/* Of a row of threads alone, what the evaluation says that runs other shapes as well; what is asked
 * of shapes is never more than that. */
static void check_row(World *w, const ptxlint_module *m, FuncId f, const char *path, Tally *tally)
{
    const SimProgram *program = ptx_program_new(
        &w->arena, ptx_code_new(&w->arena, m->ir, m->calls));
    const KernelRun run = { .arena = &w->arena, .work = &w->arena, .scratch = &w->scratch,
                            .program = program, .kernel = f };
    AccessEvaluator *left;
    const Evaluation *row = ptx_evaluate_row(&run, m->gpus[0], 1 << 14, &left),
                     *all = left ? ptx_evaluate_left(left, &w->arena, 1 << 14) : row;
    assert_int_equal(!row, !all);
    for (InsnId i = 0; row && i < m->ir->funcs[f].insn_count; i++) {
        const Evaluated *a = &row->insns[i], *b = &all->insns[i];
        const Count *x = a->total, *y = b->total;
        const bool is_same = x->requests == y->requests && x->active == y->active
                             && x->sectors == y->sectors && x->wavefronts == y->wavefronts
                             && x->addresses == y->addresses && x->divergent == y->divergent
                             && x->warps == y->warps && x->used_bytes == y->used_bytes
                             && x->doubt == y->doubt && x->pattern == y->pattern
                             && x->stride == y->stride && x->is_free == y->is_free
                             && a->certainty == b->certainty && a->share == b->share;
        if (!is_same || b->best_share > a->best_share)
            fail_msg("%s: function %u, instruction %u: a row differs", path, (unsigned)f, i);
        tally->shaped += b->best_share < a->best_share;
    }
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
            check_row(w, m, f, files.paths[i], tally);
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
    print_message("%u blocks, %u divergent, %u left out; spills likely in %u kernels of %u; %u "
                  "accesses cost less in another shape\n",
                  tally.blocks, tally.divergent, tally.left_out, tally.spills, tally.kept,
                  tally.shaped);
    assert_true(tally.divergent > 20 && tally.spills > 0 && tally.shaped > 20);
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

/* ---- loops inside loops ---------------------------------------------------------------------- */

enum { NEST = 6, NEST_STEPS = 1 << 14 };

/* Five iterations of each would take half a million steps; nothing says how many there are. */
static ptxlint_module *nested(void)
{
    Text text = { 0 };
    kit_print(&text, "%s",
              ".version 8.0\n.target sm_90\n.address_size 64\n"
              ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
              ".reg .b32 %r<19>; .reg .b64 %rd<4>; .reg .pred %p<9>;\n"
              "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n");
    for (unsigned l = 1; l <= NEST; l++)
        kit_print(&text, "mov.u32 %%r%u, 0;\nL%u:\n", l + 1, l);
    kit_print(&text, "%s", "ld.global.u32 %r11, [%rd1];\n");
    for (unsigned l = NEST; l >= 1; l--)
        kit_print(&text,
                  "add.u32 %%r%u, %%r%u, 1; setp.lt.u32 %%p1, %%r%u, %%r1; @%%p1 bra L%u;\n",
                  l + 1, l + 1, l + 1, l);
    kit_print(&text, "%s",
              "mov.u32 %r12, %tid.x; mul.wide.u32 %rd2, %r12, 64; add.s64 %rd3, %rd1, %rd2;\n"
              "st.global.u32 [%rd3], %r11; ret;\n}\n");
    ptxlint_module *m = kit_module(text.bytes);
    free(text.bytes);
    return m;
}

/* Its end is come to with steps to spare, and what is behind it has its figures. */
static void test_nest(void **state)
{
    World *w = *state;
    ptxlint_module *m = nested();
    Arena work;
    ptx_arena_init(&work, (size_t)1 << 28, &w->failure);
    const SimProgram *program = ptx_program_new(
        &w->arena, ptx_code_new(&w->arena, m->ir, m->calls));
    const KernelRun run = { .arena = &w->arena, .work = &work, .scratch = &w->scratch,
                            .program = program };
    const Evaluation *e = ptx_evaluate(&run, m->gpus[0], NEST_STEPS, DEPTH_QUICK);
    const Func *func = &m->ir->funcs[0];
    assert_true(e->steps < NEST_STEPS && !e->is_cut && e->has_left_early);
    for (InsnId i = 0; i < func->insn_count; i++)
        assert_true(e->insns[i].is_reached);
    assert_int_equal(e->insns[func->insn_count - 2].total->sectors
                         / e->insns[func->insn_count - 2].total->requests, 32);
    ptx_arena_free(&work);
    ptxlint_module_free(m);
}

UNIT(shortcuts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_real, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nest, set_up, tear_down),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
