/*
 * expandparam.c: ${…}: finds the value of a parameter and applies its operator.
 */
#include "expandpriv.h"

/* ------------------------------------------------------------------ fetching */

static char *number_text(struct shell *sh, int64_t n) {
    return arena_printf(&sh->tmp, "%" PRId64, n);
}

static void fetch_special(struct shell *sh, char c, struct pvalue *out) {
    struct frame *f = sh->frame;
    out->set = true;
    switch (c) {
    case '@':
    case '*':
        out->list = true;
        out->star = c == '*';
        out->v = f->args;
        out->count = f->nargs;
        out->set = f->nargs > 0;
        break;
    case '#': out->s = number_text(sh, f->nargs); break;
    case '?': out->s = number_text(sh, sh->status); break;
    case '$': out->s = number_text(sh, sh->pid); break;
    case '-': {
        sb flags = sb_in(&sh->tmp);
        option_flags(sh, &flags);
        out->s = sb_str(&flags);
        break;
    }
    case '!':
        out->set = sh->last_background > 0;
        out->s = out->set ? number_text(sh, sh->last_background) : NULL;
        break;
    default: out->set = false;
    }
}

static void fetch_positional(struct shell *sh, const char *name, struct pvalue *out) {
    long n = strtol(name, NULL, 10);
    if (n == 0) out->s = sh->name;
    else if (n > 0 && n <= sh->frame->nargs) out->s = sh->frame->args[n - 1];
    out->set = out->s != NULL;
}

/* All elements of an array (or the one value of a plain variable) as a list. */
static void fetch_elements(struct shell *sh, struct var *v, struct pvalue *out) {
    out->list = true;
    var_refresh(sh, v);
    if (v->flags & V_ASSOC) {
        char **keys;
        assoc_list(var_assoc(v), &sh->tmp, &keys, &out->v);
        out->count = assoc_count(var_assoc(v));
    } else if (v->flags & V_ARRAY) {
        out->count = array_count(var_array(v));
        out->v = arena_alloc(&sh->tmp, ((size_t)out->count + 1) * sizeof(char *));
        for (int i = 0; i < out->count; i++) out->v[i] = (char *)array_at(var_array(v), i, NULL);
        out->v[out->count] = NULL;
    } else if (v->flags & V_SET) {
        out->count = 1;
        out->v = arena_alloc(&sh->tmp, 2 * sizeof(char *));
        out->v[0] = (char *)var_text(v);
        out->v[1] = NULL;
    }
    out->set = out->count > 0;
}

static bool fetch_element(struct shell *sh, struct var *v, const char *name, const char *sub,
                          struct pvalue *out) {
    out->sub = sub;
    if (v && (v->flags & V_ASSOC)) {
        var_refresh(sh, v);
        out->beyond = *sub == 0;
        out->s = assoc_get(var_assoc(v), sub);
    } else {
        int64_t i;
        if (v) var_refresh(sh, v);
        if (!assign_index(sh, v, name, sub, &i)) return false;
        if (i < 0) { /* beyond the start: an error that gives nothing */
            out->s = NULL;
            out->beyond = v != NULL;
        } else if (v && (v->flags & V_ARRAY)) {
            out->s = array_get(var_array(v), i);
        } else if (v && i == 0 && (v->flags & V_SET)) {
            out->s = var_str(sh, v);
        }
    }
    out->set = out->s != NULL;
    return true;
}

bool param_fetch(struct shell *sh, const char *name, const struct word *sub, const char *sub_text,
                 char sub_all, struct pvalue *out) {
    memset(out, 0, sizeof *out);
    out->name = name;
    if (name_len(name) == 0) {
        if (name[0] >= '0' && name[0] <= '9') fetch_positional(sh, name, out);
        else fetch_special(sh, name[0], out);
        return true;
    }
    struct var *v = var_find_raw(sh, name);
    if (v && (v->flags & V_NAMEREF) && (v->flags & V_SET)) {
        const char *target;
        v = var_deref(sh, v, &target);
        if (!v && target) {
            char *base, *inner;
            if (!assign_split_ref(sh, target, &base, &inner)) {
                out->name = target;
                return true;
            }
            if (inner && (sub || sub_all)) { /* a[1][2] is nothing */
                out->list = sub_all != 0;
                return true;
            }
            out->name = base;
            v = var_find(sh, base);
            if (inner && !sub && !sub_text && !sub_all) {
                if (strcmp(inner, "@") == 0 || strcmp(inner, "*") == 0) sub_all = inner[0];
                else sub_text = inner;
            }
        }
        if (v) out->name = v->entry.key;
    }
    out->var = v;
    if (sub_all) {
        out->list = true;
        out->star = sub_all == '*';
        if (v) fetch_elements(sh, v, out);
        return true;
    }
    if (sub || sub_text) {
        bool nested = sub && !(v && (v->flags & V_ASSOC)) && strchr(sub->text, '[') &&
                      strpbrk(sub->text, "$`'\"\\");
        const char *text = sub && !nested ? expand_single(sh, sub)
                                          : expand_subscript(sh, v, nested ? sub->text : sub_text);
        return text && fetch_element(sh, v, out->name, text, out);
    }
    if (v && !(v->flags & V_NAMEREF)) {
        out->s = var_str(sh, v);
        out->set = out->s != NULL;
    }
    return true;
}

/* ------------------------------------------------------------------ ${!…} */

/* ${!prefix*} */
static bool names_with_prefix(struct expander *x, const struct param *pm, bool quoted) {
    struct shell *sh = x->sh;
    struct strings names = {0};
    int count;
    size_t n = strlen(pm->name);
    struct entry **list = table_sorted(sh->vars, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)list[i];
        if (!(v->flags & (V_SET | V_ARRAY | V_ASSOC)) && !(v->special && v->special->get)) continue;
        if (strncmp(v->entry.key, pm->name, n) == 0 && name_ok(v->entry.key))
            strings_add(sh, &names, v->entry.key);
    }
    xp_list(x, names.v, names.n, quoted, pm->names == '*');
    return true;
}

/* ${!a[@]} */
static bool list_keys(struct expander *x, const struct param *pm, bool quoted) {
    struct shell *sh = x->sh;
    struct var *v = var_find(sh, pm->name);
    struct strings keys = {0};
    if (v) var_refresh(sh, v);
    if (v && (v->flags & V_ASSOC)) {
        char **values;
        assoc_list(var_assoc(v), &sh->tmp, &keys.v, &values);
        keys.n = assoc_count(var_assoc(v));
    } else if (v && (v->flags & V_ARRAY)) {
        for (int i = 0; i < array_count(var_array(v)); i++) {
            int64_t index;
            array_at(var_array(v), i, &index);
            strings_add(sh, &keys, number_text(sh, index));
        }
    } else if (v && (v->flags & V_SET)) {
        strings_add(sh, &keys, (char *)"0");
    }
    xp_list(x, keys.v, keys.n, quoted, pm->sub_all == '*');
    return true;
}

static bool parameter_name_ok(const char *s) {
    if (!*s) return false;
    if (s[1] == 0 && strchr("@*#?-$!", s[0])) return true;
    if (s[strspn(s, "0123456789")] == 0) return true;
    size_t n = name_len(s);
    return n > 0 && (s[n] == 0 || (s[n] == '[' && s[n + subscript_end(s + n)] == 0));
}

/* Follows the indirection of ${!x…}. */
static bool fetch_indirect(struct shell *sh, const struct param *pm, struct pvalue *out) {
    struct var *ref = var_find_raw(sh, pm->name);
    if (ref && (ref->flags & V_NAMEREF) && !pm->sub && !pm->sub_all) {
        const char *target = var_nameref_target(sh, pm->name); /* ${!ref} names its target */
        memset(out, 0, sizeof *out);
        out->name = pm->name;
        out->s = target ? target : "";
        out->set = true;
        return true;
    }
    if (!param_fetch(sh, pm->name, pm->sub, NULL, pm->sub_all, out)) return false;
    char *name = out->list ? (out->count ? arena_strdup(&sh->tmp, out->v[0]) : NULL)
                 : out->s  ? arena_strdup(&sh->tmp, out->s)
                           : NULL;
    if (out->list && out->count > 1) {
        struct expander join = {.sh = sh};
        name = xp_join(&join, out->v, out->count, out->star);
    }
    if (!name) {
        if (out->list || pm->sub || name_len(pm->name) == 0) {
            memset(out, 0, sizeof *out);
            out->name = pm->name;
            return true;
        }
        sh_expand_error(sh, "%s: invalid indirect expansion", pm->name);
        return false;
    }
    if (!parameter_name_ok(name)) {
        sh_expand_error(sh, "%s: invalid variable name", name);
        return false;
    }
    char *base = name, *sub = NULL;
    if (name_len(name) > 0 && !assign_split_ref(sh, name, &base, &sub)) {
        sh_expand_error(sh, "%s: invalid variable name", name);
        return false;
    }
    char all = sub && (strcmp(sub, "@") == 0 || strcmp(sub, "*") == 0) ? sub[0] : 0;
    return param_fetch(sh, base, NULL, all ? NULL : sub, all, out);
}

/* ------------------------------------------------------------------ ${#x} */

static bool emit_length(struct expander *x, const struct pvalue *v, bool quoted) {
    int64_t n = v->list ? v->count : v->s ? (int64_t)u8_count(v->s, strlen(v->s)) : 0;
    char text[ARITH_DIGITS];
    xp_value(x, text, arith_digits(text, n), quoted);
    return true;
}

/* ------------------------------------------------------------------ ${x-w} and friends */

static bool is_null(struct shell *sh, const struct pvalue *v, bool quoted) {
    if (!v->list) return !v->s || !*v->s;
    if (v->count == 0) return true;
    if (v->count == 1) return v->v[0][0] == 0;
    for (int i = 0; i < v->count; i++)
        if (v->v[i][0]) return false;
    return v->star && quoted && !sh->ifs_first[0]; /* else there are separators between them */
}

static bool emit_word(struct expander *x, const struct word *w, bool quoted) {
    if (!w || !w->parts) {
        if (quoted) x->content = true;
        return true;
    }
    return xp_parts(x, w->parts, !quoted);
}

static bool assign_default(struct expander *x, const struct param *pm, struct pvalue *v) {
    struct shell *sh = x->sh;
    if (name_len(v->name) == 0) {
        sh_expand_error(sh, "$%s: cannot assign in this way", v->name);
        sh->fatal = false;
        return false;
    }
    char *value = pm->arg ? expand_single(sh, pm->arg) : (char *)"";
    if (!value) return false;
    if (v->list && !v->sub) {
        sh_expand_error(sh, "%s: bad array subscript", param_shown(sh, pm));
        return false;
    }
    bool ok = v->sub ? assign_element_of(sh, v->name, v->sub, value)
                     : assign_text(sh, v->name, value, false);
    if (!ok) {
        if (!sh->flow) {
            sh->flow = FLOW_DISCARD;
            sh->status = 1;
        }
        return false;
    }
    struct pvalue now;
    memset(&now, 0, sizeof now);
    const struct var *var = v->sub ? var_find(sh, v->name) : NULL;
    if (var && fetch_element(sh, (struct var *)var, v->name, v->sub, &now)) v->s = now.s;
    else if (!v->sub) v->s = assign_get_text(sh, v->name);
    if (!v->s) v->s = value;
    v->set = true;
    v->list = false;
    return true;
}

static bool value_error(struct shell *sh, const struct param *pm, bool quoted) {
    const char *text = NULL;
    if (pm->arg && pm->arg->len > 0) {
        (void)quoted;
        text = expand_single(sh, pm->arg);
        if (!text) return false;
    }
    if (!text) text = pm->colon ? "parameter null or not set" : "parameter not set";
    sh_fatal_expand_error(sh, "%s: %s", param_shown(sh, pm), text);
    return false;
}

static bool emit_pvalue(struct expander *x, const struct pvalue *v, bool quoted) {
    /* Where one string is wanted, what an operator made of $@ is joined as $* would be. */
    bool star = v->star || (v->operated && !(x->flags & X_SPLIT));
    if ((x->flags & X_HERE) && v->name[0] == '*') star = false;
    if (v->list)
        xp_list(x, v->v, v->count, quoted, star);
    else if (v->s) xp_value(x, v->s, strlen(v->s), quoted);
    else if (quoted) x->content = true;
    return true;
}

static bool value_operator(struct expander *x, const struct param *pm, struct pvalue *v,
                           bool quoted) {
    bool use = v->set && !(pm->colon && is_null(x->sh, v, quoted));
    switch (pm->op) {
    case OP_ALTERNATE:
        if (use) return emit_word(x, pm->arg, quoted);
        if (v->list && quoted && !v->star) x->empty_list = true;
        return true;
    case OP_DEFAULT: return use ? emit_pvalue(x, v, quoted) : emit_word(x, pm->arg, quoted);
    case OP_ASSIGN:
        if (!use && !assign_default(x, pm, v)) return false;
        return emit_pvalue(x, v, quoted);
    default:
        if (!use) return value_error(x->sh, pm, quoted);
        return emit_pvalue(x, v, quoted);
    }
}

/* ------------------------------------------------------------------ operators on values */

struct op_args {
    char *pattern, *replacement;
};

static char *operate(struct shell *sh, const struct param *pm, const struct op_args *args,
                     const char *value) {
    switch (pm->op) {
    case OP_REPLACE: return op_replace(sh, pm, args->pattern, args->replacement, value);
    case OP_CASE: return op_case(sh, pm, args->pattern, value);
    default: return op_trim(sh, pm, args->pattern, value);
    }
}

/* Values are copied before the operands are expanded: those may change the variable. */
static void own_values(struct shell *sh, struct pvalue *v) {
    if (v->list) {
        char **copy = arena_alloc(&sh->tmp, ((size_t)v->count + 1) * sizeof(char *));
        for (int i = 0; i < v->count; i++) copy[i] = arena_strdup(&sh->tmp, v->v[i]);
        copy[v->count] = NULL;
        v->v = copy;
    } else if (v->s) {
        v->s = arena_strdup(&sh->tmp, v->s);
    }
}

static bool apply_operator(struct expander *x, const struct param *pm, struct pvalue *v) {
    struct shell *sh = x->sh;
    if (!(pm->arg && (pm->arg->flags & W_PLAIN))) own_values(sh, v);
    if (pm->op == OP_SLICE) return op_slice(sh, pm, v);
    if (pm->op == OP_TRANSFORM) return op_transform(sh, pm, v);
    struct op_args args = {NULL, NULL};
    if (!(args.pattern = pm->arg ? expand_pattern(sh, pm->arg) : (char *)"")) return false;
    if (pm->op == OP_REPLACE && !(args.replacement = op_replacement(sh, pm->arg2))) return false;
    if (v->list) {
        char **all = arena_alloc(&sh->tmp, ((size_t)v->count + 1) * sizeof(char *));
        for (int i = 0; i < v->count; i++)
            if (!(all[i] = operate(sh, pm, &args, v->v[i]))) return false;
        all[v->count] = NULL;
        v->v = all;
    } else if (v->s) {
        if (!(v->s = operate(sh, pm, &args, v->s))) return false;
    }
    return true;
}

static bool unbound(struct shell *sh, const struct param *pm) {
    if (pm->name[0] == '$' || name_len(pm->name) > 0 || !pm->plain)
        sh_fatal_expand_error(sh, "%s: unbound variable", param_shown(sh, pm));
    else sh_fatal_expand_error(sh, "$%s: unbound variable", pm->name);
    return false;
}

/* What ${#a[@]} wants under set -u: elements, or a list that is empty on purpose. */
static bool is_set_array(const struct var *v) {
    return v && (v->flags & (V_ARRAY | V_ASSOC)) && (v->flags & V_SET);
}

/* $name of a plain variable: by far the most common. */
static bool plain_variable(struct expander *x, const struct param *pm, bool quoted, bool *done) {
    struct shell *sh = x->sh;
    *done = false;
    if (name_len(pm->name) == 0) return true;
    struct var *v = var_find_raw(sh, pm->name);
    if (!v || (v->flags & V_NAMEREF)) return true;
    const char *s = var_str(sh, v);
    if (!s) return true;
    size_t n = v->flags & (V_ARRAY | V_ASSOC) ? strlen(s) : v->len;
    xp_value(x, s, n, quoted);
    *done = true;
    return true;
}

/* May the operands of its operator assign to the variable whose value is at hand? */
static bool changes_variables(const struct param *pm) {
    const struct word *args[] = {pm->arg, pm->arg2};
    for (int i = 0; i < DIM(args); i++) {
        if (!args[i]) continue;
        bool number = args[i]->text[strspn(args[i]->text, " -0123456789")] == 0;
        if (pm->op == OP_SLICE ? !number : !(args[i]->flags & W_PURE)) return true;
    }
    return false;
}

/* Copies a value out of the variable; a slice looks at an array when its numbers are known. */
static void own_value(struct shell *sh, struct pvalue *v, bool in_place) {
    if (v->s) v->s = arena_strdup(&sh->tmp, v->s);
    if (!v->list || v->count == 0 || in_place) return;
    char **copy = arena_alloc(&sh->tmp, ((size_t)v->count + 1) * sizeof *copy);
    for (int i = 0; i < v->count; i++) copy[i] = arena_strdup(&sh->tmp, v->v[i]);
    copy[v->count] = NULL;
    v->v = copy;
}

bool xp_param(struct expander *x, const struct param *pm, bool quoted) {
    struct shell *sh = x->sh;
    struct pvalue v;
    if (pm->op == OP_NONE && !pm->sub && !pm->sub_all && !pm->length && !pm->indirect) {
        bool done;
        if (!plain_variable(x, pm, quoted, &done)) return false;
        if (done) return true;
    }
    if (pm->names) return names_with_prefix(x, pm, quoted);
    if (pm->indirect && pm->sub_all && pm->op == OP_NONE) return list_keys(x, pm, quoted);
    bool ok = pm->indirect ? fetch_indirect(sh, pm, &v)
                           : param_fetch(sh, pm->name, pm->sub, NULL, pm->sub_all, &v);
    if (!ok) return false;
    if (v.beyond && pm->length) {
        sh_expand_error(sh, "%s]: bad array subscript", pm->sub->text);
        return false;
    }
    if (v.beyond && (v.var->flags & V_ASSOC)) {
        sh_expand_error(sh, "%s[%s]: bad array subscript", v.name, v.sub);
        return false;
    }
    if (v.beyond) sh_error(sh, "%s: bad array subscript", v.name);
    if (pm->op >= OP_DEFAULT && pm->op <= OP_ALTERNATE) return value_operator(x, pm, &v, quoted);
    bool element = pm->length && (pm->sub || pm->sub_all);
    if (!v.set && !v.list && !element && sh->opt[OPT_NOUNSET]) return unbound(sh, pm);
    if (element && sh->opt[OPT_NOUNSET] && !is_set_array(v.var)) {
        sh_expand_error(sh, "%s: unbound variable", pm->name);
        return false;
    }
    if (pm->length) return emit_length(x, &v, quoted);
    if (changes_variables(pm)) own_value(sh, &v, pm->op == OP_SLICE && v.var && (v.var->flags & V_ARRAY));
    if (pm->op != OP_NONE && !apply_operator(x, pm, &v)) return false;
    v.operated = pm->op != OP_NONE && (quoted || pm->op < OP_REPLACE || pm->op == OP_TRANSFORM);
    return emit_pvalue(x, &v, quoted);
}
