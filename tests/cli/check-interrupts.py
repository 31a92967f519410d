#!/usr/bin/env python3
"""check-interrupts.py PTXLINT FILE [TIMES] - inputs and outputs that are no plain files, and an end in the
middle: what was there stays as it was, nothing is left beside it, exit codes are as documented."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

KERNEL = ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k() {\n%s\nret;\n}\n"
# name, declarations, statements, exit codes of check and report
LARGE = [
    ("array", ".global .b8 a[2147483648];\n.global .b64 b[4294967296][4294967296];\n", "", 0, 0),
    ("registers", "", ".reg .b32 %r<4294967295>;\nmov.u32 %r4294967294, 1;", 0, 0),
    ("count", "", ".reg .b32 %r<99999999999999999999>;", 1, 0),
    ("nests", "", "{" * 3000 + "}" * 3000, 3, 3),
    ("loops", "", ".reg .pred %p;\n" + "".join("L%d:\n" % n for n in range(500)) + "setp.eq.u32 %p, 0, 0;\n"
     + "".join("@%%p bra L%d;\n" % (499 - n) for n in range(500)), 0, 0),
]
INTERRUPTS = int((sys.argv[3:] or ["3"])[0])
COMMANDS = """check --all --no-config --format json --output out a.ptx
check --all --no-config --format json=out --format sarif=new --format github=more a.ptx
check --no-config --jobs 2 --fix dead.ptx
report --no-config --format html=out --format json=new a.ptx
fix --no-config dead.ptx
baseline --no-config --baseline known.json write a.ptx dead.ptx
budget --output out init a.ptx
tune --grid 4096 --block 256 --format json=out --format text=new a.ptx
rank --grid 4096 --block 256 --output out a.ptx
recognize --format json=out a.ptx
annotate --output out a.ptx
diff --format html=out a.ptx dead.ptx"""


def run(*args, **more):
    return subprocess.run(args, stdout=more.pop("out", subprocess.DEVNULL), stderr=subprocess.PIPE, timeout=60, **more)


def check_large(program, folder):
    for name, declarations, statements, *wanted in LARGE:
        path = os.path.join(folder, name + ".ptx")
        with open(path, "w") as file:
            file.write(KERNEL % (declarations, statements))
        for command, code in zip(("check", "report"), wanted):
            got = run(program, command, "--no-config", path)
            assert got.returncode == code, "%s %s: %s %s" % (command, name, got.returncode, got.stderr)


def check_many(program, folder):
    """As many functions as a file of some MB may have take memory and time as their number."""
    path = os.path.join(folder, "many.ptx")
    with open(path, "w") as file:
        file.write(".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(".func f%d(){}\n" % n for n in range(100000)))
    for command in ("check", "recognize"):
        process = subprocess.Popen([program, command, "--no-config", path], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, "%s: exit %d" % (command, process.returncode)
        assert used.ru_maxrss < 600000 and used.ru_utime < 8, "%s: %d KB, %.1f s" % (command, used.ru_maxrss, used.ru_utime)


def check_devices(program, folder, path):
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    feeder = threading.Thread(target=lambda: open(fifo, "w").write(KERNEL % ("", "")))
    feeder.start()
    assert run(program, "report", "--no-config", fifo).returncode == 0
    feeder.join()
    if os.path.exists("/dev/full"):
        for command in ("check", "report"):
            got = run(program, command, "--no-config", "--format", "json", path, out=open("/dev/full", "w"))
            assert got.returncode == 3 and b"No space" in got.stderr, "%s %s" % (command, got)


def contents(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return found


def begin(program, words, path):
    """A folder with what the command may change, and the command at work in it."""
    folder = tempfile.TemporaryDirectory()
    os.mkdir(os.path.join(folder.name, "tmp"))
    shutil.copy(path, os.path.join(folder.name, "a.ptx"))
    for name, text in (("dead.ptx", KERNEL % ("", ".reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\n")), ("out", "old"), ("known.json", "old")):
        with open(os.path.join(folder.name, name), "w") as file:
            file.write(text)
    before = contents(folder.name)
    environment = dict(os.environ, TMPDIR=os.path.join(folder.name, "tmp"))
    return folder, before, subprocess.Popen([program, *words], cwd=folder.name, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check_interrupt(program, command, path):
    """At moments spread over the time that it takes."""
    words, start = command.split(), time.monotonic()
    folder, before, process = begin(program, words, path)
    code, took = process.wait(), time.monotonic() - start
    whole = contents(folder.name)
    assert code in (0, 1) and whole != before, "%s: exit %s, nothing is written" % (command, code)
    for n in range(INTERRUPTS):
        folder, before, process = begin(program, words, path)
        time.sleep(took * (n + 0.5) / INTERRUPTS)
        process.send_signal(signal.SIGINT)
        code, now = process.wait(), contents(folder.name)
        assert code in (0, 1, -signal.SIGINT), "%s: exit %s" % (command, code)
        for name in now.keys() | before.keys() | whole.keys():
            assert now.get(name) in (before.get(name), whole.get(name)), "%s: %s is neither what was there nor whole" % (command, name)
            assert code < 0 or now.get(name) == whole.get(name), "%s: %s is not written, exit %s" % (command, name, code)


def main():
    program, path = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        check_large(program, folder)
        check_many(program, folder)
        check_devices(program, folder, path)
    signal.signal(signal.SIGINT, signal.SIG_DFL)        # a shell may have it ignored
    for command in COMMANDS.split("\n"):
        check_interrupt(program, command, path)


main()
