/* pressure_features FILE SM... : what src/analysis/registers/features.def names, a line a kernel
 * and target; the first line says the columns. tools/fit_registers.py holds it against what ptxas
 * gave. */
#include "api/module.h"
#include "analysis/registers/register_count.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

static void put_kernel(const ptxlint_module *m, FuncId id, const char *path, const char *sm)
{
    const Func *func = &m->ir->funcs[id];
    Session *s = ptx_session_at(m, id);
    const Gpu *gpu = ptx_gpu_find_target((Target){ (uint16_t)atoi(sm), 0 });
    Arena arena, scratch;
    jmp_buf failed;
    if (!func->is_entry || !ptx_session_cfg(s) || !gpu)
        return;
    ptx_arena_init(&arena, (size_t)4 << 30, &failed);
    ptx_arena_init(&scratch, (size_t)4 << 30, &failed);
    if (!setjmp(failed)) {
        const FuncFlow flow = ptx_session_flow(s);
        const Uniforms *uniforms = ptx_uniform_compute(&arena, &scratch, &flow, NULL,
                                                       ptx_session_launch(s));
        const Lowered *lowered = ptx_lowered_compute(&arena, &scratch, &flow, uniforms,
                                                     gpu->target);
        Pressure p = ptx_pressure_compute(&scratch, &flow, ptx_session_live(s), lowered, gpu);
        printf("%s %.*s %s %u %u %u", path, (int)ptx_span_length(func->name),
               m->text + func->name.begin, sm, p.low, p.registers, p.high);
        for (unsigned i = 0; i < PRESSURE__COUNT; i++)
            printf(" %u", p.features[i]);
        putchar('\n');
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
