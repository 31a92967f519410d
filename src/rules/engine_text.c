/* engine_text.c -- what a finding says: its rule's text with the facts filled in. */
#include "rules/engine_state.h"

#include "ir/func.h"
#include "ir/module.h"
#include "support/choice.h"
#include "support/demangle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1024, SHOWN_BYTES = 120 };

typedef struct EngineBuffer {
    char bytes[TEXT_BYTES];
    size_t length;
} EngineBuffer;

static void put_template_bytes(EngineBuffer *b, const char *text, size_t length)
{
    size_t room = sizeof b->bytes - b->length;
    if (length > room)
        length = room;
    memcpy(b->bytes + b->length, text, length);
    b->length += length;
}

static void put_shown(EngineBuffer *b, const char *text, size_t length)
{
    put_template_bytes(b, text, length > SHOWN_BYTES ? SHOWN_BYTES : length);
    if (length > SHOWN_BYTES)
        put_template_bytes(b, "...", 3);
}

/* Up to three digits behind the point; not by printf, whose point is the locale's. */
static void put_template_number(EngineBuffer *b, double value)
{
    char text[64];
    double size = fabs(value);
    int count;
    if (size >= 1e15) {
        count = snprintf(text, sizeof text, "%.0f", value);
    } else {
        int64_t thousandths = (int64_t)llround(size * 1000);
        int rest = (int)(thousandths % 1000);
        count = snprintf(text, sizeof text, "%s%lld", value < 0 && thousandths ? "-" : "",
                         (long long)(thousandths / 1000));
        if (rest)
            count += snprintf(text + count, sizeof text - (size_t)count, ".%03d", rest);
        while (rest && text[count - 1] == '0')
            count--;
    }
    put_template_bytes(b, text, (size_t)count);
}

/* the word of a value, or NULL for a number */
static const char *value_word(const Hole *hole, double value)
{
    if (isnan(value))
        return "unknown";
    if (hole->type == FACT_TRUTH)
        return value != 0 ? "true" : "false";
    if (hole->type == FACT_WORD)
        return ptx_domain_word((Domain)hole->domain, (uint32_t)value);
    return NULL;
}

static void put_value(EngineBuffer *b, const Hole *hole, double value)
{
    const char *text = value_word(hole, value);
    if (text)
        put_template_bytes(b, text, strlen(text));
    else
        put_template_number(b, value);
}

/* No name of the file's, which may be as long as it likes. Names in it are cut already. */
static bool is_sentence(uint32_t fact)
{
    switch (fact) {
    case FACT_MODULE_target_name: case FACT_KERNEL_name: case FACT_VARIABLE_name:
    case FACT_PARAMETER_name: case FACT_REGISTER_name: case FACT_LOOP_label: case FACT_INSN_op:
    case FACT_ACCESS_variable: case FACT_ACCESS_parameter: case FACT_ACCESS_pitch_name:
        return false;
    default:
        return true;
    }
}

static bool is_source_name(uint32_t fact)
{
    return fact == FACT_KERNEL_name || fact == FACT_VARIABLE_name || fact == FACT_PARAMETER_name
           || fact == FACT_ACCESS_variable || fact == FACT_ACCESS_parameter;
}

/* The parameter of the function in hand whose name is that text of the module; NULL. */
static const Var *find_parameter(const FactCache *q, const char *text)
{
    const Module *module = q->shared->module;
    for (uint32_t i = 0; q->func && i < q->func->param_count; i++)
        if (q->func->params[i] != NO_ID
            && module->text + module->vars[q->func->params[i]].name.begin == text)
            return &module->vars[q->func->params[i]];
    return NULL;
}

/* As the source has it, where the name is mangled; a parameter with its position too, or one that
 * has only a number with its type. */
static void put_source_name(EngineBuffer *b, const FactCache *q, const char *text, size_t length)
{
    char title[512];
    size_t shown = ptx_source_title(text, length, title, sizeof title);
    const Var *parameter = shown < length ? find_parameter(q, text) : NULL;
    if (parameter && parameter->source_name) {
        put_template_bytes(b, parameter->source_name, strlen(parameter->source_name));
        put_template_bytes(b, " (", 2);
        put_shown(b, title, strlen(title));
        put_template_bytes(b, ")", 1);
        return;
    }
    put_shown(b, title, strlen(title));
    if (!parameter || strncmp(title, "param_", 6) != 0)
        return;
    const char *type = ptx_type_info[parameter->type].text;
    if (!type)                          /* a declaration that is wrong */
        return;
    put_template_bytes(b, " (.", 3);
    put_template_bytes(b, type, strlen(type));
    put_template_bytes(b, ")", 1);
}

static void put_text_fact(EngineBuffer *b, const FactCache *q, uint32_t fact, const char *text,
                          size_t length)
{
    if (is_sentence(fact)) {
        put_template_bytes(b, text, length);
    } else if (is_source_name(fact)) {
        put_source_name(b, q, text, length);
    } else {
        put_shown(b, text, length);
    }
}

/* What is counted, behind a number. */
static const struct { const char *several, *one; } counted[] = {
    { " threads", " thread" },           { " blocks", " block" },
    { " warps", " warp" },               { " lanes", " lane" },
    { " bytes", " byte" },               { " registers", " register" },
    { " sectors", " sector" },           { " wavefronts", " wavefront" },
    { " instructions", " instruction" }, { " iterations", " iteration" },
    { " cycles", " cycle" },             { " addresses", " address" },
    { " accesses", " access" },          { " barriers", " barrier" },
};

/* Text behind "1": the word that begins it stands for one. */
static const char *put_singular(EngineBuffer *b, const char *text)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        const size_t length = strlen(counted[i].several);
        const char next = strncmp(text, counted[i].several, length) ? 'a' : text[length];
        if ((next >= 'a' && next <= 'z') || next == '-')
            continue;
        put_template_bytes(b, counted[i].one, strlen(counted[i].one));
        return text + length;
    }
    return text;
}

/* Not of a shape, "256 x 1". */
static bool ends_in_one(const EngineBuffer *b)
{
    const size_t n = b->length;
    bool is_one = n && b->bytes[n - 1] == '1' && (n == 1 || b->bytes[n - 2] == ' ');
    return is_one && !(n > 3 && b->bytes[n - 3] == 'x' && b->bytes[n - 4] == ' ');
}

const char *ptx_engine_fill(Engine *e, Ask *ask, const Template *template)
{
    EngineBuffer b = { .length = 0 };
    bool is_one = false;
    if (!template->count)
        return NULL;
    for (uint32_t h = 0; h < template->count; h++) {
        const Hole *hole = &ask->evaluator->set->holes[template->first + h];
        const char *text_before = is_one ? put_singular(&b, hole->text) : hole->text;
        is_one = false;
        put_template_bytes(&b, text_before, strlen(text_before));
        if (hole->type == FACT_TEXT && hole->fact < FACT__COUNT) {
            size_t length;
            const char *text = ptx_measure_text(ask->evaluator->q, &ask->at, hole->fact, &length);
            put_text_fact(&b, ask->evaluator->q, hole->fact, text, length);
        } else if (hole->program.count) {
            put_value(&b, hole, ptx_eval(ask, hole->program));
            is_one = ends_in_one(&b);
        }
    }
    return ptx_arena_strndup(e->arena, b.bytes, b.length);
}
