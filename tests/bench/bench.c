/* bench.c -- speed and memory of the scanner, the parser and the whole of ptxlint, on a file as
 * large as one likes.
 *
 *   ptxlint-bench FOLDER [MEGABYTES...]         default: 1 10 100
 *   ptxlint-bench FILE.ptx                      that file as it is
 *   ptxlint-bench --write FOLDER BYTES PATH     that file of FOLDER, for other programs
 *
 * Of a folder, the file is every *.sm_90*.ptx of FOLDER again and again, as one module: one header,
 * and every name of module level (entries, functions, variables) with the number of its copy behind
 * it. Each figure is of a process of its own:
 *   scan    ptx_lex until the end of the file
 *   parse   the same with ptx_parser_next, items dropped as they come
 *   lint    ptxlint_module_new with findings_only, as `ptxlint check` calls it, and its diagnostics
 *           as text to a sink
 *   syntax  the same with syntax_only
 *   report  ptxlint_module_new with every figure, for the GPU of .target, and its report as JSON to
 *   a sink
 *   ptxas   `ptxas -arch=compute_XX`, which parses only, where there is a ptxas; beside each of
 *           ptxlint's runs
 *   none, tree, user    milliseconds of lint with no rule selected, with those of the tree, and
 *                       with USER_RULES of the usual kinds alone,
 *           generated as a user would write them
 * MB/s (10^6 bytes, a second of processor time) is the median of five runs; memory is the peak
 * resident set (VmHWM) without what the process had when it began, over the size of the input, of
 * which it holds one copy itself. */
#include "parser/parser.h"
#include "lexer/lexer.h"

#include "ptxlint/ptxlint.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, MEGABYTE = 1000 * 1000, USER_RULES = 200 };

typedef struct Text {
    char *bytes;                /* length of them and a NUL */
    size_t length, capacity;
} Text;

static void die(const char *what, const char *where)
{
    fprintf(stderr, "ptxlint-bench: %s: %s\n", where, what);
    exit(1);
}

static void add_bytes(Text *text, const char *bytes, size_t length)
{
    if (text->capacity - text->length < length + 1) {
        text->capacity = 2 * text->capacity + length + 1;
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes)
            die("no memory", "input");
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

static Text read_file(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status))
        die("cannot be read", path);
    Text text = { 0 };
    /* exactly: what is not used would still count as memory */
    text.capacity = (size_t)status.st_size + 1;
    text.bytes = malloc(text.capacity);
    if (!text.bytes)
        die("no memory", path);
    text.length = fread(text.bytes, 1, text.capacity - 1, file);
    text.bytes[text.length] = 0;
    fclose(file);
    return text;
}

/* ---- the input ------------------------------------------------------------------------------- */

typedef struct NameSet {
    char **items;
    size_t count;
} NameSet;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(NameSet *set, const char *text, Span span)
{
    set->items = realloc(set->items, (set->count + 1) * sizeof *set->items);
    char *name = malloc(ptx_span_length(span) + 1);
    if (!set->items || !name)
        die("no memory", "names");
    memcpy(name, text + span.begin, ptx_span_length(span));
    name[ptx_span_length(span)] = 0;
    set->items[set->count++] = name;
}

/* The names that a file declares at module level, sorted; and where its header ends. */
static NameSet find_names(const Text *file, uint32_t *header_end)
{
    jmp_buf on_failure;
    Arena arena, items;
    DiagSink diags;
    NameSet set = { 0 };
    *header_end = 0;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    ptx_arena_init(&items, SIZE_MAX, &on_failure);
    if (setjmp(on_failure))
        die("no memory", "names");
    ptx_diag_init(&diags, &arena);
    Parser *parser = ptx_parser_new(&arena, &items, &diags, file->bytes, file->length);
    for (const AstItem *item; (item = ptx_parser_next(parser));) {
        if (item->func)
            add_name(&set, file->bytes, item->func->name);
        for (const AstDecl *decl = item->decl; decl; decl = decl->next)
            add_name(&set, file->bytes, decl->name);
    }
    if (diags.count)
        die("has a syntax error", file->bytes + diags.items[0]->span.begin);
    const char *last = strstr(file->bytes, ".address_size");
    const char *line_end = last ? strchr(last, '\n') : NULL;
    if (!line_end)
        die("has no .address_size", "a test file");
    *header_end = (uint32_t)(line_end + 1 - file->bytes);
    ptx_arena_free(&arena);
    ptx_arena_free(&items);
    qsort(set.items, set.count, sizeof *set.items, compare_names);
    return set;
}

/* The file behind its header, with `_COPY` behind each of its module-level names. */
static void add_copy(Text *out, const Text *file, const NameSet *names, uint32_t header_end,
                     unsigned copy)
{
    jmp_buf on_failure;
    Arena arena;
    DiagSink diags;
    Lexer lexer;
    char word[65536], suffix[16];
    int suffix_length = snprintf(suffix, sizeof suffix, "_%u", copy);
    uint32_t done = header_end;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    if (setjmp(on_failure))
        die("no memory", "copy");
    ptx_diag_init(&diags, &arena);
    ptx_lexer_init(&lexer, file->bytes, file->length, &diags);
    for (Token token; (token = ptx_lex(&lexer)).kind != TOK_EOF;) {
        Span span = ptx_token_span(token);
        if (token.kind != TOK_WORD || span.begin < header_end
            || ptx_span_length(span) >= sizeof word)
            continue;
        memcpy(word, file->bytes + span.begin, ptx_span_length(span));
        word[ptx_span_length(span)] = 0;
        const char *key = word;
        if (!names->count || !bsearch(&key, names->items, names->count, sizeof key, compare_names))
            continue;
        add_bytes(out, file->bytes + done, span.end - done);
        add_bytes(out, suffix, (size_t)suffix_length);
        done = span.end;
    }
    add_bytes(out, file->bytes + done, file->length - done);
    ptx_arena_free(&arena);
}

static bool is_sample(const char *name)
{
    const char *target = strstr(name, ".sm_90"), *end = strrchr(name, '.');
    return target && end && !strcmp(end, ".ptx") && !strstr(name, ".debug.");
}

static Text make_input(const char *folder, size_t bytes)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    Text out = { 0 };
    static const char header[] = ".version 9.0\n.target sm_90a\n.address_size 64\n";
    if (count < 0)
        die("cannot be read", folder);
    add_bytes(&out, header, sizeof header - 1);
    for (unsigned copy = 0; out.length < bytes; copy++) {
        size_t before = out.length;
        for (int i = 0; i < count && out.length < bytes; i++) {
            char path[4096];
            if (!is_sample(entries[i]->d_name))
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            Text file = read_file(path);
            uint32_t header_end;
            NameSet names = find_names(&file, &header_end);
            add_copy(&out, &file, &names, header_end, copy * 1000 + (unsigned)i);
            for (size_t n = 0; n < names.count; n++)
                free(names.items[n]);
            free(names.items);
            free(file.bytes);
        }
        if (out.length == before)
            die("holds no *.sm_90*.ptx", folder);
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return out;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static void run_scan(const Text *text, const ptxlint_config *config)
{
    (void)config;
    jmp_buf on_failure;
    Arena arena;
    DiagSink diags;
    Lexer lexer;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    if (setjmp(on_failure))
        die("no memory", "scan");
    ptx_diag_init(&diags, &arena);
    ptx_lexer_init(&lexer, text->bytes, text->length, &diags);
    while (ptx_lex(&lexer).kind != TOK_EOF)
        ;
    ptx_arena_free(&arena);
}

static void run_parse(const Text *text, const ptxlint_config *config)
{
    (void)config;
    jmp_buf on_failure;
    Arena arena, items;
    DiagSink diags;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    ptx_arena_init(&items, SIZE_MAX, &on_failure);
    if (setjmp(on_failure))
        die("no memory", "parse");
    ptx_diag_init(&diags, &arena);
    Parser *parser = ptx_parser_new(&arena, &items, &diags, text->bytes, text->length);
    while (ptx_parser_next(parser))
        ;
    ptx_arena_free(&arena);
    ptx_arena_free(&items);
}

static int count_bytes(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return 0;
}

static ptxlint_module *analyse(const Text *text, const ptxlint_config *config, int findings_only)
{
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.config = config;
    options.findings_only = findings_only;
    if (ptxlint_module_new(text->bytes, text->length, &options, &module) != PTXLINT_OK)
        die("failed", "ptxlint_module_new");
    return module;
}

static void run_lint(const Text *text, const ptxlint_config *config)
{
    ptxlint_module *module = analyse(text, config, 1);
    size_t written = 0;
    const ptxlint_module *const modules[] = { module };
    if (ptxlint_write_diagnostics(modules, 1, NULL, count_bytes, &written) != PTXLINT_OK)
        die("failed", "ptxlint_write_diagnostics");
    ptxlint_module_free(module);
}

static void run_syntax(const Text *text, const ptxlint_config *config)
{
    (void)config;
    ptxlint_options options;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    options.syntax_only = 1;
    if (ptxlint_module_new(text->bytes, text->length, &options, &module) != PTXLINT_OK)
        die("failed", "ptxlint_module_new");
    ptxlint_module_free(module);
}

static void run_report(const Text *text, const ptxlint_config *config)
{
    ptxlint_module *module = analyse(text, config, 0);
    ptxlint_write_options options;
    size_t written = 0;
    const ptxlint_module *const modules[] = { module };
    ptxlint_write_options_init(&options);
    options.format = PTXLINT_JSON;
    if (ptxlint_write_report(modules, 1, &options, count_bytes, &written) != PTXLINT_OK)
        die("failed", "ptxlint_write_report");
    ptxlint_module_free(module);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Conditions of the usual kinds, by turns; %u: a number that differs from rule to rule. */
static const struct { const char *on, *when; } user_kinds[] = {
    { "instruction", "insn is \"div.rn.f32\" and loop.depth > %u" },
    { "instruction", "insn.opcode in [\"sqrt\", \"rcp\", \"sin\", \"cos\"] and insn.machine_instructions > %u and loop.depth > 0" },
    { "instruction", "insn is \"bar.sync\" and ever_after(insn is \"ld.shared\") and kernel.instructions > %u" },
    { "access", "insn.space == \"global\" and access.bytes > %u and access.is_invariant" },
    { "access", "insn.space in [\"local\", \"shared\"] and access.offset == %u" },
    { "branch", "branch.splits_warp and loop.depth > %u" },
    { "loop", "loop.is_innermost and count(loop.instructions: insn.is_conversion) > %u" },
    { "block", "block.instructions > 50%u and loop.depth > 0" },
    { "kernel", "kernel.is_entry and kernel.live_registers > 10%u" },
    { "kernel", "kernel.loops > 1%u and any(accesses: access.bytes < 4)" },
};

enum { KIND_COUNT = sizeof user_kinds / sizeof *user_kinds };

static Text make_rules(void)
{
    Text out = { 0 };
    char rule[1024], when[512];
    static const char head[] = "group: user\nrules:\n";
    add_bytes(&out, head, sizeof head - 1);
    for (unsigned r = 0; r < USER_RULES; r++) {
        snprintf(when, sizeof when, user_kinds[r % KIND_COUNT].when, r / KIND_COUNT + 1);
        int length = snprintf(
            rule, sizeof rule,
            "- code: USR%03u\n  name: user-%u\n  severity: note\n  on: %s\n  when: '%s'\n"
            "  message: \"in `{kernel.name}`\"\n  summary: One of many.\n  doc: None.\n",
            r, r, user_kinds[r % KIND_COUNT].on, when);
        add_bytes(&out, rule, (size_t)length);
    }
    return out;
}

/* One setting over the rules of the tree and the user's; for as long as the process runs. */
static const ptxlint_config *make_config(const char *key, const char *value)
{
    Text text = make_rules();
    ptxlint_rules *rules;
    ptxlint_config *config;
    char error[512];
    if (ptxlint_rules_new(&rules) != PTXLINT_OK)
        die("no memory", "rules");
    if (ptxlint_rules_add(rules, "user.yaml", text.bytes, text.length, error, sizeof error)
        != PTXLINT_OK)
        die("are not taken", error);
    if (ptxlint_config_new(rules, &config) != PTXLINT_OK)
        die("no memory", "rules");
    if (ptxlint_config_set(config, key, value, error, sizeof error) != PTXLINT_OK)
        die("is not taken", error);
    free(text.bytes);
    return config;
}

/* key NULL: no config. */
static const struct {
    const char *name, *key, *value;
    void (*run)(const Text *, const ptxlint_config *);
} stages[] = {
    { "scan", NULL, NULL, run_scan },       { "parse", NULL, NULL, run_parse },
    { "syntax", NULL, NULL, run_syntax },   { "lint", NULL, NULL, run_lint },
    { "report", NULL, NULL, run_report },   { "none", "ignore", "ALL", run_lint },
    { "tree", "ignore", "user", run_lint }, { "user", "select", "user", run_lint },
};

enum { STAGE_COUNT = sizeof stages / sizeof *stages, FIRST_OF_RULES = 5 };

typedef struct Result {
    double seconds, megabytes_per_s, memory_factor;
} Result;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double peak_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return kib * 1024;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The child: reads the input from path, so that its peak is not that of the one who made it. */
static Result measure(int stage, const char *path)
{
    double times[RUNS], before = peak_bytes();
    Text text = read_file(path);
    const ptxlint_config *config = stages[stage].key
                                       ? make_config(stages[stage].key, stages[stage].value)
                                       : NULL;
    for (int i = 0; i < RUNS; i++) {
        double begin = now_s();
        stages[stage].run(&text, config);
        times[i] = now_s() - begin;
    }
    qsort(times, RUNS, sizeof *times, compare_doubles);
    double seconds = times[RUNS / 2];
    Result result = { seconds, (double)text.length / MEGABYTE / seconds,
                      (peak_bytes() - before) / (double)text.length };
    free(text.bytes);
    return result;
}

/* A fresh process: this program again, as `ptxlint-bench --stage N PATH`, which prints its three
 * figures. */
static Result measure_apart(const char *self, int stage, const char *path)
{
    char command[8192], line[128] = "";
    Result result = { 0, 0, 0 };
    snprintf(command, sizeof command, "'%s' --stage %d '%s'", self, stage, path);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe) || pclose(pipe)
        || sscanf(line, "%lf %lf %lf", &result.seconds, &result.megabytes_per_s,
                  &result.memory_factor)
               != 3)
        die("failed", command);
    return result;
}

/* .target of the file, without its "sm_": as a virtual architecture it makes ptxas stop behind the
 * parser. */
static void find_target(const char *path, char out[16])
{
    Text text = read_file(path);
    const char *target = strstr(text.bytes, ".target sm_");
    *out = 0;
    if (target)
        sscanf(target, ".target sm_%15[0-9a-z]", out);
    free(text.bytes);
}

static double child_seconds(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec
           + (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Zeros: there is no ptxas, or it does not take the file. */
static Result measure_ptxas(const char *path)
{
    char command[8192], target[16];
    struct rusage before, after;
    struct stat status;
    double times[RUNS];
    find_target(path, target);
    snprintf(command, sizeof command, "ptxas -arch=compute_%s '%s' -o /dev/null >/dev/null 2>&1",
             target, path);
    for (int i = 0; i < RUNS; i++) {
        getrusage(RUSAGE_CHILDREN, &before);
        if (system(command) || stat(path, &status))
            return (Result){ 0, 0, 0 };
        getrusage(RUSAGE_CHILDREN, &after);
        times[i] = child_seconds(&after) - child_seconds(&before);
    }
    qsort(times, RUNS, sizeof *times, compare_doubles);
    return (Result){ times[RUNS / 2], (double)status.st_size / MEGABYTE / times[RUNS / 2], 0 };
}

static void write_input(const char *folder, size_t bytes, const char *path)
{
    pid_t child = fork();
    if (!child) {
        Text text = make_input(folder, bytes);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(text.bytes, 1, text.length, file) != text.length || fclose(file))
            die("cannot be written", path);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status)
        die("failed", "making the input");
}

static void print_head(void)
{
    printf("      MB");
    for (int s = 0; s < FIRST_OF_RULES; s++)
        printf("   %6s MB/s  memory/input", stages[s].name);
    for (int s = FIRST_OF_RULES; s < STAGE_COUNT; s++)
        printf("   %4s ms", stages[s].name);
    puts("   ptxas MB/s");
}

static void print_row(const char *self, const char *path)
{
    struct stat status;
    if (stat(path, &status))
        die("cannot be read", path);
    printf("%8.1f", (double)status.st_size / MEGABYTE);
    for (int s = 0; s < STAGE_COUNT; s++) {
        Result result = measure_apart(self, s, path);
        if (s < FIRST_OF_RULES)
            printf("   %11.1f  %12.2f", result.megabytes_per_s, result.memory_factor);
        else
            printf("   %7.1f", 1000 * result.seconds);
    }
    Result ptxas = measure_ptxas(path);
    if (ptxas.seconds > 0)
        printf("   %10.1f\n", ptxas.megabytes_per_s);
    else
        puts("            -");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct stat status;
    if (argc == 4 && !strcmp(argv[1], "--stage")) {
        Result result = measure(atoi(argv[2]), argv[3]);
        printf("%.17g %.17g %.17g\n", result.seconds, result.megabytes_per_s, result.memory_factor);
        return 0;
    }
    if (argc == 5 && !strcmp(argv[1], "--write")) {
        write_input(argv[2], strtoul(argv[3], NULL, 10), argv[4]);
        return 0;
    }
    if (argc < 2 || stat(argv[1], &status)) {
        fputs("usage: ptxlint-bench FOLDER [MEGABYTES...] | FILE.ptx\n", stderr);
        return 2;
    }
    print_head();
    if (!S_ISDIR(status.st_mode)) {
        print_row(argv[0], argv[1]);
        return 0;
    }
    static const char *const defaults[] = { "1", "10", "100" };
    const char *const *sizes = argc > 2 ? (const char *const *)argv + 2 : defaults;
    char path[] = "/tmp/ptxlint-bench-XXXXXX";
    int count = argc > 2 ? argc - 2 : 3, descriptor = mkstemp(path);
    if (descriptor < 0)
        die("cannot be made", path);
    close(descriptor);
    for (int i = 0; i < count; i++) {
        write_input(argv[1], strtoul(sizes[i], NULL, 10) * MEGABYTE, path);
        print_row(argv[0], path);
    }
    remove(path);
    return 0;
}
