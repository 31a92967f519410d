#!/usr/bin/env python3
"""Sequences of edits: after each, what is published equals what a server finds that is given the same text whole; in UTF-16 and UTF-8,
with ranges in any order, several changes at once, texts with characters of two units, and a text that is broken and repaired."""
import json
import random
import sys

from client import FULL, ROOT, Client

PROGRAM = sys.argv[1]
SAMPLES = ["testdata/ptx/saxpy.sm_90.ptx", "testdata/ptx/loops_hand.ptx", "testdata/ptx/gemm.sm_80.ptx"]
PIECES = ["", "", ";", "}", "{", "\n", "\t.reg .b32 %q<9>;\n", "// \U0001F600\u00e9\n", "%r1", "ld.global", "\r\n", "\x00", "/*", "*/", "x" * 50, ".f32",
          "add.s32 %q1, %q2, %q3;\n", "\u20ac"]


def units(text, encoding):
    return len(text.encode("utf-8", "surrogatepass")) if encoding == "utf-8" else len(text.encode("utf-16-le", "surrogatepass")) // 2


def position(text, offset, encoding):
    line = text[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n")
    begin = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return {"line": line, "character": units(text[begin:offset], encoding)}


def change(rng, text, encoding):
    """A change and the text behind it. Not between \\r and \\n, which no position names."""
    while True:
        begin = rng.randrange(len(text) + 1)
        end = min(len(text), begin + rng.choice([0, 0, 1, 2, 10, 40, 300]))
        if not any(0 < at < len(text) and text[at - 1:at + 1] == "\r\n" for at in (begin, end)):
            break
    piece = rng.choice(PIECES)
    where = {"start": position(text, begin, encoding), "end": position(text, end, encoding)}
    return {"range": where, "text": piece}, text[:begin] + piece + text[end:]


def key(items):
    return sorted(json.dumps({k: i[k] for k in ("range", "code", "message", "severity")}, sort_keys=True) for i in items)


class Pulling(Client):
    def __init__(self, encoding):
        capabilities = json.loads(json.dumps(FULL))
        capabilities["general"]["positionEncodings"] = [encoding]
        capabilities["textDocument"]["diagnostic"] = {}
        super().__init__(PROGRAM, capabilities)

    def found(self, uri):
        return key(self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"])


def run(encoding, path, seed, rounds):
    rng = random.Random(seed)
    edited, fresh = Pulling(encoding), Pulling(encoding)
    text = (ROOT / path).read_text(encoding="utf-8")
    edited.open("file:///e.ptx", text)
    version = 1
    for i in range(rounds):
        before, changes = text, []
        for _ in range(rng.choice([1, 1, 1, 3])):
            one, text = change(rng, text, encoding)
            changes.append(one)
        version += rng.choice([1, 6])
        edited.change("file:///e.ptx", version, *changes)
        fresh.open("file:///e.ptx", text)
        got, want = edited.found("file:///e.ptx"), fresh.found("file:///e.ptx")
        assert got == want, f"{path}, {encoding}, seed {seed}, edit {i}: {changes}\n{set(got) ^ set(want)}"
        if rng.random() < 0.5:          # back again, so that the text does not decay
            version += 1
            edited.change("file:///e.ptx", version, {"text": before})
            text = before
    assert edited.close() == 0 and fresh.close() == 0


SEVERAL = """.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[256];
.func (.reg .b32 %out) helper(.reg .b32 %in)
{
\tadd.s32 %out, %in, 1;
\tret;
}
.visible .entry first(.param .u64 p)
{
\t.reg .b32 %r<4>; .reg .b64 %rd<4>;
\tld.param.u64 %rd1, [p];
\tmov.u32 %r1, %tid.x;
\tcall (%r2), helper, (%r1);
\tst.global.u32 [%rd1], %r3;
\tret;
}
.visible .entry second()
{
\t.reg .b32 %r<4>; .reg .b64 %rd<4>;
\tmov.u64 %rd1, table;
\tld.u32 %r1, [%rd1];
\tst.global.u32 [%rd1+2], %r1;
\tret;
}
"""
# what one function says of another, or a declaration of all
TURNS = [(".target sm_90", ".target sm_52"), ("call (%r2), helper", "call (%r2), aid"), (") helper(", ") aid("), ("table[256]", "table[2]"),
         (".entry first", ".entry second"), (".align 4", ".align 1"), (".version 8.0", ".version 3.0"), ("%r<4>", "%r<2>")]


def line_change(rng, text):
    """A declaration turned or turned back, or a line that goes, stands twice or moves to another function; by its range."""
    lines = text.split("\n")
    if rng.random() < 0.6:
        for old, new in rng.sample([*TURNS, *(turn[::-1] for turn in TURNS)], 2 * len(TURNS)):
            at = text.find(old)
            if at >= 0:
                return at, at + len(old), new
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    begin = sum(len(line) + 1 for line in lines[:i])
    return rng.choice([(begin, min(begin + len(lines[i]) + 1, len(text)), ""), (begin, begin, lines[j] + "\n")])


def functions(seed, rounds):
    """Edits in one of several functions: what is found in the others stays right."""
    rng, text, undo = random.Random(seed), SEVERAL, []
    edited, fresh = Pulling("utf-16"), Pulling("utf-16")
    uri = "file:///f.ptx"
    edited.open(uri, text)
    for i in range(rounds):
        begin, end, new = (0, len(text), undo.pop()) if undo and rng.random() < 0.3 else line_change(rng, text)
        where = {"start": position(text, begin, "utf-16"), "end": position(text, end, "utf-16")}
        undo.append(text)
        text = text[:begin] + new + text[end:]
        edited.change(uri, i + 2, {"range": where, "text": new})
        fresh.open(uri, text)
        asked = [(c, c.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})) for c in (edited, fresh)]
        got, want = (key(c.result(number)["items"]) for c, number in asked)
        assert got == want, f"seed {seed}, edit {i}: {begin}..{end} {new!r}\n{set(got) ^ set(want)}\n{text}"
    assert edited.close() == 0 and fresh.close() == 0


def syntax_is_new():
    """What is pushed at once has the front end's findings of the new text, and the others at the places that followed."""
    client = Client(PROGRAM)
    text = (".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n"
            "\tld.param.u64 %rd1, [p];\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n")
    client.open("file:///s.ptx", text)
    client.diagnostics("file:///s.ptx", lambda items: any(i["code"] == "COR101" for i in items))
    client.held.clear()
    at = {"line": 8, "character": 0}
    client.change("file:///s.ptx", 7, {"range": {"start": at, "end": at}, "text": "\tadd.nonsense %r1;\n"})
    first = client.diagnostics("file:///s.ptx")
    codes = {i["code"]: i["range"]["start"]["line"] for i in first["diagnostics"]}
    assert first["version"] == 7 and codes.get("COR101") == 9 and len(codes) == 2, first
    assert client.close() == 0


syntax_is_new()
functions(int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[3]) if len(sys.argv) > 3 else 10)
for number, sample in enumerate(SAMPLES):
    for encoding in ("utf-16", "utf-8"):
        run(encoding, sample, 17 * number + len(encoding), 12)
print("ok")
