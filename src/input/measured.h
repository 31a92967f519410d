/* measured.h -- times of launches that someone measured, as files have them. */
#ifndef PTX_INPUT_MEASURED_H
#define PTX_INPUT_MEASURED_H

#include "ptxlint/ptxlint.h"

#include <jansson.h>

typedef struct MeasuredRow {
    /* what it says of its launch: an entry of "launches" of a launch file, without globs */
    json_t *launch;
    const char *glob;           /* that fits the kernel's name alone; NULL: it has no name */
    ptxlint_measurement view;
} MeasuredRow;

struct ptxlint_measurements {
    json_t *rows, *globs;       /* arrays: what items point into */
    MeasuredRow *items;
    size_t count;
};

#endif
