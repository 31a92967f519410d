/* source_book.h -- CUDA sources with comments for ptxlint or kernels, each read once for all
 * modules of a run; several may be made at the same time. */
#ifndef PTX_FINDINGS_SOURCE_BOOK_H
#define PTX_FINDINGS_SOURCE_BOOK_H

#include "findings/cuda_comment.h"
#include "findings/cuda_kernel.h"
#include "ptxlint/ptxlint.h"

#include <pthread.h>

typedef struct BookFile {
    struct BookFile *next;
    char *path;                 /* that it was first asked for by */
    char *real;                 /* as realpath() has it */
    char *bytes;                /* length of them and a NUL */
    size_t length;
    Arena arena;                /* of comments and kernels */
    CudaComments comments;
    CudaKernels kernels;
} BookFile;

/* A name that was asked for; file is NULL where there is nothing to be read. */
typedef struct BookName {
    struct BookName *next;
    char *path;
    BookFile *file;
} BookName;

enum { BOOK_BUCKETS = 1024, BOOK_NAMES_MAX = 1 << 16 };

struct ptxlint_sources {
    char *root;                 /* NULL: nothing is read */
    pthread_mutex_t lock;       /* of the lists */
    BookFile *files;
    BookName *names[BOOK_BUCKETS];      /* by hash */
    uint32_t name_count;        /* beyond BOOK_NAMES_MAX no more are looked at */
    size_t bytes;               /* held in all */
};

/* The file that .file names: path as it is, else beside ptx_path. NULL: it has neither comments nor
 * kernels, cannot be read, or there is no memory for it. */
const BookFile *ptx_source_book_file(ptxlint_sources *book, const char *path,
                                     const char *ptx_path);

#endif
