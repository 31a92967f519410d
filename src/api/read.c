/* Two threads hand over batches of items, in order: while one is resolved the next one is parsed.
 * What the parser finds goes into a sink of its own, and from there into the module's before the
 * item behind it is resolved, as if one thread had done it all. */
#include "api/read.h"

#include "analysis/value/address_space.h"
#include "ir/module.h"
#include "ir/occurrence.h"
#include "parser/parser.h"
#include "resolve/resolve.h"
#include "support/guard.h"

#include <pthread.h>

enum {
    BATCHES = 2,
    BATCH_BYTES = 64 << 10,             /* of text: a batch ends behind so many */
    LEAST_BYTES = 4 * BATCH_BYTES,      /* of a text that is worth a second thread */
    MIN_PART_READ = 8,          /* one in so many bytes of a text says how much IR it gives */
};

/* An item as it was when the parser gave it out. */
typedef struct ReadItem {
    const AstItem *item;        /* NULL: the end */
    AstHeader header;
    uint32_t found;             /* diagnostics of the parser up to here */
} ReadItem;

typedef struct ReadBatch {
    Arena arena;                /* of the items, too */
    ReadItem *items;
    uint32_t count, capacity;
    Diag **found;               /* by the parser so far */
    bool is_last;
} ReadBatch;

typedef struct Reading {
    ptxlint_module *m;
    const ptxlint_options *options;
    ReadArenas *arenas;
    ReadBatch batches[BATCHES];
    DiagSink parsed;            /* found by the parser */
    uint32_t parsed_taken;      /* of these: in the module's sink */
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    uint32_t made, taken;       /* batches */
    bool is_stopped;            /* one of the two can not go on */
} Reading;

static OccurrenceLog *new_log(Arena *arena)
{
    OccurrenceLog *log = ptx_arena_new(arena, OccurrenceLog);
    log->arena = arena;
    return log;
}

static Lower *new_lower(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas)
{
    Lower *lower = ptx_lower_new(&m->arena, &arenas->vectors, &arenas->scratch, &m->diags, m->text,
                                 m->length);
    if (options->has_symbols)
        ptx_lower_log(lower, new_log(&m->arena));
    return lower;
}

/* The IR grows with the text that was lowered. */
static void foresee_ir(ptxlint_module *m, const AstItem *item)
{
    const size_t end = item->func ? item->func->span.end : 0;
    if (m->length >= LONG_TEXT_BYTES && end > m->length / MIN_PART_READ)
        ptx_arena_foresee(&m->arena, ptx_arena_held(&m->arena) * m->length / end);
}

static void take_ir(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas,
                    Module *module)
{
    if (!options->syntax_only)
        ptx_address_spaces_infer(module, &arenas->vectors, &arenas->scratch);
    m->ir = module;
}

static void read_alone(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas)
{
    arenas->items.region = arenas->scratch.region;
    Parser *parser = ptx_parser_new(&m->arena, &arenas->items, &m->diags, m->text, m->length);
    Lower *lower = new_lower(m, options, arenas);
    for (const AstItem *item; (item = ptx_parser_next(parser));) {
        if (ptx_is_stopped(options))
            ptx_arena_fail(&m->arena);
        ptx_lower_item(lower, ptx_parser_header(parser), item);
        foresee_ir(m, item);
    }
    take_ir(m, options, arenas, ptx_lower_finish(lower, ptx_parser_header(parser)));
}

/* ---- handing over ---------------------------------------------------------------------------- */

static void stop_reading(Reading *r)
{
    pthread_mutex_lock(&r->lock);
    r->is_stopped = true;
    pthread_cond_broadcast(&r->has_changed);
    pthread_mutex_unlock(&r->lock);
}

/* Counts one more, and waits until the other thread has come so far that a batch is free, or made.
 * False: it will not. */
static bool hand_over(Reading *r, uint32_t *counter, uint32_t by)
{
    pthread_mutex_lock(&r->lock);
    *counter += by;
    pthread_cond_broadcast(&r->has_changed);
    const bool is_maker = counter == &r->made;
    while (!r->is_stopped && r->made - r->taken == (is_maker ? BATCHES : 0))
        pthread_cond_wait(&r->has_changed, &r->lock);
    const bool goes_on = !r->is_stopped || (!is_maker && r->made != r->taken);
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

/* ---- the parser's thread --------------------------------------------------------------------- */

static void add_to_batch(Reading *r, ReadBatch *b, const Parser *parser, const AstItem *item)
{
    if (b->count == b->capacity)
        b->items = ptx_arena_grow(&b->arena, b->items, b->count, &b->capacity, sizeof *b->items);
    b->items[b->count++] = (ReadItem){ item, *ptx_parser_header(parser), r->parsed.count };
}

static ReadBatch *empty_batch(Reading *r)
{
    ReadBatch *b = &r->batches[r->made % BATCHES];
    ptx_arena_release(&b->arena, (ArenaMark){ NULL, NULL });
    b->items = NULL;
    b->count = b->capacity = 0;
    return b;
}

/* Up to the end of the text, or of the batch. */
static void fill_batch(Reading *r, Parser *parser, ReadBatch *b)
{
    const uint32_t end = ptx_parser_offset(parser) + BATCH_BYTES;
    const AstItem *item;
    do {
        item = ptx_parser_next(parser);
        add_to_batch(r, b, parser, item);
    } while (item && (ptx_parser_has_more(parser) || ptx_parser_offset(parser) < end));
    b->is_last = !item;
    b->found = r->parsed.items;
}

static void parse_all(void *context)
{
    Reading *r = context;
    const ptxlint_module *m = r->m;
    Parser *parser = ptx_parser_new(&r->m->front, &r->batches[0].arena, &r->parsed, m->text,
                                    m->length);
    ReadBatch *b;
    do {
        b = empty_batch(r);
        ptx_parser_turn(parser, &b->arena);
        fill_batch(r, parser, b);
    } while (!b->is_last && hand_over(r, &r->made, 1));
    if (b->is_last)
        hand_over(r, &r->made, 1);
}

static void *parse_ahead(void *context)
{
    Reading *r = context;
    Arena *const arenas[GUARD_ARENAS_MAX] = { &r->m->front, &r->batches[0].arena,
                                              &r->batches[1].arena };
    if (!ptx_run_guarded(arenas, parse_all, r))
        stop_reading(r);
    return NULL;
}

/* ---- the other ------------------------------------------------------------------------------- */

/* What the parser found up to there: it stands before what is found of the item. */
static void take_parsed(Reading *r, const ReadBatch *b, uint32_t end)
{
    const uint32_t begin = r->parsed_taken;
    if (begin == end)
        return;
    const DiagSink part = { .items = b->found + begin, .count = end - begin };
    ptx_diag_append(&r->m->diags, &part);
    r->parsed_taken = end;
}

static void add_counts(DiagSink *all, const DiagSink *from)
{
    DiagSink counts = *from;
    counts.count = 0;
    ptx_diag_append(all, &counts);
}

/* Whether it was the last one. */
static bool lower_batch(Reading *r, Lower *lower, const ReadBatch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        take_parsed(r, b, b->items[i].found);
        if (b->items[i].item) {
            ptx_lower_item(lower, &b->items[i].header, b->items[i].item);
            foresee_ir(r->m, b->items[i].item);
        } else {
            take_ir(r->m, r->options, r->arenas, ptx_lower_finish(lower, &b->items[i].header));
        }
    }
    return b->is_last;
}

static void lower_all(void *context)
{
    Reading *r = context;
    Lower *lower = new_lower(r->m, r->options, r->arenas);
    bool is_done = false;
    for (uint32_t by = 0; !is_done && !ptx_is_stopped(r->options)
                          && hand_over(r, &r->taken, by); by = 1)
        is_done = lower_batch(r, lower, &r->batches[r->taken % BATCHES]);
}

/* False: a thread is not to be had. */
static bool read_by_two(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas,
                        size_t limit)
{
    Reading r = { .m = m, .options = options, .arenas = arenas };
    pthread_t thread;
    for (unsigned b = 0; b < BATCHES; b++)
        ptx_arena_init(&r.batches[b].arena, limit, NULL);
    ptx_arena_init(&m->front, limit, NULL);
    ptx_diag_init(&r.parsed, &m->front);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.has_changed, NULL);
    const bool has_thread = !pthread_create(&thread, NULL, parse_ahead, &r);
    bool is_complete = false;
    if (has_thread) {
        Arena *const guarded[GUARD_ARENAS_MAX] = { &m->arena, &arenas->vectors, &arenas->scratch };
        is_complete = ptx_run_guarded(guarded, lower_all, &r) && m->ir;
        stop_reading(&r);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&r.has_changed);
    pthread_mutex_destroy(&r.lock);
    for (unsigned b = 0; b < BATCHES; b++)
        ptx_arena_free(&r.batches[b].arena);
    if (has_thread && !is_complete)
        ptx_arena_fail(&m->arena);
    add_counts(&m->diags, &r.parsed);
    return has_thread;
}

void ptx_module_read(ptxlint_module *m, const ptxlint_options *options, ReadArenas *arenas,
                     size_t limit)
{
    const bool is_worth = options->jobs > 1 && !options->profile && m->length >= LEAST_BYTES;
    if (!is_worth || !read_by_two(m, options, arenas, limit))
        read_alone(m, options, arenas);
}
