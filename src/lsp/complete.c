/* complete.c -- what may come next: opcodes, the modifiers that the target has there, directives,
 * registers, labels and other names that hold here. */
#include "lsp/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    ITEM_FUNCTION = 3,
    ITEM_FIELD = 5,
    ITEM_VARIABLE = 6,
    ITEM_VALUE = 12,
    ITEM_KEYWORD = 14,
    ITEM_REFERENCE = 18,
    ITEM_ENUM_MEMBER = 20,
    ITEM_CONSTANT = 21,
    ITEM_OPERATOR = 24
};

enum { PREFIX_MAX = 160, REGISTERS_MAX = 2000 };

typedef struct Completing {
    LspServer *server;
    LspDocument *d;
    const ptxlint_module *syntax;
    Statement statement;
    uint32_t offset, from; /* from: where what is replaced begins */
    json_t *items;
    json_t *tried; /* an object: modifiers that were looked at */
} Completing;

static void add_completion(Completing *c, const char *label, int kind, const char *detail)
{
    json_t *item = json_pack(
        "{s:o, s:i, s:{s:o, s:o}}", "label", ptx_lsp_string(label, strlen(label)), "kind", kind,
        "textEdit", "range", ptx_lsp_range(c->server, c->d, (ptxlint_span){ c->from, c->offset }),
        "newText", ptx_lsp_string(label, strlen(label)));
    if (detail && *detail)
        json_object_set_new(item, "detail", json_string(detail));
    json_array_append_new(c->items, item);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void add_opcodes(Completing *c)
{
    ptxlint_isa_opcode opcode;
    const ptxlint_gpu *gpu = ptx_document_target(c->server, c->d);
    for (size_t i = 0; ptxlint_isa_opcode_at(i, &opcode); i++)
        if (!gpu || ptxlint_isa_has(opcode.text, strlen(opcode.text), gpu))
            add_completion(c, opcode.text, ITEM_KEYWORD, opcode.summary);
}

static bool is_modifier_written(const char *prefix, const char *value)
{
    size_t length = strlen(value);
    for (const char *dot = strchr(prefix, '.'); dot; dot = strchr(dot + 1, '.'))
        if (!strncmp(dot + 1, value, length) && (dot[1 + length] == '.' || !dot[1 + length]))
            return true;
    return false;
}

/* Some instruction of the target, or where it is not known of any, is written so. */
static bool is_legal(Completing *c, const char *text, size_t length)
{
    ptxlint_isa *isa;
    const ptxlint_gpu *gpu = ptx_document_target(c->server, c->d);
    if (gpu)
        return ptxlint_isa_has(text, length, gpu) != 0;
    if (ptxlint_isa_new(text, length, &isa, NULL, 0) != PTXLINT_OK)
        return false;
    ptxlint_isa_free(isa);
    return true;
}

/* The modifier, where an instruction has it together with those before. */
static void try_modifier(Completing *c, const char *prefix, const char *value, const char *what)
{
    char whole[2 * PREFIX_MAX], label[PREFIX_MAX];
    int length = snprintf(whole, sizeof whole, "%s.%s", prefix, value);
    snprintf(label, sizeof label, ".%s", value);
    if (!*value || length >= (int)sizeof whole || json_object_get(c->tried, label))
        return;
    json_object_set_new(c->tried, label, json_true());
    if (is_legal(c, whole, (size_t)length))
        add_completion(c, label, ITEM_ENUM_MEMBER, what);
}

/* Positions of a form up to and with the first that must be filled and is not. */
static void add_form_modifiers(Completing *c, const char *prefix, const ptxlint_isa_form *form)
{
    for (size_t m = 0; m < form->modifier_count; m++) {
        const ptxlint_isa_modifier *modifier = &form->modifiers[m];
        bool is_filled = false;
        for (size_t v = 0; v < modifier->value_count; v++)
            is_filled |= is_modifier_written(prefix, modifier->values[v]);
        for (size_t v = 0; !is_filled && v < modifier->value_count; v++)
            try_modifier(c, prefix, modifier->values[v], form->modifiers_text);
        if (!is_filled && !modifier->is_optional)
            return;
    }
}

static void add_modifiers(Completing *c)
{
    char prefix[PREFIX_MAX];
    ptxlint_isa *isa;
    const char *word = c->d->text + c->statement.word.begin;
    uint32_t at = c->offset;
    while (c->d->text[at - 1] != '.')
        at--;
    c->from = at - 1;
    snprintf(prefix, sizeof prefix, "%.*s", (int)(c->from - c->statement.word.begin), word);
    if (ptxlint_isa_new(prefix, strlen(prefix), &isa, NULL, 0) != PTXLINT_OK)
        return;
    const ptxlint_isa_info *info = ptxlint_isa_get_info(isa);
    c->tried = json_object();
    for (size_t f = 0; f < info->form_count; f++)
        add_form_modifiers(c, prefix, &info->forms[f]);
    json_decref(c->tried);
    ptxlint_isa_free(isa);
}

static void add_directives(Completing *c)
{
    static const char *const words[] = { ".version",
                                         ".target",
                                         ".address_size",
                                         ".entry",
                                         ".func",
                                         ".visible",
                                         ".extern",
                                         ".weak",
                                         ".common",
                                         ".global",
                                         ".const",
                                         ".shared",
                                         ".local",
                                         ".param",
                                         ".reg",
                                         ".align",
                                         ".file",
                                         ".loc",
                                         ".section",
                                         ".pragma",
                                         ".alias",
                                         ".maxntid",
                                         ".reqntid",
                                         ".minnctapersm",
                                         ".maxnreg",
                                         ".noreturn",
                                         ".branchtargets",
                                         ".calltargets",
                                         ".callprototype",
                                         ".reqnctapercluster",
                                         ".maxclusterrank",
                                         ".explicitcluster",
                                         ".blocksareclusters",
                                         ".minperctamemory",
                                         ".language" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_completion(c, words[i], ITEM_KEYWORD, NULL);
}

/* Behind a directive: types and spaces of a declaration. */
static void add_types(Completing *c)
{
    static const char *const words[] = { ".pred", ".b8",  ".b16",   ".b32",   ".b64", ".b128",
                                         ".u8",   ".u16", ".u32",   ".u64",   ".s8",  ".s16",
                                         ".s32",  ".s64", ".f16",   ".f16x2", ".f32", ".f64",
                                         ".v2",   ".v4",  ".align", ".ptr" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_completion(c, words[i], ITEM_ENUM_MEMBER, NULL);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void add_special_registers(Completing *c)
{
    ptxlint_isa_register r;
    char name[64], detail[64];
    for (size_t i = 0; ptxlint_isa_register_at(i, &r); i++) {
        snprintf(name, sizeof name, "%s%s", r.name, r.number_count ? "0" : "");
        snprintf(detail, sizeof detail, "special register, .%s", r.type);
        add_completion(c, name, ITEM_CONSTANT, detail);
    }
}

static bool starts_with(const Completing *c, const char *name)
{
    size_t length = c->offset - c->statement.word.begin;
    return !strncmp(name, c->d->text + c->statement.word.begin, length);
}

static void add_symbol_item(Completing *c, const ptxlint_symbol *s)
{
    char detail[96] = "label";
    int kind = ITEM_REFERENCE;
    if (s->kind == PTXLINT_SYMBOL_ENTRY || s->kind == PTXLINT_SYMBOL_FUNC) {
        kind = ITEM_FUNCTION;
        *detail = 0;
    } else if (*s->space) {
        kind = s->kind == PTXLINT_SYMBOL_PARAMETER ? ITEM_FIELD : ITEM_VARIABLE;
        snprintf(detail, sizeof detail, ".%s .%s", s->space, s->type);
    }
    add_completion(c, s->name, kind, detail);
}

static bool holds_here(const Completing *c, const ptxlint_symbol *s)
{
    return s->scope.begin <= c->offset && c->offset <= s->scope.end;
}

static void add_names(Completing *c, bool wants_labels)
{
    size_t count;
    const ptxlint_symbol *all = c->syntax ? ptxlint_module_symbols(c->syntax, &count) : NULL;
    for (size_t i = 0; all && i < count; i++)
        if ((all[i].kind == PTXLINT_SYMBOL_LABEL) == wants_labels && holds_here(c, &all[i])
            && all[i].kind != PTXLINT_SYMBOL_RANGE && starts_with(c, all[i].name)
            && json_array_size(c->items) < REGISTERS_MAX)
            add_symbol_item(c, &all[i]);
}

/* "@", "@!" stand before the word. */
static bool is_guard(const Completing *c)
{
    uint32_t at = c->statement.word.begin;
    at -= at > 1 && c->d->text[at - 1] == '!';
    return at && c->d->text[at - 1] == '@';
}

static void add_predicates(Completing *c)
{
    size_t count;
    const ptxlint_symbol *all = c->syntax ? ptxlint_module_symbols(c->syntax, &count) : NULL;
    for (size_t i = 0; all && i < count; i++)
        if (all[i].kind == PTXLINT_SYMBOL_REGISTER && !strcmp(all[i].type, "pred")
            && holds_here(c, &all[i]) && starts_with(c, all[i].name))
            add_symbol_item(c, &all[i]);
}

static bool wants_label(const Completing *c)
{
    const char *opcode = c->d->text + c->statement.opcode.begin;
    size_t length = c->statement.opcode.end - c->statement.opcode.begin;
    return length >= 3 && (!memcmp(opcode, "bra", 3) || !memcmp(opcode, "brx", 3));
}

/* ---- which ----------------------------------------------------------------------------------- */

static void complete(Completing *c)
{
    const Statement *s = &c->statement;
    const char *word = c->d->text + s->word.begin;
    size_t length = c->offset - s->word.begin;
    bool has_dot = memchr(word, '.', length) != NULL;
    if (s->is_comment)
        return;
    if (is_guard(c))
        add_predicates(c);
    else if (length && *word == '.' && !s->is_begin)
        add_types(c);
    else if (length && *word == '.')
        add_directives(c);
    else if (length && *word == '%') {
        add_names(c, false);
        add_special_registers(c);
    } else if (s->is_begin && has_dot)
        add_modifiers(c);
    else if (s->is_begin)
        add_opcodes(c);
    else if (wants_label(c))
        add_names(c, true);
    else if (!has_dot)
        add_names(c, false);
}

void ptx_lsp_completion(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    uint32_t offset = ptx_lsp_offset(server, d, json_object_get(params, "position"));
    if (d->language == LANGUAGE_CONFIG)
        answer->result = ptx_lsp_config_completion(server, d, offset);
    if (d->language != LANGUAGE_PTX)
        return;
    Completing c = { .server = server,
                     .d = d,
                     .syntax = ptx_document_syntax_at(server, d, offset),
                     .statement = ptx_lsp_statement_at(d, offset),
                     .offset = offset,
                     .items = json_array() };
    c.from = c.statement.word.begin;
    complete(&c);
    answer->result = json_pack("{s:b, s:o}", "isIncomplete", 0, "items", c.items);
}
