/* isa.h -- the handle over forms of an instruction, for the two files that fill it: isa.c (forms)
 * and isa_rates.c (speed). */
#ifndef PTX_API_ISA_H
#define PTX_API_ISA_H

#include "isa/manual.h"
#include "ptxlint/ptxlint.h"

#include <pthread.h>

struct ptxlint_isa {
    Arena arena;                        /* all that the handle gives */
    Op op;                              /* what was asked for */
    ptxlint_isa_info info;
    /* only forms that the text is whole for, if it is for any */
    bool is_narrow;
    /* a table row of each of info.forms, the first of those that are like it */
    FormId *ids;
    /* once they are asked for */
    ptxlint_isa_sample *samples;
    size_t sample_count;
    bool has_samples;
    pthread_mutex_t lock;               /* of these */
    ptxlint_isa *own;                   /* the handle itself, of which others see a const one */
};

/* Whether the table lets a module for some variant of the target (sm_90: sm_90a too) have the
 * form. */
bool ptx_isa_gpu_has_form(Target target, FormId form);

/* Fills samples. */
void ptx_isa_find_samples(ptxlint_isa *isa);

#endif
