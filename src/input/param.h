/* param.h -- a kernel's parameter, from JSON or the command line to the bytes that the kernel
 * gets. */
#ifndef PTX_INPUT_PARAM_H
#define PTX_INPUT_PARAM_H

#include "analysis/value/launch.h"
#include "ir/types.h"
#include "support/arena.h"

#include <jansson.h>

/* What a parameter's value may be, for messages. */
extern const char ptx_param_wanted[];

/* What {"data": WORD} may say, and --param n=@WORD; NULL behind the last. */
extern const char *const ptx_locality_words[];

/* LOCALITY_UNKNOWN: it says nothing of where the array's indices lie. */
Locality ptx_param_locality(const json_t *value);

/* Bytes from the pointer to the end of its allocation; 0: it does not say. */
uint64_t ptx_param_allocated(const json_t *value);

/* As docs/report.md has it: a number, null, {"bytes": "hex"}, {"data": "sorted"}; also text that
 * holds a number, for those of 64 bits. */
bool ptx_param_is(const json_t *value);

/* null or {"data": "sorted"}: a pointer, if the parameter is one. value may be NULL. */
bool ptx_param_may_point(const json_t *value);

/* These are a pointer where the parameter has its size and is used as one. */
bool ptx_param_is_pointer(const Var *var, uint32_t address_size, uint64_t pointers,
                          uint32_t position);

/* The same from a single setting, a number or JSON; NULL: neither. New reference. */
json_t *ptx_param_parse(const char *text);

/* Decimal digits, or hexadecimal ones after 0x; below 2^64. */
bool ptx_digits_read(const char *text, uint64_t *out);

/* Whether value, for which ptx_param_is holds, can be one of var: it has its size, its range. null
 * and {"data": "sorted"} fit all. */
bool ptx_param_fits(const Var *var, const json_t *value);

/* value, for which ptx_param_is holds, in the type of var. A pointer, and what does not fit it,
 * leaves *out, zeroed, as it is: unknown. */
void ptx_param_build(Arena *arena, const Var *var, const json_t *value, LaunchParam *out);

#endif
