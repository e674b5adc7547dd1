/*
 * host/cpu/thread.c: the state that one host thread needs to run guests. Made at first use, freed
 * when the thread ends.
 */
#include "cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Signal handlers read it, so its address must not need the lazy allocation of a shared library's
 * thread-local storage. */
__thread struct cpu_thread *cpu_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static void thread_free(void *p) {
    struct cpu_thread *self = p;
    if (!self) return;
    cpu_self = NULL;
    cpu_watcher_leave(self);
    if (self->kernel_stack) cpu_stack_discard(self->kernel_stack);
    while (self->stacks) {
        struct cpu_stack *s = self->stacks;
        self->stacks = s->next;
        cpu_stack_discard(s);
    }
    free(self);
}

static void before_fork(void) {
    cpu_watcher_hold();
    cpu_slots_hold();
}

static void after_fork(void) {
    cpu_slots_go_on();
    cpu_watcher_go_on();
}

static void after_fork_in_child(void) {
    cpu_slots_go_on();
    cpu_watcher_forked(cpu_self);
}

static void make_key(void) {
    pthread_key_create(&key, thread_free);
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

struct cpu_thread *cpu_thread(void) {
    struct cpu_thread *self = cpu_self;
    if (self) return self;
    pthread_once(&once, make_key);
    self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->kernel_stack = cpu_stack_new(CPU_STACK_BYTES);
    if (!self->kernel_stack || !cpu_watcher_join(self) || pthread_setspecific(key, self) != 0) {
        thread_free(self);
        return NULL;
    }
    cpu_self = self;
    return self;
}
