/* serial_products.h -- whether ptxas makes a warp wait for each asynchronous matrix product.
 *
 * wgmma.mma_async goes on while the warp does other things, until wgmma.wait_group. ptxas gives
 * this up, and says so (C7515), where something else than a product writes a product's accumulators
 * while others may be under way: of kernels that Triton wrote for sm_90a, where a way around the
 * loop sets them to 0 and meets the loop's end before all products are waited for. Set before the
 * ways part, or with all products waited for in the loop, they are none [1].
 * [1] ptxas of CUDA 13.0, all 32 of 272 kernels with products that it says so of, and no other */
#ifndef PTX_ANALYSIS_SASS_SERIAL_PRODUCTS_H
#define PTX_ANALYSIS_SASS_SERIAL_PRODUCTS_H

#include "analysis/flow/types.h"

#include <stdbool.h>

typedef struct Arena Arena;
typedef struct Defs Defs;

/* Linear in the function. scratch is left as found. */
bool ptx_products_are_serial(Arena *scratch, const Func *func, const Cfg *cfg, const Dom *dom,
                             const Defs *defs);

#endif
