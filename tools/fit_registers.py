#!/usr/bin/env python3
"""fit_registers.py [--kinds] BUILD DIR... > src/analysis/registers/trees.txt -- fits the model of registers again.

Each DIR has PTX and measured.jsonl, a line a kernel and target with file, kernel, sm and regs: what tools/make_registers.py writes, or PTX of
libraries with the registers of the machine code beside it. BUILD has pressure_features and fit_registers (`ninja -C BUILD pressure_features
fit_registers`). Programs stay together when folds are drawn; with --kinds all kernels of one template do, which says how well unlike ones are predicted. Figures of
the cross-validation go to stderr: of templates, and of libraries.
"""
import collections, concurrent.futures, json, os, re, subprocess, sys, tempfile

HEADER = """# trees.txt - regression trees from what features.def names to the registers that ptxas 13.0 gives a thread.
#
# Made by tools/fit_registers.py from kernels of tools/make_registers.py, of CUDA 13.0's libraries and of compilers; docs/registers.md has the figures.
#
#   scale W ...       of targets with W warps an SM: where each count of registers, from 0, ends on the scale
#   cuts FEATURE ...  the values that trees compare a feature with, ascending; features are numbered from 0
#   tree ...          in preorder: F:C asks whether feature F is above its cut C, then comes what is where it is not, then what is where it is;
#                     a number is a leaf: so many 64ths further on the scale than GUESS
#   band ...          one more, whose leaves are LOW,HIGH: the band around the sum, on the scale
"""


COMPILERS = {"triton", "inductor", "xla", "numba"}      # folders of what these wrote


def features(build, folder, file, sms):
    p = subprocess.run([f"{build}/pressure_features", f"{folder}/{file}", *sms], capture_output=True, text=True, check=True)
    return p.stdout.splitlines()


def group_of(folder, file, kernel, by_kind):
    template = re.match(r"_Z\d+([a-z_0-9]+?)_\d+_\d", kernel)
    return template[1] if by_kind and template else os.path.normpath(folder).replace(" ", "") + "/" + re.sub(r"\.compute.*", "", file)


def join(build, folder, out, with_head, by_kind=False):
    want, own = collections.defaultdict(dict), os.path.basename(os.path.normpath(folder))
    for line in open(f"{folder}/measured.jsonl", encoding="utf-8"):
        row = json.loads(line)
        want[row["file"]][row["kernel"], str(row["sm"])] = row["regs"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = {file: pool.submit(features, build, folder, file, sorted({sm for _, sm in rows})) for file, rows in sorted(want.items())}
        for file, job in jobs.items():
            head, *lines = job.result()
            if with_head:
                print("group set regs", head, file=out)
                with_head = False
            for line in lines:
                _, kernel, sm, *_ = line.split(" ", 3)
                if (kernel, sm) in want[file]:
                    name = "library" if file.startswith("lib") else own if own in COMPILERS else "template"
                    print(group_of(folder, file, kernel, by_kind), name, want[file][kernel, sm], line.replace(folder + "/", "", 1), file=out)


if __name__ == "__main__":
    by_kind = "--kinds" in sys.argv
    build, *folders = [a for a in sys.argv[1:] if a != "--kinds"]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        for i, folder in enumerate(folders):
            join(build, folder, table, not i, by_kind)
        table.flush()
        sys.stdout.write(HEADER)
        sys.stdout.flush()
        subprocess.run([f"{build}/fit_registers", table.name], check=True)
