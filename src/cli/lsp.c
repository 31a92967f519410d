/* lsp.c -- the language server: what its command line and config files say, for src/lsp/. */
#include "cli/cli.h"

#include "lsp/lsp.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Settings that are open. */
typedef struct LspContext {
    /* as given under what the client asks for; lists that it asks for are its own */
    Options now;
    StringList gpu, grid, block;
    Inputs inputs;
    Book book;
} LspContext;

/* ---- what the client asks for ---------------------------------------------------------------- */

static StringList *setting_named(Options *options, const char *key)
{
    int row = 0;
    while (row + 1 < SETTING_COUNT && strcmp(ptx_setting_names[row].key, key) != 0)
        row++;
    return &options->settings[row];
}

/* The option has that value alone. */
static void replace_list(StringList *option, StringList *own, const char *value)
{
    if (value && ptx_strings_add(own, value, strlen(value)) == EXIT_CLEAN)
        *option = *own;
}

static void apply_wish(LspContext *c, const LspWish *wish)
{
    replace_list(&c->now.gpus, &c->gpu, wish->gpu);
    replace_list(setting_named(&c->now, "grid"), &c->grid, wish->grid);
    replace_list(setting_named(&c->now, "block"), &c->block, wish->block);
    if (wish->launch)
        c->now.launch_path = wish->launch;
    if (wish->config) {
        c->now.config_path = wish->config;
        c->now.has_no_config = false;
    }
}

static void close_settings(void *settings)
{
    LspContext *c = settings;
    if (!c)
        return;
    ptx_book_free(&c->book);
    ptx_inputs_free(&c->inputs);
    ptx_strings_free(&c->gpu);
    ptx_strings_free(&c->grid);
    ptx_strings_free(&c->block);
    free(c);
}

/* What cannot be read is reported on standard error, and left out. */
static void *open_settings(void *context, const LspWish *wish)
{
    const Options *given = context;
    LspContext *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->now = *given;
    apply_wish(c, wish);
    ptx_inputs_read(&c->inputs, &c->now);
    ptx_book_open(&c->book, &c->now);
    return c;
}

/* ---- what holds for a file ------------------------------------------------------------------- */

static LspSettings find_lsp_settings(void *opened, const char *path)
{
    LspContext *c = opened;
    if (!c)
        return (LspSettings){ 0 };
    LspSettings found = { .rules = c->book.rules,
                          .gpus = c->inputs.gpus,
                          .gpu_count = c->inputs.gpu_count,
                          .launches = c->inputs.launches };
    const Settings *settings = ptx_book_file(&c->book, path ? path : "-");
    if (!settings)
        return found;
    ModuleSource source = { .options = &c->now, .given = &c->inputs, .config = &settings->inputs };
    found.rules = settings->rules;
    found.config = settings->config;
    found.launches = ptx_inputs_launches(&source)->launches;
    if (!found.gpu_count) {
        found.gpus = settings->inputs.gpus;
        found.gpu_count = settings->inputs.gpu_count;
    }
    return found;
}

/* The options themselves, without any config file: these may be mended while it runs. */
static ExitCode check_given(const Options *options)
{
    Options alone = *options;
    Inputs inputs = { 0 };
    Book book = { 0 };
    alone.has_no_config = true;
    alone.config_path = NULL;
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, &alone), ptx_book_open(&book, &alone));
    const Settings *settings = code == EXIT_CLEAN ? ptx_book_file(&book, "-") : NULL;
    if (settings)
        code = settings->code;
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}

ExitCode ptx_lsp(const Options *options)
{
    const ExitCode given = check_given(options);
    if (given != EXIT_CLEAN)
        return given;
    Options given_options = *options;
    const LspHost host = { &given_options, open_settings, find_lsp_settings, close_settings, 0.1 };
    int code = ptx_lsp_run(&host, STDIN_FILENO, STDOUT_FILENO);
    return code ? EXIT_FOUND : EXIT_CLEAN;
}
