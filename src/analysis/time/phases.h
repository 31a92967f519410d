/* phases.h -- how far what an SM's units do and what comes from memory hide each other.
 *
 * A warp loads, computes and stores in turns, and so does a block whose warps wait for each other at
 * barriers: only others beside it do the one while it does the other. Measured on an H200 (1980 MHz) by
 * tools/measure-times/phases.cu, 64 bytes a thread from memory and back, arithmetic of 0.6 times as
 * long: 1, 2, 3 and 4 blocks of 512 threads with barriers take 1.17, 0.76, 0.71 and 0.67 times the sum
 * of both, without barriers 0.77, 0.69, 0.63 and 0.64; 4, 8 and 12 warps without barriers the sum of
 * both, 16 warps 0.75, 24 warps 0.67 and 32 warps 0.65. */
#ifndef PTX_ANALYSIS_TIME_PHASES_H
#define PTX_ANALYSIS_TIME_PHASES_H

#include <stdbool.h>

typedef struct PhasesInput {
    double blocks;              /* of an SM, at once */
    double warps_per_block;
    double barriers_of_round;   /* that a warp comes to each time that it loads */
    bool is_in_steps;           /* of a loop, in which copies run ahead: they are in its chain */
} PhasesInput;

/* Of the norm that joins both. 1: they add up. */
double ptx_phase_exponent(const PhasesInput *in);

#endif
