#!/bin/sh
# bench.sh [MEGABYTES...] -- builds an optimised ptxlint into build-bench/ and prints its speed and memory (tests/bench/bench.c), and how long
# ptxlint_estimate() takes for the kernels of testdata/measured (tests/bench/estimate.c).
set -eu
cd "$(dirname "$0")/.."

./tools/setup.sh
[ -f build-bench/build.ninja ] || meson setup build-bench --buildtype=release
ninja -C build-bench tests/bench/ptxlint-bench tests/bench/ptxlint-bench-estimate
./build-bench/tests/bench/ptxlint-bench testdata/ptx "$@"
pairs=""
for file in testdata/measured/*.ptx; do
    pairs="$pairs $file testdata/measured/launches.json"
done
./build-bench/tests/bench/ptxlint-bench-estimate h200 $pairs
