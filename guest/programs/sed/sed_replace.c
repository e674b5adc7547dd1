/*
 * sed_replace.c: the commands s and y.
 */
#include "lib/utf8/utf8.h"
#include "sed.h"

#include <ctype.h>
#include <string.h>

enum { GROUPS = 10 };

/* Case changes in force: one for all that follows, one for the next character only. */
typedef struct {
    enum sed_case all, one;
} case_state;

static void add_changed(g_text *out, const char *s, size_t len, case_state *st) {
    bool utf8 = g_utf8_locale();
    for (size_t i = 0; i < len;) {
        uint32_t code = (unsigned char)s[i];
        int n = code >= 0x80 && utf8 ? pf_utf8_decode(s + i, len - i, &code) : 1;
        if (n == 0) {
            g_text_addc(out, s[i++]);
            st->one = CASE_NONE;
            continue;
        }
        bool upper = st->one == CASE_UPPER_ONE || (st->one == CASE_NONE && st->all == CASE_UPPER);
        bool lower = st->one == CASE_LOWER_ONE || (st->one == CASE_NONE && st->all == CASE_LOWER);
        if (upper) code = pf_uni_upper(code);
        if (lower) code = pf_uni_lower(code);
        st->one = CASE_NONE;
        if (upper || lower) {
            char bytes[PF_UTF8_MAX];
            int size = utf8 ? pf_utf8_encode(code, bytes) : (bytes[0] = (char)code, 1);
            g_text_add(out, bytes, (size_t)size);
        } else {
            g_text_add(out, s + i, (size_t)n);
        }
        i += (size_t)n;
    }
}

static void add_piece_text(g_text *out, const char *s, size_t len, case_state *st) {
    if (st->all == CASE_NONE && st->one == CASE_NONE)
        g_text_add(out, s, len);
    else
        add_changed(out, s, len, st);
}

static void add_replacement(const sed_command *c, const char *s, const pf_range *ranges,
                            g_text *out) {
    case_state st = {CASE_NONE, CASE_NONE};
    for (size_t i = 0; i < c->piece_count; i++) {
        const sed_piece *piece = &c->pieces[i];
        if (piece->len) add_piece_text(out, piece->text, piece->len, &st);
        if (piece->group >= 0 && ranges[piece->group].start >= 0) {
            const pf_range *r = &ranges[piece->group];
            add_piece_text(out, s + r->start, (size_t)(r->end - r->start), &st);
        }
        switch (piece->change) {
        case CASE_KEEP: break;
        case CASE_UPPER_ONE:
        case CASE_LOWER_ONE: st.one = piece->change; break;
        default: /* \u before \L is forgotten, as GNU does; \L\u does both */
            st.all = piece->change;
            st.one = CASE_NONE;
            break;
        }
    }
}

/* Length of the character at s. */
static size_t step(const char *s, size_t len) {
    uint32_t code;
    if ((unsigned char)*s < 0x80 || !g_utf8_locale()) return 1;
    int n = pf_utf8_decode(s, len, &code);
    return n > 0 ? (size_t)n : 1;
}

bool sed_replace(sed_program *p, const sed_command *c, g_text *space, g_text *spare) {
    pf_range ranges[GROUPS];
    size_t wanted = (size_t)c->max_group + 1;
    const char *s = space->s;
    size_t len = space->len, at = 0;
    uint64_t seen = 0;
    bool replaced = false;
    size_t last_end = SIZE_MAX;
    spare->len = 0;
    while (at <= len && sed_search(p, &c->regex, s, len, at, ranges, wanted)) {
        size_t start = (size_t)ranges[0].start, end = (size_t)ranges[0].end;
        g_text_add(spare, s + at, start - at);
        /* An empty match right behind a match does not count: s/b*\/x/2 on abc gives axc. */
        bool counts = start != end || start != last_end;
        if (counts) seen++;
        if (counts && seen >= (c->occurrence ? c->occurrence : 1)) {
            replaced = true;
            add_replacement(c, s, ranges, spare);
            at = end;
            if (!c->global) break;
        } else {
            g_text_add(spare, s + start, end - start);
            at = end;
        }
        last_end = end;
        if (start == end) {
            if (at >= len) {
                at = len + 1;
                break;
            }
            size_t n = step(s + at, len - at);
            g_text_add(spare, s + at, n);
            at += n;
        }
    }
    if (!replaced) return false;
    if (at < len) g_text_add(spare, s + at, len - at);
    g_text_add(spare, "", 0);
    g_text swapped = *space;
    *space = *spare;
    *spare = swapped;
    return true;
}

void sed_translate(const sed_command *c, g_text *space, g_text *spare) {
    if (!c->map) {
        for (size_t i = 0; i < space->len; i++)
            space->s[i] = (char)c->table[(unsigned char)space->s[i]];
        return;
    }
    spare->len = 0;
    for (size_t i = 0; i < space->len;) {
        uint32_t code;
        int n = pf_utf8_decode(space->s + i, space->len - i, &code);
        size_t found = 0;
        if (n <= 0) code = (unsigned char)space->s[i] | Y_BYTE;
        while (found < c->map_count && c->map[2 * found] != code) found++;
        if (found < c->map_count && c->map[2 * found + 1] & Y_BYTE) {
            g_text_addc(spare, (char)(c->map[2 * found + 1] & 0xff));
        } else if (found < c->map_count) {
            char bytes[PF_UTF8_MAX];
            int size = pf_utf8_encode(c->map[2 * found + 1], bytes);
            g_text_add(spare, bytes, (size_t)size);
        } else {
            g_text_add(spare, space->s + i, n > 0 ? (size_t)n : 1);
        }
        i += n > 0 ? (size_t)n : 1;
    }
    g_text_add(spare, "", 0);
    g_text swapped = *space;
    *space = *spare;
    *spare = swapped;
}
