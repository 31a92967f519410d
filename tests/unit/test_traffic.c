/* Wavefronts of single requests against testdata/measured/probes.json: patterns of lanes whose wavefronts an H200 counted. */
#include "analysis/sim/cost/traffic.h"

#include "kit.h"

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
    Probe p = { .kind = REQUEST_COPY, .bytes = (unsigned)strtoul(size + 3, NULL, 10), .is_uncached = strstr(text, ".cg.") };
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
    Probe p = { .bytes = width_of(text), .kind = text[0] == 'l' ? REQUEST_LOAD : text[0] == 's' ? REQUEST_STORE : REQUEST_ATOMIC };
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
    Request r = { .addresses = shared, .lanes = mask, .bytes = p.bytes, .kind = (uint8_t)p.kind, .is_uncached = p.is_uncached, .from = global,
                  .reading = p.is_empty ? 0 : mask, .is_part = p.is_part, .is_empty = p.is_empty };
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
    json_t *instructions = json_object_get(probes, "instructions"), *patterns = json_object_get(probes, "patterns");
    assert_true(json_array_size(instructions) >= 40 && json_array_size(patterns) >= 300);
    Tally tally = { 0, 0, 0 };
    size_t n, k;
    json_t *instruction, *pattern;
    json_array_foreach(patterns, k, pattern)
        json_array_foreach(instructions, n, instruction)
            check_pattern(pattern, n, json_string_value(instruction), &tally);
    print_message("certain %u, right %u; of the others %u\n", tally.certain, tally.right, tally.near);
    assert_true(tally.certain > 10000);
    assert_int_equal(tally.right, tally.certain);
    json_decref(probes);
    free(text);
}

/* Eight lanes give addresses for each 8 x 8: PTX ISA, "ldmatrix", the table of threads by shape and number. */
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

UNIT(traffic)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(patterns_of_lanes_take_what_was_measured), cmocka_unit_test(rows_of_matrices) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
