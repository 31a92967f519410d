#include "analysis/sim/cost/touched.h"

#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/machine.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/sim.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"
#include "support/hash.h"

#include <math.h>

enum {
    SECTOR_SHIFT = 5,
    CHUNK_SECTORS = 1 << 15,            /* a mebibyte */
    CHUNK_WORDS = CHUNK_SECTORS / 64,
    MAX_CHUNKS = 1 << 12,               /* 4 GiB, in 48 MiB */
    CHUNK_SLOTS = 2 * MAX_CHUNKS,
    MAX_TOUCHES = 1 << 17,              /* of a run */
};

/* sectors that are marked, with those that are marked again */
static const double max_marks = 1 << 28;

typedef struct TouchedChunk {
    uint64_t number;
    uint64_t read[CHUNK_WORDS], written[CHUNK_WORDS];
    uint64_t whole[CHUNK_WORDS];        /* some request asks for all 32 bytes */
} TouchedChunk;

/* Bytes next to each other that a request asks for, and by how much they move from a block to the
 * next one. */
typedef struct TouchedRange {
    uint64_t first, end;
    int64_t shift[3];
    uint32_t step[3];           /* of the blocks, as shift was read */
    bool is_store;
} TouchedRange;

struct TouchedSectors {
    Observer observer;
    Machine *machine;
    Arena *arena;
    const Func *func;
    const bool *counts;
    /* something orders threads, so that one may read what another has written */
    bool has_order;
    TouchedRange *touches;             /* of the run */
    uint32_t touch_count, touch_capacity;
    TouchedChunk *chunks[CHUNK_SLOTS], *last;
    uint32_t chunk_count;
    double marks;
};

/* ---- sectors --------------------------------------------------------------------------------- */

/* NULL: there are too many. */
static TouchedChunk *find_chunk(TouchedSectors *t, uint64_t number)
{
    if (t->last && t->last->number == number)
        return t->last;
    uint32_t at = (uint32_t)ptx_hash_mix(number) % CHUNK_SLOTS;
    while (t->chunks[at] && t->chunks[at]->number != number)
        at = (at + 1) % CHUNK_SLOTS;
    if (!t->chunks[at] && t->chunk_count < MAX_CHUNKS) {
        t->chunks[at] = ptx_arena_new(t->arena, TouchedChunk);
        t->chunks[at]->number = number;
        t->chunk_count++;
    }
    return t->last = t->chunks[at];
}

static void mark_sector(TouchedSectors *t, uint64_t sector, bool is_whole, bool is_store)
{
    TouchedChunk *chunk = find_chunk(t, sector / CHUNK_SECTORS);
    const uint64_t at = sector % CHUNK_SECTORS, bit = UINT64_C(1) << at % 64;
    if (!chunk)
        return;
    chunk->whole[at / 64] |= is_whole ? bit : 0;
    if (is_store)
        chunk->written[at / 64] |= bit;
    else if (!(chunk->written[at / 64] & bit))
        chunk->read[at / 64] |= bit;
}

/* Sectors. Where a pointer leads is not known to the byte: two of which parts are touched may be
 * one. */
static double count_sectors(uint64_t touched, uint64_t whole)
{
    return (__builtin_popcountll(touched) + __builtin_popcountll(touched & whole)) / 2.0;
}

/* What is written later counts as read where threads cannot wait for each other. */
TouchedBytes ptx_touched_sum(const TouchedSectors *t)
{
    double read = 0, written = 0;
    for (uint32_t c = 0; c < CHUNK_SLOTS; c++)
        for (uint32_t w = 0; t->chunks[c] && w < CHUNK_WORDS; w++) {
            const TouchedChunk *chunk = t->chunks[c];
            const uint64_t hidden = t->has_order ? chunk->written[w] : 0;
            read += count_sectors(chunk->read[w] & ~hidden, chunk->whole[w]);
            written += count_sectors(chunk->written[w], chunk->whole[w]);
        }
    return (TouchedBytes){ ldexp(read, SECTOR_SHIFT), ldexp(written, SECTOR_SHIFT) };
}

/* ---- requests -------------------------------------------------------------------------------- */

static void add_touched_range(TouchedSectors *t, const LoggedRequest *n, uint64_t first,
                              uint64_t end)
{
    const Blocks *blocks = &t->machine->blocks;
    if (t->touch_count == MAX_TOUCHES)
        return;
    if (t->touch_count == t->touch_capacity)
        t->touches = ptx_arena_grow(t->arena, t->touches, t->touch_count, &t->touch_capacity,
                                    sizeof *t->touches);
    TouchedRange *touch = &t->touches[t->touch_count++];
    *touch = (TouchedRange){ .first = first, .end = end, .is_store = n->note };
    for (unsigned d = 0; d < 3; d++) {
        touch->shift[d] = ptx_block_stride_along(blocks, n->event->address, d);
        touch->step[d] = blocks->step[d];
    }
}

static void take_touched(void *self, const LoggedRequest *n, uint32_t warp, double share)
{
    TouchedSectors *t = self;
    uint64_t places[WARP_LANES], first = 0, end = 0;
    (void)warp;
    (void)share;
    ptx_value_places(n->event->address, places);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        if (!(n->lanes >> i & 1))
            continue;
        if (places[i] != end) {
            if (end > first)
                add_touched_range(t, n, first, end);
            first = places[i];
        }
        end = places[i] + n->event->request->bytes;
    }
    if (end > first)
        add_touched_range(t, n, first, end);
}

/* Loads, copies that are whole, and stores: atomics may come and go in L2. */
static bool is_touched_for_certain(const TouchedSectors *t, const RequestEvent *e)
{
    const Insn *insn = e->insn;
    const bool is_known = e->space == SPACE_GLOBAL && e->func == t->func && !e->address->is_data
                          && t->counts[insn - t->func->insns];
    if (insn->op->kind == OPK_CP_ASYNC)
        return is_known && !e->request->is_part && !e->request->is_empty;
    return is_known
           && (insn->op->operation == OP_LD || insn->op->operation == OP_LDU
               || insn->op->operation == OP_ST);
}

static void offer_touched(void *self, Warp *w, const RequestEvent *e)
{
    TouchedSectors *t = self;
    if (!is_touched_for_certain(t, e))
        return;
    const LoggedRequest noted = { .observer = &t->observer,
                                  .event = e,
                                  .note = e->insn->op->kind == OPK_ST,
                                  .lanes = e->request->lanes };
    ptx_request_log_emit(t->machine, w, &noted);
}

/* By how much it moves from one of these blocks to the next: steps are multiples of earlier
 * ones. */
static uint64_t shift_along(const TouchedRange *touch, const Blocks *blocks, unsigned d)
{
    return (uint64_t)touch->shift[d] * (blocks->step[d] / touch->step[d]);
}

static void mark_range(TouchedSectors *t, const TouchedRange *touch, uint64_t move)
{
    const uint64_t first = touch->first + move, end = touch->end + move,
                   last = (end - 1) >> SECTOR_SHIFT;
    for (uint64_t s = first >> SECTOR_SHIFT; s <= last; s++) {
        const bool is_whole = s << SECTOR_SHIFT >= first && (s + 1) << SECTOR_SHIFT <= end;
        mark_sector(t, s, is_whole, touch->is_store);
        t->marks++;
    }
}

static void mark_touch(TouchedSectors *t, const TouchedRange *touch, const Blocks *blocks)
{
    const uint64_t by[3] = { shift_along(touch, blocks, 0), shift_along(touch, blocks, 1),
                             shift_along(touch, blocks, 2) };
    /* where it stays, one block does */
    uint32_t most[3];
    for (unsigned d = 0; d < 3; d++)
        most[d] = by[d] ? blocks->count[d] : 1;
    for (uint32_t z = 0; z < most[2]; z++)
        for (uint32_t y = 0; y < most[1]; y++)
            for (uint32_t x = 0; x < most[0] && t->marks < max_marks; x++)
                mark_range(t, touch, x * by[0] + y * by[1] + z * by[2]);
}

void ptx_touched_close(TouchedSectors *t, const Blocks *blocks)
{
    for (uint32_t i = 0; i < t->touch_count; i++)
        mark_touch(t, &t->touches[i], blocks);
    t->touch_count = 0;
}

/* ---- a machine ------------------------------------------------------------------------------- */

static bool orders_threads(const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Op *op = func->insns[i].op;
        const bool is_plain = op->kind == OPK_ST || op->kind == OPK_LD || op->kind == OPK_CP_ASYNC
                              || op->insn_class == CLASS_CONTROL;
        if (op->kind == OPK_CALL || (!is_plain && op->flags & (OPF_SIDE_EFFECT | OPF_WARP)))
            return true;
    }
    return false;
}

TouchedSectors *ptx_touched_new(Arena *arena, Machine *m, const Func *kernel,
                                const bool *counts)
{
    TouchedSectors *t = ptx_arena_new(arena, TouchedSectors);
    t->observer = (Observer){ .self = t, .request = offer_touched, .logged = take_touched };
    t->machine = m;
    t->arena = arena;
    t->func = kernel;
    t->counts = counts;
    t->has_order = orders_threads(kernel);
    ptx_machine_observe(m, &t->observer);
    ptx_machine_config(m)->forward_steps = 0;   /* each iteration is seen */
    return t;
}
