/* Schema ptxlint-annotation/1. */
#include "report/annotate/annotate.h"
#include "report/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *reason_instruction(const char *key, const void *of)
{
    (void)of;
    return !strcmp(key, "instructions") || !strcmp(key, "source_lines")
               ? "a figure that the instruction does not have, or that is not known: as of "
                 "memory that it does not access, of a launch that is not given (why), of a loop "
                 "around none, of code that is not followed"
               : NULL;
}

static void put_json_certainty(Json *json, const char *key, ptxlint_certainty certainty)
{
    ptx_json_text(json, key, ptx_report_certainty(certainty ? certainty : PTXLINT_NOT_KNOWN));
}

static void put_json_live(Json *json, const ptxlint_instruction *insn)
{
    ptx_json_object(json, "live");
    ptx_json_int(json, "registers", insn->live_registers);
    ptx_json_int(json, "registers_32", insn->live_32);
    ptx_json_int(json, "values_64", insn->live_64);
    ptx_json_int(json, "predicates", insn->live_predicates);
    ptx_json_end(json);
}

static void put_json_traffic(Json *json, double sectors, double ideal_sectors, double wavefronts,
                             double ideal_wavefronts)
{
    ptx_json_real(json, "sectors", sectors);
    ptx_json_real(json, "ideal_sectors", ideal_sectors);
    ptx_json_real(json, "wavefronts", wavefronts);
    ptx_json_real(json, "ideal_wavefronts", ideal_wavefronts);
}

static void put_json_instruction(Json *json, const ptxlint_module *module,
                                 const ptxlint_instruction *insn)
{
    char text[STATEMENT_BYTES];
    const bool is_uniformity_known = insn->uniformity != PTXLINT_UNIFORMITY_UNKNOWN;
    ptxlint_module_statement(module, insn->span.begin, text, sizeof text);
    ptx_json_object(json, NULL);
    ptx_json_int(json, "line", insn->line);
    ptx_json_int(json, "column", insn->column);
    ptx_json_text(json, "function", insn->function);
    ptx_json_text(json, "statement", text);
    ptx_json_source(json, "source", insn->source);
    ptx_json_int(json, "loop", insn->loop < 0 ? PTXLINT_UNKNOWN : insn->loop);
    put_json_live(json, insn);
    ptx_json_text(json, "uniformity",
                  is_uniformity_known ? ptxlint_uniformity_text(insn->uniformity) : NULL);
    ptx_json_text(json, "pipe", insn->pipe);
    ptx_json_real(json, "pipe_clocks", insn->pipe_cycles);
    ptx_json_real(json, "issue_clocks", insn->issue_cycles);
    ptx_json_real(json, "machine_instructions", insn->machine_instructions);
    ptx_json_real(json, "executions", insn->executions);
    ptx_json_real(json, "thread_executions", insn->thread_executions);
    put_json_certainty(json, "executions_certainty", insn->executions_certainty);
    put_json_traffic(json, insn->sectors, insn->ideal_sectors, insn->wavefronts,
                     insn->ideal_wavefronts);
    put_json_certainty(json, "access_certainty", insn->access_certainty);
    ptx_json_real(json, "time_percent", 100 * insn->time_share);
    ptx_json_end(json);
}

static void put_json_line(Json *json, const SourceLine *line)
{
    ptx_json_object(json, NULL);
    ptx_json_text(json, "path", line->path);
    ptx_json_int(json, "line", line->line);
    ptx_json_int(json, "instructions", line->instruction_count);
    ptx_json_int(json, "live_registers", line->live_registers);
    ptx_json_real(json, "executions", line->executions);
    put_json_certainty(json, "executions_certainty", line->executions_certainty);
    put_json_traffic(json, line->sectors, line->ideal_sectors, line->wavefronts,
                     line->ideal_wavefronts);
    put_json_certainty(json, "access_certainty", line->access_certainty);
    ptx_json_real(json, "time_percent", 100 * line->time_share);
    ptx_json_end(json);
}

static void put_json_lines(Json *json, const ptxlint_projection *p)
{
    size_t count = 0;
    SourceLine *lines = ptx_source_lines(p, &count);
    if (!lines)
        json->out->status = PTXLINT_NO_MEMORY;
    ptx_json_array(json, "source_lines");
    for (size_t i = 0; i < count; i++)
        put_json_line(json, &lines[i]);
    ptx_json_end(json);
    free(lines);
}

static void put_json_projection(Json *json, const ptxlint_module *module,
                                const ptxlint_kernel *kernel, const ptxlint_projection *p)
{
    const char *why = ptx_text_or(kernel->launch.error, ptx_why_estimate(p));
    const bool is_known = isfinite(p->time.predicted_us);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "gpu", ptx_report_gpu_name(p->gpu));
    ptx_json_object(json, "time");
    ptx_json_real(json, "predicted_time_us", p->time.predicted_us);
    ptx_json_real(json, "code_us", p->code_us);
    put_json_certainty(json, "certainty", is_known ? PTXLINT_ESTIMATE : PTXLINT_NOT_KNOWN);
    ptx_json_why(json, is_known ? NULL : why);
    ptx_json_end(json);
    ptx_json_array(json, "instructions");
    for (size_t i = 0; i < p->instruction_count && json->out->status == PTXLINT_OK; i++)
        put_json_instruction(json, module, &p->instructions[i]);
    ptx_json_end(json);
    put_json_lines(json, p);
    ptx_json_reasons(json, reason_instruction, NULL);
    ptx_json_end(json);
}

void ptx_annotate_json_file(const Annotator *a, const ptxlint_module *module, bool *has_file)
{
    ptx_out_separator(a->out, has_file);
    ptx_out_text(a->out, "{");
    ptx_json_file(a->out, module);
    ptx_out_text(a->out, "\"kernels\":[");
}

void ptx_annotate_json_kernel(const Annotator *a, const ptxlint_module *module,
                              const ptxlint_kernel *kernel, bool *has_kernel)
{
    Json writer, *json = ptx_json_init(&writer, a->out);
    ptx_out_separator(a->out, has_kernel);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "name", kernel->name);
    ptx_json_text(json, "name_demangled", kernel->demangled);
    ptx_json_int(json, "line", ptxlint_module_place(module, kernel->name_span.begin).line);
    ptx_json_bool(json, "is_entry", kernel->is_entry);
    ptx_json_launch(json, "launch", kernel);
    ptx_json_array(json, "projections");
    for (size_t g = 0; g < kernel->projection_count; g++)
        put_json_projection(json, module, kernel, &kernel->projections[g]);
    ptx_json_end(json);
    ptx_json_end(json);
}
