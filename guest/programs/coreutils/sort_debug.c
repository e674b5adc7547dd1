/*
 * sort_debug.c: sort --debug: what is odd about the keys, and lines with their keys underlined.
 */
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_number(const sort_key *k) {
    return k->kind == SORT_NUMERIC || k->kind == SORT_GENERAL || k->kind == SORT_HUMAN;
}

/* Where the part of a key ends that its kind looks at; `from` is behind the blanks. */
static const char *significant_end(const sort_key *k, const char *from, const char *end) {
    if (k->kind == SORT_MONTH) {
        static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
        for (int m = 0; end - from >= 3 && m < 12; m++)
            if (strncasecmp(from, names + (ptrdiff_t)3 * m, 3) == 0) return from + 3;
        return from;
    }
    if (k->kind == SORT_GENERAL) {
        char *copy = g_copy_bytes(from, (size_t)(end - from)), *stop;
        strtod(copy, &stop);
        const char *found = from + (stop - copy);
        free(copy);
        return found;
    }
    const char *p = from + (from < end && *from == '-');
    bool digits = false;
    for (; p < end && isdigit((unsigned char)*p); p++) digits = true;
    if (p < end && *p == '.')
        for (p++; p < end && isdigit((unsigned char)*p); p++) digits = true;
    if (!digits) return from;
    if (k->kind == SORT_HUMAN && p < end && *p && strchr("KMGTPEZYRQk", *p)) p++;
    return p;
}

/* Columns of a text in which a tab is shown as one character. */
static size_t width_of(const char *from, const char *to) {
    size_t width = g_text_width(from, (size_t)(to - from));
    for (const char *p = from; p < to; p++) width += *p == '\t';
    return width;
}

static void mark(const sort_key *k, const sort_order *o, const sort_line *line) {
    const char *from, *to;
    sort_key_range(o, k, line, &from, &to);
    if (k->kind == SORT_MONTH || is_number(k)) {
        /* Blanks are skipped beyond the key, too. */
        while (from < line->s + line->len && is_blank(*from)) from++;
        to = from < to ? significant_end(k, from, to) : from;
    }
    g_out_fill(' ', width_of(line->s, from));
    size_t width = width_of(from, to);
    if (width)
        g_out_fill('_', width);
    else
        g_outs("^ no match for key");
    g_outc('\n');
}

void sort_put_marked(const sort_order *o, const sort_line *line) {
    for (size_t i = 0; i < line->len; i++) g_outc(line->s[i] == '\t' ? '>' : line->s[i]);
    g_outc('\n');
    for (size_t i = 0; i < o->key_count; i++) mark(&o->keys[i], o, line);
}

/* The letters of the options that are set in a key. */
static size_t letters_of(const sort_key *k, char letters[16]) {
    size_t n = 0;
    if (k->skip_start_blanks || k->skip_end_blanks) letters[n++] = 'b';
    if (k->dictionary) letters[n++] = 'd';
    if (k->fold) letters[n++] = 'f';
    if (k->kind == SORT_GENERAL) letters[n++] = 'g';
    if (k->kind == SORT_HUMAN) letters[n++] = 'h';
    if (k->printable) letters[n++] = 'i';
    if (k->kind == SORT_MONTH) letters[n++] = 'M';
    if (k->kind == SORT_NUMERIC) letters[n++] = 'n';
    if (k->kind == SORT_RANDOM) letters[n++] = 'R';
    if (k->reverse) letters[n++] = 'r';
    if (k->kind == SORT_VERSION) letters[n++] = 'V';
    letters[n] = '\0';
    return n;
}

static void tell_obsolescent(const sort_key *k) {
    g_text old = {0}, new = {0};
    g_text_addf(&old, "+%zu", k->start_field);
    g_text_addf(&new, "-k %zu", k->start_field + 1);
    if (k->end_field != SIZE_MAX) {
        g_text_addf(&old, " -%zu", k->end_field + 1);
        g_text_addf(&new, ",%zu", k->end_field + 1);
    }
    g_warn("obsolescent key %s used; consider %s instead", g_quote(old.s), g_quote(new.s));
    g_text_free(&old);
    g_text_free(&new);
}

static void tell_about_key(const sort_order *o, const sort_key *k, size_t number, bool global) {
    if (k->obsolescent) tell_obsolescent(k);
    bool from_start = k->start_field == 0 && k->start_char == 0;
    bool no_width = !from_start && k->end_field != SIZE_MAX && k->end_field < k->start_field;
    if (no_width) g_warn("key %zu has zero width and will be ignored", number);
    if (global) return;
    bool implied = is_number(k) || k->kind == SORT_MONTH;
    bool in_first = k->end_field == 0 && k->end_char != 0;
    if (!no_width && o->tab < 0 && !in_first &&
        ((!k->skip_start_blanks && (!implied || k->start_char)) ||
         (!k->skip_end_blanks && k->end_char)))
        g_warn("leading blanks are significant in key %zu; consider also specifying 'b'", number);
    if (!is_number(k)) return;
    size_t first = from_start ? 1 : k->start_field + 1;
    if (k->end_field == SIZE_MAX || first < k->end_field + 1)
        g_warn("key %zu is numeric and spans multiple fields", number);
}

/* A separator that numbers have, too, where one of them may go beyond its field. */
static void tell_about_tab(const sort_order *o, bool spans, bool general_spans) {
    if (!spans || o->tab < 0) return;
    char tab[2] = {(char)o->tab, '\0'};
    const char *as = o->tab == '.'                    ? "decimal point"
                     : o->tab == '-'                  ? "minus sign"
                     : o->tab == '+' && general_spans ? "plus sign"
                                                      : NULL;
    if (as) g_warn("field separator %s is treated as a %s in numbers", g_quote(tab), as);
}

void sort_tell_keys(const sort_order *o, const sort_key *global, size_t given) {
    if (g_utf8_locale())
        g_warn("text ordering performed using %s sorting rules", g_quote("C.UTF-8"));
    else
        g_warn("text ordering performed using simple byte comparison");
    sort_key unused = *global;
    bool only_global = given == 0, numbers = false, spans = false, general_spans = false;
    char letters[16];
    if (only_global && letters_of(global, letters) == global->reverse) return;
    for (size_t i = 0; i < (only_global ? 1 : given); i++) {
        const sort_key *k = &o->keys[i];
        tell_about_key(o, k, i + 1, only_global);
        numbers = numbers || is_number(k);
        bool wide = !only_global && is_number(k) &&
                    (k->end_field == SIZE_MAX || k->start_field < k->end_field);
        spans = spans || wide;
        general_spans = general_spans || (wide && k->kind == SORT_GENERAL);
        if (unused.dictionary == k->dictionary) unused.dictionary = false;
        if (unused.printable == k->printable) unused.printable = false;
        if (unused.fold == k->fold) unused.fold = false;
        if (k->skip_start_blanks) unused.skip_start_blanks = false;
        if (k->skip_end_blanks) unused.skip_end_blanks = false;
        if (unused.kind == k->kind) unused.kind = SORT_TEXT;
        if (k->reverse) unused.reverse = false;
    }
    tell_about_tab(o, spans, general_spans);
    if (numbers && !(spans && o->tab == '.'))
        g_warn("%snumbers use %s as a decimal point in this locale", o->tab == '.' ? "" : "note ",
               g_quote("."));
    bool last_resort = !o->stable && !o->unique, reverse = unused.reverse;
    if (last_resort) unused.reverse = false;
    size_t n = letters_of(&unused, letters);
    if (n) g_warn(n > 1 ? "options '-%s' are ignored" : "option '-%s' is ignored", letters);
    if (reverse && last_resort) g_warn("option '-r' only applies to last-resort comparison");
}
