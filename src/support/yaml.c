/* yaml.c -- the tree is built from the YAML library's events. The library counts characters
 * and gives where a text begins; where a byte inside it comes from is found by reading the source
 * again as the library did: for each byte of the text the source moves on by a byte, an escape, or
 * a fold of lines; a block goes line by line, without its indentation. */
#include "support/yaml.h"

#include "support/guard.h"

#include "support/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

typedef struct Open {           /* a list or mapping that has not ended */
    YamlNode *node;
    YamlNode **tail;
} Open;

typedef struct Anchor Anchor;

struct Anchor {
    Anchor *next;
    const char *name;
    const YamlNode *node;
};

enum { ANCHOR_BUCKETS = 256 };

typedef struct YamlReader {
    Arena *arena;
    YamlSource source;
    YamlError *error;
    yaml_parser_t parser;
    yaml_event_t event;
    YamlNode *root;
    Open open[YAML_DEPTH_MAX];
    uint32_t depth, documents;
    Anchor **anchors;           /* by hash of the name; NULL: no anchor yet */
    size_t characters;          /* before byte, the way from one event to the next */
    uint32_t byte;
    bool is_good;
} YamlReader;

static const char mark[] = "\xEF\xBB\xBF";      /* of byte order */

static uint32_t after_mark(YamlSource source)
{
    return source.length >= 3 && !memcmp(source.bytes, mark, 3) ? 3 : 0;
}

static bool fail_yaml(YamlReader *r, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail_yaml(YamlReader *r, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->error->text, sizeof r->error->text, format, args);
    va_end(args);
    r->error->at = at;
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_yaml_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Byte offset of a character. Events come nearly in order, so the way from the last one is
 * short. */
static uint32_t byte_of(YamlReader *r, size_t character)
{
    const char *bytes = r->source.bytes;
    const uint32_t length = r->source.length;
    for (; r->characters < character && r->byte < length; r->characters++)
        for (r->byte++; r->byte < length && is_yaml_continuation(bytes[r->byte]);)
            r->byte++;
    for (; r->characters > character && r->byte > 0; r->characters--)
        for (r->byte--; r->byte > 0 && is_yaml_continuation(bytes[r->byte]);)
            r->byte--;
    return r->byte;
}

static bool fail_parser(YamlReader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        ptx_arena_fail(r->arena);
    if (p->error == YAML_READER_ERROR) {        /* these are counted in bytes */
        uint32_t at = after_mark(r->source) + (uint32_t)p->problem_offset;
        return fail_yaml(r, at < r->source.length ? at : r->source.length, "not YAML: %s",
                         p->problem);
    }
    return fail_yaml(r, byte_of(r, p->problem_mark.index), "not YAML: %s",
                     p->problem ? p->problem : "it cannot be read");
}

static YamlNode *add_yaml_node(YamlReader *r, YamlKind kind)
{
    YamlNode *node = ptx_arena_new(r->arena, YamlNode);
    node->kind = (uint8_t)kind;
    node->at = byte_of(r, r->event.start_mark.index);
    if (r->depth) {
        Open *parent = &r->open[r->depth - 1];
        *parent->tail = node;
        parent->tail = &node->next;
        parent->node->count++;
    } else {
        r->root = node;
    }
    return node;
}

/* ---- anchors --------------------------------------------------------------------------------- */

static Anchor **yaml_bucket_of(const YamlReader *r, const char *name)
{
    return &r->anchors[ptx_hash_bytes(name, strlen(name)) % ANCHOR_BUCKETS];
}

static bool take_anchor(YamlReader *r, const YamlNode *node, const yaml_char_t *name,
                        const yaml_char_t *tag)
{
    if ((name || tag) && !r->source.has_aliases)
        return fail_yaml(r, node->at, "there are no anchors and tags here");
    if (!name)
        return true;
    if (!r->anchors)
        r->anchors = ptx_arena_array(r->arena, Anchor *, ANCHOR_BUCKETS);
    Anchor *anchor = ptx_arena_new(r->arena, Anchor);
    anchor->name = ptx_arena_strndup(r->arena, (const char *)name, strlen((const char *)name));
    anchor->node = node;
    Anchor **bucket = yaml_bucket_of(r, anchor->name);
    anchor->next = *bucket;
    *bucket = anchor;
    return true;
}

static bool is_unfinished(const YamlReader *r, const YamlNode *node)
{
    for (uint32_t i = 0; i < r->depth; i++)
        if (r->open[i].node == node)
            return true;
    return false;
}

/* A second node with the position, the text and the children of the first. */
static bool add_alias(YamlReader *r)
{
    const char *name = (const char *)r->event.data.alias.anchor;
    const uint32_t at = byte_of(r, r->event.start_mark.index);
    if (!r->source.has_aliases)
        return fail_yaml(r, at, "there are no aliases here");
    const Anchor *anchor = r->anchors ? *yaml_bucket_of(r, name) : NULL;
    while (anchor && strcmp(anchor->name, name) != 0)
        anchor = anchor->next;
    if (!anchor)
        return fail_yaml(r, at, "undefined alias '%.60s'", name);
    if (is_unfinished(r, anchor->node))
        return fail_yaml(r, at, "alias '%.60s' of what it is a part of", name);
    YamlNode *node = add_yaml_node(r, (YamlKind)anchor->node->kind);
    *node = *anchor->node;
    node->next = NULL;
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool add_yaml_text(YamlReader *r)
{
    static const uint8_t styles[] = {
        [YAML_PLAIN_SCALAR_STYLE] = YAML_PLAIN, [YAML_SINGLE_QUOTED_SCALAR_STYLE] = YAML_SINGLE_QUOTED,
        [YAML_DOUBLE_QUOTED_SCALAR_STYLE] = YAML_DOUBLE_QUOTED, [YAML_LITERAL_SCALAR_STYLE] = YAML_LITERAL,
        [YAML_FOLDED_SCALAR_STYLE] = YAML_FOLDED,
    };
    const char *text = (const char *)r->event.data.scalar.value;
    const size_t length = r->event.data.scalar.length;
    YamlNode *node = add_yaml_node(r, YAML_TEXT);
    if (!take_anchor(r, node, r->event.data.scalar.anchor, r->event.data.scalar.tag))
        return false;
    if (memchr(text, 0, length))
        return fail_yaml(r, node->at, "a text with a NUL");
    node->style = styles[r->event.data.scalar.style];
    node->text = ptx_arena_strndup(r->arena, text, length);
    node->length = (uint32_t)length;
    return true;
}

static bool open_node(YamlReader *r, YamlKind kind, const yaml_char_t *anchor,
                      const yaml_char_t *tag)
{
    YamlNode *node = add_yaml_node(r, kind);
    if (!take_anchor(r, node, anchor, tag))
        return false;
    if (r->depth == YAML_DEPTH_MAX)
        return fail_yaml(r, node->at, "nested deeper than %d", (int)YAML_DEPTH_MAX);
    r->open[r->depth++] = (Open){ node, &node->first };
    return true;
}

static bool take_event(YamlReader *r)
{
    const yaml_event_t *event = &r->event;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !r->documents++
               || fail_yaml(r, byte_of(r, event->start_mark.index),
                            "a second document; a file has one");
    case YAML_ALIAS_EVENT:
        return add_alias(r);
    case YAML_SCALAR_EVENT:
        return add_yaml_text(r);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(r, YAML_LIST, event->data.sequence_start.anchor,
                         event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_node(r, YAML_MAPPING, event->data.mapping_start.anchor,
                         event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        return true;
    default:
        return true;
    }
}

static bool read_all_events(YamlReader *r)
{
    for (bool is_end = false; !is_end;) {
        if (!yaml_parser_parse(&r->parser, &r->event))
            return fail_parser(r);
        if (!take_event(r))
            return false;
        is_end = r->event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&r->event);           /* and clears it */
    }
    return true;
}

static void read_events(void *context)
{
    YamlReader *r = context;
    r->is_good = read_all_events(r);
}

static void close_reader(YamlReader *r)
{
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
}

/* The parser's memory is not the arena's: an arena that fails is exhausted here first. */
static bool read_guarded(YamlReader *r)
{
    const bool is_complete = ptx_run_guarded_in(r->arena, read_events, r);
    close_reader(r);
    if (!is_complete)
        ptx_arena_fail(r->arena);
    return r->is_good;
}

YamlNode *ptx_yaml_read(Arena *arena, YamlSource source, YamlError *error)
{
    YamlReader r = {
        .arena = arena, .source = source, .error = error
    };
    r.byte = after_mark(source);
    if (!yaml_parser_initialize(&r.parser))
        ptx_arena_fail(arena);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)source.bytes + r.byte,
                                 source.length - r.byte);
    if (!read_guarded(&r))
        return NULL;
    if (!r.root) {
        r.root = ptx_arena_new(arena, YamlNode);
        r.root->kind = YAML_TEXT;
        r.root->style = YAML_PLAIN;
        r.root->text = ptx_arena_strndup(arena, "", 0);
    }
    return r.root;
}

/* ---- where a byte comes from ----------------------------------------------------------------- */

static bool is_yaml_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

/* Behind the break at p. */
static uint32_t skip_break(YamlSource s, uint32_t p)
{
    return p + (s.bytes[p] == '\r' && p + 1 < s.length && s.bytes[p + 1] == '\n' ? 2 : 1);
}

static uint32_t yaml_line_end(YamlSource s, uint32_t p)
{
    while (p < s.length && !is_break(s.bytes[p]))
        p++;
    return p;
}

/* Blanks and breaks from p on; how many breaks. */
static uint32_t skip_space(YamlSource s, uint32_t p, uint32_t *breaks)
{
    *breaks = 0;
    while (p < s.length && (is_yaml_blank(s.bytes[p]) || is_break(s.bytes[p]))) {
        *breaks += is_break(s.bytes[p]);
        p = is_break(s.bytes[p]) ? skip_break(s, p) : p + 1;
    }
    return p;
}

static uint32_t utf8_bytes(uint32_t character)
{
    if (character < 0x80)
        return 1;
    if (character < 0x800)
        return 2;
    return character < 0x10000 ? 3 : 4;
}

/* hexadecimal digits of an escape by code point; 0: another */
static uint32_t escape_digits(char c)
{
    switch (c) {
    case 'x': return 2;
    case 'u': return 4;
    case 'U': return 8;
    default:  return 0;
    }
}

/* bytes of UTF-8 that an escape without digits stands for */
static uint32_t escape_bytes(char c)
{
    switch (c) {
    case 'L': case 'P': return 3;       /* U+2028, U+2029 */
    case 'N': case '_': return 2;       /* U+0085, U+00A0 */
    default:            return is_break(c) ? 0 : 1;
    }
}

/* Behind the escape at p; how many bytes of text it makes. */
static uint32_t skip_escape(YamlSource s, uint32_t p, uint32_t *made)
{
    uint32_t breaks, character = 0;
    const char c = p + 1 < s.length ? s.bytes[p + 1] : 0;
    const uint32_t digits = escape_digits(c);
    *made = escape_bytes(c);
    if (is_break(c))
        return skip_space(s, p + 1, &breaks);
    p += 2;
    for (uint32_t i = 0; i < digits && p < s.length; i++, p++)
        character = 16 * character
                    + (uint32_t)(s.bytes[p] <= '9' ? s.bytes[p] - '0' : (s.bytes[p] & 7) + 9);
    if (digits)
        *made = utf8_bytes(character);
    return p;
}

/* Plain and quoted texts. A break with the blanks around it is a blank, and each further one a
 * break. */
static uint32_t flow_position(YamlSource s, const YamlNode *text, uint32_t at)
{
    uint32_t p = text->at + (text->style != YAML_PLAIN), made = 1, next;
    for (uint32_t i = 0; i < at && p < s.length; i += made, p = next) {
        uint32_t breaks = 0, behind = skip_space(s, p, &breaks);
        made = 1;
        next = p + 1;
        if (breaks) {
            made = breaks > 1 ? breaks - 1 : 1;
            next = behind;
        } else if (text->style == YAML_DOUBLE_QUOTED && s.bytes[p] == '\\') {
            next = skip_escape(s, p, &made);
        } else if (text->style == YAML_SINGLE_QUOTED && s.bytes[p] == '\'') {
            next = p + 2;
        }
        if (i + made > at)
            return p;
    }
    return p < s.length ? p : s.length;
}

static uint32_t leading_spaces(const char *p, const char *end)
{
    const char *first = p;
    while (p < end && *p == ' ')
        p++;
    return (uint32_t)(p - first);
}

/* How far a block's lines are indented: its first line that is not empty has so many spaces more in
 * the file than in the text. */
static uint32_t indentation(YamlSource s, const YamlNode *text, uint32_t p)
{
    const char *first = text->text, *end = first + text->length;
    while (first < end && *first == '\n')
        first++;
    for (; p < s.length; p = skip_break(s, yaml_line_end(s, p))) {
        uint32_t spaces = leading_spaces(s.bytes + p, s.bytes + s.length),
                 kept = leading_spaces(first, end);
        if (p + spaces < s.length && !is_break(s.bytes[p + spaces]))
            return spaces > kept ? spaces - kept : 0;
        if (yaml_line_end(s, p) == s.length)
            break;
    }
    return 0;
}

/* What stands in the text between two lines of a block with so many empty ones between them. */
static uint32_t separator(const YamlNode *text, uint32_t empty_lines, bool is_indented)
{
    if (text->style == YAML_FOLDED && !is_indented)
        return empty_lines ? empty_lines : 1;
    return empty_lines + 1;
}

static uint32_t block_position(YamlSource s, const YamlNode *text, uint32_t at)
{
    uint32_t p = yaml_line_end(s, text->at), i = 0, empty_lines = 0, last = p;
    bool is_first = true, was_blank = false;
    const uint32_t indent = p < s.length ? indentation(s, text, skip_break(s, p)) : 0;
    while (p < s.length && (p = skip_break(s, p)) < s.length) {
        uint32_t end = yaml_line_end(s, p), spaces = leading_spaces(s.bytes + p, s.bytes + end);
        uint32_t begin = p + (spaces < indent ? spaces : indent);
        p = end;
        if (begin == end) {
            empty_lines++;
            continue;
        }
        if (spaces < indent)
            break;                              /* the block is over */
        bool begins_blank = is_yaml_blank(s.bytes[begin]);
        i += is_first ? empty_lines : separator(text, empty_lines, was_blank || begins_blank);
        if (at < i)
            return last;
        if (at <= i + (end - begin))
            return begin + (at - i);
        i += end - begin;
        last = end;
        empty_lines = 0;
        is_first = false;
        was_blank = begins_blank;
    }
    return last;
}

uint32_t ptx_yaml_position(YamlSource source, const YamlNode *text, uint32_t at)
{
    if (text->kind != YAML_TEXT || text->at >= source.length)
        return text->at;
    return text->style == YAML_LITERAL || text->style == YAML_FOLDED
               ? block_position(source, text, at)
               : flow_position(source, text, at);
}

void ptx_yaml_place(YamlSource source, uint32_t at, uint32_t *line, uint32_t *column)
{
    uint32_t begin = after_mark(source);
    *line = 1;
    for (uint32_t p = begin; (p = yaml_line_end(source, p)) < at && p < source.length; begin = p) {
        p = skip_break(source, p);
        *line += p <= at;
        if (p > at)
            break;
    }
    *column = (at > begin ? at - begin : 0) + 1;
}
