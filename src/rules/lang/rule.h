/* rule.h -- a rule in its compiled form: what the engine evaluates.
 *
 * Rules are data: files of rules/, read by load.c, their expressions compiled by compile.c. Those
 * of the tree are compiled when ptxlint is built (tools/gen_rules.c writes them as tables); a
 * user's are compiled by the same code at run time.
 *
 * Values are doubles. NaN is unknown, and three-valued logic (Kleene, "Introduction to
 * Metamathematics", 1952, section 64) goes on from there: a rule fires only where its condition is
 * true. A truth is 0 or 1, a word is its number in its domain.
 *
 * A condition is cut at its outermost `and`s into parts, and each part is evaluated as early as
 * what it asks for allows: once for an opcode text of the module, once for a kernel, or for the
 * subject itself. */
#ifndef PTX_RULES_LANG_RULE_H
#define PTX_RULES_LANG_RULE_H

#include "isa/isa.h"
#include "support/diag.h"

typedef enum Subject {
    SUBJECT_NONE,
    SUBJECT_MODULE,
    SUBJECT_VARIABLE,
    SUBJECT_KERNEL,
    SUBJECT_PARAMETER,
    SUBJECT_REGISTER,
    SUBJECT_BLOCK,
    SUBJECT_LOOP,
    SUBJECT_BRANCH,
    SUBJECT_INSTRUCTION,
    SUBJECT_ACCESS,
    SUBJECT__COUNT
} Subject;

/* What a name before the dot of a fact stands for: insn.space. */
typedef enum Scope {
    SCOPE_MODULE,
    SCOPE_GPU,
    SCOPE_KERNEL,
    SCOPE_VARIABLE,
    SCOPE_PARAMETER,
    SCOPE_REGISTER,
    SCOPE_BLOCK,
    SCOPE_LOOP,
    SCOPE_BRANCH,
    SCOPE_INSN,
    SCOPE_ACCESS,
    SCOPE__COUNT
} Scope;

typedef enum FactType { FACT_TRUTH, FACT_NUMBER, FACT_WORD, FACT_TEXT, FACT_PLACE } FactType;

/* Words that a fact may be: "global", "f32". */
typedef enum Domain {
    DOMAIN_NONE,
    DOMAIN_OPCODE,
    DOMAIN_SPACE,
    DOMAIN_TYPE,
    DOMAIN_CLASS,
    DOMAIN_LIMITER,
    DOMAIN_PATTERN,
    DOMAIN_UNIFORMITY,
    DOMAIN_PART,
    DOMAIN_PIPE,
    DOMAIN__COUNT
} Domain;

/* Exponents of the base units that a number is counted in; all 0: a plain number. A plain number
 * adapts to any unit in a sum, a comparison, an `in`, min and max; numbers of different units do
 * not meet there. */
typedef struct Unit {
    int8_t of[8];
} Unit;

typedef enum BaseUnit {
    UNIT_BYTES,
    UNIT_THREADS,
    UNIT_WARPS,
    UNIT_BLOCKS,
    UNIT_REGISTERS,
    UNIT_INSTRUCTIONS,
    UNIT_CYCLES,
    UNIT_PERCENT,
    UNIT__COUNT
} BaseUnit;

extern const char *const ptx_unit_text[UNIT__COUNT];    /* "bytes", ... */
/* "opcode", ...: what the words of a fact are */
extern const char *const ptx_domain_text[DOMAIN__COUNT];

/* When the value of a fact is the same. */
typedef enum Level {
    LEVEL_MODULE,               /* for the whole module (and its GPU) */
    LEVEL_OP,                   /* for all instructions of one text: opcode and modifiers */
    LEVEL_KERNEL,               /* for a function */
    LEVEL_SUBJECT,              /* for nothing larger than the subject */
    LEVEL__COUNT
} Level;

typedef enum FactId {
#define FT(scope, name, type, domain_or_unit, certainty, level, what) FACT_##scope##_##name,
#include "rules/lang/facts.def"
#undef FT
    FACT__COUNT                 /* figures of the GPU follow: FACT__COUNT + FigureId */
} FactId;

typedef struct FactInfo {
    const char *name;           /* "space", without the scope */
    const char *what;
    Unit unit;
    /* Scope, FactType, Domain, Certainty (NONE: comes with the value), Level */
    uint8_t scope, type, domain, certainty, level;
} FactInfo;

extern const FactInfo ptx_fact_info[FACT__COUNT];
extern const char *const ptx_scope_text[SCOPE__COUNT], *const ptx_subject_text[SUBJECT__COUNT];

/* Words of a domain by number from 0; NULL past the end, "" for a number that no word has. */
const char *ptx_domain_word(Domain domain, uint32_t number);

/* ---- expressions ----------------------------------------------------------------------------- */

typedef enum CodeKind {
    CODE_CONST,                 /* arg: into constants; pushes */
    CODE_FACT,                  /* arg: FactId or FACT__COUNT + FigureId; pushes */
    CODE_THRESHOLD,             /* arg: into the rule's thresholds; pushes */
    /* arg: into patterns; count of them: whether one fits the instruction; pushes */
    CODE_IS,
    /* arg: into constants; count of them: replaces the top by whether it is one of them */
    CODE_IN,
    CODE_ANY, CODE_ALL, CODE_COUNT,                     /* arg: into quantifiers; pushes */
    /* arg: into quantifiers; pushes */
    CODE_EVER_BEFORE, CODE_EVER_AFTER, CODE_ALWAYS_BEFORE, CODE_ALWAYS_AFTER,
    CODE_NOT, CODE_NEGATE, CODE_KNOWN,                  /* replace the top */
    CODE_FLOOR, CODE_CEIL, CODE_ROUND, CODE_ABS,
    /* take two, push one */
    CODE_ADD, CODE_SUB, CODE_MUL, CODE_DIV, CODE_MOD, CODE_MIN, CODE_MAX,
    CODE_EQ, CODE_NE, CODE_LT, CODE_LE, CODE_GT, CODE_GE,
    /* arg: index of the code to go on with where the top is 0 (1), from the program's first; count:
     * or unknown */
    CODE_AND_JUMP, CODE_OR_JUMP,
    CODE_AND, CODE_OR,                  /* take two, push one */
    CODE__COUNT
} CodeKind;

typedef struct Code {
    uint8_t kind;               /* CodeKind */
    uint8_t count;
    uint16_t arg;
} Code;

enum { CODE_STACK = 32 };       /* values at once; compile.c sees to it */

typedef struct Program {
    uint32_t first, count;      /* into RuleSet.codes; count 0: none */
} Program;

/* insn is "ld.global.v4": the opcode and, in any order and among others, these modifiers. */
typedef struct Pattern {
    OpcodeId opcode;
    /* into RuleSet.modifiers: indices into ptx_modifier_texts */
    uint16_t modifier_first, modifier_count;
} Pattern;

/* over: SUBJECT_INSTRUCTION, SUBJECT_LOOP, SUBJECT_ACCESS, SUBJECT_BRANCH, SUBJECT_PARAMETER of the
 * kernel. */
typedef struct Quantifier {
    Program predicate;
    uint8_t over;
    bool in_loop;               /* only those inside the loop in hand, inner loops included */
    /* Level of the predicate: LEVEL_OP needs no more than the opcode text */
    uint8_t level;
} Quantifier;

/* ---- rules ----------------------------------------------------------------------------------- */

/* Text with holes: text, then the value of program, then the next. */
typedef struct Hole {
    const char *text;           /* before it */
    Program program;            /* count 0: none; then after it */
    uint8_t type, domain;       /* FactType, Domain of the value */
    Unit unit;
    uint16_t fact;              /* FACT_TEXT: which; programs give numbers */
} Hole;

typedef struct Template {
    uint32_t first, count;      /* into RuleSet.holes; count 0: none */
} Template;

typedef struct Threshold {
    const char *name, *what;
    double value;
    Unit unit;
} Threshold;

typedef struct Example {
    const char *title;          /* "" where it has none */
    const char *bad, *good;     /* PTX: the rule fires on the first, and not on the second; NULL */
    const char *cuda_bad, *cuda_good;   /* NULL */
    const char *launch;         /* launch file for both; NULL */
    const char *gpu;            /* NULL: what .target says */
} Example;

/* NEST: a loop that no other is around */
typedef enum Fold { FOLD_LOOP, FOLD_NEST, FOLD_KERNEL, FOLD_NONE, FOLD_STATEMENT } Fold;

/* Whether the statement of the finding may go: it means nothing; or that is a guess. */
typedef enum Removal { REMOVAL_NONE, REMOVAL_SAFE, REMOVAL_UNSAFE } Removal;

/* what a rule's gain is a share of */
typedef enum GainOf { GAIN_OF_SLOTS, GAIN_OF_TIME } GainOf;

/* Of findings that are folded: gains add up; they overlap, and the largest counts; the time is
 * predicted anew without what all of them take too much (relief.h). */
typedef enum GainFold { GAIN_FOLD_SUM, GAIN_FOLD_MOST, GAIN_FOLD_TOGETHER } GainFold;

typedef struct Rule {
    DiagInfo info;              /* code, name, severity, group */
    /* Subject; Certainty: findings that are less certain are not made */
    uint8_t subject, needs;
    uint8_t fold, gain_of;      /* Fold, GainOf */
    uint8_t gain_fold;          /* GainFold */
    uint8_t removal;            /* Removal */
    bool is_preview;            /* off unless asked for */
    /* said by scanner, parser or lowering, or by a limit: no condition; here for its text */
    bool is_front_end;
    bool is_locked;             /* nothing suppresses it: syntax errors, limits */
    Program when[LEVEL__COUNT]; /* all must be true; count 0: nothing to ask */
    Program note_if;            /* where true the severity is note */
    Program gain;               /* percent, an estimate */
    Template message, label, help, related;
    /* FACT_PLACEs, FACT__COUNT: none. at: where the finding is, in place of the subject */
    uint16_t at, related_at;
    uint32_t threshold_first, threshold_count;  /* into RuleSet.thresholds */
    uint32_t example_first, example_count;      /* into RuleSet.examples */
    uint32_t source_first, source_count;        /* into RuleSet.sources */
    const char *summary, *doc;  /* one line; Markdown */
    const char *condition;      /* `when` as written */
} Rule;

typedef struct RuleSet {
    const Rule *rules;
    const Code *codes;
    const double *constants;
    const Pattern *patterns;
    const int16_t *modifiers;
    const Quantifier *quantifiers;
    const Hole *holes;
    const Threshold *thresholds;
    const Example *examples;
    const char *const *sources;
    uint32_t rule_count, code_count, constant_count, pattern_count, modifier_count,
        quantifier_count, hole_count, threshold_count, example_count, source_count;
} RuleSet;

/* Those of the tree, by code. */
extern const RuleSet ptx_rules;

#endif
