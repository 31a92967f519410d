/* capability.c -- what the client can do, and what the server offers. */
#include "lsp/server.h"

#include <string.h>

static bool has_word(const json_t *list, const char *word)
{
    size_t index;
    json_t *item;
    json_array_foreach((json_t *)(uintptr_t)list, index, item)
        if (json_is_string(item) && !strcmp(json_string_value(item), word))
            return true;
    return false;
}

void ptx_lsp_read_client(LspServer *server, const json_t *params)
{
    LspClient *client = &server->client;
    const json_t *all = json_object_get(params, "capabilities"),
                 *text = json_object_get(all, "textDocument"),
                 *workspace = json_object_get(all, "workspace");
    client->has_utf8 = has_word(ptx_lsp_at(all, "general.positionEncodings"), "utf-8");
    client->has_pull_diagnostics = ptx_lsp_at(text, "diagnostic") != NULL;
    client->has_related = ptx_lsp_is(text, "publishDiagnostics.relatedInformation");
    client->has_code_description = ptx_lsp_is(text, "publishDiagnostics.codeDescriptionSupport");
    client->has_version = ptx_lsp_is(text, "publishDiagnostics.versionSupport");
    client->has_symbol_tree = ptx_lsp_is(text, "documentSymbol.hierarchicalDocumentSymbolSupport");
    client->has_markdown = has_word(ptx_lsp_at(text, "hover.contentFormat"), "markdown");
    client->has_progress = ptx_lsp_is(all, "window.workDoneProgress");
    client->has_lens_refresh = ptx_lsp_is(workspace, "codeLens.refreshSupport");
    client->has_hint_refresh = ptx_lsp_is(workspace, "inlayHint.refreshSupport");
    client->has_diagnostic_refresh = ptx_lsp_is(workspace, "diagnostics.refreshSupport");
}

static json_t *semantic_options(void)
{
    return json_pack("{s:o, s:b, s:b}", "legend", ptx_semantic_legend(), "full", 1, "range", 1);
}

static json_t *completion_options(void)
{
    return json_pack("{s:[s,s]}", "triggerCharacters", ".", "%");
}

static json_t *command_options(void)
{
    return json_pack("{s:[s,s,s]}", "commands", "ptxlint.explain", "ptxlint.pickGpu",
                     "ptxlint.setLaunch");
}

json_t *ptx_lsp_capabilities(const LspServer *server)
{
    const char *encoding = server->client.has_utf8 ? "utf-8" : "utf-16";
    json_t *all = json_pack(
        "{s:s, s:{s:b, s:i, s:{s:b}}, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:b}, s:b, s:b}",
        "positionEncoding", encoding, "textDocumentSync", "openClose", 1, "change", 2, "save",
        "includeText", 0, "hoverProvider", 1, "definitionProvider", 1, "declarationProvider", 1,
        "implementationProvider", 1, "referencesProvider", 1, "documentHighlightProvider", 1,
        "renameProvider", "prepareProvider", 1, "documentSymbolProvider", 1,
        "foldingRangeProvider", 1);
    json_object_set_new(all, "semanticTokensProvider", semantic_options());
    json_object_set_new(all, "completionProvider", completion_options());
    json_object_set_new(all, "signatureHelpProvider",
                        json_pack("{s:[s,s]}", "triggerCharacters", " ", ","));
    json_object_set_new(all, "codeLensProvider", json_pack("{s:b}", "resolveProvider", 0));
    json_object_set_new(all, "inlayHintProvider", json_true());
    json_object_set_new(all, "codeActionProvider",
                        json_pack("{s:[s,s]}", "codeActionKinds", "quickfix",
                                  "source.fixAll.ptxlint"));
    json_object_set_new(all, "executeCommandProvider", command_options());
    if (server->client.has_pull_diagnostics)
        json_object_set_new(all, "diagnosticProvider",
                            json_pack("{s:s, s:b, s:b}", "identifier", "ptxlint",
                                      "interFileDependencies", 0, "workspaceDiagnostics", 0));
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", all, "serverInfo", "name", "ptxlint",
                     "version", ptxlint_version());
}
