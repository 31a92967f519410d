#!/usr/bin/env python3
"""check-npm.py PTXLINT -- what tools of npm (tools/npm) say: Microsoft's SARIF multitool, with GitHub's rules, about our SARIF, and
dockerfile-utils about the Dockerfile."""
import json
import os
import pathlib
import tempfile

from kit import NPM, PTXLINT, ROOT, expect, finish, problems, run, skip

# The project has no page of its own that a driver could name.
ALLOWED = {"SARIF2005"}
multitool = NPM / "@microsoft/sarif-multitool-linux/Sarif.Multitool"
if not os.access(multitool, os.X_OK):
    skip("npm ci --prefix tools/npm has not been run")

with tempfile.TemporaryDirectory() as folder:
    found, said = pathlib.Path(folder, "found.sarif"), pathlib.Path(folder, "said.sarif")
    run(PTXLINT, "--format", f"sarif={found}", "testdata/ptx/fp64_pitfalls.sm_90.ptx", "testdata/ptx/reduction.sm_90.lineinfo.ptx", "tests/messages",
        cwd=ROOT)
    got = run(multitool, "validate", found, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--output", said,
              env=os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    if not said.exists():
        problems.append(f"sarif-multitool: {got.stdout[-500:]}{got.stderr[-500:]}")
    else:
        results = json.loads(said.read_text(encoding="utf-8-sig"))["runs"][0].get("results", [])
        for result in results:                          # a level that is not given is a warning
            if result["ruleId"] not in ALLOWED and result.get("level", "warning") != "note":
                problems.append(f"sarif-multitool: {result['ruleId']}: {result['message']}")
        expect("what is allowed is there", {r["ruleId"] for r in results} >= ALLOWED, True)
linted = run(NPM / ".bin/dockerfile-utils", "lint", ROOT / "Dockerfile")
expect("dockerfile-utils", (linted.returncode, linted.stdout.strip()), (0, ""))
finish()
