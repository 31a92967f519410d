/* launch.h -- what is known of launches: the launch file (JSON, docs/report.md) and single settings
 * over it. */
#ifndef PTX_INPUT_LAUNCH_H
#define PTX_INPUT_LAUNCH_H

#include "ir/types.h"
#include "ptxlint/ptxlint.h"
#include "support/arena.h"

#include <jansson.h>

typedef struct Launch Launch;

struct ptxlint_launches {
    json_t *root;               /* the file */
    bool is_profile;            /* of a profiler's table: a kernel may have several launches */
    /* for every kernel: keys as of a kernel in the file, but "params" is an object */
    json_t *settings;
};

/* What kernels, an object, has under the name of a kernel: as it is mangled, or in a form of
 * support/demangle.h; NULL. */
const json_t *ptx_launch_named(const json_t *kernels, const char *kernel);

/* The next entry of the file's "launches", from that number on, whose globs fit; behind the last:
 * none. */
size_t ptx_launch_listed(const json_t *root, size_t from, const char *path, const char *kernel);

/* The entry of "launches" that gives a kernel its launch: the first that fits; where the kernel has
 * .reqntid, rather one with that block. Behind the last: none. */
size_t ptx_launch_choose(const json_t *root, const char *path, const char *kernel,
                         const Func *func);

/* The line that the name of a trip is; 0: it is a label. */
uint32_t ptx_launch_line(const char *name);

/* Of a root, which it takes (NULL: nothing known yet), if that is as docs/report.md has it. */
ptxlint_status ptx_launches_of(json_t *root, ptxlint_launches **out, char *error,
                               size_t error_size);

/* What file and settings say of a function of the PTX file at path, with .reqntid and
 * .reqnctapercluster where launches (may be NULL) are silent; found: of kernels that launches has
 * no entry for; NULL. Parameters are those of an entry; a .func gets shapes and trips alone. Owned
 * by arena; labels of trips lie in launches. */
const Launch *ptx_launch_build(Arena *arena, const ptxlint_launches *launches,
                               const ptxlint_launches *found, const char *path,
                               const Module *module, const Func *func);

#endif
