/* driver.c -- stands for libcuda.so.1 in the test of the recorder: two kernels, one allocation. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { FAILED = 1, ALLOCATED = 0x100000, ALLOCATED_BYTES = 0x4000 };

typedef struct Shape {
    unsigned grid[3], block[3], shared;
    void *stream;
    void *attributes;
    unsigned attribute_count;
} Shape;

API int cuFuncGetName(const char **name, void *function);
API int cuFuncGetName(const char **name, void *function)
{
    static const char *const names[] = { "saxpy", "_Z4\"odd" };
    *name = names[(uintptr_t)function == 2];
    return (uintptr_t)function > 2 ? FAILED : 0;
}

/* saxpy(int n, float a, float *x, struct of 12 bytes) */
API int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size);
API int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size)
{
    static const size_t offsets[] = { 0, 4, 8, 16 }, sizes[] = { 4, 4, 8, 12 };
    if ((uintptr_t)function != 1 || index >= 4)
        return FAILED;
    *offset = offsets[index];
    *size = sizes[index];
    return 0;
}

API int cuPointerGetAttribute(void *out, int attribute, uint64_t address);
API int cuPointerGetAttribute(void *out, int attribute, uint64_t address)
{
    uint64_t value = attribute == 11 ? ALLOCATED : ALLOCATED_BYTES;
    if (address < ALLOCATED || address >= ALLOCATED + ALLOCATED_BYTES)
        return FAILED;
    memcpy(out, &value, sizeof value);
    return 0;
}

/* Shows that the real ones are reached, with what the program gave. */
API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                       void **extra);
API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                       void **extra)
{
    (void)stream, (void)params, (void)extra;
    printf("launch %d %u %u %u %u %u %u %u\n", (int)(uintptr_t)function, gx, gy, gz, bx, by, bz,
           shared);
    return 0;
}

/* For a stream of each thread. */
API int cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                            void **extra);
API int cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                            void **extra)
{
    (void)stream, (void)params, (void)extra;
    printf("launch ptsz %d %u %u %u %u %u %u %u\n", (int)(uintptr_t)function, gx, gy, gz, bx, by,
           bz, shared);
    return 0;
}

API int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void *stream, void **params);
API int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                  unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                  void *stream, void **params)
{
    (void)stream, (void)params;
    printf("launch together %d %u %u %u %u %u %u %u\n", (int)(uintptr_t)function, gx, gy, gz, bx,
           by, bz, shared);
    return 0;
}

API int cuLaunchKernelEx(const Shape *shape, void *function, void **params, void **extra);
API int cuLaunchKernelEx(const Shape *shape, void *function, void **params, void **extra)
{
    (void)params, (void)extra;
    printf("launch ex %d %u %u\n", (int)(uintptr_t)function, shape->grid[0], shape->block[0]);
    return 0;
}

API int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                            void *status);
API int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                            void *status)
{
    enum { PER_THREAD_STREAM = 2 };
    (void)version, (void)status;
    *out = NULL;
    if (!strcmp(symbol, "cuLaunchKernel"))
        *out = flags & PER_THREAD_STREAM ? (void *)(uintptr_t)cuLaunchKernel_ptsz
                                         : (void *)(uintptr_t)cuLaunchKernel;
    if (!strcmp(symbol, "cuLaunchCooperativeKernel"))
        *out = (void *)(uintptr_t)cuLaunchCooperativeKernel;
    if (!strcmp(symbol, "cuFuncGetName"))
        *out = (void *)(uintptr_t)cuFuncGetName;
    if (!strcmp(symbol, "cuLaunchKernelEx"))
        *out = (void *)(uintptr_t)cuLaunchKernelEx;
    if (!strcmp(symbol, "cuGetProcAddress"))
        *out = (void *)(uintptr_t)cuGetProcAddress_v2;
    return *out ? 0 : FAILED;
}

/* As drivers before 12.0 have it. */
API int cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags);
API int cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(symbol, out, version, flags, NULL);
}
