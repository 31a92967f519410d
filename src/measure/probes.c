#include "measure/probe.h"

#define MIB(n) ((uint64_t)(n) << 20)

/* ---- steps that several share ---------------------------------------------------------------- */

/* l0: bytes from data; every thread of the grid has bytes of its own, and goes on by all of them. */
#define WALK(bytes) \
    "mov.u32 r8, %ntid.x; mad.lo.u32 r9, cta, r8, tid; mul.wide.u32 l0, r9, " bytes ";"
/* The same of a block: it begins at a place of its own, and goes on by 512 threads. */
#define WALK_OWN(bytes) \
    "mul.lo.u32 r8, cta, 32436224; mad.lo.u32 r8, tid, " bytes ", r8; cvt.u64.u32 l0, r8;"
#define AT_L1 "and.b64 l1, l0, mask; add.s64 l1, l1, data; "
#define GO_ON " add.s64 l0, l0, step;"
#define LOAD_16                                                                                    \
    AT_L1 "ld.global.cg.v4.u32 {r10,r11,r12,r13}, [l1]; add.u32 r#, r#, r10; add.u32 r#, r#, r11; " \
          "add.u32 r#, r#, r12; add.u32 r#, r#, r13;"
#define LOAD_8                                                                                     \
    AT_L1 "ld.global.cg.v2.u32 {r10,r11}, [l1]; add.u32 r#, r#, r10; add.u32 r#, r#, r11;"
#define LOAD_4 AT_L1 "ld.global.cg.u32 r10, [l1]; add.u32 r#, r#, r10;"
#define READ_16 LOAD_16 GO_ON
#define READ_4 LOAD_4 GO_ON
#define OWN_16 LOAD_16 " add.s64 l0, l0, 8192;"
#define OWN_8 LOAD_8 " add.s64 l0, l0, 4096;"
#define OWN_4 LOAD_4 " add.s64 l0, l0, 2048;"

/* r7: by chance. l1: of 4 bytes at a place by chance in mask. */
#define CHANCE                                                                                     \
    "mov.u32 r8, %ntid.x; mad.lo.u32 r9, cta, r8, tid; mul.lo.u32 r7, r9, 2654435761; "            \
    "cvt.u32.u64 r6, mask; and.b32 r6, r6, 0xfffffffc;"
#define TO_CHANCE                                                                                  \
    "mad.lo.u32 r7, r7, 1664525, 1013904223; shr.u32 r5, r7, 7; and.b32 r5, r5, r6; "              \
    "cvt.u64.u32 l1, r5; add.s64 l1, l1, data; "

/* Four loads of a thread's own words, 4 kB apart. */
#define FOUR_SHARED_4                                                                              \
    "ld.shared.u32 r10, [r9]; ld.shared.u32 r11, [r9+0x1000]; ld.shared.u32 r12, [r9+0x2000]; "    \
    "ld.shared.u32 r13, [r9+0x3000]; add.u32 r9, r9, s; add.u32 r#, r#, r10; "                     \
    "add.u32 r#, r#, r11; add.u32 r#, r#, r12; add.u32 r#, r#, r13;"
#define FOUR_SHARED_8                                                                              \
    "ld.shared.v2.u32 {r10,r20}, [r9]; ld.shared.v2.u32 {r11,r21}, [r9+0x1000]; "                  \
    "ld.shared.v2.u32 {r12,r22}, [r9+0x2000]; ld.shared.v2.u32 {r13,r23}, [r9+0x3000]; "           \
    "add.u32 r9, r9, s; add.u32 r#, r#, r10; add.u32 r#, r#, r21; add.u32 r#, r#, r12; "           \
    "add.u32 r#, r#, r23;"
#define FOUR_SHARED_16                                                                             \
    "ld.shared.v4.u32 {r10,r14,r15,r20}, [r9]; ld.shared.v4.u32 {r11,r16,r17,r21}, [r9+0x1000]; "  \
    "ld.shared.v4.u32 {r12,r18,r19,r22}, [r9+0x2000]; "                                            \
    "ld.shared.v4.u32 {r13,r24,r25,r23}, [r9+0x3000]; add.u32 r9, r9, s; add.u32 r#, r#, r10; "    \
    "add.u32 r#, r#, r21; add.u32 r#, r#, r12; add.u32 r#, r#, r23;"
#define FOUR_L1                                                                                    \
    "ld.global.ca.v4.u32 {r10,r14,r15,r20}, [l1]; "                                                \
    "ld.global.ca.v4.u32 {r11,r16,r17,r21}, [l1+0x1000]; "                                         \
    "ld.global.ca.v4.u32 {r12,r18,r19,r22}, [l1+0x2000]; "                                         \
    "ld.global.ca.v4.u32 {r13,r24,r25,r23}, [l1+0x3000]; add.s64 l1, l1, ls; "                     \
    "add.u32 r#, r#, r10; add.u32 r#, r#, r21; add.u32 r#, r#, r12; add.u32 r#, r#, r23;"
#define OWN_SHARED(bytes) "mad.lo.u32 r9, tid, " bytes ", base;"

#define MMA(shape, types, a, b)                                                                    \
    "mma.sync.aligned." shape ".row.col." types " {f#,f1#,f2#,f3#}, " a ", " b ", {f#,f1#,f2#,f3#};"
#define A4 "{r8,r9,r10,r11}"
#define A2 "{r8,r9}"
#define B2 "{r12,r13}"
#define B1 "{r12}"

/* A tile of some pieces of 512 bytes, of one warp, that it waits for. */
#define PIECE(offset) "cp.async.cg.shared.global [r9+" offset "], [l1+" offset "], 16; "
#define TILE_START "mad.lo.u32 r9, lane, 16, base; mul.wide.u32 l0, lane, 16;"
#define TILE_WAIT "cp.async.commit_group; cp.async.wait_group 0;" GO_ON
#define SMALL_TILE AT_L1 PIECE("0") TILE_WAIT
#define LARGE_TILE                                                                                 \
    AT_L1 PIECE("0") PIECE("512") PIECE("1024") PIECE("1536") PIECE("2048") PIECE("2560")          \
    PIECE("3072") PIECE("3584") TILE_WAIT

#define BULK_START                                                                                 \
    "mov.u32 r10, phase; setp.eq.u32 p2, tid, 0; @p2 mbarrier.init.shared.b64 [r10], 1; "          \
    "fence.proxy.async; mov.u64 l0, 0; mov.u32 r11, 0;"
#define WAIT_PHASE                                                                                 \
    "{ .reg .pred done; mov.u32 r12, 0; "                                                          \
    "WAIT: mbarrier.try_wait.parity.shared.b64 done, [r10], r11; add.u32 r12, r12, 1; "            \
    "setp.gt.or.u32 done, r12, 100000, done; @!done bra WAIT; } xor.b32 r11, r11, 1; "
#define BULK(bytes)                                                                                \
    AT_L1 "mbarrier.arrive.expect_tx.shared.b64 _, [r10], " bytes "; "                             \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [base], [l1], " bytes       \
    ", [r10]; " WAIT_PHASE GO_ON

/* ---- rows ------------------------------------------------------------------------------------ */

/* One warp, each step waits for the one before it. */
#define LATENCY(name, fig, registers, count, text, words)                                          \
    .key = name, .figure = fig, .unit = "clk", .how = "one warp, dependent " words,                \
    .form = FORM_CLOCKS, .step = text, .sink = registers, .unroll = count, .threads = 32,          \
    .iterations = 64, .chains = 1, .amount = 1

/* A block of 1024 threads on each SM, eight chains a thread. */
#define RATE(name, op, registers, text)                                                            \
    .key = name, .unit = "results/clk/SM", .opcode = op, .form = FORM_PER_CLOCK, .step = text,     \
    .how = "1024 threads an SM, eight independent " op, .sink = registers, .unroll = 64,           \
    .threads = 1024, .blocks = 1, .iterations = 32, .chains = 8, .amount = 1

#define MATRIX(name, op, fmas, registers, text)                                                               \
    .key = name, .unit = "FMA/clk/SM", .opcode = op, .form = FORM_PER_CLOCK, .step = text,         \
    .how = "16 warps an SM, four independent " op, .sink = registers, .unroll = 32, .threads = 512, \
    .blocks = 1, .iterations = 32, .chains = 4, .amount = (fmas) / 32.0

/* The same for memory of an SM: four loads a step. */
#define READS(name, op, bytes, start, text)                                                        \
    .key = name, .unit = "B/clk/SM", .opcode = op, .form = FORM_PER_CLOCK, .step = text,           \
    .how = "1024 threads an SM, each its own words, " op, .sink = 'r', .setup = start,             \
    .unroll = 16, .threads = 1024, .blocks = 1, .iterations = 32, .chains = 4, .amount = 4 * (bytes)

#define BARRIER(name, count)                                                                       \
    .key = name, .unit = "clk", .form = FORM_CLOCKS, .step = "bar.sync 0;", .sink = 'r',           \
    .how = "a block of " #count " threads that come to bar.sync at once", .unroll = 32,            \
    .threads = count, .iterations = 16, .chains = 1, .amount = 1

#define STREAM(name, fig, bytes, text, mib, words)                                                 \
    .key = name, .figure = fig, .unit = "GB/s", .how = words, .form = FORM_BANDWIDTH,              \
    .setup = WALK(#bytes), .step = text, .sink = 'r', .unroll = 8, .threads = 512, .blocks = 2,    \
    .iterations = 24, .chains = 4, .amount = bytes, .span = MIB(mib)

#define L2_READ(name, bytes, text, words)                                                          \
    .key = name, .unit = "GB/s", .how = words, .form = FORM_BANDWIDTH, .setup = WALK_OWN(#bytes),  \
    .step = text, .sink = 'r', .unroll = 8, .threads = 512, .blocks = 2, .iterations = 24,         \
    .chains = 4, .amount = bytes, .span = MIB(16)

#define CHASE(name, bytes, text, words)                                                            \
    .key = name, .unit = "clk", .how = "dependent loads of one thread, by chance in " words,          \
    .form = FORM_CLOCKS, .data = DATA_CHAIN, .setup = "mov.b64 l0, data;", .step = text,           \
    .sink = 'l', .unroll = 16, .threads = 1, .iterations = 128, .chains = 1, .amount = 1,          \
    .span = bytes

#define TILE(name, mib, text, words)                                                               \
    .key = name, .unit = "clk", .how = words, .form = FORM_CLOCKS, .setup = TILE_START,            \
    .step = text, .sink = 'r', .sm = 80, .version = 70, .unroll = 4, .threads = 32,                \
    .iterations = 64, .chains = 1, .amount = 1, .span = MIB(mib)

#define BULKS(name, mib, bytes, words)                                                             \
    .key = name, .unit = "clk", .how = words, .form = FORM_CLOCKS, .setup = BULK_START,            \
    .step = BULK(bytes), .sink = 'r', .sm = 90, .version = 80, .unroll = 1, .threads = 1,          \
    .iterations = 256, .chains = 1, .amount = 1, .span = MIB(mib)

const Probe ptx_probes[] = {
    { .key = "clock", .figure = "clock_mhz", .unit = "MHz", .form = FORM_MHZ, .sink = 'f',
      .how = "%clock64 and %globaltimer of 1024 threads an SM with fma.rn.f32", .threads = 1024,
      .step = "fma.rn.f32 f#, f#, fs, fs;", .unroll = 64, .blocks = 1, .iterations = 8000,
      .chains = 8, .amount = 1 },

    /* a launch; no step: the kernel is empty */
    { .key = "launch", .unit = "ns", .form = FORM_LAUNCHES, .threads = 32, .iterations = 200, .amount = 1,
      .how = "from one launch of an empty kernel to the next, without waiting" },
    { .key = "block", .figure = "block_ns", .unit = "ns", .form = FORM_BLOCKS, .threads = 32,
      .how = "empty kernels of 65,536 and 196,608 blocks of a warp", .iterations = 0, .amount = 65536 },

    /* latencies of arithmetic */
    { LATENCY("arithmetic", "arithmetic_latency", 'f', 128, "fma.rn.f32 f#, f#, fs, fs;", "fma.rn.f32") },
    { LATENCY("integer_multiply", NULL, 'r', 128, "mad.lo.s32 r#, r#, s, s;", "mad.lo.s32") },
    { LATENCY("fp64", "fp64_latency", 'd', 128, "fma.rn.f64 d#, d#, ds, ds;", "fma.rn.f64") },
    { LATENCY("function", "xu_latency", 'f', 64, "ex2.approx.ftz.f32 f#, f#;", "ex2.approx.ftz.f32") },
    { LATENCY("scaled", "scaled_latency", 'f', 64, "rsqrt.approx.f32 f#, f#;", "rsqrt.approx.f32") },
    { LATENCY("conversion", NULL, 'f', 64, "cvt.rzi.s32.f32 r8, f#; cvt.rn.f32.s32 f#, r8;",
              "pairs of cvt.rzi.s32.f32 and cvt.rn.f32.s32") },
    { LATENCY("div_full", "div_full_latency", 'f', 16, "div.full.f32 f#, fs, f#;", "div.full.f32") },
    { LATENCY("div_f32", "div_f32_latency", 'f', 16, "div.rn.f32 f#, fs, f#;", "div.rn.f32") },
    { LATENCY("rcp_f32", "rcp_f32_latency", 'f', 16, "rcp.rn.f32 f#, f#;", "rcp.rn.f32") },
    { LATENCY("sqrt_f32", "sqrt_f32_latency", 'f', 16, "sqrt.rn.f32 f#, f#;", "sqrt.rn.f32") },
    { LATENCY("div_f64", "div_f64_latency", 'd', 16, "div.rn.f64 d#, ds, d#;", "div.rn.f64") },
    { LATENCY("rcp_f64", "rcp_f64_latency", 'd', 16, "rcp.rn.f64 d#, d#;", "rcp.rn.f64") },
    { LATENCY("sqrt_f64", "sqrt_f64_latency", 'd', 16, "sqrt.rn.f64 d#, d#;", "sqrt.rn.f64") },
    { LATENCY("rsqrt_f64", "rsqrt_f64_latency", 'd', 16, "rsqrt.approx.f64 d#, d#;", "rsqrt.approx.f64") },
    { LATENCY("div_u32", "div_u32_latency", 'r', 8, "div.u32 r#, r8, r#; or.b32 r#, r#, 1000;", "div.u32"),
      .setup = "add.u32 r8, s, 123456789; add.u32 r0, r0, 1000;", .less = 1 },
    { LATENCY("div_s32", "div_s32_latency", 'r', 8, "div.s32 r#, r8, r#; or.b32 r#, r#, 1000;", "div.s32"),
      .setup = "add.u32 r8, s, 123456789; add.u32 r0, r0, 1000;", .less = 1 },
    { LATENCY("div_u64", "div_u64_latency", 'l', 8, "div.u64 l#, l#, l8; or.b64 l#, l#, -4611686018427387904;",
              "div.u64 of large numbers"),
      .setup = "add.s64 l8, ls, 7; sub.s64 l0, -1, ls;", .less = 1 },
    { LATENCY("div_s64", "div_s64_latency", 'l', 8, "div.s64 l#, l#, l8; or.b64 l#, l#, 4611686018427387904;",
              "div.s64 of large numbers"),
      .setup = "add.s64 l8, ls, 7; sub.s64 l0, 4611686018427387904, ls;", .less = 1 },
    { LATENCY("mul_hi_64", "mul_hi_64_latency", 'l', 64, "mul.hi.u64 l#, l#, l8;", "mul.hi.u64"),
      .setup = "sub.s64 l8, -1, ls; mov.b64 l0, l8;" },
    { LATENCY("shuffle", NULL, 'r', 64, "shfl.sync.bfly.b32 r#, r#, 1, 31, -1;", "shfl.sync.bfly.b32") },
    { LATENCY("vote", "vote_latency", 'r', 64,
              "setp.ne.u32 p1, r#, s; vote.sync.any.pred p1, p1, -1; selp.b32 r#, s, count, p1;",
              "vote.sync.any, less its setp and selp"), .less = 2 },
    { LATENCY("redux", "redux_latency", 'r', 64, "redux.sync.add.s32 r#, r#, -1;", "redux.sync.add.s32"),
      .sm = 80, .version = 70 },
    { LATENCY("match_any", "match_latency", 'r', 16, "match.any.sync.b32 r#, r#, -1;",
              "match.any.sync.b32 of 32 values"), .sm = 70,
      .setup = "mov.u32 r0, lane;" },
    { LATENCY("match_all", "match_all_latency", 'r', 16, "match.all.sync.b32 r#, r#, -1;", "match.all.sync.b32"),
      .sm = 70 },

    /* rates of pipelines */
    { RATE("rate_fp32", "fma.rn.f32", 'f', "fma.rn.f32 f#, f#, fs, fs;") },
    { RATE("rate_fp64", "fma.rn.f64", 'd', "fma.rn.f64 d#, d#, ds, ds;") },
    { RATE("rate_fp16", "fma.rn.f16x2", 'r', "fma.rn.f16x2 r#, r#, s, s;"), .sm = 53 },
    { RATE("rate_imad", "mad.lo.s32", 'r', "mad.lo.s32 r#, r#, s, s;") },
    { RATE("rate_logic", "lop3.b32", 'r', "lop3.b32 r#, r#, s, r8, 0xe8;"), .setup = "add.u32 r8, s, 5;" },
    { RATE("rate_shift", "shf.l.wrap.b32", 'r', "shf.l.wrap.b32 r#, r#, r8, s;"), .setup = "add.u32 r8, s, 5;" },
    { RATE("rate_popc", "popc.b32", 'r', "popc.b32 r#, r#;") },
    { RATE("rate_ex2", "ex2.approx.ftz.f32", 'f', "ex2.approx.ftz.f32 f#, f#;") },
    { RATE("rate_rsqrt", "rsqrt.approx.ftz.f32", 'f', "rsqrt.approx.ftz.f32 f#, f#;") },
    { RATE("rate_cvt", "cvt.rni.f32.f32", 'f', "cvt.rni.f32.f32 f#, f#;") },
    { RATE("rate_cvt_width", "cvt.rn.f64.s32", 'r',
           "cvt.rn.f64.s32 d0, r#; mov.b64 {r8, r9}, d0; add.u32 r#, r#, r9;") },
    { RATE("rate_dp4a", "dp4a.s32.s32", 'r', "dp4a.s32.s32 r#, r#, s, r#;"), .sm = 61 },
    { RATE("rate_shuffle", "shfl.sync.bfly.b32", 'r', "shfl.sync.bfly.b32 r#, r#, 1, 31, -1;") },

    /* shared memory */
    { LATENCY("shared", "shared_latency", 'r', 64, "ld.shared.u32 r#, [r#];", "ld.shared.u32"),
      .setup = "mad.lo.u32 r0, lane, 4, base;" },
    { LATENCY("shared_16", NULL, 'r', 64, "ld.shared.v4.u32 {r#,r8,r9,r10}, [r#];", "ld.shared.v4.u32"),
      .setup = "mov.u32 r0, base;" },
    { LATENCY("matrix", "matrix_latency", 'r', 64,
              "lop3.b32 r8, r#, s, r9, 0xea; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r#,r10,r11,r12}, [r8];",
              "ldmatrix.x4"),
      .setup = "mad.lo.u32 r9, lane, 16, base;", .sm = 75, .version = 65, .less = 1 },
    { LATENCY("atomic_shared", "atomic_shared_latency", 'r', 64, "atom.shared.add.u32 r#, [r#], s;",
              "atom.shared.add.u32, an address for each lane"),
      .setup = "mad.lo.u32 r0, lane, 4, base;" },
    { READS("shared_read_4", "ld.shared.u32", 4, OWN_SHARED("4"), FOUR_SHARED_4) },
    { READS("shared_read_8", "ld.shared.v2.u32", 8, OWN_SHARED("8"), FOUR_SHARED_8) },
    { READS("shared_read_16", "ld.shared.v4.u32", 16, OWN_SHARED("16"), FOUR_SHARED_16) },
    { BARRIER("barrier_1", 32) },
    { BARRIER("barrier_4", 128) },
    { BARRIER("barrier_16", 512) },
    { BARRIER("barrier_32", 1024) },

    /* caches and memory */
    { CHASE("chase_l1", 16384, "ld.global.ca.u64 l0, [l0];", "16 kB, ld.ca"), .figure = "l1_latency" },
    { CHASE("chase_l2", MIB(4), "ld.global.cg.u64 l0, [l0];", "4 MB, ld.cg") },
    { CHASE("chase_memory", MIB(256), "ld.global.cg.u64 l0, [l0];", "256 MB that no cache holds, ld.cg") },
    { .key = "times_l2", .unit = "clk", .form = FORM_TIMES, .data = DATA_CHAIN, .sink = 'l', .threads = 1,
      .how = "single loads by chance from 4 MB, ld.cg", .setup = "mov.b64 l0, data;", .unroll = 1,
      .step = "mov.u64 l2, %clock64; ld.global.cg.u64 l0, [l0]; setp.eq.s64 p2, l0, 77; @p2 bra OUT; "
              "mov.u64 l3, %clock64; sub.s64 l3, l3, l2; mul.wide.u32 l4, i, 8; add.s64 l4, l4, out; "
              "st.global.u64 [l4+131072], l3;",
      .iterations = 2048, .chains = 1, .amount = 1, .span = MIB(4) },
    { .key = "times_memory", .unit = "clk", .form = FORM_TIMES, .data = DATA_CHAIN, .sink = 'l', .threads = 1,
      .how = "single loads by chance from 256 MB that no cache holds, ld.cg", .setup = "mov.b64 l0, data;",
      .step = "mov.u64 l2, %clock64; ld.global.cg.u64 l0, [l0]; setp.eq.s64 p2, l0, 77; @p2 bra OUT; "
              "mov.u64 l3, %clock64; sub.s64 l3, l3, l2; mul.wide.u32 l4, i, 8; add.s64 l4, l4, out; "
              "st.global.u64 [l4+131072], l3;",
      .iterations = 2048, .unroll = 1, .chains = 1, .amount = 1, .span = MIB(256) },
    { READS("l1_read_16", "ld.global.ca.v4.u32", 16, "mul.wide.u32 l1, tid, 16; add.s64 l1, l1, data;", FOUR_L1) },
    { L2_READ("l2_read_16", 16, OWN_16, "16 bytes a lane, ld.cg, from 16 MB") },
    { L2_READ("l2_read_8", 8, OWN_8, "8 bytes a lane, ld.cg, from 16 MB") },
    { L2_READ("l2_read_4", 4, OWN_4, "4 bytes a lane, ld.cg, from 16 MB") },
    { .key = "l2_read_sm", .figure = "l2_bytes_per_clk", .unit = "B/clk/SM", .form = FORM_PER_CLOCK,
      .how = "one SM alone, 1024 threads, 16 bytes a lane, ld.cg, from 1 MB", .setup = WALK("16"),
      .step = READ_16, .sink = 'r', .unroll = 4, .threads = 1024, .iterations = 64, .chains = 4,
      .amount = 16, .span = MIB(1) },
    { STREAM("memory_read_16", "memory_sustained_gb_per_s", 16, READ_16, 1024, "16 bytes a lane, from 1 GB") },
    { STREAM("memory_read_4", NULL, 4, READ_4, 1024, "4 bytes a lane, from 1 GB") },
    { .key = "memory_write", .unit = "GB/s", .form = FORM_BANDWIDTH, .setup = WALK("16"), .sink = 'r',
      .how = "stores of 16 bytes a lane, to 1 GB", .step = AT_L1 "st.global.v4.u32 [l1], {s,s,s,s};" GO_ON,
      .unroll = 4, .threads = 512, .blocks = 4, .iterations = 16, .chains = 1, .amount = 16,
      .span = MIB(1024) },
    { .key = "store_l2_lines", .unit = "ps", .form = FORM_PICOSECONDS, .setup = WALK("4"), .sink = 'r',
      .how = "stores of whole lines, 4 bytes a lane, to 4 MB",
      .step = AT_L1 "st.global.u32 [l1], s;" GO_ON, .unroll = 4, .threads = 512, .blocks = 4,
      .iterations = 32, .chains = 1, .amount = 4, .span = MIB(4) },
    { .key = "store_l2_chance", .unit = "ps", .form = FORM_PICOSECONDS, .setup = CHANCE, .sink = 'r',
      .how = "stores of a lane each, by chance in 4 MB", .step = TO_CHANCE "st.global.u32 [l1], s;",
      .unroll = 4, .threads = 512, .blocks = 4, .iterations = 8, .chains = 1, .amount = 32, .span = MIB(4) },
    { .key = "load_l2_chance", .unit = "ps", .form = FORM_PICOSECONDS, .setup = CHANCE, .sink = 'r',
      .how = "loads of a lane each, by chance in 4 MB",
      .step = TO_CHANCE "ld.global.cg.u32 r10, [l1]; add.u32 r#, r#, r10;",
      .unroll = 4, .threads = 512, .blocks = 4, .iterations = 8, .chains = 4, .amount = 32, .span = MIB(4) },

    /* atomics */
    { LATENCY("atomic", "atomic_latency", 'r', 16,
              "cvt.u64.u32 l1, r#; add.s64 l1, l1, own; atom.global.add.u32 r#, [l1], s;",
              "atom.global.add.u32, an address for each lane"), .less = 2 },
    { LATENCY("fence", "fence_latency", 'r', 16, "fence.acq_rel.gpu;", "fence.acq_rel.gpu"), .sm = 70 },
    { LATENCY("fence_sys", "fence_sys_latency", 'r', 16, "fence.acq_rel.sys;", "fence.acq_rel.sys"), .sm = 70 },
    { .key = "atomic_one", .figure = "atomic_pass_ns", .unit = "ns", .form = FORM_PICOSECONDS, .sink = 'r',
      .how = "red.global.add.u32 of one lane a warp, all at one address", .setup = "setp.eq.u32 p2, lane, 0;",
      .step = "@p2 red.global.add.u32 [data], s;", .unroll = 4, .threads = 256, .blocks = 4,
      .iterations = 8, .chains = 1, .amount = 1000, .span = 128 },
    { .key = "atomic_chance", .unit = "ns", .form = FORM_PICOSECONDS, .setup = CHANCE, .sink = 'r',
      .how = "red.global.add.u32 of all lanes, by chance in 4 MB",
      .step = TO_CHANCE "red.global.add.u32 [l1], s;", .unroll = 4, .threads = 256, .blocks = 4,
      .iterations = 8, .chains = 1, .amount = 32000, .span = MIB(4) },

    /* products of matrices */
    { LATENCY("tensor", "tensor_latency", 'f', 64, MMA("m16n8k16", "f32.f16.f16.f32", A4, B2),
              "mma.sync.m16n8k16 of f16"), .sm = 80, .version = 70 },
    { MATRIX("mma_f16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2048, 'f',
             MMA("m16n8k16", "f32.f16.f16.f32", A4, B2)), .sm = 80, .version = 70 },
    { MATRIX("mma_f16_k8", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 1024, 'f',
             MMA("m16n8k8", "f32.f16.f16.f32", A2, B1)), .sm = 75, .version = 65 },
    { MATRIX("mma_bf16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2048, 'f',
             MMA("m16n8k16", "f32.bf16.bf16.f32", A4, B2)), .sm = 80, .version = 70 },
    { MATRIX("mma_tf32_k8", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 1024, 'f',
             MMA("m16n8k8", "f32.tf32.tf32.f32", A4, B2)), .sm = 80, .version = 70 },
    { MATRIX("mma_f8_k32", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4096, 'f',
             "mov.b32 r12, f#; " MMA("m16n8k32", "f32.e4m3.e4m3.f32", A4, B2)), .sm = 89, .version = 84 },
    { MATRIX("mma_s8_k32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4096, 'r',
             "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {r#,r1#,r2#,r3#}, {s,s,s,s}, {s,s}, "
             "{r#,r1#,r2#,r3#};"), .sm = 80, .version = 70 },
    { MATRIX("mma_f64_k4", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 256, 'd',
             "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d#,d4}, {ds}, {ds}, {d#,d4};"), .sm = 80, .version = 70 },

    /* tiles, by cp.async and bulk copies */
    { TILE("tile_l2_small", 4, SMALL_TILE, "cp.async of 512 bytes from 4 MB, and the wait for it") },
    { TILE("tile_l2_large", 4, LARGE_TILE, "cp.async of 4 kB from 4 MB, and the wait for it") },
    { TILE("tile_memory_small", 512, SMALL_TILE, "cp.async of 512 bytes that no cache holds, and the wait for it") },
    { TILE("tile_memory_large", 512, LARGE_TILE, "cp.async of 4 kB that no cache holds, and the wait for it") },
    { BULKS("bulk_l2_small", 4, "512", "cp.async.bulk of 512 bytes from 4 MB, and the wait at its mbarrier") },
    { BULKS("bulk_l2_large", 4, "16384", "cp.async.bulk of 16 kB from 4 MB, and the wait at its mbarrier") },
    { .key = "mbarrier", .unit = "clk", .form = FORM_CLOCKS, .sink = 'r', .sm = 90, .version = 80,
      .how = "one thread arrives at an mbarrier and waits for its phase", .setup = BULK_START,
      .step = "mbarrier.arrive.shared.b64 _, [r10]; " WAIT_PHASE, .unroll = 1, .threads = 1,
      .iterations = 256, .chains = 1, .amount = 1 },

    /* what spilled registers take */
    { .key = "spill", .unit = "clk", .form = FORM_CLOCKS, .sink = 'r', .threads = 512, .blocks = 1,
      .how = "16 warps an SM, a store to local memory and a load of it, of each",
      .setup = "mov.u64 l1, stack; add.s64 l2, l1, ls;",
      .step = "st.local.u32 [l1+0x#0], r#; ld.local.u32 r#, [l2+0x#0]; add.s64 l1, l1, ls;",
      .unroll = 16, .iterations = 32, .chains = 8, .amount = 16 },
};

const size_t ptx_probe_count = sizeof ptx_probes / sizeof *ptx_probes;
