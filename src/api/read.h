/* read.h -- the front end: text -> IR, by one thread or two. */
#ifndef PTX_API_READ_H
#define PTX_API_READ_H

#include "api/module.h"
#include "support/arena.h"

/* While a module is read: each item's AST; the tables of a function; what is gone at its end. */
typedef struct ReadArenas {
    Arena items, vectors, scratch;
    ArenaRegion region;         /* of these, and of the thread that analyses alone or first */
} ReadArenas;

/* Sets ir, and adds what is wrong to diags. Where there are threads to be had, one parses while the
 * other resolves what was parsed: what is found, and its order, is the same. Called under a guard
 * of the module's arena and these. */
void ptx_module_read(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas,
                     size_t limit);

#endif
