/* lanes.h -- steps by which lanes of a warp combine values. Private to this folder. */
#ifndef PTX_ANALYSIS_RECOGNIZE_LANES_H
#define PTX_ANALYSIS_RECOGNIZE_LANES_H

#include "analysis/recognize/recognizer.h"

#include "ir/operand.h"

enum {
    LANE_STEPS = 5,             /* of a chain: 32 lanes */
    WARP = 32,
};

/* One step, at the instruction that combines. */
typedef struct LaneStep {
    InsnId before;              /* the step that x comes from; NO_ID: none is known */
    uint8_t step;               /* Step; STEP_OTHER: it is none */
    uint8_t mode;               /* Modifier: MOD_BFLY, MOD_DOWN, MOD_UP */
    uint8_t distance, width;    /* lanes; of a segment */
    bool is_before;             /* another step goes on from it */
} LaneStep;

typedef struct LaneWalk {
    Recognizer *r;
    LaneStep *steps;            /* per instruction */
} LaneWalk;

/* Source n of a shuffle or redux, from 1 on: the destination and its predicate share a position. */
const Operand *ptx_lane_operand(const Func *func, InsnId id, unsigned n);
/* What computed a register that an instruction reads, behind copies; NO_ID: not known. */
InsnId ptx_lane_source(const LaneWalk *w, InsnId id, const Operand *operand);
/* Whether an operand is what a shuffle gives to other lanes. */
bool ptx_lane_is_value_of(const LaneWalk *w, InsnId id, const Operand *operand, InsnId shuffle);
/* A shuffle of all lanes within segments, by whatever distance. */
bool ptx_lane_read_shuffle(const LaneWalk *w, InsnId id, LaneStep *out);
/* x op y, op associative. */
bool ptx_lane_is_operation(const Insn *insn);
/* The thread's place in its warp. */
bool ptx_lane_is_index(const Recognizer *r, SymId id);

/* lanes_loop.c: a step in a loop that halves or doubles its distance. */
void ptx_lane_add_loop(LaneWalk *w, InsnId id);

#endif
