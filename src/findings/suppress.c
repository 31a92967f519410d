#include "findings/suppressing.h"

#include "compare/baseline.h"
#include "compare/key.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/normal.h"
#include "support/span.h"

#include <fnmatch.h>
#include <stdlib.h>

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

/* Those that may be suppressed, from number first on. of_suppressions: SUP101 and SUP102, or all
 * but these. */
void ptx_suppress_find_rows(Suppress *s, bool of_suppressions)
{
    s->row_count = 0;
    s->rows = ptx_arena_array(s->scratch, SuppressRow, s->diags->count ? s->diags->count : 1);
    for (uint32_t i = 0; i < s->diags->count; i++) {
        Diag *diag = s->diags->items[i];
        RuleId rule = ptx_rule_of(s->selectors, diag->info);
        if (rule == NO_RULE || s->selectors->rules[rule]->is_locked
            || is_of_suppressions(s, rule) != of_suppressions)
            continue;
        bool has_place = diag->span.end > 0;
        s->rows[s->row_count++] = (SuppressRow){
            .begin = has_place ? diag->span.begin : UINT32_MAX - 1, .rule = rule, .diag = diag
        };
    }
    qsort(s->rows, s->row_count, sizeof *s->rows, compare_suppression_rows);
}

/* Chains the rows in a range that are not suppressed yet, by rule. */
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
static bool suppress_rule(Suppress *s, Comment *comment, RuleId rule)
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
bool ptx_suppress_names_suppressions(const Suppress *s, const Selector *selector)
{
    return selector->kind != SELECTOR_ALL && is_of_suppressions(s, selector->rule);
}

static void apply_named(Suppress *s, Comment *comment, Named *named)
{
    if (named->selector->kind == SELECTOR_RULE) {
        named->is_used |= suppress_rule(s, comment, named->selector->rule);
        return;
    }
    for (uint32_t p = 0; p < s->present_count; p++)
        if (ptx_selector_has(s->selectors, named->selector, s->present[p]))
            named->is_used |= suppress_rule(s, comment, s->present[p]);
}

static void apply_comment(Suppress *s, Comment *comment, bool of_suppressions)
{
    Named *named = (Named *)s->named.items + comment->named_first;
    for (uint32_t n = 0; n < comment->named_count; n++)
        if (!of_suppressions || ptx_suppress_names_suppressions(s, named[n].selector))
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
static void apply_reach(Suppress *s, CommentReach reach, bool of_suppressions)
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
    ptx_suppress_find_rows(s, of_suppressions);
    for (int reach = REACH_LINE; reach < REACH__COUNT; reach++)
        apply_reach(s, (CommentReach)reach, of_suppressions);
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
    ptx_suppress_read_comments(&s);
    if (s.comments.count) {
        s.heads = ptx_arena_array(scratch, uint32_t, s.selectors->rule_count + 1);
        s.present = ptx_arena_array(scratch, RuleId, s.selectors->rule_count + 1);
        apply_comments(&s, false);
        ptx_suppress_find_unused(&s);
    }
    if (s.comments.count)
        apply_comments(&s, true);
    ptx_suppress_apply_config(&s, path);
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
