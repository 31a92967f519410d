/* check.h -- options that do not go together, and words that a command lacks. */
#ifndef PTX_CLI_OPTIONS_CHECK_H
#define PTX_CLI_OPTIONS_CHECK_H

#include "cli/cli.h"

/* What each command cannot do without. */
Parsed ptx_options_check(const Options *options);

/* The command that is nearly word; NULL: none is. */
const char *ptx_nearest_command(const char *word);

/* Whether text, words with ", " between them, has the first length bytes of word among them. */
bool ptx_has_word(const char *text, const char *word, size_t length);

/* false, once the value is complained of. */
bool ptx_complain_value(const char *option, const char *value, const char *wanted);

#endif
