/* module.h -- a module: functions, variables, files and lines. */
#ifndef PTX_IR_MODULE_H
#define PTX_IR_MODULE_H

#include "ir/types.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/hash.h"
#include "support/span.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct OccurrenceLog OccurrenceLog;

typedef struct Var {
    Span name, span;
    const char *source_name;    /* of a kernel's parameter, where its CUDA source is there; NULL */
    uint64_t bytes;             /* 0: unsized (.extern .shared x[]) */
    Span init;                  /* after `=`, where it names anything; else empty */
    Span numbers;               /* after `=`, where it does not */
    FuncId func;                /* owner; NO_ID: the module's */
    uint32_t unit;              /* AstHeader.unit, there */
    uint32_t align;
    uint32_t pointer_align;     /* of what a parameter with .ptr points to; 0: not said */
    uint8_t space;              /* Space */
    uint8_t type;               /* Type of an element */
    uint8_t vector;             /* 1, 2, 4, 8 */
    uint8_t linkage;            /* Linkage */
    bool is_parameter;          /* of the function's own signature */
    bool is_input;              /* of these one that it is given, not its result */
    bool is_array;
    bool has_attribute;         /* .attribute(...) */
} Var;

typedef struct Loc {            /* .loc: PTX ISA, "Debugging Directives: .loc" */
    uint32_t file, line, column;
    uint32_t inlined_file, inlined_line, inlined_column;    /* 0: not inlined */
    uint32_t unit;              /* AstHeader.unit, there: whose .file directives count */
} Loc;

/* Which .loc instructions are from that stand behind a byte, up to the next change. */
typedef struct LocChange {
    uint32_t begin, loc; /* loc: into Module.locs; 0: none */
} LocChange;

typedef struct File {
    uint32_t index, unit;
    Span path;
} File;

typedef struct Module {
    const char *text;
    uint32_t length;
    uint32_t line_count;
    const uint32_t *lines_before; /* lines.c's: per LINE_BLOCK bytes, line ends ahead of it */
    uint16_t version;           /* 10 * major + minor; 0: none */
    Target target;
    Span version_span;          /* of the number; empty without one */
    Span target_span;           /* of its first name; empty without one */
    bool is_debug;              /* .target ..., debug */
    bool is_texmode_independent;
    uint32_t address_size;      /* 32 or 64 */
    bool has_address_size;      /* the file says so; else resolve/width.h found it */
    Func *funcs;
    Var *vars;
    Loc *locs;                  /* locs[0] is none */
    LocChange *loc_changes;     /* in order of the text */
    File *files;
    HashMap file_of;            /* per unit and index: the first such file, + 1 */
    const OccurrenceLog *occurrences;   /* where names stand; NULL: not wanted */
    const Op **ops;             /* every distinct opcode text, in order of appearance */
    uint32_t func_count, var_count, loc_count, loc_change_count, file_count, op_count;
    /* modules that stand in the file one behind the other; 1 in a file that is right */
    uint32_t unit_count;
} Module;

/* Of the .file directive that a .loc names; NULL: there is none. */
static inline const File *ptx_loc_file(const Module *module, const Loc *loc)
{
    const uint32_t at = ptx_hash_map_get(&module->file_of, (uint64_t)loc->unit << 32 | loc->file);
    return at ? &module->files[at - 1] : NULL;
}

/* lines.c: sets line_count and lines_before; which line holds a byte, from 0 on; where a line
 * begins. */
void ptx_lines_find(Arena *arena, Module *module);
uint32_t ptx_line_of(const Module *module, uint32_t offset);
uint32_t ptx_line_start(const Module *module, uint32_t line);

/* lines.c: of Module.locs the one that an instruction is from; 0: none. */
uint32_t ptx_insn_loc(const Module *module, const Insn *insn);

enum { LINE_TITLE_BYTES = 80 };

/* How a message names the line of an instruction: "reduce.cu:12" where .loc names one that is not a
 * header of a toolkit, else "line 45". Returns out. */
const char *ptx_line_title(const Module *module, const Insn *insn, char out[LINE_TITLE_BYTES]);

/* How a message names a variable: a parameter as its CUDA source has it, where that is there; else
 * as ptx_source_title does. Returns the length in full. */
size_t ptx_var_title(const Module *module, const Var *var, char *out, size_t size);

/* The CUDA line alone; false: .loc names none. */
bool ptx_source_line_title(const Module *module, const Insn *insn, char out[LINE_TITLE_BYTES]);

#endif
