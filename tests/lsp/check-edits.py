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
for number, sample in enumerate(SAMPLES):
    for encoding in ("utf-16", "utf-8"):
        run(encoding, sample, 17 * number + len(encoding), 12)
print("ok")
