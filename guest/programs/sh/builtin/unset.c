/*
 * builtin/unset.c: unset.
 */
#include "builtin.h"

/* unset 'a[1]' */
static int unset_element(struct shell *sh, const char *arg, const char *name, const char *sub) {
    struct var *v = var_find(sh, name);
    if (!v) return 0;
    if (v->flags & V_READONLY) {
        sh_builtin_error(sh, "%s: cannot unset: readonly variable", name);
        return 1;
    }
    bool all = strcmp(sub, "@") == 0 || strcmp(sub, "*") == 0;
    if (v->flags & V_ASSOC) {
        if (all && !assoc_get(var_assoc(v), sub)) {
            var_clear(sh, v);
            return 0;
        }
        const char *key = assign_is_argument(sh, arg) ? sub : expand_subscript(sh, v, sub);
        if (!key) return 1;
        if (!*key) {
            sh_builtin_error(sh, "[%s]: bad array subscript", sub);
            return 1;
        }
        assoc_unset(var_assoc(v), key);
        var_changed(sh, v);
        return 0;
    }
    if (all && (v->flags & V_ARRAY)) {
        var_clear(sh, v);
        v->flags |= V_SET;
        return 0;
    }
    char *text = expand_subscript(sh, v, sub);
    int64_t i;
    if (!text || !assign_index(sh, v, name, text, &i)) {
        return 1;
    }
    if (!(v->flags & V_ARRAY)) {
        if (i == 0) return !var_unset(sh, name);
        sh_builtin_error(sh, "%s: not an array variable", name);
        return 1;
    }
    if (i < 0) {
        sh_builtin_error(sh, "[%s]: bad array subscript", sub);
        return 1;
    }
    array_unset(var_array(v), i);
    var_changed(sh, v);
    return 0;
}

static int unset_variable(struct shell *sh, const char *arg, bool reference) {
    char *name, *sub;
    if (!assign_split_ref(sh, arg, &name, &sub)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", arg);
        return 1;
    }
    if (sub) return unset_element(sh, arg, name, sub);
    if (!reference) {
        const char *target = var_nameref_target(sh, name);
        struct var *raw = var_find_raw(sh, name);
        if (raw && (raw->flags & V_NAMEREF) && (raw->flags & V_SET) && target &&
            strcmp(target, name) != 0) {
            if (!name_ok(target)) return unset_variable(sh, target, true);
            name = arena_strdup(&sh->tmp, target);
        }
    }
    return var_unset(sh, name) ? 0 : 1;
}

BUILTIN(unset) {
    struct bopt o = bopt_new(argc, argv);
    bool functions = false, variables = false, reference = false;
    for (int c; (c = bopt_next(sh, &o, "fvn", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'f') functions = true;
        else if (c == 'v') variables = true;
        else reference = true;
    }
    if (functions && variables) {
        sh_builtin_error(sh, "cannot simultaneously unset a function and a variable");
        return 1;
    }
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        const char *name = argv[i];
        bool is_function = functions;
        if (!functions && !variables && !reference && !assign_valid_lhs(name)) {
            is_function = true;
        } else if (!functions && !variables && !reference && !var_find_raw(sh, name) && !strchr(name, '['))
            is_function = func_find(sh, name) != NULL;
        if (is_function) {
            if (!func_unset(sh, name)) status = 1;
        } else if (unset_variable(sh, name, reference)) {
            status = 1;
        }
    }
    return status;
}
