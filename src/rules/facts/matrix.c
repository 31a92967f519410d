/* Facts about registers of multiplications in flight. */
#include "rules/facts/facts.h"
#include "analysis/redundancy/wgmma_registers.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>

double ptx_measure_matrix_faults(FactCache *q)
{
    const MatrixFaults *faults = ptx_session_matrix_faults(q->session);
    return faults ? faults->count : UNKNOWN;
}

double ptx_measure_matrix(FactCache *q, InsnId insn, FactId fact, Certainty *certainty)
{
    const MatrixFault *fault = ptx_matrix_fault_at(ptx_session_matrix_faults(q->session), insn);
    bool is_of_fence = fault
                       && (fault->kind == MATRIX_NO_FENCE || fault->kind == MATRIX_STALE_FENCE);
    *certainty = fault && !fault->is_on_all_paths ? CERTAINTY_ESTIMATE : CERTAINTY_EXACT;
    return fault && is_of_fence == (fact == FACT_INSN_is_matrix_unfenced);
}

static const char *describe_matrix(FactCache *q, const MatrixFault *fault)
{
    static const char *const what[] = {
        [MATRIX_READ] = "`%.*s` is read while a wgmma.mma_async may still write it: %s",
        [MATRIX_WRITTEN] = "`%.*s` is written while a wgmma.mma_async still uses it: %s",
        [MATRIX_STALE_FENCE] = "`%.*s` was written after the last wgmma.fence",
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
