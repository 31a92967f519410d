/* Directives of the module. */
#include "parser/build_shared.h"

/* Modules one behind the other, as `cat` leaves them. */
static void begin_unit(Parser *p, Span where)
{
    const AstHeader *h = &p->header;
    Diag *diag = ptx_diag(p->diags, DIAG_SECOND_MODULE, where,
                          "another module begins here; a file holds one");
    ptx_diag_relate(p->diags, diag, h->version_span, "the first module's");
    diag->help = ptx_diag_text(p->diags,
                               "split the file here: as it is, the rest is analysed as PTX %d.%d "
                               "for %.*s, with names of its own",
                               h->version / 10, h->version % 10, span_length_of(h->target_span),
                               span_text_of(p, h->target_span));
    p->begins_unit = false;
    p->header.unit++;
}

void ptx_build_version(Parser *p, Token directive, Token number)
{
    const char *text = span_text_of(p, ptx_token_span(number));
    uint32_t length = ptx_span_length(ptx_token_span(number)), major = 0, minor = 0, i = 0;
    while (i < length && text[i] >= '0' && text[i] <= '9' && major < 1000)
        major = 10 * major + (uint32_t)(text[i++] - '0');
    bool dotted = i < length && text[i] == '.';
    for (i += dotted; i < length && text[i] >= '0' && text[i] <= '9' && minor < 1000; i++)
        minor = 10 * minor + (uint32_t)(text[i] - '0');
    bool is_written_so = dotted && i == length && text[length - 1] != '.';
    if (p->begins_unit) {
        begin_unit(p, ptx_span_join(ptx_token_span(directive), ptx_token_span(number)));
        return;
    }
    if (p->header.version) {
        Diag *diag = ptx_diag(p->diags, DIAG_REDECLARED,
                              ptx_span_join(ptx_token_span(directive), ptx_token_span(number)),
                              "a second .version in one module");
        ptx_diag_relate(p->diags, diag, p->header.version_span, "the first is here");
        return;
    }
    p->header.version_span = ptx_token_span(number);
    p->header.version = (uint16_t)(10 * ptx_u32_min(major, 99) + ptx_u32_min(minor, 9));
    if (!is_written_so) {
        ptx_diag(p->diags, DIAG_UNKNOWN_VERSION, ptx_token_span(number),
                 "`%.*s` is not a version: write two numbers with a point, as 9.0",
                 span_length_of(ptx_token_span(number)), text);
        return;
    }
    switch (ptx_version_find(major, minor)) {
    case TARGET_KNOWN:
        break;
    case TARGET_NEWER:
        ptx_diag(p->diags, DIAG_NEWER_VERSION, ptx_token_span(number),
                 "PTX %u.%u is newer than %d.%d, the newest in our tables", major, minor,
                 PTX_VERSION_NEWEST / 10, PTX_VERSION_NEWEST % 10)
            ->help = "unknown instructions are notes in this file, not errors";
        break;
    case TARGET_UNKNOWN:
        ptx_diag(p->diags, DIAG_UNKNOWN_VERSION, ptx_token_span(number),
                 "there is no PTX version `%.*s`", span_length_of(ptx_token_span(number)), text);
        break;
    }
}

/* version: 10 * major + minor. */
void ptx_build_need_version(Parser *p, Span where, const char *what, int version)
{
    int have = p->header.version;
    if (have && have < version)
        ptx_diag(p->diags, DIAG_VERSION_TOO_OLD, where,
                 "%s needs PTX %d.%d; this module says %d.%d", what, version / 10, version % 10,
                 have / 10, have % 10);
}

void ptx_build_need_target(Parser *p, Span where, const char *what, unsigned sm)
{
    Target target;
    Span name = p->header.target_span;
    ptx_target_find(span_text_of(p, name), ptx_span_length(name), &target);
    if (target.sm && target.sm < sm)
        ptx_diag(p->diags, DIAG_TARGET_TOO_OLD, where, "%s needs sm_%u; this module is for sm_%u",
                 what, sm, (unsigned)target.sm);
}

void ptx_build_address_size(Parser *p, Token directive, Token number)
{
    if (p->header.unit)
        return;
    p->header.address_size = ptx_build_small(p, number);
    ptx_build_need_version(p, ptx_token_span(directive), "`.address_size`", 23);
    if (p->header.address_size != 32 && p->header.address_size != 64) {
        ptx_diag(p->diags, DIAG_BAD_DECLARATION,
                 ptx_span_join(ptx_token_span(directive), ptx_token_span(number)),
                 "the address size is 32 or 64");
        p->header.address_size = 0;
    }
}

/* The first of that index in its unit; NULL: it is that itself, and noted. */
static const AstFile *first_file(Parser *p, AstFile *file)
{
    uint32_t *at = ptx_hash_map_at(&p->file_of, p->header_arena,
                                   (uint64_t)file->unit << 32 | file->index);
    if (*at)
        return p->first_files[*at - 1];
    if (p->first_file_count == p->first_file_capacity)
        p->first_files = ptx_arena_grow(p->header_arena, p->first_files, p->first_file_count,
                                        &p->first_file_capacity, sizeof(AstFile *));
    p->first_files[p->first_file_count++] = file;
    *at = p->first_file_count;
    return NULL;
}

void ptx_build_file(Parser *p, Token index, Token path)
{
    AstFile *file = ptx_arena_new(p->header_arena, AstFile);
    file->index = ptx_build_small(p, index);
    file->path = (Span){ ptx_token_span(path).begin + 1, ptx_token_span(path).end - 1 };
    if (file->path.end < file->path.begin)
        file->path.end = file->path.begin;
    file->span = ptx_token_span(index);
    file->unit = p->header.unit;
    const AstFile *same = first_file(p, file);
    if (same) {
        Diag *diag = ptx_diag(p->diags, DIAG_REDECLARED, file->span, "file index %u is given twice",
                              (unsigned)file->index);
        ptx_diag_relate(p->diags, diag, same->span, "the first one");
    }
    *p->file_tail = file;
    p->file_tail = &file->next;
}

void ptx_build_file_stamp(Parser *p, Token directive)
{
    ptx_build_need_version(p, ptx_token_span(directive), "a time stamp in `.file`", 32);
}

void ptx_build_section(Parser *p, Token name)
{
    ptx_build_need_version(p, ptx_token_span(name), "`.section`", 20);
}

/* A type, or behind one the name of another section. */
void ptx_build_section_data(Parser *p, Token word)
{
    const Span span = ptx_token_span(word);
    const char *name = span_text_of(p, span) + 1;
    Type type = name[0] == 'b' ? TYPE_NONE : ptx_type_find(name, ptx_span_length(span) - 1);
    if (type)
        ptx_diag(p->diags, DIAG_UNEXPECTED, span,
                 "`%.*s` is not allowed in a .section, whose data are .b8, .b16, .b32 and .b64",
                 span_length_of(span), span_text_of(p, span));
}

void ptx_build_source_section(Parser *p, Token name)
{
    ptx_build_need_version(p, ptx_token_span(name), "`.nv_intermediate_source_section`", 94);
}

void ptx_build_language(Parser *p, Token name)
{
    ptx_build_need_version(p, ptx_token_span(name), "`.language`", 93);
}

void ptx_build_file_directory(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive),
             ".file takes one string; a directory before the name is DWARF's form, not PTX's");
}

/* Inside a function; ptxas takes .file before and between functions only. */
void ptx_build_function_file(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive),
             ".file stands outside functions");
}

void ptx_build_module_loc(Parser *p, Token directive)
{
    ptx_diag(p->diags, DIAG_UNEXPECTED, ptx_token_span(directive), ".loc stands inside a function");
}

AstItem *ptx_build_add_item(Parser *p)
{
    AstItem *item = ptx_arena_new(p->arena, AstItem);
    *p->item_tail = item;
    p->item_tail = &item->next;
    return item;
}

void ptx_build_alias(Parser *p, Token directive, Token name, Token target, Token end)
{
    AstAlias *alias = ptx_arena_new(p->arena, AstAlias);
    alias->span = ptx_span_join(ptx_token_span(directive), ptx_token_span(end));
    alias->name = ptx_token_span(name);
    alias->target = ptx_token_span(target);
    ptx_build_add_item(p)->alias = alias;
}
