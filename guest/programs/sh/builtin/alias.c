/*
 * builtin/alias.c: alias and unalias.
 */
#include "builtin.h"

/* As a command that makes it again, which POSIX mode asks for by -p only. */
static void print_alias(struct shell *sh, const struct alias *a, bool command) {
    sb text = {0};
    if (command) sb_puts(&text, *a->entry.key == '-' ? "alias -- " : "alias ");
    sb_printf(&text, "%s=", a->entry.key);
    quote_single(&text, a->value);
    sb_putc(&text, '\n');
    out_put(sh, text.s, text.n);
    sb_free(&text);
}

static struct alias *find(struct shell *sh, const char *name) {
    return (struct alias *)table_find(sh->aliases, name, strlen(name));
}

void alias_set(struct shell *sh, const char *name, size_t n, const char *value) {
    struct alias *a = table_entry(sh->aliases, name, n, sizeof *a);
    free(a->value);
    a->value = xstrdup(value);
}

static void remove_alias(struct shell *sh, struct alias *a) {
    table_swap(sh->aliases, &a->entry, NULL);
    free(a->entry.key);
    free(a->value);
    free(a);
}

bool alias_unset(struct shell *sh, const char *name) {
    struct alias *a = find(sh, name);
    if (a) remove_alias(sh, a);
    return a != NULL;
}

bool alias_name_ok(const char *s, size_t n) {
    if (n == 0) return false;
    for (size_t i = 0; i < n; i++)
        if (strchr(" \t\n/$`=|&;()<>'\"\\", s[i])) return false;
    return true;
}

BUILTIN(alias) {
    struct bopt o = bopt_new(argc, argv);
    bool print = false;
    for (int c; (c = bopt_next(sh, &o, "p", NULL));) {
        if (bopt_over(c)) return 2;
        print = true;
    }
    if (print || o.index >= argc) {
        int count;
        struct entry **list = table_sorted(sh->aliases, &sh->tmp, &count);
        for (int i = 0; i < count; i++) print_alias(sh, (struct alias *)list[i], print || !sh->posix);
    }
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        const char *eq = strchr(argv[i], '=');
        if (eq && eq > argv[i]) {
            size_t n = (size_t)(eq - argv[i]);
            if (alias_name_ok(argv[i], n)) {
                alias_set(sh, argv[i], n, eq + 1);
            } else {
                sh_builtin_error(sh, "`%.*s': invalid alias name", (int)n, argv[i]);
                status = 1;
            }
            continue;
        }
        struct alias *a = find(sh, argv[i]);
        if (a) {
            print_alias(sh, a, print || !sh->posix);
        } else {
            sh_builtin_error(sh, "%s: not found", argv[i]);
            status = 1;
        }
    }
    return status;
}

BUILTIN(unalias) {
    struct bopt o = bopt_new(argc, argv);
    bool all = false;
    for (int c; (c = bopt_next(sh, &o, "a", NULL));) {
        if (bopt_over(c)) return 2;
        all = true;
    }
    if (all) {
        int count;
        struct entry **list = table_sorted(sh->aliases, &sh->tmp, &count);
        for (int i = 0; i < count; i++) remove_alias(sh, (struct alias *)list[i]);
        return 0;
    }
    if (o.index >= argc) return sh_usage(sh);
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        if (alias_unset(sh, argv[i])) continue;
        sh_builtin_error(sh, "%s: not found", argv[i]);
        status = 1;
    }
    return status;
}
