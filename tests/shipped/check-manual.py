#!/usr/bin/env python3
"""check-manual.py PTXLINT -- the manual page: mandoc has nothing to say about it, and it has each command and option of --help."""
import re

from kit import PTXLINT, expect, finish, need, problems, run

need("mandoc")
page = run(PTXLINT, "manual").stdout
expect("mandoc -T lint", run("mandoc", "-T", "lint", "-W", "all", input=page).stdout, "")
shown = re.sub(".\b", "", run("mandoc", "-T", "utf8", "-O", "width=200", input=page).stdout)
help_text = run(PTXLINT, "--help").stdout
commands = re.findall(r"^  ([a-z]+)  ", help_text.split("COMMANDS\n")[1].split("\nEXAMPLES")[0], re.M)
if len(commands) < 10:
    problems.append(f"--help lists {commands} only")
for command in commands:
    part = shown.split(f"\n   ptxlint {command}")[-1].split("\n   ptxlint ")[0]
    for option in re.findall(r"^\s+(--[a-z-]+)", run(PTXLINT, command, "--help").stdout, re.M):
        if not re.search(rf"^\s+{option}\b", part, re.M):
            problems.append(f"ptxlint {command}: the page lacks {option}")
finish()
