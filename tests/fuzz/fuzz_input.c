/* fuzz_input.c -- one file that may hold PTX, through everything that reads it.
 *
 * Any bytes are a file: opening may refuse it, and so may each entry; what is said of them must
 * hold together. A breach is an abort. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_UNPACKED = 1 << 20, ENTRIES = 64 };

static int count_bytes(void *context, const char *bytes, size_t length)
{
    size_t *count = context;
    require(bytes[length] == 0, "a text ends in a NUL");
    require(!length || bytes[length - 1], "NULs at the end of a text are gone");
    *count += length;
    return 0;
}

static void check_entry(const ptxlint_input *input, size_t index)
{
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    const ptxlint_input_entry *entry = ptxlint_input_at(input, index);
    char error[128] = "";
    size_t count = 0;
    ptxlint_module *module = NULL;
    ptxlint_options options;
    require(!strncmp(entry->path, info->path, strlen(info->path)),
            "an entry is called as its file");
    require(!*entry->name == !info->is_container, "an entry of a container has a name");
    ptxlint_status status = ptxlint_input_text(input, index, count_bytes, &count, error,
                                               sizeof error);
    require((status == PTXLINT_BAD_FILE) == (*error != 0), "what is refused has a reason");
    require(count <= MAX_UNPACKED || !info->is_container, "nothing unpacks to more than allowed");
    ptxlint_options_init(&options);
    options.syntax_only = 1;
    require(ptxlint_input_module(input, index, &options, &module, NULL, 0) == status,
            "a text that can be unpacked can be read");
    require(!module || ptxlint_module_get_info(module)->length == count, "both have one text");
    ptxlint_module_free(module);
}

static void check_input(const ptxlint_input *input)
{
    const ptxlint_input_info *info = ptxlint_input_get_info(input);
    size_t shown = 0;
    require(!info->entry_count == (info->no_ptx != NULL), "where there is no PTX it is said why");
    require(!ptxlint_input_at(input, info->entry_count), "entries end");
    for (size_t i = 0; i < info->entry_count && i < ENTRIES; i++)
        check_entry(input, i);
    while (ptxlint_input_trouble(input, shown))
        shown++;
    require(shown <= info->trouble_count && (shown || !info->trouble_count), "troubles are told");
}

static void open_input(const char *path)
{
    ptxlint_input *input = NULL;
    ptxlint_input_options options;
    char error[128];
    ptxlint_input_options_init(&options);
    options.max_unpacked_bytes = MAX_UNPACKED;
    ptxlint_status status = ptxlint_input_open(path, &options, &input, error, sizeof error);
    require((status == PTXLINT_OK) == (input != NULL),
            "an input comes with success, and only then");
    require(status == PTXLINT_OK || status == PTXLINT_BAD_FILE, "any bytes are a file");
    require(status != PTXLINT_BAD_FILE || *error, "a file that is refused has a reason");
    if (input)
        check_input(input);
    ptxlint_input_free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    require(file >= 0 && write(file, data, size) == (ssize_t)size, "a file can be made");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    open_input(path);
    close(file);
    return 0;
}
