/*
 * host/trace/replay.h: what the files of a replay share: replay.c, copy.c, head.c and start.c.
 */
#ifndef PF_TRACE_REPLAY_H
#define PF_TRACE_REPLAY_H

#include "trace.h"

#define TIME_MAX (INT64_MAX / 2) /* the sum of two is a time as well */

struct answer {
    struct answer *next;
    uint64_t id;
    char *json;
    size_t len;
};

/* A trace, which all copies of its replay read. Constant. */
struct replay_text {
    atomic_uint references;
    struct trace_line *items;
    char text[];
};

struct pf_replay {
    struct machine_tape tape;
    struct replay_text *text; /* one reference, or NULL */
    struct trace_lines lines; /* in it */
    size_t results;     /* lines of that kind, so far */
    size_t next, until; /* lines: to be done or compared next; where to stop */
    struct base_arena head_arena, act_arena, ahead_arena; /* for the line that each holds */
    yyjson_val *head; /* until the sandbox is made */
    struct machine_limits most; /* what the trace may ask for */
    int64_t left_ns; /* of what the replay may take; INT64_MAX: for ever */
    double seconds;  /* the same, as it was at first */
    struct answer *answers;
    pf_sandbox *sandbox;
    /* The next line that came from outside, read ahead; kind -1: the next line is none. */
    size_t looked_at;
    int kind;        /* enum machine_strike, or TIME */
    uint64_t moment; /* of the next line, whatever it is; 0: it says none */
    int64_t ns;
    int64_t rest_after_ns; /* it rests after this time; INT64_MAX: only between two acts */
    bool resting;          /* in the middle of an act, to go on */
    bool over; /* it goes no further, and `why` says why */
    pf_error why;
};

static inline bool replay_flag(yyjson_val *object, const char *name) {
    return yyjson_is_true(yyjson_obj_get(object, name));
}

/* ---- head.c */

/* Makes the sandbox that the head of the trace describes, within the embedder's bounds. */
pf_status replay_make_sandbox(struct pf_replay *replay, pf_error *error);

/* Reads the limits of a trace into options, within the embedder's bounds. */
pf_status replay_read_limits(const struct pf_replay *replay, yyjson_val *limits,
                             pf_options *options, pf_error *error);

/* ---- start.c */

/* Starts the run of a line. */
pf_status replay_start(struct pf_replay *replay, yyjson_val *act, pf_error *error);

/* ---- replay.c */

/* The tape of a replay that was made but has no sandbox; it belongs to `replay`. */
void replay_set_tape(struct pf_replay *replay);

/* PF_FORMAT: the line that was taken last is no act. */
pf_status replay_malformed(const struct pf_replay *replay, pf_error *error);

#endif
