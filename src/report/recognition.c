/* recognition.c -- what loops compute, for people and for programs. */
#include "report/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FEW = 3,                    /* rows of a kind that are no list yet */
    ROW_INDENT = 4, REASON_INDENT = 6
};

static uint32_t line_of(const ptxlint_module *module, ptxlint_span span)
{
    return ptxlint_module_place(module, span.begin).line;
}

/* At the same CUDA line; of arrays the same one. */
static bool is_same_variable_or_line(const ptxlint_module *module, const ptxlint_recognized *a,
                          const ptxlint_recognized *b)
{
    ptxlint_source_place at = { 0 }, other = { 0 };
    if (a->is_array || b->is_array)
        return a->is_array && b->is_array && !strcmp(a->array, b->array)
               && a->array_offset == b->array_offset;
    ptxlint_module_source_at(module, a->span.begin, &at);
    ptxlint_module_source_at(module, b->span.begin, &other);
    return at.path && other.path && at.line == other.line && !strcmp(at.path, other.path);
}

/* Of the same class at the same place: one accumulator beside the other. */
static bool is_same_row(const ptxlint_module *module, const ptxlint_recognized *a,
                        const ptxlint_recognized *b)
{
    return a->loop == b->loop && a->lanes == b->lanes && a->recognized == b->recognized
           && a->step == b->step
           && a->is_conditional == b->is_conditional && a->is_reinitialized == b->is_reinitialized
           && !strcmp(a->operation, b->operation) && !strcmp(a->why, b->why)
           && !strcmp(a->advice, b->advice)
           && is_same_variable_or_line(module, a, b);
}

/* "out[]", "param_0+8[]" */
static void put_array_name(Line *line, const ptxlint_recognized *item)
{
    const char *title = item->array_title;
    if (item->array_offset)
        ptx_line_format(line, "%s+%zu[]", title, item->array_offset);
    else
        ptx_line_format(line, "%s%s", title, *title ? "[]" : "an array");
}

void ptx_line_recognized(Line *line, const ptxlint_recognized *item)
{
    if (item->is_array)
        put_array_name(line, item);
    else
        ptx_line_words(line, *item->variable ? item->variable : "several registers");
}

static void put_what(Line *line, const ptxlint_recognized *item)
{
    ptx_line_format(line, ": %s%s", item->is_reinitialized ? "reinitialized " : "",
                    ptxlint_recognized_class_text(item->recognized));
    if (*item->operation)
        ptx_line_format(line, ", %s", item->operation);
    if (item->step != PTXLINT_UNKNOWN && item->is_array)
        ptx_line_format(line, ", step %" PRId64, item->step);
    else if (item->step != PTXLINT_UNKNOWN)
        ptx_line_format(line, " %" PRId64, item->step);
    bool is_of_block = item->is_array || item->recognized == PTXLINT_BLOCK_REDUCTION
                       || item->recognized == PTXLINT_BLOCK_SCAN;
    if (item->lanes)
        ptx_line_format(line, ", %" PRIu32 " %s", item->lanes,
                        is_of_block ? "elements" : "lanes");
    if (item->is_conditional)
        ptx_line_words(line, ", conditional");
}

static Line row_begin(Out *out, const char *text)
{
    Line line = { .out = out, .column = ROW_INDENT, .indent = REASON_INDENT };
    ptx_out_repeat(out, ' ', ROW_INDENT);
    ptx_line_words(&line, text);
    return line;
}

/* What follows from it, or why it is of no class. */
static void put_recognized_reason(Out *out, const ptxlint_recognized *item)
{
    Line line = { .out = out, .column = REASON_INDENT, .indent = REASON_INDENT };
    if (!*item->why && !*item->advice)
        return;
    ptx_out_repeat(out, ' ', REASON_INDENT);
    ptx_line_words(&line, item->why);
    ptx_line_words(&line, item->advice);
    ptx_line_end(&line);
}

static void put_recognized_text(Out *out, const ptxlint_module *module,
                                const ptxlint_recognized *item, size_t count)
{
    const uint32_t first = line_of(module, item->span);
    const uint32_t last = line_of(module, item[count - 1].span);
    ptxlint_source_place place = { 0 };
    Line line = row_begin(out, "");
    if (count > 1)
        ptx_line_format(&line, "lines %" PRIu32 " to %" PRIu32 ": %zu ", first, last, count);
    else
        ptx_line_format(&line, "line %" PRIu32 ": ", first);
    if (count == 1 || item->is_array)
        ptx_line_recognized(&line, item);
    else
        ptx_line_words(&line, "registers");
    put_what(&line, item);
    ptxlint_module_source_at(module, item->span.begin, &place);
    if (place.path) {
        ptx_line_words(&line, ", ");
        ptx_line_words(&line, place.path);
        ptx_line_format(&line, ":%" PRIu32, place.line);
    }
    ptx_line_end(&line);
    put_recognized_reason(out, item);
}

static void put_recognized_loop(Out *out, const ptxlint_module *module,
                                const ptxlint_recognized *item)
{
    if (item->loop == SIZE_MAX)
        ptx_out_text(out, "  grid\n");
    else
        ptx_out_format(out, "  loop at line %" PRIu32 "\n", line_of(module, item->header));
}

static void put_fission_figures(Line *line, const ptxlint_fission_figures *f)
{
    ptx_line_format(line, ": %" PRId64 " registers (%" PRId64 " to %" PRId64 "), %" PRId64
                    " live, occupancy %.1f %%", f->registers, f->registers_low,
                    f->registers_high, f->max_live, f->occupancy_percent);
    ptx_line_end(line);
}

static void put_fission_part(Out *out, const ptxlint_module *module,
                             const ptxlint_fission_part *part)
{
    Line line = row_begin(out, "");
    ptx_line_format(&line, "line %" PRIu32 ": ", line_of(module, part->store));
    ptx_line_words(&line, part->arrays);
    put_fission_figures(&line, &part->figures);
}

/* What follows from the parts. */
static void put_fission_reason(Out *out, const ptxlint_module *module, const ptxlint_fission *of)
{
    Line line = { .out = out, .column = REASON_INDENT, .indent = REASON_INDENT };
    ptx_out_repeat(out, ' ', REASON_INDENT);
    if (of->again_count)
        ptx_line_format(&line, "%" PRIu32 " instruction%s of several parts (line %" PRIu32
                        ") each computes again; ", of->again_count,
                        ptx_plural(of->again_count), line_of(module, of->again));
    if (of->is_advised)
        ptx_line_words(&line, "registers limit occupancy: give each part a kernel of its own, its "
                              "loops unrolled as here");
    else
        ptx_line_format(&line, "no split is advised: %s", of->why);
    ptx_line_end(&line);
}

static const char *parts_title(const ptxlint_fission *of)
{
    if (!of->part_count)
        return "registers limit occupancy";
    return of->again_count ? "parts, each with what it needs of the others"
                           : "parts that share no more than indices";
}

static void put_fission_text(Out *out, const ptxlint_module *module, const ptxlint_fission *of)
{
    ptx_out_format(out, "  %s, on %s, %" PRId64 " threads a block\n",
                   parts_title(of),
                   ptxlint_gpu_get_info(of->gpu)->name, of->threads_per_block);
    for (size_t p = 0; p < of->part_count; p++)
        put_fission_part(out, module, &of->parts[p]);
    Line line = row_begin(out, "together");
    put_fission_figures(&line, &of->whole);
    put_fission_reason(out, module, of);
}

static void put_recognition_text(Out *out, const ptxlint_module *module,
                                 const ptxlint_kernel *kernel, const ptxlint_recognition *of)
{
    size_t count;
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    Line line = { .out = out, .indent = ROW_INDENT };
    ptx_line_words(&line, ptx_kernel_title(kernel->name).text);
    ptx_line_format(&line, " (line %" PRIu32 ")", line_of(module, kernel->span));
    ptx_line_end(&line);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && is_same_row(module, &items[i], &items[next]);)
            next++;
        next = next - i < FEW ? i + 1 : next;
        if (!i || items[i].loop != items[i - 1].loop)
            put_recognized_loop(out, module, &items[i]);
        put_recognized_text(out, module, &items[i], next - i);
    }
    if (ptxlint_recognition_is_cut(of))
        ptx_out_text(out, "  too many dependences: nothing is recognized\n");
    else if (!count)
        ptx_out_text(out, "  nothing is stored, and no loop carries a register\n");
    if (ptxlint_recognition_fission(of))
        put_fission_text(out, module, ptxlint_recognition_fission(of));
}

static void put_loop_json(Json *json, const ptxlint_module *module, const ptxlint_recognized *item)
{
    if (item->loop == SIZE_MAX) {
        ptx_json_null(json, "loop");
        ptx_json_null(json, "loop_line");
        return;
    }
    ptx_json_count(json, "loop", item->loop);
    ptx_json_count(json, "loop_line", line_of(module, item->header));
}

void ptx_json_recognized(Json *json, const ptxlint_module *module, const ptxlint_recognized *item)
{
    ptxlint_source_place place = { 0 };
    ptxlint_module_source_at(module, item->span.begin, &place);
    bool is_known = item->recognized != PTXLINT_RECOGNIZED_NONE;
    ptx_json_object(json, NULL);
    ptx_json_text(json, "class",
                  is_known ? ptxlint_recognized_class_text(item->recognized) : NULL);
    put_loop_json(json, module, item);
    ptx_json_count(json, "line", line_of(module, item->span));
    ptx_json_source(json, "source", place);
    ptx_json_name(json, "variable", item->variable);
    ptx_json_name(json, "array", item->array);
    ptx_json_count(json, "array_offset", item->array_offset);
    ptx_json_name(json, "operation", item->operation);
    ptx_json_int(json, "step", item->step);
    ptx_json_count(json, "instructions", item->instruction_count);
    ptx_json_count(json, "lanes", item->lanes);
    ptx_json_bool(json, "conditional", item->is_conditional);
    ptx_json_bool(json, "reinitialized", item->is_reinitialized);
    ptx_json_name(json, "advice", item->advice);
    ptx_json_name(json, "why", item->why);
    ptx_json_end(json);
}

static void put_fission_figures_json(Json *json, const ptxlint_fission_figures *f)
{
    ptx_json_int(json, "max_live", f->max_live);
    ptx_json_int(json, "registers", f->registers);
    ptx_json_int(json, "registers_low", f->registers_low);
    ptx_json_int(json, "registers_high", f->registers_high);
    ptx_json_int(json, "warps_per_sm", f->warps_per_sm);
    ptx_json_real(json, "occupancy_percent", f->occupancy_percent);
}

static void put_fission_part_json(Json *json, const ptxlint_module *module,
                                  const ptxlint_fission_part *part)
{
    ptx_json_object(json, NULL);
    ptx_json_text(json, "arrays", part->arrays);
    ptx_json_count(json, "line", line_of(module, part->store));
    ptx_json_count(json, "stores", part->store_count);
    ptx_json_count(json, "own_instructions", part->own_count);
    ptx_json_count(json, "shared_instructions", part->shared_count);
    put_fission_figures_json(json, &part->figures);
    ptx_json_end(json);
}

void ptx_json_fission(Json *json, const ptxlint_module *module, const ptxlint_fission *of)
{
    if (!of) {
        ptx_json_null(json, "fission");
        return;
    }
    ptx_json_object(json, "fission");
    ptx_json_text(json, "gpu", ptxlint_gpu_get_info(of->gpu)->name);
    ptx_json_int(json, "threads_per_block", of->threads_per_block);
    ptx_json_bool(json, "block_assumed", of->is_block_assumed);
    put_fission_figures_json(json, &of->whole);
    ptx_json_bool(json, "advised", of->is_advised);
    ptx_json_name(json, "why", of->why);
    ptx_json_count(json, "again_instructions", of->again_count);
    ptx_json_array(json, "parts");
    for (size_t p = 0; p < of->part_count; p++)
        put_fission_part_json(json, module, &of->parts[p]);
    ptx_json_end(json);
    ptx_json_end(json);
}

void ptx_json_recognition(Json *json, const ptxlint_module *module, const ptxlint_recognition *of)
{
    size_t count;
    const ptxlint_recognized *items = ptxlint_recognition_items(of, &count);
    ptx_json_bool(json, "cut", ptxlint_recognition_is_cut(of));
    ptx_json_array(json, "recognized");
    for (size_t i = 0; i < count; i++)
        ptx_json_recognized(json, module, &items[i]);
    ptx_json_end(json);
    ptx_json_fission(json, module, ptxlint_recognition_fission(of));
}

static void put_recognition_json(Json *json, const ptxlint_module *module,
                                 const ptxlint_kernel *kernel, const ptxlint_recognition *of)
{
    ptx_json_object(json, NULL);
    ptx_json_text(json, "name", kernel->name);
    ptx_json_count(json, "line", line_of(module, kernel->span));
    ptx_json_recognition(json, module, of);
    ptx_json_end(json);
}

static ptxlint_status put_kernel_recognition(Json *json, Out *out, const ptxlint_module *module,
                                             const ptxlint_kernel *kernel)
{
    ptxlint_recognition *of;
    ptxlint_status status = ptxlint_recognition_new(module, kernel, &of);
    if (status != PTXLINT_OK)
        return status;
    if (json)
        put_recognition_json(json, module, kernel, of);
    else
        put_recognition_text(out, module, kernel, of);
    ptxlint_recognition_free(of);
    return PTXLINT_OK;
}

static Json *begin_recognition(Json *json, Out *out, const ptxlint_module *module)
{
    ptx_json_init(json, out);
    ptx_json_object(json, NULL);
    ptx_json_text(json, "schema", "ptxlint-recognition/1");
    ptx_json_text(json, "path", ptxlint_module_get_info(module)->path);
    ptx_json_array(json, "kernels");
    return json;
}

ptxlint_status ptxlint_write_recognition(const ptxlint_module *module, const char *glob,
                                         ptxlint_format format, ptxlint_write_fn write,
                                         void *context)
{
    Out out;
    Json room, *json = NULL;
    size_t count;
    ptxlint_status status = PTXLINT_OK;
    if (!module || !write || (format != PTXLINT_TEXT && format != PTXLINT_JSON))
        return PTXLINT_BAD_ARGUMENT;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    ptx_out_init(&out, write, context);
    if (format == PTXLINT_JSON)
        json = begin_recognition(&room, &out, module);
    for (size_t k = 0; k < count && status == PTXLINT_OK; k++)
        if (!glob || ptxlint_name_fits(glob, kernels[k].name))
            status = put_kernel_recognition(json, &out, module, &kernels[k]);
    if (json) {
        ptx_json_end(json);
        ptx_json_end(json);
    }
    ptx_out_flush(&out);
    return status == PTXLINT_OK ? out.status : status;
}
