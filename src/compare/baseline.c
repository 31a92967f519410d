#include "compare/baseline.h"

#include "compare/key.h"
#include "report/json_writer.h"
#include "support/choice.h"
#include "support/guard.h"
#include "support/minmax.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BASELINE_FILE_BYTES_MAX = 256 << 20,
    COUNT_MAX = 1 << 30,        /* of one entry */
    BASELINE_ARENA_BYTES = 1 << 30
};

/* rule "": the kernel was read; such an entry is not written. */
typedef struct BaselineEntry {
    const char *rule, *kernel, *statement;
    uint64_t count;
    uint64_t in_module;         /* of the module that is being added */
    uint32_t module;            /* its number */
} BaselineEntry;

struct ptxlint_baseline {
    Arena arena;
    BaselineEntry *entries;
    uint32_t count, capacity;
    uint32_t module_count;
    Index index;
    const char *reason;
};

bool ptx_baseline_takes(const char *group)
{
    return strcmp(group, "limit") != 0 && strcmp(group, "budget") != 0;
}

uint32_t ptx_baseline_count(const ptxlint_baseline *baseline)
{
    return baseline->count;
}

const char *ptx_baseline_reason(const ptxlint_baseline *baseline)
{
    return baseline->reason;
}

/* ---- entries --------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *rule, const char *kernel, const char *statement)
{
    return ptx_key_hash(ptx_key_hash(ptx_key_hash(KEY_HASH, rule), kernel), statement);
}

/* NULL: there is none. */
static BaselineEntry *find_baseline_entry(const ptxlint_baseline *b, const char *rule,
                                          const char *kernel, const char *statement)
{
    uint32_t at = 0, number;
    uint64_t hash = hash_of(rule, kernel, statement);
    while (ptx_index_next(&b->index, hash, &at, &number)) {
        BaselineEntry *entry = &b->entries[number];
        if (!strcmp(entry->rule, rule) && !strcmp(entry->kernel, kernel)
            && !strcmp(entry->statement, statement))
            return entry;
    }
    return NULL;
}

static const char *copy(ptxlint_baseline *b, const char *text)
{
    return ptx_arena_strndup(&b->arena, text, strlen(text));
}

/* The one with that key, new if need be. */
static BaselineEntry *need_baseline_entry(ptxlint_baseline *b, const char *rule, const char *kernel,
                                          const char *statement)
{
    BaselineEntry *entry = find_baseline_entry(b, rule, kernel, statement);
    if (entry)
        return entry;
    if (b->count == b->capacity)
        b->entries = ptx_arena_grow(&b->arena, b->entries, b->count, &b->capacity,
                                    sizeof *b->entries);
    entry = &b->entries[b->count];
    *entry = (BaselineEntry){ .rule = copy(b, rule),
                              .kernel = copy(b, kernel),
                              .statement = copy(b, statement) };
    ptx_index_add(&b->arena, &b->index, hash_of(rule, kernel, statement), b->count++);
    return entry;
}

bool ptx_baseline_take(const ptxlint_baseline *b, uint64_t *taken, const FindingKey *key)
{
    const char *statements[] = { key->statement, "" };
    for (int i = 0; i < 2; i++) {
        const BaselineEntry *entry =
            i && !*key->statement ? NULL
                                  : find_baseline_entry(b, key->rule, key->kernel, statements[i]);
        if (!entry || entry->count - taken[entry - b->entries] < key->count)
            continue;
        taken[entry - b->entries] += key->count;
        return true;
    }
    return false;
}

/* ---- the life of one ------------------------------------------------------------------------- */

typedef struct BaselineStart {
    ptxlint_baseline *b;
    ptxlint_status result;
} BaselineStart;

static void start_baseline_guarded(void *context)
{
    BaselineStart *call = context;
    call->b->reason = copy(call->b, "in the baseline");
    call->result = PTXLINT_OK;
}

static ptxlint_status start(ptxlint_baseline *b)
{
    BaselineStart call = { b, PTXLINT_NO_MEMORY };
    ptx_arena_init(&b->arena, BASELINE_ARENA_BYTES, NULL);
    ptx_run_guarded_in(&b->arena, start_baseline_guarded, &call);
    return call.result;
}

ptxlint_status ptxlint_baseline_new(ptxlint_baseline **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_baseline *b = calloc(1, sizeof *b);
    if (!b)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = start(b);
    if (status != PTXLINT_OK)
        ptxlint_baseline_free(b);
    else
        *out = b;
    return status;
}

void ptxlint_baseline_free(ptxlint_baseline *b)
{
    if (!b)
        return;
    ptx_arena_free(&b->arena);
    free(b);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Where the entry is that is not as it should be, and what it lacks. */
typedef struct BaselineWrong {
    size_t index;
    const char *what;           /* NULL: nothing is wrong */
} BaselineWrong;

static const char *baseline_text_of(const json_t *object, const char *key, bool may_be_empty)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    return text && strlen(text) == json_string_length(value) && (*text || may_be_empty) ? text
                                                                                        : NULL;
}

/* Two entries of one key, as a merge may leave them: the larger. */
static const char *read_baseline_entry(ptxlint_baseline *b, const json_t *item)
{
    const char *rule = baseline_text_of(item, "rule", false),
               *kernel = baseline_text_of(item, "kernel", true),
               *statement = baseline_text_of(item, "statement", true);
    const json_t *count = json_object_get(item, "count");
    if (!json_is_object(item))
        return "an object is expected";
    if (!rule)
        return "\"rule\" must be a text";
    if (!kernel || !statement)
        return !kernel ? "\"kernel\" must be a text" : "\"statement\" must be a text";
    if (!json_is_integer(count) || json_integer_value(count) < 1
        || json_integer_value(count) > COUNT_MAX)
        return "\"count\" must be a whole number from 1 to 1073741824";
    uint64_t number = (uint64_t)json_integer_value(count);
    BaselineEntry *entry =
        need_baseline_entry(b, rule, ptx_key_kernel(&b->arena, kernel, strlen(kernel)), statement);
    if (number > entry->count)
        entry->count = number;
    return NULL;
}

typedef struct BaselineRead {
    ptxlint_baseline *b;
    const char *path;
    const json_t *findings;
    BaselineWrong *wrong;
    ptxlint_status result;
} BaselineRead;

static void read_entries_guarded(void *context)
{
    BaselineRead *call = context;
    ptxlint_baseline *b = call->b;
    BaselineWrong *wrong = call->wrong;
    call->result = PTXLINT_BAD_FILE;
    for (wrong->index = 0; wrong->index < json_array_size(call->findings); wrong->index++)
        if ((wrong->what = read_baseline_entry(b, json_array_get(call->findings, wrong->index))))
            return;
    char *reason = ptx_arena_alloc(&b->arena, strlen(call->path) + 4);
    memcpy(reason, "in ", 3);
    memcpy(reason + 3, call->path, strlen(call->path));
    b->reason = reason;
    call->result = PTXLINT_OK;
}

static ptxlint_status read_entries(ptxlint_baseline *b, const char *path, const json_t *findings,
                                   BaselineWrong *wrong)
{
    BaselineRead call = { b, path, findings, wrong, PTXLINT_NO_MEMORY };
    bool is_complete = ptx_run_guarded_in(&b->arena, read_entries_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

static ptxlint_status read_root(ptxlint_baseline *b, const char *path, const json_t *root,
                                char *error, size_t error_size)
{
    const char *schema = baseline_text_of(root, "schema", false);
    const json_t *findings = json_object_get(root, "findings");
    BaselineWrong wrong = { 0, NULL };
    if (!schema || strcmp(schema, "ptxlint-baseline/1") != 0 || !json_is_array(findings)) {
        snprintf(error, error_size,
                 "%s:1:1: error: no baseline: {\"schema\": \"ptxlint-baseline/1\", \"findings\": "
                 "[...]} is expected",
                 path);
        return PTXLINT_BAD_FILE;
    }
    ptxlint_status status = read_entries(b, path, findings, &wrong);
    if (status == PTXLINT_BAD_FILE)
        snprintf(error, error_size, "%s: error: findings[%zu]: %s", path, wrong.index, wrong.what);
    return status;
}

ptxlint_status ptxlint_baseline_read(ptxlint_baseline *b, const char *path, const char *json,
                                     size_t length, char *error, size_t error_size)
{
    json_error_t trouble;
    char unused[1];
    if (!b || !path || (!json && length))
        return PTXLINT_BAD_ARGUMENT;
    if (!error || !error_size) {
        error = unused;
        error_size = sizeof unused;
    }
    *error = 0;
    if (length > BASELINE_FILE_BYTES_MAX)
        return PTXLINT_TOO_LARGE;
    json_t *root = json_loadb(json ? json : "", length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
                              &trouble);
    if (!root && json_error_code(&trouble) == json_error_out_of_memory)
        return PTXLINT_NO_MEMORY;
    if (!root) {
        snprintf(error, error_size, "%s:%d:%d: error: %s", path, ptx_i32_max(trouble.line, 1),
                 ptx_i32_max(trouble.column, 1), ptx_without_excerpt(trouble.text));
        return PTXLINT_BAD_FILE;
    }
    ptxlint_status status = read_root(b, path, root, error, error_size);
    json_decref(root);
    return status;
}

/* ---- the findings of a module ---------------------------------------------------------------- */

static void add_finding(ptxlint_baseline *b, const ptxlint_module *module,
                        const ptxlint_diagnostic *d)
{
    char statement[STATEMENT_BYTES] = "";
    const char *kernel = d->kernel ? ptx_key_kernel(&b->arena, d->kernel, strlen(d->kernel)) : "";
    if (!d->repeat_count)
        ptxlint_module_statement(module, d->span.begin, statement, sizeof statement);
    BaselineEntry *entry = need_baseline_entry(b, d->rule, kernel, statement);
    if (entry->module != b->module_count)
        entry->in_module = 0;
    entry->module = b->module_count;
    entry->in_module += 1 + (uint64_t)d->repeat_count;
    if (entry->in_module > entry->count)
        entry->count = entry->in_module;
}

typedef struct BaselineAdd {
    ptxlint_baseline *b;
    const ptxlint_module *module;
} BaselineAdd;

static void add_baseline_module(void *context)
{
    const BaselineAdd *call = context;
    ptxlint_baseline *b = call->b;
    const ptxlint_module *module = call->module;
    size_t count;
    b->module_count++;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    need_baseline_entry(b, "", "", "");
    for (size_t k = 0; k < count; k++)
        need_baseline_entry(
            b, "", ptx_key_kernel(&b->arena, kernels[k].name, strlen(kernels[k].name)), "");
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if ((all[i].suppression == PTXLINT_NOT_SUPPRESSED
             || all[i].suppression == PTXLINT_SUPPRESSED_BY_BASELINE)
            && ptx_baseline_takes(all[i].group))
            add_finding(b, module, &all[i]);
}

ptxlint_status ptxlint_baseline_add(ptxlint_baseline *b, const ptxlint_module *module)
{
    BaselineAdd call = { b, module };
    if (!b || !module)
        return PTXLINT_BAD_ARGUMENT;
    return ptx_run_guarded_in(&b->arena, add_baseline_module, &call) ? PTXLINT_OK
                                                                     : PTXLINT_NO_MEMORY;
}

/* ---- what is no longer there ----------------------------------------------------------------- */

/* As ptx_baseline_take matches: first the entry of the statement, then the one of folded findings.
 * used: per entry of b, zeroed. */
static void match(const ptxlint_baseline *b, const ptxlint_baseline *found, uint64_t *used)
{
    for (uint32_t f = 0; f < found->count; f++) {
        const BaselineEntry *there = &found->entries[f];
        uint64_t left = there->count;
        const char *statements[] = { there->statement, "" };
        for (int i = 0; i < (*there->statement ? 2 : 1); i++) {
            const BaselineEntry *entry =
                find_baseline_entry(b, there->rule, there->kernel, statements[i]);
            uint64_t room = entry ? entry->count - used[entry - b->entries] : 0;
            uint64_t taken = ptx_u64_min(left, room);
            if (entry)
                used[entry - b->entries] += taken;
            left -= taken;
        }
    }
}

/* Whether the rule would have made its findings; one that is gone has none. */
static bool did_run(const ptxlint_config *config, const BaselineEntry *entry)
{
    ptxlint_rule_state state;
    const ptxlint_rule rule = { .code = entry->rule };
    return !config || ptxlint_config_state(config, &rule, &state) != PTXLINT_OK || state.is_enabled;
}

static ptxlint_status compare(const ptxlint_baseline *b, const ptxlint_baseline *found,
                              uint64_t **used)
{
    *used = NULL;
    if (!b || !found)
        return PTXLINT_BAD_ARGUMENT;
    *used = calloc(ptx_size_max(b->count, 1), sizeof **used);
    if (!*used)
        return PTXLINT_NO_MEMORY;
    match(b, found, *used);
    return PTXLINT_OK;
}

ptxlint_status ptxlint_baseline_stale(const ptxlint_baseline *b, const ptxlint_baseline *found,
                                      const ptxlint_config *config, size_t *out)
{
    uint64_t *used;
    ptxlint_status status = compare(b, found, &used);
    if (status != PTXLINT_OK)
        return status;
    *out = 0;
    for (uint32_t e = 0; e < b->count; e++)
        *out += used[e] < b->entries[e].count
                && find_baseline_entry(found, "", b->entries[e].kernel, "")
                && did_run(config, &b->entries[e]);
    free(used);
    return PTXLINT_OK;
}

ptxlint_status ptxlint_baseline_prune(ptxlint_baseline *b, const ptxlint_baseline *found,
                                      const ptxlint_config *config, size_t *out)
{
    uint64_t *used;
    ptxlint_status status = compare(b, found, &used);
    if (status != PTXLINT_OK)
        return status;
    *out = 0;
    for (uint32_t e = 0; e < b->count; e++) {
        if (used[e] >= b->entries[e].count || !did_run(config, &b->entries[e]))
            continue;
        b->entries[e].count = used[e];
        ++*out;
    }
    free(used);
    return PTXLINT_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int compare_baseline_entries(const void *pa, const void *pb)
{
    const BaselineEntry *a = *(const BaselineEntry *const *)pa,
                        *b = *(const BaselineEntry *const *)pb;
    int order = strcmp(a->kernel, b->kernel);
    order = order ? order : strcmp(a->rule, b->rule);
    return order ? order : strcmp(a->statement, b->statement);
}

/* Entries to be written, by kernel; free(). NULL: no memory. */
static const BaselineEntry **sort_entries(const ptxlint_baseline *b, size_t *count)
{
    const BaselineEntry **sorted = calloc(b->count ? b->count : 1, sizeof *sorted);
    *count = 0;
    for (uint32_t e = 0; sorted && e < b->count; e++)
        if (b->entries[e].count && *b->entries[e].rule)
            sorted[(*count)++] = &b->entries[e];
    if (sorted && *count)
        qsort(sorted, *count, sizeof *sorted, compare_baseline_entries);
    return sorted;
}

static void put_entry(Out *out, const BaselineEntry *entry)
{
    Json own, *json = ptx_json_init(&own, out);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "rule", entry->rule);
    ptx_json_text(json, "kernel", entry->kernel);
    ptx_json_text(json, "statement", entry->statement);
    ptx_json_count(json, "count", entry->count);
    ptx_json_end(json);
}

size_t ptxlint_baseline_size(const ptxlint_baseline *b)
{
    size_t size = 0;
    for (uint32_t e = 0; b && e < b->count; e++)
        size += b->entries[e].count && *b->entries[e].rule;
    return size;
}

/* Neither version nor date, and a line an entry: two branches that change different entries
 * merge. */
ptxlint_status ptxlint_baseline_write(const ptxlint_baseline *b, ptxlint_write_fn write,
                                      void *context)
{
    Out out;
    size_t count;
    if (!b || !write)
        return PTXLINT_BAD_ARGUMENT;
    const BaselineEntry **sorted = sort_entries(b, &count);
    if (!sorted)
        return PTXLINT_NO_MEMORY;
    ptx_out_init(&out, write, context);
    ptx_out_text(&out, "{\"schema\":\"ptxlint-baseline/1\",\"findings\":[");
    for (size_t i = 0; i < count; i++) {
        ptx_out_text(&out, i ? ",\n" : "\n");
        put_entry(&out, sorted[i]);
    }
    ptx_out_text(&out, count ? "\n]}\n" : "]}\n");
    ptx_out_flush(&out);
    free(sorted);
    return out.status;
}
