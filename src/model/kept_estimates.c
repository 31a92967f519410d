#include "model/kept_estimates.h"

#include "ir/func.h"
#include "ir/module.h"
#include "support/hash.h"

#include <string.h>

enum { KEPT_ESTIMATES = 16 };           /* a power of two */

typedef struct KeptEstimate {
    EstimateKey key;            /* length 0: nothing is kept here */
    ptxlint_estimated estimated;
} KeptEstimate;

/* By hash: the last ones. */
struct KeptEstimates {
    KeptEstimate items[KEPT_ESTIMATES];
};

/* False: there is no room. */
static bool add_to_key(EstimateKey *key, const void *bytes, uint64_t length)
{
    const bool has_room = length <= MAX_ESTIMATE_KEY - key->length;
    if (has_room && length)
        memcpy(key->bytes + key->length, bytes, length);
    key->length += has_room ? (uint32_t)length : 0;
    return has_room;
}

/* A pointer is no number. */
static bool add_param_to_key(EstimateKey *key, const Module *module, VarId param, const void *bytes)
{
    const uint8_t is_given = param != NO_ID && bytes;
    return add_to_key(key, &is_given, sizeof is_given)
           && (!is_given || add_to_key(key, bytes, module->vars[param].bytes));
}

void ptx_estimate_key(const Module *module, FuncId kernel, size_t gpu, const ptxlint_trial *trial,
                      EstimateKey *out)
{
    const Func *func = &module->funcs[kernel];
    const int64_t numbers[] = { kernel, (int64_t)gpu, trial->grid[0], trial->grid[1],
                                trial->grid[2], trial->block[0], trial->block[1], trial->block[2],
                                trial->dynamic_shared_bytes, trial->max_registers, trial->steps,
                                trial->params ? (int64_t)trial->param_count : -1 };
    out->length = 0;
    bool has_room = add_to_key(out, numbers, sizeof numbers);
    for (uint32_t p = 0;
         trial->params && p < trial->param_count && p < func->param_count && has_room; p++)
        has_room = add_param_to_key(out, module, func->params[p], trial->params[p]);
    out->length = has_room ? out->length : 0;
}

KeptEstimates *ptx_kept_estimates_new(Arena *arena)
{
    return ptx_arena_new(arena, KeptEstimates);
}

static size_t item_of_key(const EstimateKey *key)
{
    return ptx_hash_bytes((const char *)key->bytes, key->length) & (KEPT_ESTIMATES - 1);
}

bool ptx_kept_estimates_find(const KeptEstimates *kept, const EstimateKey *key,
                             ptxlint_estimated *out)
{
    const KeptEstimate *item = &kept->items[item_of_key(key)];
    const bool is_kept = key->length && item->key.length == key->length
                         && !memcmp(item->key.bytes, key->bytes, key->length);
    if (is_kept)
        *out = item->estimated;
    return is_kept;
}

void ptx_kept_estimates_add(KeptEstimates *kept, const EstimateKey *key,
                            const ptxlint_estimated *estimated)
{
    if (key->length)
        kept->items[item_of_key(key)] = (KeptEstimate){ *key, *estimated };
}
