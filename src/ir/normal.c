#include "ir/normal.h"

#include "isa/isa.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    STATEMENT_BYTES = 2048,     /* that are looked at, each side of the place that is asked for */
    HASH_BYTES = 17             /* "#" and 16 digits */
};

static const uint64_t fnv_begin = UINT64_C(0xCBF29CE484222325);

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t fnv(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3);
}

static bool is_line_end(char byte)
{
    return byte == '\n' || byte == '\r';
}

static bool is_normal_blank(char byte)
{
    return byte == ' ' || byte == '\t' || is_line_end(byte);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

enum { LONG_BITS = 64 };

/* Letters, digits, `_`, `$` and `%`: a bit each, as every byte of a body is asked. */
static bool is_word(char byte)
{
    static const uint64_t words[4] = { UINT64_C(0x03ff003000000000),
                                       UINT64_C(0x07fffffe87fffffe) };
    const unsigned at = (unsigned char)byte;
    return words[at / LONG_BITS] >> at % LONG_BITS & 1;
}

/* ---- what comes of a statement --------------------------------------------------------------- */

/* All of it goes into the hash, the beginning into text. */
typedef struct NormalSink {
    uint64_t hash;
    char *text;                 /* NORMAL_BYTES; NULL: the hash alone */
    size_t length;              /* in all */
    char last;
} NormalSink;

static void put_normal(NormalSink *sink, const char *bytes, size_t length)
{
    uint64_t hash = sink->hash;
    for (size_t i = 0; i < length; i++)
        hash = fnv(hash, bytes[i]);
    for (size_t i = 0; sink->text && i < length && sink->length + i < NORMAL_BYTES - 1; i++)
        sink->text[sink->length + i] = bytes[i];
    sink->hash = hash;
    sink->length += length;
    sink->last = length ? bytes[length - 1] : sink->last;
}

/* Where the scan of one statement is. */
typedef struct Scan {
    const char *p, *end;
    NormalSink *sink;
    unsigned word_count;        /* behind the guard */
    int brackets;
    bool is_branch;             /* its operands are labels */
    bool has_blank;             /* before p */
} Scan;

/* Words stay apart. */
static void put_blank(Scan *scan)
{
    if (scan->has_blank && is_word(scan->sink->last))
        put_normal(scan->sink, " ", 1);
    scan->has_blank = false;
}

static const char *find_part(const char *word, size_t length, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= length; i++)
        if (!memcmp(word + i, part, n))
            return word + i;
    return NULL;
}

static void append_kept(NormalSink *sink, char byte)
{
    if (sink->length < NORMAL_BYTES - 1)
        sink->text[sink->length] = byte;
}

/* A register's name, at p. Where its digits are is not foreseen: they are hashed, too, and what
 * comes of that is left. */
static void take_without_digits(Scan *scan)
{
    NormalSink sink = *scan->sink;
    const char *p = scan->p;
    for (; p < scan->end && is_word(*p); p++) {
        const bool is_kept = !is_digit(*p);
        const uint64_t hash = fnv(sink.hash, *p);
        if (sink.text && is_kept)
            append_kept(&sink, *p);
        sink.hash = is_kept ? hash : sink.hash;
        sink.last = is_kept ? *p : sink.last;
        sink.length += is_kept;
    }
    *scan->sink = sink;
    scan->p = p;
}

static void put_named_operand(Scan *scan, const char *word, size_t length)
{
    const char *param = find_part(word, length, "_param_");
    if (param) {
        put_normal(scan->sink, param + 1, length - (size_t)(param + 1 - word));
        return;
    }
    while (length > 1 && is_digit(word[length - 1]))
        length--;
    put_normal(scan->sink, word, length);
}

static void put_operand(Scan *scan, const char *word, size_t length)
{
    if (*word == '$' || scan->is_branch)
        put_normal(scan->sink, "$", 1);
    else if (is_digit(*word) || scan->sink->last == '.')
        put_normal(scan->sink, word, length);
    else
        put_named_operand(scan, word, length);
}

/* An opcode is the first word with the modifiers at its end. */
static void put_opcode(Scan *scan, const char *word, size_t length)
{
    const char *end = word + length;
    while (
        end < scan->end
        && (is_word(*end) || *end == '.' || (*end == ':' && end + 1 < scan->end && end[1] == ':')))
        end += *end == ':' ? 2 : 1;
    const uint8_t operation = ptx_opcode_info[ptx_opcode_find(word, length)].operation;
    scan->is_branch = operation == OP_BRA || operation == OP_BRX;
    put_normal(scan->sink, word, (size_t)(end - word));
    put_normal(scan->sink, " ", 1);
    scan->p = end;
}

static void take_word(Scan *scan, bool is_guard)
{
    const char *word = scan->p;
    put_blank(scan);
    if (is_guard) {
        take_without_digits(scan);
        put_normal(scan->sink, " ", 1);
        return;
    }
    if (*word == '%' && scan->word_count && !scan->is_branch) {
        take_without_digits(scan);
        return;
    }
    while (scan->p < scan->end && is_word(*scan->p))
        scan->p++;
    size_t length = (size_t)(scan->p - word);
    if (scan->word_count++ || is_digit(*word)) {
        put_operand(scan, word, length);
    } else {
        put_opcode(scan, word, length);
    }
}

/* Past a comment; false: there is none. */
static bool skip_comment(Scan *scan)
{
    const char *p = scan->p;
    if (*p != '/' || scan->end - p < 2 || (p[1] != '/' && p[1] != '*'))
        return false;
    bool is_line = p[1] == '/';
    for (p += 2; p < scan->end; p++)
        if (is_line ? is_line_end(*p) : p[0] == '/' && p[-1] == '*' && p - scan->p > 2)
            break;
    scan->p = p < scan->end ? p + 1 : p;
    return true;
}

/* What is added to an address: `+16`, `-4` before the bracket or comma. */
static bool skip_offset(Scan *scan)
{
    const char *p = scan->p;
    if (scan->brackets <= 0 || (*p != '+' && *p != '-'))
        return false;
    for (p++; p < scan->end && (is_normal_blank(*p) || *p == '-'); p++)
        ;
    if (p == scan->end || !is_digit(*p))
        return false;
    while (p < scan->end && is_word(*p))
        p++;
    scan->p = p;
    return true;
}

static void take_mark(Scan *scan)
{
    char mark = *scan->p++;
    if (mark == '.')
        put_blank(scan);
    scan->has_blank = false;
    scan->brackets += (mark == '[') - (mark == ']');
    if (mark == ',')
        put_normal(scan->sink, ", ", 2);
    else
        put_normal(scan->sink, &mark, 1);
}

static void take_statement(Scan *scan)
{
    bool is_guard = false;
    while (scan->p < scan->end) {
        if (is_normal_blank(*scan->p)) {
            scan->has_blank = true;
            scan->p++;
        } else if (is_word(*scan->p)) {
            take_word(scan, is_guard);
            is_guard = false;
        } else if (!skip_comment(scan) && !skip_offset(scan)) {
            is_guard = is_guard ? *scan->p == '!' : *scan->p == '@';
            take_mark(scan);
        }
    }
}

/* ---- one statement --------------------------------------------------------------------------- */

static Span statement_around(const char *text, size_t length, uint32_t offset)
{
    uint32_t begin = offset, end = offset;
    uint32_t first = begin > STATEMENT_BYTES ? begin - STATEMENT_BYTES : 0;
    uint32_t last = length - begin > STATEMENT_BYTES ? begin + STATEMENT_BYTES : (uint32_t)length;
    while (begin > first && text[begin - 1] != ';' && !is_line_end(text[begin - 1]))
        begin--;
    while (end < last && text[end] != ';' && !is_line_end(text[end]))
        end++;
    return (Span){ begin, end };
}

static void shorten(NormalSink *sink)
{
    uint64_t rest = sink->hash;
    if (sink->length >= NORMAL_BYTES)
        snprintf(sink->text + NORMAL_BYTES - 1 - HASH_BYTES, HASH_BYTES + 1, "#%016" PRIx64, rest);
}

Normal ptx_normal_statement(const char *text, size_t length, uint32_t offset)
{
    Normal normal = { "" };
    Span span = statement_around(text, length, offset);
    const char *begin = text + span.begin;
    if (find_part(begin, span.end - span.begin, ".entry")
        || find_part(begin, span.end - span.begin, ".func"))
        return normal;
    NormalSink sink = { .hash = fnv_begin, .text = normal.text };
    Scan scan = { .p = begin, .end = text + span.end, .sink = &sink };
    take_statement(&scan);
    shorten(&sink);
    size_t used = sink.length < NORMAL_BYTES ? sink.length : NORMAL_BYTES - 1;
    while (used && normal.text[used - 1] == ' ')
        normal.text[--used] = 0;
    return normal;
}

/* ---- a body ---------------------------------------------------------------------------------- */

static bool begins_with_word(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) > length && !memcmp(p, word, length) && !is_word(p[length]);
}

/* Past blanks, comments, braces, labels and directives that end with their line. */
static void skip_to_statement(Scan *scan)
{
    while (scan->p < scan->end) {
        const char *p = scan->p;
        if (is_normal_blank(*p) || *p == '{' || *p == '}' || *p == ';') {
            scan->p++;
        } else if (begins_with_word(p, scan->end, ".loc")) {
            while (scan->p < scan->end && !is_line_end(*scan->p))
                scan->p++;
        } else if (is_word(*p)) {
            while (p < scan->end && is_word(*p))
                p++;
            if (p == scan->end || *p != ':' || (p + 1 < scan->end && p[1] == ':'))
                return;
            scan->p = p + 1;
        } else if (!skip_comment(scan)) {
            return;
        }
    }
}

static const char *statement_end(const Scan *scan)
{
    const char *end = memchr(scan->p, ';', (size_t)(scan->end - scan->p));
    return end ? end : scan->end;
}

uint64_t ptx_normal_body(const char *text, Span func)
{
    const char *open = memchr(text + func.begin, '{', func.end - func.begin);
    NormalSink sink = { .hash = fnv_begin };
    Scan all = { .p = open ? open + 1 : text + func.end, .end = text + func.end };
    for (skip_to_statement(&all); all.p < all.end; skip_to_statement(&all)) {
        Scan scan = { .p = all.p, .end = statement_end(&all), .sink = &sink };
        if (!begins_with_word(all.p, all.end, ".reg")
            && !begins_with_word(all.p, all.end, ".pragma")) {
            take_statement(&scan);
            put_normal(&sink, ";", 1);
        }
        all.p = scan.end;
    }
    return sink.hash;
}
