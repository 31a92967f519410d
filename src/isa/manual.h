/* manual.h -- the instruction table as a manual: forms in words, what an instruction does (op.def,
 * semantics.txt).
 *
 * Texts are in the arena, or in the tables, and end with a NUL. */
#ifndef PTX_ISA_MANUAL_H
#define PTX_ISA_MANUAL_H

#include "isa/isa.h"
#include "support/arena.h"

/* Whether the form takes all modifiers that op has, each in a place of its own, in any order but
 * that of the types; it may want more of them. Modifiers that the table lacks are taken by none. */
bool ptx_form_admits(FormId form, const Op *op);

/* Whether the two differ in version, target and class alone. */
bool ptx_form_is_like(FormId a, FormId b);

/* "add{.rnd}{.ftz}.f32": opcode and modifiers; "d, a, b{, c}": operands. In the notation of the PTX
 * ISA. */
const char *ptx_form_modifiers_text(Arena *arena, FormId form);
const char *ptx_form_operands_text(Arena *arena, FormId form);

/* The group that the instruction's own type is a value of, or that type; NULL: a form without
 * types. With its dot. */
const char *ptx_form_type_text(Arena *arena, FormId form);

/* The type of an operand: ".u32", ".rnd" (a group of the form), "constant", "label", "function",
 * "parameters", "32 bits", "" (any). */
const char *ptx_operand_type_text(Arena *arena, FormId form, const FormOperand *operand);

/* Of d|p the p, a predicate; NULL: no pair. */
const char *ptx_operand_pair_text(const FormOperand *operand);

/* The row with the most modifiers among those whose modifiers are all of the form, or written in op
 * (NULL: nothing is written). */
const SemanticInfo *ptx_semantic_find(FormId form, const Op *op);

/* Whether some instruction of this form, with op's modifiers, is of the row. */
bool ptx_semantic_may_be(const SemanticInfo *info, FormId form, const Op *op);

#endif
