#!/bin/sh
# run-lemon.sh LEMON GRAMMAR OUTDIR NAME -- Lemon writes beside its input: give it a copy under the name the build wants.
set -eu
cp "$2" "$3/$4.y"
cd "$3"
"$1" -q "$4.y"
