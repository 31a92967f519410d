/* Where the lines of a module begin, and which instruction stands at a byte. */
#include "ir/module.h"

#include "support/assert.h"
#include "ir/func.h"

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
    uint32_t low = 0, high = m->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
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
