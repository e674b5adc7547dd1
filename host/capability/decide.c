/*
 * host/capability/decide.c: one tool call, from the guest's bytes to a decision.
 *
 * First everything is read and checked, without effect. Then the decision is put together, in
 * memory that is allocated before anything is spent. Spending the budget is last; where branches on
 * other threads share it and were faster, everything is decided once more.
 */
#include "gate_state.h"

#include "host/base/buf.h"
#include "host/base/json_out.h"
#include "host/base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD_MAX ((size_t)16 << 20)
#define MESSAGE_MAX 2000
#define NAME_SHOWN  100

struct call {
    cap_gate *gate;
    yyjson_val *written, *params; /* the name as the guest wrote it, and the arguments */
    const char *shown;            /* what takes the place of `written` in the decision, or NULL */
    struct cap_name method;       /* canonical; of the declared tool, if there is one */
    bool named;                   /* method is filled */
    size_t tool;                  /* or CAP_NO_TOOL */
    int outcome, capability;
    char *json; /* params as they are delivered, or logged; in the scratch arena */
    size_t json_len;
    struct base_text why;
};

static pf_status refuse(struct call *c, int outcome, const char *message) {
    c->outcome = outcome;
    base_text_addz(&c->why, message);
    return PF_OK;
}

static pf_status read_payload(struct call *c, const char *payload, size_t len) {
    if (len > PAYLOAD_MAX) return refuse(c, PF_OP_INVALID, "the tool call is too large");
    yyjson_val *root;
    pf_error error;
    /* One level is the payload's own object. */
    pf_status status =
        base_json_read(&c->gate->scratch, payload, len, BASE_JSON_DEPTH + 1, &root, &error);
    if (status == PF_NO_MEMORY) return status;
    if (status != PF_OK) {
        base_text_addz(&c->why, "the arguments cannot be read: ");
        return refuse(c, PF_OP_INVALID, error.message);
    }
    yyjson_val *tool = yyjson_obj_get(root, "tool");
    c->params = yyjson_obj_get(root, "params");
    if (yyjson_obj_size(root) != 2 || !yyjson_is_str(tool) || !c->params)
        return refuse(c, PF_OP_INVALID, "the tool call is malformed");
    c->written = tool;
    return PF_OK;
}

static pf_status no_such_tool(struct call *c) {
    const char *name = yyjson_get_str(c->written);
    size_t len = yyjson_get_len(c->written);
    base_text_addz(&c->why, "there is no tool ");
    base_json_show_string(&c->why, name, len, NAME_SHOWN);
    cap_tools_suggest(&c->why, c->gate->tools, c->named ? c->method.text : name);
    c->outcome = PF_OP_UNKNOWN;
    return PF_OK;
}

/* Finds out what is called: from here on only `method` counts, not what was written. */
static pf_status find_tool(struct call *c) {
    const char *why;
    c->named = cap_name_read(&c->method, yyjson_get_str(c->written), yyjson_get_len(c->written),
                             false, &why);
    if (!c->named) return no_such_tool(c);
    c->tool = cap_tools_find(c->gate->tools, &c->method);
    if (c->tool == CAP_NO_TOOL) return c->gate->catch_all ? PF_OK : no_such_tool(c);
    const char *id = c->gate->tools->tools[c->tool].id;
    if (strcmp(id, c->method.text) != 0) /* it was called by its flat name */
        cap_name_read(&c->method, id, strlen(id), false, &why);
    return PF_OK;
}

/* Addresses among a tool's arguments in one spelling, before anything looks at them. */
static enum cap_verdict write_urls(const cap_gate *gate, size_t tool, const struct cap_name *method,
                                   yyjson_val *params, struct base_arena *arena,
                                   struct base_text *why) {
    const struct cap_schema *schema = NULL;
    if (tool != CAP_NO_TOOL) schema = cap_tools_schema(gate->tools, tool);
    if (!schema) return CAP_VALID;
    size_t mark = why->len;
    base_text_add(why, method->text, method->len);
    base_text_addz(why, ": ");
    enum cap_verdict verdict = cap_schema_urls(schema, params, arena, why);
    if (verdict != CAP_NOT_VALID) base_text_rewind(why, mark);
    return verdict;
}

static pf_status check_params(struct call *c) {
    if (!yyjson_is_obj(c->params)) {
        base_text_add(&c->why, c->method.text, c->method.len);
        base_text_addf(&c->why, " takes one object argument; got %s", base_json_type(c->params));
        return refuse(c, PF_OP_INVALID, "");
    }
    enum cap_verdict urls =
        write_urls(c->gate, c->tool, &c->method, c->params, &c->gate->scratch, &c->why);
    if (urls == CAP_NO_VERDICT) return PF_NO_MEMORY;
    if (urls == CAP_NOT_VALID) return refuse(c, PF_OP_INVALID, "");
    struct cap_match_result match = cap_gate_match(c->gate, &c->method, c->params, &c->why);
    if (match.no_memory) return PF_NO_MEMORY;
    c->outcome = match.outcome;
    c->capability = match.capability;
    if (c->outcome != PF_OP_OK || c->tool == CAP_NO_TOOL) return PF_OK;
    const struct cap_schema *schema = cap_tools_schema(c->gate->tools, c->tool);
    if (!schema) return PF_OK;
    char buffer[MESSAGE_MAX / 2];
    struct base_text problem;
    base_text_init(&problem, buffer, sizeof buffer);
    enum cap_verdict verdict = cap_schema_check(schema, c->params, &problem);
    if (verdict == CAP_NO_VERDICT) return PF_NO_MEMORY;
    if (verdict == CAP_VALID) return PF_OK;
    base_text_add(&c->why, c->method.text, c->method.len);
    base_text_addz(&c->why, ": ");
    return refuse(c, PF_OP_INVALID, buffer);
}

static pf_status decide(struct call *c, const char *payload, size_t len) {
    pf_status status = read_payload(c, payload, len);
    if (status == PF_OK && c->outcome == PF_OP_OK) status = find_tool(c);
    if (status == PF_OK && c->outcome == PF_OP_OK) status = check_params(c);
    if (status != PF_OK || !yyjson_is_obj(c->params)) return status;
    c->json = base_json_write(&c->gate->scratch, c->params, &c->json_len);
    return c->json ? PF_OK : PF_NO_MEMORY;
}

static char *put(char **at, const char *text, size_t len) {
    char *start = *at;
    if (len) memcpy(start, text, len);
    start[len] = '\0';
    *at += len + 1;
    return start;
}

/* The same for a text that repeats what the script wrote, which gets `len` bytes. */
static char *put_printable(char **at, const struct base_text *text, size_t len) {
    char *start = *at;
    pf_printable(start, len + 1, text->data, text->len);
    *at += len + 1;
    return start;
}

static pf_status fill(struct cap_decision *out, const struct call *c) {
    const char *name = !c->written ? "" : c->shown ? c->shown : yyjson_get_str(c->written);
    size_t name_len = strlen(name); /* up to a NUL, if it has one */
    size_t method_len = c->named ? c->method.len : 0;
    bool ok = c->outcome == PF_OP_OK;
    /* What is allowed was allowed by a capability, has a name, and what was checked. */
    assert(!ok ||
           (c->capability >= 0 && (size_t)c->capability < cap_gate_capability_count(c->gate) &&
            c->named && c->json));
    assert(c->json || !c->json_len);
    size_t why_len = pf_printable(NULL, 0, c->why.data, c->why.len);
    char *at = malloc(method_len + name_len + 4 + c->json_len + why_len);
    if (!at) return PF_NO_MEMORY;
    out->block = at;
    out->outcome = c->outcome;
    out->capability = c->capability;
    out->method = put(&at, c->method.text, method_len);
    out->name = put(&at, name, name_len);
    if (ok) {
        out->params = put(&at, c->json, c->json_len);
        out->params_len = c->json_len;
    } else {
        out->message = put_printable(&at, &c->why, why_len);
        if (c->json) out->refused = put(&at, c->json, c->json_len);
    }
    return PF_OK;
}

static pf_status check_once(cap_gate *gate, const char *payload, size_t len, const char *shown,
                            struct cap_decision *out) {
    char message[MESSAGE_MAX];
    struct call c;
    c.gate = gate;
    c.written = c.params = NULL;
    c.shown = shown;
    c.named = false;
    c.tool = CAP_NO_TOOL;
    c.outcome = PF_OP_OK;
    c.capability = -1;
    c.json = NULL;
    c.json_len = 0;
    base_text_init(&c.why, message, sizeof message);
    *out = (struct cap_decision){0};
    pf_status status = decide(&c, payload, len);
    if (status == PF_OK) status = fill(out, &c);
    base_arena_reset(&gate->scratch);
    return status;
}

static pf_status check(cap_gate *gate, const char *payload, size_t len, const char *shown,
                       struct cap_decision *out, pf_error *error) {
    for (;;) {
        pf_status status = check_once(gate, payload, len, shown, out);
        if (status != PF_OK) return base_no_memory(error);
        if (out->outcome != PF_OP_OK || cap_gate_take(gate, (size_t)out->capability)) return PF_OK;
        cap_decision_free(out); /* who shares the ledger has spent the last one meanwhile */
    }
}

pf_status cap_gate_check(cap_gate *gate, const char *payload, size_t len, struct cap_decision *out,
                         pf_error *error) {
    return check(gate, payload, len, NULL, out, error);
}

/* Does a name mean this method today? */
static bool means(const cap_gate *gate, const char *name, const char *method) {
    struct cap_name read;
    const char *why;
    size_t len = strlen(name);
    if (!cap_name_read(&read, name, len, false, &why)) return false;
    size_t tool = cap_tools_find(gate->tools, &read);
    return strcmp(tool == CAP_NO_TOOL ? read.text : gate->tools->tools[tool].id, method) == 0;
}

/* The request that a guest would have sent. Parameters that are no JSON value make it malformed. */
pf_status cap_gate_check_again(cap_gate *gate, const char *method, const char *name,
                               const char *params, size_t len, struct cap_decision *out,
                               pf_error *error) {
    struct base_buf payload;
    base_buf_init(&payload, SIZE_MAX);
    if (!base_utf8_valid(method, strlen(method))) method = "";
    base_buf_addz(&payload, "{\"tool\":");
    base_json_out_string(&payload, method, strlen(method));
    base_buf_addz(&payload, ",\"params\":");
    base_buf_add(&payload, params, len);
    base_buf_addz(&payload, "}");
    pf_status status;
    if (payload.failed)
        status = base_no_memory(error);
    else
        status = check(gate, payload.data, payload.len, means(gate, name, method) ? name : method,
                       out, error);
    base_buf_free(&payload);
    return status;
}

void cap_decision_free(struct cap_decision *decision) {
    free(decision->block);
    *decision = (struct cap_decision){0};
}

static const char *outcome_name(const cap_gate *gate, const struct cap_decision *d) {
    switch (d->outcome) {
    case PF_OP_OK: return cap_gate_asks(gate, d->capability) ? "ask" : "allowed";
    case PF_OP_DENIED: return "denied";
    case PF_OP_LIMIT: return "limit";
    case PF_OP_UNKNOWN: return "unknown";
    default: return "invalid";
    }
}

pf_decision cap_decision_describe(const cap_gate *gate, const struct cap_decision *d) {
    return (pf_decision){
        .outcome = outcome_name(gate, d),
        .method = d->method,
        .name = d->name,
        .params = d->params ? d->params : d->refused,
        .capability = d->capability,
        .message = d->message,
    };
}

bool cap_gate_can_call(const cap_gate *gate, const char *method, const char *params, size_t len,
                       char **why) {
    if (why) *why = NULL;
    char buffer[MESSAGE_MAX];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    struct base_arena arena;
    base_arena_init(&arena, gate->scratch.max);
    struct cap_name name;
    const char *problem;
    bool allowed = false, no_memory = false;
    yyjson_val *value = NULL;
    pf_error error;
    if (!params) {
        params = "{}";
        len = 2;
    }
    pf_status status = base_json_read(&arena, params, len, BASE_JSON_DEPTH, &value, &error);
    if (status == PF_NO_MEMORY) {
        no_memory = true;
    } else if (status != PF_OK) {
        base_text_addf(&text, "the arguments cannot be read: %s", error.message);
    } else if (!yyjson_is_obj(value)) {
        base_text_addz(&text, "the arguments are not an object");
    } else if (!cap_name_read(&name, method, strlen(method), false, &problem)) {
        base_text_addf(&text, "the method name %s", problem);
    } else {
        size_t tool = cap_tools_find(gate->tools, &name);
        enum cap_verdict urls = write_urls(gate, tool, &name, value, &arena, &text);
        struct cap_match_result match = {.outcome = PF_OP_INVALID};
        if (urls == CAP_VALID) match = cap_gate_match(gate, &name, value, &text);
        allowed = match.outcome == PF_OP_OK;
        no_memory = match.no_memory || urls == CAP_NO_VERDICT;
    }
    base_arena_free(&arena);
    if (allowed || no_memory || !why) return allowed;
    size_t why_len = pf_printable(NULL, 0, text.data, text.len);
    char *at = *why = malloc(why_len + 1);
    if (at) put_printable(&at, &text, why_len);
    return false;
}
