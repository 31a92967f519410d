/* func.h -- a kernel or function: instructions, registers, labels, bounds of its launch. */
#ifndef PTX_IR_FUNC_H
#define PTX_IR_FUNC_H

#include "ir/insn.h"
#include "ir/operand.h"
#include "ir/types.h"
#include "isa/isa.h"
#include "support/span.h"
#include <stdbool.h>

typedef struct Label {
    Span name;
    InsnId insn;                /* the instruction it stands before; Func.insn_count at the end */
    /* .branchtargets, .calltargets: into Func.tables; NO_ID: an ordinary label */
    uint32_t table;
    bool is_used;
    bool is_prototype;          /* names a .callprototype */
    bool is_calltargets;        /* names .calltargets */
} Label;

typedef struct Table {          /* .branchtargets: LabelIds; .calltargets: FuncIds */
    uint32_t first, count;      /* into Func.table_ids */
} Table;

typedef struct Bounds {         /* performance directives; 0: not given */
    uint32_t maxntid[3], reqntid[3];
    uint32_t minnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank;
    bool explicitcluster, blocksareclusters, noreturn;
    bool is_repeated;           /* one of them is given twice: the last one counts */
} Bounds;

typedef struct Func {
    Span name, span;
    Insn *insns;
    Operand *operands;
    Reg *regs;
    Label *labels;
    Table *tables;
    uint32_t *table_ids;
    uint32_t insn_count, operand_count, reg_count, label_count, table_count, table_id_count;
    VarId *params, *results;
    VarId *shared_vars;         /* of shared memory, where an operand names one: in that order */
    uint32_t param_count, result_count, shared_var_count;
    Bounds bounds;
    uint32_t unit;              /* AstHeader.unit, there: names of another unit are not its own */
    /* .alias: calls of this function are calls of that FuncId, + 1; 0: none */
    uint32_t alias_of;
    Linkage linkage;
    bool is_entry, has_body;
    bool has_syntax_error;      /* data-flow findings are withheld */
    bool has_calls;             /* calls, or names a function in another way */
    bool has_generic;           /* an access to generic addresses */
    bool has_unknown;           /* an opcode that the table lacks, or an error: less is certain */
    uint8_t tid_component;      /* the last of %tid that it names, .x being 0 */
    /* named barriers: the highest number and one more; all 16 where one stands in a register */
    uint8_t barrier_count;
} Func;

static inline const Operand *ptx_insn_operands(const Func *func, const Insn *insn)
{
    return func->operands + insn->operand_first;
}

/* Whether it writes the register. */
static inline bool ptx_insn_defines(const Func *func, const Insn *insn, RegId reg)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++)
        if (ptx_operand_is_def(&operands[o]) && operands[o].id == reg)
            return true;
    return false;
}

/* The instruction of func that holds a byte, or NULL. Instructions stand in source order. */
const Insn *ptx_insn_at(const Func *func, uint32_t offset);

#endif
