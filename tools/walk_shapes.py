"""walk_shapes.py -- what walk_isa.py knows of operands that the table does not say: registers of a type, lengths of fragments and coordinates."""
import re

# Register family (walk_isa.REGISTER_TYPES) that fits an instruction type.
REGISTERS = {"pred": "p", "b8": "rs", "u8": "rs", "s8": "rs", "b16": "rs", "u16": "rs", "s16": "rs", "f16": "rs", "bf16": "rs",
             "b32": "r", "u32": "r", "s32": "r", "f16x2": "r", "bf16x2": "r", "u16x2": "r", "s16x2": "r", "tf32": "r", "f32": "f",
             "b64": "rd", "u64": "rd", "s64": "rd", "f64": "fd", "f32x2": "rd", "b128": "rq",
             "e4m3x2": "rs", "e5m2x2": "rs", "e2m1x2": "rb", "e2m3x2": "rs", "e3m2x2": "rs", "ue8m0x2": "rs", "s2f6x2": "rs",
             "e4m3x4": "r", "e5m2x4": "r", "e2m3x4": "r", "e3m2x4": "r", "e2m1x4": "rs", "e4m3": "rs", "e5m2": "rs",
             "u8x4": "r", "s8x4": "r", "texref": "rd", "samplerref": "rd", "surfref": "rd"}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32, "e4m3": 8, "e5m2": 8, "e3m2": 8,
        "e2m3": 8, "e2m1": 8}


def vector_of(modifiers):
    for m in modifiers:
        if re.fullmatch(r"v[248]", m):
            return int(m[1:])
    return None


def shape_of(modifiers):
    for m in modifiers:
        s = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", m)
        if s:
            return tuple(map(int, s.groups()))
    return (0, 0, 0)


def mma_elements(modifiers, name):
    m, n, k = shape_of(modifiers)
    types = [t for t in modifiers if t in BITS]
    d, a, b, c = (types + ["f64"] * 4)[:4] if len(types) >= 4 else (types[0], types[1], types[1], types[0])
    if "f64" in types:
        return {"a": m * k // 32, "b": k * n // 32}.get(name, m * n // 32)
    if (m, n, k) == (8, 8, 4):
        return {"a": 2, "b": 2, "d": 4 if d == "f16" else 8, "c": 4 if c == "f16" else 8}[name]
    packed4 = any(x in modifiers for x in ("kind::mxf4", "kind::mxf4nvf4"))
    bits = lambda t: 4 if packed4 and t == "e2m1" else BITS[t]
    sparse = 2 if any(x.startswith("sp") for x in modifiers) else 1
    if name == "a":
        return m * k * bits(a) // 1024 // sparse
    if name == "b":
        return k * n * bits(b) // 1024
    return m * n * BITS[c if name == "c" else d] // 1024


def wmma_elements(modifiers, name):
    m, n, k = shape_of(modifiers)
    types = [t for t in modifiers if t in BITS]
    part = modifiers[1] if modifiers[0] in ("load", "store") else name
    kind = types[-1] if modifiers[0] in ("load", "store") else None
    if modifiers[0] == "mma":
        ts = types if len(types) > 1 else ["f16"] * 2
        kind = {"d": ts[0], "c": ts[-1]}.get(name) or (ts[1] if len(ts) == 4 else "f16")
    if kind == "f64":
        return 1 if part in "ab" else 2
    if part in "ab":
        if kind == "f16":
            return 8
        return max(1, (m * k if part == "a" else k * n) * BITS[kind] // 1024)
    return m * n * BITS[kind] // 1024


def tcgen05_elements(modifiers, name):
    if name == "disable-output-lane":
        return 8 if "cta_group::2" in modifiers else 4
    if name != "r":
        return None
    number = next((int(m[1:]) for m in modifiers if re.fullmatch(r"x\d+", m)), 1)
    factor = {"16x128b": 2, "16x256b": 4}.get(next((m for m in modifiers if re.fullmatch(r"\d+x\d+b(x2)?", m)), ""), 1)
    return number * factor


def elements_of(opcode, modifiers, name, said, kind, rng):
    """Number of elements in braces, or None for a bare operand."""
    if said and said[0].isdigit():
        n = int(rng.choice(said.split("/")))
        return n or None
    if opcode == "mma" and name.startswith("bid-"):
        return 2
    if opcode == "cvt" and name == "a" and "rs" in modifiers and any(m.endswith("x4") for m in modifiers):
        return 4
    if opcode == "mma" and name in "dabc":
        return mma_elements(modifiers, name)
    if opcode == "wmma" and name in "dabcr":
        return wmma_elements(modifiers, name)
    if opcode == "wgmma":
        n = shape_of(modifiers)[1]
        if name == "d":
            return n // 4 if next(m for m in modifiers if m in BITS) == "f16" else n // 2
        return 4 if name == "a" else None
    if opcode == "tcgen05":
        return tcgen05_elements(modifiers, name)
    if opcode in ("ldmatrix", "stmatrix") and name == "r":
        number = next(int(m[1:]) for m in modifiers if re.fullmatch(r"x\d", m))
        return number * (2 if "m16n16" in modifiers else 1)
    if opcode in ("tex", "tld4"):
        if name == "d":
            return vector_of(modifiers)
        return {"dPdx": gradient, "dPdy": gradient, "e": offsets}.get(name, lambda m: None)(modifiers)
    if opcode == "cp" and name == "im2colInfo":
        dim = next(int(m[0]) for m in modifiers if re.fullmatch(r"\dd", m))
        return 2 if any(m.startswith("im2col::w") for m in modifiers) else dim - 2
    if opcode == "clusterlaunchcontrol" and name == "xyz":
        return 4
    if opcode in ("ld", "ldu", "st", "atom", "red", "multimem", "suld", "sust") and name in ("d", "b", "c", "val", "r", "a"):
        return vector_of(modifiers)
    if opcode in ("mov",) and vector_of(modifiers):
        return vector_of(modifiers)
    return None


def geometry(modifiers):
    return next((m for m in modifiers if re.fullmatch(r"a?(\dd(ms)?|cube)", m)), "1d")


def gradient(modifiers):
    return {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2}.get(geometry(modifiers), 4)


offsets = gradient


def coordinates(opcode, modifiers):
    """Registers of the coordinate vector."""
    g = geometry(modifiers)
    if opcode == "cp":
        dim = int(g[0])
        dim = 5 if any(m in ("tile::gather4", "tile::scatter4") for m in modifiers) else dim
        return [f"%r{i + 1}" for i in range(dim)]
    count = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}[g]
    if opcode in ("suld", "sust", "sured"):
        return [f"%r{i + 1}" for i in range(count)]
    letter = "f" if modifiers[-1] == "f32" else "r"
    names = [f"%{letter}{i + 1}" for i in range(count)]
    if g.startswith("a") or g == "2dms":
        names[0] = "%r1"
    if g == "a2dms":
        names[:2] = ["%r1", "%r2"]
    return names


def register_of(opcode, modifiers, name, kind):
    """Register family of an operand of this type."""
    if kind in ("any32", "bits32"):
        return "r"
    if kind == "bits16":
        return "rs"
    if kind in ("any", None):
        if opcode in ("suld", "sust"):
            return "rs"
        return "rd" if opcode in ("isspacep", "cvta", "mapa", "getctarank") else "r"
    if kind == "pred":
        return "p"
    if opcode == "multimem" and kind in ("e4m3", "e5m2"):
        return "rb"
    if opcode == "clusterlaunchcontrol" and name == "resp":
        return "rq"
    if opcode == "mbarrier" and name == "state":
        return "rd"
    if opcode in ("isspacep",) or name == "cache-policy":
        return "rd"
    return REGISTERS.get(kind, "r")
