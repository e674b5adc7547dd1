/*
 * sort_run.c: reading, sorting and merging.
 *
 * All input lies in memory; lines are entries that point into it, spread by the bytes of their ranks
 * or merge-sorted, with a spare array. Memory that is not there ends the command with its message.
 */
#include "g_in.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"
#include "sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FEW = 12,        /* lines that are sorted without dividing them */
    MANY = 400,      /* lines from which on it pays to count bytes of their ranks */
    MOST_PARTS = 64, /* of a key that are ranked; 448 bytes */
};

typedef struct {
    sort_line *lines;
    size_t count, cap;
} table;

typedef struct {
    char *s;
    size_t len, cap;
} text;

static void read_file(text *t, const char *name, char end) {
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(2, errno, "cannot read: %s", g_quotef(name));
    struct stat st;
    size_t hint = 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (uint64_t)st.st_size < SIZE_MAX / 2) {
        hint = (size_t)st.st_size;
    }
    for (;;) {
        size_t want = hint + (64u << 10);
        if (t->cap - t->len < want) {
            size_t cap = t->len + want;
            if (!hint && cap < t->cap * 2) cap = t->cap * 2;
            t->s = g_realloc(t->s, cap);
            t->cap = cap;
        }
        ssize_t n = g_read(fd, t->s + t->len, t->cap - t->len - 1);
        if (n < 0) g_die_errno(2, errno, "read failed: %s", g_quotef(name));
        if (n == 0) break;
        t->len += (size_t)n;
        hint = 0;
    }
    if (t->len > 0 && t->s[t->len - 1] != end) t->s[t->len++] = end;
    g_close_input(fd);
}

static void split_lines(const sort_order *o, const text *t, table *lines) {
    const char *at = t->s, *stop = t->s + t->len;
    while (at < stop) {
        const char *end = memchr(at, o->end, (size_t)(stop - at));
        if (lines->count == lines->cap)
            lines->lines = g_more(lines->lines, &lines->cap, sizeof *lines->lines);
        size_t len = (size_t)(end - at);
        lines->lines[lines->count++] = (sort_line){sort_rank(o, 0, 0, at, len), at, len};
        if (lines->count % 4096 == 0) pf_yield();
        at = end + 1;
    }
}

/* Room for lines while others are sorted: for half of them, or for all where that is little beside
 * the text. */
typedef struct {
    sort_line *lines;
    size_t count;
} line_room;

/* A stable merge by rank alone: what is in the text is not looked at. Branches depend on no data
 * that is sorted, which a processor could only guess. */
static void merge_by_rank(sort_line *l, sort_line *spare, size_t n) {
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++) {
            sort_line moved = l[i];
            size_t j = i;
            for (; j > 0 && l[j - 1].rank > moved.rank; j--) l[j] = l[j - 1];
            l[j] = moved;
        }
        return;
    }
    size_t half = n / 2;
    merge_by_rank(l, spare, half);
    merge_by_rank(l + half, spare, n - half);
    if (l[half - 1].rank <= l[half].rank) return;
    memcpy(spare, l, half * sizeof *l);
    sort_line *a = spare, *a_end = spare + half, *b = l + half, *b_end = l + n, *out = l;
    while (a < a_end && b < b_end) {
        size_t first = a->rank <= b->rank;
        *out++ = *(first ? a : b);
        a += first;
        b += 1 - first;
    }
    while (a < a_end) *out++ = *a++;
    if (n > 4096) pf_yield();
}

/* The same for many lines: spread by one byte of the rank after the other, from the last, over those
 * bytes in which they differ. */
static void spread_by_rank(sort_line *l, sort_line *spare, size_t n) {
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++) differ |= l[i].rank ^ l[0].rank;
    sort_line *from = l, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff)) continue;
        static uint32_t at[256]; /* not on the stack: sort_range() is deep */
        uint32_t sum = 0;
        memset(at, 0, sizeof at);
        for (size_t i = 0; i < n; i++) at[from[i].rank >> shift & 0xff]++;
        for (int byte = 0; byte < 256; byte++) {
            uint32_t count = at[byte];
            at[byte] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++) to[at[from[i].rank >> shift & 0xff]++] = from[i];
        sort_line *filled = to;
        to = from;
        from = filled;
        if (n > 4096) pf_yield();
    }
    if (from != l) memcpy(l, from, n * sizeof *l);
}

/* The same by comparing lines in the key, for those whose ranks don't tell. */
static void merge_by_text(const sort_order *o, size_t key, sort_line *l, sort_line *spare, size_t n) {
    if (n <= 1) return;
    size_t half = n / 2;
    merge_by_text(o, key, l, spare, half);
    merge_by_text(o, key, l + half, spare, n - half);
    if (sort_compare_key(o, key, &l[half - 1], &l[half]) <= 0) return;
    memcpy(spare, l, half * sizeof *l);
    sort_line *a = spare, *a_end = spare + half, *b = l + half, *b_end = l + n, *out = l;
    while (a < a_end && b < b_end) *out++ = sort_compare_key(o, key, a, b) <= 0 ? *a++ : *b++;
    while (a < a_end) *out++ = *a++;
    if (n > 4096) pf_yield();
}

static void rank_lines(const sort_order *o, size_t key, size_t part, sort_line *l, size_t n) {
    for (size_t i = 0; i < n; i++) {
        l[i].rank = sort_rank(o, key, part, l[i].s, l[i].len);
        if (i % 4096 == 4095) pf_yield();
    }
}

/*
 * Sorts lines that are equal in the keys before `key` and in the parts of it before `part`; ranks
 * are those of that part already. Lines of equal rank are sorted by what comes next: the next part
 * of this key, so that a long common beginning is read once for each line and not once for each
 * comparison, or the next key. The depth is at most MOST_PARTS for each key.
 */
static void sort_range(const sort_order *o, size_t key, size_t part, sort_line *l, line_room *room,
                       size_t n) {
    sort_line *spare = room->lines;
    if (n >= MANY && n <= room->count) spread_by_rank(l, spare, n);
    else merge_by_rank(l, spare, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && l[end].rank == l[i].rank;) end++;
        if (end - i == 1) continue;
        if (sort_rank_says_all(o, key, l[i].rank)) {
            if (key + 1 == o->key_count) continue;
            rank_lines(o, key + 1, 0, l + i, end - i);
            sort_range(o, key + 1, 0, l + i, room, end - i);
            continue;
        }
        if (end - i > FEW && part + 1 < MOST_PARTS && sort_rank_has_parts(o, key)) {
            rank_lines(o, key, part + 1, l + i, end - i);
            sort_range(o, key, part + 1, l + i, room, end - i);
            continue;
        }
        merge_by_text(o, key, l + i, spare, end - i);
        if (key + 1 == o->key_count) continue;
        for (size_t from = i, to; from < end; from = to) {
            for (to = from + 1; to < end && sort_compare_key(o, key, &l[from], &l[to]) == 0;) to++;
            rank_lines(o, key + 1, 0, l + from, to - from);
            sort_range(o, key + 1, 0, l + from, room, to - from);
        }
    }
}

static void open_output(const char *output) {
    if (!output) return;
    g_stdout.fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (g_stdout.fd >= 0) return;
    int error = errno;
    g_stdout.fd = STDOUT_FILENO;
    g_die_errno(2, error, "open failed: %s", g_quotef(output));
}

/* A line's terminator lies behind it. */
static inline void put_line(const sort_order *o, const sort_line *l) {
    if (o->debug)
        sort_put_marked(o, l);
    else
        g_out(l->s, l->len + 1);
}

int sort_files(const sort_order *o, char **names, int count, const char *output) {
    text t = {0};
    for (int i = 0; i < count; i++) read_file(&t, names[i], o->end);
    table lines = {0};
    split_lines(o, &t, &lines);
    bool short_lines = t.len / sizeof *lines.lines < lines.count;
    line_room room = {.count = short_lines ? lines.count / 2 + 1 : lines.count};
    room.lines = g_resize(NULL, room.count, sizeof *room.lines);
    sort_range(o, 0, 0, lines.lines, &room, lines.count);
    free(room.lines);
    open_output(output);
    const sort_line *last = NULL;
    for (size_t i = 0; i < lines.count; i++) {
        const sort_line *l = &lines.lines[i];
        if (o->unique && last && sort_same(o, last, l)) continue;
        put_line(o, l);
        last = l;
    }
    return 0;
}

int sort_merge(const sort_order *o, char **names, int count, const char *output) {
    text *texts = g_zalloc((size_t)count * sizeof *texts);
    table *runs = g_zalloc((size_t)count * sizeof *runs);
    size_t *next = g_zalloc((size_t)count * sizeof *next);
    for (int i = 0; i < count; i++) {
        read_file(&texts[i], names[i], o->end);
        split_lines(o, &texts[i], &runs[i]);
    }
    open_output(output);
    const sort_line *last = NULL;
    for (;;) {
        int best = -1;
        for (int i = 0; i < count; i++) {
            if (next[i] == runs[i].count) continue;
            const sort_line *mine = &runs[i].lines[next[i]];
            const sort_line *other = best < 0 ? NULL : &runs[best].lines[next[best]];
            if (!other || mine->rank < other->rank ||
                (mine->rank == other->rank && sort_compare(o, mine, other) < 0)) {
                best = i;
            }
        }
        if (best < 0) return 0;
        const sort_line *l = &runs[best].lines[next[best]++];
        if (next[best] % 1024 == 0) pf_yield();
        if (o->unique && last && sort_same(o, last, l)) continue;
        put_line(o, l);
        last = l;
    }
}

int sort_check(const sort_order *o, const char *name, bool quiet) {
    text t = {0};
    table lines = {0};
    read_file(&t, name, o->end);
    split_lines(o, &t, &lines);
    for (size_t i = 1; i < lines.count; i++) {
        const sort_line *l = &lines.lines[i];
        int order = sort_compare(o, l - 1, l);
        if (order < 0 || (order == 0 && !o->unique)) continue;
        if (!quiet) {
            dprintf(STDERR_FILENO, "%s: %s:%zu: disorder: %.*s%c", g_name(), name, i + 1,
                    (int)l->len, l->s, o->end);
        }
        return 1;
    }
    return 0;
}
