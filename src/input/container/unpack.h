/* unpack.h -- packed bytes to plain ones, by the libraries that the build has. */
#ifndef PTX_INPUT_CONTAINER_UNPACK_H
#define PTX_INPUT_CONTAINER_UNPACK_H

#include "ptxlint/ptxlint.h"

#include <stddef.h>
#include <stdint.h>

typedef enum Packing {
    PACKING_NONE,
    PACKING_LZ4,        /* a block without a frame */
    PACKING_ZSTD,       /* frames */
    PACKING_GZIP,
    PACKING_XZ
} Packing;

typedef struct Packed {
    Packing packing;
    const unsigned char *bytes;
    size_t length;
    uint64_t expected;  /* bytes that it should unpack to; 0: not said */
    uint64_t most;      /* bytes that it may unpack to */
} Packed;

typedef struct Unpacked {
    char *text;         /* length bytes and a NUL; malloc'ed */
    size_t length;
    const char *why;    /* of PTXLINT_BAD_FILE: what is wrong, as the rest of a sentence */
} Unpacked;

/* By the first bytes of a file; PACKING_NONE: it is not packed. */
Packing ptx_packing_of(const unsigned char *bytes, size_t length);

/* Not of PACKING_NONE. PTXLINT_BAD_FILE, PTXLINT_NO_MEMORY: out->text is NULL. */
ptxlint_status ptx_unpack(const Packed *packed, Unpacked *out);

#endif
