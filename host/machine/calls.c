/*
 * host/machine/calls.c: tool calls, from the guest's words to the embedder and back.
 *
 * Every call passes the gate (host/capability) before the embedder can see it. What was checked is
 * what is handed out: the gate's own re-serialised parameters.
 */
#include "machine.h"

#include "host/base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The payload, or a call's strings and the tree that was checked: about twice its length. */
#define CALL_BYTES(len) (512 + 2 * (uint64_t)(len))

static bool fits(const pf_sandbox *s, size_t len) {
    return s->budget.used <= s->budget.limit &&
           CALL_BYTES(len) <= s->budget.limit - s->budget.used;
}

static void charge(pf_sandbox *s, struct machine_call *call, size_t len) {
    assert(!call->charged);
    call->charged = CALL_BYTES(len);
    s->budget.used += call->charged;
    if (s->budget.used > s->budget.peak) s->budget.peak = s->budget.used;
}

bool machine_charge_call(pf_sandbox *s, struct machine_call *call, size_t len) {
    assert(call && !call->charged);
    if (!fits(s, len)) return false;
    charge(s, call, len);
    assert(s->budget.used <= s->budget.limit);
    return true;
}

void machine_free_call(pf_sandbox *s, struct machine_call *call) {
    assert(s->budget.used >= call->charged);
    s->budget.used -= call->charged;
    cap_decision_free(&call->decision);
    free(call->restored);
    free(call);
}

void machine_forget_calls(pf_sandbox *s) {
    while (s->calls) {
        struct machine_call *call = s->calls;
        s->calls = call->next;
        machine_free_call(s, call);
    }
    machine_forget_judged(s);
    assert(!s->calls && !s->refused);
}

static struct machine_call **find(pf_sandbox *s, uint64_t id, uint32_t op) {
    struct machine_call **at = &s->calls;
    while (*at && !(id ? (*at)->id == id : (*at)->op == op)) at = &(*at)->next;
    return at;
}

/* Sends a reply in pieces that fit a message. What went wrong is told as far as it may be. */
static int64_t reply(pf_sandbox *s, uint32_t op, uint32_t outcome, const char *data, size_t len) {
    if (outcome != PF_OP_OK && len > s->limits.tool_result_bytes)
        len = base_utf8_cut(data, (size_t)s->limits.tool_result_bytes);
    for (size_t at = 0;;) {
        size_t piece = len - at < PF_MESSAGE_IN_MAX ? len - at : PF_MESSAGE_IN_MAX;
        assert(at <= len);
        bool last = at + piece == len;
        int64_t r = KERNEL(s, HOST_OP_REPLY, .arg = {op, outcome, last}, .in = data + at,
                           .in_len = piece);
        if (r < 0 || last) return r;
        if (r == 0) return -PF_ENOMEM;
        if ((uint64_t)r > piece) return -PF_EIO;
        at += (size_t)r;
    }
}

void machine_refuse(pf_sandbox *s, uint32_t op, uint32_t outcome, const char *text) {
    int64_t r = reply(s, op, outcome, text, strlen(text));
    assert(outcome != PF_OP_OK && text);
    if (r == -PF_ENOMEM) reply(s, op, outcome, "", 0);
}

/* A request of the kernel's with its payload: in `piece`, or in `whole` when it took several. */
struct request {
    struct pf_op_request head;
    const char *payload;
    size_t len;
    struct base_buf whole;
    char piece[sizeof(struct pf_op_request) + PF_IO_MAX];
};

/* May the request, as far as it is known, go on with so many bytes? */
static bool sound(const pf_sandbox *s, const struct request *r, size_t piece) {
    uint64_t len = r->head.payload_len;
    bool fits_limit = len <= 4096 || len - 4096 <= s->limits.tool_argument_bytes;
    return r->head.id && fits_limit && r->head.offset == r->whole.len &&
           (piece > 0 || len <= r->whole.len);
}

/* Takes one; false: there is none. `whole` is the caller's to free. */
static bool take(pf_sandbox *s, struct request *r) {
    base_buf_init(&r->whole, SIZE_MAX);
    for (;;) {
        struct k_call call = {
            .call = PF_CALL_HOST_OP_TAKE, .out = r->piece, .out_cap = sizeof r->piece};
        int64_t result = machine_kernel(s, &call);
        if (result < 0 || call.out_len < sizeof r->head) return false;
        memcpy(&r->head, r->piece, sizeof r->head);
        const char *piece = r->piece + sizeof r->head;
        size_t piece_len = call.out_len - sizeof r->head;
        if (!sound(s, r, piece_len)) return false;
        r->payload = piece;
        r->len = piece_len;
        if (r->whole.len == 0 && piece_len >= r->head.payload_len) return true;
        if (!base_buf_add(&r->whole, piece, piece_len)) return false;
        r->payload = r->whole.data;
        r->len = r->whole.len;
        if (r->len >= r->head.payload_len) return true;
    }
}

pf_decision machine_decision(const pf_sandbox *s, uint64_t id, const struct cap_decision *d) {
    pf_decision decision = cap_decision_describe(s->gate, d);
    decision.id = id;
    return decision;
}

static void report(pf_sandbox *s, uint64_t id, const struct cap_decision *d, const char *request,
                   size_t len) {
    if (!s->on_decision && !s->tape) return;
    pf_decision decision = machine_decision(s, id, d);
    decision.request = request;
    decision.request_len = len;
    machine_tape_decision(s, &decision);
    if (!s->on_decision) return;
    struct cpu_watch *watch = machine_step_out(s);
    s->on_decision(s->on_decision_user, &decision);
    machine_step_in(s, watch);
}

/* What the machine itself refuses, before the gate is asked. */
static void over_limit(pf_sandbox *s, uint32_t op, const char *request, size_t len, bool tell,
                       char *why) {
    assert(why && *why);
    char none[] = "";
    machine_refuse(s, op, PF_OP_LIMIT, why);
    if (!tell) return;
    report(s, 0, &(struct cap_decision){.outcome = PF_OP_LIMIT, .method = none, .name = none,
                                        .capability = -1, .message = why},
           request, len);
}

/* A run that may make no more calls is told so each time, its embedder once: else a script that
 * does not care fills the log. */
static void over_calls(pf_sandbox *s, uint32_t op, const char *request, size_t len) {
    assert(s->run.asked >= s->limits.tool_calls);
    char over[96];
    snprintf(over, sizeof over, "this run has made as many tool calls as it may (tool_calls: %llu)",
             (unsigned long long)s->limits.tool_calls);
    bool tell = !s->run.over_told;
    s->run.over_told = true;
    over_limit(s, op, request, len, tell, over);
}

static void judge(pf_sandbox *s, uint32_t op, const char *payload, size_t len) {
    struct machine_call *call = calloc(1, sizeof *call);
    if (!call) {
        machine_refuse(s, op, PF_OP_FAILED, "the host is out of memory");
        return;
    }
    call->op = op;
    if (s->run.asked >= s->limits.tool_calls) {
        over_calls(s, op, payload, len);
    } else if (s->run.asked++, !machine_sound_next_call(s->next_call + 1)) {
        char over[] = "this sandbox has made as many tool calls as it has numbers for";
        over_limit(s, op, payload, len, true, over);
    } else if (!fits(s, len)) {
        char over[] = "the sandbox has no memory left for another call (memory_bytes)";
        over_limit(s, op, payload, len, true, over);
    } else if (cap_gate_check(s->gate, payload, len, &call->decision, NULL) != PF_OK) {
        machine_refuse(s, op, PF_OP_FAILED, "the host is out of memory");
    } else if (call->decision.outcome != PF_OP_OK) {
        report(s, 0, &call->decision, payload, len);
        machine_refuse(s, op, (uint32_t)call->decision.outcome,
               call->decision.message ? call->decision.message : "denied");
    } else {
        s->run.tool_calls++;
        assert(s->run.tool_calls <= s->run.asked && s->run.asked <= s->limits.tool_calls);
        charge(s, call, call->decision.params_len);
        call->id = s->next_call++;
        report(s, call->id, &call->decision, payload, len);
        call->method = call->decision.method;
        call->name = call->decision.name;
        call->params = call->decision.params;
        call->params_len = call->decision.params_len;
        call->capability = call->decision.capability;
        assert(call->capability >= 0 && call->method && call->name);
        assert(call->params && call->params[call->params_len] == '\0');
        *find(s, UINT64_MAX, 0) = call; /* at the end */
        return;
    }
    machine_free_call(s, call);
}

/* The guest gave it up. */
static void cancelled(pf_sandbox *s, uint32_t op) {
    struct machine_call **at = find(s, 0, op), *call = *at;
    if (!call) return;
    assert(call->op == op);
    *at = call->next;
    machine_tape_cancel(s, call->id);
    machine_free_call(s, call);
}

void machine_take_calls(pf_sandbox *s) {
    struct request r;
    /* An operation is taken when it starts and when it is cancelled: a kernel with more lies. */
    for (unsigned taken = 0; taken < 2 * PF_OPS_MAX; taken++) {
        bool found = take(s, &r);
        if (found && r.head.cancelled)
            cancelled(s, r.head.id);
        else if (found && r.head.kind != PF_OP_TOOL)
            machine_refuse(s, r.head.id, PF_OP_UNKNOWN, "the host does not know this operation");
        else if (found)
            judge(s, r.head.id, r.payload, r.len);
        base_buf_free(&r.whole);
        if (!found || !machine_attention_again(s, PF_ATTENTION_OP)) return;
    }
}

void machine_cancel_calls(pf_sandbox *s, const char *limit) {
    assert(!limit || *limit);
    char text[80];
    if (limit)
        snprintf(text, sizeof text, "cancelled: the run reached its limit %s", limit);
    else
        snprintf(text, sizeof text, "cancelled: the run was stopped");
    for (struct machine_call *call; (call = s->calls);) {
        s->calls = call->next;
        assert(call->id);
        machine_tape_cancel(s, call->id);
        machine_refuse(s, call->op, PF_OP_CANCELLED, text);
        machine_free_call(s, call);
    }
}

struct machine_call *machine_next_call(const pf_sandbox *s) {
    struct machine_call *call = s->calls;
    while (call && call->handed_out) call = call->next;
    assert(!call || !call->handed_out);
    return call;
}

pf_status machine_answer(pf_sandbox *s, uint64_t id, uint32_t outcome, const char *data, size_t len,
                         pf_error *error) {
    struct machine_call **at = find(s, id, 0), *call = *at;
    if (!call) {
        if (id >> 32 == s->next_call >> 32 && (uint32_t)id > 0 && id < s->next_call)
            return base_error(error, PF_STATE,
                                 "call %llu was answered already, or cancelled when its run ended "
                                 "or its program gave it up",
                                 (unsigned long long)id);
        return base_error(error, PF_NOT_FOUND, "there is no call %llu in this sandbox",
                             (unsigned long long)id);
    }
    assert(call->method && call->params);
    machine_tape_answer(s, id, outcome, data, len);
    machine_show_time(s);
    char text[160];
    if (outcome == PF_OP_OK && len > s->limits.tool_result_bytes) {
        snprintf(text, sizeof text,
                 "the result of %.60s has %zu bytes, more than tool_result_bytes (%llu)",
                 call->name, len, (unsigned long long)s->limits.tool_result_bytes);
        outcome = PF_OP_INVALID;
        data = text;
        len = strlen(text);
    }
    int64_t r = reply(s, call->op, outcome, data, len);
    if (r == -PF_ENOMEM || r == -PF_ENOSPC)
        machine_refuse(s, call->op, PF_OP_INVALID,
                       "the sandbox has no memory left for this result");
    *at = call->next;
    machine_free_call(s, call);
    return s->dead ? machine_dead(s, error) : PF_OK;
}
