#include "analysis/time/in_flight.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"

#include <math.h>

static int64_t immediate(const Func *func, const Insn *insn, unsigned at)
{
    const Operand *operand = &ptx_insn_operands(func, insn)[at];
    return at < insn->operand_count && operand->kind == OPERAND_INT ? ptx_operand_value(operand)
                                                                    : 0;
}

static InFlightInsn announcement(const Func *func, const Insn *insn)
{
    InFlightInsn out = { .step = IN_FLIGHT_ANNOUNCE, .queue = IN_FLIGHT_BULK };
    if (insn->operand_count)
        out.bytes = (double)immediate(func, insn, insn->operand_count - 1u);
    return out;
}

InFlightInsn ptx_in_flight_insn(const Func *func, const Insn *insn)
{
    const uint32_t left = (uint32_t)immediate(func, insn, 0);
    if (insn->op->kind == OPK_CP_ASYNC)
        return (InFlightInsn){ IN_FLIGHT_COPY, IN_FLIGHT_COPIES, 0, 0 };
    switch ((Operation)insn->op->operation) {
    case OP_CP_ASYNC_COMMIT_GROUP:
        return (InFlightInsn){ IN_FLIGHT_CLOSE, IN_FLIGHT_COPIES, 0, 0 };
    case OP_CP_ASYNC_WAIT_GROUP:
        return (InFlightInsn){ IN_FLIGHT_WAIT, IN_FLIGHT_COPIES, left, 0 };
    case OP_CP_ASYNC_WAIT_ALL:
        return (InFlightInsn){ IN_FLIGHT_WAIT_ALL, IN_FLIGHT_COPIES, 0, 0 };
    case OP_WGMMA_MMA_ASYNC:
        return (InFlightInsn){ IN_FLIGHT_MULTIPLY, IN_FLIGHT_MATRIX, 0, 0 };
    case OP_WGMMA_COMMIT_GROUP:
        return (InFlightInsn){ IN_FLIGHT_CLOSE, IN_FLIGHT_MATRIX, 0, 0 };
    case OP_WGMMA_WAIT_GROUP:
        return (InFlightInsn){ IN_FLIGHT_WAIT, IN_FLIGHT_MATRIX, left, 0 };
    case OP_MBARRIER_TEST_WAIT: case OP_MBARRIER_TRY_WAIT:
        return (InFlightInsn){ IN_FLIGHT_WAIT_NEXT, IN_FLIGHT_BULK, 0, 0 };
    case OP_MBARRIER_EXPECT_TX:
        return announcement(func, insn);
    case OP_MBARRIER_ARRIVE:
        if (ptx_op_has(insn->op, MOD_EXPECT_TX))
            return announcement(func, insn);
        return (InFlightInsn){ 0 };
    default:
        return (InFlightInsn){ 0 };
    }
}

bool ptx_in_flight_is_wait(InFlightStep step)
{
    return step >= IN_FLIGHT_WAIT;
}

bool ptx_in_flight_is_begin(InFlightStep step)
{
    return step == IN_FLIGHT_COPY || step == IN_FLIGHT_MULTIPLY || step == IN_FLIGHT_ANNOUNCE;
}

void ptx_in_flight_begin(InFlight *flight, InFlightQueue queue, double done)
{
    flight->queues[queue].open = fmax(flight->queues[queue].open, done);
}

void ptx_in_flight_close(InFlight *flight, InFlightQueue queue)
{
    uint32_t group = flight->queues[queue].closed++;
    flight->queues[queue].done[group % MAX_IN_FLIGHT] = flight->queues[queue].open;
    flight->queues[queue].open = 0;
}

double ptx_in_flight_wait(InFlight *flight, const InFlightInsn *wait)
{
    if (wait->step == IN_FLIGHT_WAIT_ALL)
        ptx_in_flight_close(flight, wait->queue);
    uint32_t closed = flight->queues[wait->queue].closed,
             *waited = &flight->queues[wait->queue].waited,
             until = closed > wait->left ? closed - wait->left : 0;
    double over = 0;
    if (wait->step == IN_FLIGHT_WAIT_NEXT)
        until = *waited < closed ? *waited + 1 : closed;
    if (closed - *waited > MAX_IN_FLIGHT)
        *waited = closed - MAX_IN_FLIGHT;
    for (; *waited < until; ++*waited)
        over = fmax(over, flight->queues[wait->queue].done[*waited % MAX_IN_FLIGHT]);
    return over;
}
