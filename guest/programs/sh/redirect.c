/*
 * redirect.c: < > >> <> >& <<EOF <<< {fd}>: done in order, and taken back afterwards.
 *
 * For a builtin or a compound command the old descriptors are kept, close-on-exec, far above those
 * that scripts use, and put back in reverse order.
 */
#include "sh.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAVED_FD_MIN = 100, HERE_PIPE_MAX = 65536 };

static int move_above(int fd, int least) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0) high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    return high;
}

int redir_move_high(int fd) {
    int high = move_above(fd, 10);
    close(fd);
    return high;
}

static void remember(struct redir_undo **undo, int fd) {
    if (!undo) return;
    struct redir_undo *u = xmalloc(sizeof *u);
    *u = (struct redir_undo){*undo, fd, move_above(fd, SAVED_FD_MIN)};
    *undo = u;
}

void redir_undo(struct shell *sh, struct redir_undo *undo) {
    (void)sh;
    while (undo) {
        struct redir_undo *u = undo;
        undo = u->next;
        if (u->saved >= 0) {
            dup2(u->saved, u->fd);
            close(u->saved);
        } else {
            close(u->fd);
        }
        free(u);
    }
}

void redir_keep(struct shell *sh, struct redir_undo *undo) {
    (void)sh;
    while (undo) {
        struct redir_undo *u = undo;
        undo = u->next;
        if (u->saved >= 0) close(u->saved);
        free(u);
    }
}

/* ------------------------------------------------------------------ here-documents */

static int here_file(const char *text, size_t n) {
    char name[64];
    static int counter;
    for (int tries = 0; tries < 100; tries++) {
        snprintf(name, sizeof name, "/tmp/.sh-here-%ld-%d", (long)getpid(), counter++);
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return -1;
        unlink(name);
        if (write_all(fd, text, n) == 0 && lseek(fd, 0, SEEK_SET) == 0) return fd;
        close(fd);
        return -1;
    }
    return -1;
}

int redir_here(struct shell *sh, const char *text, size_t n) {
    int fds[2];
    (void)sh;
    if (n >= HERE_PIPE_MAX) return here_file(text, n);
    if (pipe(fds) < 0) return -1;
    /* No process reads yet: a write that does not fit at once would wait for ever. */
    bool fits = fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0 && write_all(fds[1], text, n) == 0;
    close(fds[1]);
    if (fits) return fds[0];
    close(fds[0]);
    return here_file(text, n);
}

/* The text of << or <<<. NULL: flow is set. */
char *redir_here_text(struct shell *sh, const struct redir *r, size_t *n) {
    bool here = r->kind == R_HERE_DOC;
    char *text = !r->target ? (char *)""
                 : here     ? expand_here(sh, r->target)
                            : expand_single(sh, r->target);
    if (!text) return NULL;
    *n = strlen(text);
    if (r->kind == R_HERE_STRING) {
        text = arena_printf(&sh->tmp, "%s\n", text);
        (*n)++;
    }
    return text;
}

/* ------------------------------------------------------------------ opening */

static int open_flags(int kind) {
    switch (kind) {
    case R_IN: return O_RDONLY;
    case R_INOUT: return O_RDWR | O_CREAT;
    case R_APPEND:
    case R_BOTH_APPEND: return O_WRONLY | O_CREAT | O_APPEND;
    default: return O_WRONLY | O_CREAT | O_TRUNC;
    }
}

/* With set -C, > must not destroy a regular file. */
static int open_noclobber(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0) {
        if (S_ISREG(st.st_mode)) {
            errno = EEXIST;
            return -1;
        }
        return open(path, O_WRONLY | O_TRUNC);
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

int redir_open(struct shell *sh, const struct redir *r, const char *path) {
    int fd;
    if (sh->restricted && r->kind != R_IN) {
        sh_error(sh, "%s: restricted: cannot redirect output", path);
        return -1;
    }
    bool guard = sh->opt[OPT_NOCLOBBER] && (r->kind == R_OUT || r->kind == R_BOTH);
    do fd = guard ? open_noclobber(path) : open(path, open_flags(r->kind), 0666);
    while (fd < 0 && errno == EINTR && (signal_check(sh), sh->flow == FLOW_NONE));
    if (fd >= 0) return fd;
    if (guard && errno == EEXIST) sh_error(sh, "%s: cannot overwrite existing file", path);
    else sh_error(sh, "%s: %s", path, strerror(errno));
    return -1;
}

/* ------------------------------------------------------------------ {name}> */

static bool var_fd_close(struct shell *sh, const struct redir *r) {
    const char *s = assign_get_text(sh, r->fd_var);
    int64_t fd;
    if (!s || !*s) {
        sh_error(sh, "%s: ambiguous redirect", r->fd_var);
        return false;
    }
    if (parse_int64(s, &fd)) close((int)fd);
    return true;
}

/* Gives the variable a new descriptor, a copy of fd. */
static bool var_fd_set(struct shell *sh, const struct redir *r, int fd, bool close_it,
                       struct redir_undo **undo) {
    int high = fcntl(fd, F_DUPFD, 10);
    if (close_it) close(fd);
    if (high < 0) {
        sh_error(sh, "redirection error: cannot duplicate fd: %s", strerror(errno));
        return false;
    }
    char text[16];
    snprintf(text, sizeof text, "%d", high);
    if (assign_text(sh, r->fd_var, text, false)) {
        if (undo && sh->shopt[SHOPT_VARREDIR_CLOSE]) {
            struct redir_undo *u = xmalloc(sizeof *u);
            *u = (struct redir_undo){*undo, high, -1};
            *undo = u;
        }
        return true;
    }
    sh_error(sh, "%s: cannot assign fd to variable", r->fd_var);
    close(high);
    return false;
}

/* ------------------------------------------------------------------ one redirection */

static int default_fd(const struct redir *r) {
    if (r->fd >= 0) return r->fd;
    switch (r->kind) {
    case R_IN: case R_INOUT: case R_DUP_IN: case R_HERE_DOC: case R_HERE_STRING: return 0;
    default: return 1;
    }
}

static bool put_at(struct shell *sh, const struct redir *r, int fd, int target,
                   struct redir_undo **undo) {
    if (r->fd_var) return var_fd_set(sh, r, fd, true, undo);
    if (fd == target) { /* it was free, so that is where it was opened */
        if (undo) {
            struct redir_undo *u = xmalloc(sizeof *u);
            *u = (struct redir_undo){*undo, target, -1};
            *undo = u;
        }
        return true;
    }
    remember(undo, target);
    if (dup2(fd, target) < 0) {
        sh_error(sh, "%d: %s", target, strerror(errno));
        close(fd);
        return false;
    }
    close(fd);
    return true;
}

/* >&word where the word is no descriptor: &>word. */
static bool do_both(struct shell *sh, const struct redir *r, const char *word,
                    struct redir_undo **undo) {
    struct redir both = *r;
    both.kind = R_BOTH;
    int fd = redir_open(sh, &both, word);
    if (fd < 0 || !put_at(sh, &both, fd, 1, undo)) return false;
    remember(undo, 2);
    return dup2(1, 2) >= 0;
}

/* As bash has it, the source says whether a descriptor moves: with x=2-, >&$x names a file. */
static bool do_dup(struct shell *sh, const struct redir *r, char *word, int target,
                   struct redir_undo **undo) {
    if (strcmp(word, "-") == 0) {
        if (r->fd_var) return var_fd_close(sh, r);
        remember(undo, target);
        close(target);
        return true;
    }
    size_t len = strlen(r->target->text);
    bool move = len > 1 && r->target->text[len - 1] == '-';
    if (move && *word) word[strlen(word) - 1] = 0;
    if (word[strspn(word, "0123456789")]) {
        if (r->kind == R_DUP_OUT && target == 1 && !move && !r->fd_var)
            return do_both(sh, r, word, undo);
        sh_error(sh, "%.*s: ambiguous redirect", (int)(move ? len - 1 : len), r->target->text);
        return false;
    }
    errno = EBADF;
    long from = *word ? strtol(word, NULL, 10) : -1;
    if (from < 0 || from > INT_MAX || fcntl((int)from, F_GETFD) < 0) {
        sh_error(sh, "%s: %s", r->target->text, strerror(errno));
        return false;
    }
    if (r->fd_var) {
        if (!var_fd_set(sh, r, (int)from, false, undo)) return false;
    } else if (from != target) {
        remember(undo, target);
        if (dup2((int)from, target) < 0) {
            sh_error(sh, "%ld: %s", from, strerror(errno));
            return false;
        }
    }
    if (move && from != target) {
        remember(undo, (int)from);
        close((int)from);
    }
    return true;
}

static bool do_here(struct shell *sh, const struct redir *r, int target, struct redir_undo **undo) {
    size_t n;
    char *text = redir_here_text(sh, r, &n);
    if (!text) return false;
    int fd = redir_here(sh, text, n);
    if (fd < 0) {
        sh_error(sh, "cannot create temp file for here-document: %s", strerror(errno));
        return false;
    }
    return put_at(sh, r, fd, target, undo);
}

static bool redir_one(struct shell *sh, const struct redir *r, struct redir_undo **undo) {
    int target = default_fd(r);
    if (r->kind == R_HERE_DOC || r->kind == R_HERE_STRING) return do_here(sh, r, target, undo);
    char *word;
    if (!expand_redirect(sh, r->target, &word)) return false;
    if (r->kind == R_DUP_IN || r->kind == R_DUP_OUT) return do_dup(sh, r, word, target, undo);
    int fd = redir_open(sh, r, word);
    if (fd < 0 || !put_at(sh, r, fd, target, undo)) return false;
    if (r->kind != R_BOTH && r->kind != R_BOTH_APPEND) return true;
    remember(undo, 2);
    return dup2(1, 2) >= 0;
}

bool redir_do(struct shell *sh, const struct redir *r, struct redir_undo **undo) {
    struct redir_undo *before = undo ? *undo : NULL;
    for (; r; r = r->next) {
        if (redir_one(sh, r, undo)) continue;
        if (undo) {
            struct redir_undo *mine = *undo, **end = &mine;
            while (*end != before) end = &(*end)->next;
            *end = NULL;
            redir_undo(sh, mine);
            *undo = before;
        }
        return false;
    }
    return true;
}
