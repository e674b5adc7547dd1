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
void *arena_zalloc(arena *a, size_t size); /* The same, filled with zeros. */
char *arena_strndup(arena *a, const char *s, size_t n); /* A copy with a NUL behind it. */
char *arena_strdup(arena *a, const char *s); /* A copy of a string. */
/* What printf() would write. */
char *arena_printf(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes an allocation larger, in place when it was the last one. */
void *arena_extend(arena *a, void *old, size_t old_size, size_t new_size);
arena_mark arena_here(const arena *a); /* A mark: what is allocated after it can be released. */
void arena_release(arena *a, arena_mark mark); /* Releases all that was allocated since the mark. */
void arena_free(arena *a); /* Gives all memory back; empty afterwards. */

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
void sb_grow(sb *b, size_t more); /* Makes room for `more` bytes. */
void sb_put(sb *b, const char *s, size_t n); /* Appends n bytes. */
void sb_puts(sb *b, const char *s); /* Appends a string. */
/* Appends what printf() would write. */
void sb_printf(sb *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sb_vprintf(sb *b, const char *format, va_list args); /* The same with a list of arguments. */
char *sb_str(sb *b); /* terminated; never NULL */
void sb_free(sb *b); /* Frees bytes that are no arena's; empty afterwards. */
static inline void sb_putc(sb *b, char c) {
    if (b->n + 1 > b->cap) sb_grow(b, 1);
    b->s[b->n++] = c;
}

/* malloc and friends that end the process when there is no memory. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size); /* Zeroed. */
void *xrealloc(void *old, size_t size); /* `old` may be NULL. */
char *xstrdup(const char *s); /* A copy, to be freed. */
char *xstrndup(const char *s, size_t n); /* The same of n bytes, with a NUL behind them. */

#endif
