/* stale.h -- when a suppression is known to be unused: its rules were on,
 * and what it is about was analysed. */
#ifndef PTX_FINDINGS_STALE_H
#define PTX_FINDINGS_STALE_H

#include "findings/config.h"
#include "support/diag.h"

typedef struct Module Module;

/* All rules that the selector names; of several, previews that are off do not count. */
bool ptx_stale_has_rules(const ptxlint_config *config, const Selector *selector);

/* Whether rules have seen all of the module, and no finding was dropped. */
bool ptx_stale_is_known(const DiagSink *diags, const Module *module);

/* Marks entries of per-kernel-ignore and per-source-ignore in files that the module has kernels or
 * lines of. scratch is left as it was found. */
void ptx_stale_note_seen(Arena *scratch, const DiagSink *diags, const Module *module,
                         const ptxlint_config *config);

#endif
