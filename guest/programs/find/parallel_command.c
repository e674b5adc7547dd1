/*
 * parallel_command.c: puts arguments into a command: {} {.} {/} {//} {/.} {#} {%} {1} {-1.} {name}.
 */
#include "parallel.h"

#include <ctype.h>
#include <stdlib.h>

/* As one word for the shell. */
static void put_quoted(g_text *out, const char *s) {
    static const char plain[] = "-_.+/";
    bool simple = *s != 0;
    for (const char *p = s; *p && simple; p++)
        simple = isalnum((unsigned char)*p) || strchr(plain, *p);
    if (simple) {
        g_text_adds(out, s);
        return;
    }
    g_text_addc(out, '\'');
    for (const char *p = s; *p; p++) {
        if (*p == '\'')
            g_text_adds(out, "'\"'\"'");
        else
            g_text_addc(out, *p);
    }
    g_text_addc(out, '\'');
}

/* The name without its last ending. */
static void cut_ending(char *s) {
    char *slash = strrchr(s, '/'), *dot = strrchr(slash ? slash : s, '.');
    if (dot && dot[1]) *dot = '\0';
}

/* The argument as an operator makes it: "", ".", "/", "//" or "/.". */
static char *shaped(const char *arg, const char *op) {
    char *s = g_copy_string(arg), *slash = strrchr(s, '/');
    if (strcmp(op, "//") == 0) {
        while (slash && slash > s && !slash[1]) {
            *slash = '\0';
            slash = strrchr(s, '/');
        }
        if (!slash) {
            free(s);
            return g_copy_string(".");
        }
        slash[slash == s] = '\0';
        return s;
    }
    if (op[0] == '/' && slash) memmove(s, slash + 1, strlen(slash + 1) + 1);
    if (op[0] == '.' || op[1] == '.') cut_ending(s);
    return s;
}

static bool is_operator(const char *s, size_t n) {
    return n == 0 || (n == 1 && (*s == '.' || *s == '/')) ||
           (n == 2 && (memcmp(s, "//", 2) == 0 || memcmp(s, "/.", 2) == 0));
}

typedef struct {
    const parallel *p;
    const words *args;
    size_t number, slot;
    bool quote;
} filling;

static void put_value(const filling *f, const char *arg, const char *op, g_text *out) {
    char *s = shaped(arg, op);
    if (f->quote)
        put_quoted(out, s);
    else
        g_text_adds(out, s);
    free(s);
}

/* {1}, {-1/}, {name}: which argument; 0: none of these. */
static size_t position(const filling *f, const char *s, size_t n, const char **op) {
    size_t i = 0;
    bool back = n > 0 && s[0] == '-';
    size_t value = 0, digits = 0;
    for (i = back; i < n && isdigit((unsigned char)s[i]); i++, digits++)
        value = value < 100000 ? value * 10 + (size_t)(s[i] - '0') : value;
    if (digits > 0 && value > 0 && is_operator(s + i, n - i)) {
        *op = s + i;
        if (!back) return value;
        return value <= f->args->n ? f->args->n + 1 - value : f->args->n + 1;
    }
    for (size_t k = 0; k < f->p->names.n; k++) {
        size_t len = strlen(f->p->names.v[k]);
        if (len <= n && memcmp(s, f->p->names.v[k], len) == 0 && is_operator(s + len, n - len)) {
            *op = s + len;
            return k + 1;
        }
    }
    return 0;
}

/* What stands between braces; false: nothing that is replaced. */
static bool put_braced(const filling *f, const char *s, size_t n, g_text *out) {
    const char *at = s;
    if (n == 1 && (*s == '#' || *s == '%')) {
        g_text_addf(out, "%zu", *s == '#' ? f->number : f->slot);
        return true;
    }
    size_t which = is_operator(s, n) ? 0 : position(f, s, n, &at);
    if (!which && !is_operator(s, n)) return false;
    char op[3] = {0};
    memcpy(op, at, n - (size_t)(at - s));
    if (which) {
        if (which <= f->args->n) put_value(f, f->args->v[which - 1], op, out);
        return true;
    }
    for (size_t i = 0; i < f->args->n; i++) {
        if (i) g_text_addc(out, ' ');
        put_value(f, f->args->v[i], op, out);
    }
    return true;
}

/* Fills in; whether anything was replaced that is an argument. */
static bool fill(const filling *f, const char *text, size_t len, g_text *out) {
    const char *sign = f->p->replace;
    size_t width = sign ? strlen(sign) : 0;
    bool any = false;
    for (size_t i = 0; i < len;) {
        if (sign && width <= len - i && memcmp(text + i, sign, width) == 0) {
            put_braced(f, "", 0, out);
            any = true;
            i += width;
            continue;
        }
        const char *close = text[i] == '{' ? memchr(text + i, '}', len - i) : NULL;
        size_t n = close ? (size_t)(close - text) - i - 1 : 0;
        bool empty = close && n == 0;
        if (close && !(sign && empty) && put_braced(f, text + i + 1, n, out)) {
            any |= !(n == 1 && (text[i + 1] == '#' || text[i + 1] == '%'));
            i += n + 2;
        } else {
            g_text_addc(out, text[i++]);
        }
    }
    return any;
}

/* -X: a word with {} is repeated for every argument. */
static bool fill_context(const filling *f, const char *text, g_text *out) {
    bool any = false;
    while (*text) {
        size_t blank = strspn(text, " "), n = strcspn(text + blank, " ");
        g_text_add(out, text, blank);
        text += blank;
        g_text first = {0};
        bool has = fill(f, text, n, &first);
        if (has && f->args->n > 1) {
            for (size_t i = 0; i < f->args->n; i++) {
                words one = {&f->args->v[i], 1, 1};
                filling g = *f;
                g.args = &one;
                if (i) g_text_addc(out, ' ');
                fill(&g, text, n, out);
            }
        } else if (first.s) {
            g_text_add(out, first.s, first.len);
        }
        g_text_free(&first);
        any |= has;
        text += n;
    }
    return any;
}

char *parallel_command(const parallel *p, const words *args, size_t number, size_t slot) {
    g_text out = {0};
    filling f = {p, args, number, slot, p->command != NULL};
    g_text_adds(&out, "");
    if (!p->command) {
        put_braced(&f, "", 0, &out);
        return out.s;
    }
    bool any = p->context ? fill_context(&f, p->command, &out)
                          : fill(&f, p->command, strlen(p->command), &out);
    if (!any && !p->pipe && !p->no_arguments) {
        g_text_addc(&out, ' ');
        put_braced(&f, "", 0, &out);
    }
    return out.s;
}

char *parallel_fill(const parallel *p, const char *text, const words *args, size_t number,
                    size_t slot) {
    g_text out = {0};
    filling f = {p, args, number, slot, false};
    g_text_adds(&out, "");
    fill(&f, text, strlen(text), &out);
    return out.s;
}
