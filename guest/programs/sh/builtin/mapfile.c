/*
 * builtin/mapfile.c: mapfile (readarray).
 */
#include "builtin.h"

#include <fcntl.h>
#include "readline.h"

struct mapping {
    int delimiter;
    int64_t count, origin, skip, quantum; /* count 0: all */
    bool has_origin, trim;
    int fd;
    const char *callback;
};

static int number_option(struct shell *sh, const char *arg, int64_t *out, const char *what) {
    if (parse_int64(arg, out) && *out >= 0) return 0;
    sh_builtin_error(sh, "%s: invalid %s", arg, what);
    return 1;
}

static int map_option(struct shell *sh, struct mapping *m, int c, const char *arg) {
    int64_t fd;
    switch (c) {
    case 'd': m->delimiter = (unsigned char)*arg; return 0;
    case 'n': return number_option(sh, arg, &m->count, "line count");
    case 'O': m->has_origin = true; return number_option(sh, arg, &m->origin, "array origin");
    case 's': return number_option(sh, arg, &m->skip, "line count");
    case 't': m->trim = true; return 0;
    case 'C': m->callback = arg; return 0;
    case 'c':
        if (parse_int64(arg, &m->quantum) && m->quantum > 0) return 0;
        sh_builtin_error(sh, "%s: invalid callback quantum", arg);
        return 1;
    default:
        if (!parse_int64(arg, &fd) || fd < 0 || fd > INT_MAX) {
            sh_builtin_error(sh, "%s: invalid file descriptor specification", arg);
            return 1;
        }
        m->fd = (int)fd;
        if (fcntl(m->fd, F_GETFD) >= 0) return 0;
        sh_builtin_error(sh, "%d: invalid file descriptor: %s", m->fd, strerror(errno));
        return 1;
    }
}

/* One line with its delimiter; false at the end of the input. */
static bool next_line(struct shell *sh, struct input *in, const struct mapping *m, sb *line) {
    line->n = 0;
    int c;
    while ((c = input_byte(sh, in)) >= 0) {
        if (c == m->delimiter) {
            if (!m->trim) sb_putc(line, (char)c);
            return true;
        }
        sb_putc(line, (char)c); /* a NUL ends the text of the element, as in bash */
    }
    return line->n > 0;
}

static void call_back(struct shell *sh, const struct mapping *m, int64_t index, const char *line) {
    sb text = {0};
    sb_printf(&text, "%s %" PRId64 " ", m->callback, index);
    quote_single(&text, line);
    run_text(sh, sb_str(&text), text.n, sh->line, NULL);
    sb_free(&text);
}

static void map_lines(struct shell *sh, struct var *v, const struct mapping *m) {
    struct input in;
    sb line = {0};
    input_open(&in, m->fd, -1);
    int64_t index = m->origin, read = 0;
    for (int64_t i = 0; i < m->skip && next_line(sh, &in, m, &line); i++) continue;
    while ((m->count == 0 || read < m->count) && next_line(sh, &in, m, &line)) {
        read++;
        if (m->callback && read % m->quantum == 0) {
            input_close(&in);
            call_back(sh, m, index, sb_str(&line));
            if (sh->flow != FLOW_NONE) break;
        }
        if (read % 64 == 0) exec_step(sh);
        if (!var_assign_index(sh, v, index++, sb_str(&line), false)) break;
    }
    input_close(&in);
    sb_free(&line);
}

BUILTIN(mapfile) {
    struct bopt o = bopt_new(argc, argv);
    struct mapping m = {.delimiter = '\n', .quantum = 5000};
    for (int c; (c = bopt_next(sh, &o, "d:n:O:s:tu:C:c:", NULL));) {
        if (bopt_over(c)) return 2;
        int status = map_option(sh, &m, c, o.arg);
        if (status) return status;
    }
    const char *name = o.index < argc ? argv[o.index] : "MAPFILE";
    if (!*name) {
        sh_builtin_error(sh, "empty array variable name");
        return 1;
    }
    if (!name_ok(name)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", name);
        return 1;
    }
    struct var *v = var_make(sh, name);
    if (v->flags & V_READONLY) return !var_readonly_error(sh, v);
    if (v->flags & V_ASSOC) {
        sh_builtin_error(sh, "%s: not an indexed array", name);
        return 1;
    }
    if (!m.has_origin) var_clear(sh, v);
    var_to_array(sh, v);
    v->flags |= V_SET;
    map_lines(sh, v, &m);
    return sh->flow == FLOW_NONE ? 0 : sh->status;
}
