/* pointer.h -- which of a kernel's parameters are pointers: their value, or it and what is added to
 * it, is an address that is accessed or handed on. */
#ifndef PTX_ANALYSIS_VALUE_POINTER_H
#define PTX_ANALYSIS_VALUE_POINTER_H

#include "ir/types.h"
#include "support/arena.h"

enum { MAX_POINTERS = 64 };

/* A bit for each of the first POINTERS_MOST parameters. arena is left as found. */
uint64_t ptx_pointers_compute(Arena *arena, const Module *module, const Func *func);

#endif
