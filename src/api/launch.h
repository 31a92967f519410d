/* launch.h -- the launch file: JSON, documented in docs/report.md. */
#ifndef PTX_API_LAUNCH_H
#define PTX_API_LAUNCH_H

#include "ptxlint/ptxlint.h"

#include <stdbool.h>

/* What the file says of a kernel; false where it does not name it. Keys that are absent stay as they are in *launch. */
bool ptx_launch_find(const ptxlint_launches *launches, const char *kernel, ptxlint_launch *launch);

#endif
