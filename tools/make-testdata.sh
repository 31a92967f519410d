#!/bin/sh
# make-testdata.sh -- compile testdata/ptx/cuda/*.cu into testdata/ptx/*.ptx, with nvcc of CUDA 13.0.
#
#   tools/make-testdata.sh [-o DIR] [-c] [NAME...]
#
#   -o DIR  write there; the default is testdata/ptx of this checkout
#   -c      then give every .ptx under DIR, the hand-written ones too, to ptxas, parse-only
#   NAME    only these sources, without .cu; the default is all of them
#
# Environment: NVCC and PTXAS name the tools.
#
# Two runs give the same bytes. nvcc hashes the path of a source into the names of internal symbols, and -G spells it
# in the debug sections, so everything is compiled in a copy at SRC_ROOT (default /src). That folder must not exist;
# it is made, and removed at the end. Paths of the toolkit and of SRC_ROOT are replaced in .file lines.
# shellcheck disable=SC2086 # $flags is a list of words
set -eu
export LC_ALL=C TZ=UTC

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
out=$here/testdata/ptx
nvcc=${NVCC:-nvcc}
ptxas=${PTXAS:-ptxas}
src_root=${SRC_ROOT:-/src}
check=no

while getopts o:c opt; do
    case $opt in
    o) mkdir -p -- "$OPTARG" && out=$(CDPATH='' cd -- "$OPTARG" && pwd) ;;
    c) check=yes ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
only=${*:+" $* "}

# One line a source: its name, its targets, then flags of nvcc. A target may carry a suffix, for a second file:
#   90+lineinfo  NAME.sm_90.lineinfo.ptx, with -lineinfo, beside NAME.sm_90.ptx without
#   80+debug     NAME.sm_80.debug.ptx, with -G, beside NAME.sm_80.ptx
recipes() {
    cat <<'EOF'
saxpy            75 80+debug 90+lineinfo 100 120
gemm             75 80 90+lineinfo 120
transpose        80 90+lineinfo 120
reduction        75 80+debug 90+lineinfo 100 120
scan             75 90 100
stencil          80+lineinfo 90 120
histogram        75 90 120
nbody            75 80 90 100+lineinfo
aos_soa          80 90+lineinfo 120
wmma             75 80 90
cp_async         80 90 120
ldmatrix_mma     80 90 120
wgmma            90a
coop_groups      80 90
curand_philox    90
curand_xorwow    80 120
cub_sort         80 90 120
printf_calls     75 90 100
recursion        80 120
virtual_calls    80 100
textures         75 90 120
dynpar           80 90 -rdc=true
fp64_pitfalls    75 90 120
local_spill      80+debug 90 120
const_tables     75 90 120
half_bf16        80 90 100
cluster          90 100
setmaxnreg       90a
tcgen05          100a
mma_block_scale  120a
warp_ops         75 80 100
atomics          75 90 120
control_flow     75 90 120
loops            75 90 120 -lineinfo
spmv             80 120
softmax          80 90+lineinfo 120
image            80 100
templates        80 120 -rdc=true
EOF
}

[ ! -e "$src_root" ] || {
    echo "make-testdata: $src_root exists; name another folder with SRC_ROOT" >&2
    exit 1
}
mkdir -- "$src_root"
trap 'rm -rf -- "$src_root"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -- "$src_root/cuda"
cp -- "$here"/testdata/ptx/cuda/*.cu "$src_root/cuda/"

compile() { # SOURCE TARGET OUTPUT FLAGS...
    source=$1 target=$2 output=$3
    shift 3
    (cd -- "$src_root/cuda" && "$nvcc" -ptx -arch="sm_$target" "$@" -o "$src_root/raw.ptx" "$source.cu")
    sed -e 's|"/[^"]*/targets/[^/"]*/include/|"/usr/local/cuda/include/|' \
        -e "$neutral" <"$src_root/raw.ptx" >"$out/$output"
    echo "$output"
}

recipes >"$src_root/recipes"
while read -r name rest; do
    case $only in
    '' | *" $name "*) ;;
    *) continue ;;
    esac
    targets='' flags=''
    for word in $rest; do
        case $word in
        -*) flags="$flags $word" ;;
        *) targets="$targets $word" ;;
        esac
    done
    for word in $targets; do
        target=${word%%+*}
        neutral="s|^\\([[:space:]]*\\.file.*\"\\)$src_root/|\\1|"
        compile "$name" "$target" "$name.sm_$target.ptx" $flags
        case $word in
        *+lineinfo) compile "$name" "$target" "$name.sm_$target.lineinfo.ptx" -lineinfo $flags ;;
        *+debug)
            neutral='' # the debug sections say /src, so .file does too
            compile "$name" "$target" "$name.sm_$target.debug.ptx" -G $flags
            ;;
        esac
    done
done <"$src_root/recipes"

# What libraries ship: no comments, no indentation, blank lines at the head, one scope a line of inline assembly.
case $only in
'' | *" half_bf16 "*)
    mkdir -p -- "$out/bytes"
    awk 'BEGIN { for (i = 0; i < 200; i++) print "" }
         { sub(/\/\/.*/, ""); sub(/^[ \t]+/, ""); sub(/[ \t]+$/, "") } $0 != ""' \
        "$out/half_bf16.sm_90.ptx" >"$out/bytes/stripped_library.ptx"
    echo bytes/stripped_library.ptx
    ;;
esac

[ "$check" = no ] && exit 0

# ptxas parses a module for any target at or above its own, and from sm_75 on; sm_90a only as sm_90a.
failed=0
find "$out" -name '*.ptx' | sort >"$src_root/list"
while read -r file; do
    arch=$(tr '\r' '\n' <"$file" | sed -n 's/^.*\.target[[:space:]]*sm_\([0-9]*[af]\{0,1\}\).*/\1/p' | head -n 1)
    case $arch in
    [1-6][0-9] | '') arch=75 ;;
    esac
    if ! "$ptxas" -arch="compute_$arch" -o /dev/null "$file" >"$src_root/log" 2>&1; then
        case $file in
        */bytes/bom_utf8.ptx) continue ;; # ptxas takes ASCII only; this file is for readers that take more
        esac
        echo "make-testdata: $file:" >&2
        cat "$src_root/log" >&2
        failed=1
    fi
done <"$src_root/list"
exit $failed
