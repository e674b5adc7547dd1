/*
 * builtin/set.c: set and shopt.
 */
#include "builtin.h"

/* All of sh's variables and functions, as `set` alone prints them. */
static void print_all(struct shell *sh) {
    int count;
    struct entry **list = table_sorted(sh->vars, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)list[i];
        if (v->special && v->special->hidden && !(v->flags & V_ARRAY)) continue;
        if (!(v->special && v->special->hidden)) var_refresh(sh, v);
        if (!(v->flags & V_SET) || !name_ok(v->entry.key)) continue;
        sb text = {0};
        var_print_bare(sh, v, &text);
        out_put(sh, text.s, text.n);
        sb_free(&text);
    }
    if (sh->posix) return;
    list = table_sorted(sh->funcs, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        sb text = {0};
        print_function(&text, list[i]->key, ((struct func *)list[i])->body);
        sb_putc(&text, '\n');
        out_put(sh, text.s, text.n);
        sb_free(&text);
    }
}

static void print_options(struct shell *sh, bool as_commands) {
    for (int i = 0; i < OPT_COUNT; i++) {
        if (as_commands) out_printf(sh, "set %co %s\n", sh->opt[i] ? '-' : '+', option_name(i));
        else out_printf(sh, "%-15s\t%s\n", option_name(i), sh->opt[i] ? "on" : "off");
    }
}

static int set_by_name(struct shell *sh, const char *name, bool on) {
    int option = option_find(name);
    if (option < 0) {
        sh_builtin_error(sh, "%s: invalid option name", name);
        sh->misused = true;
        return 2;
    }
    option_set(sh, option, on);
    return 0;
}

/* Letters may be anything but: -c -i -s belong to the invocation only. */
static int check_letters(struct shell *sh, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if ((arg[0] != '-' && arg[0] != '+') || !arg[1] || strcmp(arg, "--") == 0) return 0;
        for (const char *p = arg + 1; *p; p++) {
            if (*p == 'o') {
                if (i + 1 < argc && argv[i + 1][0] != '-' && argv[i + 1][0] != '+') i++;
                continue;
            }
            if (option_letter(*p) >= 0 || (*p == 'r' && *arg == '-')) continue;
            char text[3] = {arg[0], *p, 0};
            return sh_bad_option(sh, text);
        }
    }
    return 0;
}

/* One argument of options; *i moves on when -o takes the next one. */
static int set_cluster(struct shell *sh, int argc, char **argv, int *i) {
    const char *arg = argv[*i];
    bool on = arg[0] == '-';
    for (const char *p = arg + 1; *p; p++) {
        if (*p == 'r') {
            sh->restricted = true;
            if (!sh->command_string) sh_restrict(sh);
        } else if (*p != 'o') {
            option_set(sh, option_letter(*p), on);
        } else if (*i + 1 < argc && argv[*i + 1][0] != '-' && argv[*i + 1][0] != '+') {
            int status = set_by_name(sh, argv[++*i], on);
            if (status) return status;
        } else {
            print_options(sh, !on);
        }
    }
    return 0;
}

BUILTIN(set) {
    if (argc == 1) {
        print_all(sh);
        return 0;
    }
    int status = check_letters(sh, argc, argv);
    if (status) return status;
    int i = 1;
    for (; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--") == 0) {
            i++;
            shell_set_args(sh, argv + i, argc - i);
            return 0;
        }
        if (strcmp(arg, "-") == 0) {
            sh->opt[OPT_XTRACE] = sh->opt[OPT_VERBOSE] = false;
            i++;
            if (i < argc) shell_set_args(sh, argv + i, argc - i);
            return 0;
        }
        if (strcmp(arg, "+") == 0 && i + 1 < argc) continue;
        if ((arg[0] != '-' && arg[0] != '+') || !arg[1]) break;
        if ((status = set_cluster(sh, argc, argv, &i))) return status;
    }
    if (i < argc) shell_set_args(sh, argv + i, argc - i);
    return 0;
}

/* ------------------------------------------------------------------ shopt */

struct shopt_request {
    bool set, unset, quiet, print, set_options;
};

static bool *shopt_slot(struct shell *sh, const struct shopt_request *r, const char *name) {
    int i = r->set_options ? option_find(name) : shopt_find(name);
    if (i < 0) return NULL;
    return r->set_options ? &sh->opt[i] : &sh->shopt[i];
}

static void shopt_show(struct shell *sh, const struct shopt_request *r, const char *name, bool on) {
    if (r->quiet) return;
    if (r->print && r->set_options) out_printf(sh, "set %co %s\n", on ? '-' : '+', name);
    else if (r->print) out_printf(sh, "shopt -%c %s\n", on ? 's' : 'u', name);
    else out_printf(sh, "%-15s\t%s\n", name, on ? "on" : "off");
}

static int shopt_list(struct shell *sh, const struct shopt_request *r) {
    int count = r->set_options ? OPT_COUNT : SHOPT_COUNT;
    for (int i = 0; i < count; i++) {
        bool on = r->set_options ? sh->opt[i] : sh->shopt[i];
        if ((r->set && !on) || (r->unset && on)) continue;
        shopt_show(sh, r, r->set_options ? option_name(i) : shopt_name(i), on);
    }
    return 0;
}

BUILTIN(shopt) {
    struct bopt o = bopt_new(argc, argv);
    struct shopt_request r = {0};
    for (int c; (c = bopt_next(sh, &o, "psuqo", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 's') r.set = true;
        else if (c == 'u') r.unset = true;
        else if (c == 'q') r.quiet = true;
        else if (c == 'p') r.print = true;
        else r.set_options = true;
    }
    if (r.set && r.unset) {
        sh_builtin_error(sh, "cannot set and unset shell options simultaneously");
        return 1;
    }
    if (o.index >= argc) return shopt_list(sh, &r);
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        bool *slot = shopt_slot(sh, &r, argv[i]);
        if (!slot) {
            if (r.set_options) sh_builtin_error(sh, "%s: invalid option name", argv[i]);
            else sh_builtin_error(sh, "%s: invalid shell option name", argv[i]);
            status = 1;
        } else if (r.set || r.unset) {
            if (r.set_options) option_set(sh, option_find(argv[i]), r.set);
            else *slot = r.set;
            if (slot == &sh->shopt[SHOPT_EXTDEBUG]) {
                option_set(sh, OPT_FUNCTRACE, r.set);
                option_set(sh, OPT_ERRTRACE, r.set);
            }
        } else {
            shopt_show(sh, &r, argv[i], *slot);
            if (!*slot) status = 1;
        }
    }
    return status;
}
