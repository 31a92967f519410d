/* Conditions are cut by what they ask for (rule.h). What an opcode text decides is decided once for
 * each text of the module, so that most instructions meet no rule at all; what a kernel decides,
 * once for the kernel; the rest for each subject that is left. */
#include "rules/engine.h"

#include "rules/eval.h"
#include "rules/removal.h"
#include "support/choice.h"
#include "support/demangle.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "rules/facts/measure.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "isa/isa.h"
#include "session/session.h"
#include "support/diag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdint.h>

enum { TEXT_BYTES = 1024, SHOWN_BYTES = 120 };

/* A finding that further ones are folded into. What it says is found once the function is done: of
 * the worst alone. */
typedef struct Folded {
    Diag *diag;
    double best_gain;           /* of those in it */
    Subjects worst;
    Severity severity;          /* of that */
    struct Folded *next;
} Folded;

/* Whether the part of a rule's condition that asks for the function in hand alone is true. */
typedef enum KernelState { KERNEL_NOT_ASKED, KERNEL_HOLDS, KERNEL_FAILS } KernelState;

/* A rule that is wanted, and what is known of it by now. */
typedef struct Active {
    const Rule *rule;
    uint32_t set, number;       /* of it: rule number */
    Severity severity;
    const double *thresholds;
    Certainty module_certainty, kernel_certainty;
    Folded *folded;             /* those that there are */
    /* the fact that its condition begins with, which must be true (or with is_lead_false false) for
     * the rest to matter; FACT__COUNT: none */
    uint16_t lead;
    bool is_lead_false;
    /* per loop, and one more for outside, or per statement; NULL: none yet */
    Folded *folds;
} Active;

/* A rule that an opcode text leaves, and what is left of its condition. */
typedef struct OpRule {
    uint16_t active;
    Subject subject;
    const Code *codes;          /* count 0: always true */
    uint32_t count;
} OpRule;

typedef struct OpRules {
    bool is_done;
    const OpRule *rules;        /* count of them */
    uint32_t count;
} OpRules;

struct Engine {
    Arena *arena, *work;
    DiagSink *diags;
    ModuleFacts shared;
    FactCache inquiry;            /* of the function in hand */
    Evaluator evaluators[RULE_SETS];
    uint32_t set_count;
    Active *actives;
    uint32_t active_count;
    uint8_t *kernel_states;     /* KernelState, per active: instructions ask for it alone */
    uint32_t subject_first[SUBJECT__COUNT + 1]; /* into actives, which are in order of subject */
    OpRules *op_rules;          /* per Op.id */
    OpRule *left;               /* while the rules of one are found: per rule ... */
    Code *codes;                /* ... and what is left of its condition */
    const RuleTimes *times;
    bool is_unfolded;
};

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct EngineBuffer {
    char bytes[TEXT_BYTES];
    size_t length;
} EngineBuffer;

static void put_template_bytes(EngineBuffer *b, const char *text, size_t length)
{
    size_t room = sizeof b->bytes - b->length;
    if (length > room)
        length = room;
    memcpy(b->bytes + b->length, text, length);
    b->length += length;
}

static void put_shown(EngineBuffer *b, const char *text, size_t length)
{
    put_template_bytes(b, text, length > SHOWN_BYTES ? SHOWN_BYTES : length);
    if (length > SHOWN_BYTES)
        put_template_bytes(b, "...", 3);
}

/* Up to three digits behind the point; not by printf, whose point is the locale's. */
static void put_template_number(EngineBuffer *b, double value)
{
    char text[64];
    double size = fabs(value);
    int count;
    if (size >= 1e15) {
        count = snprintf(text, sizeof text, "%.0f", value);
    } else {
        int64_t thousandths = (int64_t)llround(size * 1000);
        int rest = (int)(thousandths % 1000);
        count = snprintf(text, sizeof text, "%s%lld", value < 0 && thousandths ? "-" : "",
                         (long long)(thousandths / 1000));
        if (rest)
            count += snprintf(text + count, sizeof text - (size_t)count, ".%03d", rest);
        while (rest && text[count - 1] == '0')
            count--;
    }
    put_template_bytes(b, text, (size_t)count);
}

/* the word of a value, or NULL for a number */
static const char *value_word(const Hole *hole, double value)
{
    if (isnan(value))
        return "unknown";
    if (hole->type == FACT_TRUTH)
        return value != 0 ? "true" : "false";
    if (hole->type == FACT_WORD)
        return ptx_domain_word((Domain)hole->domain, (uint32_t)value);
    return NULL;
}

static void put_value(EngineBuffer *b, const Hole *hole, double value)
{
    const char *text = value_word(hole, value);
    if (text)
        put_template_bytes(b, text, strlen(text));
    else
        put_template_number(b, value);
}

/* No name of the file's, which may be as long as it likes. Names in it are cut already. */
static bool is_sentence(uint32_t fact)
{
    switch (fact) {
    case FACT_MODULE_target_name: case FACT_KERNEL_name: case FACT_VARIABLE_name:
    case FACT_PARAMETER_name: case FACT_REGISTER_name: case FACT_LOOP_label: case FACT_INSN_op:
    case FACT_ACCESS_variable: case FACT_ACCESS_parameter: case FACT_ACCESS_pitch_name:
        return false;
    default:
        return true;
    }
}

static bool is_source_name(uint32_t fact)
{
    return fact == FACT_KERNEL_name || fact == FACT_VARIABLE_name || fact == FACT_PARAMETER_name
           || fact == FACT_ACCESS_variable || fact == FACT_ACCESS_parameter;
}

/* The parameter of the function in hand whose name is that text of the module; NULL. */
static const Var *find_parameter(const FactCache *q, const char *text)
{
    const Module *module = q->shared->module;
    for (uint32_t i = 0; q->func && i < q->func->param_count; i++)
        if (q->func->params[i] != NO_ID
            && module->text + module->vars[q->func->params[i]].name.begin == text)
            return &module->vars[q->func->params[i]];
    return NULL;
}

/* As the source has it, where the name is mangled; a parameter with its position too, or one that
 * has only a number with its type. */
static void put_source_name(EngineBuffer *b, const FactCache *q, const char *text, size_t length)
{
    char title[512];
    size_t shown = ptx_source_title(text, length, title, sizeof title);
    const Var *parameter = shown < length ? find_parameter(q, text) : NULL;
    if (parameter && parameter->source_name) {
        put_template_bytes(b, parameter->source_name, strlen(parameter->source_name));
        put_template_bytes(b, " (", 2);
        put_shown(b, title, strlen(title));
        put_template_bytes(b, ")", 1);
        return;
    }
    put_shown(b, title, strlen(title));
    if (!parameter || strncmp(title, "param_", 6) != 0)
        return;
    const char *type = ptx_type_info[parameter->type].text;
    if (!type)                          /* a declaration that is wrong */
        return;
    put_template_bytes(b, " (.", 3);
    put_template_bytes(b, type, strlen(type));
    put_template_bytes(b, ")", 1);
}

static void put_text_fact(EngineBuffer *b, const FactCache *q, uint32_t fact, const char *text,
                          size_t length)
{
    if (is_sentence(fact)) {
        put_template_bytes(b, text, length);
    } else if (is_source_name(fact)) {
        put_source_name(b, q, text, length);
    } else {
        put_shown(b, text, length);
    }
}

/* What is counted, behind a number. */
static const struct { const char *several, *one; } counted[] = {
    { " threads", " thread" },           { " blocks", " block" },
    { " warps", " warp" },               { " lanes", " lane" },
    { " bytes", " byte" },               { " registers", " register" },
    { " sectors", " sector" },           { " wavefronts", " wavefront" },
    { " instructions", " instruction" }, { " iterations", " iteration" },
    { " cycles", " cycle" },             { " addresses", " address" },
    { " accesses", " access" },          { " barriers", " barrier" },
};

/* Text behind "1": the word that begins it stands for one. */
static const char *put_singular(EngineBuffer *b, const char *text)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        const size_t length = strlen(counted[i].several);
        const char next = strncmp(text, counted[i].several, length) ? 'a' : text[length];
        if ((next >= 'a' && next <= 'z') || next == '-')
            continue;
        put_template_bytes(b, counted[i].one, strlen(counted[i].one));
        return text + length;
    }
    return text;
}

/* Not of a shape, "256 x 1". */
static bool ends_in_one(const EngineBuffer *b)
{
    const size_t n = b->length;
    bool is_one = n && b->bytes[n - 1] == '1' && (n == 1 || b->bytes[n - 2] == ' ');
    return is_one && !(n > 3 && b->bytes[n - 3] == 'x' && b->bytes[n - 4] == ' ');
}

/* The template filled in, of the module's arena; NULL for none. */
static const char *fill_template(Engine *e, Ask *ask, const Template *template)
{
    EngineBuffer b = { .length = 0 };
    bool is_one = false;
    if (!template->count)
        return NULL;
    for (uint32_t h = 0; h < template->count; h++) {
        const Hole *hole = &ask->evaluator->set->holes[template->first + h];
        const char *text_before = is_one ? put_singular(&b, hole->text) : hole->text;
        is_one = false;
        put_template_bytes(&b, text_before, strlen(text_before));
        if (hole->type == FACT_TEXT && hole->fact < FACT__COUNT) {
            size_t length;
            const char *text = ptx_measure_text(ask->evaluator->q, &ask->at, hole->fact, &length);
            put_text_fact(&b, ask->evaluator->q, hole->fact, text, length);
        } else if (hole->program.count) {
            put_value(&b, hole, ptx_eval(ask, hole->program));
            is_one = ends_in_one(&b);
        }
    }
    return ptx_arena_strndup(e->arena, b.bytes, b.length);
}

/* ---- findings -------------------------------------------------------------------------------- */

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
    const char *text = count ? fill_template(e, ask, &active->rule->related) : NULL;
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

/* All that a finding says of the place in hand. */
static void describe_fact(Engine *e, const Active *active, Ask *ask, Severity severity, Diag *diag)
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
    diag->message = fill_template(e, ask, &active->rule->message);
    diag->label = fill_template(e, ask, &active->rule->label);
    diag->help = fill_template(e, ask, &active->rule->help);
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

/* Of the predicted time where there is one: issue slots that are freed are a share of the time that
 * slots are busy. What is a share of the time is not reported without one. */
static double gain_of(Engine *e, const Active *active, Ask *ask, const char **of)
{
    Certainty certainty = CERTAINTY_NONE;
    double gain = active->rule->gain.count ? ptx_eval(ask, active->rule->gain) : (double)NAN;
    *of = NULL;
    if (!(gain > 0))
        return (double)NAN;
    double use = e->inquiry.func
                     ? ptx_measure(&e->inquiry, &ask->at, FACT_KERNEL_issue_use, &certainty)
                     : (double)NAN;
    bool is_time = active->rule->gain_of == GAIN_OF_TIME;
    if (is_time && isnan(use))
        return (double)NAN;
    *of = isnan(use) ? "issue slots" : "predicted time";
    return fmin(is_time || isnan(use) ? gain : gain * fmin(use, 100) / 100, 100);
}

static double joined(const Active *active, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return active->rule->takes_most ? fmax(a, b) : fmin(100, a + b);
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

static void add_rule_finding(Engine *e, Active *active, Ask *ask)
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
    if (diag) {
        if (active->rule->fold != FOLD_STATEMENT)       /* its message names them */
            note_repeat(e, ask, diag);
        diag->gain_percent = joined(active, diag->gain_percent, gain);
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
        describe_fact(e, active, ask, severity, diag);
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

/* ---- conditions ------------------------------------------------------------------------------ */

static const Subjects nowhere = { NO_ID, NO_ID, NO_LOOP, NO_ID, NO_ID };

static Ask ask_of(Engine *e, const Active *active, Subjects at)
{
    return (Ask){ &e->evaluators[active->set], active->thresholds, at, CERTAINTY_EXACT };
}

static void describe_folded(Engine *e, const Active *active)
{
    for (const Folded *fold = active->folded; fold; fold = fold->next) {
        Ask ask = ask_of(e, active, fold->worst);
        describe_fact(e, active, &ask, fold->severity, fold->diag);
    }
}

static bool is_true(Ask *ask, Program program)
{
    return !program.count || ptx_eval(ask, program) == 1;
}

static bool holds_for_kernel(Engine *e, Active *active)
{
    uint8_t *state = &e->kernel_states[active - e->actives];
    if (*state == KERNEL_NOT_ASKED) {
        Ask ask = ask_of(e, active, nowhere);
        *state = is_true(&ask, active->rule->when[LEVEL_KERNEL]) ? KERNEL_HOLDS : KERNEL_FAILS;
        active->kernel_certainty = ask.certainty;
    }
    return *state == KERNEL_HOLDS;
}

/* count 0: true. */
static void judge_subjects(Engine *e, Active *active, const Code *codes, uint32_t count,
                           Subjects at)
{
    Ask ask = ask_of(e, active, at);
    ask.certainty = active->module_certainty > active->kernel_certainty ? active->module_certainty
                                                                        : active->kernel_certainty;
    if (!count || ptx_eval_codes(&ask, codes, count) == 1)
        add_rule_finding(e, active, &ask);
}

/* The same with the clock read. */
static void judge_timed(Engine *e, Active *active, const Code *codes, uint32_t count, Subjects at)
{
    const RuleTimes *times = e->times;
    double begin = times ? times->now() : 0;
    if (holds_for_kernel(e, active))
        judge_subjects(e, active, codes, count, at);
    if (times) {
        times->seconds[active->set][active->number] += times->now() - begin;
        times->counts[active->set][active->number]++;
    }
}

/* The whole condition on the subject. */
static void judge_subject(Engine *e, Active *active, Subjects at)
{
    Program when = active->rule->when[LEVEL_SUBJECT];
    judge_timed(e, active, e->evaluators[active->set].set->codes + when.first, when.count, at);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool may_be_subject(Subject subject, const Op *op)
{
    switch (subject) {
    case SUBJECT_BRANCH:    return op->kind == OPK_BRA;
    case SUBJECT_ACCESS:    return op->space != SPACE_NONE;
    default:                return true;
    }
}

/* Rules that run_listed is for. */
static bool is_listed(const Active *active)
{
    return active->rule->subject == SUBJECT_INSTRUCTION && !active->is_lead_false
           && ptx_measure_is_listed(active->lead);
}

/* False: this text rules it out. */
static bool narrow_to_op(Engine *e, uint32_t a, InsnId insn, OpRule *out)
{
    const Active *active = &e->actives[a];
    const Program when = active->rule->when[LEVEL_SUBJECT];
    Ask ask = ask_of(e, active, nowhere);
    ask.at.insn = insn;
    if (is_listed(active)
        || !may_be_subject((Subject)active->rule->subject, e->inquiry.func->insns[insn].op)
        || !is_true(&ask, active->rule->when[LEVEL_OP]))
        return false;
    Rest rest = ptx_eval_narrow(&ask, when, e->codes);
    const Code *codes = e->evaluators[active->set].set->codes + when.first;
    if (rest.is_open && rest.count < when.count)
        codes = memcpy(ptx_arena_array(e->arena, Code, rest.count), rest.codes,
                       rest.count * sizeof *codes);
    *out = (OpRule){ (uint16_t)a, (Subject)active->rule->subject, codes, rest.is_open ? rest.count : 0 };
    return rest.is_open || rest.is_true;
}

/* Rules on instructions, accesses and branches that this text leaves. */
static const OpRules *find_op_rules(Engine *e, InsnId insn)
{
    OpRules *rules = &e->op_rules[e->inquiry.func->insns[insn].op->id];
    if (rules->is_done)
        return rules;
    uint32_t first = e->subject_first[SUBJECT_BRANCH], end = e->subject_first[SUBJECT__COUNT],
             count = 0;
    for (uint32_t a = first; a < end; a++)
        count += narrow_to_op(e, a, insn, &e->left[count]);
    OpRule *found = ptx_arena_array(e->arena, OpRule, count);
    if (count)
        memcpy(found, e->left, count * sizeof *found);
    *rules = (OpRules){ true, found, count };
    return rules;
}

static bool is_subject(Subject subject, const Insn *insn)
{
    switch (subject) {
    case SUBJECT_BRANCH:    return insn->guard != NO_ID;
    case SUBJECT_ACCESS:    return ptx_insn_is_access(insn);
    default:                return true;
    }
}

static void run_insn(Engine *e, InsnId insn, BlockId block)
{
    const OpRules *rules = find_op_rules(e, insn);
    const Subjects at = { insn, block, e->inquiry.loops->loop_of[block], NO_ID, NO_ID };
    for (uint32_t r = 0; r < rules->count; r++) {
        const OpRule *rule = &rules->rules[r];
        if (e->kernel_states[rule->active] != KERNEL_FAILS
            && is_subject(rule->subject, &e->inquiry.func->insns[insn]))
            judge_timed(e, &e->actives[rule->active], rule->codes, rule->count, at);
    }
}

/* The instructions for which the leading fact is true are listed: no other is asked about. */
static void run_listed(Engine *e, Active *active)
{
    const Cfg *cfg = e->inquiry.cfg;
    const uint8_t *state = &e->kernel_states[active - e->actives];
    uint32_t count;
    const InsnId *insns = ptx_measure_list(&e->inquiry, active->lead, &count);
    for (uint32_t i = 0; i < count && *state != KERNEL_FAILS; i++) {
        BlockId block = cfg->block_of[insns[i]];
        judge_subject(
            e, active,
            (Subjects){ insns[i], block, e->inquiry.loops->loop_of[block], NO_ID, NO_ID });
    }
}

static void run_insns(Engine *e)
{
    const Cfg *cfg = e->inquiry.cfg;
    if (e->subject_first[SUBJECT_BRANCH] == e->subject_first[SUBJECT__COUNT])
        return;
    for (uint32_t a = e->subject_first[SUBJECT_INSTRUCTION];
         a < e->subject_first[SUBJECT_INSTRUCTION + 1]; a++)
        if (is_listed(&e->actives[a]))
            run_listed(e, &e->actives[a]);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        if (!ptx_block_is_reachable(cfg, b))
            continue;
        for (InsnId i = cfg->blocks[b].first; i < cfg->blocks[b].end; i++) {
            const OpRules *rules = &e->op_rules[e->inquiry.func->insns[i].op->id];
            if (!rules->is_done || rules->count)
                run_insn(e, i, b);
        }
    }
}

/* ---- the other subjects ---------------------------------------------------------------------- */

/* How many there are in the function in hand. */
static uint32_t count_of_subjects(const Engine *e, Subject subject)
{
    const Func *func = e->inquiry.func;
    switch (subject) {
    case SUBJECT_KERNEL:    return 1;
    case SUBJECT_PARAMETER: return func->is_entry ? func->param_count : 0;
    case SUBJECT_REGISTER:  return func->reg_count;
    case SUBJECT_BLOCK:     return e->inquiry.cfg->block_count;
    case SUBJECT_LOOP:      return e->inquiry.loops->loop_count;
    default:                return 0;
    }
}

static Subjects subject_at(const Engine *e, Subject subject, uint32_t i)
{
    const Cfg *cfg = e->inquiry.cfg;
    const Loops *loops = e->inquiry.loops;
    switch (subject) {
    case SUBJECT_PARAMETER:
        return (Subjects){ NO_ID, NO_ID, NO_LOOP, NO_ID, e->inquiry.func->params[i] };
    case SUBJECT_REGISTER:  return (Subjects){ NO_ID, NO_ID, NO_LOOP, i, NO_ID };
    case SUBJECT_BLOCK:
        return (Subjects){ cfg->blocks[i].first, i, loops->loop_of[i], NO_ID, NO_ID };
    case SUBJECT_LOOP:      return (Subjects){ NO_ID, loops->loops[i].header, i, NO_ID, NO_ID };
    default:                return nowhere;
    }
}

static bool may_rule_hold(Engine *e, const Active *active, const Subjects *at)
{
    Certainty unused = CERTAINTY_EXACT;
    return active->lead == FACT__COUNT
           || ptx_measure(&e->inquiry, at, active->lead, &unused) == !active->is_lead_false;
}

static void run_rule(Engine *e, Active *active, Subject subject, uint32_t count)
{
    const uint8_t *state = &e->kernel_states[active - e->actives];
    if (active->is_lead_false && ptx_measure_is_never_false(&e->inquiry, active->lead))
        return;
    for (uint32_t i = 0; i < count && *state != KERNEL_FAILS; i++) {
        Subjects at = subject_at(e, subject, i);
        if (may_rule_hold(e, active, &at))
            judge_subject(e, active, at);
    }
}

static void run_subject(Engine *e, Subject subject)
{
    uint32_t count = count_of_subjects(e, subject);
    for (uint32_t a = e->subject_first[subject]; a < e->subject_first[subject + 1]; a++)
        run_rule(e, &e->actives[a], subject, count);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* NULL: the module. */
static void begin_func(Engine *e, Session *session)
{
    e->inquiry = (FactCache){ .shared = &e->shared, .arena = e->work };
    if (session)
        e->inquiry = (FactCache){ .shared = &e->shared,
                                .session = session,
                                .arena = e->work,
                                .func = ptx_session_func(session),
                                .cfg = ptx_session_cfg(session),
                                .loops = ptx_session_loops(session) };
    for (uint32_t s = 0; s < e->set_count; s++)
        memset(e->evaluators[s].found, 0,
               e->evaluators[s].set->quantifier_count * sizeof *e->evaluators[s].found);
    for (uint32_t a = 0; a < e->active_count; a++) {
        e->kernel_states[a] = KERNEL_NOT_ASKED;
        e->actives[a].kernel_certainty = CERTAINTY_EXACT;
        e->actives[a].folds = NULL;
        e->actives[a].folded = NULL;
    }
}

void ptx_engine_run(Engine *e, Session *session)
{
    if (ptx_session_func(session)->has_syntax_error || !ptx_session_cfg(session))
        return;
    begin_func(e, session);
    run_subject(e, SUBJECT_KERNEL);
    run_subject(e, SUBJECT_PARAMETER);
    run_subject(e, SUBJECT_REGISTER);
    run_subject(e, SUBJECT_BLOCK);
    run_subject(e, SUBJECT_LOOP);
    run_insns(e);
    for (uint32_t a = 0; a < e->active_count; a++)
        describe_folded(e, &e->actives[a]);
}

void ptx_engine_finish(Engine *e)
{
    const Module *module = e->shared.module;
    begin_func(e, NULL);
    for (uint32_t a = e->subject_first[SUBJECT_MODULE]; a < e->subject_first[SUBJECT_MODULE + 1];
         a++)
        judge_subject(e, &e->actives[a], nowhere);
    for (uint32_t a = e->subject_first[SUBJECT_VARIABLE];
         a < e->subject_first[SUBJECT_VARIABLE + 1]; a++) {
        for (VarId v = 0; v < module->var_count; v++) {
            Subjects at = nowhere;
            at.var = v;
            e->diags->func = module->vars[v].func == NO_ID ? -1 : (int32_t)module->vars[v].func;
            if (module->vars[v].space != SPACE_PARAM)
                judge_subject(e, &e->actives[a], at);
        }
        e->diags->func = -1;
    }
}

/* ---- rules that are wanted ------------------------------------------------------------------- */

static double *copy_thresholds(Engine *e, const RuleSet *set)
{
    double *values = ptx_arena_array(e->arena, double, set->threshold_count + 1);
    for (uint32_t t = 0; t < set->threshold_count; t++)
        values[t] = set->thresholds[t].value;
    return values;
}

/* Of a condition `fact and ...` or `not fact and ...`. */
static void find_lead(const RuleSet *set, Active *active)
{
    const Program *when = &active->rule->when[LEVEL_SUBJECT];
    const Code *codes = set->codes + when->first;
    active->lead = FACT__COUNT;
    if (!when->count || codes[0].kind != CODE_FACT || codes[0].arg >= FACT__COUNT
        || ptx_fact_info[codes[0].arg].type != FACT_TRUTH)
        return;
    bool is_negated = when->count > 1 && codes[1].kind == CODE_NOT;
    uint32_t next = is_negated ? 2 : 1;
    bool ends = when->count == next,
         goes_on = when->count > next && codes[next].kind == CODE_AND_JUMP;
    if (!ends && !goes_on)
        return;
    active->lead = codes[0].arg;
    active->is_lead_false = is_negated;
}

/* Those of one subject whose condition the module does not rule out. */
static void add_actives(Engine *e, const Rulebook *book, uint32_t s, const double *thresholds,
                        Subject subject)
{
    const RuleSet *set = book->sets[s];
    for (uint32_t r = 0; r < set->rule_count; r++) {
        const Rule *rule = &set->rules[r];
        const RuleChoice *choice = book->choices[s] ? &book->choices[s][r] : NULL;
        bool is_wanted = choice ? choice->is_enabled : !rule->is_preview;
        if (rule->is_front_end || rule->subject != subject || !is_wanted)
            continue;
        Active active = { .rule = rule,
                          .set = s,
                          .number = r,
                          .severity = choice ? choice->severity : rule->info.severity,
                          .thresholds = thresholds + rule->threshold_first };
        Ask ask = ask_of(e, &active, nowhere);
        if (!is_true(&ask, rule->when[LEVEL_MODULE]))
            continue;
        active.module_certainty = ask.certainty;
        find_lead(set, &active);
        e->actives[e->active_count++] = active;
    }
}

static uint32_t longest_condition(const Engine *e)
{
    uint32_t longest = 0;
    for (uint32_t a = e->subject_first[SUBJECT_BRANCH]; a < e->active_count; a++) {
        uint32_t count = e->actives[a].rule->when[LEVEL_SUBJECT].count;
        longest = count > longest ? count : longest;
    }
    return longest;
}

static bool has_broken_func(const Module *module)
{
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_syntax_error || module->funcs[f].has_unknown)
            return true;
    return false;
}

Engine *ptx_engine_new(Sessions *sessions, const Rulebook *book, const RuleTimes *times)
{
    Arena *arena = sessions->arena;
    const Module *module = sessions->module;
    Engine *e = ptx_arena_new(arena, Engine);
    const double *thresholds[RULE_SETS] = { NULL };
    uint32_t rule_count = 0;
    e->arena = arena;
    e->work = sessions->work;
    e->diags = sessions->diags;
    e->times = times;
    e->is_unfolded = sessions->is_unfolded;
    e->set_count = book->set_count;
    e->shared = (ModuleFacts){ .sessions = sessions,
                                 .module = module,
                                 .gpu = sessions->gpu_count ? sessions->gpus[0] : NULL,
                                 .arena = arena,
                                 .scratch = sessions->scratch,
                                 .has_broken_func = has_broken_func(module) };
    e->inquiry = (FactCache){ .shared = &e->shared, .arena = arena };
    e->op_rules = ptx_arena_array(arena, OpRules, module->op_count + 1);
    for (uint32_t s = 0; s < book->set_count; s++) {
        const RuleSet *set = book->sets[s];
        thresholds[s] = book->thresholds[s] ? book->thresholds[s] : copy_thresholds(e, set);
        e->evaluators[s] =
            (Evaluator){ &e->inquiry, set, ptx_arena_array(arena, Found, set->quantifier_count + 1),
                         ptx_arena_array(arena, int8_t *, set->quantifier_count + 1) };
        rule_count += set->rule_count;
    }
    e->actives = ptx_arena_array(arena, Active, rule_count + 1);
    e->kernel_states = ptx_arena_array(arena, uint8_t, rule_count + 1);
    for (int subject = 0; subject < SUBJECT__COUNT; subject++) {
        e->subject_first[subject] = e->active_count;
        for (uint32_t s = 0; s < book->set_count; s++)
            add_actives(e, book, s, thresholds[s], (Subject)subject);
    }
    e->subject_first[SUBJECT__COUNT] = e->active_count;
    e->left = ptx_arena_array(arena, OpRule,
                              e->active_count - e->subject_first[SUBJECT_BRANCH] + 1);
    e->codes = ptx_arena_array(arena, Code, longest_condition(e) + 1);
    return e;
}
