#include "analysis/sim/race/allocation.h"

#include "analysis/sim/machine.h"
#include "analysis/value/launch.h"
#include "ir/func.h"
#include "ir/insn.h"

enum { CP_ASYNC_OPERANDS = 3 };         /* to, from and how many bytes */

/* It lies at so many bytes from what a parameter points to, whatever that is. */
static bool is_from_pointer(const Value *address)
{
    return address->align != ALIGN_EXACT && address->is_common && address->addend != ADDEND_NONE
           && address->addend != ADDEND_OTHER && !address->is_data && !address->is_assumed;
}

/* Position of the parameter that the address counts from, where its allocation is known;
 * param_count: of none. */
static uint32_t sized_param(const AllocationEnds *b, const Value *address, uint64_t *base)
{
    const Func *kernel = b->kernel;
    for (uint32_t p = 0; p < kernel->param_count && p < b->launch->param_count; p++)
        if (kernel->params[p] != NO_ID && b->launch->params[p].allocated
            && ptx_machine_pointer(b->machine, kernel->params[p], address->addend, base))
            return p;
    return kernel->param_count;
}

static bool is_plain_write(const Op *op)
{
    return op->kind == OPK_ST || op->kind == OPK_ATOM || op->kind == OPK_RED;
}

static void keep_found(AllocationEnds *b, const Warp *w, const Insn *insn, unsigned lane)
{
    b->func = w->frame->func_state->func;
    b->insn = (InsnId)(insn - b->func->insns);
    b->place = ptx_machine_place(b->machine, w, b->insn);
    b->thread = w->index * WARP_LANES + lane;
    b->bytes = insn->access_bytes;
    b->is_write = is_plain_write(insn->op);
}

/* What comes before the pointer may be of the same allocation. */
static void look_for_end(AllocationEnds *b, const Warp *w, const Insn *insn, const Value *address,
                         uint32_t lanes)
{
    uint64_t base;
    const uint32_t none = b->kernel->param_count,
                   param = is_from_pointer(address) ? sized_param(b, address, &base) : none;
    if (param == none)
        return;
    for (uint32_t left = lanes & ~address->unknown; left && !b->func; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t offset = ptx_value_lane(address, lane) - base;
        if (offset > INT64_MAX
            || offset + insn->access_bytes <= b->launch->params[param].allocated)
            continue;
        b->param = param;
        b->offset = offset;
        keep_found(b, w, insn, lane);
    }
}

/* A prefetch may miss. A copy with a size of its source, or a predicate that leaves it out, reads
 * less than it writes. */
static bool reads_whole(const Insn *insn)
{
    const Op *op = insn->op;
    return op->kind == OPK_LD || is_plain_write(op)
           || (op->kind == OPK_CP_ASYNC && insn->operand_count <= CP_ASYNC_OPERANDS);
}

static void take_sized_access(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    AllocationEnds *b = self;
    Scratch address;
    const unsigned which = insn->op->kind == OPK_CP_ASYNC;
    if (b->func || !insn->access_bytes || doubt >= UNCERTAIN_PARAMETER || !reads_whole(insn)
        || !ptx_memory_read_address(b->machine, w, insn, which, &address))
        return;
    look_for_end(b, w, insn, &address.value, lanes);
}

/* Each warp goes on: what others do decides no address that is known. */
static bool goes_on(void *self, Warp *w, const Insn *insn, uint32_t lanes, uint8_t doubt)
{
    (void)self, (void)w, (void)insn, (void)lanes, (void)doubt;
    return true;
}

void ptx_allocation_ends_attach(AllocationEnds *b)
{
    b->observer = (Observer){ .self = b, .order = goes_on, .access = take_sized_access };
    ptx_machine_observe(b->machine, &b->observer);
}
