#!/bin/sh
# Measures testdata/measured/timed/, further/ or later/ on a GPU: run.sh SOURCE OUT. Needs ncu with the right to read counters, nvcc, ptxas, Python with numpy.
# OUT/measured.jsonl has what times.jsonl keeps a part of; micro.json is timed/'s, waits.json later/'s micro.json; sweep.jsonl is as in SOURCE/shapes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$1
out=$2
measure="python3 $here/../measure-accesses/measure.py"
mkdir -p "$out"

for name in micro waits chains; do
    nvcc -arch=sm_90 -std=c++17 -o "$out/$name" "$here/$name.cu"
    "$out/$name" >"$out/$name.json"
done
for name in tiles local l2 mixes together lines phases neighbours reuse batches writes overlap bulk segments reads gather fragments copies copies4 slices blocks lists arrays wide_loads fir_constants walks stored; do
    nvcc -gencode arch=compute_90a,code=sm_90a -std=c++17 -O3 -o "$out/$name" "$here/$name.cu"
    "$out/$name" >"$out/$name.txt"
done
python3 "$here/matrix.py" >"$out/matrix.cu"
nvcc -gencode arch=compute_90a,code=sm_90a -o "$out/matrix" "$out/matrix.cu"
"$out/matrix" >"$out/matrix.txt"

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
