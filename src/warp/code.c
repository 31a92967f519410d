/* What each distinct instruction of a module does to a warp. */
#include "warp/lane.h"
#include "warp/machine.h"

#include <string.h>

typedef struct Row {
    const char *opcode;
    uint8_t action;
} Row;

static const Row rows[] = {
    { "activemask", ACTION_ACTIVE_MASK }, { "atom", ACTION_ATOMIC }, { "bar", ACTION_BARRIER }, { "barrier", ACTION_BARRIER },
    { "bra", ACTION_BRANCH }, { "brx", ACTION_INDEXED }, { "call", ACTION_CALL }, { "cp", ACTION_COPY }, { "cvta", ACTION_TO_GENERIC },
    { "elect", ACTION_ELECT }, { "exit", ACTION_EXIT }, { "ld", ACTION_LOAD }, { "ldmatrix", ACTION_MATRIX }, { "ldu", ACTION_LOAD }, { "mapa", ACTION_MAP },
    { "isspacep", ACTION_IS_SPACE }, { "match", ACTION_MATCH }, { "redux", ACTION_REDUX }, { "mov", ACTION_MOVE }, { "nanosleep", ACTION_NOTHING }, { "red", ACTION_ATOMIC }, { "ret", ACTION_RETURN }, { "shfl", ACTION_SHUFFLE },
    { "selp", ACTION_CHOOSE }, { "st", ACTION_STORE }, { "stmatrix", ACTION_MATRIX }, { "trap", ACTION_EXIT }, { "vote", ACTION_VOTE },
};

static uint8_t action_of(const Op *op, Decoded *code)
{
    const char *name = ptx_opcode_info[op->opcode].text;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode[0] == name[0] && !strcmp(rows[i].opcode, name))
            return rows[i].action;
    if (!strcmp(name, "mbarrier") && (ptx_op_has_modifier(op, "try_wait") || ptx_op_has_modifier(op, "test_wait")))
        return ACTION_TRUE;     /* in the end */
    return !code->lanewise.fn ? ACTION_UNKNOWN : code->lanewise.video.kind ? ACTION_VIDEO : ACTION_LANEWISE;
}

/* The word that tells votes, shuffles and barriers apart. */
static uint8_t mode_of(const Op *op)
{
    static const char *const words[] = { "up", "down", "bfly", "idx", "all", "any", "uni", "ballot" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_op_has_modifier(op, words[i]))
            return (uint8_t)(i == 6 ? 'n' : i == 7 ? 'b' : i == 2 ? 'x' : words[i][0] == 'a' ? words[i][1] : words[i][0]);
    return 0;
}

const Decoded *ptx_machine_decode(Machine *machine, const Op *op)
{
    Decoded *code = &machine->program->codes[op->id];
    ptx_lanewise_make(op, &code->lanewise);
    code->action = action_of(op, code);
    if (code->action == ACTION_SHUFFLE || code->action == ACTION_VOTE || code->action == ACTION_MATCH)
        code->mode = mode_of(op);
    if (code->action == ACTION_REDUX)
        code->lanewise.mode = (uint8_t)(code->lanewise.join ? code->lanewise.join : ptx_op_has_modifier(op, "min") ? 'm' : ptx_op_has_modifier(op, "max") ? 'M' : 'a');
    if (code->action == ACTION_REDUX && ptx_type_info[op->type].kind == KIND_FLOAT)
        code->lanewise.fn = ptx_lane_float(&code->lanewise, code->lanewise.mode == 'm' ? "min" : "max");
    bool is_select = code->action == ACTION_CHOOSE && !code->lanewise.fn;
    bool is_to_space = code->action == ACTION_TO_GENERIC && ptx_op_has_modifier(op, "to");
    bool is_other_copy = code->action == ACTION_COPY && op->kind != OPK_CP_ASYNC;
    bool is_other_barrier = code->action == ACTION_BARRIER && (ptx_op_has_modifier(op, "warp") || ptx_op_has_modifier(op, "cluster")
                                                               || ptx_op_has_modifier(op, "arrive"));
    if (is_to_space)
        code->action = ACTION_TO_SPACE;
    if (is_select || is_other_copy)
        code->action = ACTION_UNKNOWN;
    if (is_other_barrier)
        code->action = ptx_op_has_modifier(op, "warp") ? ACTION_WARP_BARRIER : ptx_op_has_modifier(op, "cluster") ? ACTION_UNKNOWN : ACTION_ARRIVE;
    return code;
}
