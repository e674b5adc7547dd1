/*
 * tests/guest/checked_driver.c: runs the module of test_checked_image.py on the part of the host
 * that takes no signals. One act after the other, each of which ends as it does with signals.
 */
#include "host/cpu/cpu.h"
#include "t.h"

#include <limits.h>
#include <stdio.h>

static uint32_t act;

void Z_pfZ_call(cpu_instance *instance, uint32_t address) {
    *(uint32_t *)(instance->slot->base + address) = act;
}

static void instantiate(void *i, void *pf) {
    Z_t_instantiate(i, pf);
}
static wasm_rt_memory_t *memory(void *i) {
    return Z_tZ_memory(i);
}
static uint32_t *stack_pointer(void *i) {
    return Z_tZ___stack_pointer(i);
}
static uint32_t heap_base(void *i) {
    return *Z_tZ___heap_base(i);
}
static void rebind(void *i, void *pf) {
    ((Z_t_instance_t *)i)->Z_pf_instance = pf;
}
static void start(void *i) {
    Z_tZ_pf_start(i);
}
static uint32_t asyncify(void *i) {
    return Z_tZ_pf_asyncify(i);
}
static void start_unwind(void *i, uint32_t data) {
    Z_tZ_asyncify_start_unwind(i, data);
}
static void stop_unwind(void *i) {
    Z_tZ_asyncify_stop_unwind(i);
}

static const struct pf_image image = {
    .name = "t",
    .applets = "",
    .instance_size = sizeof(Z_t_instance_t),
    .init_module = Z_t_init_module,
    .instantiate = instantiate,
    .memory = memory,
    .stack_pointer = stack_pointer,
    .heap_base = heap_base,
    .rebind = rebind,
    .start = start,
    .asyncify = asyncify,
    .start_unwind = start_unwind,
    .stop_unwind = stop_unwind,
    .stack_size = 8,
};

int main(void) {
    static const struct {
        enum cpu_exit how;
        const char *what;
    } acts[] = {
        {CPU_EXIT_RETURNED, "nothing"},         {CPU_EXIT_STOPPED, "loops without calls"},
        {CPU_EXIT_TRAP, "recursion"},           {CPU_EXIT_STOPPED, "indirect calls without loops"},
        {CPU_EXIT_TRAP, "a load over the end"}, {CPU_EXIT_TRAP, "a store behind 2^32"},
        {CPU_EXIT_TRAP, "a fill over the end"}, {CPU_EXIT_RETURNED, "accesses at the end"},
    };
    struct cpu_thread *self = cpu_thread();
    struct cpu_watch watch = {.stop_at = UINT_MAX};
    struct cpu_begun begun;
    int failed = !cpu_begin(self, &begun, false);
    for (act = 0; act < sizeof acts / sizeof *acts; act++) {
        cpu_instance *instance = cpu_instance_new(&image, NULL);
        atomic_store(&watch.ticks, 0);
        watch.kill_at = acts[act].how == CPU_EXIT_STOPPED ? 3 : UINT_MAX;
        cpu_watch(self, &watch);
        enum cpu_exit how = cpu_run(self, instance);
        cpu_watch(self, NULL);
        if (how != acts[act].how) {
            printf("%s: %d\n", acts[act].what, (int)how);
            failed = 1;
        }
        cpu_instance_free(instance);
    }
    cpu_end(self, &begun);
    return failed;
}
