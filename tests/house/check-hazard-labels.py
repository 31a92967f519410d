#!/usr/bin/env python3
"""check-hazard-labels.py DIR -- what ptxlint is wanted to say of the kernels in DIR (`// want CODE:` lines) is what compute-sanitizer found (labels.jsonl), or the
label says why not."""
import json, re, sys

directory = sys.argv[1]
texts, wrong = {}, 0

def wanted(file, kernel):
    """Codes wanted in the kernel, and in functions right before it."""
    if file not in texts:
        texts[file] = open(f"{directory}/{file}").read()
    text = texts[file]
    at = re.search(rf"\.entry {kernel}\(", text)
    if not at:
        return None     # it was renamed since
    first = max([m.end() for m in re.finditer(r"\.entry [^{]*\{.*?\n\}", text[:at.start()], re.S)] + [0])
    return set(re.findall(r"// want ([A-Z]+\d+):", text[first:text.index("\n}", at.start())]))

OF_HAZARDS = re.compile("COR(104|121|124|127|13.)$")
for label in map(json.loads, open(f"{directory}/labels.jsonl")):
    codes = wanted(label["file"], label["kernel"])
    if codes is None:
        continue
    found = bool(label["races"] or label["barriers"] or label.get("blocks") or label.get("hangs"))
    differs = found != any(OF_HAZARDS.match(c) for c in codes)
    if differs != ("why" in label):
        print(f"{label['file']}: {label['kernel']}: {'found faulty' if found else 'nothing found'}, wanted {sorted(codes)}, "
              + ("and no reason is given" if differs else "a reason is given for no difference"))
        wrong += 1
sys.exit(wrong > 0)
