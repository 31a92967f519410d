/* cover.c -- which names of launches some kernel that was read has; of the others, the names that
 * are nearest. */
#include "input/launch.h"
#include "api/module.h"
#include "input/param.h"
#include "support/minmax.h"
#include "support/demangle.h"
#include "support/words.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dom.h"
#include "analysis/flow/loop.h"
#include "ir/func.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/diag.h"
#include "support/guard.h"
#include "support/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Item {
    ptxlint_covered seen;
    const json_t *value;        /* of a parameter */
    char digits[12];            /* its position, where it has no name */
    size_t group;
} Item;

/* Of an entry of the file, or of the settings: the kernel itself, what is said of its parameters,
 * of its loops. */
typedef struct Group {
    size_t first, count;        /* items */
    bool is_used;               /* some function takes its launch from it */
} Group;

struct ptxlint_coverage {
    json_t *root, *settings;    /* of the launches; names of items lie in them */
    bool is_profile;
    Item *items;
    size_t count, capacity;
    /* of the file's kernels, in order, of its "launches", then of the settings */
    Group *groups;
    size_t group_count, group_capacity, first_listed;
    json_t *index;              /* kernel of the file -> number of its group */
    json_t *names[3];           /* per ptxlint_launch_part: those of kernels that were read */
    /* loops of a function are not known: it has a syntax error, or was read for its syntax alone */
    bool is_broken;
};

/* ---- what there is to match ------------------------------------------------------------------ */

static size_t count_items(const json_t *kernel)
{
    const json_t *params = json_object_get(kernel, "params");
    return 1 + json_array_size(params) + json_object_size(params)
           + json_object_size(json_object_get(kernel, "trips"));
}

static Item *add_coverage_item(ptxlint_coverage *c, ptxlint_launch_part part, const char *kernel,
                               const char *name)
{
    Item *item = &c->items[c->count++];
    item->seen = (ptxlint_covered){ .part = part, .kernel = kernel, .name = name };
    item->group = c->group_count;
    return item;
}

static void add_params(ptxlint_coverage *c, const char *kernel, json_t *params)
{
    const char *name;
    json_t *value;
    json_object_foreach(params, name, value) {
        add_coverage_item(c, PTXLINT_PART_PARAM, kernel, name)->value = value;
    }
    for (size_t i = 0; i < json_array_size(params); i++) {
        Item *item = add_coverage_item(c, PTXLINT_PART_PARAM, kernel, NULL);
        snprintf(item->digits, sizeof item->digits, "%zu", i % 1000000000);
        item->seen.name = item->digits;
        item->value = json_array_get(params, i);
    }
}

/* kernel: its name or the glob for it; NULL for the settings, which are for all of them. */
static bool add_coverage_group(ptxlint_coverage *c, const char *kernel, const json_t *said)
{
    if (!ptx_list_reserve(&c->items, &c->capacity, c->count + count_items(said), sizeof *c->items)
        || !ptx_list_reserve(&c->groups, &c->group_capacity, c->group_count + 1,
                             sizeof *c->groups))
        return false;
    const char *label;
    json_t *value;
    size_t first = c->count;
    memset(&c->items[first], 0, count_items(said) * sizeof *c->items);
    if (kernel)
        add_coverage_item(c, PTXLINT_PART_KERNEL, kernel, kernel);
    add_params(c, kernel, json_object_get(said, "params"));
    json_object_foreach(json_object_get(said, "trips"), label, value) {
        add_coverage_item(c, PTXLINT_PART_TRIP, kernel, label)->seen.line = ptx_launch_line(label);
    }
    c->groups[c->group_count++] = (Group){ first, c->count - first, false };
    return true;
}

/* Positions are written into items: their names point there once these have their place. */
static void place_digits(ptxlint_coverage *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].digits[0])
            c->items[i].seen.name = c->items[i].digits;
}

/* What an entry of "launches" is for, in a word. */
static const char *listed_name(const json_t *entry)
{
    const char *kernel = json_string_value(json_object_get(entry, "kernel")),
               *file = json_string_value(json_object_get(entry, "file"));
    const char *name = kernel ? kernel : file;
    return name ? name : "*";
}

static bool add_groups(ptxlint_coverage *c)
{
    const char *name;
    json_t *kernel, *listed = json_object_get(c->root, "launches");
    bool is_good = c->index && c->names[0] && c->names[1] && c->names[2];
    json_object_foreach(json_object_get(c->root, "kernels"), name, kernel) {
        is_good = is_good
                  && !json_object_set_new(c->index, name, json_integer((json_int_t)c->group_count))
                  && add_coverage_group(c, name, kernel);
    }
    c->first_listed = c->group_count;
    for (size_t i = 0; i < json_array_size(listed); i++)
        is_good = is_good
                  && add_coverage_group(c, listed_name(json_array_get(listed, i)),
                                        json_array_get(listed, i));
    is_good = is_good && add_coverage_group(c, NULL, c->settings);
    place_digits(c);
    return is_good;
}

ptxlint_status ptxlint_coverage_new(const ptxlint_launches *launches, ptxlint_coverage **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_coverage *c = calloc(1, sizeof *c);
    if (!c)
        return PTXLINT_NO_MEMORY;
    c->root = launches ? json_incref(launches->root) : NULL;
    c->is_profile = launches && launches->is_profile;
    c->settings = launches ? json_incref(launches->settings) : NULL;
    c->index = json_object();
    for (size_t i = 0; i < sizeof c->names / sizeof *c->names; i++)
        c->names[i] = json_object();
    if (add_groups(c)) {
        *out = c;
        return PTXLINT_OK;
    }
    ptxlint_coverage_free(c);
    return PTXLINT_NO_MEMORY;
}

void ptxlint_coverage_free(ptxlint_coverage *c)
{
    if (!c)
        return;
    json_decref(c->root);
    json_decref(c->settings);
    json_decref(c->index);
    for (size_t i = 0; i < sizeof c->names / sizeof *c->names; i++)
        json_decref(c->names[i]);
    free(c->items);
    free(c->groups);
    free(c);
}

/* ---- one function ---------------------------------------------------------------------------- */

enum { NAMES_MAX = 10000 };

typedef struct CoverSubject {
    const ptxlint_module *module;
    const Func *func;
    const ptxlint_kernel *view;
    Arena *arena, *scratch;     /* the caller's: several threads may read one module */
} CoverSubject;

/* Names are for suggestions alone: so many of a kind are enough. is_free: the file says nothing of
 * it. */
static bool learn(ptxlint_coverage *c, ptxlint_launch_part part, const char *name, bool is_free)
{
    return json_object_size(c->names[part]) >= NAMES_MAX
           || !json_object_set_new(c->names[part], name, json_boolean(is_free));
}

/* Whether the parameter's name, alone or behind "KERNEL_", or its position is what an item says. */
static bool is_coverage_param(const CoverSubject *s, Span name, uint32_t position, const char *said)
{
    char digits[16];
    const char *text = s->module->text + name.begin;
    size_t length = ptx_span_length(name), kernel = strlen(s->view->name),
           said_length = strlen(said);
    snprintf(digits, sizeof digits, "%" PRIu32, position);
    if (!strcmp(digits, said) || (length == said_length && !memcmp(text, said, length)))
        return true;
    return length == kernel + 1 + said_length && text[kernel] == '_'
           && !memcmp(text, s->view->name, kernel) && !memcmp(text + kernel + 1, said, said_length);
}

static void match_param(const CoverSubject *s, Item *item)
{
    for (uint32_t i = 0; s->func->is_entry && i < s->func->param_count; i++) {
        const Var *var = s->func->params[i] == NO_ID ? NULL
                                                     : &s->module->ir->vars[s->func->params[i]];
        if (!var || !is_coverage_param(s, var->name, i, item->seen.name))
            continue;
        bool fits = ptx_param_fits(var, item->value);
        item->seen.matches |= fits;
        item->seen.misfit = fits ? item->seen.misfit : ptx_type_info[var->type].text;
        item->seen.misfit_bytes = fits ? item->seen.misfit_bytes : var->bytes;
    }
    if (s->func->is_entry && item->seen.param_count < s->func->param_count)
        item->seen.param_count = s->func->param_count;
}

/* Whether a loop holds the line. Computed anew: a module opened without launches keeps no loops. */
static bool has_loop_at(const CoverSubject *s, uint32_t line)
{
    const Module *ir = s->module->ir;
    uint32_t first = ptxlint_module_place(s->module, s->func->span.begin).line,
             last = ptxlint_module_place(s->module, s->func->span.end).line;
    if (!ptx_module_is_analysed(s->module) || line < first || line > last)
        return false;
    ArenaMark mark = ptx_arena_mark(s->arena);
    const Cfg *cfg = ptx_cfg_build(s->arena, s->scratch, ir, s->func);
    const Dom *dom = cfg ? ptx_dom_compute(s->arena, s->scratch, cfg) : NULL;
    bool has_loop = dom
                    && ptx_loop_at_line(ir, s->func, cfg,
                                        ptx_loops_compute(s->arena, s->scratch, cfg, dom), line)
                           != NO_LOOP;
    ptx_arena_release(s->arena, mark);
    return has_loop;
}

static void match_line(const CoverSubject *s, Item *item)
{
    const uint32_t line = item->seen.line;
    item->seen.matches |= has_loop_at(s, line);
    for (size_t i = 0; i < s->view->loop_count; i++) {
        uint32_t here = ptxlint_module_place(s->module, s->view->loops[i].header.begin).line;
        if (!item->seen.near_line
            || ptx_u32_distance(here, line) < ptx_u32_distance(item->seen.near_line, line))
            item->seen.near_line = here;
    }
}

static void match_trip(const CoverSubject *s, Item *item)
{
    if (item->seen.line) {
        match_line(s, item);
        return;
    }
    for (size_t i = 0; i < s->view->loop_count && !item->seen.matches; i++)
        item->seen.matches = !strcmp(s->view->loops[i].label, item->seen.name);
}

static void match_group(ptxlint_coverage *c, const CoverSubject *s, Group *group)
{
    group->is_used = true;
    for (size_t i = group->first; i < group->first + group->count; i++) {
        Item *item = &c->items[i];
        if (item->seen.part == PTXLINT_PART_PARAM)
            match_param(s, item);
        else if (item->seen.part == PTXLINT_PART_TRIP)
            match_trip(s, item);
        else
            item->seen.matches = 1;
    }
}

/* As it stands in the PTX, and without "KERNEL_" before it. */
static bool learn_param(ptxlint_coverage *c, const CoverSubject *s, Span span)
{
    char name[256];
    size_t kernel = strlen(s->view->name);
    snprintf(name, sizeof name, "%.*s", (int)ptx_span_length(span), s->module->text + span.begin);
    bool has_prefix = !strncmp(name, s->view->name, kernel) && name[kernel] == '_';
    return learn(c, PTXLINT_PART_PARAM, name, true)
           && (!has_prefix || learn(c, PTXLINT_PART_PARAM, name + kernel + 1, true));
}

static bool learn_names(ptxlint_coverage *c, const CoverSubject *s)
{
    bool is_good = true;
    for (size_t i = 0; i < s->view->loop_count; i++)
        is_good &= !*s->view->loops[i].label
                   || learn(c, PTXLINT_PART_TRIP, s->view->loops[i].label, true);
    for (uint32_t i = 0; s->func->is_entry && i < s->func->param_count; i++)
        if (s->func->params[i] != NO_ID)
            is_good &= learn_param(c, s, s->module->ir->vars[s->func->params[i]].name);
    return is_good;
}

/* The group that gives the function its launch; NO_GROUP: the file says nothing of it. An entry
 * whose globs fit it is no slip, even if another gives the launch. */
#define NO_GROUP SIZE_MAX
#define COVER_MEMORY ((size_t)1 << 30)

static LaunchSubject subject_of(const ptxlint_coverage *c, const CoverSubject *s)
{
    LaunchSubject subject = { s->module->info.path, s->view->name, s->func, NULL };
    if (c->is_profile)
        subject.known = ptx_launch_known(s->module->found, &subject);
    return subject;
}

static size_t find_group(ptxlint_coverage *c, const CoverSubject *s)
{
    const json_t *number = ptx_launch_named(c->index, s->view->name),
                 *listed = json_object_get(c->root, "launches");
    size_t found = number ? (size_t)json_integer_value(number) : NO_GROUP;
    const LaunchSubject subject = subject_of(c, s);
    for (size_t i = 0; (i = ptx_launch_listed(c->root, i, subject.path, subject.kernel))
                       < json_array_size(listed);
         i++)
        c->items[c->groups[c->first_listed + i].first].seen.matches = 1;
    size_t chosen = ptx_launch_choose(c->root, &subject);
    return found == NO_GROUP && chosen < json_array_size(listed) ? c->first_listed + chosen : found;
}

static bool add_func(ptxlint_coverage *c, const CoverSubject *s, const char *kernel_glob)
{
    const size_t group = find_group(c, s);
    bool is_wanted = !s->func->is_entry || !kernel_glob
                     || ptx_name_fits(kernel_glob, s->view->name);
    bool is_good = learn(c, PTXLINT_PART_KERNEL, s->view->name,
                         group == NO_GROUP && s->func->is_entry);
    if (group != NO_GROUP)
        match_group(c, s, &c->groups[group]);
    for (uint32_t n = 1; group != NO_GROUP && group >= c->first_listed
                         && n <= s->module->launched_count;
         n++) {
        const LaunchSubject subject = subject_of(c, s);
        size_t at = ptx_launch_at(c->root, &subject, n);
        if (at < json_array_size(json_object_get(c->root, "launches")))
            match_group(c, s, &c->groups[c->first_listed + at]);
    }
    if (is_wanted && json_object_size(c->settings)) {
        match_group(c, s, &c->groups[c->group_count - 1]);
        is_good &= learn_names(c, s);
    }
    c->is_broken |= s->view->has_syntax_error || !ptx_module_is_analysed(s->module);
    return is_good;
}

typedef struct CoverWork {
    ptxlint_coverage *coverage;
    const ptxlint_module *module;
    const char *kernel_glob;
    Arena arenas[2];
    bool is_good;
} CoverWork;

/* A GuardedFn. */
static void add_funcs(void *context)
{
    CoverWork *work = context;
    const ptxlint_module *module = work->module;
    const ptxlint_kernel *view = module->kernels, *end = view + module->kernel_count;
    for (FuncId f = 0; f < module->ir->func_count && view < end; f++) {
        const Func *func = &module->ir->funcs[f];
        if (!func->has_body)
            continue;
        const CoverSubject subject = { module, func, view++, &work->arenas[0], &work->arenas[1] };
        work->is_good &= add_func(work->coverage, &subject, work->kernel_glob);
    }
}

ptxlint_status ptxlint_coverage_add(ptxlint_coverage *c, const ptxlint_module *module,
                                    const char *kernel_glob)
{
    if (!c || !module)
        return PTXLINT_BAD_ARGUMENT;
    CoverWork work = { .coverage = c, .module = module, .kernel_glob = kernel_glob };
    work.is_good = true;
    for (int i = 0; i < 2; i++)
        ptx_arena_init(&work.arenas[i], COVER_MEMORY, NULL);
    Arena *const arenas[GUARD_ARENAS_MAX] = { &work.arenas[0], &work.arenas[1] };
    bool is_complete = ptx_run_guarded(arenas, add_funcs, &work);
    ptx_arena_free(&work.arenas[0]);
    ptx_arena_free(&work.arenas[1]);
    return is_complete && work.is_good ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

/* ---- what another coverage came to ----------------------------------------------------------- */

size_t ptxlint_coverage_matches(const ptxlint_coverage *c, unsigned char *matches, size_t count)
{
    for (size_t i = 0; c && i < c->count && i < count; i++)
        matches[i] = (unsigned char)((c->items[i].seen.matches != 0)
                                     | c->groups[c->items[i].group].is_used << 1);
    return c ? c->count : 0;
}

ptxlint_status ptxlint_coverage_add_matches(ptxlint_coverage *c, const ptxlint_module *module,
                                            const unsigned char *matches, size_t count)
{
    bool is_good = true;
    if (!c || !module || count != c->count)
        return PTXLINT_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        c->items[i].seen.matches |= matches[i] & 1;
        c->groups[c->items[i].group].is_used |= (matches[i] & 2) != 0;
    }
    for (size_t k = 0; k < module->kernel_count; k++) {
        const char *name = module->kernels[k].name;
        bool is_free = module->kernels[k].is_entry && !ptx_launch_named(c->index, name);
        is_good &= learn(c, PTXLINT_PART_KERNEL, name, is_free);
    }
    return is_good ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

/* ---- names that are near --------------------------------------------------------------------- */

enum { NEAR_EDITS = 2, NEAR_SOURCE = 3, NEAR_PART = 4, NOT_NEAR = 5, PART_LEAST = 4 };

typedef struct CoverWord {
    const char *text;
    size_t length;
} CoverWord;

/* What ends a name of Rust: 17h and 16 hexadecimal digits. */
static bool is_hash(CoverWord word)
{
    return word.length == 17 && word.text[0] == 'h'
           && strspn(word.text + 1, "0123456789abcdef") >= 16;
}

/* The function's own name in a mangled one (Itanium C++ ABI, "Mangling"; Rust's as far as it is
 * like it): the last identifier before template arguments and types; else the whole. */
static CoverWord source_name(const char *name)
{
    CoverWord word = { name, strlen(name) };
    if (strncmp(name, "_Z", 2) != 0)
        return word;
    const char *at = name + 2;
    bool is_nested = *at == 'N';
    at += strspn(at, "NLrVK");
    for (size_t left = strlen(at); *at >= '1' && *at <= '9'; left = strlen(at)) {
        char *end;
        unsigned long length = strtoul(at, &end, 10);
        left -= (size_t)(end - at);
        if (length > left)
            break;
        CoverWord here = { end, length };
        word = is_hash(here) ? word : here;
        at = end + length;
        if (!is_nested)
            break;
    }
    return word;
}

/* Edits of what is left of two words without what they begin and end with alike. */
static unsigned edits_between(CoverWord a, CoverWord b)
{
    while (a.length && b.length && *a.text == *b.text)
        a.text++, b.text++, a.length--, b.length--;
    while (a.length && b.length && a.text[a.length - 1] == b.text[b.length - 1])
        a.length--, b.length--;
    return ptx_edit_distance(a.text, a.length, b.text, b.length);
}

static bool is_near(CoverWord a, CoverWord b)
{
    size_t least = a.length < b.length ? a.length : b.length;
    unsigned apart = edits_between(a, b);
    return apart <= NEAR_EDITS && apart < least;
}

/* Fewer is nearer. */
static unsigned edit_distance(const char *wanted, const char *name)
{
    CoverWord whole = { wanted, strlen(wanted) }, other = { name, strlen(name) },
              own = source_name(wanted), its = source_name(name);
    if (is_near(whole, other))
        return edits_between(whole, other);
    if (is_near(own, its))
        return NEAR_SOURCE;
    bool is_part = whole.length >= PART_LEAST && strstr(name, wanted);
    return is_part ? NEAR_PART : NOT_NEAR;
}

/* NULL: none is near. is_free: kernels that the file says nothing of alone. */
static const char *nearest_name(const ptxlint_coverage *c, ptxlint_launch_part part,
                                const char *wanted, bool is_free)
{
    const char *nearest = NULL, *name;
    json_t *value;
    unsigned least = NOT_NEAR;
    json_object_foreach(c->names[part], name, value) {
        unsigned here = is_free && json_is_false(value) ? NOT_NEAR : edit_distance(wanted, name);
        if (here < least)
            least = here, nearest = name;
    }
    return nearest;
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* Of an entry that no kernel takes nothing but its name is reported. */
static bool is_of_unused(const ptxlint_coverage *c, const Item *item)
{
    return item->seen.kernel && item->seen.part != PTXLINT_PART_KERNEL
           && !c->groups[item->group].is_used;
}

/* Whether the entry names a kernel outright, or has the pattern of an entry before it: a pattern of
 * its own is for what others leave. */
static bool is_outright(const ptxlint_coverage *c, size_t index)
{
    const Item *item = &c->items[index];
    if (!strpbrk(item->seen.name, "*?["))
        return true;
    for (size_t g = c->first_listed; g < item->group; g++)
        if (!strcmp(c->items[c->groups[g].first].seen.name, item->seen.name))
            return true;
    return false;
}

int ptxlint_coverage_at(const ptxlint_coverage *c, size_t index, ptxlint_covered *out)
{
    if (!c || index >= c->count || !out)
        return 0;
    *out = c->items[index].seen;
    out->is_overruled = !c->is_profile && out->kernel && out->part == PTXLINT_PART_KERNEL
                        && out->matches && !c->groups[c->items[index].group].is_used
                        && is_outright(c, index);
    out->matches |= is_of_unused(c, &c->items[index])
                    || (out->part == PTXLINT_PART_TRIP && c->is_broken);
    return 1;
}

const char *ptxlint_coverage_suggest(const ptxlint_coverage *c, size_t index)
{
    if (!c || index >= c->count)
        return NULL;
    return nearest_name(c, c->items[index].seen.part, c->items[index].seen.name, true);
}

const char *ptxlint_coverage_suggest_kernel(const ptxlint_coverage *c, const char *name)
{
    return c && name ? nearest_name(c, PTXLINT_PART_KERNEL, name, false) : NULL;
}
