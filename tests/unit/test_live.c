/* test_live.c -- liveness, pressure and dead writes: kernels with the answer beside them, and a
 * naive dataflow solver that must agree on every real kernel. */
#include "kit.h"

#include "api/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "session/session.h"

#include <stddef.h>

#define TOP                                                                                   \
    ".version 8.7\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 a) .maxntid 32 {\n" \
    ".reg .b16 %h<10>; .reg .b32 %r<200>; .reg .b64 %rd<10>; .reg .pred %p<8>; .reg .f32 "    \
    "%f<200>; .reg .v4 .f32 v;\n"
#define LOAD "ld.param.u64 %rd1, [a];\n"

/* Line 6 is the first of the body. live: names at the maximum, in order of appearance. dead:
 * lines. */
typedef struct Case {
    const char *what, *body;
    int64_t max_live, predicates;
    uint32_t line;
    const char *live, *dead;
} Case;

static const Case cases[] = {
    { "straight line",
      LOAD "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nadd.s32 %r3, %r1, "
           "%r2;\nst.global.u32 [%rd1], %r3;\nret;\n",
      4, 0, 8, "%rd1 %r1 %r2", "" },
    { "a 64-bit value is two",
      LOAD "ld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, [%rd1+8];\nadd.s64 %rd4, %rd2, "
           "%rd3;\nst.global.u64 [%rd1], %rd4;\nret;\n",
      6, 0, 8, "%rd1 %rd2 %rd3", "" },
    { "a 16-bit value is a whole register",
      LOAD "ld.global.u16 %h1, [%rd1];\nld.global.u16 %h2, [%rd1+2];\nadd.s16 %h3, %h1, "
           "%h2;\nst.global.u16 [%rd1], %h3;\nret;\n",
      4, 0, 8, "%rd1 %h1 %h2", "" },
    { "predicates are counted apart",
      "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\nsetp.eq.s32 %p2, %r1, 1;\n@%p1 bra L;\n@%p2 "
      "bra L;\nbar.sync 0;\nL:\nret;\n",
      1, 2, 6, NULL, "" },
    { "diamond",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r5, 7;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra "
           "ELSE;\nadd.s32 %r2, %r1, 1;\nbra JOIN;\nELSE:\n"
           "add.s32 %r2, %r1, 2;\nJOIN:\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+4], "
           "%r5;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r5", "" },
    { "defined on one arm only",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra "
           "JOIN;\nmov.u32 %r2, 1;\nJOIN:\nst.global.u32 [%rd1], %r2;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r2", "" },
    { "carried around a loop",
      LOAD "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nL:\nadd.s32 %r2, %r2, %r1;\nadd.s32 %r1, %r1, "
           "1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\nst.global.u32 [%rd1], %r2;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r2", "" },
    { "lives through a loop that does not name it",
      LOAD "mov.u32 %r1, 0;\nld.global.u32 %r3, [%rd1];\nL:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 "
           "%p1, %r1, 9;\n@%p1 bra L;\nst.global.u32 [%rd1], %r3;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r3", "" },
    { "a vector is all of its elements",
      LOAD "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\nst.global.v4.f32 [%rd1+16], {%f1, %f2, "
           "%f3, %f4};\nret;\n",
      6, 0, 7, "%rd1 %f1 %f2 %f3 %f4", "" },
    { "a vector register is its width",
      LOAD "ld.global.v4.f32 v, [%rd1];\nst.global.v4.f32 [%rd1+16], v;\nret;\n", 6, 0, 7, "v %rd1",
      "" },
    { "guarded: same guard on definition and use",
      LOAD "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 ld.global.u32 %r2, [%rd1];\n@%p1 "
           "st.global.u32 [%rd1+4], %r2;\nret;\n",
      3, 1, 7, NULL, "" },
    { "guarded: complements define it on every path",
      LOAD "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 1;\n@!%p1 mov.u32 "
           "%r2, 2;\nst.global.u32 [%rd1], %r2;\nret;\n",
      3, 1, 7, NULL, "" },
    { "guarded: complement, an earlier value is dead",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, "
           "1;\n@!%p1 mov.u32 %r2, 2;\nst.global.u32 [%rd1], %r2;\nret;\n",
      4, 1, 8, NULL, "8" },
    { "guarded: the earlier value lives on",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, "
           "1;\nst.global.u32 [%rd1], %r2;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r2", "" },
    { "guarded: use under another guard",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\nsetp.eq.s32 %p2, %r1, "
           "1;\n@%p1 mov.u32 %r2, 1;\n@%p2 st.global.u32 [%rd1], %r2;\nret;\n",
      4, 2, 8, "%rd1 %r1 %r2", "" },
    { "guarded: the guard is set anew between",
      LOAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, "
           "1;\nsetp.eq.s32 %p1, %r1, 2;\n@%p1 st.global.u32 [%rd1], %r2;\nret;\n",
      4, 1, 8, "%rd1 %r1 %r2", "" },
    { "never written: not live",
      LOAD "mov.u32 %r1, 1;\nL:\nadd.s32 %r1, %r1, %r50;\nsetp.lt.s32 %p1, %r1, %r51;\n@%p1 bra "
           "L;\nst.global.u32 [%rd1], %r1;\nret;\n",
      3, 1, 7, NULL, "" },
    { "dead writes",
      LOAD "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.s32 %r3, %r1, %r2;\nld.global.u32 %r4, "
           "[%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n",
      4, 0, 8, NULL, "9 10" },
    { "a dead loop counter is read by itself",
      "mov.u32 %r1, 0;\nL:\nadd.s32 %r1, %r1, 1;\nbar.sync 0;\nbra L;\n", 1, 0, 6, "%r1", "" },
    { "what a call, an atomic or a barrier writes is no dead write",
      LOAD "mov.u32 %r5, %tid.x;\nsetp.eq.u32 %p1, %r5, 0;\natom.global.add.u32 %r1, [%rd1], "
           "1;\nbarrier.red.popc.u32 %r2, 0, %p1;\nret;\n",
      3, 1, 7, NULL, "" },
    { "mma",
      LOAD
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\nld.global.v2.u32 {%r5, %r6}, [%rd1+16];\n"
      "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r1, %r2, %r3, "
      "%r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};\n"
      "st.global.v4.f32 [%rd1], {%f5, %f6, %f7, %f8};\nret;\n",
      12, 0, 9, NULL, "" },
    { "mma in place",
      LOAD
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\nld.global.v2.u32 {%r5, %r6}, [%rd1+16];\n"
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+32];\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, "
      "%r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};\n"
      "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\nret;\n",
      12, 0, 9, "%rd1 %r1 %r2 %r3 %r4 %r5 %r6 %f1 %f2 %f3 %f4", "" },
};

static char *names_of(const ptxlint_kernel *kernel)
{
    Text text = { 0 };
    kit_put(&text, "", 0);
    for (size_t i = 0; i < kernel->pressure.live_count; i++)
        kit_print(&text, "%s%s", i ? " " : "", kernel->pressure.live[i]);
    return text.bytes;
}

static char *dead_lines(const ptxlint_module *module)
{
    Text text = { 0 };
    kit_put(&text, "", 0);
    const Live *live = ptx_session_live(ptx_session_at(module, 0));
    for (uint32_t d = 0; d < live->dead_count; d++)
        kit_print(&text, "%s%u", d ? " " : "",
                  kit_line(module, module->ir->funcs[0].insns[live->dead[d]].span.begin));
    return text.bytes;
}

static void test_kernels(void **state)
{
    (void)state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Case *c = &cases[i];
        Text text = { 0 };
        kit_print(&text, "%s", TOP);
        kit_print(&text, "%s}\n", c->body);
        ptxlint_module *module = kit_module_kept(text.bytes);
        const ptxlint_kernel *kernel = kit_kernel(module, NULL);
        const ptxlint_pressure *p = &kernel->pressure;
        char *names = names_of(kernel), *dead = dead_lines(module),
             *errors = kit_list(module, true);
        uint32_t line = kit_line(module, p->where.begin);
        bool right = !*errors && p->max_live == c->max_live
                     && p->max_live_predicates == c->predicates && line == c->line
                     && (!c->live || !strcmp(names, c->live)) && !strcmp(dead, c->dead);
        if (!right)
            kit_print(&trouble,
                      "%s: %s live %lld, predicates %lld, line %u, names %s, dead at %s\n", c->what,
                      errors, (long long)p->max_live, (long long)p->max_live_predicates, line,
                      names, dead);
        free(names);
        free(dead);
        free(errors);
        free(text.bytes);
        ptxlint_module_free(module);
    }
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("liveness differs");
    }
}

/* A wgmma of 96 accumulators: all live at once, and in and out are the same registers. */
static void test_wgmma(void **state)
{
    (void)state;
    Text text = { 0 };
    kit_print(&text, "%s%s", TOP, LOAD "mov.u64 %rd2, 0; mov.u64 %rd3, 0;\n");
    for (int i = 0; i < 96; i++)
        kit_print(&text, "mov.f32 %%f%d, 0f00000000;\n", i);
    kit_print(&text,
              "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 {");
    for (int i = 0; i < 96; i++)
        kit_print(&text, "%s%%f%d", i ? ", " : "", i);
    kit_print(&text, "}, %%rd2, %%rd3, 1, 1, 1, 0, "
                     "0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (int i = 0; i < 96; i++)
        kit_print(&text, "st.global.f32 [%%rd1+%d], %%f%d;\n", 4 * i, i);
    kit_print(&text, "ret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    char *errors = kit_list(module, true);
    assert_string_equal(errors, "");
    free(errors);
    const ptxlint_pressure *p = &kit_kernel(module, NULL)->pressure;
    assert_int_equal(p->max_live, 96 + 6);
    assert_int_equal(p->max_live_64, 3);
    assert_int_equal(p->live_count, 99);
    ptxlint_module_free(module);
    free(text.bytes);
}

/* ---- against a naive solver ------------------------------------------------------------------ */

typedef struct Sets {
    uint8_t *in, *out, *reach;  /* [block][reg] */
} Sets;

/* The textbook: out = union of in of successors, in = uses + (out - kills), until nothing changes;
 * a definition under a guard kills nothing. A register that no definition reaches is then taken
 * out. */
static Sets solve(const Func *func, const Cfg *cfg)
{
    size_t regs = func->reg_count + 1, blocks = cfg->block_count;
    Sets sets = { calloc(blocks, regs), calloc(blocks, regs), calloc(blocks, regs) };
    uint8_t *uses = calloc(blocks, regs), *kills = calloc(blocks, regs),
            *defs = calloc(blocks, regs);
    assert_true(sets.in && sets.out && sets.reach && uses && kills && defs);
    for (BlockId b = 0; b < blocks; b++) {
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++) {
            const Insn *insn = &func->insns[i];
            const Operand *operands = ptx_insn_operands(func, insn);
            if (insn->guard != NO_ID && !kills[b * regs + insn->guard])
                uses[b * regs + insn->guard] = 1;
            for (uint32_t o = 0; o < insn->operand_count; o++)
                if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE
                    && !kills[b * regs + operands[o].id])
                    uses[b * regs + operands[o].id] = 1;
            for (uint32_t o = 0; o < insn->operand_count; o++) {
                if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                    continue;
                defs[b * regs + operands[o].id] = 1;
                if (insn->guard == NO_ID && !(operands[o].role & ROLE_USE))
                    kills[b * regs + operands[o].id] = 1;
            }
        }
    }
    for (RegId r = 0; r < func->reg_count; r++)
        if (func->regs[r].is_param)
            sets.reach[r] = 2;          /* reaches the beginning of block 0 */
    for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b = (BlockId)blocks; b-- > 0;) {
            const Block *block = &cfg->blocks[b];
            for (uint32_t n = 0; n < block->succ_count; n++) {
                BlockId succ = cfg->succs[block->succ_first + n];
                if (succ == EXIT_BLOCK)
                    continue;
                for (size_t r = 0; r < func->reg_count; r++) {
                    bool add = sets.in[succ * regs + r] && !sets.out[b * regs + r];
                    bool flows = (defs[b * regs + r] || sets.reach[b * regs + r])
                                 && !sets.reach[succ * regs + r];
                    sets.out[b * regs + r] |= add;
                    sets.reach[succ * regs + r] |= flows;
                    changed |= add || flows;
                }
            }
            for (size_t r = 0; r < func->reg_count; r++) {
                bool live = uses[b * regs + r] || (sets.out[b * regs + r] && !kills[b * regs + r]);
                changed |= live && !sets.in[b * regs + r];
                sets.in[b * regs + r] |= live;
            }
        }
    }
    for (size_t b = 0; b < blocks; b++)
        for (size_t r = 0; r < func->reg_count; r++)
            if (!defs[b * regs + r] && !sets.reach[b * regs + r])
                sets.out[b * regs + r] = 0;
    free(uses);
    free(kills);
    free(defs);
    return sets;
}

typedef struct Tally {
    size_t funcs, equal;
} Tally;

static void compare_func(const char *path, const ptxlint_module *module, const Func *func,
                         Session *session, Tally *tally)
{
    const Cfg *cfg = ptx_session_cfg(session);
    const Live *live = ptx_session_live(session);
    if (!cfg || func->has_syntax_error || (uint64_t)cfg->block_count * func->reg_count > 6000000)
        return;
    bool guarded = false;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            guarded |= func->insns[i].guard != NO_ID && operands[o].kind == OPERAND_REG
                       && operands[o].role & ROLE_DEF;
    }
    Sets sets = solve(func, cfg);
    size_t regs = func->reg_count + 1;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        uint8_t *out = sets.out + b * regs;
        if (!ptx_block_is_reachable(cfg, b))
            continue;
        for (uint32_t o = live->out_first[b]; o < live->out_first[b + 1]; o++) {
            RegId reg = live->out[o];
            if (!out[reg])
                fail_msg("%s: %.*s: block %u: register %u is live only here", path,
                         (int)ptx_span_length(func->name), module->text + func->name.begin, b, reg);
            if (o > live->out_first[b] && live->out[o - 1] >= reg)
                fail_msg("%s: block %u: live-out is not ascending", path, b);
            out[reg] = 0;
        }
        for (RegId reg = 0; reg < func->reg_count && !guarded; reg++)
            if (out[reg])
                fail_msg("%s: %.*s: block %u: register %u is not live", path,
                         (int)ptx_span_length(func->name), module->text + func->name.begin, b, reg);
    }
    tally->funcs++;
    tally->equal += !guarded;
    free(sets.in);
    free(sets.out);
    free(sets.reach);
}

static void test_against_naive(void **state)
{
    (void)state;
    Tally tally = { 0 };
    Paths files = kit_walk("testdata/ptx", ".ptx");
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open_kept(files.paths[i]);
        for (FuncId f = 0; f < module->ir->func_count; f++)
            compare_func(files.paths[i], module, &module->ir->funcs[f], ptx_session_at(module, f),
                         &tally);
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
    assert_true(tally.funcs > 200);
    assert_true(tally.equal > 100);
}

UNIT(live)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_wgmma),
        cmocka_unit_test(test_against_naive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
