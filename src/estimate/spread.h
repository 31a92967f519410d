/* spread.h -- over how many bytes an access may reach whose address hangs on data.
 *
 * What is loaded lies within its type; masks, shifts, remainders and fields narrow that, products with constants widen it. The definitions are walked in
 * the order of the text, a few times: a register of several holds what the walk before found of them, and anything where that still grows. */
#ifndef PTX_ESTIMATE_SPREAD_H
#define PTX_ESTIMATE_SPREAD_H

#include "ir/ir.h"
#include "support/arena.h"

/* Per instruction that accesses memory: bytes from the first to the last that data may lead it to; infinite: not known. Owned by arena; scratch is left as found. */
const double *ptx_spread_compute(Arena *arena, Arena *scratch, const Func *func);

#endif
