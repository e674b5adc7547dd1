/*
 * host/cpu/run.c: entering and leaving programs on native stacks of their own.
 */
#include "cpu.h"
#include "context.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Free stacks a thread keeps; parked processes hold theirs. */
#define STACKS_KEPT 8

struct cpu_stack *cpu_stack_new(size_t size) {
    assert(size && size % CPU_PAGE == 0);
    struct cpu_stack *stack = calloc(1, sizeof *stack);
    if (!stack) return NULL;
    uint8_t *p = mmap(NULL, size + CPU_GUARD_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED || mprotect(p, CPU_GUARD_BYTES, PROT_NONE) != 0) {
        if (p != MAP_FAILED) munmap(p, size + CPU_GUARD_BYTES);
        free(stack);
        return NULL;
    }
    stack->base = p + CPU_GUARD_BYTES;
    stack->size = size;
    return stack;
}

/* What a program needs: see CPU_STACK_BYTES. */
static size_t stack_size(const struct pf_image *image) {
    assert(image->start);
    if (image->stack_size <= CPU_STACK_LONG) return CPU_STACK_BYTES;
    return (size_t)image->stack_size / CPU_PAGE * CPU_PAGE * CPU_STACK_TIMES;
}

static struct cpu_stack *stack_take(struct cpu_thread *self, size_t size) {
    for (struct cpu_stack **link = &self->stacks; *link; link = &(*link)->next) {
        struct cpu_stack *stack = *link;
        if (stack->size != size) continue;
        *link = stack->next;
        self->stack_count--;
        assert(stack->size == size);
        assert(self->stack_count < STACKS_KEPT);
        return stack;
    }
    return cpu_stack_new(size);
}

/* Each process that ends on a long stack comes here, so a sample has to do: a deeper recursion left
 * frames of many words. */
bool cpu_stack_touched(const uint8_t *at) {
    const uint64_t *words = (const uint64_t *)(at - CPU_PAGE);
    uint64_t any = 0;
    for (size_t i = 0; i < CPU_PAGE / sizeof *words; i += 64) any |= words[i] | words[i + 1];
    return any != 0;
}

/* Whether this is a program under Valgrind, for which everything below a stack pointer is out of
 * bounds: its manual's client request RUNNING_ON_VALGRIND, which changes nothing elsewhere. */
static bool under_valgrind(void) {
    uint64_t request[6] = {0x1001}, answer = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
#elif defined(__aarch64__)
    register uint64_t value __asm__("x3") = answer;
    register uint64_t *asked __asm__("x4") = request;
    __asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(value)
                     : "r"(asked)
                     : "cc", "memory");
    answer = value;
#endif
    return answer != 0;
}

/* Gives back what a deep recursion left of a long stack; nothing of it means anything any more. To
 * look first costs half of what giving back does. */
static void stack_trim(struct cpu_stack *stack) {
    assert(stack->size > CPU_STACK_TOUCHED);
    uint8_t *end = stack->base + stack->size - CPU_STACK_TOUCHED;
    if (stack->size > CPU_STACK_BYTES && (under_valgrind() || cpu_stack_touched(end)))
        madvise(stack->base, (size_t)(end - stack->base), MADV_DONTNEED);
}

/* A parked program that is killed never comes back for its stack. */
void cpu_stack_discard(struct cpu_stack *stack) {
    assert(stack->base && stack->size % CPU_PAGE == 0);
    munmap(stack->base - CPU_GUARD_BYTES, stack->size + CPU_GUARD_BYTES);
    free(stack);
}

static void stack_give(struct cpu_thread *self, struct cpu_stack *stack) {
    assert(stack && self->stack_count <= STACKS_KEPT);
    if (self->stack_count >= STACKS_KEPT) {
        cpu_stack_discard(stack);
        return;
    }
    stack_trim(stack);
    stack->next = self->stacks;
    self->stacks = stack;
    self->stack_count++;
}

/* The first thing on a fresh stack. */
static void entry(void) {
    struct cpu_thread *self = cpu_thread();
    cpu_instance *instance = self->running;
    assert(instance && instance->stack && instance->image->start);
    /* Not before: until here the context that the timer would go back to was the last run's. */
    self->mode = CPU_PROGRAM;
    if (instance->rewinding) {
        instance->image->start_rewind(instance->module, instance->asyncify);
    }
    instance->image->start(instance->module);
    /* It may have parked and gone on on another thread than the one that entered this stack. */
    cpu_leave(instance->thread, CPU_EXIT_RETURNED);
}

enum cpu_exit cpu_run(struct cpu_thread *self, cpu_instance *instance) {
    void *context;
    assert(!self->running && self->mode == CPU_HOST);
    assert((instance->state == CPU_PARKED) == (instance->stack != NULL));
    assert(instance->image->start && instance->slot);
    if (instance->state == CPU_PARKED) {
        context = instance->parked_at;
    } else {
        struct cpu_stack *stack = stack_take(self, stack_size(instance->image));
        if (!stack) {
            self->trap_signal = SIGKILL;
            return CPU_EXIT_TRAP;
        }
        instance->stack = stack;
        context = cpu_context(stack->base + stack->size, entry);
    }
    self->running = instance;
    instance->thread = self;
    instance->state = CPU_UNWOUND;
#ifdef PF_NO_SIGNALS
    cpu_guard_by(instance, &self->guard);
    cpu_stack_begin(self, instance->stack);
#endif
    /* It begins in entry(), or goes on inside the trampoline: both are the host's code. */
    self->mode = CPU_HOST;
    enum cpu_exit how = (enum cpu_exit)cpu_switch(&self->host_context, context, 0);
    self->mode = CPU_HOST;
    self->running = NULL;
    assert(how >= CPU_EXIT_RETURNED && how <= CPU_EXIT_KERNEL);
    if (how == CPU_EXIT_PARKED) {
        assert(instance->stack && instance->parked_at);
        instance->state = CPU_PARKED;
        return how;
    }
    stack_give(self, instance->stack);
    instance->stack = NULL;
    if (how == CPU_EXIT_RETURNED) {
        if (!cpu_asyncify_sound(instance)) { /* its frames overflowed their stack, or it lies */
            self->trap_signal = SIGSEGV;
            return CPU_EXIT_TRAP;
        }
        instance->image->stop_unwind(instance->module);
        instance->rewinding = true;
    }
    return how;
}

void cpu_park(struct cpu_thread *self, cpu_instance *instance) {
    assert(instance->stack);
    assert(self->running == instance);
    cpu_switch(&instance->parked_at, self->host_context, CPU_EXIT_PARKED);
}

_Noreturn void cpu_leave(struct cpu_thread *self, enum cpu_exit how) {
    DEBUG_ASSERT(self->host_context);
    self->mode = CPU_HOST;
    cpu_escape(self->host_context, how);
}

_Noreturn void cpu_trap(struct cpu_thread *self, int signal_number) {
    assert(signal_number > 0);
    bool kernel = self->mode == CPU_KERNEL;
    self->trap_signal = signal_number;
    cpu_leave(self, kernel ? CPU_EXIT_KERNEL : CPU_EXIT_TRAP);
}

intptr_t cpu_guard_kernel(struct cpu_thread *self, cpu_instance *kernel,
                          intptr_t (*function)(void *), void *argument) {
    DEBUG_ASSERT(self->mode == CPU_HOST && !kernel->image->start);
    self->kernel = kernel;
    uint8_t *top = self->kernel_stack->base + self->kernel_stack->size;
#ifdef PF_NO_SIGNALS
    cpu_stack_begin(self, self->kernel_stack);
#endif
    cpu_watch_kernel(self, true);
    intptr_t result = cpu_guarded(&self->host_context, function, argument, top);
    self->mode = CPU_HOST;
    cpu_watch_kernel(self, false);
    return result;
}
