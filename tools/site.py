#!/usr/bin/env python3
"""The documentation as a web site: site.py FOLDER.

Every page of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ becomes HTML in FOLDER, with the library that `ptxlint explain` reads Markdown
with (cmark-gfm). No script, no request: it can be served from any place, or opened from disk. Links that lead nowhere end it with exit code 1.
"""
import ctypes
import ctypes.util
import html
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
OPTIONS, EXTENSIONS = 1 << 17, (b"table", b"strikethrough", b"autolink")       # HTML of ours stays
LINK = re.compile(r'(<(?:a href|img src)=")([^"]*)(")')
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.S)
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{top}style.css">
</head>
<body>
<nav aria-label="Pages"><a href="{top}index.html">ptxlint</a>{links}</nav>
<main>
{body}</main>
</body>
</html>
"""
STYLE = """:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: flex; flex-wrap: wrap; }
nav { flex: 0 0 12rem; padding: 1rem; display: flex; flex-direction: column; gap: .25rem; }
main { flex: 1 1 40rem; min-width: 0; max-width: 60rem; padding: 1rem 2rem; }
pre, code { font: 14px/1.45 ui-monospace, monospace; }
pre { padding: .75rem; overflow-x: auto; border: 1px solid #8886; border-radius: 6px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top; }
"""


def load_cmark():
    """What renders Markdown as GitHub does."""
    names = [ctypes.util.find_library(name) for name in ("cmark-gfm", "cmark-gfm-extensions")]
    if not all(names):
        print("skipped: no libcmark-gfm")
        sys.exit(77)
    cmark, extensions = (ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL) for name in names)
    for function in (cmark.cmark_parser_new, cmark.cmark_find_syntax_extension, cmark.cmark_parser_finish, cmark.cmark_render_html,
                     cmark.cmark_parser_get_syntax_extensions):
        function.restype = ctypes.c_void_p
    extensions.cmark_gfm_core_extensions_ensure_registered()

    def render(markdown):
        parser, data = ctypes.c_void_p(cmark.cmark_parser_new(OPTIONS)), markdown.encode()
        for name in EXTENSIONS:
            cmark.cmark_parser_attach_syntax_extension(parser, ctypes.c_void_p(cmark.cmark_find_syntax_extension(name)))
        cmark.cmark_parser_feed(parser, data, ctypes.c_size_t(len(data)))
        root = ctypes.c_void_p(cmark.cmark_parser_finish(parser))
        page = cmark.cmark_render_html(root, OPTIONS, ctypes.c_void_p(cmark.cmark_parser_get_syntax_extensions(parser)))
        body = ctypes.string_at(page).decode()
        cmark.cmark_node_free(root)
        cmark.cmark_parser_free(parser)
        return body

    return render


def slug(heading):
    """As GitHub makes anchors: lower case, blanks to hyphens, other signs away."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def add_anchors(body):
    seen = {}

    def anchor(match):
        name = slug(match.group(2))
        seen[name] = seen.get(name, -1) + 1
        name += f"-{seen[name]}" if seen[name] else ""
        return f'<h{match.group(1)} id="{name}">{match.group(2)}</h{match.group(1)}>'

    return HEADING.sub(anchor, body)


def target_of(page):
    """Where a page of the tree lies in the site."""
    path = page.relative_to("docs") if page.parts[0] == "docs" else page
    return pathlib.Path("index.html") if page.name == "README.md" and len(page.parts) == 1 else path.with_suffix(".html")


class Site:
    def __init__(self, folder):
        self.folder, self.render = pathlib.Path(folder), load_cmark()
        docs = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))
        self.pages = [pathlib.Path(name) for name in PAGES] + docs
        self.bodies = {page: add_anchors(self.render((ROOT / page).read_text())) for page in self.pages}
        self.problems = []

    def link(self, page, address):
        """What an address on a page becomes."""
        path, _, anchor = html.unescape(address).partition("#")
        if re.match(r"[a-z]+:", path):
            return address
        wanted = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
        if (ROOT / wanted).is_dir() and wanted / "README.md" not in self.pages:
            return self.copied(page, wanted, address)
        if wanted not in self.bodies:
            return self.copied(page, wanted, address)
        if anchor and f'id="{anchor}"' not in self.bodies[wanted]:
            self.problems.append(f"{page}: {address}: no such heading")
        relative = os.path.relpath(target_of(wanted), target_of(page).parent) if path else ""
        return relative + (f"#{anchor}" if anchor else "")

    def copied(self, page, wanted, address):
        """A picture comes along; other files of the tree are named, since there is no place that they are sure to be at."""
        if not (ROOT / wanted).exists():
            self.problems.append(f"{page}: {address}: no such file")
        elif wanted.suffix in (".png", ".svg"):
            (self.folder / "files").mkdir(exist_ok=True)
            name = str(wanted).replace("/", "-")
            shutil.copyfile(ROOT / wanted, self.folder / "files" / name)
            return os.path.relpath(pathlib.Path("files") / name, target_of(page).parent)
        return ""

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "style.css").write_text(STYLE)
        for page in self.pages:
            target = self.folder / target_of(page)
            target.parent.mkdir(parents=True, exist_ok=True)
            body = LINK.sub(lambda match, page=page: match.group(1) + self.link(page, match.group(2)) + match.group(3), self.bodies[page])
            body = re.sub(r'<a href="">(.*?)</a>', r"\1", body, flags=re.S)
            top = "../" * (len(target_of(page).parts) - 1)
            links = "".join(f'<a href="{top}{target_of(other)}">{html.escape(other.stem)}</a>'
                            for other in self.pages if other.parent == pathlib.Path("docs"))
            title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
            plain = re.sub(r"<[^>]*>", "", title.group(1)) if title else page.stem
            target.write_text(TEMPLATE.format(title=plain, top=top, links=links, body=body))


def main():
    site = Site(sys.argv[1])
    site.write()
    print("\n".join(site.problems) or f"{len(site.pages)} pages")
    sys.exit(1 if site.problems else 0)


main()
