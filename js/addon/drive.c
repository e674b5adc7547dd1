/*
 * drive.c: acts that let the guest run.
 */
#include "addon.h"

#include <string.h>

static void work_start(struct addon_job *job) {
    pf_run run = {
        .size = sizeof run,
        .language = job->language.data,
        .code = job->text.data,
        .code_len = job->text.len,
        .stdin_data = job->input.data,
        .stdin_len = job->input.len,
        .isolated = job->isolated,
        .on_output = job->listens ? addon_on_output : NULL,
        .user = job->box,
        .cwd = job->path.data,
        .env = job->words && job->words[0] ? job->words : NULL,
        .limits = job->options,
    };
    job->status = pf_sandbox_start(job->sandbox, &run, &job->error);
}

static bool without_nul(const struct addon_bytes *text) {
    return !text->data || strlen(text->data) == text->len;
}

/* What start() is given, into the job; NULL, or what is wrong with it. */
static const char *take_run(napi_env env, struct addon_job *job, napi_value run) {
    static const char *const names[] = {"language", "stdin", "cwd"};
    struct addon_bytes *places[] = {&job->language, &job->input, &job->path};
    napi_value value;
    for (int i = 0; i < 3; i++)
        if (addon_property(env, run, names[i], &value) && !addon_take(env, value, places[i]))
            return "language and cwd are texts, stdin a text or a Uint8Array";
    if (!job->language.data || !without_nul(&job->language)) return "there is no such language";
    if (!without_nul(&job->path)) return "a path has no NUL";
    if (addon_property(env, run, "isolated", &value)) job->isolated = addon_bool(env, value);
    if (addon_property(env, run, "listens", &value)) job->listens = addon_bool(env, value);
    if (addon_property(env, run, "env", &value) &&
        !addon_options_words(env, value, &job->blob, &job->words))
        return "env are texts";
    if (!addon_property(env, run, "limits", &value)) return NULL;
    job->options = pf_options_new();
    if (!job->options) return "out of memory";
    job->status = addon_options_limits(env, value, job->options, &job->error);
    return NULL;
}

/* start(sandbox, code, {language, stdin, cwd, isolated, listens, env, limits}, listener) */
napi_value addon_start(napi_env env, napi_callback_info info) {
    napi_value given[4];
    size_t argc = 4;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    const char *why = take_run(env, job, given[2]);
    if (!addon_take(env, given[1], &job->text) || !job->text.data) why = "the code is a text";
    if (why) addon_job_refuse(job, why);
    /* From here on an interrupt counts. */
    if (job->status == PF_OK && !pf_sandbox_running(job->sandbox)) {
        pf_sandbox_expect_run(job->sandbox, true);
        job->box->result_told = false;
    }
    job->work = work_start;
    return addon_job_begin(env, job, given[3]);
}

static void work_answer(struct addon_job *job) {
    if (job->what < 0)
        job->status = pf_sandbox_resume(job->sandbox, job->id, job->text.data, job->text.len,
                                        &job->error);
    else
        job->status = pf_sandbox_fail(job->sandbox, job->id, (pf_failure)job->what,
                                      job->text.data, &job->error);
}

/* answer(sandbox, id, kind, text, listener): kind is -1 for a result, else a pf_failure */
napi_value addon_answer(napi_env env, napi_callback_info info) {
    napi_value given[5];
    size_t argc = 5;
    bool lossless;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    job->what = (int)addon_number(env, given[2]);
    if (napi_get_value_bigint_uint64(env, given[1], &job->id, &lossless) != napi_ok)
        addon_job_refuse(job, "the id of a call is a bigint");
    if (!addon_take(env, given[3], &job->text) || !job->text.data)
        addon_job_refuse(job, "an answer is a text");
    job->work = work_answer;
    return addon_job_begin(env, job, given[4]);
}

static void work_end_record(struct addon_job *job) {
    job->status = pf_sandbox_end_record(job->sandbox, &job->error);
}

/* endRecord(sandbox) */
napi_value addon_end_record(napi_env env, napi_callback_info info) {
    napi_value given[1];
    size_t argc = 1;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    job->work = work_end_record;
    return addon_job_begin(env, job, NULL);
}

static void work_advance(struct addon_job *job) {
    if (job->what) /* somebody else goes on with it */
        pf_sandbox_on_output(job->sandbox, job->listens ? addon_on_output : NULL, job->box);
    job->status = pf_sandbox_advance(job->sandbox, &job->error);
}

/* advance(sandbox, listens or undefined: as before, listener) */
napi_value addon_advance(napi_env env, napi_callback_info info) {
    napi_value given[3];
    size_t argc = 3;
    napi_valuetype type = napi_undefined;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    napi_typeof(env, given[1], &type);
    job->what = type == napi_boolean;
    job->listens = addon_bool(env, given[1]);
    job->work = work_advance;
    return addon_job_begin(env, job, given[2]);
}
