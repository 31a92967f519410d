/* mcp.h -- a server of the Model Context Protocol, over lines of JSON: modelcontextprotocol.io,
 * "Specification", revisions 2024-11-05 to 2025-11-25. It keeps nothing from one request to the
 * next.
 *
 * server.c reads messages and answers them, tools.c says which tools there are, modules.c reads
 * what they are asked about, the others are the tools. All see ptxlint through its public header
 * alone. */
#ifndef PTX_MCP_MCP_H
#define PTX_MCP_MCP_H

#include "ptxlint/ptxlint.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    MCP_LINE_BYTES_MAX = 64 << 20,      /* of a message: PTX may stand in it */
    MCP_FILE_BYTES_MAX = 256 << 20,     /* of a file that is named */
    MCP_ANSWER_BYTES = 4096,            /* of what a tool says: it is read by a model */
    MCP_ERROR_BYTES = 512
};

/* ---- server.c -------------------------------------------------------------------------------- */

/* The answer to one message, for free(); NULL: there is none to be given, or no memory. */
char *ptx_mcp_answer(const char *message, size_t length);

/* Answers messages, one a line, until the input ends. 0; else an errno. */
int ptx_mcp_serve(FILE *in, FILE *out);

/* ---- tools.c --------------------------------------------------------------------------------- */

/* What a tool says, an object of at most MCP_ANSWER_BYTES; or NULL and why not, a sentence. */
typedef json_t *(*McpTool)(const json_t *arguments, char error[MCP_ERROR_BYTES]);

/* NULL: there is none of that name. */
McpTool ptx_mcp_find_tool(const char *name);

/* Of tools/list. */
json_t *ptx_mcp_list_tools(void);

json_t *ptx_mcp_check(const json_t *arguments, char error[MCP_ERROR_BYTES]);    /* findings.c */
json_t *ptx_mcp_report(const json_t *arguments, char error[MCP_ERROR_BYTES]);   /* figures.c */
json_t *ptx_mcp_what_if(const json_t *arguments, char error[MCP_ERROR_BYTES]);
json_t *ptx_mcp_explain(const json_t *arguments, char error[MCP_ERROR_BYTES]);  /* pages.c */
json_t *ptx_mcp_isa(const json_t *arguments, char error[MCP_ERROR_BYTES]);
json_t *ptx_mcp_compare(const json_t *arguments, char error[MCP_ERROR_BYTES]);  /* changes.c */

/* ---- modules.c ------------------------------------------------------------------------------- */

/* What a module is made with: to be freed in any case. */
typedef struct McpInput {
    const ptxlint_gpu *gpu;             /* NULL: what .target says */
    ptxlint_launches *launches;
    ptxlint_config *config;
    ptxlint_module *module;
} McpInput;

/* Of "gpu" in arguments; *out: NULL where it is not given, or null. False: error says why. */
bool ptx_mcp_gpu(const json_t *arguments, const ptxlint_gpu **out, char error[MCP_ERROR_BYTES]);

/* Of "ptx" or "path" in source, and "gpu", "launch" and "select" in arguments, which may be the
 * same. findings_only as of ptxlint_options. False: error says why. */
bool ptx_mcp_open(McpInput *input, const json_t *source, const json_t *arguments,
                  bool findings_only, char error[MCP_ERROR_BYTES]);
void ptx_mcp_close(McpInput *input);

/* The kernel of that name, or where name is NULL the only entry. NULL: error says why. */
const ptxlint_kernel *ptx_mcp_find_kernel(const ptxlint_module *module, const char *name,
                                          char error[MCP_ERROR_BYTES]);

/* Up to three sizes from a number or an array of them; false: they are neither. */
bool ptx_mcp_read_sizes(const json_t *value, int64_t sizes[3]);

/* ---- json.c ---------------------------------------------------------------------------------- */

/* Zeroed, by jansson's allocator: what has heard of its failures hears of these, too. */
void *ptx_mcp_alloc(size_t count, size_t bytes);
void ptx_mcp_free(void *memory);

/* At most so many bytes of a text, which may be no UTF-8; null for NULL. */
json_t *ptx_mcp_text(const char *text, size_t most);

/* To four digits; null where it is not known. */
json_t *ptx_mcp_number(double value);
json_t *ptx_mcp_count(int64_t value);
const char *ptx_mcp_certainty(ptxlint_certainty certainty);

/* Those of items, in order, with which object stays within MCP_ANSWER_BYTES, as key; how many are
 * left out as "left_out". Takes items. */
void ptx_mcp_fit(json_t *object, const char *key, json_t *items);

/* Compact JSON, for free(). */
char *ptx_mcp_dump(const json_t *value);

void ptx_mcp_fail(char error[MCP_ERROR_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
