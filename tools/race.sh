#!/bin/sh
# race.sh [FILE.ptx...] -- ThreadSanitizer over tests/unit/two_threads.c: two threads on one module through the public interface. Builds the
# library and that program alone, in build-tsan/, by clang, which is quicker; then reads the files, or two of testdata/. Exit: not 0 where a race is seen.
set -eu
cd "$(dirname "$0")/.."

[ -f build-tsan/build.ninja ] ||
    CC=${CC:-clang} meson setup build-tsan --buildtype=custom -Doptimization=0 -Ddebug=false -Db_lto=false -Db_sanitize=thread -Db_lundef=false -Dc_args=-g1 >/dev/null
ninja -C build-tsan --quiet tests/two_threads
[ $# -gt 0 ] || set -- testdata/ptx/reduction.sm_90.ptx testdata/ptx/transpose.sm_90.lineinfo.ptx
TSAN_OPTIONS=halt_on_error=1 build-tsan/tests/two_threads "$@"
