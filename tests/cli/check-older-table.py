#!/usr/bin/env python3
"""check-older-table.py PTXLINT OLDER DIR - OLDER is ptxlint without the newest opcodes. Of the PTX
under DIR it says the same; of a file that uses such opcodes, the same but for their own lines."""
import json
import os
import re
import subprocess
import sys
import tempfile

NEWEST = re.compile(r"\b(fabric|clmad|spcompress|spdecompress)\b")
KERNEL = """.version 9.5
.target sm_107a
.address_size 64
.shared .align 16 .b64 bar;
.visible .entry k(.param .u64 in) .reqntid 64
{
.reg .b32 %r<6>;
.reg .b64 %rd<6>;
.reg .pred %p;
ld.param.u64 %rd1, [in];
mov.u32 %r1, %tid.x;
clmad.lo.u64 %rd2, %rd1, %rd1, %rd1;
mul.wide.u32 %rd3, %r1, 128;
add.u64 %rd4, %rd1, %rd3;
ld.global.u32 %r2, [%rd4];
fabric.submit;
mov.u32 %r3, 0;
div.u32 %r4, %r2, %r3;
st.global.u32 [%rd1], %r4;
mul.f32 %r5, %rd1;
clmad.hi.u64 %rd5, %rd2, %rd1, %rd1;
st.global.u64 [%rd1], %rd5;
ret;
}
"""


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    return done.returncode, done.stdout


def find_old(root):
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".ptx") and not NEWEST.search(open(path, errors="replace").read()):
                yield path


def findings(output):
    """Of other lines than those of the newest opcodes, and not that the version is newer."""
    new_lines = {n for n, line in enumerate(KERNEL.split("\n"), 1) if NEWEST.search(line)}
    for line in output.splitlines():
        finding = json.loads(line)
        text = json.dumps(finding)
        where = [int(n) for n in re.findall(r'"line": (\d+)', text)]
        if where and not new_lines & set(where) and finding.get("rule", finding.get("code")) != "SYN304":
            yield finding.get("rule", finding.get("code")), where[0], finding["message"]


def main():
    program, older, root = sys.argv[1:]
    paths = list(find_old(root))[::6]
    assert len(paths) > 20, len(paths)
    for command in (["check", "--format", "jsonl"], ["report", "--format", "json"]):
        args = [*command, "--no-config"]
        expected, got = run(program, *args, *paths), run(older, *args, *paths)
        assert expected == got, "%s differs" % args
        assert expected[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "new.ptx")
        with open(path, "w") as file:
            file.write(KERNEL)
        known, unknown = (run(p, "check", "--no-config", "--all", "--format", "jsonl", path)[1] for p in (program, older))
    assert known != unknown, "the opcodes are still in the table"
    first, second = sorted(findings(known)), sorted(findings(unknown))
    assert first == second, "%s\n%s" % (first, second)
    codes = {code for code, _, _ in first}
    assert codes == {"COR111", "SYN404"}, codes


main()
