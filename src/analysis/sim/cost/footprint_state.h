/* footprint_state.h -- what a footprint is made of, for its own files: footprint.c notes and sums
 * it, footprint_elsewhere.c moves it to other blocks. */
#ifndef PTX_ANALYSIS_SIM_COST_FOOTPRINT_STATE_H
#define PTX_ANALYSIS_SIM_COST_FOOTPRINT_STATE_H

#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/cost/moving_ranges.h"

enum {
    PIECE_SHIFT = 6,            /* 64 bytes */
    BLOCK_BITS = 26,            /* of the number of a block that runs */
    ARRAY_MASK = (1 << (32 - BLOCK_BITS)) - 1,
    PIECE_BITS = 54,            /* of a number: addresses without the bits of their space */
    SLOTS_FIRST = 1 << 6,
    /* half of them: distinct pieces of a block that are distinguished; more count each time */
    MAX_SLOTS = 1 << 16,
    GROUP_PIECES = 4,
    MIN_SCATTERED = 16,         /* sectors of a request */
    MAX_WARPS = 32,
    /* sectors: warps that are no further apart wait for the same fetch */
    NEAR = 32,
    PROBES = 4,
    ARRAYS_NEAR = 64,
};

typedef enum FootprintSide {
    SIDE_READ,
    SIDE_WRITTEN,
    SIDE_ATOMIC,
    SIDE_MOVED,
    SIDE_CONSTANT,
    SIDE__PLACES,
    /* no pieces, but sectors: that are read past L1, each time */
    SIDE_PAST = SIDE__PLACES,
    /* that stores come to first; of those, that are stored whole, or lie where the block has read;
     * as many as all stored bytes would fill */
    SIDE_STORED,
    SIDE_WHOLE,
    SIDE_FILLED,
    SIDE__COUNT
} FootprintSide;

typedef struct Extent {         /* of an array */
    uint64_t key;
    uint64_t first[SIDE__COUNT], last[SIDE__COUNT];     /* pieces */
    double pieces[SIDE__COUNT];         /* distinct in each block, added up */
    double here[SIDE__COUNT];           /* in the block that runs */
    double missed, missed_here; /* sectors that a block's loads are the first to ask for */
    double reused, reused_here; /* that they ask for again */
    double boxes, boxes_here;   /* ArrayTraffic's */
    uint64_t probed[PROBES];    /* the first address of a block and of its neighbours; 0: none */
    FootprintShift shift;       /* of all requests that were followed */
    bool is_followed, is_torn[3];       /* along a dimension they move by more than one shift */
} Extent;

/* Two to a line of the cache. */
typedef struct FootprintPiece {
    uint64_t number : PIECE_BITS;
    uint64_t sides : 8;
    uint64_t sectors : 2;       /* that L1 holds */
    uint32_t block : BLOCK_BITS;        /* that it belongs to: of another it is empty */
    uint32_t array : 32 - BLOCK_BITS;   /* that loads find it in; ARRAYS_MAX: none */
    uint32_t fetched, touched[2];       /* by the clock of the warp that did; each sector */
    uint32_t warps[2];          /* that have asked for each sector */
} FootprintPiece;

typedef struct StoredPieces {   /* which bytes of each */
    struct {
        uint64_t number, bytes;
    } items[64];
    unsigned count;
} StoredPieces;

typedef struct StoreRun {       /* what a warp has stored to some lines, of a run (store_runs.h) */
    StoredPieces pieces;
    uint32_t block, run, turn;
} StoreRun;

struct Footprint {
    Arena *arena;
    FootprintPiece *slots;
    uint32_t *turns;            /* per slot: in which a load was the first to touch it */
    uint64_t *stored;           /* per slot, of what is written: each byte of it */
    StoreRun *runs;             /* per warp, the last one; NULL: nothing was stored */
    uint32_t slot_count, used, block;
    uint32_t turn;              /* of the request that is noted */
    uint8_t found[ARRAYS_NEAR]; /* by the low bits of a key: an array + 1; 0: none */
    Extent arrays[ARRAYS_MAX];
    uint32_t array_count;
    bool has_lost;              /* arrays beyond those, or pieces of one that far apart */
    uint32_t clock[MAX_WARPS]; /* sectors that each warp's loads have asked for */
    uint32_t warp;              /* that runs */
    bool is_probing;
    bool is_probe_lost;         /* some address does not say where the others are */
    uint8_t probe;              /* a bit for each of Extent.probed that is asked for */
    /* arrays that were there when the probe began; those of them that are asked for, and that it
     * has not come to */
    uint32_t probed_count, unprobed;
    MovingRanges moving;        /* of the last run */
    Traffics here, all;
};

/* NULL: there are too many. */
Extent *ptx_footprint_array(Footprint *f, uint64_t piece);

/* NULL: this block has touched too many. */
FootprintPiece *ptx_footprint_piece(Footprint *f, uint64_t address_piece);

/* stored_sectors.c: a store, before its pieces are noted as written; is_row: its lanes lie side by
 * side, in order. */
void ptx_footprint_note_stored(Footprint *f, const FootprintRequest *request, bool is_row);

/* Of the launch, once pieces are: bytes of the sectors of an array that stores come to, and of
 * those that they fill in part. */
double ptx_footprint_stored_bytes(const Extent *array, double written_bytes);
double ptx_footprint_partly_bytes(const Extent *array, double written_bytes);

void ptx_traffics_add(Traffics *to, const Traffics *from, double weight);

#endif
