#!/bin/sh
# Measures testdata/measured/timed/ or further/ on a GPU: run.sh SOURCE OUT. Needs ncu with the right to read counters, nvcc, ptxas, Python with numpy.
# OUT/measured.jsonl has what times.jsonl keeps a part of; micro.json and sweep.jsonl are as in SOURCE.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$1
out=$2
measure="python3 $here/../measure-accesses/measure.py"
mkdir -p "$out"

nvcc -arch=sm_90 -std=c++17 -o "$out/micro" "$here/micro.cu"
"$out/micro" >"$out/micro.json"

$measure launches "$source"
$measure assemble "$source" "$out"
for file in "$source"/*.ptx; do
    stem=$(basename "$file" .ptx)
    ncu --cache-control all --clock-control none --metrics "$($measure metrics)" -f -o "$out/$stem.1" \
        python3 "$here/../measure-accesses/measure.py" launch "$source" "$out" "$stem" 1 >"$out/$stem.log" 2>&1
done
$measure join "$source" "$out"

$measure assemble "$source/shapes" "$out"
python3 "$here/sweep.py" "$source/shapes" "$out" "$out"
