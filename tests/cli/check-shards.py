#!/usr/bin/env python3
"""check-shards.py PTXLINT -- --shard, merge and --cache: whatever way results come about, documents, complaints and exit codes are those of one run.

With GNU parallel its recipe of docs/ci.md runs on two workers; without it the last line says so.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXLINT = str(pathlib.Path(sys.argv[1]).resolve())
NAMES = ["gemm.sm_90.lineinfo.ptx", "aos_soa.sm_80.ptx", "reduction.sm_80.ptx", "transpose.sm_90.lineinfo.ptx", "bytes/bom_utf8.ptx"]
FORMATS = ["text", "oneline", "json", "jsonl", "sarif", "github", "gitlab", "checkstyle", "junit", "rdjson", "rdjsonl", "markdown", "csv"]
SOURCE = "__global__ void f(int *p) {\n    *p = 1;{}\n}}\n"
BAD = """.version 9.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 p)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	.loc 1 2 5
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1], %r1;
	ret;
}
	.file 1 "f.cu"
"""
problems = []


def run(folder, *words):
    done = subprocess.run([PTXLINT, *words], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def same(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: {str(got)[:300]}\nand not {str(wanted)[:300]}")


def want(what, got, code, text):
    if got[0] != code or text not in (got[1] + got[2]).decode():
        problems.append(f"{what}: exit {got[0]}, not {code}, with {text!r}: {got[2].decode()[:300]}")


def check_merge(folder):
    for shard in "123":
        run(folder, "--shard", f"{shard}/3", "--format", f"json={shard}.json", "--format", f"sarif={shard}.sarif", "in")
        run(folder, "report", "--gpu", "h200", "--grid", "64", "--shard", f"{shard}/3", "--format", f"json=r{shard}.json", "in")
    for name in FORMATS:
        same(name, run(folder, "merge", "--format", name, "3.json", "1.sarif", "2.json"), run(folder, "--format", name, "in"))
    for name in ["text", "json", "csv"]:
        same(f"report {name}", run(folder, "merge", "--format", name, "r2.json", "r3.json", "r1.json"),
             run(folder, "report", "--gpu", "h200", "--grid", "64", "--format", name, "in"))
    shares = [len(json.loads((folder / f"{shard}.json").read_text())["shard"]["modules"]) for shard in "123"]
    same("all inputs", sum(shares), len(NAMES))


def check_slips(folder):
    text = (folder / "2.json").read_text()
    (folder / "cut.json").write_text(text[:len(text) // 2])
    holder = next(shard for shard in "123" if '"base64":"e' in (folder / f"{shard}.json").read_text())
    (folder / "bad.json").write_text((folder / f"{holder}.json").read_text().replace('"base64":"e', '"base64":"f'))
    others = [f"{shard}.json" for shard in "123" if shard != holder]
    want("missing", run(folder, "merge", "1.json", "3.json"), 2, "shard 2 of 3 is missing")
    want("twice", run(folder, "merge", "1.json", "2.json", "3.json", "1.sarif"), 2, "is shard 1 of 3, and so is 1.json")
    want("other run", run(folder, "merge", "1.json", "r2.json", "3.json"), 2, "is a shard of another run")
    want("no shard", run(folder, "merge", "whole.json"), 2, "is no part of a sharded run")
    want("cut", run(folder, "merge", "1.json", "cut.json"), 2, "cut.json:")
    want("damaged", run(folder, "merge", "bad.json", *others), 3, " cannot be read: damaged, of another build")
    same("once a file", run(folder, "merge", "bad.json", *others)[2].count(b"bad.json:"), 1)
    want("report as sarif", run(folder, "merge", "--format", "sarif", "r1.json", "r2.json", "r3.json"), 2, "text, json, csv or markdown")
    for value in ["0/3", "4/3", "1", "1/", "/3", "a/b", "1/3x", "-1/3", "9999999/9999999"]:
        want(value, run(folder, "--shard", value, "--format", "json", "in"), 2, "is not I/N, as 2/8")
    want("text", run(folder, "--shard", "1/2", "in"), 2, "--shard needs --format json or sarif")
    want("unreadable", run(folder, "--shard", "1/1", "--format", "json=lost.json", "in", "none.ptx"), 3, "none.ptx")


def check_parallel(folder):
    if not shutil.which("parallel"):
        return "without GNU parallel"
    done = subprocess.run(["parallel", "--will-cite", "-j2", f"{PTXLINT} --shard {{}}/4 --format json=p{{}}.json in || [ $? -eq 1 ]", ":::", "1", "2", "3", "4"],
                          cwd=folder, env=os.environ | {"HOME": str(folder)}, check=False)
    same("parallel", done.returncode, 0)
    same("parallel", run(folder, "merge", "p1.json", "p2.json", "p3.json", "p4.json"), run(folder, "in"))
    return "with GNU parallel"


def entries(folder):
    return sorted(path for path in (folder / "cache").rglob("*") if path.is_file())


def cached(folder, *words):
    return run(folder, "--cache", "cache", *words)


def check_cache(folder):
    plain = run(folder, "in")
    same("first", cached(folder, "in"), plain)
    kept = {path: path.stat().st_ino for path in entries(folder)}
    same("entries", len(kept), len(NAMES))
    same("second", cached(folder, "in"), plain)
    same("nothing is written anew", {path: path.stat().st_ino for path in entries(folder)}, kept)
    for damage in [lambda bytes_: bytes_[:100], lambda bytes_: b"", lambda bytes_: bytes_[:-1] + bytes([bytes_[-1] ^ 1]),
                   lambda bytes_: bytes_[:200] + b"\xff" + bytes_[201:]]:
        for path in kept:
            path.write_bytes(damage(path.read_bytes()))
        same("damaged", cached(folder, "in"), plain)
    together = [subprocess.Popen([PTXLINT, "--cache", "new", "in"], cwd=folder, stdout=subprocess.PIPE) for _ in range(4)]
    for process in together:
        same("together", (process.communicate()[0], process.returncode), (plain[1], plain[0]))
    for words in [["--kernel", "nosuch"], ["--param", "nosuch=1"], ["--trip", "9=3"], ["--statistics"], ["--verbose", "--all"], ["--format", "json", "--gpu", "h200,a100"]]:
        wanted = run(folder, *words, "in")
        for turn in ["first", "second"]:
            same(f"{words} {turn}", cached(folder, *words, "in"), wanted)
    (folder / "file").write_text("")
    want("no folder", run(folder, "--cache", "file", "in"), 3, "file: ")
    want("empty", run(folder, "--cache", "", "in"), 2, "--cache: its value is empty")


def check_changes(folder):
    """Each change of what a finding rests on is seen; what it was before is still there."""
    (folder / "f.ptx").write_text(BAD)
    (folder / "launch.json").write_text('{"kernels": {"f": {"block": [32], "grid": [1]}}}')
    changes = [("f.cu", SOURCE.replace("{}", "", 1)), ("f.cu", SOURCE.replace("{}", " // ptxlint: ignore[COR101] known", 1)),
               ("f.cu", SOURCE.replace("{}", " // ptxlint: ignore[COR101,MEM201] known", 1)), (".ptxlint.yaml", "ignore: [COR101]\n"),
               (".ptxlint.yaml", "severity: {COR101: note}\n"), (".ptxlint.yaml", "per-kernel-ignore: {f: [COR101]}\n"),
               (".ptxlint.yaml", "per-kernel-ignore: {f: [COR101, MEM201]}\n"), (".ptxlint.yaml", "launch: launch.json\n"),
               ("launch.json", '{"kernels": {"f": {"block": [64], "grid": [2]}}}'), ("launch.json", '{"kernels": {"f": {"params": [1, 2, 3]}}}'),
               ("f.ptx.launch.json", '{"kernels": {"f": {"block": [96]}}}'), ("f.ptx", BAD.replace("%r1;", "7;"))]
    for name, text in changes:
        (folder / name).write_text(text.replace("{{", "{").replace("}}", "}") if name == "f.cu" else text)
        for words in (["f.ptx"], ["--format", "json", "f.ptx"]):
            wanted = run(folder, *words)
            for turn in ["first", "second"]:
                same(f"{name} {text[-40:]!r} {words} {turn}", cached(folder, *words), wanted)


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    for ptx in NAMES:
        (here / "in" / ptx).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "testdata/ptx" / ptx, here / "in" / ptx)
    run(here, "--format", "json=whole.json", "in")
    check_merge(here)
    check_slips(here)
    said = check_parallel(here)
    check_cache(here)
    check_changes(here)
print("\n".join(problems[:20]) or f"as one run, {said}")
sys.exit(1 if problems else 0)
