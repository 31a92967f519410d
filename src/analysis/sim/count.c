#include "analysis/sim/count.h"

const Count ptx_count_none = { .warps = 0 };

static void add_row_requests(Count *to, const Count *from, double weight)
{
    to->row_requests += weight * from->row_requests;
    to->rows += weight * from->rows;
    to->row_least += weight * from->row_least;
    to->row_most += weight * from->row_most;
    to->row_sectors += weight * from->row_sectors;
}

/* Most instructions have none. */
static void add_requests(Count *to, const Count *from, double weight)
{
    to->requests += weight * from->requests;
    to->active += weight * from->active;
    to->sectors += weight * from->sectors;
    to->ideal_sectors += weight * from->ideal_sectors;
    to->lines += weight * from->lines;
    to->segments += weight * from->segments;
    to->passes += weight * from->passes;
    to->wavefronts += weight * from->wavefronts;
    to->ideal_wavefronts += weight * from->ideal_wavefronts;
    to->spared_requests += weight * from->spared_requests;
    to->spared_wavefronts += weight * from->spared_wavefronts;
    to->used_bytes += weight * from->used_bytes;
    to->addresses += weight * from->addresses;
    to->data_requests += weight * from->data_requests;
    to->data_lanes += weight * from->data_lanes;
    if (from->row_requests > 0)
        add_row_requests(to, from, weight);
    to->waits += weight * from->waits;
}

static void keep_worst(Count *to, const Count *from)
{
    if (from->worst > to->worst || !to->pattern) {
        to->worst = from->worst;
        to->pattern = from->pattern;
        to->stride = from->stride;
    }
}

void ptx_count_add(Count *to, const Count *from, double weight)
{
    to->warps += weight * from->warps;
    to->lanes += weight * from->lanes;
    to->most += weight * from->most;
    if (from->longest > to->longest) {
        to->longest = from->longest;
        to->longest_waits = from->longest_waits;
    }
    if (from->requests > 0)
        add_requests(to, from, weight);
    to->low_bits |= from->low_bits;
    if (from->divergent > 0) {
        to->divergent += weight * from->divergent;
        to->edged += weight * from->edged;
    }
    to->is_free |= from->is_free;
    to->has_lost_place |= from->has_lost_place;
    to->is_drawn |= from->is_drawn;
    to->rows_by |= from->rows_by;
    to->free_by |= from->free_by;
    if (from->requests > 0 || from->pattern)
        keep_worst(to, from);
    to->doubt = from->doubt > to->doubt ? from->doubt : to->doubt;
    to->row_doubt = from->row_doubt > to->row_doubt ? from->row_doubt : to->row_doubt;
}

void ptx_count_repeat(Count *c, const Count *before, double times)
{
    Count since = *c;
    since.warps -= before->warps;
    since.lanes -= before->lanes;
    since.most -= before->most;
    since.requests -= before->requests;
    since.active -= before->active;
    since.sectors -= before->sectors;
    since.ideal_sectors -= before->ideal_sectors;
    since.lines -= before->lines;
    since.segments -= before->segments;
    since.passes -= before->passes;
    since.wavefronts -= before->wavefronts;
    since.ideal_wavefronts -= before->ideal_wavefronts;
    since.spared_requests -= before->spared_requests;
    since.spared_wavefronts -= before->spared_wavefronts;
    since.used_bytes -= before->used_bytes;
    since.addresses -= before->addresses;
    since.data_requests -= before->data_requests;
    since.data_lanes -= before->data_lanes;
    since.row_requests -= before->row_requests;
    since.rows -= before->rows;
    since.row_least -= before->row_least;
    since.row_most -= before->row_most;
    since.row_sectors -= before->row_sectors;
    since.waits -= before->waits;
    since.divergent -= before->divergent;
    since.edged -= before->edged;
    ptx_count_add(c, &since, times);
}
