/* matched.c -- what of --kernel, --param, --trip and of launch files no kernel of the inputs
 * has. */
#include "cli/cli.h"
#include "support/choice.h"
#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 8, MAX_LOOKED_UP = 200, KERNELS_TOLD = 64 };

/* ---- collecting ------------------------------------------------------------------------------ */

/* What single settings say, without a file. */
static ptxlint_status read_settings(const Options *options, ptxlint_launches **out)
{
    ptxlint_status status = ptxlint_launches_new(NULL, 0, out, NULL, 0);
    for (int i = 0; i < SETTING_COUNT && status == PTXLINT_OK; i++)
        for (size_t j = 0; j < options->settings[i].count && status != PTXLINT_NO_MEMORY; j++)
            status = ptxlint_launches_set(*out, ptx_setting_names[i].key,
                                          options->settings[i].items[j], NULL, 0);
    /* inputs.c reports what is wrong with a value */
    return status == PTXLINT_BAD_FILE ? PTXLINT_OK : status;
}

ExitCode ptx_matched_begin(Matched *matched, const Options *options)
{
    ptxlint_launches *settings;
    matched->options = options;
    ptxlint_status status = read_settings(options, &settings);
    if (status == PTXLINT_OK)
        status = ptxlint_coverage_new(settings, &matched->asked);
    ptxlint_launches_free(settings);
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

/* The same file may be that of many folders. */
static LaunchFile *find_file(Matched *matched, const Inputs *inputs)
{
    for (size_t i = 0; i < matched->file_count; i++)
        if (!strcmp(matched->files[i].path, inputs->launch_path))
            return &matched->files[i];
    size_t capacity = matched->file_count;
    if (!ptx_list_reserve(&matched->files, &capacity, matched->file_count + 1,
                          sizeof *matched->files))
        return NULL;
    LaunchFile *file = &matched->files[matched->file_count];
    *file = (LaunchFile){ .path = strdup(inputs->launch_path) };
    if (!file->path || ptxlint_coverage_new(inputs->launches, &file->coverage) != PTXLINT_OK) {
        free(file->path);
        return NULL;
    }
    matched->file_count++;
    return file;
}

static bool has_kernel(const ptxlint_module *module, const char *glob_text)
{
    size_t count;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++)
        if (ptxlint_name_fits(glob_text, kernels[i].name))
            return true;
    return false;
}

static void note_kernels(Matched *matched, const ptxlint_module *module)
{
    const StringList *globs = &matched->options->kernels;
    for (size_t i = 0; i < globs->count && i < KERNELS_TOLD; i++)
        if (!(matched->kernels >> i & 1) && has_kernel(module, globs->items[i]))
            matched->kernels |= UINT64_C(1) << i;
}

ExitCode ptx_matched_add(Matched *matched, const Inputs *inputs, const ptxlint_module *module)
{
    note_kernels(matched, module);
    LaunchFile *file = inputs->launch_path ? find_file(matched, inputs) : NULL;
    ptxlint_status status = inputs->launch_path && !file ? PTXLINT_NO_MEMORY : PTXLINT_OK;
    if (status == PTXLINT_OK && file)
        status = ptxlint_coverage_add(file->coverage, module, NULL);
    if (status == PTXLINT_OK)
        status = ptxlint_coverage_add(matched->asked, module, matched->options->kernel_glob);
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

/* ---- of modules that are kept --------------------------------------------------------------- */

/* A coverage of the module alone. NULL: no memory. */
static ptxlint_coverage *cover_alone(const ptxlint_launches *launches, const ptxlint_module *module,
                                     const char *glob_text)
{
    ptxlint_coverage *coverage = NULL;
    ptxlint_status status = ptxlint_coverage_new(launches, &coverage);
    if (status == PTXLINT_OK)
        status = ptxlint_coverage_add(coverage, module, glob_text);
    if (status == PTXLINT_OK)
        return coverage;
    ptxlint_coverage_free(coverage);
    return NULL;
}

/* A parameter or loop of an entry that it takes, but does not have. */
static bool has_slip(const Matches *matches, const ptxlint_coverage *coverage)
{
    ptxlint_covered seen;
    for (size_t i = 0; i < matches->file_count && ptxlint_coverage_at(coverage, i, &seen); i++)
        if (matches->bytes[matches->asked_count + i] == 2 && seen.kernel
            && seen.part != PTXLINT_PART_KERNEL)
            return true;
    return false;
}

bool ptx_matched_take(const Matched *matched, const Inputs *inputs, const ptxlint_module *module,
                      Matches *out)
{
    ptxlint_launches *settings = NULL;
    ptxlint_coverage *asked = NULL, *file = NULL;
    const char *glob_text = matched->options->kernel_glob;
    if (read_settings(matched->options, &settings) == PTXLINT_OK)
        asked = cover_alone(settings, module, glob_text);
    if (inputs->launch_path)
        file = cover_alone(inputs->launches, module, NULL);
    out->asked_count = ptxlint_coverage_matches(asked, NULL, 0);
    out->file_count = ptxlint_coverage_matches(file, NULL, 0);
    out->bytes = calloc(out->asked_count + out->file_count + 1, 1);
    bool is_good = out->bytes && asked && (file || !inputs->launch_path);
    if (is_good) {
        ptxlint_coverage_matches(asked, out->bytes, out->asked_count);
        ptxlint_coverage_matches(file, out->bytes + out->asked_count, out->file_count);
        is_good = !has_slip(out, file);
    }
    ptxlint_launches_free(settings);
    ptxlint_coverage_free(asked);
    ptxlint_coverage_free(file);
    return is_good;
}

ExitCode ptx_matched_add_taken(Matched *matched, const Inputs *inputs,
                               const ptxlint_module *module, const Matches *taken)
{
    note_kernels(matched, module);
    LaunchFile *file = inputs->launch_path ? find_file(matched, inputs) : NULL;
    ptxlint_status status = inputs->launch_path && !file ? PTXLINT_NO_MEMORY : PTXLINT_OK;
    if (status == PTXLINT_OK && file)
        status = ptxlint_coverage_add_matches(file->coverage, module,
                                              taken->bytes + taken->asked_count,
                                              taken->file_count);
    if (status == PTXLINT_OK)
        status = ptxlint_coverage_add_matches(matched->asked, module, taken->bytes,
                                              taken->asked_count);
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

bool ptx_matched_is_open(const Matched *matched)
{
    ptxlint_covered seen;
    for (size_t i = 0; ptxlint_coverage_at(matched->asked, i, &seen); i++)
        if (!seen.matches)
            return true;
    return false;
}

/* As one would type it: without template arguments and parameters, where wanted is not mangled. */
static const char *name_to_type(const char *wanted, const char *name, char *out, size_t room)
{
    size_t length = ptxlint_demangle(name, PTXLINT_NAME_QUALIFIED, out, room);
    return length && length < room && wanted[0] != '_' ? out : name;
}

/* ---- options --------------------------------------------------------------------------------- */

/* A pattern is compared by its letters; where it is found inside a name, stars around it match
 * that. */
static ExitCode tell_kernel(const Matched *matched, const char *glob_text)
{
    char letters[128], wide[136], text[512], shown[200];
    size_t length = 0;
    for (const char *at = glob_text; *at && length < sizeof letters - 1; at++)
        if (!strchr("*?[]", *at))
            letters[length++] = *at;
    letters[length] = 0;
    snprintf(wide, sizeof wide, "*%s*", letters);
    const char *near = ptxlint_coverage_suggest_kernel(matched->asked, letters);
    if (near && ptxlint_name_fits(wide, near))
        snprintf(text, sizeof text, "'%.100s' matches no kernel; '%s' matches `%.200s`", glob_text,
                 wide, name_to_type(letters, near, shown, sizeof shown));
    else if (near)
        snprintf(text, sizeof text, "'%.100s' matches no kernel; did you mean `%.200s`?", glob_text,
                 name_to_type(letters, near, shown, sizeof shown));
    else
        snprintf(text, sizeof text,
                 "'%.100s' matches no kernel; `ptxlint report` lists the kernels", glob_text);
    ptx_complain("--kernel", text);
    return EXIT_USAGE;
}

/* "; did you mean `n`?", or nothing. */
static const char *put_suggestion(const char *near, char *out, size_t room)
{
    *out = '\0';
    if (near)
        snprintf(out, room, "; did you mean `%.200s`?", near);
    return out;
}

static bool is_position(const char *name)
{
    return strspn(name, "0123456789") == strlen(name);
}

/* "", "; it has 4, 0 to 3", for a position beyond the last. whose: who has them. */
static const char *put_count(const ptxlint_covered *seen, const char *whose, char *out, size_t room)
{
    *out = 0;
    if (!seen->param_count)
        snprintf(out, room, "; %s none", whose);
    else if (is_position(seen->name))
        snprintf(out, room, "; %s %u, numbered from 0 to %u", whose, (unsigned)seen->param_count,
                 (unsigned)seen->param_count - 1);
    return out;
}

static void tell_param(const Matched *matched, size_t index, const ptxlint_covered *seen)
{
    char text[600], count[80], suggestion[240];
    const char *near = is_position(seen->name) ? NULL
                                               : ptxlint_coverage_suggest(matched->asked, index);
    const char *hint = is_position(seen->name) || near || !seen->param_count
                           ? ""
                           : "; nvcc has no names: give the position from 0";
    if (seen->misfit)
        snprintf(text, sizeof text,
                 "the value of '%.100s' does not fit the parameter, which is .%.20s (%lu bytes)",
                 seen->name, seen->misfit, (unsigned long)seen->misfit_bytes);
    else
        snprintf(text, sizeof text, "no kernel has a parameter '%.100s'%s%s%s", seen->name,
                 put_count(seen, "the most that one has is", count, sizeof count),
                 put_suggestion(near, suggestion, sizeof suggestion), hint);
    ptx_complain("--param", text);
}

/* "no loop holds line 3; the nearest begins at line 44". */
static void put_line(const ptxlint_covered *seen, char *out, size_t room)
{
    if (seen->near_line)
        snprintf(out, room, "no loop holds line %u; the nearest one begins at line %u",
                 (unsigned)seen->line, (unsigned)seen->near_line);
    else
        snprintf(out, room, "no loop holds line %u: there is none at all", (unsigned)seen->line);
}

static void tell_trip(const Matched *matched, size_t index, const ptxlint_covered *seen)
{
    char text[512], suggestion[240];
    if (seen->line) {
        put_line(seen, text, sizeof text);
        ptx_complain("--trip", text);
        return;
    }
    put_suggestion(ptxlint_coverage_suggest(matched->asked, index), suggestion, sizeof suggestion);
    snprintf(text, sizeof text, "no loop begins at the label '%.100s'%s%s", seen->name, suggestion,
             *suggestion ? "" : "; `ptxlint report` lists the loops");
    ptx_complain("--trip", text);
}

static ExitCode tell_asked(const Matched *matched)
{
    ExitCode code = EXIT_CLEAN;
    ptxlint_covered seen;
    for (size_t i = 0; i < matched->options->kernels.count && i < KERNELS_TOLD; i++)
        if (!(matched->kernels >> i & 1))
            code = tell_kernel(matched, matched->options->kernels.items[i]);
    if (code != EXIT_CLEAN)
        return code;
    for (size_t i = 0; ptxlint_coverage_at(matched->asked, i, &seen); i++) {
        if (seen.matches)
            continue;
        if (seen.part == PTXLINT_PART_PARAM)
            tell_param(matched, i, &seen);
        else
            tell_trip(matched, i, &seen);
        code = EXIT_USAGE;
    }
    return code;
}

/* ---- launch files ---------------------------------------------------------------------------- */

/* What is wrong in an entry whose kernel is there. */
static void tell_inside(const LaunchFile *file, const ptxlint_covered *seen)
{
    char text[600], count[80], line[120];
    if (seen->line) {
        put_line(seen, line, sizeof line);
        snprintf(text, sizeof text, "kernel \"%.200s\": %s", seen->kernel, line);
    } else if (seen->part == PTXLINT_PART_TRIP)
        snprintf(text, sizeof text,
                 "kernel \"%.200s\": no loop of it begins at the label \"%.100s\"", seen->kernel,
                 seen->name);
    else if (seen->misfit)
        snprintf(text, sizeof text,
                 "kernel \"%.200s\": the value of parameter %.10s does not fit its type, .%.20s "
                 "(%lu bytes)",
                 seen->kernel, seen->name, seen->misfit, (unsigned long)seen->misfit_bytes);
    else
        snprintf(text, sizeof text, "kernel \"%.200s\" has no parameter %.10s%s", seen->kernel,
                 seen->name, put_count(seen, "it has", count, sizeof count));
    ptx_complain(file->path, text);
}

static void tell_near(const LaunchFile *file, size_t index, const ptxlint_covered *seen,
                      unsigned *lines)
{
    char text[512], shown[200];
    const char *near = *lines < MAX_LINES ? ptxlint_coverage_suggest(file->coverage, index) : NULL;
    if (!near)
        return;
    snprintf(text, sizeof text, "no kernel \"%.200s\"; did you mean \"%.200s\"?", seen->name,
             name_to_type(seen->name, near, shown, sizeof shown));
    ptx_complain(file->path, text);
    ++*lines;
}

static void tell_count(const LaunchFile *file, size_t unmatched, size_t count, const char *first)
{
    char text[400];
    snprintf(text, sizeof text, "%zu of %zu kernel%s %s in no input, as \"%.200s\"", unmatched,
             count, ptx_plural(count), unmatched == 1 ? "is" : "are", first);
    ptx_complain(file->path, text);
}

/* Of entries for one kernel the first is its launch. */
static void tell_overruled(const LaunchFile *file, const char *name)
{
    char text[400];
    snprintf(text, sizeof text,
             "a further launch of \"%.200s\" is not looked at: the first one is; give each a file "
             "of its own",
             name);
    ptx_complain(file->path, text);
}

/* Whether all of it has matched. */
static bool tell_file(const LaunchFile *file)
{
    size_t count = 0, unmatched = 0, inside = 0, overruled = 0;
    unsigned lines = 0;
    const char *first = NULL;
    ptxlint_covered seen;
    for (size_t i = 0; ptxlint_coverage_at(file->coverage, i, &seen); i++) {
        bool is_kernel = seen.part == PTXLINT_PART_KERNEL;
        count += is_kernel;
        overruled += seen.is_overruled != 0;
        if (seen.is_overruled && overruled <= MAX_LINES)
            tell_overruled(file, seen.name);
        if (seen.matches || !seen.kernel)
            continue;
        first = is_kernel && !first ? seen.name : first;
        unmatched += is_kernel;
        inside += !is_kernel;
        if (is_kernel && unmatched <= MAX_LOOKED_UP)
            tell_near(file, i, &seen, &lines);
        else if (!is_kernel && inside <= MAX_LINES)
            tell_inside(file, &seen);
    }
    if (unmatched)
        tell_count(file, unmatched, count, first);
    return !unmatched && !inside;
}

ExitCode ptx_matched_report(const Matched *matched)
{
    ExitCode code = tell_asked(matched);
    for (size_t i = 0; i < matched->file_count; i++)
        if (!tell_file(&matched->files[i]) && matched->options->is_strict_launch)
            code = EXIT_USAGE;
    return code;
}

void ptx_matched_free(Matched *matched)
{
    for (size_t i = 0; i < matched->file_count; i++) {
        free(matched->files[i].path);
        ptxlint_coverage_free(matched->files[i].coverage);
    }
    free(matched->files);
    ptxlint_coverage_free(matched->asked);
}

bool ptx_is_asked(const Options *options, const ptxlint_kernel *kernel)
{
    return kernel->is_entry
           && (!options->kernel_glob || ptxlint_name_fits(options->kernel_glob, kernel->name));
}
