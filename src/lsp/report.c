/* report.c -- the report of a document for a side panel: {"textDocument": {...}, "format": "json"},
 * "text" or "html". */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_report(void *context, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, context) != length;
}

/* False: it is none of a report's. */
static bool read_report_format(const char *word, ptxlint_format *out)
{
    static const struct { const char *word; ptxlint_format format; } formats[] = {
        { "json", PTXLINT_JSON }, { "text", PTXLINT_TEXT }, { "html", PTXLINT_HTML },
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(word ? word : "json", formats[i].word)) {
            *out = formats[i].format;
            return true;
        }
    return false;
}

void ptx_lsp_report(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    char *text = NULL;
    size_t length = 0;
    ptxlint_write_options options;
    const ptxlint_module *module = ptx_document_analysed(d, true);
    ptxlint_write_options_init(&options);
    (void)server;
    if (!module || !read_report_format(ptx_lsp_text(params, "format"), &options.format)) {
        ptx_lsp_fail(answer, ERROR_PARAMS, "a report is of a PTX file, in json, text or html");
        return;
    }
    FILE *out = ptx_lsp_heard(open_memstream(&text, &length));
    if (!out)
        return;
    ptxlint_status status = ptxlint_write_report(&module, 1, &options, write_report, out);
    ptx_lsp_close_text(out, &text);
    if (status != PTXLINT_OK)
        ptx_lsp_fail(answer, ERROR_PARAMS, "the report cannot be written in this format");
    else if (options.format == PTXLINT_JSON)
        answer->result = json_loadb(text, length, 0, NULL);
    else
        answer->result = json_pack("{s:o}", "text", ptx_lsp_string(text, length));
    free(text);
}
