#include "report/writer/same_rows.h"

#include "support/demangle.h"
#include "support/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PLAIN_BYTES = 256,
    MAX_LABEL_DIGITS = 9,
    /* texts with a name or label that stay as short are nowhere cut: in a chain of json.c, least */
    UNCUT_BYTES = 150
};

/* What a row says of its kernel alone. */
typedef enum OwnWord {
    OWN_NAME,                   /* mangled, behind its _Z */
    OWN_SIGNATURE,
    OWN_LABEL,                  /* the number in $L__BB12_3 */
    OWN_LINE,
    OWN_BODY                    /* its hash */
} OwnWord;

typedef struct RowPatch {
    size_t at, length;
    OwnWord word;
    uint32_t line;              /* of OWN_LINE */
} RowPatch;

struct SameRow {
    uint32_t begin;             /* of the kernel in the text of the module */
    uint32_t line;              /* of its name */
    Buffer text;
    RowPatch *patches;
    size_t patch_count, patch_capacity;
    size_t longest;             /* of the texts with a name or label that may be cut */
    size_t name_length, label_length;
    bool has_plain_name;        /* in texts: theirs must be the same */
    char plain[MAX_PLAIN_BYTES];
};

/* ---- names of a kernel ----------------------------------------------------------------------- */

/* Of nvcc's labels, $L__BB12_3: "12"; "" where there are none. */
typedef struct LabelNumber {
    char digits[MAX_LABEL_DIGITS + 1];
    size_t length;
} LabelNumber;

static const char row_label[] = "$L__BB";

static size_t digits_at(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && at[length] >= '0' && at[length] <= '9')
        length++;
    return length;
}

/* False: labels of the kernel have different ones. */
static bool find_label_number(const ptxlint_module *module, const ptxlint_kernel *kernel,
                              LabelNumber *out)
{
    const char *text = ptxlint_module_get_info(module)->text, *at = text + kernel->span.begin,
               *end = text + kernel->span.end;
    *out = (LabelNumber){ .length = 0 };
    while (at < end && (at = memchr(at, '$', (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) < sizeof row_label || memcmp(at, row_label, sizeof row_label - 1)) {
            at++;
            continue;
        }
        at += sizeof row_label - 1;
        const size_t length = digits_at(at, end);
        if (!length || length > MAX_LABEL_DIGITS
            || (out->length && (out->length != length || memcmp(out->digits, at, length) != 0)))
            return false;
        memcpy(out->digits, at, length);
        out->length = length;
    }
    return true;
}

static bool find_plain_name(const ptxlint_kernel *kernel, char out[MAX_PLAIN_BYTES])
{
    const size_t length = ptx_demangle(kernel->name, NAME_PLAIN, out, MAX_PLAIN_BYTES);
    return length && length < MAX_PLAIN_BYTES;
}

static bool is_signature_plain(const char *signature)
{
    for (const char *at = signature; *at; at++)
        if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f || *at == '"' || *at == '\\')
            return false;
    return *signature != '\0';
}

static bool has_own_names(const ptxlint_kernel *kernel)
{
    return !strncmp(kernel->name, "_Z", 2) && kernel->demangled
           && is_signature_plain(kernel->demangled);
}

/* ---- what is the kernel's own ---------------------------------------------------------------- */

/* A row while it is looked through. */
typedef struct RowReader {
    SameRow *row;
    const ptxlint_kernel *kernel;
    const char *name, *signature;       /* the name behind its _Z */
    size_t plain_length, signature_length;
    LabelNumber label;
    const char *key;            /* the last one */
    size_t key_length;
} RowReader;

static bool note_patch(SameRow *row, const char *at, size_t length, OwnWord word, uint32_t line)
{
    if (!ptx_list_reserve(&row->patches, &row->patch_capacity, row->patch_count + 1,
                          sizeof *row->patches))
        return false;
    row->patches[row->patch_count++] = (RowPatch){ (size_t)(at - row->text.bytes), length, word,
                                                   line };
    return true;
}

static bool row_has_word(const char *at, const char *end, const char *word, size_t length)
{
    return (size_t)(end - at) >= length && !memcmp(at, word, length);
}

/* Behind the name at its _Z; NULL: it is another's, or cut. */
static const char *take_own_name(const RowReader *r, const char *at, const char *end)
{
    const size_t length = r->row->name_length;
    const char *name = at + 2;
    if (!row_has_word(name, end, r->name, length) && name < end && *name == 'Z')
        name++;
    return row_has_word(name, end, r->name, length)
                   && note_patch(r->row, name, length, OWN_NAME, 0)
               ? name + length
               : NULL;
}

static const char *take_own_label(const RowReader *r, const char *at, const char *end)
{
    const char *number = at + sizeof row_label - 1;
    const size_t length = digits_at(number, end);
    const bool is_own = length == r->label.length && !memcmp(number, r->label.digits, length)
                        && number + length < end && number[length] == '_';
    return is_own && note_patch(r->row, number, length, OWN_LABEL, 0) ? number + length : NULL;
}

/* As a word by itself, where it may be the name of others too. */
static const char *take_plain_name(const RowReader *r, const char *begin, const char *at,
                                   const char *end)
{
    const char *behind = at + r->plain_length;
    if ((at > begin && at[-1] == ':') || (behind < end && (*behind == '<' || *behind == '(')))
        return NULL;
    r->row->has_plain_name = true;
    return behind;
}

/* "line 12", "lines 12 and 15" */
static bool is_line_in_words(const char *at, const char *end)
{
    if (!row_has_word(at, end, "line", 4))
        return false;
    at += 4 + (at + 4 < end && at[4] == 's');
    return at + 1 < end && *at == ' ' && at[1] >= '0' && at[1] <= '9';
}

/* Past a word of the kernel's own, or a byte; NULL: another would not have the same. */
static const char *take_of_text(const RowReader *r, const char *begin, const char *at,
                                const char *end)
{
    if (*at == '_' && row_has_word(at, end, "_Z", 2))
        return take_own_name(r, at, end);
    if (*at == '$' && row_has_word(at, end, row_label, sizeof row_label - 1))
        return take_own_label(r, at, end);
    if (*at == 'l' && is_line_in_words(at, end))
        return NULL;
    if (*at == *r->row->plain && row_has_word(at, end, r->row->plain, r->plain_length))
        return take_plain_name(r, begin, at, end);
    return at + 1;
}

static bool is_last_key(const RowReader *r, const char *key)
{
    return r->key_length == strlen(key) && !memcmp(r->key, key, r->key_length);
}

static bool take_text(RowReader *r, const char *begin, const char *end)
{
    const size_t patches = r->row->patch_count, length = (size_t)(end - begin);
    if (is_last_key(r, "body"))
        return note_patch(r->row, begin, length, OWN_BODY, 0);
    if (is_last_key(r, "path"))
        return false;           /* lines of CUDA */
    if (length == r->signature_length && !memcmp(begin, r->signature, length))
        return note_patch(r->row, begin, length, OWN_SIGNATURE, 0);
    for (const char *at = begin; at < end;)
        if (!(at = take_of_text(r, begin, at, end)))
            return false;
    if (r->row->patch_count > patches && !is_last_key(r, "name") && length > r->row->longest)
        r->row->longest = length;
    return true;
}

/* A key, and what is behind it if that is a line. */
static bool take_key(RowReader *r, const char *begin, const char *end)
{
    const char *value = end + 2, *row_end = r->row->text.bytes + r->row->text.length;
    r->key = begin;
    r->key_length = (size_t)(end - begin);
    const size_t digits = digits_at(value, row_end);
    if (r->key_length < 4 || memcmp(end - 4, "line", 4) != 0 || !digits)
        return true;
    return note_patch(r->row, value, digits, OWN_LINE, (uint32_t)strtoul(value, NULL, 10));
}

static const char *end_of_text(const char *begin, const char *end)
{
    const char *at = begin;
    while (at < end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    return at < end ? at : NULL;
}

/* All that is the kernel's own. False: there is more. */
static bool read_row(RowReader *r)
{
    const char *at = r->row->text.bytes, *end = at + r->row->text.length;
    while (at < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        const char *begin = at + 1, *last = end_of_text(begin, end);
        const bool is_key = last && last + 2 < end && last[1] == ':';
        if (!last || !(is_key ? take_key : take_text)(r, begin, last))
            return false;
        at = last + 1;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static SameRow *kept_row_of(const SameRows *rows, const ptxlint_kernel *first)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].begin == first->span.begin && rows->items[i].text.bytes)
            return &rows->items[i];
    return NULL;
}

static void forget_row(SameRow *row)
{
    free(row->text.bytes);
    free(row->patches);
    *row = (SameRow){ .begin = 0 };
}

static bool read_own_words(SameRow *row, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    RowReader r = { .row = row, .kernel = kernel, .key = "" };
    if (!has_own_names(kernel) || !find_plain_name(kernel, row->plain)
        || !find_label_number(module, kernel, &r.label))
        return false;
    r.name = kernel->name + 2;
    r.signature = kernel->demangled;
    r.signature_length = strlen(kernel->demangled);
    r.plain_length = strlen(row->plain);
    row->name_length = strlen(r.name);
    row->label_length = r.label.length;
    row->line = ptxlint_module_place(module, kernel->name_span.begin).line;
    return read_row(&r);
}

void ptx_same_rows_keep(SameRows *rows, const ptxlint_module *module, const ptxlint_kernel *kernel,
                        Buffer *text)
{
    SameRow row = { .begin = kernel->span.begin, .text = *text };
    *text = (Buffer){ .length = 0 };
    if (read_own_words(&row, module, kernel)
        && ptx_list_reserve(&rows->items, &rows->capacity, rows->count + 1, sizeof row))
        rows->items[rows->count++] = row;
    else
        forget_row(&row);
}

/* Texts with a name or a label are cut nowhere, or at the same place. */
static bool is_cut_alike(const SameRow *row, size_t name_length, size_t label_length)
{
    const size_t more = (name_length > row->name_length ? name_length - row->name_length : 0)
                        + MAX_LABEL_DIGITS;
    return (name_length == row->name_length && label_length == row->label_length)
           || row->longest + more < UNCUT_BYTES;
}

bool ptx_same_rows_have(const SameRows *rows, const ptxlint_module *module,
                        const ptxlint_kernel *kernel, const ptxlint_kernel *first)
{
    char plain[MAX_PLAIN_BYTES];
    LabelNumber label;
    const SameRow *row = kept_row_of(rows, first);
    return row && has_own_names(kernel) && find_plain_name(kernel, plain)
           && (!row->has_plain_name || !strcmp(plain, row->plain))
           && find_label_number(module, kernel, &label)
           && !label.length == !row->label_length
           && is_cut_alike(row, strlen(kernel->name) - 2, label.length);
}

/* There are many of them. */
static void put_row_line(Out *out, uint64_t line)
{
    char digits[24], *end = digits + sizeof digits, *at = end;
    do {
        *--at = (char)('0' + line % 10);
        line /= 10;
    } while (line);
    ptx_out_bytes(out, at, (size_t)(end - at));
}

static void put_own_word(Out *out, const RowPatch *patch, const ptxlint_module *module,
                         const ptxlint_kernel *kernel, const LabelNumber *label, int64_t lines)
{
    switch (patch->word) {
    case OWN_NAME:      ptx_out_text(out, kernel->name + 2); return;
    case OWN_SIGNATURE: ptx_out_text(out, kernel->demangled); return;
    case OWN_LABEL:     ptx_out_bytes(out, label->digits, label->length); return;
    case OWN_LINE:      put_row_line(out, (uint64_t)(patch->line + lines)); return;
    case OWN_BODY:
        ptx_out_format(out, "%016" PRIx64, ptxlint_module_body(module, kernel));
        return;
    }
}

void ptx_same_rows_put(SameRows *rows, Out *out, const ptxlint_module *module,
                       const ptxlint_kernel *kernel, const ptxlint_kernel *first)
{
    SameRow *row = kept_row_of(rows, first);
    LabelNumber label;
    find_label_number(module, kernel, &label);
    const int64_t lines = (int64_t)ptxlint_module_place(module, kernel->name_span.begin).line
                          - row->line;
    size_t at = 0;
    for (size_t p = 0; p < row->patch_count; p++) {
        const RowPatch *patch = &row->patches[p];
        ptx_out_bytes(out, row->text.bytes + at, patch->at - at);
        put_own_word(out, patch, module, kernel, &label, lines);
        at = patch->at + patch->length;
    }
    ptx_out_bytes(out, row->text.bytes + at, row->text.length - at);
    if (!kernel->same_count)
        forget_row(row);
}

void ptx_same_rows_free(SameRows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        forget_row(&rows->items[i]);
    free(rows->items);
    *rows = (SameRows){ .count = 0 };
}
