/*
 * grep_words.c: a trie of the patterns whose nodes know where to go on when a byte leads nowhere.
 *
 * The edges are in one hash table of (node, byte), for a table with a column for each byte would
 * be too large. Without regard to case the trie and the text are folded to lower case, as far as
 * ASCII goes; the two characters beyond that fold to an ASCII letter are found as patterns of their
 * own, and what they are in is left to the regex.
 */
#include "grep_words.h"
#include "lib/utf8/utf8.h"
#include "pf.h"

#include <stdlib.h>
#include <string.h>

/* Fewer bytes of patterns are fast as a regex, too. */
enum { BYTES_MIN = 1024, YIELD_BYTES = 16384 };

typedef struct {
    uint32_t fail;    /* the node of the longest proper suffix */
    uint32_t depth;   /* bytes from the root */
    uint32_t longest; /* bytes of the longest pattern that ends here, 0: none */
    bool unsure;
} node;

typedef struct {
    uint32_t from, to; /* to 0: no edge */
    unsigned char byte;
} edge;

struct grep_words {
    node *nodes;
    uint32_t count;
    edge *edges;
    uint32_t mask;
    uint32_t root[256]; /* the edges of the root, which has all */
    unsigned char fold[256];
    bool folds; /* to ASCII letters, from beyond ASCII too */
};

static edge *find_edge(const grep_words *w, uint32_t from, unsigned char byte) {
    uint32_t at = (from * 0x9e3779b1u ^ byte * 0x85ebca6bu);
    at ^= at >> 15;
    for (at &= w->mask; w->edges[at].to; at = (at + 1) & w->mask)
        if (w->edges[at].from == from && w->edges[at].byte == byte) break;
    return &w->edges[at];
}

static void insert(grep_words *w, const char *s, size_t len, bool unsure) {
    uint32_t at = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = w->fold[(unsigned char)s[i]];
        edge *e = find_edge(w, at, byte);
        if (!e->to) {
            *e = (edge){at, w->count, byte};
            w->nodes[w->count] = (node){.depth = (uint32_t)i + 1};
            w->count++;
        }
        at = e->to;
    }
    w->nodes[at].longest = (uint32_t)len;
    w->nodes[at].unsure = unsure;
}

static uint32_t follow(const grep_words *w, uint32_t at, unsigned char byte) {
    for (; at; at = w->nodes[at].fail) {
        uint32_t to = find_edge(w, at, byte)->to;
        if (to) return to;
    }
    return w->root[byte];
}

/*
 * Nodes in the order of their depth: a failed match goes on at a shallower one. The edges are
 * sorted into that order by counting.
 */
static void link_nodes(grep_words *w, uint32_t deepest) {
    uint32_t *begin = g_zalloc((deepest + 2) * sizeof *begin);
    edge *sorted = g_resize(NULL, w->count, sizeof *sorted);
    for (uint32_t i = 0; i <= w->mask; i++)
        if (w->edges[i].to) begin[w->nodes[w->edges[i].to].depth + 1]++;
    for (uint32_t i = 1; i <= deepest + 1; i++) begin[i] += begin[i - 1];
    for (uint32_t i = 0; i <= w->mask; i++)
        if (w->edges[i].to) sorted[begin[w->nodes[w->edges[i].to].depth]++] = w->edges[i];
    for (uint32_t i = 0; i + 1 < w->count; i++) {
        const edge *e = &sorted[i];
        node *n = &w->nodes[e->to];
        if (e->from == 0)
            w->root[e->byte] = e->to;
        else
            n->fail = follow(w, w->nodes[e->from].fail, e->byte);
        const node *suffix = &w->nodes[n->fail];
        if (!n->longest) n->longest = suffix->longest;
        n->unsure = n->unsure || suffix->unsure;
    }
    free(begin);
    free(sorted);
}

/* Whether all patterns are plain text that is found byte by byte. */
static bool suits(const grep_options *o, bool utf8) {
    const char *s = o->patterns.s;
    size_t len = o->patterns.len;
    if (o->perl || len < BYTES_MIN || len > UINT32_MAX / 4) return false;
    if (s[0] == '\n' || s[len - 1] == '\n' || memmem(s, len, "\n\n", 2)) return false;
    if (utf8 && pf_utf8_valid_len(s, len) < len) return false;
    for (size_t i = 0; i < len; i++) {
        if (!s[i]) return false;
        if (!o->fixed && strchr("\\.[*^$+?{}()|", s[i])) return false;
        if (o->ignore_case && (unsigned char)s[i] >= 0x80) return false;
    }
    return true;
}

grep_words *grep_words_new(const grep_options *o, bool utf8) {
    if (!o->any_pattern || !suits(o, utf8)) return NULL;
    grep_words *w = g_zalloc(sizeof *w);
    for (int c = 0; c < 256; c++)
        w->fold[c] = (unsigned char)(o->ignore_case && c >= 'A' && c <= 'Z' ? c + 32 : c);
    /* Not more nodes than bytes, and the root; the table is at most half full. */
    size_t most = o->patterns.len + 8, size = 1024;
    while (size < 2 * most) size *= 2;
    w->nodes = g_resize(NULL, most, sizeof *w->nodes);
    w->edges = g_zalloc(size * sizeof *w->edges);
    w->mask = (uint32_t)size - 1;
    w->nodes[0] = (node){0};
    w->count = 1;
    size_t deepest = 3;
    const char *end = o->patterns.s + o->patterns.len;
    for (const char *s = o->patterns.s; s < end;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        size_t len = (size_t)((stop ? stop : end) - s);
        insert(w, s, len, false);
        if (len > deepest) deepest = len;
        s += len + 1;
    }
    w->folds = o->ignore_case && utf8;
    if (w->folds) {
        insert(w, "\u212a", 3, true); /* the sign of the kelvin is a K */
        insert(w, "\u017f", 2, true); /* the long s is an s */
    }
    link_nodes(w, (uint32_t)deepest);
    return w;
}

enum grep_words_result grep_words_search(const grep_words *w, const char *text, size_t len,
                                         size_t from, pf_range *match) {
    uint32_t at = 0;
    bool found = false;
    for (size_t i = from; i < len; i++) {
        if (i % YIELD_BYTES == 0) pf_yield();
        unsigned char byte = w->fold[(unsigned char)text[i]];
        at = at ? follow(w, at, byte) : w->root[byte];
        const node *n = &w->nodes[at];
        /* What can still come begins here. */
        ptrdiff_t begins = (ptrdiff_t)(i + 1 - n->depth);
        if (found && begins > match->start) {
            /* A longer match may have gone on here. */
            if (w->folds && (unsigned char)text[i] >= 0x80) return WORDS_UNSURE;
            break;
        }
        if (n->unsure) {
            *match = (pf_range){(ptrdiff_t)i, (ptrdiff_t)i + 1};
            return WORDS_UNSURE;
        }
        if (!n->longest) continue;
        pf_range range = {(ptrdiff_t)(i + 1 - n->longest), (ptrdiff_t)i + 1};
        if (!found || range.start <= match->start) *match = range;
        found = true;
    }
    return found ? WORDS_FOUND : WORDS_NONE;
}

enum grep_words_result grep_words_whole(const grep_words *w, const char *text, size_t len) {
    uint32_t at = 0;
    for (size_t i = 0; i < len; i++) {
        at = find_edge(w, at, w->fold[(unsigned char)text[i]])->to;
        if (w->folds && (unsigned char)text[i] >= 0x80) return WORDS_UNSURE;
        if (!at) return WORDS_NONE;
    }
    return len > 0 && w->nodes[at].longest == len ? WORDS_FOUND : WORDS_NONE;
}
