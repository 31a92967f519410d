#include "input/container/container.h"

#include "input/container/host.h"
#include "input/container/trace.h"
#include "support/limits.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 4096, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

/* ---- entries that are found ------------------------------------------------------------------ */

static ptxlint_status note_trouble(void *context, uint64_t offset, const char *why)
{
    Container *c = context;
    if (c->trouble_count < CONTAINER_TROUBLES)
        c->troubles[c->trouble_count] = (ContainerTrouble){ offset, why };
    c->trouble_count++;
    return PTXLINT_OK;
}

static ptxlint_status keep_entry(Container *c, const FatbinEntry *entry)
{
    if (c->entry_count == c->entry_capacity) {
        size_t capacity = 2 * c->entry_capacity + 16;
        FatbinEntry *grown = realloc(c->entries, capacity * sizeof *grown);
        if (!grown)
            return PTXLINT_NO_MEMORY;
        c->entries = grown;
        c->entry_capacity = capacity;
    }
    c->entries[c->entry_count++] = *entry;
    return PTXLINT_OK;
}

/* The next line that begins with .version, from *at on; length: none. */
static size_t find_version(const char *text, size_t length, size_t at)
{
    static const char word[] = ".version";
    bool is_line = true;
    for (; at + sizeof word <= length; at++) {
        if (is_line && !memcmp(text + at, word, sizeof word - 1))
            return at;
        is_line = text[at] == '\n' || text[at] == 0 || (is_line && strchr(" \t\r", text[at]));
    }
    return length;
}

static ptxlint_status unpack_entry(const Container *c, const FatbinEntry *entry, Unpacked *out);
static ptxlint_status unpack_range(const Container *c, ByteRange range, Packed packed,
                                   Unpacked *out);

/* Each is unpacked with all of them: so many that no more than a GiB is unpacked for it. */
static size_t max_parts(size_t length)
{
    enum { ALL = 1 << 30, SMALL = 4 << 20 };
    return 1 + ALL / (length + SMALL);
}

/* Modules one behind the other: each begins with its .version, and gets an entry of its own. */
static ptxlint_status split_entry(Container *c, const FatbinEntry *entry)
{
    Unpacked whole;
    FatbinEntry part = *entry;
    ptxlint_status status = unpack_entry(c, entry, &whole);
    if (status == PTXLINT_BAD_FILE)
        return note_trouble(c, entry->payload, whole.why);
    if (status != PTXLINT_OK)
        return status;
    size_t begin = find_version(whole.text, whole.length, 0);
    if (begin == whole.length)
        status = note_trouble(c, entry->payload, "this entry of several modules holds no PTX");
    size_t left = max_parts(whole.length);
    for (; status == PTXLINT_OK && begin < whole.length && left; left--) {
        size_t end = find_version(whole.text, whole.length, begin + 1);
        part.begin = begin;
        part.end = end;
        status = keep_entry(c, &part);
        begin = end;
    }
    if (status == PTXLINT_OK && begin < whole.length)
        status = note_trouble(c, entry->payload, "this entry holds too many modules");
    free(whole.text);
    return status;
}

static ptxlint_status note_entry(void *context, const FatbinEntry *entry)
{
    Container *c = context;
    c->kind_counts[entry->kind]++;
    if (entry->kind != FATBIN_PTX && entry->kind != FATBIN_OTHER
        && (entry->arch > c->newest.arch || !c->newest.payload))
        c->newest = *entry;
    if (entry->kind != FATBIN_PTX)
        return PTXLINT_OK;
    return entry->is_concatenated ? split_entry(c, entry) : keep_entry(c, entry);
}

/* ---- what the bytes are ---------------------------------------------------------------------- */

static bool has_magic(const unsigned char *head, size_t length, const char *magic, size_t count)
{
    return length >= count && !memcmp(head, magic, count);
}

static bool is_elf_for_cuda(const unsigned char *head, size_t length)
{
    enum { EM_CUDA_NUMBER = 190 };
    return has_magic(head, length, "\x7f" "ELF", 4) && length >= 20
           && ptx_little_16(head + 18) == EM_CUDA_NUMBER;
}

/* A NUL with something behind it: a dump of text may end in NULs. */
static bool is_binary(const unsigned char *head, size_t length)
{
    const unsigned char *nul = length ? memchr(head, 0, length) : NULL;
    while (nul && nul < head + length && !*nul)
        nul++;
    return nul && nul < head + length;
}

static ContainerKind kind_of_bytes(const unsigned char *head, size_t length)
{
    static const struct {
        ContainerKind kind;
        size_t length;
        const char *magic;
    } rows[] = {
        { CONTAINER_FATBIN, 4, PTX_FATBIN_MAGIC },
        { CONTAINER_TILE_IR, 7, "\x7f" "TileIR" },
        { CONTAINER_HOST, 4, "\x7f" "ELF" },
        { CONTAINER_HOST, 8, "!<arch>\n" },
        { CONTAINER_THIN, 8, "!<thin>\n" },
        { CONTAINER_HOST, 4, "MZ\x90" },                        /* PE; then a NUL */
        { CONTAINER_HOST, 4, "\xcf\xfa\xed\xfe" },              /* Mach-O, 64 bits */
        { CONTAINER_HOST, 4, "\xce\xfa\xed\xfe" },              /* 32 bits */
        { CONTAINER_HOST, 4, "\xca\xfe\xba\xbe" },              /* several architectures */
        { CONTAINER_BITCODE, 4, "BC\xc0\xde" },
    };
    if (is_elf_for_cuda(head, length))
        return CONTAINER_CUBIN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_magic(head, length, rows[i].magic, rows[i].length))
            return rows[i].kind;
    if (ptx_trace_is(head, length))
        return CONTAINER_TRACE;
    return is_binary(head, length) ? CONTAINER_BINARY : CONTAINER_NONE;
}

static bool has_other_code(const Container *c)
{
    return c->kind_counts[FATBIN_CUBIN] || c->kind_counts[FATBIN_NVVM];
}

/* All of it is kept: lines are what entries are made of. */
static ptxlint_status scan_trace(Container *c, const FatbinVisitor *visitor)
{
    Unpacked whole = { .text = (char *)c->owned, .length = (size_t)c->source.length };
    ptxlint_status status = PTXLINT_OK;
    if (!c->owned)
        status = unpack_range(c, (ByteRange){ 0, c->source.length }, (Packed){ .most = 0 }, &whole);
    if (status != PTXLINT_OK)
        return status;
    c->owned = (unsigned char *)whole.text;
    c->source = (ByteSource){ .memory = c->owned, .file = -1, .length = whole.length };
    return ptx_trace_scan(whole.text, whole.length, visitor, &c->launches);
}

static ptxlint_status scan_source(Container *c)
{
    const FatbinVisitor visitor = { c, note_entry, note_trouble };
    if (c->kind == CONTAINER_TRACE)
        return scan_trace(c, &visitor);
    if (c->kind == CONTAINER_FATBIN)
        return ptx_fatbin_scan(&c->source, (ByteRange){ 0, c->source.length }, false, &visitor);
    if (c->kind != CONTAINER_HOST)
        return PTXLINT_OK;
    ptxlint_status status = ptx_host_scan(&c->source, &visitor);
    if (status != PTXLINT_OK || c->entry_count || !has_other_code(c))
        return status;
    /* PTX for linking at run time is plain data, as in cuFFT, and in no section of ours */
    memset(c->kind_counts, 0, sizeof c->kind_counts);
    c->trouble_count = 0;
    return ptx_fatbin_scan(&c->source, (ByteRange){ 0, c->source.length }, true, &visitor);
}

/* ---- files that are packed as a whole -------------------------------------------------------- */

/* A thousand times is far more than PTX, or a program, ever packs to. */
static uint64_t most_bytes(const Container *c, uint64_t packed_bytes)
{
    const uint64_t most = LIMIT_UNPACKED_FLOOR + LIMIT_UNPACKED_FACTOR * packed_bytes;
    if (c->max_unpacked_bytes)
        return c->max_unpacked_bytes;
    return most < LIMIT_UNPACKED_BYTES ? most : LIMIT_UNPACKED_BYTES;
}

static ptxlint_status unpack_range(const Container *c, ByteRange range, Packed packed,
                                   Unpacked *out)
{
    *out = (Unpacked){ .why = "it cannot be read to its end" };
    if (range.end - range.begin > LIMIT_SOURCE_BYTES)
        return PTXLINT_TOO_LARGE;
    packed.length = (size_t)(range.end - range.begin);
    unsigned char *bytes = malloc(packed.length + 1);
    if (!bytes)
        return PTXLINT_NO_MEMORY;
    packed.bytes = bytes;
    ptxlint_status status = PTXLINT_BAD_FILE;
    bool is_read = ptx_bytes_read(&c->source, range.begin, bytes, packed.length);
    if (is_read && packed.packing == PACKING_NONE) {
        *out = (Unpacked){ .text = (char *)bytes, .length = packed.length };
        return PTXLINT_OK;
    }
    if (is_read)
        status = ptx_unpack(&packed, out);
    free(bytes);
    return status;
}

/* From here on the source is what it unpacks to. */
static ptxlint_status unpack_all(Container *c, Packing packing)
{
    Unpacked whole;
    const ByteRange range = { 0, c->source.length };
    const Packed packed = { .packing = packing, .most = most_bytes(c, c->source.length) };
    ptxlint_status status = unpack_range(c, range, packed, &whole);
    c->why = whole.why;
    if (status != PTXLINT_OK)
        return status;
    c->owned = (unsigned char *)whole.text;
    c->source = (ByteSource){ .memory = c->owned, .file = -1, .length = whole.length };
    c->is_packed = true;
    return PTXLINT_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static size_t read_first_bytes(const Container *c, unsigned char *head)
{
    size_t length = c->source.length < HEAD_BYTES ? (size_t)c->source.length : HEAD_BYTES;
    return ptx_bytes_read(&c->source, 0, head, length) ? length : 0;
}

ptxlint_status ptx_container_read(Container *c, const ByteSource *source)
{
    unsigned char head[HEAD_BYTES];
    c->source = *source;
    size_t length = read_first_bytes(c, head);
    Packing packing = ptx_packing_of(head, length);
    if (packing != PACKING_NONE) {
        ptxlint_status status = unpack_all(c, packing);
        if (status != PTXLINT_OK)
            return status;
        length = read_first_bytes(c, head);
    }
    if (packing != PACKING_NONE && ptx_packing_of(head, length) != PACKING_NONE) {
        c->why = "it is packed twice; unpack it once by hand";
        return PTXLINT_BAD_FILE;
    }
    c->kind = kind_of_bytes(head, length);
    return scan_source(c);
}

void ptx_container_free(Container *c)
{
    free(c->entries);
    free(c->owned);
    json_decref(c->launches);
}

static ptxlint_status unpack_entry(const Container *c, const FatbinEntry *entry, Unpacked *out)
{
    Packed packed = { .expected = 0, .most = most_bytes(c, entry->packed_bytes) };
    if (entry->flags & FLAG_ZSTD)
        packed.packing = PACKING_ZSTD;
    else if (entry->flags & FLAG_LZ4)
        packed.packing = PACKING_LZ4;
    if (packed.packing != PACKING_NONE)
        packed.expected = entry->unpacked_bytes;
    return unpack_range(c, (ByteRange){ entry->payload, entry->payload + entry->packed_bytes },
                        packed, out);
}

static void cut_text(Unpacked *text, uint64_t begin, uint64_t end)
{
    if (end && end <= text->length) {
        text->length = (size_t)(end - begin);
        memmove(text->text, text->text + begin, text->length);
    }
    while (text->length && !text->text[text->length - 1])
        text->length--;
    text->text[text->length] = 0;
}

ptxlint_status ptx_container_text(const Container *c, size_t index, Unpacked *out)
{
    const FatbinEntry whole = { .packed_bytes = c->source.length };
    const FatbinEntry *entry = c->kind == CONTAINER_NONE ? &whole : &c->entries[index];
    if (c->kind == CONTAINER_TRACE)
        return ptx_trace_text((const char *)c->source.memory + entry->payload,
                              (size_t)entry->packed_bytes, out);
    ptxlint_status status = unpack_entry(c, entry, out);
    if (status == PTXLINT_OK)
        cut_text(out, entry->begin, entry->end);
    return status;
}

json_t *ptx_container_launches(const Container *c, size_t index)
{
    if (c->kind != CONTAINER_TRACE)
        return NULL;
    const FatbinEntry *entry = &c->entries[index];
    return ptx_trace_launches((const char *)c->source.memory + entry->payload,
                              (size_t)entry->packed_bytes, c->launches);
}
