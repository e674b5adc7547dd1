/*
 * array.c: the values of indexed and associative arrays.
 *
 * Indexed arrays are sorted vectors, so that a[1000000]=x costs one element. Associative ones keep
 * bash's order (buckets by FNV-1, newest first in a bucket), because scripts print it.
 */
#include "sh.h"

struct element_slot {
    int64_t index;
    char *value;
};

struct array {
    struct element_slot *e;
    int n, cap;
};

struct array *array_new(void) { return xcalloc(1, sizeof(struct array)); }

void array_clear(struct array *a) {
    for (int i = 0; i < a->n; i++) free(a->e[i].value);
    a->n = 0;
}

void array_free(struct array *a) {
    if (!a) return;
    array_clear(a);
    free(a->e);
    free(a);
}

/* Position of the first element with an index >= i. */
static int array_position(const struct array *a, int64_t i) {
    if (a->n == 0 || i > a->e[a->n - 1].index) return a->n;
    if (i >= 0 && i < a->n && a->e[i].index == i) return (int)i; /* dense */
    int low = 0, high = a->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a->e[middle].index < i) low = middle + 1;
        else high = middle;
    }
    return low;
}

const char *array_get(const struct array *a, int64_t i) {
    int at = array_position(a, i);
    return at < a->n && a->e[at].index == i ? a->e[at].value : NULL;
}

void array_set(struct array *a, int64_t i, const char *value) {
    int at = array_position(a, i);
    char *copy = xstrdup(value);
    if (at < a->n && a->e[at].index == i) {
        free(a->e[at].value);
        a->e[at].value = copy;
        return;
    }
    if (a->n == a->cap) {
        a->cap = a->cap ? a->cap * 2 : 4;
        a->e = xrealloc(a->e, (size_t)a->cap * sizeof *a->e);
    }
    memmove(a->e + at + 1, a->e + at, (size_t)(a->n - at) * sizeof *a->e);
    a->e[at] = (struct element_slot){i, copy};
    a->n++;
}

void array_unset(struct array *a, int64_t i) {
    int at = array_position(a, i);
    if (at >= a->n || a->e[at].index != i) return;
    free(a->e[at].value);
    a->n--;
    memmove(a->e + at, a->e + at + 1, (size_t)(a->n - at) * sizeof *a->e);
}

int array_count(const struct array *a) { return a->n; }

int64_t array_next_index(const struct array *a) { return a->n ? a->e[a->n - 1].index + 1 : 0; }

const char *array_at(const struct array *a, int pos, int64_t *index) {
    if (index) *index = a->e[pos].index;
    return a->e[pos].value;
}

/* ------------------------------------------------------------------ associative */

enum { ASSOC_BUCKETS = 1024 };

struct pair {
    struct pair *next;
    uint32_t hash;
    char *key, *value;
};

struct assoc {
    struct pair **buckets;
    uint32_t size;
    int count;
};

static uint32_t assoc_hash(const char *s) {
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h * 16777619u) ^ (uint32_t)(int32_t)(signed char)*s;
    return h;
}

struct assoc *assoc_new(void) { return assoc_new_sized(ASSOC_BUCKETS); }

struct assoc *assoc_new_sized(uint32_t buckets) {
    struct assoc *a = xcalloc(1, sizeof *a);
    a->size = buckets;
    a->buckets = xcalloc(a->size, sizeof(struct pair *));
    return a;
}

void assoc_clear(struct assoc *a) {
    for (uint32_t i = 0; i < a->size; i++) {
        while (a->buckets[i]) {
            struct pair *p = a->buckets[i];
            a->buckets[i] = p->next;
            free(p->key);
            free(p->value);
            free(p);
        }
    }
    a->count = 0;
}

void assoc_free(struct assoc *a) {
    if (!a) return;
    assoc_clear(a);
    free(a->buckets);
    free(a);
}

static struct pair **assoc_slot(const struct assoc *a, const char *key, uint32_t hash) {
    struct pair **at = &a->buckets[hash & (a->size - 1)];
    while (*at && ((*at)->hash != hash || strcmp((*at)->key, key) != 0)) at = &(*at)->next;
    return at;
}

const char *assoc_get(const struct assoc *a, const char *key) {
    const struct pair *p = *assoc_slot(a, key, assoc_hash(key));
    return p ? p->value : NULL;
}

/* Four times the buckets, each old chain put in front of the new ones item by item. */
static void assoc_grow(struct assoc *a) {
    uint32_t size = a->size * 4;
    struct pair **buckets = xcalloc(size, sizeof(struct pair *));
    for (uint32_t i = 0; i < a->size; i++) {
        struct pair *p = a->buckets[i];
        while (p) {
            struct pair *next = p->next;
            struct pair **head = &buckets[p->hash & (size - 1)];
            p->next = *head;
            *head = p;
            p = next;
        }
    }
    free(a->buckets);
    a->buckets = buckets;
    a->size = size;
}

void assoc_set(struct assoc *a, const char *key, const char *value) {
    uint32_t hash = assoc_hash(key);
    struct pair *p = *assoc_slot(a, key, hash);
    if (p) {
        char *copy = xstrdup(value);
        free(p->value);
        p->value = copy;
        return;
    }
    if ((uint32_t)a->count >= a->size * 2) assoc_grow(a);
    struct pair **head = &a->buckets[hash & (a->size - 1)];
    p = xmalloc(sizeof *p);
    *p = (struct pair){*head, hash, xstrdup(key), xstrdup(value)};
    *head = p;
    a->count++;
}

void assoc_unset(struct assoc *a, const char *key) {
    struct pair **at = assoc_slot(a, key, assoc_hash(key)), *p = *at;
    if (!p) return;
    *at = p->next;
    free(p->key);
    free(p->value);
    free(p);
    a->count--;
}

int assoc_count(const struct assoc *a) { return a->count; }

void assoc_list(const struct assoc *a, arena *mem, char ***keys, char ***values) {
    *keys = arena_alloc(mem, ((size_t)a->count + 1) * sizeof(char *));
    *values = arena_alloc(mem, ((size_t)a->count + 1) * sizeof(char *));
    int n = 0;
    for (uint32_t i = 0; i < a->size; i++)
        for (struct pair *p = a->buckets[i]; p; p = p->next) {
            (*keys)[n] = p->key;
            (*values)[n++] = p->value;
        }
    (*keys)[n] = (*values)[n] = NULL;
}
