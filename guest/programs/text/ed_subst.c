/*
 * ed_subst.c: patterns of ed, and its command s.
 */
#include "ed.h"

#include "g_out.h"
#include "g_regex.h"

#include <ctype.h>
#include <stdlib.h>

/* Takes what stands before the delimiter into `out`; an escaped delimiter loses its backslash. */
static bool take_until(struct ed *ed, char delimiter, g_text *out) {
    for (; *ed->at && *ed->at != delimiter && *ed->at != '\n'; ed->at++) {
        if (*ed->at == '[') { /* a delimiter inside is a character of the set */
            const char *p = ed->at + 1;
            if (*p == '^') p++;
            if (*p == ']') p++;
            while (*p && *p != ']' && *p != '\n')
                p += p[0] == '[' && strchr(".:=", p[1]) && p[1] ? 2 : 1;
            if (*p != ']') {
                ed->error = "Unbalanced brackets ([])";
                return false;
            }
            g_text_add(out, ed->at, (size_t)(p - ed->at));
            ed->at = p;
        } else if (*ed->at == '\\' && ed->at[1]) {
            if (ed->at[1] != delimiter) g_text_addc(out, '\\');
            ed->at++;
        }
        g_text_addc(out, *ed->at);
    }
    return true;
}

bool ed_pattern(struct ed *ed, char delimiter) {
    if (delimiter == ' ' || delimiter == '\n' || delimiter == '\0') {
        ed->error = "Invalid pattern delimiter";
        return false;
    }
    g_text text = {0};
    if (!take_until(ed, delimiter, &text)) return false;
    if (text.len == 0) {
        if (!ed->pattern) ed->error = "No previous pattern";
        return ed->pattern != NULL;
    }
    pf_regex *re;
    const char *why;
    int failed = pf_regex_compile(&re, text.s, text.len, ed->extended ? PF_RE_EXTENDED : 0,
                                  &g_regex_host, &why);
    g_text_free(&text);
    if (failed) {
        ed->error = why;
        return false;
    }
    if (ed->pattern) pf_regex_free(ed->pattern);
    ed->pattern = re;
    return true;
}

bool ed_matches(struct ed *ed, const struct ed_line *line) {
    pf_range range;
    return pf_regex_search(ed->pattern, line->text, line->len, 0, 0, &range, 1) == PF_RE_OK;
}

/* The replacement up to the delimiter: \ and newline makes two lines, % alone is the last one. */
static void take_replacement(struct ed *ed, char delimiter) {
    if (*ed->at == '%' && (ed->at[1] == delimiter || ed->at[1] == '\0')) {
        ed->at++;
        return;
    }
    g_text text = {0};
    while (*ed->at != delimiter) {
        if (*ed->at == '\0') break;
        if (*ed->at == '\\') {
            g_text_addc(&text, '\\');
            ed->at++;
            if (*ed->at == '\0') {
                static g_text more;
                if (!ed_next_line(ed, &more)) break;
                text.s[text.len - 1] = '\\';
                g_text_addc(&text, '\n');
                ed->at = more.len ? more.s : "";
                continue;
            }
        }
        g_text_addc(&text, *ed->at++);
    }
    g_text_free(&ed->replacement);
    ed->replacement = text;
}

/* g, a number, I, p, n and l behind the replacement. */
static bool take_flags(struct ed *ed, bool *case_blind) {
    ed->sub_number = 1;
    ed->sub_flags = 0;
    for (;; ed->at++) {
        if (*ed->at == 'g') ed->sub_number = 0;
        else if (*ed->at == 'p') ed->sub_flags |= 1;
        else if (*ed->at == 'n') ed->sub_flags |= 2;
        else if (*ed->at == 'l') ed->sub_flags |= 4;
        else if (*ed->at == 'i' || *ed->at == 'I') *case_blind = true;
        else if (isdigit((unsigned char)*ed->at)) {
            ed->sub_number = strtol(ed->at, (char **)&ed->at, 10);
            ed->at--;
            if (ed->sub_number == 0) {
                ed->error = "Invalid command suffix";
                return false;
            }
        } else break;
    }
    if (*ed->at) ed->error = "Invalid command suffix";
    return *ed->at == '\0';
}

static void put_replacement(struct ed *ed, g_text *out, const char *text, const pf_range *r) {
    for (size_t i = 0; i < ed->replacement.len; i++) {
        char c = ed->replacement.s[i];
        int group = c == '&' ? 0 : -1;
        if (c == '\\' && i + 1 < ed->replacement.len) {
            c = ed->replacement.s[++i];
            if (c >= '1' && c <= '9') group = c - '0';
        }
        if (group < 0) g_text_addc(out, c);
        else if (r[group].start >= 0)
            g_text_add(out, text + r[group].start, (size_t)(r[group].end - r[group].start));
    }
}

/* Whether something was replaced; `out` is the new text. */
static bool replace(struct ed *ed, const struct ed_line *line, g_text *out) {
    pf_range r[10];
    size_t from = 0;
    long number = 0;
    bool any = false;
    while (from <= line->len &&
           pf_regex_search(ed->pattern, line->text, line->len, from, 0, r, 10) == PF_RE_OK) {
        size_t start = (size_t)r[0].start, end = (size_t)r[0].end;
        g_text_add(out, line->text + from, start - from);
        if (++number == ed->sub_number || ed->sub_number == 0) {
            put_replacement(ed, out, line->text, r);
            any = true;
        } else {
            g_text_add(out, line->text + start, end - start);
        }
        from = end;
        if (start == end) { /* an empty match: the next character is as it is */
            if (end < line->len) g_text_addc(out, line->text[end]);
            from = end + 1;
        }
        if (any && ed->sub_number > 0) break;
    }
    if (from < line->len) g_text_add(out, line->text + from, line->len - from);
    return any;
}

static void put_lines(struct ed *ed, size_t at, const g_text *text) {
    struct ed_lines made = {0};
    const char *s = text->s ? text->s : "", *end = s + text->len;
    for (;;) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        const char *stop = newline ? newline : end;
        ed_lines_add(&made, ed_line_new(s, (size_t)(stop - s)));
        if (!newline) break;
        s = newline + 1;
    }
    ed_delete(ed, at, at);
    ed_insert(ed, at - 1, made.line + 1, made.count);
    free(made.line);
}

/* s with no pattern repeats the last one; g, p and a number may change it. */
static bool repeat(struct ed *ed) {
    if (!ed->sub_done) {
        ed->error = "No previous substitution";
        return false;
    }
    for (;; ed->at++) {
        if (*ed->at == 'g') ed->sub_number = ed->sub_number ? 0 : 1;
        else if (*ed->at == 'p') ed->sub_flags ^= 1;
        else if (isdigit((unsigned char)*ed->at)) {
            ed->sub_number = strtol(ed->at, (char **)&ed->at, 10);
            ed->at--;
        } else if (*ed->at != 'r') break;
    }
    if (*ed->at) ed->error = "Invalid command suffix";
    return *ed->at == '\0';
}

static bool take_command(struct ed *ed) {
    if (*ed->at == '\0' || strchr("gpr0123456789", *ed->at)) return repeat(ed);
    char delimiter = *ed->at++;
    const char *pattern = ed->at;
    bool case_blind = false;
    if (!ed_pattern(ed, delimiter)) return false;
    const char *pattern_end = ed->at;
    if (*ed->at != delimiter) {
        ed->error = "Missing pattern delimiter";
        return false;
    }
    ed->at++;
    take_replacement(ed, delimiter);
    ed->sub_done = true;
    if (*ed->at != delimiter) {
        ed->sub_flags = 1;
        ed->sub_number = 1;
        return true;
    }
    ed->at++;
    if (!take_flags(ed, &case_blind)) return false;
    if (!case_blind || pattern == pattern_end) return true;
    const char *why;
    pf_regex *re;
    unsigned flags = PF_RE_ICASE | (ed->extended ? PF_RE_EXTENDED : 0);
    size_t len = (size_t)(pattern_end - pattern);
    if (pf_regex_compile(&re, pattern, len, flags, &g_regex_host, &why)) {
        ed->error = why;
        return false;
    }
    pf_regex_free(ed->pattern);
    ed->pattern = re;
    return true;
}

bool ed_substitute(struct ed *ed, size_t first, size_t last) {
    if (!take_command(ed)) return false;
    bool any = false;
    ed_remember(ed);
    for (size_t i = first; i <= last; i++) {
        g_text text = {0};
        if (replace(ed, ed->now.line[i], &text)) {
            any = true;
            size_t before = ed->now.count;
            put_lines(ed, i, &text);
            i += ed->now.count - before;
            last += ed->now.count - before;
            ed->now.dot = i;
        }
        g_text_free(&text);
    }
    ed->print |= ed->sub_flags;
    if (!any && ed->global) return (ed->print = 0, true);
    if (!any) ed->error = "No match";
    return any;
}
