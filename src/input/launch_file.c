#include "input/launch.h"

#include "input/json_place.h"
#include "input/launch_values.h"
#include "input/metadata/metadata.h"
#include "input/param.h"
#include "support/choice.h"
#include "support/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values --------------------------------------------------------------------------------- */

static const char scratch_wanted[] = "an array of numbers of bytes";

static bool is_bank_bytes(const json_t *value)
{
    return json_is_integer(value)
           && (json_integer_value(value) == 4 || json_integer_value(value) == 8);
}

static bool is_scratch(const json_t *sizes)
{
    for (size_t i = 0; i < json_array_size(sizes); i++)
        if (!ptx_launch_is_shared(json_array_get(sizes, i)))
            return false;
    return !sizes || json_is_array(sizes);
}

static bool is_trip(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Something of an entry that is not as it should be. */
typedef struct LaunchWrong {
    const char *key, *wanted;
    size_t position;            /* of a parameter, from 1; 0: not one */
    const char *label;          /* of a trip; NULL */
} LaunchWrong;

/* What is wrong, and where. */
typedef struct LaunchComplaint {
    char *error;
    size_t error_size;
    JsonPath path;
} LaunchComplaint;

static void enter_key(LaunchComplaint *c, const char *key)
{
    if (c->path.count < MAX_JSON_STEPS)
        c->path.steps[c->path.count++] = (JsonStep){ key, 0 };
}

static void enter_item(LaunchComplaint *c, size_t index)
{
    enter_key(c, NULL);
    c->path.steps[c->path.count - 1].index = index;
}

static bool check_trips(const json_t *trips, LaunchWrong *wrong)
{
    const char *label;
    json_t *value;
    *wrong = (LaunchWrong){ "trips", "an object", 0, NULL };
    if (trips && !json_is_object(trips))
        return false;
    /* the iteration does not write; jansson has no form of it for const */
    json_object_foreach((json_t *)(uintptr_t)trips, label, value) {
        *wrong = (LaunchWrong){ "trips", ptx_launch_trip_wanted, 0, label };
        if (!is_trip(value))
            return false;
    }
    return true;
}

/* What a parameter's value should have been: a word near to the one that its data have. */
static const char *wanted_of(const json_t *value)
{
    static const char *const near_words[] = {
        "where indices lie; did you mean {\"data\": \"random\"}?",
        "where indices lie; did you mean {\"data\": \"local\"}?",
        "where indices lie; did you mean {\"data\": \"sorted\"}?",
    };
    const char *data = json_string_value(json_object_get(value, "data")),
               *near = data && json_object_size(value) == 1
                           ? ptx_launch_nearest_key(data, ptx_locality_words)
                           : NULL;
    for (size_t w = 0; near && ptx_locality_words[w]; w++)
        if (near == ptx_locality_words[w])
            return near_words[w];
    return ptx_param_wanted;
}

static bool check_params(const json_t *params, LaunchWrong *wrong)
{
    *wrong = (LaunchWrong){ "params", "an array", 0, NULL };
    if (params && !json_is_array(params))
        return false;
    wrong->wanted = ptx_param_wanted;
    for (size_t i = 0; i < json_array_size(params); i++) {
        wrong->position = i + 1;
        const json_t *value = json_array_get(params, i);
        if (!ptx_param_is(value)) {
            wrong->wanted = wanted_of(value);
            return false;
        }
    }
    return true;
}

/* Words for people: a string, or an array of them. */
static bool check_note(const json_t *note, LaunchWrong *wrong)
{
    bool is_text = !note || json_is_string(note) || json_is_array(note);
    *wrong = (LaunchWrong){ "note", "a string or an array of strings", 0, NULL };
    for (size_t i = 0; i < json_array_size(note); i++)
        is_text &= json_is_string(json_array_get(note, i));
    return is_text;
}

static bool check_globs(const json_t *entry, LaunchWrong *wrong)
{
    static const char *const keys[] = { "file", "kernel" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *glob = json_object_get(entry, keys[i]);
        *wrong = (LaunchWrong){ keys[i], "a name, or a pattern with * ? [...]", 0, NULL };
        if (glob && !json_string_length(glob))
            return false;
    }
    return true;
}

static bool check_values(const json_t *entry, LaunchWrong *wrong)
{
    for (size_t i = 0; i < SHAPE_KEY_COUNT; i++) {
        const json_t *shape = json_object_get(entry, ptx_launch_shapes[i].key);
        *wrong = (LaunchWrong){ ptx_launch_shapes[i].key, ptx_launch_shapes[i].wanted, 0, NULL };
        if (shape && !ptx_launch_is_shape(&ptx_launch_shapes[i], shape))
            return false;
    }
    const json_t *shared = json_object_get(entry, "dynamic_shared");
    *wrong = (LaunchWrong){ "dynamic_shared", ptx_launch_shared_wanted, 0, NULL };
    if (shared && !ptx_launch_is_shared(shared))
        return false;
    const json_t *bank_bytes = json_object_get(entry, "shared_bank_bytes");
    *wrong = (LaunchWrong){ "shared_bank_bytes", "4 or 8", 0, NULL };
    if (bank_bytes && !is_bank_bytes(bank_bytes))
        return false;
    *wrong = (LaunchWrong){ "scratch", scratch_wanted, 0, NULL };
    return is_scratch(json_object_get(entry, "scratch"))
           && check_params(json_object_get(entry, "params"), wrong)
           && check_trips(json_object_get(entry, "trips"), wrong)
           && check_note(json_object_get(entry, "note"), wrong) && check_globs(entry, wrong);
}

/* What an object of the file may hold. A kernel of "kernels" has its name outside: it takes no
 * globs. */
static const char *const root_keys[] = { "kernels", "launches", "$schema", NULL };
static const char *const listed_keys[] = {
    "file",   "kernel",  "grid",  "block", "cluster", "dynamic_shared", "shared_bank_bytes",
    "params", "scratch", "trips", "note",  NULL
};
static const char *const *const kernel_keys = listed_keys + 2;
static const char *const param_keys[] = { "bytes", "data", "allocated", NULL };

static bool is_among(const char *key, const char *const *keys)
{
    while (*keys && strcmp(key, *keys) != 0)
        keys++;
    return *keys;
}

/* Keys of null say no more than keys that are absent. */
static void drop_nulls(json_t *entry)
{
    static const char *const *const keys = listed_keys;
    json_t *trips = json_object_get(entry, "trips"), *value;
    const char *label;
    void *next;
    json_object_foreach_safe(trips, next, label, value) {
        if (json_is_null(value))
            json_object_del(trips, label);
    }
    for (size_t i = 0; keys[i]; i++)
        if (json_is_null(json_object_get(entry, keys[i])))
            json_object_del(entry, keys[i]);
}

/* "grid, block, params". */
static void put_keys(const char *const *keys, char *out, size_t room)
{
    size_t used = 0;
    *out = 0;
    for (const char *const *key = keys; *key && used < room; key++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", key == keys ? "" : ", ", *key);
}

/* where: "kernel \"k\": ", or "". */
static ptxlint_status check_keys(const json_t *object, const char *const *keys, const char *where,
                                 LaunchComplaint *c)
{
    const char *key;
    json_t *value;
    char known[160];
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (is_among(key, keys))
            continue;
        const char *near = ptx_launch_nearest_key(key, keys);
        put_keys(keys, known, sizeof known);
        enter_key(c, key);
        c->path.is_key = true;
        return near ? ptx_launch_say(c->error, c->error_size,
                                     "%sunknown key \"%.40s\"; did you mean \"%s\"?", where, key,
                                     near)
                    : ptx_launch_say(c->error, c->error_size,
                                     "%sunknown key \"%.40s\"; known are %s", where, key, known);
    }
    return PTXLINT_OK;
}

static ptxlint_status check_param_keys(const json_t *params, const char *where, LaunchComplaint *c)
{
    const unsigned depth = c->path.count;
    for (size_t i = 0; json_is_array(params) && i < json_array_size(params); i++) {
        char here[200];
        snprintf(here, sizeof here, "%sparameter %zu: ", where, i);
        enter_key(c, "params");
        enter_item(c, i);
        if (check_keys(json_array_get(params, i), param_keys, here, c) != PTXLINT_OK)
            return PTXLINT_BAD_FILE;
        c->path.count = depth;
    }
    return PTXLINT_OK;
}

static ptxlint_status complain_of_value(const LaunchWrong *wrong, const char *where,
                                        LaunchComplaint *c)
{
    enter_key(c, wrong->key);
    if (wrong->label)
        enter_key(c, wrong->label);
    if (wrong->position)
        enter_item(c, wrong->position - 1);
    if (wrong->label)
        return ptx_launch_say(c->error, c->error_size, "%s: \"%.60s\" of \"trips\" is not %s",
                              where, wrong->label, wrong->wanted);
    if (wrong->position)
        return ptx_launch_say(c->error, c->error_size, "%s: parameter %zu is not %s", where,
                              wrong->position - 1, wrong->wanted);
    return ptx_launch_say(c->error, c->error_size, "%s: \"%s\" is not %s", where, wrong->key,
                          wrong->wanted);
}

/* where: what the entry is called, as "kernel \"k\"". */
static ptxlint_status check_entry(json_t *entry, const char *const *keys, const char *where,
                                  LaunchComplaint *c)
{
    LaunchWrong wrong;
    char prefix[160];
    snprintf(prefix, sizeof prefix, "%s: ", where);
    if (!json_is_object(entry))
        return ptx_launch_say(c->error, c->error_size, "%s is not an object", where);
    drop_nulls(entry);
    ptxlint_status status = check_keys(entry, keys, prefix, c);
    if (status == PTXLINT_OK)
        status = check_param_keys(json_object_get(entry, "params"), prefix, c);
    if (status != PTXLINT_OK || check_values(entry, &wrong))
        return status;
    return complain_of_value(&wrong, where, c);
}

static ptxlint_status check_kernels(json_t *kernels, LaunchComplaint *c)
{
    const char *name;
    json_t *kernel;
    const unsigned depth = c->path.count;
    json_object_foreach(kernels, name, kernel) {
        char where[128];
        snprintf(where, sizeof where, "kernel \"%.100s\"", name);
        enter_key(c, "kernels");
        enter_key(c, name);
        if (check_entry(kernel, kernel_keys, where, c) != PTXLINT_OK)
            return PTXLINT_BAD_FILE;
        c->path.count = depth;
    }
    return PTXLINT_OK;
}

static ptxlint_status check_listed(const json_t *listed, LaunchComplaint *c)
{
    const unsigned depth = c->path.count;
    for (size_t i = 0; i < json_array_size(listed); i++) {
        char where[128];
        snprintf(where, sizeof where, "launch %zu of \"launches\"", i + 1);
        enter_key(c, "launches");
        enter_item(c, i);
        if (check_entry(json_array_get(listed, i), listed_keys, where, c) != PTXLINT_OK)
            return PTXLINT_BAD_FILE;
        c->path.count = depth;
    }
    return PTXLINT_OK;
}

static ptxlint_status check_root(const json_t *root, LaunchComplaint *c)
{
    ptxlint_status status = check_keys(root, root_keys, "", c);
    if (status != PTXLINT_OK)
        return status;
    json_t *kernels = json_object_get(root, "kernels"), *listed = json_object_get(root, "launches");
    if (kernels)
        enter_key(c, "kernels");
    if (kernels ? !json_is_object(kernels) : !listed)
        return ptx_launch_say(
            c->error, c->error_size,
            "there is no object \"kernels\": write {\"kernels\": {\"NAME\": {\"grid\": "
            "[4096], \"block\": [256]}}}");
    c->path.count = 0;
    if (listed && !json_is_array(listed)) {
        enter_key(c, "launches");
        return ptx_launch_say(
            c->error, c->error_size,
            "\"launches\" is not an array: write {\"launches\": [{\"kernel\": \"gemm*\", "
            "\"grid\": [4096]}]}");
    }
    status = check_kernels(kernels, c);
    return status == PTXLINT_OK ? check_listed(listed, c) : status;
}

/* Puts "line 3, column 5: " before what is wrong, where the text is there and shows the place. */
static void place_complaint(const LaunchComplaint *c, const char *text, size_t length)
{
    unsigned line, column;
    char place[48];
    if (!text || !c->error || !*c->error
        || !ptx_json_place(text, length, &c->path, &line, &column))
        return;
    const size_t used = (size_t)snprintf(place, sizeof place, "line %u, column %u: ", line, column),
                 was = strlen(c->error);
    if (used >= c->error_size)
        return;
    const size_t room = c->error_size - used - 1, kept = was < room ? was : room;
    memmove(c->error + used, c->error, kept);
    memcpy(c->error, place, used);
    c->error[used + kept] = 0;
}

/* The root of a launch file, or of a profiler's table. */
static ptxlint_status read_file(const char *text, size_t length, json_t **root, bool *is_profile,
                                char *error, size_t error_size)
{
    json_error_t where;
    *is_profile = false;
    if (ptx_profile_is(text, length)) {
        *is_profile = true;
        *root = ptx_profile_read(text, length);
        return *root ? PTXLINT_OK
                     : ptx_launch_say(error, error_size, "no launch of a kernel in this table");
    }
    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (*root)
        return PTXLINT_OK;
    return json_error_code(&where) == json_error_out_of_memory
               ? PTXLINT_NO_MEMORY
               : ptx_launch_say(error, error_size, "line %d, column %d: %s", where.line,
                                where.column, ptx_without_excerpt(where.text));
}

/* text: that root was read from, NULL: none. */
static ptxlint_status make_launches(json_t *root, const char *text, size_t length,
                                    ptxlint_launches **out, LaunchComplaint *c)
{
    ptxlint_launches *launches = calloc(1, sizeof *launches);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (launches) {
        launches->root = json_incref(root);
        launches->settings = json_object();
        if (launches->settings)
            status = root ? check_root(root, c) : PTXLINT_OK;
    }
    if (status == PTXLINT_BAD_FILE)
        place_complaint(c, text, length);
    json_decref(root);
    if (status == PTXLINT_OK)
        *out = launches;
    else
        ptxlint_launches_free(launches);
    return status;
}

ptxlint_status ptx_launches_of(json_t *root, ptxlint_launches **out, char *error, size_t error_size)
{
    return make_launches(root, NULL, 0, out,
                         &(LaunchComplaint){ .error = error, .error_size = error_size });
}

ptxlint_status ptxlint_launches_new(const char *json, size_t length, ptxlint_launches **out,
                                    char *error, size_t error_size)
{
    json_t *root = NULL;
    bool is_profile = false;
    if (!out || (!json && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_status status = json ? read_file(json, length, &root, &is_profile, error, error_size)
                                 : PTXLINT_OK;
    LaunchComplaint complaint = { .error = error, .error_size = error_size };
    if (status == PTXLINT_OK)
        status = make_launches(root, is_profile ? NULL : json, length, out, &complaint);
    if (status == PTXLINT_OK)
        (*out)->is_profile = is_profile;
    return status;
}

ptxlint_launches *ptx_launches_share(const ptxlint_launches *launches)
{
    ptxlint_launches *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    *shared = *launches;
    json_incref(shared->root);
    json_incref(shared->settings);
    return shared;
}

void ptxlint_launches_free(ptxlint_launches *launches)
{
    if (!launches)
        return;
    json_decref(launches->root);
    json_decref(launches->settings);
    free(launches);
}
