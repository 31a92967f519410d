/* value.h -- what a register holds in the lanes of one warp.
 *
 * A value is a number per lane, or one for all. Three things may be unknown of it:
 *   - the lanes of `unknown` hold data that is unknown before the launch: what was loaded from
 *     memory, or follows from it. Where lanes share what was loaded their numbers still say how far
 *     from each other they are: lane_groups.h;
 *   - an addend: a pointer parameter is a base that is unknown but for its alignment. The true
 *     value is then the number here plus an unknown
 *     multiple of 2^align. The number here counts on a base of its own for each such addend, so
 *     that it can serve as an address;
 *   - an assumption (is_assumed): the number is right if what was assumed of an unknown parameter
 *     holds.
 * Numbers are kept as their registers hold them: truncated to the register's width, zeros above. */
#ifndef PTX_ANALYSIS_SIM_VALUE_H
#define PTX_ANALYSIS_SIM_VALUE_H

#include "ir/types.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    WARP_LANES = 32,
    ALIGN_EXACT = 64,           /* Value.align: there is no addend */
    ALIGN_POINTER = 8,          /* device allocators return multiples of 256 bytes */
    /* the dimensions of the grid, the warps of a block, and trips through two loops, one in the
     * other */
    GROWTH_DIMS = 6,
    /* bits of rows_by and free_by: addends share those below; from here on, the three sizes of an
     * unknown grid; ... */
    SCALE_GRID = 28,
    SCALE_OTHER = 31,           /* ... and what has no name */
};

/* Which addend: two values of one base differ by what their numbers differ by. */
typedef uint32_t AddendId;
/* OTHER: some addend, not known to be that of any other value */
enum { ADDEND_NONE = 0, ADDEND_OTHER = UINT32_MAX };

typedef struct Value {
    uint64_t *lanes;            /* WARP_LANES of them; NULL: `all` in every lane */
    uint64_t all;
    uint32_t unknown;           /* lanes */
    AddendId addend;
    uint8_t align;              /* log2 */
    bool is_common;             /* the addend is the same in all lanes */
    bool is_data;               /* the addend came from memory */
    bool is_assumed;
    /* of one with an addend that is the same in all lanes, as the number is: the true value is
     * below 2^below, whatever the addend; 0: not known. So n & 31 | lane << 5 is a sum */
    uint8_t below;
    /* block_stride.h's: the dimensions, a bit for each, along which the number is another in each
     * block or warp ... */
    uint8_t grows, epoch;
    /* of unknown lanes: ptx_groups_pack's, or drawn.h's; 0: nothing more is known */
    uint8_t group;
    /* unknown parameters and sizes of the grid that something was multiplied by, a bit for each
     * (SCALE_GRID); those that the same in all lanes was */
    uint32_t rows_by;
    /* those that lanes were, or that divided them: how lanes differ depends on what was taken for
     * them */
    uint32_t free_by;
    /* ... by how much from one to the next, in all lanes; of no meaning where it does not grow */
    int64_t by[GROWTH_DIMS];
} Value;

/* Most numbers do not grow. By way of registers: to may be from, and memmove would be a call. */
static inline void ptx_value_copy(Value *to, const Value *from)
{
    char part[offsetof(Value, by)];
    if (from->grows) {
        *to = *from;
        return;
    }
    memcpy(part, from, sizeof part);
    memcpy(to, part, sizeof part);
}

/* A number without an addend, of which nothing else is unknown; its lanes are still to be set. */
static inline void ptx_value_begin(Value *out)
{
    out->lanes = NULL;
    out->all = 0;
    out->unknown = 0;
    out->addend = 0;
    out->align = ALIGN_EXACT;
    out->is_common = true;
    out->is_data = out->is_assumed = false;
    out->below = out->grows = out->epoch = out->group = 0;
    out->rows_by = out->free_by = 0;
}

/* What these lanes hold is not known any more. */
static inline void ptx_value_forget(Value *value, uint32_t lanes)
{
    value->unknown |= lanes;
    value->group = 0;
}

static inline unsigned ptx_lanes_count(uint32_t lanes)
{
    return lanes == UINT32_MAX ? WARP_LANES : (unsigned)__builtin_popcount(lanes);
}

static inline uint64_t ptx_value_lane(const Value *value, unsigned lane)
{
    return value->lanes ? value->lanes[lane] : value->all;
}

static inline bool ptx_value_is_free(const Value *value)
{
    return value->free_by || (value->align != ALIGN_EXACT && !value->is_common);
}

/* The same number in all lanes, whatever it is. */
static inline bool ptx_value_is_uniform(const Value *value)
{
    return !value->lanes && !value->unknown && (value->align == ALIGN_EXACT || value->is_common);
}

static inline bool ptx_value_is_exact(const Value *value, uint32_t lanes)
{
    return !(value->unknown & lanes) && value->align == ALIGN_EXACT && !value->is_assumed;
}

/* Of an address: it lies at so many bytes from a base, whatever that is, in all launches alike. */
static inline bool ptx_value_is_placed(const Value *value)
{
    bool has_base = value->align == ALIGN_EXACT
                    || (value->is_common && value->addend != ADDEND_NONE
                        && value->addend != ADDEND_OTHER);
    return has_base && !value->is_data && !value->is_assumed;
}

/* Where an access goes is known, but for where a pointer points: an unknown addend is a pointer's;
 * of any other one does not know what it moves. */
static inline bool ptx_value_is_place(const Value *address, uint32_t lanes, bool is_global)
{
    if (address->unknown & lanes || address->is_data || !address->is_common)
        return false;
    return address->align == ALIGN_EXACT || (is_global && address->align >= ALIGN_POINTER - 1);
}

static inline AddendId ptx_value_base(const Value *value)
{
    return value->align == ALIGN_EXACT ? ADDEND_NONE : value->addend;
}

static inline Value ptx_value_const(uint64_t number)
{
    return (Value){ .all = number, .align = ALIGN_EXACT, .is_common = true };
}

/* ---- what operations do, for one lane -------------------------------------------------------- */

/* How an addend in an operand shows in the result. */
typedef enum Transfer {
    TRANSFER_OPAQUE,            /* in a way that is not known */
    TRANSFER_COPY,              /* a */
    TRANSFER_ADD, TRANSFER_SUB, /* a + b, a - b */
    TRANSFER_MUL, TRANSFER_MAD, /* a * b, a * b + c */
    TRANSFER_SHL, TRANSFER_SHR, /* by b */
    TRANSFER_AND, TRANSFER_OR, TRANSFER_XOR,
    TRANSFER_DIV, TRANSFER_REM, /* by b, unsigned or of numbers that are positive */
    TRANSFER_FIELD,             /* bits b to b + c of a */
    TRANSFER_NEGATE,            /* -a, ~a */
    TRANSFER_HIGH,              /* the high half of a * b, + c */
    TRANSFER_LOGIC,             /* bit by bit, of all */
    /* pieces of operands side by side: bfi, shf, prmt */
    TRANSFER_INSERT, TRANSFER_FUNNEL, TRANSFER_PERMUTE,
    TRANSFER_COMPARE,           /* of a and b, and with c where it is written */
    TRANSFER_MIN, TRANSFER_MAX,
    TRANSFER_FLOAT_SUM,         /* a + b, a - b, rounded */
    TRANSFER_FLOAT_WIDEN,       /* of 32 bits as one of 64 */
} Transfer;

/* An operation as its text says it, made once per distinct text of a module. */
typedef struct Lanewise Lanewise;

typedef uint64_t LaneFn(const Lanewise *op, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Of a video instruction. */
typedef struct Video {
    uint32_t parts[3];          /* of result, a and b: OPERAND_PART's value; 0: all of it */
    uint8_t kind, second;       /* lanevideo.c's: what it does to a and b; to that and c */
    uint8_t count;              /* parts at once: 2, 4; 0: one */
    uint8_t shift;              /* of vmad's sum, to the right */
    uint8_t minus;              /* bit n: of operand n, from 0 for a */
    bool is_signed[2];          /* a, b */
    bool adds_one;              /* vmad.po */
    bool merges;                /* into parts of c */
} Video;

struct Lanewise {
    LaneFn *fn;                 /* NULL: its result is not known */
    uint8_t transfer;           /* Transfer */
    uint8_t type, dst_type;     /* Type, of the operands and of the result */
    uint8_t bits;               /* of type */
    uint8_t factor_bits;        /* so many of each factor count */
    uint8_t compare;            /* Compare */
    uint8_t join;               /* what c does to a comparison: 0 nothing, '&', '|', '^' */
    uint8_t round;              /* 'n' 'z' 'm' 'p'; 0: not said */
    uint8_t mode;               /* of the opcode: prmt's, shf's direction ... */
    bool is_signed, is_high, is_saturating, is_wrap, is_flushing, is_relu, keeps_nan;
    bool is_finite;             /* too large is the largest number */
    bool is_scaled;             /* by powers of two in an operand of their own */
    bool is_absolute, is_xorsign;       /* of min and max */
    bool is_upper;              /* of a comparison of pairs: in their upper halves */
    /* a third operand goes into the result as the second went into the first */
    bool is_chained;
    bool is_pair;               /* two halves, by `each` */
    bool makes_carry, takes_carry;      /* takes: as the operand behind the others */
    LaneFn *each;
    /* what it leaves in the condition code, of the same operands; NULL: nothing */
    LaneFn *carry;
    /* lanewise.c's: operations that have a loop of their own; 0: none */
    uint8_t usual;
    Video video;
};

typedef enum Compare {
    COMPARE_NONE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_LO,
    COMPARE_LS,
    COMPARE_HI,
    COMPARE_HS,
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN
} Compare;

/* lanevideo.c: as this instruction names the parts of its operands; of a video instruction. Without
 * a function where that is not known. */
void ptx_lanewise_take_parts(Lanewise *op, const Operand *operands, unsigned count);

/* False: no operation of numbers in lanes (memory, control, votes), or one whose result is not
 * known (fn is NULL then too). */
bool ptx_lanewise_make(const Op *op, Lanewise *out);

/* The second result: of setp, where the comparison came out otherwise, or of the upper halves; of
 * lop3, whether the first is not 0. */
Lanewise ptx_lanewise_other(const Lanewise *comparison);
Lanewise ptx_lanewise_nonzero(const Lanewise *logic);

/* op.fn in every lane. out: WARP_LANES numbers; of each operand as many, or NULL where it is `same`
 * in all lanes. */
void ptx_lanewise_run(const Lanewise *op, uint64_t *restrict out, const uint64_t *const lists[4],
                      const uint64_t same[4]);

/* What is unknown of op's result in these lanes, numbers apart. */
void ptx_value_follow(const Lanewise *op, Value *out, const Value *const *args, unsigned count,
                      uint32_t lanes);

/* The same for a choice by a predicate: a where it holds, else b. */
void ptx_value_choose(Value *out, const Value *a, const Value *b, const Value *predicate,
                      uint32_t lanes);

/* What is unknown of a register some of whose lanes hold what they held, others a new value. */
void ptx_value_blend(Value *into, const Value *from);

/* a of type's bits, as 64. */
uint64_t ptx_lane_extend(uint64_t a, Type type);

#endif
