#include "analysis/time/memory/indexed.h"

#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/count.h"
#include "analysis/sim/guess.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "ir/insn.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { SECTOR_BYTES = 32, PIECE_BYTES = 64, LINE_BYTES = 128 };

#define LOST_EXPONENT 3

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

/* What is led by an element of a list comes as often as that. */
static double share_of_list(const CacheInput *in, const Lists *lists, InsnId id)
{
    InsnId leader = in->sources[id].leader;
    if (ptx_is_list(in, id))
        return lists->share[in->sources[id].param];
    return leader != NO_ID && ptx_is_list(in, leader) ? lists->share[in->sources[leader].param] : 1;
}

/* Measured on an H200: 6 sectors of a request's 32 words where 8.4 million numbers were sorted by 8
 * bits, 7,296 of them in a block. */
enum { RUNS_OF_WARP = 3 };

Led ptx_led_by(const CacheInput *in, const Lists *lists, InsnId id)
{
    const Count *count = in->evaluation->insns[id].total;
    const double lanes = count->data_lanes / count->data_requests,
                 share = share_of_list(in, lists, id), bytes = in->func->insns[id].access_bytes;
    Led out = { .groups = fmin(lanes, ptx_data_groups(in->sources, in->func,
                                                      in->evaluation->insns, id)) };
    if (in->sources[id].is_run)
        out.groups = fmin(out.groups, RUNS_OF_WARP);
    out.bytes = in->sources[id].has_lane ? bytes * lanes / out.groups : bytes;
    out.element = bytes;
    out.requests = count->data_requests * share;
    out.lanes = count->data_lanes * share;
    return out;
}

/* ---- blocks that share indices --------------------------------------------------------------- */

enum { WARP = 32 };

static const ArrayTraffic *traffic_of(const CacheInput *in, uint32_t param)
{
    const Traffics *t = &in->evaluation->traffics;
    const bool is_known = t->pointers && param < in->func->param_count && t->pointers[param];
    for (uint32_t a = 0; is_known && a < t->array_count; a++)
        if (t->arrays[a].first == t->pointers[param])
            return &t->arrays[a];
    return NULL;
}

/* Bytes that a block loads of the array. What no thread's number has a part in, each of its warps
 * loads alike. */
static double bytes_of_block(const CacheInput *in, InsnId id)
{
    const Count *count = in->evaluation->insns[id].total;
    const double blocks = in->evaluation->blocks,
                 requests = count->requests / (blocks * in->warps_per_block);
    return in->sources[id].has_lane || !(count->requests > 0)
               ? count->used_bytes / blocks
               : count->used_bytes / count->requests * fmax(1, requests);
}

/* Loads that together ask for no more than parts of sectors may ask for some of it twice, as those
 * of rowptr[i] and rowptr[i + 1] do: then the one that loads most says what a block loads. */
static double indices_loaded(const CacheInput *in, const ArrayTraffic *traffic, double all,
                              double most)
{
    return fmin(all * in->evaluation->blocks >= traffic->missed * SECTOR_BYTES
                    ? (double)INFINITY
                    : most * in->evaluation->blocks,
                traffic->missed * SECTOR_BYTES);
}

/* Arrays that nothing leads into but the numbers of threads and blocks. */
static void find_index_arrays(const CacheInput *in, IndexArray *out)
{
    double all[MAX_LISTS] = { 0 }, most[MAX_LISTS] = { 0 };
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const DataSource *source = &in->sources[i];
        if (source->param >= MAX_LISTS || source->leader != NO_ID
            || !(in->evaluation->insns[i].total->used_bytes > 0))
            continue;
        all[source->param] += bytes_of_block(in, i);
        most[source->param] = fmax(most[source->param], bytes_of_block(in, i));
    }
    for (uint32_t p = 0; p < MAX_LISTS; p++) {
        const ArrayTraffic *traffic = all[p] > 0 ? traffic_of(in, p) : NULL;
        if (!traffic || !(traffic->read_bytes > 0))
            continue;
        const double bytes = indices_loaded(in, traffic, all[p], most[p]);
        out[p] = (IndexArray){ traffic, fmax(1, bytes / traffic->read_bytes) };
    }
}

static const IndexArray *indices_behind(const CacheInput *in, const Lists *lists, InsnId id)
{
    const InsnId root = in->sources[id].root;
    const uint32_t param = root == NO_ID ? NO_ID : in->sources[root].param;
    return param < MAX_LISTS && lists->indices[param].traffic ? &lists->indices[param] : NULL;
}

/* Dimensions of the grid in which blocks go elsewhere, whatever the data. */
static uint8_t dims_apart(const CacheInput *in, InsnId id)
{
    enum { MOST_STEPS = 8 };
    uint8_t dims = 0, out = 0;
    for (unsigned n = 0; n < MOST_STEPS && in->sources[id].leader != NO_ID; n++) {
        dims |= in->sources[id].grid_dims;
        id = in->sources[id].leader;
    }
    for (unsigned d = 0; d < 3; d++)
        out |= in->evaluation->grid[d] > 1 ? dims & 1u << d : 0;
    return out;
}

/* Of blocks that load the same indices, those side by side in these dimensions. */
static double blocks_along(const CacheInput *in, const ArrayTraffic *traffic, uint8_t without)
{
    double blocks = 1;
    for (unsigned d = 0; d < 3; d++)
        if (in->evaluation->grid[d] > 1 && traffic->is_shifted[d] && !traffic->shift[d]
            && !(without >> d & 1))
            blocks *= in->evaluation->grid[d];
    return blocks;
}

static double blocks_sharing(const CacheInput *in, const Lists *lists, InsnId id)
{
    const IndexArray *indices = indices_behind(in, lists, id);
    const uint8_t apart = dims_apart(in, id);
    if (!indices)
        return 1;
    return apart ? fmin(indices->shared_by, blocks_along(in, indices->traffic, apart))
                 : indices->shared_by;
}

/* Where the numbers of blocks do not say which of them share, as in a grid of one dimension that
 * the kernel divides by itself, these follow each other. */
Sharing ptx_blocks_sharing(const CacheInput *in, const Lists *lists, InsnId id, double blocks)
{
    const double all = blocks_sharing(in, lists, id);
    if (!(all > 1))
        return (Sharing){ 1, 1 };
    const ArrayTraffic *traffic = indices_behind(in, lists, id)->traffic;
    const bool is_said = blocks_along(in, traffic, 0) * 2 > all;
    const double parts = ptx_cached_distinct_parts(in->evaluation, traffic, blocks);
    return (Sharing){ all, fmin(all, is_said ? blocks / parts : blocks) };
}

/* ---- how far --------------------------------------------------------------------------------- */

#define ANYWHERE 1e15
#define MAX_REACH 2147483648.0 /* bytes: numbers of nearly as many bits as they have say nothing */

/* Lists side by side, a lane each, have as many times more. */
static double indices_of(const CacheInput *in, const Lists *lists, InsnId id)
{
    const Evaluated *insns = in->evaluation->insns;
    InsnId leader = in->sources[id].leader;
    double indices = ptx_data_indices(in->sources, in->func, insns, id);
    return leader != NO_ID && ptx_is_list(in, leader) && !lists->lanes_meet
               ? indices * WARP / ptx_data_groups(in->sources, in->func, insns, leader)
               : indices;
}

/* Of accesses to one table, led by indices of one array, by the loads that lead them. */
typedef struct TableAccess {
    uint32_t param, index_param;
    InsnId root, id;
} TableAccess;

static int compare_table_accesses(const void *left, const void *right)
{
    const TableAccess *a = left, *b = right;
    if (a->param != b->param)
        return a->param < b->param ? -1 : 1;
    if (a->index_param != b->index_param)
        return a->index_param < b->index_param ? -1 : 1;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static double lane_bytes_of(const CacheInput *in, InsnId id)
{
    const Count *count = in->evaluation->insns[id].total;
    const double lanes = count->data_lanes > 0 ? count->data_lanes : count->active;
    return lanes * in->func->insns[id].access_bytes;
}

static size_t list_table_accesses(const CacheInput *in, TableAccess *out)
{
    size_t count = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const DataSource *of = &in->sources[i];
        if (of->param != NO_ID && of->root != NO_ID
            && in->evaluation->insns[i].total->active > 0)
            out[count++] = (TableAccess){ of->param, in->sources[of->root].param, of->root, i };
    }
    qsort(out, count, sizeof *out, compare_table_accesses);
    return count;
}

/* Infinite: not known. */
static double elements_read(const CacheInput *in, const Lists *lists, InsnId id)
{
    const IndexArray *array = indices_behind(in, lists, id);
    const unsigned bits = ptx_type_info[in->func->insns[in->sources[id].root].op->type].bits;
    return array && bits >= CHAR_BIT ? array->traffic->read_bytes / (bits / CHAR_BIT)
                                     : (double)INFINITY;
}

/* Of so many that are loaded; where blocks go on from one by themselves, it is none of an
 * element. */
static double distinct_indices(const CacheInput *in, const Lists *lists, InsnId id, double indices)
{
    return dims_apart(in, id) ? indices / blocks_sharing(in, lists, id)
                              : fmin(indices, elements_read(in, lists, id));
}

/* An unrolled loop leads into one table by many instructions, each of which loads a part of the
 * indices. */
static const TableUse *find_table_uses(Arena *arena, const CacheInput *in, const Lists *lists)
{
    TableUse *out = ptx_arena_array(arena, TableUse, in->func->insn_count + 1);
    TableAccess *all = ptx_arena_array(arena, TableAccess, in->func->insn_count + 1);
    const size_t count = list_table_accesses(in, all);
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (in->sources[i].root != NO_ID)
            out[i] = (TableUse){ distinct_indices(in, lists, i, indices_of(in, lists, i)),
                                 lane_bytes_of(in, i) / blocks_sharing(in, lists, i),
                                 in->sources[i].is_walk };
    for (size_t first = 0, end; first < count; first = end) {
        TableUse use = { 0 };
        for (end = first; end < count && all[end].param == all[first].param
                          && all[end].index_param == all[first].index_param; end++) {
            use.lane_bytes += lane_bytes_of(in, all[end].id)
                              / blocks_sharing(in, lists, all[end].id);
            use.is_walk |= in->sources[all[end].id].is_walk;
            if (end == first || all[end].root != all[end - 1].root)
                use.indices += indices_of(in, lists, all[end].id);
        }
        use.indices = distinct_indices(in, lists, all[first].id, use.indices);
        for (size_t n = first; n < end; n++)
            out[all[n].id] = use;
    }
    return out;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* An unrolled loop asks for several elements of a list in one turn. */
static void count_beside(const CacheInput *in, const Block *block, uint32_t *beside)
{
    uint32_t counts[MAX_LISTS] = { 0 };
    for (InsnId i = block->first; i < block->end; i++)
        if (ptx_is_list(in, i))
            counts[in->sources[i].param]++;
    for (InsnId i = block->first; i < block->end; i++)
        if (ptx_is_list(in, i))
            beside[i] = counts[in->sources[i].param];
}

static const uint32_t *find_beside(Arena *arena, const CacheInput *in)
{
    uint32_t *beside = ptx_arena_array(arena, uint32_t, in->func->insn_count + 1);
    for (BlockId b = 0; in->cfg && b < in->cfg->block_count; b++)
        count_beside(in, &in->cfg->blocks[b], beside);
    return beside;
}

/* Lanes that go through one list side by side. */
static double lanes_of_list(const CacheInput *in, InsnId id)
{
    const Count *count = in->evaluation->insns[id].total;
    const double lanes = count->data_lanes / count->data_requests;
    return lanes / fmin(lanes, ptx_data_groups(in->sources, in->func, in->evaluation->insns, id));
}

/* Elements of a list, as often as its loops were taken to come around; 0: not guessed. */
static void count_elements(const CacheInput *in, double *elements, double *bytes, double *lanes)
{
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        double lists = ptx_is_list(in, i) && is_guessed(in, i)
                           ? ptx_data_indices(in->sources, in->func, in->evaluation->insns, i)
                           : 0;
        if (!(lists > 0))
            continue;
        elements[in->sources[i].param] += in->evaluation->insns[i].total->data_lanes / lists;
        bytes[in->sources[i].param] = in->func->insns[i].access_bytes;
        lanes[in->sources[i].param] = lanes_of_list(in, i);
    }
}

static bool is_led_by_list(const CacheInput *in, InsnId i)
{
    const InsnId leader = in->sources[i].leader;
    return leader != NO_ID && !ptx_is_list(in, i) && ptx_is_list(in, leader);
}

/* A kernel that goes over all elements of an array, and from each of them to others of it, asks for
 * no more than all: particles and their neighbours, nodes of a graph. */
static void find_own_bytes(const CacheInput *in, double *own_bytes)
{
    const double threads = in->evaluation->blocks * in->warps_per_block * 32;
    double lanes[MAX_LISTS] = { 0 };
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const DataSource *source = &in->sources[i];
        const Count *count = in->evaluation->insns[i].total;
        if (source->param >= MAX_LISTS || source->leader != NO_ID || count->data_lanes > 0)
            continue;
        lanes[source->param] += count->active;
        own_bytes[source->param] += count->used_bytes;
    }
    for (unsigned p = 0; p < MAX_LISTS; p++)
        own_bytes[p] *= lanes[p] * 2 > threads;
}

/* To the array that gets most. */
static double elements_stored(const CacheInput *in)
{
    double stored[MAX_LISTS + 1] = { 0 }, most = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Op *op = in->func->insns[i].op;
        const unsigned bits = ptx_type_info[op->type].bits;
        const uint32_t param = in->sources[i].param < MAX_LISTS ? in->sources[i].param : MAX_LISTS;
        if (!(op->flags & OPF_STORE) || op->insn_class != CLASS_GLOBAL || bits < CHAR_BIT)
            continue;
        stored[param] += in->evaluation->insns[i].total->used_bytes / (bits / CHAR_BIT);
        most = fmax(most, stored[param]);
    }
    return most;
}

void ptx_lists_find(Arena *arena, const CacheInput *in, Lists *out)
{
    double elements[MAX_LISTS] = { 0 }, lanes[MAX_LISTS] = { 0 };
    bool is_read[MAX_LISTS] = { false };
    *out = (Lists){ .lanes_meet = ptx_lanes_meet(in->func) };
    count_elements(in, elements, out->bytes, lanes);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        if (ptx_is_list(in, i) && !is_read[in->sources[i].param])
            out->arrays += is_read[in->sources[i].param] = true;
        out->lead |= is_led_by_list(in, i);
    }
    for (unsigned p = 0; p < MAX_LISTS; p++) {
        /* lanes that do not meet have loops of their own, each with as many turns */
        const double loops = out->lanes_meet ? 1 : lanes[p];
        const double share = elements[p] > 0 ? GUESSED_ELEMENTS * loops / elements[p] : 1;
        out->share[p] = out->lanes_meet ? share : fmin(1, share);
        out->bytes[p] = elements[p] > 0 ? out->bytes[p] * elements[p] * out->share[p]
                                        : (double)INFINITY;
    }
    find_own_bytes(in, out->own_bytes);
    out->stored = elements_stored(in);
    find_index_arrays(in, out->indices);
    out->beside = find_beside(arena, in);
    out->tables = find_table_uses(arena, in, out);
}

/* What lies between two turns: a line of each list, and of a table one for each lane. On an H200
 * sectors came again by 0 to 3, 18 to 40, 55 to 69, 86, 83 to 98 % where that was 1/2, 3/4, 1, 5/4
 * and twice of what L1 holds (lists.cu: one, two and four threads a list of 8 to 64 elements). */
static double lost_between_turns(const Lists *lists, const Led *led, double line, double warps,
                                 double l1_bytes)
{
    const double tables = lists->lead ? led->lanes / led->requests * LINE_BYTES : 0,
                 between = warps * (lists->arrays * led->groups * line + tables);
    return 1 - exp(-pow(between / l1_bytes, LOST_EXPONENT));
}

double ptx_list_moved_bytes(const CacheInput *in, const Lists *lists, InsnId id, double resident,
                            double l1_bytes)
{
    const Led led = ptx_led_by(in, lists, id);
    const double once = led.lanes * led.element, warps = resident * in->warps_per_block,
                 line = fmin(LINE_BYTES, lists->bytes[in->sources[id].param]),
                 beside = fmin(lists->beside[id], fmax(1, SECTOR_BYTES / led.bytes)),
                 turns = led.requests * led.groups * SECTOR_BYTES / fmax(1, beside);
    return once + lost_between_turns(lists, &led, line, warps, l1_bytes) * fmax(0, turns - once);
}

/* Infinite: threads do not go over it by their own numbers. They may read a part of an element. */
static double own_table_bytes(const CacheInput *in, const Lists *lists, InsnId id, double threads)
{
    const uint32_t param = in->sources[id].param;
    const double bytes = in->func->insns[id].access_bytes, scale = in->sources[id].scale;
    if (param >= MAX_LISTS || !(lists->own_bytes[param] > 0))
        return INFINITY;
    return fmax(lists->own_bytes[param], threads * (isfinite(scale) ? fmax(scale, bytes) : bytes));
}

/* From an index to the next; several lead to one element where they are bits of it, or bytes. */
static double bytes_apart(double scale, double bytes)
{
    return scale < 1 ? scale : fmax(scale, bytes);
}

/* A row of a matrix, or a node of a graph, has several indices: there are as many of what these
 * lead to as there are rows. More for each are a sum over all of them. */
static double elements_of_table(double indices, double rows)
{
    return indices <= GUESSED_ELEMENTS * rows ? fmin(indices, rows) : indices;
}

/* A table that data lead into has as many elements as there are threads, where nothing says how
 * many: an index for each is what such data mostly are. */
static double table_by_use(const CacheInput *in, const Lists *lists, InsnId id)
{
    const double threads = in->evaluation->blocks * in->warps_per_block * 32,
                 bytes = in->func->insns[id].access_bytes, scale = in->sources[id].scale;
    if (in->spread[id].reach < MAX_REACH)
        return in->spread[id].reach;
    const TableUse use = lists->tables[id];
    const double own = own_table_bytes(in, lists, id, threads);
    if (!(use.indices > 0))
        return threads * bytes;
    const double elements = elements_of_table(use.indices, fmax(threads, lists->stored));
    return fmin(own, isfinite(scale) ? elements * bytes_apart(scale, bytes)
                                     : fmax(elements * bytes, use.lane_bytes));
}

/* Bytes of what a parameter points to; infinite: the launch does not say. */
static double allocated_for(const CacheInput *in, uint32_t param)
{
    const Launch *launch = in->launch;
    return launch && param < launch->param_count && launch->params[param].allocated
               ? (double)launch->params[param].allocated
               : (double)INFINITY;
}

/* Pointers lead anywhere; nothing else leads beyond the allocation. */
double ptx_table_bytes(const CacheInput *in, const Lists *lists, InsnId id)
{
    return in->spread[id].is_pointer
               ? ANYWHERE
               : fmin(table_by_use(in, lists, id), allocated_for(in, in->sources[id].param));
}

/* ---- what an index moves --------------------------------------------------------------------- */

#define MATRIX_BYTES 65536.0   /* that blocks read by one index: a row has less */

/* A table of matrices, of which each block reads a part of one in a loop, and many blocks of the
 * same one: experts, adapters. Nothing says how many there are of them, from one to as many as
 * there are indices: taken is the mean of both orders of magnitude. */
static bool chooses_matrix(const CacheInput *in, const Lists *lists, InsnId id)
{
    const IndexArray *indices = indices_behind(in, lists, id);
    const InsnId root = in->sources[id].root;
    const Count *count = root == NO_ID ? NULL : in->evaluation->insns[root].total;
    return indices && indices->shared_by > 1 && lists->tables[id].is_walk
           && in->sources[id].leader == root && !in->sources[root].has_lane
           && count->requests <= in->evaluation->blocks * in->warps_per_block
           && lists->tables[id].lane_bytes >= MATRIX_BYTES * elements_read(in, lists, id);
}

static bool is_moved_load(const CacheInput *in, InsnId id)
{
    const Op *op = in->func->insns[id].op;
    return in->sources[id].leader != NO_ID && op->flags & OPF_LOAD
           && op->insn_class == CLASS_GLOBAL && !(in->evaluation->insns[id].total->data_lanes > 0);
}

/* Of the array that a parameter points to, in sectors: what loads read that an index moves, and
 * what lies as far as indices lead them. */
typedef struct MovedArray {
    double read, within;
} MovedArray;

static void note_moved(const CacheInput *in, InsnId id, double distinct, MovedArray *arrays)
{
    const double reach = in->spread[id].reach, blocks = in->evaluation->blocks;
    const uint32_t param = in->sources[id].param;
    if (param >= MAX_LISTS)
        return;
    arrays[param].read += distinct;
    /* a block's own part lies beside where it is led */
    const double own = in->evaluation->insns[id].total->sectors / blocks;
    arrays[param].within = fmax(arrays[param].within, reach > 0 && reach < MAX_REACH
                                                          ? reach / SECTOR_BYTES + own
                                                          : ANYWHERE);
}

/* What is read beyond all that there is was read before. */
static double beyond(const MovedArray *arrays)
{
    double sectors = 0;
    for (uint32_t p = 0; p < MAX_LISTS; p++)
        sectors += fmax(0, arrays[p].read - arrays[p].within);
    return sectors;
}

MovedShare ptx_moved_share(Arena *arena, const CacheInput *in, double blocks)
{
    Lists lists;
    double all = 0;
    MovedShare out = { 0, 0 };
    MovedArray arrays[MAX_LISTS] = { { 0, 0 } };
    ptx_lists_find(arena, in, &lists);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        if (!is_moved_load(in, i))
            continue;
        const double sectors = in->evaluation->insns[i].total->sectors;
        const Sharing sharing = ptx_blocks_sharing(in, &lists, i, blocks);
        const bool is_matrix = chooses_matrix(in, &lists, i);
        const double distinct = is_matrix ? sectors / sqrt(elements_read(in, &lists, i))
                                          : sectors / sharing.all;
        all += sectors;
        out.distinct += distinct;
        note_moved(in, i, distinct, arrays);
        /* who sorts his rows by matrix has blocks of one follow each other */
        out.turns += is_matrix ? distinct
                               : sectors / sharing.at_once;
    }
    out.distinct -= beyond(arrays);
    return all > 0 ? (MovedShare){ out.distinct / all, out.turns / all } : (MovedShare){ 1, 1 };
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

bool ptx_locate(const CacheInput *in, const Lists *lists, InsnId id, const Led *led, Located *out)
{
    const Locality locality = locality_of(in, id);
    const double table = ptx_table_bytes(in, lists, id), draws = led->requests * led->groups,
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
    with.spread = ptx_address_distribution_compute(scratch, scratch, NULL, NULL, in->func,
                                                   in->launch);
    with.sources = ptx_data_sources_compute(scratch, scratch, in->func, in->cfg, in->loops);
    Lists lists;
    ptx_lists_find(scratch, &with, &lists);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        Located at;
        out[i].sectors = (double)NAN;
        if (!(count->data_requests > 0) || !(with.spread[i].reach > 0) || ptx_is_list(&with, i))
            continue;
        const Led led = ptx_led_by(&with, &lists, i);
        if (ptx_locate(&with, &lists, i, &led, &at))
            out[i] = (LocatedAccess){ at.asked, with.sources[with.sources[i].leader].param,
                                      (uint8_t)locality_of(&with, i) };
    }
    ptx_arena_release(scratch, mark);
    return out;
}
