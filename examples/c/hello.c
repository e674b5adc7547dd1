/*
 * hello.c: a script in a sandbox that may call one tool, and only politely.
 */
#include "answer.h"

#include <stdio.h>
#include <string.h>

static const char policy[] = "{\"capabilities\": [{\"method\": \"greet\", \"max_calls\": 2,"
                             " \"constraints\": {\"tone\": [\"kind\", \"formal\"]}}]}";
static const char script[] = "tool greet --tone kind | jq -r .asked\n"
                             "tool greet --tone rude || echo \"status $?\"\n";

static int fail(const pf_error *error) {
    fprintf(stderr, "hello: %s\n", error->message);
    return 1;
}

int main(void) {
    pf_error error;
    pf_options *options = pf_options_new();
    pf_sandbox *sandbox = NULL;
    if (!options) return 1;
    if (pf_options_tool(options, "greet", "Greets somebody.", NULL, 0, &error) != PF_OK ||
        pf_options_policy(options, policy, strlen(policy), &error) != PF_OK ||
        pf_sandbox_new(options, &sandbox, &error) != PF_OK)
        return fail(&error);
    pf_options_free(options);

    pf_run run = {.size = sizeof run, .language = "shell", .code = script, .code_len = strlen(script)};
    if (pf_sandbox_start(sandbox, &run, &error) != PF_OK) return fail(&error);
    pf_call call;
    while (pf_sandbox_step(sandbox, &call, &error) == PF_OK)
        if (answer(sandbox, &call, &error) != PF_OK) return fail(&error);

    const pf_result *result = pf_sandbox_result(sandbox);
    printf("pinfold %s (ABI %d)\n%s%s", pf_version(), pf_abi_version(), result->stdout_data,
           result->stderr_data);
    pf_sandbox_free(sandbox);
    return 0;
}
