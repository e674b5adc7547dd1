/*
 * host/cpu/cpu.h: running one WebAssembly instance, and surviving whatever it does.
 *
 * The machine (host/machine) owns instances and decides who runs; this folder knows native stacks,
 * linear memory, traps and the timer. It knows no kernel and no messages: pf.call, the only import
 * of a program, is implemented by the machine's trampoline.
 *
 * A program instance is in one of these states while the host holds it:
 *   UNWOUND  its C stack lies in its own memory (Asyncify): plain bytes, can be copied or saved
 *   PARKED   it waits on a native stack of its own; cannot be copied or saved
 * The kernel instance is always between two calls.
 *
 * Threads: an instance runs on the thread that calls cpu_run(), one at a time; it may move between
 * runs unless it is PARKED, which is fine too, since a parked stack belongs to the instance.
 */
#ifndef PF_CPU_H
#define PF_CPU_H

#include "image.h"
#include "host/base/contract.h"
#include "memory.h"

#include <signal.h>
#include <stdatomic.h>
#ifdef PF_NO_SIGNALS
#include "guard.h"

#include <pthread.h>
#endif

/* Bytes of linear memory that a set of instances may have; the machine has one for each sandbox. */
struct cpu_budget {
    uint64_t used, peak;
    uint64_t limit;        /* for all */
    uint64_t each;         /* for one program instance */
    uint64_t reserve;      /* of `limit`, what programs leave to the kernel */
};

/* Of 64 KiB, in a linear memory: its size has 32 bits. All images may grow so far
 * (wasm_image.py). */
#define CPU_PAGES_MAX 65535u

/* What is copied, compared and saved at a time, in bytes. */
#define CPU_PAGE 4096u

/* A native stack with a guard page. */
struct cpu_stack {
    uint8_t *base; /* lowest usable byte */
    size_t size;
    struct cpu_stack *next;
};

/* Lazily committed. Programs that recurse far in generated code use up to 11 times their own stack
 * of it, so a program with a longer stack than CPU_STACK_LONG gets CPU_STACK_TIMES its size. */
#define CPU_STACK_BYTES (16u << 20)
#define CPU_STACK_LONG  (2u << 20)
#define CPU_STACK_TIMES 32
/* What a kept stack, native or linear, may have touched: who went deeper gives the rest back. */
#define CPU_STACK_TOUCHED (1u << 20)
/* No frame of generated code is larger (PF_FRAME_MAX in cmake/WasmProgram.cmake). */
#define CPU_FRAME_MAX (64u << 10)
/* Below each stack, so that no overflow can jump over it. */
#define CPU_GUARD_BYTES (2 * CPU_FRAME_MAX)
#ifdef PF_NO_SIGNALS
/* Generated code ends this far above the guard: the frame of who was still let through and of who
 * is about to ask, and room below them for the host, libm and a signal of the embedder's. */
#define CPU_STACK_RESERVE (2 * CPU_FRAME_MAX + (64u << 10))
#else
#define CPU_STACK_RESERVE 0
#endif
/* Left on the native stack when a program calls the kernel, or the program overflows first. */
#define CPU_KERNEL_STACK_BYTES (CPU_STACK_RESERVE + (128u << 10))

enum cpu_state { CPU_UNWOUND, CPU_PARKED };

typedef struct Z_pf_instance_t cpu_instance;
struct Z_pf_instance_t {
    const struct pf_image *image;
    void *module; /* wasm2c's structure, image->instance_size bytes, allocated with this one */
    wasm_rt_memory_t *memory; /* inside module */
    struct cpu_slot *slot;
    struct cpu_budget *budget;
    uint64_t charged; /* bytes taken from the budget */
    enum cpu_state state;
    bool rewinding;   /* started, but its C stack is not back yet */
    uint32_t asyncify;      /* address of its Asyncify stack's {current, end}; 0 for the kernel */
    struct cpu_range asyncify_stack; /* {begin, end}; known from the first call on */
    struct cpu_range dead[2]; /* a kernel's: mean nothing between two calls; rising, may be empty */
    struct cpu_thread *thread; /* that it runs on */
    struct cpu_stack *stack; /* while it runs or is parked */
    void *parked_at;         /* context while PARKED */
    void *owner;             /* the machine's */
    uint32_t proc;           /* the machine's: process index */
};

/* How cpu_run() ended. */
enum cpu_exit {
    CPU_EXIT_RETURNED = 1, /* the C stack was unwound, or pf_start returned */
    CPU_EXIT_PARKED,       /* cpu_park() was called */
    CPU_EXIT_GONE,         /* cpu_leave() was called: the stack is abandoned */
    CPU_EXIT_TRAP,         /* a fault: cpu_last_trap() */
    CPU_EXIT_STOPPED,      /* the timer's backstop struck in the program */
    CPU_EXIT_KERNEL,       /* the kernel faulted or hung: the sandbox is lost */
};

/* Who is on top of this thread; written around every change of hands, read by signal handlers. */
enum cpu_mode { CPU_HOST, CPU_PROGRAM, CPU_KERNEL };

/* What the timer asks of the thread; the machine looks at it at each message. */
struct cpu_watch {
    atomic_uint ticks;      /* CPU ticks of CPU_TICK_NS since the machine was entered */
    atomic_uint stop_at;    /* at this many, `stop` is set; UINT_MAX: never */
    atomic_uint kill_at;    /* at this many, a program that makes no calls is cut: backstop */
    const atomic_int *demand; /* the embedder's: at CPU_DEMAND_CUT, too; NULL: none */
    atomic_uint look_every;   /* at each multiple of this, `stop` is set; 0: never */
    atomic_int stop;        /* set: leave the guest at the next message */
};
#define CPU_TICK_NS 10000000
#define CPU_DEMAND_CUT 4
/* Is a program to be cut that has come to so many ticks? Also in a signal handler. */
static inline bool cpu_watch_cuts(const struct cpu_watch *watch, unsigned ticks) {
    if (ticks >= atomic_load_explicit(&watch->kill_at, memory_order_relaxed)) return true;
    const atomic_int *demand = watch->demand;
    return demand && atomic_load_explicit(demand, memory_order_relaxed) >= CPU_DEMAND_CUT;
}
#define CPU_KERNEL_TICKS_MAX 200 /* two seconds in one bounded call */

struct cpu_thread {
#ifdef PF_NO_SIGNALS
    struct cpu_guard guard; /* first: what the instances on this thread point to */
    uintptr_t floor;        /* its limit when nobody strikes: the end of the stack in use */
    struct cpu_thread *next;    /* in the ticker's list */
    pthread_mutex_t watch_lock; /* around `watch`, which the ticker follows */
    atomic_uint busy;           /* a run or a call of the kernel is on */
    clockid_t clock;            /* of its CPU time */
    uint64_t seen_ns;           /* the ticker's: counted up to here; 0: not yet */
#else
    void *altstack;
    volatile bool timer_made, timer_on;
    timer_t timer;
    int64_t looked_ns; /* when handlers were looked after, by the system's coarsest clock */
#endif
    volatile unsigned begun; /* calls of cpu_begin() that cpu_end() has not ended */
    const char *refused; /* the call of the system that the last cpu_begin() failed for; constant */
    volatile enum cpu_mode mode;
    void *host_context;
    cpu_instance *running; /* the program instance on top or below the kernel, or NULL */
    cpu_instance *kernel;  /* the kernel that calls are guarded for */
    struct cpu_watch *watch;
    int trap_signal;              /* what the last CPU_EXIT_TRAP means as a signal */
    atomic_uint kernel_ticks;     /* ticks since the kernel was called */
    struct cpu_stack
        *kernel_stack;            /* for a kernel that the host calls; programs call it on theirs */
    struct cpu_stack *stacks;     /* free ones */
    unsigned stack_count;
};

/* The calling thread's state, made at first use; NULL when the system refuses (errno). */
struct cpu_thread *cpu_thread(void);

/* ---- instance.c */

/* A fresh instance by the module's own data segments; used to make templates. NULL: no memory. */
cpu_instance *cpu_instance_new(const struct pf_image *image, struct cpu_budget *budget);
/* Frees an instance and its slot; NULL is allowed. */
void cpu_instance_free(cpu_instance *instance);
/* How much of a program's stack keeps no memory when a process ends: all but its top, of a long
 * one. */
size_t cpu_stack_given_back(const struct pf_image *image);
/* Frees the instance but keeps its slot for another of the same sandbox. */
struct cpu_slot *cpu_instance_dismantle(cpu_instance *instance);
#define CPU_LIVE_MAX 4
/* The ranges of an UNWOUND program's memory that mean anything: its live stack, its data up to the
 * Asyncify stack, the used part of that, and the rest. For the kernel: all above its stack,
 * which is empty between two calls, but what is `dead`. Fills `ranges` with {from, to}, which rise;
 * returns how many. Numbers from the guest are bounded by its memory size. */
int cpu_live_ranges(const cpu_instance *instance, struct cpu_range ranges[CPU_LIVE_MAX]);
/* Learns where its Asyncify stack lies; while no frame is unwound, at its first call. */
void cpu_note_asyncify_stack(cpu_instance *instance);
/* Is {current, end} as Asyncify's own functions demand? They trap if not, and a program can write
 * there what it likes: ask before calling start_unwind, stop_unwind or stop_rewind. */
bool cpu_asyncify_sound(const cpu_instance *instance);
/* A copy of an instance's globals, without memory; free() it. */
cpu_instance *cpu_instance_model(const cpu_instance *from);
/* The same of an image that was never instantiated: its mutable globals are `globals`, of
 * image->globals_len bytes, its memory has `size` bytes. NULL: no memory. */
cpu_instance *cpu_instance_wake(const struct pf_image *image, const void *globals, size_t size);
/* An instance with the globals of `model` and a slot whose memory the caller still has to size and
 * fill. `slot` is taken over in any case; NULL: a new one. NULL with ENOMEM over the budget. */
cpu_instance *cpu_instance_like(const cpu_instance *model, struct cpu_budget *budget,
                                struct cpu_slot *slot);
/* A copy of an UNWOUND program, into `slot` (taken over in any case; NULL: a new one). */
cpu_instance *cpu_instance_copy(const cpu_instance *from, struct cpu_slot *slot);
/* Names the pages (addresses, multiples of CPU_PAGE, rising) of an UNWOUND program or a kernel that
 * mean something and may differ from its template, or from zero if it has none. Pages of which only
 * a part means something are always named. */
typedef void (*cpu_page_fn)(void *user, size_t page);
/* Calls `function` for each of these pages. */
void cpu_each_written_page(const cpu_instance *instance, cpu_page_fn function, void *user);
/* A copy of an UNWOUND program or a kernel for another sandbox, in a slot of its own. Pages that
 * are mapped from a template are mapped again, and only those that differ are copied. NULL:
 * errno. */
cpu_instance *cpu_instance_clone(const cpu_instance *from, struct cpu_budget *budget);
/* The address that the program's stack pointer holds, as the guest left it: not checked. */
uint32_t cpu_stack_pointer(const cpu_instance *instance);
/* The host is about to write there, within the memory of `instance`. False: the system refuses. */
static inline bool cpu_will_write(cpu_instance *instance, uint64_t from, uint64_t len) {
    const struct cpu_slot *slot = instance->slot;
    if (len == 0 || from + len <= slot->sealed_from || from >= slot->sealed_to) return true;
    return cpu_slot_unseal(instance->slot, from, from + len);
}
/* Charges `bytes` more to the budget, or refuses. */
bool cpu_charge(cpu_instance *instance, uint64_t bytes);

/* What wasm_rt_allocate_memory() does: for the instance that is being made on this thread. */
void cpu_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages);

/* ---- template.c: an instance frozen, from which others start. Shared between threads,
 * constant. */

/*
 * Most pages of a template are never written: constants, byte code, the library of a language, and
 * memory for more than most processes need. Pages that the first processes left alone are sealed in
 * later copies, and are not copied or cleared again while they stay so.
 */
struct cpu_steady {
    struct cpu_range seals[CPU_SEALS_MAX];
    atomic_uint seal_count; /* 0: they are not known, or there are none */
    atomic_uint looked;      /* at how many processes */
    uint8_t *written;        /* by page, how many of these wrote to it; of one not wide, if any */
    _Atomic(struct cpu_hot *) hot; /* from that: what most of them wrote; NULL: not known */
};
/* Parts of a template's memory, in pages. */
struct cpu_hot {
    size_t count;
    struct cpu_range parts[];
};
struct cpu_template {
    const struct pf_image *image;
    cpu_instance *model; /* its globals; has no slot */
    size_t size;       /* bytes of linear memory */
    size_t from, to;   /* of it, what may be other than zero, in pages */
    int fd; /* a file that has [from, to) at `offset`: sealed, in memory, or the program's own */
    size_t offset;
    const uint8_t *data; /* [from, to), read-only */
    const struct cpu_range *runs; /* the parts that are not zero */
    size_t run_count;
    bool wide;         /* so much that is not zero that a process is mapped rather than copied */
    bool baked;        /* `fd`, `data` and `runs` are the build's (baked.h), not this template's */
    struct cpu_steady *steady; /* what its processes are seen to leave alone */
};
/* May this process make a file of that size? RLIMIT_FSIZE is for files in memory too, and to grow
 * one beyond it would be SIGXFSZ to the embedder. False: errno is EFBIG. */
bool cpu_file_allowed(size_t size);
/* Writes data[from, to) to the same place of a file. False: errno. */
bool cpu_write_at(int fd, const uint8_t *data, size_t from, size_t to);
/* Freezes an UNWOUND program or the kernel. NULL on failure (errno). */
struct cpu_template *cpu_template_new(const cpu_instance *from);
size_t cpu_template_size(const struct cpu_template *t); /* of its memory, in bytes */
extern const uint8_t cpu_zero_page[CPU_PAGE];
/* Its page at that address: CPU_PAGE bytes, or more within one of its runs. */
static inline const uint8_t *cpu_template_page(const struct cpu_template *t, size_t page) {
    return t->from <= page && page < t->to ? t->data + (page - t->from) : cpu_zero_page;
}
/* Looks at what a process that has ended wrote, if it started as a mapping of a wide template. To
 * be called before the process is dismantled; its stack pointer is lost. */
void cpu_hot_learn(cpu_instance *ended);
static inline bool cpu_hot_known(const struct cpu_template *t) {
    return t->steady && atomic_load_explicit(&t->steady->hot, memory_order_acquire) != NULL;
}
/* Makes all of a slot what its template is: what most processes write is written over and stays
 * present, other pages are the file's again. False: the system refuses. */
bool cpu_hot_restore(const struct cpu_slot *slot);
/* Makes present what most processes of the template write, where that is known. */
void cpu_hot_touch(const struct cpu_template *t, const struct cpu_slot *slot);
/* Makes a slot's memory the template's, mapped copy-on-write. False when the system refuses. */
bool cpu_template_map(const struct cpu_template *t, struct cpu_slot *slot);
/* Sets `wide`, from `runs`. */
void cpu_template_measure(struct cpu_template *t);
/* Frees a template, of which no instance may be left; NULL is allowed. Keeps errno. */
void cpu_template_free(struct cpu_template *template);
/* A new instance: `mapped` copy-on-write (for what lives long, and of wide templates), in `slot` if
 * cpu_hot_restore() made it the template's, or copied (short-lived) into `slot`. It is taken over
 * in any case; NULL: a new one. */
cpu_instance *cpu_template_instance(const struct cpu_template *template, struct cpu_budget *budget,
                                    bool mapped, struct cpu_slot *slot);

/* ---- run.c */

/* Runs a program until it unwinds, parks, leaves or dies. */
enum cpu_exit cpu_run(struct cpu_thread *self, cpu_instance *instance);
/* From the trampoline, on the program's stack: wait here; returns when run again. */
void cpu_park(struct cpu_thread *self, cpu_instance *instance);
/* From the trampoline: never come back. */
_Noreturn void cpu_leave(struct cpu_thread *self, enum cpu_exit how);
/* A stack of `size` bytes, a multiple of CPU_PAGE. NULL: no memory. */
struct cpu_stack *cpu_stack_new(size_t size);
void cpu_stack_discard(struct cpu_stack *stack); /* Unmaps a stack that no program comes back to. */
/* Did frames of a stack reach below `at`? Looks at the page there, which every deep recursion
 * passes and writes to; a miss costs memory only. */
bool cpu_stack_touched(const uint8_t *at);
/* Where the stack is about to grow from: a frame's address costs a register for all of it. */
static inline const uint8_t *cpu_stack_here(void) {
#ifdef __x86_64__
    const uint8_t *here;
    __asm__("movq %%rsp, %0" : "=r"(here));
    return here;
#else
    return __builtin_frame_address(0);
#endif
}
/* Is there stack left for a kernel call on top of this program? */
static inline bool cpu_stack_left(const cpu_instance *instance) {
    const uint8_t *here = cpu_stack_here();
    return here - instance->stack->base > (ptrdiff_t)CPU_KERNEL_STACK_BYTES;
}
/* Runs function(argument) on the thread's kernel stack with faults in `kernel` survived: its
 * result, or CPU_EXIT_KERNEL. The function calls cpu_enter_kernel() before the generated code. */
intptr_t cpu_guard_kernel(struct cpu_thread *self, cpu_instance *kernel,
                          intptr_t (*function)(void *), void *argument);

/* From a fault handler: ends the program or, while it is the kernel that runs, the sandbox. */
_Noreturn void cpu_trap(struct cpu_thread *self, int signal_number);

/* ---- what watches guests: trap.c and timer.c by signals; with PF_SIGNALS=OFF ticker.c, by
 * asking */

/* A real-time signal near the end: libraries that use any start at the other one. The last is
 * Valgrind's own; qemu-user, which keeps two for itself, has none for the last two. */
#define CPU_TICK_SIGNAL (SIGRTMAX - 4)
/* Installs or re-installs the fault handlers in front of what is there: all of them, or that of
 * SIGSEGV, which is what a guest can cause. */
void cpu_traps_install(bool all);
/* What cpu_begin() found of the embedder's. */
struct cpu_begun {
    bool blocked; /* the tick's signal, in this thread's mask */
};
/* Guests may run on this thread until cpu_end(): what watches them is at work, whatever the
 * embedder has done with its signals. Nests. `soon`: it follows the last one at once, and need not
 * ask all of the system again. False: the system refuses it; errno, and self->refused. */
bool cpu_begin(struct cpu_thread *self, struct cpu_begun *begun, bool soon);
/* Ends what cpu_begin() began, on the same thread. */
void cpu_end(struct cpu_thread *self, const struct cpu_begun *begun);
/* In between, around code of the embedder's, which is to find its signals as it left them, and may
 * change them. False, also in a forked child: as cpu_begin(). */
void cpu_step_out(struct cpu_thread *self, const struct cpu_begun *begun);
/* Back from the embedder's code: what watches is at work again. */
bool cpu_step_in(struct cpu_thread *self, struct cpu_begun *begun);
/* Ticks count for `watch` from here on, for nobody if NULL; returns what they counted for until
 * now. */
struct cpu_watch *cpu_watch(struct cpu_thread *self, struct cpu_watch *watch);
/* The host calls the kernel, or has done so: ticks count for that, too. */
void cpu_watch_kernel(struct cpu_thread *self, bool on);
/* For thread.c: what a thread needs to be watched; false: errno. What a fork leaves of it. */
bool cpu_watcher_join(struct cpu_thread *self);
/* Frees what cpu_watcher_join() made; for an ending thread. */
void cpu_watcher_leave(struct cpu_thread *self);
/* Around fork(): the list of watched threads does not change in between. */
void cpu_watcher_hold(void);
void cpu_watcher_go_on(void); /* After fork(), in the parent. */
void cpu_watcher_forked(struct cpu_thread *self); /* in the child; NULL: it has run no guest */

#ifdef PF_NO_SIGNALS
/* From here on, what runs on this thread does so on `stack`. */
void cpu_stack_begin(struct cpu_thread *self, const struct cpu_stack *stack);
/* Of an instance that runs on no thread: lets everything through. */
extern struct cpu_guard cpu_unguarded;
/* Where the generated code of an instance finds its limit: cmake/checked_image.py puts it first. */
static inline void cpu_guard_by(const cpu_instance *instance, struct cpu_guard *guard) {
    *(struct cpu_guard **)instance->module = guard;
}
#endif

/* Generated code of the kernel is about to be called; the caller sets the mode back. */
static inline void cpu_enter_kernel(struct cpu_thread *self, cpu_instance *kernel) {
    self->kernel = kernel;
    atomic_store_explicit(&self->kernel_ticks, 0, memory_order_relaxed);
#ifdef PF_NO_SIGNALS
    cpu_guard_by(kernel, &self->guard);
#endif
    self->mode = CPU_KERNEL;
}

#endif
