/* fold.c -- lines for people, at most as wide as the terminal that they are written to. Tables are
 * broken at one of their columns, prose at blanks; quoted source lines, paths and long names stay
 * whole. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

enum { LEAST_COLUMNS = 40, FALLBACK_COLUMNS = 80, HANG = 4, GAP = 2 };

/* A line as a terminal shows it: escape sequences take no columns. */
typedef struct FoldLine {
    const char *text;
    size_t length;
    size_t *starts;             /* per column, and for the end: the byte where it begins */
    size_t columns;
} FoldLine;

/* 0: it does not say. */
static unsigned long given_columns(void)
{
    const char *given = getenv("COLUMNS");
    return given ? strtoul(given, NULL, 10) : 0;
}

unsigned ptx_table_columns(void)
{
    const unsigned long given = given_columns();
    const bool is_asked = !isatty(STDOUT_FILENO) && given >= LEAST_COLUMNS && given <= 10000;
    return is_asked ? (unsigned)given : ptx_terminal_columns();
}

unsigned ptx_terminal_columns(void)
{
    unsigned long columns = given_columns();
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (!columns && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        columns = size.ws_col;
    if (!columns || columns > 10000)
        columns = FALLBACK_COLUMNS;
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : (unsigned)columns;
}

void ptx_sink_fit(Sink *sink, const Options *options, const Document *output)
{
    static const bool is_prose[COMMAND__COUNT] = {
        [COMMAND_CHECK] = true, [COMMAND_REPORT] = true, [COMMAND_GPU] = true,
        [COMMAND_EXPLAIN] = true, [COMMAND_RULES] = true, [COMMAND_ISA] = true,
        [COMMAND_TUNE] = true, [COMMAND_RANK] = true, [COMMAND_DIFF] = true,
        [COMMAND_CONFIG] = true, [COMMAND_OCCUPANCY] = true, [COMMAND_OPTSPACE] = true,
        [COMMAND_VERIFY] = true,
        [COMMAND_RECOGNIZE] = true, [COMMAND_CALIBRATE] = true
    };
    if (is_prose[options->command] && output->format == FORMAT_TEXT && !output->path
        && !ptx_fix_prints(options))
        sink->columns = ptx_terminal_columns();
}

/* Bytes of the escape sequence that begins there; 0: none does. */
static size_t escape_length(const char *text, size_t left)
{
    size_t length = 2;
    if (left < 2 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (length < left && text[length] != 'm')
        length++;
    return length + (length < left);
}

static bool fold_read_line(FoldLine *line, const char *text, size_t length)
{
    *line = (FoldLine){ text, length, calloc(2 * length + 1, sizeof(size_t)), 0 };
    if (!line->starts)
        return false;
    for (size_t i = 0; i < length;) {
        size_t escape = escape_length(text + i, length - i);
        utf8proc_int32_t letter = 0;
        utf8proc_ssize_t bytes = 1;
        if (!escape)
            bytes = utf8proc_iterate((const utf8proc_uint8_t *)text + i,
                                     (utf8proc_ssize_t)(length - i), &letter);
        int width = escape ? 0 : 1;
        if (!escape && bytes > 0)
            width = utf8proc_charwidth(letter);
        if (bytes <= 0)
            bytes = 1;
        for (int w = 0; w < width; w++)
            line->starts[line->columns++] = i;
        i += escape ? escape : (size_t)bytes;
    }
    line->starts[line->columns] = length;
    return true;
}

static char fold_at(const FoldLine *line, size_t column)
{
    return column < line->columns ? line->text[line->starts[column]] : ' ';
}

static size_t fold_skip_blanks(const FoldLine *line, size_t column)
{
    while (column < line->columns && fold_at(line, column) == ' ')
        column++;
    return column;
}

/* Where the second column of a row begins, or the text behind "= key: "; 0: nowhere. */
static size_t second_column(const FoldLine *line, size_t column)
{
    bool is_fact = fold_at(line, column) == '=' && fold_at(line, column + 1) == ' ';
    for (; column + GAP < line->columns; column++) {
        if (is_fact && fold_at(line, column) == ':')
            return column + GAP;
        if (fold_at(line, column) == ' ' && fold_at(line, column + 1) == ' ')
            return fold_skip_blanks(line, column);
    }
    return 0;
}

/* Source lines beside their numbers, carets, and places: they stay as they are. */
static bool is_quoted(const FoldLine *line)
{
    size_t column = fold_skip_blanks(line, 0);
    char first = fold_at(line, column);
    if (first == '-' || first == ':')
        return fold_at(line, column + 1) == first;
    while (fold_at(line, column) >= '0' && fold_at(line, column) <= '9')
        column++;
    return fold_at(line, fold_skip_blanks(line, column)) == '|';
}

/* ---- writing --------------------------------------------------------------------------------- */

static void fold_put_part(Sink *sink, const FoldLine *line, size_t from, size_t to, size_t indent)
{
    size_t begin = from ? line->starts[from] : 0;
    while (to > from && to < line->columns && fold_at(line, to - 1) == ' ')
        to--;
    fprintf(sink->file, "%*s", (int)indent, "");
    fwrite(line->text + begin, 1, line->starts[to] - begin, sink->file);
    fputc('\n', sink->file);
}

/* The last blank of from..from + room that a line may end at; else the first behind it. */
static size_t fold_break_at(const FoldLine *line, size_t from, size_t room)
{
    size_t found = line->columns;
    for (size_t i = fold_skip_blanks(line, from); i < line->columns; i++) {
        if (i > from + room && found < line->columns)
            break;
        if (fold_at(line, i) == ' ' && fold_at(line, fold_skip_blanks(line, i)) != '%')
            found = i;
    }
    return found;
}

/* The rest of a line, from a column on. */
static void put_prose(Sink *sink, const FoldLine *line, size_t from, size_t indent, size_t hang)
{
    while (indent + line->columns - from > sink->columns) {
        size_t to = fold_break_at(line, from, sink->columns - indent);
        if (to == line->columns)
            break;
        fold_put_part(sink, line, from, to, indent);
        from = fold_skip_blanks(line, to);
        indent = hang;
    }
    fold_put_part(sink, line, from, line->columns, indent);
}

static void fold_put_line(Sink *sink, const FoldLine *line)
{
    size_t lead = fold_skip_blanks(line, 0), second = second_column(line, lead);
    if (line->columns <= sink->columns || is_quoted(line))
        fold_put_part(sink, line, 0, line->columns, 0);
    else
        put_prose(sink, line, 0, 0, second && second <= sink->columns / 3 ? second : lead + HANG);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The first line of a table: words with gaps between them. */
static bool is_heading(const FoldLine *line)
{
    unsigned gaps = 0;
    for (size_t i = fold_skip_blanks(line, 0); i + GAP < line->columns;
         i = fold_skip_blanks(line, i) + 1)
        for (; i + GAP < line->columns; i++)
            if (fold_at(line, i) == ' ' && fold_at(line, i + 1) == ' ') {
                gaps++;
                break;
            }
    return gaps >= 2;
}

/* Not prose about the row before, which begins below the second word of the heading or behind. */
static bool fold_is_row(const FoldLine *lines, const FoldLine *line)
{
    return fold_skip_blanks(line, 0) < second_column(&lines[0], fold_skip_blanks(&lines[0], 0));
}

static bool is_gap(const FoldLine *lines, size_t count, size_t column)
{
    for (size_t i = 0; i < count; i++)
        if (fold_is_row(lines, &lines[i])
            && (fold_at(&lines[i], column - 1) != ' ' || fold_at(&lines[i], column - GAP) != ' '))
            return false;
    return true;
}

/* The last column up to the width where all lines have a gap and the heading goes on; 0: none. */
static size_t find_cut(const Sink *sink, const FoldLine *lines, size_t count)
{
    size_t most = lines[0].columns;
    while (most && fold_at(&lines[0], most - 1) != ' ')
        most--;
    most = most < sink->columns ? most : sink->columns;
    for (size_t column = most; column > sink->columns / 3; column--)
        if (is_gap(lines, count, column))
            return column;
    return 0;
}

/* Lines up to an empty one. All rows of a table are broken at the same column. */
static void fold_put_block(Sink *sink, const FoldLine *lines, size_t count)
{
    size_t widest = 0, cut = 0;
    for (size_t i = 0; i < count; i++)
        widest = lines[i].columns > widest ? lines[i].columns : widest;
    if (count > 1 && widest > sink->columns && is_heading(&lines[0]))
        cut = find_cut(sink, lines, count);
    for (size_t i = 0; i < count; i++) {
        if (!cut || lines[i].columns <= cut || !fold_is_row(lines, &lines[i])) {
            fold_put_line(sink, &lines[i]);
            continue;
        }
        fold_put_part(sink, &lines[i], 0, cut, 0);
        put_prose(sink, &lines[i], cut, 2 * HANG, 2 * HANG);
    }
}

static size_t fold_count_lines(const char *text, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

/* Whole lines of text. */
static bool fold_lines(Sink *sink, const char *text, size_t length)
{
    size_t count = 0;
    FoldLine *lines = calloc(fold_count_lines(text, length), sizeof *lines);
    bool is_good = lines != NULL;
    for (const char *end; is_good && length; length -= (size_t)(end - text), text = end) {
        const char *stop = memchr(text, '\n', length);
        size_t here = stop ? (size_t)(stop - text) : length;
        end = text + here + (stop != NULL);
        is_good = fold_read_line(&lines[count++], text, here);
        if (is_good && !here) {
            fold_put_block(sink, lines, count);
            while (count)
                free(lines[--count].starts);
        }
    }
    if (is_good && count)
        fold_put_block(sink, lines, count);
    while (count)
        free(lines[--count].starts);
    free(lines);
    return is_good;
}

/* ---- the sink -------------------------------------------------------------------------------- */

/* Up to the last empty line; the rest waits for more. */
int ptx_sink_fold(Sink *sink, const char *bytes, size_t length)
{
    ptx_text_add(&sink->waiting, bytes, length);
    size_t ready = sink->waiting.length;
    const char *text = sink->waiting.bytes;
    while (ready > 1 && (text[ready - 1] != '\n' || text[ready - 2] != '\n'))
        ready--;
    if (sink->waiting.has_failed || ready <= 1)
        return sink->waiting.has_failed;
    bool is_good = fold_lines(sink, text, ready);
    memmove(sink->waiting.bytes, text + ready, sink->waiting.length - ready);
    sink->waiting.length -= ready;
    return !is_good || ferror(sink->file);
}

void ptx_sink_fold_end(Sink *sink)
{
    if (sink->waiting.length && !fold_lines(sink, sink->waiting.bytes, sink->waiting.length))
        ptx_complain_memory();
    ptx_text_free(&sink->waiting);
}
