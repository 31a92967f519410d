/* Wavefronts of single requests against testdata/measured/probes.json: patterns of lanes whose
 * wavefronts an H200 counted. */
#include "analysis/access/describe.h"
#include "analysis/sim/cost/footprint.h"
#include "analysis/sim/cost/traffic.h"

#include "kit.h"
#include "analysis/sim/request.h"

#include <jansson.h>

typedef struct Probe {
    RequestKind kind;
    unsigned bytes;
    bool is_uncached, is_part, is_empty, is_skipped;
} Probe;

/* The last run of digits of the opcode, and what it moves: u32, v2.u32, f16x2. */
static unsigned width_of(const char *text)
{
    unsigned bits = 0, vector = 1;
    for (const char *at = text; *at && *at != ' '; at++) {
        if (*at == 'v' && at[-1] == '.')
            vector = (unsigned)strtoul(at + 1, NULL, 10);
        else if (*at == '.' && strchr("usbf", at[1]) && at[2] >= '0' && at[2] <= '9')
            bits = (unsigned)strtoul(at + 2, NULL, 10);
    }
    return bits / 8 * vector;
}

static Probe probe_of_copy(const char *text)
{
    const char *size = strstr(text, "], ");
    size = strstr(size + 3, "], ");
    Probe p = { .kind = REQUEST_COPY,
                .bytes = (unsigned)strtoul(size + 3, NULL, 10),
                .is_uncached = strstr(text, ".cg.") };
    const char *given = strchr(size + 3, ',');
    if (!given)
        return p;
    unsigned read = (unsigned)strtoul(given + 1, NULL, 10);
    p.is_skipped = strchr(given, '%');
    p.is_part = read && read < p.bytes;
    p.is_empty = !read;
    return p;
}

static Probe probe_of(const char *text)
{
    if (!strncmp(text, "cp.", 3))
        return probe_of_copy(text);
    Probe p = { .bytes = width_of(text),
                .kind = text[0] == 'l'   ? REQUEST_LOAD
                        : text[0] == 's' ? REQUEST_STORE
                                         : REQUEST_ATOMIC };
    if (p.kind == REQUEST_ATOMIC && strstr(text, ".cas."))
        p.kind = REQUEST_CAS;
    if (p.kind == REQUEST_ATOMIC && !strncmp(text, "red.shared.add", 14) && strstr(text, ", 1;"))
        p.kind = REQUEST_INCREMENT;
    p.is_skipped = p.kind >= REQUEST_ATOMIC && p.kind <= REQUEST_CAS && p.bytes < 4;    /* loops */
    return p;
}

static void addresses_of(const json_t *places, unsigned bytes, uint64_t *out)
{
    for (size_t i = 0; i < WARP_LANES; i++)
        out[i] = (uint64_t)json_integer_value(json_array_get(places, i)) * bytes;
}

typedef struct Tally {
    unsigned certain, right, near;
} Tally;

static void check_pattern(const json_t *pattern, size_t n, const char *text, Tally *tally)
{
    Probe p = probe_of(text);
    uint64_t shared[WARP_LANES], global[WARP_LANES];
    if (p.is_skipped)
        return;
    addresses_of(json_object_get(pattern, "shared"), p.bytes, shared);
    addresses_of(json_object_get(pattern, "global"), p.bytes, global);
    uint32_t mask = (uint32_t)json_integer_value(json_object_get(pattern, "mask"));
    double real = json_number_value(json_array_get(json_object_get(pattern, "wavefronts"), n));
    Request r = { .addresses = shared,
                  .lanes = mask,
                  .bytes = p.bytes,
                  .kind = (uint8_t)p.kind,
                  .is_uncached = p.is_uncached,
                  .from = global,
                  .reading = p.is_empty ? 0 : mask,
                  .is_part = p.is_part,
                  .is_empty = p.is_empty };
    double got = ptx_traffic_wavefronts(NULL, &r);
    if (!ptx_traffic_is_certain(NULL, &r)) {
        tally->near += got == real;
        return;
    }
    tally->certain++;
    tally->right += got == real;
    if (got != real)
        print_message("%s, mask %#x: %g, measured %g\n", text, mask, got, real);
}

static void patterns_of_lanes_take_what_was_measured(void **state)
{
    (void)state;
    size_t length;
    char *text = kit_read("testdata/measured/probes.json", &length);
    json_t *probes = json_loadb(text, length, 0, NULL);
    json_t *instructions = json_object_get(probes, "instructions"),
           *patterns = json_object_get(probes, "patterns");
    assert_true(json_array_size(instructions) >= 40 && json_array_size(patterns) >= 300);
    Tally tally = { 0, 0, 0 };
    size_t n, k;
    json_t *instruction, *pattern;
    json_array_foreach(patterns, k, pattern)
        json_array_foreach(instructions, n, instruction)
            check_pattern(pattern, n, json_string_value(instruction), &tally);
    print_message("certain %u, right %u; of the others %u\n", tally.certain, tally.right,
                  tally.near);
    assert_true(tally.certain > 10000);
    assert_int_equal(tally.right, tally.certain);
    json_decref(probes);
    free(text);
}

/* Profilers count other wavefronts for some of these; both rules are the program's. */
static void wide_loads_take_what_was_measured(void **state)
{
    (void)state;
    size_t length, n, differ = 0;
    char *text = kit_read("testdata/measured/wide-loads.json", &length);
    json_t *measured = json_loadb(text, length, 0, NULL), *pattern;
    assert_true(json_array_size(json_object_get(measured, "patterns")) == 512);
    json_array_foreach(json_object_get(measured, "patterns"), n, pattern) {
        for (unsigned w = 0; w < 2; w++) {
            const unsigned bytes = w ? 16 : 8;
            const bool are_bytes = json_is_true(json_object_get(pattern, "bytes"));
            uint64_t lanes[WARP_LANES];
            addresses_of(json_object_get(pattern, "lanes"), are_bytes ? 1 : bytes, lanes);
            for (unsigned i = 0; i < WARP_LANES; i++)
                lanes[i] -= lanes[i] % bytes;
            const Request r = {
                .addresses = lanes,
                .lanes = (uint32_t)json_integer_value(json_object_get(pattern, "mask")),
                .bytes = bytes,
                .kind = REQUEST_LOAD
            };
            const double taken = json_number_value(
                             json_array_get(json_object_get(pattern, "taken"), w)),
                         counted = ptx_traffic_wavefronts(NULL, &r);
            if (ptx_traffic_taken(NULL, &r, counted) != taken)
                fail_msg("pattern %zu, %u bytes: %g, measured %g", n, bytes,
                         ptx_traffic_taken(NULL, &r, counted), taken);
            differ += counted != taken;
        }
    }
    assert_true(differ > 50);
    json_decref(measured);
    free(text);
}

/* Eight lanes give addresses for each 8 x 8: PTX ISA, "ldmatrix", the table of threads by shape and
 * number. */
static void rows_of_matrices(void **state)
{
    (void)state;
    static const struct { const char *op; unsigned lanes; } cases[] = {
        { "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 8 },          { "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", 16 },
        { "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 32 },         { "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", 16 },
        { "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", 32 },  { "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", 8 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Op op;
        ptx_op_resolve(&op, cases[i].op, strlen(cases[i].op));
        assert_int_equal(8 * ptx_request_matrices(&op), cases[i].lanes);
    }
}

/* ---- closed forms against a count lane by lane ----------------------------------------------- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Each lane's pieces of 2^shift bytes, those that were there before left out. */
static double pieces_by_lane(const Request *r, unsigned shift)
{
    uint64_t seen[64];
    unsigned count = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        for (uint64_t piece = r->addresses[i] >> shift;
             r->lanes >> i & 1 && piece <= (r->addresses[i] + r->bytes - 1) >> shift; piece++) {
            unsigned k = 0;
            while (k < count && seen[k] != piece)
                k++;
            if (k == count)
                seen[count++] = piece;
        }
    return count;
}

/* Each lane's words of 4 bytes, those that were there before left out, into the 32 banks: the most
 * in one. */
static unsigned words_by_lane(const Request *r, uint32_t lanes)
{
    uint64_t seen[WARP_LANES * 4];
    unsigned count = 0, in_bank[32] = { 0 }, most = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        for (uint64_t word = r->addresses[i] / 4;
             lanes >> i & 1 && word <= (r->addresses[i] + r->bytes - 1) / 4; word++) {
            unsigned k = 0;
            while (k < count && seen[k] != word)
                k++;
            if (k < count)
                continue;
            seen[count++] = word;
            in_bank[word % 32]++;
            most = in_bank[word % 32] > most ? in_bank[word % 32] : most;
        }
    return most;
}

static double wavefronts_by_lane(const Request *r)
{
    unsigned group = r->bytes <= 4 ? 32 : 128 / r->bytes, sum = 0;
    for (unsigned first = 0; first < WARP_LANES; first += group)
        sum += words_by_lane(
            r, r->lanes & (group == 32 ? UINT32_MAX : ((UINT32_C(1) << group) - 1) << first));
    return sum;
}

/* Mostly lanes side by side at one stride, of any sign; a few that are pushed out of it. */
static void make_request(uint64_t *state, Request *r, uint64_t addresses[WARP_LANES])
{
    static const uint32_t widths[] = { 1, 2, 4, 8, 16 };
    const uint32_t kind = next_random(state) % 8,
                   bytes = widths[next_random(state) % COUNT(widths)];
    const int64_t spread = kind < 4 ? (int64_t)(next_random(state) % 160) - 80
                                    : (int64_t)(next_random(state) % 4096) - 2048;
    const int64_t stride = kind % 4 ? spread * bytes : spread;
    const uint64_t base = (UINT64_C(1) << 32) + next_random(state) % 512 * (kind % 4 ? bytes : 1);
    const unsigned first = next_random(state) % 32, count = 1 + next_random(state) % (32 - first);
    for (unsigned i = 0; i < WARP_LANES; i++)
        addresses[i] = base + (uint64_t)(stride * (int64_t)i);
    if (kind == 7)
        addresses[next_random(state) % 32] += next_random(state) % 128 * bytes;
    const uint32_t side_by_side = (count == 32 ? UINT32_MAX : ((UINT32_C(1) << count) - 1))
                                  << first;
    const uint32_t lanes = next_random(state) % 2   ? UINT32_MAX
                           : next_random(state) % 4 ? side_by_side
                                                    : next_random(state) | 1;
    *r = (Request){ .addresses = addresses, .lanes = lanes, .bytes = bytes, .kind = REQUEST_STORE };
}

enum { REQUESTS = 200000 };

static uint64_t request_count = REQUESTS;

static void test_closed_forms(void **state)
{
    (void)state;
    uint64_t seed = 1, addresses[WARP_LANES];
    for (uint64_t n = 0; n < request_count; n++) {
        Request r;
        make_request(&seed, &r, addresses);
        double sectors = ptx_traffic_sectors(NULL, &r),
               wavefronts = ptx_traffic_wavefronts(NULL, &r);
        if (sectors != pieces_by_lane(&r, 5) || wavefronts != wavefronts_by_lane(&r))
            fail_msg("request %llu: %u bytes, lanes %x from %llx by %lld: %g sectors, not %g; %g "
                     "wavefronts, not %g",
                     (unsigned long long)n, r.bytes, r.lanes, (unsigned long long)addresses[0],
                     (long long)(addresses[1] - addresses[0]), sectors, pieces_by_lane(&r, 5),
                     wavefronts, wavefronts_by_lane(&r));
    }
}

/* Bytes that some lane asks for, each once: those of a lane that no lane before it asks for. */
static unsigned used_by_lane(const Request *r)
{
    unsigned used = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        for (uint64_t b = 0; r->lanes >> i & 1 && b < r->bytes; b++) {
            bool is_first = true;
            for (unsigned k = 0; k < i; k++)
                is_first &= !(r->lanes >> k & 1)
                            || r->addresses[i] + b - r->addresses[k] >= r->bytes;
            used += is_first;
        }
    return used;
}

/* Over the sectors, the most lanes that name one address in it. */
static unsigned crowds_by_lane(const Request *r)
{
    unsigned sum = 0, at[WARP_LANES] = { 0 };
    for (unsigned i = 0; i < WARP_LANES; i++)
        for (unsigned k = 0; r->lanes >> i & 1 && k < WARP_LANES; k++)
            at[i] += r->lanes >> k & 1 && r->addresses[k] == r->addresses[i];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        bool is_most = r->lanes >> i & 1;
        for (unsigned k = 0; k < WARP_LANES; k++)
            is_most &= !(r->lanes >> k & 1) || r->addresses[k] >> 5 != r->addresses[i] >> 5
                       || at[k] < at[i] || (at[k] == at[i] && k >= i);
        sum += is_most ? at[i] : 0;
    }
    return sum;
}

static void test_sums_over_lanes(void **state)
{
    enum { FEWER = 10 };
    (void)state;
    uint64_t seed = 3, addresses[WARP_LANES];
    Arena arena;
    jmp_buf on_failure;
    ptx_arena_init(&arena, 1 << 28, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    for (uint64_t n = 0; n < request_count / FEWER; n++) {
        Request r;
        make_request(&seed, &r, addresses);
        const ArenaMark mark = ptx_arena_mark(&arena);
        Footprint *footprint = ptx_footprint_new(&arena);
        const FootprintRequest load = { addresses, r.lanes, r.bytes, 0, 0, 0, FOOTPRINT_LOAD, false,
                                         false, false, NULL };
        ptx_footprint_note(footprint, &load);
        ptx_footprint_close(footprint, 1);
        const Traffics traffics = ptx_footprint_sum(footprint, &arena, 1);
        assert_true(traffics.load_sectors == pieces_by_lane(&r, 5));
        assert_true(traffics.load_lines == pieces_by_lane(&r, 7));
        assert_true(ptx_traffic_used_bytes(&r) == used_by_lane(&r));
        assert_true(ptx_atomic_passes(addresses, r.lanes, 4, false) == crowds_by_lane(&r));
        ptx_arena_release(&arena, mark);
    }
    ptx_arena_free(&arena);
}

/* A copy costs the same where each of its sides lies a multiple of PERIOD bytes further on. */
/* Distances between lanes are without a sign, at the ends of 64 bits, too. */
static void test_distances(void **state)
{
    (void)state;
    static const struct { int64_t stride; AccessPattern pattern; const char *text; } cases[] = {
        { -4096, PATTERN_STRIDED, "lanes are 4096 bytes apart" },
        { INT64_MIN, PATTERN_STRIDED, "lanes are 9223372036854775808 bytes apart" },
        { INT64_MIN, PATTERN_IRREGULAR,
          "lane addresses are irregular, most of them 9223372036854775808 bytes apart" },
        { -4, PATTERN_IRREGULAR, "lane addresses are irregular" },
        { INT64_MAX, PATTERN_PER_THREAD,
          "each lane accesses its own range, 9223372036854775807 bytes from the next" },
    };
    Arena arena;
    jmp_buf on_failure;
    ptx_arena_init(&arena, 1 << 20, &on_failure);
    assert_int_equal(setjmp(on_failure), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Count count = { .stride = cases[i].stride, .pattern = (uint8_t)cases[i].pattern };
        assert_string_equal(ptx_count_describe(&arena, &count, 4), cases[i].text);
    }
    ptx_arena_free(&arena);
}

static void test_moved_copies(void **state)
{
    (void)state;
    uint64_t seed = 2, to[WARP_LANES], from[WARP_LANES], moved_to[WARP_LANES],
             moved_from[WARP_LANES];
    for (uint64_t n = 0; n < request_count; n++) {
        Request r, source;
        make_request(&seed, &r, to);
        make_request(&seed, &source, from);
        const uint32_t kind = next_random(&seed), bits = next_random(&seed) % 4;
        r.kind = REQUEST_COPY;
        r.bytes = kind & 1 ? 16 : 4u << (kind >> 1 & 1);
        r.is_uncached = kind & 1;
        r.bank_bytes = kind >> 3 & 1 ? 8 : 4;
        r.from = bits ? from : NULL;
        r.reading = kind >> 5 & 1 ? r.lanes & source.lanes : r.lanes;
        r.is_part = kind >> 6 & 1;
        r.is_empty = !(kind >> 7 & 7);
        Request moved = r;
        moved.addresses = moved_to;
        moved.from = r.from ? moved_from : NULL;
        const uint64_t by = (uint64_t)PERIOD * (next_random(&seed) % 4096),
                       from_by = (uint64_t)PERIOD * (next_random(&seed) % 4096);
        for (unsigned i = 0; i < WARP_LANES; i++) {
            moved_to[i] = to[i] + by;
            moved_from[i] = from[i] - from_by;
        }
        assert_true(ptx_traffic_wavefronts(NULL, &r) == ptx_traffic_wavefronts(NULL, &moved));
        assert_int_equal(ptx_traffic_is_certain(NULL, &r), ptx_traffic_is_certain(NULL, &moved));
    }
}

static uint64_t rows_of_16(uint64_t l) { return l / 16 * 2048 + l % 16 * 16; }
static uint64_t every_fourth(uint64_t l) { return l * 16; }
static uint64_t every_second(uint64_t l) { return l * 8; }
static uint64_t transposed(uint64_t l)
{
    return (l & 1) * 576 + (l >> 1 & 7) * 1024 + (l >> 4) * 4;
}
static uint64_t by_8(uint64_t l) { return l % 8 * 512 + l / 8 * 4; }
static uint64_t by_16(uint64_t l) { return l % 16 * 512 + l / 16 * 4; }

/* Copies of 4 bytes that conflict on both sides: copies4.cu's clocks of an H200 are 1.07 of these,
 * and 1.3. */
static void test_arbitrated_copies(void **state)
{
    static const struct { uint64_t (*from)(uint64_t), (*to)(uint64_t); unsigned want;
    } rows[] = {
        { rows_of_16, transposed, 13 }, { every_fourth, transposed, 13 },
        { every_second, transposed, 9 }, { every_fourth, by_8, 11 }, { every_fourth, by_16, 25 },
    };
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        uint64_t to[WARP_LANES], from[WARP_LANES];
        for (uint64_t l = 0; l < WARP_LANES; l++) {
            to[l] = rows[n].to(l);
            from[l] = rows[n].from(l);
        }
        const Request r = { .addresses = to, .from = from, .lanes = UINT32_MAX,
                            .reading = UINT32_MAX, .bytes = 4, .bank_bytes = 4,
                            .kind = REQUEST_COPY };
        assert_true(ptx_traffic_wavefronts(NULL, &r) == rows[n].want);
        assert_false(ptx_traffic_is_certain(NULL, &r));
    }
}

/* More of them: unit traffic COUNT. */
UNIT(traffic)
{
    request_count = argc > 1 ? strtoull(argv[1], NULL, 10) : REQUESTS;
    const struct CMUnitTest tests[] = { cmocka_unit_test(patterns_of_lanes_take_what_was_measured),
                                        cmocka_unit_test(wide_loads_take_what_was_measured),
                                        cmocka_unit_test(rows_of_matrices),
                                        cmocka_unit_test(test_closed_forms),
                                        cmocka_unit_test(test_sums_over_lanes),
                                        cmocka_unit_test(test_distances),
                                        cmocka_unit_test(test_arbitrated_copies),
        cmocka_unit_test(test_moved_copies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
