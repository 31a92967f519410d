/* data_source.h -- which load says where an access of global memory goes.
 *
 * An index is loaded, and an element lies where it says: x[col[j]]. The load of the index leads the
 * access; what leads that load in turn, and is led by nothing, is their root: rowptr[i], above
 * col[j]. The lanes that load one index go side by side, where their address differs by more than
 * data. A table has as many elements as the root was asked for: a row, a node, an index each. */
#ifndef PTX_ANALYSIS_TIME_MEMORY_DATA_SOURCE_H
#define PTX_ANALYSIS_TIME_MEMORY_DATA_SOURCE_H

#include "analysis/flow/types.h"
#include "ir/types.h"
#include "support/arena.h"

typedef struct Evaluated Evaluated;

typedef struct DataSource {
    InsnId leader, root;        /* NO_ID: no data lead it */
    double scale;               /* bytes from one index to the next; infinite: not known */
    uint32_t param;             /* the position of the pointer that the address comes from; NO_ID */
    bool has_lane;              /* the address differs from lane to lane by more than data ... */
    uint8_t grid_dims;          /* ... and from block to block: a bit for each dimension */
    bool is_walk;               /* the leader stands before the loop that the access is in */
    /* no index leads it, but a rank: how many there are before it, as lanes or threads together
     * count them, or as a counter says. So they lie side by side, in whatever order */
    bool is_rank;
    /* to what each lane loaded its own number is added, an element from one to the next: sorted by
     * what leads the load, whose places begin there */
    bool is_run;
} DataSource;

/* Per instruction. Owned by arena; scratch, another arena, is left as found. */
const DataSource *ptx_data_sources_compute(Arena *arena, Arena *scratch, const Func *func,
                                           const Cfg *cfg, const Loops *loops);

/* Of a warp's lanes at an access, the groups that one index each leads. */
double ptx_data_groups(const DataSource *sources, const Func *func, const Evaluated *insns,
                       InsnId access);

/* How many indices the launch loads at its root; 0: not known. */
double ptx_data_indices(const DataSource *sources, const Func *func, const Evaluated *insns,
                        InsnId access);

/* It goes through a list whose begin data say, element by element. */
bool ptx_data_is_list(const DataSource *source, uint32_t access_bytes);

#endif
