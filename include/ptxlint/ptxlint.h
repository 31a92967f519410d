/* ptxlint.h -- static analysis of NVIDIA PTX: the whole public interface of libptxlint.
 *
 * A module is one PTX file, read and analysed by ptxlint_module_new. What it found is const from then on and owned by
 * the module: every pointer in the structures below lives until ptxlint_module_free. Modules are independent of each
 * other, so several may be made in parallel; one module may be read from several threads.
 *
 * Units are part of a name: bytes, cycles. Lines and columns count from 1, columns in bytes; an end is exclusive.
 * A figure that is not known is PTXLINT_UNKNOWN (for doubles a NaN): never 0.
 * Strings given with a length are not terminated; all others are. Text is as the file has it, in general UTF-8.
 *
 * The library never prints, exits, aborts or touches the locale; it keeps no writable state of its own. */
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

/* ---- status ------------------------------------------------------------------------------------------------------ */

/* The caller's or the machine's trouble; the user's mistakes in PTX are diagnostics. */
typedef enum ptxlint_status {
    PTXLINT_OK = 0,
    PTXLINT_NO_MEMORY,          /* the system has no more, or options.max_memory_bytes is reached */
    PTXLINT_TOO_LARGE,          /* the input is longer than a module can be (1 GiB) */
    PTXLINT_IO,                 /* a file could not be read; errno is as the system call left it */
    PTXLINT_BAD_ARGUMENT,       /* NULL where there must be something, an unknown GPU, a size field of another version */
    PTXLINT_BAD_FILE,           /* a launch file that is not what its format asks for */
    PTXLINT_WRITE               /* a ptxlint_write_fn returned non-zero */
} ptxlint_status;

PTXLINT_API const char *ptxlint_status_text(ptxlint_status status);

/* "0.1.0". */
PTXLINT_API const char *ptxlint_version(void);

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* What is known of how kernels are launched: a launch file, format "kernels" of docs/report.md. */
typedef struct ptxlint_launches ptxlint_launches;

/* Reads JSON text. On PTXLINT_BAD_FILE *error (of error_size bytes, may be NULL) says where and why. */
PTXLINT_API ptxlint_status ptxlint_launches_new(const char *json, size_t length, ptxlint_launches **out, char *error,
                                                size_t error_size);
PTXLINT_API void ptxlint_launches_free(ptxlint_launches *launches);

/* ---- modules ----------------------------------------------------------------------------------------------------- */

typedef struct ptxlint_module ptxlint_module;

typedef struct ptxlint_options {
    size_t size;                        /* sizeof(ptxlint_options), set by ptxlint_options_init */
    const char *path;                   /* shown in diagnostics and reports; NULL: "-" */
    const char *gpu;                    /* "h200", "sm_90", ...; NULL: what .target says */
    const ptxlint_launches *launches;   /* NULL: none; must outlive the module */
    size_t max_memory_bytes;            /* of each of a few arenas; 0: 256 bytes a byte of input, at least 256 MiB */
    int syntax_only;                    /* only the front end: no analyses, no findings beyond its errors */
} ptxlint_options;

PTXLINT_API void ptxlint_options_init(ptxlint_options *options);

/* Analyses length bytes of text, which are copied; any bytes will do. options may be NULL. On failure *out is NULL. */
PTXLINT_API ptxlint_status ptxlint_module_new(const char *text, size_t length, const ptxlint_options *options,
                                              ptxlint_module **out);

/* The same from a file, "-" being standard input; options->path, if NULL, becomes path. */
PTXLINT_API ptxlint_status ptxlint_module_open(const char *path, const ptxlint_options *options, ptxlint_module **out);

PTXLINT_API void ptxlint_module_free(ptxlint_module *module);

typedef struct ptxlint_module_info {
    const char *path;
    const char *text;                   /* length bytes, then a NUL */
    size_t length;
    const char *target;                 /* "sm_90a", "" where the file does not say */
    const char *gpu;                    /* the name asked for, or the target's */
    const char *gpu_sm;                 /* "sm_90" */
    int version_major, version_minor;   /* 0, 0 where the file does not say */
    int address_size;                   /* 32 or 64 */
    size_t memory_bytes;                /* that the module holds */
} ptxlint_module_info;

PTXLINT_API const ptxlint_module_info *ptxlint_module_get_info(const ptxlint_module *module);

/* ---- places ------------------------------------------------------------------------------------------------------ */

typedef struct ptxlint_span {
    uint32_t begin, end;                /* bytes, end exclusive */
} ptxlint_span;

typedef struct ptxlint_place {
    uint32_t line, column;              /* bytes from 1 */
    uint32_t line_begin, line_end;      /* bytes of the line, without its end */
} ptxlint_place;

/* Where a byte stands. Built on first use from a table of lines that the module has; offset at most the length. */
PTXLINT_API ptxlint_place ptxlint_module_place(const ptxlint_module *module, uint32_t offset);

/* The column of a byte in UTF-16 code units from 1, as editors count; reads its line from the beginning. */
PTXLINT_API uint32_t ptxlint_module_column_utf16(const ptxlint_module *module, uint32_t offset);

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

typedef enum ptxlint_severity { PTXLINT_NOTE = 1, PTXLINT_WARNING, PTXLINT_ERROR } ptxlint_severity;

typedef enum ptxlint_certainty {
    PTXLINT_EXACT = 1,                  /* follows from the code (and the launch, where one was given) */
    PTXLINT_BOUND,                      /* the truth is not beyond this */
    PTXLINT_ESTIMATE,                   /* a model's answer; the text says what it assumed */
    PTXLINT_NOT_KNOWN
} ptxlint_certainty;

typedef struct ptxlint_related {
    ptxlint_span span;
    const char *message;
} ptxlint_related;

typedef struct ptxlint_diagnostic {
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
    uint32_t source_line, source_column;
    uint32_t repeat_count;              /* further findings of this rule in this function, folded into this one */
    ptxlint_span span;
    ptxlint_severity severity;
    ptxlint_certainty certainty;
} ptxlint_diagnostic;

/* All of them, by position. */
PTXLINT_API const ptxlint_diagnostic *ptxlint_module_diagnostics(const ptxlint_module *module, size_t *count);

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct ptxlint_mix_class {
    const char *name;                   /* "fma", "fp32", ...: docs/report.md lists them */
    uint64_t static_count;              /* instructions in the text */
    double weighted_count;              /* each counted 10 times a loop around it (an estimate: trips are not known) */
} ptxlint_mix_class;

typedef struct ptxlint_mix {
    const ptxlint_mix_class *classes;   /* class_count of them, always the same ones in the same order */
    size_t class_count;
    uint64_t instruction_count;         /* static */
    uint64_t fused_count;               /* multiply-adds, static: fma and mad on floats */
    uint64_t fusable_count;             /* mul + add pairs that could be one fma: they round twice as written */
    double fma_fraction;                /* fused_count / instruction_count; NaN where there are no instructions */
    double weighted_fma_fraction;
} ptxlint_mix;

typedef struct ptxlint_loop {
    ptxlint_span header;                /* first instruction of the header block */
    const char *label;                  /* of the header; "" where it has none */
    uint32_t depth;                     /* 1: outermost */
    int64_t parent;                     /* index of the loop around it; -1: none */
    int is_irreducible;
    int is_innermost;
    ptxlint_mix mix;                    /* of all its blocks, inner loops included; weighted from this loop inwards */
} ptxlint_loop;

typedef struct ptxlint_access {
    ptxlint_span span;
    const char *space;                  /* "global", "shared", "local", "const", "generic", "param" */
    const char *op;                     /* "load", "store", "atomic", "reduce", "async-copy", "prefetch" */
    int64_t bytes;                      /* per thread */
    double active_threads;              /* NaN: not known, like the four below */
    double sectors_per_request, ideal_sectors_per_request;
    double wavefronts_per_request, ideal_wavefronts_per_request;
    ptxlint_certainty certainty;
    const char *why;
} ptxlint_access;

typedef struct ptxlint_pressure {
    int64_t max_live;                   /* 32-bit registers live at once at most, as PTX names them; a bound on none */
    int64_t max_live_predicates;
    ptxlint_span where;                 /* the instruction before which max_live are live */
    const char *const *live;            /* names of the registers live there, in order of appearance */
    size_t live_count;
    int64_t max_live_64, max_live_16;   /* of max_live's place: 64-bit values; 8- and 16-bit values */
} ptxlint_pressure;

typedef enum ptxlint_launch_source { PTXLINT_LAUNCH_ASSUMED, PTXLINT_LAUNCH_DIRECTIVE, PTXLINT_LAUNCH_FILE } ptxlint_launch_source;

typedef struct ptxlint_launch {
    int64_t grid[3], block[3];          /* PTXLINT_UNKNOWN where not known */
    int64_t dynamic_shared_bytes;
    ptxlint_launch_source source;
} ptxlint_launch;

typedef struct ptxlint_kernel {
    const char *name;
    ptxlint_span span;                  /* header to closing brace */
    ptxlint_span name_span;
    int is_entry;                       /* else a .func */
    int is_recursive;
    int has_syntax_error;               /* data-flow figures are unknown */
    uint64_t block_count, edge_count, unreachable_block_count;
    int64_t static_shared_bytes;        /* declared in the function, and in the module where it names them; unknown
                                         * where it calls and what can be called may use more */
    int64_t local_bytes, param_bytes;   /* declared in the function */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;     /* directives; 0: not given */
    ptxlint_launch launch;
    ptxlint_pressure pressure;
    ptxlint_mix mix;
    const ptxlint_loop *loops;          /* outer before inner */
    size_t loop_count;
    const ptxlint_access *accesses;     /* in line order */
    size_t access_count;
} ptxlint_kernel;

/* Functions with a body, in file order: entries and .funcs. */
PTXLINT_API const ptxlint_kernel *ptxlint_module_kernels(const ptxlint_module *module, size_t *count);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Takes length bytes; non-zero stops the writing. */
typedef int (*ptxlint_write_fn)(void *context, const char *bytes, size_t length);

typedef enum ptxlint_format {
    PTXLINT_TEXT,                       /* for people */
    PTXLINT_ONELINE,                    /* path:line:column: severity: message [rule] */
    PTXLINT_JSON                        /* schema ptxlint-diagnostics/1 or ptxlint-report/1 */
} ptxlint_format;

typedef struct ptxlint_write_options {
    size_t size;                        /* sizeof(ptxlint_write_options) */
    ptxlint_format format;
    int color;                          /* ANSI colours in PTXLINT_TEXT */
    const char *kernel_glob;            /* only kernels that match, * and ? as in a shell; NULL: all */
    const char *const *groups;          /* only diagnostics of these groups; NULL: all */
    size_t group_count;
    int no_summary;                     /* without the last line of PTXLINT_TEXT, which counts the findings */
} ptxlint_write_options;

PTXLINT_API void ptxlint_write_options_init(ptxlint_write_options *options);

/* Findings of several modules as one document. In text: nothing where there is nothing to say. */
PTXLINT_API ptxlint_status ptxlint_write_diagnostics(const ptxlint_module *const *modules, size_t count,
                                                     const ptxlint_write_options *options, ptxlint_write_fn write,
                                                     void *context);

/* Figures per kernel of several modules as one document. */
PTXLINT_API ptxlint_status ptxlint_write_report(const ptxlint_module *const *modules, size_t count,
                                                const ptxlint_write_options *options, ptxlint_write_fn write, void *context);

/* The same two documents written a module at a time, so that each module may be freed before the next one is read. */
typedef struct ptxlint_writer ptxlint_writer;

typedef enum ptxlint_document { PTXLINT_DIAGNOSTICS = 1, PTXLINT_REPORT } ptxlint_document;

/* Strings in options must outlive the writer. A report has no PTXLINT_ONELINE. On failure *out is NULL. */
PTXLINT_API ptxlint_status ptxlint_writer_new(ptxlint_document document, const ptxlint_write_options *options,
                                              ptxlint_write_fn write, void *context, ptxlint_writer **out);

/* After a failure all that follows fails alike. What is added reaches write at the latest with ptxlint_writer_finish. */
PTXLINT_API ptxlint_status ptxlint_writer_add(ptxlint_writer *writer, const ptxlint_module *module);
PTXLINT_API ptxlint_status ptxlint_writer_finish(ptxlint_writer *writer);
PTXLINT_API void ptxlint_writer_free(ptxlint_writer *writer);

/* How many diagnostics the options select, by severity (index PTXLINT_NOTE to PTXLINT_ERROR). */
PTXLINT_API void ptxlint_count_diagnostics(const ptxlint_module *const *modules, size_t count,
                                           const ptxlint_write_options *options, size_t counts[4]);

#ifdef __cplusplus
}
#endif

#endif
