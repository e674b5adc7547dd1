/*
 * files.c: acts on a sandbox in which nothing runs meanwhile: its files, and all of it as bytes.
 */
#include "addon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The acts of file(), in the order of js/src/native/line.ts. */
enum { READ, WRITE, LIST, STAT, LSTAT, REMOVE, MAKE_DIRECTORY };

static pf_status read_file(struct addon_job *job) {
    pf_bounds bounds = {.size = sizeof bounds, .max_bytes = addon_limit(job->number)};
    if (job->number > 0) pf_sandbox_bound(job->sandbox, &bounds, NULL);
    pf_status status =
        pf_file_take(job->sandbox, job->path.data, &job->out, &job->out_len, &job->error);
    pf_sandbox_bound(job->sandbox, NULL, NULL);
    return status;
}

/* A file in it makes it, as a program of the sandbox's user would. */
static pf_status make_directory(struct addon_job *job) {
    static const char name[] = "/.pinfold";
    pf_file_info info;
    if (pf_file_stat(job->sandbox, job->path.data, &info, NULL) == PF_OK && S_ISDIR(info.mode))
        return PF_OK;
    char *inside = malloc(job->path.len + sizeof name);
    if (!inside) {
        addon_job_refuse(job, "out of memory");
        return PF_NO_MEMORY;
    }
    memcpy(inside, job->path.data, job->path.len);
    memcpy(inside + job->path.len, name, sizeof name);
    pf_status status = pf_file_write(job->sandbox, inside, "", 0, &job->error);
    if (status == PF_OK) status = pf_file_remove(job->sandbox, inside, &job->error);
    free(inside);
    return status;
}

static void work_file(struct addon_job *job) {
    pf_sandbox *s = job->sandbox;
    const char *path = job->path.data;
    pf_error *error = &job->error;
    switch (job->what) {
    case READ: job->status = read_file(job); break;
    case WRITE: job->status = pf_file_write(s, path, job->text.data, job->text.len, error); break;
    case LIST: job->status = pf_file_list(s, path, &job->out, &job->out_len, error); break;
    case STAT: job->status = pf_file_stat(s, path, &job->info, error); break;
    case LSTAT: job->status = pf_file_lstat(s, path, &job->info, error); break;
    case REMOVE: job->status = pf_file_remove(s, path, error); break;
    default: job->status = make_directory(job);
    }
}

static napi_value bytes(napi_env env, struct addon_job *job) {
    return addon_bytes(env, job->out, job->out_len);
}

static napi_value info_value(napi_env env, struct addon_job *job) {
    napi_value list;
    if (napi_create_array_with_length(env, 3, &list) != napi_ok) return NULL;
    addon_put(env, list, 0, addon_double(env, job->info.mode));
    addon_put(env, list, 1, addon_double(env, (double)job->info.size));
    addon_put(env, list, 2, addon_double(env, floor((double)job->info.mtime_ns / 1e6)));
    return list;
}

/* file(sandbox, act, path, contents or most bytes) */
napi_value addon_file(napi_env env, napi_callback_info info) {
    napi_value given[4];
    size_t argc = 4;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    job->what = (int)addon_number(env, given[1]);
    if (!addon_take(env, given[2], &job->path) || !job->path.data) addon_job_refuse(job, "a path is a text");
    else if (strlen(job->path.data) != job->path.len) addon_job_refuse(job, "a path has no NUL");
    if (job->what == READ) job->number = addon_number(env, given[3]);
    if (job->what == WRITE && !(addon_take(env, given[3], &job->text) && job->text.data))
        addon_job_refuse(job, "the contents of a file are a text or a Uint8Array");
    job->work = work_file;
    job->value = job->what == READ || job->what == LIST    ? bytes
                 : job->what == STAT || job->what == LSTAT ? info_value
                                                           : NULL;
    return addon_job_begin(env, job, NULL);
}

static void work_snapshot(struct addon_job *job) {
    job->status = pf_sandbox_key(job->sandbox, job->text.data, job->text.len, &job->error);
    if (job->status != PF_OK) return;
    if (job->what)
        job->status = pf_sandbox_snapshot_portable(job->sandbox, job->counter, &job->out,
                                                   &job->out_len, &job->left_out, &job->left_len,
                                                   &job->error);
    else
        job->status = pf_sandbox_snapshot_counted(job->sandbox, job->counter, &job->out,
                                                  &job->out_len, &job->error);
}

/* [bytes, what they do not hold] */
static napi_value snapshot_value(napi_env env, struct addon_job *job) {
    napi_value list;
    if (napi_create_array_with_length(env, 2, &list) != napi_ok) return NULL;
    addon_put(env, list, 0, addon_bytes(env, job->out, job->out_len));
    addon_put(env, list, 1, addon_bytes(env, job->left_out, job->left_len));
    return list;
}

/* snapshot(sandbox, key or undefined, counter, portable) */
napi_value addon_snapshot(napi_env env, napi_callback_info info) {
    napi_value given[4];
    size_t argc = 4;
    napi_get_cb_info(env, info, &argc, given, NULL, NULL);
    struct addon_job *job = addon_job_of(env, given[0]);
    if (!job) return NULL;
    job->what = addon_bool(env, given[3]);
    if (!addon_take(env, given[1], &job->text)) addon_job_refuse(job, "key is a text or a Uint8Array");
    job->counter = (uint64_t)addon_number(env, given[2]);
    job->work = work_snapshot;
    job->value = snapshot_value;
    return addon_job_begin(env, job, NULL);
}
