/* observer.h -- what a machine reports while warps run: a table of functions, one an event, that
 * its clients implement.
 *
 * The machine knows no client by name. An observer belongs to the client, which attaches it with
 * ptx_machine_observe and may change its members between two runs. A member that is NULL is an
 * event that is of no interest. Events come in the order of execution; where several observers take
 * requests, in the order in which they were attached. */
#ifndef PTX_ANALYSIS_SIM_OBSERVER_H
#define PTX_ANALYSIS_SIM_OBSERVER_H

#include "analysis/sim/count.h"
#include "analysis/sim/request.h"
#include "analysis/sim/value.h"
#include "isa/isa.h"

typedef struct Machine Machine;
typedef struct Warp Warp;

struct Scratch;

enum { MAX_OBSERVERS = 4, ORDER_IGNORED = 1 };

/* One side of an access: what a warp asks of one memory. */
typedef struct RequestEvent {
    const Func *func;
    const Insn *insn;
    Count *count;        /* of the instruction */
    Request *request;    /* its addresses are not set */
    /* from: that the shared side of a copy is read from; NULL */
    const Value *address, *from;
    uint8_t space;              /* Space */
    uint8_t doubt;              /* Uncertainty, of these lanes being there; of a lost one */
} RequestEvent;

struct Observer;

/* A request that is made by each of the warps that the one that runs stands for. */
typedef struct LoggedRequest {
    const struct Observer *observer;
    const RequestEvent *event;
    uint32_t lanes;
    uint8_t note;               /* the observer's */
} LoggedRequest;

/* One element of a load, in each lane. */
typedef struct LaneLoad {
    const Insn *insn;
    const Value *address;
    struct Scratch *out;
    uint32_t bytes, lanes;
    Type type;
    Space space;
} LaneLoad;

typedef struct LaneStore {
    const Insn *insn;
    const Value *address;
    const Value *value;         /* NULL: it is not known */
    uint32_t bytes, lanes;
    uint8_t doubt;
    Space space;
} LaneStore;

typedef struct Observer {
    void *self;                 /* the first argument of each function */
    uint8_t slot;               /* of FuncState.slots; ptx_machine_observe sets it */
    bool is_paused;             /* left out of the runs to come */
    /* where the block's shape is assumed, nothing is less certain for resting on a parameter too */
    bool needs_shape;

    /* A block is about to run. */
    void (*begin)(void *self);

    /* Order among warps: of one observer at most. */

    /* Before each instruction. True: the warp waits there. */
    bool (*step)(void *self, Warp *warp, InsnId pc);
    /* Before an instruction that some lanes execute has any effect. False: the warp waits, and
     * executes it again. */
    bool (*order)(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    /* per Op.id; ORDER_IGNORED: order is not called for it. NULL: it is called for all */
    const uint8_t *orders;
    /* A call of what has no body. */
    void (*call)(void *self, const Operand *callee);
    /* A barrier of the block, or an arrival at one. */
    void (*barrier)(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    /* Every warp waits or has ended: lets those go on whose barriers are complete. False: all have
     * ended. NULL: all warps go on at each barrier. */
    bool (*turn)(void *self, uint32_t first_warp, uint32_t warp_count);
    /* An access to memory, in place of its requests. */
    void (*access)(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);
    /* mapa: writes its result. False: it is not known. */
    bool (*map)(void *self, Warp *warp, const Insn *insn, uint32_t lanes, uint8_t doubt);

    /* Contents of global memory: of one observer at most. An element of a load; of a store, once it
     * is executed. */
    void (*load)(void *self, const Warp *warp, const LaneLoad *load);
    void (*store)(void *self, const Warp *warp, const LaneStore *store);

    /* Requests to shared and global memory: of all observers. */
    void (*request)(void *self, Warp *warp, const RequestEvent *event);

    /* These go to observers that take requests. */

    /* One whose addresses are not known. */
    void (*lost)(void *self, Warp *warp, const RequestEvent *event);
    /* The same, behind that, where addresses were drawn (drawn.h). */
    void (*drawn)(void *self, Warp *warp, const RequestEvent *event);
    /* One of ptx_request_log_emit, of a warp. share: of the warps that make it. */
    void (*logged)(void *self, const LoggedRequest *request, uint32_t warp, double share);
    /* A bulk copy between global and shared memory, of one thread. */
    void (*bulk)(void *self, const BulkBox *box);
    /* Distinct addresses of constant memory, of those of a request. */
    void (*constants)(void *self, const Value *address, const uint64_t *addresses, uint32_t count);
    /* What it has seen of a warp up to here; last: what this returned in an earlier iteration of
     * the loop, to be used again; NULL. */
    void *(*mark)(void *self, uint32_t warp, void *last);
    /* What it has seen since then happens so many times more. */
    void (*repeat)(void *self, const void *since, double times);
} Observer;

/* The observer sees the runs to come. It must outlive the machine. */
void ptx_machine_observe(Machine *machine, Observer *observer);

/* Of a warp that stands for others what it asks for is kept until its end, and then emitted for
 * each of them. */
void ptx_request_log_emit(Machine *machine, const Warp *warp, const LoggedRequest *request);

#endif
