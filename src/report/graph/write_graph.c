#include "report/graph/graph.h"

static void put_picture(Out *out, ptxlint_format format, Picture *picture)
{
    if (format == PTXLINT_DOT)
        ptx_dot_picture(out, picture);
    else
        ptx_svg_picture(out, picture, NULL);
    ptx_picture_free(picture);
}

static ptxlint_status write_flow(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                 ptxlint_format format, Out *out)
{
    Picture picture;
    ptxlint_graph *graph;
    ptxlint_status status = ptxlint_graph_new(module, kernel, &graph);
    if (status != PTXLINT_OK)
        return status;
    status = ptx_picture_make(module, kernel, ptxlint_graph_get_info(graph), &picture);
    if (status == PTXLINT_OK)
        put_picture(out, format, &picture);
    ptxlint_graph_free(graph);
    return status;
}

static ptxlint_status write_links(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                  ptxlint_format format, Out *out)
{
    Picture picture;
    ptxlint_recognition *of;
    ptxlint_status status = ptxlint_recognition_new_linked(module, kernel, &of);
    if (status != PTXLINT_OK)
        return status;
    status = ptx_picture_of_links(module, kernel, of, &picture);
    if (status == PTXLINT_OK)
        put_picture(out, format, &picture);
    ptxlint_recognition_free(of);
    return status;
}

static ptxlint_status write_graph_json(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                Out *out)
{
    ptxlint_graph *graph;
    ptxlint_recognition *of = NULL;
    ptxlint_status status = ptxlint_graph_new(module, kernel, &graph);
    if (status == PTXLINT_OK)
        status = ptxlint_recognition_new_linked(module, kernel, &of);
    if (status == PTXLINT_OK)
        ptx_json_graph(out, module, kernel, ptxlint_graph_get_info(graph), of);
    ptxlint_recognition_free(of);
    ptxlint_graph_free(graph);
    return status;
}

ptxlint_status ptxlint_write_graph(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                   ptxlint_format format, ptxlint_write_fn write, void *context)
{
    Out out;
    ptxlint_status status;
    bool is_picture = format == PTXLINT_DOT || format == PTXLINT_SVG;
    if (!write || (!is_picture && format != PTXLINT_JSON))
        return PTXLINT_BAD_ARGUMENT;
    ptx_out_init(&out, write, context);
    if (is_picture)
        status = write_flow(module, kernel, format, &out);
    else
        status = write_graph_json(module, kernel, &out);
    ptx_out_flush(&out);
    return status == PTXLINT_OK ? out.status : status;
}

ptxlint_status ptxlint_write_links(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                   ptxlint_format format, ptxlint_write_fn write, void *context)
{
    Out out;
    if (!write || (format != PTXLINT_DOT && format != PTXLINT_SVG))
        return PTXLINT_BAD_ARGUMENT;
    ptx_out_init(&out, write, context);
    const ptxlint_status status = write_links(module, kernel, format, &out);
    ptx_out_flush(&out);
    return status == PTXLINT_OK ? out.status : status;
}
