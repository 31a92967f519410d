/* same_code.h -- kernels of a module that have the same code, as instances of a template do where
 * no instruction takes the argument: what rules find in the first is said of the others too, its
 * registers are theirs, and figures that are taken may be.
 *
 * Their texts are the same but for the kernel's own mangled name, in names of parameters and
 * variables too, and for numbers in nvcc's labels; so is the IR. Only kernels that call nothing,
 * have neither errors nor lines of CUDA, and of which no launch and no log says anything; with
 * rules of ptxlint alone. */
#ifndef PTX_API_SAME_CODE_H
#define PTX_API_SAME_CODE_H

#include "api/module.h"

typedef struct CallGraph CallGraph;
typedef struct Launch Launch;
typedef struct SameCode SameCode;
typedef struct SameFindings SameFindings;       /* of a thread */

/* Of modules without a history, for one GPU. NULL: no two kernels have the same code. Owned by the
 * module's arena. */
const SameCode *ptx_same_code_find(ptxlint_module *module, const ptxlint_options *options,
                                   const Launch *const *launches, Arena *scratch);

/* Per function: the first that has its code, itself where others have it too; NO_ID: there are no
 * others. NULL where code is. */
const FuncId *ptx_same_code_firsts(const SameCode *code);

/* Kernels behind func, in the order of functions, that have the code of the first. */
uint32_t ptx_same_code_count(const SameCode *code, FuncId func);

/* Statements of func begin in the columns where those of the first do. */
bool ptx_same_code_keeps_columns(const SameCode *code, FuncId func);

/* Nothing noted yet. Owned by arena. */
SameFindings *ptx_same_findings_new(Arena *arena, const SameCode *code);

/* Adds what rules found in the first with the code of func, where that can be said of func. */
bool ptx_same_findings_add(const SameFindings *all, FuncId func, DiagSink *sink);

/* Of a first: nothing but what rules found was said of it, and what they found is noted. */
bool ptx_same_findings_are_all(const SameFindings *all, FuncId func, const DiagSink *sink);

/* What they have found in func: what came into the sink since. */
void ptx_same_findings_note(SameFindings *all, FuncId func, const DiagSink *before,
                            const DiagSink *sink);

#endif
