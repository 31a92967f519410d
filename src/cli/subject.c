/* subject.c -- what a command of one small document is asked about: all that configs say of it is
 * read before the first module, and the sandbox closed behind it. */
#include "cli/cli.h"

/* Configs lie above their inputs, where the sandbox does not let them be read any more. What is
 * wrong with one is reported where a file of it is opened. */
static ExitCode read_configs(const FileList *files, Book *book)
{
    for (size_t i = 0; i < files->count; i++)
        if (!ptx_book_file(book, files->items[i].path))
            return EXIT_INTERNAL;
    return EXIT_CLEAN;
}

ExitCode ptx_sandbox_enclose(const Options *options, const FileList *files, Book *book)
{
    const SandboxNeeds needs = { .files = { files } };
    return exit_code_max(read_configs(files, book), ptx_sandbox_enter(options, &needs));
}

ExitCode ptx_subject_open(CliSubject *subject, const Options *options, const char *const *paths)
{
    *subject = (CliSubject){ .options = options };
    ExitCode code = exit_code_max(ptx_inputs_read(&subject->inputs, options),
                                  ptx_book_open(&subject->book, options));
    for (size_t i = 0; paths[i] && code == EXIT_CLEAN; i++)
        code = ptx_paths_add(&subject->files, paths[i], &subject->book);
    return code < EXIT_INTERNAL
               ? exit_code_max(code,
                               ptx_sandbox_enclose(options, &subject->files, &subject->book))
               : code;
}

ExitCode ptx_subject_each(CliSubject *subject, const ModuleSource *like, ModuleTaker take,
                          void *self)
{
    ExitCode code = EXIT_CLEAN;
    for (size_t i = 0; i < subject->files.count && code < EXIT_INTERNAL; i++) {
        const InputFile *file = &subject->files.items[i];
        const Settings *settings = ptx_book_file(&subject->book, file->path);
        ModuleSource source = *like;
        ptxlint_module *module;
        if (!settings || settings->code != EXIT_CLEAN) {
            code = exit_code_max(code, settings ? settings->code : EXIT_INTERNAL);
            continue;
        }
        source.options = subject->options;
        source.given = &subject->inputs;
        source.config = &settings->inputs;
        ExitCode here = ptx_inputs_open(&source, file, &module);
        if (here == EXIT_CLEAN) {
            here = take(self, &source, module);
            ptxlint_module_free(module);
        }
        code = exit_code_max(code, here);
    }
    return code;
}

void ptx_subject_free(CliSubject *subject)
{
    ptx_files_free(&subject->files);
    ptx_book_free(&subject->book);
    ptx_inputs_free(&subject->inputs);
}
