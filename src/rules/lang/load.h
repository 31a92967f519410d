/* load.h -- rules from the files of rules/ (docs/rules.md): YAML with positions, expressions
 * compiled. */
#ifndef PTX_RULES_LANG_LOAD_H
#define PTX_RULES_LANG_LOAD_H

#include "rules/lang/compile.h"

enum { RULE_FILE_BYTES_MAX = 4 << 20 };

typedef struct RuleError {
    uint32_t line, column;      /* from 1, of the file; inside an expression the place in it */
    char text[320];
} RuleError;

/* Adds the rules of one file to those that are in builder. known: rules that are there already (may
 * be NULL), whose codes and names are taken. False: *error, and builder is as it was but for memory
 * of its arena. An arena at its limit leaves by its jmp_buf: nothing else is held then. */
bool ptx_rules_load(RuleBuilder *builder, const RuleSet *known, const char *yaml, size_t length,
                    RuleError *error);

/* Sorts the rules by code; the set is complete then. */
void ptx_rules_finish(RuleBuilder *builder);

#endif
