/* config.h -- which findings are wanted: .ptxlint.yaml (docs/config.md) and single settings over
 * it.
 *
 * What files say and what settings say are two layers. After each file and each setting that is
 * good, choices and thresholds are worked out anew for every rule; a reader of a config sees
 * results alone, so several modules may use one config at the same time. All of it lies in the
 * config's own arena. */
#ifndef PTX_FINDINGS_CONFIG_H
#define PTX_FINDINGS_CONFIG_H

#include "rules/lang/selector.h"
#include "ptxlint/ptxlint.h"
#include "rules/engine.h"

enum { CONFIG_FILE_BYTES_MAX = 1 << 20 };

/* Elements of one type, one behind the other. */
typedef struct List {
    void *items;
    uint32_t count, capacity;
} List;

/* A new, zeroed element of size bytes. */
void *ptx_list_push(Arena *arena, List *list, size_t size);

typedef enum IgnoreKind { IGNORE_KERNEL, IGNORE_SOURCE, IGNORE_FILE, IGNORE__COUNT } IgnoreKind;

/* How an entry has fared, in any module. */
enum { IGNORE_SEEN = 1, IGNORE_USED = 2 };

/* One entry of per-kernel-ignore, per-source-ignore, per-file-ignore. */
typedef struct Ignore {
    const char *glob;
    const char *reason;         /* "per-kernel-ignore cutlass_*" */
    const Selector **selectors;
    uint32_t selector_count;
    uint32_t first_line, last_line;     /* of CUDA; 0, UINT32_MAX: all */
    /* IGNORE_SEEN, IGNORE_USED; modules set bits while others are made */
    _Atomic uint8_t *state;
} Ignore;

typedef struct SeverityChoice {
    const Selector *selector;
    Severity severity;
} SeverityChoice;

typedef struct ThresholdChoice {
    RuleId rule;
    uint32_t index;             /* of the rule's own thresholds */
    double value;
} ThresholdChoice;

typedef enum ValueKey {
    VALUE_GPU,
    VALUE_LAUNCH,
    VALUE_RULES,
    VALUE_EXCLUDE,
    VALUE_BASELINE,
    VALUE_BUDGET,
    VALUE_TOLERANCES,
    VALUE_MIN_GAIN,
    VALUE__COUNT
} ValueKey;

/* What one source says; also the form in which a file is read before it counts. */
typedef struct Layer Layer;
struct Layer {
    List selects, ignores;      /* const Selector * */
    List severities;            /* SeverityChoice */
    List thresholds;            /* ThresholdChoice */
    List suppressed[IGNORE__COUNT];       /* Ignore */
    List values[VALUE__COUNT];  /* const char * */
    bool has_select;            /* an empty one selects nothing */
    bool has_preview, preview;
    /* its name and what it says; NULL: none */
    const char *preset;
    const Layer *base;
};

typedef struct ConfigError {
    uint32_t line, column;      /* from 1; 0: no file */
    char text[320];
} ConfigError;

struct ptxlint_config {
    Arena arena;
    const Selectors *selectors;
    Layer files, settings;
    RuleChoice *choices[2];
    double *thresholds[2];
    Rulebook book;
};

/* A config over some sets of rules, which must outlive it. */
ptxlint_status ptx_config_new_of(const RuleSet *const *sets, uint32_t set_count,
                                 ptxlint_config **out);

/* Percent that a note is to gain at least, to be shown; NaN: not said. */
double ptx_config_min_gain(const ptxlint_config *config);

/* For the engine. */
const Rulebook *ptx_config_rulebook(const ptxlint_config *config);

/* ---- what a file and a setting have in common ------------------------------------------------ */

/* Each adds one thing to a layer, or says in *error why it cannot. */

bool ptx_config_fail(ConfigError *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* to: of const Selector *. may_lock: naming what is locked is no mistake (select). */
bool ptx_config_add_selector(ptxlint_config *config, List *to, const char *text, size_t length,
                             bool may_lock, ConfigError *error);

/* text: "THR102"; severity: "warning". */
bool ptx_config_find_severity(const char *text, size_t length, Severity *out, ConfigError *error);
bool ptx_config_add_severity(ptxlint_config *config, Layer *layer, const char *text, size_t length,
                             Severity severity, ConfigError *error);

/* text: "OCC103.threads". */
bool ptx_config_find_threshold(ptxlint_config *config, const char *text, size_t length,
                               ThresholdChoice *out, ConfigError *error);
bool ptx_config_read_number(const char *text, size_t length, double *out, ConfigError *error);

/* pattern: a glob; of IGNORE_SOURCE maybe with ":12" or ":40-55" behind it. Its selectors are to be
 * added. NULL: error says why. */
Ignore *ptx_config_add_ignore(ptxlint_config *config, Layer *layer, IgnoreKind kind,
                              const char *pattern, size_t length, ConfigError *error);

extern const char *const ptx_ignore_keys[IGNORE__COUNT], *const ptx_value_keys[VALUE__COUNT];

/* ---- config_yaml.c --------------------------------------------------------------------------- */

/* Reads a file into *layer. False: *error. */
bool ptx_config_parse(ptxlint_config *config, Layer *layer, const char *yaml, size_t length,
                      ConfigError *error);

#endif
