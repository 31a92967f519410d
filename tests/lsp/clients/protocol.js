// protocol.js PTXLINT FILE: npm's vscode-jsonrpc and vscode-languageserver-protocol as a client. Sends every request that the server
// offers, by the types of the protocol, and prints how often each got an answer that is not empty; the last line is "end".
'use strict';
const { spawn } = require('child_process');
const { readFileSync } = require('fs');
const { pathToFileURL } = require('url');
const rpc = require('vscode-jsonrpc/node');
const lsp = require('vscode-languageserver-protocol');

const [program, file] = process.argv.slice(2);
const child = spawn(program, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
const uri = pathToFileURL(file).href;
const text = readFileSync(file, 'utf8');
const textDocument = { uri };
const lines = text.split('\n');
const place = (part, more = 0) => {
  const line = lines.findIndex((l) => l.includes(part));
  return { line, character: lines[line].indexOf(part) + more };
};
const everything = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };

async function main() {
  const published = new Promise((resolve) => {
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      if (params.uri === uri && params.diagnostics.length) resolve(params);
    });
  });
  let progress = 0;
  connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => { progress += 1; });
  connection.onRequest(lsp.CodeLensRefreshRequest.type, () => {});
  connection.onRequest(lsp.InlayHintRefreshRequest.type, () => {});
  connection.listen();
  const client = {
    general: { positionEncodings: ['utf-8', 'utf-16'] }, window: { workDoneProgress: true },
    workspace: { codeLens: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
    textDocument: { publishDiagnostics: { relatedInformation: true, versionSupport: true }, hover: { contentFormat: ['markdown'] },
                    documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
  };
  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: client });
  console.log('encoding', capabilities.positionEncoding);
  connection.sendNotification(lsp.InitializedNotification.type, {});
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'ptx', version: 1, text } });
  console.log('published', (await published).version);
  const at = { textDocument, position: place('st.global', 3) };
  const name = { textDocument, position: place('[%rd1]', 2) };
  const ask = async (type, params) => {
    const result = await connection.sendRequest(type, params);
    const list = result && (result.items || result.data || result.signatures || result.changes || result);
    const size = Array.isArray(list) ? list.length : Object.keys(list || {}).length;
    console.log(type.method, size > 0 ? 'answered' : 'empty');
    return result;
  };
  await ask(lsp.HoverRequest.type, at);
  await ask(lsp.DefinitionRequest.type, name);
  await ask(lsp.DeclarationRequest.type, name);
  await ask(lsp.ImplementationRequest.type, at);
  await ask(lsp.ReferencesRequest.type, { ...name, context: { includeDeclaration: true } });
  await ask(lsp.DocumentHighlightRequest.type, name);
  await ask(lsp.PrepareRenameRequest.type, name);
  await ask(lsp.RenameRequest.type, { ...name, newName: '%address1' });
  await ask(lsp.DocumentSymbolRequest.type, { textDocument });
  await ask(lsp.FoldingRangeRequest.type, { textDocument });
  await ask(lsp.SemanticTokensRequest.type, { textDocument });
  await ask(lsp.SemanticTokensRangeRequest.type, { textDocument, range: everything });
  await ask(lsp.CompletionRequest.type, { textDocument, position: place('st.global', 3) });
  await ask(lsp.SignatureHelpRequest.type, name);
  await ask(lsp.CodeLensRequest.type, { textDocument });
  await ask(lsp.InlayHintRequest.type, { textDocument, range: everything });
  await ask(lsp.CodeActionRequest.type, { textDocument, range: everything, context: { diagnostics: [] } });
  await ask(lsp.ExecuteCommandRequest.type, { command: 'ptxlint.explain', arguments: ['COR101'] });
  await ask(new rpc.RequestType('ptxlint/report'), { textDocument });
  const cancelled = new rpc.CancellationTokenSource();
  connection.sendNotification(lsp.DidChangeTextDocumentNotification.type,
                              { textDocument: { uri, version: 2 }, contentChanges: [{ text: text + '\n' }] });
  const waiting = connection.sendRequest(lsp.CodeLensRequest.type, { textDocument }, cancelled.token);
  cancelled.cancel();
  await waiting.then(() => console.log('not cancelled'), (error) => console.log('cancelled', error.code));
  await connection.sendRequest(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => { child.on('exit', resolve); });
  connection.sendNotification(lsp.ExitNotification.type);
  console.log('exit', await ended);
  console.log('end');
  process.exit(0);
}

main().catch((error) => { console.error(error); process.exit(1); });
