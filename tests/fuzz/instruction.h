/* instruction.h -- instructions of the table, with operands that the text around them has. */
#ifndef PTX_FUZZ_INSTRUCTION_H
#define PTX_FUZZ_INSTRUCTION_H

#include "mutate.h"

enum { INSTRUCTION_BYTES = 512 };

/* Any form of any opcode, its modifiers and operands drawn from what the table allows, as a line of
 * INSTRUCTION_BYTES at most; its length. Registers and labels are those of the text, where it has
 * some of the kind. */
size_t instruction(uint64_t *state, Sample text, char *out);

#endif
