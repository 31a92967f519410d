#!/usr/bin/env python3
"""check-completions.py PTXLINT SHELL -- what the real shell offers behind some beginnings of a command line."""
import os
import pty
import select
import sys
import tempfile
import time

from kit import PTXLINT, finish, need, problems, run

shell = sys.argv[2]
need(shell)
# What is typed, and what must be, and must not be, among the words that are offered for the last one.
CASES = [
    (["rep"], ["report"], ["rules"]),
    (["--form"], ["--format"], ["--facts"]),
    (["--format", "sa"], ["sarif"], ["csv"]),
    (["report", "--format", ""], ["text", "json", "csv"], ["sarif"]),
    (["report", "--gr"], ["--grid"], ["--gpu"]),
    (["--gpu", "h2"], ["h200"], ["a100"]),
    (["explain", "THR10"], ["THR101", "THR102"], ["COR101"]),
    (["schema", "rep"], ["report"], ["rules"]),
    (["config", "s"], ["show"], ["init"]),
]


def offers_bash(script, words):
    typed = " ".join(f"'{word}'" for word in words)
    return run("bash", "--norc", "-c", f"source {script}; COMP_WORDS=(ptxlint {typed}); COMP_CWORD={len(words)}; _ptxlint; "
                                       "printf '%s\\n' \"${COMPREPLY[@]}\"").stdout.split("\n")


def offers_fish(script, words):
    lines = run("fish", "--no-config", "-c", f"source {script}; complete -C 'ptxlint {' '.join(words)}'").stdout.splitlines()
    return [line.split("\t")[0] for line in lines]


class Zsh:
    """zsh completes at a terminal alone."""

    def __init__(self, script):
        pid, self.terminal = pty.fork()
        if not pid:
            os.execvpe("zsh", ["zsh", "-f"], os.environ | {"TERM": "dumb", "COLUMNS": "400"})
        self.say(f"unsetopt zle_bracketed_paste; PS1='> '; autoload -U compinit; compinit -D -u; source {script}; "
                 "zstyle ':completion:*' list-prompt ''; LISTMAX=10000; stty columns 400 rows 200; bindkey '^T' list-choices; print rea''dy\n", "ready")

    def say(self, text, until, seconds=20):
        os.write(self.terminal, text.encode())
        got, end = "", time.monotonic() + seconds
        while until not in got and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                got += os.read(self.terminal, 65536).decode(errors="replace")
        return got

    def offers(self, words):
        got = self.say("ptxlint " + " ".join(words) + "\x14\x15print don''e\n", "done")
        return got.replace("=", " ").split()


with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
    file.write(run(PTXLINT, "completions", shell).stdout)
    file.flush()
    ask = {"bash": lambda words: offers_bash(file.name, words), "fish": lambda words: offers_fish(file.name, words)}.get(shell)
    ask = ask or Zsh(file.name).offers
    for typed_words, wanted, unwanted in CASES:
        offered = ask(typed_words)
        for word in wanted:
            if word not in offered:
                problems.append(f"ptxlint {' '.join(typed_words)}: {word} is not offered, but {offered[:12]}")
        for word in unwanted:
            if word in offered:
                problems.append(f"ptxlint {' '.join(typed_words)}: {word} is offered")
finish()
