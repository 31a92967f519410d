/* sreg.h -- special registers, as OPERAND_SREG names them. */
#ifndef PTX_IR_SREG_H
#define PTX_IR_SREG_H

#include "isa/isa.h"

typedef enum SregId {
    SREG_NONE,
#define SR(id, ...) SREG_##id,
#include "isa/sregs.def"
#undef SR
    SREG__COUNT
} SregId;

#endif
