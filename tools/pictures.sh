#!/bin/sh
# pictures.sh [PTXLINT] -- the pictures of docs/report-html.md anew, from testdata: the graph by the program itself, pages by headless
# Chromium and ImageMagick. To be looked at after it.
set -eu
cd "$(dirname "$0")/.."
ptxlint=$(realpath "${1:-build/ptxlint}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
to=docs/pictures
given="--no-config --gpu h200"

report() { "$ptxlint" report --format html $given --source-root testdata "$@" >"$work/page.html"; }

# shoot NAME HEIGHT THEME PART... -- the page with these parts alone, where any are named, of its first kernel.
shoot() {
    name=$1 height=$2 theme=$3
    shift 3
    style=
    [ $# -eq 0 ] || style='main > section, .kernel > *, footer { display: none } .kernel:has(#'$1') { display: block; margin: 0; border: 0 }'
    for part; do style="$style .kernel > #$part { display: block }"; done
    sed "s|<html lang=\"en\">|<html lang=\"en\" data-theme=\"$theme\">|; s|</style>|$style</style>|" "$work/page.html" >"$work/shown.html"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size="1200,$height" \
        --screenshot="$work/shown.png" "file://$work/shown.html" >/dev/null 2>&1
    convert "$work/shown.png" +dither -colors 128 -define png:compression-level=9 "$to/$name.png"
}

"$ptxlint" graph $given --grid 1024 --block 256 --param 0=1048576 --kernel reduce_interleaved testdata/ptx/reduction.sm_80.debug.ptx >"$to/graph.svg"
report --grid 64,64 --block 16,16 --param 0=1024 --kernel 'gemm_*' testdata/ptx/gemm.sm_90.lineinfo.ptx
shoot overview 1230 light
shoot code 760 dark k1-code
report --grid 64,64 --block 32,8 --param 0=2048 --kernel transpose_shared testdata/ptx/transpose.sm_90.lineinfo.ptx
shoot accesses 1180 light k1-accesses
report --grid 1024 --block 256 --param 0=262144 --kernel reduce_missing_sync testdata/ptx/reduction.sm_80.debug.ptx
shoot race 440 light k1-findings
"$ptxlint" diff --format html --no-config tests/compare/old.json tests/compare/new.json >"$work/page.html" || [ $? -eq 1 ]
shoot diff 900 light
ls -l "$to"
