/*
 * pool.c: threads for jobs, as many as there are jobs at once: one whose guest computes or sleeps
 * for a minute holds up no other, and nothing else that the process does on libuv's own few threads.
 */
#include "addon.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 1024 /* more jobs than these wait for one of them */
#define IDLE_SECONDS 5
#define PATIENCE_NS  50000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct addon_job *first, **last = &first;
static unsigned waiting, idle, threads;
static atomic_bool looking; /* one thread looks for the next job without sleeping */
static atomic_uint queued;  /* as `waiting`, for who has no lock */
static unsigned unasked; /* of those that wait: nobody waits for them */

int64_t addon_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t addon_pool_patience(void) {
    static atomic_int processors;
    int known = atomic_load(&processors);
    if (known == 0) {
        cpu_set_t set;
        known = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
        atomic_store(&processors, known);
    }
    return known > 1 ? PATIENCE_NS : 0;
}

static void finish(struct addon_job *job) {
    if (job->env) addon_tell_done(job);
    else addon_job_free(job);
}

/* Who has just done a job is soon given another one, by somebody who would have to wake it. */
static void look(void) {
    if (atomic_exchange(&looking, true)) return;
    int64_t until = addon_now() + addon_pool_patience();
    while (!atomic_load_explicit(&queued, memory_order_relaxed) && addon_now() < until)
        addon_relax();
    atomic_store(&looking, false);
}

/* With the lock held: a job, or NULL after a while without one. */
static struct addon_job *next_job(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_SECONDS;
    idle++;
    while (!first && pthread_cond_timedwait(&more, &lock, &until) != ETIMEDOUT) {
    }
    idle--;
    struct addon_job *job = first;
    if (!job) return NULL;
    first = job->next;
    if (!first) last = &first;
    waiting--;
    atomic_fetch_sub(&queued, 1);
    if (!job->env) unasked--;
    return job;
}

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    for (struct addon_job *job; (job = next_job());) {
        pthread_mutex_unlock(&lock);
        job->work(job);
        finish(job);
        look();
        pthread_mutex_lock(&lock);
    }
    threads--;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Signals of the process go to other threads: their handlers know nothing of a guest's stacks. What
 * a fault raises, and what the library counts time by, comes as always. */
static bool new_thread(void) {
    sigset_t blocked, before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigemptyset(&blocked);
    static const int others[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
                                 SIGCHLD, SIGPIPE, SIGALRM, SIGWINCH, SIGCONT, SIGTSTP};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) sigaddset(&blocked, others[i]);
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    bool made = pthread_create(&thread, &attributes, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return made;
}

/* With the lock held: a job for which there is no thread and never will be. */
static void give_back(struct addon_job *job) {
    struct addon_job **at = &first;
    while (*at != job) at = &(*at)->next;
    *at = job->next;
    if (!*at) last = at;
    waiting--;
    atomic_fetch_sub(&queued, 1);
    if (!job->env) unasked--;
}

void addon_pool_run(struct addon_job *job) {
    pthread_mutex_lock(&lock);
    job->next = NULL;
    *last = job;
    last = &job->next;
    waiting++;
    atomic_fetch_add(&queued, 1);
    if (!job->env) unasked++;
    bool lost = false;
    /* Whoever looks comes for one: it saw that, or looks into the list before it sleeps. */
    if (waiting == 1 && atomic_load(&looking)) {
    } else if (idle >= waiting) {
        pthread_cond_signal(&more);
    } else if (!job->env && unasked > 1) {
        /* Many are collected at once: whoever frees the first of them goes on with the others. */
    } else if (threads < THREADS_MAX && new_thread()) {
        threads++;
    } else if (threads == 0) {
        give_back(job);
        lost = true;
    }
    pthread_mutex_unlock(&lock);
    if (!lost) return;
    /* Nobody waits for what only frees: it is done here. */
    if (!job->env) job->work(job);
    job->status = PF_NO_MEMORY;
    snprintf(job->error.message, sizeof job->error.message, "the system gives no thread");
    finish(job);
}
