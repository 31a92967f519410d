/* register_grants.h -- what setmaxnreg asks for.
 *
 * ptxas 13.0 was asked with some fifty kernels, sm_90a. Where .maxnreg, or .minnctapersm beside a
 * bound on threads, says how many registers a thread begins with, a kernel takes as many as the
 * largest setmaxnreg.inc asks for, at most those; with setmaxnreg.dec alone it takes those. It
 * ignores all of them where code behind a setmaxnreg.dec needs more than that leaves. */
#ifndef PTX_ANALYSIS_REGISTERS_REGISTER_GRANTS_H
#define PTX_ANALYSIS_REGISTERS_REGISTER_GRANTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Arena Arena;
typedef struct Cfg Cfg;
typedef struct Func Func;

typedef struct RegisterGrants {
    bool is_asked;              /* there is a setmaxnreg */
    uint32_t most;              /* that a setmaxnreg.inc asks for; 0: there is none */
    bool releases;              /* there is a setmaxnreg.dec */
} RegisterGrants;

RegisterGrants ptx_register_grants_find(const Func *func);

/* Per block: the fewest registers that a setmaxnreg.dec before it leaves, with no other between
 * them; 0: there is none. Of the block where it stands nothing is said. Owned by arena. */
const uint16_t *ptx_register_grants_reach(Arena *arena, const Func *func, const Cfg *cfg);

#endif
