#include "input/container/unpack.h"

#include "support/grow.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_ZLIB
#define ZLIB_CONST      /* its input is const */
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

static const char DAMAGED[] = "its packed data is damaged or cut off";
static const char TOO_LONG[] = "it unpacks to more than the limit (--max-unpacked)";

Packing ptx_packing_of(const unsigned char *bytes, size_t length)
{
    static const struct {
        Packing packing;
        size_t length;
        const char *magic;
    } rows[] = {
        { PACKING_ZSTD, 4, "\x28\xb5\x2f\xfd" },
        { PACKING_GZIP, 3, "\x1f\x8b\x08" },
        { PACKING_XZ, 6, "\xfd" "7zXZ" },       /* and a NUL */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (length >= rows[i].length && !memcmp(bytes, rows[i].magic, rows[i].length))
            return rows[i].packing;
    return PACKING_NONE;
}

/* ---- text that grows to a limit -------------------------------------------------------------- */

typedef struct UnpackRoom {
    Unpacked *out;
    size_t capacity, most;      /* without the NUL */
} UnpackRoom;

static ptxlint_status refuse_packed(Unpacked *out, const char *why)
{
    out->why = why;
    return PTXLINT_BAD_FILE;
}

static ptxlint_status reserve_room(UnpackRoom *room, size_t capacity)
{
    size_t exactly = 0;
    if (!ptx_list_reserve(&room->out->text, &exactly, capacity + 1, 1))
        return PTXLINT_NO_MEMORY;
    room->capacity = capacity;
    return PTXLINT_OK;
}

/* What is said is taken at its word up to a MiB: memory follows what comes. */
static ptxlint_status begin_room(UnpackRoom *room, const Packed *packed, Unpacked *out)
{
    enum { FIRST = 1 << 20 };
    const size_t limit = SIZE_MAX / 4;
    *room = (UnpackRoom){ .out = out, .most = limit };
    if (packed->expected > packed->most)
        return refuse_packed(out, TOO_LONG);
    if (packed->most < limit)
        room->most = (size_t)packed->most + 1;  /* so that the end shows at the last byte, too */
    size_t first = packed->expected ? (size_t)packed->expected : packed->length;
    first = first < FIRST ? first : FIRST;
    return reserve_room(room, first < room->most ? first : room->most);
}

/* Room for more, where it is full. */
static ptxlint_status make_unpack_room(UnpackRoom *room)
{
    if (room->out->length < room->capacity)
        return PTXLINT_OK;
    if (room->capacity == room->most)
        return refuse_packed(room->out, TOO_LONG);
    size_t wanted = 2 * room->capacity + 4096;
    return reserve_room(room, wanted < room->most ? wanted : room->most);
}

/* ---- the formats ----------------------------------------------------------------------------- */

#ifdef HAVE_LZ4
/* A block does not say how long it becomes; it cannot be more than 255 times as long. */
static ptxlint_status unpack_lz4(UnpackRoom *room, const Packed *packed)
{
    const size_t longest = packed->expected ? (size_t)packed->expected : packed->length * 255;
    const size_t length = longest < room->most ? longest : room->most;
    if (packed->length > INT_MAX / 256 || length > INT_MAX)
        return refuse_packed(room->out, TOO_LONG);
    ptxlint_status status = reserve_room(room, length);
    if (status != PTXLINT_OK)
        return status;
    int got = LZ4_decompress_safe((const char *)packed->bytes, room->out->text, (int)packed->length,
                                  (int)length);
    if (got < 0)
        return refuse_packed(room->out, DAMAGED);
    room->out->length = (size_t)got;
    return PTXLINT_OK;
}
#endif

#ifdef HAVE_ZSTD
static bool has_frame(const Packed *packed, size_t at)
{
    return at < packed->length
           && ptx_packing_of(packed->bytes + at, packed->length - at) == PACKING_ZSTD;
}

static ptxlint_status stream_zstd(UnpackRoom *room, const Packed *packed, ZSTD_DStream *stream)
{
    ZSTD_inBuffer in = { packed->bytes, packed->length, 0 };
    for (;;) {
        ptxlint_status status = make_unpack_room(room);
        if (status != PTXLINT_OK)
            return status;
        ZSTD_outBuffer to = { room->out->text, room->capacity, room->out->length };
        const size_t before = in.pos;
        size_t left = ZSTD_decompressStream(stream, &to, &in);
        bool is_stuck = in.pos == before && to.pos == room->out->length;
        room->out->length = to.pos;
        if (ZSTD_isError(left) || (left && is_stuck))
            return refuse_packed(room->out, DAMAGED);
        if (!left && !has_frame(packed, in.pos))
            return PTXLINT_OK;
    }
}

static ptxlint_status unpack_zstd(UnpackRoom *room, const Packed *packed)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (!stream)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = stream_zstd(room, packed, stream);
    ZSTD_freeDStream(stream);
    return status;
}
#endif

#ifdef HAVE_ZLIB
/* Members follow each other, as in gzip; what is behind them that is none is left. */
static ptxlint_status stream_gzip(UnpackRoom *room, const Packed *packed, z_stream *stream)
{
    size_t at = 0;
    for (;;) {
        ptxlint_status status = make_unpack_room(room);
        if (status != PTXLINT_OK)
            return status;
        size_t in = packed->length - at, to = room->capacity - room->out->length;
        stream->next_in = packed->bytes + at;
        stream->avail_in = in < UINT_MAX ? (unsigned)in : UINT_MAX;
        stream->next_out = (unsigned char *)room->out->text + room->out->length;
        stream->avail_out = to < UINT_MAX ? (unsigned)to : UINT_MAX;
        const unsigned had_in = stream->avail_in, had_out = stream->avail_out;
        int got = inflate(stream, Z_NO_FLUSH);
        at += had_in - stream->avail_in;
        room->out->length += had_out - stream->avail_out;
        bool is_member = at < packed->length && packed->bytes[at] == 0x1f;
        if (got == Z_STREAM_END && !is_member)
            return PTXLINT_OK;
        if (got == Z_STREAM_END)
            got = inflateReset(stream);
        if (got != Z_OK)
            return refuse_packed(room->out, DAMAGED);
    }
}

static ptxlint_status unpack_gzip(UnpackRoom *room, const Packed *packed)
{
    enum { GZIP_ALONE = 16 + MAX_WBITS };
    z_stream stream = { 0 };
    if (inflateInit2(&stream, GZIP_ALONE) != Z_OK)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = stream_gzip(room, packed, &stream);
    inflateEnd(&stream);
    return status;
}
#endif

#ifdef HAVE_LZMA
static ptxlint_status stream_xz(UnpackRoom *room, const Packed *packed, lzma_stream *stream)
{
    stream->next_in = packed->bytes;
    stream->avail_in = packed->length;
    for (;;) {
        ptxlint_status status = make_unpack_room(room);
        if (status != PTXLINT_OK)
            return status;
        stream->next_out = (unsigned char *)room->out->text + room->out->length;
        stream->avail_out = room->capacity - room->out->length;
        lzma_ret got = lzma_code(stream, LZMA_FINISH);
        room->out->length = room->capacity - stream->avail_out;
        if (got == LZMA_STREAM_END)
            return PTXLINT_OK;
        if (got == LZMA_MEM_ERROR)
            return PTXLINT_NO_MEMORY;
        if (got != LZMA_OK)
            return refuse_packed(room->out, DAMAGED);
    }
}

static ptxlint_status unpack_xz(UnpackRoom *room, const Packed *packed)
{
    const uint64_t dictionary = UINT64_C(256) << 20;
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, dictionary, LZMA_CONCATENATED) != LZMA_OK)
        return PTXLINT_NO_MEMORY;
    ptxlint_status status = stream_xz(room, packed, &stream);
    lzma_end(&stream);
    return status;
}
#endif

static ptxlint_status unpack_by_kind(UnpackRoom *room, const Packed *packed)
{
    switch (packed->packing) {
#ifdef HAVE_LZ4
    case PACKING_LZ4: return unpack_lz4(room, packed);
#endif
#ifdef HAVE_ZSTD
    case PACKING_ZSTD: return unpack_zstd(room, packed);
#endif
#ifdef HAVE_ZLIB
    case PACKING_GZIP: return unpack_gzip(room, packed);
#endif
#ifdef HAVE_LZMA
    case PACKING_XZ: return unpack_xz(room, packed);
#endif
    default: return refuse_packed(room->out, "this build lacks the library that unpacks it");
    }
}

ptxlint_status ptx_unpack(const Packed *packed, Unpacked *out)
{
    UnpackRoom room;
    *out = (Unpacked){ 0 };
    ptxlint_status status = begin_room(&room, packed, out);
    if (status == PTXLINT_OK)
        status = unpack_by_kind(&room, packed);
    if (status == PTXLINT_OK && out->length > packed->most)
        status = refuse_packed(out, TOO_LONG);
    if (status == PTXLINT_OK && packed->expected && out->length != packed->expected)
        status = refuse_packed(out, "it unpacks to another length than it says");
    if (status == PTXLINT_OK) {
        out->text[out->length] = 0;
        return PTXLINT_OK;
    }
    free(out->text);
    out->text = NULL;
    out->length = 0;
    return status;
}
