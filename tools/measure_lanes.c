/* measure_lanes.c -- asks a GPU what instructions give, and holds tests/unit/oracle_rows.h to it.
 *
 *     cc -O1 -frounding-math -I tests/unit tools/measure_lanes.c -ldl -lm -o measure_lanes &&
 *     ./measure_lanes [sm_90a]
 *
 * A row that the GPU lacks is skipped. Exit: 0 all the same, 1 some differ, 2 no GPU. */
#define _GNU_SOURCE
#include "oracle_rows.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { SETS = 8192, THREADS = 128, MAX_TEXT = 4096, SHOWN = 3 };

typedef int driver_fn();        /* of libcuda, whose arguments are its own */

static const char *const names[] = { "cuInit",           "cuDeviceGet",         "cuCtxCreate_v2",
                                     "cuModuleLoadData", "cuModuleGetFunction", "cuMemAlloc_v2",
                                     "cuMemcpyHtoD_v2",  "cuMemcpyDtoH_v2",     "cuLaunchKernel",
                                     "cuModuleUnload",   "cuCtxSynchronize" };
enum {
    INIT,
    GET_DEVICE,
    NEW_CONTEXT,
    LOAD,
    FIND,
    ALLOCATE,
    TO_DEVICE,
    FROM_DEVICE,
    LAUNCH,
    UNLOAD,
    WAIT,
    FUNCTIONS
};
static driver_fn *cu[FUNCTIONS];

static uint64_t random_bits(void)
{
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* Any bits, floats near the borders of formats, small numbers and those with few ones. */
static uint64_t some_word(void)
{
    uint64_t r = random_bits(),
             float_bits = (r >> 20 & 1) << 31 | (103 + (r >> 24) % 48) << 23 | (r >> 40 & 15) << 19;
    switch (r % 5) {
    case 0:  return random_bits() & UINT32_MAX;
    case 1:  return float_bits;
    case 2:  return (r >> 8) % 70;
    case 3:  return (r >> 8 & 0x8003) | (r >> 24 & 0x8003) << 16;
    default:
        return r & 32 ? 0x7f800000 | (r & 64) << 25 | (r & 128) << 10 : (r >> 8 & 0xffff) * 0x10001;
    }
}

static uint64_t mask_of(char kind)
{
    return kind == 'd' ? UINT64_MAX : kind == 'r' ? UINT32_MAX : kind == 'h' ? 0xffff : 1;
}

static void write_kernel(char *text, const OracleOp *op, const char *target)
{
    char kinds[6] = { 0 };
    unsigned count = oracle_kinds(op, kinds), n = 0,
             used = (unsigned)sprintf(
                 text,
                 ".version 8.3\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 in, "
                 ".param .u64 out)\n{\n.reg .b32 %%r<8>;\n.reg .b64 %%d<20>;\n.reg .b16 %%h<8>;\n"
                 ".reg .pred %%p<8>;\n.reg .b32 %%x<4>;\nld.param.u64 %%d10, [in];\nld.param.u64 "
                 "%%d11, [out];\nmov.u32 %%x0, %%tid.x;\nmov.u32 %%x1, %%ctaid.x;\n"
                 "mad.lo.u32 %%x0, %%x1, %d, %%x0;\nmul.wide.u32 %%d12, %%x0, 32;\nadd.u64 %%d10, "
                 "%%d10, %%d12;\nmul.wide.u32 %%d12, %%x0, 8;\nadd.u64 %%d11, %%d11, %%d12;\n",
                 target, THREADS);
    for (unsigned i = 1; i < count; i++) {
        const char *into = kinds[i] == 'd'   ? "mov.b64 %%d%u, %%d13;\n"
                           : kinds[i] == 'r' ? "cvt.u32.u64 %%r%u, %%d13;\n"
                           : kinds[i] == 'h'
                               ? "cvt.u16.u64 %%h%u, %%d13;\n"
                               : "and.b64 %%d13, %%d13, 1;\nsetp.ne.u64 %%p%u, %%d13, 0;\n";
        used += (unsigned)sprintf(text + used, "ld.global.u64 %%d13, [%%d10+%u];\n", 8 * (i - 1));
        used += (unsigned)sprintf(text + used, into, i);
    }
    used += (unsigned)sprintf(text + used, "%s ", op->text);
    for (const char *at = op->registers; *at; at += oracle_part_length(at + 1) + 1, n++) {
        char part[8];
        bool has_minus = oracle_part(at + 1, part);
        used += (unsigned)sprintf(text + used, "%s%s%%%c%u%s", n ? ", " : "", has_minus ? "-" : "",
                                  *at, n, part);
    }
    sprintf(text + used, ";\n%s;\nst.global.u64 [%%d11], %%d14;\nret;\n}\n",
            kinds[0] == 'd'   ? "mov.b64 %d14, %d0"
            : kinds[0] == 'r' ? "cvt.u64.u32 %d14, %r0"
            : kinds[0] == 'h' ? "cvt.u64.u16 %d14, %h0"
                              : "selp.u64 %d14, 1, 0, %p0");
}

static bool is_nan_of(const char *text, char kind, uint64_t x)
{
    return (kind == 'r' && strstr(text, ".f32") && f32_of(x) != f32_of(x))
           || (kind == 'd' && strstr(text, ".f64") && f64_of(x) != f64_of(x));
}

static unsigned compare(unsigned row, uint64_t in[SETS][4], const uint64_t *got)
{
    char kinds[6] = { 0 };
    unsigned wrong = 0;
    oracle_kinds(&oracle_rows[row], kinds);
    for (unsigned s = 0; s < SETS; s++) {
        uint64_t x[4];
        for (unsigned i = 0; i < 4; i++)
            x[i] = in[s][i] & mask_of(kinds[i + 1] ? kinds[i + 1] : 'd');
        uint64_t want = oracle_value(row, x[0], x[1], x[2], x[3]) & mask_of(kinds[0]);
        bool is_same = got[s] == want
                       || (is_nan_of(oracle_rows[row].text, kinds[0], got[s])
                           && is_nan_of(oracle_rows[row].text, kinds[0], want));
        if (!is_same && wrong++ < SHOWN)
            printf("%s %s: %llx %llx %llx gives %llx, want %llx\n", oracle_rows[row].text,
                   oracle_rows[row].registers, (unsigned long long)x[0], (unsigned long long)x[1],
                   (unsigned long long)x[2], (unsigned long long)got[s], (unsigned long long)want);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static uint64_t in[SETS][4], got[SETS];
    static char text[MAX_TEXT];
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *kernel;
    unsigned long long inputs, outputs;
    int device, same = 0, different = 0, skipped = 0;
    for (int f = 0; library && f < FUNCTIONS; f++)
        *(void **)&cu[f] = dlsym(library, names[f]);
    if (!library || cu[INIT](0) || cu[GET_DEVICE](&device, 0)
        || cu[NEW_CONTEXT](&context, 0, device) || cu[ALLOCATE](&inputs, sizeof in)
        || cu[ALLOCATE](&outputs, sizeof got))
        return 2;
    for (unsigned s = 0; s < SETS; s++)
        for (unsigned i = 0; i < 4; i++)
            in[s][i] = some_word() | some_word() << 32;
    cu[TO_DEVICE](inputs, in, sizeof in);
    for (unsigned row = 0; row < ORACLE_ALONE_COUNT; row++) {
        void *args[] = { &inputs, &outputs };
        bool is_plain = !strpbrk(oracle_rows[row].registers, "{kl");
        if (is_plain)
            write_kernel(text, &oracle_rows[row], argc > 1 ? argv[1] : "sm_90a");
        if (!is_plain || cu[LOAD](&module, text) || cu[FIND](&kernel, module, "k")) {
            printf("skipped: %s\n", oracle_rows[row].text);
            skipped++;
            continue;
        }
        int failed = cu[LAUNCH](kernel, SETS / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL)
                     | cu[WAIT]();
        cu[FROM_DEVICE](got, outputs, sizeof got);
        unsigned wrong = failed ? SETS : compare(row, in, got);
        *(wrong ? &different : &same) += 1;
        if (wrong)
            printf("%s %s: %u of %d differ\n", oracle_rows[row].text, oracle_rows[row].registers,
                   wrong, SETS);
        cu[UNLOAD](module);
    }
    printf("%d rows the same, %d different, %d skipped\n", same, different, skipped);
    return different > 0;
}
