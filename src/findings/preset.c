#include "findings/preset.h"

#include "support/words.h"

#include <stdio.h>
#include <string.h>

static bool fail_preset(const char *text, size_t length, ConfigError *error)
{
    char names[160] = "";
    size_t used = 0;
    const char *near = NULL;
    unsigned best = 3;
    for (const Preset *preset = ptx_presets; preset->name; preset++) {
        unsigned apart = ptx_edit_distance(text, length, preset->name, strlen(preset->name));
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                 preset->name);
        if (apart < best && apart < strlen(preset->name))
            best = apart, near = preset->name;
    }
    return near ? ptx_config_fail(error, "'%.*s' is not one of %s; did you mean %s?",
                                  ptx_shown(length), text, names, near)
                : ptx_config_fail(error, "'%.*s' is not one of %s", ptx_shown(length), text, names);
}

bool ptx_config_set_preset(ptxlint_config *config, Layer *layer, const char *text, size_t length,
                           ConfigError *error)
{
    const Preset *preset = ptx_presets;
    while (preset->name && (strlen(preset->name) != length || memcmp(preset->name, text, length)))
        preset++;
    if (!preset->name)
        return fail_preset(text, length, error);
    Layer *base = ptx_arena_new(&config->arena, Layer);
    if (!ptx_config_parse(config, base, preset->text, strlen(preset->text), error))
        return false;
    layer->preset = preset->name;
    layer->base = base;
    return true;
}

const char *ptxlint_preset_name(size_t index)
{
    for (size_t i = 0; ptx_presets[i].name; i++)
        if (i == index)
            return ptx_presets[i].name;
    return NULL;
}
