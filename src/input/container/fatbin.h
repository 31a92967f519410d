/* fatbin.h -- the containers that nvcc and fatbinary make: a header, then entries, each of a kind
 * and for an architecture, little-endian.
 *
 * Container, 16 bytes: +0 magic, +4 version 1, +6 length of the header, +8 length of the entries.
 * Entry, 64 bytes and more: +0 kind, +4 length of the header, +8 of the payload with padding, +16
 * of the packed payload (0: stored), +20 offset of the options of ptxas, +24 and +26 version of PTX
 * (minor, major), +28 architecture, +40 flags, +56 length of the unpacked payload (0: stored).
 * Confirmed on files of CUDA 12 and 13; there is no published description. */
#ifndef PTX_INPUT_CONTAINER_FATBIN_H
#define PTX_INPUT_CONTAINER_FATBIN_H

#include "input/container/byte_source.h"
#include "ptxlint/ptxlint.h"

#define PTX_FATBIN_MAGIC "\x50\xed\x55\xba"

/* What an entry is; the kinds that ptxlint does not know, and those without code, are OTHER. */
typedef enum FatbinKind {
    FATBIN_PTX,
    FATBIN_CUBIN,
    FATBIN_NVVM,        /* for link-time optimization; scrambled */
    FATBIN_TILE_IR,
    FATBIN_OTHER,
    FATBIN_KIND__COUNT
} FatbinKind;

typedef struct FatbinEntry {
    FatbinKind kind;
    bool is_concatenated;       /* may hold several modules one behind the other */
    uint64_t payload;           /* offset in the source */
    uint64_t packed_bytes, unpacked_bytes;
    uint64_t flags;
    unsigned arch, version_major, version_minor;
    uint64_t begin, end;        /* of it in the unpacked text; end 0: all */
} FatbinEntry;

/* Who takes entries and what is wrong; non-OK stops the reading. */
typedef struct FatbinVisitor {
    void *context;
    ptxlint_status (*entry)(void *context, const FatbinEntry *entry);
    ptxlint_status (*trouble)(void *context, uint64_t offset, const char *why);
} FatbinVisitor;

/* Every container in the range: at each multiple of 4 bytes where nothing else is expected, or,
 * where is_search, at any place of foreign bytes where a sound header lies. Linear in the length of
 * the range; each byte belongs to one entry at most. */
ptxlint_status ptx_fatbin_scan(const ByteSource *source, ByteRange range, bool is_search,
                               const FatbinVisitor *visitor);

#endif
