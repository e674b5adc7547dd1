/*
 * vartext.c: variables as text that the shell reads back: declare -p, set, ${x@A}.
 */
#include "sh.h"

void var_attributes(const struct var *v, char out[16]) {
    static const struct {
        unsigned flag;
        char letter;
    } table[] = {{V_ARRAY, 'a'}, {V_ASSOC, 'A'}, {V_INTEGER, 'i'}, {V_NAMEREF, 'n'},
                 {V_READONLY, 'r'}, {V_TRACE, 't'}, {V_EXPORT, 'x'}, {V_CAPITAL, 'c'},
                 {V_LOWER, 'l'}, {V_UPPER, 'u'}};
    int n = 0;
    for (int i = 0; i < DIM(table); i++)
        if (v->flags & table[i].flag) out[n++] = table[i].letter;
    out[n] = 0;
}

void var_print_key(sb *out, const char *key) {
    if (quote_needs_dollar(key)) {
        quote_dollar(out, key);
        return;
    }
    bool bare = *key != 0;
    for (const char *p = key; *p; p++)
        if (strchr(" \t\n'\"\\|&;()<>!{}*[]?^$`", *p) ||
            (*p == '~' && (p == key || p[-1] == ':' || p[-1] == '=')) ||
            (*p == '#' && p == key) || *p == '@')
            bare = false;
    if ((key[0] == '@' || key[0] == '*') && !key[1]) bare = false;
    if (bare) sb_puts(out, key);
    else quote_double(out, key);
}

void var_print_value(struct shell *sh, struct var *v, sb *out) {
    if (v->flags & V_ASSOC) {
        arena_mark mark = arena_here(&sh->tmp);
        char **keys, **values;
        if (out->a) mark = (arena_mark){NULL, 0};
        assoc_list(var_assoc(v), &sh->tmp, &keys, &values);
        sb_puts(out, "=(");
        for (int i = 0; keys[i]; i++) {
            sb_putc(out, '[');
            var_print_key(out, keys[i]);
            sb_puts(out, "]=");
            quote_double(out, values[i]);
            sb_putc(out, ' ');
        }
        sb_putc(out, ')');
        if (!out->a) arena_release(&sh->tmp, mark);
    } else if (v->flags & V_ARRAY) {
        sb_puts(out, "=(");
        for (int i = 0; i < array_count(var_array(v)); i++) {
            int64_t index;
            const char *value = array_at(var_array(v), i, &index);
            sb_printf(out, "%s[%" PRId64 "]=", i ? " " : "", index);
            quote_double(out, value);
        }
        sb_putc(out, ')');
    } else {
        sb_putc(out, '=');
        quote_double(out, var_text(v) ? var_text(v) : "");
    }
}

void var_print_declare(struct shell *sh, struct var *v, sb *out) {
    char letters[16];
    var_attributes(v, letters);
    sb_printf(out, "declare -%s %s", letters[0] ? letters : "-", v->entry.key);
    if (v->flags & V_SET) var_print_value(sh, v, out);
    sb_putc(out, '\n');
}

void var_copy_elements(struct shell *sh, struct var *to, struct var *from) {
    if (from->flags & V_ASSOC) {
        char **keys, **values;
        struct assoc *copy = var_empty_assoc(sh, to);
        assoc_list(var_assoc(from), &sh->tmp, &keys, &values);
        for (int i = assoc_count(var_assoc(from)); i-- > 0;) assoc_set(copy, keys[i], values[i]);
    } else {
        struct array *copy = var_empty_array(sh, to);
        for (int i = 0; i < array_count(var_array(from)); i++) {
            int64_t index;
            const char *value = array_at(var_array(from), i, &index);
            array_set(copy, index, value);
        }
    }
    to->flags = (uint16_t)((to->flags & ~V_SET) | (from->flags & V_SET));
}

void var_print_bare(struct shell *sh, struct var *v, sb *out) {
    sb_puts(out, v->entry.key);
    if (v->flags & (V_ARRAY | V_ASSOC)) {
        var_print_value(sh, v, out);
    } else {
        const char *text = var_text(v);
        sb_putc(out, '=');
        if (sh->posix && quote_needs_dollar(text)) quote_single(out, text);
        else quote_value(out, text);
    }
    sb_putc(out, '\n');
}
