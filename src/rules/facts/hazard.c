/* Facts about accesses that nothing orders. */
#include "rules/facts/facts.h"
#include "analysis/access/advise/advise.h"
#include "analysis/race/block_race.h"
#include "analysis/race/hazard.h"
#include "ir/func.h"
#include "session/residency.h"
#include "session/session.h"

/* A launch that the kernel or CUDA refuses never runs, and nothing races in it. */
const Hazards *ptx_find_hazards(FactCache *q)
{
    return ptx_session_shape(q->session)->error ? NULL : ptx_session_hazards(q->session);
}

double ptx_measure_hazards(FactCache *q, FactId fact)
{
    const Hazards *hazards = ptx_find_hazards(q);
    if (!hazards)
        return UNKNOWN;
    return fact == FACT_KERNEL_races ? hazards->count : hazards->redundant_count;
}

static const Divergence *divergence_at(FactCache *q, InsnId insn)
{
    const Hazards *hazards = ptx_find_hazards(q);
    return hazards && hazards->divergence && hazards->divergence->place == insn
               ? hazards->divergence
               : NULL;
}

double ptx_measure_barrier_divergent(FactCache *q, InsnId insn)
{
    return divergence_at(q, insn) != NULL;
}

const char *ptx_measure_barrier_text(FactCache *q, InsnId insn)
{
    const Divergence *found = divergence_at(q, insn);
    return found ? ptx_divergence_describe(q->arena, q->shared->module, found)
                 : "divergent barrier: some lanes of a warp wait here while others bypass it";
}

static const LoneAccess *lone_of(FactCache *q, FactId fact)
{
    const Hazards *hazards = ptx_find_hazards(q);
    if (fact == FACT_INSN_is_beyond_allocation)
        return ptx_session_beyond(q->session);
    if (!hazards)
        return NULL;
    return fact == FACT_INSN_is_unwritten ? hazards->unwritten : hazards->beyond;
}

const InsnId *ptx_measure_lone_place(FactCache *q, FactId fact, uint32_t *count)
{
    const LoneAccess *found = lone_of(q, fact);
    *count = found != NULL;
    return found ? &found->place : NULL;
}

double ptx_measure_lone(FactCache *q, InsnId insn, FactId fact)
{
    const LoneAccess *found = lone_of(q, fact);
    return found && found->place == insn;
}

/* Of one instruction: nothing is written beyond shared memory, and what lies in global memory is
 * another matter. */
static const LoneAccess *lone_at(FactCache *q, InsnId insn)
{
    static const FactId facts[] = { FACT_INSN_is_beyond_shared, FACT_INSN_is_unwritten,
                                    FACT_INSN_is_beyond_allocation };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (ptx_measure_lone(q, insn, facts[i]) > 0)
            return lone_of(q, facts[i]);
    return NULL;
}

const char *ptx_measure_lone_text(FactCache *q, InsnId insn)
{
    const LoneAccess *found = lone_at(q, insn);
    return found ? ptx_lone_access_describe(q->arena, q->shared->module, found) : "";
}

static const Hazard *find_at(const Hazard *items, uint32_t count, InsnId place)
{
    for (uint32_t h = 0; h < count; h++)
        if (items[h].second.place == place)
            return &items[h];
    return NULL;
}

const Hazard *ptx_measure_hazard(FactCache *q, InsnId insn)
{
    const Hazards *hazards = ptx_find_hazards(q);
    const Hazard *found = hazards ? find_at(hazards->items, hazards->count, insn) : NULL;
    return found || !hazards ? found : find_at(hazards->possible, hazards->possible_count, insn);
}

const DiagRepair *ptx_measure_repair(FactCache *q, InsnId insn)
{
    const Hazard *hazard = ptx_measure_hazard(q, insn);
    return hazard ? &hazard->edits : NULL;
}

static bool is_hazard_of(const Hazard *hazard, FactId fact)
{
    switch (hazard->kind) {
    case HAZARD_BULK:   return fact == FACT_INSN_is_copy_in_flight;
    case HAZARD_MATRIX: return fact == FACT_INSN_is_operand_in_flight;
    case HAZARD_PROXY:  return fact == FACT_INSN_is_proxy_unfenced;
    case HAZARD_STUCK: case HAZARD_CROWD:
        return fact == FACT_INSN_is_miscounted;
    case HAZARD_STALE:  return fact == FACT_INSN_is_wait_stale;
    case HAZARD_UNMADE: return fact == FACT_INSN_is_uninitialised;
    case HAZARD_TENSOR: return fact == FACT_INSN_is_tensor_unordered;
    default:            return fact == FACT_INSN_is_race;
    }
}

double ptx_measure_race(FactCache *q, InsnId insn, FactId fact, Certainty *certainty)
{
    const Hazards *hazards = ptx_find_hazards(q);
    const Hazard *hazard = hazards ? find_at(hazards->items, hazards->count, insn) : NULL;
    if (!hazards)
        return UNKNOWN;
    *certainty = hazard ? hazard->certainty : CERTAINTY_ESTIMATE;
    return hazard && is_hazard_of(hazard, fact);
}

/* Reported as a race, it is no longer only possible. */
double ptx_measure_possible_race(FactCache *q, InsnId insn)
{
    const Hazards *hazards = ptx_find_hazards(q);
    if (!hazards)
        return UNKNOWN;
    return find_at(hazards->possible, hazards->possible_count, insn)
           && !find_at(hazards->items, hazards->count, insn);
}

static unsigned put_hazard_place(RelatedPlace *place, const Func *func, InsnId insn,
                                 const char *what)
{
    *place = (RelatedPlace){ func->insns[insn].span, what };
    return 1;
}

static unsigned find_block_places(const BlockRace *race, FactId fact, RelatedPlace *place)
{
    bool is_alone = race->kind == BLOCK_RACE_EARLY || race->kind == BLOCK_RACE_LATE;
    const BlockAccess *access = fact == FACT_INSN_block_race_at ? &race->second : &race->first;
    return fact == FACT_INSN_block_race_with && is_alone
               ? 0
               : put_hazard_place(place, access->func, access->insn, NULL);
}

/* The other access, and the calls that lead to either. */
static unsigned find_others(const Func *kernel, const Hazard *h, RelatedPlace places[MAX_PLACES])
{
    static const char call[] = "the function is called here";
    const HazardAccess *a = &h->second, *b = &h->first;
    unsigned count = put_hazard_place(&places[0], b->func, b->insn, NULL);
    if (a->func != kernel)
        count += put_hazard_place(&places[count], kernel, a->place, call);
    if (b->func != kernel && (b->place != a->place || a->func == kernel))
        count += put_hazard_place(&places[count], kernel, b->place, call);
    return count;
}

unsigned ptx_measure_race_places(FactCache *q, InsnId insn, FactId fact,
                                 RelatedPlace places[MAX_PLACES])
{
    const Divergence *divergence = divergence_at(q, insn);
    const LoneAccess *lone = lone_at(q, insn);
    const Hazard *h = ptx_measure_hazard(q, insn);
    const BlockRace *race = ptx_session_block_race(q->session);
    switch (fact) {
    case FACT_INSN_divergent_at:
        return divergence ? put_hazard_place(&places[0], divergence->func, divergence->insn, NULL)
                          : 0;
    case FACT_INSN_stray_at:
        return lone ? put_hazard_place(&places[0], lone->func, lone->insn, NULL) : 0;
    case FACT_INSN_block_race_at: case FACT_INSN_block_race_with:
        return race ? find_block_places(race, fact, &places[0]) : 0;
    case FACT_INSN_race_at:
        return h ? put_hazard_place(&places[0], h->second.func, h->second.insn, NULL) : 0;
    default:
        return h ? find_others(q->func, h, places) : 0;
    }
}

static FactId fact_of_kind(BlockRaceKind kind)
{
    switch (kind) {
    case BLOCK_RACE_GLOBAL: return FACT_INSN_is_global_race;
    case BLOCK_RACE_INSIDE: return FACT_INSN_is_interval_race;
    default:                return FACT_INSN_is_cluster_race;
    }
}

const InsnId *ptx_measure_block_race_place(FactCache *q, FactId fact, uint32_t *count)
{
    const BlockRace *race = ptx_session_block_race(q->session);
    *count = race && fact_of_kind((BlockRaceKind)race->kind) == fact;
    return *count ? &race->second.place : NULL;
}

double ptx_measure_block_race(FactCache *q, InsnId insn, FactId fact)
{
    uint32_t count;
    const InsnId *place = ptx_measure_block_race_place(q, fact, &count);
    return count && *place == insn;
}
