/* web.c: see web.h: what --http and --secret say. web_request.c makes the requests. */
#include "web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

static const char job_command[] = "/proc/self/exe " WEB_COMMAND;

static struct text config; /* for pf_http_new(), with secrets in it: never shown */

/* ---- secrets: NAME=env:VARIABLE@HOST[,HOST]...[#HEADER[,HEADER]...] */

static void add_list(struct text *out, const char *words, size_t len) {
    text_puts(out, "[");
    for (size_t at = 0; at <= len;) {
        const char *comma = memchr(words + at, ',', len - at);
        size_t end = comma ? (size_t)(comma - words) : len;
        if (at) text_puts(out, ",");
        text_json(out, words + at, end - at);
        at = end + 1;
    }
    text_puts(out, "]");
}

static void add_secret(struct text *out, const struct pair *secret) {
    const char *form = "NAME=env:VARIABLE@HOST[,HOST]...[#HEADER[,HEADER]...]";
    char *at = strchr(secret->value, '@');
    if (strncmp(secret->value, "env:", 4) != 0 || !at)
        die("--secret %s: expected %s", secret->name, form);
    char *variable = strndup(secret->value + 4, (size_t)(at - secret->value - 4));
    const char *value = variable ? getenv(variable) : NULL;
    if (!value) die("--secret %s: the variable %s is not set", secret->name, variable);
    const char *hosts = at + 1, *hash = strchr(hosts, '#');
    size_t hosts_len = hash ? (size_t)(hash - hosts) : strlen(hosts);
    text_json(out, secret->name, strlen(secret->name));
    text_puts(out, ":{\"value\":");
    text_json(out, value, strlen(value));
    text_puts(out, ",\"hosts\":");
    add_list(out, hosts, hosts_len);
    text_puts(out, ",\"headers\":");
    add_list(out, hash ? hash + 1 : "Authorization", strlen(hash ? hash + 1 : "Authorization"));
    text_puts(out, "}");
    free(variable);
}

static void make_config(const struct arguments *arguments) {
    text_puts(&config, "{\"allow\":[");
    for (size_t i = 0; i < arguments->http_count; i++) {
        if (i) text_puts(&config, ",");
        text_json(&config, arguments->http[i], strlen(arguments->http[i]));
    }
    text_puts(&config, "],\"secrets\":{");
    for (size_t i = 0; i < arguments->secrets.count; i++) {
        if (i) text_puts(&config, ",");
        add_secret(&config, &arguments->secrets.items[i]);
    }
    text_puts(&config, "}}");
}

static void add_placeholder(pf_options *options, const struct pair *secret) {
    unsigned char bytes[16];
    char text[120];
    pf_error error;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        die("no randomness: %s", strerror(errno));
    int n = snprintf(text, sizeof text, "pfsecret_%.40s_", secret->name);
    for (size_t i = 0; i < sizeof bytes; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%02x", bytes[i]);
    if (pf_options_env(options, secret->name, text, &error) != PF_OK)
        die("--secret %s: %s", secret->name, error.message);
}

void web_add(pf_options *options, const struct arguments *arguments) {
    pf_error error;
    pf_http *http;
    if (!arguments->http_count) {
        if (arguments->secrets.count) die("--secret is for --http");
        return;
    }
    make_config(arguments);
    if (pf_http_new(config.data, config.len, &http, &error) != PF_OK)
        die("--http: %s", error.message);
    pf_http_free(http);
    const char *description, *schema;
    pf_http_tool(&description, &schema);
    if (pf_options_tool(options, WEB_METHOD, description, schema, strlen(schema), &error) != PF_OK)
        die("--http: %s", error.message);
    for (size_t i = 0; i < arguments->secrets.count; i++)
        add_placeholder(options, &arguments->secrets.items[i]);
}

/* ---- what is granted */

static void grant_rule(struct text *out, const char *rule) {
    const char *blank = strchr(rule, ' ');
    const char *url = blank ? blank + strspn(blank, " ") : rule;
    bool methods = blank && strncmp(rule, "* ", 2) != 0;
    if (methods) {
        text_puts(out, "{\"all\":[{\"param\":\"method\",\"op\":\"in\",\"value\":");
        add_list(out, rule, (size_t)(blank - rule));
        size_t len = (size_t)(blank - rule);
        bool get = len >= 3 && memmem(rule, len, "GET", 3); /* what a call is that leaves it out */
        text_puts(out, get ? ",\"optional\":true}," : "},");
    }
    text_puts(out, "{\"param\":\"url\",\"op\":\"matches_url\",\"value\":");
    text_json(out, url, strlen(url));
    text_puts(out, methods ? "}]}" : "}");
}

void web_grant(struct text *policy, const struct arguments *arguments, bool first) {
    if (!arguments->http_count) return;
    text_puts(policy, first ? "" : ",");
    text_puts(policy, "{\"method\":\"" WEB_METHOD "\",\"constraints\":[{\"any\":[");
    for (size_t i = 0; i < arguments->http_count; i++) {
        if (i) text_puts(policy, ",");
        grant_rule(policy, arguments->http[i]);
    }
    text_puts(policy, "]}]}");
}

/* ---- calls */

bool web_start(struct jobs *jobs, uint64_t id, const char *params, size_t len) {
    struct text both = {0};
    text_add(&both, config.data, config.len); /* one line, for JSON's strings have no line ends */
    text_puts(&both, "\n");
    text_add(&both, params, len);
    bool started = job_start(jobs, id, job_command, both.data, both.len);
    free(both.data);
    return started;
}

bool web_is(const struct job *job) {
    return job->command == job_command;
}

/* Its output is a letter and a text: R and the result, D and why it is denied, I invalid, T too
 * late, F failed. */
pf_status web_answer(pf_sandbox *sandbox, const struct job *job, pf_error *error) {
    const struct text *out = &job->result;
    if (WIFSIGNALED(job->status) || WEXITSTATUS(job->status) || out->len < 1)
        return pf_sandbox_fail(sandbox, job->id, PF_FAILED, "the request could not be made", error);
    if (out->data[0] == 'R')
        return pf_sandbox_resume(sandbox, job->id, out->data + 1, out->len - 1, error);
    pf_failure kind = out->data[0] == 'D'   ? PF_FAILURE_DENIED
                      : out->data[0] == 'I' ? PF_FAILURE_INVALID
                      : out->data[0] == 'T' ? PF_FAILURE_TIMEOUT
                                            : PF_FAILED;
    return pf_sandbox_fail(sandbox, job->id, kind, out->data + 1, error);
}
