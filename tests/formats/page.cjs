// page.cjs ROOT PTXLINT FOLDER -- pages of the report and of a diff, of hostile names and sources, in headless Chromium: no error, no
// request, nothing injected, links, sorting and switches work, axe-core has no complaint; tidy, where it is, finds them valid. Skipped
// (77) where there is no Chromium.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');

const [root, ptxlint, folder] = process.argv.slice(2).map((word) => path.resolve(word));
const axe = fs.readFileSync(path.join(root, 'tools/npm/node_modules/axe-core/axe.min.js'), 'utf8');
const EVIL = '</script><script>window.pwned = 1</script><!-- "\' <img src=x onerror="window.pwned = 1"> \u202e \u0007';
const NAME = '<img src=x onerror=pwned=1>"\'&.cu';
const problems = [];
const check = (is, what) => { if (!is) problems.push(what); };

// ---- what is shown

const KERNEL = (name, stride) => `.visible .entry ${name}(.param .u64 p)
{
	.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .pred %q<2>;
	.shared .align 4 .b8 tile_${name}[4096];
	.loc 1 2 1
	ld.param.u64 %rd1, [p];	// ${EVIL}
	mov.u32 %r1, %tid.x;
	.loc 1 3 1
	mul.wide.u32 %rd2, %r1, ${stride};
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	mov.u32 %r2, tile_${name};
	mad.lo.u32 %r3, %r1, 128, %r2;
	and.b32 %r4, %r3, 4092;
	mov.u32 %r6, 0;
LOOP_${name}:
	st.shared.f32 [%r2+4], %f1;
	ld.shared.f32 %f2, [%r4];
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %q1, %r6, 9;
	@%q1 bra LOOP_${name};
	st.global.f32 [%rd3], %f2;
	ret;
}
`;

function write(name, text) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
}

function run(...words) {
    const result = spawnSync(ptxlint, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
    check(result.status < 2, `${words.join(' ')}: exit ${result.status}: ${result.stderr}`);
    return result.stdout;
}

const head = `.version 8.0\n.target sm_90\n.address_size 64\n.file 1 "${NAME.replace(/"/g, '')}"\n`;
const source = write(NAME.replace(/"/g, ''), `// ${EVIL}\n__global__ void slow() { // ${EVIL}\n    int x; // </STYLE>\n}\n`);
write(`hostile ${NAME}.ptx`.replace('/', ''), `${head}${KERNEL('slow', 128)}${KERNEL('quick', 4)}`);
write('new.ptx', `${head}${KERNEL('slow', 64)}${KERNEL('quick', 4)}`);
const launch = ['--no-config', '--gpu', 'h200', '--grid', '64', '--block', '256'];
const pages = {
    report: run('report', '--format', 'html', '--source-root', '.', ...launch, `hostile ${NAME}.ptx`),
    diff: run('diff', '--format', 'html', ...launch, `hostile ${NAME}.ptx`, 'new.ptx'),
    graph: run('graph', '--kernel', 'slow', ...launch, `hostile ${NAME}.ptx`),
};
check(fs.existsSync(source), 'the CUDA source is there');

// ---- by its bytes

for (const [name, text] of Object.entries(pages)) {
    check(!/ (src|href|action|data)="(?!#)/i.test(text), `${name}: names another document`);
    check(!/url\(|@import/.test(text), `${name}: its style asks for a document`);
    check(!/[\u202e\u0007]/.test(text), `${name}: a control or bidi character as it is`);
    check(!text.includes('<img'), `${name}: an element from outside`);
}
check((pages.report.match(/<script/g) || []).length === 2, 'report: two scripts');

const tidy = spawnSync('tidy', ['-q', '-e', '--show-warnings', 'yes'], { input: pages.report + '\n', encoding: 'utf8' });
if (!tidy.error) {
    // of SVG it knows little
    const said = tidy.stderr.split('\n').filter((line) => line && !line.includes('<a> proprietary attribute "href"'));
    check(!said.length, `tidy: ${said.slice(0, 5).join('; ')}`);
}

// ---- in the browser

// Runs in the page.
async function visit(kind) {
    const said = [];
    const wrong = (is, what) => { if (!is) said.push(what); };
    const one = (selector) => document.querySelector(selector);
    const names = () => [...document.querySelectorAll('.overview tbody tr')].map((row) => row.cells[0].textContent);
    wrong(window.pwned === undefined, 'injected');
    wrong(performance.getEntriesByType('resource').length === 0, 'a request');
    const before = names().join();
    one('.overview th:nth-child(3) button').click();
    wrong(one('.overview th:nth-child(3)').getAttribute('aria-sort') !== 'none', 'sorted column is marked');
    const up = names().join();
    one('.overview th:nth-child(3) button').click();
    wrong(names().join() !== up && [names().join(), up].includes(before), 'sorting');
    const theme = document.documentElement.dataset.theme;
    one('#theme').click();
    wrong(document.documentElement.dataset.theme !== theme, 'theme');
    one('#filter').value = 'quick';
    one('#filter').dispatchEvent(new Event('input'));
    wrong([...document.querySelectorAll('.overview tbody tr')].filter((row) => !row.hidden).length === 1, 'filter');
    if (kind === 'report') {
        JSON.parse(one('#report-json').textContent);
        const row = one('.pane tr[data-s]');
        row.cells[0].click();
        wrong(document.querySelectorAll('.pane + * tr.on, .panes > :last-child tr.on').length > 0, 'PTX to CUDA');
        one('button.heat').click();
        wrong(one('button.heat').closest('details').querySelector('.panes').classList.contains('heatless'), 'heat');
        const finding = one('.finding');
        finding.closest('details').open = false;
        location.hash = finding.id;
        await new Promise((done) => setTimeout(done, 50));
        wrong(finding.closest('details').open, 'a link opens what holds its finding');
        const top = scrollY;
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
        wrong(document.activeElement.matches('.kernel'), `a key goes to the next kernel (from ${top})`);
    }
    for (const theme of ['light', 'dark']) {
        document.documentElement.dataset.theme = theme;
        const found = await axe.run(document, { resultTypes: ['violations'] });
        for (const v of found.violations) said.push(`axe, ${theme}: ${v.id}: ${v.nodes.slice(0, 2).map((n) => `${n.target} ${n.failureSummary}`).join(' | ')}`);
    }
    return said;
}

function withTest(kind, text) {
    const watch = '<script>window.errors = []; addEventListener("error", (e) => errors.push(e.message)); '
        + 'addEventListener("securitypolicyviolation", (e) => errors.push("blocked " + e.blockedURI));</script>';
    const test = `<script>${axe}</script><script>(${visit})('${kind}').catch((e) => [String(e)]).then((said) => {
        const result = document.createElement('pre'); result.id = 'result';
        result.textContent = JSON.stringify(said.concat(errors)); document.body.append(result); });</script>`;
    return text.replace('<title>', `${watch}<title>`).replace('</body>', `${test}</body>`);
}

function browse(kind) {
    const file = write(`${kind}.html`, withTest(kind, pages[kind]));
    const words = ['--headless=new', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', '--window-size=1200,2000',
        `--user-data-dir=${path.join(folder, 'chromium-profile')}`, '--dump-dom', pathToFileURL(file).href];
    for (let again = 0; again < 3; again++) {
        const result = spawnSync('chromium', words, { encoding: 'utf8', timeout: 50000, maxBuffer: 1 << 26 });
        if (result.error?.code === 'ENOENT') {
            console.log(problems.join('\n') || 'skipped: there is no chromium');
            process.exit(problems.length ? 1 : 77);
        }
        const found = /<pre id="result">([^<]*)<\/pre>/.exec(result.stdout || '');
        if (found) return JSON.parse(found[1].replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&'));
    }
    return ['the page does not come to its end'];
}

for (const kind of ['report', 'diff']) {
    for (const said of browse(kind)) check(false, `${kind}: ${said}`);
}
console.log(problems.join('\n'));
process.exit(problems.length ? 1 : 0);
