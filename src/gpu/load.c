/* The YAML library gives a tree of nodes with their positions; every key of it is looked up in the
 * tables of figures, pipes and machine operations. All that is kept is allocated before the tree
 * exists, so that leaving by way of the arena leaks nothing. */
#include "gpu/load.h"

#include "support/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

typedef struct GpuLoader {
    yaml_document_t document;
    Gpu *gpu;
    const char **sources;       /* room for every source of the file and of its base */
    char *text, *text_end;      /* room for every scalar of the file */
    uint32_t source_count;
    bool seen_figure[FIGURE__COUNT], seen_pipe[PIPE__COUNT];
    GpuFindFn find;
    void *context;
    GpuError *error;
} GpuLoader;

static bool fail(GpuLoader *l, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(GpuLoader *l, const yaml_node_t *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->error->text, sizeof l->error->text, format, args);
    va_end(args);
    l->error->line = node ? (uint32_t)node->start_mark.line + 1 : 1;
    l->error->column = node ? (uint32_t)node->start_mark.column + 1 : 1;
    return false;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static yaml_node_t *node_of(GpuLoader *l, int id)
{
    return yaml_document_get_node(&l->document, id);
}

static bool is_scalar(const yaml_node_t *node, const char *text)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(text)
           && !memcmp(node->data.scalar.value, text, strlen(text));
}

/* A copy that outlives the tree; NULL, with the error set, where it is not a scalar. */
static const char *keep_text(GpuLoader *l, const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE) {
        fail(l, node, "expected a word or a sentence");
        return NULL;
    }
    char *text = l->text;
    if (node->data.scalar.length >= (size_t)(l->text_end - text)) {
        fail(l, node, "aliases make this longer than the file");
        return NULL;
    }
    memcpy(text, node->data.scalar.value, node->data.scalar.length);
    text[node->data.scalar.length] = 0;
    l->text += node->data.scalar.length + 1;
    return text;
}

/* Digits with at most one point among them. By hand: strtod would ask the caller's locale for the
 * decimal point. */
static bool read_number(GpuLoader *l, const yaml_node_t *node, double *out)
{
    double value = 0, scale = 1;
    bool has_point = false, has_digit = false;
    const unsigned char *p = node->type == YAML_SCALAR_NODE ? node->data.scalar.value : NULL;
    const size_t length = p ? node->data.scalar.length : 0;
    for (size_t i = 0; i < length && i < 32; i++) {
        if (p[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (p[i] < '0' || p[i] > '9')
            return fail(l, node, "'%.40s' is not a number of digits, such as 64 or 1.35",
                        (const char *)p);
        has_digit = true;
        value = 10 * value + (p[i] - '0');
        scale *= has_point ? 10 : 1;
    }
    if (!has_digit || length >= 32)
        return fail(l, node, "expected a number");
    *out = value / scale;
    return true;
}

/* Index of the key in a table of count names, a record apart each; count where there is none. */
static size_t find_key(const yaml_node_t *key, const char *const *names, size_t stride,
                       size_t count)
{
    for (size_t i = 0; i < count; i++, names += stride)
        if (is_scalar(key, *names))
            return i;
    return count;
}

static bool fail_key(GpuLoader *l, const yaml_node_t *key, const char *what,
                     const char *const *names, size_t stride, size_t count)
{
    const char *near = NULL;
    unsigned best = 4;
    if (key->type != YAML_SCALAR_NODE)
        return fail(l, key, "expected the name of a %s", what);
    for (size_t i = 0; i < count; i++, names += stride) {
        unsigned distance = ptx_edit_distance((const char *)key->data.scalar.value,
                                              key->data.scalar.length, *names, strlen(*names));
        if (distance < best) {
            best = distance;
            near = *names;
        }
    }
    return near ? fail(l, key, "unknown %s '%.60s'; did you mean '%s'?", what,
                       (const char *)key->data.scalar.value, near)
                : fail(l, key, "unknown %s '%.60s'", what, (const char *)key->data.scalar.value);
}

#define TABLE(table) \
    &(table)[0].key, sizeof *(table) / sizeof(const char *), sizeof(table) / sizeof *(table)

/* ---- sources --------------------------------------------------------------------------------- */

static bool add_source(GpuLoader *l, const yaml_node_t *node, uint16_t *out)
{
    const char *text = keep_text(l, node);
    if (!text)
        return false;
    if (!*text)
        return fail(l, node, "a source needs a text");
    for (uint32_t i = 1; i < l->source_count; i++) {
        if (!strcmp(l->sources[i], text)) {
            *out = (uint16_t)i;
            return true;
        }
    }
    if (l->source_count == GPU_SOURCES_MAX)
        return fail(l, node, "too many sources");
    l->sources[l->source_count] = text;
    *out = (uint16_t)l->source_count++;
    return true;
}

/* The value of `source` in a mapping, which must be there. */
static bool find_source(GpuLoader *l, const yaml_node_t *mapping, uint16_t *out)
{
    if (mapping->type != YAML_MAPPING_NODE)
        return fail(l, mapping, "expected a mapping with a `source`");
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++)
        if (is_scalar(node_of(l, pair->key), "source"))
            return add_source(l, node_of(l, pair->value), out);
    return fail(l, mapping, "these figures name no `source`");
}

/* ---- sections -------------------------------------------------------------------------------- */

typedef struct LoadTable {          /* of what may stand in a group */
    const char *what;
    const char *const *names;
    size_t stride, count;
    bool *seen;
    bool (*read)(GpuLoader *l, size_t index, const yaml_node_t *value, uint16_t source);
} LoadTable;

/* A source, and what it says: each key once in a file. */
static bool read_group(GpuLoader *l, const yaml_node_t *group, const LoadTable *table)
{
    uint16_t source;
    if (!find_source(l, group, &source))
        return false;
    for (yaml_node_pair_t *pair = group->data.mapping.pairs.start;
         pair < group->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(l, pair->key);
        if (is_scalar(key, "source"))
            continue;
        size_t index = find_key(key, table->names, table->stride, table->count);
        if (index == table->count)
            return fail_key(l, key, table->what, table->names, table->stride, table->count);
        if (table->seen[index])
            return fail(l, key, "'%s' is given twice", table->names[index * table->stride]);
        table->seen[index] = true;
        if (!table->read(l, index, node_of(l, pair->value), source))
            return false;
    }
    return true;
}

static bool read_figure(GpuLoader *l, size_t index, const yaml_node_t *value, uint16_t source)
{
    l->gpu->figure_sources[index] = source;
    return read_number(l, value, &l->gpu->figures[index]);
}

static bool read_takes(GpuLoader *l, const yaml_node_t *mapping, Pipe *pipe)
{
    if (mapping->type != YAML_MAPPING_NODE)
        return fail(l, mapping,
                    "`takes` is a mapping from classes of machine operations to numbers");
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(l, pair->key);
        double weight;
        size_t machine = find_key(key, TABLE(ptx_machine_info));
        if (machine == MACHINE__COUNT)
            return fail_key(l, key, "machine operation", TABLE(ptx_machine_info));
        if (pipe->takes[machine] > 0)
            return fail(l, key, "'%s' is given twice", ptx_machine_info[machine].key);
        if (!read_number(l, node_of(l, pair->value), &weight))
            return false;
        pipe->takes[machine] = (float)weight;
    }
    return true;
}

static bool read_pipe(GpuLoader *l, size_t index, const yaml_node_t *mapping, uint16_t source)
{
    static const char *const keys[] = { "lanes", "takes" };
    Pipe *pipe = &l->gpu->pipes[index];
    *pipe = (Pipe){ .source = source };
    if (mapping->type != YAML_MAPPING_NODE)
        return fail(l, mapping, "a pipe is { lanes: N, takes: { CLASS: N } }");
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(l, pair->key), *value = node_of(l, pair->value);
        size_t which = find_key(key, keys, 1, 2);
        if (which == 2)
            return fail_key(l, key, "key of a pipe", keys, 1, 2);
        if (which == 0 ? !read_number(l, value, &pipe->lanes) : !read_takes(l, value, pipe))
            return false;
    }
    return pipe->lanes > 0 || fail(l, mapping, "a pipe needs `lanes` above 0");
}

static bool read_sizes(GpuLoader *l, const yaml_node_t *list)
{
    Gpu *gpu = l->gpu;
    gpu->carveout_count = 0;
    if (list->type != YAML_SEQUENCE_NODE
        || list->data.sequence.items.top - list->data.sequence.items.start > GPU_CARVEOUTS_MAX)
        return fail(l, list, "`kib` is a list of at most %d sizes", GPU_CARVEOUTS_MAX);
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++) {
        double kib;
        if (!read_number(l, node_of(l, *item), &kib))
            return false;
        uint32_t last = gpu->carveout_count ? gpu->carveouts[gpu->carveout_count - 1] : 0;
        if (kib > 1 << 20 || (gpu->carveout_count && kib * 1024 <= last))
            return fail(l, node_of(l, *item), "sizes ascend");
        gpu->carveouts[gpu->carveout_count++] = (uint32_t)(kib * 1024);
    }
    return true;
}

static bool read_carveouts(GpuLoader *l, const yaml_node_t *mapping)
{
    static const char *const keys[] = { "source", "kib" };
    if (!find_source(l, mapping, &l->gpu->carveout_source))
        return false;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(l, pair->key);
        size_t which = find_key(key, keys, 1, 2);
        if (which == 2)
            return fail_key(l, key, "key of the carve-outs", keys, 1, 2);
        if (which == 1 && !read_sizes(l, node_of(l, pair->value)))
            return false;
    }
    return true;
}

static bool read_groups(GpuLoader *l, const yaml_node_t *list, const LoadTable *table)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return fail(l, list, "expected a list of groups, each with its `source`");
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++)
        if (!read_group(l, node_of(l, *item), table))
            return false;
    return true;
}

static bool read_target(GpuLoader *l, const yaml_node_t *node)
{
    if (!(l->gpu->sm = keep_text(l, node)))
        return false;
    if (node->type != YAML_SCALAR_NODE
        || ptx_target_find((const char *)node->data.scalar.value, node->data.scalar.length,
                           &l->gpu->target)
               == TARGET_UNKNOWN)
        return fail(l, node, "`target` is an architecture, such as sm_90");
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
static bool inherit(GpuLoader *l, const yaml_node_t *node)
{
    Gpu *gpu = l->gpu;
    const char *name = keep_text(l, node), *own_name = gpu->name;
    const Gpu *base = name ? l->find(l->context, name, strlen(name)) : NULL;
    if (!name)
        return false;
    if (!base)
        return fail(l, node, "there is no GPU '%.60s' to take as base", name);
    *gpu = *base;
    gpu->name = own_name;
    gpu->base = name;
    memcpy(l->sources, base->sources, base->source_count * sizeof *l->sources);
    l->source_count = base->source_count;
    return true;
}

static bool read_value(GpuLoader *l, size_t key, const yaml_node_t *value)
{
    const LoadTable figures = { "figure", TABLE(ptx_figure_info), l->seen_figure, read_figure };
    const LoadTable pipes = { "pipe", TABLE(ptx_pipe_info), l->seen_pipe, read_pipe };
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

static bool read_file(GpuLoader *l)
{
    const yaml_node_t *root = yaml_document_get_root_node(&l->document),
                      *values[KEY__COUNT] = { 0 };
    if (!root || root->type != YAML_MAPPING_NODE)
        return fail(l, root,
                    "a GPU file is a mapping with `target` or `base`, `figures` and `pipes`");
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(l, pair->key);
        size_t which = find_key(key, top_keys, 1, KEY__COUNT);
        if (which == KEY__COUNT)
            return fail_key(l, key, "key", top_keys, 1, KEY__COUNT);
        if (values[which])
            return fail(l, key, "'%s' is given twice", top_keys[which]);
        values[which] = node_of(l, pair->value);
    }
    if (values[KEY_BASE] && !inherit(l, values[KEY_BASE]))
        return false;
    for (size_t i = 0; i < KEY__COUNT; i++)
        if (values[i] && !read_value(l, i, values[i]))
            return false;
    return l->gpu->target.sm
           || fail(l, root, "neither `target` nor `base` says what architecture this is");
}

static bool read_yaml(GpuLoader *l, const char *yaml, size_t length)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return fail(l, NULL, "no memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, length);
    bool is_good = yaml_parser_load(&parser, &l->document);
    if (!is_good) {
        fail(l, NULL, "%.150s", parser.problem ? parser.problem : "not YAML");
        l->error->line = (uint32_t)parser.problem_mark.line + 1;
        l->error->column = (uint32_t)parser.problem_mark.column + 1;
    } else {
        is_good = read_file(l);
        yaml_document_delete(&l->document);
    }
    yaml_parser_delete(&parser);
    return is_good;
}

const Gpu *ptx_gpu_load(Arena *arena, const char *name, const char *yaml, size_t length,
                        GpuFindFn find, void *context, GpuError *error)
{
    GpuLoader loader = { .find = find, .context = context, .error = error, .source_count = 1 };
    if (length > GPU_FILE_BYTES_MAX) {
        fail(&loader, NULL, "longer than %d bytes", (int)GPU_FILE_BYTES_MAX);
        return NULL;
    }
    Gpu *gpu = ptx_arena_new(arena, Gpu);
    loader.gpu = gpu;
    gpu->name = ptx_arena_strndup(arena, name, strlen(name));
    gpu->architecture = gpu->product = gpu->sm = "";
    for (int i = 0; i < FIGURE__COUNT; i++)
        gpu->figures[i] = (double)NAN;
    loader.text = ptx_arena_alloc(arena, 2 * length + 16);      /* each scalar with its NUL */
    loader.text_end = loader.text + 2 * length + 16;
    loader.sources = ptx_arena_array(arena, const char *, GPU_SOURCES_MAX);
    loader.sources[0] = "";
    if (!read_yaml(&loader, yaml, length))
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
