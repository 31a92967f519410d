#include "analysis/time/memory/store_order.h"

#include "ir/func.h"
#include "isa/isa.h"

enum { ORDER_GLOBAL = 1, ORDER_SHARED = 2, ORDER_LOCAL = 4 };

static unsigned orders_of_global(const Op *op)
{
    bool is_load = op->kind == OPK_LD;
    if (op->space == SPACE_CONST || ptx_space_is_param(op->space)
        || (is_load && ptx_op_has(op, MOD_NC)) || op->operation == OP_LDU)
        return 0;
    if (op->space == SPACE_LOCAL)
        return ORDER_LOCAL;
    return op->space == SPACE_GENERIC ? ORDER_GLOBAL | ORDER_LOCAL : ORDER_GLOBAL;
}

unsigned ptx_store_orders(const Func *func, const LoweredInsn *insn)
{
    switch ((MachineOp)insn->machine) {
    case MACHINE_SHARED:
    case MACHINE_ATOMIC_SHARED:
    case MACHINE_MATRIX:
        return ORDER_SHARED;
    case MACHINE_GLOBAL:
    case MACHINE_ATOMIC:
        return insn->origin == NO_ID ? ORDER_GLOBAL
                                     : orders_of_global(func->insns[insn->origin].op);
    default:
        return 0;
    }
}

bool ptx_is_ordering_store(const LoweredInsn *insn)
{
    return !insn->def_count || insn->machine == MACHINE_ATOMIC
           || insn->machine == MACHINE_ATOMIC_SHARED;
}
