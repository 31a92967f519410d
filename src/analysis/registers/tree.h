/* tree.h -- the regression trees of trees.txt. */
#ifndef PTX_ANALYSIS_REGISTERS_TREE_H
#define PTX_ANALYSIS_REGISTERS_TREE_H

#include <stdint.h>

enum {
    PRESSURE_LEAF = 0xff,
    PRESSURE_UNIT = 64,         /* leaves are in parts of one on the scale */
    PRESSURE_FAMILIES = 3,      /* targets, by resident warps of an SM at most: 32, 48, 64 */
    PRESSURE_COUNTS = 256,
};

/* A tree in preorder: behind a node stands what is up to the cut, `other` further what is above. */
typedef struct PressureNode {
    uint8_t feature;            /* of ptx_pressure_features; PRESSURE_LEAF */
    uint8_t cut;                /* of the feature: behind so many of its cuts */
    /* of a leaf the steps on the scale, of the band's a row of ptx_pressure_bands */
    int16_t other;
} PressureNode;

typedef struct PressureCuts {
    uint8_t feature;            /* PressureFeature */
    uint8_t count;
    uint16_t first;             /* into ptx_pressure_cuts */
} PressureCuts;

extern const uint16_t ptx_pressure_cuts[];      /* ascending */
extern const PressureCuts ptx_pressure_features[];
extern const uint32_t ptx_pressure_feature_count;
extern const PressureNode ptx_pressure_nodes[];
/* where each begins; the band's behind the others */
extern const uint32_t ptx_pressure_trees[];
extern const uint32_t ptx_pressure_tree_count;  /* without the band's */
extern const float ptx_pressure_bands[][2];     /* from where to where, around the sum */

/* Where each count of registers ends on the scale that trees add up on: as wide as it is
 * frequent. */
extern const float ptx_pressure_scale[PRESSURE_FAMILIES][PRESSURE_COUNTS];

#endif
