#include "input/container/fatbin.h"

#include <string.h>

enum { CONTAINER_HEADER = 16, ENTRY_HEADER = 64 };

enum {
    KIND_PTX = 0x1, KIND_ELF = 0x2, KIND_CUBIN = 0x4, KIND_NVVM = 0x8, KIND_FINALIZED = 0x10,
    KIND_RELOCATABLE_PTX = 0x40, KIND_TILE_IR = 0x80, KIND_CONCATENATED = 0x100
};

static FatbinKind kind_of(unsigned number)
{
    switch (number) {
    case KIND_PTX: case KIND_RELOCATABLE_PTX: case KIND_CONCATENATED: return FATBIN_PTX;
    case KIND_ELF: case KIND_CUBIN: case KIND_FINALIZED: return FATBIN_CUBIN;
    case KIND_NVVM: return FATBIN_NVVM;
    case KIND_TILE_IR: return FATBIN_TILE_IR;
    default: return FATBIN_OTHER;
    }
}

/* A walk over one range. */
typedef struct FatbinScan {
    const ByteSource *source;
    const FatbinVisitor *visitor;
    uint64_t end;
} FatbinScan;

static ptxlint_status report_trouble(const FatbinScan *scan, uint64_t offset, const char *why)
{
    return scan->visitor->trouble(scan->visitor->context, offset, why);
}

static FatbinEntry decode_entry(const unsigned char *header, uint64_t at, uint64_t payload_bytes)
{
    const unsigned kind = ptx_little_16(header);
    const uint64_t packed = ptx_little_32(header + 16);
    return (FatbinEntry){
        .kind = kind_of(kind),
        .is_concatenated = kind == KIND_CONCATENATED,
        .payload = at + ptx_little_32(header + 4),
        .packed_bytes = packed && packed <= payload_bytes ? packed : payload_bytes,
        .unpacked_bytes = ptx_little_64(header + 56),
        .flags = ptx_little_64(header + 40),
        .arch = ptx_little_32(header + 28),
        .version_minor = ptx_little_16(header + 24),
        .version_major = ptx_little_16(header + 26),
    };
}

/* *next: where the entry ends; 0: that is not known. */
static ptxlint_status scan_entry(const FatbinScan *scan, uint64_t at, uint64_t end, uint64_t *next)
{
    unsigned char header[ENTRY_HEADER];
    *next = 0;
    if (end - at < ENTRY_HEADER || !ptx_bytes_read(scan->source, at, header, sizeof header))
        return report_trouble(scan, at, "the container ends in the header of an entry");
    const uint64_t header_bytes = ptx_little_32(header + 4);
    const uint64_t payload_bytes = ptx_little_64(header + 8);
    if (header_bytes < ENTRY_HEADER || header_bytes > end - at)
        return report_trouble(scan, at, "the header of this entry has an impossible length");
    if (payload_bytes > end - at - header_bytes)
        return report_trouble(scan, at, "this entry is longer than its container");
    *next = at + header_bytes + payload_bytes;
    FatbinEntry entry = decode_entry(header, at, payload_bytes);
    if (ptx_little_32(header + 16) > payload_bytes)
        return report_trouble(scan, at, "the packed length of this entry is longer than the entry");
    return scan->visitor->entry(scan->visitor->context, &entry);
}

/* *at moves behind the last entry that could be read. */
static ptxlint_status scan_entries(const FatbinScan *scan, uint64_t end, uint64_t *at)
{
    while (*at < end) {
        uint64_t next;
        ptxlint_status status = scan_entry(scan, *at, end, &next);
        if (status != PTXLINT_OK || !next)
            return status;
        *at = next;
    }
    return PTXLINT_OK;
}

/* In foreign bytes the magic may stand for itself, as in a program that reads containers: the first
 * entry has to make sense, too. */
static bool is_sound(const FatbinScan *scan, uint64_t at, const unsigned char *header)
{
    unsigned char entry[ENTRY_HEADER];
    const uint64_t begin = at + CONTAINER_HEADER, entries_bytes = ptx_little_64(header + 8);
    if (ptx_little_16(header + 4) != 1 || ptx_little_16(header + 6) != CONTAINER_HEADER)
        return false;
    if (!entries_bytes)
        return true;
    if (!ptx_bytes_read(scan->source, begin, entry, sizeof entry))
        return false;
    const uint32_t header_bytes = ptx_little_32(entry + 4);
    return header_bytes >= ENTRY_HEADER && header_bytes < 1 << 16 && entry[3] == 1;
}

/* *at moves on, by the header at least. */
static ptxlint_status scan_container(const FatbinScan *scan, bool is_search, uint64_t *at)
{
    unsigned char header[CONTAINER_HEADER];
    const uint64_t begin = *at;
    *at += 4;
    if (scan->end - begin < sizeof header
        || !ptx_bytes_read(scan->source, begin, header, sizeof header))
        return is_search ? PTXLINT_OK
                         : report_trouble(scan, begin, "the header of a container is cut off");
    if (is_search && !is_sound(scan, begin, header))
        return PTXLINT_OK;
    const uint64_t header_bytes = ptx_little_16(header + 6), length = ptx_little_64(header + 8);
    if (ptx_little_16(header + 4) != 1 || header_bytes < CONTAINER_HEADER
        || header_bytes > scan->end - begin)
        return report_trouble(scan, begin, "a container of a version that ptxlint does not know");
    const uint64_t left = scan->end - begin - header_bytes;
    ptxlint_status status = PTXLINT_OK;
    if (length > left)
        status = report_trouble(scan, begin, "this container is longer than what holds it");
    *at = begin + header_bytes;
    const uint64_t end = *at + (length < left ? length : left);
    if (status == PTXLINT_OK)
        status = scan_entries(scan, end, at);
    return status;
}

ptxlint_status ptx_fatbin_scan(const ByteSource *source, ByteRange range, bool is_search,
                               const FatbinVisitor *visitor)
{
    const FatbinScan scan = { source, visitor, range.end };
    ptxlint_status status = PTXLINT_OK;
    /* by 4 and not by 8: where a length was a lie, the next container may lie anywhere behind it */
    const unsigned step = is_search ? 1 : 4;
    for (uint64_t at = range.begin; status == PTXLINT_OK;) {
        const uint64_t behind = (at - range.begin) % step;
        at += behind ? step - behind : 0;
        at = ptx_bytes_find(source, (ByteRange){ at, range.end }, PTX_FATBIN_MAGIC, 4, step);
        if (at >= range.end)
            break;
        status = scan_container(&scan, is_search, &at);
    }
    return status;
}
