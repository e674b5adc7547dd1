/*
 * host/trace/head.c: the sandbox of a trace, from its first line.
 *
 * What a trace says is its author's. It may ask for less than the embedder's bounds, never for
 * more.
 */
#include "replay.h"

#include "host/snapshot/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool unhex(const char *text, uint8_t *out, size_t len) {
    if (!text || strlen(text) != 2 * len) return false;
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

static int attach(pf_sandbox *s, const pf_options *options, pf_error *error) {
    (void)error;
    struct pf_replay *r = options->tape_user;
    s->realtime_base = trace_int(r->head, "start_ns", 0);
    unhex(yyjson_get_str(yyjson_obj_get(r->head, "seed")), s->seed, sizeof s->seed);
    s->seeded = true;
    s->tape = &r->tape;
    return PF_OK;
}

/* A limit of the trace is the author's; what it may be is the embedder's. */
static pf_status check_limit(const char *name, uint64_t asked, uint64_t most, pf_error *error) {
    char allowed[32] = "none";
    if (asked <= most) return PF_OK;
    if (most != PF_UNLIMITED) snprintf(allowed, sizeof allowed, "%llu", (unsigned long long)most);
    char wanted[32] = "no limit";
    if (asked != PF_UNLIMITED) snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)asked);
    return base_error(
        error, PF_BOUND,
        "the trace asks for %s as %s, and this replay allows %s: if the trace is to be "
        "trusted, allow it (limits= in Python, --limit of pinfold replay, "
        "pf_replay_bounds)",
        wanted, name, allowed);
}

pf_status replay_read_limits(const struct pf_replay *r, yyjson_val *limits, pf_options *o,
                             pf_error *error) {
    yyjson_val *key;
    yyjson_obj_iter iter = yyjson_obj_iter_with(limits);
    pf_status status = PF_OK;
    while (status == PF_OK && (key = yyjson_obj_iter_next(&iter))) {
        const char *name = yyjson_get_str(key);
        status = pf_options_limit(o, name, trace_uint(limits, name), error);
    }
#define X(name, value)                                                                             \
    if (status == PF_OK) status = check_limit(#name, o->limits.name, r->most.name, error);
    MACHINE_LIMITS(X)
#undef X
    return status;
}

static pf_status read_env(struct pf_replay *r, pf_options *o, pf_error *error) {
    if (!replay_flag(r->head, "env_changed")) return PF_OK;
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(r->head, "env"));
    pf_status status = PF_OK;
    for (yyjson_val *entry; status == PF_OK && (entry = yyjson_arr_iter_next(&iter));) {
        const char *text = yyjson_get_str(entry);
        char *name = text ? strdup(text) : NULL, *equals = name ? strchr(name, '=') : NULL;
        if (!equals)
            status = base_error(error, PF_FORMAT, "the environment of the trace is malformed");
        else {
            *equals = '\0';
            status = pf_options_env(o, name, equals + 1, error);
        }
        free(name);
    }
    return status;
}

static pf_status read_tools(struct pf_replay *r, pf_options *o, pf_error *error) {
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(r->head, "tools"));
    pf_status status = PF_OK;
    for (yyjson_val *tool; status == PF_OK && (tool = yyjson_arr_iter_next(&iter));) {
        const char *name = yyjson_get_str(yyjson_obj_get(tool, "name")), *description = "",
                   *schema = "";
        size_t unused, len = 0;
        trace_bytes(&r->head_arena, tool, "description", &description, &unused);
        trace_bytes(&r->head_arena, tool, "schema", &schema, &len);
        status = name ? pf_options_tool(o, name, description, schema, len, error)
                      : base_error(error, PF_FORMAT, "the tools of the trace are malformed");
    }
    return status;
}

static pf_status read_options(struct pf_replay *r, pf_options *o, pf_error *error) {
    const char *data;
    size_t len;
    pf_status status = replay_read_limits(r, yyjson_obj_get(r->head, "limits"), o, error);
    if (status == PF_OK) status = read_env(r, o, error);
    if (status == PF_OK) status = read_tools(r, o, error);
    if (status == PF_OK && trace_bytes(&r->head_arena, r->head, "policy", &data, &len))
        status = pf_options_policy(o, data, len, error);
    if (status == PF_OK && trace_bytes(&r->head_arena, r->head, "prelude", &data, &len))
        status = pf_options_js_prelude(o, data, len, error);
    pf_options_catch_all(o, replay_flag(r->head, "catch_all"));
    if (replay_flag(r->head, "clock_fixed")) pf_options_clock(o, trace_int(r->head, "start_ns", 0));
    if (replay_flag(r->head, "seed_fixed")) pf_options_seed(o, 0); /* attach() knows the bytes */
    o->tape_open = attach;
    o->tape_user = r;
    o->trusted = true; /* the snapshot in a trace is the trace's: its key is not known */
    return status;
}

static pf_status check_head(struct pf_replay *r, pf_error *error) {
    const struct machine_boot *boot = machine_boot(error);
    uint8_t build[SNAPSHOT_DIGEST], theirs[SNAPSHOT_DIGEST], seed[32];
    if (!boot) return PF_DEAD;
    snapshot_build(boot, build);
    int64_t format = trace_int(r->head, "pinfold_trace", 0);
    if (format != TRACE_FORMAT)
        return base_error(error, PF_FORMAT,
                          "the trace has format %lld; this pinfold (%s) reads format %d",
                          (long long)format, pf_version(), TRACE_FORMAT);
    if (!unhex(yyjson_get_str(yyjson_obj_get(r->head, "build")), theirs, sizeof theirs) ||
        memcmp(theirs, build, sizeof build) != 0)
        return base_error(error, PF_FORMAT,
                          "the trace comes from another build of pinfold; replay it with the one "
                          "that recorded it");
    int64_t start = trace_int(r->head, "start_ns", INT64_MIN);
    if (start < -TIME_MAX || start > TIME_MAX)
        return base_error(error, PF_FORMAT, "the trace does not say when it was recorded");
    if (!unhex(yyjson_get_str(yyjson_obj_get(r->head, "seed")), seed, sizeof seed))
        return base_error(error, PF_FORMAT, "the trace has no seed");
    return PF_OK;
}

static pf_status make_sandbox(struct pf_replay *r, pf_error *error) {
    pf_options *o = pf_options_new();
    if (!o) return base_no_memory(error);
    const char *data;
    size_t len;
    pf_status status = read_options(r, o, error);
    if (status != PF_OK) {
    } else if (trace_bytes(&r->head_arena, r->head, "snapshot", &data, &len)) {
        status = pf_sandbox_restore(o, data, len, &r->sandbox, error);
    } else {
        status = pf_sandbox_new(o, &r->sandbox, error);
    }
    pf_options_free(o);
    if (status == PF_OK) {
        r->sandbox->look_only = true;
        machine_expect_interrupt(r->sandbox);
    }
    return status;
}

pf_status replay_make_sandbox(struct pf_replay *r, pf_error *error) {
    pf_status status = check_head(r, error);
    return status == PF_OK ? make_sandbox(r, error) : status;
}
