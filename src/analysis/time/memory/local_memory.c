#include "analysis/time/memory/local_memory.h"

#include "analysis/access/evaluate.h"
#include "analysis/sass/sass.h"
#include "analysis/sim/count.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "isa/isa.h"

#include <math.h>

enum { WORD_BYTES = 4, LINES_OF_PASS = 4 };

bool ptx_local_memory_has_arrays(const Func *func, const Lowered *lowered)
{
    for (uint32_t i = 0; i < lowered->insn_count; i++) {
        const LoweredInsn *insn = &lowered->insns[i];
        if (insn->machine == MACHINE_GLOBAL && insn->origin != NO_ID
            && func->insns[insn->origin].op->space == SPACE_LOCAL)
            return true;
    }
    return false;
}

LocalTraffic ptx_local_memory_traffic(const Insn *insn, const Evaluated *evaluated)
{
    const Op *op = insn->op;
    const Count *count = evaluated->total;
    const double share = (double)evaluated->share;
    if (op->space != SPACE_LOCAL || !insn->access_bytes || !(count->requests > 0))
        return (LocalTraffic){ .passes = 0 };
    const double words = fmax(1, insn->access_bytes / (double)WORD_BYTES);
    return (LocalTraffic){
        .passes = share * fmax(count->requests * words, count->lines / LINES_OF_PASS),
        .lines = share * count->lines,
        .sectors = share * count->segments,
        .is_store = op->flags & OPF_STORE,
    };
}
