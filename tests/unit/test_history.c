/* test_history.c -- after any edit, what is found with a history is what is found without one.
 *
 *     unit history                        a few hundred edits of small modules
 *     unit history EDITS SEED FILE...     so many of each file, by hand
 */
#include "kit.h"

#include <time.h>

/* Kernels that stand alone, one that calls, what it calls, and what they share. */
static const char small[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".global .align 4 .u32 counter;\n"
    "// a comment\n"
    ".func (.param .b32 out) scale(.param .b32 in)\n{\n"
    ".reg .b32 %r<6>;\n"
    "ld.param.u32 %r1, [in];\n"
    "shl.b32 %r2, %r1, 2;\n"
    "mul.lo.u32 %r3, %r2, %r1;\n"
    "st.param.b32 [out], %r2;\n"
    "ret;\n}\n\n"
    ".visible .entry race(.param .u64 a, .param .u32 unused)\n.reqntid 64\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n.reg .f32 %f<4>;\n"
    ".shared .align 4 .b8 tile[1024];\n"
    "ld.param.u64 %rd1, [a];\n"
    "mov.u32 %r1, %tid.x;\n"
    "mov.u32 %r2, tile;\n"
    "mad.lo.u32 %r3, %r1, 4, %r2;\n"
    "st.shared.u32 [%r3], %r1;\n"
    "ld.shared.u32 %r4, [%r3+4];\n"
    "mul.wide.u32 %rd2, %r1, 128;\n"
    "add.u64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r4;\n"
    "ret;\n}\n\n"
    ".visible .entry strided(.param .u64 a, .param .u32 n)\n.maxntid 256\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %rd<6>;\n.reg .pred %p<3>;\n.reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [a];\n"
    "ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x;\n"
    "mov.u32 %r3, 0;\n"
    "mov.u32 %r6, dynamic;\n"
    "LOOP:\n"
    "mad.lo.u32 %r4, %r2, 32, %r3;\n"
    "mul.wide.u32 %rd2, %r4, 4;\n"
    "add.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f1, [%rd3];\n"
    "ld.global.f32 %f2, [%rd3];\n"
    "div.rn.f32 %f3, %f1, %f2;\n"
    "st.global.f32 [%rd3], %f3;\n"
    "add.u32 %r3, %r3, 1;\n"
    "setp.lt.u32 %p1, %r3, %r1;\n"
    "@%p1 bra LOOP;\n"
    "ret;\n}\n\n"
    ".visible .entry called(.param .u64 a)\n.reqntid 128\n{\n"
    ".reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n"
    "mov.u32 %r1, %tid.x;\n"
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\n"
    "call.uni (y), scale, (x);\nld.param.b32 %r2, [y];\n}\n"
    "ld.param.u64 %rd1, [a];\n"
    "mul.wide.u32 %rd2, %r2, 4;\n"
    "add.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r3, [counter];\n"
    "st.global.u32 [%rd3], %r3;\n"
    "ret;\n}\n";

static const char lines[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n"
    ".visible .entry first(.param .u64 a)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n.loc 1 12 3\n"
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n.loc 1 13 3\nshl.b32 %r2, %r1, 7;\n"
    "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
    ".loc 1 14 3\nrem.u32 %r4, %r3, %r1;\n.loc 1 15 3\nrem.u32 %r3, %r4, %r2;\n"
    ".loc 1 16 3\nrem.u32 %r4, %r3, %r1;\nst.global.u32 [%rd3], %r4;\nret;\n}\n"
    ".entry second(.param .u64 a)\n{\n.reg .b32 %r<5>;\n.reg .pred %p1;\nmov.u32 %r1, %tid.x;\n"
    "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.sync 0;\nA: bar.sync 0;\nret;\n}\n";

/* ---- edits ----------------------------------------------------------------------------------- */

enum { TEXTS_KEPT = 8 };

typedef struct Editor {
    uint64_t state;
    Text text;
    Text before[TEXTS_KEPT];    /* texts that an edit may go back to */
    unsigned edits;
} Editor;

static size_t draw(Editor *e, size_t below)
{
    e->state ^= e->state << 13;
    e->state ^= e->state >> 7;
    e->state ^= e->state << 17;
    return below ? (size_t)(e->state >> 11) % below : 0;
}

static void set_text(Text *to, const char *bytes, size_t length)
{
    Text copy = { 0 };
    kit_put(&copy, bytes, length);
    free(to->bytes);
    *to = copy;
}

static void replace(Editor *e, size_t begin, size_t end, const char *bytes, size_t length)
{
    Text out = { 0 };
    kit_put(&out, e->text.bytes, begin);
    kit_put(&out, bytes, length);
    kit_put(&out, e->text.bytes + end, e->text.length - end);
    free(e->text.bytes);
    e->text = out;
}

static size_t line_begin(const Editor *e, size_t at)
{
    while (at && e->text.bytes[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_after(const Editor *e, size_t at)
{
    while (at < e->text.length && e->text.bytes[at] != '\n')
        at++;
    return at < e->text.length ? at + 1 : at;
}

/* A line is put in: known, or another of the text. */
static void insert_line(Editor *e)
{
    static const char *const known[] = {
        "// a comment\n", "\n", "bar.sync 0;\n", "add.u32 %r1, %r1, %r2;\n", "add.u32 %r3, %r1,\n",
        "ld.global.u32 %r2, [%rd1];\n", "st.shared.u32 [%r3], %r1;\n", "foo bar;\n", "{\n", "}\n",
        "ret;\n", "/* open\n", "*/\n", ".shared .b8 more[64];\n", ".loc 1 40 2\n", "bra LOOP;\n",
        ".extern .func vprintf;\n", ".target sm_80\n", ".pragma \"nounroll\";\n", "@%p1 ret;\n",
        ".visible .entry another()\n{\nret;\n}\n", "mov.u64 %rd1, scale;\n", "\"\n"
    };
    const size_t at = line_begin(e, draw(e, e->text.length));
    const size_t from = line_begin(e, draw(e, e->text.length)), pick = draw(e, 2 * COUNT(known));
    if (pick < COUNT(known)) {
        replace(e, at, at, known[pick], strlen(known[pick]));
        return;
    }
    Text line = { 0 };
    kit_put(&line, e->text.bytes + from, line_after(e, from) - from);
    replace(e, at, at, line.bytes, line.length);
    free(line.bytes);
}

static void delete_line(Editor *e)
{
    const size_t at = line_begin(e, draw(e, e->text.length));
    replace(e, at, line_after(e, at), "", 0);
}

static void change_byte(Editor *e)
{
    static const char bytes[] = "0123456789%r;,[]{}\n /*ab.";
    const size_t at = draw(e, e->text.length + 1);
    if (at < e->text.length)
        replace(e, at, at + draw(e, 2), &bytes[draw(e, sizeof bytes - 1)], draw(e, 2));
}

/* From the line that begins a function to the next such line. */
static size_t next_function(const Editor *e, size_t at)
{
    while (at < e->text.length
           && strncmp(e->text.bytes + at, ".visible .entry", 15)
           && strncmp(e->text.bytes + at, ".func", 5))
        at = line_after(e, at);
    return at;
}

static void move_function(Editor *e)
{
    const size_t begin = next_function(e, line_begin(e, draw(e, e->text.length)));
    if (begin >= e->text.length)
        return;
    const size_t end = next_function(e, line_after(e, begin));
    Text function = { 0 };
    kit_put(&function, e->text.bytes + begin, end - begin);
    if (draw(e, 3))
        replace(e, begin, end, "", 0);
    const size_t to = next_function(e, line_begin(e, draw(e, e->text.length)));
    if (draw(e, 6))
        replace(e, to, to, function.bytes, function.length);
    free(function.bytes);
}

static void edit(Editor *e)
{
    Text *before = &e->before[draw(e, TEXTS_KEPT)];
    switch (draw(e, 12)) {
    case 0: case 1: case 2: case 3: insert_line(e); break;
    case 4: case 5:                 delete_line(e); break;
    case 6: case 7:                 change_byte(e); break;
    case 8:                         move_function(e); break;
    case 9:                         set_text(before, e->text.bytes, e->text.length); break;
    default:
        if (before->length)
            set_text(&e->text, before->bytes, before->length);
        break;
    }
    if (!e->text.length)
        kit_put(&e->text, "\n", 1);
    e->edits++;
}

static void begin_editor(Editor *e, const char *text, size_t length, uint64_t seed)
{
    *e = (Editor){ .state = seed * 0x9E3779B97F4A7C15 | 1 };
    set_text(&e->text, text, length);
    for (unsigned i = 0; i < TEXTS_KEPT; i++)
        set_text(&e->before[i], text, length);
}

static void end_editor(Editor *e)
{
    free(e->text.bytes);
    for (unsigned i = 0; i < TEXTS_KEPT; i++)
        free(e->before[i].bytes);
}

/* ---- with a history and without -------------------------------------------------------------- */

typedef struct Trial {
    ptxlint_options options;
    ptxlint_launches *launches;
    ptxlint_history *history;
    size_t unchanged;           /* functions, of all edits */
} Trial;

static Text document_of(const ptxlint_module *module, bool has_figures)
{
    Text out = { 0 };
    ptxlint_write_options options;
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_JSON;
    assert_int_equal((has_figures ? ptxlint_write_report : ptxlint_write_diagnostics)(
                         &module, 1, &options, kit_write, &out),
                     PTXLINT_OK);
    return out;
}

static void save_failure(const Text *text, const Text *with, const Text *without)
{
    kit_save("history.ptx", text->bytes, text->length);
    kit_save("history-with.json", with->bytes, with->length);
    kit_save("history-without.json", without->bytes, without->length);
}

static void compare(Trial *trial, const Editor *e)
{
    ptxlint_module *with = NULL, *without = NULL;
    ptxlint_options options = trial->options;
    options.findings_only = e->edits % 8 != 0;
    assert_int_equal(ptxlint_module_new(e->text.bytes, e->text.length, &options, &without),
                     PTXLINT_OK);
    options.history = trial->history;
    options.jobs = e->edits % 3;
    assert_int_equal(ptxlint_module_new(e->text.bytes, e->text.length, &options, &with),
                     PTXLINT_OK);
    trial->unchanged += ptxlint_module_get_info(with)->unchanged_count;
    assert_int_equal(ptxlint_module_get_info(without)->unchanged_count, 0);
    Text a = document_of(with, !options.findings_only),
         b = document_of(without, !options.findings_only);
    if (strcmp(a.bytes, b.bytes)) {
        save_failure(&e->text, &a, &b);
        fail_msg("edit %u: history.ptx, history-with.json, history-without.json", e->edits);
    }
    free(a.bytes);
    free(b.bytes);
    ptxlint_module_free(with);
    ptxlint_module_free(without);
}

static void begin_trial(Trial *trial, const ptxlint_gpu *const *gpus, size_t gpu_count)
{
    *trial = (Trial){ .unchanged = 0 };
    ptxlint_options_init(&trial->options);
    trial->options.gpus = gpus;
    trial->options.gpu_count = gpu_count;
    assert_int_equal(ptxlint_history_new(&trial->history), PTXLINT_OK);
}

/* Each kernel twice. */
static void add_launches(Trial *trial)
{
    static const char json[] =
        "{\"launches\": [{\"kernel\": \"*\", \"grid\": [9], \"block\": [64]},"
        " {\"kernel\": \"*\", \"grid\": [5], \"block\": [33]}]}";
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &trial->launches, NULL, 0),
                     PTXLINT_OK);
    trial->options.launches = trial->launches;
    trial->options.has_each_launch = 1;
}

static void end_trial(Trial *trial)
{
    ptxlint_history_free(trial->history);
    ptxlint_launches_free(trial->launches);
}

static size_t try_edits(const char *text, size_t length, unsigned edits, uint64_t seed)
{
    const ptxlint_gpu *const gpus[] = { ptxlint_gpu_find("h100"), ptxlint_gpu_find("a100") };
    Editor e;
    Trial trial;
    begin_editor(&e, text, length, seed);
    begin_trial(&trial, gpus, seed % 3);
    if (seed % 2)
        add_launches(&trial);
    while (e.edits < edits) {
        edit(&e);
        compare(&trial, &e);
    }
    end_trial(&trial);
    end_editor(&e);
    return trial.unchanged;
}

static void test_small(void **state)
{
    (void)state;
    size_t unchanged = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        unchanged += try_edits(small, sizeof small - 1, 60, seed);
        unchanged += try_edits(lines, sizeof lines - 1, 30, seed);
    }
    assert_true(unchanged > 150);
}

/* ---- what is looked at again ----------------------------------------------------------------- */

static size_t unchanged_after(Trial *trial, const char *text)
{
    ptxlint_module *module = NULL;
    ptxlint_options options = trial->options;
    options.findings_only = 1;
    options.history = trial->history;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    const size_t count = ptxlint_module_get_info(module)->unchanged_count;
    ptxlint_module_free(module);
    return count;
}

static void test_unchanged(void **state)
{
    (void)state;
    /* the first place of `from` becomes `to`; functions that have not changed, of scale, race,
     * strided, called */
    static const struct { const char *from, *to; size_t unchanged; } rows[] = {
        { "counter", "counter", 4 },
        { "// a comment", "// another", 4 },
        { "%r1, 128", "%r1, 64", 3 },                   /* race */
        { "div.rn.f32", "div.full.f32", 3 },            /* strided */
        { "div.rn.f32", "// x\ndiv.rn.f32", 3 },
        { "shl.b32", "shr.b32", 2 },                    /* scale, and what calls it */
        { "mul.wide.u32 %rd2, %r2, 4", "mul.wide.u32 %rd2, %r2, 8", 2 },    /* called, and scale */
        { "sm_90a", "sm_90", 0 },
        { ".b8 dynamic", ".b32 dynamic", 0 },
        { ".func (.param", "\n\n.func (.param", 3 },    /* race: its findings name a line */
        { ".visible .entry race", ".visible .entry other", 1 },
        /* what is called has shared memory of its own; a function that is broken may call scale */
        { "ld.param.u32 %r1, [in];", ".shared .b8 own[64]; ld.param.u32 %r1, [in];", 0 },
        { "mul.wide.u32 %rd2, %r1, 128", "mul.nonsense %rd2", 2 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        Trial trial;
        Text text = { 0 };
        const char *at = strstr(small, rows[i].from);
        begin_trial(&trial, NULL, 0);
        assert_int_equal(unchanged_after(&trial, small), 0);
        kit_put(&text, small, (size_t)(at - small));
        kit_print(&text, "%s%s", rows[i].to, at + strlen(rows[i].from));
        const size_t unchanged = unchanged_after(&trial, text.bytes);
        if (unchanged != rows[i].unchanged)
            fail_msg("%s -> %s: %zu unchanged", rows[i].from, rows[i].to, unchanged);
        /* back again */
        if (unchanged_after(&trial, small) != 4)
            fail_msg("%s -> %s, and back", rows[i].from, rows[i].to);
        ptxlint_history_free(trial.history);
        free(text.bytes);
    }
}

/* A function on the other side of a declaration. */
static void test_moved(void **state)
{
    (void)state;
    static const char late[] = ".global .u32 late;\n";
    const char *const called = strstr(small, ".visible .entry called");
    Text behind = { 0 }, before = { 0 };
    Trial trial;
    kit_print(&behind, "%s%s", small, late);
    kit_put(&before, small, (size_t)(called - small));
    kit_print(&before, "%s%s", late, called);
    begin_trial(&trial, NULL, 0);
    assert_int_equal(unchanged_after(&trial, behind.bytes), 0);
    assert_int_equal(unchanged_after(&trial, before.bytes), 3);
    kit_print(&before, "%s", late);
    assert_int_equal(unchanged_after(&trial, before.bytes), 0);
    end_trial(&trial);
    free(behind.bytes);
    free(before.bytes);
}

/* A finding that stands for another one names the CUDA line of both, wherever they are. */
static void test_folded(void **state)
{
    (void)state;
    static const char *const moves[] = { "\n", "// x\n", "/* one\n two */ " };
    const size_t at = (size_t)(strstr(lines, ".visible .entry first") - lines);
    for (size_t i = 0; i < COUNT(moves); i++) {
        Editor e;
        Trial trial;
        begin_editor(&e, lines, sizeof lines - 1, 1);
        begin_trial(&trial, NULL, 0);
        e.edits = 1;
        compare(&trial, &e);
        replace(&e, at, at, moves[i], strlen(moves[i]));
        compare(&trial, &e);
        assert_int_equal(trial.unchanged, 2);
        ptxlint_module *module = NULL;
        assert_int_equal(ptxlint_module_new(e.text.bytes, e.text.length, &trial.options, &module),
                         PTXLINT_OK);
        Text document = document_of(module, false);
        assert_non_null(strstr(document.bytes, "\"also\":[{"));
        free(document.bytes);
        ptxlint_module_free(module);
        end_trial(&trial);
        end_editor(&e);
    }
}

/* ---- stopped --------------------------------------------------------------------------------- */

typedef struct Stop {
    unsigned asked, at;         /* the question that is answered by a stop; 0: none is */
} Stop;

static int is_stopped(void *context)
{
    Stop *stop = context;
    return stop->at && ++stop->asked >= stop->at;
}

/* At each question in turn: either all is found, or nothing, and a history stays right. */
static void test_stopped(void **state)
{
    (void)state;
    Trial trial;
    Stop stop = { 0, 0 };
    ptxlint_status status = PTXLINT_STOPPED;
    Editor e;
    begin_editor(&e, small, sizeof small - 1, 1);
    begin_trial(&trial, NULL, 0);
    ptxlint_options options = trial.options;
    options.history = trial.history;
    options.is_stopped = is_stopped;
    options.stop_context = &stop;
    for (stop.at = 1; status != PTXLINT_OK; stop.at++) {
        ptxlint_module *module = NULL;
        stop.asked = 0;
        options.findings_only = stop.at % 2;
        status = ptxlint_module_new(small, sizeof small - 1, &options, &module);
        assert_true(status == PTXLINT_OK ? module != NULL : !module);
        assert_true(status == PTXLINT_OK || status == PTXLINT_STOPPED);
        assert_true(status == PTXLINT_OK || stop.asked >= stop.at);
        ptxlint_module_free(module);
        e.edits = stop.at;
        if (stop.at % 16 == 1)
            compare(&trial, &e);
    }
    assert_true(stop.at > 10);
    ptxlint_history_free(trial.history);
    end_editor(&e);
}

static void test_wrong_calls(void **state)
{
    (void)state;
    assert_int_equal(ptxlint_history_new(NULL), PTXLINT_BAD_ARGUMENT);
    ptxlint_history_free(NULL);
}

static int try_files(int argc, char **argv)
{
    for (int i = 3; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        Text text = { 0 };
        char bytes[1 << 16];
        for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file));)
            kit_put(&text, bytes, n);
        if (file)
            fclose(file);
        printf("%s: %zu functions unchanged\n", argv[i],
               try_edits(text.bytes, text.length, (unsigned)atoi(argv[1]),
                         strtoull(argv[2], NULL, 10)));
        fflush(stdout);
        free(text.bytes);
    }
    return 0;
}

UNIT(history)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_small),
                                        cmocka_unit_test(test_unchanged),
                                        cmocka_unit_test(test_moved), cmocka_unit_test(test_folded),
                                        cmocka_unit_test(test_stopped),
                                        cmocka_unit_test(test_wrong_calls) };
    return argc > 3 ? try_files(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
