/* oracle.h -- random kernels, and a slow interpreter that runs every thread of them by itself: see
 * oracle.c. */
#ifndef PTX_TESTS_ORACLE_H
#define PTX_TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Text Text;

enum { ORACLE_LANES = 32, ORACLE_ACCESSES = 24, ORACLE_KEYS = 64, ORACLE_PARAMS = 4 };

typedef struct Figures {        /* of an access, over the launch */
    double requests, active, sectors, wavefronts;
} Figures;

/* What the launch does not say: the base of the pointer (a multiple of 256), numbers of parameters,
 * what memory holds. */
typedef struct Surroundings {
    uint64_t base, salt, params[ORACLE_PARAMS];
} Surroundings;

typedef struct OracleAccess {
    uint32_t line;
    uint8_t bytes;
    bool is_global, is_store, is_increment;
    char atomic;                /* 'a': any, 'c': cas; 0: none */
} OracleAccess;

typedef struct OracleKernel OracleKernel;

/* is_pure: nothing depends on data or on the pointer's number. Writes the module's text. */
OracleKernel *oracle_make(uint64_t seed, bool is_pure, Text *text);
void oracle_free(OracleKernel *kernel);

unsigned oracle_accesses(const OracleKernel *kernel, const OracleAccess **out);
void oracle_shape(const OracleKernel *kernel, uint32_t grid[3], uint32_t block[3]);
void oracle_run(OracleKernel *kernel, const Surroundings *around, Figures *figures);

/* Called for each request of oracle_run: access, block, a number for the counters of the loops
 * around, the lanes in it, and their addresses. */
typedef void OracleWatch(void *context, unsigned access, const uint32_t ctaid[3], unsigned key,
                         uint32_t lanes, const uint64_t *addresses);
void oracle_watch(OracleKernel *kernel, OracleWatch *watch, void *context);

uint64_t oracle_random(uint64_t *state);

#endif
