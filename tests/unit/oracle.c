/* oracle.c -- random kernels and what they do, thread by thread.
 *
 * A kernel is a list of statements, from which its text is written and which is run: arithmetic of
 * oracle_ops.h, branches, loops with breaks, switches, early exits, calls, local variables, and
 * accesses. A statement of the outermost list runs in all threads of a block before the next
 * begins, so that a barrier is nothing and a shuffle finds its sources. Accesses are grouped by
 * warp and by the counters of the loops around them. */
#include "oracle.h"

#include "kit.h"
#include "oracle_parts.h"

enum {
    MAX_STMTS = 1024,
    MAX_THREADS = 256,
    MAX_BLOCK_WARPS = MAX_THREADS / ORACLE_LANES,
    SLOTS = 3,
    TABLE_AT = 0,
    BUFFER_AT = 4096,
    BUFFER_MASK = 0xfff,
    /* registers: one file, named by its parts */
    R = 0,
    R_GENERAL = 12,
    R_COUNTER = 12,
    R_LIMIT = 15,
    R_ADDRESS = 18,
    R_LINEAR = 19,
    R_LOADED = 20,
    /* one for each access, as compilers have it */
    D = 24,
    D_GENERAL = 5,
    D_INDEX = 29,
    D_BASE = 30,
    D_ADDRESS = 32,
    P = D_ADDRESS + ORACLE_ACCESSES,
    P_GENERAL = 6,
    P_LOOP = P + 6,
    H = P + 10,
    H_GENERAL = 2,
    REGISTERS = H + 4,
    NO_REGISTER = 255,
};

#define ROW(text, registers, value) { text, registers },
static const OracleOp ops[] = { ORACLE_INTEGERS(ROW) ORACLE_MORE_INTEGERS(ROW) ORACLE_VIDEO(ROW)
                                    ORACLE_PAIRS(ROW) };
#undef ROW

#define CASE(text, registers, value) case __COUNTER__ - first - 1: return value;
static uint64_t value_of(unsigned row, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    enum { first = __COUNTER__ };
    switch (row) {
        ORACLE_INTEGERS(CASE)
        ORACLE_MORE_INTEGERS(CASE)
        ORACLE_VIDEO(CASE)
        ORACLE_PAIRS(CASE)
    default: return 0;
    }
}
#undef CASE

typedef enum Kind {
    STMT_OP,
    STMT_INIT,
    STMT_IF,
    STMT_LOOP,
    STMT_SWITCH,
    STMT_BREAK,
    STMT_EXIT,
    STMT_ACCESS,
    STMT_TABLE_STORE,
    STMT_TABLE_LOAD,
    STMT_BARRIER,
    STMT_PUT,
    STMT_GET,
    STMT_CALL,
    STMT_CARRY,
    STMT_SHUFFLE,
    STMT_BALLOT,
    STMT_MATCH,
    STMT_MATCH_ALL,
    STMT_REDUX,
    STMT_REDUCE,
} Kind;

typedef struct Source {
    uint8_t reg;                /* NO_REGISTER: number */
    uint32_t number;
} Source;

typedef struct Stmt {
    struct Stmt *next, *body, *other, *third;
    uint16_t row;
    uint8_t kind, dst, guard, depth, access, place;
    bool is_negated, is_first_tested;
    Source src[4];
} Stmt;

struct OracleKernel {
    uint64_t random;
    bool is_pure;
    Stmt stmts[MAX_STMTS];
    unsigned stmt_count, access_count, label_count, line, local_label;
    OracleAccess accesses[ORACLE_ACCESSES];
    Stmt *body, *callee;
    uint32_t grid[3], block[3], threads;
    /* the run */
    const Surroundings *around;
    OracleWatch *watch;
    void *watch_context;
    uint32_t ctaid[3], table[MAX_THREADS];
    uint64_t regs[MAX_THREADS][REGISTERS], slots[MAX_THREADS][SLOTS];
    bool is_done[MAX_THREADS];
    uint32_t masks[MAX_BLOCK_WARPS][ORACLE_ACCESSES][ORACLE_KEYS];
    uint64_t addresses[MAX_BLOCK_WARPS][ORACLE_ACCESSES][ORACLE_KEYS][ORACLE_LANES];
};

/* ---- chance ---------------------------------------------------------------------------------- */

uint64_t oracle_random(
    uint64_t
        *state) /* Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014 */
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(OracleKernel *k, unsigned limit)
{
    return (unsigned)(oracle_random(&k->random) % limit);
}

static bool chance(OracleKernel *k, unsigned percent)
{
    return below(k, 100) < percent;
}

/* ---- making statements ----------------------------------------------------------------------- */

static Stmt *stmt(OracleKernel *k, Kind kind, Stmt ***at)
{
    Stmt *s = &k->stmts[k->stmt_count < MAX_STMTS - 1 ? k->stmt_count++ : MAX_STMTS - 1];
    *s = (Stmt){ .kind = (uint8_t)kind, .guard = NO_REGISTER, .dst = NO_REGISTER };
    for (unsigned i = 0; i < 4; i++)
        s->src[i].reg = NO_REGISTER;
    **at = s;
    *at = &s->next;
    return s;
}

static uint32_t some_number(OracleKernel *k)
{
    switch (below(k, 6)) {
    case 0: return below(k, 4);
    case 1: return 1u << below(k, 32);
    case 2: return (1u << below(k, 16)) - 1;
    case 3: return below(k, 64);
    case 4: return (uint32_t)oracle_random(&k->random);
    default: return below(k, 1024);
    }
}

static Source register_of(OracleKernel *k, char kind, unsigned depth)
{
    switch (kind) {
    case 'r':
        return (Source){ (uint8_t)(depth && chance(k, 25) ? R_COUNTER + below(k, depth)
                                                          : R + below(k, R_GENERAL)),
                         0 };
    case 'd':
        return (Source){
            (uint8_t)(!k->is_pure && chance(k, 4) ? D_BASE : D + (int)below(k, D_GENERAL)), 0
        };
    case 'p': return (Source){ (uint8_t)(P + below(k, P_GENERAL)), 0 };
    default: return (Source){ (uint8_t)(H + below(k, H_GENERAL)), 0 };
    }
}

static Source source_of(OracleKernel *k, char kind, unsigned depth, bool may_be_number)
{
    if (kind == 'l')
        return (Source){ NO_REGISTER, below(k, 256) };
    if (kind == 'r' && may_be_number && chance(k, 40))
        return (Source){ NO_REGISTER, some_number(k) };
    return register_of(k, kind, depth);
}

static unsigned row_of(const char *text, const char *registers)
{
    for (unsigned i = 0; i < COUNT(ops); i++)
        if (!strcmp(ops[i].text, text) && !strcmp(ops[i].registers, registers))
            return i;
    abort();
}

/* Some take no numbers; of others it would have to be written as a float. */
static bool takes_numbers(const OracleOp *op)
{
    return strncmp(op->text, "mov", 3) != 0 && op->text[0] != 'v' && !strstr(op->text, "16x2")
           && !strstr(op->text, "f16") && !strstr(op->text, "f32") && !strchr(op->registers, 'h');
}

static void guard(OracleKernel *k, Stmt *s, unsigned percent)
{
    if (!chance(k, percent))
        return;
    s->guard = (uint8_t)(P + below(k, P_GENERAL));
    s->is_negated = chance(k, 50);
}

/* Common operations come more often. */
static void make_op(OracleKernel *k, Stmt ***at, unsigned depth)
{
    Stmt *s = stmt(k, STMT_OP, at);
    static const char *const usual[][2] = { { "add.s32", "rrr" }, { "mad.lo.s32", "rrrr" },
                                            { "and.b32", "rrr" }, { "xor.b32", "rrr" },
                                            { "shl.b32", "rrr" }, { "mul.lo.s32", "rrr" },
                                            { "shr.u32", "rrr" }, { "setp.lt.s32", "prr" },
                                            { "add.s64", "ddd" } };
    unsigned u = below(k, COUNT(usual));
    s->row = (uint16_t)(chance(k, 40) ? row_of(usual[u][0], usual[u][1]) : below(k, COUNT(ops)));
    char kinds[6] = { 0 };
    unsigned count = oracle_kinds(&ops[s->row], kinds);
    s->dst = register_of(k, kinds[0], 0).reg;
    if (s->dst == D_BASE)
        s->dst = D;
    for (unsigned i = 1; i < count; i++)
        s->src[i - 1] = source_of(k, kinds[i], depth, takes_numbers(&ops[s->row]));
    for (unsigned i = 1; i < 4 && !strncmp(ops[s->row].text, "bf", 2); i++)
        /* places and lengths */
        s->src[i].number &= i == 1 && ops[s->row].text[2] == 'i' ? UINT32_MAX : 255;
    guard(k, s, 12);
}

static Stmt *put_op(OracleKernel *k, Stmt ***at, const char *text, const char *registers,
                    uint8_t dst, Source a, Source b)
{
    Stmt *s = stmt(k, STMT_OP, at);
    s->row = (uint16_t)row_of(text, registers);
    s->dst = dst;
    s->src[0] = a;
    s->src[1] = b;
    return s;
}

static Source reg(int r)
{
    return (Source){ (uint8_t)r, 0 };
}

static Source number(uint32_t n)
{
    return (Source){ NO_REGISTER, n };
}

static uint32_t some_mask(OracleKernel *k, uint32_t most, unsigned bytes)
{
    uint32_t mask = chance(k, 60) ? most : (uint32_t)oracle_random(&k->random) & most;
    return mask & ~(bytes - 1);
}

/* An element's number below a limit, then its address. */
static void make_address(OracleKernel *k, Stmt ***at, const OracleAccess *access, unsigned depth)
{
    int wide_address = D_ADDRESS + (int)k->access_count;
    uint32_t most = access->is_global ? 0xffff : BUFFER_MASK;
    Source index = register_of(k, 'r', depth);
    if (access->is_global && chance(k, 30)) {
        Source wide = register_of(k, 'd', depth);
        wide.reg = wide.reg == D_BASE ? D : wide.reg;
        put_op(k, at, "cvt.u64.u32", "dr", D_INDEX, number(some_mask(k, most, access->bytes)),
               number(0));
        put_op(k, at, "and.b64", "ddd", D_INDEX, wide, reg(D_INDEX));
        put_op(k, at, "add.s64", "ddd", (uint8_t)wide_address, reg(D_BASE), reg(D_INDEX));
        return;
    }
    bool is_scaled = chance(k, 60);
    put_op(k, at, "and.b32", "rrr", R_ADDRESS, index,
           number(is_scaled ? some_mask(k, most, 1) / access->bytes
                            : some_mask(k, most, access->bytes)));
    if (!access->is_global) {
        if (is_scaled)
            put_op(k, at, "mul.lo.u32", "rrr", R_ADDRESS, reg(R_ADDRESS), number(access->bytes));
        return;
    }
    put_op(k, at, is_scaled ? "mul.wide.u32" : "cvt.u64.u32", is_scaled ? "drr" : "dr", D_INDEX,
           reg(R_ADDRESS), number(access->bytes));
    put_op(k, at, "add.s64", "ddd", (uint8_t)wide_address, reg(D_BASE), reg(D_INDEX));
}

static void make_access(OracleKernel *k, Stmt ***at, unsigned depth)
{
    if (k->access_count >= ORACLE_ACCESSES)
        return;
    OracleAccess *access = &k->accesses[k->access_count];
    *access = (OracleAccess){ .bytes = (uint8_t)(1u << below(k, 5)), .is_global = chance(k, 55), .is_store = chance(k, 40) };
    if (chance(k, 15)) {
        access->bytes = 4;
        access->atomic = chance(k, 25) ? 'c' : 'a';
        access->is_increment = access->atomic == 'a' && chance(k, 40);
    }
    make_address(k, at, access, depth);
    Stmt *s = stmt(k, STMT_ACCESS, at);
    s->access = (uint8_t)k->access_count++;
    s->dst = access->bytes == 4 && !access->is_store && !access->atomic && !k->is_pure
                     && chance(k, 25)
                 ? (uint8_t)(R + below(k, R_GENERAL))
                 : R_LOADED;
    s->src[1] = register_of(k, 'r', 0);
    s->place = (uint8_t)(below(k, 3) * 16);
    guard(k, s, 20);
}

static void make_list(OracleKernel *k, Stmt **list, unsigned count, unsigned depth, unsigned nest,
                      bool may_access);

static void make_if(OracleKernel *k, Stmt ***at, unsigned depth, unsigned nest, bool may_access)
{
    Stmt *s = stmt(k, STMT_IF, at);
    s->src[0] = register_of(k, 'p', 0);
    s->is_negated = chance(k, 50);
    make_list(k, &s->body, 1 + below(k, 5), depth, nest + 1, may_access);
    if (chance(k, 50))
        make_list(k, &s->other, 1 + below(k, 4), depth, nest + 1, may_access);
}

static void make_switch(OracleKernel *k, Stmt ***at, unsigned depth, unsigned nest, bool may_access)
{
    put_op(k, at, "and.b32", "rrr", R_ADDRESS, register_of(k, 'r', depth), number(1 + below(k, 2)));
    Stmt *s = stmt(k, STMT_SWITCH, at);
    Stmt **arms[3] = { &s->body, &s->other, &s->third };
    for (unsigned i = 0; i < 3; i++)
        make_list(k, arms[i], 1 + below(k, 3), depth, nest + 1, may_access);
}

/* The limit is at most 6, in all lanes or by lane. */
static void make_loop(OracleKernel *k, Stmt ***at, unsigned depth, unsigned nest, bool may_access)
{
    uint8_t limit = (uint8_t)(R_LIMIT + depth);
    if (chance(k, 50))
        put_op(k, at, "mov.u32", "rr", limit, number(1 + below(k, 5)), number(0));
    else
        put_op(k, at, "and.b32", "rrr", limit, register_of(k, 'r', depth),
               number(chance(k, 50) ? 3 : 5));
    Stmt *s = stmt(k, STMT_LOOP, at);
    s->depth = (uint8_t)depth;
    s->is_first_tested = chance(k, 50);
    make_list(k, &s->body, 2 + below(k, 5), depth + 1, nest + 1, may_access);
    Stmt **end = &s->body;
    while (*end)
        end = &(*end)->next;
    if (chance(k, 20)) {
        Stmt *leaves = stmt(k, STMT_BREAK, &end);
        leaves->src[0] = register_of(k, 'p', 0);
        make_list(k, end, 1 + below(k, 3), depth + 1, nest + 1, may_access);
    }
}

static void make_small(OracleKernel *k, Stmt ***at, unsigned depth, unsigned what)
{
    Stmt *s = stmt(k,
                   what < 4    ? STMT_PUT
                   : what < 8  ? STMT_GET
                   : what < 11 ? STMT_CALL
                               : STMT_TABLE_LOAD,
                   at);
    s->dst = (uint8_t)(R + below(k, R_GENERAL));
    s->src[0] = register_of(k, 'r', depth);
    s->src[1] = register_of(k, 'r', depth);
    s->place = (uint8_t)below(k, SLOTS);
    if (s->kind == STMT_PUT || s->kind == STMT_GET)
        guard(k, s, 20);
}

/* Two instructions, of which the second takes the carry of the first; place: the second result, and
 * which. */
static void make_carry(OracleKernel *k, Stmt ***at, unsigned depth)
{
    Stmt *s = stmt(k, STMT_CARRY, at);
    s->dst = (uint8_t)(R + below(k, R_GENERAL));
    s->place = (uint8_t)(R + below(k, R_GENERAL));
    s->access = (uint8_t)below(k, 3);
    for (unsigned i = 0; i < 4; i++)
        s->src[i] = source_of(k, 'r', depth, true);
}

static void make_list(OracleKernel *k, Stmt **list, unsigned count, unsigned depth, unsigned nest,
                      bool may_access)
{
    while (*list)
        list = &(*list)->next;
    for (unsigned i = 0; i < count && k->stmt_count < MAX_STMTS - 64; i++) {
        unsigned what = below(k, 100);
        if (what < 14 && may_access)
            make_small(k, &list, depth, what);
        else if (what < 24 && nest < 4)
            make_if(k, &list, depth, nest, may_access);
        else if (what < 31 && depth < 2 && nest < 4 && may_access)
            make_loop(k, &list, depth, nest, may_access);
        else if (what < 34 && nest < 3)
            make_switch(k, &list, depth, nest, may_access);
        else if (what < 36 && may_access && chance(k, 40)) {
            Stmt *s = stmt(k, STMT_EXIT, &list);
            s->src[0] = register_of(k, 'p', 0);
            s->is_negated = chance(k, 15);
        } else if (what < 55 && may_access)
            make_access(k, &list, depth);
        else if (what < 58)
            make_carry(k, &list, depth);
        else
            make_op(k, &list, depth);
    }
}

static const char *const redux_texts[] = { "add.u32", "min.s32", "max.u32",
                                           "and.b32", "or.b32",  "xor.b32" };

static void make_across(OracleKernel *k, Stmt ***at)
{
    static const uint8_t kinds[] = { STMT_SHUFFLE, STMT_SHUFFLE,   STMT_SHUFFLE, STMT_BALLOT,
                                     STMT_MATCH,   STMT_MATCH_ALL, STMT_REDUX,   STMT_REDUCE };
    Stmt *s = stmt(k, (Kind)kinds[below(k, COUNT(kinds))], at);
    s->dst = (uint8_t)(R + below(k, R_GENERAL));
    s->src[0] = register_of(k, s->kind == STMT_BALLOT || s->kind == STMT_REDUCE ? 'p' : 'r', 0);
    s->place = (uint8_t)below(k, s->kind == STMT_REDUX ? COUNT(redux_texts) : 4);
    s->src[1] = number(below(k, 32));
}

static void make_body(OracleKernel *k)
{
    Stmt **at = &k->body;
    stmt(k, STMT_INIT, &at);
    make_list(k, at, 3, 0, 9, false);
    while (*at)
        at = &(*at)->next;
    stmt(k, STMT_TABLE_STORE, &at)->src[0] = register_of(k, 'r', 0);
    stmt(k, STMT_BARRIER, &at);
    for (unsigned i = below(k, 5); k->threads % ORACLE_LANES == 0 && i; i--)
        make_across(k, &at);
    make_list(k, at, 12 + below(k, 16), 0, 0, true);
    make_list(k, &k->callee, 5, 0, 2, false);
}

static void make_shape(OracleKernel *k)
{
    static const uint32_t blocks[][3] = { { 32, 1, 1 }, { 64, 1, 1 },  { 128, 1, 1 }, { 256, 1, 1 },
                                          { 33, 1, 1 }, { 16, 16, 1 }, { 17, 13, 1 }, { 8, 8, 2 },
                                          { 96, 1, 2 }, { 5, 7, 3 },   { 1, 1, 1 },   { 32, 8, 1 },
                                          { 8, 32, 1 }, { 3, 11, 1 },  { 100, 2, 1 }, { 4, 4, 4 } };
    memcpy(k->block, blocks[below(k, COUNT(blocks))], sizeof k->block);
    for (unsigned d = 0; d < 3; d++)
        k->grid[d] = 1 + below(k, d ? 2 : 4);
    if (chance(k, 25)) {        /* many blocks of few threads, so that runs stand for many */
        k->block[0] = 1 + below(k, 32);
        k->block[1] = k->block[2] = 1;
        k->grid[0] = 20 + below(k, 60);
    }
    k->threads = k->block[0] * k->block[1] * k->block[2];
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_line(OracleKernel *k, Text *text, const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    for (const char *at = line; *at; at++)
        k->line += *at == '\n';
    kit_print(text, "%s\n", line);
    k->line++;
}

static const char *name(int r, char out[12])
{
    snprintf(out, 12,
             r < D   ? "%%r%d"
             : r < P ? "%%d%d"
             : r < H ? "%%p%d"
                     : "%%h%d",
             r < D   ? r
             : r < P ? r - D
             : r < H ? r - P
                     : r - H);
    return out;
}

static const char *text_of(Source source, char out[12])
{
    if (source.reg != NO_REGISTER)
        return name(source.reg, out);
    snprintf(out, 12, "%u", source.number);
    return out;
}

static const char *guard_of(const Stmt *s, char out[20])
{
    char own[12];
    out[0] = '\0';
    if (s->guard != NO_REGISTER)
        snprintf(out, 20, "@%s%s ", s->is_negated ? "!" : "", name(s->guard, own));
    return out;
}

static void write_op(OracleKernel *k, Text *text, const Stmt *s)
{
    char line[128] = "", guarded[20], part[12];
    unsigned used = (unsigned)snprintf(line, sizeof line, "%s%s ", guard_of(s, guarded),
                                       ops[s->row].text),
             next = 0;
    for (const char *at = ops[s->row].registers, *after; *at; at = after) {
        char selector[8];
        bool has_minus = oracle_part(at + 1, selector);
        after = at + 1 + oracle_part_length(at + 1);
        const char *what = *at == '{'   ? "{"
                           : *at == '}' ? "}"
                           : *at == '_' ? "_"
                           : !next++    ? name(s->dst, part)
                                        : text_of(s->src[next - 2], part);
        bool is_last = !*after || *after == '}' || *at == '{';
        used += (unsigned)snprintf(line + used, sizeof line - used, "%s%s%s%s",
                                   has_minus ? "-" : "", what, selector, is_last ? "" : ", ");
    }
    put_line(k, text, "%s;", line);
}

static void write_init(OracleKernel *k, Text *text)
{
    static const char *const lines[] = {
        "mov.u32 %r0, %tid.x;",
        "mov.u32 %r1, %tid.y;",
        "mov.u32 %r2, %tid.z;",
        "mov.u32 %r3, %ctaid.x;",
        "mov.u32 %r4, %ctaid.y;",
        "mov.u32 %r5, %ntid.x;",
        "mov.u32 %r6, %laneid;",
        "ld.param.u32 %r7, [n];",
        "ld.param.u32 %r8, [m];",
        "mov.u32 %r10, %ntid.y;",
        "mad.lo.u32 %r19, %r2, %r10, %r1;",
        "mad.lo.u32 %r19, %r19, %r5, %r0;",
        "mov.u32 %r9, %r19;",
        "mov.u32 %r10, %nctaid.x;",
        "mov.u32 %r11, 77;",
        "ld.param.u64 %d6, [p];",
        "cvta.to.global.u64 %d6, %d6;",
        "cvt.u64.u32 %d0, %r0;",
        "ld.param.u64 %d1, [w];",
        "cvt.u64.u32 %d2, %r19;",
        "mov.u64 %d3, 1099511627776;",
        "mov.u64 %d4, 24;",
        "setp.lt.u32 %p0, %r0, 5;",
        "setp.eq.u32 %p1, %r3, 0;",
        "setp.gt.u32 %p2, %r6, 15;",
        "setp.lt.u32 %p3, %r19, %r7;",
        "setp.eq.u32 %p4, %r1, 1;",
        "setp.ne.u32 %p5, %r0, %r0;",
        "cvt.u16.u32 %h0, %r0;",
        "cvt.u16.u32 %h1, %r19;",
        "st.local.u32 [slots], %r0;",
        "st.local.u32 [slots+4], %r3;",
        "st.local.u32 [slots+8], %r19;",
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        put_line(k, text, "%s", lines[i]);
}

static void write_access(OracleKernel *k, Text *text, const Stmt *s)
{
    OracleAccess *a = &k->accesses[s->access];
    static const char *const loads[] = { "u8 %s", "u16 %s", "u32 %s", "v2.u32 {%s, %%r21}",
                                         "v4.u32 {%s, %%r21, %%r22, %%r23}" };
    char guarded[20], dst[12], src[12], what[64], address[48];
    const char *space = a->is_global ? "global" : "shared";
    if (a->is_global)
        snprintf(address, sizeof address, "[%%d%u+%u]", D_ADDRESS - D + s->access, s->place);
    else
        snprintf(address, sizeof address, "[%%r18+%u]", BUFFER_AT + s->place);
    guard_of(s, guarded);
    name(s->dst, dst);
    text_of(s->src[1], src);
    unsigned size = (unsigned)__builtin_ctz(a->bytes);
    snprintf(what, sizeof what, loads[size], a->is_store ? src : dst);
    a->line = k->line + 1;
    char *after = strchr(what, ' ');
    *after++ = '\0';
    if (a->is_increment)
        put_line(k, text, "%sred.%s.add.u32 %s, 1;", guarded, space, address);
    else if (a->atomic == 'c')
        put_line(k, text, "%satom.%s.cas.b32 %%r20, %s, 0, %s;", guarded, space, address, src);
    else if (a->atomic)
        put_line(k, text, "%satom.%s.%s %%r20, %s, %s;", guarded, space,
                 s->place ? "add.u32" : "exch.b32", address, src);
    else if (a->is_store)
        put_line(k, text, "%sst.%s.%s %s, %s;", guarded, space, what, address, after);
    else
        put_line(k, text, "%sld.%s.%s %s, %s;", guarded, space, what, after, address);
}

static void write_list(OracleKernel *k, Text *text, const Stmt *s, unsigned leave);

static void write_if(OracleKernel *k, Text *text, const Stmt *s, unsigned leave)
{
    unsigned label = k->label_count++;
    char p[12];
    put_line(k, text, "@%s%s bra ELSE%u;", s->is_negated ? "" : "!", text_of(s->src[0], p), label);
    write_list(k, text, s->body, leave);
    if (s->other)
        put_line(k, text, "bra END%u;", label);
    put_line(k, text, "ELSE%u:", label);
    if (!s->other)
        return;
    write_list(k, text, s->other, leave);
    put_line(k, text, "END%u:", label);
}

static void write_loop(OracleKernel *k, Text *text, const Stmt *s)
{
    unsigned label = k->label_count++, d = s->depth;
    put_line(k, text, "mov.u32 %%r%u, 0;\nHEAD%u:", R_COUNTER + d, label);
    if (s->is_first_tested)
        put_line(k, text, "setp.ge.u32 %%p%u, %%r%u, %%r%u;\n@%%p%u bra END%u;", 6 + d,
                 R_COUNTER + d, R_LIMIT + d, 6 + d, label);
    write_list(k, text, s->body, label);
    put_line(k, text, "add.u32 %%r%u, %%r%u, 1;", R_COUNTER + d, R_COUNTER + d);
    if (s->is_first_tested)
        put_line(k, text, "bra HEAD%u;\nEND%u:", label, label);
    else
        put_line(k, text, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n@%%p%u bra HEAD%u;\nEND%u:", 6 + d,
                 R_COUNTER + d, R_LIMIT + d, 6 + d, label, label);
}

static void write_switch(OracleKernel *k, Text *text, const Stmt *s, unsigned leave)
{
    unsigned label = k->label_count++;
    const Stmt *arms[3] = { s->body, s->other, s->third };
    put_line(k, text, "{\nTS%u: .branchtargets CASE%uA, CASE%uB, CASE%uC;\nbrx.idx %%r18, TS%u;",
             label, label, label, label, label);
    for (unsigned i = 0; i < 3; i++) {
        put_line(k, text, "CASE%u%c:", label, "ABC"[i]);
        write_list(k, text, arms[i], leave);
        put_line(k, text, "bra END%u;", label);
    }
    put_line(k, text, "END%u:\n}", label);
}

static void write_across(OracleKernel *k, Text *text, const Stmt *s)
{
    static const char *const modes[] = { "up", "down", "bfly", "idx" };
    char dst[12], src[12];
    name(s->dst, dst);
    text_of(s->src[0], src);
    if (s->kind == STMT_MATCH || s->kind == STMT_MATCH_ALL)
        put_line(k, text, "match.%s.sync.b32 %s, %s, 0xffffffff;",
                 s->kind == STMT_MATCH ? "any" : "all", dst, src);
    else if (s->kind == STMT_REDUX)
        put_line(k, text, "redux.sync.%s %s, %s, -1;", redux_texts[s->place], dst, src);
    else if (s->kind == STMT_REDUCE && s->place < 2)
        put_line(k, text, "barrier.red.popc.u32 %s, 0, %s;", dst, src);
    else if (s->kind == STMT_REDUCE)
        put_line(k, text, "bar.red.%s.pred %%p8, 0, %s;\nselp.b32 %s, 1, 0, %%p8;",
                 s->place == 2 ? "and" : "or", src, dst);
    else if (s->kind == STMT_BALLOT)
        put_line(k, text, "vote.sync.ballot.b32 %s, %s, 0xffffffff;", dst, src);
    else
        put_line(k, text, "shfl.sync.%s.b32 %s, %s, %u, %u, 0xffffffff;", modes[s->place], dst, src,
                 s->src[1].number, s->place ? 31 : 0);
}

static void write_carry(OracleKernel *k, Text *text, const Stmt *s)
{
    static const char *const pairs[][2] = { { "add.cc.u32", "addc.u32" },
                                            { "sub.cc.u32", "subc.u32" },
                                            { "mad.lo.cc.u32", "madc.hi.u32" } };
    char dst[12], second[12], x[4][12];
    name(s->dst, dst);
    name(s->place, second);
    for (unsigned i = 0; i < 4; i++)
        text_of(s->src[i], x[i]);
    if (s->access < 2)          /* read before anything is written */
        put_line(k, text, "mov.u32 %%r18, %s;\n%s %s, %s, %s;\n%s %s, %%r18, %s;", x[2],
                 pairs[s->access][0], dst, x[0], x[1], pairs[s->access][1], second, x[3]);
    else
        put_line(k, text, "mov.u32 %%r18, %s;\n%s %s, %s, %s, %s;\n%s %s, %%r18, %s, %%r18;", x[2],
                 pairs[2][0], dst, x[0], x[1], x[2], pairs[2][1], second, x[3]);
}

static void write_stmt(OracleKernel *k, Text *text, const Stmt *s, unsigned leave)
{
    char dst[12], a[12], b[12], guarded[20];
    name(s->dst, dst);
    text_of(s->src[0], a);
    text_of(s->src[1], b);
    guard_of(s, guarded);
    switch ((Kind)s->kind) {
    case STMT_OP:       write_op(k, text, s); break;
    case STMT_INIT:     write_init(k, text); break;
    case STMT_IF:       write_if(k, text, s, leave); break;
    case STMT_LOOP:     write_loop(k, text, s); break;
    case STMT_SWITCH:   write_switch(k, text, s, leave); break;
    case STMT_BREAK:    put_line(k, text, "@%s bra END%u;", a, leave); break;
    case STMT_EXIT:     put_line(k, text, "@%s%s exit;", s->is_negated ? "!" : "", a); break;
    case STMT_ACCESS:   write_access(k, text, s); break;
    case STMT_TABLE_STORE:
        put_line(k, text, "shl.b32 %%r18, %%r19, 2;\nst.shared.u32 [%%r18], %s;", a);
        break;
    case STMT_TABLE_LOAD:
        put_line(k, text,
                 "rem.u32 %%r18, %s, %u;\nshl.b32 %%r18, %%r18, 2;\nld.shared.u32 %s, [%%r18];", a,
                 k->threads, dst);
        break;
    case STMT_BARRIER:  put_line(k, text, "bar.sync 0;"); break;
    case STMT_PUT:
        put_line(k, text, "%sst.local.u32 [slots+%u], %s;", guarded, 4 * s->place, a);
        break;
    case STMT_GET:
        put_line(k, text, "%sld.local.u32 %s, [slots+%u];", guarded, dst, 4 * s->place);
        break;
    case STMT_CALL:
        put_line(k, text,
                 "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], "
                 "%s;\nst.param.b32 [y], %s;\ncall (z), f, (x, y);\n"
                 "ld.param.b32 %s, [z];\n}",
                 a, b, dst);
        break;
    case STMT_CARRY:    write_carry(k, text, s); break;
    default:            write_across(k, text, s); break;
    }
}

static void write_list(OracleKernel *k, Text *text, const Stmt *s, unsigned leave)
{
    for (; s; s = s->next)
        write_stmt(k, text, s, leave);
}

static const char registers_text[] =
    ".reg .b32 %r<24>;\n.reg .b64 %d<40>;\n.reg .pred %p<10>;\n.reg .b16 %h<4>;";

static void write_module(OracleKernel *k, Text *text)
{
    put_line(k, text,
             ".version 9.0\n.target sm_100a\n.address_size 64\n.func (.param .b32 z) f(.param .b32 "
             "x, .param .b32 y)\n{\n%s",
             registers_text);
    put_line(k, text, "ld.param.b32 %%r0, [x];\nld.param.b32 %%r1, [y];");
    for (int r = 2; r < R_GENERAL; r++)
        put_line(k, text, "mov.u32 %%r%d, %d;", r, r);
    for (int r = 0; r < D_GENERAL; r++)
        put_line(k, text, "cvt.u64.u32 %%d%d, %%r0;", r);
    for (int r = 0; r < P_GENERAL; r++)
        put_line(k, text, "setp.lt.u32 %%p%d, %%r0, %d;", r, r);
    put_line(k, text, "cvt.u16.u32 %%h0, %%r0;\ncvt.u16.u32 %%h1, %%r1;\nmov.u64 %%d6, 0;");
    write_list(k, text, k->callee, 0);
    put_line(k, text, "st.param.b32 [z], %%r0;\nret;\n}");
    put_line(k, text,
             ".visible .entry k(.param .u64 .ptr .global .align 256 p, .param .u32 n, .param .u32 "
             "m, .param .u64 w)\n{\n%s",
             registers_text);
    put_line(k, text, ".shared .align 128 .b8 memory[16384];\n.local .align 4 .b8 slots[16];");
    write_list(k, text, k->body, 0);
    put_line(k, text, "ret;\n}");
}

/* ---- running --------------------------------------------------------------------------------- */

typedef enum Outcome { GOES_ON, LEAVES_LOOP, IS_DONE } Outcome;

typedef struct Thread {
    OracleKernel *k;
    uint64_t *regs;
    uint32_t index;
    unsigned key;
} Thread;

static uint64_t read_source(const Thread *t, Source source)
{
    return source.reg == NO_REGISTER ? source.number : t->regs[source.reg];
}

static void write_register(Thread *t, uint8_t r, uint64_t value)
{
    t->regs[r] = r < D ? value & UINT32_MAX : r < P ? value : r < H ? value & 1 : value & 0xffff;
}

static void run_init(Thread *t)
{
    const OracleKernel *k = t->k;
    const uint32_t *b = k->block;
    uint64_t tid[3] = { t->index % b[0], t->index / b[0] % b[1], t->index / b[0] / b[1] },
             *r = t->regs, *p = t->regs + P, *d = t->regs + D;
    const uint64_t first[] = { tid[0],
                               tid[1],
                               tid[2],
                               k->ctaid[0],
                               k->ctaid[1],
                               b[0],
                               t->index % 32,
                               k->around->params[1] & UINT32_MAX,
                               k->around->params[2] & UINT32_MAX,
                               t->index,
                               k->grid[0],
                               77 };
    memcpy(r, first, sizeof first);
    r[R_LINEAR] = t->index;
    d[0] = tid[0], d[1] = k->around->params[3], d[2] = t->index, d[3] = UINT64_C(1) << 40,
    d[4] = 24;
    r[D_BASE] = k->around->base;
    p[0] = tid[0]<5, p[1] = k->ctaid[0] == 0, p[2] = t->index % 32> 15, p[3] = t->index < r[7],
    p[4] = tid[1] == 1, p[5] = 0;
    r[H] = tid[0] & 0xffff, r[H + 1] = t->index & 0xffff;
    uint64_t *slots = t->k->slots[t->index];
    slots[0] = tid[0], slots[1] = k->ctaid[0], slots[2] = t->index;
}

static Outcome run_list(Thread *t, const Stmt *s);

static uint64_t run_callee(const Thread *t, uint64_t x, uint64_t y)
{
    uint64_t regs[REGISTERS] = { x, y };
    Thread own = { t->k, regs, t->index, 0 };
    for (unsigned r = 2; r < R_GENERAL; r++)
        regs[r] = r;
    for (unsigned r = 0; r < D_GENERAL; r++)
        regs[D + r] = x;
    for (unsigned r = 0; r < P_GENERAL; r++)
        regs[P + r] = x < r;
    regs[H] = x & 0xffff, regs[H + 1] = y & 0xffff;
    run_list(&own, t->k->callee);
    return regs[0];
}

static void run_access(Thread *t, const Stmt *s)
{
    OracleKernel *k = t->k;
    const OracleAccess *a = &k->accesses[s->access];
    uint64_t address = a->is_global ? t->regs[D_ADDRESS + s->access] + s->place
                                    : t->regs[R_ADDRESS] + BUFFER_AT + s->place,
             mixed = address ^ k->around->salt;
    k->masks[t->index / 32][s->access][t->key] |= UINT32_C(1) << t->index % 32;
    k->addresses[t->index / 32][s->access][t->key][t->index % 32] = address;
    if (!a->is_store && !a->is_increment)
        write_register(t, s->dst, oracle_random(&mixed));
}

static Outcome run_loop(Thread *t, const Stmt *s)
{
    uint64_t *counter = &t->regs[R_COUNTER + s->depth], limit = t->regs[R_LIMIT + s->depth];
    unsigned around = t->key;
    for (*counter = 0; !s->is_first_tested || *counter < limit;) {
        t->key = around * 8 + (unsigned)*counter;
        Outcome outcome = run_list(t, s->body);
        t->key = around;
        if (outcome == IS_DONE)
            return IS_DONE;
        if (outcome == LEAVES_LOOP || (++*counter >= limit && !s->is_first_tested))
            break;
    }
    return GOES_ON;
}

static void run_carry(Thread *t, const Stmt *s)
{
    uint64_t a = read_source(t, s->src[0]) & UINT32_MAX, b = read_source(t, s->src[1]) & UINT32_MAX,
             c = read_source(t, s->src[2]) & UINT32_MAX;
    uint64_t first = s->access == 0   ? a + b
                     : s->access == 1 ? a - b
                                      : (a * b & UINT32_MAX) + c,
             carry = s->access == 1 ? a < b : first >> 32;
    t->regs[R_ADDRESS] = c;
    write_register(t, s->dst, first);
    uint64_t d = read_source(t, s->src[3]) & UINT32_MAX;
    write_register(t, s->place,
                   s->access == 0   ? c + d + carry
                   : s->access == 1 ? c - d - carry
                                    : (c * d >> 32) + c + carry);
}

static Outcome run_stmt(Thread *t, const Stmt *s)
{
    uint64_t a = read_source(t, s->src[0]), b = read_source(t, s->src[1]);
    uint64_t *slot = &t->k->slots[t->index][s->place % SLOTS];
    if (s->guard != NO_REGISTER && (t->regs[s->guard] != 0) == s->is_negated)
        return GOES_ON;
    switch ((Kind)s->kind) {
    case STMT_OP:
        write_register(
            t, s->dst,
            value_of(s->row, a, b, read_source(t, s->src[2]), read_source(t, s->src[3])));
        break;
    case STMT_INIT:     run_init(t); break;
    case STMT_IF:       return run_list(t, (a != 0) != s->is_negated ? s->body : s->other);
    case STMT_LOOP:     return run_loop(t, s);
    case STMT_SWITCH:
        return run_list(t, t->regs[R_ADDRESS] == 0   ? s->body
                           : t->regs[R_ADDRESS] == 1 ? s->other
                                                     : s->third);
    case STMT_BREAK:    return a ? LEAVES_LOOP : GOES_ON;
    case STMT_EXIT:     return (a != 0) != s->is_negated ? IS_DONE : GOES_ON;
    case STMT_ACCESS:   run_access(t, s); break;
    case STMT_TABLE_STORE:
        t->k->table[t->index] = (uint32_t)a;
        t->regs[R_ADDRESS] = t->index * 4;
        break;
    case STMT_TABLE_LOAD:
        t->regs[R_ADDRESS] = a % t->k->threads * 4;
        write_register(t, s->dst, t->k->table[a % t->k->threads]);
        break;
    case STMT_PUT:      *slot = a; break;
    case STMT_GET:      write_register(t, s->dst, *slot); break;
    case STMT_CALL:     write_register(t, s->dst, run_callee(t, a, b)); break;
    case STMT_CARRY:    run_carry(t, s); break;
    default:            break;      /* of all lanes, elsewhere */
    }
    return GOES_ON;
}

static Outcome run_list(Thread *t, const Stmt *s)
{
    for (; s; s = s->next) {
        Outcome outcome = run_stmt(t, s);
        if (outcome)
            return outcome;
    }
    return GOES_ON;
}

static uint64_t reduced(const char *text, uint64_t a, uint64_t b)
{
    switch (text[0] == 'm' ? text[1] : text[0]) {
    case 'i': return s32(a) < s32(b) ? a : b;
    case 'a':
        return text[1] == 'd'                          ? a + b
               : text[1] == 'n' && strstr(text, "and") ? a & b
               : a > b                                 ? a
                                                       : b;
    case 'o': return a | b;
    default:  return a ^ b;
    }
}

static uint64_t joined_of(const OracleKernel *k, const Stmt *s, uint32_t first, uint32_t lane)
{
    uint64_t own = k->regs[first + lane][s->src[0].reg], same = 0,
             sum = k->regs[first][s->src[0].reg], holding = 0;
    for (uint32_t i = 0; i < k->threads; i++)
        holding += k->regs[i][s->src[0].reg];
    if (s->kind == STMT_REDUCE)
        return s->place < 2 ? holding : s->place == 2 ? holding == k->threads : holding > 0;
    for (uint32_t i = 0; i < ORACLE_LANES; i++) {
        same |= (uint64_t)(k->regs[first + i][s->src[0].reg] == own) << i;
        if (i)
            sum = reduced(redux_texts[s->place % COUNT(redux_texts)], sum,
                          k->regs[first + i][s->src[0].reg]);
    }
    return s->kind == STMT_REDUX ? sum : s->kind == STMT_MATCH || same == UINT32_MAX ? same : 0;
}

/* Warps are whole here, and no lane has left. */
static void run_across(OracleKernel *k, const Stmt *s, uint32_t first)
{
    uint64_t out[ORACLE_LANES], ballot = 0;
    for (int i = 0; i < ORACLE_LANES; i++)
        ballot |= k->regs[first + (uint32_t)i][s->src[0].reg] << i;
    for (int i = 0; i < ORACLE_LANES; i++) {
        if (s->kind != STMT_SHUFFLE && s->kind != STMT_BALLOT) {
            out[i] = joined_of(k, s, first, (uint32_t)i);
            continue;
        }
        int by = (int)s->src[1].number, from = s->place == 0   ? i - by
                                               : s->place == 1 ? i + by
                                               : s->place == 2 ? i ^ by
                                                               : by;
        out[i] = s->kind == STMT_BALLOT
                     ? ballot
                     : k->regs[first + (uint32_t)(from < 0 || from > 31 ? i : from)][s->src[0].reg];
    }
    for (unsigned i = 0; i < ORACLE_LANES; i++)
        k->regs[first + i][s->dst] = out[i] & UINT32_MAX;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Distinct pieces of `size` bytes that the lanes touch, of those whose number leaves `rest` by
 * `modulus`. */
static unsigned distinct(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned size,
                         unsigned modulus, unsigned rest)
{
    uint64_t seen[4 * ORACLE_LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < ORACLE_LANES; i++)
        for (uint64_t piece = addresses[i] / size;
             mask >> i & 1 && piece <= (addresses[i] + bytes - 1) / size; piece++) {
            bool is_new = piece % modulus == rest;
            for (unsigned s = 0; s < count; s++)
                is_new &= seen[s] != piece;
            if (is_new)
                seen[count++] = piece;
        }
    return count;
}

static unsigned conflicts(const uint64_t *addresses, uint32_t mask, unsigned bytes)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned here = distinct(addresses, mask, bytes, 4, 32, bank);
        most = here > most ? here : most;
    }
    return most;
}

static bool pairs_up(const uint64_t *addresses, uint32_t mask, unsigned distance)
{
    for (unsigned i = 0; i < ORACLE_LANES; i++)
        if (mask >> i & mask >> (i ^ distance) & 1 && addresses[i] != addresses[i ^ distance])
            return false;
    return true;
}

static unsigned one_if_shared(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                              unsigned otherwise)
{
    bool is_shared = pairs_up(addresses, mask, 1) || pairs_up(addresses, mask, 2);
    return is_shared && conflicts(addresses, mask, bytes) == 1 ? 1 : otherwise;
}

static unsigned atomic_wavefronts(const OracleAccess *a, const uint64_t *addresses, uint32_t mask)
{
    unsigned banks[32] = { 0 }, most = 0;
    if (a->is_increment)
        return conflicts(addresses, mask, 4);
    for (unsigned i = 0; i < ORACLE_LANES; i++)
        if (mask >> i & 1 && ++banks[addresses[i] / 4 % 32] > most)
            most++;
    return a->atomic == 'c' ? 2 * most : most;
}

/* Of compute capability 9.0, as measured. */
static unsigned wavefronts(const OracleAccess *a, const uint64_t *x, uint32_t mask)
{
    if (a->atomic)
        return atomic_wavefronts(a, x, mask);
    if (a->bytes <= 4)
        return conflicts(x, mask, a->bytes);
    unsigned sum = 0, parts = a->bytes / 4, width = 32 / parts;
    uint32_t part = parts == 2 ? 0xffff : 0xff;
    if (a->bytes == 8 || a->is_store) {
        for (unsigned i = 0; i < parts; i++)
            sum += conflicts(x, mask & part << (i * width), a->bytes);
        return a->is_store ? sum : one_if_shared(x, mask, 8, sum);
    }
    for (unsigned half = 0; half < 32; half += 16)
        sum += one_if_shared(x, mask & 0xffffu << half, 16,
                             conflicts(x, mask & 0xffu << half, 16)
                                 + conflicts(x, mask & 0xff00u << half, 16));
    return sum;
}

static void count_block(OracleKernel *k, Figures *figures)
{
    for (unsigned w = 0; w * 32 < k->threads; w++)
        for (unsigned a = 0; a < k->access_count; a++)
            for (unsigned key = 0; key < ORACLE_KEYS; key++) {
                uint32_t mask = k->masks[w][a][key];
                const uint64_t *x = k->addresses[w][a][key];
                const OracleAccess *access = &k->accesses[a];
                if (!mask)
                    continue;
                if (k->watch)
                    k->watch(k->watch_context, a, k->ctaid, key, mask, x);
                figures[a].requests++;
                figures[a].active += __builtin_popcount(mask);
                if (access->is_global)
                    figures[a].sectors += distinct(x, mask, access->bytes, 32, 1, 0);
                else
                    figures[a].wavefronts += wavefronts(access, x, mask);
            }
}

static void run_block(OracleKernel *k, Figures *figures)
{
    memset(k->masks, 0, sizeof k->masks);
    memset(k->regs, 0, sizeof k->regs);
    memset(k->is_done, 0, sizeof k->is_done);
    for (Stmt *s = k->body, *next; s; s = next) {
        next = s->next;
        s->next = NULL;         /* alone */
        for (uint32_t i = 0; i < k->threads; i++) {
            Thread thread = { k, k->regs[i], i, 0 };
            if (!k->is_done[i])
                k->is_done[i] = run_list(&thread, s) == IS_DONE;
        }
        for (uint32_t i = 0; i < k->threads && s->kind >= STMT_SHUFFLE; i += 32)
            run_across(k, s, i);
        s->next = next;
    }
    count_block(k, figures);
}

void oracle_run(OracleKernel *k, const Surroundings *around, Figures *figures)
{
    k->around = around;
    memset(figures, 0, ORACLE_ACCESSES * sizeof *figures);
    for (k->ctaid[2] = 0; k->ctaid[2] < k->grid[2]; k->ctaid[2]++)
        for (k->ctaid[1] = 0; k->ctaid[1] < k->grid[1]; k->ctaid[1]++)
            for (k->ctaid[0] = 0; k->ctaid[0] < k->grid[0]; k->ctaid[0]++)
                run_block(k, figures);
}

void oracle_watch(OracleKernel *k, OracleWatch *watch, void *context)
{
    k->watch = watch;
    k->watch_context = context;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

OracleKernel *oracle_make(uint64_t seed, bool is_pure, Text *text)
{
    OracleKernel *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->random = seed;
    k->is_pure = is_pure;
    make_shape(k);
    make_body(k);
    write_module(k, text);
    return k;
}

void oracle_free(OracleKernel *kernel)
{
    free(kernel);
}

unsigned oracle_accesses(const OracleKernel *kernel, const OracleAccess **out)
{
    *out = kernel->accesses;
    return kernel->access_count;
}

void oracle_shape(const OracleKernel *kernel, uint32_t grid[3], uint32_t block[3])
{
    memcpy(grid, kernel->grid, sizeof kernel->grid);
    memcpy(block, kernel->block, sizeof kernel->block);
}
