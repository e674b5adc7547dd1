/*
 * tests/unit/test_cpu.c: host/cpu with images written in C instead of generated code.
 *
 * What a guest could do wrong at machine level (a wild address, endless recursion, a loop without
 * calls, a kernel that faults) ends that guest and nothing else; and slots never carry bytes over.
 */
#include "check.h"
#include "host/cpu/cpu.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* ---- a fake module: only a memory and globals */

struct cpu_guard;
struct module {
    struct cpu_guard *guard; /* where generated code has it in a build without signal handlers */
    wasm_rt_memory_t memory;
    uint32_t stack_pointer;
    void *pf;
};

static void (*body)(cpu_instance *); /* what the fake program does */

static void init_module(void) {}
static void instantiate(void *m, void *pf) {
    struct module *module = m;
    module->pf = pf;
    module->stack_pointer = 4096;
    wasm_rt_allocate_memory(&module->memory, 2, 16);
}
static wasm_rt_memory_t *memory(void *m) { return &((struct module *)m)->memory; }
static uint32_t *stack_pointer(void *m) { return &((struct module *)m)->stack_pointer; }
static uint32_t heap_base(void *m) {
    (void)m;
    return 8192;
}
static void rebind(void *m, void *pf) { ((struct module *)m)->pf = pf; }
static void start(void *m) { body(((struct module *)m)->pf); }
static uint32_t asyncify(void *m) {
    (void)m;
    return 4096;
}
static void unwind(void *m, uint32_t data) { (void)m, (void)data; }
static void stop(void *m) { (void)m; }

static const struct pf_image program = {
    .name = "fake", .applets = "", .instance_size = sizeof(struct module),
    .init_module = init_module, .instantiate = instantiate, .memory = memory,
    .stack_pointer = stack_pointer, .heap_base = heap_base, .rebind = rebind, .start = start,
    .asyncify = asyncify, .start_unwind = unwind, .stop_unwind = stop, .start_rewind = unwind,
    .stop_rewind = stop, .stack_size = 4096,
};
/* A kernel is an image without pf_start. */
static const struct pf_image kernel = {
    .name = "kernel", .applets = "", .instance_size = sizeof(struct module),
    .init_module = init_module, .instantiate = instantiate, .memory = memory,
    .stack_pointer = stack_pointer, .heap_base = heap_base, .rebind = rebind, .stack_size = 4096,
};

static struct cpu_watch calm = {.stop_at = UINT_MAX, .kill_at = UINT_MAX};

static enum cpu_exit run_body(void (*function)(cpu_instance *)) {
    struct cpu_thread *self = cpu_thread();
    cpu_instance *instance = cpu_instance_new(&program, NULL);
    body = function;
    self->trap_signal = 0;
    enum cpu_exit how = cpu_run(self, instance);
    cpu_instance_free(instance);
    return how;
}

/* ---- what generated code does before it goes on, and for a load or a store */

#ifdef PF_NO_SIGNALS
#define CHECK_STACK_AND_TIME(instance) CPU_CHECK(((struct module *)(instance)->module)->guard)
#else
#define CHECK_STACK_AND_TIME(instance) (void)(instance)
#endif

static volatile uint8_t *at(cpu_instance *instance, uint64_t address) {
#ifdef PF_NO_SIGNALS
    if (address >= instance->memory->size) wasm_rt_trap(WASM_RT_TRAP_OOB);
#endif
    return instance->slot->base + address;
}

/* ---- traps */

static void nothing(cpu_instance *i) { (void)i; }
static void wild_read(cpu_instance *i) { (void)*at(i, i->memory->size); }
static void wild_write_far(cpu_instance *i) { *at(i, CPU_SLOT_BYTES - 1) = 1; }
static int recurse(cpu_instance *i, volatile int n) { /* the compiler may not see that it never ends */
    volatile char frame[4096];
    CHECK_STACK_AND_TIME(i);
    frame[0] = (char)n;
    return n < 0 ? 0 : recurse(i, n + 1) + frame[0];
}
static void overflow(cpu_instance *i) { recurse(i, 0); }
static void spin(cpu_instance *i) {
    for (volatile unsigned n = 0;; n++) CHECK_STACK_AND_TIME(i);
}
static void abort_it(cpu_instance *i) {
    (void)i;
    wasm_rt_trap(WASM_RT_TRAP_UNREACHABLE);
}
static void divide(cpu_instance *i) {
    (void)i;
    wasm_rt_trap(WASM_RT_TRAP_DIV_BY_ZERO);
}
static void leave(cpu_instance *i) { cpu_leave(i->thread, CPU_EXIT_GONE); }

static void test_traps(void) {
    struct cpu_thread *self = cpu_thread();
    CHECK(run_body(nothing) == CPU_EXIT_RETURNED);
    CHECK(run_body(wild_read) == CPU_EXIT_TRAP && self->trap_signal == SIGSEGV);
    CHECK(run_body(wild_write_far) == CPU_EXIT_TRAP && self->trap_signal == SIGSEGV);
    CHECK(run_body(overflow) == CPU_EXIT_TRAP && self->trap_signal == SIGSEGV);
    CHECK(run_body(abort_it) == CPU_EXIT_TRAP && self->trap_signal == SIGABRT);
    CHECK(run_body(divide) == CPU_EXIT_TRAP && self->trap_signal == SIGFPE);
    CHECK(run_body(leave) == CPU_EXIT_GONE);
    for (int i = 0; i < 1000; i++) CHECK(run_body(wild_read) == CPU_EXIT_TRAP);
}

/* A fault that is not the guest's goes to the handler that was there before. */
static volatile sig_atomic_t others;
static uint8_t *volatile foreign;
static void other_handler(int n, siginfo_t *info, void *context) {
    (void)n, (void)info, (void)context;
    others++;
    mprotect(foreign, 4096, PROT_READ | PROT_WRITE);
}

static void test_foreign_faults(void) {
    struct sigaction ours, before;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = other_handler;
    ours.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &ours, &before);
    cpu_traps_install(true); /* in front of it */
    foreign = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *foreign = 1;
    CHECK(others == 1 && *foreign == 1);
    CHECK(run_body(wild_read) == CPU_EXIT_TRAP && others == 1);
    munmap(foreign, 4096);
}

/* ---- parking */

static int steps;
static void park_twice(cpu_instance *i) {
    for (int n = 0; n < 2; n++) {
        steps++;
        cpu_park(i->thread, i);
        i->thread->mode = CPU_PROGRAM;
    }
}

static void park_and(cpu_instance *i, void (*then)(cpu_instance *)) {
    cpu_park(i->thread, i);
    i->thread->mode = CPU_PROGRAM;
    then(i);
}
static void park_and_overflow(cpu_instance *i) { park_and(i, overflow); }
static void park_and_spin(cpu_instance *i) { park_and(i, spin); }

struct parked {
    cpu_instance *instance;
    enum cpu_exit how;
    unsigned kill_at;
};

static void *run_parked(void *argument) {
    struct parked *parked = argument;
    struct cpu_watch watch = {.stop_at = UINT_MAX, .kill_at = parked->kill_at};
    struct cpu_begun begun;
    CHECK(cpu_begin(cpu_thread(), &begun, false));
    cpu_watch(cpu_thread(), &watch);
    parked->how = cpu_run(cpu_thread(), parked->instance);
    cpu_watch(cpu_thread(), NULL);
    cpu_end(cpu_thread(), &begun);
    return NULL;
}

static enum cpu_exit run_elsewhere(cpu_instance *instance, unsigned kill_at) {
    struct parked parked = {.instance = instance, .kill_at = kill_at};
    pthread_t thread;
    pthread_create(&thread, NULL, run_parked, &parked);
    pthread_join(thread, NULL);
    return parked.how;
}

/* A parked program goes on where it was, also on another thread; a killed one gives its stack up. */
static void test_parking(void) {
    struct cpu_thread *self = cpu_thread();
    cpu_instance *instance = cpu_instance_new(&program, NULL);
    body = park_twice;
    steps = 0;
    CHECK(cpu_run(self, instance) == CPU_EXIT_PARKED && steps == 1);
    CHECK(cpu_run(self, instance) == CPU_EXIT_PARKED && steps == 2);
    CHECK(run_elsewhere(instance, UINT_MAX) == CPU_EXIT_RETURNED);
    cpu_instance_free(instance);
    instance = cpu_instance_new(&program, NULL);
    CHECK(cpu_run(self, instance) == CPU_EXIT_PARKED);
    cpu_instance_free(instance);
    /* Its stack and its time end there as they would have here. */
    instance = cpu_instance_new(&program, NULL);
    body = park_and_overflow;
    CHECK(cpu_run(self, instance) == CPU_EXIT_PARKED);
    CHECK(run_elsewhere(instance, UINT_MAX) == CPU_EXIT_TRAP);
    cpu_instance_free(instance);
    instance = cpu_instance_new(&program, NULL);
    body = park_and_spin;
    CHECK(cpu_run(self, instance) == CPU_EXIT_PARKED);
    CHECK(run_elsewhere(instance, 3) == CPU_EXIT_STOPPED);
    cpu_instance_free(instance);
}

/* ---- the timer */

static void test_backstop(void) {
    struct cpu_thread *self = cpu_thread();
    struct cpu_watch watch = {.stop_at = 2, .kill_at = 4};
    struct cpu_watch *outer = cpu_watch(self, &watch);
    CHECK(run_body(spin) == CPU_EXIT_STOPPED);
    CHECK(atomic_load(&watch.stop) == 1);
    CHECK(cpu_watch(self, outer) == &watch && outer == &calm);
}

/* ---- the kernel */

static cpu_instance *the_kernel;
static intptr_t kernel_faults(void *argument) {
    struct cpu_thread *self = argument;
    cpu_enter_kernel(self, the_kernel);
    wild_read(the_kernel);
    return 7;
}
static intptr_t kernel_overflows(void *argument) {
    cpu_enter_kernel(argument, the_kernel);
    overflow(the_kernel);
    return 7;
}
static intptr_t kernel_hangs(void *argument) {
    cpu_enter_kernel(argument, the_kernel);
    spin(the_kernel);
    return 7;
}
static intptr_t kernel_works(void *argument) {
    (void)argument;
    return 7;
}

static void test_kernel(void) {
    struct cpu_thread *self = cpu_thread();
    the_kernel = cpu_instance_new(&kernel, NULL);
    CHECK(cpu_guard_kernel(self, the_kernel, kernel_works, self) == 7);
    CHECK(cpu_guard_kernel(self, the_kernel, kernel_faults, self) == CPU_EXIT_KERNEL);
    CHECK(cpu_guard_kernel(self, the_kernel, kernel_overflows, self) == CPU_EXIT_KERNEL);
    cpu_watch(self, NULL); /* no run is around it */
    CHECK(cpu_guard_kernel(self, the_kernel, kernel_hangs, self) == CPU_EXIT_KERNEL);
    cpu_watch(self, &calm);
    CHECK(cpu_guard_kernel(self, the_kernel, kernel_works, self) == 7);
    CHECK(self->mode == CPU_HOST);
    cpu_instance_free(the_kernel);
}

/* ---- memory */

static bool all_zero(const uint8_t *p, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (p[i]) return false;
    return true;
}

/* A secret that one sandbox leaves in a slot is not there for the next. */
static void test_slots(void) {
    struct cpu_slot *slot = cpu_slot_acquire();
    CHECK(cpu_slot_resize(slot, 4 << 16));
    memset(slot->base, 0x5a, 4 << 16);
    CHECK(cpu_slot_resize(slot, 1 << 16)); /* shrinking drops what lay beyond */
    CHECK(cpu_slot_resize(slot, 4 << 16));
    CHECK(slot->base[0] == 0x5a && all_zero(slot->base + (1 << 16), 3 << 16));
    uint8_t *base = slot->base;
    cpu_slot_release(slot);
    slot = cpu_slot_acquire();
    CHECK(slot->base == base); /* the pool hands out the last one first, or this proves nothing */
    CHECK(cpu_slot_resize(slot, 4 << 16));
    CHECK(all_zero(slot->base, 4 << 16));
    cpu_slot_release(slot);
}

/* Copies and templates carry what is live, and a dirty slot is overwritten. */
static void test_templates(void) {
    struct cpu_budget budget = {.limit = 1 << 20, .each = 1 << 20};
    cpu_instance *first = cpu_instance_new(&program, &budget);
    first->slot->base[5000] = 1;
    first->slot->base[100000] = 2;
    CHECK(budget.used == 2 << 16);
    cpu_instance *copy = cpu_instance_copy(first, NULL);
    CHECK(copy && copy->slot->base[5000] == 1 && copy->slot->base[100000] == 2);
    CHECK(memory(copy->module)->data == copy->slot->base && budget.used == 4 << 16);
    struct cpu_template *template = cpu_template_new(first);
    memset(copy->slot->base, 0xff, copy->memory->size);
    struct cpu_slot *dirty = cpu_instance_dismantle(copy);
    cpu_instance *again = cpu_template_instance(template, &budget, false, dirty);
    CHECK(again && memcmp(again->slot->base + 4096, first->slot->base + 4096, 126976) == 0);
    cpu_instance *mapped = cpu_template_instance(template, &budget, true, NULL);
    CHECK(mapped && memcmp(mapped->slot->base, first->slot->base, 131072) == 0);
    mapped->slot->base[5000] = 9;
    CHECK(first->slot->base[5000] == 1);
    /* The budget bounds all together. */
    budget.limit = budget.used + 65536;
    CHECK(cpu_instance_copy(first, NULL) == NULL && errno == ENOMEM);
    cpu_instance_free(first);
    cpu_instance_free(again);
    cpu_instance_free(mapped);
    CHECK(budget.used == 0);
    cpu_template_free(template);
}

/* A slot that keeps a template's mapping is handed on with the template's bytes and nothing else, and only
 * as the template left it. */
static void test_ready_slots(void) {
    cpu_instance *first = cpu_instance_new(&program, NULL);
    first->slot->base[70000] = 2;
    struct cpu_template *template = cpu_template_new(first);
    size_t size = cpu_template_size(template);
    template->baked = true; /* it stays until nobody has such a slot */
    cpu_instance *tenant = cpu_template_instance(template, NULL, true, NULL);
    uint8_t *base = tenant->slot->base;
    memset(base, 0x5a, size);
    cpu_instance_free(tenant);
    tenant = cpu_template_instance(template, NULL, true, NULL);
    CHECK(tenant->slot->base == base); /* or this proves nothing */
    CHECK(memcmp(base, first->slot->base, size) == 0);
    CHECK(tenant->slot->origin == template && !tenant->slot->dirty);
    /* Grown, it is no such slot: what lay beyond is gone. */
    CHECK(cpu_slot_resize(tenant->slot, size + 65536));
    memset(base, 0x5a, size + 65536);
    cpu_instance_free(tenant);
    CHECK(cpu_slot_ready(template) == NULL);
    struct cpu_slot *slot = cpu_slot_acquire();
    CHECK(slot->base == base && slot->accessible == 0);
    CHECK(cpu_slot_resize(slot, size + 65536) && all_zero(base, size + 65536));
    cpu_slot_release(slot);
    template->baked = false;
    cpu_instance_free(first);
    cpu_template_free(template);
}

/* ---- what processes leave alone is not copied again, and whoever writes there finds it writable */

#ifdef PF_NO_SIGNALS
enum { SEALS = 0 }; /* all is copied each time: nobody would see the first write */
#else
enum { SEALS = 1 };
#endif

enum { LOOKS = 4 }; /* at so many processes before anything is sealed: host/cpu/template.c */

static void write_high(cpu_instance *i) { i->slot->base[120000] = 0xcc; }
static void write_low(cpu_instance *i) { i->slot->base[20000] = 0xee; }
static void write_last(cpu_instance *i) { i->slot->base[130000] = 0xaa; }
static void write_all(cpu_instance *i) { memset(i->slot->base + 8192, 0xdd, 100000); }

static void test_sealing(void) {
    struct cpu_thread *self = cpu_thread();
    cpu_instance *first = cpu_instance_new(&program, NULL);
    for (size_t i = 8192; i < 131072; i++) first->slot->base[i] = (uint8_t)(i % 251 + 1);
    struct cpu_template *template = cpu_template_new(first);
    struct cpu_slot *slot = NULL;
    void (*const acts[])(cpu_instance *) = {nothing,   write_high, nothing,   nothing, nothing,
                                            write_low, nothing,    write_all, nothing, write_last,
                                            nothing};
    enum { WRITES_LAST = 9 };
    unsigned sealed = 0;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        cpu_instance *p = cpu_template_instance(template, NULL, false, slot);
        CHECK(p && memcmp(p->slot->base + 8192, first->slot->base + 8192, 131072 - 8192) == 0);
        sealed += cpu_slot_sealed_at(p->slot, 20000);
        CHECK(!cpu_slot_sealed_at(p->slot, 120000)); /* one of the first wrote there */
        /* What is small, only where one process followed another; for good, once it is written. */
        CHECK(cpu_slot_sealed_at(p->slot, 130000) == (SEALS && i >= LOOKS && i <= WRITES_LAST));
        body = acts[i];
        CHECK(cpu_run(self, p) == CPU_EXIT_RETURNED);
        CHECK(acts[i] == nothing || acts[i] == write_last || !cpu_slot_sealed_at(p->slot, 20000));
        CHECK(acts[i] != write_last || cpu_slot_sealed_at(p->slot, 20000) == SEALS);
        slot = cpu_instance_dismantle(p);
    }
    CHECK(sealed == (sizeof acts / sizeof *acts - LOOKS) * SEALS); /* all that were not looked at */
    /* The host's own writes ask; beside the sealed part nothing changes. */
    cpu_instance *p = cpu_template_instance(template, NULL, false, slot);
    CHECK(cpu_will_write(p, 0, 4096) && cpu_will_write(p, 20000, 0));
    CHECK(cpu_slot_sealed_at(p->slot, 20000) == SEALS);
    CHECK(cpu_will_write(p, p->slot->sealed_from - 4, 8) && !cpu_slot_sealed_at(p->slot, 20000));
    memset(p->slot->base + 8192, 0, 100000);
    /* As another process's copy, or with another template, the slot is written too. */
    slot = cpu_instance_dismantle(p);
    p = cpu_template_instance(template, NULL, false, slot);
    CHECK(cpu_slot_sealed_at(p->slot, 20000) == SEALS);
    first->slot->base[30000] = 0;
    slot = cpu_instance_dismantle(p);
    p = cpu_instance_copy(first, slot);
    CHECK(p && memcmp(p->slot->base + 8192, first->slot->base + 8192, 131072 - 8192) == 0);
    slot = cpu_instance_dismantle(p);
    cpu_instance_free(cpu_template_instance(template, NULL, false, slot));
    struct cpu_template *other = cpu_template_new(first);
    slot = NULL;
    for (int i = 0; i < 6; i++) {
        p = cpu_template_instance(i % 3 ? template : other, NULL, false, slot);
        CHECK(p && p->slot->base[30000] == (i % 3 ? 30000 % 251 + 1 : 0));
        slot = cpu_instance_dismantle(p);
    }
    cpu_slot_release(slot);
    cpu_instance_free(first);
    cpu_template_free(template);
    cpu_template_free(other);
}

int main(void) {
    struct cpu_begun begun;
    CHECK(cpu_begin(cpu_thread(), &begun, false));
    cpu_watch(cpu_thread(), &calm);
    test_traps();
    test_foreign_faults();
    test_parking();
    test_backstop();
    test_kernel();
    test_slots();
    test_templates();
    test_ready_slots();
    test_sealing();
    cpu_end(cpu_thread(), &begun);
    return check_report();
}
