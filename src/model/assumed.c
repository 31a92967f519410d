/* assumed.c -- what figures of a kernel rest on that its launch does not give, in words. */
#include "model/view.h"
#include "analysis/access/evaluate.h"
#include "analysis/sim/guess.h"
#include "session/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <stddef.h>

enum { MAX_LIST = 80, TEXT_BYTES = 160 };

typedef struct AssumedList {
    Arena *arena;
    const char **items;
    size_t count, room;
    char *give;                 /* options that would give them; give_bytes of room */
    size_t give_bytes;
    uint64_t given;             /* bits of positions that it has */
} AssumedList;

static void add(AssumedList *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(AssumedList *list, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;
    if (list->count == list->room)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    list->items[list->count++] = ptx_arena_strndup(list->arena, text, strlen(text));
}

static void give(AssumedList *list, const char *option)
{
    size_t length = strlen(list->give);
    snprintf(list->give + length, list->give_bytes - length, "%s%s", length ? ", " : "", option);
}

/* Of a structure the bytes are given, all at once. */
static void give_param(AssumedList *list, const AssumedParam *param)
{
    char option[48];
    uint64_t bit = UINT64_C(1) << (param->position & 63);
    if (list->given & bit && param->position < 64)
        return;
    list->given |= bit;
    snprintf(option, sizeof option,
             param->is_part ? "--param '%u={\"bytes\": ...}'" : "--param %u=N",
             (unsigned)param->position);
    give(list, option);
}

static void add_param(AssumedList *list, const ptxlint_kernel *kernel, const AssumedParam *param)
{
    char place[24] = "", number[32], name[80] = "";
    const char *source_name = param->position < kernel->param_count
                                  ? kernel->params[param->position].source_name
                                  : NULL;
    double wide;
    float narrow;
    uint32_t bits = (uint32_t)param->number;
    memcpy(&wide, &param->number, sizeof wide);
    memcpy(&narrow, &bits, sizeof narrow);
    if (param->is_part)
        snprintf(place, sizeof place, ", byte %u", (unsigned)param->offset);
    if (param->is_float)
        snprintf(number, sizeof number, " = %.1f", param->bytes == 4 ? (double)narrow : wide);
    else if (param->bytes == 8)             /* where an array might lie: no number to read */
        snprintf(number, sizeof number, ": a pointer or a large number");
    else
        snprintf(number, sizeof number, " = %llu", (unsigned long long)param->number);
    if (source_name)
        snprintf(name, sizeof name, " (%s)", source_name);
    add(list, "param %u%s%s%s", (unsigned)param->position, name, place, number);
    give_param(list, param);
}

static void add_assumed_shape(AssumedList *list, const char *name, const char *option, double x,
                              double y, double z)
{
    add(list, "%s = %.0f x %.0f x %.0f", name, x, y, z);
    give(list, option);
}

/* Loops of the view stand in the order of their numbers. */
static void add_assumed_trips(AssumedList *list, const GuessedTrips *trips,
                              const ptxlint_kernel *kernel)
{
    const ptxlint_loop *loop = trips->loop < kernel->loop_count ? &kernel->loops[trips->loop]
                                                                : NULL;
    if (loop && *loop->label)
        add(list, "trips of %.100s = %u%s", loop->label, (unsigned)trips->count,
            trips->is_sampled ? ", the mean of random data" : "");
}

void ptx_view_assumed(Sessions *all, const Evaluation *evaluation, ptxlint_kernel *kernel)
{
    ptxlint_launch *launch = &kernel->launch;
    char options[1024] = "";
    uint32_t params = evaluation ? evaluation->assumed_count : 0;
    params = params < MAX_LIST ? params : MAX_LIST;
    AssumedList list = { .arena = all->arena,
                         .room = params + 3 + MAX_GUESSED,
                         .give = options,
                         .give_bytes = sizeof options };
    list.items = ptx_arena_array(all->arena, const char *, list.room);
    if (launch->block_is_assumed)
        add_assumed_shape(&list, "block", "--block", (double)launch->block[0],
                          (double)launch->block[1], (double)launch->block[2]);
    if (evaluation && evaluation->grid_is_assumed && evaluation->shape_is_read)
        add_assumed_shape(&list, "grid", "--grid", evaluation->grid[0], evaluation->grid[1],
                          evaluation->grid[2]);
    if (evaluation && evaluation->dynamic_is_assumed) {
        add(&list, "dynamic shared memory = 0 bytes");
        give(&list, "--dynamic-shared");
    }
    for (uint32_t i = 0; i < params; i++)
        add_param(&list, kernel, &evaluation->assumed[i]);
    for (uint32_t i = 0; evaluation && i < evaluation->guessed_count; i++)
        add_assumed_trips(&list, &evaluation->guessed[i], kernel);
    launch->assumed = list.items;
    launch->assumed_count = list.count;
    launch->assumed_options = *options ? ptx_arena_strndup(all->arena, options, strlen(options))
                                       : NULL;
}
