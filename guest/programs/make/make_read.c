/*
 * make_read.c: makefiles: what kind of line each is, and what it does.
 *
 * A rule is recorded when its recipe has ended, which the next line that is none shows.
 */
#include "make.h"
#include "g_in.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    line_reader in;
    conditions *conditions;
    bool has_rule, no_targets; /* no_targets: a rule whose targets expanded to nothing */
    read_rule rule;
    recipe *recipe;
} reader;

static void add_recipe_line(recipe *r, const char *line) {
    if (r->count == r->cap) r->lines = g_more(r->lines, &r->cap, sizeof *r->lines);
    r->lines[r->count++] = g_copy_string(line);
}

static void finish_rule(reader *r) {
    if (r->has_rule) {
        place at = now_at;
        rule_record(&r->rule, r->recipe);
        now_at = at;
    }
    r->has_rule = false;
    r->recipe = NULL;
}

static bool keyword(const char **s, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*s, word, len) != 0 || ((*s)[len] && !isspace((unsigned char)(*s)[len])))
        return false;
    *s += len;
    while (isspace((unsigned char)**s)) (*s)++;
    return true;
}

/* The lines up to endef, joined, are the value. */
static void read_define(reader *r, const assignment *a, scope *into) {
    g_text value = {0};
    place start = now_at;
    int depth = 1;
    g_text_adds(&value, "");
    for (bool any = false;; any = true) {
        const char *raw = r->in.s;
        char *line = read_logical_line(&r->in, true);
        if (!line) make_fatal(&start, "missing 'endef', unterminated 'define'");
        const char *s = line;
        if (*s != recipe_prefix) {
            while (isspace((unsigned char)*s)) s++;
            assignment inner;
            if (keyword(&s, "endef") && (!*s || *s == '#'))
                depth--;
            else if (strncmp(s, "define", 6) == 0 && parse_assignment(s, &inner) && inner.is_define)
                depth++;
        }
        free(line);
        if (depth == 0) break;
        size_t len = (size_t)(r->in.s - raw);
        if (len && raw[len - 1] == '\n') len--;
        if (any) g_text_addc(&value, '\n');
        g_text_add(&value, raw, len);
    }
    assignment full = *a;
    full.value = value.s;
    assign(into, &full);
    g_text_free(&value);
}

static void include(const char *names, bool required) {
    char *text = expanded(names);
    const char *s = text, *word;
    size_t len;
    place at = now_at;
    while (next_word(&s, &word, &len)) {
        g_text found = {0};
        bool any = false;
        char *name = g_copy_bytes(word, len);
        glob_words(&found, &any, name);
        if (!any) g_text_adds(&found, name);
        const char *files = found.s, *file;
        size_t file_len;
        while (next_word(&files, &file, &file_len)) {
            char *path = g_copy_bytes(file, file_len);
            now_at = at;
            if (make_read_file(path)) continue;
            int error = errno;
            bool done = false;
            for (size_t i = 0; *path != '/' && error == ENOENT && !done && i < include_count; i++) {
                g_text in_folder = {0};
                g_text_addf(&in_folder, "%s/%s", include_folders[i], path);
                done = make_read_file(in_folder.s);
            }
            if (!done) makefile_missing(path, at, required, error);
        }
        free(name);
    }
    now_at = at;
    free(text);
}

static void export_names(const char *names, enum exporting exporting) {
    char *text = expanded(names);
    const char *s = text, *word;
    size_t len;
    if (!*names) export_all = exporting == EXPORT_YES;
    while (next_word(&s, &word, &len)) {
        variable *v = (variable *)table_find(&global_scope.table, word, len);
        if (!v) v = variable_set(&global_scope, word, len, "", FROM_FILE, false);
        if (v) v->exporting = exporting;
    }
    free(text);
}

static void vpath(const char *rest) {
    char *text = expanded(rest);
    const char *s = text, *word;
    size_t len;
    if (!next_word(&s, &word, &len)) {
        vpath_add(NULL, NULL);
    } else {
        char *pattern = g_copy_bytes(word, len);
        while (isspace((unsigned char)*s)) s++;
        vpath_add(pattern, *s ? s : NULL);
        free(pattern);
    }
    free(text);
}

static bool directive(reader *r, const char *line) {
    const char *s = line;
    bool no_error;
    if (keyword(&s, "export")) {
        finish_rule(r);
        export_names(s, EXPORT_YES);
    } else if (keyword(&s, "unexport")) {
        finish_rule(r);
        export_names(s, EXPORT_NO);
    } else if (keyword(&s, "vpath")) {
        finish_rule(r);
        vpath(s);
    } else if ((no_error = keyword(&s, "-include")) || (no_error = keyword(&s, "sinclude")) ||
               keyword(&s, "include")) {
        finish_rule(r);
        include(s, !no_error);
    } else if (keyword(&s, "load") || keyword(&s, "-load")) {
        make_fatal(&now_at, "'load' is not supported: there are no shared objects here");
    } else {
        return false;
    }
    return true;
}

/* TARGETS: NAME = VALUE */
static void target_variables(const char *names, const assignment *a) {
    const char *s = names, *word;
    size_t len;
    while (next_word(&s, &word, &len)) {
        char *name = g_copy_bytes(word, len);
        if (strchr(name, '%')) {
            pattern_scope *p = g_zalloc(sizeof *p), **end = &pattern_scopes;
            bool simple = strcmp(a->op, ":=") == 0;
            *p = (pattern_scope){.pattern = name,
                                 .name = expanded(a->name),
                                 .op = (char *)a->op,
                                 .value = simple ? expanded(a->value) : g_copy_string(a->value),
                                 .origin = a->is_override ? FROM_OVERRIDE : FROM_FILE,
                                 .is_private = a->is_private,
                                 .exporting = a->exporting};
            while (*end) end = &(*end)->next;
            *end = p;
            continue;
        }
        target *t = target_get(name, len);
        if (!t->scope) {
            t->scope = g_zalloc(sizeof *t->scope);
            t->scope->parent = &global_scope;
            t->scope->owner = t;
        }
        assign(t->scope, a);
        free(name);
    }
}

static char *trimmed(char *s) {
    while (isspace((unsigned char)*s)) s++;
    size_t len = strlen(s);
    while (len && isspace((unsigned char)s[len - 1])) len--;
    s[len] = '\0';
    return s;
}

/* The colon that ends the targets in expanded text; \: is part of a name. */
static char *rule_colon(char *s) {
    for (char *at = s; *at; at++) {
        if (*at == '\\' && at[1] == ':')
            memmove(at, at + 1, strlen(at));
        else if (*at == ':')
            return at;
    }
    return NULL;
}

static _Noreturn void no_separator(const char *line) {
    if (strncmp(line, "        ", 8) == 0)
        make_fatal(&now_at, "missing separator (did you mean TAB instead of 8 spaces?)");
    const char *s = line;
    while (isspace((unsigned char)*s)) s++;
    if ((strncmp(s, "ifeq", 4) == 0 && s[4] != ' ') || (strncmp(s, "ifneq", 5) == 0 && s[5] != ' '))
        make_fatal(&now_at, "missing separator (ifeq/ifneq must be followed by whitespace)");
    make_fatal(&now_at, "missing separator");
}

static void static_pattern(reader *r, char *deps) {
    char *colon = rule_colon(deps);
    if (!colon) return;
    *colon = '\0';
    char *pattern = trimmed(deps);
    const char *s = pattern, *word, *second;
    size_t len, second_len;
    if (!next_word(&s, &word, &len)) make_fatal(&now_at, "missing target pattern");
    if (next_word(&s, &second, &second_len)) make_fatal(&now_at, "multiple target patterns");
    if (!strchr(pattern, '%')) make_fatal(&now_at, "target pattern contains no '%%'");
    r->rule.static_pattern = g_copy_string(pattern);
    r->rule.deps = g_copy_string(trimmed(colon + 1));
}

/* TARGETS : DEPS ; RECIPE. `line` has its comment still, for the recipe may need it. */
static void rule_line(reader *r, char *line) {
    char *whole = g_copy_string(line), *colon, *semicolon, *first = NULL;
    remove_comment(line);
    char *s = trimmed(g_copy_string(line));
    if (!*s) return;
    finish_rule(r);
    if (*line == recipe_prefix) make_fatal(&now_at, "recipe commences before first target");
    r->no_targets = false;
    if ((semicolon = find_outside(whole, ";#")) && *semicolon == ';') {
        first = semicolon + 1;
        line[semicolon - whole] = '\0';
        s = trimmed(g_copy_string(line));
    }
    colon = find_outside(s, ":");
    while (colon && colon > s && colon[-1] == '\\') colon = find_outside(colon + 1, ":");
    char *targets_text, *deps_raw;
    if (colon) {
        char *left = g_copy_bytes(s, (size_t)(colon - s));
        targets_text = expanded(left);
        char *inner = rule_colon(targets_text);
        if (inner) { /* a colon came out of a variable: take all of it apart again */
            targets_text = expanded(s);
            inner = rule_colon(targets_text);
            *inner = '\0';
            deps_raw = g_copy_string(inner + 1);
        } else {
            deps_raw = g_copy_string(colon + 1);
        }
    } else {
        targets_text = expanded(s);
        if (!*trimmed(targets_text)) return; /* functions that were called for what they do */
        char *inner = rule_colon(targets_text);
        if (!inner) no_separator(whole);
        *inner = '\0';
        deps_raw = g_copy_string(inner + 1);
    }
    r->rule = (read_rule){.where = r->in.where};
    if (*deps_raw == ':') {
        r->rule.double_colon = true;
        deps_raw++;
    }
    char *targets = trimmed(targets_text);
    size_t len = strlen(targets);
    if (len && targets[len - 1] == '&') {
        r->rule.grouped = true;
        targets[len - 1] = '\0';
        targets = trimmed(targets);
    }
    assignment a;
    char *full = g_copy_string(deps_raw);
    if (first && colon) { /* the value of a variable may have ; in it */
        char *again = g_copy_string(whole);
        remove_comment(again);
        char *at = find_outside(again, ":");
        if (at) full = g_copy_string(at + 1 + r->rule.double_colon);
    }
    if (parse_assignment(full, &a) && !a.is_define && !a.is_undefine) {
        target_variables(targets, &a);
        r->no_targets = !*targets;
        return;
    }
    if (!*targets) {
        r->no_targets = true;
        return;
    }
    r->rule.targets = g_copy_string(targets);
    r->rule.expand_late = opt.second_expansion;
    char *deps = trimmed(expanded(deps_raw));
    r->rule.deps = deps;
    static_pattern(r, deps);
    r->recipe = NULL;
    if (first) {
        r->recipe = g_zalloc(sizeof *r->recipe);
        r->recipe->where = r->in.where;
        while (isspace((unsigned char)*first)) first++;
        add_recipe_line(r->recipe, first);
    }
    r->has_rule = true;
}

static void recipe_line(reader *r, const char *line) {
    if (r->no_targets) return;
    if (!r->recipe) {
        r->recipe = g_zalloc(sizeof *r->recipe);
        r->recipe->where = r->in.where;
    }
    add_recipe_line(r->recipe, line + 1);
}

/* false: the line is no assignment. */
static bool assignment_line(reader *r, const char *line) {
    assignment a;
    char *copy = g_copy_string(line);
    remove_comment(copy);
    if (!parse_assignment(copy, &a)) {
        free(copy);
        return false;
    }
    finish_rule(r);
    r->no_targets = false;
    if (a.is_define) {
        read_define(r, &a, &global_scope);
    } else if (a.is_undefine) {
        char *name = expanded(a.name);
        variable_undefine(name, a.is_override ? FROM_OVERRIDE : FROM_FILE);
        free(name);
    } else {
        assign(&global_scope, &a);
    }
    free(copy);
    return true;
}

static void read_all(reader *r) {
    bool skips = false;
    char *line;
    while ((line = read_logical_line(&r->in, true))) {
        now_at = r->in.where;
        bool is_recipe = *line == recipe_prefix && (r->has_rule || r->no_targets);
        if (is_recipe) {
            if (!skips) recipe_line(r, line);
            free(line);
            continue;
        }
        if (*line != recipe_prefix && conditional_line(r->conditions, line, &skips)) {
            free(line);
            continue;
        }
        if (skips) {
            free(line);
            continue;
        }
        const char *s = line;
        while (isspace((unsigned char)*s)) s++;
        if (!*s || *s == '#') {
            free(line);
            continue;
        }
        char *plain = g_copy_string(s);
        remove_comment(plain);
        if (!assignment_line(r, line) && !directive(r, trimmed(plain))) rule_line(r, line);
        free(plain);
        free(line);
    }
    finish_rule(r);
    now_at = (place){r->in.where.file, r->in.next_line};
    conditions_end(r->conditions);
}

void make_read_text(const char *text, size_t len, place where) {
    reader r = {.in = {.s = text, .end = text + len, .where = where, .next_line = where.line},
                .conditions = conditions_new()};
    read_all(&r);
}

bool make_read_file(const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t len;
    char *text = g_read_all(fd, &len);
    int error = errno;
    if (fd != STDIN_FILENO) close(fd);
    if (!text) {
        errno = error;
        return false;
    }
    place saved = now_at, where = {.file = g_copy_string(name), .line = 1};
    g_text list = {0};
    g_text_addf(&list, " %s", name);
    variable *old = variable_find("MAKEFILE_LIST", 13);
    char *all = g_zalloc((old ? strlen(old->value) : 0) + list.len + 1);
    strcat(strcpy(all, old ? old->value : ""), list.s);
    variable_set(&global_scope, "MAKEFILE_LIST", 13, all, FROM_FILE, false);
    makefile_read(name);
    now_at = where;
    make_read_text(text, len, where);
    now_at = saved;
    return true;
}
