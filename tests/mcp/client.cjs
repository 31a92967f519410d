// client.cjs PTXLINT ROOT -- `ptxlint mcp` as the client of the official SDK drives it: its handshake, its validation of every answer.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');
const assert = require('node:assert');

const [program, root] = process.argv.slice(2);
const load = createRequire(path.join(root, 'tools/npm/package.json'));
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

async function main() {
    const client = new Client({ name: 'tests', version: '1' });
    await client.connect(new StdioClientTransport({ command: path.resolve(program), args: ['mcp'], cwd: root }));
    assert.equal(client.getServerVersion().name, 'ptxlint');
    assert.match(client.getInstructions(), /without a GPU/);
    await client.ping();

    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['check', 'report', 'explain', 'isa', 'what_if', 'compare']);
    const ask = async (name, args) => {
        const result = await client.callTool({ name, arguments: args });
        assert.equal(result.content.length, 1);
        return { isError: result.isError, text: result.content[0].text };
    };
    const ptx = '.version 8.0\n.target sm_90\n.visible .entry k()\n{\nmvo.u32 %r1, 1;\nret;\n}\n';
    const found = JSON.parse((await ask('check', { ptx })).text).findings[0];
    assert.deepEqual([found.rule, found.line, found.edits[0].replacement], ['SYN401', 5, 'mov']);
    const report = JSON.parse((await ask('report', { path: 'testdata/ptx/saxpy.sm_90.ptx', gpu: 'h200' })).text);
    assert.equal(report.kernels[0].kernel, 'saxpy');
    assert.equal((await ask('explain', { rule: 'nothing' })).isError, true);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /unknown tool/);
    const many = await Promise.all(Array.from({ length: 20 }, () => ask('isa', { instruction: 'bar.sync' })));
    assert.equal(new Set(many.map((answer) => answer.text)).size, 1);
    await client.close();
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
