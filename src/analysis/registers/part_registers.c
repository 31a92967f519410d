#include "analysis/registers/part_registers.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loop.h"
#include "analysis/sass/sass.h"
#include "analysis/value/uniform.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/module.h"

/* The function that is made. */
typedef struct PartBuild {
    Arena *arena;
    const FuncFlow *flow;
    const bool *keeps;
    InsnId *place;      /* per instruction of the whole, and one more: where it is, or the next */
    Func func;
} PartBuild;

typedef enum PartFate { FATE_DROPPED, FATE_KEPT, FATE_JUMP } PartFate;

static bool is_jump(const Insn *insn)
{
    const OpKind kind = (OpKind)insn->op->kind;
    return kind == OPK_BRA || kind == OPK_BRX || kind == OPK_RET || kind == OPK_EXIT
           || kind == OPK_TRAP;
}

/* A branch that nothing in the part needs: whichever way it goes, the part goes on where the ways
 * meet. */
static PartFate fate_of(const PartBuild *b, InsnId id)
{
    const Cfg *cfg = b->flow->cfg;
    const BlockId block = cfg->block_of[id];
    const Insn *insn = &b->flow->func->insns[id];
    if (!ptx_block_is_reachable(cfg, block))
        return FATE_DROPPED;
    if (b->keeps[id] || (is_jump(insn) && insn->guard == NO_ID))
        return FATE_KEPT;
    bool is_skipped = insn->op->kind == OPK_BRA && b->flow->dom->ipdom[block] != block + 1;
    return is_skipped ? FATE_JUMP : FATE_DROPPED;
}

static Label *add_label(PartBuild *b, InsnId place)
{
    Label *label = &b->func.labels[b->func.label_count++];
    *label = (Label){ .insn = place, .table = NO_ID, .is_used = true };
    return label;
}

/* To where the ways of the branch meet. */
static void jump_on(PartBuild *b, InsnId id, Insn *out)
{
    const Func *whole = b->flow->func;
    const BlockId to = b->flow->dom->ipdom[b->flow->cfg->block_of[id]];
    const InsnId place = to == EXIT_BLOCK ? b->func.insn_count
                                          : b->place[b->flow->cfg->blocks[to].first];
    const Operand *operands = ptx_insn_operands(whole, out);
    const uint32_t first = b->func.operand_count;
    for (uint32_t o = 0; o < out->operand_count; o++) {
        Operand *copy = &b->func.operands[b->func.operand_count++];
        *copy = operands[o];
        copy->value_at = 0; /* targets have none */
        if (copy->kind == OPERAND_TARGET)
            copy->id = (uint32_t)(add_label(b, place) - b->func.labels);
    }
    out->operand_first = first;
    out->guard = NO_ID;
}

static void place_insns(PartBuild *b, uint32_t *jump_operands)
{
    const Func *whole = b->flow->func;
    uint32_t count = 0;
    for (InsnId i = 0; i < whole->insn_count; i++) {
        const PartFate fate = fate_of(b, i);
        b->place[i] = count;
        count += fate != FATE_DROPPED;
        *jump_operands += fate == FATE_JUMP ? whole->insns[i].operand_count : 0;
    }
    b->place[whole->insn_count] = b->func.insn_count = count;
}

static void copy_operands_and_labels(PartBuild *b, uint32_t more)
{
    const Func *whole = b->flow->func;
    b->func.operands = ptx_arena_array(b->arena, Operand, whole->operand_count + more + 1);
    b->func.labels = ptx_arena_array(b->arena, Label, whole->label_count + more + 1);
    for (uint32_t o = 0; o < whole->operand_count; o++)
        b->func.operands[o] = whole->operands[o];
    for (LabelId l = 0; l < whole->label_count; l++) {
        const InsnId at = whole->labels[l].insn;
        b->func.labels[l] = whole->labels[l];
        b->func.labels[l].insn = b->place[at < whole->insn_count ? at : whole->insn_count];
    }
}

static void build_part(PartBuild *b)
{
    const Func *whole = b->flow->func;
    uint32_t jump_operands = 0;
    b->func = *whole;
    b->place = ptx_arena_array(b->arena, InsnId, whole->insn_count + 1);
    place_insns(b, &jump_operands);
    b->func.insns = ptx_arena_array(b->arena, Insn, b->func.insn_count + 1);
    copy_operands_and_labels(b, jump_operands);
    for (InsnId i = 0; i < whole->insn_count; i++) {
        const PartFate fate = fate_of(b, i);
        if (fate == FATE_DROPPED)
            continue;
        b->func.insns[b->place[i]] = whole->insns[i];
        if (fate == FATE_JUMP)
            jump_on(b, i, &b->func.insns[b->place[i]]);
    }
}

static bool count_registers(Arena *arena, Arena *scratch, const FuncFlow *flow,
                            const PartRegistersInput *in, PartRegisters *out)
{
    const Live *live = ptx_live_compute(arena, scratch, NULL, flow->func, flow->cfg);
    if (!live)
        return false;
    const Uniforms *uniforms = ptx_uniform_compute(arena, scratch, flow, NULL, in->launch);
    const Lowered *lowered = ptx_lowered_compute(arena, scratch, flow, uniforms, in->gpu->target);
    out->pressure = ptx_pressure_compute(scratch, flow, live, lowered, in->gpu);
    out->max_live = live->max_pressure;
    return out->pressure.is_known;
}

/* The part's own control flow; no cfg: nothing is left. */
static FuncFlow flow_of_part(PartBuild *b, Arena *scratch)
{
    build_part(b);
    FuncFlow part = { .module = b->flow->module, .func = &b->func };
    part.cfg = ptx_cfg_build(b->arena, scratch, part.module, part.func);
    if (!part.cfg)
        return part;
    part.dom = ptx_dom_compute(b->arena, scratch, part.cfg);
    part.loops = ptx_loops_compute(b->arena, scratch, part.cfg, part.dom);
    return part;
}

bool ptx_part_registers_compute(Arena *arena, Arena *scratch, const PartRegistersInput *in,
                                PartRegisters *out)
{
    const ArenaMark mark = ptx_arena_mark(arena);
    PartBuild b = { .arena = arena, .flow = in->flow, .keeps = in->keeps };
    const FuncFlow part = in->keeps ? flow_of_part(&b, scratch) : *in->flow;
    const bool is_known = part.cfg && count_registers(arena, scratch, &part, in, out);
    ptx_arena_release(arena, mark);
    return is_known;
}
