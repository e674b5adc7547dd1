/* policy.c: policies, given or made up from the tools. */
#include "commands.h"
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "web.h"

static struct text read_policy(const char *path) {
    struct text text = {0};
    if (!text_read_file(&text, path)) die("%s: %s", path, strerror(errno));
    return text;
}

/* Whoever names a tool on the command line grants it. */
static struct text grant_all(const struct arguments *arguments) {
    const struct pairs *tools = &arguments->tools;
    struct text text = {0};
    text_puts(&text, "{\"capabilities\":[");
    for (size_t i = 0; i < tools->count; i++) {
        text_puts(&text, i ? ",{\"method\":" : "{\"method\":");
        const char *name = tools->items[i].name;
        text_json(&text, name, strlen(name));
        bool asks = arguments->approve;
        for (size_t k = 0; k < arguments->pure_count; k++) asks &= strcmp(arguments->pure[k], name) != 0;
        text_puts(&text, asks ? ",\"ask\":true}" : "}");
    }
    web_grant(&text, arguments, tools->count == 0);
    text_puts(&text, "]}");
    return text;
}

void add_policy(pf_options *options, const struct arguments *arguments) {
    struct text text =
        arguments->policy ? read_policy(arguments->policy) : grant_all(arguments);
    pf_error error;
    if (arguments->approve && !memmem(text.data ? text.data : "", text.len, "\"ask\"", 5))
        die("--approve is given, and no call can ever reach it: %s",
            arguments->policy ? "no capability of the policy has \"ask\"" : "there is no --tool that asks");
    if (pf_options_policy(options, text.data, text.len, &error) != PF_OK)
        die("%s: %s", arguments->policy ? arguments->policy : "--tool", error.message);
    free(text.data);
}

/* ------------------------------------------------------------------ commands */

static const char usage_text[] =
    "usage: pinfold policy check FILE\n"
    "       pinfold policy explain FILE TOOL [PARAMS]\n"
    "\n"
    "check looks whether a policy is good (docs/policy.md). Exit status 0: it is; 1: it is not, and\n"
    "standard error says where; 125: it could not be read.\n"
    "explain says whether it would let a call pass, and why not. PARAMS is a JSON object, - stands\n"
    "for standard input; without it the call has no parameters. Nothing is called or spent. Exit\n"
    "status 0: it would, perhaps after somebody is asked; 1: it would not.\n";

static int check(const char *path) {
    struct text text = read_policy(path);
    pf_error error;
    pf_status status = pf_policy_check(text.data, text.len, &error);
    free(text.data);
    if (status == PF_OK) {
        show(stdout, "%s: OK", path);
        return 0;
    }
    show(stderr, "%s: %s", path, error.message);
    return 1;
}

/* A gate that knows no tools: only what the policy says counts. */
static pf_gate *gate_of(const char *path) {
    struct text text = read_policy(path);
    pf_options *options = pf_options_new();
    pf_gate *gate = NULL;
    pf_error error;
    if (!options) die("%s", strerror(ENOMEM));
    pf_options_catch_all(options, true);
    if (pf_options_policy(options, text.data, text.len, &error) != PF_OK ||
        pf_gate_new(options, &gate, &error) != PF_OK)
        die("%s: %s", path, error.message);
    pf_options_free(options);
    free(text.data);
    return gate;
}

static struct text request_of(const char *tool, const char *params) {
    struct text given = {0}, request = {0};
    if (!strcmp(params, "-") && !text_read_file(&given, "-")) die("-: %s", strerror(errno));
    text_puts(&request, "{\"tool\":");
    text_json(&request, tool, strlen(tool));
    text_puts(&request, ",\"params\":");
    text_puts(&request, given.data ? given.data : params);
    text_puts(&request, "}");
    free(given.data);
    return request;
}

static int explain_call(const char *path, const char *tool, const char *params) {
    pf_gate *gate = gate_of(path);
    struct text request = request_of(tool, params);
    pf_decision decision;
    pf_error error;
    if (pf_gate_decide(gate, request.data, request.len, &decision, &error) != PF_OK)
        die("%s", error.message);
    bool asks = !strcmp(decision.outcome, "ask");
    bool passes = asks || !strcmp(decision.outcome, "allowed");
    if (passes)
        show(stdout, "%s: allowed by capability %d%s", decision.method, decision.capability + 1,
             asks ? ", if somebody who is asked approves it" : "");
    else
        show(stdout, "%s", decision.message ? decision.message : decision.outcome);
    free(request.data);
    pf_gate_free(gate);
    return passes ? 0 : 1;
}

int policy_command(int argc, char **argv) {
    if (argc > 1 && (!strcmp(argv[argc - 1], "--help") || !strcmp(argv[argc - 1], "-h"))) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "check")) return check(argv[2]);
    if ((argc == 4 || argc == 5) && !strcmp(argv[1], "explain"))
        return explain_call(argv[2], argv[3], argc == 5 ? argv[4] : "{}");
    die("usage: pinfold policy check FILE, or pinfold policy explain FILE TOOL [PARAMS]");
}
