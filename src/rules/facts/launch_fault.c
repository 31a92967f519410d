/* What CUDA refuses of a kernel's launch, with the numbers that show it. */
#include "rules/facts/facts.h"

#include "analysis/value/launch.h"
#include "ir/func.h"
#include "session/residency.h"
#include "session/session.h"

#include <stdio.h>
#include <string.h>

typedef struct FaultText {
    char text[224];
} FaultText;

/* `3 x 2 x 1`: what stands behind a size that is given is 1 where it is left out. */
static FaultText shape_text(const int64_t dims[3])
{
    FaultText t;
    snprintf(t.text, sizeof t.text, "%lld x %lld x %lld", (long long)dims[0], (long long)dims[1],
             (long long)dims[2]);
    return t;
}

static FaultText required_text(const uint32_t dims[3])
{
    int64_t filled[3];
    for (int i = 0; i < 3; i++)
        filled[i] = dims[i] ? dims[i] : 1;
    return shape_text(filled);
}

static FaultText fault_clause(const Bounds *bounds, const LaunchShape *shape)
{
    FaultText t = { "" };
    switch (shape->fault) {
    case LAUNCH_OTHER_BLOCK:
        snprintf(t.text, sizeof t.text, "its block is %.64s threads, and `.reqntid` demands %.64s",
                 shape_text(shape->block).text, required_text(bounds->reqntid).text);
        break;
    case LAUNCH_LARGE_BLOCK:
        snprintf(t.text, sizeof t.text, "its block has %lld threads, and the kernel allows %.0f",
                 (long long)shape->threads_per_block, ptx_bounds_threads(bounds));
        break;
    case LAUNCH_DEEP_BLOCK:
        snprintf(t.text, sizeof t.text, "its block has %lld threads in z, and a GPU takes %u",
                 (long long)shape->block[2], (unsigned)ptx_max_ntid(2));
        break;
    case LAUNCH_OTHER_CLUSTER:
        snprintf(t.text, sizeof t.text,
                 "its cluster is %.64s blocks, and `.reqnctapercluster` demands %.64s",
                 shape_text(shape->cluster).text, required_text(bounds->reqnctapercluster).text);
        break;
    case LAUNCH_LARGE_CLUSTER:
        snprintf(t.text, sizeof t.text,
                 "its cluster is %.64s blocks, and `.maxclusterrank` allows %u",
                 shape_text(shape->cluster).text, bounds->maxclusterrank);
        break;
    case LAUNCH_UNEVEN_GRID:
        snprintf(t.text, sizeof t.text,
                 "its grid of %.64s blocks is not a multiple of its cluster, %.64s",
                 shape_text(shape->grid).text, shape_text(shape->cluster).text);
        break;
    default: break;
    }
    return t;
}

const char *ptx_measure_launch_fault(FactCache *q)
{
    const FaultText t = fault_clause(&q->func->bounds, ptx_session_shape(q->session));
    return ptx_arena_strndup(q->arena, t.text, strlen(t.text));
}
