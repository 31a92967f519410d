/* report.h -- what the files of this folder share: buffered output, text made safe to show, and the parts of a document.
 *
 * A document is one ptxlint_writer (write.c): its parts are written by text.c (diagnostics for people), table.c (the
 * report for people) and json.c (both for programs). This layer sees modules only through the public interface. */
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

/* ---- table.c ----------------------------------------------------------------------------------------------------- */

void ptx_table_module(Out *out, const ptxlint_module *module);
void ptx_table_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* ---- json.c ------------------------------------------------------------------------------------------------------ */

/* Members "schema" and "tool" with a comma after them; the braces around and the commas between are write.c's. */
void ptx_json_head(Out *out, const char *schema);
void ptx_json_diagnostic(Out *out, const ptxlint_module *module, const ptxlint_diagnostic *diagnostic);

/* The members of a file before "kernels", each with a comma after it. */
void ptx_json_file(Out *out, const ptxlint_module *module);
void ptx_json_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* {"name", "sm"}, or null where name is NULL. */
void ptx_json_gpu(Out *out, const char *name, const char *sm);

/* ---- write.c ----------------------------------------------------------------------------------------------------- */

const char *ptx_report_severity(ptxlint_severity severity);
const char *ptx_report_certainty(ptxlint_certainty certainty);

#endif
