#!/usr/bin/env python3
"""stub_server.py -- the least of a language server: says what it was asked for, in a diagnostic of each document that is opened."""
import json
import sys


def read():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


options = None
while (request := read()) and request["method"] != "exit":
    if request["method"] == "initialize":
        options = request["params"].get("initializationOptions")
        send(id=request["id"], result={"capabilities": {"textDocumentSync": 2}})
    elif request["method"] == "textDocument/didOpen":
        document = request["params"]["textDocument"]
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        said = f"{document['languageId']} {json.dumps(options)}"
        send(method="textDocument/publishDiagnostics", params={"uri": document["uri"], "diagnostics": [{"range": where, "message": said}]})
    elif "id" in request:
        send(id=request["id"], result=None)
