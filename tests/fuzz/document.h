/* document.h -- what the targets of reports and of recognition read again: documents in memory. */
#ifndef PTX_FUZZ_DOCUMENT_H
#define PTX_FUZZ_DOCUMENT_H

#include "fuzz.h"

#include <jansson.h>

typedef struct Document {
    char *bytes;
    size_t length, capacity;
} Document;

/* A ptxlint_write_fn. */
static inline int keep(void *context, const char *bytes, size_t length)
{
    Document *d = context;
    if (length + 1 > d->capacity - d->length) {
        d->capacity = 2 * d->capacity + length + 1;
        d->bytes = realloc(d->bytes, d->capacity);
        require(d->bytes != NULL, "there is memory");
    }
    memcpy(d->bytes + d->length, bytes, length);
    d->length += length;
    d->bytes[d->length] = 0;
    return 0;
}

/* Frees the document. */
static inline json_t *parsed(Document d)
{
    json_t *json = json_loadb(d.bytes, d.length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    require(json != NULL, "JSON parses");
    free(d.bytes);
    return json;
}

/* Frees both. */
static inline void require_same(Document a, Document b, const char *what)
{
    require(a.length == b.length && !memcmp(a.bytes, b.bytes, a.length), what);
    free(a.bytes);
    free(b.bytes);
}

#endif
