/* test_hazards.c -- races in random kernels against all threads, one by one.
 *
 * A kernel is a row of accesses to shared memory, barriers of the block, of pairs of warps and of a
 * warp, a part of it in a loop. The oracle unrolls it for each thread, and finds what is ordered by
 * spreading from one warp, barrier by barrier, who knows of it: no clocks. What is reported has
 * to race; where something races, something is reported, but for one case in 50; without barriers
 * that are called redundant no two threads may meet. With a repair the oracle must find no race
 * between its two accesses, with all of them hardly any. unit hazards [FIRST COUNT]. */
#include "kit.h"

enum {
    THREADS = 128,
    WARPS = THREADS / 32,
    WORDS = 512,
    MAX_ITEMS = 64,
    MAX_STEPS = 256,
    MAX_SEEN = 1024,
    KERNELS = 800,
    MAX_SHOWN = 6,
    FEWEST_RACES = KERNELS / 10,
    FEWEST_REDUNDANT = 10,
    MISSED_OF = 50,
    UNREPAIRED_OF = 20,
    FEWEST_FILES = 8,
};

typedef enum Kind { STORE, LOAD, BLOCK, PAIR, LANES, KIND__COUNT } Kind;

typedef struct Item {
    Kind kind;
    /* word: tid * by + from + iteration * step; only threads below, 0: all */
    unsigned by, from, step, below;
    int value;                  /* that is stored; -1: data */
    uint32_t line;
    bool is_gone;               /* the oracle passes it by */
} Item;

typedef struct Kernel {
    Item items[MAX_ITEMS];
    unsigned count, loop_first, loop_end, turns;
    uint32_t latch_first, latch_end;    /* lines that count the loop's iterations and branch back */
    Text text;
} Kernel;

typedef struct Step {           /* an item in an iteration */
    const Item *item;
    unsigned turn;
} Step;

typedef struct Run {
    Step steps[MAX_STEPS];
    unsigned count;
} Run;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static unsigned pick(uint64_t *state, unsigned count)
{
    return (unsigned)(next_random(state) % count);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static Item make_item(uint64_t *r)
{
    static const unsigned factors[] = { 1, 1, 1, 2, 4, 0, 3, 127 },
                          offsets[] = { 0, 0, 0, 1, 16, 32, 64, 128, 256 },
                          limits[] = { 0, 0, 0, 32, 64, 16, 1 };
    static const Kind kinds[] = { STORE, STORE, STORE, LOAD, LOAD, LOAD,
                                  BLOCK, BLOCK, BLOCK, PAIR, LANES };
    Item item = { .kind = kinds[pick(r, COUNT(kinds))] };
    item.by = factors[pick(r, COUNT(factors))];
    item.from = offsets[pick(r, COUNT(offsets))];
    item.step = pick(r, 3) ? 0 : 128;
    item.below = limits[pick(r, COUNT(limits))];
    item.value = (int)pick(r, 4) - 2;
    item.value = item.value < 0 ? -1 : item.value;
    return item;
}

static void put_line(Kernel *k, uint32_t *line, const char *text)
{
    kit_print(&k->text, "%s\n", text);
    ++*line;
}

static void put_item(Kernel *k, Item *item, uint32_t *line)
{
    char text[160], guard[16] = "";
    if (item->kind == BLOCK || item->kind == LANES) {
        put_line(k, line, item->kind == BLOCK ? "bar.sync 0;" : "bar.warp.sync 0xffffffff;");
        item->line = *line;
        return;
    }
    if (item->kind == PAIR) {
        put_line(k, line, "bar.sync %r9, 64;");
        item->line = *line;
        return;
    }
    snprintf(text, sizeof text, "mad.lo.u32 %%r3, %%r1, %u, %u;", item->by, item->from);
    put_line(k, line, text);
    snprintf(text, sizeof text, "mad.lo.u32 %%r3, %%r8, %u, %%r3;", item->step);
    put_line(k, line, text);
    snprintf(text, sizeof text, "and.b32 %%r3, %%r3, %u;", WORDS - 1);
    put_line(k, line, text);
    put_line(k, line, "shl.b32 %r3, %r3, 2;");
    put_line(k, line, "add.u32 %r3, %r3, %r2;");
    if (item->below) {
        snprintf(text, sizeof text, "setp.lt.u32 %%p2, %%r1, %u;", item->below);
        put_line(k, line, text);
        snprintf(guard, sizeof guard, "@%%p2 ");
    }
    if (item->kind == LOAD)
        snprintf(text, sizeof text, "%sld.shared.u32 %%r5, [%%r3];", guard);
    else if (item->value < 0)
        snprintf(text, sizeof text, "%sst.shared.u32 [%%r3], %%r4;", guard);
    else
        snprintf(text, sizeof text, "%sst.shared.u32 [%%r3], %d;", guard, item->value);
    put_line(k, line, text);
    item->line = *line;
}

static void make_kernel(Kernel *k, uint64_t seed)
{
    static const char *const head[] = {
        ".version 8.0",
        ".target sm_90",
        ".address_size 64",
        ".visible .entry k(.param .u64 out, .param .u64 in) .reqntid 128",
        "{",
        ".shared .align 4 .b32 s[512];",
        ".reg .pred %p<3>;",
        ".reg .b32 %r<10>;",
        ".reg .b64 %rd<4>;",
        "ld.param.u64 %rd1, [out];",
        "mov.u32 %r1, %tid.x;",
        "mov.u32 %r2, s;",
        "ld.param.u64 %rd2, [in];",
        "ld.global.u32 %r4, [%rd2];",
        "mov.u32 %r5, 0;",
        "shr.u32 %r9, %r1, 6;",
        "add.u32 %r9, %r9, 1;",
        "mov.u32 %r8, 0;",
    };
    uint64_t r = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    uint32_t line = 0;
    *k = (Kernel){ .count = 3 + pick(&r, 9), .turns = 2 + pick(&r, 3) };
    k->loop_first = pick(&r, k->count);
    k->loop_end = pick(&r, 3) ? k->loop_first + pick(&r, k->count - k->loop_first) : k->loop_first;
    for (size_t i = 0; i < COUNT(head); i++)
        put_line(k, &line, head[i]);
    for (unsigned i = 0; i <= k->count; i++) {
        if (i == k->loop_end && k->loop_end > k->loop_first) {
            char text[64];
            k->latch_first = line + 1;
            put_line(k, &line, "add.u32 %r8, %r8, 1;");
            snprintf(text, sizeof text, "setp.lt.u32 %%p1, %%r8, %u;", k->turns);
            put_line(k, &line, text);
            put_line(k, &line, "@%p1 bra LOOP;");
            k->latch_end = line + 1;
            put_line(k, &line, "mov.u32 %r8, 0;");
        }
        if (i == k->count)
            break;
        if (i == k->loop_first && k->loop_end > k->loop_first)
            put_line(k, &line, "LOOP:");
        k->items[i] = make_item(&r);
        put_item(k, &k->items[i], &line);
    }
    put_line(k, &line, "st.global.u32 [%rd1], %r5;");
    put_line(k, &line, "ret;");
    put_line(k, &line, "}");
}

/* ---- the oracle ------------------------------------------------------------------------------ */

static Run unroll(const Kernel *k)
{
    Run run = { .count = 0 };
    for (unsigned i = 0, turn = 0; i < k->count; i++) {
        if (!k->items[i].is_gone)
            run.steps[run.count++] = (Step){ &k->items[i],
                                             i >= k->loop_first && i < k->loop_end ? turn : 0 };
        if (k->loop_end > k->loop_first && i + 1 == k->loop_end && ++turn < k->turns)
            i = k->loop_first - 1;
    }
    return run;
}

static bool touches(const Step *step, unsigned thread, unsigned *word)
{
    const Item *item = step->item;
    *word = (thread * item->by + item->from + step->turn * item->step) % WORDS;
    return item->kind <= LOAD && (!item->below || thread < item->below);
}

/* What the first thread does in the first step is done before the second thread comes to the
 * second. */
static bool is_before(const Run *run, unsigned first, unsigned first_thread, unsigned second,
                      unsigned second_thread)
{
    unsigned own = first_thread / 32, other = second_thread / 32;
    bool knows[WARPS] = { false }, have_met = first == second && own == other;
    knows[own] = true;
    for (unsigned s = first + 1; s < second; s++) {
        Kind kind = run->steps[s].item->kind;
        have_met |= kind == BLOCK || kind == PAIR || kind == LANES;
        for (unsigned w = 0; w < WARPS; w += 2) {
            bool any = knows[w] || knows[w + 1];
            if (kind == PAIR)
                knows[w] = knows[w + 1] = any;
        }
        if (kind == BLOCK)
            memset(knows, 1, sizeof knows);
    }
    return own == other ? have_met : knows[other];
}

static bool are_alike(const Item *a, const Item *b)
{
    return a->value >= 0 && b->value >= 0 ? a->value == b->value : a == b;
}

typedef struct Meeting {
    bool races[MAX_ITEMS][MAX_ITEMS];
    bool any, any_meets;        /* meets: even if both write one number */
} Meeting;

static void meet(const Kernel *k, const Run *run, unsigned s, unsigned t, unsigned a, unsigned b,
                 Meeting *out)
{
    const Item *x = run->steps[s].item, *y = run->steps[t].item;
    unsigned first, second;
    if (a == b || (x->kind != STORE && y->kind != STORE) || !touches(&run->steps[s], a, &first)
        || !touches(&run->steps[t], b, &second) || first != second)
        return;
    if (is_before(run, s, a, t, b))
        return;
    out->any_meets = true;
    if (x->kind == STORE && y->kind == STORE && are_alike(x, y))
        return;
    out->any = true;
    out->races[x - k->items][y - k->items] = out->races[y - k->items][x - k->items] = true;
}

static void find_meetings(const Kernel *k, Meeting *out)
{
    const Run run = unroll(k);
    memset(out, 0, sizeof *out);
    for (unsigned s = 0; s < run.count; s++)
        for (unsigned t = s; t < run.count; t++) {
            if (run.steps[s].item->kind > LOAD || run.steps[t].item->kind > LOAD)
                continue;
            for (unsigned a = 0; a < THREADS; a++)
                for (unsigned b = 0; b < THREADS; b++)
                    meet(k, &run, s, t, a, b, out);
        }
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef struct Tally {
    unsigned told, missed, wrong, redundant, needed, shown, repaired, unrepaired, kernels_repaired,
        kernels_left;
} Tally;

static ptxlint_launches *read_launches(const char *json)
{
    ptxlint_launches *launches = NULL;
    char error[128] = "";
    assert_int_equal(ptxlint_launches_new(json, strlen(json), &launches, error, sizeof error),
                     PTXLINT_OK);
    return launches;
}

static void show(Tally *tally, uint64_t seed, const char *what, const Kernel *k)
{
    if (tally->shown++ < MAX_SHOWN)
        print_error("kernel %llu: %s\n%s\n", (unsigned long long)seed, what, k->text.bytes);
}

static unsigned item_at(const Kernel *k, uint32_t line)
{
    unsigned i = 0;
    while (i < k->count && k->items[i].line != line)
        i++;
    return i;
}

/* ---- repairs --------------------------------------------------------------------------------- */

/* Before which item it comes, and whether in the loop. */
static unsigned index_of_insertion(const Kernel *k, uint32_t line, bool *is_in_loop)
{
    unsigned i = 0;
    bool is_latch = k->loop_end > k->loop_first && line >= k->latch_first && line < k->latch_end;
    while (i < k->count && k->items[i].line < line)
        i++;
    if (is_latch)
        i = k->loop_end;
    *is_in_loop = is_latch || (i >= k->loop_first && i < k->loop_end);
    return i;
}

/* Where each of the kernel's items went, in at. */
static void insert_item(Kernel *k, const ptxlint_insertion *insertion, unsigned at[MAX_ITEMS])
{
    bool is_in_loop;
    const unsigned i = index_of_insertion(k, insertion->line, &is_in_loop);
    const bool is_warp = !strncmp(insertion->text, "bar.warp.sync", 13);
    assert_true(is_warp || !strncmp(insertion->text, "bar.sync ", 9));
    assert_true(k->count < COUNT(k->items));
    memmove(&k->items[i + 1], &k->items[i], (k->count - i) * sizeof *k->items);
    k->items[i] = (Item){ .kind = is_warp ? LANES : BLOCK, .line = insertion->line };
    k->count++;
    k->loop_first += i < k->loop_first;
    k->loop_end += is_in_loop || i < k->loop_end;
    for (unsigned j = 0; j < MAX_ITEMS; j++)
        at[j] += at[j] >= i;
}

static void insert_all(Kernel *k, const ptxlint_diagnostic *diag, unsigned at[MAX_ITEMS])
{
    for (size_t i = 0; i < diag->repair_count; i++)
        insert_item(k, &diag->repair[i], at);
}

static void check_repair(uint64_t seed, const Kernel *k, const ptxlint_diagnostic *diag,
                         unsigned own, unsigned other, Tally *tally)
{
    Kernel repaired = *k;
    unsigned at[MAX_ITEMS];
    Meeting meeting;
    for (unsigned i = 0; i < MAX_ITEMS; i++)
        at[i] = i;
    insert_all(&repaired, diag, at);
    find_meetings(&repaired, &meeting);
    tally->repaired += diag->repair_count > 0;
    tally->unrepaired += !diag->repair_count;
    if (diag->repair_count && meeting.races[at[own]][at[other]]) {
        tally->wrong++;
        show(tally, seed, diag->help, k);
    }
}

/* All of them: a race may be left that was hidden by another. */
static void check_all_repairs(const Kernel *k, const ptxlint_diagnostic *diags, size_t count,
                              Tally *tally)
{
    Kernel repaired = *k;
    unsigned at[MAX_ITEMS] = { 0 }, races = 0;
    Meeting meeting;
    bool has_all = true;
    for (size_t d = 0; d < count && has_all; d++) {
        if (strcmp(diags[d].rule, "COR124"))
            continue;
        has_all = diags[d].repair_count > 0;
        races++;
        insert_all(&repaired, &diags[d], at);
    }
    if (!races || !has_all)
        return;
    find_meetings(&repaired, &meeting);
    tally->kernels_repaired++;
    tally->kernels_left += meeting.any;
}

static void check(uint64_t seed, const ptxlint_launches *launches, Tally *tally)
{
    Kernel k;
    Meeting meeting;
    ptxlint_options options;
    ptxlint_module *module = NULL;
    size_t count, told = 0, redundant = 0;
    make_kernel(&k, seed);
    find_meetings(&k, &meeting);
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(k.text.bytes, k.text.length, &options, &module),
                     PTXLINT_OK);
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++) {
        unsigned own = item_at(&k, kit_line(module, diags[d].span.begin));
        if (!strcmp(diags[d].rule, "THR117") && own < k.count) {
            k.items[own].is_gone = true;
            redundant++;
        }
        if (strcmp(diags[d].rule, "COR124"))
            continue;
        told++;
        unsigned other = diags[d].related_count
                             ? item_at(&k, kit_line(module, diags[d].related[0].span.begin))
                             : k.count;
        if (own == k.count || other == k.count || !meeting.races[own][other]) {
            tally->wrong++;
            show(tally, seed, diags[d].message, &k);
            continue;
        }
        check_repair(seed, &k, &diags[d], own, other, tally);
    }
    check_all_repairs(&k, diags, count, tally);
    tally->told += told > 0;
    tally->missed += meeting.any && !told;
    tally->redundant += redundant > 0;
    if (redundant) {
        find_meetings(&k, &meeting);
        if (meeting.any_meets) {
            tally->needed++;
            show(tally, seed, "a barrier is called redundant that is not", &k);
        }
    }
    ptxlint_module_free(module);
    free(k.text.bytes);
}

/* ---- kernels by hand ------------------------------------------------------------------------- */

static const char *const codes[] = { "COR104", "COR121", "COR124", "COR126", "COR127",
                                     "COR130", "COR131", "COR132", "THR117" };

/* What stands behind `// want CODE: ` in a line; *length 0: nothing. */
static const char *wanted_in(const char *line, const char *code, size_t *length)
{
    char mark[32];
    snprintf(mark, sizeof mark, "// want %s: ", code);
    const char *end = line + strcspn(line, "\n"), *at = strstr(line, mark);
    *length = 0;
    if (!at || at > end)
        return NULL;
    at += strlen(mark);
    *length = (size_t)(end - at);
    return at;
}

/* What is reported at a line; NULL. */
static const char *told_at(const ptxlint_module *module, const char *code, uint32_t line)
{
    size_t count;
    const ptxlint_diagnostic *diags = ptxlint_module_diagnostics(module, &count);
    for (size_t d = 0; d < count; d++)
        if (!strcmp(diags[d].rule, code) && kit_line(module, diags[d].span.begin) == line)
            return diags[d].message;
    return NULL;
}

static bool holds(const char *message, const char *wanted, size_t length)
{
    for (; *message; message++)
        if (!strncmp(message, wanted, length))
            return true;
    return false;
}

static unsigned check_line(const char *path, uint32_t number, const char *line,
                           const ptxlint_module *module)
{
    unsigned wrong = 0;
    for (size_t c = 0; c < COUNT(codes); c++) {
        size_t length;
        const char *wanted = wanted_in(line, codes[c], &length),
                   *told = told_at(module, codes[c], number);
        if (wanted ? told && holds(told, wanted, length) : !told)
            continue;
        print_error("%s:%u: %s: %s; wanted: %.*s\n", path, (unsigned)number, codes[c],
                    told ? told : "silent", (int)length, wanted ? wanted : "");
        wrong++;
    }
    return wrong;
}

static unsigned check_lines(const char *path, const char *text, const ptxlint_module *module)
{
    unsigned wrong = 0;
    for (uint32_t line = 1; *text; line++) {
        wrong += check_line(path, line, text, module);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return wrong;
}

/* NAME.json beside NAME.ptx; NULL: there is none. */
static ptxlint_launches *launches_beside(const Paths *jsons, const char *path)
{
    const size_t stem = strlen(path) - strlen(".ptx");
    for (size_t i = 0; i < jsons->count; i++)
        if (!strncmp(jsons->paths[i], path, stem) && !strcmp(jsons->paths[i] + stem, ".json")) {
            char *json = kit_read(jsons->paths[i], NULL);
            ptxlint_launches *launches = read_launches(json);
            free(json);
            return launches;
        }
    return NULL;
}

static unsigned check_file(const char *path, const Paths *jsons)
{
    char *text = kit_read(path, NULL);
    ptxlint_launches *launches = launches_beside(jsons, path);
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.launches = launches;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    unsigned wrong = check_lines(path, text, module);
    ptxlint_module_free(module);
    ptxlint_launches_free(launches);
    free(text);
    return wrong;
}

/* Labelled by argument: the comment above a kernel gives it. */
static void test_variants(void **state)
{
    (void)state;
    Paths files = kit_walk("tests/data/hazards", ".ptx"),
          jsons = kit_walk("tests/data/hazards", ".json");
    unsigned wrong = 0;
    for (size_t i = 0; i < files.count; i++)
        wrong += check_file(files.paths[i], &jsons);
    assert_true(files.count >= FEWEST_FILES);
    kit_free_paths(files);
    kit_free_paths(jsons);
    assert_int_equal(wrong, 0);
}

static uint64_t first_seed = 1, seed_count = KERNELS;

static void test_random(void **state)
{
    (void)state;
    Tally tally = { 0 };
    ptxlint_launches *launches = read_launches(
        "{\"kernels\": {\"k\": {\"grid\": [1], \"block\": [128], \"params\": [null, null]}}}");
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        check(seed, launches, &tally);
    ptxlint_launches_free(launches);
    print_message("%u kernels race, %u missed, %u wrong; %u have redundant barriers, %u wrong\n",
                  tally.told, tally.missed, tally.wrong, tally.redundant, tally.needed);
    print_message(
        "%u repairs, %u races without; %u kernels repaired, in %u of them something is left\n",
        tally.repaired, tally.unrepaired, tally.kernels_repaired, tally.kernels_left);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.needed, 0);
    assert_true(tally.kernels_left * MISSED_OF <= tally.kernels_repaired);
    assert_true(tally.unrepaired * UNREPAIRED_OF <= tally.repaired);
    if (seed_count == KERNELS) {
        /* a place keeps the reads of two warps, and one write */
        assert_true(tally.missed * MISSED_OF <= tally.told);
        assert_true(tally.told >= FEWEST_RACES);
        assert_true(tally.redundant >= FEWEST_REDUNDANT);
    }
}

UNIT(hazards)
{
    if (argc > 2) {
        first_seed = strtoull(argv[1], NULL, 10);
        seed_count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
                                        cmocka_unit_test(test_variants) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
