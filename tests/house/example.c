#include <ptxlint/ptxlint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    ptxlint_module *module;
    if (argc != 2 || ptxlint_module_open(argv[1], NULL, &module) != PTXLINT_OK)
        return 2;
    size_t count;
    const ptxlint_kernel *k = ptxlint_module_kernels(module, &count);
    for (size_t i = 0; i < count; i++)
        printf("%s: %lld registers live\n", k[i].name, (long long)k[i].pressure.max_live);
    ptxlint_module_free(module);
    return 0;
}
