#!/bin/sh
# wheel.sh [FOLDER [BUILD]] -- the Python wheel of the tree, in FOLDER (default: build/wheel): the package, the library, the program, and the
# libraries that these need beyond glibc. For Linux with glibc 2.36 (Debian 12) or later, on the machine that BUILD (default: build) is for:
# x86-64, or aarch64 after `meson setup --cross-file contrib/cross/aarch64.ini build-aarch64`. tools/setup.sh has what it is built with.
set -eu
build=${2:-build}
out=$(realpath -m "${1:-$(dirname "$0")/../$build/wheel}")
cd "$(dirname "$0")/.."
[ -f "$build/build.ninja" ] || meson setup "$build" >/dev/null
ninja -C "$build" python/ptxlint python/libptxlint.so.0.1.0 >/dev/null
python3 -B tools/make_wheel.py "$build/python" "$out"
