#!/usr/bin/env python3
"""check-pre-commit.py PTXLINT -- pre-commit itself runs the hook of .pre-commit-hooks.yaml on the PTX files of a repository, and on no others."""
import os
import pathlib
import shutil
import tempfile

from kit import PTX, PTXLINT, ROOT, expect, finish, need, run

need("pre-commit", "git")
with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    environment = os.environ | {"PATH": f"{PTXLINT.parent}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(home / "cache"), "HOME": str(home),
                                "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x",
                                "GIT_CONFIG_KEY_1": "user.email", "GIT_CONFIG_VALUE_1": "x@example.org"}

    def do(*words):
        return run(*words, cwd=home / "user", env=environment)

    for name in ("hooks", "user"):
        (home / name).mkdir()
        run("git", "init", "-q", cwd=home / name, env=environment)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", home / "hooks")
    shutil.copytree(ROOT / "contrib/pre-commit", home / "hooks/contrib/pre-commit")
    run("git", "add", "-A", cwd=home / "hooks", env=environment)
    run("git", "commit", "-qm", "hooks", cwd=home / "hooks", env=environment)
    revision = run("git", "rev-parse", "HEAD", cwd=home / "hooks").stdout.strip()
    (home / "user/.pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {home}/hooks\n  rev: {revision}\n  hooks:\n  - id: ptxlint\n    args: [--select, COR, --format, oneline]\n")
    (home / "user/a.ptx").write_text(PTX)
    (home / "user/a.txt").write_text(PTX)
    do("git", "add", "-A")
    got = do("pre-commit", "run", "--all-files")
    expect("a bad file", (got.returncode, got.stdout.count("SYN401"), "a.txt" in got.stdout), (1, 1, False))
    (home / "user/a.ptx").write_text(PTX.replace("\tbogus.u32 1, 2;\n", "\tret;\n"))
    do("git", "add", "-A")
    got = do("pre-commit", "run", "--all-files")
    expect(f"a good file: {got.stdout}", (got.returncode, "Passed" in got.stdout), (0, True))
    # a file whose name is an option that runs a program
    (home / "ptxas").write_text(f"#!/bin/sh\ntouch {home}/ran\n")
    (home / "ptxas").chmod(0o755)
    environment["PATH"] = f"{home}:{environment['PATH']}"
    for name in ("--ptxas=.ptx", "--ptxas"):
        (home / "user" / name).write_text(PTX)
    do("git", "add", "-A", "--", ".")
    got = do("pre-commit", "run", "--all-files")
    expect(f"a file named like an option: {got.stdout}", (got.returncode, "--ptxas=.ptx:" in got.stdout), (1, True))
    expect("a program named by a file's name", (home / "ran").exists(), False)
finish()
