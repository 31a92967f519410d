/* budget.c -- figures of a module's kernels held against a budget, once all of them and all other
 * findings are there. */
#include "compare/budget.h"

#include "api/module.h"
#include "ir/module.h"
#include "ir/func.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "ptxlint/ptxlint.h"
#include "support/diag.h"

typedef struct BudgetPlace {
    ptxlint_module *module;
    Span span;
} BudgetPlace;

/* What is certain, or a bound, is an error. */
static void report_overrun(void *context, const Overrun *overrun)
{
    static const Certainty certainties[] = { [PTXLINT_EXACT] = CERTAINTY_EXACT,
                                             [PTXLINT_BOUND] = CERTAINTY_BOUND,
                                             [PTXLINT_ESTIMATE] = CERTAINTY_ESTIMATE,
                                             [PTXLINT_NOT_KNOWN] = CERTAINTY_UNKNOWN };
    const BudgetPlace *place = context;
    DiagSink *sink = &place->module->diags;
    Diag *diag = ptx_diag(sink, overrun->is_unknown ? DIAG_BUDGET_UNKNOWN : DIAG_OVER_BUDGET,
                          place->span, "%s", overrun->message);
    diag->certainty = overrun->is_unknown ? CERTAINTY_EXACT : certainties[overrun->certainty];
    diag->help = ptx_diag_text(sink, "%s", overrun->help);
    if (!overrun->is_unknown && overrun->certainty > PTXLINT_BOUND)
        diag->severity = SEVERITY_WARNING;
}

void ptx_check_budget(ptxlint_module *m, Arena *scratch, const ptxlint_budget *budget)
{
    if (!budget)
        return;
    const ArenaMark mark = ptx_arena_mark(scratch);
    uint32_t *findings = ptx_arena_array(scratch, uint32_t, m->ir->func_count + 1);
    for (uint32_t i = 0; i < m->diags.count; i++) {
        const Diag *diag = m->diags.items[i];
        if (diag->func >= 0 && diag->severity >= SEVERITY_WARNING
            && diag->suppression == SUPPRESSION_NONE)
            findings[diag->func]++;
    }
    size_t kernel = 0;
    for (FuncId f = 0; f < m->ir->func_count; f++) {
        if (!m->ir->funcs[f].has_body)
            continue;
        BudgetPlace place = { m, m->ir->funcs[f].name };
        m->diags.func = (int32_t)f;
        ptx_budget_check(budget, &m->kernels[kernel++], findings[f], report_overrun, &place);
    }
    m->diags.func = -1;
    ptx_arena_release(scratch, mark);
}
