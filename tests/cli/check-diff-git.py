#!/usr/bin/env python3
"""check-diff-git.py PTXLINT -- `ptxlint diff --git BASE -- COMMAND`: both sides are built, and no worktree is left, whatever happens."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PTXLINT = str(pathlib.Path(sys.argv[1]).resolve())
KERNEL = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) .maxntid 128
{{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
{body}	st.global.u32 [%rd2], %r1;
	ret;
}}
"""
SLOW = "\tadd.s32 %r1, %r1, %r1;\n" * 40
MAKE = "#!/bin/sh\nset -e\ncase $1 in fail) exit 3;; wait) touch \"$2\"; sleep 20;; esac\nmkdir -p out\ncp kernel.txt out/k.ptx\necho made\n"
problems = []


def want(what, code, wanted, output, *texts):
    missing = [text for text in texts if text not in output]
    if code != wanted or missing:
        problems.append(f"{what}: exit {code}, not {wanted}; {missing}: {output[:400]}")


def is_clean(what):
    trees = subprocess.run(["git", "worktree", "list"], cwd=repository, capture_output=True, text=True, check=True).stdout
    if trees.count("\n") != 1 or list(temporary.iterdir()):
        problems.append(f"{what}: left {trees} {list(temporary.iterdir())}")


def diff(what, wanted, words, *texts, folder=None):
    done = subprocess.run([PTXLINT, "diff", *words], cwd=folder or repository / "src", capture_output=True, text=True, env=environment, check=False)
    want(what, done.returncode, wanted, done.stdout + done.stderr, *texts)
    is_clean(what)
    return done


with tempfile.TemporaryDirectory() as name:
    repository, temporary = pathlib.Path(name, "repository"), pathlib.Path(name, "temporary")
    (repository / "src").mkdir(parents=True)
    temporary.mkdir()
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(temporary), "HOME": name, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]

    def git(*words):
        subprocess.run(["git", *identity, *words], cwd=repository, env=environment, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (repository / "src/make.sh").write_text(MAKE)
    (repository / "src/kernel.txt").write_text(KERNEL.format(body=""))
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("branch", "topic")
    (repository / "src/kernel.txt").write_text(KERNEL.format(body=SLOW))
    git("commit", "-q", "-a", "-m", "two")

    done = diff("regression", 1, ["--git", "topic", "--tolerance", "instructions=5", "out", "--", "sh", "make.sh"], "k (out/k.ptx:4", "1 of 1 kernel regressed",
                "to accept it: ptxlint diff --git topic --tolerance", "out -- sh make.sh")
    if "made" in done.stdout or done.stderr.count("made") != 2:
        problems.append("what the command prints goes to standard error, for both sides")
    diff("the same", 0, ["--git", "main", "--", "sh", "make.sh"], "0 of 1 kernel regressed")
    (repository / "src/kernel.txt").write_text("changed")
    diff("not committed", 0, ["--git=main", "--", "sh", "make.sh"], "changes that are not committed")
    git("checkout", "-q", ".")
    diff("slip", 2, ["--git", "topci", "--", "sh", "make.sh"], "'topci' is no commit, branch or tag; did you mean topic?")
    diff("an option as a name", 2, ["--git", "--all", "--", "sh", "make.sh"], "is no commit")
    diff("fails", 3, ["--git", "topic", "--", "sh", "make.sh", "fail"], "sh: has failed in topic (", "with exit code 3")
    diff("no program", 2, ["--git", "topic", "--", "no-such-program"], "no-such-program: No such file")
    diff("makes nothing", 2, ["--git", "topic", "--", "true"], "topic (", "has no kernel: has the command made PTX there?")
    diff("no command", 2, ["--git", "topic"], "diff --git BASE -- COMMAND")
    diff("no repository", 2, ["--git", "topic", "--", "true"], "is in no git repository", folder=name)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        # a test that runs in the background may ignore them, and its children with it
        signal.signal(number, signal.SIG_DFL)
        begun = pathlib.Path(name, f"begun-{number}")
        process = subprocess.Popen([PTXLINT, "diff", "--git", "topic", "--", "sh", "make.sh", "wait", str(begun)], cwd=repository / "src", env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(400):
            if begun.exists():
                break
            time.sleep(0.01)
        process.send_signal(number)
        if process.wait(timeout=15) != -number:
            problems.append(f"{number}: {process.returncode}")
        is_clean(f"signal {number}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
