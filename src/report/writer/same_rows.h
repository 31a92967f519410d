/* same_rows.h -- kernels with the same code in a JSON report: what was written of the first is
 * written of the others too, with their names, lines and labels in place of its own.
 *
 * Rows that say more of the first alone, by its name in other forms or by lines in sentences, are
 * not kept. */
#ifndef PTX_REPORT_WRITER_SAME_ROWS_H
#define PTX_REPORT_WRITER_SAME_ROWS_H

#include "report/report.h"

typedef struct SameRow SameRow;

typedef struct SameRows {
    SameRow *items;
    size_t count, capacity;
} SameRows;

/* Takes the text of a kernel's row, which others with its code follow. */
void ptx_same_rows_keep(SameRows *rows, const ptxlint_module *module, const ptxlint_kernel *kernel,
                        Buffer *text);

/* Whether first was kept, and nothing but names, lines and labels would differ in the kernel's. */
bool ptx_same_rows_have(const SameRows *rows, const ptxlint_module *module,
                        const ptxlint_kernel *kernel, const ptxlint_kernel *first);

/* Then: that row as the kernel's; forgotten after its last. */
void ptx_same_rows_put(SameRows *rows, Out *out, const ptxlint_module *module,
                       const ptxlint_kernel *kernel, const ptxlint_kernel *first);

/* All of them are forgotten; rows may take others. */
void ptx_same_rows_free(SameRows *rows);

#endif
