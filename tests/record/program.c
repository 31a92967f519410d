/* program.c -- launches kernels as programs do: found by cuGetProcAddress, like the CUDA runtime,
 * and by dlsym, like Triton's launcher. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int Launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **params, void **extra);
typedef int LaunchEx(const void *config, void *function, void **params, void **extra);
typedef int Together(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                     unsigned by, unsigned bz, unsigned shared, void *stream, void **params);
typedef int OldGetAddress(const char *symbol, void **out, int version, uint64_t flags);
typedef int GetAddress(const char *symbol, void **out, int version, uint64_t flags, void *status);

typedef struct Attribute {
    int id;
    char padding[4];
    unsigned value[16];
} Attribute;

typedef struct Config {
    unsigned grid[3], block[3], shared;
    void *stream;
    const Attribute *attributes;
    unsigned attribute_count;
} Config;

static void *resolve(void *driver, const char *symbol)
{
    void *found = NULL, *get = NULL;
    GetAddress *first = (GetAddress *)(uintptr_t)dlsym(driver, "cuGetProcAddress_v2");
    if (first("cuGetProcAddress", &get, 12000, 0, NULL) != 0)
        return NULL;
    ((GetAddress *)(uintptr_t)get)(symbol, &found, 12000, 0, NULL);
    return found;
}

static void launch_plain(Launch *launch)
{
    int n = 1000;
    float a = 2;
    uint64_t x = 0x100000, inside = 0x100004;
    unsigned char by_value[12] = { 1, 2, 3 };
    void *params[] = { &n, &a, &x, by_value }, *unaligned[] = { &n, &a, &inside, by_value };
    for (int i = 0; i < 3; i++)
        launch((void *)1, 4, 1, 1, 256, 1, 1, 512, NULL, params, NULL);
    launch((void *)1, 4, 1, 1, 256, 1, 1, 512, NULL, unaligned, NULL);
}

/* The buffer of the other way to give parameters. */
static void launch_buffer(Launch *launch)
{
    unsigned char buffer[28] = { 8 };
    uint64_t x = 0x102000;
    size_t size = sizeof buffer;
    memcpy(buffer + 8, &x, sizeof x);
    void *extra[] = { (void *)1, buffer, (void *)2, &size, NULL };
    launch((void *)1, 1, 2, 1, 32, 1, 1, 0, NULL, NULL, extra);
}

static void launch_cluster(LaunchEx *launch)
{
    const Attribute attribute = { .id = 4, .value = { 2, 1, 1 } };
    const Config config = { { 8, 1, 1 }, { 64, 1, 1 }, 0, NULL, &attribute, 1 };
    launch(&config, (void *)2, NULL, NULL);
}

/* Found by a driver's older cuGetProcAddress, which gives the newer one. */
static void launch_found_otherwise(void *driver)
{
    enum { OLD = 11000, NEW = 12000, PER_THREAD_STREAM = 2 };
    void *together = NULL, *get = NULL, *launch = NULL, *other = NULL;
    OldGetAddress *old = (OldGetAddress *)(uintptr_t)dlsym(driver, "cuGetProcAddress");
    old("cuLaunchCooperativeKernel", &together, OLD, 0);
    ((Together *)(uintptr_t)together)((void *)2, 3, 1, 1, 96, 1, 1, 0, NULL, NULL);
    old("cuGetProcAddress", &get, NEW, 0);
    ((GetAddress *)(uintptr_t)get)("cuLaunchKernel", &launch, NEW, PER_THREAD_STREAM, NULL);
    ((Launch *)(uintptr_t)launch)((void *)2, 5, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    launch = dlsym(driver, "cuLaunchKernel_ptsz");
    ((Launch *)(uintptr_t)launch)((void *)2, 6, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    old("cuFuncGetName", &other, NEW, 0);
    if (other == dlsym(driver, "cuFuncGetName"))
        puts("cuFuncGetName is the driver's own");
    if (old("cuNothing", &other, NEW, 0) && !dlsym(driver, "cuLaunchNothing"))
        puts("cuNothing is none");
}

/* Without a name, a configuration or values: made all the same. */
static void launch_oddly(void *driver)
{
    const Attribute attribute = { .id = 1 };
    const Config config = { { 7, 1, 1 }, { 64, 1, 1 }, 0, NULL, &attribute, 1 };
    size_t size = 0;
    void *sizes_only[] = { (void *)2, &size, NULL };
    Launch *launch = (Launch *)(uintptr_t)dlsym(driver, "cuLaunchKernel");
    LaunchEx *launch_ex = (LaunchEx *)(uintptr_t)dlsym(driver, "cuLaunchKernelEx");
    launch((void *)3, 9, 9, 9, 1, 1, 1, 0, NULL, NULL, NULL);
    launch((void *)1, 2, 2, 2, 16, 2, 1, 0, NULL, NULL, sizes_only);
    launch_ex(&config, (void *)2, NULL, NULL);
    /* of the recorder alone: the driver has none to hand it on to */
    launch_ex = (LaunchEx *)(uintptr_t)dlsym(RTLD_DEFAULT, "cuLaunchKernelEx_ptsz");
    printf("error %d\n", launch_ex ? launch_ex(NULL, (void *)2, NULL, NULL) : 0);
}

int main(int argc, char **argv)
{
    void *driver = argc > 1 && !strcmp(argv[1], "none") ? NULL : dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 1 && !strcmp(argv[1], "other")) {
        launch_found_otherwise(driver);
        launch_oddly(driver);
        return 0;
    }
    Launch *launch = (Launch *)(uintptr_t)resolve(driver, "cuLaunchKernel");
    launch_plain(launch);
    launch_cluster((LaunchEx *)(uintptr_t)dlsym(driver, "cuLaunchKernelEx"));
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        launch_buffer(launch);
        exit(0);
    }
    waitpid(child, NULL, 0);
    return argc > 1 ? atoi(argv[1]) : 0;
}
