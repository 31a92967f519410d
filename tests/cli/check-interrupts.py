#!/usr/bin/env python3
"""check-interrupts.py PTXLINT FILE - inputs and outputs that are no plain files, and an end in the
middle: what was there stays as it was, nothing is left beside it, exit codes are as documented."""
import os
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
INTERRUPTS = 6


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


def check_interrupt(program, folder, command, path):
    out = os.path.join(folder, "out")
    arguments = [program, *command, "--no-config", "--format", "json", "--output", out, path]
    begin = time.monotonic()
    subprocess.run(arguments, check=False, stderr=subprocess.DEVNULL)
    whole, done = time.monotonic() - begin, open(out).read()
    for n in range(INTERRUPTS):
        with open(out, "w") as file:
            file.write("old")
        process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        time.sleep(whole * (n + 0.5) / INTERRUPTS)
        process.send_signal(signal.SIGINT)
        process.wait()
        assert open(out).read() in ("old", done), "%s: neither what was there nor all" % command
        assert process.returncode in (0, 1) or open(out).read() == "old" or process.returncode == -signal.SIGINT
        assert os.listdir(folder) == ["out"], os.listdir(folder)


def main():
    program, path = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        check_large(program, folder)
        check_devices(program, folder, path)
    for command in (["check", "--all"], ["report"]):
        with tempfile.TemporaryDirectory() as folder:
            check_interrupt(program, folder, command, path)


main()
