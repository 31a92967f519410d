/* test_repairs.c -- every repair of every racy kernel there is, put into its file, and the file
 * looked at again.
 *
 * A repair by itself: the finding is gone, no other is at its place, and no barrier that threads
 * wait at without others is new. All repairs of a kernel: nothing races in it. tests/data/repairs:
 * what nvcc makes of reduction trees, scans, histograms, stencils, tiles and copies with their
 * barriers left out. */
#include "kit.h"

enum { FEWEST_REPAIRS = 90, FEWEST_OF_TREES = 40, MAX_WITHOUT = 8, MAX_INSERTED = 128 };

typedef struct Tally {
    unsigned findings, repairs, insertions, wrong;
} Tally;

typedef struct Inserted {
    uint32_t lines[MAX_INSERTED];
    const char *texts[MAX_INSERTED];
    size_t count;
} Inserted;

/* A barrier that does not fit its threads. */
static bool is_of_waiting(const ptxlint_diagnostic *diag)
{
    static const char *const codes[] = { "COR121", "COR133", "COR134", "COR135" };
    bool is_any = diag->severity == PTXLINT_ERROR;
    for (size_t i = 0; i < COUNT(codes); i++)
        is_any |= !strcmp(diag->rule, codes[i]);
    return is_any;
}

static bool is_race(const ptxlint_diagnostic *diag)
{
    return !strcmp(diag->rule, "COR124");
}

static bool are_of_one(const ptxlint_diagnostic *a, const ptxlint_diagnostic *b)
{
    return a->kernel && b->kernel && !strcmp(a->kernel, b->kernel);
}

static ptxlint_module *look(const char *text, size_t length, const ptxlint_launches *launches)
{
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, length, &options, &module), PTXLINT_OK);
    return module;
}

static void add(Inserted *into, const ptxlint_diagnostic *diag)
{
    for (size_t i = 0; i < diag->repair_count; i++) {
        bool is_there = false;
        for (size_t j = 0; j < into->count; j++)
            is_there |= into->lines[j] == diag->repair[i].line
                        && !strcmp(into->texts[j], diag->repair[i].text);
        if (is_there)
            continue;
        assert_true(into->count < MAX_INSERTED);
        into->lines[into->count] = diag->repair[i].line;
        into->texts[into->count++] = diag->repair[i].text;
    }
}

static Text put_in(const char *text, const Inserted *inserted)
{
    Text out = { NULL, 0, 0 };
    for (uint32_t line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        for (size_t i = 0; i < inserted->count; i++)
            if (inserted->lines[i] == line)
                kit_print(&out, "%s\n", inserted->texts[i]);
        kit_put(&out, text, length);
        text += length;
    }
    return out;
}

/* Where a line is behind the insertions. */
static uint32_t moved(const Inserted *inserted, uint32_t line)
{
    uint32_t at = line;
    for (size_t i = 0; i < inserted->count; i++)
        at += inserted->lines[i] <= line;
    return at;
}

static unsigned count_of_waiting(const ptxlint_module *module)
{
    size_t count;
    unsigned waiting = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++)
        waiting += is_of_waiting(&diags[d]);
    return waiting;
}

/* Races of the kernel of a finding, at that line or, with line 0, anywhere. */
static unsigned count_races(const ptxlint_module *module, const ptxlint_diagnostic *like,
                            uint32_t line)
{
    size_t count;
    unsigned races = 0;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++)
        races += is_race(&diags[d]) && are_of_one(&diags[d], like)
                 && (!line || kit_line(module, diags[d].span.begin) == line);
    return races;
}

static void check_insertions(const char *path, const char *text, const ptxlint_launches *launches,
                             const ptxlint_module *before, const ptxlint_diagnostic *diag,
                             const Inserted *inserted, uint32_t line, Tally *tally)
{
    Text edited = put_in(text, inserted);
    ptxlint_module *after = look(edited.bytes, edited.length, launches);
    const unsigned races = count_races(after, diag, line), waiting = count_of_waiting(after);
    if (races || waiting > count_of_waiting(before)) {
        print_error(
            "%s: %s: %u races are left at line %u (0: any), %u findings on waiting; before: %u\n",
            path, diag->kernel, races, (unsigned)line, waiting, count_of_waiting(before));
        tally->wrong++;
    }
    ptxlint_module_free(after);
    free(edited.bytes);
}

/* The repairs of all races of its kernel, where each has one. */
static void check_all(const char *path, const char *text, const ptxlint_launches *launches,
                      const ptxlint_module *module, const ptxlint_diagnostic *like, Tally *tally)
{
    size_t count;
    Inserted inserted = { .count = 0 };
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        if (!is_race(&diags[d]) || !are_of_one(&diags[d], like))
            continue;
        if (!diags[d].repair || (&diags[d] < like))         /* the first of them looks at all */
            return;
        add(&inserted, &diags[d]);
    }
    check_insertions(path, text, launches, module, like, &inserted, 0, tally);
}

static void check_file(const char *path, const ptxlint_launches *launches, Tally *tally)
{
    char *text = kit_read(path, NULL);
    ptxlint_module *module = look(text, strlen(text), launches);
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        const ptxlint_diagnostic *diag = &diags[d];
        Inserted inserted = { .count = 0 };
        bool says_tried = diag->help && strstr(diag->help, "tried");
        tally->wrong += says_tried != (diag->repair_count > 0);
        if (!is_race(diag))
            continue;
        tally->findings++;
        tally->repairs += diag->repair_count > 0;
        tally->insertions += (unsigned)diag->repair_count;
        add(&inserted, diag);
        if (diag->repair_count)
            check_insertions(path, text, launches, module, diag, &inserted,
                             moved(&inserted, kit_line(module, diag->span.begin)), tally);
        check_all(path, text, launches, module, diag, tally);
    }
    ptxlint_module_free(module);
    free(text);
}

static ptxlint_launches *read_launches(const char *path)
{
    ptxlint_launches *launches = NULL;
    char error[128] = "", *json = kit_read(path, NULL);
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, error, sizeof error),
                     PTXLINT_OK);
    free(json);
    return launches;
}

static void check_folder(const char *folder, const char *launch, Tally *tally)
{
    Paths files = kit_walk(folder, ".ptx");
    ptxlint_launches *launches = launch ? read_launches(launch) : NULL;
    for (size_t i = 0; i < files.count; i++)
        check_file(files.paths[i], launches, tally);
    ptxlint_launches_free(launches);
    kit_free_paths(files);
}

/* Reduction trees of 256 to 1024 threads, in loops and unrolled, scans, a histogram, a stencil: all
 * of their barriers are missing, and each race has a repair. */
static void test_trees(void **state)
{
    (void)state;
#ifdef SANITIZED
    skip();                     /* test_repairs takes the same ways */
#endif
    Tally tally = { 0 };
    check_folder("tests/data/trees", "tests/data/trees/launches.json", &tally);
    print_message("%u findings, %u with a repair of %u insertions, %u wrong\n", tally.findings,
                  tally.repairs, tally.insertions, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.repairs, tally.findings);
    assert_true(tally.findings >= FEWEST_OF_TREES);
}

static void test_repairs(void **state)
{
    (void)state;
    Tally tally = { 0 };
    check_folder("tests/data/repairs", "tests/data/repairs/launches.json", &tally);
    check_folder("tests/data/hazards", NULL, &tally);
    print_message("%u findings, %u with a repair of %u insertions, %u wrong\n", tally.findings,
                  tally.repairs, tally.insertions, tally.wrong);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.repairs >= FEWEST_REPAIRS);
    assert_true(tally.findings - tally.repairs <= MAX_WITHOUT);
}

/* What is said of one kernel, of COR124 alone: "LINE: TEXT before LINES". */
typedef struct Case {
    const char *what, *lines;
    uint32_t inserted[4];       /* before these lines; 0: none */
    const char *text;
} Case;

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry "
                           "k(.param .u64 out) .reqntid 128\n{\n.shared .align 4 .b32 s[256];\n"
                           ".reg .pred %p<4>;\n.reg .b32 %r<9>;\nmov.u32 %r1, %tid.x;\nmov.u32 "
                           "%r2, s;\nmad.lo.u32 %r3, %r1, 4, %r2;\nxor.b32 %r4, %r3, 256;\n";

enum { HEAD_LINES = 12 };

/* Lines are those behind the head. */
static const Case cases[] = {
    { "before the load",
      "st.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3+512], "
      "%r5;\nret;\n}\n",
      { 2 },
      "bar.sync 0;" },
    { "before the branch, not in divergent code",
      "st.shared.u32 [%r3], %r1;\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bra IN;\nbra "
      "OUT;\nIN:\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3+512], %r5;\nOUT:\nret;\n}\n",
      { 3 },
      "bar.sync 0;" },
    { "both ways in a loop",
      "mov.u32 %r6, 0;\nL:\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3], %r6;\nadd.u32 %r6, "
      "%r6, 1;\nsetp.lt.u32 %p1, %r6, 4;\n@%p1 bra L;\nret;\n}\n",
      { 3, 4 },
      "bar.sync 0;" },
    { "trip counts that differ: no place",
      "mov.u32 %r6, 0;\nshr.u32 %r7, %r1, 5;\nL:\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3], "
      "%r6;\nadd.u32 %r6, %r6, 1;\nsetp.le.u32 %p1, %r6, %r7;\n@%p1 bra L;\nret;\n}\n",
      { 0 },
      NULL },
    { "a number that counts threads is not taken",
      "bar.sync 0, 128;\nst.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 "
      "[%r3+512], %r5;\nret;\n}\n",
      { 3 },
      "bar.sync 1;" },
    { "no line of its own",
      "st.shared.u32 [%r3], %r1; ld.shared.u32 %r5, [%r4]; st.shared.u32 [%r3+512], %r5; ret;\n}\n",
      { 0 },
      NULL },
    { "opposite arms of a branch: no place",
      "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra IN;\nld.shared.u32 %r5, [%r4];\nbra "
      "OUT;\nIN:\nst.shared.u32 [%r3], %r1;\nOUT:\nret;\n}\n",
      { 0 },
      NULL },
    { "threads that ended before are not waited for",
      "setp.ge.u32 %p1, %r1, 96;\n@%p1 bra OUT;\nst.shared.u32 [%r3], %r1;\nxor.b32 %r4, %r3, "
      "128;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3+512], %r5;\nOUT:\nret;\n}\n",
      { 5 },
      "bar.sync 0;" },
    { "lanes of a warp",
      "xor.b32 %r4, %r3, 4;\nst.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 "
      "[%r3+512], %r5;\nret;\n}\n",
      { 3 },
      "bar.warp.sync 0xffffffff;" },
    { "half a warp",
      "xor.b32 %r4, %r3, 4;\nsetp.gt.u32 %p1, %r1, 15;\n@%p1 bra OUT;\nst.shared.u32 [%r3], "
      "%r1;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r3+512], %r5;\nOUT:\n"
      "st.shared.u32 [%r3+512], 1;\nret;\n}\n",
      { 0 },
      NULL },
};

static bool is_as_wanted(const ptxlint_diagnostic *diag, const Case *c)
{
    size_t wanted = 0;
    bool is_same = true;
    while (wanted < COUNT(c->inserted) && c->inserted[wanted])
        wanted++;
    is_same &= diag->repair_count == wanted;
    for (size_t i = 0; i < wanted && is_same; i++)
        is_same = diag->repair[i].line == HEAD_LINES + c->inserted[i]
                  && !strcmp(diag->repair[i].text, c->text);
    return is_same;
}

static void test_places(void **state)
{
    (void)state;
    static const char json[] =
        "{\"kernels\": {\"k\": {\"grid\": [4], \"block\": [128], \"params\": [null]}}}";
    ptxlint_launches *launches = NULL;
    char error[128] = "";
    unsigned wrong = 0;
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, error, sizeof error),
                     PTXLINT_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Text text = { NULL, 0, 0 };
        size_t count, races = 0;
        kit_print(&text, "%s%s", head, cases[i].lines);
        ptxlint_module *module = look(text.bytes, text.length, launches);
        const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
        for (size_t d = 0; d < count; d++) {
            if (!is_race(&diags[d]) || races++ || is_as_wanted(&diags[d], &cases[i]))
                continue;
            print_error("%s: line %u: %s\n", cases[i].what,
                        (unsigned)kit_line(module, diags[d].span.begin) - HEAD_LINES,
                        diags[d].help);
            wrong++;
        }
        if (!races)
            print_error("%s: nothing races\n", cases[i].what);
        wrong += !races;
        ptxlint_module_free(module);
        free(text.bytes);
    }
    ptxlint_launches_free(launches);
    assert_int_equal(wrong, 0);
}

UNIT(repairs)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_places),
                                        cmocka_unit_test(test_repairs),
                                        cmocka_unit_test(test_trees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
