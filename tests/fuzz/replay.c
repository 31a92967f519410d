/* replay.c -- the fuzz target without libFuzzer, so that every compiler runs it as an ordinary
 * test.
 *
 *   fuzz_replay DIR...              every file of these folders, not those below them
 *   fuzz_replay --every N DIR...    every N-th of them, by name
 *   fuzz_replay --cut N FILE        every N-th beginning of FILE, and FILE with every N-th byte
 *                                   replaced in turn, by two others
 *   fuzz_replay --grow [MOST] [NAME...]
 *                                   inputs that only grow, graphs to MOST (70000): deep nests, long
 *                                   lists, many of everything; see shapes[]
 *   fuzz_replay --mutate FIRST COUNT FILE|DIR...    mutants of these files with these numbers
 *   (mutate.h)
 *   fuzz_replay --random FIRST COUNT                bytes drawn with these numbers, as scripts
 *   fuzz_replay --print NUMBER FILE|DIR...          writes one of them
 *
 * A crash is the failure; -v before the mode names each input and the milliseconds of processor
 * time it took. */
#include "fuzz.h"
#include "mutate.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct Text {
    char *bytes;
    size_t length, capacity;
} Text;

static bool is_verbose;
static unsigned long input_count;

static void die(const char *what, const char *where)
{
    fprintf(stderr, "fuzz_replay: %s: %s\n", where, what);
    exit(2);
}

static void add_bytes(Text *text, const char *bytes, size_t length)
{
    if (length > text->capacity - text->length) {
        text->capacity = 2 * text->capacity + length;
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes)
            die("no memory", "input");
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(Text *text, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    add_bytes(text, line, (size_t)length);
}

static void repeat(Text *text, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_bytes(text, piece, strlen(piece));
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void run(const char *what, const Text *text)
{
    /* as long as the input, so that ASan sees a read beyond it */
    char *exact = malloc(text->length ? text->length : 1);
    if (!exact)
        die("no memory", what);
    if (text->length)
        memcpy(exact, text->bytes, text->length);
    double begin = now_ms();
    LLVMFuzzerTestOneInput((const uint8_t *)exact, text->length);
    if (is_verbose)
        printf("%10.1f ms  %9zu bytes  %s\n", now_ms() - begin, text->length, what);
    free(exact);
    input_count++;
}

static Text read_file(const char *path)
{
    Text text = { 0 };
    char block[65536];
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot be read", path);
    for (size_t length; (length = fread(block, 1, sizeof block, file));)
        add_bytes(&text, block, length);
    fclose(file);
    return text;
}

static void run_file(const char *folder, const char *name)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (name[0] == '.' || stat(path, &status) || !S_ISREG(status.st_mode))
        return;
    Text text = read_file(path);
    run(name, &text);
    free(text.bytes);
}

static void run_folder(const char *folder, int every)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        die("cannot be read", folder);
    for (int i = 0; i < count; i++) {
        if (i % every == 0)
            run_file(folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* ---- cuts of a real file --------------------------------------------------------------------- */

static void run_cuts(size_t step, const char *path)
{
    static const char others[] = { '\0', '}', '{', ';', '"', '0', '.', '\xff' };
    Text whole = read_file(path);
    char what[64];
    for (size_t length = 0; length <= whole.length; length += step) {
        Text cut = { whole.bytes, length, length };
        snprintf(what, sizeof what, "the first %zu bytes", length);
        run(what, &cut);
    }
    for (size_t at = 0; at < whole.length; at += step) {
        char kept = whole.bytes[at];
        for (size_t i = at % 4; i < sizeof others; i += 4) {
            whole.bytes[at] = others[i];
            snprintf(what, sizeof what, "byte %zu is 0x%02x", at, (unsigned char)others[i]);
            run(what, &whole);
        }
        whole.bytes[at] = kept;
    }
    free(whole.bytes);
}

/* ---- mutants --------------------------------------------------------------------------------- */

enum { MAX_SAMPLE_BYTES = 32 << 10 };

typedef struct Samples {
    Sample *items;
    size_t count;
} Samples;

static void add_sample(Samples *samples, const char *path)
{
    Text text = read_file(path);
    if (!text.length || text.length > MAX_SAMPLE_BYTES) {
        free(text.bytes);
        return;
    }
    samples->items = realloc(samples->items, (samples->count + 1) * sizeof *samples->items);
    if (!samples->items)
        die("no memory", path);
    samples->items[samples->count++] = (Sample){ text.bytes, text.length };
}

/* In the order of their names: the number of a mutant means the same on every file system. */
static void add_samples(Samples *samples, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        add_sample(samples, path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char inside[4096];
        struct stat status;
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && !stat(inside, &status) && S_ISREG(status.st_mode))
            add_sample(samples, inside);
        free(entries[i]);
    }
    free(entries);
}

static Text make_mutant(const Samples *samples, unsigned long long number)
{
    Text mutant = { 0 };
    mutant.bytes = mutate(samples->items, samples->count, number, &mutant.length);
    return mutant;
}

/* The paths end with NULL. */
static void run_mutants(unsigned long long first, unsigned long long count, char *const *paths,
                        bool is_printed)
{
    Samples samples = { 0 };
    for (; *paths; paths++)
        add_samples(&samples, *paths);
    if (!samples.count)
        die("no samples", "the command line");
    for (unsigned long long number = first; number < first + count; number++) {
        char what[64];
        Text mutant = make_mutant(&samples, number);
        snprintf(what, sizeof what, "mutant %llu", number);
        if (is_printed)
            fwrite(mutant.bytes, 1, mutant.length, stdout);
        else
            run(what, &mutant);
        free(mutant.bytes);
    }
    for (size_t i = 0; i < samples.count; i++)
        free(samples.items[i].bytes);
    free(samples.items);
}

/* ---- shapes that grow ------------------------------------------------------------------------ */

static void begin_kernel(Text *t)
{
    add(t, ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n");
    add(t, ".reg .pred %%p<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.reg .f32 %%f<9>;\n");
}

static void end_kernel(Text *t)
{
    add(t, "ret;\n}\n");
}

static void nested(Text *t, const char *before, const char *open, const char *middle,
                   const char *close, size_t n)
{
    begin_kernel(t);
    add(t, "%s", before);
    repeat(t, open, n);
    add(t, "%s", middle);
    repeat(t, close, n);
    add(t, ";\n");
    end_kernel(t);
}

static void scopes(Text *t, size_t n)
{
    nested(t, "", "{ ", "mov.u32 %r1, 1;", "} ", n);
}
static void open_scopes(Text *t, size_t n)       { nested(t, "", "{ ", "", "", n); }
static void closed_scopes(Text *t, size_t n)     { nested(t, "", "", "", "} ", n); }
static void vectors(Text *t, size_t n)
{
    nested(t, "mov.b64 %rd1, ", "{", "%r1", "}", n);
}
static void parentheses(Text *t, size_t n)       { nested(t, "mov.u32 %r1, ", "(", "1", ")", n); }
static void addresses(Text *t, size_t n)         { nested(t, "ld.u32 %r1, ", "[", "%rd1", "]", n); }
static void indices(Text *t, size_t n)           { nested(t, "ld.u32 %r1, ", "a[", "1", "]", n); }
static void generics(Text *t, size_t n)
{
    nested(t, "mov.u64 %rd1, ", "generic(", "a", ")", n);
}
static void open_parentheses(Text *t, size_t n)  { nested(t, "mov.u32 %r1, ", "(", "", "", n); }
static void minuses(Text *t, size_t n)           { nested(t, "mov.u32 %r1, ", "-", "1", "", n); }
static void casts(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, ", "(.s64)", "1", "", n);
}
static void choices(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, ", "1 ? 2 : ", "3", "", n);
}
static void inner_choices(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, ", "1 ? ", "3", " : 2", n);
}
static void fields(Text *t, size_t n)            { nested(t, "mov.u32 %r1, ", "x = ", "3", "", n); }
static void sums(Text *t, size_t n)              { nested(t, "mov.u32 %r1, 1", "+1", "", "", n); }
static void powers(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, 1", "*9223372036854775807", "", "", n);
}
static void climbing(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, 1", "||1&&1|1^1&1==1<1<<1+1*1", "", "", n);
}
static void operands(Text *t, size_t n)          { nested(t, "add.s32 %r1", ", %r2", "", "", n); }
static void modifiers(Text *t, size_t n)
{
    nested(t, "add", ".s32", " %r1, %r2, %r3", "", n);
}
static void spaced_modifiers(Text *t, size_t n)
{
    nested(t, "add", " .s32", " %r1, %r2, %r3", "", n);
}
static void long_word(Text *t, size_t n)         { nested(t, "bra L", "x", "", "", 10 * n); }
static void long_opcode(Text *t, size_t n)       { nested(t, "", "x", " %r1", "", 10 * n); }
static void long_number(Text *t, size_t n)
{
    nested(t, "mov.u32 %r1, ", "9", "", "", 10 * n);
}
static void long_string(Text *t, size_t n)       { nested(t, ".pragma \"", "x", "\"", "", 10 * n); }
static void long_comment(Text *t, size_t n)      { nested(t, "/*", "*", "/ ret", "", 10 * n); }
static void open_comments(Text *t, size_t n)     { nested(t, "", "/*", "", "", n); }
static void bad_bytes(Text *t, size_t n)         { nested(t, "", "\x01", "", "", n); }
static void unknown_opcodes(Text *t, size_t n)
{
    nested(t, "", "addd.s32 %r1, %r2;\n", "", "", n);
}
static void lost_semicolons(Text *t, size_t n)
{
    nested(t, "", "add.s32 %r1, %r2, %r3\n", "", "", n);
}
static void errors(Text *t, size_t n)            { nested(t, "", ", ", "", "", n); }
static void same_label(Text *t, size_t n)        { nested(t, "", "L: ", "", "", n); }
static void same_register(Text *t, size_t n)     { nested(t, "", ".reg .b32 x;\n", "", "", n); }
static void dead_writes(Text *t, size_t n)       { nested(t, "", "mov.u32 %r1, 1;\n", "", "", n); }
static void self_loops(Text *t, size_t n)        { nested(t, "L: ", "@%p1 bra L;\n", "", "", n); }
static void huge_ranges(Text *t, size_t n)
{
    nested(t, "", ".reg .b32 q<4294967295>; ", "", "", n);
}
static void only_locs(Text *t, size_t n)         { nested(t, "", ".loc 1 2 3\n", "", "", n); }

static void initializer(Text *t, size_t n)
{
    add(t, ".version 9.0\n.target sm_90\n.global .b32 g[] = ");
    repeat(t, "{", n);
    add(t, "1");
    repeat(t, "}", n);
    add(t, ";\n");
}

static void long_initializer(Text *t, size_t n)
{
    add(t, ".version 9.0\n.target sm_90\n.global .f32 g[] = {");
    repeat(t, "0f3F800000, ", n);
    add(t, "0};\n");
}

static void many_functions(Text *t, size_t n)
{
    add(t, ".version 9.0\n.target sm_90\n");
    for (size_t i = 0; i < n; i++)
        add(t, ".func f%zu() { call f%zu; ret; }\n", i, (i + 1) % n);
}

static void many_modifiers(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "ld.global.x%zu.u32 %%r1, [%%rd1];\n", i);
    end_kernel(t);
}

/* Kernels, each with a function of its own that it calls, which is elsewhere. */
static void many_callers(Text *t, size_t n)
{
    add(t, ".version 9.0\n.target sm_90\n");
    for (size_t i = 0; i < n; i++)
        add(t, ".extern .func f%zu(.param .b64 a);\n", i);
    for (size_t i = 0; i < n; i++)
        add(t, ".entry k%zu() { .param .b64 a; call f%zu, (a); ret; }\n", i, i);
}

static void same_function(Text *t, size_t n)
{
    add(t, ".version 9.0\n.target sm_90\n");
    repeat(t, ".entry k() { ret; }\n", n);
}

static void many_files(Text *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(t, ".file %zu \"f\"\n.version 9.0\n.target sm_90\n", n - i);
}

static void many_variables(Text *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(t, ".global .align 4 .b8 v%zu[4294967296][4294967296];\n", i);
}

static void many_params(Text *t, size_t n)
{
    add(t, ".entry k(");
    for (size_t i = 0; i < n; i++)
        add(t, "%s.param .u32 p%zu", i ? ", " : "", i);
    add(t, ")\n{ ret; }\n");
}

static void many_stems(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, ".reg .b32 %%q%zu<99>; mov.u32 %%q%zu7, %%q%zu8;\n", i, i, i);
    end_kernel(t);
}

static void many_names(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "mov.u32 %%u%zu, %%w%zu;\n", i, i);
    end_kernel(t);
}

/* n loops inside each other. */
static void nested_loops(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: add.s32 %%r1, %%r1, 1;\n", i);
    for (size_t i = n; i--;)
        add(t, "@%%p1 bra L%zu;\n", i);
    end_kernel(t);
}

/* Each block branches into the middle of the others: no loop has one entry. */
static void irreducible(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "@%%p1 bra L%zu;\n", i);
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: @%%p1 bra L%zu;\n", i, n - 1 - i);
    end_kernel(t);
}

static void ladder(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: @%%p1 bra L%zu; @%%p2 bra L%zu;\n", i, i + 2 < n ? i + 2 : 0, i / 2);
    end_kernel(t);
}

/* One table of n labels, and n jumps through it. */
static void jump_tables(Text *t, size_t n)
{
    begin_kernel(t);
    add(t, "T: .branchtargets L0");
    for (size_t i = 1; i < n; i++)
        add(t, ", L%zu", i);
    add(t, ";\n");
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: brx.idx %%r1, T;\n", i);
    end_kernel(t);
}

/* n registers, all live through n blocks. */
static void wide_liveness(Text *t, size_t n)
{
    n = n / 10 + 1;
    begin_kernel(t);
    add(t, ".reg .b32 %%w<%zu>;\n", n);
    for (size_t i = 0; i < n; i++)
        add(t, "mov.u32 %%w%zu, %%clock;\n", i);
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: @%%p1 bra L%zu;\n", i, i);
    for (size_t i = 0; i < n; i++)
        add(t, "st.u32 [%%rd1], %%w%zu;\n", i);
    end_kernel(t);
}

/* Registers that a call reads and nothing writes: each has a finding of its own, at its name. */
static void undefined_arguments(Text *t, size_t n)
{
    add(t,
        ".version 9.0\n.target sm_90\n.func f();\n.entry k()\n{\n.reg .b32 %%a<%zu>;\ncall f, "
        "(%%a0",
        n + 1);
    for (size_t i = 1; i <= n; i++)
        add(t, ", %%a%zu", i);
    add(t, ");\n");
    end_kernel(t);
}

/* Barriers that everyone comes to, each behind one more branch. */
static void barriers(Text *t, size_t n)
{
    begin_kernel(t);
    add(t, "mov.u32 %%r1, %%tid.x;\nsetp.lt.s32 %%p1, %%r1, 7;\n");
    for (size_t i = 0; i < n; i++)
        add(t, "@%%p1 bra L%zu;\nst.shared.u32 [%%r1], %%r2;\nL%zu: bar.sync 0;\n", i, i);
    end_kernel(t);
}

/* Code behind branches on data that only raises a flag: what its address is made of. */
static void flags(Text *t, size_t n)
{
    begin_kernel(t);
    add(t, "ld.param.u64 %%rd1, [a];\ncvta.to.global.u64 %%rd2, %%rd1;\n");
    for (size_t i = 0; i < n; i++)
        add(t,
            "ld.global.u32 %%r2, [%%rd1+%zu];\nsetp.eq.u32 %%p1, %%r2, 7;\n@!%%p1 bra L%zu;\n"
            "st.global.u32 [%%rd2], 1;\nL%zu:\n",
            4 * (i % 1000), i, i);
    end_kernel(t);
}

/* One block in which each copy looks for what waits for it. */
static void copies(Text *t, size_t n)
{
    nested(t, "", "cp.async.ca.shared.global [%r1], [%rd1], 4;\nmembar.gl;\n", "", "", n);
}

/* Branches out of the innermost of n loops, to each of them. */
static void nested_exits(Text *t, size_t n)
{
    begin_kernel(t);
    for (size_t i = 0; i < n; i++)
        add(t, "L%zu: add.s32 %%r1, %%r1, 1;\n", i);
    for (size_t i = n; i--;)
        add(t, "@%%p1 bra M%zu;\n", i);
    for (size_t i = n; i--;)
        add(t, "@%%p1 bra L%zu;\nM%zu: bar.sync 0;\n", i, i);
    end_kernel(t);
}

static void variadic_call(Text *t, size_t n)
{
    begin_kernel(t);
    add(t, "call (%%r1), a, (%%r2");
    repeat(t, ", %r3", n);
    add(t, ");\n");
    end_kernel(t);
}

static void long_line(Text *t, size_t n)
{
    begin_kernel(t);
    repeat(t, "addd.s32 %r1, \xc3\xa4 %r2, %r3; ", n);
    end_kernel(t);
}

#define SHAPE(name) { #name, name, false }
#define GRAPH(name) { #name, name, true }       /* nothing in it is nested in the text */

static const struct {
    const char *name;
    void (*make)(Text *, size_t n);
    bool is_graph;
} shapes[] = {
    SHAPE(scopes), SHAPE(open_scopes), SHAPE(closed_scopes), SHAPE(vectors), SHAPE(parentheses), SHAPE(addresses),
    SHAPE(indices), SHAPE(generics), SHAPE(open_parentheses), SHAPE(minuses), SHAPE(casts), SHAPE(choices),
    SHAPE(inner_choices), SHAPE(fields), SHAPE(sums), SHAPE(powers), SHAPE(climbing), SHAPE(operands), SHAPE(modifiers),
    SHAPE(spaced_modifiers), SHAPE(long_word), SHAPE(long_opcode), SHAPE(long_number), SHAPE(long_string),
    SHAPE(long_comment), SHAPE(open_comments), SHAPE(bad_bytes), SHAPE(unknown_opcodes), SHAPE(lost_semicolons),
    SHAPE(errors), GRAPH(same_label), SHAPE(same_register), SHAPE(dead_writes), GRAPH(self_loops), SHAPE(huge_ranges),
    SHAPE(only_locs), SHAPE(initializer), SHAPE(long_initializer), GRAPH(many_functions), GRAPH(many_callers), SHAPE(many_modifiers),
    GRAPH(same_function),
    SHAPE(many_files), SHAPE(many_variables), SHAPE(many_params), SHAPE(many_stems), SHAPE(many_names),
    GRAPH(nested_loops), GRAPH(irreducible), GRAPH(ladder), GRAPH(jump_tables), GRAPH(wide_liveness),
    SHAPE(undefined_arguments), GRAPH(barriers), GRAPH(flags), GRAPH(copies), GRAPH(nested_exits), SHAPE(variadic_call),
    SHAPE(long_line),
};

enum { MOST_GROWN = 70000 };

/* Sizes on both sides of the limits of nesting, of the parser's stack, and of 16-bit counts; the
 * first of these mean nothing to what is not nested. */
static void run_shape(size_t s, size_t most)
{
    static const size_t sizes[] = { 1, 2, 150, 199, 200, 201, 1100, MOST_GROWN };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (shapes[s].is_graph && sizes[i] >= 199 && sizes[i] <= 201)
            continue;
        const size_t size = shapes[s].is_graph && sizes[i] > most ? most : sizes[i];
        Text text = { 0 };
        char what[64];
        shapes[s].make(&text, size);
        snprintf(what, sizeof what, "%s %zu", shapes[s].name, size);
        run(what, &text);
        free(text.bytes);
    }
}

static void run_random(unsigned long long first, unsigned long long count)
{
    enum { MAX_SCRIPT = 200 };
    for (unsigned long long number = first; number < first + count; number++) {
        char bytes[MAX_SCRIPT], what[64];
        uint64_t state = number << 8;
        const size_t length = 8 + (size_t)(random_next(&state) % (MAX_SCRIPT - 8));
        for (size_t i = 0; i < length; i++)
            bytes[i] = (char)(1 + random_next(&state) % 255);
        snprintf(what, sizeof what, "random %llu", number);
        run(what, &(Text){ bytes, length, length });
    }
}

static void run_shapes(char *const *names)
{
    const size_t given = *names ? strtoul(*names, NULL, 10) : 0, most = given ? given : MOST_GROWN;
    names += given > 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        bool chosen = !*names;
        for (char *const *name = names; *name; name++)
            chosen |= !strcmp(*name, shapes[s].name);
        if (chosen)
            run_shape(s, most);
    }
}

int main(int argc, char **argv)
{
    char **args = argv + (argc > 0);
    if (*args && !strcmp(*args, "-v")) {
        is_verbose = true;
        /* the last line before a crash is the one before its input */
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
        args++;
    }
    if (*args && !strcmp(*args, "--grow")) {
        run_shapes(args + 1);
    } else if (*args && !strcmp(*args, "--mutate") && args[1] && args[2]) {
        run_mutants(strtoull(args[1], NULL, 10), strtoull(args[2], NULL, 10), args + 3, false);
    } else if (*args && !strcmp(*args, "--random") && args[1] && args[2]) {
        run_random(strtoull(args[1], NULL, 10), strtoull(args[2], NULL, 10));
    } else if (*args && !strcmp(*args, "--print") && args[1]) {
        run_mutants(strtoull(args[1], NULL, 10), 1, args + 2, true);
        return 0;
    } else if (*args && !strcmp(*args, "--cut") && args[1] && atoi(args[1]) > 0 && args[2]) {
        run_cuts((size_t)atoi(args[1]), args[2]);
    } else {
        int every = 1;
        if (*args && !strcmp(*args, "--every") && args[1] && atoi(args[1]) > 0) {
            every = atoi(args[1]);
            args += 2;
        }
        for (; *args; args++)
            run_folder(*args, every);
    }
    if (!input_count)
        die("no input", "the command line");
    printf("%lu inputs\n", input_count);
    return 0;
}
