/* Where an access goes: its address operands, and the space that they lie in. */
#include "analysis/sim/machine.h"
#include "analysis/sim/request.h"
#include "ir/reg.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"

#include <string.h>

enum { MATRIX_ROW = 16 };       /* bytes that an address of ldmatrix stands for */

/* Registers of 32 bits are addresses of 32 bits: what an offset carries out of them is gone. bits:
 * of all lanes, or-ed. */
static void wrap_address(Machine *m, const Warp *w, const Operand *operand, Scratch *s,
                         uint64_t bits)
{
    if (!(bits >> 32) || s->value.align != ALIGN_EXACT
        || ptx_type_info[w->frame->func_state->func->regs[operand->id].type].bits != 32)
        return;
    ptx_blocks_pin(&m->blocks, &s->value);
    s->value.all = (uint32_t)s->value.all;
    for (unsigned i = 0; s->value.lanes && i < WARP_LANES; i++)
        s->lanes[i] = (uint32_t)s->lanes[i];
}

const Value *ptx_address_look(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    const Value *base = ptx_machine_read(m, w, operand, s);
    const uint64_t offset = (uint64_t)ptx_operand_value(operand), *lanes = base->lanes;
    if (operand->kind != OPERAND_REG || !offset)
        return base;
    ptx_value_copy(&s->value, base);
    s->value.all += offset;
    uint64_t bits = lanes ? 0 : s->value.all;
    if (lanes) {
        for (unsigned i = 0; i < WARP_LANES; i++)
            bits |= s->lanes[i] = lanes[i] + offset;
        s->value.lanes = s->lanes;
    }
    wrap_address(m, w, operand, s, bits);
    return &s->value;
}

const Value *ptx_address_keep(const Value *address, Scratch *s)
{
    if (address != &s->value)
        s->value = *address;
    if (address->lanes && address->lanes != s->lanes) {
        memcpy(s->lanes, address->lanes, sizeof s->lanes);
        s->value.lanes = s->lanes;
    }
    return &s->value;
}

void ptx_address_read(Machine *m, Warp *w, const Operand *operand, Scratch *s)
{
    ptx_address_keep(ptx_address_look(m, w, operand, s), s);
}

/* ---- what observers ask of an access --------------------------------------------------------- */

static void look_into(Machine *m, Warp *w, const Operand *place, Scratch *out)
{
    const Value *address = ptx_address_look(m, w, place, out);
    if (address != &out->value)
        out->value = *address;
}

bool ptx_memory_find_shared(Machine *m, Warp *w, const Insn *insn, uint32_t lanes,
                            SharedAccess *access)
{
    FuncState *state = w->frame->func_state;
    const Operand *place =
        ptx_insn_decoded(m, state, (InsnId)(insn - state->func->insns))->addresses[0];
    const bool is_matrix = insn->op->kind == OPK_LDMATRIX || insn->op->kind == OPK_STMATRIX;
    unsigned matrices = is_matrix ? ptx_request_matrices(insn->op) : 4;
    if (!place || !insn->access_bytes)
        return false;
    access->address = ptx_address_look(m, w, place, &access->room);
    access->lanes = matrices < 4 ? lanes & ((UINT32_C(1) << (8 * matrices)) - 1) : lanes;
    access->bytes = is_matrix ? MATRIX_ROW : insn->access_bytes;
    return access->lanes
           && (insn->op->kind == OPK_CP_ASYNC
               || ptx_address_space(insn, access->address, lanes) == SPACE_SHARED);
}

bool ptx_memory_read_address(Machine *m, Warp *w, const Insn *insn, unsigned which,
                             Scratch *address)
{
    const Operand *place = ptx_address_nth(w->frame->func_state->func, insn, which);
    if (place)
        look_into(m, w, place, address);
    return place != NULL;
}

const Value *ptx_memory_stored(Machine *m, Warp *w, const Insn *insn, Scratch *room)
{
    const Operand *operands = ptx_insn_operands(w->frame->func_state->func, insn), *value = NULL;
    for (unsigned o = 0; insn->op->kind == OPK_ST && o < insn->operand_count; o++)
        if (operands[o].position == 1) {
            if (value)
                return NULL;
            value = &operands[o];
        }
    return value ? ptx_machine_read(m, w, value, room) : NULL;
}
