/* jobs.c -- modules are made in threads; the caller takes them in order. */
#include "cli/cli.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AHEAD = 4 };     /* jobs done and not yet taken, beside those in the making */

/* Job number i stands in slots[i % slot_count]; taken says up to where the caller has come, so no
 * slot is used twice at a time. */
struct Jobs {
    JobFunction function;
    void *context;
    size_t count, slot_count;
    unsigned worker_count;              /* threads that run; 0: the caller does the work */
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_result;
    /* first that is not begun; first that is not yet freed */
    size_t next, taken;
    bool is_stopped;
    Job *slots;
    struct Worker {
        Jobs *jobs;
        pthread_t thread;
        unsigned number;
    } workers[JOBS_MAX];
};

static void job_clear(Job *job)
{
    ptxlint_module_free(job->module);
    ptxlint_module_free(job->before);
    ptxlint_fixes_free(job->fixes);
    ptx_text_free(&job->messages);
    free(job->matches.bytes);
    *job = (Job){ 0 };
}

/* The next to be made, once there is room for it; count: none. */
static size_t take(Jobs *jobs)
{
    while (!jobs->is_stopped && jobs->next < jobs->count
           && jobs->next >= jobs->taken + jobs->slot_count)
        pthread_cond_wait(&jobs->has_room, &jobs->lock);
    return jobs->is_stopped || jobs->next == jobs->count ? jobs->count : jobs->next++;
}

static void *work(void *context)
{
    struct Worker *worker = context;
    Jobs *jobs = worker->jobs;
    size_t index;
    pthread_mutex_lock(&jobs->lock);
    while ((index = take(jobs)) < jobs->count) {
        Job *job = &jobs->slots[index % jobs->slot_count];
        pthread_mutex_unlock(&jobs->lock);
        jobs->function(jobs->context, index, worker->number, job);
        pthread_mutex_lock(&jobs->lock);
        job->is_done = true;
        pthread_cond_signal(&jobs->has_result);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

/* Fewer than asked for will do; with none at all the caller does the work. */
static void start_workers(Jobs *jobs, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        jobs->workers[i] = (struct Worker){ .jobs = jobs, .number = i };
        if (pthread_create(&jobs->workers[i].thread, NULL, work, &jobs->workers[i]))
            return;
        jobs->worker_count++;
    }
}

Jobs *ptx_jobs_start(unsigned workers, size_t count, JobFunction function, void *context)
{
    size_t slots = workers > 1 ? (size_t)workers + AHEAD : 1;
    Jobs *jobs = calloc(1, sizeof *jobs);
    Job *room = calloc(slots, sizeof *room);
    if (!jobs || !room) {
        free(jobs);
        free(room);
        return NULL;
    }
    jobs->function = function;
    jobs->context = context;
    jobs->count = count;
    jobs->slot_count = slots;
    jobs->slots = room;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->has_room, NULL);
    pthread_cond_init(&jobs->has_result, NULL);
    if (workers > 1)
        start_workers(jobs, workers < JOBS_MAX ? workers : JOBS_MAX);
    return jobs;
}

/* Frees the one before. */
static void advance(Jobs *jobs, size_t index)
{
    if (index == jobs->taken)
        return;
    job_clear(&jobs->slots[jobs->taken % jobs->slot_count]);
    jobs->taken = index;
    pthread_cond_broadcast(&jobs->has_room);
}

const Job *ptx_jobs_wait(Jobs *jobs, size_t index)
{
    Job *job = &jobs->slots[index % jobs->slot_count];
    pthread_mutex_lock(&jobs->lock);
    advance(jobs, index);
    while (jobs->worker_count && !job->is_done)
        pthread_cond_wait(&jobs->has_result, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
    if (!job->is_done) {
        jobs->function(jobs->context, index, 0, job);
        job->is_done = true;
    }
    return job;
}

void ptx_jobs_stop(Jobs *jobs)
{
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->is_stopped = true;
    pthread_cond_broadcast(&jobs->has_room);
    pthread_mutex_unlock(&jobs->lock);
    for (unsigned i = 0; i < jobs->worker_count; i++)
        pthread_join(jobs->workers[i].thread, NULL);
    for (size_t i = 0; i < jobs->slot_count; i++)
        job_clear(&jobs->slots[i]);
    pthread_mutex_destroy(&jobs->lock);
    pthread_cond_destroy(&jobs->has_room);
    pthread_cond_destroy(&jobs->has_result);
    free(jobs->slots);
    free(jobs);
}

static unsigned threads_of(const Options *options)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!options->jobs && cores < 1)
        return 1;
    unsigned threads = options->jobs ? options->jobs : (unsigned)cores;
    return threads > JOBS_MAX ? JOBS_MAX : threads;
}

unsigned ptx_jobs_workers(const Options *options, size_t count)
{
    unsigned threads = threads_of(options);
    if (threads > count)
        threads = (unsigned)count;
    return threads ? threads : 1;
}

unsigned ptx_jobs_threads(const Options *options, unsigned workers)
{
    return threads_of(options) / (workers ? workers : 1);
}
