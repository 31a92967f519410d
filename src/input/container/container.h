/* container.h -- what PTX a file holds. Its bytes say of what kind it is, not its name; a file that
 * is packed as a whole is unpacked once. Entries are unpacked one at a time, when asked for. */
#ifndef PTX_INPUT_CONTAINER_CONTAINER_H
#define PTX_INPUT_CONTAINER_CONTAINER_H

#include "input/container/fatbin.h"
#include "input/container/unpack.h"

#include <jansson.h>

typedef enum ContainerKind {
    CONTAINER_NONE,     /* text, or at least nothing that is known: PTX is expected */
    CONTAINER_FATBIN,
    CONTAINER_HOST,     /* a program, a library, an object, an archive of them */
    CONTAINER_CUBIN,
    CONTAINER_TILE_IR,
    CONTAINER_BITCODE,  /* of LLVM */
    CONTAINER_TRACE,    /* of tritonparse */
    CONTAINER_THIN,     /* an archive that only names its objects */
    CONTAINER_BINARY    /* none of these, and no text */
} ContainerKind;

enum { CONTAINER_TROUBLES = 32 };

typedef struct ContainerTrouble {
    uint64_t offset;
    const char *why;
} ContainerTrouble;

typedef struct Container {
    ByteSource source;
    unsigned char *owned;       /* source.memory, where it is ours */
    ContainerKind kind;
    bool is_packed;             /* as a whole */
    uint64_t max_unpacked_bytes;        /* 0: not given */
    FatbinEntry *entries;       /* the PTX in it, in the order of the file */
    size_t entry_count, entry_capacity;
    size_t kind_counts[FATBIN_KIND__COUNT];
    FatbinEntry newest;         /* of entries without PTX, that of the newest architecture */
    ContainerTrouble troubles[CONTAINER_TROUBLES];
    size_t trouble_count;       /* also of those that are not kept */
    const char *why;            /* of PTXLINT_BAD_FILE: as Unpacked.why */
    json_t *launches;           /* of CONTAINER_TRACE: as of ptx_trace_scan */
} Container;

/* source stays the caller's, and must outlive the container. PTXLINT_BAD_FILE: container->why says
 * why it is not to be read at all. container is zeroed before, but for max_unpacked_bytes, and must
 * be freed in any case. */
ptxlint_status ptx_container_read(Container *container, const ByteSource *source);
void ptx_container_free(Container *container);

/* The text of entry number index, without NULs at its end; for CONTAINER_NONE, number 0 is all. May
 * be asked for by several threads at once. */
ptxlint_status ptx_container_text(const Container *container, size_t index, Unpacked *out);

/* What the file says of its launches: a launch file, a new reference; NULL: nothing. */
json_t *ptx_container_launches(const Container *container, size_t index);

#endif
