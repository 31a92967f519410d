/* What each distinct instruction of a module does to a warp. */
#include "analysis/sim/lane.h"
#include "analysis/sim/code.h"
#include "isa/isa.h"

#include <string.h>

static const uint8_t actions[OP__COUNT] = {
    [OP_ACTIVEMASK] = ACTION_ACTIVE_MASK, [OP_ATOM] = ACTION_ATOMIC, [OP_BAR] = ACTION_BARRIER, [OP_BARRIER] = ACTION_BARRIER,
    [OP_BRA] = ACTION_BRANCH, [OP_BRX] = ACTION_INDEXED, [OP_CALL] = ACTION_CALL, [OP_CP] = ACTION_COPY, [OP_CVTA] = ACTION_TO_GENERIC,
    [OP_ELECT] = ACTION_ELECT, [OP_EXIT] = ACTION_EXIT, [OP_LD] = ACTION_LOAD, [OP_LDMATRIX] = ACTION_MATRIX, [OP_LDU] = ACTION_LOAD,
    [OP_MAPA] = ACTION_MAP, [OP_ISSPACEP] = ACTION_IS_SPACE, [OP_MATCH] = ACTION_MATCH, [OP_REDUX] = ACTION_REDUX, [OP_MOV] = ACTION_MOVE,
    [OP_NANOSLEEP] = ACTION_NOTHING, [OP_RED] = ACTION_ATOMIC, [OP_RET] = ACTION_RETURN, [OP_SHFL] = ACTION_SHUFFLE, [OP_SELP] = ACTION_CHOOSE,
    [OP_ST] = ACTION_STORE, [OP_STMATRIX] = ACTION_MATRIX, [OP_TENSORMAP] = ACTION_TENSOR_MAP, [OP_TRAP] = ACTION_EXIT, [OP_VOTE] = ACTION_VOTE,
};

static uint8_t action_of(const Op *op, Decoded *code)
{
    if (actions[op->family])
        return actions[op->family];
    if (op->operation == OP_MBARRIER_TRY_WAIT || op->operation == OP_MBARRIER_TEST_WAIT)
        return ACTION_TRUE;     /* in the end */
    if (!code->lanewise.fn)
        return ACTION_UNKNOWN;
    return code->lanewise.video.kind ? ACTION_VIDEO : ACTION_LANEWISE;
}

/* What distinguishes votes, shuffles and barriers: a letter. */
static uint8_t mode_of(const Op *op)
{
    static const struct { uint8_t modifier; char mode; } modes[] = {
        { MOD_UP, 'u' }, { MOD_DOWN, 'd' }, { MOD_BFLY, 'x' }, { MOD_IDX, 'i' }, { MOD_ALL, 'l' }, { MOD_ANY, 'y' }, { MOD_UNI, 'n' }, { MOD_BALLOT, 'b' },
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ptx_op_has(op, (Modifier)modes[i].modifier))
            return (uint8_t)modes[i].mode;
    return 0;
}

/* What redux does: a letter. */
static uint8_t reduction_of(const Op *op, uint8_t join)
{
    if (join)
        return join;
    if (ptx_op_has(op, MOD_MIN))
        return 'm';
    return ptx_op_has(op, MOD_MAX) ? 'M' : 'a';
}

static uint8_t other_barrier(const Op *op)
{
    if (ptx_op_has(op, MOD_WARP))
        return ACTION_WARP_BARRIER;
    return ptx_op_has(op, MOD_CLUSTER) ? ACTION_UNKNOWN : ACTION_ARRIVE;
}

void ptx_code_decode(const Op *op, Decoded *code)
{
    ptx_lanewise_make(op, &code->lanewise);
    code->action = action_of(op, code);
    if (code->action == ACTION_SHUFFLE || code->action == ACTION_VOTE
        || code->action == ACTION_MATCH)
        code->mode = mode_of(op);
    if (code->action == ACTION_REDUX)
        code->lanewise.mode = reduction_of(op, code->lanewise.join);
    if (code->action == ACTION_REDUX && ptx_type_info[op->type].kind == KIND_FLOAT)
        code->lanewise.fn = ptx_lane_float(&code->lanewise,
                                           code->lanewise.mode == 'm' ? OP_MIN : OP_MAX);
    bool is_select = code->action == ACTION_CHOOSE && !code->lanewise.fn;
    bool is_to_space = code->action == ACTION_TO_GENERIC && ptx_op_has(op, MOD_TO);
    bool is_other_copy = code->action == ACTION_COPY && op->kind != OPK_CP_ASYNC;
    bool is_other_barrier = code->action == ACTION_BARRIER
                            && (ptx_op_has(op, MOD_WARP) || ptx_op_has(op, MOD_CLUSTER)
                                || ptx_op_has(op, MOD_ARRIVE));
    if (is_to_space)
        code->action = ACTION_TO_SPACE;
    if (is_select || is_other_copy)
        code->action = op->operation == OP_CP_ASYNC_BULK ? ACTION_BULK : ACTION_UNKNOWN;
    if (is_other_barrier)
        code->action = other_barrier(op);
}
