#include "rules/removal.h"

#include <string.h>

static bool is_blank_byte(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

Span ptx_removal_widen(const char *text, uint32_t length, Span span)
{
    Span wide = span;
    while (wide.begin > 0 && is_blank_byte(text[wide.begin - 1]))
        wide.begin--;
    while (wide.end < length && is_blank_byte(text[wide.end]))
        wide.end++;
    const bool is_first = !wide.begin || text[wide.begin - 1] == '\n';
    const bool is_last = wide.end == length || text[wide.end] == '\n';
    if (is_first && is_last && wide.end < length)
        wide.end++;
    else if (!is_first && is_last)
        wide.end = span.end;
    else if (!is_last)
        wide.begin = span.begin;
    return wide;
}

/* Whether the first bytes are one of the state spaces of variables. */
static bool has_space(const char *text)
{
    static const char *const spaces[] = { ".shared", ".local", ".global", ".const" };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (!strncmp(text, spaces[i], strlen(spaces[i])))
            return true;
    return false;
}

static bool is_of_declaration(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.'
           || c == '_' || c == '[' || c == ']' || is_blank_byte(c);
}

bool ptx_removal_find_declaration(const char *text, uint32_t length, Span *span)
{
    Span whole = *span;
    while (whole.begin > 0 && is_of_declaration(text[whole.begin - 1]))
        whole.begin--;
    while (whole.end < length && is_of_declaration(text[whole.end]))
        whole.end++;
    if (whole.end == length || text[whole.end] != ';'
        || (whole.begin > 0 && text[whole.begin - 1] != '\n'))
        return false;
    while (is_blank_byte(text[whole.begin]))
        whole.begin++;
    whole.end++;
    *span = whole;
    return has_space(text + whole.begin);
}
