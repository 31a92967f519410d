#include "support/demangle.h"

#include "support/words.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libiberty ------------------------------------------------------------------------------- */

/* What libiberty prints. A short name may stand for text without end (substitutions of
 * substitutions), so that it is left where there is no more room. */
typedef struct Printed {
    char *bytes;                /* room for DEMANGLED_BYTES_MAX */
    size_t length;
    jmp_buf is_full;
} Printed;

static void print_piece(const char *piece, size_t length, void *context)
{
    Printed *printed = context;
    if (length >= DEMANGLED_BYTES_MAX - printed->length)
        longjmp(printed->is_full, 1);
    memcpy(printed->bytes + printed->length, piece, length);
    printed->length += length;
}

/* Identifiers of Rust that are not ASCII are decoded in memory of libiberty's own, which the way
 * out of print_piece would lose: a name that may have one is taken where it cannot grow much. */
static bool is_bounded_rust(const char *name)
{
    enum { BACK_REFERENCES_MAX = 10 };
    unsigned references = 0;
    bool may_be_encoded = false;
    for (const char *at = name; *at; at++) {
        references += *at == 'B';
        may_be_encoded |= *at == 'u' && at[1] >= '0' && at[1] <= '9';
    }
    return !may_be_encoded || references <= BACK_REFERENCES_MAX;
}

static bool is_legacy_rust(const char *name, size_t length)
{
    return length > 20 && name[length - 1] == 'E' && !memcmp(name + length - 20, "17h", 3)
           && strspn(name + length - 17, "0123456789abcdef") == 16;
}

/* Apart, since it is left by longjmp: no local of it changes. */
static bool print_name(const char *name, bool is_rust, bool has_signature, Printed *printed)
{
    const int options = has_signature ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : DMGL_ANSI;
    if (setjmp(printed->is_full))
        return false;
    if (is_rust)
        return rust_demangle_callback(name, DMGL_RUST, print_piece, printed);
    return cplus_demangle_v3_callback(name, options | DMGL_NO_RECURSE_LIMIT, print_piece, printed);
}

/* The whole text with its NUL in bytes; false: it is no mangled name. */
static bool demangle(const char *name, bool has_signature, char bytes[DEMANGLED_BYTES_MAX])
{
    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
        return false;
    size_t length = strnlen(name, MANGLED_BYTES_MAX + 1);
    if (length > MANGLED_BYTES_MAX)
        return false;
    Printed printed = { .bytes = bytes, .length = 0 };
    bool is_v0 = name[1] == 'R', is_rust = is_v0 || is_legacy_rust(name, length);
    if ((is_v0 && !is_bounded_rust(name)) || !print_name(name, is_rust, has_signature, &printed))
        return false;
    bytes[printed.length] = '\0';
    return printed.length > 0;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static size_t put_out(const char *text, size_t length, char *out, size_t size)
{
    size_t kept = length < size ? length : size - 1;
    if (!size)
        return length;
    memcpy(out, text, kept);
    out[kept] = '\0';
    return length;
}

/* Numba's tags ("[abi:v1]") say nothing to a reader. */
static void drop_tags(char *text)
{
    for (char *tag = text; (tag = strstr(tag, "[abi:"));) {
        char *end = strchr(tag, ']');
        if (!end)
            return;
        memmove(tag, end + 1, strlen(end + 1) + 1);
    }
}

/* nor do the namespaces that nvcc makes of a file for what is static in it */
static void drop_internal(char *text)
{
    for (char *scope = text; (scope = strstr(scope, "_INTERNAL_"));) {
        char *end = scope;
        while (ptx_is_name_byte(*end))
            end++;
        if (strncmp(end, "::", 2) != 0)
            return;
        memmove(scope, end + 2, strlen(end + 2) + 1);
    }
}

static bool is_operator(const char *text, const char *end)
{
    while (end > text && strchr("<>=-", end[-1]))
        end--;
    return end - text >= 8 && !memcmp(end - 8, "operator", 8);
}

/* Cuts template arguments from the end of a name. */
static void drop_arguments(char *text)
{
    char *at = text + strlen(text);
    unsigned depth = 0;
    while (at > text && at[-1] == ' ')
        *--at = '\0';
    if (at == text || at[-1] != '>' || is_operator(text, at))
        return;
    while (at > text) {
        char byte = *--at;
        bool is_arrow = byte == '>' && at > text && at[-1] == '-';
        depth += byte == '>' && !is_arrow;
        depth -= byte == '<';
        if (!depth)
            break;
    }
    while (!depth && at > text && at[-1] == ' ')
        at--;
    if (!depth && at > text)
        *at = '\0';
}

/* Cuts parameters from the end of a signature, and template arguments before them. */
static void drop_parameters(char *text)
{
    char *at = text + strlen(text);
    unsigned depth = 0;
    if (at > text && at[-1] == ')')
        do {
            at--;
            depth += *at == ')';
            depth -= *at == '(';
        } while (depth && at > text);
    if (!depth && at > text)
        *at = '\0';
    drop_arguments(text);
}

/* What follows the last "::" that no bracket encloses. */
static const char *last_name(const char *text)
{
    const char *last = text;
    unsigned depth = 0;
    for (const char *at = text; *at; at++) {
        depth += *at == '<' || *at == '(' || *at == '{';
        depth -= depth && (*at == '>' || *at == ')' || *at == '}');
        if (!depth && at[0] == ':' && at[1] == ':')
            last = at + 2;
    }
    return last;
}

/* Of a name as NAME_SHORT has it. */
static const char *narrow_name(char *text, NameForm form)
{
    if (form >= NAME_QUALIFIED)
        drop_arguments(text);
    return form == NAME_PLAIN ? last_name(text) : text;
}

size_t ptx_demangle(const char *name, NameForm form, char *out, size_t size)
{
    char bytes[DEMANGLED_BYTES_MAX];
    put_out("", 0, out, size);
    if (!demangle(name, form == NAME_SIGNATURE, bytes))
        return 0;
    drop_tags(bytes);
    drop_internal(bytes);
    const char *text = narrow_name(bytes, form);
    return put_out(text, strlen(text), out, size);
}

/* ---- titles ---------------------------------------------------------------------------------- */

/* Of FUNCTION_param_N, as compilers of C++ name parameters, the end; else the whole. */
static const char *end_of_parameter(const char *name)
{
    const char *end = name + strlen(name), *at = end;
    while (at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    bool is_numbered = at < end && at - name > 7 && !memcmp(at - 7, "_param_", 7);
    return is_numbered ? at - 6 : name;
}

/* FUNCTION(...)::VARIABLE as VARIABLE in FUNCTION, where name is that of a local variable. */
static bool put_local(const char *name, char title[DEMANGLED_BYTES_MAX])
{
    char function[DEMANGLED_BYTES_MAX];
    const char *variable = strncmp(name, "_ZZ", 3) ? NULL : last_name(title);
    if (!variable || variable == title)
        return false;
    size_t length = (size_t)(variable - title) - 2;
    memcpy(function, title, length);
    function[length] = '\0';
    drop_parameters(function);
    memmove(title, variable, strlen(variable) + 1);
    size_t used = strlen(title);
    snprintf(title + used, DEMANGLED_BYTES_MAX - used, " in %s", function);
    return true;
}

size_t ptx_source_title(const char *name, size_t length, char *out, size_t size)
{
    char own[MANGLED_BYTES_MAX + 1], title[DEMANGLED_BYTES_MAX];
    if (length > MANGLED_BYTES_MAX)
        return put_out(name, length, out, size);
    memcpy(own, name, length);
    own[length] = '\0';
    const char *shown = end_of_parameter(own);
    if (shown == own && ptx_demangle(own, NAME_SHORT, title, sizeof title)) {
        put_local(own, title);
        shown = title;
    }
    return put_out(shown, strlen(shown), out, size);
}

/* ---- names that a user writes ---------------------------------------------------------------- */

/* Without blanks but those that part two words, and without the return type of every kernel. */
static void squeeze(const char *text, char *out)
{
    const char *begin = out;
    text += strspn(text, " ");
    text += strncmp(text, "void ", 5) ? 0 : 5;
    for (; *text; text++) {
        bool is_needed = *text != ' ' || (out > begin && ptx_is_name_byte(out[-1])
                                          && ptx_is_name_byte(text[1]));
        if (is_needed)
            *out++ = *text;
    }
    *out = '\0';
}

bool ptx_name_forms(const char *name, NameFn use, void *context)
{
    char form[DEMANGLED_BYTES_MAX], squeezed[DEMANGLED_BYTES_MAX];
    if (use(context, name))
        return true;
    for (int i = 0; i < NAME_FORM__COUNT; i++) {
        size_t length = ptx_demangle(name, (NameForm)i, form, sizeof form);
        if (!length)
            return false;
        squeeze(form, squeezed);
        if (use(context, form) || (strcmp(form, squeezed) && use(context, squeezed)))
            return true;
    }
    return false;
}

typedef struct NameGlob {
    const char *glob;
    char squeezed[MANGLED_BYTES_MAX];
} NameGlob;

static bool fits_form(void *context, const char *form)
{
    const NameGlob *wanted = context;
    return !strcmp(wanted->squeezed, form) || !fnmatch(wanted->squeezed, form, 0);
}

/* A name without wildcards that stands in the source stands in the mangled one, too. */
static bool can_fit(const char *glob, const char *name)
{
    size_t plain = 0;
    while (ptx_is_name_byte(glob[plain]))
        plain++;
    return glob[plain] || strstr(name, glob);
}

static bool fits_glob(const char *glob, const char *name)
{
    NameGlob wanted = { .glob = glob };
    if (!fnmatch(glob, name, 0))
        return true;
    if (name[0] != '_' || !can_fit(glob, name) || strlen(glob) >= sizeof wanted.squeezed)
        return false;
    squeeze(glob, wanted.squeezed);
    return ptx_name_forms(name, fits_form, &wanted);
}

bool ptx_name_fits(const char *globs, const char *name)
{
    char glob[MANGLED_BYTES_MAX];
    for (const char *end; (end = strchr(globs, '\n')); globs = end + 1) {
        snprintf(glob, sizeof glob, "%.*s", (int)(end - globs), globs);
        if ((size_t)(end - globs) < sizeof glob && fits_glob(glob, name))
            return true;
    }
    return fits_glob(globs, name);
}
