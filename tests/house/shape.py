"""shape.py -- the shape of C files, for check-shape.py and tools/house.py: functions, statements, names, widths."""
import collections
import re

from tree import ROOT, name, read, sources

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
# In this style a function's head begins a line, and its braces stand alone on theirs.
FUNCTION = re.compile(r"^(?!typedef\b|struct\b[^(]*$|enum\b[^(]*$|union\b[^(]*$|#)([A-Za-z_][^;{}#]*?)\n\{\n(.*?)^\}$", re.M | re.S)
TYPE = re.compile(r"^typedef\s+(?:struct|union|enum)\s+\w*\s*\{.*?^\}\s*(\w+)\s*(?:__attribute__[^;]*)?;"
                  r"|^typedef\s+(?:struct|union|enum)[^;]*?\{[^{}]*\}\s*(\w+);"
                  r"|^typedef\s+[^;{}]*?\(\*(\w+)\)\([^;]*;"
                  r"|^(?:struct|union|enum)\s+(\w+)\s*\{", re.M | re.S)
TEXT_WIDTH, TABLE_WIDTH = 100, 120
TABLE_ROW = re.compile(r"\s*(?:\{|\[\w+\] = |[A-Z][A-Z_0-9]*\().*(?:\}|\)),?(?:\s*/\*.*\*/)?$")


def blank(match):
    """A literal or comment as blanks, with its line breaks."""
    return re.sub(r"[^\n]", " ", match.group())


class Function:
    def __init__(self, path, head, body, line):
        self.path, self.line = path, line
        call = re.search(r"(\w+)\s*\((?!\s*\*)", head)
        self.name = call.group(1) if call else ""
        self.is_static = bool(re.search(r"\bstatic\b", head))
        self.body = body
        self.lines = body.count("\n")
        self.parameters = count_parameters(head[call.end():]) if call else 0
        self.questions = [s.count("?") for s in statements(body)]
        self.nesting = max((indent(row) for row in body.split("\n") if begins_statement(row)), default=1) - 1

    @property
    def place(self):
        return f"{name(self.path)}:{self.line}: {self.name}"


def indent(row):
    return (len(row) - len(row.lstrip())) // 4


def begins_statement(row):
    return re.match(r"\s*(if|for|while|do|switch|return|break|continue|goto)\b|\s*\}", row)


def count_parameters(rest):
    depth, count = 1, 1
    for i, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if not depth:
            inside = rest[:i].strip()
            return 0 if inside in ("", "void") else count
        count += c == "," and depth == 1
    return count


def statements(body):
    """Cut at ; { } outside of parentheses."""
    depth, begin = 0, 0
    for i, c in enumerate(body):
        depth += (c == "(") - (c == ")")
        if c in "{}" or (c == ";" and depth <= 0):
            yield body[begin:i]
            depth, begin = 0, i + 1
    yield body[begin:]


def code_of(path):
    return NOT_CODE.sub(blank, read(path))


def functions_of(path, code):
    return [Function(path, m.group(1), m.group(2), code.count("\n", 0, m.start()) + 1) for m in FUNCTION.finditer(code)]


def types_of(code):
    return {next(filter(None, m.groups())) for m in TYPE.finditer(code)}


def width_allowed(path, row):
    return TABLE_WIDTH if path.suffix == ".def" or TABLE_ROW.match(row) else TEXT_WIDTH


def wide_lines(path):
    return [i for i, row in enumerate(read(path).split("\n"), 1) if len(row) > width_allowed(path, row)]


def width_paths():
    return sources({".c", ".h", ".re", ".y", ".def"}, "src", "include", "tests", "tools")


def folder_of(path):
    """A folder of src/, or of src/analysis/; else the first."""
    parts = name(path).split("/")
    below = parts[1:] if parts[0] == "src" else parts[:1]
    return "/".join(below[:2]) if below[0] == "analysis" else below[0]


def same_body(function):
    return re.sub(r"\s+", " ", function.body).strip()


class Tree:
    """All C of src/ and include/; widths of tests/ and tools/, too."""

    def __init__(self):
        self.paths = sources({".c", ".h"}, "src", "include")
        codes = {p: code_of(p) for p in self.paths}
        self.functions = [f for p, code in codes.items() for f in functions_of(p, code)]
        self.types = collections.defaultdict(list)
        for path, code in codes.items():
            for word in types_of(code):
                self.types[word].append(name(path))
        self.wide = collections.Counter()
        for path in width_paths():
            self.wide[folder_of(path)] += len(wide_lines(path))

    def repeated_types(self):
        return {word: files for word, files in self.types.items() if len(files) > 1}

    def repeated_statics(self):
        files = collections.defaultdict(set)
        for f in self.functions:
            if f.is_static:
                files[f.name].add(name(f.path))
        return {word: sorted(where) for word, where in files.items() if len(where) > 1}

    def copies(self):
        """Static functions with one body in several files, but for those whose body is a word or two."""
        same = collections.defaultdict(list)
        for f in self.functions:
            if f.is_static and len(same_body(f)) > 24:
                same[same_body(f)].append(f)
        return [group for group in same.values() if len({f.path for f in group}) > 1]

    def by_folder(self, count):
        total = collections.Counter()
        for f in self.functions:
            total[folder_of(f.path)] += count(f)
        return total
