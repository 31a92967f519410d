/* sarif.h -- SARIF 2.1.0 (OASIS, errata 01) as GitHub's code scanning takes it: what the sarif*.c
 * files share.
 *
 * Lines and columns from 1, columns in UTF-16 code units. GitHub rejects a file with an empty text,
 * so an empty one becomes another or is left out. */
#ifndef PTX_REPORT_SARIF_H
#define PTX_REPORT_SARIF_H

#include "report/json_writer.h"

/* GitHub, "SARIF support for code scanning": what one file may hold. */
enum {
    SARIF_RESULTS = 25000, /* of a run; beyond them the file is rejected */
    SARIF_LOCATIONS = 100, /* of a result that are kept */
    SARIF_TEXT_BYTES =
        1024 /* of a rule's descriptions: characters there, so bytes are on the safe side */
};

/* ---- sarif_rule.c ---------------------------------------------------------------------------- */

/* {"text": text}; other where that is empty. */
void ptx_sarif_message(Json *json, const char *key, const char *text, const char *other);

/* A reportingDescriptor: of a rule, or of what a finding says where its rule is not known. */
/* docs_url: of the options; NULL. */
void ptx_sarif_rule(Json *json, const ptxlint_rule *rule, const char *docs_url);
void ptx_sarif_rule_of(Json *json, const ptxlint_diagnostic *diagnostic);

/* The text in out's Buffer as a value; takes the buffer's bytes. */
void ptx_sarif_text(Json *json, const char *key, Out *out, Buffer *buffer);

/* ---- sarif_result.c -------------------------------------------------------------------------- */

/* A result without ruleId and ruleIndex, its braces left out; line_hash: primaryLocationLineHash,
 * "": none. *is_cut is set where not all locations went in. */
void ptx_sarif_result(Out *out, const Finding *finding, const char *line_hash, bool *is_cut);

#endif
