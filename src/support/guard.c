#include "support/guard.h"

/* Apart from what saves and restores: no local changes after setjmp. */
static bool run_or_return(jmp_buf *on_failure, GuardedFn fn, void *context)
{
    if (setjmp(*on_failure))
        return false;
    fn(context);
    return true;
}

bool ptx_run_guarded(Arena *const arenas[GUARD_ARENAS_MAX], GuardedFn fn, void *context)
{
    jmp_buf on_failure, *outer[GUARD_ARENAS_MAX] = { 0 };
    for (int i = 0; i < GUARD_ARENAS_MAX && arenas[i]; i++) {
        outer[i] = arenas[i]->on_failure;
        arenas[i]->on_failure = &on_failure;
    }
    bool is_complete = run_or_return(&on_failure, fn, context);
    for (int i = 0; i < GUARD_ARENAS_MAX && arenas[i]; i++)
        arenas[i]->on_failure = outer[i];
    return is_complete;
}

bool ptx_run_guarded_in(Arena *arena, GuardedFn fn, void *context)
{
    Arena *const arenas[GUARD_ARENAS_MAX] = { arena };
    return ptx_run_guarded(arenas, fn, context);
}

bool ptx_run_guarded_with(Arena *kept, Arena *scratch, size_t limit, GuardedFn fn, void *context)
{
    Arena *const arenas[GUARD_ARENAS_MAX] = { kept, scratch };
    ptx_arena_init(kept, limit, NULL);
    ptx_arena_init(scratch, limit, NULL);
    const bool is_complete = ptx_run_guarded(arenas, fn, context);
    ptx_arena_free(scratch);
    return is_complete;
}
