/* kernel.c -- the PTX around the step of a probe. */
#include "measure/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SM_LEAST = 50, VERSION_LEAST = 60 };

static const char probe_head[] =
    ".address_size 64\n"
    ".shared .align 128 .b8 room[32768];\n"
    ".shared .align 8 .b64 phase;\n";

static const char probe_parameters[] =
    "(.param .u64 p_out, .param .u64 p_data, .param .u32 p_count, .param .u32 p_zero,\n"
    " .param .f32 p_half, .param .u64 p_mask, .param .u64 p_step)\n";

static const char probe_entry[] =
    "    .local .align 16 .b8 stack[512];\n"
    "    .reg .b32 r<40>, count, s, tid, lane, cta, base, i;\n"
    "    .reg .f32 f<40>, fs;\n"
    "    .reg .f64 d<8>, ds;\n"
    "    .reg .b64 l<16>, ls, out, data, own, mask, step, t0, t1, g0, g1;\n"
    "    .reg .pred p<8>;\n"
    "    ld.param.u64 out, [p_out];\n"
    "    ld.param.u64 data, [p_data];\n"
    "    ld.param.u32 count, [p_count];\n"
    "    ld.param.u32 s, [p_zero];\n"
    "    ld.param.f32 fs, [p_half];\n"
    "    ld.param.u64 mask, [p_mask];\n"
    "    ld.param.u64 step, [p_step];\n"
    "    cvt.f64.f32 ds, fs;\n"
    "    cvt.u64.u32 ls, s;\n"
    "    mov.u32 tid, %tid.x;\n"
    "    mov.u32 cta, %ctaid.x;\n"
    "    and.b32 lane, tid, 31;\n"
    "    mov.u32 base, room;\n"
    "    mul.wide.u32 own, lane, 4;\n"
    "    add.s64 own, own, out;\n"
    "    add.s64 own, own, 65536;\n";

/* Word i of shared memory is the address of word i mod 32: a chain of loads stays in its place. */
static const char probe_fill[] =
    "    mov.u32 i, tid;\n"
    "FILL:\n"
    "    and.b32 r1, i, 31;\n"
    "    mad.lo.u32 r1, r1, 4, base;\n"
    "    mad.lo.u32 r2, i, 4, base;\n"
    "    st.shared.u32 [r2], r1;\n"
    "    mov.u32 r3, %ntid.x;\n"
    "    add.u32 i, i, r3;\n"
    "    setp.lt.u32 p0, i, 8192;\n"
    "    @p0 bra FILL;\n"
    "    mov.u32 i, 0;\n";

static const char probe_loop[] =
    "    bar.sync 0;\n"
    "    mov.u64 g0, %globaltimer;\n"
    "    mov.u64 t0, %clock64;\n"
    "LOOP:\n";

static const char probe_end[] =
    "    add.u32 i, i, 1;\n"
    "    setp.lt.u32 p0, i, count;\n"
    "    @p0 bra LOOP;\n"
    "    bar.sync 0;\n"
    "    mov.u64 t1, %clock64;\n"
    "    mov.u64 g1, %globaltimer;\n"
    "OUT:\n"
    "    setp.ne.u32 p0, tid, 0;\n"
    "    @p0 bra SINK;\n"
    "    sub.s64 t1, t1, t0;\n"
    "    sub.s64 g1, g1, g0;\n"
    "    mul.wide.u32 l15, cta, 16;\n"
    "    add.s64 l15, l15, out;\n"
    "    st.global.u64 [l15], t1;\n"
    "    st.global.u64 [l15+8], g1;\n"
    "SINK:\n";

static const char *sink_type(char sink)
{
    switch (sink) {
    case 'f': return "f32";
    case 'd': return "f64";
    case 'l': return "s64";
    default:  return "s32";
    }
}

/* As a step, once; # is the digit of the chain. */
static void put_probe_step(FILE *to, const char *step, unsigned chain)
{
    fputs("    ", to);
    for (; *step; step++)
        if (*step == '#')
            fprintf(to, "%u", chain);
        else
            fputc(*step, to);
    fputc('\n', to);
}

/* Chains begin at what the compiler cannot know, each at its own: alike they would be one. All are
 * zero in fact, and of floats a half. */
static void put_chains(FILE *to)
{
    for (unsigned i = 0; i < 32; i++)
        fprintf(to,
                "    add.u32 r%u, tid, %u;\n    mul.lo.u32 r%u, r%u, s;\n"
                "    cvt.rn.f32.u32 f%u, r%u;\n    add.f32 f%u, f%u, fs;\n",
                i, i, i, i, i, i, i, i);
    for (unsigned i = 0; i < 8; i++)
        fprintf(to, "    cvt.f64.f32 d%u, f%u;\n    cvt.u64.u32 l%u, r%u;\n", i, i, i, i);
}

/* No chain may be left out as unused: their sum decides whether something is stored. */
static void put_sink(FILE *to, const Probe *probe)
{
    const char *type = sink_type(probe->sink), *zero = probe->sink == 'f' ? "0f7F800000" : "77";
    if (probe->sink == 'd')
        zero = "0d7FF0000000000000";
    for (unsigned i = 1; i < probe->chains; i++)
        fprintf(to, "    add.%s %c0, %c0, %c%u;\n", type, probe->sink, probe->sink, probe->sink, i);
    fprintf(to, "    setp.eq.%s p1, %c0, %s;\n    @p1 st.global.u32 [own], s;\n    ret;\n}\n", type,
            probe->sink, zero);
}

static unsigned or_least(unsigned value, unsigned least)
{
    return value > least ? value : least;
}

static void put_kernel_body(FILE *to, const Probe *probe)
{
    fputs(probe_entry, to);
    fputs(probe_fill, to);
    put_chains(to);
    if (probe->setup)
        put_probe_step(to, probe->setup, 0);
    fputs(probe_loop, to);
    for (unsigned i = 0; i < probe->unroll; i++)
        put_probe_step(to, probe->step, i % or_least(probe->chains, 1));
    fputs(probe_end, to);
    put_sink(to, probe);
}

char *ptx_probe_text(const Probe *probe)
{
    char *text = NULL;
    size_t length = 0;
    unsigned version = or_least(probe->version, VERSION_LEAST);
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return NULL;
    fprintf(to, ".version %u.%u\n.target sm_%u\n%s.visible .entry %s%s", version / 10,
            version % 10, or_least(probe->sm, SM_LEAST), probe_head, probe->key, probe_parameters);
    fprintf(to, ".maxntid %u\n.minnctapersm %u\n{\n", probe->threads, or_least(probe->blocks, 1));
    if (probe->step)
        put_kernel_body(to, probe);
    else
        fputs("    ret;\n}\n", to);
    bool is_good = !ferror(to);
    is_good = !fclose(to) && is_good;
    if (is_good)
        return text;
    free(text);
    return NULL;
}
