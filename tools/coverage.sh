#!/bin/sh
# coverage.sh [MESON-TEST-ARGUMENT...] -- how much of src/ the tests run: a table of lines and branches by folder, on standard output, as docs/fuzzing.md
# has it. Builds in build-coverage/ without optimisation, runs the tests named, or all but those of suite once, and asks gcovr.
# Branches of asserts and of code that never runs (gcc's guess) are left out.
set -eu
cd "$(dirname "$0")/.."

./tools/setup.sh gcovr >&2
[ -f build-coverage/build.ninja ] ||
    meson setup build-coverage --buildtype=custom -Doptimization=0 -Ddebug=false -Db_lto=false -Db_coverage=true >&2
ninja -C build-coverage >&2
find build-coverage -name '*.gcda' -delete
[ $# -gt 0 ] || set -- --no-suite once
meson test -C build-coverage --timeout-multiplier 20 "$@" >&2 || echo 'coverage: some tests failed' >&2

gcovr --root . --filter src/ --exclude-unreachable-branches --exclude-throw-branches --json-summary - build-coverage |
    python3 -c '
import collections, json, pathlib, sys
rows = collections.defaultdict(lambda: [0, 0, 0, 0])
for file in json.load(sys.stdin)["files"]:
    for name in (str(pathlib.PurePath(file["filename"]).parent), "all"):
        for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
            rows[name][i] += file[key]
share = lambda a, b: f"{100 * a / b:.1f}" if b else "-"
print("| folder | lines | % run | branches | % taken |\n| --- | ---: | ---: | ---: | ---: |")
for name, (lines, all_lines, branches, all_branches) in sorted(rows.items()):
    print(f"| {name} | {all_lines} | {share(lines, all_lines)} | {all_branches} | {share(branches, all_branches)} |")
'
