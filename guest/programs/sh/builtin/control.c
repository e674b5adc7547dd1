/*
 * builtin/control.c: what steers the shell: break return exit eval source exec command shift let …
 */
#include "builtin.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <unistd.h>

BUILTIN(true) {
    (void)sh, (void)argc, (void)argv;
    return 0;
}

BUILTIN(false) {
    (void)sh, (void)argc, (void)argv;
    return 1;
}

/* "too many arguments" gives the line up. */
static int too_many(struct shell *sh) {
    sh_builtin_error(sh, "too many arguments");
    sh->status = 1;
    sh->flow = FLOW_DISCARD;
    return 1;
}

static int skip_dashes(int argc, char **argv) {
    return argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
}

/* break and continue */
BUILTIN(break) {
    int first = skip_dashes(argc, argv);
    int64_t n = 1;
    if (sh->loop_depth == 0) {
        if (!sh->posix)
            sh_builtin_error(sh, "only meaningful in a `for', `while', or `until' loop");
        return 0;
    }
    if (argc > first && !parse_int64(argv[first], &n)) {
        sh_builtin_error(sh, "%s: numeric argument required", argv[first]);
        sh->status = 128;
        sh->flow = FLOW_EXIT;
        return 128;
    }
    sh->status = 0;
    if (argc > first + 1) return too_many(sh);
    bool is_break = strcmp(sh->builtin, "break") == 0;
    if (n <= 0) {
        sh_builtin_error(sh, "%s: loop count out of range", argv[first]);
        sh->status = 1;
        n = sh->loop_depth;
        is_break = true;
    }
    sh->flow_levels = n > sh->loop_depth ? sh->loop_depth : (int)n;
    sh->flow = is_break ? FLOW_BREAK : FLOW_CONTINUE;
    return sh->status;
}

/* The status argument of exit and return; false: not a number, which was said. */
static bool status_argument(struct shell *sh, int argc, char **argv, int fallback, int *status) {
    int first = skip_dashes(argc, argv);
    int64_t n;
    *status = fallback;
    if (argc <= first) return true;
    if (!parse_int64(argv[first], &n)) {
        sh_builtin_error(sh, "%s: numeric argument required", argv[first]);
        *status = 2;
        return false;
    }
    *status = (int)(n & 255);
    return true;
}

BUILTIN(return) {
    bool inside = false;
    for (const struct frame *f = sh->frame; f->up; f = f->up) inside = true;
    int status;
    status_argument(sh, argc, argv, sh->status, &status);
    if (argc > skip_dashes(argc, argv) + 1) return too_many(sh);
    if (!inside) {
        sh_builtin_error(sh, "can only `return' from a function or sourced script");
        sh->misused = true;
        return 2;
    }
    sh->status_before_return = sh->status;
    sh->status = status;
    sh->flow = FLOW_RETURN;
    return status;
}

BUILTIN(exit) {
    int status;
    bool ok = status_argument(sh, argc, argv, sh->in_trap ? sh->trap_status : sh->status, &status);
    if (ok && argc > skip_dashes(argc, argv) + 1) return too_many(sh);
    sh->status = status;
    sh->flow = FLOW_EXIT;
    return status;
}

BUILTIN(logout) {
    if (sh->login) return b_exit(sh, argc, argv);
    sh_builtin_error(sh, "not login shell: use `exit'");
    return 1;
}

BUILTIN(eval) {
    int first = skip_dashes(argc, argv);
    if (first == 1 && argc > 1 && argv[1][0] == '-' && argv[1][1]) {
        char text[3] = {'-', argv[1][1], 0};
        return sh_bad_option(sh, text);
    }
    if (argc <= first) return 0;
    sb text = {0};
    for (int i = first; i < argc; i++) {
        if (i > first) sb_putc(&text, ' ');
        sb_puts(&text, argv[i]);
    }
    const char *was = sh->builtin;
    int line = sh->line;
    int status = run_text(sh, text.s ? text.s : "", text.n, line > 0 ? line : 1, "eval");
    sh->misused = sh->syntax_failed;
    sh->builtin = was;
    sb_free(&text);
    return status;
}

/* ------------------------------------------------------------------ source */

enum { NULLS_MAX = 256 }; /* a file with more NUL bytes is no script */

static const char *source_path(struct shell *sh, const char *name) {
    if (strchr(name, '/') || !sh->shopt[SHOPT_SOURCEPATH]) return name;
    const char *path = var_get(sh, "PATH");
    for (const char *p = path ? path : ""; *p;) {
        const char *end = p + strcspn(p, ":");
        char *full = arena_printf(&sh->tmp, "%.*s/%s", end == p ? 1 : (int)(end - p),
                                  end == p ? "." : p, name);
        struct stat st;
        if (stat(full, &st) == 0 && S_ISREG(st.st_mode) && access(full, R_OK) == 0) return full;
        p = *end ? end + 1 : end;
    }
    return sh->posix ? NULL : name;
}

static int run_source(struct shell *sh, const char *name, char *text, size_t n, int argc,
                      char **argv) {
    struct frame frame = {.up = sh->frame, .name = "source", .file = name, .line = sh->line};
    frame.level = sh->frame->level;
    bool own_args = argc > 0;
    frame.args = own_args ? argv : sh->frame->args;
    frame.nargs = own_args ? argc : sh->frame->nargs;
    struct frame *outer = sh->frame;
    sh->frame = &frame;
    int line = sh->line;
    int status = run_text(sh, text, n, 1, NULL);
    sh->misused = sh->syntax_failed;
    sh->frame = outer;
    sh->line = line;
    bool lasts = own_args ? frame.owned != NULL : frame.args != outer->args;
    if (lasts) { /* set in the file does, and shift unless it had arguments of its own */
        if (frame.owned) {
            free(outer->owned);
            outer->owned = frame.owned;
            frame.owned = NULL;
        }
        outer->args = frame.args;
        outer->nargs = frame.nargs;
    }
    free(frame.owned);
    if (sh->flow == FLOW_RETURN) {
        sh->flow = FLOW_NONE;
        status = sh->status;
        sh->status = sh->status_before_return;
    }
    if (sh->flow == FLOW_NONE) trap_run(sh, TRAP_RETURN);
    return status;
}

BUILTIN(source) {
    int first = skip_dashes(argc, argv);
    if (first == 1 && argc > 1 && argv[1][0] == '-' && argv[1][1]) {
        char text[3] = {'-', argv[1][1], 0};
        return sh_bad_option(sh, text);
    }
    if (argc <= first) {
        sh_builtin_error(sh, "filename argument required");
        return sh_usage(sh);
    }
    if (sh->restricted && strchr(argv[first], '/')) return sh_restricted(sh, argv[first]);
    const char *path = source_path(sh, argv[first]);
    struct stat st;
    if (!path) {
        sh_builtin_error(sh, "%s: file not found", argv[first]);
        sh->misused = true;
        return 1;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        sh_builtin_error(sh, "%s: is a directory", argv[first]);
        return 1;
    }
    if (fd < 0) {
        sh_error(sh, "%s: %s", argv[first], strerror(errno));
        sh->misused = true;
        return 1;
    }
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) {
        sh_error(sh, "%s: %s", argv[first], strerror(errno));
        return 1;
    }
    size_t nulls = 0;
    for (size_t i = 0; i < n; i++) nulls += text[i] == 0;
    if (nulls > NULLS_MAX) {
        free(text);
        sh_builtin_error(sh, "%s: cannot execute binary file", path);
        return 126;
    }
    int status = run_source(sh, path, text, n, argc - first - 1, argv + first + 1);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ exec, command, builtin */

/* An existing file's path from the root on; any other as it is. */
static const char *full_path(struct shell *sh, const char *path) {
    struct stat st;
    const char *cwd = var_get(sh, "PWD");
    if (*path == '/' || !cwd || (!strchr(path, '/') && stat(path, &st) < 0)) return path;
    if (strncmp(path, "./", 2) == 0) path += 2;
    return arena_printf(&sh->tmp, "%s/%s", cwd, path);
}

/* A shell that takes this one's place is no deeper than it, unless this is ( … ). */
static void step_shlvl(struct shell *sh, int step) {
    const char *old = var_get(sh, "SHLVL");
    int64_t n = 0;
    char text[ARITH_DIGITS];
    if (sh->in_parens) return;
    if (old) parse_int64(old, &n);
    arith_digits(text, n + step < 0 ? 0 : n + step);
    var_set(sh, "SHLVL", text);
    var_export(sh, var_make(sh, "SHLVL"), true);
}

static int exec_program(struct shell *sh, char **argv, const char *name0, bool login, bool empty) {
    int error;
    if (!empty) step_shlvl(sh, -1);
    const char *path = path_find(sh, argv[0], &error);
    char *none[] = {NULL};
    char **env = empty || !path ? none : var_environ_of(sh, path);
    int status;
    if (!path) {
        sh_builtin_error(sh, "%s: not found", argv[0]);
        if (!empty) step_shlvl(sh, 1);
        status = 127;
    } else {
        char *first = argv[0];
        argv[0] = (char *)(name0 ? name0 : first);
        if (login) argv[0] = arena_printf(&sh->tmp, "-%s", argv[0]);
        out_flush(sh);
        signal_child_defaults(sh);
        execve(path, argv, env);
        error = errno;
        if (error == ENOEXEC) error = exec_script(sh, path, argv, env);
        argv[0] = first;
        if (!empty) step_shlvl(sh, 1);
        struct stat st;
        path = full_path(sh, path);
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) error = EISDIR;
        sh_error(sh, "%s: %s", path, strerror(error));
        if (error != ENOENT) sh_builtin_error(sh, "%s: cannot execute: %s", path, strerror(error));
        status = error == ENOENT ? 127 : 126;
        if (!sh->interactive && !sh->shopt[SHOPT_EXECFAIL]) /* the traps are gone by then */
            trap_set_command(sh, TRAP_EXIT, NULL);
    }
    if (!sh->interactive && !sh->shopt[SHOPT_EXECFAIL]) {
        sh->status = status;
        sh->flow = FLOW_EXIT;
    }
    return status;
}

BUILTIN(exec) {
    struct bopt o = bopt_new(argc, argv);
    const char *name0 = NULL;
    bool login = false, empty = false;
    for (int c; (c = bopt_next(sh, &o, "cla:", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'c') empty = true;
        else if (c == 'l') login = true;
        else name0 = o.arg;
    }
    if (o.index >= argc) {
        sh->redirs_kept = true;
        return 0;
    }
    if (sh->restricted) return sh_restricted(sh, NULL);
    return exec_program(sh, argv + o.index, name0, login, empty);
}

/* With -p the search path is the standard one. */
static int command_default_path(struct shell *sh, int argc, char **argv) {
    if (builtin_find(sh, argv[0])) return exec_argv(sh, argc, argv, EXEC_NO_FUNCTIONS);
    int error;
    const char *path = strchr(argv[0], '/') ? argv[0]
                                            : path_search(sh, "/usr/bin:/bin", argv[0], &error, 0);
    if (!path || strchr(argv[0], '/')) return exec_argv(sh, argc, argv, EXEC_NO_FUNCTIONS);
    return exec_program_at(sh, path, argv);
}

BUILTIN(command) {
    struct bopt o = bopt_new(argc, argv);
    const char *mode = NULL;
    bool standard = false;
    for (int c; (c = bopt_next(sh, &o, "pvV", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'p' && sh->restricted) return sh_restricted(sh, "-p");
        if (c == 'p') standard = true;
        else mode = c == 'v' ? "v" : "V";
    }
    argc -= o.index;
    argv += o.index;
    if (argc <= 0) return 0;
    if (mode) {
        int found = 0;
        for (int i = 0; i < argc; i++) found += type_describe(sh, argv[i], mode);
        return found > 0 ? 0 : 1;
    }
    if (standard) return command_default_path(sh, argc, argv);
    return exec_argv(sh, argc, argv, EXEC_NO_FUNCTIONS);
}

BUILTIN(builtin) {
    struct bopt o = bopt_new(argc, argv);
    if (bopt_next(sh, &o, "", NULL)) return 2;
    int first = o.index;
    if (argc <= first) return 0;
    if (!builtin_find(sh, argv[first])) {
        sh_builtin_error(sh, "%s: not a shell builtin", argv[first]);
        return 1;
    }
    return exec_argv(sh, argc - first, argv + first, EXEC_NO_FUNCTIONS | EXEC_BUILTIN_ONLY);
}

/* ------------------------------------------------------------------ the rest */

BUILTIN(shift) {
    int first = skip_dashes(argc, argv);
    int64_t n = 1;
    if (argc > first + 1) return too_many(sh);
    if (argc > first && !parse_int64(argv[first], &n)) {
        sh_builtin_error(sh, "%s: numeric argument required", argv[first]);
        return 1;
    }
    if (n < 0 || (n > sh->frame->nargs && sh->shopt[SHOPT_SHIFT_VERBOSE])) {
        sh_builtin_error(sh, "%s%sshift count out of range", argc > first ? argv[first] : "",
                         argc > first ? ": " : "");
        return 1;
    }
    if (n > sh->frame->nargs) return 1;
    sh->frame->args += n;
    sh->frame->nargs -= (int)n;
    return 0;
}

BUILTIN(let) {
    int first = skip_dashes(argc, argv);
    int64_t value = 0;
    if (argc <= first) {
        sh_builtin_error(sh, "expression expected");
        return 1;
    }
    for (int i = first; i < argc; i++) {
        if (arith_eval(sh, argv[i], &value, "let")) continue;
        return 1;
    }
    return value == 0;
}

static void print_ticks(struct shell *sh, clock_t ticks, char end) {
    long hz = sysconf(_SC_CLK_TCK);
    if (hz <= 0) hz = 100;
    int64_t ms = (int64_t)ticks * 1000 / hz;
    out_printf(sh, "%dm%d.%03ds%c", (int)(ms / 60000), (int)(ms / 1000 % 60), (int)(ms % 1000), end);
}

BUILTIN(times) {
    struct tms t;
    struct bopt o = bopt_new(argc, argv);
    if (bopt_next(sh, &o, "", NULL)) return 2;
    times(&t);
    print_ticks(sh, t.tms_utime, ' ');
    print_ticks(sh, t.tms_stime, '\n');
    print_ticks(sh, t.tms_cutime, ' ');
    print_ticks(sh, t.tms_cstime, '\n');
    return 0;
}

BUILTIN(caller) {
    int64_t n = -1;
    const struct frame *f = sh->frame;
    struct bopt o = bopt_new(argc, argv);
    if (!f->up && !f->file) return 1;
    if (bopt_next(sh, &o, "", NULL)) return 2;
    if (o.index < argc && (!parse_int64(argv[o.index], &n) || n < 0)) {
        sh_builtin_error(sh, "%s: invalid number", argv[o.index]);
        return sh_usage(sh);
    }
    for (int64_t i = 0; f->up && i < n; i++) f = f->up;
    if (!f->up && !(n < 0 && f->file)) return 1;
    const struct frame *up = f->up;
    const char *file = up && up->file ? up->file : NULL;
    if (n < 0) {
        out_printf(sh, "%d %s\n", f->line, file ? file : "NULL");
        return 0;
    }
    if (!up->up && !up->file) return 1; /* called from no script and no function */
    out_printf(sh, "%d %s %s\n", f->line, up->name, file ? file : "NULL");
    return 0;
}

BUILTIN(suspend) {
    struct bopt o = bopt_new(argc, argv);
    for (int c; (c = bopt_next(sh, &o, "f", NULL));)
        if (bopt_over(c)) return 2;
    if (!sh->opt[OPT_MONITOR]) {
        sh_builtin_error(sh, "cannot suspend: no job control");
        return 1;
    }
    kill(getpid(), SIGSTOP);
    return 0;
}
