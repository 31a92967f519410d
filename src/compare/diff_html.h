/* diff_html.h -- a diff as one page for a browser. */
#ifndef PTX_COMPARE_DIFF_HTML_H
#define PTX_COMPARE_DIFF_HTML_H

#include "report/report.h"

void ptx_diff_html(Out *out, const ptxlint_diff *d, const ptxlint_diff_options *options);

#endif
