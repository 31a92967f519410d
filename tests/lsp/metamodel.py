"""metamodel.py -- checks messages against the meta model of LSP 3.17 (testdata/lsp/lsp-3.17-metaModel.json)."""
import functools
import json
import pathlib

PATH = pathlib.Path(__file__).resolve().parents[2] / "testdata/lsp/lsp-3.17-metaModel.json"
OWN_REQUESTS = {"ptxlint/report"}


class Violation(Exception):
    pass


class MetaModel:
    def __init__(self, model):
        self.structures = {s["name"]: s for s in model["structures"]}
        self.enumerations = {e["name"]: e for e in model["enumerations"]}
        self.aliases = {a["name"]: a for a in model["typeAliases"]}
        self.requests = {r["method"]: r for r in model["requests"]}
        self.notifications = {n["method"]: n for n in model["notifications"]}

    @staticmethod
    @functools.lru_cache
    def load():
        return MetaModel(json.loads(PATH.read_text(encoding="utf-8")))

    # ---- messages

    def check(self, message, sent):
        """A message of the server; sent: the methods of our requests by id."""
        if message.get("jsonrpc") != "2.0":
            raise Violation(f"no JSON-RPC 2.0: {message}")
        if "method" not in message:
            self.check_response(message, sent)
        elif "id" in message:
            self.check_params(self.requests[message["method"]], message)
        else:
            self.check_params(self.notifications[message["method"]], message)

    def check_params(self, entry, message):
        if "params" in entry:
            self.hold(message.get("params"), entry["params"], message["method"])
        elif message.get("params") is not None:
            raise Violation(f"{message['method']} takes no params")

    def check_response(self, message, sent):
        if ("result" in message) == ("error" in message):
            raise Violation(f"a response has a result or an error: {message}")
        if "error" in message:
            if not isinstance(message["error"]["code"], int) or not isinstance(message["error"]["message"], str):
                raise Violation(f"a bad error: {message}")
            return
        method = sent.get(message["id"])
        if method not in OWN_REQUESTS:
            self.hold(message["result"], self.requests[method]["result"], method)

    # ---- types

    def hold(self, value, kind, where):
        """Raises where the value is not of the type."""
        getattr(self, "hold_" + kind["kind"])(value, kind, where)

    def hold_base(self, value, kind, where):
        types = {"URI": str, "DocumentUri": str, "string": str, "integer": int, "uinteger": int, "decimal": (int, float), "boolean": bool,
                 "null": type(None)}
        wanted = types[kind["name"]]
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise Violation(f"{where}: {value!r} is no {kind['name']}")
        if kind["name"] == "uinteger" and not 0 <= value < 2 ** 31:
            raise Violation(f"{where}: {value!r} is out of range")

    def hold_reference(self, value, kind, where):
        name = kind["name"]
        if name in ("LSPAny", "LSPObject", "LSPArray"):
            return
        if name in self.structures:
            self.hold_structure(value, self.structures[name], f"{where} ({name})")
        elif name in self.enumerations:
            self.hold_enumeration(value, self.enumerations[name], where)
        else:
            self.hold(value, self.aliases[name]["type"], where)

    def hold_enumeration(self, value, enumeration, where):
        self.hold(value, enumeration["type"], where)
        if not enumeration.get("supportsCustomValues") and value not in [v["value"] for v in enumeration["values"]]:
            raise Violation(f"{where}: {value!r} is no {enumeration['name']}")

    def properties(self, structure):
        for parent in structure.get("extends", []) + structure.get("mixins", []):
            yield from self.properties(self.structures[parent["name"]])
        yield from structure["properties"]

    def hold_structure(self, value, structure, where):
        if not isinstance(value, dict):
            raise Violation(f"{where}: {value!r} is no object")
        known = {p["name"]: p for p in self.properties(structure)}
        for name, prop in known.items():
            if name in value:
                self.hold(value[name], prop["type"], f"{where}.{name}")
            elif not prop.get("optional"):
                raise Violation(f"{where}: {name} is missing")
        if unknown := set(value) - set(known):
            raise Violation(f"{where}: unknown {sorted(unknown)}")

    def hold_array(self, value, kind, where):
        if not isinstance(value, list):
            raise Violation(f"{where}: {value!r} is no array")
        for i, item in enumerate(value):
            self.hold(item, kind["element"], f"{where}[{i}]")

    def hold_map(self, value, kind, where):
        if not isinstance(value, dict):
            raise Violation(f"{where}: {value!r} is no map")
        for key, item in value.items():
            self.hold(item, kind["value"], f"{where}[{key}]")

    def hold_or(self, value, kind, where):
        problems = []
        for item in kind["items"]:
            try:
                self.hold(value, item, where)
                return
            except Violation as problem:
                problems.append(str(problem))
        raise Violation(f"{where}: fits none: " + "; ".join(problems))

    def hold_and(self, value, kind, where):
        for item in kind["items"]:
            self.hold(value, item, where)

    def hold_tuple(self, value, kind, where):
        if not isinstance(value, list) or len(value) != len(kind["items"]):
            raise Violation(f"{where}: {value!r} is no tuple of {len(kind['items'])}")
        for item, wanted in zip(value, kind["items"]):
            self.hold(item, wanted, where)

    def hold_literal(self, value, kind, where):
        self.hold_structure(value, kind["value"], where)

    def hold_stringLiteral(self, value, kind, where):
        if value != kind["value"]:
            raise Violation(f"{where}: {value!r} is not {kind['value']!r}")
