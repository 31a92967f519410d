/* diff_json.h -- what the documents of a diff share, and the one for programs. */
#ifndef PTX_COMPARE_DIFF_JSON_H
#define PTX_COMPARE_DIFF_JSON_H

#include "compare/diff.h"

/* Instructions of class number index of the new kernel; both are there. */
Change ptx_pair_class(const Pair *pair, uint32_t index);

void ptx_diff_json(Out *out, const ptxlint_diff *diff, const ptxlint_diff_options *options);

#endif
