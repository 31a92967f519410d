/* cache.h -- what of a launch's loads comes out of L1, out of L2, out of memory.
 *
 * A footprint (footprint.h) says which sectors a block asks for first and how far apart it asks for
 * them again. Blocks that share an SM run side by side: what several of them read is fetched about
 * once, and a sector asked for again is still there where what they all ask for in between fits.
 * The same holds for L2 and all SMs. Where data say which address, lanes ask for elements by chance
 * among those that they can reach (address_distribution.h), and in a table of as many elements as
 * there are threads where nothing says how far that is. A search that halves its range goes down a
 * tree: each iteration doubles the places where lanes may be. Blocks are given to SMs in order, one
 * to each: those on one SM are as many apart as there are SMs. Reuse distance: Mattson, Gecsei,
 * Slutz and Traiger, "Evaluation Techniques for Storage Hierarchies", IBM Systems Journal 1970. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_CACHE_H
#define PTX_ANALYSIS_TIME_MEMORY_CACHE_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct AddressDistribution AddressDistribution;
typedef struct ArrayTraffic ArrayTraffic;
typedef struct DataSource DataSource;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct Arena Arena;
typedef struct Launch Launch;

typedef struct CacheInput {
    const Func *func;
    const Evaluation *evaluation;
    const Gpu *gpu;
    /* ptx_address_distribution_compute; NULL: of no address data say where */
    const AddressDistribution *spread;
    const DataSource *sources;  /* ptx_data_sources_compute; NULL with spread */
    double blocks_per_sm, warps_per_block;
    const Cfg *cfg;             /* with loops; NULL: of no loop is known what leads it */
    const Loops *loops;
    const Launch *launch;       /* NULL: it says nothing of where indices lie */
} CacheInput;

typedef struct Cached {
    /* of load_sectors, those that the next block in the grid asks for, too */
    double joined_sectors;
    double load_lines;          /* passes through L1 */
    double load_sectors, load_requests;     /* that L2 is asked for */
    double load_pieces;         /* the same, by halves of lines */
    double store_lines, store_sectors;
    double store_parts;         /* Traffics.parts_of_sectors */
    double read_bytes, written_bytes;       /* from and to memory */
    double filled_bytes;        /* beside read_bytes: the rest of sectors that are stored in part */
    double scattered_stores;    /* of written_bytes and filled_bytes, those of sectors by chance */
    double scattered_bytes;     /* of read_bytes, those in pieces by chance */
    /* of read_bytes, those of lines to whose halves blocks come apart, and of pairs of lines */
    double torn_bytes, torn_line_bytes;
    double fresh_sectors;       /* of load_sectors, those that come from memory */
    /* of the sectors that blocks ask for again: the share that L1 has given up by then */
    double lost;
    /* per instruction: of the lanes whose address depends on data, the share that L1 does not hold;
     * NULL: no such */
    const double *data_missed;
    /* per instruction: how many such misses a warp waits for one after the other, where it is the
     * first to ask; 0: one. NULL: no such */
    const double *cold_steps;
} Cached;

/* Of `count` places, those that `draws` of them by chance hit at least once. */
double ptx_hit_by_chance(double draws, double count);

/* Of the first `count` blocks, those whose part of the array no other has. */
double ptx_cached_distinct_parts(const Evaluation *evaluation, const ArrayTraffic *array,
                                 double count);

/* The next block in the grid asks for the same part. */
bool ptx_cached_has_same_neighbour(const Evaluation *evaluation, const ArrayTraffic *array);

/* Owned by arena. */
Cached ptx_cached_compute(Arena *arena, const CacheInput *input);

#endif
