/* ptxlint.h -- static analysis of NVIDIA PTX: the whole public interface of libptxlint.
 *
 * A module is one PTX file, read and analysed by ptxlint_module_new. What it found is const from
 * then on and owned by the module: every pointer in the structures below lives until
 * ptxlint_module_free. Modules are independent of each other, so several may be made in parallel;
 * one module may be read from several threads.
 *
 * A struct that begins with `size` may grow at its end. Set it to sizeof the struct in what you
 * pass, also in what a function fills; a function refuses any other size. Of an array that the
 * library returns it is the distance of elements.
 *
 * Units are part of a name: bytes, cycles. Lines and columns count from 1, columns in bytes; an end
 * is exclusive. A figure that is not known is PTXLINT_UNKNOWN (for doubles a NaN): never 0. Strings
 * given with a length are not terminated; all others are. Text is as the file has it, in general
 * UTF-8.
 *
 * In order, by headings (`---- loops`):
 *
 *   trouble         status, names
 *   to read with    GPUs, the instruction set, occupancy, launches, what ptxas said, rules, which
 *                   findings are wanted, a baseline, budgets
 *   files           modules, inputs
 *   what they say   places, tokens, symbols, diagnostics, fixing
 *   kernels         instruction mix and peaks, loops, accesses, values and branches, launch and
 *                   registers of a kernel, what a launch executes, time of a launch, instructions
 *                   of a kernel, kernels, graphs, what loops compute, what lanes ask for
 *   time            before a launch, measurements
 *   documents       writing, schemas, two versions
 *
 * A first program needs ptxlint_module_new, ptxlint_module_diagnostics and ptxlint_module_kernels.
 *
 * The library never prints, exits, aborts or touches the locale; it keeps no writable state of its
 * own. */
#ifndef PTXLINT_PTXLINT_H
#define PTXLINT_PTXLINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PTXLINT_API __attribute__((visibility("default")))
#else
#define PTXLINT_API
#endif

#define PTXLINT_UNKNOWN INT64_MIN

/* Of this header; ptxlint_version() is that of the library. docs/library.md says what a version
 * promises. */
#define PTXLINT_VERSION_MAJOR 0
#define PTXLINT_VERSION_MINOR 1
#define PTXLINT_VERSION_PATCH 0
#define PTXLINT_VERSION_STRING "0.1.0"
#define PTXLINT_VERSION_NUMBER \
    (PTXLINT_VERSION_MAJOR * 10000 + PTXLINT_VERSION_MINOR * 100 + PTXLINT_VERSION_PATCH)

/* ---- status ---------------------------------------------------------------------------------- */

/* The caller's or the machine's trouble; the user's mistakes in PTX are diagnostics. */
typedef enum ptxlint_status {
    PTXLINT_OK = 0,
    PTXLINT_NO_MEMORY,          /* the system has no more, or options.max_memory_bytes is reached */
    PTXLINT_TOO_LARGE,          /* the input is longer than a module can be (1 GiB) */
    PTXLINT_IO,                 /* a file could not be read; errno is as the system call left it */
    /* NULL where there must be something, a size field of another version */
    PTXLINT_BAD_ARGUMENT,
    /* a launch file, GPU file or log that is not what its format asks for */
    PTXLINT_BAD_FILE,
    PTXLINT_WRITE,              /* a ptxlint_write_fn returned non-zero */
    PTXLINT_STOPPED             /* by options.is_stopped */
} ptxlint_status;

PTXLINT_API const char *ptxlint_status_text(ptxlint_status status);

/* Where documents go: takes length bytes; non-zero stops the writing. */
typedef int (*ptxlint_write_fn)(void *context, const char *bytes, size_t length);

/* "0.1.0". */
PTXLINT_API const char *ptxlint_version(void);

/* ---- names ----------------------------------------------------------------------------------- */

/* Names of C++ (Itanium C++ ABI) and Rust as the source has them. */
typedef enum ptxlint_name_form {
    PTXLINT_NAME_SIGNATURE,     /* "ns::copy<float, 16>(float const*, float*)" */
    PTXLINT_NAME_SHORT,         /* "ns::copy<float, 16>" */
    PTXLINT_NAME_QUALIFIED,     /* "ns::copy" */
    PTXLINT_NAME_PLAIN          /* "copy" */
} ptxlint_name_form;

/* Writes the form into out, at most size bytes with the NUL; returns the length it has in full (as
 * snprintf). 0: the name is not a mangled one, or too long. */
PTXLINT_API size_t ptxlint_demangle(const char *name, ptxlint_name_form form, char *out,
                                    size_t size);

/* Whether a glob, with * and ? as in a shell, fits a name: as it is mangled, or in one of those
 * forms. Blanks in the forms, and the return type of a signature, do not matter. Of several globs,
 * a line each, one must fit. */
PTXLINT_API int ptxlint_name_fits(const char *glob, const char *name);

/* Text from outside (a path, a name, a message about them) as a terminal or the log of a build may
 * have it: control characters, bytes that are no UTF-8 and what reorders text as <1b> or <U+202E>,
 * the beginning of a command to a runner (`::error::` where text begins, `##[error]`) as <3a> and
 * <23>. Written into out, at most size bytes with the NUL; returns the length in full. */
PTXLINT_API size_t ptxlint_shown_text(const char *text, char *out, size_t size);

/* The same for GitHub's and GitLab's Markdown: nothing in it is a link, a mention, a picture, HTML
 * or the end of a cell. has_code: single backquotes in pairs enclose code, as in messages. */
PTXLINT_API size_t ptxlint_markdown_text(const char *text, int has_code, char *out, size_t size);

/* ---- GPUs ------------------------------------------------------------------------------------ */

/* What is known of a product ("h200") or of an architecture ("sm_90"): figures with their sources,
 * pipelines. */
typedef struct ptxlint_gpu ptxlint_gpu;

/* Those that are compiled in, by name: a product, sm_90, sm_90a or compute_90. NULL: there is none.
 * They are never freed. */
PTXLINT_API const ptxlint_gpu *ptxlint_gpu_find(const char *name);

/* The same by number: products by name, then architectures; NULL past the end. */
PTXLINT_API const ptxlint_gpu *ptxlint_gpu_at(size_t index);

/* Reads a GPU file (rules/gpus/README.md). On PTXLINT_BAD_FILE *error (of error_size bytes, may be
 * NULL) says where and why. */
PTXLINT_API ptxlint_status ptxlint_gpu_new(const char *name, const char *yaml, size_t length,
                                           ptxlint_gpu **out, char *error, size_t error_size);

/* A copy, which needs the GPU that it is of no more; ptxlint_gpu_free frees it. product: NULL: that
 * of the GPU. */
PTXLINT_API ptxlint_status ptxlint_gpu_copy(const ptxlint_gpu *gpu, const char *name,
                                            const char *product, ptxlint_gpu **out);

/* Sets a figure by its key. source: who says so, UTF-8, not "". Only of a GPU that _copy or _new
 * made, before a module has it. PTXLINT_BAD_ARGUMENT: it has been left as it was, and *error (of
 * error_size bytes, may be NULL) says why: no such key, or a value that no GPU has. */
PTXLINT_API ptxlint_status ptxlint_gpu_set(ptxlint_gpu *gpu, const char *key, double value,
                                           const char *source, char *error, size_t error_size);

/* A copy as a launch or the compiler sets it, by words with colons between: "shared=16k" (what
 * shared memory has of an SM where L1 has the rest: cudaFuncSetCacheConfig, a carve-out), "dlcm=cg"
 * (loads of global memory pass L1). Its name is "c2050:shared=16k". ptxlint_gpu_free frees it.
 * PTXLINT_BAD_ARGUMENT: *error (of error_size bytes, may be NULL) says why. */
PTXLINT_API ptxlint_status ptxlint_gpu_with(const ptxlint_gpu *gpu, const char *settings,
                                            ptxlint_gpu **out, char *error, size_t error_size);

/* Writes a GPU file, from which ptxlint_gpu_new makes the same GPU: its base, and all that is not
 * as there, with sources; to 15 decimals. */
PTXLINT_API ptxlint_status ptxlint_gpu_write(const ptxlint_gpu *gpu, ptxlint_write_fn write,
                                             void *context);

PTXLINT_API void ptxlint_gpu_free(ptxlint_gpu *gpu);

typedef struct ptxlint_gpu_info {
    const char *name;                   /* "h200" */
    const char *product;                /* "NVIDIA H200 SXM"; "" for an architecture */
    const char *architecture;           /* "Hopper" */
    const char *sm;                     /* "sm_90" */
} ptxlint_gpu_info;

PTXLINT_API const ptxlint_gpu_info *ptxlint_gpu_get_info(const ptxlint_gpu *gpu);

typedef struct ptxlint_figure {
    const char *key;                    /* "warps_per_sm" */
    /* "limits", "registers", "shared", "memory", "latency", "sustained", "tensor", "product" */
    const char *section;
    const char *unit, *what;
    double value;                       /* NaN: not published */
    const char *source;                 /* "" without a value */
} ptxlint_figure;

/* Figure number index, the same ones in the same order for every GPU. 0: there is none of that
 * number. */
PTXLINT_API int ptxlint_gpu_figure(const ptxlint_gpu *gpu, size_t index, ptxlint_figure *out);

/* By key; NaN where it is absent. */
PTXLINT_API double ptxlint_gpu_value(const ptxlint_gpu *gpu, const char *key);

typedef enum ptxlint_figure_kind {
    PTXLINT_FIGURE_NONE,                /* there is no such figure */
    /* what the hardware has, or does at the most: bounds and occupancy rest on it. Units that count
     * (threads, bytes, SMs) take whole numbers from 1 to 2^31 - 1, rates take numbers up to 1e9 */
    PTXLINT_FIGURE_BOUND,
    /* what it was measured to take or to sustain: predictions rest on it, bounds do not. From 0 to
     * 1e9 */
    PTXLINT_FIGURE_SUSTAINED
} ptxlint_figure_kind;

/* By key. */
PTXLINT_API ptxlint_figure_kind ptxlint_gpu_figure_kind(const char *key);

/* Whether a name means the GPU: its own, or the beginning of its product, in any case of letters.
 */
PTXLINT_API int ptxlint_gpu_is_called(const ptxlint_gpu *gpu, const char *name);

typedef struct ptxlint_pipe {
    const char *key, *what;             /* "fma" */
    /* results per clock and SM; NaN: the GPU's file has no such pipeline */
    double lanes;
    const char *source;
} ptxlint_pipe;

PTXLINT_API int ptxlint_gpu_pipe(const ptxlint_gpu *gpu, size_t index, ptxlint_pipe *out);

/* Operations of a machine class that a pipe finishes per clock and SM, by number of the class; 0
 * past the end, with *key NULL. NaN: the pipe does not take them. */
PTXLINT_API double ptxlint_gpu_rate(const ptxlint_gpu *gpu, size_t pipe, size_t machine_class,
                                    const char **key);

/* ---- the instruction set --------------------------------------------------------------------- */

/* The table of instructions that PTX is held to, as a manual. What is returned by value or as const
 * char * without a handle lives as long as the program. */

enum { PTXLINT_ISA_TARGET_BYTES = 16 };

/* Where an instruction is legal: from a .version on, for targets from one on ("sm_80"), for one
 * alone ("sm_90a"), or for a family from a member on ("sm_100f"). */
typedef struct ptxlint_isa_need {
    int version_major, version_minor;
    char target[PTXLINT_ISA_TARGET_BYTES];
} ptxlint_isa_need;

/* Kinds of instructions: number index; 0 past the end. */
typedef struct ptxlint_isa_class {
    const char *key, *what;             /* "sfu", "special functions" */
} ptxlint_isa_class;

PTXLINT_API int ptxlint_isa_class_at(size_t index, ptxlint_isa_class *out);

typedef struct ptxlint_isa_opcode {
    const char *text;                   /* "fma" */
    const char *summary;                /* a sentence */
    uint32_t classes;                   /* bit i: some of its forms are of class number i */
    size_t main_class;                  /* of its first form */
    /* the oldest .version, and the oldest target, of any of its forms */
    ptxlint_isa_need first;
} ptxlint_isa_opcode;

/* Opcode number index, by name; 0 past the end. */
PTXLINT_API int ptxlint_isa_opcode_at(size_t index, ptxlint_isa_opcode *out);

/* Whether a GPU has any form of it, or of the instruction: text is an opcode, and maybe modifiers,
 * of length bytes. */
PTXLINT_API int ptxlint_isa_has(const char *text, size_t length, const ptxlint_gpu *gpu);

/* The nearest opcode to a misspelt one; NULL where none is near. */
PTXLINT_API const char *ptxlint_isa_suggest(const char *text, size_t length);

/* A position that one modifier can take. */
typedef struct ptxlint_isa_modifier {
    /* of a group of them, "rnd", as the syntax has it; else NULL */
    const char *name;
    /* "rn", "rz", ...; value_count of them, 1 where there is no choice */
    const char *const *values;
    size_t value_count;
    int is_optional;
} ptxlint_isa_modifier;

/* Numbers: low, low + step, ... high, or where step is 0 low, low * factor, ... high. */
typedef struct ptxlint_isa_range {
    int64_t low, high, step, factor;
} ptxlint_isa_range;

typedef struct ptxlint_isa_operand {
    const char *name;                   /* "d" */
    /* ".u32"; ".rnd", a group of the form; "constant", "label", "function", "parameters", "32
     * bits"; "": any. Of [a, {c}] that of the vector in the brackets */
    const char *type;
    const char *pair;                   /* of d|p the p, NULL: no pair */
    const char *pair_type;              /* ".pred"; NULL without a pair */
    int is_read, is_written, is_address;
    int is_pair_written;
    int is_optional, is_negatable;
    int is_register;                    /* no number may stand here */
    /* {..} of as many elements as the modifiers say: .v4, .x2, a shape */
    int is_counted;
    /* bit n: {..} of n elements will do, bit 0: no braces; 0: not said, or is_counted */
    uint64_t element_set;
    /* is_counted, of an instruction that is whole: how many; 0: not known */
    unsigned element_count;
    /* what a number may be, and in a vector those behind the first */
    int has_range, has_next_range;
    ptxlint_isa_range range, next_range;
} ptxlint_isa_operand;

typedef struct ptxlint_isa_form {
    const char *modifiers_text;         /* "add{.rnd}{.ftz}{.sat}.f32" */
    const char *operands_text;          /* "d, a, b" */
    const char *summary;                /* what it does, a sentence */
    size_t class_index;                 /* of ptxlint_isa_class_at */
    const ptxlint_isa_modifier *modifiers;
    size_t modifier_count;
    const ptxlint_isa_operand *operands;
    size_t operand_count;
    const ptxlint_isa_need *needs;      /* any one of them will do; at least one */
    size_t need_count;
} ptxlint_isa_form;

/* An operation of an opcode that has a sentence of its own. */
typedef struct ptxlint_isa_operation {
    const char *text, *summary;         /* "mbarrier.init" */
} ptxlint_isa_operation;

/* Forms of an instruction: all of its opcode that take the modifiers which are written, in any
 * order. */
typedef struct ptxlint_isa ptxlint_isa;

/* text: "ld", "ld.global.v4.f32"; length bytes. PTXLINT_BAD_ARGUMENT: there is no such opcode, or
 * no form with these modifiers, and *error (of error_size bytes, may be NULL) says what would be
 * near. All that the handle gives lives until it is freed. */
PTXLINT_API ptxlint_status ptxlint_isa_new(const char *text, size_t length, ptxlint_isa **out,
                                           char *error, size_t error_size);
PTXLINT_API void ptxlint_isa_free(ptxlint_isa *isa);

typedef struct ptxlint_isa_info {
    const char *text;                   /* as it was asked for */
    /* summary: of the narrowest operation that all forms belong to */
    const char *opcode, *summary;
    /* text is an instruction as it may stand in a file; else it lacks modifiers */
    int is_whole;
    /* in the order of the table; those that differ in their needs alone are one */
    const ptxlint_isa_form *forms;
    size_t form_count;
    const ptxlint_isa_operation *operations;    /* narrower ones that the forms have */
    size_t operation_count;
    const ptxlint_isa_modifier *groups; /* that the forms name, each once */
    size_t group_count;
} ptxlint_isa_info;

PTXLINT_API const ptxlint_isa_info *ptxlint_isa_get_info(const ptxlint_isa *isa);

/* How fast an instruction is on a GPU where nothing else runs: what its most loaded pipeline
 * finishes in a clock of an SM. */
typedef struct ptxlint_isa_rate {
    /* of single threads; NaN: not known; infinite: it takes no machine operation */
    double results_per_clock;
    /* multiply-adds of a matrix instruction; NaN: it is not one, or unknown */
    double fmas_per_clock;
    const char *pipe, *pipe_what;       /* key of ptxlint_gpu_pipe: "fma"; "" where none is known */
    const char *source;                 /* of the pipeline's figure; "" */
    /* no more can be; else ptxas makes several instructions of it, as of fp8 by mma.sync on Hopper,
     * of which those that convert a factor are not repeated while it stays the same */
    int is_bound;
} ptxlint_isa_rate;

/* text is an instruction with all modifiers it needs; 0: the GPU has no such instruction, or
 * nothing is known. */
PTXLINT_API int ptxlint_isa_get_rate(const char *text, size_t length, const ptxlint_gpu *gpu,
                                     ptxlint_isa_rate *out);

/* Instructions of the handle that differ in speed on some GPU: number index, with the types of
 * those that are like it (".u32 .s32", "" none); 0 past the end. */
typedef struct ptxlint_isa_sample {
    const char *text, *alike;
} ptxlint_isa_sample;

PTXLINT_API int ptxlint_isa_sample_at(const ptxlint_isa *isa, size_t index,
                                      ptxlint_isa_sample *out);

/* A special register: number index; 0 past the end. */
typedef struct ptxlint_isa_register {
    const char *name;                   /* "%tid"; "%envreg" of %envreg0 to %envreg31 */
    const char *type;                   /* "u32" */
    unsigned vector;                    /* 4: has .x .y .z .w; else 1 */
    unsigned number_count;              /* numbered 0 to number_count - 1; 0: no number */
    ptxlint_isa_need first;
} ptxlint_isa_register;

PTXLINT_API int ptxlint_isa_register_at(size_t index, ptxlint_isa_register *out);

/* What an editor shows for an instruction under the mouse: Markdown, at most size bytes with the
 * NUL, into out. Returns the length it has in full (as snprintf), 0 for an unknown opcode. gpu:
 * whose speed is shown; NULL: none. */
PTXLINT_API size_t ptxlint_isa_hover(const char *text, size_t length, const ptxlint_gpu *gpu,
                                     char *out, size_t size);

/* ---- occupancy ------------------------------------------------------------------------------- */

/* What a block takes; PTXLINT_UNKNOWN where it is not known. */
typedef struct ptxlint_resources {
    /* sizeof(ptxlint_resources), set by ptxlint_resources_init, which makes all unknown */
    size_t size;
    int64_t threads_per_block, registers_per_thread;
    int64_t static_shared_bytes, dynamic_shared_bytes;
    int64_t barriers;                   /* named barriers that are used: highest number + 1 */
    int64_t cluster_blocks;             /* 0, 1: no cluster */
    /* the kernel does not opt in to larger shared memory or clusters */
    int default_limits;
} ptxlint_resources;

PTXLINT_API void ptxlint_resources_init(ptxlint_resources *resources);

enum { PTXLINT_LIMITER_COUNT = 5 };

/* PTXLINT_UNKNOWN where a figure is not known, percent NaN. As cuda_occupancy.h computes it; before
 * 3.0 as NVIDIA's spreadsheet. */
typedef struct ptxlint_occupancy {
    /* sizeof(ptxlint_occupancy), set by the caller of ptxlint_occupancy_compute */
    size_t size;
    int64_t blocks_per_sm, warps_per_sm, threads_per_sm;
    /* what is unknown at its largest, and not counted */
    int64_t blocks_at_least, blocks_at_most;
    double percent;                     /* of the SM's warps */
    /* "warps", "registers", "shared", "blocks", "barriers"; "unknown" */
    const char *limiter;
    const char *limiters[PTXLINT_LIMITER_COUNT];        /* all that tie; limiter_count of them */
    size_t limiter_count;
    const char *error;                  /* why no block fits, a clause; NULL */
    /* blocks that warps, registers, shared, blocks, barriers allow; INT64_MAX: no limit */
    int64_t limits[PTXLINT_LIMITER_COUNT];
    int64_t registers_allocated_per_block, shared_allocated_per_block;
    /* per thread, for one more block; 0: that would not do it */
    int64_t registers_to_free;
    int64_t registers_free;             /* per thread, to be had without losing a block */
    int64_t shared_to_free, shared_free;        /* the same in bytes of a block */
    /* least setting of shared memory that holds blocks_per_sm */
    int64_t carveout_bytes;
    int64_t clusters_at_most;           /* on the whole GPU */
} ptxlint_occupancy;

PTXLINT_API ptxlint_status ptxlint_occupancy_compute(const ptxlint_gpu *gpu,
                                                     const ptxlint_resources *resources,
                                                     ptxlint_occupancy *out);

typedef struct ptxlint_occupancy_point {
    int64_t threads_per_block, blocks_per_sm, warps_per_sm;
    double percent;
    int is_best;                        /* no other size has more warps; all that tie */
} ptxlint_occupancy_point;

/* The same kernel with blocks of 1, 2, 3, ... warps: fills points (room of them), returns how many
 * there are. */
PTXLINT_API size_t ptxlint_occupancy_curve(const ptxlint_gpu *gpu,
                                           const ptxlint_resources *resources,
                                           ptxlint_occupancy_point *points, size_t room);

/* ---- launches -------------------------------------------------------------------------------- */

/* What is known of how kernels are launched: a launch file (docs/report.md, "The launch file"), and
 * single settings. */
typedef struct ptxlint_launches ptxlint_launches;

/* Reads JSON text, or a profiler's table: Nsight Compute's --csv, nsys stats' cuda_gpu_trace in
 * CSV; of each kernel the launch that took the most time. NULL of length 0: nothing known yet. On
 * PTXLINT_BAD_FILE *error (of error_size bytes, may be NULL) says where and why. */
PTXLINT_API ptxlint_status ptxlint_launches_new(const char *json, size_t length,
                                                ptxlint_launches **out, char *error,
                                                size_t error_size);

/* One setting for every kernel, over what the file says. key: "block", "grid", "cluster" with "256"
 * or "16,16,1"; "dynamic_shared" with bytes; "param" with "POSITION=VALUE" or "NAME=VALUE"; "trip"
 * with "LABEL=N" or "LINE=N", the iterations of the loop at that label or of the innermost one
 * around that line. */
PTXLINT_API ptxlint_status ptxlint_launches_set(ptxlint_launches *launches, const char *key,
                                                const char *value, char *error, size_t error_size);
PTXLINT_API void ptxlint_launches_free(ptxlint_launches *launches);

/* Which names in launches some kernel has, and which are slips. */
typedef struct ptxlint_coverage ptxlint_coverage;
typedef struct ptxlint_module ptxlint_module;

typedef enum ptxlint_launch_part {
    PTXLINT_PART_KERNEL,
    PTXLINT_PART_PARAM,
    PTXLINT_PART_TRIP
} ptxlint_launch_part;

typedef struct ptxlint_covered {
    ptxlint_launch_part part;
    /* of the file: its name, or the glob of "launches"; NULL: a setting, which is for every kernel
     * */
    const char *kernel;
    /* of the kernel; of the parameter, or its position; of the loop: its label */
    const char *name;
    int matches;                        /* some kernel has it. True too where nothing can be said */
    /* type, as "u32", of a parameter that the value does not fit; NULL */
    const char *misfit;
    uint64_t misfit_bytes;
    uint32_t param_count;               /* the most that a kernel has which it may be for */
    /* of a loop named by a line: that line, and that of the header of the nearest loop; 0 */
    uint32_t line, near_line;
    /* it names a kernel outright, or as an entry before it does, which gives the launch: it is not
     * looked at */
    int is_overruled;
} ptxlint_covered;

/* launches: NULL: none. They may go before the coverage. */
PTXLINT_API ptxlint_status ptxlint_coverage_new(const ptxlint_launches *launches,
                                                ptxlint_coverage **out);

/* Settings are for kernels whose name matches the glob (NULL: all), the file's entries for each
 * that takes its launch from them. */
PTXLINT_API ptxlint_status ptxlint_coverage_add(ptxlint_coverage *coverage,
                                                const ptxlint_module *module,
                                                const char *kernel_glob);

/* What ptxlint_coverage_add came to for a module: per item whether it matches (1), and whether it
 * is of an entry that a kernel took its launch from (2); matches has room for count. Returns how
 * many there are. */
PTXLINT_API size_t ptxlint_coverage_matches(const ptxlint_coverage *coverage,
                                            unsigned char *matches, size_t count);

/* Adds that of an equal coverage, and the names of the kernels of a module that was loaded. */
PTXLINT_API ptxlint_status ptxlint_coverage_add_matches(ptxlint_coverage *coverage,
                                                        const ptxlint_module *module,
                                                        const unsigned char *matches, size_t count);

/* Kernels of the file, each followed by its parameters and loops; then the settings. 0: past the
 * end. */
PTXLINT_API int ptxlint_coverage_at(const ptxlint_coverage *coverage, size_t index,
                                    ptxlint_covered *out);

/* The name that is nearest to one of those; of all kernels the nearest to name. NULL: none is
 * near. */
PTXLINT_API const char *ptxlint_coverage_suggest(const ptxlint_coverage *coverage, size_t index);
PTXLINT_API const char *ptxlint_coverage_suggest_kernel(const ptxlint_coverage *coverage,
                                                        const char *name);
PTXLINT_API void ptxlint_coverage_free(ptxlint_coverage *coverage);

/* ---- what ptxas said ------------------------------------------------------------------------- */

/* Registers, barriers and spills of kernels as `ptxas -v` (nvcc -Xptxas -v) prints them. */
typedef struct ptxlint_ptxas ptxlint_ptxas;

PTXLINT_API ptxlint_status ptxlint_ptxas_new(ptxlint_ptxas **out);

/* Adds what a log says; other lines in it are skipped. *kernels, if not NULL, is how many it
 * describes. */
PTXLINT_API ptxlint_status ptxlint_ptxas_add(ptxlint_ptxas *ptxas, const char *log, size_t length,
                                             size_t *kernels);
PTXLINT_API void ptxlint_ptxas_free(ptxlint_ptxas *ptxas);

/* ---- rules ----------------------------------------------------------------------------------- */

/* Findings are data: docs/rules.md. Those that are compiled in are always there; these are a
 * user's, from files. */
typedef struct ptxlint_rules ptxlint_rules;

PTXLINT_API ptxlint_status ptxlint_rules_new(ptxlint_rules **out);

/* Adds the rules of one file. On PTXLINT_BAD_FILE nothing is added, and *error (of error_size
 * bytes, may be NULL) says where and why, "PATH:LINE:COLUMN: error: ...". path is for that message
 * alone. */
PTXLINT_API ptxlint_status ptxlint_rules_add(ptxlint_rules *rules, const char *path,
                                             const char *yaml, size_t length, char *error,
                                             size_t error_size);
PTXLINT_API void ptxlint_rules_free(ptxlint_rules *rules);

typedef struct ptxlint_example {
    const char *title;                  /* "" without one */
    const char *bad, *good;             /* PTX; NULL: none */
    const char *cuda_bad, *cuda_good;
    const char *launch;                 /* launch file (JSON) for both; NULL */
    const char *gpu;                    /* NULL: what .target says */
} ptxlint_example;

typedef struct ptxlint_threshold {
    const char *name, *what, *unit;     /* unit: "threads"; "" for a plain number */
    double value;                       /* as the rule has it, before any config */
} ptxlint_threshold;

typedef struct ptxlint_rule {
    const char *code, *name, *group;    /* "THR102", "full-precision-in-loop", "throughput" */
    int severity;                       /* ptxlint_severity */
    /* ptxlint_certainty: findings that are less certain are not made */
    int certainty;
    const char *subject;                /* "instruction"; "" for a front_end one */
    int is_preview;                     /* off unless asked for */
    /* said by the front end or at a limit: not evaluated, never suppressed */
    int is_front_end;
    const char *condition;              /* as written; "" */
    const char *summary, *doc;          /* a sentence; Markdown */
    const ptxlint_example *examples;
    size_t example_count;
    const ptxlint_threshold *thresholds;
    size_t threshold_count;
    const char *const *sources;
    size_t source_count;
} ptxlint_rule;

/* Rule number index: those compiled in by code, then a user's (rules may be NULL). NULL past the
 * end. */
PTXLINT_API const ptxlint_rule *ptxlint_rule_at(const ptxlint_rules *rules, size_t index);

/* By code or name, whatever the case; NULL. */
PTXLINT_API const ptxlint_rule *ptxlint_rule_find(const ptxlint_rules *rules,
                                                  const char *code_or_name);

/* The nearest code, name or group to a misspelt one; NULL where none is near. */
PTXLINT_API const char *ptxlint_rule_suggest(const ptxlint_rules *rules, const char *text);

/* What an expression may name: fact number index in the order of docs/facts.md; 0 past the end. */
typedef struct ptxlint_fact {
    const char *scope, *name;           /* "insn", "space" */
    /* "truth", "number", "word", "text", "place"; unit or domain of words, "" */
    const char *type, *unit;
    /* "exact", "bound", "estimate"; "" where it comes with each value */
    const char *certainty;
    const char *what;
} ptxlint_fact;

PTXLINT_API int ptxlint_fact_at(size_t index, ptxlint_fact *out);

/* ---- which findings are wanted --------------------------------------------------------------- */

/* What is selected, how severe it is, and what is suppressed: a .ptxlint.yaml (docs/config.md) and
 * single settings. */
typedef struct ptxlint_config ptxlint_config;

/* Nothing said yet: all rules but previews. rules may be NULL; they must outlive the config and the
 * modules that are read with it, and no more are added to them from here on. */
PTXLINT_API ptxlint_status ptxlint_config_new(const ptxlint_rules *rules, ptxlint_config **out);

/* Adds what a config file says. On PTXLINT_BAD_FILE the config is as it was, and *error (of
 * error_size bytes, may be NULL) says where and why, "PATH:LINE:COLUMN: error: ...". path is for
 * that message alone. */
PTXLINT_API ptxlint_status ptxlint_config_read(ptxlint_config *config, const char *path,
                                               const char *yaml, size_t length, char *error,
                                               size_t error_size);

/* The files and folders of rules that a config file names under "rules": write is called with each,
 * as written and with a NUL behind its length. They are to be read before the config is made, since
 * its other keys may name their rules. A file that is no config names none; ptxlint_config_read
 * says why. PTXLINT_WRITE: write returned non-zero. */
PTXLINT_API ptxlint_status ptxlint_config_rules(const char *yaml, size_t length,
                                                ptxlint_write_fn write, void *context);

/* One setting, as on the command line, over what files say. key and value:
 *   "select", "ignore"     "THR,COR101,full-precision-in-loop": groups, codes, prefixes of codes,
 *                          names, ALL
 *   "severity"             "LCH101=warning,THR=note"
 *   "per-kernel-ignore"    "cutlass_*:THR,OCC"; "per-file-ignore" the same with paths
 *   "per-source-ignore"    "src/a.cu:40-55:THR"
 *   "preview"              "true", "false"
 *   "preset"               "perf": one of ptxlint_preset_name, under what files say
 *   "threshold"            "OCC103.threads=32"
 * A select here replaces that of files; several add up. PTXLINT_BAD_FILE: the value is not what the
 * key wants, and *error says why; PTXLINT_BAD_ARGUMENT: there is no such key. */
PTXLINT_API ptxlint_status ptxlint_config_set(ptxlint_config *config, const char *key,
                                              const char *value, char *error, size_t error_size);

/* Presets by name, number index of them (docs/config.md, "Presets"); NULL past the end. */
PTXLINT_API const char *ptxlint_preset_name(size_t index);

/* Values of a key in a config file that are not about findings: "gpu", "launch", "rules",
 * "exclude", "baseline", "budget", "tolerances" ("registers=5%"), "preset", in order; NULL past the
 * end. Paths are as written: relative to the config file's folder. */
PTXLINT_API const char *ptxlint_config_value(const ptxlint_config *config, const char *key,
                                             size_t index);

/* Entry number index of per-kernel-ignore and per-source-ignore in config files, as
 * "per-kernel-ignore gemm_*", that suppressed nothing in the modules that were made with the
 * config, though they have such kernels or lines and its rules were on; NULL past the end. */
PTXLINT_API const char *ptxlint_config_stale(const ptxlint_config *config, size_t index);

/* What holds for a rule by now. */
typedef struct ptxlint_rule_state {
    int is_enabled;
    int severity;                       /* ptxlint_severity */
    const double *thresholds;           /* as many as the rule has */
} ptxlint_rule_state;

/* PTXLINT_BAD_ARGUMENT: the rule is not among the config's. thresholds lie in the config, and
 * change with it. */
PTXLINT_API ptxlint_status ptxlint_config_state(const ptxlint_config *config,
                                                const ptxlint_rule *rule, ptxlint_rule_state *out);
PTXLINT_API void ptxlint_config_free(ptxlint_config *config);

/* ---- a baseline ------------------------------------------------------------------------------ */


/* Findings that are known and not reported again: docs/ci.md. One is known by its rule, its kernel
 * and its statement as ptxlint_module_statement has it; of each kind as many as one module had. */
typedef struct ptxlint_baseline ptxlint_baseline;

PTXLINT_API ptxlint_status ptxlint_baseline_new(ptxlint_baseline **out);

/* Adds what a file has. On PTXLINT_BAD_FILE *error (of error_size bytes, may be NULL) says where
 * and why, and some of it may have been added. path is for that message, and for the reason of
 * findings that are suppressed. */
PTXLINT_API ptxlint_status ptxlint_baseline_read(ptxlint_baseline *baseline, const char *path,
                                                 const char *json, size_t length, char *error,
                                                 size_t error_size);

/* Adds the findings of a module that nothing but a baseline suppresses. */
PTXLINT_API ptxlint_status ptxlint_baseline_add(ptxlint_baseline *baseline,
                                                const ptxlint_module *module);

/* How many entries there are. */
PTXLINT_API size_t ptxlint_baseline_size(const ptxlint_baseline *baseline);

/* How many entries of kernels that were read have fewer findings in `found`, which modules were
 * added to. Those of rules that config has switched off (NULL: none) are not judged. */
PTXLINT_API ptxlint_status ptxlint_baseline_stale(const ptxlint_baseline *baseline,
                                                  const ptxlint_baseline *found,
                                                  const ptxlint_config *config, size_t *out);

/* Leaves only what is in `found`, too, whether its kernel was read or not; *out is how many entries
 * became smaller or are gone. */
PTXLINT_API ptxlint_status ptxlint_baseline_prune(ptxlint_baseline *baseline,
                                                  const ptxlint_baseline *found,
                                                  const ptxlint_config *config, size_t *out);

/* The file: JSON, schema ptxlint-baseline/1, sorted, a line an entry. */
PTXLINT_API ptxlint_status ptxlint_baseline_write(const ptxlint_baseline *baseline,
                                                  ptxlint_write_fn write, void *context);
PTXLINT_API void ptxlint_baseline_free(ptxlint_baseline *baseline);

/* ---- budgets --------------------------------------------------------------------------------- */

/* What kernels may take at most: a budget file, docs/ci.md. What goes beyond, and what cannot be
 * checked, are findings of group "budget". */
typedef struct ptxlint_budget ptxlint_budget;

/* Reads a file. On PTXLINT_BAD_FILE *error (of error_size bytes, may be NULL) says where and why,
 * "PATH:LINE:COLUMN: error: ...". */
PTXLINT_API ptxlint_status ptxlint_budget_new(const char *path, const char *yaml, size_t length,
                                              ptxlint_budget **out, char *error, size_t error_size);
PTXLINT_API void ptxlint_budget_free(ptxlint_budget *budget);

/* Entry number index; 0 past the end. */
typedef struct ptxlint_budget_entry {
    const char *kernel;                 /* a name or a pattern */
    const char *gpu;                    /* NULL: any */
    uint32_t line, column;              /* in the file */
} ptxlint_budget_entry;

PTXLINT_API int ptxlint_budget_at(const ptxlint_budget *budget, size_t index,
                                  ptxlint_budget_entry *out);

typedef enum ptxlint_cover {
    PTXLINT_NOT_COVERED,                /* no kernel has such a name */
    PTXLINT_OTHER_GPU,                  /* but not on this GPU */
    PTXLINT_OTHER_LAUNCH,               /* but not with this grid and block */
    PTXLINT_COVERED
} ptxlint_cover;

/* How far each entry applies to a kernel of the module: raises covers[index], one for each entry,
 * to a ptxlint_cover. */
PTXLINT_API void ptxlint_budget_cover(const ptxlint_budget *budget, const ptxlint_module *module,
                                      unsigned char *covers);

/* Entries for the kernels of a module as they are now, as items of a budget file: what is known,
 * what is estimated plus slack_percent. */
PTXLINT_API ptxlint_status ptxlint_budget_draft(const ptxlint_module *module, double slack_percent,
                                                ptxlint_write_fn write, void *context);

/* ---- modules --------------------------------------------------------------------------------- */

/* Whether an analysis is to end. */
typedef int (*ptxlint_stop_fn)(void *context);

/* See ptxlint_options.generated_config. */
typedef const ptxlint_config *(*ptxlint_config_fn)(void *context);

struct ptxlint_kernel;

/* Is given a kernel or function as soon as it is analysed, of a module that is being made: its info
 * (but memory_bytes), places and bodies may be asked for, nothing else. */
typedef void (*ptxlint_take_fn)(void *context, const ptxlint_module *module,
                                const struct ptxlint_kernel *kernel);

/* Is asked before a kernel is analysed that has the code of first, which was taken, but for names:
 * of both there are names, places and directives. Nonzero: it is taken, with the figures of first;
 * 0: it is analysed for itself. */
typedef int (*ptxlint_take_same_fn)(void *context, const ptxlint_module *module,
                                    const struct ptxlint_kernel *kernel,
                                    const struct ptxlint_kernel *first);

typedef struct ptxlint_options {
    size_t size;                        /* sizeof(ptxlint_options), set by ptxlint_options_init */
    const char *path;                   /* shown in diagnostics and reports; NULL: "-" */
    /* figures for these, gpu_count of them; none: for what .target says. Must outlive the module,
     * like launches and ptxas */
    const ptxlint_gpu *const *gpus;
    size_t gpu_count;
    const ptxlint_launches *launches;   /* NULL: none */
    const ptxlint_ptxas *ptxas;         /* NULL: none */
    /* which findings are wanted; NULL: all rules but previews */
    const ptxlint_config *config;
    /* findings that are known; NULL: none. Must outlive the module */
    const ptxlint_baseline *baseline;
    /* what kernels may take; NULL: anything. Not with findings_only or syntax_only */
    const ptxlint_budget *budget;
    /* to be added to: time per stage and rule; NULL: clocks are not read */
    struct ptxlint_profile *profile;
    /* of each of a few arenas of each thread; 0: 256 bytes a byte of input, at least 256 MiB */
    size_t max_memory_bytes;
    /* only the front end: no analyses, no findings beyond its errors */
    int syntax_only;
    /* no figures that no finding needs: no accesses, no cycles, no times, no trip counts; findings
     * are the same */
    int findings_only;
    /* threads that analyse the functions of a module, the calling one included; 0: one. What is
     * found is the same for any number. Of a long text two read it. With profile: one */
    unsigned jobs;
    /* only what ptxlint_estimate() takes: no findings beyond the errors of the front end, and of
     * each kernel its name, place, parameters, directives, launch and live registers; other lists
     * are empty, other numbers 0. Ignored with findings_only or syntax_only */
    int estimates_only;
    /* each finding by itself: none is folded into another, repeat_count is 0 */
    int is_unfolded;
    /* keep where names stand: ptxlint_module_symbols, and what rests on it */
    int has_symbols;
    /* of the PTX file: what lies beside it says how kernels are launched that launches has no entry
     * for (docs/report.md, "Launches found beside the file"); NULL: not looked for */
    const char *metadata_path;
    /* comments in CUDA sources suppress findings, too; NULL: they are not read */
    struct ptxlint_sources *sources;
    /* of a kernel for which launches has several: the one of that number, from 0; of a kernel with
     * fewer the first */
    uint32_t launch_number;
    /* the launches behind the first, too: their findings are the module's, where they are of
     * another rule or place; their figures are those of ptxlint_module_launch */
    int has_each_launch;
    /* asked where what lies beside the file is of a cache or dump of Triton, TorchInductor or XLA,
     * code that no one edits: the config that holds there in place of config, which must outlive
     * the module; NULL is a failure, PTXLINT_NO_MEMORY. Several modules may ask at a time. NULL:
     * config holds there, too */
    ptxlint_config_fn generated_config;
    void *generated_context;
    /* figures of each instruction: ptxlint_projection.instructions. Not with findings_only,
     * estimates_only or syntax_only */
    int has_instructions;
    /* findings in functions that have not changed since are taken from it; NULL: all is looked at
     * anew. What is found is the same */
    struct ptxlint_history *history;
    /* asked now and then, by any of the threads: nonzero ends the analysis, with PTXLINT_STOPPED;
     * NULL: nothing does */
    ptxlint_stop_fn is_stopped;
    void *stop_context;
    /* takes each kernel, then each function, in order. What is taken is not kept: figures of all
     * are never there at once, the module is then as with findings_only, and of each kernel has
     * name, place and directives alone. Not called, and all is kept: with estimates_only,
     * has_symbols, budget or overview_only, or where several threads analyse, launches were found
     * beside the file, or a kernel has several. NULL: all is kept */
    ptxlint_take_fn take_kernel;
    void *take_context;
    /* of figures only what a table of kernels has, a report as text or Markdown without
     * has_details: registers and occupancy. Else as with findings_only; executed.why says why there
     * is no time. All figures are there of fewer than two kernels, where some grid is known or a
     * kernel has several launches, and with estimates_only, has_instructions, has_symbols or
     * budget */
    int overview_only;
    /* with take_kernel and its context; NULL: every kernel is analysed for itself */
    ptxlint_take_same_fn take_same;
} ptxlint_options;

PTXLINT_API void ptxlint_options_init(ptxlint_options *options);

/* What was found in functions, for a text that is analysed again and again while it is edited. It
 * is for one set of options, which may differ in text, figures and threads; what they point to must
 * outlive it. Modules need it only while they are made, several at once if need be. It holds about
 * four times the findings of the last module, and 1 MiB. Not with profile. */
typedef struct ptxlint_history ptxlint_history;

PTXLINT_API ptxlint_status ptxlint_history_new(ptxlint_history **out);
PTXLINT_API void ptxlint_history_free(ptxlint_history *history);

/* CUDA sources with comments for ptxlint (docs/config.md, "In CUDA"), read as modules that were
 * made with it name them; any number of threads may do so at once. */
typedef struct ptxlint_sources ptxlint_sources;

/* root: as of ptxlint_source_root. */
PTXLINT_API ptxlint_status ptxlint_sources_new(const char *root, ptxlint_sources **out);
PTXLINT_API void ptxlint_sources_free(ptxlint_sources *sources);

/* Once all modules are made: the path of source number index, NULL past the end, and a module that
 * stands for it. Its text is the source; it has no kernel, and its diagnostics say which comments
 * are malformed, or suppress nothing in any module. config: NULL: all rules but previews. */
PTXLINT_API const char *ptxlint_sources_path(const ptxlint_sources *sources, size_t index);
PTXLINT_API ptxlint_status ptxlint_sources_module(const ptxlint_sources *sources, size_t index,
                                                  const ptxlint_config *config,
                                                  ptxlint_module **out);

/* Where the time went, seconds of wall clock, summed over the modules it was given to. Not for
 * several threads at once. */
typedef struct ptxlint_profile ptxlint_profile;

PTXLINT_API ptxlint_status ptxlint_profile_new(ptxlint_profile **out);
PTXLINT_API void ptxlint_profile_free(ptxlint_profile *profile);

/* Adds what another one has seen. */
PTXLINT_API void ptxlint_profile_add(ptxlint_profile *profile, const ptxlint_profile *other);

/* Entry number index: stages in order, then rules by code; 0 past the end. */
typedef struct ptxlint_profile_entry {
    const char *name;                   /* "parse", "live", "THR102" */
    int is_rule;
    double seconds;
    uint64_t count;                     /* modules of a stage; evaluations of a rule's condition */
} ptxlint_profile_entry;

PTXLINT_API int ptxlint_profile_at(const ptxlint_profile *profile, size_t index,
                                   ptxlint_profile_entry *out);

/* Analyses length bytes of text, which are copied; any bytes will do. options may be NULL. On
 * failure *out is NULL. */
PTXLINT_API ptxlint_status ptxlint_module_new(const char *text, size_t length,
                                              const ptxlint_options *options, ptxlint_module **out);

/* The same from a file of PTX, "-" being standard input; options->path, if NULL, becomes path. For
 * files that hold PTX among other things: ptxlint_input_open. */
PTXLINT_API ptxlint_status ptxlint_module_open(const char *path, const ptxlint_options *options,
                                               ptxlint_module **out);

PTXLINT_API void ptxlint_module_free(ptxlint_module *module);

typedef struct ptxlint_module_info {
    size_t size;                        /* sizeof(ptxlint_module_info) of the library */
    const char *path;
    const char *text;                   /* length bytes, then a NUL */
    size_t length;
    const char *target;                 /* "sm_90a", "" where the file does not say */
    /* that figures are for: those asked for, or the target's; gpu_count of them, 0 where no file
     * describes the target */
    const ptxlint_gpu *const *gpus;
    size_t gpu_count;
    int version_major, version_minor;   /* 0, 0 where the file does not say */
    int address_size;                   /* 32 or 64 */
    size_t memory_bytes;                /* that the module holds */
    double min_gain_percent;            /* of the config that it was read with; NaN: not said */
    /* of options.metadata_path: the file that launches were read from; NULL: none. error: why it
     * could not be read; NULL */
    const char *metadata, *metadata_error;
    int is_generated;                   /* that file is of a cache or dump */
    size_t unchanged_count;             /* functions whose findings options.history knew */
} ptxlint_module_info;

PTXLINT_API const ptxlint_module_info *ptxlint_module_get_info(const ptxlint_module *module);

/* What documents are written from, as bytes: for a cache, or for another machine. They are good for
 * the version, the kind of processor and the header of the library that wrote them. write is called
 * a few times. */
PTXLINT_API ptxlint_status ptxlint_module_save(const ptxlint_module *module, ptxlint_write_fn write,
                                               void *context);

typedef struct ptxlint_saved {
    const void *bytes;                  /* as written */
    size_t length;
    const char *text;                   /* that the module was made of */
    size_t text_length;
} ptxlint_saved;

/* The module again, without any analysis. It gives what ptxlint_module_get_info, _diagnostics,
 * _kernels, _place, _statement and _body do; no values, symbols or estimates. Of options count
 * path, gpus, config and sources, where suppressions that the module used are used again, and
 * metadata_path. PTXLINT_BAD_FILE: the bytes are damaged, of another text or library, a GPU of
 * theirs is unknown, or comments in CUDA sources, or launches beside the file, are others now. */
PTXLINT_API ptxlint_status ptxlint_module_load(const ptxlint_saved *saved,
                                               const ptxlint_options *options,
                                               ptxlint_module **out);

/* ---- inputs ---------------------------------------------------------------------------------- */

/* A file, and the PTX in it: PTX itself, or a container that holds several modules, its entries: an
 * executable, a shared library, an object, a static library, a fatbin; each may be packed by gzip,
 * Zstandard or xz. What it is, its bytes say. Entries are unpacked when they are asked for, from
 * several threads if need be. */
typedef struct ptxlint_input ptxlint_input;

typedef struct ptxlint_input_options {
    size_t size;                        /* set by ptxlint_input_options_init */
    /* what one entry, or a packed file, may unpack to; 0: 256 MiB, and 1,000 times its packed
     * bytes */
    uint64_t max_unpacked_bytes;
} ptxlint_input_options;

PTXLINT_API void ptxlint_input_options_init(ptxlint_input_options *options);

/* path: a file, "-" for standard input, or one entry, "libfoo.so!3.sm_90.ptx". Entries are read
 * from the file when they are asked for: it must stay there. options may be NULL.
 * PTXLINT_BAD_FILE: it is packed and cannot be unpacked, or has no such entry; *error (of
 * error_size bytes, may be NULL) says why. */
PTXLINT_API ptxlint_status ptxlint_input_open(const char *path,
                                              const ptxlint_input_options *options,
                                              ptxlint_input **out, char *error, size_t error_size);
PTXLINT_API void ptxlint_input_free(ptxlint_input *input);

typedef struct ptxlint_input_info {
    size_t size;                        /* sizeof(ptxlint_input_info) of the library */
    const char *path;
    /* 0: the one entry is the file itself, or what it unpacks to, and is called like it */
    int is_container;
    int is_plain;                       /* a file on disk that ptxlint_module_open reads as well */
    size_t entry_count;
    /* of other kinds: machine code, code for link-time optimization, Tile IR */
    size_t cubin_count, lto_count, tile_ir_count;
    /* of entry_count 0: why, and what to do, "holds ..."; else NULL */
    const char *no_ptx;
    size_t trouble_count;               /* also of those that ptxlint_input_trouble does not have */
    int has_launches;                   /* of its kernels, which ptxlint_input_module takes */
} ptxlint_input_info;

PTXLINT_API const ptxlint_input_info *ptxlint_input_get_info(const ptxlint_input *input);

typedef struct ptxlint_input_entry {
    size_t size;                        /* sizeof(ptxlint_input_entry) of the library */
    /* "libfoo.so!3.sm_90.ptx", as diagnostics show it; numbered as cuobjdump does */
    const char *path;
    const char *name;                   /* "3.sm_90.ptx"; "" where it is the file itself */
    const char *target;                 /* "sm_90a"; "" where it is the file itself */
    int version_major, version_minor;   /* of PTX, as the container says; 0, 0 */
    uint64_t packed_bytes;              /* in the file */
    /* as the container says; 0: it does not */
    uint64_t unpacked_bytes;
    const char *packing;                /* "lz4", "zstd"; "" it is stored as it is */
} ptxlint_input_entry;

/* Entry number index; NULL past the end. */
PTXLINT_API const ptxlint_input_entry *ptxlint_input_at(const ptxlint_input *input, size_t index);

/* What in a container could not be read, number index: "at byte 4096: this entry is ...". The rest
 * was. NULL past the end. */
PTXLINT_API const char *ptxlint_input_trouble(const ptxlint_input *input, size_t index);

/* Analyses entry number index; options->path, if NULL, becomes the entry's. PTXLINT_BAD_FILE: it
 * cannot be unpacked, and *error (of error_size bytes, may be NULL) says why. The module does not
 * need the input. */
PTXLINT_API ptxlint_status ptxlint_input_module(const ptxlint_input *input, size_t index,
                                                const ptxlint_options *options,
                                                ptxlint_module **out, char *error,
                                                size_t error_size);

/* Its text, in one call of write. */
PTXLINT_API ptxlint_status ptxlint_input_text(const ptxlint_input *input, size_t index,
                                              ptxlint_write_fn write, void *context, char *error,
                                              size_t error_size);

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct ptxlint_span {
    uint32_t begin, end;                /* bytes, end exclusive */
} ptxlint_span;

typedef struct ptxlint_place {
    uint32_t line, column;              /* bytes from 1 */
    uint32_t line_begin, line_end;      /* bytes of the line, without its end */
} ptxlint_place;

/* Where a byte stands. Built on first use from a table of lines that the module has; offset at most
 * the length. */
PTXLINT_API ptxlint_place ptxlint_module_place(const ptxlint_module *module, uint32_t offset);

/* The column of a byte in UTF-16 code units from 1, as editors count; reads its line from the
 * beginning. */
PTXLINT_API uint32_t ptxlint_module_column_utf16(const ptxlint_module *module, uint32_t offset);

/* The statement at a byte without what compilers make anew at each change, at most size bytes with
 * the NUL into out: "ld.global.f32 %f, [%rd]" for "ld.global.f32 %f17, [%rd5+16]; // x". "" where
 * none is there, or the header of a function. Returns its length. */
PTXLINT_API size_t ptxlint_module_statement(const ptxlint_module *module, uint32_t offset,
                                            char *out, size_t size);

/* A place that .loc names; path is NULL where it names none. */
typedef struct ptxlint_source_place {
    const char *path;
    uint32_t line, column;
} ptxlint_source_place;

/* The CUDA line of the instruction at a byte, through .loc; 0: there is none. */
PTXLINT_API int ptxlint_module_source_at(const ptxlint_module *module, uint32_t offset,
                                         ptxlint_source_place *out);

/* The other way: the bytes where instructions begin that come from that line, in order, at most
 * `room` of them into offsets. path is as .file has it. Returns how many there are. */
PTXLINT_API size_t ptxlint_module_source_find(const ptxlint_module *module, const char *path,
                                              uint32_t line, uint32_t *offsets, size_t room);

/* 32-bit registers live at the instruction at a byte, as ptxlint_pressure counts them;
 * PTXLINT_UNKNOWN: no instruction is there, only findings were asked for, or it is a module without
 * has_symbols. */
PTXLINT_API int64_t ptxlint_module_live_at(const ptxlint_module *module, uint32_t offset);

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef enum ptxlint_token_kind {
    PTXLINT_TOKEN_COMMENT = 1,
    PTXLINT_TOKEN_DIRECTIVE,            /* .entry, .reg, .align, .maxntid; types are TYPE */
    PTXLINT_TOKEN_OPCODE,               /* "ld" of ld.global.f32, or what stands in its place */
    PTXLINT_TOKEN_MODIFIER,             /* ".global", ".x" of %tid.x */
    PTXLINT_TOKEN_TYPE,                 /* ".f32" */
    PTXLINT_TOKEN_SPECIAL_REGISTER,     /* "%tid" */
    PTXLINT_TOKEN_NAME,                 /* any other: a symbol says of what */
    PTXLINT_TOKEN_NUMBER,
    PTXLINT_TOKEN_STRING,
    PTXLINT_TOKEN_PUNCTUATION
} ptxlint_token_kind;

typedef struct ptxlint_token {
    ptxlint_span span;
    ptxlint_token_kind kind;
    /* how deep it stands in (), [] and {}, those of its own kind outside */
    uint32_t depth;
} ptxlint_token;

/* The tokens of a text, in order; any bytes will do. */
typedef struct ptxlint_tokens ptxlint_tokens;

PTXLINT_API ptxlint_status ptxlint_tokens_new(const char *text, size_t length,
                                              ptxlint_tokens **out);
PTXLINT_API void ptxlint_tokens_free(ptxlint_tokens *tokens);
PTXLINT_API const ptxlint_token *ptxlint_tokens_all(const ptxlint_tokens *tokens, size_t *count);

/* The first token that ends behind a byte, so the one that holds it if any does; the count at the
 * end. */
PTXLINT_API size_t ptxlint_tokens_find(const ptxlint_tokens *tokens, uint32_t offset);

/* ---- symbols --------------------------------------------------------------------------------- */

typedef enum ptxlint_symbol_kind {
    PTXLINT_SYMBOL_ENTRY = 1,
    PTXLINT_SYMBOL_FUNC,
    PTXLINT_SYMBOL_VARIABLE,
    PTXLINT_SYMBOL_PARAMETER,
    PTXLINT_SYMBOL_REGISTER,
    PTXLINT_SYMBOL_RANGE,               /* the %r of `.reg .b32 %r<10>;` */
    PTXLINT_SYMBOL_LABEL
} ptxlint_symbol_kind;

typedef struct ptxlint_occurrence {
    ptxlint_span span;
    int is_declaration, is_read, is_written;
} ptxlint_occurrence;

/* A name as PTX scopes it: registers, variables and labels by `{ }`, parameters by function. */
typedef struct ptxlint_symbol {
    size_t size;                        /* from one element to the next */
    ptxlint_symbol_kind kind;
    const char *name;
    /* of the name; of one register of a range that of the range; of a function the one with a body,
     * else the first */
    ptxlint_span declaration;
    ptxlint_span extent;                /* all of the function; else of the declaration */
    ptxlint_span scope;                 /* where the name holds */
    const char *function;               /* that it is declared in; NULL: none */
    const char *space;                  /* "reg", "shared", "param"; "" of functions and labels */
    const char *type;                   /* "f32"; "" of functions and labels */
    unsigned vector;                    /* elements of .v2, .v4; 1 */
    int64_t bytes;                      /* of variables and parameters; 0: not said */
    uint32_t align;
    int64_t range;                      /* of a register: the index of its range; -1: none */
    uint64_t count;                     /* of a range */
    /* in order; of a range that of its own declaration alone */
    const ptxlint_occurrence *occurrences;
    size_t occurrence_count;
} ptxlint_symbol;

/* All of them, of a module with has_symbols; registers of a range are those that are used. */
PTXLINT_API const ptxlint_symbol *ptxlint_module_symbols(const ptxlint_module *module,
                                                         size_t *count);

/* Whose name holds the byte, or ends there; NULL: none. */
PTXLINT_API const ptxlint_symbol *ptxlint_module_symbol_at(const ptxlint_module *module,
                                                           uint32_t offset);

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef enum ptxlint_severity { PTXLINT_NOTE = 1, PTXLINT_WARNING, PTXLINT_ERROR } ptxlint_severity;

typedef enum ptxlint_certainty {
    /* follows from the code (and the launch, where one was given) */
    PTXLINT_EXACT = 1,
    PTXLINT_BOUND,                      /* the truth is not beyond this */
    PTXLINT_ESTIMATE,                   /* a model's answer; the text says what it assumed */
    PTXLINT_NOT_KNOWN
} ptxlint_certainty;

typedef enum ptxlint_suppression {
    PTXLINT_NOT_SUPPRESSED,
    PTXLINT_SUPPRESSED_INLINE,
    PTXLINT_SUPPRESSED_BY_CONFIG,
    PTXLINT_SUPPRESSED_BY_BASELINE
} ptxlint_suppression;

typedef struct ptxlint_related {
    ptxlint_span span;
    const char *message;
} ptxlint_related;

/* An edit of the module's text that repairs a finding. */
typedef struct ptxlint_fix {
    /* what goes; empty: nothing, the replacement is inserted there */
    ptxlint_span span;
    const char *replacement;
    /* nothing else can have been meant; else a guess, to be looked at before it is applied */
    int is_certain;
} ptxlint_fix;

typedef struct ptxlint_insertion {
    /* the text goes before this line of the module's text as it is, from 1 on */
    uint32_t line;
    const char *text;                   /* statements */
} ptxlint_insertion;

typedef struct ptxlint_diagnostic {
    size_t size;                        /* from one element to the next */
    const char *rule;                   /* "COR101" */
    const char *name;                   /* "never-written-register" */
    const char *group;                  /* "correctness" */
    const char *message;
    const char *label;                  /* what to write at the caret; NULL: nothing */
    const char *help;                   /* what would be right; NULL: nothing */
    const char *kernel;                 /* the function it stands in; NULL: none */
    const char *source_path;            /* through .loc; NULL: none */
    const ptxlint_related *related;
    size_t related_count;
    const ptxlint_fix *fix;             /* NULL: none */
    uint32_t source_line, source_column;
    /* the calls that this place was inlined by, outwards */
    const ptxlint_source_place *inlined_into;
    size_t inlined_count;
    /* further findings of this rule in the same loop, or function, folded into this one */
    uint32_t repeat_count;
    /* what repairing it would free, with those folded: an estimate; NaN: none */
    double gain_percent;
    /* of what: "predicted time" where there is one, else "issue slots"; NULL: no gain */
    const char *gain_of;
    /* suppressed: not shown, not counted, but in PTXLINT_SARIF and PTXLINT_JSON */
    ptxlint_suppression suppression;
    /* as the user wrote it; NULL: not suppressed, or no reason given */
    const char *suppression_reason;
    ptxlint_span span;
    ptxlint_severity severity;
    ptxlint_certainty certainty;
    /* tried: with all of them the launch was run again, and what was found is gone; by line. NULL:
     * none */
    const ptxlint_insertion *repair;
    size_t repair_count;
    /* fix or repair as edits of the text, to be made together, by place; edit_count 0: there is
     * none */
    const ptxlint_fix *edits;
    size_t edit_count;
    const char *kernel_demangled;       /* as PTXLINT_NAME_SIGNATURE; NULL: it is not mangled */
    /* the GPU that it was looked at for ("h200"); NULL: none, as what the front end says */
    const char *gpu;
    /* other CUDA lines that findings folded into this one are in: the first few */
    const ptxlint_source_place *also;
    size_t also_count;
    /* of a rule whose notes are only counted, in formats for people, where their gain is unknown */
    int is_minor;
    /* gain_percent is the most that is to be had; else about what is to be had */
    int is_gain_most;
} ptxlint_diagnostic;

/* All of them, worst first: errors, warnings, notes; what is wrong before what is slow; by gain; by
 * position. */
PTXLINT_API const ptxlint_diagnostic *ptxlint_module_diagnostics(const ptxlint_module *module,
                                                                 size_t *count);

/* ---- fixing ---------------------------------------------------------------------------------- */

/* The text of a module with the edits of its findings made. Each was tried: with it the module was
 * analysed again, its finding was gone, and no error, no warning and no note but one of group
 * "hygiene" came instead. Edits that follow from it are made, too, until there is none. */
typedef struct ptxlint_fixes ptxlint_fixes;

typedef struct ptxlint_fix_options {
    size_t size;                        /* sizeof(ptxlint_fix_options) */
    /* also edits that are no more than likely: not is_certain */
    int is_unsafe;
    /* only findings in kernels that match, and of these groups; NULL: all */
    const char *kernel_glob;
    const char *const *groups;
    size_t group_count;
} ptxlint_fix_options;

PTXLINT_API void ptxlint_fix_options_init(ptxlint_fix_options *options);

/* options: what the module was made with. wanted may be NULL. */
PTXLINT_API ptxlint_status ptxlint_fixes_new(const ptxlint_module *module,
                                             const ptxlint_options *options,
                                             const ptxlint_fix_options *wanted,
                                             ptxlint_fixes **out);
PTXLINT_API void ptxlint_fixes_free(ptxlint_fixes *fixes);

typedef struct ptxlint_fixes_info {
    const char *text;                   /* length bytes, then a NUL */
    size_t length;
    size_t count;                       /* of ptxlint_fixes_at */
    size_t applied_count;               /* of them */
    size_t unsafe_count;                /* findings that is_unsafe would try, too */
    /* more would follow, but for a limit on how often a module is analysed */
    int is_cut_short;
} ptxlint_fixes_info;

PTXLINT_API const ptxlint_fixes_info *ptxlint_fixes_get_info(const ptxlint_fixes *fixes);

typedef struct ptxlint_fix_result {
    const char *rule, *message;
    const char *help;                   /* what the edit does; NULL */
    const char *kernel;                 /* NULL: none */
    /* of the finding, in the text as it was when the edit was tried */
    uint32_t line, column;
    int is_applied;
    const char *why;                    /* why it was taken back, a clause; NULL: it was not */
} ptxlint_fix_result;

/* Number index, in the order they were tried; 0 past the end. */
PTXLINT_API int ptxlint_fixes_at(const ptxlint_fixes *fixes, size_t index,
                                 ptxlint_fix_result *out);

/* ---- instruction mix and peaks --------------------------------------------------------------- */

typedef struct ptxlint_mix_class {
    const char *name;                   /* "fma", "fp32", ...: docs/report.md lists them */
    uint64_t static_count;              /* instructions in the text */
    /* each counted with the trips of the loops around it; 10 where those are not known */
    double weighted_count;
} ptxlint_mix_class;

typedef struct ptxlint_mix {
    /* class_count of them, always the same ones in the same order */
    const ptxlint_mix_class *classes;
    size_t class_count;
    uint64_t instruction_count;         /* static */
    uint64_t fused_count;               /* multiply-adds, static: fma and mad on floats */
    /* mul + add pairs that could be one fma: they round twice as written */
    uint64_t fusable_count;
    /* fused_count / instruction_count; NaN where there are no instructions */
    double fma_fraction;
    double weighted_fma_fraction;
    double weighted_instruction_count;
    /* per thread, weighted; a multiply-add counts 2; flops_tensor is NaN with has_unknown_shapes */
    double flops_fp32, flops_fp64, flops_fp16, flops_tensor;
    /* that a thread loads and stores, weighted; NaN, like flops, with has_assumed_trips */
    double global_bytes;
    /* some loop counted 10: the weighted figures are estimates */
    int has_assumed_trips;
    /* sides of some branch that exclude each other counted alike: the same */
    int has_assumed_branches;
    /* how often a warp blocks, weighted: at barriers, fences and waits, and for loads of global,
     * local and texture memory that are issued before one of them is used; NaN with
     * has_assumed_trips */
    double stops;
    /* the instruction descriptor of some tcgen05.mma, which has its shape, is not a constant */
    int has_unknown_shapes;
} ptxlint_mix;

/* Clocks that one warp's instructions hold a pipeline of an SM for, at its peak rate: a bound, the
 * truth is not below. Every path from entry to exit, the dearest, the cheapest; NaN: not known (a
 * loop of unknown trip count has no total and no longest). */
typedef struct ptxlint_pipe_cycles {
    const char *pipe;                   /* "issue", "fma", ... */
    double total, longest, shortest;
} ptxlint_pipe_cycles;

typedef struct ptxlint_cycles {
    /* those that the GPU's file describes; pipe_count of them */
    const ptxlint_pipe_cycles *pipes;
    size_t pipe_count;
    /* the pipe with the most cycles; NULL: not known */
    const char *bound_total, *bound_longest, *bound_shortest;
} ptxlint_cycles;

typedef struct ptxlint_ceiling {
    /* "fp32 fma", "fp32 add or multiply", "fp64 fma", "fp16 fma", "tensor", "memory", "l2" */
    const char *name;
    /* NaN: not known; of memory and l2: bandwidth times flops per byte */
    double gflops;
} ptxlint_ceiling;

/* What a mix of instructions could reach at best: estimates, from the weighted mix as written. Ryoo
 * et al., PPoPP 2008, section 4; Williams, Waterman and Patterson, "Roofline", CACM 2009. NaN where
 * the GPU's file lacks SMs, clock or bandwidth. */
typedef struct ptxlint_peak {
    /* 10^9 operations of a thread that the GPU issues per second */
    double issue_gops;
    double peak_gflops;                 /* fp32, nothing but multiply-adds */
    /* 2 x share of multiply-adds x issue_gops, at most peak_gflops */
    double potential_gflops;
    double demand_gb_per_s;             /* global memory traffic at full issue */
    double memory_gb_per_s;             /* that the GPU has */
    double flops_per_byte;              /* all flops over global bytes */
    double attainable_gflops;           /* the least of the ceilings that apply */
    const char *ceiling;                /* its name; NULL */
    const ptxlint_ceiling *ceilings;
    size_t ceiling_count;
} ptxlint_peak;

/* ---- loops ----------------------------------------------------------------------------------- */

typedef enum ptxlint_trip_source {
    PTXLINT_TRIP_UNKNOWN,
    PTXLINT_TRIP_CODE,
    PTXLINT_TRIP_LAUNCH,
    PTXLINT_TRIP_USER,
    PTXLINT_TRIP_SYMBOLIC
} ptxlint_trip_source;

typedef struct ptxlint_trip {
    ptxlint_trip_source source;
    /* iterations each time the loop is entered, mean over threads; NaN: not known */
    double count;
    double count_min, count_max;
    /* exact: every thread makes count; bound: another exit may leave earlier */
    ptxlint_certainty certainty;
    const char *expression;             /* "ceil((n - 4) / 4)"; NULL */
    const char *induction;              /* the register that counts; NULL */
    const char *start, *bound;          /* as expressions; NULL */
    int64_t step;                       /* of induction; PTXLINT_UNKNOWN */
    const char *why;                    /* why it is not known; NULL */
} ptxlint_trip;

/* What of an iteration of a loop, or of code in no loop, one warp can have under way at once, by
 * what its machine instructions need of each other: estimates. NaN: not known, as of a loop around
 * another that the launch does not reach. */
typedef struct ptxlint_parallelism {
    /* machine instructions of an iteration, both ways of every branch */
    double instructions;
    /* of them on the longest chain in which each needs the one before */
    double path_instructions;
    /* that such a chain takes by latencies: the critical path */
    double path_clocks;
    /* of a loop: iterations follow each other no faster, by chains that go round; NaN of code in no
     * loop */
    double carried_clocks;
    /* instruction-level parallelism: instructions / path_instructions */
    double ilp;
    /* of global memory; of them on the longest chain of loads */
    double loads, load_path;
    /* memory-level parallelism, loads under way at once: loads / load_path; NaN without loads */
    double mlp;
    double load_bytes;                  /* that all loads of a warp ask for */
    ptxlint_certainty certainty;        /* of all: an estimate, or not known */
} ptxlint_parallelism;

typedef struct ptxlint_loop {
    size_t size;                        /* from one element to the next */
    ptxlint_span header;                /* first instruction of the header block */
    const char *label;                  /* of the header; "" where it has none */
    uint32_t depth;                     /* 1: outermost */
    int64_t parent;                     /* index of the loop around it; -1: none */
    int is_irreducible;
    int is_innermost;
    /* of all its blocks, inner loops included; weighted from this loop inwards */
    ptxlint_mix mix;
    ptxlint_trip trip;
    const ptxlint_cycles *cycles;       /* of one iteration, per GPU of the module */
    const ptxlint_peak *peaks;          /* of its mix, per GPU of the module */
    /* per GPU of the module; NULL in a .func, or where only findings were asked for */
    const ptxlint_parallelism *parallelism;
    ptxlint_source_place source;        /* of its header */
} ptxlint_loop;

/* ---- accesses -------------------------------------------------------------------------------- */

/* What an access costs in a shape of the block. NaN, NULL: not known, or not of that space. */
typedef struct ptxlint_shaped {
    uint32_t block[3];
    double active_threads, sectors_per_request, wavefronts_per_request, addresses_per_request,
        efficiency;
    const char *pattern;
} ptxlint_shaped;

typedef struct ptxlint_access {
    size_t size;                        /* from one element to the next */
    ptxlint_span span;
    /* that it stands in, where the kernel calls that: figures are sums over all calls; NULL: the
     * kernel itself */
    const char *function;
    /* "global", "shared", "local", "const", "generic", "param" */
    const char *space;
    /* "load", "store", "atomic", "reduce", "async-copy", "prefetch" */
    const char *op;
    int64_t bytes;                      /* per thread */
    /* NaN: not known, like the nine below; means over requests */
    double active_threads;
    double sectors_per_request, ideal_sectors_per_request;          /* global memory */
    /* distinct bytes that lanes ask for; 32 a sector */
    double used_bytes_per_request, moved_bytes_per_request;
    double wavefronts_per_request, ideal_wavefronts_per_request;    /* shared memory */
    /* constant memory and kernel parameters: distinct ones, served one by one */
    double addresses_per_request;
    /* used over moved bytes, ideal over real wavefronts, 1 over addresses: 0 to 1 */
    double efficiency;
    /* "broadcast", "contiguous", "offset", "strided", "per-thread", "rows", "irregular", of the
     * worst request; NULL */
    const char *pattern;
    int64_t stride_bytes;               /* from lane to lane, in most of them */
    ptxlint_certainty certainty;
    /* how the addresses lie, in words, and what that rests on; or what is not known */
    const char *why;
    /* instructions that made the address and what they make of lanes, the most telling first; 8 at
     * the most */
    const ptxlint_related *chain;
    size_t chain_count;
    /* where the block is not given, and the access costs more in one shape than in another:
     * estimates for some that blocks often have; the figures above are those of the first. Else
     * none */
    const ptxlint_shaped *shapes;
    size_t shape_count;
    ptxlint_source_place source;
    /* global memory: distinct lines of 128 and segments of 32 bytes that lanes touch, means over
     * requests, whatever the GPU moves for them; NaN: not known */
    double lines_per_request, segments_per_request;
} ptxlint_access;

/* ---- values and branches --------------------------------------------------------------------- */

/* How a value differs from thread to thread. */
typedef enum ptxlint_uniformity {
    PTXLINT_UNIFORMITY_UNKNOWN,
    PTXLINT_UNIFORM_BLOCK,              /* the same in all threads of the block that execute it */
    /* the same in all lanes of a warp that execute it at once */
    PTXLINT_UNIFORM_WARP,
    PTXLINT_AFFINE,                     /* a step from lane to lane */
    PTXLINT_DIVERGENT                   /* lanes may differ in any way */
} ptxlint_uniformity;

/* "block", "warp", "affine", "divergent", "unknown". */
PTXLINT_API const char *ptxlint_uniformity_text(ptxlint_uniformity uniformity);

/* What an instruction writes. */
typedef struct ptxlint_value {
    ptxlint_span span;                  /* the instruction */
    ptxlint_uniformity uniformity;      /* of its first result */
    /* of PTXLINT_AFFINE: from lane to lane; PTXLINT_UNKNOWN: not a constant */
    int64_t stride;
    /* exact; estimate: rests on a shape of the block that was assumed, on lanes that load at once,
     * or on sums that do not overflow */
    ptxlint_certainty certainty;
} ptxlint_value;

/* Of the instruction at a byte of the text. 0: there is none there, or it writes no register, or
 * only findings were asked for. */
PTXLINT_API int ptxlint_module_value_at(const ptxlint_module *module, uint32_t offset,
                                        ptxlint_value *value);

typedef enum ptxlint_split {
    PTXLINT_SPLIT_UNKNOWN,
    PTXLINT_SPLIT_NEVER,
    PTXLINT_SPLIT_PERHAPS,
    PTXLINT_SPLIT_CERTAIN
} ptxlint_split;

/* A branch under a condition, or one of several ways. */
typedef struct ptxlint_branch {
    size_t size;                        /* from one element to the next */
    ptxlint_span span;
    ptxlint_uniformity condition;
    /* whether lanes of one warp can go different ways; CERTAIN: in this launch some do */
    ptxlint_split splits;
    ptxlint_certainty certainty;        /* of splits */
    /* of a warp's executions of it: those in which the warp diverges; NaN: not known */
    double divergent_percent;
    /* issue slots of the launch up to where the lanes meet again, beyond those of lanes packed as
     * at the branch; NaN */
    double wasted_slots;
    /* of the slots of the kernel's own instructions; an estimate; NaN */
    double wasted_percent;
    ptxlint_span meeting;               /* where the ways meet again; {0, 0}: at the end */
    const ptxlint_related *chain;       /* as of an access, of the condition */
    size_t chain_count;
    ptxlint_source_place source;
} ptxlint_branch;

/* ---- launch and registers of a kernel -------------------------------------------------------- */

typedef struct ptxlint_pressure {
    /* 32-bit registers live at once at most, as PTX names them; a bound on none */
    int64_t max_live;
    int64_t max_live_predicates;
    ptxlint_span where;                 /* the instruction before which max_live are live */
    /* names of the registers live there, in order of appearance */
    const char *const *live;
    size_t live_count;
    /* of max_live's place: 64-bit values; 8- and 16-bit values */
    int64_t max_live_64, max_live_16;
} ptxlint_pressure;

typedef enum ptxlint_launch_source {
    PTXLINT_LAUNCH_ASSUMED,
    PTXLINT_LAUNCH_DIRECTIVE,
    PTXLINT_LAUNCH_FILE,
    PTXLINT_LAUNCH_METADATA     /* what lies beside the file: ptxlint_module_info.metadata */
} ptxlint_launch_source;

typedef struct ptxlint_launch {
    int64_t grid[3], block[3];          /* PTXLINT_UNKNOWN where not known */
    int64_t dynamic_shared_bytes;
    ptxlint_launch_source source;
    /* the largest that .maxntid allows, else 256 threads; the rest may still be given */
    int block_is_assumed;
    int64_t cluster[3];
    int64_t blocks, threads_per_block, warps_per_block, warps;  /* of the whole grid */
    int64_t idle_lanes;                 /* of a block's last warp */
    const char *error;                  /* why it fails: the block is beyond the directives; NULL */
    /* "param 2 = 4096": what was not given and figures rest on; of pointers only their alignment
     * counts */
    const char *const *assumed;
    size_t assumed_count;
    /* that would give them: "--block, --param 2=N"; NULL: there is none */
    const char *assumed_options;
} ptxlint_launch;

typedef enum ptxlint_register_source {
    PTXLINT_REGISTERS_UNKNOWN,
    PTXLINT_REGISTERS_MAX_LIVE,         /* live at most, as PTX names them */
    PTXLINT_REGISTERS_PTXAS,            /* as ptxas says */
    PTXLINT_REGISTERS_MODEL,            /* by a model of ptxas: an estimate */
} ptxlint_register_source;

/* What ptxas is likely to do where directives leave a kernel few registers. Spilt bytes are known
 * from ptxas alone. */
typedef enum ptxlint_spills {
    PTXLINT_SPILLS_UNKNOWN,
    PTXLINT_SPILLS_UNLIKELY,
    PTXLINT_SPILLS_POSSIBLE,
    PTXLINT_SPILLS_LIKELY
} ptxlint_spills;

/* ---- what a launch executes ------------------------------------------------------------------ */

/* Machine instructions of one class that a launch executes. */
typedef struct ptxlint_machine_count {
    const char *machine;                /* "fp32", "global": as under `pipes` of a GPU's file */
    double warp_instructions;
} ptxlint_machine_count;

/* What a launch executes: the model of what ptxas makes of the kernel, by how often warps reach
 * each block. NaN: not known. */
typedef struct ptxlint_executed {
    double warp_instructions;           /* machine instructions, all warps */
    /* of active threads; a multiply-add counts two */
    double flops_fp32, flops_fp64, flops_fp16, flops_tensor;
    /* warp_instructions by class, those that there are */
    const ptxlint_machine_count *machine;
    size_t machine_count;
    ptxlint_certainty certainty;
    const char *why;                    /* why nothing is known; NULL: it is */
} ptxlint_executed;

/* ---- time of a launch ------------------------------------------------------------------------ */

/* One thing that a launch keeps busy, and for how long. */
typedef struct ptxlint_time_part {
    const char *part;                   /* "dispatch", "issue", "dram", ...: docs/time.md */
    double us;
} ptxlint_time_part;

#define PTXLINT_TIME_PARTS 11

/* How long a launch takes, on a machine that it has to itself, what it reads not in a cache yet.
 * NaN: not known. */
typedef struct ptxlint_time {
    double dram_bytes;                  /* distinct ones that are read and written */
    /* no launch is faster at the peak clock; the best single guess */
    double bound_us, predicted_us;
    /* where nine in ten such launches fall; bound_us <= low_us <= predicted_us <= high_us */
    double low_us, high_us;
    const char *why;                    /* why nothing is predicted; NULL: it is */
    /* what makes them such, "memory", "guessed", ...: docs/time.md; NULL */
    const char *band;
    /* on such a GPU; else the band is that of an H200, and wider */
    int band_is_measured;
    /* why there is no bound though there is a prediction; NULL */
    const char *bound_why;
    /* what holds the bound, what takes longest: a part, or the pipeline's own name; NULL */
    const char *bound_by, *limiter;
    ptxlint_time_part parts[PTXLINT_TIME_PARTS];
    size_t part_count;                  /* 0: nothing is known */
    /* of dram_bytes, of bound_us, of the prediction */
    ptxlint_certainty bytes_certainty, bound_certainty, certainty;
} ptxlint_time;

/* What limits a launch, and what moving that would give: estimates, like the prediction that they
 * rest on. NaN, NULL: not known. */
typedef struct ptxlint_bottleneck {
    /* of the predicted time: the busiest pipe or issue slots; the way to memory; issue slots */
    double compute_percent, memory_percent, issue_percent;
    /* predicted, did the limiter take nothing: no change to it gives more */
    double relieved_us;
    const char *next;                   /* the limiter then */
    const char *advice;                 /* what would move the limiter */
    /* what a full wave of blocks takes, or the only one; what the launch takes longer than the same
     * work would, did each SM have as many blocks as the others: 0 for whole waves */
    double wave_us, tail_us;
    /* what kind the limiter is of: "instruction-limited" (issue slots, pipelines, shared memory),
     * "memory-limited", "latency-limited" or "launch-limited" */
    const char *verdict;
    /* of warps' requests: wavefronts of shared memory beyond the fewest, and on a GPU that loads
     * lines of 128 bytes lines beyond the fewest. An access that is not known has none, nor has a
     * function that is called. NaN: not known, of another GPU than the first, or of
     * ptxlint_estimate */
    double replays;
} ptxlint_bottleneck;

/* With the operations that the launch executes and the bytes that come from memory. NaN, NULL: not
 * known, or no floating point. */
typedef struct ptxlint_roofline {
    double flops, flops_per_byte;
    double ridge_flops_per_byte;        /* from where on pipelines hold it, and not memory */
    double attainable_gflops, predicted_gflops;
    const char *ceiling;                /* what holds attainable_gflops: as in ptxlint_peak */
    ptxlint_certainty certainty;
    /* why flops_per_byte and attainable_gflops are unknown while predicted_gflops is not; NULL */
    const char *why;
} ptxlint_roofline;

/* Little's law on one SM: what has to be under way at once is latency x throughput. */
typedef struct ptxlint_concurrency {
    /* of loads, for the bandwidth of memory, by its least and most latency; figures of the GPU
     * alone */
    double bytes_needed_low, bytes_needed_high;
    double operations_needed;           /* independent fp32 operations of threads, for the peak */
    double warps;                       /* that the launch keeps on an SM */
    double bytes, operations;           /* that these have under way */
    int64_t loop;                       /* where: index of the kernel's loop; -1: code in no loop */
    ptxlint_certainty certainty;        /* of warps, bytes and operations */
} ptxlint_concurrency;

/* ---- instructions of a kernel ---------------------------------------------------------------- */

/* An instruction of a kernel in the launch, on one GPU. NaN, PTXLINT_UNKNOWN, NULL: not known, or
 * it has none. */
typedef struct ptxlint_instruction {
    size_t size;                        /* from one element to the next */
    ptxlint_span span;
    uint32_t line, column;              /* of the PTX */
    /* that it stands in, where the kernel calls that: figures are sums over all calls; NULL: the
     * kernel itself */
    const char *function;
    ptxlint_source_place source;        /* through .loc; path NULL: none */
    int64_t loop;                       /* index of the innermost loop around it; -1: none */
    /* live at it, before it or after it with what it writes: 32-bit registers as
     * ptxlint_pressure.max_live counts them, of which each 64-bit value takes two; predicates */
    int64_t live_registers, live_32, live_64, live_predicates;
    ptxlint_uniformity uniformity;      /* of its first result */
    /* of an SM, each time that a warp executes it, at the peak rate: of issue slots; of the
     * pipeline that it holds longest, by name as in ptxlint_pipe_cycles */
    double issue_cycles, pipe_cycles;
    const char *pipe;
    double machine_instructions;        /* that the model of ptxas makes of it; 0: none */
    /* by all warps of the launch, and by their active threads */
    double executions, thread_executions;
    ptxlint_certainty executions_certainty;
    /* of an access, all requests of the launch: sectors of global memory, wavefronts of shared
     * memory, and the fewest that would do */
    double sectors, ideal_sectors, wavefronts, ideal_wavefronts;
    ptxlint_certainty access_certainty;
    /* of ptxlint_projection.code_us, 0 to 1, in all 1: each part of the time is shared among the
     * instructions that take it (docs/time.md, "By instruction"): an estimate */
    double time_share;
} ptxlint_instruction;

/* ---- kernels --------------------------------------------------------------------------------- */

/* A kernel on one GPU. */
typedef struct ptxlint_projection {
    size_t size;                        /* from one element to the next */
    const ptxlint_gpu *gpu;
    int64_t registers;                  /* per thread, that occupancy is for */
    ptxlint_register_source register_source;
    /* of the model: nine in ten kernels lie from low to high; of ptxas: registers */
    int64_t registers_low, registers_high;
    /* the model was fitted to such targets (sm_75 and later); else the band is wide, by judgement
     * */
    int registers_are_calibrated;
    /* the most that directives and the GPU leave a thread; unknown without the model */
    int64_t register_cap;
    ptxlint_spills spills;              /* by the model, beyond that cap */
    /* that occupancy is for: what ptxas says, where its log is given, and no dynamic shared memory
     * where the kernel has no use for it */
    ptxlint_resources resources;
    int64_t spill_store_bytes, spill_load_bytes, stack_bytes;   /* from ptxas */
    ptxlint_occupancy occupancy;
    ptxlint_cycles cycles;              /* of a warp, entry to exit */
    ptxlint_peak peak;                  /* of the weighted mix */
    double waves;                       /* blocks over those resident on the whole GPU at once */
    int64_t full_waves, tail_blocks;    /* tail_blocks: in the last wave, where it is not full */
    double tail_percent;                /* how much of the last wave is filled */
    double utilisation_percent;         /* of all waves, were all blocks equally long */
    ptxlint_executed executed;          /* by the launch */
    ptxlint_time time;
    ptxlint_parallelism rest;           /* of what is in no loop */
    ptxlint_bottleneck bottleneck;
    ptxlint_roofline roofline;
    ptxlint_concurrency concurrency;
    /* of the predicted time, what instructions make: the rest begins and ends the launch, and gives
     * blocks to SMs. NaN: not known, or not asked for */
    double code_us;
    /* with options.has_instructions: of the kernel, in order, then of what it calls; none where it
     * has syntax errors */
    const ptxlint_instruction *instructions;
    size_t instruction_count;
} ptxlint_projection;

/* A parameter of a kernel, as the driver lays it out. */
typedef struct ptxlint_param {
    size_t size;                        /* from one element to the next */
    const char *name;
    /* of an element: "u64", "f32"; "b8" of a struct or an array of bytes */
    const char *type;
    /* offset: from the first parameter's; PTXLINT_UNKNOWN: one before it has no size */
    int64_t bytes, offset;
    uint32_t align;
    /* in the CUDA source that .loc leads to, where options.sources reads it; NULL: not known */
    const char *source_name;
} ptxlint_param;

/* What a CUDA line of a kernel costs in the launch; NaN: not known. */
typedef struct ptxlint_hot_line {
    size_t size;                        /* from one element to the next */
    ptxlint_source_place source;        /* column 0 */
    /* of the issue slots of the kernel's own code: an estimate */
    double issue_percent;
    /* of global memory: of the launch (not known where its grid is not), the fewest for the same
     * bytes, of those of all lines */
    double sectors, ideal_sectors, sectors_percent;
    /* of shared memory: wavefronts of the launch beyond the fewest, of those of all lines */
    double conflict_wavefronts, conflict_percent;
    /* of sectors and conflicts: of the least certain access */
    ptxlint_certainty certainty;
    /* of ptxlint_projection.code_us on the module's first GPU, as ptxlint_instruction.time_share:
     * an estimate */
    double time_percent;
} ptxlint_hot_line;

typedef struct ptxlint_kernel {
    size_t size;                        /* from one element to the next */
    const char *name;
    ptxlint_span span;                  /* header to closing brace */
    ptxlint_span name_span;
    int is_entry;                       /* else a .func */
    int is_recursive;
    int has_syntax_error;               /* data-flow figures are unknown */
    uint64_t block_count, edge_count, unreachable_block_count;
    /* declared in the function, and in the module where it names them; unknown where it calls and
     * what can be called may use more */
    int64_t static_shared_bytes;
    int64_t local_bytes, param_bytes;   /* declared in the function */
    /* named barriers, of what it calls too: highest number + 1; 16 where one is in a register;
     * unknown where something that it calls is not there */
    int64_t barriers;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;     /* directives; 0: not given */
    ptxlint_launch launch;
    ptxlint_pressure pressure;
    ptxlint_mix mix;
    const ptxlint_loop *loops;          /* outer before inner */
    size_t loop_count;
    const ptxlint_access *accesses;     /* in line order */
    size_t access_count;
    const ptxlint_branch *branches;     /* in line order */
    size_t branch_count;
    const ptxlint_projection *projections;      /* per GPU of the module */
    size_t projection_count;
    const ptxlint_param *params;        /* of an entry, in order; of a .func none */
    size_t param_count;
    const char *demangled;              /* as PTXLINT_NAME_SIGNATURE; NULL: it is not mangled */
    /* which of its launches this one is, from 0, and how many are known; 0: none */
    uint32_t launch_number, launch_count;
    /* the CUDA lines that cost most, hottest first; none without .loc, or where the launch is not
     * followed */
    const ptxlint_hot_line *hot_lines;
    size_t hot_line_count;
    ptxlint_source_place source;        /* of its first instruction with a CUDA line */
    ptxlint_source_place live_source;   /* of pressure.where */
    size_t same_count;                  /* kernels with the same code that take_same is still asked
                                         * for */
} ptxlint_kernel;

/* Functions with a body, in file order: entries and .funcs. */
PTXLINT_API const ptxlint_kernel *ptxlint_module_kernels(const ptxlint_module *module,
                                                         size_t *count);

/* With options.has_each_launch: the module with the launch of that number, from 1, of the kernels
 * whose launch_count is higher; NULL: no kernel has so many. It is part of the module. */
PTXLINT_API const ptxlint_module *ptxlint_module_launch(const ptxlint_module *module,
                                                        uint32_t number);

/* How many times as fast a program is of which a share (0 to 1) becomes `speedup` times as fast
 * (Amdahl, AFIPS 1967): what the gain of a kernel is worth. NaN where it is undefined. */
PTXLINT_API double ptxlint_amdahl(double share, double speedup);

/* Figures that budgets limit and diffs compare: number index; 0 past the end. */
typedef struct ptxlint_metric {
    const char *key, *unit, *what;      /* "occupancy_percent" */
    int is_higher_better;
    /* by which it may get worse before ptxlint_diff calls it a regression: "8", "5%"; "off": by any
     * */
    const char *tolerance;
} ptxlint_metric;

PTXLINT_API int ptxlint_metric_at(size_t index, ptxlint_metric *out);

typedef struct ptxlint_measure {
    double value;                       /* NaN: not known */
    ptxlint_certainty certainty;
} ptxlint_measure;

/* Metric number `metric` of a kernel on its GPU number `projection`; of "findings" NaN, since these
 * are of the module. 0: there is none. */
PTXLINT_API int ptxlint_kernel_measure(const ptxlint_kernel *kernel, size_t projection,
                                       size_t metric, ptxlint_measure *out);

/* A hash of a kernel's statements as ptxlint_module_statement has them: the same where nothing but
 * names, comments and lines differ. */
PTXLINT_API uint64_t ptxlint_module_body(const ptxlint_module *module,
                                         const ptxlint_kernel *kernel);

/* ---- graphs ---------------------------------------------------------------------------------- */

/* The control flow of a kernel or function, and what its instructions need of each other. */
typedef struct ptxlint_graph ptxlint_graph;

/* A basic block. Instructions are numbered from 0 on, in order of the text. */
typedef struct ptxlint_block {
    size_t size;                        /* from one element to the next */
    ptxlint_span span;                  /* of its instructions */
    const char *label;                  /* in front of the first; "" where there is none */
    uint32_t first, end;                /* instructions: first, and one past the last */
    /* the block that immediately dominates it, post-dominates it; -1: none, only the exit */
    int64_t dominator, post_dominator;
    int64_t loop;                       /* the innermost: index of the kernel's loop; -1: none */
    int is_header;                      /* of that loop */
    int is_reachable;
} ptxlint_block;

typedef struct ptxlint_edge {
    size_t size;                        /* from one element to the next */
    uint32_t from;                      /* index of the block */
    int64_t to;                         /* the same; -1: the function is left */
    int is_fall_through;
    int is_back;                        /* from inside a loop to its header */
} ptxlint_edge;

typedef enum ptxlint_dependence_kind {
    PTXLINT_DEPENDENCE_REGISTER = 1,    /* reads a register that the other may have written last */
    /* may touch the same memory, and one of the two writes it */
    PTXLINT_DEPENDENCE_MEMORY,
    /* whether its block runs, the branch decides; `to` is the first instruction of the block */
    PTXLINT_DEPENDENCE_CONTROL
} ptxlint_dependence_kind;

/* Instruction `to` needs instruction `from`. */
typedef struct ptxlint_dependence {
    size_t size;                        /* from one element to the next */
    uint32_t from, to;
    ptxlint_dependence_kind kind;
    const char *name;                   /* the register; the state space; "" of control */
    int from_writes, to_writes;         /* of memory */
    int is_carried;                     /* by a later iteration alone: through a back edge */
} ptxlint_dependence;

/* Who calls whom in the module. */
typedef struct ptxlint_call {
    size_t size;                        /* from one element to the next */
    const char *caller;
    const char *callee;                 /* NULL: by a pointer, to a function that is not known */
    int is_defined;                     /* callee has a body in the module */
    int is_recursive;                   /* caller reaches itself */
} ptxlint_call;

/* kernel: of the module's own, which must have been analysed, not loaded; syntax_only will do. */
PTXLINT_API ptxlint_status ptxlint_graph_new(const ptxlint_module *module,
                                             const ptxlint_kernel *kernel, ptxlint_graph **out);
PTXLINT_API void ptxlint_graph_free(ptxlint_graph *graph);

typedef struct ptxlint_graph_info {
    size_t size;                        /* sizeof(ptxlint_graph_info) of the library */
    const ptxlint_block *blocks;        /* in order of the text; none: no instructions */
    size_t block_count;
    const ptxlint_edge *edges;          /* by block */
    size_t edge_count;
    const ptxlint_span *instructions;
    size_t instruction_count;
    const ptxlint_dependence *dependences;      /* by `to` */
    size_t dependence_count;
    const ptxlint_call *calls;          /* of all functions of the module, in order of the text */
    size_t call_count;
    int has_unknown_target;             /* where a branch leads is not known */
    /* there are more dependences than are kept (docs/limits.md); which, is not known */
    int is_cut;
} ptxlint_graph_info;

PTXLINT_API const ptxlint_graph_info *ptxlint_graph_get_info(const ptxlint_graph *graph);

/* ---- what loops compute ---------------------------------------------------------------------- */

typedef enum ptxlint_recognized_class {
    PTXLINT_RECOGNIZED_NONE,            /* why says why not */
    PTXLINT_LINEAR_INDUCTION,           /* v = v + c, c the same in all iterations */
    PTXLINT_POLYNOMIAL_INDUCTION,       /* v = v + w, w a linear induction */
    PTXLINT_GEOMETRIC_INDUCTION,        /* v = v * c */
    PTXLINT_SCALAR_REDUCTION,   /* v = v op e, e free of v; nothing else of the loop reads v */
    PTXLINT_LINEAR_RECURRENCE,          /* v = a * v + b, a and b free of v */
    PTXLINT_LOCATION,           /* set where a minimum or maximum of the loop is */
    /* of arrays; s: a sum of products of the indices; e: free of a */
    PTXLINT_ARRAY_ASSIGNMENT,           /* a[s] = e */
    PTXLINT_STENCIL,            /* a[s] = e, e of neighbours of one element of another array */
    PTXLINT_SCATTER,                    /* a[b[s]] = e */
    PTXLINT_GATHER,                     /* a load of a[b[s]] */
    PTXLINT_ARRAY_REDUCTION,            /* a[s] = a[s] op e */
    PTXLINT_HISTOGRAM,                  /* a[b[s]] = a[b[s]] op e */
    PTXLINT_SCAN,                       /* v = v op e, a[s] = v; a[s] = a[s - 1] op e */
    /* of the lanes of a warp, by shuffles */
    PTXLINT_WARP_REDUCTION, PTXLINT_WARP_SCAN,
    PTXLINT_BLOCK_REDUCTION,    /* a value of each thread of the block, combined to one */
    PTXLINT_BLOCK_SCAN          /* each thread, or word, has those before it combined */
} ptxlint_recognized_class;

/* "linear induction", ... */
PTXLINT_API const char *ptxlint_recognized_class_text(ptxlint_recognized_class recognized);

/* A register that a loop carries from one iteration to the next, and what the loop makes of it; or
 * an array that a loop, or the loop that the grid stands for, accesses by an instruction. */
typedef struct ptxlint_recognized {
    size_t size;                        /* from one element to the next */
    ptxlint_recognized_class recognized;
    size_t loop;                        /* index of the kernel's loop; SIZE_MAX: the grid */
    ptxlint_span header;                /* the first instruction of that loop; empty: the grid */
    ptxlint_span span;                  /* the last instruction that computes it */
    const char *variable;               /* its register; "" where there are several, or none */
    const char *operation;              /* "add", ...; "" where it is not one */
    const char *why;                    /* of PTXLINT_RECOGNIZED_NONE; else "" */
    /* of a linear induction; of an array in bytes; PTXLINT_UNKNOWN: no number */
    int64_t step;
    uint32_t instruction_count;         /* that compute it */
    int is_conditional;                 /* not in each iteration */
    int is_reinitialized;       /* set to a number in each iteration of the next outer loop */
    int is_array;
    /* the variable or parameter that the array is; "" where that is not known, or of a register */
    const char *array;
    size_t array_offset;                /* of the pointer within a parameter, in bytes */
    /* or elements in shared memory, that are combined; 0: not known, or of another class */
    uint32_t lanes;
    const char *advice;                 /* what follows from the class, in a sentence; "" */
    const char *array_title;            /* the array as the source has it: "part", "param_2" */
} ptxlint_recognized;

typedef enum ptxlint_link_kind {
    PTXLINT_LINK_STRUCTURAL,    /* an index: for a subscript, or how far a loop or the grid goes */
    PTXLINT_LINK_FLOW,                  /* a value */
    PTXLINT_LINK_CONTROL                /* a condition */
} ptxlint_link_kind;

/* What one of them needs another for. Nodes are the items of a recognition, and behind them the
 * indices of the grid. */
typedef struct ptxlint_link {
    size_t size;                        /* from one element to the next */
    size_t from, to;                    /* nodes: `to` needs `from` */
    ptxlint_link_kind kind;
    int is_by_memory;           /* `from` may have stored it to an array that `to` loads from */
} ptxlint_link;

/* Registers of a thread as the model estimates them, nine in ten from low to high; and what of an
 * SM's warps is resident with them. */
typedef struct ptxlint_fission_figures {
    int64_t max_live;                   /* registers, in the PTX */
    int64_t registers, registers_low, registers_high;
    int64_t warps_per_sm;
    int64_t least_warps_per_sm;         /* with registers_high */
    double occupancy_percent;
} ptxlint_fission_figures;

/* What a kernel does for some of the arrays that it stores to, as a kernel of its own. */
typedef struct ptxlint_fission_part {
    size_t size;                        /* from one element to the next */
    const char *arrays;                 /* "sums, counts" */
    ptxlint_span store;                 /* the first of its stores and atomics */
    uint32_t store_count;
    /* instructions, in loops where there are any: its own, those that others need, too */
    uint32_t own_count, shared_count;
    ptxlint_fission_figures figures;
} ptxlint_fission_part;

/* A kernel whose arrays need of each other no more than indices, addresses, what decides how far
 * they go, and what each part can compute again: docs/recognize.md. Each parameter counts as an
 * array of its own. Without parts: registers limit occupancy, and why says why it is not split. */
typedef struct ptxlint_fission {
    size_t size;
    const ptxlint_gpu *gpu;
    int64_t threads_per_block;
    int is_block_assumed;
    ptxlint_fission_figures whole;
    const ptxlint_fission_part *parts;
    size_t part_count;
    /* registers limit occupancy, and it rises for each part */
    int is_advised;
    const char *why;                    /* it is not; else "" */
    /* instructions, beyond indices and addresses, that more than one part computes; their first */
    uint32_t again_count;
    ptxlint_span again;
} ptxlint_fission;

/* What a kernel's or function's loops compute: docs/recognize.md. */
typedef struct ptxlint_recognition ptxlint_recognition;

/* kernel: as for ptxlint_graph_new. */
PTXLINT_API ptxlint_status ptxlint_recognition_new(const ptxlint_module *module,
                                                   const ptxlint_kernel *kernel,
                                                   ptxlint_recognition **out);
/* The same, with links. */
PTXLINT_API ptxlint_status ptxlint_recognition_new_linked(const ptxlint_module *module,
                                                          const ptxlint_kernel *kernel,
                                                          ptxlint_recognition **out);
/* The same for launches of a kernel, one behind the other (ptxlint_module_launch): where a block is
 * that of the last one, rows are kept. of: NULL at first; freed where another cannot be made. The
 * modules live until it is freed. has_fission: 0 leaves out ptxlint_recognition_fission, which
 * takes time. */
PTXLINT_API ptxlint_status ptxlint_recognition_relaunch(ptxlint_recognition **of,
                                                        const ptxlint_module *module,
                                                        const ptxlint_kernel *kernel,
                                                        int has_fission);
PTXLINT_API void ptxlint_recognition_free(ptxlint_recognition *recognition);

/* By loop, then in order of the text. */
PTXLINT_API const ptxlint_recognized *ptxlint_recognition_items(const ptxlint_recognition *of,
                                                                size_t *count);

/* There are more dependences than are kept (docs/limits.md): nothing is recognized. */
PTXLINT_API int ptxlint_recognition_is_cut(const ptxlint_recognition *of);

/* By `to`, then `from`. NULL and 0 without links. */
PTXLINT_API const ptxlint_link *ptxlint_recognition_links(const ptxlint_recognition *of,
                                                          size_t *count);
/* There may be more links than these: docs/limits.md. */
PTXLINT_API int ptxlint_recognition_is_links_cut(const ptxlint_recognition *of);

/* NULL: there are no parts, and registers do not limit occupancy. */
PTXLINT_API const ptxlint_fission *ptxlint_recognition_fission(const ptxlint_recognition *of);

/* "%tid.x", ...: the name of a node that stands behind the items; NULL: there is none such. */
PTXLINT_API const char *ptxlint_recognition_index_name(const ptxlint_recognition *of, size_t node);

/* ---- what lanes ask for ---------------------------------------------------------------------- */

enum { PTXLINT_LANES = 32 };

/* What a warp asks of one memory at once: of an access the request that costs most, among those of
 * the first blocks of the launch. */
typedef struct ptxlint_request {
    size_t size;                        /* from one element to the next */
    ptxlint_span span;                  /* the instruction */
    const char *space;                  /* "global", "shared" */
    uint32_t lanes;                     /* bit i: lane i takes part */
    uint32_t bytes;                     /* of each lane */
    /* of each lane, from a line of 128 bytes on, which the lowest lies in; PTXLINT_UNKNOWN: it
     * takes no part */
    int64_t offsets[PTXLINT_LANES];
    /* wavefronts of shared memory, sectors of global memory; the fewest for as many bytes */
    double cost, ideal_cost;
    uint32_t kind_count;                /* requests of the access that differ, as far as kept */
    int is_assumed;                     /* rests on what was not given */
    int is_matrix;                      /* ldmatrix and the like: each lane gives a row's address */
    /* another layout of a variable in shared memory, as findings propose it: in words, its cost of
     * this request, and where lanes are then, as offsets; NULL: none, NaN */
    const char *advice;
    double advised_cost;
    int64_t advised_offsets[PTXLINT_LANES];
} ptxlint_request;

typedef struct ptxlint_requests ptxlint_requests;

/* Runs some blocks of a kernel of the module's own again, on its first GPU. The module must have
 * been made with figures; PTXLINT_BAD_ARGUMENT also where its launch is not followed. */
PTXLINT_API ptxlint_status ptxlint_requests_new(const ptxlint_module *module,
                                                const ptxlint_kernel *kernel,
                                                ptxlint_requests **out);
PTXLINT_API void ptxlint_requests_free(ptxlint_requests *requests);

/* In order of the text, of the kernel's own instructions. */
PTXLINT_API const ptxlint_request *ptxlint_requests_all(const ptxlint_requests *requests,
                                                        size_t *count);

/* ---- before a launch ------------------------------------------------------------------------- */

/* A launch that may be. 0, negative, NULL: as the launches of the module's options have it. */
typedef struct ptxlint_trial {
    size_t size;                        /* sizeof(ptxlint_trial) */
    int64_t grid[3], block[3];
    int64_t dynamic_shared_bytes;
    /* .maxnreg: the most that a thread gets; 0: as the kernel has it */
    int64_t max_registers;
    /* by position, as cuLaunchKernel takes them; NULL for a pointer */
    const void *const *params;
    size_t param_count;
    /* 0: one block is evaluated; else as many as so many instructions of warps do for, as in a
     * report: closer, and slower */
    int64_t steps;
} ptxlint_trial;

typedef struct ptxlint_estimated {
    size_t size;                        /* sizeof(ptxlint_estimated), set by the caller */
    ptxlint_occupancy occupancy;
    double waves;
    double warp_instructions;
    /* of global memory, all accesses together */
    double sectors_per_request, ideal_sectors_per_request;
    double wavefronts_per_request, ideal_wavefronts_per_request;        /* of shared memory */
    /* of global memory: how often a thread makes one, in the whole launch; NaN too where that rests
     * on data or on what was assumed */
    double thread_accesses;
    int knows_params;                   /* no integer among the parameters was assumed */
    ptxlint_spills spills;              /* with max_registers: by the band of the registers */
    ptxlint_time time;                  /* without what spills cost */
    ptxlint_bottleneck bottleneck;
    /* per thread, without max_registers: as of a ptxlint_projection */
    int64_t registers, registers_low, registers_high;
    double lines_per_request;           /* of global memory, as of ptxlint_access */
} ptxlint_estimated;

PTXLINT_API void ptxlint_trial_init(ptxlint_trial *trial);

/* One kernel and launch on the module's GPU of that number, from one of its blocks: quick enough
 * to be asked before a launch. The module must have been made with figures (not findings_only, not
 * syntax_only) or with estimates_only, which is the quickest way from PTX to an estimate; any
 * number of threads may ask the same module at once, those that ask one after the other share what
 * was found. PTXLINT_BAD_ARGUMENT also where there is no such kernel. Where several have the name,
 * a ptxlint_kernel's own name, by its address, means that one. What is unknown is NaN. */
PTXLINT_API ptxlint_status ptxlint_estimate(const ptxlint_module *module, const char *kernel,
                                            size_t gpu, const ptxlint_trial *trial,
                                            ptxlint_estimated *out);

/* Why a kernel may do other work with another block; those further down say more. */
typedef enum ptxlint_binding {
    PTXLINT_BINDING_NONE,               /* it does the same */
    PTXLINT_BINDING_UNKNOWN,            /* its code is not followed */
    PTXLINT_BINDING_CLOCK,              /* it asks for a clock, an SM or the like */
    PTXLINT_BINDING_CALL,               /* it calls functions */
    PTXLINT_BINDING_COUNT,              /* it asks for %nctaid but in %ntid * %nctaid, */
    PTXLINT_BINDING_NUMBER,             /* for %ctaid but in %ctaid * %ntid, */
    PTXLINT_BINDING_SIZE,               /* for %ntid but in one of the two, */
    PTXLINT_BINDING_PLACE,              /* for %tid but beside %ctaid * %ntid */
    PTXLINT_BINDING_BARRIER,            /* threads of a block wait for each other */
    PTXLINT_BINDING_SHARED,             /* threads of a block share memory */
    PTXLINT_BINDING_CONSTANT            /* a number stands for %ntid: number * %ctaid + %tid */
} ptxlint_binding;

/* How a kernel identifies its threads. Where nothing binds a dimension, any %ntid does the same
 * work for which %ntid * %nctaid is as before. */
typedef struct ptxlint_thread_index {
    size_t size;                        /* sizeof(ptxlint_thread_index), set by the caller */
    ptxlint_binding binding[3];         /* per dimension */
    size_t line[3];                     /* that binds it; 0: none */
    int64_t number[3];                  /* of PTXLINT_BINDING_CONSTANT */
    int asks_total[3];                  /* for %ntid * %nctaid */
    /* for lanes: the same only where rows of the block are whole warps */
    int asks_lane;
    /* an array of a fixed size in shared memory, cut short; "": none */
    char shared[64];
    int64_t shared_bytes;
} ptxlint_thread_index;

/* Of a kernel of a module that ptxlint_estimate() would take. */
PTXLINT_API ptxlint_status ptxlint_thread_index_find(const ptxlint_module *module,
                                                     const char *kernel, ptxlint_thread_index *out);

/* ---- measurements ---------------------------------------------------------------------------- */

/* Times of launches that someone measured: docs/verify.md. */
typedef struct ptxlint_measurements ptxlint_measurements;

/* Of a launch; NULL, PTXLINT_UNKNOWN, NaN: the row does not say. */
typedef struct ptxlint_measurement {
    size_t size;                        /* sizeof(ptxlint_measurement), set by the caller */
    const char *kernel;                 /* mangled, as C++ has it, or as a profiler prints it */
    const char *path;                   /* of the PTX, or its end */
    const char *gpu;
    int64_t grid[3], block[3];
    int64_t dynamic_shared_bytes;
    double us;
    double resolution_us;               /* half of the last digit that the file has of it */
} ptxlint_measurement;

/* Reads a table of Nsight Compute or Systems, JSON lines, a JSON array, CSV with names in its first
 * row, or the timings that Triton's autotuner keeps. column: that has the time, by a name that ends
 * in us, ns or ms; NULL: us, time_us, duration_ns and the like. On PTXLINT_BAD_FILE *error (of
 * error_size bytes, may be NULL) says which row is wrong, and why. */
PTXLINT_API ptxlint_status ptxlint_measurements_new(const char *text, size_t length,
                                                    const char *column,
                                                    ptxlint_measurements **out, char *error,
                                                    size_t error_size);
PTXLINT_API void ptxlint_measurements_free(ptxlint_measurements *measurements);

/* 0: past the end. */
PTXLINT_API int ptxlint_measurement_at(const ptxlint_measurements *measurements, size_t index,
                                       ptxlint_measurement *out);

/* Whether row number index may be of the kernel: name, path and what is known of its block and
 * shared memory agree. */
PTXLINT_API int ptxlint_measurement_is_of(const ptxlint_measurements *measurements, size_t index,
                                          const ptxlint_module *module,
                                          const ptxlint_kernel *kernel);

typedef enum ptxlint_verdict {
    PTXLINT_VERDICT_UNKNOWN,
    /* no such launch is that fast, on any board of that GPU, whatever its clock: certain */
    PTXLINT_VERDICT_IMPOSSIBLE,
    PTXLINT_VERDICT_FASTER,             /* than the band, and possible */
    PTXLINT_VERDICT_PREDICTED,          /* in the band */
    PTXLINT_VERDICT_SLOWER              /* than the band */
} ptxlint_verdict;

/* "unknown", "impossible", "faster", "as predicted", "slower". */
PTXLINT_API const char *ptxlint_verdict_name(ptxlint_verdict verdict);

typedef struct ptxlint_verify_options {
    /* sizeof(ptxlint_verify_options), set by ptxlint_verify_options_init */
    size_t size;
    size_t gpu;                         /* number of the module's */
    int is_warm;        /* caches may hold what the launch reads, of one before it */
    /* of the SMs at most, while it was measured; 0: the highest of the GPU */
    double clock_mhz;
    /* a prediction is all that is wanted, quickly: from one block, as ptxlint_estimate() has it;
     * there is no certain bound then */
    int is_quick;
} ptxlint_verify_options;

PTXLINT_API void ptxlint_verify_options_init(ptxlint_verify_options *options);

/* NaN, NULL: not known. */
typedef struct ptxlint_verified {
    size_t size;                        /* sizeof(ptxlint_verified), set by the caller */
    ptxlint_verdict verdict;
    double measured_us;
    ptxlint_time time;                  /* as of ptxlint_estimate, of the launch of the row */
    ptxlint_bottleneck bottleneck;
    /* the least that the launch can take: at the highest clock and the peak of memory, without any
     * overhead, by what is counted exactly; with caches as options say, and with what they may hold
     * in them */
    double least_us, least_warm_us;
    const char *least_by;               /* a part or a pipeline, as of ptxlint_time.bound_by */
    double clock_mhz, memory_gb_per_s;  /* that least_us takes */
    double least_bytes;                 /* that must pass between memory and L2 */
    double slowdown;                    /* measured over predicted */
    char reason[480];                   /* sentences: why this verdict */
} ptxlint_verified;

/* Holds row number index against a kernel of a module, which must be as ptxlint_estimate() wants
 * it. What the row does not say of its launch is as the module's launches have it. Where several
 * kernels have the name, as of ptxlint_estimate(). */
PTXLINT_API ptxlint_status ptxlint_verify(const ptxlint_module *module, const char *kernel,
                                          const ptxlint_measurements *measurements, size_t index,
                                          const ptxlint_verify_options *options,
                                          ptxlint_verified *out);

/* How much is done, of what is foreseen. */
typedef void (*ptxlint_progress_fn)(void *context, size_t done, size_t count);

/* Figures of a GPU, fitted to measurements: docs/your-gpu.md. */
typedef struct ptxlint_calibration ptxlint_calibration;

typedef struct ptxlint_calibrate_options {
    /* sizeof(ptxlint_calibrate_options), set by ptxlint_calibrate_options_init */
    size_t size;
    const ptxlint_gpu *gpu;             /* that is calibrated; each module has it */
    const char *kernel_glob;            /* as of ptxlint_name_fits; NULL: any kernel */
    double clock_mhz;                   /* as of ptxlint_verify_options */
    size_t max_rows;                    /* that are looked at, evenly over all; 0: 2,000 */
    /* how many predictions of rows are made, of those that are foreseen; NULL: not asked for */
    ptxlint_progress_fn progress;
    void *progress_context;
    /* asked before each row: nonzero ends it, with PTXLINT_STOPPED; NULL: nothing does */
    ptxlint_stop_fn is_stopped;
    void *stop_context;
} ptxlint_calibrate_options;

PTXLINT_API void ptxlint_calibrate_options_init(ptxlint_calibrate_options *options);

/* Fits figures of PTXLINT_FIGURE_SUSTAINED to the rows of kernels of these modules, which must be
 * as ptxlint_estimate() wants them. None of them is kept. Where nothing can be fitted that is an
 * answer, too. */
PTXLINT_API ptxlint_status ptxlint_calibrate(const ptxlint_module *const *modules, size_t count,
                                             const ptxlint_measurements *measurements,
                                             const ptxlint_calibrate_options *options,
                                             ptxlint_calibration **out);
PTXLINT_API void ptxlint_calibration_free(ptxlint_calibration *calibration);

typedef struct ptxlint_calibration_info {
    size_t size;                        /* sizeof(ptxlint_calibration_info), set by the caller */
    size_t rows, kernels;               /* that were fitted to */
    /* rows that were not: of no kernel of the modules, of several, or of another GPU; without a
     * prediction; impossible (ptxlint_verdict); beyond max_rows */
    size_t foreign, unknown, impossible, beyond;
    size_t constants, fitted;           /* of ptxlint_calibration_at; of PTXLINT_CALIBRATE_FITTED */
    /* parts that were left out in turn; 0: there are too few rows; of kernels, those whose names
     * differ in numbers alone together, or of rows */
    size_t folds;
    int is_by_kernel;
    unsigned steps;                     /* that the fit took */
    /* its last step moved nothing by more than 2 % of a standard deviation, or 0.01 % */
    int has_converged;
    /* by how much predictions are off in the mean: as the GPU was; of rows left out, by what the
     * others fit; of all rows, fitted to all */
    double error_percent, left_out_error_percent, fitted_error_percent;
    const char *reason;                 /* a sentence: why nothing is fitted; NULL */
    /* the GPU with the figures that were fitted, under the name of the GPU; NULL: none were */
    const ptxlint_gpu *gpu;
} ptxlint_calibration_info;

/* All of it is the calibration's. 0: there is none. */
PTXLINT_API int ptxlint_calibration_get_info(const ptxlint_calibration *calibration,
                                             ptxlint_calibration_info *out);

typedef enum ptxlint_calibrate_verdict {
    PTXLINT_CALIBRATE_FITTED,
    PTXLINT_CALIBRATE_NO_ROWS,          /* no three rows rest on it */
    PTXLINT_CALIBRATE_SAME,             /* rows do not distinguish it from one that is fitted */
    PTXLINT_CALIBRATE_NO_GAIN           /* another value gains nothing that rows show */
} ptxlint_calibrate_verdict;

/* "fitted", "no rows", "not distinguished", "no gain". */
PTXLINT_API const char *ptxlint_calibrate_verdict_name(ptxlint_calibrate_verdict verdict);

typedef struct ptxlint_calibrated {
    size_t size;                        /* sizeof(ptxlint_calibrated), set by the caller */
    const char *key;                    /* of the figure */
    ptxlint_calibrate_verdict verdict;
    const char *same_as;                /* of PTXLINT_CALIBRATE_SAME: the other figure; NULL */
    double was, is;                     /* equal where it is not fitted */
    double low, high;                   /* 90 % interval; else equal, too */
} ptxlint_calibrated;

/* Constant number index, from 0. 0: past the end. */
PTXLINT_API int ptxlint_calibration_at(const ptxlint_calibration *calibration, size_t index,
                                       ptxlint_calibrated *out);

/* ---- writing --------------------------------------------------------------------------------- */

typedef enum ptxlint_format {
    PTXLINT_TEXT,                       /* for people */
    PTXLINT_ONELINE,                    /* path:line:column: severity: message [rule] */
    PTXLINT_JSON,                       /* schema ptxlint-diagnostics/1 or ptxlint-report/1 */
    /* a row per finding; of a report a row per kernel and GPU */
    PTXLINT_CSV,
    /* diagnostics only: one JSON object a line, those of PTXLINT_JSON */
    PTXLINT_JSONL,
    PTXLINT_SARIF,                      /* diagnostics only: SARIF 2.1.0 within GitHub's limits */
    /* diagnostics only, as the rest: workflow commands, ::warning file=... */
    PTXLINT_GITHUB,
    PTXLINT_GITLAB,                     /* GitLab's Code Quality report */
    PTXLINT_CHECKSTYLE,                 /* Checkstyle's XML */
    PTXLINT_JUNIT,                      /* JUnit's XML */
    PTXLINT_RDJSON, PTXLINT_RDJSONL,    /* reviewdog's diagnostic format */
    /* a table for a comment or a summary, the worst findings; of a report its overview */
    PTXLINT_MARKDOWN,
    /* reports and diffs only: one page for a browser that asks for nothing else */
    PTXLINT_HTML,
    PTXLINT_DOT, PTXLINT_SVG            /* graphs only: for graphviz; a picture */
} ptxlint_format;

/* Where a finding is shown that has two places. */
typedef enum ptxlint_primary {
    /* in formats for code review the CUDA line, where its file can be read and lies below the
     * working directory */
    PTXLINT_PRIMARY_AUTO,
    PTXLINT_PRIMARY_PTX,
    PTXLINT_PRIMARY_SOURCE              /* the CUDA line wherever .loc names one */
} ptxlint_primary;

typedef struct ptxlint_write_options {
    size_t size;                        /* sizeof(ptxlint_write_options) */
    ptxlint_format format;
    int color;                          /* ANSI colours in PTXLINT_TEXT */
    /* only kernels that it fits, as ptxlint_name_fits says; NULL: all */
    const char *kernel_glob;
    const char *const *groups;          /* only diagnostics of these groups; NULL: all */
    size_t group_count;
    /* a user's, that findings may be of: SARIF describes them; NULL */
    const ptxlint_rules *rules;
    /* without the last line of PTXLINT_TEXT, which counts the findings */
    int no_summary;
    ptxlint_primary primary;
    /* formats for people alone (PTXLINT_TEXT, PTXLINT_ONELINE and those for reviews): all notes,
     * also those that min_gain_percent and their group keep out (docs/cli.md, "What is shown") */
    int show_all;
    /* notes with a smaller gain are counted only; NaN: what the config says, else 1 */
    double min_gain_percent;
    int verbose;                        /* PTXLINT_TEXT: related lines and all that there is */
    /* CUDA lines are read only below this folder, by no link out of it; NULL: as
     * ptxlint_source_root finds it */
    const char *source_root;
    /* PTXLINT_SARIF: where the pages of docs/ are served, as tools/site.py makes them, so that a
     * rule names its page; NULL: nowhere */
    const char *docs_url;
    /* of PTXLINT_TEXT and PTXLINT_MARKDOWN of a report: all figures of each kernel below the
     * overview, also where there are several kernels and no kernel_glob; of PTXLINT_JSON: with what
     * loops compute */
    int has_details;
    /* of an annotation: by CUDA lines instead of instructions */
    int is_by_source;
    /* columns that there is room for in tables of PTXLINT_TEXT: what is too long is cut; 0: no
     * limit */
    size_t width;
} ptxlint_write_options;

/* Into out, at most size bytes with the NUL, the folder below which CUDA lines are read: given
 * where it is not NULL, else the top of the git tree that the working directory is in, else the
 * nearest folder with a .ptxlint.yaml from there upward, else the working directory. Returns the
 * length it has in full; 0: there is no such folder, or no memory. */
PTXLINT_API size_t ptxlint_source_root(const char *given, char *out, size_t size);

PTXLINT_API void ptxlint_write_options_init(ptxlint_write_options *options);

/* Findings of several modules as one document. In text: nothing where there is nothing to say. */
PTXLINT_API ptxlint_status ptxlint_write_diagnostics(const ptxlint_module *const *modules,
                                                     size_t count,
                                                     const ptxlint_write_options *options,
                                                     ptxlint_write_fn write, void *context);

/* Figures per kernel of several modules as one document. */
PTXLINT_API ptxlint_status ptxlint_write_report(const ptxlint_module *const *modules, size_t count,
                                                const ptxlint_write_options *options,
                                                ptxlint_write_fn write, void *context);

/* The control flow of a kernel as PTXLINT_DOT or PTXLINT_SVG, or all that a ptxlint_graph and a
 * linked recognition hold as PTXLINT_JSON (schema ptxlint-graph/1). kernel: as for
 * ptxlint_graph_new; PTXLINT_BAD_ARGUMENT also where a picture would have no block. */
PTXLINT_API ptxlint_status ptxlint_write_graph(const ptxlint_module *module,
                                               const ptxlint_kernel *kernel, ptxlint_format format,
                                               ptxlint_write_fn write, void *context);

/* What loops of a kernel compute, and what needs what, as PTXLINT_DOT or PTXLINT_SVG.
 * PTXLINT_BAD_ARGUMENT also where nothing is computed. */
PTXLINT_API ptxlint_status ptxlint_write_links(const ptxlint_module *module,
                                               const ptxlint_kernel *kernel, ptxlint_format format,
                                               ptxlint_write_fn write, void *context);

/* What loops of a module's kernels and functions compute, as PTXLINT_TEXT or PTXLINT_JSON. glob:
 * of these alone; NULL: of all. JSON: an object, schema ptxlint-recognition/1. */
PTXLINT_API ptxlint_status ptxlint_write_recognition(const ptxlint_module *module, const char *glob,
                                                     ptxlint_format format, ptxlint_write_fn write,
                                                     void *context);

/* Figures and pipelines of GPUs side by side, each with its source; in JSON schema
 * ptxlint-gpus/1. */
PTXLINT_API ptxlint_status ptxlint_write_gpus(const ptxlint_gpu *const *gpus, size_t count,
                                              const ptxlint_write_options *options,
                                              ptxlint_write_fn write, void *context);

/* The same two documents written a module at a time, so that each module may be freed before the
 * next one is read. */
typedef struct ptxlint_writer ptxlint_writer;

typedef enum ptxlint_document {
    PTXLINT_DIAGNOSTICS = 1,
    /* PTXLINT_TEXT, PTXLINT_JSON, PTXLINT_CSV, PTXLINT_MARKDOWN */
    PTXLINT_REPORT,
    /* figures of each instruction or CUDA line, of modules that were made with has_instructions:
     * PTXLINT_TEXT, PTXLINT_JSON (schema ptxlint-annotation/1) */
    PTXLINT_ANNOTATION
} ptxlint_document;

/* Strings in options must outlive the writer. On failure *out is NULL. */
PTXLINT_API ptxlint_status ptxlint_writer_new(ptxlint_document document,
                                              const ptxlint_write_options *options,
                                              ptxlint_write_fn write, void *context,
                                              ptxlint_writer **out);

/* After a failure all that follows fails alike. What is added reaches write at the latest with
 * ptxlint_writer_finish. */
PTXLINT_API ptxlint_status ptxlint_writer_add(ptxlint_writer *writer, const ptxlint_module *module);
PTXLINT_API ptxlint_status ptxlint_writer_finish(ptxlint_writer *writer);

/* A kernel of a module that is being made, as a ptxlint_take_fn has it, in a report as PTXLINT_JSON
 * without has_details; ptxlint_writer_add writes the rest once the module is made. module NULL: it
 * could not be made; what was taken of it stays in the document, without diagnostics. */
PTXLINT_API ptxlint_status ptxlint_writer_take(ptxlint_writer *writer,
                                               const ptxlint_module *module,
                                               const ptxlint_kernel *kernel);

/* The same, as a ptxlint_take_same_fn has it: whether the kernel was written as the first was, with
 * its own names and lines. */
PTXLINT_API int ptxlint_writer_take_same(ptxlint_writer *writer, const ptxlint_module *module,
                                         const ptxlint_kernel *kernel,
                                         const ptxlint_kernel *first);

/* A further member of the document, its value as JSON: of the object in PTXLINT_JSON, of the run's
 * properties in PTXLINT_SARIF; other formats have none. Before ptxlint_writer_finish, once. */
PTXLINT_API ptxlint_status ptxlint_writer_attach(ptxlint_writer *writer, const char *key,
                                                 const char *json, size_t length);
PTXLINT_API void ptxlint_writer_free(ptxlint_writer *writer);

/* How many diagnostics the options select, by severity (index PTXLINT_NOTE to PTXLINT_ERROR). */
PTXLINT_API void ptxlint_count_diagnostics(const ptxlint_module *const *modules, size_t count,
                                           const ptxlint_write_options *options, size_t counts[4]);

/* ---- schemas --------------------------------------------------------------------------------- */

/* JSON Schemas (draft-07) of documents that ptxlint writes and files that it reads: the name of
 * number index, NULL past the end; the text of the one of that name, NULL: there is none. */
PTXLINT_API const char *ptxlint_schema_name(size_t index);
PTXLINT_API const char *ptxlint_schema_text(const char *name);

/* ---- two versions ---------------------------------------------------------------------------- */

/* Figures and findings of kernels, kept apart from their modules: from modules, or from what
 * ptxlint_write_report made in JSON. */
typedef struct ptxlint_report ptxlint_report;

PTXLINT_API ptxlint_status ptxlint_report_new(ptxlint_report **out);

/* Adds the entries of a module, which may be freed then. */
PTXLINT_API ptxlint_status ptxlint_report_add(ptxlint_report *report, const ptxlint_module *module);

/* Adds those of a saved report. On PTXLINT_BAD_FILE *error (of error_size bytes, may be NULL) says
 * where and why, and some may have been added. */
PTXLINT_API ptxlint_status ptxlint_report_read(ptxlint_report *report, const char *path,
                                               const char *json, size_t length, char *error,
                                               size_t error_size);

/* How many there are: a kernel once for each GPU. */
PTXLINT_API size_t ptxlint_report_size(const ptxlint_report *report);
PTXLINT_API void ptxlint_report_free(ptxlint_report *report);

/* Which kernel is which, what has changed, and whether it is a regression. */
typedef struct ptxlint_diff ptxlint_diff;

/* tolerances: "registers=5%", "spill_bytes=16", "instructions=off", count of them, instead of those
 * of ptxlint_metric; one of "findings" is how many warnings and errors may be new. On
 * PTXLINT_BAD_FILE one of them is wrong, and *error (of error_size bytes, may be NULL) says why.
 * The reports must outlive the diff, and are in no other one meanwhile. */
PTXLINT_API ptxlint_status ptxlint_diff_new(const ptxlint_report *old_report,
                                            const ptxlint_report *new_report,
                                            const char *const *tolerances, size_t count,
                                            ptxlint_diff **out, char *error, size_t error_size);
PTXLINT_API void ptxlint_diff_free(ptxlint_diff *diff);

/* Of kernels, each once for each GPU. */
typedef struct ptxlint_diff_info {
    size_t kernel_count, regressed_count, better_count, added_count, removed_count, same_count;
    size_t new_findings, fixed_findings;
    size_t unknown_count;               /* figures that are not known any more */
} ptxlint_diff_info;

PTXLINT_API const ptxlint_diff_info *ptxlint_diff_get_info(const ptxlint_diff *diff);

/* Tolerances with which nothing of this would be a regression, "registers=11": number index of
 * them, at most size bytes with the NUL into out. 0 past the end. */
PTXLINT_API int ptxlint_diff_tolerance_at(const ptxlint_diff *diff, size_t index, char *out,
                                          size_t size);

typedef struct ptxlint_diff_options {
    size_t size;                        /* sizeof(ptxlint_diff_options) */
    /* PTXLINT_TEXT, PTXLINT_MARKDOWN, PTXLINT_HTML or PTXLINT_JSON (schema ptxlint-diff/1) */
    ptxlint_format format;
    int color;
    /* of the two sides, as they are shown; NULL: "old", "new" */
    const char *old_name, *new_name;
    /* a command that makes a regression the new state; NULL: none is shown */
    const char *accept;
    size_t max_bytes;                   /* of Markdown; 0: 60,000, what a comment on GitHub takes */
} ptxlint_diff_options;

PTXLINT_API void ptxlint_diff_options_init(ptxlint_diff_options *options);
PTXLINT_API ptxlint_status ptxlint_write_diff(const ptxlint_diff *diff,
                                              const ptxlint_diff_options *options,
                                              ptxlint_write_fn write, void *context);

#ifdef __cplusplus
}
#endif

#endif
