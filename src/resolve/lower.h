/* lower.h -- the lowering of a module as the files of this folder share it. */
#ifndef PTX_RESOLVE_LOWER_H
#define PTX_RESOLVE_LOWER_H

#include "check/check.h"
#include "check/check_call.h"
#include "check/check_loc.h"
#include "check/check_memo.h"
#include "ir/func.h"
#include "ir/module.h"
#include "ir/names.h"
#include "ir/reg.h"
#include "resolve/resolve.h"
#include "support/diag.h"
#include "support/hash.h"
#include "support/limits.h"

/* `%r<100>`: registers, or variables of another space, are made when first referred to, so that a
 * range of two thousand million costs nothing. */
typedef struct Range {
    uint64_t count;
    /* per index: RegId + 1; NULL: looked up in Lower.sparse, as variables are */
    uint32_t *dense;
    Span stem;                  /* what its variables are called in messages */
    FuncId owner;               /* NO_ID: the module */
    uint32_t align;
    uint8_t type, vector, space, linkage;
} Range;

/* Of an operand of the instruction in hand. */
typedef struct OperandValue {
    uint32_t operand; /* into Lower.operands */
    int64_t value;
} OperandValue;

typedef struct Prototype {      /* a .callprototype */
    LabelId label;
    Signature signature;
} Prototype;

/* The range that a stem of up to 8 bytes was found to name: nearly every register is `%r12`, of a
 * handful of ranges. */
typedef struct RangeMemo {
    uint64_t stem;              /* its bytes, the first lowest; 0: none */
    uint32_t range, changes;    /* changes: Names.range_changes when it was found */
} RangeMemo;

enum { RANGE_MEMOS = 32 };

#define VECTOR_OF(T) struct { T *items; uint32_t count, capacity; }

enum { SCOPE_FUNC = 1, SINGLES_COMPARED = 65536 };

/* An operand whose value has no place yet. */
typedef struct BoundOperand {
    uint8_t kind, flags; /* of an Operand */
    uint32_t id;
    int64_t value;
} BoundOperand;

struct Lower {
    Arena *arena, *scratch, *vectors;
    DiagSink *diags;
    const char *text;
    uint32_t length;
    Module *module;
    void *nothing;              /* no items */
    Names names;

    HashTable op_table;         /* 1 + index into Module.ops */
    /* per Op: what stands for it where no form takes the operands; NULL: none yet */
    const Op **opaque;
    uint32_t op_capacity;
    uint32_t var_capacity, loc_capacity, loc_change_capacity;

    Func *func;                 /* being lowered */
    const AstFunc *ast;
    uint32_t lost_lookups;      /* names of the module looked for in lost declarations, so far */
    FuncId func_id;
    VECTOR_OF(Insn) insns;
    VECTOR_OF(Operand) operands;
    VECTOR_OF(OperandValue) values; /* that the operands themselves do not have */
    VECTOR_OF(Reg) regs;
    VECTOR_OF(Label) labels;
    VECTOR_OF(Table) tables;
    VECTOR_OF(uint32_t) table_ids;
    VECTOR_OF(VarId) shared_vars;
    VECTOR_OF(Range) ranges;
    VECTOR_OF(Prototype) prototypes;            /* of the function being lowered */
    VECTOR_OF(Signature) signatures;            /* by FuncId */
    RangeMemo range_memos[RANGE_MEMOS];
    LocSet loc_set;
    CheckMemo *checks;
    /* (range, index) -> RegId + 1, where a range is not dense, or VarId + 1; of ranges of the
     * function, and of the first so many, which are the module's */
    HashMap sparse, module_members;
    uint32_t module_range_count;
    uint64_t dense_left;        /* entries that dense maps may still take: bounded by the source */
    uint32_t scope_marks[LIMIT_NESTING + 2];
    uint32_t scope_count;
    uint32_t unit;              /* of the item */
    uint32_t names_begin;       /* of the unit: names.symbol_count */
    uint32_t func_capacity;
    uint32_t result_reg_count;  /* the first registers of the function: its .reg results */
    /* names that may still be held against a range: the cost of mistakes is bounded */
    uint32_t singles_left;
    bool has_nounroll;          /* of the instruction to come */
    bool has_descriptors;       /* of the function: a tcgen05.mma has one */
    bool has_prototype_label;   /* the label just lowered stands before a .callprototype */
    bool is_optix;              /* a function that OptiX provides is called: reported */
    /* entries that lists of targets may still take: bounded by the source */
    uint32_t targets_left;
    uint32_t open_table;        /* of the label just lowered, for the list behind it; NO_ID: none */
    OccurrenceLog *log;         /* NULL: where names stand is not wanted */
};

/* The next free item of a vector. Vectors keep their room from function to function, and so stay in
 * the cache. */
#define PUSH(lower, vector)                                                                   \
    ((vector).count == (vector).capacity                                                      \
         ? ((vector).items = ptx_arena_grow((lower)->vectors, (vector).items, (vector).count, \
                                            &(vector).capacity, sizeof *(vector).items),      \
            &(vector).items[(vector).count++])                                                \
         : &(vector).items[(vector).count++])

static inline const char *ptx_lower_text(const Lower *l, Span span)
{
    return l->text + span.begin;
}

/* declare.c: registers, variables and parameters. */
void ptx_lower_report_redeclared(Lower *l, Span name, const Symbol *earlier);
bool ptx_lower_is_same_scope(const Lower *l, const Symbol *symbol);
RegId ptx_lower_add_reg(Lower *l, Span name, Type type, uint8_t vector);
VarId ptx_lower_add_member(Lower *l, const Range *range);
void ptx_lower_declare(Lower *l, const AstDecl *decl, FuncId owner);
uint32_t ptx_lower_declare_params(Lower *l, const AstDecl *decl, FuncId owner, bool results,
                                  VarId **out);

/* bind.c: what a name stands for. */
typedef struct ResolveBinding {
    SymbolKind kind;
    uint32_t id;
} ResolveBinding;

ResolveBinding ptx_lower_bind_name(Lower *l, Span name);
BoundOperand ptx_lower_bind_operand(Lower *l, const AstOperand *ast);
LabelId ptx_lower_bind_label(Lower *l, const AstOperand *ast);

/* occurrence.c: where names stand. Of a use the role is noted once its operand is known. Scopes are
 * functions and what stands in `{ }`. */
void ptx_lower_note_declared(Lower *l, SymbolKind kind, uint32_t id, Span span);
void ptx_lower_note_use(Lower *l, SymbolKind kind, uint32_t id, Span span);
void ptx_lower_note_member(Lower *l, uint32_t range, RegId reg);
void ptx_lower_note_role(Lower *l, const BoundOperand *operand, unsigned role);
void ptx_lower_enter_span(Lower *l, Span span);
void ptx_lower_leave_span(Lower *l, uint32_t end);

/* insn.c. */
void ptx_lower_insn(Lower *l, const AstStmt *stmt);
/* The op of the same text with that descriptor: of a tcgen05.mma. */
const Op *ptx_lower_op_of(Lower *l, const Op *op, uint32_t descriptor);

/* descriptor.c: of the function's tcgen05.mma, once all its instructions are there. */
void ptx_lower_descriptors(Lower *l);

#endif
