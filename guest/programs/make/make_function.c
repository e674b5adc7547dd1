/*
 * make_function.c: which functions there are, how their arguments are read, and those that expand
 * their arguments themselves: foreach, if, or, and, call, eval, value, origin, flavor.
 */
#include "make.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static make_function call_and, call_call, call_eval, call_flavor, call_foreach, call_if, call_or,
    call_origin, call_value;

static const struct function {
    const char *name;
    make_function *run;
    int least, most; /* arguments; most 0: any number */
    bool plain;      /* its arguments come as they are written */
} functions[] = {
    {"abspath", call_abspath, 0, 1, false},
    {"addprefix", call_addprefix, 2, 2, false},
    {"addsuffix", call_addsuffix, 2, 2, false},
    {"and", call_and, 1, 0, true},
    {"basename", call_basename, 0, 1, false},
    {"call", call_call, 1, 0, false},
    {"dir", call_dir, 0, 1, false},
    {"error", call_error, 0, 1, false},
    {"eval", call_eval, 0, 1, false},
    {"file", call_file, 1, 2, false},
    {"filter", call_filter, 2, 2, false},
    {"filter-out", call_filter_out, 2, 2, false},
    {"findstring", call_findstring, 2, 2, false},
    {"firstword", call_firstword, 0, 1, false},
    {"flavor", call_flavor, 0, 1, false},
    {"foreach", call_foreach, 3, 3, true},
    {"if", call_if, 2, 3, true},
    {"info", call_info, 0, 1, false},
    {"join", call_join, 2, 2, false},
    {"lastword", call_lastword, 0, 1, false},
    {"notdir", call_notdir, 0, 1, false},
    {"or", call_or, 1, 0, true},
    {"origin", call_origin, 0, 1, false},
    {"patsubst", call_patsubst, 3, 3, false},
    {"realpath", call_realpath, 0, 1, false},
    {"shell", call_shell, 0, 1, false},
    {"sort", call_sort, 0, 1, false},
    {"strip", call_strip, 0, 1, false},
    {"subst", call_subst, 3, 3, false},
    {"suffix", call_suffix, 0, 1, false},
    {"value", call_value, 0, 1, false},
    {"warning", call_warning, 0, 1, false},
    {"wildcard", call_wildcard, 0, 1, false},
    {"word", call_word, 2, 2, false},
    {"wordlist", call_wordlist, 3, 3, false},
    {"words", call_words, 0, 1, false},
};

static const struct function *function_find(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(functions[i].name, name, len) == 0 && !functions[i].name[len])
            return &functions[i];
    return NULL;
}

/* The arguments between s and end, at most `most` (0: any number): fresh copies. */
static char **split_arguments(const char *s, const char *end, char open, char close, int most,
                              int *count) {
    char **args = NULL;
    size_t n = 0, cap = 0;
    for (const char *start = s;; s++) {
        int depth = 0;
        for (; s < end && (depth || *s != ',' || (most && (int)n + 1 == most)); s++) {
            if (*s == open)
                depth++;
            else if (*s == close)
                depth--;
        }
        if (n + 1 >= cap) args = g_resize(args, cap = cap * 2 + 4, sizeof *args);
        args[n++] = g_copy_bytes(start, (size_t)(s - start));
        if (s >= end) break;
        start = s + 1;
    }
    args[n] = NULL;
    *count = (int)n;
    return args;
}

bool function_call(g_text *out, const char *s, const char *end, char open, char close) {
    size_t len = 0;
    while (islower((unsigned char)s[len]) || s[len] == '-') len++;
    if (!len || !isspace((unsigned char)s[len]) || (end && s + len >= end)) return false;
    const struct function *f = function_find(s, len);
    if (!f) return false;
    if (!end)
        make_fatal(expansion_place(), "unterminated call to function '%s': missing '%c'", f->name,
                   close);
    s += len;
    while (s < end && isspace((unsigned char)*s)) s++;
    int count;
    char **args = split_arguments(s, end, open, close, f->most, &count);
    for (int i = 0; !f->plain && i < count; i++) {
        char *text = expanded(args[i]);
        free(args[i]);
        args[i] = text;
    }
    if (count < f->least)
        make_fatal(expansion_place(), "insufficient number of arguments (%d) to function '%s'",
                   count, f->name);
    f->run(out, args, count);
    for (int i = 0; i < count; i++) free(args[i]);
    free(args);
    return true;
}

static char *stripped(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t len = strlen(s); len && isspace((unsigned char)s[len - 1]);) s[--len] = '\0';
    return s;
}

static void call_foreach(g_text *out, char **args, int count) {
    (void)count;
    char *name = expanded(args[0]), *list = expanded(args[1]), *trimmed = stripped(name);
    scope inner = {.parent = current_scope, .owner = current_scope->owner};
    const char *rest = list, *word;
    size_t len;
    bool any = false;
    current_scope = &inner;
    while (next_word(&rest, &word, &len)) {
        char *value = g_copy_bytes(word, len);
        variable_set(&inner, trimmed, strlen(trimmed), value, FROM_AUTOMATIC, false);
        if (any) g_text_addc(out, ' ');
        any = true;
        expand(out, args[2], strlen(args[2]));
        free(value);
    }
    current_scope = inner.parent;
    free(name), free(list);
}

static void call_if(g_text *out, char **args, int count) {
    char *condition = expanded(stripped(args[0]));
    bool yes = *condition;
    free(condition);
    if (yes)
        expand(out, args[1], strlen(args[1]));
    else if (count > 2)
        expand(out, args[2], strlen(args[2]));
}

static void call_or(g_text *out, char **args, int count) {
    for (int i = 0; i < count; i++) {
        char *value = expanded(stripped(args[i]));
        bool yes = *value;
        if (yes) g_text_adds(out, value);
        free(value);
        if (yes) return;
    }
}

static void call_and(g_text *out, char **args, int count) {
    for (int i = 0; i < count; i++) {
        char *value = expanded(stripped(args[i]));
        bool yes = *value;
        if (yes && i + 1 == count) g_text_adds(out, value);
        free(value);
        if (!yes) return;
    }
}

static void call_call(g_text *out, char **args, int count) {
    static int outer_count;
    char *name = stripped(args[0]);
    const struct function *builtin = function_find(name, strlen(name));
    if (builtin) {
        if (count - 1 < builtin->least)
            make_fatal(expansion_place(), "insufficient number of arguments (%d) to function '%s'",
                       count - 1, builtin->name);
        builtin->run(out, args + 1, count - 1);
        return;
    }
    scope *where, inner = {.parent = current_scope, .owner = current_scope->owner};
    variable *v = variable_find_in(current_scope, name, strlen(name), &where);
    if (!v || !*v->value) return;
    /* What an outer call had beyond these arguments is not to be seen. */
    for (int i = 0; i < count || i < outer_count; i++) {
        char number[12];
        int len = snprintf(number, sizeof number, "%d", i);
        variable_set(&inner, number, (size_t)len, i ? i < count ? args[i] : "" : name,
                     FROM_AUTOMATIC, false);
    }
    int saved_count = outer_count;
    bool expanding = v->expanding;
    outer_count = count;
    current_scope = &inner;
    v->expanding = false; /* functions may call themselves */
    if (v->recursive)
        expand(out, v->value, strlen(v->value));
    else
        g_text_adds(out, v->value);
    v->expanding = expanding;
    current_scope = inner.parent;
    outer_count = saved_count;
}

static void call_eval(g_text *out, char **args, int count) {
    (void)out, (void)count;
    scope *saved = current_scope;
    place at = now_at;
    current_scope = &global_scope;
    make_read_text(args[0], strlen(args[0]), now_at);
    current_scope = saved;
    now_at = at;
}

static void call_value(g_text *out, char **args, int count) {
    (void)count;
    char *name = stripped(args[0]);
    variable *v = variable_find(name, strlen(name));
    if (v) g_text_adds(out, v->value);
}

static void call_origin(g_text *out, char **args, int count) {
    (void)count;
    char *name = stripped(args[0]);
    variable *v = variable_find(name, strlen(name));
    g_text_adds(out, v ? origin_name(v) : "undefined");
}

static void call_flavor(g_text *out, char **args, int count) {
    (void)count;
    char *name = stripped(args[0]);
    variable *v = variable_find(name, strlen(name));
    g_text_adds(out, !v ? "undefined" : v->recursive ? "recursive" : "simple");
}
