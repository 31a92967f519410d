/* json_writer.h -- JSON as it is written: a member goes out when it is put, and nothing of the
 * document is held.
 *
 * key names a member of the object that is open, and is NULL in an array. It stays as it is until
 * its object ends. */
#ifndef PTX_REPORT_JSON_WRITER_H
#define PTX_REPORT_JSON_WRITER_H

#include "report/report.h"

enum {
    JSON_DEPTH = 16,            /* objects and arrays that are open at a time: the deepest has 11 */
    JSON_NULLS = 48             /* members of an object that has "reasons": fewer */
};

/* An object or array that is open. */
typedef struct JsonLevel {
    const char *key;            /* of itself */
    char close;                 /* '}' or ']' */
    bool has_item;
    bool has_null;              /* a member, or a null in one that nothing explains */
    bool is_explained;          /* has "reasons" or "why" */
    uint8_t null_count;
    const char *nulls[JSON_NULLS];      /* keys of those members */
} JsonLevel;

/* Outermost, level 0 is what stands around the first value: without braces. */
typedef struct Json {
    Out *out;
    unsigned depth;
    JsonLevel levels[JSON_DEPTH];
} Json;

/* Gives json. */
Json *ptx_json_init(Json *json, Out *out);

void ptx_json_object(Json *json, const char *key);
void ptx_json_array(Json *json, const char *key);
void ptx_json_end(Json *json);

/* An object to be filled and ended where it is given; else null, and false. */
bool ptx_json_optional(Json *json, const char *key, bool is_given);

/* Text as JSON can hold it: each byte that is not UTF-8 becomes U+FFFD. NULL: null. */
void ptx_json_text(Json *json, const char *key, const char *text);

/* The same, with what ptx_out_others says of others like the finding behind it. */
void ptx_json_message(Json *json, const char *key, const char *text, const Finding *finding);

/* An object: what makes a value, at a place. */
typedef struct JsonLink {
    uint32_t line, column;
    const char *text, *what;
    size_t length;              /* of text */
} JsonLink;

enum { JSON_LINK_BYTES = 244 };

/* What is put of it but for what, kept for the next link of the same place. */
typedef struct JsonLinkHead {
    uint32_t begin, end;        /* whoever keeps it: of the text that it is for */
    uint32_t length;            /* 0: nothing is kept; then link is to be given in full */
    char bytes[JSON_LINK_BYTES];
} JsonLinkHead;

void ptx_json_link(Json *json, const JsonLink *link, JsonLinkHead *head);

/* null for "" too. */
void ptx_json_name(Json *json, const char *key, const char *text);
void ptx_json_names(Json *json, const char *key, const char *const *names, size_t count);

/* null for PTXLINT_UNKNOWN, for what is not finite, and for a directive's 0, which says that it is
 * not given. */
void ptx_json_int(Json *json, const char *key, int64_t number);
void ptx_json_count(Json *json, const char *key, uint64_t number);
void ptx_json_real(Json *json, const char *key, double number);
void ptx_json_given(Json *json, const char *key, uint32_t number);
void ptx_json_bool(Json *json, const char *key, int is_set);
void ptx_json_null(Json *json, const char *key);
/* json.c: path, line and column in a source; null where there is no path. */
void ptx_json_source(Json *json, const char *key, ptxlint_source_place place);

/* recognition.c: a row, as an element of an array. */
void ptx_json_recognized(Json *json, const ptxlint_module *module, const ptxlint_recognized *item);
/* recognition.c: keys of an object, "cut", "recognized", "fission". */
void ptx_json_recognition(Json *json, const ptxlint_module *module, const ptxlint_recognition *of);
/* recognition.c: as "fission"; NULL: null. */
void ptx_json_fission(Json *json, const ptxlint_module *module, const ptxlint_fission *of);

/* Member "why": it explains every null of the object; NULL: there is none. */
void ptx_json_why(Json *json, const char *why);

/* Member "reasons": of each member so far that is null, or holds a null that nothing explains, what
 * reason_of says of its key; NULL: nothing. */
typedef const char *ReasonOf(const char *key, const void *of);
void ptx_json_reasons(Json *json, ReasonOf *reason_of, const void *of);

enum { JSON_REASONS_BYTES = 2000 };

/* As it was put last: of the same members that are null, and of a state that decides the rest. */
typedef struct JsonReasons {
    const char *nulls[JSON_NULLS];
    unsigned null_count;
    uint32_t state;
    size_t length;              /* 0: nothing is kept */
    char bytes[JSON_REASONS_BYTES];
} JsonReasons;

/* The same member; state: of `of`, all that reason_of looks at. */
void ptx_json_reasons_kept(Json *json, ReasonOf *reason_of, const void *of, uint32_t state,
                           JsonReasons *kept);

/* ---- projection.c: what a kernel is on one GPU ----------------------------------------------- */

/* For each: projection NULL, where no GPU is described: every figure is null. */
void ptx_json_registers(Json *json, const char *key, const ptxlint_module *module,
                        const ptxlint_kernel *kernel, const ptxlint_projection *projection);
void ptx_json_occupancy(Json *json, const char *key, const ptxlint_kernel *kernel,
                        const ptxlint_projection *projection);
void ptx_json_waves(Json *json, const char *key, const ptxlint_projection *projection);
void ptx_json_estimate(Json *json, const char *key, const ptxlint_projection *projection);
void ptx_json_cycles(Json *json, const char *key, const ptxlint_cycles *cycles);
void ptx_json_peak(Json *json, const char *key, const ptxlint_peak *peak);

/* bottleneck.c */
void ptx_json_parallelism(Json *json, const char *key, const ptxlint_parallelism *parallelism);
void ptx_json_bottleneck(Json *json, const char *key, const ptxlint_projection *projection);
void ptx_json_roofline(Json *json, const char *key, const ptxlint_projection *projection);
void ptx_json_concurrency(Json *json, const char *key, const ptxlint_projection *projection);

/* metric.c: what budgets limit and diffs compare, by key. */
void ptx_json_metrics(Json *json, const char *key, const ptxlint_kernel *kernel,
                      const ptxlint_projection *projection);

/* All of them for each GPU, with its name; [] where there are not two. */
void ptx_json_projections(Json *json, const char *key, const ptxlint_module *module,
                          const ptxlint_kernel *kernel);

/* Of a loop: cycles, peak and parallelism for each GPU. */
void ptx_json_loop_projections(Json *json, const char *key, const ptxlint_module *module,
                               const ptxlint_loop *loop);

/* json.c */
void ptx_json_launch(Json *json, const char *key, const ptxlint_kernel *kernel);

/* ---- reasons.c: why members are null; `of` is what the object was made of -------------------- */

typedef struct ReasonContext {
    const ptxlint_kernel *kernel;
    const ptxlint_projection *projection;       /* NULL: on no GPU */
} ReasonContext;

ReasonOf ptx_reason_gpu, ptx_reason_file;                       /* ptxlint_gpu_info, nothing */
ReasonOf ptx_reason_launch;                                     /* ptxlint_kernel */
/* ReasonContext */
ReasonOf ptx_reason_registers, ptx_reason_resources, ptx_reason_occupancy, ptx_reason_branch;
ReasonOf ptx_reason_bound, ptx_reason_peak;                     /* ptxlint_cycles, ptxlint_peak */
/* ptxlint_projection */
ReasonOf ptx_reason_estimate, ptx_reason_bottleneck, ptx_reason_roofline, ptx_reason_concurrency;
ReasonOf ptx_reason_parallelism, ptx_reason_loop, ptx_reason_trip, ptx_reason_access;
ReasonOf ptx_reason_hot_line;
const char *ptx_reason_ceiling(const ptxlint_peak *peak, const char *name);

#endif
