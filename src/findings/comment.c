#include "findings/comment.h"
#include "support/words.h"

#include <string.h>

static const char word[] = "ptxlint:";

enum { WORD_LENGTH = sizeof word - 1 };

/* First c in [pos, end), or end. */
static uint32_t find_byte(const char *text, char c, uint32_t pos, uint32_t end)
{
    const char *p = pos < end ? memchr(text + pos, c, end - pos) : NULL;
    return p ? (uint32_t)(p - text) : end;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_word_at(const char *text, uint32_t length, uint32_t pos, const char *what)
{
    size_t n = strlen(what);
    return n <= length - pos && !memcmp(text + pos, what, n);
}

/* ---- what the scanner skips ------------------------------------------------------------------ */

/* A NUL ends a line too where the scanner looks for the end of a comment or string. */
static uint32_t end_of_line(const char *text, uint32_t length, uint32_t pos)
{
    uint32_t newline = find_byte(text, '\n', pos, length);
    return find_byte(text, 0, pos, newline);
}

/* Past the comment that begins at pos; the text's end for one that is never closed. */
static uint32_t end_of_comment(const char *text, uint32_t length, uint32_t pos)
{
    if (text[pos + 1] == '/')
        return end_of_line(text, length, pos);
    for (uint32_t i = pos + 2; i < length && text[i]; i++) {
        i = find_byte(text, '/', i, length);
        if (i < length && text[i - 1] == '*' && i - 1 >= pos + 2)
            return memchr(text + pos, 0, i - pos) ? length : i + 1;
    }
    return length;
}

static bool is_comment(const char *text, uint32_t length, uint32_t pos)
{
    return text[pos] == '/' && pos + 1 < length && (text[pos + 1] == '/' || text[pos + 1] == '*');
}

static uint32_t end_of_string(const char *text, uint32_t length, uint32_t pos)
{
    uint32_t end = pos + 1;
    while (end < length && text[end] != '"' && text[end] != '\n' && text[end])
        end++;
    return end < length && text[end] == '"' ? end + 1 : find_byte(text, '\n', end, length);
}

/* Lines that are no PTX: `# 1 "file"` of a preprocessor, debug data of PTX 1.x. */
static bool is_foreign_line(const char *text, uint32_t length, uint32_t pos)
{
    if (text[pos] == '@')
        return is_word_at(text, length, pos, "@@DWARF");
    uint32_t before = pos;
    while (before && is_blank(text[before - 1]))
        before--;
    return text[pos] == '#' && (!before || text[before - 1] == '\n');
}

/* ---- comments -------------------------------------------------------------------------------- */

void ptx_comment_scan_init(CommentScan *scan, const char *text, uint32_t length)
{
    *scan = (CommentScan){ .text = text, .length = length };
}

static void new_line(CommentScan *s, uint32_t begin)
{
    s->line_begin = s->code_begin = begin;
}

static void take_comment(CommentScan *s)
{
    const uint32_t begin = s->pos, end = end_of_comment(s->text, s->length, begin);
    const bool is_block = s->text[begin + 1] == '*',
               is_closed = is_block && end - begin >= 4 && !memcmp(s->text + end - 2, "*/", 2);
    s->comment = (Span){ begin, end };
    s->comment_line = s->line_begin;
    s->comment_code = s->code_begin;
    s->content_end = end;
    if (is_closed)
        s->content_end = end - 2;
    else if (is_block)
        s->content_end = begin;         /* an unclosed one says nothing */
    s->stop = 0;
    s->pos = end;
    for (uint32_t i = end; is_block && i > begin; i--) {
        if (s->text[i - 1] == '\n') {
            s->line_begin = i;
            s->code_begin = end;
            break;
        }
    }
}

/* Goes on to offset, which is in no comment where it ends up behind one. */
static void advance(CommentScan *s, uint32_t offset)
{
    static const bool stops[256] = {
        ['\n'] = true, ['/'] = true, ['"'] = true, ['@'] = true, ['#'] = true
    };
    while (s->pos <= offset) {
        while (s->pos < offset && !stops[(unsigned char)s->text[s->pos]])
            s->pos++;
        const char c = s->text[s->pos];
        if (c == '\n')
            new_line(s, ++s->pos);
        else if (is_comment(s->text, s->length, s->pos))
            take_comment(s);
        else if (c == '"')
            s->pos = end_of_string(s->text, s->length, s->pos);
        else if ((c == '@' || c == '#') && is_foreign_line(s->text, s->length, s->pos))
            s->pos = end_of_line(s->text, s->length, s->pos);
        else
            s->pos++;
    }
}

/* Whether nothing but marks stands before it: its comment's, a further `//`, a line's `*`. */
static bool is_first(const CommentScan *s, uint32_t at)
{
    uint32_t i = at;
    while (i > s->comment.begin && is_blank(s->text[i - 1]))
        i--;
    if (i < s->comment.begin + 2)
        return false;
    const bool is_block = s->text[s->comment.begin + 1] == '*';
    return is_block ? s->text[i - 1] == '*' || s->text[i - 1] == '\n'
                    : s->text[i - 1] == '/' && s->text[i - 2] == '/';
}

/* Of the line, without the blanks at its end. */
static uint32_t end_of_content(const CommentScan *s, uint32_t at)
{
    uint32_t end = find_byte(s->text, '\n', at, s->content_end);
    while (end > at && is_blank(s->text[end - 1]))
        end--;
    return end;
}

bool ptx_comment_next(CommentScan *s, uint32_t *at, uint32_t *end)
{
    for (;;) {
        uint32_t colon = find_byte(s->text, ':', s->hit, s->length);
        if (colon == s->length)
            return false;
        s->hit = colon + 1;
        if (colon + 1 < WORD_LENGTH || memcmp(s->text + colon + 1 - WORD_LENGTH, word, WORD_LENGTH))
            continue;
        *at = colon + 1 - WORD_LENGTH;
        advance(s, *at);
        if (*at < s->comment.begin || colon >= s->content_end || !is_first(s, *at))
            continue;
        if (s->stop <= *at)
            s->stop = end_of_content(s, *at);
        *end = s->stop;
        return true;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_directive(const char *text, uint32_t length, uint32_t pos, const char *directive)
{
    uint32_t end = pos + (uint32_t)strlen(directive);
    return is_word_at(text, length, pos, directive)
           && (end == length || !ptx_is_name_byte(text[end]));
}

static bool is_directive_in(const char *text, uint32_t length, uint32_t pos,
                            const char *const *directives)
{
    for (; *directives; directives++)
        if (is_directive(text, length, pos, *directives))
            return true;
    return false;
}

/* Past `NAME:`, or pos where there is none. */
static uint32_t skip_label(const char *text, uint32_t length, uint32_t pos)
{
    uint32_t end = pos;
    while (end < length && ptx_is_name_byte(text[end]))
        end++;
    uint32_t colon = end;
    while (colon < length && is_blank(text[colon]))
        colon++;
    bool is_label = end > pos && colon < length && text[colon] == ':'
                    && (colon + 1 == length || text[colon + 1] != ':');
    return is_label ? colon + 1 : pos;
}

/* Past what may stand before a statement. The same place: a statement begins there. */
static uint32_t skip_one(const char *text, uint32_t length, uint32_t pos)
{
    static const char *const by_line[] = { ".loc", NULL };
    const char c = text[pos];
    if (is_blank(c) || c == '\n' || c == '{' || c == '}' || !c)
        return pos + 1;
    if (is_comment(text, length, pos))
        return end_of_comment(text, length, pos);
    if ((c == '@' || c == '#') && is_foreign_line(text, length, pos))
        return end_of_line(text, length, pos);
    if (c == '.' && is_directive_in(text, length, pos, by_line))
        return end_of_line(text, length, pos);
    if (c == '.' && is_directive(text, length, pos, ".pragma")) {
        uint32_t semicolon = find_byte(text, ';', pos, length);
        return semicolon < length ? semicolon + 1 : length;
    }
    return skip_label(text, length, pos);
}

/* To its `;`. A declaration or header ends at `{` too, which in an instruction is a vector. */
uint32_t ptx_statement_end(const char *text, uint32_t length, uint32_t pos)
{
    static const char *const by_line[] = { ".version", ".target", ".address_size", ".file", NULL };
    const bool is_declaration = text[pos] == '.';
    uint32_t depth = 0;
    if (is_declaration && is_directive_in(text, length, pos, by_line))
        return end_of_line(text, length, pos);
    for (uint32_t i = pos; i < length; i++) {
        if (is_comment(text, length, i))
            i = end_of_comment(text, length, i) - 1;
        else if (text[i] == '"')
            i = end_of_string(text, length, i) - 1;
        else if (text[i] == ';')
            return i + 1;
        else if (text[i] == '{' && (is_declaration || depth++ > 8))
            return i;
        else if (text[i] == '}' && !depth--)
            return i;
    }
    return length;
}

uint32_t ptx_statement_begin(const char *text, uint32_t length, uint32_t pos, uint32_t limit)
{
    while (pos < limit) {
        uint32_t next = skip_one(text, length, pos);
        if (next == pos)
            return pos;
        pos = next;
    }
    return limit;
}
