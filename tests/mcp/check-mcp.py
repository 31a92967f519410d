#!/usr/bin/env python3
"""check-mcp.py PTXLINT -- `ptxlint mcp` line by line: the protocol, every tool, files, and ten kernels with a defect each: the answer names
rule, place and repair."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PTXLINT = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWER_BYTES = 4096
failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got!r}, want {wanted!r}")


def talk(messages, folder=ROOT):
    """What is answered to messages, each an object or raw text; the status must be 0, and nothing be said beside."""
    lines = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
    done = subprocess.run([PTXLINT, "mcp"], cwd=folder, input=lines.encode(), capture_output=True, timeout=120, check=False)
    expect("status", (done.returncode, done.stderr), (0, b""))
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def call(name, number=1, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def content(response):
    result = response["result"]
    text = result["content"][0]["text"]
    if len(text.encode()) > ANSWER_BYTES:
        failures.append(f"an answer of {len(text.encode())} bytes")
    return text if result["isError"] else json.loads(text)


def ask(name, folder=ROOT, **arguments):
    return content(talk([call(name, **arguments)], folder)[0])


# ---- the protocol

def check_protocol():
    first = talk([{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}}},
                  {"jsonrpc": "2.0", "method": "notifications/initialized"}, "", {"jsonrpc": "2.0", "id": 7, "method": "ping"},
                  {"jsonrpc": "2.0", "id": 8, "result": {}}])
    expect("answers", [m["id"] for m in first], ["a", 7])
    expect("its revision", first[0]["result"]["protocolVersion"], "2024-11-05")
    expect("ping", first[1]["result"], {})
    other = talk([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}])
    expect("an unknown revision", other[0]["result"]["protocolVersion"], "2025-11-25")
    wrong = [("{", -32700), ("[]", -32600), ("1", -32600), ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
             ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
             ('{"jsonrpc":"2.0","id":1,"method":"pong"}', -32601), ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
             ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chek"}}', -32602),
             ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":[]}}', -32602),
             ('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700), ('{"a":' * 3000 + "1" + "}" * 3000, -32700)]
    expect("errors", [m["error"]["code"] for m in talk([text for text, _ in wrong])], [code for _, code in wrong])
    wrong = [('{"jsonrpc":"2.0","id":1,"method":"tools/call"' + params + "}", -32602)
             for params in ("", ',"params":{}', ',"params":{"name":5}', ',"params":{"name":"check","arguments":"x"}')]
    wrong += [('{"jsonrpc":"2.0","id":1}', -32600), ('{"jsonrpc":"2.0","id":1,"method":5}', -32600), ('{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600)]
    expect("errors of calls", [m["error"]["code"] for m in talk([text for text, _ in wrong])], [code for _, code in wrong])
    quiet = [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, {"jsonrpc": "2.0", "method": "notifications/cancelled"},
             {"jsonrpc": "2.0", "method": "nope"}, {"jsonrpc": "2.0", "id": 1, "error": {}}]
    expect("notes are not answered, what was answered before is not taken back",
           [m["id"] for m in talk([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, *quiet, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])], [1, 2])
    last = subprocess.run([PTXLINT, "mcp"], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}', capture_output=True, timeout=60, check=True)
    expect("a last line without its end", json.loads(last.stdout)["id"], 1)


def check_list():
    tools = talk([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}])[0]["result"]["tools"]
    expect("tools", [tool["name"] for tool in tools], ["check", "report", "explain", "isa", "what_if", "compare"])
    try:
        import jsonschema
    except ImportError:
        return
    for tool in tools:
        jsonschema.Draft7Validator.check_schema(tool["inputSchema"])


# ---- tools

SAXPY = "testdata/ptx/saxpy.sm_90.ptx"


def check_tools():
    report = ask("report", path=SAXPY, gpu="h200", launch={"grid": 4096, "block": [256, 1], "params": {"0": 1000000}})
    kernel = report["kernels"][0]
    expect("report", (kernel["kernel"], kernel["gpu"], kernel["launch"]["block"], kernel["time"]["certainty"]),
           ("saxpy", "h200", [256, 1, 1], "estimate"))
    trials = [{"grid": 8192, "block": 32}, {"grid": 4096, "block": 256, "max_registers": 32}]
    tried = ask("what_if", path=SAXPY, gpu="h200", trials=trials)["fastest_first"]
    times = [trial["time"]["predicted_us"] for trial in tried]
    expect("what_if", (len(times), times), (2, sorted(times)))
    expect("explain", ask("explain", rule="mem201")["name"], "uncoalesced-global")
    expect("isa", ask("isa", instruction="fma.rn.f32", gpu="sm_90")["results_per_clock_and_sm"], 128)
    change = ask("compare", old={"path": "tests/compare/base.ptx"}, new={"path": "tests/compare/unrolled.ptx"}, gpu="h200")
    expect("compare", [kernel["kernel"] for kernel in change["kernels"]], ["divide"])
    expect("left out", ask("check", path="testdata/ptx/cp_async.sm_80.ptx", launch={"block": 128})["findings"] != [], True)


def check_refusals():
    for name, arguments, part in (
            ("check", {}, "one of the two"), ("check", {"ptx": "", "path": "x"}, "one of the two"), ("check", {"path": "nowhere.ptx"}, "No such file"),
            ("check", {"ptx": "", "gpu": "h2000"}, "h2000"), ("check", {"ptx": "", "launch": {"blok": 1}}, "blok"),
            ("check", {"ptx": "", "launch": {"block": 0}}, "block"), ("check", {"ptx": "", "launch": {"block": [1, 2, 3, 4]}}, "block"),
            ("check", {"ptx": "", "select": "NOPE999"}, "NOPE999"), ("check", {"ptx": "", "kernel": "k"}, "no kernel 'k'"),
            ("report", {"ptx": "", "launch": []}, "object"), ("explain", {"rule": "MEM291"}, "did you mean"), ("explain", {}, "rule"),
            ("isa", {"instruction": "lod"}, "ld"), ("isa", {}, "instruction"), ("isa", {"instruction": "ld", "gpu": "x"}, "gpu"),
            ("what_if", {"path": SAXPY, "trials": []}, "trials"), ("what_if", {"path": SAXPY, "trials": [1]}, "objects"),
            ("what_if", {"path": SAXPY, "trials": [{"block": -1}]}, "block"),
            ("what_if", {"path": SAXPY, "trials": [{"blok": 2}]}, "'blok'"), ("what_if", {"path": SAXPY, "trials": [{"max_registers": "32"}]}, "max_reg"),
            ("what_if", {"path": SAXPY, "trials": [{"dynamic_shared": -1}]}, "dynamic"), ("what_if", {"path": SAXPY, "trials": [{"grid": []}]}, "grid"),
            ("report", {"path": SAXPY, "kernel": "saxpi"}, "the file has saxpy"), ("explain", {"rule": "uncoalesced"}, "MEM201"),
            ("check", {"ptx": 5}, "one of the two"), ("check", {"path": 5}, "one of the two"), ("check", {"ptx": "", "gpu": 5}, "gpu"),
            ("check", {"ptx": "", "select": 5}, "select"), ("check", {"ptx": "", "kernel": 5}, "kernel"), ("report", {"path": SAXPY, "kernel": 5}, "kernel"),
            ("what_if", {"path": SAXPY, "kernel": [], "trials": [{"block": 32}]}, "kernel"), ("isa", {"instruction": "ld", "gpu": 5}, "gpu"),
            ("isa", {"instruction": 5}, "instruction"), ("isa", {"instruction": "ld.nosuch"}, "nosuch"), ("explain", {"rule": 5}, "rule"),
            ("check", {"ptx": "", "launch": {"block": 1.5}}, "block"), ("check", {"ptx": "", "launch": {"cluster": 0}}, "cluster"),
            ("check", {"ptx": "", "launch": {"dynamic_shared": "4"}}, "number of bytes"), ("check", {"ptx": "", "launch": {"dynamic_shared": -4}}, "'-4'"),
            ("check", {"ptx": "", "launch": {"params": [1]}}, "params is an object"), ("check", {"ptx": "", "launch": {"params": {"0": "x"}}}, "param"),
            ("report", {"path": SAXPY, "launch": {"params": 5}}, "params is an object"), ("check", {"ptx": "", "launch": {"trips": 5}}, "trips is an object"),
            ("check", {"ptx": "", "launch": {"trips": {"x": -1}}}, "whole number"), ("check", {"ptx": "", "launch": {"trips": {"x": 1.5}}}, "whole number"),
            ("what_if", {"path": SAXPY}, "trials"), ("what_if", {"path": SAXPY, "trials": {}}, "trials"),
            ("what_if", {"path": SAXPY, "trials": [{"block": 32}] * 65}, "64"), ("what_if", {"path": SAXPY, "trials": [{"block": [1, 2, 3, 4]}]}, "block"),
            ("compare", {}, "objects"), ("compare", {"old": 5, "new": 5}, "objects"), ("compare", {"old": {"ptx": ""}, "new": {"path": "nowhere"}}, "No such"),
            ("compare", {"old": {"path": SAXPY}, "new": {"path": SAXPY}, "gpu": "x"}, "gpu"),
            ("what_if", {"path": "tests/compare/base.ptx", "trials": [{"block": 32}]}, "_Z5scaleIfEvPT_S0_i"), ("compare", {"old": {"ptx": ""}}, "new")):
        said = ask(name, **arguments)
        if not isinstance(said, str) or part not in said:
            failures.append(f"{name} {arguments}: {said!r} lacks {part!r}")


def check_paths():
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
        text = (ROOT / SAXPY).read_text(encoding="utf-8")
        pathlib.Path(outside, "a.ptx").write_text(text, encoding="utf-8")
        pathlib.Path(folder, "a.ptx").write_text(text, encoding="utf-8")
        os.symlink(os.path.join(outside, "a.ptx"), os.path.join(folder, "out.ptx"))
        os.symlink("a.ptx", os.path.join(folder, "in.ptx"))
        os.symlink(outside, os.path.join(folder, "away"))
        os.mkfifo(os.path.join(folder, "pipe.ptx"))
        os.mkdir(folder + "-more")
        pathlib.Path(folder + "-more", "a.ptx").write_text(text, encoding="utf-8")
        for path, is_good in (("a.ptx", True), ("in.ptx", True), (os.path.join(folder, "a.ptx"), True), ("./../" + os.path.basename(folder) + "/a.ptx", True),
                              ("out.ptx", False), ("away/a.ptx", False), ("../" + os.path.basename(folder) + "-more/a.ptx", False),
                              (os.path.join(outside, "a.ptx"), False), ("/etc/passwd", False), ("pipe.ptx", False), (".", False), ("", False)):
            expect(path, isinstance(ask("check", folder, path=path), dict), is_good)
        os.remove(os.path.join(folder + "-more", "a.ptx"))
        os.rmdir(folder + "-more")


def check_odd_bytes():
    """Names that are no UTF-8, and more findings than an answer holds."""
    name = "k" * 5000
    text = ".version 9.0\n.target sm_90\n.address_size 64\n" + "".join(f".visible .entry {name}{i}()\n{{\nbogus{i}.u32 1;\nret;\n}}\n" for i in range(40))
    found = ask("check", ptx=text)
    expect("all are counted", (found["errors"], found["left_out"] + len(found["findings"])), (40, 40))
    expect("a NUL and a lone surrogate's bytes", isinstance(ask("check", ptx="\0\x01\udcff".encode("utf-8", "replace").decode()), dict), True)


# ---- ten defects: the line that is marked, the rule

HEAD = (".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"
        ".reg .b64 %rd<9>;\n.shared .align 16 .b8 s[8192];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n")
TAIL = "st.global.u32 [%rd1], %r1;\nret;\n}\n"
DEFECTS = [
    ("SYN401", "mvo.u32 %r2, %r1;  // here\n", {}),
    ("SYN202", "mov.u32 %r1, 5  // here\n", {}),
    ("SYN501", "add.s32 %r1, %r1, %q9;  // here\n", {}),
    ("COR101", "add.s32 %r1, %r1, %r7;  // here\n", {}),
    ("COR111", "div.s32 %r1, %r1, 0;  // here\n", {}),
    ("COR121", "setp.lt.s32 %p1, %r1, 7;\n@%p1 bar.sync 0;  // here\n", {"block": 64}),
    ("COR124", "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\nxor.b32 %r5, %r2, 508;\nadd.s32 %r5, %r3, %r5;\n"
               "ld.shared.u32 %r1, [%r5];  // here\n", {"block": 128}),
    ("MEM201", "mul.wide.u32 %rd2, %r1, 512;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r1, [%rd3];  // here\n", {"block": 128, "grid": 64}),
    ("MEM203", "shl.b32 %r2, %r1, 7;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;  // here\n", {"block": 64}),
    ("HYG108", "brkpt;  // here\n", {}),
]


def check_defects():
    for rule, code, launch in DEFECTS:
        text = HEAD + code + TAIL
        line = text[:text.index("// here")].count("\n") + 1
        found = ask("check", ptx=text, launch=launch)
        named = [f for f in found["findings"] if f["rule"] == rule]
        if not named:
            failures.append(f"{rule}: not among {[(f['rule'], f['line']) for f in found['findings']]}")
            continue
        expect(f"{rule}: place", (named[0]["line"], named[0]["kernel"]), (line, "k"))
        expect(f"{rule}: repair", bool(named[0].get("repair") or named[0].get("edits")), True)
        expect(f"{rule}: certainty", named[0]["certainty"] in ("exact", "bound", "estimate"), True)


for check in (check_protocol, check_list, check_tools, check_refusals, check_paths, check_odd_bytes, check_defects):
    check()
for failure in failures:
    print(failure)
sys.exit(bool(failures))
