#include "mutate.h"

#include "fuzz.h"
#include "instruction.h"

enum { MAX_EDITS = 4, MAX_SPLICE = 40, TRIES = 20 };

typedef struct Edit {           /* the text as it stands */
    char *bytes;
    size_t length;
    uint64_t state;             /* of the random numbers */
    Sample other;
} Edit;

typedef struct Range {
    size_t begin, end;
} Range;

/* ---- choice ---------------------------------------------------------------------------------- */

static size_t below(Edit *e, size_t count)
{
    return count ? (size_t)(random_next(&e->state) % count) : 0;
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '$';
}

static Sample whole(const Edit *e)
{
    return (Sample){ e->bytes, e->length };
}

static Range line_at(Sample s, size_t at)
{
    Range line = { at, at };
    while (line.begin > 0 && s.bytes[line.begin - 1] != '\n')
        line.begin--;
    while (line.end < s.length && s.bytes[line.end++] != '\n')
        ;
    return line;
}

static Range some_line(Edit *e, Sample s)
{
    return line_at(s, below(e, s.length));
}

/* A place of one of these bytes; length: none was found. */
static size_t some_byte(Edit *e, Sample s, const char *wanted)
{
    for (int i = 0; i < TRIES && s.length; i++)
        for (size_t at = below(e, s.length), steps = 0; at < s.length && steps < 200; at++, steps++)
            if (s.bytes[at] && strchr(wanted, s.bytes[at]))
                return at;
    return s.length;
}

/* A word behind such a byte, with it: a register behind `%`, a modifier behind `.`. */
static Range some_word(Edit *e, Sample s, const char *mark)
{
    Range word = { some_byte(e, s, mark), 0 };
    word.end = word.begin + (word.begin < s.length);
    while (word.end < s.length && is_word(s.bytes[word.end]))
        word.end++;
    return word;
}

/* ---- edits ----------------------------------------------------------------------------------- */

static void replace(Edit *e, Range range, const char *bytes, size_t length)
{
    size_t rest = e->length - range.end, all = range.begin + length + rest;
    char *made = malloc(all + 1);
    require(made != NULL, "there is memory");
    if (range.begin)
        memcpy(made, e->bytes, range.begin);
    if (length)
        memcpy(made + range.begin, bytes, length);
    if (rest)
        memcpy(made + range.begin + length, e->bytes + range.end, rest);
    free(e->bytes);
    e->bytes = made;
    e->length = all;
}

static void replace_by(Edit *e, Range range, Sample from, Range what)
{
    char *copy = malloc(what.end - what.begin + 1);
    require(copy != NULL, "there is memory");
    if (what.end > what.begin)
        memcpy(copy, from.bytes + what.begin, what.end - what.begin);
    replace(e, range, copy, what.end - what.begin);
    free(copy);
}

/* From a comma to what ends its operand. */
static Range some_operand(Edit *e)
{
    Range operand = { some_byte(e, whole(e), ","), 0 };
    operand.end = operand.begin + (operand.begin < e->length);
    while (operand.end < e->length && !strchr(",;)}\n", e->bytes[operand.end]))
        operand.end++;
    return operand;
}

static void lose_operand(Edit *e)
{
    replace(e, some_operand(e), "", 0);
}

static void repeat_operand(Edit *e)
{
    Range operand = some_operand(e);
    replace_by(e, (Range){ operand.end, operand.end }, whole(e), operand);
}

static void lose_line(Edit *e)
{
    replace(e, some_line(e, whole(e)), "", 0);
}

static void repeat_line(Edit *e)
{
    Range line = some_line(e, whole(e)), to = some_line(e, whole(e));
    replace_by(e, (Range){ to.begin, to.begin }, whole(e), line);
}

static void move_line(Edit *e)
{
    Range line = some_line(e, whole(e)), to = some_line(e, whole(e));
    if (to.begin <= line.begin)
        return;
    replace_by(e, (Range){ to.begin, to.begin }, whole(e), line);
    replace(e, line, "", 0);
}

static void other_word(Edit *e, const char *mark)
{
    Range word = some_word(e, whole(e), mark);
    replace_by(e, word, whole(e), some_word(e, whole(e), mark));
}

static void other_register(Edit *e)     { other_word(e, "%"); }
static void other_modifier(Edit *e)     { other_word(e, "."); }

static void extreme_number(Edit *e)
{
    static const char *const numbers[] = { "0",
                                           "-1",
                                           "1",
                                           "31",
                                           "32",
                                           "33",
                                           "64",
                                           "255",
                                           "16777216",
                                           "2147483647",
                                           "2147483648",
                                           "4294967295",
                                           "4294967296",
                                           "1099511627776",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "18446744073709551615",
                                           "0x7fffffff",
                                           "0f7FC00000",
                                           "0d7FF0000000000000" };
    Range number = { some_byte(e, whole(e), "0123456789"), 0 };
    while (number.begin > 0 && number.begin < e->length && is_word(e->bytes[number.begin - 1]))
        number.begin--;
    number.end = number.begin;
    while (number.end < e->length && is_word(e->bytes[number.end]))
        number.end++;
    if (number.begin < e->length && (e->bytes[number.begin] < '0' || e->bytes[number.begin] > '9'))
        return;                 /* a name */
    const char *text = numbers[below(e, sizeof numbers / sizeof *numbers)];
    replace(e, number, text, strlen(text));
}

/* Of a line of instructions: behind its blanks, up to the next. */
static Range opcode_of(Sample s, Range line)
{
    Range opcode = line;
    while (opcode.begin < line.end && strchr(" \t", s.bytes[opcode.begin]))
        opcode.begin++;
    opcode.end = opcode.begin;
    while (opcode.end < line.end && !strchr(" \t\n;", s.bytes[opcode.end]))
        opcode.end++;
    return opcode;
}

static void other_opcode(Edit *e)
{
    Range here = opcode_of(whole(e), some_line(e, whole(e)));
    replace_by(e, here, e->other, opcode_of(e->other, some_line(e, e->other)));
}

static void add_module(Edit *e)
{
    replace_by(e, (Range){ e->length, e->length }, e->other, (Range){ 0, e->other.length });
}

static void splice(Edit *e)
{
    Range from = some_line(e, e->other), to = some_line(e, whole(e));
    for (size_t lines = below(e, MAX_SPLICE); lines > 0; lines--)
        from.end = line_at(e->other, from.end).end;
    replace_by(e, (Range){ to.begin, to.begin }, e->other, from);
}

/* The name behind a place of such a directive. */
static Range name_behind(Edit *e, const char *directive)
{
    size_t length = strlen(directive);
    for (size_t at = below(e, e->length), steps = 0; steps < e->length;
         steps++, at = (at + 1) % e->length) {
        if (e->length - at <= length || memcmp(e->bytes + at, directive, length) != 0)
            continue;
        Range name = { at + length, at + length };
        while (name.end < e->length && is_word(e->bytes[name.end]))
            name.end++;
        return name;
    }
    return (Range){ e->length, e->length };
}

static void other_name(Edit *e)
{
    const char *directive = below(e, 2) ? ".entry " : ".func ";
    Range name = name_behind(e, directive);
    replace_by(e, name, whole(e), name_behind(e, below(e, 4) ? directive : ".b8 "));
}

/* An instruction of the table before a line. */
static void table_instruction(Edit *e)
{
    char text[INSTRUCTION_BYTES];
    Range line = some_line(e, whole(e));
    size_t length = instruction(&e->state, whole(e), text);
    replace(e, (Range){ line.begin, line.begin }, text, length);
}

/* From a line that is `{` to one that is `}`: the body of a function. Empty: none was found. */
static Range some_body(Edit *e, Sample s)
{
    Range body = { below(e, s.length), s.length };
    while (body.begin + 3 < s.length && memcmp(s.bytes + body.begin, "\n{\n", 3) != 0)
        body.begin++;
    body.begin += 3;
    for (body.end = body.begin; body.end + 2 < s.length; body.end++)
        if (!memcmp(s.bytes + body.end, "\n}", 2))
            return body;
    return (Range){ s.length, s.length };
}

/* One body for the other, whole, or the second half of it behind the first half of this one. */
static void cross_functions(Edit *e)
{
    Range here = some_body(e, whole(e)), there = some_body(e, e->other);
    if (here.begin == here.end || there.begin == there.end)
        return;
    if (below(e, 2)) {
        here.begin = line_at(whole(e), here.begin + below(e, here.end - here.begin)).begin;
        there.begin = line_at(e->other, there.begin + below(e, there.end - there.begin)).begin;
    }
    replace_by(e, here, e->other, there);
}

char *mutate(const Sample *samples, size_t count, uint64_t number, size_t *length)
{
    static void (*const edits[])(Edit *) = {
        lose_operand,   lose_operand,   repeat_operand, lose_line,      repeat_line,
        move_line,      other_register, other_register, other_modifier, other_modifier,
        extreme_number, extreme_number, other_opcode,   other_opcode,   splice,
        other_name,     add_module,     table_instruction, table_instruction, cross_functions,
    };
    Edit e = { .state = number };
    for (int i = 0; i < 3; i++)
        random_next(&e.state);
    Sample first = samples[below(&e, count)];
    e.other = samples[below(&e, count)];
    e.bytes = malloc(first.length + 1);
    require(e.bytes != NULL, "there is memory");
    if (first.length)
        memcpy(e.bytes, first.bytes, first.length);
    e.length = first.length;
    for (size_t left = 1 + below(&e, MAX_EDITS); left > 0 && e.length; left--)
        edits[below(&e, sizeof edits / sizeof *edits)](&e);
    *length = e.length;
    return e.bytes;
}
