/* block_keys.c -- the values of a kernel that are the same in all threads of a block and decide
 * which way control goes, computed for many blocks without running them. */
#include "analysis/sim/block_keys.h"
#include "analysis/sim/machine.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ir/reg.h"
#include "ir/sreg.h"
#include "ir/types.h"
#include "analysis/sim/observer.h"
#include "support/assert.h"

#include <string.h>
#include <stdint.h>

enum {
    MAX_ROUNDS = 16,           /* through the instructions, until nothing new is found */
    MAX_INSNS = 1 << 10,       /* that are executed for the keys of a block */
};

/* ---- which values are the same in a block, and decide ---------------------------------------- */

typedef struct Keys {
    Machine *machine;
    const FuncState *func_state;
    const Func *func;
    bool *is_own;               /* per register: threads, loops or memory make it */
    bool *decides;              /* per register: what way control goes may rest on it */
    bool *is_wanted;            /* per instruction: it is executed for the keys */
    RegId regs[MAX_BLOCK_KEYS];
    uint32_t count, wanted_count;
} Keys;

static bool is_use(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & (ROLE_USE | ROLE_ADDRESS);
}

static bool defines(const Keys *k, InsnId i, const bool *regs)
{
    const Operand *operands = ptx_insn_operands(k->func, &k->func->insns[i]);
    for (unsigned o = 0; o < k->func->insns[i].operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && regs[operands[o].id])
            return true;
    return false;
}

static bool is_param(const Op *op)
{
    return op->space == SPACE_PARAM || op->space == SPACE_PARAM_ENTRY;
}

/* Whether the same is computed in each thread, whatever memory holds. */
static bool is_of_block(const Keys *k, InsnId i)
{
    const Insn *insn = &k->func->insns[i];
    const Operand *operands = ptx_insn_operands(k->func, insn);
    Action action = (Action)ptx_machine_code(k->machine, insn->op)->action;
    bool is_plain = action == ACTION_LANEWISE || action == ACTION_CHOOSE || action == ACTION_MOVE
                    || (action == ACTION_LOAD && is_param(insn->op));
    if (!is_plain || k->func_state->loops->loop_of[k->func_state->cfg->block_of[i]] != NO_LOOP
        || (insn->guard != NO_ID && k->is_own[insn->guard]))
        return false;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        SregId sreg = operands[o].kind == OPERAND_SREG ? (SregId)operands[o].id : SREG_CTAID;
        if (sreg != SREG_CTAID && sreg != SREG_NCTAID && sreg != SREG_NTID)
            return false;
        if (is_use(&operands[o]) && k->is_own[operands[o].id])
            return false;
    }
    return true;
}

static bool mark_defs(const Keys *k, InsnId i, bool *regs)
{
    const Operand *operands = ptx_insn_operands(k->func, &k->func->insns[i]);
    bool is_new = false;
    for (unsigned o = 0; o < k->func->insns[i].operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && !regs[operands[o].id])
            is_new = regs[operands[o].id] = true;
    return is_new;
}

static bool mark_uses(const Keys *k, InsnId i, bool *regs)
{
    const Insn *insn = &k->func->insns[i];
    const Operand *operands = ptx_insn_operands(k->func, insn);
    bool is_new = false;
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (is_use(&operands[o]) && !regs[operands[o].id])
            is_new = regs[operands[o].id] = true;
    if (insn->guard != NO_ID && !regs[insn->guard])
        is_new = regs[insn->guard] = true;
    return is_new;
}

static bool find_own(const Keys *k)
{
    bool is_new = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = 0; i < k->func->insn_count; i++)
            if (!is_of_block(k, i))
                is_new |= mark_defs(k, i, k->is_own);
    }
    return !is_new;
}

static bool is_control(const Insn *insn, Action action)
{
    return insn->guard != NO_ID
           && (action == ACTION_BRANCH || action == ACTION_EXIT || action == ACTION_RETURN);
}

/* Back from what guards branches; not through memory. */
static bool find_deciding(const Keys *k)
{
    bool is_new = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = k->func->insn_count; i-- > 0;) {
            const Insn *insn = &k->func->insns[i];
            if (is_control(insn, (Action)ptx_machine_code(k->machine, insn->op)->action)
                && !k->decides[insn->guard])
                is_new = k->decides[insn->guard] = true;
            if (!ptx_insn_is_access(insn) && defines(k, i, k->decides) && defines(k, i, k->is_own))
                is_new |= mark_uses(k, i, k->decides);
        }
    }
    return !is_new;
}

/* What makes the keys, and the branches that choose between values of one. */
static bool find_wanted(Arena *scratch, Keys *k)
{
    bool *regs = ptx_arena_array(scratch, bool, k->func->reg_count + 1), is_new = true;
    for (uint32_t r = 0; r < k->count; r++)
        regs[k->regs[r]] = true;
    for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
        is_new = false;
        for (InsnId i = k->func->insn_count; i-- > 0;) {
            const Insn *insn = &k->func->insns[i];
            bool is_branch = insn->op->kind == OPK_BRA && insn->guard != NO_ID
                             && !k->is_own[insn->guard];
            if (k->is_wanted[i] || !(is_branch || defines(k, i, regs))
                || k->func_state->loops->loop_of[k->func_state->cfg->block_of[i]] != NO_LOOP)
                continue;
            k->is_wanted[i] = is_new = true;
            k->wanted_count++;
            mark_uses(k, i, regs);
        }
    }
    return !is_new && k->wanted_count <= MAX_INSNS;
}

/* ---- their numbers --------------------------------------------------------------------------- */

/* Lanes, of which each is another block's, at each basic block. */
static void pass_on(const Keys *k, Warp *w, BlockId b, uint32_t *lanes)
{
    const Cfg *cfg = k->func_state->cfg;
    const Block *block = &cfg->blocks[b];
    const Insn *last = &k->func->insns[block->end - 1];
    uint32_t taken = lanes[b], falls = lanes[b], maybe;
    if (k->is_wanted[block->end - 1] && last->op->kind == OPK_BRA) {
        const SimInsn *branch = ptx_insn_decoded(k->machine, w->frame->func_state, block->end - 1);
        bool is_assumed;
        taken = ptx_insn_where(k->machine, w, branch, lanes[b], &maybe, &is_assumed) | maybe;
        falls = lanes[b] & (~taken | maybe);
    }
    for (uint32_t e = 0; e < block->succ_count; e++) {
        BlockId to = cfg->succs[block->succ_first + e];
        if (to != EXIT_BLOCK)
            lanes[to] |= cfg->blocks[to].first == block->end ? falls : taken;
    }
}

static void execute_block(const Keys *k, Warp *w, BlockId b, uint32_t lanes)
{
    const Block *block = &k->func_state->cfg->blocks[b];
    for (InsnId i = block->first; i < block->end && lanes; i++) {
        const Insn *insn = &k->func->insns[i];
        uint32_t active = lanes, maybe = 0;
        bool is_assumed;
        if (!k->is_wanted[i] || insn->op->kind == OPK_BRA)
            continue;
        const SimInsn *decoded = ptx_insn_decoded(k->machine, w->frame->func_state, i);
        if (decoded->is_guarded)
            active = ptx_insn_where(k->machine, w, decoded, lanes, &maybe, &is_assumed);
        if (active)
            decoded->run(k->machine, w, decoded, active, UNCERTAIN_NONE);
        k->machine->steps++;
    }
}

/* As a number with its sign; what is not known is 0. */
static int64_t number_of(const Keys *k, const Warp *w, RegId reg, unsigned lane)
{
    const Register *r = ptx_frame_register(w->frame, reg);
    unsigned bits = reg < k->func->reg_count ? ptx_type_info[k->func->regs[reg].type].bits : 1;
    if (!ptx_register_is_written(r) || r->value.unknown >> lane & 1)
        return 0;
    uint64_t number = ptx_value_lane(&r->value, lane);
    return bits > 1 && bits < 64 ? (int64_t)(number << (64 - bits)) >> (64 - bits)
                                 : (int64_t)number;
}

/* In the order of the text: what jumps back does so in loops, which are not gone around. */
static void compute_keys(const Keys *k, uint32_t first, uint32_t *lanes, BlockKeys *out)
{
    uint64_t ctaids[3][WARP_LANES];
    const uint32_t left = out->count - first, here = left < WARP_LANES ? left : WARP_LANES;
    for (unsigned d = 0; d < 3; d++)
        for (uint32_t i = 0; i < WARP_LANES; i++)
            ctaids[d][i] = out->places[first + (i < here ? i : 0)].at[d];
    k->machine->ctaids = ctaids;
    Warp *w = ptx_machine_begin(k->machine);
    memset(lanes, 0, k->func_state->cfg->block_count * sizeof *lanes);
    lanes[0] = UINT32_MAX;
    for (BlockId b = 0; b < k->func_state->cfg->block_count; b++) {
        execute_block(k, w, b, lanes[b]);
        pass_on(k, w, b, lanes);
    }
    for (uint32_t key = 0; key < k->count; key++)
        for (uint32_t i = 0; i < here; i++)
            out->keys[key][first + i] = number_of(k, w, k->regs[key], i);
    k->machine->ctaids = NULL;
}

static bool differs(const int64_t *key, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (key[i] != key[0])
            return true;
    return false;
}

/* Without those that are the same in all blocks, and those that are another plus a constant. */
static void drop_keys(BlockKeys *s)
{
    uint32_t kept = 0;
    for (uint32_t key = 0; key < s->key_count; key++) {
        bool is_new = differs(s->keys[key], s->count);
        for (uint32_t other = 0; other < kept && is_new; other++) {
            uint32_t i = 1;
            uint64_t by = (uint64_t)s->keys[key][0] - (uint64_t)s->keys[other][0];
            while (i < s->count && (uint64_t)s->keys[key][i] - (uint64_t)s->keys[other][i] == by)
                i++;
            is_new = i < s->count;
        }
        if (is_new)
            s->keys[kept++] = s->keys[key];
    }
    s->key_count = kept;
}

static bool find_keys(Arena *scratch, Keys *k)
{
    const uint32_t regs = k->func->reg_count + 1;
    k->is_own = ptx_arena_array(scratch, bool, regs);
    k->decides = ptx_arena_array(scratch, bool, regs);
    k->is_wanted = ptx_arena_array(scratch, bool, k->func->insn_count);
    if (!find_own(k) || !find_deciding(k))
        return false;
    for (RegId r = 0; r < k->func->reg_count && k->count < MAX_BLOCK_KEYS; r++)
        if (k->decides[r] && !k->is_own[r])
            k->regs[k->count++] = r;
    return k->count && find_wanted(scratch, k);
}

const BlockKeys *ptx_block_keys_find(Arena *arena, Machine *m, const BlockPlace *places,
                                     uint32_t count)
{
    const FuncState *func_state = ptx_machine_state(m, m->kernel);
    Keys k = { .machine = m,
               .func_state = func_state,
               .func = func_state ? func_state->func : NULL };
    ArenaMark mark = ptx_arena_mark(m->scratch);
    BlockKeys *out = NULL;
    ASSERT(!func_state || !ptx_slice_shares_places(&func_state->slice));
    if (func_state && count > 1 && find_keys(m->scratch, &k)) {
        uint32_t *lanes = ptx_arena_array(m->scratch, uint32_t, func_state->cfg->block_count);
        out = ptx_arena_new(arena, BlockKeys);
        *out = (BlockKeys){ .places = places, .count = count, .key_count = k.count };
        for (uint32_t key = 0; key < k.count; key++)
            out->keys[key] = ptx_arena_array(arena, int64_t, count);
        for (uint32_t first = 0; first < count; first += WARP_LANES)
            compute_keys(&k, first, lanes, out);
        drop_keys(out);
    }
    ptx_arena_release(m->scratch, mark);
    return out && out->key_count ? out : NULL;
}
