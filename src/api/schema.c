#include "api/schema.h"
#include "ptxlint/ptxlint.h"

#include <string.h>

const char *ptxlint_schema_name(size_t index)
{
    for (size_t i = 0; ptx_schemas[i].name; i++)
        if (i == index)
            return ptx_schemas[i].name;
    return NULL;
}

const char *ptxlint_schema_text(const char *name)
{
    for (const Schema *schema = ptx_schemas; name && schema->name; schema++)
        if (!strcmp(schema->name, name))
            return schema->text;
    return NULL;
}
