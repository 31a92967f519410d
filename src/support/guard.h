/* guard.h -- where memory that runs out is caught: of all that modules do. */
#ifndef PTX_SUPPORT_GUARD_H
#define PTX_SUPPORT_GUARD_H

#include "support/arena.h"

enum { GUARD_ARENAS_MAX = 6 };

typedef void (*GuardedFn)(void *context);

/* Runs fn. False: one of the arenas was exhausted, and fn did not return. Unused entries are NULL.
 * Afterwards on_failure of each is what it was, so guards nest. */
bool ptx_run_guarded(Arena *const arenas[GUARD_ARENAS_MAX], GuardedFn fn, void *context);

/* The same for one arena. */
bool ptx_run_guarded_in(Arena *arena, GuardedFn fn, void *context);

/* The same for what is kept and for a scratch of as many bytes at most: both are begun here, and
 * the scratch is freed. */
bool ptx_run_guarded_with(Arena *kept, Arena *scratch, size_t limit, GuardedFn fn, void *context);

#endif
