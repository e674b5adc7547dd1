/*
 * make_target.c: targets: their files' times, where they are, and their variables.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

table targets;

static struct vpath {
    struct vpath *next;
    char *pattern, *folders;
} *vpaths;

target *target_find(const char *name) {
    return (target *)table_find(&targets, name, strlen(name));
}

target *target_get(const char *name, size_t len) {
    while (len > 2 && name[0] == '.' && name[1] == '/') { /* ./x is x */
        name += 2, len -= 2;
        while (len > 1 && *name == '/') name++, len--;
    }
    target *t = (target *)table_find(&targets, name, len);
    if (t) return t;
    t = g_zalloc(sizeof *t);
    t->entry.name = g_copy_bytes(name, len);
    t->path = t->entry.name;
    t->time = TIME_UNKNOWN;
    table_add(&targets, &t->entry);
    return t;
}

dep *dep_add(dep **list, target *t, bool order_only) {
    while (*list) list = &(*list)->next;
    dep *d = g_zalloc(sizeof *d);
    d->target = t;
    d->order_only = order_only;
    return *list = d;
}

static int64_t time_of(const char *path) {
    struct stat st;
    if ((opt.check_symlinks ? lstat : stat)(path, &st) != 0) return TIME_NONE;
    int64_t seconds = st.st_mtim.tv_sec < 0 ? 0 : st.st_mtim.tv_sec;
    return seconds * 1000000000 + st.st_mtim.tv_nsec + 1;
}

int64_t target_time(target *t) {
    if (t->time != TIME_UNKNOWN) return t->time;
    if (t->assumed_old) return t->time = TIME_OLD;
    if (t->assumed_new) return t->time = TIME_NEW;
    if (t->phony) return t->time = TIME_NONE;
    t->time = time_of(t->path);
    if (t->time == TIME_NONE && *t->entry.name != '/') {
        char *elsewhere = vpath_search(t->entry.name);
        if (elsewhere) {
            t->path = elsewhere;
            t->time = time_of(elsewhere);
        }
    }
    return t->time;
}

/* VPATH */

void vpath_add(const char *pattern, const char *folders) {
    struct vpath **at = &vpaths;
    if (!folders) { /* forgets that pattern, or all of them */
        while (*at)
            if (!pattern || strcmp((*at)->pattern, pattern) == 0)
                *at = (*at)->next;
            else
                at = &(*at)->next;
        return;
    }
    while (*at) at = &(*at)->next;
    *at = g_zalloc(sizeof **at);
    (*at)->pattern = g_copy_string(pattern);
    (*at)->folders = g_copy_string(folders);
}

static char *in_folders(const char *folders, const char *name) {
    for (const char *s = folders; *s;) {
        size_t len = strcspn(s, ": \t\n");
        if (len) {
            g_text path = {0};
            g_text_add(&path, s, len);
            if (s[len - 1] != '/') g_text_addc(&path, '/');
            g_text_adds(&path, name);
            target *t = target_find(path.s);
            if ((t && t->is_target) || time_of(path.s) != TIME_NONE) return path.s;
            g_text_free(&path);
        }
        s += len;
        s += *s != '\0';
    }
    return NULL;
}

char *vpath_search(const char *name) {
    const char *stem;
    size_t len;
    for (struct vpath *v = vpaths; v; v = v->next) {
        if (!pattern_matches(v->pattern, name, strlen(name), &stem, &len)) continue;
        char *found = in_folders(v->folders, name);
        if (found) return found;
    }
    variable *v = (variable *)table_find(&global_scope.table, "VPATH", 5);
    if (!v) return NULL;
    scope *saved = current_scope;
    current_scope = &global_scope;
    char *folders = variable_value("VPATH");
    current_scope = saved;
    char *found = in_folders(folders, name);
    free(folders);
    return found;
}

bool target_is_precious(const target *t) {
    target *names = target_find(".PRECIOUS");
    if (t->precious) return true;
    for (dep *d = names ? names->deps : NULL; d; d = d->next) {
        const char *stem, *pattern = d->target->entry.name;
        size_t len;
        if (strchr(pattern, '%') &&
            pattern_matches(pattern, t->entry.name, strlen(t->entry.name), &stem, &len))
            return true;
    }
    return false;
}

/* Scopes */

static scope *pattern_variables(target *t, scope *parent) {
    scope *inner = NULL;
    size_t name_len = strlen(t->entry.name), best = 0;
    for (;;) { /* longer stems first, so that those of shorter ones count */
        size_t longest = 0;
        for (pattern_scope *p = pattern_scopes; p; p = p->next) {
            const char *stem;
            size_t len;
            if (!pattern_matches(p->pattern, t->entry.name, name_len, &stem, &len)) continue;
            if (len + 1 > longest && (!best || len + 1 < best)) longest = len + 1;
        }
        if (!longest) return inner ? inner : parent;
        best = longest;
        if (!inner) {
            inner = g_zalloc(sizeof *inner);
            inner->parent = parent;
            inner->owner = t;
        }
        for (pattern_scope *p = pattern_scopes; p; p = p->next) {
            const char *stem;
            size_t len;
            if (!pattern_matches(p->pattern, t->entry.name, name_len, &stem, &len) ||
                len + 1 != best)
                continue;
            bool simple = *p->op == ':';
            variable *v =
                simple ? variable_set(inner, p->name, strlen(p->name), p->value, p->origin, false)
                       : variable_assign(inner, p->name, p->op, p->value, p->origin);
            if (v && p->exporting != EXPORT_DEFAULT) v->exporting = p->exporting;
            if (v && p->is_private) v->is_private = true;
        }
    }
}

scope *target_scope(target *t) {
    if (t->run_scope) return t->run_scope;
    scope *parent = t->parent ? target_scope(t->parent) : &global_scope;
    scope *patterns = pattern_variables(t, parent);
    scope *own = t->scope;
    if (!own) {
        target *first = target_find(t->entry.name);
        own = g_zalloc(sizeof *own);
        own->owner = t;
        if (first && first != t && first->scope) own->table = first->scope->table;
    }
    own->parent = patterns;
    t->scope = own;
    t->run_scope = own;
    return own;
}

static void set_automatic(scope *s, const char *name, const char *value) {
    variable *v = variable_set(s, name, 1, value, FROM_AUTOMATIC, false);
    if (v) v->is_private = true;
}

void target_automatic(target *t) {
    scope *s = target_scope(t);
    g_text all = {0}, unique = {0}, newer = {0}, order = {0};
    const char *first = "";
    bool any[4] = {0};
    table seen = {0}, seen_order = {0};
    g_text_adds(&all, ""), g_text_adds(&unique, ""), g_text_adds(&newer, ""),
        g_text_adds(&order, "");
    for (dep *d = t->deps; d; d = d->next) {
        const char *name = d->target->path;
        size_t len = strlen(name);
        table *table_of = d->order_only ? &seen_order : &seen;
        bool again = table_find(table_of, name, len) != NULL;
        if (!again) {
            entry *e = g_zalloc(sizeof *e);
            e->name = (char *)name;
            table_add(table_of, e);
        }
        if (d->order_only) {
            if (!again) add_word(&order, &any[3], name, len);
            continue;
        }
        if (!any[0]) first = name;
        add_word(&all, &any[0], name, len);
        if (again) continue;
        add_word(&unique, &any[1], name, len);
        if (d->changed) add_word(&newer, &any[2], name, len);
    }
    set_automatic(s, "@", t->path);
    set_automatic(s, "%", "");
    set_automatic(s, "*", t->stem ? t->stem : "");
    set_automatic(s, "<", first);
    set_automatic(s, "+", all.s);
    set_automatic(s, "^", unique.s);
    set_automatic(s, "?", newer.s);
    set_automatic(s, "|", order.s);
    g_text_free(&all), g_text_free(&unique), g_text_free(&newer), g_text_free(&order);
}
