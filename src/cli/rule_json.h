/* rule_json.h -- a rule as JSON: an object of schema ptxlint-rules/1. NULL stands for no memory, as
 * everywhere in jansson. */
#ifndef PTX_CLI_RULE_JSON_H
#define PTX_CLI_RULE_JSON_H

#include "cli/cli.h"

#include <jansson.h>
#include <math.h>

json_t *ptx_rule_json(const ptxlint_rule *rule);

/* A document, with a line end; takes value, and marks out where it is NULL. */
void ptx_json_write(Text *out, json_t *value);

/* The members of each row as cells, under those of the first as a heading; RFC 4180. */
void ptx_json_csv(Text *out, const json_t *rows);

static inline json_t *ptx_text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* NaN is not known. */
static inline json_t *ptx_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static inline json_t *ptx_json_sizes(const int64_t size[3])
{
    return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

#endif
