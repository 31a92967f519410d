/* tools.c -- the tools there are: what each is for, and what it takes, a JSON Schema. */
#include "mcp/mcp.h"

#include <string.h>

#define SIZES                                                                       \
    "{\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":\"array\",\"items\":" \
    "{\"type\":\"integer\",\"minimum\":1},\"minItems\":1,\"maxItems\":3}]}"

#define TEXT(name, what) "\"" name "\":{\"type\":\"string\",\"description\":\"" what "\"}"

#define SOURCE TEXT("ptx", "PTX text") "," TEXT("path", "a PTX file below the working directory")

#define KERNEL_NAME TEXT("kernel", "only this kernel, by its name in the PTX")

#define SHARED "\"dynamic_shared\":{\"type\":\"integer\",\"minimum\":0}"

#define MAP(name, what, type)                                          \
    "\"" name "\":{\"type\":\"object\",\"description\":\"" what "\","  \
    "\"additionalProperties\":{\"type\":\"" type "\"}}"

#define LAUNCH                                                              \
    "\"block\":" SIZES ",\"grid\":" SIZES ",\"cluster\":" SIZES "," SHARED  \
    "," MAP("params", "values of parameters, by name or position", "number") \
    "," MAP("trips", "iterations of loops, by label or line", "integer")

#define SETTINGS                                                                 \
    TEXT("gpu", "h200, a100, sm_90, ...; default: the file's .target")           \
    ",\"launch\":{\"type\":\"object\",\"description\":\"as far as it is known\"," \
    "\"properties\":{" LAUNCH "},\"additionalProperties\":false}"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}"

static const struct {
    const char *name, *description, *schema;
    McpTool call;
} tools[] = {
    { "check",
      "Mistakes and slow code in PTX, worst first: rule, place, certainty, repair. Start here. "
      "With a launch more is found: races, uncoalesced accesses, bank conflicts.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME
             "," TEXT("select", "only these rules: codes, groups or names, with commas")) "}",
      ptx_mcp_check },
    { "report",
      "Figures of each kernel: registers, occupancy with what limits it, predicted time with its "
      "band and bottleneck, the least efficient accesses. Give grid, block and integer parameters "
      "for a time.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME) "}", ptx_mcp_report },
    { "explain",
      "A rule: what it means, when it is certain, when to ignore it, what to do, an example.",
      OBJECT(TEXT("rule", "a code, as MEM201, or a name"))
      ",\"required\":[\"rule\"]}",
      ptx_mcp_explain },
    { "isa",
      "An instruction of PTX: what it does, its legal forms, from which version and target on, and "
      "its speed on a GPU. Ask before writing PTX.",
      OBJECT(TEXT("instruction", "ld, or ld.global.v4.f32") "," TEXT("gpu", "as h200"))
      ",\"required\":[\"instruction\"]}",
      ptx_mcp_isa },
    { "what_if",
      "One kernel with other launches: predicted time, occupancy and registers of each, fastest "
      "first. Ask before changing a block size, a grid, shared memory or a register limit.",
      OBJECT(SOURCE "," SETTINGS "," KERNEL_NAME
             ",\"trials\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":64,\"items\":"
             "{\"type\":\"object\",\"properties\":{\"block\":" SIZES ",\"grid\":" SIZES ","
             SHARED ","
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
