/* severity.c -- the words of severities, certainties and the like. */
#include "report/report.h"

const char *ptx_report_severity(ptxlint_severity severity)
{
    switch (severity) {
    case PTXLINT_ERROR:   return "error";
    case PTXLINT_WARNING: return "warning";
    default:              return "note";
    }
}

const char *ptx_report_certainty(ptxlint_certainty certainty)
{
    switch (certainty) {
    case PTXLINT_EXACT:     return "exact";
    case PTXLINT_BOUND:     return "bound";
    case PTXLINT_ESTIMATE:  return "estimate";
    case PTXLINT_NOT_KNOWN: break;
    }
    return "unknown";
}

const char *ptx_report_split(ptxlint_split split)
{
    switch (split) {
    case PTXLINT_SPLIT_NEVER:   return "never";
    case PTXLINT_SPLIT_PERHAPS: return "perhaps";
    case PTXLINT_SPLIT_CERTAIN: return "certainly";
    case PTXLINT_SPLIT_UNKNOWN: break;
    }
    return "unknown";
}

const char *ptx_report_suppression(ptxlint_suppression suppression)
{
    switch (suppression) {
    case PTXLINT_SUPPRESSED_INLINE:     return "inline";
    case PTXLINT_SUPPRESSED_BY_CONFIG:  return "config";
    case PTXLINT_SUPPRESSED_BY_BASELINE: return "baseline";
    case PTXLINT_NOT_SUPPRESSED:        break;
    }
    return NULL;
}

const char *ptx_report_gain_measure(const ptxlint_diagnostic *diagnostic)
{
    return diagnostic->is_gain_most ? "at most" : "about";
}

bool ptx_report_has_gain(const ptxlint_diagnostic *diagnostic)
{
    /* not with a NaN; below, it would be shown as 0 */
    return diagnostic->gain_of && diagnostic->gain_percent >= 0.5;
}
