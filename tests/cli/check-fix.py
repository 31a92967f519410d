#!/usr/bin/env python3
"""check-fix.py PTXLINT -- fix, check --fix and --stdin-filename as a user calls them: what is written, what is printed, the exit code."""
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

PTXLINT = os.path.abspath(sys.argv[1])
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<2>;\n"
BODY = HEAD + "\tld.param.u64 %rd1, [p];\n\tmov.u32 %r1, %tid.x;\n"
DEAD = BODY + "\tadd.s32 %r2, %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
CLEAN = BODY + "\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
BREAK = BODY + "\tbrkpt;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
failures = []


def run(folder, *words, text=None):
    done = subprocess.run([PTXLINT, *words], cwd=folder, input=text, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got!r}, want {wanted!r}")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return file.read()


def check_writing(folder):
    write(folder, "a.ptx", DEAD)
    os.chmod(os.path.join(folder, "a.ptx"), 0o640)
    os.symlink("a.ptx", os.path.join(folder, "link.ptx"))
    code, out, err = run(folder, "fix", "link.ptx")
    expect("fix", (code, out), (0, ""))
    expect("summary", err, "ptxlint: fix: 1 finding fixed in 1 file\n")
    expect("text", read(folder, "a.ptx"), CLEAN)
    expect("mode", os.stat(os.path.join(folder, "a.ptx")).st_mode & 0o777, 0o640)
    expect("link", os.path.islink(os.path.join(folder, "link.ptx")), True)
    expect("folder", sorted(os.listdir(folder)), ["a.ptx", "link.ptx"])
    before = os.stat(os.path.join(folder, "a.ptx")).st_mtime_ns
    expect("again", run(folder, "fix", "a.ptx")[0], 0)
    expect("untouched", os.stat(os.path.join(folder, "a.ptx")).st_mtime_ns, before)


def check_diff(folder):
    write(folder, "a.ptx", DEAD)
    code, out, _ = run(folder, "check", "--fix", "--diff", "a.ptx")
    wanted = "".join(difflib.unified_diff(DEAD.splitlines(True), CLEAN.splitlines(True), "a.ptx", "a.ptx"))
    expect("diff", (code, out), (0, wanted))
    expect("not written", read(folder, "a.ptx"), DEAD)


def check_left(folder):
    write(folder, "b.ptx", BREAK)
    code, out, err = run(folder, "fix", "b.ptx", "--format", "oneline")
    expect("left", (code, out.count("[HYG108]")), (1, 1))
    expect("offer", "--unsafe tries 1 more" in err, True)
    expect("diff of it", run(folder, "fix", "--unsafe", "--diff", "b.ptx")[0], 1)
    expect("unsafe", run(folder, "check", "--fix", "--unsafe", "b.ptx")[:2], (0, ""))
    expect("text", read(folder, "b.ptx"), CLEAN)
    write(folder, "b.ptx", BREAK)
    expect("not selected", run(folder, "fix", "--unsafe", "--ignore", "HYG108", "b.ptx")[0], 0)
    expect("stays", read(folder, "b.ptx"), BREAK)


def check_standard_input(folder):
    expect("fix -", run(folder, "fix", "-", text=DEAD)[:2], (0, CLEAN))
    expect("nothing to fix", run(folder, "fix", "-", text=CLEAN)[:2], (0, CLEAN))
    os.makedirs(os.path.join(folder, "deep"))
    write(folder, "deep/.ptxlint.yaml", "ignore: [HYG108]\n")
    code, out, _ = run(folder, "check", "--format", "oneline", "--stdin-filename", "deep/x.ptx", "-", text=BREAK)
    expect("config of the name", (code, out), (0, ""))
    code, out, _ = run(folder, "check", "--format", "oneline", "--stdin-filename", "up/x.ptx", "-", text=BREAK)
    expect("the name is shown", (code, out.startswith("up/x.ptx:10:2: warning: ")), (1, True))


def check_usage(folder):
    write(folder, "a.ptx", CLEAN)
    for words in (["check", "--diff", "a.ptx"], ["check", "--unsafe", "a.ptx"], ["fix"], ["fix", "-", "a.ptx"],
                  ["check", "--stdin-filename", "x", "a.ptx"], ["fix", "--statistics", "--diff", "a.ptx"], ["fix", "--ptxas", "a.ptx"]):
        code, out, err = run(folder, *words, text="")
        expect(" ".join(words), (code, out, err.startswith("ptxlint: ")), (2, "", True))


# The same difference as Python's, whatever the edits: a file of many kernels, some of them with dead code.
def check_many(folder):
    kernels = [(DEAD if i % 7 in (0, 1) else CLEAN).replace(HEAD[:HEAD.index(".visible")], "").replace(" k(", f" k{i}(") for i in range(300)]
    text = HEAD[:HEAD.index(".visible")] + "".join(kernels)
    fixed = text.replace("\tadd.s32 %r2, %r1, 1;\n", "")
    write(folder, "many.ptx", text.rstrip("\n"))
    _, out, _ = run(folder, "fix", "--diff", "many.ptx")
    write(folder, "many.diff", out)
    if shutil.which("patch"):
        subprocess.run(["patch", "-s", "many.ptx", "many.diff"], cwd=folder, check=True, timeout=60)
        expect("patched", read(folder, "many.ptx"), fixed.rstrip("\n"))
    removed = [line for line in out.splitlines() if line.startswith("-") and not line.startswith("---")]
    expect("removed lines", (len(removed), set(removed)), (text.count("add.s32"), {"-\tadd.s32 %r2, %r1, 1;"}))


for check in (check_writing, check_diff, check_left, check_standard_input, check_usage, check_many):
    with tempfile.TemporaryDirectory() as place:
        check(place)
for failure in failures:
    print(failure)
sys.exit(bool(failures))
