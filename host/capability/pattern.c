/*
 * host/capability/pattern.c: see pattern.h.
 *
 * For inclusion, the parent is read as an automaton whose states are the places between its
 * segments, a set of them being one 64-bit word; the child's methods are followed through it.
 * Segments that the parent does not name all behave alike, so one made-up segment stands for them.
 */
#include "pattern.h"

#include <string.h>

pf_status cap_pattern_read(struct cap_pattern *out, struct base_arena *arena, const char *text,
                           size_t len, pf_error *error) {
    struct cap_name name;
    const char *why;
    if (!cap_name_read(&name, text, len, true, &why))
        return base_error(error, PF_INVALID, "the pattern \"%.100s\" %s", text, why);
    *out = (struct cap_pattern){
        .len = name.len, .count = name.count, .hash = name.hash, .literal = true};
    char *copy = base_arena_copy(arena, name.text, name.len);
    out->segments = base_arena_array(arena, name.count + 1, sizeof *out->segments);
    if (!copy || !out->segments) return base_no_memory(error);
    out->text = copy;
    for (size_t i = 0; i < name.count; i++) {
        struct cap_segment s = name.segments[i];
        out->segments[i].segment = (struct cap_segment){copy + (s.text - name.text), s.len};
        if (s.text[0] != '*') continue;
        out->segments[i].kind = s.len == 1 ? CAP_SEGMENT_ONE : CAP_SEGMENT_ANY;
        out->literal = false;
    }
    /* Behind the last one: no segment of a method is empty. */
    out->segments[name.count].kind = CAP_SEGMENT_LITERAL;
    out->segments[name.count].segment = (struct cap_segment){copy + name.len, 0};
    return PF_OK;
}

static bool same(struct cap_segment a, struct cap_segment b) {
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

bool cap_pattern_matches(const struct cap_pattern *p, const struct cap_name *method) {
    /* As for * in file names: on a mismatch let the last ** take one segment more. */
    size_t at = 0, m = 0, any = p->count, any_m = 0;
    while (m < method->count) {
        if (p->segments[at].kind == CAP_SEGMENT_ANY) {
            any = at++;
            any_m = m;
        } else if (p->segments[at].kind == CAP_SEGMENT_ONE ||
                   same(p->segments[at].segment, method->segments[m])) {
            at++;
            m++;
        } else if (any != p->count) {
            at = any + 1;
            m = ++any_m;
        } else {
            return false;
        }
    }
    while (p->segments[at].kind == CAP_SEGMENT_ANY) at++;
    return at == p->count;
}

/* ---- inclusion */

static uint64_t bit(size_t n) {
    return (uint64_t)1 << n;
}

/* A ** may be passed without reading anything. */
static uint64_t close_over(const struct cap_pattern *p, uint64_t states) {
    for (size_t i = 0; i < p->count; i++)
        if ((states & bit(i)) && p->segments[i].kind == CAP_SEGMENT_ANY) states |= bit(i + 1);
    return states;
}

/* The places after one more segment; NULL: one that the pattern does not name. */
static uint64_t step(const struct cap_pattern *p, uint64_t states, const struct cap_segment *read) {
    uint64_t next = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!(states & bit(i))) continue;
        if (p->segments[i].kind == CAP_SEGMENT_ANY)
            next |= bit(i);
        else if (p->segments[i].kind == CAP_SEGMENT_ONE ||
                 (read && same(p->segments[i].segment, *read)))
            next |= bit(i + 1);
    }
    return close_over(p, next);
}

#define PAIRS_MAX 512

/* Pairs of a place in the child and the set of places where the parent can be then. */
struct search {
    const struct cap_pattern *parent;
    size_t count, done;
    bool full;
    struct {
        size_t place;
        uint64_t states;
    } pairs[PAIRS_MAX];
};

static void visit(struct search *s, size_t place, uint64_t states) {
    for (size_t i = 0; i < s->count; i++)
        if (s->pairs[i].place == place && (s->pairs[i].states & ~states) == 0)
            return; /* fewer states were enough there */
    if (s->count == PAIRS_MAX) {
        s->full = true;
        return;
    }
    s->pairs[s->count].place = place;
    s->pairs[s->count++].states = states;
}

/* After any one segment: each that the parent names, and one that it does not. */
static void visit_all(struct search *s, size_t place, uint64_t states) {
    visit(s, place, step(s->parent, states, NULL));
    for (size_t i = 0; i < s->parent->count; i++)
        visit(s, place, step(s->parent, states, &s->parent->segments[i].segment));
}

bool cap_pattern_is_subset(const struct cap_pattern *child, const struct cap_pattern *parent) {
    struct search s = {.parent = parent};
    visit(&s, 0, close_over(parent, bit(0)));
    while (s.done < s.count) {
        size_t place = s.pairs[s.done].place;
        uint64_t states = s.pairs[s.done++].states;
        if (states == 0) return false; /* the child goes on, the parent cannot */
        if (place == child->count) {
            if (!(states & bit(parent->count))) return false;
        } else if (child->segments[place].kind == CAP_SEGMENT_LITERAL) {
            visit(&s, place + 1, step(parent, states, &child->segments[place].segment));
        } else if (child->segments[place].kind == CAP_SEGMENT_ONE) {
            visit_all(&s, place + 1, states);
        } else {
            visit(&s, place + 1, states);
            visit_all(&s, place, states);
        }
    }
    return !s.full;
}

/* ---- overlap */

bool cap_pattern_overlaps(const struct cap_pattern *a, const struct cap_pattern *b) {
    /* row i, bit j: what is left of a from i and of b from j have a method in common */
    uint64_t below = 0;
    for (size_t i = a->count + 1; i-- > 0;) {
        uint64_t row = 0;
        for (size_t j = b->count + 1; j-- > 0;) {
            bool a_any = a->segments[i].kind == CAP_SEGMENT_ANY;
            bool b_any = b->segments[j].kind == CAP_SEGMENT_ANY;
            bool found = i == a->count && j == b->count;
            if (a_any || b_any)
                found = (below & bit(j)) || (row >> j >> 1 & 1);
            else if (!found)
                found = (a->segments[i].kind == CAP_SEGMENT_ONE ||
                         b->segments[j].kind == CAP_SEGMENT_ONE ||
                         same(a->segments[i].segment, b->segments[j].segment)) &&
                        (below >> j >> 1 & 1);
            if (found) row |= bit(j);
        }
        below = row;
    }
    return below & 1;
}
