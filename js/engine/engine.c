/*
 * js/engine/engine.c: the parts of host/ that decide, as a WebAssembly module for the JavaScript
 * host.
 *
 * host/capability and the files below /tools are compiled as they are, so that a policy, a schema
 * and a tool's page mean the same as with the native library. This file only translates: texts come
 * in through pf_engine_new() memory, answers go out as one JSON text or one message, read before
 * the next call. src/capability/engine.ts is the other side. The module has four imports:
 * host.write_file, host.list and host.unlink, by which toolfiles.c reaches the kernel of the
 * sandbox that is being made, and host.random, for the keys of tokens.
 */
#include "engine.h"

#include "host/base/json_out.h"
#include "host/capability/gate.h"
#include "host/capability/policy.h"
#include "host/machine/machine.h"

#include <stdlib.h>
#include <string.h>

#define HOST(name)   __attribute__((import_module("host"), import_name(#name)))

HOST(write_file)
int host_write_file(const char *path, size_t path_len, const void *data, size_t len, uint32_t mode,
                    uint32_t owner);
/* Names in a directory, sorted by bytes, each ended by a NUL. */
HOST(list) int host_list(const char *path, size_t path_len, char **block, size_t *len);
HOST(unlink) int host_unlink(const char *path, size_t len);

/* ---- what a caller reads after a call */

pf_error engine_last;
struct base_buf engine_answer; /* empty, as zeros are, until the first call */

EXPORT(pf_engine_new) void *engine_new(size_t len) { return malloc(len ? len : 1); }
EXPORT(pf_engine_delete) void engine_delete(void *data) { free(data); }
EXPORT(pf_engine_message) const char *engine_message(void) { return engine_last.message; }
EXPORT(pf_engine_answer) const char *engine_text(void) {
    return engine_answer.data ? engine_answer.data : "";
}
EXPORT(pf_engine_answer_len) size_t engine_text_len(void) { return engine_answer.len; }

static int out_of_memory(void) { return base_no_memory(&engine_last); }

void engine_begin(void) {
    base_buf_free(&engine_answer);
    base_buf_init(&engine_answer, SIZE_MAX);
    engine_last.message[0] = '\0';
}

int engine_answer_with(pf_status status, char *text, size_t len) {
    if (status == PF_OK) base_buf_add(&engine_answer, text, len);
    free(text);
    return engine_answer.failed ? PF_NO_MEMORY : status;
}

static void member(const char *name, const char *text) {
    base_buf_addf(&engine_answer, "%s\"%s\":", engine_answer.len > 1 ? "," : "", name);
    if (text) base_json_out_string(&engine_answer, text, strlen(text));
    else base_buf_addz(&engine_answer, "null");
}

/* ---- a gate: its sandbox is only there for toolfiles.c, which writes through it */

EXPORT(pf_engine_gate) pf_sandbox *engine_gate(void) {
    pf_sandbox *s = calloc(1, sizeof *s);
    if (s && cap_gate_new(&s->gate, &engine_last) != PF_OK) {
        free(s);
        return NULL;
    }
    return s;
}

EXPORT(pf_engine_gate_copy) pf_sandbox *engine_gate_copy(const pf_sandbox *from, int share) {
    pf_sandbox *s = calloc(1, sizeof *s);
    if (s) s->gate = share ? cap_gate_share(from->gate) : cap_gate_clone(from->gate);
    if (s && s->gate) return s;
    free(s);
    return NULL;
}

EXPORT(pf_engine_gate_delete) void engine_gate_delete(pf_sandbox *s) {
    if (s) cap_gate_free(s->gate);
    free(s);
}

EXPORT(pf_engine_tool) int engine_tool(pf_sandbox *s, const char *name, const char *description,
                                       const char *schema, size_t len) {
    engine_begin();
    return cap_gate_add_tool(s->gate, name, description, schema, len, &engine_last);
}

EXPORT(pf_engine_policy) int engine_policy(pf_sandbox *s, const char *json, size_t len) {
    engine_begin();
    return cap_gate_set_policy(s->gate, json, len, &engine_last);
}

EXPORT(pf_engine_finish) int engine_finish(pf_sandbox *s, int catch_all) {
    engine_begin();
    cap_gate_set_catch_all(s->gate, catch_all);
    return cap_gate_finish(s->gate, &engine_last);
}

/* A decision as the answer. Anything but PF_OK: there is none, and the call must not be made. */
static int tell(const pf_sandbox *s, pf_status status, struct cap_decision *d) {
    if (status != PF_OK) return status;
    pf_decision told = cap_decision_describe(s->gate, d);
    base_buf_addf(&engine_answer, "{");
    member("decided", told.outcome);
    bool ask = d->outcome == PF_OP_OK && cap_gate_asks(s->gate, d->capability);
    base_buf_addf(&engine_answer, ",\"outcome\":%d,\"capability\":%d,\"ask\":%s", d->outcome,
                  d->capability, ask ? "true" : "false");
    member("method", d->method);
    member("name", d->name);
    member("params", d->params);
    member("shown", told.params);
    member("message", d->message);
    base_buf_addf(&engine_answer, "}");
    cap_decision_free(d);
    return engine_answer.failed ? out_of_memory() : PF_OK;
}

/* Decides about one call as the guest sent it. */
EXPORT(pf_engine_check) int engine_check(pf_sandbox *s, const char *payload, size_t len) {
    struct cap_decision d;
    engine_begin();
    return tell(s, cap_gate_check(s->gate, payload, len, &d, &engine_last), &d);
}

/* Decides about one that came with a snapshot. */
EXPORT(pf_engine_check_again) int engine_check_again(pf_sandbox *s, const char *method,
                                                     const char *name, const char *params,
                                                     size_t len) {
    struct cap_decision d;
    engine_begin();
    return tell(s, cap_gate_check_again(s->gate, method, name, params, len, &d, &engine_last), &d);
}

EXPORT(pf_engine_set_aside) int engine_set_aside(pf_sandbox *s, int capability) {
    return cap_gate_set_aside(s->gate, capability);
}

EXPORT(pf_engine_counters) int engine_counters(const pf_sandbox *s) {
    char *json = NULL;
    size_t len = 0;
    engine_begin();
    if (cap_gate_counters_save(s->gate, &json, &len) != PF_OK) return out_of_memory();
    base_buf_add(&engine_answer, json, len);
    free(json);
    return engine_answer.failed ? out_of_memory() : PF_OK;
}

/* Takes over counters; the answer is a JSON array: to which capability each of them went, or -1. */
EXPORT(pf_engine_load) int engine_load(pf_sandbox *s, const char *json, size_t len) {
    int *map = NULL;
    size_t count = 0;
    engine_begin();
    pf_status status = cap_gate_counters_load(s->gate, json, len, &map, &count, &engine_last);
    base_buf_addz(&engine_answer, "[");
    for (size_t i = 0; status == PF_OK && i < count; i++)
        base_buf_addf(&engine_answer, "%s%d", i ? "," : "", map[i]);
    base_buf_addz(&engine_answer, "]");
    free(map);
    return status;
}

/* 1: it would be allowed now; 0: the answer says why not. */
EXPORT(pf_engine_can_call) int engine_can_call(const pf_sandbox *s, const char *method,
                                               const char *params, size_t len) {
    char *why = NULL;
    engine_begin();
    bool can = cap_gate_can_call(s->gate, method, params, len, &why);
    if (why) base_buf_addz(&engine_answer, why);
    free(why);
    return can;
}

EXPORT(pf_engine_left) double engine_left(const pf_sandbox *s, size_t capability) {
    return (double)cap_gate_remaining(s->gate, capability);
}

EXPORT(pf_engine_spend) void engine_spend(pf_sandbox *s, size_t capability, double calls) {
    cap_gate_spend(s->gate, capability, (int64_t)calls);
}

/* The declared tools as JSON: [{"name", "id", "flat", "flat_usable", "dotted_usable"}]. */
EXPORT(pf_engine_tools) int engine_tools(const pf_sandbox *s) {
    engine_begin();
    base_buf_addz(&engine_answer, "[");
    for (size_t i = 0; i < cap_gate_tool_count(s->gate); i++) {
        const struct cap_tool *tool = cap_gate_tool(s->gate, i);
        base_buf_addz(&engine_answer, i ? ",{\"name\":" : "{\"name\":");
        base_json_out_string(&engine_answer, tool->name, strlen(tool->name));
        member("id", tool->id);
        member("flat", tool->flat);
        base_buf_addf(&engine_answer, ",\"flat_usable\":%s,\"dotted_usable\":%s}",
                      tool->flat_usable ? "true" : "false", tool->dotted_usable ? "true" : "false");
    }
    base_buf_addz(&engine_answer, "]");
    return engine_answer.failed ? out_of_memory() : PF_OK;
}

EXPORT(pf_engine_json) int engine_json(const char *json, size_t len) {
    engine_begin();
    return cap_json_check(json, len, &engine_last);
}

EXPORT(pf_engine_subset) int engine_subset(const char *child, size_t child_len, const char *parent,
                                           size_t parent_len) {
    bool subset = false;
    char *why = NULL;
    engine_begin();
    pf_status status =
        cap_policy_is_subset(child, child_len, parent, parent_len, &subset, &why, &engine_last);
    if (why) base_buf_addz(&engine_answer, why);
    free(why);
    return status == PF_OK ? subset : status;
}

/* ---- /tools: host/machine/toolfiles.c */

EXPORT(pf_engine_tool_files) int engine_tool_files(pf_sandbox *s) {
    pf_options none = {0};
    engine_begin();
    return machine_write_tools(s, &none, &engine_last);
}

/* Of tools that a restored sandbox has no more. */
EXPORT(pf_engine_forget_tools) int engine_forget_tools(pf_sandbox *s) {
    engine_begin();
    s->tool_files = true;
    return machine_forget_tools(s, &engine_last);
}

pf_status machine_write_file(pf_sandbox *s, const char *path, const void *data, size_t len,
                             uint32_t mode, uint32_t owner, pf_error *error) {
    (void)s;
    if (host_write_file(path, strlen(path), data, len, mode, owner) == 0) return PF_OK;
    return base_error(error, PF_NO_MEMORY, "%s cannot be written: the sandbox is too small", path);
}

/* The one message that toolfiles.c sends when a sandbox is made. */
int64_t machine_kernel(pf_sandbox *s, struct k_call *call) {
    (void)s;
    if (call->call != PF_CALL_UNLINKAT) __builtin_trap();
    return host_unlink(call->in, call->in_len);
}

/* The other side makes the block, by pf_engine_new(). */
pf_status machine_list_names(pf_sandbox *s, const char *path, struct base_buf *names,
                             pf_error *error) {
    size_t len = 0;
    char *block = NULL;
    int result = host_list(path, strlen(path), &block, &len);
    if (result < 0) return machine_guest_error(s, result, path, error);
    bool ok = block && base_buf_add(names, block, len);
    free(block);
    return ok ? PF_OK : base_no_memory(error);
}

pf_status machine_guest_error(pf_sandbox *s, int64_t result, const char *path, pf_error *error) {
    (void)s;
    return base_error(error, result == -PF_ENOENT ? PF_NOT_FOUND : PF_GUEST, "%s: error %d", path,
                      (int)-result);
}
