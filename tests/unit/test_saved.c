/* test_saved.c -- modules that are saved, and loaded again; what is not as it was written is
 * refused. */
#include "kit.h"

#include "ptxlint/ptxlint.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define SAVED_PTX                                                                                  \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"                                         \
    "\t.reg .pred %p<3>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t.reg .f32 %f<9>;\n"        \
    "\tld.param.u64 %rd1, [p];\n\tld.param.u32 %r2, [n];\n\tmov.u32 %r1, %tid.x;\n"              \
    "\tmov.u32 %r3, 0;\n\tmov.f32 %f2, 0f00000000;\n$L1:\n"                                     \
    "\tmad.lo.u32 %r4, %r1, 33, %r3;\n\tmul.wide.u32 %rd2, %r4, 8;\n"                           \
    "\tadd.u64 %rd3, %rd1, %rd2;\n\tld.global.f32 %f1, [%rd3];\n"                               \
    "\tadd.f32 %f2, %f2, %f1;\n\tadd.u32 %r3, %r3, 1;\n"                                        \
    "\tsetp.lt.u32 %p1, %r3, %r2;\n\t@%p1 bra $L1;\n"                                           \
    "\tst.global.f32 [%rd1], %f2;\n\tst.global.f32 [%rd1], %f7;\n\tret;\n}\n"

typedef struct Image {
    char *bytes;
    size_t length;
} Image;

static int keep_bytes(void *context, const char *bytes, size_t length)
{
    Image *image = context;
    char *grown = realloc(image->bytes, image->length + length + 1);
    assert_non_null(grown);
    image->bytes = grown;
    memcpy(image->bytes + image->length, bytes, length);
    image->length += length;
    return 0;
}

static int drop_bytes(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return 0;
}

static ptxlint_module *analyse(bool has_launches)
{
    static const char json[] = "{\"launches\": [{\"kernel\": \"k\", \"grid\": [9], "
                               "\"block\": [64], \"params\": [null, 8]}, {\"kernel\": \"k\", \"grid\": [5], "
                               "\"block\": [33], \"params\": [null, 3]}]}";
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_launches *launches;
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, NULL, 0), PTXLINT_OK);
    ptxlint_options_init(&options);
    options.launches = has_launches ? launches : NULL;
    options.has_each_launch = has_launches;
    assert_int_equal(ptxlint_module_new(SAVED_PTX, strlen(SAVED_PTX), &options, &module),
                     PTXLINT_OK);
    ptxlint_launches_free(launches);
    return module;
}

/* Everything that is written from a module. */
static size_t write_documents(const ptxlint_module *module)
{
    static const ptxlint_format formats[] = { PTXLINT_TEXT, PTXLINT_JSON, PTXLINT_SARIF,
                                              PTXLINT_CSV };
    size_t total = 0;
    for (size_t f = 0; f < 2 * sizeof formats / sizeof *formats; f++) {
        ptxlint_write_options options;
        ptxlint_writer *writer;
        ptxlint_write_options_init(&options);
        options.format = formats[f / 2];
        options.show_all = options.verbose = 1;
        if (ptxlint_writer_new(f % 2 ? PTXLINT_REPORT : PTXLINT_DIAGNOSTICS, &options, drop_bytes,
                               &total, &writer)
            != PTXLINT_OK)
            continue;
        ptxlint_writer_add(writer, module);
        ptxlint_writer_finish(writer);
        ptxlint_writer_free(writer);
    }
    return total;
}

/* Whether the image is taken. */
static bool load(const Image *image)
{
    const ptxlint_saved saved = { image->bytes, image->length, SAVED_PTX, strlen(SAVED_PTX) };
    ptxlint_module *module = NULL;
    ptxlint_options options;
    ptxlint_options_init(&options);
    if (ptxlint_module_load(&saved, &options, &module) != PTXLINT_OK) {
        assert_null(module);
        return false;
    }
    assert_true(write_documents(module) > 0);
    ptxlint_module_free(module);
    return true;
}

static Image save(bool has_launches)
{
    Image image = { NULL, 0 };
    ptxlint_module *module = analyse(has_launches);
    assert_int_equal(ptxlint_module_save(module, keep_bytes, &image), PTXLINT_OK);
    ptxlint_module_free(module);
    return image;
}

static void test_as_saved(void **state)
{
    (void)state;
    for (int has_launches = 0; has_launches < 2; has_launches++) {
        Image image = save(has_launches);
        assert_true(load(&image));
        free(image.bytes);
    }
}

/* A word of it, one at a time. */
static void test_changed(void **state)
{
    enum { STEP = 5 };
    Image image = save(true);
    (void)state;
    for (size_t at = 0; at + 8 <= image.length; at += 8 * STEP) {
        image.bytes[at] ^= 1;
        assert_false(load(&image));
        image.bytes[at] ^= 1;
    }
    free(image.bytes);
}

/* Of SavedHead: its bytes, and where the hash of the rest stands. */
enum { IMAGE_HEAD = 80, IMAGE_HASH = 56 };

/* As one who means harm would: the hash is that of the changed image. */
static void mend_hash(Image *image)
{
    const uint64_t hash = XXH3_64bits(image->bytes + IMAGE_HEAD, image->length - IMAGE_HEAD);
    memcpy(image->bytes + IMAGE_HASH, &hash, sizeof hash);
}

/* Whatever a word of the image says, it is refused, or documents are written from it. */
static void test_forged(void **state)
{
    enum { FORGED_STEP = 97 };
    static const uint64_t values[] = { 0, 1, 5, 0xffffffff, INT64_MAX,
                                       UINT64_C(0x7fefffffffffffff) };
    Image image = save(true);
    (void)state;
    for (size_t at = IMAGE_HEAD; at + 8 <= image.length; at += 8 * FORGED_STEP) {
        uint64_t was;
        memcpy(&was, image.bytes + at, sizeof was);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            memcpy(image.bytes + at, &values[v], sizeof was);
            mend_hash(&image);
            load(&image);
        }
        memcpy(image.bytes + at, &was, sizeof was);
    }
    mend_hash(&image);
    assert_true(load(&image));
    free(image.bytes);
}

static void test_cut(void **state)
{
    Image image = save(true);
    const size_t whole = image.length;
    (void)state;
    for (size_t length = 0; length < whole; length += 97) {
        image.length = length;
        assert_false(load(&image));
    }
    free(image.bytes);
}

UNIT(saved)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_saved),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_forged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
