/*
 * guest/programs/jq/jq_main.c: jq's command line, as a function that main.c calls.
 *
 * Around its interpreter it notes that it is inside: see jq_input.h.
 */
#include <stdio.h>

#include "jq_input.h"
#include "src/jq.h"

static jv next_result(jq_state *jq) {
    pf_jq_depth++;
    jv result = jq_next(jq);
    pf_jq_depth--;
    return result;
}

#define main    pf_jq_main
#define jq_next next_result
#include "src/main.c"
