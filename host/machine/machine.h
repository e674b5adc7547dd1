/*
 * host/machine/machine.h: one sandbox: a kernel, its processes, the run that is on, the calls that
 * wait for the embedder. Internal to host/; the embedder sees include/pinfold.h.
 *
 * The machine knows no files, pipes or shells. It runs one instance until it blocks or ends,
 * carries its message to the kernel, asks the kernel who runs next, and hands out tool calls. Every
 * number that comes from a guest, the kernel included, is checked as if an attacker had written it.
 *
 * Files: options.c limits.c boot.c (what all sandboxes start from) sandbox.c (new, free) entry.c
 * (who is inside, and the bounds of what is no run) fork.c (a branch of one) preview.c (one that
 * may take its place) kernel.c (messages to the kernel) trampoline.c (messages from programs)
 * loop.c (who runs) run.c (one run, from start to result) exec.c (what to start) place.c (a run's
 * own cwd, environment and limits) calls.c (tool calls) rejudge.c (those of a snapshot) reading.c
 * files.c put.c (the embedder's files) toolfiles.c (/tools).
 */
#ifndef PF_MACHINE_H
#define PF_MACHINE_H

#include "abi/limits.h"
#include "abi/message.h"
#include "abi/types.h"
#include "host/base/buf.h"
#include "host/base/clock.h"
#include "host/base/contract.h"
#include "host/base/error.h"
#include "host/capability/gate.h"
#include "host/cpu/cpu.h"
#include "pinfold.h"
#include "tape.h"

#include <stdatomic.h>

/* ---- limits.c: what an embedder can set */

#define MACHINE_LIMITS(X)                                                                          \
    X(cpu_ms, 10 * 1000ull)                                                                        \
    X(wall_ms, 60 * 1000ull)                                                                       \
    X(memory_bytes, 512ull << 20)                                                                  \
    X(process_memory_bytes, 256ull << 20)                                                          \
    X(filesystem_bytes, 256ull << 20)                                                              \
    X(files, 100000ull)                                                                            \
    X(processes, 128ull)                                                                           \
    X(open_files, 256ull)                                                                          \
    X(output_bytes, 1ull << 20)                                                                    \
    X(tool_calls, 1000ull)                                                                         \
    X(tool_result_bytes, 10ull << 20)                                                              \
    X(tool_argument_bytes, 1ull << 20)                                                             \
    X(code_bytes, 16ull << 20)                                                                     \
    X(stdin_bytes, 64ull << 20)                                                                    \
    X(trace_bytes, 1ull << 30)

struct machine_limits {
#define X(name, value) uint64_t name;
    MACHINE_LIMITS(X)
#undef X
};
extern const struct machine_limits machine_default_limits;
/* The field of that name, or NULL. */
uint64_t *machine_limit(struct machine_limits *limits, const char *name);
/* All names, comma-separated; constant. */
const char *machine_limit_names(void);

/* ---- options.c */

#define MACHINE_KEY 32 /* bytes; what the embedder's key is hashed to */

/* A host directory that a sandbox is to have. */
struct machine_mount_request {
    struct machine_mount_request *next;
    char *host; /* NULL, at a restore: it is not there any more */
    char *guest;
    bool copy; /* the guest may write; else it is read-only */
};

/* What came in with a mount, see host/mount/entries.c. */
#define MOUNT_DIGEST 24 /* of contents: their size, and a hash */
struct machine_mount_entry {
    uint32_t name; /* where in the mount's names its path below the mount is */
    char kind;     /* 'd', 'f', 'l' */
    bool has_digest; /* contents or target have come */
    uint32_t mode;
    uint8_t digest[MOUNT_DIGEST]; /* of them */
};
struct machine_mount {
    char *guest;
    bool copy;
    bool given;  /* at a restore: the embedder named it */
    int root;    /* descriptor of the host's directory; -1: none */
    bool sorted; /* by path, one entry for each */
    struct base_buf names;
    struct machine_mount_entry *entries;
    size_t count, capacity;
};
struct machine_mounts { /* shared by branches while nothing comes in */
    atomic_uint references;
    size_t count;
    struct machine_mount items[];
};

struct pf_options {
    struct machine_limits limits;
    char *env; /* NAME=value NUL …, the defaults first; owned */
    size_t env_len, env_count;
    bool env_changed; /* differs from the defaults, which the booted session has */
    cap_gate *gate;
    bool clock_fixed, seed_fixed;
    int64_t clock_ns;
    uint64_t seed;
    bool keyed; /* snapshots are authenticated with `key` */
    uint8_t key[MACHINE_KEY];
    uint64_t min_counter; /* of a snapshot that is restored; 0: any */
    char *prelude; /* owned, or NULL */
    size_t prelude_len;
    char *policy; /* as it was given; owned, or NULL */
    size_t policy_len;
    machine_tape_open tape_open; /* NULL: neither recorded nor replayed */
    char *record_path;           /* owned, or NULL: */
    int record_fd;               /* borrowed; what is recorded to then */
    bool record_redacted;
    void *tape_user; /* tape_open's */
    bool trusted; /* a snapshot's tag is not looked at */
    bool same_random; /* a snapshot's random numbers go on where they were */
    struct machine_mount_request *mounts; /* owned */
    struct machine_mounts *branch_mounts; /* of a branch's trunk, borrowed; or NULL */
};

/* What came for something absent: an input. */
struct machine_fill {
    int error; /* PF_E*: it could not be read */
    bool directory;
    struct base_buf data; /* contents, or the names in it: machine_fill_add() */
};
struct machine_fill_name {
    int64_t size, mtime_ns;
    uint32_t mode;                 /* with its type */
    uint32_t name_len, target_len; /* with their NULs; they follow */
};
/* Appends a name with its target, both NUL-terminated, to what a fill tells the kernel; `head`
 * gives the rest. False: no memory. */
bool machine_fill_add(struct base_buf *data, const struct machine_fill_name *head,
                      const char *name, const char *target);
/* The name at `*at`, which moves on, with its target behind it; NULL: there are no more. */
const char *machine_fill_next(const struct base_buf *data, size_t *at,
                              struct machine_fill_name *head);

/* The time that files of the root bear: 2026-01-01. */
#define MACHINE_ROOT_TIME_NS (1767225600ll * 1000000000)

/* ---- one sandbox */

struct machine_call {
    struct machine_call *next;
    uint64_t id;
    uint32_t op; /* the kernel's number of it */
    bool handed_out;
    const char *method, *name, *params; /* in one of the two below */
    size_t params_len;
    int capability;
    struct cap_decision decision; /* of a call that was judged here */
    char *restored;               /* of one that came with a snapshot */
    uint64_t charged;             /* bytes taken from the sandbox's budget */
    bool aside;                   /* while it is judged again: what it had spent is set aside */
    bool untold; /* it was judged when nobody could listen yet: rejudge.c */
};

/* One word, so that an interrupt comes either before a run or into it, and is never lost between.
 * The owner of the sandbox expects and forgets, pf_sandbox_interrupt() only turns AWAITED into
 * CAME. */
enum machine_interrupt {
    INTERRUPT_IGNORED, /* no run is on, nor about to start */
    INTERRUPT_AWAITED,
    INTERRUPT_CAME, /* the loop has yet to see it */
    INTERRUPT_STOP, /* the same, of pf_sandbox_stop() */
    INTERRUPT_KILL, /* of pf_sandbox_kill(); a program that makes no calls is cut for it */
};
_Static_assert(INTERRUPT_KILL == CPU_DEMAND_CUT, "the watch looks at it");

enum machine_stage { STAGE_RUNNING, STAGE_INTERRUPTED, STAGE_KILLED };

/* The run that is on, or the last one. */
struct machine_run {
    bool on;
    bool foreground_done;
    bool starved; /* there was no memory to load a program */
    bool struck;  /* something came from outside at a moment of its own: enum machine_strike */
    uint32_t session; /* that it is for (enum pf_session); PF_SESSIONS: a process of its own */
    enum machine_stage stage; /* of its end, by a limit or by the embedder */
    const char *limit;       /* that struck, or NULL; constant */
    uint32_t stop_tick;      /* STAGE_KILLED: watch.ticks at which the kernel is given up */
    int64_t stop_wall_ns;    /* the same for wall time */
    int64_t wall_ns;         /* used while the machine ran, up to `entered_ns` */
    uint64_t cpu_ns;
    int64_t slept_ns;        /* of wall_ns */
    uint64_t told_cpu_ns;    /* that on_output took in this drive, and that do not count */
    bool brief;              /* the last drive was: the CPU clock is not worth its price */
    uint64_t tool_calls;     /* allowed ones */
    uint64_t asked;          /* calls that it made, the refused ones too: what the limit counts */
    bool over_told;          /* that it may make no more was reported */
    bool stdin_open;
    struct base_buf input; /* stdin not taken by the kernel yet: from input_at on */
    size_t input_at;
    struct base_buf output[2];
    bool truncated[2];
    struct base_buf value;
    pf_output_fn on_output;
    void *user;
};

/* What the embedder does that is no run, see entry.c. */
struct machine_act {
    const char *what,
        *path; /* for messages; borrowed. `what` NULL: none is on, nothing is bounded */
    uint64_t bytes, max_bytes; /* so far, and the bound */
    int64_t until_ns;          /* host's monotonic time; INT64_MAX: for ever */
    bool awaits;               /* an interrupt is for this act alone: no run is on */
    int came;                  /* enum machine_interrupt: what was there when it began */
};

struct pf_sandbox {
    atomic_int busy; /* 1: a thread is inside */
    bool look_only;  /* a snapshot that was opened to look at: nothing in it goes on */
    bool dead;       /* the kernel failed: nothing works any more */
    const char *dead_why;
    struct cpu_begun begun; /* while a thread is inside */

    struct machine_limits limits; /* in force: with those of the run that is on, or of the last */
    struct machine_limits own_limits; /* the sandbox's */
    pf_bounds bounds;       /* of the embedder's acts, as it set them */
    struct machine_act act; /* that is on */
    struct cpu_budget budget;
    uint64_t clean; /* mailbox.clean when it was looked at last: not part of budget.used */
    struct cpu_watch watch;
    atomic_int interrupt; /* enum machine_interrupt; also the futex a sleep waits on */

    cpu_instance *kernel;
    uint32_t mailbox; /* addresses in the kernel's memory; checked once, constant */
    uint32_t in_area, in_cap;
    bool filling; /* what the kernel wants of a mount is brought in: none of that wants more */
    cpu_instance **procs; /* by index, or NULL: see machine_instance() */
    uint32_t procs_room;  /* at most PF_PROCESS_TABLE */
    struct cpu_slot *spare; /* slots of ended processes, not cleaned: for this sandbox only */
    unsigned spare_count;
    struct cpu_slot *warm; /* one of a wide template, and clean: cpu_hot_restore() */
    uint32_t fork_child; /* by the trampoline: index that the running program forks to */
    enum pf_action action; /* by the trampoline: why the running program came back */

    bool clock_fixed;
    int64_t monotonic_ns;  /* last shown to the kernel */
    int64_t clock_origin;  /* the host's monotonic time when the sandbox's was 0 */
    int64_t realtime_base; /* realtime - monotonic */
    int64_t entered_ns;    /* host's monotonic time when the machine was entered, and later by what
                            * on_output took since */
    int64_t deadline_ns;   /* from the last idle event; INT64_MAX: none */

    char *env;
    size_t env_len, env_count;
    cap_gate *gate;
    bool tool_files;   /* there are files of tools below /tools */
    uint32_t sessions; /* bit n: session n lived when the guest ran last */
    struct machine_call *calls; /* unanswered, oldest first */
    struct machine_call *refused; /* judged again and refused, of which nobody was told yet */
    bool stirred; /* calls were refused since the guest ran last: it can go on with that */
    pf_decision_fn on_decision; /* or NULL */
    void *on_decision_user;
    pf_pause_fn on_pause; /* or NULL */
    void *on_pause_user;
    int64_t pause_at;   /* host's monotonic time of the next one */
    uint64_t next_call; /* ids: the branch in the upper half, a count from 1 in the lower */
    uint64_t forks;     /* branches that were made of it */
    bool seed_fixed;
    uint8_t seed[32];     /* that the random stream starts from, once `seeded` */
    bool seeded;
    bool keyed; /* as in pf_options */
    uint8_t key[MACHINE_KEY];
    uint64_t moment;           /* see tape.h */
    uint64_t changes;          /* acts of the embedder that may have changed it */
    uint64_t serial;     /* no other sandbox of this process ever has it; 0: nobody asked yet */
    uint64_t preview_of; /* the serial of another one: preview.c; 0: of none */
    uint64_t preview_moment, preview_changes; /* of that one, when this was made */
    struct machine_tape *tape; /* owned, or NULL */
    struct machine_mounts *mounts; /* one reference, or NULL */
    char
        *left_out; /* what a portable snapshot did not bring: texts, each ended by a NUL; or NULL */
    size_t left_out_len;
    const char *made_from;     /* while it is made: the snapshot, or NULL */
    size_t made_from_len;
    struct machine_run run;
    pf_result result;
    bool has_result;
};

/* Fills in the error of a sandbox whose kernel failed, with the reason; returns PF_DEAD. */
pf_status machine_dead(pf_sandbox *sandbox, pf_error *error);
static inline bool machine_replays(const pf_sandbox *sandbox) {
    return sandbox->tape && sandbox->tape->replays;
}
/* Does something from outside strike here? `now`: it came; a replay goes by its trace instead. */
static inline bool machine_struck(pf_sandbox *sandbox, enum machine_strike what, bool now) {
    if (!sandbox->tape && !now) return false; /* nearly always */
    return machine_tape_struck(sandbox, what, now);
}
/* ---- entry.c: each entry of the embedder's */

/* One thread at a time: PF_BUSY, PF_DEAD, or PF_NO_TIMER; machine_leave() after PF_OK only. */
pf_status machine_enter(pf_sandbox *sandbox, pf_error *error);
/* The same for what changes the sandbox: PF_STATE when it was opened to look at. */
pf_status machine_enter_to_change(pf_sandbox *sandbox, pf_error *error);
/* Ends what machine_enter() began, on the same thread; the tape is told first. */
void machine_leave(pf_sandbox *sandbox);
/* The same for acts that run no guest, not even the kernel, and so need no watcher. */
pf_status machine_take(pf_sandbox *sandbox, pf_error *error);
/* As machine_take(), but PF_STATE where machine_enter_to_change() gives it. */
pf_status machine_take_to_change(pf_sandbox *sandbox, pf_error *error);
void machine_give(pf_sandbox *sandbox); /* Ends what machine_take() began. */
/* Around a callback of the embedder's: its time is nobody's, its signals are its own. */
struct cpu_watch *machine_step_out(pf_sandbox *sandbox);
/* Counts this thread's time on the CPU for `watch` from here on. A system that refuses the timer
 * makes the sandbox dead. */
void machine_step_in(pf_sandbox *sandbox, struct cpu_watch *watch);
/* Enters for an act with bounds, `what` and `path` name it in messages and live until it ends. */
pf_status machine_enter_act(pf_sandbox *sandbox, const char *what, const char *path, bool change,
                            pf_error *error);
void machine_leave_act(pf_sandbox *sandbox); /* Ends the act and leaves the sandbox. */
/* The same within a thread that has entered. */
void machine_begin_act(pf_sandbox *sandbox, const char *what, const char *path);
/* Ends the act's bounds; an interrupt that it awaited is ignored again. */
void machine_end_act(pf_sandbox *sandbox);
/* The act gives so many bytes more: PF_BOUND over one of its bounds, PF_INTERRUPTED. To be asked
 * between any two steps whose number or size a guest decides; PF_OK when no act is on. */
pf_status machine_spend(pf_sandbox *sandbox, uint64_t bytes, pf_error *error);

/* ---- check.c: aborts where something is not as it always is between two acts of the embedder. For
 * tests: tests/api/check_on_leave.c. */
void machine_check(const pf_sandbox *sandbox);

/* A run is on or about to start: interrupts count from here on. */
void machine_expect_interrupt(pf_sandbox *sandbox);

/* ---- kernel.c: messages to the kernel, as process 0 */

struct k_call {
    uint32_t call;
    int64_t arg[PF_MESSAGE_ARGS];
    const void *in;
    size_t in_len;
    void *out;
    size_t out_cap;
    size_t out_len; /* filled */
};
/* The kernel's result; -PF_EIO when the sandbox is dead. */
int64_t machine_kernel(pf_sandbox *sandbox, struct k_call *call);
#define KERNEL(sandbox, name, ...)                                                                 \
    machine_kernel(sandbox, &(struct k_call){.call = PF_CALL_##name, __VA_ARGS__})
/* Where host and kernel leave messages for each other; at another place when the kernel is
 * another. */
static inline struct pf_mailbox *machine_mailbox(const pf_sandbox *sandbox) {
    return (struct pf_mailbox *)(sandbox->kernel->slot->base + sandbox->mailbox);
}
/* The kernel uses another part of its own memory than before. */
void machine_memory_changed(pf_sandbox *sandbox, uint64_t clean);
/* Has the kernel more of what was just taken? Asks once. */
static inline bool machine_attention_again(const pf_sandbox *sandbox, uint32_t attention) {
    struct pf_mailbox *mailbox = machine_mailbox(sandbox);
    bool again = mailbox->attention & attention;
    mailbox->attention &= ~attention;
    return again;
}
/* Around each entry into the kernel: what it may use of its own memory, and what it does not
 * use. */
static inline void machine_show_room(const pf_sandbox *sandbox, struct pf_mailbox *mailbox) {
    uint64_t room;
    bool over = __builtin_sub_overflow(sandbox->budget.limit, sandbox->budget.used, &room);
    mailbox->room = over ? 0 : room;
}
static inline void machine_settle_memory(pf_sandbox *sandbox, const struct pf_mailbox *mailbox) {
    uint64_t clean = mailbox->clean;
    if (clean != sandbox->clean) machine_memory_changed(sandbox, clean);
}
/* The kernel freed much: drops it. */
void machine_drop_free_memory(pf_sandbox *sandbox);
/* Lets the kernel choose; false when it is dead. */
bool machine_next(pf_sandbox *sandbox, struct pf_event *event);
/* Starts a kernel in `sandbox->kernel` that was just instantiated: finds its mailbox and boots
 * it. */
bool machine_kernel_boot(pf_sandbox *sandbox);
/* Checks and learns the addresses of a kernel; false: they are nonsense. */
bool machine_kernel_attach(pf_sandbox *sandbox);

/* ---- trampoline.c */

/* Runs `proc` and deals with how it came back. */
void machine_run_process(pf_sandbox *sandbox, struct cpu_thread *self, uint32_t proc);

/* ---- boot.c: what is the same in all sandboxes of this process, made once */

/* What a baked template is for (struct cpu_baked_template). */
enum machine_use { MACHINE_USE_START, MACHINE_USE_KERNEL, MACHINE_USE_SESSION };
const struct cpu_template *machine_image(int image); /* NULL: errno or a bad number */
/* A kernel with the root filled and a session that waits for its first run. */
struct machine_boot {
    struct cpu_template *kernel;
    struct cpu_template *session; /* NULL: this build has no shell */
    uint32_t session_proc;
    uint32_t mailbox;
};
/* What every new sandbox is copied from: baked by the build, or booted by the first who asks. Any
 * thread may call it; NULL with an error when booting fails. */
const struct machine_boot *machine_boot(pf_error *error);
int machine_image_count(void); /* Programs in this build. */
const struct pf_image *machine_image_info(int image); /* NULL: there is no such image. */

/* ---- sandbox.c */

/* Gives a process a fresh instance of a program in place of the one that it has. False: no such
 * program, or no memory. */
bool machine_load(pf_sandbox *sandbox, uint32_t proc, int image);
/* Frees a process's instance, if it has one; its slot is kept for the next where that pays. */
void machine_drop(pf_sandbox *sandbox, uint32_t proc);
/* The instance is that process from now on. False: no memory (errno), and it is freed, if there was
 * one. */
bool machine_adopt(pf_sandbox *sandbox, uint32_t proc, cpu_instance *instance);
/* The instance of a process; NULL: it has none. */
static inline cpu_instance *machine_instance(const pf_sandbox *sandbox, uint32_t proc) {
    return proc < sandbox->procs_room ? sandbox->procs[proc] : NULL;
}
/* A slot of an ended process that began with this size, if there is one as a copy of this template,
 * and has its pages still; or NULL. */
struct cpu_slot *machine_spare_slot(pf_sandbox *sandbox, const struct cpu_template *copied,
                                    size_t size);
/* Takes over the options into a sandbox that is all zeros: copies, nothing of `options` is kept. It
 * has no kernel yet. */
pf_status machine_configure(pf_sandbox *sandbox, const pf_options *options, pf_error *error);
/* Tells a kernel its limits; again after a restore, where they may be others. */
pf_status machine_configure_kernel(pf_sandbox *sandbox, pf_error *error);
/* Gives a configured sandbox its kernel, booted, and the files of its tools. */
pf_status machine_populate(pf_sandbox *sandbox, const pf_options *options, pf_error *error);
/* Decides what the random stream starts from, unless that was done. */
pf_status machine_draw_seed(pf_sandbox *sandbox, const uint64_t *seed, pf_error *error);
/* Starts the kernel's random stream: from `seed`, or from the host when it is NULL. */
pf_status machine_seed(pf_sandbox *sandbox, const uint64_t *seed, pf_error *error);
#define MACHINE_PROCESS_NAME 256
/* What the kernel says about the process at an index; false: there is none. processes.c */
bool machine_process_info(pf_sandbox *sandbox, uint32_t index, struct pf_process_info *info,
                          char name[MACHINE_PROCESS_NAME]);
/* PF_STATE when a process waits on a native stack, which cannot be copied or saved; names it.
 * processes.c */
pf_status machine_refuse_parked(pf_sandbox *sandbox, pf_error *error);
/* The image of curl and wget: its commands are there when the tool is that makes their requests. */
#define PF_WEB_IMAGE "http"
/* Removes what machine_write_tools() wrote of tools that a restored sandbox has no more. */
pf_status machine_forget_tools(pf_sandbox *sandbox, pf_error *error);
/* Writes what programs find below /tools, from the schemas of the gate's tools. toolfiles.c */
pf_status machine_write_tools(pf_sandbox *sandbox, const pf_options *options, pf_error *error);
/* Starts the leader of a session (enum pf_session); exec.c */
pf_status machine_start_session(pf_sandbox *sandbox, uint32_t session, pf_error *error);

/* ---- loop.c */

/* Drives the guest until it needs the embedder, or the run is over. */
pf_status machine_drive(pf_sandbox *sandbox, pf_error *error);
/* Calls on_output; its time counts for no limit, as that of a call's handler. */
void machine_tell_output(pf_sandbox *sandbox, int stream, const char *data, size_t len);
/* Shows the kernel what time it is. */
void machine_show_time(pf_sandbox *sandbox);

/* ---- fork.c */

/* pf_sandbox_fork() or, `shared`, _fork_shared(), also of a sandbox that is recorded. */
pf_status machine_fork(pf_sandbox *sandbox, pf_sandbox **out, pf_error *error);
/* A copy that goes on as the original would: the same ids, moment and random numbers. For replays;
 * it has no tape yet. */
pf_status machine_twin(pf_sandbox *sandbox, pf_sandbox **out, pf_error *error);

/* ---- place.c: what one run has of its own */

/* The limits that hold in a run. */
struct machine_limits machine_run_limits(const pf_sandbox *sandbox, const pf_run *run);
/* Writes its variables as a member of its line of a trace, each ended by a NUL. */
void machine_tape_run_env(const pf_run *run, struct base_buf *line);
/* Writes those that the run was given as a member of its line of a trace, if there are any. */
void machine_tape_run_limits(const pf_run *run, struct base_buf *line);
/* PF_INVALID: a variable without a name, too many of them, a relative cwd. */
pf_status machine_check_place(const pf_run *run, pf_error *error);
/* PF_NOT_FOUND, PF_GUEST: cwd is no directory. The tape has the run's line. */
pf_status machine_find_place(pf_sandbox *sandbox, const pf_run *run, pf_error *error);
/* Appends the environment of a run's own process; false: no memory. */
bool machine_run_env(const pf_sandbox *sandbox, const pf_run *run, struct base_buf *out,
                     size_t *count);
/* Has it a cwd or an environment of its own? */
bool machine_has_place(const pf_run *run);
/* Appends what the session reads before the text, see PF_RUN_PLACE; false: no memory. */
bool machine_place_text(const pf_run *run, struct base_buf *out);

/* ---- run.c */

/* Hands a run to its session or to a process of its own. PF_OK also when the run cannot begin: its
 * result says so. */
pf_status machine_start(pf_sandbox *sandbox, const pf_run *run, pf_error *error);
/* Completes the run's result when nothing in its foreground can go on. */
void machine_finish(pf_sandbox *sandbox);
/* A line of the machine's own on the run's standard error. */
void machine_tell(pf_sandbox *sandbox, const char *text);
/* Lets the result point at the run's buffers. */
void machine_point_result(pf_sandbox *sandbox);
/* A program that makes no calls cannot be interrupted: it is cut so many ticks after its limit. */
#define MACHINE_CUT_TICKS 25
/* Sets when the CPU and wall limits of the run strike. */
void machine_arm_limits(pf_sandbox *sandbox);
/* Takes what programs have written into the run's buffers, as far as output_bytes allows. */
void machine_drain_output(pf_sandbox *sandbox);
/* Takes the run's value; one that is too large or cut is none. */
void machine_drain_value(pf_sandbox *sandbox);
/* Gives the kernel as much of the run's stdin as it has room for, and its end. */
void machine_feed_stdin(pf_sandbox *sandbox);
void machine_run_init(struct machine_run *run); /* An empty run that is not on. */
/* Fits a run that came with a snapshot into the limits of the embedder that restored it: output is
 * cut, a value that is too large is none; PF_FORMAT: more is left of its stdin than there may
 * be. */
pf_status machine_fit_run(pf_sandbox *sandbox, pf_error *error);
/* Of a run that was told to end before the snapshot: it has the shortest grace, not its limits
 * anew. */
void machine_arm_grace(pf_sandbox *sandbox);
void machine_run_free(struct machine_run *run); /* Frees the buffers of a run, not the run. */

/* ---- calls.c */

/* Takes the operations that the kernel queued: judges each tool call, and refuses what the host
 * does not know. */
void machine_take_calls(pf_sandbox *sandbox);
/* Frees all calls without an answer to the guest. */
void machine_forget_calls(pf_sandbox *sandbox);
/* Charges what the host holds for a call with parameters of `len` bytes until it is answered;
 * false: over memory_bytes. */
bool machine_charge_call(pf_sandbox *sandbox, struct machine_call *call, size_t len);
/* Gives back what the host held for a call, and frees it. */
void machine_free_call(pf_sandbox *sandbox, struct machine_call *call);
/* Answers an operation of the kernel with why it was refused. */
void machine_refuse(pf_sandbox *sandbox, uint32_t op, uint32_t outcome, const char *text);
/* What the embedder is told of a decision; its strings belong to `decision`. */
pf_decision machine_decision(const pf_sandbox *sandbox, uint64_t id,
                             const struct cap_decision *decision);
/* Records an answer and gives it to the process that waits. PF_NOT_FOUND or PF_STATE when no call
 * of this id waits for one. `data` is copied. */
pf_status machine_answer(pf_sandbox *sandbox, uint64_t id, uint32_t outcome, const char *data,
                         size_t len, pf_error *error);
/* machine_answer(), as the embedder does it: enters, answers, drives. pinfold.c */
pf_status machine_reply(pf_sandbox *sandbox, uint64_t id, uint32_t outcome, const char *data,
                        size_t len, pf_error *error);
/* All that are pending: the run ended at this limit; NULL: the embedder ended it. */
void machine_cancel_calls(pf_sandbox *sandbox, const char *limit);
/* May a sandbox go on with this id? A branch has 31 bits, and who comes to the last id of a branch
 * makes no more calls. */
static inline bool machine_sound_next_call(uint64_t id) {
    return (uint32_t)id > 0 && (uint32_t)id <= INT32_MAX && id >> 63 == 0;
}
/* The oldest call that the embedder has not been given; NULL: none. */
struct machine_call *machine_next_call(const pf_sandbox *sandbox);

/* ---- rejudge.c */

/* Judges the calls that came with a snapshot as if they were made now; what is refused is answered.
 * `spent`: what each has spent, by its capability, counts for it; else it has to be spent anew, as
 * in a branch that shares its trunk's budget. The kernel must know its limits. */
pf_status machine_judge_again(pf_sandbox *sandbox, bool spent, pf_error *error);
/* Tells on_decision what was decided when it was not there yet; once. */
void machine_tell_judged(pf_sandbox *sandbox);
/* No listener is there, and the guest goes on. */
void machine_forget_judged(pf_sandbox *sandbox);

/* ---- files.c */

/* Makes the directories above a path that are missing, for `owner`; negative errno. */
int64_t machine_make_parents(pf_sandbox *sandbox, const char *path, uint32_t owner);
/* Writes a whole file in place of what is there, makes the directories above it, and gives it to
 * `owner`. */
pf_status machine_write_file(pf_sandbox *sandbox, const char *path, const void *data, size_t len,
                             uint32_t mode, uint32_t owner, pf_error *error);
/* Fills in the error for a kernel's -errno about a path: PF_NOT_FOUND for ENOENT, else PF_GUEST. */
pf_status machine_guest_error(pf_sandbox *sandbox, int64_t result, const char *path,
                              pf_error *error);

/* PF_INVALID unless it is absolute and short enough. */
pf_status machine_check_path(const char *path, pf_error *error);
/* What reading a file does to the sandbox, without the contents: the act "read" of a trace. */
pf_status machine_touch_file(pf_sandbox *sandbox, const char *path, pf_error *error);
/* Names in a directory, each NUL-terminated, sorted, into a buffer that was just made. Entered. */
pf_status machine_list_names(pf_sandbox *sandbox, const char *path, struct base_buf *names,
                             pf_error *error);

/* ---- reading.c: the contents of a file. Entered. */

struct machine_segment {
    int64_t from, len;
};
/* A regular file that is open; machine_close_file() ends it. */
struct machine_reading {
    int64_t fd, size;
    struct machine_segment *segments; /* what is no hole, rising; machine_find_segments() */
    size_t count;
    int64_t data; /* bytes of all segments */
};
/* 0, or -errno: then there is nothing to close. Brings what is still with the host. */
int64_t machine_open_file(pf_sandbox *sandbox, const char *path, struct machine_reading *reading);
/* The act of reading a file, with its line of a trace. After PF_OK machine_end_reading() ends
 * it. */
pf_status machine_begin_reading(pf_sandbox *sandbox, const char *path,
                                struct machine_reading *reading, pf_error *error);
void machine_end_reading(pf_sandbox *sandbox, struct machine_reading *reading);
/* Frees what a reading holds; it may be closed already. */
void machine_close_file(pf_sandbox *sandbox, struct machine_reading *reading);
/* `path` is for messages. */
pf_status machine_find_segments(pf_sandbox *sandbox, const char *path,
                                struct machine_reading *reading, pf_error *error);
/* `len` bytes from `offset` on, which lie within the file. */
pf_status machine_read_piece(pf_sandbox *sandbox, const char *path,
                             const struct machine_reading *reading, int64_t offset, void *to,
                             size_t len, pf_error *error);

/* ---- host/mount */

/* Puts the directories of the options into a new sandbox. */
pf_status machine_enter_mounts(pf_sandbox *sandbox, const pf_options *options, pf_error *error);
/* Finds the directories of a restored one's mounts again. */
pf_status machine_attach_mounts(pf_sandbox *sandbox, const pf_options *options, pf_error *error);
/* A mount of a replay: what was read of it comes from the tape, and there is no directory for
 * it. */
pf_status machine_replay_mount(pf_sandbox *sandbox, const char *guest, bool copy, pf_error *error);
/* The place of one mount, with its directory's mode and time; a replay does it again. */
pf_status machine_mount_at(pf_sandbox *sandbox, const char *guest, const char *source,
                           uint32_t mode, int64_t mtime_ns, bool copy, pf_error *error);
/* Brings what the kernel wants: PF_ATTENTION_FILL was set. */
void machine_fill(pf_sandbox *sandbox);
/* `count` mounts without entries and with one reference; NULL: no memory. */
struct machine_mounts *machine_mounts_new(size_t count);
/* Appends an entry, copying its path; unsorted until machine_sort_mounts(). False: no memory. */
bool machine_mount_add(struct machine_mount *mount, const char *path,
                       const struct machine_mount_entry *entry);
/* Puts what came in into order; false: no memory. */
bool machine_sort_mounts(pf_sandbox *sandbox);
/* Drops a reference, and with the last one closes the directories. NULL is allowed. */
void machine_forget_mounts(struct machine_mounts *mounts);
/* Frees a list of requests; NULL is allowed. */
void machine_forget_requests(struct machine_mount_request *request);

/* A program to start: path, arguments, environment and cwd in the form that the kernel takes. Owned
 * by the caller; false when memory is out. */
bool machine_exec_block(struct base_buf *out, const char *path, const char *const *argv,
                        const char *env, size_t env_len, size_t env_count, const char *cwd);

#endif
