/* The strings of .pragma. PTX ISA, "Pragma Strings"; what stands where, from which version on and
 * with which value is as ptxas 13.0 has it, which takes any other string. */
#include "parser/build_shared.h"

#include <stdlib.h>
#include <string.h>

typedef struct PragmaInfo {
    const char *name;
    uint16_t since;             /* 10 * major + minor */
    bool takes_number;
    uint8_t least;
} PragmaInfo;

/* Those that belong into bodies. A string is one of them if it begins so. */
static const PragmaInfo pragmas[] = {
    { "enable_smem_spilling", 87, false, 0 },
    { "used_bytes_mask", 83, true, 0 },
    { "frequency", 90, true, 1 },
};

static const PragmaInfo *find_pragma(const Parser *p, Span string)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
        size_t length = strlen(pragmas[i].name);
        if (ptx_span_length(string) >= length
            && !memcmp(span_text_of(p, string), pragmas[i].name, length))
            return &pragmas[i];
    }
    return NULL;
}

/* The next string from *at on, without its quotes. False: there is none. */
static bool next_string(const Parser *p, Span strings, uint32_t *at, Span *string)
{
    const char *text = p->text;
    const char *open = memchr(text + *at, '"', strings.end - *at);
    if (!open)
        return false;
    string->begin = (uint32_t)(open - text) + 1;
    const char *close = memchr(text + string->begin, '"', strings.end - string->begin);
    string->end = close ? (uint32_t)(close - text) : strings.end;
    *at = string->end + (close != NULL);
    return true;
}

/* Behind the name and one blank a number as strtoul reads it, and nothing else. */
static bool has_number(const Parser *p, const PragmaInfo *pragma, Span string)
{
    char digits[32] = { 0 };
    uint32_t name = (uint32_t)strlen(pragma->name) + 1, length = ptx_span_length(string);
    if (length <= name)
        return false;
    if (length - name >= sizeof digits)         /* longer than ptxas was asked */
        return true;
    memcpy(digits, span_text_of(p, string) + name, length - name);
    char *end;
    unsigned long value = strtoul(digits, &end, 0);
    return end != digits && !*end && value >= pragma->least;
}

static void check_pragma(Parser *p, Span string)
{
    const PragmaInfo *pragma = find_pragma(p, string);
    if (!pragma)
        return;
    ptx_build_need_version(p, string, ptx_diag_text(p->diags, "`.pragma \"%s\"`", pragma->name),
                           pragma->since);
    if (pragma->takes_number && !has_number(p, pragma, string))
        ptx_diag(p->diags, DIAG_BAD_DECLARATION, string,
                 "`%s` takes a number here, after one blank%s", pragma->name,
                 pragma->least ? ", of 1 or more" : "");
}

void ptx_build_pragma(Parser *p, Token directive, Span strings, Token end)
{
    ptx_build_need_version(p, ptx_token_span(directive), "`.pragma`", 20);
    const Span span = ptx_span_join(ptx_token_span(directive), ptx_token_span(end));
    ptx_build_add_stmt(p, AST_PRAGMA, span)->opcode = strings;
    Span string;
    for (uint32_t at = strings.begin; next_string(p, strings, &at, &string);)
        check_pragma(p, string);
}

void ptx_build_module_pragma(Parser *p, Token directive, Span strings)
{
    ptx_build_need_version(p, ptx_token_span(directive), "`.pragma`", 20);
    Span string;
    for (uint32_t at = strings.begin; next_string(p, strings, &at, &string);) {
        if (!find_pragma(p, string))
            continue;
        ptx_diag(p->diags, DIAG_UNEXPECTED, strings, "this .pragma stands inside a function")
            ->help = "write it into the body, before the instructions that it is for";
        return;
    }
}
