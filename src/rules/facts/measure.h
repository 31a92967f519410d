/* measure.h -- the value of a fact for one subject. Analyses are the session's; what facts alone
 * need of a function is computed when the first rule asks, and kept until the function is done: a
 * FactCache. */
#ifndef PTX_RULES_FACTS_MEASURE_H
#define PTX_RULES_FACTS_MEASURE_H

#include "analysis/flow/types.h"
#include "analysis/value/points_to.h"
#include "analysis/time/relief.h"
#include "rules/lang/rule.h"

typedef struct AddressDistribution AddressDistribution;
typedef struct DataSource DataSource;
typedef struct Bottleneck Bottleneck;
typedef struct Evaluation Evaluation;
typedef struct Gpu Gpu;
typedef struct PitchFacts PitchFacts;
typedef struct Session Session;
typedef struct Sessions Sessions;

/* What all functions of a module share. */
typedef struct ModuleFacts {
    Sessions *sessions;
    const Module *module;
    const Gpu *gpu;             /* the first that figures are for; NULL */
    Arena *arena;               /* of what lives as long as the questions do */
    Arena *scratch;
    float *machine_instructions;        /* per Op.id: NaN not known; below 0: not asked for yet */
    bool has_broken_func;       /* a syntax error, or an opcode that the tables lack */
} ModuleFacts;

/* The nearest instructions, + 1, whose address lies in the same register, with no write to it in
 * between; 0: none. */
typedef struct BaseChain {
    InsnId before, behind;
} BaseChain;

typedef struct LowBits LowBits;

typedef struct FactCache {
    ModuleFacts *shared;
    Session *session;           /* NULL: about the module */
    Arena *arena;               /* until the function is done */
    const Func *func;           /* these: NULL: about the module */
    const Cfg *cfg;
    const Loops *loops;
    const bool *dead;           /* per instruction; this and the rest: NULL: not asked for yet */
    const uint32_t *array_loads;        /* per instruction */
    const double *loop_weights; /* per loop: times a thread executes its body */
    const double *loop_sums;    /* per loop: weighted machine instructions, inner loops included */
    /* per loop: something in it may write memory, or let others do so */
    const bool *loop_stores;
    const uint32_t *exit_depths;        /* per loop: how far out an edge leads from within */
    /* per register: the first reachable instruction that reads it; NO_ID */
    const InsnId *first_reads;
    const bool *is_conditional; /* per block */
    /* per instruction: the first label that stands before it, + 1; 0: none */
    const LabelId *label_before;
    uint8_t prints;             /* 0: was not asked; 1: it does not call vprintf; 2: it does */
    const LowBits *low_bits;    /* per register */
    const uint8_t *written;     /* per register: how many instructions write it, 2 for more */
    const BaseChain *base_chains;       /* per instruction */
    const Evaluation *evaluation;       /* ptx_measure_evaluation's, once has_evaluation */
    bool has_evaluation;
    /* of the access that was asked about last: its instruction, + 1 */
    InsnId based_insn;
    bool is_based;              /* ptx_measure_base's answer, and what it found */
    PointsTo base;
    PitchFacts *pitch;
    const bool *named_params;   /* per parameter of the entry */
    const Bottleneck *bottleneck;       /* of the launch as predicted */
    uint32_t name_end;          /* of the name of a register that was found last */
    double access_sums[2];      /* sectors and wavefronts of all accesses, once has_access_sums */
    bool has_access_sums;
    Relief relief;              /* of the access whose gain was asked for last */
    double constant_addresses;  /* of all loads, once has_constant_addresses */
    bool has_constant_addresses;
    const AddressDistribution *distribution;    /* NULL: not asked for yet */
    const DataSource *sources;                  /* the same */
    uint32_t rows_by;           /* Count.rows_by of accesses to rows, once has_rows_by */
    bool has_rows_by;
    double weighted_instructions;       /* 0: not asked for yet */
    /* of the operation and its block that were asked about last, op NULL: the same operation is on
     * another way; how often the function was searched */
    struct {
        const Op *op;
        BlockId block, branch;
        bool is_there;
        uint32_t searches;
    } counterpart;
} FactCache;

/* Of the launch; unknown where a function is called. */
const Prediction *ptx_measure_prediction(FactCache *q);

/* What a fact is asked of; ids beyond the subject's own follow from it (the block of an
 * instruction, the loop of a block). */
typedef struct Subjects {
    InsnId insn;
    BlockId block;
    LoopId loop;
    RegId reg;
    VarId var;                  /* variable or parameter */
} Subjects;

/* NaN: not known. *certainty is raised to that of the value. Not for texts and places. */
double ptx_measure(FactCache *q, const Subjects *s, uint32_t fact, Certainty *certainty);

/* Whether ptx_measure_list knows the instructions for which a fact is true. */
bool ptx_measure_is_listed(uint32_t fact);

/* Instructions for which such a fact is true, ascending: few among many. */
const InsnId *ptx_measure_list(FactCache *q, uint32_t fact, uint32_t *count);

/* Whether a fact on registers is false of none, or known of none. Cheaper than to ask about each;
 * false where it is not. */
bool ptx_measure_is_never_false(const FactCache *q, uint32_t fact);

/* "" where it is not known; owned by the module's text or arena. */
const char *ptx_measure_text(FactCache *q, const Subjects *s, uint32_t fact, size_t *length);

/* Where something else stands that belongs to a subject. */
typedef struct RelatedPlace {
    Span span;
    const char *what;           /* to be said of it; NULL */
} RelatedPlace;

enum { MAX_PLACES = 4 };

/* What removes a finding at that place of the race at an instruction; NULL: it is no race. */
const DiagRepair *ptx_measure_repair(FactCache *q, InsnId insn);

/* Per register: the first reachable instruction that reads it; NO_ID. */
const InsnId *ptx_measure_first_reads(FactCache *q);

/* How many there are, MAX_PLACES at most. */
unsigned ptx_measure_places(FactCache *q, const Subjects *s, uint32_t fact,
                            RelatedPlace places[MAX_PLACES]);

/* Where a subject stands in the text. */
Span ptx_subject_span(FactCache *q, Subject subject, const Subjects *s);

#endif
