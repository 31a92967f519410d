#!/bin/sh
# measure-costs.sh [DIR] -- measure the rows of src/gpu/costs.txt whose source begins with "measured", and rewrite them.
#
# DIR keeps the probes, their machine code and its listing (500 MB); the default is build-costs/ of this checkout. What is there
# already is not made again. PTXAS and NVDISASM name the tools, of CUDA 13.0. Where there is no nvdisasm the script stops after
# ptxas: run `nvdisasm -c T.cubin > T.sass` for each target T elsewhere, put the listings into DIR, and start it again.
set -eu
cd "$(dirname "$0")/.."
dir=${1:-build-costs}
nvdisasm=${NVDISASM:-nvdisasm}
targets="75 80 86 87 89 90a 100a 103a 110a 120a 121a"

for target in $targets; do
    [ -f "$dir/$target.cubin" ] || [ -f "$dir/$target.sass" ] || python3 tools/measure_costs.py probes src/isa/forms.txt "$dir" "$target"
done
for target in $targets; do
    [ -f "$dir/$target.sass" ] && continue
    command -v "$nvdisasm" >/dev/null || { echo "no nvdisasm: $dir/$target.sass is missing" >&2; exit 1; }
    "$nvdisasm" -c "$dir/$target.cubin" >"$dir/$target.sass.part"
    mv "$dir/$target.sass.part" "$dir/$target.sass"
done
python3 tools/measure_costs.py count "$dir"
python3 tools/measure_costs.py table "$dir" src/gpu/costs.txt
