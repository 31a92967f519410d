#!/usr/bin/env python3
"""check-exit-codes.py PTXLINT [sanitized] -- the exit code as a contract: every command with every kind of input.

0 nothing found or notes alone, 1 found, 2 usage, 3 unreadable or cut short or not written, 4 internal; the highest that applies.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PTXLINT = pathlib.Path(sys.argv[1]).resolve()
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
KERNEL = ".visible .entry k(.param .u64 out){bounds}\n{{\n\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [out];\n{first}" \
         "\tst.global.u32 [%rd1], %r1;\n\tret;\n}}\n"


def kernel(bounds=" .maxntid 128", first="\tmov.u32 %r1, 7;\n"):
    return HEAD + KERNEL.format(bounds=bounds, first=first)


def environment(at):
    """A look for leaks is half of what a short run takes under sanitizers: one in four has it."""
    return os.environ | {"PTXLINT": str(PTXLINT), "LSAN_OPTIONS": f"detect_leaks={int(at % 4 == 0)}"}


FILES = {
    "clean.ptx": kernel(), "noted.ptx": kernel(bounds=" .reqntid 32"), "warned.ptx": kernel(first=""), "broken.ptx": kernel(first="\tmov.u32 1 2;\n"),
    "suppressed.ptx": kernel(first="").replace("\tst", "\t// ptxlint: ignore[COR101] a test\n\tst"),
    "cut.ptx": HEAD + ".entry k()\n" + "{" * 3000 + "}" * 3000 + "\n", "empty.ptx": "", "bad.yaml": "base: [\n", "bad.json": "{", "folder/x": "",
    "times.jsonl": '{"kernel": "k", "grid": 64, "block": 128, "us": 3}',
}

# The codes of check, report and baseline write by input.
INPUTS = {
    "clean.ptx": (0, 0, 0), "noted.ptx": (0, 0, 0), "warned.ptx": (1, 0, 0), "broken.ptx": (1, 0, 0), "suppressed.ptx": (0, 0, 0),
    "empty.ptx": (1, 0, 0), "cut.ptx": (3, 3, 3), "none.ptx": (3, 3, 3), "loop.ptx": (3, 3, 3), "folder": (2, 2, 2), "'n*.px'": (2, 2, 2),
    "warned.ptx none.ptx": (3, 3, 3), "warned.ptx folder": (2, 2, 2), "cut.ptx folder": (3, 3, 3), "- < warned.ptx": (1, 0, 0), "": (2, 2, 2),
}

OUTPUTS = ("text", "oneline", "json", "jsonl", "sarif", "github", "gitlab", "checkstyle", "junit", "rdjson", "rdjsonl", "markdown", "csv")

# A command line, and its code.
CASES = {
    "gpu": 0, "gpu h200": 0, "gpu h2000": 2, "gpu none.yaml": 3, "gpu ./bad.yaml": 2, "gpu measure h200": 2,
    "explain THR102": 0, "explain": 2, "explain THR999": 2, "explain --rules none THR102": 3, "explain --rules bad.yaml THR102": 2,
    "rules": 0, "rules more": 2, "rules --facts": 0, "rules --config none": 2,
    "config show": 0, "config files": 0, "config": 2, "config what": 2, "config init folder": 0, "config init none": 3,
    "isa": 0, "isa ld": 0, "isa nothing": 2, "isa --gpu h2000 ld": 2, "isa --list ld": 2,
    "tune --grid 64 --block 256 clean.ptx": 0, "tune clean.ptx": 2, "tune": 2, "tune --grid 64 --block 256 none.ptx": 3,
    "rank --grid 64 --block 256 clean.ptx warned.ptx": 0, "rank clean.ptx": 2, "rank": 2, "rank --grid 64 --block 256 none.ptx": 3,
    "rank --grid 64 --block 256 --format csv clean.ptx": 0, "rank --grid 64 --block 256 --kernel x clean.ptx": 2,
    "occupancy --gpu g80 --registers 10 --block 256": 0, "occupancy": 2, "occupancy --gpu g80 --block 513": 2, "occupancy --gpu g80 clean.ptx": 2,
    "occupancy --gpu h2000 --block 32": 2, "occupancy --gpu ./bad.yaml --block 32": 2,
    "optspace --grid 64 --block 256 clean.ptx warned.ptx": 0, "optspace clean.ptx": 2, "optspace --grid 64 --block 256 none.ptx": 3,
    "verify --gpu h200 --measured times.jsonl clean.ptx": 0, "verify clean.ptx": 2, "verify --measured times.jsonl": 2, "verify --measured none clean.ptx": 3,
    "calibrate --gpu h200 --measured times.jsonl clean.ptx": 0, "calibrate --measured times.jsonl clean.ptx": 2, "calibrate --gpu h200 clean.ptx": 2,
    "calibrate --gpu h200 --measured times.jsonl": 2, "calibrate --gpu h200 --measured none clean.ptx": 3,
    "recognize clean.ptx warned.ptx": 0, "graph --links --format dot clean.ptx": 0, "recognize --links clean.ptx": 2, "recognize": 2, "recognize none.ptx": 3, "recognize --kernel x clean.ptx": 2, "recognize --format svg clean.ptx": 2,
    "schema": 0, "schema report": 0, "schema nothing": 2, "schema report more": 2,
    "completions bash": 0, "completions tcsh": 2, "completions": 2, "manual": 0, "manual more": 2,
    "--severity COR101=note warned.ptx": 0, "--severity OCC103=error noted.ptx": 1, "--ignore COR101 warned.ptx": 0, "--statistics warned.ptx": 1,
    "--gpu h2000 clean.ptx": 2, "--launch bad.json clean.ptx": 2, "--launch none.json clean.ptx": 3, "--kernel x clean.ptx": 2,
    "--kernel x none.ptx": 3, "--baseline none clean.ptx": 3, "--help": 0, "--version": 0,
    **{f"--format {name} warned.ptx": 1 for name in OUTPUTS}, **{f"--format {name} clean.ptx": 0 for name in OUTPUTS},
    **{f"--format {name}=/dev/full warned.ptx": 3 for name in OUTPUTS}, **{f"--format {name}=none/x clean.ptx": 3 for name in OUTPUTS},
}
# Commands that read standard input once, however many documents are wanted of it.
for command in ("tune --grid 64 --block 256", "rank --grid 64 --block 256", "optspace --grid 64 --block 256", "recognize",
                "verify --gpu h200 --measured times.jsonl"):
    CASES[f"{command} --format text --format json=two.json - < clean.ptx; test -s two.json && rm two.json"] = 0
CASES["graph --format svg --format json=two.json - < clean.ptx; test -s two.json && rm two.json"] = 0
COMMANDS = ["check clean.ptx", "fix clean.ptx", "report clean.ptx", "annotate clean.ptx", "gpu", "explain THR102", "rules", "config show", "isa ld", "tune --grid 64 --block 256 clean.ptx", "rank --grid 64 --block 256 clean.ptx",
            "occupancy --gpu h200 --block 64", "verify --measured times.jsonl clean.ptx",
            "schema", "completions bash", "manual"]
# Each format of each command, where there is no room for it; of check, above.
FORMATS = {"report clean.ptx": "text json csv markdown html", "annotate clean.ptx": "text json", "graph clean.ptx": "svg json dot", "recognize clean.ptx": "text json",
           "tune --grid 64 --block 256 clean.ptx": "text json", "rank --grid 64 --block 256 clean.ptx": "text json csv",
           "verify --gpu h200 --measured times.jsonl clean.ptx": "text json csv markdown", "diff clean.ptx warned.ptx": "text json markdown html",
           "occupancy --gpu h200 --block 64": "text json csv", "gpu h200": "text json csv", "rules": "text json markdown", "explain THR102": "text json markdown",
           "isa ld": "text json markdown", "config show": "text json"}
for command, formats in FORMATS.items():
    CASES |= {f"{command} --format {name} > /dev/full": 3 for name in formats.split()}
for command in ("schema report", "completions bash", "manual", "launch init clean.ptx", "budget init clean.ptx", "--help", "--version"):
    CASES[f"{command} > /dev/full"] = 3
for command in COMMANDS:
    first = command.split()[0]
    CASES |= {f"{first} --help": 0, f"{first} --no-such-option": 2, f"{command} --output none/x": 3, f"{command} --output -": 0}
    if first not in ("check", "fix"):
        CASES[f"{command} --output /dev/full"] = 3
    if first not in ("schema", "completions", "manual"):
        CASES |= {f"{command} --format xml": 2, f"{command} --color pink": 2, f"{command} --format json=none/x": 3}
for name, codes in INPUTS.items():
    for word, code in zip(("check", "report", "baseline --baseline known write"), codes):
        CASES[f"{word} {name}"] = code

problems = []
with tempfile.TemporaryDirectory() as folder:
    for path, text in FILES.items():
        pathlib.Path(folder, path).parent.mkdir(exist_ok=True)
        pathlib.Path(folder, path).write_text(text)
    os.symlink("loop.ptx", pathlib.Path(folder, "loop.ptx"))
    if "sanitized" not in sys.argv:                     # whose shadow does not fit into so little
        pathlib.Path(folder, "large.ptx").write_text(kernel() + "".join(f".global .u32 v{i};\n" for i in range(200000)))
        CASES["; ulimit -v 24000; $PTXLINT large.ptx"] = 4
    else:                                               # which take ten times as long to begin and to end
        CASES = dict(list(CASES.items())[::4])
    for at, (line, wanted) in enumerate(CASES.items()):
        words = line if line.startswith(";") else f"$PTXLINT {line}"
        got = subprocess.run(["sh", "-c", words.lstrip("; ")], cwd=folder, env=environment(at), capture_output=True,
                             stdin=subprocess.DEVNULL, check=False)
        if got.returncode != wanted:
            problems.append(f"ptxlint {line}: exit {got.returncode}, not {wanted}: {got.stderr.decode(errors='replace')[:200]}")
        if wanted >= 2 and not got.stderr and "cut.ptx" not in line:
            problems.append(f"ptxlint {line}: exit {wanted} without a word")
for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
