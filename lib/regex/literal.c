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

static bool append(pf_regex *re, uint32_t symbol) {
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
    if (n == 0 || literal->len + (size_t)n > WHOLE_MAX ||
        !re_grow(re, &literal->bytes, &cap, (uint32_t)literal->len + PF_UTF8_MAX, 1))
        return false;
    literal->cap = cap;
    memcpy(literal->bytes + literal->len, bytes, (size_t)n);
    literal->len += (size_t)n;
    return true;
}

/* Appends what the node certainly begins with; true when that is all of it. */
static bool collect(pf_regex *re, uint32_t index) {
    const struct re_node *node = &re->nodes[index];
    switch (node->kind) {
    case RE_NODE_EMPTY: return true;
    case RE_NODE_SET: {
        const struct re_set *set = &re->sets[node->a];
        if (set->count != 1 || set->ranges[0].first != set->ranges[0].last) return false;
        return append(re, set->ranges[0].first);
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

int re_literal_make(pf_regex *re) {
    struct re_literal *literal = &re->literal;
    literal->whole = true;
    bool all = collect(re, re->root);
    literal->whole = literal->whole && all && literal->len > 0;
    if (!literal->whole && literal->len > PREFIX_MAX) literal->len = PREFIX_MAX;
    for (size_t i = 1; i < literal->len; i++)
        if (commonness((unsigned char)literal->bytes[i]) <
            commonness((unsigned char)literal->bytes[literal->rare]))
            literal->rare = i;
    return PF_RE_OK;
}

size_t re_literal_find(const struct re_literal *literal, const char *text, size_t len,
                       size_t from) {
    size_t n = literal->len, rare = literal->rare, failed = 0;
    if (len - from < n) return len;
    const char *p = text + from, *last = text + len - n;
    while (p <= last) {
        const char *hit = memchr(p + rare, literal->bytes[rare], (size_t)(last - p) + 1);
        if (hit == NULL) return len;
        p = hit - rare;
        if (memcmp(p, literal->bytes, n) == 0) return (size_t)(p - text);
        p++;
        /* The rare byte is common here, or the text nearly repeats the literal. */
        if (++failed * 16 > (size_t)(p - text) - from + 256) {
            hit = memmem(p, (size_t)(last - p) + n, literal->bytes, n);
            return hit == NULL ? len : (size_t)(hit - text);
        }
    }
    return len;
}
