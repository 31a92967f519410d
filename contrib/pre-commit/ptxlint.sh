#!/bin/sh
# ptxlint.sh [OPTION...] FILE.ptx... -- ptxlint on these files. A file may have the name of an option (--ptxas=.ptx), and pre-commit
# puts the names behind the options: what ends in .ptx and is a file goes behind `--`.
set -eu
files=0
for word; do
    shift
    case $word in
    *.ptx) if [ -f "$word" ]; then
               [ "$files" -gt 0 ] || set -- "$@" --
               files=$((files + 1))
           fi ;;
    esac
    set -- "$@" "$word"
done
exec ptxlint "$@"
