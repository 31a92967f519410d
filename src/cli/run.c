/* run.c -- check, report, gpu, baseline and budget: modules from inputs, documents from modules. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void raise_code(CliRun *run, ExitCode code)
{
    run->code = exit_code_max(run->code, code);
}

static void complain_status(CliRun *run, const char *subject, ptxlint_status status)
{
    raise_code(run, ptx_complain_status(subject, status));
}

/* ---- making a module, in any thread ---------------------------------------------------------- */

/* The launches of the config file are those of its files, else the command line's. */
static const Inputs *launches_of(const CliRun *run, size_t index)
{
    const Inputs *config = &run->settings[index]->inputs;
    return config->launches ? config : &run->inputs;
}

/* As findings have it; standard input may be called something else. */
static const char *shown_path(const CliRun *run, size_t index)
{
    const char *path = run->files.items[index].path;
    return run->options->stdin_filename && !strcmp(path, "-") ? run->options->stdin_filename : path;
}

static bool wants_page(const Options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        if (options->outputs[i].format == FORMAT_HTML)
            return true;
    return false;
}

static ptxlint_options module_options(const CliRun *run, size_t index, unsigned worker)
{
    const Budget *budget = run->budgets[index];
    const Inputs *given = &run->inputs, *config = &run->settings[index]->inputs;
    const Inputs *gpus = given;
    if (!given->gpu_count && budget)
        gpus = config->gpu_count ? config : &budget->inputs;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = shown_path(run, index);
    options.gpus = gpus->gpu_count ? gpus->gpus : config->gpus;
    options.gpu_count = gpus->gpu_count ? gpus->gpu_count : config->gpu_count;
    options.launches = launches_of(run, index)->launches;
    options.metadata_path = ptx_inputs_metadata(run->options, &run->files.items[index]);
    options.ptxas = given->logs;
    options.config = run->settings[index]->config;
    options.generated_config = run->settings[index]->generated;
    options.baseline = run->baselines[index] ? run->baselines[index]->known : NULL;
    options.budget = budget ? budget->budget : NULL;
    options.jobs = ptx_jobs_threads(run->options, run->worker_count);
    options.profile = run->profiles ? run->profiles[worker] : NULL;
    options.syntax_only = run->is_syntax_only;
    options.sources = run->sources;
    const Command command = run->options->command;
    options.has_instructions = command == COMMAND_ANNOTATE
                               || (command == COMMAND_REPORT && wants_page(run->options));
    options.has_each_launch = (command == COMMAND_CHECK || command == COMMAND_REPORT
                               || command == COMMAND_ANNOTATE)
                              && !run->report && !run->options->has_fix;
    options.findings_only = command != COMMAND_REPORT && command != COMMAND_ANNOTATE
                            && command != COMMAND_BUDGET && !run->report && !budget
                            && !run->options->ptxas;
    return options;
}

/* What the logs say, then what ptxas says now: it replaces what they say of the same kernel and
 * architecture. */
static ptxlint_status ask_ptxas(const CliRun *run, const char *path, const ptxlint_module *front,
                                ptxlint_ptxas **said, Job *job)
{
    ptxlint_status status = ptxlint_ptxas_new(said);
    if (status == PTXLINT_OK)
        status = ptxlint_ptxas_add(*said, run->inputs.log_text, run->inputs.log_length, NULL);
    if (status == PTXLINT_OK)
        job->code = ptx_ptxas_run(run->ptxas, path, front, *said, &job->messages);
    return status;
}

/* The front end first, for the text, which may be there only once, and the target; then all of it
 * with what ptxas says. */
static ptxlint_status open_with_ptxas(const CliRun *run, const InputFile *file,
                                      const ptxlint_options *whole, Job *job)
{
    ptxlint_options options = *whole;
    ptxlint_module *front;
    ptxlint_ptxas *said = NULL;
    options.syntax_only = 1;
    ptxlint_status status = ptx_file_module(file, &options, &front, &job->messages);
    if (status != PTXLINT_OK)
        return status;
    /* ptxas cannot read what only ptxlint unpacks: it gets a copy, as of standard input */
    status = ask_ptxas(run, file->input ? "-" : file->path, front, &said, job);
    if (status == PTXLINT_OK) {
        const ptxlint_module_info *info = ptxlint_module_get_info(front);
        options.syntax_only = 0;
        options.ptxas = said;
        status = ptxlint_module_new(info->text, info->length, &options, &job->module);
    }
    ptxlint_module_free(front);
    ptxlint_ptxas_free(said);
    return status;
}

/* What is in a container has no file that could be written. */
static bool refuse_fix(const InputFile *file, Job *job)
{
    if (!file->is_container)
        return false;
    ptx_complain_to(&job->messages, file->path,
                    "not fixed: it is in a container; `ptxlint extract` takes it out");
    job->code = EXIT_INPUT;
    return true;
}

/* As an earlier run has made it, else anew and kept for later ones. */
static void open_cached(CliRun *run, size_t index, const ptxlint_options *options, Job *job)
{
    const InputFile *file = &run->files.items[index];
    Text text = { 0 };
    CacheEntry entry = { 0 };
    job->status = ptx_file_text(file, &text, &job->messages);
    const CacheKey *key = &run->cache_keys[index];
    const CacheSubject subject = { options->path, options->metadata_path, text.bytes, text.length,
                                   options };
    if (job->status == PTXLINT_OK && ptx_cache_find(&run->cache, key, &subject, &entry)) {
        job->module = entry.module;
        job->matches = entry.matches;
        job->is_cached = run->is_cached[index] = true;
    } else if (job->status == PTXLINT_OK) {
        job->status = ptxlint_module_new(text.bytes, text.length, options, &job->module);
        entry.module = job->module;
        if (job->module
            && ptx_matched_take(run->matched, launches_of(run, index), job->module, &entry.matches))
            ptx_cache_keep(&run->cache, key, &subject, &entry);
        free(entry.matches.bytes);
    }
    ptx_text_free(&text);
}

/* Standard input is there only once, fixes want more than documents, and launches in a container
 * are in no key. */
static bool is_cacheable(const CliRun *run, const InputFile *file)
{
    bool has_launches = file->input && ptxlint_input_get_info(file->input)->has_launches;
    return run->cache_keys && !run->options->has_fix && !has_launches
           && strcmp(file->path, "-") != 0;
}

static void make_module(void *context, size_t index, unsigned worker, Job *job)
{
    CliRun *run = context;
    ptxlint_options options = module_options(run, index, worker);
    errno = 0;
    const InputFile *file = &run->files.items[index];
    if (run->is_merge)
        job->status = ptx_shard_load(file, &options, &job->module);
    else if (run->ptxas)
        job->status = open_with_ptxas(run, file, &options, job);
    else if (is_cacheable(run, file))
        open_cached(run, index, &options, job);
    else
        job->status = ptx_file_module(file, &options, &job->module, &job->messages);
    job->error = errno;
    if (run->options->has_fix && job->status == PTXLINT_OK && !refuse_fix(file, job))
        ptx_fix_module(run->options, &options, job);
}

/* ---- modules --------------------------------------------------------------------------------- */

/* An error of group limit says that some of the input was not read. */
static bool is_cut_short(const ptxlint_module *module)
{
    size_t count;
    const ptxlint_diagnostic *diagnostics = ptxlint_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        if (diagnostics[i].severity == PTXLINT_ERROR && !strcmp(diagnostics[i].group, "limit"))
            return true;
    return false;
}

static void judge_module(CliRun *run, const ptxlint_module *module)
{
    size_t counts[4];
    ptxlint_count_diagnostics(&module, 1, &run->write_options, counts);
    if (run->options->command == COMMAND_CHECK
        && (counts[PTXLINT_WARNING] || counts[PTXLINT_ERROR]))
        raise_code(run, EXIT_FOUND);
    if (is_cut_short(module))
        raise_code(run, EXIT_INPUT);
}

/* False: every document is lost. */
static bool write_module(CliRun *run, const char *path, const ptxlint_module *module)
{
    bool is_good = false;
    for (size_t i = 0; i < run->target_count; i++) {
        RunTarget *target = &run->targets[i];
        ptxlint_status status = target->writer && !target->is_lost
                                    ? ptxlint_writer_add(target->writer, module)
                                    : PTXLINT_OK;
        if (status != PTXLINT_OK && status != PTXLINT_WRITE)
            complain_status(run, path, status);
        target->is_lost |= status != PTXLINT_OK;
        is_good |= !target->is_lost;
    }
    return is_good;
}

/* budget init: the head before the first. */
static void draft_budget(CliRun *run, const char *path, const ptxlint_module *module)
{
    Sink *sink = &run->targets[0].sink;
    bool is_lost = !run->has_draft && ptx_sink_write(sink, "budgets:\n", 9);
    ptxlint_status status = is_lost ? PTXLINT_WRITE
                                    : ptxlint_budget_draft(module, run->options->slack_percent,
                                                           ptx_sink_write, sink);
    run->has_draft = true;
    run->targets[0].is_lost |= status != PTXLINT_OK;
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, path, status);
}

static bool add_to_report(CliRun *run, const char *path, const ptxlint_module *module)
{
    ptxlint_status status = ptxlint_report_add(run->report, module);
    if (status != PTXLINT_OK)
        complain_status(run, path, status);
    return status == PTXLINT_OK;
}

/* Its share of what options and launch files name. */
static void match_module(CliRun *run, size_t index, const Job *job)
{
    const Inputs *launches = launches_of(run, index);
    raise_code(run, job->is_cached ? ptx_matched_add_taken(run->matched, launches, job->module,
                                                           &job->matches)
                                   : ptx_matched_add(run->matched, launches, job->module));
}

static bool take_module(CliRun *run, size_t index, const Job *job)
{
    const char *path = run->files.items[index].path;
    const size_t number = run->files.items[index].number;
    if (run->options->shard && job->status == PTXLINT_OK)
        ptx_shard_add(&run->shard, number, job->module);
    else if (run->options->shard)
        ptx_shard_lose(&run->shard, number);
    if (job->messages.length || job->status != PTXLINT_OK)
        ptx_progress_clear(&run->progress);
    if (job->messages.length)
        fputs(job->messages.bytes, stderr);
    raise_code(run, job->code);
    if (job->status == PTXLINT_BAD_FILE) {      /* the messages have said why */
        run->has_gap = true;
        raise_code(run, EXIT_INPUT);
        return true;
    }
    if (job->status != PTXLINT_OK) {
        run->has_gap = true;
        raise_code(run, ptx_complain_status_to(NULL, path, job->status, job->error));
        return true;
    }
    raise_code(run, ptx_complain_metadata(job->module));
    if (!job->fixes && run->options->command != COMMAND_BASELINE
        && ptx_repeats_take(&run->repeats, job->module))
        return true;
    judge_module(run, job->module);
    if (job->fixes)
        raise_code(run, ptx_fix_take(run->options, path, job, &run->targets[0].sink, &run->fixed));
    match_module(run, index, job);
    if (run->baselines[index]
        && ptxlint_baseline_add(run->baselines[index]->found, job->module) != PTXLINT_OK)
        complain_status(run, path, PTXLINT_NO_MEMORY);
    if (run->budgets[index])
        ptxlint_budget_cover(run->budgets[index]->budget, job->module, run->budgets[index]->covers);
    if (run->options->command == COMMAND_BUDGET)
        draft_budget(run, path, job->module);
    if (run->options->has_statistics)
        ptx_tally_add(&run->tally, job->module, &run->write_options);
    return run->report ? add_to_report(run, path, job->module)
                       : write_module(run, path, job->module);
}

static bool take_modules(CliRun *run)
{
    bool is_good = true;
    Jobs *jobs = ptx_jobs_start(run->worker_count, run->files.count, make_module, run);
    if (!jobs) {
        complain_status(run, NULL, PTXLINT_NO_MEMORY);
        return false;
    }
    for (size_t i = 0; i < run->files.count && is_good; i++) {
        is_good = take_module(run, i, ptx_jobs_wait(jobs, i));
        ptx_progress_show(&run->progress, i + 1, run->files.count);
    }
    ptx_jobs_stop(jobs);
    ptx_progress_clear(&run->progress);
    return is_good;
}

/* ---- CUDA sources ---------------------------------------------------------------------------- */

static bool take_source(CliRun *run, const char *path, const ptxlint_module *source)
{
    judge_module(run, source);
    if (run->options->has_statistics)
        ptx_tally_add(&run->tally, source, &run->write_options);
    return write_module(run, path, source);
}

/* What is wrong with comments there; known only where all inputs were read. */
static bool take_sources(CliRun *run)
{
    const char *path;
    bool is_good = true, is_wanted = run->options->command == COMMAND_CHECK && !run->report
                                     && !run->is_syntax_only && !run->has_gap
                                     && !run->options->shard;
    for (size_t i = 0; is_wanted && is_good && (path = ptxlint_sources_path(run->sources, i));
         i++) {
        size_t count = 0;
        ptxlint_module *source = NULL;
        const Settings *settings = ptx_book_file(&run->book, path);
        ptxlint_status status = settings ? ptxlint_sources_module(run->sources, i,
                                                                  settings->config, &source)
                                         : PTXLINT_NO_MEMORY;
        if (status != PTXLINT_OK)
            complain_status(run, path, status);
        else if (ptxlint_module_diagnostics(source, &count), count)
            is_good = take_source(run, path, source);
        ptxlint_module_free(source);
    }
    return is_good;
}

/* ---- what comes after them ------------------------------------------------------------------- */

static void write_text(CliRun *run, RunTarget *target, const Text *text)
{
    if (text->has_failed)
        complain_status(run, NULL, PTXLINT_NO_MEMORY);
    else if (text->length)
        ptx_sink_write(&target->sink, text->bytes, text->length);
}

static void write_statistics(CliRun *run, RunTarget *target)
{
    Text text = { 0 };
    bool is_table = target->format == FORMAT_TEXT && run->tally.count;
    if (is_table)
        ptx_text_put(&text, "\n");
    ptx_tally_write(&run->tally, target->format, &text);
    write_text(run, target, &text);
    ptx_text_free(&text);
}

static void tell_profile(CliRun *run)
{
    Text text = { 0 };
    for (unsigned i = 1; i < run->worker_count; i++)
        ptxlint_profile_add(run->profiles[0], run->profiles[i]);
    ptx_profile_write(run->profiles[0], &text);
    if (text.has_failed)
        complain_status(run, NULL, PTXLINT_NO_MEMORY);
    else
        fputs(text.bytes, stderr);
    ptx_text_free(&text);
}

/* What is kept of a module does not say which parameters and loops it has, to be named where one
 * is misspelt: it is made again. */
static void match_again(CliRun *run)
{
    for (size_t i = 0; i < run->files.count; i++) {
        ptxlint_module *module = NULL;
        ptxlint_options options = module_options(run, i, 0);
        if (run->is_cached[i]
            && ptx_file_module(&run->files.items[i], &options, &module, NULL) == PTXLINT_OK)
            raise_code(run, ptx_matched_add(run->matched, launches_of(run, i), module));
        ptxlint_module_free(module);
    }
}

/* What is in inputs that could not be read is not known. */
static void tell_unmatched(CliRun *run)
{
    if (run->is_cached && ptx_matched_is_open(run->matched))
        match_again(run);
    if (!run->has_gap && run->code < EXIT_INPUT)
        raise_code(run, ptx_matched_report(run->matched));
}

static void tell_stale(const CliRun *run)
{
    char text[512];
    const char *entry;
    for (size_t s = 0; s < run->book.item_count; s++) {
        const Settings *settings = run->book.items[s];
        for (size_t i = 0; settings->path && (entry = ptxlint_config_stale(settings->config, i));
             i++) {
            snprintf(text, sizeof text, "%.440s is unused: no finding matches it; remove it",
                     entry);
            ptx_complain(settings->path, text);
        }
    }
}

/* Only where all rules have run can be known what is stale. */
static void finish_gates(CliRun *run)
{
    Text text = { 0 };
    if (run->options->command == COMMAND_BASELINE && run->has_gap)
        ptx_complain("baseline", "not written, because not all inputs could be read");
    else if (run->options->command == COMMAND_BASELINE)
        raise_code(run, ptx_gates_save(&run->gates, run->options, &text));
    else if (!run->is_syntax_only)
        raise_code(run,
                   exit_code_max(ptx_gates_report(&run->gates),
                                 ptx_gates_report_budgets(&run->gates, run->options->kernel_glob)));
    write_text(run, &run->targets[0], &text);
    ptx_text_free(&text);
}

static void run_modules(CliRun *run)
{
    run->has_gap = run->code != EXIT_CLEAN;
    bool is_good = take_modules(run) && take_sources(run);
    for (size_t i = 0; i < run->target_count; i++) {
        RunTarget *target = &run->targets[i];
        if (target->writer && run->options->shard
            && !ptx_shard_attach(run->options, &run->shard, target->writer))
            complain_status(run, NULL, PTXLINT_NO_MEMORY);
        ptxlint_status status = target->writer && !target->is_lost
                                    ? ptxlint_writer_finish(target->writer)
                                    : PTXLINT_OK;
        if (status != PTXLINT_OK && status != PTXLINT_WRITE)
            complain_status(run, NULL, status);
        if (!target->is_lost && run->options->has_statistics)
            write_statistics(run, target);
    }
    if (!run->options->is_quiet)
        ptx_repeats_tell(&run->repeats);
    /* what matches nothing in one shard may do so in another */
    bool is_whole = is_good && !run->options->shard;
    if (is_whole)
        tell_unmatched(run);
    if (is_whole)
        finish_gates(run);
    if (is_whole && run->options->command == COMMAND_CHECK && !run->has_gap)
        tell_stale(run);
    if (run->options->has_fix)
        ptx_fix_report(run->options, &run->fixed);
}

/* ---- documents ------------------------------------------------------------------------------- */

static ptxlint_format format_for_library(Format format)
{
    static const ptxlint_format formats[FORMAT__COUNT] = {
        [FORMAT_TEXT] = PTXLINT_TEXT, [FORMAT_ONELINE] = PTXLINT_ONELINE, [FORMAT_JSON] = PTXLINT_JSON, [FORMAT_JSONL] = PTXLINT_JSONL,
        [FORMAT_SARIF] = PTXLINT_SARIF, [FORMAT_GITHUB] = PTXLINT_GITHUB, [FORMAT_GITLAB] = PTXLINT_GITLAB,
        [FORMAT_CHECKSTYLE] = PTXLINT_CHECKSTYLE, [FORMAT_JUNIT] = PTXLINT_JUNIT, [FORMAT_RDJSON] = PTXLINT_RDJSON,
        [FORMAT_RDJSONL] = PTXLINT_RDJSONL, [FORMAT_MARKDOWN] = PTXLINT_MARKDOWN, [FORMAT_CSV] = PTXLINT_CSV,
        [FORMAT_HTML] = PTXLINT_HTML,
    };
    return formats[format];
}

/* In JSON the statistics are a document of their own, which stands for that of the findings. */
static ExitCode open_target(CliRun *run, const Document *output)
{
    ptxlint_document document = run->options->command == COMMAND_CHECK ? PTXLINT_DIAGNOSTICS
                                                                       : PTXLINT_REPORT;
    if (run->options->command == COMMAND_ANNOTATE)
        document = PTXLINT_ANNOTATION;
    RunTarget *target = &run->targets[run->target_count];
    target->format = output->format;
    target->options = run->write_options;
    target->options.format = format_for_library(output->format);
    target->options.color = ptx_options_has_color(run->options, output->path);
    target->options.width = output->path ? 0 : ptx_table_columns();
    ExitCode code = ptx_sink_open(&target->sink, output->path);
    if (code != EXIT_CLEAN)
        return code;
    run->target_count++;
    target->sink.progress = &run->progress;
    ptx_sink_fit(&target->sink, run->options, output);
    if (run->options->command == COMMAND_BASELINE || run->options->command == COMMAND_BUDGET
        || (run->options->has_statistics && output->format == FORMAT_JSON)
        || ptx_fix_prints(run->options))
        return EXIT_CLEAN;
    ptxlint_status status = ptxlint_writer_new(document, &target->options, ptx_sink_write,
                                               &target->sink, &target->writer);
    return status == PTXLINT_OK || status == PTXLINT_WRITE ? EXIT_CLEAN
                                                           : ptx_complain_status(NULL, status);
}

static bool open_targets(CliRun *run)
{
    ExitCode code = EXIT_CLEAN;
    run->targets = calloc(run->options->output_count, sizeof *run->targets);
    if (!run->targets)
        code = ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; i < run->options->output_count && code == EXIT_CLEAN; i++)
        code = open_target(run, &run->options->outputs[i]);
    raise_code(run, code);
    return code == EXIT_CLEAN;
}

static void close_targets(CliRun *run)
{
    for (size_t i = 0; i < run->target_count; i++) {
        run->targets[i].sink.progress = NULL;
        run->targets[i].sink.is_dropped = run->code == EXIT_INTERNAL;
        raise_code(run, ptx_sink_close(&run->targets[i].sink));
        ptxlint_writer_free(run->targets[i].writer);
    }
    free(run->targets);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static ExitCode add_named_gpus(Inputs *inputs, const char *const *names)
{
    ExitCode code = EXIT_CLEAN;
    size_t count = 0;
    while (names[count])
        count++;
    for (size_t i = 0; i < count; i++)
        code = exit_code_max(code, ptx_inputs_add_gpu(inputs, names[i], count));
    return code;
}

/* Without a name: which there are. */
static void run_gpus(CliRun *run)
{
    const Inputs *inputs = &run->inputs;
    Sink sink;
    if (run->options->paths)
        raise_code(run, add_named_gpus(&run->inputs, run->options->paths));
    if (run->code == EXIT_CLEAN)
        raise_code(run, ptx_sink_open(&sink, run->options->output.path));
    if (run->code != EXIT_CLEAN)
        return;
    ptx_sink_fit(&sink, run->options, &run->options->output);
    run->write_options.format = format_for_library(run->options->output.format);
    ptxlint_status status = ptxlint_write_gpus(inputs->gpus, inputs->gpu_count, &run->write_options,
                                               ptx_sink_write, &sink);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        complain_status(run, NULL, status);
    raise_code(run, ptx_sink_close(&sink));
}

/* ---- which findings are shown ---------------------------------------------------------------- */

static bool has_group(const StringList *groups, const char *group)
{
    for (size_t i = 0; i < groups->count; i++)
        if (!strcmp(groups->items[i], group))
            return true;
    return false;
}

/* One that some rule has, or that the front end reports by. */
static bool is_group(const ptxlint_rules *rules, const char *text)
{
    static const char *const own[] = { "syntax", "limit", "suppression" };
    const ptxlint_rule *rule;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i], text))
            return true;
    for (size_t i = 0; (rule = ptxlint_rule_at(rules, i)); i++)
        if (!strcmp(rule->group, text))
            return true;
    return false;
}

static void complain_group(CliRun *run, const ptxlint_rules *rules, const char *group)
{
    char text[256];
    const char *near = ptxlint_rule_suggest(rules, group);
    const ptxlint_rule *rule = near ? ptxlint_rule_find(rules, near) : NULL;
    if (rule)                           /* a code or a name is meant for --select */
        snprintf(text, sizeof text,
                 "'%.80s' is not a group of rules; --select takes single ones, as %.60s", group,
                 near);
    else if (near)
        snprintf(text, sizeof text, "'%.80s' is not a group of rules; did you mean %.60s?", group,
                 near);
    else
        snprintf(text, sizeof text,
                 "'%.80s' is not a group of rules; --select takes rules; `ptxlint rules` lists "
                 "both",
                 group);
    ptx_complain("--only", text);
    raise_code(run, EXIT_USAGE);
}

static void add_group(CliRun *run, const char *group)
{
    if (!has_group(&run->groups, group))
        raise_code(run, ptx_strings_add(&run->groups, group, strlen(group)));
}

/* What the front end could not read for want of room is one of its findings: syntax brings limit
 * with it. */
static void choose_groups(CliRun *run, const ptxlint_rules *rules)
{
    const StringList *only = &run->options->only;
    bool is_front_end = only->count && run->options->command == COMMAND_CHECK;
    for (size_t i = 0; i < only->count; i++) {
        const char *group = only->items[i];
        if (!is_group(rules, group))
            complain_group(run, rules, group);
        add_group(run, group);
        if (!strcmp(group, "syntax"))
            add_group(run, "limit");
        is_front_end &= !strcmp(group, "syntax") || !strcmp(group, "limit");
    }
    run->is_syntax_only = is_front_end && has_group(&run->groups, "syntax");
    run->write_options.groups = run->groups.count ? (const char *const *)run->groups.items : NULL;
    run->write_options.group_count = run->groups.count;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_begin(CliRun *run, const Options *options, Matched *matched)
{
    *run = (CliRun){ .options = options, .paths = (const char *const *)options->paths };
    run->matched = matched ? matched : &run->own;
    if (!matched)
        raise_code(run, ptx_matched_begin(&run->own, options));
    ptxlint_write_options_init(&run->write_options);
    run->write_options.kernel_glob = options->kernel_glob;
    run->write_options.no_summary = options->is_quiet;
    run->write_options.primary = options->primary;
    run->write_options.verbose = options->is_verbose;
    run->write_options.has_details = options->has_details;
    run->write_options.is_by_source = options->is_by_source;
    run->write_options.source_root = options->source_root;
    run->write_options.docs_url = options->docs_url;
    run->write_options.min_gain_percent = options->min_gain_percent;
    /* who asks for a rule or a group by name wants its notes */
    run->write_options.show_all = options->has_all || options->only.count
                                  || options->choices[CHOICE_SELECT].count;
}

static void run_end(CliRun *run)
{
    for (unsigned i = 0; run->profiles && i < run->worker_count; i++)
        ptxlint_profile_free(run->profiles[i]);
    free(run->profiles);
    free(run->settings);
    free(run->baselines);
    free(run->budgets);
    ptx_gates_free(&run->gates);
    free(run->cache_keys);
    free(run->is_cached);
    ptx_shard_free(&run->shard);
    free(run->ptxas);
    ptxlint_sources_free(run->sources);
    ptx_tally_free(&run->tally);
    ptx_repeats_free(&run->repeats);
    ptx_strings_free(&run->groups);
    ptx_files_free(&run->files);
    ptx_book_free(&run->book);
    ptx_inputs_free(&run->inputs);
    ptx_matched_free(&run->own);
}

static void open_profiles(CliRun *run)
{
    run->profiles = calloc(run->worker_count, sizeof(ptxlint_profile *));
    for (unsigned i = 0; run->profiles && i < run->worker_count; i++)
        if (ptxlint_profile_new(&run->profiles[i]) != PTXLINT_OK)
            complain_status(run, NULL, PTXLINT_NO_MEMORY);
    if (!run->profiles)
        complain_status(run, NULL, PTXLINT_NO_MEMORY);
}

/* What holds for each file. */
static void find_settings(CliRun *run)
{
    run->settings = calloc(run->files.count ? run->files.count : 1, sizeof(Settings *));
    if (!run->settings)
        complain_status(run, NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; run->settings && i < run->files.count; i++)
        if (!(run->settings[i] = ptx_book_file(&run->book, shown_path(run, i))))
            raise_code(run, EXIT_INTERNAL);
}

/* A baseline is of findings, and so are budgets: a report has all. */
static ExitCode find_gates(CliRun *run)
{
    ExitCode code = EXIT_CLEAN;
    Command command = run->options->command;
    size_t count = run->files.count ? run->files.count : 1;
    run->baselines = calloc(count, sizeof(Baseline *));
    run->budgets = calloc(count, sizeof(Budget *));
    if (!run->baselines || !run->budgets)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; run->settings && i < run->files.count && code == EXIT_CLEAN; i++) {
        if (run->settings[i] && (command == COMMAND_CHECK || command == COMMAND_BASELINE))
            code = ptx_gates_find(&run->gates, run->options, run->settings[i], &run->baselines[i]);
        if (run->settings[i] && command == COMMAND_CHECK && code == EXIT_CLEAN)
            code = ptx_gates_find_budget(&run->gates, run->options, run->settings[i],
                                         &run->budgets[i]);
    }
    return code;
}

/* Files of equal settings have one key. */
static ExitCode make_cache_keys(CliRun *run)
{
    const size_t count = run->files.count;
    run->cache_keys = calloc(count + 1, sizeof *run->cache_keys);
    run->is_cached = calloc(count + 1, sizeof *run->is_cached);
    if (!run->cache_keys || !run->is_cached)
        return ptx_complain_memory();
    for (size_t i = 0; i < count; i++) {
        const Baseline *baseline = run->baselines[i];
        const Budget *budget = run->budgets[i];
        if (!run->settings[i])
            return EXIT_INTERNAL;
        CacheInputs inputs = { run->settings[i], NULL, NULL,
                               { (unsigned char)run->options->command, run->is_syntax_only,
                                 run->report != NULL, run->options->has_no_metadata,
                                 run->settings[i]->generated != NULL } };
        if (baseline)
            inputs.baseline_path = baseline->path;
        if (budget)
            inputs.budget_path = budget->path;
        if (i && run->settings[i] == run->settings[i - 1])
            run->cache_keys[i] = run->cache_keys[i - 1];
        else if (!ptx_cache_key(&run->cache, run->options, &inputs, &run->cache_keys[i]))
            return ptx_complain_memory();
    }
    return EXIT_CLEAN;
}

/* files: NULL before they are found. */
static bool enter_sandbox(CliRun *run, const FileList *files)
{
    const SandboxNeeds needs = { .reads_anywhere = !files, .files = { files },
                                 .gates = &run->gates };
    const ExitCode code = ptx_sandbox_enter(run->options, &needs);
    raise_code(run, code);
    return code == EXIT_CLEAN;
}

/* All that can be wrong before the first module is read. False: there is no sense in going on; a
 * PATH that leads nowhere does not keep the others from being read. */
static bool prepare(CliRun *run)
{
    const ptxlint_rules *rules;
    raise_code(run, ptx_inputs_read(&run->inputs, run->options));
    raise_code(run, ptx_book_open(&run->book, run->options));
    if (run->code != EXIT_CLEAN)
        return false;
    if (run->options->cache_path)
        raise_code(run, ptx_cache_open(&run->cache, run->options->cache_path));
    if (run->code != EXIT_CLEAN)
        return false;
    bool has_verb = run->options->command == COMMAND_BASELINE
                    || run->options->command == COMMAND_BUDGET;
    /* which files these write is known later */
    bool is_writer = run->options->command == COMMAND_BASELINE || run->options->has_fix;
    if (!is_writer && !run->report && !enter_sandbox(run, NULL))
        return false;
    for (size_t i = has_verb; run->paths[i] && !run->is_merge; i++)
        raise_code(run, ptx_paths_add(&run->files, run->paths[i], &run->book));
    if (run->options->shard && !ptx_shard_choose(run->options, &run->files, &run->shard))
        raise_code(run, ptx_complain_memory());
    find_settings(run);
    if (!run->settings)
        return false;
    ExitCode code = ptx_book_all_rules(&run->book, &rules), before = run->code;
    run->code = EXIT_CLEAN;
    choose_groups(run, rules);
    if (run->options->ptxas && !run->is_syntax_only)
        run->ptxas = ptx_ptxas_locate(run->options->ptxas, &run->code);
    code = exit_code_max(exit_code_max(code, run->code), run->book.code);
    if (code == EXIT_CLEAN)
        code = find_gates(run);
    if (code == EXIT_CLEAN
        && ptxlint_sources_new(run->options->source_root, &run->sources) != PTXLINT_OK)
        code = ptx_complain_memory();
    if (code == EXIT_CLEAN && run->options->cache_path)
        code = make_cache_keys(run);
    run->write_options.rules = rules;
    run->code = exit_code_max(before, code);
    return code == EXIT_CLEAN && run->code < EXIT_INTERNAL;
}

static void run_paths(CliRun *run)
{
    if (!prepare(run) || (!run->files.count && !run->options->shard && !run->is_merge))
        return;
    run->worker_count = ptx_jobs_workers(run->options, run->files.count);
    if (run->options->has_profile)
        open_profiles(run);
    if (run->code == EXIT_INTERNAL)
        return;
    bool is_open = open_targets(run) && enter_sandbox(run, &run->files);
    if (is_open) {
        ptx_progress_begin(&run->progress);
        run_modules(run);
    }
    close_targets(run);
    ptx_cache_report(&run->cache);
    if (is_open && run->options->has_profile)
        tell_profile(run);
}

ExitCode ptx_run(const Options *options)
{
    CliRun run;
    run_begin(&run, options, NULL);
    if (options->command == COMMAND_GPU)
        run_gpus(&run);
    else
        run_paths(&run);
    run_end(&run);
    return run.code;
}

ExitCode ptx_run_parts(const Options *options, FileList *files)
{
    CliRun run;
    run_begin(&run, options, NULL);
    run.is_merge = true;
    run.files = *files;
    *files = (FileList){ 0 };
    run_paths(&run);
    run_end(&run);
    return run.code;
}

/* ---- reports for a diff ---------------------------------------------------------------------- */

struct ReportRun {
    CliRun run;
    const char *paths[2];
    bool is_ready;
};

ExitCode ptx_report_find(const Options *options, const char *path, Matched *matched,
                         ptxlint_report *report, ReportRun **out)
{
    ReportRun *side = *out = malloc(sizeof *side);
    if (!side)
        return ptx_complain_memory();
    run_begin(&side->run, options, matched);
    side->paths[0] = path;
    side->paths[1] = NULL;
    side->run.paths = side->paths;
    side->run.report = report;
    side->is_ready = prepare(&side->run);
    return side->run.code;
}

const FileList *ptx_report_files(const ReportRun *side)
{
    return side ? &side->run.files : NULL;
}

ExitCode ptx_report_take(ReportRun *side)
{
    CliRun *run = &side->run;
    if (!side->is_ready || !run->files.count)
        return run->code;
    run->worker_count = ptx_jobs_workers(run->options, run->files.count);
    if (run->options->has_profile)
        open_profiles(run);
    ptx_progress_begin(&run->progress);
    if (run->code != EXIT_INTERNAL)
        take_modules(run);
    if (run->options->has_profile && run->code != EXIT_INTERNAL)
        tell_profile(run);
    return run->code;
}

void ptx_report_free(ReportRun *side)
{
    if (side)
        run_end(&side->run);
    free(side);
}
