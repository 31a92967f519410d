/* phases.h -- how far what an SM's units do and what comes from memory hide each other.
 *
 * A warp loads, computes and stores in turns, and so does a block whose warps wait for each
 * other at barriers: only others beside it do the one while it does the other. Measured on an
 * H200 (1980 MHz) by tools/measure-times/phases.cu, 64 bytes a thread from memory and back,
 * arithmetic of 0.6 times as long: 1, 2, 3 and 4 blocks of 512 threads with barriers take 1.08,
 * 0.76, 0.71 and 0.66 times the sum of both, without barriers 0.77, 0.69, 0.63 and 0.64; 4, 8
 * and 12 warps without barriers 0.96, 0.91 and 0.86, 16 warps 0.75, 24 warps 0.67 and 32
 * warps 0.67.
 *
 * So do the warps of a block that load fragments and multiply them in the steps of a loop
 * (mixes.cu): 256 clocks of ldmatrix and 384 of products take 584, twice as much with 8 warps
 * 1,059; two blocks of 4 warps 808. */
#ifndef PTX_ANALYSIS_TIME_PHASES_H
#define PTX_ANALYSIS_TIME_PHASES_H

#include <stdbool.h>

typedef struct PhasesInput {
    double blocks;              /* of an SM, at once */
    double warps_per_block;
    double barriers_of_round;   /* that a warp comes to each time that it loads */
    bool is_in_steps;           /* of a loop, in which copies run ahead: they are in its chain */
    double turn_bytes;          /* that a block loads in a step in which it stores too; or 0 */
} PhasesInput;

/* Of the norms that join what is hidden. 1: it adds up. */
typedef struct Phases {
    double memory;              /* what comes from memory, with what is computed */
    double units;               /* shared memory, with pipelines */
    double waits;               /* warps that wait, with what comes from memory */
} Phases;

Phases ptx_phases_find(const PhasesInput *in);

#endif
