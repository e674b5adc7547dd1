/*
 * main.c: how the shell was called, and what it then reads its commands from.
 */
#include "sh.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pf.h>

extern char **environ;

enum { NATIVE_STACK = 6 << 20, WASM_STACK = 1 << 20, STACK_SPARE = 96 << 10 };

struct invocation {
    const char *command;   /* -c */
    const char *rcfile;
    bool from_stdin;       /* -s */
    bool norc, noprofile, interactive, login, restricted;
    bool session, run;     /* --session, --run */
    bool dump;             /* --dump-tree */
    char list;             /* -o or -O without a name: what there is is shown, 'o' or 'O' */
    bool list_reusable;    /* it was +o or +O */
    int first;             /* index of the first argument that is no option */
};

/* ------------------------------------------------------------------ positional parameters */

void shell_set_args(struct shell *sh, char **args, int n) {
    size_t bytes = ((size_t)n + 1) * sizeof(char *);
    for (int i = 0; i < n; i++) bytes += strlen(args[i]) + 1;
    char **copy = xmalloc(bytes);
    char *text = (char *)(copy + n + 1);
    for (int i = 0; i < n; i++) {
        size_t len = strlen(args[i]) + 1;
        copy[i] = memcpy(text, args[i], len);
        text += len;
    }
    copy[n] = NULL;
    free(sh->frame->owned);
    sh->frame->owned = sh->frame->args = copy;
    sh->frame->nargs = n;
}

/* ------------------------------------------------------------------ start values */

static void set_readonly(struct shell *sh, const char *name, int64_t n) {
    struct var *v = var_make_local(sh, name, 0);
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, n);
    var_put(sh, v, text);
    v->flags |= V_READONLY | V_INTEGER;
}

static void set_default(struct shell *sh, const char *name, const char *value) {
    struct var *v = var_find_raw(sh, name);
    if (v && (v->flags & V_SET)) return;
    var_put(sh, var_make_local(sh, name, 0), value);
}

static void set_always(struct shell *sh, const char *name, const char *value) {
    struct var *v = var_make_local(sh, name, 0);
    var_put(sh, v, value);
    v->flags &= (uint16_t)~V_EXPORT;
}

static void set_versinfo(struct shell *sh) {
    static const char *const parts[] = {"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"};
    struct var *v = var_make_local(sh, "BASH_VERSINFO", 0);
    var_to_array(sh, v);
    for (int i = 0; i < DIM(parts); i++) array_set(var_array(v), i, parts[i]);
    v->flags |= V_SET | V_READONLY;
}

static void set_pwd(struct shell *sh) {
    const char *pwd = var_get(sh, "PWD");
    struct stat a, b;
    bool good = pwd && *pwd == '/' && stat(pwd, &a) == 0 && stat(".", &b) == 0 &&
                a.st_ino == b.st_ino && a.st_dev == b.st_dev;
    if (!good) {
        char *cwd = arena_alloc(&sh->tmp, PATH_MAX);
        if (getcwd(cwd, PATH_MAX)) var_put(sh, var_make_local(sh, "PWD", 0), cwd);
    }
    struct var *v = var_find_raw(sh, "PWD");
    if (v) var_export(sh, v, true);
    v = var_make_local(sh, "OLDPWD", 0);
    var_export(sh, v, true);
    if (var_text(v) && (stat(var_text(v), &a) < 0 || !S_ISDIR(a.st_mode))) var_clear(sh, v);
}

static void set_shlvl(struct shell *sh) {
    const char *old = var_get(sh, "SHLVL");
    int64_t n = 0;
    if (old) parse_int64(old, &n);
    n = n < 0 ? 0 : n + 1;
    if (n >= 1000) {
        sh_error(sh, "warning: shell level (%" PRId64 ") too high, resetting to 1", n);
        n = 1;
    }
    char text[24];
    snprintf(text, sizeof text, "%d", (int)n);
    struct var *v = var_make_local(sh, "SHLVL", 0);
    var_put(sh, v, text);
    var_export(sh, v, true);
}

/* SHELLOPTS and BASHOPTS from the environment switch on what they list. */
static void import_options(struct shell *sh, char **env) {
    for (; env && *env; env++) {
        bool shopts = strncmp(*env, "BASHOPTS=", 9) == 0;
        if (!shopts && strncmp(*env, "SHELLOPTS=", 10) != 0) continue;
        for (const char *p = strchr(*env, '=') + 1; *p;) {
            char name[40];
            size_t n = strcspn(p, ":");
            snprintf(name, sizeof name, "%.*s", (int)(n < 39 ? n : 39), p);
            int i = shopts ? shopt_find(name) : option_find(name);
            if (i >= 0 && shopts) sh->shopt[i] = true;
            else if (i >= 0) option_set(sh, i, true);
            p += n + (p[n] == ':');
        }
        struct var *v = var_find_raw(sh, shopts ? "BASHOPTS" : "SHELLOPTS");
        if (v) var_export(sh, v, true);
    }
}

static void set_startup_variables(struct shell *sh) {
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    set_readonly(sh, "EUID", geteuid());
    set_readonly(sh, "UID", getuid());
    set_readonly(sh, "PPID", getppid());
    set_always(sh, "BASH", strchr(sh->name, '/') ? sh->name : "/bin/bash");
    set_always(sh, "BASH_VERSION", SH_VERSION);
    set_versinfo(sh);
    set_default(sh, "HOSTNAME", host);
    set_always(sh, "HOSTTYPE", "x86_64");
    set_always(sh, "MACHTYPE", "x86_64-pc-linux-gnu");
    set_always(sh, "OSTYPE", "linux-gnu");
    set_always(sh, "IFS", " \t\n");
    set_always(sh, "OPTIND", "1");
    var_find_raw(sh, "OPTIND")->flags |= V_INTEGER;
    set_always(sh, "_", sh->name);
    set_always(sh, "OPTERR", "1");
    set_default(sh, "PS4", "+ ");
    set_default(sh, "PATH", "/usr/local/bin:/usr/bin:/bin");
    set_default(sh, "TERM", "dumb");
    set_default(sh, "SHELL", "/bin/bash");
    set_pwd(sh);
    set_shlvl(sh);
}

/* What the environment and the clock decide; a session does this after it was cloned. */
void shell_startup(struct shell *sh, char **env) {
    sh->pid = getpid();
    sh->start_time = (int64_t)time(NULL);
    special_init(sh);
    var_import(sh, env);
    import_options(sh, env);
    set_startup_variables(sh);
    if (sh->posix) set_default(sh, "POSIXLY_CORRECT", "y");
    signal_init(sh);
}

void shell_init(struct shell *sh) {
    sh->frame = &sh->main_frame;
    sh->main_frame.name = "main";
    sh->tty = -1;
    sh->trace_fd = 2;
    sh->last_cmdsub_status = -1;
    sh->funcs = table_new();
    sh->aliases = table_new();
    sh->hash = table_new();
    var_init(sh);
    option_init(sh);
    job_init(sh);
    sh->getopts.index = 1;
}

/* ------------------------------------------------------------------ options */

static _Noreturn void usage(const char *name, int status) {
    if (!status) printf("GNU bash, version " SH_VERSION "-(x86_64-pc-linux-gnu)\n");
    fprintf(status ? stderr : stdout,
            "Usage:\t%s [GNU long option] [option] ...\n"
            "\t%s [GNU long option] [option] script-file ...\n"
            "GNU long options:\n"
            "\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-strings\n\t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n"
            "\t--norc\n\t--posix\n\t--pretty-print\n\t--rcfile\n\t--restricted\n\t--verbose\n\t--version\n"
            "Shell options:\n\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
            "\t-abefhkmnptuvxBCEHPT or -o option\n", name, name);
    exit(status);
}

static void version(void) {
    printf("GNU bash, version %s (x86_64-pc-linux-gnu)\n"
           "This is pinfold's own shell, which behaves like that version.\n", SH_VERSION);
    exit(0);
}

/* A long option; *i moves on when it takes an argument. false: not known. */
static bool long_option(struct shell *sh, struct invocation *in, const char *arg, int argc,
                        char **argv, int *i) {
    const char *name = arg + 1 + (arg[1] == '-');
    if (strcmp(name, "session") == 0) in->session = true;
    else if (strcmp(name, "run") == 0) in->run = true;
    else if (strcmp(name, "dump-tree") == 0) in->dump = true;
    else if (strcmp(name, "norc") == 0) in->norc = true;
    else if (strcmp(name, "noprofile") == 0) in->noprofile = true;
    else if (strcmp(name, "posix") == 0) option_set(sh, OPT_POSIX, true);
    else if (strcmp(name, "login") == 0) in->login = true;
    else if (strcmp(name, "verbose") == 0) option_set(sh, OPT_VERBOSE, true);
    else if (strcmp(name, "noediting") == 0 || strcmp(name, "debugger") == 0) return true;
    else if (strcmp(name, "restricted") == 0) in->restricted = true;
    else if (strcmp(name, "help") == 0) usage(sh->name, 0);
    else if (strcmp(name, "version") == 0) version();
    else if (strcmp(name, "rcfile") == 0 || strcmp(name, "init-file") == 0) {
        if (++*i >= argc) return false;
        in->rcfile = argv[*i];
    } else return false;
    return true;
}

static _Noreturn void bad_option(struct shell *sh, const char *text) {
    sh_error(sh, "%s: invalid option", text);
    usage(sh->name, 2);
}

static void named_option(struct shell *sh, const char *name, bool on, bool is_shopt) {
    int i = is_shopt ? shopt_find(name) : option_find(name);
    if (i < 0) {
        if (is_shopt) sh_error(sh, "line 0: %s: invalid shell option name", name);
        else sh_error(sh, "line 0: bash: %s: invalid option name", name);
        exit(2);
    }
    if (is_shopt) sh->shopt[i] = on;
    else option_set(sh, i, on);
}

static void cluster(struct shell *sh, struct invocation *in, const char *arg, int argc, char **argv,
                    int *i, bool *wants_command) {
    bool on = arg[0] == '-';
    for (const char *p = arg + 1; *p; p++) {
        int option = option_letter(*p);
        if (*p == 'c') *wants_command = true;
        else if (*p == 's') in->from_stdin = true;
        else if (*p == 'i') in->interactive = true;
        else if (*p == 'l') in->login = true;
        else if (*p == 'r') in->restricted = true;
        else if (*p == 'D') continue;
        else if (*p == 'o' || *p == 'O') {
            if (*i + 1 >= argc) {
                in->list = *p;
                in->list_reusable = !on;
                continue;
            }
            named_option(sh, argv[++*i], on, *p == 'O');
        } else if (option >= 0) option_set(sh, option, on);
        else {
            char text[3] = {arg[0], *p, 0};
            bad_option(sh, text);
        }
    }
}

static void parse_invocation(struct shell *sh, struct invocation *in, int argc, char **argv) {
    bool wants_command = false;
    int i = 1;
    for (; i < argc; i++) {
        const char *arg = argv[i];
        if ((arg[0] != '-' && arg[0] != '+') || !arg[1]) break;
        if (strcmp(arg, "--") == 0) {
            i++;
            break;
        }
        if (arg[0] == '-' && (arg[1] == '-' || strlen(arg) > 4) &&
            long_option(sh, in, arg, argc, argv, &i))
            continue;
        if (arg[1] == '-') bad_option(sh, arg);
        cluster(sh, in, arg, argc, argv, &i, &wants_command);
    }
    if (i < argc && strcmp(argv[i], "-") == 0) i++;
    if (wants_command) {
        if (i >= argc) {
            sh_error(sh, "-c: option requires an argument");
            exit(2);
        }
        in->command = argv[i++];
    }
    in->first = i;
}

/* ------------------------------------------------------------------ startup files */

static void source_home(struct shell *sh, const char *name) {
    const char *home = var_get(sh, "HOME");
    if (!home) return;
    arena_mark mark = arena_here(&sh->tmp);
    run_file(sh, arena_printf(&sh->tmp, "%s/%s", home, name), false);
    arena_release(&sh->tmp, mark);
}

static void startup_files(struct shell *sh, const struct invocation *in) {
    if (in->login && !in->noprofile) {
        run_file(sh, "/etc/profile", false);
        source_home(sh, ".bash_profile");
    }
    if (sh->interactive && !sh->posix && !in->norc && !in->login) {
        if (in->rcfile) run_file(sh, in->rcfile, false);
        else source_home(sh, ".bashrc");
    }
    const char *env = sh->interactive && sh->posix     ? var_get(sh, "ENV")
                      : sh->interactive || sh->posix ? NULL
                                                     : var_get(sh, "BASH_ENV");
    if (env && *env) {
        char *path = expand_text_dq(sh, env);
        if (path) run_file(sh, path, false);
    }
    if (in->restricted) sh_restrict(sh);
}

/* ------------------------------------------------------------------ running */

static int run_command_string(struct shell *sh, const char *text) {
    sh->command_string = text;
    sh->can_exec = true;
    return run_text(sh, text, strlen(text), 1, "-c");
}

/* The script as a path: as given, or found along PATH. */
static const char *find_script(struct shell *sh, const char *name) {
    struct stat st;
    if (strchr(name, '/') || stat(name, &st) == 0) return name;
    const char *path = var_get(sh, "PATH");
    int error;
    const char *found = path ? path_search(sh, path, name, &error, 0) : NULL;
    return found ? found : name;
}

static int run_script(struct shell *sh, const char *name) {
    struct stat st;
    const char *path = find_script(sh, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))) {
        int error = fd < 0 ? errno : EISDIR;
        if (error != ENOENT) sh->name = name; /* bash is called so by then */
        sh_error(sh, "%s: %s", name, strerror(error));
        return error == ENOENT ? 127 : 126;
    }
    size_t n;
    char *text = read_file(sh, fd, &n);
    close(fd);
    if (!text) return 126;
    size_t head = n < 80 ? n : 80;
    const char *line_end = memchr(text, '\n', head);
    if (memchr(text, 0, line_end ? (size_t)(line_end - text) : head)) {
        sh->name = name;
        sh_error(sh, "%s: cannot execute binary file", name);
        free(text);
        return 126;
    }
    sh->name = name;
    sh->main_frame.file = name;
    int status = run_text(sh, text, n, 1, NULL);
    free(text);
    return status;
}

/* `bash -o` and `bash +O`: as `set -o` and `shopt -p` show it. */
static void list_options(struct shell *sh, const struct invocation *in) {
    bool shopts = in->list == 'O', emacs = sh->opt[OPT_EMACS];
    char *words[] = {shopts ? "shopt" : "set", shopts ? "-p" : in->list_reusable ? "+o" : "-o", NULL};
    sh->opt[OPT_EMACS] = true; /* this early bash has it still on */
    builtin_run(sh, builtin_find_any(words[0]), shopts && !in->list_reusable ? 1 : 2, words);
    sh->opt[OPT_EMACS] = emacs;
}

static int run_input(struct shell *sh, int argc, char **argv, const struct invocation *in) {
    int i = in->first;
    if (in->command) {
        if (i < argc) sh->name = argv[i++];
        shell_set_args(sh, argv + i, argc - i);
        startup_files(sh, in);
        return run_command_string(sh, in->command);
    }
    if (in->run) {
        size_t n;
        char *text = pf_run_text(&n);
        if (!text) {
            sh_error(sh, "--run: %s", strerror(errno));
            return 1;
        }
        sh->command_string = text;
        return run_text(sh, text, n, 1, NULL);
    }
    if (i < argc && !in->from_stdin) {
        shell_set_args(sh, argv + i + 1, argc - i - 1);
        startup_files(sh, in);
        return run_script(sh, argv[i]);
    }
    shell_set_args(sh, argv + i, argc - i);
    sh->reads_stdin = true;
    startup_files(sh, in);
    return run_fd(sh, 0);
}

static size_t stack_limit(void) {
#ifdef __wasm__
    return WASM_STACK - STACK_SPARE;
#else
    return NATIVE_STACK;
#endif
}

int main(int argc, char **argv) {
    char here;
    struct shell *sh = xcalloc(1, sizeof *sh);
    struct invocation in = {0};
    setlocale(LC_CTYPE, "C.UTF-8");
    sh->stack_base = &here;
    sh->stack_limit = stack_limit();
    sh->name = argc > 0 ? argv[0] : "bash";
    const char *slash = strrchr(sh->name, '/');
    const char *base = slash ? slash + 1 : sh->name;
    in.login = *base == '-';
    shell_init(sh);
    parse_invocation(sh, &in, argc, argv);
    if (in.session) {
        sh->session = true;
        sh->name = "bash";
        return session_main(sh);
    }
    if (in.dump) return dump_main(sh);
    if (strcmp(base + in.login, "sh") == 0 && !in.run) option_set(sh, OPT_POSIX, true);
    if (in.run) sh->name = "bash";
    sh->login = in.login;
    sh->shopt[SHOPT_LOGIN_SHELL] = in.login;
    bool terminal = !in.command && !in.run && (in.first >= argc || in.from_stdin) && isatty(0) &&
                    isatty(2);
    sh->interactive = in.interactive || terminal;
    if (sh->interactive) {
        sh->shopt[SHOPT_EXPAND_ALIASES] = true;
        sh->opt[OPT_HISTEXPAND] = true;
        if (terminal) sh->opt[OPT_MONITOR] = true;
    }
    shell_startup(sh, environ);
    if (sh->interactive) {
        set_default(sh, "PS1", "\\s-\\v\\$ ");
        set_default(sh, "PS2", "> ");
    }
    if (in.list) list_options(sh, &in);
    int status = run_input(sh, argc, argv, &in);
    if (sh->flow != FLOW_NONE) status = sh_fatal_status(sh, sh->status);
    process_exit(sh, status);
}
