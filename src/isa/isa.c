#include "isa/isa.h"

#include "support/words.h"

#include <string.h>

const TypeInfo ptx_type_info[TYPE__COUNT] = {
#define TY(id, text, bits, kind) [TYPE_##id] = { text, bits, KIND_##kind },
#include "isa/types.def"
#undef TY
};

const char *const ptx_space_text[SPACE__COUNT] = {
#define SP(id, text) [SPACE_##id] = text,
#include "isa/spaces.def"
#undef SP
    [SPACE_GENERIC] = "generic",
};

const ClassInfo ptx_class_info[CLASS__COUNT] = {
#define CL(id, text, what) [CLASS_##id] = { text, what },
#include "isa/classes.def"
#undef CL
};

static bool text_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

Type ptx_type_find(const char *text, size_t length)
{
    if (length < 2)
        return TYPE_NONE;
    for (int t = 1; t < TYPE__COUNT; t++) {
        const char *name = ptx_type_info[t].text;
        if (name[0] == text[0] && name[1] == text[1] && text_is(text, length, name))
            return (Type)t;
    }
    return TYPE_NONE;
}

Space ptx_space_find(const char *text, size_t length)
{
    for (int s = 1; s < SPACE_GENERIC; s++) {
        if (text_is(text, length, ptx_space_text[s]))
            return (Space)s;
    }
    return SPACE_NONE;
}

/* ---- targets and versions -------------------------------------------------------------------- */

typedef struct TargetRow {
    uint16_t sm;
    const char *suffixes;
    uint8_t since, since_a, since_f;
} TargetRow;
typedef struct VersionRow { uint8_t major, last_minor; } VersionRow;

static const TargetRow target_rows[] = {
#define TG(sm, suffixes, since, since_a, since_f) { sm, suffixes, since, since_a, since_f },
#define VR(major, minor)
#include "isa/targets.def"
#undef TG
#undef VR
};

static const VersionRow version_rows[] = {
#define TG(sm, suffixes, since, since_a, since_f)
#define VR(major, minor) { major, minor },
#include "isa/targets.def"
#undef TG
#undef VR
};

/* bytes of `sm_` or `compute_`, where a number follows it; else 0 */
static size_t target_prefix(const char *text, size_t length)
{
    if (length > 3 && !memcmp(text, "sm_", 3))
        return 3;
    return length > 8 && !memcmp(text, "compute_", 8) ? 8 : 0;
}

TargetStatus ptx_target_find(const char *text, size_t length, Target *target)
{
    size_t i = target_prefix(text, length);
    *target = (Target){ 0 };
    if (!i)
        return TARGET_UNKNOWN;
    unsigned sm = 0, digits = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9' && digits < 4; i++, digits++)
        sm = 10 * sm + (unsigned)(text[i] - '0');
    char suffix = 0;
    if (i + 1 == length && (text[i] == 'a' || text[i] == 'f'))
        suffix = text[i++];
    if (i != length || digits < 2)
        return TARGET_UNKNOWN;
    const size_t count = sizeof target_rows / sizeof *target_rows;
    for (size_t row = 0; row < count; row++) {
        if (target_rows[row].sm != sm)
            continue;
        if (suffix && !strchr(target_rows[row].suffixes, suffix))
            return TARGET_UNKNOWN;
        *target = (Target){ (uint16_t)sm, suffix };
        return TARGET_KNOWN;
    }
    if (sm <= target_rows[count - 1].sm)
        return TARGET_UNKNOWN;
    *target = (Target){ (uint16_t)sm, suffix };
    return TARGET_NEWER;
}

uint16_t ptx_target_since(Target target)
{
    for (size_t row = 0; row < sizeof target_rows / sizeof *target_rows; row++) {
        const TargetRow *r = &target_rows[row];
        if (r->sm != target.sm)
            continue;
        if (target.suffix == 'a')
            return r->since_a;
        return target.suffix == 'f' ? r->since_f : r->since;
    }
    return 0;
}

TargetStatus ptx_version_find(uint32_t major, uint32_t minor)
{
    const size_t count = sizeof version_rows / sizeof *version_rows;
    for (size_t row = 0; row < count; row++) {
        if (version_rows[row].major == major && minor <= version_rows[row].last_minor)
            return TARGET_KNOWN;
    }
    const VersionRow newest = version_rows[count - 1];
    return major > newest.major || (major == newest.major && minor > newest.last_minor)
               ? TARGET_NEWER
               : TARGET_UNKNOWN;
}

bool ptx_target_allows(Target have, Target needed)
{
    switch (needed.suffix) {
    case 'a': return have.sm == needed.sm && have.suffix == 'a';
    case 'f': return have.sm >= needed.sm && have.sm / 10 == needed.sm / 10 && have.suffix;
    default:  return have.sm >= needed.sm;
    }
}

/* ---- lookup by bisection --------------------------------------------------------------------- */

/* Most differ in the first byte. */
static int compare_text(const char *text, size_t length, const char *word)
{
    if (length && *text != *word)
        return (unsigned char)*text - (unsigned char)*word;
    size_t word_length = strlen(word);
    int order = memcmp(text, word, length < word_length ? length : word_length);
    return order ? order : (length > word_length) - (length < word_length);
}

OpcodeId ptx_opcode_find(const char *text, size_t length)
{
    unsigned low = 1, high = ptx_opcode_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = compare_text(text, length, ptx_opcode_info[middle].text);
        if (!order)
            return (OpcodeId)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

int ptx_modifier_find(const char *text, size_t length)
{
    int low = 0, high = ptx_modifier_count;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = compare_text(text, length, ptx_modifier_texts[middle]);
        if (!order)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

/* ---- what the modifiers say ------------------------------------------------------------------ */

/* What an operation does beside its kind. */
typedef enum OpTrait {
    TRAIT_NONE, TRAIT_LOADS, TRAIT_STORES, TRAIT_UPDATES, TRAIT_LOADS_OF_WARP, TRAIT_STORES_OF_WARP,
    TRAIT_JOINS, TRAIT_JOINS_INTEGERS, TRAIT_FOLDS,
    TRAIT_PURE,                 /* it makes a number, whatever the class of its form does */
} OpTrait;

static const struct { const char *text; uint8_t kind, trait; } operations[] = {
    { "", OPK_OTHER, TRAIT_NONE },
#define OP(id, text, kind, trait, what) { text, OPK_##kind, TRAIT_##trait },
#include "isa/op.def"
#undef OP
};

_Static_assert(OP__COUNT <= UINT8_MAX && MOD__COUNT <= UINT8_MAX, "they are kept in a byte");

static uint16_t flags_of_trait(OpTrait trait)
{
    switch (trait) {
    case TRAIT_LOADS:           return OPF_LOAD;
    case TRAIT_STORES:          return OPF_STORE;
    case TRAIT_UPDATES:         return OPF_LOAD | OPF_STORE;
    case TRAIT_LOADS_OF_WARP:   return OPF_LOAD | OPF_WARP;
    case TRAIT_STORES_OF_WARP:  return OPF_STORE | OPF_WARP;
    case TRAIT_JOINS:           return OPF_JOINS;
    case TRAIT_FOLDS:           return OPF_FOLDS;
    default:                    return 0;
    }
}

/* Whether the text has all parts of the operation's in front. */
static bool begins_with(const Op *op, Operation operation)
{
    size_t length = strlen(operations[operation].text);
    return op->length >= length && !memcmp(op->text, operations[operation].text, length)
           && (op->length == length || op->text[length] == '.');
}

static void find_operation(Op *op)
{
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    op->family = op->operation = opcode->operation;
    for (unsigned i = 1; i < opcode->operation_count; i++)
        if (begins_with(op, (Operation)(opcode->operation + i))
            && strlen(operations[opcode->operation + i].text)
                   > strlen(operations[op->operation].text))
            op->operation = (uint8_t)(opcode->operation + i);
    op->kind = operations[op->operation].kind;
}

bool ptx_op_has_word(const Op *op, int word)
{
    for (unsigned m = 0; m < op->modifier_count; m++)
        if (op->modifiers[m] == word)
            return true;
    return false;
}

bool ptx_op_has_any(const Op *op, const uint8_t *modifiers)
{
    for (; *modifiers; modifiers++)
        if (ptx_op_has(op, (Modifier)*modifiers))
            return true;
    return false;
}

static bool is_ordered_above_cta(const Op *op)
{
    static const uint8_t order[] = { MOD_RELAXED, MOD_ACQUIRE, MOD_NONE };
    return op->kind == OPK_LD && ptx_op_has_any(op, order) && !ptx_op_has(op, MOD_CTA);
}

bool ptx_op_bypasses_l1(const Op *op)
{
    static const uint8_t cache[] = { MOD_CG,       MOD_CV,   MOD_LU,  MOD_L1_NO_ALLOCATE,
                                     MOD_VOLATILE, MOD_MMIO, MOD_NONE };
    return op->kind == OPK_LD && (ptx_op_has_any(op, cache) || is_ordered_above_cta(op));
}

bool ptx_op_asks_other_blocks(const Op *op)
{
    return is_ordered_above_cta(op) && !ptx_op_has(op, MOD_CLUSTER);
}

bool ptx_op_is_multicast(const Op *op)
{
    return ptx_op_has(op, MOD_MULTICAST_CLUSTER) || ptx_op_has(op, MOD_MULTICAST_CLUSTER_16B)
           || ptx_op_has(op, MOD_MULTICAST_CLUSTER_32B);
}

bool ptx_op_is_bulk(const Op *op)
{
    switch ((Operation)op->operation) {
    case OP_CP_ASYNC_BULK:
    case OP_CP_ASYNC_BULK_COMMIT_GROUP:
    case OP_CP_ASYNC_BULK_WAIT_GROUP:
    case OP_CP_ASYNC_BULK_PREFETCH:
    case OP_APPLYPRIORITY_ASYNC_BULK:
    case OP_MULTIMEM_CP_ASYNC_BULK:
    case OP_MULTIMEM_CP_REDUCE_ASYNC_BULK:
        return true;
    default:
        return false;
    }
}

static InsnClass class_by_type(Type type)
{
    switch (type) {
    case TYPE_F32: case TYPE_F32X2: case TYPE_TF32:
        return CLASS_FP32;
    case TYPE_F64:
        return CLASS_FP64;
    case TYPE_F16: case TYPE_F16X2: case TYPE_BF16: case TYPE_BF16X2:
        return CLASS_HALF;
    default:
        return CLASS_INT;
    }
}

static InsnClass class_by_space(Space space)
{
    switch (space) {
    case SPACE_SHARED: case SPACE_SHARED_CTA: case SPACE_SHARED_CLUSTER:
        return CLASS_SHARED;
    case SPACE_LOCAL:
        return CLASS_LOCAL;
    case SPACE_CONST:
        return CLASS_CONST;
    case SPACE_PARAM: case SPACE_PARAM_ENTRY: case SPACE_PARAM_FUNC:
        return CLASS_PARAM;
    default:
        return CLASS_GLOBAL;
    }
}

static InsnClass class_of(const Op *op, FormClass form_class)
{
    InsnClass by_type = class_by_type((Type)op->type);
    switch (form_class) {
    case FORM_INT: case FORM_VIDEO:    return CLASS_INT;
    case FORM_LOGIC:                   return CLASS_LOGIC;
    case FORM_CMP: case FORM_ARITH:    return by_type;
    case FORM_FP32:                    return CLASS_FP32;
    case FORM_FP64:                    return CLASS_FP64;
    case FORM_HALF:                    return CLASS_HALF;
    case FORM_FMA:
        return by_type == CLASS_FP64 || by_type == CLASS_HALF ? by_type : CLASS_FMA;
    case FORM_CVT:                     return CLASS_CVT;
    case FORM_SFU:                     return CLASS_SFU;
    case FORM_DIV:                     return by_type == CLASS_FP32 ? CLASS_SFU : by_type;
    case FORM_TENSOR:                  return CLASS_TENSOR;
    case FORM_MEM:                     return class_by_space((Space)op->space);
    case FORM_ATOMIC:                  return CLASS_ATOMIC;
    case FORM_TEX:                     return CLASS_TEXTURE;
    case FORM_CONTROL:                 return CLASS_CONTROL;
    case FORM_BARRIER:                 return CLASS_BARRIER;
    case FORM_MOVE: case FORM_WARP:    return CLASS_MOVE;
    default:                           return CLASS_OTHER;
    }
}

static void decode_modifiers(Op *op)
{
    size_t i = 0;
    while (i < op->length && op->text[i] != '.')
        i++;
    op->opcode = ptx_opcode_find(op->text, i);
    while (i < op->length) {
        size_t start = ++i;
        while (i < op->length && op->text[i] != '.')
            i++;
        if (op->modifier_count == OP_MAX_MODIFIERS)
            return;             /* no form has as many: none will match */
        /* ld.const[3].u32 */
        const char *bank = memchr(op->text + start, '[', i - start);
        size_t length = bank ? (size_t)(bank - op->text) - start : i - start;
        int modifier = ptx_modifier_find(op->text + start, length);
        op->modifiers[op->modifier_count++] = (int16_t)modifier;
        if (modifier >= 0)
            op->written[ptx_modifier_ids[modifier] / 64] |= UINT64_C(1)
                                                            << (ptx_modifier_ids[modifier] % 64);
        if (modifier < 0) {
            if (!op->unknown_length) {
                op->unknown_at = (uint16_t)start;
                op->unknown_length = (uint16_t)(i - start);
            }
            continue;
        }
        Type type = ptx_type_find(op->text + start, length);
        if (type) {
            if (!op->dst_type)
                op->dst_type = (uint8_t)type;
            op->type = (uint8_t)type;
            if (op->type_count < sizeof op->types)
                op->types[op->type_count++] = (uint8_t)type;
        }
        Space space = ptx_space_find(op->text + start, length);
        if (space && (!op->space || space == SPACE_GLOBAL))
            op->space = (uint8_t)space;
        if (space && op->space_count < 2)
            op->spaces[op->space_count++] = (uint8_t)space;
        if (i - start == 2 && op->text[start] == 'v')
            op->vector = (uint8_t)(op->text[start + 1] - '0');
    }
}

void ptx_op_resolve(Op *op, const char *text, size_t length)
{
    *op = (Op){ .text = text, .length = (uint32_t)length, .vector = 1 };
    decode_modifiers(op);
    if (!op->opcode) {
        op->flags = OPF_UNKNOWN | OPF_SIDE_EFFECT;
        op->insn_class = CLASS_OTHER;
        return;
    }
    find_operation(op);
    op->form = ptx_form_next(op, 0);
    if (!op->form) {
        op->out_of_order = true;
        op->form = ptx_form_next(op, 0);
    }
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    const FormInfo *form = &ptx_form_info[op->form ? op->form : opcode->form_first];
    FormClass form_class = (FormClass)form->class;
    const OpTrait trait = (OpTrait)operations[op->operation].trait;
    op->flags = flags_of_trait(trait);
    const FormOperand *first = ptx_form_operands + form->operand_first;
    bool defines = form->operand_count && (first->role & ROLE_DEF);
    if (op->kind == OPK_CP_ASYNC && !ptx_op_has(op, MOD_CA) && !ptx_op_has(op, MOD_CG)) {
        op->kind = OPK_OTHER;   /* bulk copies and waits: not an access of each thread */
        op->flags = 0;
    }
    ptx_op_count_elements(op);
    if (form_class == FORM_MEM && op->kind == OPK_OTHER && defines)
        op->flags |= OPF_LOAD;  /* wmma.load, multimem.ld_reduce */
    if (form_class == FORM_MEM && (op->family == OP_WMMA || op->family == OP_MULTIMEM) && !defines)
        op->flags |= OPF_STORE;
    if (form_class != FORM_MEM && form_class != FORM_ATOMIC)
        op->space = SPACE_NONE;
    else if (!op->space)
        op->space = SPACE_GENERIC;
    op->insn_class = (uint8_t)class_of(op, form_class);
    bool approximate = ptx_op_has(op, MOD_APPROX) || ptx_op_has(op, MOD_FULL);
    if (form_class == FORM_DIV && class_by_type((Type)op->type) != CLASS_INT && !approximate)
        op->flags |= OPF_FULL_PRECISION;
    if (ptx_op_has(op, MOD_RN) || ptx_op_has(op, MOD_RZ) || ptx_op_has(op, MOD_RM)
        || ptx_op_has(op, MOD_RP))
        op->flags |= OPF_ROUNDED;
    if (form_class == FORM_WARP || form_class == FORM_TENSOR || ptx_op_has(op, MOD_ALIGNED))
        op->flags |= OPF_WARP;
    if (form_class == FORM_CONTROL || form_class == FORM_BARRIER || form_class == FORM_ATOMIC
        || form_class == FORM_MISC || (op->flags & OPF_STORE) || ptx_op_has(op, MOD_VOLATILE)
        || ptx_op_has(op, MOD_CC) || ptx_op_has(op, MOD_SYNC) || ptx_op_has(op, MOD_ACQUIRE)
        || ptx_op_has(op, MOD_MMIO) || !op->form)
        op->flags |= OPF_SIDE_EFFECT;
    if (trait == TRAIT_PURE && op->form)
        op->flags &= (uint16_t)~OPF_SIDE_EFFECT;
    if (!defines)
        op->flags |= OPF_SIDE_EFFECT;   /* nothing written: what it does is elsewhere */
    if (!op->form)
        op->flags |= OPF_UNKNOWN;
    if (form->is_unsettled && op->form)
        op->flags |= OPF_UNSETTLED;
    bool is_integer = op->insn_class == CLASS_INT || op->insn_class == CLASS_LOGIC;
    if (trait == TRAIT_JOINS_INTEGERS && is_integer)
        op->flags |= OPF_JOINS;
}

void ptx_op_set_space(Op *op, Space space)
{
    op->space = op->named_space = (uint8_t)space;
    op->insn_class = (uint8_t)class_of(op, (FormClass)ptx_form_info[op->form].class);
}

void ptx_op_make_opaque(Op *opaque, const Op *op)
{
    *opaque = (Op){ .text = op->text, .length = op->length, .vector = 1, .insn_class = op->insn_class, .flags = OPF_UNKNOWN | OPF_SIDE_EFFECT | (op->flags & OPF_UNSETTLED) };
}

/* ---- suggestions ----------------------------------------------------------------------------- */

const char *ptx_opcode_suggest(const char *text, size_t length)
{
    unsigned best = length < 4 ? 2 : 3;
    const char *name = NULL;
    for (OpcodeId id = 1; id < ptx_opcode_count; id++) {
        const char *candidate = ptx_opcode_info[id].text;
        unsigned distance = ptx_edit_distance(text, length, candidate, strlen(candidate));
        if (distance < best) {
            best = distance;
            name = candidate;
        }
    }
    return name;
}

const char *ptx_modifier_suggest(const Op *op, const char *text, size_t length)
{
    unsigned best = length < 4 ? 2 : 3;
    const char *name = NULL;
    const OpcodeInfo *opcode = &ptx_opcode_info[op->opcode];
    for (unsigned f = 0; f < opcode->form_count; f++) {
        const FormInfo *form = &ptx_form_info[opcode->form_first + f];
        for (unsigned s = 0; s < form->modifier_count; s++) {
            const GroupInfo *group =
                &ptx_group_info[ptx_form_modifiers[form->modifier_first + s].group];
            for (unsigned v = 0; v < group->count; v++) {
                const char *candidate = ptx_modifier_texts[ptx_group_values[group->first + v]];
                unsigned distance = ptx_edit_distance(text, length, candidate, strlen(candidate));
                if (distance < best) {
                    best = distance;
                    name = candidate;
                }
            }
        }
    }
    return name;
}

const char *ptx_op_joined(Arena *arena, const char *written, size_t written_length, size_t *length)
{
    char *text = ptx_arena_strndup(arena, written, written_length);
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '*')) {
            const char *end = text[i + 1] == '/' ? strchr(text + i, '\n')
                                                 : strstr(text + i + 2, "*/");
            i = end ? (size_t)(end - text) + (*end == '*') : strlen(text) - 1;
        } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n') {
            text[n++] = text[i];
        }
    }
    *length = n;
    return text;
}
