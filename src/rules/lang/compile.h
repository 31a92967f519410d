/* compile.h -- expressions and templates of rules, from text to Code.
 *
 *     insn is ["div.rn.f32", "sqrt.rn.f32"] and loop.depth > 0 and kernel.block_threads % 32 != 0
 *
 * docs/rules.md is the language's manual. Scanned by expr.re, parsed by expr.y into a tree, typed,
 * cut at the outermost `and`s, and written as Code. Total: every expression ends, no input can make
 * it fail at run time, nothing is evaluated twice in a kernel. */
#ifndef PTX_RULES_LANG_COMPILE_H
#define PTX_RULES_LANG_COMPILE_H

#include "rules/lang/rule.h"
#include "support/arena.h"

/* What went wrong, and where in the text: byte offset and length. */
typedef struct ExprError {
    uint32_t at, length;
    char text[256];             /* "unknown fact 'insn.spac'; did you mean 'insn.space'?" */
} ExprError;

/* A RuleSet that grows; the arrays are the arena's. */
typedef struct RuleBuilder {
    Arena *arena;
    RuleSet set;
    uint32_t code_capacity, constant_capacity, pattern_capacity, modifier_capacity,
        quantifier_capacity, hole_capacity;
} RuleBuilder;

void ptx_rule_builder_init(RuleBuilder *builder, Arena *arena);

/* What an expression may name. */
typedef struct ExprScope {
    Subject subject;
    const Threshold *thresholds;        /* threshold.NAME: index in the rule's own */
    uint32_t threshold_count;
} ExprScope;

/* A condition: a truth, cut by level into when. False: *error says why. */
bool ptx_compile_condition(RuleBuilder *builder, const ExprScope *scope, const char *text,
                           size_t length, Program when[LEVEL__COUNT], ExprError *error);

typedef struct ExprSource {
    const char *text;
    size_t length;
    FactType type;              /* wanted: FACT_TRUTH or FACT_NUMBER */
    const Unit *unit;           /* of a number; NULL: any */
} ExprSource;

/* A whole truth or number. */
bool ptx_compile_expression(RuleBuilder *builder, const ExprScope *scope, const ExprSource *source,
                            Program *out, ExprError *error);

/* "`{insn.op}` in a loop of depth {loop.depth}"; {{ and }} are braces. Any expression may stand in
 * braces, and a fact of text. */
bool ptx_compile_template(RuleBuilder *builder, const ExprScope *scope, const char *text,
                          size_t length, Template *out, ExprError *error);

#endif
