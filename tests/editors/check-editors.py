#!/usr/bin/env python3
"""check-editors.py EDITOR PTXLINT -- vim, nvim or emacs with what editors/ has for it, on sample.ptx. Exits with 77 where there is no such
editor."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAMPLE = HERE / "sample.ptx"
SYNTAX = ["words ptxComment", "entry ptxDirectiveName", "u64 ptxTypeName", "ld ptxOpcode", "param ptxModifier", "%rd1 ptxRegister", "%tid ptxSpecial",
          "mvo ptxInstruction", "0x10 ptxNumber", "Loop ptxLabel", "@ ptxGuard"]
QUICKFIX = ["filetype ptx, compiler ptxlint", "12:2 e [SYN401]", "17:2 w [HYG108]", "18:2 n [THR103]", *SYNTAX]
FLYMAKE = ["12 :error [SYN401]", "17 :warning [HYG108]", "18 :note [THR103]", "// words font-lock-comment-face", ".entry font-lock-preprocessor-face",
           "mov. font-lock-keyword-face", ".u32 font-lock-type-face", "%tid.x font-lock-constant-face", "%r2 font-lock-variable-name-face", "mvo. nil",
           "Loop font-lock-function-name-face", "ret font-lock-keyword-face"]


def run(words, folder, ptxlint):
    """In a home of its own, with ptxlint in the path."""
    home = pathlib.Path(folder)
    env = {"PATH": f"{pathlib.Path(ptxlint).resolve().parent}:{os.environ['PATH']}", "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder,
           "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8", "SAMPLE": str(SAMPLE), "RESULT": str(home / "result"),
           "SERVER": str(HERE / "stub_server.py")}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    written = home / "result"
    text = written.read_text(encoding="utf-8") if written.exists() else done.stdout
    if done.returncode or not text:
        print(done.stdout, done.stderr, sep="\n")
    return text.splitlines()


def vim(folder, ptxlint):
    plugin = ROOT / "editors/vim"
    words = ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "--cmd", f"set runtimepath^={plugin}", "-c", "filetype plugin on", "-c", "syntax on",
             "-S", str(HERE / "quickfix.vim")]
    return run(words, folder, ptxlint), QUICKFIX


def nvim(folder, ptxlint):
    plugin = ROOT / "editors/vim"
    common = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set runtimepath^={plugin}", "-c", "filetype plugin on", "-c", "syntax on"]
    got = run([*common, "-S", str(HERE / "quickfix.vim")], folder, ptxlint)
    got += run([*common, "-c", f"luafile {HERE / 'attach.lua'}"], folder, ptxlint)
    return got, QUICKFIX + ["filetype ptx", 'ptx {"gpu": "h200"}', f"ptxlint {ROOT.name}"]


def emacs(folder, ptxlint):
    shutil.copy(ROOT / "editors/emacs/ptx-mode.el", folder)
    words = ["emacs", "-Q", "--batch", "-l", str(HERE / "flymake.el"), folder, str(pathlib.Path(ptxlint).resolve()), str(SAMPLE)]
    return run(words, folder, ptxlint), FLYMAKE


def main():
    editor, ptxlint = sys.argv[1:]
    if not shutil.which(editor):
        print(f"skipped: there is no {editor}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        got, wanted = globals()[editor](folder, ptxlint)
    for line in wanted:
        if line not in got:
            print(f"{editor}: lacks: {line}")
    for line in got:
        if line not in wanted:
            print(f"{editor}: is too much: {line}")
    sys.exit(got != wanted)


main()
