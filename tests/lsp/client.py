"""client.py -- a client of the language server over stdio, for the tests here. Every message that the server sends is held to the
meta model of LSP 3.17."""
import json
import os
import pathlib
import queue
import subprocess
import threading

import metamodel

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL = {"general": {"positionEncodings": ["utf-16"]},
        "window": {"workDoneProgress": False},
        "workspace": {},
        "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "codeDescriptionSupport": True},
                         "hover": {"contentFormat": ["markdown"]},
                         "documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}


class ServerError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    def __init__(self, program, capabilities=None, options=None, arguments=(), cwd=None, start=True, env=None):
        self.process = subprocess.Popen([program, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd,
                                        env=env, stderr=subprocess.PIPE)
        self.messages, self.next_id, self.held = queue.Queue(), 0, []
        self.sent = {}                  # method by id, for results
        self.errors = b""
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self._read, self._read_errors)]
        for thread in self.threads:
            thread.start()
        self.model = metamodel.MetaModel.load()
        if start:
            self.capabilities = self.request("initialize", {"processId": os.getpid(), "rootUri": None,
                                                            "capabilities": FULL if capabilities is None else capabilities,
                                                            **({} if options is None else {"initializationOptions": options})})
            self.notify("initialized", {})

    def _read_errors(self):
        self.errors = self.process.stderr.read()

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, value = line.decode().split(":")
                if name == "Content-Length":
                    length = int(value)
            if length is None:
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))

    def write(self, raw):
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params=None):
        self.next_id += 1
        self.sent[self.next_id] = method
        self.send({"id": self.next_id, "method": method, **({} if params is None else {"params": params})})
        return self.next_id

    def receive(self, timeout=30):
        """The next message; None at the end of the stream."""
        message = self.messages.get(timeout=timeout)
        if message is not None:
            self.model.check(message, self.sent)
        return message

    def wait(self, is_wanted, timeout=30):
        for i, message in enumerate(self.held):
            if is_wanted(message):
                return self.held.pop(i)
        while (message := self.receive(timeout)) is not None:
            if is_wanted(message):
                return message
            self.held.append(message)
        raise EOFError("the server has gone: " + self.errors.decode(errors="replace"))

    def result(self, number, timeout=30):
        message = self.wait(lambda m: m.get("id") == number and "method" not in m, timeout)
        if "error" in message:
            raise ServerError(message["error"])
        return message["result"]

    def request(self, method, params=None):
        return self.result(self.ask(method, params))

    # ---- documents

    def open(self, uri, text, language="ptx", version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def diagnostics(self, uri, is_wanted=lambda items: True, timeout=30):
        """The first that were published and are wanted."""
        return self.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                         and is_wanted(m["params"]["diagnostics"]), timeout)["params"]

    def at(self, method, uri, position, **more):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, "position": position, **more})

    def close(self):
        """The exit status after a proper end."""
        self.request("shutdown")
        self.notify("exit", None)
        return self.end()

    def end(self):
        code = self.process.wait(30)
        for thread in self.threads:
            thread.join(30)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return code


def cursor(text, mark="<cursor>"):
    """The text without its marks, and where each stood (UTF-16)."""
    places, out = [], ""
    parts = text.split(mark)
    for part in parts[:-1]:
        out += part
        line = out.count("\n")
        last = out[out.rfind("\n") + 1:]
        places.append({"line": line, "character": len(last.encode("utf-16-le")) // 2})
    return out + parts[-1], places
