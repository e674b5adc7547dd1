/*
 * builtin/history.c: history and fc; and the builtins of line editing, which a script has no use
 * for.
 */
#include "builtin.h"

#include "../history.h"

static void remove_last(struct shell *sh) {
    if (sh->opt[OPT_HISTORY] && sh->history.n) history_remove(sh, sh->history.n - 1, sh->history.n);
}

/* ------------------------------------------------------------------ history */

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
        out_printf(sh, "%5d  %s\n", h->base + i + 1, h->v[i]);
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
    if (!path || !*path) {
        if (path) return 0;
        sh_builtin_error(sh, "-%c: HISTFILE is not set: name a file", option);
        return 1;
    }
    bool ok = option == 'w'   ? history_write(sh, path, 0, false)
              : option == 'a' ? history_write(sh, path, h->n - h->unsaved, true)
                              : history_read(sh, path);
    if (!ok)
        sh_builtin_error(sh, "%s: cannot %s: %s", path, strchr("wa", option) ? "create" : "open",
                         strerror(errno));
    return !ok;
}

static int print_arguments(struct shell *sh, int n, char **args) {
    for (int i = 0; i < n; i++) {
        if (strchr(args[i], '!')) {
            sh_builtin_error(sh, "-p: %s: this shell has no history expansion", args[i]);
            return 1;
        }
        out_printf(sh, "%s\n", args[i]);
    }
    return 0;
}

static int store_arguments(struct shell *sh, int n, char **args) {
    sb line = {0};
    for (int i = 0; i < n; i++) sb_printf(&line, "%s%s", i ? " " : "", args[i]);
    if (n) {
        remove_last(sh); /* the `history -s` itself */
        history_add(sh, sb_str(&line));
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

static int fc_list(struct shell *sh, const char *from, const char *to, int limit, bool numbers,
                   bool reverse) {
    const struct history *h = &sh->history;
    if (limit <= 0) return 0;
    int first = fc_place(h, from, limit, limit > 16 ? limit - 16 : 0);
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
    remove_last(sh); /* the `fc -s` itself */
    if (sh->opt[OPT_HISTORY]) history_add(sh, text);
    char *line = arena_printf(&sh->tmp, "%s\n", text);
    sh_write_err(line, strlen(line));
    out_flush(sh);
    return run_text(sh, text, strlen(text), sh->line, "fc");
}

BUILTIN(fc) {
    int options = 1; /* -1 is a command, no option */
    while (options < argc &&
           !(argv[options][0] == '-' && argv[options][1] >= '0' && argv[options][1] <= '9'))
        options++;
    struct bopt o = bopt_new(options, argv);
    bool list = false, numbers = true, reverse = false, again = false;
    for (int c; (c = bopt_next(sh, &o, "e:lnrs", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'l')
            list = true;
        else if (c == 'n')
            numbers = false;
        else if (c == 'r')
            reverse = true;
        else if (c == 's' || (c == 'e' && strcmp(o.arg, "-") == 0))
            again = true;
    }
    int n = argc - o.index;
    char **args = argv + o.index;
    /* The last command is this one. */
    int limit = sh->history.n - sh->opt[OPT_HISTORY];
    if (again) return fc_again(sh, n, args, limit);
    if (list)
        return fc_list(sh, n ? args[0] : NULL, n > 1 ? args[1] : NULL, limit, numbers, reverse);
    sh_builtin_error(sh, "this shell starts no editor: fc -s OLD=NEW [COMMAND] changes and runs");
    return 1;
}

/* ------------------------------------------------------------------ line editing */

BUILTIN(unsupported) {
    (void)argc, (void)argv;
    if (strcmp(sh->builtin, "bind") == 0) {
        sh_builtin_error(sh, "warning: line editing not enabled");
        return 0;
    }
    sh_builtin_error(sh, "not currently executing completion function");
    return 1;
}
