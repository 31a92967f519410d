/* test_trip.c -- trip counts: loops whose source says what they count, the arithmetic below against brute force, and input that
 * is meant to be expensive. */
#include "kit.h"

#include "analysis/solve.h"
#include "analysis/trip.h"
#include "api/module.h"

#include <math.h>

/* ---- rendering --------------------------------------------------------------------------------------------------- */

typedef struct World {
    Arena arena, scratch;
    jmp_buf failure;
} World;

static int set_up(void **state)
{
    World *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    ptx_arena_init(&w->arena, (size_t)1 << 30, &w->failure);
    ptx_arena_init(&w->scratch, (size_t)1 << 30, &w->failure);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    World *w = *state;
    ptx_arena_free(&w->arena);
    ptx_arena_free(&w->scratch);
    free(w);
    return 0;
}

static const Trips *trips_of(World *w, const ptxlint_module *module, FuncId f, const Launch *launch)
{
    const Facts *facts = &module->facts[f];
    ArenaMark before = ptx_arena_mark(&w->scratch);
    const Trips *trips = ptx_trips_compute(&w->arena, &w->scratch, module->ir, &module->ir->funcs[f], facts->cfg, facts->dom,
                                           facts->loops, launch);
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

/* ---- sources that say what they count ---------------------------------------------------------------------------- */

enum { MOST_PARAMS = 16, MOST_BYTES = 64 };

typedef struct Launched {
    Launch launch;
    LaunchParam params[MOST_PARAMS];
    uint8_t bytes[MOST_PARAMS][MOST_BYTES];
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
        assert_true(*at && p < MOST_PARAMS && bytes <= MOST_BYTES);
        if (*at == '-' && strchr(" \n", at[1])) {
            at++;
            continue;
        }
        out->params[p] = (LaunchParam){ out->bytes[p], (uint32_t)bytes, false };
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
    snprintf(name, sizeof name, "%.*s(", (int)ptx_span_length(func->name), module->text + func->name.begin);
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
        size_t stem = !strncmp(at, "%rd", 3) ? 3 : !strncmp(at, "%r", 2) ? 2 : 0, digits = strspn(at + stem, "0123456789");
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
    const Cfg *cfg = module->facts[f].cfg;
    const Block *header = &cfg->blocks[module->facts[f].loops->loops[loop].header];
    uint32_t line = 0;
    for (uint32_t p = 0; p < header->pred_count; p++) {
        BlockId pred = cfg->preds[header->pred_first + p];
        if (cfg->rpo_index[pred] >= cfg->rpo_index[cfg->block_of[header->first]])
            line = module->ir->locs[func->insns[cfg->blocks[pred].end - 1].loc].line;
    }
    return line;
}

/* The line of the label that heads the loop. */
static uint32_t label_line(const ptxlint_module *module, FuncId f, LoopId loop)
{
    const Func *func = &module->ir->funcs[f];
    InsnId first = module->facts[f].cfg->blocks[module->facts[f].loops->loops[loop].header].first;
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
static void check_func(World *w, const char *path, const ptxlint_module *module, FuncId f, const char *source, bool by_loc,
                       Tally *tally)
{
    const Loops *loops = module->facts[f].loops;
    const Func *func = &module->ir->funcs[f];
    Launched launched;
    bool has_launch = read_launch(source, module->ir, func, &launched);
    const Trips *plain = trips_of(w, module, f, NULL), *with = has_launch ? trips_of(w, module, f, &launched.launch) : NULL;
    uint32_t *lines = calloc(loops->loop_count + 1, sizeof *lines);
    for (LoopId loop = 0; loop < loops->loop_count; loop++)
        lines[loop] = by_loc ? source_line(module, f, loop) : label_line(module, f, loop);
    for (LoopId loop = 0; loop < loops->loop_count; loop++) {
        uint32_t index = 0, same = 0, count;
        for (LoopId other = 0; other < loops->loop_count; other++) {
            same += lines[other] == lines[loop];
            index += lines[other] == lines[loop] && loops->loops[other].header < loops->loops[loop].header;
        }
        Text want, got = { 0 };
        expected_at(line_at(source, lines[loop]), index, &count, &want);
        put_trip(&got, &plain->trips[loop], with ? &with->trips[loop] : NULL);
        if (count != same || !is_one_of(got.bytes, want.bytes))
            kit_print(&tally->trouble, "%s: line %u, loop %u of %u: %s\n    said %s\n", path, lines[loop], index + 1, same, got.bytes, want.bytes);
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
        if (module->facts[f].cfg)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("trip", tests, NULL, NULL);
}
