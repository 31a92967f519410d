/* kept_estimates.h -- what estimates came to: a launch that is asked for once more, of the same
 * kernel on the same GPU, is answered at once. */
#ifndef PTX_MODEL_KEPT_ESTIMATES_H
#define PTX_MODEL_KEPT_ESTIMATES_H

#include "ptxlint/ptxlint.h"

#include "ir/types.h"
#include "support/arena.h"

typedef struct KeptEstimates KeptEstimates;

enum { MAX_ESTIMATE_KEY = 256 };

/* All that an estimate of a module rests on. */
typedef struct EstimateKey {
    uint32_t length;            /* of bytes; 0: too long to be kept */
    uint8_t bytes[MAX_ESTIMATE_KEY];
} EstimateKey;

/* What takes too long to be kept has no key. */
void ptx_estimate_key(const Module *module, FuncId kernel, size_t gpu, const ptxlint_trial *trial,
                      EstimateKey *out);

KeptEstimates *ptx_kept_estimates_new(Arena *arena);

/* False: it was not kept, or another has its place by now. */
bool ptx_kept_estimates_find(const KeptEstimates *kept, const EstimateKey *key,
                             ptxlint_estimated *out);
void ptx_kept_estimates_add(KeptEstimates *kept, const EstimateKey *key,
                            const ptxlint_estimated *estimated);

#endif
