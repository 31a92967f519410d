/* What holds a launch back, and what can be under way at once: as JSON and as lines of the report
 * for people. */
#include "report/report.h"
#include "report/json_writer.h"
#include "support/choice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <stdio.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

void ptx_json_parallelism(Json *json, const char *key, const ptxlint_parallelism *p)
{
    const double unknown = (double)NAN;
    ptx_json_object(json, key);
    ptx_json_real(json, "instructions", p ? p->instructions : unknown);
    ptx_json_real(json, "path_instructions", p ? p->path_instructions : unknown);
    ptx_json_real(json, "path_clocks", p ? p->path_clocks : unknown);
    ptx_json_real(json, "carried_clocks", p ? p->carried_clocks : unknown);
    ptx_json_real(json, "ilp", p ? p->ilp : unknown);
    ptx_json_real(json, "loads", p ? p->loads : unknown);
    ptx_json_real(json, "load_path", p ? p->load_path : unknown);
    ptx_json_real(json, "mlp", p ? p->mlp : unknown);
    ptx_json_real(json, "load_bytes", p ? p->load_bytes : unknown);
    ptx_json_why(json, ptx_why_parallelism(p));
    ptx_json_text(json, "certainty", ptx_report_certainty(p ? p->certainty : PTXLINT_NOT_KNOWN));
    ptx_json_reasons(json, ptx_reason_parallelism, p);
    ptx_json_end(json);
}

void ptx_json_bottleneck(Json *json, const char *key, const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_bottleneck *b = projection ? &projection->bottleneck : NULL;
    ptx_json_object(json, key);
    ptx_json_real(json, "compute_percent", b ? b->compute_percent : unknown);
    ptx_json_real(json, "memory_percent", b ? b->memory_percent : unknown);
    ptx_json_real(json, "issue_percent", b ? b->issue_percent : unknown);
    ptx_json_real(json, "relieved_us", b ? b->relieved_us : unknown);
    ptx_json_text(json, "next", b ? b->next : NULL);
    ptx_json_text(json, "advice", b ? b->advice : NULL);
    ptx_json_text(json, "verdict", b ? b->verdict : NULL);
    ptx_json_real(json, "replays", b ? b->replays : unknown);
    ptx_json_real(json, "wave_us", b ? b->wave_us : unknown);
    ptx_json_real(json, "tail_us", b ? b->tail_us : unknown);
    ptx_json_why(json, ptx_why_estimate(projection));
    ptx_json_text(json, "certainty",
                  ptx_report_certainty(b ? projection->time.certainty : PTXLINT_NOT_KNOWN));
    ptx_json_reasons(json, ptx_reason_bottleneck, projection);
    ptx_json_end(json);
}

void ptx_json_roofline(Json *json, const char *key, const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_roofline *r = projection ? &projection->roofline : NULL;
    ptx_json_object(json, key);
    ptx_json_real(json, "flops", r ? r->flops : unknown);
    ptx_json_real(json, "flops_per_byte", r ? r->flops_per_byte : unknown);
    ptx_json_real(json, "ridge_flops_per_byte", r ? r->ridge_flops_per_byte : unknown);
    ptx_json_real(json, "attainable_gflops", r ? r->attainable_gflops : unknown);
    ptx_json_real(json, "predicted_gflops", r ? r->predicted_gflops : unknown);
    ptx_json_text(json, "ceiling", r ? r->ceiling : NULL);
    ptx_json_why(json, ptx_why_roofline(projection));
    ptx_json_text(json, "certainty", ptx_report_certainty(r ? r->certainty : PTXLINT_NOT_KNOWN));
    ptx_json_reasons(json, ptx_reason_roofline, projection);
    ptx_json_end(json);
}

void ptx_json_concurrency(Json *json, const char *key, const ptxlint_projection *projection)
{
    const double unknown = (double)NAN;
    const ptxlint_concurrency *c = projection ? &projection->concurrency : NULL;
    ptx_json_object(json, key);
    ptx_json_real(json, "bytes_needed_low", c ? c->bytes_needed_low : unknown);
    ptx_json_real(json, "bytes_needed_high", c ? c->bytes_needed_high : unknown);
    ptx_json_real(json, "operations_needed", c ? c->operations_needed : unknown);
    ptx_json_real(json, "warps", c ? c->warps : unknown);
    ptx_json_real(json, "bytes", c ? c->bytes : unknown);
    ptx_json_real(json, "operations", c ? c->operations : unknown);
    ptx_json_int(json, "loop", c && c->loop >= 0 ? c->loop : PTXLINT_UNKNOWN);
    ptx_json_why(json, ptx_why_concurrency(projection));
    ptx_json_text(json, "certainty", ptx_report_certainty(c ? c->certainty : PTXLINT_NOT_KNOWN));
    ptx_json_reasons(json, ptx_reason_concurrency, projection);
    ptx_json_end(json);
}

enum { LINE_BYTES = 128 };

/* ---- text ------------------------------------------------------------------------------------ */

static void put_limiter(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_time *time = &projection->time;
    const ptxlint_bottleneck *b = &projection->bottleneck;
    if (!time->limiter || !b->verdict || !isfinite(b->relieved_us))
        return;
    Line line = ptx_line_begin(out, "limiter");
    /* "latency" is latency-limited */
    const bool is_plain = !strncmp(b->verdict, time->limiter, strlen(time->limiter));
    ptx_line_format(&line, "%s%s%s", time->limiter, ptx_text_if(!is_plain, ": "),
                    ptx_text_if(!is_plain, b->verdict));
    ptx_line_format(&line, "; without it %s us", ptx_figure_short(b->relieved_us).text);
    if (b->next)
        ptx_line_format(&line, " (%s)", b->next);
    if (b->advice) {
        ptx_line_words(&line, ". To improve: ");
        ptx_line_words(&line, b->advice);
    }
    ptx_line_end(&line);
}

/* Of the predicted time: a shorter tail is in JSON and CSV alone. */
#define LEAST_TAIL 0.001

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
    if (b->tail_us >= LEAST_TAIL * projection->time.predicted_us)
        ptx_line_format(&line, "; the last one, not full, adds %s us",
                        ptx_figure_short(b->tail_us).text);
    ptx_line_end(&line);
}

/* Beyond what the instructions that are executed take. */
static void put_replays(Out *out, const ptxlint_projection *projection)
{
    const double executed = projection->executed.warp_instructions,
                 replays = projection->bottleneck.replays;
    if (!(replays > 0) || !(executed > 0))
        return;
    Line line = ptx_line_begin(out, "replays");
    ptx_line_format(&line, "%s on top of", ptx_figure_short(replays).text);
    ptx_line_format(&line, " %s executed instructions of warps: %s of what is issued",
                    ptx_figure_short(executed).text,
                    ptx_figure_percent(replays, replays + executed).text);
    ptx_line_end(&line);
}

static void put_work_rate(Out *out, const ptxlint_projection *projection)
{
    const ptxlint_roofline *r = &projection->roofline;
    if (!isfinite(r->predicted_gflops))
        return;
    Line line = ptx_line_begin(out, "rate");
    ptx_line_format(&line, "%s GFLOPS predicted", ptx_figure_short(r->predicted_gflops).text);
    if (isfinite(r->attainable_gflops))
        ptx_line_format(&line, " of %s", ptx_figure_short(r->attainable_gflops).text);
    if (r->ceiling)
        ptx_line_format(&line, " (%s)", r->ceiling);
    if (isfinite(r->flops_per_byte))
        ptx_line_format(&line, ": %s flops per byte from memory",
                        ptx_figure_short(r->flops_per_byte).text);
    else if (r->why)
        ptx_line_format(&line, "; flops per byte from memory unknown: %s", r->why);
    if (isfinite(r->flops_per_byte) && isfinite(r->ridge_flops_per_byte))
        ptx_line_format(&line, ", the ridge is at %s",
                        ptx_figure_short(r->ridge_flops_per_byte).text);
    ptx_line_end(&line);
}

static void put_in_flight(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                          const ptxlint_projection *projection)
{
    const ptxlint_concurrency *c = &projection->concurrency;
    if (!(c->bytes > 0) || !isfinite(c->bytes_needed_high))
        return;
    Line line = ptx_line_begin(out, "in flight");
    ptx_line_format(&line, "%s B of loads on an SM", ptx_figure_short(c->bytes).text);
    if (c->loop >= 0) {
        const ptxlint_loop *loop = &kernel->loops[c->loop];
        ptx_line_format(&line, " (loop at line %" PRIu32,
                        ptxlint_module_place(module, loop->header.begin).line);
        ptx_line_words(&line, loop->source.path ? ", " : "");
        ptx_line_source(&line, &loop->source, "");
        ptx_line_words(&line, ")");
    }
    ptx_line_format(&line, ", %s", ptx_figure_short(c->bytes_needed_low).text);
    if (c->bytes_needed_high > c->bytes_needed_low)
        ptx_line_format(&line, " to %s", ptx_figure_short(c->bytes_needed_high).text);
    ptx_line_words(&line, " B needed to saturate DRAM");
    ptx_line_format(&line, ": %s lines of %d B", ptx_figure_short(c->bytes / LINE_BYTES).text,
                    LINE_BYTES);
    ptx_line_format(&line, ", %s needed",
                    ptx_figure_short(c->bytes_needed_high / LINE_BYTES).text);
    ptx_line_end(&line);
}

void ptx_table_bottleneck(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                          const ptxlint_projection *projection)
{
    put_limiter(out, projection);
    put_busy(out, projection);
    put_replays(out, projection);
    put_work_rate(out, projection);
    put_in_flight(out, module, kernel, projection);
}

void ptx_table_parallelism(Line *line, const ptxlint_parallelism *p)
{
    ptx_line_format(line, "chain of %s of %s machine instructions",
                    ptx_figure_short(p->path_instructions).text,
                    ptx_figure_short(p->instructions).text);
    if (isfinite(p->path_clocks))
        ptx_line_format(line, ", %s clocks", ptx_figure_short(p->path_clocks).text);
    if (isfinite(p->carried_clocks))
        ptx_line_format(line, ", %s from one iteration to the next",
                        ptx_figure_short(p->carried_clocks).text);
    if (isfinite(p->ilp))
        ptx_line_format(line, "; ILP %s", ptx_figure_short(p->ilp).text);
    if (isfinite(p->mlp))
        ptx_line_format(line, ", %s loads at once", ptx_figure_short(p->mlp).text);
}
