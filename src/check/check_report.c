/* What is said of an operand that no form of its instruction takes. */
#include "check/judge.h"
#include "check/sreg.h"
#include "ir/operand.h"
#include "ir/reg.h"
#include "isa/isa.h"
#include "ir/module.h"

#include <string.h>

static const char *number_help(Type wanted, uint8_t given)
{
    if (wanted == TYPE_F32 || wanted == TYPE_F64)
        return "write it with a point, as 1.0, or as bits, 0f3F800000";
    if (ptx_type_info[wanted].kind == KIND_BITS && ptx_type_info[wanted].bits == 32)
        return "32 bits of a float are written 0f3F800000; 1.0 has 64";
    return given == OPERAND_INT || ptx_type_info[wanted].kind == KIND_FLOAT
               ? "this type has no constants: move the bits into a register"
               : NULL;
}

static const char *selector_help(Parts parts)
{
    switch (parts) {
    case PARTS_PART:         return "allowed here: .b0 to .b3, .h0 and .h1";
    case PARTS_HALVES:       return "allowed here: two halves of the four of both sources, as .h10";
    case PARTS_BYTES:
        return "allowed here: four bytes of the eight of both sources, as .b3210";
    case PARTS_HALF_MASK:    return "allowed here: .h0, .h1 and .h10";
    case PARTS_BYTE_MASK:
        return "allowed here: the bytes to write, in descending order, as .b3210 or .b20";
    default:
        return "selectors are for some operands of video instructions, .x to .w for vectors";
    }
}

/* The operand and the opcode, as messages quote them. */
typedef struct Quoted {
    Span span;                  /* of the operand */
    const char *operand, *opcode;
    int length, opcode_length;
} Quoted;

static Quoted quote_operand(const OperandCheck *c, const CheckFinding *f)
{
    Span span = f->at->span;
    return (Quoted){ .span = span,
                     .operand = c->text + span.begin,
                     .opcode = c->op->text,
                     .length = ptx_span_shown(span),
                     .opcode_length = ptx_shown(c->op->length) };
}

static const char *address_help(const OperandCheck *c, const CheckFinding *f)
{
    switch ((Operation)c->op->family) {
    case OP_TEX: case OP_TLD4:
        return c->module->is_texmode_independent
                   ? "it is [texture, sampler, {coordinates}]: variables .texref and .samplerref, "
                     "or .u64 registers"
                   : "it is [texture, {coordinates}]: a variable .texref, or a .u64 register";
    case OP_TXQ:
        return "it is [texture], or [sampler] where textures have none: a variable, or a .u64 "
               "register";
    case OP_SUQ: case OP_SULD: case OP_SUST: case OP_SURED:
        return "a surface is a variable .surfref, or a .u64 register; coordinates stand behind it";
    default:
        return strchr(ptx_form_operand_name(f->shape), ',')
                   ? "an address here is [name, {coordinates}]"
                   : "an address is [name], [name+number] or [number]";
    }
}

static void report_address(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag;
    if (f->wrong == WRONG_SPACE) {
        const Var *var = &c->module->vars[f->operand->id];
        if (var->space == SPACE_NONE)
            return;             /* its declaration is at fault */
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` does not reach the state space `.%s`, where `%.*s` is",
                        q.opcode_length, q.opcode, ptx_space_text[var->space],
                        ptx_span_shown(var->name), c->text + var->name.begin);
        ptx_diag_relate(c->diags, diag, var->name, "declared here");
        return;
    }
    if (f->wrong == WRONG_IMMEDIATE_ADDRESS) {
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` takes no number as an address: only `.local` does", q.opcode_length,
                 q.opcode)
            ->help = "move the number into a register";
        return;
    }
    diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                    "`%.*s` does not accept this address: `%.*s`", q.opcode_length, q.opcode,
                    q.length, q.operand);
    diag->help = address_help(c, f);
}

static void report_brackets(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag;
    switch (f->wrong) {
    case WRONG_NO_BRACKETS:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` expects a memory operand, got `%.*s`", q.opcode_length, q.opcode,
                        q.length, q.operand);
        diag->help = ptx_diag_text(c->diags, "write [%.*s]", q.length, q.operand);
        return;
    case WRONG_BRACKETS:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` does not take a memory operand here", q.opcode_length, q.opcode);
        diag->help = "load the value into a register first";
        return;
    case WRONG_ADDRESS:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                 "an address must be an integer, but the register in `%.*s` is a %s", q.length,
                 q.operand, "predicate or a float");
        return;
    case WRONG_MORE:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` takes one address here, with nothing behind it: `%.*s`", q.opcode_length,
                 q.opcode, q.length, q.operand);
        return;
    default:
        return;
    }
}

static void report_variable(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag;
    switch (f->wrong) {
    case WRONG_VARIABLE:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` takes a register or a number here, not the variable `%.*s`",
                        q.opcode_length, q.opcode, q.length, q.operand);
        diag->help =
            "an address of a variable is for mov and cvta; a value in memory is loaded first";
        ptx_diag_relate(c->diags, diag, c->module->vars[f->operand->id].name, "declared here");
        return;
    case WRONG_HANDLE:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                 "`%.*s` does not take the handle of a texture or surface: `%.*s`", q.opcode_length,
                 q.opcode, q.length, q.operand)
            ->help = "mov.u64 does";
        return;
    case WRONG_OUTPUT:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "a function does not read the parameters that it returns: `%.*s`", q.length,
                        q.operand);
        diag->help = "keep the value in a register, and st.param it once";
        ptx_diag_relate(c->diags, diag, c->module->vars[f->operand->id].name, "declared here");
        return;
    case WRONG_INPUT: case WRONG_ARGUMENT:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        f->wrong == WRONG_INPUT
                            ? "a function does not write the parameters that it is given: `%.*s`"
                            : "a parameter of a call has no address: `%.*s`",
                        q.length, q.operand);
        diag->help = f->wrong == WRONG_INPUT
                         ? "ld.param it into a register; what is changed and has to have an "
                           "address is .local"
                         : "st.param and ld.param reach it; what has to have an address is .local";
        ptx_diag_relate(c->diags, diag, c->module->vars[f->operand->id].name, "declared here");
        return;
    default:
        return;
    }
}

static void report_vector(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag;
    switch (f->wrong) {
    case WRONG_ELEMENTS:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                 "the registers of vector `%.*s` differ in width or kind", q.length, q.operand);
        return;
    case WRONG_VECTOR:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` does not take all elements of `%.*s` here", q.opcode_length, q.opcode,
                 q.length, q.operand)
            ->help =
            "name one of them, as v.x, or say in the instruction how many there are, as .v4";
        return;
    case WRONG_NO_VECTOR:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span, "`%.*s` writes a vector of %u: {...}",
                 q.opcode_length, q.opcode, c->op->vector);
        return;
    case WRONG_VECTORS:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` does not take a vector `%.*s` here", q.opcode_length, q.opcode,
                        q.length, q.operand);
        diag->help = "mov packs elements into a register of a `.b` type, or unpacks them from one; "
                     "between two vectors it says .v2 or .v4";
        return;
    case WRONG_COUNT:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` does not take a vector of %u element%s here", q.opcode_length, q.opcode,
                 (unsigned)ptx_element_count(f->at), ptx_element_count(f->at) == 1 ? "" : "s");
        return;
    default:
        return;
    }
}

static void report_result(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    switch (f->wrong) {
    case WRONG_RESULT:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "the result of `%.*s` goes to a register, not to `%.*s`", q.opcode_length,
                 q.opcode, q.length, q.operand);
        return;
    case WRONG_OFFSET:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "the result of an instruction goes to a register without an offset: `%.*s`",
                 q.length, q.operand);
        return;
    case WRONG_NO_PAIR:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` writes a predicate too: the result is written as d|p", q.opcode_length,
                 q.opcode);
        return;
    case WRONG_PAIR:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span, "`%.*s` has no second result: `%.*s`",
                 q.opcode_length, q.opcode, q.length, q.operand);
        return;
    case WRONG_PAIR_PREDICATE:
        ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                 "the right side of `%.*s` must be a predicate register", q.length, q.operand);
        return;
    default:
        return;
    }
}

static void report_sreg(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                          f->shape->takes_sreg
                              ? "`%.*s` does not take the special register `%.*s` as this type"
                              : "`%.*s` takes no special register here: `%.*s`",
                          q.opcode_length, q.opcode, q.length, q.operand);
    diag->help = f->shape->takes_sreg
                     ? ptx_diag_text(c->diags, "its type is `.%s`",
                                     ptx_type_info[ptx_sreg_info[f->operand->id].type].text)
                     : "mov it into a register first";
}

static void report_type(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    const char *type = ptx_type_info[f->type].text;
    Diag *diag;
    if (f->wrong == WRONG_NUMBER) {
        diag = ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                        "type mismatch in `%.*s`: expected .%s, `%.*s` is %s", q.opcode_length,
                        q.opcode, type, q.length, q.operand,
                        f->operand->kind == OPERAND_INT ? "an integer" : "a float");
        diag->help = number_help(f->type, f->operand->kind);
        return;
    }
    diag = ptx_diag(c->diags, DIAG_OPERAND_TYPE, q.span,
                    "type mismatch in `%.*s`: expected .%s, `%.*s` is .%s", q.opcode_length,
                    q.opcode, type, q.length, q.operand,
                    ptx_type_info[c->regs[f->operand->id].type].text);
    diag->help = "convert it (cvt), move its bits (mov), or use an instruction of its type";
}

void ptx_check_report(const OperandCheck *c, const CheckFinding *f)
{
    const Quoted q = quote_operand(c, f);
    Diag *diag;
    switch (f->wrong) {
    case WRONG_NO_BRACKETS: case WRONG_BRACKETS: case WRONG_ADDRESS: case WRONG_MORE:
        report_brackets(c, f);
        return;
    case WRONG_SPACE: case WRONG_IMMEDIATE_ADDRESS: case WRONG_ADDRESS_SHAPE:
        report_address(c, f);
        return;
    case WRONG_VARIABLE: case WRONG_INPUT: case WRONG_OUTPUT: case WRONG_ARGUMENT:
    case WRONG_HANDLE:
        report_variable(c, f);
        return;
    case WRONG_ELEMENTS: case WRONG_VECTOR: case WRONG_NO_VECTOR: case WRONG_VECTORS:
    case WRONG_COUNT:
        report_vector(c, f);
        return;
    case WRONG_RESULT: case WRONG_OFFSET: case WRONG_NO_PAIR: case WRONG_PAIR:
    case WRONG_PAIR_PREDICATE:
        report_result(c, f);
        return;
    case WRONG_SREG:
        report_sreg(c, f);
        return;
    case WRONG_SINK:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                 "`%.*s` needs this operand: `_` is not allowed here", q.opcode_length, q.opcode);
        return;
    case WRONG_SIGN:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span, "`%.*s` takes no sign here: `%.*s`",
                        q.opcode_length, q.opcode, q.length, q.operand);
        diag->help = "`!` is for predicates, `-` for numbers; use not or neg for registers";
        return;
    case WRONG_SELECTOR:
        diag = ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span,
                        "`%.*s` does not accept this selector here: `%.*s`", q.opcode_length,
                        q.opcode, q.length, q.operand);
        diag->help = selector_help((Parts)f->shape->selector);
        return;
    case WRONG_SHAPE:
        ptx_diag(c->diags, DIAG_OPERAND_FORM, q.span, "`%.*s` does not accept this operand: `%.*s`",
                 q.opcode_length, q.opcode, q.length, q.operand);
        return;
    case WRONG_SIZE:
        ptx_elements_report(c, f->shape, f->at);
        return;
    case WRONG_VALUE:
        ptx_number_report(c, f->shape, f->at, ptx_number_judge(f->shape, f->at));
        return;
    default:
        report_type(c, f);
    }
}
