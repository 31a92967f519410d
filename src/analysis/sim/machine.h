/* machine.h -- runs a kernel's warps as a GPU would, before there is a GPU: the state of one block
 * of threads, and what was counted.
 *
 * Instructions execute for a warp at a time, on values of value.h. Control flow that parts the
 * lanes of a warp is a stack of entries, each with the lanes that are in it and the instruction
 * where they meet the others again: the immediate post-dominator (Fung, Sham, Yuan and Aamodt,
 * "Dynamic Warp Formation and Scheduling for Efficient GPU Control Flow", MICRO 2007, section 2).
 * Where it is unknown which way lanes go, since that depends on data, they go both; of a loop they
 * stay some iterations. What such lanes write is not known behind the meeting point.
 *
 * The warps of a block run in turns from barrier to barrier. Memory: kernel parameters as the
 * launch gives them; shared memory byte by byte; local memory and parameters of calls by the places
 * that were written; what is loaded from anywhere else is not known. */
#ifndef PTX_ANALYSIS_SIM_MACHINE_H
#define PTX_ANALYSIS_SIM_MACHINE_H

#include "analysis/sim/code.h"
#include "analysis/sim/request.h"
#include "analysis/sim/sim.h"
#include "analysis/sim/slice.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/operand.h"
#include "isa/isa.h"
#include "support/hash.h"
#include "analysis/sim/stride/block_stride.h"
#include "analysis/sim/observer.h"
#include "analysis/sim/value.h"

typedef struct Observer Observer;

/* What an instruction does in these lanes. */
typedef void SimRun(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                    uint8_t doubt);

typedef struct SimArg {         /* an operand that is read */
    const Operand *operand;
    const Value *constant;      /* NULL: it is none */
    uint32_t place;             /* of a register that is read as it is; 0: none of a frame's */
} SimArg;

typedef struct SimResult {      /* an operand that is written */
    uint64_t mask;              /* of the register's bits */
    uint32_t place : 31;        /* 0: no run writes it */
    bool is_fresh : 1;          /* the place is a shared one: what it held is another's */
    RegId reg : 31;             /* LIMIT_SOURCE_BYTES is below 2^31 */
    bool is_part : 1;           /* one component of a vector */
} SimResult;

/* An instruction of a function that is run, with all that its text and the function say: decode.c.
 * Nothing in it changes. */
struct SimInsn {
    /* what each run looks at first: a line of the cache */
    bool is_guarded, is_access, is_branch;
    bool is_control;            /* another that says where lanes go, or what they wait for */
    bool is_needed, has_effect; /* a run has to execute it: always, where warps depend on others */
    bool has_fresh;             /* results */
    uint8_t arg_count, result_count;
    uint32_t guard_place;
    uint16_t operand_count;
    const Decoded *code;
    SimRun *run;
    const SimArg *args;         /* the operands behind the first, but for the pair */
    /* the operands of the first position, or the first operand alone; result_count: 0 where these
     * are none */
    const SimResult *results;
    const Insn *insn;
    const Op *op;
    const Operand *operands;
    const Operand *pair;        /* the right side of d|p; NULL */
    const Operand *addresses[2];        /* its address operands; NULL */
};

typedef struct SteeredBranch {
    uint32_t stays;             /* steered_loop.h's, + 2; 0: not asked for yet */
    uint32_t guess;             /* where that says nothing: iterations, by the step of a counter */
    bool is_ordered, is_sampled;
} SteeredBranch;

typedef struct FuncState {           /* a function as it is run */
    const Func *func;
    const Cfg *cfg;             /* these: of its plan */
    const Dom *dom;
    const BlockId *reconvergence;
    const Loops *loops;
    Slice slice;
    const LoopId *headed;
    /* per instruction: RequestKind + 1, and access.c's PAST_L1; of a branch its LoopExit; 0: not
     * asked for yet */
    uint8_t *kinds;
    /* loop_exit.c's: per loop, branches that end it by a counter; the last: whether they were
     * counted */
    uint32_t *counter_exits;
    /* per loop: its trips, as the launch says, + 1; 0: it does not. NULL: of none */
    const uint32_t *given;
    SteeredBranch *steered;     /* per branch that data decide; NULL: of none */
    uint64_t steer_work;        /* instructions looked at for steered, so far */
    const uint64_t *index_steps;        /* loop_exit.c's, per loop; NULL: with steered */
    /* per instruction, of the warps that run; of plain ones only the first of them. NULL: nothing
     * yet */
    Count **counts;
    /* the same of the block, until the caller empties them; where its warps run together these are
     * the counts */
    Count **sums;
    PlanMemo *memo;
    uint64_t walked;            /* blocks, to find regions */
    /* per instruction: of a branch that rested on an assumption the uncertainty that the accesses
     * of its region were marked with, + 1; 0: it did not */
    uint8_t *assumed;
    void *slots[MAX_OBSERVERS]; /* what each of them keeps of the function; NULL: nothing yet */
    struct Pace *paces;         /* forward.c's, per loop; NULL: none yet */
    struct Frame *spare;        /* frames to be used again */
} FuncState;

/* What most numbers do without, Value.by, is the end of it. */
typedef struct Register {
    uint64_t *slab;             /* WARP_LANES numbers for value.lanes */
    uint32_t region;            /* of doubtful control in which it was last written */
    bool is_written;
    uint8_t step;               /* ptx_groups_step's, of all that was written in that */
    Value value;
} Register;

/* Control whose lanes are unknown: what is written in it is not known behind it. */
typedef struct ModRef {
    struct Frame *frame;
    RegId reg;
    bool is_kept;               /* drawn.h: what the register held before is known, ... */
    Register *before;           /* ... and here; NULL: never yet */
} ModRef;

typedef struct Entry {
    struct Frame *frame;
    InsnId pc, join;            /* join: NO_ID: the end of the function */
    uint32_t lanes;
    /* lanes of the region that ends here which may or may not have been in it */
    uint32_t maybe;
    uint32_t log_first;         /* into Warp.log: what was written in that region */
    uint32_t region;            /* that entries inside log to; 0: none */
    uint8_t doubt;              /* uncertainty source: of being here */
    /* the other side of a doubtful branch: what the first wrote is in doubt */
    bool is_second;
    bool is_rare;               /* hardly ever is a lane here: branch_probability.h */
    bool is_loose;              /* which other lanes are at an access with these is an estimate */
    /* lanes go around no loop in the region that ends here, or that this entry logs to */
    bool is_forward;
} Entry;

typedef struct Slot {           /* a place in local memory or in a parameter of a call */
    uint64_t address;
    uint32_t bytes;
    Register held;
} Slot;

typedef struct Slots {
    Slot *items;
    uint32_t count, capacity;
} Slots;

typedef struct Frame {
    struct Frame *next;         /* of FuncState.spare */
    struct Frame *caller;
    FuncState *func_state;
    const Insn *call;           /* in the caller */
    /* at Slice.places; NULL: not written so far. Of a long function most never are */
    Register **regs;
    /* per block that ends in a branch: how often doubtful lanes stayed in a loop; branch.c's
     * WAS_LEFT; NULL: in none yet */
    uint32_t *stays;
    Slots params;               /* of calls that this function makes */
    struct Visit **visits;      /* forward.c's, per loop; NULL: none yet */
    InsnId last;                /* that was run; NO_ID */
    uint32_t entry_floor;       /* entries of this frame are from here on */
} Frame;

struct Warp {
    Frame *frame;
    Entry *entries;
    ModRef *log;
    Slots local;
    uint32_t entry_count, entry_capacity, log_count, log_capacity;
    uint32_t index;             /* in the block */
    uint32_t live;              /* lanes that have not exited */
    bool is_waiting, is_done;
    const Insn *reduction;      /* that it waits in; NULL: none */
    /* lanes there, those in which the predicate holds, those for which it is unknown */
    uint32_t reduced, holding, unsure;
    bool is_assumed;            /* the predicate */
    bool is_at_put;             /* at a barrier of Race.puts */
    /* 1 + the number of the one that it waits at; AT_MBARRIER; 0: none, or not asked for */
    uint8_t barrier;
    uint32_t mbarrier, phase;   /* which one, and what is to be complete */
    uint32_t synced;            /* Machine.clock at its last barrier of its own */
    Value tid[3];
};

/* A variable of the module, and where it lies. */
typedef struct PlacedVar {
    VarId var;
    uint64_t address;
    const uint8_t *initial;     /* its first bytes, once asked for; NULL */
} PlacedVar;

typedef struct TensorMaps TensorMaps;

struct Machine {
    Arena *arena;               /* everything here; the caller releases it */
    Arena *scratch;
    const SimProgram *program;
    const Module *module;
    const Launch *launch;
    FuncId kernel;
    FuncId *run;                /* functions that have a state */
    FuncState **states;         /* of each of those */
    HashMap state_of;           /* per function: where it stands among those, + 1 */
    PlacedVar *placed;          /* variables that have addresses */
    HashMap placed_of;          /* per variable: where it stands among those, + 1 */
    uint32_t run_count, run_capacity, state_capacity, placed_count, placed_capacity;
    /* the next variable of the space lies here, or behind */
    uint64_t next_global, next_local, next_const;
    uint8_t *param_bytes, *param_known;
    AddendId *param_addend;           /* per byte: of the pointer that begins here */
    /* per byte: guess.c's, of a number that begins here and that the launch does not give; 0 */
    uint8_t *param_guess;
    GuessedTrips *guessed;      /* GUESSED_MOST of them */
    uint32_t guessed_count;
    uint32_t param_size;
    /* bytes, and a bit for each that is known; NULL until one is stored */
    uint8_t *shared, *shared_known;
    uint32_t shared_room;       /* bytes that these have room for */
    SharedLayout shared_layout; /* once has_shared, like the size */
    uint32_t shared_size;
    /* per byte: clock and thread of the store that made it known, THREAD_BITS for the thread */
    uint32_t *shared_by;
    /* grows with each barrier; as it was when the block's last one let the warps go on */
    uint32_t clock, round;
    uint32_t shared_low, shared_high;   /* bytes of shared_known that may have bits: from, behind */
    /* lanes left that might have stayed, and stored: nothing gets known any more in this block */
    bool shared_is_lost;
    int64_t barrier;            /* that a warp waits at since the last turn; -1: none */
    bool has_shared;            /* variables in shared memory have their addresses */
    Warp *warps;
    uint32_t warp_count;
    uint32_t block[3], grid[3];
    Blocks blocks;              /* that the run stands for; the first of them runs */
    /* strata.c's: each lane is another block's, in each dimension; NULL: blocks.first */
    const uint64_t (*ctaids)[WARP_LANES];
    bool are_apart;             /* nothing that a warp does depends on the others */
    bool is_blind;              /* SimConfig.is_blind, of the run */
    /* warps so far apart differ in %tid by so much in all lanes */
    uint32_t spacing, tid_by[3];
    /* noted of a warp that stands for others, until these are known */
    struct KeptRequest *kept;
    uint32_t kept_count, kept_capacity;
    TensorMaps *maps;           /* tensor maps that the block has come to; NULL: none */
    uint64_t box_pieces;        /* of bulk copies that were followed */
    bool block_is_assumed, grid_is_assumed, initial_is_assumed, warpid_is_assumed;
    bool dynamic_is_assumed;    /* the size of dynamic shared memory was read, and was not given */
    bool shape_is_read;         /* a place in the grid, or its size, was */
    uint8_t sizes_read;         /* of the grid: a bit for each dimension */
    AddendId next_addend;
    uint32_t next_region;
    uint64_t steps, most_steps; /* instructions of warps, executed and allowed */
    bool is_cut;                /* most_steps did not do for the run */
    SimConfig config;
    Observer *attached[MAX_OBSERVERS];
    uint32_t attached_count;
    /* of these, in the run at hand: orders the warps and takes accesses; NULL */
    const Observer *orderer;
    const Observer *contents;   /* loads and stores global memory; NULL */
    const Observer *requesters[MAX_OBSERVERS];  /* take requests */
    uint32_t requester_count;
    /* forward.h: loops that are looked at; NULL */
    struct Visit *forwarded[GROWTH_DIMS - GROWTH_TRIPS];
    uint64_t begun;             /* steps, as the warp that runs began */
    bool has_left_early;        /* a loop, by SimConfig.is_brief, in any run */
    uint64_t forward_cost;      /* instructions and values that were gone through to look at them */
    bool is_loose_tried;        /* iterations that may vary are looked at somewhere */
};

/* NULL: it has not run. */
static inline FuncState *ptx_machine_state(const Machine *machine, FuncId func)
{
    uint32_t at = ptx_hash_map_get(&machine->state_of, func);
    return at ? machine->states[at - 1] : NULL;
}

/* NULL: nothing has asked where it lies. */
static inline PlacedVar *ptx_machine_placed(const Machine *machine, VarId var)
{
    uint32_t at = ptx_hash_map_get(&machine->placed_of, var);
    return at ? &machine->placed[at - 1] : NULL;
}

/* A warp at the kernel's first instruction, all lanes of it there. */
Warp *ptx_machine_begin(Machine *machine);

/* Where the kernel's own function is, at an instruction of the function that runs: there, or at the
 * call that leads to it. */
InsnId ptx_machine_place(const Machine *machine, const Warp *warp, InsnId insn);

/* ---- shared by the files of this stage ------------------------------------------------------- */

/* Windows of the generic address space: numbers of ours, far from each other and from every
 * base. */
#define WINDOW_SHARED (UINT64_C(1) << 60)
#define WINDOW_LOCAL (UINT64_C(2) << 60)
#define WINDOW_CONST (UINT64_C(3) << 60)
#define WINDOW_PARAM (UINT64_C(4) << 60)

enum { WINDOW_SHIFT = 60, OFFSET_BITS = 40 };

/* 0: of global memory. What lies far behind the start of a window is no address in it, but a number
 * that a pointer was multiplied into; parameters of calls alone lie so far. */
static inline uint64_t ptx_window_of(uint64_t address)
{
    const uint64_t window = address & UINT64_C(7) << WINDOW_SHIFT,
                   far = address & ((UINT64_C(1) << WINDOW_SHIFT) - (UINT64_C(1) << OFFSET_BITS));
    return far && window != WINDOW_PARAM ? 0 : window;
}

typedef struct Scratch {        /* room for a value that no register holds */
    Value value;
    uint64_t lanes[WARP_LANES];
} Scratch;

/* observer.c: a run begins. */
void ptx_observers_begin(Machine *machine);

/* What they have seen of a warp, by Observer.slot; as much once more, so many times. */
void ptx_observers_mark(const Machine *machine, uint32_t warp, void *marks[MAX_OBSERVERS]);
void ptx_observers_repeat(const Machine *machine, void *const marks[MAX_OBSERVERS], double times);

static inline const Decoded *ptx_machine_code(const Machine *machine, const Op *op)
{
    return &machine->program->code.codes[op->id];
}

/* An instruction's so many-th address operand; NULL. */
static inline const Operand *ptx_address_nth(const Func *func, const Insn *insn, unsigned n)
{
    const Operand *operands = ptx_insn_operands(func, insn);
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (operands[o].role & ROLE_ADDRESS && !n--)
            return &operands[o];
    return NULL;
}

/* Where the lanes' addresses lie: an address of a space is turned into what its generic window
 * holds. */
static inline Space ptx_address_space(const Insn *insn, const Value *address, uint32_t lanes)
{
    Space space = (Space)insn->op->space;
    if (ptx_space_is_shared(space))
        return SPACE_SHARED;
    if (space != SPACE_GENERIC)
        return ptx_space_is_param(space) ? SPACE_PARAM : space;
    switch (ptx_window_of(ptx_value_lane(address, lanes ? (unsigned)__builtin_ctz(lanes) : 0))) {
    case WINDOW_SHARED: return SPACE_SHARED;
    case WINDOW_LOCAL:  return SPACE_LOCAL;
    case WINDOW_CONST:  return SPACE_CONST;
    case WINDOW_PARAM:  return SPACE_PARAM;
    default:            return insn->space == SPACE_GENERIC ? SPACE_GLOBAL : (Space)insn->space;
    }
}

/* address.c: what an address operand names, with its offset; the same, where nothing is written
 * before it is no longer looked at: in place if it can be. */
void ptx_address_read(Machine *machine, Warp *warp, const Operand *operand, Scratch *out);
const Value *ptx_address_look(Machine *machine, Warp *warp, const Operand *operand, Scratch *room);
/* What was looked at, in room of its own: the same that ptx_address_look had. */
const Value *ptx_address_keep(const Value *address, Scratch *room);

void ptx_memory_lay_out(Machine *machine);
void ptx_memory_forget_shared(Machine *machine);
uint32_t ptx_memory_tick(Machine *machine);
uint64_t ptx_memory_address(Machine *machine, VarId var);
void ptx_memory_load(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                     uint8_t doubt);
void ptx_memory_store(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                      uint8_t doubt);
void ptx_memory_assume(Machine *machine, Warp *warp, InsnId branch, BlockId reconvergence,
                       uint8_t doubt);
void ptx_memory_assume_written(Machine *machine, Warp *warp, const SimInsn *insn);
void ptx_memory_add_uncertainty(Warp *warp, uint8_t doubt);
void ptx_memory_atomic(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                       uint8_t doubt);
void ptx_memory_count(Machine *machine, Warp *warp, const SimInsn *insn, Count *count,
                      uint32_t lanes, uint8_t doubt);

/* bulk.c */
void ptx_bulk_copy(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                   uint8_t doubt);
void ptx_bulk_make_map(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                       uint8_t doubt);
/* Maps of the block that ran before. */
void ptx_bulk_forget(Machine *machine);

/* What a plain store of one element writes; NULL: it is none. */
const Value *ptx_memory_stored(Machine *machine, Warp *warp, const Insn *insn, Scratch *scratch);

/* What the so many-th address operand names. False: there is none. */
bool ptx_memory_read_address(Machine *machine, Warp *warp, const Insn *insn, unsigned which,
                             Scratch *address);

/* Where an access touches shared memory. */
typedef struct SharedAccess {
    const Value *address;       /* in room, or a register's */
    Scratch room;
    uint32_t lanes;             /* those that say an address */
    uint32_t bytes;             /* of each */
} SharedAccess;

/* False: it does not touch it. */
bool ptx_memory_find_shared(Machine *machine, Warp *warp, const Insn *insn, uint32_t lanes,
                            SharedAccess *access);

/* request_log.c: the warp ends, and what was kept of it is emitted for each that it stands for. */
void ptx_request_log_close(Machine *machine, const Warp *warp);

/* registers.c */
const Value *ptx_machine_make(Machine *machine, Warp *warp, const Operand *operand,
                              Scratch *scratch);
void ptx_machine_write(Machine *machine, Warp *warp, const Operand *operand, const Value *value,
                       uint32_t lanes, uint8_t doubt);
SimResult ptx_machine_result(const FuncState *func_state, const Operand *operand);
void ptx_machine_put(Machine *machine, Warp *warp, const SimResult *result, const Value *value,
                     uint32_t lanes, uint8_t doubt);
/* The condition code: a register behind those that have names. */
const Register *ptx_machine_carry(const Warp *warp);
void ptx_machine_write_carry(Machine *machine, Warp *warp, const Value *value, uint32_t lanes,
                             uint8_t doubt);
void ptx_machine_set(Machine *machine, Register *reg, const Value *value, unsigned bits,
                     uint32_t lanes, uint32_t live);
Value ptx_machine_unknown(Machine *machine, bool is_uniform);

/* A decimal constant is a double; instructions on single floats take it as such. */
void ptx_machine_narrow(const Operand *operand, Type type, Scratch *scratch);

/* A register that no run writes shares its place with others like it. NULL: it was not written. */
static inline Register *ptx_frame_register(const Frame *frame, RegId reg)
{
    return frame->regs[frame->func_state->slice.places[reg]];
}

static inline bool ptx_register_is_written(const Register *r)
{
    return r && r->is_written;
}

/* To be written. */
static inline Register *ptx_frame_place(Machine *machine, const Frame *frame, uint32_t place)
{
    Register **r = &frame->regs[place];
    if (!*r)
        *r = ptx_arena_new(machine->arena, Register);
    return *r;
}

/* What an operand holds: mostly what a register does. */
static inline const Value *ptx_machine_read(Machine *machine, Warp *warp, const Operand *operand,
                                            Scratch *scratch)
{
    const Register *r = ptx_frame_register(warp->frame,
                                           operand->kind == OPERAND_REG ? operand->id : 0);
    bool is_plain = operand->kind == OPERAND_REG
                    && !(operand->flags & (OPERAND_COMPONENT | OPERAND_NEGATED | OPERAND_MINUS))
                    && ptx_register_is_written(r);
    return is_plain ? &r->value : ptx_machine_make(machine, warp, operand, scratch);
}

static inline const Value *ptx_machine_read_arg(Machine *machine, Warp *warp, const SimArg *arg,
                                                Scratch *scratch)
{
    const Register *r = warp->frame->regs[arg->place];
    if (arg->constant)
        return arg->constant;
    return arg->place && ptx_register_is_written(r)
               ? &r->value
               : ptx_machine_make(machine, warp, arg->operand, scratch);
}

/* To be counted in. */
static inline Count *ptx_count_at(Machine *machine, Count **counts, InsnId insn)
{
    if (!counts[insn])
        counts[insn] = ptx_arena_new(machine->arena, Count);
    return counts[insn];
}

static inline uint64_t ptx_truncated(uint64_t number, unsigned bits)
{
    return bits >= 64 || !bits ? number : number & ((UINT64_C(1) << bits) - 1);
}

/* operate.c: everything but memory's costs and control. */
SimRun *ptx_machine_run_of(Action action);

/* decode.c */
const SimInsn *ptx_insn_decode(const Machine *machine, FuncState *func_state, InsnId insn);

static inline const SimInsn *ptx_insn_decoded(Machine *machine, FuncState *func_state, InsnId insn)
{
    const SimInsn *decoded = func_state->memo->insns[insn];
    return decoded ? decoded : ptx_insn_decode(machine, func_state, insn);
}

/* Those of `lanes` in which the guard holds; *maybe: those in which that is unknown. */
uint32_t ptx_insn_where(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                        uint32_t *maybe, bool *is_assumed);

/* Its results are not known any more. */
void ptx_machine_forget(Machine *machine, Warp *warp, const SimInsn *insn, uint32_t lanes,
                        uint8_t doubt);

/* Lanes of `lanes` in which a predicate holds, and those for which it is unknown. */
uint32_t ptx_lanes_where(Machine *machine, const Value *predicate, uint32_t lanes,
                         uint32_t *unknown);

/* access.c. Sets kind and is_uncached of a request of this instruction. */
void ptx_request_classify(const FuncState *func_state, const Insn *insn, Request *r);

/* Of a wmma fragment: elements from a row of the matrix to the next. */
uint64_t ptx_request_pitch(Machine *machine, Warp *warp, const Insn *insn);

/* ---- guess.c --------------------------------------------------------------------------------- */

enum { GUESS_IS_FLOAT = 0x80 };    /* in Machine.param_guess, beside the bytes */

/* What is taken for a number of the kernel's parameters that the launch does not give, and that it
 * was asked for. */
uint64_t ptx_machine_guess(uint64_t offset, unsigned bytes, bool is_float);
void ptx_machine_note_guess(Machine *machine, uint64_t offset, unsigned bytes, bool is_float);

/* Lanes leave a loop at that branch because they have stayed so often, not because anything says
 * so. */
void ptx_machine_note_left(Machine *machine, const FuncState *func_state, InsnId branch,
                           InsnId stays_at, unsigned stays);

#endif
