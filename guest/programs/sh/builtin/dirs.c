/*
 * builtin/dirs.c: pushd, popd, dirs: the directory stack. sh->dirs holds all but the top, which is
 * the current directory, as NUL-terminated names, newest first.
 */
#include "builtin.h"

static int stack_count(struct shell *sh) {
    int n = 1;
    for (size_t at = 0; at < sh->dirs.n; at += strlen(sh->dirs.s + at) + 1) n++;
    return n;
}

/* Offset in sh->dirs of entry i (1 is the first below the top). */
static size_t offset_of(struct shell *sh, int i) {
    size_t at = 0;
    while (--i > 0) at += strlen(sh->dirs.s + at) + 1;
    return at;
}

static const char *entry(struct shell *sh, int i) {
    if (i == 0) {
        const char *pwd = var_get(sh, "PWD");
        return pwd ? pwd : "";
    }
    return sh->dirs.s + offset_of(sh, i);
}

static void remove_entry(struct shell *sh, int i) {
    size_t at = offset_of(sh, i), n = strlen(sh->dirs.s + at) + 1;
    memmove(sh->dirs.s + at, sh->dirs.s + at + n, sh->dirs.n - at - n);
    sh->dirs.n -= n;
}

static void insert_entry(struct shell *sh, int i, const char *dir) {
    size_t at = i <= 1 ? 0 : offset_of(sh, i), n = strlen(dir) + 1;
    sb_grow(&sh->dirs, n);
    memmove(sh->dirs.s + at + n, sh->dirs.s + at, sh->dirs.n - at);
    memcpy(sh->dirs.s + at, dir, n);
    sh->dirs.n += n;
}

/* +N counts from the top, -N from the bottom; -1 when there is no such entry. */
static int number_of(struct shell *sh, const char *spec) {
    int64_t n;
    if (!parse_int64(spec + 1, &n)) return -1;
    int count = stack_count(sh);
    if (n >= count) return -1;
    return *spec == '-' ? count - 1 - (int)n : (int)n;
}

static bool is_number_spec(const char *s) {
    return (*s == '+' || *s == '-') && s[1] && s[1 + strspn(s + 1, "0123456789")] == 0;
}

char *dirs_entry(struct shell *sh, const char *spec) {
    char *full = *spec == '+' || *spec == '-' ? arena_strdup(&sh->tmp, spec)
                                              : arena_printf(&sh->tmp, "+%s", spec);
    int i = number_of(sh, full);
    return i < 0 ? NULL : arena_strdup(&sh->tmp, entry(sh, i));
}

/* DIRSTACK[key]=value: the top is where the shell is, and stays. */
void dirs_element(struct shell *sh, const char *key, const char *value) {
    int64_t i;
    if (!parse_int64(key, &i) || i < 1 || i >= stack_count(sh)) return;
    char *copy = arena_strdup(&sh->tmp, value);
    remove_entry(sh, (int)i);
    insert_entry(sh, (int)i, copy);
}

static void print_entry(struct shell *sh, const char *dir, bool full) {
    const char *home = var_get(sh, "HOME");
    size_t n = home ? strlen(home) : 0;
    if (!full && n > 1 && strncmp(dir, home, n) == 0 && (dir[n] == '/' || dir[n] == 0))
        out_printf(sh, "~%s", dir + n);
    else out_puts(sh, dir);
}

static void print_stack(struct shell *sh, bool full, char style) {
    int n = stack_count(sh);
    for (int i = 0; i < n; i++) {
        if (style == 'v') out_printf(sh, "%2d  ", i);
        print_entry(sh, entry(sh, i), full);
        if (style || i == n - 1) out_putc(sh, '\n');
        else out_putc(sh, ' ');
    }
}

static int bad_number(struct shell *sh, const char *spec) {
    if (stack_count(sh) == 1) sh_builtin_error(sh, "directory stack empty");
    else sh_builtin_error(sh, "%s: directory stack index out of range", spec);
    return 1;
}

BUILTIN(dirs) {
    bool full = false, clear = false;
    char style = 0;
    const char *which = NULL;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--") == 0) continue;
        if (is_number_spec(arg)) {
            which = arg;
        } else if (arg[0] == '-' && arg[1] && !arg[2] && strchr("clpv", arg[1])) {
            if (arg[1] == 'c') clear = true;
            else if (arg[1] == 'l') full = true;
            else style = arg[1];
        } else {
            bool number = *arg == '-' || *arg == '+';
            sh_builtin_error(sh, "%s: invalid %s", arg, number ? "number" : "option");
            return sh_usage(sh);
        }
    }
    if (clear) {
        sh->dirs.n = 0;
        return 0;
    }
    if (!which) {
        print_stack(sh, full, style);
        return 0;
    }
    int at = number_of(sh, which);
    if (at < 0) return bad_number(sh, which + 1);
    if (style == 'v') out_printf(sh, "%2d  ", at);
    print_entry(sh, entry(sh, at), full);
    out_putc(sh, '\n');
    return 0;
}

struct push_request {
    bool stay; /* -n */
    const char *arg;
};

static int read_request(struct shell *sh, int argc, char **argv, struct push_request *r) {
    *r = (struct push_request){false, NULL};
    int i = 1;
    for (; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0) {
            r->stay = true;
        } else if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        } else if (strchr("-+", argv[i][0]) && argv[i][0] && argv[i][1] && !is_number_spec(argv[i])) {
            sh_builtin_error(sh, "%s: invalid number", argv[i]);
            return sh_usage(sh);
        } else {
            break;
        }
    }
    bool pop = strcmp(sh->builtin, "popd") == 0;
    if (pop && i < argc && !is_number_spec(argv[i])) {
        sh_builtin_error(sh, "%s: invalid argument", argv[i]);
        return sh_usage(sh);
    }
    if (!pop && argc - i > 1) {
        sh_builtin_error(sh, "too many arguments");
        return 1;
    }
    r->arg = i < argc ? argv[i] : NULL;
    return 0;
}

/* Makes entry i the top, what was above it going to the bottom in order. */
static int rotate(struct shell *sh, int i, bool stay) {
    int n = stack_count(sh);
    char **all = arena_alloc(&sh->tmp, (size_t)n * sizeof *all);
    for (int k = 0; k < n; k++) all[k] = arena_strdup(&sh->tmp, entry(sh, (i + k) % n));
    if (!stay && cd_to(sh, all[0], false)) return 1;
    sh->dirs.n = 0;
    for (int k = n - 1; k >= 1; k--) insert_entry(sh, 1, all[k]);
    return 0;
}

BUILTIN(pushd) {
    struct push_request r;
    int status = read_request(sh, argc, argv, &r);
    if (status) return status;
    if (!r.arg || is_number_spec(r.arg)) {
        if (!r.arg && stack_count(sh) == 1) {
            sh_builtin_error(sh, "no other directory");
            return 1;
        }
        int at = r.arg ? number_of(sh, r.arg) : 1;
        if (at < 0) return bad_number(sh, r.arg);
        if (!r.arg && !r.stay) { /* swap the two on top */
            char *top = arena_strdup(&sh->tmp, entry(sh, 0));
            char *next = arena_strdup(&sh->tmp, entry(sh, 1));
            if (cd_to(sh, next, false)) return 1;
            remove_entry(sh, 1);
            insert_entry(sh, 1, top);
        } else if (rotate(sh, at, r.stay)) {
            return 1;
        } else if (r.stay) {
            return 0;
        }
    } else if (r.stay) {
        insert_entry(sh, 1, r.arg);
    } else {
        char *old = arena_strdup(&sh->tmp, entry(sh, 0));
        bool back = strcmp(r.arg, "-") == 0; /* as cd - */
        const char *to = back ? var_get(sh, "OLDPWD") : r.arg;
        if (!to) {
            sh_builtin_error(sh, "OLDPWD not set");
            return 1;
        }
        if (cd_to(sh, arena_strdup(&sh->tmp, to), false)) return 1;
        if (back) out_printf(sh, "%s\n", entry(sh, 0));
        insert_entry(sh, 1, old);
    }
    print_stack(sh, false, 0);
    return 0;
}

BUILTIN(popd) {
    struct push_request r;
    int status = read_request(sh, argc, argv, &r);
    if (status) return status;
    if (stack_count(sh) == 1) {
        sh_builtin_error(sh, "directory stack empty");
        return 1;
    }
    int at = r.arg ? number_of(sh, r.arg) : 0;
    if (at < 0) return bad_number(sh, r.arg);
    if (at > 0) {
        remove_entry(sh, at);
    } else {
        char *next = arena_strdup(&sh->tmp, entry(sh, 1));
        if (!r.stay && cd_to(sh, next, false)) return 1;
        remove_entry(sh, 1);
    }
    print_stack(sh, false, 0);
    return 0;
}
