/* Numbers and lines of the text documents. Numbers with a fraction are put together by hand: printf would ask the caller's locale
 * for the decimal point. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = 10,                /* of a number in full; JSON has as many */
    MAX_DECIMALS = 6
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

Figure ptx_figure_int(int64_t number)
{
    Figure f = { "unknown" };
    if (number != PTXLINT_UNKNOWN)
        snprintf(f.text, sizeof f.text, "%" PRId64, number);
    return f;
}

/* The digits of a positive finite number, the first of them worth 10^*exponent, without zeros at the end. Whatever the locale puts
 * between the first and the others is passed over. */
static size_t read_digits(double number, char digits[DIGITS + 1], int *exponent)
{
    char text[64];
    size_t count = 0;
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, number);
    const char *e = strrchr(text, 'e');
    for (const char *p = text; p < e && count < DIGITS; p++)
        if (*p >= '0' && *p <= '9')
            digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    *exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;           /* of a double: 3 digits at most */
    return count;
}

static void put_plain(Figure *f, const char *digits, size_t count, int exponent)
{
    size_t used = strlen(f->text);
    for (int place = exponent < 0 ? 0 : exponent; place >= 0 || exponent - place < (int)count; place--) {
        int index = exponent - place;
        if (place == -1)
            f->text[used++] = '.';
        f->text[used++] = index >= 0 && index < (int)count ? digits[index] : '0';
    }
    f->text[used] = '\0';
}

Figure ptx_figure_number(double number)
{
    Figure f = { "unknown" };
    char digits[DIGITS + 1];
    int exponent;
    if (!isfinite(number))
        return f;
    snprintf(f.text, sizeof f.text, "%s", number < 0 ? "-" : "");
    size_t count = read_digits(fabs(number), digits, &exponent);
    if (exponent >= -5 && exponent < 15)
        put_plain(&f, digits, count, exponent);
    else
        snprintf(f.text, sizeof f.text, "%s%c%s%se%+03d", number < 0 ? "-" : "", digits[0], count > 1 ? "." : "", digits + 1,
                 exponent);
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
        snprintf(f.text + used, sizeof f.text - (size_t)used, ".%0*" PRId64, decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS,
                 scaled % scale);
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

const char *ptx_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

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
static void put_word(Line *line, bool has_blank, const char *word, size_t length)
{
    if (has_blank && line->column > line->indent && line->column + 1 + length >= LINE_COLUMNS)       /* a comma may follow */
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
            put_word(line, line->has_blank, text + blank, length);
            line->has_blank = false;
        }
        text += blank + length;
    }
}

void ptx_line_item(Line *line, const char *text)
{
    if (line->has_item)
        line->column += ptx_out_clean(line->out, ",");
    put_word(line, line->has_item || line->has_blank, text, strlen(text));
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
