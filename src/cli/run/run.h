/* run.h -- a run over inputs: its state, and the parts of it. */
#ifndef PTX_CLI_RUN_H
#define PTX_CLI_RUN_H

#include "cli/cli.h"

/* A document that is being written. */
typedef struct RunTarget {
    ptxlint_write_options options;
    Sink sink;
    ptxlint_writer *writer;     /* NULL: findings are counted alone */
    Format format;
    bool is_lost;               /* its writing has failed: nothing more goes there */
} RunTarget;

typedef struct CliRun {
    const Options *options;
    const char *const *paths;   /* that inputs are taken from */
    ptxlint_report *report;     /* where modules go; NULL: to documents */
    Book book;
    Inputs inputs;              /* of the command line */
    FileList files;
    const Settings **settings;  /* per file */
    Gates gates;
    Baseline **baselines;       /* per file; NULL: none */
    Budget **budgets;           /* the same */
    StringList groups;          /* of --only; limit too where syntax is */
    bool is_syntax_only;
    ptxlint_write_options write_options;        /* what all documents have in common */
    char *ptxas;                /* the program; NULL: it is not to run */
    ptxlint_sources *sources;   /* with comments that suppress findings */
    ptxlint_profile **profiles; /* per worker; NULL: not wanted */
    unsigned worker_count;
    RunTarget *targets;            /* opened so far */
    size_t target_count;
    Tally tally;
    Progress progress;
    Repeats repeats;
    Matched own, *matched;      /* own: where no caller has one */
    bool has_gap;               /* some input could not be read */
    bool has_draft;             /* the head of a budget is written */
    FixTotals fixed;
    Cache cache;
    CacheKey *cache_keys;       /* per file; NULL: no cache */
    bool *is_cached;            /* the same: an earlier run has made it */
    ShardList shard;
    bool is_merge;              /* files are modules of shards */
    ExitCode code;
} CliRun;

void ptx_run_raise(CliRun *run, ExitCode code);
void ptx_run_complain(CliRun *run, const char *subject, ptxlint_status status);

/* The launches of the config file are those of its files, else the command line's. */
const Inputs *ptx_run_launches(const CliRun *run, size_t index);

/* As findings have it; standard input may be called something else. */
const char *ptx_run_path(const CliRun *run, size_t index);

ptxlint_options ptx_run_module_options(const CliRun *run, size_t index, unsigned worker);

/* One kernel after the other goes into the only document, so that a module never has figures of
 * all: it is JSON, which has all there is to say of a kernel beside it, and modules are made one by
 * one, by the thread that writes. */
bool ptx_run_takes_kernels(const CliRun *run, size_t index);

/* A ptxlint_take_fn; context: the CliRun. */
int ptx_run_take_same(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel,
                      const ptxlint_kernel *first);
void ptx_run_take_kernel(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* Makes the module of a file, in any thread; context: the CliRun. */
void ptx_run_make(void *context, size_t index, unsigned worker, Job *job);

ptxlint_format ptx_run_format(Format format);

/* The documents that are wanted. False: one cannot be opened. */
bool ptx_run_open(CliRun *run);
void ptx_run_close(CliRun *run);

/* Which findings are shown. What the front end could not read for want of room is one of its
 * findings: syntax brings limit with it. */
void ptx_run_choose_groups(CliRun *run, const ptxlint_rules *rules);

#endif
