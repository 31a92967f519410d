#include "report/graph/graph.h"

static ptxlint_status write_picture(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                    const ptxlint_graph_info *info, ptxlint_format format, Out *out)
{
    Picture picture;
    ptxlint_status status = ptx_picture_make(module, kernel, info, &picture);
    if (status != PTXLINT_OK)
        return status;
    if (format == PTXLINT_DOT)
        ptx_dot_picture(out, &picture);
    else
        ptx_svg_picture(out, &picture, NULL);
    ptx_picture_free(&picture);
    return PTXLINT_OK;
}

ptxlint_status ptxlint_write_graph(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                   ptxlint_format format, ptxlint_write_fn write, void *context)
{
    ptxlint_graph *graph;
    Out out;
    bool is_picture = format == PTXLINT_DOT || format == PTXLINT_SVG;
    if (!write || (!is_picture && format != PTXLINT_JSON))
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_status status = ptxlint_graph_new(module, kernel, &graph);
    if (status != PTXLINT_OK)
        return status;
    ptx_out_init(&out, write, context);
    if (is_picture)
        status = write_picture(module, kernel, ptxlint_graph_get_info(graph), format, &out);
    else
        ptx_json_graph(&out, module, kernel, ptxlint_graph_get_info(graph));
    ptx_out_flush(&out);
    ptxlint_graph_free(graph);
    return status == PTXLINT_OK ? out.status : status;
}
