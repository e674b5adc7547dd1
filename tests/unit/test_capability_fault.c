/*
 * Every allocation fails once. The engine must then say PF_NO_MEMORY, leak nothing (run it with
 * AddressSanitizer), allow nothing that it otherwise denies, and spend nothing.
 *
 * Linked with --wrap for malloc, calloc and realloc: see CMakeLists.txt.
 */
#include "check.h"
#include "host/capability/gate.h"
#include "host/capability/path.h"
#include "host/capability/pattern.h"
#include "host/capability/policy.h"

#include <stdbool.h>
#include <stdlib.h>

static long left = -1; /* allocations that still succeed; -1: all */
static bool failed;

static bool fails(void) {
    if (left < 0) return false;
    if (left > 0) {
        left--;
        return false;
    }
    failed = true;
    left = -1; /* once */
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : __real_realloc(old, size);
}

static const char policy[] =
    "{\"capabilities\":[{\"method\":\"a.b.*\",\"max_calls\":1,\"constraints\":{\"x\":\"<=5\",\"l\":"
    "[1,2],\"s\":\"matches:[a-c]+x?\"}},"
    "{\"method\":\"a/"
    "**\",\"max_calls\":1,\"constraints\":[{\"any\":[{\"param\":\"[\\\"q.r\\\"].k[*]\",\"op\":\"is_"
    "type\",\"value\":\"string\"},"
    "{\"not\":{\"param\":\"s\",\"op\":\"matches\",\"value\":\"(a|b)+\"}}]}]}]}";
static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/"
    "n\"},\"l\":{\"type\":\"integer\"},\"s\":{\"pattern\":\"^[a-z]+$\"},\"u\":{\"uniqueItems\":"
    "true}},"
    "\"patternProperties\":{\"^q\":{\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]}},"
    "\"additionalProperties\":false,\"$defs\":{\"n\":{\"minimum\":-100}}}";

/* Runs `work` with the n-th allocation failing, for every n, until it does without a failure. */
static int torture(const char *name, bool work(void)) {
    for (int n = 0;; n++) {
        failed = false;
        left = n;
        bool good = work();
        left = -1;
        if (!good) fprintf(stderr, "%s: allocation %d\n", name, n);
        CHECK(good);
        if (!failed) return n;
        if (n > 100000 || !good) return n;
    }
}

/* PF_NO_MEMORY exactly when an allocation failed. */
static bool expected(pf_status status) {
    return status == (failed ? PF_NO_MEMORY : PF_OK);
}

static bool read_policy(void) {
    pf_error error;
    struct cap_policy *p;
    pf_status status = cap_policy_read(&p, policy, sizeof policy - 1, &error);
    bool good = (status == PF_OK) == (p != NULL) && expected(status);
    cap_policy_drop(p);
    return good;
}

static bool normalize(void) {
    pf_error error;
    char *out = NULL;
    size_t len;
    pf_status status = cap_policy_normalize(policy, sizeof policy - 1, &out, &len, &error);
    bool good = expected(status) && (status == PF_OK) == (out != NULL);
    free(out);
    return good;
}

static bool subset(void) {
    pf_error error;
    bool inside = true;
    char *why = NULL;
    pf_status status = cap_policy_is_subset(policy, sizeof policy - 1,
                                            "{\"capabilities\":[{\"method\":\"a.b.c\"}]}", 37,
                                            &inside, &why, &error);
    free(why);
    return !inside && expected(status);
}

/* Without the memory to match, nothing is known of what the parent excludes. */
static bool excluded(void) {
    static const char child[] = "{\"capabilities\":[{\"method\":\"a\",\"constraints\":"
                                "{\"s\":\"matches:[a-c]+\"}}]}";
    static const char parent[] = "{\"capabilities\":[{\"method\":\"a\",\"constraints\":"
                                 "[{\"param\":\"s\",\"op\":\"!=\",\"value\":\"abc\"}]}]}";
    bool inside = true;
    char *why = NULL;
    pf_error error;
    cap_policy_is_subset(child, sizeof child - 1, parent, sizeof parent - 1, &inside, &why, &error);
    free(why);
    return !inside;
}

/* Wherever the chunk of an arena ends. */
static bool paths_and_patterns(void) {
    static const char text[] = "ab.c";
    bool good = true;
    for (size_t filler = 800; filler <= 1024; filler += 16) {
        struct base_arena arena;
        struct cap_path path;
        pf_error error;
        base_arena_init(&arena, SIZE_MAX);
        base_arena_alloc(&arena, filler);
        pf_status status = cap_path_read(&path, &arena, text, sizeof text - 1, &error);
        good = good && (status == PF_OK ? path.text && strcmp(path.text, text) == 0
                                        : status == PF_NO_MEMORY);
        base_arena_free(&arena);
        struct cap_pattern pattern;
        base_arena_init(&arena, SIZE_MAX);
        base_arena_alloc(&arena, filler);
        status = cap_pattern_read(&pattern, &arena, text, sizeof text - 1, &error);
        good = good && (status == PF_OK ? pattern.text && strcmp(pattern.text, "ab/c") == 0
                                        : status == PF_NO_MEMORY);
        base_arena_free(&arena);
    }
    return good;
}

static bool build(void) {
    pf_error error = {0};
    cap_gate *gate = NULL, *copy = NULL;
    pf_status status = cap_gate_new(&gate, &error);
    bool good = status == PF_OK || failed;
    if (status == PF_OK) {
        status = cap_gate_add_tool(gate, "a.b.c", "text", schema, sizeof schema - 1, &error);
        if (status == PF_OK) status = cap_gate_add_tool(gate, "a_b_c", "text", NULL, 0, &error);
        size_t tools = cap_gate_tool_count(gate);
        if (status == PF_OK) status = cap_gate_set_policy(gate, policy, sizeof policy - 1, &error);
        good = good && cap_gate_tool_count(gate) == tools;
        if (status == PF_OK) status = cap_gate_finish(gate, &error);
        if (status == PF_OK) {
            copy = cap_gate_clone(gate);
            good = good && (copy || failed);
        } else {
            good = good && failed;
        }
    }
    cap_gate_free(copy);
    cap_gate_free(gate);
    return good;
}

static cap_gate *gate;

/* A call that the second capability allows, and the first would if it could not read `s`. */
static const char good_call[] =
    "{\"tool\":\"a.b.c\",\"params\":{\"x\":5,\"l\":1,\"s\":\"abcx\",\"u\":[1,2,3,[4]],\"q\":null}}";
static const char bad_call[] =
    "{\"tool\":\"a.b.c\",\"params\":{\"x\":6,\"s\":\"ab\",\"q\":{},\"l\":99.99999999999999999}}";

static bool check_call(const char *payload, int wanted) {
    struct cap_decision d;
    pf_error error = {0};
    cap_gate *copy = gate; /* counters are put back by hand */
    char *before = NULL, *after = NULL;
    long mine = left;
    left = -1;
    size_t len;
    cap_gate_counters_save(copy, &before, &len);
    left = mine;
    pf_status status = cap_gate_check(copy, payload, strlen(payload), &d, &error);
    left = -1;
    cap_gate_counters_save(copy, &after, &len);
    bool spent = strcmp(before, after) != 0;
    bool good = status == PF_OK
                    ? d.outcome == wanted && spent == (wanted == PF_OP_OK)
                    : status == PF_NO_MEMORY && failed && !d.block && !d.params && !spent;
    cap_gate_counters_load(copy, before, strlen(before), NULL, NULL, &error);
    cap_decision_free(&d);
    free(before);
    free(after);
    return good;
}

static bool allowed(void) {
    return check_call(good_call, PF_OP_OK);
}
static bool denied(void) {
    return check_call(bad_call, PF_OP_DENIED);
}

/* The scratch memory that a gate keeps hides allocations: a new clone has none. */
static bool fresh(const char *payload, int wanted) {
    cap_gate *old = gate;
    long mine = left;
    left = -1;
    gate = cap_gate_clone(old);
    left = mine;
    bool good = check_call(payload, wanted);
    cap_gate_free(gate);
    gate = old;
    return good;
}
static bool fresh_allowed(void) {
    return fresh(good_call, PF_OP_OK);
}
static bool fresh_denied(void) {
    return fresh(bad_call, PF_OP_DENIED);
}

/* So much to write that what was read leaves no room for it. */
static bool fresh_large(int wanted) {
    static char large[20000];
    int len =
        snprintf(large, sizeof large, "{\"tool\":\"a.b.c\",\"params\":{\"x\":%d,\"l\":1,\"s\":\"",
                 wanted == PF_OP_OK ? 5 : 6);
    memset(large + len, wanted == PF_OP_OK ? 'c' : 'a', 15000);
    strcpy(large + len + 15000, "\"}}");
    return fresh(large, wanted);
}
static bool large_allowed(void) {
    return fresh_large(PF_OP_OK);
}
static bool large_denied(void) {
    return fresh_large(PF_OP_DENIED);
}

/* A regular expression that never matched anything gets its memory when it does. */
static bool first_match(void) {
    static const char matching[] = "{\"capabilities\":[{\"method\":\"a.b.c\",\"constraints\":"
                                   "{\"s\":\"matches:[a-c]+x?\"}}]}";
    cap_gate *old = gate;
    pf_error error;
    long mine = left;
    left = -1;
    bool made = cap_gate_new(&gate, &error) == PF_OK &&
                cap_gate_add_tool(gate, "a.b.c", "", NULL, 0, &error) == PF_OK &&
                cap_gate_set_policy(gate, matching, sizeof matching - 1, &error) == PF_OK;
    left = mine;
    bool good = made && check_call(good_call, PF_OP_OK);
    cap_gate_free(gate);
    gate = old;
    return good;
}

static bool again(void) {
    struct cap_decision d = {0};
    pf_error error;
    const char params[] = "{\"x\":6,\"s\":\"ab\"}";
    pf_status status =
        cap_gate_check_again(gate, "a/b/c", "a.b.c", params, sizeof params - 1, &d, &error);
    bool good = expected(status) && (failed || d.outcome == PF_OP_DENIED);
    cap_decision_free(&d);
    return good;
}

/* No answer is a no, without a reason. */
static bool can_call(void) {
    char *why = NULL;
    bool yes = cap_gate_can_call(gate, "a/b/c", "{\"x\":5,\"l\":1,\"s\":\"abcx\"}", 24, &why);
    bool good = yes != failed && !why, before = failed;
    yes = cap_gate_can_call(gate, "a/b/c", "{\"x\":6,\"s\":\"ab\"}", 16, &why);
    good = good && (failed == before) == (why != NULL);
    free(why);
    return good && !yes;
}

/* Addresses of the web are written anew before anything is compared: without the memory for that
 * nothing is decided, as nothing is of what a regular expression has no memory for. */
static char page[9000];

static const char *page_in(const char *before, const char *behind) {
    static char text[10000];
    if (!*page) {
        memset(page, 'p', 8000);
        memcpy(page, "HTTP://A.b/", 11);
    }
    snprintf(text, sizeof text, "%s%s%s", before, page, behind);
    return text;
}

static cap_gate *gate_of_pages(void) {
    static const char shape[] =
        "{\"properties\":{\"u\":{\"type\":\"string\",\"format\":\"http-url\"}}}";
    static const char granted[] =
        "{\"capabilities\":[{\"method\":\"get\",\"constraints\":"
        "[{\"param\":\"u.host\",\"op\":\"matches\",\"value\":\"[a-c.]+\"}]}]}";
    cap_gate *made = NULL;
    pf_error error;
    CHECK(cap_gate_new(&made, &error) == PF_OK &&
          cap_gate_add_tool(made, "get", "", shape, sizeof shape - 1, &error) == PF_OK &&
          cap_gate_set_policy(made, granted, sizeof granted - 1, &error) == PF_OK);
    return made;
}

static bool written_address(void) {
    struct cap_decision d = {0};
    pf_error error = {0};
    long mine = left;
    left = -1;
    cap_gate *made = gate_of_pages();
    const char *payload = page_in("{\"tool\":\"get\",\"params\":{\"u\":\"", "\"}}");
    left = mine;
    pf_status status = cap_gate_check(made, payload, strlen(payload), &d, &error);
    left = -1;
    bool good =
        expected(status) &&
        (failed || (d.outcome == PF_OP_OK && strncmp(d.params, "{\"u\":\"http://a.b/p", 18) == 0));
    cap_decision_free(&d);
    cap_gate_free(made);
    return good;
}

static bool can_call_address(void) {
    long mine = left;
    left = -1;
    cap_gate *made = gate_of_pages();
    const char *params = page_in("{\"u\":\"", "\"}");
    char *why = NULL;
    left = mine;
    bool yes = cap_gate_can_call(made, "get", params, strlen(params), &why);
    left = -1;
    bool good = yes != failed && !why;
    free(why);
    cap_gate_free(made);
    return good;
}

static bool counters(void) {
    char *json = NULL;
    size_t len;
    pf_error error;
    pf_status status = cap_gate_counters_save(gate, &json, &len);
    if (status == PF_OK) status = cap_gate_counters_load(gate, json, len, NULL, NULL, &error);
    free(json);
    return expected(status);
}

/* So many that each list of theirs is an allocation. */
static bool many_counters(void) {
    static cap_gate *many;
    if (!many) {
        static char text[60000] = "{\"capabilities\":[{\"method\":\"a\"}";
        char *at = text + strlen(text);
        for (int i = 0; i < 2000; i++) at += sprintf(at, ",{\"method\":\"m%d\"}", i);
        strcpy(at, "]}");
        long mine = left;
        left = -1;
        pf_error error;
        bool made = cap_gate_new(&many, &error) == PF_OK &&
                    cap_gate_set_policy(many, text, strlen(text), &error) == PF_OK;
        left = mine;
        if (!made) return false;
    }
    cap_gate *old = gate;
    gate = many;
    bool good = counters();
    gate = old;
    if (failed) return good;
    cap_gate_free(many);
    many = NULL;
    return good;
}

int main(void) {
    CHECK(torture("read", read_policy) > 10);
    CHECK(torture("normalize", normalize) > 10);
    CHECK(torture("subset", subset) > 10);
    CHECK(torture("excluded", excluded) > 10);
    CHECK(torture("paths", paths_and_patterns) > 40);
    CHECK(torture("build", build) > 20);
    pf_error error;
    CHECK_EQ(cap_gate_new(&gate, &error), PF_OK);
    CHECK_EQ(cap_gate_add_tool(gate, "a.b.c", "", schema, sizeof schema - 1, &error), PF_OK);
    CHECK_EQ(cap_gate_set_policy(gate, policy, sizeof policy - 1, &error), PF_OK);
    CHECK(torture("fresh allowed", fresh_allowed) > 2);
    CHECK(torture("fresh denied", fresh_denied) > 1);
    torture("allowed", allowed);
    torture("denied", denied);
    CHECK(torture("large allowed", large_allowed) > 2);
    CHECK(torture("large denied", large_denied) > 2);
    CHECK(torture("again", again) > 1);
    CHECK(torture("first match", first_match) > 3);
    CHECK(torture("can call", can_call) > 1);
    CHECK(torture("written address", written_address) > 3);
    CHECK(torture("can call address", can_call_address) > 3);
    CHECK(torture("counters", counters) > 1);
    CHECK(torture("many counters", many_counters) > 5);
    cap_gate_free(gate);
    return check_report();
}
