/*
 * tabs.c: lists of tab stops, for expand and unexpand.
 */
#include "tabs.h"
#include "g_quote.h"

#include <ctype.h>
#include <string.h>

static void add_stop(tab_stops *t, uint64_t value) {
    if (t->count == t->cap) t->stops = g_more(t->stops, &t->cap, sizeof *t->stops);
    t->stops[t->count++] = value;
}

/* One number with what stands in front of it. */
static void finish_number(tab_stops *t, char kind, uint64_t value) {
    if (!kind) {
        add_stop(t, value);
        return;
    }
    if (value == 0) return;
    uint64_t *slot = kind == '/' ? &t->extend : &t->step;
    if (*slot) g_die(1, "'%c' specifier only allowed with the last value", kind);
    *slot = value;
}

void tab_stops_add(tab_stops *t, const char *list) {
    bool number = false;
    char kind = 0;
    const char *digits = list;
    uint64_t value = 0;
    for (const char *s = list; *s; s++) {
        if (*s == ',' || isblank((unsigned char)*s)) {
            if (number) finish_number(t, kind, value);
            number = false;
        } else if (*s == '/' || *s == '+') {
            if (number) {
                g_warn("'%c' specifier not at start of number: %s", *s, g_quote(s));
                g_exit(1);
            }
            kind = *s;
        } else if (isdigit((unsigned char)*s)) {
            if (!number) {
                value = 0;
                digits = s;
            }
            number = true;
            if (__builtin_mul_overflow(value, 10u, &value) ||
                __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
                g_die(1, "tab stop is too large %s",
                      g_quote_bytes(digits, strspn(digits, "0123456789")));
        } else {
            g_die(1, "tab size contains invalid character(s): %s", g_quote(s));
        }
    }
    if (number) finish_number(t, kind, value);
}

void tab_stops_finish(tab_stops *t) {
    uint64_t last = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->stops[i] == 0) g_die(1, "tab size cannot be 0");
        if (t->stops[i] <= last) g_die(1, "tab sizes must be ascending");
        last = t->stops[i];
    }
    if (t->step && t->extend) g_die(1, "'/' specifier is mutually exclusive with '+'");
    if (t->count == 0)
        t->every = t->extend ? t->extend : t->step ? t->step : 8;
    else if (t->count == 1 && !t->extend && !t->step)
        t->every = t->stops[0];
}

bool tab_stops_next(const tab_stops *t, uint64_t column, uint64_t *next) {
    if (t->every) {
        *next = column + (t->every - column % t->every);
        return true;
    }
    for (size_t i = 0; i < t->count; i++) {
        if (column >= t->stops[i]) continue;
        *next = t->stops[i];
        return true;
    }
    if (t->extend)
        *next = column + (t->extend - column % t->extend);
    else if (t->step)
        *next = column + (t->step - (column - t->stops[t->count - 1]) % t->step);
    else
        return false;
    return true;
}
