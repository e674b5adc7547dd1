/*
 * func.c: the table of functions.
 *
 * A function shares the tree it was parsed in; one that is redefined or unset while it runs stays
 * alive until its last call returns.
 */
#include "sh.h"

struct func *func_find(struct shell *sh, const char *name) {
    return (struct func *)table_find(sh->funcs, name, strlen(name));
}

void func_drop(struct shell *sh, struct func *f) {
    if (f->running > 0) {
        f->dead = true;
        return;
    }
    tree_done(sh, f->tree);
    free(f->entry.key);
    free(f->file);
    free(f);
}

bool func_unset(struct shell *sh, const char *name) {
    struct func *f = func_find(sh, name);
    if (!f) return true;
    if (f->readonly) {
        sh_builtin_error(sh, "%s: cannot unset: readonly function", name);
        return false;
    }
    table_swap(sh->funcs, &f->entry, NULL);
    if (f->exported) {
        free(sh->environ_cache);
        sh->environ_cache = NULL;
    }
    func_drop(sh, f);
    return true;
}

void func_define(struct shell *sh, const struct node *n, struct tree *tree) {
    struct func *old = func_find(sh, n->func.name);
    if (old && old->readonly) {
        sh_error(sh, "%s: readonly function", n->func.name);
        sh->status = 1;
        return;
    }
    struct func *f = xcalloc(1, sizeof *f);
    f->entry.key = xstrdup(n->func.name);
    f->body = n->func.body;
    f->tree = tree_ref(tree);
    f->line = n->line;
    if (f->body->kind == N_GROUP) sh->body_line = f->body->line;
    f->body_line = sh->body_line;
    const char *file = sh->frame->file;
    f->file = xstrdup(file ? file : sh->command_string || sh->session ? "environment" : "main");
    if (old) {
        f->exported = old->exported;
        f->traced = old->traced;
        func_unset(sh, n->func.name);
    }
    table_add(sh->funcs, &f->entry);
    if (f->exported || sh->opt[OPT_ALLEXPORT]) {
        f->exported = true;
        free(sh->environ_cache);
        sh->environ_cache = NULL;
    }
    sh->status = 0;
}

/* NAME=() { … } from the environment. */
bool func_import(struct shell *sh, const char *name, const char *text) {
    sb all = {0};
    bool rest = false, path = strchr(name, '/') != NULL || (sh->posix && !name_ok(name));
    sb_printf(&all, "%s %s\n", name, text);
    struct tree *t = path ? NULL : parse_first(sh, all.s, all.n, 0, name, &rest);
    bool ok = t && t->root && t->root->kind == N_FUNCTION && !rest;
    if (!ok) {
        if (t) sh_error(sh, "warning: %s: ignoring function definition attempt", name);
        sh_error(sh, "error importing function definition for `%s'", name);
    } else {
        func_define(sh, t->root, t);
        struct func *f = func_find(sh, name);
        if (f) f->exported = true;
    }
    tree_drop(t);
    sb_free(&all);
    return ok;
}
