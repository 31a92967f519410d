/* limits.h -- every limit on what an input may ask for, with its reason. Reaching one is a
 * diagnostic that names it. */
#ifndef PTX_SUPPORT_LIMITS_H
#define PTX_SUPPORT_LIMITS_H

enum {
    /* spans are 32-bit; a gigabyte of PTX is 25 times the largest module seen */
    LIMIT_SOURCE_BYTES = 1 << 30,
    /* `{`, `(` and `[` inside each other: compilers nest under 10, the stack is fixed */
    LIMIT_NESTING = 200,
    LIMIT_PARSER_STACK = 1024,          /* Lemon symbols: at most 5 a level of LIMIT_NESTING */
    /* kept per module; more are not useful, and a binary file has one a byte */
    LIMIT_DIAGNOSTICS = 10000,
    /* lengths of names are 16-bit; C++ manglings reach a few thousand */
    LIMIT_NAME_BYTES = 65535,
    /* operands of one instruction; calls of variadic functions are the longest */
    LIMIT_OPERANDS = 65535,
    /* (block, register) pairs that liveness keeps for one function, and ... */
    LIMIT_LIVE_ENTRIES = 1 << 20,
    /* ... so many more a byte of it: real code has under a tenth */
    LIMIT_LIVE_ENTRIES_PER_BYTE = 2,
    /* blocks that liveness visits, an entry allowed: bounds its time */
    LIMIT_LIVE_STEPS_PER_ENTRY = 8,
    /* instructions of functions that kernels call, once for each kernel that reaches them: so many,
     * and so many more for each instruction of the module: a file of n bytes could ask for n^2 */
    LIMIT_CALLED_INSNS = 1 << 20,
    LIMIT_CALLED_INSNS_PER_INSN = 32,
    LIMIT_CUDA_COMMENTS = 1024,         /* for ptxlint, that are read in one CUDA source */
    LIMIT_CUDA_PARAMS = 1 << 16,        /* parameters of kernels whose names are read in one */
    LIMIT_CUDA_FILES = 4096,            /* of a module whose CUDA sources are looked at for them */
    /* default memory limit of each arena: this many bytes a byte of source ... */
    LIMIT_ARENA_FACTOR = 256,
    LIMIT_ARENA_FLOOR = 256 << 20,      /* ... but at least this much */
    LIMIT_LAUNCHES = 16,                /* of one kernel, that are looked at in one run */
    /* a file beside the PTX that says how it is launched: real ones have under a megabyte */
    LIMIT_METADATA_BYTES = 16 << 20,
    /* of a file of measured times: a row takes a kilobyte and an evaluation */
    LIMIT_MEASURED_ROWS = 1 << 17,
    /* what a packed entry or file may unpack to: the largest module seen has 40 MB ... */
    LIMIT_UNPACKED_BYTES = 256 << 20,
    /* ... and not more than this many bytes a packed byte, above the floor; PTX has about 20 */
    LIMIT_UNPACKED_FACTOR = 1000,
    LIMIT_UNPACKED_FLOOR = 64 << 10,
};

#endif
