/* run.c -- check, report, gpu, baseline and budget: modules from inputs, documents from modules. */
#include "cli/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ptx_run_raise(CliRun *run, ExitCode code)
{
    run->code = exit_code_max(run->code, code);
}

void ptx_run_complain(CliRun *run, const char *subject, ptxlint_status status)
{
    ptx_run_raise(run, ptx_complain_status(subject, status));
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
        ptx_run_raise(run, EXIT_FOUND);
    if (is_cut_short(module))
        ptx_run_raise(run, EXIT_INPUT);
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
            ptx_run_complain(run, path, status);
        target->is_lost |= status != PTXLINT_OK;
        is_good |= !target->is_lost;
    }
    return is_good;
}

void ptx_run_take_kernel(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    CliRun *run = context;
    RunTarget *target = &run->targets[0];
    const ptxlint_status status = target->is_lost ? PTXLINT_OK
                                                  : ptxlint_writer_take(target->writer, module,
                                                                        kernel);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        ptx_run_complain(run, ptxlint_module_get_info(module)->path, status);
    target->is_lost |= status != PTXLINT_OK;
}

int ptx_run_take_same(void *context, const ptxlint_module *module, const ptxlint_kernel *kernel,
                      const ptxlint_kernel *first)
{
    const CliRun *run = context;
    const RunTarget *target = &run->targets[0];
    return !target->is_lost && ptxlint_writer_take_same(target->writer, module, kernel, first);
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
        ptx_run_complain(run, path, status);
}

static bool add_to_report(CliRun *run, const char *path, const ptxlint_module *module)
{
    ptxlint_status status = ptxlint_report_add(run->report, module);
    if (status != PTXLINT_OK)
        ptx_run_complain(run, path, status);
    return status == PTXLINT_OK;
}

/* Its share of what options and launch files name. */
static void match_module(CliRun *run, size_t index, const Job *job)
{
    const Inputs *launches = ptx_run_launches(run, index);
    ptx_run_raise(run, job->is_cached ? ptx_matched_add_taken(run->matched, launches, job->module,
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
    ptx_run_raise(run, job->code);
    if (job->status == PTXLINT_BAD_FILE) {      /* the messages have said why */
        run->has_gap = true;
        ptx_run_raise(run, EXIT_INPUT);
        return true;
    }
    if (job->status != PTXLINT_OK) {
        if (ptx_run_takes_kernels(run, index))
            ptxlint_writer_take(run->targets[0].writer, NULL, NULL);
        run->has_gap = true;
        ptx_run_raise(run, ptx_complain_status_to(NULL, path, job->status, job->error));
        return true;
    }
    ptx_run_raise(run, ptx_complain_metadata(job->module));
    if (!job->fixes && run->options->command != COMMAND_BASELINE
        && ptx_repeats_take(&run->repeats, job->module))
        return true;
    judge_module(run, job->module);
    if (job->fixes)
        ptx_run_raise(run,
                      ptx_fix_take(run->options, path, job, &run->targets[0].sink, &run->fixed));
    match_module(run, index, job);
    if (run->baselines[index]
        && ptxlint_baseline_add(run->baselines[index]->found, job->module) != PTXLINT_OK)
        ptx_run_complain(run, path, PTXLINT_NO_MEMORY);
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
    Jobs *jobs = ptx_jobs_start(run->worker_count, run->files.count, ptx_run_make, run);
    if (!jobs) {
        ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
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
            ptx_run_complain(run, path, status);
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
        ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
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
        ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
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
        ptxlint_options options = ptx_run_module_options(run, i, 0);
        if (run->is_cached[i]
            && ptx_file_module(&run->files.items[i], &options, &module, NULL) == PTXLINT_OK)
            ptx_run_raise(run, ptx_matched_add(run->matched, ptx_run_launches(run, i), module));
        ptxlint_module_free(module);
    }
}

/* What is in inputs that could not be read is not known. */
static void tell_unmatched(CliRun *run)
{
    if (run->is_cached && ptx_matched_is_open(run->matched))
        match_again(run);
    if (!run->has_gap && run->code < EXIT_INPUT)
        ptx_run_raise(run, ptx_matched_report(run->matched));
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
        ptx_run_raise(run, ptx_gates_save(&run->gates, run->options, &text));
    else if (!run->is_syntax_only)
        ptx_run_raise(
            run, exit_code_max(ptx_gates_report(&run->gates),
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
            ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
        ptxlint_status status =
            target->writer && !target->is_lost ? ptxlint_writer_finish(target->writer) : PTXLINT_OK;
        if (status != PTXLINT_OK && status != PTXLINT_WRITE)
            ptx_run_complain(run, NULL, status);
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
        ptx_run_raise(run, add_named_gpus(&run->inputs, run->options->paths));
    if (run->code == EXIT_CLEAN)
        ptx_run_raise(run, ptx_sink_open(&sink, run->options->output.path));
    if (run->code != EXIT_CLEAN)
        return;
    ptx_sink_fit(&sink, run->options, &run->options->output);
    run->write_options.format = ptx_run_format(run->options->output.format);
    ptxlint_status status = ptxlint_write_gpus(inputs->gpus, inputs->gpu_count, &run->write_options,
                                               ptx_sink_write, &sink);
    if (status != PTXLINT_OK && status != PTXLINT_WRITE)
        ptx_run_complain(run, NULL, status);
    ptx_run_raise(run, ptx_sink_close(&sink));
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_begin(CliRun *run, const Options *options, Matched *matched)
{
    *run = (CliRun){ .options = options, .paths = (const char *const *)options->paths };
    run->matched = matched ? matched : &run->own;
    if (!matched)
        ptx_run_raise(run, ptx_matched_begin(&run->own, options));
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
            ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
    if (!run->profiles)
        ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
}

/* What holds for each file. */
static void find_settings(CliRun *run)
{
    run->settings = calloc(run->files.count ? run->files.count : 1, sizeof(Settings *));
    if (!run->settings)
        ptx_run_complain(run, NULL, PTXLINT_NO_MEMORY);
    for (size_t i = 0; run->settings && i < run->files.count; i++)
        if (!(run->settings[i] = ptx_book_file(&run->book, ptx_run_path(run, i))))
            ptx_run_raise(run, EXIT_INTERNAL);
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
    ptx_run_raise(run, code);
    return code == EXIT_CLEAN;
}

/* All that can be wrong before the first module is read. False: there is no sense in going on; a
 * PATH that leads nowhere does not keep the others from being read. */
static bool prepare(CliRun *run)
{
    const ptxlint_rules *rules;
    ptx_run_raise(run, ptx_inputs_read(&run->inputs, run->options));
    ptx_run_raise(run, ptx_book_open(&run->book, run->options));
    if (run->code != EXIT_CLEAN)
        return false;
    if (run->options->cache_path)
        ptx_run_raise(run, ptx_cache_open(&run->cache, run->options->cache_path));
    if (run->code != EXIT_CLEAN)
        return false;
    bool has_verb = run->options->command == COMMAND_BASELINE
                    || run->options->command == COMMAND_BUDGET;
    /* which files these write is known later */
    bool is_writer = run->options->command == COMMAND_BASELINE || run->options->has_fix;
    if (!is_writer && !run->report && !enter_sandbox(run, NULL))
        return false;
    for (size_t i = has_verb; run->paths[i] && !run->is_merge; i++)
        ptx_run_raise(run, ptx_paths_add(&run->files, run->paths[i], &run->book));
    if (run->options->shard && !ptx_shard_choose(run->options, &run->files, &run->shard))
        ptx_run_raise(run, ptx_complain_memory());
    find_settings(run);
    if (!run->settings)
        return false;
    ExitCode code = ptx_book_all_rules(&run->book, &rules), before = run->code;
    run->code = EXIT_CLEAN;
    ptx_run_choose_groups(run, rules);
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
    bool is_open = ptx_run_open(run) && enter_sandbox(run, &run->files);
    if (is_open) {
        ptx_progress_begin(&run->progress);
        run_modules(run);
    }
    ptx_run_close(run);
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
