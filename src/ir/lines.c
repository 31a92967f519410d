/* Where the lines of a module begin, and which instruction stands at a byte. */
#include "ir/module.h"

#include "support/assert.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "support/demangle.h"

#include <stdio.h>
#include <string.h>

void ptx_lines_find(Arena *arena, Module *m)
{
    uint32_t capacity = m->length / 16 + 64, count = 1;
    uint32_t *lines = ptx_arena_array(arena, uint32_t, capacity);
    for (const char *p = m->text, *end = p + m->length; (p = memchr(p, '\n', (size_t)(end - p)));
         p++) {
        if (count == capacity)          /* very short lines: at most one a byte */
            lines = ptx_arena_grow(arena, lines, count, &capacity, sizeof *lines);
        lines[count++] = (uint32_t)(p + 1 - m->text);
    }
    m->lines = lines;
    m->line_count = count;
}

uint32_t ptx_line_of(const Module *m, uint32_t offset)
{
    ASSERT(m->line_count && m->lines[0] == 0 && offset <= m->length);
    const uint32_t *line = m->lines;
    for (uint32_t left = m->line_count, half; left > 1; left -= half) {
        half = left / 2;
        line += line[half] <= offset ? half : 0;        /* a move, not a branch: which is random */
    }
    return (uint32_t)(line - m->lines);
}

const Insn *ptx_insn_at(const Func *func, uint32_t offset)
{
    uint32_t low = 0, high = func->insn_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (func->insns[middle].span.end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < func->insn_count && func->insns[low].span.begin <= offset ? &func->insns[low]
                                                                           : NULL;
}

/* ---- CUDA lines ------------------------------------------------------------------------------ */

static bool is_toolkit(const char *path, size_t length)
{
    static const char part[] = "/include/";
    for (size_t i = 0; i + sizeof part - 1 <= length; i++)
        if (!memcmp(path + i, part, sizeof part - 1))
            return true;
    return false;
}

bool ptx_source_line_title(const Module *m, const Insn *insn, char out[LINE_TITLE_BYTES])
{
    const Loc *loc = insn->loc ? &m->locs[insn->loc] : NULL;
    const File *file = loc && loc->line ? ptx_loc_file(m, loc) : NULL;
    if (!file)
        return false;
    const char *path = m->text + file->path.begin, *end = m->text + file->path.end, *name = end;
    while (name > path && name[-1] != '/')
        name--;
    size_t length = (size_t)(end - name);
    if (!length || length > LINE_TITLE_BYTES - 16 || is_toolkit(path, (size_t)(end - path)))
        return false;
    snprintf(out, LINE_TITLE_BYTES, "%.*s:%u", (int)length, name, (unsigned)loc->line);
    return true;
}

const char *ptx_line_title(const Module *m, const Insn *insn, char out[LINE_TITLE_BYTES])
{
    if (!ptx_source_line_title(m, insn, out))
        snprintf(out, LINE_TITLE_BYTES, "line %u",
                 (unsigned)ptx_line_of(m, insn->span.begin) + 1);
    return out;
}

size_t ptx_var_title(const Module *m, const Var *var, char *out, size_t size)
{
    if (var->source_name)
        return (size_t)snprintf(out, size, "%s", var->source_name);
    return ptx_source_title(m->text + var->name.begin, ptx_span_length(var->name), out, size);
}
