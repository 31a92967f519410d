/* driver.h -- the CUDA driver, opened at run time: types and functions of libcuda as its ABI has
 * them. Nothing of it is linked or included.
 *
 * Names without their version suffix mean the symbol that driver.def gives. */
#ifndef PTX_MEASURE_DRIVER_H
#define PTX_MEASURE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t DeviceAddress;

/* CUdevice_attribute */
enum {
    ATTRIBUTE_CLOCK_KHZ = 13,
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_MEMORY_KHZ = 36,
    ATTRIBUTE_BUS_BITS = 37,
    ATTRIBUTE_L2_BYTES = 38,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76
};

typedef struct CudaDriver {
    void *library;
#define DF(member, symbol, ...) int (*member)(__VA_ARGS__);
#include "measure/driver.def"
#undef DF
} CudaDriver;

enum { DRIVER_WHY_BYTES = 200 };

/* False: *why says what is missing, a clause without a full stop. */
bool ptx_driver_open(CudaDriver *driver, char why[DRIVER_WHY_BYTES]);
void ptx_driver_close(CudaDriver *driver);

/* "what: the driver's words (N)" into why. */
void ptx_driver_error(const CudaDriver *driver, const char *what, int result,
                      char why[DRIVER_WHY_BYTES]);

#endif
