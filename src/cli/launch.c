/* launch.c -- launch files: init writes one with the kernels of the inputs, to be filled in; for
 * record see record.c. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "support/choice.h"
#include "support/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry of the file that is written. */
typedef struct LaunchRow {
    char *name, *path;  /* of the kernel; of its PTX */
    char *body;         /* the keys, a line each */
    bool is_by_file;    /* another file has a kernel of that name and other keys */
} LaunchRow;

typedef struct LaunchDraft {
    const Options *options;
    LaunchRow *rows;
    size_t count, capacity;
    ExitCode code;
} LaunchDraft;

/* ---- what a parameter is --------------------------------------------------------------------- */

typedef struct Argument {
    const char *at;
    size_t length;
} Argument;

/* Where the list of arguments of a signature begins, behind its bracket; NULL. */
static const char *find_arguments(const char *signature)
{
    size_t depth = 0;
    const char *at = signature + strlen(signature);
    while (at > signature) {
        at--;
        depth += *at == ')';
        if (*at == '(' && depth-- <= 1)
            return at + 1;
    }
    return NULL;
}

/* The next one at *at, up to a comma that is in no bracket. False: there is none. */
static bool take_argument(const char **at, Argument *out)
{
    size_t depth = 0;
    const char *end = *at;
    for (; *end && (depth || (*end != ',' && *end != ')')); end++) {
        depth += strchr("(<[{", *end) != NULL;
        depth -= strchr(")>]}", *end) != NULL && depth;
    }
    *out = (Argument){ *at, (size_t)(end - *at) };
    *at = *end == ',' ? end + 1 + strspn(end + 1, " ") : end;
    return out->length > 0;
}

/* Argument number index of as many as the kernel has parameters. */
static bool find_argument(const ptxlint_kernel *kernel, size_t index, Argument *out)
{
    const char *at = kernel->demangled ? find_arguments(kernel->demangled) : NULL;
    size_t count = 0;
    Argument argument = { 0 };
    while (at && take_argument(&at, &argument))
        if (count++ == index)
            *out = argument;
    return index < count && count == kernel->param_count;
}

/* "2: float const*, .u64". */
static void put_param_note(json_t *note, const ptxlint_kernel *kernel, size_t index)
{
    const ptxlint_param *param = &kernel->params[index];
    Text words = { 0 };
    Argument argument = { 0 };
    ptx_text_print(&words, "%zu: ", index);
    if (find_argument(kernel, index, &argument)) {
        ptx_text_add(&words, argument.at, argument.length);
        ptx_text_put(&words, ", ");
    } else if (param->name && *param->name) {
        ptx_text_print(&words, "%.200s, ", param->name);
    }
    ptx_text_print(&words, ".%s", param->type);
    if (!strcmp(param->type, "b8") && param->bytes >= 0)
        ptx_text_print(&words, " of %lld bytes", (long long)param->bytes);
    json_array_append_new(note, words.bytes ? json_string(words.bytes) : NULL);
    ptx_text_free(&words);
}

static json_t *make_note(const ptxlint_kernel *kernel)
{
    json_t *note = json_array();
    if (kernel->demangled)
        json_array_append_new(note, json_string(kernel->demangled));
    for (size_t i = 0; i < kernel->param_count; i++)
        put_param_note(note, kernel, i);
    return note;
}

/* ---- an entry -------------------------------------------------------------------------------- */

static json_t *shape_or_null(const int64_t shape[3])
{
    return shape[0] > 0 ? ptx_json_sizes(shape) : json_null();
}

/* Loops whose iterations nothing says. */
static json_t *make_trips(const ptxlint_kernel *kernel)
{
    json_t *trips = json_object();
    for (size_t i = 0; i < kernel->loop_count; i++) {
        const ptxlint_loop *loop = &kernel->loops[i];
        if (!isfinite(loop->trip.count) && *loop->label)
            json_object_set_new(trips, loop->label, json_null());
    }
    return trips;
}

static json_t *make_params(const ptxlint_kernel *kernel)
{
    json_t *params = json_array();
    for (size_t i = 0; i < kernel->param_count; i++)
        json_array_append_new(params, json_null());
    return params;
}

/* Takes value. */
static void put_draft_key(Text *out, const char *key, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (text)
        ptx_text_print(out, "%s\n      \"%s\": ", out->length ? "," : "", key);
    ptx_text_put(out, text ? text : "");
    out->has_failed |= !text;
    free(text);
    json_decref(value);
}

static void put_draft_note(Text *out, json_t *note)
{
    char *text = note ? json_dumps(note, JSON_INDENT(1)) : NULL;
    ptx_text_put(out, "\n      \"note\": ");
    for (const char *at = text; at && *at; at++) {
        ptx_text_add(out, at, 1);
        if (*at == '\n')
            ptx_text_put(out, "      ");
    }
    out->has_failed |= !text;
    free(text);
    json_decref(note);
}

static void put_draft_keys(Text *out, const ptxlint_kernel *kernel)
{
    const ptxlint_launch *launch = &kernel->launch;
    const int64_t unknown[3] = { 0 };
    json_t *note = make_note(kernel), *trips = make_trips(kernel);
    if (json_array_size(note))
        put_draft_note(out, note);
    else
        json_decref(note);
    put_draft_key(out, "grid", shape_or_null(launch->grid));
    put_draft_key(out, "block", shape_or_null(launch->block_is_assumed ? unknown : launch->block));
    if (launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1)
        put_draft_key(out, "cluster", ptx_json_sizes(launch->cluster));
    put_draft_key(out, "dynamic_shared",
            launch->dynamic_shared_bytes >= 0 ? json_integer(launch->dynamic_shared_bytes)
                                              : json_null());
    if (kernel->param_count)
        put_draft_key(out, "params", make_params(kernel));
    if (json_object_size(trips))
        put_draft_key(out, "trips", trips);
    else
        json_decref(trips);
}

/* ---- the entries ----------------------------------------------------------------------------- */

/* Whether an entry says the same; another of that name makes both stand by their files. */
static bool is_there_already(LaunchDraft *draft, const char *name, const char *body, bool *by_file)
{
    *by_file = false;
    for (size_t i = 0; i < draft->count; i++) {
        LaunchRow *row = &draft->rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        if (!strcmp(row->body, body))
            return true;
        row->is_by_file = *by_file = true;
    }
    return false;
}

static void append_launch_row(LaunchDraft *draft, LaunchRow row)
{
    const bool has_room = ptx_list_reserve(&draft->rows, &draft->capacity, draft->count + 1,
                                           sizeof *draft->rows);
    if (has_room && row.name && row.path && row.body) {
        draft->rows[draft->count++] = row;
        return;
    }
    free(row.name);
    free(row.path);
    free(row.body);
    draft->code = ptx_complain_memory();
}

static void draft_kernel(LaunchDraft *draft, const char *path, const ptxlint_kernel *kernel)
{
    Text body = { 0 };
    bool by_file;
    put_draft_keys(&body, kernel);
    if (body.has_failed)
        draft->code = ptx_complain_memory();
    else if (!is_there_already(draft, kernel->name, body.bytes, &by_file))
        append_launch_row(draft, (LaunchRow){ strdup(kernel->name), strdup(path),
                                              strdup(body.bytes), by_file });
    ptx_text_free(&body);
}

static void put_string(Text *out, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    ptx_text_put(out, quoted ? quoted : "\"\"");
    out->has_failed |= !quoted;
    free(quoted);
    json_decref(string);
}

/* Rows of one of the two kinds; returns how many. */
static size_t put_rows(const LaunchDraft *draft, bool by_file, Text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->count; i++) {
        const LaunchRow *row = &draft->rows[i];
        if (row->is_by_file != by_file)
            continue;
        ptx_text_put(out, count++ ? ",\n    " : "    ");
        if (by_file) {
            ptx_text_put(out, "{\n      \"file\": ");
            put_string(out, row->path);
            ptx_text_put(out, ",\n      \"kernel\": ");
            put_string(out, row->name);
            ptx_text_put(out, ",");
        } else {
            put_string(out, row->name);
            ptx_text_put(out, ": {");
        }
        ptx_text_put(out, row->body);
        ptx_text_put(out, "\n    }");
    }
    return count;
}

static void put_draft(const LaunchDraft *draft, Text *out)
{
    Text named = { 0 }, listed = { 0 };
    bool has_named = put_rows(draft, false, &named), has_listed = put_rows(draft, true, &listed);
    ptx_text_put(out, "{\n");
    if (has_named)
        ptx_text_print(out, "  \"kernels\": {\n%s\n  }%s\n", named.bytes, has_listed ? "," : "");
    if (has_listed)
        ptx_text_print(out, "  \"launches\": [\n%s\n  ]\n", listed.bytes);
    ptx_text_put(out, "}\n");
    out->has_failed |= named.has_failed || listed.has_failed;
    ptx_text_free(&named);
    ptx_text_free(&listed);
}

/* ---- init ------------------------------------------------------------------------------------ */

static void draft_module(LaunchDraft *draft, const char *path, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count && draft->code != EXIT_INTERNAL; k++)
        if (ptx_is_asked(draft->options, &kernels[k]))
            draft_kernel(draft, path, &kernels[k]);
}

/* What cannot be read is left out, and the exit code says so. */
static void draft_file(LaunchDraft *draft, CliSubject *subject, const InputFile *file)
{
    ptxlint_module *module = NULL;
    const Settings *settings = ptx_book_file(&subject->book, file->path);
    ExitCode code = settings ? settings->code : EXIT_INTERNAL;
    const ModuleSource source = { .options = draft->options, .given = &subject->inputs,
                                  .config = settings ? &settings->inputs : NULL };
    if (code == EXIT_CLEAN)
        code = ptx_inputs_open(&source, file, &module);
    draft->code = exit_code_max(draft->code, code);
    if (module)
        draft_module(draft, file->path, module);
    ptxlint_module_free(module);
}

static void write_draft(LaunchDraft *draft)
{
    Text out = { 0 };
    if (!draft->count && draft->code == EXIT_CLEAN) {
        ptx_complain("launch", "the inputs have no kernel that is asked for");
        draft->code = EXIT_USAGE;
    }
    if (!draft->count || draft->code == EXIT_INTERNAL)
        return;
    put_draft(draft, &out);
    draft->code = exit_code_max(draft->code, ptx_output_text(draft->options, &out));
    ptx_text_free(&out);
}

static ExitCode init_launches(const Options *options)
{
    CliSubject subject;
    LaunchDraft draft = { .options = options };
    draft.code = ptx_subject_open(&subject, options, (const char *const *)options->paths + 1);
    for (size_t i = 0; i < subject.files.count && draft.code < EXIT_INTERNAL; i++)
        draft_file(&draft, &subject, &subject.files.items[i]);
    write_draft(&draft);
    for (size_t i = 0; i < draft.count; i++) {
        free(draft.rows[i].name);
        free(draft.rows[i].path);
        free(draft.rows[i].body);
    }
    free(draft.rows);
    ptx_subject_free(&subject);
    return draft.code;
}

ExitCode ptx_launch_command(const Options *options)
{
    return strcmp(options->paths[0], "init") ? ptx_record(options) : init_launches(options);
}
