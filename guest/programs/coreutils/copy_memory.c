/*
 * copy_memory.c: what one command has copied so far; copy_tree.c and mv ask it.
 *
 * Each table uses open addressing by device and inode. A file may be in it under several names.
 */
#include "copy_memory.h"
#include "g_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    dev_t dev;
    ino_t ino;
    char *path; /* NULL: a free slot */
} entry;

typedef struct {
    entry *slots; /* a power of two */
    size_t count, size;
} table;

struct copy_memory {
    table sources, made, given;
};

copy_memory *copy_memory_new(void) { return g_zalloc(sizeof(copy_memory)); }

static void table_free(table *t) {
    for (size_t i = 0; i < t->size; i++) free(t->slots[i].path);
    free(t->slots);
}

void copy_memory_free(copy_memory *m) {
    table_free(&m->sources);
    table_free(&m->made);
    table_free(&m->given);
    free(m);
}

/* The entry of that file, with that name when `path` is not NULL, or the free slot for it. */
static entry *table_slot(const table *t, dev_t dev, ino_t ino, const char *path) {
    size_t i = ((size_t)ino * 2654435761u + (size_t)dev) & (t->size - 1);
    for (; t->slots[i].path; i = (i + 1) & (t->size - 1)) {
        const entry *e = &t->slots[i];
        if (e->ino == ino && e->dev == dev && (!path || g_same_entry(e->path, path))) break;
    }
    return &t->slots[i];
}

static void table_grow(table *t) {
    table bigger = {.count = t->count, .size = t->size ? t->size * 2 : 64};
    bigger.slots = g_zalloc(bigger.size * sizeof *bigger.slots);
    for (size_t i = 0; i < t->size; i++) {
        const entry *e = &t->slots[i];
        if (!e->path) continue;
        size_t to = ((size_t)e->ino * 2654435761u + (size_t)e->dev) & (bigger.size - 1);
        while (bigger.slots[to].path) to = (to + 1) & (bigger.size - 1);
        bigger.slots[to] = *e;
    }
    free(t->slots);
    *t = bigger;
}

/* Puts in what is not there yet. */
static void table_add(table *t, const struct stat *st, const char *path, bool by_name) {
    if (t->count * 2 >= t->size) table_grow(t);
    entry *e = table_slot(t, st->st_dev, st->st_ino, by_name ? path : NULL);
    if (e->path) return;
    *e = (entry){st->st_dev, st->st_ino, g_copy_string(path)};
    t->count++;
}

const char *copy_recall(const copy_memory *m, const struct stat *st) {
    return m->sources.size ? table_slot(&m->sources, st->st_dev, st->st_ino, NULL)->path : NULL;
}

void copy_remember(copy_memory *m, const struct stat *st, const char *path) {
    table_add(&m->sources, st, path, false);
}

bool copy_was_made(const copy_memory *m, const char *path, const struct stat *st) {
    return m->made.size && table_slot(&m->made, st->st_dev, st->st_ino, path)->path;
}

void copy_note_made(copy_memory *m, const char *path, const struct stat *st) {
    table_add(&m->made, st, path, true);
}

bool copy_given_before(copy_memory *m, const char *path, const struct stat *st) {
    size_t before = m->given.count;
    table_add(&m->given, st, path, true);
    return m->given.count == before;
}
