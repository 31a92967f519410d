#include "compare/key.h"

/* ---- names of kernels ------------------------------------------------------------------------ */

static bool is_hex_digit(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* Bytes of a run that a compiler made, from text on; 0: there is none. */
static size_t made_length(const char *text, size_t left)
{
    size_t length = 0;
    bool has_digit = false;
    for (; length < left && is_hex_digit(text[length]); length++)
        has_digit |= text[length] <= '9';
    return has_digit && (length == 8 || length == 16 || length == 32 || length == 64) ? length : 0;
}

static bool begins(const char *text, size_t left, const char *word)
{
    size_t length = strlen(word);
    return left >= length && !memcmp(text, word, length);
}

/* Bytes of a name in a mangled one, its length before it, that stands for "of this file alone"; 0:
 * there is none. */
static size_t unnamed_length(const char *text, size_t left)
{
    size_t digits = 0, length = 0;
    for (; digits < left && digits < 4 && text[digits] >= '0' && text[digits] <= '9'; digits++)
        length = 10 * length + (size_t)(text[digits] - '0');
    if (!digits || length > left - digits)
        return 0;
    const char *name = text + digits;
    return begins(name, length, "_GLOBAL__N_") || begins(name, length, "_INTERNAL_")
               ? digits + length
               : 0;
}

const char *ptx_key_kernel(Arena *arena, const char *name, size_t length)
{
    char *key = ptx_arena_strndup(arena, name, length), *out = key;
    for (size_t i = 0; i < length;) {
        bool is_begin = !i || !is_hex_digit(name[i - 1]);
        size_t made = unnamed_length(name + i, length - i);
        made = made || !is_begin ? made : made_length(name + i, length - i);
        *out++ = made ? '*' : name[i];
        i += made ? made : 1;
    }
    *out = 0;
    return key;
}

/* ---- an index -------------------------------------------------------------------------------- */

uint64_t ptx_key_hash(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    while (*text++);
    return hash;
}

#define NO_MORE UINT32_MAX      /* Index: at, behind the last of a hash */

typedef struct IndexEntry {
    uint64_t hash;
    uint32_t number;
    uint32_t next, last;        /* of its hash, + 1; last: kept by the first of them */
} IndexEntry;

static bool is_of_hash(const void *owner, uint32_t number, const void *hash)
{
    return ((const IndexEntry *)owner)[number - 1].hash == *(const uint64_t *)hash;
}

static uint32_t *first_word_of(const Index *index, uint64_t hash)
{
    return ptx_hash_find(&index->firsts, (uint32_t)ptx_hash_mix(hash), is_of_hash, index->entries,
                         &hash);
}

static void link_entry(Index *index, uint32_t entry)
{
    IndexEntry *entries = index->entries;
    uint32_t *first = first_word_of(index, entries[entry].hash);
    if (*first)
        entries[entries[*first - 1].last - 1].next = entry + 1;
    else
        *first = entry + 1;
    entries[*first - 1].last = entry + 1;
}

static void grow(Arena *arena, Index *index)
{
    const IndexEntry *old = index->entries;
    ptx_hash_init(&index->firsts, arena, 2 * (uint64_t)index->count + 32);
    index->entries = ptx_arena_array(arena, IndexEntry, ((size_t)index->firsts.mask + 1) / 2);
    for (uint32_t i = 0; i < index->count; i++) {
        index->entries[i] = (IndexEntry){ .hash = old[i].hash, .number = old[i].number };
        link_entry(index, i);
    }
}

void ptx_index_add(Arena *arena, Index *index, uint64_t hash, uint32_t number)
{
    if (ptx_hash_is_full(&index->firsts, index->count))
        grow(arena, index);
    index->entries[index->count] = (IndexEntry){ .hash = hash, .number = number };
    link_entry(index, index->count++);
}

bool ptx_index_next(const Index *index, uint64_t hash, uint32_t *at, uint32_t *number)
{
    if (!index->count || *at == NO_MORE)
        return false;
    uint32_t entry = *at ? *at : *first_word_of(index, hash);
    if (!entry)
        return false;
    *number = index->entries[entry - 1].number;
    *at = index->entries[entry - 1].next ? index->entries[entry - 1].next : NO_MORE;
    return true;
}
