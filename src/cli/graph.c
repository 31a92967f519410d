/* graph.c -- the control flow of one kernel as a picture, or its graphs for programs. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SHOWN = 8 };

/* What is looked for, and what of it was found. */
typedef struct GraphChoice {
    const Options *options;
    Matched matched;
    size_t count;               /* of kernels that could be meant */
    Text names;                 /* of the first of them */
    Text out;                   /* the graph of the first */
    ExitCode code;
} GraphChoice;

/* A kernel; where a glob is given, a function of that name too. */
static bool may_be_drawn(const Options *options, const ptxlint_kernel *kernel)
{
    if (!options->kernel_glob)
        return kernel->is_entry;
    return ptxlint_name_fits(options->kernel_glob, kernel->name);
}

static ptxlint_format graph_format(const Options *options)
{
    if (options->output.format == FORMAT_DOT)
        return PTXLINT_DOT;
    return options->output.format == FORMAT_JSON ? PTXLINT_JSON : PTXLINT_SVG;
}

static void write_graph(GraphChoice *choice, const ptxlint_module *module,
                        const ptxlint_kernel *kernel)
{
    ptxlint_status status = ptxlint_write_graph(module, kernel, graph_format(choice->options),
                                                ptx_text_write, &choice->out);
    if (status == PTXLINT_BAD_ARGUMENT) {
        ptx_complain(kernel->name, "it has no instructions to draw; --format json has its calls");
        choice->code = EXIT_USAGE;
    } else if (status != PTXLINT_OK) {
        choice->code = ptx_complain_status(kernel->name, status);
    }
}

static void choose_kernel(GraphChoice *choice, const ptxlint_module *module)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t k = 0; k < count; k++) {
        if (!may_be_drawn(choice->options, &kernels[k]))
            continue;
        if (choice->count++ < NAMES_SHOWN)
            ptx_text_print(&choice->names, "%s%.100s", choice->count > 1 ? ", " : "",
                           kernels[k].name);
        if (choice->count == 1)
            write_graph(choice, module, &kernels[k]);
    }
}

static ExitCode draw_module(void *self, const ModuleSource *source, const ptxlint_module *module)
{
    GraphChoice *choice = self;
    choose_kernel(choice, module);
    return exit_code_max(choice->code,
                         ptx_matched_add(&choice->matched, ptx_inputs_launches(source), module));
}

/* One kernel has a graph: which, must be plain. */
static ExitCode judge_choice(GraphChoice *choice)
{
    if (choice->code < EXIT_INPUT)
        choice->code = exit_code_max(choice->code, ptx_matched_report(&choice->matched));
    if (choice->code != EXIT_CLEAN || choice->count == 1)
        return choice->code;
    if (!choice->count) {
        ptx_complain("graph", "the input has no kernel; --kernel names a function of it");
        return EXIT_USAGE;
    }
    Text text = { 0 };
    ptx_text_print(&text, "%zu kernels could be meant, as ", choice->count);
    ptx_text_put(&text, choice->names.length ? choice->names.bytes : "");
    ptx_text_put(&text, "; name one with --kernel");
    ptx_complain("graph", text.has_failed ? "several kernels could be meant" : text.bytes);
    ptx_text_free(&text);
    return EXIT_USAGE;
}

ExitCode ptx_graph_command(const Options *options)
{
    GraphChoice choice = { .options = options };
    Inputs inputs = { 0 };
    Book book = { 0 };
    FileList files = { 0 };
    ExitCode code = exit_code_max(ptx_inputs_read(&inputs, options), ptx_book_open(&book, options));
    for (size_t i = 0; options->paths[i] && code == EXIT_CLEAN; i++)
        code = ptx_paths_add(&files, options->paths[i], &book);
    if (code == EXIT_CLEAN)
        code = ptx_matched_begin(&choice.matched, options);
    if (code == EXIT_CLEAN) {
        const ModuleSource like = { .options = options, .given = &inputs,
                                    .has_instructions = true };
        choice.code = ptx_inputs_each(&like, &book, &files, draw_module, &choice);
        code = judge_choice(&choice);
    }
    if (code == EXIT_CLEAN)
        code = ptx_output_text(options, &choice.out);
    ptx_matched_free(&choice.matched);
    ptx_text_free(&choice.names);
    ptx_text_free(&choice.out);
    ptx_files_free(&files);
    ptx_book_free(&book);
    ptx_inputs_free(&inputs);
    return code;
}
