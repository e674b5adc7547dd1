/*
 * Snapshots written by somebody who knows their structure: the table of calls, the counters, the run
 * that is on, and the words of the kernel's memory (operations, lists, processes); restored under
 * policies with budgets, constraints and approvals. The oracle: nothing is handed out that a gate of
 * the same policy would not allow as a new call; no more than a capability or the run may make; and
 * what is to be approved says so.
 *
 * The input is a program of choices, a byte each; behind its end all choices are 0.
 */
#include "forge.h"
#include "fuzz.h"

#include <string.h>

enum { BASES = 3, POLICIES = 6, PAGES_MAX = 256, TOOL_CALLS = 5 };

static const char *const policies[POLICIES] = {
    "{\"capabilities\":[]}",
    "{\"capabilities\":[{\"method\":\"pay\",\"constraints\":{\"amount\":\"<=100\"}}]}",
    "{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":1},{\"method\":\"get/*\",\"max_calls\":1}]}",
    "{\"capabilities\":[{\"method\":\"pay\",\"constraints\":{\"amount\":\"<=100\"},\"max_calls\":1},"
    "{\"method\":\"pay\",\"ask\":true}]}",
    "{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":0},{\"method\":\"get/one\",\"ask\":true}]}",
    "{\"capabilities\":[{\"method\":\"**\",\"max_calls\":2}]}",
};
/* Of each capability of these: its max_calls (-1: none), and whether it asks. */
static const struct {
    int count;
    int max[2];
    bool ask[2];
} facts[POLICIES] = {
    {0, {0}, {false}},           {1, {-1}, {false}},           {2, {1, 1}, {false, false}},
    {2, {1, -1}, {false, true}}, {2, {0, -1}, {false, true}}, {1, {2}, {false}},
};

static const char schema[] = "{\"type\":\"object\",\"properties\":{\"amount\":{\"type\":\"integer\","
                             "\"maximum\":1000}},\"additionalProperties\":false}";
static pf_options *options[POLICIES];
static struct forge bases[BASES];

static const uint8_t *at, *end;
static uint32_t choose(uint32_t count) {
    return at < end ? *at++ % count : 0;
}

static pf_options *make_options(const char *policy) {
    pf_options *o = pf_options_new();
    MUST(o);
    MUST(pf_options_tool(o, "pay", "", schema, strlen(schema), NULL) == PF_OK);
    MUST(pf_options_tool(o, "get.one", "", NULL, 0, NULL) == PF_OK);
    MUST(pf_options_policy(o, policy, strlen(policy), NULL) == PF_OK);
    MUST(pf_options_limit(o, "cpu_ms", 50, NULL) == PF_OK);
    MUST(pf_options_limit(o, "wall_ms", 100, NULL) == PF_OK);
    MUST(pf_options_limit(o, "memory_bytes", 64 << 20, NULL) == PF_OK);
    MUST(pf_options_limit(o, "tool_calls", TOOL_CALLS, NULL) == PF_OK);
    return o;
}

static void set_up(void) {
    static const char *const scripts[BASES] = {
        "pay --amount 900; echo $?; get_one",
        "(pay --amount 1; echo a) & pay --amount 900 & get_one & (get_one; get_one) & wait",
        "(pay --amount 5 > f) & :",
    };
    for (int i = 0; i < POLICIES; i++) options[i] = make_options(policies[i]);
    pf_options *all = make_options("{\"capabilities\":[{\"method\":\"pay\"},{\"method\":\"**\"}]}");
    for (int i = 0; i < BASES; i++) {
        pf_sandbox *sandbox = NULL;
        char *data;
        size_t len;
        MUST(pf_sandbox_new(all, &sandbox, NULL) == PF_OK);
        pf_run run = {.size = sizeof run, .language = "shell", .code = scripts[i], .code_len = strlen(scripts[i])};
        MUST(pf_sandbox_start(sandbox, &run, NULL) == PF_OK);
        MUST(pf_sandbox_snapshot(sandbox, &data, &len, NULL) == PF_OK);
        forge_open(&bases[i], data, len);
        MUST(bases[i].count > 0);
        pf_free(data);
        pf_sandbox_free(sandbox);
    }
    pf_options_free(all);
}

/* ---- what is written */

static struct forge_text any_text(uint32_t kind) {
    static const char *const methods[] = {"pay", "get/one", "get/two", "PAY", "mcp:pay", "p\xc3", "",
                                          "pay/", "**", "pay\",\"tool\":\"x"};
    static const char *const params[] = {
        "{\"amount\":900}", "{\"amount\":50}", "{}", "{\"amount\":50,\"amount\":900}", "[]", "1", "",
        "{\"amount\":50},\"tool\":\"get.one\"", "{\"amount\":50}}", "{\"amount\":5e1}",
        "{\"amount\":\"50\"}", "{\"am\\u006funt\":900}", "{\"amount\":NaN}", "{\"to\":1}",
        "{\"amount\":50.0}", "{\"amount\":1e400}", " {\"amount\" : 7} ", "{\"amount\":\xff}"};
    static char deep[1000];
    if (!deep[0]) memset(deep, '[', sizeof deep);
    const uint32_t count = kind ? sizeof params / sizeof *params : sizeof methods / sizeof *methods;
    uint32_t n = choose(count + 1);
    if (n == count) return (struct forge_text){deep, sizeof deep};
    return forge_of(kind ? params[n] : methods[n]);
}

static void change_call(struct forge *f, struct forge_call *c) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 7, 0x7fffffff, 0xffffffff, 4096};
    const uint32_t count = sizeof numbers / sizeof *numbers;
    switch (choose(8)) {
    case 0: c->method = any_text(0); break;
    case 1: c->name = any_text(0); break;
    case 2: c->params = any_text(1); break;
    case 3: c->capability = numbers[choose(count)]; break;
    case 4: c->id = numbers[choose(count)]; break;
    case 5: c->op = numbers[choose(count)]; break;
    case 6: c->handed_out = choose(2); break;
    default: f->next_call = numbers[choose(count)] + 1;
    }
}

static void more_calls(struct forge *f) {
    if (f->written == 0 || f->written == FORGE_CALLS) return;
    struct forge_call *c = &f->calls[f->written];
    *c = f->calls[choose(f->written)];
    c->id = f->next_call++;
    c->op += choose(8);
    f->written++;
    f->count++;
}

static void change_counters(struct forge *f) {
    static const char *const texts[] = {
        "{\"version\":1,\"counters\":[]}",
        "{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":0}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":1}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":9223372036854775807}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":1},{\"method\":\"pay\",\"used\":2}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"**\",\"used\":1}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"get/*\",\"used\":1},{\"method\":\"pay\",\"used\":1}]}",
        "{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":-1}]}",
        "[]",
    };
    f->counters = forge_of(texts[choose(sizeof texts / sizeof *texts)]);
}

static void change_run(struct forge *f) {
    static const uint64_t numbers[] = {0, 1, 2, 6, 1000, 1ull << 32, 1ull << 62, UINT64_MAX};
    uint64_t n = numbers[choose(8)];
    switch (choose(9)) {
    case 0: f->asked = n; break;
    case 1: f->tool_calls = n; break;
    case 2: f->run_flags ^= 1u << choose(8); break;
    case 3: f->stage = choose(4); break;
    case 4: f->ticks = (uint32_t)n; break;
    case 5: f->wall_ns = n; break;
    case 6: f->monotonic_ns = (int64_t)n; break;
    case 7: f->deadline_ns = (int64_t)n; break;
    default: f->limit = choose(4);
    }
}

/* A word of the kernel's memory becomes another one of the same page (a link that leads elsewhere), a
 * small number, or something far away. `rest` is the caller's own by now. */
static void change_kernel(struct forge *f, char *rest) {
    static size_t offsets[PAGES_MAX];
    size_t count = forge_pages(f, offsets, PAGES_MAX);
    if (count == 0) return;
    char *page = rest + offsets[(choose(256) * 7 + choose(256)) % count];
    uint32_t word, where = (choose(256) << 2 | choose(4) << 10) % 4096;
    uint32_t from = (choose(256) << 2 | choose(4) << 10) % 4096;
    switch (choose(4)) {
    case 0: memcpy(&word, page + from, 4); break;
    case 1: word = choose(256); break;
    case 2: memcpy(&word, page + where, 4), word ^= 1u << choose(32); break;
    default: word = UINT32_MAX - choose(8);
    }
    memcpy(page + where, &word, 4);
}

/* ---- what comes of it */

struct seen {
    uint64_t handed_out, by[2], ids[256];
};

static bool once(struct seen *seen, uint64_t id) {
    for (uint64_t i = 0; i < seen->handed_out; i++)
        if (seen->ids[i] == id) return false;
    if (seen->handed_out < 256) seen->ids[seen->handed_out] = id;
    seen->handed_out++;
    return true;
}

static void check_call(const pf_call *call, int policy, struct seen *seen) {
    char request[4096];
    pf_gate *gate = NULL;
    pf_call again;
    MUST(pf_gate_new(options[policy], &gate, NULL) == PF_OK);
    int len = snprintf(request, sizeof request, "{\"tool\":\"%s\",\"params\":%s}", call->method,
                       call->params);
    MUST(len > 0 && len < (int)sizeof request);
    MUST(pf_gate_check(gate, request, (size_t)len, &again, NULL) == PF_OK);
    MUST(strcmp(again.method, call->method) == 0 && strcmp(again.params, call->params) == 0);
    pf_gate_free(gate);
    MUST(call->capability >= 0 && call->capability < facts[policy].count);
    MUST(call->ask == facts[policy].ask[call->capability]);
    if (!once(seen, call->id)) return;
    seen->by[call->capability]++;
    MUST(facts[policy].max[call->capability] < 0 ||
         seen->by[call->capability] <= (uint64_t)facts[policy].max[call->capability]);
}

static void use(pf_sandbox *sandbox, int policy) {
    struct seen seen = {0};
    pf_call calls[FORGE_CALLS], call;
    size_t count = pf_sandbox_pending(sandbox, calls, FORGE_CALLS);
    MUST(count <= FORGE_CALLS);
    MUST(count <= TOOL_CALLS);
    for (size_t i = 0; i < count; i++) check_call(&calls[i], policy, &seen);
    for (int i = 0; i < 20; i++) {
        if (pf_sandbox_step(sandbox, &call, NULL) == PF_OK) check_call(&call, policy, &seen);
        count = pf_sandbox_pending(sandbox, calls, FORGE_CALLS);
        for (size_t k = 0; k < count && k < FORGE_CALLS; k++) check_call(&calls[k], policy, &seen);
        pf_status status = count ? pf_sandbox_resume(sandbox, calls[0].id, "1", 1, NULL)
                                 : pf_sandbox_advance(sandbox, NULL);
        if (status == PF_DEAD || (count == 0 && !pf_sandbox_running(sandbox))) break;
    }
    /* What was in the background of an earlier run may make its calls in this one. */
    if (!pf_sandbox_running(sandbox)) MUST(seen.handed_out <= 2 * TOOL_CALLS);
}

static pf_sandbox *restored(const struct forge *forge, int policy) {
    char *data;
    size_t len;
    pf_sandbox *sandbox = NULL;
    pf_error error = {0};
    forge_close(forge, NULL, 0, &data, &len);
    pf_status status = pf_sandbox_restore(options[policy], data, len, &sandbox, &error);
    MUST((status == PF_OK) == (sandbox != NULL));
    MUST(status == PF_OK || error.message[0]);
    free(data);
    return sandbox;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!options[0]) set_up();
    at = data;
    end = data + size;
    int policy = (int)choose(POLICIES);
    struct forge forge = bases[choose(BASES)];
    char *rest = malloc(forge.rest.len);
    MUST(rest);
    memcpy(rest, forge.rest.data, forge.rest.len);
    forge.rest.data = rest;
    for (int changes = 0; at < end && changes < 64; changes++) switch (choose(6)) {
        case 0: more_calls(&forge); break;
        case 1: change_counters(&forge); break;
        case 2: change_run(&forge); break;
        case 3: change_kernel(&forge, rest); break;
        default: change_call(&forge, &forge.calls[choose(forge.written)]);
        }
    pf_sandbox *sandbox = restored(&forge, policy);
    free(rest);
    if (!sandbox) return 0;
    use(sandbox, policy);
    pf_sandbox_free(sandbox);
    return 0;
}
