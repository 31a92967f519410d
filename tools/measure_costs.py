#!/usr/bin/env python3
"""measure_costs.py COMMAND ... -- the measured rows of src/gpu/costs.txt. Run by measure-costs.sh.

  probes FORMS DIR TARGET...  DIR/TARGET.ptx and .cubin for each target: two kernels a form, which execute it two times and four.
                              Each instruction takes its operands from memory and leaves its results there, so that nothing is
                              constant or uniform and ptxas can drop nothing. Needs ptxas; what it refuses is left out.
  count DIR                   DIR/*.sass, the output of `nvdisasm -c`, to DIR/counts.json: machine operations of each form.
  table DIR COSTS             rewrite the measured rows of COSTS; rows with another source stay.
  spread DIR COSTS            what the minimum hides: rows whose forms differ.
  hold DIR COSTS PTX...       kernels of PTX files whose rows add up to more than their code, in DIR/NAME.sass, has.

An operation count is half the difference of the two kernels, each counted along its shortest path from entry to exit; a path
that calls a subroutine is taken only where no other leads to the exit. The loads, stores and predicates around the instruction
are subtracted. A row's figure is the minimum, class by class, of the forms that fall to it.
"""
import heapq
import json
import os
import re
import subprocess
import sys
from collections import Counter

FEW, MANY = 2, 4                        # how often the two kernels of a form execute it
SLOT_BYTES = 32                         # apart, so that accesses of one kernel do not overlap
CALL_WEIGHT = 1000                      # a call weighs as much as a path of so many instructions
PER_ROW_MOST = 64                       # probes of one row of the forms
CLASSES = {"int", "logic", "cmp", "arith", "fp32", "fp64", "half", "fma", "cvt", "sfu", "div", "move", "warp", "video"}
NOT_PROBED = {"mov", "cvta", "istypep", "bar", "elect", "match", "vote", "call", "alloca", "stacksave", "stackrestore"}
FEW_OF = {"cmpint": [".eq", ".lt"], "cmpunsigned": [".eq", ".lt", ".hi"], "cmpflt": [".eq", ".lt", ".ltu", ".nan"],
          "boolop": [".and", ".xor"], "vcmp": [".eq", ".lt"]}

# Forms whose operands forms.txt does not spell out, and one of each kind of what has no operands to vary. d*4: a vector of four.
MORE = """
vote.sync.any.pred | =d:pred, a:pred, m:mask
vote.sync.all.pred | =d:pred, a:pred, m:mask
vote.sync.uni.pred | =d:pred, a:pred, m:mask
vote.sync.ballot.b32 | =d:b32, a:pred, m:mask
match.any.sync.b32 | =d:b32, a:b32, m:mask
match.any.sync.b64 | =d:b32, a:b64, m:mask
match.all.sync.b32 | =d:b32|=p:pred, a:b32, m:mask
match.all.sync.b64 | =d:b32|=p:pred, a:b64, m:mask
elect.sync | =d:b32|=p:pred, m:mask
activemask.b32 | =d:b32
mov.u32 | =d:b32, %laneid
mov.u32 | =d:b32, %clock
mov.u64 | =d:b64, %clock64
mov.u64 | =d:b64, %globaltimer
ld.global.b8 | =d:b16, [a]
ld.global.b32 | =d:b32, [a]
ld.global.b64 | =d:b64, [a]
ld.global.v2.b32 | =d*2:b32, [a]
ld.global.v4.b32 | =d*4:b32, [a]
ld.global.v2.b64 | =d*2:b64, [a]
ld.global.v4.b16 | =d*4:b16, [a]
ld.global.v4.b8 | =d*4:b16, [a]
ld.global.v8.b32 | =d*8:b32, [a]
ld.global.v4.b64 | =d*4:b64, [a]
ld.global.nc.b32 | =d:b32, [a]
ld.volatile.global.b32 | =d:b32, [a]
ld.relaxed.gpu.global.b32 | =d:b32, [a]
ld.acquire.gpu.global.b32 | =d:b32, [a]
ld.b32 | =d:b32, [a]
ld.local.b32 | =d:b32, [a]
ld.const.b32 | =d:b32, [a]
ld.const.b64 | =d:b64, [a]
ld.const.v4.b32 | =d*4:b32, [a]
ld.shared.b8 | =d:b16, [a]
ld.shared.b32 | =d:b32, [a]
ld.shared.b64 | =d:b64, [a]
ld.shared.v2.b32 | =d*2:b32, [a]
ld.shared.v4.b32 | =d*4:b32, [a]
ld.shared.v2.b64 | =d*2:b64, [a]
ldu.global.b32 | =d:b32, [a]
st.global.b8 | [a], b:b16
st.global.b32 | [a], b:b32
st.global.b64 | [a], b:b64
st.global.v4.b32 | [a], b*4:b32
st.global.v2.b64 | [a], b*2:b64
st.global.v8.b32 | [a], b*8:b32
st.relaxed.gpu.global.b32 | [a], b:b32
st.release.gpu.global.b32 | [a], b:b32
st.b32 | [a], b:b32
st.shared.b32 | [a], b:b32
st.shared.b64 | [a], b:b64
st.shared.v4.b32 | [a], b*4:b32
st.shared.v2.b64 | [a], b*2:b64
atom.global.add.u32 | =d:b32, [a], b:b32
atom.global.add.u64 | =d:b64, [a], b:b64
atom.global.add.f32 | =d:b32, [a], b:b32
atom.global.add.f64 | =d:b64, [a], b:b64
atom.global.add.noftz.f16 | =d:b16, [a], b:b16
atom.global.add.noftz.f16x2 | =d:b32, [a], b:b32
atom.global.add.noftz.bf16x2 | =d:b32, [a], b:b32
atom.global.inc.u32 | =d:b32, [a], b:b32
atom.global.min.s32 | =d:b32, [a], b:b32
atom.global.min.s64 | =d:b64, [a], b:b64
atom.global.and.b32 | =d:b32, [a], b:b32
atom.global.exch.b32 | =d:b32, [a], b:b32
atom.global.exch.b128 | =d:b128, [a], b:b128
atom.global.cas.b16 | =d:b16, [a], b:b16, c:b16
atom.global.cas.b32 | =d:b32, [a], b:b32, c:b32
atom.global.cas.b64 | =d:b64, [a], b:b64, c:b64
atom.add.u32 | =d:b32, [a], b:b32
atom.add.f32 | =d:b32, [a], b:b32
atom.shared.add.u32 | =d:b32, [a], b:b32
atom.shared.add.u64 | =d:b64, [a], b:b64
atom.shared.add.f32 | =d:b32, [a], b:b32
atom.shared.add.f64 | =d:b64, [a], b:b64
atom.shared.inc.u32 | =d:b32, [a], b:b32
atom.shared.min.s32 | =d:b32, [a], b:b32
atom.shared.min.s64 | =d:b64, [a], b:b64
atom.shared.and.b32 | =d:b32, [a], b:b32
atom.shared.and.b64 | =d:b64, [a], b:b64
atom.shared.exch.b32 | =d:b32, [a], b:b32
atom.shared.exch.b64 | =d:b64, [a], b:b64
atom.shared.cas.b16 | =d:b16, [a], b:b16, c:b16
atom.shared.cas.b32 | =d:b32, [a], b:b32, c:b32
atom.shared.cas.b64 | =d:b64, [a], b:b64, c:b64
atom.shared.add.noftz.f16x2 | =d:b32, [a], b:b32
red.global.add.u32 | [a], b:b32
red.global.add.u64 | [a], b:b64
red.global.add.f32 | [a], b:b32
red.global.add.f64 | [a], b:b64
red.global.add.noftz.f16x2 | [a], b:b32
red.global.min.s32 | [a], b:b32
red.global.min.s64 | [a], b:b64
red.global.and.b32 | [a], b:b32
red.add.u32 | [a], b:b32
red.add.f32 | [a], b:b32
red.shared.add.u32 | [a], b:b32
red.shared.add.u64 | [a], b:b64
red.shared.add.f32 | [a], b:b32
red.shared.add.f64 | [a], b:b64
red.shared.min.s64 | [a], b:b64
red.shared.and.b32 | [a], b:b32
red.global.v4.f32.add | [a], b*4:b32
ldmatrix.sync.aligned.m8n8.x1.shared.b16 | =d*1:b32, [a]
ldmatrix.sync.aligned.m8n8.x2.shared.b16 | =d*2:b32, [a]
ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 | =d*4:b32, [a]
stmatrix.sync.aligned.m8n8.x1.shared.b16 | [a], b*1:b32
stmatrix.sync.aligned.m8n8.x4.shared.b16 | [a], b*4:b32
movmatrix.sync.aligned.m8n8.trans.b16 | =d:b32, a:b32
cp.async.ca.shared.global | [a], [g:global], 4
cp.async.cg.shared.global | [a], [g:global], 16
cp.async.commit_group |
cp.async.wait_all |
prefetch.global.L2 | [a]
prefetch.local.L1 | [a]
prefetchu.L1 | [a]
discard.global.L2 | [a], 128
applypriority.global.L2::evict_normal | [a], 128
createpolicy.fractional.L2::evict_last.b64 | =d:b64, a:b32
createpolicy.range.global.L2::evict_last.b64 | =d:b64, [a], a:b32, b:b32
createpolicy.cvt.L2.b64 | =d:b64, a:b64
mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 | =d*8:b32, a*2:b32, b*2:b32, c*8:b32
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 | =d*2:b32, a*1:b32, b*1:b32, c*2:b32
mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 | =d*4:b32, a*2:b32, b*2:b32, c*4:b32
mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 | =d*2:b32, a*1:b32, b*1:b32, c*2:b32
mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32 | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc | =d*4:b32, a*4:b32, b*2:b32, c*4:b32
mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc | =d*2:b32, a*1:b32, b*1:b32, c*2:b32
mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 | =d*2:b32, a*4:b32, b*2:b32, c*2:b32
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 | =d*4:b32, a*2:b32, b*1:b32, c*4:b32
mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 | =d*4:b64, a*2:b64, b*1:b64, c*4:b64
mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 | =d*4:b64, a*4:b64, b*2:b64, c*4:b64
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 | =d*2:b64, a*1:b64, b*1:b64, c*2:b64
mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 | =d*4:b64, a*8:b64, b*4:b64, c*4:b64
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 | =d*8:b32, [a]
wmma.load.b.sync.aligned.col.m16n16k16.global.f16 | =d*8:b32, [a]
wmma.load.b.sync.aligned.row.m16n16k16.global.f16 | =d*8:b32, [a]
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 | =d*8:b32, [a]
wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 | =d*8:b32, [a]
wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 | =d*8:b32, [a]
wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 | =d*8:b32, [a]
wmma.load.a.sync.aligned.row.m16n16k16.global.s8 | =d*2:b32, [a]
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 | [a], b*8:b32
wmma.store.d.sync.aligned.row.m16n16k16.global.f16 | [a], b*4:b32
wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 | [a], b*8:b32
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 | =d*8:b32, a*8:b32, b*8:b32, c*8:b32
bar.warp.sync | m:mask
bar.sync | 0
bar.arrive | 1, 64
bar.red.popc.u32 | =d:b32, 0, a:pred
bar.red.and.pred | =d:pred, 0, a:pred
barrier.sync | 0
barrier.cluster.arrive.aligned |
barrier.cluster.wait.aligned |
membar.cta |
membar.gl |
membar.sys |
fence.acq_rel.cta |
fence.acq_rel.gpu |
fence.sc.gpu |
fence.proxy.async |
mbarrier.init.shared.b64 | [a], b:b32
mbarrier.inval.shared.b64 | [a]
mbarrier.arrive.shared.b64 | =d:b64, [a]
mbarrier.arrive.expect_tx.shared.b64 | =d:b64, [a], b:b32
mbarrier.expect_tx.relaxed.cta.shared.b64 | [a], b:b32
mbarrier.test_wait.shared.b64 | =d:pred, [a], b:b64
mbarrier.test_wait.parity.shared.b64 | =d:pred, [a], b:b32
mbarrier.try_wait.shared.b64 | =d:pred, [a], b:b64
mbarrier.try_wait.parity.shared.b64 | =d:pred, [a], b:b32
mbarrier.pending_count.b64 | =d:b32, a:b64
nanosleep.u32 | a:b32
griddepcontrol.wait |
griddepcontrol.launch_dependents |
bfe.u32 | =d:b32, a:b32, 5, 7
bfe.s32 | =d:b32, a:b32, 5, 7
bfe.u64 | =d:b64, a:b64, 5, 7
bfe.s64 | =d:b64, a:b64, 5, 7
bfi.b32 | =d:b32, a:b32, b:b32, 5, 7
bfi.b64 | =d:b64, a:b64, b:b64, 5, 7
shl.b32 | =d:b32, a:b32, 5
shl.b64 | =d:b64, a:b64, 5
shr.u64 | =d:b64, a:b64, 5
shr.s64 | =d:b64, a:b64, 5
shr.u32 | =d:b32, a:b32, 5
""".strip().splitlines()


# ---- PTX

def read_forms(path):
    """(modifiers, operands, groups) of the rows that a probe is made of."""
    text = open(path, encoding="utf-8").read()
    groups = {name: values.split() for name, values in re.findall(r"^group\s+([\w.:-]+)\s*=\s*(.*)", text, re.M)}
    until = False
    for line in text.splitlines():
        if line.startswith("#until") or not line.strip():
            until = line.startswith("#until")
        elif "|" in line and not line.startswith("#") and not until:
            # "|" also joins the members of a pair: the columns stand apart by " | "
            cells = [c.strip() for c in re.split(r"\s\|\s", line)]
            opcode = re.match(r"\w+", cells[0]).group()
            if cells[-1] in CLASSES and opcode not in NOT_PROBED:
                yield cells[0], cells[1], groups


def spellings(modifiers, groups):
    """All ways to fill the modifier positions of a form: lists of (group or None, text)."""
    out = [[(None, re.match(r"\w+", modifiers).group())]]
    for optional, name in re.findall(r"(\{?)\.([\w:]+)\}?", modifiers[len(out[0][0][1]):]):
        choices = [(name, value) for value in FEW_OF.get(name, groups[name])] if name in groups else [(None, "." + name)]
        choices = ([(None, "")] if optional else []) + choices
        out = [spelling + [choice] for spelling in out for choice in choices]
        if len(out) > 20000:
            out = out[::7]
    return out[::max(1, -(-len(out) // PER_ROW_MOST))]


def width(kind):
    if kind in ("pred", "mask"):
        return kind
    found = re.search(r"x([24])$", kind)
    base = kind[:found.start()] if found else kind
    bits = {"e4m3": 8, "e5m2": 8, "e2m3": 8, "e3m2": 8, "e2m1": 4, "ue8m0": 8, "tf32": 32}.get(base)
    bits = bits or int(re.search(r"\d+", base).group())
    return {4: "b16", 8: "b16", 16: "b16", 32: "b32", 64: "b64", 128: "b128"}[bits * (int(found.group(1)) if found else 1)]


def split_operands(text):
    text = re.sub(r"\{\|(=[^}]*)\}", "", text)          # {|=q}: without it
    text = re.sub(r"\{(, [^}]*)\}", "", text)
    text = re.sub(r"\{[-!]\}", "", text)
    return [o.strip() for o in re.split(r",\s*(?![^\[]*\])", text) if o.strip()]


TYPE = re.compile(r"\.(pred|[busf]\d+(x\d)?|bf16(x2)?|tf32|u?e\dm\d(x\d)?)")


class Probe:
    """One execution of a form: what to load before, the instruction, what to store after; and how much of that is around it."""

    def __init__(self, spelling, operands):
        self.text = "".join(text for _, text in spelling)
        self.by_group = {group: text[1:] for group, text in spelling if group}
        self.types = [text[1:] for _, text in spelling[1:] if TYPE.fullmatch(text)]
        self.operands = split_operands(operands)
        self.loads = self.stores = self.preds = 0

    def name(self):
        return self.text + " " + ", ".join(self.operands)

    def type_of(self, operand):
        kind = operand.partition(":")[2]
        if not kind:
            kind = self.types[-1] if self.types else "b32"
        return "b64" if kind == "any" else self.by_group.get(kind, kind)

    def space(self):
        found = re.search(r"\.(shared|local|const)", self.text)
        return found.group(1) if found else "global"

    def render(self, i):
        self.before, self.after, self.loads, self.stores, self.preds, self.n = [], [], 0, 0, 0, 0
        self.tag, self.slot = i, 0
        args = ", ".join("|".join(self.value(part) for part in o.split("|")) for o in self.operands)
        return self.before + [f"{self.text} {args};"] + self.after

    def register(self, kind):
        self.n += 1
        return f"%{kind}_{self.tag}_{self.n}"

    def offset(self):
        self.slot += 1
        return (self.tag * 32 + self.slot) * SLOT_BYTES

    def value(self, operand):
        if operand.startswith("["):
            space = "global" if "global" in operand else self.space()
            return f"[%{space}+{self.offset()}]"
        if re.fullmatch(r"%\w+|\d+", operand):
            return operand
        if ":imm" in operand:
            return "0x96"
        vector = re.match(r"[=+]?\w+\*(\d)", operand)
        if vector:
            one = operand.replace("*" + vector.group(1), "", 1)
            return "{" + ", ".join(self.value(one) for _ in range(int(vector.group(1)))) + "}"
        kind = self.type_of(operand)
        if width(kind) == "mask" or operand.startswith("membermask"):
            return "0xffffffff"
        return self.written(kind) if operand[0] == "=" else self.read(kind, operand[0] == "+")

    def read(self, kind, also_written=False):
        register = self.register(width(kind))
        self.loads += 1
        if width(kind) == "pred":
            number = self.register("b32")
            self.before += [f"ld.global.b32 {number}, [%in+{self.offset()}];", f"setp.ne.s32 {register}, {number}, 0;"]
            self.preds += 1
        else:
            load = {"s8": "s8", "u8": "u8", "b8": "u8", "s16": "s16"}.get(kind, width(kind))
            load = "u16" if load == "b16" else load
            self.before.append(f"ld.global.{load} {register}, [%in+{self.offset()}];")
        if also_written:
            self.store(register, kind)
        return register

    def written(self, kind):
        register = self.register(width(kind))
        self.store(register, kind)
        return register

    def store(self, register, kind):
        self.stores += 1
        if width(kind) == "pred":
            self.after.append(f"@{register} st.global.b32 [%out+{self.offset()}], %tid32;")
        else:
            self.after.append(f"st.global.{width(kind)} [%out+{self.offset()}], {register};")


def kernel(number, probe, times):
    body = [line for i in range(times) for line in probe.render(i)]
    registers = sorted(set(re.findall(r"%(?:b16|b32|b64|b128|pred)_\w+", " ".join(body))))
    declared = [f".reg .{r[1:].split('_')[0]} {r};" for r in registers]
    return [f".visible .entry k{number}_{times}(.param .u64 p, .param .u64 q)", "{",
            ".reg .b64 %in, %out, %global, %local, %const; .reg .b32 %shared, %tid32;"] + declared + [
            "mov.u32 %tid32, %tid.x;", "ld.param.u64 %in, [p];", "ld.param.u64 %out, [q];",
            "mad.wide.u32 %global, %tid32, 16, %out;",
            "mad.wide.u32 %in, %tid32, 16, %in;", "mad.wide.u32 %out, %tid32, 32, %out;",
            "mov.u32 %shared, S;", "mad.lo.u32 %shared, %tid32, 16, %shared;",
            "mov.u64 %const, C;", "mad.wide.u32 %const, %tid32, 16, %const;"] + (
            [".local .align 16 .b8 L[8192];", "mov.u64 %local, L;", "mad.wide.u32 %local, %tid32, 16, %local;"]
            if "%local" in " ".join(body) else []) + body + ["ret;", "}"]


def module(target, probes):
    """The text of a module, and the number of the probe that each of its lines belongs to."""
    lines = [".version 9.0", f".target sm_{target}", ".address_size 64", ".shared .align 16 .b8 S[8192];",
             ".const .align 16 .b8 C[8192];"]
    owner = [None] * len(lines)
    for number, probe in sorted(probes.items()):
        for times in (FEW, MANY):
            text = kernel(number, probe, times)
            lines += text
            owner += [number] * len(text)
    return "\n".join(lines) + "\n", owner


def compile_module(folder, target, probes):
    path = f"{folder}/{target}.ptx"
    while probes:
        text, owner = module(target, probes)
        open(path, "w", encoding="ascii").write(text)
        done = subprocess.run([os.environ.get("PTXAS", "ptxas"), "-arch", f"sm_{target}", "-o", f"{folder}/{target}.cubin", path],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return probes
        refused = {owner[int(n) - 1] for n in re.findall(r"line (\d+); (?:error|fatal)", done.stderr)} - {None}
        refused |= {int(n) for n in re.findall(r"(?:entry function '|')k(\d+)_", done.stderr)}
        if not refused & probes.keys():
            sys.exit(f"sm_{target}: {done.stderr[:2000]}")
        probes = {n: p for n, p in probes.items() if n not in refused}
    return probes


def all_probes(forms):
    seen = {}
    for modifiers, operands, groups in read_forms(forms):
        if "{=" in operands or "mask" in modifiers:
            continue
        for spelling in spellings(modifiers, groups):
            probe = Probe(spelling, operands)
            seen.setdefault(probe.name(), probe)
    for line in MORE:
        modifiers, _, operands = (part.strip() for part in line.partition("|"))
        probe = Probe([(None, t) for t in re.findall(r"^\w+|\.[\w:]+", modifiers)], operands)
        seen.setdefault(probe.name(), probe)
    return dict(enumerate(seen.values()))


def make_probes(forms, folder, targets):
    os.makedirs(folder, exist_ok=True)
    probes, index = all_probes(forms), {}
    for number, probe in probes.items():
        probe.render(0)
        index[number] = {"text": probe.name(), "loads": probe.loads, "stores": probe.stores, "preds": probe.preds}
    json.dump(index, open(f"{folder}/index.json", "w", encoding="ascii"), indent=0)
    for target in targets:
        print(f"sm_{target}: {len(compile_module(folder, target, probes))} of {len(probes)} forms", flush=True)


# ---- machine code

# Opcode with modifiers to class, the first that fits from the left. None: padding. What fits none is "other".
MACHINE = [(re.compile(pattern), name) for pattern, name in [
    (r"NOP", None),
    (r"SHFL", "shuffle"), (r"VOTE|MATCH|U?ELECT", "vote"), (r"C?REDUX", "redux"),
    (r"IMAD\.MOV|U?MOV(?!M)|CS2R|S2U?R|R2UR|U2R", "move"), (r"U(?!TC)|SYNCS|B2R|LDGDEPBAR|FCHK|MOVM", "other"),
    (r"IMAD\.SHL", "shift"), (r"IMAD\.(IADD|X)", "iadd"), (r"IMAD\.(WIDE|HI)", "imad_wide"), (r"IMAD", "imad"),
    (r"IADD|LEA|VIADD(?!MNMX)", "iadd"),
    (r"HMMA|IMMA|DMMA|BMMA|QMMA|OMMA|[A-Z]+GMMA|UTC.*MMA", "tensor"),
    (r"HADD2\.F32", "cvt_fast"), (r"V?HMNMX|HSETP2|HSET2", "alu"), (r"HADD2|HMUL2|HFMA2", "fp16"),
    (r"FADD|FMUL|FFMA|FHADD|FHFMA", "fp32"), (r"DADD|DMUL|DFMA|DSETP|DMNMX", "fp64"),
    (r"LOP3|ISETP|FSETP|V?IMNMX|VIADDMNMX|FMNMX|SEL|FSEL|PRMT|PLOP3|IABS|FSET|P2R|R2P", "alu"),
    (r"SHF|SHL|SHR|BMSK|SGXT", "shift"), (r"POPC|FLO|BREV", "bits"), (r"MUFU", "xu"),
    (r"(F2I|I2F|F2F|FRND|I2I)\S*64", "cvt64"), (r"I2FP|F2FP|I2IP|F2IP", "cvt_fast"), (r"F2I|I2F|F2F|FRND|I2I", "cvt"),
    (r"IDP", "dot"), (r"VABSDIFF", "video"),
    (r"LDSM|STSM", "matrix"), (r"LDGSTS|LDG|STG|LDL|STL|LD\b|ST\b", "global"), (r"LDS|STS", "shared"), (r"LDC", "const"),
    (r"ATOMS", "atomic_shared"), (r"ATOM|RED", "atomic"), (r"TEX|TLD|TXQ|SULD|SUST|SUATOM|SURED|SUQ|TXD", "texture"),
    (r"BRA|BRX|CALL|RET|EXIT|BSSY|BSYNC|BREAK|BMOV|WARPSYNC", "branch"), (r"BAR\b|UCGABAR", "barrier"),
]]
# Moves of constants, of registers, and of halves of registers.
TAKEN_AS_MOVE = re.compile(r"HFMA2\S* \S+, -?RZ, -?RZ, |IMAD\.U32 \S+, RZ, RZ|PRMT \S+, \S+, 0x7610, ")


def machine_class(text):
    """The class of an instruction, "BRA L", "IADD3 R1, ..."; None: no operation."""
    if re.match(r"IMAD\.MOV\S* \S+, RZ, RZ, -R", text):
        return "iadd"                   # a negation
    if TAKEN_AS_MOVE.match(text):
        return "move"
    for pattern, name in MACHINE:
        if pattern.match(text):
            return name
    return "other"


def read_sass(path):
    """{function: ([(predicated, text)], {label: index})} of the output of nvdisasm -c. A subroutine is a label of its caller."""
    functions, code, labels, at = {}, None, None, 0
    for line in open(path, encoding="ascii", errors="replace"):
        line = line.strip()
        section = re.match(r'\.section\s+\.text\.([\w$]+)', line)
        if section:
            code, labels, at = [], {}, 0
            name = section.group(1)
            functions[name] = (code, labels)
            continue
        if re.match(r"\.section\s", line):
            code = None
        if code is None:
            continue
        label = re.fullmatch(r"(\S+):", line)
        insn = re.match(r"(?:/\*[0-9a-f]+\*/)?\s*(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][^;]*?)\s*;", line)
        if label:
            labels[label.group(1)] = len(code)
        elif insn and not line.startswith("."):
            code.append((bool(insn.group(1)), insn.group(2)))
            address = re.match(r"/\*([0-9a-f]+)\*/", line)
            if address and int(address.group(1), 16) != at:
                functions.pop(name, None)       # an instruction that nvdisasm does not print
            at += 16
    return functions


def successors(code, labels, i):
    """(next, weight) of instruction i; an end is -1."""
    predicated, text = code[i]
    opcode = text.split()[0]
    target = re.search(r"`\((\S+?)\)", text)
    if opcode.startswith(("EXIT", "RET")):
        return [(-1, 1)] + ([(i + 1, 1)] if predicated else [])
    if opcode.startswith("CALL"):
        return [(i + 1, CALL_WEIGHT)]
    if opcode.startswith("BRA") and target:
        always = not predicated and not re.search(r"BRA\.(DIV|U|CONV)|U?P\d", text)
        return [(labels[target.group(1)], 1)] + ([] if always else [(i + 1, 1)])
    return [(i + 1, 1)]


def shortest_path(code, labels, start):
    """Instructions on the shortest way from start to an exit or return (Dijkstra)."""
    came, done, heap = {}, set(), [(0, start, None)]
    while heap:
        weight, at, previous = heapq.heappop(heap)
        if at in done:
            continue
        done.add(at)
        came[at] = previous
        if at == -1:
            break
        if at < len(code):
            for following, step in successors(code, labels, at):
                heapq.heappush(heap, (weight + step, following, at))
    path, at = [], came.get(-1)
    while at is not None:
        path.append(at)
        at = came[at]
    return path


def operations(code, labels, start=0, depth=0):
    """Classes on the shortest path, with those of subroutines that it calls, and the instructions themselves."""
    classes, texts = Counter(), Counter()
    for i in shortest_path(code, labels, start):
        text = code[i][1]
        classes[machine_class(text)] += 1
        texts[text.split()[0]] += 1
        target = re.search(r"`\((\S+?)\)", text)
        if text.startswith("CALL") and target and target.group(1) in labels and depth < 4:
            inner, inner_texts = operations(code, labels, labels[target.group(1)], depth + 1)
            classes += inner
            texts += inner_texts
    return classes, texts


def difference(many, few):
    return {k: (many[k] - few[k]) / (MANY - FEW) for k in sorted((many.keys() | few.keys()) - {None}, key=str) if many[k] != few[k]}


def count(folder):
    index = json.load(open(f"{folder}/index.json", encoding="ascii"))
    result = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".sass"):
            continue
        target, functions = file[:-5], read_sass(f"{folder}/{file}")
        for number, info in index.items():
            if f"k{number}_{FEW}" not in functions:
                continue
            few, few_texts = operations(*functions[f"k{number}_{FEW}"])
            many, many_texts = operations(*functions[f"k{number}_{MANY}"])
            ops = difference(many, few)
            ops["global"] = ops.get("global", 0) - info["loads"] - info["stores"]
            ops["alu"] = ops.get("alu", 0) - info["preds"]
            ops = {c: n for c, n in ops.items() if n}
            result.setdefault(info["text"], {})[target] = {"ops": ops, "sass": difference(many_texts, few_texts)}
    json.dump(result, open(f"{folder}/counts.json", "w", encoding="ascii"), indent=0, sort_keys=True)


# ---- the table

KNOWN = [10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90,
         100, 103, 110, 120, 121]


# bf16 to f32 with a rounding that has no effect: its modifiers are those of f32 to bf16, which is what is written so.
AMBIGUOUS = re.compile(r"cvt\.r[nzmp](\.ftz)?\.f32\.bf16")


def parse_pattern(pattern):
    """(opcode, [set of modifiers, one of which must be there])."""
    parts = re.findall(r"\.(\{[^}]*\}|[\w:]+)", pattern)
    return re.match(r"\w+", pattern).group(), [set(p.strip("{}").split(",")) for p in parts]


def fits(pattern, form):
    opcode, wanted = pattern
    text = form.split()[0]
    have = set(re.findall(r"\.([\w:]+)", text))
    return re.match(r"\w+", text).group() == opcode and all(have & one for one in wanted)


def read_rows(path):
    """Lines as they are, or rows [pattern, targets, operations, source]."""
    rows = []
    for line in open(path, encoding="utf-8").read().splitlines():
        cells = [c.strip() for c in line.split("|")]
        rows.append(line if line.startswith("#") or len(cells) != 4 else cells)
    return rows


def fits_target(targets, number):
    for one in targets.split(","):
        low, dots, high = one.partition("..")
        if one == "*" or (int(low or 0) <= number <= int(high or 10**6) if dots else int(one) == number):
            return True
    return False


def figures(counts, rows):
    """{pattern: {target: [(form, operations)]}}: each form under the first pattern that takes it for that target."""
    parsed = [(row, parse_pattern(row[0])) for row in rows if isinstance(row, list)]
    out = {}
    for form, by_target in counts.items():
        for target, measured in by_target.items():
            if AMBIGUOUS.match(form):
                continue
            number = int(target.rstrip("af"))
            for row, pattern in parsed:
                if fits(pattern, form) and fits_target(row[1], number):
                    if row[3].startswith("measured"):
                        ops = {c: n for c, n in measured["ops"].items() if c != "move" and n > 0}
                        out.setdefault(row[0], {}).setdefault(number, []).append((form, ops, measured["sass"]))
                    break
    return out


def least(forms):
    """The least of each class; what the shortest form has beyond that is "other", since it takes issue slots somewhere."""
    ops = [o for _, o, _ in forms]
    common = {c: min(o.get(c, 0) for o in ops) for c in set().union(*ops) if all(c in o for o in ops)}
    rest = min(sum(o.values()) for o in ops) - sum(common.values())
    return {**common, "other": common.get("other", 0) + rest} if rest >= 1 else common


def spelled(ops):
    """"2 imad + 1 imad_wide", in the order of machine.def; rounded down, and what is below a quarter is chance."""
    order = [c for _, c in MACHINE if c] + ["other"]
    order.sort(key=ORDER.index)
    words = {c: int(n) if n >= 1 else int(n * 4) / 4 for c, n in ops.items()}
    return " + ".join(f"{words[c]:g} {c}" for c in dict.fromkeys(order) if words.get(c)) or "0"


ORDER = """fp32 fp16 fp64 imad imad_wide iadd alu shift bits xu cvt cvt_fast cvt64 dot video shuffle vote redux global shared matrix
const atomic atomic_shared texture tensor branch barrier move other""".split()


def segments(by_target, low, is_open):
    """[(targets, operations)]: runs of targets with one figure, runs with the same figure joined. The first begins at low (None:
    the first target of all), the last goes on to all later targets where is_open."""
    runs = []
    for number in sorted(by_target):
        text = spelled(least(by_target[number]))
        if runs and runs[-1][2] == text:
            runs[-1][1] = number
        else:
            runs.append([number, number, text])
    for run, following in zip(runs, runs[1:]):
        run[1] = max(n for n in KNOWN if n < following[0])
    runs[0][0] = low
    if is_open:
        runs[-1][1] = None
    joined = {}
    for first, last, text in runs:
        joined.setdefault(text, []).append(span_of(first, last))
    return [(",".join(targets), text) for text, targets in joined.items()]


def span_of(first, last):
    if first is None and last is None:
        return "*"
    return str(first) if first == last else f"{first or ''}..{last or ''}"


def line_of(cells):
    return f"{cells[0]:<36} | {cells[1]:<8} | {cells[2]:<36} | {cells[3]}".rstrip()


def reach(rows, pattern):
    """(first target, whether open above) of the measured rows of a pattern."""
    measured = [row[1] for row in rows if isinstance(row, list) and row[0] == pattern and row[3].startswith("measured")]
    spans = [one for targets in measured for one in targets.split(",")]
    lows = [0 if one == "*" else int(one.partition("..")[0] or 0) for one in spans]
    return min(lows) or None, any(one == "*" or one.endswith("..") for one in spans)


def table(folder, path):
    counts = json.load(open(f"{folder}/counts.json", encoding="ascii"))
    rows = read_rows(path)
    found, out, done = figures(counts, rows), [], set()
    for row in rows:
        if isinstance(row, str):
            out.append(row)
        elif not row[3].startswith("measured") or row[0] not in found:
            out.append(line_of(row))
            if row[3].startswith("measured"):
                print("no form of", row[0])
        elif row[0] not in done:
            done.add(row[0])
            out += [line_of([row[0], targets, ops, row[3]]) for targets, ops in segments(found[row[0]], *reach(rows, row[0]))]
    open(path, "w", encoding="utf-8").write("\n".join(out) + "\n")


def spread(folder, path):
    counts = json.load(open(f"{folder}/counts.json", encoding="ascii"))
    rows = read_rows(path)
    for pattern, by_target in figures(counts, rows).items():
        for number in (75, 90, 100, 120):
            kinds = {}
            for form, ops, _ in by_target.get(number, []):
                kinds.setdefault(spelled(ops), []).append(form.split()[0])
            if len(kinds) > 1:
                print(f"{pattern} sm_{number}: {spelled(least(by_target[number]))}")
                for text, forms in kinds.items():
                    print(f"    {text:<50} {len(forms)}: {' '.join(forms[:6])}")


# ---- rows against compiled kernels

def entries(text):
    """(name, instructions with modifiers) of each kernel of a PTX file that calls nothing."""
    text = re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.S)
    for entry in re.finditer(r"\.entry\s+([\w$]+)", text):
        start = at = text.find("{", entry.end())
        depth = 0
        while at < len(text) and (depth or at == start):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        before = r"^([\w$]+:\s*|\{\s*|\}\s*|@!?%?[\w$]+\s+)*"      # labels, braces, a guard
        statements = [re.sub(before, "", s.strip()) for s in text[start + 1:at - 1].split(";")]
        found = [re.match(r"[a-z]\w*(\.[\w:]+)*(?=\s|$)", s) for s in statements]
        if not any(f and f.group() in ("call", "call.uni") for f in found):
            yield entry.group(1), [f.group() for f in found if f]


def price(rows, form, number):
    for pattern, row in rows:
        if fits(pattern, form) and fits_target(row[1], number):
            return Counter({c: float(n) for n, c in (part.split() for part in row[2].split(" + ") if part != "0")})
    return Counter()


def hold(folder, path, files):
    rows = [(parse_pattern(row[0]), row) for row in read_rows(path) if isinstance(row, list)]
    kernels = over = over_rest = 0
    for file in files:
        text, sass = open(file, encoding="utf-8", errors="replace").read(), f"{folder}/{os.path.basename(file)[:-4]}.sass"
        if not os.path.exists(sass):
            continue
        functions, number = read_sass(sass), int(re.search(r"\.target\s+sm_(\d+)", text).group(1))
        for name, forms in entries(text):
            if name in functions:
                want = sum((price(rows, form, number) for form in forms), Counter())
                have = sum(machine_class(insn) is not None for _, insn in functions[name][0])
                total, rest = sum(want.values()), sum(n for c, n in want.items() if c not in ("iadd", "shift"))
                kernels, over, over_rest = kernels + 1, over + (total > have), over_rest + (rest > have)
                if total > have:
                    print(f"{os.path.basename(file)} {name}: {total:g} for {have}, without iadd and shift {rest:g}")
    print(f"{kernels} kernels, {over} over their code, {over_rest} without iadd and shift")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or [""]
    if command == "probes":
        make_probes(arguments[0], arguments[1], arguments[2:])
    elif command == "count":
        count(arguments[0])
    elif command == "table":
        table(*arguments)
    elif command == "spread":
        spread(*arguments)
    elif command == "hold":
        hold(arguments[0], arguments[1], arguments[2:])
    else:
        sys.exit(__doc__)
