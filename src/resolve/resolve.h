/* resolve.h -- items of the AST to the IR. */
#ifndef PTX_RESOLVE_RESOLVE_H
#define PTX_RESOLVE_RESOLVE_H

#include "ir/types.h"
#include "parser/ast.h"
#include "support/arena.h"
#include "support/diag.h"
#include <stddef.h>

typedef struct Lower Lower;
typedef struct OccurrenceLog OccurrenceLog;

/* Binds names and matches forms, item by item as the parser hands them out. The module is owned by
 * arena; vectors is the lowering's own until it is finished; scratch is left as it was found. */
Lower *ptx_lower_new(Arena *arena, Arena *vectors, Arena *scratch, DiagSink *diags,
                     const char *text, size_t length);
/* Where names stand is noted in log, which is empty but for its arena. */
void ptx_lower_log(Lower *lower, OccurrenceLog *log);
void ptx_lower_item(Lower *lower, const AstHeader *header, const AstItem *item);
Module *ptx_lower_finish(Lower *lower, const AstHeader *header);

#endif
