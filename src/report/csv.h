/* csv.h -- comma-separated values, RFC 4180: rows end in CR LF, a cell is quoted where it must
 * be. */
#ifndef PTX_REPORT_CSV_H
#define PTX_REPORT_CSV_H

#include "report/report.h"

typedef struct Csv {
    Out *out;
    bool has_cell;              /* of the row being written */
    /* of an empty cell, until the next ptx_csv_reason; NULL: it has none */
    const char *what, *why;
    char notes[4096];           /* "WHAT: WHY; ...", of the cells of the row that are empty */
    size_t noted;
} Csv;

/* Cells from here on are of `what`, and empty because of `why`. */
void ptx_csv_reason(Csv *csv, const char *what, const char *why);

/* The cell of all reasons that empty cells of the row have. */
void ptx_csv_notes(Csv *csv);

/* Text: empty for NULL. What a spreadsheet would take for a formula has an apostrophe before it
 * (OWASP, "CSV Injection"); a byte that is not UTF-8 becomes U+FFFD. */
void ptx_csv_text(Csv *csv, const char *text);

/* Numbers: empty where they are not known. */
void ptx_csv_int(Csv *csv, int64_t number);
void ptx_csv_real(Csv *csv, double number);

void ptx_csv_end(Csv *csv);

#endif
