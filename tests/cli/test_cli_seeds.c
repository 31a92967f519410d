/* The figures of the papers that the program goes back to, asked for on the command line. */
#include "program.h"

static int setup(void **state)
{
    static const char *const folders[] = { NULL };
    (void)state;
    return enter_folder(folders, NULL, 0);
}

static int teardown(void **state)
{
    (void)state;
    return leave_folder();
}

#define OCCUPANCY "$PTXLINT occupancy --gpu "

/* Ryoo et al. 2008, sections 4.1 to 4.4; Torres et al.; Micikevicius 2012, CS1 and CS8. */
static const Case occupancy_cases[] = {
    { OCCUPANCY "g80 --registers 10 --block 256 --shared 2048", 0,
      "3 blocks = 24 warps = 768 threads an SM: 100.0 %, limited by warps, registers", "", NULL },
    { OCCUPANCY "g80 --registers 10 --block 16,16", 0,
      "at 11 registers: 2 blocks, 66.7 %, limited by registers", "", NULL },
    { OCCUPANCY "g80 --registers 11 --block 256", 0,
      "at 10 registers: 3 blocks, 100.0 %", "", NULL },
    { OCCUPANCY "g80 --block 4,4", 0,
      "8 blocks = 8 warps = 128 threads an SM: 33.3 %, limited by blocks", "", NULL },
    { OCCUPANCY "g80 --block 8,8", 0,
      "8 blocks = 16 warps = 512 threads an SM: 66.7 %", "", NULL },
    { OCCUPANCY "g80 --block 12,12", 0,
      "4 blocks = 20 warps = 576 threads an SM: 83.3 %", "", NULL },
    { OCCUPANCY "g80 --registers 12,16,20 --block 128 --csv", 0,
      "g80,128,16,0,4,16,512,66.6667,registers", "", NULL },
    { OCCUPANCY "c2050:shared=16k --block 256 --shared 8k", 0,
      "2 blocks = 16 warps = 512 threads an SM: 33.3 %, limited by shared", "", NULL },
    { OCCUPANCY "c205:shared=16k --block 256", 2, "", "did you mean c2050?", NULL },
    { OCCUPANCY "c2050:shared=64k --block 256", 2, "",
      "--gpu: shared=64k: of an SM of sm_20 shared memory can have 16k, 48k", NULL },
    { OCCUPANCY "c2050 --csv", 0, "c2050,96,,0,8,24,768,50,blocks", "", NULL },
    { OCCUPANCY "c2050 --block 1024", 0,
      "1 block = 32 warps = 1024 threads an SM: 66.7 %", "", NULL },
    { OCCUPANCY "c2050 --registers 63 --block 64 --shared 7680", 0,
      "6 blocks = 12 warps = 384 threads an SM: 25.0 %, limited by shared", "", NULL },
    { OCCUPANCY "c2050 --registers 63 --block 64 --shared 3072", 0,
      "8 blocks = 16 warps = 512 threads an SM: 33.3 %, limited by registers, blocks", "", NULL },
    { OCCUPANCY "sm_35 --registers 96 --block 32-128 --csv", 0,
      "sm_35,128,96,0,5,20,640,31.25,registers", "", NULL },
    { OCCUPANCY "g80 --registers 9-11 --block 256 --block 128 --csv", 0,
      "g80,128,11,0,5,20,640,83.3333,registers", "", NULL },
    { OCCUPANCY "g80 --block 256,513,1", 2,
      "",
      "131328 threads; the most is 512; X,Y,Z is one block, and --block may be repeated", NULL },
    { OCCUPANCY "g80 --block 512-544 --csv", 0,
      "g80,544,,0,0,0,0,0,,0,,,8,,0,0,0,0,\"the block has more threads", "", NULL },
    { OCCUPANCY "g80 --registers 125 --block 64", 2,
      "", "g80: 125 registers a thread; the most is 124", NULL },
    { OCCUPANCY "h200 --registers 255 --block 1024", 2,
      "", "h200: the block needs more registers than the GPU has for one", NULL },
    { OCCUPANCY "h200 --block 64 --shared 228k", 2,
      "", "h200: 233472 bytes of shared memory a block; the most is 232448", NULL },
    { OCCUPANCY "h200 --block 0", 2,
      "", "--block: '0' is not a block, as 256, 16,16 or 32-512", NULL },
    { OCCUPANCY "h200 --block 2147483647,2147483647,2147483647", 2,
      "", "--block: '2147483647,", NULL },
    { OCCUPANCY "h200 --block 16,16-32", 2, "", "--block: '16,16-32' is not a block", NULL },
    { OCCUPANCY "h200 --block 1,1,1,1", 2, "", "--block: '1,1,1,1' is not a block", NULL },
    { OCCUPANCY "h200 --registers 9,", 2,
      "", "--registers: '9,' is not a number of registers", NULL },
    { OCCUPANCY "h200 --registers 16-8", 2, "", "--registers: '16-8' is not", NULL },
    { OCCUPANCY "h200 --registers 1-999999999999", 2,
      "", "more than 4096 values are given", NULL },
    { OCCUPANCY "h200 --registers 1-255 --shared 0,1,2", 2,
      "", "the values make more than 4096 combinations", NULL },
    { OCCUPANCY "h200 --shared 48kb", 2,
      "", "--shared: '48kb' is not a number of bytes, as 2048, 48k or 0,8k,16k", NULL },
    { "$PTXLINT occupancy --block 64", 2,
      "", "no GPU is given: --gpu NAME; `ptxlint gpu` lists them", NULL },
    { OCCUPANCY "h200 a.ptx", 2,
      "", "occupancy takes numbers, no PATH; `ptxlint report` has that of kernels", NULL },
};

static void test_occupancy(void **state)
{
    (void)state;
    check_cases(occupancy_cases, sizeof occupancy_cases / sizeof *occupancy_cases);
}

#define LEGACY PTXLINT_SOURCE_ROOT "/testdata/ptx/legacy/"
#define MATMUL LEGACY "ryoo_matmul_"
#define ON_G80 " --no-config --gpu g80 --block 16,16 "
#define SPACE "$PTXLINT optspace" ON_G80 "--grid 256,256 --param 3=4096 "

/* Ryoo et al., PPoPP 2008: per loop the 43.2 GFLOPS and 172.8 GB/s of section 4.1, the 93.72 and
 * 23.43 of 16 in 59 instructions; CGO 2008: 769 regions, a utilization of 227 with two blocks. */
static const Case report_cases[] = {
    { "$PTXLINT report --details" ON_G80 MATMUL "naive.ptx", 0,
      "potential 43.20 GFLOPS, demand 172.80 of 86.4 GB/s, roofline 21.60\n", "", "fp64 fma" },
    { "$PTXLINT report --kernel '*'" ON_G80 MATMUL "unrolled.ptx", 0,
      "potential 93.72 GFLOPS, demand 23.43 of 86.4 GB/s, roofline 345.60\n", "", "fp16" },
    { "$PTXLINT report --details --no-config --gpu h200 " MATMUL "unrolled.ptx", 0, "fp64 fma", "",
      NULL },
    { SPACE MATMUL "*.ptx", 0, "* 3.94e-12    384.0    15143     769  100 %", "", NULL },
    { SPACE MATMUL "*.ptx", 0, "  3.94e-12    226.2    15145     770 66.7 %", "", NULL },
    { SPACE MATMUL "*.ptx", 0, "worth a measurement: 2 of 4", "", "not known" },
    { SPACE "--format csv " MATMUL "naive.ptx", 0,
      ",32797,4097,16777216,3,1.8173", "", NULL },
    { SPACE "--format json " MATMUL "naive.ptx", 0, "\"metrics_why\": null", "", NULL },
    { "$PTXLINT optspace" ON_G80 "--grid 256,256 " MATMUL "naive.ptx", 0,
      "known; give --param or --trip\n", "",
      "worth a measurement" },
    { "$PTXLINT optspace" ON_G80 MATMUL "naive.ptx", 2, "", "its grid is not given", NULL },
    { "$PTXLINT optspace", 2, "", "no PATH given", NULL },
    { "$PTXLINT tune --no-config --gpu g80 --grid 64 --block 999 " MATMUL "naive.ptx", 0,
      "or none: 512 at the most\n", "", NULL },
    { "$PTXLINT recognize --no-config " PTXLINT_SOURCE_ROOT "/testdata/fission", 0,
      "      registers limit occupancy: give each part a kernel of its own", "", NULL },
    { "$PTXLINT recognize --no-config --kernel moments --gpu h200 --grid 64 " PTXLINT_SOURCE_ROOT
      "/testdata/fission", 0, "no split is advised: the grid has no more warps for an SM\n", "",
      "registers limit" },
    { "$PTXLINT report --details" ON_G80 MATMUL "naive.ptx", 0,
      "  computes     grid: array assignment of __cudaparm_matmul_naive_c[] (line 88)\n"
      "               loop at line 72: scalar reduction, add, of %f1 (line 74); 3\n"
      "               linear inductions\n", "", NULL },
    { "$PTXLINT report" ON_G80 MATMUL "naive.ptx", 0, "work  ", "", "computes" },
    { "$PTXLINT report --format json --details" ON_G80 MATMUL "naive.ptx", 0,
      "\"class\":\"scalar reduction\"", "", NULL },
    { "$PTXLINT report --format json" ON_G80 MATMUL "naive.ptx", 0, "\"loops\"", "",
      "recognized" },
    { "$PTXLINT recognize --no-config --kernel moments --block 32 " PTXLINT_SOURCE_ROOT
      "/testdata/fission", 0, "    together: 7", "", NULL },
};

static void test_reports(void **state)
{
    (void)state;
    check_cases(report_cases, sizeof report_cases / sizeof *report_cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_occupancy),
                                        cmocka_unit_test(test_reports) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
