/* test_suppress.c -- findings that comments and the config suppress, and what is said of the
 * comments themselves. */
#include "findings/suppress.h"

#include "api/module.h"
#include "arenas.h"
#include "config_rules.h"
#include "kit.h"
#include "ir/module.h"
#include "ir/func.h"

#define TOP ".version 8.7\n.target sm_90a\n.address_size 64\n" /* three lines */
#define HEAD \
    TOP ".visible .entry k(\n.param .u64 a\n)\n{\n.reg .b32 %r<9>;\n" /* the body's first line is 9 */

/* ---- running --------------------------------------------------------------------------------- */

typedef struct Run {
    ptxlint_module *module;
    ptxlint_config *config;
    DiagSink diags;
} Run;

/* Span of the text of line number line, or of the part from "@text" on in it. */
static Span find_place(const Run *run, uint32_t line, const char *part)
{
    const char *text = run->module->text, *p = text;
    for (uint32_t n = 1; n < line; n++) {
        p = strchr(p, '\n');
        assert_non_null(p++);
    }
    p = part ? strstr(p, part) : p + strspn(p, " \t");
    assert_non_null(p);
    return (Span){ (uint32_t)(p - text), (uint32_t)(p - text + (long)strcspn(p, "\r\n")) };
}

static int32_t func_at(const Module *module, uint32_t at)
{
    for (FuncId f = 0; f < module->func_count; f++)
        if (module->funcs[f].has_body && module->funcs[f].span.begin <= at
            && at < module->funcs[f].span.end)
            return (int32_t)f;
    return -1;
}

static const DiagInfo *info_of(const char *code)
{
    for (size_t s = 0; s < COUNT(test_sets); s++)
        for (uint32_t r = 0; r < test_sets[s].rule_count; r++)
            if (!strcmp(test_sets[s].rules[r].info.code, code))
                return &test_sets[s].rules[r].info;
    fail_msg("no rule %s", code);
    return NULL;
}

/* "THR102:12 COR101:14@%r3": rule, line, and the text that it stands at, by default the first in
 * the line. */
static void push_findings(Run *run, const char *findings)
{
    char code[16], part[32];
    unsigned line;
    int used;
    for (const char *p = findings; sscanf(p, " %15[A-Z0-9]:%u%n", code, &line, &used) == 2;) {
        p += used;
        bool has_part = sscanf(p, "@%31[^ ]%n", part, &used) == 1;
        p += has_part ? used : 0;
        Span span = line ? find_place(run, line, has_part ? part : NULL) : (Span){ 0, 0 };
        run->diags.func = line ? func_at(run->module->ir, span.begin) : -1;
        ptx_diag_of(&run->diags, info_of(code), SEVERITY_WARNING, span, "");
        run->diags.func = -1;
    }
}

static void start(World *w, Run *run, const char *ptx, const char *yaml)
{
    char error[400];
    run->module = kit_module(ptx);
    run->config = test_config();
    assert_non_null(run->config);
    if (yaml
        && ptxlint_config_read(run->config, "c", yaml, strlen(yaml), error, sizeof error)
               != PTXLINT_OK)
        fail_msg("%s", error);
    ptx_diag_init(&run->diags, &w->arena);
    if (setjmp(w->failure))
        fail_msg("no memory");
}

static void stop(Run *run)
{
    ptxlint_config_free(run->config);
    ptxlint_module_free(run->module);
}

/* "THR102:12 i(reason)": with i or c where comment or config suppress it; then SUP findings with
 * message and help. */
static char *describe(const Run *run)
{
    Text out = { 0 };
    kit_put(&out, "", 0);
    for (uint32_t i = 0; i < run->diags.count; i++) {
        const Diag *diag = run->diags.items[i];
        kit_print(&out, "%s%s:%u", out.length ? " " : "", diag->info->code,
                  kit_line(run->module, diag->span.begin));
        if (diag->suppression)
            kit_print(&out, "%c", diag->suppression == SUPPRESSION_INLINE ? 'i' : 'c');
        if (diag->reason)
            kit_print(&out, "(%s)", diag->reason);
        if (*diag->message)
            kit_print(&out, " {%s}", diag->message);
    }
    return out.bytes;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* SUP101 and SUP102 in braces with their message. yaml: NULL: nothing. */
static const struct { const char *what, *ptx, *findings, *yaml, *want;
} cases[] = {
    { "none", HEAD "mov.u32 %r1, 0;\nret;\n}\n", "THR102:9", NULL, "THR102:9" },
    { "the same line",
      HEAD "mov.u32 %r1, 0; // ptxlint: ignore[THR102] it is fine\nmov.u32 %r2, 0;\nret;\n}\n",
      "THR102:9 THR102:10", NULL, "THR102:9i(it is fine) THR102:10" },
    { "the next line",
      HEAD "// ptxlint: ignore[THR102]\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nret;\n}\n",
      "THR102:10 THR102:11", NULL, "THR102:10i THR102:11" },
    { "by name, by group, by prefix, by ALL, in any case",
      HEAD "mov.u32 %r1, 0; // ptxlint: ignore[full-precision-in-loop]\nmov.u32 %r2, 0; // "
           "ptxlint: ignore[throughput]\n"
           "mov.u32 %r3, 0; // ptxlint: ignore[thr1]\nmov.u32 %r4, 0; // ptxlint: "
           "ignore[All]\nret;\n}\n",
      "THR102:9 THR102:10 THR102:11 THR102:12", NULL,
      "THR102:9i THR102:10i THR102:11i THR102:12i" },
    { "several", HEAD "mov.u32 %r1, 0; // ptxlint: ignore[ THR102 ,COR101]\nret;\n}\n",
      "THR102:9 COR101:9 COR102:9", NULL, "THR102:9i COR101:9i COR102:9" },
    { "past blank lines, comments, .loc, .pragma, labels and braces",
      TOP ".file 1 \"a.cu\"\n.entry k()\n{\n.reg .b32 %r<9>;\n// ptxlint: ignore[THR102] r\n\n// "
          "another\n/* and\nanother */\n\t.loc 1 3 4\n.pragma \"nounroll\";\n$L__BB0_1:\n{\n"
          "mov.u32 %r1, 0;\n}\nmov.u32 %r2, 0;\nret;\n}\n",
      "THR102:17 THR102:19", NULL, "THR102:17i(r) THR102:19" },
    { "out of a block",
      HEAD "{\nmov.u32 %r1, 0;\n// ptxlint: ignore[THR102]\n}\nmov.u32 %r2, 0;\nret;\n}\n",
      "THR102:13", NULL, "THR102:13i" },
    { "a label on its line", HEAD "L: // ptxlint: ignore[THR102]\nmov.u32 %r1, 0;\nret;\n}\n",
      "THR102:10", NULL, "THR102:10i" },
    { "a brace on its line",
      TOP ".entry k()\n{ // ptxlint: ignore[THR102]\n.reg .b32 %r<9>;\nmov.u32 %r1, 0;\nret;\n}\n",
      "THR102:6", NULL, "THR102:6i" },
    { "an instruction of several lines: at its end",
      HEAD "add.s32\n%r1,\n%r2, 1; // ptxlint: ignore[COR101]\nret;\n}\n", "COR101:9 COR101:11",
      NULL, "COR101:9i COR101:11i" },
    { "... amid it", HEAD "add.s32\n%r1,\n// ptxlint: ignore[COR101]\n%r2, 1;\nret;\n}\n",
      "COR101:9", NULL, "COR101:9i" },
    { "... at its begin", HEAD "add.s32 // ptxlint: ignore[COR101]\n%r1,\n%r2, 1;\nret;\n}\n",
      "COR101:9", NULL, "COR101:9i" },
    { "... before it",
      HEAD "// ptxlint: ignore[COR101]\nadd.s32\n%r1, // why not\n%r2, 1;\nret;\n}\n",
      "COR101:10 COR101:12", NULL, "COR101:10i COR101:12i" },
    { "a guard", HEAD ".reg .pred %p;\n// ptxlint: ignore[THR102]\n@%p bra L;\nL: ret;\n}\n",
      "THR102:11@bra", NULL, "THR102:11i" },
    { "a vector",
      HEAD ".reg .b64 %rd<3>;\n// ptxlint: ignore[THR102]\nld.global.v2.u32 {%r1, %r2}, "
           "[%rd1];\nst.global.v2.u32 [%rd1], {%r1, %r2}; // ptxlint: ignore[THR102]\nret;\n}\n",
      "THR102:11@[%rd1] THR102:12@[%rd1]", NULL, "THR102:11i THR102:12i" },
    { "a declaration", HEAD "// ptxlint: ignore[OCC103]\n.shared .align 4 .b8 s[8];\nret;\n}\n",
      "OCC103:10@s[8]", NULL, "OCC103:10i" },
    { "a module's variable",
      TOP "// ptxlint: ignore[OCC103]\n.global .align 4 .b8 s[4] = {1, 2, 3, 4};\n",
      "OCC103:5@s[4]", NULL, "OCC103:5i" },
    { "the header, whose name kernels are told by",
      TOP "// ptxlint: ignore[LCH101] small\n.visible .entry k(\n.param .u64 a\n) {\nret;\n}\n",
      "LCH101:5@k( OCC103:8", NULL, "LCH101:5i(small) OCC103:8" },
    { "on the header's line", TOP ".visible .entry k() { // ptxlint: ignore[LCH101]\nret;\n}\n",
      "LCH101:4@k(", NULL, "LCH101:4i" },
    { "/* */",
      HEAD "/* ptxlint: ignore[THR102] why */ mov.u32 %r1, 0;\n/** ptxlint: ignore[THR102] "
           "*/\nmov.u32 %r2, 0;\n/*\n * ptxlint: ignore[THR102] so\n */\nmov.u32 %r3, 0;\nmov.u32 "
           "%r4, 0; /* ptxlint: ignore[THR102] x */ // y\nret;\n}\n",
      "THR102:9@mov THR102:11 THR102:15 THR102:16", NULL,
      "THR102:9i(why) THR102:11i THR102:15i(so) THR102:16i(x)" },
    { "CRLF",
      HEAD "mov.u32 %r1, 0; // ptxlint: ignore[THR102] it is\r\n// ptxlint: "
           "ignore[THR102]\r\nmov.u32 %r2, 0;\r\nret;\r\n}\r\n",
      "THR102:9 THR102:11", NULL, "THR102:9i(it is) THR102:11i" },
    { "the file's last byte", HEAD "ret; }\n// ptxlint: ignore-file[THR102]", "THR102:9", NULL,
      "THR102:9i" },
    { "a reason behind a colon", HEAD "ret; // ptxlint: ignore[THR102]:  because\n}\n", "THR102:9",
      NULL, "THR102:9i(because)" },
    { "two in a comment",
      HEAD "ret; // ptxlint: ignore[THR102] one // ptxlint: ignore[COR101] two\n}\n",
      "THR102:9 COR101:9", NULL, "THR102:9i(one) COR101:9i(two)" },
    { "behind another comment's text", HEAD "ret; // x // ptxlint: ignore[THR102]\n}\n", "THR102:9",
      NULL, "THR102:9i" },
    { "no blanks", HEAD "ret;//ptxlint:ignore[THR102]why\n}\n", "THR102:9", NULL,
      "THR102:9i(why)" },
    /* what is none */
    { "a string", TOP ".file 1 \"// ptxlint: ignore-file[THR102]\"\n.entry k() {\nret;\n}\n",
      "THR102:6", NULL, "THR102:6" },
    { "behind a string with slashes",
      TOP ".file 1 \"/*//\" // ptxlint: ignore-file[THR102]\n.entry k() {\nret;\n}\n", "THR102:6",
      NULL, "THR102:6i" },
    { "amid prose", HEAD "ret; // as ptxlint: ignore[THR102] says\n}\n", "THR102:9", NULL,
      "THR102:9" },
    { "another word", HEAD "ret; // notptxlint: ignore[THR102]\n}\n", "THR102:9", NULL,
      "THR102:9" },
    { "a // in a /* */", HEAD "/* // */ ret; /* x\n// */ ret; // ptxlint: ignore[THR102]\n}\n",
      "THR102:9@ret THR102:10@ret", NULL, "THR102:9 THR102:10i" },
    { "a preprocessor's line",
      "# 1 \"/* a\n" TOP ".entry k() {\nret; // ptxlint: ignore[THR102]\n}\n", "THR102:6", NULL,
      "THR102:6i" },
    /* kernels and files */
    { "ignore-kernel inside",
      HEAD "// ptxlint: ignore-kernel[THR] k is cold\nret;\n}\n.entry l() {\nret;\n}\n",
      "THR102:10 LCH101:10 THR101:4@k( THR102:13", NULL,
      "THR102:10i(k is cold) LCH101:10 THR101:4i(k is cold) THR102:13" },
    { "ignore-kernel before",
      TOP ".extern .func f();\n// ptxlint: ignore-kernel[THR102]\n.func g();\n.entry k() "
          "{\nret;\n}\n.entry l() {\nret;\n}\n",
      "THR102:8 THR102:11", NULL, "THR102:8i THR102:11" },
    { "ignore-file",
      HEAD "ret;\n}\n.entry l() {\nret;\n}\n// ptxlint: ignore-file[THR102] generated\n",
      "THR102:9 THR102:12 COR101:12 THR102:0", NULL,
      "THR102:9i(generated) THR102:12i(generated) COR101:12 THR102:1i(generated)" },
    { "the narrowest suppresses",
      HEAD "// ptxlint: ignore-file[THR] f\n// ptxlint: ignore-kernel[THR102] k\nmov.u32 %r1, 0; "
           "// ptxlint: ignore[THR102] l\nmov.u32 %r2, 0;\nret;\n}\n.entry l() {\nret;\n}\n",
      "THR102:11 THR102:12 THR102:16 THR101:11", NULL,
      "THR102:11i(l) THR102:12i(k) THR102:16i(f) THR101:11i(f)" },
    /* what nothing suppresses */
    { "the front end's", HEAD "ret; // ptxlint: ignore[ALL]\n}\n", "SYN101:9 LIM103:9 THR102:9",
      NULL, "SYN101:9 LIM103:9 THR102:9i" },
    { "the front end's, by name", HEAD "ret; // ptxlint: ignore[SYN101]\n}\n", "SYN101:9", NULL,
      "SYN101:9 SUP102:9 {`SYN101` comes from the front end or a limit, and cannot be ignored}" },
    /* SUP101 */
    { "unused", HEAD "ret; // ptxlint: ignore[THR102]\n}\n", "", NULL,
      "SUP101:9 {`THR102` has no finding here}" },
    { "unused: on another line", HEAD "mov.u32 %r1, 0;\n// ptxlint: ignore[THR102]\nret;\n}\n",
      "THR102:9", NULL, "THR102:9 SUP101:10 {`THR102` has no finding here}" },
    { "unused: some", HEAD "ret; // ptxlint: ignore[THR102, COR101, throughput]\n}\n", "COR101:9",
      NULL, "COR101:9i SUP101:9 {`THR102`, `throughput` have no finding here}" },
    { "unused: many",
      HEAD "ret; // ptxlint: ignore[THR102,COR101,COR102,LCH101,OCC103,THR110,USR]\n}\n", "", NULL,
      "SUP101:9 {`THR102`, `COR101`, `COR102`, `LCH101`, `OCC103` and 2 more have no finding "
      "here}" },
    { "unused: of kernel and file",
      HEAD "// ptxlint: ignore-kernel[THR102]\nret;\n}\n// ptxlint: ignore-file[ALL]\n", "", NULL,
      "SUP101:9 {`THR102` has no finding in this function} SUP101:12 {`ALL` has no finding in this "
      "file}" },
    { "unused: the second of two alike",
      HEAD "// ptxlint: ignore[THR102] a\n// ptxlint: ignore[THR102] b\nret;\n}\n", "THR102:11",
      NULL, "THR102:11i(a) SUP101:10 {`THR102` has no finding here}" },
    { "unused: what it names is off", HEAD "ret; // ptxlint: ignore[THR102, COR101]\n}\n", "",
      "ignore: [THR102]", "" },
    { "unused: one of a group is off", HEAD "ret; // ptxlint: ignore[THR]\n}\n", "",
      "ignore: [THR102]", "" },
    { "unused: a preview that is off", HEAD "ret; // ptxlint: ignore[THR103]\n}\n", "", NULL, "" },
    { "unused: a preview that is on", HEAD "ret; // ptxlint: ignore[THR103]\n}\n", "",
      "preview: true", "SUP101:9 {`THR103` has no finding here}" },
    { "unused: previews of a group are off", HEAD "ret; // ptxlint: ignore[THR]\n}\n", "", NULL,
      "SUP101:9 {`THR` has no finding here}" },
    { "unused: a function with a syntax error",
      HEAD "mov.u32 %r1 0;\nret; // ptxlint: ignore[THR102]\n}\n.entry l() {\nret; // ptxlint: "
           "ignore[THR102]\n}\n// ptxlint: ignore-file[THR102]\n",
      "", NULL, "SUP101:13 {`THR102` has no finding here}" },
    { "unused: SUP101 is off", HEAD "ret; // ptxlint: ignore[THR102]\n}\n", "", "ignore: [SUP101]",
      "" },
    { "unused, and suppressed itself",
      HEAD "ret; // ptxlint: ignore[THR102, SUP101] for old GPUs\n}\n", "", NULL,
      "SUP101:9i(for old GPUs) {`THR102` has no finding here}" },
    { "unused, suppressed from the line before",
      HEAD "// ptxlint: ignore[SUP101] s\nret; // ptxlint: ignore[THR102]\n}\n", "", NULL,
      "SUP101:10i(s) {`THR102` has no finding here}" },
    { "unused, suppressed in the file",
      "// ptxlint: ignore-file[suppression] f\n" HEAD "ret; // ptxlint: ignore[THR102]\n}\n", "",
      NULL, "SUP101:10i(f) {`THR102` has no finding here}" },
    { "unused, not suppressed by ALL",
      HEAD "ret; // ptxlint: ignore[THR102]\n}\n// ptxlint: ignore-file[ALL]\n", "THR101:9", NULL,
      "THR101:9i SUP101:9 {`THR102` has no finding here}" },
    { "SUP101 alone is never unused", HEAD "ret; // ptxlint: ignore[SUP101]\n}\n", "", NULL, "" },
    /* SUP102 */
    { "no rule of that name", HEAD "ret; // ptxlint: ignore[THR102, THR12]\n}\n", "THR102:9", NULL,
      "THR102:9i SUP102:9 {unknown rule `THR12`}" },
    { "no bracket", HEAD "ret; // ptxlint: ignore THR102\n}\n", "", NULL,
      "SUP102:9 {a list of rules in brackets is missing}" },
    { "no bracket at all", HEAD "ret; // ptxlint: ignore\n}\n", "", NULL,
      "SUP102:9 {a list of rules in brackets is missing}" },
    { "an open list", HEAD "ret; // ptxlint: ignore[THR102\n}\n", "THR102:9", NULL,
      "THR102:9 SUP102:9 {this list of rules has no `]`}" },
    { "an empty list", HEAD "ret; // ptxlint: ignore[ ]\n}\n", "", NULL,
      "SUP102:9 {this list names no rule}" },
    { "an empty item", HEAD "ret; // ptxlint: ignore[THR102,]\n}\n", "THR102:9", NULL,
      "THR102:9i SUP102:9 {a rule is missing in this list}" },
    { "an unknown word", HEAD "ret; // ptxlint: ignroe[THR102]\n}\n", "", NULL,
      "SUP102:9 {unknown word `ignroe` after `ptxlint:`}" },
    { "no word", HEAD "ret; // ptxlint:\n}\n", "", NULL,
      "SUP102:9 {unknown directive after `ptxlint:`}" },
    { "no statement", HEAD "ret;\n// ptxlint: ignore[THR102]\n}\n", "", NULL,
      "SUP102:10 {no statement follows that this could apply to}" },
    { "no function", HEAD "ret;\n}\n// ptxlint: ignore-kernel[THR102]\n", "", NULL,
      "SUP102:11 {no function follows that this could apply to}" },
    { "SUP102 suppressed",
      HEAD "ret; // ptxlint: ignore[THRR]\n}\n// ptxlint: ignore-file[SUP102] x\n", "", NULL,
      "SUP102:9i(x) {unknown rule `THRR`}" },
    { "an empty file", "", "", NULL, "" },
    { "only a comment", "// ptxlint: ignore[THR]", "", NULL,
      "SUP102:1 {no statement follows that this could apply to}" },
    { "never closed", HEAD "ret;\n}\n/* ptxlint: ignore-file[THR102]\n", "THR102:9", NULL,
      "THR102:9" },
};

static void test_comments(void **state)
{
    World *w = *state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Run run;
        start(w, &run, cases[i].ptx, cases[i].yaml);
        push_findings(&run, cases[i].findings);
        ptx_suppress(&w->arena, &w->scratch, &run.diags, run.module->ir, "a.ptx", run.config);
        char *got = describe(&run);
        if (strcmp(got, cases[i].want))
            kit_print(&trouble, "%s:\n%s\n got %s\nwant %s\n\n", cases[i].what,
                      cases[i].ptx + (strlen(cases[i].ptx) > sizeof TOP ? sizeof TOP - 1 : 0), got,
                      cases[i].want);
        free(got);
        stop(&run);
    }
    if (trouble.length)
        fail_msg("%s", trouble.bytes);
}

/* ---- what the config suppresses -------------------------------------------------------------- */

static const char config_ptx[] = TOP
    ".file 1 \"/home/x/src/kernel.cu\"\n.file 2 \"/usr/include/util.cuh\"\n"
    ".visible .entry cutlass_gemm() {\n.reg .b32 %r<9>;\n"
    ".loc 1 40 3\nmov.u32 %r1, 0;\n.loc 1 55 3\nmov.u32 %r2, 0;\n.loc 1 56 1\nmov.u32 %r3, "
    "0;\n.loc 2 12 1\nmov.u32 %r4, 0;\nret;\n}\n"
    ".entry other() {\nret; // ptxlint: ignore[COR101] by hand\n}\n.global .b32 g;\n";

static const struct { const char *yaml, *findings, *path, *want;
} config_cases[] = {
    { "per-kernel-ignore: { \"cutlass_*\": [THR] }", "THR102:9 COR101:9 THR102:19 THR102:6@cutlass",
      "a.ptx",
      "THR102:9c(per-kernel-ignore cutlass_*) COR101:9 THR102:19 THR102:6c(per-kernel-ignore "
      "cutlass_*) SUP101:19" },
    { "per-kernel-ignore: { \"*e?\": [ALL] }", "SYN101:19 THR102:19 COR101:19 THR102:21 THR102:9",
      "a.ptx",
      "SYN101:19 THR102:19c(per-kernel-ignore *e?) COR101:19i(by hand) THR102:21 THR102:9" },
    { "per-kernel-ignore: { \"*\": [ALL] }", "THR102:9 THR102:21 THR102:0", "a.ptx",
      "THR102:9c(per-kernel-ignore *) THR102:21 THR102:1 SUP101:19c(per-kernel-ignore *)" },
    { "per-source-ignore: { src/kernel.cu: [THR] }\nignore: [SUP]",
      "THR102:9 THR102:13 THR102:15 COR101:9 THR102:19", "a.ptx",
      "THR102:9c(per-source-ignore src/kernel.cu) THR102:13c(per-source-ignore src/kernel.cu) "
      "THR102:15 COR101:9 THR102:19" },
    { "per-source-ignore: { \"kernel.cu:40-55\": [ALL] }\nignore: [SUP]",
      "THR102:9 THR102:11 THR102:13", "a.ptx",
      "THR102:9c(per-source-ignore kernel.cu:40-55) THR102:11c(per-source-ignore kernel.cu:40-55) "
      "THR102:13" },
    { "per-source-ignore: { \"*.cuh:12\": [THR], \"ernel.cu\": [ALL], "
      "\"/home/x/src/kernel.cu:56\": [THR] }\nignore: [SUP]",
      "THR102:9 THR102:13 THR102:15", "a.ptx",
      "THR102:9 THR102:13c(per-source-ignore /home/x/src/kernel.cu:56) "
      "THR102:15c(per-source-ignore *.cuh:12)" },
    { "per-file-ignore: { \"third_party/*\": [HOUSE-STYLE, THR] }\nignore: [SUP]",
      "THR102:9 COR101:9 USR101:21 THR102:0", "third_party/x/a.ptx",
      "THR102:9c(per-file-ignore third_party/*) COR101:9 USR101:21c(per-file-ignore third_party/*) "
      "THR102:1c(per-file-ignore third_party/*)" },
    { "per-file-ignore: { \"third_party/*\": [THR] }\nignore: [SUP]", "THR102:9",
      "./build/third_party/a.ptx", "THR102:9c(per-file-ignore third_party/*)" },
    { "per-file-ignore: { \"third_party/*\": [THR] }\nignore: [SUP]", "THR102:9",
      "my_third_party/a.ptx", "THR102:9" },
    { "per-file-ignore: { \"a.ptx\": [] }\nignore: [SUP]", "THR102:9", "a.ptx", "THR102:9" },
};

static void test_config_ignores(void **state)
{
    World *w = *state;
    Text trouble = { 0 };
    for (size_t i = 0; i < COUNT(config_cases); i++) {
        Run run;
        start(w, &run, config_ptx, config_cases[i].yaml);
        push_findings(&run, config_cases[i].findings);
        ptx_suppress(&w->arena, &w->scratch, &run.diags, run.module->ir, config_cases[i].path,
                     run.config);
        for (uint32_t d = 0; d < run.diags.count; d++)
            if (strchr(run.diags.items[d]->message, '`'))
                run.diags.items[d]->message = "";
        char *got = describe(&run);
        if (strcmp(got, config_cases[i].want))
            kit_print(&trouble, "%s\n got %s\nwant %s\n\n", config_cases[i].yaml, got,
                      config_cases[i].want);
        free(got);
        stop(&run);
    }
    if (trouble.length)
        fail_msg("%s", trouble.bytes);
}

/* ---- single things --------------------------------------------------------------------------- */

/* Every statement of a line; spans, labels and help of what is said. */
static void test_texts(void **state)
{
    World *w = *state;
    Run run;
    start(w, &run,
          HEAD "mov.u32 %r1, 0; mov.u32 %r2, 0; // ptxlint: ignore[THR102] x\nret; // ptxlint: "
               "ignore[COR101] x\nret; // ptxlint: ignroe[A]\n"
               "ret; // ptxlint: ignore[THR99, THR102]\n}\n",
          NULL);
    push_findings(&run, "THR102:9@mov THR102:9@%r2");
    ptx_suppress(&w->arena, &w->scratch, &run.diags, run.module->ir, "a.ptx", run.config);
    static const struct { const char *code, *text, *label, *help; } want[] = {
        { "THR102", NULL, NULL, NULL },
        { "THR102", NULL, NULL, NULL },
        { "SUP102", "ignroe", NULL, "did you mean `ignore`?" },
        { "SUP102", "THR99", NULL, NULL },
        { "SUP101", "ptxlint: ignore[COR101]", "unused", "remove this comment" },
        { "SUP101", "ptxlint: ignore[THR99, THR102]", "unused", "remove this comment" },
    };
    assert_int_equal(run.diags.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        const Diag *diag = run.diags.items[i];
        assert_string_equal(diag->info->code, want[i].code);
        assert_int_equal(diag->suppression, want[i].text ? SUPPRESSION_NONE : SUPPRESSION_INLINE);
        assert_int_equal(diag->func, 0);
        if (want[i].text
            && (ptx_span_length(diag->span) != strlen(want[i].text)
                || memcmp(run.module->text + diag->span.begin, want[i].text, strlen(want[i].text))))
            fail_msg("%zu: %.*s", i, (int)ptx_span_length(diag->span),
                     run.module->text + diag->span.begin);
        if (want[i].label)
            assert_string_equal(diag->label, want[i].label);
        if (want[i].help)
            assert_string_equal(diag->help, want[i].help);
    }
    stop(&run);
}

static void test_severity(void **state)
{
    World *w = *state;
    Run run;
    start(w, &run, HEAD "ret; // ptxlint: ignore[THR102]\n}\n", "severity: { SUP101: error }");
    ptx_suppress(&w->arena, &w->scratch, &run.diags, run.module->ir, "a.ptx", run.config);
    assert_int_equal(run.diags.count, 1);
    assert_int_equal(run.diags.items[0]->severity, SEVERITY_ERROR);
    assert_int_equal(run.diags.counts[SEVERITY_ERROR], 1);
    stop(&run);
}

/* What nvcc 13.0 makes of
 *     asm volatile("// ptxlint: ignore[THR102] half of it");
 *     asm volatile("ld.global.f32 %0, [%1];" : ...);
 *     asm volatile("// ptxlint: ignore[THR102] first\n\tld.global.f32 %0, [%1];\n\tld.global.f32
 *     %0, [%1]; // ptxlint: ignore[THR102] second" : ...);
 *     asm volatile("{\n\t.reg .f32 t;\n\t// ptxlint: ignore[THR102] braces\n\tld.global.f32 t,
 *     [%1];\n\tmov.f32 %0, t;\n\t}" : ...);
 * The first covers the instruction that comes next, which is not the one that its author had in
 * mind. */
static const char inline_ptx[] =
    ".version 9.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    "\t// .globl\tk\n"
    ".visible .entry k(\n"
    "\t.param .u64 k_param_0,\n"
    "\t.param .u64 k_param_1\n"
    ")\n"
    "{\n"
    "\t.reg .f32 \t%f<5>;\n"
    "\t.reg .b32 \t%r<3>;\n"
    "\t.reg .b64 \t%rd<7>;\n"
    "\tld.param.u64 \t%rd4, [k_param_0];\n"
    "\tld.param.u64 \t%rd2, [k_param_1];\n"
    "\tcvta.to.global.u64 \t%rd5, %rd4;\n"
    "\t// begin inline asm\n"
    "\t// ptxlint: ignore[THR102] half of it\n"
    "\t// end inline asm\n"
    "\tmov.u32 \t%r1, %tid.x;\n"
    "\tshl.b32 \t%r2, %r1, 3;\n"
    "\tmul.wide.u32 \t%rd6, %r2, 4;\n"
    "\tadd.s64 \t%rd1, %rd2, %rd6;\n"
    "\t// begin inline asm\n"
    "\tld.global.f32 %f1, [%rd1];\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\t// ptxlint: ignore[THR102] first\n"
    "\tld.global.f32 %f2, [%rd2];\n"
    "\tld.global.f32 %f2, [%rd2]; // ptxlint: ignore[THR102] second\n"
    "\t// end inline asm\n"
    "\tadd.s64 \t%rd3, %rd2, 16;\n"
    "\t// begin inline asm\n"
    "\t{\n"
    "\t.reg .f32 t;\n"
    "\t// ptxlint: ignore[THR102] braces\n"
    "\tld.global.f32 t, [%rd3];\n"
    "\tmov.f32 %f3, t;\n"
    "\t}\n"
    "\t// end inline asm\n"
    "\tadd.f32 \t%f4, %f1, %f3;\n"
    "\tst.global.f32 \t[%rd5], %f4;\n"
    "\tret;\n"
    "}\n";

static void test_inline_asm(void **state)
{
    World *w = *state;
    Run run;
    start(w, &run, inline_ptx, NULL);
    const Module *module = run.module->ir;
    for (InsnId i = 0; i < module->funcs[0].insn_count; i++) {
        const Span span = module->funcs[0].insns[i].span;
        const char *text = module->text + span.begin;
        if (!strncmp(text, "mov.u32", 7) || !strncmp(text, "ld.global", 9)
            || !strncmp(text, "st.global", 9))
            ptx_diag_of(&run.diags, info_of("THR102"), SEVERITY_NOTE, span, "");
    }
    ptx_suppress(&w->arena, &w->scratch, &run.diags, module, "a.ptx", run.config);
    Text got = { 0 };
    for (uint32_t d = 0; d < run.diags.count; d++)
        kit_print(&got, "%s%s%s", d ? ", " : "", run.diags.items[d]->info->code,
                  run.diags.items[d]->reason ? run.diags.items[d]->reason : "");
    assert_string_equal(
        got.bytes, "THR102half of it, THR102, THR102first, THR102second, THR102braces, THR102");
    free(got.bytes);
    stop(&run);
}

/* Ends in reasonable time whatever the million is of; part is repeated between before and after. */
static void test_million(void **state)
{
    World *w = *state;
    static const struct { const char *before, *part, *after; int count; } shapes[] = {
        { HEAD, "// ptxlint: ignore[THR102] x\n", "ret;\n}\n", 1000000 },
        { HEAD, "ret; // ptxlint: ignore[THR102] x\n", "}\n", 300000 },
        { HEAD, "/* ptxlint: ignore[THR102] */", "ret;\n}\n", 300000 },
        { HEAD, "ret; /* ptxlint: ignore[THR] */", "}\n", 300000 },
        { HEAD, "// ptxlint: ignore[", "\nret;\n}\n", 300000 },
        { HEAD "// ", "//ptxlint:", "\nret;\n}\n", 300000 },
        { HEAD "ret; // ptxlint: ignore[", "THRR,", "]\n}\n", 300000 },
        { HEAD, "// ptxlint: ignore[NOPE]\n", "ret;\n}\n", 300000 },
        { TOP, "x // ptxlint: ignore[THR102]\n", "", 100000 },
        { TOP, "// ptxlint: ignore[THR102]\nx\n", "", 100000 },
        { TOP, ".entry k() { // ptxlint: ignore-kernel[ALL] x\n}\n", "", 30000 },
        { TOP "/*", "ptxlint: ignore-file[THR102]\n", "*/", 300000 },
        { TOP ".file 1 \"", "// ptxlint: ignore", "\"", 300000 },
        { TOP, "\"a\" // \" ptxlint:", "\n", 100000 },
    };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        Run run;
        Text text = { 0 };
        kit_print(&text, "%s", shapes[i].before);
        for (int n = 0; n < shapes[i].count; n++)
            kit_put(&text, shapes[i].part, strlen(shapes[i].part));
        kit_print(&text, "%s", shapes[i].after);
        start(w, &run, text.bytes, NULL);
        const Module *module = run.module->ir;
        for (uint32_t n = 0; module->func_count && n < module->funcs[0].insn_count && n < 9000; n++)
            ptx_diag_of(&run.diags, info_of("THR102"), SEVERITY_NOTE,
                        module->funcs[0].insns[n].span, "");
        ptx_suppress(&w->arena, &w->scratch, &run.diags, module, "a.ptx", run.config);
        ptx_diag_finish(&run.diags);
        free(text.bytes);
        stop(&run);
    }
}

/* Real kernels have none, and what is cut off anywhere ends. */
static void test_cut(void **state)
{
    World *w = *state;
    static const char text[] = HEAD
        "/* ptxlint: ignore[THR102] */ @@DWARF x\n# 1 \"a\"\n.pragma \"x\"; L: add.s32 {%r1}, // "
        "ptxlint: ignore-kernel[COR] x\n1; \"//\" /* ptxlint: ignore\n */}\n";
    for (size_t n = 0; n < sizeof text; n++) {
        Run run;
        char *copy = strndup(text, n);
        assert_non_null(copy);
        start(w, &run, copy, NULL);
        ptx_suppress(&w->arena, &w->scratch, &run.diags, run.module->ir, "a.ptx", run.config);
        stop(&run);
        free(copy);
    }
}

UNIT(suppress)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_comments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_config_ignores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_severity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_inline_asm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_million, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
