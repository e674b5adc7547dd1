/*
 * host/base/arena.c: see arena.h.
 *
 * Small pieces are cut from chunks that double in size; a large piece gets a chunk of its own,
 * which can be resized and given back.
 */
#include "arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN       16u
#define FIRST_CHUNK ((size_t)1 << 10)
#define LAST_CHUNK  ((size_t)32 << 10)
#define LARGE       ((size_t)8 << 10)

struct base_chunk {
    struct base_chunk *next;
    size_t size; /* of the data */
    bool large;  /* holds one piece */
    _Alignas(ALIGN) char data[];
};

void base_arena_init(struct base_arena *arena, size_t max) {
    *arena = (struct base_arena){.max = max};
}

static bool charge(struct base_arena *arena, size_t size) {
    assert(arena->used <= arena->max);
    if (size > arena->max || arena->used > arena->max - size) {
        arena->over = true;
        return false;
    }
    arena->used += size;
    return true;
}

static struct base_chunk *add_chunk(struct base_arena *arena, size_t size, bool large) {
    size_t whole = sizeof(struct base_chunk) + size;
    if (!charge(arena, whole)) return NULL;
    struct base_chunk *chunk = malloc(whole);
    if (!chunk) {
        arena->used -= whole;
        return NULL;
    }
    chunk->next = arena->chunks;
    chunk->size = size;
    chunk->large = large;
    arena->chunks = chunk;
    return chunk;
}

/* The size of the next small chunk: twice the last one. */
static size_t next_size(const struct base_arena *arena) {
    for (struct base_chunk *c = arena->chunks; c; c = c->next)
        if (!c->large) return c->size < LAST_CHUNK ? c->size * 2 : LAST_CHUNK;
    return FIRST_CHUNK;
}

void *base_arena_alloc(struct base_arena *arena, size_t size) {
    assert(arena->at <= arena->end && ((uintptr_t)arena->at & (ALIGN - 1)) == 0);
    if (size > SIZE_MAX / 2) {
        arena->over = true;
        return NULL;
    }
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (size == 0) size = ALIGN;
    if (arena->at && size <= (size_t)(arena->end - arena->at)) {
        void *piece = arena->at;
        arena->at += size;
        return piece;
    }
    if (size >= LARGE) {
        struct base_chunk *chunk = add_chunk(arena, size, true);
        return chunk ? chunk->data : NULL;
    }
    size_t want = next_size(arena);
    while (want < size) want *= 2;
    assert(want >= size && want <= LAST_CHUNK);
    struct base_chunk *chunk = add_chunk(arena, want, false);
    if (!chunk) return NULL;
    arena->at = chunk->data + size;
    arena->end = chunk->data + chunk->size;
    return chunk->data;
}

void *base_arena_zalloc(struct base_arena *arena, size_t size) {
    void *piece = base_arena_alloc(arena, size);
    if (piece) memset(piece, 0, size);
    return piece;
}

void *base_arena_array(struct base_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        arena->over = true;
        return NULL;
    }
    return base_arena_zalloc(arena, count * size);
}

/* Where the chunk of a large piece is linked, or NULL for a small piece. */
static struct base_chunk **find_large(struct base_arena *arena, const void *piece) {
    for (struct base_chunk **link = &arena->chunks; *link; link = &(*link)->next)
        if ((*link)->large && (*link)->data == piece) return link;
    return NULL;
}

static bool is_last(const struct base_arena *arena, const void *piece, size_t size) {
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    return size && arena->at && (const char *)piece + size == arena->at;
}

void *base_arena_resize(struct base_arena *arena, void *old, size_t old_size, size_t size) {
    if (!old) return base_arena_alloc(arena, size);
    if (is_last(arena, old, old_size)) {
        size_t want = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
        if (want && size <= want && want <= (size_t)(arena->end - (char *)old)) {
            arena->at = (char *)old + want;
            return old;
        }
    } else if (old_size >= LARGE - ALIGN && size >= LARGE) {
        struct base_chunk **link = find_large(arena, old);
        if (link) {
            struct base_chunk *chunk = *link;
            if (size <= chunk->size) return old;
            assert(old_size <= chunk->size);
            size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
            if (size > SIZE_MAX / 2 || !charge(arena, size - chunk->size)) return NULL;
            struct base_chunk *moved = realloc(chunk, sizeof *chunk + size);
            if (!moved) {
                arena->used -= size - chunk->size;
                return NULL;
            }
            moved->size = size;
            *link = moved;
            return moved->data;
        }
    } else if (size <= old_size) {
        return old;
    }
    void *piece = base_arena_alloc(arena, size);
    if (!piece) return NULL;
    memcpy(piece, old, old_size < size ? old_size : size);
    base_arena_release(arena, old, old_size);
    return piece;
}

void base_arena_release(struct base_arena *arena, void *piece, size_t size) {
    if (!piece) return;
    if (is_last(arena, piece, size)) {
        arena->at = piece;
        return;
    }
    if (size < LARGE - ALIGN) return;
    struct base_chunk **link = find_large(arena, piece);
    if (!link) return;
    struct base_chunk *chunk = *link;
    *link = chunk->next;
    assert(chunk->large && arena->used >= sizeof *chunk + chunk->size);
    arena->used -= sizeof *chunk + chunk->size;
    free(chunk);
}

char *base_arena_copy(struct base_arena *arena, const void *data, size_t len) {
    if (len == SIZE_MAX) return NULL;
    char *copy = base_arena_alloc(arena, len + 1);
    if (!copy) return NULL;
    if (len) memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

void base_arena_reset(struct base_arena *arena) {
    struct base_chunk *keep = NULL;
    for (struct base_chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        if (!keep && !c->large) {
            keep = c;
            continue;
        }
        assert(arena->used >= sizeof *c + c->size);
        arena->used -= sizeof *c + c->size;
        free(c);
    }
    arena->chunks = keep;
    if (keep) keep->next = NULL;
    arena->at = keep ? keep->data : NULL;
    arena->end = keep ? keep->data + keep->size : NULL;
    arena->over = false;
}

void base_arena_free(struct base_arena *arena) {
    for (struct base_chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    base_arena_init(arena, arena->max);
}
