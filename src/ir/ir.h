/* ir.h -- the module resolved: every name bound, every instruction matched to its form, every
 * operand with its role.
 *
 * Built once by ptx_lower, then const. Ids are indices; 0 is a valid one unless its comment says
 * otherwise. */
#ifndef PTX_IR_IR_H
#define PTX_IR_IR_H

#include "isa/isa.h"
#include "parser/ast.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/span.h"
#include "support/minmax.h"

typedef uint32_t RegId;         /* into Func.regs */
typedef uint32_t VarId;         /* into Module.vars */
typedef uint32_t FuncId;        /* into Module.funcs */
typedef uint32_t LabelId;       /* into Func.labels */
typedef uint32_t InsnId;        /* into Func.insns */

#define NO_ID UINT32_MAX

typedef enum OperandKind {
    OPERAND_NONE,
    /* id: RegId; value: offset of an address, or bits of a component 0..3 plus 1, or OPERAND_PART's
     * */
    OPERAND_REG,
    OPERAND_SREG,               /* id: SregId; value: component 0..3 */
    OPERAND_INT,                /* value */
    OPERAND_F32, OPERAND_F64,   /* value: the bits */
    OPERAND_VAR,                /* id: VarId; value: offset */
    OPERAND_FUNCTION,           /* id: FuncId */
    OPERAND_TARGET,             /* id: LabelId */
    OPERAND_SINK,               /* _ */
    OPERAND_UNKNOWN,            /* undeclared, or a shape no form has: diagnosed */
} OperandKind;

enum {
    OPERAND_NEGATED = 1,        /* !p */
    OPERAND_MINUS = 2,          /* -r */
    OPERAND_ELEMENT = 4,        /* of a vector {a, b, ...} */
    OPERAND_RIGHT = 8,          /* right side of d|p */
    OPERAND_COMPONENT = 16,     /* v.x: part of the register */
    OPERAND_IMPLICIT = 32,      /* not written: a .reg result of the function at its ret */
    /* r.h1, r.b3210, as video instructions take it; value: the digits, a nibble each, and
     * PART_HALVES or PART_BYTES */
    OPERAND_PART = 64,
};

enum {
    PART_DIGITS = 0xffff,
    PART_HALVES = 1 << 16,
    PART_BYTES = 1 << 17,
    PART_COUNT_SHIFT = 18 /* how many digits */
};

typedef struct Operand {
    uint8_t kind;               /* OperandKind */
    uint8_t role;               /* Role bits */
    uint8_t position;           /* in the form; elements of a vector share theirs */
    uint8_t flags;              /* OPERAND_NEGATED ... */
    uint32_t id;
    int64_t value;
} Operand;

typedef struct Insn {
    const Op *op;               /* opcode with modifiers: form, class, type, space */
    Span span;                  /* guard to semicolon */
    uint32_t operand_first;     /* into Func.operands */
    uint16_t operand_count;
    FormId form;                /* the row that fits the operands too; 0: none */
    RegId guard;                /* NO_ID: none */
    uint32_t loc;               /* into Module.locs; 0: none */
    bool guard_negated;
    bool has_nounroll;          /* behind .pragma "nounroll" */
    uint8_t access_bytes;       /* memory instructions: per thread, 0 where unknown */
} Insn;

typedef struct Reg {
    Span name;                  /* where it is first referred to or declared alone */
    uint8_t type;               /* Type; TYPE_NONE: undeclared, diagnosed */
    uint8_t vector;             /* 1, 2, 4 */
    bool is_written;            /* some instruction, or the caller, writes it */
    bool is_param;              /* .func (.reg ...) parameter */
    bool is_result;             /* .func (.reg ...) result: read at every ret */
    bool is_of_range;           /* one of %r<100> */
} Reg;

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

typedef struct Var {
    Span name, span;
    uint64_t bytes;             /* 0: unsized (.extern .shared x[]) */
    Span init;                  /* after `=`, where it names anything; else empty */
    Span numbers;               /* after `=`, where it does not */
    FuncId func;                /* owner; NO_ID: the module's */
    uint32_t unit;              /* AstHeader.unit, there */
    uint32_t align;
    uint32_t pointer_align;     /* of what a parameter with .ptr points to; 0: not said */
    uint8_t space;              /* Space */
    uint8_t type;               /* Type of an element */
    uint8_t vector;             /* 1, 2, 4, 8 */
    uint8_t linkage;            /* Linkage */
    bool is_parameter;          /* of the function's own signature */
    bool is_input;              /* of these one that it is given, not its result */
    bool is_array;
} Var;

typedef struct Loc {            /* .loc: PTX ISA, "Debugging Directives: .loc" */
    uint32_t file, line, column;
    uint32_t inlined_file, inlined_line, inlined_column;    /* 0: not inlined */
    uint32_t unit;              /* AstHeader.unit, there: whose .file directives count */
} Loc;

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
    uint32_t param_count, result_count;
    Bounds bounds;
    uint32_t unit;              /* AstHeader.unit, there: names of another unit are not its own */
    /* .alias: calls of this function are calls of that FuncId, + 1; 0: none */
    uint32_t alias_of;
    Linkage linkage;
    bool is_entry, has_body;
    bool has_syntax_error;      /* data-flow findings are withheld */
    bool has_calls;             /* calls, or names a function in another way */
    bool has_unknown;           /* an opcode that the table lacks, or an error: less is certain */
} Func;

typedef struct File {
    uint32_t index, unit;
    Span path;
} File;

typedef struct Module {
    const char *text;
    uint32_t length;
    uint32_t line_count;
    const uint32_t *lines;      /* where each line begins */
    uint16_t version;           /* 10 * major + minor; 0: none */
    Target target;
    Span version_span;          /* of the number; empty without one */
    Span target_span;           /* of its first name; empty without one */
    bool is_debug;              /* .target ..., debug */
    bool is_texmode_independent;
    uint32_t address_size;      /* 32 or 64 */
    bool has_address_size;      /* the file says so; else it is the default */
    Func *funcs;
    Var *vars;
    Loc *locs;                  /* locs[0] is none */
    File *files;
    const Op **ops;             /* every distinct opcode text, in order of appearance */
    uint32_t func_count, var_count, loc_count, file_count, op_count;
    /* modules that stand in the file one behind the other; 1 in a file that is right */
    uint32_t unit_count;
} Module;

typedef enum SregId {
    SREG_NONE,
#define SR(id, ...) SREG_##id,
#include "isa/sregs.def"
#undef SR
    SREG__COUNT
} SregId;

typedef struct Lower Lower;

/* Binds names and matches forms, item by item as the parser hands them out. The module is owned by
 * arena; vectors is the lowering's own until it is finished; scratch is left as it was found. */
Lower *ptx_lower_new(Arena *arena, Arena *vectors, Arena *scratch, DiagSink *diags,
                     const char *text, size_t length);
void ptx_lower_item(Lower *lower, const AstHeader *header, const AstItem *item);
const Module *ptx_lower_finish(Lower *lower, const AstHeader *header);

/* lines.c: sets module->lines; which of them holds a byte, from 0 on. */
void ptx_lines_find(Arena *arena, Module *module);
uint32_t ptx_line_of(const Module *module, uint32_t offset);

/* The instruction of func that holds a byte, or NULL. Instructions stand in source order. */
const Insn *ptx_insn_at(const Func *func, uint32_t offset);

/* Of the .file directive that a .loc names; NULL: there is none. */
static inline const File *ptx_loc_file(const Module *module, const Loc *loc)
{
    for (uint32_t f = 0; f < module->file_count; f++)
        if (module->files[f].index == loc->file && module->files[f].unit == loc->unit)
            return &module->files[f];
    return NULL;
}

/* Whether it accesses memory per thread: ld, st, atom, red, cp.async of 4 to 16 bytes, ldmatrix and
 * stmatrix; not bulk copies and waits. */
static inline bool ptx_insn_is_access(const Insn *insn)
{
    const Op *op = insn->op;
    switch ((OpKind)op->kind) {
    case OPK_CP_ASYNC:
        return op->space && insn->access_bytes;
    case OPK_ATOM: case OPK_RED: case OPK_ST: case OPK_STMATRIX: case OPK_LD: case OPK_LDMATRIX:
        return op->space;
    default:
        return op->space && op->flags & (OPF_LOAD | OPF_STORE);
    }
}

static inline const Operand *ptx_insn_operands(const Func *func, const Insn *insn)
{
    return func->operands + insn->operand_first;
}

/* 32-bit registers that a value of this register takes; 0 for predicates. 8- and 16-bit values take
 * a whole one. */
static inline uint32_t ptx_reg_units(const Reg *reg)
{
    if (reg->type == TYPE_PRED || reg->type == TYPE_NONE)
        return 0;
    return reg->vector * ptx_u32_max(ptx_type_info[reg->type].bits / 32, 1);
}

static inline bool ptx_operand_is_def(const Operand *operand)
{
    return operand->kind == OPERAND_REG && operand->role & ROLE_DEF;
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

#endif
