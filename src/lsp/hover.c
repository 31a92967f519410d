/* hover.c -- what stands under the mouse: an instruction's page, what is known of a register, a
 * kernel's figures, a number's value. */
#include "lsp/server.h"

#include "support/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Hovered {
    LspServer *server;
    LspDocument *d;
    const ptxlint_module *syntax, *figures; /* figures: NULL: not there yet */
    uint32_t offset;
    FILE *out;
} Hovered;

static unsigned line_number(const Hovered *h, uint32_t offset)
{
    return (unsigned)ptx_lsp_line(h->d, offset) + 1;
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { LINES_SHOWN = 6 };

static void put_occurrence_lines(const Hovered *h, const ptxlint_symbol *s, bool is_written)
{
    unsigned count = 0, last = 0, lines[LINES_SHOWN];
    for (size_t i = 0; i < s->occurrence_count; i++) {
        const ptxlint_occurrence *o = &s->occurrences[i];
        unsigned line = line_number(h, o->span.begin);
        if (!(is_written ? o->is_written : o->is_read) || line == last)
            continue;
        last = line;
        if (count < LINES_SHOWN)
            lines[count] = line;
        count++;
    }
    fputs(count ? " in line" : " nowhere", h->out);
    fputs(ptx_text_if(count > 1, "s"), h->out);
    for (unsigned i = 0; i < count && i < LINES_SHOWN; i++)
        fprintf(h->out, "%s%u", i ? ", " : " ", lines[i]);
    if (count > LINES_SHOWN)
        fprintf(h->out, " and %u more", count - LINES_SHOWN);
}

static void put_value_words(const Hovered *h, const ptxlint_value *value)
{
    const char *assumed = value->certainty == PTXLINT_ESTIMATE ? " (an estimate)" : "";
    switch (value->uniformity) {
    case PTXLINT_UNIFORM_BLOCK:
        fputs("the same in all threads of the block", h->out);
        break;
    case PTXLINT_UNIFORM_WARP:
        fputs("the same in all lanes of a warp", h->out);
        break;
    case PTXLINT_AFFINE:
        if (value->stride == PTXLINT_UNKNOWN)
            fputs("affine in the lane, by an unknown step", h->out);
        else
            fprintf(h->out, "affine in the lane: %" PRId64 " more from lane to lane",
                    value->stride);
        break;
    case PTXLINT_DIVERGENT:
        fputs("lanes may differ in any way", h->out);
        break;
    default:
        fputs("not known", h->out);
        return;
    }
    fputs(assumed, h->out);
}

/* What its first definitions make of it, those at the mouse alone where one is there. */
static void put_definition_values(const Hovered *h, const ptxlint_symbol *s)
{
    ptxlint_value value, here;
    unsigned count = 0;
    bool is_here = ptxlint_module_value_at(h->figures, h->offset, &here) != 0, is_written = false;
    for (size_t i = 0; i < s->occurrence_count; i++)
        is_written |= s->occurrences[i].is_written && s->occurrences[i].span.begin <= h->offset
                      && h->offset <= s->occurrences[i].span.end;
    for (size_t i = 0; i < s->occurrence_count && count < LINES_SHOWN; i++) {
        uint32_t at = s->occurrences[i].span.begin;
        if (!s->occurrences[i].is_written || !ptxlint_module_value_at(h->figures, at, &value))
            continue;
        if (is_here && is_written && value.span.begin != here.span.begin)
            continue;
        fprintf(h->out, "\n- Value of line %u: ", line_number(h, at));
        put_value_words(h, &value);
        count++;
    }
}

static void put_text_range(const Hovered *h, const ptxlint_symbol *s)
{
    if (!s->occurrence_count)
        return;
    const ptxlint_occurrence *all = s->occurrences;
    size_t first = 0;
    while (first + 1 < s->occurrence_count && all[first].is_declaration)
        first++;
    unsigned from = line_number(h, all[first].span.begin),
             to = line_number(h, all[s->occurrence_count - 1].span.begin);
    if (from != to)
        fprintf(h->out, "\n- In the text from line %u to %u", from, to);
}

static void put_register(const Hovered *h, const ptxlint_symbol *s)
{
    fprintf(h->out, "**%s** — register of type `.%s`", s->name, s->type);
    if (s->vector > 1)
        fprintf(h->out, ", a vector of %u", s->vector);
    fprintf(h->out, "\n\n- Declared in line %u", line_number(h, s->declaration.begin));
    fputs("\n- Written", h->out);
    put_occurrence_lines(h, s, true);
    fputs("\n- Read", h->out);
    put_occurrence_lines(h, s, false);
    put_text_range(h, s);
    if (h->figures)
        put_definition_values(h, s);
    int64_t live = h->figures ? ptxlint_module_live_at(h->figures, h->offset) : PTXLINT_UNKNOWN;
    if (live != PTXLINT_UNKNOWN)
        fprintf(h->out, "\n- %" PRId64 " register%s live here", live, ptx_text_if(live != 1, "s"));
}

/* ---- other names ----------------------------------------------------------------------------- */

static void put_demangled(const Hovered *h, const char *name)
{
    char text[1024];
    if (ptxlint_demangle(name, PTXLINT_NAME_SIGNATURE, text, sizeof text))
        fprintf(h->out, "\n\n`%s`", text);
}

static const ptxlint_kernel *kernel_named(const ptxlint_module *module, const char *name)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    return NULL;
}

static void put_kernel_figures(const Hovered *h, const ptxlint_kernel *kernel)
{
    char title[512], launch[160];
    ptx_lsp_kernel_title(kernel, title, sizeof title);
    if (*title) {
        ptx_lsp_launch_words(kernel, launch, sizeof launch);
        fprintf(h->out, "\n\n%s, on %s", title, launch);
    }
    fprintf(h->out, "\n\n- %" PRIu64 " instruction%s, %zu loop%s, %zu memory access%s",
            kernel->mix.instruction_count, ptx_text_if(kernel->mix.instruction_count != 1, "s"),
            kernel->loop_count, ptx_text_if(kernel->loop_count != 1, "s"), kernel->access_count,
            ptx_text_if(kernel->access_count != 1, "es"));
    if (kernel->static_shared_bytes != PTXLINT_UNKNOWN)
        fprintf(h->out, "\n- %" PRId64 " bytes of static shared memory",
                kernel->static_shared_bytes);
    fprintf(h->out, "\n- %" PRId64 " register%s live at most", kernel->pressure.max_live,
            ptx_text_if(kernel->pressure.max_live != 1, "s"));
}

static void put_function(const Hovered *h, const ptxlint_symbol *s)
{
    const char *what = s->kind == PTXLINT_SYMBOL_ENTRY ? "kernel" : "function";
    fprintf(h->out, "**%s** — %s", s->name, what);
    put_demangled(h, s->name);
    const ptxlint_kernel *kernel = h->figures ? kernel_named(h->figures, s->name) : NULL;
    if (kernel && !kernel->has_syntax_error)
        put_kernel_figures(h, kernel);
    else if (!h->figures)
        fputs("\n\nIts figures are not estimated yet.", h->out);
}

/* The parameter of that PTX name, with its name in CUDA; NULL. */
static const ptxlint_param *sourced_param(const Hovered *h, const ptxlint_symbol *s)
{
    const ptxlint_kernel *kernel = h->figures && s->function ? kernel_named(h->figures, s->function)
                                                             : NULL;
    for (size_t i = 0; kernel && i < kernel->param_count; i++)
        if (kernel->params[i].source_name && !strcmp(kernel->params[i].name, s->name))
            return &kernel->params[i];
    return NULL;
}

static void put_variable_facts(const Hovered *h, const ptxlint_symbol *s)
{
    const char *what = s->kind == PTXLINT_SYMBOL_PARAMETER ? "parameter" : "variable";
    fprintf(h->out, "**%s** — %s", s->name, what);
    if (*s->space)
        fprintf(h->out, " in `.%s` space,", s->space);
    fprintf(h->out, " of type `.%s`", s->type);
    if (s->bytes)
        fprintf(h->out, "\n\n- %" PRId64 " bytes, aligned to %u", s->bytes, s->align);
    else
        fputs("\n\n- Its size is not said here", h->out);
    const ptxlint_param *param = sourced_param(h, s);
    if (param)
        fprintf(h->out, "\n- `%s` in CUDA", param->source_name);
    put_demangled(h, s->name);
}

static void put_symbol(const Hovered *h, const ptxlint_symbol *s)
{
    switch (s->kind) {
    case PTXLINT_SYMBOL_ENTRY:
    case PTXLINT_SYMBOL_FUNC:
        put_function(h, s);
        break;
    case PTXLINT_SYMBOL_VARIABLE:
    case PTXLINT_SYMBOL_PARAMETER:
        put_variable_facts(h, s);
        break;
    case PTXLINT_SYMBOL_REGISTER:
        put_register(h, s);
        break;
    case PTXLINT_SYMBOL_RANGE:
        fprintf(h->out, "**%s0** to **%s%" PRIu64 "** — registers of type `.%s`", s->name, s->name,
                s->count - 1, s->type);
        break;
    case PTXLINT_SYMBOL_LABEL: {
        size_t uses = 0;
        for (size_t i = 0; i < s->occurrence_count; i++)
            uses += !s->occurrences[i].is_declaration;
        fprintf(h->out, "**%s** — label in line %u, named %zu %s", s->name,
                line_number(h, s->declaration.begin), uses, uses == 1 ? "time" : "times");
        break;
    }
    }
}

/* ---- what needs no name ---------------------------------------------------------------------- */

/* The page of an instruction; where its modifiers are wrong, that of its opcode. */
static void put_instruction(const Hovered *h, ptxlint_span opcode)
{
    char page[4096];
    const char *text = h->d->text + opcode.begin;
    size_t length = opcode.end - opcode.begin;
    const ptxlint_gpu *gpu = ptx_document_gpu(h->server, h->d);
    errno = 0;
    if (!ptxlint_isa_hover(text, length, gpu, page, sizeof page)) {
        const char *dot = memchr(text, '.', length);
        if (errno == ENOMEM)
            ptx_lsp_no_memory();
        if (!dot || !ptxlint_isa_hover(text, (size_t)(dot - text), gpu, page, sizeof page))
            return;
    }
    fputs(page, h->out);
    int64_t live = h->figures ? ptxlint_module_live_at(h->figures, h->offset) : PTXLINT_UNKNOWN;
    if (live != PTXLINT_UNKNOWN)
        fprintf(h->out, "\n\n%" PRId64 " register%s live here.", live, ptx_text_if(live != 1, "s"));
}

static void put_special_register(const Hovered *h, ptxlint_span span)
{
    ptxlint_isa_register r;
    const char *text = h->d->text + span.begin;
    size_t length = span.end - span.begin;
    for (size_t i = 0; ptxlint_isa_register_at(i, &r); i++) {
        size_t n = strlen(r.name);
        bool is_it =
            length >= n && !memcmp(text, r.name, n)
            && (r.number_count ? length > n && text[n] >= '0' && text[n] <= '9' : length == n);
        if (!is_it)
            continue;
        fprintf(h->out, "**%.*s** — special register, `%s.%s`\n\nPTX %d.%d, %s or later",
                (int)length, text, r.vector > 1 ? ".v4" : "", r.type, r.first.version_major,
                r.first.version_minor, r.first.target);
        return;
    }
}

static void put_decoded_number(const Hovered *h, ptxlint_span span)
{
    char value[64];
    if (ptx_lsp_number(h->d->text + span.begin, span.end - span.begin, value, sizeof value))
        fprintf(h->out, "`%.*s` = **%s**", (int)(span.end - span.begin), h->d->text + span.begin,
                value);
}

/* What it is about; empty: nothing. */
static ptxlint_span put_hovered(const Hovered *h)
{
    size_t count;
    const ptxlint_tokens *tokens = ptx_document_tokens_at(h->d, h->offset);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    size_t at = all ? ptxlint_tokens_find(tokens, h->offset) : 0;
    if (!all || at == count || all[at].span.begin > h->offset)
        return (ptxlint_span){ 0, 0 };
    /* behind a word is still at the word */
    if (at && all[at].kind == PTXLINT_TOKEN_PUNCTUATION && all[at - 1].span.end == h->offset)
        at--;
    ptxlint_span opcode = ptx_lsp_opcode_at(h->d, h->offset);
    const ptxlint_symbol *symbol =
        h->syntax ? ptxlint_module_symbol_at(h->syntax, h->offset) : NULL;
    if (opcode.end)
        put_instruction(h, opcode);
    else if (all[at].kind == PTXLINT_TOKEN_NUMBER)
        put_decoded_number(h, all[at].span);
    else if (all[at].kind == PTXLINT_TOKEN_SPECIAL_REGISTER)
        put_special_register(h, all[at].span);
    else if (symbol && all[at].kind != PTXLINT_TOKEN_PUNCTUATION)
        put_symbol(h, symbol);
    return opcode.end ? opcode : all[at].span;
}

void ptx_lsp_hover(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    char *text = NULL;
    size_t length = 0;
    if (d->language == LANGUAGE_OTHER)
        ptx_cuda_hover(server, d, params, answer);
    if (d->language != LANGUAGE_PTX)
        return;
    Hovered h = { .server = server,
                  .d = d,
                  .figures = ptx_document_analysed(d, true),
                  .offset = ptx_lsp_offset(server, d, json_object_get(params, "position")),
                  .out = ptx_lsp_heard(open_memstream(&text, &length)) };
    if (!h.out)
        return;
    h.syntax = ptx_document_syntax_at(server, d, h.offset);
    ptxlint_span span = put_hovered(&h);
    ptx_lsp_close_text(h.out, &text);
    if (text && length)
        answer->result = json_pack("{s:o, s:o}", "contents", ptx_lsp_markup(server, text), "range",
                                   ptx_lsp_range(server, d, span));
    free(text);
}
