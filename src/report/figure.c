/* Numbers and lines of the text documents. Numbers with a fraction are put together by hand: printf
 * would ask the caller's locale for the decimal point. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = 10,                /* of a number with a fraction; JSON has as many */
    MAX_WHOLE_DIGITS = 16,
    MAX_DECIMALS = 6
};

static const int64_t TEN_DIGITS = 10000000000;

/* Counts up to here lose no digit as a double: none is lost in print. */
static const double MAX_WHOLE = 0x1p53;

typedef unsigned __int128 Wide;

/* ---- numbers --------------------------------------------------------------------------------- */

Figure ptx_figure_int(int64_t number)
{
    Figure f = { "unknown" };
    if (number != PTXLINT_UNKNOWN)
        snprintf(f.text, sizeof f.text, "%" PRId64, number);
    return f;
}

/* Whatever the locale puts between the first digit and the others is passed over. */
static int64_t digits_printed(double number, int *exponent)
{
    char text[64];
    int64_t digits = 0;
    int count = 0;
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, number);
    const char *e = strrchr(text, 'e');
    for (const char *p = text; p < e && count < DIGITS; p++)
        if (*p >= '0' && *p <= '9') {
            digits = 10 * digits + (*p - '0');
            count++;
        }
    *exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;           /* of a double: 3 digits at most */
    return digits;
}

/* number x 10^decimals to the nearest integer, of two the even one: as printf rounds. number: 10^-5
 * to 10^10, its mantissa 53 bits. */
static int64_t scale_exactly(double number, int decimals)
{
    static const int64_t powers[] = { 1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000 };
    int exponent;
    int64_t mantissa = (int64_t)(frexp(number, &exponent) * 0x1p53);
    int shift = 53 - exponent;                                  /* 19 to 69 */
    Wide product = (Wide)mantissa * (Wide)powers[decimals], half = (Wide)1 << (shift - 1);
    int64_t whole = (int64_t)(product >> shift);
    Wide rest = product & (2 * half - 1);
    return whole + (rest > half || (rest == half && whole % 2));
}

/* The first ten digits of a positive finite number as an integer, the first of them worth
 * 10^*exponent. */
static int64_t ten_digits(double number, int *exponent)
{
    static const double least[] = { 1e9, 1e8, 1e7,  1e6,  1e5,  1e4,  1e3, 1e2,
                                    1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 };
    if (!(number >= 1e-5 && number < 1e10))
        return digits_printed(number, exponent);
    int place = DIGITS - 1;
    while (number < least[DIGITS - 1 - place])
        place--;
    int64_t digits = scale_exactly(number, DIGITS - 1 - place);
    if (digits >= TEN_DIGITS
        || digits < TEN_DIGITS / 10) /* rounded up; or its place is the next, as least is rounded */
        return digits_printed(number, exponent);
    *exponent = place;
    return digits;
}

/* The digits of a positive finite number, the first of them worth 10^*exponent, without zeros at
 * the end. */
static size_t read_digits(double number, char text[DIGITS + 1], int *exponent)
{
    int64_t digits = ten_digits(number, exponent);
    size_t count = DIGITS;
    for (size_t i = DIGITS; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (count > 1 && text[count - 1] == '0')
        count--;
    text[count] = '\0';
    return count;
}

static void put_plain(Figure *f, const char *digits, size_t count, int exponent)
{
    size_t used = strlen(f->text);
    for (int place = exponent < 0 ? 0 : exponent; place >= 0 || exponent - place < (int)count;
         place--) {
        int index = exponent - place;
        if (place == -1)
            f->text[used++] = '.';
        f->text[used++] = index >= 0 && index < (int)count ? digits[index] : '0';
    }
    f->text[used] = '\0';
}

static bool is_whole_figure(double number)
{
    return fabs(number) <= MAX_WHOLE && number == (double)(int64_t)number;
}

/* Of is_whole, as a real. */
static void put_whole(Figure *f, int64_t whole, bool is_negative)
{
    char text[MAX_WHOLE_DIGITS + 1];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole);
    if (is_negative)
        text[--at] = '-';
    memcpy(f->text, text + at, sizeof text - at);
    memcpy(f->text + sizeof text - at, ".0", sizeof ".0");
}

static void put_scientific(Figure *f, const char *digits, size_t count, int exponent)
{
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof f->text - used, "%c%s%.*se%d", digits[0], count > 1 ? "." : "",
             (int)count - 1, digits + 1, exponent);
}

Figure ptx_figure_number(double number)
{
    Figure f = { "unknown" };
    char digits[DIGITS + 1];
    int exponent;
    if (!isfinite(number))
        return f;
    if (is_whole_figure(number) && fabs(number) >= (double)TEN_DIGITS)
        return ptx_figure_int((int64_t)number);
    snprintf(f.text, sizeof f.text, "%s", number < 0 ? "-" : "");
    size_t count = read_digits(fabs(number), digits, &exponent);
    if (exponent >= -5 && exponent < 15)
        put_plain(&f, digits, count, exponent);
    else
        snprintf(f.text, sizeof f.text, "%s%c%s%se%+03d", ptx_text_if(number < 0, "-"), digits[0],
                 ptx_text_if(count > 1, "."), digits + 1, exponent);
    return f;
}

Figure ptx_figure_json(double number)
{
    Figure f = { "" };
    char digits[DIGITS + 1];
    int exponent;
    if (is_whole_figure(number)) {
        put_whole(&f, (int64_t)fabs(number), signbit(number) != 0);
        return f;
    }
    size_t count = read_digits(fabs(number), digits, &exponent);
    f.text[0] = '-';
    f.text[signbit(number) != 0] = '\0';
    if (exponent >= -4 && exponent < DIGITS)
        put_plain(&f, digits, count, exponent);
    else
        put_scientific(&f, digits, count, exponent);
    if (exponent >= 0 && exponent < DIGITS && (int)count <= exponent + 1)
        strcat(f.text, ".0");
    return f;
}

Figure ptx_figure_fixed(double number, int decimals)
{
    Figure f = { "unknown" };
    int64_t scale = 1;
    for (int i = 0; i < decimals && i < MAX_DECIMALS; i++)
        scale *= 10;
    if (!(number >= 0 && number < 1e12))
        return isfinite(number) ? ptx_figure_number(number) : f;
    int64_t scaled = (int64_t)((double)scale * number + 0.5);
    int used = snprintf(f.text, sizeof f.text, "%" PRId64, scaled / scale);
    if (decimals > 0)
        snprintf(f.text + used, sizeof f.text - (size_t)used, ".%0*" PRId64,
                 decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS, scaled % scale);
    return f;
}

Figure ptx_figure_short(double number)
{
    int decimals = 1;
    double least = 1;
    for (; number > 0 && number < least && decimals < MAX_DECIMALS; decimals++)
        least /= 10;
    return ptx_figure_fixed(number, decimals);
}

Figure ptx_figure_percent(double part, double whole)
{
    Figure f = ptx_figure_fixed(100 * part / whole, 1);
    if (strcmp(f.text, "unknown"))
        strcat(f.text, " %");
    return f;
}

/* ---- lines ----------------------------------------------------------------------------------- */

Line ptx_line_begin(Out *out, const char *key)
{
    ptx_out_format(out, "  %-*s", KEY_COLUMNS, key);
    return (Line){ .out = out, .column = KEY_COLUMNS + 2, .indent = KEY_COLUMNS + 2 };
}

static void line_break(Line *line)
{
    ptx_out_text(line->out, "\n");
    ptx_out_repeat(line->out, ' ', line->indent);
    line->column = line->indent;
}

/* A word and whether a blank stands before it; the blank is lost where the line breaks. */
static void put_figure_word(Line *line, bool has_blank, const char *word, size_t length)
{
    if (has_blank && line->column > line->indent
        && line->column + 1 + length >= LINE_COLUMNS) /* a comma may follow */
        line_break(line);
    else if (has_blank)
        line->column += ptx_out_clean(line->out, " ");
    line->column += ptx_out_clean_bytes(line->out, word, length);
}

void ptx_line_words(Line *line, const char *text)
{
    while (*text) {
        size_t blank = strspn(text, " "), length = strcspn(text + blank, " ");
        line->has_blank = line->has_blank || blank;
        if (length) {
            put_figure_word(line, line->has_blank, text + blank, length);
            line->has_blank = false;
        }
        text += blank + length;
    }
}

void ptx_line_item(Line *line, const char *text)
{
    if (line->has_item)
        line->column += ptx_out_clean(line->out, ",");
    put_figure_word(line, line->has_item || line->has_blank, text, strlen(text));
    line->has_item = true;
    line->has_blank = false;
}

void ptx_line_format(Line *line, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ptx_line_words(line, text);
}

void ptx_line_end(Line *line)
{
    ptx_out_text(line->out, "\n");
}

void ptx_put_heading(Out *out, const char *heading)
{
    ptx_out_text(out, "\n");
    ptx_out_style(out, STYLE_BOLD);
    ptx_out_text(out, heading);
    ptx_out_style(out, STYLE_NONE);
    ptx_out_text(out, "\n");
}

void ptx_line_source(Line *line, const ptxlint_source_place *source, const char *after)
{
    if (!source->path)
        return;
    ptx_line_words(line, ptx_path_last(source->path));
    ptx_line_format(line, ":%u%s", (unsigned)source->line, after);
}
