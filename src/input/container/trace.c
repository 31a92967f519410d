#include "input/container/trace.h"

#include "input/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static const char event_key[] = "\"event_type\"";

bool ptx_trace_is(const unsigned char *head, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", head[at]) && head[at])
        at++;
    if (at == length || head[at] != '{')
        return false;
    for (; at + sizeof event_key <= length && head[at] != '\n'; at++)
        if (!memcmp(head + at, event_key, sizeof event_key - 1))
            return true;
    return false;
}

static bool is_event(const json_t *event, const char *type)
{
    const char *word = json_string_value(json_object_get(event, "event_type"));
    return word && !strcmp(word, type);
}

static const json_t *metadata_of(const json_t *event)
{
    return json_object_get(json_object_get(event, "payload"), "metadata");
}

/* "<file too large: ...>" stands for what was not kept. */
static const char *ptx_of(const json_t *event)
{
    json_t *contents = json_object_get(json_object_get(event, "payload"), "file_content"), *value;
    const char *name;
    json_object_foreach(contents, name, value) {
        size_t length = strlen(name);
        const char *text = json_string_value(value);
        if (text && *text != '<' && length > 4 && !strcmp(name + length - 4, ".ptx"))
            return text;
    }
    return NULL;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A tensor is a pointer; what has no value of its own stands for no parameter that is known. */
static json_t *argument_value(const json_t *argument)
{
    json_t *value = json_object_get(argument, "value");
    if (json_is_boolean(value))
        return json_integer(json_is_true(value));
    return json_is_number(value) ? json_incref(value) : json_null();
}

static json_t *arguments_of(const json_t *event)
{
    json_t *arguments = json_array(), *argument;
    const char *name;
    json_object_foreach(json_object_get(event, "extracted_args"), name, argument) {
        json_array_append_new(arguments, argument_value(argument));
    }
    return arguments;
}

/* The launch as JSON text is its own key. */
static void note_trace_launch(json_t *launches, const json_t *event)
{
    const char *hash = json_string_value(
        json_object_get(json_object_get(event, "compilation_metadata"), "hash"));
    json_t *grid = json_object_get(event, "grid");
    if (!hash || !json_array_size(grid))
        return;
    json_t *launch = json_pack("{s:O, s:o}", "grid", grid, "params", arguments_of(event));
    char *key = launch ? json_dumps(launch, JSON_COMPACT) : NULL;
    if (!json_object_get(launches, hash))
        json_object_set_new(launches, hash, json_object());
    json_t *ways = json_object_get(launches, hash);
    if (key)
        json_object_set_new(ways, key,
                            json_integer(1 + json_integer_value(json_object_get(ways, key))));
    free(key);
    json_decref(launch);
}

/* ---- the lines ------------------------------------------------------------------------------- */

static ptxlint_status take_event(const json_t *event, ByteRange line, const FatbinVisitor *visitor,
                                 json_t *launches)
{
    if (is_event(event, "launch"))
        note_trace_launch(launches, event);
    if (!is_event(event, "compilation") || !ptx_of(event))
        return PTXLINT_OK;
    const json_t *target = json_object_get(metadata_of(event), "target");
    json_int_t arch = json_integer_value(json_object_get(target, "arch"));
    const FatbinEntry entry = {
        .payload = line.begin,
        .packed_bytes = line.end - line.begin,
        .unpacked_bytes = strlen(ptx_of(event)),
        .arch = arch > 0 && arch < 10000 ? (unsigned)arch : 0,
    };
    return visitor->entry(visitor->context, &entry);
}

ptxlint_status ptx_trace_scan(const char *text, size_t length, const FatbinVisitor *visitor,
                              json_t **launches)
{
    ptxlint_status status = PTXLINT_OK;
    *launches = json_object();
    for (size_t begin = 0, end; status == PTXLINT_OK && begin < length; begin = end + 1) {
        const char *newline = memchr(text + begin, '\n', length - begin);
        end = newline ? (size_t)(newline - text) : length;
        json_t *event = end > begin ? json_loadb(text + begin, end - begin, 0, NULL) : NULL;
        if (event)
            status = take_event(event, (ByteRange){ begin, end }, visitor, *launches);
        else if (end > begin + 1)
            status = visitor->trouble(visitor->context, begin, "this line is no JSON");
        json_decref(event);
    }
    return status;
}

ptxlint_status ptx_trace_text(const char *line, size_t length, Unpacked *out)
{
    json_t *event = json_loadb(line, length, 0, NULL);
    const char *ptx = ptx_of(event);
    *out = (Unpacked){ .why = "this event has no PTX" };
    if (ptx)
        out->text = strdup(ptx);
    out->length = out->text ? strlen(out->text) : 0;
    ptxlint_status without = ptx ? PTXLINT_NO_MEMORY : PTXLINT_BAD_FILE;
    json_decref(event);
    return out->text ? PTXLINT_OK : without;
}

/* ---- a launch file --------------------------------------------------------------------------- */

/* Parameters of the entry in PTX: ".param" up to the bracket that closes its list. */
static size_t count_ptx_params(const char *ptx)
{
    size_t count = 0;
    const char *at = ptx ? strstr(ptx, ".entry") : NULL;
    const char *end = at ? strchr(at, ')') : NULL;
    while (at && end && (at = strstr(at, ".param")) && at < end) {
        count++;
        at++;
    }
    return count;
}

/* Arguments that the compiler has folded into the code are no parameters: only where none is are
 * they known by position. Behind them stand those of scratch memory. */
static void fit_params(json_t *launch, const json_t *scratch, size_t param_count)
{
    size_t arguments = json_array_size(json_object_get(launch, "params"));
    if (!arguments || arguments + json_array_size(scratch) != param_count)
        json_object_del(launch, "params");
}

/* Those made most often first. */
static void insert_launch(json_t *listed, json_t *launch, json_int_t count)
{
    size_t at = 0;
    while (at < json_array_size(listed)
           && json_integer_value(json_object_get(json_array_get(listed, at), "count")) >= count)
        at++;
    json_object_set_new(launch, "count", json_integer(count));
    json_array_insert_new(listed, at, launch);
}

static json_t *list_launches(const json_t *event, const json_t *base, json_t *ways)
{
    const char *kernel = json_string_value(json_object_get(metadata_of(event), "name")), *key;
    json_t *listed = json_array(), *count, *launch;
    size_t params = count_ptx_params(ptx_of(event)), i;
    json_object_foreach(ways, key, count) {
        launch = json_loads(key, 0, NULL);
        fit_params(launch, json_object_get(base, "scratch"), params);
        json_object_update_missing(launch, (json_t *)(uintptr_t)base);
        json_object_set_new(launch, "kernel", json_string(kernel));
        insert_launch(listed, launch, json_integer_value(count));
    }
    json_array_foreach(listed, i, launch) {
        json_object_del(launch, "count");
    }
    return listed;
}

json_t *ptx_trace_launches(const char *line, size_t length, const json_t *launches)
{
    json_t *event = json_loadb(line, length, 0, NULL), *root = NULL;
    const json_t *metadata = metadata_of(event);
    const char *hash = json_string_value(json_object_get(metadata, "hash")),
               *kernel = json_string_value(json_object_get(metadata, "name"));
    json_t *base = kernel ? ptx_metadata_triton_launch(metadata) : NULL;
    json_t *ways = hash ? json_object_get(launches, hash) : NULL;
    if (base && json_object_size(ways))
        root = json_pack("{s:o}", "launches", list_launches(event, base, ways));
    else if (base)
        root = json_pack("{s:{s:O}}", "kernels", kernel, base);
    json_decref(base);
    json_decref(event);
    return root;
}
