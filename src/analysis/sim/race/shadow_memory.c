#include "analysis/sim/machine.h"
#include "analysis/sim/race/shadow_memory.h"

#include "support/hash.h"
#include "analysis/sim/observer.h"

#include <string.h>

enum { WORD_BYTES = 4, GROUP_WORDS = 8, WORDS_FIRST = 256,
       WHOLE_WORD = (1 << WORD_BYTES) - 1 };

ShadowMemory *ptx_shadow_memory_new(Arena *arena, Machine *machine)
{
    ShadowMemory *c = ptx_arena_new(arena, ShadowMemory);
    *c = (ShadowMemory){ .machine = machine, .arena = arena, .run = 1, .table_size = 2 * WORDS_FIRST };
    c->table = ptx_arena_array(arena, uint32_t, c->table_size);
    return c;
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t hash_of(AddendId addend, uint64_t address)
{
    return (uint32_t)ptx_hash_mix(address ^ (uint64_t)addend << 32);
}

/* As a float it is one between 1 and 2, and its upper half and a double that begins with it are
 * finite too. */
uint32_t ptx_shadow_memory_initial(AddendId addend, uint64_t address)
{
    return UINT32_C(0x3f800000) | (hash_of(addend, address) & 0x7fffff);
}

static bool lies_at(const Word *word, AddendId addend, uint64_t address)
{
    return word->address == address && word->addend == addend;
}

/* Its slot in the table, or the one where it would be: neighbours stand beside each other. */
static uint32_t *slot_of(const ShadowMemory *c, AddendId addend, uint64_t address)
{
    const uint32_t mask = c->table_size - 1;
    const uint64_t word = address / WORD_BYTES;
    uint32_t at = (hash_of(addend, word / GROUP_WORDS) * GROUP_WORDS + word % GROUP_WORDS) & mask;
    while (c->table[at] && !lies_at(&c->words[c->table[at] - 1], addend, address))
        at = (at + 1) & mask;
    return &c->table[at];
}

Word *ptx_shadow_memory_find(const ShadowMemory *c, AddendId addend, uint64_t address)
{
    uint32_t index = *slot_of(c, addend, address);
    return index ? &c->words[index - 1] : NULL;
}

static void enlarge(ShadowMemory *c)
{
    c->words = ptx_arena_grow(c->arena, c->words, c->word_count, &c->word_capacity,
                              sizeof *c->words);
    if (2 * c->word_capacity <= c->table_size)
        return;
    c->table_size = 2 * c->word_capacity;
    c->table = ptx_arena_array(c->arena, uint32_t, c->table_size);
    for (uint32_t i = 0; i < c->word_count; i++)
        *slot_of(c, c->words[i].addend, c->words[i].address) = i + 1;
}

/* The run that is at hand is of no use any more. */
static void lose(ShadowMemory *c)
{
    c->is_lost = true;
    ptx_machine_allow(c->machine, 0);
}

static Word *touch_word(ShadowMemory *c, uint32_t word)
{
    c->found = word;
    c->touched[word / TOUCHED_BITS] |= UINT64_C(1) << word % TOUCHED_BITS;
    return &c->words[word];
}

static uint32_t *new_slot(ShadowMemory *c, uint32_t *slot, AddendId addend, uint64_t address)
{
    if (c->word_count < c->word_capacity)
        return slot;
    enlarge(c);
    return slot_of(c, addend, address);
}

/* NULL: there are too many. Lanes mostly come in the order in which their words did before. */
static Word *make_word(ShadowMemory *c, AddendId addend, uint64_t address)
{
    const uint32_t next = c->found + 1;
    if (next < c->word_count && lies_at(&c->words[next], addend, address))
        return touch_word(c, next);
    uint32_t *slot = slot_of(c, addend, address);
    if (!*slot && c->word_count == MAX_WORDS) {
        lose(c);
        return NULL;
    }
    if (!*slot) {
        slot = new_slot(c, slot, addend, address);
        *slot = ++c->word_count;
        c->words[*slot - 1] = (Word){ .address = address, .addend = addend };
    }
    return touch_word(c, *slot - 1);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static Toucher toucher_of(const ShadowMemory *c, const Warp *w, const Insn *insn, unsigned lane)
{
    InsnId id = (InsnId)(insn - w->frame->func_state->func->insns);
    return (Toucher){ w->frame->func_state->func, id, ptx_machine_place(c->machine, w, id), c->run,
                      (uint16_t)(w->index * WARP_LANES + lane) };
}

/* A word before a thread loads it; NULL: nothing was stored there. */
typedef struct WordSources {
    uint64_t at;
    uint32_t initial;
    const Stored *own, *before; /* by the block that runs; by the one before it */
} WordSources;

static WordSources word_sources(const ShadowMemory *c, AddendId base, uint64_t at)
{
    const Word *own = ptx_shadow_memory_find(c, base, at),
               *other = c->before ? ptx_shadow_memory_find(c->before, base, at) : NULL;
    bool is_own = own && own->last.by.run == c->run;
    WordSources from = { .at = at, .initial = ptx_shadow_memory_initial(base, at) };
    if (is_own)
        from.own = &own->last;
    if (other)
        from.before = &other->last;
    return from;
}

/* A byte of it. False: another thread of the block stored there, or something that is not known. */
static bool read_byte(const WordSources *from, unsigned shift, uint16_t thread, uint8_t *out,
                      bool *is_old)
{
    const Stored *stored = from->own && from->own->mask >> shift & 1 ? from->own : NULL;
    *is_old = !stored;
    if (stored && stored->threads[shift] != thread)
        return false;
    if (!stored && from->before && from->before->mask >> shift & 1)
        stored = from->before;
    *out = (uint8_t)((stored ? stored->value : from->initial) >> (8 * shift));
    return !stored || (stored->known >> shift & 1 && !stored->is_mixed);
}

static void note_reader(ShadowMemory *c, const Toucher *by, AddendId base, uint64_t address,
                        uint32_t length)
{
    const uint64_t first = address & ~(uint64_t)(WORD_BYTES - 1),
                   bytes = address - first + length;
    for (uint64_t b = 0; b < bytes; b += WORD_BYTES) {          /* addresses may wrap */
        Word *word = make_word(c, base, first + b);
        if (word && word->reader.run != c->run)
            word->reader = *by;
    }
}

/* The number that a thread loads. False: it is not known. is_old: no byte of it is the block's. */
static bool load_number(const ShadowMemory *c, const LaneLoad *load, unsigned lane,
                        uint16_t thread, uint64_t *number, bool *is_old)
{
    const AddendId base = ptx_value_base(load->address);
    const uint64_t address = ptx_value_lane(load->address, lane);
    WordSources from = { .at = UINT64_MAX };
    *number = 0;
    *is_old = true;
    for (unsigned b = 0; b < load->bytes; b++) {
        const uint64_t at = (address + b) & ~(uint64_t)(WORD_BYTES - 1);
        uint8_t byte = 0;
        bool is_byte_old;
        if (at != from.at)
            from = word_sources(c, base, at);
        if (!read_byte(&from, (unsigned)(address + b - at), thread, &byte, &is_byte_old))
            return false;
        *is_old &= is_byte_old;
        *number |= (uint64_t)byte << (8 * b);
    }
    return true;
}

/* The word that the access lies in, where the block has stored nothing there; NULL. */
static Word *old_word(ShadowMemory *c, AddendId base, uint64_t address, uint32_t bytes)
{
    const uint64_t at = address & ~(uint64_t)(WORD_BYTES - 1);
    Word *word = !c->before && address - at + bytes <= WORD_BYTES ? make_word(c, base, at) : NULL;
    return word && word->last.by.run != c->run ? word : NULL;
}

static uint64_t old_number(const Word *word, uint64_t address, uint32_t bytes)
{
    const uint32_t initial = ptx_shadow_memory_initial(word->addend, word->address);
    return (initial >> (8 * (address - word->address))) & ptx_truncated(UINT64_MAX, 8 * bytes);
}

/* As load_number; notes who has read what is old. */
static bool load_lane(ShadowMemory *c, const LaneLoad *load, unsigned lane, const Toucher *by,
                      uint64_t *number, bool *is_old)
{
    const AddendId base = ptx_value_base(load->address);
    const uint64_t address = ptx_value_lane(load->address, lane);
    Word *word = old_word(c, base, address, load->bytes);
    *is_old = word;
    if (word) {
        if (word->reader.run != c->run)
            word->reader = *by;
        *number = old_number(word, address, load->bytes);
        return true;
    }
    if (!load_number(c, load, lane, by->thread, number, is_old))
        return false;
    if (*is_old)
        note_reader(c, by, base, address, load->bytes);
    return true;
}

/* What is old is the same for neighbours that load from one address. */
static uint32_t load_lanes(ShadowMemory *c, const Warp *w, const LaneLoad *load, uint64_t *lanes)
{
    Toucher by = toucher_of(c, w, load->insn, 0);
    uint64_t number = 0, last = 0;
    uint32_t unknown = 0;
    bool is_old = false;
    for (uint32_t left = load->lanes & ~load->address->unknown; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint64_t at = ptx_value_lane(load->address, i);
        bool is_known = is_old && at == last;
        by.thread = (uint16_t)(w->index * WARP_LANES + i);
        if (!is_known)
            is_known = load_lane(c, load, i, &by, &number, &is_old);
        is_old &= is_known;
        last = at;
        lanes[i] = is_known ? ptx_lane_extend(number, load->type) : 0;
        unknown |= (uint32_t)!is_known << i;
    }
    return unknown;
}

static void take_load(void *self, const Warp *w, const LaneLoad *load)
{
    ShadowMemory *c = self;
    Scratch *out = load->out;
    out->value = (Value){ .lanes = out->lanes,
                          .align = ALIGN_EXACT,
                          .is_common = true,
                          .is_assumed = true,
                          .unknown = ~load->lanes | load->address->unknown };
    memset(out->lanes, 0, sizeof out->lanes);
    if (ptx_value_is_placed(load->address))
        out->value.unknown |= load_lanes(c, w, load, out->lanes);
    else
        out->value.unknown = UINT32_MAX;
}

/* What two threads of a block store in one place is not known, unless it is the same. */
static void store_byte(Word *word, const Toucher *by, unsigned shift, uint8_t byte, bool is_known)
{
    Stored *s = &word->last;
    if (s->by.run != by->run)
        *s = (Stored){ .mask = 0 };
    const uint8_t bit = (uint8_t)(1u << shift);
    bool is_same = (uint8_t)(s->value >> (8 * shift)) == byte && s->known & bit && is_known;
    s->several |= s->mask & bit && s->threads[shift] != by->thread ? bit : 0;
    s->is_mixed |= s->several & bit && !is_same;
    s->by = *by;
    s->threads[shift] = by->thread;
    s->mask |= bit;
    s->known = (uint8_t)((s->known & ~bit) | (unsigned)is_known << shift);
    s->value = (s->value & ~(UINT32_C(0xff) << (8 * shift))) | (uint32_t)byte << (8 * shift);
}

/* All bytes of a word that the block has not stored to yet. */
static void store_first(Word *word, const Toucher *by, uint32_t value, bool is_known)
{
    word->last = (Stored){ .by = *by,
                           .threads = { by->thread, by->thread, by->thread, by->thread },
                           .value = value,
                           .mask = WHOLE_WORD,
                           .known = is_known ? WHOLE_WORD : 0 };
}

typedef struct LaneBytes {      /* that a lane stores */
    AddendId base;
    uint64_t address, number;
    uint32_t bytes;
    bool is_known;
} LaneBytes;

static void store_to_words(ShadowMemory *c, const Toucher *by, const LaneBytes *lane)
{
    Word *word = NULL;
    for (uint32_t b = 0, count; b < lane->bytes; b += count) {
        const uint64_t address = lane->address + b,
                       at = address & ~(uint64_t)(WORD_BYTES - 1);
        const uint64_t rest = lane->number >> (8 * (b & 7));
        count = 1;
        if (!b || at == address)
            word = make_word(c, lane->base, at);
        if (word && at == address && lane->bytes - b >= WORD_BYTES && (b & 7) <= WORD_BYTES
            && word->last.by.run != by->run) {
            store_first(word, by, (uint32_t)rest, lane->is_known);
            count = WORD_BYTES;
        } else if (word) {
            store_byte(word, by, (unsigned)(address - at), (uint8_t)rest, lane->is_known);
        }
    }
}

static void take_store(void *self, const Warp *w, const LaneStore *store)
{
    ShadowMemory *c = self;
    const Value *address = store->address, *value = store->value;
    const uint32_t bytes = store->bytes, lanes = store->lanes;
    AddendId base = ptx_value_base(address);
    if (store->doubt >= UNCERTAIN_PARAMETER || !ptx_value_is_placed(address) || address->unknown & lanes)
        lose(c);
    Toucher by = toucher_of(c, w, store->insn, 0);
    for (uint32_t left = lanes; left && !c->is_lost; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        by.thread = (uint16_t)(w->index * WARP_LANES + i);
        bool is_known = bytes <= sizeof(uint64_t) && !(value->unknown >> i & 1)
                        && value->align == ALIGN_EXACT;
        const uint64_t number = is_known ? ptx_value_lane(value, i) : 0;
        store_to_words(c, &by,
                       &(LaneBytes){ base, ptx_value_lane(address, i), number, bytes, is_known });
    }
}

void ptx_shadow_memory_begin(ShadowMemory *c, uint32_t run)
{
    c->run = run;
    memset(c->touched, 0, sizeof c->touched);
}

void ptx_shadow_memory_observe(Observer *observer, ShadowMemory *c)
{
    observer->self = c;
    observer->load = take_load;
    observer->store = take_store;
}
