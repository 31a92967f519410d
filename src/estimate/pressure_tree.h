/* pressure_tree.h -- the regression trees of registers.txt. */
#ifndef PTX_ESTIMATE_PRESSURE_TREE_H
#define PTX_ESTIMATE_PRESSURE_TREE_H

#include <stdint.h>

enum { PRESSURE_LEAF = 0xff };

typedef struct PressureNode {
    uint16_t above;             /* to the node at left up to this value of the feature, else to the one behind it */
    uint8_t feature;            /* PressureFeature; PRESSURE_LEAF */
    uint8_t left;               /* within the tree */
    float values[2];            /* of a leaf: registers more; of the band's, from where to where */
} PressureNode;

extern const PressureNode ptx_pressure_nodes[];
extern const uint32_t ptx_pressure_trees[];     /* where each begins; the band's behind the others */
extern const uint32_t ptx_pressure_tree_count;  /* without the band's */

#endif
