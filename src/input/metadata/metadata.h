/* metadata.h -- how kernels are launched, from what programs leave beside their PTX: each reader
 * gives the root of a launch file (docs/report.md), a new reference; NULL: nothing of its kind is
 * there, or no memory. */
#ifndef PTX_INPUT_METADATA_METADATA_H
#define PTX_INPUT_METADATA_METADATA_H

#include "input/launch.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A regular file of at most LIMIT_METADATA_BYTES, with a NUL; NULL: there is none. malloc'ed. */
char *ptx_metadata_load(const char *path, size_t *length);

/* Beside the PTX file at path; NULL: nothing. *from: the file that it was read from, or could not
 * be, then error says why; malloc'ed. */
ptxlint_launches *ptx_metadata_find(const char *path, char **from, char *error, size_t error_size);

/* "(64, 1, 1)" or "[64, 1, 1]" at text; NULL: it is none. New reference. */
json_t *ptx_metadata_shape(const char *text);

/* NAME.json of a Triton cache; with the grid where TorchInductor's Python says it. */
json_t *ptx_metadata_triton(const char *path, char **from);

/* The launch that Triton's metadata of a kernel say; NULL: these are none. */
json_t *ptx_metadata_triton_launch(const json_t *metadata);

/* MODULE.thunk_sequence.txt of an XLA dump. */
json_t *ptx_metadata_xla(const char *path, char **from);

/* Adds grid and sizes of a kernel that TorchInductor wrote, in launch, an entry of "kernels". stem:
 * the path without ".ptx". */
void ptx_metadata_inductor(const char *stem, const char *kernel, json_t *launch);

/* A table of Nsight Compute (--csv, raw or details page) or of nsys stats (cuda_gpu_trace). */
bool ptx_profile_is(const char *text, size_t length);
json_t *ptx_profile_read(const char *text, size_t length);

/* A name as a glob that fits it alone: templates of C++ have `*`, lambdas `[`. New reference; NULL:
 * no memory. */
json_t *ptx_profile_glob(const char *name);

/* Each launch of such a table, in order: "kernel", "grid", "block", "dynamic_shared", and its time
 * in "ns", where these are there. New reference; NULL: there is none. */
json_t *ptx_profile_rows(const char *text, size_t length);

#endif
