/* costs.h -- the machine operations that a PTX instruction becomes, from costs.txt, whose header
 * says how they were found. */
#ifndef PTX_GPU_COSTS_H
#define PTX_GPU_COSTS_H

#include "gpu/gpu.h"

enum { COST_TERMS = 8, COST_NEEDS = 6 };

typedef struct CostTerm {
    float count;
    uint8_t machine;            /* MachineOp */
} CostTerm;

typedef struct Cost {
    CostTerm terms[COST_TERMS];
    uint8_t term_count;         /* 0: the instruction costs nothing */
} Cost;

typedef struct CostRow {
    int16_t needs[COST_NEEDS];  /* modifiers that must be there; need_count of them */
    uint8_t need_count;
    uint16_t targets;           /* into ptx_cost_targets */
    uint16_t cost;              /* into ptx_costs */
} CostRow;

/* Targets a row is for: [from, to], pairs up to { 0, 0 }. */
typedef struct CostRange { uint16_t from, to; } CostRange;

extern const CostRow ptx_cost_rows[];
extern const uint16_t ptx_cost_first[];         /* per OpcodeId and one more: into ptx_cost_rows */
extern const CostRange ptx_cost_targets[];
extern const Cost ptx_costs[];

/* NULL where no row is for it: an unknown opcode, or one that the target does not have. */
const Cost *ptx_cost_find(const Op *op, Target target);

/* Multiply-adds of a matrix instruction that fall to one warp: all for mma, wmma and tcgen05.mma, a
 * quarter for wgmma. A sparse one skips half of its K. NaN: not known, where the descriptor of a
 * tcgen05.mma is no constant. */
double ptx_cost_tensor_fmas(const Op *op);

/* The figure that has the rate of a matrix instruction, by the type of its factors. */
FigureId ptx_cost_tensor_rate(const Op *op);

#endif
