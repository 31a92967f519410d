#include "program.h"

#include <ftw.h>

static const char folder_pattern[] = "/tmp/ptxlint-cli-XXXXXX";

/* ---- the files ------------------------------------------------------------------------------- */

void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

int enter_folder(const char *const *folders, const File *files, size_t file_count)
{
    char program[4096], folder[sizeof folder_pattern];
    if (!getenv("PTXLINT") || !realpath(getenv("PTXLINT"), program)) {
        fprintf(stderr, "PTXLINT must be the path of the program\n");
        return -1;
    }
    setenv("PTXLINT", program, 1);
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    unsetenv("TMPDIR");
    memcpy(folder, folder_pattern, sizeof folder);
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    for (size_t i = 0; folders[i]; i++)
        if (mkdir(folders[i], 0777))
            return -1;
    for (size_t i = 0; i < file_count; i++)
        write_file(files[i].path, files[i].text, strlen(files[i].text));
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

/* Where enter_folder has failed, cmocka comes here all the same: nothing but a folder of ours is
 * removed. */
int leave_folder(void)
{
    char here[4096];
    size_t length = strlen(folder_pattern);
    if (!getcwd(here, sizeof here) || strlen(here) != length
        || strncmp(here, folder_pattern, length - strlen("XXXXXX")) != 0)
        return -1;
    return chdir("/") || nftw(here, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- running --------------------------------------------------------------------------------- */

char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    size_t capacity = 1 << 16, n = 0, got;
    char *text = malloc(capacity + 1);
    assert_non_null(file);
    assert_non_null(text);
    while ((got = fread(text + n, 1, capacity - n, file)) > 0) {
        n += got;
        if (n == capacity)
            assert_non_null(text = realloc(text, (capacity *= 2) + 1));
    }
    fclose(file);
    text[n] = 0;
    if (length)
        *length = n;
    return text;
}

/* LeakSanitizer reads some 10 MB of its own at each end of a program, half of what a short run
 * takes: one run in four, the same ones each time, is looked at. Other builds do not read this. */
static void choose_leak_check(void)
{
    static unsigned run_count;
    setenv("LSAN_OPTIONS", run_count++ % 4 ? "detect_leaks=0" : "detect_leaks=1", 1);
}

static int run_shell(const char *command)
{
    choose_leak_check();
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Result run(const char *command)
{
    char line[2048];
    Result result;
    assert_true(snprintf(line, sizeof line, "{ %s\n} >.out 2>.err </dev/null", command)
                < (int)sizeof line);
    result.status = run_shell(line);
    result.out = read_file(".out", &result.out_length);
    result.err = read_file(".err", NULL);
    return result;
}

void result_free(Result *result)
{
    free(result->out);
    free(result->err);
}

bool holds(const char *text, const char *part)
{
    return !part || (*part ? strstr(text, part) != NULL : !*text);      /* "": must be empty */
}

void check_cases(const Case *cases, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        Result result = run(cases[i].command);
        if (result.status != cases[i].status || !holds(result.out, cases[i].out)
            || !holds(result.err, cases[i].err)
            || (cases[i].absent && strstr(result.out, cases[i].absent))) {
            print_error("%s\n  exit %d, want %d\n--- stdout\n%s--- stderr\n%s---\n",
                        cases[i].command, result.status, cases[i].status, result.out, result.err);
            failed++;
        }
        result_free(&result);
    }
    assert_int_equal(failed, 0);
}

json_t *run_json(const char *command, int status)
{
    json_error_t error;
    Result result = run(command);
    json_t *value = json_loadb(result.out, result.out_length, JSON_REJECT_DUPLICATES, &error);
    if (!value || result.status != status)
        fail_msg("%s: exit %d, line %d: %s\n%s%s", command, result.status, error.line, error.text,
                 result.out, result.err);
    result_free(&result);
    return value;
}

const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(none)";
}
