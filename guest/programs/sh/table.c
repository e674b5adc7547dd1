/*
 * table.c: hash tables from names to entries, for variables, functions, aliases and commands.
 *
 * Entries are embedded in what they stand for (struct entry first); the table frees nothing.
 */
#include "sh.h"

struct table {
    struct entry **buckets;
    uint32_t mask;
    int count;
};

static uint32_t hash_of(const char *s, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h;
}

struct table *table_new(void) {
    struct table *t = xcalloc(1, sizeof *t);
    t->mask = 15;
    t->buckets = xcalloc(t->mask + 1, sizeof(struct entry *));
    return t;
}

struct entry *table_find(const struct table *t, const char *key, size_t n) {
    for (struct entry *e = t->buckets[hash_of(key, n) & t->mask]; e; e = e->next)
        if (strncmp(e->key, key, n) == 0 && e->key[n] == 0) return e;
    return NULL;
}

static void table_grow(struct table *t) {
    uint32_t mask = t->mask * 2 + 1;
    struct entry **buckets = xcalloc((size_t)mask + 1, sizeof(struct entry *));
    for (uint32_t i = 0; i <= t->mask; i++) {
        struct entry *e = t->buckets[i];
        while (e) {
            struct entry *next = e->next;
            uint32_t at = hash_of(e->key, strlen(e->key)) & mask;
            e->next = buckets[at];
            buckets[at] = e;
            e = next;
        }
    }
    free(t->buckets);
    t->buckets = buckets;
    t->mask = mask;
}

void table_add(struct table *t, struct entry *e) {
    if ((uint32_t)t->count > t->mask * 2) table_grow(t);
    uint32_t at = hash_of(e->key, strlen(e->key)) & t->mask;
    e->next = t->buckets[at];
    t->buckets[at] = e;
    t->count++;
}

void *table_entry(struct table *t, const char *key, size_t n, size_t size) {
    struct entry *e = table_find(t, key, n);
    if (e) return e;
    e = xcalloc(1, size);
    e->key = xstrndup(key, n);
    table_add(t, e);
    return e;
}

void table_swap(struct table *t, struct entry *old, struct entry *by) {
    struct entry **at = &t->buckets[hash_of(old->key, strlen(old->key)) & t->mask];
    while (*at != old) at = &(*at)->next;
    if (by) {
        by->next = old->next;
        *at = by;
    } else {
        *at = old->next;
        t->count--;
    }
}

int table_count(const struct table *t) { return t->count; }

static int by_key(const void *a, const void *b) {
    return strcmp((*(struct entry *const *)a)->key, (*(struct entry *const *)b)->key);
}

struct entry **table_sorted(const struct table *t, arena *a, int *count) {
    struct entry **list = arena_alloc(a, ((size_t)t->count + 1) * sizeof *list);
    int n = 0;
    for (uint32_t i = 0; i <= t->mask; i++)
        for (struct entry *e = t->buckets[i]; e; e = e->next) list[n++] = e;
    qsort(list, (size_t)n, sizeof *list, by_key);
    list[n] = NULL;
    *count = n;
    return list;
}
