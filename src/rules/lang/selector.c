#include "rules/lang/selector.h"

#include "support/words.h"

/* a prefix: and its length */
enum { WEIGHT_ALL = 1, WEIGHT_GROUP = 2, WEIGHT_PREFIX = 2, WEIGHT_RULE = 255 };

/* FNV-1a over folded letters. */
static uint32_t hash_folded(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)ptx_ascii_lower(text[i])) * 16777619u;
    return hash;
}

typedef struct SelectorText {
    const char *text;
    size_t length;
} SelectorText;

static bool is_same(const void *owner, uint32_t number, const void *key)
{
    const Selector *item = &((const Selectors *)owner)->items[number - 1];
    const SelectorText *wanted = key;
    if (item->length != wanted->length)
        return false;
    for (size_t i = 0; i < wanted->length; i++)
        if (ptx_ascii_lower(item->text[i]) != ptx_ascii_lower(wanted->text[i]))
            return false;
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Where the text is, or the free slot where it would be. */
static uint32_t *find_slot(const Selectors *s, const char *text, size_t length)
{
    return ptx_hash_find(&s->table, hash_folded(text, length), is_same, s,
                         &(SelectorText){ text, length });
}

/* The first to take a text keeps it. */
static void add(Selectors *s, SelectorKind kind, size_t weight, const char *text, size_t length,
                RuleId rule)
{
    uint32_t *slot = find_slot(s, text, length);
    bool is_locked = rule != NO_RULE && s->rules[rule]->is_locked;
    if (length > UINT16_MAX)
        return;
    if (*slot) {
        s->items[*slot - 1].is_locked &= is_locked;
        return;
    }
    s->items[s->item_count++] =
        (Selector){ text, (uint16_t)length, (uint8_t)kind, (uint8_t)weight, is_locked, rule };
    *slot = s->item_count;
}

static size_t letters_of(const char *code)
{
    size_t count = 0;
    while (ptx_ascii_lower(code[count]) >= 'a' && ptx_ascii_lower(code[count]) <= 'z')
        count++;
    return count;
}

/* Of the rule before it, where that is locked like it; "". What both begin with is there. */
static const DiagInfo *info_before(const Selectors *s, RuleId id)
{
    static const DiagInfo none = { .code = "", .group = "" };
    return id && s->rules[id - 1]->is_locked == s->rules[id]->is_locked
               ? &s->rules[id - 1]->info
               : &none;
}

static size_t common_length(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && a[length] == b[length])
        length++;
    return length;
}

static void add_group_of(Selectors *s, RuleId id)
{
    const char *group = s->rules[id]->info.group;
    if (strcmp(group, info_before(s, id)->group) != 0)
        add(s, SELECTOR_GROUP, WEIGHT_GROUP, group, strlen(group), id);
}

static void add_prefixes(Selectors *s, RuleId id)
{
    const char *code = s->rules[id]->info.code;
    const size_t length = strlen(code), known = common_length(code, info_before(s, id)->code);
    const size_t letters = letters_of(code);
    for (size_t n = known < letters ? letters : known + 1; n && n < length && n < 100; n++)
        add(s, SELECTOR_PREFIX, WEIGHT_PREFIX + n, code, n, id);
}

static void allocate(Selectors *s, Arena *arena)
{
    size_t texts = 1;
    for (RuleId id = 0; id < s->rule_count; id++)
        /* code, name, group; prefixes are fewer than its bytes */
        texts += 3 + strlen(s->rules[id]->info.code);
    s->items = ptx_arena_array(arena, Selector, texts);
    ptx_hash_init(&s->table, arena, texts);
}

const Selectors *ptx_selectors_build(Arena *arena, const RuleSet *const *sets, uint32_t set_count)
{
    Selectors *s = ptx_arena_new(arena, Selectors);
    uint32_t count = 0;
    for (uint32_t i = 0; i < set_count; i++) {
        s->sets[s->set_count++] = sets[i];
        count += sets[i]->rule_count;
    }
    s->rules = ptx_arena_array(arena, const Rule *, count ? count : 1);
    for (uint32_t i = 0; i < set_count; i++)
        for (uint32_t r = 0; r < sets[i]->rule_count; r++)
            s->rules[s->rule_count++] = &sets[i]->rules[r];
    allocate(s, arena);
    add(s, SELECTOR_ALL, WEIGHT_ALL, "ALL", 3, NO_RULE);
    for (RuleId id = 0; id < s->rule_count; id++) {
        const DiagInfo *info = &s->rules[id]->info;
        add(s, SELECTOR_RULE, WEIGHT_RULE, info->code, strlen(info->code), id);
        add(s, SELECTOR_RULE, WEIGHT_RULE, info->name, strlen(info->name), id);
    }
    for (RuleId id = 0; id < s->rule_count; id++) {
        add_group_of(s, id);
        add_prefixes(s, id);
    }
    return s;
}

const Selector *ptx_selector_find(const Selectors *s, const char *text, size_t length)
{
    uint32_t item = *find_slot(s, text, length);
    return item ? &s->items[item - 1] : NULL;
}

RuleId ptx_rule_of(const Selectors *s, const DiagInfo *info)
{
    const Selector *selector = ptx_selector_find(s, info->code, strlen(info->code));
    return selector && selector->kind == SELECTOR_RULE ? selector->rule : NO_RULE;
}

bool ptx_selector_has(const Selectors *s, const Selector *selector, RuleId rule)
{
    switch ((SelectorKind)selector->kind) {
    case SELECTOR_ALL:      return !s->rules[rule]->is_locked;
    case SELECTOR_GROUP:
        return !strcmp(s->rules[rule]->info.group, s->rules[selector->rule]->info.group);
    case SELECTOR_PREFIX:
        return !strncmp(s->rules[rule]->info.code, selector->text, selector->length);
    case SELECTOR_RULE:     return selector->rule == rule;
    default:                return false;
    }
}

/* ---- suggestions ----------------------------------------------------------------------------- */

enum { LONGEST_SUGGESTED = 48 };

static void copy_folded(char *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = ptx_ascii_lower(text[i]);
}

const char *ptx_selector_suggest(const Selectors *s, const char *text, size_t text_length,
                                 uint16_t *length)
{
    char wanted[LONGEST_SUGGESTED], item[LONGEST_SUGGESTED];
    const char *near = NULL;
    /* of a short word three changes leave nothing */
    unsigned best = 2;
    if (text_length >= 6)
        best = text_length >= 9 ? 4 : 3;
    if (text_length > sizeof wanted)
        return NULL;
    copy_folded(wanted, text, text_length);
    for (uint32_t i = 0; i < s->item_count; i++) {
        if (s->items[i].length > sizeof item)
            continue;
        copy_folded(item, s->items[i].text, s->items[i].length);
        unsigned distance = ptx_edit_distance(wanted, text_length, item, s->items[i].length);
        if (distance < best) {
            best = distance;
            near = s->items[i].text;
            *length = s->items[i].length;
        }
    }
    return near;
}
