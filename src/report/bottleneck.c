/* What holds a launch back, and what can be under way at once: as JSON and as lines of the report for people. */
#include "report/report.h"
#include "report/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

json_t *ptx_value_parallelism(const ptxlint_parallelism *p)
{
    const double unknown = (double)NAN;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "instructions", ptx_value_real(p ? p->instructions : unknown));
    ptx_json_set(&json, "path_instructions", ptx_value_real(p ? p->path_instructions : unknown));
    ptx_json_set(&json, "path_clocks", ptx_value_real(p ? p->path_clocks : unknown));
    ptx_json_set(&json, "carried_clocks", ptx_value_real(p ? p->carried_clocks : unknown));
    ptx_json_set(&json, "ilp", ptx_value_real(p ? p->ilp : unknown));
    ptx_json_set(&json, "loads", ptx_value_real(p ? p->loads : unknown));
    ptx_json_set(&json, "load_path", ptx_value_real(p ? p->load_path : unknown));
    ptx_json_set(&json, "mlp", ptx_value_real(p ? p->mlp : unknown));
    ptx_json_set(&json, "load_bytes", ptx_value_real(p ? p->load_bytes : unknown));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_parallelism(p)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(p ? p->certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_reasons(&json, ptx_reason_parallelism, p);
    return ptx_json_finish(&json);
}

json_t *ptx_value_bottleneck(const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_bottleneck *b = projection ? &projection->bottleneck : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "compute_percent", ptx_value_real(b ? b->compute_percent : unknown));
    ptx_json_set(&json, "memory_percent", ptx_value_real(b ? b->memory_percent : unknown));
    ptx_json_set(&json, "issue_percent", ptx_value_real(b ? b->issue_percent : unknown));
    ptx_json_set(&json, "relieved_us", ptx_value_real(b ? b->relieved_us : unknown));
    ptx_json_set(&json, "next", ptx_value_text(b ? b->next : NULL));
    ptx_json_set(&json, "advice", ptx_value_text(b ? b->advice : NULL));
    ptx_json_set(&json, "wave_us", ptx_value_real(b ? b->wave_us : unknown));
    ptx_json_set(&json, "tail_us", ptx_value_real(b ? b->tail_us : unknown));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_estimate(projection)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(b ? projection->time.certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_reasons(&json, ptx_reason_bottleneck, projection);
    return ptx_json_finish(&json);
}

json_t *ptx_value_roofline(const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_roofline *r = projection ? &projection->roofline : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "flops", ptx_value_real(r ? r->flops : unknown));
    ptx_json_set(&json, "flops_per_byte", ptx_value_real(r ? r->flops_per_byte : unknown));
    ptx_json_set(&json, "ridge_flops_per_byte", ptx_value_real(r ? r->ridge_flops_per_byte : unknown));
    ptx_json_set(&json, "attainable_gflops", ptx_value_real(r ? r->attainable_gflops : unknown));
    ptx_json_set(&json, "predicted_gflops", ptx_value_real(r ? r->predicted_gflops : unknown));
    ptx_json_set(&json, "ceiling", ptx_value_text(r ? r->ceiling : NULL));
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_roofline(projection)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(r ? r->certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_reasons(&json, ptx_reason_roofline, projection);
    return ptx_json_finish(&json);
}

json_t *ptx_value_concurrency(const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_concurrency *c = projection ? &projection->concurrency : NULL;
    Json json = ptx_json_make(json_object());
    ptx_json_set(&json, "bytes_needed_low", ptx_value_real(c ? c->bytes_needed_low : unknown));
    ptx_json_set(&json, "bytes_needed_high", ptx_value_real(c ? c->bytes_needed_high : unknown));
    ptx_json_set(&json, "operations_needed", ptx_value_real(c ? c->operations_needed : unknown));
    ptx_json_set(&json, "warps", ptx_value_real(c ? c->warps : unknown));
    ptx_json_set(&json, "bytes", ptx_value_real(c ? c->bytes : unknown));
    ptx_json_set(&json, "operations", ptx_value_real(c ? c->operations : unknown));
    ptx_json_set(&json, "loop", c && c->loop >= 0 ? json_integer(c->loop) : json_null());
    ptx_json_set(&json, "why", ptx_value_text(ptx_why_concurrency(projection)));
    ptx_json_set(&json, "certainty", json_string(ptx_report_certainty(c ? c->certainty : PTXLINT_NOT_KNOWN)));
    ptx_json_reasons(&json, ptx_reason_concurrency, projection);
    return ptx_json_finish(&json);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_limiter(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_time *time = &projection->time;
    const ptxlint_bottleneck *b = &projection->bottleneck;
    if (!time->limiter || !isfinite(b->relieved_us))
        return;
    Line line = ptx_line_begin(out, "limiter");
    ptx_line_format(&line, "%s; without it %s us", time->limiter, ptx_figure_short(b->relieved_us).text);
    if (b->next)
        ptx_line_format(&line, " (%s)", b->next);
    if (b->advice) {
        ptx_line_words(&line, ". To improve: ");
        ptx_line_words(&line, b->advice);
    }
    ptx_line_end(&line);
}

static void put_busy(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_bottleneck *b = &projection->bottleneck;
    if (!isfinite(b->compute_percent))
        return;
    Line line = ptx_line_begin(out, "busy");
    ptx_line_format(&line, "pipelines %s %%", ptx_figure_fixed(b->compute_percent, 0).text);
    ptx_line_format(&line, ", memory %s %%", ptx_figure_fixed(b->memory_percent, 0).text);
    ptx_line_format(&line, ", issue slots %s %%", ptx_figure_fixed(b->issue_percent, 0).text);
    if (isfinite(b->wave_us))
        ptx_line_format(&line, "; a wave takes %s us", ptx_figure_short(b->wave_us).text);
    if (b->tail_us > 0)
        ptx_line_format(&line, ", empty places of the last one %s us", ptx_figure_short(b->tail_us).text);
    ptx_line_end(&line);
}

static void put_work_rate(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_roofline *r = &projection->roofline;
    if (!isfinite(r->predicted_gflops))
        return;
    Line line = ptx_line_begin(out, "rate");
    ptx_line_format(&line, "%s GFLOPS predicted", ptx_figure_short(r->predicted_gflops).text);
    ptx_line_format(&line, " of %s", ptx_figure_short(r->attainable_gflops).text);
    if (r->ceiling)
        ptx_line_format(&line, " (%s)", r->ceiling);
    if (isfinite(r->flops_per_byte))
        ptx_line_format(&line, ": %s flops per byte from memory", ptx_figure_short(r->flops_per_byte).text);
    if (isfinite(r->ridge_flops_per_byte))
        ptx_line_format(&line, ", the ridge is at %s", ptx_figure_short(r->ridge_flops_per_byte).text);
    ptx_line_end(&line);
}

static void put_in_flight(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    const ptxlint_concurrency *c = &projection->concurrency;
    if (!(c->bytes > 0) || !isfinite(c->bytes_needed_high))
        return;
    Line line = ptx_line_begin(out, "in flight");
    ptx_line_format(&line, "%s B of loads on an SM", ptx_figure_short(c->bytes).text);
    if (c->loop >= 0)
        ptx_line_format(&line, " (loop at line %" PRIu32 ")", ptxlint_module_place(module, kernel->loops[c->loop].header.begin).line);
    ptx_line_format(&line, ", %s", ptx_figure_short(c->bytes_needed_low).text);
    if (c->bytes_needed_high > c->bytes_needed_low)
        ptx_line_format(&line, " to %s", ptx_figure_short(c->bytes_needed_high).text);
    ptx_line_words(&line, " B needed to saturate DRAM");
    ptx_line_end(&line);
}

void ptx_table_bottleneck(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel, const ptxlint_projection *projection)
{
    put_limiter(out, projection);
    put_busy(out, projection);
    put_work_rate(out, projection);
    put_in_flight(out, module, kernel, projection);
}

void ptx_table_parallelism(Line *line, const ptxlint_parallelism *p)
{
    ptx_line_format(line, "chain of %s of %s machine instructions", ptx_figure_short(p->path_instructions).text, ptx_figure_short(p->instructions).text);
    if (isfinite(p->path_clocks))
        ptx_line_format(line, ", %s clocks", ptx_figure_short(p->path_clocks).text);
    if (isfinite(p->carried_clocks))
        ptx_line_format(line, ", %s from one iteration to the next", ptx_figure_short(p->carried_clocks).text);
    if (isfinite(p->ilp))
        ptx_line_format(line, "; ILP %s", ptx_figure_short(p->ilp).text);
    if (isfinite(p->mlp))
        ptx_line_format(line, ", %s loads at once", ptx_figure_short(p->mlp).text);
}
