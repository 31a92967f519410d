/* config_yaml.c -- the form of .ptxlint.yaml. No depth of the tree is followed beyond a list
 * in a mapping in the file's own mapping. */
#include "findings/config.h"
#include "findings/preset.h"

#include "report/report.h"
#include "support/hash.h"
#include "support/words.h"
#include "support/yaml.h"

typedef struct ConfigReader {
    ptxlint_config *config;
    Layer *layer;
    ConfigError *error;
    YamlSource source;
    /* texts that may still be read: aliases must not make more of them than the file has bytes */
    size_t budget;
} ConfigReader;

/* ---- places ---------------------------------------------------------------------------------- */

/* Says where what an ptx_config_* function complains of stands. */
static bool at(ConfigReader *r, const YamlNode *node, bool is_good)
{
    if (!is_good)
        ptx_yaml_place(r->source, node->at, &r->error->line, &r->error->column);
    return is_good;
}

#define FAIL(r, node, ...) (at((r), (node), ptx_config_fail((r)->error, __VA_ARGS__)), false)

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef struct Scalar {
    const char *text;
    size_t length;
} Scalar;

/* Quotes make a text of what would be no value. */
static bool is_nothing(const YamlNode *node)
{
    return node->kind == YAML_TEXT && !node->length && node->style == YAML_PLAIN;
}

static bool read_scalar(ConfigReader *r, const YamlNode *node, const char *wanted, Scalar *out)
{
    if (node->kind != YAML_TEXT || is_nothing(node))
        return FAIL(r, node, "expected %s", wanted);
    *out = (Scalar){ node->text, node->length };
    if (!r->budget)
        return FAIL(r, node, "aliases make this longer than the file");
    r->budget--;
    return true;
}

typedef bool (*ItemFn)(ConfigReader *r, const YamlNode *item, void *context);

/* A list, or one item without brackets. */
static bool read_config_list(ConfigReader *r, const YamlNode *node, const char *wanted, ItemFn fn,
                             void *context)
{
    if (node->kind == YAML_TEXT && !is_nothing(node))
        return fn(r, node, context);
    if (node->kind != YAML_LIST)
        return FAIL(r, node, "expected %s", wanted);
    for (const YamlNode *item = node->first; item; item = item->next)
        if (!fn(r, item, context))
            return false;
    return true;
}

/* ---- mappings -------------------------------------------------------------------------------- */

typedef bool (*PairFn)(ConfigReader *r, const YamlNode *key, Scalar text,
                       const YamlNode *value, unsigned arg);

/* Keys that were there, by hash: a file may have tens of thousands. */
static bool is_key(const void *owner, uint32_t number, const void *key)
{
    const Scalar *a = (const Scalar *)owner + (number - 1), *b = key;
    return a->length == b->length && !memcmp(a->text, b->text, b->length);
}

/* Whether the last of count keys is new. */
static bool see(const HashTable *seen, const Scalar *keys, uint32_t count)
{
    const Scalar *key = &keys[count - 1];
    uint32_t *slot = ptx_hash_find(seen, ptx_hash_bytes(key->text, key->length), is_key, keys, key);
    bool is_new = !*slot;
    *slot = count;
    return is_new;
}

static bool read_mapping(ConfigReader *r, const YamlNode *node, const char *wanted, PairFn fn,
                         unsigned arg)
{
    if (node->kind != YAML_MAPPING)
        return FAIL(r, node, "expected %s", wanted);
    size_t count = node->count / 2;
    HashTable seen;
    ptx_hash_init(&seen, &r->config->arena, count);
    Scalar *all = ptx_arena_array(&r->config->arena, Scalar, count ? count : 1), *keys = all;
    for (const YamlNode *key = node->first; key; key = key->next->next, keys++) {
        if (!read_scalar(r, key, "a key", keys))
            return false;
        if (!see(&seen, all, (uint32_t)(keys - all) + 1))
            return FAIL(r, key, "'%.60s' is given twice", keys->text);
        if (!fn(r, key, *keys, key->next, arg))
            return false;
    }
    return true;
}

/* ---- the keys -------------------------------------------------------------------------------- */

typedef struct SelectorSink {
    List *to;
    bool may_lock;
} SelectorSink;

static bool read_selector(ConfigReader *r, const YamlNode *item, void *context)
{
    Scalar text;
    const SelectorSink *sink = context;
    return read_scalar(r, item, "a rule, a group, a prefix of codes or ALL", &text)
           && at(r, item,
                 ptx_config_add_selector(r->config, sink->to, text.text, text.length,
                                         sink->may_lock, r->error));
}

static const char rules_wanted[] = "a list of rules, such as [THR, COR101]";

static bool read_select(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    (void)arg;
    r->layer->has_select = true;
    return read_config_list(r, value, rules_wanted, read_selector,
                            &(SelectorSink){ &r->layer->selects, true });
}

static bool read_ignore(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    (void)arg;
    return read_config_list(r, value, rules_wanted, read_selector,
                            &(SelectorSink){ &r->layer->ignores, false });
}

static bool read_preview(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    Scalar text;
    (void)arg;
    if (!read_scalar(r, value, "true or false", &text))
        return false;
    r->layer->has_preview = true;
    r->layer->preview = !strcmp(text.text, "true");
    return r->layer->preview || !strcmp(text.text, "false")
           || FAIL(r, value, "'%.60s' is neither true nor false", text.text);
}

static bool read_preset(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    Scalar text;
    (void)arg;
    return read_scalar(r, value, "the name of a preset", &text)
           && at(r, value,
                 ptx_config_set_preset(r->config, r->layer, text.text, text.length, r->error));
}

static bool read_severity_pair(ConfigReader *r, const YamlNode *key, Scalar rule,
                               const YamlNode *value, unsigned arg)
{
    Scalar text;
    Severity severity;
    (void)arg;
    return read_scalar(r, value, "error, warning or note", &text)
           && at(r, value, ptx_config_find_severity(text.text, text.length, &severity, r->error))
           && at(r, key,
                 ptx_config_add_severity(r->config, r->layer, rule.text, rule.length, severity,
                                         r->error));
}

static bool read_severity(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    return read_mapping(r, value, "a mapping from rules to severities, such as { LCH101: warning }",
                        read_severity_pair, arg);
}

static bool read_threshold_pair(ConfigReader *r, const YamlNode *key, Scalar name,
                                const YamlNode *value, unsigned arg)
{
    Scalar text;
    ThresholdChoice choice;
    (void)arg;
    if (!at(r, key, ptx_config_find_threshold(r->config, name.text, name.length, &choice, r->error))
        || !read_scalar(r, value, "a number", &text)
        || !at(r, value, ptx_config_read_number(text.text, text.length, &choice.value, r->error)))
        return false;
    ThresholdChoice *added = ptx_list_push(&r->config->arena, &r->layer->thresholds, sizeof choice);
    *added = choice;
    return true;
}

static bool read_thresholds(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    return read_mapping(r, value,
                        "a mapping from thresholds to numbers, such as { OCC103.threads: 32 }",
                        read_threshold_pair, arg);
}

static bool read_silenced_pair(ConfigReader *r, const YamlNode *key, Scalar pattern,
                               const YamlNode *value, unsigned kind)
{
    List selectors = { 0 };
    Ignore *ignore = ptx_config_add_ignore(r->config, r->layer, (IgnoreKind)kind, pattern.text,
                                           pattern.length, r->error);
    if (!at(r, key, ignore != NULL)
        || !read_config_list(r, value, rules_wanted, read_selector,
                             &(SelectorSink){ &selectors, false }))
        return false;
    ignore->selectors = selectors.items;
    ignore->selector_count = selectors.count;
    return true;
}

static bool read_silenced(ConfigReader *r, const YamlNode *value, unsigned kind)
{
    return read_mapping(
        r, value, "a mapping from patterns to lists of rules, such as { \"cutlass_*\": [THR] }",
        read_silenced_pair, kind);
}

static bool read_config_text(ConfigReader *r, const YamlNode *item, void *context)
{
    Scalar text;
    if (!read_scalar(r, item, "a name or a path", &text))
        return false;
    if (!text.length)
        return FAIL(r, item, "expected a name or a path");
    *(const char **)ptx_list_push(&r->config->arena, context, sizeof(const char *)) =
        ptx_arena_strndup(&r->config->arena, text.text, text.length);
    return true;
}

static bool read_texts(ConfigReader *r, const YamlNode *value, unsigned key)
{
    static const char *const wanted[VALUE__COUNT] = {
        [VALUE_GPU] = "a list of GPUs, such as [h200]",
        [VALUE_LAUNCH] = "the path of a launch file",
        [VALUE_RULES] = "a list of folders of rules",
        [VALUE_EXCLUDE] = "a list of patterns, such as [\"build/old/*\"]",
        [VALUE_BASELINE] = "the path of a baseline",
        [VALUE_BUDGET] = "the path of a budget"
    };
    if ((key == VALUE_LAUNCH || key == VALUE_BASELINE || key == VALUE_BUDGET)
        && value->kind != YAML_TEXT)
        return FAIL(r, value, "expected %s", wanted[key]);
    return read_config_list(r, value, wanted[key], read_config_text, &r->layer->values[key]);
}

static bool read_tolerance_pair(ConfigReader *r, const YamlNode *key, Scalar metric,
                                const YamlNode *value, unsigned arg)
{
    Scalar text;
    (void)arg;
    if (!read_scalar(r, value, "a number, as 8 or 5%, or off", &text))
        return false;
    if (ptx_metric_find(metric.text, metric.length) == METRIC__COUNT)
        return FAIL(r, key, "unknown metric '%.60s'", metric.text);
    char *both = ptx_arena_alloc(&r->config->arena, metric.length + text.length + 2);
    memcpy(both, metric.text, metric.length);
    both[metric.length] = '=';
    memcpy(both + metric.length + 1, text.text, text.length);
    *(const char **)ptx_list_push(&r->config->arena, &r->layer->values[VALUE_TOLERANCES],
                                  sizeof(const char *)) = both;
    return true;
}

static bool read_config_tolerances(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    return read_mapping(r, value, "a mapping from metrics to numbers, such as { registers: 5% }",
                        read_tolerance_pair, arg);
}

/* The last one counts. */
static bool read_min_gain(ConfigReader *r, const YamlNode *value, unsigned arg)
{
    Scalar text;
    double percent;
    (void)arg;
    if (!read_scalar(r, value, "a number of percent, such as 1", &text)
        || !at(r, value, ptx_config_read_number(text.text, text.length, &percent, r->error)))
        return false;
    if (percent < 0 || percent > 100)
        return FAIL(r, value, "%.60s is not a number of percent, 0 to 100", text.text);
    *(const char **)ptx_list_push(&r->config->arena, &r->layer->values[VALUE_MIN_GAIN],
                                  sizeof(const char *)) =
        ptx_arena_strndup(&r->config->arena, text.text, text.length);
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const struct TopKey {
    const char *key;
    bool (*read)(ConfigReader *r, const YamlNode *value, unsigned arg);
    unsigned arg;
} top_keys[] = {
    { "preset", read_preset, 0 },
    { "select", read_select, 0 },
    { "ignore", read_ignore, 0 },
    { "preview", read_preview, 0 },
    { "severity", read_severity, 0 },
    { "thresholds", read_thresholds, 0 },
    { "per-kernel-ignore", read_silenced, IGNORE_KERNEL },
    { "per-source-ignore", read_silenced, IGNORE_SOURCE },
    { "per-file-ignore", read_silenced, IGNORE_FILE },
    { "exclude", read_texts, VALUE_EXCLUDE },
    { "gpu", read_texts, VALUE_GPU },
    { "launch", read_texts, VALUE_LAUNCH },
    { "baseline", read_texts, VALUE_BASELINE },
    { "budget", read_texts, VALUE_BUDGET },
    { "tolerances", read_config_tolerances, 0 },
    { "min-gain", read_min_gain, 0 },
    { "rules", read_texts, VALUE_RULES },
};

static bool fail_config_key(ConfigReader *r, const YamlNode *key, Scalar text)
{
    const char *near = NULL;
    unsigned best = 4;
    for (size_t i = 0; i < sizeof top_keys / sizeof *top_keys; i++) {
        unsigned distance = ptx_edit_distance(text.text, text.length, top_keys[i].key,
                                              strlen(top_keys[i].key));
        if (distance < best && distance < strlen(top_keys[i].key) - 1) {
            best = distance;
            near = top_keys[i].key;
        }
    }
    return near ? FAIL(r, key, "unknown key '%.60s'; did you mean '%s'?", text.text, near)
                : FAIL(r, key, "unknown key '%.60s'", text.text);
}

static bool read_top(ConfigReader *r, const YamlNode *key, Scalar text, const YamlNode *value,
                     unsigned arg)
{
    (void)arg;
    for (size_t i = 0; i < sizeof top_keys / sizeof *top_keys; i++)
        if (!strcmp(text.text, top_keys[i].key))
            return top_keys[i].read(r, value, top_keys[i].arg);
    return fail_config_key(r, key, text);
}

bool ptx_config_parse(ptxlint_config *config, Layer *layer, const char *yaml, size_t length,
                      ConfigError *error)
{
    YamlError wrong;
    ConfigReader r = { .config = config, .layer = layer, .error = error, .budget = length };
    if (length > CONFIG_FILE_BYTES_MAX)
        return ptx_config_fail(error, "longer than %d bytes", (int)CONFIG_FILE_BYTES_MAX);
    r.source = (YamlSource){ yaml, (uint32_t)length, true };
    const YamlNode *root = ptx_yaml_read(&config->arena, r.source, &wrong);
    if (!root) {
        ptx_yaml_place(r.source, wrong.at, &error->line, &error->column);
        return ptx_config_fail(error, "%s", wrong.text);
    }
    return is_nothing(root)
           || read_mapping(&r, root, "a mapping from keys to values, such as `select: [THR]`",
                           read_top, 0);
}
