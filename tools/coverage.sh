#!/bin/sh
# coverage.sh [--table | TEST...] -- how much of src/ the tests run: a table of lines and branches by folder, on standard output, as
# docs/fuzzing.md has it. Builds in build-coverage/ (or $COVERAGE_BUILD) without optimisation, runs the tests named, or all but those of the
# tree itself, each for at most $COVERAGE_SECONDS (180), and asks gcovr. tests.tsv there says what ran (name, seconds, exit code), so that a
# run that was cut off goes on where it was; a changed source begins anew. --table runs nothing.
# A test that is cut counts by those of its programs that ended. Branches of asserts and of code that never runs (gcc's guess) are left out.
set -eu
cd "$(dirname "$0")/.."

build=${COVERAGE_BUILD:-build-coverage}
ran=$build/tests.tsv

prepare() {
    [ -f "$build/build.ninja" ] ||
        meson setup "$build" --buildtype=custom -Doptimization=0 -Ddebug=false -Db_lto=false -Db_coverage=true >&2
    if ! ninja -n -C "$build" all meson-test-prereq | grep -q 'no work to do'; then
        ninja -C "$build" all meson-test-prereq >&2
        find "$build" -name '*.gcda' -delete
        rm -f "$ran"
    fi
    touch "$ran"
}

# NAME BUILD LIST -- each has a log of its own, so that several may run at once.
run_test='
    cut -f 1 "$3" | grep -qxF "$1" && exit
    code=0 began=$(date +%s)
    timeout -k 5 "${COVERAGE_SECONDS:-180}" meson test -C "$2" --no-rebuild --logbase "coverage-$1" --timeout-multiplier 0 "$1" >/dev/null 2>&1 </dev/null || code=$?
    printf "%s\t%s\t%s\n" "$1" $(($(date +%s) - began)) "$code" >>"$3"'

run_tests() {
    prepare
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
    else
        meson test -C "$build" --no-rebuild --list --no-suite house 2>/dev/null | sed 's|.* / ||'
    fi | xargs -P "$(nproc)" -I{} sh -c "$run_test" run {} "$build" "$ran"
}

./tools/setup.sh gcovr >&2
if [ "${1-}" = --table ]; then shift; else run_tests "$@"; fi
awk -F '\t' '{ n++; s += $2 } $3 { f = f " " $1 (($3 == 124 || $3 == 137) ? " (cut)" : "") }
             END { print "coverage: " n " tests, " s " s; failed or cut:" (f ? f : " none") }' "$ran" >&2

gcovr --root . --filter src/ --exclude-unreachable-branches --exclude-throw-branches --gcov-ignore-parse-errors --json-summary - "$build" |
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
