/*
 * guest/programs/jq/jq_depth.c: see jq_depth.h.
 */
#include "jq_depth.h"

#include <stdio.h>
#include <stdlib.h>

enum { ERROR_STATUS = 5, FREE_DEPTH = 100 };

void pf_jq_fail(const char *message) {
    fflush(stdout);
    fprintf(stderr, "jq: error: %s\n", message);
    exit(ERROR_STATUS);
}

static int depth;

void pf_jq_enter(void) {
    if (++depth > PF_JQ_DEPTH) pf_jq_fail("values are nested too deeply to be compared or merged");
}

void pf_jq_leave(void) {
    depth--;
}

/* What waits to be freed. */
static jv *waiting;
static size_t count, cap;

static void wait_for_turn(jv value) {
    if (count == cap) {
        size_t larger = cap * 2 + 64;
        jv *grown = realloc(waiting, larger * sizeof *grown);
        if (!grown) return; /* stays allocated */
        waiting = grown;
        cap = larger;
    }
    waiting[count++] = value;
}

void pf_jq_free(jv value, void (*free_value)(jv value)) {
    static int nested;
    if (nested >= FREE_DEPTH) {
        wait_for_turn(value);
        return;
    }
    nested++;
    free_value(value);
    nested--;
    if (nested > 0) return;
    while (count > 0) {
        jv next = waiting[--count];
        nested++;
        free_value(next);
        nested--;
    }
}
