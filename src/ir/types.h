/* types.h -- the IR by name alone: ids, and structures that others point to.
 *
 * The IR is the module resolved: every name bound, every instruction matched to its form, every
 * operand with its role. Built once by ptx_lower, then const. Ids are indices; 0 is a valid one
 * unless its comment says otherwise. */
#ifndef PTX_IR_TYPES_H
#define PTX_IR_TYPES_H

#include <stdint.h>

typedef uint32_t RegId;         /* into Func.regs */
typedef uint32_t VarId;         /* into Module.vars */
typedef uint32_t FuncId;        /* into Module.funcs */
typedef uint32_t LabelId;       /* into Func.labels */
typedef uint32_t InsnId;        /* into Func.insns */

#define NO_ID UINT32_MAX

typedef struct Operand Operand;
typedef struct Insn Insn;
typedef struct Reg Reg;
typedef struct Label Label;
typedef struct Var Var;
typedef struct Func Func;
typedef struct Module Module;

#endif
