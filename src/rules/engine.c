/* Conditions are cut by what they ask for (rule.h). What an opcode text decides is decided once for
 * each text of the module, so that most instructions meet no rule at all; what a kernel decides,
 * once for the kernel; the rest for each subject that is left. */
#include "rules/engine_state.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "isa/isa.h"
#include "session/session.h"
#include "support/diag.h"

#include <string.h>
#include <stdint.h>

/* ---- text ------------------------------------------------------------------------------------ */

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
        ptx_engine_describe(e, active, &ask, fold->severity, fold->diag);
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
        ptx_engine_add(e, active, &ask);
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
