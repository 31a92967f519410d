#!/usr/bin/env python3
"""check-action.py PTXLINT -- action.yml: each input is used and each use is an input; its last step, run as a runner would, annotates, writes
a summary and SARIF, and fails where a finding does. Where npm has put action-validator there, it is asked too."""
import json
import os
import pathlib
import re
import tempfile

from kit import NPM, PTX, PTXLINT, ROOT, expect, finish, problems, run, skip

try:
    import yaml
except ImportError:
    skip("python3-yaml is not installed")

text = (ROOT / "action.yml").read_text(encoding="utf-8")
action = yaml.safe_load(text)
expect("inputs that are used", set(re.findall(r"\$\{\{ inputs\.(\w+) \}\}", text)), set(action["inputs"]))
for step in action["runs"]["steps"]:
    expect(step["name"], {"shell", "run"} <= step.keys(), True)
    if "${{" in step["run"]:
        problems.append(f"{step['name']}: an input in a script is a way in for others: pass it as a variable")
if (NPM / ".bin/action-validator").exists():
    expect("action-validator", run(NPM / ".bin/action-validator", ROOT / "action.yml").returncode, 0)

with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    (home / "bad.ptx").write_text(PTX)
    (home / "good.ptx").write_text(PTX.replace("\tbogus.u32 1, 2;\n", "\tret;\n"))
    for paths, code in (("good.ptx\n  bad.ptx\n", 1), ("bad.ptx good.ptx", 1), ("good.ptx", 0)):
        given = {"paths": paths, "args": "--select COR\n--quiet\n", "sarif": "found.sarif"}
        values = {name: given[re.search(r"inputs\.(\w+)", value).group(1)] for name, value in action["runs"]["steps"][-1]["env"].items()}
        values |= {"PATH": f"{PTXLINT.parent}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": "summary.md"}
        got = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", action["runs"]["steps"][-1]["run"], cwd=home, env=os.environ | values)
        expect(paths, (got.returncode, got.stderr), (code, ""))
        expect(f"{paths}: annotations", got.stdout.count("::error file=bad.ptx,line=6,"), code)
        expect(f"{paths}: summary", "SYN401" in (home / "summary.md").read_text(), bool(code))
        expect(f"{paths}: SARIF", len(json.loads((home / "found.sarif").read_text())["runs"][0]["results"]), code)

# Names that strangers chose: options, commands of the runner, line ends; the patterns of a shell and its commands are names.
HOSTILE = ["--ptxas=.ptx", "--output=x.ptx", "::error::a.ptx", "a\n::error::b.ptx", "%0A::error::c.ptx", "$(touch ran).ptx", "*.ptx", "##[error]d.ptx"]
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    (home / "ptx").mkdir()
    (home / "ptxas").write_text("#!/bin/sh\ntouch ran\n")
    (home / "ptxas").chmod(0o755)
    for name in HOSTILE:
        (home / name).write_text(PTX)
        (home / "ptx" / name).write_text(PTX)
    values = {"PATH": f"{folder}:{PTXLINT.parent}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": "summary.md", "INPUT_ARGS": "--select\n\tCOR\n\n", "INPUT_SARIF": ""}
    script = action["runs"]["steps"][-1]["run"]
    for paths, count in (("ptx", len(HOSTILE)), ("--ptxas=.ptx\n--output=x.ptx ::error::a.ptx\n", 3), ("*.ptx", 1)):
        got = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script, cwd=home, env=os.environ | values | {"INPUT_PATHS": paths})
        commands = [line for line in got.stdout.splitlines() + got.stderr.splitlines() if line.lstrip().startswith("::") or "##[" in line]
        foreign = [line for line in commands if not line.startswith("::error file=")]
        expect(f"{paths!r}: {got.stderr[:300]}", (got.returncode, len(commands), foreign), (1, count, []))
        expect(f"{paths!r}: written or run", sorted(set(os.listdir(home)) - {*HOSTILE, "ptx", "ptxas", "summary.md"}), [])

# Released binaries, as tools/release.sh packs them: here the program that is tested.
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    for name in ("release", "runner"):
        (home / name).mkdir()
    packed = f"ptxlint-linux-{os.uname().machine}.tar.gz"
    run("tar", "-czf", home / "release" / packed, "--transform=s,.*ptxlint$,bin/ptxlint,", PTXLINT)
    (home / "release" / f"{packed}.sha256").write_text(run("sha256sum", packed, cwd=home / "release").stdout)
    for change, code in ((b"", 0), (b"x", 1)):
        with open(home / "release" / packed, "ab") as file:
            file.write(change)
        values = {"INPUT_BINARIES": "release", "RUNNER_TEMP": str(home / "runner"), "GITHUB_WORKSPACE": folder, "GITHUB_PATH": str(home / "path"), "PATH": "/usr/bin:/bin"}
        got = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", action["runs"]["steps"][0]["run"], cwd=home, env=values)
        expect(f"released binaries {change}: {got.stderr}", got.returncode, code)
    expect("installed", run(f"{(home / 'path').read_text().strip()}/ptxlint", "--version").returncode, 0)

# The matchers: each line of --format oneline is one finding of one of them.
matchers = json.loads((ROOT / "contrib/problem-matcher.json").read_text(encoding="utf-8"))["problemMatcher"]
words = ["testdata/ptx", "tests/golden"]
found = json.loads(run(PTXLINT, "--format", "json", *words, cwd=ROOT).stdout)["diagnostics"]
lines = run(PTXLINT, "--all", "--format", "oneline", *words, cwd=ROOT).stdout.splitlines()
wanted = [(f["severity"].replace("note", "notice"), f["path"], str(f["line"]), str(f["column"]), f["rule"]) for f in found if not f["suppression"]]
matched = []
for line in lines:
    for matcher in matchers:
        pattern = matcher["pattern"][0]
        match = re.search(pattern["regexp"], line)
        if match:
            severity = match[pattern["severity"]] if "severity" in pattern else matcher["severity"]
            matched.append((severity, *(match[pattern[key]] for key in ("file", "line", "column", "code"))))
expect("problem matchers", matched, wanted)
finish()
