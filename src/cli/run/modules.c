/* modules.c -- making the module of a file, in any thread. */
#include "cli/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const Inputs *ptx_run_launches(const CliRun *run, size_t index)
{
    const Inputs *config = &run->settings[index]->inputs;
    return config->launches ? config : &run->inputs;
}

const char *ptx_run_path(const CliRun *run, size_t index)
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

/* Tables of kernels, and nothing else, come of modules. */
static bool wants_overview(const CliRun *run)
{
    const Options *options = run->options;
    bool is_wanted = options->command == COMMAND_REPORT && !run->report && !run->is_merge
                     && !run->cache_keys && !options->shard && !options->has_details
                     && !options->kernel_glob && !options->has_fix;
    for (size_t i = 0; i < options->output_count; i++)
        is_wanted &= options->outputs[i].format == FORMAT_TEXT
                     || options->outputs[i].format == FORMAT_MARKDOWN;
    return is_wanted;
}

ptxlint_options ptx_run_module_options(const CliRun *run, size_t index, unsigned worker)
{
    const Budget *budget = run->budgets[index];
    const Inputs *given = &run->inputs, *config = &run->settings[index]->inputs;
    const Inputs *gpus = given;
    if (!given->gpu_count && budget)
        gpus = config->gpu_count ? config : &budget->inputs;
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = ptx_run_path(run, index);
    options.gpus = gpus->gpu_count ? gpus->gpus : config->gpus;
    options.gpu_count = gpus->gpu_count ? gpus->gpu_count : config->gpu_count;
    options.launches = ptx_run_launches(run, index)->launches;
    options.metadata_path = ptx_inputs_metadata(run->options, &run->files.items[index]);
    options.ptxas = given->logs;
    options.config = run->settings[index]->config;
    options.generated_config = run->settings[index]->generated ? ptx_generated_config : NULL;
    options.generated_context = run->settings[index]->generated;
    options.baseline = run->baselines[index] ? run->baselines[index]->known : NULL;
    options.budget = budget ? budget->budget : NULL;
    options.jobs = ptx_jobs_threads(run->options, run->worker_count);
    options.profile = run->profiles ? run->profiles[worker] : NULL;
    options.syntax_only = run->is_syntax_only;
    options.sources = run->sources;
    const Command command = run->options->command;
    options.has_instructions = command == COMMAND_ANNOTATE
                               || (command == COMMAND_REPORT && wants_page(run->options));
    options.overview_only = wants_overview(run);
    options.has_each_launch = (command == COMMAND_CHECK || command == COMMAND_REPORT
                               || command == COMMAND_ANNOTATE)
                              && !run->report && !run->options->has_fix;
    options.findings_only = command != COMMAND_REPORT && command != COMMAND_ANNOTATE
                            && command != COMMAND_BUDGET && !run->report && !budget
                            && !run->options->ptxas;
    return options;
}

/* What is left of a module whose kernels are taken is not enough for a cache, other documents or
 * what launch files name. */
bool ptx_run_takes_kernels(const CliRun *run, size_t index)
{
    const Options *options = run->options;
    const RunTarget *target = run->targets;
    return options->command == COMMAND_REPORT && !run->report && !run->ptxas && !run->is_merge
           && !run->cache_keys && !options->shard && !options->has_statistics
           && !options->has_details && run->worker_count == 1 && run->target_count == 1
           && target->writer && target->format == FORMAT_JSON
           && !ptx_run_launches(run, index)->launches;
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
            && ptx_matched_take(run->matched, ptx_run_launches(run, index), job->module,
                                &entry.matches))
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

void ptx_run_make(void *context, size_t index, unsigned worker, Job *job)
{
    CliRun *run = context;
    ptxlint_options options = ptx_run_module_options(run, index, worker);
    errno = 0;
    const InputFile *file = &run->files.items[index];
    if (ptx_run_takes_kernels(run, index)) {
        options.take_kernel = ptx_run_take_kernel;
        options.take_same = ptx_run_take_same;
        options.take_context = run;
    }
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
