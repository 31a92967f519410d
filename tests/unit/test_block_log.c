/* test_block_log.c -- traces in which the run of one block stands for others (block_log.h): each to
 * the byte what a trace is in which every block runs. */
#include "kit.h"

#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/access/evaluate.h"
#include "analysis/access/kernel_run.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "api/module.h"
#include "arenas.h"
#include "ir/func.h"
#include "ir/module.h"

enum { KERNELS = 600, MAX_LINES = 24, REGS = 8, STEPS = 1 << 14, MOST_KEPT = 256 };

typedef struct Tally {
    unsigned made, compared;
} Tally;

static unsigned draw(uint64_t *state, unsigned count)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % count;
}

static bool is_same_request(const Traced *a, const Traced *b)
{
    return a->times == b->times && a->access == b->access && a->block == b->block
           && a->warp == b->warp && a->request.lanes == b->request.lanes
           && a->request.bytes == b->request.bytes && a->request.kind == b->request.kind
           && !memcmp(a->addresses, b->addresses, sizeof a->addresses);
}

/* Warps of a block that are alike may come in another order. */
static bool has_request(const TracedAccess *access, const Traced *request)
{
    for (const Traced *r = access->first; r; r = r->next)
        if (is_same_request(r, request))
            return true;
    return false;
}

static bool is_same_access(const TracedAccess *a, const TracedAccess *b)
{
    bool is_same = a->insn == b->insn && a->space == b->space && a->low == b->low
                   && a->high == b->high && a->times == b->times && a->count == b->count
                   && a->is_unknown == b->is_unknown && a->is_assumed == b->is_assumed
                   && a->is_part == b->is_part && a->is_full == b->is_full && a->param == b->param;
    /* of more than are kept, which are depends on the order of warps */
    for (const Traced *x = a->count < MOST_KEPT ? a->first : NULL; x && is_same; x = x->next)
        is_same = has_request(b, x);
    return is_same;
}

static bool is_same_trace(const Trace *a, const Trace *b)
{
    bool is_same = a->access_count == b->access_count && a->traced_count == b->traced_count
                   && a->is_whole == b->is_whole && a->is_cut == b->is_cut;
    for (uint32_t i = 0; i < a->access_count && is_same; i++)
        is_same = is_same_access(&a->accesses[i], &b->accesses[i]);
    return is_same;
}

/* Of one that was cut no block is taken to be like another. */
static void check_trace(const KernelRun *run, const Gpu *gpu, const char *name, Tally *tally)
{
    const Evaluation *e = ptx_evaluate(run, gpu, STEPS, DEPTH_QUICK);
    if (!e)
        return;
    Evaluation cut = *e, whole = *e;
    cut.is_cut = true;
    whole.is_cut = false;
    whole.mean_work = 0;
    const Trace *few = ptx_trace_make(run, gpu, &whole), *all = ptx_trace_make(run, gpu, &cut);
    tally->made++;
    if (few->block != all->block)   /* warps that are run one by one take more steps */
        return;
    tally->compared++;
    if (!is_same_trace(few, all))
        fail_msg("%s: a block that another stood for differs", name);
}

static void check_module(World *w, const ptxlint_module *m, const char *name, uint64_t *state,
                         Tally *tally)
{
    const ArenaMark all = ptx_arena_mark(&w->arena);
    Arena work;
    ptx_arena_init(&work, (size_t)1 << 30, &w->failure);
    const SimProgram *program = ptx_program_new(&w->arena,
                                                ptx_code_new(&w->arena, m->ir, m->calls));
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        const ArenaMark mark = ptx_arena_mark(&w->arena);
        const Launch launch = { .is_given = true,
                                .grid = { 1 + draw(state, 90), 1 + draw(state, 4),
                                          1 + draw(state, 2) },
                                .block = { 32 * (1 + draw(state, 4)), 1 + draw(state, 2), 1 },
                                .dynamic_shared_bytes = -1 };
        const KernelRun run = { .arena = &w->arena, .work = &work, .scratch = &w->scratch,
                                .program = program, .kernel = f, .launch = &launch };
        if (m->ir->funcs[f].is_entry)
            check_trace(&run, m->gpus[0], name, tally);
        ptx_arena_release(&w->arena, mark);
    }
    ptx_arena_free(&work);
    ptx_arena_release(&w->arena, all);
}

/* ---- kernels at random ----------------------------------------------------------------------- */

static void print_line(Text *out, uint64_t *state, unsigned number)
{
    static const char *const operations[] = {
        "add.s32", "sub.s32", "mul.lo.s32", "and.b32", "xor.b32", "min.u32", "shr.u32", "rem.u32",
    };
    const unsigned to = draw(state, REGS), a = draw(state, REGS), b = draw(state, REGS);
    switch (draw(state, 9)) {
    case 0: kit_print(out, "shl.b32 %%r%u, %%r%u, %u;\n", to, a, draw(state, 8)); break;
    case 1: kit_print(out, "mul.lo.s32 %%r%u, %%r%u, %u;\n", to, a, draw(state, 100)); break;
    case 2:
        kit_print(out, "setp.lt.u32 %%p1, %%r%u, %u;\n@%%p1 bra L%u;\n", a, draw(state, 300),
                  number);
        kit_print(out, "add.s32 %%r%u, %%r%u, 4;\nL%u:\n", to, b, number);
        break;
    case 3:
    case 4:
        kit_print(out, "mul.wide.s32 %%rd2, %%r%u, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n", a);
        kit_print(out, draw(state, 3) ? "st.global.u32 [%%rd3], %%r%u;\n"
                                      : "ld.global.u32 %%r%u, [%%rd3];\n", b);
        break;
    case 5:
        kit_print(out, "and.b32 %%r9, %%r%u, 4092;\nadd.u32 %%r9, %%r9, %%r10;\n", a);
        kit_print(out, "st.shared.u32 [%%r9], %%r%u;\n", b);
        break;
    case 6:
        kit_print(out, "and.b32 %%r8, %%r%u, 7;\nL%u:\n", a, number);
        kit_print(out, "add.s32 %%r%u, %%r%u, %%r8;\n", to, b);
        kit_print(out, "sub.s32 %%r8, %%r8, 1;\nsetp.gt.s32 %%p1, %%r8, 0;\n@%%p1 bra L%u;\n",
                  number);
        break;
    default:
        kit_print(out, "%s %%r%u, %%r%u, %%r%u;\n", operations[draw(state, COUNT(operations))], to,
                  a, b);
    }
}

static char *print_kernel(uint64_t *state)
{
    Text out = { 0 };
    kit_print(&out, "%s",
              ".version 8.0\n.target sm_90\n.address_size 64\n"
              ".visible .entry k(.param .u64 a) {\n.shared .align 4 .b8 s[4096];\n"
              ".reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
              "ld.param.u64 %rd1, [a]; mov.u32 %r10, s;\n"
              "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;\n"
              "mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r1, %r3, %r0;\n"
              "mov.u32 %r5, %tid.y; mov.u32 %r6, 7; mov.u32 %r7, %ctaid.z;\n");
    const unsigned lines = 4 + draw(state, MAX_LINES - 4);
    for (unsigned i = 0; i < lines; i++)
        print_line(&out, state, i);
    kit_print(&out, "%s", "ret;\n}\n");
    return out.bytes;
}

static void test_random(void **state)
{
    World *w = *state;
    uint64_t seed = 57;
    Tally tally = { 0 };
    for (unsigned i = 0; i < KERNELS; i++) {
        char *text = print_kernel(&seed);
        ptxlint_module *m = kit_module_kept(text);
        check_module(w, m, text, &seed, &tally);
        ptxlint_module_free(m);
        free(text);
    }
    assert_true(tally.compared > tally.made * 9 / 10);
}

static void test_measured(void **state)
{
    static const char *const names[] = { "algorithms", "blocks", "control", "copies", "kinds",
                                         "swizzle", "tables" };
    World *w = *state;
    uint64_t seed = 57;
    Tally tally = { 0 };
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        snprintf(path, sizeof path, "testdata/measured/%s.ptx", names[i]);
        ptxlint_module *m = kit_open_kept(path);
        check_module(w, m, path, &seed, &tally);
        ptxlint_module_free(m);
    }
    assert_true(tally.compared > tally.made * 9 / 10);
}

UNIT(block_log)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_measured, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
