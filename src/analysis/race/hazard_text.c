/* Hazards in words. */
#include "analysis/race/hazard.h"

#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "analysis/flow/loop.h"
#include "analysis/sim/race/race.h"
#include "support/choice.h"
#include "support/demangle.h"
#include "support/arena.h"

#include <stdio.h>

static const char *verb_of(const HazardAccess *access)
{
    const Op *op = access->func->insns[access->insn].op;
    if (op->family == OP_MBARRIER)
        return op->operation == OP_MBARRIER_INIT ? "initialises" : "uses";
    if (access->is_by_data)
        return access->is_write ? "may write" : "may read";
    switch ((Queue)access->queue) {
    case QUEUE_BULK:    return "copies from";
    case QUEUE_MATRIX: case QUEUE_TENSOR: return "multiplies";
    case QUEUE_NONE:    return access->is_write ? "writes" : "reads";
    default:            return "copies to";
    }
}

/* Which round of which loop, where there is one. */
static void write_round(char *out, size_t size, const Module *module, const Func *kernel,
                        const HazardAccess *access)
{
    static const char *const formats[2] = {
        " in round %u of the loop at %s", ", round %u of the one at %s"
    };
    char line[LINE_TITLE_BYTES];
    int count = 0;
    *out = 0;
    for (unsigned i = 0; i < 2 && access->loops[i] != NO_ID; i++)
        count += snprintf(out + count, size - (size_t)count, formats[i],
                          (unsigned)access->rounds[i],
                          ptx_line_title(module, &kernel->insns[access->loops[i]], line));
}

/* One of the two is a copy that an mbarrier says is done. */
static bool has_transfer(const Hazard *h)
{
    return h->first.queue == QUEUE_MBARRIER || h->second.queue == QUEUE_MBARRIER;
}

static const char *missing_of_matrix(const Hazard *h)
{
    if (has_transfer(h) && !h->is_begun)
        return "neither waits for the other";
    return h->queue == QUEUE_TENSOR
               ? "no wait for the tcgen05.commit of the multiplication"
               : "no wgmma.wait_group has waited for the multiplication";
}

/* What is missing between the two. */
static const char *missing_of(const Hazard *h)
{
    switch (h->kind) {
    case HAZARD_BLOCK:  return "no barrier between";
    case HAZARD_WARP:   return "both in one warp, with no __syncwarp() of both between";
    case HAZARD_MATRIX: return missing_of_matrix(h);
    case HAZARD_PROXY:  return "no fence.proxy.async between";
    default:            break;
    }
    switch ((Queue)h->queue) {
    case QUEUE_MBARRIER:    return "a copy whose phase of its mbarrier is not waited for";
    case QUEUE_BULK:
        return h->is_committed ? "a copy whose group is not waited for: cp.async.bulk.wait_group"
                               : "a copy that is not waited for: it is in no group yet";
    default:
        return h->is_committed ? "a copy whose group is not waited for: cp.async.wait_group"
                               : "a copy that is not waited for: it is in no group yet";
    }
}

/* Of HAZARD_STUCK, HAZARD_STALE and HAZARD_CROWD. */
static int write_wait(char *out, size_t size, const Hazard *h, const char *name)
{
    const uint32_t *thread = h->second.thread;
    if (h->kind == HAZARD_CROWD)
        return snprintf(out, size, "%u threads of a warp arrive at %s, whose phase takes %u: its "
                        "count of arrivals falls below 0", (unsigned)h->pending, name,
                        (unsigned)h->wanted);
    int count = snprintf(out, size, "thread (%u, %u, %u) waits at %s ", thread[0], thread[1],
                         thread[2], name);
    out += count;
    size -= (size_t)count;
    if (h->kind == HAZARD_STALE)
        return count
               + snprintf(out, size,
                          "by the parity of the phase before the one in which it has arrived: that "
                          "returns at once, or never");
    if (h->pending) {
        const char *verb = h->pending == 1 ? "is" : "are";
        return count
               + snprintf(out, size,
                          "for a phase that never completes: of %u arrival%s %u %s missing",
                          (unsigned)h->wanted, ptx_plural(h->wanted), (unsigned)h->pending, verb);
    }
    if (h->owed > 0)
        return count
               + snprintf(out, size,
                          "for a phase that never completes: copies bring %lld bytes less than are "
                          "expected",
                          (long long)h->owed);
    return count
           + snprintf(out, size,
                      "for a phase that may complete before its copies: they bring %lld bytes more "
                      "than are expected",
                      -(long long)h->owed);
}

static bool is_release(const Hazard *h)
{
    return h->second.func->insns[h->second.insn].op->operation == OP_TCGEN05_DEALLOC;
}

/* Of HAZARD_TENSOR and HAZARD_UNMADE. */
static int write_early(char *out, size_t size, const Hazard *h, const char *name)
{
    const uint32_t *a = h->second.thread, *b = h->first.thread;
    if (h->kind == HAZARD_UNMADE)
        return snprintf(out, size,
                        "thread (%u, %u, %u) uses an mbarrier that no mbarrier.init has "
                        "initialised: byte %llu of %s",
                        a[0], a[1], a[2], (unsigned long long)h->offset, name);
    if (is_release(h))
        return snprintf(out, size,
                        "thread (%u, %u, %u) frees tensor memory that thread (%u, %u, %u) may "
                        "still load: no barrier between",
                        a[0], a[1], a[2], b[0], b[1], b[2]);
    return snprintf(out, size,
                    "thread (%u, %u, %u) loads tensor memory, and has waited for no "
                    "tcgen05.commit: the multiplication may still write it",
                    a[0], a[1], a[2]);
}

/* The variable, or what it is where there is none of a name. */
static void write_variable(char *out, size_t size, const Module *module, VarId var,
                           const char *otherwise)
{
    Span name = var == NO_ID ? (Span){ 0, 0 } : module->vars[var].name;
    char title[65];
    if (ptx_source_title(module->text + name.begin, ptx_span_length(name), title, sizeof title))
        snprintf(out, size, "`%s`", title);
    else
        snprintf(out, size, "%s", otherwise);
}

static const char *describe_update(Arena *arena, const Module *module, const Func *kernel,
                                   const Hazard *h, const char *name)
{
    char text[512], line[LINE_TITLE_BYTES];
    int count = snprintf(text, sizeof text,
                         "%s is updated by a load and a store at an index from data (%s): two "
                         "threads may have the same index, and then an update is lost",
                         name, ptx_line_title(module, &kernel->insns[h->index], line));
    return ptx_arena_strndup(arena, text, (size_t)count);
}

const char *ptx_hazard_describe(Arena *arena, const Module *module, const Func *kernel,
                                const Hazard *h)
{
    char text[512], rounds[2][192], name[72], mbarrier[104], line[LINE_TITLE_BYTES];
    const HazardAccess *a = &h->second, *b = &h->first;
    int count;
    const bool is_early = h->kind == HAZARD_UNMADE || h->kind == HAZARD_TENSOR,
               is_wait = h->kind >= HAZARD_STUCK && !is_early;
    write_variable(name, sizeof name, module, h->var, is_wait ? "`an mbarrier`" : "shared memory");
    if (h->offset)
        snprintf(mbarrier, sizeof mbarrier, "byte %llu of %s", (unsigned long long)h->offset, name);
    else
        snprintf(mbarrier, sizeof mbarrier, "%s", name);
    if (h->kind == HAZARD_UPDATE)
        return describe_update(arena, module, kernel, h, name);
    write_round(rounds[0], sizeof rounds[0], module, kernel, a);
    write_round(rounds[1], sizeof rounds[1], module, kernel, b);
    if (is_early)
        count = write_early(text, sizeof text, h, name);
    else if (is_wait)
        count = write_wait(text, sizeof text, h, mbarrier);
    else
        count = snprintf(
            text, sizeof text,
            "thread (%u, %u, %u) %s byte %llu of %s%s, which thread (%u, %u, %u) %s%s: %s",
            a->thread[0], a->thread[1], a->thread[2], verb_of(a), (unsigned long long)h->offset,
            name, rounds[0], b->thread[0], b->thread[1], b->thread[2], verb_of(b), rounds[1],
            missing_of(h));
    if (count > 0 && (a->is_by_data || b->is_by_data))
        count += snprintf(
            text + count, sizeof text - (size_t)count,
            "; data decide which byte the access at %s reaches",
            ptx_line_title(module,
                           a->is_by_data ? &a->func->insns[a->insn] : &b->func->insns[b->insn],
                           line));
    return ptx_arena_strndup(arena, text, count > 0 ? (size_t)count : 0);
}

/* The wait that a copy lacks, and behind it a barrier where other threads are concerned. */
static int write_copy_wait(char *out, size_t size, const Hazard *h)
{
    bool is_own = !memcmp(h->first.thread, h->second.thread, sizeof h->first.thread),
         is_bulk = h->queue == QUEUE_BULK;
    const char *barrier = is_own ? "" : " by the copying thread, and a barrier";
    const char *queue = is_bulk ? "cp.async.bulk" : "cp.async";
    if (h->first.queue == QUEUE_MBARRIER && h->second.queue == QUEUE_MBARRIER)
        return snprintf(out, size,
                        "before a copy into the same bytes a wait for the mbarrier on which those "
                        "arrive that read them, and by these one for the copy's phase; the "
                        "parities flip with each pass over the ring");
    if (h->queue == QUEUE_MBARRIER)
        return snprintf(out, size,
                        "mbarrier.try_wait.parity in a loop, for the phase of the copy, by every "
                        "thread that reaches this point");
    if (!h->is_committed)
        return snprintf(out, size, "%s.commit_group, then %s.wait_group%s 0%s", queue, queue,
                        is_bulk ? ".read" : "", barrier);
    if (is_bulk)
        return snprintf(out, size, "cp.async.bulk.wait_group.read %u%s", (unsigned)h->newer,
                        barrier);
    return snprintf(out, size, "cp.async.wait_group %u (__pipeline_wait_prior(%u))%s",
                    (unsigned)h->newer, (unsigned)h->newer, barrier);
}

/* No arrival came at all: it is not the count that is wrong. */
static const char advice_of_no_arrival[] =
    "an arrival in this phase; a wait that comes before any arrival, as a producer's for an empty "
    "slot, begins with parity 1, and one for data with parity 0";

/* The waits that a multiplication, or a copy into what it reads, lacks. */
static int write_matrix_wait(char *out, size_t size, const Hazard *h)
{
    const bool is_tensor = h->queue == QUEUE_TENSOR || h->first.queue == QUEUE_TENSOR
                           || h->second.queue == QUEUE_TENSOR;
    if (has_transfer(h) && !h->is_begun)
        return snprintf(out, size,
                        "before the multiplication a wait for the copy's phase of its mbarrier; "
                        "before the copy one for the mbarrier on which %s; the parities flip "
                        "with each pass over the ring",
                        is_tensor ? "tcgen05.commit arrives"
                                  : "the multiplying warps arrive behind wgmma.wait_group");
    if (is_tensor)
        return snprintf(out, size,
                        "tcgen05.commit on an mbarrier behind the multiplication, and "
                        "mbarrier.try_wait.parity in a loop for its phase before the bytes are "
                        "written again");
    if (!h->is_in_warp)         /* how far the other thread is ahead then follows from nothing */
        return snprintf(out, size,
                        "wgmma.wait_group.sync.aligned 0 before the barrier or mbarrier that tells "
                        "the other thread that the bytes are free");
    return snprintf(out, size,
                    "wgmma.wait_group.sync.aligned %u, and behind it a barrier or mbarrier "
                    "where other threads are concerned",
                    (unsigned)h->newer);
}

const char *ptx_divergence_describe(Arena *arena, const Module *module, const Divergence *d)
{
    char text[256], line[LINE_TITLE_BYTES] = "";
    if (d->other_func)
        ptx_line_title(module, &d->other_func->insns[d->other], line);
    const uint32_t *a = d->thread, *b = d->other_thread;
    int count = snprintf(text, sizeof text, "thread (%u, %u, %u) waits at this barrier", a[0], a[1],
                         a[2]);
    if (!d->hangs)
        count += snprintf(text + count, sizeof text - (size_t)count,
                          ", and thread (%u, %u, %u) of its warp bypasses it to %s", b[0],
                          b[1], b[2], line);
    else if (d->other_func)
        count += snprintf(
            text + count, sizeof text - (size_t)count,
            ", thread (%u, %u, %u) at the one at %s, and no other arrives: the block hangs",
            b[0], b[1], b[2], line);
    else
        count += snprintf(text + count, sizeof text - (size_t)count,
                          " for more threads than arrive: the block hangs");
    return ptx_arena_strndup(arena, text, (size_t)count);
}

/* What CUDA C++ calls it. */
static const char *cuda_of(const char *text)
{
    if (!strcmp(text, "bar.sync 0;"))
        return " (__syncthreads())";
    return !strncmp(text, "bar.warp.sync", 13) ? " (__syncwarp())" : "";
}

/* "before line 44", "before lines 44, 51 and 60": of the insertions with the text of the first. */
static const char *before_line(uint32_t i, uint32_t count)
{
    if (!i)
        return " ";
    return i + 1 == count ? " and " : ", ";
}

static int write_lines(char *out, size_t size, const Hazard *h, const char *text)
{
    const DiagInsertion *lines[MAX_PUTS];
    uint32_t lines_count = 0;
    for (uint32_t i = 0; i < h->edits.count && lines_count < MAX_PUTS; i++)
        if (!strcmp(h->edits.insertions[i].text, text))
            lines[lines_count++] = &h->edits.insertions[i];
    int count = snprintf(out, size, "`%s`%s before line%s", text, cuda_of(text),
                         lines_count > 1 ? "s" : "");
    for (uint32_t i = 0; i < lines_count && count < (int)size; i++) {
        count += snprintf(out + count, size - (size_t)count, "%s%u", before_line(i, lines_count),
                          (unsigned)lines[i]->line);
        if (lines[i]->source && count < (int)size)
            count += snprintf(out + count, size - (size_t)count, " (%s)", lines[i]->source);
    }
    return count < (int)size ? count : (int)size - 1;
}

/* Each text once, with the lines that it goes before. */
static const char *write_repair(Arena *arena, const Hazard *h)
{
    char text[2048];
    const char *edits = h->edits.count > 1 ? "them" : "it";
    int count = snprintf(text, sizeof text, "insert ");
    for (uint32_t i = 0; i < h->edits.count; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < i; j++)
            is_new &= strcmp(h->edits.insertions[i].text, h->edits.insertions[j].text) != 0;
        if (is_new && i)
            count += snprintf(text + count, sizeof text - (size_t)count, ", and ");
        if (is_new)
            count += write_lines(text + count, sizeof text - (size_t)count, h,
                                 h->edits.insertions[i].text);
    }
    count += snprintf(text + count, sizeof text - (size_t)count,
                      "; tried: with %s this race is gone when the block is run again",
                      edits);
    return ptx_arena_strndup(arena, text, (size_t)count);
}

/* There is a wait, and the thread goes on whatever it returns. */
static const char *advise_reading(Arena *arena, const Module *module, const Insn *wait)
{
    char text[160], line[LINE_TITLE_BYTES];
    int count = snprintf(text, sizeof text,
                         "loop until the wait at %s returns true: nothing reads what it returns, "
                         "so it orders nothing", ptx_line_title(module, wait, line));
    return ptx_arena_strndup(arena, text, (size_t)count);
}

/* For others no barrier is tried: what they lack is a wait. */
static bool is_repaired_by_barriers(HazardKind kind)
{
    return kind == HAZARD_BLOCK || kind == HAZARD_WARP || kind == HAZARD_COPY;
}

const char *ptx_hazard_advise(Arena *arena, const Module *module, const Func *kernel,
                              const Hazard *h)
{
    static const char *const advice[] = {
        [HAZARD_BLOCK] = "bar.sync 0 (__syncthreads()) between the two, at a point that every "
                         "thread of the block reaches",
        [HAZARD_WARP] = "bar.warp.sync 0xffffffff (__syncwarp()) between the two, at a point "
                        "that every lane reaches: since sm_70 lanes of a warp need not run "
                        "together",
        [HAZARD_UPDATE] = "one atom.shared or red.shared (atomicAdd() or another) in place of the "
                          "load and the store; nothing where no index occurs twice in a block",
        [HAZARD_PROXY] = "fence.proxy.async.shared::cta by the threads that write, before the "
                         "barrier or mbarrier that orders the two",
        [HAZARD_STUCK] = "mbarrier.init with as many arrivals as there are, and "
                         "mbarrier.arrive.expect_tx with as many bytes as are copied",
        [HAZARD_CROWD] = "one thread arrives with expect_tx (elect.sync, or threadIdx.x == 0) and "
                         "copies; or mbarrier.init with as many arrivals as there are",
        [HAZARD_UNMADE] = "mbarrier.init for each mbarrier of the ring by one thread, then a "
                          "barrier of the block, before any thread uses it",
        [HAZARD_TENSOR] = "mbarrier.try_wait.parity in a loop, for the phase that tcgen05.commit "
                          "arrives in: 0 is the first, and 1 returns at once on a new mbarrier",
        [HAZARD_STALE] = "flip the parity in each iteration: xor.b32 with 1 after the wait; or "
                         "mbarrier.init with as many arrivals as a phase gets",
    };
    static const char *const reasons[] = {
        [REPAIR_NONE] = "",
        [REPAIR_FOUND] = "",
        [REPAIR_NO_PLACE] = ("; no place was found that all threads reach and where one removes "
                             "the race"),
        [REPAIR_TOO_LONG] = "; the runs that are allowed were too few to find the place",
    };
    char text[384];
    int count;
    if (h->edits.count)
        return write_repair(arena, h);
    if (h->ignored_wait != NO_ID && h->kind <= HAZARD_BULK && has_transfer(h))
        return advise_reading(arena, module, &kernel->insns[h->ignored_wait]);
    if (h->kind == HAZARD_MATRIX)
        count = write_matrix_wait(text, sizeof text, h);
    else if (h->kind == HAZARD_TENSOR && is_release(h))
        count = snprintf(text, sizeof text,
                         "bar.sync 0 (__syncthreads()) between the tcgen05.wait::ld of the warps "
                         "that load and tcgen05.dealloc");
    else if (h->kind == HAZARD_STUCK && !h->pending)
        count = snprintf(text, sizeof text,
                         "expect_tx with as many bytes as all copies of the phase bring together");
    else if (h->kind == HAZARD_STUCK && !h->is_miscounted)
        count = snprintf(text, sizeof text, "%s", advice_of_no_arrival);
    else if (h->kind == HAZARD_COPY || h->kind == HAZARD_BULK)
        count = write_copy_wait(text, sizeof text, h);
    else if (h->kind == HAZARD_BLOCK && has_transfer(h))
        count = snprintf(text, sizeof text,
                         "a wait for the copy's mbarrier before its bytes are read; before the "
                         "next copy, one for an mbarrier on which the readers arrive, or a "
                         "barrier");
    else
        count = snprintf(text, sizeof text, "%s", advice[h->kind]);
    if (h->kind == HAZARD_BLOCK && h->repair == REPAIR_NO_PLACE && !has_transfer(h))
        count = snprintf(text, sizeof text,
                         "a barrier that both threads take part in, between the two: bar.sync 0 "
                         "(__syncthreads()) where all threads of the block reach it, else "
                         "bar.sync N, THREADS among the warps that do, or an mbarrier");
    if (is_repaired_by_barriers(h->kind))
        snprintf(text + count, sizeof text - (size_t)count, "%s", reasons[h->repair]);
    return ptx_arena_strndup(arena, text, strlen(text));
}
