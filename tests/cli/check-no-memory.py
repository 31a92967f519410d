#!/usr/bin/env python3
"""check-no-memory.py PTXLINT NO_MEMORY.so DATA [POINTS|all [WORDS]] -- each command with an allocation that fails, alone or with all later
ones: exit code 4 and a message, or the same output as ever; and files are whole, or as they were. Some POINTS of each command, 7 if not given,
or all of them; only of commands that have these WORDS."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PTXLINT, PRELOAD, DATA = (os.path.abspath(word) for word in sys.argv[1:4])
GIVEN = [*sys.argv[4:], "7", ""]
POINTS, ONLY = 10**9 if GIVEN[0] == "all" else int(GIVEN[0]), GIVEN[1] if len(sys.argv) > 5 else ""
COMMANDS = """check --no-config a.ptx
check --config c.yaml a.ptx
check --no-config --format sarif=o.sarif a.ptx
check --no-config --format json --format github=o.gh --format markdown=o.md --format csv=o.csv --format junit=o.xml a.ptx
check --no-config --format gitlab=o.gl --format rdjson=o.rd --format checkstyle=o.cs a.ptx
check --no-config --launch l.json --gpu h200,h100 a.ptx
check --no-config --jobs 4 a.ptx b.ptx
check --no-config --cache cache a.ptx
check --no-config --shard 1/2 --format json a.ptx b.ptx
report --no-config a.ptx
report --no-config --format json=o.json a.ptx
report --no-config --jobs 1 --format json=o.json a.ptx b.ptx
report --no-config --format csv a.ptx
report --no-config --block 256 --grid 1024 a.ptx
report --no-config --format html=o.html --block 256 --grid 64 --gpu h200 a.ptx
report --no-config --format markdown a.ptx
annotate --no-config --block 256 --grid 64 --gpu h200 a.ptx
annotate --no-config --format json a.ptx
graph --no-config --format svg --kernel reduce_shuffle a.ptx
graph --no-config --format json a.ptx
graph --no-config --links --format dot --kernel reduce_shuffle a.ptx
recognize --no-config --format json a.ptx
explain MEM201
rules
rules --format json
gpu
gpu h200
--help
help check
isa ld
isa --list
tune --no-config a.ptx
occupancy --gpu g80 --registers 8-12 --block 256
optspace --no-config --block 256 --grid 100 a.ptx b.ptx
rank --no-config --block 256 --grid 100 a.ptx b.ptx
verify --no-config --gpu h200 --measured t.jsonl a.ptx
calibrate --no-config --gpu h200 --measured fit.jsonl a.ptx
diff --no-config a.ptx b.ptx
diff --no-config --format json a.ptx b.ptx
baseline --no-config --baseline o.base write a.ptx
budget --no-config init a.ptx
check --no-config --fix --diff a.ptx
config show a.ptx
schema report
completions bash
manual
launch init a.ptx
extract --force c.fatbin
lsp
mcp
diff --no-config --format html a.ptx b.ptx
tune --no-config --block 256 --grid 64 --format json --format text=o.txt a.ptx
merge s.json
merge --format markdown=o.md r.json
check --no-config --rules r.yaml --select ALL a.ptx
check --no-config --budget b.yaml --no-baseline a.ptx
check --no-config --statistics --only throughput a.ptx
diff --no-config --format markdown=o.md --format json=o.json a.ptx b.ptx
rules --facts
isa --list --format json
explain --rules r.yaml --format markdown OWN101
config files a.ptx
verify --no-config --gpu h200 --measured t.jsonl --format markdown a.ptx
calibrate --no-config --gpu h200 --measured fit.jsonl --format json a.ptx
occupancy --gpu h200 --registers 8-12 --block 256 --format json
graph --no-config --kernel reduce_shuffle --format dot=o.dot a.ptx
fix --no-config o.ptx
check --no-config --fix --select ALL o.ptx
baseline --no-config --baseline o.known prune a.ptx
check --no-config --format oneline --format jsonl=o.jsonl --format rdjsonl=o.rdl a.ptx
report --no-config --details --launch l.json --gpu h200,h100 --format markdown=o.md a.ptx
recognize --no-config a.ptx b.ptx
rank --no-config --block 256 --grid 100 --format json=o.json --format csv=o.csv a.ptx
optspace --no-config --block 256 --grid 100 --format json=o.json a.ptx b.ptx
verify --no-config --gpu h200 --measured t.jsonl --format json=o.json --format csv=o.csv a.ptx
gpu --format json=o.json --format csv=o.csv h200 h100
isa --format markdown ld
explain --format json=o.json MEM201
rules --format markdown=o.md
config show --format json a.ptx
extract --list c.fatbin
report --no-config c.fatbin
schema
completions zsh"""
DEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<2>;\n" \
       "\tld.param.u64 %rd1, [p];\n\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
# what stands in an output before; of the others a line
OLD = {"o.ptx": DEAD.encode()}


def message(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def conversation(words):
    """What a client says to a server; b"" for what is none."""
    def call(number, tool, **arguments):
        return message(number, "tools/call", name=tool, arguments=arguments)
    where = {"uri": "file:///a.ptx"}
    mcp = [message(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"}), message(2, "tools/list"),
           call(3, "check", path="a.ptx"), call(4, "report", path="a.ptx", kernel="reduce_shuffle", launch={"grid": 64, "block": 256}), call(5, "isa", opcode="ld")]
    lsp = [message(1, "initialize", capabilities={}, rootUri=None), {"jsonrpc": "2.0", "method": "initialized", "params": {}},
           {"jsonrpc": "2.0", "method": "textDocument/didOpen",
            "params": {"textDocument": where | {"languageId": "ptx", "version": 1, "text": pathlib.Path("a.ptx").read_text()}}},
           message(2, "textDocument/documentSymbol", textDocument=where),
           message(3, "textDocument/hover", textDocument=where, position={"line": 30, "character": 4}), message(4, "shutdown"),
           {"jsonrpc": "2.0", "method": "exit"}]
    texts = [json.dumps(each).encode() for each in {"mcp": mcp, "lsp": lsp}.get(words[0], [])]
    if words[0] == "mcp":
        return b"".join(text + b"\n" for text in texts)
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(text) + text for text in texts)


def run(words, **more):
    return subprocess.run([PTXLINT, *words], env=os.environ | {"LD_PRELOAD": PRELOAD} | more, input=conversation(words), capture_output=True, timeout=120)


def outputs(words):
    if words[0] == "extract" and "--list" not in words:
        return [str(path) for path in pathlib.Path().glob("c.fatbin.*")]
    return [word.split("=")[-1] for word in words if "o." in word and word.split("=")[-1].startswith("o.")]


def put_back(names):
    for name in names:
        pathlib.Path(name).write_bytes(OLD.get(name, b"old\n"))


def contents(names):
    return {name: pathlib.Path(name).read_bytes() if os.path.exists(name) else None for name in names}


def points_of(count):
    step = max(1, count // POINTS)
    return range(1 + step // 2, count + 1, step) if step > 1 else range(1, count + 1)


def messages(words, output):
    """What a server says: its answers by number, and the rest."""
    texts = output.splitlines() if words[0] == "mcp" else [part.split(b"Content-Length")[0] for part in output.split(b"\r\n\r\n")[1:]]
    all_of_them = [json.loads(text) for text in texts]
    return {each["id"]: each for each in all_of_them if "id" in each}, [each for each in all_of_them if "id" not in each]


def says_so(words, whole, got):
    """Whether each answer of a server is as ever, or says that memory is short; of a notification that is missing the user is told."""
    (left, told), (right, tells) = (messages(words, each.stdout) for each in (whole, got))
    short = [each for each in tells if "memory" in json.dumps(each)]
    is_answered = left.keys() == right.keys() and all(right[key] == left[key] or "memory" in json.dumps(right[key]) for key in left)
    return got.returncode == 0 and is_answered and (told == tells or bool(short))


def trouble(words, whole, written, environment):
    """What is wrong with a run that had too little memory; or nothing."""
    put_back(written)
    got = run(words, **environment)
    now = contents(written)
    torn = [name for name in written if now[name] not in (OLD.get(name, b"old\n"), written[name])]
    if torn:
        return f"{torn} is neither old nor new"
    if got.returncode == 4 and got.stderr.strip():
        return ""
    if words[0] in ("mcp", "lsp") and says_so(words, whole, got):
        return ""
    if (got.returncode, got.stdout) != (whole.returncode, whole.stdout):
        return f"exit {got.returncode}, {len(got.stdout)} of {len(whole.stdout)} bytes, {got.stderr[-200:]!r}"
    return "" if now == written else "a file is not written, and nobody says so"


def main():
    wrong, tried = [], 0
    for command in COMMANDS.split("\n"):
        if ONLY not in command:
            continue
        words, before, wrongs = command.split(), tried, len(wrong)
        shutil.rmtree("cache", ignore_errors=True)
        put_back(set(outputs(words)) & OLD.keys())
        whole = run(words, FAIL_COUNT="count")
        written = contents(outputs(words))
        for point in points_of(int(pathlib.Path("count").read_text())):
            for more in ({}, {"FAIL_ON": "1"}):
                tried += 1
                why = trouble(words, whole, written, {"FAIL_AT": str(point)} | more)
                if why:
                    wrong.append(f"{command}: allocation {point}{' on' if more else ''}: {why}")
        print(f"{tried - before:6d} runs, {len(wrong) - wrongs:3d} wrong: {command}", flush=True)
    print(f"{tried} runs with an allocation that fails, {len(wrong)} wrong")
    return wrong


with tempfile.TemporaryDirectory() as folder:
    for new, old in (("a.ptx", "reduction.sm_90.ptx"), ("b.ptx", "gemm.sm_90.ptx")):
        shutil.copy(pathlib.Path(DATA, old), pathlib.Path(folder, new))
    shutil.copy(pathlib.Path(DATA).parent / "containers/column.default.fatbin", pathlib.Path(folder, "c.fatbin"))
    os.chdir(folder)
    pathlib.Path("c.yaml").write_text("select: [ALL]\nthresholds: { OCC103.threads: 32 }\nper-kernel-ignore: { 'x*': [THR] }\n")
    pathlib.Path("l.json").write_text('{"kernels": {"*": {"block": [256, 1, 1], "grid": [64, 1, 1]}}}\n')
    pathlib.Path("t.jsonl").write_text('{"grid": 64, "block": 256, "us": 7}\n')
    names = re.findall(r"\.entry (\w+)", pathlib.Path("a.ptx").read_text())
    pathlib.Path("fit.jsonl").write_text("".join(f'{{"kernel": "{name}", "grid": {grid}, "block": 256, "us": {us}}}\n'
                                                 for name in names for grid, us in ((64, 9), (1024, 11), (65536, 160))))
    pathlib.Path("r.yaml").write_text("group: own\nrules:\n- code: OWN101\n  name: own-rule\n  severity: warning\n  on: kernel\n"
                                      "  when: kernel.instructions > 8\n  message: many\n  summary: A kernel with many.\n  doc: Text.\n")
    pathlib.Path("r.json").write_bytes(run(["report", "--no-config", "--shard", "1/1", "--format", "json", "a.ptx"]).stdout)
    pathlib.Path("b.yaml").write_bytes(run(["budget", "--no-config", "init", "a.ptx"]).stdout)
    pathlib.Path("s.json").write_bytes(run(["check", "--no-config", "--shard", "1/1", "--format", "json", "a.ptx"]).stdout)
    pathlib.Path("o.ptx").write_text(DEAD)
    run(["baseline", "--no-config", "--baseline", "o.known", "write", "o.ptx"])
    OLD["o.known"] = pathlib.Path("o.known").read_bytes()
    problems = main()
for problem in problems[:200]:
    print(problem)
sys.exit(bool(problems))
