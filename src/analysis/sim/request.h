/* request.h -- what a warp asks of memory at once: which lanes, at which addresses, how. */
#ifndef PTX_ANALYSIS_SIM_REQUEST_H
#define PTX_ANALYSIS_SIM_REQUEST_H

#include "analysis/sim/count.h"
#include "analysis/sim/value.h"
#include "isa/isa.h"
#include "support/diag.h"

/* bytes: no model distinguishes addresses that lie so far from each other */
enum { LINE_MASK = 127, PERIOD = 256 };

/* What pointer parameters lead to lies that far apart: more than 2^31 blocks or iterations touch of
 * one array, and the last of 8,192 parameters keeps clear of the bits of ptx_request_place. */
enum { ARRAY_SHIFT = 46 };

typedef enum RequestKind {
    REQUEST_LOAD,
    REQUEST_STORE,
    REQUEST_ATOMIC,
    REQUEST_CAS,
    REQUEST_INCREMENT,
    REQUEST_SPIN,
    REQUEST_COPY,
    REQUEST_MATRIX
} RequestKind;

/* addresses: of each lane; lanes: those that take part. */
typedef struct Request {
    const uint64_t *addresses;
    uint32_t lanes, bytes;
    uint8_t kind;               /* RequestKind */
    uint8_t matrices;           /* of REQUEST_MATRIX: 1, 2, 4 */
    uint8_t bank_bytes;         /* as Launch.bank_bytes */
    /* past L1: ld.cg, ld.cv, ld.global.nc where that has its own cache */
    bool is_uncached;
    /* Of REQUEST_COPY on its shared side: */
    const uint64_t *from;       /* addresses in global memory; NULL: not known */
    uint32_t reading;           /* the lanes that read any byte */
    bool is_part;               /* some lane reads fewer bytes than it writes */
    bool is_empty;              /* by its text: a size of 0 */
} Request;

enum { TENSOR_DIMS = 5 };

/* Which bytes of global memory a bulk copy moves. One by address has its size beside it. One by
 * tensor map moves a box: of that the map says where it lies, and coordinates which. A kernel that
 * makes its maps (tensormap.replace) says all of it; of a map that the host made nothing is known
 * but which boxes are the same. Elements beyond the tensor are taken to be there. PTX ISA,
 * "Tensors" and "tensormap.replace". */
typedef struct BulkBox {
    uint64_t first;             /* the address of its first row */
    int64_t shift[3];           /* by how much that moves from a block to the next */
    uint64_t stride[TENSOR_DIMS];       /* bytes, from a row to the next in each dimension */
    uint32_t count[TENSOR_DIMS];        /* rows in each; [0]: bytes of a row */
    bool is_store;
    /* where, and how many bytes, is not known: of one map, first is another for each box */
    bool is_placeless;
    bool is_of_block;           /* its size, or its map, is another in other blocks */
} BulkBox;

/* An address without the bits that encode its space. */
static inline uint64_t ptx_request_place(uint64_t address)
{
    return address & ~(UINT64_C(7) << 60);
}

/* Addresses without these. */
static inline void ptx_value_places(const Value *address, uint64_t out[WARP_LANES])
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        out[i] = ptx_request_place(address->lanes ? address->lanes[i] : address->all);
}

/* All lanes lie as far from the one before. */
static inline bool ptx_places_have_step(const uint64_t places[WARP_LANES], uint64_t *step)
{
    uint64_t other = 0;
    *step = places[1] - places[0];
    for (unsigned i = 1; i < WARP_LANES; i++)
        other |= (places[i] - places[i - 1]) ^ *step;
    return !other;
}

/* Behind it, or at the same place. */
static inline bool ptx_places_are_even(const uint64_t places[WARP_LANES], uint64_t *step)
{
    return ptx_places_have_step(places, step) && places[0] <= places[WARP_LANES - 1];
}

static inline void ptx_count_add_uncertainty(Count *count, uint8_t doubt)
{
    if (doubt > count->doubt)
        count->doubt = doubt;
}

/* What the distance between lanes depends on. */
static inline void ptx_count_scales(Count *count, const Value *address)
{
    count->is_free |= ptx_value_is_free(address);
    count->rows_by |= address->rows_by;
    count->free_by |= address->free_by;
}

/* 8 x 8 ones: eight lanes give the addresses of the rows of each. */
uint8_t ptx_request_matrices(const Op *op);

static inline bool ptx_request_is_fragment(const Op *op)
{
    return op->operation == OP_WMMA_LOAD || op->operation == OP_WMMA_STORE;
}

#endif
