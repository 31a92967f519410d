/* Facts of how a kernel is launched, and of how it fits the first GPU. */
#include "rules/facts/facts.h"
#include "support/minmax.h"
#include "analysis/registers/register_count.h"
#include "gpu/occupancy.h"
#include "ir/func.h"
#include "session/residency.h"
#include "isa/isa.h"
#include "session/session.h"
#include "analysis/value/launch.h"

#include <math.h>

bool ptx_measure_has_model(const FactCache *q)
{
    return q->shared->gpu && q->cfg && q->func->is_entry;
}

/* NULL: no GPU is known. */
static const Residency *residency_of(FactCache *q)
{
    return q->shared->gpu ? ptx_session_residency(q->session, 0) : NULL;
}

/* Occupancy without a block size would be that of an assumed one, and what CUDA refuses occupies
 * nothing: no finding rests on it. */
static const Residency *occupied_of(FactCache *q)
{
    const LaunchShape *shape = ptx_session_shape(q->session);
    return shape->is_block_assumed || shape->error ? NULL : residency_of(q);
}

bool ptx_measure_is_by_ptxas(FactCache *q)
{
    const Residency *r = residency_of(q);
    return r && r->source == REGISTERS_PTXAS;
}

double ptx_measure_block_threads(FactCache *q)
{
    const LaunchShape *shape = ptx_session_shape(q->session);
    return shape->is_block_assumed ? UNKNOWN : ptx_known_number(shape->threads_per_block);
}

/* A finding may ask for the model where no figures are wanted. */
double ptx_measure_registers(FactCache *q)
{
    const Residency *r = residency_of(q);
    bool asks = ptx_measure_has_model(q) && !ptx_measure_is_by_ptxas(q);
    const Pressure *pressure = asks ? ptx_session_pressure(q->session, 0) : NULL;
    if (pressure && pressure->is_known)
        return pressure->registers;
    return r ? ptx_known_number(r->registers) : UNKNOWN;
}

int64_t ptx_measure_whole_registers(FactCache *q)
{
    const double registers = ptx_measure_registers(q);
    return registers >= 0 ? (int64_t)registers : -1;
}

Resources ptx_measure_shared(FactCache *q)
{
    const int64_t dynamic = ptx_session_launch(q->session)->dynamic_shared_bytes;
    return (Resources){
        .threads_per_block = -1,
        .registers_per_thread = -1,
        .static_shared_bytes = ptx_session_demand(q->session)->static_shared_bytes,
        .dynamic_shared_bytes = ptx_i64_max(dynamic, 0),
        .barriers = -1,
    };
}

/* NaN: ptxas has not said it. */
static double spill_bytes(FactCache *q)
{
    const PtxasUsage *said = q->shared->gpu ? ptx_session_ptxas_usage(q->session, 0) : NULL;
    return said && said->spill_store_bytes >= 0
               ? (double)said->spill_store_bytes + ptx_known_number(said->spill_load_bytes)
               : UNKNOWN;
}

static double measure_occupancy(FactCache *q, FactId fact)
{
    const Residency *r = occupied_of(q);
    if (!r)
        return UNKNOWN;
    const Occupancy *occupancy = &r->occupancy;
    switch (fact) {
    case FACT_KERNEL_occupancy:             return occupancy->percent;
    case FACT_KERNEL_blocks_per_sm:         return ptx_known_number(occupancy->blocks_per_sm);
    case FACT_KERNEL_limiter:
        return ptx_known_number(ptx_occupancy_limiter(occupancy));
    case FACT_KERNEL_registers_to_free:     return ptx_known_number(occupancy->registers_to_free);
    case FACT_KERNEL_shared_to_free:        return ptx_known_number(occupancy->shared_to_free);
    case FACT_KERNEL_fits:
        return occupancy->blocks_per_sm < 0 ? UNKNOWN : occupancy->blocks_per_sm > 0;
    case FACT_KERNEL_waves:                 return r->waves.count;
    case FACT_KERNEL_tail_blocks:           return ptx_known_number(r->waves.tail_blocks);
    case FACT_KERNEL_utilisation:           return r->waves.utilisation_percent;
    default:                                return UNKNOWN;
    }
}

static bool exceeds_figure(const Gpu *gpu, FigureId figure, double number)
{
    return gpu && ptx_gpu_has(gpu, figure) && number > gpu->figures[figure];
}

const char *ptx_measure_min_blocks_fault(FactCache *q)
{
    const Gpu *gpu = q->shared->gpu;
    const double blocks = q->func->bounds.minnctapersm;
    const double threads = ptx_bounds_threads(&q->func->bounds);
    if (blocks == 0)
        return NULL;
    if (isnan(threads))
        return "no .maxntid or .reqntid says how large a block is";
    if (exceeds_figure(gpu, FIGURE_BLOCKS_PER_SM, blocks))
        return "an SM does not hold so many blocks";
    if (exceeds_figure(gpu, FIGURE_THREADS_PER_SM, blocks * ceil(threads / 32) * 32))
        return "an SM does not hold the threads of so many blocks";
    return NULL;
}

static bool is_block_refused(const LaunchShape *shape)
{
    return shape->fault == LAUNCH_OTHER_BLOCK || shape->fault == LAUNCH_LARGE_BLOCK
           || shape->fault == LAUNCH_DEEP_BLOCK;
}

static bool is_cluster_refused(const LaunchShape *shape)
{
    return shape->fault == LAUNCH_OTHER_CLUSTER || shape->fault == LAUNCH_LARGE_CLUSTER
           || shape->fault == LAUNCH_UNEVEN_GRID;
}

double ptx_measure_launch(FactCache *q, FactId fact, Certainty *certainty)
{
    const LaunchShape *shape = ptx_session_shape(q->session);
    const Bounds *bounds = &q->func->bounds;
    if (ptx_fact_info[fact].certainty == CERTAINTY_NONE)
        *certainty = ptx_measure_is_by_ptxas(q) ? CERTAINTY_EXACT : CERTAINTY_ESTIMATE;
    switch (fact) {
    case FACT_KERNEL_block_threads:         return ptx_measure_block_threads(q);
    case FACT_KERNEL_most_threads:          return ptx_bounds_threads(bounds);
    case FACT_KERNEL_block_exceeds_bounds:  return is_block_refused(shape);
    case FACT_KERNEL_is_cluster_refused:    return is_cluster_refused(shape);
    case FACT_KERNEL_grid_blocks:
        return shape->error ? UNKNOWN : ptx_known_number(shape->blocks);
    case FACT_KERNEL_grid_x:                return ptx_known_number(shape->grid[0]);
    case FACT_KERNEL_grid_y:                return ptx_known_number(shape->grid[1]);
    case FACT_KERNEL_grid_z:                return ptx_known_number(shape->grid[2]);
    case FACT_KERNEL_register_cap:
        return bounds->maxnreg ? (double)bounds->maxnreg : UNKNOWN;
    case FACT_KERNEL_min_blocks:
        return bounds->minnctapersm ? (double)bounds->minnctapersm : UNKNOWN;
    case FACT_KERNEL_is_min_blocks_ignored: return ptx_measure_min_blocks_fault(q) != NULL;
    case FACT_KERNEL_registers:             return ptx_measure_registers(q);
    case FACT_KERNEL_is_by_ptxas:           return ptx_measure_is_by_ptxas(q);
    case FACT_KERNEL_static_shared:
        return ptx_known_number(ptx_session_demand(q->session)->static_shared_bytes);
    case FACT_KERNEL_local_bytes:
        return ptx_known_number(ptx_session_demand(q->session)->local_bytes);
    case FACT_KERNEL_spill_bytes:           return spill_bytes(q);
    default:                                return measure_occupancy(q, fact);
    }
}
