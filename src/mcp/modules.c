/* modules.c -- what a tool is asked about: PTX in the message or in a file below the working
 * directory, a GPU, a launch. */
#include "mcp/mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether a file, links followed, lies below the working directory. */
static bool is_in_working_folder(const char *real, bool *has_memory)
{
    char *here = realpath(".", NULL);
    *has_memory = here || errno != ENOMEM;
    const size_t length = here ? strlen(here) : 0;
    const bool is_root = length == 1;
    bool is_inside = here && !strncmp(real, here, length) && (is_root || real[length] == '/');
    free(here);
    return is_inside;
}

static char *read_open_file(int file, size_t length)
{
    char *text = malloc(length + 1);
    errno = text ? 0 : ENOMEM;
    for (size_t at = 0; text && at < length;) {
        ssize_t got = read(file, text + at, length - at);
        if (got > 0) {
            at += (size_t)got;
        } else if (!got || errno != EINTR) {
            errno = got ? errno : 0;
            free(text);             /* which keeps errno */
            text = NULL;
        }
    }
    return text;
}

/* For free(). The path is that of the file itself: nothing on it is a link any more. */
static char *read_real(const char *path, const char *real, size_t *length,
                       char error[MCP_ERROR_BYTES])
{
    struct stat status;
    char *text = NULL;
    int file = open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &status)) {
        ptx_mcp_fail(error, "%.200s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode) || status.st_size > MCP_FILE_BYTES_MAX) {
        ptx_mcp_fail(error, "%.200s: not a regular file of at most 256 MiB", path);
    } else {
        *length = (size_t)status.st_size;
        text = read_open_file(file, *length);
        if (!text)
            ptx_mcp_fail(error, "%.200s: %s", path, errno ? strerror(errno) : "it has shrunk");
    }
    if (file >= 0)
        close(file);
    return text;
}

static char *read_below(const char *path, size_t *length, char error[MCP_ERROR_BYTES])
{
    bool has_memory = true;
    char *real = realpath(path, NULL), *text = NULL;
    if (!real)
        ptx_mcp_fail(error, "%.200s: %s", path, strerror(errno));
    else if (!is_in_working_folder(real, &has_memory))
        ptx_mcp_fail(error, has_memory ? "%.200s: not below the working directory"
                                       : "%.200s: no memory", path);
    else
        text = read_real(path, real, length, error);
    free(real);
    return text;
}

/* ---- launches -------------------------------------------------------------------------------- */

bool ptx_mcp_read_sizes(const json_t *value, int64_t sizes[3])
{
    size_t count = json_array_size(value);
    if (json_is_integer(value)) {
        sizes[0] = json_integer_value(value);
        return sizes[0] > 0;
    }
    for (size_t i = 0; i < count && i < 3; i++) {
        sizes[i] = json_integer_value(json_array_get(value, i));
        if (sizes[i] <= 0)
            return false;
    }
    return count >= 1 && count <= 3;
}

static bool set_launch_value(ptxlint_launches *launches, const char *key, const char *value,
                       char error[MCP_ERROR_BYTES])
{
    char why[MCP_ERROR_BYTES / 2] = "";
    if (ptxlint_launches_set(launches, key, value, why, sizeof why) == PTXLINT_OK)
        return true;
    ptx_mcp_fail(error, "launch: %s: %s", key, *why ? why : "not taken");
    return false;
}

static bool set_sizes(ptxlint_launches *launches, const char *key, const json_t *value,
                      char error[MCP_ERROR_BYTES])
{
    char text[80];
    int64_t sizes[3] = { 1, 1, 1 };
    if (!ptx_mcp_read_sizes(value, sizes)) {
        ptx_mcp_fail(error, "launch: %s is a number, or an array of up to three", key);
        return false;
    }
    snprintf(text, sizeof text, "%" PRId64 ",%" PRId64 ",%" PRId64, sizes[0], sizes[1], sizes[2]);
    return set_launch_value(launches, key, text, error);
}

/* "params" and "trips": values by name or number. */
static bool set_members(ptxlint_launches *launches, const char *key, const json_t *members,
                        char error[MCP_ERROR_BYTES])
{
    char text[320];
    const char *name;
    json_t *value;
    if (json_is_null(members))
        return true;
    if (!json_is_object(members)) {
        ptx_mcp_fail(error, "launch: %ss is an object: values by name or number", key);
        return false;
    }
    json_object_foreach((json_t *)(uintptr_t)members, name, value) {
        if (json_is_integer(value))
            snprintf(text, sizeof text, "%.250s=%" PRId64, name,
                     (int64_t)json_integer_value(value));
        else if (json_is_real(value))
            snprintf(text, sizeof text, "%.250s=%.17g", name, json_real_value(value));
        else
            snprintf(text, sizeof text, "%.250s=?", name);
        if (!set_launch_value(launches, key, text, error))
            return false;
    }
    return true;
}

static bool set_one(ptxlint_launches *launches, const char *key, const json_t *value,
                    char error[MCP_ERROR_BYTES])
{
    char text[32];
    if (!strcmp(key, "block") || !strcmp(key, "grid") || !strcmp(key, "cluster"))
        return set_sizes(launches, key, value, error);
    if (!strcmp(key, "params"))
        return set_members(launches, "param", value, error);
    if (!strcmp(key, "trips"))
        return set_members(launches, "trip", value, error);
    if (!strcmp(key, "dynamic_shared")) {
        if (!json_is_integer(value)) {
            ptx_mcp_fail(error, "launch: dynamic_shared is a number of bytes");
            return false;
        }
        snprintf(text, sizeof text, "%" PRId64, (int64_t)json_integer_value(value));
        return set_launch_value(launches, key, text, error);
    }
    ptx_mcp_fail(error, "launch has block, grid, cluster, dynamic_shared, params and trips, and no "
                        "'%.40s'", key);
    return false;
}

static bool read_input_launch(McpInput *input, const json_t *launch, char error[MCP_ERROR_BYTES])
{
    const char *key;
    json_t *value;
    if (!launch)
        return true;
    if (!json_is_object(launch)) {
        ptx_mcp_fail(error, "launch is an object");
        return false;
    }
    if (ptxlint_launches_new(NULL, 0, &input->launches, NULL, 0) != PTXLINT_OK)
        return false;
    json_object_foreach((json_t *)(uintptr_t)launch, key, value)
        if (!set_one(input->launches, key, value, error))
            return false;
    return true;
}

/* ---- modules --------------------------------------------------------------------------------- */

bool ptx_mcp_gpu(const json_t *arguments, const ptxlint_gpu **out, char error[MCP_ERROR_BYTES])
{
    const json_t *gpu = json_object_get(arguments, "gpu");
    const char *name = json_string_value(gpu);
    const bool is_given = gpu && !json_is_null(gpu);
    *out = name ? ptxlint_gpu_find(name) : NULL;
    if (is_given && !name)
        ptx_mcp_fail(error, "gpu: it is a text, as h200 or sm_90");
    else if (is_given && !*out)
        ptx_mcp_fail(error, "gpu: '%.60s' is not known; h200 and sm_90 are", name);
    return !is_given || *out;
}

static bool read_input_select(McpInput *input, const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const json_t *select = json_object_get(arguments, "select");
    const char *value = json_string_value(select);
    char why[MCP_ERROR_BYTES / 2] = "it is a text";
    if (!select)
        return true;
    if (ptxlint_config_new(NULL, &input->config) != PTXLINT_OK)
        return false;
    if (value
        && ptxlint_config_set(input->config, "select", value, why, sizeof why) == PTXLINT_OK)
        return true;
    ptx_mcp_fail(error, "select: %s", why);
    return false;
}

static bool is_kernel_named(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const json_t *kernel = json_object_get(arguments, "kernel");
    bool is_fine = !kernel || json_is_null(kernel) || json_is_string(kernel);
    if (!is_fine)
        ptx_mcp_fail(error, "kernel: it is a text");
    return is_fine;
}

static bool make_input_module(McpInput *input, const char *path, const char *text, size_t length,
                              bool findings_only)
{
    ptxlint_options options;
    ptxlint_options_init(&options);
    options.path = path;
    options.gpus = &input->gpu;
    options.gpu_count = input->gpu != NULL;
    options.launches = input->launches;
    options.config = input->config;
    options.findings_only = findings_only;
    ptxlint_status status = ptxlint_sources_new(NULL, &options.sources);
    if (status == PTXLINT_OK)
        status = ptxlint_module_new(text, length, &options, &input->module);
    ptxlint_sources_free(options.sources);
    return status == PTXLINT_OK;
}

bool ptx_mcp_open(McpInput *input, const json_t *source, const json_t *arguments,
                  bool findings_only, char error[MCP_ERROR_BYTES])
{
    const json_t *ptx = json_object_get(source, "ptx");
    const char *path = json_string_value(json_object_get(source, "path"));
    size_t length = json_string_length(ptx);
    *input = (McpInput){ 0 };
    if (!json_is_string(ptx) == !path) {
        ptx_mcp_fail(error, "give the PTX as `ptx`, or a file as `path`: one of the two");
        return false;
    }
    if (!is_kernel_named(arguments, error) || !ptx_mcp_gpu(arguments, &input->gpu, error)
        || !read_input_select(input, arguments, error)
        || !read_input_launch(input, json_object_get(arguments, "launch"), error))
        return false;
    if (!path)
        return make_input_module(input, "-", json_string_value(ptx), length, findings_only);
    char *text = read_below(path, &length, error);
    bool is_made = text && make_input_module(input, path, text, length, findings_only);
    free(text);
    return is_made;
}

void ptx_mcp_close(McpInput *input)
{
    ptxlint_module_free(input->module);
    ptxlint_launches_free(input->launches);
    ptxlint_config_free(input->config);
}

/* The first kernels of the module, with commas; as many as there is room for. */
static void name_kernels(const ptxlint_kernel *kernels, size_t count, char *to, size_t size)
{
    size_t length = 0;
    *to = 0;
    for (size_t i = 0; i < count; i++) {
        size_t more = strlen(kernels[i].name) + 2;
        if (!kernels[i].is_entry || length + more >= size)
            continue;
        length += (size_t)snprintf(to + length, size - length, "%s%s", length ? ", " : "",
                                   kernels[i].name);
    }
}

const ptxlint_kernel *ptx_mcp_find_kernel(const ptxlint_module *module, const char *name,
                                          char error[MCP_ERROR_BYTES])
{
    size_t count, matches = 0;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count), *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (name ? !strcmp(kernels[i].name, name) : kernels[i].is_entry) {
            found = &kernels[i];
            matches++;
        }
    char names[MCP_ERROR_BYTES / 2];
    name_kernels(kernels, count, names, sizeof names);
    if (!matches && name && *names)
        ptx_mcp_fail(error, "there is no kernel '%.100s'; the file has %s", name, names);
    else if (!matches && name)
        ptx_mcp_fail(error, "there is no kernel '%.200s'", name);
    else if (!matches)
        ptx_mcp_fail(error, "there is no kernel");
    else if (matches > 1)
        ptx_mcp_fail(error, "there are %zu kernels; name one as `kernel`: %s", matches, names);
    return matches == 1 ? found : NULL;
}
