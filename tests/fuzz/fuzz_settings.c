/* fuzz_settings.c -- any bytes as each of the other inputs: a GPU file, a launch file, one setting,
 * a log of ptxas, an instruction.
 *
 * The library may refuse them, with a reason, and for nothing else than what they say. What it
 * takes must be usable. */
#include "fuzz.h"

#include "ptxlint/ptxlint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry k(.param .u64 p, .param .f32 a, .param .u16 h, "
                             ".param .b8 s[8])\n{\n.reg .b32 %r<4>; .reg .pred %p;\n"
                             "mov.u32 %r1, 0; ld.param.u32 %r2, [s];\nL: add.s32 %r1, %r1, 1; "
                             "setp.lt.s32 %p, %r1, %r2; @%p bra L;\nret;\n}\n";

static void use(const ptxlint_gpu *gpu, const ptxlint_launches *launches,
                const ptxlint_ptxas *ptxas)
{
    ptxlint_options options;
    ptxlint_write_options how;
    ptxlint_module *module;
    ptxlint_options_init(&options);
    ptxlint_write_options_init(&how);
    options.gpus = &gpu;
    options.gpu_count = gpu != NULL;
    options.launches = launches;
    options.ptxas = ptxas;
    require(ptxlint_module_new(kernel, sizeof kernel - 1, &options, &module) == PTXLINT_OK,
            "the kernel is read");
    const ptxlint_module *modules[] = { module };
    for (how.format = PTXLINT_TEXT; how.format <= PTXLINT_CSV; how.format++)
        if (how.format != PTXLINT_ONELINE)
            require(ptxlint_write_report(modules, 1, &how, drop, NULL) == PTXLINT_OK,
                    "a report is written");
    ptxlint_module_free(module);
}

static void try_gpu(const char *text, size_t length)
{
    ptxlint_gpu *gpu;
    char error[256] = "";
    ptxlint_status status = ptxlint_gpu_new("fuzz", text, length, &gpu, error, sizeof error);
    require((status == PTXLINT_OK) == (gpu != NULL), "a GPU, or a reason");
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    if (gpu)
        use(gpu, NULL, NULL);
    ptxlint_gpu_free(gpu);
}

static void try_measurements(const char *text, size_t length)
{
    ptxlint_measurements *measurements;
    ptxlint_measurement row = { .size = sizeof row };
    char error[256] = "";
    ptxlint_status status = ptxlint_measurements_new(text, length, NULL, &measurements, error,
                                                     sizeof error);
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    for (size_t i = 0; ptxlint_measurement_at(measurements, i, &row); i++)
        require(!(row.us <= 0), "a time is above 0, or there is none");
    ptxlint_measurements_free(measurements);
}

static void try_launches(const char *text, size_t length)
{
    ptxlint_launches *launches;
    char error[256] = "";
    ptxlint_status status = ptxlint_launches_new(text, length, &launches, error, sizeof error);
    require(status == PTXLINT_OK || (status == PTXLINT_BAD_FILE && *error), "a refusal says why");
    if (status == PTXLINT_OK)
        use(NULL, launches, NULL);
    ptxlint_launches_free(launches);
}

/* KEY, a blank, VALUE. */
static void try_setting(const char *text)
{
    ptxlint_launches *launches;
    char key[16] = "", error[256] = "";
    const char *value = strchr(text, ' ');
    if (!value || value - text >= (int)sizeof key)
        return;
    memcpy(key, text, (size_t)(value - text));
    require(ptxlint_launches_new(NULL, 0, &launches, NULL, 0) == PTXLINT_OK,
            "no file is nothing known");
    if (ptxlint_launches_set(launches, key, value + 1, error, sizeof error) == PTXLINT_OK)
        use(NULL, launches, NULL);
    else
        require(*error != 0, "a refusal says why");
    ptxlint_launches_free(launches);
}

static void try_log(const char *text, size_t length)
{
    ptxlint_ptxas *ptxas;
    require(ptxlint_ptxas_new(&ptxas) == PTXLINT_OK, "an empty log");
    require(ptxlint_ptxas_add(ptxas, text, length, NULL) == PTXLINT_OK, "any text is a log");
    use(NULL, NULL, ptxas);
    ptxlint_ptxas_free(ptxas);
}

/* The first line: an instruction to be looked up. */
static void try_isa(const char *text, size_t length)
{
    ptxlint_isa *isa;
    ptxlint_isa_sample sample;
    ptxlint_isa_rate rate;
    char error[256] = "", hover[512];
    const char *end = memchr(text, '\n', length);
    length = end ? (size_t)(end - text) : length;
    ptxlint_status status = ptxlint_isa_new(text, length, &isa, error, sizeof error);
    require((status == PTXLINT_OK) == (isa != NULL), "forms, or a reason");
    require(status == PTXLINT_OK || status == PTXLINT_BAD_ARGUMENT,
            "any text is an instruction or none");
    for (size_t i = 0; isa && ptxlint_isa_sample_at(isa, i, &sample); i++)
        require(ptxlint_isa_get_info(isa)->form_count && *sample.text, "samples are of forms");
    (void)ptxlint_isa_get_rate(text, length, ptxlint_gpu_at(0), &rate);
    require(ptxlint_isa_hover(text, length, ptxlint_gpu_at(0), hover, sizeof hover) || !isa,
            "what has forms can be shown");
    ptxlint_isa_free(isa);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    try_gpu(text, size);
    try_measurements(text, size);
    try_launches(text, size);
    try_setting(text);
    try_log(text, size);
    try_isa(text, size);
    free(text);
    return 0;
}
