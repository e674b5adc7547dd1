/*
 * box.c: a sandbox as a value of JavaScript. It goes when it is closed or collected.
 */
#include "addon.h"

#include <stdlib.h>

/* What the collector is told that one takes: what it maps is not seen otherwise. */
#define SANDBOX_BYTES (1 << 20)

static const napi_type_tag tag = {0x70696e666f6c6421, 0x73616e64626f7821};

static void free_sandbox(struct addon_job *job) {
    pf_sandbox_free(job->sandbox);
}

void addon_box_empty(struct addon_box *box) {
    pf_sandbox *sandbox = box->sandbox;
    box->sandbox = NULL;
    if (!sandbox) return;
    struct addon_job *job = calloc(1, sizeof *job);
    if (!job) {
        pf_sandbox_free(sandbox);
        return;
    }
    job->sandbox = sandbox;
    job->work = free_sandbox;
    addon_pool_run(job);
}

/* No job is on: it would hold the value. */
static void collected(napi_env env, void *data, void *hint) {
    struct addon_box *box = data;
    int64_t total;
    (void)hint;
    addon_box_empty(box);
    addon_env_remove(box);
    addon_trace_free(box->trace);
    free(box);
    napi_adjust_external_memory(env, -SANDBOX_BYTES, &total);
}

struct addon_box *addon_box_new(napi_env env, napi_value *value) {
    struct addon_env *state = NULL;
    int64_t total;
    struct addon_box *box = calloc(1, sizeof *box);
    napi_get_instance_data(env, (void **)&state);
    if (box && napi_create_external(env, box, collected, NULL, value) == napi_ok) {
        napi_type_tag_object(env, *value, &tag);
        addon_env_add(state, box);
        napi_adjust_external_memory(env, SANDBOX_BYTES, &total);
        return box;
    }
    free(box);
    napi_throw_error(env, NULL, "out of memory");
    return NULL;
}

struct addon_box *addon_box_of(napi_env env, napi_value value) {
    void *box = NULL;
    bool ours = false;
    if (napi_check_object_type_tag(env, value, &tag, &ours) == napi_ok && ours &&
        napi_get_value_external(env, value, &box) == napi_ok)
        return box;
    napi_throw_type_error(env, NULL, "that is no sandbox");
    return NULL;
}
