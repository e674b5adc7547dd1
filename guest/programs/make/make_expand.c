/*
 * make_expand.c: $(NAME), ${NAME}, $(NAME:a=b), $N and $$ in a text.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

static place expanding_at;

const place *expansion_place(void) {
    return expanding_at.file ? &expanding_at : &now_at;
}

const char *closing_bracket(const char *s, const char *end, char open, char close) {
    for (int depth = 0; s < end; s++) {
        if (*s == open)
            depth++;
        else if (*s == close && depth-- == 0)
            return s;
    }
    return NULL;
}

char *find_outside(const char *s, const char *stops) {
    for (; *s; s++) {
        if (*s == '$' && (s[1] == '(' || s[1] == '{')) {
            const char *end = closing_bracket(s + 2, s + strlen(s), s[1], s[1] == '(' ? ')' : '}');
            if (!end) return NULL;
            s = end;
        } else if (*s == '$' && s[1] == '$') {
            s++;
        } else if (strchr(stops, *s)) {
            return (char *)s;
        }
    }
    return NULL;
}

static void expand_found(g_text *out, variable *v, scope *where) {
    if (v->expanding)
        make_fatal(expansion_place(), "Recursive variable '%s' references itself (eventually)",
                   v->entry.name);
    if (v->appended && where->parent) { /* what the scope outside says comes first */
        size_t before = out->len;
        scope *found, *parent = where->parent;
        variable *outer = variable_find_in(parent, v->entry.name, strlen(v->entry.name), &found);
        if (outer) expand_found(out, outer, found);
        if (out->len > before && *v->value) g_text_addc(out, ' ');
    }
    if (!v->recursive) {
        g_text_adds(out, v->value);
        return;
    }
    place saved = expanding_at;
    if (v->where.file) expanding_at = v->where;
    v->expanding = true;
    expand(out, v->value, strlen(v->value));
    v->expanding = false;
    expanding_at = saved;
}

void expand_variable(g_text *out, const char *name, size_t len) {
    if (len == 10 && memcmp(name, ".VARIABLES", 10) == 0) {
        entry **all = table_sorted(&global_scope.table);
        bool any = false;
        for (size_t i = 0; i < global_scope.table.count; i++)
            add_word(out, &any, all[i]->name, strlen(all[i]->name));
        free(all);
        return;
    }
    scope *where;
    variable *v = variable_find_in(current_scope, name, len, &where);
    if (v)
        expand_found(out, v, where);
    else if (opt.warn_undefined)
        make_warning(expansion_place(), "undefined variable '%.*s'", (int)len, name);
}

char *variable_value(const char *name) {
    g_text out = {0};
    g_text_adds(&out, "");
    expand_variable(&out, name, strlen(name));
    return out.s;
}

/* $(NAME:a=b): a and b are words' ends unless there is a %. */
static void expand_substituted(g_text *out, const char *name, size_t len, const char *from,
                               const char *equals, const char *end) {
    g_text value = {0}, pattern = {0}, replacement = {0};
    char *a = g_copy_bytes(from, (size_t)(equals - from));
    char *b = g_copy_bytes(equals + 1, (size_t)(end - equals - 1)), *plain;
    g_text_adds(&value, "");
    expand_variable(&value, name, len);
    char *left = expanded(a), *right = expanded(b);
    if (!pattern_percent(left, &plain)) {
        g_text_addc(&pattern, '%');
        g_text_addc(&replacement, '%');
    }
    g_text_adds(&pattern, left);
    g_text_adds(&replacement, right);
    substitute_pattern(out, pattern.s, replacement.s, value.s);
    free(a), free(b), free(left), free(right), free(plain);
    g_text_free(&value), g_text_free(&pattern), g_text_free(&replacement);
}

static const char *find_byte(const char *s, const char *end, char c) {
    for (; s < end; s++) {
        if (*s == '$' && s + 1 < end && (s[1] == '(' || s[1] == '{')) {
            const char *close = closing_bracket(s + 2, end, s[1], s[1] == '(' ? ')' : '}');
            if (!close) return NULL;
            s = close;
        } else if (*s == c) {
            return s;
        }
    }
    return NULL;
}

static void expand_reference(g_text *out, const char *s, const char *end) {
    const char *colon = find_byte(s, end, ':');
    const char *equals = colon ? find_byte(colon + 1, end, '=') : NULL;
    const char *name_end = equals ? colon : end;
    g_text name = {0};
    g_text_adds(&name, "");
    expand(&name, s, (size_t)(name_end - s));
    if (!equals) { /* the : may come from what was expanded */
        char *c = strchr(name.s, ':'), *e = c ? strchr(c, '=') : NULL;
        if (e)
            expand_substituted(out, name.s, (size_t)(c - name.s), c + 1, e, name.s + name.len);
        else
            expand_variable(out, name.s, name.len);
    } else {
        expand_substituted(out, name.s, name.len, colon + 1, equals, end);
    }
    g_text_free(&name);
}

void expand(g_text *out, const char *s, size_t len) {
    const char *end = s + len;
    g_text_add(out, "", 0);
    while (s < end) {
        const char *dollar = memchr(s, '$', (size_t)(end - s));
        if (!dollar) dollar = end;
        g_text_add(out, s, (size_t)(dollar - s));
        s = dollar + 1;
        if (s > end) break;
        if (s == end) {
            g_text_addc(out, '$');
            break;
        }
        if (*s == '$') {
            g_text_addc(out, '$');
        } else if (*s == '(' || *s == '{') {
            char open = *s, close = open == '(' ? ')' : '}';
            const char *stop = closing_bracket(s + 1, end, open, close);
            if (!stop) {
                if (!function_call(out, s + 1, NULL, open, close))
                    make_fatal(expansion_place(), "unterminated variable reference");
                stop = end;
            } else if (!function_call(out, s + 1, stop, open, close)) {
                expand_reference(out, s + 1, stop);
            }
            s = stop;
        } else if (!isspace((unsigned char)*s)) {
            expand_variable(out, s, 1);
        }
        s++;
    }
}

char *expanded(const char *s) {
    g_text out = {0};
    g_text_adds(&out, "");
    expand(&out, s, strlen(s));
    return out.s;
}
