#!/usr/bin/env python3
"""run_node.py PACKAGE SCRIPT [ARGUMENT...] -- runs a script by node, where there is node and the package is in tools/npm; else exits with 77
and says what is missing."""
import pathlib
import shutil
import subprocess
import sys

MODULES = pathlib.Path(__file__).resolve().parent / "npm" / "node_modules"
package, *words = sys.argv[1:]
if not shutil.which("node"):
    print("skipped: there is no node")
    sys.exit(77)
if not (MODULES / package).is_dir():
    print(f"skipped: {package} is not installed: npm ci --prefix tools/npm")
    sys.exit(77)
sys.exit(subprocess.run(["node", *words], check=False).returncode)
