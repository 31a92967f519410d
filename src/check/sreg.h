/* sreg.h -- the special registers: their names, and what each needs. PTX ISA, "Special
 * Registers". */
#ifndef PTX_CHECK_SREG_H
#define PTX_CHECK_SREG_H

#include "ir/types.h"
#include "ir/sreg.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct SregInfo {
    const char *text;           /* without the % */
    uint8_t length;
    uint8_t type;               /* Type */
    uint8_t version;            /* first PTX version, 10 * major + minor */
    uint8_t sm;                 /* lowest target */
    /* mov takes it as an integer of so many bits up to the width of its type: 16 where early
     * versions had 16 */
    uint8_t narrow_bits;
    uint8_t vector;             /* 4: has .x .y .z .w */
    uint8_t number_count;       /* numbered 0 to number_count - 1; 0: no number */
} SregInfo;

extern const SregInfo ptx_sreg_info[SREG__COUNT];

/* name with the %, suffix with the dot; *component is 0 to 3 for .x .y .z .w. SREG_NONE: there is
 * none of that name. */
SregId ptx_sreg_find(const char *name, size_t length, const char *suffix, size_t suffix_length,
                     int64_t *component);

/* Whether mov (is_relaxed: cvt) takes it as a value of a type; vector: so many elements, 1 for a
 * component. */
bool ptx_sreg_fits(SregId sreg, Type wanted, bool is_relaxed);

#endif
