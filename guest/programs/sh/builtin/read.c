/*
 * builtin/read.c: read.
 */
#include "builtin.h"
#include "readline.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

struct reading {
    const char *array, *prompt;
    int delimiter;      /* byte; 0 for NUL */
    int64_t chars;      /* -n or -N; -1: none */
    bool exact;         /* -N */
    bool raw;           /* -r */
    int64_t timeout;    /* ns; -1: none */
    int fd;
    bool fd_given;      /* -u */
    sb text, mask;      /* mask: 1 for bytes that a backslash protected from splitting */
};

static void keep(struct reading *r, int c, bool escaped) {
    sb_putc(&r->text, (char)c);
    sb_putc(&r->mask, escaped);
}

/* Reads what belongs to this call. 0, or why it ended early. */
static int read_text(struct shell *sh, struct reading *r) {
    struct input in;
    input_open(&in, r->fd, r->timeout);
    int64_t count = 0;
    int result = 0, pending = 0; /* pending: bytes of a character still to come */
    bool escaped = false;
    while (r->chars < 0 || count < r->chars) {
        int c = input_byte(sh, &in);
        if (c < 0) {
            result = c;
            break;
        }
        if (!escaped && !r->exact && c == r->delimiter) break;
        if (c == 0) continue;
        if (!r->raw && !escaped && c == '\\') {
            escaped = true;
            continue;
        }
        if (escaped && c == '\n') {
            escaped = false;
            continue;
        }
        keep(r, c, escaped);
        escaped = false;
        if (pending > 0) pending--;
        else pending = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        if (pending == 0) count++;
    }
    input_close(&in);
    return result;
}

/* ------------------------------------------------------------------ splitting */

struct splitter {
    const struct shell *sh;
    const char *s, *mask;
    size_t n, at;
};

static int class_at(const struct splitter *sp, size_t i, size_t *len) {
    *len = 1;
    return sp->mask[i] ? 0 : ifs_class_at(sp->sh, sp->s + i, sp->n - i, len);
}

static void skip_space(struct splitter *sp) {
    size_t len;
    while (sp->at < sp->n && class_at(sp, sp->at, &len) == 1) sp->at++;
}

/* The next field; false when there is none left. */
static bool next_field(struct splitter *sp, size_t *start, size_t *len) {
    size_t step;
    if (sp->at >= sp->n) return false;
    *start = sp->at;
    while (sp->at < sp->n && class_at(sp, sp->at, &step) == 0) sp->at += step;
    *len = sp->at - *start;
    skip_space(sp);
    if (sp->at < sp->n && class_at(sp, sp->at, &step) == 2) {
        /* white space and one other separator make one delimiter */
        sp->at += step;
        skip_space(sp);
    }
    return true;
}

static struct splitter splitter_new(struct shell *sh, const struct reading *r) {
    struct splitter sp = {sh, r->text.s ? r->text.s : "", r->mask.s ? r->mask.s : "", r->text.n, 0};
    skip_space(&sp);
    return sp;
}

static bool give(struct shell *sh, const char *name, const char *s, size_t n) {
    char *value = arena_strndup(&sh->tmp, s, n);
    if (!assign_valid_lhs(name)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", name);
        return false;
    }
    return assign_text(sh, name, value, false);
}

/* The last name gets all that is left, without what only ends it. */
static bool give_rest(struct shell *sh, const char *name, struct splitter *sp) {
    size_t from = sp->at, start, len;
    if (!next_field(sp, &start, &len)) return give(sh, name, "", 0);
    if (sp->at >= sp->n) return give(sh, name, sp->s + start, len);
    size_t end = sp->n, one;
    while (end > from && class_at(sp, end - 1, &one) == 1) end--;
    return give(sh, name, sp->s + from, end - from);
}

static bool give_names(struct shell *sh, const struct reading *r, int n, char **names) {
    struct splitter sp = splitter_new(sh, r);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        size_t start, len;
        if (i == n - 1) ok = give_rest(sh, names[i], &sp);
        else if (next_field(&sp, &start, &len)) ok = give(sh, names[i], sp.s + start, len);
        else ok = give(sh, names[i], "", 0);
    }
    return ok;
}

static bool give_array(struct shell *sh, const struct reading *r) {
    if (!name_ok(r->array)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", r->array);
        return false;
    }
    struct var *v = var_make(sh, r->array);
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    if (v->flags & V_ASSOC) {
        sh_builtin_error(sh, "%s: cannot convert associative to indexed array", r->array);
        return false;
    }
    var_clear(sh, v);
    var_to_array(sh, v);
    v->flags |= V_SET;
    struct splitter sp = splitter_new(sh, r);
    size_t start, len;
    for (int64_t i = 0; next_field(&sp, &start, &len); i++)
        var_assign_index(sh, v, i, arena_strndup(&sh->tmp, sp.s + start, len), false);
    return true;
}

static bool give_all(struct shell *sh, struct reading *r, int n, char **names) {
    if (r->array) return give_array(sh, r);
    const char *text = r->text.s ? r->text.s : "";
    if (n == 0) return give(sh, "REPLY", text, r->text.n);
    if (!r->exact) return give_names(sh, r, n, names);
    bool ok = give(sh, names[0], text, r->text.n);
    for (int i = 1; i < n && ok; i++) ok = give(sh, names[i], "", 0);
    return ok;
}

/* ------------------------------------------------------------------ options */

static bool seconds_to_ns(const char *s, int64_t *out) {
    char *end;
    if (!*s) return false;
    double seconds = strtod(s, &end);
    if (*end || seconds < 0) return false;
    *out = (int64_t)(seconds * 1e9);
    return true;
}

static int read_option(struct shell *sh, struct reading *r, int c, const char *arg) {
    int64_t n;
    switch (c) {
    case 'a': r->array = arg; return 0;
    case 'd': r->delimiter = (unsigned char)*arg; return 0;
    case 'p': r->prompt = arg; return 0;
    case 'r': r->raw = true; return 0;
    case 'n':
    case 'N':
        if (!parse_int64(arg, &n) || n < 0) {
            sh_builtin_error(sh, "%s: invalid number", arg);
            return 1;
        }
        r->chars = n;
        r->exact = c == 'N';
        return 0;
    case 't':
        if (!seconds_to_ns(arg, &r->timeout)) {
            sh_builtin_error(sh, "%s: invalid timeout specification", arg);
            return 1;
        }
        return 0;
    case 'u':
        if (!parse_int64(arg, &n) || n < 0 || n > INT_MAX) {
            sh_builtin_error(sh, "%s: invalid file descriptor specification", arg);
            return 1;
        }
        r->fd = (int)n;
        r->fd_given = true;
        return 0;
    default: return 0; /* -e -i -s change how a terminal behaves */
    }
}

static bool ready_now(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLIN | POLLHUP));
}

BUILTIN(read) {
    struct bopt o = bopt_new(argc, argv);
    struct reading r = {.delimiter = '\n', .chars = -1, .timeout = -1};
    const char *tmout = var_get(sh, "TMOUT");
    for (int c; (c = bopt_next(sh, &o, "ersa:d:i:n:p:t:u:N:", NULL));) {
        if (bopt_over(c)) return 2;
        int status = read_option(sh, &r, c, o.arg);
        if (status) return status;
    }
    int names = argc - o.index;
    if (names > 0 && !r.array && !assign_valid_lhs(argv[o.index])) {
        sh_builtin_error(sh, "`%s': not a valid identifier", argv[o.index]);
        return 1;
    }
    if (fcntl(r.fd, F_GETFD) < 0) {
        sh_builtin_error(sh, r.fd_given ? "%d: invalid file descriptor: %s" : "read error: %d: %s", r.fd,
                         strerror(errno));
        return 1;
    }
    if (r.timeout == 0) return ready_now(r.fd) ? 0 : 1;
    if (r.timeout < 0 && tmout && *tmout) seconds_to_ns(tmout, &r.timeout);
    if (r.prompt && isatty(r.fd)) sh_write_err(r.prompt, strlen(r.prompt));
    int end = r.chars == 0 ? 0 : read_text(sh, &r);
    if (end == INPUT_ERROR) {
        sh_builtin_error(sh, "read error: %d: %s", r.fd, strerror(errno));
        sb_free(&r.text);
        sb_free(&r.mask);
        return 1;
    }
    bool ok = give_all(sh, &r, names, argv + o.index);
    sb_free(&r.text);
    sb_free(&r.mask);
    if (!ok) return 1;
    if (end == INPUT_TIMEOUT) return 128 + SIGALRM;
    if (end == INPUT_SIGNAL) return 128 + (sh->read_signal > 0 ? sh->read_signal : SIGINT);
    return end == INPUT_EOF ? 1 : 0;
}
