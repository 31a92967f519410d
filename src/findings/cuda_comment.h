/* cuda_comment.h -- comments for ptxlint in CUDA C++: `// ptxlint: ignore[RULE] reason`.
 *
 * A file is scanned only if it contains the text `ptxlint:`, once and in linear time. The scanner
 * lexes comments, strings, raw strings and character literals; preprocessor lines count as blank.
 * `ignore` covers its own line if code precedes it there, else the next statement: up to the first
 * `;` or brace outside parentheses and brackets. */
#ifndef PTX_FINDINGS_CUDA_COMMENT_H
#define PTX_FINDINGS_CUDA_COMMENT_H

#include "support/arena.h"
#include "support/span.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum CudaReach {
    CUDA_REACH_NONE,
    CUDA_REACH_LINE,
    CUDA_REACH_KERNEL,
    CUDA_REACH_FILE
} CudaReach;

/* How a rule that a comment names has fared, in any module. */
enum { CUDA_NAME_SEEN = 1, CUDA_NAME_USED = 2 };

typedef struct CudaName {
    Span span;
    /* CUDA_NAME_SEEN: its rules were looked for in what the comment covers. Modules set bits
     * while others are made */
    _Atomic uint8_t state;
} CudaName;

typedef struct CudaComment {
    Span span;                  /* `ptxlint:` to the bracket */
    uint32_t line;              /* from 1 */
    uint32_t first_line, last_line;     /* of CUDA_REACH_LINE: what it covers */
    const char *reason;
    CudaName *names;
    uint32_t name_first, name_count;    /* name_first: of all names of the file */
    CudaReach reach;
    const char *trouble, *help; /* of one that is malformed, and covers nothing; else NULL */
} CudaComment;

typedef struct CudaComments {
    CudaComment *items;
    uint32_t count, name_count;
} CudaComments;

/* length bytes and a NUL; what is returned lies in the arena. */
CudaComments ptx_cuda_comments_read(Arena *arena, const char *text, uint32_t length);

/* The text with its lines where they are, and blanks in place of comments, literals and
 * directives. */
const char *ptx_cuda_code_read(Arena *arena, const char *text, uint32_t length);

#endif
