// build.cjs NODE_MODULES OUT -- compiles the extension and packs OUT/ptxlint.vsix with what it needs at run time, all taken from NODE_MODULES:
// nothing is downloaded.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const [modules, out] = process.argv.slice(2).map((name) => path.resolve(name));
const stage = path.join(out, 'vscode');
const FILES = ['package.json', 'language-configuration.json', 'tsconfig.json', 'README.md', 'highlighting.png', 'src', 'syntaxes'];

function read(folder) {
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

// As Node looks for it: below the package that asks, then beside it, then further out.
function find(name, asker) {
    for (let folder = asker; folder.startsWith(modules); folder = path.dirname(folder)) {
        const here = path.join(folder, path.basename(folder) === 'node_modules' ? '' : 'node_modules', name);
        if (fs.existsSync(path.join(here, 'package.json'))) {
            return here;
        }
    }
    throw new Error(`${name} is not in ${modules}`);
}

function closure(names, asker, found = new Set()) {
    for (const folder of names.map((name) => find(name, asker))) {
        if (!found.has(folder)) {
            found.add(folder);
            closure(Object.keys(read(folder).dependencies ?? {}), folder, found);
        }
    }
    return found;
}

fs.rmSync(stage, { recursive: true, force: true });
fs.mkdirSync(stage, { recursive: true });
for (const name of FILES) {
    fs.cpSync(path.join(__dirname, name), path.join(stage, name), { recursive: true });
}
fs.copyFileSync(path.join(__dirname, '../../LICENSE'), path.join(stage, 'LICENSE'));
const needed = [...closure(Object.keys(read(__dirname).dependencies), modules)];
for (const folder of needed) {
    const inner = path.join(folder, 'node_modules');
    fs.cpSync(folder, path.join(stage, 'node_modules', path.relative(modules, folder)), { recursive: true, filter: (name) => name !== inner });
}
const bin = (name) => path.join(modules, '.bin', name);
const roots = path.join(modules, '@types');
execFileSync(bin('tsc'), ['-p', stage, '--typeRoots', roots], { stdio: 'inherit' });
fs.writeFileSync(path.join(stage, '.vscodeignore'), 'src/**\ntsconfig.json\n**/*.map\n**/*.ts\n');
execFileSync(bin('vsce'), ['package', '--allow-missing-repository', '--no-update-package-json', '--no-rewrite-relative-links', '-o', path.join(out, 'ptxlint.vsix')],
    { cwd: stage, stdio: ['ignore', 'inherit', 'inherit'] });
