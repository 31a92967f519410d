/* insn.h -- an instruction: its form, its guard, where its operands are. */
#ifndef PTX_IR_INSN_H
#define PTX_IR_INSN_H

#include "ir/types.h"
#include "isa/isa.h"
#include "support/span.h"
#include <stdbool.h>

typedef struct Insn {
    const Op *op;               /* opcode with modifiers: form, class, type, space */
    Span span;                  /* guard to semicolon */
    uint32_t operand_first;     /* into Func.operands */
    uint16_t operand_count;
    FormId form;                /* the row that fits the operands too; 0: none */
    RegId guard;                /* NO_ID: none */
    bool guard_negated;
    bool has_nounroll;          /* behind .pragma "nounroll" */
    uint8_t access_bytes;       /* memory instructions: per thread, 0 where unknown */
    /* Space of op; where that is generic, what the address certainly points to, as ptxas infers it:
     * analysis/value/address_space.h */
    uint8_t space;
} Insn;

/* Whether it accesses memory per thread: ld, st, atom, red, cp.async of 4 to 16 bytes, ldmatrix and
 * stmatrix; not bulk copies and waits. */
static inline bool ptx_insn_is_access(const Insn *insn)
{
    const Op *op = insn->op;
    switch ((OpKind)op->kind) {
    case OPK_CP_ASYNC:
        return op->space && insn->access_bytes;
    case OPK_ATOM: case OPK_RED: case OPK_ST: case OPK_STMATRIX: case OPK_LD: case OPK_LDMATRIX:
        return op->space;
    default:
        return op->space && op->flags & (OPF_LOAD | OPF_STORE);
    }
}

#endif
