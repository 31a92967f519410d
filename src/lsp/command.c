/* command.c -- commands: a rule's page; another GPU or launch, asked of the client where none is
 * named. */
#include "lsp/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a rule's page --------------------------------------------------------------------------- */

static void put_rule_example(FILE *out, const char *what, const char *text)
{
    if (text)
        fprintf(out, "\n%s:\n```ptx\n%s\n```\n", what, text);
}

static void explain_rule(const char *code, LspAnswer *answer)
{
    char *text = NULL;
    size_t length = 0;
    const ptxlint_rule *rule = code ? ptxlint_rule_find(NULL, code) : NULL;
    if (!rule) {
        ptx_lsp_fail(answer, ERROR_PARAMS, "there is no rule of that name");
        return;
    }
    FILE *out = ptx_lsp_heard(open_memstream(&text, &length));
    if (!out)
        return;
    fprintf(out, "# %s: %s\n\n%s\n\n%s\n", rule->code, rule->name, rule->summary, rule->doc);
    for (size_t i = 0; i < rule->example_count; i++) {
        put_rule_example(out, "Bad", rule->examples[i].bad);
        put_rule_example(out, "Good", rule->examples[i].good);
    }
    ptx_lsp_close_text(out, &text);
    answer->result = json_pack("{s:s, s:s, s:o}", "kind", "markdown", "code", rule->code, "value",
                               ptx_lsp_string(text ? text : "", length));
    free(text);
}

/* ---- another GPU ----------------------------------------------------------------------------- */

static const char own_target[] = "as .target says";

static void ask_for_gpu(LspServer *server)
{
    const ptxlint_gpu *gpu;
    json_t *actions = json_pack("[{s:s}]", "title", own_target);
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++)
        if (*ptxlint_gpu_get_info(gpu)->product)
            json_array_append_new(actions,
                                  json_pack("{s:s}", "title", ptxlint_gpu_get_info(gpu)->name));
    server->gpu_question =
        ptx_lsp_ask(server, "window/showMessageRequest",
                    json_pack("{s:i, s:s, s:o}", "type", 3, "message",
                              "Which GPU are the figures for?", "actions", actions));
}

static void set_gpu(LspServer *server, const char *name)
{
    ptx_wish_set(&server->wish.gpu, strcmp(name, own_target) ? name : NULL);
    ptx_lsp_reconfigure(server);
}

void ptx_lsp_answer_gpu(LspServer *server, const json_t *message)
{
    const char *title = ptx_lsp_text(message, "result.title");
    json_int_t id = json_integer_value(json_object_get(message, "id"));
    if (!server->gpu_question || id != server->gpu_question)
        return;
    server->gpu_question = 0;
    if (title)
        set_gpu(server, title);
}

static void pick_gpu(LspServer *server, const json_t *name, LspAnswer *answer)
{
    const char *text = json_string_value(name);
    /* a lens gives the document alone */
    if (!text || strstr(text, "://"))
        ask_for_gpu(server);
    else if (ptxlint_gpu_find(text) || !strcmp(text, own_target))
        set_gpu(server, text);
    else
        ptx_lsp_fail(answer, ERROR_PARAMS, "there is no GPU `%.60s`", text);
}

static void wish_launch(LspServer *server, const json_t *launch)
{
    ptx_wish_set(&server->wish.grid, ptx_lsp_text(launch, "grid"));
    ptx_wish_set(&server->wish.block, ptx_lsp_text(launch, "block"));
    ptx_lsp_reconfigure(server);
}

void ptx_lsp_execute(LspServer *server, LspDocument *document, const json_t *params,
                     LspAnswer *answer)
{
    const char *command = ptx_lsp_text(params, "command");
    const json_t *first = json_array_get(json_object_get(params, "arguments"), 0);
    (void)document;
    if (command && !strcmp(command, "ptxlint.explain"))
        explain_rule(json_string_value(first), answer);
    else if (command && !strcmp(command, "ptxlint.pickGpu"))
        pick_gpu(server, first, answer);
    else if (command && !strcmp(command, "ptxlint.setLaunch"))
        wish_launch(server, first);
    else
        ptx_lsp_fail(answer, ERROR_PARAMS, "there is no such command");
}
