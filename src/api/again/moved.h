/* moved.h -- findings of a function, said of the same code at another place. */
#ifndef PTX_API_MOVED_H
#define PTX_API_MOVED_H

#include "ir/func.h"
#include "ir/module.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The line that a function begins in. */
static inline uint32_t ptx_func_line(const Module *module, FuncId func)
{
    return ptx_line_of(module, module->funcs[func].span.begin);
}

/* From a place of the text on, places move by so many bytes. */
typedef struct TextShift {
    uint32_t from;
    int64_t bytes;
} TextShift;

/* Into an arena, or a piece of memory, or only counted. */
typedef struct FindingMover {
    Arena *arena;
    char *piece;                /* without an arena; NULL: counted only */
    size_t used;
    int64_t bytes, lines;       /* that places move by */
    const TextShift *shifts;    /* in place of bytes, from the first of them on; ascending */
    uint32_t shift_count;
} FindingMover;

DiagSink ptx_move_findings(FindingMover *mover, const DiagSink *from);

/* What came since; the diagnostics stay where they are. */
DiagSink ptx_findings_since(const DiagSink *sink, const DiagSink *before);

/* Some text of it names a line of the PTX. */
bool ptx_finding_names_line(const Diag *diag);

/* All that it points to lies in the function. */
bool ptx_finding_is_within(Span func, const Diag *diag);

#endif
