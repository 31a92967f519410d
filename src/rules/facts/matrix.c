/* Facts about registers of multiplications in flight, and tensor memory. */
#include "rules/facts/facts.h"
#include "analysis/redundancy/wgmma_registers.h"
#include "analysis/value/points_to.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>

double ptx_measure_matrix_faults(FactCache *q)
{
    const MatrixFaults *faults = ptx_session_matrix_faults(q->session);
    return faults ? faults->count : UNKNOWN;
}

static FactId fact_of_fault(MatrixFaultKind kind)
{
    switch (kind) {
    case MATRIX_NO_FENCE: case MATRIX_STALE_FENCE: return FACT_INSN_is_matrix_unfenced;
    case MATRIX_LOADED:                            return FACT_INSN_is_tensor_load_in_flight;
    default:                                       return FACT_INSN_is_matrix_in_flight;
    }
}

double ptx_measure_matrix(FactCache *q, InsnId insn, FactId fact, Certainty *certainty)
{
    const MatrixFault *fault = ptx_matrix_fault_at(ptx_session_matrix_faults(q->session), insn);
    *certainty = fault && !fault->is_on_all_paths ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
    return fault && fact == fact_of_fault((MatrixFaultKind)fault->kind);
}

static const char *describe_matrix(FactCache *q, const MatrixFault *fault)
{
    static const char *const what[] = {
        [MATRIX_READ] = "`%.*s` is read while a wgmma.mma_async may still write it: %s",
        [MATRIX_WRITTEN] = "`%.*s` is written while a wgmma.mma_async still uses it: %s",
        [MATRIX_STALE_FENCE] = "`%.*s` was written after the last wgmma.fence",
        [MATRIX_LOADED] = "`%.*s` is read while a tcgen05.ld may still write it: no "
                          "tcgen05.wait::ld between",
    };
    char text[200];
    if (fault->kind == MATRIX_NO_FENCE)
        return "no wgmma.fence before this wgmma.mma_async";
    Span name = ptx_reg_name(&q->func->regs[fault->reg]);
    int length = (int)(ptx_span_length(name) < 64 ? ptx_span_length(name) : 64);
    int count = snprintf(text, sizeof text, what[fault->kind], length,
                         q->shared->module->text + name.begin,
                         fault->is_committed ? "no wgmma.wait_group has waited for its group"
                                             : "no wgmma.commit_group has put it into a group");
    return ptx_arena_strndup(q->arena, text, count > 0 ? (size_t)count : 0);
}

static const char *advise_matrix(FactCache *q, const MatrixFault *fault)
{
    char text[120];
    if (fault->kind == MATRIX_NO_FENCE)
        return "wgmma.fence.sync.aligned, behind whatever writes the registers";
    if (fault->kind == MATRIX_LOADED)
        return "tcgen05.wait::ld.sync.aligned before this";
    if (fault->kind == MATRIX_STALE_FENCE)
        return "wgmma.fence.sync.aligned behind it";
    int count = snprintf(text, sizeof text, "%swgmma.wait_group.sync.aligned %u before this",
                         fault->is_committed
                             ? ""
                             : "wgmma.commit_group.sync.aligned behind the multiplication, and ",
                         fault->newer);
    return ptx_arena_strndup(q->arena, text, count > 0 ? (size_t)count : 0);
}

const char *ptx_measure_matrix_text(FactCache *q, InsnId insn, FactId fact)
{
    const MatrixFault *fault = ptx_matrix_fault_at(ptx_session_matrix_faults(q->session), insn);
    if (!fault)
        return "";
    return fact == FACT_INSN_matrix_fault ? describe_matrix(q, fault) : advise_matrix(q, fault);
}

InsnId ptx_measure_matrix_with(FactCache *q, InsnId insn)
{
    const MatrixFault *fault = ptx_matrix_fault_at(ptx_session_matrix_faults(q->session), insn);
    return fault ? fault->with : NO_ID;
}

/* Of tcgen05.alloc and tcgen05.dealloc: the constant number of columns. */
double ptx_measure_tensor_columns(FactCache *q, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(q->func, insn);
    const bool is_of_columns = insn->op->operation == OP_TCGEN05_ALLOC
                               || insn->op->operation == OP_TCGEN05_DEALLOC;
    int64_t columns;
    for (unsigned o = 0; is_of_columns && o < insn->operand_count; o++)
        if (operands[o].position == 1)
            return ptx_points_to_constant(ptx_session_points_to(q->session), &operands[o], &columns)
                       ? (double)columns
                       : UNKNOWN;
    return UNKNOWN;
}

double ptx_measure_kernel_columns(FactCache *q)
{
    const Insn *only = NULL;
    for (InsnId i = 0; i < q->func->insn_count; i++) {
        const Insn *insn = &q->func->insns[i];
        if (insn->op->operation != OP_TCGEN05_ALLOC)
            continue;
        if (only)
            return UNKNOWN;
        only = insn;
    }
    return only ? ptx_measure_tensor_columns(q, only) : UNKNOWN;
}
