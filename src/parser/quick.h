/* quick.h -- the statements that nine lines of ten are, read from bytes to nodes without scanner
 * and tables.
 *
 * Plain instructions, labels and .loc, written the usual way. It knows less than the grammar and
 * nothing else: what it takes, the grammar takes with the same nodes, and whatever it does not know
 * (a comment inside, a blank inside the opcode, a mistake) it leaves to the grammar, without a
 * diagnostic. Used by parser.c only. */
#ifndef PTX_PARSER_QUICK_H
#define PTX_PARSER_QUICK_H

#include "parser/build.h"

typedef enum QuickKind { QUICK_NONE, QUICK_INSN, QUICK_LABEL, QUICK_LOC } QuickKind;

typedef struct Quick {
    QuickKind kind;
    GuardText guard;            /* of an instruction; empty: none */
    OperandList operands;
    Token head;                 /* opcode, label or directive */
    Token end;                  /* `;`, `:` or the column of .loc */
    Token file, line;           /* of .loc */
    AstLoc *inlined;            /* of .loc, or NULL */
} Quick;

/* Reads the statement that begins at the scanner's place, if it is a usual one, and moves the
 * scanner behind it. */
Quick ptx_quick_read(Parser *p);

/* Adds it to the function being built. */
void ptx_quick_build(Parser *p, const Quick *quick);

#endif
