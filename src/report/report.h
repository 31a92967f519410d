/* report.h -- what the files of this folder share: buffered output, text made safe to show, and the parts of a document.
 *
 * A document is one ptxlint_writer (write.c): its parts are written by text.c (diagnostics for people), table*.c (the
 * report for people), csv.c (the same for spreadsheets) and json.c (both for programs); gpus.c writes the document about GPUs.
 * This layer sees modules only through the public interface. */
#ifndef PTX_REPORT_REPORT_H
#define PTX_REPORT_REPORT_H

#include "ptxlint/ptxlint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- out.c ------------------------------------------------------------------------------------------------------- */

typedef struct Out {
    ptxlint_write_fn write;
    void *context;
    ptxlint_status status;      /* the first failure; nothing is written after it */
    bool has_color;
    size_t used;
    char bytes[8192];
} Out;

typedef enum Style { STYLE_NONE, STYLE_BOLD, STYLE_GUTTER, STYLE_NOTE, STYLE_WARNING, STYLE_ERROR } Style;

void ptx_out_init(Out *out, ptxlint_write_fn write, void *context);
void ptx_out_flush(Out *out);

void ptx_out_bytes(Out *out, const char *bytes, size_t length);
void ptx_out_text(Out *out, const char *text);
void ptx_out_repeat(Out *out, char byte, size_t count);

/* For numbers and fixed words: at most 255 bytes. */
void ptx_out_format(Out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from outside, which must not reach a terminal as it is: like ptx_glyph_read. Returns its display width. */
size_t ptx_out_clean(Out *out, const char *text);
size_t ptx_out_clean_bytes(Out *out, const char *text, size_t length);

/* The same, with spaces up to width columns. */
void ptx_out_padded(Out *out, const char *text, size_t width);

/* An ANSI sequence where has_color; STYLE_NONE ends the one before. */
void ptx_out_style(Out *out, Style style);

/* One character of a source line as it is shown: a tab as spaces up to the next multiple of 4 columns, a byte that is
 * not UTF-8 and a control character as <80>, other characters that do not print, or that reorder text, as <U+202E>. */
typedef struct Glyph {
    char text[12];              /* length bytes */
    uint8_t length, width;      /* width: display columns */
    uint8_t source_bytes;       /* that it stands for: 1..4 */
} Glyph;

/* The first character of left > 0 bytes of text, shown at column (from 0). */
Glyph ptx_glyph_read(const char *text, size_t left, size_t column);

/* ---- source.c ---------------------------------------------------------------------------------------------------- */

typedef struct SourceFile SourceFile;

/* CUDA source files, each read once. Zeroed at first. */
typedef struct Sources {
    SourceFile *files;
    size_t bytes;               /* held in all */
} Sources;

/* Line number line (from 1) of the file that .loc names: path as it is, else relative to the folder of ptx_path.
 * *text is NULL where there is no such line; otherwise *length bytes of it, owned by sources. */
ptxlint_status ptx_sources_find(Sources *sources, const char *path, const char *ptx_path, uint32_t line,
                                const char **text, size_t *length);
void ptx_sources_free(Sources *sources);

/* ---- text.c ------------------------------------------------------------------------------------------------------ */

typedef struct Totals {
    size_t counts[4];           /* diagnostics, by ptxlint_severity */
    size_t kernel_count;        /* functions with a body that the options select */
    size_t func_count;          /* of them, .funcs */
    size_t found_count;         /* of them, with a diagnostic inside */
} Totals;

void ptx_text_diagnostic(Out *out, Sources *sources, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic);
void ptx_text_oneline(Out *out, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic);
void ptx_text_summary(Out *out, const Totals *totals);

/* ---- figure.c: numbers and lines, whatever the locale ------------------------------------------------------------ */

enum {
    LINE_COLUMNS = 100,
    KEY_COLUMNS = 13            /* of the word before a line's figures, after two blanks */
};

/* "unknown" for PTXLINT_UNKNOWN and for what is not finite. */
typedef struct Figure {
    char text[32];
} Figure;

Figure ptx_figure_int(int64_t number);
Figure ptx_figure_fixed(double number, int decimals);
Figure ptx_figure_short(double number);         /* one decimal; two digits where it is below 1: 0.25 */
Figure ptx_figure_number(double number);        /* up to ten digits, as many as it has */
Figure ptx_figure_percent(double part, double whole);

const char *ptx_plural(uint64_t count);         /* "" for 1, else "s" */

/* A line of the report that goes on below itself, indented, before it is too long. */
typedef struct Line {
    Out *out;
    size_t column, indent;
    bool has_item;
    bool has_blank;             /* the next word is to stand apart from what is there */
} Line;

Line ptx_line_begin(Out *out, const char *key);
void ptx_line_words(Line *line, const char *text);                      /* broken at blanks */
void ptx_line_format(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));        /* at most 255 bytes */
void ptx_line_item(Line *line, const char *text);                       /* whole; a comma before all but the first */
void ptx_line_end(Line *line);

/* A bold line after an empty one. */
void ptx_put_heading(Out *out, const char *heading);

/* ---- table*.c ---------------------------------------------------------------------------------------------------- */

/* What the table of loops and the tables of GPUs are of: the module's first GPU; NULL. */
const ptxlint_gpu *ptx_report_gpu(const ptxlint_module *module);
const char *ptx_report_gpu_name(const ptxlint_gpu *gpu);        /* "unknown" for NULL */
bool ptx_report_has_cluster(const ptxlint_launch *launch);      /* of more than one block */

void ptx_table_loops(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* One GPU as lines and a table of pipes; several as a table with a column for each. cycles: the table of pipes, for the first. */
void ptx_table_gpu(Out *out, const ptxlint_kernel *kernel, const ptxlint_projection *projection);
void ptx_table_gpus(Out *out, const ptxlint_kernel *kernel);
void ptx_table_cycles(Out *out, const ptxlint_kernel *kernel);

/* GPUs (gpus_text.c): count > 0 of them, or all there are. */
void ptx_table_figures(Out *out, const ptxlint_gpu *const *gpus, size_t count);
void ptx_table_all_gpus(Out *out);

void ptx_table_module(Out *out, const ptxlint_module *module);
void ptx_table_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* ---- json.c ------------------------------------------------------------------------------------------------------ */

/* Members "schema" and "tool" with a comma after them; the braces around and the commas between are write.c's. */
void ptx_json_head(Out *out, const char *schema);
void ptx_json_diagnostic(Out *out, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic);

/* The members of a file before "kernels", each with a comma after it. */
void ptx_json_file(Out *out, const ptxlint_module *module);
void ptx_json_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* The members "gpu" and "gpus": the first of them, and all. */
void ptx_json_gpus(Out *out, const ptxlint_gpu *const *gpus, size_t count);

/* ---- projection.c: what a kernel is on one GPU; NULL where no GPU is described ----------------------------------- */

/* "ptxas", "max-live", "unknown": where the registers that occupancy is for come from. */
const char *ptx_report_registers(const ptxlint_projection *projection);

/* Names of ptxlint_occupancy.limits. */
extern const char *const ptx_report_limits[PTXLINT_LIMITER_COUNT];

enum { CURVE_POINTS = 64 };     /* more than any GPU has warps in a block */

/* ---- csv.c ------------------------------------------------------------------------------------------------------- */

void ptx_csv_head(Out *out);
void ptx_csv_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* ---- write.c ----------------------------------------------------------------------------------------------------- */

const char *ptx_report_severity(ptxlint_severity severity);
const char *ptx_report_certainty(ptxlint_certainty certainty);

#endif
