/*
 * make_implicit.c: which pattern rule makes a target that has no recipe.
 *
 * First a rule is wanted whose prerequisites exist or are named in the makefile; then one whose
 * prerequisites can be made by pattern rules in turn. Shorter stems come before longer ones.
 */
#include "make.h"

#include <stdlib.h>

enum { DEPTH_MAX = 32 };

typedef struct {
    rule *rule;
    char *stem, *folder; /* folder: in front of prerequisites, when the pattern has no slash */
    size_t order;
} candidate;

static bool search(target *t, unsigned depth);

static int by_stem(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    size_t left = strlen(x->stem), right = strlen(y->stem);
    if (left != right) return left < right ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_match_anything(const rule *r) {
    for (size_t i = 0; i < r->pattern_count; i++)
        if (strcmp(r->patterns[i], "%") == 0) return true;
    return false;
}

/* All rules whose pattern fits. */
static candidate *fitting(const char *name, unsigned depth, size_t *count) {
    candidate *list = NULL;
    size_t cap = 0, len = strlen(name), order = 0;
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    bool specific = false;
    *count = 0;
    for (rule *r = rules; r; r = r->next) {
        if (r->in_use) continue;
        for (size_t i = 0; i < r->pattern_count; i++) {
            const char *stem;
            size_t stem_len;
            bool whole = strchr(r->patterns[i], '/') != NULL,
                 any = strcmp(r->patterns[i], "%") == 0;
            if (any && depth && !r->terminal) continue;
            const char *from = whole ? name : last;
            if (!pattern_matches(r->patterns[i], from, len - (size_t)(from - name), &stem,
                                 &stem_len) ||
                !stem_len)
                continue;
            if (!any) specific = true;
            if (*count == cap) list = g_more(list, &cap, sizeof *list);
            list[(*count)++] = (candidate){
                r, g_copy_bytes(stem, stem_len),
                whole ? g_copy_string("") : g_copy_bytes(name, (size_t)(last - name)), order++};
        }
    }
    for (size_t i = 0; specific && i < *count; i++) /* what fits anything is for nothing better */
        if (is_match_anything(list[i].rule) && !list[i].rule->terminal) list[i--] = list[--*count];
    if (*count) qsort(list, *count, sizeof *list, by_stem);
    return list;
}

/* A rule's prerequisites for a stem; with second expansion they are expanded now. */
static char *deps_text(const candidate *c, const char *deps, target *t) {
    g_text out = {0};
    const char *word;
    size_t len;
    bool any = false;
    g_text_adds(&out, "");
    while (next_word(&deps, &word, &len)) {
        const char *percent = memchr(word, '%', len);
        add_word(&out, &any, "", 0);
        if (!percent) {
            g_text_add(&out, word, len);
            continue;
        }
        if (*word != '/') g_text_adds(&out, c->folder);
        g_text_add(&out, word, (size_t)(percent - word));
        g_text_adds(&out, opt.second_expansion && memchr(word, '$', len) ? "$*" : c->stem);
        g_text_add(&out, percent + 1, (size_t)(word + len - percent - 1));
    }
    if (!opt.second_expansion || !strchr(out.s, '$')) return out.s;
    scope *saved = current_scope;
    const char *stem = t->stem;
    t->stem = c->stem;
    target_automatic(t);
    current_scope = target_scope(t);
    char *text = expanded(out.s);
    current_scope = saved;
    t->stem = stem;
    g_text_free(&out);
    return text;
}

/* Whether the prerequisite is there, is to be there, or (with depth) can be made. */
static bool obtainable(const char *name, bool deep, unsigned depth, target **made) {
    target *t = target_find(name);
    *made = NULL;
    if (t && (t->is_target || t->mentioned || t->phony)) return true;
    target probe = {.entry.name = (char *)name, .path = name, .time = TIME_UNKNOWN};
    if (target_time(t ? t : &probe) != TIME_NONE) return true;
    if (!deep || depth >= DEPTH_MAX) return false;
    target *fresh = t ? t : g_zalloc(sizeof *fresh);
    if (!t) *fresh = (target){.entry.name = g_copy_string(name), .time = TIME_NONE};
    fresh->path = fresh->entry.name;
    if (!search(fresh, depth + 1)) return false;
    if (!t) *made = fresh;
    return true;
}

static void take(target *t, const candidate *c, dep *deps) {
    for (dep *d = deps; d; d = d->next) d->implicit = true;
    dep **end = &deps;
    while (*end) end = &(*end)->next;
    *end = t->deps; /* those of the rule come first: $< is its own */
    t->deps = deps;
    t->recipe = c->rule->recipe;
    t->where = c->rule->where;
    g_text stem = {0};
    g_text_addf(&stem, "%s%s", c->folder, c->stem);
    t->stem = stem.s;
    if (c->rule->pattern_count < 2) return;
    t->together = g_resize(NULL, c->rule->pattern_count, sizeof(target *));
    t->together_count = c->rule->pattern_count;
    for (size_t i = 0; i < c->rule->pattern_count; i++) {
        const char *pattern = c->rule->patterns[i], *percent = strchr(pattern, '%');
        g_text name = {0};
        if (!strchr(pattern, '/')) g_text_adds(&name, c->folder);
        g_text_add(&name, pattern, (size_t)(percent - pattern));
        g_text_adds(&name, c->stem);
        g_text_adds(&name, percent + 1);
        t->together[i] = strcmp(name.s, t->entry.name) == 0 ? t : target_get(name.s, name.len);
    }
}

static bool try(target *t, const candidate *c, bool deep, unsigned depth) {
    char *normal = deps_text(c, c->rule->deps, t), *order = deps_text(c, c->rule->order_only, t);
    dep *deps = NULL;
    target *fresh[64];
    size_t fresh_count = 0;
    bool works = true;
    c->rule->in_use = true;
    const char *texts[] = {normal, order};
    for (int i = 0; works && i < 2; i++) {
        const char *s = texts[i], *word;
        size_t len;
        while (works && next_word(&s, &word, &len)) {
            char *name = g_copy_bytes(word, len);
            target *made;
            dep *own = t->deps; /* what the makefile says of this target is to be there */
            while (own && strcmp(own->target->entry.name, name) != 0) own = own->next;
            if (!own && !obtainable(name, deep, depth, &made))
                works = false;
            else if (!own && made && fresh_count < 64)
                fresh[fresh_count++] = made;
            free(name);
        }
    }
    c->rule->in_use = false;
    if (works) {
        for (size_t i = 0; i < fresh_count; i++) {
            fresh[i]->intermediate = fresh[i]->searched = true;
            fresh[i]->time = TIME_UNKNOWN;
            if (!target_find(fresh[i]->entry.name)) table_add(&targets, &fresh[i]->entry);
        }
        deps_parse(&deps, normal, NULL);
        dep **end = &deps;
        while (*end) end = &(*end)->next;
        deps_parse(end, order, NULL);
        for (dep *d = *end; d; d = d->next) d->order_only = true;
        take(t, c, deps);
    }
    free(normal), free(order);
    return works;
}

static bool search(target *t, unsigned depth) {
    size_t count;
    candidate *list = fitting(t->entry.name, depth, &count);
    bool found = false;
    for (int deep = 0; !found && deep < 2; deep++)
        for (size_t i = 0; !found && i < count; i++)
            if (!(deep && list[i].rule->terminal)) found = try(t, &list[i], deep, depth);
    free(list);
    return found;
}

bool implicit_search(target *t) {
    bool found = search(t, 0);
    if (found) return true;
    target *fallback = target_find(".DEFAULT");
    if (!fallback || !fallback->recipe || t->is_target) return false;
    t->recipe = fallback->recipe;
    t->where = fallback->where;
    t->is_target = true;
    return true;
}
