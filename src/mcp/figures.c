/* figures.c -- report and what_if: registers, occupancy and time of kernels, the slowest first. */
#include "mcp/mcp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 240, ACCESSES_SHOWN = 3, TRIALS_MAX = 64 };

static json_t *make_sizes(const int64_t sizes[3])
{
    json_t *out = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(out, ptx_mcp_count(sizes[i]));
    return out;
}

static json_t *make_registers(int64_t value, int64_t low, int64_t high, const char *certainty)
{
    json_t *out = json_object();
    json_object_set_new(out, "value", ptx_mcp_count(value));
    json_object_set_new(out, "low", ptx_mcp_count(low));
    json_object_set_new(out, "high", ptx_mcp_count(high));
    json_object_set_new(out, "certainty", json_string(certainty));
    return out;
}

static json_t *make_occupancy(const ptxlint_occupancy *occupancy)
{
    json_t *out = json_object();
    json_object_set_new(out, "percent", ptx_mcp_number(occupancy->percent));
    json_object_set_new(out, "blocks_per_sm", ptx_mcp_count(occupancy->blocks_per_sm));
    json_object_set_new(out, "limiter", ptx_mcp_text(occupancy->limiter, SHOWN_BYTES));
    if (occupancy->error)
        json_object_set_new(out, "error", ptx_mcp_text(occupancy->error, SHOWN_BYTES));
    return out;
}

static json_t *make_time(const ptxlint_time *time)
{
    json_t *out = json_object();
    json_object_set_new(out, "predicted_us", ptx_mcp_number(time->predicted_us));
    json_object_set_new(out, "low_us", ptx_mcp_number(time->low_us));
    json_object_set_new(out, "high_us", ptx_mcp_number(time->high_us));
    json_object_set_new(out, "bound_us", ptx_mcp_number(time->bound_us));
    json_object_set_new(out, "limiter", ptx_mcp_text(time->limiter, SHOWN_BYTES));
    json_object_set_new(out, "certainty", json_string(ptx_mcp_certainty(time->certainty)));
    if (time->why)
        json_object_set_new(out, "why_unknown", ptx_mcp_text(time->why, SHOWN_BYTES));
    return out;
}

/* ---- report ---------------------------------------------------------------------------------- */

static int compare_accesses(const void *pa, const void *pb)
{
    const ptxlint_access *a = *(const ptxlint_access *const *)pa,
                         *b = *(const ptxlint_access *const *)pb;
    if (a->efficiency < b->efficiency || a->efficiency > b->efficiency)
        return a->efficiency < b->efficiency ? -1 : 1;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

static json_t *make_access(const ptxlint_module *module, const ptxlint_access *access)
{
    json_t *out = json_object();
    json_object_set_new(out, "line",
                        json_integer(ptxlint_module_place(module, access->span.begin).line));
    json_object_set_new(out, "space", json_string(access->space));
    json_object_set_new(out, "op", json_string(access->op));
    json_object_set_new(out, "efficiency", ptx_mcp_number(access->efficiency));
    json_object_set_new(out, "pattern", ptx_mcp_text(access->pattern, SHOWN_BYTES));
    json_object_set_new(out, "stride_bytes", ptx_mcp_count(access->stride_bytes));
    json_object_set_new(out, "certainty", json_string(ptx_mcp_certainty(access->certainty)));
    return out;
}

/* Those that waste most. */
static json_t *worst_accesses(const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    json_t *out = json_array();
    size_t count = 0;
    const ptxlint_access **worst = ptx_mcp_alloc(kernel->access_count, sizeof(ptxlint_access *));
    for (size_t i = 0; worst && i < kernel->access_count; i++)
        if (kernel->accesses[i].efficiency < 1)
            worst[count++] = &kernel->accesses[i];
    if (worst)
        qsort(worst, count, sizeof *worst, compare_accesses);
    for (size_t i = 0; worst && i < count && i < ACCESSES_SHOWN; i++)
        json_array_append_new(out, make_access(module, worst[i]));
    ptx_mcp_free(worst);
    return out;
}

static json_t *show_launch(const ptxlint_launch *launch)
{
    json_t *out = json_object();
    json_object_set_new(out, "grid", make_sizes(launch->grid));
    json_object_set_new(out, "block", make_sizes(launch->block));
    json_object_set_new(out, "assumed", json_boolean(launch->source == PTXLINT_LAUNCH_ASSUMED
                                                     || launch->block_is_assumed));
    if (launch->assumed_options)
        json_object_set_new(out, "give", ptx_mcp_text(launch->assumed_options, SHOWN_BYTES));
    return out;
}

static void add_projection(json_t *out, const ptxlint_projection *p)
{
    static const char *const sources[] = { "unknown", "bound", "exact", "estimate" };
    json_object_set_new(out, "gpu", json_string(ptxlint_gpu_get_info(p->gpu)->name));
    json_object_set_new(out, "registers",
                        make_registers(p->registers, p->registers_low, p->registers_high,
                                       sources[p->register_source]));
    json_object_set_new(out, "occupancy", make_occupancy(&p->occupancy));
    json_object_set_new(out, "time", make_time(&p->time));
    if (p->bottleneck.advice)
        json_object_set_new(out, "advice", ptx_mcp_text(p->bottleneck.advice, SHOWN_BYTES));
}

static json_t *make_kernel(const ptxlint_module *module, const ptxlint_kernel *kernel)
{
    json_t *out = json_object();
    json_object_set_new(out, "kernel", ptx_mcp_text(kernel->name, SHOWN_BYTES));
    json_object_set_new(out, "line",
                        json_integer(ptxlint_module_place(module, kernel->name_span.begin).line));
    json_object_set_new(out, "launch", show_launch(&kernel->launch));
    json_object_set_new(out, "static_shared_bytes", ptx_mcp_count(kernel->static_shared_bytes));
    json_object_set_new(out, "instructions",
                        json_integer((json_int_t)kernel->mix.instruction_count));
    if (kernel->projection_count)
        add_projection(out, &kernel->projections[0]);
    json_object_set_new(out, "worst_accesses", worst_accesses(module, kernel));
    return out;
}

static double kernel_us(const ptxlint_kernel *kernel)
{
    double us = kernel->projection_count ? kernel->projections[0].time.predicted_us : (double)NAN;
    return isnan(us) ? -1 : us;
}

static int compare_kernels(const void *pa, const void *pb)
{
    const ptxlint_kernel *a = *(const ptxlint_kernel *const *)pa,
                         *b = *(const ptxlint_kernel *const *)pb;
    if (kernel_us(a) < kernel_us(b) || kernel_us(a) > kernel_us(b))
        return kernel_us(a) > kernel_us(b) ? -1 : 1;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

static json_t *list_kernels(const ptxlint_module *module, const char *name)
{
    size_t count, kept = 0;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    const ptxlint_kernel **order = ptx_mcp_alloc(count, sizeof(ptxlint_kernel *));
    json_t *out = json_array();
    for (size_t i = 0; order && i < count; i++)
        if (name ? !strcmp(kernels[i].name, name) : kernels[i].is_entry)
            order[kept++] = &kernels[i];
    if (order)
        qsort(order, kept, sizeof *order, compare_kernels);
    for (size_t i = 0; order && i < kept; i++)
        json_array_append_new(out, make_kernel(module, order[i]));
    ptx_mcp_free(order);
    return out;
}

json_t *ptx_mcp_report(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    const char *kernel = json_string_value(json_object_get(arguments, "kernel"));
    McpInput input;
    json_t *answer = NULL;
    if (ptx_mcp_open(&input, arguments, arguments, false, error)
        && (!kernel || ptx_mcp_find_kernel(input.module, kernel, error))) {
        json_t *kernels = list_kernels(input.module, kernel);
        answer = json_object();
        json_object_set_new(answer, "target",
                            json_string(ptxlint_module_get_info(input.module)->target));
        ptx_mcp_fit(answer, "kernels", kernels);
    }
    ptx_mcp_close(&input);
    return answer;
}

/* ---- what_if --------------------------------------------------------------------------------- */

typedef struct McpTrial {
    ptxlint_trial trial;
    ptxlint_estimated estimated;
    json_t *shown;
} McpTrial;

static bool read_trial_sizes(const json_t *value, int64_t sizes[3])
{
    if (!ptx_mcp_read_sizes(value, sizes))
        return false;
    for (int i = 1; i < 3; i++)
        sizes[i] = sizes[i] ? sizes[i] : 1;
    return true;
}

static bool read_trial_count(const json_t *value, int64_t *count)
{
    *count = json_integer_value(value);
    return json_is_integer(value) && *count >= 0;
}

static bool set_trial_value(ptxlint_trial *trial, const char *key, const json_t *value)
{
    if (!strcmp(key, "block"))
        return read_trial_sizes(value, trial->block);
    if (!strcmp(key, "grid"))
        return read_trial_sizes(value, trial->grid);
    if (!strcmp(key, "dynamic_shared"))
        return read_trial_count(value, &trial->dynamic_shared_bytes);
    return !strcmp(key, "max_registers") && read_trial_count(value, &trial->max_registers);
}

static bool read_trial(McpTrial *t, const json_t *wanted, char error[MCP_ERROR_BYTES])
{
    const char *key;
    json_t *value;
    ptxlint_trial_init(&t->trial);
    json_object_foreach((json_t *)(uintptr_t)wanted, key, value)
        if (!set_trial_value(&t->trial, key, value)) {
            ptx_mcp_fail(error, "trials: '%.40s' is wrong; a trial has block and grid, numbers or "
                                "arrays of up to three, dynamic_shared and max_registers, integers",
                         key);
            return false;
        }
    return true;
}

static void show_trial(McpTrial *t, const json_t *wanted)
{
    const ptxlint_estimated *e = &t->estimated;
    t->shown = json_object();
    json_object_set_new(t->shown, "trial", json_deep_copy(wanted));
    json_object_set_new(t->shown, "registers",
                        make_registers(e->registers, e->registers_low, e->registers_high,
                                       "estimate"));
    json_object_set_new(t->shown, "occupancy", make_occupancy(&e->occupancy));
    json_object_set_new(t->shown, "time", make_time(&e->time));
    json_object_set_new(t->shown, "waves", ptx_mcp_number(e->waves));
    json_object_set_new(t->shown, "parameters_assumed", json_boolean(!e->knows_params));
}

static int compare_trials(const void *pa, const void *pb)
{
    const McpTrial *a = pa, *b = pb;
    const double x = a->estimated.time.predicted_us, y = b->estimated.time.predicted_us;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return x < y ? -1 : x > y;
}

static bool estimate_trial(McpTrial *t, const ptxlint_module *module, const ptxlint_kernel *kernel,
                           const json_t *wanted, char error[MCP_ERROR_BYTES])
{
    if (!json_is_object(wanted)) {
        ptx_mcp_fail(error, "trials is an array of objects");
        return false;
    }
    if (!read_trial(t, wanted, error))
        return false;
    t->estimated.size = sizeof t->estimated;
    ptxlint_status status = ptxlint_estimate(module, kernel->name, 0, &t->trial, &t->estimated);
    if (status != PTXLINT_OK)
        ptx_mcp_fail(error, "there is no estimate of this kernel: %s", ptxlint_status_text(status));
    else
        show_trial(t, wanted);
    return status == PTXLINT_OK;
}

static json_t *rank_trials(const ptxlint_module *module, const ptxlint_kernel *kernel,
                           const json_t *trials, char error[MCP_ERROR_BYTES])
{
    const size_t count = json_array_size(trials);
    McpTrial *made = calloc(count, sizeof *made);
    json_t *out = json_array();
    bool is_good = made != NULL;
    for (size_t i = 0; is_good && i < count; i++)
        is_good = estimate_trial(&made[i], module, kernel, json_array_get(trials, i), error);
    if (is_good)
        qsort(made, count, sizeof *made, compare_trials);
    for (size_t i = 0; made && i < count; i++)
        if (made[i].shown)
            json_array_append_new(out, made[i].shown);
    free(made);
    if (is_good)
        return out;
    json_decref(out);
    return NULL;
}

static json_t *try_launches(const ptxlint_module *module, const json_t *arguments,
                            char error[MCP_ERROR_BYTES])
{
    const json_t *trials = json_object_get(arguments, "trials");
    const char *name = json_string_value(json_object_get(arguments, "kernel"));
    const ptxlint_kernel *kernel = ptx_mcp_find_kernel(module, name, error);
    if (!kernel)
        return NULL;
    if (!ptxlint_module_get_info(module)->gpu_count) {
        ptx_mcp_fail(error, "no GPU is known for this target; name one as `gpu`");
        return NULL;
    }
    if (!json_array_size(trials) || json_array_size(trials) > TRIALS_MAX) {
        ptx_mcp_fail(error, "trials is an array of 1 to %d launches", (int)TRIALS_MAX);
        return NULL;
    }
    return rank_trials(module, kernel, trials, error);
}

json_t *ptx_mcp_what_if(const json_t *arguments, char error[MCP_ERROR_BYTES])
{
    McpInput input;
    json_t *answer = NULL, *trials = NULL;
    if (ptx_mcp_open(&input, arguments, arguments, false, error))
        trials = try_launches(input.module, arguments, error);
    if (trials) {
        const ptxlint_module_info *info = ptxlint_module_get_info(input.module);
        answer = json_object();
        json_object_set_new(answer, "gpu", json_string(ptxlint_gpu_get_info(info->gpus[0])->name));
        json_object_set_new(answer, "certainty", json_string("estimate"));
        ptx_mcp_fit(answer, "fastest_first", trials);
    }
    ptx_mcp_close(&input);
    return answer;
}
