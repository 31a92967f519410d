#!/usr/bin/env python3
"""lsp.py PROGRAM [EDITS] -- how long the language server takes on a file of 1 MB: until syntax, until all findings after an
edit, for a hover; and how its memory grows over many edits (10,000). Wall clock, of this machine; not a test."""
import pathlib
import re
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
from client import FULL, ROOT, Client  # noqa: E402

SOURCES = ["gemm.sm_90", "softmax.sm_90.lineinfo", "loops.sm_90", "reduction.sm_90.lineinfo", "spmv.sm_120"]


def functions(name):
    """The text from the first declaration on, without .file and debug sections."""
    text = (ROOT / f"testdata/ptx/{name}.ptx").read_text()
    text = text[text.index(".address_size 64") + 16:]
    text = re.sub(r"(?m)^\s*\.(file|loc)\b.*\n", "", text)
    return re.sub(r"(?s)\n\s*\.section\b.*", "\n", text)


def sample(size):
    """Kernels of testdata again and again, with names of their own."""
    bodies, out, number = [functions(n) for n in SOURCES], [], 0
    while sum(map(len, out)) < size:
        body = bodies[number % len(bodies)]
        names = set(re.findall(r"(?:\.entry|\.func(?:\s*\([^)]*\))?|\.b8|\.b32|\.f32)\s+([A-Za-z_$][\w$]*)", body))
        out.append(re.sub(r"[A-Za-z_$][\w$]*", lambda m: f"{m[0]}_{number}" if m[0] in names else m[0], body))
        number += 1
    return ".version 9.0\n.target sm_90\n.address_size 64\n" + "".join(out)


def milliseconds(began):
    return 1000 * (time.perf_counter() - began)


def rss(client):
    for line in open(f"/proc/{client.process.pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def cpu(client):
    with open(f"/proc/{client.process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return 10 * int(fields[11])


def main():
    program, edits = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    text, uri = sample(1 << 20), "file:///bench/a.ptx"
    client = Client(program)
    client.model.check = lambda message, sent: None
    client.open(uri, text)
    client.diagnostics(uri)
    client.diagnostics(uri)
    client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    lines = text.split("\n")
    line = next(i for i, t in enumerate(lines) if i > len(lines) // 2 and "ld.global" in t)
    spans = {"syntax": [], "findings": [], "figures": [], "hover": [], "cpu of an edit": []}
    for i in range(12):
        began, used = time.perf_counter(), cpu(client)
        at = {"line": line, "character": 0}
        client.change(uri, i + 2, {"range": {"start": at, "end": at}, "text": "\t// x\n"})
        client.diagnostics(uri)
        spans["syntax"].append(milliseconds(began))
        client.diagnostics(uri)
        spans["findings"].append(milliseconds(began))
        client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        spans["figures"].append(milliseconds(began))
        spans["cpu of an edit"].append(cpu(client) - used)
        began = time.perf_counter()
        client.at("hover", uri, {"line": line + i + 1, "character": 4})
        spans["hover"].append(milliseconds(began))
    print(f"{len(text)} bytes, {text.count('.entry')} kernels; milliseconds, median and worst of 12 (findings come 100 ms after an edit at the earliest)")
    for name, values in spans.items():
        print(f"  {name:16} {statistics.median(values):8.1f} {max(values):8.1f}")
    client.close()

    client = Client(program)
    client.model.check = lambda message, sent: None
    text = sample(1 << 16)
    client.open(uri, text)
    client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    at = {"line": 30, "character": 0}
    before = 0
    for i in range(edits):
        if i == edits // 100:
            before = rss(client)
        client.change(uri, i + 2, {"range": {"start": at, "end": at}, "text": "\t// x\n"} if i % 2 == 0 else
                      {"range": {"start": at, "end": {"line": 31, "character": 0}}, "text": ""})
        if i % 20 == 0:
            client.at("hover", uri, {"line": 40, "character": 4})
        client.held.clear()
    client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    print(f"{edits} edits of {len(text)} bytes: {before:.1f} MB after a hundredth of them, {rss(client):.1f} MB in the end")
    client.close()


if __name__ == "__main__":
    main()
