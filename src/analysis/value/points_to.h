/* points_to.h -- what address, or constant, a register certainly holds.
 *
 * A register that a single instruction writes, and not under a guard, holds at each use what its
 * definition gave it, or is not defined yet: PTX from a compiler is nearly in static single
 * assignment form. One with several definitions, as a pointer that a loop steps, keeps what they
 * agree on: a variable or parameter, without an offset. Arithmetic is that of the instructions,
 * modulo 2^width.
 *
 * An address keeps its variable or parameter through sums in which one side alone has one: PTX ISA,
 * "State Spaces", says nothing of what lies beyond a variable, so that an address derived from one
 * that leaves it is not one that a program can use. A base therefore is where an access lies or
 * should lie, as long as the offset stays unknown. */
#ifndef PTX_ANALYSIS_VALUE_POINTS_TO_H
#define PTX_ANALYSIS_VALUE_POINTS_TO_H

#include "ir/types.h"
#include "support/arena.h"

#include <stdbool.h>

typedef enum BaseKind {
    BASE_UNKNOWN,
    /* offset is the value, of the register's width, sign-extended; has_offset is set */
    BASE_CONST,
    BASE_VAR,                   /* the address of the variable id, plus offset */
    /* what the parameter id of an entry holds, of the width of an address, plus offset */
    BASE_PARAM,
} BaseKind;

typedef struct PointsTo {
    uint8_t kind;               /* BaseKind */
    bool has_offset;            /* false: offset is 0 and something unknown is added */
    /* Space that it is an address of: SPACE_GENERIC behind cvta; SPACE_NONE: not known, as for a
     * parameter's value, or of no space, as for constants */
    uint8_t space;
    uint8_t pointed;            /* Space of what it points to; SPACE_NONE: not known */
    uint32_t id;                /* VarId; 0 where there is none */
    int64_t offset;             /* bytes */
} PointsTo;

typedef struct PointsToSet {
    const PointsTo *regs;           /* per register */
    /* per register: the only instruction that writes it; NO_ID: none, several, one under a guard,
     * the caller, or not all of it */
    const InsnId *def;
    const uint32_t *use_count;  /* per register: operands that read it, and guards */
} PointsToSet;

/* Linear in the function. Owned by arena; scratch, another arena, is left as found. */
const PointsToSet *ptx_points_to_sets_compute(Arena *arena, Arena *scratch, const Module *module,
                                              const Func *func);

/* The same of a .func, whose parameters are followed as those of an entry are: what its callers
 * pass. */
const PointsToSet *ptx_points_to_sets_of_callee_compute(Arena *arena, Arena *scratch,
                                                        const Module *module, const Func *func);

/* Of what an operand that is no address holds. */
PointsTo ptx_points_to_of_operand(const PointsToSet *bases, const Module *module, const Func *func,
                                  const Operand *operand);

/* Of the first address operand of an instruction: of a copy, where it writes. False, and
 * BASE_UNKNOWN: it has none, or nothing is known of it. */
bool ptx_points_to_of_access(const PointsToSet *bases, const Module *module, const Func *func,
                             const Insn *insn, PointsTo *out);

/* Whether the operand is a number, or a register that certainly holds one. */
bool ptx_points_to_constant(const PointsToSet *bases, const Operand *operand, int64_t *value);

#endif
