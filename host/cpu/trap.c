/*
 * host/cpu/trap.c: a fault in guest code ends that program (or that kernel), nothing else.
 *
 * Generated code has no bounds checks: an address outside its memory hits the slot's inaccessible
 * part, a native stack overflow hits the stack's guard page. The handler claims a fault only if
 * guest code is on top of this thread and the address lies in that guest's slot or guard; every
 * other fault goes to the handler that was installed before.
 */
#include "cpu.h"
#include "context.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ucontext.h>
#include <ucontext.h>
#include <unistd.h>

/* SIGSTKSZ is too small where the processor has large registers to save. */
#define ALTSTACK_BYTES (64u << 10)

extern __thread struct cpu_thread *cpu_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct sigaction previous[NSIG];
static atomic_bool installed[NSIG], again[NSIG]; /* again: in front of one that came after us */
/* This thread's last fault of that number went to `previous`. */
static __thread unsigned char passed[NSIG]
    __attribute__((tls_model("initial-exec")));
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

static bool in_slot(const cpu_instance *instance, const uint8_t *address) {
    return instance && instance->slot && address >= instance->slot->base &&
           address < instance->slot->base + CPU_SLOT_BYTES;
}

/* A program writes where its process was still the template's copy: it has pages of its own now. */
static bool unseals(cpu_instance *instance, const uint8_t *address) {
    struct cpu_slot *slot = instance ? instance->slot : NULL;
    if (!slot || address < slot->base + slot->sealed_from ||
        address >= slot->base + slot->sealed_to)
        return false;
    size_t at = (size_t)(address - slot->base);
    return cpu_slot_sealed_at(slot, at) && cpu_slot_unseal(slot, at, at + 1);
}

static bool below(const struct cpu_stack *stack, const uint8_t *address) {
    return address >= stack->base - CPU_GUARD_BYTES && address < stack->base;
}

static bool in_guard(const cpu_instance *instance, const uint8_t *address) {
    return instance && instance->stack && below(instance->stack, address);
}

/* Makes the interrupted thread go on in the host's context with `how` once the handler returns. */
void cpu_redirect(void *ucontext, struct cpu_thread *self, enum cpu_exit how) {
    ucontext_t *u = ucontext;
    self->mode = CPU_HOST;
#if defined(__x86_64__)
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)cpu_escape;
    u->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)self->host_context;
    u->uc_mcontext.gregs[REG_RSI] = (greg_t)how;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x400; /* the ABI wants the direction flag clear */
#elif defined(__aarch64__)
    u->uc_mcontext.pc = (uintptr_t)cpu_escape;
    u->uc_mcontext.regs[0] = (uintptr_t)self->host_context;
    u->uc_mcontext.regs[1] = (uint64_t)how;
#endif
}

/*
 * A handler that is done with a fault often restores what it once found and raises the signal again
 * (Python's faulthandler does). If it came after ours, the handler that it restores is ours, which
 * would call it again.
 */
static bool gives_back(int number, const siginfo_t *info) {
    bool own = (info->si_code == SI_TKILL || info->si_code == SI_USER) && info->si_pid == getpid();
    return own && passed[number] && atomic_load(&again[number]);
}

static void pass_on(int number, siginfo_t *info, void *ucontext) {
    const struct sigaction *old = &previous[number];
    if (gives_back(number, info)) {
        struct sigaction dfl = {.sa_handler = SIG_DFL};
        sigaction(number, &dfl, NULL);
        raise(number);
        return;
    }
    passed[number] = 1;
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(number, info, ucontext);
    } else if (old->sa_handler == SIG_IGN || old->sa_handler == SIG_DFL) {
        /* Returning runs the faulting instruction again, now with the default action. */
        struct sigaction dfl = {.sa_handler = SIG_DFL};
        sigaction(number, &dfl, NULL);
    } else {
        old->sa_handler(number);
    }
}

static void on_fault(int number, siginfo_t *info, void *ucontext) {
    int saved_errno = errno;
    struct cpu_thread *self = cpu_self;
    const uint8_t *address = info->si_addr;
    if (self && self->mode == CPU_PROGRAM && unseals(self->running, address)) {
        /* The write is tried again. */
    } else if (self && self->mode == CPU_PROGRAM &&
               (in_slot(self->running, address) || in_guard(self->running, address))) {
        self->trap_signal = SIGSEGV;
        cpu_redirect(ucontext, self, CPU_EXIT_TRAP);
    } else if (self && self->mode == CPU_KERNEL &&
               (in_slot(self->kernel, address) || in_guard(self->running, address) ||
                below(self->kernel_stack, address))) {
        cpu_redirect(ucontext, self, CPU_EXIT_KERNEL);
    } else {
        pass_on(number, info, ucontext);
    }
    errno = saved_errno;
}

static void install(int number) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) return;
    pthread_mutex_lock(&install_lock);
    previous[number] = now;
    if (atomic_exchange(&installed[number], true)) atomic_store(&again[number], true);
    struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    /* Cut in this handler, the thread would go on with this signal blocked. */
    sigaddset(&ours.sa_mask, CPU_TICK_SIGNAL);
    sigaction(number, &ours, NULL);
    pthread_mutex_unlock(&install_lock);
}

void cpu_traps_install(bool all) {
    install(SIGSEGV);
    if (all) install(SIGBUS);
}

/* Gives the thread an alternate signal stack if it has none. False: errno. */
bool cpu_altstack(struct cpu_thread *self) {
    stack_t now;
    if (sigaltstack(NULL, &now) != 0) return false;
    if (!(now.ss_flags & SS_DISABLE)) return true;
    self->altstack = malloc(ALTSTACK_BYTES);
    if (!self->altstack) return false;
    stack_t ours = {.ss_sp = self->altstack, .ss_size = ALTSTACK_BYTES};
    return sigaltstack(&ours, NULL) == 0;
}

void cpu_altstack_free(struct cpu_thread *self) {
    if (!self->altstack) return;
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    free(self->altstack);
}
