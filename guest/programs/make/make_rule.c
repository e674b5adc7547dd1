/*
 * make_rule.c: rules, as they were read, become targets and pattern rules; special targets.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

rule *rules;
pattern_scope *pattern_scopes;

static const char *const special_names[] = {".PHONY",           ".SUFFIXES",
                                            ".DEFAULT",         ".PRECIOUS",
                                            ".INTERMEDIATE",    ".SECONDARY",
                                            ".SECONDEXPANSION", ".DELETE_ON_ERROR",
                                            ".IGNORE",          ".LOW_RESOLUTION_TIME",
                                            ".SILENT",          ".EXPORT_ALL_VARIABLES",
                                            ".NOTPARALLEL",     ".ONESHELL",
                                            ".POSIX",           NULL};

bool special_target(const char *name) {
    for (const char *const *s = special_names; *s; s++)
        if (strcmp(*s, name) == 0) return true;
    return false;
}

/* Those that count from the line on which they stand. */
static void special_now(const char *name) {
    if (strcmp(name, ".POSIX") == 0)
        variable_set(&global_scope, ".SHELLFLAGS", 11, "-ec", FROM_DEFAULT, false);
    if (strcmp(name, ".SECONDEXPANSION") == 0) opt.second_expansion = true;
    if (strcmp(name, ".ONESHELL") == 0) opt.one_shell = true;
    if (strcmp(name, ".EXPORT_ALL_VARIABLES") == 0) export_all = true;
    if (strcmp(name, ".DELETE_ON_ERROR") == 0) opt.delete_on_error = true;
    if (strcmp(name, ".NOTPARALLEL") == 0) opt.not_parallel = true;
}

static void add_dep(dep **list, const char *word, size_t len, bool order_only) {
    dep_add(list, target_get(word, len), order_only);
}

/* The next word in which \  is a blank. */
static bool next_name(const char **s, const char **word, size_t *len) {
    if (!next_word(s, word, len)) return false;
    while ((*word)[*len - 1] == '\\' && (*word)[*len]) {
        const char *more;
        size_t more_len;
        (*s)++;
        *len = (size_t)(*s - *word);
        if (!**s || isspace((unsigned char)**s) || !next_word(s, &more, &more_len)) break;
        *len = (size_t)(*s - *word);
    }
    return true;
}

/* \: \# and \  are parts of a name. */
static char *plain_name(const char *word, size_t len) {
    char *name = g_copy_bytes(word, len), *to = name;
    for (char *s = name; *s; s++) {
        if (*s == '\\' && (s[1] == ':' || s[1] == '#' || s[1] == ' ')) s++;
        *to++ = *s;
    }
    *to = '\0';
    return name;
}

/* One prerequisite; * ? and [ stand for files that are there, and for themselves without any. */
static void parse_dep(dep **list, const char *word, size_t len, bool order_only) {
    g_text names = {0};
    bool any = false;
    char *name = plain_name(word, len);
    if (has_wildcard(name, strlen(name))) glob_words(&names, &any, name);
    if (!any) add_dep(list, name, strlen(name), order_only);
    const char *s = any ? names.s : "", *one;
    size_t one_len;
    while (next_word(&s, &one, &one_len)) add_dep(list, one, one_len, order_only);
    g_text_free(&names);
    free(name);
}

void deps_parse(dep **list, const char *text, const char *stem) {
    const char *word;
    size_t len;
    bool order_only = false;
    while (next_name(&text, &word, &len)) {
        if (len == 1 && *word == '|') {
            order_only = true;
            continue;
        }
        const char *percent = stem ? memchr(word, '%', len) : NULL;
        if (!percent) {
            parse_dep(list, word, len, order_only);
            continue;
        }
        g_text name = {0};
        g_text_add(&name, word, (size_t)(percent - word));
        g_text_adds(&name, stem);
        g_text_add(&name, percent + 1, (size_t)(word + len - percent - 1));
        parse_dep(list, name.s, name.len, order_only);
        g_text_free(&name);
    }
}

void rule_add_pattern(char **patterns, size_t count, const char *deps, const char *order_only,
                      recipe *recipe, place where, bool terminal, bool builtin) {
    for (rule **at = &rules;
         *at;) { /* the same targets and prerequisites: the new one replaces it */
        rule *old = *at;
        bool same = old->pattern_count == count && strcmp(old->deps, deps) == 0;
        for (size_t i = 0; same && i < count; i++)
            same = strcmp(old->patterns[i], patterns[i]) == 0;
        if (same && builtin) return;
        if (same)
            *at = old->next;
        else
            at = &old->next;
    }
    if (!recipe || (!recipe->count && !*deps)) {
        if (!recipe) return; /* without a recipe it only cancels */
    }
    rule *r = g_zalloc(sizeof *r), **end = &rules;
    *r = (rule){.patterns = patterns,
                .pattern_count = count,
                .deps = g_copy_string(deps),
                .order_only = g_copy_string(order_only),
                .recipe = recipe,
                .where = where,
                .terminal = terminal,
                .builtin = builtin};
    while (*end && (builtin || !(*end)->builtin)) end = &(*end)->next;
    r->next = *end;
    *end = r;
}

static char **split(const char *text, size_t *count) {
    char **words = NULL;
    size_t cap = 0, len;
    const char *word;
    *count = 0;
    while (next_name(&text, &word, &len)) {
        if (*count == cap) words = g_more(words, &cap, sizeof *words);
        words[(*count)++] = g_copy_bytes(word, len);
    }
    return words;
}

/* "a b | c" in its two halves. */
static void split_order_only(const char *deps, char **normal, char **order_only) {
    const char *s = deps, *word;
    size_t len;
    while (next_word(&s, &word, &len)) {
        if (len != 1 || *word != '|') continue;
        *normal = g_copy_bytes(deps, (size_t)(word - deps));
        *order_only = g_copy_string(s);
        return;
    }
    *normal = g_copy_string(deps);
    *order_only = g_copy_string("");
}

static void set_recipe(target *t, recipe *r, const read_rule *read) {
    if (!r) return;
    if (t->recipe && t->recipe->count && !t->double_colon && !special_target(t->entry.name)) {
        make_warning(&r->where, "overriding recipe for target '%s'", t->entry.name);
        make_warning(&t->recipe->where, "ignoring old recipe for target '%s'", t->entry.name);
    }
    t->recipe = r;
    t->where = read->where;
}

static target *rule_target(const read_rule *r, const char *name) {
    target *t = target_get(name, strlen(name));
    if (t->is_target && t->double_colon != r->double_colon && !special_target(name))
        make_fatal(&r->where, "target file '%s' has both : and :: entries", name);
    if (r->double_colon && t->is_target) { /* another rule of the same name */
        target *more = g_zalloc(sizeof *more);
        more->entry.name = t->entry.name;
        more->path = t->path;
        more->time = TIME_UNKNOWN;
        more->is_target = more->double_colon = true;
        while (t->another) t = t->another;
        return t->another = more;
    }
    t->is_target = true;
    t->double_colon = r->double_colon;
    return t;
}

static void choose_goal(const char *name) {
    variable *goal = variable_find(".DEFAULT_GOAL", 13);
    if ((goal && *goal->value) || (*name == '.' && !strchr(name, '/')) || strchr(name, '%')) return;
    variable_set(&global_scope, ".DEFAULT_GOAL", 13, name, FROM_FILE, false);
}

static void record_one(const read_rule *r, recipe *recipe, const char *name, target ***group,
                       size_t *group_count, size_t *group_cap) {
    const char *stem = NULL;
    size_t stem_len = 0;
    char *stem_text = NULL;
    if (r->static_pattern) {
        if (!pattern_matches(r->static_pattern, name, strlen(name), &stem, &stem_len)) {
            make_error(&r->where, "target '%s' doesn't match the target pattern", name);
            target_get(name, strlen(name))->is_target = true;
            choose_goal(name);
            return;
        }
        stem_text = g_copy_bytes(stem, stem_len);
    }
    target *t = rule_target(r, name);
    set_recipe(t, recipe, r);
    if (stem_text) t->stem = stem_text;
    if (strcmp(name, ".SUFFIXES") == 0 && !*r->deps) t->deps = NULL;
    if (r->expand_late && strchr(r->deps, '$')) {
        g_text late = {0};
        if (t->late_deps) g_text_addf(&late, "%s ", t->late_deps);
        g_text_adds(&late, r->deps);
        t->late_deps = late.s;
    } else {
        dep *more = NULL;
        deps_parse(&more, r->deps, stem_text);
        for (dep *d = more; d; d = d->next) d->target->mentioned = true;
        dep **end = &t->deps;
        if (recipe) { /* the rule with the recipe names its prerequisites first */
            dep *old = t->deps;
            t->deps = more;
            while (*end) end = &(*end)->next;
            *end = old;
        } else {
            while (*end) end = &(*end)->next;
            *end = more;
        }
    }
    special_now(name);
    choose_goal(name);
    if (*group_count == *group_cap) *group = g_more(*group, group_cap, sizeof **group);
    (*group)[(*group_count)++] = t;
}

void rule_record(const read_rule *r, recipe *recipe) {
    size_t count, group_count = 0, group_cap = 0, patterns = 0;
    char **names = split(r->targets, &count);
    target **group = NULL;
    now_at = r->where;
    for (size_t i = 0; i < count; i++) patterns += strchr(names[i], '%') != NULL;
    if (patterns && !r->static_pattern) {
        char *normal, *order_only;
        if (patterns != count) make_fatal(&r->where, "mixed implicit and normal rules");
        split_order_only(r->deps, &normal, &order_only);
        rule_add_pattern(names, count, normal, order_only, recipe, r->where, r->double_colon,
                         false);
        return;
    }
    if (r->grouped && !recipe) make_fatal(&r->where, "grouped targets must provide a recipe");
    for (size_t i = 0; i < count; i++) {
        g_text found = {0};
        bool any = false;
        if (has_wildcard(names[i], strlen(names[i]))) glob_words(&found, &any, names[i]);
        char *plain = plain_name(names[i], strlen(names[i]));
        if (!any) record_one(r, recipe, plain, &group, &group_count, &group_cap);
        const char *s = any ? found.s : "", *word;
        size_t len;
        while (next_word(&s, &word, &len)) {
            char *name = g_copy_bytes(word, len);
            record_one(r, recipe, name, &group, &group_count, &group_cap);
        }
    }
    for (size_t i = 0; r->grouped && i < group_count; i++) {
        group[i]->together = group;
        group[i]->together_count = group_count;
    }
}

/* What special targets say, once all is known */

static bool is_suffix(const char *s, size_t len) {
    target *t = target_find(".SUFFIXES");
    for (dep *d = t ? t->deps : NULL; d; d = d->next)
        if (strncmp(d->target->entry.name, s, len) == 0 && !d->target->entry.name[len]) return true;
    return false;
}

/* .c.o: becomes %.o: %.c, and .c: becomes %: %.c. */
static void suffix_rule(target *t) {
    const char *name = t->entry.name, *second = strchr(name + 1, '.');
    if (*name != '.' || !t->recipe || t->deps) return;
    g_text from = {0}, to = {0};
    char **patterns = g_resize(NULL, 1, sizeof *patterns);
    if (is_suffix(name, strlen(name))) {
        g_text_adds(&to, "%");
        g_text_addf(&from, "%%%s", name);
    } else {
        for (; second; second = strchr(second + 1, '.'))
            if (is_suffix(name, (size_t)(second - name)) && is_suffix(second, strlen(second)))
                break;
        if (!second) return;
        g_text_addf(&to, "%%%s", second);
        g_text_addf(&from, "%%%.*s", (int)(second - name), name);
    }
    patterns[0] = to.s;
    rule_add_pattern(patterns, 1, from.s, "", t->recipe, t->where, false, false);
}

static void mark_all(const char *name, void (*mark)(target *), bool *all) {
    target *t = target_find(name);
    if (!t || !t->is_target) return;
    if (!t->deps && all) *all = true;
    for (dep *d = t->deps; d; d = d->next)
        for (target *x = d->target; x; x = x->another) mark(x);
}

static void mark_phony(target *t) {
    t->phony = true, t->time = TIME_NONE, t->is_target = true;
}
static void mark_precious(target *t) {
    t->precious = true;
}
static void mark_intermediate(target *t) {
    t->intermediate = true;
}
static void mark_secondary(target *t) {
    t->intermediate = t->not_intermediate = true;
}
static void mark_silent(target *t) {
    t->silent = true;
}
static void mark_ignore(target *t) {
    t->ignore = true;
}

void rules_finish(void) {
    entry **all = table_sorted(&targets);
    size_t count = targets.count;
    for (size_t i = 0; i < count; i++) suffix_rule((target *)all[i]);
    free(all);
    mark_all(".PHONY", mark_phony, NULL);
    mark_all(".PRECIOUS", mark_precious, NULL);
    mark_all(".INTERMEDIATE", mark_intermediate, NULL);
    mark_all(".SECONDARY", mark_secondary, &opt.secondary_all);
    mark_all(".SILENT", mark_silent, &opt.silent_all);
    mark_all(".IGNORE", mark_ignore, &opt.ignore_all);
}
