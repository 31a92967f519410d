#include "cli/cli.h"

#include <time.h>
#include <unistd.h>

static const double wait_seconds = 1, redraw_seconds = 0.1;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void ptx_progress_begin(Progress *progress)
{
    *progress = (Progress){ .is_wanted = isatty(STDERR_FILENO) };
    if (progress->is_wanted)
        progress->began = now();
}

void ptx_progress_show(Progress *progress, size_t done, size_t count)
{
    double time = progress->is_wanted ? now() : 0;
    if (!progress->is_wanted || time - progress->began < wait_seconds
        || time - progress->drawn < redraw_seconds)
        return;
    fflush(stdout);                     /* it may be the same terminal */
    fprintf(stderr, "\r %zu of %zu files", done, count);
    fflush(stderr);
    progress->drawn = time;
    progress->is_shown = true;
}

void ptx_progress_clear(Progress *progress)
{
    if (!progress->is_shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->is_shown = false;
}
