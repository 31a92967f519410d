/* unit.c -- unit SUBJECT [ARGUMENT...]: runs the tests of one subject. All are one program, so that
 * a change of the library links once. */
#include "kit.h"

#include "units.h"              /* UNITS: U(name) for each subject */

#define U(name) int unit_##name(int argc, char **argv);
UNITS
#undef U

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(int argc, char **argv); } units[] = {
#define U(name) { #name, unit_##name },
        UNITS
#undef U
    };
    for (size_t i = 0; i < COUNT(units); i++)
        if (argc > 1 && !strcmp(argv[1], units[i].name))
            return units[i].run(argc - 1, argv + 1);
    for (size_t i = 0; i < COUNT(units); i++)
        puts(units[i].name);
    return argc > 1;
}
