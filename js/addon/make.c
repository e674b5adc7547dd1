/*
 * make.c: new sandboxes: with files to begin with, from a snapshot, as a branch.
 */
#include "addon.h"

#include <stdlib.h>

static void watch(struct addon_box *box, pf_sandbox *sandbox) {
    if (box->decisions) pf_sandbox_on_decision(sandbox, addon_on_decision, box);
}

/* Where the policy itself is wrong, that is told apart: a gate alone refuses it as well. */
static void look_at_policy(struct addon_job *job) {
    pf_gate *gate = NULL;
    if (job->status != PF_INVALID) return;
    if (pf_gate_new(job->options, &gate, NULL) == PF_INVALID) job->status = ADDON_POLICY;
    pf_gate_free(gate);
}

static void work_make(struct addon_job *job) {
    job->status = pf_sandbox_new(job->options, &job->made, &job->error);
    if (job->status != PF_OK) {
        look_at_policy(job);
        return;
    }
    watch(job->box, job->made);
    /* path, contents, … */
    for (struct addon_bytes *one = job->list; one && one->data; one += 2) {
        job->status =
            pf_file_write(job->made, one[0].data, one[1].data, one[1].len, &job->error);
        if (job->status != PF_OK) break;
    }
    if (job->status == PF_OK) return;
    pf_sandbox_free(job->made);
    job->made = NULL;
}

/* Calls that came with it and were refused: their programs go on with that. */
static void go_on_refused(struct addon_job *job) {
    if (!pf_sandbox_running(job->made) || pf_sandbox_wait_ns(job->made) != 0) return;
    job->status = pf_sandbox_advance(job->made, &job->error);
    if (job->status == PF_OK) return;
    pf_sandbox_free(job->made);
    job->made = NULL;
}

static void work_remake(struct addon_job *job) {
    job->status = pf_sandbox_restore(job->options, job->text.data, job->text.len, &job->made,
                                     &job->error);
    if (job->status != PF_OK) {
        look_at_policy(job);
        return;
    }
    watch(job->box, job->made);
    go_on_refused(job);
}

static napi_value begin(napi_env env, struct addon_job *job, napi_value held, napi_value listener) {
    napi_value both, promise = addon_job_begin(env, job, listener);
    if (!promise || napi_create_array_with_length(env, 2, &both) != napi_ok) return NULL;
    addon_put(env, both, 0, held);
    addon_put(env, both, 1, promise);
    return both;
}

/* What a portable snapshot did not bring. */
static napi_value left_out(napi_env env, struct addon_job *job) {
    size_t len = 0;
    const char *texts = pf_sandbox_left_out(job->box->sandbox, &len);
    return addon_bytes(env, texts, len);
}

static struct addon_job *job_with(napi_env env, napi_value settings, napi_value *held) {
    napi_value value;
    struct addon_box *box = addon_box_new(env, held);
    struct addon_job *job = box ? addon_job_new(env, box, *held) : NULL;
    if (!job) return NULL;
    job->status = addon_options(env, settings, &job->options, &job->error);
    if (job->status == PF_OK) {
        job->error.status = PF_OK;
        box->trace = addon_options_trace(env, settings, job->options, &job->error);
        job->status = job->error.status;
    }
    if (addon_property(env, settings, "decisions", &value))
        box->decisions = addon_bool(env, value);
    return job;
}

/* make(settings, [path, contents, …], listener): [sandbox, promise] */
napi_value addon_make(napi_env env, napi_callback_info info) {
    napi_value given[3], held;
    size_t argc = 3;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = job_with(env, given[0], &held);
    if (!job) return NULL;
    uint32_t count = addon_count(env, given[1]) & ~1u;
    job->list = calloc(count + 1, sizeof *job->list);
    bool ok = job->list != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = addon_take(env, addon_at(env, given[1], i), &job->list[i]) && job->list[i].data;
    if (!ok && job->status == PF_OK)
        addon_job_refuse(job, "the contents of a file are a text or a Uint8Array");
    job->work = work_make;
    return begin(env, job, held, given[2]);
}

/* remake(settings, snapshot, listener): [sandbox, promise] */
napi_value addon_remake(napi_env env, napi_callback_info info) {
    napi_value given[3], held;
    size_t argc = 3;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = job_with(env, given[0], &held);
    if (!job) return NULL;
    if (!(addon_take(env, given[1], &job->text) && job->text.data) && job->status == PF_OK)
        addon_job_refuse(job, "a snapshot is a Uint8Array");
    job->work = work_remake;
    job->value = left_out;
    return begin(env, job, held, given[2]);
}

enum { OWN_BUDGET, SHARED_BUDGET };

static void work_fork(struct addon_job *job) {
    if (job->options)
        job->status =
            pf_sandbox_fork_with(job->sandbox, job->options, &job->made, &job->error);
    else if (job->what == SHARED_BUDGET)
        job->status = pf_sandbox_fork_shared(job->sandbox, &job->made, &job->error);
    else
        job->status = pf_sandbox_fork(job->sandbox, &job->made, &job->error);
    if (job->status == PF_OK && (job->options || job->what == SHARED_BUDGET)) go_on_refused(job);
}

static napi_value branch(napi_env env, struct addon_job *job) {
    napi_value value;
    struct addon_box *box = addon_box_new(env, &value);
    if (!box) return NULL;
    box->decisions = job->box->decisions;
    box->sandbox = job->made;
    box->trace = job->trace;
    job->made = NULL;
    job->trace = NULL;
    watch(box, box->sandbox);
    return value;
}

/* fork(sandbox, share, settings or undefined: as the trunk has them): its value is the branch */
napi_value addon_fork(napi_env env, napi_callback_info info) {
    napi_value given[3];
    size_t argc = 3;
    napi_valuetype type = napi_undefined;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_box *box = addon_box_of(env, given[0]);
    struct addon_job *job = box ? addon_job_new(env, box, given[0]) : NULL;
    if (!job) return NULL;
    job->what = addon_bool(env, given[1]) ? SHARED_BUDGET : OWN_BUDGET;
    napi_typeof(env, given[2], &type);
    if (type == napi_object) {
        job->status = addon_options(env, given[2], &job->options, &job->error);
        job->error.status = job->status;
        if (job->status == PF_OK)
            job->trace = addon_options_trace(env, given[2], job->options, &job->error);
        job->status = job->error.status;
    }
    job->work = work_fork;
    job->value = branch;
    return addon_job_begin(env, job, NULL);
}
