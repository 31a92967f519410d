#include "estimate/pressure_live.h"

enum {
    ENTRIES_FLOOR = 1 << 18,    /* (block, value) pairs, and ... */
    ENTRIES_PER_INSN = 64,      /* ... so many more an instruction: kernels of the libraries have under 20 */
    STEPS_PER_ENTRY = 4,
};

typedef struct Site {
    uint32_t next;              /* index + 1; 0: last */
    BlockId block;
} Site;

typedef struct Pair {
    BlockId block;
    LoweredValueId value;
} Pair;

typedef struct Solver {
    Arena *arena;
    const Lowered *lowered;
    const Cfg *cfg;
    Site *sites;
    uint32_t site_count;
    uint32_t *uses, *kills;     /* per value: blocks that read it before they write it; that write it: index + 1 into sites */
    uint32_t *in_stamp, *out_stamp, *killed_stamp;      /* per block: value + 1 */
    BlockId *stack;
    Pair *pairs;
    uint32_t pair_count, pair_capacity, pair_limit;
    uint64_t steps_left;
} Solver;

static void add_site(Solver *s, uint32_t *head, BlockId block)
{
    if (*head && s->sites[*head - 1].block == block)
        return;
    s->sites[s->site_count] = (Site){ *head, block };
    *head = ++s->site_count;
}

/* A side writes for those that come to it; under a guard what was there before stays for some. written: per value, block + 1 where it was last
 * written; seen: whether any definition of it was walked over. */
static void scan_block(Solver *s, BlockId block, uint32_t *written, bool *seen)
{
    const Lowered *l = s->lowered;
    for (uint32_t i = l->first[block]; i < l->first[block + 1]; i++) {
        const LoweredInsn *insn = &l->insns[i];
        const LoweredValueId *defs = ptx_lowered_defs(l, insn), *uses = ptx_lowered_uses(l, insn);
        for (uint32_t u = 0; u < insn->use_count; u++)
            if (written[uses[u]] != block + 1)
                add_site(s, &s->uses[uses[u]], block);
        for (uint32_t d = 0; d < insn->def_count; d++) {
            if (insn->is_predicated && l->runs_with[block] == block && seen[defs[d]] && written[defs[d]] != block + 1) {
                add_site(s, &s->uses[defs[d]], block);
                continue;
            }
            seen[defs[d]] = true;
            written[defs[d]] = block + 1;
            add_site(s, &s->kills[defs[d]], block);
        }
    }
}

static bool push_pair(Solver *s, BlockId block, LoweredValueId value)
{
    if (s->pair_count == s->pair_limit)
        return false;
    if (s->pair_count == s->pair_capacity) {
        Pair *pairs = ptx_arena_array(s->arena, Pair, 2 * (size_t)s->pair_capacity + 64);
        memcpy(pairs, s->pairs, s->pair_count * sizeof *pairs);
        s->pairs = pairs;
        s->pair_capacity = 2 * s->pair_capacity + 64;
    }
    s->pairs[s->pair_count++] = (Pair){ block, value };
    return true;
}

/* Walks from the uses of a value up to its definitions. False at the limit. */
static bool explore(Solver *s, LoweredValueId value)
{
    uint32_t stamp = value + 1, depth = 0;
    for (uint32_t k = s->kills[value]; k; k = s->sites[k - 1].next)
        s->killed_stamp[s->sites[k - 1].block] = stamp;
    for (uint32_t u = s->uses[value]; u; u = s->sites[u - 1].next) {
        BlockId block = s->sites[u - 1].block;
        if (s->in_stamp[block] == stamp)
            continue;
        s->in_stamp[block] = stamp;
        s->stack[depth++] = block;
        while (depth) {
            const Block *b = &s->cfg->blocks[s->stack[--depth]];
            if (s->steps_left < b->pred_count)
                return false;
            s->steps_left -= b->pred_count;
            for (uint32_t p = 0; p < b->pred_count; p++) {
                BlockId pred = s->cfg->preds[b->pred_first + p];
                if (s->out_stamp[pred] == stamp)
                    continue;
                s->out_stamp[pred] = stamp;
                if (!push_pair(s, pred, value))
                    return false;
                if (s->killed_stamp[pred] == stamp || s->in_stamp[pred] == stamp)
                    continue;
                s->in_stamp[pred] = stamp;
                s->stack[depth++] = pred;
            }
        }
    }
    return true;
}

static const LoweredLive *sort_pairs(const Solver *s, Arena *arena)
{
    uint32_t blocks = s->cfg->block_count;
    LoweredLive *live = ptx_arena_new(arena, LoweredLive);
    uint32_t *first = ptx_arena_array(arena, uint32_t, blocks + 2);
    LoweredValueId *out = ptx_arena_array(arena, LoweredValueId, s->pair_count + 1);
    for (uint32_t i = 0; i < s->pair_count; i++)
        first[s->pairs[i].block + 2]++;
    for (uint32_t b = 2; b <= blocks; b++)
        first[b] += first[b - 1];
    for (uint32_t i = 0; i < s->pair_count; i++)
        out[first[s->pairs[i].block + 1]++] = s->pairs[i].value;
    *live = (LoweredLive){ first, out };
    return live;
}

const LoweredLive *ptx_lowered_live_compute(Arena *arena, const Lowered *lowered, const Cfg *cfg)
{
    uint32_t values = lowered->value_count + 1, blocks = cfg->block_count + 1, operands = 1;
    for (uint32_t i = 0; i < lowered->insn_count; i++)
        operands += lowered->insns[i].def_count + lowered->insns[i].use_count;
    Solver s = { .arena = arena, .lowered = lowered, .cfg = cfg, .pair_limit = ENTRIES_FLOOR + ENTRIES_PER_INSN * lowered->insn_count };
    s.steps_left = (uint64_t)STEPS_PER_ENTRY * s.pair_limit;
    s.sites = ptx_arena_array(arena, Site, operands);
    s.uses = ptx_arena_array(arena, uint32_t, values);
    s.kills = ptx_arena_array(arena, uint32_t, values);
    s.in_stamp = ptx_arena_array(arena, uint32_t, blocks);
    s.out_stamp = ptx_arena_array(arena, uint32_t, blocks);
    s.killed_stamp = ptx_arena_array(arena, uint32_t, blocks);
    s.stack = ptx_arena_array(arena, BlockId, blocks);
    s.pairs = ptx_arena_array(arena, Pair, 64);
    s.pair_capacity = 64;
    uint32_t *written = ptx_arena_array(arena, uint32_t, values);
    bool *seen = ptx_arena_array(arena, bool, values);
    for (uint32_t b = 0; b < cfg->rpo_count; b++)
        scan_block(&s, cfg->rpo[b], written, seen);
    for (LoweredValueId v = 0; v < lowered->value_count; v++)
        if (s.uses[v] && s.kills[v] && !explore(&s, v))
            return NULL;
    return sort_pairs(&s, arena);
}
