#!/usr/bin/env python3
"""The life of a session: errors before and after it, cancelling, exit codes, frames that come in pieces or are broken."""
import os
import pathlib
import resource
import subprocess
import sys
import time
import unittest

from client import FULL, ROOT, Client, ServerError

PROGRAM = sys.argv.pop(1)
PTX = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"


def ticks_of(client):
    """Hundredths of seconds that it has computed."""
    return sum(map(int, pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


class Lifecycle(unittest.TestCase):
    def fails(self, code, call, *arguments):
        with self.assertRaises(ServerError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.code, code)

    def test_proper_end(self):
        client = Client(PROGRAM)
        self.assertEqual(client.close(), 0)
        self.assertEqual(client.errors, b"")

    def test_before_initialize(self):
        client = Client(PROGRAM, start=False)
        self.fails(-32002, client.request, "textDocument/hover", {})
        client.notify("textDocument/didOpen", {})
        client.notify("exit", None)
        self.assertEqual(client.end(), 1)

    def test_after_shutdown(self):
        client = Client(PROGRAM)
        self.assertIsNone(client.request("shutdown"))
        self.fails(-32600, client.request, "textDocument/hover", {})
        client.notify("exit", None)
        self.assertEqual(client.end(), 0)

    def test_exit_without_shutdown(self):
        client = Client(PROGRAM)
        client.notify("exit", None)
        self.assertEqual(client.end(), 1)

    def test_end_of_input(self):
        client = Client(PROGRAM)
        client.process.stdin.close()
        self.assertEqual(client.end(), 1)

    def test_settings_change_meanwhile(self):
        """A hover is answered, and in the end what is found is of the text and the settings that came last."""
        kernel = (ROOT / "testdata/ptx/gemm.sm_80.ptx").read_text()
        body = kernel[kernel.index(".visible"):]
        long = kernel + "".join(body.replace(".entry ", f".entry k{i}") for i in range(8))
        client, uri = Client(PROGRAM), "file:///s.ptx"
        for i, gpu in enumerate(["h100", "a100", None, "h200"]):
            client.open(uri, long + f"// {i}\n")
            time.sleep(0.15 * (i % 2))
            client.notify("workspace/didChangeConfiguration", {"settings": {"gpu": gpu}})
            client.at("hover", uri, {"line": 30, "character": 4})
        client.change(uri, 2, {"text": kernel})
        settled = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
        fresh = Client(PROGRAM, options={"gpu": "h200"})
        fresh.open(uri, kernel)
        self.assertEqual(settled, fresh.request("textDocument/codeLens", {"textDocument": {"uri": uri}}))
        last = [m["params"]["diagnostics"] for m in client.held if m.get("method") == "textDocument/publishDiagnostics"][-1]
        first = [m["params"]["diagnostics"] for m in fresh.held if m.get("method") == "textDocument/publishDiagnostics"][-1]
        self.assertEqual(last, first)
        self.assertEqual((client.close(), fresh.close()), (0, 0))

    def test_unknown(self):
        client = Client(PROGRAM)
        client.notify("no/such", {})
        client.notify("$/no/such", {})
        self.fails(-32601, client.request, "no/such", {})
        self.fails(-32600, client.request, "initialize", {"capabilities": {}})
        self.fails(-32602, client.at, "hover", "file:///none.ptx", {"line": 0, "character": 0})
        self.assertEqual(client.close(), 0)

    def test_wrong_params(self):
        client = Client(PROGRAM)
        client.open("file:///a.ptx", PTX)
        methods = ["hover", "definition", "references", "documentHighlight", "rename", "prepareRename", "documentSymbol", "foldingRange",
                   "semanticTokens/full", "completion", "signatureHelp", "codeLens", "inlayHint", "codeAction", "diagnostic"]
        place, uri = {"line": 0, "character": 0}, {"uri": "file:///a.ptx"}
        for params in (None, [], {}, {"textDocument": 3}, {"textDocument": {"uri": 3}}, {"textDocument": uri, "position": [], "range": "x", "context": 1},
                       {"textDocument": uri, "position": {"line": -1, "character": 1e9}, "newName": 7, "range": {"start": place}}):
            for method in methods:
                number = client.ask(f"textDocument/{method}", params)
                try:
                    client.result(number)
                except ServerError as error:
                    self.assertIn(error.code, (-32602, -32803), (method, params))
        for name in ("didOpen", "didChange", "didSave", "didClose"):
            for params in (None, [], {"textDocument": []}, {"textDocument": uri, "contentChanges": {"text": 1}}):
                client.notify(f"textDocument/{name}", params)
        self.assertEqual(client.close(), 0)

    def test_no_json(self):
        for body, code in ((b"{", -32700), (b"[]", -32600), (b"3", -32600), (b'{"id": 1.5, "method": "shutdown"}', -32600)):
            client = Client(PROGRAM)
            client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            answer = client.messages.get(timeout=30)
            self.assertEqual(answer["error"]["code"], code, body)
            self.assertIsNone(answer["id"])
            self.assertEqual(client.close(), 0)

    def test_pieces(self):
        client = Client(PROGRAM)
        body = b'{"jsonrpc": "2.0", "id": "x", "method": "shutdown"}'
        for byte in b"Content-Type: application/vscode-jsonrpc\r\ncontent-length:  %d \r\n\r\n%s" % (len(body), body):
            client.write(bytes([byte]))
        self.assertEqual(client.messages.get(timeout=30), {"jsonrpc": "2.0", "id": "x", "result": None})
        client.notify("exit", None)
        self.assertEqual(client.end(), 0)

    def test_broken_frames(self):
        for raw in (b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n",
                    b"No-Length: 1\r\n\r\n{}", b"x" * 10000):
            client = Client(PROGRAM)
            client.write(raw)
            self.assertEqual(client.end(), 1, raw)

    def test_cancel(self):
        client = Client(PROGRAM)
        client.open("file:///a.ptx", PTX)
        number = client.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///a.ptx"}})
        client.notify("$/cancelRequest", {"id": number})
        self.fails(-32800, client.result, number)
        client.notify("$/cancelRequest", {"id": number})
        client.notify("$/cancelRequest", {"id": "none"})
        self.assertEqual(client.close(), 0)

    def test_waiting_for_a_closed_document(self):
        client = Client(PROGRAM)
        client.open("file:///a.ptx", PTX)
        number = client.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///a.ptx"}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///a.ptx"}})
        client.open("file:///b.ptx", PTX)
        self.fails(-32602, client.result, number)
        self.assertEqual(client.close(), 0)

    def test_parent_is_gone(self):
        parent = subprocess.Popen(["sleep", "100"])
        client = Client(PROGRAM, start=False)
        client.request("initialize", {"processId": parent.pid, "rootUri": None, "capabilities": FULL})
        parent.kill()
        parent.wait()
        self.assertEqual(client.end(), 1)

    def test_encodings(self):
        for offered, chosen in ((None, "utf-16"), (["utf-16"], "utf-16"), (["utf-32", "utf-8"], "utf-8"), (["utf-32"], "utf-16")):
            capabilities = {} if offered is None else {"general": {"positionEncodings": offered}}
            client = Client(PROGRAM, capabilities)
            self.assertEqual(client.capabilities["capabilities"]["positionEncoding"], chosen)
            self.assertEqual(client.close(), 0)

    def test_pull_only_where_declared(self):
        client = Client(PROGRAM)
        self.assertNotIn("diagnosticProvider", client.capabilities["capabilities"])
        self.assertEqual(client.close(), 0)

    def test_no_memory_for_an_analysis(self):
        """The user is told once, requests are answered, and it is not tried again."""
        client = Client(PROGRAM)
        size = int(pathlib.Path(f"/proc/{client.process.pid}/statm").read_text().split()[0]) * resource.getpagesize()
        if size > 1 << 40:
            self.skipTest("a sanitizer's shadow does not fit into a limit")
        text = PTX + "".join(f".visible .entry k{n}()\n{{\n\t.reg .b32 %r<9>;\n" + "\tmov.u32 %r1, 7;\n" * 40 + "\tret;\n}\n" for n in range(800))
        resource.prlimit(client.process.pid, resource.RLIMIT_AS, (size + 12 * len(text), resource.RLIM_INFINITY))
        client.open("file:///a.ptx", text)
        try:
            client.wait(lambda message: message.get("method") == "window/showMessage" and "memory" in message["params"]["message"])
            with self.assertRaises(ServerError):
                client.request("textDocument/codeLens", {"textDocument": {"uri": "file:///a.ptx"}})
            before = ticks_of(client)
            time.sleep(0.3)
            self.assertLess(ticks_of(client) - before, 10)
            self.assertEqual(client.close(), 0)
        except AssertionError:          # its own memory: it has left
            self.assertEqual((client.end(), client.errors), (4, b"ptxlint: no memory\n"))

    def test_wrong_types(self):
        """Nothing that a client sends takes the server down."""
        client = Client(PROGRAM)
        client.open("file:///a.ptx", PTX)
        for params in ({}, {"textDocument": 3}, {"textDocument": {"uri": "file:///a.ptx"}}, [], {"textDocument": {"uri": 1}},
                       {"textDocument": {"uri": "file:///a.ptx"}, "position": {"line": -1, "character": 1 << 40}},
                       {"textDocument": {"uri": "file:///a.ptx"}, "position": "x", "range": 4, "context": 5, "newName": {}}):
            for method in ("hover", "definition", "rename", "completion", "codeAction", "inlayHint", "semanticTokens/range", "codeLens"):
                try:
                    client.request("textDocument/" + method, params)
                except ServerError:
                    pass
            for method in ("didOpen", "didChange", "didSave"):
                client.notify("textDocument/" + method, params)
        client.change("file:///a.ptx", 3, {"text": 3}, {}, {"range": 4, "text": ""}, {"text": PTX})
        self.assertIsNotNone(client.request("textDocument/documentSymbol", {"textDocument": {"uri": "file:///a.ptx"}}))
        self.assertEqual(client.close(), 0)


if __name__ == "__main__":
    unittest.main()
