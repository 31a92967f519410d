/* footprint.h -- what a launch touches of global memory, and what comes past L1: a sector that a
 * block asks for again is still there.
 *
 * A block's distinct sectors are counted as it runs, and how long ago it asked for those that it
 * asks for again: whether they are still there is for cache.h to say. Warps run one after the other
 * here and side by side on a GPU, so time is each warp's own: the sectors that it asked for so far.
 * Over the launch, sectors that blocks share count once: no more are distinct than lie between the
 * first and the last that any block touches of an array (a pointer parameter's numbers lie apart
 * from every other's). Corners of the grid are always run, so the ends are seen. Memory answers in
 * pieces of two sectors [1]. Accesses whose addresses depend on data are not noted here (count.h).
 * [1] measured on an H200: loads of 4 bytes at distances of 68 read 64 bytes each   [2] the
 *     same, of 2 million lanes over 1 to 16 million places   [3] the same
 *     (testdata/measured/stores): stores of 4 and of 16 bytes at distances of 64 write 32 each */
#ifndef PTX_ANALYSIS_SIM_COST_FOOTPRINT_H
#define PTX_ANALYSIS_SIM_COST_FOOTPRINT_H

#include "support/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* ATOMIC_SERIAL: of floating point, where lanes at one address wait for each other. */
typedef enum FootprintKind {
    FOOTPRINT_LOAD,
    FOOTPRINT_LOAD_PAST_L1,
    FOOTPRINT_STORE,
    FOOTPRINT_ATOMIC,
    FOOTPRINT_ATOMIC_SERIAL
} FootprintKind;

enum { REUSE_BUCKETS = 24, ARRAYS_MAX = 32 };

typedef struct ArrayTraffic {   /* of one array; of the launch */
    double missed;              /* sectors that a block's loads are the first to ask for */
    double reused;              /* sectors that a block's loads ask for again */
    double past;                /* that loads ask for past L1, each time */
    double boxes;               /* that tensor maps lead to, of sizes that are not known */
    uint64_t first;             /* as Traffics.pointers; no address of it lies below */
    double read_bytes;          /* distinct */
    double extent_bytes;        /* between the first and the last of them */
    /* bytes from a block's first address to that of its neighbour in each dimension of the grid,
     * ... */
    int64_t shift[3];
    bool is_shifted[3];         /* ... where both are known, and something may be shared */
} ArrayTraffic;

typedef struct Traffics {       /* of the launch */
    /* distinct lines of each request; its passes through an L1 that takes several lines a clock */
    double load_lines, load_passes;
    double load_sectors;        /* that a block's loads are the first to ask for */
    double load_requests;       /* lines of those */
    double load_pieces;         /* of those, each request's: halves of lines */
    /* pieces that a block's loads are the first to touch; of these, those of lines to whose halves
     * they come in two turns, and of pairs of lines to which they do */
    double first_pieces, torn_pieces, torn_lines;
    /* sectors that they ask for again, after less than 2^n others of the same warp */
    double reused[REUSE_BUCKETS];
    const ArrayTraffic *arrays;
    uint32_t array_count;
    /* per parameter of the kernel: the array that it points to; 0: none. NULL: not known */
    const uint64_t *pointers;
    uint32_t shared_bytes;      /* of a block */
    /* between the first and the last of constant memory that any block touches */
    double constant_bytes;
    double store_lines, store_sectors;
    /* of store_sectors, those that a request stores in part, beside another of its line */
    double parts_of_sectors;
    /* of bulk copies: rows of up to a line, and bytes that are loaded, of boxes that are known; the
     * others */
    double box_rows, box_bytes, unknown_boxes;
    double atomic_passes;       /* ptx_atomic_passes of each request */
    /* lanes of atomics that lie to each other as they are known to, but data say where */
    double data_atomics;
    /* of read_bytes and written_bytes: guessed for such accesses */
    double data_read_bytes, data_written_bytes;
    double drawn_bytes;         /* of both, no less than what such accesses have a part in */
    /* of written_bytes, those of sectors that stores fill in part; of data_written_bytes */
    double partly_bytes, data_partly_bytes;
    /* between the first and the last that atomics touch of each array */
    double atomic_bytes;
    /* distinct; what is read in pieces of memory, what is written in sectors [3] */
    double read_bytes, written_bytes;
    bool has_lost;              /* there are more: of arrays beyond ARRAYS_MAX, or TiB apart */
} Traffics;

typedef struct BulkBox BulkBox;
typedef struct Footprint Footprint;

Footprint *ptx_footprint_new(Arena *arena);

typedef struct FootprintRequest {
    const uint64_t *addresses;  /* of each lane */
    uint32_t lanes;             /* those that take part */
    uint32_t bytes, warp;
    uint32_t turn;              /* how often the warp has come to the instruction */
    uint32_t run;               /* of a store: store_runs.h's; 0: not known */
    FootprintKind kind;
    /* they lie like that to each other, but data say where: of no two requests is it known that
     * they touch the same */
    bool is_moved;
    bool is_again;              /* but that it touches what one before touched, by one pointer */
    bool is_drawn;              /* each lane has one of few addresses, by chance: drawn.h */
    const struct FootprintShift *shift;     /* of a run for many blocks; else NULL */
} FootprintRequest;

/* Whether a load waits for L2: it is the first to ask for something, or just behind another warp
 * that is. */
bool ptx_footprint_note(Footprint *footprint, const FootprintRequest *request);

/* A box of a bulk copy, past L1. step: of a run for many blocks: theirs, as box.shift was read;
 * else NULL. */
void ptx_footprint_note_box(Footprint *footprint, const BulkBox *box, const uint32_t step[3]);

/* Constant memory that a request touches; shift: as FootprintRequest's. */
void ptx_footprint_note_constant(Footprint *footprint, uint64_t address,
                                 const struct FootprintShift *shift);

/* A run begins, for one block or for many. */
void ptx_footprint_begin(Footprint *footprint, bool is_for_many);

/* One of those that the last run stood for, so many blocks further on: where what it touches begins
 * and ends is noted, and nothing else. False: this is not known, and nothing was noted. */
bool ptx_footprint_note_ends(Footprint *footprint, const int64_t blocks[3]);

/* What an atomic request keeps L2 busy: each sector as often as lanes are at its most crowded
 * address, twice for elements of 8 bytes; and where lanes wait for each other no less than so many
 * times the most lanes at one address as an addition takes passes [2]. */
double ptx_atomic_passes(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, bool is_serial);

/* What a block has touched so far: to say later that it goes on so. */
typedef struct FootprintMark {
    Traffics here;
    double pieces[ARRAYS_MAX][9], missed[ARRAYS_MAX], reused[ARRAYS_MAX], boxes[ARRAYS_MAX];
    uint32_t warp, clock;
} FootprintMark;

void ptx_footprint_mark(const Footprint *footprint, uint32_t warp, FootprintMark *out);

/* What the warp has touched since then, so many times more, each time something else. */
void ptx_footprint_repeat(Footprint *footprint, const FootprintMark *since, double times);

/* The block, or part of it, that ran stands for `weight`. */
void ptx_footprint_close(Footprint *footprint, double weight);

void ptx_footprint_forget(Footprint *footprint);

/* From a block to the one so many further on, in each dimension of the grid; step 0: it is not
 * asked for. */
typedef struct FootprintShift {
    int64_t by[3];              /* bytes */
    uint32_t step[3];           /* blocks */
} FootprintShift;

/* Of a run that is noted: an address that it touches lies that much further on in other blocks. */
void ptx_footprint_follow(Footprint *footprint, uint64_t place, const FootprintShift *shift);

/* Of a run that was followed: the block so far from it touches the same, further on. */
bool ptx_footprint_can_move(const Footprint *run, const int64_t blocks[3]);

/* What one run has touched, of the block so far from it; as if that had been noted, where
 * ptx_footprint_can_move says so. */
void ptx_footprint_add_moved(Footprint *footprint, const Footprint *run, const int64_t blocks[3]);
bool ptx_footprint_is_moved(const Footprint *run, const Footprint *there, const int64_t blocks[3]);

/* From here on only the first address of each array is noted, of these: a bit for a block (0) and
 * for its neighbour before it in each dimension (1 to 3). Of one of them; or of the block and of
 * some neighbours, where the one that runs lies before the block in each of those dimensions. */
void ptx_footprint_probe(Footprint *footprint, uint8_t which);
bool ptx_footprint_is_probing(const Footprint *footprint);

/* The first address of a request. shift: by how much it moves from a block to the next one. */
void ptx_footprint_note_probe(Footprint *footprint, uint64_t first, const int64_t shift[3]);

/* The run is over. is_sure: the other blocks do the same. False: they are to be run, and nothing
 * was noted. */
bool ptx_footprint_end_probe(Footprint *footprint, bool is_sure);

/* Of each array that there was before, and that loads are the first to ask for. */
bool ptx_footprint_is_probed(const Footprint *footprint);

/* Between the first and the last that loads read of each array: no less than what they read. */
double ptx_footprint_read_bytes(const Footprint *footprint);

/* weight: of all that was noted, for blocks that were not run. The arrays are arena's. */
Traffics ptx_footprint_sum(Footprint *footprint, Arena *arena, double weight);

#endif
