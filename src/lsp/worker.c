/* worker.c -- a thread that analyses one text at a time, so that the loop goes on meanwhile. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_task_stopped(void *context)
{
    const WorkerTask *task = context;
    return atomic_load(&task->is_stopped);
}

static void analyse_task(WorkerTask *task)
{
    task->options.is_stopped = is_task_stopped;
    task->options.stop_context = task;
    task->options.path = task->path;
    task->options.metadata_path = task->path;
    /* read anew, since the user may be editing them */
    ptxlint_sources_new(NULL, &task->options.sources);
    task->status = ptxlint_module_new(task->text, task->length, &task->options, &task->module);
    ptxlint_sources_free(task->options.sources);
    task->options.sources = NULL;
}

static void *work_on_tasks(void *context)
{
    LspWorker *worker = context;
    pthread_mutex_lock(&worker->lock);
    while (!worker->is_stopped) {
        if (!worker->task || worker->is_done) {
            pthread_cond_wait(&worker->has_changed, &worker->lock);
            continue;
        }
        worker->is_busy = true;
        pthread_mutex_unlock(&worker->lock);
        analyse_task(worker->task);
        pthread_mutex_lock(&worker->lock);
        worker->is_busy = false;
        worker->is_done = true;
        pthread_cond_broadcast(&worker->has_changed);
        /* a full pipe wakes as well */
        if (write(worker->wake, "", 1) < 0)
            continue;
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

bool ptx_worker_start(LspWorker *worker, int wake)
{
    *worker = (LspWorker){ .wake = wake };
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->has_changed, NULL);
    worker->is_started = !pthread_create(&worker->thread, NULL, work_on_tasks, worker);
    return worker->is_started;
}

void ptx_worker_give(LspWorker *worker, WorkerTask *task)
{
    pthread_mutex_lock(&worker->lock);
    worker->task = task;
    worker->is_done = false;
    worker->began = ptx_lsp_now();
    pthread_cond_broadcast(&worker->has_changed);
    pthread_mutex_unlock(&worker->lock);
}

WorkerTask *ptx_worker_take(LspWorker *worker)
{
    pthread_mutex_lock(&worker->lock);
    WorkerTask *task = worker->is_done ? worker->task : NULL;
    if (task) {
        worker->task = NULL;
        worker->is_done = false;
    }
    pthread_mutex_unlock(&worker->lock);
    return task;
}

bool ptx_worker_is_idle(LspWorker *worker)
{
    pthread_mutex_lock(&worker->lock);
    bool is_idle = !worker->task;
    pthread_mutex_unlock(&worker->lock);
    return is_idle;
}

WorkerTask *ptx_worker_task(LspWorker *worker)
{
    pthread_mutex_lock(&worker->lock);
    WorkerTask *task = worker->task;
    pthread_mutex_unlock(&worker->lock);
    return task;
}

/* True once it does nothing, within a few seconds. */
static bool wait_a_little(LspWorker *worker)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3;
    bool has_time = true;
    while (worker->is_busy && has_time)
        has_time = !pthread_cond_timedwait(&worker->has_changed, &worker->lock, &until);
    return !worker->is_busy;
}

bool ptx_worker_stop(LspWorker *worker)
{
    if (!worker->is_started)
        return true;
    pthread_mutex_lock(&worker->lock);
    worker->is_stopped = true;
    if (worker->task)
        atomic_store(&worker->task->is_stopped, true);
    bool is_idle = wait_a_little(worker);
    pthread_cond_broadcast(&worker->has_changed);
    pthread_mutex_unlock(&worker->lock);
    if (!is_idle)
        return false;
    pthread_join(worker->thread, NULL);
    ptx_task_free(worker->task);
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->has_changed);
    return true;
}

void ptx_task_free(WorkerTask *task)
{
    if (!task)
        return;
    ptxlint_module_free(task->module);
    ptx_basis_release(task->basis);
    free(task->uri);
    free(task->path);
    free(task->text);
    free(task);
}
