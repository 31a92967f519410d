#include "input/launch.h"

#include "analysis/value/launch.h"
#include "analysis/value/pointer.h"
#include "input/param.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/arena.h"
#include "support/choice.h"
#include "support/demangle.h"
#include "support/limits.h"
#include "support/span.h"
#include "support/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what they say of a kernel --------------------------------------------------------------- */

/* A glob that is absent fits all. */
static bool fits_listed(const json_t *entry, const char *path, const char *kernel)
{
    const char *file_glob = json_string_value(json_object_get(entry, "file")),
               *glob = json_string_value(json_object_get(entry, "kernel"));
    return (!file_glob || ptx_path_fits(file_glob, path)) && (!glob || ptx_name_fits(glob, kernel));
}

size_t ptx_launch_listed(const json_t *root, size_t from, const char *path, const char *kernel)
{
    const json_t *listed = json_object_get(root, "launches");
    while (from < json_array_size(listed)
           && !fits_listed(json_array_get(listed, from), path, kernel))
        from++;
    return from;
}

typedef struct LaunchLookup {
    const json_t *kernels, *found;
} LaunchLookup;

static bool look_up(void *context, const char *form)
{
    LaunchLookup *lookup = context;
    return (lookup->found = json_object_get(lookup->kernels, form)) != NULL;
}

const json_t *ptx_launch_named(const json_t *kernels, const char *kernel)
{
    LaunchLookup lookup = { kernels, NULL };
    if (json_object_size(kernels))
        ptx_name_forms(kernel, look_up, &lookup);
    return lookup.found;
}

static json_int_t extent_at(const json_t *shape, size_t index)
{
    const json_t *item = json_array_get(shape, index);
    return item ? json_integer_value(item) : 1;
}

static bool has_block(const json_t *entry, const uint32_t block[3])
{
    const json_t *shape = json_object_get(entry, "block");
    bool is_same = true;
    for (size_t i = 0; shape && i < 3; i++)
        is_same &= extent_at(shape, i) == (json_int_t)ptx_u32_max(block[i], 1);
    return is_same;
}

/* Whether both entries say the same of a shape, or one says nothing. */
static bool agree_on(const json_t *a, const json_t *b, const char *key)
{
    const json_t *one = json_object_get(a, key), *other = json_object_get(b, key);
    bool is_same = true;
    for (size_t i = 0; one && other && i < 3; i++)
        is_same &= extent_at(one, i) == extent_at(other, i);
    return is_same;
}

static bool agree_on_shared(const json_t *a, const json_t *b)
{
    const json_t *one = json_object_get(a, "dynamic_shared"),
                 *other = json_object_get(b, "dynamic_shared");
    return !one || !other || json_equal(one, other);
}

/* Whether a profiler's launch is one of this very code, by what is known of it. */
static bool is_of_variant(const json_t *entry, const json_t *known)
{
    return agree_on(entry, known, "block") && agree_on_shared(entry, known);
}

size_t ptx_launch_choose(const json_t *root, const LaunchSubject *subject)
{
    const uint32_t *reqntid = subject->func->bounds.reqntid;
    const json_t *listed = json_object_get(root, "launches");
    size_t at = ptx_launch_listed(root, 0, subject->path, subject->kernel), first = at;
    for (; at < json_array_size(listed);
         at = ptx_launch_listed(root, at + 1, subject->path, subject->kernel)) {
        const json_t *entry = json_array_get(listed, at);
        if ((!reqntid[0] || has_block(entry, reqntid)) && is_of_variant(entry, subject->known))
            return at;
    }
    return subject->known ? at : first;
}

static bool is_same_pattern(const json_t *a, const json_t *b, const char *key)
{
    const char *one = json_string_value(json_object_get(a, key)),
               *other = json_string_value(json_object_get(b, key));
    return one == other || (one && other && !strcmp(one, other));
}

/* Whether an entry is a further launch of a kernel whose launch is first. */
static bool is_further(const json_t *entry, const json_t *first, const LaunchSubject *subject)
{
    const uint32_t *reqntid = subject->func->bounds.reqntid;
    return entry && is_same_pattern(entry, first, "kernel") && is_same_pattern(entry, first, "file")
           && (!reqntid[0] || has_block(entry, reqntid)) && is_of_variant(entry, subject->known);
}

size_t ptx_launch_at(const json_t *root, const LaunchSubject *subject, uint32_t index)
{
    const json_t *listed = json_object_get(root, "launches");
    size_t at = ptx_launch_choose(root, subject);
    const json_t *first = json_array_get(listed, at), *entry = first;
    while (entry && index) {
        entry = json_array_get(listed, ++at);
        index -= is_further(entry, first, subject);
    }
    return entry ? at : json_array_size(listed);
}

/* What a file has of a kernel: an entry by its name, else those of the list. */
typedef struct LaunchEntries {
    const json_t *chosen;       /* NULL: nothing */
    uint32_t number, count;
} LaunchEntries;

/* number: of the one that is wanted; of fewer the first. */
static LaunchEntries find_entries(const ptxlint_launches *launches, const LaunchSubject *subject,
                                  uint32_t number)
{
    const json_t *root = launches ? launches->root : NULL,
                 *listed = json_object_get(root, "launches");
    LaunchEntries found = { ptx_launch_named(json_object_get(root, "kernels"), subject->kernel), 0,
                            1 };
    if (found.chosen)
        return found;
    found.count = 0;
    for (size_t at; found.count < LIMIT_LAUNCHES
                    && (at = ptx_launch_at(root, subject, found.count)) < json_array_size(listed);
         found.count++)
        if (!found.count || found.count == number) {
            found.chosen = json_array_get(listed, at);
            found.number = found.count;
        }
    return found;
}

const json_t *ptx_launch_known(const ptxlint_launches *found, const LaunchSubject *subject)
{
    return find_entries(found, subject, 0).chosen;
}

static bool say_one_launch(const json_t *said, const json_t *found)
{
    return agree_on(said, found, "grid") && agree_on(said, found, "block")
           && agree_on(said, found, "cluster") && agree_on_shared(said, found);
}

/* A new reference: what the file says, and what it leaves out of the launch beside the PTX. */
static json_t *join_entries(const json_t *said, const json_t *found)
{
    bool is_one = said && found && say_one_launch(said, found);
    json_t *joined = is_one ? json_copy((json_t *)(uintptr_t)found) : NULL;
    if (joined && json_object_update(joined, (json_t *)(uintptr_t)said) == 0)
        return joined;
    json_decref(joined);
    return json_incref((json_t *)(uintptr_t)(said ? said : found));
}

static void read_shape(const json_t *value, int64_t shape[3])
{
    for (size_t i = 0; value && i < 3; i++)
        shape[i] = i < json_array_size(value) ? json_integer_value(json_array_get(value, i)) : 1;
}

static void read_keys(const json_t *keys, ptxlint_launch *launch)
{
    read_shape(json_object_get(keys, "grid"), launch->grid);
    read_shape(json_object_get(keys, "block"), launch->block);
    read_shape(json_object_get(keys, "cluster"), launch->cluster);
    const json_t *shared = json_object_get(keys, "dynamic_shared");
    if (shared)
        launch->dynamic_shared_bytes = json_integer_value(shared);
}

/* Iterations of a loop alone are no launch. */
static bool says_launch(const json_t *settings)
{
    return json_object_size(settings) > (json_object_get(settings, "trips") != NULL);
}

/* The setting for a parameter: by its name, by the name without "KERNEL_", by position. */
static const json_t *param_setting(const json_t *settings, const char *kernel, const char *name,
                                   uint32_t position)
{
    char digits[16];
    size_t length = strlen(kernel);
    const json_t *value = json_object_get(settings, name);
    if (!value && !strncmp(name, kernel, length) && name[length] == '_')
        value = json_object_get(settings, name + length + 1);
    snprintf(digits, sizeof digits, "%" PRIu32, position);
    return value ? value : json_object_get(settings, digits);
}

static char *name_of(Arena *arena, const Module *module, Span name)
{
    return ptx_arena_strndup(arena, module->text + name.begin, ptx_span_length(name));
}

/* The file's for a parameter; the last ones may be scratch memory: a pointer, or a null pointer
 * where none is needed. */
static const json_t *param_entry(const json_t *entry, const Func *func, uint32_t position,
                                 json_t *const null_pointer)
{
    const json_t *params = json_object_get(entry, "params"),
                 *scratch = json_object_get(entry, "scratch");
    size_t first = func->param_count - json_array_size(scratch);
    if (position < json_array_size(params) || json_array_size(scratch) > func->param_count
        || position < first)
        return json_array_get(params, position);
    return json_integer_value(json_array_get(scratch, position - first)) ? json_null()
                                                                         : null_pointer;
}

static void build_params(Arena *arena, const Module *module, const Func *func, const json_t *entry,
                         const json_t *settings, Launch *launch)
{
    json_t *null_pointer = json_integer(0);
    const char *kernel = name_of(arena, module, func->name);
    LaunchParam *params = ptx_arena_array(arena, LaunchParam, func->param_count);
    const uint64_t pointers = ptx_pointers_compute(arena, module, func);
    for (uint32_t i = 0; i < func->param_count; i++) {
        if (func->params[i] == NO_ID)
            continue;
        const Var *var = &module->vars[func->params[i]];
        const json_t *value = settings ? param_setting(settings, kernel,
                                                       name_of(arena, module, var->name), i)
                                       : NULL;
        value = value ? value : param_entry(entry, func, i, null_pointer);
        if (ptx_param_may_point(value))
            params[i] = (LaunchParam){
                .is_pointer = ptx_param_is_pointer(var, module->address_size, pointers, i),
                .locality = (uint8_t)ptx_param_locality(value),
                .allocated = ptx_param_allocated(value) };
        else if (value)
            ptx_param_build(arena, var, value, &params[i]);
    }
    json_decref(null_pointer);
    launch->params = params;
    launch->param_count = func->param_count;
}

/* ---- trips ----------------------------------------------------------------------------------- */

/* Digits alone are no label (PTX ISA, "Identifiers") but the number of a line; 0: a label. */
uint32_t ptx_launch_line(const char *name)
{
    uint64_t line;
    return ptx_digits_read(name, &line) && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static void add_trips(const json_t *trips, const json_t *over, LaunchTrip *out, uint32_t *count)
{
    const char *label;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)trips, label, value) {
        if (!json_object_get(over, label))
            out[(*count)++] =
                (LaunchTrip){ label, ptx_launch_line(label), json_integer_value(value) };
    }
}

static void build_trips(Arena *arena, const json_t *file, const json_t *settings, Launch *launch)
{
    LaunchTrip *trips = ptx_arena_array(arena, LaunchTrip,
                                        json_object_size(file) + json_object_size(settings));
    add_trips(file, settings, trips, &launch->trip_count);
    add_trips(settings, NULL, trips, &launch->trip_count);         /* the last of a loop counts */
    launch->trips = trips;
}

/* ---- for the analyses ------------------------------------------------------------------------ */

static void copy_shape(const int64_t from[3], const uint32_t otherwise[3], uint32_t to[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = from[i] ? (uint32_t)from[i] : otherwise[i];         /* is_shape bounds it */
}

static void build_keys(const json_t *entry, const json_t *settings, const Func *func,
                       Launch *launch)
{
    static const uint32_t unknown[3];
    ptxlint_launch keys = { .dynamic_shared_bytes = -1 };
    read_keys(entry, &keys);
    read_keys(settings, &keys);
    copy_shape(keys.grid, unknown, launch->grid);
    copy_shape(keys.block, func->bounds.reqntid, launch->block);
    copy_shape(keys.cluster, func->bounds.reqnctapercluster, launch->cluster);
    launch->dynamic_shared_bytes = keys.dynamic_shared_bytes;
    launch->bank_bytes = (uint8_t)json_integer_value(json_object_get(entry, "shared_bank_bytes"));
}

const Launch *ptx_launch_build(Arena *arena, const LaunchSource *source, const Module *module,
                               const Func *func)
{
    const ptxlint_launches *launches = source->launches;
    const json_t *settings = launches ? launches->settings : NULL;
    Launch *launch = ptx_arena_new(arena, Launch);
    LaunchSubject subject = { source->path, name_of(arena, module, func->name), func, NULL };
    const LaunchEntries beside = find_entries(source->found, &subject, source->number);
    subject.known = launches && launches->is_profile ? beside.chosen : NULL;
    const LaunchEntries said = find_entries(launches, &subject, source->number);
    json_t *entry = join_entries(said.chosen, beside.chosen);
    bool is_said = said.chosen || (launches && says_launch(settings));
    launch->is_given = entry || is_said;
    launch->is_found = entry && !is_said;
    launch->number = said.chosen ? said.number : beside.number;
    launch->count = said.chosen ? said.count : beside.count;
    build_keys(entry, settings, func, launch);
    const json_t *params = json_object_get(settings, "params");
    if (func->is_entry && func->param_count
        && (json_object_get(entry, "params") || json_object_get(entry, "scratch") || params))
        build_params(arena, module, func, entry, params, launch);
    const json_t *file_trips = json_object_get(entry, "trips"),
                 *trips = json_object_get(settings, "trips");
    if (file_trips || trips)
        build_trips(arena, file_trips, trips, launch);
    json_decref(entry);
    return launch;
}
