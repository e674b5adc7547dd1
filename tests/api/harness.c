/*
 * tests/api/harness.c: see harness.h.
 */
#include "harness.h"

int checks_passed, checks_failed;
pf_error test_error;

void check_text(const char *file, int line, const char *got, const char *want) {
    if (got && strcmp(got, want) == 0) {
        checks_passed++;
        return;
    }
    checks_failed++;
    printf("%s:%d: got «%s», wanted «%s»\n", file, line, got ? got : "(null)", want);
}

void must(const char *file, int line, pf_status status, const pf_error *error) {
    if (status == PF_OK) return;
    printf("%s:%d: status %d: %s\n0 passed, 1 failed\n", file, line, (int)status, error->message);
    exit(1);
}

pf_options *make_options(const char *tools) {
    pf_options *options = pf_options_new();
    if (!options) abort();
    char policy[4096] = "{\"capabilities\":[", name[128];
    size_t at = strlen(policy);
    for (const char *p = tools; p && *p;) {
        size_t len = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, p);
        MUST(pf_options_tool(options, name, "a tool of a test", NULL, 0, &test_error));
        at += (size_t)snprintf(policy + at, sizeof policy - at, "%s{\"method\":\"%s\"}",
                               p == tools ? "" : ",", name);
        p += len + (p[len] == ' ');
    }
    snprintf(policy + at, sizeof policy - at, "]}");
    MUST(pf_options_policy(options, policy, strlen(policy), &test_error));
    return options;
}

pf_sandbox *make_sandbox(const char *tools) {
    pf_options *options = make_options(tools);
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    return sandbox;
}

void start(pf_sandbox *sandbox, const char *language, const char *code) {
    pf_run request = {.size = sizeof request, .language = language, .code = code, .code_len = strlen(code)};
    MUST(pf_sandbox_start(sandbox, &request, &test_error));
}

const pf_result *run(pf_sandbox *sandbox, const char *language, const char *code) {
    start(sandbox, language, code);
    return pf_sandbox_result(sandbox);
}

void check_run(const char *file, int line, pf_sandbox *sandbox, const char *language,
               const char *code, const char *want_stdout, int want_status) {
    const pf_result *result = run(sandbox, language, code);
    if (result && strcmp(result->stdout_data, want_stdout) == 0 &&
        result->exit_code == want_status) {
        checks_passed++;
        return;
    }
    checks_failed++;
    if (!result) {
        printf("%s:%d: the run has no result: it waits for %zu calls\n", file, line,
               pf_sandbox_pending(sandbox, NULL, 0));
        exit(1);
    }
    printf("%s:%d: %s\n  status %d, wanted %d%s%s\n  stdout «%s»\n  wanted «%s»\n  stderr «%s»\n",
           file, line, code, result->exit_code, want_status, result->limit ? ", limit " : "",
           result->limit ? result->limit : "", result->stdout_data, want_stdout,
           result->stderr_data);
}

int finish_tests(void) {
    printf("%d passed, %d failed\n", checks_passed, checks_failed);
    return checks_failed != 0;
}
