/*
 * addon.h: what the files of the addon for Node share.
 *
 * pinfold.node is a thin layer between include/pinfold.h and JavaScript: js/src/native is its other
 * half, and decides everything. An act that lets a guest run, or may take long, is a job: a thread
 * of the pool does it, and the environment's own thread hears of it by a list of events: output and
 * decisions in their order, then that it is done. A sandbox has one job at a time, and belongs to
 * it meanwhile.
 */
#ifndef PF_ADDON_H
#define PF_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pinfold.h"

/* ------------------------------------------------------------------ values.c */

/* Bytes of a text or a Uint8Array of JavaScript, copied, with a NUL behind that is not counted. */
struct addon_bytes {
    char *data; /* NULL: there were none */
    size_t len;
};
/* Takes a text or bytes; undefined gives none. False: it is another type, or memory is out. */
bool addon_take(napi_env env, napi_value value, struct addon_bytes *out);
/* Frees them. */
void addon_drop(struct addon_bytes *bytes);
/* A property of an object, and whether it is another value than undefined. */
bool addon_property(napi_env env, napi_value object, const char *name, napi_value *out);
/* How many elements an array has; 0 for what is none. */
uint32_t addon_count(napi_env env, napi_value array);
/* An element; undefined when it is not there. */
napi_value addon_at(napi_env env, napi_value array, uint32_t index);
/* Puts an element into an array. NULL is undefined. */
void addon_put(napi_env env, napi_value array, uint32_t index, napi_value value);
/* Numbers; 0 or false for another type. */
double addon_number(napi_env env, napi_value value);
/* The same of a boolean. */
bool addon_bool(napi_env env, napi_value value);
/* A new text of these bytes, in which what is not UTF-8 was replaced; NULL data: undefined. */
napi_value addon_text(napi_env env, const char *data, size_t len);
/* The same of a text that ends with a NUL. */
napi_value addon_word(napi_env env, const char *text);
/* A new Uint8Array with a copy of these bytes. */
napi_value addon_bytes(napi_env env, const char *data, size_t len);
/* A new number. */
napi_value addon_double(napi_env env, double number);
/* A new boolean. */
napi_value addon_boolean(napi_env env, bool value);
/* A new BigInt. */
napi_value addon_id(napi_env env, uint64_t id);
/* A limit in the library's words: Infinity is PF_UNLIMITED. */
uint64_t addon_limit(double number);

/* ------------------------------------------------------------------ jobs */

/* As a pf_status: the policy cannot be accepted, or does not go with the tools. */
#define ADDON_POLICY -100

struct addon_env;
struct addon_job;

/* One sandbox. Only the environment's thread changes its fields. */
struct addon_box {
    struct addon_env *env;
    struct addon_box *next, **link; /* among those of the environment */
    pf_sandbox *sandbox;            /* NULL: not there yet, or not any more */
    struct addon_job *job;          /* the act that is on, or NULL */
    uint64_t told;                  /* the newest call that JavaScript knows of */
    bool result_told;
    bool closed; /* the sandbox goes when its job is done */
    bool decisions;
    struct addon_trace *trace; /* where it is recorded for JavaScript, or NULL */
};

/* One act. What it works with is copied here. */
struct addon_job {
    struct addon_job *next;
    struct addon_env *env; /* NULL: nobody waits for it */
    struct addon_box *box;
    void (*work)(struct addon_job *job);                    /* on a thread of the pool */
    napi_value (*value)(napi_env env, struct addon_job *job); /* afterwards; may be NULL */
    napi_deferred deferred;
    napi_ref held;     /* the box, which is not collected meanwhile */
    napi_ref listener; /* who is told of output and decisions */
    pf_sandbox *sandbox;
    pf_sandbox *made; /* a new one: the box's from then on */
    pf_status status;
    pf_error error;
    atomic_bool done; /* its end is in the list of events */

    pf_options *options;
    struct addon_trace *trace; /* of a branch that is made */
    struct addon_bytes text, path, input, language, blob, *list; /* `list` ends with one of no data */
    const char **words; /* into blob, NULL at the end */
    uint64_t id, counter;
    double number;
    int what;
    bool isolated, listens;
    char *out; /* of the library, for pf_free() */
    size_t out_len;
    char *left_out; /* the same: texts, each with a NUL behind */
    size_t left_len;
    pf_file_info info;
};

/* pool.c: lets a thread do the job, after which addon_tell_done() is called, or the job is freed. */
void addon_pool_run(struct addon_job *job);
/* For how long who waits for another thread looks before it sleeps, in nanoseconds: to be woken takes
 * longer than most acts. 0 on one processor. */
int64_t addon_pool_patience(void);
/* The monotonic clock, in nanoseconds. */
int64_t addon_now(void);
/* Between two looks. */
static inline void addon_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* events.c: what threads tell an environment. */

/* The environment's state, made with the module; NULL with an exception. */
struct addon_env *addon_env_new(napi_env env);
/* The box takes its place in the environment. */
void addon_env_add(struct addon_env *state, struct addon_box *box);
/* It is collected: the last one of an environment that is over frees that. */
void addon_env_remove(struct addon_box *box);
/* A new job of the box, whose JavaScript object is `held`; NULL with an exception: one is on, or memory
 * is out. */
struct addon_job *addon_job_new(napi_env env, struct addon_box *box, napi_value held);
/* The same of a box that has a sandbox. */
struct addon_job *addon_job_of(napi_env env, napi_value held);
/* What it was given is wrong: it ends before it begins. */
void addon_job_refuse(struct addon_job *job, const char *why);
/* Begins it; gives the promise of [status, message, errno, value, state], which may be resolved already,
 * and then the listener was called. That may be undefined. */
napi_value addon_job_begin(napi_env env, struct addon_job *job, napi_value listener);
/* Frees what it has, and itself. */
void addon_job_free(struct addon_job *job);
/* By a thread of the pool: the job is done. */
void addon_tell_done(struct addon_job *job);
/* The functions that a sandbox gets for its output and its decisions; `user` is the box. */
void addon_on_output(void *user, int stream, const char *data, size_t len);
/* See addon_on_output(). */
void addon_on_decision(void *user, const pf_decision *decision);

/* ------------------------------------------------------------------ sandboxes */

/* state.c: [running, ms until it wants to go on or -1, new calls, ids of all that wait, result], as
 * js/src/native/line.ts reads it. */
napi_value addon_state(napi_env env, struct addon_box *box);

/* box.c: the box of a value; NULL with an exception. */
struct addon_box *addon_box_of(napi_env env, napi_value value);
/* A new box without a sandbox, and its value; NULL with an exception. */
struct addon_box *addon_box_new(napi_env env, napi_value *value);
/* Its sandbox goes, on a thread of the pool. */
void addon_box_empty(struct addon_box *box);

/* options.c: the options that JavaScript gives; a status other than PF_OK says what is wrong. */
pf_status addon_options(napi_env env, napi_value given, pf_options **out, pf_error *error);
/* trace.c: a recording for JavaScript, named in the options; NULL: there is no room for it. */
struct addon_trace *addon_trace_new(pf_options *options, bool redact);
/* What was written since the last time; NULL: nothing. Nobody is in the sandbox meanwhile. */
napi_value addon_trace_take(napi_env env, struct addon_trace *trace);
/* NULL is allowed. */
void addon_trace_free(struct addon_trace *trace);
/* options.c: the recording that the settings ask JavaScript to be given; NULL: none, or memory is out,
 * which the error says. */
struct addon_trace *addon_options_trace(napi_env env, napi_value given, pf_options *options,
                                        pf_error *error);
/* Only limits: [name, number, …]. */
pf_status addon_options_limits(napi_env env, napi_value pairs, pf_options *options,
                               pf_error *error);
/* Texts of an array, one after the other with a NUL behind each, and where each begins. False: memory. */
bool addon_options_words(napi_env env, napi_value array, struct addon_bytes *blob,
                         const char ***words);

/* Acts, as functions of the module. Each gives a promise, as addon_job_begin() does. */
napi_value addon_make(napi_env env, napi_callback_info info);     /* make.c */
napi_value addon_remake(napi_env env, napi_callback_info info);   /* make.c */
napi_value addon_fork(napi_env env, napi_callback_info info);     /* make.c */
napi_value addon_start(napi_env env, napi_callback_info info);    /* drive.c */
napi_value addon_answer(napi_env env, napi_callback_info info);   /* drive.c */
napi_value addon_advance(napi_env env, napi_callback_info info);  /* drive.c */
napi_value addon_snapshot(napi_env env, napi_callback_info info); /* files.c */
napi_value addon_file(napi_env env, napi_callback_info info);     /* files.c */
napi_value addon_changes(napi_env env, napi_callback_info info);  /* mounts.c */
napi_value addon_end_record(napi_env env, napi_callback_info info); /* drive.c */

#endif
