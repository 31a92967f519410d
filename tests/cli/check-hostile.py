#!/usr/bin/env python3
"""check-hostile.py PTXLINT -- what a pull request may bring beside PTX: names and texts that a runner or a terminal would obey, files that
are links, pipes or devices. A line of a file outside must not be shown, nothing outside written, nothing waited for."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PTXLINT = os.path.abspath(sys.argv[1])
SECRET = "Xsecret"
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k()\n{\n\t.reg .b32 %%r<3>;\n%s\tmov.u32 %%r1, %%r2;\n\tret;\n}\n"
# What GitHub's runner obeys: behind blanks of any kind at the beginning of a line, and anywhere.
COMMAND = re.compile(r"^[\s\x85\xa0]*::[a-z]|##\[", re.M)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

EVIL = ["::error::x", " ::error::x", "\t::error::x", "\u00a0::error::x", "a\n::error::x", "##[error]x", "\x1b[31mx", "\u202ex", "\u009bx", "a\u2028::error::x"]
FIXABLE = PTX % ("", "\tmov.u32 %r2, %tid.x;\n")
RULES = "group: own\nrules:\n- code: OWN101\n  name: own-rule\n  severity: warning\n  on: kernel\n  when: kernel.instructions > 0\n" \
        "  message: %s\n  summary: %s\n  doc: %s\n"
# Files that no option names, where a link, a pipe and a device are refused: what asks for them.
FOUND = {"ptxlint-baseline.json": None, "known.json": "baseline: known.json\n", "launch.json": "launch: launch.json\n", "limits.yaml": "budget: limits.yaml\n",
         "own.yaml": "rules: own.yaml\n", "gpu.yaml": "gpu: ./gpu.yaml\n", ".ptxlint.yaml": None, "a.launch.json": None, "a.json": None}


def run(folder, *words):
    try:
        return subprocess.run([PTXLINT, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, b"", b"it waits")


def obeyed(got, words):
    """What in the output moves a runner or a terminal."""
    for name in ("stdout", "stderr"):
        text = getattr(got, name).decode(errors="surrogateescape")
        found = COMMAND.search(text) or CONTROL.search(text)
        if found or re.search("[\udc80-\udcff]", text):
            yield f"{words}: {name} has {found}"


def check_names(folder):
    names = [*EVIL, "a\udcffx"]
    for name in names:
        path = folder / (name + ".ptx")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PTX % ("", ""))
        relative = str(path.relative_to(folder)) if not name.startswith("/") else name
        for words in (["check", "--no-config", "--format", "oneline"], ["report", "--no-config"], ["graph", "--no-config"], ["merge"]):
            yield from obeyed(run(folder, *words, "--", relative), (words, name))


def check_texts(folder):
    (folder / "a.ptx").write_text(PTX % ("", ""))
    for text in EVIL:
        (folder / "r.yaml").write_text(RULES % ((json.dumps("m" + text.replace("\n", " ")),) * 3))
        (folder / "s.ptx").write_text(PTX % ('.file 1 "%s"\n' % text, "\t.loc 1 3 5\n\t// %s\n" % text))
        for words in (["check", "--rules", "r.yaml", "--select", "OWN101", "a.ptx"], ["rules", "--rules", "r.yaml", "--select", "OWN"],
                      ["explain", "--rules", "r.yaml", "OWN101"], ["graph", "s.ptx"], ["annotate", "s.ptx"]):
            got = run(folder, words[0], "--no-config", *words[1:])
            yield from obeyed(got, (words, text))
            if got.returncode > 1 and "\n" not in text:
                yield f"{words}, {text!r}: exit {got.returncode}: {got.stderr}"


def check_found(folder, outside):
    secret = outside / "secret"
    for name, config in FOUND.items():
        for make in (lambda path: path.symlink_to(secret), lambda path: path.symlink_to("/dev/zero"), os.mkfifo):
            secret.write_text(SECRET + " {\n")
            (folder / "a.ptx").write_text(PTX % ("", ""))
            if config:
                (folder / ".ptxlint.yaml").write_text(config)
            make(folder / name)
            for words in (["check", "a.ptx"], ["baseline", "write", "a.ptx"]):
                got = run(folder, *words)
                if got.returncode not in (0, 1, 2, 3) or SECRET.encode() in got.stdout + got.stderr:
                    yield f"{name}, {words}: {got.returncode}, {got.stderr}"
            if secret.read_text() != SECRET + " {\n":
                yield f"{name}: the file outside was written"
            for path in folder.iterdir():
                path.unlink()


def check_links(folder, outside):
    """A link out of the source root is an input where it leads to PTX; of anything else no line is shown, however the link is named."""
    for name, text, code in (("a.ptx", SECRET + " {\n", 3), ("b.ptx", "// %s\n/* */ %s\n" % (SECRET, SECRET), 3), ("c.ptx", "// made by hand\n" + PTX % ("", ""), 0)):
        (outside / name).write_text(text)
        (folder / name).symlink_to(outside / name)
        for path in (name, ".", "*.ptx", "**/*.ptx"):
            for words in (["check"], ["report"], ["annotate"], ["fix", "--diff"]):
                got = run(folder, *words, path)
                if got.returncode != code or SECRET.encode() in got.stdout + got.stderr:
                    yield f"link to {text!r}, {words}, {path}: {got.returncode}, {got.stdout}, {got.stderr}"
        (folder / name).unlink()


def check_fix(folder, outside):
    """What lies outside is not edited, be the file a link or a folder of its name."""
    (outside / "a.ptx").write_text(FIXABLE)
    (folder / "a.ptx").symlink_to(outside / "a.ptx")
    (folder / "d").symlink_to(outside)
    for words in (["fix"], ["check", "--fix"]):
        for path in ("a.ptx", "./a.ptx", "d/a.ptx", str(folder / "d/a.ptx"), ".", "d"):
            got = run(folder, *words, "--unsafe", path)
            if got.returncode != 3 or b"out of the source root" not in got.stderr or (outside / "a.ptx").read_text() != FIXABLE:
                yield f"{words}, {path}: {got.returncode}, {got.stderr}"
    got = run(folder, "fix", "--source-root", str(outside.parent), "a.ptx")
    if got.returncode or (outside / "a.ptx").read_text() == FIXABLE:
        yield f"fix inside of the root: {got.returncode}, {got.stderr}"


def check_json(folder):
    """Of a file that is no JSON no word is quoted, whichever option names it."""
    (folder / "a.ptx").write_text(PTX % ("", ""))
    (folder / "s.json").write_text(SECRET + "\n")
    for words in (["check", "--launch", "s.json", "a.ptx"], ["check", "--baseline", "s.json", "a.ptx"], ["merge", "s.json"],
                  ["verify", "--times", "s.json", "a.ptx"]):
        got = run(folder, *words)
        if got.returncode not in (2, 3) or SECRET.encode() in got.stdout + got.stderr:
            yield f"{words}: {got.returncode}, {got.stderr}"


problems = []
for check in (check_names, check_texts, check_found, check_links, check_fix, check_json):
    with tempfile.TemporaryDirectory() as root:
        inside, elsewhere = pathlib.Path(root, "inside"), pathlib.Path(root, "outside")
        inside.mkdir()
        elsewhere.mkdir()
        (inside / ".git").touch()
        problems += check(inside, elsewhere) if check in (check_found, check_links, check_fix) else check(inside)
for problem in problems[:20]:
    print(problem)
sys.exit(bool(problems))
