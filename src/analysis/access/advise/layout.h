/* layout.h -- what the requests of a trace cost where their bytes lie otherwise. */
#ifndef PTX_ANALYSIS_ACCESS_ADVISE_LAYOUT_H
#define PTX_ANALYSIS_ACCESS_ADVISE_LAYOUT_H

#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/trace.h"
#include "analysis/sim/request.h"
#include "ir/types.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Trace Trace;
typedef struct Traced Traced;
typedef struct TracedAccess TracedAccess;

enum {
    MAX_ACCESSES = 256,        /* to one array */
    MATRIX_ROW = 16,            /* bytes of one lane's address */
};

/* Bytes that some accesses touch, and no others. */
typedef struct Array {
    const Trace *trace;
    Space space;                /* SPACE_SHARED: costs are wavefronts; SPACE_GLOBAL: sectors */
    VarId var;                  /* in shared memory, or the parameter that points there */
    uint64_t start, end;        /* of the variable; start: where the parameter points */
    uint64_t low, high;         /* that are touched */
    const TracedAccess *accesses[MAX_ACCESSES];
    double before[MAX_ACCESSES];       /* cost of all requests */
    double ideal[MAX_ACCESSES];
    uint32_t count;
    uint32_t widest;            /* bytes of one lane; of accesses that no warp came to as well */
} Array;

/* The best so far. */
typedef struct Best {
    Layout layout;
    double total;
} Best;

static inline uint32_t ptx_traced_bytes(const Traced *r)
{
    return r->request.kind == REQUEST_MATRIX ? MATRIX_ROW : r->request.bytes;
}

/* Adds an access and what it costs as it is; false: there are too many. */
bool ptx_array_add(Array *array, const TracedAccess *access);

/* As things are. */
double ptx_array_total(const Array *array);

/* Takes the layout if all accesses together cost less by it and none more, or as much and it takes
 * less room. */
void ptx_layout_try(const Array *array, const Layout *layout, Best *best);

/* Where the byte at an offset from the origin would lie, from there. */
uint64_t ptx_layout_move(const Layout *layout, uint64_t offset);

uint64_t ptx_layout_more_bytes(const Array *array, const Layout *layout);

/* Figures before and after; false where all accesses together cost more than `share` of before, or
 * the one in hand more than half and not the least. */
bool ptx_layout_weigh(const Array *array, const TracedAccess *access, const Best *best,
                      double share, Proposal *out);

/* Where rows of so many bytes begin. */
uint64_t ptx_array_origin(const Array *array, uint32_t pitch);

#endif
