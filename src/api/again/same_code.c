#include "api/again/same_code.h"

#include "analysis/flow/callgraph.h"
#include "analysis/value/launch.h"
#include "api/again/moved.h"
#include "findings/config.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "rules/engine.h"
#include "support/demangle.h"
#include "support/hash.h"
#include "support/minmax.h"

#include <string.h>

enum {
    LEAST_INSNS = 16,           /* shorter kernels take hardly longer than the comparison */
    MAX_COMPARED = 8,           /* kernels of the same counts that one is held against */
    MAX_PLAIN_NAME = 256
};

/* Of a kernel: where places of the first lie in it. */
typedef struct SameShifts {
    const TextShift *items;
    uint32_t count;
} SameShifts;

struct SameCode {
    const ptxlint_module *m;
    FuncId *first;              /* per function; NO_ID */
    SameShifts *shifts;         /* per function */
    uint32_t *behind;           /* per function: others with its code behind it */
};

struct SameFindings {
    const SameCode *code;
    DiagSink *found;            /* per function */
    bool *is_noted;
};

/* ---- the same text --------------------------------------------------------------------------- */

/* The text of a function while two are compared. */
typedef struct CodeText {
    const char *at, *end, *begin;
    const char *name;           /* mangled, behind its _Z */
    size_t length;
} CodeText;

static const char mangled[] = "_Z", label[] = "$L__BB";

static CodeText code_text_of(const Module *ir, const Func *func)
{
    const char *begin = ir->text + func->span.begin;
    return (CodeText){ begin, ir->text + func->span.end, ir->text,
                       ir->text + func->name.begin + 2, ptx_span_length(func->name) - 2 };
}

static bool stands_there(const CodeText *t, const char *at, const char *word, size_t length)
{
    return (size_t)(t->end - at) >= length && !memcmp(at, word, length);
}

static bool is_name_byte_before(const CodeText *t)
{
    const char c = t->at > t->begin ? t->at[-1] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '$';
}

/* Behind the name of the kernel, or of a variable in it, that begins here; NULL: none does. */
static const char *behind_own_name(const CodeText *t)
{
    if (!stands_there(t, t->at, mangled, 2) || is_name_byte_before(t))
        return NULL;
    const char *name = t->at + 2;
    if (!stands_there(t, name, t->name, t->length) && name < t->end && *name == 'Z')
        name++;
    return stands_there(t, name, t->name, t->length) ? name + t->length : NULL;
}

/* Behind the number of the function in nvcc's labels: $L__BB12_3. */
static const char *behind_label_number(const CodeText *t)
{
    if (!stands_there(t, t->at, label, sizeof label - 1))
        return NULL;
    const char *at = t->at + sizeof label - 1;
    while (at < t->end && *at >= '0' && *at <= '9')
        at++;
    return at < t->end && *at == '_' ? at : NULL;
}

static const char *behind_own_word(const CodeText *t)
{
    if (*t->at == '$')
        return behind_label_number(t);
    return *t->at == '_' ? behind_own_name(t) : NULL;
}

typedef struct ShiftList {
    Arena *arena;
    TextShift *items;
    uint32_t count, capacity;
} ShiftList;

static void note_shift(ShiftList *list, const CodeText *a, const CodeText *b)
{
    const int64_t bytes = (b->at - b->begin) - (a->at - a->begin);
    if (list->count && list->items[list->count - 1].bytes == bytes)
        return;
    if (list->count == list->capacity)
        list->items = ptx_arena_grow(list->arena, list->items, list->count, &list->capacity,
                                     sizeof *list->items);
    list->items[list->count++] = (TextShift){ (uint32_t)(a->at - a->begin), bytes };
}

static bool is_same_but_for_names(CodeText a, CodeText b, ShiftList *shifts)
{
    note_shift(shifts, &a, &b);
    while (a.at < a.end && b.at < b.end) {
        const char *behind_a = behind_own_word(&a), *behind_b = behind_a ? behind_own_word(&b)
                                                                         : NULL;
        if (behind_b) {
            a.at = behind_a;
            b.at = behind_b;
            note_shift(shifts, &a, &b);
        } else if (*a.at++ != *b.at++) {
            return false;
        }
    }
    return a.at == a.end && b.at == b.end;
}

/* ---- the same IR ----------------------------------------------------------------------------- */

/* Two functions; variables of the second have numbers higher by `vars`. */
typedef struct CodePair {
    const Module *ir;
    const Func *a, *b;
    FuncId a_id, b_id;
    uint32_t vars;
    bool has_vars;              /* vars is known */
} CodePair;

static bool is_alike_var(const Var *a, const Var *b)
{
    return a->bytes == b->bytes && a->align == b->align && a->pointer_align == b->pointer_align
           && a->space == b->space && a->type == b->type && a->vector == b->vector
           && a->linkage == b->linkage && a->is_parameter == b->is_parameter
           && a->is_input == b->is_input && a->is_array == b->is_array
           && a->has_attribute == b->has_attribute && !a->source_name && !b->source_name;
}

/* The same of the module, or each function's own. */
static bool is_same_var(CodePair *pair, VarId a, VarId b)
{
    if (a == b)
        return a == NO_ID || pair->ir->vars[a].func == NO_ID;
    if (a == NO_ID || b == NO_ID)
        return false;
    const Var *x = &pair->ir->vars[a], *y = &pair->ir->vars[b];
    if (!pair->has_vars)
        pair->vars = b - a;
    pair->has_vars = true;
    return x->func == pair->a_id && y->func == pair->b_id && b - a == pair->vars
           && is_alike_var(x, y);
}

static bool are_same_vars(CodePair *pair, const VarId *a, const VarId *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_same_var(pair, a[i], b[i]))
            return false;
    return true;
}

static bool is_same_operand(CodePair *pair, const Operand *a, const Operand *b)
{
    if (a->kind != b->kind || a->role != b->role || a->position != b->position
        || a->flags != b->flags || ptx_operand_value(a) != ptx_operand_value(b)
        || a->kind == OPERAND_FUNCTION || a->kind == OPERAND_UNKNOWN)
        return false;
    return a->kind == OPERAND_VAR ? is_same_var(pair, a->id, b->id) : a->id == b->id;
}

static bool is_same_insn(const Module *module, const Insn *a, const Insn *b)
{
    return a->op == b->op && a->operand_first == b->operand_first
           && a->operand_count == b->operand_count && a->form == b->form && a->guard == b->guard
           && !ptx_insn_loc(module, a) && !ptx_insn_loc(module, b)
           && a->guard_negated == b->guard_negated && a->has_nounroll == b->has_nounroll
           && a->access_bytes == b->access_bytes;
}

static bool is_same_reg(const Reg *a, const Reg *b)
{
    return a->type == b->type && a->vector == b->vector && a->is_written == b->is_written
           && a->is_param == b->is_param && a->is_result == b->is_result
           && a->is_of_range == b->is_of_range;
}

static bool are_same_names(const Func *a, const Func *b)
{
    for (uint32_t r = 0; r < a->reg_count; r++)
        if (!is_same_reg(&a->regs[r], &b->regs[r]))
            return false;
    for (uint32_t l = 0; l < a->label_count; l++)
        if (a->labels[l].insn != b->labels[l].insn || a->labels[l].is_used != b->labels[l].is_used)
            return false;
    return true;
}

static bool is_same_body(CodePair *pair)
{
    const Func *a = pair->a, *b = pair->b;
    for (InsnId i = 0; i < a->insn_count; i++)
        if (!is_same_insn(pair->ir, &a->insns[i], &b->insns[i]))
            return false;
    for (uint32_t o = 0; o < a->operand_count; o++)
        if (!is_same_operand(pair, &a->operands[o], &b->operands[o]))
            return false;
    return true;
}

static bool is_same_head(const Func *a, const Func *b)
{
    return a->insn_count == b->insn_count && a->operand_count == b->operand_count
           && a->reg_count == b->reg_count && a->label_count == b->label_count
           && a->param_count == b->param_count && a->shared_var_count == b->shared_var_count
           && !memcmp(&a->bounds, &b->bounds, sizeof a->bounds) && a->unit == b->unit
           && a->linkage == b->linkage && a->tid_component == b->tid_component
           && a->barrier_count == b->barrier_count;
}

static bool is_same_ir(CodePair *pair)
{
    const Func *a = pair->a, *b = pair->b;
    return is_same_head(a, b) && are_same_vars(pair, a->params, b->params, a->param_count)
           && are_same_vars(pair, a->shared_vars, b->shared_vars, a->shared_var_count)
           && are_same_names(a, b) && is_same_body(pair);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* How messages call a kernel. */
typedef struct OwnWords {
    char plain[MAX_PLAIN_NAME];
} OwnWords;

/* False: as it is mangled, maybe. */
static bool find_own_words(const Module *ir, const Func *func, OwnWords *words)
{
    char name[MAX_PLAIN_NAME * 4];
    const size_t length = ptx_span_length(func->name);
    if (length >= sizeof name)
        return false;
    memcpy(name, ir->text + func->name.begin, length);
    name[length] = '\0';
    const size_t plain = ptx_demangle(name, NAME_PLAIN, words->plain, sizeof words->plain);
    return plain && plain < sizeof words->plain;
}

/* ---- kernels of a module --------------------------------------------------------------------- */

static bool is_launch_unsaid(const Launch *launch)
{
    return !launch->is_given && !launch->trip_count && launch->count <= 1 && !launch->grid[0]
           && !launch->cluster[0];
}

static bool may_be_compared(const ptxlint_module *m, FuncId f, const Launch *launch)
{
    const Func *func = &m->ir->funcs[f];
    const CallNode *node = &m->calls->nodes[f];
    return func->is_entry && func->has_body && func->insn_count >= LEAST_INSNS && !func->has_calls
           && !func->has_syntax_error && !func->has_unknown && !func->table_count
           && !func->result_count && func->alias_of == 0 && ptx_span_length(func->name) > 4
           && !memcmp(m->ir->text + func->name.begin, mangled, 2) && !node->is_recursive
           && !node->has_indirect_call && !node->is_address_taken && !node->is_called
           && is_launch_unsaid(launch);
}

/* The search. Only the first of each code is a candidate for later ones. */
typedef struct SameSearch {
    ptxlint_module *m;
    SameCode *code;
    Arena *scratch;
    HashMap last;               /* counts -> the last candidate with them, + 1 */
    FuncId *older;              /* per candidate: the one before it, + 1 */
    bool has_any;
} SameSearch;

static uint64_t counts_of(const Func *func)
{
    const uint64_t key = ptx_hash_add(func->insn_count, func->operand_count);
    return ptx_hash_add(ptx_hash_add(key, func->reg_count), func->label_count) >> 1;
}

static bool is_same_func(const SameSearch *s, FuncId a, FuncId b)
{
    const Module *ir = s->m->ir;
    CodePair pair = { ir, &ir->funcs[a], &ir->funcs[b], a, b, 0, false };
    OwnWords words;
    if (!is_same_ir(&pair) || !find_own_words(ir, pair.a, &words)
        || !find_own_words(ir, pair.b, &words))
        return false;
    const ArenaMark mark = ptx_arena_mark(&s->m->arena);
    ShiftList shifts = { .arena = &s->m->arena };
    if (!is_same_but_for_names(code_text_of(ir, pair.a), code_text_of(ir, pair.b), &shifts)) {
        ptx_arena_release(&s->m->arena, mark);
        return false;
    }
    s->code->shifts[b] = (SameShifts){ shifts.items, shifts.count };
    return true;
}

static void look_for_same(SameSearch *s, FuncId f)
{
    uint32_t *last = ptx_hash_map_at(&s->last, s->scratch, counts_of(&s->m->ir->funcs[f]));
    FuncId candidate = *last;
    for (unsigned i = 0; candidate && i < MAX_COMPARED; i++) {
        if (is_same_func(s, candidate - 1, f)) {
            s->code->first[candidate - 1] = s->code->first[f] = candidate - 1;
            s->has_any = true;
            return;
        }
        candidate = s->older[candidate - 1];
    }
    s->older[f] = *last;
    *last = f + 1;
}

/* They may ask for names. */
static bool has_rules_of_user(const ptxlint_options *options)
{
    const Rulebook *book = ptx_config_rulebook(options->config);
    return book->set_count > 1 && book->sets[1]->rule_count > 0;
}

/* A profile counts what rules are asked. */
static bool is_worth_comparing(const ptxlint_module *m, const ptxlint_options *options)
{
    return m->calls && !options->history && !options->profile && !options->ptxas && !m->found
           && m->gpu_count <= 1 && !options->estimates_only && m->ir->func_count > 1
           && !has_rules_of_user(options);
}

static void count_behind(SameCode *code, Arena *scratch)
{
    const uint32_t count = code->m->ir->func_count;
    uint32_t *found = ptx_arena_array(scratch, uint32_t, count);
    for (FuncId f = count; f-- > 0;)
        if (code->first[f] != NO_ID)
            code->behind[f] = found[code->first[f]]++;
}

const SameCode *ptx_same_code_find(ptxlint_module *m, const ptxlint_options *options,
                                   const Launch *const *launches, Arena *scratch)
{
    const uint32_t count = m->ir->func_count;
    if (!is_worth_comparing(m, options))
        return NULL;
    const ArenaMark mark = ptx_arena_mark(scratch);
    SameCode *code = ptx_arena_new(&m->arena, SameCode);
    *code = (SameCode){ m, ptx_arena_array(&m->arena, FuncId, count),
                        ptx_arena_array(&m->arena, SameShifts, count),
                        ptx_arena_array(&m->arena, uint32_t, count) };
    SameSearch s = { .m = m, .code = code, .scratch = scratch,
                     .older = ptx_arena_array(scratch, FuncId, count) };
    for (FuncId f = 0; f < count; f++)
        code->first[f] = NO_ID;
    for (FuncId f = 0; f < count; f++)
        if (may_be_compared(m, f, launches[f]))
            look_for_same(&s, f);
    count_behind(code, scratch);
    ptx_arena_release(scratch, mark);
    return s.has_any ? code : NULL;
}

const FuncId *ptx_same_code_firsts(const SameCode *code)
{
    return code ? code->first : NULL;
}

uint32_t ptx_same_code_count(const SameCode *code, FuncId f)
{
    return code ? code->behind[f] : 0;
}

/* Whether a statement or label ends in its line before something else begins there. */
static bool has_more_behind(const Module *ir, uint32_t from, uint32_t end)
{
    bool is_ended = false;
    for (uint32_t i = from; i < end && ir->text[i] != '\n'; i++) {
        const char c = ir->text[i];
        if (is_ended && c != ' ' && c != '\t' && c != '\r')
            return true;
        is_ended |= c == ';' || c == ':' || c == '{' || c == '}';
    }
    return false;
}

bool ptx_same_code_keeps_columns(const SameCode *code, FuncId f)
{
    const Module *ir = code->m->ir;
    const SameShifts *shifts = &code->shifts[f];
    const uint32_t end = ir->funcs[code->first[f]].span.end;
    for (uint32_t s = 0; s < shifts->count; s++)
        if (has_more_behind(ir, shifts->items[s].from, end))
            return false;
    return true;
}

/* ---- findings -------------------------------------------------------------------------------- */

SameFindings *ptx_same_findings_new(Arena *arena, const SameCode *code)
{
    const uint32_t count = code->m->ir->func_count;
    SameFindings *all = ptx_arena_new(arena, SameFindings);
    *all = (SameFindings){ code, ptx_arena_array(arena, DiagSink, count),
                           ptx_arena_array(arena, bool, count) };
    return all;
}

bool ptx_same_findings_add(const SameFindings *all, FuncId f, DiagSink *sink)
{
    const FuncId first = all ? all->code->first[f] : NO_ID;
    if (first == NO_ID || first == f || !all->is_noted[first])
        return false;
    const ptxlint_module *m = all->code->m;
    FindingMover mover = { .arena = sink->arena,
                           .lines = (int64_t)ptx_func_line(m->ir, f) - ptx_func_line(m->ir, first),
                           .shifts = all->code->shifts[f].items,
                           .shift_count = all->code->shifts[f].count };
    const DiagSink found = ptx_move_findings(&mover, &all->found[first]);
    for (uint32_t i = 0; i < found.count; i++)
        found.items[i]->func = (int32_t)f;
    ptx_diag_append(sink, &found);
    return true;
}

bool ptx_same_findings_are_all(const SameFindings *all, FuncId f, const DiagSink *sink)
{
    return all && all->is_noted[f] && all->found[f].count == sink->count;
}

/* What is said of the first alone: its name, also in short, numbers of its labels. What was cut may
 * be a variable of it, "part in block_s...". */
static bool has_own_word(const char *text, const OwnWords *words)
{
    return text
           && (strstr(text, mangled) || strstr(text, "L__BB") || strstr(text, words->plain)
               || (strstr(text, "...") && strstr(text, " in ")));
}

static bool is_said_of_any(const Diag *diag, const OwnWords *words)
{
    bool has_own = has_own_word(diag->message, words) || has_own_word(diag->label, words)
                   || has_own_word(diag->help, words) || ptx_finding_names_line(diag)
                   || (diag->fix && has_own_word(diag->fix->replacement, words));
    for (const DiagRelated *r = diag->related; r && !has_own; r = r->next)
        has_own = has_own_word(r->message, words);
    for (uint32_t i = 0; i < diag->repair.count && !has_own; i++)
        has_own = has_own_word(diag->repair.insertions[i].text, words)
                  || diag->repair.insertions[i].source;
    return !has_own;
}

void ptx_same_findings_note(SameFindings *all, FuncId f, const DiagSink *before,
                            const DiagSink *sink)
{
    OwnWords words;
    if (!all || all->code->first[f] != f || sink->dropped)
        return;
    const Module *ir = all->code->m->ir;
    const DiagSink found = ptx_findings_since(sink, before);
    bool is_for_any = find_own_words(ir, &ir->funcs[f], &words);
    for (uint32_t i = 0; i < found.count && is_for_any; i++)
        is_for_any = ptx_finding_is_within(ir->funcs[f].span, found.items[i])
                     && is_said_of_any(found.items[i], &words);
    all->found[f] = found;
    all->is_noted[f] = is_for_any;
}
