/*
 * guest/programs/jq/jq_turns.h: how jq, which knows no scheduler, gives others their turn.
 */
#ifndef PF_JQ_TURNS_H
#define PF_JQ_TURNS_H

#include "pf.h"

/* Steps of the interpreter between two yields. */
#define PF_JQ_STEPS 2000

extern int pf_jq_steps_left;

/* Once for each round of a loop of the interpreter. */
static inline void pf_jq_turn(void) {
    if (--pf_jq_steps_left > 0) return;
    pf_jq_steps_left = PF_JQ_STEPS;
    pf_yield();
}

#endif
