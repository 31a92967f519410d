#include "report/json_writer.h"

#include <string.h>
#include <utf8proc.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

static void put_json_bytes(Out *out, const char *bytes, size_t length)
{
    if (length >= sizeof out->bytes - out->used) {
        ptx_out_bytes(out, bytes, length);
        return;
    }
    memcpy(out->bytes + out->used, bytes, length);
    out->used += length;
}

#define PUT_LITERAL(out, literal) put_json_bytes(out, literal, sizeof(literal) - 1)

static void put_escape(Out *out, unsigned char byte)
{
    static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char *form = byte ? strchr(short_forms, byte) : NULL;
    if (form)
        put_json_bytes(out, (char[2]){ '\\', form[1] }, 2);
    else
        ptx_out_format(out, "\\u%04X", byte);
}

/* A character beyond ASCII; how many bytes it has. */
static size_t put_wide(Out *out, const char *text, size_t left)
{
    utf8proc_int32_t codepoint;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text,
                                              left < 4 ? (utf8proc_ssize_t)left : 4, &codepoint);
    if (bytes <= 0) {
        put_json_bytes(out, "\xef\xbf\xbd", 3);
        return 1;
    }
    const utf8proc_category_t category = utf8proc_category(codepoint);
    if (codepoint <= 0xffff
        && (category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CC))
        ptx_out_format(out, "\\u%04X", (unsigned)codepoint);   /* it reorders, or does not print */
    else
        put_json_bytes(out, text, (size_t)bytes);
    return (size_t)bytes;
}

enum { WORD_BYTES = 8, HALF_BYTES = 4 };

/* Not 0: one of eight bytes may not stand for itself. */
static uint64_t escapes_in(uint64_t word)
{
    const uint64_t ones = UINT64_MAX / 255, tops = ones << 7;
    const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return (word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) & tops;
}

static uint64_t copy_word(char *to, const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
    return escapes_in(word);
}

/* Four to seven bytes: the first four and the last. */
static uint64_t copy_halves(char *to, const char *from, size_t length)
{
    uint32_t first, last;
    memcpy(&first, from, sizeof first);
    memcpy(&last, from + length - HALF_BYTES, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + length - HALF_BYTES, &last, sizeof last);
    return escapes_in(first | (uint64_t)last << 32);
}

static bool is_plain_byte(char byte)
{
    return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"'
           && byte != '\\';
}

/* Copied while it is looked at. False: some byte may not stand for itself. */
static bool copy_plain(char *to, const char *from, size_t length)
{
    uint64_t marks = 0;
    if (length >= WORD_BYTES) {
        for (size_t i = 0; i + WORD_BYTES < length; i += WORD_BYTES)
            marks |= copy_word(to + i, from + i);
        return !(marks | copy_word(to + length - WORD_BYTES, from + length - WORD_BYTES));
    }
    if (length >= HALF_BYTES)
        return !copy_halves(to, from, length);
    for (size_t i = 0; i < length; i++) {
        marks |= !is_plain_byte(from[i]);
        to[i] = from[i];
    }
    return !marks;
}

/* How many bytes from here on stand for themselves. */
static size_t plain_length(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && is_plain_byte(text[i]))
        i++;
    return i;
}

static void put_text(Out *out, const char *text, size_t length)
{
    if (length < sizeof out->bytes - out->used
        && copy_plain(out->bytes + out->used, text, length)) {
        out->used += length;
        return;
    }
    for (size_t i = 0; i < length;) {
        size_t plain = plain_length(text + i, length - i);
        put_json_bytes(out, text + i, plain);
        i += plain;
        if (i < length && (unsigned char)text[i] >= 0x80)
            i += put_wide(out, text + i, length - i);
        else if (i < length)
            put_escape(out, (unsigned char)text[i++]);
    }
}

/* ---- objects and arrays ---------------------------------------------------------------------- */

static void level_init(JsonLevel *level, const char *key, char close)
{
    level->key = key;
    level->close = close;
    level->has_item = level->has_null = level->is_explained = false;
    level->null_count = 0;
}

Json *ptx_json_init(Json *json, Out *out)
{
    json->out = out;
    json->depth = 0;
    level_init(&json->levels[0], NULL, 0);
    return json;
}

/* Keys are short and plain, but for names of the input. */
static void put_json_key(Out *out, const char *key)
{
    const size_t length = strlen(key);
    char *to = out->bytes + out->used;
    if (length + 3 >= sizeof out->bytes - out->used || !copy_plain(to + 1, key, length)) {
        put_json_bytes(out, "\"", 1);
        put_text(out, key, length);
        put_json_bytes(out, "\":", 2);
        return;
    }
    to[0] = '"';
    memcpy(to + 1 + length, "\":", 2);
    out->used += length + 3;
}

/* What stands before a value. */
static void begin(Json *json, const char *key)
{
    JsonLevel *level = &json->levels[json->depth];
    if (level->has_item)
        put_json_bytes(json->out, ",", 1);
    level->has_item = true;
    if (key)
        put_json_key(json->out, key);
}

static void note_null(JsonLevel *level, const char *key)
{
    level->has_null = true;
    if (key && level->null_count < JSON_NULLS)
        level->nulls[level->null_count++] = key;
}

static void open_level(Json *json, const char *key, const char *bracket, char close)
{
    begin(json, key);
    put_json_bytes(json->out, bracket, 1);
    level_init(&json->levels[++json->depth], key, close);
}

void ptx_json_object(Json *json, const char *key)
{
    open_level(json, key, "{", '}');
}

void ptx_json_array(Json *json, const char *key)
{
    open_level(json, key, "[", ']');
}

void ptx_json_end(Json *json)
{
    const JsonLevel *level = &json->levels[json->depth--];
    put_json_bytes(json->out, &level->close, 1);
    if (level->has_null && !level->is_explained)
        note_null(&json->levels[json->depth], level->key);
}

/* ---- values ---------------------------------------------------------------------------------- */

void ptx_json_null(Json *json, const char *key)
{
    begin(json, key);
    put_json_bytes(json->out, "null", 4);
    note_null(&json->levels[json->depth], key);
}

bool ptx_json_optional(Json *json, const char *key, bool is_given)
{
    (is_given ? ptx_json_object : ptx_json_null)(json, key);
    return is_given;
}

void ptx_json_text(Json *json, const char *key, const char *text)
{
    if (!text) {
        ptx_json_null(json, key);
        return;
    }
    begin(json, key);
    put_json_bytes(json->out, "\"", 1);
    put_text(json->out, text, strlen(text));
    put_json_bytes(json->out, "\"", 1);
}

void ptx_json_message(Json *json, const char *key, const char *text, const Finding *finding)
{
    begin(json, key);
    put_json_bytes(json->out, "\"", 1);
    put_text(json->out, text, strlen(text));
    ptx_out_others(json->out, finding, "; ");
    put_json_bytes(json->out, "\"", 1);
}

void ptx_json_name(Json *json, const char *key, const char *text)
{
    ptx_json_text(json, key, text && *text ? text : NULL);
}

void ptx_json_names(Json *json, const char *key, const char *const *names, size_t count)
{
    ptx_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        ptx_json_text(json, NULL, names[i]);
    ptx_json_end(json);
}

static void put_decimal(Out *out, uint64_t number, bool is_negative)
{
    char text[24], *end = text + sizeof text, *p = end;
    do {
        *--p = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    if (is_negative)
        *--p = '-';
    put_json_bytes(out, p, (size_t)(end - p));
}

void ptx_json_int(Json *json, const char *key, int64_t number)
{
    if (number == PTXLINT_UNKNOWN) {
        ptx_json_null(json, key);
        return;
    }
    begin(json, key);
    put_decimal(json->out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
}

void ptx_json_count(Json *json, const char *key, uint64_t number)
{
    begin(json, key);
    put_decimal(json->out, number, false);
}

void ptx_json_given(Json *json, const char *key, uint32_t number)
{
    if (number)
        ptx_json_count(json, key, number);
    else
        ptx_json_null(json, key);
}

void ptx_json_real(Json *json, const char *key, double number)
{
    if (!(number - number == 0)) {              /* NaN or infinite */
        ptx_json_null(json, key);
        return;
    }
    Figure figure = ptx_figure_json(number);
    begin(json, key);
    put_json_bytes(json->out, figure.text, strlen(figure.text));
}

void ptx_json_bool(Json *json, const char *key, int is_set)
{
    begin(json, key);
    if (is_set)
        put_json_bytes(json->out, "true", 4);
    else
        put_json_bytes(json->out, "false", 5);
}

/* Its keys are put as they are, for there are many links. */
static void put_link_head(Out *out, const JsonLink *link, JsonLinkHead *head)
{
    const size_t from = out->used;
    PUT_LITERAL(out, "{\"line\":");
    put_decimal(out, link->line, false);
    PUT_LITERAL(out, ",\"column\":");
    put_decimal(out, link->column, false);
    PUT_LITERAL(out, ",\"text\":\"");
    put_text(out, link->text, link->length);
    PUT_LITERAL(out, "\",\"what\":\"");
    if (out->used <= from || out->used - from > JSON_LINK_BYTES)
        return;                 /* part of it is written already, or it is too long */
    head->length = (uint32_t)(out->used - from);
    memcpy(head->bytes, out->bytes + from, head->length);
}

void ptx_json_link(Json *json, const JsonLink *link, JsonLinkHead *head)
{
    Out *out = json->out;
    begin(json, NULL);
    if (head->length)
        put_json_bytes(out, head->bytes, head->length);
    else
        put_link_head(out, link, head);
    put_text(out, link->what, strlen(link->what));
    PUT_LITERAL(out, "\"}");
}

/* ---- why something is null ------------------------------------------------------------------- */

void ptx_json_why(Json *json, const char *why)
{
    ptx_json_text(json, "why", why);
    json->levels[json->depth].is_explained = true;
}

/* Members that are reasons themselves: null is that there is none. */
static bool is_reason(const char *key)
{
    switch (*key) {
    case 'w': return !strcmp(key, "why");
    case 'e': return !strcmp(key, "error");
    case 'b': return !strcmp(key, "bound_why");
    default:  return false;
    }
}

void ptx_json_reasons(Json *json, ReasonOf *reason_of, const void *of)
{
    JsonLevel *level = &json->levels[json->depth];
    ptx_json_object(json, "reasons");
    for (unsigned i = 0; i < level->null_count; i++) {
        const char *reason = !is_reason(level->nulls[i]) ? reason_of(level->nulls[i], of) : NULL;
        if (reason)
            ptx_json_text(json, level->nulls[i], reason);
    }
    ptx_json_end(json);
    level->is_explained = true;
}

static bool are_kept_reasons(const JsonReasons *kept, const JsonLevel *level, uint32_t state)
{
    return kept->length && kept->state == state && kept->null_count == level->null_count
           && !memcmp(kept->nulls, level->nulls, level->null_count * sizeof *kept->nulls);
}

void ptx_json_reasons_kept(Json *json, ReasonOf *reason_of, const void *of, uint32_t state,
                           JsonReasons *kept)
{
    Out *out = json->out;
    JsonLevel *level = &json->levels[json->depth];
    const size_t from = out->used;
    if (are_kept_reasons(kept, level, state)) {
        put_json_bytes(out, kept->bytes, kept->length);
        level->is_explained = true;
        return;
    }
    kept->length = 0;
    ptx_json_reasons(json, reason_of, of);
    if (out->used <= from || out->used - from > JSON_REASONS_BYTES)
        return;                 /* part of it is written already, or it is too long */
    kept->length = out->used - from;
    kept->state = state;
    kept->null_count = level->null_count;
    memcpy(kept->nulls, level->nulls, level->null_count * sizeof *kept->nulls);
    memcpy(kept->bytes, out->bytes + from, kept->length);
}
