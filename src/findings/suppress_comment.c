#include "findings/suppressing.h"

#include "check/check_loc.h"
#include "findings/comment.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "support/limits.h"
#include "support/span.h"
#include "support/words.h"

#include <fnmatch.h>
#include <stdlib.h>

const SuppressReach ptx_suppress_reaches[REACH__COUNT] = {
    [REACH_LINE] = { "ignore", "here" },
    [REACH_KERNEL] = { "ignore-kernel", "in this function" },
    [REACH_FILE] = { "ignore-file", "in this file" },
};

/* ---- saying so ------------------------------------------------------------------------------- */

const RuleChoice *ptx_suppress_choice(const Suppress *s, RuleId rule)
{
    const Rulebook *book = ptx_config_rulebook(s->config);
    uint32_t first = s->selectors->sets[0]->rule_count;
    return rule < first ? &book->choices[0][rule] : &book->choices[1][rule - first];
}

bool ptx_suppress_has_room(const Suppress *s)
{
    return s->diags->count < LIMIT_DIAGNOSTICS;
}

/* NULL: it is switched off, or there is no room for it. */
Diag *ptx_suppress_diag(Suppress *s, DiagId id, Span span, int32_t func, const char *message)
{
    RuleId rule = ptx_rule_of(s->selectors, &ptx_diag_info[id]);
    RuleChoice choice = rule == NO_RULE ? (RuleChoice){ true, ptx_diag_info[id].severity }
                                        : *ptx_suppress_choice(s, rule);
    if (!choice.is_enabled)
        return NULL;
    if (!ptx_suppress_has_room(s)) { /* as ptx_diag_of counts them, but without one a comment */
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

int32_t ptx_suppress_func_at(const Suppress *s, uint32_t at)
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
    Diag *diag = ptx_suppress_diag(s, DIAG_BAD_SUPPRESSION, span,
                                   ptx_suppress_func_at(s, span.begin), message);
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
    if (!ptx_suppress_has_room(s)) {
        complain(s, word, "", NULL);
        return;
    }
    for (int r = REACH_LINE; r < REACH__COUNT; r++) {
        unsigned distance =
            ptx_edit_distance(text + word.begin, ptx_span_length(word),
                              ptx_suppress_reaches[r].word, strlen(ptx_suppress_reaches[r].word));
        if (distance < best) {
            best = distance;
            near = ptx_suppress_reaches[r].word;
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

static CommentReach read_word(Suppress *s, uint32_t *pos, Span line)
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
        if (ptx_span_length(word) == strlen(ptx_suppress_reaches[r].word)
            && !memcmp(text + word.begin, ptx_suppress_reaches[r].word, ptx_span_length(word)))
            return (CommentReach)r;
    complain_word(s, word, line);
    return REACH_NONE;
}

static void complain_rule(Suppress *s, Span span, const Selector *selector)
{
    const char *text = s->module->text + span.begin, *help = NULL;
    const uint32_t length = ptx_span_length(span);
    uint16_t near_length;
    if (!ptx_suppress_has_room(s)) {
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
    const uint32_t of_a = ptx_insn_loc(module, a), of_b = ptx_insn_loc(module, b);
    if (of_a == of_b)
        return true;
    if (!of_a || !of_b)
        return false;
    const Loc *outer = &x[ptx_loc_chain(module, of_a, x) - 1],
              *other = &y[ptx_loc_chain(module, of_b, y) - 1];
    return outer->file == other->file && outer->line == other->line;
}

/* To the last of the instructions from the one at its end on that come from the same CUDA line. */
static Span with_cuda_statement(const Suppress *s, Span range)
{
    bool inside;
    const SuppressBody *body = find_body(s, range.begin, &inside);
    const Func *func = inside ? &s->module->funcs[body->id] : NULL;
    const Insn *insn = func ? ptx_insn_at(func, range.begin) : NULL, *first = insn;
    while (insn && insn < func->insns + func->insn_count && ptx_insn_loc(s->module, insn)
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
    comment->func = ptx_suppress_func_at(s, begin);
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

void ptx_suppress_read_comments(Suppress *s)
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
