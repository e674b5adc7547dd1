/* policy.c: policies, given or made up from the tools. */
#include "commands.h"
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static struct text read_policy(const char *path) {
    struct text text = {0};
    if (!text_read_file(&text, path)) die("%s: %s", path, strerror(errno));
    return text;
}

/* Whoever names a tool on the command line grants it. */
static struct text grant_all(const struct pairs *tools) {
    struct text text = {0};
    text_puts(&text, "{\"capabilities\":[");
    for (size_t i = 0; i < tools->count; i++) {
        text_puts(&text, i ? ",{\"method\":" : "{\"method\":");
        text_json(&text, tools->items[i].name, strlen(tools->items[i].name));
        text_puts(&text, "}");
    }
    text_puts(&text, "]}");
    return text;
}

void add_policy(pf_options *options, const struct arguments *arguments) {
    struct text text =
        arguments->policy ? read_policy(arguments->policy) : grant_all(&arguments->tools);
    pf_error error;
    if (pf_options_policy(options, text.data, text.len, &error) != PF_OK)
        die("%s: %s", arguments->policy ? arguments->policy : "--tool", error.message);
    free(text.data);
}

int policy_command(int argc, char **argv) {
    static const char usage_text[] =
        "usage: pinfold policy check FILE\n\nChecks a policy (docs/policy.md). Exit status 0: it "
        "is "
        "good; 1: it is not, and standard\nerror says where; 125: it could not be read.\n";
    if (argc > 1 && (!strcmp(argv[argc - 1], "--help") || !strcmp(argv[argc - 1], "-h"))) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (argc != 3 || strcmp(argv[1], "check") != 0) die("usage: pinfold policy check FILE");
    struct text text = read_policy(argv[2]);
    pf_error error;
    pf_status status = pf_policy_check(text.data, text.len, &error);
    free(text.data);
    if (status == PF_OK) {
        show(stdout, "%s: OK", argv[2]);
        return 0;
    }
    show(stderr, "%s: %s", argv[2], error.message);
    return 1;
}
