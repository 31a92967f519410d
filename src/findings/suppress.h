/* suppress.h -- findings that the user has suppressed: by comments in the PTX, and by the config
 * for kernels, CUDA lines and files.
 *
 *     // ptxlint: ignore[RULE, RULE] reason       the statement on its line, or else the next one
 *     // ptxlint: ignore-kernel[RULE] reason      the function around it, or else the next one
 *     // ptxlint: ignore-file[RULE] reason
 *
 * The narrowest comment that names a finding's rule suppresses it, of equals the first; then the
 * config has its turn. What the front end says, or a limit, is never suppressed. An unused comment
 * is a finding itself (SUP101) where that can be known: its rules are enabled, no finding was
 * dropped, and the code there was analysed. Previews that are off do not count in ALL, groups and
 * prefixes. SUP101 and SUP102 are suppressed by comments that name them, and not by ALL there. */
#ifndef PTX_FINDINGS_SUPPRESS_H
#define PTX_FINDINGS_SUPPRESS_H

#include "findings/config.h"
#include "compare/baseline.h"
#include "ir/types.h"

/* To be called when all findings are in diags, before ptx_diag_finish, and only where the rules did
 * run: sets Diag.suppression and Diag.reason, adds SUP101 and SUP102. path: of the PTX, as given.
 * config: not NULL. Results are owned by arena, scratch is left as it was found. */
void ptx_suppress(Arena *arena, Arena *scratch, DiagSink *diags, const Module *module,
                  const char *path, const ptxlint_config *config);

/* After that, and also where only the front end has run: what the baseline knows. */
void ptx_suppress_known(Arena *scratch, DiagSink *diags, const Module *module,
                        const ptxlint_baseline *baseline);

#endif
