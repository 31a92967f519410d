"""gen_registers.py registers.txt pressure.def OUT.c : the trees of registers.txt as a table."""
import re
import sys

text, features, out = sys.argv[1:]
ids = {name: i for i, name in enumerate(re.findall(r"(?m)^PF\(\s*(\w+)", open(features, encoding="utf-8").read()))}
nodes, first, lines = [], [], [l for l in open(text, encoding="utf-8").read().split("\n") if l and not l.startswith("#")]
band = None
for line in lines:
    words = line.split()
    if words[0] == "tree":
        first.append(len(nodes))
    elif words[0] == "band":
        band = len(first)
    elif words[0] == "=":
        nodes.append((0, 0xff, 0, [float(w) for w in words[1:]]))
    else:
        nodes.append((int(words[1]), ids[words[0]], int(words[2]), [0.0]))
with open(out, "w", encoding="utf-8") as file:
    file.write('#include "estimate/pressure_tree.h"\n\nconst PressureNode ptx_pressure_nodes[] = {\n')
    for above, feature, left, values in nodes:
        file.write(f"    {{ {above}, {feature}, {left}, {{ {values[0]!r}f, {values[-1]!r}f }} }},\n")
    file.write("};\nconst uint32_t ptx_pressure_trees[] = { " + ", ".join(map(str, first)) + " };\n")
    file.write(f"const uint32_t ptx_pressure_tree_count = {band};     /* the last one is the band */\n")
