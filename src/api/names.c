/* names.c -- names as the source has them, behind the public interface. */
#include "ptxlint/ptxlint.h"

#include "support/demangle.h"

size_t ptxlint_demangle(const char *name, ptxlint_name_form form, char *out, size_t size)
{
    if (size && out)
        *out = '\0';
    if (!name || (size && !out) || (unsigned)form >= NAME_FORM__COUNT)
        return 0;
    return ptx_demangle(name, (NameForm)form, out, size);
}

int ptxlint_name_fits(const char *glob, const char *name)
{
    return glob && name && ptx_name_fits(glob, name);
}
