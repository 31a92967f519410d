#!/bin/sh
# test.sh [MESON-TEST-OPTION...] -- installs what is missing, builds into build/, runs every test.
set -eu
cd "$(dirname "$0")/.."

./tools/setup.sh
[ -f build/build.ninja ] || meson setup build
meson test -C build --print-errorlogs "$@"
