#include "check/check_loc.h"

#include "support/hash.h"
#include "ir/module.h"
#include "support/diag.h"

static bool is_at(const void *owner, uint32_t number, const void *key)
{
    const Loc *a = &((const Module *)owner)->locs[number], *b = key;
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static uint32_t *find_loc_slot(const LocSet *set, const Module *m, uint32_t file, uint32_t line,
                               uint32_t column)
{
    uint64_t hash = ptx_hash_mix(((uint64_t)file << 40) ^ ((uint64_t)line << 12) ^ column);
    return ptx_hash_find(&set->table, (uint32_t)hash, is_at, m,
                         &(Loc){ .file = file, .line = line, .column = column });
}

/* All but the last: a location is not before itself. */
static void add_seen(LocSet *set, Arena *arena, const Module *m)
{
    if (ptx_hash_is_full(&set->table, m->loc_count)) {
        ptx_hash_init(&set->table, arena, 2 * (uint64_t)m->loc_count + 512);
        set->seen = 0;
    }
    for (uint32_t i = set->seen ? set->seen : 1; i + 1 < m->loc_count; i++)
        *find_loc_slot(set, m, m->locs[i].file, m->locs[i].line, m->locs[i].column) = i;
    set->seen = m->loc_count - 1;
}

void ptx_loc_check(LocSet *set, Arena *arena, DiagSink *diags, const Module *m, const AstLoc *ast)
{
    add_seen(set, arena, m);
    if (*find_loc_slot(set, m, ast->inlined_file, ast->inlined_line, ast->inlined_column))
        return;
    ptx_diag(diags, DIAG_UNDECLARED, ast->span,
             "no .loc before this one is at %u %u %u, where it is inlined",
             (unsigned)ast->inlined_file, (unsigned)ast->inlined_line,
             (unsigned)ast->inlined_column)
        ->help = "inlined_at names the place of a .loc that stands before it";
}

enum { LOOKED_AT = 4096 };      /* locations before it */

/* The nearest one before *at that stands there, what it was inlined into included; else the place
 * alone. */
static Loc find_outer(const Module *m, const Loc *inner, uint32_t floor, uint32_t *at)
{
    for (uint32_t i = *at; i-- > floor;) {
        const Loc *loc = &m->locs[i];
        if (loc->file != inner->inlined_file || loc->line != inner->inlined_line
            || loc->column != inner->inlined_column)
            continue;
        *at = i;
        return *loc;
    }
    return (Loc){ .file = inner->inlined_file,
                  .line = inner->inlined_line,
                  .column = inner->inlined_column };
}

uint32_t ptx_loc_chain(const Module *m, uint32_t at, Loc out[MAX_LOC_CHAIN])
{
    const uint32_t floor = at > LOOKED_AT ? at - LOOKED_AT : 1;
    uint32_t count = 1;
    for (out[0] = m->locs[at]; count < MAX_LOC_CHAIN && out[count - 1].inlined_line; count++)
        out[count] = find_outer(m, &out[count - 1], floor, &at);
    return count;
}
