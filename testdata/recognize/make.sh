#!/bin/sh
# make.sh -- compiles blocks.cu and locations.cu, by nvcc 13.0.
set -e
cd "$(dirname "$0")"
for sm in 75 90; do
    for of in blocks locations; do
        nvcc -std=c++17 -arch=compute_$sm -ptx -o $of.sm_$sm.ptx $of.cu
    done
done
