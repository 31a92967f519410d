/* reg.h -- a register of a function. */
#ifndef PTX_IR_REG_H
#define PTX_IR_REG_H

#include "ir/types.h"
#include "isa/isa.h"
#include "support/minmax.h"
#include "support/span.h"
#include <stdbool.h>

typedef struct Reg {
    uint32_t name_begin;        /* where it is first referred to or declared alone */
    uint16_t name_length;       /* of a longer name the beginning */
    uint8_t type;               /* Type; TYPE_NONE: undeclared, diagnosed */
    uint8_t vector : 4;         /* 1, 2, 4 */
    bool is_written : 1;        /* some instruction, or the caller, writes it */
    bool is_param : 1;          /* .func (.reg ...) parameter */
    bool is_result : 1;         /* .func (.reg ...) result: read at every ret */
    bool is_of_range : 1;       /* one of %r<100> */
} Reg;

static inline Span ptx_reg_name(const Reg *reg)
{
    return (Span){ reg->name_begin, reg->name_begin + reg->name_length };
}

/* 32-bit registers that a value of this register takes; 0 for predicates. 8- and 16-bit values take
 * a whole one. */
static inline uint32_t ptx_reg_units(const Reg *reg)
{
    if (reg->type == TYPE_PRED || reg->type == TYPE_NONE)
        return 0;
    return reg->vector * ptx_u32_max(ptx_type_info[reg->type].bits / 32, 1);
}

#endif
