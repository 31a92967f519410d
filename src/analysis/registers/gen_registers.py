"""gen_registers.py trees.txt features.def OUT.c : the trees of trees.txt as tables."""
import re
import sys

text, features, out = sys.argv[1:]
ids = {name: i for i, name in enumerate(re.findall(r"(?m)^PF\(\s*(\w+)", open(features, encoding="utf-8").read()))}
LEAF = 255
scales, cuts, rows, trees, bands = [], [], [], [], []
for line in open(text, encoding="utf-8").read().split("\n"):
    words = line.split()
    if not words or words[0] == "#":
        continue
    if words[0] == "scale":
        scales.append(words[2:])
    elif words[0] == "cuts":
        rows.append((ids[words[1]], len(words) - 2, len(cuts)))
        cuts += words[2:]
    elif words[0] in ("tree", "band"):
        trees.append([])
        words = words[1:]
    if words and words[0] not in ("scale", "cuts"):
        trees[-1] += words


def place(tree, at, nodes):
    """Adds what begins at a word; returns the word behind it."""
    word = tree[at]
    if ":" not in word:
        value = int(word) if "," not in word else len(bands)
        if "," in word:
            bands.append(word.split(","))
        nodes.append((LEAF, 0, value))
        return at + 1
    feature, cut = word.split(":")
    node = len(nodes)
    nodes.append(None)
    at = place(tree, at + 1, nodes)
    nodes[node] = (int(feature), int(cut), len(nodes) - node)
    return place(tree, at, nodes)


def table(values):
    return ", ".join(map(str, values))


with open(out, "w", encoding="utf-8") as file:
    file.write('#include "analysis/registers/tree.h"\n\n')
    file.write(f"const uint16_t ptx_pressure_cuts[] = {{ {table(cuts)} }};\n")
    file.write("const PressureCuts ptx_pressure_features[] = {\n" + "".join(f"    {{ {table(row)} }},\n" for row in rows) + "};\n")
    file.write(f"const uint32_t ptx_pressure_feature_count = {len(rows)};\nconst PressureNode ptx_pressure_nodes[] = {{\n")
    first = [0]
    for tree in trees:
        nodes = []
        place(tree, 0, nodes)
        file.write("".join(f"{{{f},{c},{o}}}," for f, c, o in nodes) + "\n")
        first.append(first[-1] + len(nodes))
    file.write(f"}};\nconst uint32_t ptx_pressure_trees[] = {{ {table(first[:-1])} }};\n")
    file.write(f"const uint32_t ptx_pressure_tree_count = {len(trees) - 1};\n")
    file.write("const float ptx_pressure_bands[][2] = {\n" + "".join(f"    {{ {float(a)!r}f, {float(b)!r}f }},\n" for a, b in bands) + "};\n")
    file.write("const float ptx_pressure_scale[PRESSURE_FAMILIES][PRESSURE_COUNTS] = {\n"
               + "".join(f"    {{ {table(f'{float(w)!r}f' for w in scale)} }},\n" for scale in scales) + "};\n")
