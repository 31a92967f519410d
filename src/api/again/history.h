/* history.h -- what was found in functions, kept for the next analysis of a text that has changed a
 * little since: findings of a function that did not change are moved to where it is now.
 *
 * A function has changed where its text has, or what else its findings rest on: what stands outside
 * of functions, how it is launched, the functions that it may call, and of a .func those that may
 * call it. Blanks and comments outside of functions do not count. */
#ifndef PTX_API_HISTORY_H
#define PTX_API_HISTORY_H

#include "analysis/flow/types.h"
#include "api/module.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct HistoryKey {
    uint64_t low, high;
} HistoryKey;
typedef struct Recall Recall;
typedef struct SimCode SimCode;

/* What the history knows of the module's functions, for each of its GPUs. NULL: there is none, or
 * it is of no use. Owned by the module's arena. */
Recall *ptx_recall_new(ptxlint_module *module, const ptxlint_options *options, const SimCode *code,
                       Arena *scratch);

/* Adds what the rules found in the function when it was the same; false: it is to be looked at
 * again, and ptx_recall_note notes what is found then. recall may be NULL. */
bool ptx_recall_add(Recall *recall, FuncId func, size_t gpu, DiagSink *sink);
void ptx_recall_note(Recall *recall, FuncId func, size_t gpu, const DiagSink *sink);

/* The history learns what was noted. The number of functions that had not changed. */
size_t ptx_recall_finish(Recall *recall);

/* Of a module: those that findings are for, at least one. */
static inline size_t ptx_history_gpus(const ptxlint_module *m)
{
    return m->gpu_count > 1 ? m->gpu_count : 1;
}

/* history_key.c: what findings of a function rest on, as a hash: per function, and for each per
 * GPU. NULL: functions do not stand one behind the other. */
HistoryKey *ptx_history_keys(ptxlint_module *module, const ptxlint_options *options,
                             const SimCode *code, Arena *scratch);

#endif
