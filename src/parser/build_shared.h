/* build_shared.h -- what the files share that build the nodes of the AST. */
#ifndef PTX_PARSER_BUILD_SHARED_H
#define PTX_PARSER_BUILD_SHARED_H

#include "parser/build.h"

/* Lists from circular to open. */
#define DEFINE_LIST_OPEN(name, Item, List)                \
    static inline Item *name(List list)                   \
    {                                                     \
        Item *first = list.last ? list.last->next : NULL; \
        if (list.last)                                    \
            list.last->next = NULL;                       \
        return first;                                     \
    }

DEFINE_LIST_OPEN(open_operands, AstOperand, OperandList)
DEFINE_LIST_OPEN(open_decls, AstDecl, DeclList)
DEFINE_LIST_OPEN(open_attributes, AstAttribute, AttributeList)

/* The function in hand, if any, has a syntax error. */
void ptx_build_mark_error(Parser *p);

/* Numbers. */
bool ptx_build_is_integer(const char *text, uint32_t length);
uint64_t ptx_build_integer(Parser *p, Span span, bool *is_unsigned);
uint32_t ptx_build_small(Parser *p, Token number);

/* build_module.c: a directive needs a version or target; an item to be handed out. */
void ptx_build_need_version(Parser *p, Span where, const char *what, int version);
void ptx_build_need_target(Parser *p, Span where, const char *what, unsigned sm);
AstItem *ptx_build_add_item(Parser *p);

/* build_decl.c: a statement to the function in hand. */
AstStmt *ptx_build_add_stmt(Parser *p, AstStmtKind kind, Span span);

#endif
