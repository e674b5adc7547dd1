/*
 * guest_driver.c: runs one command in a sandbox that knows the test images, for ctest.
 *
 * `guest_driver WORD…` passes the words as a run of the session and exits with its status; output
 * goes to stdout and stderr. The session is plainsh.c unless the product's shell replaced it.
 */
#include <stdio.h>
#include <string.h>

#include "pinfold.h"

static int die(const char *what, const pf_error *error) {
    fprintf(stderr, "guest_driver: %s: %s\n", what, error->message);
    return 124;
}

int main(int argc, char **argv) {
    char text[4096] = "";
    size_t len = 0;
    for (int i = 1; i < argc; i++) {
        int n = snprintf(text + len, sizeof text - len, "%s%s", i > 1 ? " " : "", argv[i]);
        if (n < 0 || (size_t)n >= sizeof text - len) return 123;
        len += (size_t)n;
    }
    pf_error error;
    pf_options *options = pf_options_new();
    pf_sandbox *sandbox;
    if (pf_sandbox_new(options, &sandbox, &error) != PF_OK) return die("new", &error);
    pf_run run = {.size = sizeof run, .language = "shell", .code = text, .code_len = len};
    if (pf_sandbox_start(sandbox, &run, &error) != PF_OK) return die("start", &error);
    const pf_result *result = pf_sandbox_result(sandbox);
    if (!result) {
        fprintf(stderr, "guest_driver: the run did not end\n");
        return 122;
    }
    fwrite(result->stdout_data, 1, result->stdout_len, stdout);
    fwrite(result->stderr_data, 1, result->stderr_len, stderr);
    int status = result->exit_code;
    if (result->limit) fprintf(stderr, "guest_driver: limit %s\n", result->limit);
    pf_sandbox_free(sandbox);
    pf_options_free(options);
    return status;
}
