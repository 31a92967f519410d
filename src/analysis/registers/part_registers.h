/* part_registers.h -- how many registers ptxas will give a thread of a kernel that does a part of
 * what a function does: the function with the other instructions left out. */
#ifndef PTX_ANALYSIS_REGISTERS_PART_REGISTERS_H
#define PTX_ANALYSIS_REGISTERS_PART_REGISTERS_H

#include "analysis/registers/register_count.h"

typedef struct Launch Launch;

typedef struct PartRegisters {
    Pressure pressure;
    uint32_t max_live;          /* in the PTX */
} PartRegisters;

typedef struct PartRegistersInput {
    const FuncFlow *flow;
    /* per instruction, closed under dependences through registers and control (dependence.h);
     * NULL: all. A branch that is left out goes on where its ways meet; jumps without a guard
     * stay */
    const bool *keeps;
    const Launch *launch;       /* may be NULL */
    const Gpu *gpu;
} PartRegistersInput;

/* Both arenas are left as found. False: there is more than is looked at. */
bool ptx_part_registers_compute(Arena *arena, Arena *scratch, const PartRegistersInput *in,
                                PartRegisters *out);

#endif
