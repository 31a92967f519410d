/* Where the lines of a module begin, and which instruction stands at a byte. */
#include "ir/module.h"

#include "support/assert.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "support/demangle.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BLOCK = 256 }; /* of text: so much is looked through for a line */

static uint32_t count_line_ends(const char *text, uint32_t length)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

void ptx_lines_find(Arena *arena, Module *m)
{
    const uint32_t blocks = m->length / LINE_BLOCK;
    uint32_t *before = ptx_arena_array(arena, uint32_t, blocks + 1);
    for (uint32_t b = 0; b < blocks; b++)
        before[b + 1] = before[b] + count_line_ends(m->text + (size_t)b * LINE_BLOCK, LINE_BLOCK);
    m->lines_before = before;
    m->line_count =
        before[blocks] + 1
        + count_line_ends(m->text + (size_t)blocks * LINE_BLOCK, m->length % LINE_BLOCK);
}

uint32_t ptx_line_of(const Module *m, uint32_t offset)
{
    ASSERT(m->line_count && offset <= m->length);
    const uint32_t block = offset / LINE_BLOCK;
    return m->lines_before[block]
           + count_line_ends(m->text + (size_t)block * LINE_BLOCK, offset % LINE_BLOCK);
}

uint32_t ptx_line_start(const Module *m, uint32_t line)
{
    ASSERT(line < m->line_count);
    uint32_t block = 0;
    for (uint32_t left = m->length / LINE_BLOCK + 1, half; left > 1; left -= half) {
        half = left / 2;
        block += m->lines_before[block + half] < line ? half : 0;
    }
    const char *begin = m->text + (size_t)block * LINE_BLOCK;
    for (uint32_t ends = line - m->lines_before[block]; line && ends; ends--)
        begin = (const char *)memchr(begin, '\n', (size_t)(m->text + m->length - begin)) + 1;
    return (uint32_t)(begin - m->text);
}

uint32_t ptx_insn_loc(const Module *m, const Insn *insn)
{
    uint32_t low = 0, high = m->loc_change_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->loc_changes[middle].begin <= insn->span.begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? m->loc_changes[low - 1].loc : 0;
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
    const Loc *loc = &m->locs[ptx_insn_loc(m, insn)];
    const File *file = loc->line ? ptx_loc_file(m, loc) : NULL;
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
