/* launch_values.h -- what a launch may say: checked in a launch file and in single settings alike. */
#ifndef PTX_INPUT_LAUNCH_VALUES_H
#define PTX_INPUT_LAUNCH_VALUES_H

#include "ptxlint/ptxlint.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the most of any,
 * so that a product of three fits 63 bits. A cluster has at most 8 blocks everywhere, 16 where a
 * kernel opts in. */
typedef struct ShapeKey {
    const char *key;
    int64_t most[3], most_together;
    const char *wanted;
} ShapeKey;

enum { SHAPE_KEY_COUNT = 3 };

extern const ShapeKey ptx_launch_shapes[SHAPE_KEY_COUNT];
extern const char ptx_launch_shared_wanted[], ptx_launch_trip_wanted[];

bool ptx_launch_is_shape(const ShapeKey *key, const json_t *value);
bool ptx_launch_is_shared(const json_t *value);

/* The one of keys that is most like word: by letters, or as a part of it or around it ("gridDim",
 * "shared"); NULL. */
const char *ptx_launch_nearest_key(const char *word, const char *const *keys);

/* Writes what is wrong; PTXLINT_BAD_FILE. */
ptxlint_status ptx_launch_say(char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
