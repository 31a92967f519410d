"""check_wheel.py BUILT -- the wheel in a virtual environment.

It installs, imports, runs, and needs nothing of the system but glibc.
"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTX = ROOT / "testdata/ptx/saxpy.sm_90.ptx"
SKIPPED = 77
GLIBC = re.compile(r"linux-vdso|ld-linux|lib(?:c|m|pthread)\.so")
PROGRAM = """
import ptxlint, sys
assert not ptxlint._load.library()._name.startswith("lib"), "not the library of the wheel"
print(ptxlint.estimate_ptx(open(sys.argv[1]).read(), "saxpy", 16384, 256, gpu="h200").predicted_us)
"""


def run(*command):
    # without the variables of the caller: the wheel stands alone
    done = subprocess.run([str(one) for one in command], env={"PATH": "/usr/bin:/bin"}, cwd="/",
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def check(folder):
    wheel = run(sys.executable, "-B", ROOT / "tools/make_wheel.py", sys.argv[1], folder).strip()
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv/bin"
    run(programs / "python", "-m", "pip", "install", "--no-index", "--no-deps", "-q",
        "--disable-pip-version-check", wheel)
    version = run(programs / "ptxlint", "--version")
    assert version.startswith("ptxlint 0.1.0"), version
    assert run(programs / "python", "-m", "ptxlint", "--version") == version
    assert float(run(programs / "python", "-c", PROGRAM, PTX)) > 0
    package, = (folder / "venv/lib").glob("python3*/site-packages/ptxlint")
    # with what their libraries need: these look for it nowhere themselves, and find it loaded
    for binary in [package / "ptxlint", *package.glob("libptxlint.so*")]:
        for line in run("ldd", binary).splitlines():
            assert GLIBC.search(line) or str(package) in line, f"{binary.name}: {line}"


if not importlib.util.find_spec("ensurepip"):
    print("skipped: there is no ensurepip (Debian: python3-venv)")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as temporary:
    check(pathlib.Path(temporary))
