/* What is recognized of a kernel as a picture: nodes with their class, and what they need of each
 * other. */
#include "report/graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct LinksBuild {
    const ptxlint_module *module;
    const ptxlint_recognition *of;
    const ptxlint_recognized *items;
    size_t item_count;
    const ptxlint_link *links;
    size_t link_count;
    uint32_t *place_of;         /* per node: where it is drawn */
    Picture *to;
} LinksBuild;

/* An index of the grid that nothing needs is not drawn. */
static size_t count_indices(const LinksBuild *b)
{
    size_t count = 0;
    while (ptxlint_recognition_index_name(b->of, b->item_count + count))
        count++;
    return count;
}

static bool is_linked(const LinksBuild *b, size_t node)
{
    for (size_t i = 0; i < b->link_count; i++)
        if (b->links[i].from == node)
            return true;
    return false;
}

static void describe_index(const LinksBuild *b, size_t node, PictureNode *out)
{
    ptx_picture_line(out, "%s", ptxlint_recognition_index_name(b->of, node));
    ptx_picture_line(out, "index of the grid");
    out->is_reachable = true;
}

static void describe_place(const LinksBuild *b, const ptxlint_recognized *item, PictureNode *out)
{
    const uint32_t line = ptxlint_module_place(b->module, item->span.begin).line;
    out->first_line = out->last_line = line;
    if (item->loop == SIZE_MAX)
        ptx_picture_line(out, "grid, line %u", line);
    else
        ptx_picture_line(out, "loop %zu, line %u", item->loop, line);
}

static const char *name_of_item(const ptxlint_recognized *item)
{
    if (item->is_array)
        return *item->array_title ? item->array_title : "an array";
    return *item->variable ? item->variable : "several registers";
}

static void describe_item(const LinksBuild *b, size_t node, PictureNode *out)
{
    const ptxlint_recognized *item = &b->items[node];
    ptx_picture_line(out, "%.70s%s", name_of_item(item),
                     item->is_array && *item->array ? "[]" : "");
    ptx_picture_line(out, "%s%s", item->is_reinitialized ? "reinitialized " : "",
                     ptxlint_recognized_class_text(item->recognized));
    if (*item->operation)
        ptx_picture_line(out, "%s%s", item->operation, item->is_conditional ? ", conditional" : "");
    else if (item->is_conditional)
        ptx_picture_line(out, "conditional");
    describe_place(b, item, out);
    out->is_reachable = true;
    out->depth = item->loop != SIZE_MAX;
}

/* Indices of the grid, then rows. */
static void place_nodes(LinksBuild *b, size_t index_count)
{
    uint32_t next = 0;
    for (size_t n = b->item_count; n < b->item_count + index_count; n++)
        b->place_of[n] = is_linked(b, n) ? next++ : UINT32_MAX;
    for (size_t n = 0; n < b->item_count; n++)
        b->place_of[n] = next++;
}

static void draw_node(LinksBuild *b, size_t node)
{
    const uint32_t place = b->place_of[node];
    if (place >= b->to->layout.node_count)
        return;
    PictureNode *out = &b->to->nodes[place];
    out->block = place;
    out->heat = (double)NAN;
    if (node < b->item_count)
        describe_item(b, node, out);
    else
        describe_index(b, node, out);
}

static void draw_links(LinksBuild *b)
{
    for (size_t i = 0; i < b->link_count; i++) {
        const ptxlint_link *link = &b->links[i];
        ptx_picture_edge(b->to, (PictureEdge){ .from = b->place_of[link->from],
                                               .to = b->place_of[link->to],
                                               .is_blue = link->kind == PTXLINT_LINK_STRUCTURAL,
                                               .is_dashed = link->kind == PTXLINT_LINK_CONTROL,
                                               .label = link->is_by_memory ? "memory" : NULL });
    }
}

static bool draw_all(LinksBuild *b)
{
    const size_t index_count = count_indices(b), all = b->item_count + index_count;
    size_t drawn = b->item_count;
    b->place_of = calloc(all + 1, sizeof *b->place_of);
    if (!b->place_of)
        return false;
    place_nodes(b, index_count);
    for (size_t n = b->item_count; n < all; n++)
        drawn += b->place_of[n] != UINT32_MAX;
    if (!ptx_picture_room(b->to, drawn, b->link_count))
        return false;
    for (size_t n = 0; n < all; n++)
        draw_node(b, n);
    draw_links(b);
    return ptx_picture_place(b->to);
}

ptxlint_status ptx_picture_of_links(const ptxlint_module *module, const ptxlint_kernel *kernel,
                                    const ptxlint_recognition *of, Picture *out)
{
    LinksBuild b = { .module = module, .of = of, .to = out };
    *out = (Picture){ .noun = "rows" };
    b.items = ptxlint_recognition_items(of, &b.item_count);
    b.links = ptxlint_recognition_links(of, &b.link_count);
    if (!b.item_count)
        return PTXLINT_BAD_ARGUMENT;
    snprintf(out->title, sizeof out->title, "What %.100s computes",
             ptx_kernel_short(kernel->name).text);
    bool is_made = draw_all(&b);
    free(b.place_of);
    if (!is_made)
        ptx_picture_free(out);
    return is_made ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}
