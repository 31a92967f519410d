#include "findings/suppressing.h"

#include "ir/func.h"
#include "ir/module.h"
#include "rules/removal.h"
#include "support/choice.h"
#include "support/span.h"

#include <fnmatch.h>
#include <stdio.h>

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
        return ptx_suppress_choice(s, selector->rule)->is_enabled;
    for (RuleId id = 0; id < s->selectors->rule_count; id++) {
        const Rule *rule = s->selectors->rules[id];
        if (!ptx_selector_has(s->selectors, selector, id) || rule->is_locked)
            continue;
        if (!ptx_suppress_choice(s, id)->is_enabled && !rule->is_preview)
            return false;
        on += ptx_suppress_choice(s, id)->is_enabled;
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

/* The list without the names that suppress nothing; rules about suppressions stay. */
static void shorten_list(Suppress *s, const Comment *comment, Diag *diag)
{
    const Named *named = (const Named *)s->named.items + comment->named_first;
    const char *text = s->module->text, *list = "";
    for (uint32_t n = 0; n < comment->named_count; n++)
        if (named[n].is_used || ptx_suppress_names_suppressions(s, named[n].selector))
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
        if (named[n].is_used || ptx_suppress_names_suppressions(s, selector))
            continue;
        if (unused++ < NAMES_SHOWN)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s`%.*s`",
                                     used ? ", " : "", ptx_shown(selector->length), selector->text);
    }
    if (!unused)
        return;
    const bool is_all = unused == comment->named_count;
    const char *message = "";
    if (ptx_suppress_has_room(s) && unused > NAMES_SHOWN)
        message = ptx_diag_text(s->diags, "%s and %u more have no finding %s", names,
                                (unsigned)(unused - NAMES_SHOWN),
                                ptx_suppress_reaches[comment->reach].here);
    else if (ptx_suppress_has_room(s))
        message =
            ptx_diag_text(s->diags, "%s %s no finding %s", names, unused == 1 ? "has" : "have",
                          ptx_suppress_reaches[comment->reach].here);
    Diag *diag = ptx_suppress_diag(s, DIAG_UNUSED_SUPPRESSION, comment->span,
                                   ptx_suppress_func_at(s, comment->span.begin), message);
    if (!diag)
        return;
    diag->label = is_all ? "unused" : NULL;
    diag->help = unused == 1 ? "remove it from the list" : "remove them from the list";
    if (is_all)
        diag->help = "remove this comment";
    fix_unused(s, comment, is_all, diag);
}

void ptx_suppress_find_unused(Suppress *s)
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
