/* band.h -- where nine in ten launches fall, of those that are predicted the same.
 *
 * What a prediction misses by depends on what it rests on, so each kind of launch has a band of its
 * own, made from launches that were measured. It is held apart by families of kernels, not by
 * launches: docs/time.md. A GPU whose file has no figures of launches was not measured, and its
 * bands are wider. */
#ifndef PTX_ANALYSIS_TIME_BAND_H
#define PTX_ANALYSIS_TIME_BAND_H

#include <stdbool.h>

typedef struct PredictInput PredictInput;
typedef struct Prediction Prediction;
typedef struct Gpu Gpu;

typedef enum BandKind {
#define BK(id, key, low, high, what) BAND_##id,
#include "analysis/time/bands.def"
    BAND__COUNT
} BandKind;

typedef struct BandInfo { const char *key, *what; double low, high; } BandInfo;
extern const BandInfo ptx_band_info[BAND__COUNT];

/* sure: per block, ptx_path_bound_sure. waits_us: for other blocks. */
BandKind ptx_band_find(const PredictInput *input, const bool *sure, double waits_us, int limiter);

/* Around the prediction, never below the bound. */
void ptx_band_set(const Gpu *gpu, BandKind kind, Prediction *prediction);

#endif
