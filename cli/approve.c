/* approve.c: a person decides about a call. See approve.h. */
#include "approve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "run.h"

#define LEAST_COLUMNS 38
#define BRANCHES_MAX  2
/* A policy with more has none of that index, and nothing left there. */
#define CAPABILITIES_MAX 4096

void reply_free(struct reply *reply) {
    free(reply->text.data);
    *reply = (struct reply){0};
}

pf_status reply_give(pf_sandbox *sandbox, uint64_t id, const struct reply *reply, pf_error *error) {
    const char *text = reply->text.data ? reply->text.data : "";
    return reply->ok ? pf_sandbox_resume(sandbox, id, text, reply->text.len, error)
                     : pf_sandbox_fail(sandbox, id, reply->kind, text, error);
}

struct reply reply_from(const char *command, const char *params, size_t len) {
    struct jobs jobs = {.count = 0};
    struct job job;
    struct reply reply = {.kind = PF_FAILED};
    if (!command || !job_start(&jobs, 0, command, params, len)) {
        text_puts(&reply.text, command ? command : "the tool");
        text_puts(&reply.text, " cannot be run");
        return reply;
    }
    while (!job_wait(&jobs, -1, &job)) continue; /* a signal came */
    reply = reply_of(&job);
    job_free(&job);
    return reply;
}

static struct reply denial(const char *method, const char *why) {
    struct reply reply = {.kind = PF_FAILURE_DENIED};
    text_puts(&reply.text, method);
    text_puts(&reply.text, " is denied: ");
    text_puts(&reply.text, why && *why ? why : "it was not approved");
    return reply;
}

/* ------------------------------------------------------------------ the terminal */

static FILE *terminal; /* NULL: there is none */

static bool open_terminal(void) {
    if (!terminal) {
        int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
        if (fd >= 0) terminal = fdopen(fd, "r+");
    }
    return terminal != NULL;
}

/* A line without its end; false: there is no more. */
static bool read_line(struct text *line) {
    char piece[256];
    line->len = 0;
    text_puts(line, "");
    fflush(terminal);
    while (fgets(piece, sizeof piece, terminal)) {
        size_t len = strlen(piece);
        bool ends = len && piece[len - 1] == '\n';
        text_add(line, piece, len - ends);
        if (ends) return true;
    }
    clearerr(terminal);
    return line->len > 0;
}

static size_t width_of_terminal(void) {
    struct winsize size;
    return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Columns of a character, and its bytes. */
static size_t character(const char *at, size_t *bytes) {
    unsigned char first = (unsigned char)*at;
    *bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < *bytes; i++)
        if (((unsigned char)at[i] & 0xC0) != 0x80) *bytes = i;
    return first >= 0xE1 && first != 0xE2 ? 2 : 1; /* wide ones begin at U+1100 */
}

/* The next row of a column: what of its text fits; `used` are its columns. */
static size_t row_of(const char *text, size_t room, size_t *used) {
    size_t at = 0;
    *used = 0;
    while (text[at] && text[at] != '\n') {
        size_t bytes, columns = character(text + at, &bytes);
        if (*used + columns > room) break;
        *used += columns;
        at += bytes;
    }
    return at;
}

static void show_side_by_side(const struct consequence *branches, size_t count, size_t width) {
    size_t room = (width - 3 * (count - 1)) / count;
    const char *at[BRANCHES_MAX];
    bool more = true;
    for (size_t i = 0; i < count; i++) at[i] = branches[i].lines.data;
    while (more) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            size_t used, len = row_of(at[i], room, &used);
            if (i) fputs(" │ ", terminal);
            fwrite(at[i], 1, len, terminal);
            for (; i + 1 < count && used < room; used++) fputc(' ', terminal);
            at[i] += len + (at[i][len] == '\n');
            more |= *at[i] != '\0';
        }
        fputc('\n', terminal);
    }
}

static void show_branches(const struct consequence *branches, size_t count) {
    size_t width = width_of_terminal();
    if (width >= count * LEAST_COLUMNS + 3 * (count - 1)) {
        show_side_by_side(branches, count, width);
        return;
    }
    for (size_t i = 0; i < count; i++) fprintf(terminal, "%s\n", branches[i].lines.data);
}

/* ------------------------------------------------------------------ a call */

struct asked {
    pf_sandbox *sandbox;
    const struct arguments *arguments;
    uint64_t id;
    int capability;
    struct text method, params; /* params: as they would be made */
    bool edited;
};

/* Gives the reply that a preview shows for "yes"; false: none is known. */
static bool expected(const struct asked *a, struct consequence *c) {
    bool pure = is_pure(a->arguments, a->method.data);
    const char *command =
        command_of(pure ? &a->arguments->tools : &a->arguments->simulated, a->method.data);
    if (command) {
        c->reply = reply_from(command, a->params.data, a->params.len);
        return true;
    }
    text_puts(&c->why, "nothing is known of what ");
    text_puts(&c->why, a->method.data);
    text_puts(&c->why, " would give: it is neither --pure nor is there a --simulate for it");
    return false;
}

/* The recorded output of a branch that became the sandbox. */
static void tell_output(const struct text *pieces) {
    for (size_t at = 0; at < pieces->len;) {
        uint64_t len;
        int stream = pieces->data[at];
        memcpy(&len, pieces->data + at + 1, sizeof len);
        at += 1 + sizeof len;
        fwrite(pieces->data + at, 1, len, stream == 1 ? stdout : stderr);
        fflush(stream == 1 ? stdout : stderr);
        at += len;
    }
}

static bool equal(const struct reply *a, const struct reply *b) {
    return a->ok == b->ok && a->kind == b->kind && a->text.len == b->text.len &&
           (!a->text.len || !memcmp(a->text.data, b->text.data, a->text.len));
}

/* Makes it so: the sandbox becomes the branch if the reply is the one that was shown. */
static void settle(const struct asked *a, struct consequence *c, const struct reply *reply) {
    pf_error error;
    bool exact = c->sandbox && !c->cut && equal(reply, &c->reply);
    if (exact && pf_sandbox_accept(a->sandbox, c->sandbox, &error) == PF_OK) {
        c->sandbox = NULL;
        if (!a->arguments->json) tell_output(&c->pieces);
        return;
    }
    if (c->sandbox && !exact && !c->cut && reply->kind != PF_FAILURE_DENIED)
        show(terminal, "%s gave %.300s, which is not what was shown: the script goes on with it",
             a->method.data, reply->text.data ? reply->text.data : "nothing");
    if (reply_give(a->sandbox, a->id, reply, &error) != PF_OK) die("%s", error.message);
}

/* The call was made only now, and may have changed what others give: then the branch cannot
 * be had. */
static void look_again(const struct asked *a, struct consequence *c) {
    for (size_t i = 0; i < c->made_count && !c->cut; i++) {
        const struct made *made = &c->made[i];
        const char *command = command_of(&a->arguments->tools, made->method.data);
        struct reply now = reply_from(command, made->params.data, made->params.len);
        if (!equal(&now, &made->reply)) {
            c->cut = true;
            show(terminal,
                 "%s gives %.300s now, which is not what was shown: the script goes on from "
                 "the call",
                 made->method.data, now.text.data ? now.text.data : "nothing");
        }
        reply_free(&now);
    }
}

static void accept_yes(const struct asked *a, struct consequence *c) {
    if (is_pure(a->arguments, a->method.data) && c->known) {
        settle(a, c, &c->reply);
        return;
    }
    const char *command = command_of(&a->arguments->tools, a->method.data);
    struct reply reply = reply_from(command, a->params.data, a->params.len);
    if (c->sandbox && equal(&reply, &c->reply)) look_again(a, c);
    settle(a, c, &reply);
    reply_free(&reply);
}

/* What was spent, but for the call itself, is spent for the gate that judges other arguments. */
static bool check_request(const struct asked *a, const struct text *request, struct text *checked,
                          pf_error *error) {
    pf_options *options = options_of(a->arguments);
    pf_gate *gate = NULL;
    pf_call call;
    pf_status status = pf_gate_new(options, &gate, error);
    pf_options_free(options);
    for (size_t i = 0; status == PF_OK && i < CAPABILITIES_MAX; i++) {
        int64_t most = pf_gate_calls_left(gate, i), left = pf_sandbox_calls_left(a->sandbox, i);
        if (most > left) pf_gate_spend(gate, i, most - left - (i == (size_t)a->capability));
    }
    if (status == PF_OK) status = pf_gate_check(gate, request->data, request->len, &call, error);
    if (status == PF_OK && call.capability != a->capability) {
        snprintf(error->message, sizeof error->message,
                 "another capability would allow it than the script's call: deny that");
        status = PF_DENIED;
    }
    if (status == PF_OK) text_add(checked, call.params, call.params_len);
    pf_gate_free(gate);
    return status == PF_OK;
}

/* Other arguments, judged as the script's were; true: they are to be looked at. */
static bool edit(struct asked *a) {
    struct text line = {0}, request = {0};
    pf_error error;
    fprintf(terminal, "arguments instead of %s\n> ", a->params.data);
    bool ok = read_line(&line) && line.len;
    if (ok) {
        text_puts(&request, "{\"tool\":");
        text_json(&request, a->method.data, a->method.len);
        text_puts(&request, ",\"params\":");
        text_add(&request, line.data, line.len);
        text_puts(&request, "}");
        struct text checked = {0};
        ok = check_request(a, &request, &checked, &error);
        if (ok) {
            free(a->params.data);
            a->params = checked;
            a->edited = true;
        } else
            show(terminal, "%s", error.message);
    }
    free(line.data);
    free(request.data);
    return ok;
}

enum decision { YES, NO, AGAIN };

static enum decision decide(struct asked *a, struct text *why) {
    struct text line = {0};
    enum decision decision = NO;
    for (;;) {
        fputs("[y]es, [n]o, no and say [w]hy, [e]dit the arguments: ", terminal);
        bool there = read_line(&line);
        char c = there ? line.data[0] : 'n';
        if (c == 'y' || c == 'Y') decision = YES;
        else if (c == 'e' || c == 'E') {
            if (!edit(a)) continue;
            decision = AGAIN;
        } else if (c == 'w' || c == 'W') {
            fputs("why: ", terminal);
            if (read_line(&line)) text_add(why, line.data, line.len);
        } else if (c != 'n' && c != 'N')
            continue;
        break;
    }
    free(line.data);
    return decision;
}

/* Shows what would come of it and asks; true: it was decided. */
static bool ask_once(struct asked *a) {
    struct consequence branches[2] = {{.label = a->edited ? "edited" : "yes"}, {.label = "no"}};
    pf_sandbox *before = NULL;
    pf_error error;
    fputc('\n', terminal);
    show(terminal, "%s is to be called with %s", a->method.data, a->params.data);
    branches[1].reply = denial(a->method.data, NULL);
    if (pf_sandbox_preview(a->sandbox, &before, &error) == PF_OK) {
        branches[0].known = expected(a, &branches[0]);
        branches[1].known = true;
        for (int i = 0; i < 2; i++)
            consequence_explore(&branches[i], a->sandbox, before, a->id, a->arguments);
        show_branches(branches, 2);
    } else
        show(terminal, "what would come of it cannot be shown: %s", error.message);
    struct text why = {0};
    enum decision decision = decide(a, &why);
    if (decision == YES)
        accept_yes(a, &branches[0]);
    else if (decision == NO) {
        struct reply reply = denial(a->method.data, why.data);
        settle(a, &branches[1], why.len ? &reply : &branches[1].reply);
        reply_free(&reply);
    }
    free(why.data);
    for (int i = 0; i < 2; i++) consequence_free(&branches[i]);
    pf_sandbox_free(before);
    return decision != AGAIN;
}

void approve_call(pf_sandbox *sandbox, const struct arguments *arguments, uint64_t id) {
    struct asked a = {.sandbox = sandbox, .arguments = arguments, .id = id};
    size_t count = pf_sandbox_pending(sandbox, NULL, 0);
    pf_call *calls = calloc(count + 1, sizeof *calls);
    if (!calls) die("out of memory");
    pf_sandbox_pending(sandbox, calls, count);
    for (size_t i = 0; i < count; i++)
        if (calls[i].id == id) {
            a.capability = calls[i].capability;
            text_puts(&a.method, calls[i].method);
            text_add(&a.params, calls[i].params, calls[i].params_len);
        }
    free(calls);
    if (a.method.len && open_terminal()) {
        while (!ask_once(&a)) continue;
    } else if (a.method.len) {
        pf_error error;
        struct reply reply =
            denial(a.method.data, "it needs approval, and there is no terminal to ask at");
        if (reply_give(sandbox, id, &reply, &error) != PF_OK) die("%s", error.message);
        reply_free(&reply);
    }
    free(a.method.data);
    free(a.params.data);
}
