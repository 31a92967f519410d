/* Facts that are places, and where a subject stands in the text. */
#include "rules/facts/facts.h"

#include "support/words.h"
#include "analysis/redundancy/redundant_loads.h"
#include "analysis/value/must_diverge.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"
#include "isa/isa.h"
#include "session/session.h"

#include <string.h>

/* ---- related places -------------------------------------------------------------------------- */

static InsnId find_place(FactCache *q, const Subjects *s, uint32_t fact)
{
    BlockId by;
    switch (fact) {
    case FACT_INSN_fused_with:      return ptx_session_fused(q->session)[s->insn];
    case FACT_INSN_earlier_barrier:
        return ptx_session_redundant_loads(q->session)->barrier[s->insn];
    case FACT_ACCESS_earlier:
        return ptx_session_redundant_loads(q->session)->earlier[s->insn];
    case FACT_INSN_matrix_with:     return ptx_measure_matrix_with(q, s->insn);
    case FACT_INSN_split_at:
        by = ptx_session_must_diverge(q->session)->by[s->block];
        return by == NO_ID ? NO_ID : q->cfg->blocks[by].end - 1;
    default:                        return NO_ID;
    }
}

/* Those that make lanes differ. */
static unsigned find_place_chain(FactCache *q, InsnId insn, RelatedPlace places[MAX_PLACES])
{
    Link links[MAX_CHAIN];
    unsigned found = ptx_critical_path_find(ptx_session_uniforms(q->session), q->func, insn, links),
             count = 0;
    for (unsigned i = 0; i < found && count < MAX_PLACES; i++)
        if (!ptx_affine_is_uniform(links[i].value))
            places[count++] = (RelatedPlace){ q->func->insns[links[i].insn].span,
                                              ptx_affine_describe(q->arena, &links[i].value) };
    return count;
}

unsigned ptx_measure_places(FactCache *q, const Subjects *s, uint32_t fact,
                            RelatedPlace places[MAX_PLACES])
{
    if (fact == FACT_ACCESS_chain || fact == FACT_BRANCH_chain)
        return find_place_chain(q, s->insn, places);
    if (fact == FACT_INSN_race_with || fact == FACT_INSN_race_at
        || fact == FACT_INSN_block_race_with || fact == FACT_INSN_block_race_at
        || fact == FACT_INSN_divergent_at || fact == FACT_INSN_stray_at)
        return ptx_measure_race_places(q, s->insn, (FactId)fact, places);
    InsnId insn = find_place(q, s, fact);
    if (insn != NO_ID)
        places[0] = (RelatedPlace){ q->func->insns[insn].span, NULL };
    return insn != NO_ID;
}

/* ---- subjects -------------------------------------------------------------------------------- */

/* Where an instruction says a name, from `from` on; all of the instruction where it does not. */
static Span find_place_name(const Module *module, Span within, uint32_t from, Span name)
{
    const char *text = module->text, *wanted = text + name.begin;
    uint32_t length = ptx_span_length(name);
    for (uint32_t at = from; at + length <= within.end; at++) {
        if (text[at] == *wanted && !memcmp(text + at, wanted, length)
            && !ptx_is_name_byte(text[at + length])
            && (at == within.begin || !ptx_is_name_byte(text[at - 1])))
            return (Span){ at, at + length };
    }
    return within;
}

/* From the last name found in the same instruction first: a call may have tens of thousands. */
static Span register_span(FactCache *q, RegId reg)
{
    const Span name = ptx_reg_name(&q->func->regs[reg]);
    InsnId first = ptx_measure_first_reads(q)[reg];
    if (first == NO_ID)
        return name;
    const Span within = q->func->insns[first].span;
    uint32_t from = q->name_end > within.begin && q->name_end < within.end ? q->name_end
                                                                           : within.begin;
    Span found = find_place_name(q->shared->module, within, from, name);
    if (found.begin < from)
        found = find_place_name(q->shared->module, within, within.begin, name);
    q->name_end = found.end;
    return found;
}

Span ptx_subject_span(FactCache *q, Subject subject, const Subjects *s)
{
    const Module *module = q->shared->module;
    const Cfg *cfg = q->func ? q->cfg : NULL;
    switch (subject) {
    case SUBJECT_MODULE:        return module->target_span;
    case SUBJECT_VARIABLE: case SUBJECT_PARAMETER:
        return module->vars[s->var].name;
    case SUBJECT_KERNEL:        return q->func->name;
    case SUBJECT_REGISTER:      return register_span(q, s->reg);
    case SUBJECT_BLOCK:         return q->func->insns[cfg->blocks[s->block].first].span;
    case SUBJECT_LOOP:
        return q->func->insns[cfg->blocks[q->loops->loops[s->loop].header].first].span;
    case SUBJECT_BRANCH: case SUBJECT_INSTRUCTION: case SUBJECT_ACCESS:
        return q->func->insns[s->insn].span;
    default:                    return (Span){ 0, 0 };
    }
}
