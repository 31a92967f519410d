/* engine_finding.c -- findings, folded into one of their loop or statement. */
#include "rules/engine_state.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "rules/removal.h"
#include "support/choice.h"
#include "support/diag.h"

#include <math.h>
#include <string.h>

/* Of a register: that of the statement which reads it first. */
static Folded *fold_of_statement(Engine *e, Active *active, const Ask *ask)
{
    const uint32_t count = e->inquiry.func->insn_count;
    const InsnId first = ptx_measure_first_reads(ask->evaluator->q)[ask->at.reg];
    if (!active->folds)
        active->folds = ptx_arena_array(e->work, Folded, count + 1);
    return first < count ? &active->folds[first] : NULL;
}

/* Where a further finding of the rule is folded into; NULL: nowhere. */
static Folded *find_fold(Engine *e, Active *active, const Ask *ask)
{
    if (active->rule->fold == FOLD_NONE || e->is_unfolded || !e->inquiry.func)
        return NULL;
    if (active->rule->fold == FOLD_STATEMENT)
        return fold_of_statement(e, active, ask);
    const Loops *loops = e->inquiry.loops;
    uint32_t outside = loops ? loops->loop_count : 0;
    if (!active->folds)
        active->folds = ptx_arena_array(e->work, Folded, outside + 1);
    LoopId loop = active->rule->fold == FOLD_KERNEL ? NO_LOOP : ask->at.loop;
    while (active->rule->fold == FOLD_NEST && loop != NO_LOOP
           && loops->loops[loop].parent != NO_LOOP)
        loop = loops->loops[loop].parent;
    return &active->folds[loop != NO_LOOP ? loop : outside];
}

static void relate(Engine *e, const Active *active, Ask *ask, Diag *diag)
{
    RelatedPlace places[MAX_PLACES];
    diag->related = NULL;
    if (active->rule->related_at >= FACT__COUNT)
        return;
    unsigned count = ptx_measure_places(ask->evaluator->q, &ask->at, active->rule->related_at,
                                        places);
    const char *text = count ? ptx_engine_fill(e, ask, &active->rule->related) : NULL;
    for (unsigned i = 0; i < count && text; i++)
        ptx_diag_relate(e->diags, diag, places[i].span, "%s%s%s", text,
                        ptx_text_if(places[i].what, ": "), ptx_text_or(places[i].what, ""));
}

/* In the module's arena. */
static DiagRepair keep_repair(Engine *e, const DiagRepair *repair)
{
    DiagInsertion *insertions = ptx_arena_array(e->arena, DiagInsertion, repair->count + 1);
    for (uint32_t i = 0; i < repair->count; i++) {
        const char *text = repair->insertions[i].text;
        insertions[i] = (DiagInsertion){ repair->insertions[i].line,
                                         ptx_arena_strndup(e->arena, text, strlen(text)), NULL };
    }
    return (DiagRepair){ insertions, repair->count };
}

/* The statement goes, or the declaration where it declares nothing else. */
static const DiagFix *fix_of(Engine *e, const Active *active, const Diag *diag)
{
    const Module *module = e->inquiry.shared->module;
    const Removal removal = (Removal)active->rule->removal;
    Span span = diag->span;
    if (removal == REMOVAL_NONE
        || (active->rule->subject != SUBJECT_INSTRUCTION
            && !ptx_removal_find_declaration(module->text, module->length, &span)))
        return NULL;
    DiagFix *fix = ptx_arena_new(e->arena, DiagFix);
    *fix = (DiagFix){ ptx_removal_widen(module->text, module->length, span), "",
                      removal == REMOVAL_SAFE };
    return fix;
}

void ptx_engine_describe(Engine *e, const Active *active, Ask *ask, Severity severity, Diag *diag)
{
    if (ptx_diag_is_dropped(e->diags, diag))
        return;
    RelatedPlace places[MAX_PLACES];
    bool is_elsewhere = active->rule->at < FACT__COUNT
                        && ptx_measure_places(ask->evaluator->q, &ask->at, active->rule->at,
                                              places);
    diag->span = is_elsewhere
                     ? places[0].span
                     : ptx_subject_span(&e->inquiry, (Subject)active->rule->subject, &ask->at);
    diag->severity = severity;
    diag->message = ptx_engine_fill(e, ask, &active->rule->message);
    diag->label = ptx_engine_fill(e, ask, &active->rule->label);
    diag->help = ptx_engine_fill(e, ask, &active->rule->help);
    relate(e, active, ask, diag);
    const DiagRepair *repair = active->rule->at == FACT_INSN_race_at
                                   ? ptx_measure_repair(&e->inquiry, ask->at.insn)
                                   : NULL;
    diag->repair = (DiagRepair){ .count = 0 };
    if (repair)
        diag->repair = keep_repair(e, repair);
    diag->fix = fix_of(e, active, diag);
}

static Severity severity_of_rule(const Active *active, Ask *ask)
{
    bool is_note = active->rule->note_if.count && active->severity == active->rule->info.severity
                   && ptx_eval(ask, active->rule->note_if) == 1;
    return is_note ? SEVERITY_NOTE : active->severity;
}

/* Of the predicted time where there is one. What is a share of the time is not reported without
 * one. */
static double gain_of(Engine *e, const Active *active, Ask *ask, const char **of)
{
    double gain = active->rule->gain.count ? ptx_eval(ask, active->rule->gain) : (double)NAN;
    *of = NULL;
    if (!(gain > 0))
        return (double)NAN;
    const Prediction *time = e->inquiry.func ? ptx_measure_prediction(&e->inquiry) : NULL;
    const bool is_predicted = time && time->certainty != CERTAINTY_UNKNOWN,
               is_time = active->rule->gain_of == GAIN_OF_TIME;
    if (is_time && !is_predicted)
        return (double)NAN;
    *of = is_predicted ? "predicted time" : "issue slots";
    return fmin(is_time || !is_predicted ? gain : ptx_relief_of_slots(time, gain), 100);
}

static double joined(const Active *active, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return active->rule->gain_fold == GAIN_FOLD_SUM ? fmin(100, a + b) : fmax(a, b);
}

/* gain: of the finding alone, which was asked for last. */
static double gain_together(Engine *e, Folded *fold, double gain)
{
    if (isnan(gain))
        return gain;
    if (!fold->relief)
        fold->relief = ptx_arena_new(e->work, Relief);
    ptx_relief_add(fold->relief, &e->inquiry.relief);
    return ptx_relief_percent(ptx_measure_prediction(&e->inquiry), fold->relief);
}

static bool is_worse(const Folded *fold, Severity severity, double gain)
{
    if (severity != fold->severity)
        return severity > fold->severity;
    return gain > fold->best_gain || (isnan(fold->best_gain) && !isnan(gain));
}

/* Where each is, of the first ones: their CUDA lines are named. */
static void note_repeat(const Engine *e, const Ask *ask, Diag *diag)
{
    if (diag->repeats < DIAG_REPEATS_MAX && ask->at.insn != NO_ID)
        diag->repeat_at[diag->repeats] = e->inquiry.func->insns[ask->at.insn].span.begin;
    diag->repeats++;
}

void ptx_engine_add(Engine *e, Active *active, Ask *ask)
{
    /* what comes below is reported, not what the finding rests on */
    Certainty certainty = ask->certainty;
    if (certainty > active->rule->needs)
        return;
    Severity severity = severity_of_rule(active, ask);
    const char *of;
    double gain = gain_of(e, active, ask, &of);
    Folded *fold = find_fold(e, active, ask);
    Diag *diag = fold ? fold->diag : NULL;
    const double all = fold && active->rule->gain_fold == GAIN_FOLD_TOGETHER
                           ? gain_together(e, fold, gain)
                           : gain;
    if (diag) {
        if (active->rule->fold != FOLD_STATEMENT)       /* its message names them */
            note_repeat(e, ask, diag);
        diag->gain_percent = joined(active, diag->gain_percent, all);
        diag->gain_of = diag->gain_of ? diag->gain_of : of;
        if (certainty > diag->certainty)
            diag->certainty = certainty;
        if (!is_worse(fold, severity, gain))
            return;
    } else {
        diag = ptx_diag_of(e->diags, &active->rule->info, severity, (Span){ 0, 0 }, NULL);
        diag->certainty = certainty;
        diag->gain_percent = gain;
        diag->gain_of = of;
    }
    if (!fold) {
        ptx_engine_describe(e, active, ask, severity, diag);
        return;
    }
    if (!fold->diag) {
        fold->next = active->folded;
        active->folded = fold;
    }
    fold->diag = diag;
    fold->best_gain = gain;
    fold->worst = ask->at;
    fold->severity = severity;
}
