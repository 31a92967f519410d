#include "analysis/redundancy/needed.h"
#include "analysis/time/predict.h"

#include "analysis/time/work.h"
#include "analysis/time/memory/atomic.h"
#include "analysis/time/band.h"
#include "analysis/time/block_schedule.h"
#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/constant_cache.h"
#include "analysis/time/memory/data_source.h"
#include "analysis/time/memory/hidden_traffic.h"
#include "analysis/time/in_flight.h"
#include "analysis/time/join.h"
#include "analysis/time/matrix_rate.h"
#include "analysis/time/phases.h"
#include "analysis/sass/joinable.h"
#include "analysis/time/bound/bound.h"
#include "analysis/time/bound/critical_path_bound.h"
#include "analysis/time/memory/address_distribution.h"
#include "analysis/time/spin_wait.h"
#include "analysis/time/time_share.h"
#include "support/assert.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/uniform.h"
#include "analysis/sim/count.h"
#include "analysis/time/throughput.h"
#include "gpu/gpu.h"
#include "isa/isa.h"
#include "analysis/sass/executed.h"
#include "analysis/sass/sass.h"
#include "analysis/sass/serial_products.h"
#include "analysis/time/critical_path/critical_path.h"
#include "analysis/time/latency.h"

#include <math.h>
#include <string.h>

const PartInfo ptx_part_info[PART__COUNT] = {
#define TP(id, key, what, advice) { key, what, advice },
#include "analysis/time/parts.def"
#undef TP
};

const char ptx_constant_pipe[] = "constant";

const char *ptx_limiter_advice(const Prediction *prediction)
{
    if (prediction->limiter == PART_PIPE && prediction->pipe == ptx_constant_pipe)
        return "the table in shared memory, where lanes and blocks read different parts of it at "
               "once";
    return prediction->limiter < 0 ? NULL : ptx_part_info[prediction->limiter].advice;
}

/* ---- figures --------------------------------------------------------------------------------- */

static double figure(const Gpu *gpu, FigureId id, double otherwise)
{
    return ptx_gpu_has(gpu, id) ? gpu->figures[id] : otherwise;
}

typedef struct Speeds {
    double sms, clocks_per_us;
    double launch_us, block_us;
    /* bytes per us; the best that was measured, else the peak; what is sustained */
    double dram_peak, dram_ceiling, dram;
    double busiest_share;       /* of what SMs do, the busiest one's over that of one on average */
} Speeds;

/* At the GPU's clock. */
static Speeds speeds_of(const Gpu *gpu)
{
    double peak = gpu->figures[FIGURE_MEMORY_GB_PER_S] * 1e3;
    return (Speeds){
        .sms = gpu->figures[FIGURE_SMS],
        .clocks_per_us = gpu->figures[FIGURE_CLOCK_MHZ],
        .launch_us = ptx_gpu_figure(gpu, FIGURE_LAUNCH_NS) / 1e3,
        .block_us = ptx_gpu_figure(gpu, FIGURE_BLOCK_NS) / 1e3,
        .dram_peak = peak,
        .dram_ceiling = figure(gpu, FIGURE_MEMORY_CEILING, peak / 1e3) * 1e3,
        .dram = figure(gpu, FIGURE_MEMORY_SUSTAINED, 0.9 * peak / 1e3) * 1e3,
    };
}

/* Instructions of the code that the launch runs through at least once. */
static double code_instructions(const PredictInput *in)
{
    double count = 0;
    for (BlockId b = 0; b < in->cfg->block_count; b++)
        for (uint32_t i = in->lowered->first[b]; i < in->lowered->first[b + 1]; i++)
            if (ptx_probable_warps(&in->evaluation->insns[in->cfg->blocks[b].first]) > 0)
                count += (double)in->lowered->insns[i].count;
    return count;
}

/* Whether warps wait for the launch before this one. */
static bool waits_for_launch(const PredictInput *in)
{
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Op *op = in->func->insns[i].op;
        if (op->operation == OP_GRIDDEPCONTROL_WAIT
            && ptx_probable_warps(&in->evaluation->insns[i]) > 0)
            return true;
    }
    return false;
}

/* ---- latency --------------------------------------------------------------------------------- */

/* Of sectors that L2 is asked for, those whose first reader waits for memory: blocks side by side
 * that read the same tile all wait with it. */
static double waits_for_memory(const PredictInput *in, const Cached *cached)
{
    double together = fmin(in->blocks, in->gpu->figures[FIGURE_SMS] * in->blocks_per_sm),
           fresh = cached->load_sectors > 0 ? cached->fresh_sectors / cached->load_sectors : 1;
    return fmin(1, fresh * together);
}

/* Of what L2 is asked for, what a warp waits for memory for. Blocks that read the same come to it
 * one after the other: who is not the first waits for half of the rest. Measured on an H200, rows
 * of 128 bytes that all blocks read, one an iteration: 310 ns each, with one block on an SM and
 * with eight. */
static double waited_for(const PredictInput *in, const Cached *cached)
{
    if (!(cached->load_sectors > 0))
        return 1;
    const double fresh = fmin(1, cached->fresh_sectors / cached->load_sectors),
                 joined = fmin(1, cached->joined_sectors / cached->load_sectors);
    return fresh + joined * (waits_for_memory(in, cached) - fresh) / 2;
}

/* A load of global memory, by how often it waits for L2, and by how much of what comes from there
 * comes from memory. */
static double load_clocks(const PredictInput *in, const Cached *cached, double waits)
{
    double l1 = ptx_gpu_figure(in->gpu, FIGURE_L1_LATENCY),
           l2 = ptx_gpu_figure(in->gpu, FIGURE_L2_LATENCY);
    double miss = ptx_gpu_figure(in->gpu, FIGURE_MISS_LATENCY);
    return l1 + (waits + (1 - waits) * cached->lost)
                    * (l2 - l1 + waited_for(in, cached) * (miss - l2));
}

static const float *all_load_clocks(Arena *scratch, const PredictInput *in, const Cached *cached)
{
    float *clocks = in->load_clocks ? in->load_clocks
                                    : ptx_arena_array(scratch, float, in->func->insn_count);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        double waits = count->waits
                       + count->data_requests * (cached->data_missed ? cached->data_missed[i] : 1);
        bool is_known = count->requests > 0 && !ptx_op_bypasses_l1(in->func->insns[i].op);
        clocks[i] = (float)load_clocks(in, cached, is_known ? fmin(1, waits / count->requests) : 1);
    }
    return clocks;
}

/* In the block that loads most often: where it goes around a loop longer than the others, what it
 * loads has come before. */
static const float *longest_load_clocks(Arena *scratch, const PredictInput *in,
                                        const Cached *cached, const float *mean)
{
    float *clocks = ptx_arena_array(scratch, float, in->func->insn_count);
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        bool differs = count->longest > 0 && count->requests > 0
                       && count->longest_waits < count->waits / count->requests
                       && !ptx_op_bypasses_l1(in->func->insns[i].op);
        clocks[i] = mean[i];
        if (!differs)
            continue;
        double by_data = count->data_requests / count->requests
                         * (cached->data_missed ? cached->data_missed[i] : 1);
        clocks[i] = (float)load_clocks(in, cached, fmin(1, count->longest_waits + by_data));
    }
    return clocks;
}

/* ---- the parts ------------------------------------------------------------------------------- */

/* Whether it is known which SM has which of the blocks: all start at once. */
static bool are_blocks_placed(const PredictInput *in, const Speeds *s)
{
    return in->evaluation->block_works && in->blocks <= s->sms * floor(in->blocks_per_sm);
}

/* Blocks do not divide, and those that all start at once stay where they started. */
static double busiest_share(Arena *scratch, const PredictInput *in, const Speeds *s)
{
    const double even = in->blocks / s->sms;
    if (are_blocks_placed(in, s))
        return ptx_block_schedule_busiest(scratch, in->evaluation->block_works,
                                          (uint32_t)in->blocks, (uint32_t)s->sms);
    return ceil(even) / even;
}

/* Clocks of an SM, were work spread evenly, to microseconds of the busiest. */
static double even_us(const Speeds *s, double clocks_of_all)
{
    return clocks_of_all / s->sms * s->busiest_share / s->clocks_per_us;
}

/* The block with most to do, by its instructions, against a block on average. */
static double heaviest_block(const PredictInput *in)
{
    const Evaluation *evaluation = in->evaluation;
    return evaluation->mean_work > 0 ? fmax(1, evaluation->busiest / evaluation->mean_work) : 1;
}

/* The same, and one block's share at least: it runs on one SM. */
static double busiest_us(const PredictInput *in, const Speeds *s, double clocks_of_all)
{
    double heaviest = clocks_of_all / in->blocks * heaviest_block(in) / s->clocks_per_us;
    return fmax(even_us(s, clocks_of_all), heaviest);
}

/* Accesses of shared memory that ptxas joins with others. */
static double spared_accesses(const PredictInput *in)
{
    double spared = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Evaluated *insn = &in->evaluation->insns[i];
        spared += insn->total->spared_requests > 0
                      ? (1 - ptx_joined_share(insn)) * ptx_probable_warps(insn)
                      : 0;
    }
    return spared;
}

static double pipe_clocks(const Gpu *gpu, const Executed *executed, PipeId pipe)
{
    double clocks = 0;
    const Pipe *p = &gpu->pipes[pipe];
    for (unsigned m = 0; m < MACHINE__COUNT && p->lanes > 0; m++)
        clocks += executed->machine[m] * (double)p->takes[m] * 32 / p->lanes;
    return clocks;
}

static double tensor_clocks(const PredictInput *in)
{
    double clocks = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Insn *insn = &in->func->insns[i];
        double each = (double)in->ops[insn->op->id].pipes[PIPE_TENSOR];
        if (each > 0)
            clocks += ptx_matrix_clocks(in->gpu, in->func, insn, each)
                      * ptx_probable_warps(&in->evaluation->insns[i]);
    }
    return clocks;
}

static void note_pipe(Prediction *out, double us, const char *name)
{
    if (us > out->pipe_us) {
        out->second_us = out->pipe_us;
        out->second_pipe = out->first_pipe;
        out->pipe_us = us;
        out->first_pipe = name;
    } else if (us > out->second_us) {
        out->second_us = us;
        out->second_pipe = name;
    }
    ptx_join_choose_pipe(out);
}

/* Whether warps mostly wait for all their asynchronous products before they go on. */
static bool takes_turns(const PredictInput *in)
{
    double waits = 0, for_all = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const InFlightInsn step = ptx_in_flight_insn(in->func, &in->func->insns[i]);
        double warps = ptx_probable_warps(&in->evaluation->insns[i]);
        if (!ptx_in_flight_is_wait(step.step) || step.queue != IN_FLIGHT_MATRIX)
            continue;
        waits += warps;
        for_all += step.left ? 0 : warps;
    }
    return for_all > waits / 2;
}

/* Whether matrix units go on while warps bring in what the next products take. */
static bool products_run_ahead(const PredictInput *in, const Prediction *out)
{
    return !(out->turns_us > 0) && !in->facts->products_are_serial
           && ptx_matrix_is_async(in->func, in->evaluation);
}

static void find_pipes(const PredictInput *in, const Speeds *s, Prediction *out)
{
    out->turns_us = takes_turns(in) ? busiest_us(in, s, tensor_clocks(in)) : 0;
    Executed joined = *in->executed;
    joined.machine[MACHINE_SHARED] -= fmin(joined.machine[MACHINE_SHARED], spared_accesses(in));
    out->parts_us[PART_ISSUE] = busiest_us(in, s, pipe_clocks(in->gpu, &joined, PIPE_ISSUE));
    out->lsu_us = busiest_us(in, s, pipe_clocks(in->gpu, &joined, PIPE_LSU));
    for (unsigned p = PIPE_FMA; p < PIPE__COUNT; p++)
        if (p != PIPE_LSU && p != PIPE_SHARED)
            note_pipe(out,
                      busiest_us(in, s,
                                 p == PIPE_TENSOR ? tensor_clocks(in)
                                                  : pipe_clocks(in->gpu, in->executed, (PipeId)p)),
                      ptx_pipe_info[p].key);
}

enum { CONSTANT_PIECE_BYTES = 64 };

/* A GPU whose file says nothing has as much less of L2 than an H200 as it has fewer SMs and clocks:
 * L2's ports are theirs. */
static double l2_slower(const Gpu *gpu)
{
    const double *measured = ptx_gpu_measured->figures, *own = gpu->figures;
    return ptx_gpu_has(gpu, FIGURE_L2_PIECE_PS)
               ? 1
               : measured[FIGURE_SMS] * measured[FIGURE_CLOCK_MHZ]
                     / (own[FIGURE_SMS] * own[FIGURE_CLOCK_MHZ]);
}

/* Requests and stored data go one way, what is loaded the other, by halves of lines: one that lacks
 * a sector takes as long. What comes from memory is stored first. */
void ptx_predict_l2_us(const Gpu *gpu, const L2Traffic *t, double *there, double *back)
{
    const double us = l2_slower(gpu) / 1e6;
    *there = us * (t->load_lines * ptx_gpu_figure(gpu, FIGURE_L2_ASK_PS)
                   + t->store_lines * ptx_gpu_figure(gpu, FIGURE_L2_STORE_LINE_PS)
                   + t->store_sectors * ptx_gpu_figure(gpu, FIGURE_L2_STORE_SECTOR_PS)
                   + t->store_parts * ptx_gpu_figure(gpu, FIGURE_L2_STORE_PART_PS));
    *back = us * (t->load_pieces * ptx_gpu_figure(gpu, FIGURE_L2_PIECE_PS)
                  + t->fresh_sectors * ptx_gpu_figure(gpu, FIGURE_L2_FILL_SECTOR_PS));
}

static void find_l2(const Gpu *gpu, const Cached *cached, Prediction *out)
{
    const double joined = cached->load_sectors > 0
                              ? fmin(1, cached->joined_sectors / cached->load_sectors)
                              : 0,
                 once = 1 - joined * ptx_gpu_figure(gpu, FIGURE_L2_JOINED_SHARE);
    const L2Traffic traffic = { once * cached->load_requests, once * cached->load_pieces,
                                cached->fresh_sectors, cached->store_lines,
                                cached->store_sectors, cached->store_parts };
    ptx_predict_l2_us(gpu, &traffic, &out->there_us, &out->back_us);
}

/* On 1.x all that is asked for comes from memory. */
static double bytes_without_cache(const PredictInput *in)
{
    double sectors = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++)
        sectors += in->evaluation->insns[i].total->sectors;
    return 32 * sectors;
}

static bool has_cache(const Gpu *gpu)
{
    return ptx_gpu_has(gpu, FIGURE_L1_BYTES) || ptx_gpu_has(gpu, FIGURE_L2_BYTES);
}

/* The constant cache is a pipeline beside the others. */
static void find_constants(Arena *scratch, const PredictInput *in, const Speeds *s,
                           const AddressDistribution *spread, const DataSource *sources,
                           Prediction *out)
{
    const double blocks = fmin(in->blocks_per_sm, in->blocks / s->sms);
    const ConstantLoads loads = { .gpu = in->gpu,
                                  .func = in->func,
                                  .cfg = in->cfg,
                                  .loops = in->loops,
                                  .unrolled = in->lowered->unrolled,
                                  .evaluation = in->evaluation,
                                  .spread = spread,
                                  .sources = sources,
                                  .issued = in->executed->machine[MACHINE_CONST],
                                  .blocks = blocks,
                                  .warps = blocks * in->warps_per_block };
    note_pipe(out, busiest_us(in, s, ptx_constant_clocks(scratch, &loads)), ptx_constant_pipe);
}

/* Of lanes that go where data say, the most that one bank of shared memory serves: distinct words
 * of loads, lanes of atomics. */
static double crowd_of_bank(unsigned lanes, double words, bool is_atomic)
{
    enum { BANKS = 32, SAMPLES = 16 };
    uint64_t count = words < 1 ? 1 : (uint64_t)words;
    double sum = 0;
    for (unsigned s = 0; s < SAMPLES; s++) {
        uint64_t seen[32];
        unsigned in_bank[BANKS] = { 0 }, most = 0;
        for (unsigned i = 0; i < lanes; i++) {
            unsigned k = 0;
            seen[i] = ptx_draw(s * 32 + i, count);
            while (k < i && seen[k] != seen[i])
                k++;
            unsigned *bank = &in_bank[seen[i] % BANKS];
            *bank += is_atomic || k == i;
            most = *bank > most ? *bank : most;
        }
        sum += most;
    }
    return sum / SAMPLES;
}

/* Of an access whose addresses depend on data. Where nothing says how far data lead, anywhere in
 * what a block has. */
static double wavefronts_by_chance(const PredictInput *in, const AddressDistribution *spread,
                                   InsnId i)
{
    const Insn *insn = &in->func->insns[i];
    const Count *count = in->evaluation->insns[i].total;
    const double all = in->evaluation->traffics.shared_bytes;
    bool is_atomic = insn->op->kind == OPK_ATOM || insn->op->kind == OPK_RED;
    if (insn->space != SPACE_SHARED || !(count->data_requests > 0))
        return 0;
    unsigned lanes = (unsigned)fmax(1, fmin(32, round(count->data_lanes / count->data_requests)));
    double each = spread[i].reach > 0
                      ? crowd_of_bank(lanes, fmin(spread[i].reach, fmax(all, 4)) / 4, is_atomic)
                      : 1;
    bool is_spin = is_atomic && ptx_type_info[insn->op->type].kind == KIND_FLOAT;
    return count->data_requests * each
           * (is_spin ? ptx_gpu_figure(in->gpu, FIGURE_FLOAT_ATOMIC_SPINS) : 1);
}

static double all_wavefronts_by_chance(const PredictInput *in, const AddressDistribution *spread)
{
    double wavefronts = 0;
    for (InsnId i = 0; spread && i < in->func->insn_count; i++)
        wavefronts += wavefronts_by_chance(in, spread, i);
    return wavefronts;
}

/* Nothing comes before the first request is there and back; the code behind it is fetched
 * meanwhile. */
static double first_wait_us(const PredictInput *in, const Speeds *s, const Prediction *out)
{
    const double miss = ptx_gpu_figure(in->gpu, FIGURE_MISS_LATENCY) / s->clocks_per_us;
    return fmax(0, miss - out->parts_us[PART_FETCH]);
}

/* What L2 takes in stays there until the launch is over, and the rest goes on to memory. */
static double written_us(const PredictInput *in, const Speeds *s, double bytes)
{
    enum { SECTORS = 4, BYTES = 128 };
    const double line = SECTORS * ptx_gpu_figure(in->gpu, FIGURE_L2_STORE_SECTOR_PS)
                        + ptx_gpu_figure(in->gpu, FIGURE_L2_STORE_LINE_PS),
                 taken = fmin(1 / s->dram, l2_slower(in->gpu) * line / BYTES / 1e6),
                 stays = fmin(bytes, ptx_gpu_figure(in->gpu, FIGURE_L2_WRITTEN_SHARE)
                                         * figure(in->gpu, FIGURE_L2_BYTES, 0));
    return stays * taken + (bytes - stays) / s->dram;
}

/* As many bytes more, at the bandwidth of whole rows, as small pieces of memory take longer. */
static double bytes_of_small_pieces(const Gpu *gpu, const Cached *cached)
{
    const double scattered = 1 / ptx_gpu_figure(gpu, FIGURE_MEMORY_SCATTERED) - 1,
                 halves = 1 / ptx_gpu_figure(gpu, FIGURE_MEMORY_HALVES) - 1,
                 lines = 1 / ptx_gpu_figure(gpu, FIGURE_MEMORY_LINES) - 1,
                 stores = 1 / ptx_gpu_figure(gpu, FIGURE_SCATTERED_STORES) - 1;
    return cached->scattered_stores * stores + cached->scattered_bytes * scattered
           + cached->torn_bytes * halves
           + cached->torn_line_bytes * lines;
}

/* What copies write comes while warps read, and each waits for the other a part of the time: by 16
 * and 32 copies of a warp beside 32 and 64 ldmatrix.x4, in rows of twelve pitches (copies.cu). */
#define COPIES_EXPONENT 1.75

static double shared_us(const PredictInput *in, const Speeds *s, const AddressDistribution *spread,
                        double *wavefronts)
{
    double accessed = all_wavefronts_by_chance(in, spread), copied = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const Count *count = in->evaluation->insns[i].total;
        if (in->func->insns[i].op->kind == OPK_CP_ASYNC)
            copied += count->wavefronts;
        else
            accessed += count->wavefronts - count->spared_wavefronts;
    }
    *wavefronts = accessed + copied;
    return ptx_hypot_of(busiest_us(in, s, accessed), busiest_us(in, s, copied), COPIES_EXPONENT);
}

static double bytes_of_sector(const Gpu *gpu, double bytes, double sectors)
{
    enum { SECTOR_BYTES = 32 };
    return has_cache(gpu) && sectors > 0 ? bytes / sectors : SECTOR_BYTES;
}

static void find_memory(Arena *scratch, const PredictInput *in, const Speeds *s,
                        const Cached *cached, const AddressDistribution *spread, Prediction *out)
{
    Cached all = *cached;
    const HiddenTraffic hidden = ptx_hidden_traffic_add(scratch, in, &all);
    out->dram_bytes = has_cache(in->gpu) ? cached->read_bytes + cached->filled_bytes
                                               + cached->written_bytes
                                         : bytes_without_cache(in);
    out->parts_us[PART_SHARED] = shared_us(in, s, spread, &out->wavefronts);
    const double lines = cached->load_lines + cached->store_lines + hidden.local_lines;
    out->parts_us[PART_L1] = has_cache(in->gpu) ? busiest_us(in, s, lines) : 0;
    out->l1_passes = lines;
    out->lost = has_cache(in->gpu) ? cached->lost : 1;
    out->read_bytes = bytes_of_sector(in->gpu, cached->read_bytes, cached->load_sectors);
    out->written_bytes = bytes_of_sector(in->gpu, cached->written_bytes + cached->filled_bytes,
                                         cached->store_sectors);
    const double rows = hidden.box_rows * ptx_gpu_figure(in->gpu, FIGURE_BOX_ROW_CLK);
    if (has_cache(in->gpu))
        find_l2(in->gpu, &all, out);
    out->parts_us[PART_L2] = fmax(fmax(out->there_us, out->back_us),
                                  has_cache(in->gpu) ? busiest_us(in, s, rows) : 0);
    const double written = has_cache(in->gpu) ? cached->written_bytes : 0;
    out->parts_us[PART_DRAM] =
        (cached->read_bytes > 0 ? first_wait_us(in, s, out) : 0) + written_us(in, s, written)
        + (out->dram_bytes - written + hidden.texel_bytes + bytes_of_small_pieces(in->gpu, cached))
              / s->dram;
    if (hidden.has_bulk || hidden.texel_bytes > 0 || in->evaluation->traffics.has_lost)
        out->dram_bytes = (double)NAN;
}

/* Whatever comes later, the first one misses: once, or at each level of a search. */
static double first_misses(const PredictInput *in, const Cached *cached)
{
    double misses = 1, clocks = cached->load_sectors > 0 ? load_clocks(in, cached, 1) : 0;
    double miss = ptx_gpu_figure(in->gpu, FIGURE_MISS_LATENCY);
    double most = cached->load_sectors > 0 ? miss - clocks : 0;
    for (InsnId i = 0; cached->cold_steps && i < in->func->insn_count; i++) {
        misses = cached->cold_steps[i];
        clocks = misses > 0 ? load_clocks(in, cached, fmin(1, cached->data_missed[i])) : 0;
        most = fmax(most, misses > 0 ? misses * (miss - clocks) : 0);
    }
    return most;
}

static TileClocks tile_clocks(const PredictInput *in, const Speeds *s, const Cached *cached)
{
    enum { BYTES = 32 };
    double l2 = ptx_gpu_figure(in->gpu, FIGURE_TILE_L2_LATENCY),
           memory = ptx_gpu_figure(in->gpu, FIGURE_TILE_MEMORY_LATENCY),
           fresh = cached->load_sectors > 0
                       ? fmin(1, cached->fresh_sectors / cached->load_sectors) : 0,
           share = ptx_gpu_figure(in->gpu, FIGURE_SM_MEMORY_SHARE) * s->dram_peak
                   / (fmin(s->sms, in->blocks) * s->clocks_per_us),
           from_l2 = BYTES / ptx_gpu_figure(in->gpu, FIGURE_L2_BYTES_PER_CLK),
           copy = l2 + waits_for_memory(in, cached) * (memory - l2);
    return (TileClocks){ .load = copy,
                         .copy = copy,
                         .sector = from_l2 + fresh * fmax(0, BYTES / share - from_l2) };
}

static bool is_global_load(const Insn *insn)
{
    return insn->op->kind == OPK_LD && insn->op->insn_class == CLASS_GLOBAL;
}

/* In a loop that waits for other blocks. */
static bool is_poll(const PredictInput *in, const SpinWait *waiting, InsnId insn)
{
    const LoopId loop = in->loops->loop_of[in->cfg->block_of[insn]];
    return waiting->loops && loop != NO_LOOP && waiting->loops[loop]
           && in->func->insns[insn].op->flags & OPF_LOAD;
}

/* Barriers that a warp comes to for each time that it loads. */
static double barriers_of_round(const PredictInput *in)
{
    double most = in->blocks * in->warps_per_block;
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (is_global_load(&in->func->insns[i]))
            most = fmax(most, ptx_probable_warps(&in->evaluation->insns[i]));
    return in->executed->machine[MACHINE_BARRIER] / most;
}

/* Beside the latencies of the chain: loads of a loop that waits for other blocks have what that
 * takes, loads of global memory what the first of them miss, each as it is waited for. */
static void add_other_waits(const PredictInput *in, const SpinWait *waiting, double first,
                            double spins)
{
    double *waits = in->shares->waits, polls = 0, loads = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        polls += is_poll(in, waiting, i) ? ptx_probable_warps(&in->evaluation->insns[i]) : 0;
        loads += is_global_load(&in->func->insns[i]) ? waits[i] : 0;
    }
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        if (loads > 0 && is_global_load(&in->func->insns[i]))
            waits[i] += first * waits[i] / loads;
        if (polls > 0 && is_poll(in, waiting, i))
            waits[i] += spins * ptx_probable_warps(&in->evaluation->insns[i]) / polls;
    }
}

/* ptxas takes those that no block more on the SM would have: of blocks of a warp, which 32 fit, 64
 * each. */
static double registers_at_hand(const PredictInput *in)
{
    const double *figures = in->gpu->figures;
    const Bounds *bounds = &in->func->bounds;
    const double threads = 32 * in->warps_per_block,
                 fit = fmin(figures[FIGURE_BLOCKS_PER_SM],
                            floor(figures[FIGURE_THREADS_PER_SM] / threads));
    return bounds->reqntid[0] || bounds->maxntid[0]
               ? fmax(in->registers, floor(figures[FIGURE_REGISTERS_PER_SM] / (fit * threads)))
               : in->registers;
}

static bool is_global_store(const Op *op)
{
    return op->kind == OPK_ST && op->insn_class == CLASS_GLOBAL;
}

static bool is_global_atomic(const Op *op)
{
    return (op->kind == OPK_ATOM || op->kind == OPK_RED) && op->space != SPACE_SHARED;
}

/* Of such accesses, those that the last blocks make when they have gone through their loops, and
 * nothing else is left to be done. */
static double share_of_last(const PredictInput *in, const Speeds *s, bool is_one(const Op *))
{
    double behind = 0, all = 0;
    for (InsnId i = 0; i < in->func->insn_count; i++) {
        const double warps = is_one(in->func->insns[i].op)
                                 ? ptx_probable_warps(&in->evaluation->insns[i])
                                 : 0;
        all += warps;
        behind += in->loops->loop_of[in->cfg->block_of[i]] == NO_LOOP ? warps : 0;
    }
    return all > 0 ? behind / all / fmax(1, in->blocks / (s->sms * in->blocks_per_sm)) : 0;
}

static void find_last_traffic(const PredictInput *in, const Speeds *s, const Cached *cached,
                      Prediction *out)
{
    const double memory = out->parts_us[PART_DRAM],
                 written = share_of_last(in, s, is_global_store)
                           * written_us(in, s, cached->written_bytes);
    out->last_share = memory > 0 ? fmin(1, written / memory) : 0;
    out->last_atomics = share_of_last(in, s, is_global_atomic);
}

static bool blocks_are_equal(const PredictInput *in)
{
    const double most = 1.02;
    return in->evaluation->unevenness < most && heaviest_block(in) < most;
}

#define ONE_SLICE 0.02              /* of a hundred */

static bool loads_in_loops(const PredictInput *in)
{
    for (InsnId i = 0; i < in->func->insn_count; i++)
        if (is_global_load(&in->func->insns[i])
            && in->loops->loop_of[in->cfg->block_of[i]] != NO_LOOP)
            return true;
    return false;
}

/* What warps wait for other blocks. Where all blocks load as much as each other, they come to their
 * last atomics together: those on one address are one slice's, and nothing else is left to be
 * done meanwhile. */
static double find_chain(Arena *scratch, const PredictInput *in, const Speeds *s,
                         const Cached *cached, Prediction *out)
{
    Latencies latencies;
    ptx_latencies_find(in->gpu, ptx_gpu_figure(in->gpu, FIGURE_L2_LATENCY), &latencies);
    const SpinWaitInput spins = { in->gpu,        in->func,
                                  in->cfg,        in->loops,
                                  in->evaluation, in->warps_per_block,
                                  in->blocks_per_sm };
    const SpinWait waiting = ptx_spin_wait_find(scratch, &spins);
    CriticalPathInput chain = { in->gpu,
                                in->func,
                                in->cfg,
                                in->loops,
                                in->lowered,
                                in->evaluation,
                                &latencies,
                                all_load_clocks(scratch, in, cached),
                                waiting.loops,
                                in->facts->sequences,
                                in->facts->are_left_apart,
                                in->ops,
                                tile_clocks(in, s, cached),
                                in->blocks,
                                in->warps_per_block,
                                registers_at_hand(in),
                                load_clocks(in, cached, 1),
                                in->facts->products_are_serial || in->spills_likely,
                                in->shares ? in->shares->waits : NULL };
    const double fetched = out->parts_us[PART_FETCH] * s->clocks_per_us;
    double waves = in->blocks / (s->sms * in->blocks_per_sm),
           first = fmax(0, first_misses(in, cached) - fetched);
    first += ptx_gpu_figure(in->gpu, FIGURE_CONST_FRESH_LATENCY)
             * in->evaluation->traffics.constant_bytes / CONSTANT_PIECE_BYTES;
    double turns = fmax(0, waves - 1) * ptx_gpu_figure(in->gpu, FIGURE_BLOCK_TURN_CLK)
                   * in->warps_per_block;
    const CriticalPath found = ptx_critical_path_compute(scratch, &chain);
    chain.waits = NULL;
    const double beside = fmax(1, fmin(in->blocks_per_sm, ceil(in->blocks / s->sms)));
    out->own_share = found.step_share / (beside * beside);
    const Phases phases = ptx_phases_find(
        &(PhasesInput){ .blocks = fmax(1, fmin(in->blocks_per_sm, in->blocks / s->sms)),
                        .warps_per_block = in->warps_per_block,
                        .barriers_of_round = barriers_of_round(in),
                        .is_in_steps = found.step_share > 0.5,
                        .turn_bytes = found.turn_bytes });
    out->phase_exponent = phases.memory;
    out->turns_of_memory = phases.waits;
    out->waves = blocks_are_equal(in) ? waves : 0;
    if (found.step_share > 0.5)
        find_last_traffic(in, s, cached, out);
    else if (blocks_are_equal(in) && loads_in_loops(in)
             && out->mean_atomics_us < ONE_SLICE * out->parts_us[PART_ATOMIC])
        out->last_atomics = share_of_last(in, s, is_global_atomic);
    const bool is_of_products = out->first_pipe == ptx_pipe_info[PIPE_TENSOR].key;
    out->unit_exponent = is_of_products && !products_run_ahead(in, out) ? phases.units : 3;
    if (in->shares)
        add_other_waits(in, &waiting, first, waiting.us * s->clocks_per_us);
    double clocks = found.clocks * fmax(1, waves), longest = found.longest_clocks;
    if (longest > clocks) {
        chain.load_clocks = longest_load_clocks(scratch, in, cached, chain.load_clocks);
        longest = ptx_critical_path_compute(scratch, &chain).longest_clocks;
    }
    if (in->evaluation->block_works && found.clocks > 0)
        clocks += found.clocks
                  * ptx_block_schedule_excess(scratch, in->evaluation->block_works,
                                              (uint32_t)in->blocks,
                                              s->sms * floor(in->blocks_per_sm),
                                              fmax(1, longest / found.clocks));
    out->parts_us[PART_LATENCY] = (fmax(clocks, longest) + first + turns) / s->clocks_per_us
                                  + waiting.us;
    const double latency = out->parts_us[PART_LATENCY];
    out->block_share = latency > 0 ? fmin(1, found.clocks / s->clocks_per_us / latency) : 0;
    return waiting.us;
}

/* ---- the whole ------------------------------------------------------------------------------- */

const Prediction ptx_prediction_unknown = {
    .dram_bytes = (double)NAN,
    .bound_us = (double)NAN,
    .predicted_us = (double)NAN,
    .low_us = (double)NAN,
    .high_us = (double)NAN,
    .band = -1,
    .bound_by = -1,
    .limiter = -1,
    .certainty = CERTAINTY_UNKNOWN,
};

/* Blocks that do different work: the last ones end late. */
static double tail_us(const PredictInput *in, const Speeds *s, const Prediction *out)
{
    const double busiest = fmax(out->parts_us[PART_ISSUE], out->parts_us[PART_PIPE]),
                 heaviest = heaviest_block(in), share = in->blocks / s->sms;
    if (share <= 1)
        return 0;
    /* where it is known which blocks the busiest SM has, a block has less than its share there */
    const double most = are_blocks_placed(in, s) ? busiest / s->busiest_share : busiest;
    /* where the heaviest takes longest, as long as all of them take spread evenly */
    double all = heaviest > ceil(share) ? most * ceil(share) / heaviest : most,
           block = all / share,
           uneven = ptx_gpu_figure(in->gpu, FIGURE_UNEVEN_TAIL)
                    * fmax(0, in->evaluation->unevenness - 1) * block,
           late = fmin(uneven, fmin(all, heaviest * block));
    return fmax(0, all + late - most);
}

/* ---- what parts make of it ------------------------------------------------------------------- */

static double joined_us(Prediction parts)
{
    ptx_join(&parts);
    return parts.predicted_us;
}

/* By how much the time falls with the part, for as much as there is of it. part: of parts. */
static double made_by(Prediction *parts, double *part)
{
    static const double step = 1e-4;
    const double us = *part;
    *part = us * (1 + step);
    const double more = joined_us(*parts);
    *part = us * (1 - step);
    const double less = joined_us(*parts);
    *part = us;
    return us > 0 ? fmax(0, (more - less) / (2 * step)) : 0;
}

static void find_shares(Arena *scratch, const PredictInput *in, const Cached *cached,
                        const AddressDistribution *spread, const Prediction *of)
{
    Prediction p = *of;
    double *const us = p.parts_us;
    double *const parts[SHARED_PART__COUNT] = {
        [SHARED_PART_ISSUE] = &us[PART_ISSUE],   [SHARED_PART_LSU] = &p.lsu_us,
        [SHARED_PART_FIRST] = &p.pipe_us,        [SHARED_PART_SECOND] = &p.second_us,
        [SHARED_PART_TURNS] = &p.turns_us,       [SHARED_PART_SHARED] = &us[PART_SHARED],
        [SHARED_PART_L1] = &us[PART_L1],         [SHARED_PART_L2] = &us[PART_L2],
        [SHARED_PART_DRAM] = &us[PART_DRAM],     [SHARED_PART_ATOMIC] = &us[PART_ATOMIC],
        [SHARED_PART_LATENCY] = &us[PART_LATENCY], [SHARED_PART_FETCH] = &us[PART_FETCH],
    };
    double *by_chance = ptx_arena_array(scratch, double, in->func->insn_count + 1);
    for (InsnId i = 0; spread && i < in->func->insn_count; i++)
        by_chance[i] = wavefronts_by_chance(in, spread, i);
    ShareInput input = { .in = in, .cached = cached, .by_chance = by_chance };
    for (unsigned i = 0; i < SHARED_PART__COUNT; i++)
        input.us[i] = made_by(&p, parts[i]);
    const bool is_issued = us[PART_ISSUE] >= of->pipe_us && us[PART_ISSUE] >= of->lsu_us;
    const SharedPart of_pipe = of->lsu_us > of->pipe_us ? SHARED_PART_LSU : SHARED_PART_FIRST;
    input.us[is_issued ? SHARED_PART_ISSUE : of_pipe] += of->tail_us;
    ptx_time_shares_fill(scratch, in->shares, &input, of);
}

/* ---- what is known --------------------------------------------------------------------------- */

bool ptx_hangs_on_data(const Func *func, const Evaluation *evaluation)
{
    for (InsnId i = 0; evaluation && i < func->insn_count; i++)
        if (evaluation->insns[i].total->data_requests > 0)
            return true;
    return false;
}

static bool are_bytes_by_data(const PredictInput *in, const AddressDistribution *spread)
{
    for (InsnId i = 0; spread && i < in->func->insn_count; i++)
        if (in->func->insns[i].op->insn_class == CLASS_GLOBAL
            && in->evaluation->insns[i].total->data_requests > 0 && !isfinite(spread[i].reach))
            return true;
    return false;
}

/* At the GPU's clock, whatever the launch lowers it to. */
static void find_bound(Arena *scratch, const PredictInput *in, const bool *are_sure,
                       Prediction *out)
{
    const Speeds s = speeds_of(in->gpu);
    ptx_bound_find(scratch, in, &(BoundSpeeds){ s.sms, s.clocks_per_us, s.dram_ceiling },
                   are_sure, out);
    out->bound_us += s.launch_us;
    out->predicted_us = fmax(out->predicted_us, out->bound_us);
}

/* NULL: all is known that a prediction takes. */
static const char *why_not(const PredictInput *in, const Speeds *s)
{
    if (!(s->sms > 0) || !(s->clocks_per_us > 0) || !(s->dram_peak > 0))
        return "times take SMs, clock and memory bandwidth, which a product has (--gpu h200)";
    if (in->executed->certainty == CERTAINTY_UNKNOWN)
        return in->executed->why;
    if (isnan(in->executed->flops_tensor))
        return "the shape of a tcgen05.mma is in its instruction descriptor, which is not a "
               "constant";
    if (!in->evaluation || in->evaluation->grid_is_assumed || !(in->blocks > 0))
        return "the grid is not known (--grid, --launch)";
    if (!(in->warps_per_block > 0))
        return "the block is not known (--block, --launch)";
    if (!(in->evaluation->insns[0].total->warps > 0))
        return "no thread runs";
    if (isnan(in->blocks_per_sm))
        return "how many blocks fit an SM is not known: occupancy says why";
    return in->blocks_per_sm > 0 ? NULL : "no block fits an SM";
}

bool ptx_predict_is_possible(const PredictInput *in)
{
    const Speeds s = speeds_of(in->gpu);
    return !why_not(in, &s);
}

static const Sequence *find_sequences(Arena *arena, const Func *func, const Gpu *gpu)
{
    Sequence *sequences = ptx_arena_array(arena, Sequence, func->insn_count + 1);
    for (InsnId i = 0; i < func->insn_count; i++)
        sequences[i] = ptx_sequence_find(gpu, func->insns[i].op);
    return sequences;
}

static bool has_way_out(const Cfg *cfg, const Loops *loops, BlockId block)
{
    const Block *of = &cfg->blocks[block];
    for (uint32_t n = 0; n < of->succ_count; n++)
        if (!ptx_loop_holds(loops, loops->loop_of[block], cfg->succs[of->succ_first + n]))
            return true;
    return false;
}

/* Loops that threads of a block may leave one after the other, as far as ptxas sees, and those
 * inside them: at shuffles it asks whether the warp is together there (BRA.DIV). It does not by
 * branches around a shuffle, nor behind the loop (ptxas 13.0, sm_80 and sm_90: 16 kernels). */
static const bool *find_left_apart(Arena *arena, const Cfg *cfg, const Loops *loops,
                                   const Uniforms *uniforms)
{
    bool *found = ptx_arena_array(arena, bool, loops->loop_count + 1);
    for (uint32_t b = 0; b < cfg->rpo_count; b++) {
        const BlockId block = cfg->rpo[b];
        const LoopId loop = loops->loop_of[block];
        if (loop != NO_LOOP && uniforms->branches[block].uniformity != UNIFORMITY_NONE
            && uniforms->branches[block].uniformity != UNIFORMITY_BLOCK
            && has_way_out(cfg, loops, block))
            found[loop] = true;
    }
    for (LoopId l = 0; l < loops->loop_count; l++)      /* outer ones come first */
        found[l] |= loops->loops[l].parent != NO_LOOP && found[loops->loops[l].parent];
    return found;
}

const PredictFacts *ptx_predict_facts_on(Arena *arena, const PredictInput *in,
                                         const PredictFacts *facts, const Gpu *other)
{
    PredictFacts *out = ptx_arena_new(arena, PredictFacts);
    *out = *facts;
    out->sequences = find_sequences(arena, in->func, other);
    return out;
}

const PredictFacts *ptx_predict_facts_compute(Arena *arena, Arena *scratch,
                                              const PredictInput *in, const Uniforms *uniforms,
                                              const Defs *defs)
{
    PredictFacts *out = ptx_arena_new(arena, PredictFacts);
    out->sequences = find_sequences(arena, in->func, in->gpu);
    out->have_neighbours = ptx_joinable_compute(arena, in->module, in->func, in->cfg);
    out->needed = ptx_needed_compute(arena, scratch, in->func, defs);
    out->are_left_apart = find_left_apart(arena, in->cfg, in->loops, uniforms);
    out->products_are_serial = ptx_products_are_serial(scratch, in->func, in->cfg, in->dom, defs);
    return out;
}

Prediction ptx_predict(Arena *scratch, const PredictInput *in)
{
    Prediction out = ptx_prediction_unknown;
    Speeds s = speeds_of(in->gpu);
    out.why = why_not(in, &s);
    if (out.why)
        return out;
    s.clocks_per_us *= ptx_matrix_clock_share(in->gpu, in->func, in->evaluation);
    out.certainty = CERTAINTY_ESTIMATE;
    double wait_us = ptx_gpu_figure(in->gpu, FIGURE_GRID_WAIT_NS) / 1e3;
    out.parts_us[PART_OVERHEAD] = s.launch_us + (waits_for_launch(in) ? wait_us : 0);
    out.parts_us[PART_DISPATCH] = in->blocks * s.block_us;
    /* of long code, the fetch runs ahead */
    double fetch_ns = ptx_gpu_figure(in->gpu, FIGURE_FETCH_NS) * code_instructions(in);
    out.parts_us[PART_FETCH] = fmin(fetch_ns, ptx_gpu_figure(in->gpu, FIGURE_FETCH_MOST_NS)) / 1e3;
    out.busiest_share = s.busiest_share = busiest_share(scratch, in, &s);
    find_pipes(in, &s, &out);
    ArenaMark mark = ptx_arena_mark(scratch);
    const AddressDistribution *spread =
        in->bases ? ptx_address_distribution_compute(scratch, scratch, in->bases, in->module,
                                                     in->func, in->launch)
                  : NULL;
    out.are_bytes_by_data = are_bytes_by_data(in, spread);
    const DataSource *sources =
        spread ? ptx_data_sources_compute(scratch, scratch, in->func, in->cfg, in->loops) : NULL;
    Cached cached = ptx_cached_compute(scratch,
                                       &(CacheInput){ in->func, in->evaluation, in->gpu, spread,
                                                      sources,
                                                      in->blocks_per_sm, in->warps_per_block,
                                                      in->cfg, in->loops, in->launch });
    const AtomicTime atomics
        = ptx_atomic_time(in->gpu, in->func, in->evaluation, spread);
    out.parts_us[PART_ATOMIC] = atomics.busiest_us;
    out.mean_atomics_us = atomics.mean_us;
    find_memory(scratch, in, &s, &cached, spread, &out);
    find_constants(scratch, in, &s, spread, sources, &out);
    double waits_us = find_chain(scratch, in, &s, &cached, &out);
    out.turns_exponent = ptx_gpu_figure(in->gpu, FIGURE_TURNS_EXPONENT);
    /* matrix products go on beside both */
    out.waits_exponent = tensor_clocks(in) > 0 ? 3 : ptx_gpu_figure(in->gpu, FIGURE_WAITS_EXPONENT);
    out.tail_us = tail_us(in, &s, &out);
    out.blocks_differ = in->blocks > 1 && heaviest_block(in) >= 2;
    ptx_join(&out);
    if (in->shares)
        find_shares(scratch, in, &cached, spread, &out);
    const bool *are_sure = ptx_path_bound_sure(
        scratch,
        &(PathBoundInput){
            .cfg = in->cfg, .dom = in->dom, .loops = in->loops, .evaluation = in->evaluation });
    out.bound_is_assumed = in->evaluation->assumed_count || in->evaluation->dynamic_is_assumed;
    if (!out.bound_is_assumed)
        find_bound(scratch, in, are_sure, &out);
    if (!out.bound_is_assumed && in->floor)
        ptx_floor_find(scratch, in, are_sure);
    ptx_band_set(in->gpu, ptx_band_find(in, are_sure, waits_us, out.limiter), &out);
    ptx_arena_release(scratch, mark);
    return out;
}
