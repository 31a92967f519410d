/* measured.c -- reads measurements: a profiler's table, JSON lines, a JSON array, CSV, the timings
 * that Triton's autotuner keeps. Each row becomes an object first, whatever it stood in. */
#define _GNU_SOURCE
#include "input/measured.h"

#include "input/launch.h"
#include "input/metadata/metadata.h"
#include "support/choice.h"
#include "support/limits.h"

#include <csv.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct MeasuredReader {
    json_t *rows, *globs;       /* objects, one a launch; names of kernels */
    const char *column;         /* that has the time; NULL: the first that is known */
    char *error;
    size_t error_size;
} MeasuredReader;

static ptxlint_status refuse_rows(const MeasuredReader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static ptxlint_status refuse_rows(const MeasuredReader *r, const char *format, ...)
{
    if (r->error && r->error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(r->error, r->error_size, format, args);
        va_end(args);
    }
    return PTXLINT_BAD_FILE;
}

/* ---- rows of JSON ---------------------------------------------------------------------------- */

/* A line each; blank ones are skipped. */
static ptxlint_status read_lines(MeasuredReader *r, const char *text, size_t length)
{
    size_t line = 1;
    for (const char *at = text, *end = text + length; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t here = (size_t)((stop ? stop : end) - at);
        json_error_t where;
        if (strspn(at, " \t\r") < here) {
            json_t *row = json_loadb(at, here, JSON_REJECT_DUPLICATES, &where);
            if (!json_is_object(row)) {
                json_decref(row);
                return refuse_rows(r, "line %zu: %s", line,
                                row ? "is no JSON object" : ptx_without_excerpt(where.text));
            }
            json_array_append_new(r->rows, row);
        }
        at += here + 1;
    }
    return PTXLINT_OK;
}

/* Threads are in the config as warps; the median comes first of its times, in ms. */
static json_t *row_of_config(const json_t *pair)
{
    const json_t *config = json_array_get(pair, 0), *times = json_array_get(pair, 1),
                 *median = json_is_array(times) ? json_array_get(times, 0) : times;
    const json_int_t warps = json_integer_value(json_object_get(config, "num_warps"));
    if (!json_is_object(config) || !json_is_number(median))
        return NULL;
    json_t *row = json_pack("{s:f}", "ms", json_number_value(median));
    if (warps > 0)
        json_object_set_new(row, "block", json_pack("[I]", 32 * warps));
    return row;
}

static ptxlint_status read_autotuner(MeasuredReader *r, const json_t *root)
{
    const json_t *timings = json_object_get(root, "configs_timings");
    const char *kernel = json_string_value(json_object_get(root, "kernel"));
    for (size_t i = 0; i < json_array_size(timings); i++) {
        json_t *row = row_of_config(json_array_get(timings, i));
        if (!row)
            return refuse_rows(r, "config %zu of \"configs_timings\" has no time", i + 1);
        if (kernel)
            json_object_set_new(row, "kernel", json_string(kernel));
        json_array_append_new(r->rows, row);
    }
    return PTXLINT_OK;
}

/* All of the text is one value; else a line each. */
static ptxlint_status read_json(MeasuredReader *r, const char *text, size_t length)
{
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    ptxlint_status status = PTXLINT_OK;
    if (!root)
        return read_lines(r, text, length);
    if (json_is_array(root))
        json_array_extend(r->rows, root);
    else if (json_object_get(root, "configs_timings"))
        status = read_autotuner(r, root);
    else
        json_array_append(r->rows, root);
    json_decref(root);
    return status;
}

/* ---- rows of CSV ----------------------------------------------------------------------------- */

typedef struct MeasuredTable {
    json_t *names, *row;
    json_t *rows;
} MeasuredTable;

static void take_measured_cell(void *text, size_t length, void *context)
{
    MeasuredTable *t = context;
    json_t *cell = text ? json_stringn(text, length) : NULL;
    json_array_append_new(t->row, cell ? cell : json_string(""));
}

/* Cells that are empty say nothing. */
static void close_measured_row(int end, void *context)
{
    MeasuredTable *t = context;
    size_t i;
    json_t *cell, *row;
    (void)end;
    if (!t->names) {
        t->names = t->row;
        t->row = json_array();
        return;
    }
    row = json_object();
    json_array_foreach(t->row, i, cell) {
        const char *name = json_string_value(json_array_get(t->names, i));
        if (name && *name && json_string_length(cell))
            json_object_set(row, name, cell);
    }
    if (json_object_size(row))
        json_array_append(t->rows, row);
    json_decref(row);
    json_array_clear(t->row);
}

static ptxlint_status read_csv(MeasuredReader *r, const char *text, size_t length)
{
    MeasuredTable t = { .row = json_array(), .rows = r->rows };
    struct csv_parser parser;
    if (csv_init(&parser, CSV_APPEND_NULL))
        return PTXLINT_NO_MEMORY;
    csv_parse(&parser, text, length, take_measured_cell, close_measured_row, &t);
    csv_fini(&parser, take_measured_cell, close_measured_row, &t);
    csv_free(&parser);
    json_decref(t.names);
    json_decref(t.row);
    return PTXLINT_OK;
}

/* ---- what a row says ------------------------------------------------------------------------- */

static const struct TimeUnit {
    const char *suffix;
    double us;
} time_units[] = {
    { "us", 1 }, { "ns", 1e-3 }, { "ms", 1e3 }, { "microseconds", 1 }, { "(ns)", 1e-3 },
    { "(us)", 1 }, { "(ms)", 1e3 }, { "_s", 1e6 }, { "(s)", 1e6 },
};

/* Of a column of that name; 0: it does not say. */
static double unit_of_column(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++) {
        const size_t own = strlen(time_units[i].suffix);
        if (length >= own && !strcasecmp(name + length - own, time_units[i].suffix))
            return time_units[i].us;
    }
    return 0;
}

static const char *const time_columns[] = {
    "us", "time_us", "measured_us", "duration_us", "median_us", "ns", "time_ns", "duration_ns",
    "median_ns", "ms", "time_ms", "duration_ms", "median_ms", "microseconds", "Duration (ns)",
    "Duration (us)", "Avg (ns)", NULL
};

/* The one that is asked for, else the first that is there; NULL. */
static const char *time_column_of(const json_t *row, const char *asked)
{
    if (asked)
        return json_object_get(row, asked) ? asked : NULL;
    for (size_t i = 0; time_columns[i]; i++)
        if (json_object_get(row, time_columns[i]))
            return time_columns[i];
    return NULL;
}

/* Not by strtod, whose point is the locale's. */
static double measured_number(const json_t *value)
{
    if (json_is_number(value))
        return json_number_value(value);
    json_t *number = json_is_string(value)
                         ? json_loads(json_string_value(value), JSON_DECODE_ANY, NULL)
                         : NULL;
    const double out = json_is_number(number) ? json_number_value(number) : (double)NAN;
    json_decref(number);
    return out;
}

/* Half of the last digit that a number has: what it may be off by for being rounded. */
static double half_digit(double number)
{
    char text[40];
    for (int digits = 0; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*f", digits, number);
        if (fabs(strtod(text, NULL) - number) <= 1e-12 * fabs(number))
            return 0.5 * pow(10, -digits);
    }
    return 0;
}

static void set_measured_time(const MeasuredReader *r, const json_t *row,
                              ptxlint_measurement *out)
{
    const char *column = time_column_of(row, r->column);
    const double unit = column ? unit_of_column(column) : 0;
    const double value = column ? measured_number(json_object_get(row, column)) : (double)NAN;
    const json_t *resolution = json_object_get(row, "resolution_ns");
    out->us = value > 0 && isfinite(value) && unit > 0 ? value * unit : (double)NAN;
    out->resolution_us = json_is_number(resolution) ? json_number_value(resolution) / 1e3
                                                    : half_digit(value) * unit;
}

/* [64, 1], 64, "64x1", "(64, 1, 1)": an array of numbers; NULL: it is none of these. */
static json_t *measured_shape(const json_t *value)
{
    const char *at = json_string_value(value);
    if (json_is_array(value))
        return json_deep_copy(value);
    if (json_is_integer(value))
        return json_pack("[I]", json_integer_value(value));
    json_t *shape = at ? json_array() : NULL;
    for (at += at ? strspn(at, "([ ") : 0; shape && *at && !strchr(")]", *at);) {
        char *end;
        const long long extent = strtoll(at, &end, 10);
        if (end == at) {
            json_decref(shape);
            return NULL;
        }
        json_array_append_new(shape, json_integer(extent));
        at = end + strspn(end, ",xX* ");
    }
    return shape;
}

static json_t *measured_whole(const json_t *value)
{
    const double number = measured_number(value);
    return number >= 0 && number < 1e15 && number == floor(number)
               ? json_integer((json_int_t)number)
               : json_deep_copy(value);
}

/* Params and the like in CSV are JSON in a cell. */
static json_t *tree_of(const json_t *value)
{
    json_t *tree = json_is_string(value) ? json_loads(json_string_value(value), JSON_DECODE_ANY,
                                                      NULL)
                                         : NULL;
    return tree ? tree : json_deep_copy(value);
}

/* What an entry of a launch file holds, of the row or its "launch". */
static json_t *launch_of_row(const json_t *row)
{
    static const struct LaunchColumn {
        const char *key;
        json_t *(*read)(const json_t *value);
    } columns[] = {
        { "grid", measured_shape },
        { "block", measured_shape },
        { "cluster", measured_shape },
        { "dynamic_shared", measured_whole },
        { "shared_bank_bytes", measured_whole },
        { "params", tree_of },
        { "trips", tree_of },
        { "scratch", tree_of },
    };
    const json_t *inner = json_object_get(row, "launch"),
                 *from = json_is_object(inner) ? inner : row;
    json_t *launch = json_object();
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const json_t *value = json_object_get(from, columns[i].key);
        if (!value || json_is_null(value))
            continue;
        json_t *read = columns[i].read(value);
        json_object_set_new(launch, columns[i].key, read ? read : json_deep_copy(value));
    }
    return launch;
}

static const char *text_at(const json_t *row, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_string_length(json_object_get(row, *keys)))
            return json_string_value(json_object_get(row, *keys));
    return NULL;
}

static void copy_extents(const json_t *shape, int64_t out[3])
{
    for (size_t i = 0; i < 3; i++) {
        const int64_t rest = shape ? 1 : PTXLINT_UNKNOWN;
        out[i] = i < json_array_size(shape) ? json_integer_value(json_array_get(shape, i)) : rest;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void show_row(const MeasuredReader *r, const json_t *row, MeasuredRow *out)
{
    static const char *const kernels[] = { "kernel", "Kernel Name", "name", "Name", NULL },
                             *const paths[] = { "file", "ptx", "path", NULL },
                             *const gpus[] = { "gpu", "device", NULL };
    const json_t *shared = json_object_get(out->launch, "dynamic_shared");
    out->view = (ptxlint_measurement){
        .size = sizeof out->view,
        .kernel = text_at(row, kernels),
        .path = text_at(row, paths),
        .gpu = text_at(row, gpus),
        .dynamic_shared_bytes = shared ? json_integer_value(shared) : PTXLINT_UNKNOWN,
    };
    if (out->view.kernel) {
        json_t *glob = ptx_profile_glob(out->view.kernel);
        json_array_append_new(r->globs, glob ? glob : json_string(out->view.kernel));
        out->glob = json_string_value(json_array_get(r->globs, json_array_size(r->globs) - 1));
    }
    copy_extents(json_object_get(out->launch, "grid"), out->view.grid);
    copy_extents(json_object_get(out->launch, "block"), out->view.block);
    set_measured_time(r, row, &out->view);
}

/* A launch file that has this one launch must be good. */
static ptxlint_status check_row(const MeasuredReader *r, size_t number, json_t *launch)
{
    char error[400] = "";
    ptxlint_launches *launches = NULL;
    const ptxlint_status status = ptx_launches_of(json_pack("{s:[O]}", "launches", launch),
                                                  &launches, error, sizeof error);
    ptxlint_launches_free(launches);
    if (status != PTXLINT_BAD_FILE)
        return status;
    const char *what = strstr(error, ": ");
    return refuse_rows(r, "row %zu: %s", number, what ? what + 2 : error);
}

static ptxlint_status take_rows(const MeasuredReader *r, ptxlint_measurements *out)
{
    size_t i, timed = 0;
    json_t *row;
    ptxlint_status status = PTXLINT_OK;
    json_array_foreach(r->rows, i, row) {
        MeasuredRow *to = &out->items[i];
        if (!json_is_object(row))
            return refuse_rows(r, "row %zu is no object", i + 1);
        to->launch = launch_of_row(row);
        out->count = i + 1;
        status = to->launch ? check_row(r, i + 1, to->launch) : PTXLINT_NO_MEMORY;
        if (status != PTXLINT_OK)
            return status;
        show_row(r, row, to);
        timed += isfinite(to->view.us) != 0;
    }
    if (timed)
        return PTXLINT_OK;
    if (r->column)
        return refuse_rows(
            r, "no row has a time in a column '%.60s' whose name ends in us, ns or ms", r->column);
    return refuse_rows(r, "no row has a time: a column us, ns, ms, time_us, duration_ns or the "
                          "like, or one that --column names");
}

/* ---- the file -------------------------------------------------------------------------------- */

static ptxlint_status read_rows(MeasuredReader *r, const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t skipped = length >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    text += skipped;
    length -= skipped;
    const size_t blank = strspn(text, " \t\r\n");
    if (blank >= length)
        return refuse_rows(r, "is empty");
    if (ptx_profile_is(text, length)) {
        json_decref(r->rows);
        r->rows = ptx_profile_rows(text, length);
        return r->rows ? PTXLINT_OK : refuse_rows(r, "no launch of a kernel in this table");
    }
    return text[blank] == '{' || text[blank] == '[' ? read_json(r, text, length)
                                                    : read_csv(r, text, length);
}

static ptxlint_status make_rows(MeasuredReader *r, ptxlint_measurements **out)
{
    const size_t count = json_array_size(r->rows);
    if (!count || count > LIMIT_MEASURED_ROWS)
        return refuse_rows(r, count ? "has more than 131072 rows" : "has no row");
    ptxlint_measurements *made = calloc(1, sizeof *made);
    if (made)
        made->items = calloc(count, sizeof *made->items);
    ptxlint_status status = made && made->items ? take_rows(r, made) : PTXLINT_NO_MEMORY;
    if (status == PTXLINT_OK) {
        made->rows = json_incref(r->rows);
        made->globs = json_incref(r->globs);
        *out = made;
    } else {
        ptxlint_measurements_free(made);
    }
    return status;
}

ptxlint_status ptxlint_measurements_new(const char *text, size_t length, const char *column,
                                        ptxlint_measurements **out, char *error, size_t error_size)
{
    if (!out || (!text && length))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    MeasuredReader r = { json_array(), json_array(), column, error, error_size };
    char *own = malloc(length + 1);     /* with a NUL */
    if (!own || !r.rows) {
        free(own);
        json_decref(r.rows);
        json_decref(r.globs);
        return PTXLINT_NO_MEMORY;
    }
    if (length)
        memcpy(own, text, length);
    own[length] = 0;
    ptxlint_status status = read_rows(&r, own, length);
    if (status == PTXLINT_OK)
        status = make_rows(&r, out);
    free(own);
    json_decref(r.rows);
    json_decref(r.globs);
    return status;
}

void ptxlint_measurements_free(ptxlint_measurements *measurements)
{
    if (!measurements)
        return;
    for (size_t i = 0; i < measurements->count; i++)
        json_decref(measurements->items[i].launch);
    json_decref(measurements->rows);
    json_decref(measurements->globs);
    free(measurements->items);
    free(measurements);
}

int ptxlint_measurement_at(const ptxlint_measurements *measurements, size_t index,
                           ptxlint_measurement *out)
{
    if (!measurements || !out || out->size != sizeof *out || index >= measurements->count)
        return 0;
    *out = measurements->items[index].view;
    return 1;
}
