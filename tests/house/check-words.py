#!/usr/bin/env python3
"""What ptxlint writes and its pages say, in the words of CUDA engineers: phrases that they would not use, each with a better one.

README.md has at most 150 lines. Sentences of the pages that everyone reads have at most 25 words.
"""
import re

from shape import blank
from tree import ROOT, finish, name, read, sources

# A pattern, and what to write in its place.
WORDS = [
    (r"\bhangs? on data\b|\bhang(?:s|ing)? on (?:a|an|the|what|its|whether)\b", "depends on"),
    (r"\b(?:is|are|be|was|were|not) told\b(?! not to)", "is reported"),
    (r"\bspoken of\b|\bspeaks of\b|\bspeaks only\b", "reported; fires only"),
    (r"\bnobody\b|\bsomebody\b|\banybody\b", "say what is unknown, unused or not published"),
    (r"\bat the least\b", "at least"),
    (r"\bcome by\b|\bcomes by\b|\bcame by\b", "reach; execute"),
    (r"\blanes (?:of (?:one|a) warp )?part\b|\bparts? (?:the )?(?:lanes|warps)\b|\bparted\b", "diverge"),
    (r"\bon trial\b", "preview"),
    (r"\bhow sure\b|^ *= sure", "certainty"),
    (r"\bfor ever\b", "forever"),
    (r"\bholds? (?:it|the launch|a launch) back\b", "limits"),
    (r"(?<!there )\b(?:is|are) none\b(?! of)", "is not a ...; there is no ..."),
    (r"\bwithout a word\b", "silently"),
    (r"\b(?:nothing|that) is said\b|\bsaid of\b|\bit is said\b", "is not reported; is reported"),
    (r"\bwhat of it\b", "missing ..."),
    (r"\bas a model of ptxas has it\b", "estimated (90 % band ...)"),
    (r"\bthe GPU to itself\b", "an idle GPU"),
    (r"\bsilenc\w*", "suppress"),
    (r"\b(?:threads|lanes|warps|blocks|not all) (?:that )?come to\b", "reach"),
    (r"\bstands? still\b", "stall"),
    (r"\brules? (?:is|are|keeps?) silent\b", "does not fire"),
    (r"\b(?:told|tells?)(?: \w+){0,4} apart\b", "distinguish"),
]
# of these, what no comment of the sources says either
IN_COMMENTS = re.compile(r"\b(?:nobody|somebody|anybody)\b|\bhang(?:s|ing)? on\b|\bc[oa]mes? by\b"
                         # code emits, reports, shows, distinguishes; people tell and speak
                         r"|\btold\b|\btells?\b|\bsilenc"
                         r"|\bsp(?:eak|eaks|oke|oken)\b|\bsays to\b", re.I)
PATTERNS = [(re.compile(pattern, re.I | re.M), better) for pattern, better in WORDS]
READ_FIRST = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/library.md", "docs/architecture.md"]
HEADER = ROOT / "include/ptxlint/ptxlint.h"
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def strings_of(path):
    """The file with all but its string literals blank; those of #include and of tables of opcodes are words of PTX."""
    text = COMMENT.sub(blank, read(path))
    kept, end = [], 0
    for match in STRING.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[end:match.start()]) + match.group())
        end = match.end()
    return "".join(kept)


def check(path, text):
    return [f"{name(path)}:{text.count(chr(10), 0, m.start()) + 1}: `{m.group().strip()}`: write: {better}"
            for pattern, better in PATTERNS for m in pattern.finditer(text)]


def check_comments(path):
    text = read(path)
    return [f"{name(path)}:{text.count(chr(10), 0, m.start()) + 1}: a comment says `{word.group()}`: depends on, is not known, reaches, reports"
            for m in COMMENT.finditer(text) for word in IN_COMMENTS.finditer(m.group())]


def sentences(text):
    """Of the prose: without code, tables and links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"^\|.*$|^#.*$", "\n", text, flags=re.M)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for block in re.split(r"\n\s*\n|\n- ", text):
        for sentence in re.split(r"(?<=[.:;!?])\s+", " ".join(block.split())):
            yield sentence


def check_sentences(page):
    return [f"{page}: {len(s.split())} words in a sentence: {s}" for s in sentences(read(ROOT / page)) if len(s.split()) > 25]


def check_readme():
    count = read(ROOT / "README.md").count("\n")
    return [f"README.md: {count} lines, of at most 150"] if count > 150 else []


pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
pages += sources({".md", ".json"}, "docs") + sources({".yaml", ".md"}, "rules")
code = sources({".c", ".re", ".def"}, "src")
finish([p for path in pages for p in check(path, read(path))] + [p for path in code for p in check(path, strings_of(path))]
       + [p for path in sources({".c", ".h", ".re", ".y", ".def"}, "src", "include", "tests") for p in check_comments(path)]
       + check(HEADER, read(HEADER)) + [p for page in READ_FIRST for p in check_sentences(page)] + check_readme())
