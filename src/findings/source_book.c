#include "findings/source_book.h"

#include "support/guard.h"
#include "support/hash.h"
#include "support/source_file.h"

#include <stdlib.h>
#include <string.h>

enum { BOOK_BYTES_MAX = 256 << 20, BOOK_COMMENT_BYTES_MAX = 64 << 20 };

/* ---- files ----------------------------------------------------------------------------------- */

static void book_file_free(BookFile *file)
{
    ptx_arena_free(&file->arena);
    free(file->path);
    free(file->real);
    free(file->bytes);
    free(file);
}

static void read_source_guarded(void *context)
{
    BookFile *file = context;
    file->comments = ptx_cuda_comments_read(&file->arena, file->bytes, (uint32_t)file->length);
    file->kernels = ptx_cuda_kernels_read(&file->arena, file->bytes, (uint32_t)file->length);
}

/* Keeps real, or frees it. NULL: it has neither comments nor kernels, or there is no memory. */
static BookFile *book_file_new(const ptxlint_sources *book, const char *path, char *real)
{
    BookFile *file = calloc(1, sizeof *file);
    if (!file) {
        free(real);
        return NULL;
    }
    size_t left = BOOK_BYTES_MAX - book->bytes;
    file->real = real;
    file->path = strdup(path);
    ptx_arena_init(&file->arena, BOOK_COMMENT_BYTES_MAX, NULL);
    bool is_good = file->path
                   && ptx_source_file_read(book->root, path,
                                           left < SOURCE_FILE_BYTES_MAX ? left
                                                                        : SOURCE_FILE_BYTES_MAX,
                                           &file->bytes, &file->length)
                   && file->bytes
                   && ptx_run_guarded_in(&file->arena, read_source_guarded, file);
    if (is_good && (file->comments.count || file->kernels.count))
        return file;
    book_file_free(file);
    return NULL;
}

/* Several names may lead to one file. */
static BookFile *open_book_source(ptxlint_sources *book, const char *path)
{
    char *real = realpath(path, NULL);
    BookFile *file = book->files;
    if (!real)
        return NULL;
    while (file && strcmp(file->real, real) != 0)
        file = file->next;
    if (file) {
        free(real);
        return file;
    }
    file = book_file_new(book, path, real);
    if (file) {
        book->bytes += file->length;
        file->next = book->files;
        book->files = file;
    }
    return file;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Keeps path, or frees it. */
static BookFile *file_named(ptxlint_sources *book, char *path)
{
    if (!path)
        return NULL;
    BookName **bucket = &book->names[ptx_hash_bytes(path, strlen(path)) % BOOK_BUCKETS];
    for (const BookName *name = *bucket; name; name = name->next)
        if (!strcmp(name->path, path)) {
            free(path);
            return name->file;
        }
    BookName *added = book->name_count < BOOK_NAMES_MAX ? calloc(1, sizeof *added) : NULL;
    if (!added) {
        free(path);
        return NULL;
    }
    *added = (BookName){ *bucket, path, open_book_source(book, path) };
    *bucket = added;
    book->name_count++;
    return added->file;
}

const BookFile *ptx_source_book_file(ptxlint_sources *book, const char *path,
                                     const char *ptx_path)
{
    if (!book->root || !*path)
        return NULL;
    pthread_mutex_lock(&book->lock);
    BookFile *file = file_named(book, strdup(path));
    if (!file && *path != '/' && strchr(ptx_path, '/'))
        file = file_named(book, ptx_source_path_join(ptx_path, path));
    pthread_mutex_unlock(&book->lock);
    return file;
}

/* ---- the book -------------------------------------------------------------------------------- */

ptxlint_status ptxlint_sources_new(const char *root, ptxlint_sources **out)
{
    bool has_memory;
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_sources *book = calloc(1, sizeof *book);
    if (!book)
        return PTXLINT_NO_MEMORY;
    book->root = ptx_source_root_find(root, &has_memory);
    if (!has_memory || pthread_mutex_init(&book->lock, NULL)) {
        free(book->root);
        free(book);
        return PTXLINT_NO_MEMORY;
    }
    *out = book;
    return PTXLINT_OK;
}

void ptxlint_sources_free(ptxlint_sources *book)
{
    if (!book)
        return;
    for (BookFile *file = book->files, *next; file; file = next) {
        next = file->next;
        book_file_free(file);
    }
    for (size_t b = 0; b < BOOK_BUCKETS; b++)
        for (BookName *name = book->names[b], *next; name; name = next) {
            next = name->next;
            free(name->path);
            free(name);
        }
    pthread_mutex_destroy(&book->lock);
    free(book->root);
    free(book);
}
