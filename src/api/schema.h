/* schema.h -- the JSON Schemas of docs/schemas/, which tools/gen_schemas.py makes tables of. */
#ifndef PTX_API_SCHEMA_H
#define PTX_API_SCHEMA_H

typedef struct Schema {
    const char *name, *text;
} Schema;

extern const Schema ptx_schemas[];      /* by name; ends with NULL */

#endif
