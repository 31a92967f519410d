#!/usr/bin/env python3
"""check-formats.py PTXLINT -- the formats of tools that publish no schema that could be used here, by what they say that they read:

gitlab      https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
rdjson      reviewdog/reviewdog, proto/rdf/reviewdog.proto
checkstyle  checkstyle's XMLLogger, and what Jenkins and reviewdog read of it
junit       the Ant task, as Jenkins and GitLab read it
csv         RFC 4180
markdown    GitHub Flavored Markdown, "Tables"; 65,536 characters a comment

Each document of the same inputs must have the findings of `--format json`, each at its primary place, also where --primary says which that is,
and where there are 30,000 of them.
"""
import csv
import gzip
import html
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXLINT = pathlib.Path(sys.argv[1]).resolve()
PATHS = ["testdata/ptx", "tests/golden", "tests/messages"]

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
SOURCE = "first\n\U0001f600  x = y;\n"
# Names and texts that a naive writer stumbles over; three places for one finding: in both files, and in a source that is not there.
AWKWARD = {
    "a b%c#d?.ptx": HEAD + ".entry k()\n{\n\tbogus.u32 %r1, 2;\n}\n",
    "x&y<z>\"'|.ptx": HEAD + ".entry k()\n{\n\tbogus.u32 %r1, 2;\n\tbogus.u32 %r1, 2;\n}\n",
    "=1+2.ptx": HEAD + ".entry k()\n{\n}\n",
    "control.ptx": HEAD + ".entry k()\n{\n\tb\x01gus\x1b[31m.u32 \xff, ]]> & <b> | `;\n}\n",
    "empty.ptx": "",
    "clean.ptx": HEAD + ".entry k() .maxntid 32\n{\n\tret;\n}\n",
    "loc.ptx": HEAD + '.file 1 "src/k.cu"\n.file 2 "src/none.cu"\n.entry k()\n{\n.reg .b32 %r<9>;\n.loc 1 2 7\nbogus.u32 %r1, 2;\n'
                      ".loc 2 7 3\nbad.u32 %r1, 2;\n}\n",
    "src/k.cu": SOURCE,
}

problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


def run(folder, formats, paths, *options):
    """The text of each format, all of them from one run."""
    with tempfile.TemporaryDirectory() as out:
        words = [word for name in formats for word in ("--format", f"{name}={out}/{name}")]
        got = subprocess.run([PTXLINT, *words, "--all", *options, "--", *paths], cwd=folder, capture_output=True, check=False)
        if got.returncode not in (0, 1, 3) or got.stderr or got.stdout:
            complain(paths, f"exit {got.returncode}: {got.stderr.decode(errors='replace')}")
        return {name: pathlib.Path(out, name).read_bytes().decode("utf-8") for name in formats}


def expect(where, value, kinds, keys):
    """An object of these keys and kinds, and no others."""
    for key, kind in keys.items():
        if not isinstance(value.get(key), kind) or value[key] == "":
            complain(where, f"{key} is {value.get(key)!r}")
    for key in value.keys() - keys.keys() - kinds:
        complain(where, f"{key} is unknown")


# ---- a reader per format: what it says, as (rule, severity, path, line) ------------------------------------------------

def read_gitlab(text):
    items = json.loads(text)
    for i, item in enumerate(items):
        expect(f"gitlab.{i}", item, {"type"}, {"description": str, "check_name": str, "fingerprint": str, "severity": str, "location": dict})
        expect(f"gitlab.{i}.location", item["location"], set(), {"path": str, "lines": dict})
        if item["severity"] not in ("info", "minor", "major", "critical", "blocker"):
            complain(f"gitlab.{i}", item["severity"])
    if len({item["fingerprint"] for item in items}) != len(items):
        complain("gitlab", "fingerprints are not unique")
    names = {"info": "note", "major": "warning", "critical": "error"}
    return [(i["check_name"], names[i["severity"]], i["location"]["path"], i["location"]["lines"]["begin"]) for i in items]


def check_range(where, value):
    for end in ("start", "end"):
        expect(where, value[end], set(), {"line": int, "column": int})
    if (value["start"]["line"], value["start"]["column"]) > (value["end"]["line"], value["end"]["column"]) or value["start"]["column"] < 1:
        complain(where, f"is {value}")


def rdjson_key(where, item):
    expect(where, item, {"suggestions", "related_locations"}, {"message": str, "location": dict, "severity": str, "code": dict})
    check_range(where, item["location"]["range"])
    for part in item["suggestions"]:
        expect(where, part, {"text"}, {"range": dict})
        check_range(where, part["range"])
    for part in item["related_locations"]:
        expect(where, part, set(), {"message": str, "location": dict})
        check_range(where, part["location"]["range"])
    severity = {"INFO": "note", "WARNING": "warning", "ERROR": "error"}[item["severity"]]
    return item["code"]["value"], severity, item["location"]["path"], item["location"]["range"]["start"]["line"]


def read_rdjson(text):
    document = json.loads(text)
    expect("rdjson", document, set(), {"source": dict, "diagnostics": list})
    return [rdjson_key(f"rdjson.{i}", item) for i, item in enumerate(document["diagnostics"])]


def read_rdjsonl(text):
    return [rdjson_key(f"rdjsonl.{i}", json.loads(line)) for i, line in enumerate(text.splitlines())]


def read_checkstyle(text):
    root, keys = ET.fromstring(text.encode()), []
    if root.tag != "checkstyle" or not root.get("version"):
        complain("checkstyle", "its root is wrong")
    for file in root:
        if file.tag != "file" or set(file.attrib) != {"name"} or not len(file):
            complain("checkstyle", f"a <{file.tag}> is wrong")
        for error in file:
            if error.tag != "error" or set(error.attrib) != {"line", "column", "severity", "message", "source"} or int(error.get("column")) < 1:
                complain("checkstyle", f"an <{error.tag}> is wrong: {error.attrib}")
            severity = {"info": "note", "warning": "warning", "error": "error"}[error.get("severity")]
            keys.append((error.get("source").removeprefix("ptxlint."), severity, file.get("name"), int(error.get("line"))))
    return keys


def junit_key(case):
    match = re.fullmatch(r"(\w+) \S+ at (\d+):\d+", case.get("name"))
    if [part.tag for part in case] not in (["failure"], ["system-out"]) or not match:
        complain("junit", f"a case is wrong: {ET.tostring(case)[:200]}")
        return None
    severity = case[0].get("type") if case[0].tag == "failure" else "note"
    if case[0].tag == "failure" and (severity not in ("warning", "error") or not case[0].get("message")):
        complain("junit", f"a failure is wrong: {ET.tostring(case)[:200]}")
    return match.group(1), severity, case.get("classname"), int(match.group(2))


def read_junit(text):
    root, keys = ET.fromstring(text.encode()), []
    if root.tag != "testsuites":
        complain("junit", "its root is wrong")
    for suite in root:
        cases = list(suite)
        if suite.tag != "testsuite" or not cases or int(suite.get("tests")) != len(cases):
            complain("junit", f"suite {suite.get('name')}: it has {len(cases)} cases")
        if int(suite.get("failures")) != len(suite.findall("testcase/failure")) or int(suite.get("errors")):
            complain("junit", f"suite {suite.get('name')}: its failures are not {suite.get('failures')}")
        keys += [junit_key(case) for case in cases if len(case) or len(cases) > 1]
    return keys


def read_csv(text):
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        if None in row or None in row.values():
            complain("csv", f"a row has not as many cells as the first: {row}")
        if any(cell.startswith(("=", "+", "-", "@")) for cell in row.values() if cell):
            complain("csv", f"a spreadsheet would compute a cell of {row}")
    return [(row["rule"], row["severity"], row["file"].removeprefix("'"), int(row["line"])) for row in rows]


def unescape(cell):
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell)).replace("\u200b", "")


def read_markdown(text):
    rows, keys = re.findall(r"^\|.*\|$", text, re.M), []
    if len(text) > 65000:
        complain("markdown", f"{len(text)} characters are too many for a comment")
    for row in rows[2:]:
        cells = re.split(r"(?<!\\)\|", row)[1:-1]
        if len(cells) != 4:
            complain("markdown", f"a row has {len(cells)} cells: {row}")
            continue
        path, line = unescape(cells[1].strip()).rsplit(":", 1)
        keys.append((re.search(r"\\\[(\w+)\\\] $", cells[3]).group(1), cells[0].strip(), path, int(line)))
    return keys


READERS = {"gitlab": read_gitlab, "rdjson": read_rdjson, "rdjsonl": read_rdjsonl, "checkstyle": read_checkstyle, "junit": read_junit,
           "csv": read_csv, "markdown": read_markdown}
REVIEWS = {"gitlab", "rdjson", "rdjsonl", "checkstyle", "junit", "markdown"}


# ---- against JSON ----------------------------------------------------------------------------------------------------

def source_path(place, finding, folder, must_exist):
    """Where the CUDA file lies: below the working directory, or beside the PTX."""
    path = place["path"]
    for candidate in (pathlib.Path(path), pathlib.Path(finding["path"]).parent / path):
        if (folder / candidate).is_file() and not (must_exist and candidate.is_absolute()):
            return candidate.as_posix()
    return None if must_exist else path


def key_of(finding, folder, output_format, primary):
    """The nearest line that is below the folder, of those that the code was inlined into."""
    is_auto = primary == "auto" and output_format in REVIEWS
    for place in (finding["inlined"] or [finding["source"]]) if is_auto else [finding["source"]] if primary == "source" else []:
        path = place and source_path(place, finding, folder, is_auto)
        if path:
            return finding["rule"], finding["severity"], path, place["line"]
    return finding["rule"], finding["severity"], finding["path"], finding["line"]


def plain(key):
    """What is not ASCII is shown in other ways here than in JSON."""
    return key and (key[0], key[1], re.sub(r"[^!-~ ]", "?", key[2]), key[3])


def compare(output_format, text, wanted):
    got = sorted(plain(key) for key in READERS[output_format](text) if key)
    if output_format == "markdown":                     # the worst of them
        more = re.search(r"^(\d+) more are not shown", text, re.M)
        if len(got) + (int(more.group(1)) if more else 0) != len(wanted) or set(got) - set(wanted):
            complain(output_format, f"{len(got)} of {len(wanted)} are shown, and {more and more.group(1)} more are told of")
    elif got != wanted:
        complain(output_format, f"has {[k for k in got if k not in wanted][:3]}, not {[k for k in wanted if k not in got][:3]}")


def once(found):
    """The first of those with one cause: a rule in a CUDA line."""
    seen = set()
    return [f for f, cause in found if not (cause in seen or (cause and seen.add(cause)))]


def check(folder, paths, primary):
    texts = run(folder, ["json", *READERS], paths, "--primary", primary)
    all_found = json.loads(texts["json"])["diagnostics"]
    by_source = json.loads(run(folder, ["json"], paths, "--primary", "source")["json"])["diagnostics"]
    found = [(f, s["cause"]) for f, s in zip(all_found, by_source) if not f["suppression"]]
    for name in READERS:
        is_folded = name in REVIEWS and primary != "ptx"
        wanted = once(found) if is_folded else [f for f, _ in found]
        compare(name, texts[name], sorted(plain(key_of(f, folder, name, primary)) for f in wanted))


def write_awkward(folder):
    for path, text in AWKWARD.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
    return sorted(path for path in AWKWARD if path.endswith(".ptx"))


def check_many(folder):
    """30,000 findings: what each reader takes at most."""
    body = "".join(f"bogus.u32 1, {i};\n" for i in range(7500))
    names = [f"{letter}.ptx" for letter in "abcd"]
    for name in names:
        (folder / name).write_text(HEAD + ".entry k()\n{\n" + body + "}\n")
    texts = run(folder, ["sarif", "github", *READERS], names, "--only", "syntax")
    if len(json.loads(texts["sarif"])["runs"][0]["results"]) != 25000 or len(gzip.compress(texts["sarif"].encode(), 6)) > 10_000_000:
        complain("sarif", "it is too large for GitHub, or smaller than it may be")
    commands = texts["github"].splitlines()
    if len(commands) != 11 or not commands[-1].endswith("::29990 more not annotated"):
        complain("github", f"{len(commands)} commands, the last {commands[-1]}")
    for name, read in READERS.items():
        count = len(read(texts[name]))
        if count != 30000 and not (name == "markdown" and 300 < count < 2000):
            complain(name, f"{count} of 30000 findings")


os.environ["LC_ALL"] = "C.UTF-8"
check(ROOT, PATHS, "auto")
with tempfile.TemporaryDirectory() as temporary:
    home = pathlib.Path(temporary)
    awkward = write_awkward(home)
    for where in ("auto", "ptx", "source"):
        check(home, awkward, where)
    check(home, ["clean.ptx"], "auto")
    check_many(home)
for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
