/* driver.c -- stands for libcuda.so.1 in the tests of gpu measure: a GPU of 4 SMs at 1500 MHz whose
 * kernels take planted times. The environment variable STUB says what is wrong with it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
#define DRIVER_FUNCTION(name, ...) \
    API int name(__VA_ARGS__);     \
    API int name(__VA_ARGS__)

enum { FAILED = 700, OUT = 0x1000000, DATA = 0x40000000, TIMES_AT = 131072, MHZ = 1500 };

typedef struct StubKernel {
    const char *name;
    double clocks;              /* of an iteration */
} StubKernel;

/* By the kernel's name; others take 1000 clocks an iteration. */
static const StubKernel planted[] = {
    { "arithmetic", 4 * 128 },  { "function", 20 * 64 },   { "barrier_1", 16 * 32 },
    { "barrier_32", 78 * 32 },  { "rate_fp32", 64 * 8 },   { "rate_fp64", 64 * 4 },
    { "div_u32", 130 * 8 },     { "shared", 23 * 64 },     { "chase_l1", 32 * 16 },
    { "chase_l2", 250 * 16 },   { "chase_memory", 600 * 16 },
};

static const char *loaded;      /* the kernel's name */
static double last_clocks, elapsed_ns, begun_ns;

static bool has_fault(const char *what)
{
    const char *fault = getenv("STUB");
    return fault && !strcmp(fault, what);
}

/* The call fails, where STUB is its name. */
#define FAIL_IF_ASKED() \
    if (has_fault(__func__)) return FAILED

static double clocks_of(const char *name)
{
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
        if (!strcmp(name, planted[i].name))
            return planted[i].clocks;
    return 1000;
}

DRIVER_FUNCTION(cuInit, unsigned flags)
{
    (void)flags;
    FAIL_IF_ASKED();
    if (has_fault("dies at start"))
        abort();
    return 0;
}

DRIVER_FUNCTION(cuDriverGetVersion, int *version)
{
    *version = 12040;
    FAIL_IF_ASKED();
    return 0;
}

DRIVER_FUNCTION(cuDeviceGetCount, int *count)
{
    FAIL_IF_ASKED();
    *count = !has_fault("no GPU");
    return 0;
}

DRIVER_FUNCTION(cuDeviceGet, int *device, int ordinal)
{
    FAIL_IF_ASKED();
    *device = 7;
    return ordinal;
}

DRIVER_FUNCTION(cuDeviceGetName, char *name, int room, int device)
{
    FAIL_IF_ASKED();
    memset(name, 'x', (size_t)room);
    if (!has_fault("long name"))
        snprintf(name, (size_t)room, "Stub \"GPU\" \\ 1");
    return device != 7;
}

DRIVER_FUNCTION(cuDeviceGetAttribute, int *value, int attribute, int device)
{
    FAIL_IF_ASKED();
    switch (attribute) {
    case 13: *value = 1600000; break;
    case 16: *value = has_fault("an H200") ? 132 : 4; break;
    case 36: *value = 3201000; break;
    case 37: *value = 6144; break;
    case 38: *value = has_fault("an H200") ? 62914560 : 3 << 20; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: return 1;
    }
    if (has_fault("an old GPU") && attribute == 75)
        *value = 6;
    if (has_fault("a new GPU") && attribute == 75)
        *value = 42;
    if (has_fault("mad attributes"))
        *value = -2147483647;
    return device != 7;
}

DRIVER_FUNCTION(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    FAIL_IF_ASKED();
    *bytes = (size_t)143771 << 20;
    return device != 7;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRetain, void **context, int device)
{
    FAIL_IF_ASKED();
    *context = &last_clocks;
    return device != 7;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRelease_v2, int device) { return device != 7; }

DRIVER_FUNCTION(cuCtxSetCurrent, void *context)
{
    FAIL_IF_ASKED();
    return context != &last_clocks;
}

DRIVER_FUNCTION(cuCtxSynchronize, void)
{
    return has_fault("breaks") && loaded && !strcmp(loaded, "fp64") ? FAILED : 0;
}

DRIVER_FUNCTION(cuMemGetInfo_v2, size_t *available, size_t *total)
{
    FAIL_IF_ASKED();
    *available = (size_t)(has_fault("full") ? 40 : 50) << 20;
    *total = (size_t)1 << 30;
    return 0;
}

DRIVER_FUNCTION(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
    FAIL_IF_ASKED();
    *address = bytes <= 1 << 20 ? OUT : DATA;
    return 0;
}

DRIVER_FUNCTION(cuMemFree_v2, uint64_t address) { return address != OUT && address != DATA; }

DRIVER_FUNCTION(cuMemcpyHtoD_v2, uint64_t to, const void *from, size_t bytes)
{
    FAIL_IF_ASKED();
    (void)from;
    return to != DATA || bytes > (size_t)16 << 20;
}

static uint64_t planted_word(uint64_t at, size_t i)
{
    if (has_fault("garbage"))
        return (uint64_t)0x9e3779b97f4a7c15 * (i + 1);
    if (at != OUT)
        return 200 + i % 4 * 20;        /* single loads */
    return (uint64_t)(i % 2 ? last_clocks * 1e3 / MHZ : last_clocks);
}

DRIVER_FUNCTION(cuMemcpyDtoH_v2, void *to, uint64_t from, size_t bytes)
{
    FAIL_IF_ASKED();
    for (size_t i = 0; i < bytes / 8; i++)
        ((uint64_t *)to)[i] = planted_word(from, i);
    return from != OUT && from != OUT + TIMES_AT;
}

DRIVER_FUNCTION(cuMemsetD32_v2, uint64_t address, unsigned value, size_t count)
{
    FAIL_IF_ASKED();
    (void)count;
    return address < OUT || value;
}

DRIVER_FUNCTION(cuModuleLoadData, void **module, const void *text)
{
    FAIL_IF_ASKED();
    static char name[64];
    const char *entry = strstr(text, ".entry ");
    if (!entry || sscanf(entry, ".entry %63[a-z0-9_]", name) != 1)
        return 218;
    *module = name;
    return has_fault("no bf16") && strstr(text, "bf16") ? 218 : 0;
}

DRIVER_FUNCTION(cuModuleGetFunction, void **function, void *module, const char *name)
{
    FAIL_IF_ASKED();
    *function = module;
    loaded = module;
    return strcmp(module, name) != 0;
}

DRIVER_FUNCTION(cuModuleUnload, void *module) { return module != loaded; }

DRIVER_FUNCTION(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                void **extra)
{
    FAIL_IF_ASKED();
    const double count = *(const unsigned *)params[2];
    last_clocks = has_fault("no time") ? 0 : 700 + count * clocks_of(function);
    elapsed_ns += last_clocks * 1e3 / MHZ + gx * 0.5;
    if (has_fault("dies") && !strcmp(function, "fp64"))
        abort();
    (void)shared, (void)stream;
    return !bx || gy * gz * by * bz != 1 || extra != NULL;
}

DRIVER_FUNCTION(cuEventCreate, void **event, unsigned flags)
{
    static char events[2];
    static int count;
    FAIL_IF_ASKED();
    *event = &events[count++ % 2];
    return (int)flags;
}

DRIVER_FUNCTION(cuEventRecord, void *event, void *stream)
{
    static void *first;
    FAIL_IF_ASKED();
    first = first ? first : event;
    if (event == first)
        begun_ns = elapsed_ns;
    return stream != NULL;
}

DRIVER_FUNCTION(cuEventSynchronize, void *event)
{
    FAIL_IF_ASKED();
    while (has_fault("hangs") && !strcmp(loaded, "fp64"))
        pause();
    return event == NULL;
}

DRIVER_FUNCTION(cuEventElapsedTime, float *ms, void *begin, void *end)
{
    FAIL_IF_ASKED();
    *ms = (float)((elapsed_ns - begun_ns) / 1e6);
    return begin == end;
}

DRIVER_FUNCTION(cuEventDestroy_v2, void *event) { return event == NULL; }

#ifndef WITHOUT_ERROR_TEXT
DRIVER_FUNCTION(cuGetErrorString, int error, const char **text)
{
    *text = error == FAILED ? "a planted error" : NULL;
    return *text == NULL;
}
#endif
