/*
 * sort_key.c: where a line's keys are, and how two lines compare.
 */
#include "g_version.h"
#include "sort.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *s;
    size_t len;
} span;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

static const char *skip_fields(const sort_order *o, const char *p, const char *end, size_t fields,
                               bool past_last) {
    while (p < end && fields-- > 0) {
        if (o->tab >= 0) {
            const char *tab = memchr(p, o->tab, (size_t)(end - p));
            p = tab ? tab : end;
            if (p < end && (fields || past_last)) p++;
        } else {
            while (p < end && is_blank(*p)) p++;
            while (p < end && !is_blank(*p)) p++;
        }
    }
    return p;
}

static span key_of(const sort_order *o, const sort_key *k, const char *s, size_t len) {
    const char *end = s + len, *from = s, *to = end;
    if (!k->whole_line) {
        from = skip_fields(o, s, end, k->start_field, true);
        if (k->skip_start_blanks)
            while (from < end && is_blank(*from)) from++;
        from = k->start_char < (size_t)(end - from) ? from + k->start_char : end;
        if (k->end_field != SIZE_MAX) {
            size_t fields = k->end_field + (k->end_char == 0);
            to = skip_fields(o, s, end, fields, k->end_char != 0);
            if (k->end_char) {
                if (k->skip_end_blanks)
                    while (to < end && is_blank(*to)) to++;
                to = k->end_char < (size_t)(end - to) ? to + k->end_char : end;
            }
        }
    } else if (k->skip_start_blanks) {
        while (from < end && is_blank(*from)) from++;
    }
    if (to < from) to = from;
    return (span){from, (size_t)(to - from)};
}

/* Every byte counts, as itself. */
static bool is_plain(const sort_key *k) { return !k->dictionary && !k->printable && !k->fold; }

/* Every byte counts, as itself or in upper case. */
static bool is_direct(const sort_key *k) { return !k->dictionary && !k->printable; }

static bool counts(const sort_key *k, unsigned char c) {
    if (k->dictionary && !(isalnum(c) && c < 0x80) && c != ' ' && c != '\t') return false;
    return !(k->printable && (c < 0x20 || c >= 0x7f));
}

static unsigned char folded(const sort_key *k, unsigned char c) {
    return k->fold && c >= 'a' && c <= 'z' ? (unsigned char)(c - 32) : c;
}

static int compare_text(const sort_key *k, span a, span b) {
    if (is_direct(k) && k->fold) {
        size_t common = a.len < b.len ? a.len : b.len;
        for (size_t i = 0; i < common; i++) {
            int x = folded(k, (unsigned char)a.s[i]), y = folded(k, (unsigned char)b.s[i]);
            if (x != y) return x - y;
        }
        return (a.len > b.len) - (a.len < b.len);
    }
    if (is_plain(k)) {
        size_t common = a.len < b.len ? a.len : b.len;
        int order = common ? memcmp(a.s, b.s, common) : 0;
        return order ? order : (a.len > b.len) - (a.len < b.len);
    }
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.len && !counts(k, (unsigned char)a.s[i])) i++;
        while (j < b.len && !counts(k, (unsigned char)b.s[j])) j++;
        if (i == a.len || j == b.len) return (i < a.len) - (j < b.len);
        int x = folded(k, (unsigned char)a.s[i++]), y = folded(k, (unsigned char)b.s[j++]);
        if (x != y) return x - y;
    }
}

/* The parts of a decimal number: sign, digits before and behind the point. */
typedef struct {
    bool negative, zero;
    const char *whole, *part;
    size_t whole_len, part_len;
    char suffix;
} number;

static number read_number(span k) {
    const char *p = k.s, *end = k.s + k.len;
    number n = {0};
    while (p < end && is_blank(*p)) p++;
    if (p < end && *p == '-') {
        n.negative = true;
        p++;
    }
    while (p < end && *p == '0') p++;
    n.whole = p;
    while (p < end && isdigit((unsigned char)*p)) p++;
    n.whole_len = (size_t)(p - n.whole);
    if (p < end && *p == '.') {
        n.part = ++p;
        while (p < end && isdigit((unsigned char)*p)) p++;
        n.part_len = (size_t)(p - n.part);
        if (p < end) n.suffix = *p;
        while (n.part_len > 0 && n.part[n.part_len - 1] == '0') n.part_len--;
    } else if (p < end) {
        n.suffix = *p;
    }
    n.zero = n.whole_len == 0 && n.part_len == 0;
    if (n.zero) n.negative = false;
    return n;
}

static int compare_magnitude(const number *a, const number *b) {
    if (a->whole_len != b->whole_len) return a->whole_len < b->whole_len ? -1 : 1;
    int order = a->whole_len ? memcmp(a->whole, b->whole, a->whole_len) : 0;
    if (order) return order;
    size_t common = a->part_len < b->part_len ? a->part_len : b->part_len;
    order = common ? memcmp(a->part, b->part, common) : 0;
    return order ? order : (a->part_len > b->part_len) - (a->part_len < b->part_len);
}

static int compare_numbers(const number *a, const number *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = compare_magnitude(a, b);
    return a->negative ? -order : order;
}

static int scale_of(const number *n) {
    static const char letters[] = "KMGTPEZYRQ";
    if (n->zero || !n->suffix) return 0;
    const char *at = strchr(letters, n->suffix == 'k' ? 'K' : n->suffix);
    int scale = at ? (int)(at - letters) + 1 : 0;
    return n->negative ? -scale : scale;
}

/*
 * Scale, number of whole digits, the first 15 digits, and a last bit that says that there are more:
 * increases with the number, and is equal only for equal numbers unless that bit is set.
 */
static uint64_t rank_number(const number *n, int scale) {
    uint64_t digits = 0;
    for (size_t i = 0; i < 15; i++) {
        unsigned d = i < n->whole_len ? (unsigned)(n->whole[i] - '0')
                     : i - n->whole_len < n->part_len ? (unsigned)(n->part[i - n->whole_len] - '0') : 0;
        digits = digits * 10 + d;
    }
    uint64_t size = n->whole_len < 127 ? n->whole_len : 127;
    uint64_t more = n->whole_len + n->part_len > 15;
    if (size == 127) digits = 0; /* too long to tell here */
    uint64_t magnitude = (uint64_t)(scale < 0 ? -scale : scale) << 58 | size << 51 | digits << 1 | more;
    uint64_t middle = UINT64_C(1) << 62;
    return n->negative ? middle - magnitude : middle + magnitude;
}

/* Increases with the value; what is no number comes first, then NaN. */
static uint64_t rank_general(span k) {
    char small[64], *text = k.len < sizeof small ? small : g_alloc(k.len + 1), *end;
    memcpy(text, k.s, k.len);
    text[k.len] = '\0';
    double value = strtod(text, &end);
    uint64_t rank = 0;
    if (end != text) {
        uint64_t bits;
        if (value == 0) value = 0; /* -0 is 0 */
        memcpy(&bits, &value, sizeof bits);
        rank = isnan(value) ? 1 : bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    }
    if (text != small) free(text);
    return rank;
}

static int month_of(span k) {
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    size_t i = 0;
    while (i < k.len && is_blank(k.s[i])) i++;
    if (k.len - i < 3) return 0;
    for (int m = 0; m < 12; m++) {
        bool same = true;
        for (int j = 0; j < 3; j++) same = same && toupper((unsigned char)k.s[i + (size_t)j]) == names[3 * m + j];
        if (same) return m + 1;
    }
    return 0;
}

/* A hash that the salt of this run changes (FNV-1a, then mixed). */
static uint64_t rank_random(const sort_order *o, const sort_key *key, span k) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof o->salt; i++) hash = (hash ^ o->salt[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < k.len; i++) {
        unsigned char c = (unsigned char)k.s[i];
        if (counts(key, c)) hash = (hash ^ folded(key, c)) * UINT64_C(1099511628211);
    }
    hash ^= hash >> 33;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 33;
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

/* Eight bytes with their ASCII letters in upper case. */
static uint64_t fold_word(uint64_t w) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t low = w & ~highs; /* no sum below reaches the next byte */
    uint64_t letters = (low + ones * (0x80 - 'a')) & ~(low + ones * (0x7f - 'z')) & ~w & highs;
    return w ^ letters >> 2;
}

/* Seven bytes, and the length as far as eight: with less than that the rank says all. */
static uint64_t rank_text(const sort_key *key, span k) {
    uint64_t rank = 0;
    if (is_direct(key)) {
        if (k.len >= 8) {
            memcpy(&rank, k.s, 8);
            if (key->fold) rank = fold_word(rank);
            return (__builtin_bswap64(rank) & ~UINT64_C(0xff)) | 8;
        }
        for (size_t i = 0; i < k.len; i++)
            rank |= (uint64_t)folded(key, (unsigned char)k.s[i]) << (56 - 8 * i);
        return rank | k.len;
    }
    unsigned taken = 0;
    for (size_t i = 0; i < k.len && taken < 8; i++) {
        unsigned char c = (unsigned char)k.s[i];
        if (!counts(key, c)) continue;
        if (taken++ < 7) rank |= (uint64_t)folded(key, c) << (8 * (8 - taken));
    }
    return rank | taken;
}

static uint64_t rank_key(const sort_order *o, const sort_key *key, span k) {
    switch (key->kind) {
    case SORT_TEXT: return rank_text(key, k);
    case SORT_NUMERIC: case SORT_HUMAN: {
        number n = read_number(k);
        return rank_number(&n, key->kind == SORT_HUMAN ? scale_of(&n) : 0);
    }
    case SORT_GENERAL: return rank_general(k);
    case SORT_MONTH: return (uint64_t)month_of(k);
    case SORT_RANDOM: return rank_random(o, key, k);
    case SORT_VERSION: return 0;
    }
    return 0;
}

bool sort_rank_has_parts(const sort_order *o, size_t index) {
    return o->keys[index].kind == SORT_TEXT && is_direct(&o->keys[index]);
}

uint64_t sort_rank(const sort_order *o, size_t index, size_t part, const char *s, size_t len) {
    const sort_key *key = &o->keys[index];
    span k = key_of(o, key, s, len);
    if (part > 0) {
        size_t skipped = part * 7 < k.len ? part * 7 : k.len;
        k = (span){k.s + skipped, k.len - skipped};
    }
    uint64_t rank = rank_key(o, key, k);
    return key->reverse ? ~rank : rank;
}

bool sort_rank_says_all(const sort_order *o, size_t index, uint64_t rank) {
    const sort_key *key = &o->keys[index];
    if (key->reverse) rank = ~rank;
    switch (key->kind) {
    case SORT_TEXT: return (rank & 0xff) < 8;
    case SORT_NUMERIC: case SORT_HUMAN: return !(rank & 1);
    case SORT_GENERAL: case SORT_MONTH: return true;
    case SORT_VERSION: case SORT_RANDOM: return false;
    }
    return false;
}

static int compare_key(const sort_order *o, const sort_key *key, span a, span b) {
    switch (key->kind) {
    case SORT_TEXT: return compare_text(key, a, b);
    case SORT_NUMERIC: case SORT_HUMAN: {
        number x = read_number(a), y = read_number(b);
        int scale = key->kind == SORT_HUMAN ? scale_of(&x) - scale_of(&y) : 0;
        return scale ? scale : compare_numbers(&x, &y);
    }
    case SORT_VERSION: return g_version_compare(a.s, a.len, b.s, b.len);
    case SORT_GENERAL: case SORT_MONTH: case SORT_RANDOM: {
        uint64_t x = rank_key(o, key, a), y = rank_key(o, key, b);
        if (x == y && key->kind == SORT_RANDOM) return compare_text(key, a, b);
        return (x > y) - (x < y);
    }
    }
    return 0;
}

void sort_key_range(const sort_order *o, const sort_key *key, const sort_line *line,
                    const char **from, const char **to) {
    span k = key_of(o, key, line->s, line->len);
    *from = k.s;
    *to = k.s + k.len;
}

int sort_compare_key(const sort_order *o, size_t index, const sort_line *a, const sort_line *b) {
    const sort_key *key = &o->keys[index];
    int order = compare_key(o, key, key_of(o, key, a->s, a->len), key_of(o, key, b->s, b->len));
    return key->reverse ? -order : order;
}

int sort_compare(const sort_order *o, const sort_line *a, const sort_line *b) {
    for (size_t i = 0; i < o->key_count; i++) {
        int order = sort_compare_key(o, i, a, b);
        if (order) return order;
    }
    return 0;
}

bool sort_same(const sort_order *o, const sort_line *a, const sort_line *b) {
    const sort_key *key = &o->keys[0];
    bool whole = o->key_count == 1 && key->kind == SORT_TEXT && key->whole_line && is_plain(key);
    if (!whole || key->skip_start_blanks) return sort_compare(o, a, b) == 0;
    return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}
