/* span.h -- half-open ranges of bytes in the source text. */
#ifndef PTX_SUPPORT_SPAN_H
#define PTX_SUPPORT_SPAN_H

#include "support/assert.h"
#include "support/minmax.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* begin <= end; offsets fit 32 bits because LIMIT_SOURCE_BYTES does. {0,0} is "no place". */
typedef struct Span {
    uint32_t begin, end;
} Span;

/* The smallest span that holds both; the empty span is the identity. */
static inline Span ptx_span_join(Span a, Span b)
{
    if (a.begin == a.end)
        return b;
    if (b.begin == b.end)
        return a;
    return (Span){ ptx_u32_min(a.begin, b.begin), ptx_u32_max(a.end, b.end) };
}

static inline uint32_t ptx_span_length(Span s)
{
    ASSERT(s.begin <= s.end);
    return s.end - s.begin;
}

static inline bool ptx_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without the blanks at its ends. */
static inline Span ptx_span_trim(const char *text, Span span)
{
    while (span.begin < span.end && ptx_is_blank(text[span.begin]))
        span.begin++;
    while (span.end > span.begin && ptx_is_blank(text[span.end - 1]))
        span.end--;
    return span;
}

/* As many bytes of a text as a message quotes: for "%.*s". */
static inline int ptx_shown(size_t length)
{
    return length > 80 ? 80 : (int)length;
}

static inline int ptx_span_shown(Span span)
{
    return ptx_shown(ptx_span_length(span));
}

#endif
