/* lsp.h -- the language server: LSP 3.17 over two file descriptors.
 *
 * frame.c reads frames, message.c writes answers, server.c is the loop and the life of a session;
 * document.c holds texts, position.c counts in them as the client does, worker.c analyses them in
 * threads of its own. The other files answer requests, each of one subject. */
#ifndef PTX_LSP_LSP_H
#define PTX_LSP_LSP_H

#include "ptxlint/ptxlint.h"

#include <stdbool.h>
#include <stddef.h>

/* What holds for one file. */
typedef struct LspSettings {
    const ptxlint_config *config;   /* NULL: all rules but previews */
    const ptxlint_rules *rules;     /* a user's; NULL */
    const ptxlint_gpu *const *gpus; /* none: what .target says */
    size_t gpu_count;
    const ptxlint_launches *launches; /* NULL */
} LspSettings;

/* What a client asks for over config files, as options of the command line have it; NULL: not
 * said. */
typedef struct LspWish {
    char *gpu, *launch, *config, *grid, *block;
} LspWish;

/* The program around the server. Settings are opened again whenever they may have changed; those
 * that an analysis still needs are closed later. */
typedef struct LspHost {
    void *context;
    void *(*open)(void *context, const LspWish *wish); /* NULL: no memory */
    /* Good until the settings are closed, which may be NULL. path may be, too: a text that no file
     * holds. */
    LspSettings (*find)(void *settings, const char *path);
    void (*close)(void *settings);
    double rest_seconds; /* without an edit, before findings are looked for */
} LspHost;

/* Serves until the client leaves; the exit status: 0 after a shutdown, else 1. */
int ptx_lsp_run(const LspHost *host, int in, int out);

#endif
