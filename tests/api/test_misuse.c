/*
 * tests/api/test_misuse.c: what an embedder can get wrong is said, and nothing is lost by it.
 */
#include "harness.h"

#define CHECK_STATUS(call, status, words)                                                          \
    do {                                                                                           \
        pf_status got_ = (call);                                                                   \
        CHECK(got_ == (status));                                                                   \
        if (got_ != PF_OK && !strstr(test_error.message, words))                                   \
            check_text(__FILE__, __LINE__, test_error.message, words);                             \
    } while (0)

static pf_status start_text(pf_sandbox *s, const char *language, const char *code, size_t len) {
    pf_run request = {.size = sizeof request, .language = language, .code = code, .code_len = len};
    return pf_sandbox_start(s, &request, &test_error);
}

static void test_runs(void) {
    pf_options *options = make_options("lookup");
    MUST(pf_options_limit(options, "code_bytes", 1000, &test_error));
    pf_sandbox *s = NULL;
    MUST(pf_sandbox_new(options, &s, &test_error));
    static char big[1001];
    CHECK(pf_sandbox_result(s) == NULL);
    CHECK_STATUS(start_text(s, "perl", "1", 1), PF_INVALID, "unknown language \"perl\"");
    CHECK_STATUS(start_text(s, NULL, "1", 1), PF_INVALID, "unknown language");
    CHECK_STATUS(start_text(s, "shell", big, sizeof big), PF_INVALID, "code_bytes");
    start(s, "shell", "lookup --a 1");
    CHECK_STATUS(start_text(s, "shell", ":", 1), PF_STATE, "a run is on");
    pf_call call;
    CHECK(pf_sandbox_step(s, &call, &test_error) == PF_OK);
    CHECK(pf_sandbox_step(s, &call, &test_error) == PF_DONE);
    uint64_t id = call.id;
    CHECK_STATUS(pf_sandbox_resume(s, id, "{oops", 5, &test_error), PF_INVALID, "");
    CHECK_STATUS(pf_json_check("{\"a\":[1]}", 9, &test_error), PF_OK, "");
    CHECK_STATUS(pf_json_check("{\"a\":1,\"a\":2}", 13, &test_error), PF_INVALID, "twice");
    CHECK_STATUS(pf_sandbox_resume(s, id + 1, "1", 1, &test_error), PF_NOT_FOUND, "no call");
    MUST(pf_sandbox_resume(s, id, "\"fine\"", 6, &test_error));
    CHECK_STATUS(pf_sandbox_resume(s, id, "1", 1, &test_error), PF_STATE, "answered already");
    const pf_result *r = pf_sandbox_result(s);
    CHECK_TEXT(r ? r->stdout_data : NULL, "\"fine\"\n");
    pf_sandbox_free(s);
    pf_options_free(options);
}

static void test_options(void) {
    pf_options *o = pf_options_new();
    CHECK_STATUS(pf_options_limit(o, "cpu", 1, &test_error), PF_INVALID, "cpu_ms");
    CHECK_STATUS(pf_options_env(o, "A=B", "x", &test_error), PF_INVALID, "A=B");
    CHECK_STATUS(pf_options_tool(o, "a.b", "", NULL, 0, &test_error), PF_OK, "");
    CHECK_STATUS(pf_options_tool(o, "mcp:a/b", "", NULL, 0, &test_error), PF_INVALID, "a");
    CHECK_STATUS(pf_options_tool(o, "c", "", "{\"type\": ", 9, &test_error), PF_INVALID, "");
    CHECK_STATUS(pf_options_policy(o, "{\"capabilities\": 1}", 19, &test_error), PF_INVALID, "");
    CHECK_STATUS(pf_options_policy(o, "nonsense", 8, &test_error), PF_INVALID, "");
    const char *unknown = "{\"capabilities\":[{\"method\":\"a\",\"max\":1}]}";
    CHECK_STATUS(pf_policy_check(unknown, strlen(unknown), &test_error), PF_INVALID, "max");
    pf_options_free(o);
}

/* A tool that is declared but not granted cannot be called; one that is not declared neither. */
static void test_denied(void) {
    pf_options *o = pf_options_new();
    MUST(pf_options_tool(o, "secret", "", NULL, 0, &test_error));
    pf_sandbox *s = NULL;
    MUST(pf_sandbox_new(o, &s, &test_error));
    pf_options_free(o);
    const pf_result *r = run(s, "shell", "secret --a 1; echo $?");
    CHECK(r && strcmp(r->stdout_data, "126\n") == 0 && strlen(r->stderr_data) > 0);
    CHECK(!pf_sandbox_has_work(s));
    r = run(s, "shell", "tool nothing; echo $?");
    CHECK(r && strcmp(r->stdout_data, "127\n") == 0);
    pf_sandbox_free(s);
}

static void reenter(void *user, int stream, const char *data, size_t len) {
    (void)stream, (void)data, (void)len;
    pf_sandbox **s = user;
    if (*s) pf_sandbox_on_decision(*s, NULL, NULL); /* it does not open what is busy */
    if (*s && start_text(*s, "shell", ":", 1) == PF_BUSY) *s = NULL;
}

static void test_busy(void) {
    pf_sandbox *s = make_sandbox(""), *seen = s;
    pf_run request = {.size = sizeof request,
                      .language = "shell",
                      .code = "echo x",
                      .code_len = 6,
                      .on_output = reenter,
                      .user = &seen};
    MUST(pf_sandbox_start(s, &request, &test_error));
    CHECK(seen == NULL);
    CHECK_RUN(s, "shell", "echo y", "y\n", 0);
    pf_sandbox_free(s);
}

/* A program that knows more, or less, of a structure than the library. */
static void test_sizes(void) {
    pf_sandbox *s = make_sandbox("");
    struct {
        pf_run run;
        char later[16];
    } new = {.run = {.size = sizeof new, .language = "shell", .code = "echo new", .code_len = 8}};
    MUST(pf_sandbox_start(s, &new.run, &test_error));
    CHECK_TEXT(pf_sandbox_result(s)->stdout_data, "new\n");
    new.later[15] = 1;
    CHECK_STATUS(pf_sandbox_start(s, &new.run, &test_error), PF_UNSUPPORTED, "pf_run has a member");
    CHECK_TEXT(pf_sandbox_result(s)->stdout_data, "new\n");
    size_t wrong[] = {0, 8, sizeof(pf_run) - 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        new.run.size = wrong[i];
        CHECK_STATUS(pf_sandbox_start(s, &new.run, &test_error), PF_INVALID, "sizeof(pf_run)");
    }
    pf_bounds bounds = {.max_bytes = 1};
    CHECK_STATUS(pf_sandbox_bound(s, &bounds, &test_error), PF_INVALID, "sizeof(pf_bounds)");
    pf_replay_bounds most = {.max_seconds = 1};
    pf_replay *replay = NULL;
    CHECK_STATUS(pf_replay_open_within("", 0, false, &most, &replay, &test_error), PF_INVALID,
                 "sizeof(pf_replay_bounds)");
    CHECK_RUN(s, "shell", "echo y", "y\n", 0);
    pf_sandbox_free(s);
}

static void test_status_names(void) {
    CHECK_TEXT(pf_status_name(PF_OK), "PF_OK");
    CHECK_TEXT(pf_status_name(PF_INTERRUPTED), "PF_INTERRUPTED");
    CHECK_TEXT(pf_status_name((pf_status)-1000), "PF_?");
    for (int status = PF_INTERRUPTED; status <= PF_DONE; status++)
        CHECK(strcmp(pf_status_name((pf_status)status), "PF_?") != 0);
}

static void test_files(void) {
    pf_sandbox *s = make_sandbox("");
    char *data;
    size_t len;
    pf_file_info info;
    MUST(pf_file_write(s, "/workspace/a/b/c.bin", "x\0y", 3, &test_error));
    CHECK_RUN(s, "shell", "wc -c < a/b/c.bin; echo more >> a/b/c.bin", "3\n", 0);
    MUST(pf_file_take(s, "/workspace/a/b/c.bin", &data, &len, &test_error));
    CHECK(len == 8 && memcmp(data, "x\0ymore\n", 8) == 0);
    pf_free(data);
    MUST(pf_file_stat(s, "/workspace/a", &info, &test_error));
    CHECK((info.mode & 0170000) == 0040000);
    run(s, "shell", "touch a/z a/.hidden 'a/with space'");
    MUST(pf_file_list(s, "/workspace/a", &data, &len, &test_error));
    CHECK(len == 23 && memcmp(data, ".hidden\0b\0with space\0z\0", 23) == 0);
    pf_free(data);
    CHECK_STATUS(pf_file_take(s, "/none", &data, &len, &test_error), PF_NOT_FOUND, "No such file");
    CHECK_STATUS(pf_file_take(s, "relative", &data, &len, &test_error), PF_INVALID, "absolute");
    CHECK_STATUS(pf_file_take(s, "/tmp", &data, &len, &test_error), PF_GUEST, "Is a directory");
    run(s, "shell", "mkfifo p");
    CHECK_STATUS(pf_file_take(s, "/workspace/p", &data, &len, &test_error), PF_GUEST, "p");
    MUST(pf_file_remove(s, "/workspace/p", &test_error));
    CHECK_STATUS(pf_file_remove(s, "/workspace/a", &test_error), PF_GUEST, "not empty");
    pf_sandbox_free(s);
}

static void test_foreign_snapshots(void) {
    pf_options *o = pf_options_new();
    pf_sandbox *s = NULL;
    char junk[4096] = "PINFOLD";
    CHECK_STATUS(pf_sandbox_restore(o, "", 0, &s, &test_error), PF_FORMAT, "not a pinfold snapshot");
    CHECK_STATUS(pf_sandbox_restore(o, junk, sizeof junk, &s, &test_error), PF_FORMAT, "format");
    pf_options_free(o);
}

int main(void) {
    test_runs();
    test_options();
    test_denied();
    test_busy();
    test_sizes();
    test_status_names();
    test_files();
    test_foreign_snapshots();
    return finish_tests();
}
