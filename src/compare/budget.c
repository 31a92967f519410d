#include "compare/budget.h"

#include "compare/key.h"
#include "compare/report.h"
#include "report/report.h"
#include "report/json_writer.h"
#include "support/demangle.h"
#include "support/guard.h"
#include "support/yaml.h"
#include "support/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BUDGET_FILE_BYTES_MAX = 64 << 20,
    BUDGET_ARENA_BYTES = 1 << 30,
    NAME_SHOWN = 80
};

typedef struct Limit {
    double value;               /* NaN: none */
    uint32_t line, column;
} Limit;

typedef struct BudgetEntry {
    const char *kernel, *gpu;   /* gpu: NULL: any */
    int64_t grid[3], block[3];  /* 0: any */
    uint32_t line, column;
    Limit limits[METRIC__COUNT];
} BudgetEntry;

struct ptxlint_budget {
    Arena arena;
    const char *path;
    BudgetEntry *entries;
    uint32_t count;
    Index names;                /* of entries whose kernel is no pattern */
    uint32_t *patterns;         /* the others */
    uint32_t pattern_count;
};

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct BudgetReader {
    ptxlint_budget *budget;
    YamlSource source;
    uint32_t at, line, begin;   /* a place whose line is known, and where that begins */
    uint32_t wrong_at;
    char wrong[200];
} BudgetReader;

static bool fail_budget(BudgetReader *r, const YamlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail_budget(BudgetReader *r, const YamlNode *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->wrong, sizeof r->wrong, format, args);
    va_end(args);
    r->wrong_at = node->at;
    return false;
}

/* Nodes come nearly in order, so the way from the last one is short. */
static void locate_node(BudgetReader *r, const YamlNode *node, uint32_t *line, uint32_t *column)
{
    if (node->at < r->at)
        r->at = r->line = r->begin = 0;
    for (; r->at < node->at; r->at++)
        if (r->source.bytes[r->at] == '\n') {
            r->line++;
            r->begin = r->at + 1;
        }
    *line = r->line + 1;
    *column = node->at - r->begin + 1;
}

/* 64, 0.5; without sign and exponent. By hand: strtod would ask the caller's locale for the decimal
 * point. */
static bool read_number(BudgetReader *r, const YamlNode *node, const char *what, double *out)
{
    double value = 0, place_value = 1;
    const char *p = node->kind == YAML_TEXT ? node->text : "";
    bool has_digit = false, has_point = false;
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && !has_point); p++) {
        has_point |= *p == '.';
        has_digit |= *p != '.';
        if (*p == '.')
            continue;
        value = 10 * value + (*p - '0');
        place_value *= has_point ? 10 : 1;
    }
    *out = value / place_value;
    if (!has_digit || *p || !(*out <= 1e18))
        return fail_budget(
            r, node, "%s must be a number from 0 to 1e18, without unit, such as 64 or 0.5", what);
    return true;
}

static bool read_budget_text(BudgetReader *r, const YamlNode *node, const char *what,
                             const char **out)
{
    if (node->kind != YAML_TEXT || !node->length)
        return fail_budget(r, node, "%s must be a text", what);
    *out = ptx_arena_strndup(&r->budget->arena, node->text, node->length);
    return true;
}

/* 256, [16, 16] or [16, 16, 1]. */
static bool read_dims(BudgetReader *r, const YamlNode *node, const char *what, int64_t dims[3])
{
    const YamlNode *item = node->kind == YAML_LIST ? node->first : node;
    for (int i = 0; i < 3; i++) {
        double value = 1;
        if (item && !read_number(r, item, what, &value))
            return false;
        if (value < 1 || value > 2147483647 || value != floor(value))
            return fail_budget(r, item ? item : node, "%s has up to three whole numbers from 1",
                               what);
        dims[i] = (int64_t)value;
        item = item && node->kind == YAML_LIST ? item->next : NULL;
    }
    return !item || fail_budget(r, item, "%s has up to three whole numbers from 1", what);
}

static bool fail_key(BudgetReader *r, const YamlNode *key)
{
    static const char *const own[] = { "kernel", "gpu", "grid", "block" };
    const char *near = NULL;
    unsigned best = 4;
    for (size_t i = 0; i < sizeof own / sizeof *own + METRIC__COUNT; i++) {
        ptxlint_metric metric = { .key = i < 4 ? own[i] : NULL };
        if (i >= 4)
            ptxlint_metric_at(i - 4, &metric);
        unsigned distance = ptx_edit_distance(key->text, key->length, metric.key,
                                              strlen(metric.key));
        if (distance < best && distance + 1 < strlen(metric.key)) {
            best = distance;
            near = metric.key;
        }
    }
    return near ? fail_budget(r, key, "unknown key '%.60s'; did you mean '%s'?", key->text, near)
                : fail_budget(r, key,
                              "unknown key '%.60s'; it is kernel, gpu, grid, block or a metric",
                              key->text);
}

static bool read_limit(BudgetReader *r, const YamlNode *key, const YamlNode *value,
                       BudgetEntry *entry)
{
    MetricId id = ptx_metric_find(key->text, key->length);
    if (id == METRIC__COUNT)
        return fail_key(r, key);
    Limit *limit = &entry->limits[id];
    locate_node(r, value, &limit->line, &limit->column);
    return read_number(r, value, key->text, &limit->value);
}

static bool read_pair(BudgetReader *r, const YamlNode *key, const YamlNode *value,
                      BudgetEntry *entry)
{
    if (!strcmp(key->text, "kernel"))
        return read_budget_text(r, value, "kernel", &entry->kernel);
    if (!strcmp(key->text, "gpu"))
        return read_budget_text(r, value, "gpu", &entry->gpu);
    if (!strcmp(key->text, "grid"))
        return read_dims(r, value, "grid", entry->grid);
    if (!strcmp(key->text, "block"))
        return read_dims(r, value, "block", entry->block);
    return read_limit(r, key, value, entry);
}

static bool is_twice(const YamlNode *mapping, const YamlNode *key)
{
    for (const YamlNode *k = mapping->first; k != key; k = k->next->next)
        if (k->kind == YAML_TEXT && !strcmp(k->text, key->text))
            return true;
    return false;
}

/* of a mapping; a good one has fewer, so that looking for double ones is cheap */
enum { KEYS_MAX = METRIC__COUNT + 8 };

static bool read_budget_entry(BudgetReader *r, const YamlNode *node, BudgetEntry *entry)
{
    if (node->kind != YAML_MAPPING || node->count > 2 * KEYS_MAX)
        return fail_budget(r, node,
                           "an entry is a mapping such as { kernel: \"gemm_*\", registers: 128 }");
    locate_node(r, node, &entry->line, &entry->column);
    for (int i = 0; i < METRIC__COUNT; i++)
        entry->limits[i].value = (double)NAN;
    for (const YamlNode *key = node->first; key; key = key->next->next) {
        if (key->kind != YAML_TEXT)
            return fail_budget(r, key, "a key is expected");
        if (is_twice(node, key))
            return fail_budget(r, key, "'%.60s' is given twice", key->text);
        if (!read_pair(r, key, key->next, entry))
            return false;
    }
    return entry->kernel || fail_budget(r, node, "an entry needs `kernel`: a name or a pattern");
}

static bool read_budget_entries(BudgetReader *r, const YamlNode *list)
{
    ptxlint_budget *b = r->budget;
    if (list->kind != YAML_LIST)
        return fail_budget(r, list, "`budgets` is a list");
    b->entries = ptx_arena_array(&b->arena, BudgetEntry, list->count + 1);
    b->patterns = ptx_arena_array(&b->arena, uint32_t, list->count + 1);
    for (const YamlNode *node = list->first; node; node = node->next) {
        BudgetEntry *entry = &b->entries[b->count];
        if (!read_budget_entry(r, node, entry))
            return false;
        if (strpbrk(entry->kernel, "*?[\\"))
            b->patterns[b->pattern_count++] = b->count;
        else
            ptx_index_add(&b->arena, &b->names, ptx_key_hash(KEY_HASH, entry->kernel), b->count);
        b->count++;
    }
    return true;
}

static bool read_budget_root(BudgetReader *r, const YamlNode *root)
{
    if (root->kind != YAML_MAPPING || !root->first || root->first->kind != YAML_TEXT
        || strcmp(root->first->text, "budgets") != 0)
        return fail_budget(r, root, "a budget is `budgets:` and a list of entries");
    if (root->count != 2)
        return fail_budget(r, root->first->next->next, "only `budgets` stands at the top");
    return read_budget_entries(r, root->first->next);
}

typedef struct BudgetRead {
    ptxlint_budget *b;
    const char *path;
    const char *yaml;
    size_t length;
    BudgetReader *r;
    ptxlint_status result;
} BudgetRead;

static void read_all_guarded(void *context)
{
    BudgetRead *call = context;
    BudgetReader *r = call->r;
    YamlError wrong = { 0 };
    call->b->path = ptx_arena_strndup(&call->b->arena, call->path, strlen(call->path));
    r->source = (YamlSource){ .bytes = call->yaml, .length = (uint32_t)call->length };
    const YamlNode *root = ptx_yaml_read(&call->b->arena, r->source, &wrong);
    call->result = root && read_budget_root(r, root) ? PTXLINT_OK : PTXLINT_BAD_FILE;
    if (root)
        return;
    snprintf(r->wrong, sizeof r->wrong, "%s", wrong.text);
    r->wrong_at = wrong.at;
}

static ptxlint_status read_all(ptxlint_budget *b, const char *path, const char *yaml,
                               size_t length, BudgetReader *r)
{
    BudgetRead call = { b, path, yaml, length, r, PTXLINT_NO_MEMORY };
    ptx_arena_init(&b->arena, BUDGET_ARENA_BYTES, NULL);
    bool is_complete = ptx_run_guarded_in(&b->arena, read_all_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_budget_new(const char *path, const char *yaml, size_t length,
                                  ptxlint_budget **out, char *error, size_t error_size)
{
    if (!out || !path || (!yaml && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    if (length > BUDGET_FILE_BYTES_MAX)
        return PTXLINT_TOO_LARGE;
    ptxlint_budget *b = calloc(1, sizeof *b);
    if (!b)
        return PTXLINT_NO_MEMORY;
    BudgetReader r = { .budget = b };
    ptxlint_status status = read_all(b, path, yaml ? yaml : "", length, &r);
    if (status == PTXLINT_OK) {
        *out = b;
        return status;
    }
    if (status == PTXLINT_BAD_FILE && error && error_size) {
        uint32_t line, column;
        ptx_yaml_place(r.source, r.wrong_at, &line, &column);
        snprintf(error, error_size, "%s:%u:%u: error: %s", path, (unsigned)line, (unsigned)column,
                 r.wrong);
    }
    ptxlint_budget_free(b);
    return status;
}

void ptxlint_budget_free(ptxlint_budget *b)
{
    if (!b)
        return;
    ptx_arena_free(&b->arena);
    free(b);
}

int ptxlint_budget_at(const ptxlint_budget *b, size_t index, ptxlint_budget_entry *out)
{
    if (!b || !out || index >= b->count)
        return 0;
    const BudgetEntry *entry = &b->entries[index];
    *out = (ptxlint_budget_entry){ entry->kernel, entry->gpu, entry->line, entry->column };
    return 1;
}

/* ---- which entries apply to a kernel --------------------------------------------------------- */

enum { BUDGET_FORMS = 1 + 2 * NAME_FORM__COUNT };

/* Entries of its name in any order: first those that name it, then patterns. */
typedef struct BudgetWalk {
    const ptxlint_budget *budget;
    const char *name;
    uint64_t hashes[BUDGET_FORMS];      /* of the name as it is, and as the source has it */
    uint32_t count, form, at, pattern;
} BudgetWalk;

static bool add_form(void *context, const char *form)
{
    BudgetWalk *w = context;
    uint64_t hash = ptx_key_hash(KEY_HASH, form);
    bool is_new = true;
    for (uint32_t i = 0; i < w->count; i++)
        is_new &= w->hashes[i] != hash;
    w->hashes[w->count] = hash;
    w->count += is_new;
    return w->count == BUDGET_FORMS;
}

static BudgetWalk walk_begin(const ptxlint_budget *b, const char *name)
{
    BudgetWalk walk = { .budget = b, .name = name };
    ptx_name_forms(name, add_form, &walk);
    return walk;
}

/* NULL: there are no more. */
static const BudgetEntry *walk_next(BudgetWalk *w)
{
    uint32_t number;
    const ptxlint_budget *b = w->budget;
    for (; w->form < w->count; w->form++, w->at = 0)
        while (ptx_index_next(&b->names, w->hashes[w->form], &w->at, &number))
            if (ptx_name_fits(b->entries[number].kernel, w->name))
                return &b->entries[number];
    while (w->pattern < b->pattern_count) {
        const BudgetEntry *entry = &b->entries[b->patterns[w->pattern++]];
        if (ptx_name_fits(entry->kernel, w->name))
            return entry;
    }
    return NULL;
}

static bool is_launch(const BudgetEntry *entry, const ptxlint_launch *launch)
{
    for (int i = 0; i < 3; i++)
        if ((entry->grid[i] && entry->grid[i] != launch->grid[i])
            || (entry->block[i] && entry->block[i] != launch->block[i]))
            return false;
    return true;
}

/* One without a GPU applies to the kernel on each of them, and where there is none. */
static bool is_on(const BudgetEntry *entry, const ptxlint_projection *p)
{
    const ptxlint_gpu_info *info = p ? ptxlint_gpu_get_info(p->gpu) : NULL;
    return !entry->gpu
           || (info && (!strcmp(entry->gpu, info->name) || !strcmp(entry->gpu, info->sm)));
}

static const ptxlint_projection *projection_of(const ptxlint_kernel *kernel, size_t index)
{
    return index < kernel->projection_count ? &kernel->projections[index] : NULL;
}

static ptxlint_cover cover_of(const BudgetEntry *entry, const ptxlint_kernel *kernel)
{
    bool is_there = false;
    for (size_t p = 0; p < kernel->projection_count || !p; p++)
        is_there |= is_on(entry, projection_of(kernel, p));
    if (!is_there)
        return PTXLINT_OTHER_GPU;
    return is_launch(entry, &kernel->launch) ? PTXLINT_COVERED : PTXLINT_OTHER_LAUNCH;
}

void ptxlint_budget_cover(const ptxlint_budget *b, const ptxlint_module *module,
                          unsigned char *covers)
{
    size_t count;
    const ptxlint_kernel *kernels = b && module && covers ? ptxlint_module_kernels(module, &count)
                                                          : NULL;
    for (size_t k = 0; kernels && k < count; k++) {
        const BudgetEntry *entry;
        for (BudgetWalk walk = walk_begin(b, kernels[k].name); (entry = walk_next(&walk));) {
            unsigned char cover = (unsigned char)cover_of(entry, &kernels[k]);
            unsigned char *place = &covers[entry - b->entries];
            *place = cover > *place ? cover : *place;
        }
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

/* What would make a figure known. */
static const char *remedy(MetricId id, const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    if (kernel->has_syntax_error)
        return "parts of the kernel could not be read";
    if (!p)
        return "name a GPU with --gpu";
    switch (id) {
    case METRIC_SPILL_BYTES:
        return "only ptxas knows (--ptxas, --ptxas-log): registers are short here";
    case METRIC_WARP_INSTRUCTIONS:
    case METRIC_DRAM_BYTES:
    case METRIC_BOUND_TIME:
    case METRIC_PREDICTED_TIME:
        return "it takes the grid, the block and the parameters (--launch), and a product as GPU";
    case METRIC_SECTORS: case METRIC_BANK_CONFLICTS:
        return "some address is not known; `ptxlint report` says why, and --launch may help";
    default:
        return "see `ptxlint report`";
    }
}

static const char *name_of(const ptxlint_projection *p)
{
    return p ? ptxlint_gpu_get_info(p->gpu)->name : "no GPU";
}

/* "registers", "predicted time": the key in words. */
static void put_budget_words(char *out, size_t size, const char *key)
{
    size_t length = 0;
    for (; key[length] && length + 1 < size; length++)
        out[length] = key[length] == '_' ? ' ' : key[length];
    out[length] = 0;
}

static Overrun make_overrun(const ptxlint_budget *b, const ptxlint_kernel *kernel,
                            const ptxlint_projection *p, MetricId id, const Limit *limit,
                            const ptxlint_measure *measure)
{
    ptxlint_metric metric;
    Overrun o = { .is_unknown = isnan(measure->value), .certainty = measure->certainty };
    char words[64];
    ptxlint_metric_at(id, &metric);
    put_budget_words(words, sizeof words, metric.key);
    Figure wanted = ptx_figure_number(limit->value), is = ptx_figure_number(measure->value);
    Figure beyond = ptx_figure_number(fabs(measure->value - limit->value));
    if (o.is_unknown)
        snprintf(o.message, sizeof o.message, "`%.*s` on %.40s: %s not known, with a budget of %s",
                 NAME_SHOWN, kernel->name, name_of(p), words, wanted.text);
    else
        snprintf(o.message, sizeof o.message, "`%.*s` on %.40s: %s %s, %s %s the budget of %s (%s)",
                 NAME_SHOWN, kernel->name, name_of(p), words, is.text, beyond.text,
                 metric.is_higher_better ? "under" : "over", wanted.text,
                 ptx_report_certainty(o.certainty));
    if (o.is_unknown)
        snprintf(o.help, sizeof o.help, "%s; the limit is %.200s:%u:%u", remedy(id, kernel, p),
                 b->path, (unsigned)limit->line, (unsigned)limit->column);
    else
        snprintf(o.help, sizeof o.help, "to accept it, write `%s: %s` at %.200s:%u:%u", metric.key,
                 is.text, b->path, (unsigned)limit->line, (unsigned)limit->column);
    return o;
}

static bool is_beyond(MetricId id, double value, double limit)
{
    ptxlint_metric metric;
    ptxlint_metric_at(id, &metric);
    double slack = 1e-9 * fabs(limit);          /* what is written has ten digits */
    return isnan(value)
           || (metric.is_higher_better ? value < limit - slack : value > limit + slack);
}

static void check_budget_entry(const ptxlint_budget *b, const BudgetEntry *entry,
                               const ptxlint_kernel *kernel, double findings, OverrunFn report,
                               void *context)
{
    bool is_first = true;
    for (size_t i = 0; i < kernel->projection_count || !i; i++) {
        ptxlint_measure all[METRIC__COUNT];
        const ptxlint_projection *p = projection_of(kernel, i);
        if (!is_on(entry, p))
            continue;
        ptx_metrics_measure(kernel, p, all);
        all[METRIC_FINDINGS] = (ptxlint_measure){ findings, PTXLINT_EXACT };
        for (MetricId id = 0; id < METRIC__COUNT; id++) {
            const Limit *limit = &entry->limits[id];
            if (isnan(limit->value) || (!is_first && !ptx_metric_is_of_gpu(id))
                || !is_beyond(id, all[id].value, limit->value))
                continue;
            const Overrun overrun = make_overrun(b, kernel, p, id, limit, &all[id]);
            report(context, &overrun);
        }
        is_first = false;
    }
}

void ptx_budget_check(const ptxlint_budget *b, const ptxlint_kernel *kernel, double findings,
                      OverrunFn report, void *context)
{
    const BudgetEntry *entry;
    for (BudgetWalk walk = walk_begin(b, kernel->name); (entry = walk_next(&walk));)
        if (is_launch(entry, &kernel->launch))
            check_budget_entry(b, entry, kernel, findings, report, context);
}

/* ---- drafting -------------------------------------------------------------------------------- */

/* A name in YAML as in JSON. */
static void put_budget_name(Out *out, const char *key, const char *name)
{
    Json json;
    ptx_out_text(out, key);
    ptx_json_text(ptx_json_init(&json, out), NULL, name);
    ptx_out_text(out, "\n");
}

static void put_dims(Out *out, const char *key, const int64_t dims[3])
{
    if (dims[0] != PTXLINT_UNKNOWN)
        ptx_out_format(out, "  %s: [%s, %s, %s]\n", key, ptx_figure_int(dims[0]).text,
                       ptx_figure_int(dims[1]).text, ptx_figure_int(dims[2]).text);
}

/* what a limit is rounded to: three digits below 100, whole numbers above */
static double rounding_step(double value, double measured)
{
    if (value >= 100 || measured == floor(measured) || !(value > 0))
        return 1;
    return pow(10, floor(log10(value)) - 2);
}

/* Whole numbers stay whole; others have three digits. */
static double with_slack(const ptxlint_metric *metric, const ptxlint_measure *measure,
                         double slack_percent)
{
    double factor = measure->certainty == PTXLINT_ESTIMATE ? slack_percent / 100 : 0;
    double value = measure->value * (metric->is_higher_better ? 1 - factor : 1 + factor);
    if (factor <= 0)
        return measure->value;
    double step = rounding_step(value, measure->value);
    return (metric->is_higher_better ? floor(value / step) : ceil(value / step)) * step;
}

static bool is_drafted(MetricId id)
{
    return id != METRIC_MAX_LIVE && id != METRIC_BOUND_TIME && id != METRIC_DRAM_BYTES;
}

static void draft_projection(Out *out, const ptxlint_kernel *kernel, const ptxlint_projection *p,
                             double findings, double slack_percent)
{
    ptxlint_measure all[METRIC__COUNT];
    ptx_metrics_measure(kernel, p, all);
    all[METRIC_FINDINGS] = (ptxlint_measure){ findings, PTXLINT_EXACT };
    put_budget_name(out, "- kernel: ", kernel->name);
    if (p)
        put_budget_name(out, "  gpu: ", ptxlint_gpu_get_info(p->gpu)->name);
    put_dims(out, "grid", kernel->launch.grid);
    if (!kernel->launch.block_is_assumed)
        put_dims(out, "block", kernel->launch.block);
    for (int id = 0; id < METRIC__COUNT; id++) {
        ptxlint_metric metric;
        ptxlint_metric_at((size_t)id, &metric);
        if (is_drafted((MetricId)id) && !isnan(all[id].value))
            ptx_out_format(out, "  %s: %s\n", metric.key,
                           ptx_figure_number(with_slack(&metric, &all[id], slack_percent)).text);
    }
}

static double findings_in(const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    size_t count;
    double findings = 0;
    const ptxlint_diagnostic *all = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        findings += all[i].suppression == PTXLINT_NOT_SUPPRESSED
                    && all[i].severity >= PTXLINT_WARNING && strcmp(all[i].group, "budget") != 0
                    && all[i].span.begin >= kernel->span.begin
                    && all[i].span.begin < kernel->span.end;
    return findings;
}

ptxlint_status ptxlint_budget_draft(const ptxlint_module *module, double slack_percent,
                                    ptxlint_write_fn write, void *context)
{
    Out out;
    size_t count;
    if (!module || !write || !(slack_percent >= 0 && slack_percent < 100))
        return PTXLINT_BAD_ARGUMENT;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    ptx_out_init(&out, write, context);
    for (size_t k = 0; k < count; k++) {
        if (!kernels[k].is_entry)
            continue;
        double findings = findings_in(module, &kernels[k]);
        for (size_t p = 0; p < kernels[k].projection_count || !p; p++)
            draft_projection(&out, &kernels[k], projection_of(&kernels[k], p), findings,
                             slack_percent);
    }
    ptx_out_flush(&out);
    return out.status;
}
