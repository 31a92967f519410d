/* loader.h -- what the parts of load.c share. */
#ifndef PTX_RULES_LANG_LOADER_H
#define PTX_RULES_LANG_LOADER_H

#include "rules/lang/load.h"
#include "support/yaml.h"

enum { RULES_MAX = 4096, THRESHOLDS_MAX = 32 };         /* of all files; of a rule */

enum {
    KEY_CODE,
    KEY_NAME,
    KEY_SEVERITY,
    KEY_PREVIEW,
    KEY_MINOR,
    KEY_ON,
    KEY_WHEN,
    KEY_NEEDS,
    KEY_NOTE_IF,
    KEY_FOLD,
    KEY_AT,
    KEY_MESSAGE,
    KEY_LABEL,
    KEY_HELP,
    KEY_RELATED,
    KEY_GAIN,
    KEY_GAIN_OF,
    KEY_GAIN_FOLD,
    KEY_GAIN_IS,
    KEY_THRESHOLDS,
    KEY_SUMMARY,
    KEY_DOC,
    KEY_EXAMPLES,
    KEY_SOURCES,
    KEY_FRONT_END,
    KEY_REMOVE,
    KEY__COUNT
};

typedef struct RuleLoader {
    RuleBuilder *builder;
    const RuleSet *known;
    YamlSource source;
    RuleError *error;
    const char *group;
    const YamlNode *group_node;
    uint32_t first_rule;        /* of this file, in builder */
    uint32_t *places;           /* where the code of each rule of this file stands */
    ExprScope scope;            /* of the rule in hand */
} RuleLoader;

/* items with room for one more behind count; room is for 8, 16, 32, ... */
void *ptx_loader_room(Arena *arena, const void *items, uint32_t count, size_t size);

#define LOADER_PUSH(l, T, array, count_, ...)                                                      \
    do {                                                                                           \
        RuleSet *set_ = &(l)->builder->set;                                                        \
        T *items_ = ptx_loader_room((l)->builder->arena, set_->array, set_->count_, sizeof(T));    \
        items_[set_->count_++] = (__VA_ARGS__);                                                    \
        set_->array = items_;                                                                      \
    } while (0)

/* The first complaint, at a place of the file. Always false. */
bool ptx_loader_fail(RuleLoader *l, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define LOADER_FAIL(l, node, ...) ptx_loader_fail((l), (node)->at, __VA_ARGS__)

/* A reader of a value says by `what` whose it is; false: *error has why it does not fit. */
bool ptx_loader_expect(RuleLoader *l, const YamlNode *node, YamlKind kind, const char *what);

/* Number of the word, from 1: the names begin with an empty one. */
bool ptx_loader_word(RuleLoader *l, const YamlNode *node, const char *what,
                     const char *const *names, size_t count, uint8_t *out);

bool ptx_loader_truth(RuleLoader *l, const YamlNode *node, const char *what, bool *out);

/* Any text but an empty one. */
bool ptx_loader_text(RuleLoader *l, const YamlNode *node, const char *what, const char **out);

bool ptx_loader_line(RuleLoader *l, YamlNode *node, const char *what, const char **out);

/* The nodes of a mapping's keys, each at most once; NULL where it is not there. */
bool ptx_loader_keys(RuleLoader *l, const YamlNode *mapping, const char *what,
                     const char *const *names, size_t count, YamlNode **values);

bool ptx_loader_condition(RuleLoader *l, YamlNode *node, Rule *rule);

bool ptx_loader_expression(RuleLoader *l, const YamlNode *node, const char *what, FactType type,
                           const Unit *unit, Program *out);

bool ptx_loader_template(RuleLoader *l, YamlNode *node, const char *what, Template *out);

bool ptx_loader_thresholds(RuleLoader *l, const YamlNode *mapping, Rule *rule);

bool ptx_loader_is_name(const char *text, bool with_digits);

bool ptx_loader_info(RuleLoader *l, YamlNode **v, Rule *rule);

#endif
