/*
 * arena.h: memory for the shell: arenas, and strings that grow in them.
 *
 * Errors travel as return values here (no setjmp), so everything that an interrupted expansion
 * would have to free lies in an arena that its caller releases. Two kinds exist: the scratch arena
 * of the running shell, used as a stack with marks, and one arena for each parsed unit of source.
 * Running out of memory ends the process, as it does bash.
 */
#ifndef SH_ARENA_H
#define SH_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;
typedef struct {
    struct arena_block *top;
    struct arena_block *spare; /* one released block, so that a loop does not malloc each round */
} arena;
typedef struct {
    struct arena_block *block;
    size_t used;
} arena_mark;

void *arena_alloc(arena *a, size_t size); /* aligned to 8, not cleared */
void *arena_zalloc(arena *a, size_t size);
char *arena_strndup(arena *a, const char *s, size_t n);
char *arena_strdup(arena *a, const char *s);
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes an allocation larger, in place when it was the last one. */
void *arena_extend(arena *a, void *old, size_t old_size, size_t new_size);
arena_mark arena_here(const arena *a);
void arena_release(arena *a, arena_mark mark);
void arena_free(arena *a);

/*
 * A string that grows. With an arena, its bytes live there; without one, in malloc'ed memory that
 * sb_free() gives back. Append to an arena string only while no later mark is open.
 */
typedef struct {
    char *s; /* NUL-terminated after sb_str() only */
    size_t n, cap;
    arena *a;
} sb;

static inline sb sb_in(arena *a) { return (sb){.a = a}; }
void sb_grow(sb *b, size_t more);
void sb_put(sb *b, const char *s, size_t n);
void sb_puts(sb *b, const char *s);
void sb_printf(sb *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sb_vprintf(sb *b, const char *format, va_list args);
char *sb_str(sb *b); /* terminated; never NULL */
void sb_free(sb *b);
static inline void sb_putc(sb *b, char c) {
    if (b->n + 1 > b->cap) sb_grow(b, 1);
    b->s[b->n++] = c;
}

/* malloc and friends that end the process when there is no memory. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

#endif
