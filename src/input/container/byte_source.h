/* byte_source.h -- where the bytes of an input come from: an open file, of which only what is asked
 * for is read, or memory. Either may be read from several threads. */
#ifndef PTX_INPUT_CONTAINER_BYTE_SOURCE_H
#define PTX_INPUT_CONTAINER_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ByteSource {
    const unsigned char *memory;        /* NULL: file */
    int file;
    uint64_t length;
} ByteSource;

/* A part of it; begin <= end <= length. */
typedef struct ByteRange {
    uint64_t begin, end;
} ByteRange;

/* All count bytes at offset; false: they are beyond the end, or cannot be read. */
bool ptx_bytes_read(const ByteSource *source, uint64_t offset, void *out, size_t count);

/* The first place of a pattern of count bytes, at most 8, at a multiple of step from range.begin
 * on; range.end where there is none. */
uint64_t ptx_bytes_find(const ByteSource *source, ByteRange range, const void *pattern,
                        size_t count, unsigned step);

/* Little-endian numbers at any address. */
static inline uint16_t ptx_little_16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t ptx_little_32(const unsigned char *at)
{
    return ptx_little_16(at) | (uint32_t)ptx_little_16(at + 2) << 16;
}

static inline uint64_t ptx_little_64(const unsigned char *at)
{
    return ptx_little_32(at) | (uint64_t)ptx_little_32(at + 4) << 32;
}

#endif
