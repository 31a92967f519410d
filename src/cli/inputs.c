/* inputs.c -- what modules are read with: GPUs, launches, logs of ptxas. */
#include "cli/cli.h"
#include "support/choice.h"
#include "support/grow.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- files ----------------------------------------------------------------------------------- */

enum { READ_BYTES = 4096 };     /* least room for a read */

char *ptx_file_bytes(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t capacity = 0;
    *length = 0;
    while (file && !ferror(file) && !feof(file)) {
        if (!ptx_list_reserve(&bytes, &capacity, *length + READ_BYTES, 1))
            break;
        *length += fread(bytes + *length, 1, capacity - *length - 1, file);
    }
    if (file && feof(file) && !ferror(file)) {
        fclose(file);
        bytes[*length] = 0;
        return bytes;
    }
    int error = errno;
    if (file)
        fclose(file);
    free(bytes);
    errno = error;
    return NULL;
}

/* Which files are read, so that none is without an end. */
typedef struct FileWanted {
    off_t bytes_max;
    bool is_pipe_good;
} FileWanted;

static ExitCode check_file(const char *path, const FileWanted *wanted)
{
    struct stat st;
    if (stat(path, &st))
        return EXIT_CLEAN;              /* reported when it is opened */
    bool is_good = S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)
                   || (wanted->is_pipe_good && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
    bool is_large = S_ISREG(st.st_mode) && st.st_size > wanted->bytes_max;
    if (!is_good)
        ptx_complain(path, "is no regular file");
    else if (is_large)
        ptx_complain(path, "is too large for what it should be");
    return is_good && !is_large ? EXIT_CLEAN : EXIT_INPUT;
}

static ExitCode read_wanted(const char *path, const FileWanted *wanted, char **text,
                            size_t *length)
{
    ExitCode code = check_file(path, wanted);
    *text = code == EXIT_CLEAN ? ptx_file_bytes(path, length) : NULL;
    if (*text || code != EXIT_CLEAN)
        return code;
    return ptx_complain_status(path, errno == ENOMEM ? PTXLINT_NO_MEMORY : PTXLINT_IO);
}

ExitCode ptx_file_read_named(const char *path, bool is_asked, char **text, size_t *length)
{
    const FileWanted document = { 1 << 30, is_asked };
    return read_wanted(path, &document, text, length);
}

ExitCode ptx_file_read(const char *path, char **text, size_t *length)
{
    return ptx_file_read_named(path, true, text, length);
}

ExitCode ptx_file_read_settings(const char *path, char **text, size_t *length)
{
    static const FileWanted settings = { 64 << 20, false };
    return read_wanted(path, &settings, text, length);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* my.yaml, or anything with a slash; no GPU has such a name. */
bool ptx_is_gpu_file(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".yaml"));
}

enum { NAME_LENGTH = 24 };      /* longer ones are no slips of a name that there is */

/* Levenshtein distance, in lower case; a name that is too long is far away. */
unsigned ptx_word_distance(const char *a, const char *b)
{
    unsigned row[NAME_LENGTH + 1], n = (unsigned)strlen(a), m = (unsigned)strlen(b);
    if (n > NAME_LENGTH || m > NAME_LENGTH)
        return NAME_LENGTH;
    for (unsigned j = 0; j <= m; j++)
        row[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            unsigned change = diagonal + (tolower((unsigned char)a[i - 1]) != b[j - 1]);
            unsigned least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[m];
}

static unsigned common_prefix(const char *a, const char *b)
{
    unsigned length = 0;
    while (a[length] && tolower((unsigned char)a[length]) == b[length])
        length++;
    return length;
}

/* The known name with the fewest edits, at most 2 and fewer than it has letters; of several the one
 * that begins most alike. NULL: none. */
static const char *nearest_gpu(const char *name)
{
    const char *nearest = NULL;
    unsigned least = 3, longest = 0;
    const ptxlint_gpu *gpu;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++) {
        const char *known = ptxlint_gpu_get_info(gpu)->name;
        unsigned distance = ptx_word_distance(name, known), prefix = common_prefix(name, known);
        if (distance < strlen(name)
            && (distance < least || (nearest && distance == least && prefix > longest))) {
            least = distance;
            longest = prefix;
            nearest = known;
        }
    }
    return nearest;
}

static ExitCode complain_gpu(const char *name)
{
    char text[256];
    const char *nearest = nearest_gpu(name);
    if (nearest)
        snprintf(text, sizeof text,
                 "unknown GPU '%.80s'; did you mean %.40s? `ptxlint gpu` lists them all", name,
                 nearest);
    else
        snprintf(text, sizeof text, "unknown GPU '%.80s'; `ptxlint gpu` lists them all", name);
    ptx_complain(NULL, text);
    return EXIT_USAGE;
}

/* error is "line 3, column 5: ...", as ptxlint_gpu_new and ptxlint_launches_new have it. */
static ExitCode complain_in_file(const char *path, const char *error)
{
    unsigned line = 1, column = 1;
    int length = 0;
    if (sscanf(error, "line %u, column %u: %n", &line, &column, &length) != 2)
        length = 0;
    ptx_complain_at(path, line, column, error + length);
    return EXIT_USAGE;
}

/* The file's name without folder and .yaml, for free(). */
static char *gpu_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    size_t length = name ? strlen(name) : 0;
    if (length > 5 && !strcmp(name + length - 5, ".yaml"))
        name[length - 5] = 0;
    return name;
}

static ExitCode read_gpu_file(const char *path, ptxlint_gpu **out)
{
    char error[512] = "", *text, *name = gpu_name_of(path);
    size_t length;
    *out = NULL;
    ExitCode code = ptx_file_read_settings(path, &text, &length);
    if (code == EXIT_CLEAN) {
        ptxlint_status status = name ? ptxlint_gpu_new(name, text, length, out, error, sizeof error)
                                     : PTXLINT_NO_MEMORY;
        if (status == PTXLINT_BAD_FILE)
            code = complain_in_file(path, error);
        else if (status != PTXLINT_OK)
            code = ptx_complain_status(path, status);
    }
    free(text);
    free(name);
    return code;
}

static bool has_gpu(const Inputs *inputs, const ptxlint_gpu *gpu)
{
    for (size_t i = 0; i < inputs->gpu_count; i++)
        if (inputs->gpus[i] == gpu)
            return true;
    return false;
}

/* "c2050:shared=16k": one that is built in, set. */
static ExitCode make_set_gpu(const char *name, size_t length, ptxlint_gpu **out)
{
    char error[256] = "", *base = strndup(name, length);
    *out = NULL;
    if (!base)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    const ptxlint_gpu *gpu = ptxlint_gpu_find(base);
    ExitCode code = gpu ? EXIT_CLEAN : complain_gpu(base);
    free(base);
    if (code != EXIT_CLEAN)
        return code;
    const ptxlint_status status = ptxlint_gpu_with(gpu, name + length + 1, out, error,
                                                   sizeof error);
    if (status == PTXLINT_BAD_ARGUMENT) {
        ptx_complain("--gpu", error);
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

static bool is_set_already(const Inputs *inputs, const char *name)
{
    for (size_t i = 0; i < inputs->gpu_count; i++)
        if (!strcasecmp(ptxlint_gpu_get_info(inputs->gpus[i])->name, name))
            return true;
    return false;
}

static ExitCode read_own_gpu(const char *name, ptxlint_gpu **out)
{
    const size_t length = strcspn(name, ":");
    return name[length] && !ptx_is_gpu_file(name) ? make_set_gpu(name, length, out)
                                                  : read_gpu_file(name, out);
}

/* room: how many there will be at most, the same in each call. */
ExitCode ptx_inputs_add_gpu(Inputs *inputs, const char *name, size_t room)
{
    if (!inputs->gpus)
        inputs->gpus = calloc(room, sizeof *inputs->gpus);
    if (!inputs->files)
        inputs->files = calloc(room, sizeof *inputs->files);
    if (!inputs->gpus || !inputs->files)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    const ptxlint_gpu *gpu;
    const bool is_file = ptx_is_gpu_file(name), is_set = !is_file && strchr(name, ':');
    if (is_set && is_set_already(inputs, name))
        return EXIT_CLEAN;
    if (is_file || is_set) {
        ExitCode code = read_own_gpu(name, &inputs->files[inputs->file_count]);
        if (code != EXIT_CLEAN)
            return code;
        gpu = inputs->files[inputs->file_count++];
    } else if (!(gpu = ptxlint_gpu_find(name))) {
        return complain_gpu(name);
    }
    if (!has_gpu(inputs, gpu))
        inputs->gpus[inputs->gpu_count++] = gpu;
    return EXIT_CLEAN;
}

/* All of them are looked at, so that every wrong name is reported at once. */
static ExitCode read_gpus(Inputs *inputs, const StringList *names)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < names->count; i++)
        code = exit_code_max(code, ptx_inputs_add_gpu(inputs, names->items[i], names->count));
    return code;
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool has_settings(const Options *options)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (options->settings[i].count)
            return true;
    return false;
}

static ExitCode read_launch_text(Inputs *inputs, const Options *options, char **json,
                                 size_t *length)
{
    const char *path = inputs->launch_path;
    if (!path)
        return EXIT_CLEAN;
    return ptx_file_read_named(path, options->launch_path != NULL, json, length);
}

static ExitCode read_launch_file(Inputs *inputs, const Options *options, const char *path)
{
    char error[512] = "", *json = NULL;
    size_t length = 0;
    inputs->launch_path = path ? strdup(path) : NULL;
    if (path && !inputs->launch_path)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    ExitCode code = read_launch_text(inputs, options, &json, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_launches_new(json, length, &inputs->launches, error,
                                                 sizeof error);
    free(json);
    if (status == PTXLINT_BAD_FILE && !strncmp(error, "line ", 5))
        return complain_in_file(path, error);
    if (status == PTXLINT_BAD_FILE) {
        ptx_complain(path, *error ? error : ptxlint_status_text(status));
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(path, status);
}

/* "16x16" stands for 16,16, where that can be set. */
static void suggest_commas(Inputs *inputs, const SettingName *name, const char *value, char *error,
                           size_t room)
{
    char commas[32];
    size_t used = strlen(error);
    if (!strpbrk(value, "xX") || strlen(value) >= sizeof commas
        || strspn(value, "0123456789xX") != strlen(value))
        return;
    snprintf(commas, sizeof commas, "%s", value);
    for (char *at = commas; (at = strpbrk(at, "xX")); at++)
        *at = ',';
    if (ptxlint_launches_set(inputs->launches, name->key, commas, NULL, 0) == PTXLINT_OK)
        snprintf(error + used, room - used, "; did you mean %s?", commas);
}

static ExitCode apply_setting(Inputs *inputs, const SettingName *name, const char *value)
{
    char error[512] = "";
    ptxlint_status status = ptxlint_launches_set(inputs->launches, name->key, value, error,
                                                 sizeof error);
    if (status == PTXLINT_BAD_FILE) {
        suggest_commas(inputs, name, value, error, sizeof error);
        ptx_complain(name->option, error);
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(name->option, status);
}

static ExitCode read_launches(Inputs *inputs, const Options *options, const char *path)
{
    if (!path && !has_settings(options))
        return EXIT_CLEAN;
    ExitCode code = read_launch_file(inputs, options, path);
    for (int i = 0; i < SETTING_COUNT && inputs->launches; i++)
        for (size_t j = 0; j < options->settings[i].count; j++)
            code = exit_code_max(
                code, apply_setting(inputs, &ptx_setting_names[i], options->settings[i].items[j]));
    return code;
}

/* ---- logs ------------------------------------------------------------------------------------ */

/* Behind the others, after a line end: ptxas may add to them for each file. */
static ExitCode keep_log(Inputs *inputs, const char *text, size_t length)
{
    size_t exactly = 0;
    if (!ptx_list_reserve(&inputs->log_text, &exactly, inputs->log_length + length + 1, 1))
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    memcpy(inputs->log_text + inputs->log_length, text, length);
    inputs->log_length += length;
    inputs->log_text[inputs->log_length++] = '\n';
    return EXIT_CLEAN;
}

static ExitCode read_log(Inputs *inputs, const char *path)
{
    char *text;
    size_t length, kernels = 0;
    ExitCode code = ptx_file_read(path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    ptxlint_status status = ptxlint_ptxas_add(inputs->logs, text, length, &kernels);
    if (status != PTXLINT_OK)
        code = ptx_complain_status(path, status);
    else
        code = keep_log(inputs, text, length);
    free(text);
    if (code == EXIT_CLEAN && !kernels) {
        ptx_complain(path, "names no kernel: it is not output of ptxas -v");
        return EXIT_USAGE;
    }
    return code;
}

static ExitCode read_logs(Inputs *inputs, const Options *options)
{
    ExitCode code = EXIT_CLEAN;
    if (options->logs.count && ptxlint_ptxas_new(&inputs->logs) != PTXLINT_OK)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; i < options->logs.count; i++)
        code = exit_code_max(code, read_log(inputs, options->logs.items[i]));
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

ExitCode ptx_inputs_read(Inputs *inputs, const Options *options)
{
    ExitCode code = read_gpus(inputs, &options->gpus);
    code = exit_code_max(code, read_launches(inputs, options, options->launch_path));
    return exit_code_max(code, read_logs(inputs, options));
}

ExitCode ptx_inputs_read_config(Inputs *inputs, const Options *options, const StringList *gpus,
                                const char *launch_path)
{
    ExitCode code = options->gpus.count ? EXIT_CLEAN : read_gpus(inputs, gpus);
    if (launch_path && !options->launch_path)
        code = exit_code_max(code, read_launches(inputs, options, launch_path));
    return code;
}

void ptx_inputs_free(Inputs *inputs)
{
    for (size_t i = 0; i < inputs->file_count; i++)
        ptxlint_gpu_free(inputs->files[i]);
    free(inputs->files);
    free(inputs->gpus);
    ptxlint_launches_free(inputs->launches);
    free(inputs->launch_path);
    free(inputs->log_text);
    ptxlint_ptxas_free(inputs->logs);
}

/* ---- modules --------------------------------------------------------------------------------- */

const Inputs *ptx_inputs_launches(const ModuleSource *source)
{
    return source->config->launches ? source->config : source->given;
}

const char *ptx_inputs_metadata(const Options *options, const InputFile *file)
{
    bool is_looked_for = !options->has_no_metadata && !file->is_container
                         && strcmp(file->path, "-") != 0;
    return is_looked_for ? file->path : NULL;
}

ExitCode ptx_complain_metadata(const ptxlint_module *module)
{
    const ptxlint_module_info *info = ptxlint_module_get_info(module);
    if (info->metadata_error)
        ptx_complain(info->metadata, info->metadata_error);
    return info->metadata_error ? EXIT_USAGE : EXIT_CLEAN;
}

ExitCode ptx_inputs_open(const ModuleSource *source, const InputFile *file, ptxlint_module **out)
{
    ptxlint_options with;
    const Inputs *gpus = source->given->gpu_count ? source->given : source->config;
    ptxlint_options_init(&with);
    with.path = file->path;
    with.gpus = gpus->gpus;
    with.gpu_count = gpus->gpu_count;
    with.launches = ptx_inputs_launches(source)->launches;
    with.metadata_path = ptx_inputs_metadata(source->options, file);
    with.ptxas = source->given->logs;
    with.jobs = ptx_jobs_threads(source->options, 1);
    with.estimates_only = source->has_estimates_only;
    with.has_instructions = source->has_instructions;
    ptxlint_status status = ptx_file_module(file, &with, out, NULL);
    if (status == PTXLINT_BAD_FILE)
        return EXIT_INPUT;
    if (status != PTXLINT_OK)
        return ptx_complain_status(file->path, status);
    ExitCode code = ptx_complain_metadata(*out);
    if (code != EXIT_CLEAN) {
        ptxlint_module_free(*out);
        *out = NULL;
    }
    return code;
}

const char *ptx_launch_missing(const ptxlint_kernel *kernel)
{
    if (kernel->launch.blocks <= 0)
        return kernel->launch.block_is_assumed
                   ? "its grid and block are not given; give --grid and --block, or --launch"
                   : "its grid is not given; give --grid or --launch";
    return "its block is not given; give --block or --launch";
}

const char *ptx_why_untimed(const ptxlint_estimated *e)
{
    return ptx_text_or(e->occupancy.error, ptx_text_or(e->time.why, "no time is predicted"));
}

const char *ptx_why_unbound(const ptxlint_estimated *e)
{
    return e->knows_params
               ? ptx_text_or(e->time.bound_why, "no work of the launch is sure to take time")
               : "it would rest on values that were assumed for parameters";
}
