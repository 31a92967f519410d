/* shard.c -- a run's inputs shared out among machines, and its parts made one again.
 *
 * Each machine names the same inputs; which of them are its own, the hash of their text says. What
 * it writes in JSON or SARIF has a member "shard" beside the findings, with its modules as
 * ptxlint_module_save has them and their texts: all that any other document is written from. */
#include "cli/cli.h"
#include "support/choice.h"

#include <jansson.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { SHARD_PACK_RATIO = 1040 };       /* deflate packs no better */

/* ---- sharing out ----------------------------------------------------------------------------- */

ptxlint_status ptx_file_text(const InputFile *file, Text *out, Text *messages)
{
    char error[256];
    size_t length = 0;
    if (file->input) {
        ptxlint_status status = ptxlint_input_text(file->input, file->index, ptx_text_write, out,
                                                   error, sizeof error);
        if (status == PTXLINT_BAD_FILE)
            ptx_complain_to(messages, file->path, error);
        return status == PTXLINT_WRITE ? PTXLINT_NO_MEMORY : status;
    }
    out->bytes = ptx_file_bytes(file->path, &length);
    out->length = out->capacity = length;
    if (!out->bytes && errno == ENOMEM)
        return PTXLINT_NO_MEMORY;
    return out->bytes ? PTXLINT_OK : PTXLINT_IO;
}

/* What cannot be read is known by its name. */
/* False: there is no memory. What cannot be read goes by its name. */
static bool hash_input(const InputFile *file, uint64_t *hash)
{
    Text text = { 0 }, messages = { 0 };
    const ptxlint_status status = ptx_file_text(file, &text, &messages);
    const bool has_memory = status != PTXLINT_NO_MEMORY && !text.has_failed;
    *hash = status == PTXLINT_OK && text.length ? XXH3_64bits(text.bytes, text.length)
                                                : XXH3_64bits(file->path, strlen(file->path));
    ptx_text_free(&text);
    ptx_text_free(&messages);
    return has_memory;
}

bool ptx_shard_choose(const Options *options, FileList *files, ShardList *list)
{
    size_t kept = 0;
    uint64_t hash;
    bool has_memory = true;
    list->input_count = files->count;
    for (size_t i = 0; i < files->count; i++) {
        InputFile file = files->items[i];
        list->names_hash = XXH3_64bits_withSeed(file.path, strlen(file.path) + 1, list->names_hash);
        file.number = i;
        has_memory &= hash_input(&file, &hash);
        if (hash % options->shard_count + 1 == options->shard)
            files->items[kept++] = file;
        else
            free(file.path);
    }
    files->count = kept;
    return has_memory;
}

/* ---- bytes in JSON --------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* RFC 4648, "Base 64 Encoding". */
static void put_base64(Text *out, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 3) {
        size_t here = length - i < 3 ? length - i : 3;
        unsigned triple = (unsigned)bytes[i] << 16;
        triple |= here > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        triple |= here > 2 ? bytes[i + 2] : 0;
        char quad[4] = { digits[triple >> 18], digits[triple >> 12 & 63], digits[triple >> 6 & 63],
                         digits[triple & 63] };
        memset(quad + here + 1, '=', 3 - here);
        ptx_text_add(out, quad, 4);
    }
}

/* Into out, with room for 3 bytes per 4 digits. SIZE_MAX: it is none. */
static size_t read_base64(const char *text, size_t length, unsigned char *out)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i += 4) {
        unsigned triple = 0, missing = 0;
        for (size_t j = i; j < i + 4; j++) {
            const char *digit = j < length && text[j] ? strchr(digits, text[j]) : NULL;
            bool is_end = j < length && text[j] == '=' && j >= i + 2 && i + 4 == length;
            if (!digit && !is_end)
                return SIZE_MAX;
            missing += is_end;
            triple = triple << 6 | (digit ? (unsigned)(digit - digits) : 0);
        }
        for (unsigned j = 0; j < 3 - missing; j++)
            out[count++] = (unsigned char)(triple >> (16 - 8 * j));
    }
    return count;
}

#ifdef HAVE_ZLIB
/* Packed bytes, malloc'ed; *length: of them. NULL: no memory. */
static unsigned char *deflate_text(const Text *text, size_t *length)
{
    uLongf room = compressBound(text->length);
    unsigned char *out = malloc(room + 1);
    bool is_good = out
                   && compress2(out, &room, (const unsigned char *)text->bytes, text->length, 6)
                          == Z_OK;
    *length = room;
    if (!is_good)
        free(out);
    return is_good ? out : NULL;
}

static bool inflate_text(const unsigned char *bytes, size_t length, Text *out)
{
    uLongf room = out->length;
    int code = uncompress((unsigned char *)out->bytes, &room, bytes, length);
    out->has_failed = code == Z_MEM_ERROR;
    return code == Z_OK && room == out->length;
}
#else
static unsigned char *deflate_text(const Text *text, size_t *length)
{
    unsigned char *out = malloc(text->length + 1);
    *length = text->length;
    if (out && text->length)
        memcpy(out, text->bytes, text->length);
    return out;
}

static bool inflate_text(const unsigned char *bytes, size_t length, Text *out)
{
    if (length == out->length)
        memcpy(out->bytes, bytes, length);
    return length == out->length;
}
#endif

/* "NAME":{"bytes":N,"base64":"..."} */
static void put_packed(Text *out, const char *name, const Text *text)
{
    size_t length = 0;
    unsigned char *packed = deflate_text(text, &length);
    out->has_failed |= !packed || text->has_failed;
    ptx_text_print(out, "\"%s\":{\"bytes\":%zu,\"base64\":\"", name, text->length);
    if (packed)
        put_base64(out, packed, length);
    ptx_text_put(out, "\"}");
    free(packed);
}

/* ---- writing a part -------------------------------------------------------------------------- */

static void put_shard_string(Text *out, const char *text)
{
    json_t *string = json_stringn_nocheck(text, strlen(text));
    char *shown = string ? json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    out->has_failed |= !shown;
    if (shown)
        ptx_text_put(out, shown);
    free(shown);
    json_decref(string);
}

void ptx_shard_add(ShardList *list, size_t number, const ptxlint_module *module)
{
    Text saved = { 0 };
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    const Text text = { .bytes = (char *)(uintptr_t)info->text, .length = info->length };
    Text *out = &list->modules;
    out->has_failed |= ptxlint_module_save(module, ptx_text_write, &saved) != PTXLINT_OK;
    ptx_text_print(out, "%s{\"number\":%zu,\"path\":", ptx_text_if(out->length, ",\n"), number);
    put_shard_string(out, info->path);
    ptx_text_put(out, ",");
    put_packed(out, "text", &text);
    ptx_text_put(out, ",");
    put_packed(out, "module", &saved);
    ptx_text_put(out, "}");
    ptx_text_free(&saved);
}

void ptx_shard_lose(ShardList *list, size_t number)
{
    ptx_text_print(&list->lost, "%s%zu", ptx_text_if(list->lost.length, ","), number);
}

bool ptx_shard_attach(const Options *options, const ShardList *list, ptxlint_writer *writer)
{
    Text text = { 0 };
    ptx_text_print(&text,
                   "{\"schema\":\"ptxlint-shard/1\",\"version\":\"%s\",\"command\":\"%s\","
                   "\"index\":%u,\"count\":%u,\"inputs\":%zu,\"names\":\"%016llx\","
                   "\"lost\":[",
                   ptxlint_version(), ptx_command_words[options->command], options->shard,
                   options->shard_count, list->input_count, (unsigned long long)list->names_hash);
    ptx_text_put(&text, ptx_text_or(list->lost.bytes, ""));
    ptx_text_put(&text, "],\"modules\":[");
    ptx_text_add(&text, ptx_text_or(list->modules.bytes, ""), list->modules.length);
    ptx_text_put(&text, "]}");
    bool is_good = !text.has_failed && !list->modules.has_failed && !list->lost.has_failed
                   && ptxlint_writer_attach(writer, "shard", text.bytes, text.length)
                          == PTXLINT_OK;
    ptx_text_free(&text);
    return is_good;
}

void ptx_shard_free(ShardList *list)
{
    ptx_text_free(&list->modules);
    ptx_text_free(&list->lost);
}

/* ---- reading parts --------------------------------------------------------------------------- */

/* A shard's document. */
typedef struct ShardPart {
    json_t *json;
    const char *path;
    size_t module_count;
    atomic_size_t bad_count;    /* modules that could not be made */
} ShardPart;

/* Parts that are being put together. */
typedef struct Merge {
    Options *options;
    FileList files;             /* in the order of their numbers, once all are there */
    ShardPart *parts;           /* by their order on the command line */
    size_t part_count;
    const char **of_shard;      /* per shard: the document that it is in; NULL: none yet */
    size_t shard_count, input_count;
    const char *names, *command;
    unsigned char *is_there;    /* per input: 1, or 2 where it could not be read */
    bool has_lost;
} Merge;

static ExitCode complain_usage(const char *path, const char *text)
{
    ptx_complain(path, text);
    return EXIT_USAGE;
}

static const char *shard_text_at(const json_t *object, const char *key)
{
    return ptx_text_or(json_string_value(json_object_get(object, key)), "");
}

/* What ptxlint wrote there; NULL. */
static const json_t *shard_of(const json_t *document)
{
    const json_t *shard = json_object_get(document, "shard");
    if (!shard)
        shard = json_object_get(
            json_object_get(json_array_get(json_object_get(document, "runs"), 0), "properties"),
            "shard");
    return strcmp(shard_text_at(shard, "schema"), "ptxlint-shard/1") ? NULL : shard;
}

static size_t shard_number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    return json_is_integer(value) && number >= 0 && number <= INT32_MAX ? (size_t)number : SIZE_MAX;
}

/* The first says what the run is. */
static ExitCode begin_merge(Merge *merge, const json_t *shard, const char *path)
{
    merge->shard_count = shard_number_at(shard, "count");
    merge->input_count = shard_number_at(shard, "inputs");
    merge->names = shard_text_at(shard, "names");
    merge->command = shard_text_at(shard, "command");
    bool is_report = !strcmp(merge->command, "report");
    if (merge->shard_count < 1 || merge->shard_count > SHARD_COUNT_MAX
        || merge->input_count == SIZE_MAX || (!is_report && strcmp(merge->command, "check") != 0))
        return complain_usage(path, "its \"shard\" is damaged");
    merge->options->command = is_report ? COMMAND_REPORT : COMMAND_CHECK;
    merge->of_shard = calloc(merge->shard_count, sizeof *merge->of_shard);
    merge->is_there = calloc(merge->input_count + 1, 1);
    merge->files.items = calloc(merge->input_count + 1, sizeof *merge->files.items);
    if (!merge->of_shard || !merge->is_there || !merge->files.items)
        return ptx_complain_memory();
    merge->files.count = merge->input_count;
    return EXIT_CLEAN;
}

static ExitCode check_part(Merge *merge, const json_t *shard, const char *path)
{
    char text[200];
    const size_t index = shard_number_at(shard, "index");
    if (shard_number_at(shard, "count") != merge->shard_count
        || shard_number_at(shard, "inputs") != merge->input_count
        || strcmp(shard_text_at(shard, "names"), merge->names) != 0
        || strcmp(shard_text_at(shard, "command"), merge->command) != 0)
        return complain_usage(path, "is a shard of another run: all must have the same command, "
                                    "the same inputs and the same N of --shard I/N");
    if (index < 1 || index > merge->shard_count)
        return complain_usage(path, "its \"shard\" is damaged");
    if (merge->of_shard[index - 1]) {
        snprintf(text, sizeof text, "is shard %zu of %zu, and so is %.100s", index,
                 merge->shard_count, merge->of_shard[index - 1]);
        return complain_usage(path, text);
    }
    merge->of_shard[index - 1] = path;
    return EXIT_CLEAN;
}

static ExitCode add_module(Merge *merge, const json_t *module, ShardPart *part)
{
    const char *path = part->path;
    const size_t number = shard_number_at(module, "number");
    const char *shown = shard_text_at(module, "path");
    if (number >= merge->input_count || merge->is_there[number] || !*shown)
        return complain_usage(path, "its \"shard\" is damaged");
    merge->is_there[number] = 1;
    InputFile *file = &merge->files.items[number];
    *file = (InputFile){ .path = strdup(shown), .part = module, .document = part,
                         .number = number };
    part->module_count++;
    return file->path ? EXIT_CLEAN : ptx_complain_memory();
}

static ExitCode merge_part(Merge *merge, const json_t *shard, ShardPart *part)
{
    char text[120];
    const char *path = part->path;
    const json_t *modules = json_object_get(shard, "modules"),
                 *lost = json_object_get(shard, "lost");
    ExitCode code = merge->of_shard ? EXIT_CLEAN : begin_merge(merge, shard, path);
    if (code == EXIT_CLEAN)
        code = check_part(merge, shard, path);
    for (size_t i = 0; i < json_array_size(modules) && code == EXIT_CLEAN; i++)
        code = add_module(merge, json_array_get(modules, i), part);
    for (size_t i = 0; i < json_array_size(lost) && code == EXIT_CLEAN; i++) {
        json_int_t number = json_integer_value(json_array_get(lost, i));
        if (number >= 0 && (size_t)number < merge->input_count)
            merge->is_there[number] = 2;
    }
    if (json_array_size(lost) && code == EXIT_CLEAN) {
        snprintf(text, sizeof text, "%zu of its inputs could not be read", json_array_size(lost));
        ptx_complain(path, text);
        merge->has_lost = true;
    }
    return code;
}

static ExitCode read_part(Merge *merge, const char *path)
{
    json_error_t error;
    size_t length;
    char *bytes;
    ExitCode code = ptx_file_read(path, &bytes, &length);
    if (code != EXIT_CLEAN)
        return code;
    json_t *document = json_loadb(bytes, length, 0, &error);
    free(bytes);
    if (!document) {
        ptx_complain_at(path, (unsigned)error.line, (unsigned)error.column,
                        ptx_without_excerpt(error.text));
        return EXIT_USAGE;
    }
    ShardPart *part = &merge->parts[merge->part_count++];
    part->json = document;
    part->path = path;
    const json_t *shard = shard_of(document);
    if (!shard)
        return complain_usage(path, "is no part of a sharded run; `ptxlint --shard I/N --format "
                                    "json` writes one");
    if (strcmp(shard_text_at(shard, "version"), ptxlint_version()) != 0)
        return complain_usage(path, "was written by another version of ptxlint");
    return merge_part(merge, shard, part);
}

/* All of them, or none is written. */
static ExitCode check_whole(Merge *merge)
{
    char text[120];
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < merge->shard_count; i++)
        if (!merge->of_shard[i]) {
            snprintf(text, sizeof text, "shard %zu of %zu is missing", i + 1, merge->shard_count);
            code = complain_usage("merge", text);
        }
    for (size_t i = 0; i < merge->input_count && code == EXIT_CLEAN; i++)
        if (!merge->is_there[i])
            code = complain_usage("merge", "an input is in no shard: was it changed between them?");
    size_t kept = 0;
    for (size_t i = 0; i < merge->input_count && code == EXIT_CLEAN; i++)
        if (merge->files.items[i].path)
            merge->files.items[kept++] = merge->files.items[i];
    merge->files.count = code == EXIT_CLEAN ? kept : merge->input_count;
    return code;
}

/* Of so many bytes; has_failed: no memory. */
static bool unpack_shard_text(const unsigned char *packed, size_t count, size_t bytes, Text *out)
{
    if (count == SIZE_MAX || bytes == SIZE_MAX || bytes / SHARD_PACK_RATIO > count)
        return false;
    *out = (Text){ malloc(bytes + 1), bytes, bytes + 1, false };
    out->has_failed = !out->bytes;
    if (!out->bytes || !inflate_text(packed, count, out))
        return false;
    out->bytes[bytes] = 0;
    return true;
}

/* "text" or "module" of a module, malloc'ed. */
static bool read_packed(const json_t *object, Text *out)
{
    const json_t *digits_of = json_object_get(object, "base64");
    const size_t length = json_string_length(digits_of);
    if (length % 4)
        return false;
    unsigned char *packed = malloc(length + 4);
    out->has_failed = !packed;
    if (!packed)
        return false;
    const size_t count = read_base64(ptx_text_or(json_string_value(digits_of), ""), length, packed);
    bool is_good = unpack_shard_text(packed, count, shard_number_at(object, "bytes"), out);
    free(packed);
    return is_good;
}

ptxlint_status ptx_shard_load(const InputFile *file, const ptxlint_options *options,
                              ptxlint_module **out)
{
    Text text = { 0 }, saved = { 0 };
    ptxlint_status status = PTXLINT_BAD_FILE;
    if (read_packed(json_object_get(file->part, "text"), &text)
        && read_packed(json_object_get(file->part, "module"), &saved)) {
        const ptxlint_saved whole = { saved.bytes, saved.length, text.bytes, text.length };
        ptxlint_options plain = *options;
        plain.metadata_path = NULL;     /* here what lay beside the file may be missing ... */
        status = ptxlint_module_load(&whole, &plain, out);
        plain.sources = NULL;           /* ... as may CUDA sources */
        if (status == PTXLINT_BAD_FILE)
            status = ptxlint_module_load(&whole, &plain, out);
    }
    if (text.has_failed || saved.has_failed)
        status = PTXLINT_NO_MEMORY;
    if (status == PTXLINT_BAD_FILE)
        atomic_fetch_add(&file->document->bad_count, 1);
    ptx_text_free(&text);
    ptx_text_free(&saved);
    return status;
}

/* Once a document. */
static void complain_bad(const Merge *merge)
{
    char text[200];
    for (size_t i = 0; i < merge->part_count; i++) {
        const ShardPart *part = &merge->parts[i];
        const size_t count = atomic_load(&part->bad_count);
        snprintf(text, sizeof text,
                 "%zu of its %zu modules cannot be read: damaged, of another build of ptxlint, or "
                 "with a GPU that --gpu FILE.yaml must name", count, part->module_count);
        if (count)
            ptx_complain(part->path, text);
    }
}

static void merge_free(Merge *merge)
{
    for (size_t i = 0; i < merge->part_count; i++)
        json_decref(merge->parts[i].json);
    free(merge->parts);
    free(merge->of_shard);
    free(merge->is_there);
}

/* A report has fewer formats than findings. */
static ExitCode check_formats(const Options *options)
{
    for (size_t i = 0; i < options->output_count; i++) {
        Format format = options->outputs[i].format;
        if (options->command == COMMAND_REPORT && format != FORMAT_TEXT && format != FORMAT_JSON
            && format != FORMAT_CSV && format != FORMAT_MARKDOWN)
            return complain_usage("--format",
                                  "these are shards of a report: text, json, csv or markdown");
    }
    return EXIT_CLEAN;
}

ExitCode ptx_merge(Options *options)
{
    size_t count = 0;
    while (options->paths[count])
        count++;
    Merge merge = { .options = options, .parts = calloc(count + 1, sizeof *merge.parts) };
    ExitCode code = merge.parts ? EXIT_CLEAN : ptx_complain_memory();
    for (size_t i = 0; i < count && code != EXIT_INTERNAL; i++)
        code = exit_code_max(code, read_part(&merge, options->paths[i]));
    if (code == EXIT_CLEAN)
        code = check_whole(&merge);
    if (code == EXIT_CLEAN)
        code = check_formats(options);
    if (code == EXIT_CLEAN)
        code = exit_code_max(ptx_run_parts(options, &merge.files),
                             merge.has_lost ? EXIT_INPUT : EXIT_CLEAN);
    complain_bad(&merge);
    ptx_files_free(&merge.files);
    merge_free(&merge);
    return code;
}
