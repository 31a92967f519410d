#!/bin/sh
# run.sh -- from a bare Debian 12 to the first report: installs what is missing, builds into build/, then looks at a sample.
set -eu
cd "$(dirname "$0")/.."
sample=testdata/ptx/saxpy.sm_90.ptx

./tools/setup.sh
[ -f build/build.ninja ] || meson setup build
ninja -C build ptxlint

echo "+ ptxlint $sample"
./build/ptxlint "$sample"
echo "+ ptxlint report $sample"
./build/ptxlint report "$sample"
