#include "findings/cuda_comment.h"

#include "support/limits.h"
#include "support/words.h"

#include <string.h>

static const char directive[] = "ptxlint:";

enum { DIRECTIVE_LENGTH = sizeof directive - 1, RAW_DELIMITER_MAX = 16 };

typedef struct CudaScan {
    Arena *arena;
    const char *text;
    char *code;                 /* gets what is code; NULL: not wanted */
    uint32_t length, pos, line;
    bool has_code;              /* before pos, in its line */
    uint32_t depth;             /* of brackets since a statement began that comments wait for */
    uint32_t capacity;
    uint32_t waiting;           /* comments from here on wait for a statement, or for its end */
    bool is_in_statement;
    CudaComments found;
} CudaScan;

/* The first place of what in text, which ends with a NUL; NULL. */
static const char *find_text(const char *text, uint32_t length, const char *what, uint32_t room)
{
    for (const char *p = text, *end = text + length; (p = memchr(p, *what, (size_t)(end - p))); p++)
        if ((size_t)(end - p) >= room && !memcmp(p, what, room))
            return p;
    return NULL;
}

/* ---- a directive ----------------------------------------------------------------------------- */

static CudaReach reach_of(const char *word, uint32_t length)
{
    static const char *const words[] = { [CUDA_REACH_LINE] = "ignore",
                                         [CUDA_REACH_KERNEL] = "ignore-kernel",
                                         [CUDA_REACH_FILE] = "ignore-file" };
    for (int r = CUDA_REACH_LINE; r <= CUDA_REACH_FILE; r++)
        if (strlen(words[r]) == length && !memcmp(words[r], word, length))
            return (CudaReach)r;
    return CUDA_REACH_NONE;
}

static void fail_directive(CudaComment *comment, const char *trouble)
{
    comment->trouble = trouble;
    comment->help = "write it as `// ptxlint: ignore[RULE, RULE] reason`; ignore-kernel and "
                    "ignore-file reach further";
}

/* What stands between commas. */
static void read_names(CudaScan *s, CudaComment *comment, Span inside)
{
    uint32_t count = 1;
    for (uint32_t p = inside.begin; p < inside.end; p++)
        count += s->text[p] == ',';
    comment->names = ptx_arena_array(s->arena, CudaName, count);
    comment->name_first = s->found.name_count;
    for (uint32_t p = inside.begin; p <= inside.end;) {
        const char *comma = memchr(s->text + p, ',', inside.end - p);
        uint32_t next = comma ? (uint32_t)(comma - s->text) : inside.end;
        Span name = ptx_span_trim(s->text, (Span){ p, next });
        comment->names[comment->name_count++].span = name;
    s->found.name_count++;
        if (!ptx_span_length(name))
            fail_directive(comment, "a rule is missing in this list");
        p = next + 1;
    }
}

/* line: from `ptxlint:` on. */
static CudaComment read_directive(CudaScan *s, Span line)
{
    CudaComment comment = { .line = s->line };
    Span rest = ptx_span_trim(s->text, (Span){ line.begin + DIRECTIVE_LENGTH, line.end });
    uint32_t word = rest.begin;
    while (word < rest.end && s->text[word] != '[' && !ptx_is_blank(s->text[word]))
        word++;
    comment.span = (Span){ line.begin, word };
    comment.reach = reach_of(s->text + rest.begin, word - rest.begin);
    while (word < rest.end && ptx_is_blank(s->text[word]))
        word++;
    const char *close = word < rest.end && s->text[word] == '['
                            ? memchr(s->text + word, ']', rest.end - word)
                            : NULL;
    if (!comment.reach) {
        fail_directive(&comment, "unknown directive after `ptxlint:`");
        return comment;
    }
    if (!close) {
        fail_directive(&comment, "a list of rules in brackets is missing");
        return comment;
    }
    const uint32_t stop = (uint32_t)(close - s->text);
    comment.span.end = stop + 1;
    read_names(s, &comment, ptx_span_trim(s->text, (Span){ word + 1, stop }));
    const Span reason = ptx_span_trim(s->text, (Span){ stop + 1, rest.end });
    comment.reason = ptx_arena_strndup(s->arena, s->text + reason.begin, ptx_span_length(reason));
    return comment;
}

static void add_directive(CudaScan *s, Span line)
{
    if (s->found.count == LIMIT_CUDA_COMMENTS) {
        fail_directive(&s->found.items[s->found.count - 1],
                       "no comments beyond this one are read: there are too many in this file");
        return;
    }
    if (s->found.count == s->capacity)
        s->found.items = ptx_arena_grow(s->arena, s->found.items, s->found.count, &s->capacity,
                                        sizeof *s->found.items);
    CudaComment *comment = &s->found.items[s->found.count++];
    *comment = read_directive(s, line);
    if (s->has_code)
        comment->first_line = comment->last_line = s->line;
    else if (s->is_in_statement)
        comment->first_line = s->line;
}

/* A line of a comment: blanks, stars and slashes may stand before the directive. */
static void read_comment_line(CudaScan *s, Span line)
{
    while (line.begin < line.end
           && (ptx_is_blank(s->text[line.begin]) || strchr("*/!<", s->text[line.begin])))
        line.begin++;
    if (ptx_span_length(line) >= DIRECTIVE_LENGTH
        && !memcmp(s->text + line.begin, directive, DIRECTIVE_LENGTH))
        add_directive(s, line);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_waiting(CudaScan *s)
{
    while (s->waiting < s->found.count && s->found.items[s->waiting].last_line)
        s->waiting++;
    return s->waiting < s->found.count;
}

/* Those that wait get what they cover. */
static void end_statement(CudaScan *s)
{
    for (uint32_t c = s->waiting; c < s->found.count; c++)
        if (!s->found.items[c].last_line)
            s->found.items[c].last_line = s->line;
    s->waiting = s->found.count;
    s->is_in_statement = false;
}

static void begin_statement(CudaScan *s)
{
    for (uint32_t c = s->waiting; c < s->found.count; c++)
        if (!s->found.items[c].first_line)
            s->found.items[c].first_line = s->line;
    s->is_in_statement = true;
    s->depth = 0;
}

/* A byte of code. */
static void take_code(CudaScan *s, char c)
{
    s->has_code = true;
    if (s->code)
        s->code[s->pos] = c;
    if (!is_waiting(s))
        return;
    if (!s->is_in_statement)
        begin_statement(s);
    if (c == '(' || c == '[')
        s->depth++;
    else if ((c == ')' || c == ']') && s->depth)
        s->depth--;
    else if (!s->depth && (c == ';' || c == '{' || c == '}'))
        end_statement(s);
}

/* ---- the scanner ----------------------------------------------------------------------------- */

static void end_line_at(CudaScan *s)
{
    s->line++;
    s->has_code = false;
}

/* A line that ends in a backslash goes on. */
static void skip_line(CudaScan *s, bool is_comment)
{
    Span line = { s->pos, s->pos };
    while (line.end < s->length
           && (s->text[line.end] != '\n' || s->text[line.end - 1] == '\\')) {
        s->line += s->text[line.end] == '\n';
        line.end++;
    }
    if (is_comment)
        read_comment_line(s, line);
    s->pos = line.end;
}

static void skip_block_comment(CudaScan *s)
{
    uint32_t begin = s->pos, end = s->pos + 2;
    while (end < s->length
           && !(s->text[end] == '/' && s->text[end - 1] == '*' && end > begin + 2)) {
        if (s->text[end] == '\n') {
            read_comment_line(s, (Span){ begin, end });
            end_line_at(s);
            begin = end + 1;
        }
        end++;
    }
    if (end < s->length)                /* one that is never closed says nothing at its end */
        read_comment_line(s, (Span){ begin < end - 1 ? begin : end - 1, end - 1 });
    s->pos = end < s->length ? end + 1 : s->length;
}

static void skip_quoted(CudaScan *s, char quote)
{
    take_code(s, quote);
    for (s->pos++; s->pos < s->length && s->text[s->pos] != quote && s->text[s->pos] != '\n';
         s->pos++)
        if (s->text[s->pos] == '\\' && s->pos + 1 < s->length) {
            s->pos++;
            s->line += s->text[s->pos] == '\n';
        }
    if (s->pos < s->length && s->text[s->pos] == quote)
        s->pos++;
}

/* R"delimiter( ... )delimiter". */
static void skip_raw(CudaScan *s)
{
    const char *begin = s->text + s->pos + 1;
    char close[RAW_DELIMITER_MAX + 3] = ")";
    uint32_t room = s->length - s->pos - 1, n = 0;
    while (n < room && n <= RAW_DELIMITER_MAX && begin[n] != '(')
        n++;
    if (n == room || n > RAW_DELIMITER_MAX) {
        skip_quoted(s, '"');
        return;
    }
    take_code(s, '"');
    memcpy(close + 1, begin, n);
    close[n + 1] = '"';
    const char *end = find_text(begin + n, room - n, close, n + 2);
    uint32_t stop = end ? (uint32_t)(end - s->text) + n + 2 : s->length;
    for (; s->pos < stop; s->pos++)
        s->line += s->text[s->pos] == '\n';
}

static char byte_before(const CudaScan *s, uint32_t distance)
{
    return s->pos >= distance ? s->text[s->pos - distance] : ' ';
}

static bool is_raw(const CudaScan *s)
{
    char before = byte_before(s, 2);
    return byte_before(s, 1) == 'R' && (!ptx_is_name_byte(before) || strchr("uU8L", before));
}

/* The ' of 1'000 is none. */
static bool is_character(const CudaScan *s)
{
    char before = byte_before(s, 1);
    return !ptx_is_name_byte(before) || strchr("uU8L", before);
}

static void scan_byte(CudaScan *s)
{
    const char c = s->text[s->pos], next = s->pos + 1 < s->length ? s->text[s->pos + 1] : ' ';
    if (c == '/' && next == '/')
        skip_line(s, true);
    else if (c == '/' && next == '*')
        skip_block_comment(s);
    else if (c == '#' && !s->has_code)
        skip_line(s, false);
    else if (c == '"' && is_raw(s))
        skip_raw(s);
    else if (c == '"' || (c == '\'' && is_character(s)))
        skip_quoted(s, c);
    else {
        if (c == '\n')
            end_line_at(s);
        else if (!ptx_is_blank(c))
            take_code(s, c);
        s->pos++;
    }
}

CudaComments ptx_cuda_comments_read(Arena *arena, const char *text, uint32_t length)
{
    CudaScan s = { .arena = arena, .text = text, .length = length, .line = 1 };
    if (!find_text(text, length, directive, DIRECTIVE_LENGTH))
        return s.found;
    while (s.pos < s.length)
        scan_byte(&s);
    for (uint32_t c = s.waiting; c < s.found.count; c++) {
        CudaComment *comment = &s.found.items[c];
        if (!comment->last_line)
            comment->last_line = UINT32_MAX;
        if (!comment->first_line && comment->reach == CUDA_REACH_LINE && !comment->trouble)
            fail_directive(comment, "no statement follows that this could apply to");
    }
    return s.found;
}

const char *ptx_cuda_code_read(Arena *arena, const char *text, uint32_t length)
{
    char *code = ptx_arena_alloc(arena, (size_t)length + 1);
    CudaScan s = { .arena = arena, .text = text, .code = code, .length = length, .line = 1 };
    for (uint32_t i = 0; i < length; i++)
        code[i] = text[i] == '\n' ? '\n' : ' ';
    code[length] = '\0';
    while (s.pos < s.length)
        scan_byte(&s);
    return code;
}
