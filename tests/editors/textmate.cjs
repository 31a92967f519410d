// textmate.cjs ROOT -- the grammars of editors/vscode as VS Code applies them (vscode-textmate): the innermost scope of words in PTX, and in asm
// statements of CUDA.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const root = process.argv[2];
const load = createRequire(path.join(root, 'tools/npm/package.json'));
const { Registry, INITIAL, parseRawGrammar } = load('vscode-textmate');
const oniguruma = load('vscode-oniguruma');
const folder = path.join(root, 'editors/vscode/syntaxes');
let failures = 0;

// What C++ grammars have that matters here: comments, strings, words.
const CPP = {
    scopeName: 'source.cpp',
    patterns: [
        { name: 'comment.line.cpp', match: '//.*$' },
        { name: 'string.quoted.double.cpp', begin: '"', end: '"' },
        { name: 'variable.other.cpp', match: '\\w+' },
    ],
};
const GRAMMARS = {
    'source.cpp': () => parseRawGrammar(JSON.stringify(CPP), 'cpp.json'),
    'source.ptx': () => parseRawGrammar(fs.readFileSync(path.join(folder, 'ptx.tmLanguage.json'), 'utf8'), 'ptx.json'),
    'inline.ptx.asm': () => parseRawGrammar(fs.readFileSync(path.join(folder, 'ptx-asm.tmLanguage.json'), 'utf8'), 'asm.json'),
};

// Each line, then what its words are; a word is looked for behind the one before.
const PTX = [
    ['// words: add', ['add', 'comment.line.double-slash.ptx']],
    ['/* over', ['over', 'comment.block.ptx']],
    ['   lines */ .version 9.0', ['lines', 'comment.block.ptx'], ['.version', 'keyword.control.directive.ptx'], ['9.0', 'constant.numeric.ptx']],
    ['.visible .entry add(.param .u64 mov)', ['.visible', 'keyword.control.directive.ptx'], ['.u64', 'storage.type.ptx']],
    ['\tld.global.nc.v4.f32 {%f1, %f2}, [%rd1+16];', ['ld', 'keyword.mnemonic.ptx'], ['.global', 'keyword.modifier.ptx'], ['.f32', 'storage.type.ptx'],
        ['%f1', 'variable.other.register.ptx'], ['16', 'constant.numeric.ptx']],
    ['$L__BB0_1:', ['$L__BB0_1', 'entity.name.label.ptx']],
    ['@!%p1 bra $L__BB0_1;', ['@!', 'keyword.operator.guard.ptx'], ['%p1', 'variable.other.register.ptx'], ['bra', 'keyword.mnemonic.ptx']],
    ['mov.u32 %r1, %tid.x;', ['%tid.x', 'constant.language.special-register.ptx']],
    ['mov.b32 %tidy, %envreg12;', ['%tidy', 'variable.other.register.ptx'], ['%envreg12', 'constant.language.special-register.ptx']],
    ['mov.f32 %f1, 0f3F800000;', ['0f3F800000', 'constant.numeric.ptx']],
    ['.file 1 "add.cu"', ['add', 'string.quoted.double.ptx']],
    ['mvo.u32 %r1, 1;', ['mvo', 'source.ptx']],
];
const CUDA = [
    ['// asm("add.s32")', ['add', 'comment.line.cpp']],
    ['int add = 1; const char *s = "add.s32";', ['add', 'variable.other.cpp'], ['add', 'string.quoted.double.cpp']],
    ['asm volatile("add.s32 %0, %1, 5;\\n\\t" : "=r"(x) : "r"(y));', ['asm', 'storage.type.asm.ptx'], ['volatile', 'storage.modifier.ptx'],
        ['add', 'keyword.mnemonic.ptx'], ['.s32', 'storage.type.ptx'], ['%0', 'variable.parameter.asm.ptx'], ['5', 'constant.numeric.ptx'],
        ['\\n', 'constant.character.escape.ptx'], ['=r', 'string.quoted.double.constraint.ptx']],
    ['int bar = 2;', ['bar', 'variable.other.cpp']],
    ['asm("{ .reg .pred p;"', ['.reg', 'keyword.control.directive.ptx'], ['.pred', 'storage.type.ptx']],
    ['    "mov.u32 %0, %%laneid; }" : "=r"(x));', ['mov', 'keyword.mnemonic.ptx'], ['%laneid', 'constant.language.special-register.ptx']],
    ['mov();', ['mov', 'variable.other.cpp']],
];

function check(name, grammar, lines) {
    let state = INITIAL;
    for (const [line, ...wanted] of lines) {
        const result = grammar.tokenizeLine(line, state);
        let from = 0;
        for (const [word, scope] of wanted) {
            const at = line.indexOf(word, from);
            const token = result.tokens.find((t) => t.startIndex <= at && at < t.endIndex);
            const got = token?.scopes.at(-1);
            if (at < 0 || got !== scope) {
                console.log(`${name}: ${line}: ${word} is ${got}, and should be ${scope}`);
                failures++;
            }
            from = at + word.length;
        }
        state = result.ruleStack;
    }
}

async function main() {
    await oniguruma.loadWASM(fs.readFileSync(load.resolve('vscode-oniguruma/release/onig.wasm')));
    const registry = new Registry({
        onigLib: Promise.resolve({ createOnigScanner: (s) => new oniguruma.OnigScanner(s), createOnigString: (s) => new oniguruma.OnigString(s) }),
        loadGrammar: async (scope) => GRAMMARS[scope]?.() ?? null,
        getInjections: (scope) => (scope === 'source.cpp' ? ['inline.ptx.asm'] : []),
    });
    check('PTX', await registry.loadGrammar('source.ptx'), PTX);
    check('CUDA', await registry.loadGrammar('source.cpp'), CUDA);
    process.exit(failures ? 1 : 0);
}

main();
