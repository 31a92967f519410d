"""read_sources.py BUILD -- reads what a build directory of clang's has not compiled, each file with its own command, for warnings only.

Objects that are there have been compiled without a warning; the rest costs a fraction of it so. Exit code 1: there was a warning."""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

CODE_ONLY = ("-fsanitize", "-M", "-g", "-O")    # options that say what code is made, not what is read


def command_of(entry):
    words = shlex.split(entry["command"])
    out = words.index("-o")
    del words[out:out + 2]
    words = [word for i, word in enumerate(words)
             if not word.startswith(CODE_ONLY) and words[i - 1] not in ("-MF", "-MQ")]
    return [word for word in words if word != "-c"] + ["-fsyntax-only"]


def read(entry):
    return subprocess.run(command_of(entry), cwd=entry["directory"], check=False).returncode == 0


def main(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    # A source that a program makes is not there where nothing that is compiled asked for it.
    entries = [entry for entry in entries if os.path.exists(os.path.join(entry["directory"], entry["file"]))]
    rest = [entry for entry in entries if not os.path.exists(os.path.join(build, entry["output"]))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(read, rest))
    print(f"{len(rest)} of {len(entries)} files were read only, {results.count(False)} with warnings")
    return results.count(False) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
