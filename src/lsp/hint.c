/* hint.c -- beside the code in view: what an access costs beyond the least, registers live where a
 * block begins, numbers that are written as bits. */
#include "lsp/server.h"

#include "support/choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct HintRun {
    LspServer *server;
    LspDocument *d;
    const ptxlint_module *figures;
    ptxlint_span wanted;
    json_t *list;
} HintRun;

static bool is_in_view(const HintRun *h, uint32_t offset)
{
    return h->wanted.begin <= offset && offset <= h->wanted.end;
}

static void add_hint(HintRun *h, uint32_t offset, const char *label)
{
    json_array_append_new(h->list, json_pack("{s:o, s:s, s:b}", "position",
                                             ptx_lsp_position(h->server, h->d, offset), "label",
                                             label, "paddingLeft", 1));
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Nothing where nothing is known, or the access is as good as it can be. */
static void add_access(HintRun *h, const ptxlint_access *a)
{
    char label[96] = "";
    const char *about = a->certainty == PTXLINT_ESTIMATE ? "about " : "";
    if (a->function || !is_in_view(h, a->span.end))
        return;
    if (a->sectors_per_request > a->ideal_sectors_per_request + 0.05)
        snprintf(label, sizeof label, "%s%.3g sectors, %.3g would do", about,
                 a->sectors_per_request, a->ideal_sectors_per_request);
    else if (a->wavefronts_per_request > a->ideal_wavefronts_per_request + 0.05)
        snprintf(label, sizeof label, "%s%.3g passes, %.3g would do", about,
                 a->wavefronts_per_request, a->ideal_wavefronts_per_request);
    if (*label)
        add_hint(h, a->span.end, label);
}

static void add_accesses(HintRun *h)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(h->figures, &count);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < kernels[k].access_count; i++)
            add_access(h, &kernels[k].accesses[i]);
}

/* ---- live registers -------------------------------------------------------------------------- */

/* At a label: of the statement behind it. */
static void add_live(HintRun *h, const ptxlint_symbol *label)
{
    char text[64];
    uint32_t at = label->declaration.end;
    if (!is_in_view(h, at))
        return;
    while (at < h->d->length && strchr(" \t\r\n:", h->d->text[at]))
        at++;
    int64_t live = ptxlint_module_live_at(h->figures, at);
    if (live == PTXLINT_UNKNOWN)
        return;
    snprintf(text, sizeof text, "%" PRId64 " register%s live", live, ptx_text_if(live != 1, "s"));
    add_hint(h, label->declaration.end + 1, text);
}

static void add_labels(HintRun *h)
{
    size_t count;
    const ptxlint_module *syntax = ptx_document_syntax(h->server, h->d);
    const ptxlint_symbol *all = syntax ? ptxlint_module_symbols(syntax, &count) : NULL;
    for (size_t i = 0; all && i < count; i++)
        if (all[i].kind == PTXLINT_SYMBOL_LABEL)
            add_live(h, &all[i]);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Floats alone: 0x1F says enough. */
static void add_numbers(HintRun *h)
{
    size_t count;
    char value[64], label[80];
    const ptxlint_tokens *tokens = ptx_document_tokens(h->d);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    for (size_t i = all ? ptxlint_tokens_find(tokens, h->wanted.begin) : 0;
         all && i < count && all[i].span.begin < h->wanted.end; i++) {
        const char *text = h->d->text + all[i].span.begin;
        size_t length = all[i].span.end - all[i].span.begin;
        bool is_float =
            all[i].kind == PTXLINT_TOKEN_NUMBER && length > 2 && strchr("fFdD", text[1]) != NULL;
        if (!is_float || !ptx_lsp_number(text, length, value, sizeof value))
            continue;
        snprintf(label, sizeof label, "= %s", value);
        add_hint(h, all[i].span.end, label);
    }
}

void ptx_lsp_hints(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    HintRun h = {
        .server = server, .d = d, .figures = ptx_document_analysed(d, true), .list = json_array()
    };
    answer->result = h.list;
    if (!h.figures)
        return;
    h.wanted = ptx_lsp_span(server, d, json_object_get(params, "range"));
    add_accesses(&h);
    add_labels(&h);
    add_numbers(&h);
}
