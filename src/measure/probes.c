#include "measure/probe.h"

#define MIB(n) ((uint64_t)(n) << 20)

/* ---- steps that several share ---------------------------------------------------------------- */

/* l0: bytes from data. Threads have bytes of their own, and go on by those of all. */
#define WALK(bytes)                                                                                \
    "mov.u32 r8, %ntid.x; mad.lo.u32 r9, cta, r8, tid; mul.wide.u32 l0, r9, " bytes ";"
/* The same of a block: it begins at a place of its own, and goes on by 512 threads. */
#define WALK_OWN(bytes) \
    "mul.lo.u32 r8, cta, 32436224; mad.lo.u32 r8, tid, " bytes ", r8; cvt.u64.u32 l0, r8;"
#define AT_L1 "and.b64 l1, l0, mask; add.s64 l1, l1, data; "
#define GO_ON " add.s64 l0, l0, step;"
#define LOAD_16                                                                                    \
    AT_L1 "ld.global.cg.v4.u32 {r10,r11,r12,r13}, [l1]; add.u32 r#, r#, r10; " \
          "add.u32 r#, r#, r11; add.u32 r#, r#, r12; add.u32 r#, r#, r13;"
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

/* Where conversions come before a product they are not to be taken out of the loop. */
#define NEW_FACTORS                                                                                \
    "add.u32 r8, r8, s; add.u32 r9, r9, s; add.u32 r10, r10, s; add.u32 r11, r11, s; "             \
    "add.u32 r12, r12, s; add.u32 r13, r13, s; "

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

#define MATRIX(name, op, fmas, registers, text)                                                    \
    .key = name, .unit = "FMA/clk/SM", .opcode = op, .form = FORM_PER_CLOCK, .step = text,         \
    .how = "16 warps an SM, four independent " op, .sink = registers, .unroll = 32,                \
    .threads = 512,                                                                                \
    .blocks = 1, .iterations = 32, .chains = 4, .amount = (fmas) / 32.0

/* The same for memory of an SM: four loads a step. */
#define READS(name, op, bytes, start, text)                                                        \
    .key = name, .unit = "B/clk/SM", .opcode = op, .form = FORM_PER_CLOCK, .step = text,           \
    .how = "1024 threads an SM, each its own words, " op, .sink = 'r', .setup = start,             \
    .unroll = 16, .threads = 1024, .blocks = 1, .iterations = 32, .chains = 4, .amount = 4 * (bytes)

#define BARRIER(name, count)                                                                       \
    .key = name, .unit = "clk", .form = FORM_CLOCKS, .step = "bar.sync 0;", .sink = 'r',           \
    .how = "a block of " #count " threads that reach bar.sync at once", .unroll = 32,            \
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
    .key = name, .unit = "clk", .how = "dependent loads of a thread, by chance in " words,         \
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
#include "measure/probes.def"
};

const size_t ptx_probe_count = sizeof ptx_probes / sizeof *ptx_probes;
