/*
 * test_snapshot.c: snapshots: continued where they were made, refused when they are not whole,
 * foreign, or made with another key.
 */
#include "harness.h"

#include <time.h>

struct bytes {
    char *data;
    size_t len;
};

static struct bytes snapshot_of(pf_sandbox *sandbox) {
    struct bytes b = {0};
    MUST(pf_sandbox_snapshot(sandbox, &b.data, &b.len, &test_error));
    return b;
}

static pf_sandbox *restored(struct bytes b, const char *tools) {
    pf_options *options = make_options(tools);
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_restore(options, b.data, b.len, &sandbox, &test_error));
    pf_options_free(options);
    return sandbox;
}

/* Takes the sandbox, gives one that went through bytes. */
static pf_sandbox *through_bytes(pf_sandbox *sandbox, const char *tools) {
    struct bytes b = snapshot_of(sandbox);
    pf_sandbox_free(sandbox);
    sandbox = restored(b, tools);
    pf_free(b.data);
    return sandbox;
}

static void answer_oldest(pf_sandbox *sandbox, const char *json) {
    pf_call call;
    CHECK(pf_sandbox_pending(sandbox, &call, 1) >= 1);
    MUST(pf_sandbox_resume(sandbox, call.id, json, strlen(json), &test_error));
}

/* Each script makes two calls, answered 1 and 2; a snapshot is taken before each answer. */
static void test_everywhere(void) {
    static const struct {
        const char *language, *code, *want;
    } cases[] = {
        {"shell", "tool get; x=5; tool get; echo $x", "1\n2\n5\n"},
        {"shell", "tool get | (read a; echo [$a]; tool get | sed s/^/got/)", "[1]\ngot2\n"},
        {"shell", "trap 'echo bye' EXIT; (tool get; tool get) | tr 12 ab", "a\nb\nbye\n"},
        {"shell", "mkfifo /tmp/p; tool get > /tmp/p & cat /tmp/p; tool get; wait; rm /tmp/p",
         "1\n2\n"},
        {"shell", "while read -r line; do echo $line; tool get --n 1; done <<END\na\nb\nEND\n",
         "a\n1\nb\n2\n"},
        {"shell", "f() { local v=in; tool get; echo $v; tool get; }; f; echo ${v-out}",
         "1\nin\n2\nout\n"},
        {"shell",
         "seq 5 | while read -r n; do [ $n = 2 ] && tool get --n 2;"
         "[ $n = 4 ] && tool get --n 4; echo n$n; done",
         "n1\n1\nn2\nn3\n2\nn4\nn5\n"},
        {"javascript", "const r = await Promise.all([get({}), get({})]); return r", ""},
        {"javascript", "for (let i = 0; i < 2; i++) console.log(i, await get({i}))", "0 1\n1 2\n"},
        {"javascript", "const r = await $`tool get; tool get`; console.log(r.stdout)", "1\n2\n\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_sandbox *sandbox = make_sandbox("get");
        start(sandbox, cases[i].language, cases[i].code);
        for (int n = 1; n <= 2; n++) {
            sandbox = through_bytes(sandbox, "get");
            answer_oldest(sandbox, n == 1 ? "1" : "2");
        }
        const pf_result *result = pf_sandbox_result(sandbox);
        CHECK(result != NULL);
        if (result && *cases[i].want)
            CHECK_TEXT(result->stdout_data, cases[i].want);
        else if (result)
            CHECK_TEXT(result->value, "[1,2]");
        pf_sandbox_free(sandbox);
    }
}

static void test_session_goes_on(void) {
    pf_sandbox *sandbox = make_sandbox("");
    run(sandbox, "shell", "x=1; a=(p q); cd /tmp; f() { echo f$x; }; set -o noglob; sleep 1000 &");
    sandbox = through_bytes(sandbox, "");
    CHECK_RUN(sandbox, "shell", "pwd; f; echo ${a[1]} *; jobs > j; wc -l < j", "/tmp\nf1\nq *\n1\n",
              0);
    pf_sandbox_free(sandbox);
}

static void test_parked(void) {
    pf_sandbox *sandbox = make_sandbox("get");
    start(sandbox, "javascript", "require('child_process').execSync('tool get')");
    char *data;
    size_t len;
    CHECK(pf_sandbox_snapshot(sandbox, &data, &len, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "(js) is parked") != NULL);
    pf_sandbox_free(sandbox);
}

static pf_status try(const char *data, size_t len, const char *key) {
    pf_options *options = make_options("");
    pf_sandbox *sandbox = NULL;
    if (key) MUST(pf_options_key(options, key, strlen(key), &test_error));
    pf_status status = pf_sandbox_restore(options, data, len, &sandbox, &test_error);
    pf_options_free(options);
    pf_sandbox_free(sandbox);
    return status;
}

static void test_damage(void) {
    pf_sandbox *sandbox = make_sandbox("");
    struct bytes b = snapshot_of(sandbox);
    pf_sandbox_free(sandbox);
    for (size_t len = 0; len < b.len; len += len < 200 ? 1 : 997)
        CHECK(try(b.data, len, NULL) == PF_FORMAT);
    for (size_t at = 0; at < b.len; at += at < 100 ? 1 : 499) {
        b.data[at] ^= 0x10;
        CHECK(try(b.data, b.len, NULL) == PF_FORMAT);
        b.data[at] ^= 0x10;
    }
    CHECK(try(b.data, b.len, NULL) == PF_OK);
    CHECK(try("PINFOLD", 8, NULL) == PF_FORMAT && try("", 0, NULL) == PF_FORMAT);
    pf_free(b.data);
}

static void test_key(void) {
    const char *key = "a secret of the embedder", *other = "another secret of it";
    pf_options *options = make_options("");
    CHECK(pf_options_key(options, "short", 5, &test_error) == PF_INVALID);
    MUST(pf_options_key(options, key, strlen(key), &test_error));
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    struct bytes b = snapshot_of(sandbox);
    pf_snapshot_facts facts;
    MUST(pf_snapshot_info(b.data, b.len, &facts, &test_error));
    CHECK(facts.authenticated && facts.this_build && facts.readable);
    CHECK(try(b.data, b.len, key) == PF_OK);
    CHECK(try(b.data, b.len, other) == PF_FORMAT);
    CHECK(try(b.data, b.len, NULL) == PF_FORMAT);
    CHECK(strstr(test_error.message, "give the key") != NULL);
    /* What goes on from a snapshot with a key makes snapshots with that key. */
    pf_sandbox *again = NULL, *branch = NULL;
    MUST(pf_sandbox_restore(options, b.data, b.len, &again, &test_error));
    MUST(pf_sandbox_fork(again, &branch, &test_error));
    pf_free(b.data);
    b = snapshot_of(branch);
    CHECK(try(b.data, b.len, key) == PF_OK && try(b.data, b.len, NULL) == PF_FORMAT);
    /* Another one, a bad one, and none, for the next snapshot. */
    MUST(pf_sandbox_key(branch, other, strlen(other), &test_error));
    CHECK(pf_sandbox_key(branch, "short", 5, &test_error) == PF_INVALID);
    pf_free(b.data);
    b = snapshot_of(branch);
    CHECK(try(b.data, b.len, other) == PF_OK && try(b.data, b.len, key) == PF_FORMAT);
    MUST(pf_sandbox_key(branch, NULL, 0, &test_error));
    pf_free(b.data);
    b = snapshot_of(branch);
    CHECK(try(b.data, b.len, NULL) == PF_OK && try(b.data, b.len, other) == PF_FORMAT);
    pf_sandbox_free(branch);
    pf_sandbox_free(again);
    pf_sandbox_free(sandbox);
    pf_options_free(options);
    pf_free(b.data);
    /* One without a key is not believed by whoever has one. */
    sandbox = make_sandbox("");
    b = snapshot_of(sandbox);
    CHECK(try(b.data, b.len, key) == PF_FORMAT && try(b.data, b.len, NULL) == PF_OK);
    pf_sandbox_free(sandbox);
    pf_free(b.data);
}

static void test_look(void) {
    pf_sandbox *sandbox = make_sandbox("get"), *look = NULL;
    run(sandbox, "shell", "echo text > note");
    start(sandbox, "shell", "tool get --n 1");
    struct bytes b = snapshot_of(sandbox);
    pf_sandbox_free(sandbox);
    MUST(pf_snapshot_look(b.data, b.len, NULL, 0, &look, &test_error));
    pf_free(b.data);
    pf_call call;
    CHECK(pf_sandbox_pending(look, &call, 1) == 1);
    CHECK_TEXT(call.params, "{\"n\":1}");
    char *data;
    size_t len;
    MUST(pf_file_take(look, "/workspace/note", &data, &len, &test_error));
    CHECK_TEXT(data, "text\n");
    pf_free(data);
    pf_process processes[8];
    CHECK(pf_sandbox_processes(look, processes, 8) >= 1);
    CHECK_TEXT(processes[0].name, "bash");
    CHECK(pf_sandbox_resume(look, call.id, "1", 1, &test_error) == PF_STATE);
    CHECK(pf_file_write(look, "/workspace/note", "", 0, &test_error) == PF_STATE);
    CHECK(pf_sandbox_step(look, &call, &test_error) == PF_STATE);
    pf_sandbox_free(look);
}

/* The same inputs give the same bytes, whether or not the sandbox went through bytes meanwhile. */
static void test_equal_bytes(void) {
    static const char *const scripts[] = {
        "x=$RANDOM; date +%s%N > when; seq 3000 | sort -R > order; cat order | md5sum",
        "for i in 1 2 3; do (echo $i; sleep 0.1) & done; wait; sleep 5; date",
        "find / -newer when 2>/dev/null | sort | head -20; awk 'BEGIN{srand(); print rand()}'",
    };
    enum { UNDISTURBED, AGAIN, THROUGH_BYTES, BRANCH, WAYS };
    struct bytes last[WAYS];
    char out[WAYS][3][4096];
    for (int way = 0; way < WAYS; way++) {
        pf_options *options = make_options("");
        pf_options_clock(options, 1700000000000000000);
        pf_options_seed(options, 42);
        pf_sandbox *sandbox = NULL;
        MUST(pf_sandbox_new(options, &sandbox, &test_error));
        pf_options_free(options);
        for (int i = 0; i < 3; i++) {
            snprintf(out[way][i], sizeof out[way][i], "%s",
                     run(sandbox, "shell", scripts[i])->stdout_data);
            if (way == THROUGH_BYTES) sandbox = through_bytes(sandbox, "");
            if (way == BRANCH) {
                pf_sandbox *branch = NULL;
                MUST(pf_sandbox_fork(sandbox, &branch, &test_error));
                pf_sandbox_free(sandbox);
                sandbox = branch;
            }
        }
        last[way] = snapshot_of(sandbox);
        pf_sandbox_free(sandbox);
    }
    for (int way = 1; way < WAYS; way++)
        for (int i = 0; i < 3; i++) CHECK_TEXT(out[way][i], out[UNDISTURBED][i]);
    for (int way = AGAIN; way < BRANCH; way++) /* a branch has call ids of its own */
        CHECK(last[way].len == last[0].len &&
              memcmp(last[way].data, last[0].data, last[0].len) == 0);
    for (int way = 0; way < WAYS; way++) pf_free(last[way].data);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void test_size_and_show_time(void) {
    pf_sandbox *sandbox = make_sandbox("");
    run(sandbox, "shell", "x=1; echo hello > note");
    struct bytes b = snapshot_of(sandbox);
    printf("idle snapshot: %zu bytes\n", b.len);
    CHECK(b.len < 200000);
    double best = 1e9;
    for (int i = 0; i < 50; i++) {
        double start = now_ms();
        struct bytes again = snapshot_of(sandbox);
        double middle = now_ms();
        pf_sandbox *other = restored(again, "");
        double end = now_ms();
        if (end - start < best) best = end - start;
        if (i == 25) printf("snapshot %.3f ms, restore %.3f ms\n", middle - start, end - middle);
        pf_sandbox_free(other);
        pf_free(again.data);
    }
    printf("snapshot and restore: %.3f ms (best of 50)\n", best);
    pf_free(b.data);
    pf_sandbox_free(sandbox);
}

/* To make a portable one takes memory besides the sandbox's, of which there may be no limit. */
static void test_portable_without_limits(void) {
    static const uint64_t limits[] = {PF_UNLIMITED, PF_UNLIMITED - (127 << 20)};
    for (int i = 0; i < 2; i++) {
        pf_options *options = make_options("");
        pf_sandbox *sandbox = NULL, *again = NULL;
        char *data, *left;
        size_t len, left_len;
        MUST(pf_options_limit(options, "memory_bytes", limits[i], &test_error));
        MUST(pf_options_limit(options, "process_memory_bytes", limits[i], &test_error));
        MUST(pf_sandbox_new(options, &sandbox, &test_error));
        CHECK_RUN(sandbox, "shell", "kept=1", "", 0);
        MUST(pf_sandbox_snapshot_portable(sandbox, 0, &data, &len, &left, &left_len, &test_error));
        CHECK(left_len == 0);
        MUST(pf_sandbox_restore(options, data, len, &again, &test_error));
        CHECK_RUN(again, "shell", "echo $kept", "1\n", 0);
        pf_free(data);
        pf_free(left);
        pf_sandbox_free(sandbox);
        pf_sandbox_free(again);
        pf_options_free(options);
    }
}

int main(void) {
    test_everywhere();
    test_session_goes_on();
    test_parked();
    test_damage();
    test_key();
    test_look();
    test_equal_bytes();
    test_size_and_show_time();
    test_portable_without_limits();
    return finish_tests();
}
