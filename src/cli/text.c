#include "cli/cli.h"

#include "support/grow.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(Text *text, size_t more)
{
    if (!text->has_failed)
        text->has_failed = !ptx_list_reserve(&text->bytes, &text->capacity,
                                             text->length + more + 1, 1);
    if (text->has_failed)
        ptx_note_no_memory();
    return !text->has_failed;
}

void ptx_text_add(Text *text, const char *bytes, size_t length)
{
    if (!make_room(text, length))
        return;
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void ptx_text_put(Text *text, const char *words)
{
    ptx_text_add(text, words, strlen(words));
}

void ptx_text_append(Text *text, const Text *other)
{
    if (other->length)
        ptx_text_add(text, other->bytes, other->length);
    text->has_failed |= other->has_failed;
}

void ptx_text_show(Text *text, const char *words)
{
    size_t length = ptxlint_shown_text(words, NULL, 0);
    if (!make_room(text, length))
        return;
    ptxlint_shown_text(words, text->bytes + text->length, length + 1);
    text->length += length;
}

void ptx_text_show_lines(Text *text, const Text *lines)
{
    char *line = lines->bytes;
    text->has_failed |= lines->has_failed;
    for (char *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        *end = 0;
        ptx_text_show(text, line);
        ptx_text_put(text, "\n");
        *end = '\n';
    }
}

void ptx_text_markdown(Text *text, const char *words, bool has_code)
{
    size_t length = ptxlint_markdown_text(words, has_code, NULL, 0);
    if (!make_room(text, length))
        return;
    ptxlint_markdown_text(words, has_code, text->bytes + text->length, length + 1);
    text->length += length;
}

int ptx_text_write(void *text, const char *bytes, size_t length)
{
    ptx_text_add(text, bytes, length);
    return ((Text *)text)->has_failed;
}

void ptx_text_print(Text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !make_room(text, (size_t)length))
        return;
    va_start(list, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, list);
    va_end(list);
    text->length += (size_t)length;
}

void ptx_text_free(Text *text)
{
    free(text->bytes);
    *text = (Text){ 0 };
}

const char *ptx_error_text(int error, char *out, size_t room)
{
    if (strerror_r(error, out, room))
        snprintf(out, room, "error %d", error);
    return out;
}

enum { FOLD_COLUMNS = 80, FOLD_INDENT = 4 };

/* Where a line is broken: at the last blank that fits, else at the first; its end where there is
 * none. */
static size_t break_at(const char *line, size_t length, size_t room)
{
    size_t at = length;
    if (length <= room)
        return length;
    for (size_t i = FOLD_INDENT; i < length && (i <= room || at == length); i++)
        if (line[i] == ' ')
            at = i;
    return at;
}

void ptx_text_fold(Text *text, const char *lines)
{
    for (const char *line = lines; *line;) {
        size_t length = strcspn(line, "\n"), room = FOLD_COLUMNS;
        for (size_t at; (at = break_at(line, length, room)) < length;
             room = FOLD_COLUMNS - FOLD_INDENT) {
            ptx_text_print(text, "%.*s\n%*s", (int)at, line, FOLD_INDENT, "");
            line += at + 1;
            length -= at + 1;
        }
        ptx_text_print(text, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}
