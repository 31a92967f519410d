/* launch.h -- what is known of how a kernel is launched, in the words that analyses need. */
#ifndef PTX_ANALYSIS_VALUE_LAUNCH_H
#define PTX_ANALYSIS_VALUE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

/* Where the indices lie that an array holds: indexed.h. */
typedef enum Locality {
    LOCALITY_UNKNOWN,
    LOCALITY_RANDOM,
    LOCALITY_LOCAL,
    LOCALITY_SORTED
} Locality;

typedef struct LaunchParam {
    /* little-endian, as the kernel's .param holds it; NULL: not known */
    const uint8_t *bytes;
    uint32_t length;
    bool is_pointer;            /* an unknown base, aligned to 256 bytes */
    uint8_t locality;           /* Locality, of the array that it points to */
    uint64_t allocated;         /* bytes from there to the end of its allocation; 0: not known */
} LaunchParam;

typedef struct LaunchTrip {     /* --trip LABEL=N or LINE=N */
    const char *name;
    uint32_t line;              /* that the name is; 0: it is a label */
    int64_t count;
} LaunchTrip;

typedef struct Launch {
    bool is_given;              /* a launch file, or a setting beyond trips, names the kernel */
    bool is_found;              /* given by what lies beside the file alone */
    uint32_t grid[3], block[3], cluster[3];     /* 0: not known */
    int64_t dynamic_shared_bytes;               /* -1: not known */
    /* width of a bank of shared memory, as the kernel was set to; 0: the GPU's default */
    uint8_t bank_bytes;
    /* by position; those beyond param_count are not known */
    const LaunchParam *params;
    uint32_t param_count;
    const LaunchTrip *trips;
    uint32_t trip_count;
    /* which of the launches that are known for the kernel, from 0, and how many there are */
    uint32_t number, count;
} Launch;

/* PTX ISA, "Special Registers": the most threads of a block in a dimension (0: x), and ... */
static inline uint32_t ptx_max_ntid(unsigned dimension)
{
    return dimension == 2 ? 64 : 1024;
}

/* ... the most blocks of a grid; before sm_30 by the CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". */
static inline uint32_t ptx_max_nctaid(uint32_t sm, unsigned dimension)
{
    return dimension || sm < 30 ? UINT16_MAX : INT32_MAX;
}

#endif
