#include "report/report.h"

#include "support/demangle.h"

#include <stdio.h>
#include <string.h>

/* The first form that has room. */
static KernelTitle title_from(const char *name, NameForm form)
{
    KernelTitle title = { .text = "" };
    size_t room = sizeof title.text, length = ptx_demangle(name, form, title.text, room);
    for (; length >= room && form < NAME_QUALIFIED; form++)
        length = ptx_demangle(name, form + 1, title.text, room);
    if (!length)
        length = (size_t)snprintf(title.text, room, "%s", name);
    if (length >= room)
        memcpy(title.text + room - 4, "...", 4);
    return title;
}

KernelTitle ptx_kernel_title(const char *name)
{
    return title_from(name, NAME_SIGNATURE);
}

KernelTitle ptx_kernel_short(const char *name)
{
    return title_from(name, NAME_SHORT);
}
