/* test_json_writer.c -- JSON against jansson: escapes, numbers, what is null and why. */
#include "kit.h"

#include "report/json_writer.h"

#include <jansson.h>
#include <math.h>

typedef struct Document {
    Text text;
    Out out;
    Json json;
} Document;

static void document_init(Document *d)
{
    d->text = (Text){ 0 };
    ptx_out_init(&d->out, kit_write, &d->text);
    ptx_json_init(&d->json, &d->out);
}

/* For free(). */
static char *document_end(Document *d)
{
    ptx_out_flush(&d->out);
    assert_int_equal(d->out.status, PTXLINT_OK);
    return d->text.bytes;
}

/* ---- text ------------------------------------------------------------------------------------ */

static char *text_written(const char *text)
{
    Document d;
    document_init(&d);
    ptx_json_text(&d.json, NULL, text);
    return document_end(&d);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Each byte below 0x80 at each place of a word, and random UTF-8. */
static void test_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a",          "\"", "\\", "\n",       "\x01",         "\x1f",
        "\x7f",       " ",  "/",  "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "plain words"
    };
    uint64_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char text[256] = "";
        for (unsigned i = next_random(&seed) % 12; i > 0; i--)
            strcat(text, pieces[next_random(&seed) % COUNT(pieces)]);
        size_t length = strlen(text);
        if (round < 127 * 16) {
            memset(text, 'x', length = 17);
            text[length] = 0;
            text[round / 127] = (char)(1 + round % 127);
        }
        json_t *value = json_string(text);
        char *expected = json_dumps(value, JSON_ENCODE_ANY), *got = text_written(text);
        assert_string_equal(got, expected);
        free(expected);
        free(got);
        json_decref(value);
    }
}

static void test_text_that_is_none(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "\x80", "\"\xef\xbf\xbd\"" }, { "a\xff\xfe" "b", "\"a\xef\xbf\xbd\xef\xbf\xbd" "b\"" }, { "\xc3", "\"\xef\xbf\xbd\"" },
        { "\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"" }, { "\xed\xa0\x80x", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\"" }, { "", "\"\"" }, { NULL, "null" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *got = text_written(cases[i][0]);
        assert_string_equal(got, cases[i][1]);
        free(got);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static char *real_written(double number)
{
    Document d;
    document_init(&d);
    ptx_json_real(&d.json, NULL, number);
    return document_end(&d);
}

/* Whole numbers without loss; others as printf rounds, the exponent without its plus and its
 * zeros. */
static void expect_real(double number)
{
    char expected[64];
    bool is_whole = fabs(number) <= 0x1p53 && trunc(number) == number;
    snprintf(expected, sizeof expected, is_whole ? "%.0f" : "%.10g", number);
    char *e = strchr(expected, 'e');
    if (!e && !strchr(expected, '.'))
        strcat(expected, ".0");
    if (e)
        snprintf(e, 16, "e%d", atoi(e + 1));
    char *got = real_written(number);
    if (strcmp(got, expected) != 0)
        fail_msg("%.17g: %s, not %s", number, got, expected);
    free(got);
}

static void test_real(void **state)
{
    (void)state;
    static const double cases[] = { 0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.1,
                                    1e-4,
                                    9.9999999999e-5,
                                    9.9999999995e-5,
                                    1e-5,
                                    1e-6,
                                    0.5,
                                    1.5,
                                    1e9,
                                    9999999999.0,
                                    9999999999.5,
                                    9999999999.4,
                                    1e10,
                                    1e15,
                                    274877907968.0,
                                    -9007199254740991.0,
                                    0x1p53,
                                    0x1p54,
                                    1e22,
                                    1e100,
                                    1e-300,
                                    5e-324,
                                    1.7976931348623157e308,
                                    99.999999995,
                                    99.9999999949,
                                    0.99999999995,
                                    0.999999999949,
                                    123456789.05,
                                    1234567890.5,
                                    1234567891.5,
                                    0.00012345678905,
                                    33.333333333333336,
                                    1.0000000005,
                                    1.00000000055,
                                    2.5,
                                    1e-4 + 1e-16 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_real(cases[i]);
        expect_real(nextafter(cases[i], 1));
        expect_real(-nextafter(cases[i], 0));
    }
    uint64_t seed = 7;
    for (unsigned i = 0; i < 200000; i++) {
        double digits = (double)next_random(&seed) * 4294967296.0 + (double)next_random(&seed);
        /* every size that has a short way */
        expect_real(ldexp(digits, (int)(next_random(&seed) % 60) - 100));
        /* ties among them */
        expect_real((double)(next_random(&seed) % 2000000) / 1024);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    Document d;
    document_init(&d);
    ptx_json_array(&d.json, NULL);
    ptx_json_int(&d.json, NULL, INT64_MAX);
    ptx_json_int(&d.json, NULL, -INT64_MAX);
    ptx_json_int(&d.json, NULL, PTXLINT_UNKNOWN);
    ptx_json_int(&d.json, NULL, 0);
    ptx_json_count(&d.json, NULL, UINT64_MAX);
    ptx_json_given(&d.json, NULL, 0);
    ptx_json_given(&d.json, NULL, 7);
    ptx_json_real(&d.json, NULL, (double)NAN);
    ptx_json_real(&d.json, NULL, (double)INFINITY);
    ptx_json_bool(&d.json, NULL, 2);
    ptx_json_end(&d.json);
    char *got = document_end(&d);
    assert_string_equal(got, "[9223372036854775807,-9223372036854775807,null,0,"
                             "18446744073709551615,null,7,null,null,true]");
    free(got);
}

/* ---- reasons --------------------------------------------------------------------------------- */

static const char *reason_of(const char *key, const void *of)
{
    return strcmp(key, "silent") != 0 ? of : NULL;
}

/* A null counts for the members around it until an object explains it. */
static void test_reasons(void **state)
{
    (void)state;
    Document d;
    Json *j = &d.json;
    document_init(&d);
    ptx_json_object(j, NULL);
    ptx_json_null(j, "a");
    ptx_json_null(j, "silent");
    ptx_json_null(j, "error");
    ptx_json_array(j, "list");
    ptx_json_int(j, NULL, 1);
    ptx_json_optional(j, NULL, false);
    ptx_json_end(j);
    ptx_json_optional(j, "explained", true);
    ptx_json_null(j, "x");
    ptx_json_why(j, NULL);
    ptx_json_end(j);
    ptx_json_object(j, "nested");
    ptx_json_null(j, "y");
    ptx_json_end(j);
    ptx_json_reasons(j, reason_of, "so");
    ptx_json_end(j);
    char *got = document_end(&d);
    assert_string_equal(got, "{\"a\":null,\"silent\":null,\"error\":null,\"list\":[1,null],"
                             "\"explained\":{\"x\":null,\"why\":null},\"nested\":{\"y\":null},"
                             "\"reasons\":{\"a\":\"so\",\"list\":\"so\",\"nested\":\"so\"}}");
    assert_false(j->levels[0].has_null);
    free(got);
}

/* A document longer than the buffer of Out, and a failure to write. */
static int write_nothing(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return -1;
}

static void test_long(void **state)
{
    (void)state;
    Document d;
    document_init(&d);
    ptx_json_array(&d.json, NULL);
    for (int i = 0; i < 20000; i++)
        ptx_json_int(&d.json, NULL, i);
    ptx_json_end(&d.json);
    char *got = document_end(&d);
    json_t *value = json_loads(got, 0, NULL);
    assert_int_equal(json_array_size(value), 20000);
    assert_int_equal(json_integer_value(json_array_get(value, 19999)), 19999);
    json_decref(value);
    free(got);
    ptx_out_init(&d.out, write_nothing, NULL);
    ptx_json_array(ptx_json_init(&d.json, &d.out), NULL);
    for (int i = 0; i < 20000; i++)
        ptx_json_int(&d.json, NULL, i);
    assert_int_equal(d.out.status, PTXLINT_WRITE);
}

UNIT(json_writer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),    cmocka_unit_test(test_text_that_is_none),
        cmocka_unit_test(test_real),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reasons), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
