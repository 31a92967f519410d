#!/usr/bin/env python3
"""check-sandbox.py PTXLINT PROBE.so -- what each command may no longer do once it opens what strangers have made: PROBE tries it there. And
what a run may no longer read: it is held while it reads its first input, and the next one is replaced by a link to a file elsewhere."""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PTXLINT, PROBE = (os.path.abspath(word) for word in sys.argv[1:3])
HEAD, KERNEL = ".version 8.0\n.target sm_90\n.address_size 64\n", ".visible .entry %s()\n{\n\tret;\n}\n"
PTX = HEAD + KERNEL
CREATE_RULESET, VERSION_ALONE, NETWORK_SINCE = 444, 1, 4
VERSION = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, VERSION_ALONE)

# read elsewhere, write elsewhere, run a program, connect
NONE, READS, ALL = "0 0 0 0", "1 0 0 0", "1 1 1 1"
LAUNCH = "--grid 64 --block 128 --gpu h200"
COMMANDS = f"""{NONE}|check trigger.ptx
{NONE}|check --cache cache trigger.ptx
{NONE}|check --jobs 2 trigger.ptx b.ptx
{READS}|check linked-trigger.ptx
{ALL}|check --no-sandbox trigger.ptx
{NONE}|report trigger.ptx
{NONE}|annotate trigger.ptx
{NONE}|fix trigger.ptx
{NONE}|baseline write trigger.ptx
{NONE}|budget init trigger.ptx
{NONE}|tune {LAUNCH} trigger.ptx
{NONE}|tune {LAUNCH} --format json=out/tune.json trigger.ptx
{NONE}|rank {LAUNCH} trigger.ptx
{NONE}|optspace {LAUNCH} trigger.ptx
{NONE}|verify --gpu h200 --measured times.jsonl trigger.ptx
{READS}|verify --gpu h200 --measured trigger.jsonl b.ptx
{NONE}|calibrate --gpu h200 --measured times.jsonl trigger.ptx
{NONE}|recognize trigger.ptx
{NONE}|graph trigger.ptx
{NONE}|launch init trigger.ptx
{NONE}|diff b.ptx trigger.ptx
{READS}|diff b.ptx trigger.json
{NONE}|extract --list trigger.ptx
{NONE}|extract --output out trigger.ptx
{NONE}|extract --output new trigger.ptx
{READS}|merge trigger.json
{READS}|gpu trigger.yaml
{READS}|isa --gpu trigger.yaml ld
{READS}|occupancy --gpu trigger.yaml
{READS}|explain --rules trigger.yaml MEM201
{READS}|rules --rules trigger.yaml
{READS}|config show --config trigger.yaml b.ptx
{NONE}|mcp
{READS}|lsp --launch trigger.json"""
MCP = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                  "params": {"name": "check", "arguments": {"path": "trigger.ptx"}}}) + "\n"


def fill(inside, outside):
    for folder in (inside, outside, inside / "out"):
        folder.mkdir()
    (outside / "secret").write_text("secret")
    for name in ("trigger.ptx", "b.ptx"):
        (inside / name).write_text(PTX % "good")
    (inside / "linked-trigger.ptx").symlink_to("b.ptx")
    for name in ("times.jsonl", "trigger.jsonl"):
        (inside / name).write_text('{"grid": 64, "block": 128, "us": 7}\n')
    (inside / "trigger.json").write_text("{}")
    (inside / "trigger.yaml").write_text("no: rules\n")


def last_probe(words, folder):
    """What the command could do when it opened the last file that triggers."""
    inside, outside = folder / "inside", folder / "outside"
    with tempfile.TemporaryFile("w+") as answers:
        more = {"LD_PRELOAD": PROBE, "PROBE_TO": str(answers.fileno()), "PROBE_AT": str(outside)}
        run = subprocess.run([PTXLINT, *words], cwd=inside, env=os.environ | more, pass_fds=[answers.fileno()], input=MCP, capture_output=True,
                             text=True, timeout=60)
        answers.seek(0)
        lines = answers.read().splitlines()
    return lines[-1] if lines else f"nothing triggered; exit {run.returncode}, {run.stderr}"


def check_probes():
    wrong = []
    for line in COMMANDS.split("\n"):
        wanted, command = line.split("|")
        with tempfile.TemporaryDirectory() as folder:
            fill(pathlib.Path(folder, "inside"), pathlib.Path(folder, "outside"))
            got = last_probe(command.split(), pathlib.Path(folder))
        if VERSION < NETWORK_SINCE:
            got, wanted = got[:-1], wanted[:-1]
        if got != wanted:
            wrong.append(f"{command}: {got}, want {wanted}")
    return wrong


def read_replaced(*words):
    """Exit code, whether the link was followed, whether all of the first input is there, and what it complained of."""
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = pathlib.Path(folder, "inside"), pathlib.Path(folder, "outside")
        fill(inside, outside)
        (outside / "secret.ptx").write_text(PTX % "secret")
        (inside / "a.ptx").write_text(HEAD + "".join(KERNEL % f"k{i}" for i in range(200)))
        with subprocess.Popen([PTXLINT, "report", "--no-config", "--jobs", "1", "--format", "json", *words, "a.ptx", "b.ptx"], cwd=inside,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            begin = run.stdout.read(1)          # it is reading PTX; what it says of a.ptx is more than a pipe holds
            (inside / "b.ptx").unlink()
            (inside / "b.ptx").symlink_to(outside / "secret.ptx")
            out, error = run.communicate(timeout=60)
        return run.returncode, "secret" in begin + out, "k199" in out, error.removeprefix("ptxlint: ").strip()


def check_replaced():
    wrong = []
    for words, want in (([], (3, False, True, "b.ptx: Permission denied")), (["--no-sandbox"], (0, True, True, ""))):
        got = read_replaced(*words)
        if got != want:
            wrong.append(f"replaced, {words}: {got}, want {want}")
    return wrong


if VERSION < 1:
    print("skipped: this kernel has no Landlock")
    sys.exit(77)
problems = check_probes() + check_replaced()
for problem in problems:
    print(problem)
sys.exit(bool(problems))
