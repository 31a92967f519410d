#include "api/again/moved.h"

#include <string.h>

static void *move_bytes(FindingMover *m, const void *bytes, size_t length)
{
    void *to = m->piece ? m->piece + m->used : NULL;
    if (m->arena)
        to = ptx_arena_alloc(m->arena, length);
    if (to && length)
        memcpy(to, bytes, length);
    m->used += (length + 7) & ~(size_t)7;
    return to;
}

static const char *move_text(FindingMover *m, const char *text)
{
    return text ? move_bytes(m, text, strlen(text) + 1) : NULL;
}

static int64_t bytes_at(const FindingMover *m, uint32_t at)
{
    int64_t bytes = m->bytes;
    for (uint32_t s = 0; s < m->shift_count && m->shifts[s].from <= at; s++)
        bytes = m->shifts[s].bytes;
    return bytes;
}

static uint32_t moved_place(const FindingMover *m, uint32_t at)
{
    return (uint32_t)((int64_t)at + bytes_at(m, at));
}

static Span moved_span(const FindingMover *m, Span span)
{
    return (Span){ moved_place(m, span.begin), moved_place(m, span.end) };
}

static DiagRelated *move_related(FindingMover *m, const DiagRelated *from)
{
    DiagRelated *first = NULL, **tail = &first;
    for (; from; from = from->next) {
        const DiagRelated copy = { NULL, moved_span(m, from->span), move_text(m, from->message) };
        DiagRelated *to = move_bytes(m, &copy, sizeof copy);
        if (to) {
            *tail = to;
            tail = &to->next;
        }
    }
    return first;
}

static const DiagFix *move_fix(FindingMover *m, const DiagFix *from)
{
    if (!from)
        return NULL;
    const DiagFix copy = { moved_span(m, from->span), move_text(m, from->replacement),
                           from->is_certain };
    return move_bytes(m, &copy, sizeof copy);
}

static DiagRepair move_repair(FindingMover *m, const DiagRepair *from)
{
    if (!from->count)
        return (DiagRepair){ .count = 0 };
    DiagInsertion *to = move_bytes(m, from->insertions, from->count * sizeof *to);
    for (uint32_t i = 0; i < from->count; i++) {
        const char *text = move_text(m, from->insertions[i].text),
                   *source = move_text(m, from->insertions[i].source);
        if (!to)
            continue;
        to[i].line = (uint32_t)((int64_t)from->insertions[i].line + m->lines);
        to[i].text = text;
        to[i].source = source;
    }
    return (DiagRepair){ to, from->count };
}

static Diag *move_finding(FindingMover *m, const Diag *from)
{
    Diag copy = *from;
    copy.span = moved_span(m, from->span);
    for (uint32_t i = 0; i < from->repeats && i < DIAG_REPEATS_MAX; i++)
        copy.repeat_at[i] = moved_place(m, from->repeat_at[i]);
    copy.message = move_text(m, from->message);
    copy.label = move_text(m, from->label);
    copy.help = move_text(m, from->help);
    copy.related = move_related(m, from->related);
    copy.fix = move_fix(m, from->fix);
    copy.repair = move_repair(m, &from->repair);
    return move_bytes(m, &copy, sizeof copy);
}

DiagSink ptx_move_findings(FindingMover *m, const DiagSink *from)
{
    DiagSink to = *from;
    to.items = move_bytes(m, from->items, from->count * sizeof *from->items);
    for (uint32_t i = 0; i < from->count; i++) {
        Diag *diag = move_finding(m, from->items[i]);
        if (to.items)
            to.items[i] = diag;
    }
    return to;
}

DiagSink ptx_findings_since(const DiagSink *sink, const DiagSink *before)
{
    DiagSink since = { .count = sink->count - before->count };
    if (since.count)
        since.items = sink->items + before->count;
    for (size_t s = 0; s < sizeof since.counts / sizeof *since.counts; s++)
        since.counts[s] = sink->counts[s] - before->counts[s];
    return since;
}

/* ---- what can be moved ----------------------------------------------------------------------- */

/* "line 12", "lines 12 and 15". */
static bool names_line(const char *text)
{
    for (const char *at = text; at && (at = strstr(at, "line")); at += 4) {
        const char *behind = at + 4 + (at[4] == 's');
        if (*behind == ' ' && behind[1] >= '0' && behind[1] <= '9')
            return true;
    }
    return false;
}

bool ptx_finding_names_line(const Diag *diag)
{
    bool names = names_line(diag->message) || names_line(diag->label) || names_line(diag->help);
    for (const DiagRelated *r = diag->related; r && !names; r = r->next)
        names = names_line(r->message);
    return names;
}

static bool is_span_inside(Span outer, Span span)
{
    return span.begin >= outer.begin && span.end <= outer.end;
}

/* All that it points to lies in the function. */
bool ptx_finding_is_within(Span func, const Diag *diag)
{
    bool is_in = is_span_inside(func, diag->span)
                 && (!diag->fix || is_span_inside(func, diag->fix->span));
    for (const DiagRelated *r = diag->related; r && is_in; r = r->next)
        is_in = is_span_inside(func, r->span);
    for (uint32_t i = 0; i < diag->repeats && i < DIAG_REPEATS_MAX && is_in; i++)
        is_in = diag->repeat_at[i] >= func.begin && diag->repeat_at[i] <= func.end;
    return is_in;
}
