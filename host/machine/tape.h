/*
 * host/machine/tape.h: where a recording or a replay listens to a sandbox.
 *
 * A sandbox follows from its inputs alone. The machine tells the tape every one of them, and what
 * the guest did with them; host/trace implements the tape, as a recorder or as a replayer. Without
 * a tape each of these costs one comparison.
 *
 * Positions are moments: pf_sandbox.moment counts the turns of the loop, the messages of programs
 * and the embedder's acts, so a moment means the same in the recorded run and in its replay.
 */
#ifndef PF_MACHINE_TAPE_H
#define PF_MACHINE_TAPE_H

#include "host/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_sandbox;
struct pf_options;
struct pf_error;
struct machine_fill;

/* What comes from outside at a moment that nothing inside determines. */
enum machine_strike {
    STRIKE_PREEMPT,   /* the slice of the caller is used up at this call */
    STRIKE_INTERRUPT, /* pf_sandbox_interrupt() */
    STRIKE_STOP,      /* pf_sandbox_stop() */
    STRIKE_KILL,      /* pf_sandbox_kill() */
    STRIKE_CPU,       /* the CPU limit */
    STRIKE_WALL,      /* the wall limit */
    STRIKE_CUT,       /* the backstop ended a program that made no calls */
    STRIKE_COUNT
};

struct machine_tape {
    bool replays;
    bool ended; /* a replay that is to go no further: the machine leaves the guest */
    int64_t until_ns; /* host's monotonic time at which a replay has to be over; INT64_MAX: never */
    /* The same from which on a replay rests between two turns of the loop; INT64_MAX: never. The
     * guest does not notice: the next drive goes on where this one was left. `rests`: it was left
     * so. */
    int64_t rest_ns;
    bool rests;
    /* Shows the sandbox what time it is: sets monotonic_ns. */
    void (*time)(struct machine_tape *tape, struct pf_sandbox *sandbox);
    /* Does it strike here? A recorder is told whether it does, a replayer knows; what strikes its
     * own process ends it. */
    bool (*strike)(struct machine_tape *tape, struct pf_sandbox *sandbox, enum machine_strike what,
                   bool now);
    /* Everything sleeps, and a replay does not wait: does the trace wake somebody in the next turn?
     * NULL for a recorder. */
    void (*wait)(struct machine_tape *tape, struct pf_sandbox *sandbox);
    /* An act of the embedder ("do") or what the guest did ("out"), as members of a JSON object. */
    void (*act)(struct machine_tape *tape, struct pf_sandbox *sandbox, const char *members,
                size_t len);
    void (*out)(struct machine_tape *tape, struct pf_sandbox *sandbox, const char *members,
                size_t len);
    /* What came out of a mount: a recorder is given its line, a replayer gives it back. */
    void (*filled)(struct machine_tape *tape, struct pf_sandbox *sandbox, const char *members,
                   size_t len);
    void (*fill)(struct machine_tape *tape, struct pf_sandbox *sandbox, const char *source,
                 struct machine_fill *fill);
    /* Nothing is recorded from here on; `failed` says so. NULL for a replayer. */
    void (*end)(struct machine_tape *tape, struct pf_sandbox *sandbox);
    /* A tape in memory that goes on where this one is, for a preview: machine/preview.c. NULL: no
     * memory. And takes over what such a one has, which goes on no more. NULL for a replayer. */
    struct machine_tape *(*twin)(const struct machine_tape *tape);
    void (*join)(struct machine_tape *tape, struct machine_tape *twin);
    /* The embedder gets the sandbox back. */
    void (*leave)(struct machine_tape *tape, struct pf_sandbox *sandbox);
    void (*close)(struct machine_tape *tape, struct pf_sandbox *sandbox);
    const char *failed; /* why nothing can be recorded any more, or NULL */
    bool complete;      /* and yet all of it is in the trace: the recording was ended */
    bool redact;        /* results of tools are left out */
};

/* Makes the tape of a new sandbox, whose settings are complete but which has no kernel yet. */
typedef int (*machine_tape_open)(struct pf_sandbox *sandbox, const struct pf_options *options,
                                 struct pf_error *error);

/* ---- tape.c: each does nothing without a tape */

/* Does it strike now, of a sandbox with a tape? machine_struck() in machine.h asks. */
bool machine_tape_struck(struct pf_sandbox *sandbox, enum machine_strike what, bool now);
/* An act of the embedder that has no more to it than a name and, unless NULL, a path. */
void machine_tape_act(struct pf_sandbox *sandbox, const char *name, const char *path);
/* A run that begins, with all that it was given. */
void machine_tape_start(struct pf_sandbox *sandbox, const struct pf_run *run);
/* The answer to a call: `outcome` is an enum pf_op_outcome, `data` its value or its message. */
void machine_tape_answer(struct pf_sandbox *sandbox, uint64_t id, uint32_t outcome,
                         const char *data, size_t len);
/* The embedder writes a whole file. */
void machine_tape_write(struct pf_sandbox *sandbox, const char *path, const void *data, size_t len);
/* The embedder makes a file with its mode and time. */
void machine_tape_make(pf_sandbox *sandbox, const char *path, const pf_file_new *file);
/* A directory is mounted, with its mode and time; `copy`: read at once. */
void machine_tape_mount(struct pf_sandbox *sandbox, const char *path, const char *source,
                        uint32_t mode, int64_t mtime_ns, bool copy);
/* What the host brought from a mount, or the error that it met. */
void machine_tape_fill(struct pf_sandbox *sandbox, const char *source,
                       const struct machine_fill *fill);
/* Bytes that programs wrote; stream 1 is stdout, 2 stderr. */
void machine_tape_output(struct pf_sandbox *sandbox, int stream, const char *data, size_t len);
/* What was decided about a call. */
void machine_tape_decision(struct pf_sandbox *sandbox, const struct pf_decision *decision);
/* The program that waited for this call gave it up. */
void machine_tape_cancel(struct pf_sandbox *sandbox, uint64_t id);
/* `pid` is what is told when the kernel knows the process no more; 0: it does. */
void machine_tape_process(struct pf_sandbox *sandbox, const char *what, uint32_t proc, int32_t pid);
/* The run that ended, by the sandbox's result. */
void machine_tape_result(struct pf_sandbox *sandbox);

/* A string member: "NAME":"text", or "NAME_base64" when the bytes are not UTF-8. */
void tape_member(struct base_buf *out, const char *name, const void *data, size_t len);

#endif
