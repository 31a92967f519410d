/* test_cli_metadata.c -- launches found beside a PTX file, and tables of profilers. */
#include "program.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define BODY "{\n\tret;\n}\n"
#define PARAMS "(.param .u64 p_0, .param .u32 p_1, .param .u64 p_2, .param .u64 p_3)\n"
#define UNUSED                                                                                     \
    ".visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 4;\n\tret;\n}\n"
#define TRITON "cache/triton/0/ABC/"
#define NCU_HEAD                                                                                   \
    "==PROF== Connected\nloss \"0.1\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","

static const char inductor[] =
    "inductor_meta={'grid_type': 'Grid2D', 'kernel_name': 'poi'}\n"
    "def poi(in_ptr0, xnumel, ynumel, XBLOCK : tl.constexpr, YBLOCK : tl.constexpr):\n"
    "    xnumel = 1000\n    ynumel = 7\n    xoffset = tl.program_id(0) * XBLOCK\n";
static const char ttir[] = "#loc = loc(\"/home/me/.cache/inductor/ab/cabc.py\":18:0)\n"
                           "  tt.func public @poi(%in_ptr0: !tt.ptr<f32> loc(#loc), %xnumel: i32 "
                           "loc(#loc)) attributes {} {\n"
                           "    %yoffset = tt.get_program_id y : i32 loc(#loc1)\n"
                           "    %xoffset = tt.get_program_id x : i32 loc(#loc2)\n"
                           "    %xoffset_0 = arith.muli %xoffset, %c64_i32 : i32 loc(#loc2)\n";

static const File files[] = {
    /* PTX that a framework has left twice; what only a compiler could mend */
    { "dup/A/k.ptx", HEAD UNUSED },
    { "dup/A/k.json", "{\"name\": \"k\", \"num_warps\": 4, \"shared\": 0}" },
    { "dup/B/k.ptx", HEAD UNUSED },
    { "dup/B/k.json", "{\"name\": \"k\", \"num_warps\": 4, \"shared\": 0}" },
    { "dup/C/k.ptx", HEAD UNUSED },
    { "dup/C/k.json", "{\"name\": \"k\", \"num_warps\": 8, \"shared\": 0}" },
    /* tritonparse: a compilation, launches of it and of another, and what is no JSON */
    { "trace.ndjson",
      "{\"event_type\": \"compilation\", \"payload\": {\"metadata\": {\"hash\": \"h1\", "
      "\"name\": \"t\", \"num_warps\": 2, \"shared\": 512, \"global_scratch_size\": 0, "
      "\"target\": {\"arch\": 90}}, \"file_content\": {\"t.ttir\": \"module {}\", \"t.ptx\": "
      "\".version 8.0\\n.target sm_90\\n.address_size 64\\n.visible .entry t(.param .u64 a, .param "
      ".u32 n, .param .u64 g)\\n{\\nret;\\n}\\n\"}}}\n"
      "{\"event_type\": \"launch\", \"grid\": [3], \"compilation_metadata\": {\"hash\": \"h1\"}}\n"
      "{\"event_type\": \"launch\", \"grid\": [70, 2], \"compilation_metadata\": {\"hash\": "
      "\"h1\"}, \"extracted_args\": {\"a\": {\"type\": \"tensor\"}, \"n\": {\"value\": 99}}}\n"
      "{\"event_type\": \"launch\", \"grid\": [70, 2], \"compilation_metadata\": {\"hash\": "
      "\"h1\"}, \"extracted_args\": {\"a\": {\"type\": \"tensor\"}, \"n\": {\"value\": 99}}}\n"
      "{\"event_type\": \"launch\", \"grid\": [5], \"compilation_metadata\": {\"hash\": \"h2\"}}\n"
      "neither\n" },
    { "events.ndjson", "{\"event_type\": \"launch\", \"grid\": [5]}\n" },
    { "own.ptx", HEAD ".visible .entry own(.param .u64 p)\n" BODY },
    { "own.ptx.launch.json", "{\"kernels\": {\"own\": {\"grid\": [40], \"block\": [64]}}}" },
    { "stem.ptx", HEAD ".visible .entry stem(.param .u64 p)\n" BODY },
    { "stem.launch.json", "{\"kernels\": {\"stem\": {\"grid\": [41], \"block\": [64]}}}" },
    { "broken.ptx", HEAD ".visible .entry broken(.param .u64 p)\n" BODY },
    { "broken.launch.json", "{\"kernels\": {\"broken\": {\"gird\": [41]}}}" },
    { "given.json", "{\"kernels\": {\"own\": {\"grid\": [5]}}}" },
    { TRITON "poi.ptx",
      HEAD ".extern .shared .align 16 .b8 s[];\n.visible .entry poi" PARAMS BODY },
    { TRITON "poi.json",
      "{\"name\": \"poi\", \"num_warps\": 4, \"warp_size\": 32, \"num_ctas\": 1, "
      "\"shared\": 2048, \"global_scratch_size\": 0, \"profile_scratch_size\": 0}" },
    { TRITON "poi.ttir", ttir },
    { "cache/ab/cabc.py", inductor },
    /* numbers that no launch has */
    { "cache/triton/0/BAD/bad.ptx", HEAD ".visible .entry bad(.param .u64 p)\n" BODY },
    { "cache/triton/0/BAD/bad.json", "{\"name\": \"bad\", \"num_warps\": 4000, \"shared\": -7}" },
    { "xla/module_0001.jit_f.1.ptx", HEAD ".visible .entry fusion(.param .u64 p)\n" BODY
                                          ".visible .entry other(.param .u64 p)\n" BODY },
    { "xla/module_0001.jit_f.thunk_sequence.txt",
      "001: kCopy [source | sink] kCopy\n"
      "001: kCustomKernel [source | next=002 (1)] fusion grid: [2000, 3, 1] threads: [128, 1, 1]  "
      "shared_memory: 256 bytes\n" },
    { "gemm.ptx", HEAD ".visible .entry gemm(.param .u64 p)\n.reqntid 128\n" BODY
                       ".visible .entry _Z3fooPf(.param .u64 p)\n" BODY },
    { "raw.csv", NCU_HEAD "\"gpu__time_duration.sum\",\"launch__shared_mem_per_block_dynamic\"\n"
                          "\"\",\"\",\"\",\"\",\"ns\",\"byte/block\"\n"
                          "\"0\",\"gemm\",\"(256, 1, 1)\",\"(9, 1, 1)\",\"90,000\",\"0\"\n"
                          "\"1\",\"gemm\",\"(128, 1, 1)\",\"(32, 2, 1)\",\"100\",\"1,024\"\n"
                          "\"2\",\"gemm\",\"(128, 1, 1)\",\"(7, 1, 1)\",\"160\",\"1,024\"\n"
                          "\"3\",\"gemm\",\"(128, 1, 1)\",\"(32, 2, 1)\",\"100\",\"1,024\"\n"
                          "\"4\",\"foo(float *)\",\"(64, 1, 1)\",\"(11, 1, 1)\",\"5\",\"0\"\n" },
    { "details.csv",
      NCU_HEAD "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
               "\"0\",\"gemm\",\"(128, 1, 1)\",\"(32, 2, 1)\",\"S\",\"Duration\",\"us\",\"4.2\"\n"
               "\"0\",\"gemm\",\"(128, 1, 1)\",\"(32, 2, 1)\",\"S\",\"Dynamic Shared Memory Per "
               "Block\",\"byte/block\",\"1,024\"\n"
               /* rounded: no number of bytes */
               "\"1\",\"foo(float *)\",\"(64, 1, 1)\",\"(11, 1, 1)\",\"S\",\"Dynamic Shared Memory "
               "Per Block\",\"Kbyte/block\",\"16\"\n" },
    { "nsys.csv", "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Name\n"
                  "1,20,1,,,,,,,[CUDA memcpy HtoD]\n2,30,2,32,2,1,128,1,1,gemm\n"
                  "2,3,3,11,1,1,64,1,1,foo(float *)\n" },
    { "bare/module_0000.jit_g.thunk_sequence.txt", "001: kCopy [source | sink] kCopy\n" },
    { "empty.csv", NCU_HEAD "\"a\"\n" },
};

static int setup(void **state)
{
    static const char *const folders[] = { "cache",
                                           "cache/ab",
                                           "cache/triton",
                                           "cache/triton/0",
                                           "cache/triton/0/ABC",
                                           "cache/triton/0/BAD",
                                           "xla",
                                           "bare",
                                             "dup",
                                             "dup/A",
                                             "dup/B",
                                             "dup/C",
                                           NULL };
    (void)state;
    return enter_folder(folders, files, sizeof files / sizeof *files);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

#define REPORT "$PTXLINT report --no-config --details --gpu h200 "

static const Case cases[] = {
    { REPORT "own.ptx", 0, "grid 40 x 1 x 1, block 64 x 1 x 1 (from metadata)", "",
      NULL },
    { REPORT "stem.ptx", 0, "grid 41 x 1 x 1, block 64 x 1 x 1", "", NULL },
    { REPORT "--no-metadata own.ptx", 0, "grid unknown", "", "grid 40" },
    { REPORT "--no-metdata own.ptx", 2, "", "did you mean --no-metadata?", NULL },
    { REPORT "- <own.ptx", 0, "grid unknown", "", NULL },
    { REPORT "broken.ptx", 2, NULL,
      "ptxlint: broken.launch.json: kernel \"broken\": unknown key \"gird\"; did you mean "
      "\"grid\"?\n",
      NULL },
    { "$PTXLINT --no-config broken.ptx", 2, NULL, "broken.launch.json", NULL },
    { "$PTXLINT rank --no-config --gpu h200 broken.ptx own.ptx", 2, NULL, "broken.launch.json",
      NULL },
    /* what is asked for counts */
    { REPORT "--launch given.json own.ptx", 0, "grid 5 x 1 x 1", "", "block 64" },
    { REPORT "--grid 6 own.ptx", 0, "grid 6 x 1 x 1, block 64 x 1 x 1 (as given)", "", NULL },
    /* caches */
    { REPORT TRITON "poi.ptx", 0, "grid 16 x 7 x 1, block 128 x 1 x 1", "", NULL },
    { REPORT "--format json " TRITON "poi.ptx", 0,
      "\"dynamic_shared\":2048,\"source\":\"metadata\"", "", NULL },
    { "cd cache && " REPORT "triton/0/ABC/poi.ptx", 0, "grid 16 x 7 x 1", "", NULL },
    { "cd " TRITON " && " REPORT "poi.ptx", 0, "block 128 x 1 x 1", "", "grid 16" },
    { REPORT "cache/triton/0/BAD/bad.ptx", 0, "grid unknown", "", NULL },
    { REPORT "xla", 0, "grid 2000 x 3 x 1, block 128 x 1 x 1", "", NULL },
    { REPORT "--kernel other xla", 0, "grid unknown", "", NULL },
    { REPORT "bare", 2, "",
      "ptxlint: bare: is an XLA dump without PTX; add --xla_dump_emitter_re=.*", NULL },
    { REPORT "--format json xla", 0, "\"dynamic_shared\":256,", "", NULL },
    /* profilers: with .reqntid the longest launch with that block */
    { REPORT "--launch raw.csv gemm.ptx", 0, "grid 32 x 2 x 1, block 128 x 1 x 1 (as given)", "",
      "grid 9 " },
    { REPORT "--launch raw.csv gemm.ptx", 0, "launch 2 of 2\n  launch       grid 7 x 1 x 1", "",
      NULL },
    { REPORT "--launch raw.csv --kernel foo gemm.ptx", 0, "grid 11 x 1 x 1, block 64 x 1 x 1", "",
      NULL },
    { REPORT "--format json --launch raw.csv gemm.ptx", 0, "\"dynamic_shared\":1024", "", NULL },
    { REPORT "--launch details.csv gemm.ptx", 0, "grid 32 x 2 x 1, block 128 x 1 x 1", "", NULL },
    { REPORT "--format json --launch details.csv gemm.ptx", 0, "\"dynamic_shared\":1024", "",
      NULL },
    { REPORT "--format json --kernel foo --launch details.csv gemm.ptx", 0,
      "\"block\":[64,1,1],\"cluster\":[null,null,null],\"dynamic_shared\":null", "", NULL },
    { REPORT "--launch nsys.csv gemm.ptx", 0, "grid 32 x 2 x 1, block 128 x 1 x 1", "", NULL },
    { REPORT "--launch nsys.csv --kernel foo gemm.ptx", 0, "grid 11 x 1 x 1", "", NULL },
    { REPORT "trace.ndjson", 3,
      "kernel t (line 4), launch 1 of 2\n  launch       grid 70 x 2 x 1, block 64 x 1 x 1 (from "
      "metadata)\n",
      "this line is no JSON; the rest is read\n", NULL },
    { REPORT "trace.ndjson", 3, "launch 2 of 2\n  launch       grid 3 x 1 x 1", NULL, NULL },
    { REPORT "--format json trace.ndjson", 3, "\"dynamic_shared\":512,\"source\":\"metadata\"",
      NULL, NULL },
    { "$PTXLINT extract --list trace.ndjson", 3, "trace.ndjson!1.sm_90.ptx\n", NULL, NULL },
    { REPORT "events.ndjson", 3, "",
      "events.ndjson: is a trace of events without PTX; tritonparse keeps it of compilations\n",
      NULL },
    { REPORT "--csv dup | cut -d, -f1", 0, "file\ndup/A/k.ptx\ndup/C/k.ptx\n",
      "ptxlint: 1 file of a cache or dump left out: PTX and launches as in another\n", NULL },
    { "$PTXLINT --format oneline --all dup", 0, "", NULL, NULL },
    { "$PTXLINT --format oneline --all --no-metadata dup/A/k.ptx", 0, "HYG103", "", NULL },
    { "$PTXLINT --format oneline --all --preset perf dup/A/k.ptx", 0, "", "", NULL },
    { "$PTXLINT --format oneline --select HYG103 dup/A/k.ptx", 0, "HYG103", "", NULL },
    { REPORT "--launch raw.csv own.ptx", 0, NULL, "raw.csv: 4 of 4 kernels are in no input", NULL },
    { REPORT "--launch empty.csv gemm.ptx", 2, NULL,
      "empty.csv: no launch of a kernel in this table", NULL },
};

static void test_cases(void **state)
{
    (void)state;
    check_cases(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
