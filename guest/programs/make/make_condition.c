/*
 * make_condition.c: ifeq, ifneq, ifdef, ifndef, else and endif.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

enum level_state { TAKEN, NOT_YET, DONE }; /* this part is read, none was so far, one was before */
struct conditions {
    enum level_state *levels;
    bool *has_else;
    size_t count, cap;
};

conditions *conditions_new(void) {
    return g_zalloc(sizeof(conditions));
}

static bool skipping(const conditions *c) {
    for (size_t i = 0; i < c->count; i++)
        if (c->levels[i] != TAKEN) return true;
    return false;
}

static bool word_is(const char **line, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*line, word, len) != 0) return false;
    char next = (*line)[len];
    if (next && !isspace((unsigned char)next) && next != '(' && next != '"' && next != '\'' &&
        next != '#')
        return false;
    *line += len;
    while (isspace((unsigned char)**line)) (*line)++;
    return true;
}

static char *trimmed_copy(const char *s, size_t len) {
    while (len && isspace((unsigned char)s[len - 1])) len--;
    return g_copy_bytes(s, len);
}

/* (a,b), "a" "b" or 'a' 'b': both as they are written. False when malformed. */
static bool two_parts(const char *s, char **a, char **b, const char **rest) {
    if (*s == '(') {
        const char *comma = find_outside(s + 1, ","), *end;
        if (!comma) return false;
        end = closing_bracket(comma + 1, s + strlen(s), '(', ')');
        if (!end) return false;
        const char *second = comma + 1;
        while (isspace((unsigned char)*second)) second++;
        *a = trimmed_copy(s + 1, (size_t)(comma - s - 1));
        *b = g_copy_bytes(second, (size_t)(end > second ? end - second : 0));
        *rest = end + 1;
        return true;
    }
    char *parts[2];
    for (int i = 0; i < 2; i++) {
        if (*s != '"' && *s != '\'') return false;
        const char *end = strchr(s + 1, *s);
        if (!end) return false;
        parts[i] = g_copy_bytes(s + 1, (size_t)(end - s - 1));
        s = end + 1;
        while (i == 0 && isspace((unsigned char)*s)) s++;
    }
    *a = parts[0];
    *b = parts[1];
    *rest = s;
    return true;
}

enum kind { NO_KIND = -1, IFEQ, IFNEQ, IFDEF, IFNDEF };

static enum kind kind_of(const char **line) {
    static const char *const names[] = {"ifeq", "ifneq", "ifdef", "ifndef"};
    for (int i = 0; i < 4; i++)
        if (word_is(line, names[i])) return (enum kind)i;
    return NO_KIND;
}

static void check_rest(const char *s, const char *name) {
    while (isspace((unsigned char)*s)) s++;
    if (*s && *s != '#') make_error(&now_at, "extraneous text after '%s' directive", name);
}

static bool holds(enum kind kind, const char *line) {
    if (kind == IFDEF || kind == IFNDEF) {
        char *text = g_copy_string(line);
        remove_comment(text);
        char *name = expanded(text);
        const char *s = name, *word, *second;
        size_t len, second_len;
        if (!next_word(&s, &word, &len) || next_word(&s, &second, &second_len))
            make_fatal(&now_at, "invalid syntax in conditional");
        variable *v = variable_find(word, len);
        bool is_set = v && *v->value;
        free(text), free(name);
        return is_set == (kind == IFDEF);
    }
    char *a, *b;
    const char *rest;
    if (!two_parts(line, &a, &b, &rest)) make_fatal(&now_at, "invalid syntax in conditional");
    check_rest(rest, kind == IFEQ ? "ifeq" : "ifneq");
    char *left = expanded(a), *right = expanded(b);
    bool same = strcmp(left, right) == 0;
    free(a), free(b), free(left), free(right);
    return same == (kind == IFEQ);
}

static void push(conditions *c, enum level_state state) {
    if (c->count == c->cap) {
        c->cap = c->cap * 2 + 8;
        c->levels = g_resize(c->levels, c->cap, sizeof *c->levels);
        c->has_else = g_resize(c->has_else, c->cap, sizeof *c->has_else);
    }
    c->levels[c->count] = state;
    c->has_else[c->count++] = false;
}

static void turn(conditions *c, const char *line) {
    if (!c->count) make_fatal(&now_at, "extraneous '%s'", "else");
    size_t top = c->count - 1;
    if (c->has_else[top]) make_fatal(&now_at, "only one 'else' per conditional");
    enum kind kind = kind_of(&line);
    if (kind == NO_KIND) check_rest(line, "else");
    if (kind == NO_KIND) c->has_else[top] = true;
    if (c->levels[top] != NOT_YET) {
        c->levels[top] = DONE;
        return;
    }
    c->count = top; /* whether what is around it is skipped */
    bool skips = skipping(c);
    c->count = top + 1;
    c->levels[top] = skips || kind == NO_KIND || holds(kind, line) ? TAKEN : NOT_YET;
}

bool conditional_line(conditions *c, const char *line, bool *skips) {
    while (isspace((unsigned char)*line)) line++;
    enum kind kind = kind_of(&line);
    bool is = true;
    if (kind != NO_KIND) {
        push(c, skipping(c) ? DONE : holds(kind, line) ? TAKEN : NOT_YET);
    } else if (word_is(&line, "else")) {
        turn(c, line);
    } else if (word_is(&line, "endif")) {
        if (!c->count) make_fatal(&now_at, "extraneous '%s'", "endif");
        check_rest(line, "endif");
        c->count--;
    } else {
        is = false;
    }
    *skips = skipping(c);
    return is;
}

void conditions_end(conditions *c) {
    if (c->count) make_fatal(&now_at, "missing 'endif'");
    free(c->levels);
    free(c->has_else);
    free(c);
}
