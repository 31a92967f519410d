#!/usr/bin/env python3
"""Every request with its answer, where `<cursor>` marks the places that are asked about."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from client import FULL, ROOT, Client, ServerError, cursor

PROGRAM = sys.argv.pop(1)
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
URI = "file:///t/a.ptx"
KERNEL = HEAD + """.global .align 4 .b8 table[16] = {1, 2};
.func (.reg .b32 %out) twice(.reg .b32 %in)
{
	add.s32 %out, %in, %in;
	ret;
}
.visible .entry _Z3addPfi(.param .u64 p, .param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	add.f32 %f2, %f1, 0f3F800000;
	st.global.f32 [%rd3], %f2;
DONE:
	{
		.reg .b32 %r1;
		mov.u32 %r1, 7;
	}
	ret;
}
"""


def mark(text, before, after=""):
    """KERNEL with a cursor between two texts that stand together in it."""
    assert text.count(before + after) == 1, before + after
    return text.replace(before + after, before + "<cursor>" + after)


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Client(PROGRAM, options={"gpu": "h200", "block": "128", "grid": "64"})

    @classmethod
    def tearDownClass(cls):
        assert cls.client.close() == 0

    def load(self, marked, uri=URI, **more):
        text, places = cursor(marked)
        self.client.open(uri, text, **more)
        self.text = text
        return places[0] if len(places) == 1 else places

    def ask(self, method, marked, **more):
        return self.client.at(method, URI, self.load(marked), **more)

    def whole(self, method, text=KERNEL, **more):
        self.load(text)
        return self.client.request(method, {"textDocument": {"uri": URI}, **more})

    def words(self, found):
        """The texts of locations, with their lines."""
        lines = self.text.split("\n")
        return [(f["range"]["start"]["line"], lines[f["range"]["start"]["line"]][f["range"]["start"]["character"]:f["range"]["end"]["character"]])
                for f in found]

    # ---- hover

    def hover(self, before, after=""):
        self.load(KERNEL)
        self.client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})       # the figures are there
        place = cursor(mark(KERNEL, before, after))[1][0]
        answer = self.client.at("hover", URI, place)
        return answer and answer["contents"]["value"]

    def test_hover_instruction(self):
        text = self.hover("ld.glo", "bal.f32 %f1")
        self.assertIn("[a]", text)
        self.assertIn("h200: ", text)
        self.assertIn("results per clock per SM", text)
        self.assertIn("Latency: 32 cycles (L1), 258 cycles (L2), 555.5 cycles or more (DRAM)", text)

    def test_hover_wrong_modifiers(self):
        place = self.load(HEAD + ".entry k() { .reg .b32 %r<3>; add<cursor>.nonsense %r1, %r1, %r2; ret; }")
        self.assertIn("add", self.client.at("hover", URI, place)["contents"]["value"])

    def test_hover_register(self):
        text = self.hover("setp.ge.u32 %p1, %r", "2, %r1")
        for part in ("**%r2** — register of type `.b32`", "Written in line 18", "Read in lines 19, 21", "from line 18 to 21",
                     "affine in the lane: 1 more from lane to lane"):
            self.assertIn(part, text)

    def test_hover_uniform(self):
        self.assertIn("the same in all threads of the block", self.hover("ld.param.u32 %r", "1, [n]"))

    def test_hover_shadowed(self):
        self.assertIn("Declared in line 28", self.hover("mov.u32 %r", "1, 7"))

    def test_hover_kernel(self):
        text = self.hover("_Z3add", "Pfi(")
        for part in ("kernel", "`add(float*, int)`", "registers", "% occupancy", "about ", "90 % band", ", on h200, block 128x1x1"):
            self.assertIn(part, text)

    def test_hover_others(self):
        for before, after, part in (("0f3F", "800000", "**1.0**"), ("%ti", "d.x", "special register, `.v4.u32`"),
                                    ("bra DO", "NE", "label in line 26, named 1 time"), ("b8 ta", "ble[16]", "16 bytes, aligned to 4"),
                                    ("[", "p]", "parameter in `.param` space"), (".b32 %", "r<8>", "**%r0** to **%r7**"),
                                    ("twi", "ce(", "function")):
            self.assertIn(part, self.hover(before, after), before)

    def test_hover_nothing(self):
        self.assertIsNone(self.hover(".address_size 64", "\n"))

    def test_numbers(self):
        for number, value in (("0f7F800000", "inf"), ("0fC0490FDB", "-3.1415927"), ("0d3FF0000000000000", "1.0"), ("0x1F", "31"),
                              ("0b101", "5"), ("017", "15"), ("0f7FC00000", "NaN"), ("0f00000001", "1e-45"), ("0xFFFFFFFFFFFFFFFFU", "18446744073709551615")):
            place = self.load(HEAD + f".entry k() {{ .reg .b64 %r<3>; mov.b64 %r1, <cursor>{number}; ret; }}")
            self.assertIn(f"**{value}**", self.client.at("hover", URI, place)["contents"]["value"])

    # ---- navigation

    def test_definition(self):
        for before, after, words in (("@%p", "1 bra", [(18, "%p1")]), ("bra D", "ONE", [(25, "DONE")]), ("[", "p]", [(9, "p")]),
                                     ("mov.u32 %r", "1, 7", [(28, "%r1")]), ("ge.u32 %p1, %r2, %r", "1", [(16, "%r1")])):
            found = self.ask("definition", mark(KERNEL, before, after))
            self.assertEqual(self.words(found), words, before)

    def test_declaration(self):
        self.assertEqual(self.words([self.ask("declaration", mark(KERNEL, "@%p", "1 bra"))]), [(11, "%p")])

    def test_references(self):
        found = self.ask("references", mark(KERNEL, "add.s64 %rd", "3"), context={"includeDeclaration": True})
        self.assertEqual(self.words(found), [(14, "%rd"), (21, "%rd3"), (22, "%rd3"), (24, "%rd3")])
        found = self.ask("references", mark(KERNEL, "add.s64 %rd", "3"), context={"includeDeclaration": False})
        self.assertEqual(len(found), 3)

    def test_references_to_shadowed(self):
        """The %r1 of the inner scope is another one than that of the kernel."""
        found = self.ask("references", mark(KERNEL, "mov.u32 %r", "1, 7"), context={"includeDeclaration": True})
        self.assertEqual(self.words(found), [(27, "%r1"), (28, "%r1")])

    def test_highlight(self):
        found = self.ask("documentHighlight", mark(KERNEL, "add.f32 %f", "2"))
        self.assertEqual([(w, f["kind"]) for w, f in zip(self.words(found), found)], [((23, "%f2"), 3), ((24, "%f2"), 2)])

    def test_initialisers_and_calls(self):
        text = HEAD + (".global .u32 a; .global .u64 b[1] = {<cursor>a};\n.func f() { ret; }\n"
                       ".entry k() { call f; ret; }\n")
        self.assertEqual(self.words(self.ask("definition", text)), [(3, "a")])
        text = text.replace("<cursor>", "").replace("call f", "call <cursor>f")
        self.assertEqual(self.words(self.ask("definition", text)), [(4, "f")])

    def test_branch_targets(self):
        text = HEAD + (".entry k() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; T: .branchtargets A<cursor>0, A1;\n brx.idx %r1, T;\nA0: ret;\nA1: ret; }\n")
        self.assertEqual(self.words(self.ask("definition", text)), [(5, "A0")])

    def test_nothing_there(self):
        self.assertIsNone(self.ask("references", mark(KERNEL, ".version", " 8.0"), context={"includeDeclaration": True}))

    # ---- rename

    def renamed(self, marked, name):
        edit = self.ask("rename", marked, newName=name)["changes"][URI]
        lines = self.text.split("\n")
        for change in sorted(edit, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
            start, end = change["range"]["start"], change["range"]["end"]
            self.assertEqual(start["line"], end["line"])
            line = lines[start["line"]]
            lines[start["line"]] = line[:start["character"]] + change["newText"] + line[end["character"]:]
        return "\n".join(lines)

    def test_rename(self):
        new = self.renamed(mark(KERNEL, "bra D", "ONE"), "END")
        self.assertEqual(new, KERNEL.replace("DONE", "END"))
        new = self.renamed(mark(KERNEL, "st.global.f32 [%rd3], %f", "2"), "%g2")
        self.assertEqual(new, KERNEL.replace("%f", "%g"))
        new = self.renamed(mark(KERNEL, "mov.u32 %r", "1, 7"), "%inner")
        self.assertEqual(new, KERNEL.replace(".reg .b32 %r1;", ".reg .b32 %inner;").replace("mov.u32 %r1, 7", "mov.u32 %inner, 7"))
        new = self.renamed(mark(KERNEL, "twi", "ce("), "thrice")
        self.assertEqual(new, KERNEL.replace("twice", "thrice"))

    def test_prepare_rename(self):
        answer = self.ask("prepareRename", mark(KERNEL, "bra D", "ONE"))
        self.assertEqual((answer["placeholder"], self.words([answer])), ("DONE", [(19, "DONE")]))
        self.assertIsNone(self.ask("prepareRename", mark(KERNEL, "%ti", "d")))

    def test_rename_refused(self):
        for before, after, name in (("bra D", "ONE", "1x"), ("bra D", "ONE", "%"), ("bra D", "ONE", "a-b"), ("bra D", "ONE", ""),
                                    ("st.global.f32 [%rd3], %f", "2", "%g3"), ("st.global.f32 [%rd3], %f", "2", "%rd2"),
                                    ("mov.u32 %r", "1, 7", "%tid"), ("mov.u32 %r", "1, 7", "%envreg3"), ("mov.u32 %r", "1, 7", "%r5"),
                                    ("[", "p]", "n"), (".version", " 8", "x")):
            with self.assertRaises(ServerError, msg=name):
                self.ask("rename", mark(KERNEL, before, after), newName=name)

    # ---- the file

    def test_symbols(self):
        found = self.whole("textDocument/documentSymbol")
        self.assertEqual([f["name"] for f in found], ["table", "twice", "add(float*, int)"])
        self.assertEqual([c["name"] for c in found[2]["children"]], ["p", "n", "%p", "%r", "%f", "%rd", "DONE", "%r1"])
        for f in found + found[2]["children"]:
            self.assertLessEqual((f["range"]["start"]["line"], f["range"]["start"]["character"]),
                                 (f["selectionRange"]["start"]["line"], f["selectionRange"]["start"]["character"]))

    def test_symbols_flat(self):
        client = Client(PROGRAM, {})
        client.open(URI, KERNEL)
        found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        self.assertIn(("DONE", "_Z3addPfi"), [(f["name"], f.get("containerName")) for f in found])
        self.assertEqual(client.close(), 0)

    def test_folding(self):
        found = self.whole("textDocument/foldingRange", "// a\n// b\n" + KERNEL + ".section .debug_info {\n.b8 1\n,2\n}\n")
        self.assertEqual([(f["startLine"], f["endLine"], f["kind"]) for f in found],
                         [(0, 1, "comment"), (7, 9, "region"), (28, 30, "region"), (12, 32, "region"), (34, 36, "region")])

    def decoded(self, data):
        legend = self.client.capabilities["capabilities"]["semanticTokensProvider"]["legend"]
        lines, line, character, out = self.text.split("\n"), 0, 0, []
        for i in range(0, len(data), 5):
            line, character = line + data[i], data[i + 1] + (character if not data[i] else 0)
            marks = [m for b, m in enumerate(legend["tokenModifiers"]) if data[i + 4] >> b & 1]
            out.append((lines[line][character:character + data[i + 2]], legend["tokenTypes"][data[i + 3]], *marks))
        return out

    def test_semantic(self):
        tokens = self.decoded(self.whole("textDocument/semanticTokens/full")["data"])
        for token in (("ld", "keyword"), (".global", "modifier"), (".f32", "type"), ("%rd3", "variable", "modification"), ("DONE", "label", "declaration"),
                      ("DONE", "label"), ("p", "parameter", "declaration"), ("%tid", "variable", "readonly", "defaultLibrary"), (".x", "modifier"),
                      ("twice", "function", "declaration"), (".entry", "macro"), ("0f3F800000", "number"), ("%p1", "variable"), ("bra", "keyword")):
            self.assertIn(token, tokens)
        self.assertNotIn("%f1", [t[0] for t in tokens if t[1] == "keyword"])

    def test_semantic_range_and_comments(self):
        text = "/* one\n two */ // \U0001F600 x\n" + HEAD + ".entry k() { ret; }\n"
        tokens = self.decoded(self.whole("textDocument/semanticTokens/full", text)["data"])
        self.assertEqual(tokens[:2], [("/* one", "comment"), (" two */", "comment")])
        part = self.whole("textDocument/semanticTokens/range", text,
                          range={"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}})
        self.assertEqual(self.decoded(part["data"]), [(".version", "macro"), ("8.0", "number")])

    def test_long_line(self):
        """Tables of compilers stand on one line: what a token takes must not grow with it."""
        text = HEAD + ".global .b8 table[80000] = {" + ", ".join(["17"] * 80000) + "};\n"
        tokens = self.decoded(self.whole("textDocument/semanticTokens/full", text)["data"])
        self.assertEqual((len(tokens), tokens[-1]), (80009, ("17", "number")))

    def test_vector_operands(self):
        text = HEAD + ".entry k(.param .u64 p) { .reg .f32 %f<5>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1]; ret; }"
        tokens = self.decoded(self.whole("textDocument/semanticTokens/full", text)["data"])
        self.assertIn(("%f1", "variable", "modification"), tokens)
        self.assertIn(("ret", "keyword"), tokens)

    def test_no_space(self):
        """A variable that is written without a state space, as while it is typed."""
        for line in (".visible .b32 x;", ".align 4 .b32 x;", ".entry k()\n{\n\t.b32 x;\n\tret;\n}"):
            found = self.whole("textDocument/documentSymbol", HEAD + line + "\n")
            found += [child for f in found for child in f.get("children", [])]
            self.assertNotIn("detail", next(f for f in found if f["name"] == "x"))
            text = self.ask("hover", HEAD + line.replace("x;", "x<cursor>;") + "\n")["contents"]["value"]
            self.assertTrue(text.startswith("**x** \u2014 variable of type `.b32`"), text)

    # ---- completion

    def labels(self, line, head=HEAD):
        marked = head + ".visible .entry k(.param .u64 prm)\n{\n\t.reg .b32 %r<4>;\n\tmov.u32 %r1, 0;\nHERE:\n\t" + line + "\n}\n"
        return [i["label"] for i in self.ask("completion", marked)["items"]]

    def test_complete_opcodes(self):
        labels = self.labels("<cursor>")
        self.assertIn("ld", labels)
        self.assertIn("wgmma", labels)
        self.assertNotIn("wgmma", self.labels("<cursor>", HEAD.replace("sm_90", "sm_75")))

    def test_complete_modifiers(self):
        labels = self.labels("ld.<cursor>")
        for label in (".global", ".shared", ".param"):
            self.assertIn(label, labels)
        self.assertNotIn(".add", labels)
        self.assertIn(".f32", self.labels("ld.global.<cursor>"))
        self.assertNotIn(".shared", self.labels("ld.global.<cursor>"))
        self.assertIn(".f32", self.labels("add.rn.<cursor>"))
        self.assertEqual(self.labels("nonsense.<cursor>"), [])

    def test_complete_modifiers_of_the_target(self):
        old, new = self.labels("cvt.rn.<cursor>", HEAD.replace("sm_90", "sm_75")), self.labels("cvt.rn.<cursor>")
        self.assertIn(".f16", old)
        self.assertIn(".bf16", new)
        self.assertNotIn(".bf16", old)

    def test_complete_replaces_the_word(self):
        items = self.ask("completion", HEAD + ".entry k() {\n\tld.glo<cursor>\n}")["items"]
        edit = next(i["textEdit"] for i in items if i["label"] == ".global")
        self.assertEqual(edit["range"], {"start": {"line": 4, "character": 3}, "end": {"line": 4, "character": 7}})

    def test_complete_names(self):
        labels = self.labels("add.s32 %r2, %<cursor>")
        self.assertIn("%r1", labels)
        self.assertIn("%tid", labels)
        self.assertNotIn("HERE", labels)
        self.assertEqual(self.labels("bra <cursor>"), ["HERE"])
        self.assertIn("prm", self.labels("ld.param.u64 %r1, [<cursor>"))
        self.assertIn(".entry", [i["label"] for i in self.ask("completion", HEAD + ".<cursor>\n")["items"]])
        self.assertIn(".f32", self.labels(".reg .<cursor>"))
        self.assertEqual(self.labels("// ld.<cursor>"), [])
        for guard in ("@<cursor>", "@!<cursor>", "@%<cursor>"):
            self.assertEqual(self.labels(".reg .pred %p;\n\t" + guard), ["%p"])

    def test_signature(self):
        for line, active in (("add.s32 <cursor>", 0), ("add.s32 %r1, <cursor>", 1), ("add.s32 %r1, %r2, <cursor>", 2),
                             ("ld.global.v2.f32 {%r1, %r2}, <cursor>", 1)):
            answer = self.ask("signatureHelp", HEAD + f".entry k() {{ .reg .b32 %r<4>;\n\t{line}\n}}")
            self.assertEqual(answer["activeParameter"], active, line)
            first = answer["signatures"][0]
            begin, end = first["parameters"][active]["label"]
            self.assertLess(begin, end)
            self.assertLessEqual(end, len(first["label"]))
        self.assertIsNone(self.ask("signatureHelp", HEAD + ".entry k() {\n\tadd<cursor>\n}"))

    # ---- figures

    def test_lens(self):
        found = self.whole("textDocument/codeLens")
        titles = [f["command"]["title"] for f in found]
        self.assertEqual(len(titles), 2)
        for part in ("registers", "occupancy", "about ", "90 % band"):
            self.assertIn(part, titles[0])
        self.assertEqual(titles[1], "h200, block 128x1x1")
        self.assertEqual(found[0]["range"]["start"], {"line": 9, "character": 16})

    def test_hints(self):
        text = HEAD + (".visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .f32 %f<4>;\n\t.reg .b64 %rd<6>;\n\tld.param.u64 %rd1, [p];\n"
                       "\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd2, %r1, 128;\n\tadd.s64 %rd3, %rd1, %rd2;\nLOOP:\n\tld.global.f32 %f1, [%rd3];\n"
                       "\tadd.f32 %f2, %f1, 0f3F800000;\n\tst.global.f32 [%rd3], %f2;\n\tret;\n}\n")
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        found = self.whole("textDocument/inlayHint", text, range=everything)
        self.assertEqual(sorted((f["position"]["line"], f["label"]) for f in found),
                         [(12, "3 registers live"), (13, "about 32 sectors, 4 would do"), (14, "= 1.0"), (15, "about 32 sectors, 4 would do")])
        part = self.whole("textDocument/inlayHint", text, range={"start": {"line": 14, "character": 0}, "end": {"line": 14, "character": 99}})
        self.assertEqual([f["label"] for f in part], ["= 1.0"])

    def test_report(self):
        report = self.whole("ptxlint/report")
        self.assertEqual(report["schema"], "ptxlint-report/1")
        self.assertIn("_Z3addPfi", json.dumps(report))
        self.assertIn("_Z3addPfi", self.whole("ptxlint/report", format="text")["text"])
        with self.assertRaises(ServerError):
            self.whole("ptxlint/report", format="pdf")

    # ---- actions

    def actions(self, text, **context):
        self.load(text)
        self.client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        return self.client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": everything,
                                                               "context": {"diagnostics": [], **context}})

    def applied(self, text, action):
        lines = text.split("\n")
        for edit in sorted(action["edit"]["changes"][URI], key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            tail = lines[end["line"]][end["character"]:]
            lines[start["line"]:end["line"] + 1] = (lines[start["line"]][:start["character"]] + edit["newText"] + tail).split("\n")
        return "\n".join(lines)

    def test_fix(self):
        text = HEAD + ".visible .entry k()\n{\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, 1\n\tst.shared.u32 [0], %r1;\n\tret;\n}\n"
        found = self.actions(text)
        fixes = [a for a in found if "edit" in a and a["title"].startswith("Insert `;`")]
        self.assertTrue(fixes, found)
        self.assertIn("mov.u32 %r1, 1;", self.applied(text, fixes[0]))

    def test_ignore(self):
        text = HEAD + ".visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
        found = self.actions(text)
        ignore = next(a for a in found if a["title"].startswith("Ignore COR"))
        new = self.applied(text, ignore)
        self.assertIn("\t// ptxlint: ignore[COR", new)
        rule = ignore["title"].split()[1]
        self.client.open(URI, new)
        self.client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
        last = None
        while (message := self.client.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics")) is not None:
            last = message["params"]["diagnostics"]
            if not any(d["code"] == rule for d in last):
                break
        explain = next(a for a in found if a["title"].startswith("Explain " + rule))
        page = self.client.request("workspace/executeCommand", {"command": explain["command"]["command"], "arguments": explain["command"]["arguments"]})
        self.assertTrue(page["value"].startswith("# " + rule))

    def test_only(self):
        self.assertEqual(self.actions(KERNEL, only=["refactor"]), [])
        text = HEAD + ".visible .entry k()\n{\n\tret;\n}\n"
        self.assertEqual(self.actions("\ufeff" + text, only=["source.fixAll"])[0]["kind"], "source.fixAll.ptxlint")

    def test_commands(self):
        for command, arguments in (("no.such", []), ("ptxlint.explain", ["NONE1"]), ("ptxlint.pickGpu", ["none"])):
            with self.assertRaises(ServerError):
                self.client.request("workspace/executeCommand", {"command": command, "arguments": arguments})

    # ---- .ptxlint.yaml

    def test_config(self):
        uri = "file:///t/.ptxlint.yaml"
        self.client.open(uri, "select: [THR]\nno-such-key: 3\n", "yaml")
        found = self.client.diagnostics(uri, lambda items: items)["diagnostics"]
        self.assertEqual((found[0]["range"]["start"]["line"], found[0]["severity"]), (1, 1))
        self.client.change(uri, 2, {"text": "select: [THR]\n"})
        self.client.diagnostics(uri, lambda items: not items)

    def test_config_completion(self):
        uri = "file:///t/.ptxlint.yaml"
        for marked, label in (("<cursor>", "select"), ("sel<cursor>", "per-kernel-ignore"), ("select: [<cursor>", "THR102"),
                              ("ignore:\n  - <cursor>", "throughput"), ("gpu: [<cursor>]", "h200")):
            text, places = cursor(marked)
            self.client.open(uri, text, "yaml")
            items = self.client.at("completion", uri, places[0])["items"]
            self.assertIn(label, [i["label"] for i in items], marked)


class Settings(unittest.TestCase):
    """GPUs and launches: of the client, of config files, asked for by a lens."""

    def titles(self, client):
        lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": self.uri}})
        return [lens["command"]["title"] for lens in lenses]

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.uri = (self.folder / "a.ptx").as_uri()

    def test_of_the_client(self):
        client = Client(PROGRAM, options={"gpu": "h200", "block": "64"})
        client.open(self.uri, KERNEL)
        self.assertEqual(self.titles(client)[1], "h200, block 64x1x1")
        client.notify("workspace/didChangeConfiguration", {"settings": {"ptxlint": {"gpu": "a100", "block": None}}})
        self.assertEqual(self.titles(client)[1], "a100, block 256x1x1 (assumed)")
        client.notify("workspace/didChangeConfiguration", {"settings": {"gpu": "no-such-gpu"}})
        self.assertTrue(self.titles(client))
        self.assertEqual(client.close(), 0)

    def test_of_the_command_line(self):
        client = Client(PROGRAM, arguments=["--gpu", "h100", "--stdio"])
        client.open(self.uri, KERNEL)
        self.assertTrue(self.titles(client)[1].startswith("h100"))
        self.assertEqual(client.close(), 0)

    def test_of_a_config_file(self):
        config = self.folder / ".ptxlint.yaml"
        config.write_text("gpu: [a100]\nselect: [SYN]\n")
        client = Client(PROGRAM)
        client.open(self.uri, KERNEL)
        self.assertTrue(self.titles(client)[1].startswith("a100"))
        config.write_text("gpu: [h200]\n")
        client.open(config.as_uri(), "gpu: [h200]\n", "yaml")
        client.notify("textDocument/didSave", {"textDocument": {"uri": config.as_uri()}})
        self.assertTrue(self.titles(client)[1].startswith("h200"))
        self.assertEqual(client.close(), 0)

    def test_picked(self):
        client = Client(PROGRAM)
        client.open(self.uri, KERNEL)
        self.titles(client)
        client.request("workspace/executeCommand", {"command": "ptxlint.pickGpu", "arguments": [self.uri]})
        question = client.wait(lambda m: m.get("method") == "window/showMessageRequest")
        self.assertIn({"title": "h200"}, question["params"]["actions"])
        client.send({"id": question["id"], "result": {"title": "h200"}})
        self.assertTrue(self.titles(client)[1].startswith("h200"))
        client.request("workspace/executeCommand", {"command": "ptxlint.setLaunch", "arguments": [{"block": "32", "grid": "9"}]})
        self.assertEqual(self.titles(client)[1], "h200, block 32x1x1")
        self.assertEqual(client.close(), 0)


class Cuda(unittest.TestCase):
    """Findings and places of the CUDA file that a .loc names, in a folder of blanks and letters that are not ASCII."""

    def setUp(self):
        whole = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, whole)
        self.folder = whole / "m\u00f6 \u6838 #%20"
        self.folder.mkdir()
        self.source = self.folder / "a b.cu"
        self.source.write_text("one\ntwo\nthree\n")
        self.ptx = HEAD + ('.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\t.loc 1 3 2\n'
                           '\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n.file 1 "a b.cu"\n')
        self.uri = (self.folder / "a.ptx").as_uri()

    def test_diagnostics(self):
        client = Client(PROGRAM)
        client.open(self.uri, self.ptx)
        found = client.diagnostics(self.uri, lambda items: any(i["code"] == "COR101" for i in items))["diagnostics"]
        item = next(i for i in found if i["code"] == "COR101")
        self.assertIn(self.source.as_uri(), [r["location"]["uri"] for r in item["relatedInformation"]])
        self.assertTrue(item["codeDescription"]["href"].endswith("COR101"))
        cuda = client.diagnostics(self.source.as_uri())["diagnostics"]
        self.assertEqual(cuda[0]["range"]["start"], {"line": 2, "character": 1})
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        self.assertEqual(client.diagnostics(self.source.as_uri())["diagnostics"], [])
        self.assertEqual(client.close(), 0)

    def test_both_ways(self):
        client = Client(PROGRAM)
        client.open(self.uri, self.ptx)
        client.open(self.source.as_uri(), self.source.read_text(), "cuda-cpp")
        there = client.at("implementation", self.uri, {"line": 9, "character": 4})
        self.assertEqual((there["uri"], there["range"]["start"]), (self.source.as_uri(), {"line": 2, "character": 1}))
        self.assertEqual(client.at("definition", self.uri, {"line": 9, "character": 4})["uri"], self.source.as_uri())
        back = client.at("implementation", self.source.as_uri(), {"line": 2, "character": 0})
        self.assertEqual([(b["uri"], b["range"]["start"]["line"]) for b in back], [(self.uri, 9), (self.uri, 10)])
        self.assertEqual(client.close(), 0)

    def test_figures(self):
        """Code lens and hover of the CUDA file, by the PTX that is open."""
        client = Client(PROGRAM)
        uri = self.source.as_uri()
        client.open(uri, self.source.read_text(), "cuda-cpp")
        lens = {"textDocument": {"uri": uri}}
        self.assertEqual(client.request("textDocument/codeLens", lens), [])
        self.assertIsNone(client.at("hover", uri, {"line": 2, "character": 0}))
        client.open(self.uri, self.ptx)
        own = client.request("textDocument/codeLens", {"textDocument": {"uri": self.uri}})
        found = client.request("textDocument/codeLens", lens)
        self.assertEqual([f["range"]["start"] for f in found], [{"line": 2, "character": 0}])
        self.assertEqual(found[0]["command"]["title"], f"k: {own[0]['command']['title']} ({own[1]['command']['title']})")
        text = client.at("hover", uri, {"line": 2, "character": 0})["contents"]["value"]
        self.assertIn("**k**", text)
        self.assertIn("Line 3: 2 PTX instructions", text)
        self.assertIsNone(client.at("hover", uri, {"line": 1, "character": 0}))
        client.change(uri, 2, {"text": "zero\none\ntwo\nthree\n"})
        self.assertIn("of PTX that is older than this file", client.request("textDocument/codeLens", lens)[0]["command"]["title"])
        self.assertIn("older than this file", client.at("hover", uri, {"line": 2, "character": 0})["contents"]["value"])
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        self.assertEqual(client.request("textDocument/codeLens", lens), [])
        self.assertEqual(client.close(), 0)

    def newer(self, client, *wanted):
        """What is said of age in the CUDA file, one publication after the other."""
        for is_newer in wanted:
            items = client.diagnostics(self.source.as_uri())["diagnostics"]
            self.assertEqual(["newer than the PTX" in i["message"] for i in items], [is_newer] * len(items))
            self.assertTrue(items)

    def test_edited_source(self):
        client = Client(PROGRAM)
        client.open(self.source.as_uri(), self.source.read_text(), "cuda-cpp")
        client.open(self.uri, self.ptx)
        self.newer(client, False)
        client.change(self.source.as_uri(), 2, {"text": "zero\none\ntwo\nthree\n"})
        self.newer(client, True)
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.source.as_uri()}})
        self.newer(client, False)
        self.assertEqual(client.close(), 0)

    def test_newer_source(self):
        place = self.folder / "a.ptx"
        place.write_text(self.ptx)
        for seconds, is_newer in ((-100, True), (100, False)):
            at = self.source.stat().st_mtime + seconds
            os.utime(place, (at, at))
            client = Client(PROGRAM)
            client.open(self.uri, self.ptx)
            self.newer(client, is_newer)
            self.assertEqual(client.close(), 0)

    def test_two_spellings(self):
        """A client need not spell a URI as it did when it opened the file."""
        uri = self.uri.replace("a.ptx", "a%2bb.ptx")
        client = Client(PROGRAM)
        client.open(uri, self.ptx)
        for other in (uri.replace("%2b", "+"), uri.replace("%2b", "%2B"), uri.replace("file:///", "file://localhost/")):
            self.assertIsNotNone(client.at("hover", other, {"line": 9, "character": 4}))
        client.open(uri.replace("%2b", "+"), self.ptx)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        with self.assertRaises(ServerError):
            client.at("hover", uri, {"line": 9, "character": 4})
        self.assertEqual(client.close(), 0)


class Progress(unittest.TestCase):
    def test_long_analysis(self):
        """More kernels than half a second is enough for."""
        capabilities = json.loads(json.dumps(FULL))
        capabilities["window"]["workDoneProgress"] = True
        capabilities["workspace"] = {"codeLens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True}}
        client = Client(PROGRAM, capabilities, options={"gpu": "h200", "grid": "64", "block": "128"})
        kernel = KERNEL[KERNEL.index(".visible"):]
        client.open(URI, HEAD + "".join(kernel.replace("_Z3addPfi", f"k{i}") for i in range(15000)))
        question = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create", 100)
        client.send({"id": question["id"], "result": None})
        token = question["params"]["token"]
        steps = [client.wait(lambda m: m.get("method") == "$/progress" and m["params"]["token"] == token, 100)["params"]["value"]["kind"]
                 for _ in range(2)]
        self.assertEqual(steps, ["begin", "end"])
        client.process.kill()
        client.end()


class Pull(unittest.TestCase):
    def test_pull(self):
        capabilities = json.loads(json.dumps(FULL))
        capabilities["textDocument"]["diagnostic"] = {}
        client = Client(PROGRAM, capabilities)
        self.assertIn("diagnosticProvider", client.capabilities["capabilities"])
        client.open(URI, KERNEL.replace("mov.u32 %r2, %tid.x;", ""))
        first = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        self.assertIn("COR101", [i["code"] for i in first["items"]])
        again = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}, "previousResultId": first["resultId"]})
        self.assertEqual(again, {"kind": "unchanged", "resultId": first["resultId"]})
        self.assertEqual([m for m in client.held if m.get("method") == "textDocument/publishDiagnostics"], [])
        self.assertEqual(client.close(), 0)


if __name__ == "__main__":
    unittest.main()
