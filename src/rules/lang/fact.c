/* fact.c -- the dictionary of the rule language as tables. */
#include "rules/lang/rule.h"

#include "gpu/occupancy.h"

const char *const ptx_unit_text[UNIT__COUNT] = { "bytes",     "threads",      "warps",  "blocks",
                                                 "registers", "instructions", "cycles", "percent" };

const char *const ptx_scope_text[SCOPE__COUNT] = { "module",    "gpu",      "kernel", "variable",
                                                   "parameter", "register", "block",  "loop",
                                                   "branch",    "insn",     "access" };

const char *const ptx_subject_text[SUBJECT__COUNT] = {
    "",      "module", "variable", "kernel",      "parameter", "register",
    "block", "loop",   "branch",   "instruction", "access"
};

#define UNIT_IS_ONE { { 0 } }
#define UNIT_IS_BYTES { { [UNIT_BYTES] = 1 } }
#define UNIT_IS_THREADS { { [UNIT_THREADS] = 1 } }
#define UNIT_IS_WARPS { { [UNIT_WARPS] = 1 } }
#define UNIT_IS_BLOCKS { { [UNIT_BLOCKS] = 1 } }
#define UNIT_IS_REGISTERS { { [UNIT_REGISTERS] = 1 } }
#define UNIT_IS_INSTRUCTIONS { { [UNIT_INSTRUCTIONS] = 1 } }
#define UNIT_IS_CYCLES { { [UNIT_CYCLES] = 1 } }
#define UNIT_IS_PERCENT { { [UNIT_PERCENT] = 1 } }

#define FACT_IS_TRUTH(unit) UNIT_IS_##unit, DOMAIN_NONE
#define FACT_IS_NUMBER(unit) UNIT_IS_##unit, DOMAIN_NONE
#define FACT_IS_TEXT(unit) UNIT_IS_##unit, DOMAIN_NONE
#define FACT_IS_PLACE(unit) UNIT_IS_##unit, DOMAIN_NONE
#define FACT_IS_WORD(domain) UNIT_IS_ONE, DOMAIN_##domain

#define ROW(name, what, unit_and_domain, ...) ROW_OF(name, what, unit_and_domain, __VA_ARGS__)
#define ROW_OF(name, what, unit_, domain_, scope_, type_, certainty_, level_) \
    { name, what, unit_, .scope = scope_, .type = type_, .domain = domain_, .certainty = certainty_, .level = level_ }

const FactInfo ptx_fact_info[FACT__COUNT] = {
#define FT(scope, name, type, domain_or_unit, certainty, level, what)                         \
    [FACT_##scope##_##name] = ROW(#name, what, FACT_IS_##type(domain_or_unit), SCOPE_##scope, \
                                  FACT_##type, CERTAINTY_##certainty, LEVEL_##level),
#include "rules/lang/facts.def"
#undef FT
};

static const char *const pattern_texts[] = {
    "",
#define PN(id, text, what) text,
#include "analysis/sim/patterns.def"
#undef PN
};

static const char *const uniformity_texts[] = {
    "",
#define UF(id, public, text, what) text,
#include "analysis/value/uniformity.def"
#undef UF
};

static const char *const part_texts[] = {
    "",
#define TP(id, key, what, advice) key,
#include "analysis/time/parts.def"
#undef TP
};

static const char *const pipe_texts[] = {
    "",
#define PI(id, key, what) key,
#include "gpu/pipes.def"
#undef PI
    "constant",
};

/* The first of these is "none", which is written as nothing. */
static bool starts_with_none(Domain domain)
{
    return domain == DOMAIN_OPCODE || domain == DOMAIN_SPACE || domain == DOMAIN_TYPE
           || domain == DOMAIN_CLASS;
}

const char *ptx_domain_word(Domain domain, uint32_t number)
{
    if (!number && starts_with_none(domain))
        return "";
    switch (domain) {
    case DOMAIN_OPCODE:
        return number >= ptx_opcode_count ? NULL : ptx_opcode_info[number].text;
    case DOMAIN_SPACE:
        return number >= SPACE__COUNT ? NULL : ptx_space_text[number];
    case DOMAIN_TYPE:
        return number >= TYPE__COUNT ? NULL : ptx_type_info[number].text;
    case DOMAIN_CLASS:
        return number >= CLASS__COUNT ? NULL : ptx_class_info[number].text;
    case DOMAIN_PATTERN:
        return number >= sizeof pattern_texts / sizeof *pattern_texts ? NULL
                                                                      : pattern_texts[number];
    case DOMAIN_UNIFORMITY:
        return number >= sizeof uniformity_texts / sizeof *uniformity_texts
                   ? NULL
                   : uniformity_texts[number];
    case DOMAIN_PART:
        return number >= sizeof part_texts / sizeof *part_texts ? NULL : part_texts[number];
    case DOMAIN_PIPE:
        return number >= sizeof pipe_texts / sizeof *pipe_texts ? NULL : pipe_texts[number];
    case DOMAIN_LIMITER:
        return number >= LIMITER__COUNT ? NULL : ptx_limiter_text[number];
    default:
        return NULL;
    }
}
