/*
 * builtin/history.c: history and fc; and the builtins of line editing, which a script has no use
 * for.
 */
#include "builtin.h"

#include "../history.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static void remove_last(struct shell *sh) {
    struct history *h = &sh->history;
    if (sh->opt[OPT_HISTORY] && h->line_added && h->n) history_remove(sh, h->n - 1, h->n);
    h->line_added = false;
}

/* ------------------------------------------------------------------ history */

/* What HISTTIMEFORMAT puts before a command. */
static const char *time_of(struct shell *sh, int64_t when) {
    const char *format = var_get(sh, "HISTTIMEFORMAT");
    char text[256];
    struct tm tm;
    time_t seconds = (time_t)when;
    if (!format || !*format) return "";
    if (!when) return "??";
    localtime_r(&seconds, &tm);
    return strftime(text, sizeof text, format, &tm) ? arena_strdup(&sh->tmp, text) : "";
}

static int list_history(struct shell *sh, int argc, char **args) {
    const struct history *h = &sh->history;
    int64_t count = h->n;
    if (argc > 1) {
        sh_builtin_error(sh, "too many arguments");
        sh->flow = FLOW_DISCARD;
        return sh->status = 1;
    }
    if (argc == 1 && !parse_int64(args[0], &count)) {
        sh_builtin_error(sh, "%s: numeric argument required", args[0]);
        return 1;
    }
    if (count < 0) count = -count;
    for (int i = count < h->n ? h->n - (int)count : 0; i < h->n; i++)
        out_printf(sh, "%5d  %s%s\n", h->base + i + 1, time_of(sh, h->times[i]), h->v[i]);
    return 0;
}

/* A number of the list, negative from its end, as a place; -1: none there. */
static int place_of(const struct history *h, const char *text) {
    int64_t n;
    if (!*text || !parse_int64(text, &n)) return -1;
    n = n < 0 ? h->n + n : n - h->base - 1;
    return n >= 0 && n < h->n ? (int)n : -1;
}

static int delete_history(struct shell *sh, char *spec) {
    struct history *h = &sh->history;
    char *dash = strchr(spec + 1, '-');
    char *last = arena_strdup(&sh->tmp, dash ? dash + 1 : spec);
    char *first = arena_strndup(&sh->tmp, spec, dash ? (size_t)(dash - spec) : strlen(spec));
    int from = place_of(h, first), to = place_of(h, last);
    int64_t number;
    if (!parse_int64(first, &number) || !parse_int64(last, &number)) {
        sh_builtin_error(sh, "%s: history position out of range", spec);
        return 1;
    }
    if (from < 0 || to < from) {
        sh_builtin_error(sh, "%s: history position out of range", from < 0 ? first : last);
        return 1;
    }
    history_remove(sh, from, to + 1);
    return 0;
}

static int history_file(struct shell *sh, int option, const char *path) {
    struct history *h = &sh->history;
    if (!path) path = var_get(sh, "HISTFILE");
    if (!path && var_get(sh, "HOME"))
        path = arena_printf(&sh->tmp, "%s/.history", var_get(sh, "HOME"));
    if (!path || (option == 'a' && h->unsaved == 0)) return 0;
    bool ok = option == 'w'   ? history_write(sh, path, 0, false)
              : option == 'a' ? history_write(sh, path, h->n - h->unsaved, true)
                              : history_read(sh, path);
    if (!ok && option == 'a') /* bash says nothing of the others */
        sh_builtin_error(sh, "%s: cannot create: %s", path, strerror(errno));
    return !ok;
}

static int print_arguments(struct shell *sh, int n, char **args) {
    int status = 0;
    remove_last(sh); /* the `history -p` itself */
    for (int i = 0; i < n; i++) {
        sb text = sb_in(&sh->tmp);
        if (history_expand(sh, args[i], 0, &text) == HISTORY_FAILED) {
            sh_builtin_error(sh, "%s: history expansion failed", args[i]);
            status = 1;
        } else {
            out_printf(sh, "%s\n", sb_str(&text));
        }
    }
    return status;
}

static int store_arguments(struct shell *sh, int n, char **args) {
    sb line = {0};
    for (int i = 0; i < n; i++) sb_printf(&line, "%s%s", i ? " " : "", args[i]);
    if (n) {
        remove_last(sh); /* the `history -s` itself */
        history_offer(sh, sb_str(&line));
        sh->history.line_added = false;
    }
    sb_free(&line);
    return 0;
}

BUILTIN(history) {
    struct bopt o = bopt_new(argc, argv);
    bool clear = false;
    char *drop = NULL;
    int what = 0;
    for (int c; (c = bopt_next(sh, &o, "acd:npsrw", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'c') {
            clear = true;
        } else if (c == 'd') {
            drop = (char *)o.arg;
        } else {
            if (what && strchr("anrw", c) && strchr("anrw", what)) {
                sh_builtin_error(sh, "cannot use more than one of -anrw");
                return 1;
            }
            what = c;
        }
    }
    int n = argc - o.index;
    char **args = argv + o.index;
    if (clear) {
        history_remove(sh, 0, sh->history.n);
        sh->history.base = 0;
        if (!what) return 0;
    }
    if (what == 's') return store_arguments(sh, n, args);
    if (what == 'p') return print_arguments(sh, n, args);
    if (what) return history_file(sh, what, n ? args[0] : NULL);
    if (drop) return delete_history(sh, drop);
    return list_history(sh, n, args);
}

/* ------------------------------------------------------------------ fc */

/* A place by number or by how the command begins, before `limit`; `none` without text. -1: none. */
static int fc_place(const struct history *h, const char *text, int limit, int none) {
    int64_t n;
    if (!text) return none;
    if (parse_int64(text, &n)) {
        n = n <= 0 ? limit + (n < 0 ? n : -1) : n - h->base - 1;
        return n < 0 ? 0 : n >= limit ? limit - 1 : (int)n;
    }
    for (int i = limit - 1; i >= 0; i--)
        if (strncmp(h->v[i], text, strlen(text)) == 0) return i;
    return -1;
}

/* Where a range begins: as bash has it, a number at the end of the list is the one before. */
static int fc_first(const struct history *h, const char *text, int limit, int none) {
    int64_t n;
    bool last = text && parse_int64(text, &n) && n > 0 && n - h->base >= limit;
    return last && limit > 1 ? limit - 2 : fc_place(h, text, limit, none);
}

static int fc_list(struct shell *sh, const char *from, const char *to, int limit, bool numbers,
                   bool reverse) {
    const struct history *h = &sh->history;
    if (limit <= 0) return 0;
    int first = fc_first(h, from, limit, limit > 16 ? limit - 16 : 0);
    int last = fc_place(h, to, limit, limit - 1);
    if (first < 0 || last < 0) {
        sh_builtin_error(sh, "no command found");
        return 1;
    }
    int step = first <= last ? 1 : -1;
    if (reverse) {
        int was = first;
        first = last, last = was, step = -step;
    }
    for (int i = first;; i += step) {
        if (numbers) out_printf(sh, "%d", h->base + i + 1);
        out_printf(sh, "\t %s\n", h->v[i]);
        if (i == last) return 0;
    }
}

/* fc -s [old=new]... [command] */
static int fc_again(struct shell *sh, int n, char **args, int limit) {
    const struct history *h = &sh->history;
    int changes = 0;
    while (changes < n && strchr(args[changes], '=')) changes++;
    int at = limit > 0 ? fc_place(h, changes < n ? args[changes] : NULL, limit, limit - 1) : -1;
    if (at < 0) {
        sh_builtin_error(sh, "no command found");
        return 1;
    }
    char *text = arena_strdup(&sh->tmp, h->v[at]);
    for (int i = 0; i < changes; i++) {
        char *old = arena_strdup(&sh->tmp, args[i]), *new = strchr(old, '=');
        *new ++= '\0';
        char *hit = *old ? strstr(text, old) : NULL;
        sb out = sb_in(&sh->tmp);
        for (; hit; hit = strstr(text, old)) {
            sb_put(&out, text, (size_t)(hit - text));
            sb_puts(&out, new);
            text = hit + strlen(old);
        }
        sb_puts(&out, text);
        text = sb_str(&out);
    }
    /* The command takes the place of the last one, which is the `fc -s` where lines are kept. */
    history_remove(sh, sh->history.n - 1, sh->history.n);
    history_offer(sh, text);
    char *line = arena_printf(&sh->tmp, "%s\n", text);
    sh_write_err(line, strlen(line));
    out_flush(sh);
    return run_text(sh, text, strlen(text), sh->line, "fc");
}

/* Runs the lines of the file as they are, shown and kept one by one, as bash does. */
static int run_edited(struct shell *sh, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n;
    char *text = fd < 0 ? NULL : read_file(sh, fd, &n);
    if (fd >= 0) close(fd);
    unlink(path);
    if (!text) return 1;
    struct frame frame = {.up = sh->frame, .name = "source", .file = path, .line = sh->line,
                          .args = sh->frame->args, .nargs = sh->frame->nargs,
                          .level = sh->frame->level};
    bool verbose = sh->opt[OPT_VERBOSE];
    sh->frame = &frame;
    sh->opt[OPT_VERBOSE] = true;
    sh->history.reads_edited = true;
    int status = run_text(sh, text, n, 1, NULL);
    sh->history.reads_edited = false;
    sh->opt[OPT_VERBOSE] = verbose;
    sh->frame = frame.up;
    sh->line = frame.line;
    free(text);
    return status;
}

/* fc without -l and -s: an editor changes the commands, which are run then. */
static int fc_edit(struct shell *sh, const char *from, const char *to, int limit,
                   const char *editor, bool reverse) {
    const struct history *h = &sh->history;
    int first = limit > 0 ? fc_first(h, from, limit, limit - 1) : -1;
    int last = limit > 0 ? fc_place(h, to, limit, first) : -1;
    if (first < 0 || last < 0) {
        sh_builtin_error(sh, "no command found");
        return 1;
    }
    if ((first > last) != reverse) {
        int was = first;
        first = last, last = was;
    }
    sb text = sb_in(&sh->tmp);
    for (int i = first;; i += first <= last ? 1 : -1) {
        sb_printf(&text, "%s\n", h->v[i]);
        if (i == last) break;
    }
    const char *dir = var_get(sh, "TMPDIR");
    char *path = arena_printf(&sh->tmp, "%s/bash-fc.XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0 || write_all(fd, text.s, text.n) < 0) {
        sh_builtin_error(sh, "%s: cannot open temp file: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return 1;
    }
    close(fd);
    if (!editor) editor = sh->posix ? "${FCEDIT:-ed}" : "${FCEDIT:-${EDITOR:-vi}}";
    char *command = arena_printf(&sh->tmp, "%s %s", editor, path);
    remove_last(sh); /* the `fc` itself */
    out_flush(sh);
    if (run_text(sh, command, strlen(command), sh->line, NULL) == 0) return run_edited(sh, path);
    unlink(path);
    return 1;
}

BUILTIN(fc) {
    int options = 1; /* -1 is a command, no option */
    while (options < argc &&
           !(argv[options][0] == '-' && argv[options][1] >= '0' && argv[options][1] <= '9'))
        options++;
    struct bopt o = bopt_new(options, argv);
    bool list = false, numbers = true, reverse = false, again = false;
    const char *editor = NULL;
    for (int c; (c = bopt_next(sh, &o, "e:lnrs", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'l')
            list = true;
        else if (c == 'n')
            numbers = false;
        else if (c == 'r')
            reverse = true;
        else if (c == 's' || strcmp(o.arg, "-") == 0)
            again = true;
        else
            editor = o.arg;
    }
    int n = argc - o.index;
    char **args = argv + o.index;
    /* The last command is this one. */
    int limit = sh->history.n - (sh->opt[OPT_HISTORY] && sh->history.line_added);
    if (again) return fc_again(sh, n, args, limit);
    if (list)
        return fc_list(sh, n ? args[0] : NULL, n > 1 ? args[1] : NULL, limit, numbers, reverse);
    return fc_edit(sh, n ? args[0] : NULL, n > 1 ? args[1] : NULL, limit, editor, reverse);
}

/* ------------------------------------------------------------------ line editing */

BUILTIN(unsupported) {
    (void)argc, (void)argv;
    sh_builtin_error(sh, "warning: line editing not enabled");
    return 0;
}
