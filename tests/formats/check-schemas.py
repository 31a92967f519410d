#!/usr/bin/env python3
"""check-schemas.py PTXLINT -- what ptxlint writes as JSON, by the schemas that it publishes (`ptxlint schema NAME`).

A schema lets unknown keys pass, since keys may be added; here none may be there that it does not describe. And each key that it asks for
is taken away once: a schema that would not notice is no schema.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError:
    print("skipped: python3-jsonschema or python3-yaml is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXLINT = pathlib.Path(sys.argv[1]).resolve()
PTX = ["testdata/ptx", "tests/golden", "testdata/ptx/none.ptx"]

# Schema, and commands that write such a document, to OUT where they name it; what they read lies below ROOT.
OUT = os.path.join(tempfile.mkdtemp(), "out")
DOCUMENTS = {
    "diagnostics": [["check", "--format", "json", *PTX], ["check", "--format", "json", "tests/golden/SYN305-there.ptx"]],
    "report": [["report", "--format", "json", "--gpu", "h200", "--grid", "1024", "--block", "256", "testdata/ptx/loops.sm_90.ptx",
                "testdata/ptx/saxpy.sm_90.ptx", "tests/golden/MEM203-tile.ptx", "tests/golden/COR101-by-call.ptx"],
               ["report", "--format", "json", "--gpu", "h200,a100", "tests/golden/report", "tests/golden/MEM203-tile.ptx"],
               ["report", "--format", "json", "--details", "testdata/ptx/legacy", "tests/messages", "testdata/fission"]],
    "annotation": [["annotate", "--format", "json", "--gpu", "h200,a100", "--grid", "64", "--block", "256", "testdata/ptx/saxpy.sm_90.lineinfo.ptx",
                    "testdata/ptx/printf_calls.sm_90.ptx", "testdata/ptx/loops.sm_90.ptx"],
                   ["annotate", "--format", "json", "testdata/ptx/saxpy.sm_90.ptx", "tests/golden/COR101-by-call.ptx"]],
    "baseline": [["baseline", "--baseline", OUT, "write", *PTX[:2]], ["baseline", "--baseline", OUT, "write", "tests/golden/SYN305-there.ptx"]],
    "diff": [["diff", "--format", "json", "--no-config", "tests/compare/old.json", "tests/compare/new.json"],
             ["diff", "--format", "json", "--no-config", "testdata/ptx", "tests/compare"]],
    "graph": [["graph", "--format", "json", "--gpu", "h200", "--grid", "1024", "--block", "256", "--kernel", "reduce_interleaved",
               "testdata/ptx/reduction.sm_80.debug.ptx"],
              ["graph", "--format", "json", "--no-config", "--kernel", "k", "tests/golden/COR101-by-call.ptx"]],
    "gpu-measure": [["gpu", "measure", "--format", "json"]],
    "verify": [["verify", "--format", "json", "--no-config", "--gpu", "h200", "--grid", "64", "--block", "256", "--measured", "tests/cli/times.csv",
                "tests/cli/tune.ptx"]],
    "calibrate": [["calibrate", "--format", "json", "--no-config", "--gpu", "h200", "--measured", "tests/cli/fit.csv", "tests/cli/copy.ptx"]],
    "recognition": [["recognize", "--format", "json", "--no-config", "testdata/fission", "testdata/ptx/loops.sm_90.ptx"]],
    "rules": [["rules", "--format", "json"], ["explain", "--format", "json", "THR102", "SYN201"]],
}

problems = []


def run(*words):
    got = subprocess.run([PTXLINT, *words], cwd=ROOT, capture_output=True, check=False)
    return pathlib.Path(OUT).read_text(encoding="utf-8") if OUT in words else got.stdout.decode("utf-8")


def is_object(schema):
    return schema.get("type") == "object" or "object" in (schema.get("type") or [])


def strict(schema):
    """The same without unknown keys."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(part) for key, part in schema.items()}
    if is_object(schema) and "properties" in schema and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


def complain(name, errors):
    for error in errors:
        problems.append(f"docs/schemas/{name}: {'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")


def objects(value, path=()):
    """Each object in value, once for each path of keys (not indices) to it."""
    if isinstance(value, dict):
        yield path, value
        for key, part in value.items():
            yield from objects(part, (*path, key))
    elif isinstance(value, list):
        for part in value:
            yield from objects(part, path)


def shape(value):
    """What there is in a value, without its texts and numbers."""
    if isinstance(value, dict):
        return tuple((key, shape(part)) for key, part in value.items() if isinstance(part, (dict, list)))
    return tuple(sorted({shape(part) for part in value}, key=str)) if isinstance(value, list) else ()


def first(value):
    """The document with short lists: one of each shape, two at most."""
    if isinstance(value, dict):
        return {key: first(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    kept = {}
    for part in map(first, value[:200]):
        if len(kept) < 2:
            kept.setdefault(shape(part), part)
    return list(kept.values())


def check_teeth(name, validator, document):
    """Without one of its keys no object is valid any more, but for maps, whose keys are data."""
    small, seen = first(document), set()
    for path, _ in list(objects(small)):
        if path in seen:
            continue
        seen.add(path)
        copied = copy.deepcopy(small)
        target = next(found for where, found in objects(copied) if where == path)
        for key in list(target):
            kept = target.pop(key)
            if validator.is_valid(copied) and "additionalProperties" not in schema_at(validator.schema, path):
                problems.append(f"{name}: {'.'.join(path)} may go without {key}")
            target[key] = kept


def schema_at(schema, path):
    """The part of a schema that speaks of the objects at a path of keys."""
    root = schema
    for key in (*path, None):
        while "$ref" in schema or "items" in schema:
            schema = root["definitions"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema["items"]
        if key is not None:
            schema = schema.get("properties", {}).get(key) or schema.get("additionalProperties") or {}
    return schema


def check(name, commands):
    schema = json.loads(run("schema", name))
    jsonschema.Draft7Validator.check_schema(schema)
    validator, plain = jsonschema.Draft7Validator(strict(schema)), jsonschema.Draft7Validator(schema)
    for i, command in enumerate(commands):
        text = run(*command)
        if not text:
            problems.append(f"{name}: {' '.join(command)} prints nothing")
            continue
        document = json.loads(text)
        errors = list(validator.iter_errors(document))
        complain(f"{name}.json: {' '.join(command)}", errors[:5])
        if not errors and not i:
            check_teeth(name, plain, document)


# ---- files that ptxlint reads: the schema agrees with the reader about each --------------------------------------------

CONFIGS = """
    select: [THR, COR101] | select: THR | select: [] | ignore: [LCH101] | preview: true | severity: {LCH101: warning, THR: note}
    thresholds: {OCC103.threads: 32} | per-kernel-ignore: {"a*": [THR], b: ALL} | per-source-ignore: {"k.cu:40-55": [ALL]}
    per-file-ignore: {"x/*": [HYG]} | exclude: ["old/*"] | exclude: old | gpu: [h200] | gpu: sm_90 | # nothing
    tolerances: {registers: 4, predicted_time_us: 10%, instructions: off} | tolerances: [registers] | baseline: [a, b]
    slect: [THR] | preview: [true] | severity: {LCH101: fatal} | severity: [LCH101] | thresholds: {OCC103.threads: many} | select: {a: b}
    per-kernel-ignore: [THR] | per-kernel-ignore: {a: {b: c}} | exclude: {a: b} | thresholds: {OCC103: 3} | launch: [a, b] | 5 | [THR]
"""


LAUNCHES = """
    {"kernels": {}} | {"launches": []} | {"kernels": {"k": {"grid": [4], "block": [32, 2], "cluster": [2], "dynamic_shared": 64, "shared_bank_bytes": 8}}}
    {"kernels": {"k": {"params": [1, 2.5, "0xffffffffffffffff", null, {"bytes": "00fF"}, {"data": "sorted"}], "trips": {"$L": 4, "12": 0}}}, "launches": []}
    {"launches": [{"file": "*.ptx", "kernel": "gemm*", "grid": [4]}, {}]} | {"$schema": "launch.json", "kernels": {}}
    {} | [] | 5 | {"kernels": []} | {"launches": {}} | {"kernels": {}, "more": []} | {"launches": [5]} | {"kernels": {"k": []}}
    {"kernels": {"k": {"gird": [4]}}} | {"kernels": {"k": {"kernel": "k"}}} | {"launches": [{"kernels": "k"}]} | {"launches": [{"kernel": ""}]} | {"launches": [{"file": 5}]}
    {"kernels": {"k": {"grid": 4}}} | {"kernels": {"k": {"grid": []}}} | {"kernels": {"k": {"block": [1, 1, 65]}}} | {"launches": [{"cluster": [17]}]}
    {"launches": [{"params": [{"data": "random"}]}]} | {"launches": [{"params": [{"bytes": "0"}]}]} | {"launches": [{"params": [true]}]} | {"launches": [{"params": [{}]}]}
    {"launches": [{"params": [{"bytes": "00", "data": "sorted"}]}]} | {"launches": [{"trips": {"$L": 1.5}}]} | {"launches": [{"dynamic_shared": -1}]}
"""


def agree(name, cases, is_read, parse):
    """The schema takes what the reader takes; some cases are of either kind."""
    validator = jsonschema.Draft7Validator(json.loads(run("schema", name)))
    seen = set()
    for text in [part.strip() for part in cases.replace("\n", "|").split("|")][1:-1]:
        is_taken, is_valid = is_read(text), validator.is_valid(parse(text))
        seen.add(is_taken)
        if is_taken != is_valid:
            problems.append(f"docs/schemas/{name}.json: takes it: {is_valid}, ptxlint takes it: {is_taken}: {text}")
    if seen != {True, False}:
        problems.append(f"{name}: the cases are all alike")


def reads_launch(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "launch.json")
        path.write_text(text, encoding="utf-8")
        got = subprocess.run([PTXLINT, "--no-config", "--only", "syntax", "--launch", path, "-"], input=b".version 8.0\n.target sm_90\n.address_size 64\n", capture_output=True, check=False)
    return got.returncode == 0


def reads_config(text):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, ".ptxlint.yaml").write_text(text + "\n", encoding="utf-8")
        got = subprocess.run([PTXLINT, "config", "show"], cwd=folder, capture_output=True, check=False)
    return got.returncode == 0


os.environ["LC_ALL"] = "C.UTF-8"
for known in DOCUMENTS.keys() - set(run("schema").split()):
    problems.append(f"{known}: there is no such schema")
for schema_name in DOCUMENTS:
    check(schema_name, DOCUMENTS[schema_name])
agree("config", CONFIGS, reads_config, yaml.safe_load)
agree("launch", LAUNCHES, reads_launch, json.loads)
for problem in problems[:40]:
    print(problem)
sys.exit(1 if problems else 0)
