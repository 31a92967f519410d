/* cfg.h -- the control-flow graph of one function.
 *
 * A block is a maximal run of instructions entered at its first and left at its last (basic block):
 * a label begins one only where some branch names it. Blocks are numbered in program order; block 0
 * holds the first instruction. Edges leave from bra, brx.idx (its .branchtargets), ret, exit, trap
 * and fall-through; a guarded branch, ret or exit also falls through. A call is an instruction like
 * any other, unless its function is .noreturn. PTX ISA, "Control Flow Instructions".
 *
 * An edge to EXIT_BLOCK leaves the function; so does running off its end. A branch whose target is
 * unknown (an undeclared label) has one to it too. A brx.idx whose table is unknown may go to every
 * label of the function. All brx.idx of a function together may name BRX_TARGETS_PER_INSN targets
 * an instruction, plus BRX_TARGETS_FLOOR: tables are shared, and a file of n bytes could ask for
 * n^2 edges. One that would go beyond is a branch of unknown target. */
#ifndef PTX_ANALYSIS_FLOW_CFG_H
#define PTX_ANALYSIS_FLOW_CFG_H

#include "analysis/flow/types.h"
#include "support/arena.h"

#include <stdbool.h>

enum {
    /* an interpreter with a dispatch of 256 cases at the end of each of them */
    BRX_TARGETS_FLOOR = 1 << 16,
    BRX_TARGETS_PER_INSN = 64,
    MAX_BRX_TARGETS = 1 << 28,         /* keeps Cfg.succ_count in 32 bits */
};

typedef struct Block {
    InsnId first, end;          /* [first, end), never empty */
    /* into Cfg.succs: at least one, distinct, the fall-through edge last */
    uint32_t succ_first, succ_count;
    uint32_t pred_first, pred_count;    /* into Cfg.preds: distinct, ascending */
} Block;

typedef struct Cfg {
    const Block *blocks;
    const BlockId *succs;       /* may hold EXIT_BLOCK */
    const BlockId *preds;       /* never EXIT_BLOCK; unreachable blocks are among them */
    const BlockId *block_of;    /* per instruction */
    const BlockId *rpo;         /* reachable blocks in reverse postorder; rpo[0] is 0 */
    const uint32_t *rpo_index;  /* per block: place in rpo; UINT32_MAX: unreachable */
    uint32_t block_count, succ_count, rpo_count;
    bool has_unknown_target;    /* an edge may be missing, or be one too many */
} Cfg;

/* NULL for a function without instructions. Owned by arena; scratch, another arena, is left as
 * found. */
const Cfg *ptx_cfg_build(Arena *arena, Arena *scratch, const Module *module, const Func *func);

/* Whether all ways from a block soon end in trap or in a function that does not return: no lane of
 * a launch that succeeds comes there. */
bool ptx_block_ends_in_trap(const Cfg *cfg, const Func *func, BlockId block);

static inline bool ptx_block_is_reachable(const Cfg *cfg, BlockId block)
{
    return cfg->rpo_index[block] != UINT32_MAX;
}

#endif
