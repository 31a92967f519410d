/* requests.c -- the addresses that lanes ask for: of each access the dearest request of some
 * blocks, which are run again, and where the same bytes would lie in another layout. */
#include "ptxlint/ptxlint.h"

#include "analysis/access/advise/advise.h"
#include "analysis/access/advise/layout.h"
#include "analysis/access/advise/trace.h"
#include "analysis/sim/cost/traffic.h"
#include "analysis/sim/request.h"
#include "analysis/value/launch.h"
#include "api/module.h"
#include "gpu/gpu.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "model/view.h"
#include "support/guard.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_MEMORY = 128 << 20, SHARED_WITHOUT_OPT_IN = 48 << 10, LINE = 128 };

struct ptxlint_requests {
    Arena arena;                /* also of what the run finds */
    ptxlint_request *items;
    uint32_t count, capacity;
};

typedef struct RequestBuild {
    ptxlint_requests *to;
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    FuncId id;
    const Trace *trace;
    Arena work, temp, scratch;
} RequestBuild;

/* ---- one request ----------------------------------------------------------------------------- */

static double request_cost(const RequestBuild *b, const Request *request, bool is_shared)
{
    const Gpu *gpu = b->trace->gpu;
    return is_shared ? ptx_traffic_wavefronts(gpu, request) : ptx_traffic_sectors(gpu, request);
}

static double ideal_request_cost(const RequestBuild *b, const Request *request, bool is_shared,
                                 double cost)
{
    const Gpu *gpu = b->trace->gpu;
    return is_shared ? ptx_traffic_ideal_wavefronts(gpu, request, cost)
                     : ptx_traffic_ideal_sectors(gpu, request, cost);
}

/* The one that costs most; of those the most frequent. */
static const Traced *dearest(const RequestBuild *b, const TracedAccess *access, bool is_shared)
{
    const Traced *best = NULL;
    double most = -1;
    for (const Traced *r = access->first; r; r = r->next) {
        const double cost = request_cost(b, &r->request, is_shared);
        if (cost < most || (cost <= most && r->times <= best->times))
            continue;
        best = r;
        most = cost;
    }
    return best;
}

/* The line that the lowest address lies in. */
static uint64_t first_line_of(const uint64_t *addresses, uint32_t lanes)
{
    uint64_t low = UINT64_MAX;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (lanes >> i & 1 && addresses[i] < low)
            low = addresses[i];
    return low / LINE * LINE;
}

static void set_offsets(const uint64_t *addresses, uint32_t lanes, int64_t out[PTXLINT_LANES])
{
    const uint64_t base = first_line_of(addresses, lanes);
    for (unsigned i = 0; i < WARP_LANES; i++)
        out[i] = lanes >> i & 1 ? (int64_t)(addresses[i] - base) : PTXLINT_UNKNOWN;
}

/* What a block may take more, as the rules have it (facts/layout.c). */
static uint64_t request_room(const RequestBuild *b)
{
    const ptxlint_projection *p = b->kernel->projections;
    int64_t room = SHARED_WITHOUT_OPT_IN;
    if (p->resources.dynamic_shared_bytes > 0)
        room -= p->resources.dynamic_shared_bytes;
    if (p->resources.static_shared_bytes > 0)
        room -= p->resources.static_shared_bytes;
    if (p->occupancy.shared_free >= 0 && p->occupancy.shared_free < room)
        room = p->occupancy.shared_free;
    return room > 0 ? (uint64_t)room : 0;
}

static void set_advice(const RequestBuild *b, const Func *func, InsnId insn, const Traced *traced,
                       ptxlint_request *out)
{
    uint64_t addresses[WARP_LANES] = { 0 };
    const Proposal found = ptx_advise_shared(b->trace, func, insn, request_room(b));
    Request moved = traced->request;
    if (found.layout.kind != LAYOUT_PAD && found.layout.kind != LAYOUT_SWIZZLE)
        return;
    for (unsigned i = 0; i < WARP_LANES; i++)
        if (moved.lanes >> i & 1)
            addresses[i] = found.origin
                           + ptx_layout_move(&found.layout, traced->addresses[i] - found.origin);
    moved.addresses = addresses;
    out->advised_cost = request_cost(b, &moved, true);
    out->advice = ptx_proposal_describe(&b->to->arena, b->module->ir, &found);
    set_offsets(addresses, moved.lanes, out->advised_offsets);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void keep_request(RequestBuild *b, const Func *func, InsnId insn, Space space)
{
    const TracedAccess *access = ptx_trace_find(b->trace, func, insn, space);
    const bool is_shared = space == SPACE_SHARED;
    const Traced *traced = access ? dearest(b, access, is_shared) : NULL;
    ptxlint_requests *to = b->to;
    if (!traced)
        return;
    if (to->count == to->capacity)
        to->items = ptx_arena_grow(&to->arena, to->items, to->count, &to->capacity,
                                   sizeof *to->items);
    ptxlint_request *out = &to->items[to->count++];
    const double cost = request_cost(b, &traced->request, is_shared);
    *out = (ptxlint_request){
        .size = sizeof *out,
        .span = ptx_view_span(func->insns[insn].span),
        .space = is_shared ? "shared" : "global",
        .bytes = ptx_traced_bytes(traced),
        .lanes = traced->request.lanes,
        .cost = cost,
        .ideal_cost = ideal_request_cost(b, &traced->request, is_shared, cost),
        .kind_count = access->count,
        .is_assumed = access->is_assumed || b->trace->block_is_assumed,
        .is_matrix = traced->request.kind == REQUEST_MATRIX,
        .advised_cost = (double)NAN,
    };
    set_offsets(traced->addresses, traced->request.lanes, out->offsets);
    if (is_shared && cost > out->ideal_cost)
        set_advice(b, func, insn, traced, out);
}

static void keep_requests(RequestBuild *b)
{
    const Func *func = &b->module->ir->funcs[b->id];
    for (InsnId i = 0; i < func->insn_count; i++) {
        keep_request(b, func, i, SPACE_GLOBAL);
        keep_request(b, func, i, SPACE_SHARED);
    }
}

static void build_requests(void *context)
{
    RequestBuild *b = context;
    const Launch *launch = ptx_session_launch(ptx_session_at(b->module, b->id));
    Sessions trials = { .arena = &b->to->arena, .work = &b->work, .temp = &b->temp,
                        .scratch = &b->scratch };
    ptx_sessions_begin_trials(&trials, b->module->sessions);
    Session *session = ptx_session_try(&trials, b->id, &(Trial){ .launch = launch });
    b->trace = ptx_session_trace(session);
    if (b->trace)
        keep_requests(b);
    ptx_session_end(session);
}

/* ---- the handle ------------------------------------------------------------------------------ */

static bool find_requested(const ptxlint_module *m, const ptxlint_kernel *kernel, FuncId *out)
{
    const Func *func = ptx_kernel_func(m, kernel);
    if (func)
        *out = (FuncId)(func - m->ir->funcs);
    return func && func->is_entry;
}

static ptxlint_status find_requests(RequestBuild *b)
{
    Arena *const arenas[GUARD_ARENAS_MAX] = { &b->to->arena, &b->work, &b->temp, &b->scratch };
    for (unsigned i = 0; i < GUARD_ARENAS_MAX && arenas[i]; i++)
        ptx_arena_init(arenas[i], MAX_MEMORY, NULL);
    bool is_complete = ptx_run_guarded(arenas, build_requests, b);
    for (unsigned i = 1; i < GUARD_ARENAS_MAX && arenas[i]; i++)
        ptx_arena_free(arenas[i]);
    return is_complete ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

ptxlint_status ptxlint_requests_new(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                    ptxlint_requests **out)
{
    FuncId id;
    if (out)
        *out = NULL;
    if (!out || !module || !kernel || !module->ir || !ptx_module_has_figures(module)
        || !kernel->projection_count || !find_requested(module, kernel, &id)
        || !ptx_session_is_projected(ptx_session_at(module, id)))
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_requests *requests = calloc(1, sizeof *requests);
    if (!requests)
        return PTXLINT_NO_MEMORY;
    RequestBuild b = { .to = requests, .module = module, .kernel = kernel, .id = id };
    ptxlint_status status = find_requests(&b);
    if (status == PTXLINT_OK)
        *out = requests;
    else
        ptxlint_requests_free(requests);
    return status;
}

void ptxlint_requests_free(ptxlint_requests *requests)
{
    if (requests)
        ptx_arena_free(&requests->arena);
    free(requests);
}

const ptxlint_request *ptxlint_requests_all(const ptxlint_requests *requests, size_t *count)
{
    if (count)
        *count = requests ? requests->count : 0;
    return requests ? requests->items : NULL;
}
