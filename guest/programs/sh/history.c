/*
 * history.c: the list that `set -o history` keeps: the list of commands that were read.
 *
 * The outermost loop of source.c adds to it before it executes; `history` and `fc` show and change
 * it. Nothing is read from or written to HISTFILE by itself.
 */
#include "history.h"

#include <fcntl.h>
#include <unistd.h>

static int limit_of(struct shell *sh) {
    int64_t n;
    const char *text = var_get(sh, "HISTSIZE");
    if (!text || !*text || !parse_int64(text, &n)) return 500;
    return n < 0 || n > HISTORY_MAX ? HISTORY_MAX : (int)n;
}

void history_remove(struct shell *sh, int from, int to) {
    struct history *h = &sh->history;
    for (int i = from; i < to; i++) free(h->v[i]);
    memmove(h->v + from, h->v + to, (size_t)(h->n - to) * sizeof *h->v);
    h->n -= to - from;
    if (h->unsaved > h->n) h->unsaved = h->n;
}

void history_shrink(struct shell *sh) {
    struct history *h = &sh->history;
    int extra = h->n - limit_of(sh);
    if (extra <= 0) return;
    history_remove(sh, 0, extra);
    h->base += extra;
}

void history_add(struct shell *sh, const char *text) {
    struct history *h = &sh->history;
    if (h->n == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->v = xrealloc(h->v, (size_t)h->cap * sizeof *h->v);
    }
    h->v[h->n++] = xstrdup(text);
    h->unsaved++;
    history_shrink(sh);
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

/* What joins a line of a command to the next one: within words like `do` a blank, else "; ". */
static const char *joint(const char *line, size_t n) {
    static const char *const open[] = {"do", "then", "else", "{",  "(", "|",
                                       "&&", "||",   ";",    "in", "&"};
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\t')) n--;
    for (int i = 0; i < DIM(open); i++) {
        size_t len = strlen(open[i]);
        bool word = open[i][0] >= 'a' && open[i][0] <= 'z';
        if (n < len || memcmp(line + n - len, open[i], len) != 0) continue;
        if (!word || n == len || strchr(" \t;", line[n - len - 1])) return " ";
    }
    return "; ";
}

void history_note(struct shell *sh, const char *text, size_t n, bool verbatim) {
    sb out = {0};
    while (n && text[n - 1] == '\n') n--;
    while (n && *text == '\n') text++, n--;
    for (const char *end = text + n; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t len = (size_t)((stop ? stop : end) - text);
        sb_put(&out, text, len);
        if (stop) sb_puts(&out, verbatim ? "\n" : joint(text, len));
        text += len + (stop != NULL);
    }
    if (verbatim && strstr(sb_str(&out), "<<") && strchr(out.s, '\n')) sb_putc(&out, '\n');
    if (out.n && !unwanted(sh, sb_str(&out))) history_add(sh, sb_str(&out));
    sb_free(&out);
}

bool history_read(struct shell *sh, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) return false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) history_add(sh, line);
    sh->history.unsaved = 0;
    free(text);
    return true;
}

bool history_write(struct shell *sh, const char *path, int from, bool append) {
    struct history *h = &sh->history;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0600);
    if (fd < 0) return false;
    sb text = {0};
    for (int i = from; i < h->n; i++) sb_printf(&text, "%s\n", h->v[i]);
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
