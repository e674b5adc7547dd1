/*
 * builtin/cd.c: cd and pwd.
 */
#include "builtin.h"

#include <sys/stat.h>
#include <unistd.h>

/* Joins and removes . and .. as text (the logical view); NULL when a part is not there. */
static char *logical_path(struct shell *sh, const char *base, const char *dir) {
    sb out = sb_in(&sh->tmp);
    if (*dir != '/') sb_puts(&out, base);
    if (out.n == 0 && *dir == '/') sb_puts(&out, "");
    bool two = dir[0] == '/' && dir[1] == '/' && dir[2] != '/';
    for (const char *p = dir; *p;) {
        while (*p == '/') p++;
        size_t n = strcspn(p, "/");
        if (n == 0) break;
        if (n == 2 && p[0] == '.' && p[1] == '.') {
            struct stat st;
            if (out.n && (stat(sb_str(&out), &st) < 0 || !S_ISDIR(st.st_mode))) return NULL;
            while (out.n > 0 && out.s[out.n - 1] != '/') out.n--;
            if (out.n > 0) out.n--;
        } else if (!(n == 1 && p[0] == '.')) {
            if (out.n == 0 || out.s[out.n - 1] != '/') sb_putc(&out, '/');
            sb_put(&out, p, n);
        }
        p += n;
    }
    if (out.n == 0) sb_putc(&out, '/');
    if (two && out.s[0] == '/' && !(out.n > 1 && out.s[1] == '/'))
        return arena_printf(&sh->tmp, "/%s", sb_str(&out));
    return sb_str(&out);
}

static char *physical_path(struct shell *sh) {
    char *buf = arena_alloc(&sh->tmp, PATH_MAX);
    return getcwd(buf, PATH_MAX);
}

static void set_pwd(struct shell *sh, const char *path) {
    const char *old = var_get(sh, "PWD");
    char *copy = arena_strdup(&sh->tmp, old ? old : "");
    struct var *v = var_make(sh, "OLDPWD");
    var_assign(sh, v, copy, false);
    if (!(v->flags & V_EXPORT)) var_export(sh, v, true);
    v = var_make(sh, "PWD");
    var_assign(sh, v, path, false);
    var_export(sh, v, true);
}

/* Goes to `dir` and sets PWD and OLDPWD; errno on failure. */
static bool change_to(struct shell *sh, const char *dir, bool physical) {
    const char *pwd = var_get(sh, "PWD");
    char *target = NULL;
    if (!physical && (*dir == '/' || (pwd && *pwd == '/')))
        target = logical_path(sh, pwd ? pwd : "", dir);
    if (target && chdir(target) == 0) {
        set_pwd(sh, target);
        return true;
    }
    if (chdir(dir) < 0) return false;
    char *real = physical_path(sh);
    set_pwd(sh, real ? real : dir);
    return true;
}

/* A relative name is looked for along CDPATH; true when found there. */
static bool along_cdpath(struct shell *sh, const char *dir, bool physical) {
    const char *path = var_get(sh, "CDPATH");
    if (!path || *dir == '/' || strcmp(dir, ".") == 0 || strcmp(dir, "..") == 0 ||
        strncmp(dir, "./", 2) == 0 || strncmp(dir, "../", 3) == 0)
        return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, ":");
        struct stat st;
        const char *slash = n && p[n - 1] == '/' ? "" : "/";
        char *full = n ? arena_printf(&sh->tmp, "%.*s%s%s", (int)n, p, slash, dir)
                       : arena_strdup(&sh->tmp, dir);
        if (stat(full, &st) == 0 && S_ISDIR(st.st_mode) && change_to(sh, full, physical)) {
            if (n) out_printf(sh, "%s\n", var_get(sh, "PWD"));
            return true;
        }
        p += n + (p[n] == ':');
    }
    return false;
}

int cd_to(struct shell *sh, const char *dir, bool physical) {
    if (along_cdpath(sh, dir, physical)) return 0;
    if (!*dir) dir = ".";
    if (change_to(sh, dir, physical)) return 0;
    int error = errno;
    const char *named = sh->shopt[SHOPT_CDABLE_VARS] && name_ok(dir) ? var_get(sh, dir) : NULL;
    if (named && change_to(sh, named, physical)) {
        out_printf(sh, "%s\n", named);
        return 0;
    }
    sh_builtin_error(sh, "%s: %s", dir, strerror(error));
    return 1;
}

BUILTIN(cd) {
    struct bopt o = bopt_new(argc, argv);
    bool physical = sh->opt[OPT_PHYSICAL];
    if (sh->restricted) return sh_restricted(sh, NULL);
    for (int c; (c = bopt_next(sh, &o, "LPe", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'L') physical = false;
        else if (c == 'P') physical = true;
    }
    if (argc - o.index > 1) {
        sh_builtin_error(sh, "too many arguments");
        return 1;
    }
    const char *dir = argv[o.index];
    bool announce = false;
    if (!dir) {
        if (!(dir = var_get(sh, "HOME"))) {
            sh_builtin_error(sh, "HOME not set");
            return 1;
        }
        if (!*dir) return 0;
    } else if (strcmp(dir, "-") == 0) {
        if (!(dir = var_get(sh, "OLDPWD"))) {
            sh_builtin_error(sh, "OLDPWD not set");
            return 1;
        }
        announce = true;
    }
    dir = arena_strdup(&sh->tmp, dir);
    int status = cd_to(sh, dir, physical);
    if (status == 0 && announce) out_printf(sh, "%s\n", var_get(sh, "PWD"));
    return status;
}

/* bash says this without a place in the script. */
static void no_directory(const char *name) {
    sb text = {0};
    sb_printf(&text,
              "%s: error retrieving current directory: getcwd: cannot access parent directories: "
              "%s\n",
              name, strerror(errno));
    sh_write_err(text.s, text.n);
    sb_free(&text);
}

BUILTIN(pwd) {
    struct bopt o = bopt_new(argc, argv);
    bool physical = sh->opt[OPT_PHYSICAL];
    for (int c; (c = bopt_next(sh, &o, "LP", NULL));) {
        if (bopt_over(c)) return 2;
        physical = c == 'P';
    }
    const char *pwd = physical ? NULL : var_get(sh, "PWD");
    struct stat a, b;
    bool valid = pwd && *pwd == '/' && stat(pwd, &a) == 0 && stat(".", &b) == 0 &&
                 a.st_ino == b.st_ino && a.st_dev == b.st_dev;
    if (!valid) {
        const char *real = physical_path(sh);
        if (!real && pwd && !physical) real = pwd;
        if (!real) {
            no_directory("pwd");
            return 1;
        }
        pwd = real;
    }
    out_printf(sh, "%s\n", pwd);
    return 0;
}
