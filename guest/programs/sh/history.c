/*
 * history.c: the list that `set -o history` keeps: the list of commands that were read.
 *
 * The outermost loop of source.c adds to it before it executes; `history` and `fc` show and change
 * it. HISTFILE is read when the list is switched on, and gets what is new when the shell ends.
 */
#include "history.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static int limit_of(struct shell *sh) {
    int64_t n;
    const char *text = var_get(sh, "HISTSIZE");
    if (!text || !*text || !parse_int64(text, &n)) return 500;
    return n < 0 || n > HISTORY_MAX ? HISTORY_MAX : (int)n;
}

void history_remove(struct shell *sh, int from, int to) {
    struct history *h = &sh->history;
    if (from >= to) return;
    for (int i = from; i < to; i++) free(h->v[i]);
    memmove(h->v + from, h->v + to, (size_t)(h->n - to) * sizeof *h->v);
    memmove(h->times + from, h->times + to, (size_t)(h->n - to) * sizeof *h->times);
    h->n -= to - from;
    if (h->unsaved > h->n) h->unsaved = h->n;
}

void history_shrink(struct shell *sh) {
    struct history *h = &sh->history;
    int extra = h->n - limit_of(sh);
    if (extra <= 0) return;
    history_remove(sh, 0, extra);
    h->base = extra - 1; /* as bash numbers those that are left */
}

void history_add(struct shell *sh, const char *text) {
    struct history *h = &sh->history;
    if (h->n == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->v = xrealloc(h->v, (size_t)h->cap * sizeof *h->v);
        h->times = xrealloc(h->times, (size_t)h->cap * sizeof *h->times);
    }
    if (h->n > 0 && h->n >= limit_of(sh)) {
        history_remove(sh, 0, h->n - limit_of(sh) + 1);
        h->base++;
    }
    h->times[h->n] = var_get(sh, "HISTTIMEFORMAT") ? (int64_t)time(NULL) : 0;
    h->v[h->n++] = xstrdup(text);
    h->unsaved++;
}

/* HISTCONTROL and HISTIGNORE: is the line one that is not kept? */
static bool unwanted(struct shell *sh, const char *text) {
    const struct history *h = &sh->history;
    const char *control = var_get(sh, "HISTCONTROL"), *ignore = var_get(sh, "HISTIGNORE");
    bool both = control && strstr(control, "ignoreboth");
    if (control && (both || strstr(control, "ignorespace")) && *text == ' ') return true;
    if (control && (both || strstr(control, "ignoredups")) && h->n && !strcmp(h->v[h->n - 1], text))
        return true;
    while (ignore && *ignore) {
        size_t n = strcspn(ignore, ":");
        char *pattern = xstrndup(ignore, n);
        const char *previous = h->n ? h->v[h->n - 1] : "";
        bool hit = strcmp(pattern, "&") == 0 ? strcmp(previous, text) == 0
                                             : pattern_match(pattern, text, strlen(text), PAT_EXT);
        free(pattern);
        if (hit) return true;
        ignore += n + (ignore[n] == ':');
    }
    return false;
}

/* HISTCONTROL=erasedups: the same command is kept at its last place only. */
static void erase_same(struct shell *sh, const char *text) {
    const char *control = var_get(sh, "HISTCONTROL");
    if (!control || !strstr(control, "erasedups")) return;
    for (int i = sh->history.n - 1; i >= 0; i--)
        if (strcmp(sh->history.v[i], text) == 0) history_remove(sh, i, i + 1);
}

void history_offer(struct shell *sh, const char *text) {
    if (!*text || unwanted(sh, text)) return;
    erase_same(sh, text);
    history_add(sh, text);
    sh->history.line_added = true;
}

/* "#1700000000": a line of the file that says when the next command was given. */
static bool is_time(const char *line) { return line[0] == '#' && line[1] >= '0' && line[1] <= '9'; }

bool history_read(struct shell *sh, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) return false;
    struct history *h = &sh->history;
    bool timed = is_time(text) || var_get(sh, "HISTTIMEFORMAT");
    int64_t when = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (timed && is_time(line)) {
            when = strtoll(line + 1, NULL, 10);
            continue;
        }
        history_add(sh, line);
        if (h->n > 0 && when) h->times[h->n - 1] = when;
        when = 0;
    }
    h->unsaved = 0;
    free(text);
    return true;
}

bool history_write(struct shell *sh, const char *path, int from, bool append) {
    struct history *h = &sh->history;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0600);
    if (fd < 0) return false;
    sb text = {0};
    bool timed = var_get(sh, "HISTTIMEFORMAT") != NULL;
    for (int i = from; i < h->n; i++) {
        if (timed && h->times[i]) sb_printf(&text, "#%" PRId64 "\n", h->times[i]);
        sb_printf(&text, "%s\n", h->v[i]);
    }
    bool ok = write_all(fd, text.s, text.n) == 0;
    sb_free(&text);
    close(fd);
    if (ok && append) h->unsaved = 0;
    return ok;
}

void history_cut_file(struct shell *sh, const char *path, int64_t lines) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) return;
    size_t at = n;
    if (lines > 0 && at > 0) at--; /* the newline of the last line */
    for (int64_t seen = 0; lines > 0 && at > 0; at--)
        if (text[at - 1] == '\n' && ++seen == lines) break;
    if (at > 0 && (fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)) >= 0) {
        write_all(fd, text + at, n - at);
        close(fd);
    }
    free(text);
}

void history_load(struct shell *sh) {
    const char *path = var_get(sh, "HISTFILE");
    if (sh->history.loaded || !path || !*path) return;
    sh->history.loaded = true;
    history_read(sh, path);
}

void history_save(struct shell *sh) {
    const char *path = var_get(sh, "HISTFILE");
    struct history *h = &sh->history;
    if (!sh->opt[OPT_HISTORY] || sh->subshell > 0 || !path || !*path || h->unsaved == 0) return;
    history_write(sh, path, h->n - h->unsaved, true);
}
