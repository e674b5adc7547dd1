/*
 * guest/programs/jq/jq_sort.h: the order of an array's values.
 *
 * Included by jq's own sources as adapt_jq.py changes them.
 */
#ifndef PF_JQ_SORT_H
#define PF_JQ_SORT_H

#include <stddef.h>

/* As qsort(), by merging: half as many comparisons as the C library of the sandbox makes, and those
 * of jq's values are what sorting costs. Ends jq when there is no memory. */
void pf_jq_sort(void *entries, size_t count, size_t size,
                int (*compare)(const void *, const void *));

#endif
