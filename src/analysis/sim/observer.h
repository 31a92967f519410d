/* observer.h -- what a machine reports while warps run: a table of functions, one an event, that its clients implement.
 *
 * The machine knows no client by name. An observer belongs to the client, which attaches it with ptx_machine_observe and may change its members between
 * two runs. A member that is NULL is an event that is of no interest. Events come in the order of execution; where several observers take requests, in
 * the order in which they were attached. */
#ifndef PTX_ANALYSIS_SIM_OBSERVER_H
#define PTX_ANALYSIS_SIM_OBSERVER_H

#include "ir/ir.h"

struct Warp;

enum { MAX_OBSERVERS = 4, ORDER_IGNORED = 1 };

typedef struct Observer {
    void *self;                 /* the first argument of each function */
    uint8_t slot;               /* of FuncState.slots; ptx_machine_observe sets it */
    bool is_paused;             /* left out of the runs to come */
    bool needs_shape;           /* where the block's shape is assumed, nothing is less certain for resting on a parameter too */

    /* A block is about to run. */
    void (*begin)(void *self);

    /* Order among warps: of one observer at most. */

    /* Before each instruction. True: the warp waits there. */
    bool (*step)(void *self, struct Warp *warp, InsnId pc);
    /* Before an instruction that some lanes execute has any effect. False: the warp waits, and executes it again. */
    bool (*order)(void *self, struct Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    const uint8_t *orders;      /* per Op.id; ORDER_IGNORED: order is not called for it. NULL: it is called for all */
    /* A call of what has no body. */
    void (*call)(void *self, const Operand *callee);
    /* A barrier of the block, or an arrival at one. */
    void (*barrier)(void *self, struct Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    /* Every warp waits or has ended: lets those go on whose barriers are complete. False: all have ended. NULL: all warps go on at each barrier. */
    bool (*turn)(void *self, uint32_t first_warp, uint32_t warp_count);
    /* An access to memory, in place of its requests. */
    void (*access)(void *self, struct Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    /* mapa: writes its result. False: it is not known. */
    bool (*map)(void *self, struct Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
} Observer;

#endif
