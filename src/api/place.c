/* place.c -- what stands at a place of a module's text: line and column, statement, CUDA line,
 * value, live registers. */
#include "api/module.h"
#include "model/view.h"
#include "ir/normal.h"
#include "analysis/value/affine.h"
#include "analysis/value/uniform.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "analysis/flow/liveness.h"
#include "support/diag.h"
#include "session/session.h"

#include <stdio.h>
#include <string.h>
#include <stdint.h>

/* ---- lines and columns ----------------------------------------------------------------------- */

enum { NEAR_BYTES = 128 };      /* the ends of most lines are as near, and cheaper to look for */

static uint32_t line_begin_near(const Module *ir, uint32_t line, uint32_t offset)
{
    uint32_t begin = offset;
    const uint32_t least = offset > NEAR_BYTES ? offset - NEAR_BYTES : 0;
    while (begin > least && ir->text[begin - 1] != '\n')
        begin--;
    return begin > least ? begin : ptx_line_start(ir, line);
}

static uint32_t line_end_near(const Module *ir, uint32_t line, uint32_t offset)
{
    if (line + 1 >= ir->line_count)
        return ir->length;
    const uint32_t left = ir->length - offset;
    const char *at = ir->text + offset,
               *end = memchr(at, '\n', left < NEAR_BYTES ? left : NEAR_BYTES);
    return end ? (uint32_t)(end - ir->text) : ptx_line_start(ir, line + 1) - 1;
}

ptxlint_place ptxlint_module_place(const ptxlint_module *m, uint32_t offset)
{
    if (!m)
        return (ptxlint_place){ 0 };
    const Module *ir = m->ir;
    if (offset > m->length)
        offset = (uint32_t)m->length;
    const uint32_t line = ptx_line_of(ir, offset), begin = line_begin_near(ir, line, offset);
    ptxlint_place place = { .line = line + 1,
                            .column = offset - begin + 1,
                            .line_begin = begin,
                            .line_end = line_end_near(ir, line, offset) };
    if (place.line_end > place.line_begin && m->text[place.line_end - 1] == '\r')
        place.line_end--;
    return place;
}

uint32_t ptxlint_module_column_utf16(const ptxlint_module *m, uint32_t offset)
{
    ptxlint_place place = ptxlint_module_place(m, offset);
    uint32_t column = 1;
    for (uint32_t i = place.line_begin; m && i < place.line_begin + place.column - 1; i++) {
        unsigned char c = (unsigned char)m->text[i];
        if ((c & 0xC0)
            != 0x80) /* not a continuation byte: one unit, or two beyond the basic plane */
            column += c >= 0xF0 ? 2 : 1;
    }
    return column;
}

/* ---- statements ------------------------------------------------------------------------------ */

size_t ptxlint_module_statement(const ptxlint_module *m, uint32_t offset, char *out, size_t size)
{
    if (!m)
        return 0;
    Normal normal = ptx_normal_statement(m->text, m->length,
                                         offset < m->length ? offset : (uint32_t)m->length);
    if (out && size)
        snprintf(out, size, "%s", normal.text);
    return strlen(normal.text);
}

uint64_t ptxlint_module_body(const ptxlint_module *m, const ptxlint_kernel *kernel)
{
    if (!m || !kernel)
        return 0;
    return ptx_normal_body(m->text, (Span){ kernel->span.begin, kernel->span.end });
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *ptxlint_uniformity_text(ptxlint_uniformity uniformity)
{
    static const char *const texts[] = {
#define UF(id, public, text, what) [public] = text,
#include "analysis/value/uniformity.def"
#undef UF
    };
    return texts[uniformity];
}

static const Func *func_at(const Module *ir, uint32_t offset)
{
    for (FuncId f = 0; f < ir->func_count; f++)
        if (ir->funcs[f].has_body && ir->funcs[f].span.begin <= offset
            && offset < ir->funcs[f].span.end)
            return &ir->funcs[f];
    return NULL;
}

static bool writes_register(const Func *func, const Insn *insn)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].kind == OPERAND_REG && operands[o].role & ROLE_DEF)
            return true;
    return false;
}

int ptxlint_module_value_at(const ptxlint_module *m, uint32_t offset, ptxlint_value *out)
{
    const Func *func = m && out && ptx_module_has_figures(m) ? func_at(m->ir, offset) : NULL;
    const Insn *insn = func ? ptx_insn_at(func, offset) : NULL;
    if (!insn || !writes_register(func, insn))
        return 0;
    const KeptValue *values = ptx_session_values(
        ptx_session_at(m, (FuncId)(func - m->ir->funcs)));
    if (!values)
        return 0;
    const KeptValue value = values[insn - func->insns];
    const Uniformity uniformity = ptx_kept_uniformity(value);
    *out = (ptxlint_value){ .span = ptx_view_span(insn->span),
                            .uniformity = ptx_view_uniformity(uniformity),
                            .certainty = PTXLINT_EXACT,
                            .stride = PTXLINT_UNKNOWN };
    if (uniformity == UNIFORMITY_AFFINE && ptx_kept_stride(value) != KEPT_STRIDE_UNKNOWN)
        out->stride = ptx_kept_stride(value);
    if (ptx_kept_is_assumed(value))
        out->certainty = PTXLINT_ESTIMATE;
    if (out->uniformity == PTXLINT_UNIFORMITY_UNKNOWN)
        out->certainty = PTXLINT_NOT_KNOWN;
    return 1;
}

int64_t ptxlint_module_live_at(const ptxlint_module *m, uint32_t offset)
{
    const Func *func = m && ptx_module_has_figures(m) ? func_at(m->ir, offset) : NULL;
    const Insn *insn = func ? ptx_insn_at(func, offset) : NULL;
    const Live *live = insn ? ptx_session_kept_live(
                                  ptx_session_at(m, (FuncId)(func - m->ir->funcs)))
                            : NULL;
    return live ? live->pressure[insn - func->insns] : PTXLINT_UNKNOWN;
}

/* ---- CUDA lines ------------------------------------------------------------------------------ */

int ptxlint_module_source_at(const ptxlint_module *m, uint32_t offset, ptxlint_source_place *out)
{
    const Func *func = m && out ? func_at(m->ir, offset) : NULL;
    const Insn *insn = func ? ptx_insn_at(func, offset) : NULL;
    if (!insn)
        return 0;
    const Loc *loc = &m->ir->locs[ptx_insn_loc(m->ir, insn)];
    const File *file = ptx_loc_file(m->ir, loc);
    if (!file || !loc->line)
        return 0;
    *out = (ptxlint_source_place){ m->paths[file - m->ir->files], loc->line, loc->column };
    return 1;
}

static bool is_from(const ptxlint_module *m, const Insn *insn, const char *path, uint32_t line)
{
    const Loc *loc = &m->ir->locs[ptx_insn_loc(m->ir, insn)];
    const File *file = line && loc->line == line ? ptx_loc_file(m->ir, loc) : NULL;
    return file && !strcmp(m->paths[file - m->ir->files], path);
}

size_t ptxlint_module_source_find(const ptxlint_module *m, const char *path, uint32_t line,
                                  uint32_t *offsets, size_t room)
{
    size_t count = 0;
    for (FuncId f = 0; m && path && f < m->ir->func_count; f++) {
        const Func *func = &m->ir->funcs[f];
        for (InsnId i = 0; i < func->insn_count; i++) {
            if (!is_from(m, &func->insns[i], path, line))
                continue;
            if (offsets && count < room)
                offsets[count] = func->insns[i].span.begin;
            count++;
        }
    }
    return count;
}
