#!/bin/sh
# run-lemon.sh LEMON GRAMMAR OUTDIR -- Lemon writes beside its input: give it a copy under the name the build wants.
set -eu
cp "$2" "$3/ptx_grammar.y"
cd "$3"
"$1" -q ptx_grammar.y
