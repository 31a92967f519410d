#!/usr/bin/env python3
"""check-markdown.py PTXLINT -- hostile names in each document of Markdown, rendered by cmark-gfm as GitHub renders it: they stand there as they
are; there is no link, picture or HTML of theirs, no mention and no number of an issue; and each row has the cells of its table's head."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PTXLINT = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
GITHUB = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist"]
NO_WIDTH = "\u200b"

# Each is the name of a file, of a folder and of a CUDA source.
HOSTILE = ["@team", "a@evil.com", "mailto:a@evil.com", "x @org+team", "#12", "GH-12", "!12", "www.evil.com", "http:evil.com", "[a](b)", "![a](b)", "<img src=x>",
           "<b>", "<!-- x", "a|b", "a\\|b", "a\\", "`a`", "``a`b", "`|`", "`@team`", "*a*", "__a__", "~~a~~", "&lt;&#64;team", "- a", "+ a", "1. a",
           "12) a", "=", "---", "    a", "\ta", "> a", "# a", "[ ] a", "[^1]", "a\nb", "\x1b[31m", "\xe9\u202e", ":a", "a$b$c"]
# Kernels, and how they are shown.
KERNELS = {"__a__": "__a__", "$a_b_c$": "$a_b_c$", "_Z4copyIfEvPT_": "copy<float>", "_ZN1aorILi2EEEvv": "a::operator|<2>"}
TAGS = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "details", "summary", "h3", "ul", "li", "html"}

problems = []


class Page(html.parser.HTMLParser):
    """Its text outside of code, tags that are not ours, and the cells of each row."""
    def __init__(self):
        super().__init__()
        self.open, self.text, self.whole, self.foreign, self.rows = [], "", "", [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag not in TAGS:
            self.foreign.append((tag, attrs))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_comment(self, data):
        self.foreign.append(("comment", data))

    def handle_data(self, data):
        self.whole += data
        if "code" not in self.open and "pre" not in self.open:
            self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def shown(name):
    """As ptxlint shows it everywhere: control characters by their numbers, tabs as blanks; HTML makes one blank of several."""
    text = "".join(c if c == "\t" or c.isprintable() and c != "\u202e" else f"<{ord(c):02x}>" if ord(c) < 256 else f"<U+{ord(c):04X}>" for c in name)
    return " ".join(text.replace("\t", "    ").split())


def check(what, name, markdown):
    page = Page()
    page.feed(subprocess.run(GITHUB, input=markdown, capture_output=True, check=True).stdout.decode())
    whole = " ".join(page.whole.replace(NO_WIDTH, "").split())
    if shown(name) not in whole:
        problems.append(f"{what}: {name!r} does not stand in {whole!r}")
    if page.foreign:
        problems.append(f"{what}: {name!r} makes {page.foreign}")
    for found in re.findall(r"(?<![\w`])@\w[\w/+-]*|(?<!\w)[#!]\d+|\bGH-\d+", page.text, re.I):
        problems.append(f"{what}: {name!r} mentions {found}")
    if len({len(row) for row in page.rows if row}) > 1:
        problems.append(f"{what}: {name!r} breaks a row: {page.rows}")
    return page


def run(folder, *words):
    got = subprocess.run([PTXLINT, *words], cwd=folder, capture_output=True, check=False)
    if got.returncode > 1:
        problems.append(f"{words}: exit {got.returncode}: {got.stderr.decode(errors='replace')}")
    return got.stdout


def try_path(folder, name, good, bad):
    place = pathlib.Path(folder, name)
    place.mkdir()
    for path, text in ((place / "new.ptx", bad), (place / "old.ptx", good), (pathlib.Path(folder, f"{name}.ptx"), bad)):
        path.write_text(text)
    check("check", name, run(folder, "--no-config", "--format", "markdown", "--", f"{name}.ptx"))
    check("report", name, run(folder, "report", "--no-config", "--format", "markdown", "--", f"{name}.ptx", "old.ptx"))
    check("diff", name, run(folder, "diff", "--no-config", "--format", "markdown", "--", f"{name}/old.ptx", f"{name}/new.ptx"))
    source = f'.file 1 "{name}.cu"\n' + bad.replace("bogus", ".loc 1 3 0\nbogus")
    pathlib.Path(folder, "source.ptx").write_text(source)
    if '"' not in shown(name) and name.isprintable() and "\\" not in name:
        check("source", name, run(folder, "--no-config", "--primary", "source", "--format", "markdown", "source.ptx"))


def try_kernel(folder, name, title, good):
    old = good.replace("saxpy", name)
    pathlib.Path(folder, "a.ptx").write_text(old)
    pathlib.Path(folder, "b.ptx").write_text(old.replace("fma.rn.f32", "bogus.f32"))
    pathlib.Path(folder, "t.csv").write_text(f"kernel,grid,block,us\n{name},64,256,0.01\n")
    check("verify", title, run(folder, "verify", "--no-config", "--gpu", "h200", "--format", "markdown", "--measured", "t.csv", "a.ptx"))
    check("kernel", title, run(folder, "--no-config", "--format", "markdown", "b.ptx"))
    check("diff of kernels", name, run(folder, "diff", "--no-config", "--format", "markdown", "a.ptx", "b.ptx"))


def main():
    good = (ROOT / "testdata/ptx/saxpy.sm_90.ptx").read_text()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "old.ptx").write_text(good)
        for name in HOSTILE:
            try_path(folder, name, good, good.replace("fma.rn.f32", "bogus.f32"))
        for name, title in KERNELS.items():
            try_kernel(folder, name, title, good)


if not shutil.which("cmark-gfm"):
    print("skipped: no cmark-gfm")
    sys.exit(77)
main()
for problem in problems[:40]:
    print(problem)
print(f"{len(HOSTILE)} paths, {len(KERNELS)} kernels, {len(problems)} wrong")
sys.exit(bool(problems))
