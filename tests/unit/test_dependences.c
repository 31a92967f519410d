/* test_dependences.c -- the graphs of a function: blocks, dependences, calls; and where a picture
 * puts its nodes. */
#include "kit.h"

#include "report/graph/layered.h"

#include <math.h>
#include <stdlib.h>

#define HEAD                                               \
    ".version 8.0\n.target sm_90\n.address_size 64\n"       \
    ".shared .u32 s[8];\n.shared .u32 t[8];\n"
#define BEGIN                                              \
    ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<3>;\n" \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"

static ptxlint_module *open_text(const char *body)
{
    static char text[4096];
    ptxlint_module *module;
    snprintf(text, sizeof text, "%s%s%s}\n", HEAD, BEGIN, body);
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    return module;
}

static ptxlint_graph *open_graph(const ptxlint_module *module)
{
    size_t count;
    ptxlint_graph *graph;
    const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
    assert_true(count > 0);
    assert_int_equal(ptxlint_graph_new(module, kernels, &graph), PTXLINT_OK);
    return graph;
}

/* "r0>1 m2>3+": kind, from, to; +: carried. */
static void list_dependences(const ptxlint_graph_info *info, char *out)
{
    *out = 0;
    for (size_t i = 0; i < info->dependence_count; i++) {
        const ptxlint_dependence *d = &info->dependences[i];
        sprintf(out + strlen(out), "%s%c%u>%u%s", i ? " " : "", " rmc"[d->kind], d->from, d->to,
                d->is_carried ? "+" : "");
    }
}

static const struct { const char *what, *body, *wanted; } bodies[] = {
    { "a chain", "mov.u32 %r1, 1;\nadd.s32 %r2, %r1, %r1;\nadd.s32 %r2, %r2, 1;\nret;\n",
      "r0>1 r1>2" },
    { "a guard ends nothing",
      "mov.u32 %r1, 1;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 mov.u32 %r1, 3;\nmov.u32 %r2, %r1;\nret;\n",
      "r0>1 r1>2 r0>3 r2>3" },
    { "both sides of a branch",
      "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nmov.u32 %r2, 1;\nbra B;\n"
      "A: mov.u32 %r2, 2;\nB: mov.u32 %r3, %r2;\nret;\n",
      "r0>1 r1>2 c2>3 c2>5 r3>6 r5>6" },
    { "a loop",
      "mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nret;\n",
      "r0>1 r1>1+ c3>1+ r1>2 r2>3" },
    { "variables do not meet; known places apart neither",
      "st.shared.u32 [s], 1;\nst.shared.u32 [t], 2;\nst.shared.u32 [s+4], 3;\n"
      "ld.shared.u32 %r1, [s];\nret;\n", "m0>3" },
    { "pointers may meet, loads alone do not",
      "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\n"
      "st.global.u32 [%rd1+8], %r1;\nld.shared.u32 %r3, [s];\nret;\n", "r0>1 r0>2 r0>3 r1>3" },
    { "a step in a loop meets what it wrote before",
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\nL: ld.global.u32 %r2, [%rd1];\n"
      "st.global.u32 [%rd1], %r2;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nret;\n",
      "r0>2 r4>2+ m3>2+ c7>2+ r0>3 r2>3 r4>3+ m2>3 r0>4 r4>4+ r1>5 r5>5+ r5>6 r6>7" },
};

static void test_dependences(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        char got[1024];
        ptxlint_module *module = open_text(bodies[i].body);
        ptxlint_graph *graph = open_graph(module);
        list_dependences(ptxlint_graph_get_info(graph), got);
        if (strcmp(got, bodies[i].wanted))
            fail_msg("%s: %s, want %s", bodies[i].what, got, bodies[i].wanted);
        ptxlint_graph_free(graph);
        ptxlint_module_free(module);
    }
}

/* More than are kept: every load may meet every store. */
static void test_limit(void **state)
{
    enum { PAIRS = 3000 };
    char *text = malloc(PAIRS * 64 + 1024), *at = text;
    ptxlint_module *module;
    (void)state;
    at += sprintf(at, "%s%sld.param.u64 %%rd1, [p];\n", HEAD, BEGIN);
    for (int i = 0; i < PAIRS; i++)
        at += sprintf(at, "ld.global.u32 %%r1, [%%rd1];\nst.global.u32 [%%rd1], %%r1;\n");
    sprintf(at, "ret;\n}\n");
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    ptxlint_graph *graph = open_graph(module);
    assert_true(ptxlint_graph_get_info(graph)->is_cut);
    assert_true(ptxlint_graph_get_info(graph)->dependence_count > PAIRS);
    ptxlint_graph_free(graph);
    ptxlint_module_free(module);
    free(text);
}

static void test_blocks(void **state)
{
    (void)state;
    ptxlint_module *module = open_text("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
                                       "@%p1 bra END;\nL: add.s32 %r1, %r1, 1;\n"
                                       "setp.lt.u32 %p2, %r1, 9;\n@%p2 bra L;\nEND: ret;\n");
    ptxlint_graph *graph = open_graph(module);
    const ptxlint_graph_info *info = ptxlint_graph_get_info(graph);
    assert_int_equal(info->block_count, 3);
    assert_string_equal(info->blocks[1].label, "L");
    assert_int_equal(info->blocks[1].dominator, 0);
    assert_int_equal(info->blocks[0].post_dominator, 2);
    assert_int_equal(info->blocks[0].dominator, -1);
    assert_true(info->blocks[1].is_header && info->blocks[1].loop == 0);
    size_t back = 0, falls = 0, leaves = 0;
    for (size_t e = 0; e < info->edge_count; e++) {
        back += info->edges[e].is_back;
        falls += info->edges[e].is_fall_through;
        leaves += info->edges[e].to < 0;
    }
    assert_true(info->edge_count == 5 && back == 1 && falls == 2 && leaves == 1);
    ptxlint_graph_free(graph);
    ptxlint_module_free(module);
}

static void test_calls(void **state)
{
    static const char text[] =
        HEAD ".func b();\n.func a() { call b; ret; }\n.func b() { call a; ret; }\n"
             ".extern .func e();\n.visible .entry k() { call a; call e; ret; }\n";
    ptxlint_module *module;
    (void)state;
    assert_int_equal(ptxlint_module_new(text, strlen(text), NULL, &module), PTXLINT_OK);
    ptxlint_graph *graph = open_graph(module);
    const ptxlint_graph_info *info = ptxlint_graph_get_info(graph);
    char got[256] = "";
    for (size_t i = 0; i < info->call_count; i++)
        sprintf(got + strlen(got), "%s>%s%s%s ", info->calls[i].caller, info->calls[i].callee,
                info->calls[i].is_defined ? "" : "?", info->calls[i].is_recursive ? "*" : "");
    assert_string_equal(got, "a>b* b>a* k>a k>e? ");
    ptxlint_graph_free(graph);
    ptxlint_module_free(module);
}

/* Layers do not overlap, nodes of a layer neither, and edges that are not turned point down. */
static void check_places(const Layered *g)
{
    for (uint32_t a = 0; a < g->node_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            const LayeredNode *m = &g->nodes[a], *n = &g->nodes[b];
            bool is_clear = fabs(m->x - n->x) >= (m->width + n->width) / 2
                            || m->y >= n->y + n->height || n->y >= m->y + m->height;
            assert_true(is_clear);
            assert_true(m->x >= m->width / 2 - 0.01 && m->x + m->width / 2 <= g->width + 0.01);
        }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const LayeredEdge *edge = &g->edges[e];
        if (edge->from == edge->to)
            assert_int_equal(edge->point_count, 0);
        else
            assert_true((edge->points[0].y < edge->points[edge->point_count - 1].y)
                        == !edge->is_turned);
    }
}

static void test_layers(void **state)
{
    enum { NODES = 60, EDGES = 150 };
    static LayeredNode nodes[NODES];
    static LayeredEdge edges[EDGES];
    (void)state;
    srand(7);
    for (uint32_t round = 0; round < 20; round++) {
        Layered graph = { .nodes = nodes, .edges = edges, .node_count = 1 + round * 3,
                          .edge_count = round ? EDGES : 0 };
        for (uint32_t n = 0; n < graph.node_count; n++)
            nodes[n] = (LayeredNode){ .width = 40 + rand() % 90, .height = 20 + rand() % 60 };
        for (uint32_t e = 0; e < graph.edge_count; e++)
            edges[e] = (LayeredEdge){ .from = (uint32_t)rand() % graph.node_count,
                                      .to = (uint32_t)rand() % graph.node_count };
        assert_true(ptx_layered_place(&graph));
        check_places(&graph);
        free(graph.points);
    }
}

UNIT(dependences)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependences), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_calls),
        cmocka_unit_test(test_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
