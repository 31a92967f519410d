"""Kernels as compilers of tiles write them: PTX with every loop over a tile unrolled, predicated loads, matrices in registers.

TILE_KINDS: each takes a Draw and the kernel's name and gives (target, PTX). Shapes are drawn; a kernel's values follow from them."""


class Ptx:
    """The text of one kernel; registers are numbered as they come."""
    def __init__(self, d, k, threads, pointers, sizes, target):
        self.d, self.k, self.threads, self.target = d, k, threads, target
        self.n, self.body, self.labels = {"p": 0, "r": 0, "rd": 0, "rs": 0}, [], 0
        self.params = [f".param .u64 .ptr .global .align 1 {k}_param_{i}" for i in range(pointers)]
        self.params += [f".param .u32 {k}_param_{pointers + i}" for i in range(sizes)]
        self.ptr = [self.rd() for _ in range(pointers)]
        self.size = [self.r() for _ in range(sizes)]
        for i, r in enumerate(self.ptr + self.size):
            self.put(f"ld.param.b{64 if i < pointers else 32} {r}, [{k}_param_{i}];")
        self.tid = self.op("mov.u32", "%tid.x")

    def new(self, c):
        self.n[c] += 1
        return f"%{c}{self.n[c]}"

    def r(self): return self.new("r")
    def rd(self): return self.new("rd")
    def p(self): return self.new("p")
    def put(self, line): self.body.append("\t" + line)

    def op(self, name, *of, to="r"):
        got = self.new(to)
        self.put(f"{name} {got}, {', '.join(map(str, of))};")
        return got

    def label(self):
        self.labels += 1
        return f"$L__{self.k}_{self.labels}"

    def at(self, label): self.body.append(label + ":")
    def flt(self, v): return "0f00000000" if v == 0 else "0fFF800000"

    def text(self):
        decl = "".join(f"\t.reg .{t} %{c}<{self.n[c] + 1}>;\n" for c, t in (("p", "pred"), ("rs", "b16"), ("r", "b32"), ("rd", "b64")) if self.n[c])
        return (f".version 8.7\n.target {self.target}\n.address_size 64\n\n.extern .shared .align 16 .b8 global_smem[];\n\n"
                f".visible .entry {self.k}(\n\t" + ",\n\t".join(self.params) + f"\n)\n.reqntid {self.threads}\n{{\n" + decl + "\n".join(self.body) + "\n\tret;\n}\n")

    # -- pieces
    def address(self, base, index, size):
        return self.op("add.s64", base, self.op(self.d.of("mul.wide.s32", "mul.wide.s32", "mul.wide.u32"), index, size, to="rd"), to="rd")

    def load(self, at, predicate, width=1, zero=True, offset=0):
        """width registers, 0 where the predicate is off."""
        got = [self.r() for _ in range(width)]
        if predicate and zero:
            for r in got: self.put(f"mov.u32 {r}, 0x0;")
        vector = f".v{width}" if width > 1 else ""
        names = "{ " + ", ".join(got) + " }"
        self.put(f"{'@' + predicate + ' ' if predicate else ''}ld.global{vector}.b32 {names if width > 1 else '{ ' + got[0] + ' }'}, [ {at} + {offset} ];")
        return got

    def store(self, at, values, predicate, offset=0):
        vector = f".v{len(values)}" if len(values) > 1 else ""
        self.put(f"{'@' + predicate + ' ' if predicate else ''}st.global{vector}.b32 [ {at} + {offset} ], {{ {', '.join(values)} }};")

    def halves(self, r):
        """Two fp32 of one register with two of fp16."""
        a, b = self.new("rs"), self.new("rs")
        self.put(f"mov.b32 {{{a}, {b}}}, {r};")
        return [self.op("cvt.f32.f16", a), self.op("cvt.f32.f16", b)]

    def packed(self, a, b):
        return self.op("cvt.rn.f16x2.f32", b, a)

    def tree(self, name, values, shape):
        """Reduced in a row, or pair by pair."""
        values = list(values)
        if shape == "row":
            got = values[0]
            for v in values[1:]: got = self.op(name, got, v)
            return got
        while len(values) > 1:
            values = [self.op(name, values[i], values[i + 1]) if i + 1 < len(values) else values[i] for i in range(0, len(values), 2)]
        return values[0]

    def shuffled(self, name, value, lanes=(16, 8, 4, 2, 1)):
        for n in lanes:
            value = self.op(name, value, self.op("shfl.sync.bfly.b32", value, n, 31, -1))
        return value

    def across(self, name, values, warps):
        """Each of values over all warps of the block, through shared memory."""
        values = [self.shuffled(name, v) for v in values]
        if warps == 1: return values
        lane, warp = self.op("and.b32", self.tid, 31), self.op("shr.u32", self.tid, 5)
        first, base = self.p(), self.op("mov.b32", "global_smem")
        self.put(f"setp.eq.s32 {first}, {lane}, 0;")
        at = self.op("add.s32", base, self.op("shl.b32", self.op("and.b32", warp, warps - 1), 2))
        self.put("bar.sync 0;")
        for i, v in enumerate(values): self.put(f"@{first} st.shared.b32 [ {at} + {i * 4 * warps} ], {v};")
        self.put("bar.sync 0;")
        few, mine = self.p(), self.op("add.s32", base, self.op("shl.b32", self.tid, 2))
        self.put(f"setp.lt.s32 {few}, {self.tid}, {warps * len(values)};")
        v = self.r()
        self.put(f"@{few} ld.shared.b32 {v}, [ {mine} + 0 ];")
        v = self.shuffled(name, v, [n for n in (16, 8, 4, 2, 1) if n < warps])
        self.put(f"@{few} st.shared.b32 [ {mine} + 0 ], {v};")
        self.put("bar.sync 0;")
        got = []
        for i in range(len(values)):
            got.append(self.r())
            self.put(f"ld.shared.b32 {got[-1]}, [global_smem+{i * 4 * warps}];")
        return got

    def loop(self, count, body):
        """body(counter) for a counter from 0 below count, with values it carries in registers of its own."""
        head, i, go = self.label(), self.r(), self.p()
        self.put(f"mov.b32 {i}, 0;")
        self.at(head)
        step = body(i)
        self.put(f"add.s32 {i}, {i}, {step};")
        self.put(f"setp.lt.s32 {go}, {i}, {count};")
        self.put(f"@{go} bra {head};")

    def carried(self, n, value=0):
        got = [self.r() for _ in range(n)]
        self.put(f"mov.b32 {got[0]}, {self.flt(value)};")
        for r in got[1:]: self.put(f"mov.b32 {r}, {got[0]};" if self.d.n(0, 3) else f"mov.b32 {r}, {self.flt(value)};")
        return got


def target_of(d): return d.of("sm_80", "sm_80", "sm_90", "sm_90a")


def columns(p, count, width, limit, warps):
    """count column numbers of a thread, width registers each, and their predicates."""
    low = p.op("and.b32", p.tid, 32 * warps - 1)
    first = p.op("shl.b32", low, width.bit_length() - 1) if width > 1 else low
    cols, preds = [], []
    for i in range(count):
        c = first if not i else p.op("or.b32", first, i * 32 * warps * width)
        cols.append(c)
        if limit:
            preds.append(p.p())
            p.put(f"setp.lt.s32 {preds[-1]}, {c}, {limit};")
    return cols, preds or [None] * count


def masked(p, value, predicate, fill="0fFF800000"):
    return p.op("selp.f32", value, fill, predicate) if predicate else value


def tile_rows(d, k):
    """Rows of a matrix in registers: softmax, norm, dot with a vector."""
    warps, rows, half = d.of(1, 1, 2, 4, 4, 8), d.of(1, 1, 2, 2, 4, 8, 16), d.of(False, False, True)
    width, count = d.of(1, 1, 2, 4), d.of(1, 2, 4, 8, 16, 32)
    while rows * width * count > 160: rows, count = max(1, rows // 2), max(1, count // 2)
    what, shape = d.of("softmax", "softmax", "norm", "norm2", "dot", "max"), d.of("row", "row", "tree")
    p = Ptx(d, k, 32 * warps, d.of(2, 2, 3, 4), 3, target_of(d))
    x, y, w = p.ptr[0], p.ptr[1], p.ptr[-1]
    cols, preds = columns(p, count, width, p.size[0] if d.n(0, 3) else None, warps)
    row = p.op("shl.b32", p.op("mov.u32", "%ctaid.x"), rows.bit_length() - 1)
    bases, live = [], []
    for j in range(rows):
        r = row if not j else p.op("or.b32", row, j)
        bases.append(p.op("mul.lo.s32", r, p.size[1]))
        live.append(r)
    checked = d.n(0, 2) == 0 and preds[0]
    values, pr = [], []
    late = d.maybe(.3, "x") and not half                     # addresses where they are read, or all before
    where = [] if late else [[p.address(p.address(x, b, 2 if half else 4), c, 2 if half else 4) for c in cols] for b in bases]
    for j in range(rows):
        base = p.address(x, bases[j], 2 if half else 4) if late else None
        mine, guards = [], []
        if checked:
            inside = p.p()
            p.put(f"setp.lt.s32 {inside}, {live[j]}, {p.size[2]};")
        for i in range(count):
            g = preds[i]
            if checked:
                g = p.p()
                p.put(f"and.pred {g}, {inside}, {preds[i]};")
            at = p.address(base, cols[i], 4) if late else where[j][i]
            mine.append(p.load(at, g, width))
            guards.append(g)
        values.append(mine)
        pr.append(guards)
    flat = []
    for j in range(rows):
        f = []
        for i in range(count):
            for r in values[j][i]:
                for v in (p.halves(r) if half else [r]): f.append((v, pr[j][i], cols[i]))
        flat.append(f)
    fill = {"softmax": "0fFF800000", "max": "0fFF800000"}.get(what, "0f00000000")
    if d.n(0, 2): flat = [[(masked(p, v, g, fill), g, c) for v, g, c in f] for f in flat]
    out = flat
    if what in ("softmax", "max"):
        top = p.across("max.f32", [p.tree("max.f32", [v for v, _, _ in f], shape) for f in flat], warps)
        if what == "softmax":
            exps = []
            for f, m in zip(flat, top):
                subs = [p.op("sub.f32", v, m) for v, _, _ in f]
                exps.append([p.op("mul.f32", s, "0f3FB8AA3B") for s in subs])
            exps = [[p.op("ex2.approx.f32", e) for e in f] for f in exps]
            sums = p.across("add.f32", [p.tree("add.f32", f, shape) for f in exps], warps)
            divide = d.of("div.full.f32", "div.full.f32", "div.rn.f32")
            out = [[(p.op(divide, e, s), g, c) for e, (_, g, c) in zip(f, old)] for f, s, old in zip(exps, sums, flat)]
        else: out = [[(p.op("add.f32", m, m), None, None)] for m in top]
    elif what == "dot":
        ws = [r for c, g in zip(cols, preds) for r in p.load(p.address(w, c, 2 if half else 4), g, width)]
        ws = [h for r in ws for h in p.halves(r)] if half else ws
        sums = []
        for f in flat:
            s = p.op("mul.f32", f[0][0], ws[0])
            for (v, _, _), u in zip(f[1:], ws[1:]): s = p.op("fma.rn.f32", v, u, s)
            sums.append(s)
        out = [[(s, None, None)] for s in p.across("add.f32", sums, warps)]
    else:
        n = p.op("cvt.rn.f32.s32", p.size[0])
        means = [p.op("div.full.f32", s, n) for s in p.across("add.f32", [p.tree("add.f32", [v for v, _, _ in f], shape) for f in flat], warps)]
        cent = [[p.op("sub.f32", v, m) for v, _, _ in f] for f, m in zip(flat, means)]
        if d.n(0, 1): cent = [[masked(p, v, g, "0f00000000") for v, (_, g, _) in zip(f, old)] for f, old in zip(cent, flat)]
        squares = [p.tree("add.f32", [p.op("mul.f32", v, v) for v in f], shape) for f in cent]
        inv = [p.op("rsqrt.approx.ftz.f32", p.op("add.f32", p.op("div.full.f32", s, n), "0f3727C5AC")) for s in p.across("add.f32", squares, warps)]
        if what == "norm2":
            g0 = [r for c, g in zip(cols, preds) for r in p.load(p.address(w, c, 4), g, width)]
            g0 = [h for r in g0 for h in p.halves(r)] if half else g0
            out = [[(p.op("fma.rn.f32", p.op("mul.f32", v, i), u, u), g, c) for v, u, (_, g, c) in zip(f, g0, old)] for f, i, old in zip(cent, inv, flat)]
        else: out = [[(p.op("mul.f32", v, i), g, c) for v, (_, g, c) in zip(f, old)] for f, i, old in zip(cent, inv, flat)]
    for j, f in enumerate(out):
        if len(f) == 1 and f[0][2] is None:
            p.store(p.address(y, live[j], 4), [f[0][0]], None)
            continue
        base, step = p.address(y, bases[j], 2 if half else 4), width * (2 if half else 1)
        for i in range(count):
            v = [a for a, _, _ in f[i * step:(i + 1) * step]]
            if half: v = [p.packed(*v[n:n + 2]) for n in range(0, len(v), 2)]
            p.store(p.address(base, cols[i], 2 if half else 4), v, f[i * step][1])
    return p.target, p.text()


def tile_loop(d, k):
    """Sums over a loop of tiles: of columns, of rows, a norm in two passes, a product with a vector."""
    warps, width, count = d.of(1, 2, 4, 4, 8), d.of(1, 2, 4), d.of(1, 2, 4, 8, 16)
    while width * count > 64: count //= 2
    half, passes, keep = d.of(False, False, True), d.of(1, 1, 2), d.of("each", "each", "one", "squares")
    p = Ptx(d, k, 32 * warps, d.of(2, 3, 4), 3, target_of(d))
    cols, preds = columns(p, count, width, None, warps)
    base = p.address(p.ptr[0], p.op("mul.lo.s32", p.op("mov.u32", "%ctaid.x"), p.size[1]), 2 if half else 4)
    per = width * count * (2 if half else 1)
    acc = p.carried(per if keep != "one" else d.of(1, 2, 4))
    sq = p.carried(per) if keep == "squares" else []
    step = 32 * warps * width * count * (2 if half else 1)

    def tile(i, source):
        got = []
        for c in cols:
            e, g = p.op("add.s32", i, c), p.p()
            p.put(f"setp.lt.s32 {g}, {e}, {p.size[0]};")
            got.append((e, g, p.load(p.address(source, e, 2 if half else 4), g, width)))
        return [(e, g, [h for r in v for h in (p.halves(r) if half else [r])]) for e, g, v in got]

    def add(i):
        flat = [v for _, _, t in tile(i, base) for v in t]
        if len(p.ptr) > 2 and keep == "one":
            w = [v for _, _, t in tile(i, p.ptr[2]) for v in t]
            flat = [p.op("mul.f32", a, b) for a, b in zip(flat, w)]
        for n, v in enumerate(flat):
            a = acc[n % len(acc)]
            p.put(f"add.f32 {a}, {a}, {v};")
            if sq: p.put(f"fma.rn.f32 {sq[n]}, {v}, {v}, {sq[n]};")
        return step

    p.loop(p.size[0], add)
    shape = d.of("row", "tree")
    if d.n(0, 3) or passes == 2:
        total = p.across("add.f32", [p.tree("add.f32", v, shape) for v in (acc, sq) if v], warps)
        if passes == 1: p.store(p.address(p.ptr[1], p.op("mov.u32", "%ctaid.x"), 4), total[:1], None)
        else:
            mean = p.op("div.full.f32", total[0], p.op("cvt.rn.f32.s32", p.size[0]))
            out = p.address(p.ptr[1], p.op("mul.lo.s32", p.op("mov.u32", "%ctaid.x"), p.size[1]), 2 if half else 4)

            def second(i):
                x = tile(i, base)
                more = [tile(i, q) for q in p.ptr[2:]]
                for n, (e, g, vs) in enumerate(x):
                    v = [p.op("mul.f32", p.op("sub.f32", a, mean), total[-1]) for a in vs]
                    for m in more: v = [p.op("fma.rn.f32", a, b, b) for a, b in zip(v, m[n][2])]
                    if half: v = [p.packed(*v[j:j + 2]) for j in range(0, len(v), 2)]
                    p.store(p.address(out, e, 2 if half else 4), v, g)
                return step
            p.loop(p.size[0], second)
    else:
        n = 0
        for c in cols:
            p.store(p.address(p.ptr[1], c, 4), [acc[(n + j) % len(acc)] for j in range(width)], None)
            n += width
    return p.target, p.text()


def tile_map(d, k):
    """Elements, each by itself: activations, gathers, copies."""
    warps, width, count = d.of(1, 2, 4, 4, 8), d.of(1, 2, 4, 4), d.of(1, 1, 2, 4, 8)
    half, inputs, gather = d.of(False, True), d.of(1, 1, 2, 3), d.maybe(.25, "x")
    p = Ptx(d, k, 32 * warps, inputs + 2, 2, target_of(d))
    first = p.op("shl.b32", p.op("mov.u32", "%ctaid.x"), (32 * warps * width * count).bit_length() - 1)
    cols, _ = columns(p, count, width, None, warps)
    idx = [p.op("or.b32", first, c) for c in cols]
    preds = []
    for e in idx:
        preds.append(p.p())
        p.put(f"setp.lt.s32 {preds[-1]}, {e}, {p.size[0]};")
    tiles = []
    for n in range(inputs):
        at = idx
        if gather and not n: at = [p.op("mad.lo.s32", p.load(p.address(p.ptr[-1], e, 4), g)[0], p.size[1], c) for e, g, c in zip(idx, preds, cols)]
        where = [p.address(p.ptr[n], e, 2 if half else 4) for e in at]
        tiles.append([p.load(a, g, width) for a, g in zip(where, preds)])
    if half: tiles = [[[h for r in v for h in p.halves(r)] for v in t] for t in tiles]
    kind = d.of("relu", "gelu", "sigmoid", "plain", "poly", "tanh")

    def f(v):
        if kind == "relu": return p.op("max.f32", v, "0f00000000")
        if kind == "sigmoid": return p.op("div.full.f32", v, p.op("add.f32", p.op("ex2.approx.f32", p.op("mul.f32", v, "0fBFB8AA3B")), "0f3F800000"))
        if kind == "tanh": return p.op("tanh.approx.f32", v)
        if kind in ("gelu", "poly"):
            s = p.op("mul.f32", v, v)
            t = p.op("fma.rn.f32", s, "0f3A04BFEB", "0fBD4C4C4C")
            for c in ("0f3E0293EE", "0fBEAAAA9F", "0f3F7FFFF5", "0f3D372713")[:d.n(2, 4)]: t = p.op("fma.rn.f32", s, t, c)
            return p.op("mul.f32", v, p.op("tanh.approx.f32", t) if kind == "gelu" else t)
        return v
    out = [[f(v) for v in vs] for vs in tiles[0]]
    for t in tiles[1:]: out = [[p.op(d.of("add.f32", "mul.f32"), a, b) for a, b in zip(o, vs)] for o, vs in zip(out, t)]
    where = [p.address(p.ptr[inputs], e, 2 if half else 4) for e in idx]
    for a, v, g in zip(where, out, preds):
        p.store(a, [p.packed(*v[n:n + 2]) for n in range(0, len(v), 2)] if half else v, g)
    return p.target, p.text()


class Copies:
    """Tiles of a matrix that cp.async fills, stages of them."""
    def __init__(self, p, source, rows, cols, size, stages, at, pitch, by_k, checked):
        self.p, self.stages, self.at, self.bytes, self.checked = p, stages, at, rows * cols * size, checked
        n = max(1, rows * cols * size // 16 // p.threads)
        line = cols * size // 16                             # copies a row
        row0 = p.op("shr.u32", p.tid, line.bit_length() - 1)
        self.col = p.op("shl.b32", p.op("and.b32", p.tid, line - 1), (16 // size).bit_length() - 1)
        self.rows = [row0 if not i else p.op("or.b32", row0, max(1, p.threads // line) * i) for i in range(n)]
        block = p.op("shl.b32", p.op("mov.u32", p.d.of("%ctaid.x", "%ctaid.y")), ((cols if by_k else rows)).bit_length() - 1)
        self.ptrs = []
        for r in self.rows:
            g = r if by_k else p.op("or.b32", block, r)
            if not by_k and p.d.n(0, 1): g = p.op("rem.s32", g, p.size[0])
            c = p.op("or.b32", block, self.col) if by_k else self.col
            self.ptrs.append(p.address(p.address(source, p.op("mul.lo.s32", g, pitch), size), c, size))
        swizzle = p.op("and.b32", p.op("shl.b32", p.tid, 1), 112)
        self.to = p.op("xor.b32", p.op("and.b32", p.op("shl.b32", p.tid, 4), 16 * p.threads - 16), swizzle)
        self.step = p.op("mul.wide.s32", pitch, (rows if by_k else cols) * size, to="rd") if by_k else cols * size
        self.by_k = by_k

    def copy(self, slot, left, go):
        """One stage into the slot (a register with its offset), where `left` of K are left."""
        p = self.p
        base = p.op("add.s32", p.op("mov.b32", "global_smem"), self.to)
        base = p.op("add.s32", base, slot)
        for i, at in enumerate(self.ptrs):
            size = 16
            if self.checked:
                g = p.p()
                p.put(f"setp.lt.s32 {g}, {self.rows[i] if self.by_k else self.col}, {left};")
                size = p.op("selp.b32", 16, 0, g)
            if go:
                size = p.op("selp.b32", size, 0, go)
            p.put(f"cp.async.cg.shared.global [ {base} + {self.at + i * 16 * p.threads} ], [ {at} + 0 ], 0x10" + (f", {size};" if size != 16 else ";"))
        for at in self.ptrs: p.put(f"add.s64 {at}, {at}, {self.step};")
        p.put("cp.async.commit_group;")


def store_tile(p, acc, out, cols, half, checked):
    """Accumulators to memory: fp32 or packed, at once or through shared memory."""
    d = p.d
    lane = p.op("and.b32", p.tid, 31)
    row, col = p.op("shr.u32", p.tid, 2), p.op("shl.b32", p.op("and.b32", lane, 3), 1)
    values = [p.packed(acc[i], acc[i + 1]) for i in range(0, len(acc), 2)] if half else acc
    through = d.n(0, 1)
    if through:
        base = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("shl.b32", p.tid, 4))
        back = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("xor.b32", p.op("shl.b32", p.tid, 5), p.op("and.b32", p.tid, 96)))
        got = []
        rounds = d.of(1, 1, 2, 4)
        part = max(4, len(values) // rounds // 4 * 4)
        for b in range(0, len(values), part):
            p.put("bar.sync 0;")
            for i in range(b, min(b + part, len(values)) - 3, 4):
                p.put(f"st.shared.v4.b32 [ {base} + {(i - b) * 512} ], {{ {', '.join(values[i:i + 4])} }};")
            p.put("bar.sync 0;")
            for i in range(b, min(b + part, len(values)) - 3, 4):
                r = [p.r() for _ in range(4)]
                p.put(f"ld.shared.v4.b32 {{ {', '.join(r)} }}, [ {back} + {(i - b) * 512} ];")
                got += r
        values = got or values
    width = 4 if through and len(values) % 4 == 0 else 2 if len(values) % 2 == 0 and not half else 1
    start = p.op("mad.lo.s32", p.op("or.b32", row, p.op("shl.b32", p.op("mov.u32", "%ctaid.x"), 6)), p.size[1], col)
    previous = None
    for i in range(0, len(values), width):
        j = i // width
        if j % 4 == 0 or previous is None: previous = p.op("add.s32", start, p.op("shl.b32", p.size[1], 3)) if previous is None else p.op("add.s32", previous, p.op("shl.b32", p.size[1], 3))
        e = previous if j % 4 == 0 else p.op("add.s32", previous, (j % 4) * 8)
        g = None
        if checked:
            a, b, g = p.p(), p.p(), p.p()
            p.put(f"setp.lt.s32 {a}, {e}, {p.size[0]};")
            p.put(f"setp.lt.s32 {b}, {col}, {p.size[1]};")
            p.put(f"and.pred {g}, {a}, {b};")
        p.store(p.address(out, e, 2 if half else 4), values[i:i + width], g)


def ldmatrix(p, at, offset, trans=False, n=4):
    got = [p.r() for _ in range(n)]
    p.put(f"ldmatrix.sync.aligned.m8n8.x{n}{'.trans' if trans else ''}.shared.b16 {{{', '.join(got)}}}, [{at}+{offset}];")
    return got


def mma(p, acc, a, b, types="f32.f16.f16.f32", shape="m16n8k16"):
    j = lambda v: "{ " + ", ".join(v) + " }"
    p.put(f"mma.sync.aligned.{shape}.row.col.{types} {j(acc)}, {j(a)}, {j(b)}, {j(acc)};")


def spots(p, count):
    """Offsets of a thread's rows in a swizzled tile, one for each column of 16 bytes that it reads."""
    low = p.op("and.b32", p.op("shl.b32", p.tid, 7), 1920)
    first = p.op("xor.b32", p.op("or.b32", low, p.op("and.b32", p.op("shl.b32", p.tid, 4), 112)), p.op("and.b32", p.tid, 16))
    return [first if not i else p.op("xor.b32", first, 32 * i) for i in range(count)]


def ring(p, stages):
    """Of a pipeline of stages in shared memory: the one that is read, and the one that is written."""
    slot, fill = p.r(), p.r()
    p.put(f"mov.b32 {slot}, -1;")
    p.put(f"mov.b32 {fill}, {stages - 2};")
    return slot, fill


def go_round(p, r, stages):
    n1, g = p.op("add.s32", r, 1), p.p()
    p.put(f"setp.gt.s32 {g}, {n1}, {stages - 1};")
    p.put(f"selp.b32 {r}, 0, {n1}, {g};")


def next_stage(p, i, bk, stages, slot, fill):
    """Where the last tiles begin that are not copied ahead, and whether this is before them."""
    last, go = p.op("add.s32", p.size[2], -bk * (stages - 1)), p.p()
    p.put(f"setp.lt.s32 {go}, {i}, {last};")
    for r in (slot, fill): go_round(p, r, stages)
    return last, go


def fill_ahead(p, copies, bk, stages):
    """All stages but one, before the loop."""
    for s in range(stages - 1):
        go = p.p()
        p.put(f"setp.gt.s32 {go}, {p.size[2]}, {s * bk};")
        left = p.op("add.s32", p.size[2], -s * bk) if s else p.size[2]
        for c in copies: c.copy(p.op("mov.b32", s * c.bytes), left, go)


def refill(p, copies, fill, left, go):
    for c in copies: c.copy(p.op("mul.lo.s32", fill, c.bytes), left, go)


def wait(p, pending):
    p.put(f"cp.async.wait_group {pending};")
    p.put("bar.sync 0;")


def group_address(p, warp, slot_bytes, shift):
    """Of a warp group's rows of a stage."""
    return p.op("add.s32", p.op("add.s32", p.op("mov.b32", "global_smem"), slot_bytes), p.op("shl.b32", p.op("and.b32", warp, 4), shift))


def matrix(p, address):
    """The descriptor of a matrix for wgmma."""
    return p.op("or.b64", p.op("cvt.u64.u32", p.op("bfe.u32", address, 4, 14), to="rd"), "4611686293305294848", to="rd")


def tile_mma(d, k):
    """A product of matrices by mma.sync: stages of cp.async, ldmatrix, accumulators."""
    while True:
        bm, bn, bk, warps = d.of(16, 32, 64, 128), d.of(16, 32, 64, 128, 256), d.of(32, 64), d.of(2, 4, 4, 8)
        wm = d.of(1, 2, 4)
        if warps % wm: continue
        m, n = bm // 16 // wm, bn // 8 // (warps // wm)
        if m >= 1 and n >= 2 and 4 * m * n <= 160 and bm * bk * 2 >= 512 * warps and bn * bk * 2 >= 512 * warps: break
    stages, kind = d.of(2, 3, 3, 4), d.of("f32.f16.f16.f32", "f32.f16.f16.f32", "f32.bf16.bf16.f32", "f32.tf32.tf32.f32")
    p = Ptx(d, k, 32 * warps, d.of(3, 3, 5), 3, d.of("sm_80", "sm_80", "sm_90"))
    tf = "tf32" in kind
    checked = d.n(0, 2) > 0
    a = Copies(p, p.ptr[0], bm, bk, 2, stages, bn * bk * 2 * stages, p.size[2], False, checked)
    b = Copies(p, p.ptr[1], bk, bn, 2, stages, 0, p.size[1], d.of(True, False), checked)
    fill_ahead(p, (a, b), bk, stages)
    steps = bk // 16
    sa, sb = spots(p, steps), spots(p, max(1, steps // 2) if d.n(0, 1) else steps)
    acc = p.carried(4 * m * n)
    slot, fill = ring(p, stages)
    order = d.of("all", "all", "step")

    def body(i):
        last, go = next_stage(p, i, bk, stages, slot, fill)
        wait(p, 2 * (stages - 2))
        base = p.op("mov.b32", "global_smem")
        ba = p.op("add.s32", base, p.op("mul.lo.s32", slot, a.bytes))
        bb = p.op("add.s32", base, p.op("mul.lo.s32", slot, b.bytes))
        def fragments(s):
            ax = p.op("add.s32", ba, sa[s])
            fa = [ldmatrix(p, ax, a.at + q * 2048) for q in range(m)]
            bx = p.op("add.s32", bb, sb[s % len(sb)])
            fb = [ldmatrix(p, bx, q * 1024 + s * 256, trans=True) for q in range((n + 1) // 2)]
            return fa, fb
        def multiply(fa, fb):
            for q in range(m):
                for w in range(n):
                    at, two = 4 * (q * n + w), fb[w // 2][2 * (w % 2):2 * (w % 2) + 2]
                    mma(p, acc[at:at + 4], fa[q], two, kind, "m16n8k8" if tf else "m16n8k16")
        if order == "all":
            every = [fragments(s) for s in range(steps)]
            for f in every: multiply(*f)
        else:
            for s in range(steps): multiply(*fragments(s))
        refill(p, (a, b), fill, p.op("sub.s32", last, i), go)
        return bk

    p.loop(p.size[2], body)
    wait(p, 0)
    store_tile(p, acc, p.ptr[2], bn, d.of(True, False), checked)
    return p.target, p.text()


def tile_wgmma(d, k):
    """A product by wgmma: operands in shared memory, accumulators in registers."""
    while True:
        bm, bn, bk, warps = d.of(64, 128, 128, 256), d.of(32, 64, 128, 256), d.of(32, 64, 64, 128), d.of(4, 4, 8)
        groups = warps // 4
        m = bm // 64 // groups if bm >= 64 * groups else 0
        n = bn if m else bn // groups
        if not m: m = bm // 64
        if n >= 16 and m * n // 2 <= 160 and bn * bk * 2 >= 512 * warps: break
    stages, bulk = d.of(2, 3, 4), d.maybe(.3, "x")
    p = Ptx(d, k, 32 * warps, d.of(3, 3, 5), 3, "sm_90a")
    checked, copies = d.n(0, 2) > 0, []
    if not bulk:
        copies = [Copies(p, p.ptr[0], bm, bk, 2, stages, bn * bk * 2 * stages, p.size[2], False, checked),
                  Copies(p, p.ptr[1], bk, bn, 2, stages, 0, p.size[1], d.of(True, False), checked)]
        fill_ahead(p, copies, bk, stages)
    accs = [p.carried(n // 2) for _ in range(m)]
    slot, fill = ring(p, stages)
    warp = p.op("shfl.sync.idx.b32", p.op("shr.u32", p.tid, 5), 0, 31, -1)
    pending = d.of(0, 0, 1)

    def descriptor(slot_bytes, at, s):
        addr = group_address(p, warp, slot_bytes, 11)
        return matrix(p, p.op("add.s32", addr, at + s * 32) if at + s * 32 else addr)

    def body(i):
        last, go = next_stage(p, i, bk, stages, slot, fill)
        if bulk:
            bar, again, done = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("shl.b32", slot, 3)), p.label(), p.p()
            p.at(again)
            p.put(f"mbarrier.try_wait.parity.shared.b64 {done}, [{bar}+65536], {fill};")
            p.put(f"@!{done} bra {again};")
        else:
            wait(p, 2 * (stages - 2))
        at_a, at_b = p.op("mul.lo.s32", slot, bm * bk * 2), p.op("mul.lo.s32", slot, bn * bk * 2)
        p.put("wgmma.fence.sync.aligned;")
        for j, acc in enumerate(accs):
            for s in range(bk // 16):
                da, db = descriptor(at_a, bn * bk * 2 * stages + j * 128 * bk, s), descriptor(at_b, 0, s)
                p.put(f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{','.join(acc)}}}, {da}, {db}, 1, 1, 1, 0, 0;")
        p.put("wgmma.commit_group.sync.aligned;")
        p.put(f"wgmma.wait_group.sync.aligned {pending};")
        if bulk:
            first = p.p()
            p.put(f"setp.eq.s32 {first}, {p.tid}, 0;")
            p.put(f"and.pred {first}, {first}, {go};")
            bar = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("shl.b32", fill, 3))
            p.put(f"@{first} mbarrier.arrive.expect_tx.shared.b64 _, [{bar}+65536], {(bm + bn) * bk * 2};")
            for source, at, size in ((p.ptr[0], bn * bk * 2 * stages, bm * bk * 2), (p.ptr[1], 0, bn * bk * 2)):
                to = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("mad.lo.s32", fill, size, at))
                p.put(f"@{first} cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{source}, {{{i}, {warp}}}], [{bar}+65536];")
        else:
            refill(p, copies, fill, p.op("sub.s32", last, i), go)
        return bk

    p.loop(p.size[2], body)
    p.put("wgmma.wait_group.sync.aligned 0;")
    if not bulk: p.put("cp.async.wait_group 0;")
    p.put("bar.sync 0;")
    store_tile(p, [r for acc in accs for r in acc], p.ptr[2], bn, d.of(True, True, False), checked)
    return p.target, p.text()


def tile_fma(d, k):
    """A product in fp32 by the function units: a tile of K unrolled whole."""
    while True:
        tm, tn, bk, warps = d.of(2, 4, 4, 8, 8), d.of(2, 4, 4, 8, 8), d.of(8, 16, 16, 32), d.of(2, 4, 8)
        if tm * tn * bk <= 1100 and (4 * tm * warps) * bk * 4 >= 512 * warps: break
    stages = d.of(2, 2, 3, 4)
    p = Ptx(d, k, 32 * warps, 3, 3, d.of("sm_80", "sm_80", "sm_90", "sm_90a"))
    checked, rows, cols = d.n(0, 1) > 0, 8 * tm * max(1, warps // 4), 16 * tn
    a = Copies(p, p.ptr[0], rows, bk, 4, stages, cols * bk * 4 * stages, p.size[2], False, checked)
    b = Copies(p, p.ptr[1], bk, cols, 4, stages, 0, p.size[1], d.of(True, False), checked)
    for s in range(stages - 1):
        for c in (a, b): c.copy(p.op("mov.b32", s * c.bytes), p.size[2], None)
    ra, rb = p.op("shl.b32", p.op("and.b32", p.tid, 112), 5), p.op("shl.b32", p.op("and.b32", p.tid, 15), 4)
    acc = p.carried(tm * tn)
    slot, fill = ring(p, stages)
    ahead = d.of(True, True, False)

    def body(i):
        last, go = next_stage(p, i, bk, stages, slot, fill)
        wait(p, 2 * (stages - 2))
        base = p.op("mov.b32", "global_smem")
        ba = p.op("add.s32", p.op("add.s32", base, p.op("mul.lo.s32", slot, a.bytes)), ra)
        bb = p.op("add.s32", p.op("add.s32", base, p.op("mul.lo.s32", slot, b.bytes)), rb)
        def row(q):
            got = [[p.r() for _ in range(4)] for _ in range(bk // 4)]
            for j, g in enumerate(got): p.put(f"ld.shared.v4.b32 {{{', '.join(g)}}}, [{ba}+{a.at + q * bk * 4 + j * 16}];")
            return [r for g in got for r in g]
        def line(q):
            got = []
            for j in range(0, tn, 4):
                g = [p.r() for _ in range(min(4, tn))]
                p.put(f"ld.shared.v{len(g)}.b32 {{{', '.join(g)}}}, [{bb}+{q * cols * 4 + j * 64}];")
                got += g
            return got
        fa = [row(q) for q in range(tm)]
        if ahead:
            fb = [line(q) for q in range(bk)]
            for x in range(tm):
                for y in range(tn):
                    c = acc[x * tn + y]
                    for q in range(bk): p.put(f"fma.rn.f32 {c}, {fa[x][q]}, {fb[q][y]}, {c};")
        else:
            for q in range(bk):
                l = line(q)
                for x in range(tm):
                    for y in range(tn): p.put(f"fma.rn.f32 {acc[x * tn + y]}, {fa[x][q]}, {l[y]}, {acc[x * tn + y]};")
        refill(p, (a, b), fill, p.op("sub.s32", last, i), go)
        return bk

    p.loop(p.size[2], body)
    wait(p, 0)
    store_tile(p, acc, p.ptr[2], cols, d.of(True, False, False), checked)
    return p.target, p.text()


def tile_attention(d, k):
    """Attention with a running maximum: two products and an exponential a step, by mma.sync or wgmma."""
    wg = d.of(True, False)
    while True:
        head, bn, warps, bm = d.of(16, 32, 64, 128), d.of(16, 32, 64, 128), 4 if wg else d.of(2, 4, 4, 8), d.of(16, 32, 64, 128)
        m = bm // 64 if wg else bm // 16 // warps
        if m >= 1 and m * (bn + 2 * head) // 2 <= 190 and m <= 2 and bn * head * 2 >= 512 * warps and bm * head * 2 >= 512 * warps: break
    stages = d.of(2, 2, 3)
    p = Ptx(d, k, 32 * warps, d.of(4, 6), 3, "sm_90a" if wg else d.of("sm_80", "sm_90"))
    q = Copies(p, p.ptr[0], bm, head, 2, 1, 0, p.size[1], False, False)
    kt = Copies(p, p.ptr[1], bn, head, 2, stages, bm * head * 2, p.size[1], False, d.n(0, 1))
    v = Copies(p, p.ptr[2], bn, head, 2, stages, bm * head * 2 + bn * head * 2 * stages, p.size[1], False, d.n(0, 1))
    q.copy(p.op("mov.b32", 0), p.size[1], None)
    for s in range(stages - 1):
        for c in (kt, v): c.copy(p.op("mov.b32", s * c.bytes), p.size[1], None)
    out = [p.carried(head // 2) for _ in range(m)]
    high, low = p.carried(2 * m, 1), p.carried(2 * m)
    scale = p.op("mul.f32", p.size[0], "0f3FB8AA3B")
    slot = p.r()
    p.put(f"mov.b32 {slot}, -1;")
    sa = spots(p, head // 16)
    held = None
    if not wg and d.n(0, 1):
        wait(p, 0)
        base = p.op("mov.b32", "global_smem")
        held = [[ldmatrix(p, p.op("add.s32", base, sa[s]), j * 2048) for s in range(head // 16)] for j in range(m)]
    causal, zero = d.maybe(.4, "x"), p.carried(1)[0]
    warp = p.op("shfl.sync.idx.b32", p.op("shr.u32", p.tid, 5), 0, 31, -1)

    def descriptor(slot_bytes, at, s):
        return matrix(p, p.op("add.s32", group_address(p, warp, slot_bytes, 9), at + s * 32))

    def body(i):
        go_round(p, slot, stages)
        wait(p, stages - 1)
        at = p.op("mul.lo.s32", slot, kt.bytes)
        base = p.op("add.s32", p.op("mov.b32", "global_smem"), at)
        scores = []
        for j in range(m):
            acc = [p.op("mov.b32", zero) if not wg else p.r() for _ in range(bn // 2)]
            scores.append(acc)
            if wg:
                if not j: p.put("wgmma.fence.sync.aligned;")
                for s in range(head // 16):
                    da, db = descriptor(zero, j * 128 * head, s), descriptor(at, kt.at, s)
                    if not s:
                        for r in acc: p.put(f"mov.b32 {r}, {zero};")
                    p.put(f"wgmma.mma_async.sync.aligned.m64n{bn}k16.f32.f16.f16 {{{','.join(acc)}}}, {da}, {db}, {1 if s else 0}, 1, 1, 0, 0;")
        if wg:
            p.put("wgmma.commit_group.sync.aligned;")
            p.put("wgmma.wait_group.sync.aligned 0;")
        else:
            for s in range(head // 16):
                bx = p.op("add.s32", base, sa[s])
                fb = [ldmatrix(p, bx, kt.at + w * 2048) for w in range(max(1, bn // 16))]
                for j in range(m):
                    fa = held[j][s] if held else ldmatrix(p, p.op("add.s32", p.op("mov.b32", "global_smem"), sa[s]), j * 2048)
                    for w in range(bn // 8): mma(p, scores[j][4 * w:4 * w + 4], fa, fb[w // 2][2 * (w % 2):2 * (w % 2) + 2])
        weights = []
        for j, acc in enumerate(scores):
            acc = [p.op("mul.f32", a, scale) for a in acc]
            if causal:
                lane = p.op("add.s32", i, p.op("shl.b32", p.op("and.b32", p.tid, 3), 1))
                masks = []
                for w, a in enumerate(acc):
                    g = p.p()
                    p.put(f"setp.lt.s32 {g}, {p.op('or.b32', lane, w // 4 * 8 + w % 2)}, {p.size[2]};")
                    masks.append(masked(p, a, g))
                acc = masks
            for half in range(2):
                mine = [a for w, a in enumerate(acc) if w // 2 % 2 == half]
                top = p.shuffled("max.f32", p.tree("max.f32", mine, "row"), (2, 1))
                new = p.op("max.f32", high[2 * j + half], top)
                fix = p.op("ex2.approx.ftz.f32", p.op("sub.f32", high[2 * j + half], new))
                for w, a in enumerate(acc):
                    if w // 2 % 2 == half: acc[w] = p.op("ex2.approx.ftz.f32", p.op("sub.f32", a, new))
                total = p.shuffled("add.f32", p.tree("add.f32", [a for w, a in enumerate(acc) if w // 2 % 2 == half], "row"), (2, 1))
                p.put(f"fma.rn.f32 {low[2 * j + half]}, {low[2 * j + half]}, {fix}, {total};")
                p.put(f"mov.b32 {high[2 * j + half]}, {new};")
                for w, o in enumerate(out[j]):
                    if w // 2 % 2 == half: p.put(f"mul.f32 {o}, {o}, {fix};")
            weights.append([p.packed(acc[w], acc[w + 1]) for w in range(0, len(acc), 2)])
        wait(p, stages - 2)
        if wg:
            p.put("wgmma.fence.sync.aligned;")
            for j in range(m):
                for s in range(max(1, bn // 16)):
                    p.put(f"wgmma.mma_async.sync.aligned.m64n{head}k16.f32.f16.f16 {{{','.join(out[j])}}}, {{{','.join(weights[j][4 * s:4 * s + 4])}}}, {descriptor(at, v.at, s)}, 1, 1, 1, 1;")
            p.put("wgmma.commit_group.sync.aligned;")
            p.put("wgmma.wait_group.sync.aligned 0;")
        else:
            for s in range(max(1, bn // 16)):
                fb = [ldmatrix(p, p.op("add.s32", base, sa[w % len(sa)]), v.at + s * 2048 + w * 64, trans=True) for w in range(head // 16)]
                for j in range(m):
                    for w in range(head // 8): mma(p, out[j][4 * w:4 * w + 4], weights[j][4 * s:4 * s + 4], fb[w // 2][2 * (w % 2):2 * (w % 2) + 2])
        for c in (kt, v): c.copy(at, p.size[2], None)
        return bn

    p.loop(p.size[2], body)
    result = []
    for j in range(m):
        result += [p.op("div.full.f32", o, low[2 * j + w // 2 % 2]) for w, o in enumerate(out[j])]
    wait(p, 0)
    store_tile(p, result, p.ptr[3], head, True, d.n(0, 1))
    return p.target, p.text()


def tile_staged(d, k):
    """A product by wgmma whose tiles pass through registers: loaded, masked, stored to shared memory; at once or in a loop."""
    while True:
        m, n, bk, loops = d.of(1, 1, 2), d.of(16, 32, 64, 64, 128), d.of(16, 32, 64, 64), d.n(0, 2) > 0
        elements = d.of(1, 1, 2, 8)                          # of a load, fp16
        ca, cb = m * 64 * bk // 128 // elements, n * bk // 128 // elements
        if 2 <= ca and 1 <= cb and ca + cb <= 64 and m * n // 2 <= 128: break
    p = Ptx(d, k, 128, 3, 4, "sm_90a")
    masked_loads, wrapped, first_is_zero = d.n(0, 2) > 0, d.n(0, 1), d.n(0, 1)

    def pointers(source, count, pitch, limit):
        rows = [p.op("or.b32", p.op("shr.u32", p.tid, 5), 4 * i) for i in range(count)]
        if wrapped: rows = [p.op("rem.s32", r, limit) for r in rows]
        lane = p.op("and.b32", p.tid, 31)
        got = []
        for r in rows:
            at = p.op("mad.wide.s32", p.op("mul.lo.s32", r, pitch), 2, source, to="rd")
            got.append(at if loops else p.address(at, lane, 2 * elements))
        return got, p.op("mul.wide.u32", lane, 2 * elements, to="rd")

    (pa, lane_a), (pb, lane_b) = pointers(p.ptr[0], ca, p.size[2], p.size[0]), pointers(p.ptr[1], cb, p.size[1], p.size[3])
    to = p.op("add.s32", p.op("mov.b32", "global_smem"), p.op("shl.b32", p.tid, 4 if elements == 8 else elements))
    accs = [p.carried(n // 2) if loops or not first_is_zero else [p.r() for _ in range(n // 2)] for _ in range(m)]
    step = p.op("mul.wide.s32", p.size[1], 2 * bk, to="rd")

    def fetch(at, guard):
        if elements > 1: return p.load(at, guard, elements // 2)
        got = p.new("rs")
        if guard: p.put(f"mov.b16 {got}, 0;")
        p.put(f"{'@' + guard + ' ' if guard else ''}ld.global.b16 {{ {got} }}, [ {at} + 0 ];")
        return [got]

    def keep(values, at):
        vector, kind = f".v{len(values)}" if len(values) > 1 else "", "b16" if elements == 1 else "b32"
        p.put(f"st.shared{vector}.{kind} [ {to} + {at} ], {'{' + ', '.join(values) + '}' if len(values) > 1 else values[0]};")

    def body(i):
        guard = None
        if masked_loads:
            guard = p.p()
            p.put(f"setp.lt.s32 {guard}, {i}, {p.size[2]};")
        got = [fetch(p.op("add.s64", a, lane_a, to="rd") if loops else a, guard) for a in pa]
        got += [fetch(p.op("add.s64", b, lane_b, to="rd") if loops else b, guard) for b in pb]
        if loops: p.put("bar.sync 0;")
        for j, v in enumerate(got): keep(v, j * 256 * elements)
        p.put("fence.proxy.async.shared::cta;")
        p.put("bar.sync 0;")
        p.put("wgmma.fence.sync.aligned;")
        base = p.op("mov.b32", "global_smem")
        for j, acc in enumerate(accs):
            for s in range(bk // 16):
                da = matrix(p, p.op("add.s32", base, j * 128 * bk + s * 32)), matrix(p, p.op("add.s32", base, m * 128 * bk + s * 32))
                scale = 0 if not loops and not s else 1
                p.put(f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{','.join(acc)}}}, {da[0]}, {da[1]}, {scale}, 1, 1, 0, 0;")
        p.put("wgmma.commit_group.sync.aligned;")
        p.put("wgmma.wait_group.sync.aligned 0;")
        if loops:
            for a in pa: p.put(f"add.s64 {a}, {a}, {2 * bk};")
            for b in pb: p.put(f"add.s64 {b}, {b}, {step};")
        return bk

    if loops: p.loop(p.size[2], body)
    else: body(p.op("and.b32", p.tid, 31))
    p.put("bar.sync 0;")
    store_tile(p, [r for acc in accs for r in acc], p.ptr[2], n, d.of(True, True, False), d.n(0, 1) > 0)
    return p.target, p.text()


def tile_mixed(d, k):
    """Rows of halves that are combined with each other: turned, filtered by taps, scaled by their largest."""
    warps, count, what = d.of(1, 2, 4, 4, 8), d.of(1, 2, 2, 4), d.of("turn", "taps", "scale")
    p = Ptx(d, k, 32 * warps, 4, 3, target_of(d))
    cols, preds = columns(p, count, 8, p.size[0] if d.n(0, 1) else None, warps)
    base = p.op("mul.lo.s32", p.op("mov.u32", "%ctaid.x"), p.size[1])
    kind = d.of("f16", "bf16")

    def halves(r):
        a, b = p.new("rs"), p.new("rs")
        p.put(f"mov.b32 {{{a}, {b}}}, {r};")
        return [p.op(f"cvt.f32.{kind}", a), p.op(f"cvt.f32.{kind}", b)]

    def row(source, offset):
        at = p.address(source, base, 2)
        return [[h for r in p.load(p.address(at, c, 2), g, 4, True, offset) for h in halves(r)] for c, g in zip(cols, preds)]

    def put(values, offset):
        at = p.address(p.ptr[1], base, 2)
        for c, g, v in zip(cols, preds, values):
            pairs = [p.op(f"cvt.rn.{kind}x2.f32", v[j + 1], v[j]) for j in range(0, 8, 2)]
            p.store(p.address(at, c, 2), pairs, g, offset)

    each = lambda f, *rows: [[f(*v) for v in zip(*parts)] for parts in zip(*rows)]
    times, plus = (lambda a, b: p.op("mul.f32", a, b)), (lambda a, b, c: p.op("fma.rn.f32", a, b, c))
    if what == "turn":
        x, y = row(p.ptr[0], 0), row(p.ptr[0], 4096)
        sine, cosine = row(p.ptr[2], 0), row(p.ptr[3], 0)
        put(each(lambda a, b, s, c: p.op("fma.rn.f32", a, c, p.op("neg.f32", times(b, s))), x, y, sine, cosine), 0)
        put(each(lambda a, b, s, c: plus(b, c, times(a, s)), x, y, sine, cosine), 4096)
    elif what == "taps":
        total = None
        for j in range(d.of(2, 3, 4)):
            x, w = row(p.ptr[0], 2048 * j), row(p.ptr[2], 2048 * j)
            total = each(times, x, w) if total is None else each(plus, x, w, total)
        if d.n(0, 1):
            exps = each(lambda a: p.op("ex2.approx.f32", p.op("mul.f32", a, "0fBFB8AA3B")), total)
            total = each(lambda a, e: p.op("div.full.f32", a, p.op("add.f32", e, "0f3F800000")), total, exps)
        put(total, 0)
    else:
        x = row(p.ptr[0], 0)
        if d.n(0, 1): x = each(lambda a, b: p.op("add.f32", a, b), x, row(p.ptr[2], 0))
        flat = [p.op("abs.f32", v) for r in x for v in r] if d.n(0, 1) else [p.op("mul.f32", v, v) for r in x for v in r]
        top = p.across(d.of("max.f32", "add.f32"), [p.tree("max.f32", flat, d.of("row", "tree"))], warps)[0]
        scale = p.op("div.full.f32", "0f42FE0000", top) if d.n(0, 1) else p.op("rsqrt.approx.ftz.f32", top)
        out = each(lambda a: times(a, scale), x)
        put(each(times, out, row(p.ptr[3], 0)) if d.n(0, 1) else out, 0)
    return p.target, p.text()


TILE_KINDS = [tile_rows, tile_loop, tile_map, tile_mma, tile_wgmma, tile_fma, tile_attention, tile_staged, tile_mixed]
