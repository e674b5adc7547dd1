/*
 * abi/message.h: the one structure that crosses every boundary inside a sandbox.
 *
 * A process asks the kernel for everything by filling a struct pf_message in its own memory and
 * calling its only import, pf.call(address). The trampoline in the host checks the ranges, copies
 * header and input into the kernel's mailbox, calls pf_kernel_call(proc) and copies the answer
 * back. The host itself uses the same messages, as process 0, to reach the kernel.
 *
 * Only fixed-width types, little endian, no pointers: both sides and snapshots share the layout.
 * tests/unit/test_abi.c pins every size and offset.
 */
#ifndef PF_ABI_MESSAGE_H
#define PF_ABI_MESSAGE_H

#include <stdint.h>

#define PF_MESSAGE_ARGS 6

struct pf_message {
    uint32_t call;                /* PF_CALL_*, from call.def */
    uint32_t flags;               /* in: PF_MSG_UNWIND; out: PF_MSG_SIGNAL */
    int64_t result;               /* out: >= 0, or a negated errno */
    int64_t arg[PF_MESSAGE_ARGS]; /* in; their meaning is in call.def */
    uint32_t in, in_len;          /* in: address and length of the input bytes */
    uint32_t out, out_cap;        /* in: address and capacity of the output buffer */
    uint32_t out_len;             /* out: bytes written at `out`, <= out_cap */
    uint32_t reserved;            /* 0 */
};

/* The caller's whole C stack is compiled with Asyncify, so the call may unwind it while it waits.
 * Without this flag a call that must wait parks the process on its native stack. */
#define PF_MSG_UNWIND 0x1u
/* A caught signal is pending: the libc takes it with PF_CALL_SIGTAKE and runs its handler. */
#define PF_MSG_SIGNAL 0x100u

/* What pf_kernel_call(proc) tells the trampoline to do with the caller. */
enum pf_action {
    PF_ACTION_RETURN = 0, /* result is final: copy it back and go on */
    PF_ACTION_BLOCK = 1,  /* unwind or park; when scheduled again, send the same message again */
    PF_ACTION_FORK = 2,   /* unwind, copy the instance to process index mailbox.msg.arg[0], then
                             send PF_CALL_HOST_FORK_DONE; both sides send FORK again when scheduled */
    PF_ACTION_GONE = 3,   /* the caller exited, was killed or execed: its stack is abandoned */
};

/* What pf_kernel_next() tells the host loop to do. */
enum pf_event_kind {
    PF_EVENT_IDLE = 0, /* nothing can run; deadline_ns says when a timer will, or INT64_MAX */
    PF_EVENT_RUN = 1,  /* go on with the instance of `proc` */
    PF_EVENT_LOAD = 2, /* make a fresh instance of `image` for `proc` (freeing one it has), run it */
    PF_EVENT_FREE = 3, /* the process at `proc` is gone: drop its instance, ask again */
};

struct pf_event {
    uint32_t kind;       /* enum pf_event_kind */
    uint32_t proc;       /* process index, 1 .. PF_PROCESS_TABLE-1 */
    int32_t pid;         /* its pid, for people and traces */
    int32_t image;       /* PF_EVENT_LOAD: index into the image table given at boot */
    int64_t deadline_ns; /* PF_EVENT_IDLE: monotonic time of the next timer, INT64_MAX for none */
};

/*
 * The kernel's mailbox, at the address that its export pf_kernel_mailbox() returns.
 * The host copies a caller's header to `msg`, with msg.in set to `in_area` and msg.out to
 * `out_area`, and its input to in_area. The kernel answers in `msg`; it may point msg.out at any
 * bytes in its own memory (a pipe buffer, a file extent), which saves a copy.
 */
struct pf_mailbox {
    struct pf_message msg;
    struct pf_event event;    /* written by pf_kernel_next() */
    int64_t realtime_ns;      /* written by the host before each slice: Unix time */
    int64_t monotonic_ns;     /* the same for the monotonic clock */
    uint32_t in_area, in_cap; /* where input goes, PF_MESSAGE_IN_MAX bytes; set by
                                 pf_kernel_mailbox() */
    uint32_t clock_reads;     /* incremented at every reading: was time observed in this slice? */
    uint32_t attention;       /* bit set of PF_ATTENTION_*; the host clears what it has handled */
    uint32_t preempt;         /* the host sets 1: the slice of the caller is used up at this call.
                                 A used-up slice ends (PF_ACTION_BLOCK, the caller at the tail of the
                                 run queue) even when nobody else can run: the host's loop gets its
                                 turn, time moves and timers expire. next() clears it. */
    uint32_t reserved;
    uint64_t room;  /* written by the host before each entry: bytes that the sandbox may still use */
    uint64_t clean; /* bytes of the kernel's memory that hold nothing: they do not count as used */
};

/* Why the host should look at something after a slice; spares a call per slice for each. */
#define PF_ATTENTION_OUTPUT   0x1u /* an output stream has bytes: HOST_OUTPUT */
#define PF_ATTENTION_STDIN    0x2u /* the run's stdin wants bytes: HOST_STDIN */
#define PF_ATTENTION_OP       0x4u /* a host operation was started or cancelled: HOST_OP_TAKE */
#define PF_ATTENTION_RUN_DONE 0x8u /* the foreground of the run has ended: HOST_RUN_STATE */
#define PF_ATTENTION_VALUE    0x10u /* a run value has bytes: HOST_RUN_VALUE */
/* A call needs what is still in a mounted directory: HOST_WANTED, before anything else. The host's
 * own call was answered with PF_ACTION_BLOCK then, and is to be sent again. */
#define PF_ATTENTION_FILL     0x20u
#define PF_ATTENTION_MEMORY   0x40u /* much was freed: HOST_STATS, and drop the ranges that it names */

/*
 * Exports of the kernel module, which has no imports:
 *   uint32_t pf_kernel_mailbox(void)       address of struct pf_mailbox, constant
 *   int32_t  pf_kernel_boot(void)          input: image names, each NUL-terminated; 0 or -errno
 *   uint32_t pf_kernel_call(uint32_t proc) handle mailbox.msg for process index `proc`: pf_action
 *   void     pf_kernel_next(void)          choose what happens next: mailbox.event
 *
 * Exports of a program module, whose only import is pf.call (i32) -> ():
 *   void     pf_start(void)                entry, and re-entry when rewinding
 *   uint32_t pf_asyncify(void)             address of {u32 current, u32 end}: the Asyncify stack
 *   asyncify_start_unwind, _stop_unwind, _start_rewind, _stop_rewind, _get_state
 *   memory, __stack_pointer, __heap_base
 */

#endif
