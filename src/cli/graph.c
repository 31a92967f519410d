/* graph.c -- the control flow of one kernel, or what it computes, as a picture; or its graphs for
 * programs. */
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
    Text out[FORMAT__COUNT];    /* the graph of the first, in each format that is wanted */
    ExitCode code;
} GraphChoice;

/* A kernel; where a glob is given, a function of that name too. */
static bool may_be_drawn(const Options *options, const ptxlint_kernel *kernel)
{
    if (!options->kernel_glob)
        return kernel->is_entry;
    return ptxlint_name_fits(options->kernel_glob, kernel->name);
}

static ptxlint_format graph_format(Format format)
{
    if (format == FORMAT_DOT)
        return PTXLINT_DOT;
    return format == FORMAT_JSON ? PTXLINT_JSON : PTXLINT_SVG;
}

static ptxlint_status write_graph_in(GraphChoice *choice, Format format,
                                     const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    Text *out = &choice->out[format];
    bool is_links = choice->options->is_links && format != FORMAT_JSON;
    ptx_text_free(out);         /* the same for two places */
    return (is_links ? ptxlint_write_links : ptxlint_write_graph)(
        module, kernel, graph_format(format), ptx_text_write, out);
}

static void complain_of_nothing(const GraphChoice *choice, const ptxlint_kernel *kernel)
{
    ptx_complain(kernel->name, choice->options->is_links
                                   ? "it stores nothing, and its loops carry nothing: no links"
                                   : "it has no instructions to draw; --format json has its calls");
}

static void write_graph(GraphChoice *choice, const ptxlint_module *module,
                        const ptxlint_kernel *kernel)
{
    ptxlint_status status = PTXLINT_OK;
    for (size_t i = 0; i < choice->options->output_count && status == PTXLINT_OK; i++)
        status = write_graph_in(choice, choice->options->outputs[i].format, module, kernel);
    if (status == PTXLINT_BAD_ARGUMENT) {
        complain_of_nothing(choice, kernel);
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

static void put_graph(void *self, const Options *options, Text *out)
{
    GraphChoice *choice = self;
    ptx_text_append(out, &choice->out[options->output.format]);
}

ExitCode ptx_graph_command(const Options *options)
{
    GraphChoice choice = { .options = options };
    CliSubject subject;
    ExitCode code = ptx_subject_open(&subject, options, (const char *const *)options->paths);
    if (code == EXIT_CLEAN)
        code = ptx_matched_begin(&choice.matched, options);
    if (code == EXIT_CLEAN) {
        const ModuleSource like = { .has_instructions = true };
        choice.code = ptx_subject_each(&subject, &like, draw_module, &choice);
        code = judge_choice(&choice);
    }
    if (code == EXIT_CLEAN)
        code = ptx_output_each(options, put_graph, &choice);
    ptx_matched_free(&choice.matched);
    ptx_text_free(&choice.names);
    for (int i = 0; i < FORMAT__COUNT; i++)
        ptx_text_free(&choice.out[i]);
    ptx_subject_free(&subject);
    return code;
}
