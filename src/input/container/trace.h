/* trace.h -- traces of tritonparse: a line of JSON for each event. Of "compilation" the PTX, of
 * "launch" the grid and the arguments, which belong to a compilation by its hash. The form is that
 * of its sources (meta-pytorch/tritonparse, structured_logging.py); no trace of a real run was read
 * so far. */
#ifndef PTX_INPUT_CONTAINER_TRACE_H
#define PTX_INPUT_CONTAINER_TRACE_H

#include "input/container/fatbin.h"
#include "input/container/unpack.h"

#include <jansson.h>

/* By the first bytes of a file. */
bool ptx_trace_is(const unsigned char *head, size_t length);

/* Each PTX is an entry whose payload is the line of its event. *launches: by hash of a compilation
 * the launches as JSON and how often each was made; a new reference. */
ptxlint_status ptx_trace_scan(const char *text, size_t length, const FatbinVisitor *visitor,
                              json_t **launches);

/* The PTX of such a line. */
ptxlint_status ptx_trace_text(const char *line, size_t length, Unpacked *out);

/* A launch file for it, a new reference; NULL: nothing is known. */
json_t *ptx_trace_launches(const char *line, size_t length, const json_t *launches);

#endif
