/* frame.h -- frames of the base protocol: headers, an empty line, and Content-Length bytes. */
#ifndef PTX_LSP_FRAME_H
#define PTX_LSP_FRAME_H

#include <stdbool.h>
#include <stddef.h>

enum { FRAME_BYTES_MAX = 256 << 20, FRAME_HEAD_MAX = 4096 };

/* Bytes that have come and no frame has taken yet. */
typedef struct FrameReader {
    char *bytes;
    size_t begin, end, capacity;
    bool is_broken; /* what came is no frame, or there is no memory: nothing follows */
    bool has_failed; /* no memory */
} FrameReader;

typedef struct LspFrame {
    const char *body; /* in the reader, until it is pushed to again; NULL: none is whole */
    size_t length;
} LspFrame;

void ptx_frame_push(FrameReader *reader, const char *bytes, size_t length);
LspFrame ptx_frame_next(FrameReader *reader);
void ptx_frame_free(FrameReader *reader);

#endif
