/* test_isa.c -- the instruction tables, and what instructions read and write. */
#include "kit.h"

#include "api/module.h"
#include "isa/isa.h"
#include "session/session.h"
#include "support/diag.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"

#include <inttypes.h>

/* ---- the tables ------------------------------------------------------------------------------ */

static void test_sorted(void **state)
{
    (void)state;
    for (OpcodeId i = 2; i < ptx_opcode_count; i++)
        if (strcmp(ptx_opcode_info[i - 1].text, ptx_opcode_info[i].text) >= 0)
            fail_msg("opcodes %s and %s", ptx_opcode_info[i - 1].text, ptx_opcode_info[i].text);
    for (uint16_t i = 1; i < ptx_modifier_count; i++)
        if (strcmp(ptx_modifier_texts[i - 1], ptx_modifier_texts[i]) >= 0)
            fail_msg("modifiers %s and %s", ptx_modifier_texts[i - 1], ptx_modifier_texts[i]);
    for (OpcodeId i = 1; i < ptx_opcode_count; i++)
        assert_int_equal(ptx_opcode_find(ptx_opcode_info[i].text, strlen(ptx_opcode_info[i].text)),
                         i);
    for (uint16_t i = 0; i < ptx_modifier_count; i++)
        assert_int_equal(ptx_modifier_find(ptx_modifier_texts[i], strlen(ptx_modifier_texts[i])),
                         i);
    static const char *const none[] = { "", "a", "ad", "addd", "zzz", "~", "Add" };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_int_equal(ptx_opcode_find(none[i], strlen(none[i])), 0);
}

static void test_forms(void **state)
{
    (void)state;
    FormId seen = 1;
    for (OpcodeId o = 1; o < ptx_opcode_count; o++)
        assert_true(ptx_opcode_info[o].form_count > 0);
    for (FormId f = 1; f < ptx_form_count; f++, seen++) {
        const FormInfo *form = &ptx_form_info[f];
        const OpcodeInfo *opcode = &ptx_opcode_info[form->opcode];
        assert_true(form->opcode > 0 && form->opcode < ptx_opcode_count);
        assert_true(f >= opcode->form_first && f < opcode->form_first + opcode->form_count);
        if (form->version < 10 || form->version > PTX_VERSION_NEWEST
            || ptx_version_find(form->version / 10, form->version % 10) != TARGET_KNOWN)
            fail_msg("%s: form %u: version %u", opcode->text, (unsigned)f, (unsigned)form->version);
        char target[16];
        Target read;
        snprintf(target, sizeof target, "sm_%u%.1s", (unsigned)form->target.sm,
                 form->target.suffix ? &form->target.suffix : "");
        if (ptx_target_find(target, strlen(target), &read) != TARGET_KNOWN)
            fail_msg("%s: form %u: target %s", opcode->text, (unsigned)f, target);
        assert_true(form->class != FORM_NONE);
        for (unsigned m = 0; m < form->modifier_count; m++) {
            const GroupInfo *group =
                &ptx_group_info[ptx_form_modifiers[form->modifier_first + m].group];
            if (!group->count)
                fail_msg("%s: form %u: an empty group", opcode->text, (unsigned)f);
            for (unsigned v = 0; v < group->count; v++) {
                assert_true(ptx_group_values[group->first + v] < ptx_modifier_count);
                assert_true(!v
                            || ptx_group_values[group->first + v]
                                   > ptx_group_values[group->first + v - 1]);
            }
        }
        for (unsigned o = 0; o < form->operand_count; o++)
            assert_true(ptx_form_operands[form->operand_first + o].role != ROLE_NONE
                        || ptx_form_operands[form->operand_first + o].type >= OPERAND_IMM);
    }
    assert_int_equal(seen, ptx_form_count);
}

/* Column 2 of tests/data/isa/isa-facts.tsv: every opcode that ptxas 13.0 takes (column 9 says
 * yes). */
static void test_every_opcode(void **state)
{
    (void)state;
    char *text = kit_read("tests/data/isa/isa-facts.tsv", NULL), *line = strchr(text, '\n');
    size_t rows = 0;
    while (line && line[1]) {
        char *name = strchr(line + 1, '\t') + 1;
        size_t length = strcspn(name, "\t\n");
        rows++;
        if (!ptx_opcode_find(name, length))
            fail_msg("no opcode `%.*s`", (int)length, name);
        line = strchr(line + 1, '\n');
    }
    assert_true(rows > 300);
    free(text);
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        TargetStatus status;
        uint16_t sm;
        char suffix;
    } names[] = {
        { "sm_10", TARGET_KNOWN, 10, 0 },      { "sm_90", TARGET_KNOWN, 90, 0 },
        { "sm_90a", TARGET_KNOWN, 90, 'a' },   { "compute_80", TARGET_KNOWN, 80, 0 },
        { "sm_100f", TARGET_KNOWN, 100, 'f' }, { "sm_121a", TARGET_KNOWN, 121, 'a' },
        { "sm_90f", TARGET_UNKNOWN, 0, 0 },    { "sm_80a", TARGET_UNKNOWN, 0, 0 },
        { "sm_91", TARGET_UNKNOWN, 0, 0 },     { "sm_130", TARGET_NEWER, 130, 0 },
        { "sm_130a", TARGET_NEWER, 130, 'a' }, { "sm_", TARGET_UNKNOWN, 0, 0 },
        { "sm_9", TARGET_UNKNOWN, 0, 0 },      { "sm_90b", TARGET_UNKNOWN, 0, 0 },
        { "sm_99999", TARGET_UNKNOWN, 0, 0 },  { "SM_90", TARGET_UNKNOWN, 0, 0 },
        { "", TARGET_UNKNOWN, 0, 0 },
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        Target target;
        TargetStatus status = ptx_target_find(names[i].text, strlen(names[i].text), &target);
        if (status != names[i].status || target.sm != names[i].sm
            || target.suffix != names[i].suffix)
            fail_msg("%s: status %d, sm %u%c", names[i].text, (int)status, (unsigned)target.sm,
                     target.suffix ? target.suffix : ' ');
    }
    static const struct { Target have, needed; bool allowed; } rules[] = {
        { { 90, 0 }, { 90, 0 }, true },     { { 90, 0 }, { 80, 0 }, true },     { { 80, 0 }, { 90, 0 }, false },
        { { 90, 'a' }, { 90, 0 }, true },   { { 90, 'a' }, { 90, 'a' }, true }, { { 90, 0 }, { 90, 'a' }, false },
        { { 100, 'a' }, { 90, 'a' }, false }, { { 100, 'f' }, { 100, 'a' }, false },
        { { 100, 'f' }, { 100, 'f' }, true }, { { 100, 'a' }, { 100, 'f' }, true }, { { 103, 'f' }, { 100, 'f' }, true },
        { { 103, 'a' }, { 100, 'f' }, true }, { { 103, 0 }, { 100, 'f' }, false }, { { 100, 'f' }, { 103, 'f' }, false },
        { { 110, 'f' }, { 100, 'f' }, false }, { { 120, 'a' }, { 100, 'f' }, false }, { { 121, 'f' }, { 120, 'f' }, true },
    };
    for (size_t i = 0; i < COUNT(rules); i++)
        if (ptx_target_allows(rules[i].have, rules[i].needed) != rules[i].allowed)
            fail_msg("sm_%u%c for sm_%u%c", (unsigned)rules[i].have.sm,
                     rules[i].have.suffix ? rules[i].have.suffix : ' ',
                     (unsigned)rules[i].needed.sm,
                     rules[i].needed.suffix ? rules[i].needed.suffix : ' ');
}

static void test_versions(void **state)
{
    (void)state;
    uint32_t newest = 0;
#define TG(sm, suffixes, ...)
#define VR(major, minor) newest = 10 * (major) + (minor);
#include "isa/targets.def"
#undef TG
#undef VR
    assert_int_equal(PTX_VERSION_NEWEST, newest);
    static const struct { uint32_t major, minor; TargetStatus status; } cases[] = {
        { 1, 0, TARGET_KNOWN }, { 1, 5, TARGET_KNOWN }, { 1, 6, TARGET_UNKNOWN }, { 2, 3, TARGET_KNOWN }, { 2, 4, TARGET_UNKNOWN },
        { 6, 5, TARGET_KNOWN }, { 6, 6, TARGET_UNKNOWN }, { 8, 8, TARGET_KNOWN }, { 8, 9, TARGET_UNKNOWN }, { 9, 0, TARGET_KNOWN },
        { 9, 4, TARGET_KNOWN }, { 9, 5, TARGET_NEWER }, { 10, 0, TARGET_NEWER }, { 0, 9, TARGET_UNKNOWN },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (ptx_version_find(cases[i].major, cases[i].minor) != cases[i].status)
            fail_msg("%u.%u", cases[i].major, cases[i].minor);
}

static void test_suggestions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *near;
    } cases[] = { { "mvo", "mov" }, { "ad", "add" }, { "fmaa", "fma" }, { "qqqqqq", NULL } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *near = ptx_opcode_suggest(cases[i].text, strlen(cases[i].text));
        if (near != cases[i].near && (!near || !cases[i].near || strcmp(near, cases[i].near)))
            fail_msg("%s: %s", cases[i].text, near ? near : "none");
    }
}

/* ---- classes and spaces ---------------------------------------------------------------------- */

static Op resolved(const char *text)
{
    Op op;
    ptx_op_resolve(&op, text, strlen(text));
    return op;
}

/* What an instruction does is the longest row of op.def, part for part, that its text begins
 * with. */
static void test_operations(void **state)
{
    (void)state;
    static const struct { const char *text; Operation family, operation; } cases[] = {
        { "add.s32", OP_ADD, OP_ADD }, { "addc.u32", OP_ADDC, OP_ADDC }, { "bar.sync", OP_BAR, OP_BAR }, { "bar.warp.sync", OP_BAR, OP_BAR_WARP },
        { "barrier.cluster.arrive.aligned", OP_BARRIER, OP_BARRIER_CLUSTER_ARRIVE }, { "barrier.cta.sync", OP_BARRIER, OP_BARRIER },
        { "cp.async.ca.shared.global", OP_CP, OP_CP_ASYNC }, { "cp.async.wait_all", OP_CP, OP_CP_ASYNC_WAIT_ALL },
        { "cp.async.bulk.wait_group.read", OP_CP, OP_CP_ASYNC_BULK_WAIT_GROUP },
        { "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", OP_CP, OP_CP_ASYNC_BULK },
        { "fence.acq_rel.gpu", OP_FENCE, OP_FENCE }, { "fence.proxy.async", OP_FENCE, OP_FENCE_PROXY_ASYNC },
        { "fence.proxy.async.global", OP_FENCE, OP_FENCE_PROXY_ASYNC_GLOBAL }, { "fence.proxy.async.shared::cta", OP_FENCE, OP_FENCE_PROXY_ASYNC },
        { "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", OP_FENCE, OP_FENCE_PROXY_ASYNC_GENERIC },
        { "mbarrier.arrive.shared.b64", OP_MBARRIER, OP_MBARRIER_ARRIVE }, { "mbarrier.arrive_drop.shared.b64", OP_MBARRIER, OP_MBARRIER_ARRIVE_DROP },
        { "mbarrier.arrive.expect_tx.shared.b64", OP_MBARRIER, OP_MBARRIER_ARRIVE }, { "st.async.weak.b32", OP_ST, OP_ST_ASYNC },
        { "st.asynchronous.b32", OP_ST, OP_ST }, { "st.shared.async.b32", OP_ST, OP_ST }, { "wmma.load.a.sync.aligned.row.m16n16k16.f16", OP_WMMA, OP_WMMA_LOAD },
        { "ret", OP_RET, OP_RET }, { "frobnicate.s32", OP_NONE, OP_NONE }, { "vadd4.u32.u32.u32.add", OP_VADD4, OP_VADD4 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Op op = resolved(cases[i].text);
        if (op.family != (uint8_t)cases[i].family || op.operation != (uint8_t)cases[i].operation)
            fail_msg("%s: family %u, operation %u", cases[i].text, (unsigned)op.family,
                     (unsigned)op.operation);
    }
    static const char *const rows[] = {
        "",
#define OP(id, text, kind, trait, what) text,
#include "isa/op.def"
#undef OP
    };
    for (size_t i = 1; i < COUNT(rows); i++)
        if (resolved(rows[i]).operation != i)
            fail_msg("%s is operation %u, not %zu", rows[i], (unsigned)resolved(rows[i]).operation,
                     i);
}

static void test_modifiers(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
#define MD(id, text) text,
#include "isa/modifier.def"
#undef MD
    };
    for (Modifier m = MOD_NONE + 1; m < MOD__COUNT; m++) {
        char text[64];
        snprintf(text, sizeof text, "ld.%s.u32", rows[m]);
        Op op = resolved(text);
        for (Modifier other = MOD_NONE + 1; other < MOD__COUNT; other++)
            if (ptx_op_has(&op, other) != (other == m))
                fail_msg("%s has .%s: %d", text, rows[other], ptx_op_has(&op, other));
        assert_int_equal(ptx_op_modifier(&op, 0), m);
    }
    Op op = resolved("mad.lo.sat.s32"), none = resolved("add.s32"),
       unknown = resolved("add.frob.s32");
    static const uint8_t words[] = { MOD_FTZ, MOD_SAT, MOD_NONE };
    assert_true(ptx_op_has(&op, MOD_LO) && ptx_op_has_any(&op, words)
                && !ptx_op_has_any(&none, words));
    assert_int_equal(ptx_op_modifier(&unknown, 0), MOD_NONE);
    assert_int_equal(resolved("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16").shape[1], 128);
    assert_int_equal(resolved("ldmatrix.sync.aligned.m8n8.x4.shared.b16").shape[1], 0);
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        InsnClass insn_class;
        Space space;
        uint8_t vector;
    } cases[] = {
        { "fma.rn.f32", CLASS_FMA, SPACE_NONE, 1 },
        { "mad.f32", CLASS_FMA, SPACE_NONE, 1 },
        { "add.f32", CLASS_FP32, SPACE_NONE, 1 },
        { "fma.rn.f64", CLASS_FP64, SPACE_NONE, 1 },
        { "add.f64", CLASS_FP64, SPACE_NONE, 1 },
        { "fma.rn.f16x2", CLASS_HALF, SPACE_NONE, 1 },
        { "add.rn.bf16", CLASS_HALF, SPACE_NONE, 1 },
        { "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", CLASS_TENSOR, SPACE_NONE, 1 },
        { "add.s32", CLASS_INT, SPACE_NONE, 1 },
        { "mad.lo.s32", CLASS_INT, SPACE_NONE, 1 },
        { "setp.lt.s32", CLASS_INT, SPACE_NONE, 1 },
        { "and.b32", CLASS_LOGIC, SPACE_NONE, 1 },
        { "shl.b32", CLASS_LOGIC, SPACE_NONE, 1 },
        { "lop3.b32", CLASS_LOGIC, SPACE_NONE, 1 },
        { "cvt.rn.f32.s32", CLASS_CVT, SPACE_NONE, 1 },
        { "sin.approx.f32", CLASS_SFU, SPACE_NONE, 1 },
        { "rcp.approx.ftz.f32", CLASS_SFU, SPACE_NONE, 1 },
        { "ld.global.v4.f32", CLASS_GLOBAL, SPACE_GLOBAL, 4 },
        { "ld.f32", CLASS_GLOBAL, SPACE_GENERIC, 1 },
        { "st.shared.b32", CLASS_SHARED, SPACE_SHARED, 1 },
        { "ld.local.v2.b32", CLASS_LOCAL, SPACE_LOCAL, 2 },
        { "ld.const.f32", CLASS_CONST, SPACE_CONST, 1 },
        { "ld.param.u64", CLASS_PARAM, SPACE_PARAM, 1 },
        { "tex.2d.v4.f32.f32", CLASS_TEXTURE, SPACE_NONE, 4 },
        { "atom.global.add.u32", CLASS_ATOMIC, SPACE_GLOBAL, 1 },
        { "red.shared.add.u32", CLASS_ATOMIC, SPACE_SHARED, 1 },
        { "bra.uni", CLASS_CONTROL, SPACE_NONE, 1 },
        { "ret", CLASS_CONTROL, SPACE_NONE, 1 },
        { "bar.sync", CLASS_BARRIER, SPACE_NONE, 1 },
        { "membar.gl", CLASS_BARRIER, SPACE_NONE, 1 },
        { "mov.u32", CLASS_MOVE, SPACE_NONE, 1 },
        { "shfl.sync.down.b32", CLASS_MOVE, SPACE_NONE, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Op op;
        ptx_op_resolve(&op, cases[i].text, strlen(cases[i].text));
        if (!op.form || op.insn_class != cases[i].insn_class || op.vector != cases[i].vector
            || (cases[i].space ? op.space != cases[i].space : false))
            fail_msg("%s: form %u, class %s, space %u, vector %u", cases[i].text, (unsigned)op.form,
                     ptx_class_info[op.insn_class].text ? ptx_class_info[op.insn_class].text
                                                        : "none",
                     (unsigned)op.space, (unsigned)op.vector);
    }
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* Registers that an instruction writes and reads, in operand order; the guard is read last. */
static const struct { const char *text, *defs, *uses; } roles[] = {
    { "mov.u32 %r1, %r2;", "%r1", "%r2" },
    { "mov.u32 %r1, 5;", "%r1", "" },
    { "mov.u32 %r1, %tid.x;", "%r1", "" },
    { "mov.u64 %rd1, g;", "%rd1", "" },
    { "mov.b64 %rd1, {%r1, %r2};", "%rd1", "%r1 %r2" },
    { "mov.b64 {%r1, %r2}, %rd1;", "%r1 %r2", "%rd1" },
    { "@%p1 mov.u32 %r1, %r2;", "%r1", "%r2 %p1" },
    { "@!%p1 mov.u32 %r1, %r2;", "%r1", "%r2 %p1" },
    { "add.s32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "add.s32 %r1, %r1, 1;", "%r1", "%r1" },
    { "add.cc.u32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "sub.f32 %f1, %f2, %f3;", "%f1", "%f2 %f3" },
    { "mul.wide.s32 %rd1, %r1, %r2;", "%rd1", "%r1 %r2" },
    { "mad.lo.s32 %r1, %r2, %r3, %r4;", "%r1", "%r2 %r3 %r4" },
    { "fma.rn.f32 %f1, %f2, %f3, %f4;", "%f1", "%f2 %f3 %f4" },
    { "fma.rn.f64 %fd1, %fd2, %fd3, %fd1;", "%fd1", "%fd2 %fd3 %fd1" },
    { "div.rn.f32 %f1, %f2, 0f3F800000;", "%f1", "%f2" },
    { "sqrt.approx.f32 %f1, %f2;", "%f1", "%f2" },
    { "neg.s32 %r1, %r2;", "%r1", "%r2" },
    { "not.b32 %r1, %r2;", "%r1", "%r2" },
    { "lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "%r1", "%r2 %r3 %r4" },
    { "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "%r1", "%r2 %r3 %r4" },
    { "prmt.b32 %r1, %r2, %r3, 0x5410;", "%r1", "%r2 %r3" },
    { "bfe.u32 %r1, %r2, %r3, %r4;", "%r1", "%r2 %r3 %r4" },
    { "bfi.b32 %r1, %r2, %r3, 4, 8;", "%r1", "%r2 %r3" },
    { "popc.b64 %r1, %rd1;", "%r1", "%rd1" },
    { "dp4a.s32.s32 %r1, %r2, %r3, %r4;", "%r1", "%r2 %r3 %r4" },
    { "vadd.s32.s32.s32.add %r1, %r2.b0, %r3.b1, %r4;", "%r1", "%r2 %r3 %r4" },
    { "setp.lt.s32 %p1, %r1, %r2;", "%p1", "%r1 %r2" },
    { "setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", "%p1 %p2", "%r1 %r2 %p3" },
    { "setp.lt.and.s32 %p1, %r1, %r2, !%p3;", "%p1", "%r1 %r2 %p3" },
    { "set.eq.u32.s32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "selp.b32 %r1, %r2, %r3, %p1;", "%r1", "%r2 %r3 %p1" },
    { "slct.s32.s32 %r1, %r2, %r3, %r4;", "%r1", "%r2 %r3 %r4" },
    { "and.pred %p1, %p2, %p3;", "%p1", "%p2 %p3" },
    { "cvt.rn.f32.s32 %f1, %r1;", "%f1", "%r1" },
    { "cvt.rn.f16x2.f32 %r1, %f1, %f2;", "%r1", "%f1 %f2" },
    { "cvta.to.global.u64 %rd1, %rd2;", "%rd1", "%rd2" },
    { "isspacep.global %p1, %rd1;", "%p1", "%rd1" },
    { "ld.global.f32 %f1, [%rd1+4];", "%f1", "%rd1" },
    { "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "%f1 %f2 %f3 %f4", "%rd1" },
    { "ld.global.v2.u32 {%r1, _}, [%rd1];", "%r1", "%rd1" },
    { "ld.shared.u32 %r1, [sm+8];", "%r1", "" },
    { "ld.shared.u32 %r1, [%r2];", "%r1", "%r2" },
    { "ld.param.u64 %rd1, [arg];", "%rd1", "" },
    { "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "%r1", "%rd1 %rd2" },
    { "st.global.u32 [%rd1], %r1;", "", "%rd1 %r1" },
    { "st.shared.v2.b32 [%r1], {%r2, %r3};", "", "%r1 %r2 %r3" },
    { "prefetch.global.L2 [%rd1];", "", "%rd1" },
    { "atom.global.add.u32 %r1, [%rd1], %r2;", "%r1", "%rd1 %r2" },
    { "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%r1", "%rd1 %r2 %r3" },
    { "red.global.add.f32 [%rd1], %f1;", "", "%rd1 %f1" },
    { "cp.async.ca.shared.global [%r1], [%rd1], 16;", "", "%r1 %rd1" },
    { "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;", "", "%r1 %rd1 %r2" },
    { "cp.async.commit_group;", "", "" },
    { "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];", "%r1 %r2 %r3 %r4", "%r5" },
    { "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r1, %r2};", "", "%r5 %r1 %r2" },
    { "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f5, %f6, %f7, %f8};",
      "%f1 %f2 %f3 %f4", "%r1 %r2 %r3 %f5 %f6 %f7 %f8" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
      "%f1 %f2 %f3 %f4", "%f1 %f2 %f3 %f4 %rd1 %rd2 %p1" },
    { "wgmma.fence.sync.aligned;", "", "" },
    { "mbarrier.init.shared::cta.b64 [%r1], %r2;", "", "%r1 %r2" },
    { "mbarrier.arrive.shared::cta.b64 %rd1, [%r1];", "%rd1", "%r1" },
    { "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", "%p1", "%r1 %r2" },
    { "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];", "", "%r1 %rd1 %r2 %r3 %r4" },
    { "bar.sync 0;", "", "" },
    { "bar.sync %r1, %r2;", "", "%r1 %r2" },
    { "bar.red.popc.u32 %r1, 0, %p1;", "%r1", "%p1" },
    { "membar.gl;", "", "" },
    { "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "%r1 %p1", "%r2" },
    { "shfl.sync.idx.b32 %r1, %r2, %r3, %r4, %r5;", "%r1", "%r2 %r3 %r4 %r5" },
    { "vote.sync.ballot.b32 %r1, %p1, %r2;", "%r1", "%p1 %r2" },
    { "match.all.sync.b32 %r1|%p1, %r2, %r3;", "%r1 %p1", "%r2 %r3" },
    { "redux.sync.add.s32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "elect.sync %r1|%p1, %r2;", "%r1 %p1", "%r2" },
    { "activemask.b32 %r1;", "%r1", "" },
    { "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "%f1 %f2 %f3 %f4", "%rd1 %f5 %f6" },
    { "suld.b.2d.b32.trap %r1, [%rd1, {%r2, %r3}];", "%r1", "%rd1 %r2 %r3" },
    { "sust.b.1d.b32.trap [%rd1, {%r2}], {%r3};", "", "%rd1 %r2 %r3" },
    { "call (%r1), helper, (%r2);", "%r1", "%r2" },
    { "call (%r1), %rd1, (%r2), proto;", "%r1", "%rd1 %r2" },
    { "bra DONE;", "", "" },
    { "@%p1 bra DONE;", "", "%p1" },
    { "brx.idx %r1, targets;", "", "%r1" },
    { "ret;", "", "" },
    { "exit;", "", "" },
    { "trap;", "", "" },
    { "nanosleep.u32 %r1;", "", "%r1" },
    { "setmaxnreg.inc.sync.aligned.u32 240;", "", "" },
    { "testp.finite.f32 %p1, %f1;", "%p1", "%f1" },
    { "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f3F800000;", "%rd1", "" },
    { "mapa.shared::cluster.u32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "addc.u32 %r1, %r2, %r3;", "%r1", "%r2 %r3" },
    { "mov.f32 v.y, %f1;", "v", "v %f1" },
};

static void add_name(Text *list, const Module *module, const Reg *reg)
{
    kit_print(list, "%s%.*s", list->length ? " " : "", (int)ptx_span_length(ptx_reg_name(reg)),
              module->text + ptx_reg_name(reg).begin);
}

static void test_roles(void **state)
{
    (void)state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(roles); i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 ".version 8.7\n.target sm_90a\n.address_size 64\n.global .b32 g[4];\n.shared .b32 "
                 "sm[64];\n"
                 ".func (.reg .b32 r) helper(.reg .b32 a) { mov.b32 r, a; ret; }\n"
                 ".entry k(.param .u64 arg) {\n.reg .pred %%p<8>; .reg .b32 %%r<9>; .reg .b64 "
                 "%%rd<9>; .reg .f32 %%f<9>; .reg .f64 %%fd<9>; .reg .v4 .f32 v;\n"
                 "proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ntargets: .branchtargets "
                 "DONE;\n%s\nDONE:\nret; }\n",
                 roles[i].text);
        ptxlint_options options;
        ptxlint_module *module = NULL;
        ptxlint_options_init(&options);
        options.syntax_only = 1;
        assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
        char *errors = kit_list(module, true);
        const Func *func = &module->ir->funcs[1];
        const Insn *insn = &func->insns[0];
        const Operand *operands = ptx_insn_operands(func, insn);
        Text defs = { 0 }, uses = { 0 };
        kit_put(&defs, "", 0);
        kit_put(&uses, "", 0);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
                add_name(&defs, module->ir, &func->regs[operands[o].id]);
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_USE)
                add_name(&uses, module->ir, &func->regs[operands[o].id]);
        }
        if (insn->guard != NO_ID)
            add_name(&uses, module->ir, &func->regs[insn->guard]);
        if (*errors || strcmp(defs.bytes, roles[i].defs) || strcmp(uses.bytes, roles[i].uses)) {
            char *all = kit_describe(module);
            kit_print(&trouble, "%s: writes `%s`, reads `%s`\n%s", roles[i].text, defs.bytes,
                      uses.bytes, all);
            free(all);
        }
        free(errors);
        free(defs.bytes);
        free(uses.bytes);
        ptxlint_module_free(module);
    }
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("roles differ");
    }
}

/* What a function gives back is an operand of each ret, though none is written: more than the
 * parser has counted. */
static void test_unwritten_operands(void **state)
{
    enum { RETURNS = 40 };
    Text text = { 0 };
    (void)state;
    kit_print(&text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".func (.reg .b32 %%out) f(.reg .b32 %%in)\n{\nadd.s32 %%out, %%in, 1;\n");
    for (unsigned i = 0; i < RETURNS; i++)
        kit_print(&text, "ret;\n");
    kit_print(&text, "}\n");
    ptxlint_module *module = kit_module(text.bytes);
    const Func *func = &module->ir->funcs[0];
    assert_int_equal(func->insn_count, 1 + RETURNS);
    assert_int_equal(func->operand_count, 3 + RETURNS);
    assert_true(func->operands[0].role & ROLE_DEF);
    assert_int_equal(ptx_operand_value(&func->operands[2]), 1);
    for (InsnId i = 1; i < func->insn_count; i++) {
        const Operand *result = ptx_insn_operands(func, &func->insns[i]);
        assert_int_equal(func->insns[i].operand_count, 1);
        assert_int_equal(result->flags, OPERAND_IMPLICIT);
        assert_int_equal(result->id, func->operands[0].id);
    }
    ptxlint_module_free(module);
    free(text.bytes);
}

/* Of those that an operand does not hold itself. */
static void test_operand_values(void **state)
{
    static const struct { const char *text; OperandKind kind; int64_t value; } cases[] = {
        { "mov.b64 %rd1, 5;", OPERAND_INT, 5 },
        { "mov.b64 %rd1, -5;", OPERAND_INT, -5 },
        { "mov.b64 %rd1, 0x7fffffff;", OPERAND_INT, INT32_MAX },
        { "mov.b64 %rd1, 0x80000000;", OPERAND_INT, INT64_C(1) << 31 },
        { "mov.b64 %rd1, -0x80000000;", OPERAND_INT, INT32_MIN },
        { "mov.b64 %rd1, 0x123456789abcdef0;", OPERAND_INT, INT64_C(0x123456789abcdef0) },
        { "mov.b64 %rd1, 0x8000000000000000;", OPERAND_INT, INT64_MIN },
        { "mov.f32 %f1, 0fBF800000;", OPERAND_F32, INT64_C(0xbf800000) },
        { "mov.f64 %fd1, 0dBFF0000000000000;", OPERAND_F64, -(INT64_C(0x401) << 52) },
        { "mov.f64 %fd1, 0d3FB999999999999A;", OPERAND_F64, INT64_C(0x3fb999999999999a) },
        { "mov.u32 %r1, %tid.z;", OPERAND_SREG, 2 },
        { "ld.global.u64 %rd1, [%rd2+-16];", OPERAND_REG, -16 },
        { "ld.global.u64 %rd1, [%rd2];", OPERAND_REG, 0 },
        { "ld.param.u64 %rd1, [p+8];", OPERAND_VAR, 8 },
        { "vadd.s32.u32.s32 %r1, %r2.b3, %r3;", OPERAND_REG,
          3 | PART_BYTES | 1 << PART_COUNT_SHIFT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Text text = { 0 };
        kit_print(&text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".entry k(.param .b64 p)\n{\n.reg .b32 %%r<9>;\n"
                         ".reg .b64 %%rd<9>;\n.reg .f32 %%f<9>;\n.reg .f64 %%fd<9>;\n%s\nret;\n}\n",
                  cases[i].text);
        ptxlint_module *module = kit_module(text.bytes);
        const Operand *operands = module->ir->funcs[0].operands;
        if (operands[1].kind != cases[i].kind || ptx_operand_value(&operands[1]) != cases[i].value)
            fail_msg("%s: %" PRId64 ", want %" PRId64, cases[i].text,
                     ptx_operand_value(&operands[1]), cases[i].value);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* However many operands lie between: the argument of a call is its number, and every other one
 * takes 64 bits. */
static void test_values_of_many(void **state)
{
    static const uint32_t counts[] = { 1, 2, 63, 64, 95, 96, 191, 192, 255, 256, 300, 5000 };
    const int64_t wide = INT64_C(0x5000000000);
    (void)state;
    for (size_t c = 0; c < COUNT(counts); c++) {
        Text text = { 0 };
        kit_print(&text, ".version 8.0\n.target sm_80\n.address_size 64\n.func f();\n"
                         ".func g()\n{\ncall f, (");
        for (uint32_t i = 0; i < counts[c]; i++)
            kit_print(&text, "%s%" PRId64, i ? ", " : "", i + (i % 2 ? wide : 0));
        kit_print(&text, ");\nret;\n}\n");
        ptxlint_module *module = kit_module(text.bytes);
        const Func *func = &module->ir->funcs[1];
        const Operand *operands = ptx_insn_operands(func, &func->insns[0]);
        assert_int_equal(func->insns[0].operand_count, counts[c] + 1);
        for (uint32_t i = 0; i < counts[c]; i++)
            if (ptx_operand_value(&operands[i + 1]) != i + (i % 2 ? wide : 0))
                fail_msg("%u of %u: %" PRId64, (unsigned)i, (unsigned)counts[c],
                         ptx_operand_value(&operands[i + 1]));
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

UNIT(isa)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_every_opcode),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_unwritten_operands),
        cmocka_unit_test(test_operand_values),
        cmocka_unit_test(test_values_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
