/*
 * host/machine/place.c: what one run has of its own: working directory, environment, limits.
 *
 * A program of its own gets the first two as it starts. The session's shell, which lives on, gets
 * them before the run's text and puts back what it had when the run is over: PF_RUN_PLACE.
 */
#include "machine.h"

#include <inttypes.h>
#include <string.h>

/* The others hold for what outlives a run. */
#define OF_A_RUN(X) X(cpu_ms) X(wall_ms) X(output_bytes) X(tool_calls) X(code_bytes) X(stdin_bytes)

struct machine_limits machine_run_limits(const pf_sandbox *s, const pf_run *run) {
    struct machine_limits limits = s->own_limits;
#define X(name)                                                                                    \
    if (run->limits) limits.name = run->limits->limits.name;
    OF_A_RUN(X)
#undef X
    return limits;
}

void machine_tape_run_env(const pf_run *run, struct base_buf *line) {
    struct base_buf all;
    base_buf_init(&all, SIZE_MAX);
    for (const char *const *env = run->env; env && *env; env++)
        base_buf_add(&all, *env, strlen(*env) + 1);
    if (all.len) tape_member(line, "env", all.data, all.len);
    line->failed |= all.failed;
    base_buf_free(&all);
}

void machine_tape_run_limits(const pf_run *run, struct base_buf *line) {
    if (!run->limits) return;
    const char *before = ",\"limits\":{";
#define X(name)                                                                                    \
    base_buf_addf(line, "%s\"" #name "\":%" PRIu64, before, run->limits->limits.name);             \
    before = ",";
    OF_A_RUN(X)
#undef X
    base_buf_addz(line, "}");
}

static pf_status check_env(const char *const *env, pf_error *error) {
    size_t sum = 0;
    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        if (!equals || equals == *env)
            return base_error(error, PF_INVALID,
                              "\"%.64s\" is no NAME=VALUE of an environment variable", *env);
        sum += strlen(*env) + 1;
    }
    if (sum <= PF_MESSAGE_IN_MAX / 4) return PF_OK;
    return base_error(error, PF_INVALID, "the environment of the run is larger than %u bytes",
                      PF_MESSAGE_IN_MAX / 4);
}

pf_status machine_check_place(const pf_run *run, pf_error *error) {
    pf_status status = check_env(run->env, error);
    if (status != PF_OK || !run->cwd) return status;
    status = machine_check_path(run->cwd, error);
    if (status != PF_OK || run->cwd[0] == '/') return status;
    return base_error(error, PF_INVALID, "cwd is an absolute path, not \"%.500s\"", run->cwd);
}

pf_status machine_find_place(pf_sandbox *s, const pf_run *run, pf_error *error) {
    if (!run->cwd) return PF_OK;
    struct pf_stat st = {0};
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = run->cwd,
                       .in_len = strlen(run->cwd), .out = &st, .out_cap = sizeof st);
    if (r >= 0 && (st.mode & 0170000) != 0040000) r = -PF_ENOTDIR;
    return r < 0 ? machine_guest_error(s, r, run->cwd, error) : PF_OK;
}

/* Is there another value for the variable of this text? */
static bool replaced(const char *text, const char *const *env) {
    size_t name = strcspn(text, "=") + 1;
    for (; env && *env; env++)
        if (strncmp(text, *env, name) == 0) return true;
    return false;
}

bool machine_run_env(const pf_sandbox *s, const pf_run *run, struct base_buf *out, size_t *count) {
    bool ok = true;
    *count = 0;
    for (size_t at = 0; ok && at < s->env_len; at += strlen(s->env + at) + 1) {
        if (replaced(s->env + at, run->env)) continue;
        ok = base_buf_add(out, s->env + at, strlen(s->env + at) + 1);
        ++*count;
    }
    for (const char *const *env = run->env; ok && env && *env; env++) {
        if (replaced(*env, env + 1)) continue; /* the last one of a name counts */
        ok = base_buf_add(out, *env, strlen(*env) + 1);
        ++*count;
    }
    return ok;
}

bool machine_has_place(const pf_run *run) {
    return run->cwd || (run->env && *run->env);
}

bool machine_place_text(const pf_run *run, struct base_buf *out) {
    const char *cwd = run->cwd ? run->cwd : "";
    bool ok = base_buf_add(out, cwd, strlen(cwd) + 1);
    for (const char *const *env = run->env; ok && env && *env; env++)
        ok = base_buf_add(out, *env, strlen(*env) + 1);
    return ok && base_buf_add(out, "", 1);
}
