/* saved.c -- modules as bytes: what documents are written from, so that it need not be found again.
 *
 * A head, then the image: structs as they lie in memory, with the place of what they point to, in
 * the image, instead of addresses. Behind the structs come all texts, each once. What is loaded is
 * held against its hash and against the tables of saved.h, and used only by a build of the same
 * ptxlint.h, version and sizes. */
#include "api/saved.h"

#include "api/module.h"
#include "findings/config.h"
#include "findings/source_book.h"
#include "findings/use_log.h"
#include "input/metadata/metadata.h"
#include "ir/module.h"
#include "model/gpu.h"
#include "report/report.h"
#include "session/session.h"
#include "support/guard.h"
#include "support/hash.h"
#include "support/limits.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct SavedHead {
    char mark[8], version[16];
    uint64_t layout, pointer_bytes;
    uint64_t text_hash, text_length;
    uint64_t image_hash, struct_bytes, text_bytes;
} SavedHead;

typedef struct SavedSource {
    const char *path;
    uint64_t hash;              /* of the file; 0: nothing was read of it */
} SavedSource;

/* The kernels in a launch behind the first. */
typedef struct SavedLaunch {
    const ptxlint_kernel *kernels;
} SavedLaunch;

typedef struct SavedRoot {
    const ptxlint_kernel *kernels;
    const ptxlint_diagnostic *diagnostics;
    const char *path, *target, *metadata, *metadata_error;
    const char *const *gpus;
    const SavedSource *sources;
    const Use *uses;
    const SavedLaunch *launched;
    size_t launched_count, kernel_count, diagnostic_count, gpu_count, source_count, use_count;
    uint64_t launches_hash;     /* of what lies beside the file; 0: nothing */
    double min_gain_percent;
    int32_t version_major, version_minor, address_size, is_generated;
} SavedRoot;

static const SavedField saved_source_fields[] = {
    { SAVED_TEXT, offsetof(SavedSource, path), 0, NULL, 0 }
};
static const SavedType saved_launch = { sizeof(SavedLaunch), NULL, 0 };
static const SavedType saved_source = { sizeof(SavedSource), saved_source_fields, 1 },
                       saved_use = { sizeof(Use), NULL, 0 };

static const SavedField saved_root_fields[] = {
    { SAVED_TEXT, offsetof(SavedRoot, path), 0, NULL, 0 },
    { SAVED_TEXT, offsetof(SavedRoot, target), 0, NULL, 0 },
    { SAVED_TEXT, offsetof(SavedRoot, metadata), 0, NULL, 0 },
    { SAVED_TEXT, offsetof(SavedRoot, metadata_error), 0, NULL, 0 },
    { SAVED_TEXTS, offsetof(SavedRoot, gpus), offsetof(SavedRoot, gpu_count), NULL, 0 },
    { SAVED_LIST, offsetof(SavedRoot, sources), offsetof(SavedRoot, source_count), &saved_source,
      0 },
    { SAVED_LIST, offsetof(SavedRoot, uses), offsetof(SavedRoot, use_count), &saved_use, 0 },
};
static const SavedType saved_root = { sizeof(SavedRoot), saved_root_fields,
                                      sizeof saved_root_fields / sizeof *saved_root_fields };

static void fill_head(SavedHead *head, const char *text, size_t length)
{
    *head = (SavedHead){ .mark = "PTXSAVE", .layout = ptx_saved_layout,
                         .pointer_bytes = sizeof(void *), .text_length = length,
                         .text_hash = XXH3_64bits(length ? text : "", length) };
    snprintf(head->version, sizeof head->version, "%s", PTXLINT_VERSION_STRING);
}

uint64_t ptx_launches_hash(const ptxlint_launches *found)
{
    char *text = found ? json_dumps(found->root, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    uint64_t hash = text ? XXH3_64bits(text, strlen(text)) | 1 : 0;
    free(text);
    return hash;
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* The structs, and the texts behind them. */
typedef struct Saver {
    const ptxlint_module *m;
    Buffer structs, texts;
    HashMap known;              /* hash of a text -> its place in texts, + 1 */
    bool has_failed;            /* no memory */
} Saver;

static void save_bytes(Saver *s, Buffer *buffer, const void *bytes, size_t length)
{
    s->has_failed |= length && ptx_buffer_write(buffer, bytes, length) != 0;
}

/* Its place in texts, + 1. */
static uintptr_t save_text(Saver *s, const char *text)
{
    if (!text || s->has_failed)
        return 0;
    const size_t length = strlen(text);
    uint32_t *place = ptx_hash_map_at(&s->known, NULL, XXH3_64bits(text, length) >> 1);
    if (!place) {
        s->has_failed = true;
        return 0;
    }
    if (*place && !strcmp(s->texts.bytes + *place - 1, text))
        return *place;
    const size_t at = s->texts.length + 1;
    save_bytes(s, &s->texts, text, length + 1);
    if (!*place && at <= UINT32_MAX)
        *place = (uint32_t)at;
    return at;
}

static size_t save_elements(Saver *s, const SavedType *type, const void *items, size_t count);

/* Where the next list begins. */
static size_t next_place(Saver *s)
{
    const uint64_t nothing = 0;
    save_bytes(s, &s->structs, &nothing, -s->structs.length & 7);
    return s->structs.length;
}

static uintptr_t save_texts(Saver *s, const char *const *texts, size_t count)
{
    const size_t at = next_place(s);
    if (!count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        uintptr_t place = save_text(s, texts[i]);
        save_bytes(s, &s->structs, &place, sizeof place);
    }
    return at;
}

static uintptr_t gpu_number(const Saver *s, const ptxlint_gpu *gpu)
{
    size_t i = 0;
    while (i < s->m->info.gpu_count && s->m->info.gpus[i] != gpu)
        i++;
    return gpu && i < s->m->info.gpu_count ? i + 1 : 0;
}

static size_t saved_count_at(const char *item, const SavedField *field)
{
    size_t count;
    memcpy(&count, item + field->count_offset, sizeof count);
    return count;
}

/* What stands for the pointer in the image. */
static uintptr_t save_pointer(Saver *s, const SavedField *field, const char *item)
{
    const void *pointer;
    memcpy(&pointer, item + field->offset, sizeof pointer);
    switch (field->kind) {
    case SAVED_TEXT: case SAVED_NAME: return save_text(s, pointer);
    case SAVED_TEXTS:   return save_texts(s, pointer, saved_count_at(item, field));
    case SAVED_LIST:    return save_elements(s, field->type, pointer, saved_count_at(item, field));
    case SAVED_PER_GPU: return save_elements(s, field->type, pointer, s->m->info.gpu_count);
    case SAVED_ONE:     return save_elements(s, field->type, pointer, 1);
    default:            return gpu_number(s, pointer);
    }
}

/* Its place among the structs; 0: it is empty. */
static size_t save_elements(Saver *s, const SavedType *type, const void *items, size_t count)
{
    const size_t at = next_place(s);
    if (!items || !count)
        return 0;
    save_bytes(s, &s->structs, items, count * type->bytes);
    for (size_t i = 0; i < count; i++)
        for (size_t f = 0; f < type->field_count && !s->has_failed; f++) {
            const SavedField *field = &type->fields[f];
            if (field->kind > SAVED_GPU)
                continue;
            uintptr_t place = save_pointer(s, field, (const char *)items + i * type->bytes);
            if (!s->has_failed)
                memcpy(s->structs.bytes + at + i * type->bytes + field->offset, &place,
                       sizeof place);
        }
    return at;
}

static SavedSource *source_rows(const ptxlint_module *m)
{
    SavedSource *rows = calloc(m->uses.source_count + 1, sizeof *rows);
    for (uint32_t i = 0; rows && i < m->uses.source_count; i++) {
        const BookFile *file = m->uses.sources[i].file;
        rows[i].path = m->uses.sources[i].path;
        rows[i].hash = file ? XXH3_64bits(file->bytes, file->length) | 1 : 0;
    }
    return rows;
}

static const char **gpu_names(const ptxlint_module *m)
{
    const char **names = calloc(m->info.gpu_count + 1, sizeof *names);
    for (size_t i = 0; names && i < m->info.gpu_count; i++)
        names[i] = ptxlint_gpu_get_info(m->info.gpus[i])->name;
    return names;
}

/* Where the kernels of further launches lie. */
static uintptr_t save_launched(Saver *s)
{
    const ptxlint_module *m = s->m;
    SavedLaunch *rows = calloc(m->launched_count + 1, sizeof *rows);
    s->has_failed |= !rows;
    for (uint32_t i = 0; rows && i < m->launched_count; i++) {
        uintptr_t kernels = save_elements(s, ptx_saved_kernel, m->launched[i]->kernels,
                                          m->kernel_count);
        memcpy(&rows[i].kernels, &kernels, sizeof kernels);
    }
    uintptr_t place = save_elements(s, &saved_launch, rows, m->launched_count);
    free(rows);
    return place;
}

/* The root stands first, at a place that is not 0. */
static void save_root(Saver *s, const SavedSource *sources, const char *const *gpus)
{
    const ptxlint_module *m = s->m;
    const ptxlint_module_info *info = &m->info;
    SavedRoot root = {
        .path = info->path, .target = info->target,
        .launched_count = m->launched_count,
        .metadata = info->metadata, .metadata_error = info->metadata_error,
        .gpus = gpus, .sources = sources, .uses = m->uses.uses,
        .kernel_count = m->kernel_count, .diagnostic_count = m->diagnostic_count,
        .gpu_count = info->gpu_count, .source_count = m->uses.source_count,
        .use_count = m->uses.count, .launches_hash = ptx_launches_hash(m->found),
        .min_gain_percent = info->min_gain_percent,
        .version_major = info->version_major, .version_minor = info->version_minor,
        .address_size = info->address_size, .is_generated = info->is_generated
    };
    const uint64_t nothing = 0;
    save_bytes(s, &s->structs, &nothing, sizeof nothing);
    const size_t at = save_elements(s, &saved_root, &root, 1);
    uintptr_t kernels = save_elements(s, ptx_saved_kernel, m->kernels, m->kernel_count),
              diagnostics = save_elements(s, ptx_saved_diagnostic, m->diagnostics,
                                      m->diagnostic_count),
              launched = save_launched(s);
    if (s->has_failed)
        return;
    memcpy(s->structs.bytes + at + offsetof(SavedRoot, launched), &launched, sizeof launched);
    memcpy(s->structs.bytes + at + offsetof(SavedRoot, kernels), &kernels, sizeof kernels);
    memcpy(s->structs.bytes + at + offsetof(SavedRoot, diagnostics), &diagnostics,
           sizeof diagnostics);
}

static ptxlint_status write_image(Saver *s, ptxlint_write_fn write, void *context)
{
    SavedHead head;
    fill_head(&head, s->m->text, s->m->length);
    head.struct_bytes = next_place(s);
    save_bytes(s, &s->structs, s->texts.bytes, s->texts.length);
    head.text_bytes = s->texts.length;
    if (s->has_failed)
        return PTXLINT_NO_MEMORY;
    head.image_hash = XXH3_64bits(s->structs.bytes, s->structs.length);
    bool is_lost = write(context, (const char *)&head, sizeof head)
                   || write(context, s->structs.bytes, s->structs.length);
    return is_lost ? PTXLINT_WRITE : PTXLINT_OK;
}

ptxlint_status ptxlint_module_save(const ptxlint_module *module, ptxlint_write_fn write,
                                   void *context)
{
    if (!module || !write)
        return PTXLINT_BAD_ARGUMENT;
    Saver s = { .m = module };
    SavedSource *sources = source_rows(module);
    const char **gpus = gpu_names(module);
    ptxlint_status status = PTXLINT_NO_MEMORY;
    if (sources && gpus) {
        save_root(&s, sources, gpus);
        status = write_image(&s, write, context);
    }
    free(sources);
    free(gpus);
    free(s.structs.bytes);
    free(s.texts.bytes);
    ptx_hash_map_free(&s.known);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

typedef struct Loader {
    ptxlint_module *m;
    const ptxlint_options *options;
    SavedHead head;
    const char *bytes;          /* behind the head */
    char *image;                /* the same in the module's arena, and a NUL */
    size_t bytes_left;          /* no struct is part of two lists */
    const ptxlint_gpu **gpus;
    size_t gpu_count;
    SavedRoot *root;
    bool is_bad;
} Loader;

static bool load_text(const Loader *l, uintptr_t place, const char **out)
{
    *out = NULL;
    if (place > l->head.text_bytes)
        return false;
    if (place)
        *out = l->image + l->head.struct_bytes + place - 1;
    return true;
}

/* The elements at a place; NULL: they do not lie in the image. */
static char *list_at(Loader *l, uintptr_t place, size_t count, size_t bytes)
{
    if (place % 8 || place >= l->head.struct_bytes || count > l->bytes_left / bytes
        || count > (l->head.struct_bytes - place) / bytes)
        return NULL;
    l->bytes_left -= count * bytes;
    return l->image + place;
}

static bool load_elements(Loader *l, const SavedType *type, uintptr_t place, size_t count,
                          void **out);

static bool load_texts(Loader *l, uintptr_t place, size_t count, void **out)
{
    char *at = place ? list_at(l, place, count, sizeof(char *)) : NULL;
    *out = at;
    if (!place)
        return !count;
    for (size_t i = 0; at && i < count; i++) {
        uintptr_t text;
        const char *found;
        memcpy(&text, at + i * sizeof text, sizeof text);
        if (!text || !load_text(l, text, &found))
            return false;
        memcpy(at + i * sizeof found, &found, sizeof found);
    }
    return at;
}

static bool load_saved_gpu(const Loader *l, uintptr_t number, const ptxlint_gpu **out)
{
    *out = number && number <= l->gpu_count ? l->gpus[number - 1] : NULL;
    return *out;
}

static bool needs_text(const SavedField *field, const char *item)
{
    return field->kind == SAVED_NAME
           && (!field->count_offset || saved_count_at(item, field) > field->limit);
}

static bool load_pointer(Loader *l, const SavedField *field, char *item)
{
    uintptr_t place;
    void *list = NULL;
    const void *found = NULL;
    const char *text = NULL;
    const ptxlint_gpu *gpu = NULL;
    bool is_good = false;
    size_t count = field->kind == SAVED_PER_GPU ? l->gpu_count : 1;
    memcpy(&place, item + field->offset, sizeof place);
    switch (field->kind) {
    case SAVED_TEXT: case SAVED_NAME:
        is_good = load_text(l, place, &text) && (text || !needs_text(field, item)), found = text;
        break;
    case SAVED_TEXTS:
        is_good = load_texts(l, place, saved_count_at(item, field), &list);
        break;
    case SAVED_LIST:
        is_good = load_elements(l, field->type, place, saved_count_at(item, field), &list);
        break;
    case SAVED_PER_GPU: case SAVED_ONE:
        is_good = !place || load_elements(l, field->type, place, count, &list);
        break;
    default:
        is_good = load_saved_gpu(l, place, &gpu), found = gpu;
        break;
    }
    if (!found)
        found = list;
    memcpy(item + field->offset, &found, sizeof found);
    return is_good;
}

static bool load_field(Loader *l, const SavedField *field, char *item)
{
    ptxlint_span span;
    uint32_t word;
    size_t count;
    switch (field->kind) {
    case SAVED_SPAN:
        memcpy(&span, item + field->offset, sizeof span);
        return span.begin <= span.end && span.end <= l->m->length;
    case SAVED_ENUM:
        memcpy(&word, item + field->offset, sizeof word);
        return word <= field->limit;
    case SAVED_COUNT:
        memcpy(&count, item + field->offset, sizeof count);
        return count <= field->limit;
    default:
        return load_pointer(l, field, item);
    }
}

static bool load_elements(Loader *l, const SavedType *type, uintptr_t place, size_t count,
                          void **out)
{
    *out = NULL;
    if (!place)
        return !count;
    char *at = list_at(l, place, count, type->bytes);
    for (size_t i = 0; at && i < count; i++)
        for (size_t f = 0; f < type->field_count; f++)
            if (!load_field(l, &type->fields[f], at + i * type->bytes))
                return false;
    *out = at;
    return at;
}

/* One of those asked for, else one that is compiled in. */
static const ptxlint_gpu *find_gpu(const ptxlint_options *options, const char *name)
{
    for (size_t g = 0; g < options->gpu_count; g++)
        if (!strcmp(ptxlint_gpu_get_info(options->gpus[g])->name, name))
            return options->gpus[g];
    const ptxlint_gpu *gpu = ptxlint_gpu_find(name);
    return gpu && !strcmp(ptxlint_gpu_get_info(gpu)->name, name) ? gpu : NULL;
}

static bool load_gpus(Loader *l)
{
    l->gpu_count = l->root->gpu_count;
    l->gpus = ptx_arena_array(&l->m->arena, const ptxlint_gpu *, l->gpu_count + 1);
    for (size_t g = 0; g < l->gpu_count; g++)
        if (!(l->gpus[g] = find_gpu(l->options, l->root->gpus[g])))
            return false;
    return true;
}

/* Numbers by which lists are asked, and what the tables cannot say. Where only findings were asked
 * for, a concurrency is all zeros. */
static bool is_sound_kernel(ptxlint_kernel *k)
{
    bool is_good = (int64_t)k->loop_count >= 0;
    ptxlint_projection *projections = (ptxlint_projection *)(uintptr_t)k->projections;
    for (size_t i = 0; i < k->loop_count; i++)
        is_good &= k->loops[i].parent >= -1 && k->loops[i].parent < (int64_t)k->loop_count;
    for (size_t i = 0; i < k->hot_line_count; i++)
        is_good &= k->hot_lines[i].source.path != NULL;
    for (size_t i = 0; i < k->projection_count; i++)
        if (projections[i].concurrency.loop < -1
            || projections[i].concurrency.loop >= (int64_t)k->loop_count)
            projections[i].concurrency.loop = -1;
    return is_good;
}

static bool have_paths(const ptxlint_source_place *places, size_t count)
{
    bool is_good = true;
    for (size_t i = 0; i < count; i++)
        is_good &= places[i].path != NULL;
    return is_good;
}

static bool is_sound_diagnostic(const ptxlint_diagnostic *d)
{
    return d->severity && d->certainty && have_paths(d->also, d->also_count)
           && have_paths(d->inlined_into, d->inlined_count);
}

/* They share the image of the module. */
static bool load_launched(Loader *l)
{
    const SavedRoot *root = l->root;
    ptxlint_module *m = l->m;
    void *rows, *kernels;
    if (!load_elements(l, &saved_launch, (uintptr_t)root->launched, root->launched_count, &rows))
        return false;
    m->launched = calloc(root->launched_count + 1, sizeof *m->launched);
    for (size_t i = 0; m->launched && i < root->launched_count; i++) {
        const SavedLaunch *row = (const SavedLaunch *)rows + i;
        if (!load_elements(l, ptx_saved_kernel, (uintptr_t)row->kernels, root->kernel_count,
                           &kernels)
            || !(m->launched[i] = calloc(1, sizeof *m->launched[i])))
            return false;
        m->launched_count++;
        m->launched[i]->kernels = kernels;
        m->launched[i]->kernel_count = root->kernel_count;
        for (size_t k = 0; k < root->kernel_count; k++)
            if (!is_sound_kernel(&m->launched[i]->kernels[k]))
                return false;
    }
    return m->launched;
}

static bool load_lists(Loader *l)
{
    void *kernels, *diagnostics;
    SavedRoot *root = l->root;
    bool is_good = load_elements(l, ptx_saved_kernel, (uintptr_t)root->kernels, root->kernel_count,
                             &kernels)
                   && load_elements(l, ptx_saved_diagnostic, (uintptr_t)root->diagnostics,
                                root->diagnostic_count, &diagnostics);
    if (!is_good)
        return false;
    l->m->kernels = kernels;
    l->m->kernel_count = root->kernel_count;
    l->m->diagnostics = diagnostics;
    l->m->diagnostic_count = root->diagnostic_count;
    for (size_t i = 0; i < root->kernel_count && is_good; i++)
        is_good = is_sound_kernel(&l->m->kernels[i]);
    for (size_t i = 0; i < root->diagnostic_count && is_good; i++)
        is_good = is_sound_diagnostic(&l->m->diagnostics[i]);
    return is_good && load_launched(l);
}

/* ---- what it rests on ------------------------------------------------------------------------ */

/* What lies beside the file is as it was. */
static bool has_same_launches(const Loader *l)
{
    char error[512] = "";
    ptxlint_module *m = l->m;
    if (!l->options->metadata_path)
        return true;
    m->found = ptx_metadata_find(l->options->metadata_path, &m->metadata, error, sizeof error);
    return !*error && ptx_launches_hash(m->found) == l->root->launches_hash;
}

/* CUDA sources have the comments that they had. */
static bool has_same_sources(const Loader *l)
{
    for (size_t i = 0; l->options->sources && i < l->root->source_count; i++) {
        const SavedSource *source = &l->root->sources[i];
        const char *path = ptx_options_path(l->options);
        const BookFile *file = source->path ? ptx_source_book_file(l->options->sources,
                                                                   source->path, path)
                                            : NULL;
        uint64_t hash = file ? XXH3_64bits(file->bytes, file->length) | 1 : 0;
        if (hash != source->hash)
            return false;
    }
    return true;
}

static void note_name_again(const Loader *l, const Use *use)
{
    const uint32_t number = use->list - USE_IN_SOURCE;
    const BookFile *file = number < l->root->source_count
                               ? ptx_source_book_file(l->options->sources,
                                                      l->root->sources[number].path,
                                                      ptx_options_path(l->options))
                               : NULL;
    for (uint32_t c = 0; file && c < file->comments.count; c++) {
        const CudaComment *comment = &file->comments.items[c];
        if (use->index >= comment->name_first
            && use->index - comment->name_first < comment->name_count)
            ptx_use_note(NULL, &comment->names[use->index - comment->name_first].state, *use);
    }
}

/* What it has used counts as used. */
static void note_again(const Loader *l)
{
    const ptxlint_config *config = l->options->config;
    for (size_t i = 0; i < l->root->use_count; i++) {
        const Use *use = &l->root->uses[i];
        const List *list =
            config && use->list < IGNORE__COUNT ? &config->files.suppressed[use->list] : NULL;
        const Ignore *items = list ? list->items : NULL;
        if (list && use->index < list->count)
            ptx_use_note(NULL, items[use->index].state, *use);
        else if (!list && use->list >= USE_IN_SOURCE && l->options->sources)
            note_name_again(l, use);
    }
}

/* ---- the module ------------------------------------------------------------------------------ */

static void view_loaded(Loader *l)
{
    ptxlint_module *m = l->m;
    const SavedRoot *root = l->root;
    const char *path = l->options->path ? l->options->path : root->path;
    m->info = (ptxlint_module_info){
        .size = sizeof m->info, .path = ptx_arena_strndup(&m->arena, path, strlen(path)),
        .text = m->text, .length = m->length, .target = root->target,
        .gpus = l->gpus, .gpu_count = l->gpu_count,
        .version_major = root->version_major, .version_minor = root->version_minor,
        .address_size = root->address_size,
        .memory_bytes = l->head.struct_bytes + l->head.text_bytes,
        .min_gain_percent = root->min_gain_percent,
        .metadata = root->metadata, .metadata_error = root->metadata_error,
        .is_generated = root->is_generated
    };
}

static void load_saved_guarded(void *context)
{
    Loader *l = context;
    void *root;
    const size_t bytes = l->head.struct_bytes + l->head.text_bytes;
    char *image = ptx_arena_alloc(&l->m->arena, bytes + 1);
    memcpy(image, l->bytes, bytes);
    image[bytes] = 0;
    l->image = image;
    ptx_module_hold_text(l->m);
    l->m->paths = ptx_arena_array(&l->m->arena, const char *, 1);
    if (!load_elements(l, &saved_root, sizeof(uint64_t), 1, &root))
        return;
    l->root = root;
    if (!l->root->path || !l->root->target || !load_gpus(l) || !load_lists(l)
        || !has_same_launches(l) || !has_same_sources(l))
        return;
    note_again(l);
    view_loaded(l);
    l->is_bad = false;
}

/* Whether bytes are an image of that text by this build. */
static bool read_head(Loader *l, const ptxlint_saved *saved)
{
    SavedHead wanted;
    const char *bytes = saved->bytes;
    fill_head(&wanted, saved->text, saved->text_length);
    if (saved->length < sizeof l->head)
        return false;
    memcpy(&l->head, bytes, sizeof l->head);
    const size_t length = saved->length - sizeof l->head;
    return !memcmp(&l->head, &wanted, offsetof(SavedHead, image_hash))
           && l->head.struct_bytes <= length && l->head.text_bytes == length - l->head.struct_bytes
           && XXH3_64bits(l->bytes = bytes + sizeof l->head, length) == l->head.image_hash;
}

static ptxlint_status load_module(Loader *l, const ptxlint_saved *saved)
{
    ptxlint_module *m = calloc(1, sizeof *m);
    if (!m || !(m->text = malloc(saved->text_length + 1))) {
        free(m);
        return PTXLINT_NO_MEMORY;
    }
    if (saved->text_length)
        memcpy(m->text, saved->text, saved->text_length);
    m->text[saved->text_length] = 0;
    m->length = saved->text_length;
    l->m = m;
    l->bytes_left = l->head.struct_bytes;
    l->is_bad = true;
    const size_t most = 2 * saved->length + 16 * saved->text_length + LIMIT_ARENA_FLOOR;
    ptx_arena_init(&m->arena, most, NULL);
    if (!ptx_run_guarded_in(&m->arena, load_saved_guarded, l))
        return PTXLINT_NO_MEMORY;
    return l->is_bad ? PTXLINT_BAD_FILE : PTXLINT_OK;
}

ptxlint_status ptxlint_module_load(const ptxlint_saved *saved, const ptxlint_options *options,
                                   ptxlint_module **out)
{
    ptxlint_options defaults;
    ptxlint_options_init(&defaults);
    if (!saved || !out || (!saved->bytes && saved->length) || (!saved->text && saved->text_length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    Loader l = { .options = options ? options : &defaults };
    ptxlint_saved trimmed = *saved;
    trimmed.text_length = ptx_text_length(saved->text, saved->text_length);
    if (!read_head(&l, &trimmed))
        return PTXLINT_BAD_FILE;
    ptxlint_status status = load_module(&l, &trimmed);
    if (status == PTXLINT_OK)
        *out = l.m;
    else
        ptxlint_module_free(l.m);
    return status;
}
