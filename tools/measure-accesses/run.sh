#!/bin/sh
# Measures testdata/measured/ on a GPU: run.sh SOURCE OUT. Needs ncu with the right to read counters, ptxas, Python; Triton where it is there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$1
out=$2
mkdir -p "$out/probes"
measure="python3 $here/measure.py"

counts=$($measure metrics | tr , '\n' | grep -E '^(inst_executed|thread_inst|memory_)' | paste -sd,)

measure_all() {     # DIR OUT
    $measure assemble "$1" "$2"
    for file in "$1"/*.ptx; do
        stem=$(basename "$file" .ptx)
        for seed in 1 0 2 3; do
            [ $seed = 1 ] && metrics=$($measure metrics) || metrics=$counts
            ncu --clock-control none --metrics "$metrics" -f -o "$2/$stem.$seed" python3 "$here/measure.py" launch "$1" "$2" "$stem" $seed \
                >"$2/$stem.$seed.log" 2>&1 || { echo "$stem $seed:"; tail -5 "$2/$stem.$seed.log"; }
        done
    done
    $measure join "$1" "$2"
}

measure_all "$source" "$out"
if python3 -c 'import triton' 2>/dev/null; then
    mkdir -p "$out/triton-source" "$out/triton"
    python3 "$here/triton_kernels.py" "$out/triton-source" && measure_all "$out/triton-source" "$out/triton"
fi
$measure assemble "$here/probes-ptx" "$out/probes"
ncu --clock-control none --metrics "$counts" -f -o "$out/probes" \
    python3 "$here/measure.py" probe "$out" >"$out/probes.log" 2>&1 || tail -5 "$out/probes.log"
$measure join-probes "$here" "$out"
