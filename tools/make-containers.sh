#!/usr/bin/env bash
# make-containers.sh -- makes testdata/containers and the corpus tests/fuzz/input anew. Needs nvcc and fatbinary (CUDA 13), gcc, binutils,
# python3, gzip, zstd, xz. Their bytes differ with the versions of these; what tests/unit/test_containers.c expects of them does not.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/testdata/containers corpus=$root/tests/fuzz/input
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$corpus"
cd "$work"

cat >column.cu <<'CUDA'
__global__ void column(float *x, float a)
{
    int i = threadIdx.x;
    x[i * 32] = x[i * 32] * a;
}
CUDA
cat >row.cu <<'CUDA'
__global__ void row(float *x)
{
    x[threadIdx.x] += 1;
}
CUDA

two=(-lineinfo -gencode 'arch=compute_80,code=[compute_80,sm_80]' -gencode arch=compute_90a,code=compute_90a)
for mode in default speed none; do
    nvcc "${two[@]}" -compress-mode=$mode -fatbin column.cu -o column.$mode.fatbin
done
nvcc "${two[@]}" -c column.cu -o column.o
nvcc "${two[@]}" -dc row.cu -o row.rdc.o
nvcc "${two[@]}" -Xcompiler -fPIC -c column.cu -o column.pic.o
nvcc "${two[@]}" -Xcompiler -fPIC -c row.cu -o row.pic.o
gcc -shared -s -nostdlib -Wl,-z,max-page-size=4096 column.pic.o row.pic.o -o librow.so
ar rcsD librow.a column.o row.rdc.o
nvcc -cubin -arch=sm_80 row.cu -o row.cubin
nvcc -fatbin -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 row.cu -o cubins.fatbin
nvcc -dc -gencode arch=compute_80,code=lto_80 row.cu -o lto.o
nvcc -ptx -lineinfo -arch=compute_80 row.cu -o row.ptx
gzip -n <row.ptx >row.ptx.gz
zstd -q <row.ptx >row.ptx.zst
xz <row.ptx >row.ptx.xz
xz <librow.so >librow.so.xz
cp column.default.fatbin column.speed.fatbin column.none.fatbin column.o row.rdc.o librow.so librow.a row.cubin cubins.fatbin lto.o row.ptx.gz \
    row.ptx.zst row.ptx.xz librow.so.xz "$out"

# What no compiler here makes: entries of the kinds 0x80 and 0x100, a file of Windows, one of macOS, and a small container for the fuzzer.
cat >pieces.py <<'PYTHON'
import struct, subprocess, sys
TEXT = ".version 8.0\n.target sm_%s\n.address_size 64\n.visible .entry %s()\n{\nret;\n}\n"
def entry(kind, payload, flags=0x11, packed=0, plain=0, arch=80):
    padded = payload + b"\0" * (-len(payload) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), packed, 0, 0, 8, arch, 0, 0, flags, 0, plain) + padded
def container(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body
def ptx(arch="80", name="k"):
    return (TEXT % (arch, name)).encode() + b"\0"
def zstd(data):
    return subprocess.run(["zstd", "-q", "--no-check"], input=data, capture_output=True, check=True).stdout
def packed(kind, data):
    z = zstd(data)
    return entry(kind, z, 0x8011, len(z), len(data))
def write(path, data):
    open(path, "wb").write(data)
out, corpus = sys.argv[1:]
one, both = entry(1, ptx()), ptx("80", "a") + ptx("90", "b")
write(out + "/concatenated.fatbin", container(packed(0x100, both)))
write(out + "/tile.fatbin", container(entry(0x80, b"\x7fTileIR\0" + bytes(8))))
write(out + "/windows.dll", b"MZ\x90\0" + bytes(508) + container(one, packed(1, ptx("90"))) + b"tail")
write(out + "/macos.dylib", b"\xcf\xfa\xed\xfe" + bytes(4092) + container(one) + bytes(12) + container(one))
write("tiny.fatbin", container(one, packed(1, ptx("90"))))
write(corpus + "/stored", container(one))
write(corpus + "/zstd", container(packed(1, ptx()), entry(2, b"\x7fELF")))
write(corpus + "/concatenated", container(packed(0x100, both)))
write(corpus + "/windows", b"MZ\x90\0" + bytes(60) + container(one))
write(corpus + "/text", ptx())
PYTHON
python3 pieces.py "$out" "$corpus"
printf '\t.section .nv_fatbin,"a"\n\t.align 8\n\t.incbin "tiny.fatbin"\n' | as -o tiny.o
ar rcsD tiny.a tiny.o
gzip -n <tiny.fatbin >tiny.gz
xz --check=none <tiny.fatbin >tiny.xz
for file in tiny.o tiny.a tiny.gz tiny.xz; do cp $file "$corpus/${file#tiny.}"; done
# an LZ4 block is what fatbinary makes with this mode
printf '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n.visible .entry l()\n{\nret;\n}\n' >lz4.ptx
fatbinary --create="$corpus/lz4" -64 --compress-mode=speed --image3=kind=ptx,sm=80,file=lz4.ptx
