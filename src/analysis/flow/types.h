/* types.h -- the flow of a function by name alone: ids of blocks and loops, and structures that
 * others point to. */
#ifndef PTX_ANALYSIS_FLOW_TYPES_H
#define PTX_ANALYSIS_FLOW_TYPES_H

#include "ir/types.h"

typedef uint32_t BlockId;

#define EXIT_BLOCK UINT32_MAX

typedef uint32_t LoopId;

#define NO_LOOP UINT32_MAX

typedef struct Block Block;
typedef struct Cfg Cfg;
typedef struct Dom Dom;
typedef struct Loop Loop;
typedef struct Loops Loops;
typedef struct Defs Defs;
typedef struct Live Live;
typedef struct CallNode CallNode;
typedef struct CallGraph CallGraph;

#endif
