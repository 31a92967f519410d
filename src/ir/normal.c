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

/* Classes of bytes: every one of a body is asked. */
enum { LETTER = 1, DIGIT = 2, WORD = LETTER | DIGIT, DOT = 4, BLANK = 8 };

static const uint8_t class_of[UINT8_MAX + 1] = {
    ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER,
    ['f'] = LETTER, ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER,
    ['k'] = LETTER, ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER,
    ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER,
    ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER, ['y'] = LETTER,
    ['z'] = LETTER, ['A'] = LETTER, ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER,
    ['E'] = LETTER, ['F'] = LETTER, ['G'] = LETTER, ['H'] = LETTER, ['I'] = LETTER,
    ['J'] = LETTER, ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER,
    ['O'] = LETTER, ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER,
    ['T'] = LETTER, ['U'] = LETTER, ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER,
    ['Y'] = LETTER, ['Z'] = LETTER, ['_'] = LETTER, ['$'] = LETTER, ['%'] = LETTER,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT, ['5'] = DIGIT,
    ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
    ['.'] = DOT, [' '] = BLANK, ['\t'] = BLANK, ['\n'] = BLANK, ['\r'] = BLANK,
};

static unsigned byte_class(const char *p)
{
    return class_of[(unsigned char)*p];
}

static bool is_normal_blank(char byte)
{
    return byte_class(&byte) & BLANK;
}

static bool is_digit(char byte)
{
    return byte_class(&byte) & DIGIT;
}

static bool is_word(char byte)
{
    return byte_class(&byte) & WORD;
}

/* The first byte from p on that is of none of these classes, or end. */
static const char *skip_class(const char *p, const char *end, unsigned classes)
{
    while (p < end && byte_class(p) & classes)
        p++;
    return p;
}

/* ---- what comes of a statement --------------------------------------------------------------- */

/* All of it goes into the hash, the beginning into text. */
typedef struct NormalSink {
    uint64_t hash;
    char *text;                 /* NORMAL_BYTES; NULL: the hash alone */
    size_t length;              /* in all */
    char last;
} NormalSink;

static void append_text(NormalSink *sink, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length && sink->length + i < NORMAL_BYTES - 1; i++)
        sink->text[sink->length + i] = bytes[i];
}

static void put_normal(NormalSink *sink, const char *bytes, size_t length)
{
    uint64_t hash = sink->hash;
    if (!length)
        return;
    for (size_t i = 0; i < length; i++)
        hash = fnv(hash, bytes[i]);
    if (sink->text)
        append_text(sink, bytes, length);
    sink->hash = hash;
    sink->length += length;
    sink->last = bytes[length - 1];
}

/* What stands from p on, up to the first byte that is of none of these classes, or end: there. */
static const char *put_class(NormalSink *sink, const char *p, const char *end, unsigned classes)
{
    const char *const begin = p;
    uint64_t hash = sink->hash;
    for (; p < end && byte_class(p) & classes; p++)
        hash = fnv(hash, *p);
    if (p == begin)
        return p;
    if (sink->text)
        append_text(sink, begin, (size_t)(p - begin));
    sink->hash = hash;
    sink->length += (size_t)(p - begin);
    sink->last = p[-1];
    return p;
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
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= length; i++)
        if (word[i] == *part && !memcmp(word + i, part, n))
            return word + i;
    return NULL;
}

/* A register's name, at p. */
static void take_without_digits(Scan *scan)
{
    const char *p = scan->p;
    while (p < scan->end && byte_class(p) & WORD) {
        p = put_class(scan->sink, p, scan->end, LETTER);
        p = skip_class(p, scan->end, DIGIT);
    }
    scan->p = p;
}

/* What stands behind the function in the name of a variable that is local to it, `1s` of
 * `_ZZ4racePfE1s` (Itanium C++ ABI, "Scope Encoding"); 0: it is no such name. */
static size_t find_local_name(const char *word, size_t length)
{
    if (length < 3 || memcmp(word, "_ZZ", 3))
        return 0;
    for (size_t at = length - 1; at > 3; at--) {
        size_t number = 0, p = at;
        while (word[at - 1] == 'E' && p < length && is_digit(word[p]) && number < length)
            number = 10 * number + (size_t)(word[p++] - '0');
        if (number && (length - p == number || (length - p > number && word[p + number] == '_')))
            return at;
    }
    return 0;
}

static void put_named_operand(Scan *scan, const char *word, size_t length)
{
    const char *param = find_part(word, length, "_param_");
    if (param) {
        put_normal(scan->sink, param + 1, length - (size_t)(param + 1 - word));
        return;
    }
    const size_t local = find_local_name(word, length);
    word += local;
    length -= local;
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

static bool is_branch_opcode(const char *word, const char *end)
{
    if (*word != 'b')
        return false;
    const size_t length = (size_t)(skip_class(word, end, WORD) - word);
    const uint8_t operation = ptx_opcode_info[ptx_opcode_find(word, length)].operation;
    return operation == OP_BRA || operation == OP_BRX;
}

/* At p: the first word with the modifiers at its end. */
static void take_opcode(Scan *scan)
{
    const char *word = scan->p, *p = put_class(scan->sink, word, scan->end, WORD | DOT);
    while (p + 1 < scan->end && p[0] == ':' && p[1] == ':') {
        put_normal(scan->sink, "::", 2);
        p = put_class(scan->sink, p + 2, scan->end, WORD | DOT);
    }
    scan->is_branch = is_branch_opcode(word, scan->end);
    put_normal(scan->sink, " ", 1);
    scan->p = p;
}

static void take_operand(Scan *scan)
{
    const char *word = scan->p;
    scan->p = skip_class(word, scan->end, WORD);
    put_operand(scan, word, (size_t)(scan->p - word));
}

static void take_word(Scan *scan, bool is_guard)
{
    const char *word = scan->p;
    put_blank(scan);
    if (is_guard) {
        take_without_digits(scan);
        put_normal(scan->sink, " ", 1);
    } else if (*word == '%' && scan->word_count && !scan->is_branch) {
        take_without_digits(scan);
    } else if (scan->word_count++ || is_digit(*word)) {
        take_operand(scan);
    } else {
        take_opcode(scan);
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
        const unsigned class = byte_class(scan->p);
        if (class == BLANK) {
            scan->has_blank = true;
            scan->p++;
        } else if (class & WORD) {
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
        const unsigned class = byte_class(p);
        if (class == BLANK || *p == '{' || *p == '}' || *p == ';') {
            scan->p++;
        } else if (class == DOT && begins_with_word(p, scan->end, ".loc")) {
            while (scan->p < scan->end && !is_line_end(*scan->p))
                scan->p++;
        } else if (class & WORD) {
            p = skip_class(p, scan->end, WORD);
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
        if (byte_class(all.p) != DOT
            || (!begins_with_word(all.p, all.end, ".reg")
                && !begins_with_word(all.p, all.end, ".pragma"))) {
            take_statement(&scan);
            put_normal(&sink, ";", 1);
        }
        all.p = scan.end;
    }
    return sink.hash;
}
