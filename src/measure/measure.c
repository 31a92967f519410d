/* measure.c -- the parent's side: children that measure, one after another, and what they say. */
#define _GNU_SOURCE
#include "measure/measure.h"

#include "measure/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN_MAX = 4, START_LIMIT_MS = 30000, REAP_MS = 3000 };

_Static_assert(sizeof(BenchRecord) <= 512, "a record must go through a pipe in one piece");

/* A child, and what it has come to. */
typedef struct BenchChild {
    pid_t process;
    int pipe;
    uint32_t index;             /* of the probe that it is at */
    bool is_at_probe, has_ended;
} BenchChild;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- values ---------------------------------------------------------------------------------- */

static MeasuredValue *add_value(Measurement *out, const Probe *probe)
{
    MeasuredValue *value = &out->values[out->count];
    if (out->count == MEASURED_MAX)
        return NULL;
    *value = (MeasuredValue){ .key = probe->key, .figure = probe->figure, .unit = probe->unit,
                              .opcode = probe->opcode, .how = probe->how, .value = (double)NAN,
                              .low = (double)NAN, .high = (double)NAN };
    out->count++;
    return value;
}

static void add_missing(Measurement *out, size_t index, const char *why)
{
    MeasuredValue *value = index < ptx_probe_count ? add_value(out, &ptx_probes[index]) : NULL;
    if (value)
        snprintf(value->why, sizeof value->why, "%s", why);
}

/* What else is in a step is taken off. */
static double without_others(const Measurement *out, const Probe *probe, double clocks)
{
    const MeasuredValue *one = ptx_measured_find(out, "arithmetic");
    return probe->less && one ? clocks - probe->less * one->value : clocks;
}

static void take_value(Measurement *out, const BenchRecord *record)
{
    const Probe *probe = &ptx_probes[record->index];
    MeasuredValue *value = add_value(out, probe);
    if (!value)
        return;
    value->value = without_others(out, probe, record->value);
    value->low = without_others(out, probe, record->low);
    value->high = without_others(out, probe, record->high);
    value->runs = probe->form == FORM_TIMES ? probe->iterations : BENCH_RUNS;
}

const MeasuredValue *ptx_measured_find(const Measurement *measurement, const char *key)
{
    for (size_t i = 0; i < measurement->count; i++)
        if (!strcmp(measurement->values[i].key, key) && isfinite(measurement->values[i].value))
            return &measurement->values[i];
    return NULL;
}

/* ---- a child --------------------------------------------------------------------------------- */

/* In the child; returns where it cannot be run. */
static void become_bench(const char *program, int pipe, size_t first)
{
    char number[24];
    char *const argv[] = { (char *)(uintptr_t)program, number, NULL };
    snprintf(number, sizeof number, "%zu", first);
    signal(SIGPIPE, SIG_DFL);
    /* a copy stays open in the new program */
    if (pipe == BENCH_PIPE)
        pipe = dup(pipe);
    if (pipe >= 0 && dup2(pipe, BENCH_PIPE) == BENCH_PIPE)
        execv(program, argv);
}

static bool start_child(BenchChild *child, const char *program, size_t first)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    const pid_t parent = getpid();
    *child = (BenchChild){ .process = fork(), .pipe = ends[0] };
    if (!child->process) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            become_bench(program, ends[1], first);
        _exit(1);
    }
    close(ends[1]);
    if (child->process > 0)
        return true;
    close(ends[0]);
    return false;
}

/* A process that the driver keeps is left to it. */
static int end_child(BenchChild *child)
{
    int status = 0;
    close(child->pipe);
    if (!child->has_ended)
        kill(child->process, SIGKILL);
    for (int64_t until = now_ms() + REAP_MS; now_ms() < until; poll(NULL, 0, 5)) {
        const pid_t done = waitpid(child->process, &status, WNOHANG);
        if (done == child->process || (done < 0 && errno == ECHILD))
            break;
    }
    return status;
}

/* 1: a record; 0: the child is gone; -1: it says nothing in time. */
static int hear_child(const BenchChild *child, int64_t wait_ms, BenchRecord *record)
{
    struct pollfd from = { .fd = child->pipe, .events = POLLIN };
    const int64_t until = now_ms() + wait_ms;
    for (;;) {
        const int64_t left = until - now_ms();
        const int ready = left > 0 ? poll(&from, 1, (int)left) : 0;
        if (ready > 0)
            return read(child->pipe, record, sizeof *record) == (ssize_t)sizeof *record;
        if (!ready)
            return -1;
        if (errno != EINTR)
            return 0;
    }
}

static bool is_sound_record(const BenchRecord *record)
{
    const bool has_probe = record->report == BENCH_BEGINS || record->report == BENCH_VALUE
                           || record->report == BENCH_NO_VALUE;
    return !has_probe || record->index < ptx_probe_count;
}

static void take_record(const MeasureRequest *request, BenchChild *child, BenchRecord *record,
                        Measurement *out)
{
    record->why[sizeof record->why - 1] = '\0';
    child->is_at_probe = record->report == BENCH_BEGINS;
    child->has_ended = record->report == BENCH_ENDS || record->report == BENCH_TROUBLE;
    if (record->report == BENCH_DEVICE) {
        out->device = record->device;
        out->has_device = true;
    }
    if (record->report == BENCH_BEGINS) {
        child->index = record->index;
        if (request->progress)
            request->progress(request->context, ptx_probes[record->index].key, record->index,
                              ptx_probe_count);
    }
    if (record->report == BENCH_VALUE)
        take_value(out, record);
    if (record->report == BENCH_NO_VALUE)
        add_missing(out, record->index, record->why);
    if (record->report == BENCH_TROUBLE)
        memcpy(out->trouble, record->why, sizeof out->trouble);
}

/* Until it ends, is cut off, or dies: what hear says of it. */
static int listen_to_child(const MeasureRequest *request, int64_t until, BenchChild *child,
                           Measurement *out)
{
    BenchRecord record;
    int heard = 1;
    while (heard > 0 && !child->has_ended) {
        const int64_t left = until - now_ms();
        const int64_t limit = child->is_at_probe ? request->probe_limit_ms : START_LIMIT_MS;
        heard = hear_child(child, left < limit ? left : limit, &record);
        if (heard > 0 && !is_sound_record(&record))
            heard = 0;
        if (heard > 0)
            take_record(request, child, &record, out);
    }
    return heard;
}

/* Of the probe at which a child was lost. Of one that said why it ends nothing is to be added. */
static void note_loss(const MeasureRequest *request, const BenchChild *child, int heard,
                      Measurement *out)
{
    char why[DRIVER_WHY_BYTES];
    if (heard < 0)
        snprintf(why, sizeof why, "its kernel was ended: no answer in %u s",
                 request->probe_limit_ms / 1000);
    else
        snprintf(why, sizeof why, "the driver ended the process that measured");
    if (child->is_at_probe)
        add_missing(out, child->index, why);
}

static void note_rest(Measurement *out, size_t first, const char *why)
{
    for (size_t i = first; i < ptx_probe_count; i++)
        add_missing(out, i, why);
}

void ptx_measure_run(const MeasureRequest *request, Measurement *out)
{
    const int64_t until = now_ms() + request->limit_ms;
    size_t first = 0;
    *out = (Measurement){ 0 };
    for (int i = 0; i < CHILDREN_MAX && first < ptx_probe_count && !*out->trouble; i++) {
        BenchChild child;
        if (!start_child(&child, request->program, first)) {
            snprintf(out->trouble, sizeof out->trouble, "no process: %.100s", strerror(errno));
            return;
        }
        const int heard = listen_to_child(request, until, &child, out);
        end_child(&child);
        if (child.has_ended)
            break;
        if (now_ms() >= until)
            snprintf(out->trouble, sizeof out->trouble, "the limit of %u s is reached",
                     request->limit_ms / 1000);
        else
            note_loss(request, &child, heard, out);
        first = out->count;
        if (!out->has_device && !*out->trouble)
            snprintf(out->trouble, sizeof out->trouble, "the driver does not answer");
    }
    if (out->has_device)
        note_rest(out, out->count, *out->trouble ? out->trouble : "the driver failed too often");
}
