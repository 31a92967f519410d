/* report.h -- what the files of this folder share: buffered output, text made safe to show, and the
 * parts of a document.
 *
 * A document is one ptxlint_writer (write.c): its parts are written by text.c (diagnostics for
 * people), sarif*.c, github.c, gitlab.c, rdjson.c, xml.c and markdown.c (the same for code
 * review), table*.c (the report for people), csv.c (both for spreadsheets) and json.c (both for
 * programs); gpus.c writes the document about GPUs. This layer sees modules only through the
 * public interface. */
#ifndef PTX_REPORT_REPORT_H
#define PTX_REPORT_REPORT_H

#include "ptxlint/ptxlint.h"
#include "support/choice.h"
#include "support/glyph.h"
#include "support/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- out.c ----------------------------------------------------------------------------------- */

typedef struct Out {
    ptxlint_write_fn write;
    void *context;
    ptxlint_status status;      /* the first failure; nothing is written after it */
    bool has_color;
    size_t used;
    char bytes[1 << 15];
} Out;

typedef enum Style {
    STYLE_NONE,
    STYLE_BOLD,
    STYLE_GUTTER,
    STYLE_NOTE,
    STYLE_WARNING,
    STYLE_ERROR
} Style;

/* Bytes that wait in memory; free(bytes). */
typedef struct Buffer {
    char *bytes;
    size_t length, capacity;
} Buffer;

/* A ptxlint_write_fn whose context is a Buffer; non-zero: there is no memory. */
int ptx_buffer_write(void *context, const char *bytes, size_t length);

void ptx_out_init(Out *out, ptxlint_write_fn write, void *context);
void ptx_out_flush(Out *out);

void ptx_out_bytes(Out *out, const char *bytes, size_t length);
void ptx_out_text(Out *out, const char *text);

/* the line end before an item of a JSON list, and a comma before each but the first */
static inline void ptx_out_separator(Out *out, bool *has_item)
{
    ptx_out_text(out, *has_item ? ",\n" : "\n");
    *has_item = true;
}

void ptx_out_repeat(Out *out, char byte, size_t count);

/* For numbers and fixed words: at most 255 bytes. */
void ptx_out_format(Out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from outside, which must not reach a terminal as it is: like ptx_glyph_read. Returns its
 * display width. */
size_t ptx_out_clean(Out *out, const char *text);
size_t ptx_out_clean_bytes(Out *out, const char *text, size_t length);

/* The same, with spaces up to width columns. */
void ptx_out_padded(Out *out, const char *text, size_t width);

/* An ANSI sequence where has_color; STYLE_NONE ends the one before. */
void ptx_out_style(Out *out, Style style);

/* ---- fingerprint.c --------------------------------------------------------------------------- */

/* How often each of many hashes has come. Zeroed at first; free(slots). */
/* Counts one more of hash, in a map on the heap: how many there are by now. 0: no memory. */
uint32_t ptx_hash_counts_add(HashMap *counts, uint64_t hash);

/* What GitHub's upload action computes as primaryLocationLineHash, for each line of a text: a hash
 * of 100 UTF-16 units from the beginning of the line on, and which of the lines with that hash it
 * is. Lines end at LF, CR or CR LF. */
typedef struct LineHash {
    uint64_t hash;
    uint32_t ordinal;           /* from 1 */
} LineHash;

typedef struct LineHashes {
    LineHash *lines;            /* free(lines) */
    uint32_t count;             /* 0: not built, or the text is too large for it */
    bool is_built;
} LineHashes;

typedef struct Fingerprint {
    char text[40];              /* "271789c17abda88f:1"; "": none */
} Fingerprint;

ptxlint_status ptx_line_hashes_build(LineHashes *hashes, const char *text, size_t length);
Fingerprint ptx_line_hashes_find(const LineHashes *hashes, uint32_t line);      /* from 1 */

enum { STATEMENT_BYTES = 256 };         /* room for any that ptxlint_module_statement gives */

/* Of the rule, the kernel and the statement, as ptxlint_module_statement has it: stays the same
 * where code around it changes. */
uint64_t ptx_finding_hash(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic);

/* ---- source.c -------------------------------------------------------------------------------- */

/* A CUDA source file, owned by Sources. */
typedef struct SourceFile {
    struct SourceFile *next;
    char *path;                         /* that it was opened by */
    char *bytes;                        /* NULL: cannot be read */
    size_t length;
    uint32_t *line_begins;              /* line_count of them */
    uint32_t line_count;
    LineHashes hashes;                  /* built by who asks for them */
} SourceFile;

/* CUDA source files, each read once. Zeroed at first. */
typedef struct Sources {
    char *root;                         /* below which they lie; NULL: none is read */
    SourceFile *files;
    size_t bytes;               /* held in all */
} Sources;

/* The file that .loc names: path as it is, else relative to the folder of ptx_path. *out has no
 * bytes where neither can be read. */
ptxlint_status ptx_sources_open(Sources *sources, const char *path, const char *ptx_path,
                                SourceFile **out);
void ptx_sources_free(Sources *sources);

/* Line number line (from 1), *length bytes owned by the file; NULL where there is no such line. */
const char *ptx_source_line(const SourceFile *file, uint32_t line, size_t *length);

/* ---- place.c --------------------------------------------------------------------------------- */

/* Lines and columns from 1, columns in UTF-16 code units; ends are exclusive. */
typedef struct Region {
    uint32_t line, column, end_line, end_column;
} Region;

/* Where the column of one byte of a module is known, so that the next one need not be counted from
 * the beginning of a line that may be long. Zeroed for each module. */
typedef struct ColumnMemo {
    uint32_t line_begin, offset, column;
} ColumnMemo;

Region ptx_region_of(ColumnMemo *columns, const ptxlint_module *module, ptxlint_span span);

/* The same with columns in bytes. */
Region ptx_region_of_bytes(const ptxlint_module *module, ptxlint_span span);

/* A path as a repository wants it: relative to folder where it lies below that, without "." and
 * "x/..". For free(); NULL: no memory. */
char *ptx_path_show(const char *folder, const char *path);

/* What stands behind the last slash. */
const char *ptx_path_last(const char *path);

/* Neither absolute nor above the folder. */
bool ptx_path_is_inside(const char *shown);

/* Where the CUDA source of a finding is. */
typedef struct SourcePlace {
    /* NULL: .loc names none, or it cannot be read, or has no such line */
    SourceFile *file;
    char *path;                 /* as ptx_path_show has it, for free(); NULL: .loc names none */
    ptxlint_source_place named; /* as .loc has it */
    /* calls that lie between the line that .loc names and this one, into which it was inlined */
    size_t outward;
    /* to the end of the line; 1 columns where .loc gives none. bytes: columns in bytes */
    Region region, bytes;
} SourcePlace;

ptxlint_status ptx_source_place(Sources *sources, const char *folder, const ptxlint_module *module,
                                const ptxlint_diagnostic *diagnostic, SourcePlace *out);

/* What places are held against, and what is known of the module in hand. */
typedef struct Locator {
    ptxlint_primary primary;
    bool has_sources;           /* SourcePlace is wanted */
    Sources sources;
    char folder[4096];          /* the working directory; "" where it is not known */
    HashMap ids;                /* of all findings so far */
    const ptxlint_module *module;
    char *path;                 /* of the module, as ptx_path_show has it */
    LineHashes hashes;          /* of its text; built by who asks for them */
    HashMap counts;             /* of its findings */
    ColumnMemo columns;
} Locator;

/* root: as of ptxlint_write_options.source_root. */
ptxlint_status ptx_locator_init(Locator *locator, ptxlint_primary primary, bool has_sources,
                                const char *root);
ptxlint_status ptx_locator_begin(Locator *locator, const ptxlint_module *module);
void ptx_locator_free(Locator *locator);

/* A finding with its places, and with what it is known by. */
typedef struct Finding {
    Locator *locator;
    const ptxlint_module *module;
    const ptxlint_diagnostic *diagnostic;
    const char *ptx_path;
    Region ptx, ptx_bytes;
    SourcePlace source;
    bool is_source;             /* the CUDA line is the primary place */
    /* of the primary place, with columns in UTF-16 code units and in bytes */
    const char *path;
    Region region, bytes;
    /* ptx_finding_hash, and which of the module's findings with that hash it is */
    uint64_t hash;
    uint32_t ordinal;
    char id[40];                /* of hash and path: no other finding of the document has it */
    uint32_t cause;             /* of Once; 0: none */
} Finding;

/* To be closed in any case. */
ptxlint_status ptx_finding_open(Locator *locator, const ptxlint_diagnostic *diagnostic,
                                Finding *out);
void ptx_finding_close(Finding *finding);

/* primaryLocationLineHash of the primary place; "": not known. */
ptxlint_status ptx_finding_line_hash(const Finding *finding, Fingerprint *out);

/* ---- keep.c ---------------------------------------------------------------------------------- */

/* Which of two findings matters more, of whatever modules. */
typedef struct Rank {
    ptxlint_severity severity;
    bool is_suppressed, is_wrong;       /* is_wrong: rather than slow */
    double gain_percent;                /* -1: not known */
    uint64_t order;                     /* of arrival */
} Rank;

typedef struct Kept {
    Rank rank;
    uint32_t rule;                      /* whatever its owner means by it */
    char *text;
    size_t length;
} Kept;

/* The worst findings as text, at most limit of them. Zeroed at first but for limit. */
typedef struct Keep {
    Kept *items;
    size_t count, capacity, limit;
    uint64_t seen;                      /* all that were offered */
    bool is_cut;
    Rank last;                          /* of those kept, where is_cut */
} Keep;

/* Counts one in: false where it is not among the worst, so that its text need not be made. */
bool ptx_top_k_offer(Keep *keep, const ptxlint_diagnostic *diagnostic, Rank *rank);

/* Takes the text over, also when it fails for want of memory. */
ptxlint_status ptx_top_k_add(Keep *keep, const Rank *rank, uint32_t rule, Buffer *text);

/* No more will come: at most limit items, worst first. */
void ptx_top_k_close(Keep *keep);
void ptx_top_k_free(Keep *keep);

/* ---- title.c: names as people know them ------------------------------------------------------ */

/* A function's name in one line: its signature, or where that is long without parameters, or cut.
 * name: as the PTX has it. */
typedef struct KernelTitle {
    char text[100];
} KernelTitle;

KernelTitle ptx_kernel_title(const char *name);
KernelTitle ptx_kernel_short(const char *name);         /* without parameters */

/* ---- once.c: one finding a rule and CUDA line ------------------------------------------------ */

typedef struct Once Once;

/* write: where the document goes. NULL: no memory. */
Once *ptx_once_new(ptxlint_format format, ptxlint_write_fn write, void *context);
void ptx_once_free(Once *once);

uint64_t ptx_rule_hash(const char *rule);

/* A hash of rule, severity and CUDA line; 0: the finding has no CUDA line. */
uint64_t ptx_cause_hash(const Finding *finding);

/* *number: what the finding has in common with others, for Finding.cause; 0: nothing.
 * *is_first: it is to be written. */
ptxlint_status ptx_once_add(Once *once, const Finding *finding, uint32_t *number, bool *is_first);

/* "and in 35 other kernels: ...", with before in front of it, where there will be others. */
void ptx_out_others(Out *out, const Finding *finding, const char *before);

/* The same with what is written between the two calls in front, and after behind it. */
void ptx_out_others_begin(Out *out, uint32_t number);
void ptx_out_others_end(Out *out, const char *after);

/* A ptxlint_write_fn whose context is a Once, and its end. */
int ptx_once_write(void *context, const char *bytes, size_t length);
bool ptx_once_has_no_memory(const Once *once);         /* why a write failed */
ptxlint_status ptx_once_finish(Once *once);

/* ---- text.c ---------------------------------------------------------------------------------- */

typedef struct Totals {
    size_t counts[4];           /* diagnostics, by ptxlint_severity */
    size_t kernel_count;        /* functions with a body that the options select */
    size_t func_count;          /* of them, .funcs */
    size_t found_count;         /* of them, with a diagnostic inside */
    size_t suppressed_count;    /* diagnostics that are suppressed: in none of the others */
    /* those that are not shown for want of gain, or since their rule has many, by severity */
    size_t hidden_counts[4];
} Totals;

void ptx_text_short(Out *out, const Finding *finding);          /* at most 8 lines */
void ptx_text_diagnostic(Out *out, const Finding *finding);     /* all that there is */
void ptx_text_oneline(Out *out, const Finding *finding);
void ptx_text_summary(Out *out, const Totals *totals);

/* ---- figure.c: numbers and lines, whatever the locale ---------------------------------------- */

enum {
    LINE_COLUMNS = 80,
    KEY_COLUMNS = 13            /* of the word before a line's figures, after two blanks */
};

/* "unknown" for PTXLINT_UNKNOWN and for what is not finite. */
typedef struct Figure {
    char text[32];
} Figure;

Figure ptx_figure_int(int64_t number);
Figure ptx_figure_fixed(double number, int decimals);
/* one decimal; two digits where it is below 1: 0.25 */
Figure ptx_figure_short(double number);
/* up to ten digits, as many as it has; whole numbers up to 2^53 have all of theirs */
Figure ptx_figure_number(double number);
/* finite, as JSON has a real: the same digits, "2.0", "1.5e-7" */
Figure ptx_figure_json(double number);
Figure ptx_figure_percent(double part, double whole);

/* A line of the report that goes on below itself, indented, before it is too long. */
typedef struct Line {
    Out *out;
    size_t column, indent;
    bool has_item;
    bool has_blank;             /* the next word is to stand apart from what is there */
} Line;

/* "gemm.cu:12" and what follows; nothing where there is no CUDA line. */
void ptx_line_source(Line *line, const ptxlint_source_place *source, const char *after);

Line ptx_line_begin(Out *out, const char *key);
void ptx_line_words(Line *line, const char *text);                      /* broken at blanks */
/* at most 255 bytes */
void ptx_line_format(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* whole; a comma before all but the first */
void ptx_line_item(Line *line, const char *text);
void ptx_line_end(Line *line);
/* Its variable or array: "%f1", "part[]". */
void ptx_line_recognized(Line *line, const ptxlint_recognized *item);

/* A bold line after an empty one. */
void ptx_put_heading(Out *out, const char *heading);

/* ---- table*.c -------------------------------------------------------------------------------- */

/* What the table of loops and the tables of GPUs are of: the module's first GPU; NULL. */
const ptxlint_gpu *ptx_report_gpu(const ptxlint_module *module);
const char *ptx_report_gpu_name(const ptxlint_gpu *gpu);        /* "unknown" for NULL */
bool ptx_report_has_cluster(const ptxlint_launch *launch);      /* of more than one block */

void ptx_table_loops(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);
void ptx_table_accesses(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);
void ptx_table_branches(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);
void ptx_table_hot_lines(Out *out, const ptxlint_kernel *kernel);

/* How many times the least that its bytes need an access takes; 0 where its figures are not
 * known. */
double ptx_access_excess(const ptxlint_access *access);

/* One GPU as lines and a table of pipes; several as a table with a column for each. cycles: the
 * table of pipes, for the first. */
void ptx_table_gpu(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                   const ptxlint_projection *projection);
void ptx_table_bottleneck(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                          const ptxlint_projection *projection);
void ptx_table_parallelism(Line *line, const ptxlint_parallelism *parallelism);
void ptx_table_gpus(Out *out, const ptxlint_kernel *kernel);
void ptx_table_cycles(Out *out, const ptxlint_kernel *kernel);

/* GPUs (gpus_text.c): count > 0 of them, or all there are. */
void ptx_table_figures(Out *out, const ptxlint_gpu *const *gpus, size_t count);
void ptx_table_all_gpus(Out *out);

/* markdown.c: a text of ours as Markdown, where what stands between backquotes is code; and a name,
 * all of which stands for itself, cut to so many bytes. */
void ptx_markdown_text(Out *out, const char *text);
void ptx_markdown_name(Out *out, const char *name, size_t most);

void ptx_table_module(Out *out, const ptxlint_module *module);
/* recognition: what its loops compute; NULL: not asked for */
void ptx_table_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                      const ptxlint_recognition *recognition);
/* Lines of it; none where there is nothing. */
void ptx_table_computes(Out *out, const ptxlint_module *module, const ptxlint_recognition *of);

/* ---- json.c ---------------------------------------------------------------------------------- */

/* Members "schema" and "tool" with a comma after them; the braces around and the commas between are
 * write.c's. */
void ptx_json_head(Out *out, const char *schema);
void ptx_json_diagnostic(Out *out, const Finding *finding);

/* The members of a file before "kernels", each with a comma after it. */
void ptx_json_file(Out *out, const ptxlint_module *module);
void ptx_json_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel,
                     const ptxlint_recognition *recognition);

/* The members "gpu" and "gpus": the first of them, and all. */
void ptx_json_gpus(Out *out, const ptxlint_gpu *const *gpus, size_t count);

/* ---- github.c: commands for the log of a GitHub workflow ------------------------------------- */

typedef struct Github Github;

Github *ptx_github_new(void);           /* NULL: no memory */
void ptx_github_free(Github *github);

/* A finding that is not suppressed. */
ptxlint_status ptx_github_add(Github *github, const Finding *finding);
void ptx_github_finish(Github *github, Out *out);

/* ---- sarif.c --------------------------------------------------------------------------------- */

typedef struct Sarif Sarif;

/* What options point to must outlive it. NULL: no memory. */
Sarif *ptx_sarif_new(const ptxlint_write_options *options);
void ptx_sarif_free(Sarif *sarif);

/* A module, and then its findings. */
void ptx_sarif_begin(Sarif *sarif, const ptxlint_module *module);
ptxlint_status ptx_sarif_add(Sarif *sarif, const Finding *finding);
/* properties: members of the run's property bag; empty: none. */
void ptx_sarif_finish(Sarif *sarif, Out *out, const Buffer *properties);

/* ---- gitlab.c, rdjson.c: for review tools; an object, without what stands between two -------- */

void ptx_gitlab_finding(Out *out, const Finding *finding);
void ptx_rdjson_head(Out *out);
void ptx_rdjson_finding(Out *out, const Finding *finding);

/* ---- xml.c: Checkstyle and JUnit ------------------------------------------------------------- */

/* counts: of the module's findings that are shown, by severity */

typedef struct Xml {
    char *file;                 /* of the element that is open; NULL: none */
} Xml;

void ptx_xml_head(Out *out, ptxlint_format format);
ptxlint_status ptx_checkstyle_finding(Xml *xml, Out *out, const Finding *finding);
void ptx_checkstyle_close(Xml *xml, Out *out);
void ptx_junit_begin(Out *out, const char *path, const size_t counts[4]);
void ptx_junit_finding(Out *out, const Finding *finding);
void ptx_junit_end(Out *out);
void ptx_xml_tail(Out *out, ptxlint_format format);

/* ---- markdown.c ------------------------------------------------------------------------------ */

typedef struct Markdown Markdown;

Markdown *ptx_markdown_new(void);       /* NULL: no memory */
void ptx_markdown_free(Markdown *markdown);
ptxlint_status ptx_markdown_add(Markdown *markdown, const Finding *finding);
void ptx_markdown_finish(Markdown *markdown, Out *out, const Totals *totals);

/* ---- projection.c: what a kernel is on one GPU; NULL where no GPU is described --------------- */

/* "ptxas", "model", "max-live", "unknown": where the registers that occupancy is for come from. */
const char *ptx_report_registers(const ptxlint_projection *projection);

/* "likely", "possible", "unlikely", "unknown". */
const char *ptx_report_spills(const ptxlint_projection *projection);

/* How sure the occupancy is. */
ptxlint_certainty ptx_report_occupancy(const ptxlint_kernel *kernel,
                                       const ptxlint_projection *projection);

/* Names of ptxlint_occupancy.limits. */
extern const char *const ptx_report_limits[PTXLINT_LIMITER_COUNT];

enum { CURVE_POINTS = 64 };     /* more than any GPU has warps in a block */

/* ---- metric.c -------------------------------------------------------------------------------- */

typedef enum MetricId {
#define METRIC(id, ...) METRIC_##id,
#include "report/metrics.def"
#undef METRIC
    METRIC__COUNT
} MetricId;

/* METRIC__COUNT: there is none of that key. */
MetricId ptx_metric_find(const char *key, size_t length);

/* All but METRIC_FINDINGS. projection: NULL: on no GPU. */
/* why it is not known */
const char *ptx_metric_why(const ptxlint_kernel *kernel, const ptxlint_projection *projection,
                           MetricId id);
void ptx_metrics_measure(const ptxlint_kernel *kernel, const ptxlint_projection *projection,
                         ptxlint_measure out[METRIC__COUNT]);

/* ---- csv.c ----------------------------------------------------------------------------------- */

/* Findings. */
void ptx_csv_findings_head(Out *out);
void ptx_csv_finding(Out *out, const Finding *finding);

/* A report. */
void ptx_csv_head(Out *out);
void ptx_csv_kernel(Out *out, const ptxlint_module *module, const ptxlint_kernel *kernel);

/* ---- write.c --------------------------------------------------------------------------------- */

const char *ptx_report_severity(ptxlint_severity severity);
const char *ptx_report_certainty(ptxlint_certainty certainty);
const char *ptx_report_split(ptxlint_split split);
/* "inline", "config", "baseline"; NULL: not suppressed */
const char *ptx_report_suppression(ptxlint_suppression suppression);

/* A gain that is worth a word: known, and not next to nothing. */
/* "about" or "at most", before gain_percent. */
const char *ptx_report_gain_measure(const ptxlint_diagnostic *diagnostic);
bool ptx_report_has_gain(const ptxlint_diagnostic *diagnostic);

/* Kernels of a module come in the order of the text: the one that offset stands in; count: none. */
size_t ptx_report_kernel_at(const ptxlint_kernel *kernels, size_t count, uint32_t offset);

/* ---- why.c ----------------------------------------------------------------------------------- */

/* Why figures are not known, a sentence without its end; NULL: all are. projection NULL: no GPU is
 * described. */
const char *ptx_why_no_gpu(void);
const char *ptx_why_estimate(const ptxlint_projection *projection);
const char *ptx_why_bytes(const ptxlint_projection *projection);   /* from memory */
const char *ptx_why_roofline(const ptxlint_projection *projection);
const char *ptx_why_concurrency(const ptxlint_projection *projection);
const char *ptx_why_waves(const ptxlint_projection *projection);
const char *ptx_why_occupancy(const ptxlint_projection *projection);
/* the first that is not known, of those that blocks take */
const char *ptx_why_resource(const ptxlint_projection *projection);
const char *ptx_why_cycles(const ptxlint_cycles *cycles);
const char *ptx_why_peak(const ptxlint_peak *peak);
const char *ptx_why_mix(const ptxlint_mix *mix);
/* Of flops of a launch: tensor, those of matrix products; NaN: not known. */
const char *ptx_why_flops(double tensor);
const char *ptx_why_parallelism(const ptxlint_parallelism *parallelism);
const char *ptx_why_trip(const ptxlint_trip *trip);

#endif
