/* profile.c -- launches of a profiler's table: Nsight Compute's --csv (raw and details page) and
 * nsys stats' cuda_gpu_trace. Of a kernel that was launched in several ways, each is an entry, the
 * one that took the most time in all first. */
#define _GNU_SOURCE
#include "input/metadata/metadata.h"

#include <csv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum ProfileColumn {
    COLUMN_ID, /* of a launch; rows of one launch follow each other */
    COLUMN_KERNEL,
    COLUMN_GRID, /* "(64, 1, 1)" */
    COLUMN_BLOCK,
    COLUMN_GRID_X, /* or three columns each */
    COLUMN_GRID_Y,
    COLUMN_GRID_Z,
    COLUMN_BLOCK_X,
    COLUMN_BLOCK_Y,
    COLUMN_BLOCK_Z,
    COLUMN_SHARED, /* bytes */
    COLUMN_TIME,
    COLUMN_METRIC, /* of the details page: its name, unit and value */
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMN_COUNT
} ProfileColumn;

static const struct ColumnName {
    ProfileColumn column;
    const char *name;
} column_names[] = {
    { COLUMN_ID, "ID" },
    { COLUMN_ID, "CorrId" },
    { COLUMN_KERNEL, "Kernel Name" },
    { COLUMN_KERNEL, "Name" },
    { COLUMN_GRID, "Grid Size" },
    { COLUMN_BLOCK, "Block Size" },
    { COLUMN_GRID_X, "GrdX" },
    { COLUMN_GRID_Y, "GrdY" },
    { COLUMN_GRID_Z, "GrdZ" },
    { COLUMN_BLOCK_X, "BlkX" },
    { COLUMN_BLOCK_Y, "BlkY" },
    { COLUMN_BLOCK_Z, "BlkZ" },
    { COLUMN_SHARED, "launch__shared_mem_per_block_dynamic" },
    { COLUMN_SHARED, "DymSMem (B)" },
    { COLUMN_TIME, "gpu__time_duration.sum" },
    { COLUMN_TIME, "Duration (ns)" },
    { COLUMN_METRIC, "Metric Name" },
    { COLUMN_UNIT, "Metric Unit" },
    { COLUMN_VALUE, "Metric Value" },
};

typedef struct ProfileTable {
    json_t *row;                /* cells so far; NULL: no memory */
    size_t place[COLUMN_COUNT]; /* from 1; 0: the table has none */
    json_t *units;              /* second row of the raw page */
    bool has_header;
    json_t *launch; /* of the rows that follow each other; NULL */
    char id[64];
    double time, digit; /* in ns; half of the last digit that it was written with */
    char *kernel;
    json_t *rows;    /* each launch with its time in ns: they are wanted; else NULL */
    json_t *kernels; /* by kernel, then by the launch as JSON: {"launch", "time"} */
} ProfileTable;

static const char *cell_of(const json_t *row, const ProfileTable *t, ProfileColumn column)
{
    const char *text =
        t->place[column] ? json_string_value(json_array_get(row, t->place[column] - 1)) : NULL;
    return text ? text : "";
}

/* "16,384"; NaN: it is no number. */
static double parse_number(const char *text)
{
    char digits[40];
    size_t used = 0;
    for (; *text && used + 1 < sizeof digits; text++)
        if (*text != ',')
            digits[used++] = *text;
    digits[used] = 0;
    char *end;
    double number = strtod(digits, &end);
    return used && !*end ? number : NAN;
}

/* ---- a launch -------------------------------------------------------------------------------- */

static json_t *read_extents(const ProfileTable *t, ProfileColumn whole, ProfileColumn x)
{
    if (t->place[whole])
        return ptx_metadata_shape(cell_of(t->row, t, whole));
    json_t *shape = json_array();
    for (int i = 0; i < 3; i++) {
        double extent = parse_number(cell_of(t->row, t, x + (ProfileColumn)i));
        if (!(extent >= 1 && extent <= INT32_MAX)) {
            json_decref(shape);
            return NULL;
        }
        json_array_append_new(shape, json_integer((json_int_t)extent));
    }
    return shape;
}

/* With a prefix a figure is rounded: no number of bytes. */
static void put_shared_bytes(ProfileTable *t, const char *value, const char *unit)
{
    double bytes = parse_number(value);
    if (bytes >= 0 && bytes == floor(bytes) && (!*unit || !strncmp(unit, "byte", 4)))
        json_object_set_new(t->launch, "dynamic_shared", json_integer((json_int_t)bytes));
}

/* The profiler's "second" too; without a unit it is ns. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {
        { "us", 1e3 },      { "ms", 1e6 },      { "s", 1e9 },
        { "usecond", 1e3 }, { "msecond", 1e6 }, { "second", 1e9 },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].unit))
            return units[i].ns;
    return 1;
}

static void set_time(ProfileTable *t, const char *value, const char *unit)
{
    const double time = parse_number(value) * unit_ns(unit);
    if (!(time > 0))
        return;
    const char *point = strchr(value, '.');
    t->time = time;
    t->digit = 0.5 * unit_ns(unit) * pow(10, point ? -(double)strlen(point + 1) : 0);
}

/* The launch that is being read as a row of its own. */
static void keep_launch(const ProfileTable *t)
{
    json_t *row = t->launch ? json_deep_copy(t->launch) : NULL;
    if (!row)
        return;
    json_object_set_new(row, "kernel", json_string(t->kernel));
    if (t->time > 0)
        json_object_set_new(row, "ns", json_real(t->time));
    json_object_set_new(row, "resolution_ns", json_real(t->digit));
    json_array_append_new(t->rows, row);
}

/* Adds the launch that is being read to its kernel's. */
static void close_launch(ProfileTable *t)
{
    char *key = t->launch && !t->rows ? json_dumps(t->launch, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (t->rows)
        keep_launch(t);
    if (key) {
        json_t *ways = json_object_get(t->kernels, t->kernel);
        if (!ways) {
            json_object_set_new(t->kernels, t->kernel, json_object());
            ways = json_object_get(t->kernels, t->kernel);
        }
        json_t *way = json_object_get(ways, key);
        double time = t->time + json_real_value(json_object_get(way, "time"));
        json_object_set_new(ways, key, json_pack("{s:O, s:f}", "launch", t->launch, "time", time));
    }
    free(key);
    free(t->kernel);
    json_decref(t->launch);
    t->kernel = NULL;
    t->launch = NULL;
    t->time = 0;
}

static void open_launch(ProfileTable *t)
{
    json_t *grid = read_extents(t, COLUMN_GRID, COLUMN_GRID_X),
           *block = read_extents(t, COLUMN_BLOCK, COLUMN_BLOCK_X);
    t->kernel = strdup(cell_of(t->row, t, COLUMN_KERNEL));
    if (grid && block && t->kernel && *t->kernel)
        t->launch = json_pack("{s:O, s:O}", "grid", grid, "block", block);
    json_decref(grid);
    json_decref(block);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_columns(ProfileTable *t)
{
    size_t index;
    json_t *name;
    json_array_foreach(t->row, index, name) {
        for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
            if (!strcmp(json_string_value(name), column_names[i].name))
                t->place[column_names[i].column] = index + 1;
    }
    t->has_header = true;
}

static void read_figures(ProfileTable *t)
{
    const char *metric = cell_of(t->row, t, COLUMN_METRIC),
               *value = cell_of(t->row, t, COLUMN_VALUE), *unit = cell_of(t->row, t, COLUMN_UNIT);
    if (t->place[COLUMN_SHARED])
        put_shared_bytes(t, cell_of(t->row, t, COLUMN_SHARED), cell_of(t->units, t, COLUMN_SHARED));
    if (t->place[COLUMN_TIME])
        set_time(t, cell_of(t->row, t, COLUMN_TIME), cell_of(t->units, t, COLUMN_TIME));
    if (!strcmp(metric, "Dynamic Shared Memory Per Block"))
        put_shared_bytes(t, value, unit);
    else if (!strcmp(metric, "Duration"))
        set_time(t, value, unit);
}

static void read_launch_line(ProfileTable *t)
{
    const char *id = cell_of(t->row, t, COLUMN_ID);
    if (!t->has_header) {
        read_columns(t);
    } else if (!*cell_of(t->row, t, COLUMN_KERNEL)) {
        t->units = t->units ? t->units : json_incref(t->row);
    } else {
        if (!t->launch || strcmp(id, t->id) != 0) {
            close_launch(t);
            open_launch(t);
            snprintf(t->id, sizeof t->id, "%s", id);
        }
        if (t->launch)
            read_figures(t);
    }
}

static void take_cell(void *text, size_t length, void *context)
{
    ProfileTable *t = context;
    json_t *value = text ? json_stringn(text, length) : NULL;
    json_array_append_new(t->row, value ? value : json_string(""));
}

static void close_row(int end, void *context)
{
    ProfileTable *t = context;
    (void)end;
    read_launch_line(t);
    json_decref(t->row);
    t->row = json_array();
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The line of column names: profilers and the program print lines before it. */
static const char *find_header(const char *text, size_t length)
{
    static const char *const kinds[][2] = { { "\"Kernel Name\"", "\"Grid Size\"" },
                                            { "GrdX", "BlkX" } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = memmem(text, length, kinds[i][0], strlen(kinds[i][0]));
        const char *end = at ? memchr(at, '\n', length - (size_t)(at - text)) : NULL;
        if (!end || !memmem(at, (size_t)(end - at), kinds[i][1], strlen(kinds[i][1])))
            continue;
        while (at > text && at[-1] != '\n')
            at--;
        return at;
    }
    return NULL;
}

bool ptx_profile_is(const char *text, size_t length)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\r\n", text[blank]))
        blank++;
    return blank < length && find_header(text, length)
           && !(text[blank] == '{' && memmem(text, length, "\"kernels\"", 9));
}

json_t *ptx_profile_glob(const char *name)
{
    char *glob = malloc(3 * strlen(name) + 1), *end = glob;
    if (!glob)
        return NULL;
    for (; *name; name++) {
        bool is_special = strchr("*?[", *name) != NULL;
        if (is_special)
            *end++ = '[';
        *end++ = *name;
        if (is_special)
            *end++ = ']';
    }
    *end = 0;
    json_t *text = json_string(glob);
    free(glob);
    return text;
}

/* Behind those of the kernel that took more time; first: where the kernel's begin. */
static void insert_way(json_t *launches, size_t first, const char *kernel, json_t *way)
{
    size_t at = first;
    double time = json_real_value(json_object_get(way, "time"));
    json_t *launch = json_object_get(way, "launch");
    while (at < json_array_size(launches)
           && json_real_value(json_object_get(json_array_get(launches, at), "time")) >= time)
        at++;
    json_object_set_new(launch, "kernel", ptx_profile_glob(kernel));
    json_object_set_new(launch, "time", json_real(time));
    json_array_insert(launches, at, launch);
}

static json_t *list_profile_launches(json_t *kernels)
{
    json_t *launches = json_array(), *ways, *way, *launch;
    const char *kernel, *key;
    size_t index;
    json_object_foreach(kernels, kernel, ways)
    {
        size_t first = json_array_size(launches);
        json_object_foreach(ways, key, way) {
            insert_way(launches, first, kernel, way);
        }
    }
    json_array_foreach(launches, index, launch) {
        json_object_del(launch, "time");
    }
    return launches;
}

/* False: it is no such table. */
static bool read_table(const char *text, size_t length, ProfileTable *t)
{
    struct csv_parser parser;
    const char *header = find_header(text, length);
    if (!header || csv_init(&parser, 0))
        return false;
    t->row = json_array();
    size_t rest = length - (size_t)(header - text);
    csv_parse(&parser, header, rest, take_cell, close_row, t);
    csv_fini(&parser, take_cell, close_row, t);
    csv_free(&parser);
    close_launch(t);
    json_decref(t->row);
    json_decref(t->units);
    return true;
}

json_t *ptx_profile_read(const char *text, size_t length)
{
    ProfileTable t = { .kernels = json_object() };
    json_t *launches = read_table(text, length, &t) ? list_profile_launches(t.kernels) : NULL;
    json_decref(t.kernels);
    if (json_array_size(launches))
        return json_pack("{s:o}", "launches", launches);
    json_decref(launches);
    return NULL;
}

json_t *ptx_profile_rows(const char *text, size_t length)
{
    ProfileTable t = { .rows = json_array() };
    if (read_table(text, length, &t) && json_array_size(t.rows))
        return t.rows;
    json_decref(t.rows);
    return NULL;
}
