#include "rules/findings.h"

typedef struct Subject {
    DiagSink *diags;
    Arena *scratch;
    const Module *module;
    const Func *func;
    const Facts *facts;
} Subject;

static int shown(Span span)
{
    uint32_t length = ptx_span_length(span);
    return length > 80 ? 80 : (int)length;
}

static const char *text_at(const Subject *s, Span span)
{
    return s->module->text + span.begin;
}

/* One diagnostic a rule and function; further ones are counted on it, so that a rule is silent the second time. */
static Diag *fold(Diag *first, DiagSink *diags, DiagId id, Span span, const char *message)
{
    if (first) {
        first->repeats++;
        return first;
    }
    return ptx_diag(diags, id, span, "%s", message);
}

static bool continues_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/* Where an instruction says a name; all of the instruction where it does not. */
static Span find_name(const Subject *s, Span within, Span name)
{
    const char *text = s->module->text, *wanted = text_at(s, name);
    uint32_t length = ptx_span_length(name);
    for (uint32_t at = within.begin; at + length <= within.end; at++) {
        if (!memcmp(text + at, wanted, length) && !continues_name(text[at + length]) && (at == within.begin || !continues_name(text[at - 1])))
            return (Span){ at, at + length };
    }
    return within;
}

/* A compiler packs an undefined half beside a value that matters, and merges undefined values that no path uses. */
static bool may_not_matter(const Insn *insn)
{
    return insn->op->insn_class == CLASS_MOVE || insn->op->insn_class == CLASS_LOGIC;
}

static bool has_unwritten(const Func *func)
{
    for (RegId reg = 0; reg < func->reg_count; reg++) {
        if (!func->regs[reg].is_written && !func->regs[reg].is_result)
            return true;
    }
    return false;
}

/* COR101. Certain: no instruction of the function, parameter or call writes it. */
static void report_never_written(const Subject *s)
{
    if (!has_unwritten(s->func))
        return;
    bool *reported = ptx_arena_array(s->scratch, bool, s->func->reg_count + 1);
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Insn *insn = &s->func->insns[i];
        const Operand *operands = ptx_insn_operands(s->func, insn);
        if (!ptx_block_is_reachable(s->facts->cfg, s->facts->cfg->block_of[i]))
            continue;
        for (uint32_t o = 0; o <= insn->operand_count; o++) {
            bool guard = o == insn->operand_count;
            if (guard ? insn->guard == NO_ID : operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_USE))
                continue;
            RegId id = guard ? insn->guard : operands[o].id;
            const Reg *reg = &s->func->regs[id];
            if (reg->is_written || reg->is_result || reported[id])
                continue;
            reported[id] = true;
            Diag *diag = ptx_diag(s->diags, DIAG_NEVER_WRITTEN, find_name(s, insn->span, reg->name), "`%.*s` is read here and never written", shown(reg->name),
                                  text_at(s, reg->name));
            diag->help = "its value is undefined; write it first, or was another register meant?";
            if (!guard && may_not_matter(insn))
                diag->severity = SEVERITY_NOTE;
        }
    }
}

/* Values that change by themselves: reading one and dropping it may be meant as a delay or a fence for the compiler. */
static bool reads_volatile(const Subject *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind != OPERAND_SREG)
            continue;
        switch (operands[o].id) {
        case SREG_CLOCK: case SREG_CLOCK64: case SREG_CLOCK_HI: case SREG_GLOBALTIMER: case SREG_GLOBALTIMER_HI:
        case SREG_GLOBALTIMER_LO: case SREG_PM: case SREG_PM_64: case SREG_SMID: case SREG_WARPID:
            return true;
        default:
            break;
        }
    }
    return false;
}

/* ld.param of what a call returned: a result that the source ignores is its business. */
static bool reads_call_result(const Subject *s, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(s->func, insn);
    for (uint32_t o = 0; o < insn->operand_count; o++) {
        if (operands[o].kind == OPERAND_VAR && s->module->vars[operands[o].id].space == SPACE_PARAM
            && !s->module->vars[operands[o].id].is_parameter)
            return true;
    }
    return false;
}

/* COR102. Certain as to the text; ptxas drops most of them, so it is a note. */
static void report_dead_writes(const Subject *s)
{
    const Live *live = s->facts->live;
    Diag *first = NULL;
    for (uint32_t d = 0; live && d < live->dead_count; d++) {
        const Insn *insn = &s->func->insns[live->dead[d]];
        if (reads_volatile(s, insn) || reads_call_result(s, insn))
            continue;
        bool is_new = !first;
        first = fold(first, s->diags, DIAG_DEAD_WRITE, insn->span, "no path reads what this instruction writes");
        if (is_new)
            first->help = "remove it; what it computes is not used";
    }
}

/* COR103. A block without instructions that matter (a lone jump or return that a compiler left behind) is none. */
static bool is_stub(const Subject *s, const Block *block)
{
    for (InsnId i = block->first; i < block->end; i++) {
        OpKind kind = (OpKind)s->func->insns[i].op->kind;
        if (kind != OPK_BRA && kind != OPK_RET && kind != OPK_EXIT && kind != OPK_TRAP)
            return false;
    }
    return true;
}

static void report_unreachable(const Subject *s)
{
    const Cfg *cfg = s->facts->cfg;
    if (cfg->has_unknown_target || cfg->rpo_count == cfg->block_count)
        return;
    Diag *first = NULL;
    for (BlockId b = 0; b < cfg->block_count; b++) {
        if (ptx_block_is_reachable(cfg, b) || is_stub(s, &cfg->blocks[b]))
            continue;
        const Insn *insn = &s->func->insns[cfg->blocks[b].first];
        bool is_new = !first;
        first = fold(first, s->diags, DIAG_UNREACHABLE, insn->span, "no path leads to this block");
        if (is_new)
            first->help = "remove it, or is a label or branch wrong?";
    }
}

/* ---- THR101: fp32 computation that went through fp64 ------------------------------------------------------------- */

typedef enum Origin { ORIGIN_NONE, ORIGIN_WIDENED, ORIGIN_CONSTANT, ORIGIN_DERIVED, ORIGIN_OTHER } Origin;

/* A register's value seen as fp64: widened from fp32, computed only from such values and constants, or anything else.
 * Registers with several definitions take the worst. */
static Origin merge(Origin a, Origin b)
{
    return a > b ? a : b;
}

static Origin origin_of(const Subject *s, const Insn *insn, const uint8_t *origins)
{
    const Op *op = insn->op;
    const Operand *operands = ptx_insn_operands(s->func, insn);
    if (op->kind == OPK_CVT && op->dst_type == TYPE_F64 && op->type == TYPE_F32)
        return ORIGIN_WIDENED;
    bool constant_move = op->kind == OPK_MOV && insn->operand_count == 2 && operands[1].kind == OPERAND_F64;
    if (constant_move)
        return ORIGIN_CONSTANT;
    bool arithmetic = op->insn_class == CLASS_FP64 && op->type == TYPE_F64 && op->kind != OPK_SETP;
    if (!arithmetic)
        return ORIGIN_OTHER;
    bool widened = false;
    for (uint32_t o = 1; o < insn->operand_count; o++) {
        if (operands[o].kind == OPERAND_F64 || operands[o].kind == OPERAND_INT)
            continue;
        if (operands[o].kind != OPERAND_REG)
            return ORIGIN_OTHER;
        Origin source = (Origin)origins[operands[o].id];
        if (source == ORIGIN_OTHER || source == ORIGIN_NONE)
            return ORIGIN_OTHER;
        widened |= source == ORIGIN_WIDENED || source == ORIGIN_DERIVED;
    }
    return widened ? ORIGIN_DERIVED : ORIGIN_CONSTANT;
}

/* Registers defined more than once, or read before they are defined in program order, are ORIGIN_OTHER: loops that
 * accumulate in fp64 on purpose stay out. */
static uint8_t *find_origins(const Subject *s)
{
    uint8_t *origins = ptx_arena_array(s->scratch, uint8_t, s->func->reg_count + 1);
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Insn *insn = &s->func->insns[i];
        const Operand *operands = ptx_insn_operands(s->func, insn);
        for (uint32_t o = 0; o < insn->operand_count; o++) {
            if (operands[o].kind != OPERAND_REG || !(operands[o].role & ROLE_DEF))
                continue;
            uint8_t *origin = &origins[operands[o].id];
            Origin now = *origin || insn->guard != NO_ID ? ORIGIN_OTHER : origin_of(s, insn, origins);
            *origin = (uint8_t)merge((Origin)*origin, now);
        }
    }
    return origins;
}

/* A round trip: cvt.f64.f32, arithmetic on it and constants alone, cvt.rn.f32.f64 of the result. Warned of where the
 * function has no other fp64 arithmetic that is meant: then the source wrote a double literal or function by accident. */
static void report_unintended_fp64(const Subject *s)
{
    if (!s->facts->mixes->func.counts[CLASS_FP64])
        return;
    ArenaMark mark = ptx_arena_mark(s->scratch);
    const uint8_t *origins = find_origins(s);
    Diag *first = NULL;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Insn *insn = &s->func->insns[i];
        const Operand *operands = ptx_insn_operands(s->func, insn);
        bool narrows = insn->op->kind == OPK_CVT && insn->op->dst_type == TYPE_F32 && insn->op->type == TYPE_F64;
        if (!narrows || insn->operand_count != 2 || operands[1].kind != OPERAND_REG || origins[operands[1].id] != ORIGIN_DERIVED)
            continue;
        bool is_new = !first;
        first = fold(first, s->diags, DIAG_UNINTENDED_FP64, insn->span, "fp32 values are computed in fp64 and rounded back to fp32 here");
        if (is_new) {
            first->label = "the fp64 result becomes fp32 again";
            first->help = "write fp32 literals (0.5f) and functions (sqrtf): fp64 runs at 1/2 to 1/64 of the fp32 rate";
        }
    }
    ptx_arena_release(s->scratch, mark);
}

/* THR102. */
static void report_full_precision(const Subject *s)
{
    const Cfg *cfg = s->facts->cfg;
    if (!s->facts->loops->loop_count)
        return;
    Diag *first = NULL;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Insn *insn = &s->func->insns[i];
        BlockId block = cfg->block_of[i];
        if (!(insn->op->flags & OPF_FULL_PRECISION) || insn->op->type != TYPE_F32 || !ptx_block_is_reachable(cfg, block)
            || s->facts->loops->loop_of[block] == NO_LOOP)
            continue;
        if (first) {
            first->repeats++;
            continue;
        }
        first = ptx_diag(s->diags, DIAG_FULL_PRECISION, insn->span, "`%.*s` in a loop is a call-like sequence of instructions",
                         (int)insn->op->length, insn->op->text);
        first->help = "where 2 ulp are enough: __fdividef(x, y), or nvcc -prec-div=false -prec-sqrt=false for this file";
    }
}

/* THR103. */
static void report_local_memory(const Subject *s)
{
    const Cfg *cfg = s->facts->cfg;
    if (!s->facts->mixes->func.counts[CLASS_LOCAL])
        return;
    Diag *first = NULL;
    for (InsnId i = 0; i < s->func->insn_count; i++) {
        const Insn *insn = &s->func->insns[i];
        if (insn->op->space != SPACE_LOCAL || !(insn->op->flags & (OPF_LOAD | OPF_STORE))
            || !ptx_block_is_reachable(cfg, cfg->block_of[i]))
            continue;
        bool is_new = !first;
        first = fold(first, s->diags, DIAG_LOCAL_MEMORY, insn->span, "this goes to local memory, which is off-chip and private to the thread");
        if (is_new)
            first->help = "an array indexed by a variable, or whose address is taken, cannot live in registers";
    }
}

/* LCH101. */
static void report_launch_bounds(const Subject *s)
{
    const Bounds *bounds = &s->func->bounds;
    if (!s->func->is_entry || bounds->maxntid[0] || bounds->reqntid[0] || bounds->maxnreg)
        return;
    Diag *diag = ptx_diag(s->diags, DIAG_NO_LAUNCH_BOUNDS, s->func->name, "`%.*s` does not say how large its blocks are", shown(s->func->name),
                          text_at(s, s->func->name));
    diag->help = "__launch_bounds__(N) lets ptxas use the registers that blocks of N threads leave free";
}

void ptx_findings_report(DiagSink *diags, Arena *scratch, const Module *module, const Func *func, const Facts *facts)
{
    if (func->has_syntax_error || !facts->cfg)
        return;
    ArenaMark mark = ptx_arena_mark(scratch);
    const Subject s = { diags, scratch, module, func, facts };
    if (!func->has_unknown) {
        report_never_written(&s);
        report_dead_writes(&s);
        report_unreachable(&s);
        report_unintended_fp64(&s);
    }
    report_full_precision(&s);
    report_local_memory(&s);
    report_launch_bounds(&s);
    ptx_arena_release(scratch, mark);
}
