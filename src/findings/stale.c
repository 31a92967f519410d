#include "findings/stale.h"
#include "findings/use_log.h"

#include "ir/func.h"
#include "ir/module.h"
#include "support/demangle.h"
#include "support/words.h"

#include <stdatomic.h>

bool ptx_stale_has_rules(const ptxlint_config *config, const Selector *selector)
{
    const Selectors *selectors = config->selectors;
    const uint32_t first = selectors->sets[0]->rule_count;
    uint32_t on = 0;
    for (RuleId id = 0; id < selectors->rule_count; id++) {
        if (!ptx_selector_has(selectors, selector, id) || selectors->rules[id]->is_locked)
            continue;
        const RuleChoice *choice = id < first ? &config->choices[0][id]
                                              : &config->choices[1][id - first];
        if (!choice->is_enabled
            && (selector->kind == SELECTOR_RULE || !selectors->rules[id]->is_preview))
            return false;
        on += choice->is_enabled;
    }
    return on > 0;
}

bool ptx_stale_is_known(const DiagSink *diags, const Module *module)
{
    for (uint32_t i = 0; i < diags->count; i++)
        if (!strcmp(diags->items[i]->info->group, "syntax")
            && diags->items[i]->severity == SEVERITY_ERROR)
            return false;
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_syntax_error || module->funcs[f].has_unknown)
            return false;
    return !diags->dropped;
}

/* ---- entries of a config --------------------------------------------------------------------- */

static const char *stale_text(Arena *scratch, const Module *module, Span span)
{
    return ptx_arena_strndup(scratch, module->text + span.begin, ptx_span_length(span));
}

static bool has_ignored_kernel(Arena *scratch, const Module *module, const Ignore *ignore)
{
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_body
            && ptx_name_fits(ignore->glob, stale_text(scratch, module, module->funcs[f].name)))
            return true;
    return false;
}

static bool has_lines(const Module *module, const File *file, const Ignore *ignore)
{
    for (uint32_t i = 1; i < module->loc_count; i++) {
        const Loc *loc = &module->locs[i];
        if (loc->file == file->index && loc->unit == file->unit && loc->line >= ignore->first_line
            && loc->line <= ignore->last_line && loc->line)
            return true;
    }
    return false;
}

static bool has_source(Arena *scratch, const Module *module, const Ignore *ignore)
{
    for (uint32_t f = 0; f < module->file_count; f++)
        if (ptx_path_fits(ignore->glob, stale_text(scratch, module, module->files[f].path))
            && has_lines(module, &module->files[f], ignore))
            return true;
    return false;
}

static bool had_rules(const ptxlint_config *config, const Ignore *ignore)
{
    for (uint32_t i = 0; i < ignore->selector_count; i++)
        if (!ptx_stale_has_rules(config, ignore->selectors[i]))
            return false;
    return true;
}

void ptx_stale_note_seen(Arena *scratch, const DiagSink *diags, const Module *module,
                         const ptxlint_config *config)
{
    static bool (*const has[])(Arena *, const Module *, const Ignore *) = {
        [IGNORE_KERNEL] = has_ignored_kernel, [IGNORE_SOURCE] = has_source
    };
    const ArenaMark mark = ptx_arena_mark(scratch);
    for (int kind = IGNORE_KERNEL; kind <= IGNORE_SOURCE; kind++) {
        const List *list = &config->files.suppressed[kind];
        const Ignore *items = list->items;
        for (uint32_t i = 0; i < list->count && ptx_stale_is_known(diags, module); i++)
            if (had_rules(config, &items[i]) && has[kind](scratch, module, &items[i]))
                ptx_use_note(diags->uses, items[i].state, (Use){ (uint32_t)kind, i, IGNORE_SEEN });
    }
    ptx_arena_release(scratch, mark);
}

const char *ptxlint_config_stale(const ptxlint_config *config, size_t index)
{
    for (int kind = IGNORE_KERNEL; config && kind <= IGNORE_SOURCE; kind++) {
        const List *list = &config->files.suppressed[kind];
        const Ignore *items = list->items;
        for (uint32_t i = 0; i < list->count; i++)
            if (atomic_load(items[i].state) == IGNORE_SEEN && !index--)
                return items[i].reason;
    }
    return NULL;
}
