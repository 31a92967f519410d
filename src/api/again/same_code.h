/* same_code.h -- kernels of a module that have the same code, as instances of a template do where
 * no instruction takes the argument: what rules find in the first is said of the others too, and
 * its registers are theirs.
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

/* Nothing noted yet. Owned by arena. */
SameFindings *ptx_same_findings_new(Arena *arena, const SameCode *code);

/* Adds what rules found in the first with the code of func, where that can be said of func. */
bool ptx_same_findings_add(const SameFindings *all, FuncId func, DiagSink *sink);

/* What they have found in func: what came into the sink since. */
void ptx_same_findings_note(SameFindings *all, FuncId func, const DiagSink *before,
                            const DiagSink *sink);

#endif
