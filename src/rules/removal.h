/* removal.h -- the bytes that go where a statement, a declaration or a comment is removed. */
#ifndef PTX_RULES_REMOVAL_H
#define PTX_RULES_REMOVAL_H

#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

/* span, and its lines where nothing else stands on them; else the blanks on its one side. */
Span ptx_removal_widen(const char *text, uint32_t length, Span span);

/* The declaration of the variable or register whose name span is. False: it declares more, has an
 * initialiser, or is not written in one line of its own. */
bool ptx_removal_find_declaration(const char *text, uint32_t length, Span *span);

#endif
