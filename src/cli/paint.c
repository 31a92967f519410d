/* paint.c -- Markdown for a terminal: cmark-gfm parses, this lays out. Text is filled to 80
 * columns; control characters of the text do not reach the terminal. */
#include "cli/cli.h"

#include <cmark-gfm-core-extensions.h>
#include <stddef.h>
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
    bool has_color, has_begun;
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

static void begin_heading(Painter *p, int level)
{
    flush(p);
    if (p->has_color)
        ptx_text_put(&p->line, level == 1 ? "\033[1;4m" : "\033[1m");
}

static void end_rule(Painter *p)
{
    ptx_text_put(&p->line, "--------");
    flush(p);
    p->needs_gap = true;
}

static void end_heading(Painter *p)
{
    ptx_text_put(&p->line, p->has_color ? "\033[0m" : "");
    flush(p);
    p->needs_gap = true;
}

/* In a tight list items follow without an empty line. */
static void end_paragraph(Painter *p, cmark_node *paragraph)
{
    cmark_node *item = cmark_node_parent(paragraph);
    const bool is_tight = cmark_node_get_type(item) == CMARK_NODE_ITEM
                          && cmark_node_get_list_tight(cmark_node_parent(item));
    flush(p);
    p->needs_gap |= !is_tight;
}

/* ---- inside a block -------------------------------------------------------------------------- */

static void put_style(Painter *p, const char *escape)
{
    if (p->has_color)
        ptx_text_put(&p->line, escape);
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
static void put_link(Painter *p, const char *address)
{
    const size_t length = strlen(address);
    const char *line = p->line.bytes ? p->line.bytes : "";
    bool is_said = p->line.length >= length && length
                   && !strncmp(line + p->line.length - length, address, length);
    if (is_said || !length)
        return;
    ptx_text_put(&p->line, " (");
    put_clean(&p->line, address, length);
    ptx_text_put(&p->line, ")");
}

static void put_code_span(Painter *p, const char *text)
{
    ptx_text_put(&p->line, p->has_color ? "\033[36m" : "`");
    for (; *text; text++) {
        if (*text == ' ' || *text == '\t')
            ptx_text_add(&p->line, &held_blank, 1);
        else
            put_clean(&p->line, text, 1);
    }
    ptx_text_put(&p->line, p->has_color ? "\033[39m" : "`");
}

static void put_code_block(Painter *p, const char *text)
{
    flush(p);
    put_clean(&p->line, text, strlen(text));
    flush_code(p);
    p->needs_gap = true;
}

/* HTML is shown as it is. */
static void put_html_block(Painter *p, const char *text)
{
    flush(p);
    put_clean(&p->line, text, strlen(text));
    flush(p);
    p->needs_gap = true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void enter_node(Painter *p, cmark_node *node)
{
    const char *text = cmark_node_get_literal(node);
    const cmark_node_type type = cmark_node_get_type(node);
    text = text ? text : "";
    switch ((unsigned)type) {
    case CMARK_NODE_LIST:
        begin_list(p, cmark_node_get_list_type(node) == CMARK_ORDERED_LIST,
                   (unsigned)cmark_node_get_list_start(node));
        break;
    case CMARK_NODE_ITEM:        begin_item(p);                                         break;
    case CMARK_NODE_BLOCK_QUOTE: flush(p); p->quote_depth++;                            break;
    case CMARK_NODE_CODE_BLOCK:  put_code_block(p, text);                               break;
    case CMARK_NODE_HTML_BLOCK:  put_html_block(p, text);                               break;
    case CMARK_NODE_THEMATIC_BREAK: flush(p); end_rule(p);                              break;
    case CMARK_NODE_HEADING:     begin_heading(p, cmark_node_get_heading_level(node));  break;
    case CMARK_NODE_PARAGRAPH:   flush(p);                                              break;
    case CMARK_NODE_TEXT:
    case CMARK_NODE_HTML_INLINE: put_clean(&p->line, text, strlen(text));               break;
    case CMARK_NODE_SOFTBREAK:   ptx_text_put(&p->line, " ");                           break;
    case CMARK_NODE_LINEBREAK:   ptx_text_put(&p->line, "\n");                          break;
    case CMARK_NODE_CODE:        put_code_span(p, text);                                break;
    case CMARK_NODE_EMPH:        put_style(p, "\033[3m");                               break;
    case CMARK_NODE_STRONG:      put_style(p, "\033[1m");                               break;
    default:                     break;
    }
}

/* Types of an extension are numbered as it is attached; their names stay. */
static void leave_part_of_table(Painter *p, const char *type)
{
    if (!strcmp(type, "table_cell"))
        end_cell(p);
    else if (!strcmp(type, "table_row") || !strcmp(type, "table_header"))
        end_row(p);
    else if (!strcmp(type, "table"))
        end_table(p);
}

static void leave_node(Painter *p, cmark_node *node)
{
    leave_part_of_table(p, cmark_node_get_type_string(node));
    switch ((unsigned)cmark_node_get_type(node)) {
    case CMARK_NODE_LIST:        end_list(p);                           break;
    case CMARK_NODE_ITEM:        flush(p);                              break;
    case CMARK_NODE_BLOCK_QUOTE: flush(p); p->quote_depth--;            break;
    case CMARK_NODE_HEADING:     end_heading(p);                        break;
    case CMARK_NODE_PARAGRAPH:   end_paragraph(p, node);                break;
    case CMARK_NODE_LINK:        put_link(p, cmark_node_get_url(node)); break;
    case CMARK_NODE_EMPH:        put_style(p, "\033[23m");              break;
    case CMARK_NODE_STRONG:      put_style(p, "\033[22m");              break;
    default:                     break;
    }
}

static void paint_tree(Painter *p, cmark_node *root)
{
    cmark_iter *iter = cmark_iter_new(root);
    for (cmark_event_type event; (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE;)
        (event == CMARK_EVENT_ENTER ? enter_node : leave_node)(p, cmark_iter_get_node(iter));
    cmark_iter_free(iter);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* cmark's own allocator aborts where there is no memory. */

typedef union MarkdownBlock {
    size_t bytes;
    max_align_t aligned;
} MarkdownBlock;

static void *allocate_zeroed(size_t count, size_t size)
{
    MarkdownBlock *block = calloc(1, sizeof *block + count * size);
    if (block) {
        block->bytes = count * size;
        return block + 1;
    }
    ptx_leave_without_memory();
}

static void free_block(void *memory)
{
    free(memory ? (MarkdownBlock *)memory - 1 : NULL);
}

static void *allocate_longer(void *memory, size_t bytes)
{
    const size_t known = memory ? ((const MarkdownBlock *)memory)[-1].bytes : 0;
    void *longer = allocate_zeroed(1, bytes);
    if (memory)
        memcpy(longer, memory, known < bytes ? known : bytes);
    free_block(memory);
    return longer;
}

/* NULL: there is no such extension. */
static cmark_node *read_markdown(const char *markdown, size_t length)
{
    *cmark_get_default_mem_allocator() =
        (cmark_mem){ allocate_zeroed, allocate_longer, free_block };
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_VALIDATE_UTF8);
    cmark_syntax_extension *tables = cmark_find_syntax_extension("table");
    cmark_node *root = NULL;
    if (tables && cmark_parser_attach_syntax_extension(parser, tables)) {
        cmark_parser_feed(parser, markdown, length);
        root = cmark_parser_finish(parser);
    }
    cmark_parser_free(parser);
    return root;
}

bool ptx_paint(Text *out, const char *markdown, size_t length, bool has_color)
{
    Painter painter = { .out = out, .has_color = has_color };
    cmark_node *root = read_markdown(markdown, length);
    if (root)
        paint_tree(&painter, root);
    const bool is_good = root && !painter.line.has_failed && painter.code == EXIT_CLEAN
                         && !out->has_failed;
    if (root)
        cmark_node_free(root);
    ptx_text_free(&painter.line);
    ptx_strings_free(&painter.cells);
    return is_good;
}
