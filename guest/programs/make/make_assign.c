/*
 * make_assign.c: NAME = value in a line, with what may stand in front of it.
 */
#include "make.h"

#include <ctype.h>
#include <stdlib.h>

/* NAME op VALUE; the name may be $(computed) and stays as it is written. */
bool parse_plain_assignment(const char *line, assignment *a) {
    const char *s = line;
    while (isspace((unsigned char)*s)) s++;
    const char *name = s, *name_end = NULL;
    for (; *s; s++) {
        if (*s == '#') return false;
        if (*s == '$' && s[1] == '$') {
            s++;
            continue;
        }
        if (*s == '$' && (s[1] == '(' || s[1] == '{')) {
            if (name_end) return false;
            const char *end = closing_bracket(s + 2, s + strlen(s), s[1], s[1] == '(' ? ')' : '}');
            if (!end) return false;
            s = end;
            continue;
        }
        if (isspace((unsigned char)*s)) {
            if (!name_end) name_end = s;
            continue;
        }
        size_t len = *s == '=' ? 1 : strchr(":+?!", *s) && s[1] == '=' ? 2 : 0;
        if (*s == ':' && s[1] == ':' && s[2] == '=') len = 3;
        if (len) {
            if (!name_end) name_end = s;
            if (name_end == name) {
                if (s == name) make_fatal(&now_at, "empty variable name");
                return false;
            }
            a->name = g_copy_bytes(name, (size_t)(name_end - name));
            a->op = len == 3    ? ":="
                    : *s == '=' ? "="
                    : *s == ':' ? ":="
                    : *s == '+' ? "+="
                    : *s == '?' ? "?="
                                : "!=";
            for (s += len; isspace((unsigned char)*s);) s++;
            a->value = s;
            return true;
        }
        if (*s == ':' || name_end) return false;
    }
    return false;
}

static bool modifier(const char **s, const char *word) {
    size_t len = strlen(word);
    if (strncmp(*s, word, len) != 0 || ((*s)[len] && !isspace((unsigned char)(*s)[len])))
        return false;
    const char *p = *s + len;
    while (isspace((unsigned char)*p)) p++;
    *s = p;
    return true;
}

bool parse_assignment(const char *line, assignment *a) {
    memset(a, 0, sizeof *a);
    const char *s = line;
    while (isspace((unsigned char)*s)) s++;
    for (;;) {
        /* A variable may have such a name. */
        if (parse_plain_assignment(s, a)) return true;
        if (modifier(&s, "override"))
            a->is_override = true;
        else if (modifier(&s, "private"))
            a->is_private = true;
        else if (modifier(&s, "export"))
            a->exporting = EXPORT_YES;
        else if (modifier(&s, "unexport"))
            a->exporting = EXPORT_NO;
        else
            break;
    }
    bool define = modifier(&s, "define");
    if (!define && !modifier(&s, "undefine")) return false;
    a->is_define = define;
    a->is_undefine = !define;
    if (define && parse_plain_assignment(s, a)) {
        const char *rest = a->value;
        while (isspace((unsigned char)*rest)) rest++;
        if (*rest) make_error(&now_at, "extraneous text after 'define' directive");
        return true;
    }
    size_t len = strlen(s);
    while (len && isspace((unsigned char)s[len - 1])) len--;
    a->name = g_copy_bytes(s, len);
    a->op = "=";
    a->value = "";
    return true;
}

variable *assign(scope *into, const assignment *a) {
    char *name = expanded(a->name);
    size_t len = strlen(name);
    while (len && isspace((unsigned char)name[len - 1])) name[--len] = '\0';
    if (!len) make_fatal(&now_at, "empty variable name");
    variable *v =
        variable_assign(into, name, a->op, a->value, a->is_override ? FROM_OVERRIDE : FROM_FILE);
    if (!v && a->exporting != EXPORT_DEFAULT) v = (variable *)table_find(&into->table, name, len);
    if (v && a->exporting != EXPORT_DEFAULT) v->exporting = a->exporting;
    if (v && a->is_private) v->is_private = true;
    free(name);
    return v;
}
