/* source_file.h -- files that are read unasked: sources that PTX names, freely, and metadata beside
 * PTX. Regular files alone, of a bounded size, below one folder. */
#ifndef PTX_SUPPORT_SOURCE_FILE_H
#define PTX_SUPPORT_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* of one file: the largest generated CUDA sources are a few MiB */
enum { SOURCE_FILE_BYTES_MAX = 16 << 20 };

/* The folder below which sources are read, as realpath() has it, for free(): given where it is not
 * NULL, else the top of the working tree of git that the working directory is in, else the nearest
 * folder with a config file from the working directory upward, else the working directory. NULL
 * with *has_memory true: there is no such folder. */
char *ptx_source_root_find(const char *given, bool *has_memory);

/* "folder of beside" + path, or path alone where that is absolute or beside is NULL. NULL: no
 * memory. */
char *ptx_source_path_join(const char *beside, const char *path);

/* The whole file and a NUL, for free(); *bytes is NULL where it is not one to be read: outside
 * root, be it by a link, longer than max_bytes, no regular file. False: no memory. */
bool ptx_source_file_read(const char *root, const char *path, size_t max_bytes, char **bytes,
                          size_t *length);

#endif
