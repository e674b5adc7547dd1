/*
 * native.h: what the files of the extension module share.
 *
 * pinfold._native is the thinnest possible layer between include/pinfold.h and Python: it converts
 * values, releases the GIL while the guest runs and turns statuses into exceptions. It decides
 * nothing; loops, handlers and defaults are Python's. Only the limited API is used, so that one
 * binary serves every Python from 3.11 on.
 */
#ifndef PF_PYTHON_NATIVE_H
#define PF_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "pinfold.h"

/* Exceptions of pinfold.errors, by what went wrong. */
typedef struct native_state {
    PyObject *busy, *closed, *state, *dead, *snapshot, *replay, *capability, *no_timer, *bound,
        *interrupted;
    PyObject *native_type;
    unsigned long main_thread; /* where Python handles signals */
} native_state;

/* One sandbox. Fields change only with the GIL held. */
typedef struct machine {
    PyObject_HEAD
    native_state *state;  /* of the module, which the type keeps alive */
    pf_sandbox *sandbox;  /* NULL once closed */
    pf_replay *replay;    /* that the sandbox belongs to, or NULL */
    bool entered;         /* a library call is on, perhaps without the GIL */
    PyObject *owner;      /* for whom a method of pinfold.Sandbox has it, until that ends, or NULL */
    PyObject *on_output;  /* of the run that is on, or NULL */
    PyObject *on_decision; /* or NULL */
    bool raw_decisions;    /* it takes the guest's own words: native_on_request() */
    PyThreadState *thread; /* of the thread that drives, while the GIL is released */
    PyObject *failure;    /* exception that on_output raised, to be raised after the drive */
} machine;

/* error.c: raises what a status other than PF_OK says; always gives NULL. `path` may be NULL. */
PyObject *native_raise(const native_state *state, const pf_error *error, PyObject *path);

/* options.c: the settings tuple of Machine() as options; NULL with an exception set. */
pf_options *native_options(const native_state *state, PyObject *settings);
/* The text of a str, which lives with it; NULL: an exception is set. With `len` NULL it holds no NUL. */
const char *native_text_of(PyObject *text, Py_ssize_t *len);
const char *native_text(PyObject *text); /* one without a NUL */

/* place.c: (cwd or None, ["NAME=VALUE", …], limits by the library's names or None) of one run. */
typedef struct native_place {
    const char **env;
    pf_options *limits;
} native_place;
/* Fills a zeroed place, which `run` then points into, as into `given`; false: an exception is set. To
 * be freed in either case. */
bool native_place_take(machine *self, PyObject *given, pf_run *run, native_place *own);
void native_place_free(native_place *own);
/* Of the first of them alone, the pairs (name, int). */
pf_options *native_limits(const native_state *state, PyObject *pairs);

/* interrupt.c: while a guest runs on the main thread, Ctrl-C reaches it. begin/end nest. */
void native_guard_setup(void); /* once, when the module is loaded */
typedef struct native_guard {
    bool installed;
    bool kept; /* it was in place before, and stays */
    struct sigaction before;
    pf_sandbox *outer;
} native_guard;
void native_guard_begin(native_guard *guard, const native_state *state, pf_sandbox *sandbox);
/* True when a signal arrived since begin: its Python handler has yet to run. */
bool native_guard_end(native_guard *guard);
/* Keeps the handler in place between drives, on the main thread. False: not there; let go after true. */
bool native_guard_hold(const native_state *state);
void native_guard_let_go(void);

/* drive.c: start, resume, fail, advance, and the tuples they give. */
PyObject *native_start(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_resume(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_resume_step(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_fail(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_advance(machine *self, PyObject *none);
PyObject *native_result(machine *self, PyObject *none);
PyObject *native_on_output(machine *self, PyObject *callback);
PyObject *native_tell_output(machine *self, PyObject *pieces);

/* calls.c: looking at tool calls. */
PyObject *native_has_work(machine *self, PyObject *none);
PyObject *native_running(machine *self, PyObject *none);
PyObject *native_wait_ns(machine *self, PyObject *none);
PyObject *native_step(machine *self, PyObject *none);
PyObject *native_pending(machine *self, PyObject *none);
PyObject *native_pending_ids(machine *self, PyObject *none);

/* act.c: bounds, the GIL and Ctrl-C around what is no run. */
typedef struct native_act {
    native_guard guard;
    PyThreadState *thread; /* NULL: the GIL is held */
    bool expected;         /* an interrupt was let count for the act alone */
} native_act;
/* Enters, with the bounds max_bytes and max_seconds from `args`, which may be absent. Without the GIL
 * after true; false: an exception. `act` is zero before. */
bool native_act_begin(machine *self, native_act *act, PyObject *const *args, Py_ssize_t count);
/* With the GIL again; false: an exception, also for a status other than PF_OK. `path` may be NULL. */
bool native_act_end(machine *self, native_act *act, pf_status status, const pf_error *error,
                    PyObject *path);
/* A tuple of these, whose references it takes; one that is NULL, with its exception set, makes it NULL. */
PyObject *native_tuple(PyObject *const *items, Py_ssize_t count);
/* A bytes object of what the library gave, which is freed; NULL: an exception. */
PyObject *native_take_bytes(char *data, size_t len);

/* files.c: the methods of a machine that Python's file functions call. NULL with an exception. */
PyObject *native_file_write(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_read(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_link(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_digest(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_make(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_tar(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_remove(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_stat(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_lstat(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_file_list(machine *self, PyObject *const *args, Py_ssize_t count);

/* error.c: text for a terminal or a log, see pf_printable(). */
PyObject *native_printable(PyObject *module, PyObject *text);

/* policy.c: questions about policies, and what a sandbox grants. */
PyObject *native_policy_check(PyObject *module, PyObject *text);
PyObject *native_json_refusal(PyObject *module, PyObject *text); /* None: a call takes it */
PyObject *native_http_tool(PyObject *module, PyObject *nothing);
PyObject *native_policy_gap(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_policy_normalize(PyObject *module, PyObject *text);
PyObject *native_pattern_matches(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_pattern_is_subset(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_tool_names(machine *self, PyObject *none);
PyObject *native_refusal(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_calls_left(machine *self, PyObject *index);
PyObject *native_on_decision(machine *self, PyObject *callback);
PyObject *native_on_request(machine *self, PyObject *callback);

/* keys.c: Ed25519. */
PyObject *native_ed25519_public_key(PyObject *module, PyObject *seed);
PyObject *native_ed25519_sign(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_ed25519_verify(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* mounts.c: what became of mounted directories. */
PyObject *native_mount_changes(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_mount_export(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_mount_tar(machine *self, PyObject *const *args, Py_ssize_t count);

/* durable.c: recording, replays, keys, looking at snapshots. */
bool native_durable(const native_state *state, pf_options *options, PyObject *durable);
PyObject *native_replay_open(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_proof_new(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_proof_check(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_trace_check(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_snapshot_look(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_snapshot_info(PyObject *module, PyObject *data);
PyObject *native_snapshot_shrink(PyObject *module, PyObject *const *args, Py_ssize_t count);
/* portable.c: snapshots that outlive builds. */
PyObject *native_snapshot_portable(machine *self, PyObject *const *args, Py_ssize_t count);
PyObject *native_left_out(machine *self, PyObject *none);
PyObject *native_snapshot_files(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_snapshot_files_list(PyObject *module, PyObject *files);
PyObject *native_snapshot_files_take(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_replay_next(machine *self, PyObject *none);
PyObject *native_replay_line(machine *self, PyObject *none);
PyObject *native_replay_results(machine *self, PyObject *none);
PyObject *native_replay_fork(machine *self, PyObject *none);
PyObject *native_replay_until(machine *self, PyObject *line);
PyObject *native_replay_rest(machine *self, PyObject *seconds);
PyObject *native_replay_resting(machine *self, PyObject *none);
PyObject *native_processes(machine *self, PyObject *none);
/* Owns the replay in any case; NULL with an exception. machine.c */
PyObject *native_wrap(PyTypeObject *type, native_state *state, pf_sandbox *sandbox);
PyObject *native_wrap_replay(PyTypeObject *type, native_state *state, pf_replay *replay);

/* token.c: signed policies. */
PyObject *native_token_issue(PyObject *module, PyObject *args);
PyObject *native_token_narrow(PyObject *module, PyObject *args);
PyObject *native_token_seal(PyObject *module, PyObject *args);
PyObject *native_token_verify(PyObject *module, PyObject *args);

/* confine.c: leaves this process only what a machine needs. */
PyObject *native_shut(PyObject *module, PyObject *none);
PyObject *native_prepare(PyObject *module, PyObject *none);
PyObject *native_confine(PyObject *module, PyObject *without);
PyObject *native_confinement(PyObject *module, PyObject *none);

/* spawn.c: the process that does so. */
PyObject *native_spawn(PyObject *module, PyObject *args);

/* gate.c: the type Gate. */
extern PyType_Spec native_gate_spec, native_http_spec;

/* machine.c: the type. Every use of the sandbox lies between enter and leave. */
bool native_enter(machine *self);
void native_leave(machine *self);
extern PyType_Spec native_spec;

#endif
