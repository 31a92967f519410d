#!/usr/bin/env python3
"""check-containers.py PTXLINT [sanitized] -- PTX inside of what compilers write: every command that takes a PATH, and with nvcc its objects anew.

The samples are those of tools/make-containers.sh. Without nvcc its part is skipped, which the last line says.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "testdata/containers"
PTXLINT = str(pathlib.Path(sys.argv[1]).resolve())
PLACE = "librow.so!1.sm_80.ptx"
LAUNCH = ["--grid", "64", "--block", "256", "--kernel", "column"]
problems = []


def run(*words, folder=SAMPLES, given=None):
    return subprocess.run([PTXLINT, *words], cwd=folder, input=given, capture_output=True, check=False)


def want(what, done, code, *texts):
    """Texts are in what was printed; those that begin with `not ` are not."""
    said = (done.stdout + done.stderr).decode(errors="replace")
    missing = [t for t in texts if (t[4:] in said if t.startswith("not ") else t not in said)]
    if done.returncode != code or missing:
        problems.append(f"{what}: exit {done.returncode}, not {code}; {missing}: {said[:300]}")


def check_formats():
    for name in ("oneline", "json", "jsonl", "github", "gitlab", "checkstyle", "junit", "rdjson", "rdjsonl", "csv"):
        primary = ["--primary", "ptx"]
        want(name, run("--format", name, "--all", *primary, "librow.so"), 0, PLACE, "librow.so!2.sm_90a.ptx")
    want("CUDA line", run("--all", "--primary", "source", "--format", "oneline", "librow.so"), 0, "column.cu:4:")
    sarif = json.loads(run("--all", "--format", "sarif", "--primary", "ptx", "librow.so").stdout)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in sarif["runs"][0]["results"]}
    if PLACE.replace("!", "%21") not in uris:
        problems.append(f"sarif: {sorted(uris)}")


def check_commands():
    want("jobs", run("--all", "--jobs", "8", "--format", "oneline", "librow.a"), 0, "librow.a!2.sm_90a.ptx:")
    if run("--all", "--jobs", "8", "librow.a").stdout != run("--all", "--jobs", "1", "librow.a").stdout:
        problems.append("jobs: another order")
    want("report", run("report", "--details", "librow.so"), 0, "kernel column(float*, float)", "kernel row(float*)")
    want("tune", run("tune", *LAUNCH, PLACE), 0, "column")
    want("rank", run("rank", *LAUNCH, "column.o"), 0, "column.o!1.sm_80.ptx", "column.o!2.sm_90a.ptx")
    want("diff", run("diff", "column.o", "column.none.fatbin"), 0, "0 of 2 kernels regressed, 2 the same")
    want("standard input", run("--all", "--format", "oneline", "-", given=(SAMPLES / "librow.so.xz").read_bytes()), 0, "-!1.sm_80.ptx:")
    want("fix", run("fix", "librow.so"), 3, "it is in a container; `ptxlint extract` takes it out")
    want("no entry", run("librow.so!7.sm_80.ptx"), 3, "no such entry")
    want("too much", run("--max-unpacked", "1", "row.ptx.gz"), 0)
    want("slip", run("--max-unpacked", "x", "row.ptx.gz"), 2, "'x' is not a whole number of MiB")


def check_without_ptx():
    for name, text in {"row.cubin": "`nvcc -ptx -lineinfo`", "cubins.fatbin": "-gencode arch=compute_90,code=compute_90", "tile.fatbin": "Tile IR",
                       "lto.o": "link-time optimization"}.items():
        want(name, run(name, "column.o"), 3, f"{name}: holds", text)
    want("folder", run("--format", "oneline", "--all", "."), 0, "4 files here have GPU code but no PTX", "./librow.a!1.sm_80.ptx:",
         "not librow.so.xz", "not SYN")


def check_text(folder):
    (folder / "notes.txt").write_text("".join(f"word {i} of {{ a text ;\n" for i in range(50)))
    done = run("notes.txt", folder=folder)
    want("text", done, 1, "this is not PTX: ", "more errors follow", "6 errors")


def check_extract(folder):
    so = str(SAMPLES / "librow.so")
    names = [f"librow.so.{i}.{arch}.ptx" for i, arch in enumerate(("sm_80", "sm_90a", "sm_80", "sm_90a"), 1)]
    want("extract", run("extract", "-o", "out", so, folder=folder), 0, *(f"out/{name}" for name in names))
    want("extracted", run("--all", "--format", "oneline", "out", folder=folder), 0, "out/librow.so.1.sm_80.ptx:")
    want("again", run("extract", "-o", "out", so, folder=folder), 2, "is there already; --force replaces it")
    (folder / "out" / names[0]).unlink()
    os.symlink(folder / "victim", folder / "out" / names[0])
    want("forced", run("extract", "-o", "out", "--force", so, folder=folder), 0)
    if (folder / "victim").exists() or (folder / "out" / names[0]).is_symlink():
        problems.append("extract: a link was followed")
    want("one", run("extract", so + "!3.sm_80.ptx", folder=folder), 0, "./librow.so.3.sm_80.ptx")
    want("packed", run("extract", str(SAMPLES / "row.ptx.xz"), folder=folder), 0, "./row.ptx\n")
    want("list", run("extract", "--list", so), 0, "sm_90a    9.0", "zstd", "librow.so!4.sm_90a.ptx", "and 2 of machine code")
    want("PTX", run("extract", "out/" + names[1], folder=folder), 2, "is in no container")
    want("two", run("extract", so, so), 2, "extract takes one FILE")


def check_nvcc(nvcc, folder):
    """One front-end run; what differs from there on is packing and the object."""
    def tool(*words):
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    source, gencode = folder / "k.cu", "-gencode=arch=compute_80,code=compute_80"
    source.write_text("__global__ void k(float *x) { x[threadIdx.x * 32] = 1; }\nint main() { k<<<1, 32>>>(nullptr); }\n")
    tool(nvcc, "-ptx", "-arch=compute_80", "k.cu")
    fatbinary = shutil.which("fatbinary", path=os.path.dirname(nvcc))
    for mode in ("default", "size", "speed", "balance", "none"):
        tool(fatbinary, f"--create={mode}.fatbin", "-64", f"--compress-mode={mode}", "--image3=kind=ptx,sm=80,file=k.ptx")
        want(mode, run("--all", "--format", "oneline", f"{mode}.fatbin", folder=folder), 0, f"{mode}.fatbin!1.sm_80.ptx:", "MEM201")
    tool(nvcc, gencode, "-lineinfo", "k.cu", "-o", "program")
    tool("strip", "program")
    tool(nvcc, gencode, "-dc", "k.cu", "-o", "rdc.o")
    for name in ("program", "rdc.o"):
        want(name, run("--all", "--primary", "ptx", "--format", "oneline", name, folder=folder), 0, f"{name}!1.sm_80.ptx:", "MEM201")


check_formats()
check_commands()
check_without_ptx()
for check in (check_text, check_extract):
    with tempfile.TemporaryDirectory() as where:
        check(pathlib.Path(where))
compiler = shutil.which("nvcc") or shutil.which("nvcc", path=os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin")
if compiler and "sanitized" not in sys.argv:
    with tempfile.TemporaryDirectory() as where:
        check_nvcc(compiler, pathlib.Path(where))
print(*problems, sep="\n")
if not problems and not compiler:
    print("skipped: what nvcc writes anew, since there is no nvcc")
sys.exit(1 if problems else 0)
