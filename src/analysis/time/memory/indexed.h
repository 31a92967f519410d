/* indexed.h -- accesses whose places data say: how many lanes go together, over how much they may
 * spread, and where the launch says that indices lie (--param 3=@local).
 *
 * Random: anywhere in the table. Sorted: in ascending order over the launch, so that a warp's lie
 * in its part of the table. Local: a block's lie in its part of the table, in any order. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_INDEXED_H
#define PTX_ANALYSIS_TIME_MEMORY_INDEXED_H

#include "analysis/time/memory/cache.h"
#include "analysis/time/memory/data_source.h"

enum { MAX_LISTS = 64 };        /* arrays of lists, by the parameter that points to them */

/* An array of indices: which blocks load the same ones. */
typedef struct IndexArray {
    const ArrayTraffic *traffic;        /* NULL: not known */
    double shared_by;           /* blocks that load an index, on average */
} IndexArray;

typedef struct TableUse {       /* by all accesses that data lead into one table */
    double indices, lane_bytes; /* each once, however many blocks share it */
    bool is_walk;               /* in a loop, by what was loaded before it */
} TableUse;

/* Of what loops that data end were taken to read of a list, what it has: its length is guessed, and
 * does not depend on how many lanes go through it side by side. */
typedef struct Lists {
    double share[MAX_LISTS];
    double bytes[MAX_LISTS];    /* of one list; infinite: not known */
    unsigned arrays;
    bool lanes_meet;
    bool lead;                  /* elements lead elsewhere, for each lane */
    const uint32_t *beside;     /* per instruction: accesses of its block to that array of lists */
    const TableUse *tables;     /* per instruction: of the table that data lead it into */
    /* per parameter: what threads ask for of the array that it points to by their own numbers,
     * each of them at least one element; 0: they do not, or not all of them */
    double own_bytes[MAX_LISTS];
    IndexArray indices[MAX_LISTS];      /* per parameter */
    double stored;              /* elements, of global memory */
} Lists;

typedef struct Led {            /* of one access */
    double groups;              /* of the lanes of a request: one index each */
    double bytes, element;      /* that a group, and a lane, asks for */
    double requests, lanes;     /* of the launch */
} Led;

typedef struct Located {        /* of a request */
    double asked;               /* sectors */
    double sectors, pieces;     /* that no other warp of the block asks for, too */
    bool is_near;               /* sorted or local */
} Located;

/* `tables` is owned by the arena. */
void ptx_lists_find(Arena *arena, const CacheInput *in, Lists *out);
bool ptx_is_list(const CacheInput *in, InsnId id);
Led ptx_led_by(const CacheInput *in, const Lists *lists, InsnId id);

/* Bytes that one access to lists asks L2 for, where so many blocks share so much of L1. Lists lie
 * one behind the other, and each is gone through once: but a sector comes again where the line that
 * a group of lanes is at has left L1 before the next turn. */
double ptx_list_moved_bytes(const CacheInput *in, const Lists *lists, InsnId id, double resident,
                            double l1_bytes);

/* Blocks that go by the same indices to the same places, on average. */
typedef struct Sharing {
    double all;                 /* of the launch */
    double at_once;             /* of so many blocks, one after the other */
} Sharing;

Sharing ptx_blocks_sharing(const CacheInput *in, const Lists *lists, InsnId id, double blocks);

/* Of the bytes that accesses ask for together whose address is known but for a number that data
 * add, as rows are that an index chooses, what is distinct, and what comes again where L2 does not
 * hold that. Shares. */
typedef struct MovedShare {
    double distinct, turns;
} MovedShare;

/* blocks: that are at work at once. */
MovedShare ptx_moved_share(Arena *arena, const CacheInput *in, double blocks);

/* Over how many bytes data may lead it. */
double ptx_table_bytes(const CacheInput *in, const Lists *lists, InsnId id);

/* Whether the launch says where the indices lie that lead it. */
bool ptx_locate(const CacheInput *in, const Lists *lists, InsnId id, const Led *led, Located *out);

typedef struct LocatedAccess {
    double sectors;             /* of a request, as the launch says that indices lie; NaN */
    uint32_t param;             /* that points to the indices */
    uint8_t locality;           /* Locality */
} LocatedAccess;

/* Per instruction. NULL: the launch says it of no parameter. Owned by arena; scratch, another
 * arena, is left as found. */
const LocatedAccess *ptx_located_accesses(Arena *arena, Arena *scratch, const CacheInput *in);

#endif
