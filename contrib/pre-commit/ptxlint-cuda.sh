#!/bin/sh
# ptxlint-cuda.sh [OPTION...] FILE.cu... -- compiles each file to PTX with -lineinfo and runs ptxlint on all of it; options go to
# ptxlint. NVCC and NVCCFLAGS say how to compile. Without nvcc nothing is checked, and the hook passes.
set -eu
nvcc=${NVCC:-nvcc}
if ! command -v "$nvcc" >/dev/null; then
    echo "ptxlint-cuda: skipped, since nvcc is not installed"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=$#
for word; do
    shift
    case $word in
    *.cu)
        case $word in -*) word=./$word ;; esac         # a file may have the name of an option
        mkdir -p "$folder/$(dirname "$word")"
        # shellcheck disable=SC2086 # flags are several words
        "$nvcc" -ptx -lineinfo ${NVCCFLAGS:--arch=compute_90} -o "$folder/${word%.cu}.ptx" "$word" ;;
    *) set -- "$@" "$word" ;;
    esac
done
[ "$count" -gt $# ] || exit 0
ptxlint --primary source "$@" -- "$folder"
