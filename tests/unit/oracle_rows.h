/* oracle_rows.h -- the rows of oracle_ops.h and oracle_parts.h as one table, and their values by
 * its index. */
#ifndef PTX_TESTS_ORACLE_ROWS_H
#define PTX_TESTS_ORACLE_ROWS_H

#include "oracle_parts.h"

/* Those that depend on their operands alone, and have registers of 16 bits and more. */
#define ORACLE_ALONE(X) \
    ORACLE_INTEGERS(X) ORACLE_FLOATS(X) ORACLE_FLUSHED(X) ORACLE_MORE_INTEGERS(X) ORACLE_SMALL_FLOATS(X) ORACLE_VIDEO(X) ORACLE_PAIRS(X)
#define ORACLE_ROWS(X) ORACLE_ALONE(X) ORACLE_QUARTERS(X) ORACLE_CARRIES(X) ORACLE_CARRIES_LEFT(X)

#define ORACLE_ROW(text, registers, value) { text, registers },
static const OracleOp oracle_rows[] = { ORACLE_ROWS(ORACLE_ROW) };
#undef ORACLE_ROW

#define ORACLE_COUNT(text, registers, value) + 1
enum {
    ORACLE_ALONE_COUNT = 0 ORACLE_ALONE(ORACLE_COUNT),
    ORACLE_CARRIES_LEFT_COUNT = 0 ORACLE_CARRIES_LEFT(ORACLE_COUNT),
    ORACLE_ROW_COUNT = 0 ORACLE_ROWS(ORACLE_COUNT)
};
#undef ORACLE_COUNT

#define ORACLE_CASE(text, registers, value) case __COUNTER__ - first - 1: return value;
static uint64_t oracle_value(unsigned row, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    enum { first = __COUNTER__ };
    switch (row) {
        ORACLE_ROWS(ORACLE_CASE)
    default: return 0;
    }
}
#undef ORACLE_CASE

#endif
