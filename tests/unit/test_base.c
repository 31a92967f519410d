/* test_base.c -- what addresses and constants registers hold, branches that split a warp, what
 * becomes of variables. */
#include "arenas.h"
#include "kit.h"

#include "analysis/value/points_to.h"
#include "analysis/value/must_diverge.h"
#include "analysis/redundancy/usage.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/diag.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"
#include "analysis/value/uniform.h"
#include "session/session.h"

#include <stdint.h>

#define HEAD ".version 7.8\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                                                    \
    HEAD ".global .align 4 .b32 g[64];\n.const .align 4 .b32 c[4];\n.shared .align 4 .b8 "        \
         "s[1024];\n"                                                                             \
         ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .align 8 .b8 " \
         "pair[16]) BOUNDS\n{\n"                                                                  \
         ".reg .b32 a<30>;\n.reg .b64 d<30>;\n.reg .pred p<9>;\n"

static const char *name_of(const ptxlint_module *module, Span name)
{
    static char text[64];
    snprintf(text, sizeof text, "%.*s", (int)ptx_span_length(name), module->text + name.begin);
    return text;
}

/* A kernel around a body, with performance directives. */
static ptxlint_module *kernel_of(const char *bounds, const char *body)
{
    Text text = { 0 };
    const char *at = strstr(KERNEL, "BOUNDS");
    kit_put(&text, KERNEL, (size_t)(at - KERNEL));
    kit_print(&text, "%s%s", bounds, at + strlen("BOUNDS"));
    kit_put(&text, body, strlen(body));
    kit_print(&text, "\nret;\n}\n");
    ptxlint_module *module = kit_module(text.bytes);
    char *errors = kit_list(module, true);
    if (*errors)
        fail_msg("%s\n%s", body, kit_describe(module));
    free(errors);
    free(text.bytes);
    return module;
}

/* ---- bases ----------------------------------------------------------------------------------- */

static void put_space(Text *text, uint8_t space)
{
    kit_print(text, "%s", space == SPACE_GENERIC ? "generic" : space ? ptx_space_text[space] : "-");
}

/* "s+4 shared/shared", "*out+? generic/-", "=16", "?". */
static void put_base(Text *text, const ptxlint_module *module, const PointsTo *base)
{
    if (base->kind == BASE_UNKNOWN)
        kit_print(text, "?");
    if (base->kind == BASE_CONST)
        kit_print(text, "=%lld", (long long)base->offset);
    if (base->kind != BASE_VAR && base->kind != BASE_PARAM)
        return;
    kit_print(text, "%s%s", base->kind == BASE_PARAM ? "*" : "",
              name_of(module, module->ir->vars[base->id].name));
    if (base->has_offset)
        kit_print(text, "%+lld ", (long long)base->offset);
    else
        kit_print(text, "+? ");
    put_space(text, base->space);
    kit_print(text, "/");
    put_space(text, base->pointed);
}

static const struct { const char *body, *want; } bases[] = {
    { "ld.shared.u32 a1, [s+8];", "s+8 shared/shared" },
    { "mov.u32 a1, s; ld.shared.u32 a2, [a1+4];", "s+4 shared/shared" },
    { "mov.u32 a1, s; add.s32 a2, a1, 16; sub.s32 a3, a2, 20; ld.shared.u32 a4, [a3];", "s-4 shared/shared" },
    { "mov.u32 a1, s; add.u32 a2, a1, 0xFFFFFFF0; ld.shared.u32 a4, [a2+8];", "s-8 shared/shared" },
    { "mov.u64 d1, s; cvt.u32.u64 a1, d1; ld.shared.u32 a4, [a1];", "s+0 shared/shared" },
    { "mov.u32 a1, s; cvt.u64.u32 d1, a1; cvta.shared.u64 d2, d1; ld.u32 a4, [d2+4];", "s+4 generic/shared" },
    { "mov.u64 d1, g; ld.global.u32 a1, [d1];", "g+0 global/global" },
    { "mov.u64 d1, g+12; ld.global.u32 a1, [d1];", "g+12 global/global" },
    { "mov.u64 d1, g; cvt.u32.u64 a2, d1; ld.global.u32 a1, [a2];", "?" },
    { "mov.u64 d1, g; cvta.global.u64 d2, d1; cvta.to.global.u64 d3, d2; ld.u32 a1, [d2]; ld.global.u32 a1, [d3];",
      "g+0 generic/global, g+0 global/global" },
    { "cvta.global.u64 d2, g; ld.u32 a1, [d2];", "g+0 generic/global" },
    { "ld.param.u64 d1, [out]; ld.u32 a1, [d1+4];", "out+0 param/param, *out+4 -/-" },
    { "ld.param.u64 d1, [out]; cvta.to.global.u64 d2, d1; ld.global.u32 a1, [d2];", "out+0 param/param, *out+0 global/global" },
    { "ld.param.u64 d1, [pair+8]; ld.u32 a1, [d1];", "pair+8 param/param, ?" },
    { "ld.param.u64 d1, [pair]; ld.u32 a1, [d1];", "pair+0 param/param, ?" },
    { "ld.param.u32 a3, [n]; mov.u32 a1, s; shl.b32 a4, a3, 2; add.s32 a2, a1, a4; ld.shared.u32 a5, [a2+4];", "n+0 param/param, s+? shared/shared" },
    { "ld.param.u64 d1, [in]; mov.u32 a1, %tid.x; mul.wide.u32 d2, a1, 4; add.s64 d3, d1, d2; ld.u32 a2, [d3];",
      "in+0 param/param, *in+? -/-" },
    { "ld.param.u64 d1, [in]; mov.u32 a1, %tid.x; mad.wide.u32 d3, a1, 4, d1; ld.u32 a2, [d3];", "in+0 param/param, *in+? -/-" },
    { "ld.param.u64 d1, [in]; mad.lo.s64 d3, 8, 4, d1; ld.u32 a2, [d3];", "in+0 param/param, *in+32 -/-" },
    { "ld.param.u64 d1, [in]; ld.param.u64 d2, [out]; sub.s64 d3, d1, d2; add.s64 d4, d1, d2; ld.u32 a2, [d3]; ld.u32 a2, [d4];",
      "in+0 param/param, out+0 param/param, ?, ?" },
    { "mov.u64 d1, s; ld.param.u64 d2, [out]; add.s64 d3, d1, d2; ld.shared.u32 a1, [d3];", "out+0 param/param, s+? shared/shared" },
    { "mov.u32 a1, s; add.s32 a2, a1, 127; and.b32 a3, a2, -128; and.b32 a4, a2, 127; ld.shared.u32 a1, [a3]; ld.shared.u32 a5, [a4];", "?, ?" },
    { "mov.u32 a1, s; add.s32 a2, a1, 127; and.b32 a3, a2, -128; and.b32 a4, a2, 127; ld.shared.u32 a6, [a3]; ld.shared.u32 a5, [a4];",
      "s+? shared/shared, ?" },
    { "mov.u32 a1, 40; ld.shared.u32 a2, [a1+8]; ld.local.u32 a3, [16];", "=48, =16" },
    { "mov.u32 a1, 3; shl.b32 a2, a1, 4; or.b32 a3, a2, 1; mul.lo.s32 a4, a3, 2; sub.s32 a5, 100, a4; ld.shared.u32 a6, [a5];", "=2" },
    { "mov.u32 a1, -1; cvt.u64.u32 d1, a1; cvt.s64.s32 d2, a1; ld.u32 a2, [d1]; ld.u32 a3, [d2];", "=4294967295, =-1" },
    { "mov.u32 a1, 0x7FFFFFFF; add.s32 a2, a1, 1; ld.shared.u32 a3, [a2];", "=-2147483648" },
    { "mov.u32 a1, 1; shl.b32 a2, a1, 40; ld.shared.u32 a3, [a2];", "=0" },
    { "mov.u32 a1, s; L: ld.shared.u32 a2, [a1]; add.s32 a1, a1, 4; setp.lt.u32 p1, a2, 9; @p1 bra L;", "s+? shared/shared" },
    { "setp.eq.u32 p1, a9, 0; @p1 mov.u32 a1, s; ld.shared.u32 a2, [a1];", "s+? shared/shared" },
    { "L: add.s32 a1, a1, 4; ld.shared.u32 a2, [a1]; bra L;", "?" },
    { "mov.u64 d2, 5; L: ld.u32 a2, [d1]; mov.u64 d1, g; bra L;", "g+0 global/global" },
    { "ld.const.u32 a1, [c+4]; st.global.u32 [g+8], a1; atom.global.add.u32 a2, [g], 1;", "c+4 const/const, g+8 global/global, g+0 global/global" },
    { "mov.u32 a1, s; cp.async.ca.shared.global [a1+16], [g], 4;", "s+16 shared/shared" },
    { "mov.u32 a1, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a2}, [a1];", "s+0 shared/shared" },
    { "mov.b64 d1, {a1, a2}; ld.u32 a3, [d1];", "?" },
    { "mov.u32 a1, s; neg.s32 a2, a1; sub.s32 a3, a9, a1; ld.shared.u32 a4, [a2]; ld.shared.u32 a5, [a3];", "?, ?" },
    { "mov.u32 a1, s; mad.lo.s32 a2, a1, 4, 8; ld.shared.u32 a4, [a2];", "?" },
};

static void test_bases(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < COUNT(bases); i++) {
        ptxlint_module *module = kernel_of("", bases[i].body);
        const Func *func = &module->ir->funcs[0];
        ArenaMark before = ptx_arena_mark(&w->scratch);
        const PointsToSet *got = ptx_points_to_sets_compute(&w->arena, &w->scratch, module->ir,
                                                            func);
        ArenaMark after = ptx_arena_mark(&w->scratch);
        assert_true(before.chunk == after.chunk && before.next == after.next);
        Text text = { 0 };
        for (InsnId n = 0; n < func->insn_count; n++) {
            PointsTo base;
            const Op *op = func->insns[n].op;
            bool found = ptx_points_to_of_access(got, module->ir, func, &func->insns[n], &base);
            assert_int_equal(found, base.kind != BASE_UNKNOWN);
            if (!(op->flags & (OPF_LOAD | OPF_STORE)))
                continue;
            kit_print(&text, "%s", text.length ? ", " : "");
            put_base(&text, module, &base);
        }
        if (strcmp(text.bytes, bases[i].want))
            fail_msg("%s\n  want %s\n  got  %s", bases[i].body, bases[i].want, text.bytes);
        free(text.bytes);
        ptxlint_module_free(module);
    }
}

static void test_definitions(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    ptxlint_module *module = kernel_of(
        "", "mov.u32 a1, 7;\nadd.s32 a2, a1, a1;\nsetp.eq.u32 p1, a2, 14;\n@p1 mov.u32 a3, "
            "a2;\nmov.u32 a4, 0;\nmov.u32 a4, 1;\nst.global.u32 [g], a4;\n");
    const Func *func = &module->ir->funcs[0];
    const PointsToSet *got = ptx_points_to_sets_compute(&w->arena, &w->scratch, module->ir, func);
    static const struct { const char *name; InsnId def; uint32_t uses; int64_t value; } want[] = {
        { "a1", 0, 2, 7 }, { "a2", 1, 2, 14 }, { "p1", 2, 1, -1 }, { "a3", NO_ID, 0, -1 }, { "a4", NO_ID, 1, -1 },
    };
    for (RegId reg = 0; reg < func->reg_count; reg++) {
        for (size_t i = 0; i < COUNT(want); i++) {
            if (strcmp(name_of(module, ptx_reg_name(&func->regs[reg])), want[i].name))
                continue;
            int64_t value = -1;
            Operand operand = { .kind = OPERAND_REG, .role = ROLE_USE, .id = reg };
            ptx_points_to_constant(got, &operand, &value);
            if (got->def[reg] != want[i].def || got->use_count[reg] != want[i].uses
                || value != want[i].value)
                fail_msg("%s: %u %u %lld", want[i].name, got->def[reg], got->use_count[reg],
                         (long long)value);
        }
    }
    ptxlint_module_free(module);
}

/* ---- splits ---------------------------------------------------------------------------------- */

static const char *label_at(const ptxlint_module *module, const Func *func, InsnId insn)
{
    for (LabelId l = 0; l < func->label_count; l++)
        if (func->labels[l].insn == insn && func->labels[l].table == NO_ID)
            return name_of(module, func->labels[l].name);
    return insn ? "-" : "entry";
}

static const MustDiverge *splits_of(World *w, const ptxlint_module *module, FuncId f,
                                    const Launch *launch)
{
    Session *s = ptx_session_at(module, f);
    const FuncFlow flow = ptx_session_flow(s);
    ArenaMark before = ptx_arena_mark(&w->scratch);
    const Uniforms *uniforms = ptx_uniform_compute(&w->arena, &w->scratch, &flow, NULL, launch);
    const MustDiverge *splits = ptx_must_diverge_compute(&w->arena, &w->scratch, &flow, uniforms,
                                                         launch);
    ArenaMark after = ptx_arena_mark(&w->scratch);
    assert_true(before.chunk == after.chunk && before.next == after.next);
    return splits;
}

/* Of each block with a mark: "A!" splits, "B<A" by, "C?" may. */
static void put_splits(Text *text, const ptxlint_module *module, FuncId f,
                       const MustDiverge *splits)
{
    const Func *func = &module->ir->funcs[f];
    const Cfg *cfg = ptx_session_cfg(ptx_session_at(module, f));
    kit_put(text, "", 0);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        bool certain = splits->splits[b] || splits->by[b] != NO_ID;
        if (!ptx_block_is_reachable(cfg, b) || (!certain && !splits->may[b]))
            continue;
        kit_print(text, "%s%s%s", text->length ? " " : "",
                  label_at(module, func, cfg->blocks[b].first), splits->splits[b] ? "!" : "");
        if (splits->by[b] != NO_ID)
            kit_print(text, "<%s", label_at(module, func, cfg->blocks[splits->by[b]].first));
        kit_print(text, "%s", splits->may[b] ? "?" : "");
    }
}

#define TID "mov.u32 a1, %tid.x;\n"
#define WORK "st.global.u32 [g], a1;\n"
/* if (condition) { IN: barrier } AFTER: work */
#define IF(test) TID test "\n@p1 bra AFTER;\nIN: bar.sync 0;\nAFTER: " WORK

static const struct { const char *what, *bounds, *body, *want;
} splits[] = {
    { "half a warp", "", IF("setp.gt.u32 p1, a1, 15;"), "entry! IN<entry?" },
    { "one thread", "", IF("setp.ne.u32 p1, a1, 0;"), "entry! IN<entry?" },
    { "a whole warp", "", IF("setp.gt.u32 p1, a1, 31;"), "IN?" },
    { "whole warps, the shape known", ".reqntid 128, 1, 1", IF("setp.gt.u32 p1, a1, 31;"), "" },
    { "a warp and a half, the shape known", ".reqntid 128, 1, 1", IF("setp.gt.u32 p1, a1, 47;"),
      "entry! IN<entry?" },
    { "a warp and a half, not known", "", IF("setp.gt.u32 p1, a1, 47;"), "IN?" },
    { "rows of 16", ".reqntid 16, 16, 1", IF("setp.gt.u32 p1, a1, 15;"), "" },
    { "columns of 16", ".reqntid 16, 16, 1", IF("setp.gt.u32 p1, a1, 7;"), "entry! IN<entry?" },
    { "one lane", ".reqntid 1, 1, 1", IF("setp.ne.u32 p1, a1, 0;"), "" },
    { "fewer than a warp", ".maxntid 16, 1, 1", IF("setp.gt.u32 p1, a1, 15;"), "IN?" },
    { "two dimensions, not known", "", "mov.u32 a2, %tid.y;\n" IF("setp.gt.u32 p1, a1, 15;"),
      "IN?" },
    { "lanes, in any shape", "",
      "mov.u32 a2, %tid.y; mov.u32 a3, %laneid;\n" IF("setp.gt.u32 p1, a3, 15;"),
      "entry! IN<entry?" },
    { "parity", "", IF("and.b32 a2, a1, 1; setp.eq.u32 p1, a2, 0;"), "entry! IN<entry?" },
    { "the warp's number", "", IF("shr.u32 a2, a1, 5; setp.ne.u32 p1, a2, 0;"), "IN?" },
    { "a parameter", "", IF("ld.param.u32 a2, [n]; setp.gt.u32 p1, a2, 5;"), "" },
    { "a parameter and the lane", "", IF("ld.param.u32 a2, [n]; setp.ge.u32 p1, a1, a2;"), "IN?" },
    { "the lane, whatever else", "",
      IF("ld.param.u32 a2, [n]; setp.ge.u32 p2, a2, 7; setp.gt.or.u32 p1, a1, 15, p2;"), "IN?" },
    { "memory", "", IF("ld.global.u32 a2, [g]; setp.ge.u32 p1, a2, 7;"), "IN?" },
    { "the block's place", "", IF("mov.u32 a2, %ctaid.x; setp.ge.u32 p1, a2, 7;"), "" },
    { "both arms", "",
      TID "setp.gt.u32 p1, a1, 15;\n@p1 bra B;\nA: bar.sync 0;\nbra AFTER;\nB: bar.sync "
          "1;\nAFTER: " WORK,
      "entry! A<entry? B<entry?" },
    { "a bounds check that leaves", "",
      TID "setp.gt.u32 p1, a1, 15;\n@p1 bra OUT;\nIN: bar.sync 0;\nOUT: ret;", "entry! IN?" },
    { "the same with an exit of its own", "",
      TID "setp.lt.u32 p1, a1, 16;\n@p1 bra IN;\nret;\nIN: bar.sync 0;\nNEXT: " WORK,
      "entry! -? IN?" },
    { "a guarded exit", "", TID "setp.gt.u32 p1, a1, 15;\n@p1 exit;\nIN: bar.sync 0;\n" WORK,
      "IN?" },
    { "behind those that left", "",
      TID "setp.gt.u32 p1, a1, 15;\n@p1 exit;\nIN: setp.gt.u32 p2, a1, 15;\n@p2 bra AFTER;\nB: "
          "bar.sync 0;\nAFTER: " WORK,
      "IN? B? AFTER?" },
    { "a bounds check of the grid, then the lane", "",
      TID "mov.u32 a2, %ctaid.x; mov.u32 a3, %ntid.x; mad.lo.s32 a4, a2, a3, a1; ld.param.u32 a5, "
          "[n]; setp.ge.u32 p1, a4, a5;\n@p1 bra OUT;\n"
          "IN: setp.gt.u32 p2, a1, 15;\n@p2 bra AFTER;\nB: bar.sync 0;\nAFTER: " WORK "OUT: ret;",
      "IN!? B<IN? AFTER?" },
    { "the inner condition follows from the outer", "",
      TID "setp.gt.u32 p1, a1, 7;\n@p1 bra AFTER;\nIN: setp.gt.u32 p2, a1, 15;\n@p2 bra AFTER;\nB: "
          "bar.sync 0;\nAFTER: " WORK,
      "entry! IN<entry? B<entry?" },
    { "the outer condition lets too few through, perhaps", "",
      TID "mov.u32 a2, %ntid.x; shr.u32 a2, a2, 6; setp.ge.u32 p1, a1, a2;\n@p1 bra AFTER;\nIN: "
          "setp.gt.u32 p2, a1, 15;\n@p2 bra AFTER;\nB: bar.sync 0;\nAFTER: " WORK,
      "IN? B?" },
    { "nested", "",
      TID "setp.gt.u32 p1, a1, 15;\n@p1 bra AFTER;\nIN: setp.gt.u32 p2, a1, 7;\n@p2 bra MEET;\nB: "
          "bar.sync 0;\nMEET: " WORK "AFTER: " WORK,
      "entry! IN!<entry? B<IN? MEET<entry?" },
    { "a loop that lanes leave one by one", "",
      TID "mov.u32 a2, a1;\nL: bar.sync 0;\nadd.u32 a2, a2, 1;\nsetp.lt.u32 p1, a2, 40;\n@p1 bra "
          "L;\nAFTER: " WORK,
      "L?" },
    { "a loop that all leave together", "",
      TID "mov.u32 a2, 0;\nL: bar.sync 0;\nadd.u32 a2, a2, 1;\nsetp.lt.u32 p1, a2, 40;\n@p1 bra "
          "L;\nAFTER: " WORK,
      "" },
    { "a branch inside a loop", "",
      TID "mov.u32 a2, 0;\nL: setp.gt.u32 p2, a1, 15;\n@p2 bra NEXT;\nB: bar.sync 0;\nNEXT: "
          "add.u32 a2, a2, 1;\nsetp.lt.u32 p1, a2, 40;\n@p1 bra L;\nAFTER: " WORK,
      "L! B<L?" },
    { "a reduction's loop: fewer lanes each time", "",
      TID "mov.u32 a2, 64;\nL: bar.sync 0;\nsetp.ge.u32 p2, a1, a2;\n@p2 bra NEXT;\nB: " WORK
          "NEXT: shr.u32 a2, a2, 1;\nsetp.gt.u32 p1, a2, 0;\n@p1 bra L;\nAFTER: " WORK,
      "B?" },
    { "what a loop of different length left", "",
      TID "mov.u32 a2, a1; mov.u32 a3, 0;\nL: add.u32 a3, a3, 1; add.u32 a2, a2, 1;\nsetp.lt.u32 "
          "p1, a2, 40;\n@p1 bra L;\nM: setp.lt.u32 p2, a3, 20;\n@p2 bra AFTER;\nB: bar.sync "
          "0;\nAFTER: " WORK,
      "L? B?" },
    { "continue: the way back before the paths meet", "",
      TID "mov.u32 a2, 0;\nL: add.u32 a2, a2, 1;\nsetp.gt.u32 p3, a2, 9;\n@p3 bra AFTER;\nM: "
          "setp.gt.u32 p2, a1, 15;\n@p2 bra L;\nB: bar.sync 0;\nbra L;\nAFTER: " WORK,
      "M! B<M?" },
    { "a way around the branch", "",
      TID "ld.param.u32 a2, [n]; setp.eq.u32 p3, a2, 0;\n@p3 bra B;\nM: setp.gt.u32 p2, a1, "
          "15;\n@p2 bra AFTER;\nB: bar.sync 0;\nAFTER: " WORK,
      "M! B?" },
    { "a trap in an arm", "",
      TID "setp.gt.u32 p1, a1, 15;\n@p1 bra AFTER;\nIN: bar.sync 0;\nld.param.u32 a2, [n]; "
          "setp.eq.u32 p3, a2, 0;\n@p3 bra BAD;\nbra AFTER;\nBAD: trap;\nAFTER: " WORK,
      "entry! IN? -? BAD? AFTER?" },
    { "target and next are one", "", TID "setp.gt.u32 p1, a1, 15;\n@p1 bra IN;\nIN: bar.sync 0;",
      "" },
    { "brx", "",
      TID "ts: .branchtargets A, B;\nbrx.idx a1, ts;\nA: bar.sync 0;\nbra AFTER;\nB: bar.sync "
          "1;\nAFTER: " WORK,
      "A? B?" },
};

static void test_splits(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    int bad = 0;
    for (size_t i = 0; i < COUNT(splits); i++) {
        ptxlint_module *module = kernel_of(splits[i].bounds, splits[i].body);
        Text text = { 0 };
        put_splits(&text, module, 0, splits_of(w, module, 0, NULL));
        if (strcmp(text.bytes, splits[i].want)) {
            print_error("%s\n%s\n  want %s\n  got  %s\n", splits[i].what, splits[i].body,
                        splits[i].want, text.bytes);
            bad++;
        }
        free(text.bytes);
        ptxlint_module_free(module);
    }
    assert_int_equal(bad, 0);
}

/* ---- input that is meant to be expensive ----------------------------------------------------- */

static void put_diamonds(Text *text, int length)
{
    for (int i = 0; i < length; i++)
        kit_print(text, "setp.gt.u32 p1, a1, %d;\n@p1 bra D%d;\nadd.u32 a2, a2, %d;\nD%d:\n",
                  i % 64, i, i, i);
}

static void put_loops(Text *text, int length)
{
    for (int i = 0; i < length; i++)
        kit_print(text, "S%d:\nadd.u32 a2, a2, 1;\nsetp.lt.u32 p1, a2, %d;\n@p1 bra S%d;\n", i,
                  3 * i + 5, i);
}

static void put_nest(Text *text, int depth)
{
    for (int i = 0; i < depth; i++)
        kit_print(text, "setp.gt.u32 p1, a1, %d;\n@p1 bra E%d;\n", depth - i, i);
    for (int i = depth; i-- > 0;)
        kit_print(text, "add.u32 a2, a2, 1;\nE%d:\n", i);
}

static void put_jumps(Text *text,
                      int length) /* every block to a few others, forwards and backwards */
{
    for (int i = 0; i < length; i++)
        kit_print(text, "J%d:\nsetp.gt.u32 p1, a1, %d;\n@p1 bra J%u;\n", i, i % 32,
                  (unsigned)i * 7919u % (unsigned)length);
}

static const struct { const char *what; void (*put)(Text *, int); int size, few; } costly[] = {
    { "diamonds", put_diamonds, 20000, 40 },
    { "loops", put_loops, 20000, 40 },
    { "nest", put_nest, 10000, 30 },
    { "jumps", put_jumps, 10000, 30 },
};

static void test_costly(void **state)
{
    World *w = *state;
    const Launch launch = { .grid = { 8, 1, 1 },
                            .block = { 1024, 1, 1 },
                            .dynamic_shared_bytes = -1 };
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < 2 * COUNT(costly); i++) {
        Text body = { 0 };
        kit_print(&body, "%s", TID "mov.u32 a2, 0;\n");
        costly[i / 2].put(&body, i % 2 ? costly[i / 2].few : costly[i / 2].size);
        kit_print(&body, "%s", WORK);
        ptxlint_module *module = kernel_of("", body.bytes);
        splits_of(w, module, 0, NULL);
        splits_of(w, module, 0, &launch);
        ptxlint_module_free(module);
        free(body.bytes);
    }
}

/* The launch gives the shape, and parameters. */
static void test_launches(void **state)
{
    World *w = *state;
    static const uint8_t ten[] = { 10, 0, 0, 0 };
    const LaunchParam params[] = { { .bytes = NULL }, { .bytes = NULL },
                                    { .bytes = ten, .length = 4 } };
    const Launch launch = { .grid = { 8, 1, 1 },
                            .block = { 64, 1, 1 },
                            .dynamic_shared_bytes = -1,
                            .params = params,
                            .param_count = 3 };
    static const struct { const char *body, *want; } cases[] = {
        { IF("ld.param.u32 a2, [n]; setp.ge.u32 p1, a1, a2;"), "entry! IN<entry?" },
        { IF("setp.gt.u32 p1, a1, 31;"), "" },
        { IF("mov.u32 a2, %tid.y; setp.gt.u32 p2, a2, 0; setp.gt.or.u32 p1, a1, 40, p2;"), "entry! IN<entry?" },
    };
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = kernel_of("", cases[i].body);
        Text text = { 0 };
        put_splits(&text, module, 0, splits_of(w, module, 0, &launch));
        if (strcmp(text.bytes, cases[i].want))
            fail_msg("%s\n  want %s\n  got  %s", cases[i].body, cases[i].want, text.bytes);
        free(text.bytes);
        ptxlint_module_free(module);
    }
}

/* ---- usage ----------------------------------------------------------------------------------- */

/* "n" named, "r" read, "w" written; those of the module, and those of the first function that are
 * not parameters. */
static void put_usage(Text *text, const ptxlint_module *module, const Usage *usage)
{
    kit_put(text, "", 0);
    for (VarId v = 0; v < module->ir->var_count; v++) {
        if (module->ir->vars[v].is_parameter)
            continue;
        kit_print(text, "%s%s:%s%s%s", text->length ? " " : "",
                  name_of(module, module->ir->vars[v].name), usage->is_named[v] ? "n" : "",
                  usage->is_read[v] ? "r" : "", usage->is_written[v] ? "w" : "");
    }
}

#define ENTRY(body)                                                                          \
    ".entry k(.param .u64 out) {\n.reg .b32 a<9>;\n.reg .b64 d<9>;\n.reg .pred p<5>;\n" body \
    "\nret;\n}\n"
#define X ".global .align 4 .b32 x[4];\n"
#define S ".shared .align 16 .b8 x[64];\n"

static const struct { const char *text, *want; } usages[] = {
    { X ENTRY(""), "x:" },
    { X ENTRY("ld.global.u32 a1, [x];"), "x:nr" },
    { X ENTRY("st.global.u32 [x+4], 1;"), "x:nw" },
    { X ENTRY("atom.global.add.u32 a1, [x], 1;"), "x:nrw" },
    { X ENTRY("red.global.add.u32 [x], 1;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x;"), "x:n" },
    { X ENTRY("mov.u64 d1, x; add.s64 d2, d1, 4; cvta.global.u64 d3, d2; ld.u32 a1, [d3];"), "x:nr" },
    { X ENTRY("mov.u64 d1, x; mov.u32 a1, %tid.x; mad.wide.u32 d2, a1, 4, d1; st.global.u32 [d2], a1;"), "x:nw" },
    { X ENTRY("mov.u64 d1, x; setp.eq.u64 p1, d1, 0;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; st.global.u64 [d2], d1;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; mov.u64 d2, d1; mov.u64 d2, 0; ld.global.u32 a1, [d2];"), "x:nrw" },
    { X ENTRY("setp.eq.u32 p1, a1, 0; @p1 mov.u64 d1, x;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; selp.b64 d2, d1, d3, p1;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; mov.b64 {a1, a2}, d1;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; sub.s64 d3, d4, d1;"), "x:nrw" },
    { X ENTRY("mov.u64 d1, x; isspacep.global p1, d1;"), "x:nrw" },
    { X ENTRY("L: ld.global.u32 a1, [d1]; mov.u64 d1, x; bra L;"), "x:nr" },
    { X ENTRY("L: add.s64 d2, d1, 4; mov.u64 d1, x; ld.global.u32 a1, [d2]; bra L;"), "x:nrw" },
    { S ENTRY("mov.u32 a1, x; cp.async.ca.shared.global [a1], [d1], 4;"), "x:nw" },
    { X ENTRY("mov.u64 d1, x; cp.async.ca.shared.global [a1], [d1], 4;"), "x:nr" },
    { S ENTRY("mov.u32 a1, x; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a2}, [a1+16];"), "x:nr" },
    { S ENTRY("mov.u32 a1, x; stmatrix.sync.aligned.m8n8.x1.shared.b16 [a1+16], {a2};"), "x:nw" },
    { S ENTRY("mbarrier.init.shared.b64 [x], 32;"), "x:nrw" },
    { X ".global .u64 y = x;\n" ENTRY(""), "x:nrw y:" },
    { X ".global .u64 y[2] = { generic(x), 0 };\n" ENTRY("ld.global.u64 d1, [y];"), "x:nrw y:nr" },
    { ".global .b32 xx[4];\n" X ".global .u64 y = x;\n" ENTRY(""), "xx: x:nrw y:" },
    { X ".global .b32 y = 5;\n" ENTRY(""), "x: y:" },
    { ".global .texref t;\n" ENTRY(".reg .f32 f<9>; tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [t, {f5, f6}];"), "t:nr" },
    { X ".func f(.param .u64 p) {\nret;\n}\n" ENTRY("{ .param .b64 q; mov.u64 d1, x; st.param.b64 [q], d1; call f, (q); }"), "x:nrw q:nrw" },
    { X ENTRY("mov.u32 a1 0;"), "x:nrw" },
};

static void test_usage(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < COUNT(usages); i++) {
        Text source = { 0 }, text = { 0 };
        kit_print(&source, "%s%s", HEAD, usages[i].text);
        ptxlint_module *module = kit_module(source.bytes);
        ArenaMark before = ptx_arena_mark(&w->scratch);
        UsageMarks *marks = ptx_usage_marks_new(&w->arena, module->ir);
        const Usage *usage = ptx_usage_compute(&w->arena, &w->scratch, marks);
        ArenaMark after = ptx_arena_mark(&w->scratch);
        assert_true(before.chunk == after.chunk && before.next == after.next);
        put_usage(&text, module, usage);
        if (strcmp(text.bytes, usages[i].want))
            fail_msg("%s  want %s\n  got  %s", usages[i].text, usages[i].want, text.bytes);
        free(text.bytes);
        free(source.bytes);
        ptxlint_module_free(module);
    }
}

/* ---- real kernels ---------------------------------------------------------------------------- */

static bool has_barrier(const Func *func, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++)
        if (func->insns[i].op->kind == OPK_BAR)
            return true;
    return false;
}

/* Barriers that perhaps a part of a warp comes to: behind a condition on memory, behind those that
 * left, in the code of one warp among several, behind a check of the grid's handle. */
static const char *const divergent[] = { "divergent_barrier", "return_before_barrier",
                                      "producer_consumer", "grid_steps" };

static bool is_divergent(const char *kernel)
{
    for (size_t i = 0; i < COUNT(divergent); i++)
        if (!strcmp(divergent[i], kernel))
            return true;
    return false;
}

typedef struct Tally {
    uint32_t accesses, known, splits, marks, blocks, whole;
} Tally;

static void tally_bases(World *w, const ptxlint_module *module, const Func *func, Tally *tally)
{
    const PointsToSet *got = ptx_points_to_sets_compute(&w->arena, &w->scratch, module->ir, func);
    for (InsnId n = 0; n < func->insn_count; n++) {
        PointsTo base;
        const Op *op = func->insns[n].op;
        if (!(op->flags & (OPF_LOAD | OPF_STORE)) || op->space == SPACE_PARAM)
            continue;
        tally->accesses++;
        tally->known += ptx_points_to_of_access(got, module->ir, func, &func->insns[n], &base);
    }
}

static void tally_splits(World *w, const ptxlint_module *module, FuncId f, const Launch *launch,
                         Tally *tally)
{
    const Func *func = &module->ir->funcs[f];
    const Cfg *cfg = ptx_session_cfg(ptx_session_at(module, f));
    const MustDiverge *s = splits_of(w, module, f, launch);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        assert_true((s->by[b] == NO_ID && !s->splits[b])
                    || (func->is_entry && ptx_block_is_reachable(cfg, b)));
        assert_true(s->may[b] || (func->is_entry && s->by[b] == NO_ID));
        bool is_doubtful = s->by[b] != NO_ID
                           || (func->is_entry && s->may[b]
                               && !is_divergent(name_of(module, func->name)));
        if (is_doubtful && ptx_block_is_reachable(cfg, b) && has_barrier(func, &cfg->blocks[b]))
            fail_msg("%s, line %u", name_of(module, func->name),
                     kit_line(module, func->insns[cfg->blocks[b].first].span.begin));
        tally->splits += s->splits[b];
        tally->marks += s->by[b] != NO_ID;
        tally->blocks += func->is_entry;
        tally->whole += func->is_entry && !s->may[b];
    }
}

/* Compilers' code: no barrier where only a part of a warp comes, nearly none where perhaps, and
 * most accesses have a base. */
static void test_corpus(void **state)
{
    World *w = *state;
    Paths files = kit_walk("testdata/ptx", ".ptx");
    const Launch launch = { .grid = { 64, 1, 1 },
                            .block = { 128, 1, 1 },
                            .dynamic_shared_bytes = -1 };
    Tally plain = { 0 }, launched = { 0 };
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open(files.paths[i]);
        ptx_usage_compute(&w->arena, &w->scratch, ptx_usage_marks_new(&w->arena, module->ir));
        for (FuncId f = 0; f < module->ir->func_count; f++) {
            tally_bases(w, module, &module->ir->funcs[f], &plain);
            if (!ptx_session_cfg(ptx_session_at(module, f)))
                continue;
            tally_splits(w, module, f, NULL, &plain);
            tally_splits(w, module, f, &launch, &launched);
        }
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
    assert_true(plain.accesses > 5000 && plain.known * 5 >= plain.accesses * 4);
    assert_true(plain.splits > 200 && plain.marks > 200);
    assert_true(launched.whole > plain.whole);
}

UNIT(base)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_definitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_splits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_costly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_usage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_corpus, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
