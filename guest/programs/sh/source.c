/*
 * source.c: where commands come from: texts (-c, eval, source, traps, sessions) and descriptors.
 *
 * The loop here is the only place that parses and executes in turn, and the only one that ends
 * FLOW_DISCARD: an error gives up the complete command it happened in, and the next one runs;
 * and FLOW_ABANDON, at the outermost loop.
 */
#include "parse.h"

#include "history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct source {
    int fd;
    bool seekable;
};

struct tree *tree_new(void) {
    struct tree *t = xcalloc(1, sizeof *t);
    t->refs = 1;
    return t;
}

struct tree *tree_ref(struct tree *t) {
    t->refs++;
    return t;
}

void tree_drop(struct tree *t) {
    if (!t || --t->refs > 0) return;
    arena_free(&t->mem);
    free(t);
}

void tree_done(struct shell *sh, struct tree *t) {
    if (t->refs == 1 && sh->command && !sh->in_trap) {
        bool wanted = false;
        for (int i = 0; i < DIM(sh->trap_set); i++) wanted |= sh->trap_set[i];
        sb text = {0};
        if (wanted) print_head(&text, sh->command);
        free(sh->command_text);
        sh->command_text = sb_str(&text);
        sh->command = NULL;
    }
    tree_drop(t);
}

/* ------------------------------------------------------------------ reading lines */

static void append_text(struct parser *p, const char *s, size_t n) {
    p->buf = xrealloc(p->buf, p->len + n + 1);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) /* NUL bytes are dropped, as bash drops them */
        if (s[i]) p->buf[p->len + kept++] = s[i];
    p->len += kept;
    for (struct alias_use *u = p->aliases; u; u = u->next) u->rest += kept;
    if (p->alias_next != NO_ALIAS) p->alias_next += kept;
    if (p->alias_after != NO_ALIAS) p->alias_after += kept;
}

/* A text ends its last line, as far as the grammar is concerned; a backslash at its end stands for
 * itself. */
static void end_line(struct parser *p) {
    if (p->len > 0 && p->buf[p->len - 1] != '\n' && p->buf[p->len - 1] != '\\')
        append_text(p, "\n", 1);
}

static void prompt(struct parser *p) {
    struct shell *sh = p->sh;
    if (!sh->interactive) return;
    arena_mark mark = arena_here(&sh->tmp);
    bool first = !p->have && p->pos >= p->len;
    const char *text = var_get(sh, first ? "PS1" : "PS2");
    char *shown = text ? prompt_expand(sh, text) : NULL;
    if (shown) sh_write_err(shown, strlen(shown));
    arena_release(&sh->tmp, mark);
}

/* Is history expansion on for what is read here? */
static bool expands_history(const struct parser *p) {
    const struct shell *sh = p->sh;
    return sh->opt[OPT_HISTORY] && sh->opt[OPT_HISTEXPAND] && sh->eval_depth <= 1 && !sh->in_trap &&
           !sh->command_string;
}

/* Expands the line that was read to the end of the buffer. false: nothing of it is to be run. */
static bool expand_line(struct parser *p, size_t from) {
    struct shell *sh = p->sh;
    if (!expands_history(p) || p->open_quote == '<') return true;
    arena_mark mark = arena_here(&sh->tmp);
    bool newline = p->len > from && p->buf[p->len - 1] == '\n';
    char *line = arena_strndup(&sh->tmp, p->buf + from, p->len - from - newline);
    sb out = sb_in(&sh->tmp);
    enum history_expanded what = history_expand(sh, line, p->open_quote, &out);
    if (what == HISTORY_FAILED) {
        int was = sh->error_line;
        sh->error_line = p->line;
        sh_error(sh, "%s", sb_str(&out));
        sh->error_line = was;
    } else if (what != HISTORY_SAME) {
        char *shown = arena_printf(&sh->tmp, "%s\n", sb_str(&out));
        sh_write_err(shown, strlen(shown));
        if (what == HISTORY_PRINT) history_add(sh, sb_str(&out));
    }
    if (what != HISTORY_SAME) {
        p->len = from;
        if (what == HISTORY_CHANGED) {
            append_text(p, out.s ? out.s : "", out.n);
            if (newline) append_text(p, "\n", 1);
        }
    }
    arena_release(&sh->tmp, mark);
    return what == HISTORY_SAME || what == HISTORY_CHANGED;
}

/* The next line of a text whose lines are expanded. */
static bool next_kept_line(struct parser *p) {
    while (p->rest_at < p->rest_n) {
        const char *line = p->rest + p->rest_at, *end = memchr(line, '\n', p->rest_n - p->rest_at);
        size_t n = end ? (size_t)(end - line) + 1 : p->rest_n - p->rest_at, from = p->len;
        append_text(p, line, n);
        p->rest_at += n;
        if (expand_line(p, from)) return true;
    }
    return false;
}

/* A text is read line by line while history expansion is on, as its commands switch it. */
static void choose_lines(struct parser *p) {
    bool on = expands_history(p);
    if (on && !p->more) {
        p->rest_n = p->len - p->pos;
        p->rest_at = 0;
        p->rest = xstrndup(p->buf + p->pos, p->rest_n);
        p->len = p->pos;
        p->more = next_kept_line;
    } else if (!on && p->rest) {
        p->more = NULL;
        append_text(p, p->rest + p->rest_at, p->rest_n - p->rest_at);
        free(p->rest);
        p->rest = NULL;
    }
}

/* Reads one line and not a byte more: what follows belongs to the commands. */
static bool read_line_from(struct parser *p) {
    struct source *src = p->source;
    char chunk[256];
    bool any = false;
    prompt(p);
    for (;;) {
        ssize_t n = read(src->fd, chunk, src->seekable ? sizeof chunk : 1);
        if (n < 0 && errno == EINTR) {
            signal_check(p->sh);
            if (p->sh->flow) return any;
            continue;
        }
        if (n <= 0) {
            if (any) end_line(p);
            return any;
        }
        any = true;
        char *end = memchr(chunk, '\n', (size_t)n);
        if (!end) {
            append_text(p, chunk, (size_t)n);
            continue;
        }
        size_t used = (size_t)(end - chunk) + 1;
        append_text(p, chunk, used);
        if (used < (size_t)n) lseek(src->fd, (off_t)used - (off_t)n, SEEK_CUR);
        return true;
    }
}

/* Reads lines until one is there to be run. */
static bool read_line(struct parser *p) {
    size_t from = p->len;
    while (read_line_from(p)) {
        if (expand_line(p, from)) return true;
        from = p->len;
    }
    return false;
}

/* ------------------------------------------------------------------ the loop */

/* Forgets text that has been executed, when it is from a stream. */
static void drop_consumed(struct parser *p) {
    if (!p->more || p->pos < 4096) return;
    memmove(p->buf, p->buf + p->pos, p->len - p->pos);
    p->len -= p->pos;
    p->line_start -= p->line_start < p->pos ? p->line_start : p->pos;
    p->pos = 0;
}

static void echo_source(struct parser *p, size_t from) {
    if (!p->sh->opt[OPT_VERBOSE] || from > p->pos) return;
    sh_write_err(p->buf + from, p->pos - from);
}

/* Adds what was read to the history; a text that aliases changed is no longer there. */
static void remember(struct parser *p, size_t from) {
    if (p->aliases || from >= p->pos || !p->tree->root) return;
    p->sh->history.line_added = false;
    history_note(p->sh, p->buf + from, p->pos - from);
}

/* What an error or `return` at this level means. true: the loop ends. */
static bool settle_flow(struct shell *sh) {
    if (sh->flow == FLOW_NONE) return false;
    if (sh->flow != FLOW_DISCARD && sh->flow != FLOW_ABANDON) return true;
    if (sh->subshell > 0) {
        sh->flow = FLOW_EXIT;
        return true;
    }
    bool ends = sh->flow == FLOW_ABANDON && (sh->eval_depth > 1 || sh->command_string);
    if (sh->flow == FLOW_DISCARD || sh->eval_depth <= 1) sh->flow = FLOW_NONE;
    return ends;
}

/* Nothing but blanks is left: the command just parsed is the last one. */
static bool only_blanks_left(const struct parser *p) {
    if (p->more) return false;
    for (size_t i = p->pos; i < p->len; i++)
        if (!strchr(" \t\n", p->buf[i])) return false;
    return true;
}

/* $? after a syntax error. */
static int failed_status(const struct parser *p) {
    struct shell *sh = p->sh;
    if (p->comsub_error) return sh->command_string ? 127 : sh->eval_depth > 1 ? 1 : 2;
    if (p->compound_error) return 1;
    /* the script itself keeps $? at an error in [[ ]], which eval and source do not */
    return p->cond_error && sh->eval_depth <= 1 && sh->trace_depth == 0 ? sh->status : 2;
}

/* After a syntax error that costs no more than its line: steps behind it; false at the end. */
static bool next_line(struct parser *p) {
    if (p->sh->eval_depth > 1) return false;
    while (lex_at(p, 0) >= 0 && p->buf[p->pos] != '\n') p->pos++;
    p->failed = p->have = p->compound_error = p->at_eof_error = false;
    p->depth = p->comsubs = p->aliases_off = 0;
    p->pending = NULL;
    return lex_at(p, 0) >= 0;
}

static int run_parser(struct parser *p) {
    struct shell *sh = p->sh;
    bool can_exec = sh->can_exec;
    int last = 0;
    for (;;) {
        struct tree *t = tree_new();
        p->tree = t;
        p->mem = &t->mem;
        p->aliases = NULL;
        p->alias_next = p->alias_after = NO_ALIAS;
        drop_consumed(p);
        choose_lines(p);
        size_t from = p->pos;
        t->root = parse_complete(p);
        echo_source(p, from);
        if (sh->opt[OPT_HISTORY] && !sh->in_trap && (sh->eval_depth <= 1 || sh->history.reads_edited))
            remember(p, from);
        if (p->failed) {
            last = sh->status = failed_status(p);
            if (p->compound_error && !p->comsub_error && next_line(p)) {
                tree_drop(t);
                continue;
            }
            if (p->comsub_error && (sh->command_string || sh->eval_depth > 1))
                sh_abandon(sh, sh->status);
            if (sh->interactive && p->more && !p->at_eof_error) {
                p->failed = p->have = false;
                p->pos = p->len;
                p->depth = 0;
                p->pending = NULL;
                tree_drop(t);
                continue;
            }
        } else if (t->root && !(sh->opt[OPT_NOEXEC] && !sh->interactive)) {
            sh->can_exec = can_exec && only_blanks_left(p);
            last = exec_node(sh, t->root);
            sh->can_exec = can_exec;
            if (sh->flow != FLOW_NONE) last = sh->status;
        }
        sh->syntax_failed = p->failed;
        bool end = p->failed || !t->root;
        tree_done(sh, t);
        if (settle_flow(sh) || end) break;
        if (sh->opt[OPT_ONECMD]) {
            sh->flow = FLOW_EXIT;
            break;
        }
    }
    return last;
}

int run_text(struct shell *sh, const char *text, size_t n, int line, const char *where) {
    if (sh->eval_depth >= EVAL_DEPTH_MAX || sh_deep(sh)) {
        sh_expand_error(sh, "maximum eval nesting level exceeded (%d)", EVAL_DEPTH_MAX);
        return sh->status;
    }
    struct parser p = {.sh = sh, .line = line, .where = where};
    append_text(&p, text, n);
    end_line(&p);
    int line_shift = sh->line_shift;
    sh->line_shift = 0;
    sh->eval_depth++;
    int status = run_parser(&p);
    sh->eval_depth--;
    sh->line_shift = line_shift;
    free(p.rest);
    free(p.buf);
    return status;
}

int run_fd(struct shell *sh, int fd) {
    struct source src = {.fd = fd, .seekable = lseek(fd, 0, SEEK_CUR) >= 0};
    struct parser p = {.sh = sh, .line = 1, .more = read_line, .source = &src};
    p.buf = xmalloc(1);
    int status = run_parser(&p);
    free(p.buf);
    return status;
}

char *read_file(struct shell *sh, int fd, size_t *n) {
    (void)sh;
    sb text = {0};
    sb_grow(&text, 4096);
    for (;;) {
        if (text.cap - text.n < 2048) sb_grow(&text, text.cap);
        ssize_t got = read(fd, text.s + text.n, text.cap - text.n - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            int error = errno;
            sb_free(&text);
            errno = error;
            return NULL;
        }
        if (got == 0) break;
        text.n += (size_t)got;
    }
    *n = text.n;
    return sb_str(&text);
}

int run_file(struct shell *sh, const char *path, bool must) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (must) sh_error(sh, "%s: %s", path, strerror(errno));
        return 1;
    }
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) return 1;
    int status = run_text(sh, text, n, 1, NULL);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ texts that are no scripts */

struct tree *parse_text(struct shell *sh, const char *text, size_t n, int line, const char *where) {
    return parse_first(sh, text, n, line, where, NULL);
}

struct tree *parse_first(struct shell *sh, const char *text, size_t n, int line, const char *where,
                         bool *rest) {
    struct tree *t = tree_new();
    struct parser p = {
        .sh = sh, .line = line, .where = where, .tree = t, .mem = &t->mem,
        .alias_next = NO_ALIAS, .alias_after = NO_ALIAS};
    append_text(&p, text, n);
    t->root = parse_complete(&p);
    bool failed = p.failed;
    if (rest) *rest = !only_blanks_left(&p);
    free(p.buf);
    if (!failed) return t;
    tree_drop(t);
    return NULL;
}

bool parse_each(struct shell *sh, const char *text, size_t n,
                void (*take)(void *arg, const struct node *n), void *arg) {
    struct parser p = {.sh = sh, .line = 1};
    append_text(&p, text, n);
    end_line(&p);
    for (bool more = true; more;) {
        struct tree *t = tree_new();
        p.tree = t;
        p.mem = &t->mem;
        p.aliases = NULL;
        p.alias_next = p.alias_after = NO_ALIAS;
        t->root = parse_complete(&p);
        more = !p.failed && t->root;
        if (more) take(arg, t->root);
        tree_drop(t);
    }
    free(p.buf);
    return !p.failed;
}

struct word *parse_word_text(struct shell *sh, struct tree *tree, const char *text, size_t n,
                             enum word_mode mode) {
    struct parser p = {
        .sh = sh, .line = sh->line, .tree = tree, .mem = &tree->mem,
        .alias_next = NO_ALIAS, .alias_after = NO_ALIAS};
    p.ctx.pattern = true;
    return word_of_text(&p, text, n, mode, sh->line);
}

struct assign *parse_compound_text(struct shell *sh, struct tree *tree, const char *name,
                                   const char *text) {
    struct parser p = {
        .sh = sh, .line = sh->line, .tree = tree, .mem = &tree->mem,
        .alias_next = NO_ALIAS, .alias_after = NO_ALIAS};
    append_text(&p, name, strlen(name));
    append_text(&p, "=", 1);
    append_text(&p, text, strlen(text));
    p.ctx.assign_ok = true;
    struct word *w = word_lex(&p);
    bool whole = p.pos >= p.len;
    free(p.buf);
    return w && !p.failed && whole && w->assign && w->assign->compound ? w->assign : NULL;
}
