/*
 * mounts.c: what became of a host directory that is inside.
 */
#include "addon.h"

#include <math.h>

static void work_changes(struct addon_job *job) {
    pf_bounds bounds = {.size = sizeof bounds, .max_seconds = job->number};
    pf_sandbox_bound(job->sandbox, &bounds, NULL);
    job->status = pf_mount_changes(job->sandbox, job->path.data, &job->out, &job->out_len,
                                   &job->error);
    pf_sandbox_bound(job->sandbox, NULL, NULL);
}

static napi_value texts(napi_env env, struct addon_job *job) {
    return addon_bytes(env, job->out, job->out_len);
}

/* changes(sandbox, place, most seconds): texts, each with a NUL behind it */
napi_value addon_changes(napi_env env, napi_callback_info info) {
    napi_value given[3];
    size_t argc = 3;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    if (!addon_take(env, given[1], &job->path) || !job->path.data)
        addon_job_refuse(job, "the place of a mount is a text");
    job->number = addon_number(env, given[2]);
    if (isinf(job->number)) job->number = HUGE_VAL;
    job->work = work_changes;
    job->value = texts;
    return addon_job_begin(env, job, NULL);
}
