/* paint.c -- Markdown for a terminal: md4c parses, this lays out. Text is filled to 80 columns;
 * control characters of the text do not reach the terminal. */
#include "cli/cli.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, LISTS_MAX = 8, CODE_INDENT = 4, COLUMNS_MAX = 8 };

typedef struct PaintList {
    bool is_ordered;
    unsigned number;            /* of the next item */
    unsigned mark_width;
} PaintList;

typedef struct Painter {
    Text *out;
    Text line;                  /* of the block in hand, with escapes */
    PaintList lists[LISTS_MAX];
    unsigned list_depth, list_overflow, quote_depth;
    char mark[16];              /* of the item that begins; "": it has begun */
    bool has_color, is_code, has_begun;
    bool needs_gap;             /* an empty line before the next block */
    StringList cells;           /* of the table in hand, row by row */
    unsigned column_count, row_columns;
    ExitCode code;              /* of cells */
} Painter;

/* ---- lines ----------------------------------------------------------------------------------- */

/* Columns of length bytes: neither escapes nor further bytes of a character take one. */
static unsigned visible_width(const char *text, size_t length)
{
    unsigned width = 0;
    bool is_escape = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033')
            is_escape = true;
        else if (is_escape)
            is_escape = text[i] != 'm';
        else
            width += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return width;
}

static void put_spaces(Painter *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ptx_text_put(p->out, " ");
}

static unsigned outer_indent(const Painter *p, unsigned depth)
{
    unsigned indent = 0;
    for (unsigned i = 0; i < depth; i++)
        indent += p->lists[i].mark_width;
    return indent;
}

/* A blank that no line ends at: of code inside a line. */
static const char held_blank = 1;

static void put_visible(Painter *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        ptx_text_add(p->out, text[i] == held_blank ? " " : text + i, 1);
}

/* What a line begins with; the mark of an item once. */
static unsigned put_prefix(Painter *p, unsigned more)
{
    for (unsigned i = 0; i < p->quote_depth; i++)
        ptx_text_put(p->out, "| ");
    unsigned indent = outer_indent(p, p->list_depth);
    if (*p->mark) {
        put_spaces(p, outer_indent(p, p->list_depth - 1));
        ptx_text_put(p->out, p->mark);
        p->mark[0] = 0;
    } else {
        put_spaces(p, indent);
    }
    put_spaces(p, more);
    return 2 * p->quote_depth + indent + more;
}

static void begin_block(Painter *p)
{
    if (p->needs_gap && p->has_begun)
        ptx_text_put(p->out, "\n");
    p->needs_gap = false;
    p->has_begun = true;
}

/* Fills lines of WIDTH columns from at, the first one being at that column already; later ones
 * begin with hang spaces. */
static void put_filled(Painter *p, const char *text, size_t length, unsigned at, unsigned hang)
{
    unsigned column = at;
    bool is_first = true;
    for (size_t i = 0; i < length;) {
        size_t end = i;
        while (end < length && text[end] != ' ')
            end++;
        unsigned width = visible_width(text + i, end - i);
        if (!is_first && column + 1 + width > WIDTH) {
            ptx_text_put(p->out, "\n");
            column = put_prefix(p, hang);
        } else if (!is_first && end > i) {
            ptx_text_put(p->out, " ");
            column++;
        }
        put_visible(p, text + i, end - i);
        column += width;
        is_first &= end == i;
        i = end < length ? end + 1 : end;
    }
    ptx_text_put(p->out, "\n");
}

/* The text gathered so far, as a paragraph. */
static void flush(Painter *p)
{
    const char *text = p->line.bytes ? p->line.bytes : "";
    if (!*text)
        return;
    begin_block(p);
    while (*text) {
        size_t length = strcspn(text, "\n");
        put_filled(p, text, length, put_prefix(p, 0), 0);
        text += length + (text[length] == '\n');
    }
    ptx_text_free(&p->line);
}

static void flush_code(Painter *p)
{
    const char *text = p->line.bytes ? p->line.bytes : "";
    begin_block(p);
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            put_prefix(p, CODE_INDENT);
            ptx_text_put(p->out, p->has_color ? "\033[36m" : "");
            ptx_text_add(p->out, text, length);
            ptx_text_put(p->out, p->has_color ? "\033[39m" : "");
        }
        ptx_text_put(p->out, "\n");
        text += length + (text[length] == '\n');
    }
    ptx_text_free(&p->line);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void end_cell(Painter *p)
{
    const char *text = p->line.bytes ? p->line.bytes : "";
    p->code = exit_code_max(p->code, ptx_strings_add(&p->cells, text, strlen(text)));
    p->row_columns++;
    ptx_text_free(&p->line);
}

static void end_row(Painter *p)
{
    if (!p->column_count)
        p->column_count = p->row_columns;
    p->row_columns = 0;
}

static bool is_empty_row(char **cells, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (*cells[i])
            return false;
    return true;
}

/* Columns as wide as they must be; the last one is filled. */
static void put_table_row(Painter *p, char **cells, const unsigned *widths)
{
    unsigned column = put_prefix(p, 0),
             hang = column - outer_indent(p, p->list_depth) - 2 * p->quote_depth,
             last = p->column_count - 1;
    for (unsigned i = 0; i < last; i++) {
        put_visible(p, cells[i], strlen(cells[i]));
        put_spaces(p, widths[i] - visible_width(cells[i], strlen(cells[i])) + 2);
        column += widths[i] + 2;
        hang += widths[i] + 2;
    }
    put_filled(p, cells[last], strlen(cells[last]), column, hang < WIDTH / 2 ? hang : 4);
}

static void end_table(Painter *p)
{
    unsigned widths[COLUMNS_MAX] = { 0 }, columns = p->column_count;
    bool is_good = columns && columns <= COLUMNS_MAX && p->cells.count % columns == 0
                   && p->code == EXIT_CLEAN;
    for (size_t i = 0; is_good && i < p->cells.count; i++) {
        unsigned width = visible_width(p->cells.items[i], strlen(p->cells.items[i]));
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    begin_block(p);
    for (size_t i = 0; is_good && i < p->cells.count; i += columns)
        if (i || !is_empty_row(p->cells.items, columns))
            put_table_row(p, &p->cells.items[i], widths);
    ptx_strings_free(&p->cells);
    p->cells = (StringList){ 0 };
    p->column_count = 0;
    p->needs_gap = true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void begin_list(Painter *p, bool is_ordered, unsigned start)
{
    flush(p);
    if (p->list_depth == LISTS_MAX)
        p->list_overflow++;
    else
        p->lists[p->list_depth++] = (PaintList){ .is_ordered = is_ordered,
                                                 .number = start,
                                                 .mark_width = is_ordered ? 3 : 2 };
}

static void end_list(Painter *p)
{
    flush(p);
    p->mark[0] = 0;                     /* of an empty item */
    if (p->list_overflow)
        p->list_overflow--;
    else
        p->list_depth--;
    p->needs_gap |= !p->list_depth;
}

static void begin_item(Painter *p)
{
    PaintList *list = &p->lists[p->list_depth - 1];
    flush(p);
    if (list->is_ordered) {
        snprintf(p->mark, sizeof p->mark, "%u. ", list->number++ % 1000);
        list->mark_width = (unsigned)strlen(p->mark);
    } else {
        snprintf(p->mark, sizeof p->mark, "- ");
    }
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    Painter *p = context;
    switch (type) {
    case MD_BLOCK_UL:
        begin_list(p, false, 0);
        break;
    case MD_BLOCK_OL:
        begin_list(p, true, ((const MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI:
        begin_item(p);
        break;
    case MD_BLOCK_QUOTE:
        flush(p);
        p->quote_depth++;
        break;
    case MD_BLOCK_CODE:
        flush(p);
        p->is_code = true;
        break;
    case MD_BLOCK_H:
        flush(p);
        if (p->has_color)
            ptx_text_put(&p->line,
                         ((const MD_BLOCK_H_DETAIL *)detail)->level == 1 ? "\033[1;4m" : "\033[1m");
        break;
    default:
        flush(p);
    }
    return 0;
}

static void end_rule(Painter *p)
{
    ptx_text_put(&p->line, "--------");
    flush(p);
    p->needs_gap = true;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    Painter *p = context;
    (void)detail;
    switch (type) {
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        end_list(p);
        break;
    case MD_BLOCK_QUOTE:
        flush(p);
        p->quote_depth--;
        break;
    case MD_BLOCK_CODE:
        flush_code(p);
        p->is_code = false;
        p->needs_gap = true;
        break;
    case MD_BLOCK_H:
        ptx_text_put(&p->line, p->has_color ? "\033[0m" : "");
        flush(p);
        p->needs_gap = true;
        break;
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
        flush(p);
        p->needs_gap = true;
        break;
    case MD_BLOCK_HR:    end_rule(p);   break;
    case MD_BLOCK_TD:
    case MD_BLOCK_TH:    end_cell(p);   break;
    case MD_BLOCK_TR:    end_row(p);    break;
    case MD_BLOCK_TABLE: end_table(p);  break;
    default:
        flush(p);
    }
    return 0;
}

/* ---- inside a block -------------------------------------------------------------------------- */

static int enter_span(MD_SPANTYPE type, void *detail, void *context)
{
    Painter *p = context;
    (void)detail;
    if (type == MD_SPAN_CODE)
        ptx_text_put(&p->line, p->has_color ? "\033[36m" : "`");
    else if (p->has_color && (type == MD_SPAN_EM || type == MD_SPAN_STRONG))
        ptx_text_put(&p->line, type == MD_SPAN_EM ? "\033[3m" : "\033[1m");
    return 0;
}

static const char *clean_byte(const char *byte)
{
    if (*byte == '\t')
        return " ";
    bool is_control = ((unsigned char)*byte < 0x20 && *byte != '\n') || *byte == 0x7f;
    return is_control ? "?" : byte;
}

static void put_clean(Text *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        ptx_text_add(to, clean_byte(text + i), 1);
}

/* Where a link leads, unless it says so itself. */
static void put_link(Painter *p, const MD_SPAN_A_DETAIL *link)
{
    size_t length = link->href.size;
    const char *line = p->line.bytes ? p->line.bytes : "";
    bool is_said = p->line.length >= length && length
                   && !strncmp(line + p->line.length - length, link->href.text, length);
    if (is_said || !length)
        return;
    ptx_text_put(&p->line, " (");
    put_clean(&p->line, link->href.text, length);
    ptx_text_put(&p->line, ")");
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context)
{
    Painter *p = context;
    if (type == MD_SPAN_CODE)
        ptx_text_put(&p->line, p->has_color ? "\033[39m" : "`");
    else if (type == MD_SPAN_A)
        put_link(p, detail);
    else if (p->has_color && (type == MD_SPAN_EM || type == MD_SPAN_STRONG))
        ptx_text_put(&p->line, type == MD_SPAN_EM ? "\033[23m" : "\033[22m");
    return 0;
}

static void put_code(Text *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ' || text[i] == '\t')
            ptx_text_add(to, &held_blank, 1);
        else
            put_clean(to, text + i, 1);
    }
}

static void put_entity(Text *to, const char *text, size_t length)
{
    static const struct { const char *name, *value; } entities[] = {
        { "&lt;", "<" }, { "&gt;", ">" }, { "&amp;", "&" }, { "&quot;", "\"" }, { "&nbsp;", " " },
    };
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        if (strlen(entities[i].name) == length && !memcmp(entities[i].name, text, length)) {
            ptx_text_put(to, entities[i].value);
            return;
        }
    }
    put_clean(to, text, length);
}

static int put_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE length, void *context)
{
    Painter *p = context;
    switch (type) {
    case MD_TEXT_BR:       ptx_text_put(&p->line, "\n");            break;
    case MD_TEXT_SOFTBR:   ptx_text_put(&p->line, " ");             break;
    case MD_TEXT_NULLCHAR: ptx_text_put(&p->line, "?");             break;
    case MD_TEXT_ENTITY:   put_entity(&p->line, text, length);      break;
    case MD_TEXT_CODE:     (p->is_code ? put_clean : put_code)(&p->line, text, length);    break;
    default:               put_clean(&p->line, text, length);
    }
    return 0;
}

bool ptx_paint(Text *out, const char *markdown, size_t length, bool has_color)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_NOHTML,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = put_text,
    };
    Painter painter = { .out = out, .has_color = has_color };
    bool is_good = !md_parse(markdown, (MD_SIZE)length, &parser, &painter);
    is_good = is_good && !painter.line.has_failed && painter.code == EXIT_CLEAN && !out->has_failed;
    ptx_text_free(&painter.line);
    ptx_strings_free(&painter.cells);
    return is_good;
}
