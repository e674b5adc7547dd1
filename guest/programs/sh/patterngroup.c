/*
 * patterngroup.c: patterns with ?(a|b) *(…) +(…) @(…) !(…), as automata.
 *
 * Thompson's construction ("Regular Expression Search Algorithm", CACM 11(6), 1968): all ways
 * through the pattern are followed at once, so that a text of n characters takes n times the
 * pattern's length, however its groups repeat each other. A group !(…) runs as an automaton of its
 * own from each place where it is reached (a "denial"): wherever that one does not accept, what
 * follows the group may begin. When it has no way left to go on, what follows may begin anywhere
 * from there on, and no further start adds to that; when it accepts whatever comes, it is done.
 */
#include "pattern.h"

#include <pf.h>

enum op {
    OP_LITERAL, /* the character at p */
    OP_ONE,     /* the element at p */
    OP_STAR,    /* any characters, then the next step */
    OP_SPLIT,   /* the next step and step `to` */
    OP_JUMP,    /* step `to` */
    OP_DENY,    /* what the steps up to `to`, which is its OP_ACCEPT, do not match; then after it */
    OP_ACCEPT,
};

struct step {
    enum op op;
    int to;
    const char *p;
    int len; /* of a literal's bytes */
};

struct automaton {
    const char *pe;
    unsigned flags;
    struct step *steps;
    int count, cap;
    struct run *spare; /* runs of earlier denials */
};

/* The automaton, or the part of it that belongs to a denial, at one place of the text. Reaching a
 * step is done in rounds, one for each place. */
struct run {
    int first, last;       /* its steps; `last` is its OP_ACCEPT */
    int *next, next_count; /* steps that wait for the character at this place */
    int *now;              /* those that waited for the one before */
    int *stack;
    unsigned *seen;   /* by step: the round in which it was last reached */
    unsigned *always; /* by step: since which round an OP_DENY holds at all later places, or 0 */
    int always_count;
    unsigned round;
    bool accepts;        /* at this place */
    bool accepts_all;    /* whatever comes, at all later places too */
    struct run *denials; /* those still going on */
    struct run *sibling;
};

/* ------------------------------------------------------------------ compiling */

static int emit(struct automaton *a, enum op op, const char *p, int len) {
    if (a->count == a->cap) {
        a->cap = a->cap ? a->cap * 2 : 32;
        a->steps = xrealloc(a->steps, (size_t)a->cap * sizeof *a->steps);
    }
    a->steps[a->count] = (struct step){.op = op, .p = p, .len = len};
    return a->count++;
}

static void compile(struct automaton *a, const char *p, const char *pe, int depth);

static void compile_alternatives(struct automaton *a, const char *p, const char *pe, int depth) {
    int jumps = -1; /* a chain through `to` of those to the end */
    for (;;) {
        const char *end = pattern_alternative_end(p, pe);
        int split = end < pe ? emit(a, OP_SPLIT, NULL, 0) : -1;
        compile(a, p, end, depth);
        if (end == pe) break;
        int jump = emit(a, OP_JUMP, NULL, 0);
        a->steps[jump].to = jumps;
        jumps = jump;
        a->steps[split].to = a->count;
        p = end + 1;
    }
    while (jumps >= 0) {
        int before = a->steps[jumps].to;
        a->steps[jumps].to = a->count;
        jumps = before;
    }
}

/* The group at p, which ends at `end`. */
static void compile_group(struct automaton *a, const char *p, const char *end, int depth) {
    int first = a->count;
    enum op op = *p == '!' ? OP_DENY : OP_SPLIT;
    bool skips = *p == '?' || *p == '*' || *p == '!';
    if (skips) emit(a, op, NULL, 0);
    compile_alternatives(a, p + 2, end - 1, depth);
    if (*p == '*' || *p == '+') {
        int last = emit(a, *p == '*' ? OP_JUMP : OP_SPLIT, NULL, 0);
        a->steps[last].to = first;
    }
    if (skips) a->steps[first].to = a->count;
    if (op == OP_DENY) emit(a, OP_ACCEPT, NULL, 0);
}

static void compile(struct automaton *a, const char *p, const char *pe, int depth) {
    while (p < pe) {
        if (depth < GLOB_DEPTH_MAX && pattern_is_group(p, pe, a->flags)) {
            const char *end = pattern_group_end(p + 1, pe);
            compile_group(a, p, end, depth + 1);
            p = end;
        } else if (*p == '*') {
            emit(a, OP_STAR, p++, 0);
        } else {
            const char *set = *p == '[' ? pattern_set_end(p + 1, pe) : NULL;
            const char *c = *p == '\\' && p + 1 < pe ? p + 1 : p;
            int len = u8_len(c, (size_t)(pe - c));
            bool literal = *p != '?' && !set;
            if (literal && !(a->flags & PAT_ICASE))
                emit(a, OP_LITERAL, c, len);
            else
                emit(a, OP_ONE, p, 0);
            p = set ? set + 1 : c + len;
        }
    }
}

struct automaton *automaton_new(const char *p, const char *pe, unsigned flags) {
    struct automaton *a = xcalloc(1, sizeof *a);
    a->pe = pe;
    a->flags = flags;
    compile(a, p, pe, 0);
    emit(a, OP_ACCEPT, NULL, 0);
    return a;
}

/* ------------------------------------------------------------------ running */

static void round_begin(struct automaton *a, struct run *r) {
    if (++r->round == 0) { /* once in 2^32 characters */
        memset(r->seen, 0, (size_t)a->count * sizeof *r->seen);
        for (int i = 0; i < a->count; i++) r->always[i] = r->always[i] != 0;
        r->round = 2;
    }
    r->accepts = false;
}

/* Its arrays are clean, or left so by the one before: see run_drop(). */
static struct run *run_new(struct automaton *a, int first, int last) {
    struct run *r = a->spare;
    size_t n = (size_t)a->count;
    if (r) {
        a->spare = r->sibling;
    } else {
        r = xcalloc(1, sizeof *r);
        r->next = xcalloc(5 * n, sizeof *r->next);
        r->now = r->next + n;
        r->stack = r->now + n;
        r->seen = (unsigned *)(r->stack + n);
        r->always = r->seen + n;
    }
    r->first = first;
    r->last = last;
    r->accepts_all = false;
    r->next_count = 0;
    r->sibling = NULL;
    round_begin(a, r);
    return r;
}

static void run_drop(struct automaton *a, struct run *r) {
    while (r->denials) {
        struct run *d = r->denials;
        r->denials = d->sibling;
        run_drop(a, d);
    }
    if (r->always_count)
        memset(r->always + r->first, 0, (size_t)(r->last - r->first) * sizeof *r->always);
    r->always_count = 0;
    r->sibling = a->spare;
    a->spare = r;
}

void automaton_free(struct automaton *a) {
    while (a->spare) {
        struct run *r = a->spare;
        a->spare = r->sibling;
        free(r->next < r->now ? r->next : r->now); /* they change places */
        free(r);
    }
    free(a->steps);
    free(a);
}

/* Nothing that comes can make it accept again. */
static bool run_over(const struct run *r) {
    return r->next_count == 0 && !r->denials && r->always_count == 0;
}

static void push(struct run *r, int *top, int step) {
    if (r->seen[step] == r->round) return;
    r->seen[step] = r->round;
    r->stack[(*top)++] = step;
}

static void hold_always(struct run *r, int deny) {
    if (r->always[deny]) return;
    r->always[deny] = r->round;
    r->always_count++;
}

/* The denial goes on, unless it can change nothing any more. */
static void keep_denial(struct automaton *a, struct run *r, struct run *d) {
    if (d->accepts_all || r->always[d->first - 1]) {
        run_drop(a, d);
        return;
    }
    d->sibling = r->denials;
    r->denials = d;
}

/* Nothing follows the * at this step. */
static bool is_open_end(const struct automaton *a, int step) {
    for (step++; a->steps[step].op == OP_JUMP; step = a->steps[step].to) continue;
    return a->steps[step].op == OP_ACCEPT && !(a->flags & PAT_PATH);
}

static void reach(struct automaton *a, struct run *r, const struct subject *text, const char *s,
                  int step);

/* A denial begins at s; true when what follows may begin there too. */
static bool deny(struct automaton *a, struct run *r, const struct subject *text, const char *s,
                 int step) {
    if (r->always[step] && r->always[step] != r->round) return false; /* has been done */
    struct run *d = run_new(a, step + 1, a->steps[step].to);
    reach(a, d, text, s, step + 1);
    bool holds = !d->accepts;
    if (run_over(d)) hold_always(r, step);
    keep_denial(a, r, d);
    return holds;
}

/* The step, and those that need no character from there, are reached at s. */
static void reach(struct automaton *a, struct run *r, const struct subject *text, const char *s,
                  int step) {
    int top = 0;
    push(r, &top, step);
    while (top > 0) {
        int i = r->stack[--top];
        switch (a->steps[i].op) {
        case OP_ACCEPT: r->accepts = true; break;
        case OP_LITERAL:
        case OP_ONE: r->next[r->next_count++] = i; break;
        case OP_STAR:
            if (pattern_at_period(text, s)) break;
            r->accepts_all |= is_open_end(a, i);
            r->next[r->next_count++] = i;
            push(r, &top, i + 1);
            break;
        case OP_SPLIT:
            push(r, &top, a->steps[i].to);
            push(r, &top, i + 1);
            break;
        case OP_JUMP: push(r, &top, a->steps[i].to); break;
        case OP_DENY:
            if (!pattern_at_period(text, s) && deny(a, r, text, s, i))
                push(r, &top, a->steps[i].to + 1);
            break;
        }
    }
}

static bool takes(const struct automaton *a, const struct step *step, const struct subject *text,
                  const char *s, const char *after) {
    const char *ignored;
    switch (step->op) {
    case OP_LITERAL: return after - s == step->len && memcmp(s, step->p, (size_t)step->len) == 0;
    case OP_ONE: return pattern_one(text, step->p, a->pe, s, &ignored) != NULL;
    default: return !(text->flags & PAT_PATH) || *s != '/';
    }
}

static void advance(struct automaton *a, struct run *r, const struct subject *text, const char *s,
                    const char *after);

static void advance_denials(struct automaton *a, struct run *r, const struct subject *text,
                            const char *s, const char *after) {
    struct run *all = r->denials;
    r->denials = NULL;
    while (all) {
        struct run *d = all;
        int step = d->first - 1;
        all = d->sibling;
        advance(a, d, text, s, after);
        if (!d->accepts) reach(a, r, text, after, d->last + 1);
        if (run_over(d)) hold_always(r, step);
        keep_denial(a, r, d);
    }
}

/* From s over one character to `after`. */
static void advance(struct automaton *a, struct run *r, const struct subject *text, const char *s,
                    const char *after) {
    int *now = r->next, count = r->next_count;
    r->next = r->now;
    r->now = now;
    r->next_count = 0;
    round_begin(a, r);
    advance_denials(a, r, text, s, after); /* before others begin */
    if (r->always_count)
        for (int i = r->first; i < r->last; i++)
            if (r->always[i] && r->always[i] != r->round)
                reach(a, r, text, after, a->steps[i].to + 1);
    for (int i = 0; i < count; i++) {
        const struct step *step = &a->steps[now[i]];
        if (takes(a, step, text, s, after))
            reach(a, r, text, after, step->op == OP_STAR ? now[i] : now[i] + 1);
    }
}

const char *automaton_match(struct automaton *a, const struct subject *text,
                            enum automaton_goal goal) {
    struct run *r = run_new(a, 0, a->count - 1);
    const char *found = NULL, *s = text->start;
    reach(a, r, text, s, 0);
    for (unsigned i = 1;; i++) {
        if (r->accepts && (goal != MATCH_ALL || s == text->end)) found = s;
        if (s == text->end || run_over(r) || (found && goal == MATCH_SHORTEST)) break;
        if (r->accepts_all && goal != MATCH_SHORTEST) {
            found = text->end;
            break;
        }
        const char *after = s + u8_len(s, (size_t)(text->end - s));
        advance(a, r, text, s, after);
        s = after;
        if (i % 256 == 0) pf_yield();
    }
    run_drop(a, r);
    return found;
}
