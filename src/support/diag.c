#include "support/diag.h"

#include "support/assert.h"
#include "support/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const DiagInfo ptx_diag_info[DIAG__COUNT] = {
#define DG(id, code, name, severity, group) \
    [DIAG_##id] = { code, name, SEVERITY_##severity, group, false, false },
#include "support/diags.def"
#undef DG
};

void ptx_diag_init(DiagSink *sink, Arena *arena)
{
    *sink = (DiagSink){ .arena = arena, .func = -1 };
}

static const char *format_text(Arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return "";
    char *text = ptx_arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

const char *ptx_diag_text(DiagSink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = format_text(sink->arena, format, args);
    va_end(args);
    return text;
}

static void sink_push(DiagSink *sink, Diag *diag)
{
    if (sink->count == sink->capacity)
        sink->items = ptx_arena_grow(sink->arena, sink->items, sink->count, &sink->capacity,
                                     sizeof *sink->items);
    diag->order = sink->count;
    sink->items[sink->count++] = diag;
}

/* Those that are dropped share one: an input may have one a byte. */
static Diag *new_diag(DiagSink *sink)
{
    if (sink->count < LIMIT_DIAGNOSTICS)
        return ptx_arena_new(sink->arena, Diag);
    if (!sink->spare)
        sink->spare = ptx_arena_new(sink->arena, Diag);
    *sink->spare = (Diag){ 0 };
    sink->dropped++;
    return sink->spare;
}

Diag *ptx_diag_of(DiagSink *sink, const DiagInfo *info, Severity severity, Span span,
                  const char *message)
{
    ASSERT(severity >= SEVERITY_NOTE && severity <= SEVERITY_ERROR);
    ASSERT(span.begin <= span.end && info);
    Diag *diag = new_diag(sink);
    diag->info = info;
    diag->severity = severity;
    diag->certainty = CERTAINTY_EXACT;
    diag->gain_percent = (double)NAN;
    diag->span = span;
    diag->func = sink->func;
    diag->message = message;
    sink->counts[severity]++;
    if (!ptx_diag_is_dropped(sink, diag))
        sink_push(sink, diag);
    return diag;
}

void ptx_diag_append(DiagSink *sink, const DiagSink *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (sink->count < LIMIT_DIAGNOSTICS)
            sink_push(sink, from->items[i]);
        else
            sink->dropped++;
    }
    sink->dropped += from->dropped;
    for (size_t s = 0; s < sizeof sink->counts / sizeof *sink->counts; s++)
        sink->counts[s] += from->counts[s];
}

Diag *ptx_diag(DiagSink *sink, DiagId id, Span span, const char *format, ...)
{
    ASSERT(id > DIAG_NONE && id < DIAG__COUNT);
    const char *message = "";
    if (sink->count < LIMIT_DIAGNOSTICS) {
        va_list args;
        va_start(args, format);
        message = format_text(sink->arena, format, args);
        va_end(args);
    }
    return ptx_diag_of(sink, &ptx_diag_info[id], ptx_diag_info[id].severity, span, message);
}

void ptx_diag_relate(DiagSink *sink, Diag *diag, Span span, const char *format, ...)
{
    DiagRelated *related = ptx_arena_new(sink->arena, DiagRelated);
    va_list args;
    va_start(args, format);
    related->message = format_text(sink->arena, format, args);
    va_end(args);
    related->span = span;
    DiagRelated **tail = &diag->related;
    while (*tail)
        tail = &(*tail)->next;
    *tail = related;
}

void ptx_diag_fix(DiagSink *sink, Diag *diag, Span span, bool is_certain, const char *format, ...)
{
    ASSERT(span.begin <= span.end);
    DiagFix *fix = ptx_arena_new(sink->arena, DiagFix);
    va_list args;
    va_start(args, format);
    *fix = (DiagFix){ span, format_text(sink->arena, format, args), is_certain };
    va_end(args);
    diag->fix = fix;
}

/* What is wrong, before what costs time. */
static bool is_error(const Diag *diag)
{
    static const char *const groups[] = { "syntax", "limit", "correctness" };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(diag->info->group, groups[i]))
            return true;
    return false;
}

/* How many warps there are matters less than what they ask of memory: with misaligned accesses it
 * made less than 10 % (XARK, the paper on mapping heuristics for GPUs, GeForce 8800 GTX). */
static bool is_of_occupancy(const Diag *diag)
{
    return !strcmp(diag->info->group, "occupancy");
}

static double gain_or_least(const Diag *d)
{
    return isnan(d->gain_percent) ? -1 : d->gain_percent;
}

static int compare(const void *pa, const void *pb)
{
    const Diag *a = *(Diag *const *)pa, *b = *(Diag *const *)pb;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (is_error(a) != is_error(b))
        return is_error(a) ? -1 : 1;
    double gain_a = gain_or_least(a), gain_b = gain_or_least(b);
    if (gain_a < gain_b || gain_a > gain_b)
        return gain_a > gain_b ? -1 : 1;
    if (is_of_occupancy(a) != is_of_occupancy(b))
        return is_of_occupancy(b) ? -1 : 1;
    if (a->span.begin != b->span.begin)
        return a->span.begin < b->span.begin ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void ptx_diag_finish(DiagSink *sink)
{
    if (sink->count)
        qsort(sink->items, sink->count, sizeof *sink->items, compare);
    if (!sink->dropped)
        return;
    ASSERT(sink->count == LIMIT_DIAGNOSTICS);
    Diag *last = ptx_arena_new(sink->arena, Diag);
    last->info = &ptx_diag_info[DIAG_TOO_MANY];
    last->gain_percent = (double)NAN;
    last->severity = SEVERITY_NOTE;
    last->certainty = CERTAINTY_EXACT;
    last->func = -1;
    last->span = sink->items[sink->count - 1]->span;
    last->message = ptx_diag_text(sink, "%u more diagnostics of this file are dropped (limit %d)",
                                  (unsigned)sink->dropped, (int)LIMIT_DIAGNOSTICS);
    sink_push(sink, last);
}
