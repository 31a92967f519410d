#!/bin/sh
# docs.sh [PTXLINT] -- writes docs/rules/*.md, docs/rules/README.md, docs/facts.md, docs/isa-new.md, docs/seeds.md,
# docs/examples/seeds.md and samples of output anew, by the program (default: build/ptxlint). tests/house/check-rule-docs.py, and
# tools/seeds.py --check, fail where they are not current.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python3 -B "$root/tests/house/check-rule-docs.py" "${1:-$root/build/ptxlint}" --update
exec python3 -B "$root/tools/seeds.py" "${1:-$root/build/ptxlint}"
