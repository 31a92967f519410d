/* schema.c -- the JSON Schemas of what ptxlint writes and reads. */
#include "cli/cli.h"

static void put_names(Text *out)
{
    const char *name;
    for (size_t i = 0; (name = ptxlint_schema_name(i)); i++)
        ptx_text_print(out, "%s\n", name);
}

static ExitCode complain_name(const char *name)
{
    const char *known;
    Text text = { 0 };
    for (size_t i = 0; (known = ptxlint_schema_name(i)); i++)
        ptx_text_print(&text, "%s%s", i ? ", " : "", known);
    if (text.has_failed)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    ptx_complain_word("schema", name, text.bytes);
    ptx_text_free(&text);
    return EXIT_USAGE;
}

/* Without a name: which there are. */
ExitCode ptx_schema_command(const Options *options)
{
    Text out = { 0 };
    const char *name = options->paths ? options->paths[0] : NULL;
    const char *text = name ? ptxlint_schema_text(name) : NULL;
    if (name && !text)
        return complain_name(name);
    if (name && options->paths[1]) {
        ptx_complain(options->paths[1], "schema takes one NAME");
        return EXIT_USAGE;
    }
    if (text)
        ptx_text_put(&out, text);
    else
        put_names(&out);
    ExitCode code = ptx_output_text(options, &out);
    ptx_text_free(&out);
    return code;
}
