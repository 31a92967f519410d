/* isa.h -- the instruction set as data: types, state spaces, targets, opcodes and their forms.
 *
 * forms.txt has a row per form; tools/gen_isa.py turns it into the tables declared here when
 * ptxlint is built. */
#ifndef PTX_ISA_ISA_H
#define PTX_ISA_ISA_H

#include "support/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Type {
    TYPE_NONE,
#define TY(id, text, bits, kind) TYPE_##id,
#include "isa/types.def"
#undef TY
    TYPE__COUNT
} Type;

typedef enum TypeKind {
    KIND_NONE, KIND_PREDICATE, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_OPAQUE
} TypeKind;

typedef struct TypeInfo {
    const char *text;           /* without the dot */
    uint8_t bits;               /* of one element */
    uint8_t kind;               /* TypeKind */
} TypeInfo;

extern const TypeInfo ptx_type_info[TYPE__COUNT];

/* Several integers side by side in one register. */
static inline bool ptx_type_is_packed(Type type)
{
    return type == TYPE_U16X2 || type == TYPE_S16X2 || type == TYPE_U8X4 || type == TYPE_S8X4;
}

typedef enum Space {
    SPACE_NONE,
#define SP(id, text) SPACE_##id,
#include "isa/spaces.def"
#undef SP
    SPACE_GENERIC,              /* no space written: PTX ISA, "Generic Addressing" */
    SPACE__COUNT
} Space;

extern const char *const ptx_space_text[SPACE__COUNT];

typedef enum Linkage {
    LINKAGE_NONE,
    LINKAGE_EXTERN,
    LINKAGE_VISIBLE,
    LINKAGE_WEAK,
    LINKAGE_COMMON
} Linkage;

/* Names are given without their dot. NONE where there is no such name. */
Type ptx_type_find(const char *text, size_t length);
Space ptx_space_find(const char *text, size_t length);

/* .target sm_90a is { 90, 'a' }. */
typedef struct Target {
    uint16_t sm;                /* 0: none */
    char suffix;                /* 0, 'a' or 'f' */
} Target;

static inline bool ptx_target_is_same(Target a, Target b)
{
    return a.sm == b.sm && a.suffix == b.suffix;
}

typedef enum TargetStatus { TARGET_KNOWN, TARGET_NEWER, TARGET_UNKNOWN } TargetStatus;

/* Reads sm_NN[a|f] or compute_NN[a|f]. TARGET_NEWER: well formed and beyond the newest in
 * targets.def. */
TargetStatus ptx_target_find(const char *text, size_t length, Target *target);

/* The first .version that takes a target, 10 * major + minor; 0 where none is known. */
uint16_t ptx_target_since(Target target);

/* version is 10 * major + minor. TARGET_NEWER: beyond the newest in targets.def. */
TargetStatus ptx_version_find(uint32_t major, uint32_t minor);

/* a test holds the first to targets.def */
enum { PTX_VERSION_NEWEST = 94, PTX_TARGET_NEWEST = 121 };

/* Whether an instruction that needs `needed` may stand in a module for `have`. A plain architecture
 * serves every newer one; 'f' serves its family (same tens digit and hundreds, from the named one
 * on), with 'f' or 'a' in the module; 'a' serves itself alone. PTX ISA, ".target". */
bool ptx_target_allows(Target have, Target needed);

/* ---- opcodes and forms ----------------------------------------------------------------------- */

typedef uint16_t OpcodeId;      /* index into ptx_opcode_info; 0: unknown */
typedef uint16_t FormId;        /* index into ptx_form_info; 0: none matched */

/* What an instruction does, whatever its modifiers. */
typedef enum Operation {
    OP_NONE,                    /* an opcode that the tables lack */
#define OP(id, text, kind, trait, what) OP_##id,
#include "isa/op.def"
#undef OP
    OP__COUNT
} Operation;

/* Modifiers that code asks for. */
typedef enum Modifier {
    MOD_NONE,                   /* one that none asks for */
#define MD(id, text) MOD_##id,
#include "isa/modifier.def"
#undef MD
    MOD__COUNT
} Modifier;

/* What an instruction is, for the mix and the pipelines; arithmetic is refined by its type when a
 * form is resolved. */
typedef enum InsnClass {
    CLASS_NONE,
#define CL(id, text, what) CLASS_##id,
#include "isa/classes.def"
#undef CL
    CLASS__COUNT
} InsnClass;

typedef struct ClassInfo {
    const char *text, *what;
} ClassInfo;

extern const ClassInfo ptx_class_info[CLASS__COUNT];

typedef enum Role {             /* bits */
    ROLE_NONE = 0,
    ROLE_USE = 1,
    ROLE_DEF = 2,
    ROLE_ADDRESS = 4,           /* brackets around it; the registers inside are used */
} Role;

/* Operand types beyond Type: stored in FormOperand.type. */
enum { OPERAND_OWN = 0,         /* the instruction's type */
       OPERAND_IMM = 200, OPERAND_LABEL, OPERAND_FUNC, OPERAND_PARAMS, OPERAND_ANY,
       /* every register of 32 bits, and predicates, which ptxas counts as such */
       OPERAND_ANY32,
       OPERAND_BITS16, OPERAND_BITS32,          /* .b16, .b32 and no other */
       OPERAND_COORDS,          /* the instruction's type; a layer is an integer */
       OPERAND_GROUP = 240 };   /* + which of the types that the instruction writes, from 0 to 15 */

/* How many elements {a, b, ...} an operand has, where the row says it. */
typedef enum Elements {
    ELEMENTS_UNSAID,
    ELEMENTS_SET,               /* FormOperand.element_set */
    ELEMENTS_VEC,               /* as .v2 .v4 .v8 says; without it no braces */
    /* a thread's share of a matrix, from the shape and the types */
    ELEMENTS_A, ELEMENTS_B, ELEMENTS_C,
    ELEMENTS_REPEAT,            /* of tcgen05.ld and st, from the shape and .xN */
    ELEMENTS_LANES,             /* one mask for 32 lanes of the CTA group */
    ELEMENTS_MATRICES,          /* of ldmatrix and stmatrix, from the shape and .xN */
    ELEMENTS_DIMS,              /* coordinates of a bulk tensor copy, .1d to .5d */
    ELEMENTS_OFFSETS,           /* its offsets with .im2col: two fewer */
    /* coordinates of a texture or surface, array index included: so many at least, 1, 2 or 4, or
     * one bare */
    ELEMENTS_COORDS,
    /* offsets to them: as many as the texture has dimensions, at least, or one bare */
    ELEMENTS_SHIFT,
    /* gradients: as many as it has dimensions, rounded up to 1, 2 or 4 */
    ELEMENTS_GRADS,
    /* of a sparse vector, from its sizes and .xN: indices, what is kept, all of it */
    ELEMENTS_META, ELEMENTS_KEPT, ELEMENTS_DENSE,
    /* of a surface, of st.async: as .v2 and .v4 say, or a bare register; any number without them */
    ELEMENTS_TEXELS,
    ELEMENTS__COUNT
} Elements;

/* Parts of a register that video instructions name: what may follow it. PTX ISA, "Video
 * Instructions". */
typedef enum Parts {
    PARTS_NONE,
    PARTS_PART,              /* .b0 to .b3, .h0, .h1 */
    PARTS_HALVES,            /* .h10: two halves out of the four of both sources */
    PARTS_BYTES,             /* .b3210: four bytes out of the eight of both sources */
    PARTS_HALF_MASK,         /* .h0 .h1 .h10 */
    PARTS_BYTE_MASK,         /* .b0 .b3 .b20 .b3210: descending */
} Parts;

typedef struct FormOperand {
    uint64_t element_set;       /* bit n: n elements; bit 0: no braces */
    uint16_t range;             /* of a number, into ptx_range_info; 0: any that the type holds */
    /* of the numbers behind the first of a vector, where theirs is another */
    uint16_t next_range;
    uint8_t name;               /* into ptx_form_operand_names */
    uint8_t elements;           /* Elements */
    uint8_t role;               /* Role bits */
    uint8_t pair_role;          /* of the right side of d|p, 0: no pair */
    uint8_t type;               /* Type, or OPERAND_* */
    uint8_t selector;           /* Parts */
    bool optional, pair_optional;
    bool negatable, takes_minus;        /* !p, -r */
    bool is_register;           /* a number may not stand here */
    bool takes_variable;        /* a variable's or function's name, for its address */
    bool takes_sreg;            /* a special register */
    bool takes_sink, pair_takes_sink;   /* _, as the result, and as the right side of the pair */
} FormOperand;

typedef struct RangeInfo {
    /* low, low + step, ... high; step < 0: low, low * -step, ... high */
    int64_t low, high, step;
} RangeInfo;

typedef struct FormModifier {
    uint16_t group;             /* index into ptx_group_info */
    bool optional;
} FormModifier;

typedef struct GroupInfo {
    const char *name;           /* NULL for a single literal */
    uint16_t first, count;      /* into ptx_group_values */
} GroupInfo;

typedef struct FormInfo {
    OpcodeId opcode;
    uint16_t modifier_first, operand_first;     /* into ptx_form_modifiers, ptx_form_operands */
    uint8_t modifier_count, operand_count;
    uint8_t version;            /* first PTX version, 10 * major + minor */
    uint8_t class;              /* FormClass as written in forms.txt */
    Target target;              /* lowest */
    /* the first modifiers, which are part of the name: they stand first, in this order */
    uint8_t name_count;
    uint8_t until_version;      /* the last PTX version that has it, 0: it did not end */
    uint8_t until_sm;           /* targets up to this one have it in later versions too */
    /* what is public of its syntax is incomplete, or contradicts itself: no error rests on it */
    bool is_unsettled;
    bool is_open;               /* with any operands, and modifiers beside its own */
} FormInfo;

/* In place of a modifier: the second result, behind |; no state space, so the address is
 * generic. */
enum { GATE_PAIR = UINT16_MAX, GATE_GENERIC = UINT16_MAX - 1 };

/* An optional modifier that came later than the form. */
typedef struct GateInfo {
    uint16_t modifier;          /* index into ptx_modifier_texts, GATE_PAIR or GATE_GENERIC */
    uint8_t version;
    Target target;              /* sm 0 with the suffix 'a': any that has it */
} GateInfo;

/* How a modifier may stand behind the name. */
typedef struct ModifierOrder {
    uint8_t kind;               /* those of one kind keep their order; 0: anywhere */
    bool is_repeatable;
} ModifierOrder;

/* Classes as forms.txt writes them; CLASS_* come from them and the type. */
typedef enum FormClass {
    FORM_NONE,
    FORM_INT,
    FORM_LOGIC,
    FORM_CMP,
    FORM_ARITH,
    FORM_FP32,
    FORM_FP64,
    FORM_HALF,
    FORM_FMA,
    FORM_CVT,
    FORM_SFU,
    FORM_DIV,
    FORM_TENSOR,
    FORM_MEM,
    FORM_ATOMIC,
    FORM_TEX,
    FORM_CONTROL,
    FORM_BARRIER,
    FORM_MOVE,
    FORM_WARP,
    FORM_VIDEO,
    FORM_MISC
} FormClass;

typedef struct OpcodeInfo {
    const char *text;
    FormId form_first;
    uint16_t form_count;
    uint16_t gate_first, gate_count;            /* into ptx_gate_info */
    /* Operation of the opcode alone; those of its instructions stand behind it */
    uint8_t operation, operation_count;
} OpcodeInfo;

extern const OpcodeInfo ptx_opcode_info[];      /* sorted by text; 0 is none */
extern const OpcodeId ptx_opcode_count;
extern const FormInfo ptx_form_info[];          /* in file order, grouped by opcode; 0 is none */
extern const FormId ptx_form_count;
extern const FormModifier ptx_form_modifiers[];
extern const FormOperand ptx_form_operands[];
extern const char *const ptx_form_operand_names[];

static inline const char *ptx_form_operand_name(const FormOperand *operand)
{
    return ptx_form_operand_names[operand->name];
}

extern const RangeInfo ptx_range_info[];        /* 0 is none */
extern const GroupInfo ptx_group_info[];
/* indices into ptx_modifier_texts, ascending within a group */
extern const uint16_t ptx_group_values[];
extern const char *const ptx_modifier_texts[];  /* sorted; without the dot */
extern const ModifierOrder ptx_modifier_order[];        /* of each of them */
extern const uint8_t ptx_modifier_ids[];        /* Modifier of each of them */
extern const GateInfo ptx_gate_info[];
extern const uint16_t ptx_modifier_count;

/* A row of op.def with a sentence, or of semantics.txt. */
typedef struct SemanticInfo {
    const char *text;           /* "cp.async.bulk" */
    const char *what;           /* a sentence */
    OpcodeId opcode;
    uint8_t need_count;
    int16_t needs[6];           /* indices into ptx_modifier_texts */
} SemanticInfo;

extern const SemanticInfo ptx_semantic_info[];  /* by opcode */
extern const uint16_t ptx_semantic_count;

OpcodeId ptx_opcode_find(const char *text, size_t length);

/* Index into ptx_modifier_texts, or -1. text without the dot. */
int ptx_modifier_find(const char *text, size_t length);

enum { OP_MAX_MODIFIERS = 24 };

/* Opcode and modifiers as one instruction wrote them, read once per distinct text of a module. */
typedef struct Op {
    const char *text;           /* ld.global.f32; owned by the module; not terminated */
    uint32_t length;
    uint32_t id;                /* into Module.ops */
    OpcodeId opcode;
    FormId form;                /* 0: no form has these modifiers, or the opcode is unknown */
    uint8_t insn_class;         /* InsnClass */
    /* Space of a memory instruction, SPACE_GENERIC where none is written, else SPACE_NONE */
    uint8_t space;
    /* Space that the name of a variable gives where none is written, and space is that; else
     * SPACE_NONE */
    uint8_t named_space;
    /* Type: the last one written, of the sources; TYPE_NONE without one */
    uint8_t type;
    /* Type: the first one written, of the result: cvt.DST.TYPE; often the same */
    uint8_t dst_type;
    uint8_t vector;             /* 1, 2, 4, 8 */
    uint8_t modifier_count;
    uint8_t types[4], type_count;       /* Type of the first four written, in order */
    /* Space of the first two written, whatever the class; count: 0 to 2 */
    uint8_t spaces[2], space_count;
    uint16_t flags;             /* OPF_* */
    uint8_t operation;          /* Operation */
    uint8_t family;             /* Operation of the opcode alone: OP_MBARRIER of mbarrier.init */
    uint8_t kind;               /* OpKind: operations that are much alike */
    /* rows, columns and depth of a multiplication of matrices: .m16n8k16, or from the descriptor;
     * 0: none */
    uint16_t shape[3];
    /* of a tcgen05.mma, where it is a constant and has the shape; else 0 */
    uint32_t descriptor;
    bool has_layers;            /* .a1d .a2d .acube .a2dms: the first coordinate is an index */
    /* what the modifiers say of each Elements; 0: nothing */
    uint8_t elements[ELEMENTS__COUNT];
    uint64_t written[(MOD__COUNT + 63) / 64];   /* bit m: it has Modifier m */
    int16_t modifiers[OP_MAX_MODIFIERS];        /* indices into ptx_modifier_texts, -1 unknown */
    /* the first unknown modifier in text, dot excluded; length 0: none */
    uint16_t unknown_at, unknown_length;
    /* a form matches only with modifiers in another order than the table's, or repeated, as ptxas
     * allows */
    bool out_of_order;
} Op;

enum {
    OPF_FULL_PRECISION = 1,     /* division, reciprocal or root that is not approximate */
    OPF_ROUNDED = 2,            /* .rn .rz .rm .rp written */
    OPF_LOAD = 4, OPF_STORE = 8,
    /* does more than write its defs: stores, barriers, control, volatile loads, unknown opcodes */
    OPF_SIDE_EFFECT = 16,
    OPF_UNKNOWN = 32,           /* no table row: analyses treat it as a barrier to knowledge */
    OPF_WARP = 64,              /* acts across lanes */
    /* the module's .version or .target is older than any of its forms */
    OPF_TOO_NEW = 128,
    /* two in a row may be one machine operation: IADD3, LOP3, LEA, three-way minimum, predicated
     * move */
    OPF_JOINS = 256,
    OPF_FOLDS = 512,            /* a sign that the next operation takes in: neg, abs */
    OPF_UNSETTLED = 1024,       /* what is public of its syntax is incomplete */
};

typedef enum OpKind {
    OPK_OTHER,
    OPK_BRA,
    OPK_BRX,
    OPK_CALL,
    OPK_RET,
    OPK_EXIT,
    OPK_TRAP,
    OPK_FMA,
    OPK_ADD,
    OPK_SUB,
    OPK_MUL,
    OPK_MOV,
    OPK_CVT,
    OPK_LD,
    OPK_ST,
    OPK_ATOM,
    OPK_RED,
    OPK_CP_ASYNC,
    OPK_LDMATRIX,
    OPK_STMATRIX,
    OPK_SETP,
    OPK_DIV,
    OPK_BAR,
    OPK_SURFACE
} OpKind;

/* Fills all of op from text (opcode and modifiers without white space). */
void ptx_op_resolve(Op *op, const char *text, size_t length);

/* Of an op that says no space, with the name of a variable for its address: it works in that
 * variable's space, as ptxas encodes it. */
void ptx_op_set_space(Op *op, Space space);

/* Of a tcgen05.mma with that instruction descriptor: its shape, unless none has such a one. */
void ptx_op_set_descriptor(Op *op, uint32_t descriptor);

/* The same text and class as an unknown opcode: for instructions whose operands no form takes, so
 * that no analysis reads them by their positions. Fills all of opaque but its id. */
void ptx_op_make_opaque(Op *opaque, const Op *op);

/* Fills op->elements from the modifiers: done by ptx_op_resolve. */
void ptx_op_count_elements(Op *op);

/* Whether it is written. */
static inline bool ptx_op_has(const Op *op, Modifier modifier)
{
    return op->written[modifier / 64] >> (modifier % 64) & 1;
}

/* The m-th that it has, in the order of its text; MOD_NONE for one that no code asks for. */
static inline Modifier ptx_op_modifier(const Op *op, unsigned m)
{
    return op->modifiers[m] < 0 ? MOD_NONE : (Modifier)ptx_modifier_ids[op->modifiers[m]];
}

/* Whether the word, an index into ptx_modifier_texts, is written. */
bool ptx_op_has_word(const Op *op, int word);

/* Whether one of the modifiers is written, a list that MOD_NONE ends. */
bool ptx_op_has_any(const Op *op, const uint8_t *modifiers);

/* A load of global memory that L2 answers, whatever L1 holds: .cg, .cv, .lu, L1::no_allocate, and
 * volatile, relaxed or acquiring ones of a scope above the block. */
bool ptx_op_bypasses_l1(const Op *op);

/* A relaxed or acquiring load of a scope above the cluster: it asks for what other blocks write. */
bool ptx_op_asks_other_blocks(const Op *op);

/* cp.async.bulk, its groups and prefetches, also to a multimem address. */
bool ptx_op_is_bulk(const Op *op);
/* what it writes, or where it arrives, is in several blocks of a cluster */
bool ptx_op_is_multicast(const Op *op);

/* Matching forms among those of the opcode, for messages and operand checks: the next one after
 * `after` (0: the first) that takes op's modifiers; 0 at the end. */
FormId ptx_form_next(const Op *op, FormId after);

/* Why no form has the modifiers of an op. */
typedef enum MisfitKind {
    MISFIT_OTHER,
    MISFIT_ORDER,               /* all are right, in the order of text */
    MISFIT_REPEATED,            /* modifier is there twice */
    MISFIT_CLASH,               /* modifier and other exclude each other */
    MISFIT_MISSING,             /* one of values is missing */
    MISFIT_EXTRA,               /* it fits without modifier */
    MISFIT_REPLACED,            /* it fits with one of values in place of modifier */
} MisfitKind;

enum { MISFIT_VALUES = 16 };

typedef struct Misfit {
    MisfitKind kind;
    FormId form;                /* the nearest */
    int modifier, other;        /* indices into ptx_modifier_texts, -1 none */
    uint16_t values[MISFIT_VALUES];
    uint32_t value_count;       /* may be more than are kept */
    /* the modifiers in their right order, with dots; empty if they are too long */
    char text[256];
} Misfit;

/* For an op whose opcode is known and whose form is 0 or ended. Forms that ended are not looked
 * at. */
void ptx_op_find_misfit(const Op *op, Misfit *misfit);

/* Whether a form takes so many operands. */
bool ptx_form_takes(FormId form, uint32_t operand_count);

/* Name nearest to text by edit distance, or NULL where nothing is near. */
const char *ptx_opcode_suggest(const char *text, size_t length);
const char *ptx_modifier_suggest(const Op *op, const char *text, size_t length);

/* Opcode text without the white space and comments that may stand between its parts; owned by the
 * arena. */
const char *ptx_op_joined(Arena *arena, const char *written, size_t written_length, size_t *length);

/* .shared in each of its forms. */
static inline bool ptx_space_is_shared(Space space)
{
    return space == SPACE_SHARED || space == SPACE_SHARED_CTA || space == SPACE_SHARED_CLUSTER;
}

static inline bool ptx_space_is_param(Space space)
{
    return space == SPACE_PARAM || space == SPACE_PARAM_ENTRY || space == SPACE_PARAM_FUNC;
}

/* Of the block itself. */
static inline bool ptx_space_is_own_shared(Space space)
{
    return space == SPACE_SHARED || space == SPACE_SHARED_CTA;
}

/* The operation is of this kind, on floating-point numbers. */
static inline bool ptx_op_is_float(const Op *op, OpKind kind)
{
    return op->kind == kind && ptx_type_info[op->type].kind == KIND_FLOAT;
}

#endif
