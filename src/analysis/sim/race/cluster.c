#include "analysis/sim/machine.h"
#include "analysis/sim/race/cluster.h"
#include "analysis/sim/value.h"

enum { MAX_SHARED = 1 << 18, WORD_BYTES = 4, MAX_ITEMS = 1 << 16, MAX_AT_PLACE = 64 };

/* ---- addresses ------------------------------------------------------------------------------- */

/* d = mapa(a, b): a in the block of rank b. */
static bool map_address(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    const Cluster *c = self;
    Machine *m = c->machine;
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn);
    Scratch rooms[2], out;
    if (insn->operand_count < 3)
        return true;
    const Value *a = ptx_machine_read(m, w, &operands[1], &rooms[0]),
                *b = ptx_machine_read(m, w, &operands[2], &rooms[1]);
    out.value = (Value){ .lanes = out.lanes,
                         .align = ALIGN_EXACT,
                         .is_common = true,
                         .unknown = a->unknown | b->unknown,
                         .is_assumed = a->is_assumed || b->is_assumed };
    if (a->align != ALIGN_EXACT || b->align != ALIGN_EXACT)
        out.value.unknown = UINT32_MAX;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        uint64_t rank = ptx_value_lane(b, i);
        out.lanes[i] = ptx_value_lane(a, i) + ((rank + 1) << RANK_SHIFT);
        out.value.unknown |= (uint32_t)(rank >= c->rank_count) << i;
    }
    ptx_machine_write(m, w, &operands[0], &out.value, lanes, doubt);
    return true;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_ordered(const Touched *a, const Touched *b)
{
    return b->waits > a->arrivals || a->waits > b->arrivals;
}

/* Two writes of one number make no difference; of unknown numbers one instruction is taken to
 * write the same. */
static bool are_alike(const Touched *a, const Touched *b)
{
    bool are_writes = a->is_write && b->is_write, have_values = a->has_value && b->has_value;
    return (!a->is_write && !b->is_write)
           || (are_writes
               && (have_values ? a->value == b->value : a->func == b->func && a->insn == b->insn));
}

static bool is_known_already(const Touched *a, const Touched *b)
{
    return a->rank == b->rank && a->func == b->func && a->insn == b->insn
           && a->arrivals == b->arrivals && a->waits == b->waits && a->mask == b->mask
           && !a->is_write;
}

static void touch(Cluster *c, uint32_t owner, uint32_t offset, Touched now)
{
    if (!c->places[owner])
        c->places[owner] = ptx_arena_array(c->arena, uint32_t, MAX_SHARED / WORD_BYTES);
    uint32_t *head = &c->places[owner][offset / WORD_BYTES], length = 0;
    for (uint32_t at = *head; at; at = c->items[at - 1].next, length++) {
        const Touched *other = &c->items[at - 1];
        if (is_known_already(other, &now))
            return;
        if (other->rank == now.rank || !(other->mask & now.mask) || is_ordered(other, &now)
            || are_alike(other, &now) || c->found.first.func)
            continue;
        c->found = (Meeting){ *other, now, owner,
                              offset + (uint32_t)__builtin_ctz(other->mask & now.mask) };
    }
    if (length >= MAX_AT_PLACE || c->item_count == MAX_ITEMS)
        return;
    if (c->item_count == c->item_capacity)
        c->items = ptx_arena_grow(c->arena, c->items, c->item_count, &c->item_capacity,
                                  sizeof *c->items);
    now.next = *head;
    c->items[c->item_count++] = now;
    *head = c->item_count;
}

static void touch_bytes(Cluster *c, uint32_t address, uint32_t bytes, Touched now)
{
    const uint32_t rank = address >> RANK_SHIFT,
                   first = address & ((UINT32_C(1) << RANK_SHIFT) - 1),
                   owner = rank ? rank - 1 : c->rank;
    if (first + bytes > MAX_SHARED || owner >= c->rank_count) {
        c->is_lost = true;
        return;
    }
    if (owner != c->rank && !now.waits && !c->early.first.func)
        c->early = (Meeting){ now, now, owner, first };
    if (owner != c->rank && (!c->late.first.func || now.arrivals > c->late.first.arrivals))
        c->late = (Meeting){ now, now, owner, first };
    for (uint32_t at = first / WORD_BYTES * WORD_BYTES; at < first + bytes; at += WORD_BYTES) {
        now.mask = 0;
        for (uint32_t b = 0; b < WORD_BYTES; b++)
            now.mask |= (uint8_t)((at + b >= first && at + b < first + bytes) << b);
        touch(c, owner, at, now);
    }
}

static void take_access(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Cluster *c = self;
    Machine *m = c->machine;
    const InsnId id = (InsnId)(insn - w->frame->func_state->func->insns);
    Scratch room;
    SharedAccess access;
    if (!ptx_memory_find_shared(m, w, insn, lanes, &access))
        return;
    const Value *address = access.address;
    c->is_lost |= address->unknown & access.lanes || address->align != ALIGN_EXACT
                  || address->is_assumed || doubt >= UNCERTAIN_PARAMETER;
    const Value *value = insn->access_bytes == WORD_BYTES ? ptx_memory_stored(m, w, insn, &room)
                                                          : NULL;
    Touched now = { .func = w->frame->func_state->func,
                    .insn = id,
                    .place = ptx_machine_place(m, w, id),
                    .arrivals = c->arrivals[w->index],
                    .waits = c->waits[w->index],
                    .rank = (uint16_t)c->rank,
                    .is_write = insn->op->kind == OPK_ST || insn->op->kind == OPK_STMATRIX };
    for (unsigned i = 0; i < WARP_LANES && !c->is_lost; i++) {
        if (!(access.lanes >> i & 1))
            continue;
        now.thread = (uint16_t)(w->index * WARP_LANES + i);
        now.has_value = value && !(value->unknown >> i & 1) && value->align == ALIGN_EXACT
                        && !value->is_assumed;
        now.value = now.has_value ? (uint32_t)ptx_value_lane(value, i) : 0;
        touch_bytes(c, (uint32_t)ptx_value_lane(address, i), access.bytes, now);
    }
}

/* All threads of the cluster take part: PTX ISA, "barrier.cluster". */
static bool take_order(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    Cluster *c = self;
    if (insn->op->kind != OPK_BAR || !ptx_op_has(insn->op, MOD_CLUSTER))
        return true;
    c->is_lost |= doubt >= UNCERTAIN_PARAMETER || lanes != w->live;
    if (ptx_op_has(insn->op, MOD_ARRIVE))
        c->arrivals[w->index]++;
    else
        c->waits[w->index]++;
    return true;
}

/* ---- a cluster ------------------------------------------------------------------------------- */

Cluster *ptx_cluster_new(Machine *m, uint32_t rank_count)
{
    Cluster *c = ptx_arena_new(m->arena, Cluster);
    *c = (Cluster){ .machine = m, .arena = m->arena, .rank_count = rank_count };
    c->arrivals = ptx_arena_array(m->arena, uint32_t, m->warp_count);
    c->waits = ptx_arena_array(m->arena, uint32_t, m->warp_count);
    c->places = ptx_arena_array(m->arena, uint32_t *, rank_count);
    c->observer =
        (Observer){ .self = c, .order = take_order, .access = take_access, .map = map_address };
    ptx_machine_observe(m, &c->observer);
    return c;
}

void ptx_cluster_begin(Cluster *c, uint32_t rank)
{
    const uint32_t warp_count = c->machine->warp_count;
    c->rank = rank;
    memset(c->arrivals, 0, warp_count * sizeof *c->arrivals);
    memset(c->waits, 0, warp_count * sizeof *c->waits);
}

bool ptx_cluster_end(Cluster *c)
{
    if (!c->rank)
        c->total = c->arrivals[0];
    for (uint32_t w = 0; w < c->machine->warp_count; w++)
        if (c->arrivals[w] != c->total || c->waits[w] != c->total)
            return false;
    return true;
}
