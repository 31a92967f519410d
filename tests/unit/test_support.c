/* test_support.c -- arena, diagnostics sink, spans, the scoped symbol table, tables by hash. */
#include "kit.h"

#include "ir/names.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/digits.h"
#include "support/hash.h"
#include "support/limits.h"

#include <math.h>

/* ---- arena ----------------------------------------------------------------------------------- */

static bool is_zero(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            return false;
    return true;
}

static void test_alignment(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, (size_t)1 << 28, &failure);
    static const size_t sizes[] = { 1, 0, 3, 7, 8, 9, 24, 1000, 65536, 70001, 1 };
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            char *p = ptx_arena_alloc(&arena, sizes[i]);
            assert_int_equal((uintptr_t)p % 8, 0);
            assert_true(is_zero(p, sizes[i]));
            memset(p, 0xAB, sizes[i]);
        }
    }
    ptx_arena_free(&arena);
    assert_int_equal(arena.used_bytes, 0);
}

/* What was written, freed and handed out again is zero; what lies before the mark stays. */
static void test_release(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 100, 5000, 65536, 300000 };
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, (size_t)1 << 28, &failure);
    ArenaMark empty = ptx_arena_mark(&arena);
    char *kept = ptx_arena_alloc(&arena, 64);
    memset(kept, 0x5A, 64);
    ArenaMark mark = ptx_arena_mark(&arena);
    size_t used = 0;
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            char *p = ptx_arena_alloc(&arena, sizes[i]);
            assert_true(is_zero(p, sizes[i]));
            memset(p, 0xFF, sizes[i]);
        }
        ArenaMark inner = ptx_arena_mark(&arena);
        memset(ptx_arena_alloc(&arena, 100000), 0xFF, 100000);
        ptx_arena_release(&arena, inner);
        ptx_arena_release(&arena, mark);
        if (!round)
            used = arena.used_bytes;
        assert_int_equal(arena.used_bytes, used);       /* chunks are used again */
        for (int i = 0; i < 64; i++)
            assert_int_equal(kept[i], 0x5A);
    }
    ptx_arena_release(&arena, empty);
    assert_true(is_zero(ptx_arena_alloc(&arena, 64), 64));
    ptx_arena_free(&arena);
}

/* Marks inside one another, released in any order that they allow; sizes from none to what is given
 * back to the system. Every piece is zero when it is handed out, and keeps what it gets. */
static void check_nested(Arena *arena, uint32_t seed)
{
    enum { DEPTH = 8, PIECES = 64, ROUNDS = 4000 };
    ArenaMark marks[DEPTH];
    struct {
        unsigned char *bytes;
        size_t length;
        unsigned depth;
    } pieces[PIECES];
    unsigned depth = 0, count = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = seed * 1664525 + 1013904223;
        const unsigned drawn = seed >> 8, choice = drawn % 8;
        if (choice == 0 && depth < DEPTH) {
            marks[depth++] = ptx_arena_mark(arena);
        } else if (depth && (choice == 1 || count == PIECES)) {
            depth -= 1 + (drawn >> 3) % depth;
            ptx_arena_release(arena, marks[depth]);
            while (count && pieces[count - 1].depth > depth)
                count--;
        } else if (count < PIECES) {
            const size_t length = (drawn >> 3) % 2000 ? (drawn >> 8) % (1U << (drawn >> 3) % 16)
                                                      : (size_t)9 << 20;
            unsigned char *bytes = ptx_arena_alloc(arena, length);
            assert_true(is_zero((char *)bytes, length));
            memset(bytes, 1 + round % 255, length);
            pieces[count].bytes = bytes;
            pieces[count].length = length;
            pieces[count++].depth = depth;
        }
        for (unsigned i = 0; i < count; i++)
            if (pieces[i].length)
                assert_int_equal(pieces[i].bytes[0], pieces[i].bytes[pieces[i].length - 1]);
    }
}

static void check_kind_of_arena(bool has_region, size_t expected_bytes, uint32_t seed)
{
    jmp_buf failure;
    Arena arena;
    ArenaRegion region = { .mapped = NULL };
    ptx_arena_init(&arena, (size_t)1 << 30, &failure);
    arena.region = has_region ? &region : NULL;
    arena.expected_bytes = expected_bytes;
    if (setjmp(failure))
        fail_msg("the arena failed");
    check_nested(&arena, seed);
    ptx_arena_free(&arena);
    ptx_region_close(&region);
}

static void test_nested(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        check_kind_of_arena(false, 0, seed);
        check_kind_of_arena(true, 0, seed);
        check_kind_of_arena(false, 1 << 20, seed);
        check_kind_of_arena(false, 5 << 20, seed);
    }
}

/* What is given back is handed out next; not where something lies behind it, or for numbers that
 * are no multiple of 8 bytes. */
static void test_trim(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, (size_t)1 << 28, &failure);
    if (setjmp(failure))
        fail_msg("the arena failed");
    for (size_t count = 0; count <= 5; count++) {
        char *items = ptx_arena_alloc(&arena, 3000);
        memset(items, 0xFF, 3 * count);
        ptx_arena_trim(&arena, items, count, 1000, 3);
        char *next = ptx_arena_alloc(&arena, 16);
        assert_true(next == items + (3 * count + 7) / 8 * 8);
        assert_true(is_zero(next, 16));
        ptx_arena_trim(&arena, items, 0, 1000, 3);
        assert_true(ptx_arena_alloc(&arena, 8) == next + 16);
    }
    ptx_arena_free(&arena);
}

static bool is_allocated(size_t limit, size_t bytes)
{
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, limit, &failure);
    volatile bool done = false;
    if (!setjmp(failure)) {
        ptx_arena_alloc(&arena, bytes);
        done = true;
    }
    ptx_arena_free(&arena);
    return done;
}

static void test_limit(void **state)
{
    (void)state;
    static const struct {
        size_t limit, bytes;
    } cases[] = {
        { 1000, 1000 }, { 100000, 200000 }, { 1 << 20, SIZE_MAX }, { 1 << 20, SIZE_MAX - 40 }
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (is_allocated(cases[i].limit, cases[i].bytes))
            fail_msg("%zu bytes of a limit of %zu", cases[i].bytes, cases[i].limit);
    assert_true(is_allocated(1000, 100));
    assert_true(is_allocated(100000, 20000));
    jmp_buf failure;
    Arena arena;
    volatile unsigned count = 0;
    ptx_arena_init(&arena, 1 << 20, &failure);
    if (!setjmp(failure)) {
        for (;; count++)
            ptx_arena_alloc(&arena, 1000);
    }
    assert_true(count > 500 && count < 1050);
    assert_true(arena.used_bytes <= 1 << 20);
    ptx_arena_free(&arena);
}

/* Arenas side by side in one region, beyond what it has: each finds zeros, and its own bytes
 * again. */
static void test_region(void **state)
{
    (void)state;
    enum { ARENAS = 3, TURNS = 400, BYTES = 30000 };
    jmp_buf failure;
    Arena arenas[ARENAS];
    char *first[ARENAS], *kept[ARENAS][TURNS];
    ArenaRegion region = { .mapped = NULL };
    for (unsigned a = 0; a < ARENAS; a++) {
        ptx_arena_init(&arenas[a], (size_t)1 << 28, &failure);
        arenas[a].region = &region;
    }
    if (setjmp(failure))
        fail_msg("an arena failed");
    for (unsigned a = 0; a < ARENAS; a++)
        memset(first[a] = ptx_arena_alloc(&arenas[a], 8), 'a' + (int)a, 8);
    for (unsigned t = 0; t < TURNS; t++)
        for (unsigned a = 0; a < ARENAS; a++) {
            ArenaMark mark = ptx_arena_mark(&arenas[a]);
            char *passing = ptx_arena_alloc(&arenas[a], BYTES);
            assert_true(is_zero(passing, BYTES));
            memset(passing, 'x', BYTES);
            ptx_arena_release(&arenas[a], mark);
            kept[a][t] = ptx_arena_alloc(&arenas[a], BYTES);
            assert_true(is_zero(kept[a][t], BYTES));
            memset(kept[a][t], 'a' + (int)a, BYTES);
        }
    for (unsigned a = 0; a < ARENAS; a++) {
        assert_int_equal(first[a][7], 'a' + (int)a);
        for (unsigned t = 0; t < TURNS; t++)
            assert_true(kept[a][t][0] == 'a' + (int)a
                        && !memcmp(kept[a][t], kept[a][t] + 1, BYTES - 1));
        ptx_arena_free(&arenas[a]);
    }
    ptx_region_close(&region);
    assert_null(region.mapped);
}

static void test_array_overflow(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, SIZE_MAX, &failure);
    if (!setjmp(failure)) {
        ptx_arena_alloc_array(&arena, SIZE_MAX / 4 + 2, 8);
        fail_msg("the product wrapped");
    }
    ptx_arena_free(&arena);
}

static void test_strndup(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, 1 << 20, &failure);
    assert_string_equal(ptx_arena_strndup(&arena, "abcdef", 3), "abc");
    assert_string_equal(ptx_arena_strndup(&arena, "abcdef", 0), "");
    ptx_arena_free(&arena);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void test_spans(void **state)
{
    (void)state;
    static const struct { Span a, b, want; } cases[] = {
        { { 1, 3 }, { 5, 9 }, { 1, 9 } }, { { 5, 9 }, { 1, 3 }, { 1, 9 } }, { { 1, 9 }, { 3, 4 }, { 1, 9 } },
        { { 0, 0 }, { 5, 9 }, { 5, 9 } }, { { 5, 9 }, { 7, 7 }, { 5, 9 } }, { { 0, 0 }, { 0, 0 }, { 0, 0 } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Span got = ptx_span_join(cases[i].a, cases[i].b);
        if (got.begin != cases[i].want.begin || got.end != cases[i].want.end)
            fail_msg("row %zu: %u..%u", i, got.begin, got.end);
    }
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

static void test_order(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    DiagSink sink;
    ptx_arena_init(&arena, 1 << 24, &failure);
    ptx_diag_init(&sink, &arena);
    ptx_diag(&sink, DIAG_NEWER_VERSION, (Span){ 30, 31 }, "e");            /* a note */
    /* an error at the same place */
    ptx_diag(&sink, DIAG_UNDECLARED, (Span){ 30, 40 }, "c");
    ptx_diag(&sink, DIAG_UNUSED_SUPPRESSION, (Span){ 30, 35 }, "d%d", 1);    /* a warning */
    ptx_diag(&sink, DIAG_UNDECLARED, (Span){ 10, 11 }, "a");
    ptx_diag(&sink, DIAG_UNDECLARED, (Span){ 10, 11 }, "b");
    ptx_diag(&sink, DIAG_NEWER_VERSION, (Span){ 30, 31 }, "f");
    ptx_diag_finish(&sink);
    static const char *const want[] = { "a", "b", "c", "d1", "e", "f" };
    assert_int_equal(sink.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_string_equal(sink.items[i]->message, want[i]);
        assert_int_equal(sink.items[i]->func, -1);
    }
    ptx_arena_free(&arena);
}

static void test_related(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    DiagSink sink;
    ptx_arena_init(&arena, 1 << 24, &failure);
    ptx_diag_init(&sink, &arena);
    sink.func = 7;
    Diag *diag = ptx_diag(&sink, DIAG_REDECLARED, (Span){ 1, 2 }, "%s", "x");
    ptx_diag_relate(&sink, diag, (Span){ 3, 4 }, "first %d", 1);
    ptx_diag_relate(&sink, diag, (Span){ 5, 6 }, "second");
    assert_int_equal(diag->func, 7);
    assert_int_equal(diag->severity, SEVERITY_ERROR);
    assert_string_equal(diag->related->message, "first 1");
    assert_string_equal(diag->related->next->message, "second");
    assert_int_equal(diag->related->next->span.begin, 5);
    assert_null(diag->related->next->next);
    ptx_arena_free(&arena);
}

static void test_sink_limit(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    DiagSink sink;
    ptx_arena_init(&arena, 1 << 26, &failure);
    ptx_diag_init(&sink, &arena);
    for (uint32_t i = 0; i < LIMIT_DIAGNOSTICS + 50; i++) {
        Diag *diag = ptx_diag(&sink, DIAG_UNDECLARED, (Span){ i, i + 1 }, "%u", i);
        assert_non_null(diag);
        diag->help = "may be set, kept or not";
    }
    assert_int_equal(sink.count, LIMIT_DIAGNOSTICS);
    assert_int_equal(sink.dropped, 50);
    ptx_diag_finish(&sink);
    assert_int_equal(sink.count, LIMIT_DIAGNOSTICS + 1);
    const Diag *last = sink.items[LIMIT_DIAGNOSTICS];
    assert_ptr_equal(last->info, &ptx_diag_info[DIAG_TOO_MANY]);
    assert_non_null(strstr(last->message, "50"));
    ptx_arena_free(&arena);
}

static void test_codes(void **state)
{
    (void)state;
    for (int a = 1; a < DIAG__COUNT; a++) {
        const DiagInfo *info = &ptx_diag_info[a];
        assert_int_equal(strlen(info->code), 6);
        assert_true(info->severity >= SEVERITY_NOTE && info->severity <= SEVERITY_ERROR);
        assert_true(strlen(info->group) > 0);
        for (int b = 1; b < a; b++) {
            assert_string_not_equal(info->code, ptx_diag_info[b].code);
            assert_string_not_equal(info->name, ptx_diag_info[b].name);
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char names_text[] = "alpha beta %r1 alpha";

typedef struct World {
    Arena arena;
    jmp_buf failure;
    Names names;
} World;

static Symbol *declare(World *w, Namespace space, const char *name, uint32_t id, bool *again)
{
    uint32_t at = (uint32_t)(strstr(names_text, name) - names_text);
    Symbol *earlier;
    Symbol *symbol = ptx_names_declare(&w->names, space, SYMBOL_REG,
                                       (Span){ at, at + (uint32_t)strlen(name) }, id, &earlier);
    *again = earlier != NULL;
    return symbol;
}

static int64_t id_of(const World *w, Namespace space, const char *name)
{
    const Symbol *symbol = ptx_names_find(&w->names, space, name, strlen(name));
    return symbol ? (int64_t)symbol->id : -1;
}

static void test_scopes(void **state)
{
    (void)state;
    World w;
    bool again;
    ptx_arena_init(&w.arena, 1 << 24, &w.failure);
    ptx_names_init(&w.names, &w.arena, names_text);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), -1);
    declare(&w, NAMES_ORDINARY, "alpha", 1, &again);
    assert_false(again);
    declare(&w, NAMES_LABEL, "alpha", 2, &again);
    assert_false(again);                                    /* a label may share the name */
    declare(&w, NAMES_RANGE, "alpha", 3, &again);
    assert_false(again);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), 1);
    assert_int_equal(id_of(&w, NAMES_LABEL, "alpha"), 2);
    assert_int_equal(id_of(&w, NAMES_RANGE, "alpha"), 3);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alph"), -1);
    uint32_t outer = w.names.symbol_count;
    ptx_names_enter(&w.names);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), 1);        /* seen from inside */
    declare(&w, NAMES_ORDINARY, "alpha", 4, &again);
    assert_false(again);                                    /* shadows, is no redeclaration */
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), 4);
    declare(&w, NAMES_ORDINARY, "alpha", 5, &again);
    assert_true(again);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), 5);
    declare(&w, NAMES_ORDINARY, "beta", 6, &again);
    uint32_t inner = w.names.symbol_count;
    ptx_names_enter(&w.names);
    declare(&w, NAMES_ORDINARY, "beta", 7, &again);
    assert_false(again);
    declare(&w, NAMES_ORDINARY, "%r1", 8, &again);
    assert_int_equal(w.names.percent_digit_names, 1);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "beta"), 7);
    ptx_names_leave(&w.names, inner);
    assert_int_equal(w.names.percent_digit_names, 0);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "%r1"), -1);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "beta"), 6);
    ptx_names_leave(&w.names, outer);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "beta"), -1);
    assert_int_equal(id_of(&w, NAMES_ORDINARY, "alpha"), 1);
    ptx_arena_free(&w.arena);
}

/* Thousands of names in nested scopes: the table grows while symbols are shadowed, and leaving
 * undoes all of it. */
static void test_growth(void **state)
{
    (void)state;
    enum { NAMES = 3000, LENGTH = 5, DEPTH = 3 };
    static char text[NAMES * LENGTH + 1];
    World w;
    uint32_t marks[DEPTH];
    for (int i = 0; i < NAMES; i++)
        snprintf(text + (size_t)i * LENGTH, LENGTH + 1, "n%04d", i);
    ptx_arena_init(&w.arena, 1 << 26, &w.failure);
    ptx_names_init(&w.names, &w.arena, text);
    for (int depth = 0; depth < DEPTH; depth++) {
        marks[depth] = w.names.symbol_count;
        ptx_names_enter(&w.names);
        for (uint32_t i = (uint32_t)depth; i < NAMES; i += (uint32_t)depth + 1) {
            Symbol *earlier;
            ptx_names_declare(&w.names, NAMES_ORDINARY, SYMBOL_VAR,
                              (Span){ i * LENGTH, (i + 1) * LENGTH }, (uint32_t)depth * NAMES + i,
                              &earlier);
            assert_null(earlier);
        }
    }
    for (int depth = DEPTH; depth-- > 0;) {
        for (uint32_t i = 0; i < NAMES; i++) {
            int64_t want = -1;
            for (int d = 0; d <= depth; d++)
                if (i >= (uint32_t)d && (i - (uint32_t)d) % ((uint32_t)d + 1) == 0)
                    want = d * NAMES + (int64_t)i;
            const Symbol *symbol = ptx_names_find(&w.names, NAMES_ORDINARY, text + i * LENGTH,
                                                  LENGTH);
            if ((symbol ? (int64_t)symbol->id : -1) != want)
                fail_msg("depth %d: name %u", depth, i);
        }
        ptx_names_leave(&w.names, marks[depth]);
    }
    assert_null(ptx_names_find(&w.names, NAMES_ORDINARY, text, LENGTH));
    ptx_arena_free(&w.arena);
}

/* ---- tables by hash -------------------------------------------------------------------------- */

static bool is_number(const void *owner, uint32_t number, const void *key)
{
    (void)owner;
    return number == *(const uint32_t *)key;
}

/* Numbers of one hash in two places: what is behind these is not found, and gives way. */
static void test_near_places(void **state)
{
    (void)state;
    static const struct { uint32_t key, slot; bool is_found; } cases[] = {
        { 7, 0, false }, { 7, 0, true }, { 8, 1, false }, { 8, 1, true }, { 7, 0, true },
        { 9, 2, false }, { 9, 2, false }, { 10, 2, false },
    };
    jmp_buf failure;
    Arena arena;
    HashTable table;
    ptx_arena_init(&arena, (size_t)1 << 20, &failure);
    ptx_hash_init(&table, &arena, 8);
    const uint32_t hash = table.mask;           /* the first place is the last slot */
    for (size_t i = 0; i < COUNT(cases); i++) {
        const HashPlace place = ptx_hash_find_near(&table, hash, 2, is_number, NULL, &cases[i].key);
        assert_int_equal(place.is_found, cases[i].is_found);
        assert_int_equal(place.slot - table.slots, (hash + cases[i].slot) & table.mask);
        *place.slot = cases[i].key;
    }
    ptx_arena_free(&arena);
}

static void check_map(Arena *arena)
{
    HashMap map = { 0 };
    assert_int_equal(ptx_hash_map_get(&map, 3), 0);
    for (unsigned round = 1; round <= 2; round++)
        for (uint64_t key = 0; key < 5000; key++)
            assert_int_equal(++*ptx_hash_map_at(&map, arena, key << 32), round);
    assert_int_equal(map.count, 5000);
    assert_int_equal(ptx_hash_map_get(&map, UINT64_C(4999) << 32), 2);
    assert_int_equal(ptx_hash_map_get(&map, 1), 0);
    if (!arena)
        ptx_hash_map_free(&map);
}

static void test_maps(void **state)
{
    (void)state;
    jmp_buf failure;
    Arena arena;
    ptx_arena_init(&arena, (size_t)1 << 24, &failure);
    check_map(&arena);
    check_map(NULL);
    ptx_arena_free(&arena);
}

/* Any byte before so many digits, and what the digits say. */
static void test_digits(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= 8; count++)
        for (unsigned before = 0; before < 256; before++) {
            char text[24];
            const unsigned long number = 90817263 % (unsigned long)pow(10, count);
            memset(text, (int)before, sizeof text);
            for (unsigned i = 0, rest = (unsigned)number; i < count; i++, rest /= 10)
                text[15 - i] = (char)('0' + rest % 10);
            const LastDigits found = ptx_digits_before(text + 16);
            if (before >= '0' && before <= '9') {
                assert_int_equal(found.count, 8);
                continue;
            }
            assert_int_equal(found.count, count);
            assert_int_equal(found.value, number);
            assert_int_equal(ptx_bytes_before(text + 8, 2), before | before << 8);
        }
}

UNIT(support)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_trim),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_region),
        cmocka_unit_test(test_array_overflow),
        cmocka_unit_test(test_strndup),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_related),
        cmocka_unit_test(test_sink_limit),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_near_places),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
