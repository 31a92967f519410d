/* suppressing.h -- the state of suppress.h while it looks at a module, for its files:
 *
 *   suppress.c          which findings comments suppress; all of it; what a baseline knows
 *   suppress_comment.c  what comments say, and which statements they cover
 *   suppress_unused.c   comments that suppress nothing: SUP101
 *   suppress_config.c   what the config suppresses */
#ifndef PTX_FINDINGS_SUPPRESSING_H
#define PTX_FINDINGS_SUPPRESSING_H

#include "findings/suppress.h"

typedef enum CommentReach {
    REACH_NONE,
    REACH_LINE,
    REACH_KERNEL,
    REACH_FILE,
    REACH__COUNT
} CommentReach;

typedef struct SuppressReach { const char *word, *here; } SuppressReach;

/* A rule, or several, that a comment names. */
typedef struct Named {
    const Selector *selector;
    Span span;
    bool is_used;
} Named;

typedef struct Comment {
    Span span;                  /* `ptxlint:` to the bracket */
    Span range;                 /* what it covers: findings that begin there */
    Span reason;
    Span whole;                 /* the comment, where it has no other line; else empty */
    const char *reason_text;    /* of reason, when it was first asked for */
    uint32_t named_first, named_count;
    int32_t func;               /* that was to be analysed for it to be used; -1: all */
    uint8_t reach;              /* CommentReach */
} Comment;

/* A finding. */
typedef struct SuppressRow {
    uint32_t begin;
    /* of the same rule, while a group of comments is at work: index + 1 */
    uint32_t next;
    RuleId rule;
    Diag *diag;
} SuppressRow;

typedef struct SuppressBody {           /* of a function that has one */
    Span span;
    FuncId id;
} SuppressBody;

/* What the last search for a statement gave: good for all lines whose code begins in [from,
 * begin]. */
typedef struct SuppressFound {
    bool has_statement, has_line;
    uint32_t from;
    uint32_t begin;             /* of the statement; limit: there is none */
    uint32_t limit;
    Span statement;             /* the last one whose end was looked for */
    uint32_t line_from, line_end;       /* the first end of a line from line_from on */
} SuppressFound;

typedef struct Suppress {
    Arena *arena, *scratch;
    DiagSink *diags;
    const Module *module;
    const ptxlint_config *config;
    const Selectors *selectors;
    SuppressBody *bodies;
    uint32_t body_count;
    List comments, named;       /* Comment, Named */
    SuppressRow *rows;
    uint32_t row_count;
    uint32_t *heads;            /* per rule: first row of a group, + 1 */
    RuleId *present;            /* rules of a group's rows */
    uint32_t present_count;
    SuppressFound found;
    uint32_t complaints;        /* of bad comments so far */
} Suppress;

/* suppress_comment.c */

extern const SuppressReach ptx_suppress_reaches[REACH__COUNT];

const RuleChoice *ptx_suppress_choice(const Suppress *s, RuleId rule);
bool ptx_suppress_has_room(const Suppress *s);
/* NULL: it is switched off, or there is no room for it. */
Diag *ptx_suppress_diag(Suppress *s, DiagId id, Span span, int32_t func, const char *message);
/* The function that holds a byte; -1: none does. */
int32_t ptx_suppress_func_at(const Suppress *s, uint32_t at);
void ptx_suppress_read_comments(Suppress *s);

/* suppress.c */

/* Those that may be suppressed, from number first on. of_suppressions: SUP101 and SUP102, or all
 * but these. */
void ptx_suppress_find_rows(Suppress *s, bool of_suppressions);
/* Not ALL, but SUP101 or SUP102. */
bool ptx_suppress_names_suppressions(const Suppress *s, const Selector *selector);

void ptx_suppress_find_unused(Suppress *s);
void ptx_suppress_apply_config(Suppress *s, const char *path);

#endif
