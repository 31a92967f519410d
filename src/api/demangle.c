/* demangle.c -- names of C++ and Rust as their sources have them, by libiberty. */
#include "ptxlint/ptxlint.h"

#include <libiberty/demangle.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MANGLED = 4096 }; /* libiberty's time grows with what a name repeats */

size_t ptxlint_demangle(const char *name, char *out, size_t size)
{
    char *text = NULL;
    if (name && (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
        && strlen(name) <= LONGEST_MANGLED)
        text = name[1] == 'R' ? rust_demangle(name, DMGL_PARAMS)
                              : cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
    size_t length = text ? strlen(text) : 0;
    if (size)
        snprintf(out, size, "%s", text ? text : "");
    free(text);
    return length;
}
