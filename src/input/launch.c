#include "input/launch.h"

#include "analysis/value/pointer.h"
#include "input/metadata/metadata.h"
#include "input/param.h"
#include "support/choice.h"
#include "support/demangle.h"
#include "support/limits.h"
#include "support/words.h"
#include "support/arena.h"
#include "support/span.h"
#include "ir/func.h"
#include "ir/module.h"
#include "analysis/value/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptxlint_status say(char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static ptxlint_status say(char *error, size_t error_size, const char *format, ...)
{
    if (error && error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(error, error_size, format, args);
        va_end(args);
    }
    return PTXLINT_BAD_FILE;
}

/* ---- what a value may be --------------------------------------------------------------------- */

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the most of any,
 * so that a product of three fits 63 bits. A cluster has at most 8 blocks everywhere, 16 where a
 * kernel opts in. */
typedef struct ShapeKey {
    const char *key;
    int64_t most[3], most_together;
    const char *wanted;
} ShapeKey;

static const ShapeKey shape_keys[] = {
    { "grid", { INT32_MAX, 65535, 65535 }, INT64_MAX, "one to three whole numbers from 1 to 2147483647, 65535 and 65535" },
    { "block", { 1024, 1024, 64 }, 1024, "one to three whole numbers from 1 to 1024, 1024 and 64, together at most 1024" },
    { "cluster", { 16, 16, 16 }, 16, "one to three whole numbers from 1, together at most 16" },
};

static const char shared_wanted[] = "a number of bytes from 0 to 4294967295";
static const char scratch_wanted[] = "an array of numbers of bytes";
static const char trip_wanted[] = "a whole number from 0";

enum { SHAPE_KEY_COUNT = sizeof shape_keys / sizeof *shape_keys };

static bool is_shape(const ShapeKey *key, const json_t *value)
{
    int64_t product = 1;
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > 3)
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_integer(item) || json_integer_value(item) < 1
            || json_integer_value(item) > key->most[i])
            return false;
        product *= json_integer_value(item);
    }
    return product <= key->most_together;
}

static bool is_shared(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0
           && json_integer_value(value) <= UINT32_MAX;
}

static bool is_bank_bytes(const json_t *value)
{
    return json_is_integer(value)
           && (json_integer_value(value) == 4 || json_integer_value(value) == 8);
}

static bool is_scratch(const json_t *sizes)
{
    for (size_t i = 0; i < json_array_size(sizes); i++)
        if (!is_shared(json_array_get(sizes, i)))
            return false;
    return !sizes || json_is_array(sizes);
}

static bool is_trip(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Something of an entry that is not as it should be. */
typedef struct LaunchWrong {
    const char *key, *wanted;
    size_t position;            /* of a parameter, from 1; 0: not one */
    const char *label;          /* of a trip; NULL */
} LaunchWrong;

static bool check_trips(const json_t *trips, LaunchWrong *wrong)
{
    const char *label;
    json_t *value;
    *wrong = (LaunchWrong){ "trips", "an object", 0, NULL };
    if (trips && !json_is_object(trips))
        return false;
    /* the iteration does not write; jansson has no form of it for const */
    json_object_foreach((json_t *)(uintptr_t)trips, label, value) {
        *wrong = (LaunchWrong){ "trips", trip_wanted, 0, label };
        if (!is_trip(value))
            return false;
    }
    return true;
}

/* The one of keys that is most like word: by letters, or as a part of it or around it ("gridDim",
 * "shared"); NULL. */
static const char *nearest_key(const char *word, const char *const *keys)
{
    enum { NEAR = 2, FEW_LETTERS = 4 };
    const char *nearest = NULL;
    unsigned least = NEAR + 1;
    for (; *keys; keys++) {
        unsigned apart = ptx_edit_distance(word, strlen(word), *keys, strlen(*keys));
        bool is_part = strstr(word, *keys) || (strlen(word) >= FEW_LETTERS && strstr(*keys, word));
        if (is_part && apart > NEAR)
            apart = NEAR;
        if (apart < least)
            least = apart, nearest = *keys;
    }
    return nearest;
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
               *near = data && json_object_size(value) == 1 ? nearest_key(data, ptx_locality_words)
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
        const json_t *shape = json_object_get(entry, shape_keys[i].key);
        *wrong = (LaunchWrong){ shape_keys[i].key, shape_keys[i].wanted, 0, NULL };
        if (shape && !is_shape(&shape_keys[i], shape))
            return false;
    }
    const json_t *shared = json_object_get(entry, "dynamic_shared");
    *wrong = (LaunchWrong){ "dynamic_shared", shared_wanted, 0, NULL };
    if (shared && !is_shared(shared))
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
                                 char *error, size_t error_size)
{
    const char *key;
    json_t *value;
    char known[160];
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (is_among(key, keys))
            continue;
        const char *near = nearest_key(key, keys);
        put_keys(keys, known, sizeof known);
        return near ? say(error, error_size, "%sunknown key \"%.40s\"; did you mean \"%s\"?", where,
                          key, near)
                    : say(error, error_size, "%sunknown key \"%.40s\"; known are %s", where, key,
                          known);
    }
    return PTXLINT_OK;
}

static ptxlint_status check_param_keys(const json_t *params, const char *where, char *error,
                                       size_t error_size)
{
    ptxlint_status status = PTXLINT_OK;
    for (size_t i = 0; status == PTXLINT_OK && json_is_array(params) && i < json_array_size(params);
         i++) {
        char here[200];
        snprintf(here, sizeof here, "%sparameter %zu: ", where, i);
        status = check_keys(json_array_get(params, i), param_keys, here, error, error_size);
    }
    return status;
}

/* where: what the entry is called, as "kernel \"k\"". */
static ptxlint_status check_entry(json_t *entry, const char *const *keys, const char *where,
                                  char *error, size_t error_size)
{
    LaunchWrong wrong;
    char prefix[160];
    snprintf(prefix, sizeof prefix, "%s: ", where);
    if (!json_is_object(entry))
        return say(error, error_size, "%s is not an object", where);
    drop_nulls(entry);
    ptxlint_status status = check_keys(entry, keys, prefix, error, error_size);
    if (status == PTXLINT_OK)
        status = check_param_keys(json_object_get(entry, "params"), prefix, error, error_size);
    if (status != PTXLINT_OK || check_values(entry, &wrong))
        return status;
    if (wrong.label)
        return say(error, error_size, "%s: \"%.60s\" of \"trips\" is not %s", where, wrong.label,
                   wrong.wanted);
    if (wrong.position)
        return say(error, error_size, "%s: parameter %zu is not %s", where, wrong.position - 1,
                   wrong.wanted);
    return say(error, error_size, "%s: \"%s\" is not %s", where, wrong.key, wrong.wanted);
}

static ptxlint_status check_kernels(json_t *kernels, char *error, size_t error_size)
{
    const char *name;
    json_t *kernel;
    ptxlint_status status = PTXLINT_OK;
    json_object_foreach(kernels, name, kernel) {
        char where[128];
        snprintf(where, sizeof where, "kernel \"%.100s\"", name);
        status = status == PTXLINT_OK ? check_entry(kernel, kernel_keys, where, error, error_size)
                                      : status;
    }
    return status;
}

static ptxlint_status check_listed(const json_t *listed, char *error, size_t error_size)
{
    ptxlint_status status = PTXLINT_OK;
    for (size_t i = 0; status == PTXLINT_OK && i < json_array_size(listed); i++) {
        char where[128];
        snprintf(where, sizeof where, "launch %zu of \"launches\"", i + 1);
        status = check_entry(json_array_get(listed, i), listed_keys, where, error, error_size);
    }
    return status;
}

static ptxlint_status check_root(const json_t *root, char *error, size_t error_size)
{
    ptxlint_status status = check_keys(root, root_keys, "", error, error_size);
    if (status != PTXLINT_OK)
        return status;
    json_t *kernels = json_object_get(root, "kernels"), *listed = json_object_get(root, "launches");
    if (kernels ? !json_is_object(kernels) : !listed)
        return say(error, error_size,
                   "there is no object \"kernels\": write {\"kernels\": {\"NAME\": {\"grid\": "
                   "[4096], \"block\": [256]}}}");
    if (listed && !json_is_array(listed))
        return say(error, error_size,
                   "\"launches\" is not an array: write {\"launches\": [{\"kernel\": \"gemm*\", "
                   "\"grid\": [4096]}]}");
    status = check_kernels(kernels, error, error_size);
    return status == PTXLINT_OK ? check_listed(listed, error, error_size) : status;
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
        return *root ? PTXLINT_OK : say(error, error_size, "no launch of a kernel in this table");
    }
    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (*root)
        return PTXLINT_OK;
    return json_error_code(&where) == json_error_out_of_memory
               ? PTXLINT_NO_MEMORY
               : say(error, error_size, "line %d, column %d: %s", where.line, where.column,
                     ptx_without_excerpt(where.text));
}

ptxlint_status ptx_launches_of(json_t *root, ptxlint_launches **out, char *error, size_t error_size)
{
    ptxlint_launches *launches = calloc(1, sizeof *launches);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (launches) {
        launches->root = json_incref(root);
        launches->settings = json_object();
        if (launches->settings)
            status = root ? check_root(root, error, error_size) : PTXLINT_OK;
    }
    json_decref(root);
    if (status == PTXLINT_OK)
        *out = launches;
    else
        ptxlint_launches_free(launches);
    return status;
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
    if (status == PTXLINT_OK)
        status = ptx_launches_of(root, out, error, error_size);
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

/* ---- settings -------------------------------------------------------------------------------- */

/* A decimal number; NULL: none, or over 63 bits. */
static json_t *integer_value(const char *text)
{
    uint64_t number;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return NULL;
    return ptx_digits_read(text, &number) && number <= INT64_MAX ? json_integer((json_int_t)number)
                                                                 : NULL;
}

/* "16,16,1"; NULL: it is not a list of numbers. */
static json_t *shape_value(const char *text)
{
    json_t *shape = json_array();
    for (size_t length; shape; text += length + 1) {
        char part[24];
        length = strcspn(text, ",");
        if (length >= sizeof part)
            break;
        memcpy(part, text, length);
        part[length] = 0;
        if (json_array_size(shape) == 3 || json_array_append_new(shape, integer_value(part)))
            break;
        if (!text[length])
            return shape;
    }
    json_decref(shape);
    return NULL;
}

/* "49152" or "48k". */
static json_t *shared_value(const char *text)
{
    char digits[24];
    size_t length = strlen(text);
    bool is_kib = length && (text[length - 1] == 'k' || text[length - 1] == 'K');
    if (length >= sizeof digits)
        return NULL;
    memcpy(digits, text, length - is_kib);
    digits[length - is_kib] = 0;
    json_t *bytes = integer_value(digits);
    if (bytes && is_kib)
        json_integer_set(
            bytes, json_integer_value(bytes) > UINT32_MAX ? -1 : json_integer_value(bytes) * 1024);
    return bytes;
}

/* PTX ISA, "Identifiers"; a position is digits. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!text[i]
            || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%",
                       text[i]))
            return false;
    return length > 0 && length <= LIMIT_NAME_BYTES;
}

/* Takes value; NULL is not good either. */
static ptxlint_status set_value(json_t *object, const char *key, json_t *value, bool is_good)
{
    if (!value || !is_good) {
        json_decref(value);
        return PTXLINT_BAD_FILE;
    }
    return json_object_set_new(object, key, value) ? PTXLINT_NO_MEMORY : PTXLINT_OK;
}

/* The object of that key, made where it is missing; NULL: no memory. */
static json_t *inner_object(json_t *object, const char *key)
{
    json_t *inner = json_object_get(object, key);
    if (inner)
        return inner;
    return json_object_set_new(object, key, json_object()) ? NULL : json_object_get(object, key);
}

/* "NAME=VALUE" into the inner object of params or trips. */
static ptxlint_status set_pair(json_t *settings, const char *inner_key, const char *text,
                               size_t name_length, bool is_trip_pair)
{
    json_t *inner = inner_object(settings, inner_key);
    char *name = malloc(name_length + 1);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (inner && name) {
        memcpy(name, text, name_length);
        name[name_length] = 0;
        const char *rest = text + name_length + 1;
        json_t *value = is_trip_pair ? integer_value(rest) : ptx_param_parse(rest);
        status = set_value(inner, name, value, true);
    }
    free(name);
    return status;
}

static void say_param(const char *value, char *error, size_t error_size)
{
    const char *near = *value == '@' ? nearest_key(value + 1, ptx_locality_words) : NULL;
    if (near)
        say(error, error_size, "'%.100s' is not where indices lie; did you mean '@%s'?", value,
            near);
    else if (*value == '@')
        say(error, error_size,
            "'%.100s' is not where indices lie: @sorted, @local or @random", value);
    else
        say(error, error_size, "'%.100s' is not %s", value, ptx_param_wanted);
}

static ptxlint_status set_param(ptxlint_launches *launches, const char *value, char *error,
                                size_t error_size)
{
    size_t length = strcspn(value, "=");
    if (!value[length] || !is_name(value, length))
        return say(error, error_size,
                   "'%.100s' is not POSITION=VALUE or NAME=VALUE, as 0=4096 or n=4096", value);
    ptxlint_status status = set_pair(launches->settings, "params", value, length, false);
    if (status == PTXLINT_BAD_FILE)
        say_param(value + length + 1, error, error_size);
    return status;
}

static ptxlint_status set_trip(ptxlint_launches *launches, const char *value, char *error,
                               size_t error_size)
{
    size_t length = strcspn(value, "=");
    if (!value[length] || !is_name(value, length))
        return say(error, error_size,
                   "'%.100s' is not LABEL=N or LINE=N, as $L__BB0_2=128 or 44=128", value);
    ptxlint_status status = set_pair(launches->settings, "trips", value, length, true);
    if (status == PTXLINT_BAD_FILE)
        say(error, error_size, "'%.100s' is not %s", value + length + 1, trip_wanted);
    return status;
}

static ptxlint_status set_shape(ptxlint_launches *launches, const ShapeKey *key, const char *value,
                                char *error, size_t error_size)
{
    json_t *shape = shape_value(value);
    ptxlint_status status = set_value(launches->settings, key->key, shape, is_shape(key, shape));
    if (status == PTXLINT_BAD_FILE)
        say(error, error_size, "'%.100s' is not %s, with commas between", value, key->wanted);
    return status;
}

static ptxlint_status set_shared(ptxlint_launches *launches, const char *value, char *error,
                                 size_t error_size)
{
    json_t *bytes = shared_value(value);
    ptxlint_status status = set_value(launches->settings, "dynamic_shared", bytes,
                                      is_shared(bytes));
    if (status == PTXLINT_BAD_FILE)
        say(error, error_size, "'%.100s' is not %s, as 49152 or 48k", value, shared_wanted);
    return status;
}

ptxlint_status ptxlint_launches_set(ptxlint_launches *launches, const char *key, const char *value,
                                    char *error, size_t error_size)
{
    if (!launches || !key || !value)
        return PTXLINT_BAD_ARGUMENT;
    for (size_t i = 0; i < SHAPE_KEY_COUNT; i++)
        if (!strcmp(key, shape_keys[i].key))
            return set_shape(launches, &shape_keys[i], value, error, error_size);
    if (!strcmp(key, "dynamic_shared"))
        return set_shared(launches, value, error, error_size);
    if (!strcmp(key, "param"))
        return set_param(launches, value, error, error_size);
    if (!strcmp(key, "trip"))
        return set_trip(launches, value, error, error_size);
    say(error, error_size,
        "'%.100s' is not one of block, grid, cluster, dynamic_shared, param, trip", key);
    return PTXLINT_BAD_ARGUMENT;
}

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
            out[(*count)++] = (LaunchTrip){ label, ptx_launch_line(label),
                                            json_integer_value(value) };
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
