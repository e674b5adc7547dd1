/*
 * diff_print.c: what the output styles share: lines, colours, hunks, what is not worth showing.
 */
#include "diff.h"
#include "g_out.h"

#include <ctype.h>

bool diff_line_is_blank(const diff_line *line) {
    for (size_t i = 0; i < line->len && line->s[i] != '\n'; i++)
        if (!isspace((unsigned char)line->s[i])) return false;
    return true;
}

/* -B: without the options that ignore space only a really empty line is blank. */
static bool can_ignore(const diff_options *o, const diff_line *line) {
    size_t len = line->len - (line->len > 0 && line->s[line->len - 1] == '\n');
    if (o->ignore_blank_lines &&
        (len == 0 || (o->space >= SPACE_TRAILING && diff_line_is_blank(line))))
        return true;
    pf_range range;
    return o->ignore_lines &&
           pf_regex_search(o->ignore_lines, line->s, len, 0, 0, &range, 1) == PF_RE_OK;
}

bool diff_mark_ignorable(diff_pair *pair) {
    const diff_options *o = pair->o;
    bool any = false;
    for (size_t c = 0; c < pair->change_count; c++) {
        diff_change *change = &pair->changes[c];
        bool ignorable = o->ignore_blank_lines || o->ignore_lines;
        for (size_t i = 0; ignorable && i < change->deleted; i++)
            ignorable = can_ignore(o, &pair->side[0].lines[change->line0 + i]);
        for (size_t i = 0; ignorable && i < change->inserted; i++)
            ignorable = can_ignore(o, &pair->side[1].lines[change->line1 + i]);
        change->ignorable = ignorable;
        any |= !ignorable;
    }
    return any;
}

size_t diff_hunk_end(const diff_pair *pair, size_t first) {
    const diff_change *c = pair->changes;
    size_t last = first;
    for (; last + 1 < pair->change_count; last++) {
        int64_t gap = (int64_t)(c[last + 1].line0 - (c[last].line0 + c[last].deleted));
        if (c[last + 1].ignorable ? gap >= pair->o->context : gap > 2 * pair->o->context) break;
    }
    return last + 1;
}

static void put_expanded(const diff_options *o, const char *s, size_t len) {
    size_t column = 0;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\t') {
            size_t spaces = o->tab - column % o->tab;
            g_out_fill(' ', spaces);
            column += spaces;
            continue;
        }
        if (s[i] == '\b')
            column -= column > 0;
        else if (s[i] == '\r')
            column = 0;
        else if (((unsigned char)s[i] & 0xc0) != 0x80)
            column++;
        g_outc(s[i]);
    }
}

void diff_put_line(const diff_options *o, const char *prefix, const diff_line *line) {
    bool ended = line->len > 0 && line->s[line->len - 1] == '\n';
    size_t len = line->len - ended;
    if (prefix) {
        /* "< " and "! " end in a space, which a tab (-T) or nothing (empty lines) may replace. */
        size_t mark = strlen(prefix);
        if (o->bare_empty && len == 0)
            while (mark > 0 && prefix[mark - 1] == ' ') mark--;
        else if (o->initial_tab && mark > 1 && prefix[mark - 1] == ' ')
            mark--;
        g_out(prefix, mark);
        if (o->initial_tab && !(o->bare_empty && len == 0)) g_outc('\t');
    }
    if (o->expand_tabs)
        put_expanded(o, line->s, len);
    else
        g_out(line->s, len);
}

void diff_add_name(g_text *to, const char *name) {
    bool plain = true;
    for (const char *p = name; *p; p++)
        plain &= *p != '"' && *p != '\\' && *p != 0x7f && (unsigned char)*p > ' ';
    if (plain) {
        g_text_adds(to, name);
        return;
    }
    static const char letters[] = "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\";
    g_text_addc(to, '"');
    for (const char *p = name; *p; p++) {
        const char *known = NULL;
        for (const char *l = letters; *l && !known; l += 2)
            if (*l == *p) known = l + 1;
        if (known)
            g_text_addf(to, "\\%c", *known);
        else if ((unsigned char)*p < ' ' || *p == 0x7f)
            g_text_addf(to, "\\%03o", (unsigned char)*p);
        else
            g_text_addc(to, *p);
    }
    g_text_addc(to, '"');
}

void diff_color(const diff_options *o, const char *code) {
    if (!o->color) return;
    g_outs("\033[");
    g_outs(code);
    g_outc('m');
}

void diff_plain(const diff_options *o) {
    diff_color(o, "0");
}

bool diff_function(const diff_pair *pair, size_t at, size_t *line) {
    const diff_side *side = &pair->side[0];
    while (at-- > 0) {
        const diff_line *l = &side->lines[at];
        pf_range range;
        size_t len = l->len - (l->len > 0 && l->s[l->len - 1] == '\n');
        if (pf_regex_search(pair->o->function_lines, l->s, len, 0, 0, &range, 1) != PF_RE_OK)
            continue;
        *line = at;
        return true;
    }
    return false;
}
