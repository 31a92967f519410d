#include "measure/bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OUT_BYTES = 1 << 20,
    TIMES_AT = 131072,          /* of single loads, in what a kernel writes */
    LINE = 128,
    STARTS = 64,                /* places in a chain that launches begin at */
    WARM_LAUNCHES = 20,
    FRESH_BYTES = 16 << 20,     /* that a launch leaves alone for the next */
    LAUNCHES_MAX = 4096
};

#define DATA_MOST ((uint64_t)1 << 30)
#define DATA_LEAST ((uint64_t)1 << 24)
#define PRIMED_BYTES ((uint64_t)16 << 20)       /* a chain that caches are to hold */

typedef struct Bench {
    CudaDriver driver;
    int device;
    void *context, *begin, *end;        /* and events */
    DeviceAddress out, data;
    uint64_t data_bytes;
    MeasuredDevice info;
    uint32_t *starts;                   /* lines that chains begin at, STARTS of them */
    char why[DRIVER_WHY_BYTES];
} Bench;

/* A probe that is ready to run. */
typedef struct BenchKernel {
    const Probe *probe;
    void *module, *function;
    uint64_t mask, step;
    unsigned grid, launches;            /* that were made */
} BenchKernel;

/* What a launch took: of its loop in clocks and ns, and as a whole in ns. */
typedef struct BenchTime { double clocks, loop_ns, ns; } BenchTime;

static bool is_done(Bench *bench, int result, const char *what)
{
    if (result)
        ptx_driver_error(&bench->driver, what, result, bench->why);
    return !result;
}

/* ---- the device ------------------------------------------------------------------------------ */

static double bench_attribute(Bench *bench, int which)
{
    int value = 0;
    const int result = bench->driver.device_attribute(&value, which, bench->device);
    return result || value <= 0 ? (double)NAN : value;
}

static bool count_devices(Bench *bench)
{
    int count = 0;
    if (!is_done(bench, bench->driver.init(0), "the driver does not start")
        || !is_done(bench, bench->driver.device_count(&count), "the driver counts no GPUs"))
        return false;
    if (count > 0)
        return is_done(bench, bench->driver.device_get(&bench->device, 0), "the first GPU");
    snprintf(bench->why, sizeof bench->why, "the driver has no GPU");
    return false;
}

/* Names of GPUs are ASCII; what is not came of a driver that says nonsense. */
static void keep_ascii(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static bool describe_device(Bench *bench)
{
    MeasuredDevice *info = &bench->info;
    size_t bytes = 0;
    int version = 0;
    const double major = bench_attribute(bench, ATTRIBUTE_MAJOR);
    const double minor = bench_attribute(bench, ATTRIBUTE_MINOR);
    if (!is_done(bench, bench->driver.device_name(info->name, sizeof info->name, bench->device),
                 "the name of the GPU"))
        return false;
    info->name[sizeof info->name - 1] = '\0';
    keep_ascii(info->name);
    info->major = major < 100 ? (unsigned)major : 0;
    info->minor = minor < 100 ? (unsigned)minor : 0;
    info->driver_version = bench->driver.version(&version) || version < 0 ? 0 : (unsigned)version;
    info->sms = bench_attribute(bench, ATTRIBUTE_SMS);
    info->clock_most_mhz = bench_attribute(bench, ATTRIBUTE_CLOCK_KHZ) / 1e3;
    info->l2_bytes = bench_attribute(bench, ATTRIBUTE_L2_BYTES);
    /* two transfers a clock */
    info->memory_gb_per_s = bench_attribute(bench, ATTRIBUTE_MEMORY_KHZ)
                            * bench_attribute(bench, ATTRIBUTE_BUS_BITS) / 8 * 2 / 1e6;
    info->memory_mib = bench->driver.device_bytes(&bytes, bench->device)
                           ? (double)NAN
                           : (double)(bytes >> 20);
    if (info->sms >= 1 && info->sms <= 4096 && info->major)
        return true;
    snprintf(bench->why, sizeof bench->why, "the driver does not say what the GPU is");
    return false;
}

/* As much as is free, a third of it at the most: others may use the GPU. */
static bool take_memory(Bench *bench)
{
    size_t available = 0, total = 0;
    CudaDriver *driver = &bench->driver;
    if (!is_done(bench, driver->memory_info(&available, &total), "the memory of the GPU"))
        return false;
    for (bench->data_bytes = DATA_MOST; bench->data_bytes > available / 3;)
        bench->data_bytes /= 2;
    if (bench->data_bytes < DATA_LEAST) {
        snprintf(bench->why, sizeof bench->why,
                 "the GPU has only %zu MiB of memory free; 48 are needed", available >> 20);
        return false;
    }
    return is_done(bench, driver->allocate(&bench->out, OUT_BYTES), "memory of the GPU")
           && is_done(bench, driver->allocate(&bench->data, bench->data_bytes), "memory of the GPU")
           && is_done(bench, driver->fill(bench->out, 0, OUT_BYTES / 4), "filling memory")
           && is_done(bench, driver->fill(bench->data, 0, bench->data_bytes / 4), "filling memory");
}

static bool open_bench(Bench *bench)
{
    CudaDriver *driver = &bench->driver;
    bench->starts = calloc(STARTS, sizeof *bench->starts);
    if (!bench->starts) {
        snprintf(bench->why, sizeof bench->why, "no memory");
        return false;
    }
    if (!ptx_driver_open(driver, bench->why) || !count_devices(bench) || !describe_device(bench))
        return false;
    return is_done(bench, driver->context_retain(&bench->context, bench->device), "a context")
           && is_done(bench, driver->context_set(bench->context), "a context")
           && is_done(bench, driver->event_create(&bench->begin, 0), "an event")
           && is_done(bench, driver->event_create(&bench->end, 0), "an event")
           && take_memory(bench);
}

static void close_bench(Bench *bench)
{
    CudaDriver *driver = &bench->driver;
    if (bench->begin)
        driver->event_destroy(bench->begin);
    if (bench->end)
        driver->event_destroy(bench->end);
    if (bench->data)
        driver->release(bench->data);
    if (bench->out)
        driver->release(bench->out);
    if (bench->context)
        driver->context_release(bench->device);
    ptx_driver_close(driver);
    free(bench->starts);
}

/* ---- what memory holds ----------------------------------------------------------------------- */

/* The same numbers each time. */
static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void shuffle_lines(uint32_t *order, uint32_t count)
{
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t other = (uint32_t)(next_number(&state) % (i + 1)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Each line holds the address of the next. */
static void link_lines(const Bench *bench, const uint32_t *order, uint32_t count, uint64_t *words)
{
    for (uint32_t i = 0; i < count; i++)
        words[(size_t)order[i] * (LINE / 8)] =
            bench->data + (uint64_t)order[i == count - 1 ? 0 : i + 1] * LINE;
    for (uint32_t i = 0; i < STARTS; i++)
        bench->starts[i] = order[(uint64_t)i * count / STARTS];
}

static bool upload_chain(Bench *bench, uint64_t span)
{
    const uint32_t count = (uint32_t)(span / LINE);
    uint32_t *order = malloc(count * sizeof *order);
    uint64_t *words = calloc(span / 8, sizeof *words);
    bool is_good = order && words;
    if (is_good) {
        shuffle_lines(order, count);
        link_lines(bench, order, count, words);
        is_good = is_done(bench, bench->driver.to_device(bench->data, words, span),
                          "copying to the GPU");
    } else {
        snprintf(bench->why, sizeof bench->why, "no memory");
    }
    free(words);
    free(order);
    return is_good;
}

/* L2 holds something else then. */
static bool flush_l2(Bench *bench)
{
    const uint64_t quarter = bench->data_bytes / 4, l2 = (uint64_t)fmax(bench->info.l2_bytes, 0);
    const uint64_t bytes = 2 * l2 < quarter ? 2 * l2 : quarter;
    return is_done(bench, bench->driver.fill(bench->data + 3 * quarter, 0, bytes / 4),
                   "filling memory");
}

static bool is_beyond_caches(const Probe *probe)
{
    return probe->span > PRIMED_BYTES;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Where a launch begins: none goes where one before it has been. */
static DeviceAddress start_of_launch(const Bench *bench, const BenchKernel *kernel)
{
    const unsigned number = kernel->launches % STARTS;
    if (kernel->probe->data == DATA_CHAIN)
        return bench->data + (uint64_t)bench->starts[number] * LINE;
    if (!is_beyond_caches(kernel->probe))
        return bench->data;
    if (kernel->probe->form == FORM_BANDWIDTH)      /* the shorter run here, the longer one there */
        return bench->data + number % 2 * (bench->data_bytes / 2);
    return bench->data + (uint64_t)number * FRESH_BYTES % (bench->data_bytes / 4);
}

static int launch_kernel(Bench *bench, BenchKernel *kernel, unsigned count, unsigned grid)
{
    DeviceAddress start = start_of_launch(bench, kernel);
    uint32_t zero = 0;
    float half = 0.5f;
    void *arguments[] = { &bench->out, &start, &count, &zero, &half, &kernel->mask, &kernel->step };
    kernel->launches++;
    return bench->driver.launch(kernel->function, grid, 1, 1, kernel->probe->threads, 1, 1, 0, NULL,
                                arguments, NULL);
}

/* The mean of all blocks. */
static bool read_clocks(Bench *bench, const BenchKernel *kernel, BenchTime *time)
{
    static uint64_t pairs[2 * LAUNCHES_MAX];
    const unsigned blocks = kernel->grid < LAUNCHES_MAX ? kernel->grid : LAUNCHES_MAX;
    const int result = bench->driver.to_host(pairs, bench->out, blocks * 16);
    if (!is_done(bench, result, "reading the clocks"))
        return false;
    time->clocks = time->loop_ns = 0;
    for (unsigned i = 0; i < blocks; i++) {
        time->clocks += (double)pairs[2 * i] / blocks;
        time->loop_ns += (double)pairs[2 * i + 1] / blocks;
    }
    return true;
}

/* times launches of grid blocks, between two events. */
static bool time_launches(Bench *bench, BenchKernel *kernel, unsigned count, unsigned grid,
                          BenchTime *time)
{
    CudaDriver *driver = &bench->driver;
    const bool is_many = kernel->probe->form == FORM_LAUNCHES;
    float ms = 0;
    bool is_good = is_done(bench, driver->event_record(bench->begin, NULL), "an event");
    for (unsigned i = 0; is_good && i < (is_many ? count : 1); i++)
        is_good = is_done(bench, launch_kernel(bench, kernel, count, grid), "a launch");
    is_good = is_good && is_done(bench, driver->event_record(bench->end, NULL), "an event")
              && is_done(bench, driver->event_wait(bench->end), "running a kernel")
              && is_done(bench, driver->event_elapsed(&ms, bench->begin, bench->end), "an event");
    time->ns = ms * 1e6;
    return is_good && read_clocks(bench, kernel, time);
}

/* ---- a figure -------------------------------------------------------------------------------- */

/* Of one more iteration, launch or block. */
static bool run_both(Bench *bench, BenchKernel *kernel, BenchTime *out)
{
    const Probe *probe = kernel->probe;
    const bool is_grid = probe->form == FORM_BLOCKS;
    const unsigned shorter = is_grid ? (unsigned)probe->amount : probe->iterations;
    BenchTime few, many;
    bool is_good;
    if (is_grid)
        is_good = time_launches(bench, kernel, 0, shorter, &few)
                  && time_launches(bench, kernel, 0, 3 * shorter, &many);
    else
        is_good = time_launches(bench, kernel, shorter, kernel->grid, &few)
                  && time_launches(bench, kernel, 3 * shorter, kernel->grid, &many);
    if (!is_good)
        return false;
    *out = (BenchTime){ (many.clocks - few.clocks) / (2.0 * shorter),
                        (many.loop_ns - few.loop_ns) / (2.0 * shorter),
                        (many.ns - few.ns) / (2.0 * shorter) };
    return true;
}

static double figure_of_probe(const BenchKernel *kernel, BenchTime each)
{
    const Probe *probe = kernel->probe;
    const double threads = (double)probe->threads * (probe->blocks ? probe->blocks : 1);
    const double all = (double)probe->threads * kernel->grid, work = probe->unroll * probe->amount;
    switch (probe->form) {
    case FORM_CLOCKS:      return each.clocks / probe->unroll / probe->amount;
    case FORM_PER_CLOCK:   return threads * work / each.clocks;
    case FORM_BANDWIDTH:   return all * work / each.ns;
    case FORM_PICOSECONDS: return 1e3 * each.ns / (all / 32 * work);
    case FORM_MHZ:         return 1e3 * each.clocks / each.loop_ns;
    default:               return each.ns;
    }
}

/* Of doubles, for qsort. */
static int compare_runs(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool set_spread(Bench *bench, double values[BENCH_RUNS], BenchRecord *record)
{
    qsort(values, BENCH_RUNS, sizeof *values, compare_runs);
    record->value = values[BENCH_RUNS / 2];
    record->low = values[0];
    record->high = values[BENCH_RUNS - 1];
    if (record->low > 0 && record->high < 1e12)
        return true;
    snprintf(bench->why, sizeof bench->why,
             "three times as many steps take no more time: %.3g to %.3g", record->low,
             record->high);
    return false;
}

static bool measure_spread(Bench *bench, BenchKernel *kernel, BenchRecord *record)
{
    double values[BENCH_RUNS];
    BenchTime each;
    for (int i = 0; i <= BENCH_RUNS; i++) {     /* the first warms up */
        if (!run_both(bench, kernel, &each))
            return false;
        const double value = figure_of_probe(kernel, each);
        values[i % BENCH_RUNS] = isfinite(value) ? value : -1;
    }
    return set_spread(bench, values, record);
}

/* The mean of single loads; low and high: a quarter of them is below, and above. */
static bool measure_times(Bench *bench, BenchKernel *kernel, BenchRecord *record)
{
    const unsigned count = kernel->probe->iterations;
    uint64_t clocks[LAUNCHES_MAX];
    double values[LAUNCHES_MAX], sum = 0;
    BenchTime time;
    if (!time_launches(bench, kernel, count, 1, &time)
        || !is_done(bench, bench->driver.to_host(clocks, bench->out + TIMES_AT, count * 8),
                    "reading the clocks"))
        return false;
    for (unsigned i = 0; i < count; i++) {
        values[i] = (double)clocks[i];
        sum += values[i] / count;
    }
    qsort(values, count, sizeof *values, compare_runs);
    record->value = sum;
    record->low = values[count / 4];
    record->high = values[count - count / 4];
    if (record->low > 0 && sum < 1e9)
        return true;
    snprintf(bench->why, sizeof bench->why, "the clocks of single loads are not above zero");
    return false;
}

static bool load_kernel(Bench *bench, BenchKernel *kernel)
{
    const Probe *probe = kernel->probe;
    char *text = ptx_probe_text(probe);
    if (!text) {
        snprintf(bench->why, sizeof bench->why, "no memory");
        return false;
    }
    int result = bench->driver.module_load(&kernel->module, text);
    free(text);
    if (!is_done(bench, result, "the driver does not compile the kernel"))
        return false;
    result = bench->driver.module_function(&kernel->function, kernel->module, probe->key);
    return is_done(bench, result, "the driver does not find the kernel");
}

static void size_kernel(const Bench *bench, BenchKernel *kernel)
{
    const Probe *probe = kernel->probe;
    const uint64_t most = bench->data_bytes / (is_beyond_caches(probe) ? 2 : 1);
    const uint64_t span = probe->span < most ? probe->span : most;
    kernel->grid = probe->blocks ? probe->blocks * (unsigned)bench->info.sms : 1;
    kernel->mask = span ? span - 1 : 0;
    kernel->step = probe->form == FORM_CLOCKS
                       ? (uint64_t)kernel->grid * 16384
                       : (uint64_t)((double)probe->threads * kernel->grid * probe->amount);
}

/* Fills memory, and warms caches that are to be warm, or the clock. */
static bool prepare_kernel(Bench *bench, BenchKernel *kernel)
{
    const Probe *probe = kernel->probe;
    const uint64_t span = kernel->mask + 1;
    BenchTime time;
    bool is_good = probe->data != DATA_CHAIN || upload_chain(bench, span);
    if (is_good && is_beyond_caches(probe))
        return flush_l2(bench);
    if (is_good && probe->data == DATA_CHAIN) {
        const unsigned once = (unsigned)(span / LINE / probe->unroll) + 1;
        is_good = time_launches(bench, kernel, once, 1, &time);
    }
    for (int i = 0; is_good && probe->form == FORM_MHZ && i < WARM_LAUNCHES; i++)
        is_good = time_launches(bench, kernel, 3u * probe->iterations, kernel->grid, &time);
    return is_good;
}

/* False: no value, and bench->why says why. */
static bool measure_probe(Bench *bench, const Probe *probe, BenchRecord *record)
{
    BenchKernel kernel = { .probe = probe };
    if (10 * bench->info.major + bench->info.minor < probe->sm) {
        snprintf(bench->why, sizeof bench->why, "it needs compute capability %u.%u",
                 probe->sm / 10u, probe->sm % 10u);
        return false;
    }
    size_kernel(bench, &kernel);
    if (is_beyond_caches(probe) && !((double)kernel.mask > 2 * bench->info.l2_bytes)) {
        snprintf(bench->why, sizeof bench->why, "too little memory is free to go beyond L2");
        return false;
    }
    bool is_good = load_kernel(bench, &kernel) && prepare_kernel(bench, &kernel);
    if (is_good)
        is_good = probe->form == FORM_TIMES ? measure_times(bench, &kernel, record)
                                            : measure_spread(bench, &kernel, record);
    if (kernel.module)
        bench->driver.module_unload(kernel.module);
    return is_good;
}

/* ---- what the parent hears ------------------------------------------------------------------- */

static void tell(const Bench *bench, BenchReport report, BenchRecord *record)
{
    record->report = report;
    memcpy(record->why, bench->why, sizeof record->why);
    if (write(BENCH_PIPE, record, sizeof *record) != (ssize_t)sizeof *record)
        _exit(1);                       /* the parent has gone */
}

/* After an error that stays the context is of no use. */
static bool is_broken(Bench *bench)
{
    return bench->driver.synchronize() != 0;
}

static void bench_from(Bench *bench, size_t first)
{
    BenchRecord record = { .device = bench->info };
    tell(bench, BENCH_DEVICE, &record);
    for (size_t i = first; i < ptx_probe_count; i++) {
        record = (BenchRecord){ .index = (uint32_t)i };
        bench->why[0] = '\0';
        tell(bench, BENCH_BEGINS, &record);
        const bool has_value = measure_probe(bench, &ptx_probes[i], &record);
        tell(bench, has_value ? BENCH_VALUE : BENCH_NO_VALUE, &record);
        if (!has_value && is_broken(bench))
            _exit(1);
    }
    close_bench(bench);
    tell(bench, BENCH_ENDS, &record);
}

int main(int argc, char **argv)
{
    Bench bench = { 0 };
    BenchRecord record = { 0 };
    if (argc != 2 || fcntl(BENCH_PIPE, F_GETFD) < 0) {
        fprintf(stderr, "ptxlint-measure: `ptxlint gpu measure` runs it\n");
        return 2;
    }
    if (open_bench(&bench))
        bench_from(&bench, strtoul(argv[1], NULL, 10));
    else
        tell(&bench, BENCH_TROUBLE, &record);
    _exit(0);
}
