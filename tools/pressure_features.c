/* pressure_features FILE SM... : what src/analysis/registers/features.def names, a line a kernel
 * and target; the first line says the columns. tools/fit_registers.py holds it against what ptxas
 * gave. */
#include "api/module.h"
#include "analysis/registers/register_count.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

/* What the module knew went with its analysis: flow is made again. */
static FuncFlow make_flow(Arena *arena, Arena *scratch, const Module *module, const Func *func)
{
    const Cfg *cfg = ptx_cfg_build(arena, scratch, module, func);
    const Dom *dom = cfg ? ptx_dom_compute(arena, scratch, cfg) : NULL;
    const Loops *loops = cfg ? ptx_loops_compute(arena, scratch, cfg, dom) : NULL;
    return (FuncFlow){ module, func, cfg, dom, loops, NULL };
}

static void put_figures(Arena *arena, Arena *scratch, const FuncFlow *flow, const Launch *launch,
                        const Gpu *gpu)
{
    const Live *live = ptx_live_compute(arena, scratch, NULL, flow->func, flow->cfg);
    const Uniforms *uniforms = ptx_uniform_compute(arena, scratch, flow, NULL, launch);
    const Lowered *lowered = ptx_lowered_compute(arena, scratch, flow, uniforms, gpu->target);
    const Pressure p = ptx_pressure_compute(scratch, flow, live, lowered, gpu);
    printf(" %u %u %u", p.low, p.registers, p.high);
    for (unsigned i = 0; i < PRESSURE__COUNT; i++)
        printf(" %u", p.features[i]);
}

static void put_kernel(const ptxlint_module *m, FuncId id, const char *path, const char *sm)
{
    const Func *func = &m->ir->funcs[id];
    const Gpu *gpu = ptx_gpu_find_target((Target){ (uint16_t)atoi(sm), 0 });
    Arena arena, scratch;
    jmp_buf failed;
    if (!func->is_entry || !gpu)
        return;
    ptx_arena_init(&arena, (size_t)4 << 30, &failed);
    ptx_arena_init(&scratch, (size_t)4 << 30, &failed);
    if (!setjmp(failed)) {
        const FuncFlow flow = make_flow(&arena, &scratch, m->ir, func);
        if (flow.cfg) {
            printf("%s %.*s %s", path, (int)ptx_span_length(func->name), m->text + func->name.begin,
                   sm);
            put_figures(&arena, &scratch, &flow, ptx_session_launch(ptx_session_at(m, id)), gpu);
            putchar('\n');
        }
    }
    ptx_arena_free(&arena);
    ptx_arena_free(&scratch);
}

int main(int argc, char **argv)
{
    ptxlint_module *m;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.findings_only = 1;
    if (argc < 3 || ptxlint_module_open(argv[1], &options, &m) != PTXLINT_OK) {
        fprintf(stderr, "pressure_features FILE SM...\n");
        return 1;
    }
    fputs("file kernel sm low registers high"
#define PF(id, what) " " #id
#include "analysis/registers/features.def"
#undef PF
          "\n", stdout);
    for (int a = 2; a < argc; a++)
        for (FuncId f = 0; f < m->ir->func_count; f++)
            put_kernel(m, f, argv[1], argv[a]);
    ptxlint_module_free(m);
    return 0;
}
