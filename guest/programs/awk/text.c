/*
 * text.c: shared texts.
 *
 * Small ones come from lists of free blocks by size: a program makes and drops one for nearly every
 * field it touches.
 */
#include "awk.h"
#include "lib/utf8/utf8.h"

#include <stdlib.h>

enum { STEP = 16, CLASSES = 24 };
#define HEAD offsetof(awk_text, s)

static void *free_blocks[CLASSES];
static awk_text *empty;

/* Size class of a block for so many bytes and a NUL, or CLASSES. */
static size_t class_of(size_t cap) {
    size_t class = (HEAD + cap) / STEP;
    return class < CLASSES ? class : CLASSES;
}

static awk_text *block_new(size_t cap) {
    size_t class = class_of(cap);
    if (class == CLASSES) {
        if (cap >= UINT32_MAX - 64)
            awk_fatal("memory exhausted: a text of %.0f bytes", (double)cap);
        awk_text *t = g_alloc(HEAD + cap + 1);
        t->cap = (uint32_t)cap;
        return t;
    }
    size_t size = (class + 1) * STEP;
    awk_text *t = free_blocks[class];
    if (t) {
        memcpy(&free_blocks[class], t, sizeof(void *));
    } else {
        enum { AT_ONCE = 16 };
        char *blocks = g_alloc(size * AT_ONCE);
        for (int i = 1; i < AT_ONCE; i++) {
            memcpy(blocks + size * (size_t)i, &free_blocks[class], sizeof(void *));
            free_blocks[class] = blocks + size * (size_t)i;
        }
        t = (awk_text *)blocks;
    }
    t->cap = (uint32_t)(size - HEAD - 1);
    return t;
}

void text_destroy(awk_text *t) {
    size_t class = class_of(t->cap);
    if (class == CLASSES) {
        free(t);
        return;
    }
    memcpy(t, &free_blocks[class], sizeof(void *));
    free_blocks[class] = t;
}

awk_text *text_new(size_t len) {
    awk_text *t = block_new(len);
    t->refs = 1;
    t->len = (uint32_t)len;
    t->shape = awk.bytes ? SHAPE_BYTES : SHAPE_UNKNOWN;
    t->s[len] = '\0';
    return t;
}

awk_text *text_of(const char *bytes, size_t len) {
    awk_text *t = text_new(len);
    memcpy(t->s, bytes, len);
    return t;
}

awk_text *text_ofs(const char *s) {
    return text_of(s, strlen(s));
}

awk_text *text_empty(void) {
    if (!empty) empty = text_new(0);
    return text_keep(empty);
}

awk_text *text_append(awk_text *t, const char *more, size_t len) {
    size_t total = (size_t)t->len + len;
    if (t->refs > 1 || total > t->cap) {
        /* Room to grow, so that building a text piece by piece is linear. */
        awk_text *bigger = block_new(total + (t->refs == 1 && t->len > 64 ? total : 0));
        bigger->refs = 1;
        bigger->shape = t->shape;
        memcpy(bigger->s, t->s, t->len);
        bigger->len = t->len;
        memcpy(bigger->s + t->len, more, len); /* `more` may lie in t */
        text_drop(t);
        t = bigger;
    } else {
        memcpy(t->s + t->len, more, len);
    }
    t->len = (uint32_t)total;
    t->s[total] = '\0';
    t->shape = awk.bytes ? SHAPE_BYTES : SHAPE_UNKNOWN;
    return t;
}

static bool is_ascii(const char *s, size_t len) {
    while (len >= 8) {
        uint64_t word;
        memcpy(&word, s, 8);
        if (word & 0x8080808080808080u) return false;
        s += 8;
        len -= 8;
    }
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] >= 0x80) return false;
    return true;
}

bool text_is_bytes(awk_text *t) {
    if (t->shape == SHAPE_UNKNOWN) t->shape = is_ascii(t->s, t->len) ? SHAPE_BYTES : SHAPE_WIDE;
    return t->shape == SHAPE_BYTES;
}

size_t text_chars(awk_text *t) {
    return text_is_bytes(t) ? t->len : pf_utf8_count(t->s, t->len);
}

size_t text_offset(awk_text *t, size_t index) {
    if (text_is_bytes(t)) return index < t->len ? index : t->len;
    size_t at = 0;
    for (; index > 0 && at < t->len; index--) {
        uint32_t code;
        int n = pf_utf8_decode(t->s + at, t->len - at, &code);
        at += n > 0 ? (size_t)n : 1;
    }
    return at;
}

size_t text_index(awk_text *t, size_t bytes) {
    return text_is_bytes(t) ? bytes : pf_utf8_count(t->s, bytes);
}

awk_text *text_case(awk_text *t, bool upper) {
    if (text_is_bytes(t)) {
        awk_text *out = text_new(t->len);
        char low = upper ? 'a' : 'A';
        for (uint32_t i = 0; i < t->len; i++) {
            char c = t->s[i];
            out->s[i] = (unsigned char)(c - low) < 26 ? (char)(c ^ 0x20) : c;
        }
        return out;
    }
    g_text out = {0};
    for (size_t at = 0; at < t->len;) {
        uint32_t code;
        char bytes[PF_UTF8_MAX];
        int n = pf_utf8_decode(t->s + at, t->len - at, &code);
        if (n == 0) {
            g_text_addc(&out, t->s[at++]);
            continue;
        }
        at += (size_t)n;
        n = pf_utf8_encode(upper ? pf_uni_upper(code) : pf_uni_lower(code), bytes);
        g_text_add(&out, bytes, (size_t)n);
    }
    awk_text *result = text_of(out.s, out.len);
    g_text_free(&out);
    return result;
}

static uint32_t folded(const char *s, size_t len, size_t *at) {
    uint32_t code;
    int n = awk.bytes ? 0 : pf_utf8_decode(s + *at, len - *at, &code);
    if (n == 0) {
        unsigned char c = (unsigned char)s[(*at)++];
        return c >= 'A' && c <= 'Z' ? c + 32u : c < 0x80 ? c : 0x200000u + c;
    }
    *at += (size_t)n;
    return pf_uni_lower(code);
}

static int compare_folded(const awk_text *a, const awk_text *b) {
    size_t i = 0, j = 0;
    while (i < a->len && j < b->len) {
        uint32_t x = folded(a->s, a->len, &i), y = folded(b->s, b->len, &j);
        if (x != y) return x < y ? -1 : 1;
    }
    return (i < a->len) - (j < b->len);
}

int text_compare(const awk_text *a, const awk_text *b) {
    if (awk.ignore_case) return compare_folded(a, b);
    uint32_t len = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->s, b->s, len);
    if (order) return order < 0 ? -1 : 1;
    return (a->len > b->len) - (a->len < b->len);
}

bool text_equal(const awk_text *a, const awk_text *b) {
    if (a == b) return true;
    if (awk.ignore_case) return compare_folded(a, b) == 0;
    return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}
