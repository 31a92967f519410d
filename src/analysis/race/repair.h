/* repair.h -- barriers that put the accesses of a hazard in order: each tried by a run before it is
 * reported. */
#ifndef PTX_ANALYSIS_RACE_REPAIR_H
#define PTX_ANALYSIS_RACE_REPAIR_H

#include <stdint.h>

typedef struct Search Search;
typedef struct Hazard Hazard;

/* Before the first of a kernel. */
void ptx_repair_begin(Search *search);

/* Adds to the search's puts those with which this race is gone, and runs with all of them. Which
 * these are, as bits; 0: none were found, and hazard->repair says why. */
uint32_t ptx_repair_find(Search *search, Hazard *hazard);

/* Each hazard gets the insertions that remove it by themselves, in every block and shape that is
 * tried. owned: what ptx_repair_find gave for each. */
void ptx_repair_settle(Search *search, Hazard *hazards, const uint32_t *owned, uint32_t count);

#endif
