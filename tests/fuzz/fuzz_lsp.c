/* fuzz_lsp.c -- any bytes as what a client sends.
 *
 * As they are they are frames: whatever pieces they come in, the same frames come out. Each line of
 * them is a message, too, of a session with the whole server, which must end by itself. */
#include "fuzz.h"

#include "lsp/frame.h"
#include "lsp/lsp.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BY_BYTE = 256 };         /* each push looks at what there is again */

/* ---- frames ---------------------------------------------------------------------------------- */

/* A sum over all frames, and whether the reader gave up. */
static uint64_t read_frames(const char *bytes, size_t length, size_t piece)
{
    FrameReader reader = { 0 };
    uint64_t sum = 1;
    for (size_t at = 0; at < length; at += piece) {
        ptx_frame_push(&reader, bytes + at, piece < length - at ? piece : length - at);
        for (LspFrame frame; (frame = ptx_frame_next(&reader)).body;) {
            sum = 31 * sum + frame.length + 7;
            for (size_t i = 0; i < frame.length; i++)
                sum = 31 * sum + (unsigned char)frame.body[i];
        }
    }
    sum = 2 * sum + reader.is_broken;
    ptx_frame_free(&reader);
    return sum;
}

/* ---- a session ------------------------------------------------------------------------------- */

static void *open_settings(void *context, const LspWish *wish)
{
    (void)context, (void)wish;
    return NULL;
}

static LspSettings find(void *settings, const char *path)
{
    (void)settings, (void)path;
    return (LspSettings){ 0 };
}

static void close_settings(void *settings)
{
    (void)settings;
}

static void run_session(const char *bytes, size_t length)
{
    const LspHost host = { NULL, open_settings, find, close_settings, 0.1 };
    FILE *in = tmpfile();
    int out = open("/dev/null", O_WRONLY);
    require(in && out >= 0, "files");
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t line = end ? (size_t)(end - (bytes + at)) : length - at;
        fprintf(in, "Content-Length: %zu\r\n\r\n", line);
        fwrite(bytes + at, 1, line, in);
        at += line + 1;
    }
    rewind(in);
    ptx_lsp_run(&host, fileno(in), out);
    fclose(in);
    close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    const size_t first = size < BY_BYTE ? size : BY_BYTE;
    require(read_frames(bytes, first, 1) == read_frames(bytes, first, first + !first),
            "the same frames byte by byte");
    require(read_frames(bytes, size, 61) == read_frames(bytes, size, size + !size),
            "the same frames in pieces");
    run_session(bytes, size);
    return 0;
}
