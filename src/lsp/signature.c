/* signature.c -- the operands that the instruction takes, and which of them is being written. */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURES_MAX = 16 };

/* Where operand `index` stands in the label, in the client's units: "d", or "[a]" with its
 * brackets. */
static json_t *parameters_of(const LspServer *server, const char *label, size_t behind)
{
    json_t *list = json_array();
    unsigned depth = 0;
    size_t begin = behind;
    for (size_t at = behind;; at++) {
        char c = label[at];
        depth += c == '[' || c == '{' || c == '(';
        depth -= (c == ']' || c == '}' || c == ')') && depth;
        if (c && (c != ',' || depth))
            continue;
        if (at > begin)
            json_array_append_new(
                list, json_pack("{s:[I,I]}", "label",
                                (json_int_t)ptx_lsp_units(server, label, begin),
                                (json_int_t)ptx_lsp_units(server, label, at)));
        if (!c)
            return list;
        begin = at + 1 + (label[at + 1] == ' ');
    }
}

static json_t *signature_of(const LspServer *server, const ptxlint_isa_form *form)
{
    char label[1024];
    snprintf(label, sizeof label, "%s %s", form->modifiers_text, form->operands_text);
    size_t behind = strlen(form->modifiers_text) + 1;
    if (behind > strlen(label))
        behind = strlen(label);
    return json_pack("{s:o, s:o, s:o}", "label", ptx_lsp_string(label, strlen(label)),
                     "documentation", ptx_lsp_markup(server, form->summary), "parameters",
                     parameters_of(server, label, behind));
}

void ptx_lsp_signature(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    ptxlint_isa *isa;
    if (d->language != LANGUAGE_PTX)
        return;
    uint32_t offset = ptx_lsp_offset(server, d, json_object_get(params, "position"));
    Statement s = ptx_statement_at(d, offset);
    const char *text = d->text + s.opcode.begin;
    size_t length = s.opcode.end - s.opcode.begin;
    if (!length || s.is_comment || offset <= s.opcode.end)
        return;
    if (ptxlint_isa_new(text, length, &isa, NULL, 0) != PTXLINT_OK)
        return;
    json_t *list = json_array();
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    for (size_t f = 0; f < info->form_count && f < SIGNATURES_MAX; f++)
        json_array_append_new(list, signature_of(server, &info->forms[f]));
    answer->result = json_pack("{s:o, s:i, s:I}", "signatures", list, "activeSignature", 0,
                               "activeParameter", (json_int_t)s.commas);
    ptxlint_isa_free(isa);
}
