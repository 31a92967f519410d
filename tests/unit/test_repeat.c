/* test_repeat.c -- what redundant_loads.h and dead_code.h find: small kernels with the answer
 * beside them, and near misses; what mod_ref.h finds.
 *
 * Lines are those of the body, from 1. */
#include "kit.h"

#include "arenas.h"

#include "analysis/redundancy/fuse.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/redundancy/dead_code.h"
#include "analysis/redundancy/fp64_trips.h"
#include "analysis/redundancy/mod_ref.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/redundancy/mix.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/callgraph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/loop.h"
#include "analysis/value/points_to.h"
#include "session/session.h"

#define TOP                                                                                       \
    ".version 8.7\n.target sm_90a\n.address_size 64\n"                                            \
    ".global .align 16 .b8 table[64]; .const .align 16 .b8 fixed[64]; .func g; .func f(.param "   \
    ".u64 x, .param .u64 y); .func h(.param .u64 x, .param .u64 y);\n"                            \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) .maxntid 32 "  \
    "{\n"                                                                                         \
    ".reg .b16 %h<10>; .reg .b32 %r<60>; .reg .b64 %rd<30>; .reg .pred %p<8>; .reg .f32 %f<60>; " \
    ".reg .f64 %d<20>; "                                                                          \
    ".shared .align 16 .b8 tile[1024]; .local .align 16 .b8 own[64];\n"

enum { TOP_LINES = 6 };

/* What a test prints of a function: "8<6 10<7". */
typedef struct Run {
    World *world;
    ptxlint_module *module;
    const Func *func;
    Session *session;
    Text *out;
} Run;

typedef struct Case {
    const char *what, *body, *want;
} Case;

typedef void describe_fn(const Run *run);

static uint32_t line_of(const Run *run, InsnId insn)
{
    return kit_line(run->module, run->func->insns[insn].span.begin) - TOP_LINES;
}

static const char *blank(const Run *run)
{
    return run->out->length ? " " : "";
}

static void print_pairs(const Run *run, const InsnId *others)
{
    for (InsnId i = 0; i < run->func->insn_count; i++)
        if (others[i] != NO_ID)
            kit_print(run->out, "%s%u:%u", blank(run), line_of(run, i), line_of(run, others[i]));
}

static void print_lines(const Run *run, const bool *is_set)
{
    for (InsnId i = 0; i < run->func->insn_count; i++)
        if (is_set[i])
            kit_print(run->out, "%s%u", blank(run), line_of(run, i));
}

static const RedundantLoads *repeats_of(const Run *run)
{
    World *w = run->world;
    const FuncFlow flow = ptx_session_flow(run->session);
    char *before = w->scratch.next;
    const RedundantLoads *repeats = ptx_redundant_loads_compute(
        &w->arena, &w->scratch, &flow,
        ptx_defs_compute(&w->arena, run->func, flow.cfg, flow.loops));
    assert_ptr_equal(w->scratch.next, before);
    return repeats;
}

static void check(World *world, const Case *cases, size_t count, describe_fn *describe)
{
    Text trouble = { 0 };
    for (size_t i = 0; i < count; i++) {
        Text text = { 0 }, got = { 0 };
        kit_put(&text, TOP, strlen(TOP));
        kit_put(&text, cases[i].body, strlen(cases[i].body));
        kit_put(&text, "}\n", 2);
        kit_put(&got, "", 0);
        ptxlint_module *module = kit_module(text.bytes);
        char *errors = kit_list(module, true);
        size_t f = 0;
        while (!module->ir->funcs[f].insn_count)
            f++;
        Run run = { world, module, &module->ir->funcs[f], ptx_session_at(module, f), &got };
        describe(&run);
        if (*errors || strcmp(got.bytes, cases[i].want))
            kit_print(&trouble, "%s: got '%s', want '%s' %s\n", cases[i].what, got.bytes,
                      cases[i].want, errors);
        free(errors);
        free(text.bytes);
        free(got.bytes);
        ptxlint_module_free(module);
    }
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("findings differ");
    }
}

#define LOOP_END "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\nret;\n"

/* ---- loads again ----------------------------------------------------------------------------- */

static const Case earlier[] = {
    { "same address", "ld.global.u32 %r1, [%rd1+4];\nld.global.u32 %r2, [%rd1+4];\nret;\n", "2:1" },
    { "same size, other type", "ld.global.u32 %r1, [%rd1];\nld.global.f32 %f1, [%rd1];\nret;\n",
      "2:1" },
    { "the first stands for all",
      "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1];\nret;\n",
      "2:1 3:1" },
    { "variable", "ld.shared.u32 %r1, [tile+8];\nld.shared.u32 %r2, [tile+8];\nret;\n", "2:1" },
    { "vector",
      "ld.global.v2.u32 {%r1, %r2}, [%rd1];\nld.global.v2.u32 {%r3, %r4}, [%rd1];\nret;\n", "2:1" },
    { "nc", "ld.global.nc.u32 %r1, [%rd1];\nld.global.nc.u32 %r2, [%rd1];\nret;\n", "2:1" },
    { "other offset", "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nret;\n", "" },
    { "other size", "ld.global.u32 %r1, [%rd1];\nld.global.u64 %rd2, [%rd1];\nret;\n", "" },
    { "other space", "ld.global.u32 %r1, [%rd1];\nld.u32 %r2, [%rd1];\nret;\n", "" },
    { "other register", "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\nret;\n", "" },
    { "register changed between",
      "ld.global.u32 %r1, [%rd1];\nadd.s64 %rd1, %rd1, %rd2;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "register stepped, offset steps back",
      "ld.global.u32 %r1, [%rd1+4];\nadd.s64 %rd1, %rd1, 4;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "3:1" },
    { "register stepped down by a large 32-bit number",
      "ld.shared.u32 %r2, [%r1+-4];\nadd.s32 %r3, %r1, 4294967292;\nld.shared.u32 %r4, "
      "[%r3];\nret;\n",
      "3:1" },
    { "register may have changed",
      "ld.global.u32 %r1, [%rd1];\n@%p1 mov.u64 %rd1, %rd2;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "register overwritten by the load",
      "ld.global.u64 %rd1, [%rd1];\nld.global.u64 %rd2, [%rd1];\nret;\n", "" },
    { "copied register",
      "ld.global.u32 %r1, [%rd1];\nmov.u64 %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\nret;\n",
      "3:1" },
    { "sum of the same",
      "mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r3, "
      "[%rd4];\nmul.wide.s32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
      "ld.global.u32 %r4, [%rd6];\nret;\n",
      "6:3" },
    { "sum of something else",
      "mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r3, "
      "[%rd4];\nmul.wide.s32 %rd5, %r1, 8;\nadd.s64 %rd6, %rd1, %rd5;\n"
      "ld.global.u32 %r4, [%rd6];\nret;\n",
      "" },
    { "parameter loaded twice",
      "ld.param.u64 %rd1, [a];\nld.global.u32 %r3, [%rd1];\nld.param.u64 %rd2, [a];\nld.global.u32 "
      "%r4, [%rd2];\nret;\n",
      "4:2" },
    { "two parameters",
      "ld.param.u64 %rd1, [a];\nld.global.u32 %r3, [%rd1];\nld.param.u64 %rd2, [b];\nld.global.u32 "
      "%r4, [%rd2];\nret;\n",
      "" },
    { "param and const",
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [a];\nld.const.u32 %r1, [fixed];\nld.const.u32 "
      "%r2, [fixed];\nret;\n",
      "" },
    { "store to another register",
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "store elsewhere behind the same register",
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+4], %r1;\nld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "3:1" },
    { "store below",
      "ld.global.u32 %r1, [%rd1+-4];\nst.global.u32 [%rd1+-8], %r1;\nld.global.u32 %r2, "
      "[%rd1+-4];\nret;\n",
      "3:1" },
    { "store there",
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r3;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "wide store over it",
      "ld.global.u32 %r1, [%rd1+12];\nst.global.v4.u32 [%rd1], {%r3, %r3, %r3, "
      "%r3};\nld.global.u32 %r2, [%rd1+12];\nret;\n",
      "" },
    { "narrow store into it",
      "ld.global.u64 %rd2, [%rd1];\nst.global.u8 [%rd1+7], %r3;\nld.global.u64 %rd3, "
      "[%rd1];\nret;\n",
      "" },
    { "stores here and there",
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r3;\nst.global.u32 [%rd1+8], "
      "%r3;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "load behind the store counts",
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r3;\nld.global.u32 %r2, "
      "[%rd1];\nld.global.u32 %r4, [%rd1];\nret;\n",
      "4:3" },
    { "store to shared",
      "ld.global.u32 %r1, [%rd1];\nst.shared.u32 [%rd2], %r3;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "3:1" },
    { "store to a generic address",
      "ld.shared.u32 %r1, [%rd1];\nst.u32 [%rd2], %r3;\nld.shared.u32 %r2, [%rd1];\nret;\n", "" },
    { "generic load, local store",
      "ld.u32 %r1, [%rd1];\nst.local.u32 [own], %r3;\nld.u32 %r2, [%rd1];\nret;\n", "" },
    { "guarded store",
      "ld.global.u32 %r1, [%rd1];\n@%p1 st.global.u32 [%rd1], %r3;\nld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "" },
    { "atomic elsewhere",
      "ld.global.u32 %r1, [%rd1];\nred.global.add.u32 [%rd2], 1;\nld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "" },
    { "atomic next to it",
      "ld.global.u32 %r1, [%rd1];\nred.global.add.u32 [%rd1+4], 1;\nld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "3:1" },
    { "acquiring atomic next to it",
      "ld.global.u32 %r1, [%rd1];\natom.acquire.gpu.global.add.u32 %r4, [%rd1+4], "
      "1;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "barrier", "ld.shared.u32 %r1, [%rd1];\nbar.sync 0;\nld.shared.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "barrier, local memory",
      "ld.local.u32 %r1, [own];\nbar.sync 0;\nld.local.u32 %r2, [own];\nret;\n", "3:1" },
    { "fence", "ld.global.u32 %r1, [%rd1];\nfence.acq_rel.gpu;\nld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "warp barrier",
      "ld.shared.u32 %r1, [%rd1];\nbar.warp.sync -1;\nld.shared.u32 %r2, [%rd1];\nret;\n", "" },
    { "call", "ld.local.u32 %r1, [own];\ncall g;\nld.local.u32 %r2, [own];\nret;\n", "" },
    { "async copy to shared",
      "ld.shared.u32 %r1, [tile];\ncp.async.ca.shared.global [tile+16], [%rd2], 4;\nld.shared.u32 "
      "%r2, [tile];\nret;\n",
      "" },
    { "async copy, load of global",
      "ld.global.u32 %r1, [%rd1];\ncp.async.ca.shared.global [tile+16], [%rd2], 4;\nld.global.u32 "
      "%r2, [%rd1];\nret;\n",
      "3:1" },
    { "bulk copy",
      "ld.shared.u32 %r1, "
      "[tile];\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2], "
      "64, [%r6];\nld.shared.u32 %r2, [tile];\nret;\n",
      "" },
    { "shuffle",
      "ld.shared.u32 %r1, [%rd1];\nshfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nld.shared.u32 %r2, "
      "[%rd1];\nret;\n",
      "3:1" },
    { "prefetch",
      "ld.global.u32 %r1, [%rd1];\nprefetch.global.L1 [%rd2];\nld.global.u32 %r2, [%rd1];\nret;\n",
      "3:1" },
    { "volatile",
      "ld.volatile.global.u32 %r1, [%rd1];\nld.volatile.global.u32 %r2, [%rd1];\nret;\n", "" },
    { "relaxed",
      "ld.relaxed.gpu.global.u32 %r1, [%rd1];\nld.relaxed.gpu.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "acquire between",
      "ld.global.u32 %r1, [%rd1];\nld.acquire.gpu.global.u32 %r3, [%rd2];\nld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "" },
    { "guarded", "ld.global.u32 %r1, [%rd1];\n@%p1 ld.global.u32 %r2, [%rd1];\nret;\n", "" },
    { "same guard", "@%p1 ld.global.u32 %r1, [%rd1];\n@%p1 ld.global.u32 %r2, [%rd1];\nret;\n",
      "2:1" },
    { "complement", "@%p1 ld.global.u32 %r1, [%rd1];\n@!%p1 ld.global.u32 %r2, [%rd1];\nret;\n",
      "" },
    { "guard set between",
      "@%p1 ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 ld.global.u32 %r2, "
      "[%rd1];\nret;\n",
      "" },
    { "other block",
      "ld.global.u32 %r1, [%rd1];\n@%p1 bra L;\nld.global.u32 %r2, [%rd1];\nL:\nret;\n", "" },
    { "copied in one block only",
      "@%p1 bra L;\nmov.u64 %rd2, %rd1;\nbra L;\nL:\nld.global.u32 %r1, [%rd1];\nld.global.u32 "
      "%r2, [%rd2];\nret;\n",
      "" },
};

static void describe_earlier(const Run *run)
{
    print_pairs(run, repeats_of(run)->earlier);
}

static void test_earlier(void **state)
{
    check(*state, earlier, COUNT(earlier), describe_earlier);
}

/* Many stores and loads: the tables fill and are used again, block after block. */
static void test_many(void **state)
{
    World *world = *state;
    Text body = { 0 }, want = { 0 };
    kit_put(&want, "", 0);
    for (int block = 0; block < 20; block++) {
        for (int i = 0; i < 100; i++)
            kit_print(&body, "st.global.u32 [%%rd1+%d], %%r1;\nld.global.u32 %%r2, [%%rd1+%d];\n",
                      8 * i, 8 * i + 4);
        for (int i = 0; i < 100; i++)
            kit_print(&body, "ld.global.u32 %%r2, [%%rd1+%d];\n", 8 * i + 4);
        kit_print(&body, "@%%p1 bra L;\n");
    }
    kit_print(&body, "L:\nret;\n");
    for (unsigned block = 0; block < 20; block++)
        for (unsigned i = 0; i < 100; i++)
            kit_print(&want, "%s%u:%u", want.length ? " " : "", 301 * block + 201 + i,
                      301 * block + 2 * i + 2);
    const Case many = { "many", body.bytes, want.bytes };
    check(world, &many, 1, describe_earlier);
    free(body.bytes);
    free(want.bytes);
}

/* ---- loads again: programs by chance, executed ----------------------------------------------- */

enum { SIM_REGS = 5, SIM_INSNS = 60, SIM_PROGRAMS = 400 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* Addresses are in %rd1 to %rd5, predicates in %p1 and %p2. */
static void write_program(Text *out, uint32_t *seed)
{
    static const char *const guards[] = { "", "", "", "", "@%p1 ", "@!%p1 ", "@%p2 " };
    for (int i = 0; i < SIM_INSNS; i++) {
        unsigned a = 1 + next_random(seed) % SIM_REGS, b = 1 + next_random(seed) % SIM_REGS,
                 c = 1 + next_random(seed) % SIM_REGS;
        int offset = 4 * (int)(next_random(seed) % 5) - 8;
        const char *guard = guards[next_random(seed) % COUNT(guards)];
        switch (next_random(seed) % 12) {
        case 0: kit_print(out, "%smov.u64 %%rd%u, %%rd%u;\n", guard, a, b); break;
        case 1: kit_print(out, "%sadd.s64 %%rd%u, %%rd%u, %d;\n", guard, a, b, offset); break;
        case 2: kit_print(out, "%ssub.s64 %%rd%u, %%rd%u, %d;\n", guard, a, b, offset); break;
        case 3: kit_print(out, "%sxor.b64 %%rd%u, %%rd%u, %%rd%u;\n", guard, a, b, c); break;
        case 4: kit_print(out, "%sst.global.u32 [%%rd%u+%d], %%r1;\n", guard, b, offset); break;
        case 5: kit_print(out, "%sst.global.u8 [%%rd%u+%d], %%r1;\n", guard, b, offset + 1); break;
        case 6:
            kit_print(out, "%sst.global.v2.u32 [%%rd%u+%d], {%%r1, %%r1};\n", guard, b, offset);
            break;
        case 7:
            kit_print(out, "%sld.global.v2.u32 {%%r2, %%r3}, [%%rd%u+%d];\n", guard, b, offset);
            break;
        default: kit_print(out, "%sld.global.u32 %%r2, [%%rd%u+%d];\n", guard, b, offset); break;
        }
    }
    kit_print(out, "ret;\n");
}

/* What each instruction accesses when the program is executed; bytes 0: nothing. */
typedef struct Access {
    int64_t at;
    unsigned bytes;
} Access;

static void execute(const Func *func, uint32_t *seed, Access *accesses)
{
    int64_t regs[256] = { 0 };
    bool predicates[2];
    RegId first_predicate = NO_ID;
    for (unsigned r = 0; r < COUNT(regs); r++)
        regs[r] = 4 * (int64_t)(next_random(seed) % 8);
    predicates[0] = next_random(seed) % 2, predicates[1] = next_random(seed) % 2;
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *o = ptx_insn_operands(func, insn);
        if (insn->guard != NO_ID && first_predicate == NO_ID)
            first_predicate = insn->guard;
        if (insn->guard != NO_ID
            && predicates[insn->guard != first_predicate] == insn->guard_negated)
            continue;
        if (insn->op->kind == OPK_MOV)
            regs[o[0].id] = regs[o[1].id];
        else if (insn->op->kind == OPK_ADD)
            regs[o[0].id] = regs[o[1].id] + ptx_operand_value(&o[2]);
        else if (insn->op->kind == OPK_SUB)
            regs[o[0].id] = regs[o[1].id] - ptx_operand_value(&o[2]);
        else if (insn->op->insn_class == CLASS_LOGIC)
            regs[o[0].id] = regs[o[1].id] ^ regs[o[2].id];
        for (uint32_t k = 0; k < insn->operand_count; k++)
            if (o[k].role & ROLE_ADDRESS)
                accesses[i] = (Access){ regs[o[k].id] + ptx_operand_value(&o[k]),
                                         insn->access_bytes };
    }
}

/* Every pair that was found has one address, and nothing was stored there between. */
static void check_execution(const Func *func, const InsnId *others, const Access *accesses,
                            const char *text)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        if (others[i] == NO_ID || !accesses[i].bytes)
            continue;
        const Access *load = &accesses[i];
        if (accesses[others[i]].bytes != load->bytes || accesses[others[i]].at != load->at)
            fail_msg("instruction %u is not the load of %u again:\n%s", i, others[i], text);
        for (InsnId s = others[i] + 1; s < i; s++) {
            const Access *store = &accesses[s];
            if (func->insns[s].op->kind == OPK_ST && store->bytes
                && store->at < load->at + load->bytes && load->at < store->at + store->bytes)
                fail_msg("instruction %u stores what %u loads again:\n%s", s, i, text);
        }
    }
}

static void test_executed(void **state)
{
    World *world = *state;
    uint32_t seed = 1, found = 0;
    for (int program = 0; program < SIM_PROGRAMS; program++) {
        Text text = { 0 }, got = { 0 };
        kit_put(&text, TOP, strlen(TOP));
        write_program(&text, &seed);
        kit_put(&text, "}\n", 2);
        ptxlint_module *module = kit_module(text.bytes);
        size_t f = 0;
        while (!module->ir->funcs[f].insn_count)
            f++;
        const Run run = { world, module, &module->ir->funcs[f], ptx_session_at(module, f), &got };
        const InsnId *others = repeats_of(&run)->earlier;
        assert_true(run.func->reg_count <= 256);
        for (InsnId i = 0; i < run.func->insn_count; i++)
            found += others[i] != NO_ID;
        for (int way = 0; way < 8; way++) {
            Access accesses[SIM_INSNS + 1] = { 0 };
            execute(run.func, &seed, accesses);
            check_execution(run.func, others, accesses, text.bytes);
        }
        free(text.bytes);
        ptxlint_module_free(module);
    }
    if (found < SIM_PROGRAMS / 2)
        fail_msg("only %u found", found);
}

/* ---- barriers again -------------------------------------------------------------------------- */

static const Case barriers[] = {
    { "twice", "bar.sync 0;\nbar.sync 0;\nret;\n", "2:1" },
    { "spelt in two ways", "bar.sync 0;\nbarrier.cta.sync.aligned 0;\nret;\n", "2:1" },
    { "arithmetic between", "bar.sync 0;\nadd.s32 %r1, %r1, 1;\nld.param.u64 %rd1, [a];\nbar.sync 0;\nret;\n", "4:1" },
    { "with threads", "bar.sync 1, 64;\nbar.sync 1, 64;\nret;\n", "2:1" },
    { "threads in a register", "bar.sync 1, %r1;\nbar.sync 1, %r1;\nret;\n", "2:1" },
    { "three", "bar.sync 0;\nbar.sync 0;\nbar.sync 0;\nret;\n", "2:1 3:2" },
    { "same guard", "@%p1 bar.sync 0;\n@%p1 bar.sync 0;\nret;\n", "2:1" },
    { "other number", "bar.sync 0;\nbar.sync 1;\nret;\n", "" },
    { "other number between", "bar.sync 0;\nbar.sync 1;\nbar.sync 0;\nret;\n", "" },
    { "number in a register", "bar.sync %r1;\nbar.sync %r1;\nret;\n", "" },
    { "other threads", "bar.sync 1, 64;\nbar.sync 1, 32;\nret;\n", "" },
    { "all threads, then some", "bar.sync 1;\nbar.sync 1, 32;\nret;\n", "" },
    { "guarded", "bar.sync 0;\n@%p1 bar.sync 0;\nret;\n", "" },
    { "threads changed between", "bar.sync 1, %r1;\nadd.s32 %r1, %r1, 32;\nbar.sync 1, %r1;\nret;\n", "" },
    { "load between", "bar.sync 0;\nld.shared.u32 %r1, [tile];\nbar.sync 0;\nret;\n", "" },
    { "store between", "bar.sync 0;\nst.shared.u32 [tile], %r1;\nbar.sync 0;\nret;\n", "" },
    { "clock between", "bar.sync 0;\nmov.u32 %r1, %clock;\nbar.sync 0;\nret;\n", "" },
    { "copy between", "bar.sync 0;\ncp.async.ca.shared.global [tile], [%rd2], 4;\nbar.sync 0;\nret;\n", "" },
    { "wait between", "bar.sync 0;\ncp.async.wait_all;\nbar.sync 0;\nret;\n", "" },
    { "call between", "bar.sync 0;\ncall g;\nbar.sync 0;\nret;\n", "" },
    { "arrive", "bar.arrive 1, 64;\nbar.arrive 1, 64;\nret;\n", "" },
    { "warp", "bar.warp.sync -1;\nbar.warp.sync -1;\nret;\n", "" },
    { "reduction", "bar.red.popc.u32 %r1, 0, %p1;\nbar.red.popc.u32 %r2, 0, %p1;\nret;\n", "" },
    { "other block", "bar.sync 0;\n@%p1 bra L;\nbar.sync 0;\nL:\nret;\n", "" },
};

static void describe_barriers(const Run *run)
{
    print_pairs(run, repeats_of(run)->barrier);
}

static void test_barriers(void **state)
{
    check(*state, barriers, COUNT(barriers), describe_barriers);
}

/* ---- what a loop does not change ------------------------------------------------------------- */

static const Case invariant[] = {
    { "address from outside", "L:\nld.global.u32 %r2, [%rd1+4];\n" LOOP_END, "2" },
    { "store too", "L:\nst.global.u32 [%rd1], %r1;\n" LOOP_END, "2" },
    { "variable", "L:\nld.shared.u32 %r2, [tile];\n" LOOP_END, "2" },
    { "outside of loops", "ld.global.u32 %r2, [%rd1];\nret;\n", "" },
    { "address computed inside, of what is outside",
      "L:\nmul.wide.s32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, "
      "[%rd3];\n" LOOP_END,
      "4" },
    { "address of the counter",
      "L:\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, "
      "[%rd3];\n" LOOP_END,
      "" },
    { "stepped address", "L:\nld.global.u32 %r2, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n" LOOP_END, "" },
    { "address loaded inside",
      "L:\nld.global.u64 %rd2, [%rd1];\nld.global.u32 %r2, [%rd2];\n" LOOP_END, "2" },
    { "parameter loaded inside",
      "L:\nld.param.u64 %rd2, [a];\nld.global.u32 %r2, [%rd2];\n" LOOP_END, "2 3" },
    { "clock", "L:\nmov.u32 %r3, %clock;\nld.shared.u32 %r2, [%r3];\n" LOOP_END, "" },
    { "thread", "L:\nmov.u32 %r3, %tid.x;\nld.shared.u32 %r2, [%r3];\n" LOOP_END, "3" },
    { "guarded definition",
      "L:\n@%p2 add.s64 %rd2, %rd1, 4;\nld.global.u32 %r2, [%rd2];\n" LOOP_END, "" },
    { "two definitions inside",
      "L:\nmov.u64 %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\nadd.s64 %rd2, %rd1, 4;\nld.global.u32 "
      "%r3, [%rd2];\n" LOOP_END,
      "" },
    { "defined in the outer loop",
      "O:\nadd.s64 %rd1, %rd1, 4;\nL:\nld.global.u32 %r2, [%rd1];\nadd.s32 %r1, %r1, "
      "1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\n@%p2 bra O;\nret;\n",
      "4" },
    { "defined in the inner loop",
      "O:\nL:\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra "
      "L;\nld.global.u32 %r2, [%rd1];\n@%p2 bra O;\nret;\n",
      "" },
    { "defined in another loop",
      "O:\nadd.s64 %rd1, %rd1, 4;\n@%p2 bra O;\nL:\nld.global.u32 %r2, [%rd1];\n" LOOP_END, "5" },
    { "too deep",
      "L:\nadd.s64 %rd2, %rd1, %rd1;\nadd.s64 %rd3, %rd2, %rd1;\nadd.s64 %rd4, %rd3, "
      "%rd1;\nadd.s64 %rd5, %rd4, %rd1;\nadd.s64 %rd6, %rd5, %rd1;\n"
      "add.s64 %rd7, %rd6, %rd1;\nadd.s64 %rd8, %rd7, %rd1;\nadd.s64 %rd9, %rd8, %rd1;\nadd.s64 "
      "%rd10, %rd9, %rd1;\nld.global.u32 %r2, [%rd9];\n"
      "ld.global.u32 %r3, [%rd10];\n" LOOP_END,
      "11" },
};

static void describe_invariant(const Run *run)
{
    print_lines(run, repeats_of(run)->invariant);
}

static void test_invariant(void **state)
{
    check(*state, invariant, COUNT(invariant), describe_invariant);
}

static const Case may_change[] = {
    { "nothing writes", "L:\nld.global.u32 %r2, [%rd1];\n" LOOP_END, "" },
    { "store", "L:\nld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\n" LOOP_END, "2" },
    { "store to shared", "L:\nld.global.u32 %r2, [%rd1];\nst.shared.u32 [tile], %r2;\n" LOOP_END,
      "" },
    { "store to shared, load of it",
      "L:\nld.shared.u32 %r2, [tile];\nst.shared.u32 [tile+4], %r2;\n" LOOP_END, "2" },
    { "generic store", "L:\nld.shared.u32 %r2, [tile];\nst.u32 [%rd2], %r2;\n" LOOP_END, "2" },
    { "generic load", "L:\nld.u32 %r2, [%rd1];\nst.local.u32 [own], %r2;\n" LOOP_END, "2" },
    { "generic store, const and param",
      "L:\nld.const.u32 %r2, [fixed];\nld.param.u32 %r3, [n];\nst.u32 [%rd2], %r2;\n" LOOP_END,
      "" },
    { "nc", "L:\nld.global.nc.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\n" LOOP_END, "" },
    { "barrier", "L:\nld.shared.u32 %r2, [tile];\nbar.sync 0;\n" LOOP_END, "2" },
    { "barrier, local", "L:\nld.local.u32 %r2, [own];\nbar.sync 0;\n" LOOP_END, "" },
    { "call, local", "L:\nld.local.u32 %r2, [own];\ncall g;\n" LOOP_END, "2" },
    { "atomic", "L:\nld.global.u32 %r2, [%rd1];\nred.global.add.u32 [%rd2], 1;\n" LOOP_END, "2" },
    { "async copy",
      "L:\nld.global.u32 %r2, [%rd1];\nld.shared.u32 %r3, [tile];\ncp.async.ca.shared.global "
      "[tile], [%rd2], 4;\n" LOOP_END,
      "3" },
    { "shuffle",
      "L:\nld.global.u32 %r2, [%rd1];\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n" LOOP_END, "" },
    { "volatile", "L:\nld.volatile.global.u32 %r2, [%rd1];\n" LOOP_END, "2" },
    { "store outside",
      "st.global.u32 [%rd2], %r2;\nL:\nld.global.u32 %r2, [%rd1];\nadd.s32 %r1, %r1, "
      "1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\nst.global.u32 [%rd2], %r2;\nret;\n",
      "" },
    { "store in the outer loop only",
      "O:\nst.global.u32 [%rd2], %r2;\nL:\nld.global.u32 %r2, [%rd1];\nadd.s32 %r1, %r1, "
      "1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\n@%p2 bra O;\nret;\n",
      "" },
    { "store in the inner loop",
      "O:\nld.global.u32 %r2, [%rd1];\nL:\nst.global.u32 [%rd2], %r2;\nadd.s32 %r1, %r1, "
      "1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\n@%p2 bra O;\nret;\n",
      "2" },
};

static void describe_may_change(const Run *run)
{
    print_lines(run, repeats_of(run)->may_change);
}

static void test_may_change(void **state)
{
    check(*state, may_change, COUNT(may_change), describe_may_change);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static const Case neighbours[] = {
    { "alone", "ld.global.f32 %f1, [%rd1];\nret;\n", "1*1" },
    { "guarded", "@%p1 ld.global.f32 %f1, [%rd1];\nret;\n", "" },
    { "four in any order", "ld.global.f32 %f1, [%rd1+8];\nld.global.f32 %f2, [%rd1];\nld.global.f32 %f3, [%rd1+12];\nld.global.f32 %f4, [%rd1+4];\nret;\n", "2*4" },
    { "a gap", "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nld.global.f32 %f3, [%rd1+12];\nret;\n", "1*2 3*1" },
    { "an overlap", "ld.global.f64 %d1, [%rd1];\nld.global.f64 %d2, [%rd1+4];\nret;\n", "1*1 2*1" },
    { "twice the same", "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1];\nld.global.f32 %f3, [%rd1+4];\nret;\n", "1*2" },
    { "vectors", "ld.global.v2.f32 {%f1, %f2}, [%rd1];\nld.global.v2.f32 {%f3, %f4}, [%rd1+8];\nret;\n", "1*2" },
    { "bytes", "ld.global.u8 %h1, [%rd1];\nld.global.u8 %h2, [%rd1+1];\nret;\n", "1*2" },
    { "variable", "ld.shared.f32 %f1, [tile];\nld.shared.f32 %f2, [tile+4];\nret;\n", "1*2" },
    { "const", "ld.const.f32 %f1, [fixed];\nld.const.f32 %f2, [fixed+4];\nret;\n", "1*2" },
    { "param", "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nret;\n", "" },
    { "two registers", "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd2+4];\nret;\n", "1*1 2*1" },
    { "register changed between", "ld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, %rd2;\nld.global.f32 %f2, [%rd1+4];\nret;\n", "1*1 3*1" },
    { "register stepped between", "ld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nld.global.f32 %f2, [%rd1];\nret;\n", "1*2" },
    { "two types", "ld.global.f32 %f1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nret;\n", "1*1 2*1" },
    { "a guarded one", "ld.global.f32 %f1, [%rd1];\n@%p1 ld.global.f32 %f2, [%rd1+4];\nret;\n", "1*1" },
    { "volatile", "ld.volatile.global.f32 %f1, [%rd1];\nld.volatile.global.f32 %f2, [%rd1+4];\nret;\n", "" },
    { "store between", "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\nld.global.f32 %f2, [%rd1+4];\nret;\n", "1*1 2*1 3*1" },
    { "store to shared between", "ld.global.f32 %f1, [%rd1];\nst.shared.f32 [tile], %f1;\nld.global.f32 %f2, [%rd1+4];\nret;\n", "1*2 2*1" },
    { "store between, nc", "ld.global.nc.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\nld.global.nc.f32 %f2, [%rd1+4];\nst.global.f32 [%rd2+4], %f2;\nret;\n", "1*2 2*2" },
    { "barrier between", "ld.shared.f32 %f1, [tile];\nbar.sync 0;\nld.shared.f32 %f2, [tile+4];\nret;\n", "1*1 3*1" },
    { "two blocks", "ld.global.f32 %f1, [%rd1];\n@%p1 bra L;\nld.global.f32 %f2, [%rd1+4];\nL:\nret;\n", "1*1 3*1" },
    { "stores", "st.global.f32 [%rd1+4], %f1;\nst.global.f32 [%rd1], %f2;\nret;\n", "2*2" },
    { "stores, a load of the same between", "st.global.f32 [%rd1], %f1;\nld.global.f32 %f2, [%rd2];\nst.global.f32 [%rd1+4], %f2;\nret;\n", "1*1 2*1 3*1" },
    { "stores, a load of other memory between", "st.global.f32 [%rd1], %f1;\nld.shared.f32 %f2, [tile];\nst.global.f32 [%rd1+4], %f2;\nret;\n", "1*2 2*1" },
    { "stores, one to another register between", "st.global.f32 [%rd1], %f1;\nst.global.f32 [%rd2], %f2;\nst.global.f32 [%rd1+4], %f2;\nret;\n", "1*1 2*1 3*1" },
    { "stores, a guarded one between", "st.global.f32 [%rd1], %f1;\n@%p1 st.global.f32 [%rd1+4], %f2;\nst.global.f32 [%rd1+4], %f2;\nret;\n", "1*1 3*1" },
    { "stores, a barrier between", "st.shared.f32 [tile], %f1;\nbar.sync 0;\nst.shared.f32 [tile+4], %f2;\nret;\n", "1*1 3*1" },
    { "stores, an atomic between", "st.global.f32 [%rd1], %f1;\nred.global.add.u32 [%rd2], 1;\nst.global.f32 [%rd1+4], %f2;\nret;\n", "1*1 3*1" },
    { "atomics are none", "red.global.add.u32 [%rd1], 1;\nred.global.add.u32 [%rd1+4], 1;\nret;\n", "" },
};

static void describe_neighbours(const Run *run)
{
    const uint8_t *counts = repeats_of(run)->neighbours;
    for (InsnId i = 0; i < run->func->insn_count; i++)
        if (counts[i])
            kit_print(run->out, "%s%u*%u", blank(run), line_of(run, i), counts[i]);
}

static void test_neighbours(void **state)
{
    check(*state, neighbours, COUNT(neighbours), describe_neighbours);
}

static void test_many_neighbours(void **state)
{
    Text body = { 0 };
    for (int i = 0; i < 300; i++)
        kit_print(&body, "st.global.f32 [%%rd1+%d], %%f1;\n", 4 * (299 - i));
    kit_print(&body, "ret;\n");
    const Case many = { "more than fit", body.bytes, "300*255" };
    check(*state, &many, 1, describe_neighbours);
    free(body.bytes);
}

/* ---- multiply and add ------------------------------------------------------------------------ */

static const Case fusable[] = {
    { "pair", "mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nret;\n", "1:2" },
    { "subtract", "mul.f64 %d1, %d2, %d3;\nsub.f64 %d4, %d5, %d1;\nret;\n", "1:2" },
    { "two products, one sum", "mul.f32 %f1, %f2, %f3;\nmul.f32 %f6, %f2, %f2;\nadd.f32 %f4, %f1, %f6;\nret;\n", "1:3" },
    { "same guard", "@%p1 mul.f32 %f1, %f2, %f3;\n@%p1 add.f32 %f4, %f1, %f5;\nret;\n", "1:2" },
    { "another guard", "mul.f32 %f1, %f2, %f3;\n@%p1 add.f32 %f4, %f1, %f5;\nret;\n", "" },
    { "used twice", "mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nst.global.f32 [%rd1], %f1;\nret;\n", "" },
    { "defined twice", "mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nmov.f32 %f1, %f4;\nret;\n", "" },
    { "another type", "mul.f32 %f1, %f2, %f3;\nadd.rn.f16x2 %r1, %r2, %r3;\nret;\n", "" },
    { "integers", "mul.lo.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;\nret;\n", "" },
    { "another block", "mul.f32 %f1, %f2, %f3;\n@%p1 bra L;\nadd.f32 %f4, %f1, %f5;\nL:\nret;\n", "" },
};

static void describe_fusable(const Run *run)
{
    const InsnId *fused_with = ptx_fuse_compute(&run->world->arena, &run->world->scratch, run->func,
                                                ptx_session_cfg(run->session));
    uint32_t count = 0;
    for (InsnId i = 0; i < run->func->insn_count; i++)
        count += fused_with[i] != NO_ID;
    assert_int_equal(count, ptx_session_mixes(run->session)->func.fusable_count);
    print_pairs(run, fused_with);
}

static void test_fusable(void **state)
{
    check(*state, fusable, COUNT(fusable), describe_fusable);
}

/* ---- fp64 between fp32 ----------------------------------------------------------------------- */

static const Case fp64[] = {
    { "there and back", "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "3" },
    { "a constant in a register", "mov.f64 %d3, 0d3FE0000000000000;\ncvt.f64.f32 %d1, %f1;\nfma.rn.f64 %d2, %d1, %d1, %d3;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "4" },
    { "a root", "cvt.f64.f32 %d1, %f1;\nsqrt.rn.f64 %d2, %d1;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "3" },
    { "nothing between", "cvt.f64.f32 %d1, %f1;\ncvt.rn.f32.f64 %f2, %d1;\nret;\n", "" },
    { "fp64 that was loaded", "ld.global.f64 %d3, [%rd1];\ncvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, %d3;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "" },
    { "constants alone", "mov.f64 %d1, 0d3FE0000000000000;\nmul.f64 %d2, %d1, %d1;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "" },
    { "an integer", "cvt.rn.f64.s32 %d1, %r1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "" },
    { "guarded", "cvt.f64.f32 %d1, %f1;\n@%p1 mul.f64 %d2, %d1, 0d3FE0000000000000;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "" },
    { "a sum of a loop", "mov.f64 %d2, 0d0000000000000000;\nL:\ncvt.f64.f32 %d1, %f1;\nadd.f64 %d2, %d2, %d1;\n@%p1 bra L;\ncvt.rn.f32.f64 %f2, %d2;\nret;\n", "" },
    { "two sides",
      "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\n@%p1 bra L;\n"
      "add.f64 %d2, %d1, 0d3FF0000000000000;\nL:\ncvt.rn.f32.f64 %f2, %d2;\nret;\n",
      "6" },
    { "one side of fp64",
      "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\n@%p1 bra L;\n"
      "ld.global.f64 %d2, [%rd1];\nL:\ncvt.rn.f32.f64 %f2, %d2;\nret;\n",
      "" },
    { "sides out of order",
      "cvt.f64.f32 %d1, %f1;\n@%p1 bra L;\nbra M;\nN:\ncvt.rn.f32.f64 %f2, %d2;\nret;\nL:\n"
      "mul.f64 %d2, %d1, 0d3FE0000000000000;\nbra N;\nM:\nadd.f64 %d2, %d1, %d1;\nbra N;\n",
      "5" },
    { "bits of it",
      "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\n"
      "mov.b64 {%r1, %r2}, %d2;\nand.b32 %r2, %r2, 2146435072;\nmov.b64 %d3, {%r1, %r2};\n"
      "cvt.rn.f32.f64 %f2, %d3;\nret;\n",
      "6" },
    { "bits of others",
      "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\n"
      "mov.b64 {%r1, %r2}, %d2;\nld.global.u32 %r2, [%rd1];\nmov.b64 %d3, {%r1, %r2};\n"
      "cvt.rn.f32.f64 %f2, %d3;\nret;\n",
      "" },
    { "bits alone",
      "cvt.f64.f32 %d1, %f1;\nmov.b64 {%r1, %r2}, %d1;\nmov.b64 %d3, {%r1, %r2};\n"
      "cvt.rn.f32.f64 %f2, %d3;\nret;\n",
      "" },
    { "a choice",
      "cvt.f64.f32 %d1, %f1;\nsetp.lt.f32 %p1, %f1, 0f00000000;\n"
      "mul.f64 %d2, %d1, 0d3FE0000000000000;\nselp.f64 %d3, %d1, %d2, %p1;\n"
      "cvt.rn.f32.f64 %f2, %d3;\nret;\n",
      "5" },
    { "two sums that swap",
      "mov.f64 %d2, 0d0000000000000000;\nmov.f64 %d3, 0d0000000000000000;\nL:\n"
      "cvt.f64.f32 %d1, %f1;\nadd.f64 %d4, %d2, %d1;\nmov.f64 %d2, %d3;\nmov.f64 %d3, %d4;\n"
      "@%p1 bra L;\ncvt.rn.f32.f64 %f2, %d4;\nret;\n",
      "" },
    { "stays fp64", "cvt.f64.f32 %d1, %f1;\nmul.f64 %d2, %d1, 0d3FE0000000000000;\nst.global.f64 [%rd1], %d2;\nret;\n", "" },
};

static void describe_fp64(const Run *run)
{
    const FuncFlow flow = ptx_session_flow(run->session);
    print_lines(run, ptx_fp64_trips_compute(&run->world->arena, &run->world->scratch, &flow,
                                            NULL));
}

static void test_fp64(void **state)
{
    check(*state, fp64, COUNT(fp64), describe_fp64);
}

/* ---- loop bookkeeping ------------------------------------------------------------------------ */

/* Per loop: overhead of all. */
static const Case overhead[] = {
    { "counter alone", "L:\nst.global.u32 [%rd1], %r2;\n" LOOP_END, "3/4" },
    { "and an address", "L:\nst.global.u32 [%rd1], %r2;\nadd.s64 %rd1, %rd1, 4;\n" LOOP_END,
      "4/5" },
    { "two addresses, one counter",
      "L:\nld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\nadd.s64 %rd1, %rd1, 4;\nadd.s64 "
      "%rd2, %rd2, 4;\n" LOOP_END,
      "5/7" },
    { "the counter's value is needed", "L:\nst.global.u32 [%rd1], %r1;\n" LOOP_END, "2/4" },
    { "the address is the counter",
      "L:\nst.global.u32 [%rd1], %r1;\nadd.s64 %rd1, %rd1, 4;\nsetp.ne.s64 %p1, %rd1, %rd2;\n@%p1 "
      "bra L;\nret;\n",
      "3/4" },
    { "a step from a register",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, %r2;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 "
      "bra L;\nret;\n",
      "2/4" },
    { "a step that varies",
      "L:\nld.global.u32 %r2, [%rd1];\nadd.s32 %r1, %r1, %r2;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 "
      "bra L;\nret;\n",
      "0/4" },
    { "a bound that varies",
      "L:\nld.global.u32 %r2, [%rd1];\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra "
      "L;\nret;\n",
      "0/4" },
    { "a condition of data",
      "L:\nld.global.u32 %r2, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra "
      "L;\nret;\n",
      "1/4" },
    { "the comparison feeds a select too",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\nselp.u32 "
      "%r5, 1, 0, %p1;\n@%p1 bra L;\nret;\n",
      "0/5" },
    { "stepped twice",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, 1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 "
      "%p1, %r1, 9;\n@%p1 bra L;\nret;\n",
      "0/5" },
    { "guarded step",
      "L:\nst.global.u32 [%rd1], %r5;\n@%p2 add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 "
      "bra L;\nret;\n",
      "0/4" },
    { "a float counter",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.f32 %f1, %f1, 0f3F800000;\nsetp.lt.f32 %p1, %f1, "
      "0f41100000;\n@%p1 bra L;\nret;\n",
      "0/4" },
    { "a copied counter",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r2, %r1, 1;\nsetp.lt.s32 %p1, %r2, 9;\nmov.u32 "
      "%r1, %r2;\n@%p1 bra L;\nret;\n",
      "4/5" },
    { "a copied counter whose value is needed",
      "L:\nst.global.u32 [%rd1], %r2;\nadd.s32 %r2, %r1, 1;\nsetp.lt.s32 %p1, %r2, 9;\nmov.u32 "
      "%r1, %r2;\n@%p1 bra L;\nret;\n",
      "2/5" },
    { "a copied address",
      "L:\nld.global.u32 %r5, [%rd1];\nadd.s64 %rd2, %rd1, 4;\nst.global.u32 [%rd2], %r5;\nmov.u64 "
      "%rd1, %rd2;\n" LOOP_END,
      "5/7" },
    { "a copy of another sum",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r2, %r3, 1;\nsetp.lt.s32 %p1, %r2, 9;\nmov.u32 "
      "%r1, %r2;\n@%p1 bra L;\nret;\n",
      "0/5" },
    { "a guarded copy",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r2, %r1, 1;\nsetp.lt.s32 %p1, %r2, 9;\n@%p2 "
      "mov.u32 %r1, %r2;\n@%p1 bra L;\nret;\n",
      "0/5" },
    { "tested first",
      "L:\nsetp.ge.s32 %p1, %r1, 9;\n@%p1 bra X;\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, "
      "1;\nbra L;\nX:\nret;\n",
      "4/5" },
    { "another exit",
      "L:\nld.global.u32 %r5, [%rd1];\nsetp.eq.s32 %p2, %r5, 0;\n@%p2 bra X;\n"
      "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra L;\nX:\nret;\n",
      "3/6" },
    { "nested",
      "O:\nmov.u32 %r1, 0;\nL:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, "
      "%r1, 9;\n@%p1 bra L;\nadd.s64 %rd1, %rd1, 4;\n"
      "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, 9;\n@%p2 bra O;\nret;\n",
      "4/9 3/4" },
    { "the outer step is used inside",
      "O:\nmov.u32 %r1, 0;\nL:\nst.global.u32 [%rd1], %r2;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, "
      "%r1, 9;\n@%p1 bra L;\n"
      "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p2, %r2, 9;\n@%p2 bra O;\nret;\n",
      "2/8 3/4" },
    { "one counter, two loops",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra "
      "L;\n"
      "M:\nst.global.u32 [%rd1], %r1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 19;\n@%p2 bra "
      "M;\nret;\n",
      "3/4 2/4" },
    { "used behind the loop",
      "L:\nst.global.u32 [%rd1], %r5;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 9;\n@%p1 bra "
      "L;\nst.global.u32 [%rd1], %r1;\nret;\n",
      "3/4" },
};

static void describe_overhead(const Run *run)
{
    World *w = run->world;
    const Cfg *cfg = ptx_session_cfg(run->session);
    const Loops *loops = ptx_session_loops(run->session);
    const uint32_t *overheads = ptx_loop_overhead_compute(
        &w->arena, &w->scratch, run->func, cfg, loops,
        ptx_defs_compute(&w->arena, run->func, cfg, loops));
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        kit_print(run->out, "%s%u/%u", blank(run), overheads[loop],
                  ptx_session_mixes(run->session)->loops[loop].insn_count);
}

static void test_overhead(void **state)
{
    check(*state, overhead, COUNT(overhead), describe_overhead);
}

/* ---- dead results ---------------------------------------------------------------------------- */

static const Case unused[] = {
    { "an atomic's", "atom.global.add.u32 %r1, [%rd1], 1;\nret;\n", "1" },
    { "an atomic's that is read", "atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nret;\n", "" },
    { "no result", "red.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nret;\n", "" },
    { "read in another block", "atom.global.add.u32 %r1, [%rd1], 1;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nL:\nret;\n", "" },
    { "overwritten on all ways", "atom.global.add.u32 %r1, [%rd1], 1;\n@%p1 bra L;\nmov.u32 %r1, 1;\nbra M;\nL:\nmov.u32 %r1, 2;\nM:\nst.global.u32 [%rd1], %r1;\nret;\n", "1" },
    { "overwritten under a guard", "atom.global.add.u32 %r1, [%rd1], 1;\n@%p1 mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;\n", "" },
    { "one of two is read", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\n@%p1 st.global.u32 [%rd1], %r2;\nret;\n", "" },
    { "none of two is read", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\nst.global.u32 [%rd1], %r2;\nret;\n", "1" },
    { "dead", "add.s32 %r1, %r2, 1;\nret;\n", "1" },
    { "read in the next iteration", "L:\nst.global.u32 [%rd1], %r1;\natom.global.add.u32 %r1, [%rd2], 1;\n@%p1 bra L;\nret;\n", "" },
    { "unreachable", "ret;\natom.global.add.u32 %r1, [%rd1], 1;\nret;\n", "" },
};

static void describe_unused(const Run *run)
{
    World *w = run->world;
    const Cfg *cfg = ptx_session_cfg(run->session);
    const Live *live = ptx_live_compute(&w->arena, &w->scratch, NULL, run->func, cfg);
    print_lines(run, ptx_dead_code_compute(&w->arena, &w->scratch, run->func, cfg, live));
}

static void test_unused(void **state)
{
    check(*state, unused, COUNT(unused), describe_unused);
}

/* ---- loads of what is only read -------------------------------------------------------------- */

#define AB                                                                        \
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\ncvta.to.global.u64 %rd3, " \
    "%rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
#define INDEX "mul.wide.s32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd3, %rd5;\nadd.s64 %rd7, %rd4, %rd5;\n"

static const Case read_only[] = {
    { "one is read, one is written", AB INDEX "ld.global.f32 %f1, [%rd6];\nst.global.f32 [%rd7], %f1;\nret;\n", "8" },
    { "nothing is written", AB INDEX "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd7];\nret;\n", "8 9" },
    { "both are written", AB INDEX "ld.global.f32 %f1, [%rd6];\nst.global.f32 [%rd7], %f1;\nst.global.f32 [%rd3], %f1;\nret;\n", "" },
    { "atomic", AB INDEX "ld.global.f32 %f1, [%rd6];\nred.global.add.f32 [%rd6], %f1;\nret;\n", "" },
    { "atomic elsewhere", AB INDEX "ld.global.f32 %f1, [%rd6];\nred.global.add.f32 [%rd7], %f1;\nret;\n", "8" },
    { "store to who knows where", AB "ld.global.u64 %rd8, [%rd4];\nld.global.f32 %f1, [%rd3];\nst.global.f32 [%rd8], %f1;\nret;\n", "" },
    { "generic store through the other", AB "ld.global.f32 %f1, [%rd3];\nst.f32 [%rd2], %f1;\nret;\n", "5" },
    { "generic store through it", AB "ld.global.f32 %f1, [%rd3];\nst.f32 [%rd1], %f1;\nret;\n", "" },
    { "store to shared", AB "ld.global.f32 %f1, [%rd3];\nst.shared.f32 [%r1], %f1;\nret;\n", "5" },
    { "store to a variable of the module", AB "ld.global.f32 %f1, [%rd3];\nst.global.f32 [table], %f1;\nret;\n", "" },
    { "volatile", AB "ld.volatile.global.f32 %f1, [%rd3];\nret;\n", "" },
    { "call", AB "ld.global.f32 %f1, [%rd3];\ncall g;\nret;\n", "" },
    { "async copy to shared", AB "ld.global.f32 %f1, [%rd3];\ncp.async.ca.shared.global [tile], [%rd4], 4;\ncp.async.wait_all;\nret;\n", "5" },
    { "bulk copy to shared", AB "ld.global.f32 %f1, [%rd3];\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd4], 64, [%r6];\nret;\n", "5" },
    { "bulk copy to global", AB "ld.global.f32 %f1, [%rd3];\ncp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r5], 64;\nret;\n", "" },
    { "waits for another grid", AB "griddepcontrol.wait;\nld.global.f32 %f1, [%rd3];\nret;\n", "" },
    { "barrier", AB "ld.global.f32 %f1, [%rd3];\nbar.sync 0;\nst.global.f32 [%rd4], %f1;\nret;\n", "5" },
    { "a pointer that a loop moves", AB "L:\nld.global.f32 %f1, [%rd3];\nadd.s64 %rd3, %rd3, 4;\n@%p1 bra L;\nret;\n", "6" },
    { "a pointer that was loaded", AB "ld.global.u64 %rd8, [%rd3];\nld.global.f32 %f1, [%rd8];\nret;\n", "5" },
    { "a store that is never reached", AB "ld.global.f32 %f1, [%rd3];\nret;\nst.global.f32 [%rd3], %f1;\nret;\n", "5" },
};

/* Functions that are declared before the kernel and defined behind it: the last line of a case
 * closes the last of them. */
#define LATER(name, body)                                                                       \
    "}\n.func " name                                                                            \
    "(.param .u64 x, .param .u64 y)\n{\n.reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<2>;\n" \
    "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];\n" body "ret;\n"
#define STORES_TO_Y LATER("f", "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2+4], %r1;\n")
#define PASS(first, second, callee)                                                            \
    "{\n.param .u64 u; .param .u64 v;\nst.param.u64 [u], " first "; st.param.u64 [v], " second \
    "; call " callee ", (u, v);\n}\n"
#define LOAD "ld.global.f32 %f1, [%rd3];\n"

static const Case calls[] = {
    { "a function that writes through the other",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" STORES_TO_Y, "5" },
    { "that writes through it", AB LOAD PASS("%rd2", "%rd1", "f") "ret;\n" STORES_TO_Y, "" },
    { "that writes through it, further on",
      AB LOAD "add.s64 %rd5, %rd1, 64;\n" PASS("%rd2", "%rd5", "f") "ret;\n" STORES_TO_Y, "" },
    { "that writes to a local variable",
      AB "mov.u64 %rd8, own; cvta.local.u64 %rd5, %rd8;\n" LOAD PASS(
          "%rd1", "%rd5", "f") "ret;\n" LATER("f", "st.u32 [%rd2], %r1;\n"),
      "6" },
    { "that writes through what was loaded",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" LATER(
          "f", "ld.global.u64 %rd3, [%rd2]; st.global.u32 [%rd3], %r1;\n"),
      "" },
    { "that writes to a variable of the module",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" LATER("f", "st.global.u32 [table], %r1;\n"), "" },
    { "that only reads",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" LATER("f", "ld.global.u32 %r1, [%rd2];\n"), "5" },
    { "through two functions",
      AB LOAD PASS("%rd2", "%rd1", "h") "ret;\n" STORES_TO_Y LATER("h", PASS("%rd2", "%rd1", "f")),
      "5" },
    { "through two functions, that write through it",
      AB LOAD PASS("%rd1", "%rd2", "h") "ret;\n" STORES_TO_Y LATER("h", PASS("%rd2", "%rd1", "f")),
      "" },
    { "an atomic in a function",
      AB LOAD PASS("%rd2", "%rd1", "f") "ret;\n" LATER("f", "red.global.add.u32 [%rd2], 1;\n"),
      "" },
    { "that calls itself",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" LATER("f", PASS("%rd1", "%rd2", "f")), "" },
    { "that calls who knows what",
      AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n" LATER("f", "call g;\n"), "" },
    { "that is not there", AB LOAD PASS("%rd1", "%rd2", "f") "ret;\n", "" },
    { "a variable that is passed two ways",
      AB LOAD "{\n.param .u64 u; .param .u64 v;\nst.param.u64 [u], %rd1; st.param.u64 [v], %rd2; "
              "@%p1 st.param.u64 [v], %rd1; call f, (u, v);\n}\nret;\n" STORES_TO_Y,
      "" },
    { "a pointer by half",
      AB LOAD "{\n.param .u64 u; .param .u64 v;\nst.param.u64 [u], %rd1; st.param.u32 [v], %r1; "
              "call f, (u, v);\n}\nret;\n" STORES_TO_Y,
      "" },
};

static void describe_read_only(const Run *run)
{
    World *w = run->world;
    char *before = w->scratch.next;
    const PointsToSet *bases = ptx_points_to_sets_compute(&w->arena, &w->scratch, run->module->ir,
                                                          run->func);
    Writers *writers = ptx_writers_new(
        &w->arena, run->module->ir, ptx_callgraph_build(&w->arena, &w->scratch, run->module->ir));
    print_lines(run, ptx_read_only_params_compute(&w->arena, &w->scratch, writers, run->func,
                                                  ptx_session_cfg(run->session), bases));
    assert_ptr_equal(w->scratch.next, before);
}

static void test_read_only(void **state)
{
    check(*state, read_only, COUNT(read_only), describe_read_only);
    check(*state, calls, COUNT(calls), describe_read_only);
}

UNIT(repeat)
{
#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_earlier),
        IN_WORLD(test_many),
        IN_WORLD(test_executed),
        IN_WORLD(test_barriers),
        IN_WORLD(test_invariant),
        IN_WORLD(test_may_change),
        IN_WORLD(test_neighbours),
        IN_WORLD(test_many_neighbours),
        IN_WORLD(test_fusable),
        IN_WORLD(test_fp64),
        IN_WORLD(test_overhead),
        IN_WORLD(test_unused),
        IN_WORLD(test_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
