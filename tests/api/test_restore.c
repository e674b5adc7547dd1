/*
 * test_restore.c: what somebody wrote into a snapshot who can make its checksum, or has its key: calls
 * that were never made or allowed, counters, limits, an older number. The tests of whole stories are in
 * python/tests/test_restored_calls.py.
 */
#include "harness.h"
#include "host/machine/machine.h"
#include "tests/fuzz/forge.h"

#include <stddef.h>

static pf_options *options_with(const char *policy) {
    pf_options *options = pf_options_new();
    const char *schema = "{\"properties\":{\"amount\":{\"type\":\"integer\"}}}";
    MUST(pf_options_tool(options, "pay", "", schema, strlen(schema), &test_error));
    MUST(pf_options_tool(options, "get.one", "", NULL, 0, &test_error));
    MUST(pf_options_policy(options, policy, strlen(policy), &test_error));
    return options;
}

#define ALL     "{\"capabilities\":[{\"method\":\"**\"}]}"
#define SMALL   "{\"capabilities\":[{\"method\":\"pay\",\"constraints\":{\"amount\":\"<=100\"}}]}"
#define PAY_ONE "{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":1}]}"

/* A script that waits for its calls, taken apart. */
static struct forge forged(const char *code) {
    struct forge forge;
    pf_options *options = options_with(ALL);
    pf_sandbox *sandbox = NULL;
    char *data;
    size_t len;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    start(sandbox, "shell", code);
    MUST(pf_sandbox_snapshot(sandbox, &data, &len, &test_error));
    pf_sandbox_free(sandbox);
    forge_open(&forge, data, len);
    pf_free(data);
    forge.counters = forge_of("{\"version\":1,\"counters\":[]}"); /* nothing was spent, it says */
    return forge;
}

struct story {
    char outcome[16][16];
    uint64_t id[16];
    char message[16][300], method[16][100], params[16][100];
    int count;
};

static void note(void *user, const pf_decision *decision) {
    struct story *story = user;
    if (story->count == 16) return;
    snprintf(story->outcome[story->count], 16, "%s", decision->outcome);
    snprintf(story->message[story->count], 300, "%s", decision->message ? decision->message : "");
    snprintf(story->method[story->count], 100, "%s", decision->method);
    snprintf(story->params[story->count], 100, "%s", decision->params ? decision->params : "");
    story->id[story->count++] = decision->id;
}

static pf_status try(const struct forge *forge, const char *policy, pf_sandbox **out) {
    char *data;
    size_t len;
    pf_options *options = options_with(policy);
    forge_close(forge, NULL, 0, &data, &len);
    *out = NULL;
    pf_status status = pf_sandbox_restore(options, data, len, out, &test_error);
    free(data);
    pf_options_free(options);
    return status;
}

/* Restored with that policy, one call at most waits, with these parameters (NULL: none), and the
 * decisions were these. */
static void expect(const struct forge *forge, const char *policy, const char *params,
                   const char *outcome, const char *why) {
    pf_sandbox *sandbox;
    struct story story = {.count = 0};
    pf_call call;
    CHECK(try(forge, policy, &sandbox) == PF_OK);
    if (!sandbox) {
        printf("  %s\n", test_error.message);
        return;
    }
    pf_sandbox_on_decision(sandbox, note, &story);
    size_t count = pf_sandbox_pending(sandbox, &call, 1);
    CHECK(count == (params ? 1 : 0));
    if (count && params) CHECK_TEXT(call.params, params);
    CHECK(story.count == 1);
    CHECK_TEXT(story.outcome[0], outcome);
    CHECK(story.id[0] == forge->calls[0].id);
    if (!strstr(story.message[0], why)) CHECK_TEXT(story.message[0], why);
    /* Told once; and a refusal lets the guest go on. */
    pf_sandbox_on_decision(sandbox, note, &story);
    CHECK(story.count == 1);
    if (!params) {
        CHECK(pf_sandbox_running(sandbox) && pf_sandbox_wait_ns(sandbox) == 0);
        MUST(pf_sandbox_advance(sandbox, &test_error));
        const pf_result *result = pf_sandbox_result(sandbox);
        CHECK(result && strcmp(result->stdout_data, "126\n") == 0);
    }
    pf_sandbox_free(sandbox);
}

static void test_calls_that_nobody_made(void) {
    static const struct {
        const char *method, *params, *policy, *kept, *outcome, *why;
    } cases[] = {
        {"pay", "{\"amount\":900}", SMALL, NULL, "denied", "amount must be <= 100"},
        {"pay", "{\"amount\":90}", SMALL, "{\"amount\":90}", "allowed", ""},
        {"pay", " { \"amount\" : 9e1 }", SMALL, "{\"amount\":9e1}", "allowed", ""},
        {"pay", "{\"amount\":90,\"amount\":900}", SMALL, NULL, "denied", "twice"},
        {"pay", "{\"amount\":90},\"tool\":\"get.one\"", ALL, NULL, "denied", "cannot be read"},
        {"pay", "{\"amount\":90},\"x\":1", ALL, NULL, "denied", "malformed"},
        {"pay", "{\"amount\":90}}", ALL, NULL, "denied", "cannot be read"},
        {"pay", "[900]", ALL, NULL, "denied", "one object argument"},
        {"pay", "", ALL, NULL, "denied", "cannot be read"},
        {"pay", "{\"amount\":\"90\"}", ALL, NULL, "denied", "amount"},
        {"get/one", "{}", SMALL, NULL, "denied", "no capability grants it"},
        {"gone", "{}", ALL, NULL, "denied", "there is no tool"},
        {"p\xc3", "{}", ALL, NULL, "denied", "there is no tool"},
        {"", "{}", ALL, NULL, "denied", "there is no tool"},
        {"**", "{}", ALL, NULL, "denied", "there is no tool"},
        {"mcp:pay", "{\"amount\":900}", SMALL, NULL, "denied", "amount must be <= 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forge forge = forged("pay --amount 1; echo $?");
        forge.calls[0].method = forge_of(cases[i].method);
        forge.calls[0].params = forge_of(cases[i].params);
        expect(&forge, cases[i].policy, cases[i].kept, cases[i].outcome, cases[i].why);
        forge_free(&forge);
    }
    struct forge forge = forged("pay --amount 1; echo $?");
    char deep[1000];
    memset(deep, '[', sizeof deep);
    forge.calls[0].params = (struct forge_text){deep, sizeof deep};
    expect(&forge, ALL, NULL, "denied", "cannot be read");
    forge_free(&forge);
}

/* Restored with a limit: what is told of its calls. */
static void tell(const struct forge *forge, const char *limit, int64_t value, struct story *story) {
    char *data;
    size_t len;
    pf_sandbox *sandbox = NULL;
    pf_options *options = options_with(ALL);
    MUST(pf_options_limit(options, limit, value, &test_error));
    forge_close(forge, NULL, 0, &data, &len);
    MUST(pf_sandbox_restore(options, data, len, &sandbox, &test_error));
    free(data);
    pf_options_free(options);
    *story = (struct story){.count = 0};
    pf_sandbox_on_decision(sandbox, NULL, NULL); /* nobody yet */
    pf_sandbox_on_decision(sandbox, note, story);
    pf_sandbox_free(sandbox);
}

/* The limits of who restores hold for each call that waits, to the byte and to the call; whoever
 * keeps an audit learns what was refused. */
static void test_limits_of_calls(void) {
    struct forge forge = forged("pay --amount 1 & pay --amount 2 & wait");
    struct story story;
    tell(&forge, "tool_calls", 2, &story);
    CHECK(story.count == 2);
    CHECK_TEXT(story.outcome[1], "allowed");
    tell(&forge, "tool_calls", 1, &story);
    CHECK(story.count == 2);
    CHECK_TEXT(story.outcome[0], "allowed");
    CHECK_TEXT(story.outcome[1], "limit");
    CHECK(strstr(story.message[1], "as many tool calls as it may"));
    forge.asked = 0; /* it says */
    tell(&forge, "tool_calls", 2, &story);
    CHECK_TEXT(story.outcome[0], "allowed");
    CHECK_TEXT(story.outcome[1], "allowed");
    tell(&forge, "tool_calls", 1, &story);
    CHECK_TEXT(story.outcome[0], "allowed");
    CHECK_TEXT(story.outcome[1], "limit");
    forge_free(&forge);
    /* In the order in which they were made, whatever became of them. */
    forge = forged("pay --amount 1 & pay --amount 2 & pay --amount 3 & pay --amount 4 & wait");
    forge.calls[0].method = forge.calls[2].method = forge_of("gone");
    tell(&forge, "tool_calls", 9, &story);
    CHECK(story.count == 4);
    for (int i = 0; i < 4; i++) {
        CHECK(story.id[i] == forge.calls[i].id);
        CHECK_TEXT(story.outcome[i], i % 2 ? "allowed" : "denied");
    }
    forge_free(&forge);
    forge = forged("pay --amount 1");
    tell(&forge, "tool_argument_bytes", 12, &story); /* {"amount":1} */
    CHECK_TEXT(story.outcome[0], "allowed");
    tell(&forge, "tool_argument_bytes", 11, &story);
    CHECK_TEXT(story.outcome[0], "denied");
    CHECK_TEXT(story.message[0], "pay is denied: it waited in a snapshot; now: the arguments have "
                                 "12 bytes, the limit is 11");
    forge.calls[0].method = forge_of("p\xc3");
    tell(&forge, "tool_argument_bytes", 11, &story);
    CHECK_TEXT(story.method[0], "");
    CHECK_TEXT(story.message[0], "the call is denied: it waited in a snapshot; now: the arguments "
                                 "have 12 bytes, the limit is 11");
    forge.calls[0].method = forge_of("gone");
    tell(&forge, "tool_argument_bytes", 1000, &story);
    CHECK_TEXT(story.method[0], "gone");
    CHECK_TEXT(story.params[0], "{\"amount\":1}");
    CHECK_TEXT(story.outcome[0], "denied");
    forge_free(&forge);
}

static pf_status with_memory(const struct forge *forge, int64_t bytes) {
    char *data;
    size_t len;
    pf_sandbox *sandbox = NULL;
    pf_options *options = options_with(ALL);
    MUST(pf_options_limit(options, "memory_bytes", bytes, &test_error));
    forge_close(forge, NULL, 0, &data, &len);
    pf_status status = pf_sandbox_restore(options, data, len, &sandbox, &test_error);
    free(data);
    pf_options_free(options);
    pf_sandbox_free(sandbox);
    return status;
}

/* What waits is paid for by who restores it. */
static void test_memory_of_calls(void) {
    static char params[200000] = "{\"amount\":1,\"x\":\"";
    struct forge forge = forged("pay --amount 1");
    int64_t low = 1 << 20, high = 256 << 20;
    while (high - low > 1024) {
        int64_t middle = low + (high - low) / 2;
        *(with_memory(&forge, middle) == PF_OK ? &high : &low) = middle;
    }
    CHECK(with_memory(&forge, high) == PF_OK);
    memset(params + strlen(params), 'x', 100000);
    strcpy(params + strlen(params), "\"}");
    forge.calls[0].params = forge_of(params);
    CHECK(with_memory(&forge, high + 400000) == PF_OK);
    CHECK(with_memory(&forge, high) != PF_OK);
    forge_free(&forge);
}

/* As written is only what still means the method. */
static void test_names(void) {
    static const char *const names[][2] = {{"pay", "pay"},         {"mcp:pay", "mcp:pay"},
                                           {"get.one", "pay"},     {"p\xc3", "pay"},
                                           {"transfer all", "pay"}, {"", "pay"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct forge forge = forged("pay --amount 1; echo $?");
        pf_sandbox *sandbox;
        pf_call call;
        forge.calls[0].name = forge_of(names[i][0]);
        CHECK(try(&forge, ALL, &sandbox) == PF_OK);
        CHECK(sandbox && pf_sandbox_pending(sandbox, &call, 1) == 1);
        CHECK_TEXT(call.name, names[i][1]);
        CHECK_TEXT(call.method, "pay");
        pf_sandbox_free(sandbox);
        forge_free(&forge);
    }
}

/* One charge in the counters is for one call. */
static void test_charges(void) {
    static const struct {
        const char *counters;
        size_t waiting;
    } cases[] = {
        {"{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":1}]}", 1},
        {"{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":0}]}", 1},
        {"{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":3}]}", 1},
        {"{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":4}]}", 0},
        {"{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":9223372036854775807}]}", 0},
        {"{\"version\":1,\"counters\":[]}", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forge forge = forged("pay --amount 1 & pay --amount 2 & pay --amount 3 & wait");
        pf_sandbox *sandbox;
        CHECK(forge.count == 3);
        for (int k = 0; k < 3; k++) forge.calls[k].capability = 0;
        forge.counters = forge_of(cases[i].counters);
        CHECK(try(&forge, PAY_ONE, &sandbox) == PF_OK);
        CHECK(sandbox && pf_sandbox_pending(sandbox, NULL, 0) == cases[i].waiting);
        CHECK(sandbox && pf_sandbox_calls_left(sandbox, 0) == 0);
        pf_sandbox_free(sandbox);
        forge_free(&forge);
    }
}

/* What a call that is refused now had spent stays spent: it may have been made. */
static void test_refused_stays_spent(void) {
    struct forge forge = forged("pay --amount 900; echo $?");
    pf_sandbox *sandbox;
    forge.calls[0].capability = 0;
    forge.counters = forge_of("{\"version\":1,\"counters\":[{\"method\":\"pay\",\"used\":1}]}");
    CHECK(try(&forge,
              "{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":3,"
              "\"constraints\":{\"amount\":\"<=100\"}}]}",
              &sandbox) == PF_OK);
    CHECK(sandbox && pf_sandbox_pending(sandbox, NULL, 0) == 0);
    CHECK(sandbox && pf_sandbox_calls_left(sandbox, 0) == 2);
    pf_sandbox_free(sandbox);
    forge_free(&forge);
}

static void refused(struct forge *forge, const char *why) {
    pf_sandbox *sandbox;
    CHECK(try(forge, ALL, &sandbox) == PF_FORMAT);
    CHECK(strstr(test_error.message, why) != NULL);
    pf_sandbox_free(sandbox);
    forge_free(forge);
}

static void test_tables_that_cannot_be(void) {
    struct forge forge = forged("pay --amount 1 & pay --amount 2 & wait");
    forge.calls[1].id = forge.calls[0].id;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1 & pay --amount 2 & wait");
    forge.calls[1].op = forge.calls[0].op;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.calls[0].id = forge.next_call;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.calls[0].id |= 1ull << 32; /* another branch's */
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.calls[0].capability = 0xffffffff;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.count = 5000;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.stage = 2;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.monotonic_ns = INT64_MAX;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.deadline_ns = -1;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.calls[0].op = 0;
    refused(&forge, "malformed");
    forge = forged("pay --amount 1");
    forge.input = forge_of("for a stdin that is closed");
    refused(&forge, "malformed");
}

/* Numbers that the machine goes on from, and relies on when the next call is made. */
static void test_numbers_to_go_on_from(void) {
    static const uint64_t ids[] = {UINT64_MAX, 0xffffffffull, 1ull << 63 | 2, 0x80000001};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct forge forge = forged("pay --amount 1; pay --amount 2; pay --amount 3");
        forge.next_call = ids[i];
        forge.calls[0].id = ids[i] >> 32 << 32 | 1;
        refused(&forge, "malformed");
    }
    /* More were allowed than were asked for. */
    struct forge forge = forged("pay --amount 1; pay --amount 2");
    pf_sandbox *sandbox;
    pf_call call;
    forge.tool_calls = 5;
    CHECK(try(&forge, ALL, &sandbox) == PF_OK);
    for (int i = 0; sandbox && i < 2; i++) {
        CHECK(pf_sandbox_pending(sandbox, &call, 1) == 1);
        MUST(pf_sandbox_resume(sandbox, call.id, "1", 1, &test_error));
    }
    CHECK(sandbox && pf_sandbox_result(sandbox)->tool_calls == 2);
    pf_sandbox_free(sandbox);
    forge_free(&forge);
}

/* The last numbers of a branch: it makes no more calls, and its own branches do. */
static void test_last_numbers(void) {
    struct forge forge = forged("pay --amount 1; pay --amount 2; echo $?; pay --amount 3; echo $?");
    pf_sandbox *sandbox, *branch = NULL;
    pf_call call;
    forge.next_call = INT32_MAX - 1;
    CHECK(try(&forge, ALL, &sandbox) == PF_OK);
    for (int i = 0; sandbox && i < 2; i++) {
        CHECK(pf_sandbox_pending(sandbox, &call, 1) == 1);
        MUST(pf_sandbox_resume(sandbox, call.id, "1", 1, &test_error));
    }
    CHECK(call.id == INT32_MAX - 1);
    const pf_result *result = sandbox ? pf_sandbox_result(sandbox) : NULL;
    CHECK(result && result->tool_calls == 2);
    if (result) CHECK_TEXT(result->stdout_data, "1\n1\n0\n126\n");
    MUST(pf_sandbox_fork(sandbox, &branch, &test_error));
    start(branch, "shell", "pay --amount 4");
    CHECK(pf_sandbox_pending(branch, &call, 1) == 1);
    pf_sandbox_free(branch);
    pf_sandbox_free(sandbox);
    forge_free(&forge);
}

/* A preview takes the place of a sandbox of which a call was refused, and nobody was told yet. */
static void test_refused_and_previewed(void) {
    struct forge forge = forged("pay --amount 900; echo $?");
    struct story story = {.count = 0};
    pf_sandbox *sandbox, *preview;
    CHECK(try(&forge, SMALL, &sandbox) == PF_OK);
    MUST(pf_sandbox_preview(sandbox, &preview, &test_error));
    MUST(pf_sandbox_advance(preview, &test_error));
    MUST(pf_sandbox_accept(sandbox, preview, &test_error));
    pf_sandbox_on_decision(sandbox, note, &story);
    CHECK(story.count == 1);
    CHECK_TEXT(story.outcome[0], "denied");
    CHECK_TEXT(pf_sandbox_result(sandbox)->stdout_data, "126\n");
    pf_sandbox_free(sandbox);
    forge_free(&forge);
}

/* A word of the kernel's memory, which differs from the template's by what a page says. */
static bool alter(struct forge *forge, uint32_t at, uint32_t difference) {
    size_t offsets[1000], count = forge_pages(forge, offsets, 1000);
    for (size_t i = 0; i < count; i++) {
        char *page = (char *)forge->rest.data + offsets[i]; /* within contents */
        uint32_t address, word;
        memcpy(&address, page - sizeof address, sizeof address);
        if (at < address || at - address > 4096 - sizeof word) continue;
        memcpy(&word, page + (at - address), sizeof word);
        word ^= difference;
        memcpy(page + (at - address), &word, sizeof word);
        return true;
    }
    return false;
}

/* Input is no part of a copy, so the mailbox must not lie where input goes. */
static void test_input_over_the_mailbox(void) {
    uint32_t mailbox = machine_boot(&test_error)->mailbox;
    pf_sandbox *sandbox = make_sandbox("");
    uint32_t input = machine_mailbox(sandbox)->in_area;
    pf_sandbox_free(sandbox);
    uint32_t places[] = {mailbox - 4096, mailbox + (uint32_t)sizeof(struct pf_mailbox) - 1};
    for (int i = 0; i < 2; i++) {
        struct forge forge = forged("pay --amount 1");
        uint32_t at = mailbox + (uint32_t)offsetof(struct pf_mailbox, in_area);
        CHECK(alter(&forge, at, input ^ places[i]));
        refused(&forge, "malformed");
    }
}

/* What a run has used can be a lie, its limits are those of who restores. */
static void test_limits_of_the_run(void) {
    static const struct {
        uint64_t asked, wall_ns;
        uint32_t ticks, stage;
        const char *limit;
    } cases[] = {
        {UINT64_MAX, 0, 0, 0, NULL}, /* of asked: the call is refused, see below */
        {0, UINT64_MAX, 0, 0, "wall_seconds"},
        {0, INT64_MAX, 0, 0, "wall_seconds"},
        {0, 0, UINT32_MAX, 0, "cpu_seconds"},
        {0, 0, 0, 1, "wall_seconds"}, /* it had been told to end: no limits anew */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct forge forge = forged("trap '' INT; pay --amount 1; while :; do :; done");
        pf_sandbox *sandbox;
        forge.asked = cases[i].asked;
        forge.wall_ns = cases[i].wall_ns;
        forge.ticks = cases[i].ticks;
        forge.stage = cases[i].stage;
        if (forge.stage) forge.limit = 2;
        CHECK(try(&forge, ALL, &sandbox) == PF_OK);
        pf_call call;
        size_t count = sandbox ? pf_sandbox_pending(sandbox, &call, 1) : 0;
        CHECK(count == (cases[i].asked ? 0 : 1));
        if (count) {
            pf_status status = pf_sandbox_resume(sandbox, call.id, "1", 1, &test_error);
            CHECK(status == PF_OK);
            const pf_result *result = pf_sandbox_result(sandbox);
            CHECK(result && result->limit && strcmp(result->limit, cases[i].limit) == 0);
        }
        pf_sandbox_free(sandbox);
        forge_free(&forge);
    }
}

static void test_counter(void) {
    const char *key = "a secret of the embedder";
    pf_options *options = options_with(ALL);
    pf_sandbox *sandbox = NULL, *again = NULL;
    char *data;
    size_t len;
    pf_snapshot_facts facts;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    CHECK(pf_sandbox_snapshot_counted(sandbox, 3, &data, &len, &test_error) == PF_INVALID);
    CHECK(strstr(test_error.message, "key") != NULL);
    pf_sandbox_free(sandbox);
    MUST(pf_options_key(options, key, strlen(key), &test_error));
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    MUST(pf_sandbox_snapshot_counted(sandbox, 3, &data, &len, &test_error));
    MUST(pf_snapshot_info(data, len, &facts, &test_error));
    CHECK(facts.counter == 3);
    for (uint64_t wanted = 0; wanted < 6; wanted++) {
        pf_options_min_counter(options, wanted);
        pf_status status = pf_sandbox_restore(options, data, len, &again, &test_error);
        CHECK(status == (wanted <= 3 ? PF_OK : PF_FORMAT));
        if (status != PF_OK) CHECK(strstr(test_error.message, "its counter is 3") != NULL);
        pf_sandbox_free(again);
    }
    /* The number cannot be written by others. */
    data[64] ^= 4;
    CHECK(pf_sandbox_restore(options, data, len, &again, &test_error) == PF_FORMAT);
    pf_free(data);
    /* One without a number is older than any. */
    MUST(pf_sandbox_snapshot(sandbox, &data, &len, &test_error));
    pf_options_min_counter(options, 1);
    CHECK(pf_sandbox_restore(options, data, len, &again, &test_error) == PF_FORMAT);
    pf_free(data);
    pf_sandbox_free(sandbox);
    pf_options_free(options);
    options = options_with(ALL);
    pf_options_min_counter(options, 1);
    CHECK(pf_sandbox_restore(options, "x", 1, &again, &test_error) == PF_INVALID);
    pf_options_free(options);
}

/* Branches that share a budget: what waits is spent once more, or refused. */
static void test_shared_branches(void) {
    pf_options *options =
        options_with("{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":2}]}");
    pf_sandbox *trunk = NULL, *first = NULL, *second = NULL, *copy = NULL;
    MUST(pf_sandbox_new(options, &trunk, &test_error));
    start(trunk, "shell", "pay --amount 1; echo $?");
    CHECK(pf_sandbox_calls_left(trunk, 0) == 1);
    MUST(pf_sandbox_fork_shared(trunk, &first, &test_error));
    CHECK(pf_sandbox_calls_left(trunk, 0) == 0 && pf_sandbox_pending(first, NULL, 0) == 1);
    MUST(pf_sandbox_fork_shared(first, &second, &test_error));
    CHECK(pf_sandbox_pending(second, NULL, 0) == 0 && pf_sandbox_wait_ns(second) == 0);
    MUST(pf_sandbox_advance(second, &test_error));
    CHECK_TEXT(pf_sandbox_result(second)->stdout_data, "126\n");
    /* An ordinary branch has what is left, and its own. */
    MUST(pf_sandbox_fork(trunk, &copy, &test_error));
    CHECK(pf_sandbox_pending(copy, NULL, 0) == 1 && pf_sandbox_calls_left(copy, 0) == 0);
    pf_sandbox_free(trunk);
    CHECK(pf_sandbox_calls_left(first, 0) == 0);
    pf_sandbox_free(first);
    pf_sandbox_free(second);
    pf_sandbox_free(copy);
    pf_options_free(options);
}

int main(void) {
    test_calls_that_nobody_made();
    test_limits_of_calls();
    test_memory_of_calls();
    test_names();
    test_charges();
    test_refused_stays_spent();
    test_tables_that_cannot_be();
    test_numbers_to_go_on_from();
    test_last_numbers();
    test_refused_and_previewed();
    test_input_over_the_mailbox();
    test_limits_of_the_run();
    test_counter();
    test_shared_branches();
    return finish_tests();
}
