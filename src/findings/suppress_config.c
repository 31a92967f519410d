#include "findings/suppressing.h"

#include "check/check_loc.h"
#include "findings/use_log.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "support/demangle.h"
#include "support/span.h"
#include "support/words.h"

#include <fnmatch.h>

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
    const uint32_t loc = insn ? ptx_insn_loc(s->module, insn) : 0;
    if (loc)
        place.loc_count = ptx_loc_chain(s->module, loc, place.locs);
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
        const List *list = &s->config->files.suppressed[kind];
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
        ignore = find_ignore(s, &s->config->files.suppressed[kind], (IgnoreKind)kind, row, &place);
        ignore = ignore ? ignore
                        : find_ignore(s, &s->config->settings.suppressed[kind], (IgnoreKind)kind,
                                      row, &place);
    }
    ptx_arena_release(s->scratch, mark);
    if (!ignore)
        return;
    note_use(s, ignore);
    row->diag->suppression = SUPPRESSION_CONFIG;
    row->diag->reason = ptx_arena_strndup(s->arena, ignore->reason, strlen(ignore->reason));
}

void ptx_suppress_apply_config(Suppress *s, const char *path)
{
    uint32_t count = 0;
    for (int kind = 0; kind < IGNORE__COUNT; kind++)
        count +=
            s->config->files.suppressed[kind].count + s->config->settings.suppressed[kind].count;
    for (int of_suppressions = 0; count && of_suppressions < 2; of_suppressions++) {
        ptx_suppress_find_rows(s, of_suppressions);
        for (uint32_t r = 0; r < s->row_count; r++)
            if (s->rows[r].diag->suppression == SUPPRESSION_NONE)
                apply_ignores(s, &s->rows[r], path);
    }
}
