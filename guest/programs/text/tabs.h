/*
 * tabs.h: lists of tab stops, for expand and unexpand.
 */
#ifndef TABS_H
#define TABS_H

#include "g_program.h"

typedef struct {
    uint64_t *stops; /* ascending */
    size_t count, cap;
    uint64_t every;  /* 8, or N of a list that is one number; 0: the list counts */
    uint64_t extend; /* "/N": behind the list, multiples of N */
    uint64_t step;   /* "+N": behind the list, steps of N from the last stop */
} tab_stops;

/* Adds "4", "4,8", "4 8", "1,/4", "1,+4"; ends with a message when it is wrong. */
void tab_stops_add(tab_stops *t, const char *list);
/* After all options: checks, and fills in the default. */
void tab_stops_finish(tab_stops *t);
/* The stop behind `column`; false when the list has ended. */
bool tab_stops_next(const tab_stops *t, uint64_t column, uint64_t *next);

#endif
