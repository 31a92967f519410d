#include "analysis/sass/serial_products.h"

#include "analysis/flow/cfg.h"
#include "analysis/flow/defs.h"
#include "analysis/flow/dom.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/arena.h"

typedef struct ProductSearch {
    const Func *func;
    const Cfg *cfg;
    const Dom *dom;
    bool *is_open;              /* per block: products may be under way where it begins */
    bool *ends_open;            /* ... and where it ends */
    BlockId *pending;
    uint32_t pending_count;
} ProductSearch;

static bool is_async_product(const Insn *insn)
{
    return insn->op->operation == OP_WGMMA_MMA_ASYNC;
}

static bool waits_for_all(const Func *func, const Insn *insn)
{
    const Operand *left = ptx_insn_operands(func, insn);
    return insn->op->operation == OP_WGMMA_WAIT_GROUP && insn->operand_count
           && left->kind == OPERAND_INT && !ptx_operand_value(left);
}

static void note_end(ProductSearch *p, BlockId block)
{
    if (p->ends_open[block])
        return;
    p->ends_open[block] = true;
    p->pending[p->pending_count++] = block;
}

/* Whether the block waits for all, whatever comes in. */
static bool find_open_ends(ProductSearch *p, bool *is_closing)
{
    bool any = false;
    for (BlockId b = 0; b < p->cfg->block_count; b++) {
        bool is_open = false;
        for (InsnId i = p->cfg->blocks[b].first; i < p->cfg->blocks[b].end; i++) {
            const bool is_all = waits_for_all(p->func, &p->func->insns[i]);
            is_open = is_async_product(&p->func->insns[i]) || (is_open && !is_all);
            is_closing[b] |= is_all;
        }
        if (is_open)
            note_end(p, b);
        any |= is_open;
    }
    return any;
}

static void open_behind(ProductSearch *p, const bool *is_closing)
{
    while (p->pending_count) {
        const Block *b = &p->cfg->blocks[p->pending[--p->pending_count]];
        for (uint32_t s = 0; s < b->succ_count; s++) {
            const BlockId next = p->cfg->succs[b->succ_first + s];
            if (next == EXIT_BLOCK || p->is_open[next])
                continue;
            p->is_open[next] = true;
            if (!is_closing[next])
                note_end(p, next);
        }
    }
}

/* A block comes to where products of another way are under way. */
static bool meets_open(const ProductSearch *p, BlockId block)
{
    const Block *b = &p->cfg->blocks[block];
    for (uint32_t s = 0; s < b->succ_count && !p->ends_open[block]; s++) {
        const BlockId next = p->cfg->succs[b->succ_first + s];
        if (next != EXIT_BLOCK && p->is_open[next])
            return true;
    }
    return false;
}

/* Of an accumulator of a product in that block: whether something else writes it on a way that
 * meets the product's. */
static bool is_set_aside(const ProductSearch *p, const Defs *defs, RegId reg, BlockId of_product)
{
    for (uint32_t d = defs->first[reg]; d < defs->first[reg + 1]; d++) {
        const InsnId insn = defs->insns[d];
        const BlockId block = p->cfg->block_of[insn];
        if (!is_async_product(&p->func->insns[insn]) && ptx_block_is_reachable(p->cfg, block)
            && !ptx_dom_dominates(p->dom, block, of_product) && meets_open(p, block))
            return true;
    }
    return false;
}

static bool find_set_aside(ProductSearch *p, bool *is_seen, const Defs *defs)
{
    for (InsnId i = 0; i < p->func->insn_count; i++) {
        const Insn *insn = &p->func->insns[i];
        const Operand *first = ptx_insn_operands(p->func, insn);
        if (!is_async_product(insn) || !insn->operand_count || !ptx_operand_is_def(first)
            || is_seen[first->id] || !ptx_block_is_reachable(p->cfg, p->cfg->block_of[i]))
            continue;
        is_seen[first->id] = true;
        if (is_set_aside(p, defs, first->id, p->cfg->block_of[i]))
            return true;
    }
    return false;
}

bool ptx_products_are_serial(Arena *scratch, const Func *func, const Cfg *cfg, const Dom *dom,
                             const Defs *defs)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    const uint32_t blocks = cfg->block_count + 1;
    ProductSearch p = { .func = func,
                        .cfg = cfg,
                        .dom = dom,
                        .is_open = ptx_arena_array(scratch, bool, blocks),
                        .ends_open = ptx_arena_array(scratch, bool, blocks),
                        .pending = ptx_arena_array(scratch, BlockId, blocks) };
    bool *is_closing = ptx_arena_array(scratch, bool, blocks), are_serial = false;
    if (find_open_ends(&p, is_closing)) {
        open_behind(&p, is_closing);
        are_serial = find_set_aside(&p, ptx_arena_array(scratch, bool, func->reg_count + 1), defs);
    }
    ptx_arena_release(scratch, mark);
    return are_serial;
}
