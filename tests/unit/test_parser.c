/* test_parser.c -- the front end on broken, odd and hostile text: which diagnostic stands where,
 * and what survives. */
#include "kit.h"

#include "api/module.h"
#include "ir/module.h"

/* Lines 1 to 3, 4 to 6; a body begins on line 7. */
#define TOP ".version 8.0\n.target sm_90\n.address_size 64\n"
#define BEGIN                                                                                    \
    ".visible .entry k()\n{\n.reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred " \
    "%p<4>;\n"
#define END "ret;\n}\n"
#define KERNEL(body) TOP BEGIN body END

typedef struct Case {
    const char *what, *text, *want;
} Case;

static ptxlint_module *read_syntax(const char *text)
{
    ptxlint_options options;
    ptxlint_module *module = NULL;
    ptxlint_options_init(&options);
    options.syntax_only = 1;
    assert_int_equal(ptxlint_module_new(text, strlen(text), &options, &module), PTXLINT_OK);
    return module;
}

static void check(const Case *cases, size_t count)
{
    Text trouble = { 0 };
    for (size_t i = 0; i < count; i++) {
        ptxlint_module *module = read_syntax(cases[i].text);
        char *got = kit_list(module, false);
        if (strcmp(got, cases[i].want)) {
            char *all = kit_describe(module);
            kit_print(&trouble, "%s:\n  got  %s\n  want %s\n%s", cases[i].what, got, cases[i].want,
                      all);
            free(all);
        }
        free(got);
        ptxlint_module_free(module);
    }
    if (trouble.length) {
        print_error("%s", trouble.bytes);
        free(trouble.bytes);
        fail_msg("diagnostics differ");
    }
}

/* ---- recovery -------------------------------------------------------------------------------- */

static const Case recovery[] = {
    { "clean", KERNEL("add.s32 %r1, %r2, 1;\n"), "" },
    { "three broken statements in a row",
      KERNEL("add.s32 %r1 %r2, 1;\nmov.u32 %r1, , 2;\nld.global.u32 %r1, [%rd1;\nmov.u32 %r1, 3;\n"), "SYN201:7 SYN201:8 SYN201:9" },
    { "a broken statement on each side of a good one",
      KERNEL("add.s32 %r1 %r2, 1;\nmov.u32 %nowhere, 2;\nmov.u32 %r1, , 2;\n"), "SYN201:7 SYN501:8 SYN201:9" },
    { "a lost semicolon", KERNEL("mov.u32 %r1, 1\nmov.u32 %r2, 2;\n"), "SYN202:7" },
    { "two lost semicolons", KERNEL("mov.u32 %r1, 1\nmov.u32 %r2, 2\nmov.u32 %r3, 3;\n"), "SYN202:7 SYN202:8" },
    { "a lost semicolon before a guard", KERNEL("mov.u32 %r1, 1\n@%p1 mov.u32 %r2, 2;\n"), "SYN202:7" },
    { "a lost semicolon before a label", KERNEL("mov.u32 %r1, 1\nL:\nmov.u32 %r2, 2;\n"), "SYN202:7" },
    { "a lost semicolon before }", TOP BEGIN "mov.u32 %r1, 1;\nret\n}\n", "SYN202:8" },
    { "a lost semicolon after a declaration", KERNEL(".reg .b32 x\nmov.u32 x, 1;\n"), "SYN202:7" },
    { "an instruction over several lines", KERNEL("mov\n.u32\n%r1\n,\n1\n;\n"), "" },
    { "an operand list over several lines", KERNEL("add.s32 %r1,\n  %r2,\n  %r3;\n"), "" },
    { "operands begin on the next line", KERNEL("add.s32\n  %r1, %r2, %r3;\n"), "" },
    { "a body that is not closed before the next entry",
      TOP BEGIN "mov.u32 %r1, 1;\n.visible .entry second()\n{\nret;\n}\n", "SYN203:8" },
    { "a body that is not closed at the end", TOP BEGIN "mov.u32 %r1, 1;\n", "SYN203:8" },
    { "a scope that is not closed", KERNEL("{\nmov.u32 %r1, 1;\n"), "SYN203:11" },
    { "one } too many", KERNEL("mov.u32 %r1, 1;\n}\n"), "SYN201:9 SYN201:10" },
    { "an unclosed section is followed by a kernel",
      TOP ".section .debug_str\n{\n.b8 1, 2, 3\n" BEGIN END, "SYN203:5" },
    { "an unclosed parameter list", TOP ".visible .entry k(.param .u64 a\n{\nret;\n}\n" BEGIN END, "SYN201:5" },
    { "nonsense at module level", TOP "nonsense here;\n" BEGIN END, "SYN201:4" },
    { "a file that ends in an instruction", TOP BEGIN "add.s32 %r1, ", "SYN203:7" },
    { "@ without an instruction", KERNEL("@%p1;\nmov.u32 %r1, 1;\n"), "SYN201:7" },
    { "an empty statement", KERNEL(";;\n"), "SYN201:7 SYN201:7" },
    { "a comment never closed", TOP BEGIN "mov.u32 %r1, 1; /* never\nret;\n}\n", "SYN102:7" },
    { "a string never closed", KERNEL(".pragma \"nounroll;\nmov.u32 %r1, 1;\n"), "SYN103:7" },
    { "bytes that mean nothing", KERNEL("mov.u32 %r1, 1; `\n"), "SYN101:7" },
};

static void test_recovery(void **state)
{
    (void)state;
    check(recovery, COUNT(recovery));
}

/* ---- what is legal and unusual --------------------------------------------------------------- */

static const Case legal[] = {
    { "CRLF",
      ".version 8.0\r\n.target sm_90\r\n.address_size 64\r\n.visible .entry "
      "k()\r\n{\r\nret;\r\n}\r\n",
      "" },
    { "CRLF counts one line",
      ".version 8.0\r\n.target sm_90\r\n.address_size 64\r\n.visible .entry k()\r\n{\r\nmov.u32 "
      "%x1, 1;\r\nret;\r\n}\r\n",
      "SYN501:6" },
    { "all on one line",
      ".version 8.0 .target sm_90 .address_size 64 .entry k() { .reg .b32 a; mov.u32 a, 1; ret; }",
      "" },
    { "detached modifiers, and a lone dot",
      KERNEL("ld .global .u32 %r1, [%rd1];\nadd . s32 %r1, %r1, 1;\n"), "SYN101:8 SYN201:8" },
    { "detached modifiers, comments between",
      KERNEL("ld /* a */ .global // b\n .u32 %r1, [%rd1];\n"), "" },
    { "label, function and register share a name",
      TOP ".func f() { ret; }\n.entry k() { .reg .b32 x; .reg .b32 f; bra x; x: mov.u32 x, 1; "
          "mov.u32 f, 2; bra f; f: ret; }\n",
      "SYN503:5 SYN503:5" },
    { "a scope's register shadows",
      KERNEL("{ .reg .f32 %r1; mov.f32 %r1, 0f3F800000; }\nmov.u32 %r1, 1;\n"), "" },
    { "a scope's register is gone behind it",
      KERNEL("{ .reg .b32 inner; mov.u32 inner, 1; }\nmov.u32 inner, 1;\n"), "SYN501:8" },
    { "two registers of one name in one scope", KERNEL(".reg .b32 a;\n.reg .b32 a;\n"),
      "SYN503:8" },
    { "two labels of one name in one scope", KERNEL("L: mov.u32 %r1, 1;\nL: mov.u32 %r2, 1;\n"),
      "SYN504:8" },
    { "one label in two scopes", KERNEL("{ bra L; L: }\n{ bra L; L: }\n"), "" },
    { "a jump out of a scope", KERNEL("{ bra OUT; }\nOUT:\n"), "" },
    { "a jump into a scope", KERNEL("bra IN;\n{ IN: mov.u32 %r1, 1; }\n"), "SYN502:7" },
    { "a label that is nowhere", KERNEL("bra NOWHERE;\n"), "SYN502:7" },
    { "a range whose stem ends in a digit",
      KERNEL(".reg .f32 %q1<8>;\nmov.f32 %q10, 0f00000000;\nmov.f32 %q17, 0f00000000;\n"), "" },
    { "beyond a range whose stem ends in a digit",
      KERNEL(".reg .f32 %q1<8>;\nmov.f32 %q18, 0f00000000;\nmov.f32 %q1, 0f00000000;\n"),
      "SYN501:8 SYN501:9" },
    { "a register beyond its range", KERNEL("mov.u32 %r10, 1;\n"), "SYN501:7" },
    { "an undeclared name is said once", KERNEL("mov.u32 nope, 1;\nmov.u32 nope, 2;\n"),
      "SYN501:7" },
    { "a range of two thousand million",
      KERNEL(".reg .b32 %q<2000000000>;\nmov.u32 %q1999999999, 1;\nmov.u32 %q2000000000, 1;\n"),
      "SYN501:9" },
    { "[a+-24]",
      KERNEL("ld.global.u32 %r1, [%rd1+-24];\nst.global.u32 [%rd1+8], %r1;\nst.global.u32 "
             "[%rd1+-8], %r1;\n"),
      "" },
    { "[a-24]", KERNEL("ld.global.u32 %r1, [%rd1-24];\n"), "SYN204:7" },
    { "WARP_SZ", KERNEL("mov.u32 %r1, WARP_SZ;\nadd.s32 %r1, %r1, WARP_SZ;\n"), "" },
    { "performance directives",
      TOP ".entry k() .maxntid 16, 8, 2 .minnctapersm 2 .maxnreg 64 { ret; }\n.entry j() .reqntid "
          "32 { ret; }\n",
      "" },
    { "branchtargets",
      KERNEL("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 1;\nB:\n"), "" },
    { "branchtargets of nowhere", KERNEL("ts: .branchtargets A, NOWHERE;\nbrx.idx %r1, ts;\nA:\n"),
      "SYN502:7" },
    { "callprototype",
      KERNEL("proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n{ .param .b32 a; .param "
             ".b32 b; st.param.b32 [a], %r1;\n"
             "call (b), %rd1, (a), proto; ld.param.b32 %r2, [b]; }\n"),
      "" },
    { "calltargets",
      TOP
      ".func f(.param .b32 x) { ret; }\n.entry k() { .reg .b64 %rd<3>; .reg .b32 %r<2>; mov.u64 "
      "%rd1, f;\n"
      "ct: .calltargets f; { .param .b32 a; st.param.b32 [a], %r1; call %rd1, (a), ct; } ret; }\n",
      "" },
    { "alias", TOP ".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n", "" },
    { "alias of nothing", TOP ".visible .func g();\n.alias g, nothing;\n", "SYN501:5" },
    { "loc with inlined_at",
      TOP ".file 1 \"a.cu\"\n.entry k() {\n.loc 1 10 5\nret;\n.loc 1 3 1, function_name $L__info0, "
          "inlined_at 1 10 5\nret;\n"
          ".loc 1 3 1, function_name $L__info0+4, inlined_at 1 10 5\n}\n.section .debug_str { "
          "$L__info0: .b8 102,111,111,0 }\n",
      "" },
    { "debug sections",
      TOP ".section .debug_info\n{\n.b32 12, -3\n.b8 1,2,3\n.b64 L1, L2+8\n.b32 L2-L1\nL1: .b16 "
          "7\n}\n.section .debug_abbrev { }\n",
      "" },
    { "a call of PTX 1.x with registers",
      ".version 1.4\n.target sm_10\n.func (.reg .u32 r) f (.reg .u32 a, .reg .u32 b)\n{ add.u32 r, "
      "a, b; ret; }\n"
      ".entry k { .reg .u32 x, y; mov.u32 x, 1; call (y), f, (x, x); exit; }\n",
      "" },
    { "comments and line markers",
      "// a\n/* b\n b */\n# 1 \"x.cu\"\n" TOP ".entry k() { ret; } // c", "" },
    { "preprocessor lines count", "#line 1 \"x\"\n" TOP ".entry k() {\nmov.u32 nope, 1;\n}\n",
      "SYN501:6" },
};

static void test_legal(void **state)
{
    (void)state;
    check(legal, COUNT(legal));
}

static const Case initialisers[] = {
    { "scalars", TOP ".global .u32 a = 7;\n.const .f32 b = 0f3F800000;\n.global .f64 c = 1.5;\n.global .s8 d = -1;\n", "" },
    { "lists", TOP ".global .u32 a[3] = { 1, 2, 3 };\n.global .f32 b[2] = { 1.0, 0f3F800000 };\n.global .u8 c[] = { 0x41, 0b1, 017, 9 };\n", "" },
    { "nested lists", TOP ".global .s32 a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };\n.global .s32 b[2][2] = { { 1 }, { 2, 3 } };\n", "" },
    { "shorter lists", TOP ".global .u32 a[8] = { 1 };\n", "" },
    { "addresses", TOP ".global .u32 a[4];\n.global .u64 b = a;\n.global .u64 c[2] = { a, a+8 };\n.global .u64 d = generic(a);\n.global .u64 e[2] = { generic(a)+4, 0 };\n", "" },
    { "bytes of addresses", TOP ".global .u32 a[4];\n.global .u8 b[2] = { 0xFF(a), 0xFF00(a) };\n", "" },
    { "functions", TOP ".func f() { ret; }\n.global .u64 t[1] = { f };\n", "" },
    { "vectors", TOP ".global .v4 .f32 a = { 1.0, 2.0, 3.0, 4.0 };\n", "" },
    { "expressions", TOP ".global .u32 a = 2 * 3 + 1;\n.global .u32 b = (5 > 3) ? 1 : 2;\n", "" },
    { "an array without braces", TOP ".global .u32 a[2] = 1;\n", "SYN206:4" },
    { "opaque", TOP ".global .texref t;\n.global .texref s = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };\n", "" },
};

static void test_initialisers(void **state)
{
    (void)state;
    check(initialisers, COUNT(initialisers));
}

/* ---- versions, targets, opcodes -------------------------------------------------------------- */

static const Case known_and_newer[] = {
    { "unknown opcode", KERNEL("frob.u32 %r1, %r2;\nmov.u32 nope, 1;\n"), "SYN401:7 SYN501:8" },
    { "unknown modifier", KERNEL("add.u33 %r1, %r2, %r3;\nmov.u32 nope, 1;\n"),
      "SYN402:7 SYN501:8" },
    { "no such form", KERNEL("add.rn.u32 %r1, %r2, %r3;\n"), "SYN403:7" },
    { "too few operands", KERNEL("add.u32 %r1, %r2;\n"), "SYN404:7" },
    { "too many operands", KERNEL("add.u32 %r1, %r2, %r3, %r4;\n"), "SYN404:7" },
    { "guard is no predicate", KERNEL("@%r1 mov.u32 %r2, 1;\n"), "SYN505:7" },
    { "no version", ".target sm_90\n.entry k() { ret; }\n", "SYN301:1" },
    { "unknown version", ".version 2.7\n.target sm_90\n.entry k() { ret; }\n", "SYN302:1" },
    { "unknown target", ".version 8.0\n.target sm_91\n.entry k() { ret; }\n", "SYN303:2" },
    { "target that is no target", ".version 8.0\n.target hopper\n.entry k() { ret; }\n",
      "SYN303:2" },
    { "a target beyond the tables behind a version that they have",
      ".version 9.0\n.target sm_1000\n.entry k() { ret; }\n", "SYN303:2" },
    { "a .pragma that needs a number", KERNEL(".pragma \"frequency x\";\n"), "SYN405:7 SYN205:7" },
    { "a .pragma of a newer version", KERNEL(".pragma \"nounroll\", \"used_bytes_maskx\";\n"),
      "SYN405:7 SYN205:7" },
    { "a `;` lost before a scope", KERNEL("add.u32 %r1, %r2, %r3\n{ mov.u32 %r1, 1; }\nfoo;\n"),
      "SYN202:7 SYN401:9" },
    { "a `;` lost before a scope, behind what stands alone", KERNEL("ret\n{ mov.u32 %r1, 1; }\n"),
      "SYN202:7" },
    { "a vector on the line behind its opcode",
      KERNEL("mov.b64\n{%r1, %r2}, 0;\n"), "" },
    { "a `;` lost behind a range", KERNEL(".reg .b32 %x<9>\nmov.u32 %x1, 1;\nfoo;\n"),
      "SYN202:7 SYN401:9" },
    { "the names of a declaration that could not be read",
      KERNEL(".reg .b32 %x<9;\nmov.u32 %x1, %x2;\nmov.u32 %y1, 1;\n"), "SYN201:7 SYN501:9" },
    { "a declaration without its dot",
      KERNEL("reg .b32 %x<9>;\nmov.u32 %x1, %x2;\n"), "SYN204:7 SYN201:7" },
    { "registers of a directive that is none",
      KERNEL(".rag .b32 %x<9>;\nmov.u32 %x1, %x2;\n"), "SYN205:7 SYN205:7" },
    { "parameters that could not be read",
      TOP ".entry k(.param .b32 a b)\n{ .reg .b32 %r<3>;\nld.param.b32 %r1, [a];\n"
          "ld.param.b32 %r1, [c];\nret; }\n",
      "SYN201:4 SYN501:7" },
    { "a texture named for a bulk copy",
      TOP ".global .texref t;\n" BEGIN
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[t], [%rd3], 16, [%rd1];\n" END, "" },
    { "a second module",
      ".version 8.0\n.target sm_80\n.global .u32 g;\n.entry k() { ret; }\n.version 8.5\n.target "
      "sm_90, debug\n.address_size 64\n"
      ".global .f32 g[4];\n.entry k() { ret; }\n",
      "SYN306:5" },
    { "a second module behind a body that is open",
      ".version 8.0\n.target sm_80\n.entry k() { ret;\n.version 8.5\n.target sm_90\n.entry k() { "
      "ret; }\n",
      "SYN203:4 SYN306:4" },
    { "a second module without a target",
      TOP ".entry k() { ret; }\n.version 8.0\n.entry m() { ret; }\n", "SYN306:5 SYN305:6" },
    { "names of a module before",
      TOP ".func f() { ret; }\n.version 8.0\n.target sm_80\n.entry m() { call f; ret; }\n",
      "SYN306:5 SYN501:7" },
    { "two bodies",
      TOP ".entry k() { ret; }\n.entry k() { ret; }\n.func f() { ret; }\n.func f() { ret; }\n",
      "SYN503:5 SYN503:7" },
    { "two versions", ".version 8.0\n.version 8.1\n.target sm_90\n", "SYN503:2" },
    { "a version beyond the tables is a note", ".version 9.7\n.target sm_90\n.entry k() { ret; }\n",
      "SYN304:1" },
    { "a target beyond the tables is a note", ".version 9.7\n.target sm_130\n.entry k() { ret; }\n",
      "SYN304:1 SYN304:2" },
    { "bad address size", ".version 8.0\n.target sm_90\n.address_size 48\n", "SYN205:3" },
    { "a second space", TOP ".global .shared .u32 a;\n", "SYN205:4" },
    { "no type", TOP ".global a;\n", "SYN205:4" },
    { "alignment of 3", TOP ".global .align 3 .u32 a;\n", "SYN205:4" },
    { "a range of none", KERNEL(".reg .b32 %q<0>;\n"), "" },
    { "a number too large", KERNEL("mov.u64 %rd1, 0x10000000000000000;\n"), "SYN104:7" },
    { "a digit 9 in an octal number", KERNEL("mov.u32 %r1, 019;\n"), "SYN104:7" },
    { "letters behind a number", KERNEL("mov.u32 %r1, 12abc;\n"), "SYN104:7" },
    { "division by zero", TOP ".global .u32 a = 1 / 0;\n", "SYN204:4" },
    { "XML", "<?xml version=\"1.0\"?>\n<a/>\n", "SYN106:1" },
};

/* As ptxas 13.0 takes and refuses them. */
static const Case names_and_numbers[] = {
    { "an index into a scalar", TOP ".global .u32 a;\n" BEGIN "ld.global.u32 %r1, a[0];\n" END,
      "SYN204:8" },
    { "an index into an array", TOP ".global .u32 a[2];\n" BEGIN "ld.global.u32 %r1, a[1];\n" END,
      "" },
    { "generic() in an instruction",
      TOP ".global .u32 a;\n" BEGIN "mov.u64 %rd1, generic(a);\n" END, "SYN204:8" },
    { "a minus before 0f", KERNEL("mov.f32 %f1, -0f3F800000;\n"), "SYN204:7" },
    { "a minus before 0f in parentheses", KERNEL("mov.f32 %f1, -(0f3F800000);\n"), "" },
    { "a real too large", KERNEL("mov.f32 %f1, 1e309;\n"), "SYN104:7" },
    { "a real too small", KERNEL("mov.f32 %f1, 1e-309;\n"), "SYN104:7" },
    { "large for .f32, zero", KERNEL("mov.f32 %f1, 1e300;\nmov.f32 %f1, 0.0e-900;\n"), "" },
    { "a constant bank", TOP ".const .u32 a;\n" BEGIN "ld.const[0].u32 %r1, [a];\n" END,
      "SYN403:8" },
    { "a pragma for bodies", TOP ".pragma \"nounroll\", \"frequency 2\";\n", "SYN201:4" },
    { "a pragma for both", TOP ".pragma \"nounroll\";\n", "" },
    { "samplers", TOP ".global .samplerref a;\n.global .samplerref b[2];\n", "SYN205:4" },
    { "a file index of 33 bits", TOP ".file 4294967296 \"a\"\n", "SYN104:4" },
    { "a variable %laneid", TOP ".global .u32 %laneid;\n", "SYN503:4" },
    { "a function %tid", TOP ".func %tid() { ret; }\n", "SYN503:4" },
    { "a register %tid", KERNEL(".reg .u32 %tid;\n"), "" },
    { "types of a section", TOP ".section .debug_info { .b8 1 .u32 2 }\n", "SYN201:4" },
    { "parameters of no element", TOP ".func f(.param .b8 a[0]) { ret; }\n", "" },
    { "an array of no element", TOP ".extern .global .u8 a[0];\n.global .u8 b[0];\n", "SYN205:5" },
    { "loads of unified memory",
      KERNEL("ld.global.u32 %r1, [%rd1].unified;\nld.f32 %f1, [%rd1+4].unified;\n"), "" },
    { "a store to unified memory", KERNEL("st.global.u32 [%rd1].unified, %r1;\n"), "SYN408:7" },
    { "a load of shared memory as unified", KERNEL("ld.shared.u32 %r1, [%rd1].unified;\n"),
      "SYN408:7" },
    { "a variable that is not unified",
      TOP ".global .u32 a;\n" BEGIN "ld.global.u32 %r1, [a].unified;\n" END, "SYN408:8" },
    { "a variable that is unified",
      TOP ".global .attribute(.unified(1, 2)) .u32 a;\n" BEGIN
          "ld.global.u32 %r1, [a].unified;\n" END, "" },
    { "a primary size above the whole",
      KERNEL("createpolicy.range.L2::evict_first.b64 %rd1, [%rd2], 5, 5;\n"
             "createpolicy.range.L2::evict_first.b64 %rd1, [%rd2], 6, 5;\n"), "SYN408:8" },
    { "arrays of textures",
      TOP ".global .texref t[4];\n" BEGIN "ld.global.u64 %rd1, [t+8];\n"
          "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1}];\n" END, "SYN408:9" },
    { "what a texture without samplers is not asked",
      TOP ".global .texref t;\n" BEGIN "txq.filter_mode.b32 %r1, [t];\n"
          "txq.force_unnormalized_coords.b32 %r1, [t];\n" END, "SYN408:9" },
    { "a directive of the module in a body", KERNEL(".maxntid 3\nmov.u32 %r1, 1;\n"), "SYN201:7" },
    { "a number to restore", KERNEL("stackrestore.u64 127;\n"), "SYN408:7" },
};

static void test_names_and_numbers(void **state)
{
    (void)state;
    check(names_and_numbers, COUNT(names_and_numbers));
}

static void test_known_and_newer(void **state)
{
    (void)state;
    check(known_and_newer, COUNT(known_and_newer));
}

/* Where .version is newer than the tables, what they lack is a note, and other errors stay
 * errors. */
static void test_newer_is_softer(void **state)
{
    (void)state;
    static const struct { const char *version, *statement; bool error; } cases[] = {
        { "9.0", "frob.u32 %r1, %r2;", true },
        { "9.7", "frob.u32 %r1, %r2;", false },
        { "9.0", "add.u33 %r1, %r2, %r3;", true },
        { "9.7", "add.u33 %r1, %r2, %r3;", false },
        { "9.7", "add.u32 %nope, %r2, %r3;", true },
        { "9.7", "add.u32 %r1 %r2, %r3;", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 ".version %s\n.target sm_90\n.entry k() { .reg .b32 %%r<5>;\n%s\nret; }\n",
                 cases[i].version, cases[i].statement);
        ptxlint_module *module = read_syntax(text);
        char *errors = kit_list(module, true), *all = kit_list(module, false);
        if ((*errors != 0) != cases[i].error || !strstr(all, ":4"))
            fail_msg("%s under %s: errors `%s`, all `%s`", cases[i].statement, cases[i].version,
                     errors, all);
        free(errors);
        free(all);
        ptxlint_module_free(module);
    }
}

/* An error in one kernel leaves the findings of the others; data-flow findings of the broken one
 * are withheld. */
static void test_findings_go_on(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        ".version 8.0\n.target sm_90\n"
        ".entry a() .maxntid 32 { .reg .b32 %r<5>;\n"
        "add.s32 %r1 %r2, 1;\n"
        "add.s32 %r1, %r2, 1; ret; }\n"
        ".entry b() .maxntid 32 { .reg .b32 %r<5>; .reg .b64 %rd<2>; mov.u64 %rd1, 0;\n"
        "st.global.u32 [%rd1], %r2;\n"
        "ret; }\n");
    char *got = kit_list(module, false);
    assert_string_equal(got, "SYN201:4 COR101:7");
    free(got);
    assert_true(kit_kernel(module, "a")->has_syntax_error);
    assert_true(kit_kernel(module, "a")->pressure.max_live == PTXLINT_UNKNOWN);
    assert_false(kit_kernel(module, "b")->has_syntax_error);
    assert_int_equal(kit_kernel(module, "b")->pressure.max_live, 2);
    ptxlint_module_free(module);
}

/* ---- what survives --------------------------------------------------------------------------- */

static void test_second_kernel_survives(void **state)
{
    (void)state;
    static const struct { const char *what, *text; } cases[] = {
        { "unclosed body", TOP BEGIN "mov.u32 %r1, 1;\n.visible .entry second() { ret; }\n" },
        { "unclosed body and scope", TOP BEGIN "{ mov.u32 %r1, 1;\n.visible .entry second() { ret; }\n" },
        { "unclosed body in the middle of a statement", TOP BEGIN "mov.u32 %r1,\n.visible .entry second() { ret; }\n" },
        { "unclosed body, a .func next", TOP BEGIN "mov.u32 %r1, 1;\n.func second() { ret; }\n" },
        { "an empty unclosed body", TOP ".entry k() {\n.entry second() { ret; }\n" },
        { "one } too many", TOP BEGIN "ret; } }\n.visible .entry second() { ret; }\n" },
        { "unclosed section", TOP ".section .debug_str\n{\n.b8 1\n.visible .entry second() { ret; }\n" },
        { "unclosed vector", TOP BEGIN "mov.b64 %rd1, {%r1, %r2;\nret; }\n.visible .entry second() { ret; }\n" },
        { "unclosed address", TOP BEGIN "ld.global.u32 %r1, [%rd1;\nret; }\n.visible .entry second() { ret; }\n" },
        { "unclosed initialiser", TOP ".global .u32 a[3] = { 1, 2;\n.visible .entry second() { ret; }\n" },
        { "nesting in the first", TOP BEGIN "{{{{ ret; }}}} }\n.visible .entry second() { ret; }\n" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = read_syntax(cases[i].text);
        size_t count;
        bool found = false;
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++)
            found |= !strcmp(kernels[k].name, "second") && !kernels[k].has_syntax_error;
        if (!found)
            fail_msg("%s: the second function is lost", cases[i].what);
        ptxlint_module_free(module);
    }
}

static void test_deep_nesting(void **state)
{
    (void)state;
    static const struct { const char *before, *open, *after; } cases[] = {
        { TOP ".entry k() {\n", "{", "" },
        { TOP ".entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, ", "(", "" },
        { TOP ".entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, ", "[", "" },
        { TOP ".global .u32 a[2] = ", "{", ";" },
        { TOP ".global .u32 a[", "(", "];\n" },
        { TOP ".entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, ", "-", "1; ret; }" },
        { TOP ".entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, ", "!(", "1; ret; }" },
        { "", "{", "" },
        { "", "(", "" },
    };
    enum { DEPTH = 1000000 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Text text = { 0 };
        kit_print(&text, "%s", cases[i].before);
        for (int d = 0; d < DEPTH; d++)
            kit_put(&text, cases[i].open, strlen(cases[i].open));
        kit_print(&text, "%s", cases[i].after);
        ptxlint_module *module = NULL;
        assert_int_equal(ptxlint_module_new(text.bytes, text.length, NULL, &module), PTXLINT_OK);
        size_t count;
        ptxlint_module_diagnostics(module, &count);
        if (!count)
            fail_msg("case %zu: nothing is said of a million `%s`", i, cases[i].open);
        assert_true(count < 100);
        ptxlint_module_free(module);
        free(text.bytes);
    }
}

/* Balanced, and inside the limit: no complaint. */
static void test_shallow_nesting(void **state)
{
    (void)state;
    Text text = { 0 };
    kit_print(&text, "%s", TOP ".entry k() {\n");
    for (int i = 0; i < 150; i++)
        kit_print(&text, "{\n");
    kit_print(&text, "ret;\n");
    for (int i = 0; i < 150; i++)
        kit_print(&text, "}\n");
    kit_print(&text, "}\n");
    ptxlint_module *module = read_syntax(text.bytes);
    char *got = kit_list(module, false);
    assert_string_equal(got, "");
    free(got);
    free(text.bytes);
    ptxlint_module_free(module);
}

static void test_debug(void **state)
{
    (void)state;
    static const struct { const char *what, *text; bool want; } cases[] = {
        { "none", ".version 8.0\n.target sm_90\n.entry k() { ret; }\n", false },
        { "debug", ".version 8.0\n.target sm_90, debug\n.entry k() { ret; }\n", true },
        { "debug behind another option", ".version 8.0\n.target sm_90, texmode_independent, debug\n.entry k() { ret; }\n", true },
        { "another option", ".version 8.0\n.target sm_90, texmode_independent\n.entry k() { ret; }\n", false },
        { "the word elsewhere", ".version 8.0\n.target sm_90\n.entry debug() { ret; }\n", false },
        { "no function", ".version 8.0\n.target sm_90, debug\n", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ptxlint_module *module = read_syntax(cases[i].text);
        if (module->ir->is_debug != cases[i].want)
            fail_msg("%s: is_debug is %d", cases[i].what, module->ir->is_debug);
        ptxlint_module_free(module);
    }
}

/* ---- constant expressions: through the size of an array -------------------------------------- */

static const struct { const char *expression; int64_t value; } expressions[] = {
    { "1", 1 }, { "0x1F", 31 }, { "017", 15 }, { "0b101", 5 }, { "12U", 12 }, { "0x10U", 16 },
    { "2 + 3 * 4", 14 }, { "(2 + 3) * 4", 20 }, { "10 - 3 - 2", 5 }, { "100 / 10 / 5", 2 }, { "17 % 5", 2 },
    { "1 << 4 + 1", 32 }, { "1 + 1 << 4", 32 }, { "256 >> 2 >> 1", 32 },
    { "3 < 5", 1 }, { "1 + (5 < 3)", 1 }, { "1 + (3 <= 3)", 2 }, { "1 + (3 >= 4)", 1 }, { "1 + (4 > 3)", 2 },
    { "1 + (3 == 3)", 2 }, { "1 + (3 != 3)", 1 }, { "1 < 2 == 1", 1 },
    { "7 & 3 == 3", 1 }, { "6 ^ 3", 5 }, { "4 | 1", 5 }, { "1 | 6 ^ 3 & 2", 5 },
    { "1 + (2 && 4)", 2 }, { "1 + (2 && 0)", 1 }, { "1 + (0 || 3)", 2 }, { "1 || 0 && 0", 1 },
    { "1 ? 7 : 9", 7 }, { "0 ? 7 : 9", 9 }, { "0 ? 1 : 0 ? 2 : 3", 3 }, { "1 ? 0 ? 4 : 5 : 6", 5 },
    { "1 + !0", 2 }, { "1 + !5", 1 }, { "-3 + 10", 7 }, { "- -6", 6 }, { "+6", 6 }, { "~0 + 5", 4 }, { "(~0 > 0) ? 3 : 5", 3 }, { "((-1 & -1) > 0) ? 3 : 5", 5 }, { "7 % -3", 7 }, { "-(-7)", 7 },
    /* .s64 and .u64: PTX ISA, "Integer Constant Expression Evaluation" */
    { "(-1 < 0) ? 3 : 5", 3 }, { "(-1 < 0U) ? 3 : 5", 5 }, { "(0xFFFFFFFFFFFFFFFF > 0) ? 3 : 5", 3 },
    { "((.s64)0xFFFFFFFFFFFFFFFF < 0) ? 3 : 5", 3 }, { "((.u64)-1 > 0) ? 3 : 5", 3 },
    { "(-8 / 3) + 4", 2 }, { "(-8 % 3) + 4", 6 }, { "(-8 >> 1) + 10", 6 },
    { "(0x8000000000000000 >> 63) + 1", 2 }, { "((.s64)0x8000000000000000 >> 63) + 3", 2 },
    { "(0xFFFFFFFFFFFFFFFF / 2 > 5) ? 3 : 5", 3 },
    { "(-1U > 0) ? 3 : 5", 3 },      /* unary minus keeps the type, .u64 */
    { "WARP_SZ * 2", 64 }, { "WARP_SZ / 8 + 1", 5 },
    { "2147483648", INT64_C(2147483648) }, { "65536 * 32769", INT64_C(2147549184) },
};

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(expressions); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s.entry k() { .shared .align 1 .b8 x[%s]; ret; }\n", TOP,
                 expressions[i].expression);
        ptxlint_module *module = read_syntax(text);
        char *got = kit_list(module, false);
        int64_t bytes = kit_kernel(module, "k")->static_shared_bytes;
        int64_t want = expressions[i].value;
        /* a bound is one number: an expression is diagnosed, and read */
        bool is_taken = !*got || !strcmp(got, "SYN205:4");
        if (!is_taken || bytes != want)
            fail_msg("%s: %lld bytes, want %lld; %s", expressions[i].expression, (long long)bytes,
                     (long long)want, got);
        free(got);
        ptxlint_module_free(module);
    }
}

static void test_array_sizes(void **state)
{
    (void)state;
    static const struct { const char *declaration; int64_t bytes; } cases[] = {
        { ".shared .b8 x[2147483648]", INT64_C(2147483648) },
        { ".shared .f32 x[16][16]", 1024 },
        { ".shared .v4 .f32 x[4]", 64 },
        { ".shared .b64 x", 8 },
        { ".shared .align 16 .b8 a[3]; .shared .b32 x", 8 },
        { ".shared .b8 x[4294967296][4294967296]", PTXLINT_UNKNOWN },
        { ".shared .b64 x[4611686018427387904]", PTXLINT_UNKNOWN },
        { ".shared .b8 x[0xFFFFFFFFFFFFFFFF]", PTXLINT_UNKNOWN },
        { ".shared .b8 x[2000000000][2000000000][2000000000]", PTXLINT_UNKNOWN },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s.entry k() { %s; ret; }\n", TOP, cases[i].declaration);
        ptxlint_module *module = read_syntax(text);
        int64_t bytes = kit_kernel(module, "k")->static_shared_bytes;
        if (bytes != cases[i].bytes)
            fail_msg("%s: %lld bytes, want %lld", cases[i].declaration, (long long)bytes,
                     (long long)cases[i].bytes);
        ptxlint_module_free(module);
    }
}

/* Module-level shared memory counts where it is named, as ptxas counts it (13.0: 1024, 1536 and 0
 * bytes); a function that is called and names none adds none. */
static void test_shared_of_the_module(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(TOP
                                        ".shared .align 4 .b8 tile[1024];\n.shared .align 4 .b8 "
                                        "more[512];\n.extern .shared .align 16 .b8 dynamic[];\n"
                                        ".func f() { ret; }\n"
                                        ".entry one() { st.shared.u32 [tile], 1; st.shared.u32 "
                                        "[tile+4], 1; st.shared.u32 [dynamic], 1; ret; }\n"
                                        ".entry two() { .reg .b64 %rd<2>; mov.u64 %rd1, more; "
                                        "st.shared.u32 [tile], 1; st.shared.u32 [%rd1], 1; ret; }\n"
                                        ".entry none() { ret; }\n"
                                        ".entry calls() { call f; ret; }\n");
    assert_int_equal(kit_kernel(module, "one")->static_shared_bytes, 1024);
    assert_int_equal(kit_kernel(module, "two")->static_shared_bytes, 1536);
    assert_int_equal(kit_kernel(module, "none")->static_shared_bytes, 0);
    assert_int_equal(kit_kernel(module, "calls")->static_shared_bytes, 0);
    ptxlint_module_free(module);
}

static void test_bounds(void **state)
{
    (void)state;
    ptxlint_module *module = read_syntax(
        TOP ".entry k(.param .u64 a, .param .align 16 .b8 b[20]) .maxntid 16, 8, 2 .minnctapersm 3 "
            ".maxnreg 64 { ret; }\n"
            ".entry j() .reqntid 128 { .local .align 8 .b8 d[24]; ret; }\n");
    const ptxlint_kernel *k = kit_kernel(module, "k"), *j = kit_kernel(module, "j");
    assert_int_equal(k->maxntid[0], 16);
    assert_int_equal(k->maxntid[1], 8);
    assert_int_equal(k->maxntid[2], 2);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->maxnreg, 64);
    assert_int_equal(k->reqntid[0], 0);
    assert_int_equal(k->param_bytes, 36);
    assert_int_equal(j->reqntid[0], 128);
    assert_int_equal(j->reqntid[1], 1);
    assert_int_equal(j->reqntid[2], 1);
    assert_int_equal(j->local_bytes, 24);
    assert_int_equal(j->launch.source, PTXLINT_LAUNCH_DIRECTIVE);
    assert_int_equal(j->launch.block[0], 128);
    /* the largest block that .maxntid allows */
    assert_int_equal(k->launch.source, PTXLINT_LAUNCH_ASSUMED);
    assert_int_equal(k->launch.threads_per_block, 256);
    ptxlint_module_free(module);
}

/* Registers of one name in different scopes are different registers: their live ranges do not
 * meet. */
static void test_scopes_are_apart(void **state)
{
    (void)state;
    ptxlint_module *module = kit_module(
        TOP ".entry k() .maxntid 32\n{\n.reg .b64 %rd<3>; .reg .b32 %r<3>;\nmov.u64 %rd1, 0;\n"
            "{ .reg .b32 t; mov.u32 t, 1; st.global.u32 [%rd1], t; }\n"
            "{ .reg .b64 t; mov.u64 t, 1; st.global.u64 [%rd1], t; }\nret;\n}\n");
    char *got = kit_list(module, false);
    assert_string_equal(got, "");
    free(got);
    assert_int_equal(kit_kernel(module, NULL)->pressure.max_live, 4);
    ptxlint_module_free(module);
}

UNIT(parser)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_legal),
        cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_known_and_newer),
        cmocka_unit_test(test_names_and_numbers),
        cmocka_unit_test(test_newer_is_softer),
        cmocka_unit_test(test_findings_go_on),
        cmocka_unit_test(test_second_kernel_survives),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_shallow_nesting),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_array_sizes),
        cmocka_unit_test(test_shared_of_the_module),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_debug),
        cmocka_unit_test(test_scopes_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
