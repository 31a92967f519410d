#include "analysis/time/bound/critical_path_bound.h"

#include "analysis/redundancy/needed.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/count.h"
#include "gpu/gpu.h"

#include <math.h>
#include <string.h>

enum {
#define FL(id, floor, measured, source) FLOOR_##id = (floor),
#include "analysis/time/bound/floors.def"
#undef FL
};
#define FL(id, floor, measured, source)                                                            \
    _Static_assert((floor) <= (int)(measured), "a floor is below what was measured");
#include "analysis/time/bound/floors.def"
#undef FL

/* Of all GPUs: no SM has more warps or blocks (rules/gpus/: warps_per_sm, blocks_per_sm), no L2
 * more slices that do atomics, of so many bytes. */
enum { MAX_CANDIDATES = 16, SLICE_BYTES = 256, MAX_SLICES = 96, MAX_WARPS = 64, MAX_BLOCKS = 32 };

/* ---- what data decide ------------------------------------------------------------------------ */

static bool is_decided_by_data(const PathBoundInput *in, BlockId block)
{
    const Block *b = &in->cfg->blocks[block];
    return b->succ_count > 1 && in->evaluation->insns[b->end - 1].total->doubt >= UNCERTAIN_DATA;
}

/* Loops that are left, or gone around again, as data say. */
static bool *loops_of_data(Arena *arena, const PathBoundInput *in)
{
    bool *found = ptx_arena_array(arena, bool, in->loops->loop_count + 1);
    for (BlockId b = 0; b < in->cfg->block_count; b++)
        for (uint32_t e = 0; e < in->cfg->blocks[b].succ_count && is_decided_by_data(in, b); e++)
            for (LoopId l = in->loops->loop_of[b]; l != NO_LOOP; l = in->loops->loops[l].parent)
                found[l] |= !ptx_loop_holds(in->loops, l,
                                            in->cfg->succs[in->cfg->blocks[b].succ_first + e]);
    for (LoopId l = 0; l < in->loops->loop_count; l++)
        found[l] |= in->loops->loops[l].parent != NO_LOOP && found[in->loops->loops[l].parent];
    return found;
}

/* Where several ways meet, or go round, the block that all of them come from says; behind a loop,
 * its header. */
static bool is_reached(const PathBoundInput *in, const Dom *dom, const bool *reached, BlockId block)
{
    BlockId above = dom->idom[block];
    const Block *b = &in->cfg->blocks[block];
    if (above == EXIT_BLOCK || above == block)
        return true;
    bool is_only = true;
    for (uint32_t p = 0; p < b->pred_count; p++)
        is_only &= in->cfg->preds[b->pred_first + p] == above
                   || ptx_dom_dominates(dom, block, in->cfg->preds[b->pred_first + p]);
    LoopId loop = in->loops->loop_of[above];
    bool leaves = loop != NO_LOOP && !ptx_loop_holds(in->loops, loop, block);
    return reached[above] && (!is_only || leaves || !is_decided_by_data(in, above));
}

const bool *ptx_path_bound_sure(Arena *arena, const PathBoundInput *in)
{
    bool *reached = ptx_arena_array(arena, bool, in->cfg->block_count + 1),
         *sure = ptx_arena_array(arena, bool, in->cfg->block_count + 1);
    const bool *of_data = loops_of_data(arena, in);
    for (uint32_t r = 0; r < in->cfg->rpo_count; r++) {
        BlockId block = in->cfg->rpo[r];
        LoopId loop = in->loops->loop_of[block];
        reached[block] = is_reached(in, in->dom, reached, block);
        sure[block] = reached[block] && (loop == NO_LOOP || !of_data[loop]);
    }
    return sure;
}

/* over the function until nothing changes; then everything is taken as data */
enum { PASSES_MAX = 8 };

static bool is_known_register(SregId id)
{
    bool is_place = id == SREG_TID || id == SREG_NTID || id == SREG_CTAID || id == SREG_NCTAID;
    return is_place || id == SREG_LANEID || (id >= SREG_LANEMASK_EQ && id <= SREG_LANEMASK_LT)
           || (id >= SREG_CLUSTER_CTAID && id <= SREG_CLUSTERID);
}

/* What a launch does not say: memory but its parameters, what a function or the hardware gives. */
static bool is_data_source(const Func *func, const Insn *insn, const Module *module)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    const Op *op = insn->op;
    bool is_parameter = op->kind == OPK_LD && op->space == SPACE_PARAM && insn->operand_count > 1
                        && operands[1].kind == OPERAND_VAR && func->is_entry
                        && module->vars[operands[1].id].is_parameter;
    if (op->flags & OPF_UNKNOWN || op->kind == OPK_ATOM || op->kind == OPK_CALL
        || (op->flags & OPF_LOAD && !is_parameter))
        return true;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_SREG && !is_known_register((SregId)operands[o].id))
            return true;
    return false;
}

static bool reads_data(const PathBoundInput *in, const Insn *insn, const bool *is_data)
{
    const Operand *operands = ptx_insn_operands(in->func, insn);
    if (insn->guard != NO_ID && is_data[insn->guard])
        return true;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & (ROLE_USE | ROLE_ADDRESS)
            && is_data[operands[o].id])
            return true;
    return is_data_source(in->func, insn, in->module);
}

static bool spread_data(const PathBoundInput *in, InsnId id, bool *is_data)
{
    const Insn *insn = &in->func->insns[id];
    const Operand *operands = ptx_insn_operands(in->func, insn);
    bool changed = false;
    if (in->are_sure[in->cfg->block_of[id]] && !reads_data(in, insn, is_data))
        return false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
            && !is_data[operands[o].id])
            is_data[operands[o].id] = changed = true;
    return changed;
}

const bool *ptx_path_bound_counting(Arena *arena, const PathBoundInput *in)
{
    const Func *func = in->func;
    bool *counts = ptx_arena_array(arena, bool, func->insn_count + 1),
         *is_data = ptx_arena_array(arena, bool, func->reg_count + 1), changed = true;
    for (RegId r = 0; r < func->reg_count; r++)
        is_data[r] = func->regs[r].is_param;
    for (unsigned pass = 0; pass < PASSES_MAX && changed; pass++) {
        changed = false;
        for (InsnId i = 0; i < func->insn_count; i++)
            changed |= spread_data(in, i, is_data);
    }
    for (InsnId i = 0; i < func->insn_count; i++) {
        RegId guard = func->insns[i].guard;
        counts[i] = in->needed[i] && in->are_sure[in->cfg->block_of[i]]
                    && (guard == NO_ID || (!changed && !is_data[guard]));
    }
    return counts;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static double of_arithmetic(const Op *op)
{
    bool is_double = op->type == TYPE_F64;
    if (op->type != TYPE_F32 && !is_double)
        return 0;
    if (op->flags & OPF_FULL_PRECISION)
        return FLOOR_PRECISE_CLOCKS;
    if (op->kind == OPK_FMA || op->kind == OPK_ADD || op->kind == OPK_SUB
        || (op->kind == OPK_MUL && op->flags & OPF_ROUNDED))
        return is_double ? FLOOR_FP64_CLOCKS : FLOOR_FP32_CLOCKS;
    return 0;
}

static double clocks_of_load(Space space)
{
    switch (space) {
    case SPACE_GLOBAL:  return FLOOR_LOAD_CLOCKS;
    case SPACE_SHARED:  return FLOOR_SHARED_CLOCKS;
    case SPACE_CONST:   return FLOOR_CONST_CLOCKS;
    default:            return 0;
    }
}

static double least_clocks(const Insn *insn)
{
    switch ((Operation)insn->op->operation) {
    case OP_LD: case OP_LDU:
        return clocks_of_load((Space)insn->op->space);
    case OP_SHFL:
        return FLOOR_SHUFFLE_CLOCKS;
    case OP_RSQRT: case OP_EX2: case OP_LG2: case OP_SIN: case OP_COS:
        return insn->op->type == TYPE_F32 ? FLOOR_APPROXIMATE_CLOCKS : 0;
    default:
        return of_arithmetic(insn->op);
    }
}

/* Clocks from what `reg` holds before the block to what it holds behind it; below 0: the one does
 * not need the other. later: per register, all below 0. */
static double around(const PathBoundInput *in, const Block *block, RegId reg, double *later)
{
    const Func *func = in->func;
    later[reg] = 0;
    for (InsnId i = block->first; i < block->end; i++) {
        const Insn *insn = &func->insns[i];
        if (!in->are_counting[i])
            continue;
        const Operand *operands = ptx_insn_operands(func, insn);
        double at = -1;
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & (ROLE_USE | ROLE_ADDRESS))
                at = fmax(at, later[operands[o].id]);
        for (uint32_t o = 0; o < insn->operand_count; o++)
            if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF
                && (insn->guard == NO_ID || operands[o].id != reg))
                later[operands[o].id] = at < 0 ? -1 : at + least_clocks(insn);
    }
    return later[reg];
}

static void forget(const Func *func, const Block *block, double *later)
{
    for (InsnId i = block->first; i < block->end; i++) {
        const Operand *operands = ptx_insn_operands(func, &func->insns[i]);
        for (uint32_t o = 0; o < func->insns[i].operand_count; o++)
            if (operands[o].kind == OPERAND_REG)
                later[operands[o].id] = -1;
    }
}

/* Of an iteration of a loop that is one block: the slowest register of those that are read before
 * they are written. */
static double carried(const PathBoundInput *in, const Block *block, double *later, uint32_t *turn,
                      uint32_t now)
{
    const Func *func = in->func;
    double most = 0;
    unsigned candidates = 0;
    for (InsnId i = block->first; i < block->end && candidates < MAX_CANDIDATES; i++) {
        const Insn *insn = &func->insns[i];
        const Operand *operands = ptx_insn_operands(func, insn);
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint32_t o = 0; o < insn->operand_count && candidates < MAX_CANDIDATES; o++) {
                bool is_use = operands[o].role & (ROLE_USE | ROLE_ADDRESS);
                if (operands[o].kind != OPERAND_REG || turn[operands[o].id] == now
                    || (pass ? is_use : !is_use))
                    continue;
                turn[operands[o].id] = now;
                if (!pass) {
                    most = fmax(most, around(in, block, operands[o].id, later));
                    forget(func, block, later);
                    candidates++;
                }
            }
    }
    return most;
}

/* Warps that follow each other on an SM, whatever else would keep it from holding more. */
static double waves_at_least(const PathBoundInput *in)
{
    double resident = fmin(MAX_BLOCKS, floor(MAX_WARPS / in->warps_per_block));
    return fmax(1, in->blocks / (in->gpu->figures[FIGURE_SMS] * fmax(1, resident)));
}

double ptx_path_bound_chain_us(Arena *scratch, const PathBoundInput *in)
{
    ArenaMark mark = ptx_arena_mark(scratch);
    double clocks = 0, *later = NULL;
    uint32_t *turn = NULL;
    for (LoopId l = 0; l < in->loops->loop_count; l++) {
        const Block *block = &in->cfg->blocks[in->loops->loops[l].header];
        if (in->loops->loops[l].block_count != 1 || !in->are_sure[in->loops->loops[l].header])
            continue;
        if (!later) {
            later = ptx_arena_array(scratch, double, in->func->reg_count + 1);
            turn = ptx_arena_array(scratch, uint32_t, in->func->reg_count + 1);
            for (RegId r = 0; r <= in->func->reg_count; r++)
                later[r] = -1;
        }
        clocks += carried(in, block, later, turn, l + 1)
                  * in->evaluation->insns[block->first].total->warps / in->blocks
                  / in->warps_per_block;
    }
    ptx_arena_release(scratch, mark);
    return clocks * waves_at_least(in) / in->gpu->figures[FIGURE_CLOCK_MHZ];
}

/* ---- atomics --------------------------------------------------------------------------------- */

double ptx_path_bound_atomic_us(const PathBoundInput *in)
{
    const Traffics *t = &in->evaluation->traffics;
    bool are_wide = false;
    if (t->data_atomics > 0)
        return 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Insn *insn = &in->func->insns[i];
        if (insn->op->kind != OPK_ATOM && insn->op->kind != OPK_RED)
            continue;
        are_wide |= insn->access_bytes > 4;
        if (in->evaluation->insns[i].total->warps > 0 && !in->are_counting[i])
            return 0;
    }
    /* each slice does a pass a clock; no clock of L2 is above 2 GHz, or the SMs' where theirs is */
    double ns_a_pass = fmin(0.5, 1e3 / in->gpu->figures[FIGURE_CLOCK_MHZ]);
    double slices = fmax(1, fmin(MAX_SLICES, ceil(t->atomic_bytes / SLICE_BYTES)));
    return ns_a_pass * t->atomic_passes / slices / (are_wide ? 2 : 1) / 1e3;
}
