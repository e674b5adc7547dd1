/*
 * arena.c: memory for the shell; see arena.h.
 */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_FIRST = 4000, BLOCK_MAX = 64000, SPARE_MAX = 64000 };

struct arena_block {
    struct arena_block *below;
    size_t size, used;
    _Alignas(8) char data[];
};

static _Noreturn void out_of_memory(size_t size) {
    char text[80];
    int n = snprintf(text, sizeof text, "bash: xmalloc: cannot allocate %zu bytes\n", size);
    if (write(2, text, (size_t)n) < 0) _exit(2);
    _exit(2);
}

void *xmalloc(size_t size) {
    void *p = malloc(size ? size : 1);
    if (!p) out_of_memory(size);
    return p;
}

void *xcalloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) out_of_memory(count * size);
    return p;
}

void *xrealloc(void *old, size_t size) {
    void *p = realloc(old, size ? size : 1);
    if (!p) out_of_memory(size);
    return p;
}

char *xstrndup(const char *s, size_t n) {
    char *p = xmalloc(n + 1);
    if (n) memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *xstrdup(const char *s) { return xstrndup(s, strlen(s)); }

static struct arena_block *arena_push(arena *a, size_t need) {
    struct arena_block *b = a->spare;
    if (b && b->size >= need) {
        a->spare = NULL;
    } else {
        size_t size = a->top ? a->top->size * 2 : BLOCK_FIRST;
        if (size > BLOCK_MAX) size = BLOCK_MAX;
        if (size < need) size = need;
        b = xmalloc(sizeof *b + size);
        b->size = size;
    }
    b->used = 0;
    b->below = a->top;
    a->top = b;
    return b;
}

void *arena_alloc(arena *a, size_t size) {
    size = (size + 7) & ~(size_t)7;
    struct arena_block *b = a->top;
    if (!b || b->size - b->used < size) b = arena_push(a, size);
    void *p = b->data + b->used;
    b->used += size;
    return p;
}

void *arena_zalloc(arena *a, size_t size) { return memset(arena_alloc(a, size), 0, size); }

char *arena_strndup(arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    if (n) memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *arena_strdup(arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(arena *a, const char *format, ...) {
    sb out = sb_in(a);
    va_list args;
    va_start(args, format);
    sb_vprintf(&out, format, args);
    va_end(args);
    return sb_str(&out);
}

void *arena_extend(arena *a, void *old, size_t old_size, size_t new_size) {
    size_t had = (old_size + 7) & ~(size_t)7, want = (new_size + 7) & ~(size_t)7;
    struct arena_block *b = a->top;
    if (old && b && (char *)old + had == b->data + b->used && b->size - b->used + had >= want) {
        b->used += want - had;
        return old;
    }
    void *p = arena_alloc(a, new_size);
    if (old) memcpy(p, old, old_size);
    return p;
}

arena_mark arena_here(const arena *a) {
    return (arena_mark){a->top, a->top ? a->top->used : 0};
}

void arena_release(arena *a, arena_mark mark) {
    while (a->top != mark.block) {
        struct arena_block *b = a->top;
        a->top = b->below;
        if (b->size <= SPARE_MAX && (!a->spare || a->spare->size < b->size)) {
            free(a->spare);
            a->spare = b;
        } else {
            free(b);
        }
    }
    if (a->top) a->top->used = mark.used;
}

void arena_free(arena *a) {
    arena_release(a, (arena_mark){NULL, 0});
    free(a->spare);
    a->spare = NULL;
}

void sb_grow(sb *b, size_t more) {
    size_t cap = b->cap * 2;
    if (cap < b->n + more) cap = b->n + more;
    if (cap < 24) cap = 24;
    b->s = b->a ? arena_extend(b->a, b->s, b->cap, cap) : xrealloc(b->s, cap);
    b->cap = cap;
}

void sb_put(sb *b, const char *s, size_t n) {
    if (n == 0) return;
    if (b->n + n > b->cap) sb_grow(b, n);
    memcpy(b->s + b->n, s, n);
    b->n += n;
}

void sb_puts(sb *b, const char *s) { sb_put(b, s, strlen(s)); }

void sb_vprintf(sb *b, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0) return;
    if (b->n + (size_t)n + 1 > b->cap) sb_grow(b, (size_t)n + 1);
    vsnprintf(b->s + b->n, (size_t)n + 1, format, args);
    b->n += (size_t)n;
}

void sb_printf(sb *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sb_vprintf(b, format, args);
    va_end(args);
}

char *sb_str(sb *b) {
    if (b->n + 1 > b->cap) sb_grow(b, 1);
    b->s[b->n] = 0;
    return b->s;
}

void sb_free(sb *b) {
    free(b->s);
    *b = (sb){0};
}
