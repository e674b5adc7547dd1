/*
 * guest/programs/jq/jq_sort.c: see jq_sort.h.
 */
#include "jq_sort.h"

#include <string.h>

#include "jv_alloc.h"

typedef int comparison(const void *, const void *);

/* Sorts pointers to entries; `spare` has room for half of them. */
static void merge(const char **at, const char **spare, size_t count, comparison *compare) {
    if (count < 2) return;
    size_t half = count / 2;
    merge(at, spare, half, compare);
    merge(at + half, spare, count - half, compare);
    if (compare(at[half - 1], at[half]) <= 0) return;
    memcpy(spare, at, half * sizeof *at);
    const char **left = spare, **left_end = spare + half;
    const char **right = at + half, **right_end = at + count;
    while (left < left_end && right < right_end)
        *at++ = compare(*left, *right) <= 0 ? *left++ : *right++;
    memcpy(at, left, (size_t)(left_end - left) * sizeof *at);
}

void pf_jq_sort(void *entries, size_t count, size_t size, comparison *compare) {
    if (count < 2) return;
    const char **at = jv_mem_calloc(count + count / 2, sizeof *at);
    for (size_t i = 0; i < count; i++) at[i] = (const char *)entries + i * size;
    merge(at, at + count, count, compare);
    char *sorted = jv_mem_calloc(count, size);
    for (size_t i = 0; i < count; i++) memcpy(sorted + i * size, at[i], size);
    memcpy(entries, sorted, count * size);
    jv_mem_free(sorted);
    jv_mem_free(at);
}
