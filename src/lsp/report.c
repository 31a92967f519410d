/* report.c -- the report of a document for a side panel: {"textDocument": {...}, "format": "json"},
 * or "text". */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_report(void *context, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, context) != length;
}

void ptx_lsp_report(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    char *text = NULL;
    size_t length = 0;
    ptxlint_write_options options;
    const char *format = ptx_lsp_text(params, "format");
    const ptxlint_module *module = ptx_document_analysed(d, true);
    bool is_json = !format || !strcmp(format, "json");
    (void)server;
    if (!module || (!is_json && strcmp(format, "text") != 0)) {
        ptx_lsp_fail(answer, ERROR_PARAMS, "a report is of a PTX file, in json or text");
        return;
    }
    ptxlint_write_options_init(&options);
    options.format = is_json ? PTXLINT_JSON : PTXLINT_TEXT;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return;
    ptxlint_write_report(&module, 1, &options, write_report, out);
    fclose(out);
    answer->result = is_json ? json_loadb(text, length, 0, NULL)
                             : json_pack("{s:o}", "text", ptx_lsp_string(text, length));
    free(text);
}
