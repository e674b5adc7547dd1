/*
 * host/base/arena.h: memory with a budget, given out piece by piece and freed all at once.
 *
 * Called for what one document or one tool call needs: a parsed JSON text, a compiled policy. An
 * arena that is reset keeps a block, so that small calls that follow take nothing from the heap.
 * Whatever a guest's size decides is allocated from an arena (or a base_buf), never from the heap
 * directly.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct base_chunk;

struct base_arena {
    struct base_chunk *chunks; /* newest first */
    char *at, *end;            /* free part of the chunk that small pieces come from */
    size_t used, max;          /* bytes taken from the heap, and how many may be */
    bool over;                 /* an allocation failed because of `max`, not of the heap */
};

/* Takes no memory. */
void base_arena_init(struct base_arena *arena, size_t max);
/* 16-byte aligned, not zeroed; NULL: memory is out or the budget is. size 0 is allowed. */
void *base_arena_alloc(struct base_arena *arena, size_t size);
void *base_arena_zalloc(struct base_arena *arena, size_t size); /* The same, filled with zeros. */
/* `count` things of `size` bytes, zeroed; NULL also when the product overflows. */
void *base_arena_array(struct base_arena *arena, size_t count, size_t size);
/* Moves or extends a piece of this arena; old NULL: allocates. */
void *base_arena_resize(struct base_arena *arena, void *old, size_t old_size, size_t size);
/* Gives a piece back if that is cheap (it was the last one, or a large one). */
void base_arena_release(struct base_arena *arena, void *piece, size_t size);
/* A copy with a NUL behind it. */
char *base_arena_copy(struct base_arena *arena, const void *data, size_t len);
/* Everything it gave out is gone. */
void base_arena_reset(struct base_arena *arena);
/* Frees all memory; empty afterwards, and usable. */
void base_arena_free(struct base_arena *arena);

#endif
