#!/usr/bin/env python3
"""check-sarif.py PTXLINT -- what `ptxlint --format sarif`, `github` and `jsonl` write, by the rules of those who read it.

SARIF: OASIS's schema; what GitHub's code scanning asks for beyond it; the fingerprint that github/codeql-action computes, done here
in another way (from its definition, not rolling); columns as UTF-16 units, against the bytes of --format json.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PTXLINT = pathlib.Path(sys.argv[1]).resolve()
LEVELS = {"note", "warning", "error"}

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
BODY = ".entry k()\n{\n\t.reg .b32 %r<9>;\n\tbogus.u32 %r1, 2;\n\t/* \U0001f600\u00e9 */ bogus.u32 %r1, 2;\n}\n"
LOC = '.file 1 "src/k \u00fc.cu"\n.entry k()\n{\n.reg .b32 %r<9>;\n.loc 1 2 7\nbogus.u32 %r1, 2;\nadd.s32 %r1, %r2, %r3;\n}\n'
# Names and texts that a naive writer stumbles over.
AWKWARD = {
    "a b%c#d?.ptx": (HEAD + BODY).encode(),
    "x:y,z.ptx": (HEAD + BODY * 3).encode(),
    "cr.ptx": (HEAD + BODY).replace("\n", "\r\n").encode(),
    "bom.ptx": b"\xef\xbb\xbf" + (HEAD + BODY).encode(),
    "latin1.ptx": (HEAD + "// gr\u00fc\u00df\n" + BODY).encode("latin-1", "replace"),
    "broken.ptx": HEAD.encode() + b"// \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf \xf5 \xe2\x82\n" + BODY.encode(),
    "no-end.ptx": (HEAD + BODY).rstrip("\n").encode(),
    "empty.ptx": b"",
    "loc.ptx": (HEAD + LOC).encode(),
    "src/k \u00fc.cu": "first\n\U0001f600  x = y;\n".encode(),
}

problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


def run(folder, output_format, paths):
    got = subprocess.run([PTXLINT, "--all", "--format", output_format, *paths], cwd=folder, capture_output=True, check=False)
    if got.returncode not in (0, 1, 3) or got.stderr:         # 3: some golden cases go beyond a limit
        complain(output_format, f"exit {got.returncode}: {got.stderr.decode(errors='replace')}")
    return got.stdout.decode("utf-8")


# ---- fingerprints ----------------------------------------------------------------------------------------------------

def units(text):
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]


def line_hashes(data):
    """primaryLocationLineHash of each line: the hash of the 100 units from its first one on, as a number in base 37."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    all_units = units(text.replace(" ", "").replace("\t", "")) + [65535]
    begins = [0] + [i + 1 for i, unit in enumerate(all_units) if unit == 10]
    hashes, seen = [], {}
    for begin in begins:
        window = (all_units[begin:begin + 100] + [0] * 100)[:100]
        value = 0
        for unit in window:
            value = (37 * value + unit) % 2**64
        seen[value] = seen.get(value, 0) + 1
        hashes.append(f"{value:x}:{seen[value]}")
    return hashes


class Files:
    """Files below a folder, each read once."""

    def __init__(self, folder):
        self.folder, self.data, self.hashes = folder, {}, {}

    def read(self, path):
        if path not in self.data:
            self.data[path] = (self.folder / path).read_bytes()
        return self.data[path]

    def hash(self, path, line):
        if path not in self.hashes:
            self.hashes[path] = line_hashes(self.read(path))
        return self.hashes[path][line - 1]


# ---- GitHub's rules --------------------------------------------------------------------------------------------------

def check_texts(where, value):
    """Empty strings do not count, wherever they are; lines and columns begin at 1."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("startLine", "startColumn", "endLine", "endColumn") and part < 1:
                complain(where, f"{key} is {part}")
            check_texts(f"{where}.{key}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            check_texts(f"{where}.{i}", part)
    elif value == "":
        complain(where, "is empty")


def check_rule(where, rule):
    for key in ("shortDescription", "fullDescription", "help"):
        if not rule.get(key, {}).get("text"):
            complain(where, f"no {key}.text")
        elif key != "help" and len(rule[key]["text"]) > 1024:
            complain(where, f"{key}.text is too long")
    properties = rule["properties"]
    if rule["defaultConfiguration"]["level"] not in LEVELS:
        complain(where, "its level is none")
    if properties["precision"] not in ("very-high", "high", "medium", "low"):
        complain(where, "its precision is none")
    if properties["problem.severity"] not in ("error", "warning", "recommendation"):
        complain(where, "its problem.severity is none")
    if not 0 < len(properties["tags"]) <= 10:
        complain(where, "its tags are too many, or none")


def check_region(where, region):
    if set(region) != {"startLine", "startColumn", "endLine", "endColumn"}:
        complain(where, f"a region has {sorted(region)}")
    elif (region["startLine"], region["startColumn"]) > (region["endLine"], region["endColumn"]):
        complain(where, f"a region ends before it begins: {region}")


def check_links(where, result):
    ids = [place["id"] for place in result["relatedLocations"]]
    if ids != list(range(1, len(ids) + 1)) or len(ids) > 100:
        complain(where, f"ids of related locations are {ids}")
    for link in re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"]):
        if int(link) not in ids:
            complain(where, f"its message links to {link}, which is not there")


def check_fingerprints(where, result, files):
    fingerprints = result["partialFingerprints"]
    place = result["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    if uri.startswith("file:") or place["artifactLocation"].get("uriBaseId") != "%SRCROOT%":
        complain(where, f"{uri} is not relative")
        return
    want = files.hash(urllib.parse.unquote(uri), place["region"]["startLine"])
    if fingerprints.get("primaryLocationLineHash") != want:
        complain(where, f"primaryLocationLineHash is {fingerprints.get('primaryLocationLineHash')}, not {want}")
    if not re.fullmatch(r"[0-9a-f]{16}:[1-9]\d*", fingerprints.get("ptxlint/v1", "")):
        complain(where, "ptxlint/v1 is wrong")


def check_result(where, result, rules, files):
    if len(result["locations"]) != 1:
        complain(where, "it has not one location")
    if result["level"] not in LEVELS:
        complain(where, "its level is none")
    if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        complain(where, "ruleIndex is of another rule")
    check_region(where, result["locations"][0]["physicalLocation"]["region"])
    for place in result["relatedLocations"]:
        check_region(where, place["physicalLocation"]["region"])
    check_links(where, result)
    check_fingerprints(where, result, files)


def check_run(sarif, files):
    if len(sarif["runs"]) != 1:
        complain("runs", "there is not one")
    the_run = sarif["runs"][0]
    rules, results = the_run["tool"]["driver"]["rules"], the_run["results"]
    for i, rule in enumerate(rules):
        check_rule(f"rules.{i}", rule)
    for i, result in enumerate(results):
        check_result(f"results.{i}", result, rules, files)
    if the_run["columnKind"] != "utf16CodeUnits":
        complain("run", "columnKind is wrong")
    if not re.fullmatch(r"ptxlint/(\w+/)?", the_run["automationDetails"]["id"]):
        complain("run", "automationDetails.id is wrong")
    if {rule["id"] for rule in rules} != {result["ruleId"] for result in results} or len(rules) != len({r["id"] for r in rules}):
        complain("run", "rules are not those of the results")
    if len(results) > 25000:
        complain("run", "there are too many results")


# ---- against JSON ----------------------------------------------------------------------------------------------------

def utf16_column(data, line, column):
    """Counts lead bytes: what is not UTF-8 has no columns that all would agree on."""
    before = data.split(b"\n")[line - 1][:column - 1]
    return 1 + sum(2 if byte >= 0xF0 else 1 for byte in before if byte & 0xC0 != 0x80)


def ptx_place(result):
    """The place in the PTX: the primary one, or the first related one."""
    primary = result["locations"][0]["physicalLocation"]
    if primary["artifactLocation"]["uri"].endswith(".ptx"):
        return primary
    return result["relatedLocations"][0]["physicalLocation"]


def key_of_json(found, files):
    data = files.read(found["path"])
    begin = utf16_column(data, found["line"], found["column"])
    end = utf16_column(data, found["end_line"], found["end_column"])
    return found["rule"], found["severity"], found["path"], found["line"], begin, found["end_line"], end


def key_of_sarif(result):
    place = ptx_place(result)
    region = place["region"]
    return (result["ruleId"], result["level"], urllib.parse.unquote(place["artifactLocation"]["uri"]), region["startLine"],
            region["startColumn"], region["endLine"], region["endColumn"])


def check_same(sarif, found, files):
    wanted = sorted(key_of_json(one, files) for one in found)
    got = sorted(key_of_sarif(one) for one in sarif["runs"][0]["results"])
    for pair in [(w, g) for w, g in zip(wanted, got) if w != g][:5] or ([] if len(wanted) == len(got) else [(len(wanted), len(got))]):
        complain("results", f"JSON has {pair[0]}, SARIF {pair[1]}")


# ---- commands --------------------------------------------------------------------------------------------------------

COMMAND = re.compile(r"::(error|warning|notice) (?:file=([^:,\r\n]+),line=([1-9]\d*),endLine=([1-9]\d*)"
                     r"(?:,col=([1-9]\d*),endColumn=([1-9]\d*))?,)?title=([^:,\r\n]+)::([^\r\n]+)")


def unescape(text):
    return re.sub("%(25|0D|0A|3A|2C)", lambda match: chr(int(match.group(1), 16)), text)


def check_commands(text, found, folder):
    counts, shown = {}, 0
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        if not match:
            complain("github", f"is no command: {line}")
            continue
        counts[match.group(1)] = counts.get(match.group(1), 0) + 1
        if match.group(2):
            shown += 1 + line.count("%0Aalso: ")
            if not (folder / unescape(match.group(2))).is_file():
                complain("github", f"there is no file {unescape(match.group(2))}")
    if any(count > 10 for count in counts.values()):
        complain("github", f"too many commands: {counts}")
    more = re.search(r"^::notice title=ptxlint::(\d+) more not annotated$", text, re.M)
    if shown + (int(more.group(1)) if more else 0) != len(found):
        complain("github", f"{shown} of {len(found)} are annotated, and the last line says {more and more.group(1)}")


# ---- documents -------------------------------------------------------------------------------------------------------

def check_folder(folder, paths, schema):
    files = Files(folder)
    found = json.loads(run(folder, "json", paths))["diagnostics"]
    lines = [json.loads(line) for line in run(folder, "jsonl", paths).splitlines()]
    if lines != found:
        complain("jsonl", "its lines are not the diagnostics of json")
    sarif = json.loads(run(folder, "sarif", paths))
    for error in list(schema.iter_errors(sarif))[:5]:
        complain("schema", f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    if not found:
        complain(folder, "nothing was found, so nothing is tested")
    check_texts("sarif", sarif)
    check_run(sarif, files)
    check_same(sarif, found, files)
    by_source = json.loads(run(folder, "json", ["--primary", "source", *paths]))["diagnostics"]
    causes = {one["cause"] or i for i, one in enumerate(by_source) if not one["suppression"]}
    check_commands(run(folder, "github", paths), causes, folder)
    return sarif


def check_awkward(schema):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, data in AWKWARD.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(data)
        paths = sorted(path for path in AWKWARD if path.endswith(".ptx"))
        sarif = check_folder(folder, paths, schema)
        uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in sarif["runs"][0]["results"]}
        if "src/k%20%C3%BC.cu" not in uris:
            complain("loc.ptx", f"its findings are not in the CUDA source but in {sorted(uris)}")


os.environ["LC_ALL"] = "C.UTF-8"
draft4 = jsonschema.Draft4Validator(json.loads((HERE / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")))
check_folder(ROOT, ["testdata/ptx", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "tests/golden").glob("*.ptx"))], draft4)
check_awkward(draft4)
for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
