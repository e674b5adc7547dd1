/*
 * make_table.c: names to things.
 */
#include "make.h"

#include <stdlib.h>

static size_t hash_of(const char *name, size_t len) {
    size_t hash = 5381;
    for (size_t i = 0; i < len; i++) hash = hash * 33 + (unsigned char)name[i];
    return hash;
}

entry *table_find(const table *t, const char *name, size_t len) {
    if (!t->bucket_count) return NULL;
    entry *e = t->buckets[hash_of(name, len) % t->bucket_count];
    while (e && !(strncmp(e->name, name, len) == 0 && !e->name[len])) e = e->next;
    return e;
}

static void grow(table *t) {
    size_t count = t->bucket_count ? t->bucket_count * 4 : 16;
    entry **buckets = g_zalloc(count * sizeof *buckets);
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (entry *e = t->buckets[i], *next; e; e = next) {
            entry **to = &buckets[hash_of(e->name, strlen(e->name)) % count];
            next = e->next;
            e->next = *to;
            *to = e;
        }
    }
    free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
}

void table_add(table *t, entry *e) {
    if (t->count >= t->bucket_count) grow(t);
    entry **to = &t->buckets[hash_of(e->name, strlen(e->name)) % t->bucket_count];
    e->next = *to;
    *to = e;
    t->count++;
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(entry *const *)a)->name, (*(entry *const *)b)->name);
}

entry **table_sorted(const table *t) {
    entry **all = g_resize(NULL, t->count + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < t->bucket_count; i++)
        for (entry *e = t->buckets[i]; e; e = e->next) all[n++] = e;
    if (n) qsort(all, n, sizeof *all, by_name);
    return all;
}
