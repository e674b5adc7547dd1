/*
 * call_regex.c: match, split, patsplit, sub, gsub, gensub.
 */
#include "code.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <stdlib.h>

static size_t char_length(const char *s, size_t len) {
    uint32_t code;
    int n = awk.bytes || (unsigned char)*s < 0x80 ? 1 : pf_utf8_decode(s, len, &code);
    return n > 0 ? (size_t)n : 1;
}

static void set_number(enum special which, double n) {
    value_assign(&awk.globals[which], value_number(n));
}

static void set_group_number(awk_array *array, size_t group, const char *what, double n) {
    g_text name = {0};
    g_text_addf(&name, "%u", (unsigned)group);
    g_text_add(&name, awk.subsep->s, awk.subsep->len);
    g_text_adds(&name, what);
    value_assign(array_at_text(array, name.s, name.len), value_number(n));
    g_text_free(&name);
}

static value match(value *args, int count) {
    awk_text *text = value_to_text(&args[0], awk.convfmt);
    awk_regex *re = regex_of(&args[1]);
    range groups[RANGES_MAX];
    size_t wanted = 1;
    if (count > 2) {
        wanted = regex_groups(re) + 1;
        if (wanted > RANGES_MAX) wanted = RANGES_MAX;
        array_clear(args[2].array);
    }
    double start = 0, length = -1;
    if (regex_search(re, text->s, text->len, 0, false, groups, wanted)) {
        start = (double)text_index(text, (size_t)groups[0].start) + 1;
        length = (double)text_index(text, (size_t)groups[0].end) + 1 - start;
        for (size_t i = 0; count > 2 && i < wanted; i++) {
            if (groups[i].start < 0) continue;
            size_t from = (size_t)groups[i].start, to = (size_t)groups[i].end;
            double index = (double)text_index(text, from);
            value_assign(array_at_int(args[2].array, (int32_t)i),
                         value_input(text_of(text->s + from, to - from)));
            set_group_number(args[2].array, i, "start", index + 1);
            set_group_number(args[2].array, i, "length", (double)text_index(text, to) - index);
        }
    }
    set_number(V_RSTART, start);
    set_number(V_RLENGTH, length);
    text_drop(text);
    return value_number(start);
}

static void put_part(awk_array *array, size_t index, const char *s, size_t from, size_t to) {
    value_assign(array_at_int(array, (int32_t)index), value_input(text_of(s + from, to - from)));
}

static value split(value *args, int count, bool by_pattern) {
    awk_text *text = value_to_text(&args[0], awk.convfmt);
    awk_array *out = args[1].array, *separators = count > 3 ? args[3].array : NULL;
    splitter sp = {0};
    if (separators == out) awk_fatal("split: cannot use the same array for second and fourth args");
    if (by_pattern) {
        value *pattern = count > 2 ? &args[2] : &awk.globals[V_FPAT];
        sp.kind = SPLIT_FPAT;
        sp.regex = regex_of(pattern);
    } else {
        split_by(&sp, count > 2 ? &args[2] : &awk.globals[V_FS], false);
    }
    array_clear(out);
    if (separators) array_clear(separators);
    split_state state = {0};
    range field, separator;
    size_t n = 0, end = 0;
    while (split_next(&sp, text->s, text->len, &state, &field, &separator)) {
        n++;
        put_part(out, n, text->s, (size_t)field.start, (size_t)field.end);
        end = (size_t)field.end;
        if (!separators) continue;
        /* Blanks in front of the first field are separator 0; FPAT tells the one in front. */
        if (by_pattern)
            put_part(separators, n - 1, text->s, (size_t)separator.start, (size_t)separator.end);
        else if (n == 1 && sp.kind == SPLIT_BLANKS && field.start > 0)
            put_part(separators, 0, text->s, 0, (size_t)field.start);
        bool last = (size_t)separator.end == text->len && separator.start == separator.end;
        if (!by_pattern && !last)
            put_part(separators, n, text->s, (size_t)separator.start, (size_t)separator.end);
    }
    if (by_pattern && separators && n > 0 && end < text->len)
        put_part(separators, n, text->s, end, text->len);
    text_drop(text);
    return value_number((double)n);
}

/* Replacement text: & is what matched, \& itself. */
static void put_replacement(g_text *out, const awk_text *by, const char *s, range match) {
    for (size_t i = 0; i < by->len; i++) {
        char c = by->s[i];
        const char *rest = by->s + i;
        size_t left = by->len - i;
        if (c == '&') {
            g_text_add(out, s + match.start, (size_t)(match.end - match.start));
        } else if (left >= 4 && memcmp(rest, "\\\\\\&", 4) == 0) {
            g_text_add(out, "\\&", 2);
            i += 3;
        } else if (left >= 3 && memcmp(rest, "\\\\&", 3) == 0) {
            g_text_addc(out, '\\');
            g_text_add(out, s + match.start, (size_t)(match.end - match.start));
            i += 2;
        } else if (left >= 2 && memcmp(rest, "\\&", 2) == 0) {
            g_text_addc(out, '&');
            i++;
        } else {
            g_text_addc(out, c);
        }
    }
}

/* gensub's: also \0 to \9; any other character behind a backslash is itself. */
static void put_gensub(g_text *out, const awk_text *by, const char *s, const range *groups,
                       size_t count) {
    for (size_t i = 0; i < by->len; i++) {
        char c = by->s[i];
        if (c == '&') {
            g_text_add(out, s + groups[0].start, (size_t)(groups[0].end - groups[0].start));
        } else if (c == '\\' && i + 1 < by->len) {
            c = by->s[++i];
            size_t group = (size_t)(c - '0');
            if (c < '0' || c > '9')
                g_text_addc(out, c);
            else if (group < count && groups[group].start >= 0)
                g_text_add(out, s + groups[group].start,
                           (size_t)(groups[group].end - groups[group].start));
        } else {
            g_text_addc(out, c);
        }
    }
}

/* All matches, or the one number `which` (from 1): every way to replace. */
static int64_t replace(awk_regex *re, const awk_text *by, bool is_gensub, int64_t which,
                       awk_text *text, awk_text **out) {
    range groups[10];
    g_text result = {0};
    size_t wanted = 1, at = 0, last_end = SIZE_MAX;
    int64_t found = 0, replaced = 0;
    bool plain = !memchr(by->s, '&', by->len) && !memchr(by->s, '\\', by->len);
    if (is_gensub) {
        wanted = regex_groups(re) + 1;
        if (wanted > 10) wanted = 10;
    }
    while (at <= text->len && regex_search(re, text->s, text->len, at, false, groups, wanted)) {
        size_t start = (size_t)groups[0].start, end = (size_t)groups[0].end;
        bool empty = start == end;
        g_text_add(&result, text->s + at, start - at);
        /* An empty match right behind another does not count for g, but for a number. */
        if (!(empty && start == last_end) || (is_gensub && which > 0)) {
            found++;
            if (which == 0 || found == which) {
                replaced++;
                if (plain)
                    g_text_add(&result, by->s, by->len);
                else if (is_gensub)
                    put_gensub(&result, by, text->s, groups, wanted);
                else
                    put_replacement(&result, by, text->s, groups[0]);
            } else {
                g_text_add(&result, text->s + start, end - start);
            }
        }
        last_end = at = end;
        if (which > 0 && found >= which) break;
        if (empty) {
            if (at >= text->len) {
                at++;
                break;
            }
            size_t n = char_length(text->s + at, text->len - at);
            g_text_add(&result, text->s + at, n);
            at += n;
        }
        if ((found & 1023) == 0) pf_yield();
    }
    if (replaced > 0) {
        if (at < text->len) g_text_add(&result, text->s + at, text->len - at);
        *out = text_of(result.s ? result.s : "", result.len);
    }
    g_text_free(&result);
    return replaced;
}

int64_t substitute(bool all, value *regex, value *replacement, value *target, awk_text **out) {
    awk_text *text = value_to_text(target, awk.convfmt);
    awk_regex *re = regex_of(regex);
    int64_t count = 0;
    if (regex_test(re, text->s, text->len)) {
        awk_text *by = value_to_text(replacement, awk.convfmt);
        count = replace(re, by, false, all ? 0 : 1, text, out);
        text_drop(by);
    }
    text_drop(text);
    return count;
}

static value gensub(value *args, int count) {
    awk_text *text = value_to_text(count > 3 ? &args[3] : record_field(0), awk.convfmt), *out;
    awk_text *by = value_to_text(&args[1], awk.convfmt);
    value_settle(&args[2]);
    int64_t which = 1;
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *how = value_bytes(&args[2], awk.convfmt, room, &len);
    if (len > 0 && (how[0] == 'g' || how[0] == 'G')) {
        which = 0;
    } else {
        double n = trunc(value_to_number(&args[2]));
        if (n < 1)
            awk_warn("gensub: third argument `%.*s' treated as 1", (int)len, how);
        else
            which = n < 1e15 ? (int64_t)n : (int64_t)1e15;
    }
    bool changed = replace(regex_of(&args[0]), by, true, which, text, &out) > 0;
    text_drop(by);
    if (!changed) return value_text(text);
    text_drop(text);
    return value_text(out);
}

value call_regex(enum builtin which, value *args, int count) {
    switch (which) {
    case BUILTIN_MATCH: return match(args, count);
    case BUILTIN_SPLIT: return split(args, count, false);
    case BUILTIN_PATSPLIT: return split(args, count, true);
    default: return gensub(args, count);
    }
}
