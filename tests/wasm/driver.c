/*
 * tests/wasm/driver.c: runs modules that went through the build's chain on the host's own stacks,
 * memories and traps (host/cpu), as programs run.
 *
 * usage: driver COMMANDS         a file of commands, one a line, as suite.py writes them
 *        driver --invoke EVERY   calls all functions of the first module that take nothing and
 *                                prints what came of it, in the words of wabt's wasm-interp;
 *                                unwinds at every EVERYth call of an import, 0: never
 *
 * A command names its line in the suite, a module, an export as hexadecimal digits, how many
 * arguments there are and their bits; after them what is expected:
 *   new LINE MODULE | untrue LINE MODULE TRAP | call LINE MODULE EXPORT N BITS… EXPECTED
 * EXPECTED: any | trap KIND | is TYPE BITS | nan TYPE canonical|arithmetic | none
 */
#include "driver.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runaway recursion that the compiler made a loop: it ends by time. */
#define TICKS_MAX 100
#define KIND_TIME "time"
#define KIND_STACK "stack"
#define KIND_MEMORY "memory"

/* There is no machine, so no images that were booted ahead. */
const struct pf_image *const pf_images[] = {NULL};
const uint8_t pf_images_digest[32] = {0};

static uint64_t values[DRIVER_ARGS_MAX + 1];
static driver_thunk thunk;
static const char *kind; /* of the last trap */
static jmp_buf untrue;   /* the way out of an instantiation that traps */

/* Unwinding at imports. */
static bool wants_unwind, unwound, prints;
static unsigned every, imports;

static const char *const kinds[] = {
    [WASM_RT_TRAP_NONE] = "none",
    [WASM_RT_TRAP_OOB] = KIND_MEMORY,
    [WASM_RT_TRAP_INT_OVERFLOW] = "overflow",
    [WASM_RT_TRAP_DIV_BY_ZERO] = "zero",
    [WASM_RT_TRAP_INVALID_CONVERSION] = "conversion",
    [WASM_RT_TRAP_UNREACHABLE] = "unreachable",
    [WASM_RT_TRAP_CALL_INDIRECT] = "indirect",
    [WASM_RT_TRAP_UNCAUGHT_EXCEPTION] = "exception",
    [WASM_RT_TRAP_EXHAUSTION] = KIND_STACK,
};

_Noreturn void __real_wasm_rt_trap(wasm_rt_trap_t trap);
_Noreturn void __wrap_wasm_rt_trap(wasm_rt_trap_t trap) {
    kind = kinds[trap];
    if (cpu_thread()->mode == CPU_HOST) longjmp(untrue, 1);
    __real_wasm_rt_trap(trap);
}

/* A fault has no kind of its own: where it strikes says which it is. */
#ifndef PF_NO_SIGNALS
static struct sigaction taken;

static void on_fault(int number, siginfo_t *info, void *context) {
    const struct cpu_thread *self = cpu_thread();
    const uint8_t *at = info->si_addr;
    const cpu_instance *running = self->running;
    if (running && at >= running->slot->base && at < running->slot->base + CPU_SLOT_BYTES)
        kind = KIND_MEMORY;
    else if (running && running->stack && at < running->stack->base)
        kind = KIND_STACK;
    taken.sa_sigaction(number, info, context);
}
#endif

static void watch_faults(void) {
    struct cpu_begun begun; /* the driver never leaves */
    if (!cpu_begin(cpu_thread(), &begun, false)) abort();
#ifndef PF_NO_SIGNALS
    struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &ours, &taken);
    ours.sa_mask = taken.sa_mask;
    sigaction(SIGSEGV, &ours, NULL);
    sigaction(SIGBUS, &ours, NULL);
#endif
}

/* Functions of the suite's own module, and of the generator of random modules. They are called as a
 * program calls pf.call, and may unwind it. */
static void imported(cpu_instance *instance, const char *format, ...) {
    struct cpu_thread *self = instance->thread;
    if (!self) return; /* a start function */
    self->mode = CPU_HOST;
    if (instance->rewinding) {
        if (!cpu_asyncify_sound(instance)) cpu_trap(self, SIGSEGV);
        instance->image->stop_rewind(instance->module);
        instance->rewinding = false;
        self->mode = CPU_PROGRAM;
        return;
    }
    if (prints) {
        va_list list;
        va_start(list, format);
        vprintf(format, list);
        va_end(list);
    }
    if (wants_unwind && every && ++imports % every == 0) {
        if (!cpu_asyncify_sound(instance)) cpu_trap(self, SIGSEGV);
        instance->image->start_unwind(instance->module, instance->asyncify);
        unwound = true;
    }
    self->mode = CPU_PROGRAM;
}

void Z_spectestZ_print(void *i) { imported(i, "print\n"); }
void Z_spectestZ_print_i32(void *i, uint32_t v) { imported(i, "log i32:%" PRIu32 "\n", v); }
void Z_spectestZ_print_i64(void *i, uint64_t v) { imported(i, "log i64:%" PRIu64 "\n", v); }
void Z_spectestZ_print_f32(void *i, float v) { imported(i, "log f32:%f\n", (double)v); }
void Z_spectestZ_print_f64(void *i, double v) { imported(i, "log f64:%f\n", v); }
void Z_spectestZ_print_i32_f32(void *i, uint32_t a, float b) { imported(i, "%u %f\n", a, (double)b); }
void Z_spectestZ_print_f64_f64(void *i, double a, double b) { imported(i, "%f %f\n", a, b); }

void driver_no_memory(void) {
    static wasm_rt_memory_t none;
    wasm_rt_allocate_memory(&none, 0, 0);
}

void driver_begin(void *module) {
    (void)module;
#ifdef PF_NO_SIGNALS
    *(struct cpu_guard **)module = &cpu_unguarded;
#endif
}

static wasm_rt_memory_t *own_memory;

void driver_end(cpu_instance *instance) {
    static wasm_rt_memory_t page = {.size = 65536};
    own_memory = instance->memory;
    if (own_memory->size == 0) instance->memory = &page;
}

void driver_start(void *module) {
    cpu_instance *instance = cpu_thread()->running;
    thunk(module, values);
    if (unwound) return;
    cpu_leave(instance->thread, CPU_EXIT_GONE);
}

/* random_modules.py gives modules a page more than their code was made for, which is their last. */
static void give_asyncify_its_stack(cpu_instance *instance) {
    uint32_t size = instance->memory->size;
    if (!wants_unwind || size < 65536 || !instance->image->start_unwind) return;
    uint32_t at[2] = {size - 65536 + 16, size};
    instance->asyncify = size - 65536;
    memcpy(instance->slot->base + instance->asyncify, at, sizeof at);
    cpu_note_asyncify_stack(instance);
}

/* Runs `f` on a program's stack, as often as it unwinds. */
static enum cpu_exit run(struct cpu_thread *self, cpu_instance *instance, driver_thunk f) {
    struct cpu_watch watch = {.stop_at = UINT_MAX, .kill_at = TICKS_MAX};
    uint64_t arguments[DRIVER_ARGS_MAX + 1];
    memcpy(arguments, values, sizeof values);
    thunk = f;
    kind = NULL;
    cpu_watch(self, &watch);
    enum cpu_exit how;
    do {
        unwound = false;
        memcpy(values, arguments, sizeof values);
        how = cpu_run(self, instance);
    } while (how == CPU_EXIT_RETURNED);
    cpu_watch(self, NULL);
    instance->rewinding = false;
    if (how == CPU_EXIT_STOPPED) kind = KIND_TIME;
    if (how == CPU_EXIT_TRAP && !kind) kind = KIND_STACK; /* without signals nobody is asked */
    return how;
}

static cpu_instance *make(const struct driver_module *module) {
    kind = NULL;
    if (setjmp(untrue)) return NULL;
    cpu_instance *instance = cpu_instance_new(module->image, NULL);
    if (instance) instance->memory = own_memory;
    if (!instance) kind = "no instance";
    else give_asyncify_its_stack(instance);
    return instance;
}

/* ---- the suite */

static const char *text;
static char word_now[4096];

static const char *word(void) {
    int used = 0;
    *word_now = 0;
    if (sscanf(text, "%4095s%n", word_now, &used) == 1) text += used;
    return word_now;
}

static const struct driver_export *find(const struct driver_module *module, const char *name) {
    const struct driver_export *e = module->exports;
    if (strcmp(name, "-") == 0) name = ""; /* as one can write it between blanks */
    while (e->name && strcmp(e->name, name) != 0) e++;
    return e->name ? e : NULL;
}

/* Traps that the spec has one name for and the chain another. */
static bool same_trap(const char *expected, const char *got) {
    if (!got) return false;
    if (strcmp(expected, KIND_STACK) == 0 && strcmp(got, KIND_TIME) == 0) return true;
    return strcmp(expected, got) == 0;
}

static bool is_nan(char type, uint64_t bits, bool canonical) {
    uint64_t quiet = type == 'f' ? 0x7fc00000u : 0x7ff8000000000000u;
    uint64_t sign = type == 'f' ? 0x80000000u : 0x8000000000000000u;
    return canonical ? (bits & ~sign) == quiet : (bits & quiet) == quiet;
}

/* NULL: it is as expected. */
static const char *judge(const struct driver_export *e, enum cpu_exit how) {
    static char said[256];
    const char *what = word();
    uint64_t bits = e->result == 'i' || e->result == 'f' ? (uint32_t)values[0] : values[0];
    snprintf(said, sizeof said, "%s 0x%" PRIx64, kind ? kind : "returned", bits);
    if (strcmp(what, "trap") == 0) return same_trap(word(), kind) ? NULL : said;
    if (how != CPU_EXIT_GONE) return said;
    if (strcmp(what, "any") == 0) return NULL;
    if (strcmp(what, "none") == 0) return e->result == 'v' ? NULL : said;
    bool exact = strcmp(what, "is") == 0;
    if (*word() != e->result) return "another type";
    const char *expected = word();
    if (exact) return strtoull(expected, NULL, 10) == bits ? NULL : said;
    return is_nan(e->result, bits, strcmp(expected, "canonical") == 0) ? NULL : said;
}

static int suite(const char *path) {
    static char line[1 << 16];
    static cpu_instance *instances[4096];
    struct cpu_thread *self = cpu_thread();
    FILE *file = fopen(path, "r");
    int failed = 0, done = 0;
    if (!file) return 2;
    while (fgets(line, sizeof line, file)) {
        text = line;
        char act = *word();
        int number = atoi(word()), m = atoi(word());
        const char *wrong = NULL;
        done++;
        if (act == 'n') {
            instances[m] = make(&driver_modules[m]);
            if (!instances[m]) wrong = kind;
        } else if (act == 'u') {
            if (make(&driver_modules[m])) wrong = "was instantiated";
            else if (!same_trap(word(), kind)) wrong = kind;
        } else if (!instances[m]) {
            wrong = "no instance";
        } else {
            const struct driver_export *e = find(&driver_modules[m], word());
            int n = atoi(word());
            memset(values, 0, sizeof values);
            for (int i = 0; i < n; i++) values[i] = strtoull(word(), NULL, 10);
            if (!e) wrong = "no such export";
            else wrong = judge(e, run(self, instances[m], e->thunk));
        }
        if (wrong) {
            failed++;
            printf("line %d: %s, wanted %.*s\n", number, wrong, (int)strcspn(line, "\n"), line);
        }
    }
    fclose(file);
    printf("%d done, %d failed\n", done, failed);
    return failed != 0;
}

/* ---- random modules */

static void invoke(struct cpu_thread *self, cpu_instance *instance, const struct driver_export *e) {
    enum cpu_exit how = run(self, instance, e->thunk);
    printf("%s ", e->name);
    float f;
    double d;
    memcpy(&f, values, sizeof f);
    memcpy(&d, values, sizeof d);
    if (how != CPU_EXIT_GONE) printf("trap %s\n", kind);
    else if (e->result == 'i') printf("i32:%" PRIu32 "\n", (uint32_t)values[0]);
    else if (e->result == 'I') printf("i64:%" PRIu64 "\n", values[0]);
    else if (e->result == 'f') printf("f32:%f\n", (double)f);
    else if (e->result == 'F') printf("f64:%f\n", d);
    else printf("\n");
}

static int invoke_all(const char *how_often) {
    every = (unsigned)atoi(how_often);
    wants_unwind = prints = true;
    cpu_instance *instance = make(&driver_modules[0]);
    if (!instance) {
        printf("untrue %s\n", kind);
        return 0;
    }
    for (const struct driver_export *e = driver_modules[0].exports; e->name; e++)
        if (e->invoked) invoke(cpu_thread(), instance, e);
    return 0;
}

int main(int argc, char **argv) {
    if (!cpu_thread()) return 2;
    watch_faults();
    if (argc == 3 && strcmp(argv[1], "--invoke") == 0) return invoke_all(argv[2]);
    return argc == 2 ? suite(argv[1]) : 2;
}
