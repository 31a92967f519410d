/* preset.h -- the configs that ptxlint comes with, rules/presets/, of which tools/gen_presets.py
 * makes a table. A config names one as its base: what files and settings say counts over it. */
#ifndef PTX_FINDINGS_PRESET_H
#define PTX_FINDINGS_PRESET_H

#include "findings/config.h"

typedef struct Preset {
    const char *name, *text;
} Preset;

extern const Preset ptx_presets[];      /* by name; ends with NULL */

/* Makes the preset of that name the base of what the layer says. False: *error. */
bool ptx_config_set_preset(ptxlint_config *config, Layer *layer, const char *text, size_t length,
                           ConfigError *error);

#endif
