#include "instruction.h"

#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdarg.h>
#include <stdbool.h>

enum { MAX_CHOSEN = 16, LOOKS = 40 };

typedef struct Chosen {         /* the value of a group of modifiers */
    const char *group, *value;
} Chosen;

typedef struct Line {
    uint64_t *state;
    Sample text;
    char *out;
    size_t length;
    Chosen chosen[MAX_CHOSEN];
    size_t chosen_count;
} Line;

static size_t draw(Line *l, size_t count)
{
    return count ? (size_t)(random_next(l->state) % count) : 0;
}

static void put(Line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(Line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(l->out + l->length, INSTRUCTION_BYTES - l->length, format, args);
    va_end(args);
    l->length += (size_t)length;
    if (l->length >= INSTRUCTION_BYTES)
        l->length = INSTRUCTION_BYTES - 1;
}

/* ---- names that the text has ----------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A register of the text that is called prefix and a number. */
static void put_register(Line *l, const char *prefix)
{
    const size_t length = strlen(prefix);
    for (int look = 0; look < LOOKS; look++) {
        size_t at = draw(l, l->text.length);
        const char *found = at < l->text.length
                                ? memchr(l->text.bytes + at, '%', l->text.length - at) : NULL;
        size_t left = found ? l->text.length - (size_t)(found - l->text.bytes) : 0, end = length;
        if (left <= length || memcmp(found, prefix, length) != 0 || !is_digit(found[length]))
            continue;
        while (end < left && end < length + 9 && is_digit(found[end]))
            end++;
        put(l, "%.*s", (int)end, found);
        return;
    }
    put(l, "%s%zu", prefix, draw(l, 4));
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

/* What stands before a colon or behind a word: a label, a function, a variable. */
static void put_name(Line *l, char mark)
{
    for (int look = 0; look < LOOKS; look++) {
        size_t at = draw(l, l->text.length);
        const char *found = at < l->text.length
                                ? memchr(l->text.bytes + at, mark, l->text.length - at) : NULL;
        size_t end = found ? (size_t)(found - l->text.bytes) : 0, begin = end;
        while (begin > 0 && is_name(l->text.bytes[begin - 1]))
            begin--;
        if (end > begin && end - begin < 60) {
            put(l, "%.*s", (int)(end - begin), l->text.bytes + begin);
            return;
        }
    }
    put(l, "L");
}

/* ---- operands -------------------------------------------------------------------------------- */

/* How compilers name registers of a type. */
static const char *prefix_of(const char *type)
{
    static const struct {
        const char *type, *prefix;
    } names[] = { { ".pred", "%p" }, { ".f64", "%fd" }, { ".f32", "%f" },  { ".f16x2", "%r" },
                  { ".f16", "%rs" }, { "64", "%rd" },   { "16x2", "%r" }, { "128", "%rq" },
                  { "16", "%rs" },   { "8", "%rs" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(type, names[i].type))
            return names[i].prefix;
    return "%r";
}

/* ".rnd" is what was chosen for the group. */
static const char *type_of(const Line *l, const char *type)
{
    for (size_t i = 0; i < l->chosen_count; i++)
        if (*type == '.' && !strcmp(l->chosen[i].group, type + 1))
            return l->chosen[i].value;
    return type;
}

static void put_number(Line *l, const ptxlint_isa_operand *operand)
{
    static const int64_t extremes[] = { 0, 1, -1, 31, 32, 64, INT32_MAX, INT64_MIN, INT64_MAX };
    const ptxlint_isa_range range = operand->range;
    if (!operand->has_range || !draw(l, 8))
        put(l, "%lld", (long long)extremes[draw(l, sizeof extremes / sizeof *extremes)]);
    else if (range.step > 0)
        put(l, "%lld", (long long)(range.low
                                   + range.step * (int64_t)draw(l, (size_t)((range.high - range.low)
                                                                            / range.step) + 1)));
    else
        put(l, "%lld", (long long)(draw(l, 2) ? range.low : range.high));
}

static void put_scalar(Line *l, const ptxlint_isa_operand *operand, const char *type)
{
    if (!strcmp(type, "label"))
        put_name(l, ':');
    else if (!strcmp(type, "function"))
        put_name(l, '(');
    else if (!strcmp(type, "parameters"))
        put(l, "(%%r%zu)", draw(l, 4));
    else if (!strcmp(type, "constant") || (operand && !operand->is_register && operand->has_range))
        put_number(l, operand ? operand : &(ptxlint_isa_operand){ 0 });
    else if (operand && !operand->is_written && !operand->is_register && !draw(l, 6))
        put_number(l, operand);
    else
        put_register(l, prefix_of(type));
}

static unsigned elements_of(Line *l, const ptxlint_isa_operand *operand)
{
    if (operand->is_counted)
        return operand->element_count < 32 ? operand->element_count : 32;
    for (int look = 0; look < LOOKS && operand->element_set; look++) {
        unsigned count = (unsigned)draw(l, 64);
        if (operand->element_set >> count & 1)
            return count;
    }
    return 0;
}

static void put_operand(Line *l, const ptxlint_isa_operand *operand)
{
    const char *type = type_of(l, operand->type ? operand->type : "");
    unsigned count = elements_of(l, operand);
    if (operand->is_negatable && !draw(l, 4))
        put(l, operand->type && strstr(operand->type, "pred") ? "!" : "-");
    if (operand->is_address) {
        put(l, "[");
        put_register(l, draw(l, 3) ? "%rd" : "%r");
        put(l, "+%zu]", draw(l, 5) * 4);
    } else if (count) {
        for (unsigned i = 0; i < count; i++) {
            put(l, i ? ", " : "{");
            put_scalar(l, operand, type);
        }
        put(l, "}");
    } else {
        put_scalar(l, operand, type);
    }
    if (operand->pair && draw(l, 2)) {
        put(l, "|");
        put_scalar(l, NULL, operand->pair_type ? operand->pair_type : type);
    }
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static void put_modifiers(Line *l, const ptxlint_isa_form *form)
{
    for (size_t i = 0; i < form->modifier_count; i++) {
        const ptxlint_isa_modifier *modifier = &form->modifiers[i];
        if ((modifier->is_optional && draw(l, 3)) || !modifier->value_count)
            continue;
        const char *value = modifier->values[draw(l, modifier->value_count)];
        put(l, "%s%s", *value == '.' ? "" : ".", value);
        if (modifier->name && l->chosen_count < MAX_CHOSEN)
            l->chosen[l->chosen_count++] = (Chosen){ modifier->name, value };
    }
}

static void put_operands(Line *l, const ptxlint_isa_form *form)
{
    for (size_t i = 0, shown = 0; i < form->operand_count; i++) {
        if (form->operands[i].is_optional && draw(l, 2))
            continue;
        put(l, shown++ ? ", " : " ");
        put_operand(l, &form->operands[i]);
    }
}

static const char *some_opcode(Line *l)
{
    static size_t count;
    ptxlint_isa_opcode opcode = { 0 };
    while (ptxlint_isa_opcode_at(count, &opcode))
        count++;
    (void)ptxlint_isa_opcode_at(draw(l, count), &opcode);
    return opcode.text;
}

size_t instruction(uint64_t *state, Sample text, char *out)
{
    Line l = { .state = state, .text = text, .out = out };
    ptxlint_isa *opcode, *whole;
    if (!draw(&l, 8)) {
        put(&l, "@%s", draw(&l, 2) ? "!" : "");
        put_register(&l, "%p");
        put(&l, " ");
    }
    const size_t begin = l.length;
    put(&l, "%s", some_opcode(&l));
    if (ptxlint_isa_new(out + begin, l.length - begin, &opcode, NULL, 0) != PTXLINT_OK)
        return l.length;
    const ptxlint_isa_info *info = ptxlint_isa_get_info(opcode);
    const ptxlint_isa_form *form = &info->forms[draw(&l, info->form_count)];
    put_modifiers(&l, form);
    /* of the instruction with its modifiers: how many elements vectors have */
    if (ptxlint_isa_new(out + begin, l.length - begin, &whole, NULL, 0) == PTXLINT_OK)
        form = &ptxlint_isa_get_info(whole)->forms[0];
    put_operands(&l, form);
    put(&l, ";\n");
    ptxlint_isa_free(whole);
    ptxlint_isa_free(opcode);
    return l.length;
}
