/*
 * test_preview.c: previews: they do what the sandbox would do, change nothing of it, and one of them
 * can take its place, with its listeners, its recording and what was spent.
 */
#include "harness.h"

#include <unistd.h>

static pf_sandbox *preview_of(pf_sandbox *sandbox) {
    pf_sandbox *preview = NULL;
    MUST(pf_sandbox_preview(sandbox, &preview, &test_error));
    return preview;
}

static void answer(pf_sandbox *sandbox, uint64_t id, const char *json) {
    MUST(pf_sandbox_resume(sandbox, id, json, strlen(json), &test_error));
}

struct heard {
    char text[200];
    size_t len;
};

static void hear(void *user, int stream, const char *data, size_t len) {
    struct heard *heard = user;
    (void)stream;
    if (heard->len + len >= sizeof heard->text) return;
    memcpy(heard->text + heard->len, data, len);
    heard->len += len;
}

static pf_sandbox *waiting(const char *code, struct heard *heard, const char *trace) {
    pf_options *options = make_options("pay");
    if (trace) MUST(pf_options_record(options, trace, false, &test_error));
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    pf_run run = {.size = sizeof run, .language = "shell", .code = code, .code_len = strlen(code)};
    run.on_output = heard ? hear : NULL;
    run.user = heard;
    MUST(pf_sandbox_start(sandbox, &run, &test_error));
    return sandbox;
}

#define SCRIPT "echo $RANDOM; pay > paid; cat paid; echo $RANDOM; pay; echo end"

/* The preview has the ids and the dice of its sandbox; what it is does not change that one. */
static void test_two_answers(void) {
    struct heard heard = {0}, other = {0};
    pf_sandbox *sandbox = waiting(SCRIPT, &heard, NULL);
    pf_call call;
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    pf_sandbox *yes = preview_of(sandbox), *no = preview_of(sandbox);
    pf_sandbox_on_output(yes, hear, &other);
    answer(yes, call.id, "\"seen\"");
    MUST(pf_sandbox_fail(no, call.id, PF_FAILURE_DENIED, "no", &test_error));
    CHECK(pf_sandbox_pending(sandbox, NULL, 0) == 1);
    CHECK(pf_file_stat(sandbox, "/workspace/paid", &(pf_file_info){0}, NULL) == PF_OK);
    size_t before = heard.len;
    pf_call next;
    CHECK(pf_sandbox_pending(yes, &next, 1) == 1 && next.id == call.id + 1);

    CHECK(pf_sandbox_accepts(sandbox, yes) && pf_sandbox_accepts(sandbox, no));
    MUST(pf_sandbox_accept(sandbox, yes, &test_error));
    CHECK(heard.len == before); /* what it wrote before is for the embedder to tell */
    CHECK(strncmp(other.text, "\"seen\"\n", 7) == 0);
    CHECK(!pf_sandbox_accepts(sandbox, no));
    CHECK(pf_sandbox_accept(sandbox, no, &test_error) == PF_STATE);
    pf_sandbox_free(no);
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    CHECK(call.id == next.id);
    answer(sandbox, call.id, "1");
    CHECK(strcmp(heard.text + before, "1\nend\n") == 0);
    const pf_result *result = pf_sandbox_result(sandbox);
    CHECK(result && result->tool_calls == 2 && strstr(result->stdout_data, "\"seen\"\n"));
    CHECK_RUN(sandbox, "shell", "cat paid", "\"seen\"\n", 0);
    pf_sandbox_free(sandbox);
}

/* Equal answers, equal sandboxes: dice included. */
static void test_it_is_what_would_be(void) {
    pf_sandbox *sandbox = waiting(SCRIPT, NULL, NULL);
    pf_call call;
    MUST(pf_sandbox_step(sandbox, &call, &test_error));
    pf_sandbox *preview = preview_of(sandbox);
    answer(preview, call.id, "1");
    answer(sandbox, call.id, "1");
    CHECK(!pf_sandbox_accepts(sandbox, preview));
    answer(preview, call.id + 1, "2");
    answer(sandbox, call.id + 1, "2");
    CHECK_TEXT(pf_sandbox_result(preview)->stdout_data, pf_sandbox_result(sandbox)->stdout_data);
    pf_sandbox_free(preview);
    pf_sandbox_free(sandbox);
}

/* A file that the embedder wrote meanwhile is not lost without a word. */
static void test_changed_meanwhile(void) {
    pf_sandbox *sandbox = waiting("pay", NULL, NULL), *other = make_sandbox("");
    pf_sandbox *preview = preview_of(sandbox);
    CHECK(pf_sandbox_accept(other, preview, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "no preview"));
    MUST(pf_file_write(sandbox, "/workspace/note", "x", 1, &test_error));
    CHECK(pf_sandbox_accept(sandbox, preview, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "went on"));
    pf_sandbox_free(preview);
    preview = preview_of(sandbox);
    pf_sandbox *deeper = preview_of(preview); /* a preview of a preview, and both become real */
    answer(deeper, 1, "1");
    MUST(pf_sandbox_accept(preview, deeper, &test_error));
    MUST(pf_sandbox_accept(sandbox, preview, &test_error));
    CHECK(pf_sandbox_result(sandbox) && pf_sandbox_result(sandbox)->exit_code == 0);
    CHECK_RUN(sandbox, "shell", "cat note", "x", 0);
    pf_sandbox_free(sandbox);
    pf_sandbox_free(other);
}

/* A key that the sandbox got meanwhile is the key of its snapshots from then on. */
static void test_key_meanwhile(void) {
    static const char key[] = "a key of many bytes";
    pf_sandbox *sandbox = waiting("pay", NULL, NULL), *again = NULL;
    pf_sandbox *preview = preview_of(sandbox);
    MUST(pf_sandbox_key(sandbox, key, sizeof key, &test_error));
    MUST(pf_sandbox_accept(sandbox, preview, &test_error));
    char *data = NULL;
    size_t len = 0;
    MUST(pf_sandbox_snapshot(sandbox, &data, &len, &test_error));
    pf_options *options = make_options("pay");
    CHECK(pf_sandbox_restore(options, data, len, &again, &test_error) != PF_OK && !again);
    MUST(pf_options_key(options, key, sizeof key, &test_error));
    MUST(pf_sandbox_restore(options, data, len, &again, &test_error));
    pf_options_free(options);
    pf_free(data);
    pf_sandbox_free(again);
    pf_sandbox_free(sandbox);
}

/* A preview outlives its sandbox, and another one lies where that was, at the same moment. */
static void test_another_in_its_place(void) {
    pf_sandbox *first = waiting("pay", NULL, NULL);
    pf_sandbox *preview = preview_of(first);
    pf_sandbox_free(first);
    for (int i = 0; i < 4; i++) {
        pf_sandbox *second = waiting("pay", NULL, NULL);
        CHECK(!pf_sandbox_accepts(second, preview));
        CHECK(pf_sandbox_accept(second, preview, &test_error) == PF_STATE);
        pf_sandbox_free(second);
    }
    pf_sandbox_free(preview);
}

static char *slurp(const char *path, size_t *len) {
    FILE *file = fopen(path, "r");
    char *text = malloc(1 << 20);
    *len = file && text ? fread(text, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    return text;
}

/* The trace goes on with the preview's lines, and replays; what was not accepted is not in it. */
static void test_recorded(void) {
    char trace[] = "/tmp/pinfold-preview-XXXXXX";
    CHECK(mkstemp(trace) >= 0);
    const char *code = "sleep 0.01; date +%N; echo $RANDOM; pay; date +%N; pay";
    pf_sandbox *sandbox = waiting(code, NULL, trace);
    pf_sandbox *yes = preview_of(sandbox), *no = preview_of(sandbox);
    MUST(pf_sandbox_fail(no, 1, PF_FAILED, "not that", &test_error));
    answer(yes, 1, "\"this\"");
    MUST(pf_sandbox_accept(sandbox, yes, &test_error));
    pf_sandbox_free(no);
    answer(sandbox, 2, "3");
    char *out = strdup(pf_sandbox_result(sandbox)->stdout_data);
    MUST(pf_sandbox_end_record(sandbox, &test_error));
    pf_sandbox_free(sandbox);

    size_t len;
    char *text = slurp(trace, &len);
    text[len] = '\0';
    CHECK(strstr(text, "this") && !strstr(text, "not that"));
    pf_replay *replay = NULL;
    MUST(pf_replay_open(text, len, false, &replay, &test_error));
    pf_status status;
    while ((status = pf_replay_next(replay, &test_error)) == PF_OK) continue;
    CHECK(status == PF_DONE);
    CHECK_TEXT(pf_sandbox_result(pf_replay_sandbox(replay))->stdout_data, out);
    CHECK(pf_sandbox_preview(pf_replay_sandbox(replay), &yes, &test_error) == PF_STATE);
    pf_replay_free(replay);
    free(text);
    free(out);
    unlink(trace);
}

/* What a preview spends is spent when it is accepted, once. */
static void test_budgets(void) {
    pf_options *options = make_options("");
    MUST(pf_options_tool(options, "pay", "", NULL, 0, &test_error));
    const char *policy = "{\"capabilities\":[{\"method\":\"pay\",\"max_calls\":3}]}";
    MUST(pf_options_policy(options, policy, strlen(policy), &test_error));
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    start(sandbox, "shell", "pay; pay; pay; pay; echo $?");
    pf_sandbox *preview = preview_of(sandbox);
    answer(preview, 1, "1");
    answer(preview, 2, "1");
    CHECK(pf_sandbox_calls_left(preview, 0) == 0 && pf_sandbox_calls_left(sandbox, 0) == 2);
    MUST(pf_sandbox_accept(sandbox, preview, &test_error));
    CHECK(pf_sandbox_calls_left(sandbox, 0) == 0);
    answer(sandbox, 3, "1");
    CHECK_TEXT(pf_sandbox_result(sandbox)->stdout_data, "1\n1\n1\n126\n");

    pf_sandbox *shared = NULL;
    MUST(pf_sandbox_fork_shared(sandbox, &shared, &test_error));
    CHECK(pf_sandbox_preview(sandbox, &preview, &test_error) == PF_STATE);
    CHECK(strstr(test_error.message, "shares"));
    pf_sandbox_free(shared);
    preview = preview_of(sandbox);
    pf_sandbox_free(preview);
    pf_sandbox_free(sandbox);
}

static void test_parked(void) {
    pf_sandbox *sandbox = make_sandbox("pay");
    start(sandbox, "javascript", "require('child_process').execSync('pay')");
    pf_sandbox *preview = NULL;
    CHECK(pf_sandbox_preview(sandbox, &preview, &test_error) == PF_STATE && !preview);
    CHECK(strstr(test_error.message, "parked") && strstr(test_error.message, "js"));
    pf_sandbox_free(sandbox);
}

int main(void) {
    test_two_answers();
    test_it_is_what_would_be();
    test_changed_meanwhile();
    test_key_meanwhile();
    test_another_in_its_place();
    test_recorded();
    test_budgets();
    test_parked();
    return finish_tests();
}
