/* A block is run, and what its warps touch between two of its barriers is compared. */
#include "analysis/race/block_race.h"

#include "analysis/access/kernel_run.h"
#include "analysis/race/search.h"
#include "analysis/sim/count.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/race/interval.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"

enum {
    STEPS = 1 << 15,            /* instructions of warps */
    MAX_WITNESSES = 64,         /* of elements that are looked at closely */
    MAX_BASES = 64,             /* of stores and loads; beyond, they may be the same */
};

/* ---- whether there is anything to look at ---------------------------------------------------- */

/* Warps have no order but by barriers of the whole block. */
static bool orders_by_barriers(const Op *op)
{
    const bool is_barrier = op->kind == OPK_BAR;
    switch ((Operation)op->family) {
    case OP_MBARRIER: case OP_CP: case OP_CALL: case OP_WGMMA: case OP_TCGEN05:
        return false;
    default:
        return ptx_block_race_is_plain(op) && op->kind != OPK_ATOM && op->kind != OPK_RED
               && op->kind != OPK_CALL && op->kind != OPK_TRAP
               && (is_barrier || !ptx_op_is_ordered(op));
    }
}

/* Barrier 0, for all threads; or one of the warp, which orders no other. */
static bool is_of_all_warps(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const bool is_reduction = ptx_op_has(insn->op, MOD_RED);
    const unsigned number = is_reduction, count = is_reduction ? 3 : 1;
    if (ptx_op_has(insn->op, MOD_WARP))
        return true;
    return !ptx_op_has(insn->op, MOD_ARRIVE) && insn->operand_count == count
           && operands[number].kind == OPERAND_INT && !ptx_operand_value(&operands[number]);
}

static bool is_followed_kernel(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Insn *insn = &func->insns[i];
        if (!orders_by_barriers(insn->op)
            || (insn->op->kind == OPK_BAR && !is_of_all_warps(func, insn)))
            return false;
    }
    return true;
}

static bool is_global_access(const Insn *insn, OpKind kind)
{
    return insn->op->kind == kind
           && (insn->op->space == SPACE_GLOBAL || insn->op->space == SPACE_GENERIC);
}

/* Which memory it accesses; 0: any. */
static uint64_t base_key(const KernelRun *run, const PointsToSet *bases, const Insn *insn)
{
    const Module *module = ptx_program_module(run->program);
    PointsTo base;
    const bool is_known = ptx_points_to_of_access(bases, module, &module->funcs[run->kernel], insn,
                                                  &base)
                          && (base.kind == BASE_PARAM || base.kind == BASE_VAR);
    return is_known ? (uint64_t)base.kind << 32 | base.id : 0;
}

/* Some load may read what some store writes. */
static bool loads_what_it_stores(const KernelRun *run, const Func *func)
{
    const Module *module = ptx_program_module(run->program);
    const PointsToSet *bases = run->bases ? run->bases
                                          : ptx_points_to_sets_compute(run->work, run->scratch,
                                                                       module, func);
    uint64_t written[MAX_BASES];
    uint32_t count = 0;
    bool meets = false;
    for (InsnId i = 0; i < func->insn_count && count < MAX_BASES; i++)
        if (is_global_access(&func->insns[i], OPK_ST))
            written[count++] = base_key(run, bases, &func->insns[i]);
    for (InsnId i = 0; i < func->insn_count && count && !meets; i++) {
        const bool is_load = is_global_access(&func->insns[i], OPK_LD);
        const uint64_t key = is_load ? base_key(run, bases, &func->insns[i]) : 0;
        meets = is_load && (!key || count == MAX_BASES);
        for (uint32_t w = 0; is_load && w < count && !meets; w++)
            meets = !written[w] || written[w] == key;
    }
    return meets;
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct IntervalSearch {
    const KernelRun *of;
    const Func *func;
    Machine *machine;
    Intervals *intervals;
} IntervalSearch;

static bool is_undoubted(const IntervalSearch *s, const IntervalAccess *access)
{
    const SimFunc ran = ptx_machine_func(s->machine, s->of->kernel);
    return access->func == s->func
           && ptx_count_of(ran.counts, access->insn)->doubt < UNCERTAIN_PARAMETER;
}

static bool has_reader(const Func *func, RegId reg)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].id == reg
                && operands[o].role & ROLE_USE)
                return true;
    }
    return false;
}

/* All that it loads is used: of a vector no element is there for its neighbours alone. */
static bool is_whole_load(const Func *func, const Insn *load)
{
    const Operand *operands = ptx_insn_operands(func, load);
    for (uint32_t o = 0; o < load->operand_count; o++) {
        const bool is_sink = operands[o].kind == OPERAND_SINK;
        if (is_sink || (ptx_operand_is_def(&operands[o]) && !has_reader(func, operands[o].id)))
            return false;
    }
    return true;
}

static const IntervalAccess *race_at(const IntervalSearch *s, const IntervalElement *element)
{
    const IntervalAccess *reader = ptx_interval_other(element), *writer = &element->writer;
    const Cfg *cfg = ptx_machine_func(s->machine, s->of->kernel).cfg;
    const bool is = reader && is_undoubted(s, reader) && is_undoubted(s, writer)
                    && is_whole_load(s->func, &s->func->insns[reader->insn])
                    && !ptx_store_may_write_back(s->of->scratch, cfg, s->func, writer->insn);
    return is ? reader : NULL;
}

static BlockAccess block_access(const IntervalSearch *s, const IntervalAccess *by, bool is_write)
{
    const SimShape shape = ptx_machine_shape(s->machine);
    BlockAccess access = { .func = by->func,
                           .insn = by->insn,
                           .place = by->insn,
                           .is_write = is_write };
    ptx_thread_of_block(shape.block, by->thread, access.thread);
    return access;
}

static BlockRace *find_race(const IntervalSearch *s)
{
    const Intervals *in = s->intervals;
    uint32_t looked_at = 0;
    for (uint32_t i = 0; i < in->count && looked_at < MAX_WITNESSES; i++) {
        const IntervalElement *element = &in->elements[i];
        looked_at += ptx_interval_other(element) != NULL;
        const IntervalAccess *reader = race_at(s, element);
        if (!reader)
            continue;
        BlockRace *out = ptx_block_race_new(s->of->arena, BLOCK_RACE_INSIDE,
                                            block_access(s, &element->writer, true),
                                            block_access(s, reader, false));
        ptx_block_race_name(s->machine, ptx_program_module(s->of->program), s->func,
                            &(GlobalPlace){ element->addend, element->address }, out);
        return out;
    }
    return NULL;
}

static const BlockRace *search_intervals(const KernelRun *run, const Func *func)
{
    static const uint32_t first[3] = { 0, 0, 0 };
    Observer observer = { 0 };
    IntervalSearch s = { .of = run,
                         .func = func,
                         .machine = ptx_machine_new(run->work, run->scratch, run->program,
                                                    run->kernel, run->launch) };
    const SimShape shape = ptx_machine_shape(s.machine);
    if (shape.block_is_assumed || shape.warp_count < 2)
        return NULL;
    s.intervals = ptx_intervals_new(run->work, s.machine, shape.warp_count);
    ptx_intervals_observe(&observer, s.intervals);
    ptx_machine_observe(s.machine, &observer);
    ptx_machine_allow(s.machine, STEPS);
    return ptx_machine_run(s.machine, first, 0, shape.warp_count) && !s.intervals->is_lost
               ? find_race(&s)
               : NULL;
}

const BlockRace *ptx_interval_race_find(const KernelRun *run)
{
    static const Launch nothing = { .dynamic_shared_bytes = -1 };
    const Module *module = ptx_program_module(run->program);
    const Func *func = &module->funcs[run->kernel];
    const bool has_shape = func->bounds.reqntid[0] || (run->launch && run->launch->block[0]);
    if (!has_shape || !func->has_body || func->has_syntax_error || func->has_unknown
        || !is_followed_kernel(func))
        return NULL;
    const ArenaMark mark = ptx_arena_mark(run->work);
    const Launch launch = ptx_block_race_launch(run->work, module, run->kernel,
                                                run->launch ? run->launch : &nothing);
    KernelRun of = *run;
    of.launch = &launch;
    const BlockRace *out = loads_what_it_stores(run, func) ? search_intervals(&of, func) : NULL;
    ptx_arena_release(run->work, mark);
    return out;
}
