/* Instructions: opcodes decoded once for each text, operands bound and held to the form, calls. */
#include "resolve/lower.h"

#include "check/check_form.h"
#include "check/explain.h"
#include "resolve/width.h"
#include "support/minmax.h"

static Op *add_op(Lower *l)
{
    Module *m = l->module;
    Op *op = ptx_arena_new(l->arena, Op);
    if (m->op_count == l->op_capacity) {
        uint32_t capacity = l->op_capacity;
        l->opaque = ptx_arena_grow(l->arena, (void *)l->opaque, m->op_count, &capacity,
                                   sizeof *l->opaque);
        m->ops = ptx_arena_grow(l->arena, (void *)m->ops, m->op_count, &l->op_capacity,
                                sizeof *m->ops);
    }
    l->opaque[m->op_count] = NULL;
    m->ops[m->op_count++] = op;
    return op;
}

static const Op *opaque_op(Lower *l, const Op *op)
{
    uint32_t id = op->id;
    if (l->opaque[id])
        return l->opaque[id];
    Op *opaque = add_op(l);
    ptx_op_make_opaque(opaque, op);
    opaque->id = l->module->op_count - 1;
    return l->opaque[id] = opaque;
}

typedef struct OpKey {
    const char *text;
    size_t length;
    Space named_space;
    uint32_t descriptor;
} OpKey;

static uint32_t hash_op(const OpKey *key)
{
    return ptx_hash_bytes(key->text, key->length) + (uint32_t)key->named_space + key->descriptor;
}

static OpKey op_key_of(const Op *op)
{
    return (OpKey){ op->text, op->length, (Space)op->named_space, op->descriptor };
}

static bool is_op(const void *owner, uint32_t number, const void *wanted)
{
    const Op *op = ((const Module *)owner)->ops[number - 1];
    const OpKey *key = wanted;
    return op->length == key->length && op->named_space == (uint8_t)key->named_space
           && op->descriptor == key->descriptor && memcmp(op->text, key->text, key->length) == 0;
}

static void grow_ops(Lower *l)
{
    const Module *m = l->module;
    ptx_hash_init(&l->op_table, l->arena, m->op_count ? 2 * (uint64_t)m->op_count : 512);
    for (uint32_t i = 0; i < m->op_count; i++) {
        const OpKey key = op_key_of(m->ops[i]);
        *ptx_hash_free(&l->op_table, hash_op(&key)) = i + 1;
    }
}

/* The op of this text, made if there is none. */
static const Op *intern_op(Lower *l, const OpKey *key)
{
    Module *m = l->module;
    if (ptx_hash_is_full(&l->op_table, m->op_count))
        grow_ops(l);
    uint32_t *slot = ptx_hash_find(&l->op_table, hash_op(key), is_op, m, key);
    if (!*slot) {
        Op *made = add_op(l);
        ptx_op_resolve(made, key->text, key->length);
        ptx_check_gates(m, made);
        if (key->named_space)
            ptx_op_set_space(made, key->named_space);
        if (key->descriptor)
            ptx_op_set_descriptor(made, key->descriptor);
        made->id = m->op_count - 1;
        *slot = m->op_count;
    }
    return m->ops[*slot - 1];
}

static const Op *find_op(Lower *l, const char *text, size_t length, Span where)
{
    const Op *op = intern_op(l, &(OpKey){ text, length, SPACE_NONE, 0 });
    if (op->flags & (OPF_UNKNOWN | OPF_TOO_NEW))
        ptx_report_op(l->diags, l->module, op, where);
    return op;
}

enum { CALLTARGETS_CHECKED = 64 };      /* of one table, at each call through it */

typedef struct Roles {          /* in one word, so that it is passed in a register */
    uint64_t role : 8, pair_role : 8, position : 8;
} Roles;

static void add_operand(Lower *l, const AstOperand *ast, Roles roles, uint8_t flags);

static void add_list(Lower *l, const AstOperand *child, Roles roles, uint8_t flags)
{
    for (; child; child = child->next)
        add_operand(l, child, roles, flags);
}

static void note_shared_var(Lower *l, VarId var)
{
    if (ptx_space_is_shared((Space)l->module->vars[var].space))
        *PUSH(l, l->shared_vars) = var;
}

/* False: the value is to stand behind the operands. */
static bool keep_operand_value(Operand *out, OperandKind kind, int64_t value)
{
    if (kind == OPERAND_INT || kind == OPERAND_F32)
        out->id = (uint32_t)value;
    else if (kind == OPERAND_F64)
        out->id = (uint32_t)((uint64_t)value >> 32);
    return ptx_operand_value(out) == value;
}

static uint8_t lowered_role(const BoundOperand *operand, uint64_t role)
{
    if (operand->flags & OPERAND_COMPONENT && role & ROLE_DEF)
        role |= ROLE_USE;               /* the other components live on */
    return (uint8_t)role;
}

static void push_operand(Lower *l, BoundOperand operand, Roles roles, uint8_t flags)
{
    operand.flags |= flags;
    if (l->log)
        ptx_lower_note_role(l, &operand, (unsigned)roles.role);
    /* which ptxas takes of coordinates, whatever it may mean */
    if (operand.flags & OPERAND_PART && roles.role & ROLE_ADDRESS) {
        operand.flags &= (uint8_t)~OPERAND_PART;
        operand.value = 0;
    }
    Operand *out = PUSH(l, l->operands);
    *out = (Operand){ .kind = (unsigned)operand.kind & 0xf,
                      .role = (unsigned)lowered_role(&operand, roles.role) & 0xf,
                      .position = (uint8_t)roles.position,
                      .flags = operand.flags,
                      .id = operand.id };
    if (!keep_operand_value(out, (OperandKind)operand.kind, operand.value))
        *PUSH(l, l->values) = (OperandValue){ l->operands.count - 1, operand.value };
    if (operand.kind == OPERAND_REG && (roles.role & ROLE_DEF))
        l->regs.items[operand.id].is_written = true;
    if (operand.kind == OPERAND_VAR)
        note_shared_var(l, operand.id);
}

/* Room behind the operands. */
static void push_value_room(Lower *l, uint32_t count)
{
    while (count--)
        *PUSH(l, l->operands) = (Operand){ .kind = OPERAND_NONE };
}

static void set_value_behind(Operand *operand, uint32_t low, uint32_t high, int64_t value)
{
    operand[low].id = (uint32_t)value;
    operand[high].id = (uint32_t)((uint64_t)value >> 32);
}

/* Of more operands than a byte counts: OPERAND_FAR. */
static void place_far_operand_values(Lower *l, uint32_t count, uint32_t value_count)
{
    unsigned exponent = 0;
    while (UINT32_C(1) << exponent < count)
        exponent++;
    const uint32_t distance = UINT32_C(1) << exponent;
    push_value_room(l, 3 * distance - count);
    for (uint32_t i = 0; i < value_count; i++) {
        Operand *operand = &l->operands.items[l->values.items[i].operand];
        operand->value_at = (uint8_t)(OPERAND_FAR + exponent);
        set_value_behind(operand, distance, 2 * distance, l->values.items[i].value);
    }
}

/* The operands of an instruction are there: what they do not say themselves is put behind them. */
static void place_operand_values(Lower *l, Insn *insn)
{
    const uint32_t end = l->operands.count, count = end - insn->operand_first,
                   value_count = l->values.count;
    insn->operand_count = (uint16_t)ptx_u32_min(count, LIMIT_OPERANDS);
    if (count > LIMIT_OPERANDS)
        ptx_diag(l->diags, DIAG_TOO_LARGE, insn->span, "%u operands are more than the limit of %d",
                 (unsigned)count, (int)LIMIT_OPERANDS);
    if (!value_count)
        return;
    l->values.count = 0;
    if (count + 2 * value_count >= OPERAND_FAR) {
        place_far_operand_values(l, count, value_count);
        return;
    }
    push_value_room(l, 2 * value_count);
    for (uint32_t i = 0; i < value_count; i++) {
        const OperandValue *value = &l->values.items[i];
        const uint32_t at = end + 2 * i - value->operand;
        Operand *operand = &l->operands.items[value->operand];
        operand->value_at = (uint8_t)at;
        set_value_behind(operand, at, at + 1, value->value);
    }
}

static void add_operand(Lower *l, const AstOperand *ast, Roles roles, uint8_t flags)
{
    if (ast->flags & AST_BRACKETS)
        roles.role = ROLE_USE | ROLE_ADDRESS;
    if (ast->flags & AST_NOT)
        flags |= OPERAND_NEGATED;
    if (ast->flags & AST_NEGATIVE)
        flags |= OPERAND_MINUS;
    switch (ast->kind) {
    case AST_NAME:
        push_operand(l, ptx_lower_bind_operand(l, ast), roles, flags);
        if (ast->flags & AST_INDEXED && ast->child)
            add_operand(l, ast->child, (Roles){ ROLE_USE | ROLE_ADDRESS, 0, roles.position }, 0);
        return;
    case AST_INT:
        push_operand(l, (BoundOperand){ .kind = OPERAND_INT, .value = (int64_t)ast->value }, roles,
                     flags);
        return;
    case AST_F32: case AST_F64:
        push_operand(l,
                     (BoundOperand){ .kind = ast->kind == AST_F32 ? OPERAND_F32 : OPERAND_F64,
                                     .value = (int64_t)ast->value },
                     roles, flags);
        return;
    case AST_VECTOR:
        add_list(l, ast->child, roles, flags | OPERAND_ELEMENT);
        return;
    case AST_ADDRESS:
        roles.role = ROLE_USE | ROLE_ADDRESS;
        add_list(l, ast->child, roles, flags);
        return;
    case AST_LIST:
        add_list(l, ast->child, roles, flags);
        return;
    case AST_PAIR: {
        Roles right = roles;
        right.role = roles.pair_role ? roles.pair_role : roles.role;
        add_operand(l, ast->child, roles, flags);
        add_operand(l, ast->child->next, right, flags | OPERAND_RIGHT);
        return;
    }
    default:
        push_operand(l, (BoundOperand){ .kind = OPERAND_UNKNOWN, .id = NO_ID }, roles, flags);
        return;
    }
}

/* brx takes a list of targets that stands before it, bra a label of code. */
static void check_target_label(Lower *l, const Op *op, const AstOperand *ast, const Label *label)
{
    bool is_list = label->table != NO_ID && !label->is_calltargets,
         is_named = label->table != NO_ID || label->is_prototype;
    if (op->kind == OPK_BRX ? is_list : !is_named)
        return;
    const char *what = op->kind == OPK_BRX ? "no label of .branchtargets before this"
                                           : "the label of a directive, not of code";
    Diag *diag = ptx_diag(l->diags, DIAG_OPERAND_FORM, ast->span, "`%.*s` is %s",
                          ptx_shown(ptx_span_length(ast->span)), ptx_lower_text(l, ast->span),
                          what);
    ptx_diag_relate(l->diags, diag, label->name, "the label stands here");
}

static void add_target(Lower *l, const Op *op, const AstOperand *ast, uint8_t position)
{
    LabelId label = ptx_lower_bind_label(l, ast);
    if (label != NO_ID)
        check_target_label(l, op, ast, &l->labels.items[label]);
    if (label == NO_ID) {
        Span name = ast->kind == AST_NAME ? (Span){ ast->name, ast->name + ast->name_length }
                                          : ast->span;
        Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED_LABEL, name,
                              "there is no label `%.*s` in this scope",
                              ptx_shown(ptx_span_length(name)), ptx_lower_text(l, name));
        ptx_explain_label(l->diags, diag, &l->names, name, l->labels.items, l->labels.count);
    }
    BoundOperand operand = { .kind = label == NO_ID ? OPERAND_UNKNOWN : OPERAND_TARGET,
                             .id = label };
    push_operand(l, operand, (Roles){ ROLE_USE, 0, position }, 0);
}

/* Operands of one list of a call, one for each that is written. */
static uint32_t lower_call_list(Lower *l, const AstOperand *list, Roles roles)
{
    uint32_t first = l->operands.count;
    if (list)
        add_operand(l, list, roles, 0);
    return first;
}

/* Where these begin and end: the target stands between results and arguments. */
static CallOperands call_operands(const Lower *l, uint32_t results, uint32_t arguments,
                                  uint32_t end)
{
    const Operand *operands = l->operands.items;
    return (CallOperands){ operands + results, operands + arguments, arguments - 1 - results,
                           end - arguments };
}

static void check_target(Lower *l, const CallParts *parts, FuncId id, const CallOperands *operands)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    ptx_check_call(&check, parts, &l->signatures.items[id], operands);
}

static const Signature *find_prototype(const Lower *l, LabelId label)
{
    /* the last one is nearly always it */
    for (uint32_t i = l->prototypes.count; i-- > 0;) {
        if (l->prototypes.items[i].label == label)
            return &l->prototypes.items[i].signature;
    }
    return NULL;
}

/* A call through a register: what its prototype, or each function of its table, takes. */
static void check_indirect(Lower *l, const CallParts *parts, LabelId label,
                           const CallOperands *operands)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    const Label *table = &l->labels.items[label];
    const Signature *prototype = table->is_prototype ? find_prototype(l, label) : NULL;
    if (prototype) {
        ptx_check_call(&check, parts, prototype, operands);
    } else if (table->table == NO_ID || !table->is_calltargets) {
        Diag *diag = ptx_diag(
            l->diags, DIAG_CALL_SIGNATURE, parts->table->span,
            "`%.*s` is not a label of a .callprototype or of .calltargets before this call",
            ptx_shown(ptx_span_length(parts->table->span)), ptx_lower_text(l, parts->table->span));
        ptx_diag_relate(l->diags, diag, table->name, "the label stands here");
    } else {
        const Table *ids = &l->tables.items[table->table];
        for (uint32_t i = 0; i < ids->count && i < CALLTARGETS_CHECKED; i++) {
            const FuncId id = l->table_ids.items[ids->first + i];
            if (!ptx_check_call(&check, parts, &l->signatures.items[id], operands))
                return;
        }
    }
}

/* A function that OptiX puts in when it loads the module: ptxas by itself knows none of them. Said
 * once for a file. */
static bool is_optix(Lower *l, const AstOperand *target)
{
    static const char prefix[] = "_optix_";
    Span name = { target->name, target->name + target->name_length };
    bool is_named = target->kind == AST_NAME && ptx_span_length(name) > strlen(prefix)
                    && !memcmp(ptx_lower_text(l, name), prefix, strlen(prefix));
    if (!is_named || ptx_lower_bind_name(l, name).kind)
        return false;
    if (!l->is_optix) {
        Diag *diag = ptx_diag(l->diags, DIAG_UNDECLARED, name,
                              "`%.*s` is not declared: OptiX provides it",
                              ptx_shown(ptx_span_length(name)), ptx_lower_text(l, name));
        diag->severity = SEVERITY_NOTE;
        diag->help = "ptxas alone rejects this module, OptiX compiles it; reported once for a file";
    }
    l->is_optix = true;
    return true;
}

static void wrong_target(Lower *l, const AstOperand *target, const char *what, const char *help)
{
    ptx_diag(l->diags, DIAG_CALL_SIGNATURE, target->span, "`%.*s` cannot be called%s",
             ptx_shown(ptx_span_length(target->span)), ptx_lower_text(l, target->span), what)
        ->help = help;
}

/* call (ret), f, (args), targets; every part but f may be missing. PTX ISA, "Control Flow
 * Instructions: call". */
static void lower_call(Lower *l, const AstStmt *stmt, Insn *insn)
{
    const CallCheck check = { l->diags, l->text, l->regs.items, l->module->vars };
    CallParts parts;
    uint32_t errors = ptx_diag_errors(l->diags);
    bool is_right = ptx_call_parts(&check, stmt, &parts);
    uint32_t results = lower_call_list(l, parts.results, (Roles){ ROLE_DEF, 0, 0 });
    if (!parts.target) {
        place_operand_values(l, insn);
        return;
    }
    bool is_provided = is_optix(l, parts.target);
    if (is_provided)
        push_operand(l, (BoundOperand){ .kind = OPERAND_UNKNOWN, .id = NO_ID },
                     (Roles){ ROLE_USE, 0, 1 }, 0);
    else
        add_operand(l, parts.target, (Roles){ ROLE_USE, 0, 1 }, 0);
    uint32_t arguments = lower_call_list(l, parts.arguments, (Roles){ ROLE_USE, 0, 2 }),
             end = l->operands.count;
    /* of .calltargets or .callprototype */
    LabelId label = parts.table ? ptx_lower_bind_label(l, parts.table) : NO_ID;
    if (label != NO_ID)
        push_operand(l, (BoundOperand){ .kind = OPERAND_TARGET, .id = label },
                     (Roles){ ROLE_USE, 0, 3 }, 0);
    else if (parts.table)
        add_operand(l, parts.table, (Roles){ ROLE_USE, 0, 3 }, 0);
    place_operand_values(l, insn);
    if (!is_right || is_provided || ptx_diag_errors(l->diags) != errors)
        return;
    const Operand *target = &l->operands.items[arguments - 1],
                  *table = parts.table && label == NO_ID ? &l->operands.items[end] : NULL;
    const CallOperands operands = call_operands(l, results, arguments, end);
    /* of addresses of functions */
    bool is_table = table && table->kind == OPERAND_VAR && l->module->vars[table->id].is_array;
    if (target->kind == OPERAND_FUNCTION && l->module->funcs[target->id].is_entry)
        wrong_target(l, parts.target, ": it is an .entry", "call a .func; entries are launched");
    else if (target->kind == OPERAND_FUNCTION && parts.table)
        wrong_target(l, parts.target, " with a prototype: it is a function",
                     "leave the prototype out");
    else if (target->kind == OPERAND_FUNCTION)
        check_target(l, &parts, target->id, &operands);
    else if (target->kind != OPERAND_REG)
        wrong_target(l, parts.target, ": it is not a function", NULL);
    else if (!parts.table)
        wrong_target(l, parts.target, " without a prototype: it is a register",
                     "put the label of a .callprototype or of .calltargets last");
    else if (ptx_type_info[l->regs.items[target->id].type].kind == KIND_FLOAT
             || l->regs.items[target->id].type == TYPE_PRED)
        wrong_target(l, parts.target, ": it is not an address",
                     "the address of a function is an integer");
    else if (label != NO_ID)
        check_indirect(l, &parts, label, &operands);
    else if (!is_table)
        wrong_target(l, parts.table, " through: it is not a table of functions",
                     "put the label of a .callprototype or of .calltargets last");
}

/* Operands that no public syntax names: read, written or addresses, for all that is known. */
static FormId take_open_form(Lower *l, const AstStmt *stmt, const Op *op, FormId form)
{
    if (!(op->flags & OPF_TOO_NEW) && !ptx_form_is_allowed(l->module, form))
        ptx_report_gate(l->diags, l->module, op, form, stmt->span);
    return 0;
}

/* At a ret. */
static void push_ret_results(Lower *l)
{
    for (RegId reg = 0; reg < l->result_reg_count; reg++)
        push_operand(l, (BoundOperand){ .kind = OPERAND_REG, .id = reg },
                     (Roles){ ROLE_USE, 0, UINT8_MAX }, OPERAND_IMPLICIT);
}

static void lower_plain(Lower *l, const AstStmt *stmt, const Op *op, Insn *insn)
{
    uint32_t count = 0;
    bool bad = false;
    for (const AstOperand *ast = stmt->operands; ast; ast = ast->next) {
        count++;
        bad |= ast->kind == AST_BAD;
    }
    insn->form = ptx_check_memo_fitting(l->checks, l->module, op, count);
    if (insn->form && !count && !(op->flags & OPF_TOO_NEW)
        && !ptx_form_is_allowed(l->module, insn->form))
        ptx_report_gate(l->diags, l->module, op, insn->form, stmt->span);
    if (insn->form && stmt->operands && stmt->operands->kind == AST_PAIR)
        ptx_check_pair_gate(l->diags, l->module, op, stmt->operands->span);
    if (op->form && !insn->form && !bad)
        ptx_report_operand_count(l->diags, l->module, op, stmt->span, count);
    if (ptx_form_info[insn->form].is_open)
        insn->form = take_open_form(l, stmt, op, insn->form);
    if (op->form && !insn->form && op->insn_class != CLASS_CONTROL)
        insn->op = opaque_op(l, op);
    const FormInfo *form = &ptx_form_info[insn->form];
    const FormOperand *shape = ptx_form_operands + form->operand_first;
    uint8_t position = 0;
    for (const AstOperand *ast = stmt->operands; ast;
         ast = ast->next, position = (uint8_t)(position + (position < UINT8_MAX))) {
        /* Without a form any operand may be read or written. */
        Roles roles = { ROLE_USE | ROLE_DEF, ROLE_USE | ROLE_DEF, position };
        if (insn->form) {
            roles.role = shape[position].role;
            roles.pair_role = shape[position].pair_role;
            if (shape[position].type == OPERAND_LABEL) {
                add_target(l, op, ast, position);
                continue;
            }
        }
        add_operand(l, ast, roles, 0);
    }
    const uint32_t lowered_count = l->operands.count - insn->operand_first;
    if (op->kind == OPK_RET)
        push_ret_results(l);
    place_operand_values(l, insn);
    if (insn->form && count && !bad) {
        const OperandCheck check = { l->diags,      l->text,
                                     l->regs.items, op,
                                     stmt,          l->operands.items + insn->operand_first,
                                     lowered_count, count,
                                     l->module };
        ptx_check_memo_operands(l->checks, &check, insn->form);
    }
}

/* ld, st, atom and red without a space, of a variable by its name: ptxas encodes them for the
 * variable's space. In a register its address is one of generic space to them. */
static const Op *op_of_variable(Lower *l, const Insn *insn, const Op *op)
{
    bool is_access = op->kind == OPK_LD || op->kind == OPK_ST || op->kind == OPK_ATOM
                     || op->kind == OPK_RED;
    if (!is_access || op->space != SPACE_GENERIC || !op->form)
        return op;
    const Operand *operands = &l->operands.items[insn->operand_first];
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        const Operand *operand = &operands[o];
        if (!(operand->role & ROLE_ADDRESS))
            continue;
        Space space = operand->kind == OPERAND_VAR ? (Space)l->module->vars[operand->id].space
                                                   : SPACE_NONE;
        bool is_memory = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_GLOBAL;
        return is_memory ? intern_op(l, &(OpKey){ op->text, op->length, space, 0 }) : op;
    }
    return op;
}

const Op *ptx_lower_op_of(Lower *l, const Op *op, uint32_t descriptor)
{
    return intern_op(l, &(OpKey){ op->text, op->length, SPACE_NONE, descriptor });
}

/* wgmma.mma_async with a scale-d of 0 writes its accumulators and does not read them. */
static void drop_unread_accumulators(Lower *l, const Insn *insn)
{
    enum { ACCUMULATORS = 0, SCALE_D = 3 };
    Operand *operands = &l->operands.items[insn->operand_first];
    bool is_unread = false;
    for (uint32_t o = 0; o < insn->operand_count; o++)
        is_unread |= operands[o].position == SCALE_D && operands[o].kind == OPERAND_INT
                     && !ptx_operand_value(&operands[o]);
    for (uint32_t o = 0; is_unread && o < insn->operand_count; o++)
        if (operands[o].position == ACCUMULATORS)
            operands[o].role = operands[o].role & (ROLE_DEF | ROLE_ADDRESS);
}

static void report_narrow(Lower *l, const Insn *insn)
{
    const Operand *address = ptx_narrow_address(insn, &l->operands.items[insn->operand_first],
                                                l->regs.items);
    if (!address)
        return;
    const Span name = ptx_reg_name(&l->regs.items[address->id]);
    ptx_diag(l->diags, DIAG_NARROW_ADDRESS, insn->span,
             "`%.*s` has 32 bits, and global and generic addresses have 64 here: ptxas 13 makes no "
             "code of it",
             ptx_shown(ptx_span_length(name)), ptx_lower_text(l, name))
        ->help = "widen it (cvt.u64.u32), or name the state space that it is for";
}

enum { NAMED_BARRIERS = 16 };

/* Named barriers are 0 to 15: PTX ISA, "bar". */
static void note_named_barrier(Lower *l, const Insn *insn)
{
    const Operand *operands = &l->operands.items[insn->operand_first];
    uint32_t at = 0;
    if (ptx_op_has(insn->op, MOD_CLUSTER) || ptx_op_has(insn->op, MOD_WARP))
        return;
    while (at < insn->operand_count && operands[at].role & ROLE_DEF)
        at++;                           /* bar.red writes its result first */
    const bool is_number = at < insn->operand_count && operands[at].kind == OPERAND_INT
                           && ptx_operand_value(&operands[at]) >= 0
                           && ptx_operand_value(&operands[at]) < NAMED_BARRIERS;
    const uint32_t count =
        is_number ? (uint32_t)ptx_operand_value(&operands[at]) + 1 : NAMED_BARRIERS;
    l->func->barrier_count = (uint8_t)ptx_u32_max(l->func->barrier_count, count);
}

void ptx_lower_insn(Lower *l, const AstStmt *stmt)
{
    size_t length = ptx_span_length(stmt->opcode);
    uint32_t errors = ptx_diag_errors(l->diags);
    const char *text = stmt->detached ? ptx_op_joined(l->arena, ptx_lower_text(l, stmt->opcode),
                                                      ptx_span_length(stmt->opcode), &length)
                                      : ptx_lower_text(l, stmt->opcode);
    const Op *op = find_op(l, text, length, stmt->opcode);
    Insn *insn = PUSH(l, l->insns);
    *insn = (Insn){ .op = op,
                    .span = stmt->span,
                    .operand_first = l->operands.count,
                    .guard = NO_ID,
                    .guard_negated = stmt->guard_negated,
                    .has_nounroll = l->has_nounroll };
    l->has_nounroll = false;
    if (stmt->guard_length) {
        Span name = { stmt->guard, stmt->guard + stmt->guard_length };
        BoundOperand guard = ptx_lower_bind_operand(
            l, &(AstOperand){
                   .kind = AST_NAME, .name = name.begin, .name_length = stmt->guard_length });
        if (guard.kind == OPERAND_REG) {
            insn->guard = guard.id;
            if (l->regs.items[guard.id].type != TYPE_PRED)
                ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate; `%.*s` is `.%s`",
                         ptx_shown(stmt->guard_length), ptx_lower_text(l, name),
                         ptx_type_info[l->regs.items[guard.id].type].text)
                    ->help = ptx_diag_text(l->diags,
                                           "make one of it before: `setp.ne.%s %%p1, %.*s, 0`",
                                           ptx_type_info[l->regs.items[guard.id].type].text,
                                           ptx_shown(stmt->guard_length), ptx_lower_text(l, name));
        } else if (guard.kind == OPERAND_UNKNOWN) {
            /* undeclared: still a guard, so that control goes on behind it */
            insn->guard = guard.id;
        } else {
            ptx_diag(l->diags, DIAG_BAD_GUARD, name, "a guard is a predicate register");
        }
    }
    if (op->kind == OPK_CALL) {
        insn->form = op->form;
        lower_call(l, stmt, insn);
    } else {
        lower_plain(l, stmt, op, insn);
        insn->op = op_of_variable(l, insn, insn->op);
        if (insn->op->operation == OP_WGMMA_MMA_ASYNC && insn->form)
            drop_unread_accumulators(l, insn);
        l->has_descriptors |= insn->op->operation == OP_TCGEN05_MMA && insn->form;
    }
    if (insn->operand_count)
        insn->access_bytes = ptx_access_bytes(insn, &l->operands.items[insn->operand_first],
                                              l->regs.items);
    if (insn->access_bytes && l->module->has_address_size && l->module->address_size == 64
        && ptx_diag_errors(l->diags) == errors)
        report_narrow(l, insn);
    insn->space = insn->op->space;
    l->func->has_generic |= insn->op->space == SPACE_GENERIC;
    l->func->has_unknown |= (insn->op->flags & OPF_UNKNOWN) != 0;
    l->func->has_calls |= op->kind == OPK_CALL;
    if (op->kind == OPK_BAR)
        note_named_barrier(l, insn);
}
