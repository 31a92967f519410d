/* symbolic_build.h -- how symbolic.c and symbolic_operations.c make nodes. Private to this
 * folder. */
#ifndef PTX_ANALYSIS_VALUE_SYMBOLIC_BUILD_H
#define PTX_ANALYSIS_VALUE_SYMBOLIC_BUILD_H

#include "analysis/value/symbolic.h"

enum { MAX_TERMS = 12 };        /* of a sum; addresses of compilers have up to six */

/* The node with these operands; terms are a sum's. Leaves bring scope, uses and range. */
SymId ptx_sym_intern(Symbols *symbols, Sym sym, const SymTerm *terms);

SymId ptx_sym_make(Symbols *symbols, SymKind kind, unsigned width, SymId a, SymId b);
/* Of an operation that commutes: one node for both orders. */
SymId ptx_sym_make_sorted(Symbols *symbols, SymKind kind, unsigned width, SymId a, SymId b);

typedef struct SymbolicLinear {
    uint64_t constant;
    uint32_t count;
    SymTerm terms[MAX_TERMS];  /* ascending by atom */
} SymbolicLinear;

/* Terms beyond count are not set: sums are made all the time. */
void ptx_sym_linear(const Symbols *symbols, SymId id, SymbolicLinear *out);

/* a + factor * b */
SymId ptx_sym_add_scaled(Symbols *symbols, SymId a, SymId b, uint64_t factor);

#endif
