/*
 * host/cpu/thread.c: what one host thread needs to run guests. Made at first use, freed when the
 * thread ends.
 */
#include "cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Signal handlers read it, so its address must not need the lazy allocation of a shared library's
 * thread-local storage. */
__thread struct cpu_thread *cpu_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

static void thread_free(void *p) {
    struct cpu_thread *self = p;
    if (!self) return;
    cpu_self = NULL;
    if (self->timer_made) timer_delete(self->timer);
    if (self->altstack) {
        stack_t off = {.ss_flags = SS_DISABLE};
        sigaltstack(&off, NULL);
        free(self->altstack);
    }
    if (self->kernel_stack) cpu_stack_discard(self->kernel_stack);
    while (self->stacks) {
        struct cpu_stack *s = self->stacks;
        self->stacks = s->next;
        cpu_stack_discard(s);
    }
    free(self);
}

/* A forked child of the host has no timers. */
static void after_fork_in_child(void) {
    cpu_slots_go_on();
    if (cpu_self) cpu_self->timer_made = cpu_self->timer_on = false;
}

static void make_key(void) {
    pthread_key_create(&key, thread_free);
    pthread_atfork(cpu_slots_hold, cpu_slots_go_on, after_fork_in_child);
}

struct cpu_thread *cpu_thread(void) {
    struct cpu_thread *self = cpu_self;
    if (self) return self;
    pthread_once(&once, make_key);
    self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->kernel_stack = cpu_stack_new();
    if (!self->kernel_stack || !cpu_altstack(self) || pthread_setspecific(key, self) != 0) {
        thread_free(self);
        return NULL;
    }
    cpu_self = self;
    return self;
}
