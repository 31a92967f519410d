/* Proposals in words. */
#include "analysis/access/advise/advise.h"
#include "ir/module.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/guess.h"
#include "support/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 120 };

/* Tenths, without the locale. */
static int put_figure(char *text, size_t size, double figure)
{
    uint64_t tenths = figure < 1e15 ? (uint64_t)(10 * figure + 0.5) : 0;
    if (tenths % 10)
        return snprintf(text, size, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
    return snprintf(text, size, "%" PRIu64, tenths / 10);
}

static void put_change(char *text, size_t size, bool is_sectors, double before, double after)
{
    char was[24], is[24];
    put_figure(was, sizeof was, before);
    put_figure(is, sizeof is, after);
    snprintf(text, size, "%s %s become %s", was, is_sectors ? "sectors" : "wavefronts", is);
}

static void put_swizzle(char *text, size_t size, const Layout *l)
{
    snprintf(text, size, "offset ^ (offset / %" PRIu32 " %% %" PRIu32 " * %" PRIu32 ")", l->pitch,
             l->turns, l->granule);
}

static void put_pitch(char *text, size_t size, const Layout *l, const char *name)
{
    int at = 0;
    if (l->pad)
        at = snprintf(text, size, "pad `%s`: rows of %" PRIu32 " bytes in place of %" PRIu32, name,
                      l->pitch + l->pad, l->pitch);
    if (l->lead)
        snprintf(text + at, size - (size_t)at,
                 at ? ", and %" PRIu32 " bytes in front of the first"
                    : "put %" PRIu32 " bytes of padding in front of what `%s` points to",
                 l->lead, name);
}

/* The one member that is used: bytes behind it go with it, those in front with no member. */
static void put_member(char *text, size_t size, const Layout *l, const char *name)
{
    const uint32_t bytes = l->member_bytes[l->member_first[l->pitch - 1]];
    if (bytes == 1)
        snprintf(text, size, "an array of its own for the byte that is used of each %" PRIu32
                 " in `%s`", l->pitch, name);
    else
        snprintf(text, size, "an array of its own for the %" PRIu32 " bytes that are used of each "
                 "%" PRIu32 " in `%s`", bytes, l->pitch, name);
}

/* Members of one size that leave nothing out may as well be the elements that a thread takes of an
 * array: taken by turns they lie as the arrays of members do. */
static bool may_be_elements(const Layout *l)
{
    uint32_t bytes = l->member_bytes[0];
    bool is_even = bytes && l->members * bytes == l->pitch;
    for (uint32_t at = 0; is_even && at < l->pitch; at++)
        is_even = l->member_first[at] == at / bytes * bytes;
    return is_even;
}

static void put_members(char *text, size_t size, const Layout *l, const char *name)
{
    snprintf(text, size,
             "an array for each of the %" PRIu32 " members in place of records of %" PRIu32
             " bytes in `%s` (SoA)%s",
             l->members, l->pitch, name,
             may_be_elements(l) ? ", or, if these are elements of one array, threads that take "
                                  "them by turns (i, i + threads, ...)"
                                : "");
}

static void put_layout(char *text, size_t size, const Layout *l, const char *name)
{
    char swizzle[96];
    switch (l->kind) {
    case LAYOUT_PAD:
        if (l->is_row)
            snprintf(text, size, "pad `%s`: rows of %" PRIu32 " bytes in place of %" PRIu32, name,
                     l->pitch + l->pad, l->pitch);
        else
            snprintf(text, size, "pad `%s`: %" PRIu32 " bytes behind every %" PRIu32, name, l->pad,
                     l->pitch);
        break;
    case LAYOUT_SWIZZLE:
        put_swizzle(swizzle, sizeof swizzle, l);
        snprintf(text, size, "swizzle `%s`: %s", name, swizzle);
        break;
    case LAYOUT_PITCH:
        put_pitch(text, size, l, name);
        break;
    case LAYOUT_MEMBERS:
        if (l->members > 1)
            put_members(text, size, l, name);
        else
            put_member(text, size, l, name);
        break;
    case LAYOUT_INTERLEAVED:
        snprintf(text, size,
                 "interleave the stretches of %" PRIu32
                 " bytes in `%s`, so that the first elements of all threads lie side by side, then "
                 "the second",
                 l->pitch, name);
        break;
    default:
        snprintf(text, size,
                 "stage through shared memory, so that adjacent lanes access adjacent elements");
        break;
    }
}

static void put_certainty(char *text, size_t size, Certainty certainty, const uint32_t block[3])
{
    if (block[0])
        snprintf(text, size, " (estimate: assumes blocks of %" PRIu32 " x %" PRIu32 " threads)",
                 block[0], block[1] * block[2]);
    else if (certainty != CERTAINTY_EXACT)
        snprintf(text, size, " (estimate)");
}

static void put_end(char *text, size_t size, const Proposal *p)
{
    int at = 0;
    char all[80];
    bool is_sectors = p->layout.kind > LAYOUT_SWIZZLE;
    put_change(all, sizeof all, is_sectors, p->all_before, p->all_after);
    if (p->access_count > 1)
        at = snprintf(text, size, "; on average over the %" PRIu32 " accesses to it %s",
                      p->access_count, all);
    if (p->more_bytes)
        at += snprintf(text + at, size - (size_t)at, "; %" PRIu64 " more bytes of shared memory",
                       p->more_bytes);
    put_certainty(text + at, size - (size_t)at, p->certainty, p->block);
}

const char *ptx_proposal_describe(Arena *arena, const Module *module, const Proposal *p)
{
    char text[1024], name[LONGEST_NAME + 1] = "", layout[384], change[80], end[288] = "",
                                         other[160] = "", swizzle[96];
    if (p->layout.kind == LAYOUT_SAME)
        return NULL;
    if (p->var != NO_ID)
        ptx_var_title(module, &module->vars[p->var], name, sizeof name);
    put_layout(layout, sizeof layout, &p->layout, name);
    put_change(change, sizeof change, p->layout.kind > LAYOUT_SWIZZLE, p->before, p->after);
    put_end(end, sizeof end, p);
    if (p->other.kind == LAYOUT_SWIZZLE) {
        put_swizzle(swizzle, sizeof swizzle, &p->other);
        snprintf(other, sizeof other, "; or swizzle it, without extra memory: %s", swizzle);
    }
    snprintf(text, sizeof text, "%s: %s%s%s", layout, change, end, other);
    return ptx_arena_strndup(arena, text, strlen(text));
}

/* What stands for a pointer is a multiple of any width: that it is one is all that was assumed. */
static void put_param(char *text, size_t size, const AssumedParam *param, uint32_t width)
{
    if (param->bytes == 8)
        snprintf(text, size, "param %" PRIu32 " %% %" PRIu32 " = 0", param->position, width);
    else
        snprintf(text, size, "param %" PRIu32 " = %" PRIu64, param->position, param->number);
}

/* Where an address is aligned: in any launch, or with the numbers that parameters were taken
 * for. */
static void put_where(char *text, size_t size, const Evaluation *assumed, uint32_t width)
{
    char one[48];
    size_t length = 0;
    for (uint32_t i = 0; assumed && i < assumed->assumed_count && length + 48 < size; i++) {
        const AssumedParam *param = &assumed->assumed[i];
        if (param->is_float || param->is_part)
            continue;
        put_param(one, sizeof one, param, width);
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "with ",
                                   one);
    }
    snprintf(text + length, size - length, "%s",
             length ? " (assumed)" : "wherever it was evaluated");
}

const char *ptx_widening_describe(Arena *arena, const Widening *w, uint32_t count, uint32_t bytes,
                                  const Evaluation *assumed)
{
    char text[480], change[64], end[96] = "", where[160];
    if (!w->bytes)
        return NULL;
    put_change(change, sizeof change, true, w->before, w->after);
    put_certainty(end, sizeof end, w->certainty, w->block);
    put_where(where, sizeof where, assumed, w->bytes);
    snprintf(text, sizeof text,
             "%s of %" PRIu32 " bytes: the address is a multiple of %" PRIu32
             " %s; %" PRIu32 " accesses of %" PRIu32 " bytes become %" PRIu32 ", %s%s",
             w->count > 1 ? "vector accesses" : "one vector access", w->bytes, w->bytes, where,
             count, bytes, w->count, change, end);
    return ptx_arena_strndup(arena, text, strlen(text));
}
