/* test_trip.c -- trip counts: loops whose source says what they count, the arithmetic below against
 * brute force, and input that is meant to be expensive. */
#include "arenas.h"
#include "kit.h"

#include "analysis/trips/recurrence.h"
#include "analysis/trips/trip.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/reg.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/loop.h"
#include "analysis/value/launch.h"
#include "session/session.h"

#include <math.h>

/* ---- rendering ------------------------------------------------------------------------------- */

static const Trips *trips_of(World *w, const ptxlint_module *module, FuncId f, const Launch *launch)
{
    Session *s = ptx_session_at(module, f);
    ArenaMark before = ptx_arena_mark(&w->scratch);
    const FuncFlow flow = ptx_session_flow(s);
    const Trips *trips = ptx_trips_compute(&w->arena, &w->scratch, &flow, launch);
    ArenaMark after = ptx_arena_mark(&w->scratch);
    assert_true(before.chunk == after.chunk && before.next == after.next);
    return trips;
}

/* "16", "50.5 (1..100)". */
static void put_count(Text *text, const Trip *trip)
{
    if (trip->is_upper) {
        assert_true(isnan(trip->count) && !trip->is_exact);
        kit_print(text, "at most %.10g", trip->count_max);
        return;
    }
    assert_int_equal(trip->is_exact, trip->count_min == trip->count_max);
    kit_print(text, "%.10g", trip->count);
    if (!trip->is_exact)
        kit_print(text, " (%.10g..%.10g)", trip->count_min, trip->count_max);
}

/* What the comments say: see testdata/ptx/cuda/loops.cu. */
static void put_trip(Text *text, const Trip *trip, const Trip *launched)
{
    assert_true((trip->source == TRIP_UNKNOWN) == (trip->why != NULL));
    if (trip->source == TRIP_CODE)
        put_count(text, trip);
    else if (trip->source == TRIP_SYMBOLIC)
        kit_print(text, "%s%s", trip->is_upper ? "at most " : "", trip->expression);
    else
        kit_print(text, "unknown");
    if (launched && launched->source == TRIP_LAUNCH) {
        kit_print(text, ", launch ");
        put_count(text, launched);
    }
}

/* ---- sources that say what they count -------------------------------------------------------- */

enum { MAX_PARAMS = 16, MAX_BYTES = 64 };

typedef struct Launched {
    Launch launch;
    LaunchParam params[MAX_PARAMS];
    uint8_t bytes[MAX_PARAMS][MAX_BYTES];
} Launched;

static const char *read_shape(const char *at, uint32_t shape[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        shape[i] = i && *at != 'x' ? 1 : (uint32_t)strtoul(at + (i > 0), &end, 10);
        at = i && *at != 'x' ? at : end;
    }
    return at;
}

/* "- 1000 20,30,5": nothing, a number of the parameter's size, 32-bit words. */
static void read_values(const char *at, const Module *module, const Func *func, Launched *out)
{
    for (uint32_t p = 0; p < func->param_count; p++, out->launch.param_count++) {
        uint64_t bytes = module->vars[func->params[p]].bytes;
        at += strspn(at, " ");
        assert_true(*at && p < MAX_PARAMS && bytes <= MAX_BYTES);
        if (*at == '-' && strchr(" \n", at[1])) {
            at++;
            continue;
        }
        out->params[p] = (LaunchParam){ .bytes = out->bytes[p],
                                         .length = (uint32_t)bytes };
        for (uint64_t word = 0; word < bytes; word += 4) {
            char *end;
            long long value = strtoll(at, &end, 0);
            bool list = *end == ',' || word;
            for (uint64_t i = word; i < bytes && (!list || i < word + 4); i++)
                out->bytes[p][i] = (uint8_t)((uint64_t)value >> (8 * (i - word)));
            at = end + (*end == ',');
            if (!list)
                break;
        }
    }
}

/* From the comment on the line that declares the kernel; false: there is none. */
static bool read_launch(const char *source, const Module *module, const Func *func, Launched *out)
{
    char name[512];
    *out = (Launched){ .launch = { .dynamic_shared_bytes = -1 } };
    snprintf(name, sizeof name, "%.*s(", (int)ptx_span_length(func->name),
             module->text + func->name.begin);
    for (const char *at = source; (at = strstr(at, name)); at++) {
        const char *end = at + strcspn(at, "\n"), *comment = strstr(at, "// launch: ");
        if (!strchr(" ", at[-1]) || !comment || comment > end)
            continue;
        comment = read_shape(comment + strlen("// launch: "), out->launch.grid);
        comment = read_shape(comment + 1, out->launch.block);
        assert_int_equal(*comment, ':');
        read_values(comment + 1, module, func, out);
        out->launch.params = out->params;
        return true;
    }
    return false;
}

static const char *line_at(const char *source, uint32_t line)
{
    for (; line > 1 && *source; line--)
        source += strcspn(source, "\n") + (strchr(source, '\n') != NULL);
    return source;
}

/* The part of a line behind "trips: ", its index-th between bars; "" where there is none. */
static void expected_at(const char *line, uint32_t index, uint32_t *count, Text *out)
{
    const char *end = line + strcspn(line, "\n"), *at = strstr(line, "// trips: ");
    *out = (Text){ 0 };
    kit_put(out, "", 0);
    *count = 0;
    if (!at || at > end)
        return;
    at += strlen("// trips: ");
    for (uint32_t i = 0; at < end; i++, ++*count) {
        const char *bar = at;
        while (bar < end && *bar != '\r' && strncmp(bar, " | ", 3))
            bar++;
        if (i == index)
            kit_put(out, at, (size_t)(bar - at));
        at = bar < end && *bar != '\r' ? bar + 3 : end;
    }
}

/* Leaves out the numbers of registers: compilers differ. */
static void drop_numbers(char *text)
{
    char *to = text;
    for (char *at = text; *at;) {
        size_t stem = !strncmp(at, "%rd", 3)  ? 3
                      : !strncmp(at, "%r", 2) ? 2
                                              : 0,
               digits = strspn(at + stem, "0123456789");
        if (!stem || !digits) {
            *to++ = *at++;
            continue;
        }
        *to++ = '%';
        *to++ = 'r';
        at += stem + digits;
    }
    *to = 0;
}

/* Whether text is among the alternatives of a comment, which have " or " between them. */
static bool is_one_of(char *text, const char *alternatives)
{
    drop_numbers(text);
    size_t length = strlen(text);
    for (const char *at = alternatives, *end; *at; at = *end ? end + 4 : end) {
        end = strstr(at, " or ");
        end = end ? end : at + strlen(at);
        if ((size_t)(end - at) == length && !memcmp(at, text, length))
            return true;
    }
    return false;
}

/* The line of the branch back, by .loc. */
static uint32_t source_line(const ptxlint_module *module, FuncId f, LoopId loop)
{
    const Func *func = &module->ir->funcs[f];
    const Cfg *cfg = ptx_session_cfg(ptx_session_at(module, f));
    const Block *header =
        &cfg->blocks[ptx_session_loops(ptx_session_at(module, f))->loops[loop].header];
    uint32_t line = 0;
    for (uint32_t p = 0; p < header->pred_count; p++) {
        BlockId pred = cfg->preds[header->pred_first + p];
        const Insn *last = &func->insns[cfg->blocks[pred].end - 1];
        if (cfg->rpo_index[pred] >= cfg->rpo_index[cfg->block_of[header->first]])
            line = module->ir->locs[ptx_insn_loc(module->ir, last)].line;
    }
    return line;
}

/* The line of the label that heads the loop. */
static uint32_t label_line(const ptxlint_module *module, FuncId f, LoopId loop)
{
    const Func *func = &module->ir->funcs[f];
    InsnId first = ptx_session_cfg(ptx_session_at(module, f))
                       ->blocks[ptx_session_loops(ptx_session_at(module, f))->loops[loop].header]
                       .first;
    for (LabelId l = 0; l < func->label_count; l++) {
        if (func->labels[l].insn == first && func->labels[l].table == NO_ID)
            return kit_line(module, func->labels[l].name.begin);
    }
    return 0;
}

typedef struct Tally {
    uint32_t loops, known, launched;
    Text trouble;
} Tally;

/* Compares every loop of a function with its comment; source is the text that has the comments. */
static void check_func(World *w, const char *path, const ptxlint_module *module, FuncId f,
                       const char *source, bool by_loc, Tally *tally)
{
    const Loops *loops = ptx_session_loops(ptx_session_at(module, f));
    const Func *func = &module->ir->funcs[f];
    Launched launched;
    bool has_launch = read_launch(source, module->ir, func, &launched);
    const Trips *plain = trips_of(w, module, f, NULL),
                *with = has_launch ? trips_of(w, module, f, &launched.launch) : NULL;
    uint32_t *lines = calloc(loops->loop_count + 1, sizeof *lines);
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        lines[loop] = by_loc ? source_line(module, f, loop) : label_line(module, f, loop);
    for (LoopId loop = 0; loop < loops->loop_count; loop++) {
        uint32_t index = 0, same = 0, count;
        for (LoopId other = 0; other < loops->loop_count; other++) {
            same += lines[other] == lines[loop];
            index += lines[other] == lines[loop]
                     && loops->loops[other].header < loops->loops[loop].header;
        }
        Text want, got = { 0 };
        expected_at(line_at(source, lines[loop]), index, &count, &want);
        put_trip(&got, &plain->trips[loop], with ? &with->trips[loop] : NULL);
        if (count != same || !is_one_of(got.bytes, want.bytes))
            kit_print(&tally->trouble, "%s: line %u, loop %u of %u: %s\n    said %s\n", path,
                      lines[loop], index + 1, same, got.bytes, want.bytes);
        tally->loops++;
        tally->known += plain->trips[loop].source != TRIP_UNKNOWN;
        tally->launched += with && with->trips[loop].source == TRIP_LAUNCH;
        free(want.bytes);
        free(got.bytes);
    }
    free(lines);
}

static void check_file(World *w, const char *path, const char *source_path, Tally *tally)
{
    ptxlint_module *module = kit_open(path);
    char *source = kit_read(source_path ? source_path : path, NULL);
    for (FuncId f = 0; f < module->ir->func_count; f++) {
        if (ptx_session_cfg(ptx_session_at(module, f)))
            check_func(w, path, module, f, source, source_path != NULL, tally);
    }
    free(source);
    ptxlint_module_free(module);
}

static void test_sources(void **state)
{
    World *w = *state;
    Tally tally = { 0 };
    if (setjmp(w->failure))
        fail_msg("arena");
    check_file(w, "testdata/ptx/loops.sm_75.ptx", "testdata/ptx/cuda/loops.cu", &tally);
    check_file(w, "testdata/ptx/loops.sm_90.ptx", "testdata/ptx/cuda/loops.cu", &tally);
    check_file(w, "testdata/ptx/loops.sm_120.ptx", "testdata/ptx/cuda/loops.cu", &tally);
    check_file(w, "testdata/ptx/loops_hand.ptx", NULL, &tally);
    if (tally.trouble.length) {
        fputs(tally.trouble.bytes, stderr);
        fail_msg("counts differ from the comments");
    }
    assert_true(tally.loops >= 150);
    assert_true(tally.known >= 120);
    assert_true(tally.launched >= 60);
}

/* ---- arithmetic, against brute force --------------------------------------------------------- */

static bool holds(SymKind kind, unsigned width, uint64_t a, uint64_t b)
{
    uint64_t value = 2;
    assert_true(
        ptx_number_fold(kind, width, a & ptx_width_mask(width), b & ptx_width_mask(width), &value));
    return value == 1;
}

/* The first k at which the comparison fails; FOREVER: none, after all values. */
static uint64_t first_failure(SymKind kind, unsigned width, uint64_t a, uint64_t a_step, uint64_t b,
                              uint64_t b_step)
{
    for (uint64_t k = 0; k <= ptx_width_mask(width) + 1; k++) {
        if (!holds(kind, width, a + k * a_step, b + k * b_step))
            return k;
    }
    return FOREVER;
}

/* Every answer is the true one; answers are missing only where a sequence wraps around, or both
 * sides of `<=` move. */
static void test_solve_values(void **state)
{
    enum { WIDTH = 4, VALUES = 16 };
    uint32_t answers = 0, asked = 0;
    (void)state;
    for (int kind = SYM_EQ; kind <= SYM_LE_S; kind++) {
        for (uint32_t n = 0; n < VALUES * VALUES * VALUES * VALUES; n++) {
            uint64_t a = n % VALUES, s = n / VALUES % VALUES, b = n / VALUES / VALUES % VALUES,
                     t = n / VALUES / VALUES / VALUES;
            uint64_t want = first_failure((SymKind)kind, WIDTH, a, s, b, t);
            Solution got = ptx_recurrence_solve_values((SymKind)kind, WIDTH, a, s, b, t);
            asked++;
            answers += got.status == SOLVED;
            assert_true(got.status == SOLVED || got.why);
            if (got.status == SOLVED && (got.min != want || got.max != want))
                fail_msg("kind %d: %d + %d k, %d + %d k: %llu, want %llu", kind, (int)a, (int)s,
                         (int)b, (int)t, (unsigned long long)got.max, (unsigned long long)want);
            if (got.status != SOLVED && !s && !t)
                fail_msg("kind %d: constants are not decided", kind);
        }
    }
    assert_true(answers * 2 > asked);
}

/* Whatever the values in the intervals, the answer holds. */
static void test_solve_intervals(void **state)
{
    enum { WIDTH = 3, VALUES = 8 };
    uint32_t answers = 0;
    (void)state;
    for (int kind = SYM_LT_U; kind <= SYM_LE_S; kind++) {
        for (uint32_t n = 0; n < VALUES * VALUES * VALUES * VALUES * VALUES; n++) {
            uint64_t a = n % VALUES, a_end = n / VALUES % VALUES, b = n / 64 % VALUES,
                     b_end = n / 512 % VALUES, s = n / 4096;
            if (a > a_end || b > b_end)
                continue;
            Interval x = ptx_interval_unsigned(WIDTH, a, a_end),
                     y = ptx_interval_unsigned(WIDTH, b, b_end);
            Interval step = ptx_interval_point(WIDTH, s), still = ptx_interval_point(WIDTH, 0);
            for (int side = 0; side < 2; side++) {
                Solution got = ptx_recurrence_solve_order((SymKind)kind, WIDTH, &x,
                                                          side ? &still : &step, &y,
                                                          side ? &step : &still);
                answers += got.status == SOLVED;
                for (uint64_t v = a; v <= a_end && got.status == SOLVED; v++) {
                    for (uint64_t w = b; w <= b_end; w++) {
                        uint64_t want = first_failure((SymKind)kind, WIDTH, v, side ? 0 : s, w,
                                                      side ? s : 0);
                        assert_true(want >= got.min && want <= got.max);
                    }
                }
            }
        }
    }
    assert_true(answers > 5000);
}

/* The result of every operation on members of two intervals lies in the interval of the results. */
static void test_intervals(void **state)
{
    enum { WIDTH = 3, VALUES = 8 };
    Interval all[2 * VALUES * VALUES];
    uint32_t count = 0;
    (void)state;
    for (int64_t low = 0; low < VALUES; low++) {
        for (int64_t high = low; high < VALUES; high++) {
            all[count++] = ptx_interval_unsigned(WIDTH, (uint64_t)low, (uint64_t)high);
            all[count++] = ptx_interval_signed(WIDTH, low - VALUES / 2, high - VALUES / 2);
        }
    }
    for (uint32_t n = 0; n < count * count; n++) {
        const Interval *a = &all[n % count], *b = &all[n / count];
        for (int kind = SYM_MUL; kind <= SYM_LE_S; kind++) {
            Interval got = ptx_interval_binary((SymKind)kind, WIDTH, a, b),
                     sum = ptx_interval_add(WIDTH, *a, *b);
            unsigned width = kind >= SYM_EQ ? 1 : WIDTH;
            for (uint64_t v = 0; v < VALUES * VALUES; v++) {
                uint64_t x = v % VALUES, y = v / VALUES, value, more = (x + y) % VALUES;
                if (x < a->umin || x > a->umax || y < b->umin || y > b->umax
                    || ptx_width_signed(WIDTH, x) < a->smin || ptx_width_signed(WIDTH, x) > a->smax
                    || ptx_width_signed(WIDTH, y) < b->smin || ptx_width_signed(WIDTH, y) > b->smax)
                    continue;
                assert_true(more >= sum.umin && more <= sum.umax);
                assert_true(ptx_width_signed(WIDTH, more) >= sum.smin
                            && ptx_width_signed(WIDTH, more) <= sum.smax);
                if (!ptx_number_fold((SymKind)kind, WIDTH, x, y, &value))
                    continue;
                value &= ptx_width_mask(width);
                if (value < got.umin || value > got.umax
                    || ptx_width_signed(width, value) < got.smin
                    || ptx_width_signed(width, value) > got.smax)
                    fail_msg("operation %d of %d and %d is %d, not in %d..%d", kind, (int)x, (int)y,
                             (int)value, (int)got.umin, (int)got.umax);
            }
        }
    }
}

static void test_high_products(void **state)
{
    static const struct { SymKind kind; unsigned width; uint64_t a, b, want; } rows[] = {
        { SYM_MULHI_U, 32, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE },
        { SYM_MULHI_S, 32, 0xFFFFFFFF, 0xFFFFFFFF, 0 },
        { SYM_MULHI_S, 32, 0x80000000, 2, 0xFFFFFFFF },
        { SYM_MULHI_U, 64, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1 },
        { SYM_MULHI_U, 64, UINT64_C(1) << 63, 6, 3 },
        { SYM_MULHI_S, 64, UINT64_MAX, UINT64_MAX, 0 },
        { SYM_MULHI_S, 64, UINT64_C(1) << 63, 2, UINT64_MAX },
        { SYM_MULHI_U, 32, 100, 0x55555556, 33 },
        { SYM_SHR_S, 32, 0x80000000, 99, 0xFFFFFFFF },
        { SYM_SHR_U, 32, 0x80000000, 32, 0 },
        { SYM_SHL, 64, 1, 63, UINT64_C(1) << 63 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t got = 0;
        assert_true(ptx_number_fold(rows[i].kind, rows[i].width, rows[i].a, rows[i].b, &got));
        if ((got & ptx_width_mask(rows[i].width)) != rows[i].want)
            fail_msg("row %zu: %llx", i, (unsigned long long)got);
    }
}

/* ---- what the user says, and branches -------------------------------------------------------- */

#define TOP ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL                                                                                   \
    TOP ".entry k(.param .u64 data, .param .u32 n)\n{\n.reg .pred p, q; .reg .b32 i, t, x, rn; " \
        ".reg .b64 rd;\n"                                                                        \
        "ld.param.u64 rd, [data]; ld.param.u32 rn, [n]; mov.u32 t, %tid.x;\n"

static Launch launch_of(uint32_t grid, uint32_t block, LaunchParam params[2], uint8_t bytes[4],
                        uint32_t n)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(n >> (8 * i));
    params[0] = (LaunchParam){ .is_pointer = true };
    params[1] = (LaunchParam){ .bytes = bytes, .length = 4 };
    return (Launch){ .grid = { grid, 1, 1 },
                     .block = { block, 1, 1 },
                     .dynamic_shared_bytes = -1,
                     .params = params,
                     .param_count = 2 };
}

static void test_user_trips(void **state)
{
    World *w = *state;
    static const LaunchTrip trips[] = { { "$L__BB0_1", 0, 77 }, { "OTHER", 0, 5 }, { "k", 0, 3 } };
    Launch launch = { .dynamic_shared_bytes = -1, .trips = trips, .trip_count = COUNT(trips) };
    if (setjmp(w->failure))
        fail_msg("arena");
    ptxlint_module *module = kit_module(
        KERNEL "$L__BB0_1:\nld.global.u32 x, [rd];\nsetp.ne.u32 p, x, 0;\n@p bra $L__BB0_1;\n"
               "mov.u32 i, 0;\nL:\nadd.u32 i, i, 1;\nst.global.u32 [rd], i;\nOTHER:\nsetp.ne.u32 "
               "p, i, 9;\n@p bra L;\nret;\n}\n");
    const Trip *got = trips_of(w, module, 0, &launch)->trips;
    assert_int_equal(got[0].source, TRIP_USER);
    assert_true(got[0].count == 77 && got[0].is_exact && !got[0].why);
    assert_int_equal(got[1].source, TRIP_CODE);         /* OTHER does not head the loop */
    assert_true(got[1].count == 9);
    ptxlint_module_free(module);
}

/* The loops are A, from line 8, which is behind KERNEL, to line 18, and in it B, from line 11 to
 * line 15. */
static const struct { uint32_t line; int loop; } lines[] = {
    { 0, -1 }, { 7, -1 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 1 }, { 12, 1 }, { 13, 1 }, { 14, 1 }, { 15, 1 }, { 16, 0 }, { 17, 0 }, { 18, 0 }, { 19, -1 }, { 20, -1 },
    { 99, -1 }, { UINT32_MAX, -1 },
};

static void test_loop_at_line(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    ptxlint_module *module = kit_module(
        KERNEL "A:\nld.global.u32 x, [rd];\n// of A\nB:\n// of B\n\nld.global.u32 x, [rd]; "
               "setp.ne.u32 p, x, 0;\n@p bra B;\n"
               "// of A again\nsetp.eq.u32 p, x, 1;\n@p bra A;\n// of none\nret;\n}\n");
    Session *session = ptx_session_at(module, 0);
    for (size_t i = 0; i < COUNT(lines); i++) {
        LoopId loop = ptx_loop_at_line(module->ir, &module->ir->funcs[0], ptx_session_cfg(session),
                                       ptx_session_loops(session), lines[i].line);
        if ((loop == NO_LOOP ? -1 : (int)loop) != lines[i].loop)
            fail_msg("line %u: loop %d, want %d", (unsigned)lines[i].line, (int)loop,
                     lines[i].loop);
    }
    ptxlint_module_free(module);
}

/* Of the one guarded branch, launched as 4 blocks of 64 threads with n = 256. */
static const struct { const char *what, *condition; Taken taken; } branches[] = {
    { "a parameter decides", "setp.lt.s32 p, rn, 1;", TAKEN_NEVER },
    { "and the other way", "setp.gt.s32 p, rn, 0;", TAKEN_ALWAYS },
    { "no thread is that far", "setp.gt.u32 p, t, 63;", TAKEN_NEVER },
    { "one thread is", "setp.gt.u32 p, t, 62;", TAKEN_UNKNOWN },
    { "the grid covers the data", "mov.u32 x, %ctaid.x; mad.lo.s32 i, x, 64, t; setp.ge.s32 p, i, rn;", TAKEN_NEVER },
    { "by the names of the sizes", "mov.u32 x, %ctaid.x; mov.u32 i, %ntid.x; mad.lo.u32 i, x, i, t; setp.lt.u32 p, i, rn;", TAKEN_ALWAYS },
    { "one more than the grid covers", "mov.u32 x, %ctaid.x; mad.lo.s32 i, x, 64, t; add.s32 i, i, 1; setp.ge.s32 p, i, rn;", TAKEN_UNKNOWN },
    { "a combination", "setp.gt.u32 q, t, 63; setp.lt.or.s32 p, rn, 1, q;", TAKEN_NEVER },
    { "memory", "ld.global.u32 x, [rd]; setp.lt.s32 p, x, 1;", TAKEN_UNKNOWN },
    { "memory, but few bits of it", "ld.global.u32 x, [rd]; and.b32 x, x, 15; setp.lt.s32 p, x, 16;", TAKEN_ALWAYS },
    { "a minimum that setp and selp make",
      "setp.lt.s32 q, t, 7; selp.b32 x, t, 7, q; setp.gt.s32 p, x, 7;", TAKEN_NEVER },
    { "a truth as a number, and back",
      "setp.eq.u32 q, t, 3; selp.b32 x, 1, 0, q; setp.ne.xor.s32 p, x, 0, q;", TAKEN_NEVER },
    { "a lane", "mov.u32 x, %laneid; setp.lt.u32 p, x, 32;", TAKEN_ALWAYS },
    { "the sizes", "mov.u32 x, %nctaid.x; setp.eq.u32 p, x, 4;", TAKEN_ALWAYS },
    { "a warp's number", "shr.u32 x, t, 5; setp.ge.u32 p, x, 2;", TAKEN_NEVER },
    { "wrap-around", "add.u32 x, t, 0xFFFFFFE0; setp.gt.u32 p, x, 100;", TAKEN_UNKNOWN },
};

static void test_branches(void **state)
{
    World *w = *state;
    uint8_t bytes[4];
    LaunchParam params[2];
    Launch launch = launch_of(4, 64, params, bytes, 256);
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < COUNT(branches); i++) {
        Text text = { 0 };
        kit_print(&text, "%s", KERNEL);
        kit_print(&text, "%s\n@p bra L;\nst.global.u32 [rd], t;\nL:\nret;\n}\n",
                  branches[i].condition);
        ptxlint_module *module = kit_module(text.bytes);
        const uint8_t *taken = trips_of(w, module, 0, &launch)->taken;
        if (taken[0] != branches[i].taken || trips_of(w, module, 0, NULL)->taken[0])
            fail_msg("%s: %d", branches[i].what, taken[0]);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* The reasons that a user reads. */
static const struct { const char *body, *why; } reasons[] = {
    { "L:\nst.global.u32 [rd], t;\nbra L;\n", "no exit: the loop is endless" },
    { "ld.global.u32 x, [rd];\nmov.u32 i, 0;\nL:\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, x;\n@p bra L;\n", "the bound is loaded from memory" },
    { "atom.global.add.u32 i, [rd], 1;\nL:\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, 9;\n@p bra L;\n", "the start comes from an atomic operation" },
    { "mov.u32 i, 0;\nL:\nsetp.lt.u32 p, t, i;\n@p bra M;\nadd.u32 i, i, 1;\nM:\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, 99;\n@p bra L;\n", "the step differs between paths" },
    { "mov.u32 i, 0;\nL:\nadd.u32 i, i, 3;\nsetp.ne.u32 p, i, 100;\n@p bra L;\n", "the step may miss the bound" },
    { "mov.u32 i, 0;\nL:\nadd.u32 i, i, 0x50000000;\nsetp.lt.u32 p, i, 0xF0000001;\n@p bra L;\n", "the counter may wrap around" },
    { "mov.u32 i, 0;\nL:\nsub.u32 i, i, 1;\nsetp.lt.s32 p, i, 7;\n@p bra L;\n", "the counter moves away from the bound until it wraps around" },
    { "L:\nld.global.u32 x, [rd];\nsetp.eq.u32 p, x, 0;\n@p bra L;\n", "what is compared is loaded from memory" },
    { "mov.u32 i, 0;\nL:\nsetp.gt.u32 p, t, 7;\n@p bra M;\nsetp.gt.u32 q, i, 7;\n@q bra END;\nM:\nadd.u32 i, i, 1;\nbra L;\nEND:\n",
      "the test that leaves the loop is not passed in every iteration" },
    { "frobnicate.u32 i;\nL:\nadd.u32 i, i, 3;\nsetp.lt.u32 p, i, 100;\n@p bra L;\n", "the function has an instruction that is not known" },
    { "mov.u32 i 0;\nL:\nadd.u32 i, i, 3;\nsetp.lt.u32 p, i, 100;\n@p bra L;\n", "the function has a syntax error" },
};

static void test_reasons(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < COUNT(reasons); i++) {
        Text text = { 0 };
        kit_print(&text, "%s%sret;\n}\n", KERNEL, reasons[i].body);
        ptxlint_module *module = kit_module(text.bytes);
        assert_int_equal(ptx_session_loops(ptx_session_at(module, 0))->loop_count, 1);
        const Trip *trip = trips_of(w, module, 0, NULL)->trips;
        if (trip->source != TRIP_UNKNOWN || strcmp(trip->why, reasons[i].why))
            fail_msg("%s\n  want %s\n  got  %s", reasons[i].body, reasons[i].why,
                     trip->why ? trip->why : "a count");
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* Counter, step, start and bound, as a report shows them. */
static void test_description(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    ptxlint_module *module = kit_module(KERNEL
                                        "add.u32 i, t, 2;\nL:\nst.global.u32 [rd], i;\nadd.u32 i, "
                                        "i, 5;\nsetp.lt.u32 p, i, rn;\n@p bra L;\nret;\n}\n");
    const Trip *trip = trips_of(w, module, 0, NULL)->trips;
    const Reg *reg = &module->ir->funcs[0].regs[trip->induction];
    assert_int_equal(trip->source, TRIP_SYMBOLIC);
    assert_int_equal(ptx_span_length(ptx_reg_name(reg)), 1);
    assert_int_equal(module->text[ptx_reg_name(reg).begin], 'i');
    assert_int_equal(trip->step, 5);
    assert_string_equal(trip->start, "%tid.x + 2");
    assert_string_equal(trip->bound, "n");
    assert_string_equal(trip->expression, "max(1, ceil((n - %tid.x - 2) / 5))");
    assert_false(trip->tests_first);
    assert_true(isnan(trip->count) && isnan(trip->count_min) && isnan(trip->count_max));
    ptxlint_module_free(module);
}

/* nvcc counts an unrolled loop by a sum with what it has taken off: the bound is
 * the counter's own. */
static void test_bound_of_sum(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("arena");
    ptxlint_module *module = kit_module(KERNEL
                                        "and.b32 x, rn, 3;\nsub.u32 x, x, rn;\nmov.u32 i, 0;\n"
                                        "L:\nst.global.u32 [rd], i;\nadd.u32 i, i, 4;\n"
                                        "add.u32 t, x, i;\nsetp.ne.u32 p, t, 0;\n@p bra L;\n"
                                        "ret;\n}\n");
    const Trip *trip = trips_of(w, module, 0, NULL)->trips;
    assert_int_equal(trip->step, 4);
    assert_string_equal(trip->start, "0");
    assert_string_equal(trip->bound, "n & -4");
    ptxlint_module_free(module);
}

/* ---- input that is meant to be expensive ----------------------------------------------------- */

/* a value that depends on as many others */
static void put_chain(Text *text, int length)
{
    for (int i = 0; i < length; i++)
        kit_print(text, "mul.lo.u32 x, x, t; add.u32 x, x, rn; min.u32 x, x, i;\n");
}

static void put_diamonds(Text *text, int length)         /* as many joins, each with two values */
{
    for (int i = 0; i < length; i++)
        kit_print(text, "setp.gt.u32 p, t, %d;\n@p bra D%d;\nadd.u32 x, x, %d;\nD%d:\n", i, i, i,
                  i);
}

static void put_sequence(Text *text, int length)         /* loops that hand a counter on */
{
    for (int i = 0; i < length; i++)
        kit_print(text, "S%d:\nadd.u32 x, x, 1;\nsetp.lt.u32 p, x, %d;\n@p bra S%d;\n", i,
                  3 * i + 5, i);
}

static void put_nest(Text *text, int depth)              /* each depends on the one around */
{
    for (int i = 0; i < depth; i++)
        kit_print(text, i ? "mov.u32 i%d, i%d;\nN%d:\n" : "mov.u32 i%d, %d;\nN%d:\n", i,
                  i ? i - 1 : 0, i);
    for (int i = depth; i-- > 0;)
        kit_print(text, "add.u32 i%d, i%d, 1;\nsetp.lt.u32 p, i%d, 100;\n@p bra N%d;\n", i, i, i,
                  i);
}

static void put_shared(Text *text, int length)           /* a graph with few nodes and many ways */
{
    for (int i = 0; i < length; i++)
        kit_print(text, "min.u32 x, x, t; max.u32 i, x, rn; xor.b32 x, x, i; and.b32 i, x, 255; "
                        "or.b32 x, x, i;\n");
}

static const struct { const char *what; void (*put)(Text *, int); int size, few; } costly[] = {
    { "chain", put_chain, 60000, 50 },
    { "diamonds", put_diamonds, 20000, 40 },
    { "sequence", put_sequence, 20000, 40 },
    { "nest", put_nest, 300, 4 },
    { "shared", put_shared, 40000, 20 },
};

static void test_costly(void **state)
{
    World *w = *state;
    uint8_t bytes[4];
    LaunchParam params[2];
    Launch launch = launch_of(1000, 1024, params, bytes, 1000003);
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < 2 * COUNT(costly); i++) {
        Text text = { 0 };
        kit_print(&text, "%s.reg .b32 i<1000>;\nmov.u32 x, t; mov.u32 i, rn;\n", KERNEL);
        costly[i / 2].put(&text, i % 2 ? costly[i / 2].few : costly[i / 2].size);
        kit_print(&text, "mov.u32 i, t;\nL:\nst.global.u32 [rd], i;\nadd.u32 i, i, "
                         "32;\nsetp.lt.u32 p, i, x;\n@p bra L;\nret;\n}\n");
        ptxlint_module *module = kit_module(text.bytes);
        trips_of(w, module, 0, NULL);
        trips_of(w, module, 0, &launch);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* Of every real kernel: nothing is said twice, and what is exact is one number. */
static void test_corpus(void **state)
{
    World *w = *state;
    Launch launch = { .grid = { 64, 2, 1 }, .block = { 128, 2, 1 }, .dynamic_shared_bytes = -1 };
    Paths files = kit_walk("testdata/ptx", ".ptx");
    uint32_t loops = 0, known = 0;
    if (setjmp(w->failure))
        fail_msg("arena");
    for (size_t i = 0; i < files.count; i++) {
        ptxlint_module *module = kit_open(files.paths[i]);
        for (FuncId f = 0; f < module->ir->func_count; f++) {
            if (!ptx_session_cfg(ptx_session_at(module, f)))
                continue;
            const Trips *plain = trips_of(w, module, f, NULL),
                        *with = trips_of(w, module, f, &launch);
            for (LoopId loop = 0; loop < ptx_session_loops(ptx_session_at(module, f))->loop_count;
                 loop++) {
                const Trip *both[] = { &plain->trips[loop], &with->trips[loop] };
                for (int n = 0; n < 2; n++) {
                    assert_true((both[n]->source == TRIP_UNKNOWN) == (both[n]->why != NULL));
                    assert_true(both[n]->source != TRIP_SYMBOLIC || both[n]->expression);
                    assert_true(!both[n]->is_exact || both[n]->count_min == both[n]->count_max);
                    assert_true(isnan(both[n]->count)
                                || (both[n]->count >= both[n]->count_min
                                    && both[n]->count <= both[n]->count_max));
                }
                if (both[0]->source == TRIP_CODE && both[0]->is_exact)
                    assert_true(both[1]->source == TRIP_CODE && both[1]->count == both[0]->count);
                loops++;
                known += both[0]->source != TRIP_UNKNOWN;
            }
        }
        ptxlint_module_free(module);
    }
    kit_free_paths(files);
    assert_true(loops >= 400);
    assert_true(known * 5 >= loops * 4);
}

UNIT(trip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources, set_up, tear_down),
        cmocka_unit_test(test_solve_values),
        cmocka_unit_test(test_solve_intervals),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_high_products),
        cmocka_unit_test_setup_teardown(test_user_trips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_loop_at_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_branches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reasons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_description, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bound_of_sum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_costly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_corpus, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("trip", tests, NULL, NULL);
}
