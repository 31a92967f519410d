#!/usr/bin/env python3
"""check-width.py PTXLINT [COMMAND...]: on a terminal of 80 columns every text output fits, and cells of tables stand below each
other; so does the help of every command, its descriptions in one column. Quoted source lines, places and
single long words may run over; no number is cut, and rows of a table break where its heading does. With COMMAND, prints it."""
import fcntl, os, pty, re, struct, subprocess, sys, termios
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ["--gpu", "h200", "--grid", "1024", "--block", "256"]
TUNE = str(ROOT / "tests/cli/tune.ptx")
TIMES = str(ROOT / "tests/cli/times.csv")
FIT, COPY = str(ROOT / "tests/cli/fit.csv"), str(ROOT / "tests/cli/copy.ptx")
ROWS = str(ROOT / "tests/golden/MEM202-rows.ptx")
LINES = str(ROOT / "testdata/ptx/saxpy.sm_90.lineinfo.ptx")
COMMANDS = [
    ["report", "--no-config", *LAUNCH, TUNE],
    ["report", "--no-config", "--gpu", "h200,a100,t4", "--grid", "1024", "--block", "256", TUNE],
    ["report", "--no-config", "--color", "always", *LAUNCH, TUNE],
    ["annotate", "--no-config", *LAUNCH, ROWS], ["annotate", "--no-config", "--source", *LAUNCH, LINES],
    ["report", "--no-config", "--details", *LAUNCH, ROWS, TUNE],
    ["check", "--no-config", *LAUNCH, TUNE, ROWS],
    ["check", "--no-config", "--statistics", *LAUNCH, TUNE, ROWS],
    ["tune", "--no-config", "--gpu", "h200", "--grid", "1024", "--block", "256", TUNE],
    ["rank", "--no-config", "--gpu", "h200,a100", "--grid", "1024", "--block", "256", TUNE],
    ["rank", "--no-config", "--gpu", "h200", "--grid", "1024", "--block", "256", TUNE, ROWS],
    ["optspace", "--no-config", "--gpu", "h200,a100", "--grid", "1024", "--block", "256", TUNE],
    ["occupancy", "--gpu", "h200,g80", "--registers", "30,31", "--shared", "0,2048"],
    ["occupancy", "--gpu", "h200", "--registers", "96", "--block", "16,16", "--shared", "20k"],
    ["verify", "--no-config", *LAUNCH, "--measured", TIMES, TUNE],
    ["calibrate", "--no-config", "--gpu", "h200", "--measured", FIT, COPY],
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


def cells_of(line):
    """[(begin, end)] of what two blanks or more separate."""
    return [m.span() for m in re.finditer(r"\S+(?: \S+)*", line)]


def misaligned(text):
    """Rows of which a cell lines up at neither end with that of the row before of as many cells and as far in, in one paragraph.
    Three cells or more are a table's; what the first one says may be longer or further in."""
    faults = []
    for paragraph in re.split(r"\n\s*\n", text):
        before = {}
        for line in paragraph.split("\n"):
            cells = [] if may_run_over(line, 0) else cells_of(line)
            if len(cells) < 3:
                continue
            key = len(cells), cells[0][0]
            # a number and a word behind it are one cell at the end of a row
            end = -1 if " " in line[slice(*cells[-1])] else None
            if any(a[0] != b[0] and a[1] != b[1] for a, b in zip(before.get(key, cells)[1:end], cells[1:end])):
                faults.append(line)
            before[key] = cells
    return faults


def unaligned_options(text):
    """Lines of a --help whose description begins in another column than the first one's."""
    column, faults = None, []
    for line in text.split("\n"):
        is_option = re.match(r"  (-\w,|   ) --\S", line)
        cells = cells_of(line)
        if not is_option and not re.match(r" {12,}\S", line) or is_option and len(cells) == 1:
            continue
        column = cells[-1][0] if column is None else column
        if cells[-1][0] != column:
            faults.append(line)
    return faults


def check_help(program):
    """The help of every command: within 80 columns, on a terminal or not, descriptions in one column."""
    faults = []
    summary = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True).stdout
    commands = re.findall(r"^  ([a-z]+) {2,}\S", summary.split("\nCOMMANDS\n")[1].split("\n\n")[0], re.M)
    if len(commands) < 12:
        faults.append(f"only {len(commands)} commands in --help")
    for command in [[], *([c] for c in commands)]:
        plain = subprocess.run([program, *command, "--help"], stdout=subprocess.PIPE, text=True).stdout
        for text in (plain, at_terminal([program, *command, "--help"], 80)):
            faults += [f"{command} --help: {len(line)} columns: {line}" for line in text.split("\n") if len(line) > 80]
            faults += [f"{command} --help: in another column: {line}" for line in unaligned_options(text)]
    return faults


def check(program, command, width, **more):
    faults = []
    folded = at_terminal([program, *command], width if "COLUMNS" not in more else 200, **more)
    plain = subprocess.run([program, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode("utf-8")
    plain = re.sub("\x1b\\[[0-9;]*m", "", plain)
    has_code = command[0] == "annotate"         # whose rows have no cell where a figure is not known
    if "\u2026" not in folded and not has_code and folded.split() != plain.split():
        faults.append(f"{command}: other words than without a terminal")
    faults += [f"{command}: not below the row before: {line}" for line in misaligned(folded) if not has_code]
    faults += [f"{command}: {len(line)} columns: {line}" for line in folded.split("\n")
               if len(line) > width and not may_run_over(line, width)]
    return faults


def check_optspace(program):
    """A row of known metrics is one line of 80 columns; a name is cut in its middle, and alone where it has to be."""
    text = subprocess.run([program, "optspace", "--no-config", *LAUNCH, ROWS, TUNE], stdout=subprocess.PIPE, text=True).stdout
    rows = [line for line in text.split("\n") if re.match(r"[* ] +\d", line)]
    faults = [f"optspace: {line}" for line in rows if len(line) > 80 or not re.search(r"(us|-)  \S", line)]
    wanted = ["cli/tune.ptx: stencil", "cli/tune.... block_sum"]
    return faults + [f"optspace: no row of {name}" for name in wanted if not any(line.endswith("  " + name) for line in rows)]


def main():
    program, *command = sys.argv[1:]
    program = str(Path(program).resolve())
    if command:
        print(at_terminal([program, *command], 80), end="")
        return 0
    os.chdir(ROOT)
    faults = [fault for command in COMMANDS for fault in check(program, command, 80)]
    faults += check_help(program)
    faults += check(program, ["rules", "--no-config"], 60, COLUMNS="60")
    faults += check_optspace(program)
    json = ["check", "--no-config", "--format", "json", *LAUNCH, ROWS]
    if len(at_terminal([program, *json], 80)) != len(subprocess.run([program, *json], stdout=subprocess.PIPE).stdout):
        faults.append("json is folded")
    print("\n".join(faults) or "fits")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
