/* cache.c -- modules that an earlier run has made: a file each, under the hash of all that it
 * follows from. A file is written beside and renamed, so that runs may share a folder; one that is
 * damaged is as good as none. */
#include "cli/cli.h"
#include "support/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

typedef struct CacheHead {
    char mark[8];
    uint64_t asked_count, file_count;   /* of Matches, behind the head; then the module */
    uint64_t hash;                      /* of what is behind the head */
} CacheHead;

/* ---- keys ------------------------------------------------------------------------------------ */

static void key_text(Text *all, const char *text)
{
    const char *bytes = ptx_text_or(text, "");
    ptx_text_add(all, bytes, strlen(bytes) + 1);
}

static void key_list(Text *all, const StringList *list)
{
    const uint64_t count = list->count;
    ptx_text_add(all, (const char *)&count, sizeof count);
    for (size_t i = 0; i < list->count; i++)
        key_text(all, list->items[i]);
}

/* What a file holds; that there is none counts, too. */
static void key_file(Text *all, const char *path)
{
    size_t length = 0;
    char *bytes = path ? ptx_file_bytes(path, &length) : NULL;
    const uint64_t mark = bytes ? length + 1 : 0;
    ptx_text_add(all, (const char *)&mark, sizeof mark);
    if (bytes)
        ptx_text_add(all, bytes, length);
    free(bytes);
}

/* A file of rules, or those in a folder. */
static void key_rules(Text *all, const char *path)
{
    struct stat st;
    StringList names = { 0 };
    key_text(all, path);
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
        key_file(all, path);
        return;
    }
    if (ptx_folder_list(&names, path, ".yaml") != EXIT_CLEAN)
        return;
    for (size_t i = 0; i < names.count; i++) {
        char *file = ptx_path_join(path, names.items[i]);
        key_file(all, file);
        free(file);
    }
    ptx_strings_free(&names);
}

static void key_rule_lists(Text *all, const StringList *list)
{
    key_list(all, list);
    for (size_t i = 0; i < list->count; i++)
        key_rules(all, list->items[i]);
}

static void key_gpus(Text *all, const StringList *names)
{
    key_list(all, names);
    for (size_t i = 0; i < names->count; i++)
        if (ptx_is_gpu_file(names->items[i]))
            key_file(all, names->items[i]);
}

static void key_config_gpus(Text *all, const Settings *settings)
{
    const char *name;
    for (size_t i = 0; (name = ptxlint_config_value(settings->config, "gpu", i)); i++) {
        char *path = *name == '/' || !settings->folder ? strdup(name)
                                                       : ptx_path_join(settings->folder, name);
        if (ptx_is_gpu_file(name))
            key_file(all, path);
        free(path);
    }
}

static void key_options(Text *all, const Options *options)
{
    key_gpus(all, &options->gpus);
    for (int i = 0; i < SETTING_COUNT; i++)
        key_list(all, &options->settings[i]);
    for (int i = 0; i < CHOICE_COUNT; i++)
        key_list(all, &options->choices[i]);
    key_rule_lists(all, &options->rules);
    for (size_t i = 0; i < options->logs.count; i++)
        key_file(all, options->logs.items[i]);
    key_file(all, options->launch_path);
}

static CacheKey key_of_bytes(const char *bytes, size_t length)
{
    XXH128_hash_t hash = XXH3_128bits(length ? bytes : "", length);
    return (CacheKey){ { hash.high64, hash.low64 } };
}

bool ptx_cache_key(const Cache *cache, const Options *options, const CacheInputs *inputs,
                   CacheKey *out)
{
    Text all = { 0 };
    const Settings *settings = inputs->settings;
    ptx_text_add(&all, (const char *)&cache->program, sizeof cache->program);
    ptx_text_add(&all, (const char *)inputs->kinds, sizeof inputs->kinds);
    key_options(&all, options);
    key_file(&all, settings->path);
    key_rule_lists(&all, &settings->rule_files);
    key_file(&all, settings->inputs.launch_path);
    key_config_gpus(&all, settings);
    key_text(&all, inputs->baseline_path);
    key_file(&all, inputs->baseline_path);
    key_file(&all, inputs->budget_path);
    *out = key_of_bytes(all.bytes, all.length);
    bool is_good = !all.has_failed;
    ptx_text_free(&all);
    return is_good;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Also the folders above it. */
static bool make_folders(const char *folder)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0777);
            *at = '/';
        }
    struct stat st;
    if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
        return true;
    return false;
}

/* The program itself, so that one that is built anew does not take what the old one left. */
static CacheKey hash_program(void)
{
    size_t length = 0;
    char *bytes = ptx_file_bytes("/proc/self/exe", &length);
    const char *version = ptxlint_version();
    CacheKey key = bytes ? key_of_bytes(bytes, length) : key_of_bytes(version, strlen(version));
    free(bytes);
    return key;
}

ExitCode ptx_cache_open(Cache *cache, const char *folder)
{
    *cache = (Cache){ .folder = folder };
    if (!folder)
        return EXIT_CLEAN;
    if (!make_folders(folder) || access(folder, W_OK | X_OK)) {
        ptx_complain(folder, strerror(errno));
        return EXIT_INPUT;
    }
    cache->program = hash_program();
    return EXIT_CLEAN;
}

/* The name of an entry: a folder of two digits, and the rest. */
static void entry_path(const Cache *cache, const CacheKey *base, const CacheSubject *subject,
                       Text *out)
{
    Text all = { 0 };
    const CacheKey text = key_of_bytes(subject->text, subject->length);
    ptx_text_add(&all, (const char *)base, sizeof *base);
    ptx_text_add(&all, (const char *)&text, sizeof text);
    key_text(&all, subject->path);
    key_text(&all, subject->metadata_path);
    const CacheKey key = key_of_bytes(all.bytes, all.length);
    out->has_failed |= all.has_failed;
    ptx_text_free(&all);
    ptx_text_put(out, cache->folder);
    ptx_text_print(out, "/%02x/%014llx%016llx", (unsigned)(key.hash[0] >> 56),
                   (unsigned long long)(key.hash[0] << 8 >> 8), (unsigned long long)key.hash[1]);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_kept(const char *bytes, size_t length, const CacheSubject *subject,
                       CacheEntry *out)
{
    CacheHead head;
    if (length < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    bytes += sizeof head;
    length -= sizeof head;
    if (memcmp(head.mark, "PTXCACH", 8) || head.asked_count > length
        || head.file_count > length - head.asked_count || XXH3_64bits(bytes, length) != head.hash)
        return false;
    const size_t matches = head.asked_count + head.file_count;
    out->matches = (Matches){ malloc(matches + 1), head.asked_count, head.file_count };
    if (!out->matches.bytes)
        return false;
    memcpy(out->matches.bytes, bytes, matches);
    const ptxlint_saved saved = { bytes + matches, length - matches, subject->text,
                                  subject->length };
    return ptxlint_module_load(&saved, subject->options, &out->module) == PTXLINT_OK;
}

bool ptx_cache_find(const Cache *cache, const CacheKey *base, const CacheSubject *subject,
                    CacheEntry *out)
{
    Text path = { 0 };
    size_t length = 0;
    entry_path(cache, base, subject, &path);
    char *bytes = path.has_failed ? NULL : ptx_file_bytes(path.bytes, &length);
    bool is_found = bytes && read_kept(bytes, length, subject, out);
    if (!is_found) {
        free(out->matches.bytes);
        *out = (CacheEntry){ 0 };
    }
    free(bytes);
    ptx_text_free(&path);
    return is_found;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The errno of what failed; 0. */
static int put_file(const char *path, const Text *bytes)
{
    Beside beside;
    if (!ptx_beside_open(&beside, path, false))
        return errno;
    if (ptx_handle_write(beside.handle, bytes->bytes, bytes->length))
        return ptx_beside_place(&beside) ? 0 : errno;
    ptx_beside_drop(&beside);
    return errno;
}

static int write_kept(const Cache *cache, const char *path, const Text *bytes)
{
    Text folder = { 0 };
    ptx_text_add(&folder, path, strlen(cache->folder) + 3);
    if (!folder.has_failed)
        mkdir(folder.bytes, 0777);
    ptx_text_free(&folder);
    return put_file(path, bytes);
}

void ptx_cache_keep(Cache *cache, const CacheKey *base, const CacheSubject *subject,
                    const CacheEntry *entry)
{
    const Matches *matches = &entry->matches;
    CacheHead head = { "PTXCACH", matches->asked_count, matches->file_count, 0 };
    Text bytes = { 0 }, path = { 0 };
    ptx_text_add(&bytes, (const char *)&head, sizeof head);
    ptx_text_add(&bytes, (const char *)matches->bytes, matches->asked_count + matches->file_count);
    ptxlint_status status = ptxlint_module_save(entry->module, ptx_text_write, &bytes);
    entry_path(cache, base, subject, &path);
    if (status == PTXLINT_OK && !bytes.has_failed && !path.has_failed) {
        head.hash = XXH3_64bits(bytes.bytes + sizeof head, bytes.length - sizeof head);
        memcpy(bytes.bytes, &head, sizeof head);
        int error = write_kept(cache, path.bytes, &bytes);
        if (error)
            atomic_store(&cache->error, error);
    }
    ptx_text_free(&bytes);
    ptx_text_free(&path);
}

void ptx_cache_report(const Cache *cache)
{
    char text[160], room[100];
    int error = atomic_load(&cache->error);
    if (!error)
        return;
    snprintf(text, sizeof text, "some results are not kept: %s",
             ptx_error_text(error, room, sizeof room));
    ptx_complain(cache->folder, text);
}
