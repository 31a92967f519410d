#include "analysis/time/memory/indexed.h"

#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/count.h"
#include "analysis/sim/guess.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "ir/insn.h"

#include <math.h>

enum { SECTOR_BYTES = 32, PIECE_BYTES = 64 };

/* ---- who leads ------------------------------------------------------------------------------- */

bool ptx_is_list(const CacheInput *in, InsnId id)
{
    return ptx_data_is_list(&in->sources[id], in->func->insns[id].access_bytes)
           && in->sources[id].param < MAX_LISTS;
}

static bool is_guessed(const CacheInput *in, InsnId id)
{
    LoopId loop = in->cfg ? in->loops->loop_of[in->cfg->block_of[id]] : NO_LOOP;
    for (uint32_t g = 0; loop != NO_LOOP && g < in->evaluation->guessed_count; g++)
        if (in->evaluation->guessed[g].loop == loop && !in->evaluation->guessed[g].is_steered)
            return true;
    return false;
}

void ptx_lists_find(const CacheInput *in, Lists *out)
{
    double elements[MAX_LISTS] = { 0 };
    bool is_read[MAX_LISTS] = { false };
    out->arrays = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        double lists = ptx_is_list(in, i) && is_guessed(in, i)
                           ? ptx_data_indices(in->sources, in->func, in->evaluation->insns, i)
                           : 0;
        if (lists > 0)
            elements[in->sources[i].param] += in->evaluation->insns[i].total.data_lanes / lists;
    }
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (ptx_is_list(in, i) && !is_read[in->sources[i].param])
            out->arrays += is_read[in->sources[i].param] = true;
    const bool meet = ptx_lanes_meet(in->func);
    for (unsigned p = 0; p < MAX_LISTS; p++)
        out->share[p] = elements[p] > 0 && meet ? GUESSED_ELEMENTS / elements[p] : 1;
}

/* What is led by an element of a list comes as often as that. */
static double share_of_list(const CacheInput *in, const Lists *lists, InsnId id)
{
    InsnId leader = in->sources[id].leader;
    if (ptx_is_list(in, id))
        return lists->share[in->sources[id].param];
    return leader != NO_ID && ptx_is_list(in, leader) ? lists->share[in->sources[leader].param] : 1;
}

Led ptx_led_by(const CacheInput *in, const Lists *lists, InsnId id)
{
    const Count *count = &in->evaluation->insns[id].total;
    const double lanes = count->data_lanes / count->data_requests,
                 share = share_of_list(in, lists, id), bytes = in->func->insns[id].access_bytes;
    Led out = { .groups = fmin(lanes, ptx_data_groups(in->sources, in->func,
                                                      in->evaluation->insns, id)) };
    out.bytes = in->sources[id].has_lane ? bytes * lanes / out.groups : bytes;
    out.element = bytes;
    out.requests = count->data_requests * share;
    out.lanes = count->data_lanes * share;
    return out;
}

/* ---- how far --------------------------------------------------------------------------------- */

#define ANYWHERE 1e15
enum {
    MAX_ROOTS = 64,             /* of one table that are counted */
    MAX_TABLE_INSNS = 1 << 12   /* of a function in which accesses to one table are looked for */
};
#define MAX_REACH 2147483648.0 /* bytes: numbers of nearly as many bits as they have say nothing */

/* Lists side by side, a lane each, have as many times more. */
static double indices_of(const CacheInput *in, InsnId id)
{
    enum { WARP = 32 };
    const Evaluated *insns = in->evaluation->insns;
    InsnId leader = in->sources[id].leader;
    double indices = ptx_data_indices(in->sources, in->func, insns, id);
    return leader != NO_ID && ptx_is_list(in, leader) && !ptx_lanes_meet(in->func)
               ? indices * WARP / ptx_data_groups(in->sources, in->func, insns, leader)
               : indices;
}

typedef struct TableUse {       /* by all accesses that data lead into it */
    double indices, lane_bytes;
} TableUse;

static bool is_new_root(const InsnId *roots, unsigned count, InsnId root)
{
    for (unsigned r = 0; r < count; r++)
        if (roots[r] == root)
            return false;
    return count < MAX_ROOTS;
}

/* Whether the access lies in the table of `id`, and its indices in the same array. */
static bool is_of_table(const CacheInput *in, InsnId id, InsnId other)
{
    const DataSource *a = &in->sources[id], *b = &in->sources[other];
    if (id == other)
        return true;
    return a->param != NO_ID && b->param == a->param && a->root != NO_ID && b->root != NO_ID
           && in->sources[a->root].param == in->sources[b->root].param
           && in->evaluation->insns[other].total.data_lanes > 0;
}

/* An unrolled loop leads into one table by many instructions, each of which loads a part of the
 * indices. */
static TableUse use_of_table(const CacheInput *in, InsnId id)
{
    InsnId roots[MAX_ROOTS];
    unsigned count = 0;
    TableUse out = { 0, 0 };
    const bool is_short = in->func->insn_count <= MAX_TABLE_INSNS;
    for (InsnId i = is_short ? 0 : id; i < in->func->insn_count && (is_short || i == id); i++) {
        if (!is_of_table(in, id, i))
            continue;
        out.lane_bytes += in->evaluation->insns[i].total.data_lanes
                          * in->func->insns[i].access_bytes;
        if (!is_new_root(roots, count, in->sources[i].root))
            continue;
        roots[count++] = in->sources[i].root;
        out.indices += indices_of(in, i);
    }
    return out;
}

/* A table that data lead into has as many elements as there are threads, where nothing says how
 * many: an index for each is what such data mostly are. Pointers lead anywhere. */
double ptx_table_bytes(const CacheInput *in, InsnId id)
{
    const double threads = in->evaluation->blocks * in->warps_per_block * 32,
                 bytes = in->func->insns[id].access_bytes, scale = in->sources[id].scale;
    if (in->spread[id].is_pointer)
        return ANYWHERE;
    if (in->spread[id].reach < MAX_REACH)
        return in->spread[id].reach;
    const TableUse use = use_of_table(in, id);
    if (!(use.indices > 0))
        return threads * bytes;
    return isfinite(scale) ? use.indices * fmax(scale, bytes)
                           : fmax(use.indices * bytes, use.lane_bytes);
}

/* ---- where indices lie ----------------------------------------------------------------------- */

static Locality locality_of(const CacheInput *in, InsnId id)
{
    InsnId leader = in->sources[id].leader;
    uint32_t param = leader == NO_ID ? NO_ID : in->sources[leader].param;
    return in->launch && param < in->launch->param_count
               ? (Locality)in->launch->params[param].locality
               : LOCALITY_UNKNOWN;
}

/* Of so many places, what draws from one of `parts` equal parts of the table hit; more than one
 * lies side by side where a group asks for several. */
static double hit_in_part(double draws, double parts, double table, double of_group)
{
    return ptx_hit_by_chance(draws, fmax(1, table / parts)) * of_group;
}

bool ptx_locate(const CacheInput *in, InsnId id, const Led *led, Located *out)
{
    const Locality locality = locality_of(in, id);
    const double table = ptx_table_bytes(in, id), draws = led->requests * led->groups,
                 sectors = fmax(1, led->bytes / SECTOR_BYTES),
                 pieces = fmax(1, led->bytes / PIECE_BYTES);
    if (locality == LOCALITY_UNKNOWN || !(draws > 0) || !(in->warps_per_block > 0))
        return false;
    const double warps = locality == LOCALITY_SORTED ? 1 : in->warps_per_block;
    const double block = led->groups * warps,
                 parts = locality == LOCALITY_RANDOM ? 1 : fmax(1, draws / block),
                 places = table / SECTOR_BYTES / sectors, halves = table / PIECE_BYTES / pieces;
    *out = (Located){ .asked = hit_in_part(led->groups, parts, places, sectors),
                      .sectors = hit_in_part(block, parts, places, sectors) / warps,
                      .pieces = hit_in_part(block, parts, halves, pieces) / warps,
                      .is_near = locality != LOCALITY_RANDOM };
    return true;
}

static bool has_localities(const Launch *launch)
{
    for (uint32_t p = 0; launch && p < launch->param_count; p++)
        if (launch->params[p].locality != LOCALITY_UNKNOWN)
            return true;
    return false;
}

const LocatedAccess *ptx_located_accesses(Arena *arena, Arena *scratch, const CacheInput *in)
{
    if (!has_localities(in->launch))
        return NULL;
    LocatedAccess *out = ptx_arena_array(arena, LocatedAccess, in->func->insn_count + 1);
    ArenaMark mark = ptx_arena_mark(scratch);
    CacheInput with = *in;
    with.spread = ptx_address_distribution_compute(scratch, scratch, NULL, NULL, in->func);
    with.sources = ptx_data_sources_compute(scratch, scratch, in->func, in->cfg, in->loops);
    Lists lists;
    ptx_lists_find(&with, &lists);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = &in->evaluation->insns[i].total;
        Located at;
        out[i].sectors = (double)NAN;
        if (!(count->data_requests > 0) || !(with.spread[i].reach > 0) || ptx_is_list(&with, i))
            continue;
        const Led led = ptx_led_by(&with, &lists, i);
        if (ptx_locate(&with, i, &led, &at))
            out[i] = (LocatedAccess){ at.asked, with.sources[with.sources[i].leader].param,
                                      (uint8_t)locality_of(&with, i) };
    }
    ptx_arena_release(scratch, mark);
    return out;
}
