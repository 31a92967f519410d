/* search.h -- one kernel in which hazards are looked for, run after run: what hazard.c and repair.c
 * share. */
#ifndef PTX_ANALYSIS_RACE_SEARCH_H
#define PTX_ANALYSIS_RACE_SEARCH_H

#include "analysis/race/hazard.h"
#include "analysis/sim/race/race.h"
#include "analysis/sim/sim.h"
#include "analysis/value/launch.h"

typedef struct Defs Defs;
typedef struct PointsToSet PointsToSet;
typedef struct Uniforms Uniforms;

enum { MAX_SHAPE_TRIES = 16, MAX_KNOWN = 32 };

typedef struct Search {
    Arena *arena;               /* of what is found */
    Arena *work, *scratch;
    const SimProgram *program;
    const Module *module;
    FuncId kernel;
    const Func *func;
    Launch launch;
    const PointsToSet *bases;   /* of func; NULL: not computed */
    const Defs *defs;           /* of func; NULL: not computed */
    int64_t dynamic_shared;     /* of a block; -1: not known */
    Machine *machine;
    SimShape shape;             /* of its launch */
    /* blocks of the given grid are run as the first of it, not as the one in its middle */
    bool is_first_block;
    Race *race;                 /* that observes it */
    uint8_t *orders;            /* of its instructions: ptx_race_new */
    /* of a block that is not given: those in which the race was found; NULL: the one assumed */
    const uint32_t *shapes[MAX_SHAPE_TRIES];
    uint32_t shape_count;
    Put puts[MAX_PUTS];        /* of the runs to come */
    uint32_t put_count;
    /* accesses that race with the one at hand, before a repair of one of them */
    HazardAccess known[MAX_KNOWN];
    uint32_t known_count;
    /* steps of the machine, and pairs of accesses it compares, that repairs may come to */
    uint64_t repair_end, repair_met_end;
    /* of shapes: one in which warps write the same bytes is passed by */
    bool is_trial;
    const Uniforms *uniforms;   /* of the kernel's own function; NULL: not asked for yet */
    ArenaMark mark;
} Search;

/* On some path it stores what was loaded from there: s[i] = c ? x : s[i]. Such a write is
 * not observable. */
bool ptx_store_may_write_back(Arena *scratch, const Cfg *cfg, const Func *func, InsnId store);

/* Instructions that a run may take. */
uint64_t ptx_search_steps(const Search *search);

/* A run of one block with the puts in hand; of the block in the middle of the grid, or the first
 * one where that is wanted. */
void ptx_search_run_block(Search *search, const uint32_t at[3]);
void ptx_search_run(Search *search);

/* A run with blocks of that shape in place of the one in hand; what was allocated in work is gone.
 * NULL: the shape that is given or assumed. */
void ptx_search_try_shape(Search *search, const uint32_t shape[3]);

/* What is reported of a pair; is_possible: of accesses that happen if data say so. False:
 * nothing. */
bool ptx_search_make_hazard(Search *search, const RacePair *pair, bool is_possible,
                            Hazard *out);

/* Whatever the data and parameters, all threads of the block execute that instruction of the
 * kernel's own function alike. */
bool ptx_search_is_for_all(Search *search, InsnId insn);

/* guessed_control.c: what a parameter was taken for may decide which threads of the block execute
 * an instruction of the kernel's own function. */
bool ptx_search_depends_on_guess(Search *search, InsnId insn);

/* What is missing where nothing waits for what goes on behind its instruction. */
HazardKind ptx_search_kind(uint8_t queue);

/* What the kernel's addresses point to; it stays as long as the machine. */
const PointsToSet *ptx_search_bases(const Search *search);

/* redundant_barrier.c: barriers that may go, all together; of a search that found no hazard. */
void ptx_search_find_redundant(Arena *arena, Search *search, Hazards *out);

/* Of the same two accesses. */
bool ptx_search_are_alike(const Hazard *a, const Hazard *b);

#endif
