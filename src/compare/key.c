#include "compare/key.h"

#include "support/assert.h"
#include "support/hash.h"

/* ---- names of kernels ------------------------------------------------------------------------ */

static bool is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* Bytes of a run that a compiler made, from text on; 0: there is none. */
static size_t made_length(const char *text, size_t left)
{
    size_t length = 0;
    bool has_digit = false;
    for (; length < left && is_hex(text[length]); length++)
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
        bool is_begin = !i || !is_hex(name[i - 1]);
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

static void put(Index *index, uint64_t hash, uint32_t slot_value)
{
    ASSERT(index->capacity && !(index->capacity & (index->capacity - 1)));
    uint32_t i = (uint32_t)ptx_hash_mix(hash) & (index->capacity - 1);
    while (index->slots[i])
        i = (i + 1) & (index->capacity - 1);
    index->slots[i] = slot_value;
    index->hashes[i] = hash;
}

static void grow(Arena *arena, Index *index)
{
    const Index old = *index;
    index->capacity = old.capacity ? 2 * old.capacity : 64;
    index->slots = ptx_arena_array(arena, uint32_t, index->capacity);
    index->hashes = ptx_arena_array(arena, uint64_t, index->capacity);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            put(index, old.hashes[i], old.slots[i]);
}

void ptx_index_add(Arena *arena, Index *index, uint64_t hash, uint32_t number)
{
    if (2 * index->used >= index->capacity)
        grow(arena, index);
    index->used++;
    ASSERT(index->used < index->capacity);
    put(index, hash, number + 1);
}

bool ptx_index_next(const Index *index, uint64_t hash, uint32_t *at, uint32_t *number)
{
    for (; *at < index->capacity; ++*at) {
        uint32_t i = ((uint32_t)ptx_hash_mix(hash) + *at) & (index->capacity - 1);
        if (!index->slots[i])
            break;
        if (index->hashes[i] != hash)
            continue;
        *number = index->slots[i] - 1;
        ++*at;
        return true;
    }
    return false;
}
