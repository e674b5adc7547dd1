/*
 * var.c: variables: finding, assigning, scopes, namerefs, the environment.
 *
 * A name leads to its innermost variable; those that it hides hang below it. Scopes are numbers:
 * every function call and every `A=1 cmd` is one more, and what was made in it goes when it ends.
 */
#include "sh.h"

bool name_ok_n(const char *s, size_t n) { return n > 0 && name_len(s) >= n; }

size_t name_len(const char *s) {
    size_t n = 0;
    for (;; n++) {
        unsigned char c = (unsigned char)s[n];
        bool letter = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(n > 0 && c >= '0' && c <= '9')) return n;
    }
}

bool name_ok(const char *s) {
    size_t n = name_len(s);
    return n > 0 && s[n] == 0;
}

void var_init(struct shell *sh) { sh->vars = table_new(); }

struct var *var_find_raw(struct shell *sh, const char *name) {
    return (struct var *)table_find(sh->vars, name, strlen(name));
}

static void environ_stale(struct shell *sh, unsigned flags) {
    if (flags & V_EXPORT) {
        free(sh->environ_cache);
        sh->environ_cache = NULL;
    }
}

/* ------------------------------------------------------------------ namerefs */

static void circular(struct shell *sh, const char *name) {
    sh_error(sh, "warning: %s: circular name reference", name);
}

struct var *var_deref(struct shell *sh, struct var *v, const char **target) {
    *target = NULL;
    struct var *start = v;
    for (int depth = 0; v && (v->flags & V_NAMEREF) && (v->flags & V_SET); depth++) {
        if (depth == NAMEREF_DEPTH_MAX) {
            circular(sh, start->entry.key);
            return NULL;
        }
        const char *next = var_text(v);
        if (!next) return v;
        if (!name_ok(next)) {
            *target = next;
            return NULL;
        }
        struct var *w = var_find_raw(sh, next);
        if (w == v || w == start) { /* a local one that comes back to itself means the global one */
            circular(sh, start->entry.key);
            if (sh->function_depth == 0 || w->level == 0) return NULL;
            *target = w->entry.key;
            return var_global(sh, w->entry.key);
        }
        if (!w) {
            *target = next;
            return NULL;
        }
        v = w;
    }
    return v;
}

struct var *var_find(struct shell *sh, const char *name) {
    struct var *v = var_find_raw(sh, name);
    if (!v || !(v->flags & V_NAMEREF)) return v;
    const char *target;
    return var_deref(sh, v, &target);
}

const char *var_nameref_target(struct shell *sh, const char *name) {
    struct var *v = var_find_raw(sh, name);
    if (!v || !(v->flags & V_NAMEREF)) return name;
    const char *target;
    struct var *end = var_deref(sh, v, &target);
    return end ? end->entry.key : target;
}

/* ------------------------------------------------------------------ making and removing */

static struct var *var_new(const char *name, int level) {
    struct var *v = xcalloc(1, sizeof *v);
    v->entry.key = xstrdup(name);
    v->level = level;
    v->special = special_find(name);
    return v;
}

static void local_insert(struct shell *sh, struct var *v) {
    struct var **at = &sh->locals;
    while (*at && (*at)->level > v->level) at = &(*at)->next_local;
    v->next_local = *at;
    *at = v;
}

struct var *var_make_local(struct shell *sh, const char *name, int level) {
    struct var *top = var_find_raw(sh, name), *above = NULL, *at = top;
    while (at && at->level > level) {
        above = at;
        at = at->outer;
    }
    if (at && at->level == level) return at;
    struct var *v = var_new(name, level);
    v->outer = at;
    /* One that was unset, or hides the computed one, is an ordinary variable. */
    bool again = level == 0 && strcmp(name, "PIPESTATUS") == 0;
    if (sh->specials_made && v->special && v->special->get && !again) v->special = NULL;
    if (above) above->outer = v;
    else if (top) table_swap(sh->vars, &top->entry, &v->entry);
    else table_add(sh->vars, &v->entry);
    if (level > 0) local_insert(sh, v);
    return v;
}

struct var *var_make(struct shell *sh, const char *name) {
    struct var *v = var_find(sh, name);
    if (v) return v;
    const char *target = var_nameref_target(sh, name);
    return var_make_local(sh, target && name_ok(target) ? target : name, 0);
}

struct var *var_global(struct shell *sh, const char *name) {
    struct var *v = var_find_raw(sh, name);
    while (v && v->level > 0) v = v->outer;
    return v;
}

static void free_value(struct var *v) {
    if (v->flags & V_ARRAY) array_free(var_array(v));
    else if (v->flags & V_ASSOC) assoc_free(var_assoc(v));
    else free(v->value.text);
    v->value.text = NULL;
    v->flags &= (uint16_t)~(V_SET | V_ARRAY | V_ASSOC);
    v->len = v->cap = 0;
}

void var_clear(struct shell *sh, struct var *v) {
    environ_stale(sh, v->flags);
    if (v->flags & V_ARRAY) array_clear(var_array(v));
    else if (v->flags & V_ASSOC) assoc_clear(var_assoc(v));
    else free_value(v);
    v->flags &= (uint16_t)~V_SET;
}

void var_remove(struct shell *sh, struct var *v) {
    environ_stale(sh, V_EXPORT);
    struct var *top = var_find_raw(sh, v->entry.key);
    if (top == v) {
        table_swap(sh->vars, &v->entry, v->outer ? &v->outer->entry : NULL);
    } else {
        while (top->outer != v) top = top->outer;
        top->outer = v->outer;
    }
    if (v->level > 0) {
        struct var **at = &sh->locals;
        while (*at != v) at = &(*at)->next_local;
        *at = v->next_local;
    }
    const struct special *special = v->special;
    struct var *now = var_find_raw(sh, v->entry.key);
    if (special && special->changed) special->changed(sh, now);
    free_value(v);
    free(v->entry.key);
    free(v);
}

/* Shows one of the running command's temporary variables, or what it hides. */
static void temp_swap(struct shell *sh, struct var *v, bool show) {
    struct var *now = var_find_raw(sh, v->entry.key);
    if (show) {
        if ((v->outer = now))
            table_swap(sh->vars, &now->entry, &v->entry);
        else
            table_add(sh->vars, &v->entry);
    } else if (now == v) {
        table_swap(sh->vars, &v->entry, v->outer ? &v->outer->entry : NULL);
    }
    environ_stale(sh, V_EXPORT);
    if (v->special && v->special->changed) v->special->changed(sh, var_find_raw(sh, v->entry.key));
}

void var_show_temps(struct shell *sh, bool show) {
    for (struct var *v = sh->locals; v && v->level == sh->level; v = v->next_local)
        if (v->flags & V_TEMP) temp_swap(sh, v, show);
}

void var_push_level(struct shell *sh) { sh->level++; }

/* A=1 f, where f exports A or makes it readonly: A is the caller's from then on. */
static void pass_on(struct shell *sh, struct var *v) {
    char *name = arena_strdup(&sh->tmp, v->entry.key);
    char *value = var_text(v) ? arena_strdup(&sh->tmp, var_text(v)) : NULL;
    unsigned flags = v->flags & ~(unsigned)(V_SET | V_ARRAY | V_ASSOC | V_TEMP | V_LOCAL | V_GIVEN);
    var_remove(sh, v);
    struct var *to = var_find_raw(sh, name);
    if (!to) to = var_make_local(sh, name, 0);
    if (to->flags & V_READONLY) return;
    if (value) var_assign(sh, to, value, false);
    if (to->level == 0) flags &= ~(unsigned)V_PASSED;
    to->flags |= (uint16_t)flags;
    environ_stale(sh, V_EXPORT);
}

void var_pop_level(struct shell *sh) {
    while (sh->locals && sh->locals->level >= sh->level) {
        if ((sh->locals->flags & V_PASSED) && !(sh->locals->flags & (V_ARRAY | V_ASSOC)))
            pass_on(sh, sh->locals);
        else
            var_remove(sh, sh->locals);
    }
    sh->level--;
}

bool var_readonly_error(struct shell *sh, struct var *v) {
    sh_error(sh, "%s: readonly variable", v->entry.key);
    if (sh->opt[OPT_ERREXIT]) {
        sh->status = 1;
        sh->flow = FLOW_EXIT;
    }
    return false;
}

bool var_unset(struct shell *sh, const char *name) {
    struct var *v = var_find_raw(sh, name);
    if (!v) return true;
    if (v->flags & V_READONLY) {
        sh_builtin_error(sh, "%s: cannot unset: readonly variable", name);
        return false;
    }
    if (strncmp(name, "BASH_", 5) == 0 && special_is_fixed(name)) {
        sh_builtin_error(sh, "%s: cannot unset", name);
        return false;
    }
    bool own_scope = v->level > 0 && !(v->flags & V_TEMP) && v->level == sh->level;
    if (own_scope && !sh->shopt[SHOPT_LOCALVAR_UNSET]) { /* stays local, without a value */
        environ_stale(sh, v->flags);
        free_value(v);
        v->flags = V_LOCAL;
        if (v->special && v->special->changed) v->special->changed(sh, v);
        return true;
    }
    if (sh->shopt[SHOPT_LOCALVAR_UNSET] && v->level > 0 && !(v->flags & V_TEMP)) {
        free_value(v);
        v->flags = V_LOCAL;
        return true;
    }
    var_remove(sh, v);
    return true;
}

/* ------------------------------------------------------------------ values */

void var_refresh(struct shell *sh, struct var *v) {
    if (v->special && v->special->get) v->special->get(sh, v);
}

const char *var_str(struct shell *sh, struct var *v) {
    var_refresh(sh, v);
    if (v->flags & V_ARRAY) return array_get(var_array(v), 0);
    if (v->flags & V_ASSOC) return assoc_get(var_assoc(v), "0");
    return var_text(v);
}

const char *var_get(struct shell *sh, const char *name) {
    struct var *v = var_find_raw(sh, name);
    if (!v) return NULL;
    if (!(v->flags & V_NAMEREF)) return var_str(sh, v);
    const char *target;
    struct var *w = var_deref(sh, v, &target);
    if (w) return w->flags & V_NAMEREF ? NULL : var_str(sh, w);
    return target ? assign_get_text(sh, target) : NULL;
}

void var_changed(struct shell *sh, struct var *v) {
    environ_stale(sh, v->flags);
    if (v->special && v->special->changed) v->special->changed(sh, v);
}

void var_put(struct shell *sh, struct var *v, const char *value) {
    if (v->flags & (V_ARRAY | V_ASSOC)) free_value(v); /* `declare -a RANDOM` */
    size_t n = strlen(value);
    if (n + 1 > v->cap) {
        char *copy = xmalloc(n + 1);
        memcpy(copy, value, n + 1);
        free(v->value.text);
        v->value.text = copy;
        v->cap = n + 1;
    } else {
        memmove(v->value.text, value, n + 1);
    }
    v->len = n;
    v->flags |= V_SET;
    environ_stale(sh, v->flags);
}

static void var_append(struct shell *sh, struct var *v, const char *value) {
    sh_check(!(v->flags & (V_ARRAY | V_ASSOC)));
    size_t n = strlen(value);
    if (!(v->flags & V_SET)) {
        var_put(sh, v, value);
        return;
    }
    if (v->len + n + 1 > v->cap) {
        size_t cap = (v->len + n + 1) + (v->len + n) / 2;
        bool inside = value >= v->value.text && value <= v->value.text + v->len;
        size_t at = inside ? (size_t)(value - v->value.text) : 0;
        v->value.text = xrealloc(v->value.text, cap);
        v->cap = cap;
        if (inside) value = v->value.text + at;
    }
    memmove(v->value.text + v->len, value, n);
    v->len += n;
    v->value.text[v->len] = 0;
    environ_stale(sh, v->flags);
}

/* First character of the text in another case, the rest in the other; or all of it. */
static char *change_case(struct shell *sh, const char *s, unsigned flags) {
    return transform_value(sh, s, flags & V_LOWER ? 'L' : flags & V_UPPER ? 'U' : 'C');
}

char *var_convert(struct shell *sh, struct var *v, const char *value) {
    if (v->flags & V_INTEGER) {
        int64_t n = 0;
        if (*value && !arith_eval(sh, value, &n, NULL)) {
            sh_abandon(sh, 1);
            return NULL;
        }
        return arena_printf(&sh->tmp, "%" PRId64, n);
    }
    if (v->flags & (V_LOWER | V_UPPER | V_CAPITAL)) return change_case(sh, value, v->flags);
    return (char *)value;
}

/* old + value for an integer variable */
static char *add_integers(struct shell *sh, const char *old, const char *value) {
    int64_t a = 0, b = 0;
    if (old && *old && !arith_eval(sh, old, &a, NULL)) return sh_abandon(sh, 1), NULL;
    if (*value && !arith_eval(sh, value, &b, NULL)) return sh_abandon(sh, 1), NULL;
    return arena_printf(&sh->tmp, "%" PRId64, (int64_t)((uint64_t)a + (uint64_t)b));
}

/* The text that an element or a plain variable gets. */
static const char *new_value(struct shell *sh, struct var *v, const char *old, const char *value,
                             bool append) {
    if (append && (v->flags & V_INTEGER)) return add_integers(sh, old, value);
    if (append && old) value = arena_printf(&sh->tmp, "%s%s", old, value);
    return v->flags & (V_INTEGER | V_LOWER | V_UPPER | V_CAPITAL) ? var_convert(sh, v, value)
                                                                  : value;
}

const char *var_added(struct shell *sh, struct var *v, const char *old, const char *value) {
    return new_value(sh, v, old, value, true);
}

const char *var_appended(struct shell *sh, struct var *v, const char *value) {
    return var_added(sh, v, var_str(sh, v), value);
}

bool var_assign(struct shell *sh, struct var *v, const char *value, bool append) {
    if (v->flags & V_ARRAY) return var_assign_index(sh, v, 0, value, append);
    if (v->flags & V_ASSOC) return var_assign_key(sh, v, "0", value, append);
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    if (sh->opt[OPT_ALLEXPORT] && !(v->flags & V_EXPORT)) var_export(sh, v, true);
    const struct special *special = v->special;
    if (special && special->set && special->set(sh, v, value)) return true;
    if (append && !(v->flags & (V_INTEGER | V_LOWER | V_UPPER | V_CAPITAL))) {
        var_append(sh, v, value);
    } else {
        value = new_value(sh, v, var_text(v), value, append);
        if (!value) return false;
        var_put(sh, v, value);
    }
    if (special && special->changed) special->changed(sh, v);
    return true;
}

bool var_set(struct shell *sh, const char *name, const char *value) {
    return var_assign(sh, var_make(sh, name), value, false);
}

void var_to_array(struct shell *sh, struct var *v) {
    if (v->flags & (V_ARRAY | V_ASSOC)) return;
    struct array *a = array_new();
    unsigned set = v->flags & V_SET;
    if (set) array_set(a, 0, v->value.text);
    free_value(v);
    v->value.array = a;
    v->flags |= (uint16_t)(V_ARRAY | set);
    environ_stale(sh, v->flags);
}

void var_to_assoc(struct shell *sh, struct var *v) {
    if (v->flags & V_ASSOC) return;
    struct assoc *a = assoc_new();
    unsigned set = v->flags & V_SET;
    if (var_text(v)) assoc_set(a, "0", v->value.text);
    free_value(v);
    v->value.assoc = a;
    v->flags |= (uint16_t)(V_ASSOC | set);
    environ_stale(sh, v->flags);
}

struct array *var_empty_array(struct shell *sh, struct var *v) {
    if (v->flags & V_ASSOC) free_value(v);
    var_to_array(sh, v);
    array_clear(var_array(v));
    v->flags |= V_SET;
    return var_array(v);
}

struct assoc *var_empty_assoc(struct shell *sh, struct var *v) {
    var_to_assoc(sh, v);
    assoc_clear(var_assoc(v));
    v->flags |= V_SET;
    return var_assoc(v);
}

bool var_assign_index(struct shell *sh, struct var *v, int64_t i, const char *value, bool append) {
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    var_to_array(sh, v);
    value = new_value(sh, v, array_get(var_array(v), i), value, append);
    if (!value) return false;
    array_set(var_array(v), i, value);
    v->flags |= V_SET;
    if (v->special && v->special->element) {
        char key[ARITH_DIGITS];
        arith_digits(key, i);
        v->special->element(sh, key, value);
    }
    var_changed(sh, v);
    return true;
}

bool var_assign_key(struct shell *sh, struct var *v, const char *key, const char *value,
                    bool append) {
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    value = new_value(sh, v, assoc_get(var_assoc(v), key), value, append);
    if (!value) return false;
    assoc_set(var_assoc(v), key, value);
    v->flags |= V_SET;
    if (v->special && v->special->element) v->special->element(sh, key, value);
    var_changed(sh, v);
    return true;
}

void var_export(struct shell *sh, struct var *v, bool on) {
    if (on) v->flags |= V_EXPORT;
    else v->flags &= (uint16_t)~V_EXPORT;
    environ_stale(sh, V_EXPORT);
}

/* ------------------------------------------------------------------ the environment */

static void exported_functions(struct shell *sh, struct strings *out, arena *mem) {
    int count;
    struct entry **list = table_sorted(sh->funcs, mem, &count);
    for (int i = 0; i < count; i++) {
        struct func *f = (struct func *)list[i];
        if (!f->exported) continue;
        sb text = sb_in(mem);
        sb_printf(&text, "BASH_FUNC_%s%%%%=() ", f->entry.key);
        print_exported_function(&text, f->body);
        strings_add(sh, out, sb_str(&text));
    }
}

/* All strings behind the pointers, in one block. */
char **var_environ(struct shell *sh) {
    if (sh->environ_cache) return sh->environ_cache;
    arena_mark mark = arena_here(&sh->tmp);
    struct strings list = {0};
    int count;
    struct entry **vars = table_sorted(sh->vars, &sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)vars[i];
        if ((v->flags & (V_EXPORT | V_SET)) != (V_EXPORT | V_SET)) continue;
        if (v->flags & (V_ARRAY | V_ASSOC)) continue;
        strings_add(sh, &list, arena_printf(&sh->tmp, "%s=%s", v->entry.key, var_str(sh, v)));
    }
    if (table_count(sh->funcs) > 0) exported_functions(sh, &list, &sh->tmp);
    size_t bytes = 0;
    for (int i = 0; i < list.n; i++) bytes += strlen(list.v[i]) + 1;
    char **env = xmalloc(((size_t)list.n + 1) * sizeof *env + bytes);
    char *text = (char *)(env + list.n + 1);
    for (int i = 0; i < list.n; i++) {
        size_t n = strlen(list.v[i]) + 1;
        env[i] = memcpy(text, list.v[i], n);
        text += n;
    }
    env[list.n] = NULL;
    arena_release(&sh->tmp, mark);
    return sh->environ_cache = env;
}

char **var_environ_of(struct shell *sh, const char *path) {
    char **env = var_environ(sh);
    int count = 0;
    while (env[count]) count++;
    char **own = arena_alloc(&sh->tmp, ((size_t)count + 2) * sizeof *own);
    int n = 0;
    for (int i = 0; i < count; i++)
        if (env[i][0] != '_' || env[i][1] != '=') own[n++] = env[i];
    own[n++] = arena_printf(&sh->tmp, "_=%s", path);
    own[n] = NULL;
    return own;
}

static bool import_function(struct shell *sh, const char *name, size_t n, const char *value) {
    const char prefix[] = "BASH_FUNC_";
    size_t skip = sizeof prefix - 1;
    if (n < skip + 3 || strncmp(name, prefix, skip) != 0) return false;
    if (strncmp(name + n - 2, "%%", 2) != 0 || strncmp(value, "() {", 4) != 0) return false;
    char *fn = xstrndup(name + skip, n - skip - 2);
    bool ok = func_import(sh, fn, value);
    free(fn);
    return ok;
}

void var_import_one(struct shell *sh, const char *name, const char *value) {
    struct var *v = var_make_local(sh, name, 0);
    if ((v->flags & V_READONLY) || (v->special && v->special->set)) return;
    if (!(v->flags & (V_ARRAY | V_ASSOC))) var_put(sh, v, value);
    v->flags |= V_IMPORTED;
    var_export(sh, v, true);
    if (v->special && v->special->changed) v->special->changed(sh, v);
}

void var_keep(struct shell *sh, const char *name, struct var_kept *out) {
    struct var *v = var_global(sh, name);
    *out = (struct var_kept){.there = v};
    if (!v) return;
    *out = (struct var_kept){true, v->flags, v->len, v->cap, v->value.text};
    v->flags = 0;
    v->len = v->cap = 0;
    v->value.text = NULL;
    environ_stale(sh, V_EXPORT);
}

void var_put_back(struct shell *sh, const char *name, struct var_kept *kept) {
    struct var *v = var_global(sh, name);
    if (!kept->there) {
        if (v) var_remove(sh, v);
        return;
    }
    if (!v) v = var_make_local(sh, name, 0);
    free_value(v);
    v->flags = kept->flags;
    v->len = kept->len;
    v->cap = kept->cap;
    v->value.text = kept->value;
    environ_stale(sh, V_EXPORT);
    if (v->special && v->special->changed) v->special->changed(sh, v);
}

void var_import(struct shell *sh, char **environ) {
    for (; environ && *environ; environ++) {
        const char *eq = strchr(*environ, '=');
        if (!eq || eq == *environ) continue;
        size_t n = (size_t)(eq - *environ);
        if (import_function(sh, *environ, n, eq + 1)) continue;
        char *name = xstrndup(*environ, n);
        var_import_one(sh, name, eq + 1);
        free(name);
    }
}
