/*
 * builtin/declare.c: declare (typeset), local, export, readonly.
 */
#include "builtin.h"

struct request {
    unsigned on, off; /* V_ attributes to add and to take away */
    bool local;       /* make it in the function's scope */
    bool global;      /* -g */
    bool inherit;     /* -I */
    bool functions;   /* -f */
    bool names_only;  /* -F */
    bool print;       /* -p */
    unsigned arrays;  /* lists show these kinds alone */
};

/* The innermost function's frame; NULL outside of functions. */
static struct frame *function_frame(struct shell *sh) {
    struct frame *f = sh->frame;
    while (f && !f->is_function) f = f->up;
    return f;
}

/* Is v one of the assignments in front of the running builtin? */
static bool is_command_temp(struct shell *sh, const struct var *v) {
    const struct frame *frame = function_frame(sh);
    return (v->flags & V_TEMP) && v->level == sh->level && (!frame || frame->level < sh->level);
}

/* ------------------------------------------------------------------ printing */

static void print_one(struct shell *sh, struct var *v) {
    sb text = {0};
    bool own = strcmp(sh->builtin, "export") == 0 || strcmp(sh->builtin, "readonly") == 0;
    if (sh->posix && own) { /* in the builtin's own words */
        const char *kind = v->flags & V_ARRAY ? "-a " : v->flags & V_ASSOC ? "-A " : "";
        sb_printf(&text, "%s %s%s", sh->builtin, kind, v->entry.key);
        if (v->flags & V_SET) var_print_value(sh, v, &text);
        sb_putc(&text, '\n');
    } else {
        var_print_declare(sh, v, &text);
    }
    out_put(sh, text.s, text.n);
    sb_free(&text);
}

static void print_bare(struct shell *sh, struct var *v) {
    sb text = {0};
    if (!(v->flags & V_SET)) return;
    var_print_bare(sh, v, &text);
    out_put(sh, text.s, text.n);
    sb_free(&text);
}

static void print_func_attributes(struct shell *sh, const struct func *f) {
    out_printf(sh, "declare -f%s%s%s %s\n", f->readonly ? "r" : "", f->traced ? "t" : "",
               f->exported ? "x" : "", f->entry.key);
}

static void print_func(struct shell *sh, struct func *f) {
    sb text = {0};
    print_function(&text, f->entry.key, f->body);
    sb_putc(&text, '\n');
    out_put(sh, text.s, text.n);
    sb_free(&text);
}

static bool has_attributes(const struct func *f) {
    return f->readonly || f->traced || f->exported;
}

static int print_functions(struct shell *sh, const struct request *r, int n, char **names) {
    int status = 0;
    for (int i = 0; i < n; i++) {
        struct func *f = func_find(sh, names[i]);
        if (!f && r->print) sh_builtin_error(sh, "%s: not found", names[i]);
        if (!f)
            status = 1;
        else if (r->names_only && sh->shopt[SHOPT_EXTDEBUG])
            out_printf(sh, "%s %d %s\n", f->entry.key, f->line, f->file);
        else if (r->names_only)
            out_printf(sh, "%s\n", f->entry.key);
        else
            print_func(sh, f);
        if (f && r->print && !r->names_only && has_attributes(f)) print_func_attributes(sh, f);
    }
    if (n > 0) return status;
    int count;
    struct entry **list = table_sorted(sh->funcs, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct func *f = (struct func *)list[i];
        if (!f->traced && (r->on & V_TRACE)) continue;
        if ((r->on & V_EXPORT) && !f->exported) continue;
        if ((r->on & V_READONLY) && !f->readonly) continue;
        if (!r->names_only) print_func(sh, f);
        if (r->names_only || has_attributes(f)) print_func_attributes(sh, f);
    }
    return 0;
}

static bool wanted(const struct var *v, unsigned mask) {
    return (v->flags & mask) == mask;
}

/* declare -p with attributes, or without names at all. */
static void print_variables(struct shell *sh, const struct request *r, bool bare) {
    int count;
    struct entry **list = table_sorted(sh->vars, &sh->tmp, &count);
    struct frame *frame = function_frame(sh);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)list[i];
        if (is_command_temp(sh, v) && !(v = v->outer)) continue; /* lists are of what lasts */
        if (!name_ok(v->entry.key) || !wanted(v, r->on)) continue;
        if (r->arrays && !(v->flags & r->arrays)) continue;
        if (v->special && v->special->hidden && bare && !(v->flags & V_ARRAY)) continue;
        if (!(v->special && v->special->hidden)) var_refresh(sh, v);
        if (r->local && (!frame || v->level != frame->level)) continue;
        if (bare)
            print_bare(sh, v);
        else
            print_one(sh, v);
    }
}

static int print_named(struct shell *sh, const struct request *r, int n, char **names) {
    int status = 0;
    for (int i = 0; i < n; i++) {
        struct var *v = r->global ? var_global(sh, names[i]) : var_find_raw(sh, names[i]);
        if (v) var_refresh(sh, v);
        if (v && r->local && v->level == 0) v = NULL;
        if (v) {
            print_one(sh, v);
        } else {
            sh_builtin_error(sh, "%s: not found", names[i]);
            status = 1;
        }
    }
    return status;
}

/* ------------------------------------------------------------------ making */

/* A local scalar that is declared to be an array begins without its value. */
static void local_array(struct shell *sh, const struct request *r, struct var *v) {
    if (!(r->on & (V_ARRAY | V_ASSOC)) || r->inherit || sh->shopt[SHOPT_LOCALVAR_INHERIT]) return;
    if ((v->flags & (V_ARRAY | V_ASSOC | V_READONLY)) || !(v->flags & V_SET)) return;
    var_clear(sh, v);
    if (r->on & V_ASSOC) var_to_assoc(sh, v);
    else var_to_array(sh, v);
    v->flags |= V_SET;
}

/* The variable a declaration is about, made where it belongs. NULL: it may not be. */
static struct var *declared(struct shell *sh, const struct request *r, const char *name,
                            bool compound) {
    struct var *seen = var_find_raw(sh, name);
    if (r->global) return var_make_local(sh, name, 0);
    struct frame *frame = function_frame(sh);
    if (!r->local && seen && is_command_temp(sh, seen) && var_text(seen)) { /* A=1 export A */
        char *value = arena_strdup(&sh->tmp, var_text(seen));
        var_remove(sh, seen);
        struct var *v = var_make(sh, name);
        if (!(v->flags & V_READONLY)) var_assign(sh, v, value, false);
        var_export(sh, v, true);
        return v;
    }
    if (!r->local || !frame) {
        if (seen && (seen->flags & V_NAMEREF) && !((r->on | r->off) & V_NAMEREF)) {
            struct var *v = var_find(sh, name);
            if (v) return v;
            const char *target = var_nameref_target(sh, name);
            if (target && name_ok(target)) return var_make_local(sh, target, 0);
        }
        return seen ? seen : var_make_local(sh, name, 0);
    }
    if (seen && seen->special && special_is_fixed(name)) {
        sh_builtin_error(sh, "%s: variable may not be assigned value", name);
        return NULL;
    }
    if (seen && (seen->flags & V_READONLY) && seen->level < frame->level) {
        if (seen->level == 0 || !(seen->flags & V_LOCAL)) {
            if (compound) sh_error(sh, "%s: %s: readonly variable", frame->name, name);
            sh_builtin_error(sh, "%s: readonly variable", name);
            return NULL;
        }
    }
    if (seen && (seen->flags & V_TEMP) && seen->level >= frame->level) {
        seen->flags = (uint16_t)((seen->flags & ~V_TEMP) | V_LOCAL | V_GIVEN);
        local_array(sh, r, seen);
        return seen;
    }
    bool fresh = !seen || seen->level < frame->level;
    struct var *v = var_make_local(sh, name, frame->level);
    v->flags |= V_LOCAL;
    if (!fresh) local_array(sh, r, v);
    if (!fresh || !seen) return v;
    if (seen->flags & V_EXPORT) var_export(sh, v, true);
    if (!((seen->flags & V_TEMP) || r->inherit || sh->shopt[SHOPT_LOCALVAR_INHERIT])) return v;
    if (seen->flags & (V_ARRAY | V_ASSOC)) var_copy_elements(sh, v, seen);
    else if (var_text(seen)) var_put(sh, v, var_text(seen));
    v->flags |= seen->flags & (V_EXPORT | V_INTEGER | V_LOWER | V_UPPER);
    return v;
}

static bool nameref_ok(struct shell *sh, const char *name, const char *value) {
    size_t n = name_len(value);
    bool self = strncmp(name, value, n) == 0 && !name[n] && (!value[n] || value[n] == '[');
    if (self) {
        struct frame *frame = function_frame(sh);
        if (!frame) {
            sh_builtin_error(sh, "%s: nameref variable self references not allowed", name);
            return false;
        }
        sh_builtin_error(sh, "warning: %s: circular name reference", name);
        sh_error(sh, "warning: %s: circular name reference", name);
    }
    if (!*value) {
        sh_builtin_error(sh, "`': not a valid identifier");
        return false;
    }
    if (!assign_valid_lhs(value)) {
        sh_builtin_error(sh, "`%s': invalid variable name for name reference", value);
        return false;
    }
    return true;
}

/* Attributes that decide how a value is read come before it; false: refused. */
static bool set_attributes(struct shell *sh, const struct request *r, struct var *v) {
    if ((r->off & V_READONLY) && (v->flags & V_READONLY)) {
        sh_builtin_error(sh, "%s: readonly variable", v->entry.key);
        return false;
    }
    if ((r->off & V_ARRAY && v->flags & V_ARRAY) || (r->off & V_ASSOC && v->flags & V_ASSOC)) {
        sh_builtin_error(sh, "%s: cannot destroy array variables in this way", v->entry.key);
        return false;
    }
    if ((r->on & V_ASSOC) && (r->on & V_ARRAY) && !(v->flags & V_ARRAY)) var_to_assoc(sh, v);
    if ((r->on & V_ASSOC) && (v->flags & V_ARRAY)) {
        sh_builtin_error(sh, "%s: cannot convert indexed to associative array", v->entry.key);
        return false;
    }
    if ((r->on & V_ARRAY) && (v->flags & V_ASSOC)) {
        sh_builtin_error(sh, "%s: cannot convert associative to indexed array", v->entry.key);
        return false;
    }
    if (r->on & V_ASSOC)
        var_to_assoc(sh, v);
    else if (r->on & V_ARRAY)
        var_to_array(sh, v);
    unsigned on = r->on & (V_INTEGER | V_LOWER | V_UPPER | V_CAPITAL | V_TRACE);
    if (on & (V_LOWER | V_UPPER | V_CAPITAL))
        v->flags &= (uint16_t)~(V_LOWER | V_UPPER | V_CAPITAL);
    unsigned cases = on & (V_LOWER | V_UPPER | V_CAPITAL);
    if (cases & (cases - 1)) on &= ~cases; /* two of them: none */
    v->flags |= (uint16_t)on;
    v->flags &= (uint16_t)~(r->off & ~(unsigned)(V_ARRAY | V_ASSOC | V_READONLY | V_EXPORT));
    return true;
}

/* Was v in front of the call of a function that runs? */
static bool is_given(struct shell *sh, const struct var *v) {
    if (v->flags & V_GIVEN) return true;
    if (!(v->flags & V_TEMP)) return false;
    const struct frame *f = sh->frame;
    while (f && !(f->is_function && f->level == v->level)) f = f->up;
    return f != NULL;
}

static void set_late_attributes(struct shell *sh, const struct request *r, struct var *v) {
    if ((r->on & (V_EXPORT | V_READONLY)) && is_given(sh, v)) v->flags |= V_PASSED;
    if (r->on & V_EXPORT) var_export(sh, v, true);
    if (r->off & V_EXPORT) var_export(sh, v, false);
    if (r->on & V_READONLY) v->flags |= V_READONLY;
    if (r->on & V_NAMEREF) v->flags |= V_NAMEREF;
}

/* The value "(a b)" given as text. */
static bool assign_text_compound(struct shell *sh, struct var *v, const char *text, bool append) {
    struct tree *t = tree_new();
    struct assign *as = parse_compound_text(sh, t, v->entry.key, text);
    bool ok = false;
    if (as) {
        as->append = append;
        ok = assign_compound(sh, v, as);
    }
    tree_drop(t);
    return ok;
}

struct target { /* one argument taken apart */
    char *name, *sub;
    const char *value; /* NULL: none */
    bool append;
    const struct compound *compound;
};

static bool split_target(struct shell *sh, const char *arg, struct target *t) {
    size_t n = name_len(arg);
    const char *p = arg + n;
    memset(t, 0, sizeof *t);
    if (n == 0) return false;
    t->name = arena_strndup(&sh->tmp, arg, n);
    if (*p == '[') {
        size_t end = subscript_end(p);
        if (end == 0) return false;
        t->sub = arena_strndup(&sh->tmp, p + 1, end - 2);
        p += end;
    }
    if (p[0] == '+' && p[1] == '=') {
        t->append = true;
        t->value = p + 2;
        return true;
    }
    if (*p == '=') t->value = p + 1;
    return *p == '=' || *p == 0;
}

static bool give_value(struct shell *sh, const struct request *r, struct var *v,
                       const struct target *t) {
    if (t->compound) return assign_expanded(sh, v, t->compound);
    if (!t->value) return true;
    size_t n = strlen(t->value);
    bool array = (v->flags & (V_ARRAY | V_ASSOC)) != 0;
    bool list = n > 1 && t->value[0] == '(' && t->value[n - 1] == ')';
    if (t->sub && !(list && (r->on & (V_ARRAY | V_ASSOC)))) {
        if (v->flags & V_ASSOC) return var_assign_key(sh, v, t->sub, t->value, t->append);
        int64_t i;
        if (!assign_index(sh, v, t->name, t->sub, &i)) return false;
        if (i < 0) {
            sh_error(sh, "%s[%s]: bad array subscript", t->name, t->sub);
            return false;
        }
        return var_assign_index(sh, v, i, t->value, t->append);
    }
    if (array && list)
        return assign_text_compound(sh, v, t->value, t->append);
    if ((r->on & V_NAMEREF) && !nameref_ok(sh, t->name, t->value)) return false;
    if (r->on & V_NAMEREF) {
        var_put(sh, v, t->value);
        return true;
    }
    return var_assign(sh, v, t->value, t->append);
}

/* export A=1 and readonly A=1 show what they assign once more. */
static void trace_value(struct shell *sh, const struct target *t) {
    sb text = sb_in(&sh->tmp);
    sb_printf(&text, "%s%s=", t->name, t->append ? "+" : "");
    if (*t->value) quote_trace(&text, t->value);
    exec_trace_text(sh, sb_str(&text));
}

/* declare -a r=(…) fails as r=(…) does: the line is given up. */
static bool compound_refused(struct shell *sh, const struct request *r, struct var *v) {
    const char *name = v->entry.key;
    if ((r->on & V_ASSOC) && (v->flags & V_ARRAY))
        sh_error(sh, "%s: cannot convert indexed to associative array", name);
    else if ((r->on & V_ARRAY) && (v->flags & V_ASSOC))
        sh_error(sh, "%s: cannot convert associative to indexed array", name);
    else if (v->flags & V_READONLY)
        sh_error(sh, "%s: readonly variable", name);
    else
        return false;
    sh_give_up(sh);
    return true;
}

static int declare_one(struct shell *sh, const struct request *r, const char *arg,
                       const struct compound *compound) {
    struct target t;
    if (!split_target(sh, arg, &t)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", arg);
        return 1;
    }
    t.compound = compound;
    bool declares = strcmp(sh->builtin, "export") != 0 && strcmp(sh->builtin, "readonly") != 0;
    if (t.sub && !declares) {
        sh_builtin_error(sh, "`%s[%s]': not a valid identifier", t.name, t.sub);
        return 1;
    }
    struct var *v = declared(sh, r, t.name, compound != NULL);
    if (!v) return 1;
    if (compound && compound_refused(sh, r, v)) return 1;
    if (!declares && t.value && sh->opt[OPT_XTRACE]) trace_value(sh, &t);
    if ((v->flags & V_READONLY) && (t.value || compound)) {
        if (compound || !declares) var_readonly_error(sh, v);
        else sh_builtin_error(sh, "%s: readonly variable", t.name);
        if (!declares) {
            set_late_attributes(sh, r, v);
            sh->misused = true;
        }
        return 1;
    }
    if ((r->on & V_NAMEREF) && !t.value && var_text(v) && !nameref_ok(sh, t.name, var_text(v)))
        return 1;
    if ((r->on & V_NAMEREF) && ((v->flags & (V_ARRAY | V_ASSOC)) || t.sub || compound)) {
        sh_builtin_error(sh, "%.*s: reference variable cannot be an array",
                         (int)strcspn(arg, "+="), arg);
        return 1;
    }
    if (!set_attributes(sh, r, v)) return 1;
    if (t.sub && !(v->flags & V_ASSOC)) var_to_array(sh, v);
    if (!give_value(sh, r, v, &t)) {
        return 1;
    }
    set_late_attributes(sh, r, v);
    if (v->special && v->special->changed && !t.value) v->special->changed(sh, v);
    return 0;
}

static const struct compound *compound_of(struct shell *sh, char **arg) {
    const struct arg_assigns *a = &sh->arg_assigns;
    ptrdiff_t i = arg - a->argv;
    return a->v && i >= 0 && i < a->count ? a->v[i] : NULL;
}

static int declare_functions(struct shell *sh, const struct request *r, int n, char **names) {
    int status = 0;
    for (int i = 0; i < n; i++) {
        struct func *f = func_find(sh, names[i]);
        if (!f) {
            if (strcmp(sh->builtin, "readonly") == 0 || strcmp(sh->builtin, "export") == 0)
                sh_builtin_error(sh, "%s: not a function", names[i]);
            status = 1;
            continue;
        }
        if ((r->off & V_READONLY) && f->readonly) {
            sh_builtin_error(sh, "%s: readonly function", names[i]);
            status = 1;
            continue;
        }
        if (r->on & V_EXPORT) f->exported = true;
        if (r->off & V_EXPORT) f->exported = false;
        if (r->on & V_READONLY) f->readonly = true;
        if (r->on & V_TRACE) f->traced = true;
        free(sh->environ_cache);
        sh->environ_cache = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------ the builtins */

static unsigned flag_of(int c) {
    switch (c) {
    case 'a': return V_ARRAY;
    case 'A': return V_ASSOC;
    case 'i': return V_INTEGER;
    case 'l': return V_LOWER;
    case 'u': return V_UPPER;
    case 'c': return V_CAPITAL;
    case 'n': return V_NAMEREF;
    case 'r': return V_READONLY;
    case 't': return V_TRACE;
    case 'x': return V_EXPORT;
    default: return 0;
    }
}

/* local - : the options are put back when the function returns. */
static void save_options(struct shell *sh) {
    struct frame *f = function_frame(sh);
    if (f->saved_options) return;
    f->saved_options = xmalloc(sizeof sh->opt);
    memcpy(f->saved_options, sh->opt, sizeof sh->opt);
}

static int declare_all(struct shell *sh, const struct request *r, int n, char **args) {
    int status = 0;
    for (int i = 0; i < n; i++) {
        if (r->local && strcmp(sh->builtin, "local") == 0 && strcmp(args[i], "-") == 0) {
            save_options(sh);
            continue;
        }
        if (declare_one(sh, r, args[i], compound_of(sh, &args[i]))) status = 1;
        if (sh->flow != FLOW_NONE) return sh->status;
    }
    return status;
}

static int declare_with(struct shell *sh, struct request *r, int argc, char **argv) {
    struct bopt o = bopt_new(argc, argv);
    bool plus;
    for (int c; (c = bopt_next(sh, &o, "+aAcfFgiIlnprtux", &plus));) {
        if (bopt_over(c)) return 2;
        if (c == 'f')
            r->functions = true;
        else if (c == 'F')
            r->functions = r->names_only = true;
        else if (c == 'g')
            r->global = true;
        else if (c == 'I')
            r->inherit = true;
        else if (c == 'p')
            r->print = true;
        else if (plus)
            r->off |= flag_of(c);
        else
            r->on |= flag_of(c);
    }
    int n = argc - o.index;
    char **names = argv + o.index;
    if (r->functions) {
        bool change = ((r->on | r->off) & (V_EXPORT | V_READONLY | V_TRACE)) && n > 0 && !r->print;
        return change ? declare_functions(sh, r, n, names) : print_functions(sh, r, n, names);
    }
    if (r->print && n > 0) {
        struct request look = *r;
        look.local = look.local && strcmp(sh->builtin, "local") == 0;
        return print_named(sh, &look, n, names);
    }
    if (n == 0) {
        struct request all = *r;
        all.local = strcmp(sh->builtin, "local") == 0;
        print_variables(sh, &all, !r->print && !r->on && !r->off && !all.local);
        return 0;
    }
    return declare_all(sh, r, n, names);
}

BUILTIN(declare) {
    struct request r = {.local = true};
    return declare_with(sh, &r, argc, argv);
}

BUILTIN(local) {
    struct request r = {.local = true};
    if (!function_frame(sh)) {
        sh_builtin_error(sh, "can only be used in a function");
        return 1;
    }
    return declare_with(sh, &r, argc, argv);
}

static int export_like(struct shell *sh, struct request *r, unsigned flag, int argc, char **argv) {
    struct bopt o = bopt_new(argc, argv);
    bool remove = false;
    for (int c; (c = bopt_next(sh, &o, "aAfnp", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'n')
            remove = true;
        else if (c == 'f')
            r->functions = true;
        else if (c == 'p')
            r->print = true;
        else
            r->on |= flag_of(c);
    }
    if (remove)
        r->off |= flag;
    else
        r->on |= flag;
    int n = argc - o.index;
    char **names = argv + o.index;
    if (r->functions && n > 0) return declare_functions(sh, r, n, names);
    if (r->functions) {
        r->names_only = false;
        return print_functions(sh, r, 0, NULL);
    }
    if (n == 0) {
        struct request list = {.on = flag, .arrays = r->on & (V_ARRAY | V_ASSOC)};
        print_variables(sh, &list, false);
        return 0;
    }
    return declare_all(sh, r, n, names);
}

BUILTIN(export) {
    struct request r = {0};
    return export_like(sh, &r, V_EXPORT, argc, argv);
}

BUILTIN(readonly) {
    struct request r = {0};
    return export_like(sh, &r, V_READONLY, argc, argv);
}
