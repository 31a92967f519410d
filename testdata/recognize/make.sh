#!/bin/sh
# make.sh -- compiles blocks.cu, by nvcc 13.0.
set -e
cd "$(dirname "$0")"
for sm in 75 90; do
    nvcc -std=c++17 -arch=compute_$sm -ptx -o blocks.sm_$sm.ptx blocks.cu
done
