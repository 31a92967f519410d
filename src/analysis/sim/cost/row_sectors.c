#include "analysis/sim/cost/row_sectors.h"

#include "analysis/sim/cost/traffic.h"
#include "analysis/sim/stride/lane_groups.h"
#include "support/minmax.h"

#include <math.h>

/* One row, wherever it begins. */
typedef struct OneRow {
    double least, most, mean;
} OneRow;

/* An access lies at a multiple of its size. */
static unsigned first_shift(const Request *r, uint64_t address, unsigned step)
{
    unsigned by = 0;
    while (by < r->bytes && (address + by) % r->bytes)
        by += step;
    return by < r->bytes ? by : 0;
}

static OneRow find_one_row(const Gpu *gpu, Request *r, const uint64_t *from, unsigned align)
{
    uint64_t lanes[WARP_LANES];
    const unsigned own = 1u << align, period = ptx_traffic_sector_period(gpu, r),
                   first = first_shift(r, from[__builtin_ctz(r->lanes)], own),
                   step = (unsigned)ptx_size_max(own, r->bytes);
    OneRow out = { .least = (double)INFINITY };
    unsigned count = 0;
    r->addresses = lanes;
    for (unsigned by = first; by < first + period; by += step, count++) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            lanes[i] = from[i] + by;
        const double sectors = ptx_traffic_sectors(gpu, r);
        out.least = fmin(out.least, sectors);
        out.most = fmax(out.most, sectors);
        out.mean += sectors;
    }
    out.mean /= count;
    return out;
}

static bool is_same_request(const RowSectors *rows, const Request *r, const Value *address,
                            const uint64_t places[WARP_LANES])
{
    const uint64_t first = places[__builtin_ctz(r->lanes)];
    if (rows->lanes != r->lanes || rows->bytes != r->bytes || rows->group != address->group
        || rows->kind != r->kind || rows->place != first % PERIOD)
        return false;
    uint64_t difference = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        difference |= ((places[i] - first) ^ rows->apart[i])
                      & (0 - (uint64_t)(r->lanes >> i & 1));
    return !difference;
}

static void keep_row_request(RowSectors *rows, const Request *r, const Value *address,
                             const uint64_t places[WARP_LANES])
{
    const uint64_t first = places[__builtin_ctz(r->lanes)];
    *rows = (RowSectors){ .lanes = r->lanes,
                          .bytes = r->bytes,
                          .group = address->group,
                          .kind = r->kind,
                          .place = (uint8_t)(first % PERIOD) };
    for (unsigned i = 0; i < WARP_LANES; i++)
        rows->apart[i] = places[i] - first;
}

void ptx_row_sectors_find(RowSectors *rows, const Gpu *gpu, const Request *request,
                          const Value *address)
{
    const LaneGroups groups = ptx_groups_unpack(address->group);
    uint64_t places[WARP_LANES];
    ptx_value_places(address, places);
    if (is_same_request(rows, request, address, places))
        return;
    keep_row_request(rows, request, address, places);
    for (uint32_t left = request->lanes; left;) {
        Request one = *request;
        one.lanes = ptx_groups_lanes(groups, (unsigned)__builtin_ctz(left), left);
        left &= ~one.lanes;
        const OneRow row = find_one_row(gpu, &one, places, groups.align);
        rows->least = fmax(rows->least, row.least);
        rows->most += row.most;
        rows->expected += row.mean;
        rows->rows++;
    }
}

void ptx_row_sectors_add(const RowSectors *rows, Count *count)
{
    count->row_requests++;
    count->rows += rows->rows;
    count->row_least += rows->least;
    count->row_most += rows->most;
    count->row_sectors += rows->expected;
}
