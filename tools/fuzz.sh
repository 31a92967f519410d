#!/bin/bash
# fuzz.sh BUILD WORK SECONDS [TARGET...] -- runs each fuzz target of a build by clang (docs/fuzzing.md) for so many seconds, one after the
# other, with what was found before in WORK/TARGET; inputs that fail lie in WORK. Adds a row a target to WORK/runs.tsv: target, seconds
# of processor time, executions, inputs kept, inputs that failed. WORK/runs.tsv is summed in the end.
set -eu

build=$1 work=$2 seconds=$3
shift 3
[ $# -gt 0 ] || set -- module report recognize flow settings rules compare mcp lsp edits input
here=$(cd "$(dirname "$0")/.." && pwd)
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

corpus_of() {
    case $1 in
    module | report | recognize | flow) echo "$here/tests/fuzz/corpus" ;;
    *) echo "$here/tests/fuzz/$1" ;;
    esac
}

stat_of() {
    sed -n "s/^stat::$1: *//p" "$2"
}

for target; do
    mkdir -p "$work/$target"
    log=$work/$target.log
    touch "$work/begun"
    TIMEFORMAT='%U %S'
    # shellcheck disable=SC2046 # a list of folders
    { time nice -n 19 "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -entropic=0 -max_len=4096 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
        -verbosity=0 -dict="$build/tests/fuzz/ptx.dict" -artifact_prefix="$work/$target-" "$work/$target" $(corpus_of "$target") \
        >"$log" 2>&1 || echo "fuzz: $target failed: $log"; } 2>"$work/seconds"
    found=$(find "$work" -maxdepth 1 -name "$target-*-*" ! -name "*-slow-unit-*" -newer "$work/begun" | wc -l)
    printf '%s\t%s\t%s\t%s\t%s\n' "$target" "$(awk '{ printf "%d", $1 + $2 }' "$work/seconds")" "$(stat_of number_of_executed_units "$log")" \
        "$(find "$work/$target" -type f | wc -l)" "$found" >>"$work/runs.tsv"
done

awk -F '\t' '{ s[$1] += $2; n[$1] += $3; f[$1] += $5; all += $2 }
    END { for (t in s) printf "%-10s %7d s %10d executions %3d finds\n", t, s[t], n[t], f[t]; print all " s in all" }' "$work/runs.tsv" | sort
