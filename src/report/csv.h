/* csv.h -- comma-separated values, RFC 4180: rows end in CR LF, a cell is quoted where it must be. */
#ifndef PTX_REPORT_CSV_H
#define PTX_REPORT_CSV_H

#include "report/report.h"

typedef struct Csv {
    Out *out;
    bool has_cell;              /* of the row being written */
} Csv;

/* Text: empty for NULL. What a spreadsheet would take for a formula has an apostrophe before it (OWASP, "CSV Injection"); a
 * byte that is not UTF-8 becomes U+FFFD. */
void ptx_csv_text(Csv *csv, const char *text);

/* Numbers: empty where they are not known. */
void ptx_csv_int(Csv *csv, int64_t number);
void ptx_csv_real(Csv *csv, double number);

void ptx_csv_end(Csv *csv);

#endif
