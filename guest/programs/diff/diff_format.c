/*
 * diff_format.c: output by formats for groups and lines, which --ifdef is made of, too.
 */
#include "diff.h"
#include "g_out.h"
#include "g_option.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of lines of both files: first and last + 1, from 0. */
typedef struct {
    size_t from[2], to[2];
} group;

static void set_format(const char **format, const char *option, const char *value) {
    if (*format && strcmp(*format, value) != 0)
        g_usage("conflicting %s option value '%s'", option, value);
    *format = value;
}

void diff_set_group_format(diff_options *o, enum diff_group which, const char *option,
                           const char *value) {
    set_format(&o->group_formats[which], option, value);
}

void diff_set_line_format(diff_options *o, enum diff_group which, const char *option,
                          const char *value) {
    set_format(&o->line_formats[which], option, value);
}

void diff_set_ifdef(diff_options *o, const char *name) {
    static const char *const forms[] = {
        "#ifndef %s\n%%<#endif /* ! %s */\n", "#ifdef %s\n%%>#endif /* %s */\n",
        "%%=", "#ifndef %s\n%%<#else /* %s */\n%%>#endif /* %s */\n"};
    for (int i = 0; i < DIFF_GROUPS; i++) {
        g_text text = {0};
        for (const char *s = forms[i]; *s; s++) {
            if (*s != '%')
                g_text_addc(&text, *s);
            else if (*++s == 's')
                g_text_adds(&text, name);
            else
                g_text_addc(&text, '%');
        }
        set_format(&o->group_formats[i], "-D", text.s);
    }
}

void diff_settle_formats(diff_options *o) {
    static const char *const usual[] = {"%<", "%>", "%="};
    for (int i = 0; i < DIFF_CHANGED; i++) {
        if (!o->line_formats[i]) o->line_formats[i] = "%l\n";
        if (!o->group_formats[i] && i != DIFF_UNCHANGED)
            o->group_formats[i] = o->group_formats[DIFF_CHANGED];
        if (!o->group_formats[i]) o->group_formats[i] = usual[i];
    }
    if (o->group_formats[DIFF_CHANGED]) return;
    g_text both = {0};
    g_text_adds(&both, o->group_formats[DIFF_OLD]);
    g_text_adds(&both, o->group_formats[DIFF_NEW]);
    o->group_formats[DIFF_CHANGED] = both.s ? both.s : "";
}

/* "%c'C'" and "%c'\OOO'" behind the c; NULL when it is not that. */
static const char *read_character(const char *s, char *out) {
    if (*s++ != '\'') return NULL;
    if (*s == '\\' && s[1] != '\'') {
        unsigned value = 0;
        int digits = 0;
        for (s++; *s >= '0' && *s <= '7' && digits < 3; s++, digits++)
            value = value * 8 + (unsigned)(*s - '0');
        if (!digits) return NULL;
        *out = (char)value;
    } else {
        if (!*s) return NULL;
        *out = *s++;
    }
    return *s == '\'' ? s + 1 : NULL;
}

/* "[-][WIDTH][.PRECISION]{doxX}" in front of a letter, as a format of printf(); NULL when it is
 * not that. */
static const char *read_conversion(const char *s, char format[48]) {
    size_t at = 0;
    format[at++] = '%';
    for (; *s == '-' || *s == '\''; s++)
        if (at < 8) format[at++] = *s;
    for (; isdigit((unsigned char)*s); s++)
        if (at < 16) format[at++] = *s;
    if (*s == '.') {
        format[at++] = *s++;
        for (; isdigit((unsigned char)*s); s++)
            if (at < 32) format[at++] = *s;
    }
    if (!*s || !strchr("doxX", *s)) return NULL;
    format[at++] = 'l';
    format[at++] = 'l';
    format[at++] = *s == 'd' ? 'd' : *s;
    format[at] = '\0';
    return s + 1;
}

static void put_number(const char *format, size_t value) {
    char text[512];
    int n = snprintf(text, sizeof text, format, (unsigned long long)value);
    g_out(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void put_format_line(const diff_pair *pair, const char *s, int f, size_t index) {
    const diff_line *line = &pair->side[f].lines[index];
    bool ended = line->len > 0 && line->s[line->len - 1] == '\n';
    while (*s) {
        char c, format[48];
        const char *next;
        if (*s != '%') {
            g_outc(*s++);
            continue;
        }
        s++;
        if (*s == '%') {
            g_outc(*s++);
        } else if (*s == 'c' && (next = read_character(s + 1, &c))) {
            g_outc(c);
            s = next;
        } else if (*s == 'l' || *s == 'L') {
            diff_put_line(pair->o, NULL, line);
            if (*s++ == 'L' && ended) g_outc('\n');
        } else if ((next = read_conversion(s, format)) && *next == 'n') {
            put_number(format, index + 1);
            s = next + 1;
        } else {
            g_outc('%');
        }
    }
}

static void put_lines(const diff_pair *pair, const char *format, int f, const group *g) {
    for (size_t i = g->from[f]; i < g->to[f]; i++) put_format_line(pair, format, f, i);
}

/* The value of a letter: of the old file in lower case, of the new one in upper case. */
static bool letter_value(const group *g, char letter, size_t *value) {
    int f = isupper((unsigned char)letter) ? 1 : 0;
    switch (tolower((unsigned char)letter)) {
    case 'e': *value = g->from[f]; return true;
    case 'f': *value = g->from[f] + 1; return true;
    case 'l': *value = g->to[f]; return true;
    case 'm': *value = g->to[f] + 1; return true;
    case 'n': *value = g->to[f] - g->from[f]; return true;
    default: return false;
    }
}

static const char *read_value(const char *s, const group *g, size_t *value) {
    if (isdigit((unsigned char)*s)) {
        char *end;
        *value = strtoul(s, &end, 10);
        return end;
    }
    return letter_value(g, *s, value) ? s + 1 : NULL;
}

static const char *put_group(const diff_pair *pair, const char *s, char stop, const group *g,
                             bool shown);

/* "(A=B?THEN:ELSE)" behind the parenthesis; NULL when it is not that. */
static const char *put_choice(const diff_pair *pair, const char *s, const group *g, bool shown) {
    size_t a, b;
    if (!(s = read_value(s, g, &a)) || *s++ != '=') return NULL;
    if (!(s = read_value(s, g, &b)) || *s++ != '?') return NULL;
    s = put_group(pair, s, ':', g, shown && a == b);
    if (*s) s++;
    s = put_group(pair, s, ')', g, shown && a != b);
    return *s ? s + 1 : s;
}

/* A group by its format, up to `stop`, at which it returns. */
static const char *put_group(const diff_pair *pair, const char *s, char stop, const group *g,
                             bool shown) {
    const diff_options *o = pair->o;
    while (*s && *s != stop) {
        char c, format[48];
        const char *next;
        size_t value;
        if (*s != '%') {
            if (shown) g_outc(*s);
            s++;
            continue;
        }
        s++;
        if (*s == '%') {
            if (shown) g_outc('%');
            s++;
        } else if (*s == 'c' && (next = read_character(s + 1, &c))) {
            if (shown) g_outc(c);
            s = next;
        } else if (*s == '(' && (next = put_choice(pair, s + 1, g, shown))) {
            s = next;
        } else if (*s == '<' || *s == '>' || *s == '=') {
            enum diff_group which = *s == '<' ? DIFF_OLD : *s == '>' ? DIFF_NEW : DIFF_UNCHANGED;
            if (shown) put_lines(pair, o->line_formats[which], *s == '>', g);
            s++;
        } else if ((next = read_conversion(s, format)) && letter_value(g, *next, &value)) {
            if (shown) put_number(format, value);
            s = next + 1;
        } else if (shown) {
            g_outc('%');
        }
    }
    return s;
}

bool diff_formats_show_equal(const diff_options *o) {
    const char *format = o->group_formats[DIFF_UNCHANGED];
    return *format && !(strcmp(format, "%=") == 0 && !*o->line_formats[DIFF_UNCHANGED]);
}

void diff_put_formats(const diff_pair *pair) {
    const char *const *formats = pair->o->group_formats;
    size_t at[2] = {0, 0};
    for (size_t i = 0; i <= pair->change_count; i++) {
        const diff_change *c = i < pair->change_count ? &pair->changes[i] : NULL;
        if (c && c->ignorable) continue;
        size_t ends[2] = {c ? c->line0 : pair->side[0].line_count,
                          c ? c->line1 : pair->side[1].line_count};
        group same = {{at[0], at[1]}, {ends[0], ends[1]}};
        if (ends[0] > at[0]) put_group(pair, formats[DIFF_UNCHANGED], '\0', &same, true);
        if (!c) return;
        group g = {{c->line0, c->line1}, {c->line0 + c->deleted, c->line1 + c->inserted}};
        enum diff_group which = !c->deleted ? DIFF_NEW : !c->inserted ? DIFF_OLD : DIFF_CHANGED;
        put_group(pair, formats[which], '\0', &g, true);
        at[0] = g.to[0];
        at[1] = g.to[1];
    }
}
