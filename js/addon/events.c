/*
 * events.c: what threads of the pool tell the thread of an environment, in one list: what comes of
 * a job comes before its end. Who writes more than JavaScript takes waits for it.
 */
#include "addon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUED_MAX (8u << 20) /* bytes of output */
/* So long at most acts follow each other without a turn of the environment's loop; after a pause they
 * follow no other. */
#define TURN_NS  5000000
#define PAUSE_NS 1000000

enum { DONE, STDOUT, STDERR, DECISION };

struct event {
    struct event *next;
    struct addon_job *job;
    int kind;
    int capability;
    uint64_t id;
    size_t lens[5]; /* of a decision's texts, SIZE_MAX: none */
    size_t len;
    char data[];
};

struct addon_env {
    napi_env env;
    napi_threadsafe_function wake;
    pthread_mutex_t lock;
    pthread_cond_t room, rest;
    struct event *first, **last;
    size_t queued;      /* bytes in the list */
    unsigned under_way; /* jobs that a thread has */
    bool woken, over;
    bool looking; /* the environment's thread looks by itself */
    unsigned jobs; /* that JavaScript waits for. This and below: the environment's thread alone */
    int64_t turned, acted; /* the last turn of the loop, as far as is known; the last act */
    struct addon_box *boxes;
    bool gone; /* only boxes are left */
};

/* ------------------------------------------------------------------ by threads of the pool */

/* With the lock held. */
static void wake(struct addon_env *state) {
    if (state->woken || state->over) return;
    state->woken = true;
    napi_call_threadsafe_function(state->wake, NULL, napi_tsfn_nonblocking);
}

static void push(struct addon_env *state, struct event *event) {
    pthread_mutex_lock(&state->lock);
    while (event->kind != DONE && state->queued > QUEUED_MAX && !state->over)
        pthread_cond_wait(&state->room, &state->lock);
    event->next = NULL;
    *state->last = event;
    state->last = &event->next;
    state->queued += event->len;
    if (!state->looking) wake(state);
    if (event->kind == DONE) {
        atomic_store(&event->job->done, true);
        if (--state->under_way == 0) pthread_cond_broadcast(&state->rest);
    }
    pthread_mutex_unlock(&state->lock);
}

static struct event *event_new(struct addon_job *job, int kind, size_t len) {
    struct event *event = malloc(sizeof *event + len);
    if (!event) return NULL;
    *event = (struct event){.job = job, .kind = kind, .len = len};
    return event;
}

void addon_tell_done(struct addon_job *job) {
    struct event *event = event_new(job, DONE, 0);
    if (!event) abort(); /* somebody waits for it for ever */
    push(job->env, event);
}

void addon_on_output(void *user, int stream, const char *data, size_t len) {
    struct addon_box *box = user;
    struct event *event = event_new(box->job, stream == 1 ? STDOUT : STDERR, len);
    if (!event) return; /* the result has it, too */
    memcpy(event->data, data, len);
    push(box->env, event);
}

void addon_on_decision(void *user, const pf_decision *decision) {
    struct addon_box *box = user;
    const char *texts[] = {decision->outcome, decision->method, decision->name, decision->params,
                           decision->message};
    size_t lens[5], len = 0;
    for (int i = 0; i < 5; i++) {
        lens[i] = texts[i] ? strlen(texts[i]) : SIZE_MAX;
        if (texts[i]) len += lens[i];
    }
    struct event *event = event_new(box->job, DECISION, len);
    if (!event) abort(); /* a decision that nobody hears of */
    event->id = decision->id;
    event->capability = decision->capability;
    memcpy(event->lens, lens, sizeof lens);
    char *at = event->data;
    for (int i = 0; i < 5; i++) {
        if (!texts[i]) continue;
        memcpy(at, texts[i], lens[i]);
        at += lens[i];
    }
    push(box->env, event);
}

/* ------------------------------------------------------------------ by the environment's thread */

static napi_value payload(napi_env env, const struct event *event) {
    if (event->kind != DECISION) return addon_bytes(env, event->data, event->len);
    napi_value list;
    if (napi_create_array_with_length(env, 7, &list) != napi_ok) return NULL;
    addon_put(env, list, 0, event->id ? addon_id(env, event->id) : NULL);
    addon_put(env, list, 1, addon_double(env, event->capability));
    const char *at = event->data;
    for (uint32_t i = 0; i < 5; i++) {
        bool none = event->lens[i] == SIZE_MAX;
        addon_put(env, list, 2 + i, none ? NULL : addon_text(env, at, event->lens[i]));
        if (!none) at += event->lens[i];
    }
    return list;
}

static void tell(napi_env env, const struct event *event) {
    napi_value listener = NULL, undefined;
    if (!event->job->listener) return;
    napi_get_undefined(env, &undefined);
    napi_get_reference_value(env, event->job->listener, &listener);
    napi_value given[] = {addon_double(env, event->kind), payload(env, event)};
    if (!listener || !given[1]) return;
    napi_call_function(env, undefined, listener, 2, given, NULL); /* it catches everything */
}

static void settle(napi_env env, struct addon_job *job) {
    struct addon_box *box = job->box;
    napi_value answer;
    box->job = NULL;
    if (!box->sandbox) { /* else it is a branch, and value() takes it */
        box->sandbox = job->made;
        job->made = NULL;
    }
    bool ok = job->status == PF_OK;
    napi_create_array_with_length(env, 6, &answer);
    addon_put(env, answer, 0, addon_double(env, job->status));
    addon_put(env, answer, 1, ok ? NULL : addon_word(env, job->error.message));
    addon_put(env, answer, 2, addon_double(env, ok ? 0 : job->error.guest_errno));
    addon_put(env, answer, 3, ok && job->value ? job->value(env, job) : NULL);
    addon_put(env, answer, 4, box->sandbox ? addon_state(env, box) : NULL);
    addon_put(env, answer, 5, addon_trace_take(env, box->trace));
    napi_resolve_deferred(env, job->deferred, answer);
    if (box->closed) addon_box_empty(box);
    if (--box->env->jobs == 0) napi_unref_threadsafe_function(env, box->env->wake);
    napi_delete_reference(env, job->held);
    if (job->listener) napi_delete_reference(env, job->listener);
    addon_job_free(job);
}

static void tell_all(napi_env env, struct event *event) {
    while (event) {
        struct event *next = event->next;
        napi_handle_scope scope;
        napi_open_handle_scope(env, &scope);
        if (event->kind == DONE) settle(env, event->job);
        else tell(env, event);
        napi_close_handle_scope(env, scope);
        free(event);
        event = next;
    }
}

/* With the lock held. */
static struct event *take_all(struct addon_env *state) {
    struct event *event = state->first;
    state->first = NULL;
    state->last = &state->first;
    state->queued = 0;
    pthread_cond_broadcast(&state->room);
    return event;
}

/* Called by Node for the threads' call of `wake`. */
static void drain(napi_env env, napi_value none, void *context, void *data) {
    struct addon_env *state = context;
    (void)none, (void)data;
    if (!env || state->over) return;
    state->turned = addon_now();
    pthread_mutex_lock(&state->lock);
    struct event *event = take_all(state);
    state->woken = false;
    pthread_mutex_unlock(&state->lock);
    tell_all(env, event);
}

/*
 * Most acts are over before a thread that sleeps has heard of it. So the environment's thread looks for
 * a moment whether this one is; what comes of others waits for its turn, as always.
 */
static void look_after(napi_env env, struct addon_job *job) {
    struct addon_env *state = job->env;
    int64_t until = addon_now() + addon_pool_patience();
    while (!atomic_load_explicit(&job->done, memory_order_acquire) && addon_now() < until)
        addon_relax();
    pthread_mutex_lock(&state->lock);
    state->looking = false;
    bool own = atomic_load(&job->done);
    for (struct event *event = state->first; event && own; event = event->next)
        own = event->job == job;
    struct event *event = own ? take_all(state) : NULL;
    if (state->first) wake(state);
    pthread_mutex_unlock(&state->lock);
    tell_all(env, event);
    state->acted = addon_now();
}

static void release(struct addon_env *state) {
    pthread_mutex_destroy(&state->lock);
    pthread_cond_destroy(&state->room);
    pthread_cond_destroy(&state->rest);
    free(state);
}

/* The environment ends: what runs in it is killed, and its threads are waited for. */
static void end(void *data) {
    struct addon_env *state = data;
    for (struct addon_box *box = state->boxes; box; box = box->next)
        if (box->job && box->sandbox) pf_sandbox_kill(box->sandbox);
    pthread_mutex_lock(&state->lock);
    state->over = true;
    pthread_cond_broadcast(&state->room);
    while (state->under_way) pthread_cond_wait(&state->rest, &state->lock);
    pthread_mutex_unlock(&state->lock);
    for (struct event *event = state->first, *next; event; event = next) {
        next = event->next;
        if (event->kind == DONE) {
            event->job->box->job = NULL;
            addon_job_free(event->job);
        }
        free(event);
    }
    napi_release_threadsafe_function(state->wake, napi_tsfn_abort);
    state->gone = true;
    if (!state->boxes) release(state);
}

struct addon_env *addon_env_new(napi_env env) {
    struct addon_env *state = calloc(1, sizeof *state);
    napi_value name;
    if (!state) return NULL;
    state->env = env;
    state->last = &state->first;
    pthread_mutex_init(&state->lock, NULL);
    pthread_cond_init(&state->room, NULL);
    pthread_cond_init(&state->rest, NULL);
    napi_create_string_utf8(env, "pinfold", NAPI_AUTO_LENGTH, &name);
    if (napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, state, drain,
                                        &state->wake) != napi_ok) {
        release(state);
        return NULL;
    }
    napi_unref_threadsafe_function(env, state->wake);
    napi_add_env_cleanup_hook(env, end, state);
    return state;
}

void addon_env_add(struct addon_env *state, struct addon_box *box) {
    box->env = state;
    box->next = state->boxes;
    box->link = &state->boxes;
    if (box->next) box->next->link = &box->next;
    state->boxes = box;
}

void addon_env_remove(struct addon_box *box) {
    struct addon_env *state = box->env;
    *box->link = box->next;
    if (box->next) box->next->link = box->link;
    if (state->gone && !state->boxes) release(state);
}

/* ------------------------------------------------------------------ jobs */

struct addon_job *addon_job_new(napi_env env, struct addon_box *box, napi_value held) {
    struct addon_job *job = box->job ? NULL : calloc(1, sizeof *job);
    if (!job) {
        napi_throw_error(env, NULL, box->job ? "the sandbox is in use" : "out of memory");
        return NULL;
    }
    job->env = box->env;
    job->box = box;
    job->sandbox = box->sandbox;
    if (napi_create_reference(env, held, 1, &job->held) == napi_ok) return job;
    free(job);
    napi_throw_error(env, NULL, "out of memory");
    return NULL;
}

struct addon_job *addon_job_of(napi_env env, napi_value held) {
    struct addon_box *box = addon_box_of(env, held);
    if (!box) return NULL;
    if (box->sandbox) return addon_job_new(env, box, held);
    napi_throw_error(env, NULL, "the sandbox was closed");
    return NULL;
}

void addon_job_refuse(struct addon_job *job, const char *why) {
    job->status = PF_INVALID;
    snprintf(job->error.message, sizeof job->error.message, "%s", why);
}

napi_value addon_job_begin(napi_env env, struct addon_job *job, napi_value listener) {
    struct addon_env *state = job->env;
    napi_valuetype type = napi_undefined;
    napi_value promise = NULL;
    if (listener) napi_typeof(env, listener, &type);
    if (type == napi_function) napi_create_reference(env, listener, 1, &job->listener);
    if (napi_create_promise(env, &job->deferred, &promise) != napi_ok) {
        addon_job_free(job);
        return NULL;
    }
    job->box->job = job;
    if (state->jobs++ == 0) napi_ref_threadsafe_function(env, state->wake);
    int64_t now = addon_now();
    if (now - state->acted > PAUSE_NS) state->turned = now;
    bool look = addon_pool_patience() && now - state->turned < TURN_NS;
    pthread_mutex_lock(&state->lock);
    state->under_way++;
    state->looking = look;
    pthread_mutex_unlock(&state->lock);
    if (job->status == PF_OK) addon_pool_run(job);
    else addon_tell_done(job); /* its options were wrong */
    if (look) look_after(env, job);
    return promise;
}

void addon_job_free(struct addon_job *job) {
    pf_sandbox_free(job->made);
    pf_options_free(job->options);
    addon_drop(&job->text);
    addon_drop(&job->path);
    addon_drop(&job->input);
    addon_drop(&job->language);
    addon_drop(&job->blob);
    for (struct addon_bytes *one = job->list; one && one->data; one++) addon_drop(one);
    free(job->list);
    free(job->words);
    pf_free(job->out);
    pf_free(job->left_out);
    addon_trace_free(job->trace);
    free(job);
}
