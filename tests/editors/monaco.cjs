// monaco.cjs ROOT FOLDER -- the grammar of PTX in Monaco, the editor of VS Code, in headless Chromium: words of a real file have the
// colours of their scopes. Skipped (77) where there is no Chromium.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');

const [root, folder] = process.argv.slice(2);
const modules = path.join(root, 'tools/npm/node_modules');
const sample = path.join(root, 'testdata/ptx/saxpy.sm_90.ptx');
const COLOURS = {
    'comment.line.double-slash.ptx': '6a9955',
    'keyword.control.directive.ptx': 'c586c0',
    'keyword.mnemonic.ptx': '569cd6',
    'keyword.modifier.ptx': '4ec9b0',
    'storage.type.ptx': '4fc1ff',
    'variable.other.register.ptx': '9cdcfe',
    'constant.language.special-register.ptx': 'd16969',
    'constant.numeric.ptx': 'b5cea8',
    'entity.name.label.ptx': 'dcdcaa',
};
// Words of the sample, each with the scope that gives its colour.
const WANTED = [
    ['.version', 'keyword.control.directive.ptx'],
    ['.visible', 'keyword.control.directive.ptx'],
    ['ld', 'keyword.mnemonic.ptx'],
    ['.global', 'keyword.modifier.ptx'],
    ['.u64', 'storage.type.ptx'],
    ['%tid.x', 'constant.language.special-register.ptx'],
    ['%r1', 'variable.other.register.ptx'],
];

const read = (name, encoding = 'utf8') => fs.readFileSync(path.join(modules, name), encoding);
const inPage = (value) => JSON.stringify(value).replace(/</g, '\\u003c');

// Runs in the page: Monaco asks vscode-textmate for each line; what it drew is the page's dump.
async function show(text, grammarText, wasm, colours) {
    await onig.loadWASM(Uint8Array.from(atob(wasm), (c) => c.charCodeAt(0)).buffer);
    const registry = new vscodetextmate.Registry({
        onigLib: Promise.resolve({ createOnigScanner: (s) => new onig.OnigScanner(s), createOnigString: (s) => new onig.OnigString(s) }),
        loadGrammar: async () => vscodetextmate.parseRawGrammar(grammarText, 'ptx.json'),
    });
    const grammar = await registry.loadGrammar('source.ptx');
    const rules = Object.entries({ '': 'd4d4d4', ...colours }).map(([token, foreground]) => ({ token, foreground }));
    monaco.languages.register({ id: 'ptx' });
    monaco.languages.setTokensProvider('ptx', {
        getInitialState: () => wrap(vscodetextmate.INITIAL),
        tokenize(line, state) {
            const { tokens, ruleStack } = grammar.tokenizeLine(line, state.stack);
            return { tokens: tokens.map((t) => ({ startIndex: t.startIndex, scopes: t.scopes.at(-1) })), endState: wrap(ruleStack) };
        },
    });
    monaco.editor.defineTheme('ptx', { base: 'vs-dark', inherit: false, rules, colors: {} });
    monaco.editor.setTheme('ptx');
    const model = monaco.editor.createModel(text, 'ptx');
    model.tokenization.forceTokenization(model.getLineCount());
    monaco.editor.create(document.getElementById('editor'), { model, minimap: { enabled: false } });

    function wrap(stack) {
        return { stack, clone: () => wrap(stack), equals: (other) => other.stack === stack };
    }
}

function page(text) {
    const vs = pathToFileURL(path.join(modules, 'monaco-editor/min/vs')).href;
    const values = [text, fs.readFileSync(path.join(root, 'editors/vscode/syntaxes/ptx.tmLanguage.json'), 'utf8'),
        read('vscode-oniguruma/release/onig.wasm', 'base64'), COLOURS].map(inPage);
    return `<!doctype html><meta charset="utf-8"><title>PTX</title>
<style>html, body { margin: 0 } #editor { width: 1000px; height: 2000px }</style><div id="editor"></div>
<script>${read('vscode-oniguruma/release/main.js')}</script>
<script>${read('vscode-textmate/release/main.js')}</script>
<script src="${vs}/loader.js"></script>
<script>
${show}
require.config({ paths: { vs: ${inPage(vs)} } });
require(['vs/editor/editor.main'], () => show(${values.join(', ')}));
</script>`;
}

function dump(file) {
    const words = ['--headless=new', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files', '--virtual-time-budget=20000',
        `--user-data-dir=${path.join(folder, 'chromium-profile')}`, '--window-size=1000,2000', '--dump-dom', pathToFileURL(file).href];
    const result = spawnSync('chromium', words, { encoding: 'utf8', timeout: 50000, maxBuffer: 1 << 26 });
    if (result.error?.code === 'ENOENT') {
        console.log('skipped: there is no chromium');
        process.exit(77);
    }
    return result.stdout;
}

const unescape = (s) => s.replace(/&nbsp;|\u00a0/g, ' ').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

// Class of each drawn word, and the colour of each class.
function readDrawn(dom) {
    const colours = new Map([...dom.matchAll(/\.(mtk\d+) { color: #([0-9a-f]{6})/g)].map((m) => [m[1], m[2]]));
    const drawn = new Map();
    for (const m of dom.matchAll(/<span class="(mtk\d+)[^"]*">([^<]*)<\/span>/g)) {
        drawn.set(unescape(m[2]).trim(), colours.get(m[1]));
    }
    return drawn;
}

const file = path.join(folder, 'monaco.html');
fs.writeFileSync(file, page(fs.readFileSync(sample, 'utf8')));
// Virtual time may run out before a busy machine has loaded the editor: then nothing is drawn at all.
let drawn = readDrawn(dump(file));
for (let again = 0; again < 3 && !drawn.size; again++) {
    drawn = readDrawn(dump(file));
}
let failures = 0;
for (const [word, scope] of WANTED) {
    if (drawn.get(word) !== COLOURS[scope]) {
        console.log(`${word} has the colour ${drawn.get(word)}, and should have ${COLOURS[scope]} (${scope})`);
        failures++;
    }
}
if (failures) {
    console.log(`drawn: ${[...drawn].map(([word, colour]) => `${word} ${colour}`).slice(0, 60).join(', ')}`);
}
process.exit(failures ? 1 : 0);
