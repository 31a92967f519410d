/* test_threads.c -- one program, run by several threads at once: what each counts is what it counts
 * alone. */
#include "kit.h"

#include "analysis/access/evaluate.h"
#include "analysis/race/hazard.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/sim/program.h"
#include "analysis/value/launch.h"
#include "support/arena.h"

#include <pthread.h>
#include <stdint.h>

enum { STEPS = 1 << 20, TIMES = 20, MOST_THREADS = 4 };

static const char text[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".const .align 4 .b32 steps[4] = { 4, 8, 12, 16 };\n"
    ".func (.param .b32 out) scale(.param .b32 in) {\n"
    ".reg .b32 %r<3>;\nld.param.u32 %r1, [in];\nshl.b32 %r2, %r1, 2;\nst.param.b32 [out], "
    "%r2;\nret;\n}\n"
    ".visible .entry rows(.param .u64 a, .param .u32 n) {\n"
    ".reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<3>; .reg .f32 %f<4>; .shared .align 16 .b8 "
    "tile[4096];\n"
    "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, "
    "%ctaid.x;\nmov.u32 %r4, %ntid.x;\n"
    "mad.lo.u32 %r5, %r3, %r4, %r2;\nmov.u32 %r6, 0;\nmov.u64 %rd4, steps;\nld.const.u32 %r9, "
    "[%rd4+4];\nmul.lo.u32 %r10, %r2, %r9;\n"
    "mov.u32 %r11, tile;\nadd.u32 %r11, %r11, %r10;\nmov.f32 %f1, 0f00000000;\n"
    "LOOP:\nmad.lo.u32 %r7, %r6, 4096, %r5;\nmul.wide.u32 %rd2, %r7, 4;\nadd.u64 %rd3, %rd1, "
    "%rd2;\nld.global.f32 %f2, [%rd3];\n"
    "add.f32 %f1, %f1, %f2;\nst.shared.f32 [%r11], %f1;\nbar.sync 0;\nadd.u32 %r6, %r6, "
    "1;\nsetp.lt.u32 %p1, %r6, %r1;\n@%p1 bra LOOP;\n"
    "setp.gt.u32 %p2, %r2, 31;\n@%p2 bra END;\nst.global.f32 [%rd3], %f1;\nEND: ret;\n}\n"
    ".visible .entry called(.param .u64 a) {\n"
    ".reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 16 .b8 own[4096];\n"
    "mov.u32 %r1, %tid.x;\n{ .param .b32 x; .param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), "
    "scale, (x);\nld.param.b32 %r2, [y]; }\n"
    "mov.u32 %r3, own;\nadd.u32 %r3, %r3, %r2;\nst.shared.u32 [%r3], %r1;\nld.shared.u32 %r1, "
    "[%r3+4];\n"
    "ld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 "
    "[%rd3], %r1;\nret;\n}\n";

static const uint8_t trips[4] = { 9, 0, 0, 0 };
static const LaunchParam params[2] = { { .is_pointer = true }, { .bytes = trips, .length = 4 } };
static const Launch launch = { .is_given = true,
                               .grid = { 16, 1, 1 },
                               .block = { 128, 1, 1 },
                               .dynamic_shared_bytes = -1,
                               .params = params,
                               .param_count = 2 };

/* A thread's own. */
typedef struct Worker {
    pthread_t thread;
    Arena arena, work, scratch;
    jmp_buf failure;
    const ptxlint_module *module;
    const SimProgram *program;
    FuncId kernel;
    unsigned times;
    Text out;                   /* of the last time */
    bool is_done, is_same;      /* as often as that; all times alike */
} Worker;

static void print_counts(Text *out, const Func *func, const Evaluation *e)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Count *c = e->insns[i].total;
        kit_print(out, "%u: %.17g %.17g %.17g %.17g %.17g %.17g %d %d\n", i, c->warps, c->lanes,
                  c->requests, c->sectors, c->wavefronts, c->waits, c->doubt, c->pattern);
    }
    kit_print(out, "%u blocks, %u called\n", e->blocks_run, e->called_count);
}

static void run_once(Worker *w, Text *out)
{
    const Func *func = &w->module->ir->funcs[w->kernel];
    ArenaMark mark = ptx_arena_mark(&w->arena);
    const KernelRun once = { .arena = &w->arena, .work = &w->work, .scratch = &w->scratch,
                             .program = w->program, .kernel = w->kernel, .launch = &launch };
    print_counts(out, func, ptx_evaluate(&once, w->module->gpus[0], STEPS, DEPTH_WHOLE));
    const Hazards *hazards = ptx_hazards_find(&once);
    kit_print(out, "%u hazards\n", hazards ? hazards->count : 0);
    ptx_arena_release(&w->arena, mark);
}

static void *run(void *context)
{
    Worker *w = context;
    if (setjmp(w->failure))
        return NULL;
    w->is_same = true;
    for (unsigned i = 0; i < w->times; i++) {
        Text now = { 0 };
        run_once(w, &now);
        w->is_same &= !i || !strcmp(now.bytes, w->out.bytes);
        free(w->out.bytes);
        w->out = now;
    }
    w->is_done = true;
    return NULL;
}

static void begin(Worker *w, const ptxlint_module *module, const SimProgram *program, FuncId kernel,
                  unsigned times)
{
    Arena *arenas[] = { &w->arena, &w->work, &w->scratch };
    *w = (Worker){ .module = module, .program = program, .kernel = kernel, .times = times };
    for (size_t i = 0; i < COUNT(arenas); i++)
        ptx_arena_init(arenas[i], (size_t)1 << 28, &w->failure);
}

static void end(Worker *w)
{
    ptx_arena_free(&w->arena);
    ptx_arena_free(&w->work);
    ptx_arena_free(&w->scratch);
    free(w->out.bytes);
}

static FuncId kernel_of(const Module *module, const char *name)
{
    FuncId id = 0;
    while (id < module->func_count
           && (ptx_span_length(module->funcs[id].name) != strlen(name)
               || memcmp(module->text + module->funcs[id].name.begin, name, strlen(name)) != 0))
        id++;
    assert_true(id < module->func_count);
    return id;
}

static ptxlint_module *open_module(void)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find("h200");
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

/* What each thread finds of these kernels, all at once, is what is found of them one by one. */
static void run_all(const FuncId *kernels, size_t count, const ptxlint_module *module,
                    const SimProgram *program)
{
    Worker alone[MOST_THREADS], together[MOST_THREADS];
    for (size_t i = 0; i < count; i++) {
        begin(&alone[i], module, program, kernels[i], 1);
        run(&alone[i]);
        begin(&together[i], module, program, kernels[i], TIMES);
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&together[i].thread, NULL, run, &together[i]), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_join(together[i].thread, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        assert_true(alone[i].is_done && together[i].is_done && together[i].is_same);
        assert_string_equal(together[i].out.bytes, alone[i].out.bytes);
        end(&alone[i]);
        end(&together[i]);
    }
}

static void test_program_is_shared(void **state)
{
    (void)state;
    ptxlint_module *module = open_module();
    Worker own;
    begin(&own, module, NULL, 0, 0);
    SimProgram *program = ptx_program_new(
        &own.arena, ptx_code_new(&own.arena, module->ir, module->calls));
    const FuncId rows = kernel_of(module->ir, "rows"), called = kernel_of(module->ir, "called");
    const FuncId kernels[MOST_THREADS] = { rows, called, rows, called };
    run_all(kernels, 2, module, program);       /* each machine plans for itself */
    ptx_program_keep(program, &own.arena);
    ptx_program_plan(program, &own.scratch, rows, (SimFlow){ 0 });
    ptx_program_plan(program, &own.scratch, called, (SimFlow){ 0 });
    run_all(kernels, MOST_THREADS, module, program);
    end(&own);
    ptxlint_module_free(module);
}

/* The figures are not all nothing. */
static void test_figures(void **state)
{
    (void)state;
    ptxlint_module *module = open_module();
    Worker w;
    begin(&w, module, NULL, kernel_of(module->ir, "called"), 1);
    w.program = ptx_program_new(&w.arena, ptx_code_new(&w.arena, module->ir, module->calls));
    run(&w);
    assert_non_null(strstr(w.out.bytes, "1 hazards\n"));
    assert_non_null(strstr(w.out.bytes, ": 64 2048 64 "));      /* 16 blocks of four warps */
    end(&w);
    ptxlint_module_free(module);
}

/* ---- coverage of launches -------------------------------------------------------------------- */

enum { LOOP_LINE = 28 };

/* A line in the loop of `rows`, and one before it. */
static const char trips_json[] =
    "{\"kernels\": {\"rows\": {\"trips\": {\"28\": 4, \"17\": 4}}}}";

static void *cover(void *data)
{
    const ptxlint_module *module = data;
    ptxlint_launches *launches = NULL;
    ptxlint_coverage *coverage = NULL;
    ptxlint_covered seen;
    uintptr_t matches = 0;
    char error[256];
    bool is_good = ptxlint_launches_new(trips_json, strlen(trips_json), &launches, error,
                                        sizeof error) == PTXLINT_OK
                   && ptxlint_coverage_new(launches, &coverage) == PTXLINT_OK;
    for (unsigned i = 0; i < TIMES && is_good; i++)
        is_good = ptxlint_coverage_add(coverage, module, NULL) == PTXLINT_OK;
    for (size_t i = 0; is_good && ptxlint_coverage_at(coverage, i, &seen); i++)
        if (seen.part == PTXLINT_PART_TRIP && seen.matches)
            matches += seen.line;
    ptxlint_coverage_free(coverage);
    ptxlint_launches_free(launches);
    return (void *)matches;
}

/* Several threads ask one module, opened without launches, for the loop at a line. */
static void test_coverage_is_shared(void **state)
{
    (void)state;
    ptxlint_module *module = open_module();
    const size_t used = module->arena.used_bytes;
    const char *next = module->arena.next;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, cover, module), 0);
    for (int i = 0; i < 2; i++) {
        void *line = NULL;
        assert_int_equal(pthread_join(threads[i], &line), 0);
        assert_int_equal((uintptr_t)line, LOOP_LINE);
    }
    assert_int_equal(module->arena.used_bytes, used);
    assert_ptr_equal(module->arena.next, next);
    ptxlint_module_free(module);
}

/* ---- the public interface -------------------------------------------------------------------- */

static void ask_kernel(const ptxlint_module *module, const ptxlint_kernel *kernel, Text *out)
{
    ptxlint_graph *graph = NULL;
    ptxlint_requests *requests = NULL;
    ptxlint_recognition *recognition = NULL;
    ptxlint_thread_index index = { .size = sizeof index };
    size_t count = 0;
    ptxlint_status statuses[] = {
        ptxlint_graph_new(module, kernel, &graph),
        ptxlint_requests_new(module, kernel, &requests),
        ptxlint_recognition_new(module, kernel, &recognition),
        ptxlint_thread_index_find(module, kernel->name, &index),
    };
    ptxlint_requests_all(requests, &count);
    kit_print(out, "%d %d %d %d, %zu, %lld\n", (int)statuses[0], (int)statuses[1],
              (int)statuses[2], (int)statuses[3], count,
              (long long)ptxlint_module_live_at(module, kernel->span.end - 4));
    ptxlint_graph_free(graph);
    ptxlint_requests_free(requests);
    ptxlint_recognition_free(recognition);
}

/* The same launches by both threads, in the other order: answers are kept in the module. */
static void ask_estimates(const ptxlint_module *module, const char *kernel, bool is_odd, Text *out)
{
    double times[4] = { 0 };
    for (int i = 0; i < 4; i++) {
        const int at = is_odd ? 3 - i : i;
        ptxlint_estimated answer = { .size = sizeof answer };
        ptxlint_trial trial;
        ptxlint_trial_init(&trial);
        trial.grid[0] = 16;
        trial.block[0] = 32 << at;
        if (ptxlint_estimate(module, kernel, 0, &trial, &answer) == PTXLINT_OK)
            times[at] = answer.time.predicted_us;
    }
    kit_print(out, "%g %g %g %g\n", times[0], times[1], times[2], times[3]);
}

typedef struct Asker {
    pthread_t thread;
    const ptxlint_module *module;
    bool is_odd;
    Text out;
} Asker;

static void *ask_all(void *data)
{
    Asker *a = data;
    size_t count;
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_JSON;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(a->module, &count);
    for (size_t i = 0; i < count; i++) {
        ask_kernel(a->module, &kernels[i], &a->out);
        ask_estimates(a->module, kernels[i].name, a->is_odd, &a->out);
    }
    ptxlint_write_report(&a->module, 1, &options, kit_write, &a->out);
    ptxlint_write_diagnostics(&a->module, 1, &options, kit_write, &a->out);
    ptxlint_module_save(a->module, kit_write, &a->out);
    return NULL;
}

/* What a thread gets of a module does not depend on the other; ThreadSanitizer watches where the
 * build has it (CONTRIBUTING.md). */
static void test_module_is_shared(void **state)
{
    (void)state;
    ptxlint_module *module = open_module();
    Asker askers[2] = { { .module = module }, { .module = module, .is_odd = true } };
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
    assert_true(askers[0].out.length > 1000);
    assert_int_equal(askers[0].out.length, askers[1].out.length);
    assert_memory_equal(askers[0].out.bytes, askers[1].out.bytes, askers[0].out.length);
    for (int i = 0; i < 2; i++)
        free(askers[i].out.bytes);
    ptxlint_module_free(module);
}

UNIT(threads)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_program_is_shared),
                                        cmocka_unit_test(test_module_is_shared),
                                        cmocka_unit_test(test_figures),
                                        cmocka_unit_test(test_coverage_is_shared) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
