/* The names of figures, machine operations and pipes. */
#include "gpu/gpu.h"

const FigureInfo ptx_figure_info[FIGURE__COUNT] = {
#define FG(id, key, section, unit, what) [FIGURE_##id] = { key, section, unit, what },
#include "gpu/figures.def"
#undef FG
};

const NameInfo ptx_machine_info[MACHINE__COUNT] = {
#define MO(id, key, what) [MACHINE_##id] = { key, what },
#include "gpu/machine.def"
#undef MO
};

const NameInfo ptx_pipe_info[PIPE__COUNT] = {
#define PI(id, key, what) [PIPE_##id] = { key, what },
#include "gpu/pipes.def"
#undef PI
};
