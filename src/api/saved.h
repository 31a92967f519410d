/* saved.h -- where pointers, enumerations, spans and counts lie in the public structs that a saved
 * module holds. The tables are made from ptxlint.h by tools/gen_saved.py. */
#ifndef PTX_API_SAVED_H
#define PTX_API_SAVED_H

#include "ptxlint/ptxlint.h"

#include <stddef.h>
#include <stdint.h>

typedef enum SavedKind {
    SAVED_TEXT = 1,             /* const char *; NULL */
    SAVED_NAME,                 /* not NULL; where it has a count, if that is above limit */
    SAVED_TEXTS,                /* const char *const *, with a count */
    SAVED_LIST,                 /* elements of a type, with a count */
    SAVED_PER_GPU,              /* as many as the module has GPUs; NULL */
    SAVED_ONE,                  /* one element; NULL */
    SAVED_GPU,                  /* one of the module's */
    SAVED_SPAN,                 /* of the module's text */
    SAVED_ENUM,                 /* at most limit */
    SAVED_COUNT                 /* of elements in the struct itself: at most limit */
} SavedKind;

typedef struct SavedType SavedType;

typedef struct SavedField {
    SavedKind kind;
    size_t offset, count_offset;
    const SavedType *type;
    uint32_t limit;
} SavedField;

struct SavedType {
    size_t bytes;
    const SavedField *fields;
    size_t field_count;
};

extern const SavedType *const ptx_saved_kernel, *const ptx_saved_diagnostic;

/* A hash of ptxlint.h. */
extern const uint64_t ptx_saved_layout;

#endif
