/*
 * host/cpu/wasm_rt.c: what wasm2c's output calls, in place of wabt's own runtime.
 *
 * Every function here is called from generated code, so it takes the thread out of CPU_PROGRAM or
 * CPU_KERNEL mode while it changes the host's own state: the timer must not cut it.
 */
#include "cpu.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void wasm_rt_init(void) {}
bool wasm_rt_is_initialized(void) { return true; }
void wasm_rt_free(void) {}

_Noreturn void wasm_rt_trap(wasm_rt_trap_t trap) {
    struct cpu_thread *self = cpu_thread();
    int signal_number = SIGSEGV;
    if (trap == WASM_RT_TRAP_UNREACHABLE) signal_number = SIGABRT;
    if (trap == WASM_RT_TRAP_INT_OVERFLOW || trap == WASM_RT_TRAP_DIV_BY_ZERO ||
        trap == WASM_RT_TRAP_INVALID_CONVERSION)
        signal_number = SIGFPE;
    if (!self || self->mode == CPU_HOST) abort(); /* while instantiating our own images */
    cpu_trap(self, signal_number);
}

const char *wasm_rt_strerror(wasm_rt_trap_t trap) {
    (void)trap;
    return "trap";
}

/* Function types get numbers that are equal for equal types in all modules of the process. */
#define TYPE_VALUES 64
static struct {
    uint32_t params, results;
    uint8_t values[TYPE_VALUES];
} types[1024];
static uint32_t type_count;
static pthread_mutex_t types_lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) {
    uint8_t values[TYPE_VALUES] = {0};
    if (params + results > TYPE_VALUES) abort(); /* our own images have no such function */
    va_list list;
    va_start(list, results);
    for (uint32_t i = 0; i < params + results; i++) values[i] = (uint8_t)va_arg(list, int);
    va_end(list);
    pthread_mutex_lock(&types_lock);
    uint32_t i = 0;
    while (i < type_count && !(types[i].params == params && types[i].results == results &&
                               memcmp(types[i].values, values, sizeof values) == 0))
        i++;
    if (i == type_count) {
        if (type_count == sizeof types / sizeof types[0]) abort();
        types[i].params = params;
        types[i].results = results;
        memcpy(types[i].values, values, sizeof values);
        type_count++;
    }
    pthread_mutex_unlock(&types_lock);
    return i + 1;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages) {
    cpu_allocate_memory(memory, pages, max_pages);
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t delta) {
    struct cpu_thread *self = cpu_thread();
    enum cpu_mode mode = self->mode;
    self->mode = CPU_HOST;
    cpu_instance *instance = mode == CPU_KERNEL ? self->kernel : self->running;
    uint32_t old = memory->pages;
    uint64_t pages = (uint64_t)old + delta;
    uint32_t result = UINT32_MAX;
    if (pages <= memory->max_pages && pages <= 65535) {
        uint64_t bytes = (uint64_t)delta << 16;
        if (cpu_charge(instance, bytes)) {
            if (cpu_slot_resize(instance->slot, (size_t)pages << 16)) {
                memory->pages = (uint32_t)pages;
                memory->size = (uint32_t)pages << 16;
                result = old;
            } else {
                instance->budget->used -= bytes;
                instance->charged -= bytes;
            }
        }
    }
    self->mode = mode;
    return result;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory) { (void)memory; }

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t elements,
                                    uint32_t max_elements) {
    /* One table for all clones of an image, never written after this: it lives as long as the
     * process, like the image. */
    table->data = calloc(elements ? elements : 1, sizeof *table->data);
    if (!table->data) abort();
    table->size = elements;
    table->max_size = max_elements;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) { (void)table; }
