/* config.c -- a user's rules, and the config file that holds for each input: the nearest
 * .ptxlint.yaml in its folder or above. */
#include "cli/cli.h"

#include "support/grow.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char config_name[] = ".ptxlint.yaml";

/* error as the library has it, "PATH:LINE:COLUMN: error: ..."; empty where it is no BAD_FILE. */
static ExitCode complain_library(const char *subject, ptxlint_status status, const char *error)
{
    if (status == PTXLINT_OK)
        return EXIT_CLEAN;
    if (status != PTXLINT_BAD_FILE)
        return ptx_complain_status(subject, status);
    if (*error)
        ptx_complain_line(error);
    else
        ptx_complain(subject, ptxlint_status_text(status));
    return EXIT_USAGE;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static ExitCode add_rule_file(ptxlint_rules *rules, const char *path)
{
    char error[1024] = "", *text;
    size_t length;
    ExitCode code = ptx_file_read_settings(path, &text, &length);
    if (code != EXIT_CLEAN)
        return code;
    code = complain_library(path, ptxlint_rules_add(rules, path, text, length, error, sizeof error),
                            error);
    free(text);
    return code;
}

static bool has_string(const StringList *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], text))
            return true;
    return false;
}

/* Files already read, by absolute name, so that one that two places name is read once. */
static ExitCode add_rule_file_once(ptxlint_rules *rules, StringList *seen, const char *path)
{
    char *absolute = realpath(path, NULL);
    ExitCode code = EXIT_CLEAN;
    if (!absolute || !has_string(seen, absolute))
        code = add_rule_file(rules, path);
    if (absolute && code == EXIT_CLEAN)
        code = ptx_strings_add(seen, absolute, strlen(absolute));
    free(absolute);
    return code;
}

static ExitCode add_rule_folder(ptxlint_rules *rules, StringList *seen, const char *folder)
{
    StringList names = { 0 };
    ExitCode code = ptx_folder_list(&names, folder, ".yaml");
    if (code == EXIT_CLEAN && !names.count) {
        ptx_complain(folder, "holds no .yaml file");
        code = EXIT_USAGE;
    }
    for (size_t i = 0; i < names.count; i++) {
        char *path = ptx_path_join(folder, names.items[i]);
        code = exit_code_max(code,
                             path ? add_rule_file_once(rules, seen, path) : ptx_complain_memory());
        free(path);
    }
    ptx_strings_free(&names);
    return code;
}

static ExitCode add_rules(ptxlint_rules *rules, StringList *seen, const StringList *paths)
{
    struct stat st;
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < paths->count; i++) {
        bool is_folder = !stat(paths->items[i], &st) && S_ISDIR(st.st_mode);
        code = exit_code_max(
            code, (is_folder ? add_rule_folder : add_rule_file_once)(rules, seen, paths->items[i]));
    }
    return code;
}

/* Those of the command line, then those of files, which may be NULL. */
static ExitCode open_rules(const Options *options, const StringList *files, ptxlint_rules **out)
{
    StringList seen = { 0 };
    if (ptxlint_rules_new(out) != PTXLINT_OK)
        return ptx_complain_memory();
    ExitCode code = add_rules(*out, &seen, &options->rules);
    if (files && code == EXIT_CLEAN)
        code = add_rules(*out, &seen, files);
    ptx_strings_free(&seen);
    return code;
}

/* ---- one config file ------------------------------------------------------------------------- */

/* Relative to the working directory where it lies below. For free(); NULL: no memory. */
static char *path_shown(const char *absolute)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool is_below = length && !strncmp(absolute, here, length) && absolute[length] == '/';
    return strdup(is_below ? absolute + length + 1 : absolute);
}

static ExitCode complain_outside(const Settings *settings, const char *name)
{
    Text text = { 0 };
    ptx_text_print(&text, "`%s` lies outside of the source root; give it as an option", name);
    ptx_complain(settings->path, text.has_failed ? "a path lies outside" : text.bytes);
    ptx_text_free(&text);
    return EXIT_USAGE;
}

/* Without links, also where the file itself is not there yet. For free(); NULL: there is no such
 * folder, or no memory. */
static char *path_resolved(char *absolute)
{
    char *real = realpath(absolute, NULL), *slash = strrchr(absolute, '/');
    if (real || !slash || !slash[1])
        return real;
    *slash = 0;
    char *folder = realpath(slash == absolute ? "/" : absolute, NULL);
    *slash = '/';
    if (folder)
        real = ptx_path_join(folder, slash + 1);
    free(folder);
    return real;
}

static bool is_path_below(const char *folder, const char *real)
{
    size_t length = strlen(folder);
    return !strncmp(folder, real, length) && (real[length] == '/' || length == 1);
}

/* Whether a config file may name it: strangers send config files, too. */
static bool may_name(const Settings *settings, const char *real)
{
    char root[4096];
    size_t length = ptxlint_source_root(settings->source_root, root, sizeof root);
    return (settings->folder && is_path_below(settings->folder, real))
           || (length && length < sizeof root && is_path_below(root, real));
}

bool ptx_settings_may_name(const Settings *settings, const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return true;
    char *real = realpath(path, NULL);
    if (!real && errno == ENOMEM)
        ptx_note_no_memory();
    bool may = real && may_name(settings, real) && !stat(real, &st) && S_ISREG(st.st_mode);
    free(real);
    return may;
}

/* A name in a config file, seen from the config file's folder. */
static ExitCode add_relative(StringList *list, const Settings *settings, const char *name)
{
    char *absolute = *name == '/' ? strdup(name) : ptx_path_join(settings->folder, name);
    if (!absolute)
        return ptx_complain_memory();
    char *real = path_resolved(absolute);
    char *shown = path_shown(real ? real : absolute);
    ExitCode code;
    if (!shown)
        code = ptx_complain_memory();
    else if (real && !may_name(settings, real))
        code = complain_outside(settings, name);
    else
        code = ptx_strings_add(list, shown, strlen(shown));
    free(absolute);
    free(real);
    free(shown);
    return code;
}

/* For ptxlint_config_rules. */
typedef struct RuleNames {
    Settings *settings;
    ExitCode code;
} RuleNames;

static int add_rule_name(void *context, const char *name, size_t length)
{
    RuleNames *names = context;
    (void)length;
    names->code = add_relative(&names->settings->rule_files, names->settings, name);
    return names->code != EXIT_CLEAN;
}

/* What is not as it should be is reported when the file is read. */
static ExitCode find_rule_names(Settings *settings, const char *text, size_t length)
{
    RuleNames names = { settings, EXIT_CLEAN };
    ptxlint_status status = ptxlint_config_rules(text, length, add_rule_name, &names);
    return status == PTXLINT_NO_MEMORY ? ptx_complain_memory() : names.code;
}

/* Values of one option as one: A,B. */
static char *join_values(const StringList *list)
{
    Text text = { 0 };
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            ptx_text_put(&text, ",");
        ptx_text_put(&text, list->items[i]);
    }
    if (!text.has_failed)
        return text.bytes;
    ptx_text_free(&text);
    return NULL;
}

static ExitCode apply_choice(Settings *settings, int row, const char *value)
{
    char error[1024] = "";
    ptxlint_status status = ptxlint_config_set(settings->config, ptx_choice_names[row].key, value,
                                               error, sizeof error);
    if (status == PTXLINT_BAD_FILE || status == PTXLINT_BAD_ARGUMENT) {
        ptx_complain(ptx_choice_names[row].option, *error ? error : ptxlint_status_text(status));
        return EXIT_USAGE;
    }
    return status == PTXLINT_OK ? EXIT_CLEAN
                                : ptx_complain_status(ptx_choice_names[row].option, status);
}

/* A second --select adds to the first, whatever the library makes of a second call. */
static ExitCode apply_joined(Settings *settings, int row, const StringList *list)
{
    if (!list->count)
        return EXIT_CLEAN;
    char *value = join_values(list);
    ExitCode code = value ? apply_choice(settings, row, value) : ptx_complain_memory();
    free(value);
    return code;
}

static ExitCode apply_choices(Settings *settings, const Options *options)
{
    ExitCode code = apply_joined(settings, CHOICE_SELECT, &options->choices[CHOICE_SELECT]);
    code = exit_code_max(code,
                         apply_joined(settings, CHOICE_IGNORE, &options->choices[CHOICE_IGNORE]));
    for (int row = CHOICE_IGNORE + 1; row < CHOICE_COUNT; row++)
        for (size_t i = 0; i < options->choices[row].count; i++)
            code = exit_code_max(code, apply_choice(settings, row, options->choices[row].items[i]));
    return code;
}

/* ---- what it says beside findings ------------------------------------------------------------ */

static ExitCode read_gpus_and_launches(Settings *settings, const Options *options)
{
    StringList gpus = { 0 }, launches = { 0 };
    ExitCode code = EXIT_CLEAN;
    const char *value;
    for (size_t i = 0; (value = ptxlint_config_value(settings->config, "gpu", i)); i++)
        code = exit_code_max(code, ptx_is_gpu_file(value)
                                       ? add_relative(&gpus, settings, value)
                                       : ptx_strings_add(&gpus, value, strlen(value)));
    value = ptxlint_config_value(settings->config, "launch", 0);
    if (value)
        code = exit_code_max(code, add_relative(&launches, settings, value));
    if (code == EXIT_CLEAN)
        code = ptx_inputs_read_config(&settings->inputs, options, &gpus,
                                      launches.count ? launches.items[0] : NULL);
    if (code == EXIT_USAGE)
        ptx_complain(settings->path, "the config file asks for this");
    ptx_strings_free(&gpus);
    ptx_strings_free(&launches);
    return code;
}

static ExitCode read_path(Settings *settings, const char *key, char **path)
{
    StringList paths = { 0 };
    const char *value = ptxlint_config_value(settings->config, key, 0);
    ExitCode code = value ? add_relative(&paths, settings, value) : EXIT_CLEAN;
    if (paths.count && !(*path = strdup(paths.items[0])))
        code = ptx_complain_memory();
    ptx_strings_free(&paths);
    return code;
}

static ExitCode read_excludes(Settings *settings)
{
    ExitCode code = EXIT_CLEAN;
    const char *value;
    for (size_t i = 0; (value = ptxlint_config_value(settings->config, "exclude", i)); i++)
        code = exit_code_max(code, ptx_strings_add(&settings->excludes, value, strlen(value)));
    return code;
}

/* ---- settings -------------------------------------------------------------------------------- */

static ExitCode open_config(Book *book, Settings *settings)
{
    settings->rules = book->rules;
    if (settings->rule_files.count) {
        ExitCode code = open_rules(book->options, &settings->rule_files, &settings->own_rules);
        if (code != EXIT_CLEAN)
            return code;
        settings->rules = settings->own_rules;
    }
    ptxlint_status status = ptxlint_config_new(settings->rules, &settings->config);
    return status == PTXLINT_OK ? EXIT_CLEAN : ptx_complain_status(NULL, status);
}

static ExitCode read_text(Book *book, Settings *settings, const char *text, size_t length)
{
    char error[1024] = "";
    ExitCode code = find_rule_names(settings, text, length);
    if (code == EXIT_CLEAN)
        code = open_config(book, settings);
    if (code == EXIT_CLEAN)
        code = complain_library(settings->path,
                                ptxlint_config_read(settings->config, settings->path, text, length,
                                                    error, sizeof error),
                                error);
    if (code == EXIT_CLEAN)
        code = exit_code_max(read_gpus_and_launches(settings, book->options),
                             read_excludes(settings));
    if (code == EXIT_CLEAN)
        code = read_path(settings, "baseline", &settings->baseline_path);
    if (code == EXIT_CLEAN)
        code = read_path(settings, "budget", &settings->budget_path);
    return code;
}

/* A config file that was found, not asked for, and is a link to somewhere else. */
static bool is_foreign_link(const Options *options, const Settings *settings)
{
    char *real = options->config_path ? NULL : realpath(settings->path, NULL);
    bool is_foreign = real && !may_name(settings, real);
    free(real);
    return is_foreign;
}

static ExitCode read_settings(Book *book, Settings *settings)
{
    char *text;
    size_t length;
    if (!settings->path)
        return open_config(book, settings);
    if (is_foreign_link(book->options, settings))
        return complain_outside(settings, settings->path);
    ExitCode code = ptx_file_read_settings(settings->path, &text, &length);
    if (code == EXIT_CLEAN)
        code = read_text(book, settings, text, length);
    else if (code == EXIT_INPUT)
        code = EXIT_USAGE;
    free(text);
    return code;
}

/* Without a config file, and where no rules are chosen: what frameworks wrote is read with the
 * preset for it. */
static bool has_generated(const Options *options, const Settings *settings)
{
    const StringList *choices = options->choices;
    return options->command == COMMAND_CHECK && !settings->path && !choices[CHOICE_SELECT].count
           && !choices[CHOICE_PRESET].count && !options->only.count;
}

static ptxlint_config *open_generated(const GeneratedConfig *generated)
{
    Settings with = { 0 };
    if (ptxlint_config_new(generated->rules, &with.config) != PTXLINT_OK)
        return NULL;
    ExitCode code = apply_choice(&with, CHOICE_PRESET, "generated");
    if (exit_code_max(code, apply_choices(&with, generated->options)) == EXIT_CLEAN)
        return with.config;
    ptxlint_config_free(with.config);
    return NULL;
}

const ptxlint_config *ptx_generated_config(void *context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    GeneratedConfig *generated = context;
    pthread_mutex_lock(&lock);
    if (!generated->config)
        generated->config = open_generated(generated);
    pthread_mutex_unlock(&lock);
    return generated->config;
}

static ExitCode add_generated(Settings *settings, const Options *options)
{
    settings->generated = malloc(sizeof *settings->generated);
    if (!settings->generated)
        return ptx_complain_memory();
    *settings->generated = (GeneratedConfig){ options, settings->rules, NULL };
    return EXIT_CLEAN;
}

/* path, folder: of the config file, to be kept or freed here; NULL: none. NULL: no memory. */
static Settings *add_settings(Book *book, char *path, char *folder)
{
    const bool has_room = ptx_list_reserve(&book->items, &book->item_capacity,
                                           book->item_count + 1, sizeof *book->items);
    Settings *settings = has_room ? calloc(1, sizeof *settings) : NULL;
    if (!settings) {
        free(path);
        free(folder);
        book->code = ptx_complain_memory();
        return NULL;
    }
    settings->path = path;
    settings->folder = folder;
    settings->source_root = book->options->source_root;
    book->items[book->item_count++] = settings;
    settings->code = read_settings(book, settings);
    /* a wrong option is reported once */
    if (settings->code == EXIT_CLEAN && book->code == EXIT_CLEAN)
        settings->code = apply_choices(settings, book->options);
    if (settings->code == EXIT_CLEAN && has_generated(book->options, settings))
        settings->code = add_generated(settings, book->options);
    book->code = exit_code_max(book->code, settings->code);
    return settings;
}

static void settings_free(Settings *settings)
{
    ptx_inputs_free(&settings->inputs);
    ptxlint_config_free(settings->config);
    if (settings->generated)
        ptxlint_config_free(settings->generated->config);
    free(settings->generated);
    ptxlint_rules_free(settings->own_rules);
    ptx_strings_free(&settings->rule_files);
    ptx_strings_free(&settings->excludes);
    free(settings->path);
    free(settings->folder);
    free(settings->baseline_path);
    free(settings->budget_path);
    free(settings);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* From the last one back: files come folder by folder. */
static Folder *find_folder(Book *book, const char *name)
{
    if (book->last_folder < book->folder_count
        && !strcmp(book->folders[book->last_folder].name, name))
        return &book->folders[book->last_folder];
    for (size_t i = book->folder_count; i-- > 0;) {
        if (!strcmp(book->folders[i].name, name)) {
            book->last_folder = i;
            return &book->folders[i];
        }
    }
    return NULL;
}

/* Keeps absolute, or frees it. NULL: no memory. */
static Folder *add_folder(Book *book, const char *name, char *absolute, Settings *settings)
{
    const bool has_room = ptx_list_reserve(&book->folders, &book->folder_capacity,
                                           book->folder_count + 1, sizeof *book->folders);
    char *copy = has_room ? strdup(name) : NULL;
    if (!copy || !absolute || !settings) {
        free(copy);
        free(absolute);
        if (book->code != EXIT_INTERNAL)
            book->code = ptx_complain_memory();
        return NULL;
    }
    book->last_folder = book->folder_count;
    book->folders[book->folder_count] =
        (Folder){ .name = copy, .absolute = absolute, .settings = settings };
    return &book->folders[book->folder_count++];
}

static char *parent_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    if (!slash || !folder[1])
        return NULL;
    return strndup(folder, slash == folder ? 1 : (size_t)(slash - folder));
}

/* The one without a config file; made when it is first asked for. */
static Settings *bare_settings(Book *book)
{
    for (size_t i = 0; i < book->item_count; i++)
        if (!book->items[i]->path)
            return book->items[i];
    return add_settings(book, NULL, NULL);
}

/* Those of the nearest config file. absolute has no link in it. */
static Settings *look_upward(Book *book, const char *absolute)
{
    const Folder *known = find_folder(book, absolute);
    if (known)
        return known->settings;
    struct stat st;
    Settings *settings = NULL;
    char *path = ptx_path_join(absolute, config_name), *parent = parent_of(absolute);
    if (path && !stat(path, &st) && !S_ISDIR(st.st_mode))
        settings = add_settings(book, path_shown(path), strdup(absolute));
    else if (path)
        settings = parent ? look_upward(book, parent) : bare_settings(book);
    free(path);
    free(parent);
    const Folder *folder = add_folder(book, absolute, strdup(absolute), settings);
    return folder ? folder->settings : NULL;
}

/* A folder that is not there has no config of its own; the file in it is reported when it is
 * opened. */
static Folder *open_folder(Book *book, const char *name)
{
    char *absolute = realpath(name, NULL);
    if (!absolute)
        absolute = realpath(".", NULL);
    if (!absolute)
        absolute = strdup("/");
    bool is_fixed = book->options->has_no_config || book->options->config_path;
    Settings *settings = NULL;
    if (absolute)
        settings = is_fixed ? book->items[0] : look_upward(book, absolute);
    Folder *known = find_folder(book, name);            /* the name may have been an absolute one */
    if (!known)
        return add_folder(book, name, absolute, settings);
    free(absolute);
    return known;
}

const Settings *ptx_book_folder(Book *book, const char *name)
{
    Folder *folder = find_folder(book, name);
    if (!folder)
        folder = open_folder(book, name);
    return folder ? folder->settings : NULL;
}

const Settings *ptx_book_file(Book *book, const char *path)
{
    const char *slash = strcmp(path, "-") ? strrchr(path, '/') : NULL;
    if (!slash)
        return ptx_book_folder(book, ".");
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    const Settings *settings = folder ? ptx_book_folder(book, folder) : NULL;
    if (!folder)
        book->code = ptx_complain_memory();
    free(folder);
    return settings;
}

/* ---- excludes -------------------------------------------------------------------------------- */

/* A pattern with a slash is held against the path from the config file's folder, one without
 * against the name. */
static bool is_match(const char *pattern, const char *path, const char *name)
{
    char clean[4096];
    size_t length = strlen(pattern);
    if (length >= sizeof clean)
        return false;
    while (length && pattern[length - 1] == '/')
        length--;
    memcpy(clean, pattern, length);
    clean[length] = 0;
    const char *begin = !strncmp(clean, "./", 2) ? clean + 2 : clean;
    return !fnmatch(begin, strchr(begin, '/') ? path : name, 0);
}

bool ptx_book_excludes(Book *book, const char *folder, const char *name)
{
    const Settings *settings = ptx_book_folder(book, folder);
    if (!settings || !settings->excludes.count)
        return false;
    const char *absolute = book->folders[book->last_folder].absolute;
    char *path = ptx_path_join(absolute, name);
    size_t length = strlen(settings->folder);
    bool is_excluded = false, is_below = path && !strncmp(path, settings->folder, length)
                                         && (path[length] == '/' || length == 1);
    const char *tail = is_below ? path + length + (length > 1) : path;
    for (size_t i = 0; path && i < settings->excludes.count && !is_excluded; i++)
        is_excluded = is_match(settings->excludes.items[i], tail, name);
    free(path);
    return is_excluded;
}

/* ---- the book -------------------------------------------------------------------------------- */

/* --config FILE: for all inputs. */
static ExitCode open_named(Book *book, const char *path)
{
    char *absolute = realpath(path, NULL);
    if (!absolute) {
        ptx_complain(path, strerror(errno));
        return EXIT_USAGE;
    }
    char *folder = parent_of(absolute);
    free(absolute);
    char *copy = strdup(path);
    return add_settings(book, copy, folder) ? book->code : EXIT_INTERNAL;
}

ExitCode ptx_book_open(Book *book, const Options *options)
{
    *book = (Book){ .options = options };
    book->code = open_rules(options, NULL, &book->rules);
    if (book->code != EXIT_CLEAN)
        return book->code;
    if (options->config_path)
        book->code = open_named(book, options->config_path);
    else if (options->has_no_config)
        bare_settings(book);
    return book->code;
}

void ptx_book_free(Book *book)
{
    for (size_t i = 0; i < book->item_count; i++)
        settings_free(book->items[i]);
    for (size_t i = 0; i < book->folder_count; i++) {
        free(book->folders[i].name);
        free(book->folders[i].absolute);
    }
    free(book->items);
    free(book->folders);
    ptxlint_rules_free(book->all_rules);
    ptxlint_rules_free(book->rules);
}

ExitCode ptx_book_all_rules(Book *book, const ptxlint_rules **out)
{
    StringList files = { 0 };
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < book->item_count; i++)
        for (size_t j = 0; j < book->items[i]->rule_files.count; j++)
            if (!has_string(&files, book->items[i]->rule_files.items[j]))
                code = exit_code_max(code,
                                     ptx_strings_add(&files, book->items[i]->rule_files.items[j],
                                                     strlen(book->items[i]->rule_files.items[j])));
    if (files.count && !book->all_rules && code == EXIT_CLEAN)
        code = open_rules(book->options, &files, &book->all_rules);
    ptx_strings_free(&files);
    *out = book->all_rules ? book->all_rules : book->rules;
    return code;
}
