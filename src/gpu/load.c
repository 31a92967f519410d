/* Every key of the tree is looked up in the tables of figures, pipes and machine operations. */
#include "gpu/load.h"

#include "support/words.h"
#include "support/yaml.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct GpuLoader {
    YamlSource source;
    Gpu *gpu;
    GpuFacts *facts;
    const char **sources;       /* room for every source of the file and of its base */
    uint32_t source_count;
    bool seen_figure[FIGURE__COUNT], seen_pipe[PIPE__COUNT];
    GpuFindFn find;
    void *context;
    GpuError *error;
} GpuLoader;

static bool fail_gpu(GpuLoader *l, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail_gpu(GpuLoader *l, const YamlNode *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->error->text, sizeof l->error->text, format, args);
    va_end(args);
    ptx_yaml_place(l->source, node ? node->at : 0, &l->error->line, &l->error->column);
    return false;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* NULL, with the error set, where it is not a scalar. */
static const char *keep_text(GpuLoader *l, const YamlNode *node)
{
    if (node->kind == YAML_TEXT)
        return node->text;
    fail_gpu(l, node, "expected a word or a sentence");
    return NULL;
}

/* Digits with at most one point among them. By hand: strtod would ask the caller's locale for the
 * decimal point. */
static bool read_number(GpuLoader *l, const YamlNode *node, double *out)
{
    double value = 0, scale = 1;
    bool has_point = false, has_digit = false;
    const char *p = node->kind == YAML_TEXT ? node->text : NULL;
    const size_t length = p ? node->length : 0;
    for (size_t i = 0; i < length && i < 32; i++) {
        if (p[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (p[i] < '0' || p[i] > '9')
            return fail_gpu(l, node, "'%.40s' is not a number of digits, such as 64 or 1.35", p);
        has_digit = true;
        value = 10 * value + (p[i] - '0');
        scale *= has_point ? 10 : 1;
    }
    if (!has_digit || length >= 32)
        return fail_gpu(l, node, "expected a number");
    *out = value / scale;
    return true;
}

/* Index of the key in a table of count names, a record apart each; count where there is none. */
static size_t find_key(const YamlNode *key, const char *const *names, size_t stride,
                       size_t count)
{
    for (size_t i = 0; i < count; i++, names += stride)
        if (ptx_yaml_is(key, *names))
            return i;
    return count;
}

static bool fail_gpu_key(GpuLoader *l, const YamlNode *key, const char *what,
                         const char *const *names, size_t stride, size_t count)
{
    const char *near = NULL;
    unsigned best = 4;
    if (key->kind != YAML_TEXT)
        return fail_gpu(l, key, "expected the name of a %s", what);
    for (size_t i = 0; i < count; i++, names += stride) {
        unsigned distance = ptx_edit_distance(key->text, key->length, *names, strlen(*names));
        if (distance < best) {
            best = distance;
            near = *names;
        }
    }
    return near ? fail_gpu(l, key, "unknown %s '%.60s'; did you mean '%s'?", what, key->text, near)
                : fail_gpu(l, key, "unknown %s '%.60s'", what, key->text);
}

#define TABLE(table) \
    &(table)[0].key, sizeof *(table) / sizeof(const char *), sizeof(table) / sizeof *(table)

/* ---- sources --------------------------------------------------------------------------------- */

static bool add_source(GpuLoader *l, const YamlNode *node, uint16_t *out)
{
    const char *text = keep_text(l, node);
    if (!text)
        return false;
    if (!*text)
        return fail_gpu(l, node, "a source needs a text");
    for (uint32_t i = 1; i < l->source_count; i++) {
        if (!strcmp(l->sources[i], text)) {
            *out = (uint16_t)i;
            return true;
        }
    }
    if (l->source_count == GPU_SOURCES_MAX)
        return fail_gpu(l, node, "too many sources");
    l->sources[l->source_count] = text;
    *out = (uint16_t)l->source_count++;
    return true;
}

/* The value of `source` in a mapping, which must be there. */
static bool find_source(GpuLoader *l, const YamlNode *mapping, uint16_t *out)
{
    if (mapping->kind != YAML_MAPPING)
        return fail_gpu(l, mapping, "expected a mapping with a `source`");
    for (const YamlNode *key = mapping->first; key; key = key->next->next)
        if (ptx_yaml_is(key, "source"))
            return add_source(l, key->next, out);
    return fail_gpu(l, mapping, "these figures name no `source`");
}

/* ---- sections -------------------------------------------------------------------------------- */

typedef struct LoadTable {          /* of what may stand in a group */
    const char *what;
    const char *const *names;
    size_t stride, count;
    bool *seen;
    bool (*read)(GpuLoader *l, size_t index, const YamlNode *value, uint16_t source);
} LoadTable;

/* A source, and what it says: each key once in a file. */
static bool read_group(GpuLoader *l, const YamlNode *group, const LoadTable *table)
{
    uint16_t source;
    if (!find_source(l, group, &source))
        return false;
    for (const YamlNode *key = group->first; key; key = key->next->next) {
        if (ptx_yaml_is(key, "source"))
            continue;
        size_t index = find_key(key, table->names, table->stride, table->count);
        if (index == table->count)
            return fail_gpu_key(l, key, table->what, table->names, table->stride, table->count);
        if (table->seen[index])
            return fail_gpu(l, key, "'%s' is given twice", table->names[index * table->stride]);
        table->seen[index] = true;
        if (!table->read(l, index, key->next, source))
            return false;
    }
    return true;
}

static bool read_figure(GpuLoader *l, size_t index, const YamlNode *value, uint16_t source)
{
    double *figure = &l->facts->figures[index];
    l->facts->figure_sources[index] = source;
    if (!read_number(l, value, figure))
        return false;
    const char *wanted = ptx_figure_refuses((FigureId)index, *figure);
    return !wanted || fail_gpu(l, value, "%s must be %s", ptx_figure_info[index].key, wanted);
}

static bool read_takes(GpuLoader *l, const YamlNode *mapping, Pipe *pipe)
{
    if (mapping->kind != YAML_MAPPING)
        return fail_gpu(l, mapping,
                        "`takes` is a mapping from classes of machine operations to numbers");
    for (const YamlNode *key = mapping->first; key; key = key->next->next) {
        double weight;
        size_t machine = find_key(key, TABLE(ptx_machine_info));
        if (machine == MACHINE__COUNT)
            return fail_gpu_key(l, key, "machine operation", TABLE(ptx_machine_info));
        if (pipe->takes[machine] > 0)
            return fail_gpu(l, key, "'%s' is given twice", ptx_machine_info[machine].key);
        if (!read_number(l, key->next, &weight))
            return false;
        pipe->takes[machine] = (float)weight;
    }
    return true;
}

static bool read_gpu_pipe(GpuLoader *l, size_t index, const YamlNode *mapping, uint16_t source)
{
    static const char *const keys[] = { "lanes", "takes" };
    Pipe *pipe = &l->facts->pipes[index];
    *pipe = (Pipe){ .source = source };
    if (mapping->kind != YAML_MAPPING)
        return fail_gpu(l, mapping, "a pipe is { lanes: N, takes: { CLASS: N } }");
    for (const YamlNode *key = mapping->first; key; key = key->next->next) {
        const YamlNode *value = key->next;
        size_t which = find_key(key, keys, 1, 2);
        if (which == 2)
            return fail_gpu_key(l, key, "key of a pipe", keys, 1, 2);
        if (which == 0 ? !read_number(l, value, &pipe->lanes) : !read_takes(l, value, pipe))
            return false;
    }
    return pipe->lanes > 0 || fail_gpu(l, mapping, "a pipe needs `lanes` above 0");
}

static bool read_sizes(GpuLoader *l, const YamlNode *list)
{
    Gpu *gpu = l->gpu;
    gpu->carveout_count = 0;
    if (list->kind != YAML_LIST || list->count > GPU_CARVEOUTS_MAX)
        return fail_gpu(l, list, "`kib` is a list of at most %d sizes", GPU_CARVEOUTS_MAX);
    for (const YamlNode *item = list->first; item; item = item->next) {
        double kib;
        if (!read_number(l, item, &kib))
            return false;
        uint32_t last = gpu->carveout_count ? gpu->carveouts[gpu->carveout_count - 1] : 0;
        if (kib > 1 << 20 || (gpu->carveout_count && kib * 1024 <= last))
            return fail_gpu(l, item, "sizes ascend");
        gpu->carveouts[gpu->carveout_count++] = (uint32_t)(kib * 1024);
    }
    return true;
}

static bool read_carveouts(GpuLoader *l, const YamlNode *mapping)
{
    static const char *const keys[] = { "source", "kib" };
    if (!find_source(l, mapping, &l->gpu->carveout_source))
        return false;
    for (const YamlNode *key = mapping->first; key; key = key->next->next) {
        size_t which = find_key(key, keys, 1, 2);
        if (which == 2)
            return fail_gpu_key(l, key, "key of the carve-outs", keys, 1, 2);
        if (which == 1 && !read_sizes(l, key->next))
            return false;
    }
    return true;
}

static bool read_groups(GpuLoader *l, const YamlNode *list, const LoadTable *table)
{
    if (list->kind != YAML_LIST)
        return fail_gpu(l, list, "expected a list of groups, each with its `source`");
    for (const YamlNode *item = list->first; item; item = item->next)
        if (!read_group(l, item, table))
            return false;
    return true;
}

static bool read_target(GpuLoader *l, const YamlNode *node)
{
    if (!(l->gpu->sm = keep_text(l, node)))
        return false;
    if (node->kind != YAML_TEXT
        || ptx_target_find(node->text, node->length, &l->gpu->target) == TARGET_UNKNOWN)
        return fail_gpu(l, node, "`target` is an architecture, such as sm_90");
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

enum {
    KEY_BASE,
    KEY_ARCHITECTURE,
    KEY_PRODUCT,
    KEY_TARGET,
    KEY_FIGURES,
    KEY_CARVEOUTS,
    KEY_PIPES,
    KEY__COUNT
};

static const char *const top_keys[KEY__COUNT] = { "base",    "architecture", "product", "target",
                                                  "figures", "carveouts",    "pipes" };

/* What follows in the file replaces what is inherited, so this comes first. */
static bool inherit(GpuLoader *l, const YamlNode *node)
{
    Gpu *gpu = l->gpu;
    const char *name = keep_text(l, node), *own_name = gpu->name;
    const Gpu *base = name ? l->find(l->context, name, strlen(name)) : NULL;
    if (!name)
        return false;
    if (!base)
        return fail_gpu(l, node, "there is no GPU '%.60s' to take as base", name);
    ptx_gpu_copy(gpu, l->facts, base);
    gpu->name = own_name;
    gpu->base = name;
    memcpy(l->sources, base->sources, base->source_count * sizeof *l->sources);
    l->source_count = base->source_count;
    return true;
}

static bool read_gpu_value(GpuLoader *l, size_t key, const YamlNode *value)
{
    const LoadTable figures = { "figure", TABLE(ptx_figure_info), l->seen_figure, read_figure };
    const LoadTable pipes = { "pipe", TABLE(ptx_pipe_info), l->seen_pipe, read_gpu_pipe };
    switch (key) {
    case KEY_BASE:         return true;
    case KEY_ARCHITECTURE: return (l->gpu->architecture = keep_text(l, value)) != NULL;
    case KEY_PRODUCT:      return (l->gpu->product = keep_text(l, value)) != NULL;
    case KEY_TARGET:       return read_target(l, value);
    case KEY_FIGURES:      return read_groups(l, value, &figures);
    case KEY_CARVEOUTS:    return read_carveouts(l, value);
    default:               return read_groups(l, value, &pipes);
    }
}

static bool read_file(GpuLoader *l, const YamlNode *root)
{
    const YamlNode *values[KEY__COUNT] = { 0 };
    if (root->kind != YAML_MAPPING)
        return fail_gpu(l, root,
                        "a GPU file is a mapping with `target` or `base`, `figures` and `pipes`");
    for (const YamlNode *key = root->first; key; key = key->next->next) {
        size_t which = find_key(key, top_keys, 1, KEY__COUNT);
        if (which == KEY__COUNT)
            return fail_gpu_key(l, key, "key", top_keys, 1, KEY__COUNT);
        if (values[which])
            return fail_gpu(l, key, "'%s' is given twice", top_keys[which]);
        values[which] = key->next;
    }
    if (values[KEY_BASE] && !inherit(l, values[KEY_BASE]))
        return false;
    for (size_t i = 0; i < KEY__COUNT; i++)
        if (values[i] && !read_gpu_value(l, i, values[i]))
            return false;
    return l->gpu->target.sm
           || fail_gpu(l, root, "neither `target` nor `base` says what architecture this is");
}

static bool read_yaml(GpuLoader *l, Arena *arena, const char *yaml, size_t length)
{
    YamlError wrong;
    l->source = (YamlSource){ yaml, (uint32_t)length, true };
    const YamlNode *root = ptx_yaml_read(arena, l->source, &wrong);
    if (root)
        return read_file(l, root);
    fail_gpu(l, NULL, "%.150s", wrong.text);
    ptx_yaml_place(l->source, wrong.at, &l->error->line, &l->error->column);
    return false;
}

const Gpu *ptx_gpu_load(Arena *arena, const GpuFile *file, GpuFindFn find, void *context,
                        GpuError *error)
{
    GpuLoader loader = { .find = find, .context = context, .error = error, .source_count = 1 };
    if (file->length > GPU_FILE_BYTES_MAX) {
        fail_gpu(&loader, NULL, "longer than %d bytes", (int)GPU_FILE_BYTES_MAX);
        return NULL;
    }
    Gpu *gpu = ptx_arena_new(arena, Gpu);
    GpuFacts *facts = ptx_arena_new(arena, GpuFacts);
    loader.gpu = gpu;
    loader.facts = facts;
    ptx_gpu_use(gpu, facts);
    gpu->name = ptx_arena_strndup(arena, file->name, strlen(file->name));
    gpu->architecture = gpu->product = gpu->sm = "";
    for (int i = 0; i < FIGURE__COUNT; i++)
        facts->figures[i] = (double)NAN;
    loader.sources = ptx_arena_array(arena, const char *, GPU_SOURCES_MAX);
    loader.sources[0] = "";
    if (!read_yaml(&loader, arena, file->yaml, file->length))
        return NULL;
    gpu->sources = loader.sources;
    gpu->source_count = loader.source_count;
    return gpu;
}

const char *ptx_gpu_name_of(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (n > 5 && !strcmp(name + n - 5, ".yaml"))
        n -= 5;
    *length = n;
    return name;
}
