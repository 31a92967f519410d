#!/usr/bin/env python3
"""check-page.py PTXLINT -- the page of a report, parsed without a browser: each part has its rows, a link its target, a picture of each access
is there, and no name or comment of the input becomes an element. What scripts do is in page.cjs."""
import html.parser
import json
import pathlib
import subprocess
import sys
import tempfile

PTXLINT = pathlib.Path(sys.argv[1]).resolve()
EVIL = "</script></td><script>x()</script><!-- \" ' <img src=x onerror=x()> &lt; \u202e"
VOID = {"meta", "br", "input", "col"}
LOOSE = {"tr", "td", "th", "thead", "tbody"}            # ended by what follows, where the page has many
OWN = {"html", "head", "meta", "title", "style", "body", "a", "header", "p", "button", "main", "section", "h1", "h2", "h4", "label", "input", "div", "table",
       "thead", "tbody", "tr", "td", "th", "span", "details", "summary", "article", "b", "figure", "figcaption", "svg", "path", "rect", "text", "g", "code",
       "br", "script", "circle", "line", "footer", "ul", "li", "caption", "h3", "small", "pre", "em", "kbd"}
PTX = """.version 8.0
.target sm_90
.address_size 64
.file 1 "a.cu"
.visible .entry NAME(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .pred %q<2>;
	.shared .align 4 .b8 tile_NAME[4096];
	.loc 1 2 1
	ld.param.u64 %rd1, [p];	// EVIL
	ld.param.u32 %r7, [n];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, STRIDE;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	mov.u32 %r2, tile_NAME;
	mad.lo.u32 %r3, %r1, 128, 0;
	and.b32 %r4, %r3, 4095;
	add.u32 %r4, %r4, %r2;
	mov.u32 %r6, 0;
LOOP_NAME:
	.loc 1 3 1
	st.shared.f32 [%r2+4], %f1;
	ld.shared.f32 %f2, [%r4];
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %q1, %r6, %r7;
	@%q1 bra LOOP_NAME;
	st.global.f32 [%rd3], %f2;
	ret;
}
"""
problems = []


def expect(what, got, wanted):
    if got != wanted:
        problems.append(f"{what}: got {got!r}, want {wanted!r}")


class Page(html.parser.HTMLParser):
    """Elements with their attributes and parts, the rows of each part, ids, links, and the text of the JSON."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.ids, self.links, self.labels = [], [], [], [], []
        self.rows, self.text, self.json, self.part = {}, {}, "", None
        self.feed(text)
        self.close()
        expect("elements that stay open", self.open, [])

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "details" or (tag == "section" and attributes.get("id") == "overview"):
            self.part = attributes["id"]
        if tag == "tr":
            self.rows[self.part] = self.rows.get(self.part, 0) + 1
        if "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "svg":
            self.labels.append((self.part, attributes.get("aria-label")))
        if tag not in VOID | LOOSE and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag not in VOID | LOOSE and (not self.open or self.open.pop() != tag):
            problems.append(f"line {self.getpos()[0]}: </{tag}> ends nothing")

    def handle_data(self, data):
        if self.elements and self.elements[-1][1].get("id") == "report-json" and self.open[-1:] == ["script"]:
            self.json += data
        self.text[self.part] = self.text.get(self.part, "") + data


def page_of(folder, *words):
    done = subprocess.run([PTXLINT, "report", "--no-config", "--format", "html", *words, "a.ptx"], cwd=folder, capture_output=True, check=False, timeout=60)
    expect(f"{words}: status and stderr", (done.returncode in (0, 1), done.stderr), (True, b""))
    text = done.stdout.decode()
    expect(f"{words}: controls and bidi as they are", sorted(set(text) & set("\u202e\u0007")), [])
    return Page(text)


def check_links(what, page):
    """Each id once, each link within the page, no attribute that runs something, no element from outside."""
    expect(f"{what}: an id twice", sorted({i for i in page.ids if page.ids.count(i) > 1}), [])
    expect(f"{what}: links without a target", sorted({link for link in page.links if link[:1] != "#" or link[1:] not in page.ids}), [])
    expect(f"{what}: elements from outside", sorted({tag for tag, _ in page.elements} - OWN), [])
    expect(f"{what}: attributes that run or load", [(tag, name) for tag, attributes in page.elements for name in attributes
                                                    if name.startswith("on") or name in ("src", "action", "data")], [])
    expect(f"{what}: scripts", sum(tag == "script" for tag, _ in page.elements), 2)


def check_rows(what, page):
    """Rows of the parts are those of the JSON that the page carries."""
    kernels = [kernel for file in json.loads(page.json)["files"] for kernel in file["kernels"]]
    expect(f"{what}: kernels", (len(kernels), page.rows["overview"] - 1), (2, 2))
    by_name = {kernel["name"]: kernel for kernel in kernels}
    for number, name in ((1, "slow"), (2, "quick")):
        lines = [row for row in page.ids if row.startswith(f"k{number}-l") and row[len(f"k{number}-l"):].isdigit()]
        expect(f"{what}: {name}: lines of code", len(lines) >= 20, True)
        expect(f"{what}: {name}: loops", page.rows.get(f"k{number}-loops"), 1 + len(by_name[name]["loops"]))
        findings = [e for e in page.elements if e[0] == "article" and "finding" in e[1].get("class", "")]
        expect(f"{what}: findings have an id", all(attributes.get("id") for _, attributes in findings), True)
    return kernels


LAUNCH = ("--grid", "64", "--block", "256", "--param", "n=9", "--gpu", "h200")


def check_page():
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(PTX.replace("NAME", name).replace("STRIDE", stride).replace("EVIL", EVIL) if not i else
                       PTX[PTX.index(".visible"):].replace("NAME", name).replace("STRIDE", stride).replace("EVIL", EVIL)
                       for i, (name, stride) in enumerate((("slow", "128"), ("quick", "4"))))
        pathlib.Path(folder, "a.ptx").write_text(text, encoding="utf-8")
        pathlib.Path(folder, "a.cu").write_text(f"// {EVIL}\n__global__ void slow() {{ // {EVIL}\n    int x; // </STYLE>\n}}\n", encoding="utf-8")
        for what, words in (("launch", LAUNCH), ("no launch", ("--gpu", "h200")), ("source", (*LAUNCH, "--source-root", ".")),
                            ("GPUs", ("--grid", "64", "--block", "256", "--gpu", "h200,a100"))):
            page = page_of(folder, *words)
            check_links(what, page)
            check_rows(what, page)
            if what == "source":
                expect("source: a line of CUDA", "int x; // </STYLE>" in page.text["k1-code"], True)
                expect("source: its comment is text", EVIL[:20] in page.text["k1-code"], True)
            if what in ("launch", "source"):
                titles = [label for part, label in page.labels if part == "k1-accesses"]
                expect(f"{what}: pictures of sectors and passes", (any("sectors" in t for t in titles), any("pass" in t for t in titles)), (True, True))
                parts = [part for part, label in page.labels if label and label.startswith("Predicted time")]
                expect(f"{what}: charts of time", parts, ["k1-time", "k2-time"])


check_page()
print("\n".join(problems))
sys.exit(bool(problems))
