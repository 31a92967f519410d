#include "report/report.h"

#include "support/demangle.h"

#include <stdio.h>
#include <string.h>

KernelTitle ptx_kernel_title(const char *name)
{
    static const NameForm forms[] = { NAME_SIGNATURE, NAME_SHORT, NAME_QUALIFIED };
    KernelTitle title;
    size_t room = sizeof title.text, length = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && (!i || length >= room); i++)
        length = ptx_demangle(name, forms[i], title.text, room);
    if (!length)
        length = (size_t)snprintf(title.text, room, "%s", name);
    if (length >= room)
        memcpy(title.text + room - 4, "...", 4);
    return title;
}
