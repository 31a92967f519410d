/* tools.c -- the tools there are: what each is for, and what it takes, a JSON Schema. */
#include "mcp/mcp.h"

#include <string.h>

#define SOURCE                                                                                    \
    "\"ptx\":{\"type\":\"string\",\"description\":\"PTX text\"},"                                 \
    "\"path\":{\"type\":\"string\",\"description\":\"a PTX file below the working directory\"}"

#define SETTINGS                                                                                  \
    "\"gpu\":{\"type\":\"string\",\"description\":\"h200, a100, sm_90, ...; default: the file's "    \
    ".target\"},"                                                                                 \
    "\"launch\":{\"type\":\"object\",\"description\":\"how kernels are launched, as far as known\"," \
    "\"properties\":{\"block\":" SIZES ",\"grid\":" SIZES ",\"cluster\":" SIZES ","               \
    "\"dynamic_shared\":{\"type\":\"integer\",\"minimum\":0},"                                    \
    "\"params\":{\"type\":\"object\",\"description\":\"values of parameters, by name or by "        \
    "position from 0\",\"additionalProperties\":{\"type\":\"number\"}},"                          \
    "\"trips\":{\"type\":\"object\",\"description\":\"iterations of loops, by label or line\","     \
    "\"additionalProperties\":{\"type\":\"integer\"}}},\"additionalProperties\":false}"

#define SIZES                                                                       \
    "{\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":\"array\",\"items\":" \
    "{\"type\":\"integer\",\"minimum\":1},\"minItems\":1,\"maxItems\":3}]}"

#define KERNEL_NAME "\"kernel\":{\"type\":\"string\",\"description\":\"only this kernel, by its name in the PTX\"}"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}"

static const struct {
    const char *name, *description, *schema;
    McpTool call;
} tools[] = {
    { "check",
      "Mistakes and slow code in PTX, worst first: rule, place, certainty, repair. Start here. With "
      "a launch more is found: races, uncoalesced accesses, bank conflicts.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME
             ",\"select\":{\"type\":\"string\",\"description\":\"only these rules: codes, groups or "
             "names, with commas\"}") "}",
      ptx_mcp_check },
    { "report",
      "Figures of each kernel: registers, occupancy with what limits it, predicted time with its "
      "band and bottleneck, the least efficient accesses. Give grid, block and integer parameters "
      "for a time.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME) "}", ptx_mcp_report },
    { "explain",
      "A rule: what it means, when it is certain, when to ignore it, what to do, an example.",
      OBJECT("\"rule\":{\"type\":\"string\",\"description\":\"a code, as MEM201, or a name\"}")
      ",\"required\":[\"rule\"]}",
      ptx_mcp_explain },
    { "isa",
      "An instruction of PTX: what it does, its legal forms, from which version and target on, and "
      "its speed on a GPU. Ask before writing PTX.",
      OBJECT("\"instruction\":{\"type\":\"string\",\"description\":\"ld, or ld.global.v4.f32\"},"
             "\"gpu\":{\"type\":\"string\"}") ",\"required\":[\"instruction\"]}",
      ptx_mcp_isa },
    { "what_if",
      "One kernel with other launches: predicted time, occupancy and registers of each, fastest "
      "first. Ask before changing a block size, a grid, shared memory or a register limit.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME
             ",\"trials\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":64,\"items\":"
             "{\"type\":\"object\",\"properties\":{\"block\":" SIZES ",\"grid\":" SIZES ","
             "\"dynamic_shared\":{\"type\":\"integer\",\"minimum\":0},"
             "\"max_registers\":{\"type\":\"integer\",\"minimum\":0}},"
             "\"additionalProperties\":false}}") ",\"required\":[\"trials\"]}",
      ptx_mcp_what_if },
    { "compare",
      "Two versions of the same kernels: figures and findings that changed, regressions first. Ask "
      "after an edit, before saying that it is better.",
      OBJECT("\"old\":" OBJECT(SOURCE) "},\"new\":" OBJECT(SOURCE) "}," SETTINGS)
      ",\"required\":[\"old\",\"new\"]}",
      ptx_mcp_compare },
};

enum { TOOL_COUNT = sizeof tools / sizeof *tools };

McpTool ptx_mcp_find_tool(const char *name)
{
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (!strcmp(tools[i].name, name))
            return tools[i].call;
    return NULL;
}

/* They read only, and give the same answer for the same question. */
static json_t *make_annotations(void)
{
    json_t *out = json_object();
    json_object_set_new(out, "readOnlyHint", json_true());
    json_object_set_new(out, "openWorldHint", json_false());
    return out;
}

json_t *ptx_mcp_list_tools(void)
{
    json_t *result = json_object(), *list = json_array();
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        json_t *tool = json_object();
        json_object_set_new(tool, "name", json_string(tools[i].name));
        json_object_set_new(tool, "description", json_string(tools[i].description));
        json_object_set_new(tool, "inputSchema", json_loads(tools[i].schema, 0, NULL));
        json_object_set_new(tool, "annotations", make_annotations());
        json_array_append_new(list, tool);
    }
    json_object_set_new(result, "tools", list);
    return result;
}
