#!/bin/sh
# docs.sh [PTXLINT] -- writes docs/rules/*.md, docs/rules/README.md, docs/facts.md and docs/isa-new.md anew, from what the
# program (default: build/ptxlint) says of its rules and instructions. tests/house/check-rule-docs.py fails where they are not current.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
exec python3 -B "$root/tests/house/check-rule-docs.py" "${1:-$root/build/ptxlint}" --update
