/* consequence.c: finds what one answer would lead to, and shows it to a person. See approve.h. */
#include "approve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the guest of one branch may take, and how many commands it may have run. */
#define SECONDS_MAX 5
#define CALLS_MAX   100
#define LINES_MAX   60
#define WAITING_MAX 64

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

struct exploring {
    struct consequence *c;
    const struct arguments *arguments;
    int64_t until_ns;
    struct text calls; /* in lines */
    size_t made;
    uint64_t known; /* no call after this one was made before the answer */
};

static void hear(void *user, int stream, const char *data, size_t len) {
    struct consequence *c = user;
    uint64_t size = len;
    text_add(&c->out[stream - 1], data, len);
    text_add(&c->pieces, (char[]){(char)stream}, 1);
    text_add(&c->pieces, (const char *)&size, sizeof size);
    text_add(&c->pieces, data, len);
}

static void watch(void *user) {
    struct exploring *e = user;
    if (now_ns() < e->until_ns) return;
    e->c->cut = true;
    pf_sandbox_kill(e->c->sandbox);
}

static void add_call(struct exploring *e, const char *method, const char *params, const char *state,
                     const struct text *answer) {
    struct text line = {0};
    text_puts(&line, method);
    text_puts(&line, " ");
    text_puts(&line, params);
    text_puts(&line, state);
    if (answer) text_add(&line, answer->data, answer->len);
    add_line(&e->calls, "    ", "", line.data, line.len);
    free(line.data);
}

/* Calls that the policy denies are none that somebody could be asked about: they are shown. */
static void decided(void *user, const pf_decision *decision) {
    struct exploring *e = user;
    if (decision->id) return;
    struct text why = {0};
    text_puts(&why, decision->message ? decision->message : decision->outcome);
    const char *method = *decision->method ? decision->method : decision->name;
    add_call(e, method, decision->params ? decision->params : "", ": denied: ", &why);
    free(why.data);
}

static bool answer(struct exploring *e, uint64_t id, const struct reply *reply) {
    pf_error error;
    e->until_ns = now_ns() + SECONDS_MAX * (int64_t)1000000000;
    if (reply_give(e->c->sandbox, id, reply, &error) == PF_OK) return !e->c->cut;
    text_puts(&e->c->why, error.message);
    e->c->cut = true;
    return false;
}

/* The oldest call that waits and may be made: its tool changes nothing, and nobody is to
 * be asked. */
static bool next_pure(const struct exploring *e, pf_call *out) {
    static pf_call calls[WAITING_MAX];
    size_t count = pf_sandbox_pending(e->c->sandbox, calls, WAITING_MAX);
    for (size_t i = 0; i < count && i < WAITING_MAX; i++)
        if (!calls[i].ask && is_pure(e->arguments, calls[i].method)) {
            *out = calls[i];
            return true;
        }
    return false;
}

/* Takes the reply over. */
static void remember(struct consequence *c, const pf_call *call, const struct reply *reply) {
    struct made *items = realloc(c->made, (c->made_count + 1) * sizeof *items);
    if (!items) die("out of memory");
    c->made = items;
    struct made *made = &items[c->made_count++];
    *made = (struct made){.reply = *reply};
    text_puts(&made->method, call->method);
    text_add(&made->params, call->params, call->params_len);
}

static void run_on(struct exploring *e) {
    pf_call call;
    while (pf_sandbox_running(e->c->sandbox) && next_pure(e, &call)) {
        if (e->made++ == CALLS_MAX) {
            text_puts(&e->c->why, "it went no further than 100 calls");
            return;
        }
        const char *command = command_of(&e->arguments->tools, call.method);
        struct reply reply = reply_from(command, call.params, call.params_len);
        add_call(e, call.method, call.params, " → ", &reply.text);
        remember(e->c, &call, &reply);
        if (!answer(e, call.id, &e->c->made[e->c->made_count - 1].reply)) return;
    }
}

static void list_waiting(struct exploring *e) {
    static pf_call calls[WAITING_MAX];
    if (!pf_sandbox_running(e->c->sandbox)) return;
    size_t count = pf_sandbox_pending(e->c->sandbox, calls, WAITING_MAX);
    for (size_t i = 0; i < count && i < WAITING_MAX; i++)
        if (calls[i].id > e->known)
            add_call(e, calls[i].method, calls[i].params,
                     calls[i].ask ? ": somebody is asked" : ": not called yet", NULL);
}

static void show_text(struct text *out, const char *name, const struct text *text) {
    if (!text->len) return;
    text_puts(out, name);
    size_t count = 0;
    for (size_t at = 0; at < text->len && count < LINES_MAX; count++) {
        const char *end = memchr(text->data + at, '\n', text->len - at);
        size_t len = end ? (size_t)(end - text->data) - at : text->len - at;
        add_line(out, "    ", "", text->data + at, len);
        at += len + 1;
        if (count + 1 == LINES_MAX && at < text->len) text_puts(out, "    … and more …\n");
    }
}

static void show_end(struct consequence *c, bool calls) {
    char line[160];
    const pf_result *result = c->sandbox ? pf_sandbox_result(c->sandbox) : NULL;
    if (c->why.len) {
        add_line(&c->lines, "  unknown: ", "", c->why.data, c->why.len);
        return;
    }
    if (!result) {
        text_puts(&c->lines, calls ? "  the script then waits\n" : "  the script still waits\n");
        return;
    }
    snprintf(line, sizeof line, "  the script ends with status %d%s%s\n", result->exit_code,
             result->limit ? ", at the limit " : "", result->limit ? result->limit : "");
    text_puts(&c->lines, line);
}

void consequence_explore(struct consequence *c, pf_sandbox *sandbox, pf_sandbox *before,
                         uint64_t id, const struct arguments *arguments) {
    struct exploring e = {.c = c, .arguments = arguments};
    pf_error error;
    add_line(&c->lines, "[", "", c->label, strlen(c->label));
    c->lines.len--;
    text_puts(&c->lines, "]\n");
    if (c->known && pf_sandbox_preview(sandbox, &c->sandbox, &error) != PF_OK) {
        text_puts(&c->why, error.message);
        c->known = false;
    }
    if (c->known) {
        pf_call last[WAITING_MAX];
        size_t count = pf_sandbox_pending(sandbox, last, WAITING_MAX);
        for (size_t i = 0; i < count && i < WAITING_MAX; i++)
            if (last[i].id > e.known) e.known = last[i].id;
        add_line(&c->lines, "  answer: ", "", c->reply.text.data ? c->reply.text.data : "",
                 c->reply.text.len);
        pf_sandbox_on_output(c->sandbox, hear, c);
        pf_sandbox_on_decision(c->sandbox, decided, &e);
        pf_sandbox_on_pause(c->sandbox, watch, &e);
        if (answer(&e, id, &c->reply)) run_on(&e);
        pf_sandbox_on_decision(c->sandbox, NULL, NULL);
        pf_sandbox_on_pause(c->sandbox, NULL, NULL);
        if (c->cut && !c->why.len) text_puts(&c->why, "it was still running after 5 s");
        pf_sandbox *look = NULL;
        if (pf_sandbox_preview(c->sandbox, &look, &error) == PF_OK)
            changes_show(&c->lines, before, look, arguments);
        pf_sandbox_free(look);
        show_text(&c->lines, "  output:\n", &c->out[0]);
        show_text(&c->lines, "  errors:\n", &c->out[1]);
        if (!c->cut) list_waiting(&e);
        if (e.calls.len) {
            text_puts(&c->lines, "  then it calls:\n");
            text_add(&c->lines, e.calls.data, e.calls.len);
        }
    }
    show_end(c, e.calls.len > 0);
    free(e.calls.data);
}

void consequence_free(struct consequence *c) {
    pf_sandbox_free(c->sandbox);
    reply_free(&c->reply);
    for (size_t i = 0; i < c->made_count; i++) {
        reply_free(&c->made[i].reply);
        free(c->made[i].method.data);
        free(c->made[i].params.data);
    }
    free(c->made);
    free(c->why.data);
    free(c->out[0].data);
    free(c->out[1].data);
    free(c->pieces.data);
    free(c->lines.data);
    *c = (struct consequence){0};
}
