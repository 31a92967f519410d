/* reg.h -- a register of a function. */
#ifndef PTX_IR_REG_H
#define PTX_IR_REG_H

#include "ir/types.h"
#include "isa/isa.h"
#include "support/minmax.h"
#include "support/span.h"
#include <stdbool.h>

typedef struct Reg {
    Span name;                  /* where it is first referred to or declared alone */
    uint8_t type;               /* Type; TYPE_NONE: undeclared, diagnosed */
    uint8_t vector;             /* 1, 2, 4 */
    bool is_written;            /* some instruction, or the caller, writes it */
    bool is_param;              /* .func (.reg ...) parameter */
    bool is_result;             /* .func (.reg ...) result: read at every ret */
    bool is_of_range;           /* one of %r<100> */
} Reg;

/* 32-bit registers that a value of this register takes; 0 for predicates. 8- and 16-bit values take
 * a whole one. */
static inline uint32_t ptx_reg_units(const Reg *reg)
{
    if (reg->type == TYPE_PRED || reg->type == TYPE_NONE)
        return 0;
    return reg->vector * ptx_u32_max(ptx_type_info[reg->type].bits / 32, 1);
}

#endif
