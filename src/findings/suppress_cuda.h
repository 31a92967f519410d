/* suppress_cuda.h -- findings that comments in CUDA sources suppress.
 *
 *     // ptxlint: ignore[RULE, RULE] reason     the line, or else the statement that follows
 *     // ptxlint: ignore-kernel[RULE] reason    the kernel around it, or else the next one
 *     // ptxlint: ignore-file[RULE] reason
 *
 * A finding is of the line that .loc names, and of those that it was inlined into; one about a
 * kernel as a whole is of the kernel's first line. What is in instances of one template is in all
 * of them. A comment of a code that is in no kernel of its own is not of a kernel. */
#ifndef PTX_FINDINGS_SUPPRESS_CUDA_H
#define PTX_FINDINGS_SUPPRESS_CUDA_H

#include "findings/config.h"
#include "findings/source_book.h"
#include "ir/types.h"
#include "support/diag.h"

typedef struct Module Module;

/* Between ptx_suppress and ptx_diag_finish. Sets Diag.suppression and Diag.reason, and the states
 * of names in the book. path: of the PTX, as given. Results are owned by arena, scratch is left as
 * it was found. */
void ptx_suppress_cuda(Arena *scratch, DiagSink *diags, const Module *module, const char *path,
                       const ptxlint_config *config, ptxlint_sources *book);

/* SUP102 of names that are no rules and comments that are malformed, SUP101 of names that suppress
 * nothing in any module so far; the spans are in the file's text. */
void ptx_suppress_cuda_unused(DiagSink *diags, const BookFile *file, const ptxlint_config *config);

#endif
