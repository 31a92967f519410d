#include "analysis/registers/block_liveness.h"

#include "analysis/flow/live_out.h"
#include "analysis/flow/cfg.h"

enum {
    ENTRIES_FLOOR = 1 << 18,    /* (block, value) pairs, and ... */
    /* ... so many more an instruction: kernels of the libraries have under 20 */
    ENTRIES_PER_INSN = 64,
    STEPS_PER_ENTRY = 4,
};

typedef struct BlockLivenessSolver {
    Arena *arena;
    const Lowered *lowered;
    LiveSite *sites;
    uint32_t site_count;
    /* per value: blocks that read it before they write it; that write it: index + 1 into sites */
    uint32_t *uses, *kills;
    Explorer live;
} BlockLivenessSolver;

static void add_thing_site(BlockLivenessSolver *s, uint32_t *head, BlockId block)
{
    if (*head && s->sites[*head - 1].block == block)
        return;
    s->sites[s->site_count] = (LiveSite){ .next = *head, .block = block };
    *head = ++s->site_count;
}

/* A side writes for those that come to it; under a guard what was there before stays for some.
 * written: per value, block + 1 where it was last written; seen: whether any definition of it was
 * walked over. */
static void scan_block_things(BlockLivenessSolver *s, BlockId block, uint32_t *written, bool *seen)
{
    const Lowered *l = s->lowered;
    for (uint32_t i = l->first[block]; i < l->first[block + 1]; i++) {
        const LoweredInsn *insn = &l->insns[i];
        const LoweredValueId *defs = ptx_lowered_defs(l, insn), *uses = ptx_lowered_uses(l, insn);
        for (uint32_t u = 0; u < insn->use_count; u++)
            if (written[uses[u]] != block + 1)
                add_thing_site(s, &s->uses[uses[u]], block);
        for (uint32_t d = 0; d < insn->def_count; d++) {
            if (insn->is_predicated && l->runs_with[block] == block && seen[defs[d]]
                && written[defs[d]] != block + 1) {
                add_thing_site(s, &s->uses[defs[d]], block);
                continue;
            }
            seen[defs[d]] = true;
            written[defs[d]] = block + 1;
            add_thing_site(s, &s->kills[defs[d]], block);
        }
    }
}

/* The batch that was collected. */
static bool explore_things(BlockLivenessSolver *s)
{
    const bool is_done = ptx_explorer_walk(&s->live, s->sites, s->sites)
                         && ptx_explorer_emit(&s->live, UINT64_MAX);
    ptx_explorer_clear(&s->live);
    return is_done;
}

const LoweredLive *ptx_lowered_live_compute(Arena *arena, const Lowered *lowered, const Cfg *cfg)
{
    uint32_t values = lowered->value_count + 1, operands = 1,
             most = ENTRIES_FLOOR + ENTRIES_PER_INSN * lowered->insn_count;
    for (uint32_t i = 0; i < lowered->insn_count; i++)
        operands += lowered->insns[i].def_count + lowered->insns[i].use_count;
    BlockLivenessSolver s = { .arena = arena,
                              .lowered = lowered,
                              .live = ptx_explorer_make(arena, cfg, most,
                                                        (uint64_t)STEPS_PER_ENTRY * most) };
    s.sites = ptx_arena_array(arena, LiveSite, operands);
    s.uses = ptx_arena_array(arena, uint32_t, values);
    s.kills = ptx_arena_array(arena, uint32_t, values);
    uint32_t *written = ptx_arena_array(arena, uint32_t, values);
    bool *seen = ptx_arena_array(arena, bool, values);
    for (uint32_t b = 0; b < cfg->rpo_count; b++)
        scan_block_things(&s, cfg->rpo[b], written, seen);
    for (LoweredValueId v = 0; v < lowered->value_count; v++) {
        if (!s.uses[v] || !s.kills[v])
            continue;
        ptx_explorer_add(&s.live, (LiveThing){ v, s.uses[v], s.kills[v] });
        if (s.live.thing_count == LIVE_BATCH && !explore_things(&s))
            return NULL;
    }
    if (!explore_things(&s))
        return NULL;
    LoweredLive *live = ptx_arena_new(arena, LoweredLive);
    live->first = ptx_explorer_sort(&s.live, arena, &live->out);
    return live;
}
