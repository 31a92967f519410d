/* The client of `ptxlint lsp`: started with the first PTX file, told of every change of a setting. */
import * as vscode from 'vscode';
import { ExecuteCommandSignature, LanguageClient } from 'vscode-languageclient/node';
import { selectGpu } from './gpus';
import { readProgram, readWishes } from './settings';

let client: LanguageClient | undefined;
let panel: vscode.WebviewPanel | undefined;

/* A rule's page, which the server answers with, is shown beside the code. */
async function runCommand(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
    const result: unknown = await next(command, args);
    const page = command === 'ptxlint.explain' ? (result as { value?: unknown } | null)?.value : undefined;
    if (typeof page === 'string') {
        const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: page });
        await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    }
    return result;
}

async function reportOf(uri: string, format: string): Promise<string> {
    const params = { textDocument: { uri }, format };
    const { text } = await client!.sendRequest<{ text: string }>('ptxlint/report', params);
    return text;
}

/* In the panel that is there, or a new one; the page asks for nothing outside itself. */
function showPage(uri: string, page: string): void {
    if (!panel) {
        const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
        panel = vscode.window.createWebviewPanel('ptxlint.report', '', where, { enableScripts: true, enableFindWidget: true, localResourceRoots: [] });
        panel.onDidDispose(() => (panel = undefined));
    }
    panel.title = `Report of ${decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))}`;
    panel.webview.html = page;
}

async function showText(text: string): Promise<void> {
    const report = await vscode.workspace.openTextDocument({ language: 'plaintext', content: text });
    await vscode.window.showTextDocument(report, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

/* The report of the PTX file that is looked at, beside it; as text where the server writes no page. */
async function showReport(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (!client || document?.languageId !== 'ptx') {
        void vscode.window.showErrorMessage('ptxlint: a report is of a PTX file: open one first');
        return;
    }
    const uri = document.uri.toString();
    const page = await reportOf(uri, 'html').catch(() => undefined);
    try {
        if (page === undefined) {
            await showText(await reportOf(uri, 'text'));
        } else {
            showPage(uri, page);
        }
    } catch (error) {
        void vscode.window.showErrorMessage(`ptxlint: ${error instanceof Error ? error.message : String(error)}`);
    }
}

function makeClient(): LanguageClient {
    const server = { command: readProgram(), args: ['lsp'] };
    return new LanguageClient('ptxlint', 'ptxlint', server, {
        documentSelector: [{ language: 'ptx' }],
        initializationOptions: readWishes(),
        middleware: { executeCommand: runCommand },
    });
}

async function start(): Promise<void> {
    client = makeClient();
    try {
        await client.start();
    } catch {
        client = undefined;
        const action = await vscode.window.showErrorMessage(`ptxlint: '${readProgram()}' cannot be started; the setting ptxlint.path names it`, 'Settings');
        if (action) {
            await vscode.commands.executeCommand('workbench.action.openSettings', 'ptxlint.path');
        }
    }
}

async function stop(): Promise<void> {
    const running = client;
    client = undefined;
    await running?.stop();
}

async function restart(): Promise<void> {
    await stop();
    await start();
}

async function applySettings(event: vscode.ConfigurationChangeEvent): Promise<void> {
    if (event.affectsConfiguration('ptxlint.path')) {
        await restart();
    } else if (event.affectsConfiguration('ptxlint')) {
        await client?.sendNotification('workspace/didChangeConfiguration', { settings: { ptxlint: readWishes() } });
    }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    context.subscriptions.push(
        vscode.commands.registerCommand('ptxlint.selectGpu', selectGpu),
        vscode.commands.registerCommand('ptxlint.restart', restart),
        vscode.commands.registerCommand('ptxlint.showReport', showReport),
        vscode.workspace.onDidChangeConfiguration(applySettings),
    );
    await start();
}

export function deactivate(): Promise<void> {
    return stop();
}
