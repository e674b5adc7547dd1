/*
 * assign.c: assignments in all their forms: x=, x+=, a[i]=, a=(…), and references given as text.
 */
#include "sh.h"

size_t subscript_end(const char *s) {
    int depth = 0;
    for (size_t i = 0; s[i];) {
        size_t next = brace_skip(s, i);
        if (next > 0) {
            i = next;
            continue;
        }
        if (s[i] == '[') depth++;
        if (s[i++] == ']' && --depth == 0) return i;
    }
    return 0;
}

/* "[subscript]" and nothing behind it, which is not empty. */
static bool whole_subscript(const char *s) {
    return s[0] == '[' && s[1] != ']' && subscript_end(s) == strlen(s);
}

bool assign_split_ref(struct shell *sh, const char *ref, char **name, char **sub) {
    size_t n = name_len(ref), len = strlen(ref);
    *sub = NULL;
    if (n == 0) return false;
    *name = arena_strndup(&sh->tmp, ref, n);
    if (ref[n] == 0) return true;
    if (!whole_subscript(ref + n)) return false;
    *sub = arena_strndup(&sh->tmp, ref + n + 1, len - n - 2);
    return true;
}

bool assign_valid_lhs(const char *lhs) {
    size_t n = name_len(lhs);
    return n > 0 && (lhs[n] == 0 || whole_subscript(lhs + n));
}

bool assign_index(struct shell *sh, struct var *v, const char *name, const char *sub,
                  int64_t *out) {
    if (!arith_eval(sh, sub, out, "")) {
        sh_abandon(sh, 1);
        return false;
    }
    if (*out >= 0) return true;
    int64_t end = !v ? 0 : v->flags & V_ARRAY ? array_next_index(var_array(v)) : v->flags & V_SET ? 1 : 0;
    *out += end;
    (void)name;
    return true;
}

bool assign_is_argument(const struct shell *sh, const char *ref) {
    for (int i = 0; i < sh->arg_assigns.refs.n; i++)
        if (sh->arg_assigns.refs.v[i] == ref) return true;
    return false;
}

/* Assigns to an element whose subscript is text; expanded already. */
static bool assign_element(struct shell *sh, struct var *v, const char *shown, const char *sub,
                           const char *value, bool append) {
    if (v->flags & V_ASSOC) {
        if (!*sub) {
            sh_error(sh, "%s[%s]: bad array subscript", v->entry.key, shown);
            return false;
        }
        return var_assign_key(sh, v, sub, value, append);
    }
    int64_t i = -1;
    bool all = (*shown == '@' || *shown == '*') && !shown[1];
    if (!all && !assign_index(sh, v, v->entry.key, sub, &i)) return false;
    if (i < 0) {
        sh_error(sh, "%s[%s]: bad array subscript", v->entry.key, shown);
        return false;
    }
    return var_assign_index(sh, v, i, value, append);
}

bool assign_element_of(struct shell *sh, const char *name, const char *sub, const char *value) {
    struct var *v = var_make(sh, name);
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    return assign_element(sh, v, sub, sub, value, false);
}

bool assign_text(struct shell *sh, const char *lhs, const char *value, bool append) {
    char *name, *sub;
    if (!assign_split_ref(sh, lhs, &name, &sub)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", lhs);
        return false;
    }
    const char *target = var_nameref_target(sh, name);
    if (!target) { /* a circle of references, which was said */
        sh_abandon(sh, 1);
        return false;
    }
    if (strcmp(target, name) != 0) {
        if (!sub) {
            if (!assign_split_ref(sh, target, &name, &sub)) {
                sh_builtin_error(sh, "`%s': not a valid identifier", target);
                return false;
            }
        } else {
            name = arena_strdup(&sh->tmp, target);
        }
    }
    struct var *raw = var_find_raw(sh, name);
    if (raw && (raw->flags & V_NAMEREF) && !(raw->flags & V_SET) && !sub) {
        if (raw->flags & V_READONLY) return var_readonly_error(sh, raw);
        if (!assign_valid_lhs(value)) {
            sh_error(sh, "`%s': not a valid identifier", value);
            return false;
        }
        var_put(sh, raw, value);
        return true;
    }
    bool itself = raw && (raw->flags & V_NAMEREF) && (raw->flags & V_SET) && strcmp(target, name) == 0;
    struct var *v = itself ? var_make_local(sh, name, 0) : var_make(sh, name);
    if (!sub) return var_assign(sh, v, value, append);
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    char *text = assign_is_argument(sh, lhs) && (v->flags & V_ASSOC) ? sub
                                                                     : expand_subscript(sh, v, sub);
    if (!text) return false;
    return assign_element(sh, v, sub, text, value, append);
}

const char *assign_get_text(struct shell *sh, const char *ref) {
    char *name, *sub;
    if (!assign_split_ref(sh, ref, &name, &sub)) return NULL;
    if (!sub) return var_get(sh, name);
    struct var *v = var_find(sh, name);
    if (!v) return NULL;
    char *text = expand_subscript(sh, v, sub);
    if (!text) return NULL;
    var_refresh(sh, v);
    if (v->flags & V_ASSOC) return assoc_get(var_assoc(v), text);
    int64_t i;
    if (!assign_index(sh, v, name, text, &i) || i < 0) return NULL;
    if (v->flags & V_ARRAY) return array_get(var_array(v), i);
    return i == 0 ? var_str(sh, v) : NULL;
}

/* ------------------------------------------------------------------ a=(…) */

struct item {
    char *index; /* NULL: the next one */
    const char *written; /* the index before it was expanded */
    bool append;
    char *value;
};

struct items {
    struct item *v;
    int n, cap;
};

static void items_add(struct shell *sh, struct items *list, struct item item) {
    if (list->n == list->cap) {
        int cap = list->cap ? list->cap * 2 : 8;
        list->v = arena_extend(&sh->tmp, list->v, (size_t)list->cap * sizeof *list->v,
                               (size_t)cap * sizeof *list->v);
        list->cap = cap;
    }
    list->v[list->n++] = item;
}

/* In a list for an associative array a tilde stands for itself, except within ${ } and $( ). */
static const struct word *plain_tildes(struct shell *sh, const struct word *w) {
    struct word *copy = arena_alloc(&sh->tmp, sizeof *copy);
    struct part **to = &copy->parts;
    bool any = false;
    *copy = *w;
    for (const struct part *p = w->parts; p; p = p->next) {
        struct part *own = arena_alloc(&sh->tmp, sizeof *own);
        *own = *p;
        if (p->kind == PART_TILDE) {
            any = true;
            char *text = arena_printf(&sh->tmp, "~%.*s", (int)p->n, p->s);
            *own = (struct part){.kind = PART_TEXT, .s = text, .n = p->n + 1};
        }
        *to = own;
        to = &own->next;
    }
    *to = NULL;
    return any ? copy : w;
}

static char *expand_item(struct shell *sh, const struct word *w, bool assoc) {
    return expand_single(sh, assoc ? plain_tildes(sh, w) : w);
}

/* Expands everything before anything is assigned: a=("${a[@]}" x). */
static bool expand_elements(struct shell *sh, const struct assign *as, struct items *out,
                            bool assoc) {
    bool pairs = assoc && as->elements && !as->elements->index;
    for (const struct element *e = as->elements; e; e = e->next) {
        struct strings braced = {0};
        bool whole = e->whole && !assoc && sh->opt[OPT_BRACEEXPAND] &&
                     brace_expand(sh, e->whole->text, &braced) && braced.n > 1;
        if (whole || (!e->index && !assoc)) {
            struct strings words = {0};
            if (!expand_word(sh, whole ? e->whole : e->value, &words)) return false;
            for (int i = 0; i < words.n; i++)
                items_add(sh, out, (struct item){.value = words.v[i]});
            continue;
        }
        struct item item = {.append = e->append};
        if (pairs) {
            const struct word *w = e->index ? e->whole : e->value;
            if (!(item.value = expand_item(sh, w, true))) return false;
            items_add(sh, out, item);
            continue;
        }
        if (e->index && !(item.index = expand_single(sh, e->index))) return false;
        if (e->index) item.written = e->index->text;
        if (!(item.value = expand_item(sh, e->value, assoc))) return false;
        items_add(sh, out, item);
    }
    return true;
}

/* declare -A x=(k v k v): when the first word is no [k]=, the words are pairs. */
static bool fill_pairs(struct shell *sh, struct var *v, const struct items *items) {
    for (int i = 0; i < items->n; i += 2) {
        const char *value = i + 1 < items->n ? items->v[i + 1].value : "";
        if (!*items->v[i].value) {
            sh_error(sh, "%s: bad array subscript", v->entry.key);
            continue;
        }
        if (!var_assign_key(sh, v, items->v[i].value, value, false)) return false;
    }
    return true;
}

static void bad_subscript(struct shell *sh, const struct item *it, bool assoc) {
    const char *quote = sh->builtin && assoc ? "'" : ""; /* declare has quoted its words again */
    const char *index = assoc && !sh->builtin && it->written ? it->written : it->index;
    sh_error(sh, "[%s%s%s]=%s%s%s: bad array subscript", quote, index, quote, quote, it->value,
             quote);
}

static bool fill_assoc(struct shell *sh, struct var *v, const struct items *items) {
    if (items->n > 0 && !items->v[0].index) return fill_pairs(sh, v, items);
    for (int i = 0; i < items->n; i++) {
        const struct item *it = &items->v[i];
        if (!it->index) {
            const char *quote = sh->builtin ? "'" : ""; /* declare has quoted its words again */
            sh_error(sh, "%s: %s%s%s: must use subscript when assigning associative array",
                     v->entry.key, quote, it->value, quote);
            continue;
        }
        if (!*it->index) {
            bad_subscript(sh, it, true);
            continue;
        }
        if (!var_assign_key(sh, v, it->index, it->value, it->append)) return false;
    }
    return true;
}

static bool fill_indexed(struct shell *sh, struct var *v, const struct items *items, int64_t at) {
    for (int i = 0; i < items->n; i++) {
        const struct item *it = &items->v[i];
        if (i % 256 == 255) exec_step(sh);
        if (it->index) {
            if (!*it->index) {
                bad_subscript(sh, it, false);
                continue;
            }
            if (!assign_index(sh, v, v->entry.key, it->index, &at)) return false;
            if (at < 0) {
                bad_subscript(sh, it, false);
                at = array_next_index(var_array(v));
                continue;
            }
        }
        if (!var_assign_index(sh, v, at, it->value, it->append)) return false;
        at++;
    }
    return true;
}

struct compound {
    const struct assign *as;
    bool assoc;
    struct items items;
};

struct compound *assign_expand(struct shell *sh, const struct assign *as, bool assoc) {
    struct compound *c = arena_zalloc(&sh->tmp, sizeof *c);
    *c = (struct compound){.as = as, .assoc = assoc};
    return expand_elements(sh, as, &c->items, assoc) ? c : NULL;
}

void assign_trace_expanded(struct shell *sh, const struct compound *c) {
    sb text = sb_in(&sh->tmp);
    sb_printf(&text, "%s%s=(", c->as->name, c->as->append ? "+" : "");
    for (int i = 0; i < c->items.n; i++) {
        const struct item *it = &c->items.v[i];
        if (i > 0) sb_putc(&text, ' ');
        if (it->index) {
            sb_putc(&text, '[');
            quote_single(&text, it->index);
            sb_puts(&text, it->append ? "]+=" : "]=");
        }
        quote_single(&text, it->value);
    }
    sb_putc(&text, ')');
    exec_trace_text(sh, sb_str(&text));
}

/* m=([k]+=x) adds to what m[k] was before, as in bash. */
static bool add_to_old(struct shell *sh, struct var *v, const struct compound *c) {
    for (int i = 0; i < c->items.n; i++) {
        struct item *it = &c->items.v[i];
        if (!it->append || !it->index) continue;
        const char *old = assoc_get(var_assoc(v), it->index);
        if (!(it->value = (char *)var_added(sh, v, old, it->value))) return false;
        it->append = false;
    }
    return true;
}

static bool fill(struct shell *sh, struct var *v, const struct compound *c) {
    bool append = c->as->append;
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    if (!c->assoc) var_to_array(sh, v);
    if (!append && c->assoc && !add_to_old(sh, v, c)) return false;
    if (!append) {
        unsigned keep = v->flags;
        var_clear(sh, v);
        v->flags = (uint16_t)(keep | V_SET);
    }
    v->flags |= V_SET;
    if (sh->opt[OPT_ALLEXPORT]) var_export(sh, v, true);
    bool ok = c->assoc ? fill_assoc(sh, v, &c->items)
                       : fill_indexed(sh, v, &c->items, append ? array_next_index(var_array(v)) : 0);
    var_changed(sh, v);
    return ok;
}

bool assign_compound(struct shell *sh, struct var *v, const struct assign *as) {
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    struct compound *c = assign_expand(sh, as, (v->flags & V_ASSOC) != 0);
    return c && fill(sh, v, c);
}

bool assign_expanded(struct shell *sh, struct var *v, const struct compound *c) {
    bool assoc = (v->flags & V_ASSOC) != 0;
    return assoc == c->assoc ? fill(sh, v, c) : assign_compound(sh, v, c->as);
}

/* ------------------------------------------------------------------ simple assignments */

static void trace_assign(struct shell *sh, const struct assign *as, const char *value) {
    sb text = sb_in(&sh->tmp);
    sb_puts(&text, as->name);
    if (as->index) sb_printf(&text, "[%s]", as->index->text);
    sb_puts(&text, as->append ? "+=" : "=");
    if (value) {
        if (*value) quote_trace(&text, value);
    } else {
        const char *open = strchr(as->word->text, '(');
        sb_puts(&text, open ? open : "");
    }
    exec_trace_text(sh, sb_str(&text));
}

static bool assign_compound_to(struct shell *sh, const struct assign *as) {
    if (as->index) {
        sh_error(sh, "%s[%s]: cannot assign list to array member", as->name, as->index->text);
        return false;
    }
    if (sh->opt[OPT_XTRACE]) trace_assign(sh, as, NULL);
    struct var *raw = var_find_raw(sh, as->name);
    if (raw && (raw->flags & (V_NAMEREF | V_SET)) == V_NAMEREF) {
        sh_error(sh, "warning: %s: removing nameref attribute", as->name);
        raw->flags &= (uint16_t)~V_NAMEREF;
    }
    struct var *v = var_make(sh, as->name);
    return assign_compound(sh, v, as);
}

/* The target of a nameref that is "a[1]", or one that has none yet. */
static bool assign_through(struct shell *sh, const struct assign *as, const char *value) {
    return assign_text(sh, as->name, value, as->append);
}

/* A nameref whose target is an element has no elements of its own. */
static bool names_element(struct shell *sh, const struct assign *as) {
    const struct var *raw = var_find_raw(sh, as->name);
    if (!raw || !(raw->flags & V_NAMEREF) || !(as->index || as->compound)) return false;
    const char *target = var_nameref_target(sh, as->name);
    if (!target || name_ok(target)) return false;
    sh_error(sh, "`%s': not a valid identifier", target);
    return true;
}

bool assign_one(struct shell *sh, const struct assign *as, unsigned flags) {
    if (names_element(sh, as)) return false;
    if (as->compound) return assign_compound_to(sh, as);
    char *value = expand_single(sh, as->value);
    if (!value) return false;
    if (sh->opt[OPT_XTRACE]) trace_assign(sh, as, value);
    struct var *raw = var_find_raw(sh, as->name);
    if (!as->index && raw && !(raw->flags & V_NAMEREF))
        return var_assign(sh, raw, value, as->append);
    if (!as->index && raw) return assign_through(sh, as, value);
    struct var *v = var_make(sh, as->name);
    if (flags) v->flags |= (uint16_t)flags;
    if (!as->index) return var_assign(sh, v, value, as->append);
    if (v->flags & V_READONLY) return var_readonly_error(sh, v);
    char *sub = expand_single(sh, as->index);
    if (!sub) return false;
    if (as->index->len == 0) {
        sh_error(sh, "%s[]: bad array subscript", as->name);
        return false;
    }
    return assign_element(sh, v, as->index->text, sub, value, as->append);
}
