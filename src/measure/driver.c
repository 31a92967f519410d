#include "measure/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Where containers and Windows put it, beside where the loader looks. */
static const char *const driver_paths[] = { "libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                            "/usr/lib/wsl/lib/libcuda.so.1" };

/* dlsym gives an object's address; POSIX says that a function's fits. */
static bool bind_symbol(void *library, const char *symbol, void *out)
{
    void *found = dlsym(library, symbol);
    memcpy(out, &found, sizeof found);
    return found;
}

static const char *bind_functions(CudaDriver *driver)
{
#define DF(member, symbol, ...)                                     \
    if (!bind_symbol(driver->library, symbol, &driver->member))   \
        return symbol;
#include "measure/driver.def"
#undef DF
    return NULL;
}

bool ptx_driver_open(CudaDriver *driver, char why[DRIVER_WHY_BYTES])
{
    *driver = (CudaDriver){ 0 };
    for (size_t i = 0; !driver->library && i < sizeof driver_paths / sizeof *driver_paths; i++)
        driver->library = dlopen(driver_paths[i], RTLD_NOW | RTLD_LOCAL);
    if (!driver->library) {
        snprintf(why, DRIVER_WHY_BYTES, "there is no NVIDIA driver: libcuda.so.1 is not found");
        return false;
    }
    const char *missing = bind_functions(driver);
    if (!missing)
        return true;
    snprintf(why, DRIVER_WHY_BYTES, "the driver is too old: its libcuda.so.1 has no %s", missing);
    ptx_driver_close(driver);
    return false;
}

void ptx_driver_close(CudaDriver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    driver->library = NULL;
}

void ptx_driver_error(const CudaDriver *driver, const char *what, int result,
                      char why[DRIVER_WHY_BYTES])
{
    const char *words = NULL;
    if (driver->error_text(result, &words) || !words)
        words = "an error without a text";
    snprintf(why, DRIVER_WHY_BYTES, "%s: %.120s (%d)", what, words, result);
}
