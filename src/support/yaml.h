/* yaml.h -- a YAML file as a tree in the arena, whose nodes know where they stand.
 *
 * One document of texts, lists and mappings. Nesting ends at YAML_DEPTH_MAX, and no text holds a
 * NUL. The tree is at most a constant times as large as the file, whatever the file is; but where
 * aliases are taken, parts of it may be shared, and a walk can be longer than the file. A position
 * is a byte offset in the file. */
#ifndef PTX_SUPPORT_YAML_H
#define PTX_SUPPORT_YAML_H

#include "support/arena.h"

#include <stdint.h>

enum { YAML_DEPTH_MAX = 16 };

typedef enum YamlKind { YAML_TEXT = 1, YAML_LIST, YAML_MAPPING } YamlKind;
typedef enum YamlStyle {
    YAML_PLAIN = 1,
    YAML_SINGLE_QUOTED,
    YAML_DOUBLE_QUOTED,
    YAML_LITERAL,
    YAML_FOLDED
} YamlStyle;

typedef struct YamlNode YamlNode;

struct YamlNode {
    YamlNode *next;             /* in the list, or in the mapping: key, value, key, value */
    YamlNode *first;            /* of a list or mapping */
    char *text;                 /* of a text: length bytes and a NUL */
    uint32_t length;
    uint32_t count;             /* of a list: items; of a mapping: keys and values together */
    /* its first byte: the quote of a quoted text, the `|` or `>` of a block */
    uint32_t at;
    uint8_t kind, style;
};

typedef struct YamlSource {
    const char *bytes;
    uint32_t length;            /* at most 2^31 */
    bool has_aliases;           /* takes anchors, aliases and tags; else they are errors */
} YamlSource;

typedef struct YamlError {
    uint32_t at;
    char text[160];
} YamlError;

/* NULL: *error says why. An empty file has a text of length 0. An arena at its limit leaves by its
 * jmp_buf, and nothing leaks. */
YamlNode *ptx_yaml_read(Arena *arena, YamlSource source, YamlError *error);

/* Whether it is this text. */
static inline bool ptx_yaml_is(const YamlNode *node, const char *text)
{
    return node->kind == YAML_TEXT && node->length == strlen(text)
           && !memcmp(node->text, text, node->length);
}

/* Where in the file byte number `at` of a text comes from; at == length: where the text ends. */
uint32_t ptx_yaml_position(YamlSource source, const YamlNode *text, uint32_t at);

/* Line and column, from 1, columns in bytes; a byte order mark has none. */
void ptx_yaml_place(YamlSource source, uint32_t at, uint32_t *line, uint32_t *column);

#endif
