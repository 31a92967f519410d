#include "ir/access.h"

/* wmma.load and wmma.store: a thread's share of the matrix is what its registers hold. */
static uint8_t fragment_bytes(const Insn *insn, const Operand *operands, const Reg *regs)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == OPERAND_REG && (operands[i].flags & OPERAND_ELEMENT))
            bytes += 4 * ptx_reg_units(&regs[operands[i].id]);
    }
    return (uint8_t)(bytes > UINT8_MAX ? 0 : bytes);
}

uint8_t ptx_access_bytes(const Insn *insn, const Operand *operands, const Reg *regs)
{
    const Op *op = insn->op;
    if (op->kind == OPK_CP_ASYNC) {
        for (uint32_t i = 0; i < insn->operand_count; i++) {
            if (operands[i].position == 2 && operands[i].kind == OPERAND_INT && operands[i].value > 0 && operands[i].value <= 16)
                return (uint8_t)operands[i].value;
        }
        return 0;
    }
    if (op->kind == OPK_LDMATRIX || op->kind == OPK_STMATRIX)
        return 16;              /* a row of 8 b16 elements for each lane that gives an address */
    if (!op->space || !op->type)
        return 0;
    if (op->flags & OPF_WARP && op->kind == OPK_OTHER)
        return fragment_bytes(insn, operands, regs);
    return (uint8_t)((ptx_type_info[op->type].bits + 7) / 8 * op->vector);
}
