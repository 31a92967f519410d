/* tune.h -- which block to launch a kernel with: what is tried, and how it is said. */
#ifndef PTX_CLI_VARIANTS_TUNE_H
#define PTX_CLI_VARIANTS_TUNE_H

#include "cli/cli.h"

enum { MAX_SHAPES = 160, MAX_VARIANTS = 8 };

typedef enum Work { WORK_SAME, WORK_UNKNOWN, WORK_OTHER } Work;

typedef struct TuneShape {
    ptxlint_trial trial;
    ptxlint_estimated estimated;
    int64_t threads;
    Work work;
    bool has_more;              /* threads than the launch as it is */
    bool is_given;              /* the launch as it is */
    bool is_close;              /* evaluated over many blocks */
} TuneShape;

typedef struct Variant {        /* of the shape to take */
    TuneShape shape;
    bool is_shared;             /* another size of dynamic shared memory; else a cap on registers */
} Variant;

typedef struct Tune {
    const ptxlint_module *module;
    const ptxlint_kernel *kernel;
    size_t gpu;                 /* of the module's */
    ptxlint_thread_index index;
    int64_t steps_close;
    TuneShape shapes[MAX_SHAPES];
    size_t count;
    const TuneShape *best;          /* NULL: nothing is known */
    bool is_bound;              /* no other block was tried */
    Variant variants[MAX_VARIANTS];
    size_t variant_count;
} Tune;

/* .reqntid is a block that is given. */
bool ptx_tune_is_tunable(const ptxlint_kernel *kernel);

/* A row of threads in a row of blocks. */
bool ptx_tune_is_row(const Tune *t);

bool ptx_tune_is_predicted(const TuneShape *shape);

/* The launch as it is; NULL: it was not tried. */
const TuneShape *ptx_tune_given(const Tune *t);

/* Tries shapes, then registers and shared memory with the best of them. */
void ptx_tune_try(Tune *t);

/* NULL: no file describes it. */
const char *ptx_tune_gpu(const Tune *t);

/* What must hold beside the code. */
extern const char ptx_tune_assumption[];

/* "spills likely". */
const char *ptx_tune_spills(ptxlint_spills spills);

/* What is better about a shape than about the one that is given. */
void ptx_tune_put_reasons(Text *out, const TuneShape *best, const TuneShape *given);

/* Why no other block, or no other size in one dimension, was tried; nothing where all were. */
void ptx_tune_put_bound(const Tune *t, Text *out);

void ptx_tune_put_text(const Tune *t, Text *out);
json_t *ptx_tune_json(const Tune *t);

#endif
