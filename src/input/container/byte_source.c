#include "input/container/byte_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool read_from_file(int file, uint64_t offset, unsigned char *out, size_t count)
{
    while (count) {
        ssize_t got = pread(file, out, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

bool ptx_bytes_read(const ByteSource *source, uint64_t offset, void *out, size_t count)
{
    if (offset > source->length || count > source->length - offset)
        return false;
    if (!source->memory)
        return read_from_file(source->file, offset, out, count);
    if (count)
        memcpy(out, source->memory + offset, count);
    return true;
}

/* In the bytes of one piece, which lies at a multiple of step; length: not there. */
static size_t find_in_piece(const unsigned char *bytes, size_t length, const unsigned char *pattern,
                        size_t count, unsigned step)
{
    for (size_t i = 0; i + count <= length; i += step) {
        const unsigned char *next = bytes + i;
        if (step == 1)
            next = memchr(next, pattern[0], length - i);
        if (!next)
            break;
        i = (size_t)(next - bytes);
        if (i + count <= length && !memcmp(next, pattern, count))
            return i;
    }
    return length;
}

/* Pieces overlap, so that none cuts the pattern; they grow, so that what is near costs little. */
uint64_t ptx_bytes_find(const ByteSource *source, ByteRange range, const void *pattern,
                        size_t count, unsigned step)
{
    enum { PIECE = 1 << 16, OVERLAP = 8 };
    unsigned char piece[PIECE + OVERLAP];
    size_t reach = 64;
    for (uint64_t at = range.begin; at < range.end; at += reach, reach = PIECE) {
        const uint64_t left = range.end - at;
        const size_t wanted = reach + OVERLAP;
        size_t length = left < wanted ? (size_t)left : wanted;
        if (!ptx_bytes_read(source, at, piece, length))
            return range.end;
        size_t found = find_in_piece(piece, length, pattern, count, step);
        if (found < length)
            return at + found;
    }
    return range.end;
}
