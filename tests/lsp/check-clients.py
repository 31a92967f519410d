#!/usr/bin/env python3
"""check-clients.py PTXLINT neovim|eglot|npm -- a real client drives the server; skipped, with the reason, where there is none."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, WHICH = os.path.abspath(sys.argv[1]), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent
NPM = HERE.parents[1] / "tools/npm/node_modules"
# where Debian puts packages of Emacs, which -Q leaves out
ELPA = """(require 'package) (add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa") (package-initialize)"""
SAMPLE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
\t.reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
\tld.param.u64 %rd1, [p];
\t.loc 1 1 1
\tst.global.u32 [%rd1], %r1;
\tmov.f32 %f1, 0f3F800000;
\tst.global.f32 [%rd1], %f1;
\tret;
}
.file 1 "k.cu"
"""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def has_eglot():
    got = subprocess.run(["emacs", "-Q", "--batch", "--eval", f"(progn {ELPA} (require 'eglot))"], capture_output=True)
    return got.returncode == 0


def command(sample):
    if WHICH == "neovim":
        if not shutil.which("nvim"):
            skip("there is no neovim")
        return ["nvim", "--headless", "--clean", "-n", str(sample), "-c", f"luafile {HERE}/clients/neovim.lua", "-c", "cquit 3"]
    if WHICH == "eglot":
        if not shutil.which("emacs") or not has_eglot():
            skip("there is no Emacs with eglot")
        return ["emacs", "-Q", "--batch", "-l", str(HERE / "clients/eglot.el")]
    if not shutil.which("node") or not (NPM / "vscode-languageserver-protocol").is_dir():
        skip("npm ci --prefix tools/npm has not been run")
    return ["node", str(HERE / "clients/protocol.js"), PROGRAM, str(sample)]


WANTED = {
    "neovim": ["diagnostics COR101:9", "hover st.", "symbol k", "lens registers", "cuda lens k: 8 registers", "cuda hover Line 1: 4", "completion 1", "renamed %address1", "moved COR101:10", "ignored", "end"],
    "eglot": ["diagnostics (9", "hover t", "moved (10", "end"],
    "npm": ["encoding utf-8", "published 1", "cancelled -32800", "exit 0", "end"],
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        sample = pathlib.Path(folder, "k.ptx")
        sample.write_text(SAMPLE)
        pathlib.Path(folder, "k.cu").write_text("one\n")
        env = os.environ | {"PTXLINT": PROGRAM, "SAMPLE": str(sample), "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder,
                            "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder, "NODE_PATH": str(NPM)}
        got = subprocess.run(command(sample), cwd=folder, env=env, capture_output=True, text=True, timeout=110)
    said = (got.stdout + got.stderr).splitlines()
    missing = [w for w in WANTED[WHICH] if not any(line.startswith(w) for line in said)]
    empty = [line for line in said if line.endswith(" empty")]
    if got.returncode or missing or empty:
        print(got.stdout, got.stderr, f"exit {got.returncode}", f"missing: {missing}", f"empty: {empty}", sep="\n")
        sys.exit(1)


main()
