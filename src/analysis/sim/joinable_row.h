/* joinable_row.h -- accesses of shared memory that stand side by side, and become one. */
#ifndef PTX_ANALYSIS_SIM_JOINABLE_ROW_H
#define PTX_ANALYSIS_SIM_JOINABLE_ROW_H

#include <stdint.h>

enum { WIDEST_ACCESS_BYTES = 16 };

/* What lies right before and right behind an access, by others of its size and kind from one base,
 * with no barrier and no access of the other kind between: bytes, at most those of a vector. */
typedef struct JoinableRow {
    uint8_t before, behind;
    uint8_t widest;             /* bytes that ptxas can prove to be aligned */
} JoinableRow;

#endif
