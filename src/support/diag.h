/* diag.h -- diagnostics and the sink that collects them.
 *
 * The user's mistake is a diagnostic in the sink, and work goes on. Rows of diags.def, or of rules;
 * the message says what is wrong in this place, a label what stands at the caret, a help what would
 * be right. All text is owned by the arena. */
#ifndef PTX_SUPPORT_DIAG_H
#define PTX_SUPPORT_DIAG_H

#include "support/arena.h"
#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum DiagId {
    DIAG_NONE,
#define DG(id, ...) DIAG_##id,
#include "support/diags.def"
#undef DG
    DIAG__COUNT
} DiagId;

typedef enum Severity { SEVERITY_NONE, SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR } Severity;

typedef enum Certainty {
    CERTAINTY_NONE,
    CERTAINTY_EXACT,
    CERTAINTY_BOUND,
    CERTAINTY_ESTIMATE,
    CERTAINTY_UNKNOWN
} Certainty;

typedef struct DiagInfo {
    const char *code, *name;
    Severity severity;
    const char *group;
    bool is_minor;              /* where its gain is not known, it is counted only, for people */
    bool is_gain_most;          /* its gain is the most that is to be had */
} DiagInfo;

extern const DiagInfo ptx_diag_info[DIAG__COUNT];

/* By whom a finding is suppressed, and why. */
typedef enum Suppression {
    SUPPRESSION_NONE,
    SUPPRESSION_INLINE,
    SUPPRESSION_CONFIG,
    SUPPRESSION_BASELINE
} Suppression;

typedef struct DiagRelated {
    struct DiagRelated *next;
    Span span;
    const char *message;
} DiagRelated;

/* An edit of the module's text that repairs what was found: replacement takes the place of span,
 * which may be empty. */
typedef struct DiagFix {
    Span span;
    const char *replacement;
    /* nothing else can have been meant; else a guess, to be looked at */
    bool is_certain;
} DiagFix;

typedef struct DiagInsertion {   /* statements that are put in */
    uint32_t line;              /* before this line of the file, from 1 on */
    const char *text;
    const char *source;         /* where that is in the CUDA source: "before a.cu:12"; NULL */
} DiagInsertion;

/* Edits that were tried: with all of them the finding is gone. */
typedef struct DiagRepair {
    const DiagInsertion *insertions;    /* by line */
    uint32_t count;
} DiagRepair;

enum { DIAG_REPEATS_MAX = 16 };

typedef struct Diag {
    const DiagInfo *info;       /* a row of ptx_diag_info, or of a rule */
    Severity severity;          /* the row's, or lower where the file is newer than our tables */
    Certainty certainty;
    Span span;
    int32_t func;               /* index into Module.funcs, -1 for the module */
    uint32_t order;             /* of arrival: the last sort key */
    /* further findings of the same rule in the same function that were folded into this one */
    uint32_t repeats;
    /* where the first of those are, in the module's text */
    uint32_t repeat_at[DIAG_REPEATS_MAX];
    double gain_percent;        /* an estimate; NaN: none is known */
    const char *gain_of;        /* what it is a share of; NULL: there is none */
    Suppression suppression;
    const char *reason;         /* of the suppression; NULL */
    const char *gpu;            /* that it is for; NULL: the first of the module */
    const char *message;
    const char *label;          /* beside the caret, or NULL */
    const char *help;           /* or NULL */
    DiagRelated *related;
    const DiagFix *fix;         /* or NULL */
    DiagRepair repair;          /* count 0: none */
} Diag;

typedef struct DiagSink {
    Arena *arena;
    struct UseLog *uses;        /* of suppressions; NULL: not wanted */
    Diag **items;
    uint32_t count, capacity, dropped;
    uint32_t counts[4];         /* by the severity of the row, dropped ones too */
    int32_t func;               /* given to new diagnostics */
    Diag *spare;                /* stands for all that are dropped; NULL: none is yet */
} DiagSink;

void ptx_diag_init(DiagSink *sink, Arena *arena);

/* Adds one and returns it for label, help and related to be set; never NULL (beyond
 * LIMIT_DIAGNOSTICS it is counted in dropped and goes nowhere). The format is printf's. */
Diag *ptx_diag(DiagSink *sink, DiagId id, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether it is one that goes nowhere. */
static inline bool ptx_diag_is_dropped(const DiagSink *sink, const Diag *diag)
{
    return diag == sink->spare;
}

/* The same for a rule's finding, with its text, which must live as long as the arena. */
Diag *ptx_diag_of(DiagSink *sink, const DiagInfo *info, Severity severity, Span span,
                  const char *message);

void ptx_diag_relate(DiagSink *sink, Diag *diag, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the fix; the replacement is a format. */
void ptx_diag_fix(DiagSink *sink, Diag *diag, Span span, bool is_certain, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A printf into the arena. */
const char *ptx_diag_text(DiagSink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what another sink has, in its order; the diagnostics stay in its arena. */
void ptx_diag_append(DiagSink *sink, const DiagSink *from);

/* Errors so far. */
static inline uint32_t ptx_diag_errors(const DiagSink *sink)
{
    return sink->counts[SEVERITY_ERROR];
}

/* Worst first: by severity; what is wrong before what is slow; by gain; occupancy last; by
 * position; by arrival. Adds the note on dropped ones. Call once, last. */
void ptx_diag_finish(DiagSink *sink);

#endif
