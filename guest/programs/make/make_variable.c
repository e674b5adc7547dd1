/*
 * make_variable.c: variables and where they are looked for.
 *
 * Each target may have a scope of its own; behind it come those of the patterns that fit, of the
 * target for which it is made, and the global one. A stronger origin is not overwritten by a
 * weaker.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

extern char **environ;

scope global_scope;
scope *current_scope = &global_scope;
bool export_all;
char recipe_prefix = '\t';
static bool environment_first;

variable *variable_find_in(scope *from, const char *name, size_t len, scope **found) {
    const void *owner = from->owner;
    for (scope *s = from; s; s = s->parent) {
        variable *v = (variable *)table_find(&s->table, name, len);
        if (!v || (v->is_private && s->owner && s->owner != owner)) continue;
        if (found) *found = s;
        return v;
    }
    return NULL;
}

variable *variable_find(const char *name, size_t len) {
    return variable_find_in(current_scope, name, len, NULL);
}

variable *variable_set(scope *into, const char *name, size_t len, const char *value,
                       enum origin origin, bool recursive) {
    variable *v = (variable *)table_find(&into->table, name, len);
    if (v && environment_first && v->origin == FROM_ENVIRONMENT && origin == FROM_FILE)
        v->origin = FROM_ENVIRONMENT_OVERRIDE;
    if (v && v->origin > origin && v->origin != FROM_AUTOMATIC) return NULL;
    if (!v) {
        v = g_zalloc(sizeof *v);
        v->entry.name = g_copy_bytes(name, len);
        table_add(&into->table, &v->entry);
    }
    v->value = g_copy_string(value);
    v->origin = origin;
    v->recursive = recursive;
    v->appended = false;
    v->where = now_at;
    if (into == &global_scope && len == 13 && memcmp(name, ".RECIPEPREFIX", len) == 0)
        recipe_prefix = *value ? *value : '\t';
    return v;
}

/* A target's variable is not to hide one that is stronger. */
static bool hidden_by(scope *into, const char *name, enum origin origin) {
    if (into == &global_scope) return false;
    variable *global = (variable *)table_find(&global_scope.table, name, strlen(name));
    return global && global->origin > origin && global->origin != FROM_AUTOMATIC;
}

static variable *append(scope *into, const char *name, const char *value, enum origin origin) {
    size_t len = strlen(name);
    variable *old = (variable *)table_find(&into->table, name, len);
    if (!old && into != &global_scope) {
        variable *outside = variable_find_in(into, name, len, NULL);
        bool recursive = !outside || outside->recursive;
        char *text = recursive ? g_copy_string(value) : expanded(value);
        variable *v = variable_set(into, name, len, text, origin, recursive);
        if (v) v->appended = true;
        return v;
    }
    if (!old || old->origin == FROM_AUTOMATIC)
        return variable_set(into, name, len, value, origin, true);
    if (old->origin > origin) return NULL;
    bool recursive = old->recursive, appended = old->appended;
    char *more = recursive ? g_copy_string(value) : expanded(value);
    g_text text = {0};
    g_text_adds(&text, old->value);
    if (*more && text.len) g_text_addc(&text, ' ');
    g_text_adds(&text, more);
    free(more);
    enum origin kept =
        old->origin == FROM_DEFAULT || old->origin == FROM_ENVIRONMENT ? origin : old->origin;
    variable *v = variable_set(into, name, len, text.s, kept, recursive);
    if (v) v->appended = appended;
    g_text_free(&text);
    return v;
}

variable *variable_assign(scope *into, const char *name, const char *op, const char *value,
                          enum origin origin) {
    size_t len = strlen(name);
    if (hidden_by(into, name, origin)) return NULL;
    if (*op == '+') return append(into, name, value, origin);
    if (*op == '=') {
        bool plain = strcmp(name, "MAKEFILE_LIST") == 0 || strcmp(name, ".DEFAULT_GOAL") == 0;
        return variable_set(into, name, len, value, origin, !plain);
    }
    if (*op == '?') {
        variable *old = variable_find_in(into, name, len, NULL);
        return old ? old : variable_set(into, name, len, value, origin, true);
    }
    if (*op == '!') {
        g_text text = {0};
        char *command = expanded(value);
        g_text_adds(&text, "");
        shell_output(&text, command);
        variable *v = variable_set(into, name, len, text.s, origin, true);
        free(command);
        g_text_free(&text);
        return v;
    }
    char *text = expanded(value);
    variable *v = variable_set(into, name, len, text, origin, false);
    free(text);
    return v;
}

void variable_undefine(const char *name, enum origin origin) {
    variable *v = (variable *)table_find(&global_scope.table, name, strlen(name));
    if (!v || v->origin > origin) return;
    for (entry **e = global_scope.table.buckets, **end = e + global_scope.table.bucket_count;
         e < end; e++) {
        for (entry **at = e; *at; at = &(*at)->next) {
            if (*at != &v->entry) continue;
            *at = v->entry.next;
            global_scope.table.count--;
            return;
        }
    }
}

const char *origin_name(const variable *v) {
    static const char *const names[] = {
        "default",      "environment", "file",     "environment override",
        "command line", "override",    "automatic"};
    return names[v->origin];
}

/* Whether programs see it: `export`, the command line, or it came from the environment. */
static bool is_exported(const variable *v) {
    const char *name = v->entry.name;
    if (strcmp(name, "MAKELEVEL") == 0) return false;
    if (v->exporting != EXPORT_DEFAULT) return v->exporting == EXPORT_YES;
    if (v->origin == FROM_AUTOMATIC || v->origin == FROM_DEFAULT)
        return strcmp(name, "MAKEFLAGS") == 0;
    bool usual = *name && !isdigit((unsigned char)*name);
    for (const char *s = name; *s; s++) usual = usual && (isalnum((unsigned char)*s) || *s == '_');
    if (!usual) return false;
    if (export_all || v->origin == FROM_COMMAND_LINE || v->origin == FROM_ENVIRONMENT ||
        v->origin == FROM_ENVIRONMENT_OVERRIDE)
        return true;
    return getenv(name) != NULL;
}

char **variable_environment(void) {
    table seen = {0};
    char **list = NULL;
    size_t count = 0, cap = 0;
    for (scope *s = current_scope; s; s = s->parent) {
        entry **all = table_sorted(&s->table);
        for (size_t i = 0; i < s->table.count; i++) {
            variable *v = (variable *)all[i];
            const char *name = v->entry.name;
            if (table_find(&seen, name, strlen(name))) continue;
            variable *global = (variable *)table_find(&global_scope.table, name, strlen(name));
            bool inherits = v->exporting == EXPORT_DEFAULT && global;
            if (!is_exported(v) && !(inherits && is_exported(global))) continue;
            if (strcmp(name, "SHELL") == 0 && v->exporting != EXPORT_YES) continue;
            entry *mark = g_zalloc(sizeof *mark);
            mark->name = v->entry.name;
            table_add(&seen, mark);
            g_text text = {0};
            g_text_addf(&text, "%s=", name);
            expand_variable(&text, name, strlen(name));
            if (count + 3 > cap) list = g_resize(list, cap = cap * 2 + 32, sizeof *list);
            list[count++] = text.s;
        }
        free(all);
    }
    if (count + 3 > cap) list = g_resize(list, cap + 3, sizeof *list);
    const char *shell = getenv("SHELL");
    if (shell && !table_find(&seen, "SHELL", 5)) {
        g_text text = {0};
        g_text_addf(&text, "SHELL=%s", shell);
        list[count++] = text.s;
    }
    g_text text = {0};
    g_text_addf(&text, "MAKELEVEL=%u", make_level + 1);
    list[count++] = text.s;
    list[count] = NULL;
    return list;
}

void variables_begin(bool environment_overrides) {
    environment_first = environment_overrides;
    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        if (!equals || strncmp(*e, "SHELL=", 6) == 0 || strncmp(*e, "MAKEFLAGS=", 10) == 0)
            continue;
        size_t len = (size_t)(equals - *e);
        variable *v = variable_set(&global_scope, *e, len, equals + 1, FROM_ENVIRONMENT, true);
        if (v) v->exporting = EXPORT_YES;
    }
}
