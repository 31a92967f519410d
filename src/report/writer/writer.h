/* writer.h -- a document that is being written, for the parts that write it. */
#ifndef PTX_REPORT_WRITER_WRITER_H
#define PTX_REPORT_WRITER_WRITER_H

#include "report/html/html.h"
#include "report/overview/overview.h"
#include "report/report.h"
#include "report/writer/same_rows.h"

/* How far the kernels of a module are written that is not added yet. */
typedef struct TakenRows {
    bool is_begun;
    bool has_kernels;           /* all of them: functions are next */
    bool has_row;               /* the array in hand has an element */
} TakenRows;

struct ptxlint_writer {
    ptxlint_document document;
    ptxlint_write_options options;
    Out out;
    Locator locator;
    Totals totals;
    bool has_item;              /* the JSON array being written has an element */
    TakenRows taken;            /* of a module that is being made */
    SameRows same;              /* of it: rows that kernels with the same code have, too */
    bool is_finished;           /* nothing more may be added */
    Sarif *sarif;               /* NULL in other formats */
    Github *github;             /* the same */
    Markdown *markdown;         /* the same */
    HtmlPage *page;             /* the same */
    Xml xml;
    Once *once;                 /* formats that fold findings of one CUDA line; NULL */
    HashMap rule_counts;        /* of findings that are written */

    /* reports as text or Markdown; NULL in others */
    Overview *overview;
    /* JSON reports: "diagnostics" comes after all files, so it waits here. Other reports: figures
     * of kernels come after the overview. */
    Out late;
    Buffer late_bytes;
    bool has_late;
    /* members "gpu" and "gpus" of the modules so far; they outlive neither module nor GPU */
    Buffer gpus;
    bool has_module;
    bool has_different_gpus;
    Buffer attached;            /* a member of the document's last object; empty: none */
};

bool ptx_writer_has_kernel(const ptxlint_write_options *options, const char *name);

/* One outside any function concerns every kernel, so no kernel_glob hides it. */
bool ptx_writer_has_finding(const ptxlint_write_options *options,
                            const ptxlint_diagnostic *diagnostic);

bool ptx_writer_is_for_people(ptxlint_format format);

/* A note that is counted only: its gain is small, or unknown and of a group whose notes seldom make
 * code faster. */
bool ptx_writer_is_slight(const ptxlint_write_options *options, const ptxlint_module *module,
                          const ptxlint_diagnostic *diagnostic);

bool ptx_writer_shows(const ptxlint_write_options *options, const ptxlint_diagnostic *diagnostic);

ptxlint_status ptx_writer_count(Totals *totals, const ptxlint_module *module,
                                const ptxlint_write_options *options);

void ptx_writer_add_diagnostics(ptxlint_writer *writer, const ptxlint_module *module, Out *out,
                                bool *has_item);

/* A document of diagnostics. */
void ptx_writer_add_findings(ptxlint_writer *writer, const ptxlint_module *module);

void ptx_writer_put_gpus(ptxlint_writer *writer);

void ptx_writer_add_json(ptxlint_writer *writer, const ptxlint_module *module);

/* module NULL: no more of it comes. */
ptxlint_status ptx_writer_take_json(ptxlint_writer *writer, const ptxlint_module *module,
                                    const ptxlint_kernel *kernel);

/* Whether it could be written as the row of first, which has the same code. */
bool ptx_writer_take_same_json(ptxlint_writer *writer, const ptxlint_module *module,
                               const ptxlint_kernel *kernel, const ptxlint_kernel *first);

/* Of several kernels figures are written where they are asked for; of one, always. */
void ptx_writer_add_text(ptxlint_writer *writer, const ptxlint_module *module);

/* Of one kernel in one launch its figures are all there is to say. */
void ptx_writer_put_overview(ptxlint_writer *writer);

void ptx_writer_add_csv(ptxlint_writer *writer, const ptxlint_module *module);

/* Kernels alone: functions are in the JSON of the page. */
void ptx_writer_add_html(ptxlint_writer *writer, const ptxlint_module *module);

void ptx_writer_add_annotation(ptxlint_writer *writer, const ptxlint_module *module);

#endif
