/*
 * lib/regex/literal.c: the text that every match begins with, so that a search can skip to it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

/* Bytes kept of a prefix, and of a pattern that is nothing but text. */
#define PREFIX_MAX 32u
#define WHOLE_MAX  4096u

static bool append(pf_regex *re, uint32_t symbol, bool folds) {
    struct re_literal *literal = &re->literal;
    char bytes[PF_UTF8_MAX];
    int n = 1;
    bytes[0] = (char)symbol;
    if (re->utf8 && symbol <= PF_UNI_MAX) n = pf_utf8_encode(symbol, bytes);
    if (symbol > PF_UNI_MAX) {
        /* A lone byte could be found inside another character: it cannot be searched for. */
        literal->whole = false;
        if (literal->len == 0) return false;
        bytes[0] = (char)(symbol - RE_INVALID_BYTE(0));
    }
    uint32_t cap = (uint32_t)literal->cap;
    bool letter = n == 1 && ((bytes[0] | 32) >= 'a' && (bytes[0] | 32) <= 'z');
    if (letter && literal->letters && folds != literal->folds) return false;
    if (n == 0 || literal->len + (size_t)n > WHOLE_MAX ||
        !re_grow(re, &literal->bytes, &cap, (uint32_t)literal->len + PF_UTF8_MAX, 1))
        return false;
    literal->cap = cap;
    memcpy(literal->bytes + literal->len, bytes, (size_t)n);
    literal->letters = literal->letters || letter;
    literal->folds = literal->folds || folds;
    literal->len += (size_t)n;
    return true;
}

/* Whether the set is an ASCII letter in both cases: the capital is first. */
static bool is_letter(const struct re_set *set) {
    uint32_t capital = set->ranges[0].first;
    return set->count == 2 && capital >= 'A' && capital <= 'Z' && set->ranges[0].last == capital &&
           set->ranges[1].first == capital + 32 && set->ranges[1].last == capital + 32;
}

/* Appends what the node certainly begins with; true when that is all of it. */
static bool collect(pf_regex *re, uint32_t index) {
    const struct re_node *node = &re->nodes[index];
    switch (node->kind) {
    case RE_NODE_EMPTY: return true;
    case RE_NODE_SET: {
        const struct re_set *set = &re->sets[node->a];
        if (set->count > 0 && is_letter(set)) return append(re, set->ranges[1].first, true);
        if (set->count != 1 || set->ranges[0].first != set->ranges[0].last) return false;
        return append(re, set->ranges[0].first, false);
    }
    case RE_NODE_ASSERT: re->literal.whole = false; return true;
    case RE_NODE_GROUP: re->literal.whole = false; return collect(re, node->first);
    case RE_NODE_CAT:
        for (uint32_t child = node->first; child != RE_NONE; child = re->nodes[child].next)
            if (!collect(re, child)) return false;
        return true;
    case RE_NODE_REPEAT: {
        size_t before = re->literal.len;
        for (uint32_t i = 0; i < node->a; i++) {
            if (!collect(re, node->first)) return false;
            if (re->literal.len == before) break;
        }
        return node->a == node->b;
    }
    default: return false;
    }
}

/* How common a byte is in text and code: the rarest one is the one to look for. */
static int commonness(unsigned char byte) {
    static const char order[] =
        "\"';:=_-/.,zjqx9876543210KVBYWGPFMUCDLHRSNIOATEkvbywgpfmucdlhrsnioate\t\n ";
    const char *found = byte == 0 ? NULL : strchr(order, byte);
    return found == NULL ? (byte == 0 ? 60 : 0) : (int)(found - order) + 1;
}

/* Without regard to case all letters of the literal are lower case, and what is compared with them
 * gets this bit; a literal that mixes both kinds of letters is cut off where they meet. */
static unsigned char bit_of(const struct re_literal *literal, size_t i) {
    unsigned char byte = (unsigned char)literal->bytes[i];
    return literal->folds && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
}

int re_literal_make(pf_regex *re) {
    struct re_literal *literal = &re->literal;
    literal->whole = true;
    bool all = collect(re, re->root);
    literal->whole = literal->whole && all && literal->len > 0;
    if (literal->folds && literal->len > PREFIX_MAX) literal->whole = false;
    if (!literal->whole && literal->len > PREFIX_MAX) literal->len = PREFIX_MAX;
    if (literal->folds && literal->len < 2) { /* it is everywhere, and the automaton is faster */
        literal->whole = false;
        literal->len = 0;
    }
    if (literal->len == 0) return PF_RE_OK;
    for (size_t i = 1; i < literal->len; i++)
        if (commonness((unsigned char)literal->bytes[i]) <
            commonness((unsigned char)literal->bytes[literal->rare]))
            literal->rare = i;
    literal->second = literal->rare > 0 ? literal->rare - 1 : literal->len - 1;
    for (size_t i = 0; i < literal->len; i++) {
        unsigned char byte = (unsigned char)literal->bytes[i];
        if (byte != (unsigned char)literal->bytes[literal->rare] &&
            commonness(byte) < commonness((unsigned char)literal->bytes[literal->second]))
            literal->second = i;
    }
    return PF_RE_OK;
}

bool re_literal_at(const struct re_literal *literal, const char *p) {
    if (!literal->folds) return memcmp(p, literal->bytes, literal->len) == 0;
    for (size_t i = 0; i < literal->len; i++)
        if ((p[i] | bit_of(literal, i)) != literal->bytes[i]) return false;
    return true;
}

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t load(const char *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* The first p .. last at which both bytes that are looked for may stand in their places, eight
 * places at a time; NULL: nowhere. */
static const char *find_two(const struct re_literal *literal, const char *p, const char *last) {
    size_t one = literal->rare, two = literal->second;
    uint64_t bits1 = ONES * bit_of(literal, one), bits2 = ONES * bit_of(literal, two);
    uint64_t byte1 = ONES * (unsigned char)literal->bytes[one];
    uint64_t byte2 = ONES * (unsigned char)literal->bytes[two];
    for (; last - p >= 7; p += 8) {
        uint64_t w = ((load(p + one) | bits1) ^ byte1) | ((load(p + two) | bits2) ^ byte2);
        uint64_t found = (w - ONES) & ~w & HIGHS;
        if (found) return p + (__builtin_ctzll(found) >> 3);
    }
    for (; p <= last; p++) {
        unsigned char x = (unsigned char)p[one] | (unsigned char)bits1;
        unsigned char y = (unsigned char)p[two] | (unsigned char)bits2;
        if (x == (unsigned char)byte1 && y == (unsigned char)byte2) return p;
    }
    return NULL;
}

static size_t find_folded(const struct re_literal *literal, const char *text, size_t len,
                          size_t from) {
    const char *p = text + from, *last = text + len - literal->len;
    for (; p <= last && (p = find_two(literal, p, last)); p++)
        if (re_literal_at(literal, p)) return (size_t)(p - text);
    return len;
}

size_t re_literal_find(const struct re_literal *literal, const char *text, size_t len,
                       size_t from) {
    size_t n = literal->len, rare = literal->rare, failed = 0;
    if (len - from < n) return len;
    if (literal->folds) return find_folded(literal, text, len, from);
    const char *p = text + from, *last = text + len - n;
    while (p <= last) {
        const char *hit = memchr(p + rare, literal->bytes[rare], (size_t)(last - p) + 1);
        if (hit == NULL) return len;
        p = hit - rare;
        if (p[literal->second] == literal->bytes[literal->second] && re_literal_at(literal, p))
            return (size_t)(p - text);
        p++;
        /* The rare byte is common here, or the text nearly repeats the literal. */
        if (++failed * 16 > (size_t)(p - text) - from + 256) {
            hit = memmem(p, (size_t)(last - p) + n, literal->bytes, n);
            return hit == NULL ? len : (size_t)(hit - text);
        }
    }
    return len;
}
