/* Facts that are text. */
#include "rules/facts/facts.h"
#include "analysis/access/advise/advise.h"
#include "analysis/race/block_race.h"
#include "analysis/race/hazard.h"
#include "analysis/value/affine.h"
#include "analysis/value/points_to.h"
#include "gpu/occupancy.h"
#include "ir/func.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "session/residency.h"
#include "session/session.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"

#include <stdio.h>
#include <string.h>

static const char *span_text(const FactCache *q, Span span, size_t *length)
{
    *length = ptx_span_length(span);
    return q->shared->module->text + span.begin;
}

static const char *fixed_text(const char *text, size_t *length)
{
    *length = text ? strlen(text) : 0;
    return text ? text : "";
}

static const char *target_text(FactCache *q, size_t *length)
{
    Target target = q->shared->module->target;
    char text[16];
    int count = snprintf(text, sizeof text, "sm_%u%.1s", (unsigned)target.sm,
                         target.suffix ? &target.suffix : "");
    *length = (size_t)count;
    return ptx_arena_strndup(q->arena, text, (size_t)count);
}

static const LabelId *labels_of(FactCache *q)
{
    const Func *func = q->func;
    if (q->label_before)
        return q->label_before;
    LabelId *before = ptx_arena_array(q->arena, LabelId, func->insn_count + 1);
    for (LabelId l = func->label_count; l-- > 0;)
        if (func->labels[l].insn <= func->insn_count)
            before[func->labels[l].insn] = l + 1;
    return q->label_before = before;
}

static const char *label_text(FactCache *q, LoopId loop, size_t *length)
{
    InsnId first = loop == NO_LOOP ? q->func->insn_count
                                   : q->cfg->blocks[q->loops->loops[loop].header].first;
    LabelId label = loop == NO_LOOP ? 0 : labels_of(q)[first];
    return label ? span_text(q, q->func->labels[label - 1].name, length) : fixed_text("", length);
}

/* Why an access goes to local memory: what of its address the compiler could not resolve. */
static const char *local_cause(FactCache *q, const Subjects *s)
{
    PointsTo base;
    if (!ptx_measure_base(q, s, &base) || base.kind != BASE_VAR)
        return "its address is not that of one variable";
    if (!base.has_offset)
        return "it is indexed by a value that is known at run time only";
    return "others of the array have an index, its address is taken, or elements have 1 or 8 bytes";
}

/* Of an assumed block nothing is said. */
static const char *launch_error(FactCache *q)
{
    bool is_known = q->shared->gpu && !ptx_session_shape(q->session)->is_block_assumed;
    return is_known ? ptx_launch_error_text[ptx_session_residency(q->session, 0)->occupancy.error]
                    : NULL;
}

/* PTX ISA 9.4, "Release Notes". */
static const char *toolkit_of(const Module *module)
{
    switch (module->version) {
    case 91: return "CUDA 13.1 (driver r590)";
    case 92: return "CUDA 13.2 (driver r595)";
    case 93: return "CUDA 13.3 (driver r610)";
    case 94: return "CUDA 13.4 (driver r615)";
    default: return NULL;
    }
}

const char *ptx_measure_text(FactCache *q, const Subjects *s, uint32_t fact, size_t *length)
{
    const Module *module = q->shared->module;
    PointsTo base;
    switch (fact) {
    case FACT_MODULE_target_name:   return target_text(q, length);
    case FACT_MODULE_toolkit:       return fixed_text(toolkit_of(module), length);
    case FACT_KERNEL_name:          return span_text(q, q->func->name, length);
    case FACT_KERNEL_launch_error:  return fixed_text(launch_error(q), length);
    case FACT_KERNEL_outside_call:  return span_text(q, ptx_measure_outside_call(q), length);
    case FACT_KERNEL_launch_fault:  return fixed_text(ptx_measure_launch_fault(q), length);
    case FACT_KERNEL_atomic_advice: return fixed_text(ptx_measure_atomic_advice(q), length);
    case FACT_KERNEL_time_advice:   return fixed_text(ptx_measure_time_advice(q), length);
    case FACT_KERNEL_min_blocks_fault: return fixed_text(ptx_measure_min_blocks_fault(q), length);
    case FACT_VARIABLE_name: case FACT_PARAMETER_name:
        return span_text(q, module->vars[s->var].name, length);
    case FACT_REGISTER_peers:       return fixed_text(ptx_measure_peers(q, s->reg), length);
    case FACT_REGISTER_name:
        return span_text(q, ptx_reg_name(&q->func->regs[s->reg]), length);
    case FACT_LOOP_label:           return label_text(q, s->loop, length);
    case FACT_INSN_op:
        *length = q->func->insns[s->insn].op->length;
        return q->func->insns[s->insn].op->text;
    case FACT_ACCESS_variable: case FACT_ACCESS_parameter:
        if (ptx_measure_base(q, s, &base)
            && base.kind == (fact == FACT_ACCESS_variable ? BASE_VAR : BASE_PARAM))
            return span_text(q, module->vars[base.id].name, length);
        return fixed_text("", length);
    case FACT_INSN_race_witness:
        return fixed_text(ptx_measure_hazard(q, s->insn) ? ptx_hazard_describe(
                              q->arena, module, q->func, ptx_measure_hazard(q, s->insn))
                                                         : "",
                          length);
    case FACT_INSN_barrier_witness:
        return fixed_text(ptx_measure_barrier_text(q, s->insn), length);
    case FACT_INSN_stray_witness:
        return fixed_text(ptx_measure_lone_text(q, s->insn), length);
    case FACT_INSN_block_race_witness:
        return fixed_text(ptx_session_block_race(q->session) ? ptx_block_race_describe(
                              q->arena, module, ptx_session_block_race(q->session))
                                                             : "",
                          length);
    case FACT_INSN_race_advice:
        return fixed_text(ptx_measure_hazard(q, s->insn)
                              ? ptx_hazard_advise(q->arena, module, q->func,
                                                  ptx_measure_hazard(q, s->insn))
                              : "",
                          length);
    case FACT_INSN_matrix_fault: case FACT_INSN_matrix_advice:
        return fixed_text(ptx_measure_matrix_text(q, s->insn, fact), length);
    case FACT_ACCESS_local_cause:   return fixed_text(local_cause(q, s), length);
    case FACT_ACCESS_layout:
    case FACT_ACCESS_advice:
    case FACT_ACCESS_bank_advice:
    case FACT_ACCESS_vector_advice:
    case FACT_ACCESS_pitch_name:
        return fixed_text(ptx_measure_layout(q, s, fact), length);
    default:                        return fixed_text("", length);
    }
}
