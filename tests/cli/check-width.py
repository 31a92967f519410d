#!/usr/bin/env python3
"""check-width.py PTXLINT [COMMAND...]: on a terminal of 80 columns every text output fits. Quoted source lines, places and
single long words may run over; no number is cut, and rows of a table break where its heading does. With COMMAND, prints it."""
import fcntl, os, pty, re, struct, subprocess, sys, termios
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ["--gpu", "h200", "--grid", "1024", "--block", "256"]
TUNE = str(ROOT / "tests/cli/tune.ptx")
ROWS = str(ROOT / "tests/golden/MEM202-rows.ptx")
COMMANDS = [
    ["report", "--no-config", *LAUNCH, TUNE],
    ["report", "--no-config", "--gpu", "h200,a100,t4", "--grid", "1024", "--block", "256", TUNE],
    ["report", "--no-config", "--color", "always", *LAUNCH, TUNE],
    ["check", "--no-config", *LAUNCH, TUNE, ROWS],
    ["check", "--no-config", "--statistics", *LAUNCH, TUNE, ROWS],
    ["tune", "--no-config", "--gpu", "h200", "--grid", "1024", "--block", "256", TUNE],
    ["diff", "--no-config", ROWS, TUNE],
    ["diff", "--no-config", str(ROOT / "tests/compare/base.ptx"), str(ROOT / "tests/compare/unrolled.ptx")],
    ["rules", "--no-config"], ["rules", "--no-config", "--facts"], ["rules", "--no-config", "--select", "MEM201"],
    ["explain", "--no-config", "MEM201", "OCC103", "THR201"],
    ["gpu"], ["gpu", "h200", "a100", "t4"],
    ["isa"], ["isa", "--list"], ["isa", "ld", "mma", "cvt"],
    ["config", "--no-config", "show"],
]


def at_terminal(command, columns, **more):
    """What the command prints on a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"TERM": "dumb"} | more
    program = subprocess.Popen(command, stdout=its, stderr=subprocess.DEVNULL, env=env)
    os.close(its)
    out = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:                 # how Linux says that the other end is closed
            break
        if not part:
            break
        out += part
    os.close(ours)
    program.wait()
    return re.sub("\x1b\\[[0-9;]*m", "", out.decode("utf-8").replace("\r\n", "\n"))


def may_run_over(line, width):
    is_quoted = re.match(r"\s*(\d+\s*\||\||-->|:::)", line)
    return is_quoted or not " " in line.strip()[:width].split("  ")[-1] and len(line.split()) <= 2


def check(program, command, width, **more):
    faults = []
    folded = at_terminal([program, *command], width if "COLUMNS" not in more else 200, **more)
    plain = subprocess.run([program, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode("utf-8")
    plain = re.sub("\x1b\\[[0-9;]*m", "", plain)
    if folded.split() != plain.split():
        faults.append(f"{command}: other words than without a terminal")
    faults += [f"{command}: {len(line)} columns: {line}" for line in folded.split("\n")
               if len(line) > width and not may_run_over(line, width)]
    return faults


def main():
    program, *command = sys.argv[1:]
    program = str(Path(program).resolve())
    if command:
        print(at_terminal([program, *command], 80), end="")
        return 0
    os.chdir(ROOT)
    faults = [fault for command in COMMANDS for fault in check(program, command, 80)]
    faults += check(program, ["rules", "--no-config"], 60, COLUMNS="60")
    json = ["check", "--no-config", "--format", "json", *LAUNCH, ROWS]
    if len(at_terminal([program, *json], 80)) != len(subprocess.run([program, *json], stdout=subprocess.PIPE).stdout):
        faults.append("json is folded")
    print("\n".join(faults) or "fits")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
