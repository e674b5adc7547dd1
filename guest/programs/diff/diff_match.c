/*
 * diff_match.c: finds a small set of changes between two lists of line numbers.
 *
 * Myers' O(ND) algorithm in linear space, from both ends at once. What people expect is not any
 * smallest set but GNU's, so its three refinements are here too: lines that cannot or hardly match
 * are set aside first, the search is cut short when it becomes too expensive (unless -d), and each
 * change is slid down as far as equal lines allow, or to where the other file changes as well.
 */
#include "diff.h"
#include "pf.h"

#include <stdlib.h>

/* The part of one file that is searched: the lines that were not set aside. */
typedef struct {
    uint32_t *classes;
    size_t *real; /* their places in the file */
    size_t count;
} searched;

enum fate { KEEP = 0, DISCARD = 1, PERHAPS = 2 };

/* Lines that occur more often than this in the other file hardly tell anything. */
static size_t often(size_t lines) {
    size_t limit = 5;
    for (size_t n = lines / 64; (n >>= 2) > 0;) limit *= 2;
    return limit;
}

/* From one end of a run of discarded lines: doubtful ones stay until the run is dense. */
static void keep_at_end(unsigned char *fate, ptrdiff_t step, size_t length) {
    size_t in_a_row = 0;
    for (size_t j = 0; j < length; j++, fate += step) {
        if (j >= 8 && *fate == DISCARD) break;
        if (*fate == PERHAPS) *fate = KEEP;
        if (*fate == KEEP)
            in_a_row = 0;
        else if (++in_a_row == 3)
            break;
    }
}

/* Long stretches of doubtful lines within a run stay: about the square root of a quarter of it. */
static void keep_stretches(unsigned char *fate, size_t length) {
    size_t minimum = 1;
    for (size_t n = length >> 2; (n >>= 2) > 0;) minimum <<= 1;
    minimum++;
    for (size_t j = 0; j < length;) {
        size_t end = j;
        while (end < length && fate[end] == PERHAPS) end++;
        if (end - j >= minimum) memset(fate + j, KEEP, end - j);
        j = end + 1;
    }
}

/* Decides about the doubtful lines: they go only in the midst of lines that surely go. */
static void settle(unsigned char *fate, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fate[i] == PERHAPS) fate[i] = KEEP;
        if (fate[i] == KEEP) continue;
        size_t end = i, doubtful = 0;
        for (; end < count && fate[end] != KEEP; end++) doubtful += fate[end] == PERHAPS;
        for (; fate[end - 1] == PERHAPS; doubtful--) fate[--end] = KEEP;
        size_t length = end - i;
        if (doubtful * 4 > length) {
            for (size_t j = i; j < end; j++)
                if (fate[j] == PERHAPS) fate[j] = KEEP;
        } else {
            keep_stretches(fate + i, length);
            keep_at_end(fate + i, 1, length);
            keep_at_end(fate + end - 1, -1, length);
        }
        i = end - 1;
    }
}

/* Lines [from .. to) of a file without those set aside, which are marked as changed. */
static searched set_aside(diff_side *side, size_t from, size_t to, const size_t *in_other,
                          bool minimal) {
    size_t count = to - from, limit = often(count);
    unsigned char *fate = g_zalloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t matches = in_other[side->classes[from + i]];
        fate[i] = matches == 0 ? DISCARD : matches > limit ? PERHAPS : KEEP;
    }
    settle(fate, count);
    searched s = {g_resize(NULL, count + 1, sizeof *s.classes),
                  g_resize(NULL, count + 1, sizeof *s.real), 0};
    for (size_t i = 0; i < count; i++) {
        if (fate[i] != KEEP && !minimal) {
            side->changed[from + i] = true;
        } else {
            s.classes[s.count] = side->classes[from + i];
            s.real[s.count++] = from + i;
        }
    }
    free(fate);
    return s;
}

/* A rectangle of the edit graph still to be searched. */
typedef struct {
    ptrdiff_t x0, x1, y0, y1;
    bool minimal;
} area;

typedef struct {
    const searched *a, *b;
    diff_side *side0, *side1;
    /* How far each diagonal x - y was followed, forwards and backwards. */
    ptrdiff_t *forward, *backward;
    ptrdiff_t expensive;
    area *todo;
    size_t todo_count, todo_cap;
} search;

/* Where a rectangle is divided, and whether either part must be searched minimally. */
typedef struct {
    ptrdiff_t x, y;
    bool first_minimal, second_minimal;
} division;

/* The furthest point reached so far, from whichever end: taken when a search costs too much. */
static division furthest(const search *s, const area *r, ptrdiff_t f0, ptrdiff_t f1, ptrdiff_t b0,
                         ptrdiff_t b1) {
    ptrdiff_t fbest = -1, fx = 0, bbest = PTRDIFF_MAX, bx = 0;
    for (ptrdiff_t d = f1; d >= f0; d -= 2) {
        ptrdiff_t x = s->forward[d] < r->x1 ? s->forward[d] : r->x1, y = x - d;
        if (r->y1 < y) {
            x = r->y1 + d;
            y = r->y1;
        }
        if (fbest < x + y) {
            fbest = x + y;
            fx = x;
        }
    }
    for (ptrdiff_t d = b1; d >= b0; d -= 2) {
        ptrdiff_t x = r->x0 > s->backward[d] ? r->x0 : s->backward[d], y = x - d;
        if (y < r->y0) {
            x = r->y0 + d;
            y = r->y0;
        }
        if (x + y < bbest) {
            bbest = x + y;
            bx = x;
        }
    }
    if (r->x1 + r->y1 - bbest < fbest - (r->x0 + r->y0))
        return (division){fx, fbest - fx, true, false};
    return (division){bx, bbest - bx, false, true};
}

/* The middle of a shortest path through the rectangle, whose corners do not match. */
static division divide(search *s, const area *r) {
    const uint32_t *xs = s->a->classes, *ys = s->b->classes;
    ptrdiff_t *fd = s->forward, *bd = s->backward;
    const ptrdiff_t lowest = r->x0 - r->y1, highest = r->x1 - r->y0;
    const ptrdiff_t fmid = r->x0 - r->y0, bmid = r->x1 - r->y1;
    const bool odd = (fmid - bmid) & 1;
    ptrdiff_t f0 = fmid, f1 = fmid, b0 = bmid, b1 = bmid;
    fd[fmid] = r->x0;
    bd[bmid] = r->x1;
    for (ptrdiff_t cost = 1;; cost++) {
        if (f0 > lowest)
            fd[--f0 - 1] = -1;
        else
            f0++;
        if (f1 < highest)
            fd[++f1 + 1] = -1;
        else
            f1--;
        for (ptrdiff_t d = f1; d >= f0; d -= 2) {
            ptrdiff_t below = fd[d - 1], above = fd[d + 1], x = below < above ? above : below + 1;
            for (ptrdiff_t y = x - d; x < r->x1 && y < r->y1 && xs[x] == ys[y]; y++) x++;
            fd[d] = x;
            if (odd && b0 <= d && d <= b1 && bd[d] <= x) return (division){x, x - d, true, true};
        }
        if (b0 > lowest)
            bd[--b0 - 1] = PTRDIFF_MAX;
        else
            b0++;
        if (b1 < highest)
            bd[++b1 + 1] = PTRDIFF_MAX;
        else
            b1--;
        for (ptrdiff_t d = b1; d >= b0; d -= 2) {
            ptrdiff_t below = bd[d - 1], above = bd[d + 1], x = below < above ? below : above - 1;
            for (ptrdiff_t y = x - d; r->x0 < x && r->y0 < y && xs[x - 1] == ys[y - 1]; y--) x--;
            bd[d] = x;
            if (!odd && f0 <= d && d <= f1 && x <= fd[d]) return (division){x, x - d, true, true};
        }
        if (!r->minimal && cost >= s->expensive) return furthest(s, r, f0, f1, b0, b1);
        pf_yield();
    }
}

static void push(search *s, area r) {
    if (s->todo_count == s->todo_cap) s->todo = g_more(s->todo, &s->todo_cap, sizeof *s->todo);
    s->todo[s->todo_count++] = r;
}

static void compare(search *s, area whole) {
    push(s, whole);
    while (s->todo_count > 0) {
        area r = s->todo[--s->todo_count];
        const uint32_t *xs = s->a->classes, *ys = s->b->classes;
        for (; r.x0 < r.x1 && r.y0 < r.y1 && xs[r.x0] == ys[r.y0]; r.x0++) r.y0++;
        for (; r.x0 < r.x1 && r.y0 < r.y1 && xs[r.x1 - 1] == ys[r.y1 - 1]; r.x1--) r.y1--;
        if (r.x0 == r.x1) {
            for (ptrdiff_t y = r.y0; y < r.y1; y++) s->side1->changed[s->b->real[y]] = true;
        } else if (r.y0 == r.y1) {
            for (ptrdiff_t x = r.x0; x < r.x1; x++) s->side0->changed[s->a->real[x]] = true;
        } else {
            division d = divide(s, &r);
            push(s, (area){d.x, r.x1, d.y, r.y1, r.minimal || d.second_minimal});
            push(s, (area){r.x0, d.x, r.y0, d.y, r.minimal || d.first_minimal});
        }
    }
}

/*
 * Slides the changes of one file. Where the line before a run of changed lines equals its last one,
 * the run can move up by a line, and likewise down; runs that touch become one. Each ends as far
 * down as it goes, or where the other file has a change as well.
 */
typedef struct {
    bool *mine, *other; /* [-1] and one behind the end are readable and false */
    const uint32_t *classes;
    size_t end;
    size_t i, j; /* behind the run, and what corresponds to it in the other file */
    size_t start;
} slide;

static void slide_up(slide *s) {
    while (s->start > 0 && s->classes[s->start - 1] == s->classes[s->i - 1]) {
        s->mine[--s->start] = true;
        s->mine[--s->i] = false;
        while (s->start > 0 && s->mine[s->start - 1]) s->start--;
        while (s->other[(ptrdiff_t)--s->j]) continue;
    }
}

/* Returns the last place on the way where the other file has a change, or `corresponding`. */
static size_t slide_down(slide *s, size_t corresponding) {
    while (s->i != s->end && s->classes[s->start] == s->classes[s->i]) {
        s->mine[s->start++] = false;
        s->mine[s->i++] = true;
        while (s->i < s->end && s->mine[s->i]) s->i++;
        while (s->other[++s->j]) corresponding = s->i;
    }
    return corresponding;
}

static void slide_changes(bool *mine, bool *other, const uint32_t *classes, size_t end) {
    slide s = {.mine = mine, .other = other, .classes = classes, .end = end};
    for (unsigned turn = 0;; turn++) {
        while (s.i < end && !mine[s.i]) {
            while (other[s.j++]) continue;
            s.i++;
        }
        if (s.i == end) return;
        s.start = s.i;
        while (mine[++s.i]) continue;
        while (other[s.j]) s.j++;
        size_t length, corresponding;
        do {
            length = s.i - s.start;
            slide_up(&s);
            corresponding = slide_down(&s, other[(ptrdiff_t)s.j - 1] ? s.i : end);
        } while (length != s.i - s.start);
        while (corresponding < s.i) {
            mine[--s.start] = true;
            mine[--s.i] = false;
            while (other[(ptrdiff_t)--s.j]) continue;
        }
        if (turn % 256 == 0) pf_yield();
    }
}

static void list_changes(diff_pair *pair) {
    const diff_side *a = &pair->side[0], *b = &pair->side[1];
    size_t cap = 0, x = 0, y = 0;
    while (x < a->line_count || y < b->line_count) {
        size_t x0 = x, y0 = y;
        while (a->changed[x]) x++;
        while (b->changed[y]) y++;
        if (x > x0 || y > y0) {
            if (pair->change_count == cap)
                pair->changes = g_more(pair->changes, &cap, sizeof *pair->changes);
            pair->changes[pair->change_count++] = (diff_change){x0, y0, x - x0, y - y0, false};
        }
        x++;
        y++;
    }
}

/* An ed script cannot tell whether the last line has an end. */
static bool same_bytes(const diff_pair *pair, const diff_line *a, const diff_line *b) {
    size_t m = a->len, n = b->len;
    if (diff_is_script(pair->o)) {
        m -= m > 0 && a->s[m - 1] == '\n';
        n -= n > 0 && b->s[n - 1] == '\n';
    }
    return m == n && memcmp(a->s, b->s, m) == 0;
}

static void compare_middle(diff_pair *pair, size_t head, size_t tail, uint32_t classes) {
    diff_side *a = &pair->side[0], *b = &pair->side[1];
    size_t end0 = a->line_count - tail, end1 = b->line_count - tail;
    size_t *count0 = g_zalloc(classes * sizeof *count0),
           *count1 = g_zalloc(classes * sizeof *count1);
    for (size_t i = head; i < end0; i++) count0[a->classes[i]]++;
    for (size_t i = head; i < end1; i++) count1[b->classes[i]]++;
    searched s0 = set_aside(a, head, end0, count1, pair->o->minimal);
    searched s1 = set_aside(b, head, end1, count0, pair->o->minimal);
    free(count0);
    free(count1);

    size_t diagonals = s0.count + s1.count + 3, expensive = 1;
    ptrdiff_t *room = g_resize(NULL, 2 * diagonals, sizeof *room);
    for (size_t n = diagonals; n > 0; n >>= 2) expensive <<= 1;
    search s = {.a = &s0,
                .b = &s1,
                .side0 = a,
                .side1 = b,
                .expensive = expensive > 4096 ? (ptrdiff_t)expensive : 4096};
    s.forward = room + s1.count + 1;
    s.backward = s.forward + diagonals;
    compare(&s, (area){0, (ptrdiff_t)s0.count, 0, (ptrdiff_t)s1.count, pair->o->minimal});
    free(s.todo);
    free(room);
    free(s0.classes);
    free(s0.real);
    free(s1.classes);
    free(s1.real);

    slide_changes(a->changed + head, b->changed + head, a->classes + head, end0 - head);
    slide_changes(b->changed + head, a->changed + head, b->classes + head, end1 - head);
}

void diff_match(diff_pair *pair, uint32_t classes) {
    diff_side *a = &pair->side[0], *b = &pair->side[1];
    for (int f = 0; f < 2; f++)
        pair->side[f].changed = (bool *)g_zalloc(pair->side[f].line_count + 3) + 1;
    size_t shorter = a->line_count < b->line_count ? a->line_count : b->line_count, head = 0,
           tail = 0;
    while (head < shorter && same_bytes(pair, &a->lines[head], &b->lines[head])) head++;
    while (tail < shorter - head && same_bytes(pair, &a->lines[a->line_count - 1 - tail],
                                               &b->lines[b->line_count - 1 - tail]))
        tail++;
    /* GNU searches the lines that are shown as context too, which moves some changes. */
    uint64_t shown = (uint64_t)pair->o->horizon;
    head = head > shown ? head - (size_t)shown : 0;
    tail = tail > shown ? tail - (size_t)shown : 0;
    compare_middle(pair, head, tail, classes);
    list_changes(pair);
}
