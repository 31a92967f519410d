#include "kit.h"

#include <dirent.h>
#include <sys/stat.h>

void kit_put(Text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->capacity) {
        text->capacity = (text->length + length + 1) * 2;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void kit_print(Text *text, const char *format, ...)
{
    char line[16384];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert_true(length >= 0);
    kit_put(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

int kit_write(void *context, const char *bytes, size_t length)
{
    kit_put(context, bytes, length);
    return 0;
}

static void full_path(char *out, size_t size, const char *path)
{
    int length = snprintf(out, size, "%s/%s", PTXLINT_SOURCE_ROOT, path);
    assert_true(length > 0 && (size_t)length < size);
}

char *kit_read(const char *path, size_t *length)
{
    char name[4096];
    full_path(name, sizeof name, path);
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("%s: cannot be read", path);
    Text text = { 0 };
    char block[65536];
    kit_put(&text, "", 0);
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        kit_put(&text, block, n);
    fclose(file);
    if (length)
        *length = text.length;
    return text.bytes;
}

bool kit_exists(const char *path)
{
    char name[4096];
    struct stat info;
    full_path(name, sizeof name, path);
    return stat(name, &info) == 0;
}

void kit_save(const char *path, const char *bytes, size_t length)
{
    char name[4096];
    full_path(name, sizeof name, path);
    FILE *file = fopen(name, "wb");
    if (!file)
        fail_msg("%s: cannot be written", path);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void walk(Paths *found, const char *folder, const char *suffix)
{
    char name[4096], child[4096];
    full_path(name, sizeof name, folder);
    DIR *dir = opendir(name);
    if (!dir)
        fail_msg("%s: no such folder", folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct stat info;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(child, sizeof child, "%s/%s", folder, entry->d_name);
        full_path(name, sizeof name, child);
        assert_int_equal(stat(name, &info), 0);
        if (S_ISDIR(info.st_mode)) {
            walk(found, child, suffix);
            continue;
        }
        size_t length = strlen(child), tail = strlen(suffix);
        if (length < tail || strcmp(child + length - tail, suffix))
            continue;
        found->paths = realloc(found->paths, (found->count + 1) * sizeof *found->paths);
        assert_non_null(found->paths);
        assert_non_null(found->paths[found->count++] = strdup(child));
    }
    closedir(dir);
}

Paths kit_walk(const char *folder, const char *suffix)
{
    Paths found = { 0 };
    walk(&found, folder, suffix);
    if (found.count)
        qsort(found.paths, found.count, sizeof *found.paths, by_text);
    return found;
}

void kit_free_paths(Paths paths)
{
    for (size_t i = 0; i < paths.count; i++)
        free(paths.paths[i]);
    free(paths.paths);
}

static ptxlint_module *make_module(const char *text, bool is_kept)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.estimates_only = is_kept;
    ptxlint_module *module = NULL;
    ptxlint_status status = ptxlint_module_new(text, strlen(text), &options, &module);
    if (status != PTXLINT_OK)
        fail_msg("ptxlint_module_new: %s", ptxlint_status_text(status));
    return module;
}

ptxlint_module *kit_module(const char *text)
{
    return make_module(text, false);
}

ptxlint_module *kit_module_kept(const char *text)
{
    return make_module(text, true);
}

static ptxlint_module *open_module(const char *path, bool is_kept, bool has_symbols)
{
    char name[4096];
    full_path(name, sizeof name, path);
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = path;
    options.estimates_only = is_kept;
    options.has_symbols = has_symbols;
    ptxlint_module *module = NULL;
    ptxlint_status status = ptxlint_module_open(name, &options, &module);
    if (status != PTXLINT_OK)
        fail_msg("%s: %s", path, ptxlint_status_text(status));
    return module;
}

ptxlint_module *kit_open(const char *path)
{
    return open_module(path, false, false);
}

ptxlint_module *kit_open_live(const char *path)
{
    return open_module(path, false, true);
}

ptxlint_module *kit_open_kept(const char *path)
{
    return open_module(path, true, false);
}

const ptxlint_kernel *kit_kernel(const ptxlint_module *module, const char *name)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    if (!name) {
        assert_int_equal(count, 1);
        return kernels;
    }
    for (size_t i = 0; i < count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    fail_msg("no function `%s`", name);
    return NULL;
}

uint32_t kit_line(const ptxlint_module *module, uint32_t offset)
{
    return ptxlint_module_place(module, offset).line;
}

static char *list(const ptxlint_module *module, bool errors_only, bool messages)
{
    Text text = { 0 };
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    kit_put(&text, "", 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t line = kit_line(module, diags[i].span.begin);
        if (errors_only && diags[i].severity != PTXLINT_ERROR)
            continue;
        if (messages)
            kit_print(&text, "  %u: %s [%s]\n", line, diags[i].message, diags[i].rule);
        else
            kit_print(&text, "%s%s:%u", text.length ? " " : "", diags[i].rule, line);
    }
    return text.bytes;
}

char *kit_list(const ptxlint_module *module, bool errors_only)
{
    return list(module, errors_only, false);
}

char *kit_describe(const ptxlint_module *module)
{
    return list(module, false, true);
}

static ptxlint_estimated estimate_launched(const char *name, const char *text,
                                           const ptxlint_launches *launches, int64_t blocks,
                                           int64_t threads)
{
    ptxlint_module *module;
    ptxlint_options options;
    ptxlint_trial trial;
    ptxlint_estimated out = { .size = sizeof out };
    const ptxlint_gpu *gpu = ptxlint_gpu_find(name);
    ptxlint_options_init(&options);
    options.gpus = &gpu;
    options.gpu_count = 1;
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    ptxlint_trial_init(&trial);
    trial.grid[0] = blocks;
    trial.block[0] = threads;
    trial.steps = 1 << 22;
    assert_int_equal(ptxlint_estimate(module, "k", 0, &trial, &out), PTXLINT_OK);
    ptxlint_module_free(module);
    return out;
}

ptxlint_estimated kit_estimate_on(const char *name, const char *text, int64_t blocks,
                                  int64_t threads)
{
    return estimate_launched(name, text, NULL, blocks, threads);
}

ptxlint_estimated kit_estimate_with(const char *text, const char *params, int64_t blocks,
                                    int64_t threads)
{
    ptxlint_launches *launches;
    char json[256], error[256];
    int length = snprintf(json, sizeof json, "{\"kernels\": {\"k\": {\"params\": [%s]}}}", params);
    if (ptxlint_launches_new(json, (size_t)length, &launches, error, sizeof error) != PTXLINT_OK)
        fail_msg("%s", error);
    const ptxlint_estimated out = estimate_launched("h200", text, launches, blocks, threads);
    ptxlint_launches_free(launches);
    return out;
}

ptxlint_estimated kit_estimate(const char *text, int64_t blocks, int64_t threads)
{
    return kit_estimate_on("h200", text, blocks, threads);
}

bool kit_time_is_in_order(const ptxlint_time *time)
{
    return time->bound_us <= time->low_us && time->low_us <= time->predicted_us
           && time->predicted_us <= time->high_us && time->band;
}
