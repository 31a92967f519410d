/* traffic.h -- what one request of a warp costs by the rules of a GPU's memory: sectors and
 * wavefronts. */
#ifndef PTX_ANALYSIS_SIM_COST_TRAFFIC_H
#define PTX_ANALYSIS_SIM_COST_TRAFFIC_H

#include "analysis/sim/value.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Gpu Gpu;
typedef struct Request Request;

/* A request costs the same on both. */
bool ptx_traffic_is_alike(const Gpu *a, const Gpu *b);

/* Ideal ones: of as many bytes, and no more than the real figure. */
double ptx_traffic_sectors(const Gpu *gpu, const Request *request);

/* Bytes: sectors, and wavefronts, are the same wherever all addresses move by so many. */
unsigned ptx_traffic_sector_period(const Gpu *gpu, const Request *request);
unsigned ptx_traffic_bank_period(const Gpu *gpu, const Request *request);
double ptx_traffic_ideal_sectors(const Gpu *gpu, const Request *request, double real);
double ptx_traffic_used_bytes(const Request *request);          /* distinct ones */
/* Distinct lines of 128, and segments of 32 bytes, that its lanes touch; sectors: what it costs. */
double ptx_traffic_lines(const Request *request);
double ptx_traffic_segments(const Gpu *gpu, const Request *request, double sectors);

/* The addresses of these lanes, from the lowest on; how many. */
unsigned ptx_places_sort(const uint64_t *places, uint32_t lanes, uint64_t out[WARP_LANES]);
double ptx_traffic_wavefronts(const Gpu *gpu, const Request *request);
/* Passes that the banks take, where profilers count so many wavefronts. */
double ptx_traffic_taken(const Gpu *gpu, const Request *request, double counted);
/* the wavefronts follow a rule that was measured, not one that comes near */
bool ptx_traffic_is_certain(const Gpu *gpu, const Request *request);
/* both, of REQUEST_COPY */
double ptx_traffic_copied(const Gpu *gpu, const Request *request, bool *is_certain);
double ptx_traffic_ideal_wavefronts(const Gpu *gpu, const Request *request, double real);

#endif
