#include "findings/config.h"

#include "findings/preset.h"
#include "findings/rules.h"
#include "support/guard.h"
#include "support/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONFIG_BYTES_MAX = 1 << 30 };

const char *const ptx_ignore_keys[IGNORE__COUNT] = { [IGNORE_KERNEL] = "per-kernel-ignore",
                                                     [IGNORE_SOURCE] = "per-source-ignore",
                                                     [IGNORE_FILE] = "per-file-ignore" };
const char *const ptx_value_keys[VALUE__COUNT] = { [VALUE_GPU] = "gpu",
                                                   [VALUE_LAUNCH] = "launch",
                                                   [VALUE_RULES] = "rules",
                                                   [VALUE_EXCLUDE] = "exclude",
                                                   [VALUE_BASELINE] = "baseline",
                                                   [VALUE_BUDGET] = "budget",
                                                   [VALUE_TOLERANCES] = "tolerances",
                                                   [VALUE_MIN_GAIN] = "min-gain" };

bool ptx_config_fail(ConfigError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

/* As much of a text as a message shows. */
void *ptx_list_push(Arena *arena, List *list, size_t size)
{
    if (list->count == list->capacity)
        list->items = ptx_arena_grow(arena, list->items, list->count, &list->capacity, size);
    return (char *)list->items + size * list->count++;
}

static void append(Arena *arena, List *to, const List *from, size_t size)
{
    for (uint32_t i = 0; i < from->count; i++)
        memcpy(ptx_list_push(arena, to, size), (const char *)from->items + size * i, size);
}

static void append_layer(Arena *arena, Layer *to, const Layer *from)
{
    append(arena, &to->selects, &from->selects, sizeof(const Selector *));
    append(arena, &to->ignores, &from->ignores, sizeof(const Selector *));
    append(arena, &to->severities, &from->severities, sizeof(SeverityChoice));
    append(arena, &to->thresholds, &from->thresholds, sizeof(ThresholdChoice));
    for (int i = 0; i < IGNORE__COUNT; i++)
        append(arena, &to->suppressed[i], &from->suppressed[i], sizeof(Ignore));
    for (int i = 0; i < VALUE__COUNT; i++)
        append(arena, &to->values[i], &from->values[i], sizeof(const char *));
    to->has_select |= from->has_select;
    if (from->has_preview) {
        to->has_preview = true;
        to->preview = from->preview;
    }
    if (from->base) {
        to->preset = from->preset;
        to->base = from->base;
    }
}

/* ---- what may be said ------------------------------------------------------------------------ */

static bool fail_selector(const ptxlint_config *config, const char *text, size_t length,
                          ConfigError *error)
{
    uint16_t near_length;
    const char *near = ptx_selector_suggest(config->selectors, text, length, &near_length);
    if (!length)
        return ptx_config_fail(error, "expected a rule, a group, a prefix of codes or ALL");
    return near ? ptx_config_fail(error, "unknown rule '%.*s'; did you mean '%.*s'?",
                                  ptx_shown(length), text, (int)near_length, near)
                : ptx_config_fail(error, "unknown rule '%.*s'; `ptxlint rules` lists them all",
                                  ptx_shown(length), text);
}

bool ptx_config_add_selector(ptxlint_config *config, List *to, const char *text, size_t length,
                             bool may_lock, ConfigError *error)
{
    const Selector *selector = ptx_selector_find(config->selectors, text, length);
    if (!selector)
        return fail_selector(config, text, length, error);
    if (selector->is_locked && !may_lock)
        return ptx_config_fail(error,
                               "'%.*s' comes from the front end or a limit, and cannot be ignored",
                               ptx_shown(length), text);
    *(const Selector **)ptx_list_push(&config->arena, to, sizeof selector) = selector;
    return true;
}

bool ptx_config_find_severity(const char *text, size_t length, Severity *out, ConfigError *error)
{
    static const char *const names[] = {
        [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"
    };
    const char *near = NULL;
    unsigned best = 4;
    for (Severity s = SEVERITY_NOTE; s <= SEVERITY_ERROR; s++) {
        unsigned distance = ptx_edit_distance(text, length, names[s], strlen(names[s]));
        if (!distance) {
            *out = s;
            return true;
        }
        if (distance < best && length >= 3) {
            best = distance;
            near = names[s];
        }
    }
    return near && best < strlen(near) - 1
               ? ptx_config_fail(error, "unknown severity '%.*s'; did you mean '%s'?",
                                 ptx_shown(length), text, near)
               : ptx_config_fail(error, "unknown severity '%.*s'; it is error, warning or note",
                                 ptx_shown(length), text);
}

bool ptx_config_add_severity(ptxlint_config *config, Layer *layer, const char *text, size_t length,
                             Severity severity, ConfigError *error)
{
    const Selectors *selectors = config->selectors;
    const Selector *selector = ptx_selector_find(selectors, text, length);
    if (!selector)
        return fail_selector(config, text, length, error);
    for (RuleId id = 0; selector->is_locked && id < selectors->rule_count; id++)
        if (ptx_selector_has(selectors, selector, id)
            && severity < selectors->rules[id]->info.severity)
            return ptx_config_fail(
                error, "'%.*s' comes from the front end or a limit, and cannot be made less severe",
                ptx_shown(length), text);
    SeverityChoice *added = ptx_list_push(&config->arena, &layer->severities, sizeof *added);
    *added = (SeverityChoice){ selector, severity };
    return true;
}

static bool fail_threshold(const RuleSet *set, const Rule *rule, const char *text, size_t length,
                           ConfigError *error)
{
    const char *near = NULL;
    unsigned best = 4;
    if (!rule->threshold_count)
        return ptx_config_fail(error, "'%s' has no thresholds", rule->info.code);
    for (uint32_t i = 0; i < rule->threshold_count; i++) {
        const char *name = set->thresholds[rule->threshold_first + i].name;
        unsigned distance = ptx_edit_distance(text, length, name, strlen(name));
        if (distance < best || rule->threshold_count == 1) {
            best = distance;
            near = name;
        }
    }
    return near ? ptx_config_fail(error, "'%s' has no threshold '%.*s'; did you mean '%s'?",
                                  rule->info.code, ptx_shown(length), text, near)
                : ptx_config_fail(error, "'%s' has no threshold '%.*s'", rule->info.code,
                                  ptx_shown(length), text);
}

static const RuleSet *set_of(const Selectors *selectors, RuleId rule)
{
    return selectors->sets[rule >= selectors->sets[0]->rule_count];
}

bool ptx_config_find_threshold(ptxlint_config *config, const char *text, size_t length,
                               ThresholdChoice *out, ConfigError *error)
{
    const char *dot = length ? memchr(text, '.', length) : NULL;
    if (!dot)
        return ptx_config_fail(error, "'%.*s' is not CODE.THRESHOLD, such as OCC103.threads",
                               ptx_shown(length), text);
    const Selector *selector = ptx_selector_find(config->selectors, text, (size_t)(dot - text));
    if (!selector)
        return fail_selector(config, text, (size_t)(dot - text), error);
    if (selector->kind != SELECTOR_RULE)
        return ptx_config_fail(error, "'%.*s' is not one rule, and thresholds are a rule's own",
                               ptx_shown((size_t)(dot - text)), text);
    const Rule *rule = config->selectors->rules[selector->rule];
    const RuleSet *set = set_of(config->selectors, selector->rule);
    const size_t name_length = length - (size_t)(dot + 1 - text);
    for (uint32_t i = 0; i < rule->threshold_count; i++) {
        const char *name = set->thresholds[rule->threshold_first + i].name;
        if (strlen(name) == name_length && !memcmp(name, dot + 1, name_length)) {
            *out = (ThresholdChoice){ .rule = selector->rule, .index = i };
            return true;
        }
    }
    return fail_threshold(set, rule, dot + 1, name_length, error);
}

/* Digits with at most one point among them. By hand: strtod would ask the caller's locale for the
 * decimal point. */
bool ptx_config_read_number(const char *text, size_t length, double *out, ConfigError *error)
{
    double value = 0, scale = 1;
    bool has_point = false, has_digit = false;
    const bool is_negative = length && text[0] == '-';
    for (size_t i = is_negative; i < length && i < 32; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        has_digit = text[i] >= '0' && text[i] <= '9';
        if (!has_digit)
            break;
        value = 10 * value + (text[i] - '0');
        scale *= has_point ? 10 : 1;
    }
    if (!has_digit || length >= 32)
        return ptx_config_fail(error, "'%.*s' is not a number of digits, such as 64 or 1.5",
                               ptx_shown(length), text);
    *out = (is_negative ? -value : value) / scale;
    return true;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static bool read_config_line(const char **p, const char *end, uint32_t *out)
{
    uint64_t value = 0;
    const char *begin = *p;
    while (*p < end && **p >= '0' && **p <= '9' && value < UINT32_MAX)
        value = 10 * value + (uint64_t)(*(*p)++ - '0');
    *out = (uint32_t)value;
    return *p > begin && value > 0 && value < UINT32_MAX;
}

/* Takes ":12" or ":40-55" from the end of a pattern. A colon that no digit follows belongs to the
 * glob. */
static bool cut_lines(const char *pattern, size_t *length, Ignore *ignore, ConfigError *error)
{
    const char *end = pattern + *length, *colon = end;
    while (colon > pattern && colon[-1] != ':' && colon[-1] != '/')
        colon--;
    if (colon == pattern || colon[-1] != ':' || (colon < end && (*colon < '0' || *colon > '9')))
        return true;
    const char *p = colon;
    bool is_good = read_config_line(&p, end, &ignore->first_line);
    ignore->last_line = ignore->first_line;
    if (is_good && p < end && *p == '-') {
        p++;
        is_good = read_config_line(&p, end, &ignore->last_line);
    }
    if (!is_good || p != end)
        return ptx_config_fail(error,
                               "'%.*s' is not a line or a range of lines, such as 12 or 40-55",
                               ptx_shown((size_t)(end - colon)), colon);
    if (ignore->first_line > ignore->last_line)
        return ptx_config_fail(error, "lines %u-%u: the range ends before it begins",
                               (unsigned)ignore->first_line, (unsigned)ignore->last_line);
    *length = (size_t)(colon - 1 - pattern);
    return true;
}

static bool is_closed_config(const char *glob)
{
    for (const char *p = glob; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '[') {
            p += p[1] == '!' || p[1] == '^' ? 2 : 1;
            /* the first byte may be a `]` of the set */
            const char *close = *p ? strchr(p + 1, ']') : NULL;
            if (!close)
                return false;
            p = close;
        }
    }
    return true;
}

Ignore *ptx_config_add_ignore(ptxlint_config *config, Layer *layer, IgnoreKind kind,
                              const char *pattern, size_t length, ConfigError *error)
{
    Ignore ignore = { .last_line = UINT32_MAX };
    char *reason = ptx_arena_alloc(&config->arena, length + 32);
    snprintf(reason, length + 32, "%s %.*s", ptx_ignore_keys[kind], (int)length, pattern);
    if (kind == IGNORE_SOURCE && !cut_lines(pattern, &length, &ignore, error))
        return NULL;
    if (!length) {
        ptx_config_fail(error, "expected a pattern, such as %s",
                        kind == IGNORE_KERNEL ? "cutlass_*" : "third_party/*");
        return NULL;
    }
    ignore.glob = ptx_arena_strndup(&config->arena, pattern, length);
    ignore.reason = reason;
    if (!is_closed_config(ignore.glob)) {
        ptx_config_fail(error,
                        "'%.60s' has a '[' that is not closed; '\\[' stands for the character",
                        ignore.glob);
        return NULL;
    }
    Ignore *out = ptx_list_push(&config->arena, &layer->suppressed[kind], sizeof ignore);
    *out = ignore;
    out->state = (_Atomic uint8_t *)ptx_arena_alloc(&config->arena, 1);
    return out;
}

/* ---- what follows for each rule -------------------------------------------------------------- */

/* The weight of the narrowest of some selectors that name the rule; 0: none does. */
static unsigned weigh(const Selectors *selectors, const List *list, RuleId rule)
{
    const Selector *const *items = list->items;
    unsigned best = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (items[i]->weight > best && ptx_selector_has(selectors, items[i], rule))
            best = items[i]->weight;
    return best;
}

static const Layer nothing;

/* What files and settings are laid over; that of the settings where both name one. */
static const Layer *preset_of(const ptxlint_config *config)
{
    const Layer *base = config->settings.base ? config->settings.base : config->files.base;
    return base ? base : &nothing;
}

/* The first of some layers that has it said, or the last. */
static const Layer *selecting(const ptxlint_config *config)
{
    if (config->settings.has_select)
        return &config->settings;
    return config->files.has_select ? &config->files : preset_of(config);
}

static bool has_previews(const ptxlint_config *config)
{
    if (config->settings.has_preview)
        return config->settings.preview;
    return config->files.has_preview ? config->files.preview : preset_of(config)->preview;
}

static bool is_enabled(const ptxlint_config *config, RuleId id)
{
    const Selectors *selectors = config->selectors;
    const Rule *rule = selectors->rules[id];
    const Layer *layer = selecting(config);
    if (rule->is_locked)
        return true;
    unsigned select = layer->has_select ? weigh(selectors, &layer->selects, id) : 1;
    unsigned in_files = weigh(selectors, &config->files.ignores, id),
             in_settings = weigh(selectors, &config->settings.ignores, id),
             in_base = weigh(selectors, &preset_of(config)->ignores, id);
    if (select <= in_files || select <= in_settings || select <= in_base)
        return false;
    /* that is the weight of a code or name */
    return !rule->is_preview || has_previews(config) || select == UINT8_MAX;
}

/* False: the layer says nothing of the rule. What is said last of two alike counts. */
static bool find_severity(const Selectors *selectors, const Layer *layer, RuleId rule,
                          Severity *out)
{
    const SeverityChoice *items = layer->severities.items;
    unsigned best = 0;
    for (uint32_t i = 0; i < layer->severities.count; i++) {
        const Selector *selector = items[i].selector;
        if (selector->weight < best || !ptx_selector_has(selectors, selector, rule)
            || (selectors->rules[rule]->is_locked
                && items[i].severity < selectors->rules[rule]->info.severity))
            continue;
        best = selector->weight;
        *out = items[i].severity;
    }
    return best > 0;
}

static double *threshold_of(ptxlint_config *config, RuleId rule)
{
    const Selectors *selectors = config->selectors;
    return config->thresholds[rule >= selectors->sets[0]->rule_count]
           + selectors->rules[rule]->threshold_first;
}

static void set_thresholds(ptxlint_config *config, const Layer *layer)
{
    const ThresholdChoice *items = layer->thresholds.items;
    for (uint32_t i = 0; i < layer->thresholds.count; i++)
        threshold_of(config, items[i].rule)[items[i].index] = items[i].value;
}

static RuleChoice *choice_of(const ptxlint_config *config, RuleId rule)
{
    uint32_t first = config->selectors->sets[0]->rule_count;
    return rule < first ? &config->choices[0][rule] : &config->choices[1][rule - first];
}

static void resolve(ptxlint_config *config)
{
    const Selectors *selectors = config->selectors;
    for (RuleId id = 0; id < selectors->rule_count; id++) {
        RuleChoice choice = { is_enabled(config, id), selectors->rules[id]->info.severity };
        if (!find_severity(selectors, &config->settings, id, &choice.severity)
            && !find_severity(selectors, &config->files, id, &choice.severity))
            find_severity(selectors, preset_of(config), id, &choice.severity);
        *choice_of(config, id) = choice;
    }
    for (uint32_t s = 0; s < selectors->set_count; s++)
        for (uint32_t t = 0; t < selectors->sets[s]->threshold_count; t++)
            config->thresholds[s][t] = selectors->sets[s]->thresholds[t].value;
    set_thresholds(config, preset_of(config));
    set_thresholds(config, &config->files);
    set_thresholds(config, &config->settings);
}

/* ---- the life of a config -------------------------------------------------------------------- */

typedef struct ConfigBuild {
    ptxlint_config *config;
    const RuleSet *const *sets;
    uint32_t set_count;
    ptxlint_status result;
} ConfigBuild;

static void build_guarded(void *context)
{
    ConfigBuild *call = context;
    ptxlint_config *config = call->config;
    uint32_t set_count = call->set_count;
    while (set_count > 1 && !call->sets[set_count - 1]->rule_count)
        set_count--;
    config->selectors = set_count == 1 && call->sets[0] == &ptx_rules
                            ? &ptx_rule_selectors
                            : ptx_selectors_build(&config->arena, call->sets, set_count);
    config->book.set_count = call->set_count;
    for (uint32_t s = 0; s < call->set_count; s++) {
        const RuleSet *set = call->sets[s];
        config->choices[s] = ptx_arena_array(&config->arena, RuleChoice, set->rule_count + 1);
        config->thresholds[s] = ptx_arena_array(&config->arena, double, set->threshold_count + 1);
        config->book.sets[s] = set;
        config->book.choices[s] = config->choices[s];
        config->book.thresholds[s] = config->thresholds[s];
    }
    resolve(config);
    call->result = PTXLINT_OK;
}

static ptxlint_status build(ptxlint_config *config, const RuleSet *const *sets,
                            uint32_t set_count)
{
    ConfigBuild call = { config, sets, set_count, PTXLINT_NO_MEMORY };
    ptx_arena_init(&config->arena, CONFIG_BYTES_MAX, NULL);
    ptx_run_guarded_in(&config->arena, build_guarded, &call);
    return call.result;
}

ptxlint_status ptx_config_new_of(const RuleSet *const *sets, uint32_t set_count,
                                 ptxlint_config **out)
{
    *out = NULL;
    ptxlint_config *config = calloc(1, sizeof *config);
    if (!config)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = build(config, sets, set_count);
    if (status != PTXLINT_OK) {
        ptxlint_config_free(config);
        return status;
    }
    *out = config;
    return PTXLINT_OK;
}

ptxlint_status ptxlint_config_new(const ptxlint_rules *rules, ptxlint_config **out)
{
    const RuleSet *const sets[] = { &ptx_rules, rules ? ptx_rules_set(rules) : NULL };
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    return ptx_config_new_of(sets, rules ? 2 : 1, out);
}

void ptxlint_config_free(ptxlint_config *config)
{
    if (!config)
        return;
    ptx_arena_free(&config->arena);
    free(config);
}

const Rulebook *ptx_config_rulebook(const ptxlint_config *config)
{
    return &config->book;
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct ConfigRead {
    ptxlint_config *config;
    const char *yaml;
    size_t length;
    ConfigError *error;
    ptxlint_status result;
} ConfigRead;

static void read_file_guarded(void *context)
{
    ConfigRead *call = context;
    ptxlint_config *config = call->config;
    Layer layer = { 0 };
    call->result = PTXLINT_BAD_FILE;
    if (!ptx_config_parse(config, &layer, call->yaml, call->length, call->error))
        return;
    append_layer(&config->arena, &config->files, &layer);
    resolve(config);
    call->result = PTXLINT_OK;
}

static ptxlint_status read_file(ptxlint_config *config, const char *yaml, size_t length,
                                ConfigError *error)
{
    ConfigRead call = { config, yaml, length, error, PTXLINT_NO_MEMORY };
    bool is_complete = ptx_run_guarded_in(&config->arena, read_file_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_config_read(ptxlint_config *config, const char *path, const char *yaml,
                                   size_t length, char *error, size_t error_size)
{
    ConfigError wrong = { .line = 1, .column = 1 };
    if (!config || !path || (!yaml && length))
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = read_file(config, yaml ? yaml : "", length, &wrong);
    if (status == PTXLINT_BAD_FILE && error && error_size)
        snprintf(error, error_size, "%s:%u:%u: error: %s", path, (unsigned)wrong.line,
                 (unsigned)wrong.column, wrong.text);
    return status;
}

/* ---- single settings ------------------------------------------------------------------------- */

typedef struct Setting {
    ptxlint_config *config;
    Layer *layer;
    ConfigError *error;
} Setting;

typedef bool (*SettingFn)(Setting *setting, unsigned arg, const char *text, size_t length);

/* For each part between commas, without the blanks around it. */
static bool for_each(Setting *setting, SettingFn fn, unsigned arg, const char *text, size_t length)
{
    for (const char *end = text + length;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
        const char *last = stop;
        while (text < last && (*text == ' ' || *text == '\t'))
            text++;
        while (last > text && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (!fn(setting, arg, text, (size_t)(last - text)))
            return false;
        if (!comma)
            return true;
        text = comma + 1;
    }
}

static bool set_select(Setting *s, unsigned arg, const char *text, size_t length)
{
    (void)arg;
    s->layer->has_select = true;
    return ptx_config_add_selector(s->config, &s->layer->selects, text, length, true, s->error);
}

static bool set_ignore(Setting *s, unsigned arg, const char *text, size_t length)
{
    (void)arg;
    return ptx_config_add_selector(s->config, &s->layer->ignores, text, length, false, s->error);
}

static bool set_severity(Setting *s, unsigned arg, const char *text, size_t length)
{
    Severity severity;
    const char *equals = length ? memchr(text, '=', length) : NULL;
    (void)arg;
    if (!equals)
        return ptx_config_fail(s->error, "'%.*s' is not RULE=SEVERITY, such as LCH101=warning",
                               ptx_shown(length), text);
    return ptx_config_find_severity(equals + 1, length - (size_t)(equals + 1 - text), &severity,
                                    s->error)
           && ptx_config_add_severity(s->config, s->layer, text, (size_t)(equals - text), severity,
                                      s->error);
}

static bool set_threshold(Setting *s, unsigned arg, const char *text, size_t length)
{
    ThresholdChoice choice;
    const char *equals = length ? memchr(text, '=', length) : NULL;
    (void)arg;
    if (!equals)
        return ptx_config_fail(s->error,
                               "'%.*s' is not CODE.THRESHOLD=NUMBER, such as OCC103.threads=32",
                               ptx_shown(length), text);
    if (!ptx_config_find_threshold(s->config, text, (size_t)(equals - text), &choice, s->error)
        || !ptx_config_read_number(equals + 1, length - (size_t)(equals + 1 - text), &choice.value,
                                   s->error))
        return false;
    ThresholdChoice *added = ptx_list_push(&s->config->arena, &s->layer->thresholds, sizeof choice);
    *added = choice;
    return true;
}

static bool set_preview(Setting *s, unsigned arg, const char *text, size_t length)
{
    (void)arg;
    s->layer->has_preview = true;
    s->layer->preview = length == 4 && !memcmp(text, "true", 4);
    return s->layer->preview || (length == 5 && !memcmp(text, "false", 5))
        || ptx_config_fail(s->error, "'%.*s' is neither true nor false", ptx_shown(length), text);
}

static bool set_preset(Setting *s, unsigned arg, const char *text, size_t length)
{
    (void)arg;
    return ptx_config_set_preset(s->config, s->layer, text, length, s->error);
}

static bool set_suppressed_rule(Setting *s, unsigned kind, const char *text, size_t length)
{
    List selectors = { 0 };
    List *list = &s->layer->suppressed[kind];
    Ignore *ignore = (Ignore *)list->items + (list->count - 1);
    if (!ptx_config_add_selector(s->config, &selectors, text, length, false, s->error))
        return false;
    const Selector **grown = ptx_arena_array(&s->config->arena, const Selector *,
                                             ignore->selector_count + 1);
    if (ignore->selector_count)
        memcpy(grown, ignore->selectors, ignore->selector_count * sizeof *grown);
    grown[ignore->selector_count++] = *(const Selector **)selectors.items;
    ignore->selectors = grown;
    return true;
}

static bool set_suppressed(Setting *s, unsigned kind, const char *text, size_t length)
{
    const char *colon = text + length;
    while (colon > text && *colon != ':')       /* the last one: lines of CUDA have their own */
        colon--;
    if (colon == text)
        return ptx_config_fail(s->error, "'%.*s' is not PATTERN:RULES, such as cutlass_*:THR,OCC",
                               ptx_shown(length), text);
    return ptx_config_add_ignore(s->config, s->layer, (IgnoreKind)kind, text,
                                 (size_t)(colon - text), s->error)
           && for_each(s, set_suppressed_rule, kind, colon + 1,
                       length - (size_t)(colon + 1 - text));
}

static const struct SettingKey {
    const char *key;
    SettingFn fn;
    unsigned arg;
    bool is_list;
} setting_keys[] = {
    { "select", set_select, 0, true },
    { "ignore", set_ignore, 0, true },
    { "severity", set_severity, 0, true },
    { "threshold", set_threshold, 0, true },
    { "preview", set_preview, 0, false },
    { "preset", set_preset, 0, false },
    { "per-kernel-ignore", set_suppressed, IGNORE_KERNEL, false },
    { "per-source-ignore", set_suppressed, IGNORE_SOURCE, false },
    { "per-file-ignore", set_suppressed, IGNORE_FILE, false },
};

typedef struct ConfigSet {
    ptxlint_config *config;
    const struct SettingKey *key;
    const char *value;
    ConfigError *error;
    ptxlint_status result;
} ConfigSet;

static void set_guarded(void *context)
{
    ConfigSet *call = context;
    ptxlint_config *config = call->config;
    const struct SettingKey *key = call->key;
    const size_t length = strlen(call->value);
    Layer layer = { 0 };
    Setting setting = { config, &layer, call->error };
    call->result = PTXLINT_BAD_FILE;
    if (key->is_list ? !for_each(&setting, key->fn, key->arg, call->value, length)
                     : !key->fn(&setting, key->arg, call->value, length))
        return;
    append_layer(&config->arena, &config->settings, &layer);
    resolve(config);
    call->result = PTXLINT_OK;
}

static ptxlint_status set(ptxlint_config *config, const struct SettingKey *key,
                          const char *value, ConfigError *error)
{
    ConfigSet call = { config, key, value, error, PTXLINT_NO_MEMORY };
    bool is_complete = ptx_run_guarded_in(&config->arena, set_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_config_set(ptxlint_config *config, const char *key, const char *value,
                                  char *error, size_t error_size)
{
    ConfigError wrong = { 0 };
    ptxlint_status status = PTXLINT_BAD_ARGUMENT;
    if (!config || !key || !value)
        return PTXLINT_BAD_ARGUMENT;
    ptx_config_fail(&wrong,
                    "'%.100s' is not one of select, ignore, severity, threshold, preview, preset, "
                    "per-kernel-ignore, per-source-ignore, "
                    "per-file-ignore",
                    key);
    for (size_t i = 0; i < sizeof setting_keys / sizeof *setting_keys; i++)
        if (!strcmp(key, setting_keys[i].key))
            status = set(config, &setting_keys[i], value, &wrong);
    if ((status == PTXLINT_BAD_FILE || status == PTXLINT_BAD_ARGUMENT) && error && error_size)
        snprintf(error, error_size, "%s", wrong.text);
    return status;
}

/* ---- what it says ---------------------------------------------------------------------------- */

const char *ptxlint_config_value(const ptxlint_config *config, const char *key, size_t index)
{
    if (config && key && !strcmp(key, "preset") && !index)
        return config->settings.preset ? config->settings.preset : config->files.preset;
    for (int i = 0; config && key && i < VALUE__COUNT; i++)
        if (!strcmp(key, ptx_value_keys[i]) && index < config->files.values[i].count)
            return ((const char *const *)config->files.values[i].items)[index];
    return NULL;
}

double ptx_config_min_gain(const ptxlint_config *config)
{
    const List *said = &config->files.values[VALUE_MIN_GAIN];
    if (!said->count)
        said = &preset_of(config)->values[VALUE_MIN_GAIN];
    double percent = (double)NAN;
    ConfigError error = { 0 };
    if (said->count) {
        const char *text = ((const char *const *)said->items)[said->count - 1];
        ptx_config_read_number(text, strlen(text), &percent, &error);
    }
    return percent;
}

ptxlint_status ptxlint_config_state(const ptxlint_config *config, const ptxlint_rule *rule,
                                    ptxlint_rule_state *out)
{
    if (!config || !rule || !out)
        return PTXLINT_BAD_ARGUMENT;
    const DiagInfo info = { .code = rule->code };
    const RuleId id = ptx_rule_of(config->selectors, &info);
    if (id == NO_RULE)
        return PTXLINT_BAD_ARGUMENT;
    const RuleChoice *choice = choice_of(config, id);
    const uint32_t set = id >= config->selectors->sets[0]->rule_count;
    *out = (ptxlint_rule_state){ choice->is_enabled, (int)choice->severity,
                                 config->thresholds[set]
                                     + config->selectors->rules[id]->threshold_first };
    return PTXLINT_OK;
}
