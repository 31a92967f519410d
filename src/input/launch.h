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
    bool is_generated;          /* of a cache or dump: a framework wrote the kernels */
    /* for every kernel: keys as of a kernel in the file, but "params" is an object */
    json_t *settings;
};

/* What kernels, an object, has under the name of a kernel: as it is mangled, or in a form of
 * support/demangle.h; NULL. */
const json_t *ptx_launch_named(const json_t *kernels, const char *kernel);

/* The next entry of the file's "launches", from that number on, whose globs fit; behind the last:
 * none. */
size_t ptx_launch_listed(const json_t *root, size_t from, const char *path, const char *kernel);

/* A kernel whose launch is looked for. */
typedef struct LaunchSubject {
    const char *path, *kernel;
    const Func *func;
    /* what lies beside its file says of it, where the launches are a profiler's: those with another
     * block or other shared memory are of another variant of it. NULL */
    const json_t *known;
} LaunchSubject;

/* What found says of a kernel; NULL: nothing. */
const json_t *ptx_launch_known(const ptxlint_launches *found, const LaunchSubject *subject);

/* The entry of "launches" that gives a kernel its launch: the first that fits; where the kernel has
 * .reqntid, rather one with that block. Behind the last: none. */
size_t ptx_launch_choose(const json_t *root, const LaunchSubject *subject);

/* Entries of the file for launches of one kernel: those with the patterns of the one that gives it
 * its launch; where the kernel has .reqntid, those with that block. Number index of them, from 0;
 * behind the last: none. */
size_t ptx_launch_at(const json_t *root, const LaunchSubject *subject, uint32_t index);

/* The line that the name of a trip is; 0: it is a label. */
uint32_t ptx_launch_line(const char *name);

/* Of a root, which it takes (NULL: nothing known yet), if that is as docs/report.md has it. */
ptxlint_status ptx_launches_of(json_t *root, ptxlint_launches **out, char *error,
                               size_t error_size);

/* The same launches, to be freed by themselves; NULL: no memory. */
ptxlint_launches *ptx_launches_share(const ptxlint_launches *launches);

/* What files and settings say of launches. */
typedef struct LaunchSource {
    const ptxlint_launches *launches;   /* NULL: none */
    const ptxlint_launches *found;      /* of kernels that launches has no entry for; NULL */
    const char *path;                   /* of the PTX */
    uint32_t number;                    /* of a kernel's launches, from 0; with fewer its first */
} LaunchSource;

/* What they say of a function, with .reqntid and .reqnctapercluster where they are silent.
 * Parameters are those of an entry; a .func gets shapes and trips alone. Owned
 * by arena; labels of trips lie in launches. */
const Launch *ptx_launch_build(Arena *arena, const LaunchSource *source, const Module *module,
                               const Func *func);

#endif
