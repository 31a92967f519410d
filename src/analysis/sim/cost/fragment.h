/* fragment.h -- which places of a matrix in memory one machine access of wmma.load or wmma.store
 * touches. PTX says nothing of it: read off machine code of ptxas 13.0 for sm_90; clocks of loads
 * from shared memory agree (tools/measure-times/fragments.cu, an H200 and an H100). */
#ifndef PTX_ANALYSIS_SIM_COST_FRAGMENT_H
#define PTX_ANALYSIS_SIM_COST_FRAGMENT_H

#include "isa/isa.h"

/* All accesses of an instruction are alike but for where they begin. A line of the matrix is what
 * lies side by side: a row, or a column. */
typedef struct FragmentAccess {
    uint32_t count;             /* accesses; 0: not known */
    uint32_t lines, lines_apart;        /* that one touches, and every how many-th */
    uint32_t bytes;             /* of a lane */
    bool is_matrix;             /* as ldmatrix has it: a line for each of eight lanes */
} FragmentAccess;

FragmentAccess ptx_fragment_access(const Op *op);

#endif
