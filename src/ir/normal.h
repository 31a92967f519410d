/* normal.h -- statements without the names that compilers make anew at each change, so that one can
 * be found again.
 *
 * What is left of   @%p3 ld.global.f32 %f17, [%rd5+16]; // x   is   @%p ld.global.f32 %f, [%rd]   :
 *                   words that begin with % lose their digits
 * and those that begin with $ all but the $; other operands the digits at their end; a kernel's
 * parameter, and a variable of a function in C++, the function's name; an address the number that
 * is added; a branch the name of its target. Comments and blanks do not count. It is made from
 * text, so that it is there for statements that no form fits, too. */
#ifndef PTX_IR_NORMAL_H
#define PTX_IR_NORMAL_H

#include "support/span.h"

#include <stddef.h>
#include <stdint.h>

/* with the NUL: of a longer one the beginning, `#` and a hash of the rest */
enum { NORMAL_BYTES = 192 };

typedef struct Normal {
    char text[NORMAL_BYTES];
} Normal;

/* The statement around a byte of text: from the `;` or the line end before it to the one behind.
 * "": the header of a function, and no statement. offset <= length. */
Normal ptx_normal_statement(const char *text, size_t length, uint32_t offset);

/* A hash of all statements between the braces of a function, in order; declarations of registers,
 * labels, .loc and .pragma do not count. */
uint64_t ptx_normal_body(const char *text, Span func);

#endif
