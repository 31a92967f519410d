/* What puts the warps of a block in order: barriers. */
#include "warp/race.h"

static void join(uint32_t *into, const uint32_t *from, uint32_t count)
{
    for (uint32_t w = 0; w < count; w++)
        into[w] = from[w] > into[w] ? from[w] : into[w];
}

/* The number of a constant operand, or of a register that holds one; false: nobody knows. */
static bool number_of(Machine *m, Warp *w, const Operand *operand, uint32_t lanes, uint64_t *out)
{
    Scratch room;
    const Value *value = ptx_machine_read(m, w, operand, &room);
    *out = ptx_value_lane(value, (unsigned)__builtin_ctz(lanes));
    if (value->unknown & lanes || value->align != ALIGN_EXACT)
        return false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && ptx_value_lane(value, i) != *out)
            return false;
    return true;
}

/* bar.sync a, b: a is the barrier, b how many threads. bar.red has a result before them, and a predicate behind. */
static bool read_barrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint64_t *number, uint64_t *threads)
{
    const Func *func = w->frame->routine->func;
    const Operand *operands = ptx_insn_operands(func, insn);
    unsigned at = 0;
    *number = *threads = 0;
    for (unsigned o = 0; o < insn->operand_count; o++) {
        bool is_predicate = operands[o].kind == OPERAND_REG && func->regs[operands[o].id].type == TYPE_PRED;
        if (operands[o].role & ROLE_DEF || is_predicate || at == 2)
            continue;
        if (!number_of(m, w, &operands[o], lanes, at ? threads : number))
            return false;
        at++;
    }
    return *number < BARRIERS;
}

/* Others will know what the warp has done up to here. */
static void tell(Race *r, Warp *w, BarrierState *barrier)
{
    uint32_t *known = ptx_race_known(r, w->index);
    join(barrier->known, known, r->warp_count);
    known[w->index]++;
}

void ptx_race_barrier(Machine *m, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Race *r = m->race;
    uint64_t number, threads;
    bool is_arrival = ptx_op_has_modifier(insn->op, "arrive");
    w->is_waiting = !is_arrival;
    (void)doubt;
    if (r->func == w->frame->routine->func && r->left_out == (InsnId)(insn - r->func->insns)) {
        w->is_waiting = false;
        return;
    }
    if (r->is_lost)
        return;
    if (lanes != w->live || !read_barrier(m, w, insn, lanes, &number, &threads)) {
        r->is_lost = true;
        return;
    }
    BarrierState *barrier = &r->barriers[number];
    tell(r, w, barrier);
    barrier->threads += WARP_LANES;             /* of a warp that is not full as well: PTX ISA, "bar" */
    barrier->wanted = (uint32_t)threads;
    w->barrier = (uint8_t)(is_arrival ? w->barrier : 1 + number);
}

/* A barrier that the code does not have: before an instruction. */
bool ptx_race_is_put(Machine *m, Warp *w, const Insn *insn)
{
    Race *r = m->race;
    const Entry *top = &w->entries[w->entry_count - 1];
    if (r->func != w->frame->routine->func || r->put_before != (InsnId)(insn - r->func->insns) || r->is_lost)
        return false;
    w->is_at_put = !w->is_at_put;
    if (!w->is_at_put)          /* behind it */
        return false;
    if (top->lanes != w->live)
        r->put_partly++;
    tell(r, w, &r->barriers[0]);
    r->barriers[0].threads += WARP_LANES;
    r->barriers[0].wanted = 0;
    w->barrier = 1;
    w->is_waiting = true;
    return true;
}

/* Instructions that order warps, or touch shared memory, in ways that are not followed. */
void ptx_race_effect(Machine *m, const Insn *insn)
{
    static const char *const opcodes[] = { "mbarrier", "wgmma", "tcgen05", "barrier" };
    const Op *op = insn->op;
    const char *name = ptx_opcode_info[op->opcode].text;
    bool is_async = ptx_op_has_modifier(op, "bulk") || ptx_op_has_modifier(op, "async") || ptx_op_has_modifier(op, "mbarrier");
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        is_async |= !strcmp(name, opcodes[i]);
    bool is_copy = !strcmp(name, "cp") && !ptx_op_has_modifier(op, "bulk") && !ptx_op_has_modifier(op, "mbarrier");
    m->race->is_lost |= is_async && !is_copy;
}

/* A function of another file might hold barriers; those of the run-time library do not. */
void ptx_race_call(Machine *m, const Operand *callee)
{
    static const char *const library[] = { "vprintf", "malloc", "free", "__assertfail" };
    bool is_known = false;
    for (size_t i = 0; callee && callee->kind == OPERAND_FUNCTION && i < sizeof library / sizeof *library; i++) {
        const Span name = m->module->funcs[callee->id].name;
        is_known |= strlen(library[i]) == ptx_span_length(name) && !memcmp(m->module->text + name.begin, library[i], ptx_span_length(name));
    }
    m->race->is_lost |= !is_known;
}

static bool is_complete(const BarrierState *barrier, uint32_t running)
{
    return barrier->threads && barrier->threads >= (barrier->wanted ? barrier->wanted : running * WARP_LANES);
}

bool ptx_race_release(Machine *m, uint32_t first, uint32_t count)
{
    Race *r = m->race;
    uint32_t running = 0;
    bool goes_on = false;
    for (uint32_t i = 0; i < count; i++)
        running += !m->warps[first + i].is_done;
    for (unsigned b = 0; b < BARRIERS; b++) {
        BarrierState *barrier = &r->barriers[b];
        if (!is_complete(barrier, running))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            Warp *w = &m->warps[first + i];
            if (w->barrier != 1 + b)
                continue;
            join(ptx_race_known(r, w->index), barrier->known, r->warp_count);
            w->barrier = 0;
            goes_on = true;
        }
        barrier->threads = 0;
        memset(barrier->known, 0, r->warp_count * sizeof *barrier->known);
    }
    for (uint32_t i = 0; i < count && !goes_on; i++)
        goes_on = !m->warps[first + i].is_done && !m->warps[first + i].barrier;
    for (uint32_t i = 0; running && i < count && !goes_on; i++) {    /* nobody can: the barriers do not fit each other */
        r->is_lost = true;
        m->warps[first + i].barrier = 0;
    }
    return running > 0;
}
