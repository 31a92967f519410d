#include "findings/suppress.h"

#include "findings/comment.h"
#include "findings/use_log.h"
#include "compare/baseline.h"
#include "compare/key.h"
#include "check/check_loc.h"
#include "ir/normal.h"
#include "rules/removal.h"
#include "support/demangle.h"
#include "support/limits.h"
#include "support/choice.h"
#include "support/words.h"
#include "support/minmax.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "support/span.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum Ssa { REACH_NONE, REACH_LINE, REACH_KERNEL, REACH_FILE, REACH__COUNT } Ssa;

static const struct { const char *word, *here; } reaches[REACH__COUNT] = {
    [REACH_LINE] = { "ignore", "here" }, [REACH_KERNEL] = { "ignore-kernel", "in this function" }, [REACH_FILE] = { "ignore-file", "in this file" },
};

/* A rule, or several, that a comment names. */
typedef struct Named {
    const Selector *selector;
    Span span;
    bool is_used;
} Named;

typedef struct Comment {
    Span span;                  /* `ptxlint:` to the bracket */
    Span range;                 /* what it covers: findings that begin there */
    Span reason;
    Span whole;                 /* the comment, where it has no other line; else empty */
    const char *reason_text;    /* of reason, when it was first asked for */
    uint32_t named_first, named_count;
    int32_t func;               /* that was to be analysed for it to be used; -1: all */
    uint8_t reach;              /* Reach */
} Comment;

/* A finding. */
typedef struct SuppressRow {
    uint32_t begin;
    /* of the same rule, while a group of comments is at work: index + 1 */
    uint32_t next;
    RuleId rule;
    Diag *diag;
} SuppressRow;

typedef struct SuppressBody {           /* of a function that has one */
    Span span;
    FuncId id;
} SuppressBody;

/* What the last search for a statement gave: good for all lines whose code begins in [from,
 * begin]. */
typedef struct SuppressFound {
    bool has_statement, has_line;
    uint32_t from;
    uint32_t begin;             /* of the statement; limit: there is none */
    uint32_t limit;
    Span statement;             /* the last one whose end was looked for */
    uint32_t line_from, line_end;       /* the first end of a line from line_from on */
} SuppressFound;

typedef struct Suppress {
    Arena *arena, *scratch;
    DiagSink *diags;
    const Module *module;
    const ptxlint_config *config;
    const Selectors *selectors;
    SuppressBody *bodies;
    uint32_t body_count;
    List comments, named;       /* Comment, Named */
    SuppressRow *rows;
    uint32_t row_count;
    uint32_t *heads;            /* per rule: first row of a group, + 1 */
    RuleId *present;            /* rules of a group's rows */
    uint32_t present_count;
    SuppressFound found;
    uint32_t complaints;        /* of bad comments so far */
} Suppress;

/* ---- saying so ------------------------------------------------------------------------------- */

static const RuleChoice *choice_of_rule(const Suppress *s, RuleId rule)
{
    const Rulebook *book = ptx_config_rulebook(s->config);
    uint32_t first = s->selectors->sets[0]->rule_count;
    return rule < first ? &book->choices[0][rule] : &book->choices[1][rule - first];
}

static bool has_room(const Suppress *s)
{
    return s->diags->count < LIMIT_DIAGNOSTICS;
}

/* NULL: it is switched off, or there is no room for it. */
static Diag *say(Suppress *s, DiagId id, Span span, int32_t func, const char *message)
{
    RuleId rule = ptx_rule_of(s->selectors, &ptx_diag_info[id]);
    RuleChoice choice = rule == NO_RULE ? (RuleChoice){ true, ptx_diag_info[id].severity }
                                        : *choice_of_rule(s, rule);
    if (!choice.is_enabled)
        return NULL;
    if (!has_room(s)) {         /* as ptx_diag_of counts them, but without one a comment */
        s->diags->counts[choice.severity]++;
        s->diags->dropped++;
        return NULL;
    }
    s->diags->func = func;
    Diag *diag = ptx_diag_of(s->diags, &ptx_diag_info[id], choice.severity, span, message);
    s->diags->func = -1;
    return diag;
}

/* The body that holds a byte, or else (*inside false) the next one; NULL: there is neither. */
static const SuppressBody *find_body(const Suppress *s, uint32_t at, bool *inside)
{
    uint32_t low = 0, high = s->body_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->bodies[middle].span.end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    *inside = low < s->body_count && s->bodies[low].span.begin <= at;
    return low < s->body_count ? &s->bodies[low] : NULL;
}

static int32_t func_containing(const Suppress *s, uint32_t at)
{
    bool inside;
    const SuppressBody *body = find_body(s, at, &inside);
    return inside ? (int32_t)body->id : -1;
}

/* Suggestions are for those who write comments, not for a file full of mistakes. */
enum { MAX_SUGGESTIONS = 100 };

/* NULL as of say. */
static Diag *complain(Suppress *s, Span span, const char *message, const char *help)
{
    Diag *diag = say(s, DIAG_BAD_SUPPRESSION, span, func_containing(s, span.begin), message);
    s->complaints++;
    if (diag)
        diag->help = help;
    return diag;
}

static const char form_help[] = "write it as `// ptxlint: ignore[RULE, RULE] reason`; "
                                "ignore-kernel and ignore-file reach further";

/* ---- what a comment says --------------------------------------------------------------------- */

static void complain_word(Suppress *s, Span word, Span line)
{
    const char *text = s->module->text, *near = NULL;
    unsigned best = 4;
    if (!ptx_span_length(word)) {
        complain(s, line, "unknown directive after `ptxlint:`", form_help);
        return;
    }
    if (!has_room(s)) {
        complain(s, word, "", NULL);
        return;
    }
    for (int r = REACH_LINE; r < REACH__COUNT; r++) {
        unsigned distance = ptx_edit_distance(text + word.begin, ptx_span_length(word),
                                              reaches[r].word, strlen(reaches[r].word));
        if (distance < best) {
            best = distance;
            near = reaches[r].word;
        }
    }
    Diag *diag = complain(s, word,
                          ptx_diag_text(s->diags, "unknown word `%.*s` after `ptxlint:`",
                                        ptx_shown(ptx_span_length(word)), text + word.begin),
                          near ? ptx_diag_text(s->diags, "did you mean `%s`?", near) : form_help);
    if (diag && near)
        ptx_diag_fix(s->diags, diag, word, false, "%s", near);
}

/* many comments may share a line: none is read to its end for nothing */
enum { WORD_BYTES_MAX = 64, LIST_BYTES_MAX = 4096 };

static Ssa read_word(Suppress *s, uint32_t *pos, Span line)
{
    const char *text = s->module->text;
    while (*pos < line.end && ptx_is_blank(text[*pos]))
        ++*pos;
    Span word = { *pos, *pos };
    while (word.end < line.end && ptx_span_length(word) < WORD_BYTES_MAX
           && !ptx_is_blank(text[word.end]) && text[word.end] != '[')
        word.end++;
    *pos = word.end;
    for (int r = REACH_LINE; r < REACH__COUNT; r++)
        if (ptx_span_length(word) == strlen(reaches[r].word)
            && !memcmp(text + word.begin, reaches[r].word, ptx_span_length(word)))
            return (Ssa)r;
    complain_word(s, word, line);
    return REACH_NONE;
}

static void complain_rule(Suppress *s, Span span, const Selector *selector)
{
    const char *text = s->module->text + span.begin, *help = NULL;
    const uint32_t length = ptx_span_length(span);
    uint16_t near_length;
    if (!has_room(s)) {
        complain(s, span, "", NULL);
        return;
    }
    if (selector) {
        complain(s, span,
                 ptx_diag_text(s->diags,
                               "`%.*s` comes from the front end or a limit, and cannot be ignored",
                               ptx_shown(length), text),
                 NULL);
        return;
    }
    const char *near = s->complaints < MAX_SUGGESTIONS
                           ? ptx_selector_suggest(s->selectors, text, length, &near_length)
                           : NULL;
    if (near)
        help = ptx_diag_text(s->diags, "did you mean `%.*s`?", (int)near_length, near);
    Diag *diag = complain(s, span,
                          ptx_diag_text(s->diags, "unknown rule `%.*s`", ptx_shown(length), text),
                          help);
    if (diag && near)
        ptx_diag_fix(s->diags, diag, span, false, "%.*s", (int)near_length, near);
}

static void read_rule(Suppress *s, Comment *comment, Span span)
{
    span = ptx_span_trim(s->module->text, span);
    if (!ptx_span_length(span)) {
        complain(s, comment->span, "a rule is missing in this list", form_help);
        return;
    }
    const Selector *selector = ptx_selector_find(s->selectors, s->module->text + span.begin,
                                                 ptx_span_length(span));
    if (!selector || selector->is_locked) {
        complain_rule(s, span, selector);
        return;
    }
    *(Named *)ptx_list_push(s->scratch, &s->named, sizeof(Named)) = (Named){ selector, span,
                                                                              false };
    comment->named_count++;
}

/* [RULE, RULE]: from the bracket at pos. False: it is no list. */
static bool read_code_list(Suppress *s, Comment *comment, uint32_t pos, uint32_t end)
{
    const char *text = s->module->text;
    const char *close = NULL;
    if (pos < end && text[pos] == '[')
        close = memchr(text + pos, ']', ptx_u32_min(end - pos, LIST_BYTES_MAX));
    if (pos == end || text[pos] != '[' || !close) {
        bool is_open = pos < end && text[pos] == '[';
        complain(s, comment->span,
                 is_open ? "this list of rules has no `]`"
                         : "a list of rules in brackets is missing",
                 form_help);
        return false;
    }
    const uint32_t stop = (uint32_t)(close - text);
    const Span inside = ptx_span_trim(text, (Span){ pos + 1, stop });
    comment->span.end = stop + 1;
    comment->reason = (Span){ stop + 1, end };
    if (!ptx_span_length(inside)) {
        complain(s, comment->span, "this list names no rule", form_help);
        return false;
    }
    for (uint32_t p = inside.begin; p <= inside.end;) {
        const char *comma = memchr(text + p, ',', inside.end - p);
        uint32_t next = comma ? (uint32_t)(comma - text) : inside.end;
        read_rule(s, comment, (Span){ p, next });
        p = next + 1;
    }
    return comment->named_count > 0;
}

/* ---- what it covers -------------------------------------------------------------------------- */

static uint32_t line_end(Suppress *s, uint32_t pos)
{
    SuppressFound *found = &s->found;
    if (found->has_line && pos >= found->line_from && pos <= found->line_end)
        return found->line_end;
    const char *newline = memchr(s->module->text + pos, '\n', s->module->length - pos);
    found->has_line = true;
    found->line_from = pos;
    found->line_end = newline ? (uint32_t)(newline - s->module->text) : s->module->length;
    return found->line_end;
}

/* Where the statement begins that follows the code, or is it, that the line of a comment begins
 * with. False: there is none. */
static bool find_begin(Suppress *s, uint32_t from, uint32_t *begin)
{
    SuppressFound *found = &s->found;
    if (!found->has_statement || from < found->from || from > found->begin) {
        bool inside;
        const SuppressBody *body = find_body(s, from, &inside);
        found->has_statement = true;
        found->from = from;
        /* not beyond the function's own brace */
        found->limit = inside ? body->span.end - 1 : s->module->length;
        found->begin = ptx_statement_begin(s->module->text, s->module->length, from, found->limit);
    }
    *begin = found->begin;
    return found->begin < found->limit;
}

/* A place inside the last statement has the same end: without a `;` each would be looked for as far
 * as the text goes. */
static Span statement_at(Suppress *s, uint32_t begin)
{
    Span *last = &s->found.statement;
    const bool is_inside = begin >= last->begin && begin < last->end;
    last->begin = begin;
    if (!is_inside)
        last->end = ptx_statement_end(s->module->text, s->module->length, begin);
    return *last;
}

/* The range, and the instruction that reaches into it from an earlier line. */
static Span with_whole_insn(const Suppress *s, Span range)
{
    bool inside;
    const SuppressBody *body = find_body(s, range.begin, &inside);
    if (!inside)
        return range;
    const Func *func = &s->module->funcs[body->id];
    uint32_t low = 0, high = func->insn_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (func->insns[middle].span.end <= range.begin)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < func->insn_count && func->insns[low].span.begin < range.begin)
        range.begin = func->insns[low].span.begin;
    return range;
}

/* Whether a comment is all that is in an asm statement of CUDA. */
static bool is_alone_in_asm(const Suppress *s, Span comment)
{
    static const char head[] = "// begin inline asm", tail[] = "// end inline asm";
    const char *text = s->module->text;
    uint32_t begin = comment.begin, end = comment.end;
    while (begin && (ptx_is_blank(text[begin - 1]) || text[begin - 1] == '\n'))
        begin--;
    while (ptx_is_blank(text[end]) || text[end] == '\n')
        end++;
    return begin >= sizeof head - 1
           && !memcmp(text + begin - (sizeof head - 1), head, sizeof head - 1)
           && !strncmp(text + end, tail, sizeof tail - 1);
}

/* Whether two instructions come from one line, however much was inlined there. */
static bool is_one_line(const Module *module, const Insn *a, const Insn *b)
{
    Loc x[MAX_LOC_CHAIN], y[MAX_LOC_CHAIN];
    if (a->loc == b->loc)
        return true;
    if (!a->loc || !b->loc)
        return false;
    const Loc *outer = &x[ptx_loc_chain(module, a->loc, x) - 1],
              *other = &y[ptx_loc_chain(module, b->loc, y) - 1];
    return outer->file == other->file && outer->line == other->line;
}

/* To the last of the instructions from the one at its end on that come from the same CUDA line. */
static Span with_cuda_statement(const Suppress *s, Span range)
{
    bool inside;
    const SuppressBody *body = find_body(s, range.begin, &inside);
    const Func *func = inside ? &s->module->funcs[body->id] : NULL;
    const Insn *insn = func ? ptx_insn_at(func, range.begin) : NULL, *first = insn;
    while (insn && insn->loc && insn < func->insns + func->insn_count
           && is_one_line(s->module, first, insn)) {
        range.end = insn->span.end;
        insn++;
    }
    return range;
}

static bool find_line(Suppress *s, const CommentScan *scan, Comment *comment)
{
    uint32_t begin;
    if (!find_begin(s, scan->comment_code, &begin)) {
        complain(s, comment->span, "no statement follows that this could apply to", NULL);
        return false;
    }
    const uint32_t end = line_end(s, scan->comment.end);
    comment->range = with_whole_insn(s, begin < end ? (Span){ scan->comment_line, end }
                                                    : statement_at(s, begin));
    if (begin >= end && is_alone_in_asm(s, scan->comment))
        comment->range = with_cuda_statement(s, comment->range);
    comment->func = func_containing(s, begin);
    return true;
}

static bool find_comment_kernel(Suppress *s, Comment *comment)
{
    bool inside;
    const SuppressBody *body = find_body(s, comment->span.begin, &inside);
    if (!body) {
        complain(s, comment->span, "no function follows that this could apply to", NULL);
        return false;
    }
    comment->range = body->span;
    comment->func = (int32_t)body->id;
    return true;
}

static bool find_range(Suppress *s, const CommentScan *scan, Comment *comment)
{
    if (comment->reach == REACH_LINE)
        return find_line(s, scan, comment);
    if (comment->reach == REACH_KERNEL)
        return find_comment_kernel(s, comment);
    comment->range = (Span){ 0, UINT32_MAX };
    return true;
}

static void read_comment(Suppress *s, const CommentScan *scan, uint32_t at, uint32_t end)
{
    uint32_t pos = at + (uint32_t)strlen("ptxlint:");
    const Span line = { at, end };
    Comment comment = { .named_first = s->named.count, .func = -1 };
    comment.reach = (uint8_t)read_word(s, &pos, line);
    if (!comment.reach)
        return;
    comment.span = (Span){ at, pos };
    if (ptx_span_length(scan->comment) <= LIST_BYTES_MAX
        && !memchr(s->module->text + scan->comment.begin, '\n', ptx_span_length(scan->comment)))
        comment.whole = scan->comment;
    while (pos < line.end && ptx_is_blank(s->module->text[pos]))
        pos++;
    if (read_code_list(s, &comment, pos, line.end) && find_range(s, scan, &comment))
        *(Comment *)ptx_list_push(s->scratch, &s->comments, sizeof comment) = comment;
    else
        s->named.count = comment.named_first;
}

static int compare_bodies(const void *a, const void *b)
{
    uint32_t x = ((const SuppressBody *)a)->span.begin, y = ((const SuppressBody *)b)->span.begin;
    return x < y ? -1 : x > y;
}

static void find_bodies(Suppress *s)
{
    const Module *module = s->module;
    s->bodies = ptx_arena_array(s->scratch, SuppressBody,
                                module->func_count ? module->func_count : 1);
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_body && ptx_span_length(module->funcs[f].span))
            s->bodies[s->body_count++] = (SuppressBody){ module->funcs[f].span, f };
    qsort(s->bodies, s->body_count, sizeof *s->bodies, compare_bodies);
}

static void read_comments(Suppress *s)
{
    CommentScan scan;
    uint32_t at, end;
    ptx_comment_scan_init(&scan, s->module->text, s->module->length);
    while (ptx_comment_next(&scan, &at, &end)) {
        Comment *last = s->comments.count ? (Comment *)s->comments.items + (s->comments.count - 1)
                                          : NULL;
        if (!s->bodies)
            find_bodies(s);
        if (last && last->reason.end > at)         /* two in one comment */
            last->reason.end = at;
        read_comment(s, &scan, at, end);
    }
}

/* ---- findings -------------------------------------------------------------------------------- */

static bool is_of_suppressions(const Suppress *s, RuleId rule)
{
    return rule != NO_RULE && !strcmp(s->selectors->rules[rule]->info.group, "suppression");
}

static int compare_suppression_rows(const void *pa, const void *pb)
{
    const SuppressRow *a = pa, *b = pb;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->diag->order < b->diag->order ? -1 : a->diag->order > b->diag->order;
}

/* Those that may be silenced, from number first on. of_suppressions: SUP101 and SUP102, or all but
 * these. */
static void find_suppressible_rows(Suppress *s, bool of_suppressions)
{
    s->row_count = 0;
    s->rows = ptx_arena_array(s->scratch, SuppressRow, s->diags->count ? s->diags->count : 1);
    for (uint32_t i = 0; i < s->diags->count; i++) {
        Diag *diag = s->diags->items[i];
        RuleId rule = ptx_rule_of(s->selectors, diag->info);
        if (rule == NO_RULE || ptx_rule_is_locked(s->selectors->rules[rule])
            || is_of_suppressions(s, rule) != of_suppressions)
            continue;
        bool has_place = diag->span.end > 0;
        s->rows[s->row_count++] = (SuppressRow){
            .begin = has_place ? diag->span.begin : UINT32_MAX - 1, .rule = rule, .diag = diag
        };
    }
    qsort(s->rows, s->row_count, sizeof *s->rows, compare_suppression_rows);
}

/* Chains the rows in a range that are not silenced yet, by rule. */
static void gather_unsuppressed(Suppress *s, Span range)
{
    uint32_t low = 0, high = s->row_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->rows[middle].begin < range.begin)
            low = middle + 1;
        else
            high = middle;
    }
    s->present_count = 0;
    for (uint32_t i = low; i < s->row_count && s->rows[i].begin < range.end; i++) {
        SuppressRow *row = &s->rows[i];
        if (row->diag->suppression != SUPPRESSION_NONE)
            continue;
        if (!s->heads[row->rule])
            s->present[s->present_count++] = row->rule;
        row->next = s->heads[row->rule];
        s->heads[row->rule] = i + 1;
    }
}

static const char *reason_of(Suppress *s, Comment *comment)
{
    const char *text = s->module->text;
    Span reason = ptx_span_trim(text, comment->reason);
    if (comment->reason_text || !ptx_span_length(reason))
        return comment->reason_text;
    if (text[reason.begin] == ':')
        reason.begin++;
    while (reason.end >= reason.begin + 2
           && !memcmp(text + reason.end - 2, "//", 2)) /* of the next one in this comment */
        reason = ptx_span_trim(text, (Span){ reason.begin, reason.end - 2 });
    reason = ptx_span_trim(text, reason);
    if (ptx_span_length(reason))
        comment->reason_text = ptx_arena_strndup(s->arena, text + reason.begin,
                                                 ptx_span_length(reason));
    return comment->reason_text;
}

/* The gathered rows of a rule. */
static bool silence(Suppress *s, Comment *comment, RuleId rule)
{
    const bool is_any = s->heads[rule] > 0;
    for (uint32_t i = s->heads[rule]; i; i = s->rows[i - 1].next) {
        s->rows[i - 1].diag->suppression = SUPPRESSION_INLINE;
        s->rows[i - 1].diag->reason = reason_of(s, comment);
    }
    s->heads[rule] = 0;
    return is_any;
}

/* ALL in a comment is not about comments. */
static bool speaks_of_suppressions(const Suppress *s, const Selector *selector)
{
    return selector->kind != SELECTOR_ALL && is_of_suppressions(s, selector->rule);
}

static void apply_named(Suppress *s, Comment *comment, Named *named)
{
    if (named->selector->kind == SELECTOR_RULE) {
        named->is_used |= silence(s, comment, named->selector->rule);
        return;
    }
    for (uint32_t p = 0; p < s->present_count; p++)
        if (ptx_selector_has(s->selectors, named->selector, s->present[p]))
            named->is_used |= silence(s, comment, s->present[p]);
}

static void apply_comment(Suppress *s, Comment *comment, bool of_suppressions)
{
    Named *named = (Named *)s->named.items + comment->named_first;
    for (uint32_t n = 0; n < comment->named_count; n++)
        if (!of_suppressions || speaks_of_suppressions(s, named[n].selector))
            apply_named(s, comment, &named[n]);
}

/* What a comment covers, with the place where it stands itself, and the rest of the last
 * line. */
static Span with_comments(const Suppress *s, const Comment *comment)
{
    Span range = comment->range;
    const char *newline = range.end < s->module->length ? memchr(s->module->text + range.end, '\n',
                                                                 s->module->length - range.end)
                                                        : NULL;
    range.end = newline ? (uint32_t)(newline - s->module->text) : UINT32_MAX;
    if (comment->span.begin < range.begin)
        range.begin = comment->span.begin;
    return range;
}

/* Comments of one reach that cover the same range follow each other: its findings are gathered
 * once for all of them. */
static void apply_reach(Suppress *s, Ssa reach, bool of_suppressions)
{
    Comment *comments = s->comments.items, *group = NULL;
    for (uint32_t c = 0; c < s->comments.count; c++) {
        if (comments[c].reach != reach)
            continue;
        if (!group || group->range.begin != comments[c].range.begin
            || group->range.end != comments[c].range.end) {
            for (uint32_t p = 0; p < s->present_count; p++)
                s->heads[s->present[p]] = 0;
            group = &comments[c];
            gather_unsuppressed(s, of_suppressions ? with_comments(s, group) : group->range);
        }
        apply_comment(s, &comments[c], of_suppressions);
    }
    for (uint32_t p = 0; p < s->present_count; p++)
        s->heads[s->present[p]] = 0;
    s->present_count = 0;
}

static void apply_comments(Suppress *s, bool of_suppressions)
{
    find_suppressible_rows(s, of_suppressions);
    for (int reach = REACH_LINE; reach < REACH__COUNT; reach++)
        apply_reach(s, (Ssa)reach, of_suppressions);
}

/* ---- SUP101 ---------------------------------------------------------------------------------- */

typedef struct Judge {
    uint8_t *by_selector;       /* 0: not looked at; 1: its rules ran; 2: not all of them */
    bool all_analysed;
} Judge;

/* Whether every rule that it names is enabled; of several, previews that are off do not count, but
 * one must be on. */
static bool did_selector_run(const Suppress *s, const Selector *selector)
{
    uint32_t on = 0;
    if (selector->kind == SELECTOR_RULE)
        return choice_of_rule(s, selector->rule)->is_enabled;
    for (RuleId id = 0; id < s->selectors->rule_count; id++) {
        const Rule *rule = s->selectors->rules[id];
        if (!ptx_selector_has(s->selectors, selector, id) || ptx_rule_is_locked(rule))
            continue;
        if (!choice_of_rule(s, id)->is_enabled && !rule->is_preview)
            return false;
        on += choice_of_rule(s, id)->is_enabled;
    }
    return on > 0;
}

static bool all_ran(const Suppress *s, const Judge *judge, const Comment *comment)
{
    const Named *named = (const Named *)s->named.items + comment->named_first;
    for (uint32_t n = 0; n < comment->named_count; n++) {
        uint8_t *known = &judge->by_selector[named[n].selector - s->selectors->items];
        if (!*known)
            *known = did_selector_run(s, named[n].selector) ? 1 : 2;
        if (*known == 2)
            return false;
    }
    return true;
}

static bool is_analysed(const Func *func)
{
    return !func->has_syntax_error && !func->has_unknown;
}

/* Whether rules have seen all of the file. */
static bool is_all_analysed(const Suppress *s)
{
    for (uint32_t i = 0; i < s->diags->count; i++)
        if (!strcmp(s->diags->items[i]->info->group, "syntax")
            && s->diags->items[i]->severity == SEVERITY_ERROR)
            return false;
    for (uint32_t b = 0; b < s->body_count; b++)
        if (!is_analysed(&s->module->funcs[s->bodies[b].id]))
            return false;
    return true;
}

enum { NAMES_SHOWN = 5 };

/* The list without the names that silence nothing; rules about suppressions stay. */
static void shorten_list(Suppress *s, const Comment *comment, Diag *diag)
{
    const Named *named = (const Named *)s->named.items + comment->named_first;
    const char *text = s->module->text, *list = "";
    for (uint32_t n = 0; n < comment->named_count; n++)
        if (named[n].is_used || speaks_of_suppressions(s, named[n].selector))
            list = ptx_diag_text(s->diags, "%s%s%.*s", list, ptx_text_if(*list, ", "),
                                 (int)ptx_span_length(named[n].span),
                                 text + named[n].span.begin);
    Span span = { named[0].span.begin, named[comment->named_count - 1].span.end };
    ptx_diag_fix(s->diags, diag, span, true, "%s", list);
}

/* An unused comment goes with its line, where it stands alone there. */
static void fix_unused(Suppress *s, const Comment *comment, bool is_all, Diag *diag)
{
    const Module *module = s->module;
    if (ptx_span_length(comment->whole) && is_all)
        ptx_diag_fix(s->diags, diag,
                     ptx_removal_widen(module->text, module->length, comment->whole), true, "%s",
                     "");
    else if (!is_all && comment->named_count <= NAMES_SHOWN * NAMES_SHOWN)
        shorten_list(s, comment, diag);
}

static void say_unused(Suppress *s, const Comment *comment)
{
    char names[NAMES_SHOWN * 70] = "";
    const Named *named = (const Named *)s->named.items + comment->named_first;
    size_t used = 0;
    uint32_t unused = 0;
    for (uint32_t n = 0; n < comment->named_count; n++) {
        const Selector *selector = named[n].selector;
        if (named[n].is_used || speaks_of_suppressions(s, selector))
            continue;
        if (unused++ < NAMES_SHOWN)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s`%.*s`",
                                     used ? ", " : "", ptx_shown(selector->length), selector->text);
    }
    if (!unused)
        return;
    const bool is_all = unused == comment->named_count;
    const char *message = "";
    if (has_room(s) && unused > NAMES_SHOWN)
        message = ptx_diag_text(s->diags, "%s and %u more have no finding %s", names,
                                (unsigned)(unused - NAMES_SHOWN), reaches[comment->reach].here);
    else if (has_room(s))
        message = ptx_diag_text(s->diags, "%s %s no finding %s", names,
                                unused == 1 ? "has" : "have", reaches[comment->reach].here);
    Diag *diag = say(s, DIAG_UNUSED_SUPPRESSION, comment->span,
                     func_containing(s, comment->span.begin), message);
    if (!diag)
        return;
    diag->label = is_all ? "unused" : NULL;
    diag->help = unused == 1 ? "remove it from the list" : "remove them from the list";
    if (is_all)
        diag->help = "remove this comment";
    fix_unused(s, comment, is_all, diag);
}

static void find_unused(Suppress *s)
{
    if (s->diags->dropped)      /* it might have been for one of these */
        return;
    const Comment *comments = s->comments.items;
    const Judge judge = { ptx_arena_array(s->scratch, uint8_t, s->selectors->item_count),
                          is_all_analysed(s) };
    for (uint32_t c = 0; c < s->comments.count; c++) {
        const Comment *comment = &comments[c];
        bool is_known = judge.all_analysed
                        || (comment->func >= 0 && is_analysed(&s->module->funcs[comment->func]));
        if (is_known && all_ran(s, &judge, comment))
            say_unused(s, comment);
    }
}

/* ---- what the config silences ---------------------------------------------------------------- */

static bool names_rule(const Suppress *s, const Ignore *ignore, RuleId rule)
{
    for (uint32_t i = 0; i < ignore->selector_count; i++)
        if (ptx_selector_has(s->selectors, ignore->selectors[i], rule))
            return true;
    return false;
}

/* What a finding is matched by. */
typedef struct SuppressPlace {
    const char *kernel, *path;  /* NULL: none */
    Loc locs[MAX_LOC_CHAIN];   /* the CUDA line, and those that it was inlined into */
    uint32_t loc_count;
} SuppressPlace;

static const char *copy_text(const Suppress *s, Span span)
{
    return ptx_arena_strndup(s->scratch, s->module->text + span.begin, ptx_span_length(span));
}

static SuppressPlace place_of(Suppress *s, const Diag *diag, const char *path)
{
    SuppressPlace place = { .path = path };
    if (diag->func < 0)
        return place;
    const Func *func = &s->module->funcs[diag->func];
    const Insn *insn = ptx_insn_at(func, diag->span.begin);
    place.kernel = copy_text(s, func->name);
    if (insn && insn->loc)
        place.loc_count = ptx_loc_chain(s->module, insn->loc, place.locs);
    return place;
}

static bool fits_source(const Suppress *s, const Ignore *ignore, const Loc *loc)
{
    if (loc->line < ignore->first_line || loc->line > ignore->last_line)
        return false;
    const File *file = ptx_loc_file(s->module, loc);
    return file && ptx_path_fits(ignore->glob, copy_text(s, file->path));
}

static bool fits_sources(const Suppress *s, const Ignore *ignore, const SuppressPlace *place)
{
    for (uint32_t i = 0; i < place->loc_count; i++)
        if (fits_source(s, ignore, &place->locs[i]))
            return true;
    return false;
}

static bool fits_place(const Suppress *s, const Ignore *ignore, IgnoreKind kind,
                       const SuppressPlace *place)
{
    switch (kind) {
    case IGNORE_KERNEL: return place->kernel && ptx_name_fits(ignore->glob, place->kernel);
    case IGNORE_SOURCE: return fits_sources(s, ignore, place);
    case IGNORE_FILE:   return place->path && ptx_path_fits(ignore->glob, place->path);
    default:            return false;
    }
}

static const Ignore *find_ignore(const Suppress *s, const List *list, IgnoreKind kind,
                                 const SuppressRow *row, const SuppressPlace *place)
{
    const Ignore *items = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (names_rule(s, &items[i], row->rule) && fits_place(s, &items[i], kind, place))
            return &items[i];
    return NULL;
}

static void note_use(Suppress *s, const Ignore *ignore)
{
    UseLog *log = NULL;                 /* entries of the command line are never stale */
    Use use = { .bits = IGNORE_USED };
    for (int kind = 0; kind < IGNORE__COUNT && !log; kind++) {
        const List *list = &s->config->files.silenced[kind];
        const Ignore *items = list->items;
        for (uint32_t i = 0; i < list->count && !log; i++)
            if (&items[i] == ignore) {
                use = (Use){ (uint32_t)kind, i, IGNORE_USED };
                log = s->diags->uses;
            }
    }
    ptx_use_note(log, ignore->state, use);
}

static void apply_ignores(Suppress *s, const SuppressRow *row, const char *path)
{
    const ArenaMark mark = ptx_arena_mark(s->scratch);
    const SuppressPlace place = place_of(s, row->diag, path);
    const Ignore *ignore = NULL;
    for (int kind = 0; kind < IGNORE__COUNT && !ignore; kind++) {
        ignore = find_ignore(s, &s->config->files.silenced[kind], (IgnoreKind)kind, row, &place);
        ignore = ignore ? ignore
                        : find_ignore(s, &s->config->settings.silenced[kind], (IgnoreKind)kind, row,
                                      &place);
    }
    ptx_arena_release(s->scratch, mark);
    if (!ignore)
        return;
    note_use(s, ignore);
    row->diag->suppression = SUPPRESSION_CONFIG;
    row->diag->reason = ptx_arena_strndup(s->arena, ignore->reason, strlen(ignore->reason));
}

static void apply_config(Suppress *s, const char *path)
{
    uint32_t count = 0;
    for (int kind = 0; kind < IGNORE__COUNT; kind++)
        count += s->config->files.silenced[kind].count + s->config->settings.silenced[kind].count;
    for (int of_suppressions = 0; count && of_suppressions < 2; of_suppressions++) {
        find_suppressible_rows(s, of_suppressions);
        for (uint32_t r = 0; r < s->row_count; r++)
            if (s->rows[r].diag->suppression == SUPPRESSION_NONE)
                apply_ignores(s, &s->rows[r], path);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void ptx_suppress(Arena *arena, Arena *scratch, DiagSink *diags, const Module *module,
                  const char *path, const ptxlint_config *config)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    const int32_t func = diags->func;
    Suppress s = { .arena = arena,
                   .scratch = scratch,
                   .diags = diags,
                   .module = module,
                   .config = config,
                   .selectors = config->selectors };
    read_comments(&s);
    if (s.comments.count) {
        s.heads = ptx_arena_array(scratch, uint32_t, s.selectors->rule_count + 1);
        s.present = ptx_arena_array(scratch, RuleId, s.selectors->rule_count + 1);
        apply_comments(&s, false);
        find_unused(&s);
    }
    if (s.comments.count)
        apply_comments(&s, true);
    apply_config(&s, path);
    diags->func = func;
    ptx_arena_release(scratch, mark);
}

/* ---- what the baseline knows ----------------------------------------------------------------- */

static FindingKey place_key_of(Arena *scratch, const Module *module, const Diag *diag, Normal *room)
{
    FindingKey key = {
        .rule = diag->info->code, .kernel = "", .statement = "", .count = 1 + diag->repeats
    };
    if (diag->func >= 0) {
        const Span name = module->funcs[diag->func].name;
        key.kernel = ptx_key_kernel(scratch, module->text + name.begin, ptx_span_length(name));
    }
    if (!diag->repeats) {
        *room = ptx_normal_statement(module->text, module->length, diag->span.begin);
        key.statement = room->text;
    }
    return key;
}

void ptx_suppress_known(Arena *scratch, DiagSink *diags, const Module *module,
                        const ptxlint_baseline *baseline)
{
    if (!baseline)
        return;
    const ArenaMark mark = ptx_arena_mark(scratch);
    uint64_t *taken = ptx_arena_array(scratch, uint64_t, ptx_baseline_count(baseline) + 1);
    for (uint32_t i = 0; i < diags->count; i++) {
        Diag *diag = diags->items[i];
        Normal room;
        if (diag->suppression != SUPPRESSION_NONE || !ptx_baseline_takes(diag->info->group))
            continue;
        const FindingKey key = place_key_of(scratch, module, diag, &room);
        if (!ptx_baseline_take(baseline, taken, &key))
            continue;
        diag->suppression = SUPPRESSION_BASELINE;
        diag->reason = ptx_baseline_reason(baseline);
    }
    ptx_arena_release(scratch, mark);
}
