#!/bin/sh
# bench.sh [MEGABYTES...] -- builds an optimised ptxlint into build-bench/ and prints its speed and memory (tests/bench/bench.c).
set -eu
cd "$(dirname "$0")/.."

./tools/setup.sh
[ -f build-bench/build.ninja ] || meson setup build-bench --buildtype=release
ninja -C build-bench tests/bench/ptxlint-bench
./build-bench/tests/bench/ptxlint-bench testdata/ptx "$@"
