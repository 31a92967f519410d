#!/usr/bin/env python3
"""growth.py PTXLINT [KIND...] [--command check|report|launch] [--base N] [--jobs N] [--megabyte] -- whether the work of a command grows no faster than its input.

Each kind of input is made in sizes N, 2 N, 4 N and 8 N, and the instructions of `ptxlint check`, or of a report, are counted (valgrind's callgrind; without it,
seconds of CPU are, which are no good where they are few). Fails where they grow faster than the size to the power of 1.3 between 2 N and 8 N.
A launch is a report of 1,000 blocks of 256 threads on an H200.
With --megabyte each kind is made as large as 1 MB, and seconds of processor time are measured: a check may take one, a report and a launch three.
    growth.py --list            the kinds
    growth.py --make KIND N     one input
"""
import argparse, math, os, random, re, resource, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

MOST = 1.3
SECONDS = {"check": 1, "report": 3, "launch": 3}
COMMANDS = {"check": ["check"], "report": ["report"], "launch": ["report", "--grid", "1000", "--block", "256", "--gpu", "h200"]}
KNOWN = {}                      # kind: why it is steeper

# ---- inputs ----

H = ".version 8.5\n.target sm_90\n.address_size 64\n"
def k(body, regs=".reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<99>;\n", params=".param .u64 a, .param .u32 n", pre="", name="k"):
    return H + pre + ".visible .entry %s(%s)\n{\n%s%s\nret;\n}\n" % (name, params, regs, body)
G={}
def g(f): G[f.__name__]=f; return f
@g
def braces(n): return k("{"*n + "}"*n)
@g
def braces_open(n): return k("{"*n)
@g
def braces_top(n): return H + "{"*n
@g
def brackets(n): return k("ld.global.u32 %r1, " + "["*n + "]"*n + ";")
@g
def labels(n): return k("\n".join("L%d:"%i for i in range(n)))
@g
def labels_br(n): return k("\n".join("L%d: add.u32 %%r1,%%r1,1;\n@%%p1 bra L%d;"%(i,(i*7919)%n) for i in range(n)))
@g
def labels_cross(n): return k("mov.u32 %r2,%tid.x;\n"+"\n".join("setp.eq.s32 %%p1,%%r2,%d;\n@%%p1 bra L%d;\nadd.s32 %%r3,%%r3,1;\nL%d:"%(i,(i*7919)%n,i) for i in range(n)))
@g
def params(n): return k("ld.param.u64 %rd1,[a0];", params=",\n".join(".param .u64 a%d"%i for i in range(n)))
@g
def params_used(n): return k("\n".join("ld.param.u64 %%rd%d,[a%d];\nst.global.u32 [%%rd%d],0;"%(i%90,i,i%90) for i in range(n)), params=",\n".join(".param .u64 a%d"%i for i in range(n)))
@g
def oneline(n): return k(" ".join("add.u32 %%r%d,%%r%d,%d;"%(i%90,(i+1)%90,i) for i in range(n))).replace("\n"," ") if False else k(" ".join("add.u32 %%r%d,%%r%d,%d;"%(i%90,(i+1)%90,i) for i in range(n)))
@g
def oneline_err(n): return k(" ".join("addd.u32 %%r%d,%%r%d,%d;"%(i%90,(i+1)%90,i) for i in range(n)))
@g
def bb(n): return k("\n".join("add.u32 %%r%d,%%r%d,%%r%d;"%(i%90,(i*7+1)%90,(i*13)%90) for i in range(n))+"\nld.param.u64 %rd1,[a];\nst.global.u32 [%rd1],%r1;")
@g
def bb_ssa(n): return k("\n".join("add.u32 %%x%d,%%x%d,%%x%d;"%(i+1,i,i*3//4) for i in range(n))+"\nst.global.u32 [%%rd1],%%x%d;"%n, regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<99>;\n"%(n+2))
@g
def bb_wide(n): return k("\n".join("mov.u32 %%x%d,%%clock;"%(i) for i in range(n))+"\nld.param.u64 %rd1,[a];\n"+"\n".join("st.global.u32 [%%rd1+%d],%%x%d;"%(4*i,i) for i in range(n)), regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<99>;\n"%(n+2))
@g
def bb_loads(n): return k("ld.param.u64 %rd1,[a];\n"+"\n".join("ld.global.u32 %%x%d,[%%rd1+%d];"%(i,4*i) for i in range(n))+"\n"+"\n".join("st.global.u32 [%%rd1+%d],%%x%d;"%(4*i,i) for i in range(n)), regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<99>;\n"%(n+2))
@g
def nest(n):  # nested loops depth n (structured)
    b="\n".join("mov.u32 %%x%d,0;\nL%d:"%(i,i) for i in range(n))+"\nadd.u32 %r1,%r1,1;\n"
    b+="\n".join("add.u32 %%x%d,%%x%d,1;\nsetp.lt.u32 %%p1,%%x%d,%%r2;\n@%%p1 bra L%d;"%(i,i,i,i) for i in range(n-1,-1,-1))
    return k("ld.param.u32 %r2,[n];\n"+b+"\nld.param.u64 %rd1,[a];\nst.global.u32 [%rd1],%r1;", regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<99>;\n"%(n+2))
@g
def nest_onereg(n):
    b="\n".join("L%d: add.u32 %%r1,%%r1,1;"%(i) for i in range(n))
    b+="\n"+"\n".join("add.u32 %%r3,%%r3,1;\nsetp.lt.u32 %%p1,%%r3,%%r2;\n@%%p1 bra L%d;"%(i) for i in range(n-1,-1,-1))
    return k("ld.param.u32 %r2,[n];\n"+b)
@g
def loops(n): # many small loops in sequence
    b="\n".join("mov.u32 %%x%d,0;\nL%d:\nadd.u32 %%x%d,%%x%d,1;\nsetp.lt.u32 %%p1,%%x%d,%%r2;\n@%%p1 bra L%d;"%(i,i,i,i,i,i) for i in range(n))
    return k("ld.param.u32 %r2,[n];\n"+b, regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<99>;\n"%(n+2))
@g
def loops_ld(n):
    b="\n".join("mov.u32 %%r1,0;\nL%d:\nld.global.f32 %%f1,[%%rd1+%d];\nadd.f32 %%f2,%%f2,%%f1;\nadd.s64 %%rd1,%%rd1,4;\nadd.u32 %%r1,%%r1,1;\nsetp.lt.u32 %%p1,%%r1,%%r2;\n@%%p1 bra L%d;"%(i,4*i,i) for i in range(n))
    return k("ld.param.u32 %r2,[n];\nld.param.u64 %rd1,[a];\n"+b+"\nst.global.f32 [%rd1],%f2;")
@g
def irreducible(n):
    random.seed(1)
    return k("\n".join("L%d: add.u32 %%r%d,%%r%d,1;\nsetp.lt.u32 %%p1,%%r%d,%%r2;\n@%%p1 bra L%d;"%(i,i%80,(i+3)%80,i%80,random.randrange(n)) for i in range(n)))
@g
def irreducible_ladder(n):
    b="@%p1 bra B0;\n"+"\n".join("A%d: add.u32 %%r1,%%r1,1;\n@%%p1 bra B%d;\n bra A%d;\nB%d: add.u32 %%r1,%%r1,2;\n@%%p2 bra A%d;\nbra B%d;"%(i,min(i+1,n-1),min(i+1,n-1),i,i,min(i+1,n-1)) for i in range(n))
    return k(b)
@g
def diamonds(n):
    return k("\n".join("setp.lt.u32 %%p1,%%r%d,%%r2;\n@%%p1 bra E%d;\nadd.u32 %%r%d,%%r1,1;\nbra.uni J%d;\nE%d: sub.u32 %%r%d,%%r1,%%r2;\nJ%d:"%(i%80,i,(i+1)%80,i,i,(i+1)%80,i) for i in range(n)))
@g
def chain(n): # call chain
    s="".join(".func f%d();\n"%i for i in range(0))
    s+=".func f0(){\nret;\n}\n"+"".join(".func f%d(){\ncall f%d;\nret;\n}\n"%(i,i-1) for i in range(1,n))
    return k("call f%d;"%(n-1), pre=s)
@g
def chain2(n): # each calls previous twice : 2^n paths
    s=".func f0(){\nret;\n}\n"+"".join(".func f%d(){\ncall f%d;\ncall f%d;\nret;\n}\n"%(i,i-1,i-1) for i in range(1,n))
    return k("call f%d;"%(n-1), pre=s)
@g
def chain_args(n):
    s=".func (.param .b32 o) f0(.param .b32 i){\n.reg .b32 %r<9>;\nld.param.u32 %r1,[i];\nst.param.b32 [o],%r1;\nret;\n}\n"
    s+="".join(".func (.param .b32 o) f%d(.param .b32 i){\n.reg .b32 %%r<9>;\nld.param.u32 %%r1,[i];\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x],%%r1;\ncall (y), f%d, (x);\nld.param.b32 %%r2,[y];\ncall (y), f%d, (x);\nld.param.b32 %%r3,[y];\n}\nadd.u32 %%r2,%%r2,%%r3;\nst.param.b32 [o],%%r2;\nret;\n}\n"%(i,i-1,i-1) for i in range(1,n))
    return k("{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x],%%r1;\ncall (y), f%d, (x);\nld.param.b32 %%r2,[y];\n}"%(n-1), pre=s)
@g
def mutual(n):
    s="".join(".func f%d();\n"%i for i in range(n))+"".join(".func f%d(){\ncall f%d;\ncall f%d;\nret;\n}\n"%(i,(i+1)%n,(i*7+3)%n) for i in range(n))
    return k("call f0;", pre=s)
@g
def shared_callee(n): # kernels all calling the same big func
    s=".func f0(){\n.reg .b32 %r<9>;\n"+"add.u32 %r1,%r1,1;\n"*n+"ret;\n}\n"
    s2="".join(".visible .entry k%d(){\ncall f0;\nret;\n}\n"%i for i in range(n))
    return H+s+s2
@g
def local_leaves(n): # one kernel calls all; each asks how often it is called
    f=".func f%d(){\n.local .b32 d[4];\n.reg .b32 %%r<9>;\nmov.u32 %%r1,d;\nst.local.u32 [%%r1],%%r1;\nret;\n}\n"
    return k("\n".join("call f%d;"%i for i in range(n)), pre="".join(f%i for i in range(n)))
@g
def empty_funcs(n): return H+"".join(".func f%d(){}\n"%i for i in range(n))
@g
def manykernels_shared(n):
    return H+".shared .b32 s[1024];\n"+"".join(".visible .entry k%d(.param .u64 a)\n.reqntid 256,1,1\n{\n.reg .b32 %%r<9>;\nmov.u32 %%r1,%%tid.x;\nshl.b32 %%r1,%%r1,2;\nmov.u32 %%r2,s;\nadd.u32 %%r2,%%r2,%%r1;\nst.shared.u32 [%%r2],%%r1;\nbar.sync 0;\nld.shared.u32 %%r3,[%%r2+4];\nst.shared.u32 [%%r2],%%r3;\nret;\n}\n"%i for i in range(n))
@g
def brx(n): # one table with n targets
    return k("brx.idx %r1, T;\n"+"\n".join("L%d: add.u32 %%r1,%%r1,1;\nbra E;"%i for i in range(n))+"\nE:").replace("brx.idx","T: .branchtargets "+", ".join("L%d"%i for i in range(n))+";\nbrx.idx",1)
@g
def brx2(n): # n brx sharing table with n targets -> n^2
    return k("T: .branchtargets "+", ".join("L%d"%i for i in range(n))+";\n"+"\n".join("L%d: add.u32 %%r1,%%r1,1;\nbrx.idx %%r1, T;"%i for i in range(n)))
@g
def brx_same(n):
    return k("T: .branchtargets "+", ".join("L" for i in range(n))+";\nL: brx.idx %r1,T;")
@g
def expr_paren(n): return k("add.u32 %r1,%r1,"+"("*n+"1"+")"*n+";")
@g
def expr_unary(n): return k("add.u32 %r1,%r1,"+"- "*n+"1;")
@g
def expr_bin(n): return k("add.u32 %r1,%r1,1"+"+1"*n+";")
@g
def expr_tern(n): return k("add.u32 %r1,%r1,"+"1?1:"*n+"1;")
@g
def funcs(n): return H+"".join(".func f%d(){\nret;\n}\n"%i for i in range(n))
@g
def kernels(n): return H+"".join(".visible .entry k%d(.param .u64 a){\n.reg .b64 %%rd<3>;\nld.param.u64 %%rd1,[a];\nst.global.u32 [%%rd1],0;\nret;\n}\n"%i for i in range(n))
@g
def locs(n): return k("\n".join(".loc 1 %d %d\nadd.u32 %%r1,%%r1,1;"%(i+1,i%80) for i in range(n)), pre='.file 1 "x.cu"\n')
@g
def locs_only(n): return k("\n".join(".loc 1 %d %d"%(i+1,i%80) for i in range(n)), pre='.file 1 "x.cu"\n')
@g
def locs_inl(n): return k("\n".join(".loc 1 %d %d, function_name $s, inlined_at 1 %d %d\nadd.u32 %%r1,%%r99,1;"%(i+2,i%80,i+1,(i-1)%80 if i else 0) for i in range(n)), pre='.file 1 "x.cu"\n')+'.section .debug_str {\n$s: .b8 65,0\n}\n'
@g
def files(n): return "".join('.file %d "x%d.cu"\n'%(i+1,i) for i in range(n)).join([H,k("\n".join(".loc %d 1 1\nadd.u32 %%r1,%%r98,1;"%(i+1) for i in range(n)))[len(H):]])
@g
def globals_(n): return H+"".join(".global .b32 g%d[4] = {1,2,3,4};\n"%i for i in range(n))
@g
def bigarray(n): return H+".global .b8 g[4] = {"+",".join("1" for i in range(n))+"};\n"
@g
def bigarray_ok(n): return H+".global .b8 g[%d] = {"%n+",".join("1" for i in range(n))+"};\n"
@g
def regdecls(n): return k("\n".join(".reg .b32 q%d;"%i for i in range(n)))
@g
def regranges(n): return k("\n".join(".reg .b32 %%q%d_<1000000>;"%i for i in range(n)))
@g
def regprefix(n): # many overlapping prefixes
    return k("\n".join(".reg .b32 %%a%s<2>;"%("1"*(i%200+1)+str(i)) for i in range(n))+"\n"+"\n".join("add.u32 %%a%s1,%%r1,1;"%("1"*(i%200+1)+str(i)) for i in range(n)))
@g
def scopes(n): return k("\n".join("{.reg .b32 t;\nadd.u32 t,%r1,1;\nadd.u32 %r1,t,1;}" for i in range(n)))
@g
def unk(n): return k("\n".join("foo.bar %r1;" for i in range(n)))
@g
def uninit(n): return k("\n".join("st.global.u32 [%%rd1], %%x%d;"%i for i in range(n)), regs=".reg .b32 %%x<%d>;\n.reg .b64 %%rd<9>;\n"%(n+2))
@g
def dupmsg(n): return H+"".join(".func f(){ret;}\n" for i in range(n))
@g
def duplabels(n): return k("\n".join("L: add.u32 %r1,%r1,1;" for i in range(n)))
@g
def shared_hazard(n): # n stores and n loads in one interval to dynamic addresses
    return k("mov.u32 %r1,%tid.x;\nshl.b32 %r1,%r1,2;\nmov.u32 %r2,s;\nadd.u32 %r2,%r2,%r1;\n"+"\n".join("st.shared.u32 [%%r2+%d],%%r1;\nld.shared.u32 %%r3,[%%r2+%d];"%(4*i,4*i+4) for i in range(n)), pre=".shared .b32 s[65536];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def shared_hazard_unk(n): # unknown addresses
    return k("ld.param.u64 %rd1,[a];\n"+"\n".join("ld.global.u32 %%r4,[%%rd1+%d];\nst.shared.u32 [%%r4],%%r1;\nld.shared.u32 %%r3,[%%r4+64];"%(4*i) for i in range(n)), pre=".shared .b32 s[65536];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def barriers(n):
    return k("mov.u32 %r1,%tid.x;\nshl.b32 %r1,%r1,2;\nmov.u32 %r2,s;\nadd.u32 %r2,%r2,%r1;\n"+"\n".join("st.shared.u32 [%r2],%r1;\nbar.sync 0;\nld.shared.u32 %r3,[%r2+4];\nbar.sync 0;" for i in range(n)), pre=".shared .b32 s[2048];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def barriers_cond(n): # barrier under divergent conditions, 16 barriers
    return k("mov.u32 %r1,%tid.x;\n"+"\n".join("setp.lt.u32 %%p1,%%r1,%d;\n@%%p1 bra L%d;\nbar.sync %d;\nst.shared.u32 [s],%%r1;\nL%d:"%(i%1024,i,i%16,i) for i in range(n)), pre=".shared .b32 s[2048];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def smemloop(n): # loop with trip n, shared access
    return k("mov.u32 %r1,%tid.x;\nshl.b32 %r1,%r1,2;\nmov.u32 %r2,s;\nadd.u32 %r2,%r2,%r1;\nmov.u32 %r4,0;\nL: st.shared.u32 [%r2],%r4;\nbar.sync 0;\nld.shared.u32 %r3,[%r2+4];\nbar.sync 0;\nadd.u32 %r4,%r4,1;\nsetp.lt.u32 %p1,%r4,"+str(n)+";\n@%p1 bra L;", pre=".shared .b32 s[2048];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def dataloop(n): # collatz per lane: data dependent loop
    return k("mov.u32 %r1,%tid.x;\nmov.u32 %r5,%ctaid.x;\nmad.lo.u32 %r1,%r5,1024,%r1;\nmov.u32 %r4,0;\nL: and.b32 %r2,%r1,1;\nsetp.eq.u32 %p1,%r2,0;\n@%p1 bra E;\nmad.lo.u32 %r1,%r1,3,1;\nbra J;\nE: shr.u32 %r1,%r1,1;\nJ: add.u32 %r4,%r4,1;\nsetp.lt.u32 %p2,%r4,"+str(n)+";\n@%p2 bra L;\nld.param.u64 %rd1,[a];\nmul.wide.u32 %rd2,%r1,4;\nadd.s64 %rd1,%rd1,%rd2;\nst.global.u32 [%rd1],%r4;").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def lcgaddr(n): # loop with lcg addresses global loads, per-lane distinct addresses; footprint growth
    return k("mov.u32 %r1,%tid.x;\nld.param.u64 %rd1,[a];\nmov.u32 %r4,0;\nL: mad.lo.u32 %r1,%r1,1664525,1013904223;\nshr.u32 %r2,%r1,2;\nmul.wide.u32 %rd2,%r2,4;\nadd.s64 %rd3,%rd1,%rd2;\nst.global.u32 [%rd3],%r4;\nadd.u32 %r4,%r4,1;\nsetp.lt.u32 %p2,%r4,"+str(n)+";\n@%p2 bra L;").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def accesses(n): # straight-line n global accesses, 1024 threads
    return k("mov.u32 %r1,%tid.x;\nld.param.u64 %rd1,[a];\nmul.wide.u32 %rd2,%r1,4;\nadd.s64 %rd3,%rd1,%rd2;\n"+"\n".join("ld.global.f32 %%f%d,[%%rd3+%d];"%(i%90,4096*i) for i in range(n))+"\nst.global.f32 [%rd3],%f1;").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def cpasync(n): 
    return k("mov.u32 %r1,%tid.x;\nshl.b32 %r1,%r1,4;\nmov.u32 %r2,s;\nadd.u32 %r2,%r2,%r1;\nld.param.u64 %rd1,[a];\n"+"\n".join("cp.async.cg.shared.global [%%r2+%d],[%%rd1+%d],16;\ncp.async.commit_group;"%(16*(i%16),16*i) for i in range(n))+"\ncp.async.wait_all;\nbar.sync 0;", pre=".shared .align 16 .b8 s[65536];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def wgmma(n):
    return k("\n".join("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, 1,1,1,0,0;" for i in range(n))+"\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;").replace("sm_90","sm_90a")
@g
def mbar(n):
    return k("mov.u32 %r1,s;\n"+"\n".join("mbarrier.init.shared.b64 [%%r1+%d],1;\nmbarrier.arrive.shared.b64 %%rd1,[%%r1+%d];\nW%d: mbarrier.try_wait.shared.b64 %%p1,[%%r1+%d],%%rd1;\n@!%%p1 bra W%d;"%(8*(i%64),8*(i%64),i,8*(i%64),i) for i in range(n)), pre=".shared .align 16 .b8 s[65536];\n").replace("\n{\n","\n.reqntid 1024,1,1\n{\n",1)
@g
def comments(n): return k("\n".join("// ptxlint: ignore[ALL] x\nadd.u32 %r1,%r1,1;" for i in range(n)))
@g
def comments_tok(n): return k("\n".join("// ptxlint: ignore[COR101, THR102, MEM101] x" for i in range(n)))
@g
def longname(n): return H+".func "+"a"*n+"(){ret;}\n"
@g
def longcomment(n): return H+"/*"+"x"*n
@g
def linecomments(n): return H+"//\n"*n
@g
def spaces(n): return H+" "*n
@g
def newlines(n): return H+"\n"*n
@g
def nuls(n): return H+"\0"*n
@g
def bad8(n): return H+b"\xff".decode('latin1')*n
@g
def quotes(n): return H+'.file 1 "'+"x"*n
@g
def operands(n): return k("call f, ("+",".join("%r1" for i in range(n))+");")
@g
def vec(n): return k("mov.b64 %rd1, {"+",".join("%r1" for i in range(n))+"};")
@g
def dims(n): return H+".global .b32 g"+"[2]"*n+";\n"
@g
def modifiers(n): return k("ld"+".global"*n+".u32 %r1,[%rd1];")
@g
def pragmas(n): return k("\n".join('.pragma "nounroll";' for i in range(n)))
@g
def movchain(n): return k("\n".join("mov.u32 %%x%d,%%x%d;"%(i+1,i) for i in range(n))+"\nst.global.u32 [%%rd1],%%x%d;"%n, regs=".reg .b32 %%x<%d>;\n.reg .b64 %%rd<9>;\n"%(n+2))
@g
def affine_sum(n): # sum of n distinct params -> big symbolic expressions
    return k("\n".join("ld.param.u32 %%x%d,[a%d];"%(i,i) for i in range(n))+"\nmov.u32 %r1,0;\n"+"\n".join("add.u32 %%r1,%%r1,%%x%d;"%i for i in range(n))+"\nmov.u32 %r3,0;\nL: add.u32 %r3,%r3,1;\nsetp.lt.u32 %p1,%r3,%r1;\n@%p1 bra L;", params=",".join(".param .u32 a%d"%i for i in range(n)), regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n"%(n+2))
@g
def exprdouble(n): # doubling trees x_{i+1}=x_i*x_i
    return k("ld.param.u32 %x0,[n];\n"+"\n".join("mad.lo.u32 %%x%d,%%x%d,%%x%d,%%x%d;"%(i+1,i,i,i) for i in range(n))+"\nmov.u32 %%r3,0;\nL: add.u32 %%r3,%%r3,1;\nsetp.lt.u32 %%p1,%%r3,%%x%d;\n@%%p1 bra L;"%n, regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n"%(n+2))
@g
def selchain(n): # selp/phi chains under divergent preds with loop-carried rotation
    return k("ld.param.u32 %r2,[n];\nL:\n"+"\n".join("mov.u32 %%x%d,%%x%d;"%(i,i+1) for i in range(n))+"\nadd.u32 %%x%d,%%x0,1;\nadd.u32 %%r1,%%r1,1;\nsetp.lt.u32 %%p1,%%r1,%%r2;\n@%%p1 bra L;\nst.global.u32 [%%rd1],%%x0;"%n, regs=".reg .pred %%p<9>;\n.reg .b32 %%r<99>;.reg .b32 %%x<%d>;\n.reg .b64 %%rd<9>;"%(n+2))


# ---- counting ----

def make(kind, n):
    return G[kind](n).encode("latin1")


def count(ptxlint, name, data):
    """Instructions, or microseconds without valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input.ptx")
        with open(path, "wb") as file:
            file.write(data)
        command = [ptxlint, *COMMANDS[name], "--format", "json", path]
        if not shutil.which("valgrind"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return int(1e6 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
        said = subprocess.run(tool, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr.decode("latin1")
        return int(re.search(r"Collected\s*:\s*(\d+)", said)[1])


def of_a_megabyte(kind):
    """About so long; kinds that do not grow with N, with a large one."""
    a_step = (len(make(kind, 400)) - len(make(kind, 200))) / 200
    n = int(1e6 / a_step) if a_step > 0.01 else 100000
    data = make(kind, n)
    return data if len(data) < 1.2e6 else make(kind, int(n * 1e6 / len(data)))


def seconds(ptxlint, name, data):
    """Of the processor, with one thread; no more than a minute is waited."""
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(data)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            subprocess.run([ptxlint, *COMMANDS[name], "--no-config", "--jobs", "1", "--format", "json", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=60)
        except subprocess.TimeoutExpired:
            return 60.0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_megabytes(args):
    slow = []
    for kind in args.kinds or list(G):
        data = of_a_megabyte(kind)
        spent = seconds(args.ptxlint, args.command, data)
        is_slow = spent > SECONDS[args.command]
        print("%-20s %8d bytes %6.2f s%s" % (kind, len(data), spent, "  <-- slow" if is_slow else ""), flush=True)
        slow += [kind] if is_slow else []
    print("%d of %d kinds take more than %d s: %s" % (len(slow), len(args.kinds or G), SECONDS[args.command], ", ".join(slow) or "none"))
    return 1 if slow else 0


def slope(costs, fixed):
    """Of the logarithms, from 2 N to 8 N, without what an empty input costs; no less than a tenth of that counts."""
    rest = [max(cost - fixed, fixed / 10) for cost in costs]
    return math.log(rest[3] / rest[1]) / math.log(4)


def measure(kind, ptxlint, name, base, fixed):
    costs = [count(ptxlint, name, make(kind, base * times)) for times in (1, 2, 4, 8)]
    return kind, costs, slope(costs, fixed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxlint", nargs="?")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--command", default="check", choices=list(COMMANDS))
    parser.add_argument("--base", type=int, default=250)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--megabyte", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--make", nargs=2, metavar=("KIND", "N"))
    args = parser.parse_args()
    if args.list:
        print("\n".join(G))
        return 0
    if args.make:
        sys.stdout.buffer.write(make(args.make[0], int(args.make[1])))
        return 0
    if args.megabyte:
        return time_megabytes(args)
    fixed = count(args.ptxlint, args.command, H.encode())
    steep = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for kind, costs, found in pool.map(lambda kind: measure(kind, args.ptxlint, args.command, args.base, fixed), args.kinds or list(G)):
            print("%-20s %s  %5.2f%s" % (kind, " ".join("%14d" % cost for cost in costs), found, "  <-- " + KNOWN.get(kind, "steeper") if found > MOST else ""), flush=True)
            steep += [kind] if found > MOST and kind not in KNOWN else []
    print("%d of %d kinds grow faster than to the power of %.1f: %s" % (len(steep), len(args.kinds or G), MOST, ", ".join(steep) or "none"))
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
