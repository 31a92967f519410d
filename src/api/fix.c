/* fix.c -- edits of findings made in the text of a module, each tried by analysing it again.
 *
 * All edits of a round that do not touch each other are tried at once. Where that is refused, half
 * of them are, and so on: in the end some are made, or one is known to be refused. What was refused
 * is tried again once others were made, so that a second run has nothing left to do. */
#include "api/module.h"
#include "ir/module.h"
#include "support/arena.h"
#include "support/guard.h"
#include "support/limits.h"
#include "support/words.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_ANALYSES = 400,
    /* of texts, once there were so many analyses */
    MAX_ANALYSED_BYTES = 32 << 20,
    LEAST_ANALYSES = 16,
    WHY_BYTES = 320
};

typedef struct FixResult {
    ptxlint_fix_result shown;
    struct FixResult *next;
    uint64_t key;               /* of a finding whose edits were refused */
} FixResult;

struct ptxlint_fixes {
    Arena arena;
    ptxlint_fixes_info info;
    FixResult *first, **last;
    char *text;                 /* malloc'ed */
};

/* A finding with edits that are to be tried. */
typedef struct FixCandidate {
    const ptxlint_diagnostic *diagnostic;
    uint32_t begin, end;        /* of all its edits */
    uint64_t key;
} FixCandidate;

/* A finding by its rule and where it is, in the text after the edits. */
typedef struct Known {
    const char *rule;
    uint32_t at;
} Known;

/* Bytes that stand at or after `end` are moved by so many, but for those of a later one. */
typedef struct Shift {
    uint32_t end;
    int64_t bytes;
} Shift;

typedef struct FixRun {
    ptxlint_fixes *fixes;
    Arena work;                 /* of a round */
    ArenaMark begin;            /* of work, empty */
    Shift *shifts;              /* of the edits that are tried */
    size_t shift_count;
    const ptxlint_fix_options *wanted;
    ptxlint_options options;    /* of the modules that are made here */
    ptxlint_module *now, *trial;
    FixCandidate *candidates;
    size_t count;               /* of them; without those that touch an earlier one */
    size_t try_count;           /* of these, from the first on */
    size_t unsafe_count;        /* that were left out since they are not certain */
    unsigned analyses;
    uint64_t analysed_bytes;
    bool has_progress;          /* since the last time that something was refused */
    char why[WHY_BYTES];        /* the last refusal */
    ptxlint_status status;
} FixRun;

void ptxlint_fix_options_init(ptxlint_fix_options *options)
{
    if (options)
        *options = (ptxlint_fix_options){ .size = sizeof *options };
}

/* ---- which edits ----------------------------------------------------------------------------- */

static bool wants_fix(const ptxlint_fix_options *wanted, const ptxlint_diagnostic *d)
{
    const size_t count = wanted->groups ? wanted->group_count : 0;
    bool is_of_group = !count;
    for (size_t g = 0; g < count; g++)
        is_of_group |= !strcmp(wanted->groups[g], d->group);
    return is_of_group && d->suppression == PTXLINT_NOT_SUPPRESSED && d->edit_count
           && (!wanted->kernel_glob || !d->kernel || !fnmatch(wanted->kernel_glob, d->kernel, 0));
}

static bool has_certain_edits(const ptxlint_diagnostic *d)
{
    for (size_t i = 0; i < d->edit_count; i++)
        if (!d->edits[i].is_certain)
            return false;
    return true;
}

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)         /* FNV-1a */
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same for the same finding in a later text. */
static uint64_t refusal_key(const ptxlint_module *module, const ptxlint_diagnostic *d)
{
    const char *kernel = d->kernel ? d->kernel : "";
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), d->rule, strlen(d->rule) + 1);
    hash = hash_bytes(hash, kernel, strlen(kernel) + 1);
    hash = hash_bytes(hash, d->message, strlen(d->message) + 1);
    return hash_bytes(hash, module->text + d->span.begin, d->span.end - d->span.begin);
}

static bool is_refused(const ptxlint_fixes *fixes, uint64_t key)
{
    for (const FixResult *r = fixes->first; r; r = r->next)
        if (!r->shown.is_applied && r->key == key)
            return true;
    return false;
}

static int compare_fix_candidates(const void *pa, const void *pb)
{
    const FixCandidate *a = pa, *b = pb;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->diagnostic < b->diagnostic ? -1 : a->diagnostic > b->diagnostic;
}

/* Edits of one finding may lie apart, with those of others between them: these wait for the next
 * round. */
static void drop_overlaps(FixRun *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++)
        if (!kept || run->candidates[i].begin > run->candidates[kept - 1].end)
            run->candidates[kept++] = run->candidates[i];
    run->count = kept;
}

/* A suppression that is mended may suppress others: it comes first, alone. */
static void prefer_suppressions(FixRun *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++)
        if (!strcmp(run->candidates[i].diagnostic->name, "bad-suppression"))
            run->candidates[kept++] = run->candidates[i];
    run->count = kept ? kept : run->count;
}

static void add_candidate(FixRun *run, const ptxlint_diagnostic *d)
{
    const uint64_t key = refusal_key(run->now, d);
    if (!run->wanted->is_unsafe && !has_certain_edits(d))
        run->unsafe_count++;
    else if (!is_refused(run->fixes, key))
        run->candidates[run->count++] = (FixCandidate){ d, d->edits[0].span.begin,
                                                     d->edits[d->edit_count - 1].span.end, key };
}

static void find_candidates(FixRun *run)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(run->now, &count);
    ptx_arena_release(&run->work, run->begin);
    run->candidates = ptx_arena_array(&run->work, FixCandidate, count + 1);
    run->count = run->unsafe_count = 0;
    for (size_t i = 0; i < count; i++)
        if (wants_fix(run->wanted, &all[i]))
            add_candidate(run, &all[i]);
    prefer_suppressions(run);
    qsort(run->candidates, run->count, sizeof *run->candidates, compare_fix_candidates);
    drop_overlaps(run);
}

/* ---- the text with them ---------------------------------------------------------------------- */

static size_t edited_length(const FixRun *run)
{
    size_t length = run->now->length;
    for (size_t c = 0; c < run->try_count; c++)
        for (size_t i = 0; i < run->candidates[c].diagnostic->edit_count; i++) {
            const ptxlint_fix *edit = &run->candidates[c].diagnostic->edits[i];
            length += strlen(edit->replacement) - (edit->span.end - edit->span.begin);
        }
    return length;
}

static void write_edited(const FixRun *run, char *out)
{
    const char *text = run->now->text;
    uint32_t from = 0;
    for (size_t c = 0; c < run->try_count; c++)
        for (size_t i = 0; i < run->candidates[c].diagnostic->edit_count; i++) {
            const ptxlint_fix *edit = &run->candidates[c].diagnostic->edits[i];
            const size_t length = strlen(edit->replacement);
            memcpy(out, text + from, edit->span.begin - from);
            out += edit->span.begin - from;
            memcpy(out, edit->replacement, length);
            out += length;
            from = edit->span.end;
        }
    memcpy(out, text + from, run->now->length - from);
}

static bool analyse_text(FixRun *run, const char *text, size_t length, ptxlint_module **out)
{
    ptxlint_module_free(*out);
    *out = NULL;
    run->analyses++;
    run->analysed_bytes += length;
    run->status = ptxlint_module_new(text, length, &run->options, out);
    return run->status == PTXLINT_OK;
}

/* False: run->status says why. */
static bool make_trial(FixRun *run)
{
    const size_t length = edited_length(run);
    char *text = malloc(length + 1);
    run->status = text ? PTXLINT_OK : PTXLINT_NO_MEMORY;
    if (!text)
        return false;
    write_edited(run, text);
    bool is_made = analyse_text(run, text, length, &run->trial);
    free(text);
    return is_made;
}

/* ---- what it came to ------------------------------------------------------------------------- */

static void find_shifts(FixRun *run)
{
    size_t count = 0;
    int64_t bytes = 0;
    for (size_t c = 0; c < run->try_count; c++)
        count += run->candidates[c].diagnostic->edit_count;
    run->shifts = ptx_arena_array(&run->work, Shift, count + 1);
    run->shift_count = 0;
    for (size_t c = 0; c < run->try_count; c++)
        for (size_t i = 0; i < run->candidates[c].diagnostic->edit_count; i++) {
            const ptxlint_fix *edit = &run->candidates[c].diagnostic->edits[i];
            bytes += (int64_t)strlen(edit->replacement) - (edit->span.end - edit->span.begin);
            run->shifts[run->shift_count++] = (Shift){ edit->span.end, bytes };
        }
}

/* Where a byte is after the edits. */
static uint32_t shift_byte(const FixRun *run, uint32_t at)
{
    size_t low = 0, high = run->shift_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->shifts[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (uint32_t)((int64_t)at + run->shifts[low - 1].bytes) : at;
}

static int compare_known(const void *pa, const void *pb)
{
    const Known *a = pa, *b = pb;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return strcmp(a->rule, b->rule);
}

/* Findings of the module as it is, where the edits move them. */
static size_t list_known(const FixRun *run, Known *known)
{
    size_t count, kept = 0;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(run->now, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].suppression == PTXLINT_NOT_SUPPRESSED)
            known[kept++] = (Known){ all[i].rule, shift_byte(run, all[i].span.begin) };
    qsort(known, kept, sizeof *known, compare_known);
    return kept;
}

/* The gravest finding whose edits are tried. */
static ptxlint_severity gravest_tried(const FixRun *run)
{
    ptxlint_severity gravest = PTXLINT_NOTE;
    for (size_t c = 0; c < run->try_count; c++)
        if (run->candidates[c].diagnostic->severity > gravest)
            gravest = run->candidates[c].diagnostic->severity;
    return gravest;
}

/* Where code was not analysed before, findings of the analyses are not new; a note is no reason to
 * leave a warning. */
static bool is_follow_up(const ptxlint_diagnostic *d, ptxlint_severity tried)
{
    if (tried == PTXLINT_ERROR)
        return d->severity != PTXLINT_ERROR;
    return d->severity == PTXLINT_NOTE
           && (tried == PTXLINT_WARNING || !strcmp(d->group, "hygiene"));
}

static void refuse_for(FixRun *run, const ptxlint_diagnostic *d)
{
    ptxlint_place place = ptxlint_module_place(run->trial, d->span.begin);
    snprintf(run->why, sizeof run->why, "it would give %s in line %u: %.200s", d->rule,
             (unsigned)place.line, d->message);
}

/* Nothing new came. */
static bool has_no_new(FixRun *run, const Known *known, size_t known_count)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(run->trial, &count);
    const ptxlint_severity tried = gravest_tried(run);
    for (size_t i = 0; i < count; i++) {
        const Known key = { all[i].rule, all[i].span.begin };
        if (all[i].suppression != PTXLINT_NOT_SUPPRESSED || is_follow_up(&all[i], tried)
            || bsearch(&key, known, known_count, sizeof key, compare_known))
            continue;
        refuse_for(run, &all[i]);
        return false;
    }
    return true;
}

/* Where some are only counted, as there are too many, counts are all that can be compared. */
static bool has_no_more(FixRun *run)
{
    const uint32_t *now = run->now->diags.counts, *then = run->trial->diags.counts;
    static const char *const names[] = { "", "note", "warning", "error" };
    const Severity least = gravest_tried(run) == PTXLINT_ERROR ? SEVERITY_ERROR : SEVERITY_NOTE;
    for (Severity s = least; s <= SEVERITY_ERROR; s++) {
        if (then[s] <= now[s])
            continue;
        snprintf(run->why, sizeof run->why, "it would give %u %ss, and there are %u",
                 (unsigned)then[s], names[s], (unsigned)now[s]);
        return false;
    }
    return true;
}

/* The findings whose edits were made are gone. */
static bool has_no_old(FixRun *run)
{
    size_t count;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(run->trial, &count);
    Known *there = ptx_arena_array(&run->work, Known, count + 1);
    for (size_t i = 0; i < count; i++)
        there[i] = (Known){ all[i].rule, all[i].span.begin };
    qsort(there, count, sizeof *there, compare_known);
    for (size_t c = 0; c < run->try_count; c++) {
        const ptxlint_diagnostic *d = run->candidates[c].diagnostic;
        const Known key = { d->rule, shift_byte(run, d->span.begin) };
        const bool is_removed = d->edits[0].span.begin <= d->span.begin
                                && d->edits[0].span.end >= d->span.end && !*d->edits[0].replacement;
        if (!is_removed && bsearch(&key, there, count, sizeof key, compare_known)) {
            snprintf(run->why, sizeof run->why, "the finding would stay");
            return false;
        }
    }
    return true;
}

static bool is_good_trial(FixRun *run)
{
    size_t count;
    ptxlint_module_diagnostics(run->now, &count);
    const ArenaMark mark = ptx_arena_mark(&run->work);
    Known *known = ptx_arena_array(&run->work, Known, count + 1);
    find_shifts(run);
    const size_t known_count = list_known(run, known);
    bool is_good = has_no_old(run)
                   && (run->now->diags.dropped ? has_no_more(run)
                                               : has_no_new(run, known, known_count));
    ptx_arena_release(&run->work, mark);
    return is_good;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static const char *keep_in_fixes(FixRun *run, const char *text)
{
    return text ? ptx_arena_strndup(&run->fixes->arena, text, strlen(text)) : NULL;
}

static void add_result(FixRun *run, const FixCandidate *candidate, const char *why)
{
    const ptxlint_diagnostic *d = candidate->diagnostic;
    const ptxlint_place place = ptxlint_module_place(run->now, d->span.begin);
    FixResult *result = ptx_arena_new(&run->fixes->arena, FixResult);
    result->shown = (ptxlint_fix_result){ .rule = keep_in_fixes(run, d->rule),
                                          .message = keep_in_fixes(run, d->message),
                                          .help = keep_in_fixes(run, d->help),
                                          .kernel = keep_in_fixes(run, d->kernel),
                                          .line = place.line, .column = place.column,
                                          .is_applied = !why, .why = keep_in_fixes(run, why) };
    result->key = candidate->key;
    *run->fixes->last = result;
    run->fixes->last = &result->next;
    run->fixes->info.count++;
    run->fixes->info.applied_count += !why;
}

static void accept_trial(FixRun *run)
{
    for (size_t c = 0; c < run->try_count; c++)
        add_result(run, &run->candidates[c], NULL);
    ptxlint_module_free(run->now);
    run->now = run->trial;
    run->trial = NULL;
    run->has_progress = true;
}

static bool is_at_limit(const FixRun *run)
{
    return run->analyses >= MAX_ANALYSES
           || (run->analyses >= LEAST_ANALYSES && run->analysed_bytes >= MAX_ANALYSED_BYTES);
}

/* Some of the candidates are made, or one is refused. False: run->status, or the limit. */
static bool settle_some(FixRun *run)
{
    for (run->try_count = run->count; run->try_count;) {
        if (is_at_limit(run) || !make_trial(run))
            return false;
        if (is_good_trial(run)) {
            accept_trial(run);
            return true;
        }
        if (run->try_count == 1)
            break;
        run->try_count = (run->try_count + 1) / 2;
    }
    add_result(run, &run->candidates[0], run->why);
    return true;
}

/* They may do once other edits were made. */
static void forget_refusals(FixRun *run)
{
    ptxlint_fixes *fixes = run->fixes;
    FixResult **at = &fixes->first;
    while (*at) {
        if ((*at)->shown.is_applied) {
            at = &(*at)->next;
        } else {
            *at = (*at)->next;
            fixes->info.count--;
        }
    }
    fixes->last = at;
    run->has_progress = false;
}

static void make_edits(FixRun *run)
{
    bool is_going = true;
    while (is_going) {
        find_candidates(run);
        if (run->count)
            is_going = settle_some(run);
        else if (run->has_progress && run->fixes->info.count > run->fixes->info.applied_count)
            forget_refusals(run);
        else
            break;
    }
    run->fixes->info.is_cut_short = !is_going && run->status == PTXLINT_OK;
    run->fixes->info.unsafe_count = run->unsafe_count;
}

static void run_guarded_fixes(void *context)
{
    make_edits(context);
}

/* ---- the entry points ------------------------------------------------------------------------ */

static bool has_edits(const ptxlint_module *module, const ptxlint_fix_options *wanted)
{
    for (size_t i = 0; i < module->diagnostic_count; i++)
        if (wants_fix(wanted, &module->diagnostics[i]))
            return true;
    return false;
}

static bool keep_result(FixRun *run, const char *text, size_t length)
{
    ptxlint_fixes *fixes = run->fixes;
    fixes->text = malloc(length + 1);
    if (!fixes->text)
        return false;
    memcpy(fixes->text, text, length);
    fixes->text[length] = 0;
    fixes->info.text = fixes->text;
    fixes->info.length = length;
    return true;
}

static ptxlint_status fix_text(FixRun *run, const ptxlint_module *module)
{
    Arena *const guarded[GUARD_ARENAS_MAX] = { &run->fixes->arena, &run->work };
    const ptxlint_module *last = module;
    run->options.is_unfolded = 1;
    run->options.findings_only = 1;
    run->options.estimates_only = 0;
    run->options.budget = NULL;
    run->options.profile = NULL;
    run->options.path = module->info.path;
    if (has_edits(module, run->wanted)) {
        if (!analyse_text(run, module->text, module->length, &run->now))
            return run->status;
        if (!ptx_run_guarded(guarded, run_guarded_fixes, run))
            return PTXLINT_NO_MEMORY;
        last = run->now;
    }
    if (run->status == PTXLINT_OK && !keep_result(run, last->text, last->length))
        return PTXLINT_NO_MEMORY;
    return run->status;
}

ptxlint_status ptxlint_fixes_new(const ptxlint_module *module, const ptxlint_options *options,
                                 const ptxlint_fix_options *wanted, ptxlint_fixes **out)
{
    ptxlint_fix_options all;
    ptxlint_fix_options_init(&all);
    if (out)
        *out = NULL;
    if (!module || !options || !out || options->size != sizeof *options
        || (wanted && wanted->size != sizeof *wanted)
        || (wanted && !ptx_words_are_given(wanted->groups, wanted->group_count)))
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_fixes *fixes = calloc(1, sizeof *fixes);
    if (!fixes)
        return PTXLINT_NO_MEMORY;
    fixes->last = &fixes->first;
    FixRun run = { .fixes = fixes, .wanted = wanted ? wanted : &all, .options = *options };
    ptx_arena_init(&fixes->arena, LIMIT_ARENA_FLOOR, NULL);
    ptx_arena_init(&run.work, LIMIT_ARENA_FLOOR, NULL);
    run.begin = ptx_arena_mark(&run.work);
    ptxlint_status status = fix_text(&run, module);
    ptx_arena_free(&run.work);
    ptxlint_module_free(run.now);
    ptxlint_module_free(run.trial);
    if (status == PTXLINT_OK)
        *out = fixes;
    else
        ptxlint_fixes_free(fixes);
    return status;
}

void ptxlint_fixes_free(ptxlint_fixes *fixes)
{
    if (!fixes)
        return;
    ptx_arena_free(&fixes->arena);
    free(fixes->text);
    free(fixes);
}

const ptxlint_fixes_info *ptxlint_fixes_get_info(const ptxlint_fixes *fixes)
{
    return fixes ? &fixes->info : NULL;
}

int ptxlint_fixes_at(const ptxlint_fixes *fixes, size_t index, ptxlint_fix_result *out)
{
    const FixResult *result = fixes && out ? fixes->first : NULL;
    while (result && index--)
        result = result->next;
    if (!result)
        return 0;
    *out = result->shown;
    return 1;
}
