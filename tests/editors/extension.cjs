// extension.cjs ROOT PTXLINT OUT -- the VS Code extension: packed by its own script, unpacked, and driven with a stub of the editor: what it starts,
// what it tells the server, what it asks the user.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const [root, ptxlint, out] = process.argv.slice(2).map((name) => path.resolve(name));

// ---- the editor

const state = { settings: {}, commands: {}, errors: [], picks: [], pages: [], updates: [], picked: undefined, listener: undefined };
const vscode = {
    workspace: {
        getConfiguration: (section) => ({
            get: (key) => state.settings[`${section}.${key}`],
            update: async (key, value, target) => state.updates.push([`${section}.${key}`, value, target]),
        }),
        onDidChangeConfiguration: (listener) => {
            state.listener = listener;
            return { dispose() {} };
        },
        openTextDocument: async (options) => options,
    },
    window: {
        showErrorMessage: async (text) => void state.errors.push(text),
        showQuickPick: async (items) => {
            state.picks.push(items);
            return items.find((item) => item.label === state.picked);
        },
        showTextDocument: async (document) => void state.pages.push(document),
        createWebviewPanel: (id, title, where, options) => {
            const panel = { id, title, where, options, webview: { html: '' }, onDidDispose: (action) => (panel.dispose = action) };
            state.panels.push(panel);
            return panel;
        },
    },
    commands: {
        registerCommand: (name, action) => {
            state.commands[name] = action;
            return { dispose() {} };
        },
        executeCommand: async () => {},
    },
    ConfigurationTarget: { Workspace: 2 },
    ViewColumn: { Beside: -2 },
};

// ---- the client of its library

class LanguageClient {
    static all = [];

    constructor(id, name, server, options) {
        Object.assign(this, { id, server, options, sent: [], isRunning: false });
        LanguageClient.all.push(this);
    }

    async start() {
        if (this.server.command === 'nowhere') {
            throw new Error('spawn nowhere ENOENT');
        }
        this.isRunning = true;
    }

    async stop() {
        this.isRunning = false;
    }

    async sendRequest(method, params) {
        this.sent.push([method, params]);
        if (params.textDocument.uri === 'file:///broken.ptx') {
            throw new Error('a report is of a PTX file, in json, text or html');
        }
        if (params.format === 'html' && !state.hasPages) {
            throw new Error('a report is of a PTX file, in json or text');
        }
        if (params.format === 'html') {
            return { text: `<!DOCTYPE html><title>${params.textDocument.uri}</title>` };
        }
        return { text: 'kernel k\n' };
    }

    async sendNotification(...words) {
        this.sent.push(words);
    }
}

// ---- packing

execFileSync('node', [path.join(root, 'editors/vscode/build.cjs'), path.join(root, 'tools/npm/node_modules'), out], { stdio: ['ignore', 'ignore', 'inherit'] });
execFileSync('python3', ['-m', 'zipfile', '-e', path.join(out, 'ptxlint.vsix'), path.join(out, 'unpacked')]);
const extension = path.join(out, 'unpacked/extension');
const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
for (const place of [manifest.main, ...manifest.contributes.grammars.map((grammar) => grammar.path), manifest.contributes.languages[0].configuration]) {
    assert.ok(fs.existsSync(path.join(extension, place)), place);
}

// What the package needs at run time is in it: each module is found, none of them outside.
const needed = Module.createRequire(path.join(extension, 'out/extension.js')).resolve('vscode-languageclient/node');
assert.ok(needed.startsWith(extension), needed);
for (const name of ['vscode-languageserver-protocol', 'semver', 'minimatch']) {
    assert.ok(Module.createRequire(needed).resolve(name).startsWith(extension), name);
}

const loadModule = Module._load;
Module._load = (request, ...more) => {
    if (request === 'vscode') {
        return vscode;
    }
    return request === 'vscode-languageclient/node' ? { LanguageClient } : loadModule(request, ...more);
};

// ---- the tests

const change = (...names) => state.listener({ affectsConfiguration: (name) => names.some((other) => other === name || other.startsWith(name + '.')) });

async function testStart(main) {
    state.settings = { 'ptxlint.path': ptxlint, 'ptxlint.gpu': 'h200', 'ptxlint.grid': '' };
    const context = { subscriptions: [] };
    await main.activate(context);
    const [client] = LanguageClient.all;
    assert.deepEqual([client.server.command, client.server.args, client.isRunning], [ptxlint, ['lsp'], true]);
    assert.deepEqual(client.options.initializationOptions, { gpu: 'h200', launch: null, config: null, grid: null, block: null });
    assert.deepEqual(client.options.documentSelector, [{ language: 'ptx' }]);
    assert.deepEqual(Object.keys(state.commands).sort(), manifest.contributes.commands.map((command) => command.command).sort());
    assert.equal(context.subscriptions.length, 4);
}

async function testSettings() {
    const [client] = LanguageClient.all;
    state.settings['ptxlint.block'] = '256';
    await change('ptxlint.block');
    assert.equal(client.sent[0][0], 'workspace/didChangeConfiguration');
    assert.deepEqual(client.sent[0][1].settings.ptxlint, { gpu: 'h200', launch: null, config: null, grid: null, block: '256' });
    await change('editor.fontSize');
    assert.equal(client.sent.length, 1);
    await change('ptxlint.path');
    assert.deepEqual(LanguageClient.all.map((one) => one.isRunning), [false, true]);
    await state.commands['ptxlint.restart']();
    assert.deepEqual(LanguageClient.all.map((one) => one.isRunning), [false, false, true]);
    for (const key of Object.keys(manifest.contributes.configuration.properties)) {
        assert.match(key, /^ptxlint\.(path|gpu|launch|config|grid|block)$/);
    }
}

async function testGpus() {
    state.picked = 'a100';
    await state.commands['ptxlint.selectGpu']();
    assert.deepEqual(state.updates.pop(), ['ptxlint.gpu', 'a100', 2]);
    assert.ok(state.picks[0].some((item) => item.label === 'h200' && /H200/.test(item.description)));
    state.picked = 'as .target says';
    await state.commands['ptxlint.selectGpu']();
    assert.deepEqual(state.updates.pop(), ['ptxlint.gpu', undefined, 2]);
    state.picked = undefined;
    await state.commands['ptxlint.selectGpu']();
    assert.equal(state.updates.length, 0);
}

async function testExplain() {
    const { executeCommand } = LanguageClient.all.at(-1).options.middleware;
    await executeCommand('ptxlint.explain', ['MEM201'], async () => ({ kind: 'markdown', value: '# MEM201' }));
    assert.deepEqual(state.pages, [{ language: 'markdown', content: '# MEM201' }]);
    await executeCommand('ptxlint.pickGpu', [], async () => null);
    assert.equal(state.pages.length, 1);
}

async function testReport() {
    const open = (name, languageId) => (vscode.window.activeTextEditor = { document: { languageId, uri: { toString: () => name } } });
    state.pages = [];
    open('file:///k.ptx', 'ptx');
    await state.commands['ptxlint.showReport']();
    assert.deepEqual(LanguageClient.all.at(-1).sent.pop(), ['ptxlint/report', { textDocument: { uri: 'file:///k.ptx' }, format: 'text' }]);
    assert.deepEqual(state.pages, [{ language: 'plaintext', content: 'kernel k\n' }]);
    open('file:///k.cu', 'cuda-cpp');
    await state.commands['ptxlint.showReport']();
    assert.match(state.errors.pop(), /open one first/);
    open('file:///broken.ptx', 'ptx');
    await state.commands['ptxlint.showReport']();
    assert.match(state.errors.pop(), /a report is of a PTX file/);
    assert.equal(state.pages.length, 1);
}

async function testPage() {
    const open = (name) => (vscode.window.activeTextEditor = { document: { languageId: 'ptx', uri: { toString: () => name } } });
    Object.assign(state, { pages: [], panels: [], hasPages: true });
    open('file:///a%20b/k%C3%A4.ptx');
    await state.commands['ptxlint.showReport']();
    open('file:///l.ptx');
    await state.commands['ptxlint.showReport']();
    assert.deepEqual(state.panels.map((panel) => [panel.title, panel.webview.html]), [['Report of l.ptx', '<!DOCTYPE html><title>file:///l.ptx</title>']]);
    assert.deepEqual(state.panels[0].options.localResourceRoots, []);
    state.panels[0].dispose();
    open('file:///a%20b/k%C3%A4.ptx');
    await state.commands['ptxlint.showReport']();
    assert.equal(state.panels[1].title, 'Report of kä.ptx');
    open('file:///broken.ptx');
    await state.commands['ptxlint.showReport']();
    assert.match(state.errors.pop(), /a report is of a PTX file/);
    assert.deepEqual([state.panels.length, state.pages.length], [2, 0]);
}

async function testMissing(main) {
    state.settings['ptxlint.path'] = 'nowhere';
    await state.commands['ptxlint.restart']();
    assert.match(state.errors.pop(), /'nowhere' cannot be started/);
    await state.commands['ptxlint.selectGpu']();
    assert.match(state.errors.pop(), /nowhere/);
    await main.deactivate();
    assert.ok(LanguageClient.all.every((client) => !client.isRunning));
}

function testMatcher() {
    const { pattern } = manifest.contributes.problemMatchers[0];
    const sample = path.join(root, 'tests/editors/sample.ptx');
    let lines;
    try {
        lines = execFileSync(ptxlint, ['--no-config', '--format', 'oneline', sample], { encoding: 'utf8' });
    } catch (error) {
        lines = error.stdout;
    }
    const found = lines.trim().split('\n').map((line) => line.match(new RegExp(pattern.regexp)));
    const shown = found.map((match) => [match[pattern.line], match[pattern.severity], match[pattern.code]].join(' '));
    assert.deepEqual(shown, ['12 error SYN401', '17 warning HYG108', '18 note THR103']);
}

async function run() {
    const main = require(path.join(extension, 'out/extension.js'));
    await testStart(main);
    await testSettings();
    await testGpus();
    await testExplain();
    await testReport();
    await testPage();
    await testMissing(main);
    testMatcher();
}

run().catch((error) => {
    console.error(error);
    process.exit(1);
});
