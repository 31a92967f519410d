#include "lsp/frame.h"

#include "support/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void compact(FrameReader *r)
{
    if (!r->begin)
        return;
    memmove(r->bytes, r->bytes + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
}

/* False: no memory. */
static bool reserve(FrameReader *r, size_t more)
{
    compact(r);
    return ptx_list_reserve(&r->bytes, &r->capacity, r->end + more, 1);
}

/* A large text leaves no large buffer behind. */
static void shrink(FrameReader *r)
{
    if (r->begin != r->end || r->capacity <= 1 << 16)
        return;
    free(r->bytes);
    *r = (FrameReader){ .is_broken = r->is_broken, .has_failed = r->has_failed };
}

void ptx_frame_push(FrameReader *r, const char *bytes, size_t length)
{
    shrink(r);
    if (r->is_broken || !length)
        return;
    if (!reserve(r, length)) {
        r->is_broken = r->has_failed = true;
        return;
    }
    memcpy(r->bytes + r->end, bytes, length);
    r->end += length;
}

/* Behind the empty line that ends the head; 0: it has not come yet. */
static size_t find_head_end(const FrameReader *r)
{
    for (size_t i = r->begin; i + 4 <= r->end; i++)
        if (!memcmp(r->bytes + i, "\r\n\r\n", 4))
            return i + 4;
    return 0;
}

/* The number of a Content-Length line; SIZE_MAX: it is none, or too large. */
static size_t read_length(const char *line, size_t length)
{
    static const char name[] = "Content-Length:";
    size_t at = sizeof name - 1, value = 0, digits = 0;
    if (length < at || strncasecmp(line, name, at) != 0)
        return SIZE_MAX;
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    for (; at < length && line[at] >= '0' && line[at] <= '9' && value <= FRAME_BYTES_MAX; at++) {
        value = 10 * value + (size_t)(line[at] - '0');
        digits++;
    }
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return digits && at == length && value <= FRAME_BYTES_MAX ? value : SIZE_MAX;
}

/* The Content-Length of a head; SIZE_MAX: it has none that is good. */
static size_t find_length(const FrameReader *r, size_t head_end)
{
    size_t found = SIZE_MAX;
    for (size_t at = r->begin; at < head_end && found == SIZE_MAX;) {
        const char *end = memchr(r->bytes + at, '\r', head_end - at);
        size_t length = (size_t)(end - (r->bytes + at));
        found = read_length(r->bytes + at, length);
        at += length + 2;
    }
    return found;
}

LspFrame ptx_frame_next(FrameReader *r)
{
    const LspFrame none = { NULL, 0 };
    if (r->is_broken)
        return none;
    size_t head_end = find_head_end(r);
    if (!head_end || head_end - r->begin > FRAME_HEAD_MAX) {
        r->is_broken = head_end || r->end - r->begin > FRAME_HEAD_MAX;
        return none;
    }
    size_t length = find_length(r, head_end);
    if (length == SIZE_MAX) {
        r->is_broken = true;
        return none;
    }
    if (length > r->end - head_end)
        return none;
    r->begin = head_end + length;
    return (LspFrame){ r->bytes + head_end, length };
}

void ptx_frame_free(FrameReader *r)
{
    free(r->bytes);
    *r = (FrameReader){ 0 };
}
