/* cli.h -- the command line: options.c reads it (its tables and texts are in help.c), config.c
 * finds config files and a user's rules, paths.c the inputs and what they hold, inputs.c reads
 * GPUs, launches and logs; jobs.c makes modules in threads, ptxas.c runs ptxas, run.c does the work
 * through the public API, gates.c holds baselines and budgets, matched.c what has matched nothing,
 * and tally.c counts.
 * fix.c makes the edits of findings, and unified_diff.c shows them.
 * diff_git.c builds both sides of a diff; cache.c keeps modules for later runs, shard.c shares a
 * run out among machines.
 * explain.c, extract.c, launch.c with record.c, rules.c and show.c are commands of their own. So
 * are in measured/ verify.c and calibrate.c, which share measured_inputs.c, and gpu_measure.c with
 * gpu_file.c; in variants/ tune.c,
 * rank.c with optspace.c, and occupancy.c, whose rows json_csv.c writes; and in pages/ isa.c,
 * schema.c, complete.c and manual.c; they write through pages/page.c and pages/isa_page.c
 * (Markdown) and paint.c (Markdown to a terminal).
 *
 * What fails complains on standard error, unless it says otherwise, and returns the exit code for
 * it. */
#ifndef PTX_CLI_CLI_H
#define PTX_CLI_CLI_H

#include "ptxlint/ptxlint.h"

#include <jansson.h>
#include <popt.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The highest that applies is the exit status. */
typedef enum ExitCode {
    EXIT_CLEAN,         /* nothing found, or notes alone */
    EXIT_FOUND,         /* check: a warning or an error */
    EXIT_USAGE,
    /* an input is unreadable or was cut short, or the output cannot be written */
    EXIT_INPUT,
    EXIT_INTERNAL       /* also: no memory */
} ExitCode;

static inline ExitCode exit_code_max(ExitCode a, ExitCode b)
{
    return a > b ? a : b;
}

/* ---- text.c ---------------------------------------------------------------------------------- */

/* Text that grows. bytes is NULL while it is empty, else there is a NUL behind them. Without memory
 * it stays as it was and has_failed is set. */
typedef struct Text {
    char *bytes;
    size_t length, capacity;
    bool has_failed;
} Text;

void ptx_text_add(Text *text, const char *bytes, size_t length);
/* A ptxlint_write_fn. */
int ptx_text_write(void *text, const char *bytes, size_t length);
void ptx_text_put(Text *text, const char *words);
void ptx_text_append(Text *text, const Text *other);
/* Words from outside, as ptxlint_shown_text has them. */
void ptx_text_show(Text *text, const char *words);
/* ... of whole lines, which stay lines. */
void ptx_text_show_lines(Text *text, const Text *lines);
/* ... and as ptxlint_markdown_text. */
void ptx_text_markdown(Text *text, const char *words, bool has_code);

/* Lines of words; those of more than 80 columns go on below themselves, indented. */
void ptx_text_fold(Text *text, const char *lines);
void ptx_text_print(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ptx_text_free(Text *text);

/* What errno error means, in room bytes; good in threads. */
const char *ptx_error_text(int error, char *out, size_t room);

/* ---- main.c ---------------------------------------------------------------------------------- */

/* "ptxlint: SUBJECT: TEXT" on stderr, or at the end of to where that is not NULL; subject may be
 * NULL. */
void ptx_complain(const char *subject, const char *text);
/* The value is none of the words, with ", " between them; the nearest of them is named. */
void ptx_complain_word(const char *subject, const char *value, const char *words);
void ptx_complain_to(Text *to, const char *subject, const char *text);

/* "PATH:LINE:COLUMN: error: TEXT" on stderr, as editors read it. */
void ptx_complain_at(const char *path, unsigned line, unsigned column, const char *text);

/* text as it is, a line on stderr: "PATH:LINE:COLUMN: error: ..." that the library made. */
void ptx_complain_line(const char *text);

/* For libraries that cannot go on: says so, and ends the program with EXIT_INTERNAL. */
_Noreturn void ptx_leave_without_memory(void);

/* There was none for a part of what is to be written: the exit code will say so. */
void ptx_note_no_memory(void);
bool ptx_was_without_memory(void);

/* Complains; the code for it. error is the errno of PTXLINT_IO. */
ExitCode ptx_complain_status(const char *subject, ptxlint_status status);
static inline ExitCode ptx_complain_memory(void)
{
    return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
}

ExitCode ptx_complain_status_to(Text *to, const char *subject, ptxlint_status status, int error);

/* ---- options.c ------------------------------------------------------------------------------- */

typedef struct StringList {
    char **items;
    size_t count, capacity;
} StringList;

typedef enum Command {
    COMMAND_CHECK,
    COMMAND_FIX,
    COMMAND_REPORT,
    COMMAND_GPU,
    COMMAND_EXPLAIN,
    COMMAND_RULES,
    COMMAND_CONFIG,
    COMMAND_ISA,
    COMMAND_TUNE,
    COMMAND_RANK,
    COMMAND_SCHEMA,
    COMMAND_BASELINE,
    COMMAND_BUDGET,
    COMMAND_DIFF,
    COMMAND_MCP,
    COMMAND_COMPLETIONS,
    COMMAND_MANUAL,
    COMMAND_LSP,
    COMMAND_EXTRACT,
    COMMAND_LAUNCH,
    COMMAND_MERGE,
    COMMAND_ANNOTATE,
    COMMAND_GRAPH,
    COMMAND_OCCUPANCY,
    COMMAND_OPTSPACE,
    COMMAND_VERIFY,
    COMMAND_RECOGNIZE,
    COMMAND_CALIBRATE,
    COMMAND__COUNT
} Command;

typedef enum Format {
    FORMAT_TEXT,
    FORMAT_ONELINE,
    FORMAT_JSON,
    FORMAT_JSONL,
    FORMAT_SARIF,
    FORMAT_GITHUB,
    FORMAT_GITLAB,
    FORMAT_CHECKSTYLE,
    FORMAT_JUNIT,
    FORMAT_RDJSON,
    FORMAT_RDJSONL,
    FORMAT_MARKDOWN,
    FORMAT_CSV,
    FORMAT_HTML, FORMAT_DOT, FORMAT_SVG,
    FORMAT__COUNT
} Format;

/* A document, and where it goes. */
typedef struct Document {
    Format format;
    char *path;                         /* NULL: standard output */
} Document;

typedef enum Color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } Color;

enum { SETTING_COUNT = 6, CHOICE_COUNT = 7, JOBS_MAX = 256 };

typedef struct Options {
    Command command;
    bool has_command;                   /* its word was given */
    char program[32];                   /* "ptxlint COMMAND", as help has it */
    /* the one in hand; while the command line is read, what --format FORMAT and --output say */
    Document output;
    /* all that are wanted, at least one, in the order given; each place once */
    Document *outputs;
    size_t output_count;
    StringList gpus;                    /* names and files */
    StringList kernels;                 /* what kernel_glob has, each alone */
    StringList settings[SETTING_COUNT]; /* of launches: values, by row of ptx_setting_names */
    StringList choices[CHOICE_COUNT];   /* of findings: values, by row of ptx_choice_names */
    StringList rules;                   /* files and directories of --rules */
    StringList only;                    /* groups of --only */
    StringList logs;                    /* --ptxas-log */
    char *ptxas;                        /* --ptxas=PATH; "": it is to be found; NULL: not given */
    char *launch_path, *kernel_glob, *config_path;        /* NULL: not given */
    Color color;
    ptxlint_primary primary;
    unsigned jobs;                      /* 0: as many as there are cores */
    bool has_format;                    /* --format FORMAT, without a FILE */
    char *baseline_path, *budget_path;  /* --baseline, --budget; NULL */
    double slack_percent;               /* budget init */
    double min_gain_percent;            /* NaN: not given */
    StringList registers, shared, blocks;       /* of occupancy: values */
    StringList tolerances;              /* of diff: METRIC=VALUE */
    bool has_all, is_verbose;
    bool is_quiet, has_no_config, has_no_baseline, has_statistics, has_profile, is_strict_launch;
    bool has_no_metadata;
    bool has_no_sandbox;
    bool has_details;                   /* report: --details */
    bool is_by_source;                  /* annotate: --source */
    bool is_links;                      /* graph: --links */
    bool has_facts;                     /* rules: the facts instead */
    unsigned since;                     /* isa: forms of this .version on, 10 * major + minor */
    bool has_list;                      /* isa: a line an opcode; extract: one an entry */
    bool is_forced;                     /* extract: files that are there are replaced */
    uint64_t max_unpacked_bytes;        /* 0: not given */
    bool has_fix, has_diff, is_unsafe;  /* fix; check --fix */
    char *source_root, *docs_url;       /* --source-root, --docs-url; NULL */
    char *stdin_filename;               /* what - is called; NULL: "-" */
    char *cache_path;                   /* --cache; NULL */
    unsigned shard, shard_count;        /* --shard I/N; 0, 0 */
    char *measured_path, *column;       /* verify: --measured, --column; NULL */
    bool is_warm;                       /* verify: --warm */
    double clock_mhz, max_slowdown;     /* verify; 0: not given */
    char *git_base;                     /* diff --git; NULL */
    char **git_command;                 /* the words behind -- then; ends with NULL */
    const char **paths;                 /* ends with NULL; popt's; NULL: none */
    poptContext popt;
    const char **words;                 /* that popt reads */
} Options;

typedef enum Parsed {
    PARSED_RUN,         /* go on */
    PARSED_DONE,        /* help or version is on stdout */
    PARSED_BAD,         /* the complaint is on stderr */
    PARSED_FAILED       /* no memory */
} Parsed;

/* options must be freed in any case. */
Parsed ptx_options_parse(Options *options, int argc, char **argv);
void ptx_options_free(Options *options);

/* Whether text that goes to path, NULL being standard output, is to be coloured. */
bool ptx_options_has_color(const Options *options, const char *path);

/* ---- help.c ---------------------------------------------------------------------------------- */

enum {
    OPT_FORMAT = 1,
    OPT_CSV,
    OPT_GPU,
    OPT_LAUNCH,
    OPT_PTXAS_LOG,
    OPT_PTXAS,
    OPT_KERNEL,
    OPT_ONLY,
    OPT_COLOR,
    OPT_OUTPUT,
    OPT_QUIET,
    OPT_RULES,
    OPT_CONFIG,
    OPT_NO_CONFIG,
    OPT_JOBS,
    OPT_STATISTICS,
    OPT_PROFILE,
    OPT_FACTS,
    OPT_LIST,
    OPT_SINCE,
    OPT_FIX,
    OPT_DIFF,
    OPT_UNSAFE,
    OPT_STDIN_FILENAME,
    OPT_SOURCE_ROOT,
    OPT_DOCS_URL,
    OPT_PRIMARY,
    OPT_BASELINE,
    OPT_NO_BASELINE,
    OPT_BUDGET,
    OPT_SLACK,
    OPT_TOLERANCE,
    OPT_STRICT_LAUNCH,
    OPT_NO_METADATA,
    OPT_NO_SANDBOX,
    OPT_STDIO,
    OPT_ALL,
    OPT_MIN_GAIN,
    OPT_VERBOSE,
    OPT_FORCE,
    OPT_MAX_UNPACKED,
    OPT_CACHE,
    OPT_SHARD,
    OPT_GIT,
    OPT_DETAILS,
    OPT_BY_SOURCE,
    OPT_LINKS,
    OPT_REGISTERS,
    OPT_SHARED,
    OPT_BLOCKS,
    OPT_MEASURED,
    OPT_COLUMN,
    OPT_WARM,
    OPT_CLOCK,
    OPT_MAX_SLOWDOWN,
    OPT_HELP,
    OPT_VERSION,
    OPT_SETTING,                             /* and those after it: rows of ptx_setting_names */
    OPT_CHOICE = OPT_SETTING + SETTING_COUNT /* and those after it: rows of ptx_choice_names */
};

enum {
    CHOICE_SELECT,
    CHOICE_IGNORE,
    CHOICE_SEVERITY,
    CHOICE_KERNEL,
    CHOICE_THRESHOLD,
    CHOICE_PREVIEW,
    CHOICE_PRESET
};

/* The option's name and the key of ptxlint_launches_set, or of ptxlint_config_set. */
typedef struct SettingName {
    const char *option, *key;
} SettingName;

extern const SettingName ptx_setting_names[SETTING_COUNT], ptx_choice_names[CHOICE_COUNT];

extern const char *const ptx_command_words[COMMAND__COUNT],
    *const ptx_command_usage[COMMAND__COUNT];
/* what each can write, with commas; NULL: it has no --format */
extern const char *const ptx_command_formats[COMMAND__COUNT];
extern const char *const ptx_format_words[FORMAT__COUNT];

/* What each is for; what --help says below its options: of its words, examples, exit codes. */
extern const char *const ptx_command_what[COMMAND__COUNT],
    *const ptx_command_help[COMMAND__COUNT], *const ptx_command_examples[COMMAND__COUNT],
                                                 *const ptx_command_codes[COMMAND__COUNT];
extern const struct poptOption *const ptx_option_tables[COMMAND__COUNT];

bool ptx_help_print(const Options *options);     /* false: no memory */

/* ---- paths.c --------------------------------------------------------------------------------- */

typedef struct Book Book;

/* Adds a copy of length bytes; complains where there is no memory. */
ExitCode ptx_strings_add(StringList *list, const char *text, size_t length);
void ptx_strings_free(StringList *list);

/* "FOLDER/NAME", for free(); NULL: no memory. */
char *ptx_path_join(const char *folder, const char *name);

/* The names in a folder that end in suffix, sorted; it need not be readable. */
ExitCode ptx_folder_list(StringList *list, const char *folder, const char *suffix);

/* PTX that is to be read. */
typedef struct InputFile {
    char *path;                         /* as findings have it: "libfoo.so!3.sm_90.ptx" */
    const ptxlint_input *input;         /* that it is an entry of; NULL: path is opened */
    size_t index;
    bool is_container;                  /* there is no file of that text */
    const json_t *part;                 /* merge: the module, in a shard's document; else NULL */
    struct ShardPart *document;         /* merge: that document */
    size_t number;                      /* of all inputs, in a sharded run */
} InputFile;

/* All of it, in order, and the inputs that are open for it. Zeroed before, to be freed. */
typedef struct FileList {
    InputFile *items;
    size_t count, capacity;
    ptxlint_input **inputs;
    size_t input_count, input_capacity;
} FileList;

/* Adds what one PATH stands for: the PTX in it; that in the .ptx files and containers below it that
 * book does not exclude, or in what it matches as a pattern. What cannot be read of it is said. */
ExitCode ptx_paths_add(FileList *list, const char *path, Book *book);
void ptx_files_free(FileList *list);

/* Whether it leads by a link out of the source root (NULL: the one that is found). What cannot be
 * followed does not: it is reported when it is opened. */
bool ptx_leads_out(const char *path, const char *source_root);
/* The same, to what is no PTX: a finding would show a line of it. */
bool ptx_is_foreign(const char *path, const char *source_root);

/* Reads one. PTXLINT_BAD_FILE: it cannot be unpacked, which messages say (NULL: standard error). */
ptxlint_status ptx_file_module(const InputFile *file, const ptxlint_options *options,
                               ptxlint_module **out, Text *messages);

/* Its text. The same. */
ptxlint_status ptx_file_text(const InputFile *file, Text *out, Text *messages);

/* Opens what path holds; complains. */
ExitCode ptx_input_open(const Options *options, const char *path, ptxlint_input **out);

/* ---- inputs.c -------------------------------------------------------------------------------- */

/* What modules are read with. */
typedef struct Inputs {
    const ptxlint_gpu **gpus;           /* each once, in the order given */
    size_t gpu_count;
    ptxlint_gpu **files;                /* those of them that are ours to free */
    size_t file_count;
    ptxlint_launches *launches;         /* NULL: nothing is said */
    char *launch_path;                  /* the file that they come from; NULL: none */
    char *log_text;                     /* all logs */
    size_t log_length;
    ptxlint_ptxas *logs;                /* what log_text says; NULL: none */
} Inputs;

/* Levenshtein distance of a, in lower case, to b; a large number where either is long. */
unsigned ptx_word_distance(const char *a, const char *b);

/* The whole file and a NUL, for free(). */
char *ptx_file_bytes(const char *path, size_t *length);         /* NULL: see errno */
/* A regular file or a pipe, of at most 1 GiB; complains. */
ExitCode ptx_file_read(const char *path, char **text, size_t *length);
/* The same, but no pipe unless an option asks for it. */
ExitCode ptx_file_read_named(const char *path, bool is_asked, char **text, size_t *length);
/* Of YAML: a regular file of at most 64 MiB. */
ExitCode ptx_file_read_settings(const char *path, char **text, size_t *length);

/* What the command line says. inputs, zeroed before, must be freed in any case. */
ExitCode ptx_inputs_read(Inputs *inputs, const Options *options);

/* What a config file says, and the command line does not: its GPUs, its launch file (NULL: none)
 * under the command line's settings. */
ExitCode ptx_inputs_read_config(Inputs *inputs, const Options *options, const StringList *gpus,
                                const char *launch_path);
ExitCode ptx_inputs_add_gpu(Inputs *inputs, const char *name, size_t room);
bool ptx_is_gpu_file(const char *name);

/* A module with the GPUs and launches of the command line, else with those of its config. */
typedef struct ModuleSource {
    const Options *options;
    const Inputs *given, *config;
    bool has_estimates_only;
    bool has_instructions;
} ModuleSource;

ExitCode ptx_inputs_open(const ModuleSource *source, const InputFile *file, ptxlint_module **out);

/* Those that such a module has. */
const Inputs *ptx_inputs_launches(const ModuleSource *source);

/* The path, where what lies beside the file counts; else NULL. */
const char *ptx_inputs_metadata(const Options *options, const InputFile *file);

/* Complains of a launch file beside the module's that cannot be read: EXIT_USAGE. */
ExitCode ptx_complain_metadata(const ptxlint_module *module);

/* What is missing for an estimate of a kernel whose grid or block is not known. */
const char *ptx_launch_missing(const ptxlint_kernel *kernel);
/* Why no time is predicted; why there is no bound where one is. */
const char *ptx_why_untimed(const ptxlint_estimated *e);
const char *ptx_why_unbound(const ptxlint_estimated *e);
void ptx_inputs_free(Inputs *inputs);

/* ---- config.c -------------------------------------------------------------------------------- */

/* Made when the first file asks for it. */
typedef struct GeneratedConfig {
    const Options *options;
    const ptxlint_rules *rules;
    ptxlint_config *config;             /* NULL: not asked for yet */
} GeneratedConfig;

/* What holds for the files of a folder: its config file, or the absence of one, under the command
 * line. */
typedef struct Settings {
    /* of the config file, as it is shown; NULL: there is none */
    char *path;
    char *folder;                       /* that it lies in, absolute; NULL */
    const char *source_root;            /* of the command line; NULL */
    /* where the config file names some: those and the command line's; NULL */
    ptxlint_rules *own_rules;
    const ptxlint_rules *rules;         /* own_rules or the book's */
    StringList rule_files;              /* that the config file names */
    StringList excludes;
    /* that the config file names, seen from the working directory; NULL */
    char *baseline_path, *budget_path;
    ptxlint_config *config;
    /* the same with the preset `generated`, for caches and dumps; NULL: a choice is made already */
    GeneratedConfig *generated;
    Inputs inputs;                      /* GPUs and launches of the config file */
    ExitCode code;                      /* what reading it came to */
} Settings;

/* Whether path, which no option names, is not there, or by its links a regular file below the
 * config's folder or the source root: strangers send what is found beside PTX. */
bool ptx_settings_may_name(const Settings *settings, const char *path);

/* For ptxlint_options.generated_config; context: a GeneratedConfig. */
const ptxlint_config *ptx_generated_config(void *context);

/* A folder once looked up, by the name that was used for it. */
typedef struct Folder {
    char *name, *absolute;
    Settings *settings;
} Folder;

struct Book {
    const Options *options;
    ptxlint_rules *rules;               /* of the command line */
    ptxlint_rules *all_rules;           /* and of all config files; NULL: no config file has any */
    Settings **items;
    size_t item_count, item_capacity;
    Folder *folders;
    size_t folder_count, folder_capacity, last_folder;
    ExitCode code;                      /* the worst so far */
};

/* Reads the rules of the command line, and the config file that it names. book must be freed in any
 * case. */
ExitCode ptx_book_open(Book *book, const Options *options);
void ptx_book_free(Book *book);

/* What holds for the files of a folder; NULL only where there is no memory. What is wrong in a
 * config file is reported once, and in book->code. */
const Settings *ptx_book_folder(Book *book, const char *folder);

/* The same for a file, "-" being one of the working directory. */
const Settings *ptx_book_file(Book *book, const char *path);

/* Whether the config of folder keeps the file or folder name in it from being found. */
bool ptx_book_excludes(Book *book, const char *folder, const char *name);

/* All rules that findings may be of. */
ExitCode ptx_book_all_rules(Book *book, const ptxlint_rules **out);

/* ---- subject.c ------------------------------------------------------------------------------- */

/* What a command reads that makes one small document of all its inputs. */
typedef struct CliSubject {
    const Options *options;
    Inputs inputs;
    Book book;
    FileList files;
} CliSubject;

/* All but the modules; then the process may read no more than these. subject must be freed in any
 * case. */
ExitCode ptx_subject_open(CliSubject *subject, const Options *options, const char *const *paths);

/* The configs of all files, then the sandbox around these alone. */
ExitCode ptx_sandbox_enclose(const Options *options, const FileList *files, Book *book);

typedef ExitCode (*ModuleTaker)(void *self, const ModuleSource *source,
                                const ptxlint_module *module);

/* Each file as a module that has as much as like says, by the config that holds for it; ends where
 * the machine fails. The worst code of all. */
ExitCode ptx_subject_each(CliSubject *subject, const ModuleSource *like, ModuleTaker take,
                          void *self);
void ptx_subject_free(CliSubject *subject);

/* ---- ptxas.c --------------------------------------------------------------------------------- */

/* The program: path, or where it is empty the first of $PATH, $CUDA_HOME/bin, /usr/local/cuda/bin.
 * For free(); NULL: there is none, or no memory; it has complained then, and set *code. */
char *ptx_ptxas_locate(const char *path, ExitCode *code);

/* Translates the file at path, which module was read from, for each of the module's GPUs, and adds
 * what ptxas says. path "-", and what is no regular file, can be read only once: ptxas gets a copy.
 * Complains to messages; the codes are of our own failures, not of ptxas's. */
ExitCode ptx_ptxas_run(const char *program, const char *path, const ptxlint_module *module,
                       ptxlint_ptxas *ptxas, Text *messages);

/* ---- cache.c --------------------------------------------------------------------------------- */

/* Which items of coverages a module matches, as ptxlint_coverage_matches has it: of the options,
 * then of its launch file. */
typedef struct Matches {
    unsigned char *bytes;               /* for free() */
    size_t asked_count, file_count;
} Matches;

typedef struct CacheKey {
    uint64_t hash[2];
} CacheKey;

typedef struct Cache {
    const char *folder;                 /* NULL: none is wanted */
    CacheKey program;
    _Atomic int error;                  /* errno of the last entry that could not be kept */
} Cache;

/* What modules of equal settings follow from, beside their text and name. */
typedef struct CacheInputs {
    const Settings *settings;
    const char *baseline_path, *budget_path;    /* NULL: none */
    unsigned char kinds[8];             /* what kind of module is made; 0 where unused */
} CacheInputs;

/* A text that a module is made of. */
typedef struct CacheSubject {
    const char *path, *metadata_path;
    const char *text;
    size_t length;
    const ptxlint_options *options;
} CacheSubject;

typedef struct CacheEntry {
    ptxlint_module *module;
    Matches matches;
} CacheEntry;

/* Makes the folder where there is none. */
ExitCode ptx_cache_open(Cache *cache, const char *folder);
/* False: no memory. */
bool ptx_cache_key(const Cache *cache, const Options *options, const CacheInputs *inputs,
                   CacheKey *out);

/* From any thread. A found module is the caller's, as are its matches. */
bool ptx_cache_find(const Cache *cache, const CacheKey *base, const CacheSubject *subject,
                    CacheEntry *out);
void ptx_cache_keep(Cache *cache, const CacheKey *base, const CacheSubject *subject,
                    const CacheEntry *entry);

/* Says so where entries could not be kept. */
void ptx_cache_report(const Cache *cache);

/* ---- shard.c --------------------------------------------------------------------------------- */

enum { SHARD_COUNT_MAX = 100000 };

/* What a shard's documents hold beside findings. Zeroed before, to be freed. */
typedef struct ShardList {
    Text modules, lost;
    size_t input_count;                 /* of all shards */
    uint64_t names_hash;                /* of all inputs */
} ShardList;

/* Leaves the inputs of this shard: by the hash of their text. False: there is no memory. */
bool ptx_shard_choose(const Options *options, FileList *files, ShardList *list);

/* A module, by the number of its input; one that could not be made. */
void ptx_shard_add(ShardList *list, size_t number, const ptxlint_module *module);
void ptx_shard_lose(ShardList *list, size_t number);

/* False: no memory. */
bool ptx_shard_attach(const Options *options, const ShardList *list, ptxlint_writer *writer);
void ptx_shard_free(ShardList *list);

/* The module of a shard's document. PTXLINT_BAD_FILE: ptx_merge says so of the document. */
ptxlint_status ptx_shard_load(const InputFile *file, const ptxlint_options *options,
                              ptxlint_module **out);

/* ---- jobs.c ---------------------------------------------------------------------------------- */

/* What came of one file. */
typedef struct Job {
    ptxlint_module *module;             /* NULL where status is not PTXLINT_OK */
    ptxlint_fixes *fixes;               /* NULL: not wanted */
    ptxlint_module *before;             /* where module is of the fixed text: as it was read */
    ptxlint_status status;
    int error;                          /* errno of PTXLINT_IO */
    ExitCode code;                      /* of what messages report */
    Text messages;
    bool is_done;
    bool is_cached;                     /* module was made by an earlier run; then: */
    Matches matches;
} Job;

/* Makes number index; worker counts from 0. Called from several threads at once. */
typedef void (*JobFunction)(void *context, size_t index, unsigned worker, Job *job);

typedef struct Jobs Jobs;

/* count jobs in that many threads, a few of them ahead of the one that is waited for; with 1 worker
 * in the caller's own thread, when it waits. NULL: no memory. */
Jobs *ptx_jobs_start(unsigned workers, size_t count, JobFunction function, void *context);

/* Job number index, done; to be asked for from 0 on, each once. It is valid until the next call,
 * which frees what it holds. */
const Job *ptx_jobs_wait(Jobs *jobs, size_t index);

/* Ends the threads; those in the middle of a job finish it. */
void ptx_jobs_stop(Jobs *jobs);

/* How many threads for count files. */
unsigned ptx_jobs_workers(const Options *options, size_t count);

/* How many threads for the kernels of one file, where so many work on files. */
unsigned ptx_jobs_threads(const Options *options, unsigned workers);

/* ---- progress.c ------------------------------------------------------------------------------ */

/* "123 of 4567 files" on a terminal, where it takes longer than a second. Whoever writes to the
 * terminal clears it first. */
typedef struct Progress {
    bool is_wanted, is_shown;
    double began, drawn;                /* seconds of a clock */
} Progress;

void ptx_progress_begin(Progress *progress);
void ptx_progress_show(Progress *progress, size_t done, size_t count);
void ptx_progress_clear(Progress *progress);

/* ---- fix.c ----------------------------------------------------------------------------------- */

/* What fixes came to, in all files. */
typedef struct FixTotals {
    size_t findings, files, unsafe;
} FixTotals;

/* A difference or a text is written instead of findings. */
bool ptx_fix_prints(const Options *options);

/* Once job->module is made: its fixes, and but for --diff the module with them. In any thread. */
void ptx_fix_module(const Options *cli, const ptxlint_options *options, Job *job);

typedef struct Sink Sink;

/* Writes the file, or for - the text and with --diff the difference to sink; says what could not be
 * fixed. */
ExitCode ptx_fix_take(const Options *options, const char *path, const Job *job, Sink *sink,
                      FixTotals *totals);
void ptx_fix_report(const Options *options, const FixTotals *totals);

/* unified_diff.c: out->has_failed where there is no memory. */
void ptx_unified_diff(Text *out, const char *path, const char *old_text, size_t old_length,
                      const char *new_text, size_t new_length);

/* ---- tally.c --------------------------------------------------------------------------------- */

typedef struct TallyRow {
    char code[16], name[64];
    ptxlint_severity severity;          /* the worst that was shown */
    size_t count, suppressed;
} TallyRow;

/* Findings per rule. */
typedef struct Tally {
    TallyRow *rows;
    size_t count, capacity;
    bool has_failed;                    /* no memory */
} Tally;

void ptx_tally_add(Tally *tally, const ptxlint_module *module,
                   const ptxlint_write_options *options);

/* Most first: a table, or for programs JSON (in FORMAT_JSON one document, in FORMAT_JSONL a line
 * per rule). */
void ptx_tally_write(Tally *tally, Format format, Text *out);
void ptx_tally_free(Tally *tally);

/* Where the time went, as a table. */
void ptx_profile_write(const ptxlint_profile *profile, Text *out);

/* ---- gates.c --------------------------------------------------------------------------------- */

/* A baseline, and what the modules of this run have of it. */
typedef struct Baseline {
    char *path;
    ptxlint_baseline *known, *found;
    const ptxlint_config *config;       /* of the first file that it is for */
} Baseline;

/* A budget, and how far its entries apply to kernels of this run. */
typedef struct Budget {
    char *path;
    ptxlint_budget *budget;
    unsigned char *covers;              /* ptxlint_cover, per entry */
    Inputs inputs;                      /* its GPUs, for where no other source names any */
} Budget;

/* Those of a run, each read once. */
typedef struct Gates {
    Baseline **baselines;
    Budget **budgets;
    size_t baseline_count, budget_count;
} Gates;

/* The one for files of these settings: of the command line, the config file, or
 * ptxlint-baseline.json of the working directory, where there is one; *out is NULL where there is
 * none. */
ExitCode ptx_gates_find(Gates *gates, const Options *options, const Settings *settings,
                        Baseline **out);

/* The same for budgets: of the command line, or the config file. */
ExitCode ptx_gates_find_budget(Gates *gates, const Options *options, const Settings *settings,
                               Budget **out);

/* Of the baseline with this number. */
const char *ptx_gates_path(const Gates *gates, size_t index);

/* What is left of each baseline that nothing has any more, on standard error. */
ExitCode ptx_gates_report(const Gates *gates);

/* Entries of budgets that match no kernel, on standard error: EXIT_FOUND where that may hide
 * something. is_part: not all kernels were wanted. */
ExitCode ptx_gates_report_budgets(const Gates *gates, bool is_part);

/* baseline write, prune: to their files, and a line about each to out. */
ExitCode ptx_gates_save(const Gates *gates, const Options *options, Text *out);
void ptx_gates_free(Gates *gates);

/* ---- matched.c ------------------------------------------------------------------------------- */

/* An entry that --kernel, if given, names. */
bool ptx_is_asked(const Options *options, const ptxlint_kernel *kernel);

typedef struct LaunchFile {
    char *path;
    ptxlint_coverage *coverage;
} LaunchFile;

/* What options and launch files name, and whether some kernel has it. */
typedef struct Matched {
    const Options *options;
    ptxlint_coverage *asked;            /* by options; NULL: they name nothing */
    LaunchFile *files;
    size_t file_count;
    uint64_t kernels;                   /* a bit for each --kernel that has matched one */
} Matched;

/* matched, zeroed before, must be freed in any case. */
ExitCode ptx_matched_begin(Matched *matched, const Options *options);

/* A module that was read with these launches. */
ExitCode ptx_matched_add(Matched *matched, const Inputs *inputs, const ptxlint_module *module);

/* What a module that was read with these launches comes to. False: not to be kept, since its launch
 * file has a slip, or there is no memory. */
bool ptx_matched_take(const Matched *matched, const Inputs *inputs, const ptxlint_module *module,
                      Matches *out);

/* Adds that, for a module that was made by an earlier run. */
ExitCode ptx_matched_add_taken(Matched *matched, const Inputs *inputs,
                               const ptxlint_module *module, const Matches *taken);

/* Whether a --param or --trip has matched nothing. */
bool ptx_matched_is_open(const Matched *matched);

/* Complains of what has matched nothing; EXIT_USAGE where an option is among it, or --strict-launch
 * is given. */
ExitCode ptx_matched_report(const Matched *matched);
void ptx_matched_free(Matched *matched);

/* ---- repeats.c ------------------------------------------------------------------------------- */

/* Modules of caches and dumps, by PTX and launches. Zeroed before, to be freed. */
typedef struct Repeats {
    struct json_t *seen;
    size_t count;                       /* that had been there before */
} Repeats;

/* Whether one like the module has been there. */
bool ptx_repeats_take(Repeats *repeats, const ptxlint_module *module);

/* How many were left out, on standard error. */
void ptx_repeats_tell(const Repeats *repeats);
void ptx_repeats_free(Repeats *repeats);

/* ---- page.c ---------------------------------------------------------------------------------- */

/* Words for numbers of ptxlint_rule. */
const char *ptx_severity_word(int severity);
const char *ptx_certainty_word(int certainty);

/* The rule's page in Markdown: docs/rules/CODE.md. */
/* a cell of a Markdown table: `|` escaped, lines joined */
void ptx_put_cell(Text *out, const char *text);
void ptx_page_write(Text *out, const ptxlint_rule *rule);

/* ---- paint.c --------------------------------------------------------------------------------- */

/* Markdown for a terminal; false: no memory. */
bool ptx_paint(Text *out, const char *markdown, size_t length, bool has_color);

/* Of the least time: the model does not distinguish these (docs/time.md, "Certainty"). */
#define PTX_MODEL_ERROR 1.10

/* ---- the commands ---------------------------------------------------------------------------- */

/* run.c: check, report, annotate, gpu, baseline, budget */
ExitCode ptx_run(const Options *options);
ExitCode ptx_diff(const Options *options);              /* diff.c */

/* Commits of both sides of a diff: old, new. */
typedef struct GitSides {
    const char *names[2];               /* as given, and HEAD */
    char *commits[2];
    char *prefix;                       /* of the working directory below the top; "" */
    const char *folder;                 /* of both worktrees */
} GitSides;

/* diff_git.c: goes to where the working directory is in the worktree of a side; makes that before,
 * and runs command there. */
ExitCode ptx_git_enter(const GitSides *sides, int side);
ExitCode ptx_git_build(const GitSides *sides, int side, char **command);
ExitCode ptx_diff_git(const Options *options);
ExitCode ptx_diff_sides(const Options *options, const GitSides *sides);         /* diff.c */
ExitCode ptx_explain(const Options *options);           /* explain.c */
ExitCode ptx_rules_list(const Options *options);        /* rules.c */
ExitCode ptx_config_command(const Options *options);    /* show.c */
ExitCode ptx_isa_command(const Options *options);       /* isa.c */
ExitCode ptx_tune(const Options *options);              /* tune.c */
ExitCode ptx_rank(const Options *options);              /* rank.c: rank, optspace */
ExitCode ptx_occupancy(const Options *options);         /* occupancy.c */
ExitCode ptx_verify(const Options *options);            /* measured/verify.c */
ExitCode ptx_calibrate(const Options *options);         /* measured/calibrate.c */
/* Of gpu measure and calibrate: --output FILE without a format is a GPU file. */
static inline bool ptx_writes_gpu_file(const Options *options, size_t output)
{
    return !output && options->outputs[0].path && !options->has_format
           && options->outputs[0].format == FORMAT_TEXT;
}
/* measured/gpu_measure.c; whether the words of `gpu` ask for it. */
ExitCode ptx_gpu_measure(const Options *options);
static inline bool ptx_is_gpu_measure(const Options *options)
{
    return options->command == COMMAND_GPU && options->paths && options->paths[0]
           && !strcmp(options->paths[0], "measure");
}
ExitCode ptx_schema_command(const Options *options);    /* schema.c */
ExitCode ptx_completions(const Options *options);       /* complete.c */
ExitCode ptx_manual(const Options *options);            /* manual.c */
ExitCode ptx_lsp(const Options *options);               /* lsp.c */
ExitCode ptx_extract(const Options *options);           /* extract.c */
ExitCode ptx_launch_command(const Options *options);    /* launch.c */
ExitCode ptx_record(const Options *options);            /* record.c */
ExitCode ptx_graph_command(const Options *options);     /* graph.c */
ExitCode ptx_recognize_command(const Options *options); /* recognize.c */
ExitCode ptx_merge(Options *options);                   /* shard.c */

/* The same with modules of shards, which it takes; run.c. */
ExitCode ptx_run_parts(const Options *options, FileList *files);

/* run.c: the modules that path stands for are found; then their kernels are added to report. *out
 * must be freed in any case. */
typedef struct ReportRun ReportRun;
ExitCode ptx_report_find(const Options *options, const char *path, Matched *matched,
                         ptxlint_report *report, ReportRun **out);
const FileList *ptx_report_files(const ReportRun *side);       /* NULL for NULL */
ExitCode ptx_report_take(ReportRun *side);
void ptx_report_free(ReportRun *side);

/* ---- sandbox.c ------------------------------------------------------------------------------- */

/* What is still read and written beside what options name; each may be NULL. */
typedef struct SandboxNeeds {
    bool reads_anywhere;                /* the inputs are not known yet */
    const FileList *files[2];           /* inputs, with what lies beside them */
    const char *read, *written;         /* a file or folder; a folder */
    const Gates *gates;                 /* baselines that are written */
} SandboxNeeds;

/* From here on the process reads, writes and runs only what these ask for; see sandbox.c.
 * EXIT_CLEAN also where the kernel has no such thing, or --no-sandbox is given. */
ExitCode ptx_sandbox_enter(const Options *options, const SandboxNeeds *needs);

/* ---- installed.c ----------------------------------------------------------------------------- */

/* The path of a file beside the program, in lib/ptxlint beside the folder that it is in, or where
 * it was installed. For free(); NULL: it is not there, or no memory. */
char *ptx_installed_find(const char *name);

/* ---- beside.c -------------------------------------------------------------------------------- */

/* A file beside the place that it is for. SIGINT, SIGTERM and SIGHUP remove it before they end the
 * program. */
typedef struct Beside {
    char *path;                 /* the place */
    char *name;                 /* of the file, until it is there */
    int handle;                 /* for writing; who closes it sets -1 */
    int slot;
    bool is_there;
} Beside;

/* is_followed: of a link, what it leads to is replaced. False: see errno. */
bool ptx_beside_open(Beside *beside, const char *path, bool is_followed);
/* All of it; false: see errno. */
bool ptx_handle_write(int handle, const char *bytes, size_t length);

/* Puts it into its place, in the second case only where nothing is there (else EEXIST). In any case
 * nothing stays beside. False: see errno. */
bool ptx_beside_place(Beside *beside);
bool ptx_beside_place_new(Beside *beside);
void ptx_beside_drop(Beside *beside);       /* leaves errno as it is */
/* All that are there, as the program is left at once. */
void ptx_beside_unlink_all(void);

/* ---- output.c -------------------------------------------------------------------------------- */

struct Sink {
    FILE *file;
    const char *name;
    Progress *progress;         /* to be cleared before each write; NULL */
    Beside beside;              /* where is_beside: a regular file, or one that is not there yet */
    bool is_beside;
    bool is_dropped;            /* the document is not whole: what was there stays */
    int error;                  /* errno of the first write that failed */
    /* that lines are folded to: text for people, on a terminal; 0: written as it is */
    size_t columns;
    Text waiting;               /* with columns: an unfinished block of lines */
};

ExitCode ptx_sink_open(Sink *sink, const char *path);           /* NULL: standard output */
int ptx_sink_write(void *sink, const char *bytes, size_t length);
ExitCode ptx_sink_close(Sink *sink);

/* Folds what is written from now on, where it is text and goes to a terminal. */
void ptx_sink_fit(Sink *sink, const Options *options, const Document *output);
int ptx_sink_fold(Sink *sink, const char *bytes, size_t length);
void ptx_sink_fold_end(Sink *sink);

/* COLUMNS, else what the terminal says; 0: standard output is none. */
unsigned ptx_terminal_columns(void);
/* That tables are made for: the same, but where it is no terminal what COLUMNS says. */
unsigned ptx_table_columns(void);

/* Opens, writes text and closes. */
ExitCode ptx_output_text(const Options *options, const Text *text);

/* Whether one of the documents is in that format. */
bool ptx_output_is_wanted(const Options *options, Format format);

/* Puts the document that options->output asks for; nothing where there is none to be written. */
typedef void (*DocumentMaker)(void *self, const Options *options, Text *out);

/* Makes and writes each document that is wanted. */
ExitCode ptx_output_each(const Options *options, DocumentMaker make, void *self);

/* Flushes stdout; EXIT_CLEAN also where the reader has closed it. */
ExitCode ptx_stdout_close(void);

#endif
