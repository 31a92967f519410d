/* lens.c -- above each kernel: its registers, its occupancy, its predicted time; which GPU and
 * launch that is for, and a way to choose others. */
#include "lsp/server.h"

#include "support/choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_clause(char *out, size_t size, const char *text)
{
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s", length ? ", " : "", text);
}

static void add_registers(const ptxlint_projection *p, char *out, size_t size)
{
    char text[96];
    if (p->registers == PTXLINT_UNKNOWN)
        return;
    if (p->register_source == PTXLINT_REGISTERS_MODEL && p->registers_low != p->registers_high)
        snprintf(text, sizeof text, "%" PRId64 " registers (90 %% band %" PRId64 "-%" PRId64 ")",
                 p->registers, p->registers_low, p->registers_high);
    else if (p->register_source == PTXLINT_REGISTERS_MAX_LIVE)
        snprintf(text, sizeof text, "%" PRId64 " register%s live", p->registers,
                 ptx_text_if(p->registers != 1, "s"));
    else
        snprintf(text, sizeof text, "%" PRId64 " registers", p->registers);
    add_clause(out, size, text);
}

static void add_occupancy(const ptxlint_projection *p, char *out, size_t size)
{
    char text[96];
    if (isnan(p->occupancy.percent))
        return;
    snprintf(text, sizeof text, "%.0f %% occupancy (%s)", p->occupancy.percent,
             p->occupancy.limiter);
    add_clause(out, size, text);
}

static void add_time(const ptxlint_projection *p, char *out, size_t size)
{
    char text[96];
    const ptxlint_time *t = &p->time;
    if (isnan(t->predicted_us))
        return;
    snprintf(text, sizeof text, "about %.3g us (90 %% band %.3g-%.3g)", t->predicted_us, t->low_us,
             t->high_us);
    add_clause(out, size, text);
    if (t->limiter) {
        snprintf(text, sizeof text, "limited by %s", t->limiter);
        add_clause(out, size, text);
    }
}

void ptx_lsp_kernel_title(const ptxlint_kernel *kernel, char *out, size_t size)
{
    *out = 0;
    if (!kernel->projection_count)
        return;
    const ptxlint_projection *p = &kernel->projections[0];
    add_registers(p, out, size);
    add_occupancy(p, out, size);
    add_time(p, out, size);
}

/* "h200, block 256 (assumed)". */
void ptx_lsp_launch_words(const ptxlint_kernel *kernel, char *out, size_t size)
{
    const ptxlint_launch *l = &kernel->launch;
    const char *assumed = l->block_is_assumed ? " (assumed)" : "";
    snprintf(out, size, "%s", ptxlint_gpu_get_info(kernel->projections[0].gpu)->name);
    size_t length = strlen(out);
    if (l->block[0] != PTXLINT_UNKNOWN)
        snprintf(out + length, size - length, ", block %" PRId64 "x%" PRId64 "x%" PRId64 "%s",
                 l->block[0], l->block[1], l->block[2], assumed);
}

static json_t *lens_of(LspServer *server, LspDocument *d, const ptxlint_kernel *kernel,
                       const char *title, const char *command)
{
    return json_pack("{s:o, s:{s:s, s:s, s:[s]}}", "range",
                     ptx_lsp_range(server, d, kernel->name_span), "command", "title", title,
                     "command", command, "arguments", d->uri);
}

void ptx_lsp_lens(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    char title[512], launch[160];
    (void)params;
    if (d->language == LANGUAGE_OTHER) {
        answer->result = ptx_cuda_lens(server, d);
        return;
    }
    const ptxlint_module *module = ptx_document_analysed(d, true);
    json_t *list = json_array();
    answer->result = list;
    if (!module)
        return;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++) {
        if (!kernels[i].is_entry || !kernels[i].projection_count || kernels[i].has_syntax_error)
            continue;
        ptx_lsp_kernel_title(&kernels[i], title, sizeof title);
        ptx_lsp_launch_words(&kernels[i], launch, sizeof launch);
        if (*title)
            json_array_append_new(list, lens_of(server, d, &kernels[i], title, ""));
        json_array_append_new(list, lens_of(server, d, &kernels[i], launch, "ptxlint.pickGpu"));
    }
}
